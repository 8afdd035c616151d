//===- VerifyVector.cpp - what a profile lacks, what no manual defines ----===//

#include "Verify/VerifyVector.h"
#include "ptoscope/Dialect/PTO/Vmi.h"

#include "ptoscope/Meaning/Conversions.h"
#include "ptoscope/Meaning/Distribution.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

namespace {

InFlightDiagnostic undefined(Operation *op) {
  InFlightDiagnostic diag = emitCoded(op->emitWarning(), "undefined-by-manual");
  diag << "`" << op->getName() << "`";
  return diag;
}

/// Instructions that manuals list though a5 has no such hardware, what replaces
/// them, and how they are read if no manual defines them.
struct OldInstr {
  StringLiteral name, instead, reading;
};
constexpr OldInstr kOldInstrs[] = {
    {"vintlvv2", "pto.vintlv", ""},
    {"vdintlvv2", "pto.vdintlv", ""},
    {"vselrv2", "pto.vselr", "it is taken as `pto.vselr`"},
    {"vsld", "pto.vsldb", "lane i is taken as the datum at the address + i * stride data"},
    {"vsst", "pto.vsstb", "lane i is taken to go to the address + i * stride data"},
};

/// Compilers leave attributes of their own, which have no effect; one that is nearly named as
/// one of the instruction was meant to have one.
void warnAttributes(Operation *op) {
  for (NamedAttribute extra : op->getDiscardableAttrs())
    for (StringAttr known : op->getName().getAttributeNames())
      if (extra.getName().getValue().edit_distance(known.getValue(), true, 2) == 1)
        undefined(op) << " has no attribute `" << extra.getName().getValue() << "`, and it is ignored; `"
                      << known.getValue() << "` is one";
}

void warnOld(Operation *op, const Profile &profile) {
  for (const OldInstr &old : kOldInstrs) {
    if (op->getName().stripDialect() != old.name)
      continue;
    if (profile.name == "a5") {
      InFlightDiagnostic diag = emitCoded(op->emitWarning(), "unsupported-on-profile");
      diag << "`" << op->getName() << "` does not exist on a5; use `" << old.instead << "`";
      if (!old.reading.empty())
        diag << " (no manual defines it; " << old.reading << ")";
    } else if (!old.reading.empty()) {
      undefined(op) << " is not defined by any manual; " << old.reading;
    }
  }
}

/// Bits in the name of a token, 0 when it has none.
unsigned widthOf(StringRef token) {
  unsigned bits = 0;
  size_t at = token.rfind("_B");
  if (at == StringRef::npos || token.drop_front(at + 2).getAsInteger(10, bits))
    return token == "UNPK4" || token == "SPLT4CHN" ? 8 : 0;
  return bits;
}

/// DIST-1, DIST-2: bytes move as the token says, whatever the element; but
/// manuals list a token for elements of its own width only, and of the width
/// that unpacking gives or packing leaves. Combinations that hardware was
/// measured with are listed here.
void warnWidth(Operation *op, StringRef token, VRegType vreg) {
  static constexpr std::pair<StringLiteral, unsigned> measured[] = {
      {"BRC_B8", 32}, {"BRC_B16", 32}, {"DINTLV_B8", 32}, {"INTLV_B8", 32}};
  unsigned width = widthOf(token), bits = bitsOf(vreg.getElement());
  bool listed = width == 0 || width == bits || (token.starts_with("UNPK_") && bits == 2 * width) ||
                (token.starts_with("PK_") && width == 2 * bits) || (token == "PK4_B32" && bits == 8) ||
                (token == "NORM_B32" && bits == 64) || token.starts_with("STRIDE_");
  if (listed || llvm::any_of(measured, [&](auto &entry) { return entry.first == token && entry.second == bits; }))
    return;
  undefined(op) << " with \"" << token << "\" on " << vreg << " is not listed by any manual; bytes move in units of "
                << width / 8;
}

void warnDist(Operation *op, StringRef token, VRegType vreg, const Profile &profile) {
  if (token.starts_with("MRG") && profile.name == "a5")
    emitCoded(op->emitWarning(), "unsupported-on-profile")
        << "`" << op->getName() << "` with \"" << token << "\" does not exist on a5; interleave with `pto.vstsx2`";
  if (isa<VldsOp>(op) && (token == "DINTLV_B8" || token == "DINTLV_B16"))
    undefined(op) << " with \"" << token
                  << "\" is not defined by any manual; it gives the first register of `pto.vldsx2`";
  else
    warnWidth(op, token, vreg);
}

/// The pattern a mask is known to have.
StringRef patternOf(Value mask) {
  Operation *op = mask ? mask.getDefiningOp() : nullptr;
  if (!isa_and_nonnull<PsetB8Op, PsetB16Op, PsetB32Op, PgeB8Op, PgeB16Op, PgeB32Op>(op))
    return "";
  auto pattern = op->getAttrOfType<StringAttr>("pattern");
  return pattern ? pattern.getValue() : "";
}

void warnPattern(Operation *op) {
  auto attr = op->getAttrOfType<StringAttr>("pattern");
  if (!attr || !isa<MaskType>(op->getResult(0).getType()))
    return;
  StringRef pattern = attr.getValue();
  unsigned n, lanes = 256 / cast<MaskType>(op->getResult(0).getType()).getBytes();
  if (!pattern.consume_front("PAT_VL") || pattern.getAsInteger(10, n))
    return;
  if (n > lanes)
    undefined(op) << " has " << lanes << " lanes, fewer than \"" << attr.getValue()
                  << "\" names; all of them are taken as on";
}

/// The forms that return an advanced pointer came with a5.
LogicalResult verifyPostUpdate(Operation *op, Value next, const Profile &profile) {
  if (!next || profile.name == "a5")
    return success();
  return emitCoded(op->emitError(), "not-on-profile")
         << "`" << op->getName() << "` with a pointer result does not exist on " << profile.name
         << ", only on a5; use `pto.addptr`";
}

} // namespace

LogicalResult ptoscope::verifyVectorUse(Operation *op, const Profile &profile) {
  auto vreg = [](Value value) { return cast<VRegType>(value.getType()); };
  warnOld(op, profile);
  warnAttributes(op);
  if (auto load = dyn_cast<VldsOp>(op)) {
    warnDist(op, load.getDist(), vreg(load.getValue()), profile);
    return verifyPostUpdate(op, load.getNext(), profile);
  }
  if (auto store = dyn_cast<VstsOp>(op)) {
    warnDist(op, store.getDist(), vreg(store.getValue()), profile);
    if (store.getDist().starts_with("1PT_") && patternOf(store.getMask()) == "PAT_ALLF")
      undefined(op) << " with \"" << store.getDist() << "\" ignores its mask and stores though no lane is on";
    return verifyPostUpdate(op, store.getNext(), profile);
  }
  if (auto pair = dyn_cast<Vldsx2Op>(op)) {
    warnDist(op, pair.getDist(), vreg(pair.getLow()), profile);
    return verifyPostUpdate(op, pair.getNext(), profile);
  }
  if (isa<PldsOp, PldiOp, PstsOp, PstiOp>(op)) {
    Value last = op->getNumResults() ? op->getResults().back() : Value();
    return verifyPostUpdate(op, last && isa<PtrType>(last.getType()) ? last : Value(), profile);
  }
  if (auto pair = dyn_cast<Vstsx2Op>(op)) {
    warnDist(op, pair.getDist(), vreg(pair.getLow()), profile);
    if (StringRef pattern = patternOf(pair.getMask()); !pattern.empty() && pattern != "PAT_ALL")
      undefined(op) << " has a mask that is not full (" << pattern << "); manuals disagree, and it is ignored";
  }
  if (auto move = dyn_cast<VmovOp>(op))
    if (StringRef pattern = patternOf(move.getMask()); !pattern.empty() && pattern != "PAT_ALL")
      undefined(op) << " has a mask that is not full (" << pattern << "); inactive lanes are taken as zero";
  if (isa<VaddreluconvOp, VmulconvOp>(op)) {
    if (vreg(op->getResult(0)).getElementBytes() > vreg(op->getOperand(0)).getElementBytes())
      undefined(op) << " does not say which lanes it converts; the even ones are taken";
    else
      undefined(op)
          << " does not say where its results go; they are taken to fill the even lanes, rounded to nearest even";
  }
  if (auto convert = dyn_cast<VcvtOp>(op); convert && convert.getRnd() == "H")
    undefined(op) << " with \"H\" is not defined by any manual; it is taken as \""
                  << (isa<Hif8Type>(vreg(convert.getResult()).getElement()) ? "A" : "Z") << "\"";
  // Elsewhere it rounds toward zero (VTO-3).
  if (VmiOp::is(op, "vcvt") && op->getAttr("rounding") == StringAttr::get(op->getContext(), "H"))
    if (isa<Hif8Type>(cast<VmiVRegType>(op->getResult(0).getType()).getElement()))
      undefined(op) << " to hif8 with \"H\" is not defined by any manual; it is taken as \"A\"";
  if (auto convert = dyn_cast<VcvtOp>(op)) {
    const std::string from = elementName(vreg(convert.getSrc()).getElement()),
                      to = elementName(vreg(convert.getResult()).getElement());
    if (const Conversion *pair = findConversion<StringRef>(from, to);
        pair && pair->surface == ConversionSurface::Listed)
      emitCoded(op->emitWarning(), "unsupported-on-profile")
          << "`" << op->getName() << "` from " << vreg(convert.getSrc()).getElement() << " to "
          << vreg(convert.getResult()).getElement() << " is said to be absent on a5; convert to f32 first";
  }
  warnPattern(op);
  return success();
}
