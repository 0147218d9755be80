// RUN: not xla-gpu %s 2>&1 | FileCheck %s
// RUN: not xla-gpu %s --target=sm_1 2>&1 | FileCheck %s --check-prefix=TARGET

// CHECK: the GPU compiler has no kernel for 'stablehlo.cholesky'
// CHECK: types    tensor<4x4xf32> -> tensor<4x4xf32>
// CHECK: at       loc("matrix.py":7:3)
// TARGET: there is no GPU target 'sm_1'
func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = stablehlo.cholesky %x, lower = true : tensor<4x4xf32> loc("matrix.py":7:3)
  return %0 : tensor<4x4xf32>
}
