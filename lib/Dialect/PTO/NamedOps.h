//===- NamedOps.h - operations that share a class ---------------*- C++ -*-===//
//
// Instructions whose record says all that tells them apart are operations of one
// class under many names: a class for each takes half a second to compile.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_DIALECT_PTO_NAMEDOPS_H
#define PTOSCOPE_LIB_DIALECT_PTO_NAMEDOPS_H

#include "ptoscope/Dialect/PTO/PTO.h"

namespace ptoscope::pto {

/// The class sets the shape: traits, interfaces, text, rules. Its `classof` must accept every name.
template <typename Concrete> class NamedModel final : public mlir::RegisteredOperationName::Model<Concrete> {
public:
  NamedModel(PTODialect &dialect, llvm::StringRef ofName) : mlir::RegisteredOperationName::Model<Concrete>(&dialect) {
    this->name = mlir::StringAttr::get(dialect.getContext(), ofName);
    this->typeID = dialect.namedIds.allocate(); // a context has one operation for each
  }
};

template <typename Concrete> void addNamedOp(PTODialect &dialect, llvm::StringRef name) {
  mlir::RegisteredOperationName::insert(std::make_unique<NamedModel<Concrete>>(dialect, name),
                                        Concrete::getAttributeNames());
}

} // namespace ptoscope::pto

#endif // PTOSCOPE_LIB_DIALECT_PTO_NAMEDOPS_H
