// pto-lower-scopes: a scope becomes a function over lane groups of 64 bytes;
// registers and masks are never vectors of 256 bytes or of i1 in a call.
//
// Between this pass and pto-lower-program the call of a scope has no valid callee.
// RUN: ptoscope opt %s --pto-outline-scopes --pto-lower-scopes --verify-each=0 --mlir-print-assume-verified > %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: FileCheck %s --check-prefix=NEVER < %t.mlir
// NEVER-NOT: vector<64xf32>
// NEVER-NOT: vector<256x
// NEVER-NOT: masked.store
// NEVER-NOT: llvm.call{{.*}}xi1>
// NEVER-NOT: pto.v

// Four groups of 16 lanes, each through the meaning of the instruction. Captures
// come as 64-bit words.
// CHECK-LABEL: llvm.func @full.scope0(
// CHECK-SAME: %[[CONTEXT:.*]]: !llvm.ptr, %[[CAPTURES:.*]]: !llvm.ptr)
// CHECK: llvm.load %[[CAPTURES]] {{.*}} -> i64
// CHECK-COUNT-4: llvm.call @ptom_vabs_f32(%{{.*}}) : (vector<16xf32>) -> vector<16xf32>
// CHECK-NOT: ptom_vabs_f32
// CHECK: llvm.return
func.func @full(%i: index) attributes {pto.kernel} {
  %zero = arith.constant 0 : i64
  %ub = pto.castptr %zero : i64 -> !pto.ptr<f32, ub>
  pto.vecscope {
    %x = pto.vlds %ub[%i] : !pto.ptr<f32, ub> -> !pto.vreg<64xf32>
    %y = pto.vabs %x : !pto.vreg<64xf32> -> !pto.vreg<64xf32>
    pto.vsts %y, %ub[%i] : !pto.vreg<64xf32>, !pto.ptr<f32, ub>
  }
  return
}

// A tail mask gives a body for the full mask and one for the tail.
// CHECK-LABEL: llvm.func @tail.scope0(
// CHECK: %[[FULL:.*]] = arith.cmpi uge, %{{.*}}, %{{.*}} : i32
// CHECK: scf.if %[[FULL]] {
// CHECK-NOT: vector<16xi1>
// CHECK: } else {
// CHECK: arith.select %{{.*}} : vector<16xi1>, vector<16xi32>
func.func @tail(%n: i32, %i: index) attributes {pto.kernel} {
  %zero = arith.constant 0 : i64
  %ub = pto.castptr %zero : i64 -> !pto.ptr<f32, ub>
  pto.vecscope {
    %m, %rest = pto.plt_b32 %n : i32 -> !pto.mask<b32>, i32
    %x = pto.vlds %ub[%i] : !pto.ptr<f32, ub> -> !pto.vreg<64xf32>
    %y = pto.vneg %x, %m : !pto.vreg<64xf32>, !pto.mask<b32> -> !pto.vreg<64xf32>
    pto.vsts %y, %ub[%i], %m : !pto.vreg<64xf32>, !pto.ptr<f32, ub>, !pto.mask<b32>
  }
  return
}

// Groups are 64 bytes, whatever the element.
// CHECK-LABEL: llvm.func @widths.scope0(
// CHECK-DAG: @ptom_vadd_f16(%{{.*}}, %{{.*}}) : (vector<32x{{.*}}>, vector<32x{{.*}}>)
// CHECK-DAG: @ptom_vadd_{{[iu]}}8(%{{.*}}, %{{.*}}) : (vector<64xi8>, vector<64xi8>)
func.func @widths(%i: index) attributes {pto.kernel} {
  %zero = arith.constant 0 : i64
  %h = pto.castptr %zero : i64 -> !pto.ptr<f16, ub>
  %b = pto.castptr %zero : i64 -> !pto.ptr<i8, ub>
  pto.vecscope {
    %x = pto.vlds %h[%i] : !pto.ptr<f16, ub> -> !pto.vreg<128xf16>
    %y = pto.vadd %x, %x : !pto.vreg<128xf16>, !pto.vreg<128xf16> -> !pto.vreg<128xf16>
    pto.vsts %y, %h[%i] : !pto.vreg<128xf16>, !pto.ptr<f16, ub>
    %v = pto.vlds %b[%i] : !pto.ptr<i8, ub> -> !pto.vreg<256xi8>
    %w = pto.vadd %v, %v : !pto.vreg<256xi8>, !pto.vreg<256xi8> -> !pto.vreg<256xi8>
    pto.vsts %w, %b[%i] : !pto.vreg<256xi8>, !pto.ptr<i8, ub>
  }
  return
}
