// pto-lower-program: the kernel becomes a function of the context and its
// arguments; instructions are calls into Machine with the number of their site.
//
// RUN: ptoscope opt %s --pto-assign-events --pto-lower-program | FileCheck %s
// RUN: not ptoscope opt %s --pto-lower-program 2>&1 | FileCheck %s --check-prefix=UNASSIGNED
// UNASSIGNED: error: {{.*}}NAME

// CHECK-LABEL: llvm.func @k(
// CHECK-SAME: %[[CONTEXT:.*]]: !llvm.ptr, %[[ARGUMENTS:.*]]: !llvm.ptr) -> i32
func.func @k(%gm: !pto.ptr<f32, gm>, %n: i64, %i: index) attributes {pto.kernel} {
  // CHECK: %[[GM:.*]] = llvm.load %[[ARGUMENTS]]
  // CHECK: llvm.call @ptosc_set_register(%[[CONTEXT]], {{.*}}) {pto.may_stop}
  pto.set_loop_size_outtoub %n, %n : i64, i64
  %ub = pto.castptr %n : i64 -> !pto.ptr<f32, ub>
  // A transfer is a record on the stack.
  // CHECK: llvm.store %[[GM]], %{{.*}}
  // CHECK: llvm.call @ptosc_transfer(%[[CONTEXT]], %{{.*}}, %{{.*}}) {pto.may_stop} : (!llvm.ptr, i32, !llvm.ptr) -> i32
  pto.mte_gm_ub %gm, %ub, %n, %n nburst(%n, %n, %n) : !pto.ptr<f32, gm>, !pto.ptr<f32, ub>, i64, i64, i64, i64, i64
  // CHECK: llvm.call @ptosc_set_flag(%[[CONTEXT]], {{.*}}) {pto.may_stop}
  pto.set_flag["PIPE_MTE2", "PIPE_V", "NAME"]
  // CHECK: llvm.call @ptosc_wait_flag(%[[CONTEXT]], {{.*}}) {pto.may_stop}
  pto.wait_flag_dyn["PIPE_MTE2", "PIPE_V", %i]
  // CHECK: llvm.call @ptosc_barrier(%[[CONTEXT]], {{.*}}) {pto.may_stop}
  pto.barrier <PIPE_ALL>
  // CHECK: llvm.call @ptosc_get_buf(%[[CONTEXT]], {{.*}}) {pto.may_stop}
  pto.get_buf "PIPE_V", 5, 0
  // CHECK: llvm.call @ptosc_rls_buf(%[[CONTEXT]], {{.*}}) {pto.may_stop}
  pto.rls_buf "PIPE_V", 5, 0
  // Global memory is never reached by a raw pointer.
  // CHECK: llvm.call @ptosc_load_scalar(%[[CONTEXT]]
  %v = pto.load_scalar %gm[%i] : !pto.ptr<f32, gm> -> f32
  // CHECK: llvm.call @ptosc_store_scalar(%[[CONTEXT]]
  pto.store_scalar %v, %gm[%i] : !pto.ptr<f32, gm>, f32
  // CHECK: llvm.call @ptosc_get_ctrl(%[[CONTEXT]])
  %c = pto.get_ctrl : i64
  // CHECK: llvm.call @ptosc_set_ctrl(%[[CONTEXT]], {{.*}}) {pto.may_stop}
  pto.set_ctrl %c : i64
  // CHECK: llvm.call @ptosc_fail(%[[CONTEXT]], {{.*}}) {pto.may_stop}
  pto.trap
  // CHECK: llvm.return
  return
}

// A loop that only reads memory gives way on its back edge; one that issues work
// does not.
// CHECK-LABEL: llvm.func @spin(
func.func @spin(%gm: !pto.ptr<i32, gm>, %i: index) attributes {pto.kernel} {
  %zero = arith.constant 0 : i32
  // CHECK: scf.while
  // CHECK: llvm.call @ptosc_yield(
  scf.while : () -> () {
    %v = pto.load_scalar %gm[%i] : !pto.ptr<i32, gm> -> i32
    %c = arith.cmpi eq, %v, %zero : i32
    scf.condition(%c)
  } do {
    scf.yield
  }
  // CHECK: scf.for
  // CHECK-NOT: ptosc_yield
  // CHECK: llvm.return
  scf.for %k = %i to %i step %i {
    pto.barrier <PIPE_V>
  }
  return
}
