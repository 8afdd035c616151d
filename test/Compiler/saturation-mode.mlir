// A scope whose conversions CTRL may govern reads it where it is issued; a program that cannot set bit 60 is left alone.
//
// RUN: ptoscope opt %s --pto-saturation-mode | FileCheck %s

// CHECK-LABEL: func.func @unknown
// CHECK: pto.set_ctrl
// CHECK: %[[CTRL:.*]] = pto.get_ctrl : i64
// CHECK: %[[MODE:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : i1
// CHECK: pto.vecscope {
// CHECK: scf.if %[[MODE]]
// CHECK: pto.vcvt {{.*}}sat = "SAT"
// CHECK: else
// CHECK: pto.vcvt {{.*}}sat = "NOSAT"
// CHECK: pto.vcvt %{{.*}} {part = "EVEN"}
func.func @unknown(%n: i64, %i: index) {
  %ub = pto.castptr %n : i64 -> !pto.ptr<f32, ub>
  pto.set_ctrl %n : i64
  pto.vecscope {
    %x = pto.vlds %ub[%i] : !pto.ptr<f32, ub> -> !pto.vreg<64xf32>
    %y = pto.vcvt %x {rnd = "R", sat = "SAT", part = "EVEN"} : !pto.vreg<64xf32> -> !pto.vreg<128xf16>
    %z = pto.vcvt %y {part = "EVEN"} : !pto.vreg<128xf16> -> !pto.vreg<64xf32>
    pto.vsts %z, %ub[%i] : !pto.vreg<64xf32>, !pto.ptr<f32, ub>
  }
  return
}

// CHECK-LABEL: func.func @set
// CHECK: scf.if
func.func @set(%n: i64, %i: index) {
  %ub = pto.castptr %n : i64 -> !pto.ptr<f32, ub>
  %c60 = arith.constant 60 : i64
  %c6 = arith.constant 6 : i64
  %old = pto.get_ctrl : i64
  %one = pto.sbitset1 %old, %c60 : i64, i64 -> i64
  %two = pto.sbitset0 %one, %c6 : i64, i64 -> i64
  pto.set_ctrl %two : i64
  pto.vecscope {
    %x = pto.vlds %ub[%i] : !pto.ptr<f32, ub> -> !pto.vreg<64xf32>
    %y = pto.vcvt %x {rnd = "R", sat = "SAT"} : !pto.vreg<64xf32> -> !pto.vreg<64xi32>
    pto.vsts %y, %ub[%i] : !pto.vreg<64xi32>, !pto.ptr<f32, ub>
  }
  return
}

// CHECK-LABEL: func.func @cleared
// CHECK-NOT: scf.if
// CHECK: return
func.func @cleared(%n: i64, %i: index) {
  %ub = pto.castptr %n : i64 -> !pto.ptr<f32, ub>
  %c60 = arith.constant 60 : i64
  %c48 = arith.constant 48 : i64
  %atomic = arith.constant 64 : i64
  %old = pto.get_ctrl : i64
  %bits = pto.sbitset1 %old, %c48 : i64, i64 -> i64
  %new = pto.sbitset0 %bits, %c60 : i64, i64 -> i64
  pto.set_ctrl %new : i64
  pto.set_ctrl %atomic : i64
  pto.set_ctrl %bits : i64
  pto.vecscope {
    %x = pto.vlds %ub[%i] : !pto.ptr<f32, ub> -> !pto.vreg<64xf32>
    %y = pto.vcvt %x {rnd = "R", sat = "SAT"} : !pto.vreg<64xf32> -> !pto.vreg<64xi32>
    pto.vsts %y, %ub[%i] : !pto.vreg<64xi32>, !pto.ptr<f32, ub>
  }
  return
}
