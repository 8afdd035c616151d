//===- AdapterServer.h - one client of the adapter --------------*- C++ -*-===//

#ifndef PTOSCOPE_LIB_DEBUG_ADAPTERSERVER_H
#define PTOSCOPE_LIB_DEBUG_ADAPTERSERVER_H

#include "ptoscope/Debug/Adapter.h"
#include "ptoscope/Debug/Console.h"
#include "ptoscope/Tile/Images.h"

#include <condition_variable>
#include <deque>

namespace ptoscope::debug {

/// Messages that wait to be answered, filled by the thread that reads.
class Inbox {
public:
  void push(Channel::Incoming message);
  Channel::Incoming pop();
  bool empty() const;

  /// Stands still when a message comes; null: nothing runs.
  std::atomic<Debugger *> running{nullptr};

private:
  mutable std::mutex mutex;
  std::condition_variable filled;
  std::deque<Channel::Incoming> messages;
};

class AdapterServer {
public:
  AdapterServer(Channel &channel, const MakeTarget &make, Inbox &inbox) : channel(channel), make(make), inbox(inbox) {}
  bool serve();

private:
  using Object = llvm::json::Object;
  using Array = llvm::json::Array;
  /// The body of an answer, or a message that refuses.
  using Reply = Result<Object>;

  // Adapter.cpp: the protocol, and motion.
  void handle(const Object &message);
  Reply answer(llvm::StringRef command, const Object &arguments);
  void send(Object message);
  void event(llvm::StringRef name, Object body);
  void output(llvm::StringRef category, std::string text);
  void drive();
  void stopped(const Stop &stop);
  Reply launch(const Object &arguments);
  void begin();
  void move(const Stop &stop) {
    after = [this, stop] { stopped(stop); };
  }
  Reply setBreakpoints(const Object &arguments);
  Reply setFunctionBreakpoints(const Object &arguments);
  Reply setDataBreakpoints(const Object &arguments);
  Reply setExceptionBreakpoints(const Object &arguments);
  Reply stepping(llvm::StringRef command, const Object &arguments);

  // AdapterState.cpp: what there is to see.
  Reply threads();
  Reply stackTrace(const Object &arguments);
  Reply scopes(const Object &arguments);
  Reply variables(const Object &arguments);
  Reply readMemory(const Object &arguments);
  Reply dataBreakpointInfo(const Object &arguments);
  Reply evaluate(const Object &arguments);
  Reply exceptionInfo();

  /// A unit of a core.
  struct Unit {
    int64_t block = 0;
    CoreId core;
    Pipe pipe = Pipe::S;
  };
  static int64_t threadOf(const Unit &unit);
  std::optional<Unit> unitOf(int64_t thread) const;
  void look(const Unit &unit);

  /// What a reference of variables stands for; valid until the machine moves.
  struct Handle {
    enum Kind : uint8_t {
      Locals,
      Queues,
      Flags,
      Buffers,
      Semaphores,
      Registers,
      Memories,
      Arguments,
      Items,
      Queue
    } kind;
    Unit unit;
    std::optional<tile::Image> image; ///< Items
  };
  int64_t refer(Handle handle);
  Array variablesOf(const Handle &handle, size_t start, size_t count);
  Array localsOf(const Handle &handle);
  Array argumentsOf();

  Channel &channel;
  const MakeTarget &make;
  Inbox &inbox;
  std::unique_ptr<Target> target;
  std::unique_ptr<Debugger> debugger;
  std::unique_ptr<Console> console;
  std::optional<Goal> goal;    ///< the machine runs
  std::function<void()> after; ///< what comes behind an answer
  std::vector<Handle> handles;
  int64_t sequence = 0;
  bool stopsOnEntry = false, begun = false, done = false, clean = false;
};

/// A reason why a request is refused.
Finding refusal(std::string why);

} // namespace ptoscope::debug

#endif // PTOSCOPE_LIB_DEBUG_ADAPTERSERVER_H
