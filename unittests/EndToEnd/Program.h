//===- Program.h - random programs as data ----------------------*- C++ -*-===//
//
// A program is one list of instructions in the order that defines its meaning.
// Each core issues its own instructions in the order of their `issue` numbers,
// which may differ from that of the list as far as no pipe notices.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_UNITTESTS_ENDTOEND_PROGRAM_H
#define PTOSCOPE_UNITTESTS_ENDTOEND_PROGRAM_H

#include "ptoscope/Machine/Types.h"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ptoscope::randomprogram {

/// A number that the environment sets: PTOSCOPE_RANDOM_PROGRAMS, PTOSCOPE_RANDOM_SEED.
inline uint64_t numberFrom(const char *variable, uint64_t otherwise) {
  const char *text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

/// Cores of a block: AIC, AIV0, AIV1. A kernel that is not mixed has AIV0 only.
inline constexpr uint8_t kAic = 0, kAiv0 = 1, kAiv1 = 2, kCores = 3;

/// Input is the first parameter, read by all blocks; Gm the second one, and
/// Shared its end, to which all blocks add.
enum class Memory : uint8_t { Input, Gm, Shared, L1, Ub0, Ub1 };

/// Small, so that accesses meet. Only the beginning of each memory is used.
inline constexpr uint64_t kLocalBytes = 2048; ///< of L1 and of each UB
inline constexpr uint64_t kInputBytes = 2048;
inline constexpr uint64_t kRegisterBytes = 256;
/// A block has one area of GM per phase, and room for its local memories at the end.
/// Behind the blocks lies one area that they share.
inline constexpr uint64_t kAreaBytes = 2048, kPhases = 3, kDumps = 3;
inline constexpr uint64_t kBlockBytes = (kPhases + kDumps) * kAreaBytes;

/// The first byte of an operand in turn `t` of the loop around it:
/// offset + t * perTurn + (t % 2) * perParity, from the start of the memory, or
/// for Gm of the part of block (this + neighbour) modulo the number of blocks.
struct Where {
  Memory memory = Memory::Input;
  uint64_t offset = 0;
  uint64_t perTurn = 0, perParity = 0;
  uint64_t neighbour = 0;
};

enum class Path : uint8_t { GmUb, UbGm, UbUb, UbL1, L1Ub, GmL1 };

struct PathInfo {
  Path path;
  std::string_view grouped, legacy;
  std::string_view from, to; ///< address spaces
  Pipe pipe;
  bool gaps;   ///< steps are written as gaps, and count 32-byte blocks
  bool onCube; ///< issued by the cube core
  bool a5Only;
};
inline constexpr PathInfo kPaths[] = {
    {Path::GmUb, "mte_gm_ub", "copy_gm_to_ubuf", "gm", "ub", Pipe::MTE2, false, false, false},
    {Path::UbGm, "mte_ub_gm", "copy_ubuf_to_gm", "ub", "gm", Pipe::MTE3, false, false, false},
    {Path::UbUb, "mte_ub_ub", "copy_ubuf_to_ubuf", "ub", "ub", Pipe::V, true, false, false},
    {Path::UbL1, "mte_ub_l1", "copy_ubuf_to_cbuf", "ub", "l1", Pipe::MTE3, true, false, true},
    {Path::L1Ub, "mte_l1_ub", "copy_cbuf_to_ubuf", "l1", "ub", Pipe::MTE1, true, true, true},
    {Path::GmL1, "mte_gm_l1", "copy_gm_to_cbuf", "gm", "l1", Pipe::MTE2, false, true, false},
};
inline const PathInfo &infoOf(Path path) { return kPaths[size_t(path)]; }

struct OuterLoop {
  uint64_t count, srcStep, dstStep;
};
/// The value has 1 or 4 bytes; left and right count bytes.
struct Padding {
  uint32_t value;
  unsigned width;
  uint64_t left, right;
};
/// What CTRL makes of a store to GM.
struct AtomicKind {
  uint8_t type, op; ///< as in CTRL[8:6] and CTRL[10:9]
  unsigned bytes;
  uint32_t (*meaning)(uint32_t old, uint32_t added);
};
extern const std::vector<AtomicKind> kAtomics;
struct Transfer {
  Path path = Path::GmUb;
  bool legacy = false;
  Where src = {}, dst = {};
  uint64_t len = 0, count = 1, srcStep = 0, dstStep = 0; ///< bytes; steps from start to start
  std::vector<OuterLoop> loops = {};                     ///< innermost first
  std::optional<Padding> pad = {};
  std::optional<unsigned> atomic = {}; ///< of kAtomics
};

/// Lanes of 32 bits.
inline constexpr unsigned kLanes = 64;
struct LaneOp {
  std::string_view name;
  unsigned operands;
  uint32_t (*meaning)(uint32_t a, uint32_t b);
};
extern const std::vector<LaneOp> kLaneOps;

/// All lanes, a pattern of `pset`, the first lanes by `plt`, or the lanes of a
/// register that hold a negative number.
struct Mask {
  enum Kind : uint8_t { None, Pattern, First, Negative } kind = None;
  unsigned number = 0; ///< of kPatterns, how many lanes, or of the register
  /// Of Negative: a lane may be active.
  bool active(unsigned lane) const;
};
struct MaskPattern {
  std::string_view name;
  bool (*active)(unsigned lane);
};
extern const std::vector<MaskPattern> kPatterns;

/// Classes of accesses inside a scope, as bits.
inline constexpr uint8_t kVectorLoad = 1, kVectorStore = 2, kScalarLoad = 4, kScalarStore = 8;
struct FenceKind {
  std::string_view name;
  uint8_t before, after;
};
extern const std::vector<FenceKind> kFences;

/// How a register meets 256 bytes or fewer of UB: where byte k of it comes from or
/// goes to, from the address on; nothing for a zero byte or one that is not stored.
struct Distribution {
  std::string_view name;     ///< a token, or the instruction if it is another one than vlds and vsts
  uint64_t alignment, bytes; ///< from the address to the end of what may be touched
  std::optional<uint64_t> (*place)(uint64_t k);
  bool a5Only = false;
};
extern const std::vector<Distribution> kLoads, kStores;

/// One line of a scope, or a few that belong together. Addresses are bytes of UB.
struct Step {
  enum Kind : uint8_t {
    Load,
    Lane,
    Store,
    Fence,
    Scalar,
    Rows,
    Gather,
    Scatter,
    Stream,   ///< `count` words of `a`, then `more` of `b`, without alignment
    MaskCopy, ///< 32 bytes through a mask register
  } kind = Load;
  unsigned result = 0, a = 0, b = 0; ///< registers
  unsigned op = 0;                   ///< of kLaneOps, kFences, kLoads or kStores
  Mask mask = {};
  uint64_t from = 0, to = 0;
  uint32_t addend = 0;             ///< of Scalar: the word at `to` becomes the one at `from` plus this
  uint64_t rows = 0;               ///< of Rows: `to` + 256 i becomes op(x, x) of x at `from` + 256 i
  uint64_t blocks = 1, repeat = 0; ///< strides of vsldb and vsstb, in 32 bytes
  uint32_t first = 0, factor = 1;  ///< of Gather and Scatter, see indexOf
  uint64_t count = 0, more = 0;

  /// Where byte k of the register of a Load or Store lies.
  std::optional<uint64_t> place(uint64_t k) const;
  /// The word that a lane of a Gather or Scatter takes: no two lanes the same.
  uint32_t indexOf(unsigned lane) const { return (first + lane) * factor % kIndexed; }
  static constexpr uint32_t kIndexed = 128;
};
/// What a step touches: calls access(class, begin, bytes).
template <typename Function> void forEachAccess(const Step &step, Function access) {
  uint64_t loaded = step.kind == Step::Rows ? step.rows * kRegisterBytes : step.kind == Step::MaskCopy ? 32 : 4;
  switch (step.kind) {
  case Step::Load:
    for (uint64_t k = 0; k < kRegisterBytes; k += 2)
      if (auto at = step.place(k))
        access(kVectorLoad, step.from + *at, 2);
    break;
  case Step::Store:
    for (uint64_t k = 0; k < kRegisterBytes; k += 2)
      if (auto at = step.place(k); at && step.mask.active(unsigned(k / 4)))
        access(kVectorStore, step.to + *at, 2);
    break;
  case Step::Gather:
  case Step::Scatter:
    for (unsigned lane = 0; lane < kLanes; ++lane)
      if (step.mask.active(lane))
        access(step.kind == Step::Gather ? kVectorLoad : kVectorStore,
               (step.kind == Step::Gather ? step.from : step.to) + 4 * step.indexOf(lane), 4);
    break;
  case Step::Scalar:
    access(kScalarLoad, step.from, 4);
    access(kScalarStore, step.to, 4);
    break;
  case Step::Rows:
  case Step::MaskCopy:
    access(kVectorLoad, step.from, loaded);
    access(kVectorStore, step.to, loaded);
    break;
  case Step::Stream:
    access(kVectorStore, step.to, 4 * (step.count + step.more));
    break;
  case Step::Lane:
  case Step::Fence:
    break;
  }
}

struct Scope {
  unsigned carrier = 0; ///< which of the spellings
  std::vector<Step> steps = {};
  uint64_t perParity = 0; ///< all addresses move by this in odd turns
};

/// The word at `to` becomes the one at `from` plus `addend`.
struct ScalarMove {
  Where from = {}, to = {};
  uint32_t addend = 0;
};

enum class Kind : uint8_t {
  Transfer,
  Scope,
  Scalar, // data
  SetFlag,
  WaitFlag,
  Barrier,
  Get,
  Rls, // inside a core
  SyncSet,
  SyncWait,
  CrossSet,
  CrossWait, // between cores of a cluster
  SyncAll,   // between blocks
  Loop,
  If,
  End, // `id` turns; in even blocks; the end of either
};
struct Instruction {
  Kind kind;
  uint8_t core;
  Pipe pipe = Pipe::S;   ///< that executes it; Pipe::All of a barrier over all
  Pipe source = Pipe::S; ///< of a flag; `pipe` is the source of a set, the destination of a wait
  Pipe destination = Pipe::S;
  int64_t id = 0;
  int64_t mode = 0;    ///< of a buffer id
  bool parity = false; ///< the id is one higher in odd turns
  unsigned spelling = 0;
  Transfer transfer = {};
  Scope scope = {};
  ScalarMove scalar = {};
  size_t issue = 0;

  bool isData() const { return kind <= Kind::Scalar; }
  bool isSync() const { return kind >= Kind::SetFlag && kind <= Kind::SyncAll; }
};

struct Program {
  uint64_t seed = 0;
  std::string arch = "a5";
  bool mixed = false;
  uint64_t blocks = 1;
  /// Local memories start without a value, and nothing computes: bytes are moved, and
  /// read by the scalar unit at the end.
  bool movesOnly = false;
  std::vector<Instruction> list;

  std::vector<uint8_t> input() const;
  std::vector<uint8_t> gm() const; ///< what GM holds before the run
};

/// [begin, end) of a memory.
struct Range {
  Memory memory;
  uint64_t begin, end;
  bool writes;
  std::optional<unsigned> atomic = {}; ///< of kAtomics
};
/// Every byte an instruction touches in `turns` turns of a loop.
std::vector<Range> touches(const Instruction &instruction, uint64_t turns);

/// Bytes a transfer writes for a row: data and padding.
uint64_t rowBytes(const Transfer &transfer);
/// Calls row(source, destination) for the offsets of all rows, in order.
template <typename Function> void forEachRow(const Transfer &t, Function row) {
  std::vector<uint64_t> turn(t.loops.size());
  for (bool more = true; more;) {
    uint64_t src = 0, dst = 0;
    for (size_t i = 0; i < turn.size(); ++i) {
      src += turn[i] * t.loops[i].srcStep;
      dst += turn[i] * t.loops[i].dstStep;
    }
    for (uint64_t r = 0; r < t.count; ++r)
      row(src + r * t.srcStep, dst + r * t.dstStep);
    more = false;
    for (size_t i = 0; i < turn.size() && !more; ++i) {
      more = ++turn[i] < t.loops[i].count;
      if (!more)
        turn[i] = 0;
    }
  }
}

/// A legal program; the same for the same seed.
Program generate(uint64_t seed, bool movesOnly = false);
/// Drops, doubles or renumbers one synchronising instruction or fence, or moves an
/// operand of a data instruction. Returns what it did; empty when there is none.
std::string breakOne(Program &program, uint64_t seed);

/// The program as PTO text, with a kernel @k(%in, %gm). Lines of scalar loads and of
/// transfers end in a comment, "// #" and the position of the instruction.
std::string textOf(const Program &program);
/// GM after the program ran in the order of its list.
std::vector<uint8_t> interpret(const Program &program);
/// Positions of scalar loads that read bytes that were never written, and of transfers that
/// carry such bytes to GM.
struct UndefinedReads {
  std::set<size_t> scalars, stores;
};
UndefinedReads findUndefined(const Program &program);

} // namespace ptoscope::randomprogram

#endif // PTOSCOPE_UNITTESTS_ENDTOEND_PROGRAM_H
