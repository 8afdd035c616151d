//===- ScopeMemory.cpp - accesses that are no windows ---------------------===//
//
// Gathers, scatters, block strides and predicate memory. Unchecked code inlines
// the meaning; where a check or a schedule wants to know, the runtime takes the
// places one by one and does the work itself.
//
//===----------------------------------------------------------------------===//

#include "Scopes/ScopeLowering.h"
#include "ptoscope/Compiler/RuntimeAbi.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

Value ScopeLowering::localPtr(Value address, Operation *access) {
  Value base = hostBases.lookup(access);
  return b.ptrAdd(base ? base : localBase, b.andi(address, b.const64(0xFFFFFFFF)));
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// What an indexed or strided access says of its places.
struct ScopeLowering::Places {
  Value base, index, image; ///< address (i32), slot of the index register, mask image
  Value blockStride, repeatStride;
  uint32_t form;
  unsigned slotBytes = 32, indexBytes = 0, datumBytes = 32;
};

static unsigned bytesOfElement(Value reg) { return cast<VRegType>(reg.getType()).getElementBytes(); }

/// An `active` operand: a mask, or the number of active lanes.
Value ScopeLowering::activeImage(Value active, unsigned laneBytes) {
  if (isa<MaskType>(active.getType()))
    return imageOf(active);
  MaskValue prefix;
  prefix.kind = MaskValue::Prefix;
  prefix.bytes = laneBytes;
  // A negative count is none, a large one all.
  Value count = b.create<arith::MaxSIOp>(b.loc, mapped64(active), b.const64(0));
  prefix.count = narrow(b.create<arith::MinUIOp>(b.loc, count, b.const64(256)));
  return imageOf({}, prefix);
}

ScopeLowering::Places ScopeLowering::indexedPlaces(Value base, Value reg, Value index, Value active) {
  Places places;
  places.form = PTO_PLACES_ELEMENTS;
  places.base = narrow(mapped(base));
  places.index = slotOf(index);
  places.indexBytes = bytesOfElement(index);
  places.datumBytes = cast<PtrType>(base.getType()).getElementBytes();
  places.slotBytes = std::max(bytesOfElement(reg), places.indexBytes);
  places.image = activeImage(active, places.slotBytes);
  return places;
}

ScopeLowering::Places ScopeLowering::stridedPlaces(Value base, Value control, Value repeatStride, Value mask) {
  Places places;
  places.form = PTO_PLACES_STRIDES;
  places.base = narrow(mapped(base));
  places.image = imageOf(mask);
  auto word = [&](Value value) {
    Value scalar = mapped(value);
    return scalar.getType() == b.i32() ? scalar : b.create<arith::ExtUIOp>(b.loc, b.i32(), scalar).getResult();
  };
  if (repeatStride) {
    places.blockStride = b.andi(word(control), b.const32(0xFFFF));
    places.repeatStride = word(repeatStride);
  } else {
    places.blockStride = b.create<arith::ShRUIOp>(b.loc, word(control), b.const32(16));
    places.repeatStride = b.andi(word(control), b.const32(0xFFFF));
  }
  return places;
}

/// The places as the runtime reads them.
Value ScopeLowering::placesInMemory(const Places &places) {
  Value memory = b.stack(sizeof(PtoPlaces), 8);
  auto set = [&](Value value, int64_t offset) { b.store(value, b.ptrAdd(memory, offset)); };
  set(places.index ? places.index : b.nullPtr(), offsetof(PtoPlaces, index));
  set(places.image, offsetof(PtoPlaces, image));
  set(places.base, offsetof(PtoPlaces, base));
  set(b.const32(places.form), offsetof(PtoPlaces, form));
  set(b.const32(places.slotBytes), offsetof(PtoPlaces, slotBytes));
  set(b.const32(places.indexBytes), offsetof(PtoPlaces, indexBytes));
  set(b.const32(places.datumBytes), offsetof(PtoPlaces, datumBytes));
  set(places.blockStride ? places.blockStride : b.const32(0), offsetof(PtoPlaces, blockStride));
  set(places.repeatStride ? places.repeatStride : b.const32(0), offsetof(PtoPlaces, repeatStride));
  return memory;
}

/// Indices of active lanes have to be defined.
void ScopeLowering::announceIndex(Operation *op, SiteId site, unsigned position, const Places &places) {
  if (!options.trackDefined || !places.index)
    return;
  Value defined = registerOf(op->getOperand(position)).defined;
  if (!defined)
    return;
  emitUses();                    // they come first
  Value active = b.stack(32, 8); // its place is made outside the branch
  auto check = b.create<scf::IfOp>(b.loc, b.isFalse(allDefined(defined)), false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(check.thenYield());
  // A place's own bit, spread over the bytes of its index.
  unsigned step = places.form == PTO_PLACES_OFFSETS ? 4 : places.slotBytes;
  unsigned count = places.form == PTO_PLACES_OFFSETS ? 8 : kVectorBytes / step;
  b.run("ptosc_spread_bits", {places.image, b.const32(step), b.const32(places.indexBytes), b.const32(count), active});
  b.run("ptosc_undefined_use", {b.context, b.const32(site), b.const32(position | PTO_OPERAND_INDEX), defined, active});
}

static std::string indexedSymbol(StringRef name, unsigned slot, unsigned index, unsigned datum) {
  return ("ptom_" + name + "_s" + Twine(slot) + "_i" + Twine(index) + "_d" + Twine(datum)).str();
}

void ScopeLowering::lowerGather(Operation *op) {
  flush();
  b.loc = op->getLoc();
  Value value = op->getResult(0);
  Places places;
  if (auto load = dyn_cast<VsldbOp>(op)) {
    places = stridedPlaces(load.getSrc(), load.getControl(), load.getRepeatStride(), load.getMask());
    // The post-update form adds the repeat stride to the pointer only.
    if (load.getNext())
      places.repeatStride = b.const32(0);
  } else if (isa<VgatherbOp>(op)) {
    places.form = PTO_PLACES_OFFSETS;
    places.base = narrow(mapped(op->getOperand(0)));
    places.index = slotOf(op->getOperand(1));
    places.indexBytes = 4;
    places.image = activeImage(op->getOperand(2), 4);
  } else {
    places = indexedPlaces(op->getOperand(0), value, op->getOperand(1), op->getOperand(2));
  }
  Value slot = slotOf(value);
  if (!options.trackAccesses) {
    if (places.form == PTO_PLACES_STRIDES)
      b.run("ptom_vsldb", {slot, localBase, places.base, places.blockStride, places.repeatStride, places.image});
    else if (places.form == PTO_PLACES_OFFSETS)
      b.run("ptom_vgatherb", {slot, localBase, places.base, places.index, places.image});
    else
      b.run(indexedSymbol("vgather", places.slotBytes, places.indexBytes, places.datumBytes),
            {slot, localBase, places.base, places.index, places.image});
    return;
  }
  BitsCache cache;
  SiteId site = siteOf(op);
  if (options.trackDefined)
    announceUses(op, site, cache);
  announceIndex(op, site, 1, places);
  emitUses();
  Value shadow = b.stack(abi::kLoadShadowBytes, 8);
  SmallVector<Value> stamps = stampsOf(op->getOperands());
  b.run("ptosc_gather", {b.context, b.const32(site), placesInMemory(places), slot, shadow});
  if (options.trackDefined)
    registerOf(value).defined = shadow;
  stamps.push_back(b.ptrAdd(shadow, abi::kLoadShadowStamp));
  registerOf(value).stamps = stamps;
}

void ScopeLowering::lowerScatter(Operation *op) {
  flush();
  b.loc = op->getLoc();
  Value value = op->getOperand(0);
  Places places;
  if (auto store = dyn_cast<VsstbOp>(op)) {
    places = stridedPlaces(store.getDst(), store.getControl(), store.getRepeatStride(), store.getMask());
    // The post-update form adds the repeat stride to the pointer only.
    if (store.getNext())
      places.repeatStride = b.const32(0);
  } else {
    auto scatter = cast<VscatterOp>(op);
    places = indexedPlaces(scatter.getDst(), value, scatter.getIndex(), scatter.getActive());
  }
  Value slot = slotOf(value);
  if (!options.trackAccesses && !options.bufferStores) {
    if (places.form == PTO_PLACES_STRIDES)
      b.run("ptom_vsstb", {localBase, places.base, places.blockStride, places.repeatStride, slot, places.image});
    else
      b.run(indexedSymbol("vscatter", places.slotBytes, places.indexBytes, places.datumBytes),
            {localBase, places.base, places.index, slot, places.image});
    return;
  }
  SiteId site = siteOf(op);
  SmallVector<Value> stamps;
  Value defined;
  if (options.trackAccesses) {
    BitsCache cache;
    if (options.trackDefined)
      announceUses(op, site, cache);
    announceIndex(op, site, 2, places);
    emitUses();
    stamps = stampsOf(op->getOperands());
    defined = registerOf(value).defined;
  }
  b.run("ptosc_scatter", {b.context, b.const32(site), placesInMemory(places), slot, defined ? defined : b.nullPtr(),
                          stampArray(stamps), b.const32(int64_t(stamps.size()))});
}

//===----------------------------------------------------------------------===//
// Predicate memory (PLD-5 to PLD-9, PST-1, PST-2)
//===----------------------------------------------------------------------===//

namespace {
struct PredicateDist {
  StringLiteral name;
  unsigned window;
};
} // namespace
static constexpr PredicateDist kPredicateLoads[] = {{"NORM", 32}, {"US", 16}, {"DS", 64}};
static constexpr PredicateDist kPredicateStores[] = {{"NORM", 32}, {"PK", 16}};

/// PLD-4, PLD-10
static unsigned maskAlignment(Operation *op, StringRef dist) {
  if (isa<PldiOp, PstiOp>(op))
    return unsigned(unitOfMaskOffset(op));
  return dist == "US" || dist == "PK" ? 8 : 32;
}

static const PredicateDist &findDist(ArrayRef<PredicateDist> dists, StringRef name) {
  return *llvm::find_if(dists, [&](const PredicateDist &dist) { return dist.name == name; });
}

/// Offsets count bytes or units, whatever the pointer's element; a pointer result has them.
Value ScopeLowering::predicateAddress(Operation *op, Value base, Value offset) {
  const bool post = op->getNumResults() && isa<PtrType>(op->getResults().back().getType());
  if (!offset || post)
    return mapped(base);
  return b.add(mapped(base), b.mul(mapped64(offset), b.const64(unitOfMaskOffset(op))));
}

void ScopeLowering::lowerPredicateLoad(Operation *op, Value base, Value offset, StringRef name) {
  flush();
  b.loc = op->getLoc();
  const PredicateDist &dist = findDist(kPredicateLoads, name);
  Value mask = op->getResult(0), address = predicateAddress(op, base, offset), pointer = localPtr(address);
  masks[mask] = MaskValue::bits();
  Value shadow;
  if (options.trackAccesses) {
    shadow = b.stack(abi::kLoadShadowBytes, 8);
    pointer = b.call("ptosc_check_load", b.ptrType(),
                     {b.context, constSite(op), narrow(address), b.const32(dist.window),
                      b.const32(maskAlignment(op, name)), b.nullPtr(), shadow});
    registerOf(mask).stamps = {b.ptrAdd(shadow, abi::kLoadShadowStamp)};
  }
  std::string symbol = ("ptom_plds_" + name).str();
  b.run(symbol, {slotOf(mask), pointer});
  if (!options.trackDefined)
    return;
  // Marks of bytes are marks of their eight bits: put them through the same load.
  Value marks = b.stack(64, kGroupBytes), bits = b.stack(32, 8);
  b.run("ptosc_mark_bytes", {shadow, b.const32(dist.window), marks});
  b.run(symbol, {bits, marks});
  registerOf(mask).defined = b.stack(32, 8);
  b.run("ptosc_invert_bits", {bits, registerOf(mask).defined});
}

void ScopeLowering::lowerPredicateStore(Operation *op, Value mask, Value base, Value offset, StringRef name) {
  flush();
  b.loc = op->getLoc();
  const PredicateDist &dist = findDist(kPredicateStores, name);
  Value address = predicateAddress(op, base, offset), pointer = localPtr(address);
  std::string symbol = ("ptom_psts_" + name).str();
  if (options.trackAccesses) {
    SmallVector<Value> stamps = stampsOf(op->getOperands());
    Value defined = b.nullPtr();
    if (Value words = registerOf(mask).defined) {
      Value bits = b.stack(32, 8), marks = b.stack(32, 8);
      defined = b.stack(8, 8);
      b.run("ptosc_invert_bits", {words, bits});
      b.run(symbol, {marks, bits});
      b.run("ptosc_unmark_bytes", {marks, b.const32(dist.window), defined});
    }
    pointer =
        b.call("ptosc_check_store", b.ptrType(),
               {b.context, constSite(op), narrow(address), b.const32(dist.window), b.const32(maskAlignment(op, name)),
                b.nullPtr(), defined, stampArray(stamps), b.const32(int64_t(stamps.size()))});
  }
  if (!options.bufferStores) {
    b.run(symbol, {pointer, imageOf(mask)});
    return;
  }
  Value staging = b.stack(32, 8);
  b.run(symbol, {staging, imageOf(mask)});
  b.run("ptosc_buffered_store", {b.context, constSite(op), pointer, b.const32(dist.window), staging, b.nullPtr()});
}

//===----------------------------------------------------------------------===//
// Special registers (SPR-6, SPR-7)
//===----------------------------------------------------------------------===//

void ScopeLowering::lowerSpecialStore(Operation *op, Value base, Value offset, Value next) {
  flush();
  b.loc = op->getLoc();
  constexpr unsigned kBytes = 4;
  Value address = mapped(base);
  if (!next)
    address = b.add(address, b.mul(mapped64(offset), b.const64(isa<SprstiOp>(op) ? kBytes : 1)));
  Value pointer = localPtr(address), word = b.load(b.i32(), displacement, 8);
  if (options.trackAccesses)
    pointer = b.call("ptosc_check_store", b.ptrType(),
                     {b.context, constSite(op), narrow(address), b.const32(kBytes), b.const32(kBytes), b.nullPtr(),
                      b.nullPtr(), b.nullPtr(), b.const32(0)});
  if (!options.bufferStores) {
    b.store(word, pointer, 1);
    return;
  }
  Value staging = b.stack(8, 8);
  b.store(word, staging, 8);
  b.run("ptosc_buffered_store", {b.context, constSite(op), pointer, b.const32(kBytes), staging, b.nullPtr()});
}
