// pto-select-kernel: kernels of inner modules (PROG-6) are found by name;
// a name with a cube and a vector half is a mixed kernel: one function per kind of core.
//
// RUN: ptoscope opt %s --pto-select-kernel=kernel=alone | FileCheck %s
// RUN: ptoscope opt %s --pto-select-kernel=kernel=mixed | FileCheck %s --check-prefix=MIXED
// RUN: ptoscope opt %s --pto-select-kernel=kernel=sections | FileCheck %s --check-prefix=SECTIONS

// CHECK: module attributes {pto.target_arch = "a5"}
// CHECK: func.func @alone
// CHECK-SAME: pto.core = "aiv"
// CHECK-NOT: func.func
// MIXED: func.func @mixed.aiv()
// MIXED-SAME: pto.core = "aiv"
// MIXED: pto.barrier #pto.pipe<PIPE_V>
// MIXED: func.func @mixed.aic()
// MIXED-SAME: pto.core = "aic"
// MIXED: pto.barrier #pto.pipe<PIPE_M>
// MIXED-NOT: func.func
// common code is in both, each section in its own program
// SECTIONS: func.func @sections.aiv(
// SECTIONS-SAME: pto.core = "aiv"
// SECTIONS-NEXT: %[[V:.*]] = pto.get_block_idx
// SECTIONS-NEXT: pto.barrier #pto.pipe<PIPE_V>
// SECTIONS-NEXT: arith.addi %[[V]], %[[V]]
// SECTIONS-NEXT: return
// SECTIONS: func.func @sections.aic(
// SECTIONS-SAME: pto.core = "aic"
// SECTIONS-NEXT: %[[C:.*]] = pto.get_block_idx
// SECTIONS-NEXT: pto.barrier #pto.pipe<PIPE_MTE1>
// SECTIONS-NEXT: return
// SECTIONS-NOT: pto.section
module attributes {pto.target_arch = "a5"} {
  module attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
    func.func @alone() attributes {pto.kernel} {
      return
    }
    func.func @mixed() attributes {pto.kernel} {
      pto.barrier <PIPE_V>
      return
    }
  }
  module attributes {pto.kernel_kind = #pto.kernel_kind<cube>} {
    func.func @mixed() attributes {pto.kernel} {
      pto.barrier <PIPE_M>
      return
    }
  }
  module {
    func.func @sections() attributes {pto.kernel} {
      %block = pto.get_block_idx
      pto.section.cube {
        pto.barrier <PIPE_MTE1>
      }
      pto.section.vector {
        pto.barrier <PIPE_V>
        %twice = arith.addi %block, %block : i64
      }
      return
    }
  }
}
