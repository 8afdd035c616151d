// pto-resolve-types: space and element of a bare `!pto.ptr` follow from where it
// comes from and how it is used (TYPE-12).
//
// RUN: ptoscope opt %s --pto-resolve-types | FileCheck %s
// RUN: ptoscope check %s

// A parameter is in gm; used by transfers only, it needs no element.
// CHECK-LABEL: func.func @parameter(
// CHECK-SAME: %{{.*}}: !pto.ptr<?, gm>
func.func @parameter(%p: !pto.ptr, %n: i64) {
  // CHECK: pto.castptr %{{.*}} : i64 -> !pto.ptr<?, ub>
  %ub = pto.castptr %n : i64 -> !pto.ptr
  pto.mte_gm_ub %p, %ub, %n, %n nburst(%n, %n, %n) : !pto.ptr, !pto.ptr, i64, i64, i64, i64, i64
  return
}

// A register gives the element, through addptr and the updated pointer too.
// CHECK-LABEL: func.func @register(
func.func @register(%n: i64, %i: index) {
  // CHECK: pto.castptr %{{.*}} : i64 -> !pto.ptr<f16, ub>
  %ub = pto.castptr %n : i64 -> !pto.ptr
  // CHECK: pto.addptr %{{.*}} : !pto.ptr<f16, ub> -> !pto.ptr<f16, ub>
  %q = pto.addptr %ub, %i : !pto.ptr -> !pto.ptr
  pto.vecscope {
    // CHECK: -> !pto.vreg<128xf16>, !pto.ptr<f16, ub>
    %x, %r = pto.vlds %q[%i] : !pto.ptr -> !pto.vreg<128xf16>, !pto.ptr
    // CHECK: pto.vlds {{.*}} : !pto.ptr<f16, ub>
    %y = pto.vlds %r[%i] : !pto.ptr -> !pto.vreg<128xf16>
  }
  return
}

// Loop carries and branches have one type on both ends.
// CHECK-LABEL: func.func @carried(
func.func @carried(%p: !pto.ptr, %n: i64, %i: index, %c: i1) {
  // CHECK: scf.for {{.*}} -> (!pto.ptr<i32, gm>)
  %last = scf.for %k = %i to %i step %i iter_args(%q = %p) -> (!pto.ptr) {
    // CHECK: scf.if {{.*}} -> (!pto.ptr<i32, gm>)
    %r = scf.if %c -> (!pto.ptr) {
      %s = pto.addptr %q, %i : !pto.ptr -> !pto.ptr
      scf.yield %s : !pto.ptr
    } else {
      scf.yield %q : !pto.ptr
    }
    // CHECK: arith.select %{{.*}} : !pto.ptr<i32, gm>
    %t = arith.select %c, %r, %q : !pto.ptr
    scf.yield %t : !pto.ptr
  }
  // CHECK: pto.load_scalar %{{.*}} : !pto.ptr<i32, gm> -> i32
  %v = pto.load_scalar %last[%i] : !pto.ptr -> i32
  return
}

// A cast keeps the space and has an element of its own.
// CHECK-LABEL: func.func @cast(
func.func @cast(%n: i64, %i: index) {
  // CHECK: pto.castptr %{{.*}} : i64 -> !pto.ptr<f32, ub>
  %ub = pto.castptr %n : i64 -> !pto.ptr
  // CHECK: pto.castptr %{{.*}} : !pto.ptr<f32, ub> -> !pto.ptr<i32, ub>
  %q = pto.castptr %ub : !pto.ptr -> !pto.ptr
  pto.vecscope {
    %x = pto.vlds %ub[%i] : !pto.ptr -> !pto.vreg<64xf32>
    %y = pto.vlds %q[%i] : !pto.ptr -> !pto.vreg<64xi32>
  }
  return
}

// A strict scope passes the type to its argument.
// CHECK-LABEL: func.func @strict(
func.func @strict(%n: i64, %i: index) {
  %ub = pto.castptr %n : i64 -> !pto.ptr
  // CHECK: ^bb0(%{{.*}}: !pto.ptr<bf16, ub>, %{{.*}}: index):
  pto.strict_vecscope(%ub, %i) {
  ^bb0(%p: !pto.ptr, %k: index):
    %x = pto.vlds %p[%k] : !pto.ptr -> !pto.vreg<128xbf16>
  // CHECK: } : (!pto.ptr<bf16, ub>, index) -> ()
  } : (!pto.ptr, index) -> ()
  return
}
