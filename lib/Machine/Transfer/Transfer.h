//===- Transfer.h - a transfer with everything resolved ---------*- C++ -*-===//
//
// What is left of a PtoTransfer after issue: registers are read, rows have
// their padding, the GM object is known and every check is done. Running it
// needs no further decision.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_MACHINE_TRANSFER_TRANSFER_H
#define PTOSCOPE_LIB_MACHINE_TRANSFER_TRANSFER_H

#include "Memory/Memories.h"

namespace ptoscope {

/// CTRL[8:6] and CTRL[10:9] (CREG-7, CREG-8).
enum class AtomicType : uint8_t { Off, F32, F16, S16, S32, S8, BF16 };
enum class AtomicOp : uint8_t { Add, Max, Min };
uint32_t bytesOf(AtomicType type);
/// dst[i] = op(dst[i], src[i]); neither side needs alignment.
void applyAtomic(AtomicType type, AtomicOp op, uint8_t *dst, const uint8_t *src, uint64_t elements);

struct TransferDim {
  uint64_t count, srcStride, dstStride;
};

struct Transfer {
  Space srcSpace = Space::None, dstSpace = Space::None;
  bool skip = false;    ///< empty or suppressed: takes its turn, moves nothing
  bool pad = false;     ///< rows are filled around the data
  bool clipped = false; ///< the GM side reaches outside its object or has none
  AtomicType atomicType = AtomicType::Off;
  AtomicOp atomicOp = AtomicOp::Add;
  uint32_t padWidth = 1;
  uint64_t padValue = 0;
  uint64_t src = 0, dst = 0;
  uint64_t len = 0;              ///< data bytes of a row
  uint64_t dataBegin = 0;        ///< offset of the data in a padded row
  uint64_t fillEnd = 0;          ///< bytes of a destination row with its padding
  uint64_t padRightBytes = 0;    ///< of fillEnd, what the right pad count asks for
  std::vector<TransferDim> dims; ///< innermost first, counts of at least 2
  const GmObject *srcObject = nullptr, *dstObject = nullptr;
  uint8_t *dstMemory = nullptr; ///< base of a local destination
  CoreId dstCore;               ///< whose UB it is, for UB

  bool atomic() const { return atomicType != AtomicType::Off; }
  uint64_t rows() const {
    uint64_t total = 1;
    for (const TransferDim &dim : dims)
      total *= dim.count;
    return total;
  }
};

/// The largest values of a transfer's fields; strides of rows and of the loops around them.
struct OperandLimits {
  int64_t len, count;
  int64_t src, dst;
  int64_t loopSrc, loopDst;
};

/// A transfer between GM and a local memory that needs no more than this.
struct PlainRows {
  const GmObject *object;
  uint8_t *to;
  const uint8_t *from;
  uint64_t len, count;
  uint64_t toStride, fromStride; ///< for a count of at least 2
  bool fromGm;

  void move() const;
};

/// Position in a transfer that is moved in several steps.
struct RowCursor {
  std::vector<uint64_t> index; ///< per dimension
  bool done = false;
};

/// Moves every row; `local` are the memories of the core.
void runTransfer(const Memories &local, const Transfer &transfer);
/// Moves up to `rows` rows from where the cursor stands.
void runRows(const Memories &local, const Transfer &transfer, RowCursor &cursor, uint64_t rows);

} // namespace ptoscope

#endif // PTOSCOPE_LIB_MACHINE_TRANSFER_TRANSFER_H
