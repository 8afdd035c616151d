// pto-normalize-scopes: every carrier becomes `pto.vecscope`, also a loop with one
// iteration, before canonicalisation could remove it with its attribute.
//
// RUN: ptoscope opt %s --pto-normalize-scopes | FileCheck %s
// RUN: ptoscope opt %s --pto-normalize-scopes --canonicalize | FileCheck %s --check-prefix=CANON

// CHECK-LABEL: func.func @loop
// CANON-LABEL: func.func @loop
func.func @loop(%n: i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ub = pto.castptr %n : i64 -> !pto.ptr<f32, ub>
  // CHECK: pto.vecscope {
  // CHECK-NEXT: scf.for
  // CHECK-NEXT: pto.vlds
  // CHECK-NEXT: pto.vsts
  // CHECK-NEXT: {{^ *}}}{{$}}
  // CHECK-NOT: aivector_scope
  // CHECK: return
  // CANON: pto.vecscope {
  // CANON-NOT: scf.for
  // CANON: pto.vsts
  scf.for %i = %c0 to %c1 step %c1 {
    %x = pto.vlds %ub[%i] : !pto.ptr<f32, ub> -> !pto.vreg<64xf32>
    pto.vsts %x, %ub[%i] : !pto.vreg<64xf32>, !pto.ptr<f32, ub>
  } {llvm.loop.aivector_scope}
  return
}

// CHECK-LABEL: func.func @strict
func.func @strict(%n: i64, %i: index) {
  %ub = pto.castptr %n : i64 -> !pto.ptr<f32, ub>
  // CHECK: pto.vecscope {
  // CHECK-NEXT: pto.vlds %{{.*}}[%arg1]
  // CHECK-NOT: strict_vecscope
  pto.strict_vecscope(%ub, %i) {
  ^bb0(%p: !pto.ptr<f32, ub>, %k: index):
    %x = pto.vlds %p[%k] : !pto.ptr<f32, ub> -> !pto.vreg<64xf32>
  } : (!pto.ptr<f32, ub>, index) -> ()
  return
}

// A scope and a plain loop stay as they are.
// CHECK-LABEL: func.func @plain
func.func @plain(%i: index) {
  // CHECK: scf.for
  // CHECK-NEXT: pto.vecscope {
  // CHECK-NEXT: {{^ *}}}{{$}}
  scf.for %k = %i to %i step %i {
    pto.vecscope {
    }
  }
  return
}
