//===- RuntimeAbi.h - layout of Machine/Runtime.h for generated code -*- C++ -*//
//
// Offsets and sizes that generated code uses, taken from the structures
// themselves so that the two cannot drift apart.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_COMPILER_RUNTIMEABI_H
#define PTOSCOPE_COMPILER_RUNTIMEABI_H

#include "ptoscope/Machine/Runtime.h"
#include "ptoscope/Machine/Types.h"

#include <cstddef>

namespace ptoscope::abi {

constexpr int64_t localBase(Space space) { return int64_t(offsetof(PtoContext, local)) + 8 * int64_t(space); }
constexpr int64_t kBlockIdx = offsetof(PtoContext, blockIdx);
constexpr int64_t kBlockNum = offsetof(PtoContext, blockNum);
constexpr int64_t kSubblockIdx = offsetof(PtoContext, subblockIdx);
constexpr int64_t kSubblockNum = offsetof(PtoContext, subblockNum);
constexpr int64_t kSuIterations = offsetof(PtoContext, suIterations);
constexpr int64_t kScopeIterations = offsetof(PtoContext, scopeIterations);
constexpr int64_t kScopeSteps = offsetof(PtoContext, scopeSteps);
constexpr int64_t kScopeTurns = offsetof(PtoContext, scopeTurns);
constexpr int64_t kLoadShadowBytes = sizeof(PtoLoadShadow);
constexpr int64_t kWindowBytes = 8 * sizeof(PtoLoadShadow::defined);
constexpr int64_t kLoadShadowStamp = offsetof(PtoLoadShadow, stamp);

} // namespace ptoscope::abi

#endif // PTOSCOPE_COMPILER_RUNTIMEABI_H
