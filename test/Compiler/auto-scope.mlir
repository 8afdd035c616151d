// pto-auto-scope: maximal runs of vector instructions get a scope; DMA and sync
// instructions end a run; scalars that leave it are computed by the scalar unit (VSCOPE-9).
//
// RUN: ptoscope opt %s --pto-auto-scope 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks

// CHECK-LABEL: func.func @runs
func.func @runs(%ub: !pto.ptr<f32, ub>, %i: index) {
  // Scalar operations that need nothing from the run stay in front of it.
  // CHECK: %[[J:.*]] = arith.addi
  // CHECK-NEXT: pto.vecscope {
  // CHECK-NEXT: pto.vlds
  // CHECK-NEXT: pto.vsts %{{.*}}, %{{.*}}[%[[J]]]
  // CHECK-NEXT: {{^ *}}}{{$}}
  // REMARK: auto-scope.mlir:[[@LINE+1]]:8: remark: [loose-spelling] vector instructions outside a scope: a `pto.vecscope` is assumed around this run
  %x = pto.vlds %ub[%i] : !pto.ptr<f32, ub> -> !pto.vreg<64xf32>
  %j = arith.addi %i, %i : index
  pto.vsts %x, %ub[%j] : !pto.vreg<64xf32>, !pto.ptr<f32, ub>
  // CHECK-NEXT: pto.barrier
  pto.barrier <PIPE_V>
  // A fence stays inside.
  // CHECK-NEXT: pto.vecscope {
  // CHECK: pto.mem_bar
  // CHECK: {{^ *}}}{{$}}
  // CHECK-NEXT: return
  // REMARK: auto-scope.mlir:[[@LINE+1]]:8: remark: [loose-spelling] vector instructions outside
  %y = pto.vlds %ub[%i] : !pto.ptr<f32, ub> -> !pto.vreg<64xf32>
  pto.mem_bar "VV_ALL"
  pto.vsts %y, %ub[%i] : !pto.vreg<64xf32>, !pto.ptr<f32, ub>
  return
}

// What remains of a count, and an updated pointer, outlive the run.
// CHECK-LABEL: func.func @scalars
func.func @scalars(%ub: !pto.ptr<f32, ub>, %i: index, %n: i32, %gm: !pto.ptr<f32, gm>, %len: i64) {
  // CHECK: %[[NEXT:.*]] = pto.addptr %arg0, %arg1
  // CHECK: %[[REST:.*]] = arith.select
  // CHECK: pto.vecscope {
  // CHECK: {{^ *}}}{{$}}
  %x, %next = pto.vlds %ub[%i] : !pto.ptr<f32, ub> -> !pto.vreg<64xf32>, !pto.ptr<f32, ub>
  %m, %rest = pto.plt_b32 %n : i32 -> !pto.mask<b32>, i32
  // CHECK: pto.mte_ub_gm %[[NEXT]], %arg3
  pto.mte_ub_gm %next, %gm, %len nburst(%len, %len, %len) : !pto.ptr<f32, ub>, !pto.ptr<f32, gm>, i64, i64, i64, i64
  // CHECK: arith.addi %[[REST]]
  %sum = arith.addi %rest, %n : i32
  return
}

// A loop that holds nothing else goes into the scope; one with a barrier is
// looked into.
// CHECK-LABEL: func.func @loops
func.func @loops(%ub: !pto.ptr<f32, ub>, %i: index) {
  // CHECK: pto.vecscope {
  // CHECK-NEXT: scf.for
  scf.for %k = %i to %i step %i {
    %x = pto.vlds %ub[%k] : !pto.ptr<f32, ub> -> !pto.vreg<64xf32>
  }
  // CHECK: scf.for
  // CHECK-NEXT: pto.vecscope {
  // CHECK: {{^ *}}}{{$}}
  // CHECK-NEXT: pto.barrier
  scf.for %k = %i to %i step %i {
    %x = pto.vlds %ub[%k] : !pto.ptr<f32, ub> -> !pto.vreg<64xf32>
    pto.barrier <PIPE_V>
  }
  return
}

// What is in a scope already is left alone.
// CHECK-LABEL: func.func @scoped
func.func @scoped(%ub: !pto.ptr<f32, ub>, %i: index) {
  // CHECK-COUNT-1: pto.vecscope
  // CHECK-NOT: pto.vecscope
  pto.vecscope {
    %x = pto.vlds %ub[%i] : !pto.ptr<f32, ub> -> !pto.vreg<64xf32>
  }
  return
}
// REMARK-COUNT-3: remark: [loose-spelling] vector instructions outside
// REMARK-NOT: vector instructions outside
