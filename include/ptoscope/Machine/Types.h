//===- Types.h - the names of the machine's parts ---------------*- C++ -*-===//
//
// Pipes, memory spaces and the constants of docs/isa. Enumerator
// values are the architecture's own numbers; generated code passes them as
// plain integers.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_MACHINE_TYPES_H
#define PTOSCOPE_MACHINE_TYPES_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ptoscope {

enum class Pipe : uint8_t {
  S = 0,
  V = 1,
  M = 2,
  MTE1 = 3,
  MTE2 = 4,
  MTE3 = 5,
  All = 6,
  MTE4 = 7, // MTE4, MTE5 and V2 have names and numbers; no core has them
  MTE5 = 8,
  V2 = 9,
  FIX = 10,
};
/// Arrays indexed by Pipe have this many entries.
inline constexpr size_t kPipeSlots = 11;

enum class Space : uint8_t {
  None = 0,
  Gm = 1,
  L1 = 2,
  L0A = 3,
  L0B = 4,
  L0C = 5,
  Ub = 6,
  Bt = 7,
  Fb = 8,
  // Scales of L0A and L0B (MXS-3): memories that no pointer names.
  L0AMx = 9,
  L0BMx = 10,
};
inline constexpr size_t kSpaceSlots = 11;
/// Spaces that a pointer may name are below this.
inline constexpr size_t kPointerSpaces = 9;

/// Unified: all pipes and all memories on one core, what a tile kernel runs on.
enum class CoreKind : uint8_t { AIV, AIC, Unified };

/// `mem_bar` kinds; the number is the architecture's.
enum class Fence : uint8_t {
  VV_ALL,
  VST_VLD,
  VLD_VST,
  VST_VST,
  VS_ALL,
  VST_LD,
  VLD_ST,
  VST_ST,
  SV_ALL,
  ST_VLD,
  LD_VST,
  ST_VST,
  SS_ALL,
  ST_LD,
  LD_ST,
  ST_ST,
};

/// The four access classes that fences order, as bits.
enum AccessClass : uint8_t {
  VectorLoad = 1,
  VectorStore = 2,
  ScalarLoad = 4,
  ScalarStore = 8,
};
struct FenceClasses {
  uint8_t prior; ///< AccessClass bits that must be complete …
  uint8_t later; ///< … before accesses of these classes start
};
FenceClasses classesOf(Fence fence);

/// Registers that an instruction of a pipe writes and the scalar unit reads.
enum class StatusRegister : uint8_t { Vms4Sr };

inline constexpr int64_t kEventIds = 8;
/// What a memory barrier is for (DSB-1).
enum class Domain : uint8_t { All, Gm, Ub };
/// A line of the scalar unit's data cache (CACHE-1).
inline constexpr uint64_t kCacheLineBytes = 64;
inline constexpr int64_t kBufferIds = 32;
inline constexpr uint32_t kBlockBytes = 32; ///< alignment unit, shadow granule
/// What addresses of transfers in an on-chip memory are multiples of (D3, FRAC-8).
constexpr uint32_t alignmentOf(Space space) { return space == Space::Bt || space == Space::Fb ? 64 : kBlockBytes; }
/// FB consists of regions; bits 16 and up of an address select one (PARAM-2). Its
/// memory has a gap between them, so that an address of a program is one of the memory.
inline constexpr uint64_t kFbRegions = 2, kFbRegionStep = 1 << 16;
/// The end of the bytes that follow `address` in its memory; of FB, in its region.
/// `size` is that of the profile. Bytes exist if they end here or before.
constexpr uint64_t endOf(Space space, uint64_t size, uint64_t address) {
  if (space != Space::Fb)
    return size;
  uint64_t region = address / kFbRegionStep;
  return (region < kFbRegions ? region : kFbRegions - 1) * kFbRegionStep + size;
}
inline constexpr uint32_t kVectorBytes = 256; ///< one vector register

/// "PIPE_MTE2"; nothing for numbers that name no pipe.
std::string_view nameOf(Pipe pipe);
std::string_view nameOf(Space space);
std::string_view nameOf(Fence fence);
std::string_view nameOf(StatusRegister status);

/// What one target has: sizes, cores, features. One record per profile.
enum class ProfileId : uint8_t { A5, A3, A2 };

struct Profile {
  ProfileId id;
  std::string_view name; ///< "a5"
  unsigned aicCores;
  unsigned aivCores;
  std::array<uint32_t, kSpaceSlots> bytes; ///< size of each local space, of FB that of a region
  bool hasBufferIds;                       ///< get_buf / rls_buf
  bool inOrderVectorPipe;                  ///< HB5: scopes of V run one after another
  /// Cluster semaphores stall one pipe and go to one core (A5), instead of
  /// stalling the scalar unit and going to both vector cores (A2/A3).
  bool pipeSemaphores;

  /// Addresses of a local space are below this.
  uint32_t reachOf(Space space) const {
    return uint32_t(bytes[size_t(space)] ? endOf(space, bytes[size_t(space)], UINT64_MAX) : 0);
  }
};
const Profile &profileOf(ProfileId id);
/// Null when `name` is no profile.
const Profile *findProfile(std::string_view name);

} // namespace ptoscope

#endif // PTOSCOPE_MACHINE_TYPES_H
