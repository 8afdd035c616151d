//===- Scope.cpp - inside a running vector scope --------------------------===//
//
// The scope as a whole, and accesses of windows of UB.
//
//===----------------------------------------------------------------------===//

#include "Scope/ScopeUnit.h"

#include "ptoscope/Machine/Onlooker.h"

#include <algorithm>
#include <cstring>

namespace ptoscope {

void ScopeUnit::run(const Instr &instr, PtoScopeFunction function, const uint64_t *captures) {
  ++scopes;
  running = true;
  scopeInstr = instr;
  scopeInstr.scopeIterations = context->scopeIterations;
  report->scope = &scopeInstr;
  if (observer)
    observer->scopeBegin(scopeInstr);
  std::fill(turns.begin(), turns.end(), 0);
  context->scopeTurns = turns.empty() ? nullptr : turns.data();
  function(context, captures);
  if (!storeBuffer.empty())
    storeBuffer.drain(*random);
  if (observer) {
    if (!turns.empty())
      observer->scopeTurns(scopeInstr, turns);
    observer->scopeEnd(scopeInstr);
  }
  if (onlooker)
    onlooker->scope(context, instr.site);
  running = false;
  report->scope = nullptr;
  if (guarded->faulted())
    reportFault(instr.site);
}

void ScopeUnit::reportFault(SiteId site) {
  LocalFault fault = guarded->fault();
  guarded->closeFaultedPages();
  uint64_t size = memories->bytesOf(fault.space);
  Finding f = report->finding(site, say::kScopeFault.as(say::boundsCode(fault.space))(fault.space, fault.address,
                                                                                      fault.address - size + 1, size));
  f.bytes = ByteRange{std::string(nameOf(fault.space)), "", fault.address, fault.address + 1};
  report->fatal(std::move(f));
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
bool ScopeUnit::windowInside(SiteId site, uint32_t address, uint32_t windowBytes, uint32_t alignment,
                             const uint64_t *touched, std::string_view verb) {
  uint64_t size = ubBytes();
  if (windowBytes > kWindowBytes) {
    report->internalError(site, say::kBugWindow(windowBytes));
    return false;
  }
  if (report->checks.memory && alignment > 1 && address % alignment != 0) {
    report->refuse(site, say::kVectorMisaligned(verb, address, alignment),
                   ByteRange{"ub", "", address, uint64_t(address) + windowBytes});
    return false;
  }
  uint64_t end = uint64_t(address) + windowBytes;
  if (end <= size)
    return true;
  uint64_t reach = uint64_t(address) + touchedEnd(touched, windowBytes);
  uint64_t first = uint64_t(address) + touchedBegin(touched, windowBytes);
  if (reach <= size || first >= end)
    return true;
  report->refuse(
      site,
      say::kVectorBounds(verb, first, reach - 1, windowBytes, address, reach - std::max<uint64_t>(size, first), size),
      ByteRange{"ub", "", first, reach});
  return false;
}

const uint8_t *ScopeUnit::checkLoad(SiteId site, uint32_t address, uint32_t windowBytes, uint32_t alignment,
                                    const uint64_t *used, PtoLoadShadow *shadow) {
  ++vectorAccesses;
  if (!shadow || !observed() || !plainWindow(address, windowBytes, alignment)) [[unlikely]]
    return checkOddLoad(site, address, windowBytes, alignment, used, shadow);
  // The register is wider than some windows; what else it holds is defined.
  for (uint32_t word = windowBytes / 64; word < kVectorBytes / 64; ++word)
    shadow->defined[word] = ~uint64_t(0);
  LocalAccess access{site, Space::Ub, nullptr, address, windowBytes, used, VectorLoad, true};
  shadow->stamp = observer->vectorLoad(scopeInstr, access, shadow->defined);
  return ub() + address;
}

/// Any load, step by step.
const uint8_t *ScopeUnit::checkOddLoad(SiteId site, uint32_t address, uint32_t windowBytes, uint32_t alignment,
                                       const uint64_t *used, PtoLoadShadow *shadow) {
  PtoLoadShadow unwanted;
  if (!shadow)
    shadow = &unwanted;
  std::memset(shadow->defined, 0xff, sizeof(shadow->defined));
  shadow->stamp = 0;
  // The whole window has to be there, whatever is used of it.
  if (report->stopped || !windowInside(site, address, windowBytes, alignment, nullptr, "reads"))
    return elsewhere(zeros);
  if (observed() && windowBytes) {
    LocalAccess access{site, Space::Ub, nullptr, address, windowBytes, used, VectorLoad, true};
    shadow->stamp = observer->vectorLoad(scopeInstr, access, shadow->defined);
  }
  return ub() + address;
}

/// What a store says of its bytes when no one tracks the register.
static constexpr auto kAllDefined = [] {
  std::array<uint64_t, 32> ones{};
  ones.fill(~uint64_t(0));
  return ones;
}();

uint8_t *ScopeUnit::checkStore(SiteId site, uint32_t address, uint32_t windowBytes, uint32_t alignment,
                               const uint64_t *active, const uint64_t *defined, const uint32_t *stamps,
                               uint32_t stampCount) {
  ++vectorAccesses;
  if (!plainStores || !plainWindow(address, windowBytes, alignment)) [[unlikely]]
    return checkOddStore(site, address, windowBytes, alignment, active, defined, stamps, stampCount);
  // A computed mask is mostly all on, and observers are faster without one.
  if (active && windowBytes == kVectorBytes && (active[0] & active[1] & active[2] & active[3]) == ~uint64_t(0))
    active = nullptr;
  LocalAccess access{site, Space::Ub, nullptr, address, windowBytes, active, VectorStore, true};
  observer->vectorStore(scopeInstr, access, defined ? defined : kAllDefined.data(), stamps, stampCount);
  return ub() + address;
}

/// Any store, step by step.
uint8_t *ScopeUnit::checkOddStore(SiteId site, uint32_t address, uint32_t windowBytes, uint32_t alignment,
                                  const uint64_t *active, const uint64_t *defined, const uint32_t *stamps,
                                  uint32_t stampCount) {
  if (report->stopped || !windowInside(site, address, windowBytes, alignment, active, "writes"))
    return elsewhere(scratch);
  uint64_t size = ubBytes();
  uint32_t inside = address >= size ? 0 : uint32_t(std::min<uint64_t>(windowBytes, size - address));
  if (observed() && inside) {
    LocalAccess access{site, Space::Ub, nullptr, address, inside, active, VectorStore, true};
    observer->vectorStore(scopeInstr, access, defined ? defined : kAllDefined.data(), stamps, stampCount);
  }
  if (onlooker && inside)
    onlooker->store(context, site, address, inside, active);
  // Nothing active and wholly outside: no byte is written there either.
  return inside ? ub() + address : elsewhere(scratch);
}

void ScopeUnit::undefinedUse(SiteId site, uint32_t operand, const uint64_t *defined, const uint64_t *active) {
  if (!observed() || report->stopped)
    return;
  RegisterUse use{operand & (PTO_OPERAND_INDEX - 1), (operand & PTO_OPERAND_INDEX) != 0, std::nullopt};
  if (const uint32_t part = operand >> PTO_OPERAND_PART_SHIFT)
    use.part = part - 1;
  observer->undefinedUse(scopeInstr, site, use, defined, active);
}

void ScopeUnit::fence(SiteId site, uint32_t number) {
  if (!storeBuffer.empty())
    storeBuffer.fence(*random, classesOf(Fence(number)));
  if (observed())
    observer->fence(scopeInstr, site, Fence(number));
}

void ScopeUnit::bufferedStore(uint8_t *target, uint32_t bytes, const uint8_t *data, const uint64_t *active) {
  if (delays)
    storeBuffer.addVector(*random, target, bytes, data, active);
  else
    storeActive(target, bytes, data, active);
}

} // namespace ptoscope
