//===- OrderPaths.cpp - which pairs of statements have no order -----------===//

#include "OrderPaths.h"
#include "ptoscope/Compiler/TileOrder.h"
#include "ptoscope/Dialect/PTO/PTO.h"

using namespace mlir;

namespace ptoscope {

/// Turns after which what is known must repeat, and rounds in which it may shrink.
static constexpr int64_t kMaxTurns = 24, kMaxRounds = 12, kMaxPeriod = 8;
/// A flag counts to 15 (FLAG-8); more than that is another finding.
static constexpr size_t kMaxLevel = 15;

void constrainTurn(Query &query, const TurnOf &turn, int copy) {
  const Statement &loop = *turn.loop;
  const Sum at = symbol(loop.turn);
  if (turn.relation == TurnOf::Free || copy == 1) {
    if (turn.atLeast)
      query.differ(at, copy, loop.first, copy, turn.turn);
    else
      query.equal(at, copy, loop.first + Sum(turn.turn), copy);
  }
  if (loop.period > 1 && turn.residue >= 0)
    query.remainder(at, copy, loop.period, turn.residue);
  if (turn.last == TurnOf::IsLast)
    query.differ(loop.value + loop.step, copy, loop.high, copy, 0);
  if (turn.last == TurnOf::NotLast)
    query.differ(loop.high, copy, loop.value + loop.step, copy, 1);
}

void constrainAncestors(Query &query, const Statement *statement, int copy) {
  for (const Statement *child = statement, *parent = statement->parent; parent;
       child = parent, parent = parent->parent) {
    if (parent->kind == Statement::Loop) {
      query.differ(symbol(parent->turn), copy, parent->first, copy, 0); // with the facts of the turn
    } else if (parent->kind == Statement::Branch) {
      const bool isTrue = &parent->listOf(child) == &parent->body;
      for (const Sum &fact : isTrue ? parent->whenTrue : parent->whenFalse)
        query.notNegative(fact, copy);
    }
  }
}

static std::string textOf(const std::vector<TurnOf> &turns) {
  std::string text;
  for (const TurnOf &turn : turns) {
    text += turn.atLeast ? '>' : '=';
    for (int64_t number : {turn.turn, turn.residue, int64_t(turn.last), int64_t(turn.relation), turn.distance,
                           int64_t(turn.distanceAtLeast)})
      text += std::to_string(number) + ",";
  }
  return text;
}

static std::string addressText(const void *pointer) { return std::to_string(uintptr_t(pointer)) + ":"; }

//===----------------------------------------------------------------------===//
// What the turns decide
//===----------------------------------------------------------------------===//

bool OrderPaths::feasible(const Statement *at, const std::vector<Sum> &facts) {
  std::string key = addressText(at) + textOf(around);
  for (const Sum &fact : facts) {
    key += "/" + std::to_string(fact.base);
    for (auto [id, factor] : fact.terms)
      key += "+" + std::to_string(factor) + "*" + std::to_string(id);
  }
  auto [it, isNew] = feasibles.try_emplace(key, true);
  if (!isNew)
    return it->second;
  Query query(program.symbols, deadline);
  for (const TurnOf &turn : around) {
    TurnOf own = turn;
    own.relation = TurnOf::Free;
    constrainTurn(query, own, 1);
  }
  if (at)
    constrainAncestors(query, at, 1);
  for (const Sum &fact : facts)
    query.notNegative(fact, 1);
  return it->second = query.solve() != Query::Answer::Empty;
}

/// The number of a flag or buffer, if the turns decide it.
std::optional<int64_t> OrderPaths::idOf(const Statement &statement) {
  if (statement.id.isConstant())
    return statement.id.base;
  auto [it, isNew] = ids.try_emplace(addressText(&statement) + textOf(around), std::nullopt);
  if (!isNew)
    return it->second;
  // Remainders alone decide it as a rule; a turn that is followed may also be one that the loop never has.
  const std::vector<TurnOf> exact = around;
  for (TurnOf &turn : around) {
    turn.atLeast = true;
    turn.turn = 0;
    turn.last = TurnOf::Any;
  }
  std::optional<int64_t> found = onlyId(statement);
  around = exact;
  if (!found)
    found = onlyId(statement);
  return ids[addressText(&statement) + textOf(around)] = found;
}

std::optional<int64_t> OrderPaths::onlyId(const Statement &statement) {
  Query query(program.symbols, deadline);
  for (const TurnOf &turn : around) {
    TurnOf own = turn;
    own.relation = TurnOf::Free;
    constrainTurn(query, own, 1);
  }
  constrainAncestors(query, &statement, 1);
  query.differ(statement.id, 1, Sum(0), 1, -kBufferIds); // with its symbols
  if (query.solve() != Query::Answer::Found)
    return std::nullopt;
  const int64_t found = query.value(statement.id, 1);
  const bool isOnly = found >= 0 && found < kBufferIds && !feasible(&statement, {Sum(found - 1) - statement.id}) &&
                      !feasible(&statement, {statement.id - Sum(found + 1)});
  return isOnly ? std::optional(found) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Cases
//===----------------------------------------------------------------------===//

static Sum opposite(const Sum &fact) { return Sum(-1) - fact; }

/// By whether a branch is taken, or by how often a loop runs.
void OrderPaths::divide(const Statement &at) {
  auto known = [&](const Sum &fact) { return program.symbols.varies(fact) == Varies::Never && !fact.overflows; };
  auto isPossible = [&](const Sum &fact) {
    Query query(program.symbols, deadline);
    query.notNegative(fact, 1);
    return query.solve() != Query::Answer::Empty;
  };
  if (at.kind == Statement::Branch) {
    if (at.whenTrue.empty() || !llvm::all_of(at.whenTrue, known))
      return;
    std::vector<Sum> before; // facts that hold, up to the first that does not
    for (const Sum &fact : at.whenTrue) {
      cases.push_back(before);
      cases.back().push_back(opposite(fact));
      before.push_back(fact);
    }
    cases.push_back(std::move(before));
    return;
  }
  const Sum span = at.high - at.low;
  if (!known(span) || !at.step.isConstant() || at.step.base <= 0)
    return;
  for (int64_t turns = 0; turns < kMaxTurns; ++turns) {
    const Sum more = span - at.step * turns - Sum(1); // the loop has more turns than that
    if (isPossible(more) && isPossible(opposite(more))) {
      cases = {{more}, {opposite(more)}};
      return;
    }
  }
}

void OrderPaths::divideById(const Statement &at) {
  if (program.symbols.varies(at.id) != Varies::Never || at.id.overflows)
    return;
  Query query(program.symbols, deadline);
  query.differ(at.id, 1, Sum(0), 1, 0);
  if (query.solve() != Query::Answer::Found)
    return;
  const Sum apart = at.id - Sum(query.value(at.id, 1));
  cases = {{apart, Sum(0) - apart}, {apart - Sum(1)}, {opposite(apart)}};
}

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

bool OrderPaths::join(std::optional<State> &into, const State &state, const Statement &at) {
  if (!into) {
    into = state;
    return true;
  }
  std::set<FlagKey> keys;
  for (const State *each : {static_cast<const State *>(&*into), &state})
    for (const auto &[key, tokens] : each->flags)
      keys.insert(key);
  for (const FlagKey &key : keys) {
    std::vector<bool> &own = into->flags[key];
    auto other = state.flags.find(key);
    const std::vector<bool> none, &theirs = other == state.flags.end() ? none : other->second;
    if (own.size() != theirs.size()) {
      divide(at);
      return fail(at, "event id " + std::to_string(key.id) + " from " + std::string(nameOf(key.src)) + " to " +
                          std::string(nameOf(key.dst)) + " is not set as often as it is waited for on every way");
    }
    for (size_t i = 0; i < own.size(); ++i)
      own[i] = own[i] && theirs[i];
    if (own.empty())
      into->flags.erase(key);
  }
  into->knows &= state.knows;
  into->released &= state.released;
  into->ordered &= state.ordered;
  into->reached &= state.reached;
  std::erase_if(into->afterwards, [&](Operation *op) { return !state.afterwards.contains(op); });
  return true;
}

bool OrderPaths::synchronise(const Statement &statement, State &state) {
  const SyncRule rule = ruleOf(statement.sync);
  bool tells = false;
  switch (rule.tells) {
  case Reach::Nothing:
    break;
  case Reach::OwnPipe:
  case Reach::Holders: // at least its own pipe
    tells = published(statement.pipe, state);
    break;
  case Reach::Memory:
    tells = (state.knows | source) & statement.pipes;
    break;
  case Reach::Core:
    tells = state.knows | source;
    break;
  }
  const bool isFlag = statement.sync == SyncKind::SetFlag || statement.sync == SyncKind::WaitFlag;
  const bool isRelease = statement.sync == SyncKind::ReleaseBuffer || statement.sync == SyncKind::ReleaseBuffer1;
  const bool isGet = statement.sync == SyncKind::GetBuffer || statement.sync == SyncKind::GetBuffer1;
  if (isFlag || isRelease || isGet) {
    std::optional<int64_t> id = idOf(statement);
    if (!id) {
      divideById(statement);
      return fail(statement, "which id this has is not decided by the iterations of its loops");
    }
    if (statement.sync == SyncKind::SetFlag) {
      std::vector<bool> &tokens = state.flags[{statement.pipe, statement.other, *id}];
      tokens.push_back(tells);
      return tokens.size() <= kMaxLevel || fail(statement, "this flag may be set more often than a flag counts");
    }
    if (isFlag) {
      auto it = state.flags.find({statement.other, statement.pipe, *id});
      if (it == state.flags.end())
        return fail(statement, "no set comes before this wait in the program");
      tells = it->second.front();
      it->second.erase(it->second.begin());
      if (it->second.empty())
        state.flags.erase(it);
    } else if (isRelease) {
      state.released |= uint32_t(tells) << *id;
      return true;
    } else {
      tells = state.released >> *id & 1;
    }
  }
  if (!tells || rule.learns == Reach::Nothing)
    return true;
  state.knows |= rule.learns == Reach::OwnPipe ? 1u << unsigned(statement.pipe) : ~0u;
  return true;
}

//===----------------------------------------------------------------------===//
// Ways through the program
//===----------------------------------------------------------------------===//

bool OrderPaths::walk(const List &list, size_t from, State &state) {
  for (size_t i = from; i < list.size(); ++i)
    if (!visit(*list[i], state))
      return false;
  return true;
}

bool OrderPaths::visit(const Statement &statement, State &state) {
  if (deadline.over())
    return fail(statement, kTimeIsOver);
  switch (statement.kind) {
  case Statement::Work: {
    if (!collecting) {
      const bool automatic = first->op->hasAttr(pto::kAutomaticAttr) && statement.op->hasAttr(pto::kAutomaticAttr);
      if (!(state.knows >> unsigned(statement.pipe) & 1) && !automatic) // ORDER-4
        record(statement);
      return true;
    }
    std::vector<TurnOf> turns = around;
    bool isEarly = false;
    for (TurnOf &turn : turns)
      if (!turn.loop->branches) {
        isEarly |= !turn.atLeast;
        turn.atLeast = true;
        turn.turn = 0;
      }
    std::string key = addressText(&statement) + textOf(turns);
    if (isEarly) { // a later one stands for it, unless the loop ends before that
      early.push_back({std::move(key), {&statement, std::move(turns), state}});
      return true;
    }
    late.insert(key);
    for (const auto &[flag, tokens] : state.flags)
      key += std::to_string(int(flag.src)) + "," + std::to_string(int(flag.dst)) + "," + std::to_string(flag.id) + "," +
             std::to_string(tokens.size()) + ";";
    if (seen.insert(key).second)
      starts.push_back({&statement, std::move(turns), state});
    return true;
  }
  case Statement::Sync:
    return synchronise(statement, state);
  case Statement::Loop:
    return enterLoop(statement, state);
  case Statement::Branch:
    return branch(statement, state);
  case Statement::Access:
    access(statement, state);
    return true;
  case Statement::Fence:
    fence(statement, state);
    return true;
  }
  return true;
}

bool OrderPaths::branch(const Statement &statement, State &state) {
  // Accesses of a scope may tell more on one way than on the other.
  if (!statement.synchronises && (collecting || source))
    return walk(statement.body, 0, state) && walk(statement.otherwise, 0, state);
  std::optional<State> exits;
  for (bool way : {true, false}) {
    if (!feasible(&statement, way ? statement.whenTrue : statement.whenFalse))
      continue;
    State own = state;
    if (!walk(way ? statement.body : statement.otherwise, 0, own) || !join(exits, own, statement))
      return false;
  }
  if (exits)
    state = std::move(*exits);
  return true;
}

std::optional<bool> OrderPaths::oneTurn(const Statement &loop, TurnOf turn, State &state, std::optional<State> &exits) {
  around.push_back(turn);
  auto leave = [&](std::optional<bool> result) {
    around.pop_back();
    return result;
  };
  if (loop.branches) {
    around.back().last = TurnOf::IsLast;
    if (feasible(&loop, {})) {
      State own = state;
      if (!walk(loop.body, 0, own) || !join(exits, own, loop))
        return leave(false);
    }
    around.back().last = TurnOf::NotLast;
    if (!feasible(&loop, {}))
      return leave(std::nullopt);
    return leave(walk(loop.body, 0, state));
  }
  // All turns of a loop without such branches are alike: in search of starts, one that it may not
  // have does no harm, unless its ids follow from it.
  if ((loop.period > 1 || (!collecting && !turn.atLeast)) && !feasible(&loop, {}))
    return leave(std::nullopt);
  return leave(walk(loop.body, 0, state) && join(exits, state, loop));
}

/// Turns from `base` on; their ways out are joined in `exits`.
bool OrderPaths::turns(const Statement &loop, TurnOf base, State &state, std::optional<State> &exits) {
  if (loop.period > kMaxPeriod)
    return fail(loop, "ids repeat after more than 8 iterations of this loop");
  auto plus = [&](int64_t k) {
    TurnOf turn = base;
    turn.turn += k;
    turn.residue = (turn.residue + k) % loop.period;
    turn.distance += turn.relation == TurnOf::Later ? k : 0;
    return turn;
  };
  std::vector<State> heads;
  int64_t k = 0;
  for (; k < kMaxTurns; ++k) {
    if (k >= loop.period && state == heads[size_t(k - loop.period)])
      break;
    heads.push_back(state);
    std::optional<bool> done = oneTurn(loop, plus(k), state, exits);
    if (!done)
      return true;
    if (!*done)
      return false;
  }
  if (k == kMaxTurns)
    return fail(loop, "what is ordered does not repeat from iteration to iteration");
  for (int64_t round = 0; round < kMaxRounds; ++round) {
    const State before = state;
    for (int64_t r = 0; r < loop.period; ++r) {
      TurnOf turn = plus(k + r);
      turn.atLeast = true;
      turn.distanceAtLeast = turn.relation == TurnOf::Later;
      std::optional<bool> done = oneTurn(loop, turn, state, exits);
      if (!done)
        return true;
      if (!*done)
        return false;
    }
    if (state == before)
      return true;
    std::optional<State> less = before;
    if (!join(less, state, loop))
      return false;
    state = std::move(*less);
    if (state == before)
      return true;
  }
  return fail(loop, "what is ordered does not repeat from iteration to iteration");
}

bool OrderPaths::enterLoop(const Statement &loop, State &state) {
  std::optional<State> exits;
  if (!loop.alwaysTurns && feasible(&loop, {loop.low - loop.high}) && !join(exits, state, loop))
    return false;
  for (int64_t residue = 0; residue < loop.period; ++residue) {
    TurnOf base{&loop};
    base.residue = residue;
    around.push_back(base);
    const bool possible = loop.period == 1 || feasible(&loop, {});
    around.pop_back();
    State own = state;
    if (possible && !turns(loop, base, own, exits))
      return false;
  }
  if (exits)
    state = std::move(*exits);
  return true;
}

/// Goes on behind `at`, out of everything inside `end`.
bool OrderPaths::resume(const Statement *at, const Statement *end, State &state) {
  while (at != end) {
    const Statement *parent = at->parent;
    const List &list = parent ? parent->listOf(at) : program.body;
    const size_t index = size_t(llvm::find_if(list, [&](const auto &own) { return own.get() == at; }) - list.begin());
    if (!walk(list, index + 1, state))
      return false;
    if (parent && parent->kind == Statement::Loop) {
      TurnOf turn = around.back();
      around.pop_back();
      std::optional<State> exits;
      if (turn.last != TurnOf::NotLast && !join(exits, state, *parent))
        return false;
      if (turn.last != TurnOf::IsLast) {
        TurnOf next = turn;
        next.last = TurnOf::Any;
        next.relation = TurnOf::Later;
        next.distance = 1;
        next.turn += 1;
        next.residue = (next.residue + 1) % parent->period;
        if (!turns(*parent, next, state, exits))
          return false;
      }
      if (!exits)
        return true;
      state = std::move(*exits);
    }
    at = parent;
  }
  return true;
}

void OrderPaths::record(const Statement &second) {
  if (seen.insert(addressText(first) + addressText(&second) + textOf(firstTurns) + "|" + textOf(around)).second)
    pairs.push_back({first, &second, firstTurns, around});
}

bool OrderPaths::follow(const Start &start) {
  first = start.statement;
  firstTurns = start.turns;
  around = start.turns;
  for (TurnOf &turn : around)
    turn.relation = TurnOf::Same;
  source = 1u << unsigned(first->pipe);
  State state = start.state;
  state.knows = isInOrder(profile, first->pipe) ? source : 0;
  return resume(first, nullptr, state);
}

//===----------------------------------------------------------------------===//
// Inside a scope
//===----------------------------------------------------------------------===//

void OrderPaths::fence(const Statement &statement, State &state) {
  if (statement.fence.prior & (first->accessClass | state.reached))
    state.ordered |= statement.fence.later;
}

/// True when `value` derives through registers from a load that `isAfter` says yes to.
static bool derives(Value value, llvm::function_ref<bool(Operation *)> isAfter, int depth = 0) {
  Operation *op = value.getDefiningOp();
  if (!op || depth > 32 || op->getNumRegions())
    return false;
  if (isAfter(op))
    return true;
  return llvm::any_of(op->getOperands(), [&](Value operand) { return derives(operand, isAfter, depth + 1); });
}

void OrderPaths::access(const Statement &statement, State &state) {
  constexpr uint8_t kStores = VectorStore | ScalarStore, kScalars = ScalarLoad | ScalarStore;
  const uint8_t own = statement.accessClass;
  const bool sameTurn = llvm::all_of(around, [](const TurnOf &turn) { return turn.relation != TurnOf::Later; });
  bool after = (state.ordered & own) == own;
  // FENCE-17, and what is known of the loads (FENCE-18).
  if (own == VectorStore && !after)
    after = llvm::any_of(statement.op->getOperands(), [&](Value operand) {
      return pto::isVectorValue(operand.getType()) && derives(operand, [&](Operation *op) {
               return state.afterwards.contains(op) ||
                      (sameTurn && op == first->op && first->accessClass == VectorLoad);
             });
    });
  if (!(own & ~kScalars) && !(first->accessClass & ~kScalars))
    after = true;
  if (after) {
    state.reached |= own;
    if (own == VectorLoad)
      state.afterwards.insert(statement.op);
    return;
  }
  state.afterwards.erase(statement.op);
  if ((own | first->accessClass) & kStores)
    record(statement);
}

bool OrderPaths::startsInScope(const List &list, std::vector<TurnOf> turns) {
  for (const auto &statement : list) {
    if (statement->kind == Statement::Loop) {
      std::vector<TurnOf> inner = turns;
      TurnOf any{statement.get()};
      any.atLeast = true;
      any.relation = TurnOf::Same;
      inner.push_back(any);
      if (statement->period != 1 || statement->branches)
        return fail(*statement, "this loop of a scope is not followed");
      if (!startsInScope(statement->body, inner))
        return false;
    } else if (statement->kind == Statement::Branch) {
      if (!startsInScope(statement->body, turns) || !startsInScope(statement->otherwise, turns))
        return false;
    } else if (statement->kind == Statement::Access) {
      first = statement.get();
      firstTurns = around = turns;
      source = 0;
      State state;
      const Statement *scope = first;
      while (!scope->isScope)
        scope = scope->parent;
      if (!resume(first, scope, state))
        return false;
    }
  }
  return true;
}

bool OrderPaths::followScope(const Statement &scope) {
  std::vector<TurnOf> turns;
  for (const Statement *parent = scope.parent; parent; parent = parent->parent)
    if (parent->kind == Statement::Loop) {
      TurnOf any{parent};
      any.atLeast = true;
      any.residue = -1;
      any.relation = TurnOf::Same;
      turns.insert(turns.begin(), any);
    }
  return startsInScope(scope.body, turns);
}

bool OrderPaths::run() {
  collecting = true;
  State state;
  if (!walk(program.body, 0, state))
    return false;
  collecting = false;
  for (auto &[key, start] : llvm::reverse(early))
    if (late.insert(std::move(key)).second)
      starts.push_back(std::move(start));
  std::set<const Statement *> scopes;
  for (const Start &start : starts) {
    if (!follow(start))
      return false;
    if (start.statement->isScope && scopes.insert(start.statement).second && !followScope(*start.statement))
      return false;
  }
  return true;
}

} // namespace ptoscope
