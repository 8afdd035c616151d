//===- SequenceRows.cpp - rows of memory, and masks of any length ---------===//
//
// Rows are accessed one by one, in their order: each is checked for exactly its
// bytes, and moves as one piece. Of blocks under a mask, those without an active
// lane are left out.
//
//===----------------------------------------------------------------------===//

#include "Scopes/ScopeLowering.h"
#include "Scopes/Sequences.h"
#include "ptoscope/Compiler/RuntimeAbi.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

static int64_t numberOf(Operation *op, StringRef name) { return op->getAttrOfType<IntegerAttr>(name).getInt(); }

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// Pieces of rows, none longer than a register.
struct ScopeLowering::RowWalk {
  Value base, offset, stride;
  ValueRange masks; ///< of blocks
  unsigned elementBytes;
  int64_t row, bytes, alignment;
};

ScopeLowering::RowWalk ScopeLowering::rowsOf(func::CallOp call, size_t registers) {
  Value pointer = call.getOperand(unsigned(registers));
  return {mapped(pointer),
          mapped64(call.getOperand(unsigned(registers) + 1)),
          mapped64(call.getOperand(unsigned(registers) + 2)),
          call.getOperands().drop_front(registers + 3),
          cast<PtrType>(pointer.getType()).getElementBytes(),
          numberOf(call, "row"),
          numberOf(call, "bytes"),
          numberOf(call, kAlignmentAttr)};
}

/// More rows than this become a loop.
static constexpr int64_t kUnrolledRows = 16;

/// Calls body(address, place in the vector, bytes) for each piece.
void ScopeLowering::forEachRow(const RowWalk &rows, llvm::function_ref<void(Value, Value, int64_t)> body) {
  auto pieces = [&](Value row, Value place, int64_t bytes) {
    Value address = b.add(rows.base, b.mul(b.add(rows.offset, b.mul(row, rows.stride)), b.const64(rows.elementBytes)));
    for (int64_t at = 0; at < bytes; at += kVectorBytes)
      body(at ? b.add(address, b.const64(at)) : address, at ? b.add(place, b.const64(at)) : place,
           std::min<int64_t>(kVectorBytes, bytes - at));
  };
  auto one = [&](Value row, Value place, int64_t bytes) {
    if (rows.masks.empty())
      return pieces(row, place, bytes);
    // The 32 bits of a block in the image of its register's mask.
    assert(rows.row == 32 && "masks govern blocks");
    APInt known;
    const int64_t number = matchPattern(row, m_ConstantInt(&known)) ? known.getSExtValue() : 0;
    Value image = imageOf(rows.masks[size_t(number / 8)]);
    Value bits = b.load(b.i32(), b.ptrAdd(image, number % 8 * 4), 4);
    auto active = b.create<scf::IfOp>(b.loc, b.cmp(arith::CmpIPredicate::ne, bits, b.const32(0)), false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(active.thenYield());
    pieces(row, place, bytes);
  };
  const int64_t whole = rows.bytes / rows.row, rest = rows.bytes % rows.row;
  if (whole > kUnrolledRows && rows.masks.empty()) {
    auto loop = b.create<scf::ForOp>(b.loc, b.const64(0), b.const64(whole), b.const64(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(loop.getBody()->getTerminator());
    one(loop.getInductionVar(), b.mul(loop.getInductionVar(), b.const64(rows.row)), rows.row);
  } else {
    for (int64_t row = 0; row < whole; ++row)
      one(b.const64(row), b.const64(row * rows.row), rows.row);
  }
  if (rest)
    one(b.const64(whole), b.const64(whole * rows.row), rest);
}

/// Bytes as one value of the host.
static Type bytesType(CodeBuilder &b, int64_t bytes) {
  const int64_t unit = bytes % 4 == 0 ? 4 : bytes % 2 == 0 ? 2 : 1;
  return VectorType::get(bytes / unit, b.getIntegerType(unsigned(8 * unit)));
}

void ScopeLowering::lowerLoadRows(func::CallOp call) {
  const size_t count = call.getNumResults();
  const RowWalk rows = rowsOf(call, 0);
  Value to = makeRoom(call.getResults());
  storeGroups({}, to, count);
  SiteId site = siteOf(call);
  Value shadow, defined, stamp;
  if (options.trackAccesses) {
    shadow = b.stack(abi::kLoadShadowBytes, 8);
    stamp = b.stack(8, 4); // of the rows so far, and of the next one
    b.store(b.const32(0), stamp, 4);
  }
  if (options.trackDefined) {
    defined = b.stack(int64_t(count) * 32, 8);
    for (size_t w = 0; w < 4 * count; ++w)
      b.store(b.const64(-1), b.ptrAdd(defined, int64_t(8 * w)), 8);
  }
  forEachRow(rows, [&](Value address, Value place, int64_t bytes) {
    Value pointer;
    if (options.trackAccesses) {
      pointer = b.call("ptosc_check_load", b.ptrType(),
                       {b.context, b.const32(site), narrow(address), b.const32(bytes), b.const32(rows.alignment),
                        b.nullPtr(), shadow});
      b.store(b.load(b.i32(), b.ptrAdd(shadow, abi::kLoadShadowStamp), 4), b.ptrAdd(stamp, 4), 4);
      b.store(b.call("ptosc_merge_stamps", b.i32(), {b.context, stamp, b.const32(2)}), stamp, 4);
      if (defined)
        b.run("ptosc_copy_bits", {shadow, b.const32(0), defined, narrow(place), b.const32(bytes)});
    } else {
      pointer = localPtr(address);
    }
    b.store(b.load(bytesType(b, bytes), pointer, 1), b.ptrAdd(to, place), 1);
  });
  if (!options.trackAccesses)
    return;
  SmallVector<Value> stamps = stampsOf(call.getOperands());
  stamps.push_back(stamp);
  for (auto [k, result] : llvm::enumerate(call.getResults())) {
    registerOf(result).stamps = stamps;
    if (defined)
      registerOf(result).defined = b.ptrAdd(defined, int64_t(32 * k));
  }
}

void ScopeLowering::lowerStoreRows(func::CallOp call) {
  const size_t count = size_t(llvm::count_if(call.getOperandTypes(), llvm::IsaPred<VRegType>));
  ValueRange sources = call.getOperands().take_front(count);
  const RowWalk rows = rowsOf(call, count);
  Value from = inOneRow(sources);
  SiteId site = siteOf(call);
  SmallVector<Value> stamps;
  Value defined, part, array;
  if (options.trackAccesses) {
    stamps = stampsOf(call.getOperands());
    array = stampArray(stamps);
    if (llvm::any_of(sources, [&](Value reg) { return bool(registerOf(reg).defined); })) {
      defined = b.stack(int64_t(count) * 32, 8);
      part = b.stack(32, 8);
      for (auto [k, reg] : llvm::enumerate(sources)) {
        Value own = registerOf(reg).defined;
        b.run("ptosc_copy_bits", {own ? own : b.nullPtr(), b.const32(0), defined, b.const32(int64_t(k) * kVectorBytes),
                                  b.const32(kVectorBytes)});
      }
    }
  }
  forEachRow(rows, [&](Value address, Value place, int64_t bytes) {
    Value pointer;
    if (options.trackAccesses) {
      if (defined)
        b.run("ptosc_copy_bits", {defined, narrow(place), part, b.const32(0), b.const32(bytes)});
      pointer = b.call("ptosc_check_store", b.ptrType(),
                       {b.context, b.const32(site), narrow(address), b.const32(bytes), b.const32(rows.alignment),
                        b.nullPtr(), defined ? part : b.nullPtr(), array, b.const32(int64_t(stamps.size()))});
    } else {
      pointer = localPtr(address);
    }
    Value source = b.ptrAdd(from, place);
    if (options.bufferStores)
      b.run("ptosc_buffered_store", {b.context, b.const32(site), pointer, b.const32(bytes), source, b.nullPtr()});
    else
      b.store(b.load(bytesType(b, bytes), source, 1), pointer, 1);
  });
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

Value ScopeLowering::countFrom(const MaskValue &mask, Value first) {
  // More than the register has is all of it.
  Value left = b.create<arith::MaxSIOp>(b.loc, b.sub(mask.vectorCount, first), b.const64(0));
  return narrow(b.create<arith::MinUIOp>(b.loc, left, b.const64(INT32_MAX)));
}

void ScopeLowering::lowerPrefix(func::CallOp call) {
  MaskValue mask;
  mask.kind = call->hasAttr(kFullMaskAttr) ? MaskValue::All : MaskValue::Prefix;
  mask.bytes = cast<MaskType>(call.getResult(0).getType()).getBytes();
  // One value for all registers of a vector: their counts follow from each other.
  Value &count = vectorCounts[{call.getOperand(0), call->getBlock()}];
  if (!count)
    count = mapped64(call.getOperand(0));
  mask.vectorCount = count;
  mask.vectorLanes = numberOf(call, "lanes");
  mask.first = numberOf(call, "first");
  mask.count = countFrom(mask, b.const64(mask.first));
  masks[call.getResult(0)] = mask;
}

void ScopeLowering::lowerFixed(func::CallOp call) {
  MaskValue mask;
  mask.bytes = cast<MaskType>(call.getResult(0).getType()).getBytes();
  ArrayRef<bool> lanes = call->getAttrOfType<DenseBoolArrayAttr>("value").asArrayRef();
  if (!llvm::all_of(lanes, [](bool on) { return on; })) {
    mask.kind = MaskValue::Pattern;
    for (auto [i, on] : llvm::enumerate(lanes))
      mask.pattern[i] = on;
  }
  masks[call.getResult(0)] = mask;
}

/// Lanes keep their order, and registers of another width have other numbers of them.
void ScopeLowering::lowerRegrain(func::CallOp call) {
  const unsigned from = cast<MaskType>(call.getOperand(0).getType()).getBytes();
  const unsigned to = cast<MaskType>(call.getResult(0).getType()).getBytes();
  auto lanesType = [&](unsigned bytes) { return VectorType::get(int64_t(kGroupBytes / bytes), b.getI1Type()); };
  auto all = [&](bool on) {
    return b.create<arith::ConstantOp>(b.loc, DenseElementsAttr::get(lanesType(from), on)).getResult();
  };
  SmallVector<Value> groups;
  for (Value mask : call.getOperands())
    for (unsigned g = 0; g < kGroups; ++g) {
      Value lanes = maskGroup(mask, masks.lookup(mask), from, {}, g);
      groups.push_back(lanes ? lanes : all(true));
    }
  const unsigned own = kGroupBytes / from, wanted = kGroupBytes / to;
  for (auto [k, result] : llvm::enumerate(call.getResults())) {
    masks[result] = MaskValue::bits(to);
    Value slot = slotOf(result);
    for (unsigned g = 0; g < kGroups; ++g) {
      const size_t first = (k * kGroups + g) * wanted;
      auto group = [&](size_t number) { return number < groups.size() ? groups[number] : all(false); };
      Value lanes;
      if (wanted <= own) {
        SmallVector<int32_t> slice;
        for (unsigned i = 0; i < wanted; ++i)
          slice.push_back(int32_t(first % own + i));
        lanes = group(first / own);
        lanes = b.create<LLVM::ShuffleVectorOp>(b.loc, lanes, lanes, slice);
      } else {
        SmallVector<Value> parts;
        for (unsigned i = 0; i < wanted / own; ++i)
          parts.push_back(group(first / own + i));
        while (parts.size() > 1) {
          SmallVector<Value> next;
          for (size_t i = 0; i < parts.size(); i += 2) {
            const int64_t both = 2 * cast<VectorType>(parts[i].getType()).getNumElements();
            next.push_back(b.create<LLVM::ShuffleVectorOp>(b.loc, parts[i], parts[i + 1],
                                                           llvm::to_vector(llvm::seq<int32_t>(0, int32_t(both)))));
          }
          parts = std::move(next);
        }
        lanes = parts[0];
      }
      b.store(maskWord(lanes, to), b.ptrAdd(slot, int64_t(8 * g)), 8);
    }
  }
  if (options.trackAccesses)
    deriveStamps(call);
}
