//===- Looks.cpp - from `%name@LINE` to an instruction --------------------===//
//
// MLIR does not keep the names of values: a value is called what the text says where
// it is defined.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Compiler/Looks.h"

#include "ptoscope/Compiler/Kernels.h"
#include "ptoscope/Compiler/Pipeline.h"
#include "ptoscope/Compiler/Steps.h"
#include "ptoscope/Compiler/TileOrder.h"
#include "ptoscope/Dialect/PTO/CubeBinding.h"
#include "ptoscope/Dialect/PTO/TileInstr.h"
#include "ptoscope/Dialect/PTO/Vmi.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace ptoscope::pto;
using ptoscope::tile::Look;

namespace ptoscope {

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

static bool isNameChar(char c) { return isalnum((unsigned char)c) || StringRef("_$.-#").contains(c); }

/// The text of the program from an operation on.
static StringRef textFrom(const ParsedProgram &program, Operation *op) {
  const Place place = placeOf(op->getLoc());
  if (place.line == 0 || place.column == 0 || place.line > program.lineStarts.size())
    return {};
  return StringRef(program.text).substr(program.lineStarts[place.line - 1] + place.column - 1);
}

/// "%a" and "%b" of "%a, %b = pto.vintlv …", one for each result; "%r#1" of "%r:2 = …".
static SmallVector<std::string> resultNames(const ParsedProgram &program, Operation *op) {
  const StringRef from = textFrom(program, op);
  StringRef before = StringRef(program.text).drop_back(from.size()).rtrim();
  SmallVector<std::string> names;
  if (from.empty() || !before.consume_back("="))
    return names;
  while (true) {
    before = before.rtrim();
    StringRef word = before;
    while (!before.empty() && (isNameChar(before.back()) || before.back() == ':'))
      before = before.drop_back();
    word = word.drop_front(before.size());
    if (word.empty() || !before.consume_back("%"))
      break;
    auto [name, count] = word.split(':');
    unsigned n = 1;
    if (!count.empty() && (count.getAsInteger(10, n) || n > op->getNumResults()))
      break;
    for (unsigned i = n; i-- > 0;)
      names.insert(names.begin(), "%" + name.str() + (count.empty() ? "" : "#" + std::to_string(i)));
    before = before.rtrim();
    if (!before.consume_back(","))
      break;
  }
  return names;
}

/// The names in the head of a loop: its counter, and what it carries.
static SmallVector<std::string> loopNames(const ParsedProgram &program, Operation *loop) {
  StringRef head = textFrom(program, loop).take_until([](char c) { return c == '{'; });
  SmallVector<std::string> names;
  while (!head.empty()) {
    head = head.drop_until([](char c) { return c == '%'; });
    StringRef name = head.drop_front(!head.empty()).take_while(isNameChar);
    head = head.drop_front(std::min(head.size(), name.size() + 1));
    if (!name.empty() && head.ltrim().starts_with("="))
      names.push_back("%" + name.str());
  }
  return names;
}

std::string nameOf(const ParsedProgram &program, Value value) {
  SmallVector<std::string> names;
  unsigned position;
  if (auto result = dyn_cast<OpResult>(value)) {
    names = resultNames(program, result.getOwner());
    position = result.getResultNumber();
  } else {
    auto argument = cast<BlockArgument>(value);
    Operation *parent = argument.getOwner()->getParentOp();
    position = argument.getArgNumber();
    if (auto function = dyn_cast<func::FuncOp>(parent)) {
      for (const Parameter &parameter : parametersOf(program, function))
        names.push_back(parameter.name);
    } else if (isa<scf::ForOp, scf::WhileOp>(parent) && argument.getOwner() == &parent->getRegion(0).front()) {
      names = loopNames(program, parent);
    }
  }
  return position < names.size() ? names[position] : "";
}

//===----------------------------------------------------------------------===//
// What an instruction has
//===----------------------------------------------------------------------===//

static tile::Elem elemOf(Type element) {
  std::optional<tile::Elem> elem;
  if (element)
    elem = TileBufType::elemOf(element);
  return elem.value_or(tile::Elem::u8);
}

std::optional<ElementType> scalarElementOf(Type type) {
  if (isa<IndexType>(type))
    return ElementType::I64;
  if (isa<PtrType>(type))
    return ElementType::U64;
  if (type.isInteger(1))
    return ElementType::Bool;
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return type.isIntOrFloat() ? parseElementType(text) : std::nullopt;
}

std::optional<tile::Shown> shownOf(Type type) {
  tile::Shown shown;
  if (auto vreg = dyn_cast<VRegType>(type)) {
    shown.what = Look::Register;
    shown.elem = elemOf(vreg.getElement());
  } else if (auto vector = dyn_cast<VmiVRegType>(type)) {
    shown.what = Look::Register;
    shown.elem = elemOf(vector.getElement());
    shown.lanes = uint32_t(vector.getLanes());
  } else if (auto mask = dyn_cast<MaskType>(type)) {
    const unsigned bytes = mask.getBytes();
    shown.what = Look::Mask;
    shown.elem = bytes == 1 ? tile::Elem::u8 : bytes == 2 ? tile::Elem::u16 : tile::Elem::u32;
  } else if (auto mask = dyn_cast<VmiMaskType>(type)) {
    shown.what = Look::Mask;
    shown.lanes = uint32_t(mask.getLanes());
  } else if (isa<TileBufType>(type)) {
    shown.what = Look::TileValue;
  } else if (std::optional<ElementType> scalar = scalarElementOf(type)) {
    shown.scalar = *scalar;
    if (auto pointer = dyn_cast<PtrType>(type))
      shown.elem = elemOf(pointer.getElement());
  } else {
    return std::nullopt;
  }
  return shown;
}

static bool bindCube(Operation *op, CubeBinding &bound) {
  auto cube = dyn_cast<CubeOpInterface>(op);
  return cube && cube.bindCube(bound);
}

static bool storesToUb(Operation *op) {
  const InstrInfo *info = pto::infoOf(op);
  if (!info || !scopeAround(op))
    return false;
  return info->footprint == Footprint::VectorStore || info->footprint == Footprint::Scatter ||
         (info->footprint == Footprint::Stream && op->getName().getStringRef().contains("st"));
}

/// The element type that all stores in a scope have; u8 where they differ.
static tile::Elem storedElem(Operation *scope) {
  std::optional<tile::Elem> elem;
  bool same = true;
  scope->walk([&](Operation *op) {
    if (!storesToUb(op))
      return;
    for (Value operand : op->getOperands())
      if (auto pointer = dyn_cast<PtrType>(operand.getType())) {
        const tile::Elem own = elemOf(pointer.getElement());
        same = same && own == elem.value_or(own);
        elem = own;
      }
  });
  return same ? elem.value_or(tile::Elem::u8) : tile::Elem::u8;
}

namespace {
/// Looks at the operations of one line.
struct Finder {
  const ParsedProgram &program;
  std::vector<Look> found;
  /// Why a value that is there cannot be seen.
  std::string refused;

  void add(Operation *op, Look::What what, std::string name, tile::Elem elem, unsigned operand = 0, unsigned rank = 0) {
    add(op, {what, elem}, std::move(name), operand, rank);
  }
  void add(Operation *op, const tile::Shown &shown, std::string name, unsigned operand = 0, unsigned rank = 0) {
    const Place place = placeOf(op->getLoc());
    Look look{shown};
    look.name = std::move(name);
    look.line = place.line;
    look.column = place.column;
    look.operand = uint8_t(operand);
    look.rank = uint8_t(rank);
    found.push_back(std::move(look));
  }
  /// `position` counts results, or operands from the last: ~0 is the first operand.
  void addValue(Operation *op, Value value, const std::string &name, int position) {
    const Type type = value.getType();
    std::optional<tile::Shown> shown = shownOf(type);
    if (shown && (shown->what != Look::TileValue || isa<TGetValOp, TSetValOp>(op))) {
      add(op, *shown, name);
      found.back().position = position;
      return;
    }
    if (isPipeCall(op)) {
      refused = "what a pipe moves at `" + op->getName().getStringRef().str() +
                "` is not shown; name a line with another instruction that has `" + name + "`";
      return;
    }
    refused = isDescriptor(type) ? "the instruction gives `" + name +
                                       "` a place or a shape and neither reads nor writes it; name a line that does"
                                 : "`" + name + "` is neither a tile, a view, a register, a mask nor a number";
  }

  void value(Operation *op, Value value, const std::string &name, int position) {
    auto pointer = dyn_cast<PtrType>(value.getType());
    const tile::Elem elem = elemOf(pointer ? pointer.getElement() : Type());
    if (isa<TileInstr>(op)) {
      FailureOr<TileBinding> bound = TileInstr(op).bind(/*emits=*/false);
      if (succeeded(bound)) {
        if (bound->view == value)
          return add(op, Look::View, name, elem, 0, unsigned(rankOf(value.getType())));
        for (auto [i, tile] : llvm::enumerate(bound->tiles))
          if (tile == value)
            return add(op, Look::Tile, name, elem, unsigned(i));
      }
    } else if (CubeBinding bound; pointer && bindCube(op, bound)) {
      for (auto [i, own] : llvm::enumerate(bound.pointer))
        if (own == value)
          return add(op, Look::Written, name, elem, unsigned(i));
    } else if (auto transfer = dyn_cast<TransferOpInterface>(op); transfer && pointer) {
      if (transfer.get(TransferRole::Dst) == value)
        return add(op, Look::Target, name, elem);
      if (transfer.get(TransferRole::Src) == value)
        return add(op, Look::Source, name, elem);
    } else if (pointer && storesToUb(op)) {
      return add(op, Look::Stores, name, elem);
    } else if (const InstrInfo *info = pto::infoOf(op);
               pointer && info && info->footprint == Footprint::Direct && position == ~0) {
      return add(op, Look::Written, name, elem);
    }
    addValue(op, value, name, position);
  }

  /// All that the instruction writes.
  void written(Operation *op) {
    auto name = [&](Value value) {
      std::string text = nameOf(program, value);
      return text.empty() ? "tile" : text;
    };
    const InstrInfo *info = pto::infoOf(op);
    if (isa<TileInstr>(op)) {
      FailureOr<TileBinding> bound = TileInstr(op).bind(/*emits=*/false);
      if (failed(bound))
        return;
      const tile::Record &record = *bound->form->record;
      for (auto [i, tile] : llvm::enumerate(bound->tiles))
        if (record.tile[i].role == tile::Role::Write || record.tile[i].role == tile::Role::Update)
          add(op, Look::Tile, name(tile), tile::Elem::u8, unsigned(i));
      if (bound->view && record.gm == tile::Gm::Store)
        add(op, Look::View, name(bound->view), tile::Elem::u8, 0, unsigned(rankOf(bound->view.getType())));
    } else if (CubeBinding bound; bindCube(op, bound)) {
      const bool isProduct = bound.known.op == tile::CubeOp::Mad;
      Value dst = bound.pointer[isProduct ? tile::cube::kSum : tile::cube::kDst];
      value(op, dst, name(dst), 0);
    } else if (auto transfer = dyn_cast<TransferOpInterface>(op)) {
      Value dst = transfer.get(TransferRole::Dst);
      value(op, dst, name(dst), 0);
    } else if (isa<VecScopeOp>(op)) {
      add(op, Look::Stores, "tile", storedElem(op));
    } else if (storesToUb(op)) {
      for (Value operand : op->getOperands())
        if (isa<PtrType>(operand.getType()))
          return value(op, operand, name(operand), 0);
    } else if (info && info->footprint == Footprint::Direct) {
      value(op, op->getOperand(0), name(op->getOperand(0)), ~0);
    } else if (auto set = dyn_cast<TSetValOp>(op)) {
      addValue(op, set.getTile(), name(set.getTile()), ~int(set.getTileMutable().getOperandNumber()));
    } else {
      for (OpResult result : op->getResults())
        if (isa<VRegType, MaskType, VmiVRegType, VmiMaskType>(result.getType()))
          addValue(op, result, name(result), int(result.getResultNumber()));
    }
  }
};

Finding wrong(std::string message, std::string help) {
  Finding finding = makeFinding("usage", {}, std::move(message));
  finding.help = std::move(help);
  return finding;
}
} // namespace

//===----------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------===//

Result<std::vector<Look>> findLooks(const ParsedProgram &program, const std::string &word, bool dumps) {
  const std::string option = dumps ? "--dump" : "--print";
  StringRef rest = word, path;
  auto malformed = [&] {
    return wrong("`" + option + " " + word + "` is not understood",
                 dumps ? "`--dump %name@LINE=file.npy`, with `:K` behind the line for the K-th time"
                       : "`--print tile@LINE` or `--print %name@LINE`, with `:K` behind the line for the K-th time");
  };
  if (dumps) {
    std::tie(rest, path) = rest.split('=');
    if (path.empty())
      return malformed();
  }
  auto [name, where] = rest.rsplit('@');
  uint32_t line = 0;
  uint64_t time = 0;
  int64_t block = -1;
  if ((name != "tile" && !name.starts_with("%")) || where.consumeInteger(10, line))
    return malformed();
  if (where.consume_front(":") && (where.consumeInteger(10, time) || time == 0))
    return malformed();
  if (where.consume_front("/") && (where.consumeInteger(10, block) || block < 0))
    return malformed();
  if (!where.empty())
    return malformed();

  const std::string here = "line " + std::to_string(line);
  if (line == 0 || line > program.lineStarts.size() || !program.line(line))
    return wrong("`" + word + "`: there is no " + here + " in `" + program.path + "`",
                 "the last one is line " + std::to_string(program.lineStarts.size()));
  SmallVector<Operation *> ops;
  program.module.get()->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isa<ModuleOp, func::FuncOp>(op) && placeOf(op->getLoc()).line == line)
      ops.push_back(op);
  });
  // A scope that was put around instructions stands where the first of them does.
  if (llvm::any_of(ops, [](Operation *op) { return !isa<VecScopeOp>(op); }))
    llvm::erase_if(ops, [&](Operation *op) {
      return isa<VecScopeOp>(op) && llvm::any_of(ops, [&](Operation *other) {
               return other != op && placeOf(other->getLoc()).column == placeOf(op->getLoc()).column;
             });
    });
  if (ops.empty())
    return wrong("`" + word + "`: no instruction begins in " + here + " of `" + program.path + "`",
                 "name the line where the instruction begins");

  Finder finder{program, {}, {}};
  std::vector<std::string> names;
  for (Operation *op : ops) {
    if (name == "tile") {
      finder.written(op);
      continue;
    }
    auto visit = [&](Value value, int position) {
      const std::string own = nameOf(program, value);
      if (own == name)
        finder.value(op, value, own, position);
      if (!own.empty() && !llvm::is_contained(names, own))
        names.push_back(own);
      return own == name;
    };
    bool seen = false;
    for (OpResult result : op->getResults())
      seen = visit(result, int(result.getResultNumber())) || seen;
    for (OpOperand &operand : op->getOpOperands())
      if (!seen)
        seen = visit(operand.get(), ~int(operand.getOperandNumber()));
  }
  if (finder.found.empty()) {
    if (name == "tile")
      return wrong("`" + word + "`: what stands in " + here + " writes no tile, register or memory",
                   "name a line with an instruction that does, or a value: `%name@" + std::to_string(line) + "`");
    if (!finder.refused.empty())
      return wrong("`" + word + "`: " + finder.refused, "");
    return wrong("`" + word + "`: there is no `" + name.str() + "` in " + here,
                 names.empty() ? "nothing there has a name" : "it has `" + llvm::join(names, "`, `") + "`");
  }
  if (dumps && finder.found.size() > 1)
    return wrong("`" + word + "`: " + here + " writes more than one thing, and there is one file",
                 "name one of them: `%name@" + std::to_string(line) + "`");
  for (Look &look : finder.found) {
    look.time = time;
    look.block = dumps ? std::max<int64_t>(block, 0) : block;
    look.path = path.str();
  }
  return std::move(finder.found);
}

void insertLooks(ModuleOp module, const std::vector<Look> &looks) {
  SmallVector<std::pair<Operation *, size_t>> places;
  module.walk([&](Operation *op) {
    for (auto [i, look] : llvm::enumerate(looks))
      if (look.isValue() && look.sees(placeOf(op->getLoc())) && !isa<VecScopeOp>(op) &&
          (look.position < 0 ? size_t(~look.position) < op->getNumOperands()
                             : size_t(look.position) < op->getNumResults()))
        places.push_back({op, i});
  });
  for (auto [op, i] : places) {
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    const int position = looks[i].position;
    // Findings name the place behind an instruction: it stays what it was.
    Operation *next = op->getNextNode();
    auto print = builder.create<TPrintOp>(next ? next->getLoc() : op->getLoc(),
                                          position < 0 ? op->getOperand(unsigned(~position))
                                                       : Value(op->getResult(unsigned(position))));
    print->setAttr(kLookAttr, builder.getI32IntegerAttr(int32_t(i)));
  }
}

} // namespace ptoscope
