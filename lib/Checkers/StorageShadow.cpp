//===- StorageShadow.cpp - which tile the bytes of a memory belong to -----===//

#include "ptoscope/Checkers/StorageShadow.h"

#include "ReportText.h"
#include "ptoscope/Checkers/Reporter.h"
#include "ptoscope/Machine/TileSentences.h"

namespace ptoscope {

bool StorageShadow::isFreeFor(uint32_t storage, uint64_t begin, uint64_t end) const {
  bool isFree = true;
  owners.visit(begin, end, [&](uint64_t, uint64_t, const Owner &owner) {
    return isFree = owner.storage == storage || owner.storage == kUnknown;
  });
  return isFree;
}

void StorageShadow::take(uint64_t begin, uint64_t end, const Owner &by) {
  if (by.storage != kUnknown)
    owners.visit(begin, end, [&](uint64_t from, uint64_t to, const Owner &owner) {
      if (owner.storage != by.storage && owner.storage != kUnknown)
        storages[owner.storage].lost.assign(from, to, {owner.site, by});
      return true;
    });
  owners.assign(begin, end, by);
}

void StorageShadow::write(CoreId core, uint32_t number, SiteId site, const Box &box) {
  if (box.empty())
    return;
  const Owner by{indexOf(core, number), site};
  const uint64_t begin = box.lowest(), end = box.end();
  // Gaps between the rows of a tile are its own as well, unless another has them.
  if (box.dims.empty() || (by.storage != kUnknown && isFreeFor(by.storage, begin, end)))
    return take(begin, end, by);
  Box rows = box;
  rows.normalise();
  rows.forEachRow([&](uint64_t start, uint64_t bytes) { take(start, start + bytes, by); });
}

std::optional<StorageShadow::Loss> StorageShadow::read(CoreId core, uint32_t number, const Box &box) const {
  const uint32_t index = indexOf(core, number);
  if (box.empty() || index == kUnknown || isFreeFor(index, box.lowest(), box.end()))
    return std::nullopt;
  const Known &known = storages[index];
  std::optional<Loss> loss;
  box.forEachRow([&](uint64_t start, uint64_t bytes) {
    if (loss)
      return;
    owners.visit(start, start + bytes, [&](uint64_t from, uint64_t to, const Owner &owner) {
      if (owner.storage == index || owner.storage == kUnknown)
        return true;
      known.lost.visit(from, to, [&](uint64_t begin, uint64_t end, const Taken &taken) {
        loss = {known.storage, storages[taken.by.storage].storage, taken.writer, taken.by.site, begin, end};
        return false;
      });
      return !loss;
    });
  });
  return loss;
}

void Reporter::clobbered(const Instr &instr, Space space, const StorageShadow::Loss &loss) {
  Seen *entry = firstTime(TileClobbered, instr.site, loss.overwriter, 1u << instr.core.index);
  if (!entry)
    return;
  const auto &sentence = loss.isReinterpreted() ? say::kReinterpreted : say::kClobbered;
  Finding finding = words.finding(instr.site, sentence(space, words.opText(loss.overwriter)));
  if (loss.isReinterpreted())
    finding.severity = Severity::Warning;
  const ReportBytes bytes{space, nullptr, loss.begin, loss.end};
  finding.bytes = rangeOf(bytes);
  finding.iterations = iterationsNow(instr, instr.site);
  auto tileText = [&](const Storage &storage) {
    return say::kTileOf(sites.placeOf(storage.site),
                        bytesText(ReportBytes{space, nullptr, storage.begin, storage.end}));
  };
  finding.notes.push_back({sites.placeOf(instr.site),
                           say::kClobberedBytes(bytesText(bytes), iterationText(instr.site, finding.iterations))});
  finding.notes.push_back(
      {sites.placeOf(loss.writer), say::kTileWritten(words.opText(loss.writer), tileText(loss.storage))});
  finding.notes.push_back(
      {sites.placeOf(loss.overwriter), say::kTileOverwritten(words.opText(loss.overwriter), tileText(loss.by))});
  emit(*entry, std::move(finding));
}

} // namespace ptoscope
