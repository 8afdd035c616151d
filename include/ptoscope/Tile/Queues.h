//===- Queues.h - tile queues of generated code -----------------*- C++ -*-===//
//
// What the code of a `.pto` program calls for its pipes (FIFO-70 to FIFO-76), beside
// Runtime.h and with the same rules. A pipe is a descriptor on the stack of the generated
// function, whose fields the text gives; the functions do what TPUSH, TPOP, TALLOC and
// TFREE do.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_TILE_QUEUES_H
#define PTOSCOPE_TILE_QUEUES_H

#include "pto/detail/queue_abi.hpp"
#include "ptoscope/Machine/Runtime.h"

extern "C" {

/// What set_quant_scalar or set_quant_vector has given a pipe (FIFO-80); isSet is 0 before.
struct PtoQueueQuant {
  uint64_t scale; ///< bits of an f32
  uint64_t isSet;
  ptoscope::tile::TileView tile;
};

/// How a call uses a pipe.
struct PtoQueueUse {
  uint32_t split;     ///< tile::QueueSplit
  uint32_t automatic; ///< 1: the function means program order
  int64_t subblock;   ///< whose part; negative: that of the core
  /// Of a push to vector cores: the element that they pop, as tile::Elem; ~0: the own one.
  uint32_t element;
  /// Of a push with an epilogue (FIFO-79): 1, and its LayoutMode_t, tile::Quant and tile::ReluPreMode.
  uint8_t epilogue, layout, quant, relu;
  const PtoQueueQuant *scales; ///< with Quant::Scalar and Quant::Vector
};

int32_t ptosc_queue_open(PtoContext *, uint32_t site, ptoscope::tile::Queue *queue);
int32_t ptosc_queue_push(PtoContext *, uint32_t site, ptoscope::tile::Queue *queue, const PtoQueueUse *use,
                         const ptoscope::tile::TileView *tile);
/// The tile has the fields of its type, and its valid extents. Fills in its address.
int32_t ptosc_queue_pop(PtoContext *, uint32_t site, ptoscope::tile::Queue *queue, const PtoQueueUse *use,
                        ptoscope::tile::TileView *tile);
int32_t ptosc_queue_free(PtoContext *, uint32_t site, ptoscope::tile::Queue *queue, const PtoQueueUse *use);
/// Entries as views: the first and the third fill in the pointer.
int32_t ptosc_queue_take_entry(PtoContext *, uint32_t site, ptoscope::tile::Queue *queue, const PtoQueueUse *use,
                               ptoscope::tile::GlobalView *view);
int32_t ptosc_queue_pass_entry(PtoContext *, uint32_t site, ptoscope::tile::Queue *queue, const PtoQueueUse *use);
int32_t ptosc_queue_pop_entry(PtoContext *, uint32_t site, ptoscope::tile::Queue *queue, const PtoQueueUse *use,
                              ptoscope::tile::GlobalView *view);
int32_t ptosc_queue_free_entry(PtoContext *, uint32_t site, ptoscope::tile::Queue *queue, const PtoQueueUse *use);

} // extern "C"

#endif // PTOSCOPE_TILE_QUEUES_H
