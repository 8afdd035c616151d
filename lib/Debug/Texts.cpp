//===- Texts.cpp - the state of a machine in words ------------------------===//

#include "Texts.h"
#include "ptoscope/Debug/Console.h"

#include "ptoscope/Machine/Words.h"
#include "ptoscope/Support/Text.h"
#include "ptoscope/Tile/Images.h"

#include <algorithm>
#include <cstring>

namespace ptoscope::debug {

std::string Console::coreText(int64_t block, CoreId core) const {
  return "block " + std::to_string(block) + " " + std::string(ptoscope::nameOf(core));
}

std::string Console::sourceLine(uint32_t line) const {
  const std::optional<std::string> text = debugger.target().program->line(line);
  std::string number = std::to_string(line);
  number.insert(0, number.size() < 5 ? 5 - number.size() : 0, ' ');
  return number + " | " + text.value_or("") + "\n";
}

static std::string unitText(Pipe pipe) { return pipe == Pipe::S ? "scalar unit" : std::string(nameOf(pipe)); }

std::string Console::eventText(const Event &event) const {
  const Place place = debugger.placeOf(event);
  std::string text = "event " + std::to_string(event.number) + ": " + coreText(event.block, event.core) + ", " +
                     unitText(event.pipe) + ", " + std::string(nameOf(event.kind));
  switch (event.kind) {
  case Event::Set:
  case Event::Wait:
    text += " of flag " + std::string(nameOf(event.src)) + " -> " + std::string(nameOf(event.dst)) + " " +
            std::to_string(event.id);
    break;
  case Event::Get:
  case Event::Release:
    text += " of buffer id " + std::to_string(event.id);
    break;
  case Event::Raise:
  case Event::Pass:
    text += " of semaphore " + std::to_string(event.id);
    break;
  case Event::Finding:
    if (const Finding *finding = debugger.findingOf(event))
      text += " " + finding->code;
    break;
  default:
    if (const std::string op = debugger.opOf(event); !op.empty())
      text += " " + op;
    break;
  }
  if (place.line)
    text += " at " + lineText(place);
  return text;
}

std::string Console::stopText(const Stop &stop) const {
  const Event &event = stop.event;
  std::string text;
  switch (stop.reason) {
  case Stop::Hit:
    text = "breakpoint " + std::to_string(stop.breakpoint) + "\n";
    break;
  case Stop::Found:
    if (const Finding *finding = debugger.findingOf(event)) {
      text = std::string(toString(finding->severity)) + "[" + finding->code + "]: " + finding->message + "\n";
      for (const Note &note : finding->notes)
        text += "  note: " + (note.place.line ? lineText(note.place) + ": " : "") + note.message + "\n";
      if (!finding->help.empty())
        text += "  help: " + finding->help + "\n";
    }
    break;
  case Stop::Written:
    text = "watch " + std::to_string(stop.breakpoint) + " was written: " + eventText(*stop.writer) + "\n";
    break;
  case Stop::Held:
    text = "interrupted\n";
    break;
  case Stop::AtStart:
    text = "this is the start of the run\n";
    break;
  case Stop::Ended: {
    const LaunchResult *result = debugger.result();
    text = "the run has ended after " + plural(debugger.events(), "event");
    if (result)
      text += ": " + plural(result->findings.count(Severity::Error), "error") + ", " +
              plural(result->findings.count(Severity::Warning), "warning");
    return text + "\n";
  }
  default:
    break;
  }
  text += eventText(event) + "\n";
  if (const Place place = debugger.placeOf(event); place.line)
    text += sourceLine(place.line);
  return text;
}

//===----------------------------------------------------------------------===//
// Queues and what orders them
//===----------------------------------------------------------------------===//

std::string Console::queuesText(const CoreState &core) const {
  const SiteTable &sites = debugger.target().kernel->sites;
  const ptoscope::Words words(&sites);
  std::string text = coreText(core.block, core.id) + ": the scalar unit ";
  if (core.ended)
    text += "has ended";
  else if (core.site == kNoSite)
    text += "has not begun";
  else
    text += "is at " + words.opText(core.site) + ", " + words.lineText(core.site);
  if (!core.unitWaits.empty())
    text += ", and waits for " + core.unitWaits;
  text += "\n";
  for (const PipeState &pipe : core.pipes) {
    text += "  " + std::string(nameOf(pipe.pipe)) + ": " + std::to_string(pipe.started) + " of " +
            std::to_string(pipe.issued) + " started";
    if (pipe.scope != kNoSite)
      text += ", runs the scope at " + words.lineText(pipe.scope);
    for (SiteId site : pipe.inFlight)
      text += ", runs " + words.opText(site) + " of " + words.lineText(site);
    if (pipe.queued == 0)
      text += ", queue empty";
    text += "\n";
    for (const QueuedInstruction &queued : pipe.waiting) {
      text += "    " + std::to_string(queued.ordinal) + " " + words.opText(queued.site) + " at " +
              words.lineText(queued.site);
      if (!queued.waits.empty())
        text += ", waits for " + queued.waits + ": " + queued.cause;
      text += "\n";
    }
    if (pipe.queued > pipe.waiting.size())
      text += "    … " + std::to_string(pipe.queued - pipe.waiting.size()) + " more\n";
  }
  return text;
}

std::string Console::flagsText(const CoreState &core) const {
  std::string text;
  for (const FlagState &flag : core.flags)
    text += "  " + std::string(nameOf(flag.src)) + " -> " + std::string(nameOf(flag.dst)) + " " +
            std::to_string(flag.id) + ": " + std::to_string(flag.setsDone - flag.waitsDone) + " set; sets " +
            std::to_string(flag.setsDone) + " of " + std::to_string(flag.setsIssued) + ", waits " +
            std::to_string(flag.waitsDone) + " of " + std::to_string(flag.waitsIssued) + " done\n";
  return text.empty() ? "  no flag was used\n" : text;
}

std::string Console::buffersText(const CoreState &core) const {
  std::string text;
  for (const BufferState &buffer : core.buffers) {
    text += "  buffer id " + std::to_string(buffer.id) + ": " + plural(buffer.releasesIssued, "release") + " issued";
    for (auto [pipe, site] : buffer.holders)
      text += ", held by " + std::string(nameOf(pipe)) + " since " +
              lineText(debugger.target().kernel->sites.placeOf(site));
    text += "\n";
  }
  return text.empty() ? "  no buffer id was used\n" : text;
}

std::string Console::semaphoresText(const CoreState &core) const {
  std::string text;
  for (const SemaphoreState &each : core.semaphores)
    text += "  semaphore " + std::to_string(each.id) + ": " + std::to_string(each.setsDone) + " set, " +
            std::to_string(each.waitsDone) + " of " + plural(each.waitsIssued, "wait") + " done\n";
  return text.empty() ? "  no semaphore was used\n" : text;
}

std::string Console::registersText(const CoreState &core) const {
  std::string text;
  for (const auto &[name, value] : core.registers)
    text += "  " + name + " = " + hex(uint64_t(value)) + " (" + std::to_string(value) + ")\n";
  return text;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

std::string itemsText(const tile::Image &image, uint64_t most) {
  std::string text;
  const uint32_t bytes = image.itemBytes();
  const uint64_t count = image.items.size() / bytes;
  for (uint64_t i = 0; i < std::min(count, most); ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, image.items.data() + i * bytes, bytes);
    text += (i ? " " : "") + tile::elementText(image.elem, bits);
  }
  return text + (count > most ? " …" : "");
}

std::string tableText(const tile::Image &image) {
  std::string text;
  const uint64_t width = std::max<uint64_t>(image.shape.empty() ? 1 : image.shape.back(), 1);
  const uint32_t bytes = image.itemBytes();
  for (uint64_t at = 0; at < image.items.size(); at += width * bytes) {
    tile::Image row{image.elem, {}, {}};
    row.items.assign(image.items.begin() + int64_t(at),
                     image.items.begin() + int64_t(std::min<uint64_t>(at + width * bytes, image.items.size())));
    text += "  " + itemsText(row, width) + "\n";
  }
  return text;
}

std::optional<tile::Image> imageOf(const PtoContext *core, const NamedValue &named, const SeenValue &value) {
  switch (named.what) {
  case tile::Look::Register:
  case tile::Look::Mask:
    return tile::registerImageOf(named, value.bytes);
  case tile::Look::TileValue: {
    tile::TileView tile;
    std::memcpy(&tile, value.bytes.data(), sizeof(tile));
    const std::span<const uint8_t> memory = memoryOf(core, tile::memoryOf(tile.ref));
    if (memory.empty())
      return std::nullopt;
    tile.data = const_cast<uint8_t *>(memory.data()) + tile.ref.address;
    return tile::imageOf(tile, memory.size());
  }
  default:
    return std::nullopt;
  }
}

std::string Console::valueText(const SeenValue &value) const {
  constexpr uint64_t kShown = 8;
  const NamedValue &named = debugger.target().steps.values[value.index];
  if (named.what == tile::Look::Scalar) {
    uint64_t bits;
    std::memcpy(&bits, value.bytes.data(), sizeof(bits));
    if (named.space != Space::None)
      return spaceText(named.space) + " " + hex(bits);
    return tile::scalarText(named.scalar, bits);
  }
  const PtoContext *of = context();
  const std::optional<tile::Image> image = of ? imageOf(of, named, value) : std::nullopt;
  if (!image)
    return "outside its memory";
  std::string text = itemsText(*image, kShown);
  if (named.what == tile::Look::TileValue) {
    tile::TileView tile;
    std::memcpy(&tile, value.bytes.data(), sizeof(tile));
    text = spaceText(tile::memoryOf(tile.ref)) + " " + hex(tile.ref.address) + ": " + text;
  }
  return text;
}

std::string Console::localsText() const {
  std::string text;
  for (const SeenValue &value : debugger.values(block, core)) {
    const NamedValue &named = debugger.target().steps.values[value.index];
    text += "  " + named.name + " : " + named.type + " = " + valueText(value) + "\n";
  }
  return text.empty() ? "  nothing was computed yet\n" : text;
}

} // namespace ptoscope::debug
