//===- Signature.cpp - signatures, and printing by them -------------------===//

#include "Signature.h"
#include "VmiText.h"

#include "ptoscope/Dialect/PTO/VmiTypes.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace ptoscope::pto {

static Slot readSlot(StringRef text, int &next) {
  Slot slot;
  slot.bracket = text.consume_front("[");
  slot.word = text.consume_front("@");
  slot.remark = text.consume_back("!");
  slot.optional = text.consume_back("?") || slot.remark;
  if (!slot.word) {
    auto [kind, number] = text.split(':');
    text = kind;
    slot.dropped = number.consume_front("=");
    if (number.getAsInteger(10, slot.operand))
      slot.operand = next;
    if (!slot.dropped)
      next = slot.operand + 1;
  }
  slot.kind = text;
  return slot;
}

SmallVector<Form> readSignature(StringRef signature) {
  SmallVector<Form> forms;
  SmallVector<StringRef> texts;
  signature.split(texts, '|');
  for (StringRef text : texts) {
    Form &form = forms.emplace_back();
    SmallVector<StringRef> words;
    text.split(words, ' ', -1, /*KeepEmpty=*/false);
    SmallVector<Slot> *into = &form.items;
    int next = 0;
    for (StringRef word : words) {
      if (word == "->")
        into = &form.results;
      else if (word.consume_front("#"))
        form.label = word;
      else if (auto [name, value] = word.split('='); !value.empty() && !name.ends_with(":"))
        form.sets.push_back({name, value});
      else
        into->push_back(readSlot(word, next));
    }
  }
  return forms;
}

bool isImplied(StringRef kind) { return kind == "offset" || kind == "part" || kind == "stride" || kind == "step"; }

bool isVmiName(StringRef name) { return name.starts_with("pto.vmi."); }

bool fits(StringRef kind, Type type) {
  bool scalar = isa<IntegerType, FloatType>(type);
  return llvm::StringSwitch<bool>(kind)
      .Case("ptr", isa<PtrType>(type))
      .Case("buffer", isa<PtrType, MemRefType>(type))
      .Cases("vreg", "bytes", isa<VRegType>(type))
      .Case("mask", isa<MaskType>(type))
      .Case("align", isa<AlignType>(type))
      .Case("v", isa<VmiVRegType>(type))
      .Case("m", isa<VmiMaskType>(type))
      .Cases("index", "offset", "part", "stride", type.isIndex())
      .Cases("i16", "step", type.isSignlessInteger(16))
      .Case("i32", type.isSignlessInteger(32))
      .Case("i64", type.isSignlessInteger(64))
      .Cases("scalar", "count", scalar)
      .Case("input", scalar || isa<VRegType>(type))
      .Case("active", type.isIndex() || isa<MaskType>(type))
      .Default(false);
}

bool fitResults(ArrayRef<Slot> slots, TypeRange types) {
  if (types.size() > slots.size())
    return false;
  for (auto [i, slot] : llvm::enumerate(slots))
    if (i < types.size() ? !fits(slot.kind, types[i]) : !slot.optional)
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

/// The operand of each slot, null where it is absent.
static bool assign(const Form &form, Operation *op, SmallVectorImpl<Value> &values) {
  for (const Slot &slot : form.items)
    if (slot.word && !slot.optional && !op->getAttr(slot.kind))
      return false;
  // Operands stand in the order of the record.
  SmallVector<unsigned> order;
  for (unsigned i = 0; i < form.items.size(); ++i)
    if (!form.items[i].word && !form.items[i].dropped)
      order.push_back(i);
  llvm::sort(order, [&](unsigned a, unsigned b) { return form.items[a].operand < form.items[b].operand; });
  values.assign(form.items.size(), Value());
  unsigned next = 0, left = op->getNumOperands(), needed = 0;
  for (unsigned i : order)
    needed += !form.items[i].optional;
  for (unsigned i : order) {
    const Slot &slot = form.items[i];
    bool here = left && fits(slot.kind, op->getOperand(next).getType()) && (!slot.optional || left > needed);
    if (!here && !slot.optional)
      return false;
    needed -= !slot.optional;
    if (!here)
      continue;
    values[i] = op->getOperand(next++);
    --left;
  }
  if (left)
    return false;
  for (auto [i, slot] : llvm::enumerate(form.items))
    if (slot.dropped)
      values[i] = op->getOperand(unsigned(slot.operand));
  return fitResults(form.results, op->getResultTypes());
}

bool fitsSignature(Operation *op, StringRef signature) {
  SmallVector<Value> values;
  return llvm::any_of(readSignature(signature), [&](const Form &form) { return assign(form, op, values); });
}

void printText(OpAsmPrinter &printer, Operation *op, StringRef signature) {
  SmallVector<Form> forms = readSignature(signature);
  SmallVector<Value> values;
  auto *chosen = llvm::find_if(forms, [&](const Form &form) { return assign(form, op, values); });
  if (chosen == forms.end())
    return printer.printGenericOp(op, /*printOpName=*/false);
  SmallVector<StringRef> elided = {"operandSegmentSizes"};
  SmallVector<Type> types;
  bool first = true;
  for (auto [slot, value] : llvm::zip(chosen->items, values)) {
    auto word = slot.word ? op->getAttrOfType<StringAttr>(slot.kind) : StringAttr();
    if (!value && (!word || word.empty()))
      continue;
    if (!slot.bracket)
      printer << (first ? " " : ", ");
    first = false;
    if (word) {
      printer << word;
      elided.push_back(slot.kind);
      continue;
    }
    if (slot.bracket)
      printer << "[" << value << "]";
    else
      printer << value;
    if (!isImplied(slot.kind))
      types.push_back(value.getType());
  }
  bool vmi = isVmiName(op->getName().getStringRef());
  for (auto [name, value] : {std::pair("position", "LOWEST"), {"order", "ASC"}})
    if (auto word = op->getAttrOfType<StringAttr>(name); word && word.getValue() == value && !vmi)
      elided.push_back(name);
  for (NamedAttribute attribute : op->getAttrs()) // words that the instruction does not have with these types
    if (auto word = dyn_cast<StringAttr>(attribute.getValue()); word && word.empty())
      elided.push_back(attribute.getName());
  printer.printOptionalAttrDict(op->getAttrs(), elided);
  if (types.empty() && op->getNumResults() == 0)
    return;
  printer << " : ";
  llvm::interleaveComma(types, printer);
  if (op->getNumResults() && !types.empty())
    printer << " -> ";
  llvm::interleaveComma(op->getResultTypes(), printer);
}

} // namespace ptoscope::pto
