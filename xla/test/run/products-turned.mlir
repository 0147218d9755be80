// RUN: xla-run %s --backend=reference | FileCheck %s
// RUN: xla-run %s --backend=native | FileCheck %s

// Sums of products of arrays that are in different orders, by tiles and without.
func.func @main() -> (tensor<i32>, tensor<f32>, tensor<2xf32>, tensor<bf16>, tensor<3xf32>) {
  // The trace of a product: the sum of (3 i + j) (2 j + i), one side too short for a tile.
  %n = stablehlo.iota dim = 0 : tensor<6xi32>
  %a = stablehlo.reshape %n : (tensor<6xi32>) -> tensor<2x3xi32>
  %b = stablehlo.reshape %n : (tensor<6xi32>) -> tensor<3x2xi32>
  // CHECK: s32[] 50
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [0, 1] x [1, 0] : (tensor<2x3xi32>, tensor<3x2xi32>) -> tensor<i32>
  // Twenty lines of seventy: each i j, less than 2^24 together.
  %i = stablehlo.iota dim = 0 : tensor<20x70xf32>
  %j = stablehlo.iota dim = 0 : tensor<70x20xf32>
  // CHECK: f32[] 458850
  %1 = stablehlo.dot_general %i, %j, contracting_dims = [1, 0] x [0, 1] : (tensor<20x70xf32>, tensor<70x20xf32>) -> tensor<f32>
  // Two of them, the number of each behind in one factor.
  %p = stablehlo.iota dim = 1 : tensor<2x9x11xf32>
  %q = stablehlo.iota dim = 2 : tensor<11x9x2xf32>
  // CHECK: f32[2] 0 396
  %2 = stablehlo.dot_general %p, %q, batching_dims = [0] x [2], contracting_dims = [1, 2] x [1, 0] : (tensor<2x9x11xf32>, tensor<11x9x2xf32>) -> tensor<2xf32>
  // Rounded once: 257 ones, of which bf16 would lose one, and more are even.
  %ones = stablehlo.constant dense<1.0> : tensor<13x20xbf16>
  %more = stablehlo.constant dense<1.0> : tensor<20x13xbf16>
  // CHECK: bf16[] 260
  %3 = stablehlo.dot_general %ones, %more, contracting_dims = [0, 1] x [1, 0] : (tensor<13x20xbf16>, tensor<20x13xbf16>) -> tensor<bf16>
  // Vectors whose elements are stored in different orders.
  %v = stablehlo.iota dim = 0 : tensor<4x3xf32>
  %w = stablehlo.iota dim = 0 : tensor<3x4xf32>
  // CHECK: f32[3] 0 6 12
  %4 = stablehlo.dot_general %v, %w, batching_dims = [1] x [0], contracting_dims = [0] x [1] : (tensor<4x3xf32>, tensor<3x4xf32>) -> tensor<3xf32>
  return %0, %1, %2, %3, %4 : tensor<i32>, tensor<f32>, tensor<2xf32>, tensor<bf16>, tensor<3xf32>
}
