//===- Types.cpp - names, fence classes and target profiles ---------------===//
//
// The tables behind Types.h. Sizes are those of TYPE-3 to TYPE-9; core counts
// are defaults, since the number of cores differs between products of a profile.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Machine/Types.h"

#include <iterator>

namespace ptoscope {

std::string_view nameOf(Pipe pipe) {
  constexpr std::string_view kNames[] = {"PIPE_S",   "PIPE_V",    "PIPE_M",    "PIPE_MTE1", "PIPE_MTE2", "PIPE_MTE3",
                                         "PIPE_ALL", "PIPE_MTE4", "PIPE_MTE5", "PIPE_V2",   "PIPE_FIX"};
  static_assert(std::size(kNames) == kPipeSlots);
  return size_t(pipe) < kPipeSlots ? kNames[size_t(pipe)] : std::string_view();
}

std::string_view nameOf(Space space) {
  constexpr std::string_view kNames[] = {"none", "gm", "l1", "l0a", "l0b", "l0c", "ub", "bt", "fb", "l0a_mx", "l0b_mx"};
  static_assert(std::size(kNames) == kSpaceSlots);
  return size_t(space) < kSpaceSlots ? kNames[size_t(space)] : std::string_view();
}

std::string_view nameOf(Fence fence) {
  constexpr std::string_view kNames[] = {"VV_ALL", "VST_VLD", "VLD_VST", "VST_VST", "VS_ALL", "VST_LD",
                                         "VLD_ST", "VST_ST",  "SV_ALL",  "ST_VLD",  "LD_VST", "ST_VST",
                                         "SS_ALL", "ST_LD",   "LD_ST",   "ST_ST"};
  return size_t(fence) < std::size(kNames) ? kNames[size_t(fence)] : std::string_view();
}

std::string_view nameOf(StatusRegister status) {
  return status == StatusRegister::Vms4Sr ? "VMS4_SR" : std::string_view();
}

FenceClasses classesOf(Fence fence) {
  constexpr uint8_t kVector = VectorLoad | VectorStore, kScalar = ScalarLoad | ScalarStore;
  constexpr FenceClasses kTable[] = {
      {kVector, kVector}, {VectorStore, VectorLoad}, {VectorLoad, VectorStore}, {VectorStore, VectorStore},
      {kVector, kScalar}, {VectorStore, ScalarLoad}, {VectorLoad, ScalarStore}, {VectorStore, ScalarStore},
      {kScalar, kVector}, {ScalarStore, VectorLoad}, {ScalarLoad, VectorStore}, {ScalarStore, VectorStore},
      {kScalar, kScalar}, {ScalarStore, ScalarLoad}, {ScalarLoad, ScalarStore}, {ScalarStore, ScalarStore},
  };
  return size_t(fence) < std::size(kTable) ? kTable[size_t(fence)] : FenceClasses{0, 0};
}

// In order: none, gm (no size of its own), l1, l0a, l0b, l0c, ub, bt, fb, l0a_mx, l0b_mx (TYPE-10).
static constexpr std::array<uint32_t, kSpaceSlots> kBytesA5 = {0,      0,    524288, 65536, 65536, 262144,
                                                               262144, 4096, 4096,   4096,  4096};
static constexpr std::array<uint32_t, kSpaceSlots> kBytesA3 = {0,      0,    524288, 65536, 65536, 131072,
                                                               196608, 1024, 2048,   0,     0};

static constexpr Profile kProfiles[] = {
    {ProfileId::A5, "a5", 32, 64, kBytesA5, true, true, true},
    {ProfileId::A3, "a3", 24, 48, kBytesA3, false, false, false},
    {ProfileId::A2, "a2", 24, 48, kBytesA3, false, false, false},
};

const Profile &profileOf(ProfileId id) { return kProfiles[size_t(id)]; }

const Profile *findProfile(std::string_view name) {
  for (const Profile &profile : kProfiles)
    if (profile.name == name)
      return &profile;
  return nullptr;
}

} // namespace ptoscope
