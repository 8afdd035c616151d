//===- NoScopeChecks.cpp - a compiler without checkers --------------------===//
//
// Takes the place of ScopeChecks.cpp and ColumnChecks.cpp. Code without checks asks for nothing of
// it: whatever does ends the program.
//
//===----------------------------------------------------------------------===//

#include "Scopes/ScopeLowering.h"

using namespace mlir;
using namespace ptoscope;

[[noreturn]] static void asked() { llvm::report_fatal_error("code without checks asked for a checker"); }

SmallVector<Value> ScopeLowering::stampsOf(ValueRange) { asked(); }
Value ScopeLowering::stampArray(ArrayRef<Value>) { asked(); }
void ScopeLowering::deriveStamps(Operation *) { asked(); }
Value ScopeLowering::cachedBits(Value, unsigned, BitsCache &) { asked(); }
Value ScopeLowering::allDefined(ArrayRef<Value>) { asked(); }
void ScopeLowering::announceUse(SiteId, unsigned, Value, Value) { asked(); }
void ScopeLowering::emitUses() { asked(); }
void ScopeLowering::announceUses(Operation *, SiteId, BitsCache &) { asked(); }
Value ScopeLowering::onlyPart(Value, unsigned, std::pair<unsigned, unsigned>) { asked(); }
void ScopeLowering::keepDefined(Operation *, Value, BitsCache &) { asked(); }
void ScopeLowering::carryDefined(Operation *, BitsCache &) { asked(); }
void ScopeLowering::announceLoad(RunOp &) { asked(); }
void ScopeLowering::announceStore(RunOp &, BitsCache &) { asked(); }
void ScopeLowering::checkCounts(Operation *) { asked(); }
void ScopeLowering::announceAccesses(MutableArrayRef<RunOp>) { asked(); }
