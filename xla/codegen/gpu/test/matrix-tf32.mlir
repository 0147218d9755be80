// RUN: xla-gpu %s --target=sm_80 | FileCheck %s --check-prefix=MMA
// RUN: xla-gpu %s --target=sm_90a | FileCheck %s --check-prefix=WGMMA
// RUN: xla-gpu %s --target=gfx942 | FileCheck %s --check-prefix=MFMA
// RUN: xla-gpu %s --emit=check

// Precision HIGH: f32 is multiplied as tf32, which has 11 bits. These operands
// have no more, so that the result is that of the CPU compiler.
// MMA: cvt.rna.tf32.f32
// MMA: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// WGMMA: wgmma.mma_async.sync.aligned.m64n32k8.f32.tf32.tf32
// MFMA: v_mfma_f32_16x16x8_xf32
func.func @main(%x: tensor<36x44xf32>, %y: tensor<44x40xf32>) -> tensor<36x40xf32> {
  %a = stablehlo.reduce_precision %x, format = e8m10 : tensor<36x44xf32>
  %b = stablehlo.reduce_precision %y, format = e8m10 : tensor<44x40xf32>
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], precision = [HIGH, HIGH] : (tensor<36x44xf32>, tensor<44x40xf32>) -> tensor<36x40xf32>
  return %0 : tensor<36x40xf32>
}
