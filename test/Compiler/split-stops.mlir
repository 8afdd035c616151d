// pto-split-stops: after a call that may end the block the code tests the status
// and branches to the function's end; nothing unwinds.
//
// RUN: ptoscope opt %s --pto-split-stops | FileCheck %s

llvm.func @ptosc_barrier(!llvm.ptr) -> i32

// CHECK-LABEL: llvm.func @k(
llvm.func @k(%context: !llvm.ptr) -> i32 {
  // CHECK: %[[FIRST:.*]] = llvm.call @ptosc_barrier(%arg0) : (!llvm.ptr) -> i32
  // CHECK: %[[STOP:.*]] = llvm.icmp "ne" %[[FIRST]], %{{.*}} : i32
  // CHECK-NEXT: llvm.cond_br %[[STOP]], ^[[END:bb[0-9]+]], ^[[REST:bb[0-9]+]]
  // CHECK: ^[[REST]]:
  %0 = llvm.call @ptosc_barrier(%context) {pto.may_stop} : (!llvm.ptr) -> i32
  // CHECK: llvm.call @ptosc_barrier(%arg0)
  // CHECK: llvm.cond_br %{{.*}}, ^[[END]], ^{{.*}}
  %1 = llvm.call @ptosc_barrier(%context) {pto.may_stop} : (!llvm.ptr) -> i32
  // CHECK: llvm.return
  %2 = llvm.mlir.constant(0 : i32) : i32
  llvm.return %2 : i32
  // CHECK: ^[[END]]:
  // CHECK-NEXT: %[[STATUS:.*]] = llvm.mlir.constant(1 : i32) : i32
  // CHECK-NEXT: llvm.return %[[STATUS]] : i32
}

// Without such a call nothing changes.
// CHECK-LABEL: llvm.func @plain(
// CHECK-NOT: ^bb
llvm.func @plain(%context: !llvm.ptr) -> i32 {
  %0 = llvm.call @ptosc_barrier(%context) : (!llvm.ptr) -> i32
  llvm.return %0 : i32
}
