// pto-select-kernel: kernels of inner modules (isa/01 section 1) are found by name;
// a name with a cube and a vector half is a mixed kernel, which is not modelled.
//
// RUN: ptoscope opt %s --pto-select-kernel=kernel=alone | FileCheck %s
// RUN: not ptoscope opt %s --pto-select-kernel=kernel=mixed 2>&1 | FileCheck %s --check-prefix=MIXED
// MIXED: error: [not-modelled] kernel @mixed has a cube and a vector half; mixed kernels are not modelled

// CHECK: module attributes {pto.target_arch = "a5"}
// CHECK: func.func @alone
// CHECK-NOT: @mixed
module attributes {pto.target_arch = "a5"} {
  module attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
    func.func @alone() attributes {pto.kernel} {
      return
    }
    func.func @mixed() attributes {pto.kernel} {
      return
    }
  }
  module attributes {pto.kernel_kind = #pto.kernel_kind<cube>} {
    func.func @mixed() attributes {pto.kernel} {
      return
    }
  }
}
