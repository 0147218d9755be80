// RUN: xla-gpu %s --emit=kernels | FileCheck %s --check-prefix=FORM
// RUN: xla-gpu %s --target=sm_90a | FileCheck %s --check-prefix=PTX
// RUN: xla-gpu %s --target=gfx90a | FileCheck %s --check-prefix=AMD
// RUN: xla-gpu %s --target=spirv | FileCheck %s --check-prefix=SPIRV
// RUN: xla-gpu %s --emit=check

// A block for each sum of many: threads fold what is theirs, exchange, and meet
// in memory of the block. What is summed is computed where it is read.
// FORM:      // 5 blocks of 256 threads
// FORM-NEXT: kernel @reduce0 {
// FORM:        f32[8] scratch block written
// FORM:        loop %8 from 1 to 4 {
// FORM-NEXT:     %9 = carried %7 : f32
// FORM:          stablehlo.exponential
// FORM:          next %9
// FORM:        exchange {{.*}} across 16
// FORM:        exchange {{.*}} across 1
// FORM:      barrier block
// FORM:      barrier block

// A thread for each sum of few, and for each element of a product or a window.
// FORM:      kernel @product1 {
// FORM:        loop %{{[0-9]+}} from 0 to 33 {
// FORM:      kernel @reduce2 {
// FORM-NOT:    barrier
// FORM:      kernel @reduce_window3 {

// PTX: .entry reduce0
// PTX: shfl.sync.bfly.b32
// PTX: bar.sync 0
// PTX: .entry product1
// PTX: fma.rn.f32

// AMD: ds_bpermute_b32
// AMD: s_barrier

// SPIRV: OpGroupNonUniformShuffleXor
// SPIRV: OpControlBarrier
func.func @main(%x: tensor<5x1000xf32>, %a: tensor<17x33xf32>, %b: tensor<33x9xf32>)
    -> (tensor<5xf32>, tensor<17x9xf32>, tensor<17xf32>, tensor<16x33xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %e = stablehlo.exponential %x : tensor<5x1000xf32>
  %0 = stablehlo.reduce(%e init: %z) applies stablehlo.add across dimensions = [1]
    : (tensor<5x1000xf32>, tensor<f32>) -> tensor<5xf32>
  %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
    : (tensor<17x33xf32>, tensor<33x9xf32>) -> tensor<17x9xf32>
  %2 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1]
    : (tensor<17x33xf32>, tensor<f32>) -> tensor<17xf32>
  %3 = "stablehlo.reduce_window"(%a, %z) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {window_dimensions = array<i64: 2, 3>, padding = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>}
    : (tensor<17x33xf32>, tensor<f32>) -> tensor<16x33xf32>
  return %0, %1, %2, %3 : tensor<5xf32>, tensor<17x9xf32>, tensor<17xf32>, tensor<16x33xf32>
}
