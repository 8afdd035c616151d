//===- IssueOrder.cpp - waits that are issued before their sets -----------===//
//
// The scalar unit goes on behind a wait, so a program may issue the set later: the pipe
// that waits keeps what is queued behind it. OrderPaths follows statements one by one and
// needs each wait behind its set. Any order in which every pipe has its own one, and what
// stops the scalar unit its place, is the same program; this finds one where there is.
//
//===----------------------------------------------------------------------===//

#include "IssueOrder.h"
#include "Regions.h"

#include <deque>
#include <map>

namespace ptoscope {

using List = std::vector<std::unique_ptr<Statement>>;

namespace {

/// The queues of the pipes while a list is issued.
class Queues {
public:
  /// False: what stops the scalar unit meets a pipe that waits.
  bool issue(Statement &statement) {
    if (isQueued(statement)) {
      queues[statement.pipe].push_back(&statement);
    } else {
      if (!passesQueues(statement) && !areEmpty())
        return false;
      execute(statement);
    }
    drain();
    return true;
  }
  bool areEmpty() const {
    return llvm::all_of(queues, [](const auto &queue) { return queue.second.empty(); });
  }

  std::vector<Statement *> order; ///< in which they are executed

private:
  static bool isFlag(const Statement &statement) {
    return statement.kind == Statement::Sync && statement.id.isConstant() &&
           (statement.sync == SyncKind::SetFlag || statement.sync == SyncKind::WaitFlag);
  }
  static bool isWait(const Statement &flag) { return flag.sync == SyncKind::WaitFlag; }
  int64_t &levelOf(const Statement &flag) {
    return levels[isWait(flag) ? FlagKey{flag.other, flag.pipe, flag.id.base}
                               : FlagKey{flag.pipe, flag.other, flag.id.base}];
  }
  /// Not a buffer id, which pipes get in the order of issue.
  static bool isQueued(const Statement &statement) {
    return statement.pipe != Pipe::S && statement.pipe != Pipe::All &&
           (statement.kind == Statement::Work || isFlag(statement) ||
            (statement.kind == Statement::Sync && statement.sync == SyncKind::PipeBarrier));
  }
  /// The scalar unit executes it without looking at other pipes. Loops and branches are not taken apart.
  bool passesQueues(const Statement &statement) {
    return statement.pipe == Pipe::S &&
           (statement.kind == Statement::Work || (isFlag(statement) && !isBlocked(statement)));
  }
  bool isBlocked(const Statement &statement) {
    return isFlag(statement) && isWait(statement) && levelOf(statement) <= 0;
  }
  void execute(Statement &statement) {
    order.push_back(&statement);
    if (isFlag(statement))
      levelOf(statement) += isWait(statement) ? -1 : 1;
  }
  void drain() {
    for (bool goesOn = true; goesOn;) {
      goesOn = false;
      for (auto &[pipe, queue] : queues)
        for (; !queue.empty() && !isBlocked(*queue.front()); goesOn = true) {
          execute(*queue.front());
          queue.pop_front();
        }
    }
  }

  std::map<FlagKey, int64_t> levels; ///< sets that no wait has taken
  std::map<Pipe, std::deque<Statement *>> queues;
};

} // namespace

void putSetsBeforeWaits(List &list) {
  Queues queues;
  bool isOne = true;
  for (auto &own : list) {
    if (own->kind == Statement::Loop || own->kind == Statement::Branch) {
      putSetsBeforeWaits(own->body);
      putSetsBeforeWaits(own->otherwise);
    }
    isOne = isOne && queues.issue(*own);
  }
  if (!isOne || !queues.areEmpty())
    return;
  std::map<Statement *, std::unique_ptr<Statement>> owners;
  for (auto &own : list)
    owners[own.get()] = std::move(own);
  for (size_t i = 0; i < list.size(); ++i)
    list[i] = std::move(owners[queues.order[i]]);
}

} // namespace ptoscope
