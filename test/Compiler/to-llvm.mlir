// pto-to-llvm: nothing of scf, arith and cf is left; divisions with another
// rounding are expanded.
//
// RUN: ptoscope opt %s --pto-lower-program --pto-to-llvm | FileCheck %s
// RUN: not ptoscope opt %s --pto-to-llvm 2>&1 | FileCheck %s --check-prefix=UNLOWERED
// UNLOWERED: error: failed to legalize operation 'func.func'

// CHECK-NOT: {{(scf|arith|cf|func|pto)\.[a-z]+ }}
// CHECK-LABEL: llvm.func @k(
// CHECK: llvm.br ^[[HEAD:bb[0-9]+]]
// CHECK: ^[[HEAD]](
// CHECK: llvm.cond_br
// CHECK: llvm.sdiv
func.func @k(%n: index, %a: i64, %b: i64) attributes {pto.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    pto.barrier <PIPE_V>
    %q = arith.floordivsi %a, %b : i64
    pto.set_ctrl %q : i64
  }
  return
}
