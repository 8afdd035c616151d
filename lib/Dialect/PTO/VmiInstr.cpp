//===- VmiInstr.cpp - operations of virtual vector instructions -----------===//

#include "NamedOps.h"
#include "VmiText.h"

#include "ptoscope/Dialect/PTO/Vmi.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

namespace {

class VmiInstrOp : public Op<VmiInstrOp, OpTrait::ZeroRegions, OpTrait::VariadicResults, OpTrait::ZeroSuccessors,
                             OpTrait::VariadicOperands, ConditionallySpeculatable::Trait,
                             MemoryEffectOpInterface::Trait, VmiOpTrait> {
public:
  using Op::Op;
  static StringRef getOperationName() { return "pto.vmi"; }
  static ArrayRef<StringRef> getAttributeNames() { return {}; }
  static bool classof(Operation *op) { return isa<VmiOp>(op); }

  static ParseResult parse(OpAsmParser &parser, OperationState &result) {
    return result.name.getStringRef() == kShuffle ? parseVmiShuffle(parser, result) : parseVmi(parser, result);
  }
  static OperationName::PrintAssemblyFn getPrintAssemblyFn() {
    return [](Operation *op, OpAsmPrinter &printer, StringRef defaultDialect) {
      if (VmiOp(op).getInfo().generic)
        return printer.printGenericOp(op);
      printOpName(op, printer, defaultDialect);
      if (op->getName().getStringRef() == kShuffle)
        printVmiShuffle(printer, op);
      else
        printVmi(printer, op);
    };
  }
  LogicalResult verify() { return verifyVmi(*this); }

  Speculation::Speculatability getSpeculatability() {
    return touchesMemory() ? Speculation::NotSpeculatable : Speculation::Speculatable;
  }
  /// As PTO_Ordered of other instructions: no access is moved, merged or dropped.
  void getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
    if (!touchesMemory())
      return;
    effects.emplace_back(MemoryEffects::Read::get());
    effects.emplace_back(MemoryEffects::Write::get());
  }

private:
  static constexpr StringLiteral kShuffle = "pto.vmi.shuffle";

  bool touchesMemory() { return infoOf(getOperation())->footprint != Footprint::None; }
};

} // namespace

void ptoscope::pto::addVmiInstrs(PTODialect &dialect) {
  for (const VmiInfo &info : vmiInstrs())
    addNamedOp<VmiInstrOp>(dialect, ("pto." + info.name).str());
}
