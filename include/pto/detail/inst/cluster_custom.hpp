//===- cluster_custom.hpp - handshakes of mixed kernels ---------*- C++ -*-===//
//
// XSYNC-30, XSYNC-31: what the headers pto/npu/.../custom offer. Which signals are sent
// follows from the target of the launch.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_DETAIL_INST_CLUSTER_CUSTOM_HPP
#define PTO_DETAIL_INST_CLUSTER_CUSTOM_HPP

#include "pto/pto-inst.hpp"

namespace pto {
PTO_MODE_BEGIN

inline constexpr int kCvMaxCores = 25, kCvCommSlotBytes = 512;

template <typename Mode> constexpr uint64_t _getFFTSMsg(Mode mode, uint64_t id, uint64_t base = 1) {
  return getFFTSMsg(uint64_t(mode), id, base);
}

/// A number for the cluster that runs, the same on all of its cores.
template <int SlotBytes = kCvCommSlotBytes, int MaxCores = kCvMaxCores>
int TSYNC_CVID(int block_idx, const void *, ptoscope_detail::Here at = ptoscope_detail::Here::current()) {
  static_assert(SlotBytes >= 4 && MaxCores > 0, "a slot holds a number, and there are cores");
  return int(ptoscope::tile::agreeOnSlot(block_idx, ptoscope_detail::sourceOf(at)));
}

/// How data gets from a producer to a consumer.
enum class SyncOpType : uint8_t { TSTORE_C2GM, TSTORE_V2GM, TLOAD, TMOV_C2UB, TINSERT_V2L1 };

/// A handshake between a producer on one kind of core and a consumer on the other.
template <SyncOpType ProducerOp, SyncOpType ConsumerOp> struct TSync_Custom {
  static_assert(ProducerOp != SyncOpType::TLOAD, "the producer of TSync_Custom stores, moves or inserts");
  static_assert(ConsumerOp == SyncOpType::TLOAD, "the consumer of TSync_Custom is TLOAD");
  uint16_t flag_id;

  /// The producer: its data is there.
  void record(ptoscope_detail::Here at = ptoscope_detail::Here::current()) const {
    step(ptoscope::tile::Handshake::Record, at);
  }
  /// The consumer: until it is.
  void wait(ptoscope_detail::Here at = ptoscope_detail::Here::current()) const {
    step(ptoscope::tile::Handshake::Wait, at);
  }
  /// The producer: until there is room.
  void allocate(ptoscope_detail::Here at = ptoscope_detail::Here::current()) const {
    step(ptoscope::tile::Handshake::Allocate, at);
  }
  /// The consumer: the data is used.
  void free(ptoscope_detail::Here at = ptoscope_detail::Here::current()) const {
    step(ptoscope::tile::Handshake::Free, at);
  }

private:
  void step(ptoscope::tile::Handshake what, const ptoscope_detail::Here &at) const {
    using Path = ptoscope::tile::HandshakePath;
    constexpr Path path = ProducerOp == SyncOpType::TSTORE_C2GM   ? Path::CubeByGm
                          : ProducerOp == SyncOpType::TSTORE_V2GM ? Path::VectorByGm
                          : ProducerOp == SyncOpType::TMOV_C2UB   ? Path::CubeToUb
                                                                  : Path::VectorToL1;
    ptoscope::tile::handshake(what, path, flag_id, ptoscope_detail::kAutomatic, ptoscope_detail::sourceOf(at));
  }
};

PTO_MODE_END
} // namespace pto

#endif // PTO_DETAIL_INST_CLUSTER_CUSTOM_HPP
