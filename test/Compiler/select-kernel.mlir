// pto-select-kernel: one kernel stays, with what it calls inlined (FUNC-3, FUNC-6).
//
// RUN: ptoscope opt %s --pto-select-kernel=kernel=a | FileCheck %s --check-prefix=A
// RUN: ptoscope opt %s --pto-select-kernel=kernel=b | FileCheck %s --check-prefix=B
// RUN: not ptoscope opt %s --pto-select-kernel 2>&1 | FileCheck %s --check-prefix=SEVERAL
// RUN: not ptoscope opt %s --pto-select-kernel=kernel=helper 2>&1 | FileCheck %s --check-prefix=HELPER
// RUN: not ptoscope opt %s --pto-select-kernel=kernel=self 2>&1 | FileCheck %s --check-prefix=SELF
// RUN: not ptoscope opt %s --pto-select-kernel=kernel=outside 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// SEVERAL: error: [no-kernel] the module holds 4 kernels; choose one with `--kernel`
// HELPER: error: [no-kernel] there is no kernel @helper

// A-NOT: @helper
// A: func.func @a(%arg0: i64)
// A-NEXT: arith.addi %arg0, %arg0
// A-NEXT: arith.muli
// A-NEXT: return
// A-NOT: func.func
func.func private @helper(%n: i64) -> i64 {
  %r = arith.addi %n, %n : i64
  return %r : i64
}
func.func @a(%n: i64) attributes {pto.kernel} {
  %r = func.call @helper(%n) : (i64) -> i64
  %s = arith.muli %r, %n : i64
  return
}
// B: func.func @b()
// B-NOT: func.func
func.func @b() attributes {pto.aicore} {
  return
}
func.func @self() attributes {pto.kernel} {
  // SELF: select-kernel.mlir:[[@LINE+1]]:3: error: @self calls itself; recursion is not allowed
  func.call @self() : () -> ()
  return
}
func.func private @external()
func.func @outside() attributes {pto.kernel} {
  // OUTSIDE: select-kernel.mlir:[[@LINE+1]]:3: error: @external has no body to call
  func.call @external() : () -> ()
  return
}
