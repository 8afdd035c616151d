//===- Scope.cpp - inside a running vector scope --------------------------===//
//
// Runs a scope's function, checks its vector accesses before they are made and
// forwards them to the observer. A bad access is suppressed: a load reads
// zeros, a store goes to scratch memory.
//
//===----------------------------------------------------------------------===//

#include "Core.h"

#include <algorithm>
#include <cstring>

namespace ptoscope {

void Core::executeScope(const Entry &entry) {
  ++stats.scopes;
  runningScope = &entry;
  scopeInstr = instr(entry);
  scopeInstr.scopeIterations = scopeIterations;
  if (observer)
    observer->scopeBegin(scopeInstr);
  entry.function(this, entry.captures);
  if (!storeBuffer.empty())
    storeBuffer.drain(random);
  if (observer)
    observer->scopeEnd(scopeInstr);
  runningScope = nullptr;
  if (memories.faulted())
    reportFault(entry);
}

void Core::reportFault(const Entry &entry) {
  LocalFault fault = memories.fault();
  memories.closeFaultedPages();
  uint64_t size = bytesOf(fault.space);
  Finding f = finding(fault.space == Space::Ub ? "ub-out-of-bounds" : "local-out-of-bounds", entry.site,
                      "an access of " + opName(entry.site) + " touches " + spaceText(fault.space) + " byte " +
                          hex(fault.address) + ", " + std::to_string(fault.address - size + 1) +
                          (fault.address == size ? " byte" : " bytes") + " beyond its " +
                          std::to_string(size) + " bytes");
  f.help = "run with `--check memory` for the exact instruction";
  f.bytes = ByteRange{std::string(nameOf(fault.space)), "", fault.address, fault.address + 1};
  fatal(std::move(f));
}

/// Highest touched byte of a window, plus one; 0 when none is.
static uint32_t touchedEnd(const uint64_t *touched, uint32_t windowBytes) {
  if (!touched)
    return windowBytes;
  for (uint32_t word = (windowBytes + 63) / 64; word-- > 0;) {
    uint64_t bits = touched[word];
    uint32_t left = windowBytes - word * 64;
    if (left < 64)
      bits &= (uint64_t(1) << left) - 1;
    if (bits)
      return word * 64 + 64 - uint32_t(__builtin_clzll(bits));
  }
  return 0;
}

static uint32_t touchedBegin(const uint64_t *touched, uint32_t windowBytes) {
  if (!touched)
    return 0;
  for (uint32_t word = 0; word * 64 < windowBytes; ++word)
    if (touched[word])
      return word * 64 + uint32_t(__builtin_ctzll(touched[word]));
  return windowBytes;
}

/// True when the access may be made as it is.
bool Core::windowInside(SiteId site, uint32_t address, uint32_t windowBytes, uint32_t alignment,
                        const uint64_t *touched, std::string_view verb) {
  uint64_t size = bytesOf(Space::Ub);
  if (windowBytes > kWindowBytes) {
    internalError(site, "a vector access of " + std::to_string(windowBytes) + " bytes");
    return false;
  }
  if (checks.memory && alignment > 1 && address % alignment != 0) {
    Finding f = finding("ub-misaligned", site,
                        accessName(site) + " " + std::string(verb) + " UB at byte " + hex(address) +
                            ", which is no multiple of " + std::to_string(alignment));
    f.help = "align the address, or use the instructions for unaligned access";
    f.bytes = ByteRange{"ub", "", address, uint64_t(address) + windowBytes};
    reportAccess(site, std::move(f));
    return false;
  }
  uint64_t end = uint64_t(address) + windowBytes;
  if (end <= size)
    return true;
  uint64_t reach = uint64_t(address) + touchedEnd(touched, windowBytes);
  uint64_t first = uint64_t(address) + touchedBegin(touched, windowBytes);
  if (reach <= size || first >= end)
    return true;
  Finding f = finding("ub-out-of-bounds", site,
                      accessName(site) + " " + std::string(verb) + " UB bytes " + hex(first) + ".." +
                          hex(reach - 1) + " (a window of " + std::to_string(windowBytes) + " bytes at " +
                          hex(address) + "), " + std::to_string(reach - std::max<uint64_t>(size, first)) +
                          " of them beyond the " + std::to_string(size) + " bytes of UB");
  f.help = "check base, offset (in elements) and loop bound";
  f.bytes = ByteRange{"ub", "", first, reach};
  reportAccess(site, std::move(f));
  return false;
}

const uint8_t *Core::checkLoad(SiteId site, uint32_t address, uint32_t windowBytes, uint32_t alignment,
                               const uint64_t *used, PtoLoadShadow *shadow) {
  ++stats.vectorAccesses;
  if (!shadow || !observer || !runningScope || !plainWindow(address, windowBytes, alignment)) [[unlikely]]
    return checkOddLoad(site, address, windowBytes, alignment, used, shadow);
  // The register is wider than some windows; what else it holds is defined.
  for (uint32_t word = windowBytes / 64; word < kVectorBytes / 64; ++word)
    shadow->defined[word] = ~uint64_t(0);
  LocalAccess access{site, Space::Ub, nullptr, address, windowBytes, used, VectorLoad, true};
  shadow->stamp = observer->vectorLoad(scopeInstr, access, shadow->defined);
  return memory(Space::Ub) + address;
}

/// Any load, step by step.
const uint8_t *Core::checkOddLoad(SiteId site, uint32_t address, uint32_t windowBytes, uint32_t alignment,
                                  const uint64_t *used, PtoLoadShadow *shadow) {
  PtoLoadShadow unwanted;
  if (!shadow)
    shadow = &unwanted;
  std::memset(shadow->defined, 0xff, sizeof(shadow->defined));
  shadow->stamp = 0;
  // The whole window has to be there, whatever is used of it.
  if (stopped || !windowInside(site, address, windowBytes, alignment, nullptr, "reads"))
    return zeros.data();
  if (observer && runningScope && windowBytes) {
    LocalAccess access{site, Space::Ub, nullptr, address, windowBytes, used, VectorLoad, true};
    shadow->stamp = observer->vectorLoad(scopeInstr, access, shadow->defined);
  }
  return memory(Space::Ub) + address;
}

/// What a store says of its bytes when nobody tracks the register.
static constexpr auto kAllDefined = [] {
  std::array<uint64_t, 32> ones{};
  ones.fill(~uint64_t(0));
  return ones;
}();

uint8_t *Core::checkStore(SiteId site, uint32_t address, uint32_t windowBytes, uint32_t alignment,
                          const uint64_t *active, const uint64_t *defined, const uint32_t *stamps,
                          uint32_t stampCount) {
  ++stats.vectorAccesses;
  if (!observer || !runningScope || !plainWindow(address, windowBytes, alignment)) [[unlikely]]
    return checkOddStore(site, address, windowBytes, alignment, active, defined, stamps, stampCount);
  // A computed mask is mostly all on, and observers are faster without one.
  if (active && windowBytes == kVectorBytes &&
      (active[0] & active[1] & active[2] & active[3]) == ~uint64_t(0))
    active = nullptr;
  LocalAccess access{site, Space::Ub, nullptr, address, windowBytes, active, VectorStore, true};
  observer->vectorStore(scopeInstr, access, defined ? defined : kAllDefined.data(), stamps, stampCount);
  return memory(Space::Ub) + address;
}

/// Any store, step by step.
uint8_t *Core::checkOddStore(SiteId site, uint32_t address, uint32_t windowBytes, uint32_t alignment,
                             const uint64_t *active, const uint64_t *defined, const uint32_t *stamps,
                             uint32_t stampCount) {
  if (stopped || !windowInside(site, address, windowBytes, alignment, active, "writes"))
    return scratch.data();
  uint64_t size = bytesOf(Space::Ub);
  uint32_t inside = address >= size ? 0 : uint32_t(std::min<uint64_t>(windowBytes, size - address));
  if (observer && runningScope && inside) {
    LocalAccess access{site, Space::Ub, nullptr, address, inside, active, VectorStore, true};
    observer->vectorStore(scopeInstr, access, defined ? defined : kAllDefined.data(), stamps, stampCount);
  }
  // Nothing active and wholly outside: no byte is written there either.
  return inside ? memory(Space::Ub) + address : scratch.data();
}

uint32_t Core::mergeStamps(const uint32_t *stamps, uint32_t n) {
  return observer ? observer->mergeStamps(stamps, n) : 0;
}

void Core::undefinedUse(SiteId site, uint32_t operand, const uint64_t *defined, const uint64_t *active) {
  if (observer && runningScope && !stopped)
    observer->undefinedUse(scopeInstr, site, operand & ~PTO_OPERAND_INDEX, operand & PTO_OPERAND_INDEX, defined, active);
}

void Core::fence(SiteId site, uint32_t number) {
  if (!storeBuffer.empty())
    storeBuffer.fence(random, classesOf(Fence(number)));
  if (observer && runningScope)
    observer->fence(scopeInstr, site, Fence(number));
}

void Core::bufferedStore(SiteId, uint8_t *target, uint32_t bytes, const uint8_t *data,
                         const uint64_t *active) {
  if (schedule == ScheduleKind::Random)
    storeBuffer.addVector(random, target, bytes, data, active);
  else
    storeActive(target, bytes, data, active);
}

void Core::partialStore(SiteId, uint8_t *target, uint32_t bytes, const uint8_t *data,
                        const uint64_t *active) {
  storeActive(target, bytes, data, active);
}

int32_t Core::scopePoll(SiteId site) {
  // A scope's turns count as steps, but its place is not the scalar unit's.
  ++steps;
  if (memories.faulted() || stopped)
    return 1;
  if (steps < pollAt)
    return 0;
  uint64_t limit = setup.options->maxSteps;
  if (limit && blockSteps() > limit)
    return endBlock(
        "max-steps", site, "the block took more than " + std::to_string(limit) + " steps",
        "raise `--max-steps` if the scope is merely long; otherwise see why its loop does not end");
  poll();
  return stopped;
}

} // namespace ptoscope
