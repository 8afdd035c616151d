//===- ScalarStorage.cpp - local arrays and structs -----------------------===//
//
// Elements lie on the stack of the generated function, each beside a word that says
// whether it was set. Their declaration makes all of them unset, once more in every
// turn of a loop.
//
//===----------------------------------------------------------------------===//

#include "Program/ProgramLowering.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

LogicalResult ProgramLowering::declareScalars(Operation *op, int64_t count) {
  Value storage = b.stack(int64_t(sizeof(PtoEventId)) * count, alignof(PtoEventId));
  mapping.map(op->getResult(0), storage);
  return issue(op, "ptosc_event_array", {storage, b.const64(count)});
}

LogicalResult ProgramLowering::getScalar(Operation *op, Value storage, Value position) {
  Value bits = b.stack(8, 8), element = b.ptrAdd(storage, b.mul(position, b.const64(sizeof(PtoEventId))));
  (void)issue(op, "ptosc_element_get", {element, position, bits});
  return give(op, b.fromBits(b.load(b.i64(), bits, 8), lowered(op->getResult(0).getType())));
}

LogicalResult ProgramLowering::setScalar(Operation *op, Value storage, Value position, Value value) {
  Value element = b.ptrAdd(storage, b.mul(position, b.const64(sizeof(PtoEventId))));
  return issue(op, "ptosc_element_set", {element, b.toBits(mapped(value))});
}

/// The last index counts neighbours. One that is outside its extent ends the block.
Value ProgramLowering::indexIn(Operation *op, LocalArrayType array, ValueRange indices) {
  Value position = b.const64(0);
  for (auto [index, extent] : llvm::zip(indices, array.getShape())) {
    Value wide = mapped64(index);
    auto check = b.create<scf::IfOp>(b.loc, b.cmp(arith::CmpIPredicate::uge, wide, b.const64(extent)), false);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(check.thenYield());
      (void)issue(op, "ptosc_bad_index", {wide, b.const64(extent)});
    }
    position = b.add(b.mul(position, b.const64(extent)), wide);
  }
  return position;
}

LogicalResult ProgramLowering::lower(DeclareLocalArrayOp op) {
  int64_t count = 1;
  for (int64_t extent : cast<LocalArrayType>(op.getArray().getType()).getShape())
    count *= extent;
  return declareScalars(op, count);
}
LogicalResult ProgramLowering::lower(LocalArrayGetOp op) {
  auto type = cast<LocalArrayType>(op.getArray().getType());
  return getScalar(op, mapped(op.getArray()), indexIn(op, type, op.getIndices()));
}
LogicalResult ProgramLowering::lower(LocalArraySetOp op) {
  auto type = cast<LocalArrayType>(op.getArray().getType());
  return setScalar(op, mapped(op.getArray()), indexIn(op, type, op.getIndices()), op.getValue());
}

/// Fields in order, those of inner structs included.
static int64_t fieldAt(StructType type, ArrayRef<int64_t> path) {
  auto scalarsIn = [](Type field) {
    auto inner = dyn_cast<StructType>(field);
    return inner ? inner.getScalars() : 1;
  };
  int64_t position = 0;
  for (int64_t i = 0; i < path.front(); ++i)
    position += scalarsIn(type.getFields()[size_t(i)]);
  auto inner = dyn_cast<StructType>(type.getFields()[size_t(path.front())]);
  return inner ? position + fieldAt(inner, path.drop_front()) : position;
}

LogicalResult ProgramLowering::lower(DeclareStructOp op) {
  return declareScalars(op, cast<StructType>(op.getRecord().getType()).getScalars());
}
LogicalResult ProgramLowering::lower(StructGetOp op) {
  auto type = cast<StructType>(op.getRecord().getType());
  return getScalar(op, mapped(op.getRecord()), b.const64(fieldAt(type, op.getPath())));
}
LogicalResult ProgramLowering::lower(StructSetOp op) {
  auto type = cast<StructType>(op.getRecord().getType());
  return setScalar(op, mapped(op.getRecord()), b.const64(fieldAt(type, op.getPath())), op.getValue());
}
