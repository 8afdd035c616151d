//===- VmiMemoryRules.cpp - VMEM-1 to VMEM-9 ------------------------------===//

#include "VmiRules.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;
using namespace ptoscope::pto::vmi;

LogicalResult vmi::checkSpace(VmiOp op, StringRef label) { return verifyUb(op, op.getBase(), label); }

LogicalResult vmi::checkPointer(VmiOp op, StringRef label) {
  auto ptr = dyn_cast<PtrType>(op.getBase().getType());
  // Vectors of "unpack" are wider on purpose: that it is not modelled is said later (VUB-22).
  if (!ptr || (op.getInfo().kind == VmiKind::Load && op.getDistMode() == "unpack"))
    return success();
  // The indices of a gather or scatter are no data.
  SmallVector<VmiVRegType> data = only<VmiVRegType>(typesOf(op));
  if (op.getInfo().kind == VmiKind::Gather)
    data.erase(data.begin());
  else if (op.getInfo().kind == VmiKind::Scatter)
    data.pop_back();
  // A pointer to elements that nothing tells fits all, but then to those of one type.
  Type element = ptr.getElement() ? ptr.getElement() : data.front().getElement();
  auto integer = [](Type type, unsigned bits) { return isa<IntegerType>(type) && bitsOf(type) == bits; };
  for (VmiVRegType vector : data) {
    bool packed = op.getInfo().kind == VmiKind::Store && op.hasGroups() && integer(element, 8) &&
                  integer(vector.getElement(), 32);
    if (vector.getElement() != element && !packed)
      return breaks(op, label) << "the pointer has " << element << " elements, the vector " << vector.getElement()
                               << "; use `pto.castptr`";
  }
  return success();
}

LogicalResult vmi::checkStride(VmiOp op, StringRef label) {
  if (op.hasGroups() == bool(op.getStride()))
    return success();
  if (op.hasGroups())
    return breaks(op, label) << "`group` needs a stride behind the address";
  return breaks(op, label) << "the stride needs `group`";
}

LogicalResult vmi::checkGroupMode(VmiOp op, StringRef label) {
  auto mode = op->getAttrOfType<StringAttr>("dist_mode");
  if (!op.hasGroups() || !mode || (op.getInfo().kind == VmiKind::Load && mode.getValue() == "brc"))
    return success();
  return breaks(op, label) << "with `group` there is no `dist_mode = \"" << mode.getValue() << "\"`";
}

LogicalResult vmi::checkBlocks(VmiOp op, StringRef label) {
  if (!op.getBlockStride())
    return success();
  for (StringRef name : {"group", "dist_mode"})
    if (op->hasAttr(name))
      return breaks(op, label) << "with a block stride there is no `" << name << "`";
  return success();
}

LogicalResult vmi::checkPair(VmiOp op, StringRef label) {
  SmallVector<Type> types = op.getInfo().kind == VmiKind::Load ? SmallVector<Type>(op->getResultTypes())
                                                               : SmallVector<Type>(op->getOperandTypes());
  SmallVector<VmiVRegType> vectors = only<VmiVRegType>(types);
  size_t needed = op.getDistMode() == "dintlv" ? 2 : 1;
  if (vectors.size() != needed)
    return breaks(op, label) << "\"" << op.getDistMode() << "\" has " << needed << " vector" << (needed == 1 ? "" : "s")
                             << ", not " << vectors.size();
  if (vectors.front() != vectors.back())
    return breaks(op, label) << "both vectors must have one type, got " << vectors.front() << " and " << vectors.back();
  return success();
}

LogicalResult vmi::checkDistMode(VmiOp op, StringRef label) {
  bool load = op.getInfo().kind == VmiKind::Load;
  StringRef mode = op.getDistMode();
  if (mode == "continuous" || mode == "dintlv" || (load && mode == "brc"))
    return success();
  if (load && mode == "unpack")
    return emitCoded(op->emitError(), "not-modelled")
           << "`" << op->getName() << "` with \"unpack\" is not modelled: no published compiler has it (VUB-22); load "
           << "the narrow elements and use `pto.vmi.vcvt`";
  return breaks(op, label) << "`dist_mode` is \"continuous\"" << (load ? ", \"brc\"" : "") << " or \"dintlv\", not \""
                           << mode << "\"";
}

LogicalResult vmi::checkStoreMask(VmiOp op, StringRef label) {
  if (!op.getMask() || (!op.hasGroups() && op.getDistMode() != "dintlv"))
    return success();
  return breaks(op, label) << "a store " << (op.hasGroups() ? "of groups" : "with \"dintlv\"") << " has no mask";
}

LogicalResult vmi::checkIndices(VmiOp op, StringRef label) {
  bool gather = op.getInfo().kind == VmiKind::Gather;
  SmallVector<Value> vectors = op.getVectors();
  Type index = cast<VmiVRegType>((gather ? vectors.front() : vectors.back()).getType()).getElement();
  Type data = gather ? op.getVectorType().getElement() : op.getVectorOperandType().getElement();
  unsigned bits = std::max(bitsOf(data), 16u);
  auto integer = dyn_cast<IntegerType>(index);
  if (!integer || integer.isSigned() || integer.getWidth() != bits)
    return breaks(op, label) << "indices of " << data << " elements are `i" << bits << "` or `ui" << bits << "`, not "
                             << index;
  if (gather && integer.isUnsigned() && bits == 16 && !data.isUnsignedInteger(16))
    return breaks(op, label) << "with indices of `ui16` it gathers `ui16` elements, not " << data;
  return success();
}
