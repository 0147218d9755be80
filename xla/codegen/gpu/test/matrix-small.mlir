// RUN: xla-gpu %s --target=sm_80 | FileCheck %s --check-prefix=THREADS
// RUN: env XLA_GPU_MATRIX_UNITS=always xla-gpu %s --target=sm_80 | FileCheck %s
// RUN: env XLA_GPU_MATRIX_UNITS=always xla-gpu %s --emit=check
// RUN: env XLA_GPU_MATRIX_UNITS=always xla-gpu %s --emit=check --target=emulated_mfma
// RUN: env XLA_GPU_MATRIX_UNITS=always xla-gpu %s --emit=check --target=emulated_wmma

// A thread for each result, unless a test wants matrix units for all.
// THREADS-NOT: mma.sync
// CHECK: mma.sync
func.func @main(%a: tensor<1x3xbf16>, %b: tensor<3x2xbf16>, %c: tensor<5x4xf32>) -> (tensor<1x2xf32>, tensor<5x5xf32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<1x3xbf16>, tensor<3x2xbf16>) -> tensor<1x2xf32>
  %1 = stablehlo.dot_general %c, %c, contracting_dims = [1] x [1] : (tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<5x5xf32>
  return %0, %1 : tensor<1x2xf32>, tensor<5x5xf32>
}
