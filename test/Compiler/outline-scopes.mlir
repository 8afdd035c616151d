// pto-outline-scopes: each scope becomes a function; constants and addresses made
// of constants are copied into it, other values are captured.
//
// RUN: ptoscope opt %s --pto-outline-scopes | FileCheck %s

// CHECK-LABEL: func.func private @k.scope0(
// CHECK-SAME: %[[N:.*]]: i32) attributes {pto.scope}
// CHECK-DAG: arith.constant 4096 : i64
// CHECK-DAG: pto.castptr %{{.*}} : i64 -> !pto.ptr<f32, ub>
// CHECK: pto.plt_b32 %[[N]]
// CHECK: pto.vlds
// CHECK: return
// CHECK-LABEL: func.func private @k.scope1(
// CHECK-SAME: %{{.*}}: index) attributes {pto.scope}
// CHECK-LABEL: func.func @k(
func.func @k(%n: i32) attributes {pto.kernel} {
  %at = arith.constant 4096 : i64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ub = pto.castptr %at : i64 -> !pto.ptr<f32, ub>
  // CHECK: call @k.scope0(%arg0) {pto.scope} : (i32) -> ()
  pto.vecscope {
    %m, %rest = pto.plt_b32 %n : i32 -> !pto.mask<b32>, i32
    %x = pto.vlds %ub[%c0] : !pto.ptr<f32, ub> -> !pto.vreg<64xf32>
  }
  // CHECK: scf.for %[[I:.*]] =
  scf.for %i = %c0 to %c1 step %c1 {
    // CHECK: call @k.scope1(%[[I]]) {pto.scope} : (index) -> ()
    pto.vecscope {
      %x = pto.vlds %ub[%i] : !pto.ptr<f32, ub> -> !pto.vreg<64xf32>
    }
  }
  return
}
