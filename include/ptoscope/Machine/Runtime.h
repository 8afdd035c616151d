//===- Runtime.h - what generated code may call -----------------*- C++ -*-===//
//
// The C interface between generated code and the Machine. Generated code holds
// no host address: it gets a PtoContext and finds these functions by symbol.
//
// Functions that return int32_t may end the block: a value other than 0 means
// "stop", and the caller branches to its own end without calling anything else.
// Nothing ever unwinds through generated code.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_MACHINE_RUNTIME_H
#define PTOSCOPE_MACHINE_RUNTIME_H

#include <cstdint>

extern "C" {

/// Loops deeper than this are not numbered.
enum { PTO_MAX_LOOP_DEPTH = 16 };

struct PtoAlign; ///< state of an unaligned stream, see Meaning/Streams.h

/// The part of a core that generated code sees; the Machine's Core embeds it.
/// Offsets are part of the ABI (kept in step by Compiler/RuntimeAbi.h).
struct PtoContext {
  uint8_t *local[11];  ///< base of each local memory, by Space number
  int64_t blockIdx;    ///< get_block_idx
  int64_t blockNum;    ///< get_block_num
  int64_t subblockIdx; ///< get_subblock_idx
  int64_t subblockNum; ///< get_subblock_num
  /// Iteration (from 0) of each loop around the instruction, outermost first;
  /// written by generated code when checks are on.
  int64_t suIterations[PTO_MAX_LOOP_DEPTH];
  int64_t scopeIterations[PTO_MAX_LOOP_DEPTH];
  /// Steps that the code of a scope may still take before it has to ask; it
  /// subtracts what it takes, and may run into debt.
  int64_t scopeSteps;
  /// How often each region of the running scope was entered, by the number that its
  /// schedule has for it; generated code counts when someone times. Null: no one does.
  uint64_t *scopeTurns;
};

struct PtoLoop {
  int64_t count, srcStride, dstStride;
};

enum PtoTransferFlags : uint32_t {
  PTO_TRANSFER_PAD = 1,       ///< fill rows (ROW-2)
  PTO_TRANSFER_REGISTERS = 2, ///< loops and pad value come from the legacy registers
  PTO_TRANSFER_SUBBLOCK = 4,  ///< `dstSubblock` holds a value
  PTO_TRANSFER_BLOCKS = 8,    ///< gap model: see PtoTransfer
  PTO_TRANSFER_HINTS = 16,    ///< `sid`, `l2` and `cache` hold values
};

/// A transfer as issued. Lengths and strides are bytes, strides from start to
/// start. With PTO_TRANSFER_BLOCKS (on-chip copies) `len`, `srcStride` and
/// `dstStride` count blocks, and the strides are gaps: what is skipped
/// after a row. Steps of `loops` are bytes in any case.
struct PtoTransfer {
  uint32_t srcSpace, dstSpace; ///< Space
  uint32_t pipe;               ///< Pipe
  uint32_t flags;
  uint32_t elementBytes; ///< unit of the pad counts (1 when unknown)
  uint32_t padWidth;     ///< bytes of padValue that count (1, 2 or 4)
  uint64_t padValue;
  int64_t padLeft, padRight; ///< in elements
  uint64_t src, dst;         ///< byte address in its space
  int64_t len;               ///< bytes per row
  int64_t count;             ///< rows
  int64_t srcStride, dstStride;
  uint64_t loopCount;   ///< entries of `loops`, innermost first
  const PtoLoop *loops; ///< read during the call only
  /// Whose UB a transfer of the cube core writes: 0 or 1. Read only with
  /// PTO_TRANSFER_SUBBLOCK; without it the target is subblock 0.
  int64_t dstSubblock;
  /// Operands without effect on data, which only have a range. Read only with
  /// PTO_TRANSFER_HINTS.
  int64_t sid = 0, l2 = 0, cache = 0;
  int64_t blockBytes = 32; ///< a multiple of 32. Read only with PTO_TRANSFER_BLOCKS.
};

enum PtoRegister : uint32_t {
  PTO_REG_LOOP_SIZE_OUTTOUB,    ///< a = loop1 count, b = loop2 count
  PTO_REG_LOOP1_STRIDE_OUTTOUB, ///< a = source step, b = destination step
  PTO_REG_LOOP2_STRIDE_OUTTOUB,
  PTO_REG_LOOP_SIZE_UBTOOUT,
  PTO_REG_LOOP1_STRIDE_UBTOOUT,
  PTO_REG_LOOP2_STRIDE_UBTOOUT,
  PTO_REG_MOV_PAD_VAL, ///< a = raw bits, b = width in bytes
  /// Packed words (DREG-6, DREG-7) in `a`; they serve transfers from GM to L1.
  PTO_REG_LOOP_SIZE_OUTTOL1,    ///< loop1 count in bits 20:0, loop2 count in bits 41:21
  PTO_REG_LOOP1_STRIDE_OUTTOL1, ///< GM step in bits 39:0, L1 step in bits 60:40
  PTO_REG_LOOP2_STRIDE_OUTTOL1,
  PTO_REG_PAD_VAL_OUTTOL1, ///< a = raw bits; recorded, no transfer pads L1
  PTO_REG_FFTS_BASE,       ///< a = GM address of the message area of A2/A3; recorded
  PTO_REG_VECTOR_MASK,     ///< a = elements 0 to 63, b = elements 64 to 127 (UBV-5)
  PTO_REG_COUNT
};

/// An element of an array of event ids or scalars, or a field of a struct, in memory
/// of the generated code.
struct PtoEventId {
  int64_t id;
  int64_t isSet; ///< 0 until the program has written it
};

/// Which cores of the launch an all-core barrier joins.
enum PtoSyncCores : uint32_t {
  PTO_SYNC_AIV_ONLY,
  PTO_SYNC_AIC_ONLY,
  PTO_SYNC_MIX,
};

/// Reasons generated code stops a block, or complains, by itself.
enum PtoFailure : uint32_t {
  PTO_FAIL_LOOP_STEP,   ///< scf.for with a step that is not positive; value = step
  PTO_FAIL_DIVISION,    ///< integer division by zero (value = 0) or overflow (1)
  PTO_FAIL_SHIFT,       ///< shift count outside the width; value = count
  PTO_FAIL_TRAP,        ///< pto.trap
  PTO_FAIL_OPERAND,     ///< a number outside what a vector instruction takes; value = number
  PTO_WARN_SHIFT_COUNT, ///< vector shift by a scalar beyond the width; value = count; the block goes on
  PTO_WARN_TAIL_COUNT,  ///< plt with a negative count; value = count; the block goes on
  PTO_WARN_BANK,        ///< a bank of a histogram beyond 1; value = bank; the block goes on
};

using PtoScopeFunction = void (*)(PtoContext *, const uint64_t *captures);
using PtoSuFunction = int32_t (*)(PtoContext *, const uint64_t *arguments);

// --- issued by the scalar unit ------------------------------------------------
int32_t ptosc_transfer(PtoContext *, uint32_t site, const PtoTransfer *);
int32_t ptosc_set_register(PtoContext *, uint32_t site, uint32_t reg, int64_t a, int64_t b);
int32_t ptosc_set_flag(PtoContext *, uint32_t site, uint32_t src, uint32_t dst, int64_t id);
int32_t ptosc_wait_flag(PtoContext *, uint32_t site, uint32_t src, uint32_t dst, int64_t id);
int32_t ptosc_barrier(PtoContext *, uint32_t site, uint32_t pipe);
/// `dsb`; the domain is a ptoscope::Domain.
int32_t ptosc_memory_barrier(PtoContext *, uint32_t site, uint32_t domain);
/// `dcci`: the line at `address` of GM, or with `whole` every line.
int32_t ptosc_cache_invalidate(PtoContext *, uint32_t site, uint64_t address, uint32_t whole);
/// Event-id arrays of `n` elements: none is set, one is written, one is read.
int32_t ptosc_event_array(PtoContext *, uint32_t site, PtoEventId *array, int64_t n);
int32_t ptosc_event_array_set(PtoContext *, uint32_t site, PtoEventId *array, int64_t n, int64_t index, int64_t id);
int32_t ptosc_event_array_get(PtoContext *, uint32_t site, const PtoEventId *array, int64_t n, int64_t index,
                              int64_t *result);
/// A scalar in such an element, `position` of its array or struct; and an index that
/// is not below the extent it counts in, which ends the block.
int32_t ptosc_element_set(PtoContext *, uint32_t site, PtoEventId *element, int64_t bits);
int32_t ptosc_element_get(PtoContext *, uint32_t site, const PtoEventId *element, int64_t position, int64_t *bits);
int32_t ptosc_bad_index(PtoContext *, uint32_t site, int64_t index, int64_t extent);
/// Tells LaunchOptions::onlooker of a value.
void ptosc_look(PtoContext *, uint32_t number, const void *bytes);
int32_t ptosc_get_buf(PtoContext *, uint32_t site, uint32_t pipe, int64_t id, int64_t mode);
int32_t ptosc_rls_buf(PtoContext *, uint32_t site, uint32_t pipe, int64_t id, int64_t mode);
/// Cluster semaphores (SEM-2, SEM-3). `pipe` is where the set or wait is
/// queued; PIPE_ALL for the forms without a pipe: the set drains every pipe
/// first, the wait stops the scalar unit (as PIPE_S does, and every wait on
/// A2/A3).
int32_t ptosc_sync_set(PtoContext *, uint32_t site, uint32_t pipe, int64_t id);
int32_t ptosc_sync_wait(PtoContext *, uint32_t site, uint32_t pipe, int64_t id);
/// The same between cores by messages; `mode` is 0 (all cores of a kind, of all blocks),
/// 1 (the vector cores of a cluster) or 2 (its cube core and vector cores). On A5 an id
/// above 15 of mode 2 means the semaphores above.
int32_t ptosc_message_set(PtoContext *, uint32_t site, uint32_t pipe, uint32_t mode, int64_t id);
int32_t ptosc_message_wait(PtoContext *, uint32_t site, uint32_t pipe, int64_t id);
/// A2/A3: from the cube core to both vector cores, or from both to it.
int32_t ptosc_cross_core_set(PtoContext *, uint32_t site, int64_t id);
int32_t ptosc_wait_flag_dev(PtoContext *, uint32_t site, int64_t id);
/// Barrier over the launch (KernelImage::needsAllBlocks). `coreType` is a
/// PtoSyncCores; `usedCores` of 0 or less means all cores of that kind.
int32_t ptosc_syncall(PtoContext *, uint32_t site, uint32_t coreType, int64_t usedCores);
/// `captures` is copied.
int32_t ptosc_scope(PtoContext *, uint32_t site, PtoScopeFunction, const uint64_t *captures, uint32_t n);
/// The same for a scope all of whose accesses are in loops behind ptosc_place_loop.
int32_t ptosc_placed_scope(PtoContext *, uint32_t site, PtoScopeFunction, const uint64_t *captures, uint32_t n);
/// Back edge of a loop that reads memory or issues nothing. `carried` are the
/// raw bytes of the values the loop carries (n may be 0); `finite` marks
/// scf.for, which ends by itself and is never a livelock.
int32_t ptosc_yield(PtoContext *, uint32_t site, const void *carried, uint64_t n, uint32_t finite);
int32_t ptosc_fail(PtoContext *, uint32_t site, uint32_t failure, int64_t value);
int64_t ptosc_get_ctrl(PtoContext *);
int32_t ptosc_set_ctrl(PtoContext *, uint32_t site, int64_t value);
/// Sorts on PIPE_V (SORT-8). Addresses are bytes of UB; `scoreBytes` is
/// 4 for f32 and 2 for f16.
int32_t ptosc_bitsort(PtoContext *, uint32_t site, uint32_t scoreBytes, uint64_t dst, uint64_t scores, uint64_t indices,
                      int64_t repeat);
int32_t ptosc_mrgsort4(PtoContext *, uint32_t site, uint32_t scoreBytes, uint64_t dst, uint64_t list0, uint64_t list1,
                       uint64_t list2, uint64_t list3, uint64_t count, uint64_t config);
/// VMS4_SR as it stands: 16 bits for each list, list 0 lowest.
int32_t ptosc_get_vms4_sr(PtoContext *, uint32_t site, uint64_t *result);

// --- scalar memory, by the scalar unit or inside a scope -----------------------
/// `bytes` is 1, 2, 4 or 8. A suppressed load gives 0.
int32_t ptosc_load_scalar(PtoContext *, uint32_t site, uint32_t space, uint64_t address, uint32_t bytes,
                          uint32_t inScope, uint64_t *result);
int32_t ptosc_store_scalar(PtoContext *, uint32_t site, uint32_t space, uint64_t address, uint32_t bytes,
                           uint32_t inScope, uint64_t value);

/// The same of GM by the scalar unit, past its cache.
int32_t ptosc_load_dev(PtoContext *, uint32_t site, uint64_t address, uint32_t bytes, uint64_t *result);
int32_t ptosc_store_dev(PtoContext *, uint32_t site, uint64_t address, uint32_t bytes, uint64_t value);

// --- vector accesses of a checked scope ----------------------------------------
/// What a checked load knows about the bytes of its window.
struct PtoLoadShadow {
  uint64_t defined[32]; ///< bit k: byte k of the window is defined (windows up to 2048 bytes)
  uint32_t stamp;       ///< names this load instance; 0 = none
};
/// Returns the address to read from: the real one, or zeros when the access
/// was bad and is suppressed. Bit sets are little-endian 64-bit words over the
/// window; a null set means all ones.
const uint8_t *ptosc_check_load(PtoContext *, uint32_t site, uint32_t address, uint32_t windowBytes, uint32_t alignment,
                                const uint64_t *used, PtoLoadShadow *shadow);
/// Returns the address to write to: the real one, or scratch when suppressed.
/// `stamps` are the load instances (or merged sets) the stored value, mask or
/// index derives from.
uint8_t *ptosc_check_store(PtoContext *, uint32_t site, uint32_t address, uint32_t windowBytes, uint32_t alignment,
                           const uint64_t *active, const uint64_t *defined, const uint32_t *stamps,
                           uint32_t stampCount);
/// A set of stamps as one stamp, for values carried around a loop.
uint32_t ptosc_merge_stamps(PtoContext *, const uint32_t *stamps, uint32_t n);
/// In `operand` of ptosc_undefined_use: the register names places or lanes; above, 1 + which register of a longer
/// vector it is, or 0 for one that is none.
enum : uint32_t { PTO_OPERAND_INDEX = 1u << 16, PTO_OPERAND_PART_SHIFT = 17 };
/// Active lanes of `operand` hold undefined bytes: `defined` and `active` are
/// 256-bit sets over the register's bytes.
void ptosc_undefined_use(PtoContext *, uint32_t site, uint32_t operand, const uint64_t *defined,
                         const uint64_t *active);
/// `mem_bar`; emitted when a check or a schedule needs it.
void ptosc_fence(PtoContext *, uint32_t site, uint32_t fence);

// --- stores of a scope that are not plain vector moves ---------------------------
/// Random schedules: stores the active bytes of `bytes` at `target` later, at a
/// fence that covers vector stores or at the scope's end. `target` is what
/// ptosc_check_store gave, or local base + address.
void ptosc_buffered_store(PtoContext *, uint32_t site, uint8_t *target, uint32_t windowBytes, const uint8_t *bytes,
                          const uint64_t *active);
/// Writes exactly the active bytes, now (a window that may reach past the memory).
void ptosc_partial_store(PtoContext *, uint32_t site, uint8_t *target, uint32_t windowBytes, const uint8_t *bytes,
                         const uint64_t *active);

// --- distributions (numbers are positions in the tables of Meaning/Distribution.h) --
/// Bytes of the window that a load into one register uses; null = all.
const uint64_t *ptosc_load_bits(uint32_t dist);
/// Definedness of register `half` from that of the window.
void ptosc_load_defined(uint32_t dist, uint32_t half, const uint64_t *window, uint64_t *defined);
/// Bytes of the window that a store under a mask writes; null = all. `window`
/// has room for 2048 bits and may be what is returned.
const uint64_t *ptosc_store_bits(uint32_t dist, const uint64_t *image, uint64_t *window);
/// Definedness of the window from that of the registers; null = all.
const uint64_t *ptosc_store_defined(uint32_t dist, const uint64_t *low, const uint64_t *high, uint64_t *window);

// --- definedness on its way through rearrangements: 0 is defined, -1 is not ------------
void ptosc_mark_bytes(const uint64_t *defined, uint32_t n, uint8_t *marks);
void ptosc_unmark_bytes(const uint8_t *marks, uint32_t n, uint64_t *defined);
/// The same for the 256 bits of a mask, both ways.
void ptosc_invert_bits(const uint64_t *bits, uint64_t *inverse);
/// One lane's definedness for all lanes.
void ptosc_dup_defined(const uint64_t *defined, uint32_t byte, uint32_t bytes, uint64_t *all);
/// Warns of shift counts of `bytes` in active lanes that are not below the width.
void ptosc_check_counts(PtoContext *, uint32_t site, const void *counts, uint32_t bytes, const uint64_t *active);
/// Warns of indices of `bytes` that name no lane.
void ptosc_check_lookup(PtoContext *, uint32_t site, const void *index, uint32_t bytes);
/// For each of `count` lanes: bit `step` times its number of `image` (null = on)
/// becomes `bytes` bits from `bytes` times its number on.
void ptosc_spread_bits(const uint64_t *image, uint32_t step, uint32_t bytes, uint32_t count, uint64_t *spread);
/// Bits on, of 256; a null set has all.
int64_t ptosc_count_bits(const uint64_t *bits);

// --- places that a register or strides name, checked and accessed ------------------------
enum PtoPlacesForm : uint32_t {
  PTO_PLACES_ELEMENTS, ///< lane i: base + index[i] * datumBytes, on iff bit slotBytes * i
  PTO_PLACES_OFFSETS,  ///< 32-byte block b: base + index[b], on iff bit 4 b
  PTO_PLACES_STRIDES,  ///< block b: base + 32 * (repeatStride + b * blockStride), on iff any of its 32 bits
};
struct PtoPlaces {
  const void *index;
  const uint64_t *image; ///< of the mask; null = all on
  uint32_t base, form, slotBytes, indexBytes, datumBytes, blockStride, repeatStride;
};
void ptosc_gather(PtoContext *, uint32_t site, const PtoPlaces *, void *result, PtoLoadShadow *shadow);
void ptosc_scatter(PtoContext *, uint32_t site, const PtoPlaces *, const void *value, const uint64_t *defined,
                   const uint32_t *stamps, uint32_t stampCount);

enum : uint32_t { PTO_STREAM_AR = ~uint32_t(0) };

// --- unaligned streams (VLDUS-2 to VLDUS-4, STREAM-1 to STREAM-7) -------------------------
void ptosc_stream_prime(PtoContext *, uint32_t site, uint32_t address, PtoAlign *state);
/// The next load is `ahead` bytes behind this one.
void ptosc_stream_load(PtoContext *, uint32_t site, uint32_t address, uint32_t ahead, const PtoAlign *state,
                       PtoAlign *next, void *result, PtoLoadShadow *shadow);
/// Appends the first `count` bytes of a register.
void ptosc_stream_push(PtoContext *, uint32_t site, uint32_t address, const PtoAlign *state, PtoAlign *next,
                       const void *bytes, int64_t count, const uint64_t *defined, const uint32_t *stamps,
                       uint32_t stampCount);
/// Writes what is pending. `address` is where the program says the stream ends,
/// `other` the same with its offset read as bytes, or PTO_STREAM_AR.
void ptosc_stream_flush(PtoContext *, uint32_t site, uint32_t address, uint32_t other, const PtoAlign *state,
                        const uint32_t *stamps, uint32_t stampCount);

/// A loop inside a scope wants `turns` more turns of `cost` steps each, for which
/// scopeSteps do not suffice. How many it may take before it asks again; 0 asks
/// the scope to end.
uint64_t ptosc_scope_turns(PtoContext *, uint32_t site, uint64_t turns, uint32_t cost);

} // extern "C"

#endif // PTOSCOPE_MACHINE_RUNTIME_H
