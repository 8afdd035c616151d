//===- Console.cpp - the words of the debugger ----------------------------===//

#include "ptoscope/Debug/Console.h"

#include "ptoscope/Machine/Words.h"
#include "ptoscope/Support/Text.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <map>

namespace ptoscope::debug {

static constexpr const char *kHelp =
    R"(Words may be shortened where a letter is given in brackets. An empty line repeats the last motion.

  run, [r]                begin again, and run to a breakpoint, a finding or the end
  start                   begin again, and stop before the first instruction
  continue, [c]           run to a breakpoint, a finding or the end
  next, [n] [N]           to the next instruction of the scalar unit
  step, [s] [N]           the same, and into vector scopes
  step pipe P             until pipe P of this core begins with an instruction
  finish                  until the vector scope, or the block, has ended
  until LINE              run to a line
  back [N], bs            one instruction back, vector instructions too
  reverse-next, rn        one instruction of the scalar unit back
  reverse-continue, rc    to the breakpoint or finding before
  goto EVENT              to an event by its number, forwards or backwards
  break, [b] LINE | OP    stop before a line, or before an instruction by its name
  break pipe P            when a pipe begins with an instruction: MTE2, V, M …
  break flag P Q ID       when that flag is set, and when a wait for it passes
  break finding [CODE]    at findings of a code, or at remarks too
      … if block B, if core AIV1: only there
  watch RANGE             stop when bytes are written: watch UB 0x100 64, watch %dst 0 4
  who RANGE               who wrote these bytes last
  findings on|off         stop at errors and warnings (on at first)
  delete, [d] [N]         take a breakpoint away, or all
  print, [p] %name        a register, mask, scalar, tile or argument
  print MEM ADDR [T] [S]  a memory as a table: print UB 0x0 f32 4x64
  print *%pointer [T] [S] what a pointer of this core points to
  info queues | flags | buffers | semaphores | registers | locals | cores | events | breakpoints | findings
  core B NAME             show the state of this core: core 0 AIV1
  list, [l] [LINE]        lines of the program
  where, [w]              where everything stands
  quit, [q]
)";

static std::vector<std::string> split(llvm::StringRef line) {
  std::vector<std::string> words;
  llvm::SmallVector<llvm::StringRef> parts;
  line.split(parts, ' ', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef part : parts)
    if (!part.trim().empty())
      words.push_back(part.trim().str());
  return words;
}

static std::optional<Pipe> pipeNamed(llvm::StringRef word) {
  word.consume_front_insensitive("PIPE_");
  for (size_t i = 0; i < kPipeSlots; ++i)
    if (llvm::StringRef name(nameOf(Pipe(i))); name.consume_front("PIPE_") && name.equals_insensitive(word))
      return Pipe(i);
  return std::nullopt;
}

static std::optional<CoreId> coreNamed(llvm::StringRef word) {
  for (uint8_t i = 0; i < kCoresPerBlock; ++i)
    if (word.equals_insensitive(llvm::StringRef(ptoscope::nameOf(CoreId{i}))))
      return CoreId{i};
  return std::nullopt;
}

static std::optional<uint64_t> numberOf(llvm::StringRef word) {
  uint64_t n;
  return word.getAsInteger(0, n) ? std::nullopt : std::optional(n);
}

//===----------------------------------------------------------------------===//
// Motion
//===----------------------------------------------------------------------===//

void Console::follow(const Stop &stop) {
  block = stop.event.block;
  core = stop.event.core;
  listed = 0;
}

Answer Console::moveTo(const Stop &stop) {
  follow(stop);
  return {stopText(stop), false, /*moved=*/true};
}

Answer Console::step(Words words) {
  const bool into = words[0] != "next";
  Goal goal;
  goal.kind = into ? Goal::Into : Goal::Next;
  goal.block = block;
  goal.core = core;
  uint64_t times = 1;
  if (words.size() > 1 && words[1] == "pipe") {
    const std::optional<Pipe> pipe = words.size() == 3 ? pipeNamed(words[2]) : std::nullopt;
    if (!pipe)
      return Answer::refusal("`step pipe` needs a pipe: `step pipe MTE2`");
    goal.kind = Goal::Pipe_;
    goal.pipe = *pipe;
  } else if (words.size() > 1) {
    const std::optional<uint64_t> n = numberOf(words[1]);
    if (!n || *n == 0)
      return Answer::refusal("`" + words[1] + "` is not a number of steps");
    times = *n;
  }
  Stop stop = debugger.where();
  for (uint64_t i = 0; i < times; ++i) {
    stop = debugger.run(goal);
    if (stop.reason != Stop::Stepped)
      break;
  }
  return moveTo(stop);
}

Answer Console::until(Words words) {
  const std::optional<uint64_t> line = words.size() == 2 ? numberOf(words[1]) : std::nullopt;
  const uint32_t stands = line && *line < UINT32_MAX ? debugger.lineWithStep(uint32_t(*line)) : 0;
  if (!stands)
    return Answer::refusal("`until` needs a line with an instruction, or one before it");
  Breakpoint breakpoint;
  breakpoint.line = stands;
  breakpoint.once = true;
  const uint32_t number = debugger.add(breakpoint);
  const Stop stop = debugger.run({});
  std::erase_if(debugger.breakpoints, [&](const Breakpoint &each) { return each.number == number; });
  return moveTo(stop);
}

//===----------------------------------------------------------------------===//
// Breakpoints
//===----------------------------------------------------------------------===//

std::optional<Breakpoint> Console::breakpoint(Words words, std::string &problem) const {
  Breakpoint made;
  auto condition = std::ranges::find(words, "if");
  Words what = words.first(size_t(condition - words.begin())), only = words.subspan(what.size());
  for (; !only.empty(); only = only.subspan(3)) {
    std::optional<uint64_t> of = only.size() >= 3 && only[1] == "block" ? numberOf(only[2]) : std::nullopt;
    std::optional<CoreId> on = only.size() >= 3 && only[1] == "core" ? coreNamed(only[2]) : std::nullopt;
    if (!of && !on) {
      problem = "a condition is `if block 2` or `if core AIV1`";
      return std::nullopt;
    }
    if (of)
      made.block = int64_t(*of);
    else
      made.core = on->index;
  }
  if (what.empty()) {
    problem = "`break` needs a line, the name of an instruction, `pipe P`, `flag P Q ID` or `finding`";
    return std::nullopt;
  }
  if (what[0] == "pipe") {
    const std::optional<Pipe> pipe = what.size() == 2 ? pipeNamed(what[1]) : std::nullopt;
    if (!pipe || *pipe == Pipe::S || *pipe == Pipe::All) {
      problem = "`break pipe` needs a pipe with a queue: MTE1, MTE2, MTE3, V, M or FIX";
      return std::nullopt;
    }
    made.kind = Breakpoint::OnPipe;
    made.pipe = *pipe;
  } else if (what[0] == "flag") {
    const std::optional<Pipe> src = what.size() == 4 ? pipeNamed(what[1]) : std::nullopt,
                              dst = what.size() == 4 ? pipeNamed(what[2]) : std::nullopt;
    const std::optional<uint64_t> id = what.size() == 4 ? numberOf(what[3]) : std::nullopt;
    if (!src || !dst || !id || *id >= uint64_t(kEventIds)) {
      problem = "`break flag` needs two pipes and an event id of 0 to 7: `break flag V MTE3 0`";
      return std::nullopt;
    }
    made.kind = Breakpoint::Flag;
    made.pipe = *src;
    made.dst = *dst;
    made.id = int64_t(*id);
  } else if (what[0] == "finding") {
    made.kind = Breakpoint::OnFinding;
    made.name = what.size() > 1 ? what[1] : "";
    if (!made.name.empty() && !findCode(made.name)) {
      const std::string nearest(nearestCode(made.name));
      problem = "`" + made.name + "` is not the code of a finding; " +
                (nearest.empty() ? "`ptoscope explain` lists them" : "did you mean `" + nearest + "`?");
      return std::nullopt;
    }
  } else if (std::optional<uint64_t> line = numberOf(what[0])) {
    made.line = *line && *line < UINT32_MAX ? debugger.lineWithStep(uint32_t(*line)) : 0;
    if (!made.line) {
      problem = "there is no instruction at or behind line " + what[0];
      return std::nullopt;
    }
  } else {
    made.kind = Breakpoint::Instruction;
    made.name = what[0];
    auto isIt = [&](const Step &step) { return step.op == made.name || step.op == "pto." + made.name; };
    if (what.size() > 1 || std::ranges::none_of(debugger.target().steps.steps, isIt)) {
      problem = "the kernel has no instruction `" + what[0] + "`";
      return std::nullopt;
    }
  }
  return made;
}

std::string Console::breakpointText(const Breakpoint &breakpoint) const {
  std::string text;
  switch (breakpoint.kind) {
  case Breakpoint::Line:
    text = lineText(Place{debugger.target().program->path, breakpoint.line, 1});
    break;
  case Breakpoint::Instruction:
    text = "instruction `" + breakpoint.name + "`";
    break;
  case Breakpoint::OnPipe:
    text = "start of an instruction of " + std::string(nameOf(breakpoint.pipe));
    break;
  case Breakpoint::Flag:
    text = "flag " + std::string(nameOf(breakpoint.pipe)) + " -> " + std::string(nameOf(breakpoint.dst)) + " " +
           std::to_string(breakpoint.id);
    break;
  case Breakpoint::OnFinding:
    text = breakpoint.name.empty() ? "every finding" : "finding " + breakpoint.name;
    break;
  case Breakpoint::Watch: {
    const Region &region = breakpoint.region;
    text = "writes to " +
           (region.space == Space::Gm ? debugger.target().kernel->parameters[region.parameter].name
                                      : spaceText(region.space) + " of " + std::string(ptoscope::nameOf(region.core))) +
           " " + hex(region.begin) + ".." + hex(region.end - 1);
    break;
  }
  }
  if (breakpoint.block >= 0)
    text += ", block " + std::to_string(breakpoint.block);
  if (breakpoint.core >= 0)
    text += ", " + std::string(ptoscope::nameOf(CoreId{uint8_t(breakpoint.core)}));
  return text;
}

Answer Console::break_(Words words, bool once) {
  std::string problem;
  std::optional<Breakpoint> made = breakpoint(words.subspan(1), problem);
  if (!made)
    return Answer::refusal(problem);
  made->once = once;
  const std::string text = breakpointText(*made);
  return {"breakpoint " + std::to_string(debugger.add(*made)) + ": " + text + "\n"};
}

Answer Console::watch(Words words) {
  std::string problem;
  const std::optional<Region> bytes = region(words.subspan(1), problem);
  if (!bytes)
    return Answer::refusal(problem);
  Breakpoint made;
  made.kind = Breakpoint::Watch;
  made.region = *bytes;
  const std::string text = breakpointText(made);
  return {"watch " + std::to_string(debugger.add(made)) + ": " + text + "\n"};
}

Answer Console::delete_(Words words) {
  if (words.size() == 1) {
    const size_t n = debugger.breakpoints.size();
    debugger.breakpoints.clear();
    return {plural(n, "breakpoint") + " deleted\n"};
  }
  const std::optional<uint64_t> number = numberOf(words[1]);
  if (!number || !std::erase_if(debugger.breakpoints, [&](const Breakpoint &each) { return each.number == *number; }))
    return Answer::refusal("there is no breakpoint `" + words[1] + "`");
  return {};
}

Answer Console::who(Words words) {
  constexpr size_t kShown = 8;
  std::string problem;
  const std::optional<Region> bytes = region(words.subspan(1), problem);
  if (!bytes)
    return Answer::refusal(problem);
  std::string text;
  for (const Event &event : debugger.writers(*bytes, kShown))
    text += eventText(event) + "\n";
  return {text.empty() ? "nothing has written these bytes\n" : text};
}

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

Answer Console::where() const {
  if (debugger.where().reason == Stop::Start && debugger.where().event.number == 0)
    return Answer::refusal("the run has not begun; `run` begins it");
  if (!debugger.isRunning())
    return {stopText(debugger.where())};
  std::string text = eventText(debugger.where().event) + "\n";
  for (const PtoContext *each : debugger.cores()) {
    const CoreState state = inspect(each);
    text += queuesText(state);
    if (const int at = debugger.stepOf(state.block, state.id, true); at >= 0)
      text += "  in the scope:\n" + sourceLine(debugger.target().steps.steps[size_t(at)].line);
  }
  return {text};
}

Answer Console::info(Words words) const {
  if (words.size() != 2)
    return Answer::refusal("`info` needs one of queues, flags, buffers, semaphores, registers, locals, cores, events, "
                           "breakpoints and findings");
  const std::string &what = words[1];
  std::string text;
  if (what == "breakpoints") {
    for (const Breakpoint &each : debugger.breakpoints)
      text += std::to_string(each.number) + ": " + breakpointText(each) + ", hit " + timesText(each.hits) + "\n";
    return {text.empty() ? "there is no breakpoint\n" : text};
  }
  if (what == "findings") {
    for (const Finding &finding : debugger.findings())
      text += std::string(toString(finding.severity)) + "[" + finding.code + "] " + lineText(finding.place) + ": " +
              finding.message + "\n";
    return {text.empty() ? "nothing was found so far\n" : text};
  }
  if (what == "events") {
    for (const Event &event : debugger.recent(20))
      text += eventText(event) + "\n";
    return {text};
  }
  if (what == "locals")
    return {localsText()};
  using Text = std::string (Console::*)(const CoreState &) const;
  static const std::map<std::string, Text> kTexts = {
      {"queues", &Console::queuesText},       {"flags", &Console::flagsText},
      {"buffers", &Console::buffersText},     {"semaphores", &Console::semaphoresText},
      {"registers", &Console::registersText}, {"cores", nullptr}};
  auto it = kTexts.find(what);
  if (it == kTexts.end())
    return Answer::refusal("`info " + what + "` is not known; `help` lists what is");
  if (!debugger.isRunning())
    return Answer::refusal("the machine does not run; `run` begins, `back` goes to its last instruction");
  for (const PtoContext *each : debugger.cores()) {
    const CoreState state = inspect(each);
    const bool isChosen = state.block == block && state.id.index == core.index;
    if (it->second) {
      if (it->second != &Console::queuesText)
        text += coreText(state.block, state.id) + "\n";
      text += (this->*it->second)(state);
      continue;
    }
    const int at = debugger.stepOf(state.block, state.id, false);
    text += (isChosen ? "* " : "  ") + coreText(state.block, state.id) +
            (at < 0 ? "" : " at line " + std::to_string(debugger.target().steps.steps[size_t(at)].line)) +
            (state.ended ? ", has ended" : "") + "\n";
  }
  return {text};
}

Answer Console::list(Words words) const {
  const auto lines = uint32_t(debugger.target().program->lineStarts.size());
  uint32_t middle = debugger.placeOf(debugger.where().event).line;
  if (words.size() > 1) {
    const std::optional<uint64_t> line = numberOf(words[1]);
    if (!line || *line == 0 || *line > lines)
      return Answer::refusal("the lines are 1 to " + std::to_string(lines));
    middle = uint32_t(*line);
  }
  std::string text;
  for (uint32_t line = middle > 5 ? middle - 5 : 1; line <= std::min(middle + 5, lines); ++line)
    text += sourceLine(line);
  return {text};
}

Answer Console::chooseCore(Words words) {
  const std::optional<uint64_t> of = words.size() == 3 ? numberOf(words[1]) : std::nullopt;
  const std::optional<CoreId> id = words.size() == 3 ? coreNamed(words[2]) : std::nullopt;
  if (!of || !id || !debugger.core(int64_t(*of), *id))
    return Answer::refusal("`core` needs a block that runs and a core of it: `core 0 AIV0`; `info cores` lists them");
  block = int64_t(*of);
  core = *id;
  return {coreText(block, core) + "\n"};
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

Answer Console::say(const std::string &line) {
  std::vector<std::string> words = split(line);
  if (words.empty()) {
    if (lastMotion.empty())
      return {};
    words = split(lastMotion);
  }
  static const std::map<std::string, std::string> kShort = {
      {"r", "run"},   {"c", "continue"},        {"n", "next"},          {"s", "step"},
      {"bs", "back"}, {"reverse-step", "back"}, {"rn", "reverse-next"}, {"rc", "reverse-continue"},
      {"b", "break"}, {"d", "delete"},          {"p", "print"},         {"i", "info"},
      {"l", "list"},  {"w", "where"},           {"bt", "where"},        {"q", "quit"},
      {"h", "help"}};
  if (auto it = kShort.find(words[0]); it != kShort.end())
    words[0] = it->second;
  const std::string &verb = words[0];
  const Words all(words);

  if (verb == "help")
    return {kHelp};
  if (verb == "quit")
    return {"", false, false, /*quits=*/true};
  if (verb == "break")
    return break_(all, false);
  if (verb == "watch")
    return watch(all);
  if (verb == "delete")
    return delete_(all);
  if (verb == "findings" && words.size() == 2 && (words[1] == "on" || words[1] == "off")) {
    debugger.stopsAtFindings = words[1] == "on";
    return {};
  }
  if (verb == "info")
    return info(all);
  if (verb == "list")
    return list(all);
  if (verb == "print")
    return print(all.subspan(1));
  if (verb == "where")
    return where();
  if (verb == "core")
    return chooseCore(all);
  if (verb == "who")
    return who(all);

  auto isMotion = [&] {
    lastMotion = llvm::join(words, " ");
    return true;
  };
  if (verb == "run" || verb == "start")
    return moveTo(debugger.start(/*stands=*/verb == "start"));
  if (verb == "continue" && isMotion())
    return moveTo(debugger.run({}));
  if ((verb == "next" || verb == "step") && isMotion())
    return step(all);
  if (verb == "until")
    return until(all);
  if (verb == "finish") {
    Goal goal;
    goal.kind = Goal::Out;
    goal.block = block;
    goal.core = core;
    return moveTo(debugger.run(goal));
  }
  if ((verb == "back" || verb == "reverse-next") && isMotion()) {
    const std::optional<uint64_t> times = words.size() > 1 ? numberOf(words[1]) : 1;
    if (!times || *times == 0)
      return Answer::refusal("`" + words[1] + "` is not a number of steps");
    return moveTo(debugger.back(verb == "reverse-next", *times));
  }
  if (verb == "reverse-continue" && isMotion())
    return moveTo(debugger.reverse());
  if (verb == "goto") {
    const std::optional<uint64_t> event = words.size() == 2 ? numberOf(words[1]) : std::nullopt;
    if (!event)
      return Answer::refusal("`goto` needs the number of an event");
    return moveTo(debugger.goTo(*event));
  }
  return Answer::refusal("`" + verb + "` is not a command of the debugger; `help` lists them");
}

} // namespace ptoscope::debug
