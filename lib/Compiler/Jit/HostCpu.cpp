//===- HostCpu.cpp - what the host can execute ----------------------------===//

#include "ptoscope/Compiler/HostCpu.h"
#include "ptoscope/Support/HostLevel.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"

#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

using namespace llvm;

namespace ptoscope {

#if defined(__aarch64__) && defined(__linux__)
namespace {
/// Features that a CPU's name may bring although AT_HWCAP or AT_HWCAP2 lacks them.
struct HwCap {
  const char *feature;
  unsigned long auxv;
  unsigned bit;
};
constexpr HwCap kHwCaps[] = {
    {"fullfp16", AT_HWCAP, 10},     {"crc", AT_HWCAP, 7},        {"lse", AT_HWCAP, 8},
    {"rdm", AT_HWCAP, 12},          {"jsconv", AT_HWCAP, 13},    {"complxnum", AT_HWCAP, 14},
    {"rcpc", AT_HWCAP, 15},         {"sha3", AT_HWCAP, 17},      {"sm4", AT_HWCAP, 18},
    {"dotprod", AT_HWCAP, 20},      {"sve", AT_HWCAP, 22},       {"fp16fml", AT_HWCAP, 23},
    {"sb", AT_HWCAP, 29},           {"sve2", AT_HWCAP2, 1},      {"sve2-aes", AT_HWCAP2, 2},
    {"sve2-bitperm", AT_HWCAP2, 4}, {"sve2-sha3", AT_HWCAP2, 5}, {"sve2-sm4", AT_HWCAP2, 6},
    {"i8mm", AT_HWCAP2, 13},        {"bf16", AT_HWCAP2, 14},     {"rand", AT_HWCAP2, 16},
    {"bti", AT_HWCAP2, 17},         {"mte", AT_HWCAP2, 18},      {"sme", AT_HWCAP2, 23},
};
} // namespace
#endif

HostCpu hostCpu() {
  HostCpu host;
  host.triple = sys::getProcessTriple();
  if (const char *plainer = plainerHost()) {
    host.name = plainer;
    host.wideVectors = hostLevel() == HostLevel::V4;
    return host;
  }
  host.name = sys::getHostCPUName().str();
  SubtargetFeatures features;
  StringMap<bool> reported = sys::getHostCPUFeatures();
  SmallVector<StringRef> names;
  for (auto &entry : reported)
    names.push_back(entry.getKey());
  sort(names); // the map's order is not defined, the string must be
  for (StringRef name : names)
    features.AddFeature(name, reported[name]);
#if defined(__aarch64__) && defined(__linux__)
  for (const HwCap &cap : kHwCaps)
    if (!(getauxval(cap.auxv) >> cap.bit & 1))
      features.AddFeature(cap.feature, false);
#endif
  host.features = features.getString();
  host.wideVectors = reported.lookup("avx512f") && reported.lookup("avx512bw") && reported.lookup("avx512vl");
  return host;
}

} // namespace ptoscope
