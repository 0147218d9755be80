// RUN: xla-run %s --backend=reference > %t.reference
// RUN: xla-run %s --backend=native > %t.native
// RUN: diff %t.reference %t.native

// Columns longer than the blocks that long rows are cut into: the last block of
// a column is shorter, and the elements after it are no part of the sum.

func.func @main() -> (tensor<17xf32>, tensor<2x17xi32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %none = stablehlo.constant dense<0> : tensor<i32>
  %nine = stablehlo.constant dense<9> : tensor<35717xi32>
  %count = stablehlo.iota dim = 0 : tensor<35717xi32>
  %small = stablehlo.remainder %count, %nine : tensor<35717xi32>
  %n = stablehlo.reshape %small : (tensor<35717xi32>) -> tensor<2101x17xi32>
  %x = stablehlo.convert %n : (tensor<2101x17xi32>) -> tensor<2101x17xf32>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2101x17xf32>, tensor<f32>) -> tensor<17xf32>
  %two = stablehlo.broadcast_in_dim %n, dims = [1, 2] : (tensor<2101x17xi32>) -> tensor<2x2101x17xi32>
  %sums = stablehlo.reduce(%two init: %none) applies stablehlo.add across dimensions = [1] : (tensor<2x2101x17xi32>, tensor<i32>) -> tensor<2x17xi32>
  return %sum, %sums : tensor<17xf32>, tensor<2x17xi32>
}
