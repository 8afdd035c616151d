//===- OrderPaths.h - which pairs of statements have no order ---*- C++ -*-===//
//
// For `check --prove`. From one execution of an instruction, follows every way that the
// program may go on, and who knows that it has ended: pipes, flags that are set, buffer
// ids. Edges are those of Machine/Order.h. Where ways meet, what is known on all of them
// is kept. What reaches an instruction whose pipe does not know is a pair to compare.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_ANALYSIS_ORDERPATHS_H
#define PTOSCOPE_LIB_ANALYSIS_ORDERPATHS_H

#include "Statements.h"

#include <set>

namespace ptoscope {

/// What is said of the turn of a loop around a statement.
struct TurnOf {
  const Statement *loop;
  bool atLeast = false; ///< `turn` or a later one
  int64_t turn = 0;     ///< from the first one
  int64_t residue = 0;  ///< of the symbol, by the loop's period
  enum : uint8_t { Any, IsLast, NotLast } last = Any;
  enum : uint8_t { Free, Same, Later } relation = Free; ///< to the turn of the first statement
  int64_t distance = 0;                                 ///< of Later; with `atLeast`, or more
  bool distanceAtLeast = false;
};

/// Why a kernel is undecided whose time was too short.
inline constexpr const char *kTimeIsOver = "the time limit was reached";

/// Two executions without an order.
struct UnorderedPair {
  const Statement *first, *second;
  std::vector<TurnOf> firstTurns, secondTurns;
};

class OrderPaths {
public:
  OrderPaths(const SymbolicProgram &program, const Profile &profile, const Deadline &deadline)
      : program(program), profile(profile), deadline(deadline) {}

  /// False when something is not followed; `problem` says what.
  bool run();

  std::vector<UnorderedPair> pairs;
  NotFollowed problem;
  /// Of a problem that may be gone where more is known of the arguments: facts of each case. They cover everything.
  std::vector<std::vector<Sum>> cases;

private:
  struct State {
    uint32_t knows = 0;                         ///< pipes, a bit each
    std::map<FlagKey, std::vector<bool>> flags; ///< of each set not waited for, oldest first: does it tell?
    uint32_t released = 0;                      ///< buffer ids that tell
    // Inside a scope.
    uint8_t ordered = 0;                    ///< classes of accesses that come after
    uint8_t reached = 0;                    ///< classes of accesses that did
    std::set<mlir::Operation *> afterwards; ///< loads that did, the last time
    bool operator==(const State &) const = default;
  };
  struct Start {
    const Statement *statement;
    std::vector<TurnOf> turns;
    State state;
  };
  using List = std::vector<std::unique_ptr<Statement>>;

  bool follow(const Start &start);
  bool followScope(const Statement &scope);
  bool startsInScope(const List &list, std::vector<TurnOf> turns);
  bool resume(const Statement *at, const Statement *end, State &state);
  bool walk(const List &list, size_t from, State &state);
  bool visit(const Statement &statement, State &state);
  bool branch(const Statement &statement, State &state);
  bool enterLoop(const Statement &loop, State &state);
  bool turns(const Statement &loop, TurnOf base, State &state, std::optional<State> &exits);
  /// Nothing: the loop has no such turn.
  std::optional<bool> oneTurn(const Statement &loop, TurnOf turn, State &state, std::optional<State> &exits);
  bool synchronise(const Statement &statement, State &state);
  void fence(const Statement &statement, State &state);
  void access(const Statement &statement, State &state);
  bool join(std::optional<State> &into, const State &state, const Statement &at);
  void divide(const Statement &at);
  void divideById(const Statement &at);
  std::optional<int64_t> idOf(const Statement &statement);
  std::optional<int64_t> onlyId(const Statement &statement);
  bool feasible(const Statement *at, const std::vector<Sum> &facts);
  void record(const Statement &second);
  /// Without time no question has an answer, so any reason that comes then is a false one.
  bool fail(const Statement &at, std::string why) {
    if (!problem.op)
      problem = {at.op, deadline.over() ? std::string(kTimeIsOver) : std::move(why)};
    return false;
  }
  bool published(Pipe pipe, const State &state) const { return (state.knows | source) >> unsigned(pipe) & 1; }

  const SymbolicProgram &program;
  const Profile &profile;
  const Deadline &deadline;
  std::vector<Start> starts;
  // While starts are collected: those of turns before all loops repeat, and what others stand for.
  bool collecting = false;
  std::vector<std::pair<std::string, Start>> early;
  std::set<std::string> late;
  const Statement *first = nullptr; ///< the one that is followed
  std::vector<TurnOf> firstTurns;
  uint32_t source = 0;        ///< its pipe, as a bit
  std::vector<TurnOf> around; ///< loops around what is visited
  std::set<std::string> seen;
  std::map<std::string, std::optional<int64_t>> ids;
  std::map<std::string, bool> feasibles;
};

/// What is known of the turns and branches around a statement, as constraints of `query`.
void constrainTurn(Query &query, const TurnOf &turn, int copy);
void constrainAncestors(Query &query, const Statement *statement, int copy);

} // namespace ptoscope

#endif // PTOSCOPE_LIB_ANALYSIS_ORDERPATHS_H
