//===- Perfetto.cpp - traces as Perfetto reads them -----------------------===//
//
// The few messages of Perfetto's protobuf schema that a timeline needs, encoded by
// hand; test/Timing/Inputs/perfetto.proto has them as a schema. Texts are interned:
// the packet that first needs one brings it along.
//
//===----------------------------------------------------------------------===//

#include "Format.h"
#include "TraceFormat.h"

#include "ptoscope/Timing/Stats.h"

#include <cstring>
#include <unordered_map>

namespace ptoscope::timing {

namespace {

/// Field numbers of Perfetto's messages.
namespace field {
enum Trace { kPacket = 1 };
enum TracePacket {
  kTimestamp = 8,
  kSequenceId = 10,
  kTrackEvent = 11,
  kInternedData = 12,
  kSequenceFlags = 13,
  kTrackDescriptor = 60
};
enum TrackDescriptor {
  kUuid = 1,
  kName = 2,
  kProcess = 3,
  kParentUuid = 5,
  kCounter = 8,
  kChildOrdering = 11,
  kSiblingRank = 12
};
enum ProcessDescriptor { kPid = 1, kProcessName = 6 };
enum CounterDescriptor { kUnit = 3 };
enum TrackEvent {
  kAnnotation = 4,
  kType = 9,
  kNameIid = 10,
  kTrackUuid = 11,
  kCounterValue = 30,
  kSourceLocationIid = 34,
  kFlowId = 47,
  kTerminatingFlowId = 48
};
enum DebugAnnotation { kAnnotationNameIid = 1, kUintValue = 3, kDoubleValue = 5, kStringIid = 17 };
enum InternedData { kEventNames = 2, kAnnotationNames = 3, kSourceLocations = 4, kAnnotationStrings = 29 };
enum Interned { kIid = 1, kText = 2, kLineNumber = 4 };
} // namespace field

enum EventType { kSliceBegin = 1, kSliceEnd = 2, kCounterEvent = 4 };
enum SequenceFlag { kStateCleared = 1, kNeedsState = 2 };
constexpr uint64_t kUnitBytes = 3, kExplicitOrder = 3;

/// A message under construction.
class Message {
public:
  void clear() { bytes.clear(); }
  bool empty() const { return bytes.empty(); }
  std::string_view view() const { return bytes; }

  void number(unsigned tag, uint64_t value) {
    varint(tag << 3);
    varint(value);
  }
  void fixed64(unsigned tag, uint64_t value) {
    varint(tag << 3 | 1);
    for (int i = 0; i < 8; ++i)
      bytes.push_back(char(value >> 8 * i));
  }
  void real(unsigned tag, double value) {
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    fixed64(tag, bits);
  }
  void text(unsigned tag, std::string_view value) {
    varint(tag << 3 | 2);
    varint(value.size());
    bytes.append(value);
  }
  void message(unsigned tag, const Message &value) { text(tag, value.view()); }

private:
  void varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7)
      bytes.push_back(char(value | 0x80));
    bytes.push_back(char(value));
  }
  std::string bytes;
};

class PerfettoFormat final : public TraceFormat {
public:
  using TraceFormat::TraceFormat;

  void begin(const std::string &title) override {
    Message descriptor;
    descriptor.number(field::kUuid, kRoot);
    descriptor.text(field::kName, title);
    descriptor.number(field::kChildOrdering, kExplicitOrder);
    describe(descriptor);
  }
  void core(uint32_t number, const std::string &name) override {
    Message process, descriptor;
    process.number(field::kPid, number);
    process.text(field::kProcessName, name);
    descriptor.number(field::kUuid, number);
    descriptor.message(field::kProcess, process);
    descriptor.number(field::kChildOrdering, kExplicitOrder);
    describe(descriptor);
  }
  void track(uint32_t number, uint32_t core, std::string_view name, uint32_t rank) override {
    Message descriptor;
    descriptor.number(field::kUuid, number);
    descriptor.text(field::kName, name);
    descriptor.number(field::kParentUuid, core);
    descriptor.number(field::kSiblingRank, rank);
    describe(descriptor);
  }
  void counter(uint32_t number, uint32_t core, std::string_view name) override {
    Message unit, descriptor;
    unit.number(field::kUnit, kUnitBytes);
    descriptor.number(field::kUuid, number);
    descriptor.text(field::kName, name);
    descriptor.number(field::kParentUuid, core);
    descriptor.message(field::kCounter, unit);
    descriptor.number(field::kSiblingRank, std::size(kListedPipes));
    describe(descriptor);
  }

  void slice(const TraceSlice &shown, const TraceSite &site, const TraceSite *cause) override {
    const Slice &slice = shown.slice;
    event.clear();
    event.number(field::kType, kSliceBegin);
    event.number(field::kTrackUuid, shown.track);
    event.number(field::kNameIid, names.find(site.name, fresh));
    if (site.line)
      event.number(field::kSourceLocationIid, locationOf(site));
    annotate("block", uint64_t(slice.track.block));
    if (!site.source.empty())
      annotate("source", site.source);
    if (!site.text.empty())
      annotate("instruction", site.text);
    if (slice.bytes) {
      annotate("bytes", slice.bytes);
      annotate("path", pathName(slice.from, slice.to));
    }
    annotate("issued", slice.issued);
    if (slice.visible > slice.end)
      annotate("visible", slice.visible);
    if (slice.waited > 0) {
      annotate("waited", slice.waited);
      annotate("waited for", std::string(nameOf(slice.reason)));
      if (cause)
        annotate("cause", cause->source + " " + cause->name);
    }
    for (uint64_t id : shown.flowsOut)
      event.fixed64(field::kFlowId, id);
    for (uint64_t id : shown.flowsIn)
      event.fixed64(field::kTerminatingFlowId, id);
    packet(wholeCycles(slice.start), event);

    event.clear();
    event.number(field::kType, kSliceEnd);
    event.number(field::kTrackUuid, shown.track);
    packet(wholeCycles(slice.end), event);
  }
  void value(uint32_t counter, uint64_t time, int64_t bytes) override {
    event.clear();
    event.number(field::kType, kCounterEvent);
    event.number(field::kTrackUuid, counter);
    event.number(field::kCounterValue, uint64_t(bytes));
    packet(time, event);
  }
  void end() override {}

private:
  static constexpr uint64_t kRoot = 1ull << 40, kSequence = 1;

  /// Texts of one kind and their numbers.
  class Interner {
  public:
    explicit Interner(unsigned tag) : tag(tag) {}
    uint64_t find(const std::string &text, Message &fresh) {
      auto [it, isNew] = numbers.try_emplace(text, numbers.size() + 1);
      if (isNew) {
        Message entry;
        entry.number(field::kIid, it->second);
        entry.text(field::kText, text);
        fresh.message(tag, entry);
      }
      return it->second;
    }

  private:
    unsigned tag;
    std::unordered_map<std::string, uint64_t> numbers;
  };

  uint64_t locationOf(const TraceSite &site) {
    auto [it, isNew] = locations.try_emplace(&site, locations.size() + 1);
    if (isNew) {
      Message entry;
      entry.number(field::kIid, it->second);
      entry.text(field::kText, site.file);
      entry.number(field::kLineNumber, site.line);
      fresh.message(field::kSourceLocations, entry);
    }
    return it->second;
  }

  void beginAnnotation(const char *name) {
    annotation.clear();
    annotation.number(field::kAnnotationNameIid, annotationNames.find(name, fresh));
  }
  void annotate(const char *name, uint64_t value) {
    beginAnnotation(name);
    annotation.number(field::kUintValue, value);
    event.message(field::kAnnotation, annotation);
  }
  void annotate(const char *name, double value) {
    beginAnnotation(name);
    annotation.real(field::kDoubleValue, value);
    event.message(field::kAnnotation, annotation);
  }
  void annotate(const char *name, const std::string &value) {
    beginAnnotation(name);
    annotation.number(field::kStringIid, strings.find(value, fresh));
    event.message(field::kAnnotation, annotation);
  }

  void packet(uint64_t time, const Message &event) {
    body.clear();
    body.number(field::kTimestamp, time);
    if (!fresh.empty()) {
      body.message(field::kInternedData, fresh);
      fresh.clear();
    }
    body.message(field::kTrackEvent, event);
    write(kNeedsState);
  }
  void describe(const Message &descriptor) {
    body.clear();
    body.message(field::kTrackDescriptor, descriptor);
    write(0);
  }
  void write(unsigned flags) {
    body.number(field::kSequenceId, kSequence);
    flags |= isFirst ? kStateCleared : 0;
    isFirst = false;
    if (flags)
      body.number(field::kSequenceFlags, flags);
    framed.clear();
    framed.message(field::kPacket, body);
    out.write(framed.view());
  }

  bool isFirst = true;
  Interner names{field::kEventNames}, annotationNames{field::kAnnotationNames}, strings{field::kAnnotationStrings};
  std::unordered_map<const TraceSite *, uint64_t> locations;
  Message fresh; ///< interned data that the next packet brings
  // Reused between packets.
  Message event, annotation, body, framed;
};

} // namespace

std::unique_ptr<TraceFormat> makePerfettoFormat(OutputStream &out) { return std::make_unique<PerfettoFormat>(out); }

} // namespace ptoscope::timing
