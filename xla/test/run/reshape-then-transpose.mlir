// RUN: xla-run %s --backend=reference | FileCheck %s
// RUN: xla-run %s --backend=native | FileCheck %s

// An array that is read through a reshape whose dimensions have no boundary in common with its own.
func.func @main() -> (tensor<12x2xi32>, tensor<4x3x2xi32>, tensor<8x3xi32>) {
  %flat = stablehlo.iota dim = 0 : tensor<24xi32>
  %cut = stablehlo.reshape %flat : (tensor<24xi32>) -> tensor<4x6xi32>
  %x = stablehlo.optimization_barrier %cut : tensor<4x6xi32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  // From memory.
  // CHECK: s32[12,2] 1 13 2 14 3 15 4 16 5 17 6 18 7 19 8 20 9 21 10 22 11 23 12 24
  %halves = stablehlo.reshape %x : (tensor<4x6xi32>) -> tensor<2x12xi32>
  %0 = stablehlo.transpose %halves, dims = [1, 0] : (tensor<2x12xi32>) -> tensor<12x2xi32>
  %1 = stablehlo.broadcast_in_dim %one, dims = [] : (tensor<i32>) -> tensor<12x2xi32>
  %2 = stablehlo.add %0, %1 : tensor<12x2xi32>
  // CHECK: s32[4,3,2] 1 5 9 13 17 21 2 6 10 14 18 22 3 7 11 15 19 23 4 8 12 16 20 24
  %thirds = stablehlo.reshape %x : (tensor<4x6xi32>) -> tensor<3x2x4xi32>
  %3 = stablehlo.transpose %thirds, dims = [2, 0, 1] : (tensor<3x2x4xi32>) -> tensor<4x3x2xi32>
  %4 = stablehlo.broadcast_in_dim %one, dims = [] : (tensor<i32>) -> tensor<4x3x2xi32>
  %5 = stablehlo.add %3, %4 : tensor<4x3x2xi32>
  // From what is computed by the dimensions before.
  // CHECK: s32[8,3] 1 3 5 7 9 11 13 15 17 19 21 23 2 4 6 8 10 12 14 16 18 20 22 24
  %turned = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x6xi32>) -> tensor<6x4xi32>
  %6 = stablehlo.reshape %turned : (tensor<6x4xi32>) -> tensor<3x8xi32>
  %7 = stablehlo.transpose %6, dims = [1, 0] : (tensor<3x8xi32>) -> tensor<8x3xi32>
  %8 = stablehlo.broadcast_in_dim %one, dims = [] : (tensor<i32>) -> tensor<8x3xi32>
  %9 = stablehlo.add %7, %8 : tensor<8x3xi32>
  return %2, %5, %9 : tensor<12x2xi32>, tensor<4x3x2xi32>, tensor<8x3xi32>
}
