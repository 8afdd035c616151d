//===- HostLevel.cpp - how much of the host is used -----------------------===//

#include "ptoscope/Support/HostLevel.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>

#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

using namespace ptoscope;

namespace {

HostLevel bestLevel() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("x86-64-v4"))
    return __builtin_cpu_supports("avx512fp16") ? HostLevel::Fp16 : HostLevel::V4;
  if (__builtin_cpu_supports("x86-64-v3"))
    return HostLevel::V3;
#elif defined(__aarch64__) && defined(__linux__)
  constexpr unsigned kHalfVectors = 10; // HWCAP_ASIMDHP
  if (getauxval(AT_HWCAP) >> kHalfVectors & 1)
    return HostLevel::Fp16;
#endif
  return HostLevel::Base;
}

HostLevel allowedLevel() {
  const char *named = std::getenv("PTOSCOPE_HOST");
  constexpr const char *kNames[] = {"base", "v3", "v4", "fp16"};
  if (!named)
    return HostLevel::Fp16;
  auto *found = std::find_if(std::begin(kNames), std::end(kNames),
                             [&](const char *name) { return std::strcmp(name, named) == 0; });
  if (found == std::end(kNames)) {
    std::fprintf(stderr, "error: PTOSCOPE_HOST is `%s`, not `base`, `v3`, `v4` or `fp16`\n", named);
    std::exit(2);
  }
  return HostLevel(found - kNames);
}

} // namespace

HostLevel ptoscope::hostLevel() {
  static const HostLevel level = std::min(bestLevel(), allowedLevel());
  return level;
}

const char *ptoscope::plainerHost() {
  if (hostLevel() == bestLevel())
    return nullptr;
#if defined(__x86_64__)
  constexpr const char *kNames[] = {"x86-64", "x86-64-v3", "x86-64-v4"};
  return kNames[size_t(hostLevel())];
#else
  return nullptr;
#endif
}
