// RUN: xla-run %s --backend=reference | FileCheck %s
// RUN: xla-run %s --backend=native | FileCheck %s

// Arrays that are computed by the dimensions that they have before a reshape.
func.func @main() -> (tensor<3x15xi32>, tensor<6x10xi32>, tensor<24xi32>, tensor<0x6xi32>, tensor<5xi32>, tensor<2x15xi32>, tensor<4xi32>) {
  %flat = stablehlo.iota dim = 0 : tensor<15xi32>
  %cut = stablehlo.reshape %flat : (tensor<15xi32>) -> tensor<3x5xi32>
  %x = stablehlo.optimization_barrier %cut : tensor<3x5xi32>
  // Each element three times.
  // CHECK: s32[3,15] 0 0 0 1 1 1 2 2 2 3 3 3 4 4 4 5 5 5 6 6 6 7 7 7 8 8 8 9 9 9 10 10 10 11 11 11 12 12 12 13 13 13 14 14 14
  %three = stablehlo.broadcast_in_dim %x, dims = [0, 1] : (tensor<3x5xi32>) -> tensor<3x5x3xi32>
  %repeated = stablehlo.reshape %three : (tensor<3x5x3xi32>) -> tensor<3x15xi32>
  // Four copies.
  // CHECK: s32[6,10] 0 1 2 3 4 0 1 2 3 4 5 6 7 8 9 5 6 7 8 9 10 11 12 13 14 10 11 12 13 14 0 1 2 3 4 0 1 2 3 4 5 6 7 8 9 5 6 7 8 9 10 11 12 13 14 10 11 12 13 14
  %four = stablehlo.broadcast_in_dim %x, dims = [1, 3] : (tensor<3x5xi32>) -> tensor<2x3x2x5xi32>
  %tiled = stablehlo.reshape %four : (tensor<2x3x2x5xi32>) -> tensor<6x10xi32>
  // Pieces of a transposed array, reshaped twice.
  // CHECK: s32[24] 0 10 20 2 12 22 4 14 24 6 16 26 8 18 28 2 12 22 4 14 24 6 16 26
  %turned = stablehlo.transpose %x, dims = [1, 0] : (tensor<3x5xi32>) -> tensor<5x3xi32>
  %more = stablehlo.slice %turned [1:4, 0:3] : (tensor<5x3xi32>) -> tensor<3x3xi32>
  %pieces = stablehlo.concatenate %turned, %more, dim = 0 : (tensor<5x3xi32>, tensor<3x3xi32>) -> tensor<8x3xi32>
  %by6 = stablehlo.reshape %pieces : (tensor<8x3xi32>) -> tensor<4x6xi32>
  %double = stablehlo.add %by6, %by6 : tensor<4x6xi32>
  %line = stablehlo.reshape %double : (tensor<4x6xi32>) -> tensor<24xi32>
  // Nothing.
  // CHECK: s32[0,6]
  %none = stablehlo.slice %x [0:0, 0:5] : (tensor<3x5xi32>) -> tensor<0x5xi32>
  %noneThrice = stablehlo.broadcast_in_dim %none, dims = [0, 1] : (tensor<0x5xi32>) -> tensor<0x5x3xi32>
  %empty = stablehlo.reshape %noneThrice : (tensor<0x5x3xi32>) -> tensor<0x6xi32>
  // One element, and dimensions of one.
  // CHECK: s32[5] 7 7 7 7 7
  %one = stablehlo.slice %x [1:2, 2:3] : (tensor<3x5xi32>) -> tensor<1x1xi32>
  %fiveTimes = stablehlo.broadcast_in_dim %one, dims = [0, 2] : (tensor<1x1xi32>) -> tensor<1x5x1xi32>
  %five = stablehlo.reshape %fiveTimes : (tensor<1x5x1xi32>) -> tensor<5xi32>
  // What is computed of repeated elements.
  // CHECK: s32[2,15] 0 1 3 4 6 7 9 10 12 13 15 16 18 19 21 7 9 10 12 13 15 16 18 19 21 22 24 25 27 28
  %indices = stablehlo.iota dim = 1 : tensor<2x15xi32>
  %two = stablehlo.broadcast_in_dim %flat, dims = [0] : (tensor<15xi32>) -> tensor<15x2xi32>
  %pairs = stablehlo.reshape %two : (tensor<15x2xi32>) -> tensor<2x15xi32>
  %sums = stablehlo.add %pairs, %indices : tensor<2x15xi32>
  // In a loop, where a handful of elements is written out.
  // CHECK: s32[4] 2 2 3 3
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %start = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %n, %end = stablehlo.while(%i = %zero, %a = %start) : tensor<i32>, tensor<4xi32>
  cond {
    %limit = stablehlo.constant dense<3> : tensor<i32>
    %less = stablehlo.compare LT, %i, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  } do {
    %step = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %step : tensor<i32>
    %part = stablehlo.slice %a [1:3] : (tensor<4xi32>) -> tensor<2xi32>
    %twice = stablehlo.broadcast_in_dim %part, dims = [0] : (tensor<2xi32>) -> tensor<2x2xi32>
    %again = stablehlo.reshape %twice : (tensor<2x2xi32>) -> tensor<4xi32>
    stablehlo.return %next, %again : tensor<i32>, tensor<4xi32>
  }
  return %repeated, %tiled, %line, %empty, %five, %sums, %end : tensor<3x15xi32>, tensor<6x10xi32>, tensor<24xi32>, tensor<0x6xi32>, tensor<5xi32>, tensor<2x15xi32>, tensor<4xi32>
}
