//===- Direct.h - instructions that bring their own meaning -----*- C++ -*-===//
//
// A direct instruction is one instruction of a pipe whose meaning is a host
// function on the core's memories: what a sort or a tile instruction becomes. The
// Machine queues it, checks what it may touch when it is issued, and tells observers
// the exact bytes; it knows nothing else about it. Its timing class is that of its
// site.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_MACHINE_DIRECT_H
#define PTOSCOPE_MACHINE_DIRECT_H

#include "ptoscope/Machine/Launch.h"
#include "ptoscope/Machine/Order.h"
#include "ptoscope/Machine/Words.h"
#include "ptoscope/Machine/Work.h"

#include <memory>
#include <optional>
#include <span>

namespace ptoscope {

/// How an instruction uses the bytes of a region.
enum class DirectRole : uint8_t {
  Read,    ///< computes with them: undefined ones are an error
  Copy,    ///< carries them, defined or not
  Write,   ///< defines them
  Update,  ///< reads, then writes
  Scratch, ///< writes; what they hold afterwards is undefined
  Atomic,  ///< of GM: read-modify-writes
};
inline bool writes(DirectRole role) { return role != DirectRole::Read && role != DirectRole::Copy; }

/// Bytes [begin, end).
struct ByteRun {
  uint64_t begin, end;
};

/// Bytes of one operand that an instruction touches.
struct DirectRegion {
  Space space;
  DirectRole role;
  uint8_t operand; ///< as the program counts them, from 0
  Box box;
  const GmObject *object = nullptr; ///< for Space::Gm; filled in by the Machine
  uint32_t storage = 0;             ///< what numberOf said of its tile; 0: unknown
  /// Whose UB it is, when `space` is UB: a cube core writes that of a vector core, see
  /// ubOf. None: that of the issuing core.
  std::optional<CoreId> core = {};
  AccessKind update = AccessKind::Atomic; ///< of Atomic: which one, see atomicUpdate
  /// Of GM, where the bytes have no pattern: these, apart and rising; `box` is around them.
  std::vector<ByteRun> runs = {};
};
inline CoreId ownerOf(const DirectRegion &region, const Instr &instr) { return region.core.value_or(instr.core); }

/// The lowest and highest bytes that an operand touches: what bounds are checked
/// with. Addresses of GM are device addresses; all UBs of a cluster are alike.
struct DirectHull {
  Space space;
  uint8_t operand;
  bool writes;
  uint32_t alignment; ///< of `begin`, a power of two; 1 for any
  uint64_t begin, end;
};

/// A copy of the definedness of one operand's bytes: 0 is defined, 0xff is not.
struct DirectMarks {
  uint8_t *bytes;
  uint64_t begin; ///< address that `bytes` stands for
};

/// How an instruction of PIPE_M or PIPE_FIX takes part in UNIT-1.
struct UnitUse {
  UnitFlag flag = UnitFlag::None;
  uint64_t begin = 0, end = 0; ///< its bytes of L0C
};

struct DirectInstruction {
  Pipe pipe;
  bool atomic = false; ///< waits until all lower blocks have finished
  UnitUse unit = {};
  uint32_t payloadBytes = 0;
  const void *payload = nullptr; ///< trivially copyable; copied when the instruction has to wait
  void (*run)(const void *payload) = nullptr;
  /// For instructions that know only when they take effect what they touch: computes
  /// and checks that first, without a change of memory. False: there is no more to do.
  bool (*prepare)(const void *payload, const Instr &instr) = nullptr;
  /// Appends the exact bytes; called only when someone observes.
  void (*regions)(const void *payload, std::vector<DirectRegion> &regions) = nullptr;
  /// For instructions whose operands name places: the finding about them when the
  /// instruction takes effect; no code where there is none.
  Fact (*problem)(const void *payload) = nullptr;
  /// For instructions with Copy operands: the same movement on marks, by operand. An
  /// operand that lies in two UBs is two operands here.
  void (*carry)(const void *payload, const DirectMarks *marks) = nullptr;
  /// How much it has to do; called only when someone times. None: what its timing
  /// class costs.
  Work (*work)(const void *payload) = nullptr;
};

/// What observers are told of an instruction while it takes effect.
struct DirectEvent {
  std::span<const DirectRegion> regions;
  const DirectInstruction &instruction;
};

/// Issues an instruction of the core's scalar unit. A hull outside its memory is a
/// finding, and the instruction does nothing. Nonzero: stop.
int32_t issueDirect(PtoContext *core, SiteId site, const DirectInstruction &instruction,
                    std::span<const DirectHull> hulls);

/// The number of a storage in this block, for regions of instructions: one for each
/// site and address. 0 without the memory check.
uint32_t numberOf(PtoContext *core, const Storage &storage);

/// The host looks at bytes of a local memory, and may write them: runs what can
/// run, and takes the bytes as defined from now on.
void openToHost(PtoContext *core, Space space, uint64_t begin, uint64_t bytes);

/// Reports a finding of the program's text at `site`; `fatal` ends the block.
/// Nonzero: stop.
int32_t reportAt(PtoContext *core, SiteId site, const Fact &fact, bool fatal);
/// Ends the block without a finding.
void stopBlock(PtoContext *core);
bool isStopped(const PtoContext *core);
/// All blocks of the launch run together: an all-core barrier can be met.
bool isResident(const PtoContext *core);
uint32_t localBytes(const PtoContext *core, Space space);

/// The UB that a core reaches as that of vector core `subblock` (0 or 1) of its
/// cluster; a core with a UB of its own reaches that alone.
struct UbTarget {
  uint8_t *base;
  CoreId core; ///< for DirectRegion
};
UbTarget ubOf(const PtoContext *core, unsigned subblock);
/// CTRL as it stands now: what an instruction captures when it is issued.
uint64_t controlWord(const PtoContext *core);
/// What `ub` instructions take when they are issued (UBV-5): elements of a repeat, or how
/// many there are in all.
struct VectorMask {
  uint64_t words[2] = {~uint64_t(0), ~uint64_t(0)};
  bool counts = false;
};
VectorMask vectorMask(const PtoContext *core);

bool checksMemory(const PtoContext *core);
bool checksRaces(const PtoContext *core);
const Profile &profileOf(const PtoContext *core);
/// "add.pto:24: pto.tprint"
std::string siteText(const PtoContext *core, SiteId site);
/// "add.pto:24"
std::string placeText(const PtoContext *core, SiteId site);
/// The format that the instruction was written with.
const std::string &tokenOf(const PtoContext *core, SiteId site);
/// ", block 3", ", AIV1 of block 3"; empty where there is only one core.
std::string whoText(const PtoContext *core);
/// Prints, after what lower blocks print.
void print(const PtoContext *core, std::string_view text);
/// The byte of the host that stands for a device address of GM; null when no object
/// holds it.
uint8_t *hostOf(const PtoContext *core, uint64_t address);
/// The object itself.
const GmObject *objectAt(const PtoContext *core, uint64_t address);

/// No one registered it (GmTable::admitOthers).
bool isUnregistered(const PtoContext *core, uint64_t address);

/// State that a layer above keeps with a core, as long as the core lives.
class Attachment {
public:
  virtual ~Attachment() = default;
  /// A new block begins on the core, of the same launch.
  virtual void beginBlock() = 0;
};
/// The one of this core; empty until someone fills it.
std::unique_ptr<Attachment> &attachmentOf(PtoContext *core);

/// A block whose program is the caller itself: instructions are issued from outside
/// until it is closed. One core with all pipes and memories, on the caller's thread.
class OpenBlock {
public:
  virtual ~OpenBlock() = default;
  virtual PtoContext *core() = 0;
  /// Lets the pipes finish and looks at what is left over.
  virtual LaunchResult close() = 0;
};
/// The tables and options must outlive the block. Null when the host refuses memory. The
/// block takes over the core of `before`, one that is closed, with what its memories hold.
std::unique_ptr<OpenBlock> openBlock(const GmTable &gm, const SiteTable &sites, const LaunchOptions &options,
                                     const OpenBlock *before = nullptr);

} // namespace ptoscope

#endif // PTOSCOPE_MACHINE_DIRECT_H
