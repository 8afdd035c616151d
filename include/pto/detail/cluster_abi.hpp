//===- cluster_abi.hpp - signals between cores, for the library -*- C++ -*-===//
//
// What signals and barriers between cores hand to the library. Pipes have the numbers
// of `pipe_t`.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_DETAIL_CLUSTER_ABI_HPP
#define PTO_DETAIL_CLUSTER_ABI_HPP

#include "pto/detail/abi.hpp"

namespace ptoscope::tile {

/// The spelling that a finding shows.
struct Spelling {
  const char *name;
  Source source;
};

/// XSYNC-1 to XSYNC-12. In auto mode the library orders what comes before.
PTO_API void setMessageArea(uint64_t address, const Spelling &by);
PTO_API void signalByWord(uint32_t pipe, uint64_t config, bool automatic, const Spelling &by);
/// A signal inside a cluster by its id, on both profiles.
PTO_API void signalCluster(uint32_t pipe, int64_t id, bool automatic, const Spelling &by);
PTO_API void waitDevice(uint32_t pipe, int64_t id, const Spelling &by);
PTO_API void setIntraBlock(uint32_t pipe, int64_t id, bool automatic, const Spelling &by);
PTO_API void waitIntraBlock(uint32_t pipe, int64_t id, const Spelling &by);

/// XSYNC-20, XSYNC-21. `cores` is a pto::SyncCoreType.
PTO_API void syncAllHard(uint32_t cores, const Source &source);
/// `workspace` is the address of the counter in global memory; 0 used cores: what the launch
/// says, with the numbers of cube blocks and of vector cores for each where they are not 0.
PTO_API void syncAllSoft(uint32_t cores, void *workspace, int64_t usedCores, int64_t cubeBlocks, int64_t vectorCores,
                         const Source &source);

/// XSYNC-30: agrees on a slot within a cluster.
PTO_API int64_t agreeOnSlot(int64_t block, const Source &source);

/// XSYNC-31: the four steps of a handshake from a producer on one kind of core to a consumer
/// on the other. Data is announced by `id`, room by `id` + 1.
enum class Handshake : uint8_t { Record, Wait, Allocate, Free };
enum class HandshakePath : uint8_t { CubeByGm, VectorByGm, CubeToUb, VectorToL1 };
PTO_API void handshake(Handshake step, HandshakePath path, int64_t id, bool automatic, const Source &source);

/// XSYNC-32: events between cores. A core with all pipes sets and waits for a flag of its own.
PTO_API void setCrossEvent(uint32_t src, uint32_t dst, int64_t id, bool automatic, const Source &source);
PTO_API void waitCrossEvent(uint32_t src, uint32_t dst, int64_t id, bool automatic, const Source &source);
/// Ends the block: the token of an event between cores has to be named.
PTO_API void refuseCrossToken(const Source &source);

/// MIX-16: says once that a cube core cannot learn it.
PTO_API int64_t subblockCountAt(const Source &source);

/// Issues a call from Acc to Vec whose result goes to the second vector core (TMOV-7).
PTO_API void issueToSecondVector(Call &call);

} // namespace ptoscope::tile

#endif // PTO_DETAIL_CLUSTER_ABI_HPP
