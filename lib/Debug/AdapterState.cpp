//===- AdapterState.cpp - what an adapter shows of the machine ------------===//

#include "AdapterServer.h"
#include "Texts.h"

#include "ptoscope/Machine/Words.h"
#include "ptoscope/Support/Text.h"

#include "llvm/Support/Base64.h"

#include <cstring>
#include <filesystem>

using llvm::StringRef;

namespace ptoscope::debug {

static constexpr int64_t kFramesOfAThread = 4;

/// Units of a core are numbered by their pipes; those of cores and blocks follow.
int64_t AdapterServer::threadOf(const Unit &unit) {
  return 1 + (unit.block * int64_t(kCoresPerBlock) + unit.core.index) * 16 + int64_t(unit.pipe);
}

std::optional<AdapterServer::Unit> AdapterServer::unitOf(int64_t thread) const {
  if (thread < 1)
    return std::nullopt;
  const int64_t core = (thread - 1) / 16, pipe = (thread - 1) % 16;
  Unit unit{core / int64_t(kCoresPerBlock), CoreId{uint8_t(core % int64_t(kCoresPerBlock))}, Pipe(pipe)};
  return pipe < int64_t(kPipeSlots) && debugger->core(unit.block, unit.core) ? std::optional(unit) : std::nullopt;
}

void AdapterServer::look(const Unit &unit) {
  console->block = unit.block;
  console->core = unit.core;
}

AdapterServer::Reply AdapterServer::threads() {
  Array shown;
  auto add = [&](const Unit &unit) {
    shown.push_back(Object{{"id", threadOf(unit)},
                           {"name", console->coreText(unit.block, unit.core) + " " +
                                        (unit.pipe == Pipe::S ? "scalar unit" : std::string(nameOf(unit.pipe)))}});
  };
  for (const PtoContext *context : debugger->cores()) {
    const CoreState core = inspect(context);
    add({core.block, core.id, Pipe::S});
    for (const PipeState &pipe : core.pipes)
      add({core.block, core.id, pipe.pipe});
  }
  return Object{{"threads", std::move(shown)}};
}

AdapterServer::Reply AdapterServer::stackTrace(const Object &arguments) {
  const int64_t thread = arguments.getInteger("threadId").value_or(-1);
  const std::optional<Unit> unit = unitOf(thread);
  if (!unit)
    return refusal("`threadId` names no unit of a core");
  std::error_code ignored;
  const std::string path = std::filesystem::absolute(target->program->path, ignored).string();
  Array frames;
  auto add = [&](const std::string &name, uint32_t line, uint32_t column) {
    frames.push_back(
        Object{{"id", thread * kFramesOfAThread + int64_t(frames.size())},
               {"name", name},
               {"line", int64_t(line)},
               {"column", int64_t(column)},
               {"source", Object{{"name", std::filesystem::path(path).filename().string()}, {"path", path}}}});
  };
  auto addStep = [&](bool inScope) {
    if (const int at = debugger->stepOf(unit->block, unit->core, inScope); at >= 0) {
      const Step &step = target->steps.steps[size_t(at)];
      add(inScope ? step.op + ", vector scope" : step.op + ", @" + target->kernel->name, step.line, step.column);
    }
  };
  if (unit->pipe == Pipe::S) {
    addStep(false);
  } else {
    if (unit->pipe == Pipe::V)
      addStep(true);
    const CoreState core = inspect(debugger->core(unit->block, unit->core));
    const SiteTable &sites = target->kernel->sites;
    for (const PipeState &pipe : core.pipes) {
      if (pipe.pipe != unit->pipe)
        continue;
      for (SiteId site : pipe.inFlight)
        if (site < sites.size() && frames.size() < 3)
          add(sites[site].op + ", runs", sites[site].place.line, sites[site].place.column);
      if (frames.empty() && !pipe.waiting.empty() && pipe.waiting[0].site < sites.size()) {
        const Site &site = sites[pipe.waiting[0].site];
        add(site.op + (pipe.waiting[0].waits.empty() ? ", first in the queue" : ", waits for " + pipe.waiting[0].waits),
            site.place.line, site.place.column);
      }
    }
    const Event &at = debugger->where().event;
    if (frames.empty() && at.pipe == unit->pipe && at.block == unit->block && at.core.index == unit->core.index)
      if (const Place place = debugger->placeOf(at); place.line)
        add(debugger->opOf(at) + ", " + std::string(nameOf(at.kind)), place.line, place.column);
  }
  const auto total = int64_t(frames.size());
  return Object{{"stackFrames", std::move(frames)}, {"totalFrames", total}};
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

int64_t AdapterServer::refer(Handle handle) {
  handles.push_back(std::move(handle));
  return int64_t(handles.size());
}

AdapterServer::Reply AdapterServer::scopes(const Object &arguments) {
  const std::optional<Unit> unit = unitOf(arguments.getInteger("frameId").value_or(-1) / kFramesOfAThread);
  if (!unit)
    return refusal("`frameId` is none that was given out");
  static constexpr StringRef kNames[] = {"Locals",     "Queues",    "Flags",    "Buffer ids",
                                         "Semaphores", "Registers", "Memories", "Arguments"};
  Array shown;
  for (size_t i = 0; i < std::size(kNames); ++i)
    shown.push_back(
        Object{{"name", kNames[i]}, {"variablesReference", refer({Handle::Kind(i), *unit, {}})}, {"expensive", false}});
  return Object{{"scopes", std::move(shown)}};
}

AdapterServer::Reply AdapterServer::variables(const Object &arguments) {
  const int64_t reference = arguments.getInteger("variablesReference").value_or(0);
  if (reference < 1 || reference > int64_t(handles.size()))
    return refusal("`variablesReference` is none that was given out since the machine moved");
  const Handle handle = handles[size_t(reference - 1)];
  const int64_t start = std::max<int64_t>(arguments.getInteger("start").value_or(0), 0),
                count = std::max<int64_t>(arguments.getInteger("count").value_or(0), 0);
  look(handle.unit);
  return Object{{"variables", variablesOf(handle, size_t(start), count ? size_t(count) : SIZE_MAX)}};
}

/// Lines "  name: value" as variables.
static llvm::json::Array linesOf(const std::string &text, StringRef separator) {
  llvm::json::Array shown;
  llvm::SmallVector<StringRef> lines;
  StringRef(text).split(lines, '\n', -1, false);
  for (StringRef line : lines) {
    auto [name, value] = line.trim().split(separator);
    shown.push_back(llvm::json::Object{
        {"name", llvm::json::fixUTF8(name)}, {"value", llvm::json::fixUTF8(value)}, {"variablesReference", 0}});
  }
  return shown;
}

static llvm::json::Array itemsOf(const tile::Image &image, size_t start, size_t count) {
  llvm::json::Array shown;
  // Rows of a table, or the elements of one.
  const uint32_t bytes = image.itemBytes();
  const bool isTable = image.shape.size() > 1;
  const uint64_t width = isTable ? std::max<uint64_t>(image.shape.back(), 1) : 1;
  const uint64_t rows = image.items.size() / (width * bytes);
  for (uint64_t row = start; row < rows && row - start < count; ++row) {
    tile::Image part{image.elem, {width}, {}};
    part.items.assign(image.items.begin() + int64_t(row * width * bytes),
                      image.items.begin() + int64_t((row + 1) * width * bytes));
    shown.push_back(llvm::json::Object{
        {"name", "[" + std::to_string(row) + "]"}, {"value", itemsText(part, width)}, {"variablesReference", 0}});
  }
  return shown;
}

llvm::json::Array AdapterServer::localsOf(const Handle &handle) {
  Array shown;
  const PtoContext *core = debugger->core(handle.unit.block, handle.unit.core);
  for (const SeenValue &value : debugger->values(handle.unit.block, handle.unit.core)) {
    const NamedValue &named = target->steps.values[value.index];
    std::optional<tile::Image> image = core ? imageOf(core, named, value) : std::nullopt;
    Object variable{{"name", named.name},
                    {"type", named.type},
                    {"value", llvm::json::fixUTF8(console->valueText(value))},
                    {"evaluateName", named.name},
                    {"variablesReference", image ? refer({Handle::Items, handle.unit, image}) : 0}};
    if (image)
      variable["indexedVariables"] =
          int64_t(image->shape.size() > 1 ? image->shape[0] : image->items.size() / image->itemBytes());
    const std::string where = "mem " + std::to_string(handle.unit.block) + " " + std::to_string(handle.unit.core.index);
    if (named.what == tile::Look::TileValue) {
      tile::TileView tile;
      std::memcpy(&tile, value.bytes.data(), sizeof(tile));
      variable["memoryReference"] =
          where + " " + std::to_string(size_t(tile::memoryOf(tile.ref))) + " " + std::to_string(tile.ref.address);
    } else if (named.space != Space::None && named.space != Space::Gm) {
      uint64_t address;
      std::memcpy(&address, value.bytes.data(), sizeof(address));
      variable["memoryReference"] = where + " " + std::to_string(size_t(named.space)) + " " + std::to_string(address);
    }
    shown.push_back(std::move(variable));
  }
  return shown;
}

llvm::json::Array AdapterServer::argumentsOf() {
  Array shown;
  for (size_t i = 0; i < target->arguments.size(); ++i) {
    const Parameter &parameter = target->kernel->parameters[i];
    if (!parameter.isPointer) {
      const std::string words[] = {parameter.name};
      StringRef text = console->print(words).text;
      shown.push_back(Object{{"name", parameter.name},
                             {"type", parameter.type},
                             {"value", text.split(" = ").second.trim().str()},
                             {"variablesReference", 0}});
      continue;
    }
    const ptoscope::Array &array = target->arguments[i].array;
    const tile::Elem elem = tile::parseElem(parameter.element).value_or(tile::Elem::u8);
    tile::Image image = tile::imageOf(elem, debugger->argument(i));
    if (array.itemBytes * 8 == tile::bitsOf(elem))
      image.shape = array.shape;
    const auto rows = int64_t(image.shape.size() > 1 ? image.items.size() / image.itemBytes() / image.shape.back()
                                                     : image.items.size() / image.itemBytes());
    const std::string text = itemsText(image, 8);
    shown.push_back(Object{{"name", parameter.name},
                           {"type", parameter.type},
                           {"value", text},
                           {"evaluateName", parameter.name},
                           {"memoryReference", "arg " + std::to_string(i) + " 0"},
                           {"indexedVariables", rows},
                           {"variablesReference", refer({Handle::Items, {}, std::move(image)})}});
  }
  return shown;
}

llvm::json::Array AdapterServer::variablesOf(const Handle &handle, size_t start, size_t count) {
  if (handle.kind == Handle::Items)
    return itemsOf(*handle.image, start, count);
  if (handle.kind == Handle::Arguments)
    return argumentsOf();
  const PtoContext *context = debugger->core(handle.unit.block, handle.unit.core);
  if (!context)
    return {};
  if (handle.kind == Handle::Locals)
    return localsOf(handle);
  const CoreState core = inspect(context);
  switch (handle.kind) {
  case Handle::Flags:
    return linesOf(console->flagsText(core), ": ");
  case Handle::Buffers:
    return linesOf(console->buffersText(core), ": ");
  case Handle::Semaphores:
    return linesOf(console->semaphoresText(core), ": ");
  case Handle::Registers:
    return linesOf(console->registersText(core), " = ");
  case Handle::Queues: {
    Array shown;
    for (const PipeState &pipe : core.pipes)
      shown.push_back(Object{
          {"name", std::string(nameOf(pipe.pipe))},
          {"value", std::to_string(pipe.started) + " of " + std::to_string(pipe.issued) + " started, " +
                        std::to_string(pipe.queued) + " queued"},
          {"variablesReference", pipe.queued ? refer({Handle::Queue, {core.block, core.id, pipe.pipe}, {}}) : 0}});
    return shown;
  }
  case Handle::Queue: {
    Array shown;
    const ptoscope::Words words(&target->kernel->sites);
    for (const PipeState &pipe : core.pipes)
      if (pipe.pipe == handle.unit.pipe)
        for (const QueuedInstruction &queued : pipe.waiting)
          shown.push_back(Object{
              {"name", std::to_string(queued.ordinal)},
              {"value",
               llvm::json::fixUTF8(words.opText(queued.site) + " at " + words.lineText(queued.site) +
                                   (queued.waits.empty() ? "" : ", waits for " + queued.waits + ": " + queued.cause))},
              {"variablesReference", 0}});
    return shown;
  }
  default: {
    Array shown;
    for (size_t space = size_t(Space::L1); space < kPointerSpaces; ++space)
      if (const std::span<const uint8_t> bytes = memoryOf(context, Space(space)); !bytes.empty())
        shown.push_back(
            Object{{"name", spaceText(Space(space))},
                   {"value", plural(bytes.size(), "byte")},
                   {"memoryReference", "mem " + std::to_string(core.block) + " " + std::to_string(core.id.index) + " " +
                                           std::to_string(space) + " 0"},
                   {"variablesReference", 0}});
    return shown;
  }
  }
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

AdapterServer::Reply AdapterServer::readMemory(const Object &arguments) {
  constexpr int64_t kMostBytes = 1 << 20;
  const StringRef reference = arguments.getString("memoryReference").value_or("");
  const int64_t offset = arguments.getInteger("offset").value_or(0), count = arguments.getInteger("count").value_or(-1);
  if (count < 0)
    return refusal("`count` has to be a number of bytes");
  llvm::SmallVector<StringRef> parts;
  reference.split(parts, ' ');
  llvm::SmallVector<int64_t> numbers;
  for (StringRef part : llvm::ArrayRef<StringRef>(parts).drop_front())
    if (int64_t number; !part.getAsInteger(10, number))
      numbers.push_back(number);
  Region region;
  int64_t block = 0, begin = 0;
  if (parts[0] == "arg" && numbers.size() == 2 && numbers[0] >= 0 && numbers[0] < int64_t(target->arguments.size())) {
    region.space = Space::Gm;
    region.parameter = size_t(numbers[0]);
    begin = numbers[1];
  } else if (parts[0] == "mem" && numbers.size() == 4 && numbers[1] >= 0 && numbers[1] < int64_t(kCoresPerBlock) &&
             numbers[2] > 1 && numbers[2] < int64_t(kSpaceSlots)) {
    block = numbers[0];
    region.core = CoreId{uint8_t(numbers[1])};
    region.space = Space(numbers[2]);
    begin = numbers[3];
  } else {
    return refusal("`memoryReference` is none that was given out");
  }
  std::string address = hex(uint64_t(begin));
  int64_t from = 0;
  if (__builtin_add_overflow(begin, offset, &from) || from < 0)
    return Object{{"address", address}, {"unreadableBytes", count}};
  region.begin = uint64_t(from);
  region.end = uint64_t(from) + uint64_t(std::min(count, kMostBytes));
  const std::span<const uint8_t> bytes = debugger->memory(region, block);
  Object body{{"address", hex(region.begin)}};
  if (!bytes.empty())
    body["data"] = llvm::encodeBase64(StringRef(reinterpret_cast<const char *>(bytes.data()), bytes.size()));
  if (int64_t(bytes.size()) < count)
    body["unreadableBytes"] = count - int64_t(bytes.size());
  return body;
}

AdapterServer::Reply AdapterServer::dataBreakpointInfo(const Object &arguments) {
  const std::string name = arguments.getString("name").value_or("").str();
  std::vector<std::string> words;
  llvm::SmallVector<StringRef> parts;
  StringRef(name).split(parts, ' ', -1, false);
  for (StringRef part : parts)
    words.push_back(part.str());
  if (std::optional<Unit> unit = unitOf(arguments.getInteger("frameId").value_or(-1) / kFramesOfAThread))
    look(*unit);
  // The name of an argument is all of it, that of a tile its bytes.
  if (words.size() == 1) {
    for (size_t i = 0; i < target->arguments.size(); ++i)
      if (target->kernel->parameters[i].name == name && target->kernel->parameters[i].isPointer)
        words = {name, "0", std::to_string(target->arguments[i].array.bytes.size())};
    for (const SeenValue &value : debugger->values(console->block, console->core))
      if (const NamedValue &named = target->steps.values[value.index];
          named.name == name && named.what == tile::Look::TileValue) {
        tile::TileView tile;
        std::memcpy(&tile, value.bytes.data(), sizeof(tile));
        words = {spaceText(tile::memoryOf(tile.ref)), std::to_string(tile.ref.address),
                 std::to_string(uint64_t(tile.ref.rows) * uint64_t(tile.ref.cols) * tile::bitsOf(tile.ref.elem) / 8)};
      }
  }
  std::string problem;
  const std::optional<Region> region = console->region(words, problem);
  if (!region)
    return Object{{"dataId", nullptr}, {"description", llvm::json::fixUTF8(problem)}};
  std::string range;
  for (const std::string &word : words)
    range += " " + word;
  return Object{{"dataId", std::to_string(region->core.index) + range},
                {"description", "writes to" + range},
                {"accessTypes", Array{"write"}}};
}

AdapterServer::Reply AdapterServer::evaluate(const Object &arguments) {
  const std::string expression = arguments.getString("expression").value_or("").str();
  const StringRef context = arguments.getString("context").value_or("repl");
  if (std::optional<Unit> unit = unitOf(arguments.getInteger("frameId").value_or(-1) / kFramesOfAThread))
    look(*unit);
  std::vector<std::string> words;
  llvm::SmallVector<StringRef> parts;
  StringRef(expression).split(parts, ' ', -1, false);
  for (StringRef part : parts)
    words.push_back(part.str());
  Answer answer;
  if (context == "repl" && !words.empty() && words[0].front() != '%' && words[0].front() != '*') {
    if (goal)
      return refusal("the machine runs");
    answer = console->say(expression);
    if (answer.quits) {
      answer.text = "disconnect to end the session\n";
      answer.quits = false;
    }
    if (answer.moved)
      move(debugger->where());
  } else {
    // An editor's word under the mouse may lack its sign.
    if (context == "hover" && words.size() == 1 && words[0].front() != '%')
      words[0].insert(0, "%");
    answer = console->print(words);
  }
  if (answer.failed)
    return refusal(StringRef(answer.text).rtrim().str());
  return Object{{"result", llvm::json::fixUTF8(StringRef(answer.text).rtrim())}, {"variablesReference", 0}};
}

AdapterServer::Reply AdapterServer::exceptionInfo() {
  const Stop &stop = debugger->where();
  const Finding *finding = stop.reason == Stop::Found ? debugger->findingOf(stop.event) : nullptr;
  if (!finding)
    return refusal("the machine does not stand at a finding");
  std::string more;
  for (const Note &note : finding->notes)
    more += (note.place.line ? placeText(note.place) + ": " : "") + note.message + "\n";
  if (!finding->help.empty())
    more += "help: " + finding->help + "\n";
  return Object{{"exceptionId", finding->code},
                {"description", llvm::json::fixUTF8(finding->message)},
                {"breakMode", "always"},
                {"details", Object{{"message", llvm::json::fixUTF8(finding->message)},
                                   {"stackTrace", llvm::json::fixUTF8(more)}}}};
}

} // namespace ptoscope::debug
