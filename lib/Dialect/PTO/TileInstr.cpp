//===- TileInstr.cpp - tile instructions in text --------------------------===//
//
// Forms of all tile instructions from the records, their operations, and the
// choice of the form that an operation has.
//
//===----------------------------------------------------------------------===//

#include "TileInstr.h"
#include "NamedOps.h"

#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

namespace {

/// Lines of the tables, as they stand.
struct RecordLine {
  const tile::Record *record;
  StringRef shape;
};
struct TextLine {
  StringRef mnemonic, record, ins, outs;
  TileRule rule;
};
const RecordLine kRecords[] = {
#define PTO_RECORD(NAME, KERNEL, SHAPE, ...) {&tile::record::NAME, #SHAPE},
#define PTO_CUSTOM_RECORD PTO_RECORD
#include "pto/detail/records/all.def"
#undef PTO_CUSTOM_RECORD
#undef PTO_RECORD
};
const TextLine kTexts[] = {
#define PTO_TEXT(MNEMONIC, RECORD, INS, OUTS, RULE) {MNEMONIC, #RECORD, INS, OUTS, TileRule::RULE},
#include "pto/detail/records/text.def"
#undef PTO_TEXT
};

SmallVector<TileSlot> parseSlots(StringRef text) {
  SmallVector<TileSlot> slots;
  uint8_t halves = 0;
  for (StringRef word : llvm::split(text, ' ')) {
    if (word.empty())
      continue;
    TileSlot slot{TileSlot::Tile, 0, word.ends_with("?")};
    switch (word.front()) {
    case 'g':
      slot.kind = TileSlot::View;
      break;
    case 'k':
      slot.kind = TileSlot::Element;
      break;
    case 'e':
      slot.kind = TileSlot::SourceElement;
      break;
    case 'f':
      slot.kind = TileSlot::Float;
      break;
    case 'i':
    case 'j':
      slot.kind = TileSlot::Integer;
      slot.index = word.front() == 'j';
      break;
    case 'w':
      slot.kind = TileSlot::Word;
      slot.index = 2;
      break;
    case 'r':
      slot.kind = TileSlot::HalfScalar;
      slot.index = halves++;
      break;
    case '_':
      slot.kind = TileSlot::Ignored;
      break;
    default:
      slot.index = uint8_t(word.front() - '0');
    }
    slots.push_back(slot);
  }
  return slots;
}

/// What follows from the record alone.
void addPlainForm(const RecordLine &line, TileForm &form) {
  const tile::Record &record = *line.record;
  form.mnemonic = StringRef(record.name).lower();
  if (record.gm == tile::Gm::Load)
    form.ins.push_back({TileSlot::View});
  auto add = [&](bool scratch) {
    for (uint8_t i = 0; i < tile::kMaxTiles && record.tile[i].role != tile::Role::None; ++i) {
      tile::Role role = record.tile[i].role;
      bool writes = (role == tile::Role::Write || role == tile::Role::Update) && record.gm != tile::Gm::Store;
      if (scratch ? role != tile::Role::Scratch : role == tile::Role::Scratch || writes)
        continue;
      form.ins.push_back({TileSlot::Tile, i, scratch});
      if (form.ins.size() == 1 && line.shape.starts_with("Scalar"))
        form.ins.push_back({TileSlot::Element});
    }
  };
  add(false);
  add(true);
  for (uint8_t i = 0; i < tile::kMaxTiles; ++i)
    if (tile::Role role = record.tile[i].role; role == tile::Role::Write || role == tile::Role::Update)
      form.outs.push_back({TileSlot::Tile, i});
  if (record.gm == tile::Gm::Store)
    form.outs.push_back({TileSlot::View});
}

std::vector<TileForm> makeForms() {
  std::vector<TileForm> forms;
  llvm::SmallBitVector written(std::size(kRecords));
  for (const TextLine &text : kTexts) {
    const RecordLine *line =
        llvm::find_if(kRecords, [&](const RecordLine &each) { return text.record == each.record->name; });
    const unsigned number = unsigned(line - kRecords);
    written.set(number);
    if (!text.mnemonic.empty())
      forms.push_back(
          {text.mnemonic.str(), line->record, number, text.rule, parseSlots(text.ins), parseSlots(text.outs), ""});
  }
  for (auto [number, line] : llvm::enumerate(kRecords))
    if (!written.test(unsigned(number)))
      addPlainForm(line, forms.emplace_back(TileForm{"", line.record, unsigned(number), TileRule::None, {}, {}, ""}));
  // Those of a mnemonic stand together, in the order of the table.
  llvm::stable_sort(forms, [](const TileForm &a, const TileForm &b) { return a.mnemonic < b.mnemonic; });
  for (TileForm &form : forms)
    form.syntax = syntaxOf(form);
  return forms;
}

} // namespace

ArrayRef<TileForm> ptoscope::pto::tileForms() {
  static const std::vector<TileForm> forms = makeForms();
  return forms;
}

ArrayRef<TileForm> ptoscope::pto::tileFormsOf(StringRef mnemonic) {
  static const llvm::StringMap<ArrayRef<TileForm>> map = [] {
    llvm::StringMap<ArrayRef<TileForm>> result;
    for (ArrayRef<TileForm> rest = tileForms(); !rest.empty();) {
      const size_t count = size_t(
          llvm::find_if(rest, [&](const TileForm &form) { return form.mnemonic != rest[0].mnemonic; }) - rest.begin());
      result[rest[0].mnemonic] = rest.take_front(count);
      rest = rest.drop_front(count);
    }
    return result;
  }();
  return map.lookup(mnemonic);
}

tile::Elem ptoscope::pto::viewElemOf(Type element) {
  const std::optional<tile::Elem> known = TileBufType::elemOf(element);
  if (known && tile::bitsOf(*known) >= 8)
    return *known;
  const unsigned bits = bitsOf(element);
  return bits == 8 ? tile::Elem::u8 : bits == 16 ? tile::Elem::u16 : tile::Elem::u32;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

namespace {

class TileInstrOp : public Op<TileInstrOp, OpTrait::ZeroRegions, OpTrait::ZeroResults, OpTrait::ZeroSuccessors,
                              OpTrait::VariadicOperands, TileInstrTrait> {
public:
  using Op::Op;
  static StringRef getOperationName() { return "pto.tile"; }
  static ArrayRef<StringRef> getAttributeNames() { return {}; }
  static bool classof(Operation *op) { return isa<TileInstr>(op); }

  static ParseResult parse(OpAsmParser &parser, OperationState &result) { return parseTileInstr(parser, result); }
  void print(OpAsmPrinter &printer) { printTileInstr(printer, TileInstr(getOperation())); }
  LogicalResult verify() { return TileInstr(getOperation()).bind(); }
};

} // namespace

void ptoscope::pto::addTileInstrs(PTODialect &dialect) {
  StringRef last; // forms of a mnemonic stand together
  for (const TileForm &form : tileForms())
    if (form.mnemonic != std::exchange(last, form.mnemonic))
      addNamedOp<TileInstrOp>(dialect, "pto." + form.mnemonic);
}

//===----------------------------------------------------------------------===//
// Which form it is
//===----------------------------------------------------------------------===//

static bool fits(const TileSlot &slot, Type type) {
  switch (slot.kind) {
  case TileSlot::Tile:
    return isa<TileBufType>(type);
  case TileSlot::View:
    return isa<PartitionTensorViewType, TensorViewType, MemRefType>(type);
  case TileSlot::Ignored:
    return true;
  case TileSlot::Integer:
  case TileSlot::Word:
  case TileSlot::HalfScalar:
    return type.isIntOrIndex();
  case TileSlot::Element:
  case TileSlot::SourceElement:
    return type.isIntOrIndexOrFloat() || bitsOf(type);
  case TileSlot::Float:
    return isa<FloatType>(type);
  }
  return false;
}

/// Hands values out to slots; absent ones get a null value.
static bool match(ArrayRef<TileSlot> slots, ValueRange values, SmallVectorImpl<Value> &found) {
  if (slots.empty())
    return values.empty();
  const TileSlot &slot = slots.front();
  if (!values.empty() && fits(slot, values.front().getType())) {
    found.push_back(values.front());
    if (match(slots.drop_front(), values.drop_front(), found))
      return true;
    found.pop_back();
  }
  if (!slot.optional)
    return false;
  found.push_back(Value());
  if (match(slots.drop_front(), values, found))
    return true;
  found.pop_back();
  return false;
}

/// TIR-4: `ins` and `outs` have a size each. The generic form may also have one for each operand, or none: then
/// types tell which is which.
OperandRange TileInstr::getIns() {
  Operation *op = getOperation();
  auto sizes = op->getAttrOfType<DenseI32ArrayAttr>(kSegments);
  OperandRange all = op->getOperands();
  if (sizes && sizes.size() == 2)
    return all.take_front(size_t(std::clamp<int64_t>(sizes[0], 0, all.size())));
  ArrayRef<TileForm> forms = tileFormsOf(op->getName().stripDialect());
  for (const TileForm &form : forms)
    for (size_t outs = 0; outs <= std::min<size_t>(form.outs.size(), all.size()); ++outs)
      if (SmallVector<Value> found;
          match(form.ins, all.drop_back(outs), found) && match(form.outs, all.take_back(outs), found))
        return all.drop_back(outs);
  return all.drop_back(std::min(forms.front().outs.size(), size_t(all.size())));
}
OperandRange TileInstr::getOuts() { return getOperation()->getOperands().drop_front(getIns().size()); }

/// IREW-4. IRX-3: a scalar that stands for an element has its kind, and as an integer its width. Floats are converted.
static std::string scalarProblem(const TileBinding &binding) {
  const tile::Record *record = binding.form->record;
  for (const TileBinding::Scalar &scalar : binding.scalars) {
    APInt count;
    if ((record == &tile::record::TSHLS || record == &tile::record::TSHRS) &&
        matchPattern(scalar.value, m_ConstantInt(&count)) && count.isNegative())
      return "`pto." + binding.form->mnemonic + "` breaks IREW-4: it shifts by " + std::to_string(count.getSExtValue());
    if (scalar.slot.kind != TileSlot::Element && scalar.slot.kind != TileSlot::SourceElement)
      continue;
    const size_t tile = scalar.slot.kind == TileSlot::Element ? 0 : binding.form->ins[0].index;
    Type element = cast<TileBufType>(binding.tiles[tile].getType()).getElement(), given = scalar.value.getType();
    const bool integers = isa<IntegerType>(given) && !isa<Float16Type, BFloat16Type, Float32Type>(element);
    if (integers ? bitsOf(given) == bitsOf(element) : isa<FloatType>(given) && isa<FloatType>(element))
      continue;
    std::string text;
    llvm::raw_string_ostream(text) << "`pto." << binding.form->mnemonic << "` breaks IRX-3: the scalar is `" << given
                                   << "`, the elements are `" << element << "`";
    return text;
  }
  return "";
}

/// It changes the time of an instruction (TIME-23) and the elements of a power (IREW-11), no result.
static bool isPrecise(Operation *op) {
  return llvm::any_of(op->getAttrs(), [](NamedAttribute named) {
    auto mode = dyn_cast<ModeAttr>(named.getValue());
    return mode && mode.getKind().contains("precision") && mode.getNumber() == 1;
  });
}

FailureOr<TileBinding> TileInstr::bind(bool emits) {
  Operation *op = getOperation();
  ArrayRef<TileForm> forms = tileFormsOf(op->getName().stripDialect());
  for (const TileForm &form : forms) {
    SmallVector<Value> ins, outs;
    if (!match(form.ins, getIns(), ins) || !match(form.outs, getOuts(), outs))
      continue;
    TileBinding binding;
    binding.form = &form;
    binding.precise = isPrecise(op);
    binding.tiles.resize(tile::kMaxTiles);
    for (auto [slots, values] : {std::pair(&form.ins, &ins), std::pair(&form.outs, &outs)})
      for (auto [slot, value] : llvm::zip(*slots, *values)) {
        if (!value || slot.kind == TileSlot::Ignored)
          continue;
        if (slot.kind == TileSlot::Tile)
          binding.tiles[slot.index] = value;
        else if (slot.kind == TileSlot::View)
          binding.view = value;
        else
          binding.scalars.push_back({slot, value});
      }
    while (!binding.tiles.empty() && !binding.tiles.back())
      binding.tiles.pop_back();
    TileRuleResult result = applyRule(op, binding);
    if (result.declines)
      continue;
    if (result.problem.empty())
      result.problem = scalarProblem(binding);
    if (!result.problem.empty()) {
      if (emits)
        op->emitError() << result.problem;
      return failure();
    }
    return binding;
  }
  if (emits) {
    InFlightDiagnostic diag = op->emitError()
                              << quoted(op) << " breaks IRX-1: it does not take these operands; it is written `"
                              << forms[0].syntax;
    for (const TileForm &form : forms.drop_front())
      if (form.syntax != forms[0].syntax)
        diag << "` or `" << form.syntax;
    diag << "`";
  }
  return failure();
}
