//===- Async.cpp - transfers that run by themselves -----------------------===//
//
// COMM-50 to COMM-56. An engine may move the data at any time between the start and the
// wait: eager schedules move it at the start, the others at the wait.
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "pto/detail/comm_abi.hpp"
#include "ptoscope/Machine/CommSentences.h"
#include "ptoscope/Machine/Signals.h"

#include <algorithm>
#include <cstring>
#include <deque>

namespace ptoscope::tile {

/// Transfers that a session may have in flight.
static constexpr uint64_t kMaxOutstanding = 64;
enum Engine : uint32_t { Sdma, Urma, Rdma };

namespace {
struct Transfer {
  GlobalRef dst, src;
  uint64_t number;
};
struct Session {
  const PtoContext *core;
  uint32_t engine;
  int64_t peer;
  SiteId last = kNoSite; ///< where the last transfer was started
  uint64_t started = 0, finished = 0, tested = 0;
  std::deque<Transfer> waiting; ///< their data has not moved
};

int64_t countOf(const GlobalRef &ref) {
  return extentProduct(ref.shape[0], ref.shape[1], ref.shape[2], ref.shape[3], ref.shape[4]);
}
bool isEmpty(const GlobalRef &ref) {
  return std::any_of(std::begin(ref.shape), std::end(ref.shape), [](int64_t extent) { return extent <= 0; });
}
/// Elements follow each other without gaps.
bool isFlat(const GlobalRef &ref) {
  int64_t expected = 1;
  for (size_t i = 5; i-- > 0;) {
    if (ref.shape[i] > 1 && ref.stride[i] != expected)
      return false;
    expected *= ref.shape[i];
  }
  return true;
}
Box boxOf(const GlobalRef &ref) {
  Box box;
  box.base = reinterpret_cast<uintptr_t>(ref.pointer);
  box.rowBytes = bitsOf(ref.elem) / 8;
  for (size_t i = 5; i-- > 0;)
    box.dims.push_back({uint64_t(ref.shape[i]), ref.stride[i] * int64_t(bitsOf(ref.elem) / 8)});
  box.normalise();
  return box;
}

void move(const Transfer &transfer) {
  const size_t bytes = bitsOf(transfer.src.elem) / 8;
  if (isFlat(transfer.src) && isFlat(transfer.dst)) {
    std::memmove(transfer.dst.pointer, transfer.src.pointer, size_t(countOf(transfer.src)) * bytes);
    return;
  }
  const int64_t *n = transfer.src.shape;
  int64_t at[5] = {};
  while (true) {
    int64_t from = 0, to = 0;
    for (size_t i = 0; i < 5; ++i) {
      from += at[i] * transfer.src.stride[i];
      to += at[i] * transfer.dst.stride[i];
    }
    std::memcpy(static_cast<uint8_t *>(transfer.dst.pointer) + to * int64_t(bytes),
                static_cast<const uint8_t *>(transfer.src.pointer) + from * int64_t(bytes), bytes);
    size_t dim = 5;
    while (dim > 0 && ++at[dim - 1] == n[dim - 1])
      at[--dim] = 0;
    if (dim == 0)
      return;
  }
}
} // namespace

struct Sessions {
  std::mutex mutex;
  std::deque<Session> all;

  ~Sessions() {
    for (Session &session : all)
      for (const Transfer &transfer : session.waiting)
        move(transfer);
  }
};

/// Null when there is no such session, which was reported.
static Session *sessionOf(Context &context, uint64_t number, SiteId site) {
  Sessions *sessions = context.launch.sessions.get();
  if (sessions) {
    std::lock_guard lock(sessions->mutex);
    if (number - 1 < sessions->all.size())
      if (Session &session = sessions->all[number - 1]; session.core == context.core)
        return &session;
  }
  context.report(site, say::kAsyncNoSession());
  return nullptr;
}

/// False: there is no such rank, and that was reported.
static bool deviceExists(Context &context, SiteId site, int64_t rank) {
  if (rank >= -1 && rank < devicesOf(context.core))
    return true;
  context.report(site, say::kNoSuchDevice(rank, devicesOf(context.core)));
  return false;
}

uint64_t openSession(uint32_t engine, int64_t peer, const Source &source) {
  Context &context = Context::here();
  const SiteId site = context.siteOf("BuildAsyncSession", source).id;
  if (!deviceExists(context, site, peer))
    return 0;
  if (const Profile &profile = profileOf(context.core); engine != Sdma && profile.id != ProfileId::A5) {
    context.report(site, say::kEngineOfA5(engine == Urma ? "URMA" : "RDMA", profile.name));
    return 0;
  }
  std::shared_ptr<Sessions> sessions;
  {
    std::lock_guard lock(context.launch.mutex);
    if (!context.launch.sessions)
      context.launch.sessions = std::make_shared<Sessions>();
    sessions = context.launch.sessions;
  }
  std::lock_guard lock(sessions->mutex);
  Session &session = sessions->all.emplace_back();
  session.core = context.core;
  session.engine = engine;
  session.peer = peer;
  return sessions->all.size();
}

/// Why an engine does not take such a transfer; null when it does.
static const char *refusalOf(uint32_t engine, const GlobalRef &dst, const GlobalRef &src) {
  if (dst.elem != src.elem)
    return "the element types of the tensors differ";
  if (bitsOf(src.elem) < 8)
    return "two elements share a byte";
  if (engine == Rdma)
    return std::equal(dst.shape, std::end(dst.shape), src.shape) ? nullptr : "the extents of the tensors differ";
  if (!isFlat(dst) || !isFlat(src))
    return "a tensor is not contiguous, and this engine copies flat memory";
  return countOf(dst) == countOf(src) ? nullptr : "the tensors have different numbers of elements";
}

uint64_t startTransfer(uint64_t number, const CommPlace &place, const GlobalRef &dst, const GlobalRef &src,
                       int64_t peer) {
  Context &context = Context::here();
  const SiteId site = context.siteOf(place.name, place.source).id;
  Session *session = sessionOf(context, number, site);
  if (!session || !deviceExists(context, site, peer))
    return 0;
  if (const char *refusal = refusalOf(session->engine, dst, src)) {
    context.report(site, say::kAsyncNotStarted(refusal));
    return 0;
  }
  if (isEmpty(src))
    return 0;
  if (session->started - session->finished >= kMaxOutstanding)
    context.report(site, say::kAsyncTooMany(session->started - session->finished + 1));
  EngineTransfer event{number, session->started + 1, boxOf(src), boxOf(dst)};
  bool started = false;
  context.leave(startEngine(context.core, site, event, started));
  if (!started)
    return 0;
  const Transfer transfer{dst, src, ++session->started};
  session->last = site;
  if (scheduleOf(context.core) == ScheduleKind::Eager)
    move(transfer);
  else
    session->waiting.push_back(transfer);
  return transfer.number;
}

static void finish(Context &context, SiteId site, uint64_t number, Session &session, uint64_t upTo) {
  while (!session.waiting.empty() && session.waiting.front().number <= upTo) {
    move(session.waiting.front());
    session.waiting.pop_front();
  }
  session.finished = std::max(session.finished, upTo);
  context.leave(finishEngine(context.core, site, number, upTo));
}

void finishTransfers(uint64_t number, uint64_t upTo, const Source &source) {
  Context &context = Context::here();
  const SiteId site = context.siteOf("Wait", source).id;
  if (Session *session = sessionOf(context, number, site))
    finish(context, site, number, *session, upTo);
}

bool testTransfers(uint64_t number, uint64_t upTo, const Source &source) {
  Context &context = Context::here();
  const SiteId site = context.siteOf("Test", source).id;
  Session *session = sessionOf(context, number, site);
  if (!session)
    return false;
  // Where transfers are held back, the first look comes too early.
  const bool early = session->finished < upTo && scheduleOf(context.core) != ScheduleKind::Eager &&
                     std::exchange(session->tested, upTo) < upTo;
  if (early)
    context.leave(yieldTurn(context.core, site));
  else
    finish(context, site, number, *session, upTo);
  return !early;
}

void tellLeftTransfers(Context &context) {
  if (!context.launch.sessions)
    return;
  for (const Session &session : context.launch.sessions->all)
    if (session.core == context.core && session.finished < session.started)
      context.report(session.last, say::kAsyncLeft(session.started - session.finished));
}

} // namespace ptoscope::tile
