//===- MissingLines.cpp - lines whose counterpart a text has --------------===//

#include "ptoscope/Compiler/MissingLines.h"
#include "ptoscope/Compiler/ProgramNames.h"
#include "ptoscope/Compiler/ProgramText.h"
#include "ptoscope/Dialect/PTO/PTO.h"
#include "ptoscope/Machine/OrderSentences.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

#include <algorithm>

using namespace mlir;

namespace ptoscope {
namespace {

/// "pto.set_flag" for "pto.wait_flag", and so on; empty where there is none.
std::string counterpartOf(std::string line) {
  static constexpr std::pair<std::string_view, std::string_view> kPairs[] = {
      {"pto.set_flag", "pto.wait_flag"},
      {"pto.get_buf", "pto.rls_buf"},
      {"pto.record_event", "pto.wait_event"},
      {"pto.set_cross_core", "pto.wait_cross_core"},
      {"pto.set_intra_core", "pto.wait_intra_core"},
      {"pto.set_intra_block", "pto.wait_intra_block"},
      {"pto.sync.set", "pto.sync.wait"}};
  for (auto [one, other] : kPairs)
    for (auto [from, to] : {std::pair(one, other), std::pair(other, one)})
      if (line.starts_with(from))
        return line.replace(0, from.size(), to);
  return {};
}

bool worksOn(Operation *op, Pipe pipe) {
  return op
      ->walk([&](Operation *part) {
        const pto::InstrInfo *info = pto::infoOf(part);
        bool works = info && info->pipe == pipe && info->family != pto::Family::Sync;
        return works ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

class Text {
public:
  explicit Text(const ParsedProgram &program)
      : program(program), lines(program.text), code(codeOnly(program.text)), names(namesOf(code, lost)) {}

  std::vector<Remedy> remedies(const MissingLine &missing) const {
    Operation *of = at(missing.of);
    std::string line = of ? counterpartOf(lineFrom(missing.of)) : "";
    std::vector<Remedy> remedies;
    auto offer = [&](const Place &before) {
      auto isThere = [&](const Remedy &remedy) { return remedy.edits.front().place.line == before.line; };
      if (before.line && std::ranges::none_of(remedies, isThere))
        remedies.push_back({say::kAdd(line, before), {{before, false, line}}});
    };
    if (line.empty())
      return remedies;
    switch (missing.where) {
    case MissingLine::Where::Before:
      for (Operation *op : placesFor(at(missing.at), of))
        offer(placeOf(op->getLoc()));
      break;
    case MissingLine::Where::BehindWork: {
      Operation *last = nullptr;
      for (Operation *op = of->getNextNode(); op && !isSameAs(op, of); op = op->getNextNode())
        last = worksOn(op, Pipe(missing.pipe)) ? op : last;
      if (last)
        offer(behind(last));
      offer(endOf(of));
      break;
    }
    case MissingLine::Where::BeforeNextWork: {
      Operation *next = of->getNextNode();
      while (next && !worksOn(next, Pipe(missing.pipe)))
        next = next->getNextNode();
      offer(next ? placeOf(next->getLoc()) : behind(of));
      break;
    }
    case MissingLine::Where::BeforeWork: {
      Operation *first = of;
      for (Operation *op = of->getPrevNode(); op && !isSameAs(op, of); op = op->getPrevNode())
        first = worksOn(op, Pipe(missing.pipe)) ? op : first;
      offer(placeOf(first->getLoc()));
      break;
    }
    }
    return remedies;
  }

private:
  /// Null if it is not in this text.
  Operation *at(const Place &place) const {
    Operation *found = nullptr;
    program.module.get()->walk([&](Operation *op) {
      if (placeOf(op->getLoc()) != place)
        return WalkResult::advance();
      found = op;
      return WalkResult::interrupt();
    });
    return found;
  }

  /// `op` and what it stands in, as far as that is executed as often as `of`, but for
  /// branches: whether these agree shows in the text that has the line (Balance.h).
  /// For `of` itself, that and the branches around it.
  static std::vector<Operation *> placesFor(Operation *op, Operation *of) {
    auto isLoop = [](Operation *any) { return isa<LoopLikeOpInterface>(any); };
    std::vector<Operation *> places;
    if (op == of) {
      places.push_back(op);
      for (; isa_and_nonnull<scf::IfOp>(op->getParentOp()); op = op->getParentOp())
        places.push_back(op->getParentOp());
      return places;
    }
    for (; op && op->getBlock(); op = op->getParentOp()) {
      places.push_back(op);
      if (Operation *outer = op->getBlock()->findAncestorOpInBlock(*of)) {
        for (Operation *at = of; at != outer; at = at->getParentOp())
          if (isLoop(at->getParentOp()))
            return {};
        return places;
      }
      if (isLoop(op->getParentOp()))
        places.clear();
    }
    return {};
  }

  /// From the place on, without what follows the instruction.
  std::string lineFrom(const Place &place) const {
    std::string line = program.line(place.line).value_or("");
    if (place.column == 0 || place.column > line.size())
      return {};
    line = line.substr(0, line.find("//")).substr(place.column - 1);
    return line.substr(0, line.find_last_not_of(" \t\r;") + 1);
  }

  /// Another instruction of the same id: what comes behind it belongs to that one.
  static bool isSameAs(Operation *op, Operation *of) {
    auto isCounted = [](Operation *any) {
      const pto::InstrInfo *info = pto::infoOf(any);
      return info && info->family == pto::Family::Sync;
    };
    return isCounted(op) && op->getOperands() == of->getOperands() &&
           op->getAttrDictionary() == of->getAttrDictionary() && op->getNumRegions() == 0;
  }

  Place behind(Operation *op) const {
    const Place place = placeOf(op->getLoc());
    for (Operation *next = op->getNextNode(); next; next = next->getNextNode())
      if (Place then = placeOf(next->getLoc()); then.file == place.file && then.line > place.line)
        return then;
    return braceBehind(place);
  }
  /// Where its block ends: before what ends it, or before the brace.
  Place endOf(Operation *op) const { return behind(&*std::prev(op->getBlock()->end(), 2)); }

  /// The brace that ends the block of a place; it has to stand alone.
  Place braceBehind(const Place &place) const {
    const size_t end = names.regions[names.regionAt(lines.starts[place.line - 1] + place.column - 1)].range.end;
    if (end >= code.size())
      return {};
    auto [line, column] = lines.at(end);
    if (code.find_first_not_of(" \t", lines.starts[line - 1]) != end || line <= place.line)
      return {};
    return {program.path, line, column};
  }

  const ParsedProgram &program;
  const LineTable lines;
  const std::string code;
  LostValues lost;
  const ProgramNames names;
};

} // namespace

void placeMissingLines(FindingList &findings, const ParsedProgram &program) {
  std::optional<Text> text;
  for (size_t i = 0; i < findings.all().size(); ++i)
    for (const MissingLine &missing : findings[i].missing) {
      if (missing.of.file != program.path || !program.module)
        continue;
      if (!text)
        text.emplace(program);
      for (Remedy &remedy : text->remedies(missing))
        findings[i].remedies.push_back(std::move(remedy));
    }
}

} // namespace ptoscope
