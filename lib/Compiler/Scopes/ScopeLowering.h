//===- ScopeLowering.h - a vector scope as lane groups ----------*- C++ -*-===//
//
// Registers are 256 bytes, code is lane groups: a run of lane-wise instructions
// becomes one pass over four groups of 64 bytes, with each value in a host
// register for as long as the group lasts. Values that cross runs, loops or
// branches live in slots: 256 bytes for registers, four words for masks. Masks
// stay symbolic (all lanes, the first n lanes, a fixed pattern) where they can.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_COMPILER_SCOPELOWERING_H
#define PTOSCOPE_LIB_COMPILER_SCOPELOWERING_H

#include "Lowering/Lowering.h"
#include "Scopes/Affine.h"
#include "ptoscope/Dialect/PTO/InstrTable.h"
#include "ptoscope/Meaning/Distribution.h"

#include <bitset>
#include <memory>

namespace ptoscope {

class LoopAnalysis;

inline constexpr unsigned kGroups = 4;
inline constexpr unsigned kGroupBytes = 64;

/// A register, mask or alignment state outside the run that makes it.
struct RegisterValue {
  mlir::Value slot;                      ///< 256, 32 or 64 bytes; null while no one needs it in memory
  mlir::Value defined;                   ///< four words, a bit per byte (of masks: per bit); null = all defined
  mlir::Value squeezed;                  ///< where the number of bytes a vsqz kept is; null = not from a vsqz
  llvm::SmallVector<mlir::Value> stamps; ///< where the stamps of the loads it derives from are kept
  mlir::Value room;                      ///< registers of one vector share it; the slot is `place` registers behind it
  int64_t place = 0;
  bool rawNaN = false; ///< the slot may hold NaNs that are not canonical yet
};

/// The 256-bit image of a mask (MASK-7). Only bits at multiples of
/// `bytes` can be on; a reader of width w looks at the bits at multiples of w.
struct MaskValue {
  enum Kind { All, Prefix, Pattern, Bits } kind = All;
  unsigned bytes = 4;
  mlir::Value count;        ///< Prefix: number of lanes, i32 unsigned
  std::bitset<256> pattern; ///< Pattern: a bit per lane of `bytes`
  // Prefix, of a register of a longer vector: its lanes that are on and all of its lanes, and the first in this
  // register.
  mlir::Value vectorCount = {};
  int64_t vectorLanes = 0, first = 0;

  unsigned lanes() const { return 256 / bytes; }
  /// An image in a slot, of which nothing more is known.
  static MaskValue bits(unsigned bytes = 1) {
    MaskValue mask;
    mask.kind = Bits;
    mask.bytes = bytes;
    return mask;
  }
};

/// One instruction of a run, with its address if it has one.
struct RunOp {
  mlir::Operation *op;
  SiteId site = kNoSite;
  const LoadDist *load = nullptr;
  const StoreDist *store = nullptr;
  unsigned alignment = 0;
  mlir::Value address = {}; ///< i64, of loads and stores
  Affine affine = {};
  mlir::Value pointer = {};    ///< where the bytes are: host pointer
  mlir::Value active = {};     ///< bytes of the window that are written, null pointer = all; only when asked for
  mlir::Value staging = {};    ///< the window, for stores the runtime performs
  mlir::Value room = {};       ///< it need not, for the whole window is there; null = it performs them always
  mlir::Value pastCaches = {}; ///< its lines are aligned, and had better not go into caches; null = never
  mlir::Value scalar = {};     ///< what a vdup of a lane gives every lane
  unsigned bytes = 0;          ///< of a window that a shorter vector does not fill; 0 = all of it

  bool isAccess() const { return load || store; }
  unsigned window() const { return bytes ? bytes : load ? load->window : store->window; }
};

/// A value of the current group.
struct GroupValue {
  mlir::Value value;
  bool rawNaN = false; ///< NaNs are not canonical yet
};

class ScopeLowering : public Lowering {
public:
  using Lowering::Lowering;
  using StringRef = llvm::StringRef;
  using VRegType = pto::VRegType;
  using MaskType = pto::MaskType;
  /// Replaces `function` by an llvm.func of the same name.
  llvm::LogicalResult run(mlir::func::FuncOp function);

protected:
  llvm::LogicalResult lowerInstr(Operation *op) override;
  void flush() override;
  bool inScope() const override { return true; }
  void newHome(Value carried) override;
  void assignHomes(mlir::ValueRange carried, mlir::ValueRange sources) override;
  void shareHome(Value result, Value carried) override;
  bool asksForTurns(Operation *loop) override;
  void beginTurns(Operation *loop) override;
  void endTurns(Operation *loop) override;
  void endFor(Operation *loop) override;
  Value grantedTurns(Operation *loop, SiteId site, Value turns) override;
  void takeSteps(uint64_t steps);

private:
  using Group = std::optional<unsigned>; ///< number of a group, when the code is unrolled

  /// Adds a vector load or store, with its address, to the pending run. `next`
  /// is the pointer result of the post-update forms, which access the base.
  void queueAccess(Operation *op, const LoadDist *load, const StoreDist *store, Value base, Value offset, Value reg,
                   Value next = {});
  void queue(RunOp item);

  // --- masks (ScopeMasks.cpp)
  MaskValue maskOf(Value mask, unsigned elementBytes);
  /// Lanes of group `g` as i1, for a reader of `width` bytes; null = all on.
  Value maskGroup(Value mask, const MaskValue &value, unsigned width, Value g, Group constG);
  /// Lanes of an image of `from` bytes as a reader of `to` bytes sees them.
  Value regrain(Value lanes, unsigned from, unsigned to);
  /// The word of an image of `bytes`; null lanes = all on.
  Value maskWord(Value lanes, unsigned bytes);
  /// Four words in memory, a bit per byte of a register whose elements have
  /// `width` bytes; a null pointer = all.
  Value activeBits(Value mask, unsigned width);
  /// Four words in memory: the image itself; a null pointer for a missing mask.
  Value imageOf(Value mask);
  Value imageOf(Value mask, const MaskValue &value);
  void lowerPset(Operation *op, StringRef pattern);
  void lowerPlt(Operation *op, Value count);
  void lowerPltm(Operation *op, Value turn, Value bound);
  /// Bits that a mask made by an instruction of a run can have on.
  unsigned imageBytes(Operation *op);

  // --- whole registers (ScopeRegisters.cpp)
  llvm::LogicalResult lowerRegisterOp(Operation *op, const pto::InstrInfo &info);
  llvm::LogicalResult lowerMeaning(Operation *op);
  std::string registerSymbol(Operation *op, const pto::InstrInfo &info, llvm::SmallVectorImpl<Value> &operands);
  void lowerDup(pto::VdupOp op);

  // --- accesses that are no windows (ScopeMemory.cpp)
  struct Places;
  Value activeImage(Value active, unsigned laneBytes);
  Places indexedPlaces(Value base, Value reg, Value index, Value active);
  Places stridedPlaces(Value base, Value control, Value repeatStride, Value mask);
  Value placesInMemory(const Places &places);
  void announceIndex(Operation *op, SiteId site, unsigned position, const Places &places);
  void lowerGather(Operation *op);
  void lowerScatter(Operation *op);
  Value predicateAddress(Operation *op, Value base, Value offset);
  void lowerSpecialStore(Operation *op, Value base, Value offset, Value next);
  void lowerPredicateLoad(Operation *op, Value base, Value offset, StringRef dist);
  void lowerPredicateStore(Operation *op, Value mask, Value base, Value offset, StringRef dist);
  Value localPtr(Value address, Operation *access = nullptr);

  // --- streams (ScopeStreams.cpp)
  void prepareStreams(mlir::func::FuncOp function);
  llvm::LogicalResult lowerStream(Operation *op);
  void pushStream(Operation *op, Value state, Value next, Value address, Value bytes, Value count, Value defined);
  void flushStream(Operation *op, Value state, Value address, Value other);
  void lowerSqueezeCount(Operation *op, Value mask, unsigned elementBytes);

  // --- several registers (LowerSequences.cpp, SequenceRows.cpp)
  using Call = mlir::func::CallOp;
  llvm::LogicalResult lowerSequence(Call call);
  Value makeRoom(mlir::ValueRange results);
  llvm::SmallVector<Value> slotsOf(mlir::ValueRange registers);
  llvm::SmallVector<Value> loadGroups(llvm::ArrayRef<Value> slots, mlir::VectorType type, size_t count);
  void storeGroups(llvm::ArrayRef<Value> groups, Value bytes, size_t registers);
  Value inOneRow(mlir::ValueRange registers);
  void announceLanes(Operation *op, mlir::ValueRange registers, int64_t lanes, unsigned position);
  void moveDefined(Operation *op, mlir::ValueRange moved,
                   llvm::function_ref<void(llvm::ArrayRef<Value> from, Value to)> move);
  void lowerConstantLanes(Call call);
  void lowerShuffle(Call call);
  void lowerConversion(Call call);
  void lowerFold(Call call);
  void lowerLookup(Call call);
  void lowerRank(Call call);
  void lowerCompress(Call call);
  struct RowWalk;
  RowWalk rowsOf(Call call, size_t registers);
  void forEachRow(const RowWalk &rows, llvm::function_ref<void(Value address, Value place, int64_t bytes)> body);
  void lowerLoadRows(Call call);
  void lowerStoreRows(Call call);
  void lowerPrefix(Call call);
  /// Lanes of a register that are on, i32: it has those of the mask's vector from `first` on.
  Value countFrom(const MaskValue &mask, Value first);
  void lowerFixed(Call call);
  void lowerRegrain(Call call);

  // --- runs (LaneRuns.cpp)
  enum class Shape {
    FusedFull, ///< prefix masks cover the whole register
    Fused,     ///< masks are applied
    Staged,    ///< the same; at the end the runtime performs masked stores that have no room
    PerOp,     ///< one instruction after the other, values in slots
  };
  void emitRun(llvm::MutableArrayRef<RunOp> run, Shape shape);
  bool storesMasked(const RunOp &item);
  bool storesMaskedLast(llvm::ArrayRef<RunOp> run);
  bool storesPartially(const RunOp &item, Shape shape);
  /// The condition under which group order cannot be distinguished from program order;
  /// null = always; nothing = never.
  std::optional<Value> groupOrderIsSafe(llvm::ArrayRef<RunOp> run);
  void finishStores(llvm::MutableArrayRef<RunOp> run, Shape shape);

  // --- long vectors (RegisterLoops.cpp)
  struct Columns;
  std::optional<Columns> columnsOf(llvm::MutableArrayRef<RunOp> run, Shape shape);
  /// False when the run is not one of long vectors: nothing is emitted. In order and staged, stores are finished, too.
  bool emitByRegister(llvm::MutableArrayRef<RunOp> run, Shape shape, llvm::DenseSet<Value> escaping);

  // --- groups (LaneGroups.cpp)
  struct GroupState;
  void emitGroups(llvm::MutableArrayRef<RunOp> run, Shape shape, const llvm::DenseSet<Value> &escaping);
  void emitGroup(llvm::MutableArrayRef<RunOp> run, Shape shape, const llvm::DenseSet<Value> &escaping, Value g,
                 Group constG);
  Value loadGroup(const LoadDist &dist, unsigned half, mlir::VectorType type, Value pointer, Value g, Group constG);
  void storeGroup(const RunOp &item, llvm::ArrayRef<Value> groups, Value lanes, Value pointer, Value g, Group constG);
  Value loadPart(unsigned bytes, mlir::VectorType type, Value pointer, unsigned g);
  void storePart(unsigned bytes, Value group, Value lanes, Value pointer, unsigned g);
  void emitLaneOp(RunOp &item, GroupState &state);
  Value applyMask(RunOp &item, Value value, GroupState &state);
  Value emitNumbers(pto::VciOp op, mlir::VectorType type, GroupState &state);
  Value emitMaskOp(Operation *op, GroupState &state);
  Value groupPtr(Value base, Value g, Group constG, int64_t step = kGroupBytes);
  GroupValue groupOf(Value reg, GroupState &state);
  Value lanesOf(Value mask, unsigned width, GroupState &state);
  Value canonical(GroupValue value, Type element);
  // CarriedNaNs.cpp
  /// What a loop carries on in place of `carried`, if its NaNs need not be canonical before the
  /// loop ends. Null: they do.
  Value rawNext(Value carried);
  void makeCanonical(Value reg);
  /// `ptom_` and the record's symbol with its placeholders filled in.
  std::string meaningSymbol(Operation *op, const pto::InstrInfo &info);

  // --- loops that are checked at once (WholeLoops.cpp)
  struct WholeLoop;
  void splitLoops(mlir::func::FuncOp function);
  /// True: all accesses of the scope are those of loops that ask where they are made.
  bool placeLoops(mlir::func::FuncOp function);
  std::shared_ptr<WholeLoop> describe(const LoopAnalysis &analysis, llvm::SmallVectorImpl<Value> &operands);
  Call announce(mlir::scf::ForOp loop, std::shared_ptr<WholeLoop> whole, mlir::ValueRange operands);
  void lowerWholeLoop(Call call);

  // --- checks (ScopeChecks.cpp, ColumnChecks.cpp)
  using BitsCache = llvm::DenseMap<std::pair<Value, unsigned>, Value>;
  /// Warns of shift counts that are wider than the elements.
  void checkCounts(Operation *op);
  void announceAccesses(llvm::MutableArrayRef<RunOp> run);
  void announceLoad(RunOp &item);
  /// Announces one instruction on the registers of a vector; false when it is no such access, or not a simple one.
  bool announceColumn(llvm::MutableArrayRef<RunOp> column, BitsCache &cache);
  void announceStore(RunOp &item, BitsCache &cache);
  void announceUses(Operation *op, SiteId site, BitsCache &cache);
  /// Is every byte on in all of these sets of 256 bits?
  Value allDefined(llvm::ArrayRef<Value> sets);
  Value onlyPart(Value bits, unsigned width, std::pair<unsigned, unsigned> part);
  void announceUse(SiteId site, unsigned position, Value defined, Value active);
  /// Writes out what was announced; `defined` and `active` are read only now.
  void emitUses();
  struct Use {
    SiteId site;
    unsigned position;
    Value defined, active;
  };
  struct RepeatedUses;
  void emitUse(llvm::ArrayRef<Use> first, const RepeatedUses &repeated);
  Value cachedBits(Value mask, unsigned width, BitsCache &cache);
  /// Definedness of the results of an instruction that carries bytes along.
  void carryDefined(Operation *op, BitsCache &cache);
  void keepDefined(Operation *op, Value kept, BitsCache &cache);
  /// The stamps that the operands of `op` derive from, and the same in memory.
  llvm::SmallVector<Value> stampsOf(mlir::ValueRange operands);
  Value stampArray(llvm::ArrayRef<Value> stamps);
  void deriveStamps(Operation *op);
  /// The bytes of its window that a store writes, in memory; null pointer = all.
  Value windowBits(const RunOp &item);

  mlir::VectorType groupType(Type element);
  mlir::VectorType laneType(unsigned elementBytes);
  Value splat(Value scalar, mlir::VectorType type);
  Value narrow(Value address) { return b.create<mlir::arith::TruncIOp>(b.loc, b.i32(), address); }
  RegisterValue &registerOf(Value value) { return registers[value]; }
  Value slotOf(Value reg);

  Value localBase;                                    ///< host address of UB
  llvm::DenseMap<Operation *, Value> hostBases;       ///< what accesses of placed loops have instead
  llvm::DenseMap<Operation *, Value> pastCaches;      ///< do stores of placed loops go past the caches?
  CodeOptions checkedOptions;                         ///< those around turns that need no checks
  std::vector<std::shared_ptr<WholeLoop>> wholeLoops; ///< by the number of their call
  llvm::SmallVector<RunOp> pending;
  bool isRare = false; ///< the code that is emitted is there for the rare case, and should be short
  llvm::SmallVector<Use> uses;
  llvm::DenseMap<Value, Value> definedLoads; ///< by the shadows of a vector: all ones if all of it is defined
  llvm::DenseMap<Value, RegisterValue> registers;
  llvm::DenseMap<Value, MaskValue> masks;
  llvm::DenseMap<std::pair<Value, mlir::Block *>, Value> vectorCounts; ///< of masks of long vectors, as i64
  Value maskBytes; ///< where masks are made ready for streams; null until one is
  // Special registers, in memory; null in scopes that do not use them.
  Value displacement; ///< AR, in bytes
  Value lastSqueezed; ///< SQZN: bytes that the last squeeze kept
};

/// Vector registers among the values, in order.
llvm::SmallVector<mlir::Value> registersOf(mlir::ValueRange values);
/// The mask that decides which lanes of a lane-wise instruction or store are
/// active; null = none.
mlir::Value governingMask(mlir::Operation *op);
/// Which lane of how many an instruction with parts reads or writes; 0 of 1 for others.
std::pair<unsigned, unsigned> partOf(mlir::Operation *op);
/// Instructions that it counts as: meanings that are long code count as several.
size_t weightOf(mlir::Operation *op);
/// How many instructions at the beginning of the run are one on the registers of a vector.
size_t columnLength(llvm::ArrayRef<RunOp> run);
/// From the address of one access to that of the next, if it is the same distance.
std::optional<int64_t> distanceOf(size_t count, llvm::function_ref<const RunOp &(size_t)> access);
/// The width at which the governing mask is read.
unsigned maskWidth(const RunOp &item);

} // namespace ptoscope

#endif // PTOSCOPE_LIB_COMPILER_SCOPELOWERING_H
