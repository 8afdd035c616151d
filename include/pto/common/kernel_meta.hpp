//===- kernel_meta.hpp - what a launcher is to know of a kernel -*- C++ -*-===//

#ifndef PTO_COMMON_KERNEL_META_HPP
#define PTO_COMMON_KERNEL_META_HPP

#include "pto/detail/letters_begin.inc"

#include "pto/detail/words.hpp"

#include "ptoscope/launch_table.hpp"

// The argument is the entry's name, which need not be declared yet. Launches in triple
// brackets of a file for both kinds of cores take it into account (LSYN-12).
#define PTO_KERNEL_META(name, kind, cubes, vectors)                                                                    \
  [[maybe_unused]] static const bool ptoscope_metadata_of_##name =                                                     \
      ::ptoscope::syntax::addMetadata(#name, kind, cubes, vectors);
#define PTO_SYNCALL_AIV_KERNEL_META(name) PTO_KERNEL_META(name, 2, 0, 1)
#define PTO_SYNCALL_AIC_KERNEL_META(name) PTO_KERNEL_META(name, 1, 1, 0)
#define PTO_SYNCALL_MIX_AIC_KERNEL_META(name, aicRatio, aivRatio)                                                      \
  static_assert((aicRatio) == 1 && ((aivRatio) == 1 || (aivRatio) == 2),                                               \
                "a block has 1 cube core and 1 or 2 vector cores");                                                    \
  PTO_KERNEL_META(name, 4, aicRatio, aivRatio)

#include "pto/detail/letters_end.inc"

#endif // PTO_COMMON_KERNEL_META_HPP
