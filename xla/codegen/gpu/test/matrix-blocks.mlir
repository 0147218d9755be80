// RUN: xla-gpu %s --target=sm_90a | FileCheck %s

// Blocks of two sizes in one module, whose threads have 16 and 64 sums.
// CHECK: .entry product0
// CHECK: wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16
// CHECK: .entry product1
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
func.func @main(%x: tensor<64x64xbf16>, %y: tensor<64x64xbf16>, %a: tensor<2048x64xbf16>, %b: tensor<64x2048xbf16>)
    -> (tensor<64x64xf32>, tensor<2048x2048xf32>) {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xf32>
  %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2048x64xbf16>, tensor<64x2048xbf16>) -> tensor<2048x2048xf32>
  return %0, %1 : tensor<64x64xf32>, tensor<2048x2048xf32>
}
