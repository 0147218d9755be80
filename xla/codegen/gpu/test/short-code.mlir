// RUN: xla-gpu %s --target=sm_90a | FileCheck %s
// RUN: xla-gpu %s --emit=check

// Assemblers take time for each instruction. A block that has one index of its
// axis has no loop over it: its first copies begin without a branch. The two
// steps of a stage are a loop where f32 is six products; with 64 x 64 sums a
// thread has 24 of them in one. What it stores is inside of the result.
// CHECK-LABEL: .entry product0
// CHECK-NOT: bra
// CHECK: cp.async.ca.shared.global
// CHECK-NOT: bra
// CHECK: cp.async.commit_group
// CHECK: [[STAGE:\$L__BB0_[0-9]+]]:
// CHECK: cp.async.wait_group 1
// CHECK: [[STEP:\$L__BB0_[0-9]+]]:
// CHECK-COUNT-24: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// CHECK-NOT: mma.sync
// CHECK: bra {{.*}}[[STEP]]
// CHECK: bra.uni {{.*}}[[STAGE]]
// CHECK-NOT: bra
// CHECK: st.global.b32
// CHECK-NOT: bra
// CHECK: ret
func.func @main(%x: tensor<96x256xf32>, %y: tensor<96x128xf32>) -> tensor<256x128xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (tensor<96x256xf32>, tensor<96x128xf32>) -> tensor<256x128xf32>
  return %0 : tensor<256x128xf32>
}
