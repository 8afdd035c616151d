//===- Adapter.cpp - the Debug Adapter Protocol ---------------------------===//
//
// One thread reads messages and puts them into an inbox; everything else happens
// on the caller's thread. A message that comes while the machine runs lets it
// stand still, is answered, and the machine goes on.
//
//===----------------------------------------------------------------------===//

#include "AdapterServer.h"

#include "ptoscope/Machine/Words.h"
#include "ptoscope/Support/Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"

#include <filesystem>
#include <thread>

using llvm::StringRef;

namespace ptoscope::debug {

Finding refusal(std::string why) { return makeFinding("usage", {}, std::move(why)); }

void Inbox::push(Channel::Incoming message) {
  {
    std::lock_guard lock(mutex);
    messages.push_back(std::move(message));
  }
  filled.notify_one();
  if (Debugger *debugger = running)
    debugger->hold();
}
Channel::Incoming Inbox::pop() {
  std::unique_lock lock(mutex);
  filled.wait(lock, [&] { return !messages.empty(); });
  Channel::Incoming message = std::move(messages.front());
  messages.pop_front();
  return message;
}
bool Inbox::empty() const {
  std::lock_guard lock(mutex);
  return messages.empty();
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

void AdapterServer::send(Object message) {
  message["seq"] = ++sequence;
  if (!channel.write(std::move(message)))
    done = true; // no one reads any more
}
void AdapterServer::event(StringRef name, Object body) {
  send(Object{{"type", "event"}, {"event", name}, {"body", std::move(body)}});
}
void AdapterServer::output(StringRef category, std::string text) {
  event("output", Object{{"category", category}, {"output", llvm::json::fixUTF8(text)}});
}

bool AdapterServer::serve() {
  while (!done) {
    Channel::Incoming incoming = inbox.pop();
    if (incoming.atEnd())
      break;
    if (incoming.message)
      handle(*incoming.message);
    else
      output("stderr", "ptoscope: not a message: " + incoming.fault + "\n");
    drive();
  }
  if (debugger)
    debugger->end();
  return clean;
}

void AdapterServer::handle(const Object &message) {
  if (message.getString("type") != "request" || !message.getString("command")) {
    output("stderr", "ptoscope: a message that is not a request was ignored\n");
    return;
  }
  const StringRef command = *message.getString("command");
  static const Object kNone;
  const Object *arguments = message.getObject("arguments");
  Reply reply = answer(command, arguments ? *arguments : kNone);
  Object response{{"type", "response"},
                  {"request_seq", message.getNumber("seq") ? *message.get("seq") : llvm::json::Value(0)},
                  {"command", llvm::json::fixUTF8(command)},
                  {"success", bool(reply)}};
  if (reply) {
    response["body"] = std::move(*reply);
  } else {
    const std::string why = llvm::json::fixUTF8(reply.finding().message);
    response["message"] = why;
    response["body"] = Object{{"error", Object{{"id", 1}, {"format", why}, {"showUser", true}}}};
  }
  send(std::move(response));
  if (std::function<void()> next = std::exchange(after, nullptr))
    next();
}

AdapterServer::Reply AdapterServer::answer(StringRef command, const Object &arguments) {
  if (command == "initialize")
    return Object{{"supportsConfigurationDoneRequest", true},
                  {"supportsFunctionBreakpoints", true},
                  {"supportsConditionalBreakpoints", true},
                  {"supportsEvaluateForHovers", true},
                  {"supportsStepBack", true},
                  {"supportsRestartRequest", true},
                  {"supportsExceptionInfoRequest", true},
                  {"supportsDataBreakpoints", true},
                  {"supportsReadMemoryRequest", true},
                  {"supportsTerminateRequest", true},
                  {"supportTerminateDebuggee", true},
                  {"exceptionBreakpointFilters",
                   Array{Object{{"filter", "findings"}, {"label", "Errors and warnings"}, {"default", true}},
                         Object{{"filter", "remarks"}, {"label", "Remarks"}, {"default", false}}}}};
  if (command == "launch")
    return launch(arguments);
  if (command == "disconnect" || command == "terminate") {
    clean = true;
    goal.reset();
    if (debugger)
      debugger->end();
    if (command == "disconnect")
      done = true;
    else
      after = [this] { event("terminated", Object{}); };
    return Object{};
  }
  using Method = Reply (AdapterServer::*)(const Object &);
  static const llvm::StringMap<Method> kState = {{"setBreakpoints", &AdapterServer::setBreakpoints},
                                                 {"setFunctionBreakpoints", &AdapterServer::setFunctionBreakpoints},
                                                 {"setDataBreakpoints", &AdapterServer::setDataBreakpoints},
                                                 {"setExceptionBreakpoints", &AdapterServer::setExceptionBreakpoints},
                                                 {"stackTrace", &AdapterServer::stackTrace},
                                                 {"scopes", &AdapterServer::scopes},
                                                 {"variables", &AdapterServer::variables},
                                                 {"readMemory", &AdapterServer::readMemory},
                                                 {"dataBreakpointInfo", &AdapterServer::dataBreakpointInfo},
                                                 {"evaluate", &AdapterServer::evaluate}};
  static const StringRef kMotions[] = {"continue",     "next",    "stepIn",          "stepOut", "stepBack",
                                       "pause",        "restart", "reverseContinue", "threads", "configurationDone",
                                       "exceptionInfo"};
  auto state = kState.find(command);
  if (state == kState.end() && !llvm::is_contained(kMotions, command))
    return refusal("`" + command.str() + "` is not a request that ptoscope answers");
  if (!debugger)
    return refusal("`" + command.str() + "` needs a program: launch one first");
  if (state != kState.end())
    return (this->*state->second)(arguments);
  if (command == "threads")
    return threads();
  if (command == "exceptionInfo")
    return exceptionInfo();
  if (command == "configurationDone" || command == "restart") {
    goal.reset();
    begun = true;
    after = [this] { begin(); };
    return Object{};
  }
  return stepping(command, arguments);
}

//===----------------------------------------------------------------------===//
// Launch
//===----------------------------------------------------------------------===//

AdapterServer::Reply AdapterServer::launch(const Object &arguments) {
  if (debugger)
    return refusal("a program was launched already");
  std::vector<std::string> words;
  std::string wrong;
  auto text = [&](StringRef key, StringRef option) {
    const llvm::json::Value *value = arguments.get(key);
    if (!value)
      return;
    std::string word;
    if (std::optional<StringRef> string = value->getAsString())
      word = string->str();
    else if (std::optional<int64_t> number = value->getAsInteger())
      word = std::to_string(*number);
    else
      wrong = "`" + key.str() + "` has to be text or a number";
    words.push_back(option.str());
    words.push_back(word);
  };
  std::optional<StringRef> program = arguments.getString("program");
  if (!program)
    return refusal("a launch needs `program`, the path of a .pto file");
  words.push_back(program->str());
  if (const llvm::json::Value *list = arguments.get("args")) {
    if (!list->getAsArray())
      return refusal("`args` has to be a list, one for each parameter of the kernel");
    for (const llvm::json::Value &each : *list->getAsArray()) {
      if (std::optional<StringRef> word = each.getAsString())
        words.insert(words.end(), {"--arg", word->str()});
      else if (each.getAsNumber())
        words.insert(words.end(), {"--arg", llvm::formatv("{0}", each).str()});
      else
        return refusal("each of `args` has to be text or a number");
    }
  }
  text("kernel", "--kernel");
  text("blocks", "--block-dim");
  text("arch", "--arch");
  text("checks", "--check");
  std::optional<StringRef> schedule = arguments.getString("schedule");
  if (schedule == "random")
    words.insert(words.end(), {"--schedule", "random:" + std::to_string(arguments.getInteger("seed").value_or(1))});
  else
    text("schedule", "--schedule");
  if (!wrong.empty())
    return refusal(wrong);
  std::string problem;
  target = make(words, problem);
  if (!target)
    return refusal(problem);
  target->launch.print = [this](std::string_view printed) { output("stdout", std::string(printed)); };
  stopsOnEntry = arguments.getBoolean("stopOnEntry").value_or(false);
  debugger = std::make_unique<Debugger>(*target);
  console = std::make_unique<Console>(*debugger);
  after = [this] { event("initialized", Object{}); };
  return Object{};
}

void AdapterServer::begin() {
  inbox.running = debugger.get();
  if (!inbox.empty())
    debugger->hold();
  const Stop stop = debugger->start(stopsOnEntry);
  inbox.running = nullptr;
  if (stop.reason == Stop::Held)
    goal = Goal{};
  else
    stopped(stop);
}

//===----------------------------------------------------------------------===//
// Motion
//===----------------------------------------------------------------------===//

void AdapterServer::drive() {
  while (goal && !done) {
    if (!inbox.empty()) {
      Channel::Incoming incoming = inbox.pop();
      if (incoming.atEnd()) {
        done = true;
        return;
      }
      if (incoming.message)
        handle(*incoming.message);
      else
        output("stderr", "ptoscope: not a message: " + incoming.fault + "\n");
      continue;
    }
    inbox.running = debugger.get();
    const Stop stop = debugger->run(*goal);
    inbox.running = nullptr;
    if (stop.reason == Stop::Held)
      continue;
    goal.reset();
    stopped(stop);
  }
}

void AdapterServer::stopped(const Stop &stop) {
  handles.clear();
  console->follow(stop);
  if (stop.reason == Stop::Ended) {
    std::string text = console->stopText(stop);
    for (const Finding &finding : debugger->findings())
      text += placeText(finding.place) + ": " + std::string(toString(finding.severity)) + "[" + finding.code +
              "]: " + finding.message + "\n";
    output("console", text);
    const LaunchResult *result = debugger->result();
    event("exited", Object{{"exitCode", result && result->completed && !result->findings.failed() ? 0 : 1}});
    event("terminated", Object{});
    return;
  }
  static constexpr StringRef kReasons[] = {"entry",           "step",  "breakpoint", "exception",
                                           "data breakpoint", "pause", "",           "entry"};
  Object body{{"reason", kReasons[stop.reason]},
              {"threadId", threadOf({stop.event.block, stop.event.core, stop.event.pipe})},
              {"allThreadsStopped", true},
              {"description", llvm::json::fixUTF8(console->eventText(stop.event))}};
  if (stop.breakpoint)
    body["hitBreakpointIds"] = Array{int64_t(stop.breakpoint)};
  if (stop.reason == Stop::Found || stop.reason == Stop::Written)
    body["text"] = llvm::json::fixUTF8(StringRef(console->stopText(stop)).split('\n').first);
  event("stopped", std::move(body));
}

AdapterServer::Reply AdapterServer::stepping(StringRef command, const Object &arguments) {
  if (!begun)
    return refusal("the program has not begun: send configurationDone first");
  if (command == "pause") {
    if (goal) {
      goal.reset();
      Stop stop = debugger->where();
      stop.reason = Stop::Held;
      move(stop);
    }
    return Object{};
  }
  if (goal)
    return refusal("the machine runs");
  const std::optional<Unit> unit = unitOf(arguments.getInteger("threadId").value_or(-1));
  if (!debugger->isRunning() && command != "stepBack" && command != "reverseContinue")
    return refusal("the run has ended");
  if (command == "stepBack") {
    move(debugger->back(unit && unit->pipe == Pipe::S));
    return Object{};
  }
  if (command == "reverseContinue") {
    move(debugger->reverse());
    return Object{};
  }
  Goal wanted;
  if (command != "continue") {
    if (!unit)
      return refusal("`threadId` names no unit of a core");
    wanted.block = unit->block;
    wanted.core = unit->core;
    wanted.pipe = unit->pipe;
    const bool inScope = unit->pipe == Pipe::V && debugger->stepOf(unit->block, unit->core, true) >= 0;
    if (command == "stepOut")
      wanted.kind = Goal::Out;
    else if (command == "stepIn" || inScope)
      wanted.kind = Goal::Into;
    else
      wanted.kind = unit->pipe == Pipe::S ? Goal::Next : Goal::Pipe_;
  }
  goal = wanted;
  return command == "continue" ? Object{{"allThreadsContinued", true}} : Object{};
}

//===----------------------------------------------------------------------===//
// Breakpoints
//===----------------------------------------------------------------------===//

/// "block 2", "block == 2", "core AIV1" as words behind `if`.
static std::vector<std::string> conditionOf(const llvm::json::Object &each) {
  std::vector<std::string> words;
  const StringRef text = each.getString("condition").value_or("");
  llvm::SmallVector<StringRef> parts;
  text.split(parts, ' ', -1, false);
  llvm::erase(parts, "==");
  if (!parts.empty())
    words.push_back("if");
  for (StringRef part : parts)
    words.push_back(part.str());
  return words;
}

static llvm::json::Object unverified(std::string why) {
  return llvm::json::Object{{"verified", false}, {"message", llvm::json::fixUTF8(why)}};
}

AdapterServer::Reply AdapterServer::setBreakpoints(const Object &arguments) {
  const Object *source = arguments.getObject("source");
  const std::string path = source ? source->getString("path").value_or("").str() : "";
  std::error_code ignored;
  const bool isOurs = std::filesystem::equivalent(path, target->program->path, ignored);
  if (isOurs)
    std::erase_if(debugger->breakpoints, [](const Breakpoint &each) { return each.kind == Breakpoint::Line; });
  Array shown;
  if (const Array *wanted = arguments.getArray("breakpoints"))
    for (const llvm::json::Value &value : *wanted) {
      const Object *each = value.getAsObject();
      const std::optional<int64_t> line = each ? each->getInteger("line") : std::nullopt;
      if (!isOurs || !line || *line < 1) {
        shown.push_back(unverified(isOurs ? "a breakpoint needs a line" : "the program that runs is another file"));
        continue;
      }
      std::vector<std::string> words = conditionOf(*each);
      words.insert(words.begin(), std::to_string(*line));
      std::string problem;
      std::optional<Breakpoint> made = console->breakpoint(words, problem);
      if (!made) {
        shown.push_back(unverified(problem));
        continue;
      }
      const uint32_t at = made->line;
      shown.push_back(Object{{"id", int64_t(debugger->add(*made))}, {"verified", true}, {"line", int64_t(at)}});
    }
  return Object{{"breakpoints", std::move(shown)}};
}

AdapterServer::Reply AdapterServer::setFunctionBreakpoints(const Object &arguments) {
  std::erase_if(debugger->breakpoints, [](const Breakpoint &each) {
    return each.kind == Breakpoint::Instruction || each.kind == Breakpoint::OnPipe || each.kind == Breakpoint::Flag;
  });
  Array shown;
  if (const Array *wanted = arguments.getArray("breakpoints"))
    for (const llvm::json::Value &value : *wanted) {
      const Object *each = value.getAsObject();
      std::vector<std::string> words;
      llvm::SmallVector<StringRef> parts;
      const StringRef name = each ? each->getString("name").value_or("") : "";
      name.split(parts, ' ', -1, false);
      for (StringRef part : parts)
        words.push_back(part.str());
      if (each)
        for (std::string &word : conditionOf(*each))
          words.push_back(std::move(word));
      std::string problem;
      std::optional<Breakpoint> made = console->breakpoint(words, problem);
      if (made && (made->kind == Breakpoint::Line || made->kind == Breakpoint::OnFinding)) {
        made.reset();
        problem = "here stand names of instructions, `pipe P` and `flag P Q ID`";
      }
      if (made)
        shown.push_back(Object{{"id", int64_t(debugger->add(*made))}, {"verified", true}});
      else
        shown.push_back(unverified(problem));
    }
  return Object{{"breakpoints", std::move(shown)}};
}

AdapterServer::Reply AdapterServer::setDataBreakpoints(const Object &arguments) {
  std::erase_if(debugger->breakpoints, [](const Breakpoint &each) { return each.kind == Breakpoint::Watch; });
  Array shown;
  if (const Array *wanted = arguments.getArray("breakpoints"))
    for (const llvm::json::Value &value : *wanted) {
      const Object *each = value.getAsObject();
      // As dataBreakpointInfo made it: the number of the core, then a range.
      llvm::SmallVector<StringRef> parts;
      (each ? each->getString("dataId").value_or("") : StringRef()).split(parts, ' ', -1, false);
      std::vector<std::string> words;
      for (StringRef part : llvm::ArrayRef<StringRef>(parts).drop_front(!parts.empty()))
        words.push_back(part.str());
      unsigned core = 0;
      std::string problem = "`dataId` is none that was given out";
      std::optional<Region> region;
      if (!parts.empty() && !parts[0].getAsInteger(10, core) && core < kCoresPerBlock)
        region = console->region(words, problem);
      if (!region) {
        shown.push_back(unverified(problem));
        continue;
      }
      Breakpoint made;
      made.kind = Breakpoint::Watch;
      made.region = *region;
      made.region.core = CoreId{uint8_t(core)};
      shown.push_back(Object{{"id", int64_t(debugger->add(made))}, {"verified", true}});
    }
  return Object{{"breakpoints", std::move(shown)}};
}

AdapterServer::Reply AdapterServer::setExceptionBreakpoints(const Object &arguments) {
  std::erase_if(debugger->breakpoints, [](const Breakpoint &each) { return each.kind == Breakpoint::OnFinding; });
  debugger->stopsAtFindings = false;
  if (const Array *filters = arguments.getArray("filters"))
    for (const llvm::json::Value &filter : *filters) {
      if (filter.getAsString() == "findings")
        debugger->stopsAtFindings = true;
      if (filter.getAsString() == "remarks") {
        Breakpoint every;
        every.kind = Breakpoint::OnFinding;
        debugger->add(every);
      }
    }
  return Object{};
}

//===----------------------------------------------------------------------===//

bool serveAdapter(Channel &channel, const MakeTarget &make) {
  auto inbox = std::make_shared<Inbox>();
  std::thread([inbox, &channel] {
    while (true) {
      Channel::Incoming incoming = channel.read();
      const bool last = incoming.atEnd();
      inbox->push(std::move(incoming));
      if (last)
        return;
    }
  }).detach();
  AdapterServer server(channel, make, *inbox);
  return server.serve();
}

} // namespace ptoscope::debug
