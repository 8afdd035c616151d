//===- MissingSets.cpp - the set that a wait for another core lacks -------===//

#include "Group/MissingSets.h"

#include "ptoscope/Machine/ClusterSentences.h"
#include "ptoscope/Machine/OrderSentences.h"
#include "ptoscope/Machine/Remedies.h"

#include <bit>

namespace ptoscope {

static std::string messageLine(Pipe pipe, SignalMode mode, int64_t id) {
  if (mode == SignalMode::Kind)
    return "pto.set_cross_block <" + std::string(nameOf(pipe)) + ">, " + std::to_string(id);
  return semaphoreLine("set", pipe, id) + " {ffts_mode = " + (mode == SignalMode::Vectors ? "1" : "2") + " : i32}";
}

SignalMode modeOf(const Core &waiting, const Operation &entry, int64_t id) {
  const Semaphore &semaphore = waiting.setup.cluster->at(waiting.sync.ownSemaphore(id));
  if (id < kKindSemaphores || semaphore.used())
    return semaphore.mode;
  const bool ofKind =
      waiting.report.isCpp() || waiting.report.opText(entry.site).find("cross_block") != std::string::npos;
  return ofKind ? SignalMode::Kind : SignalMode::Message;
}

std::string missingSetHelp(const Core &waiting, int64_t id, SignalMode mode) {
  const bool cpp = waiting.report.isCpp(), pipeSemaphores = waiting.sync.pipeSemaphores;
  const Cluster &cluster = *waiting.setup.cluster;
  bool cubeWaits = waiting.id.index == 0;
  if (id >= kKindSemaphores || (cpp && !pipeSemaphores)) {
    const bool ofCube = mode == SignalMode::Kind ? cubeWaits : mode != SignalMode::Vectors && !cubeWaits;
    const char *who = mode == SignalMode::Kind                             ? "every core of its kind"
                      : mode == SignalMode::Vectors || (cubeWaits && !cpp) ? "both vector cores"
                      : cubeWaits                                          ? "every vector core of the cluster"
                                                                           : "the cube core";
    const Pipe pipe = ofCube ? Pipe::FIX : Pipe::MTE3;
    const int64_t n = id % kKindSemaphores;
    const unsigned number = unsigned(mode == SignalMode::Message ? SignalMode::Cluster : mode);
    return say::kSignalCpp(who, cpp ? signalLine(pipe, number, n) : messageLine(pipe, mode, n), waiting.id);
  }
  if (!pipeSemaphores)
    return say::kSignal(cubeWaits ? "both vector cores" : "the cube core", id, waiting.id);
  const Pipe pipe = cubeWaits ? Pipe::MTE3 : Pipe::FIX;
  auto line = [&](int64_t sent) { return cpp ? intraBlockLine("set", pipe, sent) : semaphoreLine("set", pipe, sent); };
  // What the text lacks for both vector cores is missing twice: they run the same lines.
  const int64_t low = id % kVectorSemaphores, high = low + kVectorSemaphores;
  const SiteTable *sites = waiting.report.sites;
  const NamedIds named = cpp || !sites ? NamedIds()
                         : cubeWaits   ? sites->semaphores.ofCube
                                       : sites->semaphores.ofVectors;
  const bool lacksBoth = !cpp && !named.computed && cluster.cores[1] && cluster.cores[2] &&
                         !((named.set >> low | named.set >> high) & 1) &&
                         (named.waited >> low & named.waited >> high & 1);
  if (lacksBoth && cubeWaits)
    return say::kIssueSemaphore(line(low), "both vector cores", waiting.id);
  if (lacksBoth)
    return say::kIssueBoth(line(low), line(high), waiting.id);
  std::string sender = !cubeWaits ? "AIC" : id < kVectorSemaphores ? "AIV0" : "AIV1";
  return say::kIssueSemaphore(line(cubeWaits ? low : id + (waiting.id.index == 2 ? kVectorSemaphores : 0)), sender,
                              waiting.id);
}

int64_t meantByCube(const Core &waiting, int64_t id) {
  const Report &report = waiting.report;
  if (!report.sites || report.isCpp() || !waiting.sync.pipeSemaphores || waiting.id.index != 0 || id >= kCubeSemaphores)
    return -1;
  const NamedIds &named = report.sites->semaphores.ofCube;
  const int64_t twin = (id + kVectorSemaphores) % kCubeSemaphores, first = id - id % kVectorSemaphores;
  // What the text sets, one of the vector cores may leave out.
  uint32_t lost = named.computed ? 0 : named.lost();
  for (int64_t other = 0; other < kCubeSemaphores; ++other)
    if (!waiting.setup.cluster->at({0, other}).used())
      lost &= ~(1u << other);
  const uint32_t ofSender = lost >> first & 0xffff;
  // Vector cores set the same numbers: that of the other one, or a number that both set.
  return lost >> twin & 1 ? twin : ofSender ? std::countr_zero(ofSender) + first : -1;
}

void explainUnset(Finding &finding, const Core &waiting, int64_t id) {
  const Report &report = waiting.report;
  if (int64_t meant = meantByCube(waiting, id); meant >= 0) {
    const Place set = report.place(report.sites->semaphores.ofCube.setAt[size_t(meant)]);
    nameCause(finding, set, say::kWaitSlip(meant < kVectorSemaphores ? "AIV0" : "AIV1", meant));
    finding.help = say::kWaitSlipHelp(meant, id);
    return;
  }
  if (!report.sites || report.isCpp() || !waiting.sync.pipeSemaphores || waiting.id.index == 0 ||
      id >= kVectorSemaphores)
    return;
  const CoreId other{uint8_t(3 - waiting.id.index)};
  const NamedIds &named = report.sites->semaphores.ofVectors;
  const int64_t own = id + (waiting.id.index == 2 ? kVectorSemaphores : 0);
  const int64_t beside = id + (other.index == 2 ? kVectorSemaphores : 0);
  if (named.computed || named.set >> own & 1)
    return;
  // The cube core may name it by a wrong number.
  const uint32_t lost = named.lost() >> (own - id) & 0xffff;
  if (lost) {
    const int64_t written = std::countr_zero(lost) + own - id;
    const Place set = report.place(named.setAt[size_t(written)]);
    nameCause(finding, set, say::kSemaphoreSlip(written, own));
    finding.help = say::kSemaphoreSlipHelp(set, own);
    return;
  }
  if (!(named.set >> beside & 1))
    return;
  const Place at = report.place(named.setAt[size_t(beside)]);
  nameCause(finding, at, say::kOtherVectorUnset(beside, other, own, waiting.id));
  const Pipe pipe = waiting.setup.cluster->at({other.index, id}).senders[0].pipe;
  if (pipe == Pipe::All)
    return;
  const std::string line = semaphoreLine("set", pipe, own);
  finding.remedies.push_back({say::kAdd(line, at), {{at, false, line}}});
}

} // namespace ptoscope
