// RUN: xla-run %s --backend=reference | FileCheck %s
// RUN: xla-run %s --backend=native | FileCheck %s

// Sorts of which the program reads the first rows alone: each of these makes
// its keys from numbers of which several are equal.
func.func @main() -> (tensor<2x4xf32>, tensor<2x4xi32>, tensor<3xi32>, tensor<3xf32>) {
  %i = stablehlo.iota dim = 1 : tensor<2x200xi32>
  %eleven = stablehlo.constant dense<11> : tensor<2x200xi32>
  %seven = stablehlo.constant dense<97> : tensor<2x200xi32>
  %0 = stablehlo.multiply %i, %eleven : tensor<2x200xi32>
  %1 = stablehlo.remainder %0, %seven : tensor<2x200xi32>
  %2 = stablehlo.convert %1 : (tensor<2x200xi32>) -> tensor<2x200xf32>
  // Descending: 96 stands in rows 44 and 141, 95 in 88 and 185.
  // CHECK: f32[2,4] 96 96 95 95 96 96 95 95
  // CHECK: s32[2,4] 44 141 88 185 44 141 88 185
  %3:2 = "stablehlo.sort"(%2, %i) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
    %4 = stablehlo.compare GT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %4 : tensor<i1>
  }) : (tensor<2x200xf32>, tensor<2x200xi32>) -> (tensor<2x200xf32>, tensor<2x200xi32>)
  %5 = stablehlo.slice %3#0 [0:2, 0:4] : (tensor<2x200xf32>) -> tensor<2x4xf32>
  %6 = stablehlo.slice %3#1 [0:2, 0:4] : (tensor<2x200xi32>) -> tensor<2x4xi32>

  // Ascending, without row numbers.
  // CHECK: s32[3] -96 -96 -95
  %7 = stablehlo.slice %1 [0:1, 0:200] : (tensor<2x200xi32>) -> tensor<1x200xi32>
  %8 = stablehlo.reshape %7 : (tensor<1x200xi32>) -> tensor<200xi32>
  %9 = stablehlo.negate %8 : tensor<200xi32>
  %10 = "stablehlo.sort"(%9) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %4 = stablehlo.compare LT, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %4 : tensor<i1>
  }) : (tensor<200xi32>) -> tensor<200xi32>
  %11 = stablehlo.slice %10 [0:3] : (tensor<200xi32>) -> tensor<3xi32>

  // IEEE 754's total order, as a whole sort: zeros differ, NaNs go by sign.
  // CHECK: f32[3] -0 0 NaN
  %x = stablehlo.constant dense<[0.0, 0x7FC00000, -0.0]> : tensor<3xf32>
  %12 = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %4 = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %4 : tensor<i1>
  }) : (tensor<3xf32>) -> tensor<3xf32>
  return %5, %6, %11, %12 : tensor<2x4xf32>, tensor<2x4xi32>, tensor<3xi32>, tensor<3xf32>
}
