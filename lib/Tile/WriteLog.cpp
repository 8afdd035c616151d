//===- WriteLog.cpp - who wrote what, for comparisons of runs -------------===//

#include "ptoscope/Tile/WriteLog.h"

#include "ptoscope/Checkers/OrderEdges.h"
#include "ptoscope/Machine/Onlooker.h"
#include "ptoscope/Tile/Looks.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>

namespace ptoscope::tile {

namespace {
constexpr uint32_t kNone = GmHistory::kNone;

/// Rows of bytes, as a sequence.
struct Rows {
  std::vector<std::pair<uint64_t, uint64_t>> list; ///< address, bytes

  explicit Rows(const Box &box) {
    box.forEachRow([&](uint64_t begin, uint64_t bytes) { list.emplace_back(begin, bytes); });
  }
  Rows(const Box &box, const GmObject *object) : Rows(box) {
    // Of GM only what is there.
    for (auto &[begin, bytes] : list)
      if (object)
        bytes = begin < object->base || begin >= object->base + object->bytes
                    ? 0
                    : std::min(bytes, object->base + object->bytes - begin);
  }
  uint64_t bytes() const {
    uint64_t sum = 0;
    for (const auto &[begin, bytes] : list)
      sum += bytes;
    return sum;
  }
};

class Digest {
public:
  void add(const uint8_t *from, uint64_t bytes) {
    for (; bytes >= 8; from += 8, bytes -= 8) {
      uint64_t word;
      std::memcpy(&word, from, 8);
      mix(word);
    }
    for (; bytes; ++from, --bytes)
      mix(*from);
  }
  uint64_t value() const { return state; }

private:
  void mix(uint64_t word) {
    state = (state ^ word) * 0x9e3779b97f4a7c15u;
    state ^= state >> 29;
  }
  uint64_t state = 0xcbf29ce484222325u;
};

/// The last write of each byte of a memory, as far as it was written.
struct Shadow {
  std::vector<uint32_t> write, producer;
  void reach(uint64_t end) {
    if (write.size() < end) {
      write.resize(end, kNone);
      producer.resize(end, kNone);
    }
  }
};
} // namespace

class WriteLog::Impl final : public Onlooker {
public:
  void direct(const PtoContext *core, SiteId site, const DirectInstruction &instruction) override {
    std::lock_guard lock(mutex);
    std::vector<DirectRegion> regions;
    if (instruction.regions)
      instruction.regions(instruction.payload, regions);
    const DirectRegion *source = nullptr; ///< the first that it takes bytes from
    for (const DirectRegion &region : regions)
      if (!source && !ptoscope::writes(region.role))
        source = &region;
    for (const DirectRegion &region : regions) {
      if (!ptoscope::writes(region.role) || region.role == DirectRole::Scratch || region.box.empty())
        continue;
      const GmObject *object = region.space == Space::Gm ? objectAt(core, region.box.base) : nullptr;
      if (region.space == Space::Gm && !object)
        continue;
      const bool local = source && source->space != Space::Gm;
      const Box from = local ? source->box : Box();
      put(core, site, region.space, object, region.box, zeroOf(core, region), from, local ? zeroOf(core, *source) : 0);
    }
  }
  void transfer(const PtoContext *core, SiteId site, const SeenSide &src, const SeenSide &dst) override {
    std::lock_guard lock(mutex);
    if (dst.space == Space::Gm && !dst.object)
      return;
    put(core, site, dst.space, dst.object, dst.box, dst.zero, src.space == Space::Gm ? Box() : src.box, src.zero);
  }
  void store(const PtoContext *core, SiteId site, uint32_t address, uint32_t bytes, const uint64_t *active) override {
    std::lock_guard lock(mutex);
    std::vector<std::tuple<uint64_t, uint64_t, SiteId>> &own = stored[core];
    for (uint32_t at = 0; at < bytes; ++at) {
      if (active && !(active[at / 64] >> (at % 64) & 1))
        continue;
      auto *last = own.empty() ? nullptr : &own.back();
      if (last && std::get<1>(*last) == address + at && std::get<2>(*last) == site)
        ++std::get<1>(*last);
      else
        own.emplace_back(address + at, address + at + 1, site);
    }
  }
  void scope(const PtoContext *core, SiteId) override {
    std::lock_guard lock(mutex);
    auto own = std::exchange(stored[core], {});
    const uintptr_t zero = reinterpret_cast<uintptr_t>(core->local[size_t(Space::Ub)]);
    for (const auto &[begin, end, site] : own)
      put(core, site, Space::Ub, nullptr, {begin, end - begin, {}}, zero, {}, 0);
  }
  void value(const PtoContext *, uint32_t, const void *) override {}

  std::vector<LoggedWrite> all;
  std::map<uint32_t, Shadow> gm; ///< by object
  bool isComplete = true;

private:
  void put(const PtoContext *core, SiteId site, Space space, const GmObject *object, const Box &box, uintptr_t zero,
           const Box &from, uintptr_t fromZero) {
    const Rows rows(box, object);
    const uint64_t bytes = rows.bytes();
    if (bytes == 0)
      return;
    if (all.size() == kMaxWrites || (object && object->bytes > kMaxObjectBytes)) {
      isComplete = false;
      return;
    }
    Digest digest;
    for (const auto &[begin, n] : rows.list)
      digest.add(reinterpret_cast<const uint8_t *>(zero + begin), n);
    const uint32_t number = uint32_t(all.size());
    all.push_back({site, core->blockIdx, space, bytes, digest.value()});
    if (!object) {
      Shadow &shadow = local[zero];
      for (const auto &[begin, n] : rows.list) {
        shadow.reach(begin + n);
        std::fill_n(shadow.write.begin() + ptrdiff_t(begin), n, number);
      }
      return;
    }
    Shadow &shadow = gm[object->index];
    shadow.reach(object->bytes);
    const Rows sources(from);
    const Shadow *chip = from.empty() ? nullptr : &local[fromZero];
    const bool alike = sources.bytes() == bytes; // byte by byte; else any byte stands for all
    uint64_t at = 0;
    size_t row = 0;
    uint64_t used = 0;
    for (const auto &[begin, n] : rows.list)
      for (uint64_t i = 0; i < n; ++i, ++at) {
        uint32_t producer = kNone;
        if (chip && !sources.list.empty()) {
          while (alike && row < sources.list.size() && used == sources.list[row].second) {
            ++row;
            used = 0;
          }
          const uint64_t address = alike ? sources.list[row].first + used : sources.list[0].first;
          producer = address < chip->write.size() ? chip->write[address] : kNone;
          used += alike;
        }
        const size_t offset = size_t(begin - object->base + i);
        shadow.write[offset] = number;
        shadow.producer[offset] = producer;
      }
  }

  std::map<uintptr_t, Shadow> local; ///< by the host's address of byte 0
  std::map<const PtoContext *, std::vector<std::tuple<uint64_t, uint64_t, SiteId>>> stored; ///< by running scopes
  std::mutex mutex;
};

WriteLog::WriteLog() : impl(std::make_unique<Impl>()) {}
WriteLog::~WriteLog() = default;
Onlooker *WriteLog::onlooker() { return impl.get(); }
const std::vector<LoggedWrite> &WriteLog::writes() const { return impl->all; }
bool WriteLog::isComplete() const { return impl->isComplete; }

std::vector<GmHistory> WriteLog::historyOf(uint32_t object) const {
  std::vector<GmHistory> runs;
  const auto found = impl->gm.find(object);
  if (found == impl->gm.end())
    return runs;
  const Shadow &shadow = found->second;
  for (uint64_t at = 0; at < shadow.write.size(); ++at) {
    if (shadow.write[at] == kNone)
      continue;
    if (!runs.empty() && runs.back().end == at && runs.back().write == shadow.write[at] &&
        runs.back().producer == shadow.producer[at])
      ++runs.back().end;
    else
      runs.push_back({at, at + 1, shadow.write[at], shadow.producer[at]});
  }
  return runs;
}

using Json = nlohmann::ordered_json;

static Json siteOrNull(SiteId site) { return site == kNoSite ? Json(nullptr) : Json(site); }

Json recordingOf(const SiteTable &sites, const OrderEdges *edges, const WriteLog *log,
                 std::span<const GmObject> objects) {
  Json json = {{"sites", Json::array()}};
  for (SiteId site = 0; site < sites.size(); ++site)
    json["sites"].push_back({{"file", sites[site].place.file},
                             {"line", sites[site].place.line},
                             {"column", sites[site].place.column},
                             {"op", sites[site].op}});
  if (edges) {
    const auto end = [](const OrderEdge::End &end) {
      const std::string_view pipe = nameOf(end.pipe);
      return Json{{"core", end.cube ? "AIC" : "AIV"},
                  {"pipe", std::string(pipe.starts_with("PIPE_") ? pipe.substr(5) : pipe)},
                  {"site", end.site}};
    };
    json["work"] = Json::array();
    for (const OrderEdge::End &work : edges->work())
      json["work"].push_back(end(work));
    json["edges"] = Json::array();
    for (const OrderEdge &edge : edges->edges())
      json["edges"].push_back({{"from", end(edge.from)},
                               {"to", end(edge.to)},
                               {"turns", edge.turns},
                               {"means", std::string(nameOf(edge.means))},
                               {"id", edge.id < 0 ? Json(nullptr) : Json(edge.id)},
                               {"waited", siteOrNull(edge.waited)},
                               {"signaled", siteOrNull(edge.signaled)}});
    json["edgesComplete"] = edges->isComplete();
  }
  if (!log)
    return json;
  json["writes"] = Json::array();
  for (const LoggedWrite &write : log->writes())
    json["writes"].push_back({write.site, write.block, std::string(nameOf(write.space)), write.bytes, write.digest});
  json["writesComplete"] = log->isComplete();
  json["objects"] = Json::array();
  for (const GmObject &object : objects) {
    Json history = Json::array();
    for (const GmHistory &run : log->historyOf(object.index))
      history.push_back({run.begin, run.end, run.write, run.producer == kNone ? Json(nullptr) : Json(run.producer)});
    json["objects"].push_back(
        {{"name", object.name}, {"index", object.index}, {"bytes", object.bytes}, {"history", history}});
  }
  return json;
}

} // namespace ptoscope::tile
