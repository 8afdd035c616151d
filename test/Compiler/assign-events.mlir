// pto-assign-events: each symbolic name of a pipe pair gets a free id of that pair,
// in order of first appearance; numbered events keep theirs (FLAG-6).
//
// RUN: ptoscope opt %s --pto-assign-events --mlir-print-op-generic | FileCheck %s

// CHECK-LABEL: sym_name = "k"
func.func @k() {
  // CHECK: "pto.set_flag"() <{dst = #pto.pipe<PIPE_MTE2>, event = "A", id = 0 : i64, src = #pto.pipe<PIPE_V>}>
  pto.set_flag["PIPE_V", "PIPE_MTE2", "A"]
  // 1 is taken by EVENT_ID1 below.
  // CHECK: event = "B", id = 2 : i64
  pto.set_flag["PIPE_V", "PIPE_MTE2", "B"]
  // CHECK: event = "EVENT_ID1", id = 1 : i64
  pto.set_flag["PIPE_V", "PIPE_MTE2", "EVENT_ID1"]
  // CHECK: "pto.wait_flag"() <{dst = #pto.pipe<PIPE_MTE2>, event = "A", id = 0 : i64
  pto.wait_flag["PIPE_V", "PIPE_MTE2", "A"]
  // Another pair has ids of its own.
  // CHECK: event = "B", id = 0 : i64
  pto.set_flag["PIPE_MTE2", "PIPE_V", "B"]
  return
}

// So has another function.
// CHECK-LABEL: sym_name = "other"
func.func @other() {
  // CHECK: event = "B", id = 0 : i64
  pto.set_flag["PIPE_V", "PIPE_MTE2", "B"]
  return
}

// Functions that call one another share their names: the call is inlined later.
// CHECK-LABEL: sym_name = "helper"
func.func private @helper() {
  // CHECK: event = "DONE", id = 0 : i64
  pto.set_flag["PIPE_V", "PIPE_MTE2", "DONE"]
  return
}
// CHECK-LABEL: sym_name = "caller"
func.func @caller() {
  // CHECK: event = "FIRST", id = 1 : i64
  pto.set_flag["PIPE_V", "PIPE_MTE2", "FIRST"]
  func.call @helper() : () -> ()
  // CHECK: event = "DONE", id = 0 : i64
  pto.wait_flag["PIPE_V", "PIPE_MTE2", "DONE"]
  return
}
