//===- Prove.cpp - freedom from races for all arguments -------------------===//
//
// Reads a kernel as statements over symbols, lists the pairs of executions that no rule
// orders, and asks for a byte that both of a pair touch. Where there is none for any
// pair, the kernel is proved. docs/proving.md has the argument.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Analysis/Prove.h"
#include "OrderPaths.h"
#include "ptoscope/Compiler/Kernels.h"
#include "ptoscope/Compiler/Passes.h"
#include "ptoscope/Compiler/Pipeline.h"
#include "ptoscope/Dialect/PTO/PTO.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace ptoscope {

/// Pairs for which arguments are looked for, and the sizes of arguments that are tried first.
static constexpr size_t kMaxCandidates = 6;
/// Of the arguments into cases, one inside the other.
static constexpr unsigned kMaxDivisions = 10;
static constexpr int64_t kSmall[] = {4, 16, 64, 512, 4096, 65536, INT32_MAX};

std::optional<std::vector<Assumption>> parseAssumption(const std::string &word) {
  size_t at = word.find_first_of("<>=");
  if (at == 0 || at == std::string::npos)
    return std::nullopt;
  std::string name = word.substr(0, at);
  const bool strict = word[at] != '=' && (at + 1 >= word.size() || word[at + 1] != '=');
  const std::string number = word.substr(at + (word[at] == '=' || strict ? 1 : 2));
  long long bound;
  if (StringRef(number).getAsInteger(10, bound) || std::abs(bound) > INT32_MAX)
    return std::nullopt;
  if (name != "blocks" && name[0] != '%')
    name = "%" + name;
  std::vector<Assumption> result;
  if (word[at] != '<')
    result.push_back({name, 1, -bound - strict, word});
  if (word[at] != '>')
    result.push_back({name, -1, bound - strict, word});
  return result;
}

std::vector<std::string> kernelNames(const ParsedProgram &program) {
  std::vector<std::string> names;
  for (func::FuncOp kernel : kernelsOf(program.module.get()))
    if (std::string name = kernel.getName().str(); !llvm::is_contained(names, name))
      names.push_back(std::move(name));
  return names;
}

namespace {

/// A piece with the statement whose turns it has.
struct Touch {
  const Statement *leaf;
  const SymbolicPiece *piece;
};

class Prover {
public:
  Prover(const SymbolicProgram &program, const Profile &profile, const Deadline &deadline, Proof &proof)
      : program(program), profile(profile), deadline(deadline), proof(proof) {}

  /// False when time is over.
  bool pair(const UnorderedPair &pair);
  bool betweenBlocks();
  bool bounds();
  bool open = false; ///< some pair may touch a common byte

private:
  static void touches(const Statement &statement, std::vector<Touch> &result) {
    for (const SymbolicPiece &piece : statement.pieces)
      result.push_back({&statement, &piece});
    for (const auto *list : {&statement.body, &statement.otherwise})
      for (const auto &inner : *list)
        if (statement.isScope || statement.kind == Statement::Loop || statement.kind == Statement::Branch)
          touches(*inner, result);
  }
  static bool mayConflict(const SymbolicPiece &a, const SymbolicPiece &b) {
    const bool unknownArray = spaceOf(a.storage) == Space::Gm && spaceOf(b.storage) == Space::Gm &&
                              (a.storage == uint32_t(Space::Gm) || b.storage == uint32_t(Space::Gm));
    return (a.storage == b.storage || unknownArray) && (a.writes || b.writes) &&
           !(a.atomic && b.atomic && a.op == b.op);
  }
  bool isOnChip(const SymbolicPiece &piece) const { return spaceOf(piece.storage) != Space::Gm; }
  void inside(Query &query, const SymbolicPiece &piece, int copy) const {
    if (!isOnChip(piece))
      return;
    query.notNegative(piece.begin, copy);
    query.notNegative(Sum(profile.reachOf(spaceOf(piece.storage))) - piece.end, copy);
  }
  bool compare(const Touch &a, const Touch &b, const UnorderedPair *pair);
  Query question(const Touch &a, const Touch &b, const UnorderedPair *pair) const;
  void addCandidates(const Touch &a, const Touch &b, const UnorderedPair *pair);

  const SymbolicProgram &program;
  const Profile &profile;
  const Deadline &deadline;
  Proof &proof;
};

Query Prover::question(const Touch &a, const Touch &b, const UnorderedPair *pair) const {
  Query query(program.symbols, deadline, /*twoBlocks=*/!pair);
  constrainAncestors(query, a.leaf, 1);
  constrainAncestors(query, b.leaf, 2);
  if (pair) {
    for (const TurnOf &turn : pair->firstTurns) {
      TurnOf own = turn;
      own.last = TurnOf::Any;
      constrainTurn(query, own, 1);
    }
    for (const TurnOf &turn : pair->secondTurns) {
      const Sum at = symbol(turn.loop->turn);
      TurnOf own = turn;
      own.last = TurnOf::Any;
      constrainTurn(query, own, 2);
      if (turn.relation == TurnOf::Same)
        query.equal(at, 2, at, 1);
      else if (turn.relation == TurnOf::Later && turn.distanceAtLeast)
        query.differ(at, 2, at, 1, turn.distance);
      else if (turn.relation == TurnOf::Later)
        query.equal(at, 2, at + Sum(turn.distance), 1);
    }
  } else {
    query.differ(symbol(program.block), 2, symbol(program.block), 1, 1);
  }
  inside(query, *a.piece, 1);
  inside(query, *b.piece, 2);
  query.commonByte(a.piece->begin, a.piece->end, 1, b.piece->begin, b.piece->end, 2);
  return query;
}

/// Small arguments first: they are easier to read and to run.
void Prover::addCandidates(const Touch &a, const Touch &b, const UnorderedPair *pair) {
  for (int64_t most : kSmall) {
    if (proof.candidates.size() >= kMaxCandidates)
      return;
    Query query = question(a, b, pair);
    for (auto [id, parameter] : program.arguments) {
      query.notNegative(Sum(most) - symbol(id), 0);
      query.notNegative(symbol(id), 0);
    }
    query.notNegative(Sum(pair ? 1 : std::min<int64_t>(most, 64)) - symbol(program.blocks), 0);
    const Query::Answer answer = query.solve();
    if (answer == Query::Answer::GaveUp)
      return;
    if (answer == Query::Answer::Empty)
      continue;
    Candidate candidate;
    for (auto [id, parameter] : program.arguments)
      candidate.scalars[parameter] = query.value(id);
    candidate.blocks = std::max<int64_t>(query.value(program.blocks), 1);
    candidate.first = placeOf(a.piece->op->getLoc());
    candidate.second = placeOf(b.piece->op->getLoc());
    candidate.betweenBlocks = !pair;
    proof.candidates.push_back(std::move(candidate));
    return;
  }
}

bool Prover::compare(const Touch &a, const Touch &b, const UnorderedPair *pair) {
  ++proof.queries;
  const Query::Answer answer = question(a, b, pair).solve();
  if (answer == Query::Answer::Empty)
    return true;
  if (answer == Query::Answer::GaveUp)
    return false;
  if (!open) {
    auto line = [](Operation *op) { return std::to_string(placeOf(op->getLoc()).line); };
    proof.place = placeOf(b.piece->op->getLoc());
    proof.reason = std::string(pair ? "no order is found between line " : "blocks may meet in GM: line ") +
                   line(a.piece->op) + " and line " + line(b.piece->op) + " where they may touch a common byte";
  }
  open = true;
  addCandidates(a, b, pair);
  return true;
}

bool Prover::pair(const UnorderedPair &own) {
  std::vector<Touch> first, second;
  touches(*own.first, first);
  touches(*own.second, second);
  ++proof.pairs;
  for (const Touch &a : first)
    for (const Touch &b : second) {
      if (proof.candidates.size() >= kMaxCandidates)
        return true;
      if (mayConflict(*a.piece, *b.piece) && !compare(a, b, &own))
        return false;
    }
  return true;
}

bool Prover::betweenBlocks() {
  std::vector<Touch> all;
  for (const auto &statement : program.body)
    touches(*statement, all);
  std::erase_if(all, [&](const Touch &touch) { return isOnChip(*touch.piece); });
  for (const Touch &a : all)
    for (const Touch &b : all)
      if (mayConflict(*a.piece, *b.piece) && proof.candidates.size() < kMaxCandidates && !compare(a, b, nullptr))
        return false;
  return true;
}

/// Every access on chip is inside its memory.
bool Prover::bounds() {
  std::vector<Touch> all;
  for (const auto &statement : program.body)
    touches(*statement, all);
  for (const Touch &touch : all) {
    if (!isOnChip(*touch.piece))
      continue;
    const Sum outside[] = {Sum(-1) - touch.piece->begin,
                           touch.piece->end - Sum(profile.reachOf(spaceOf(touch.piece->storage)) + 1)};
    for (const Sum &sum : outside) {
      Query query(program.symbols, deadline);
      constrainAncestors(query, touch.leaf, 1);
      query.differ(touch.piece->end, 1, touch.piece->begin, 1, 1);
      query.notNegative(sum, 1);
      if (query.solve() != Query::Answer::Empty)
        return false;
    }
  }
  return true;
}

} // namespace

static void undecided(Proof &proof, Operation *op, std::string why) {
  proof.reason = std::move(why);
  if (op)
    proof.place = placeOf(op->getLoc());
}

/// Facts of the arguments, for as long as this lives.
class Assumed {
public:
  Assumed(Symbols &symbols, const std::vector<Sum> &facts) : symbols(symbols) {
    for (const Sum &fact : facts)
      for (auto [id, factor] : fact.terms) {
        symbols[id].facts.push_back(fact);
        changed.push_back(id);
      }
  }
  ~Assumed() {
    for (SymbolId id : changed)
      symbols[id].facts.pop_back();
  }
  Assumed(const Assumed &) = delete;

private:
  Symbols &symbols;
  std::vector<SymbolId> changed;
};

/// Compares what has no order, in each case that has to be looked at apart. False when something is not followed.
static bool everyCase(SymbolicProgram &program, const Profile &profile, const Deadline &deadline, Prover &prover,
                      Proof &proof, unsigned divisions) {
  OrderPaths paths(program, profile, deadline);
  if (paths.run()) {
    for (const UnorderedPair &pair : paths.pairs)
      if (!prover.pair(pair) && !prover.open)
        return undecided(proof, pair.first->op, kTimeIsOver), false;
    return true;
  }
  if (paths.cases.empty() || divisions == 0)
    return undecided(proof, paths.problem.op, paths.problem.why), false;
  return llvm::all_of(paths.cases, [&](const std::vector<Sum> &facts) {
    const Assumed assumed(program.symbols, facts);
    Query query(program.symbols, deadline);
    for (const Sum &fact : facts)
      query.notNegative(fact, 1);
    return query.solve() == Query::Answer::Empty || everyCase(program, profile, deadline, prover, proof, divisions - 1);
  });
}

/// One kernel alone, its tiles placed and its calls inlined.
static OwningOpRef<ModuleOp> selected(const ParsedProgram &program, const std::string &kernel, FindingList &findings) {
  OwningOpRef<ModuleOp> module = program.module.get().clone();
  MLIRContext &context = *module->getContext();
  context.loadDialect<func::FuncDialect, scf::SCFDialect>();
  DiagnosticBridge bridge(context, program, findings, "verify-error");
  PassManager passes(&context);
  passes.enableVerifier(false);
  passes.addPass(createAutomaticOrderPass());
  passes.addPass(createPlanMemoryPass(program.profile, kernel));
  passes.addPass(createSelectKernelPass(kernel, program.profile));
  if (failed(passes.run(*module)))
    return {};
  return module;
}

std::optional<Proof> prove(const ParsedProgram &parsed, const ProveOptions &options, FindingList &findings) {
  Result<KernelHalves> found = findKernel(parsed.module.get(), options.kernel, parsed.path);
  if (!found) {
    findings.add(found.takeFinding());
    return std::nullopt;
  }
  Proof proof;
  proof.kernel = found->any().getName().str();
  proof.place = placeOf(found->any().getLoc());
  proof.parameters = found->any().getNumArguments();
  std::vector<std::string> names;
  for (const Parameter &parameter : parametersOf(parsed, found->any()))
    names.push_back(parameter.name);
  auto isNumber = [&](const Assumption &assumption) {
    auto it = llvm::find(names, assumption.parameter);
    return it != names.end() && found->any().getArgument(unsigned(it - names.begin())).getType().isIntOrIndex();
  };
  for (const Assumption &assumption : options.assumptions)
    if (assumption.parameter != "blocks" && !isNumber(assumption)) {
      proof.unknown = assumption;
      return proof;
    }
  OwningOpRef<ModuleOp> module = selected(parsed, proof.kernel, findings);
  if (!module)
    return std::nullopt;
  SmallVector<func::FuncOp> halves(module->getOps<func::FuncOp>());
  for (func::FuncOp half : halves)
    proof.isAffine &= readProgram(half, *parsed.profile, options.assumptions, names).isAffine;
  if (halves.size() != 1)
    return undecided(proof, halves.front(), "order between the cores of a cluster is not followed"), proof;
  Deadline deadline{std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                                           std::chrono::duration<double>(options.seconds))};
  SymbolicProgram program = readProgram(halves.front(), *parsed.profile, options.assumptions, names);
  proof.assumed = {"different pointer arguments are different arrays", "integer arguments fit into 32 bits",
                   "address arithmetic does not wrap"};
  if (program.usesUnsigned)
    proof.assumed.push_back("operands of unsigned operations, and of divisions by an argument, are not negative");
  for (const Assumption &assumption : options.assumptions)
    if (!llvm::is_contained(proof.assumed, assumption.text))
      proof.assumed.push_back(assumption.text);
  const bool manyBlocks =
      program.usesBlocks || llvm::any_of(options.assumptions, [](const auto &a) { return a.parameter == "blocks"; });
  if (!manyBlocks)
    proof.assumed.push_back("one block, since the kernel does not ask which it is");
  if (program.problem)
    return undecided(proof, program.problem->op, program.problem->why), proof;
  Prover prover(program, *parsed.profile, deadline, proof);
  if (!everyCase(program, *parsed.profile, deadline, prover, proof, kMaxDivisions))
    return proof;
  bool inTime = !manyBlocks || prover.betweenBlocks();
  if (!inTime && !prover.open)
    return undecided(proof, halves.front(), kTimeIsOver), proof;
  proof.boundsProved = inTime && prover.bounds();
  if (!proof.boundsProved)
    proof.assumed.push_back("no access leaves its memory");
  proof.isProved = !prover.open;
  return proof;
}

} // namespace ptoscope
