// RUN: xla-run %s --backend=reference | FileCheck %s
// RUN: xla-run %s --backend=native | FileCheck %s

// NaN last, zeros in their old order, as jax.lax.sort asks for.
func.func @main() -> (tensor<7xf32>, tensor<7xi32>, tensor<2x3xi32>, tensor<3xui32>, tensor<3xf32>) {
  %x = stablehlo.constant dense<[0x7FC00000, 1.0, 0.0, -1.0, -0.0, 0xFF800000, 0xFFC00000]> : tensor<7xf32>
  %rows = stablehlo.iota dim = 0 : tensor<7xi32>
  // CHECK: f32[7] -Inf -1 0 -0 1 NaN NaN
  // CHECK: s32[7] 5 3 2 4 1 0 6
  %0:2 = "stablehlo.sort"(%x, %rows) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %nan = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %1 = stablehlo.compare EQ, %a, %zero, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %2 = stablehlo.select %1, %zero, %a : tensor<i1>, tensor<f32>
    %3 = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %4 = stablehlo.select %3, %nan, %2 : tensor<i1>, tensor<f32>
    %5 = stablehlo.compare EQ, %b, %zero, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %6 = stablehlo.select %5, %zero, %b : tensor<i1>, tensor<f32>
    %7 = stablehlo.compare NE, %b, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %8 = stablehlo.select %7, %nan, %6 : tensor<i1>, tensor<f32>
    %9 = stablehlo.compare LT, %4, %8, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %9 : tensor<i1>
  }) : (tensor<7xf32>, tensor<7xi32>) -> (tensor<7xf32>, tensor<7xi32>)

  // Descending, along the first dimension.
  %m = stablehlo.constant dense<[[1, -5, 7], [2, -6, 7]]> : tensor<2x3xi32>
  // CHECK: s32[2,3] 2 -5 7 1 -6 7
  %10 = "stablehlo.sort"(%m) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %1 = stablehlo.compare GT, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<2x3xi32>) -> tensor<2x3xi32>

  // The arguments the other way round.
  %u = stablehlo.constant dense<[3, 4294967295, 1]> : tensor<3xui32>
  // CHECK: u32[3] 4294967295 3 1
  %11 = "stablehlo.sort"(%u) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<ui32>, %b: tensor<ui32>):
    %1 = stablehlo.compare LT, %b, %a, UNSIGNED : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<3xui32>) -> tensor<3xui32>

  // An order of no entry of the runtime: by distance from zero.
  %y = stablehlo.constant dense<[-3.0, 1.0, 2.0]> : tensor<3xf32>
  // CHECK: f32[3] 1 2 -3
  %12 = "stablehlo.sort"(%y) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.abs %a : tensor<f32>
    %2 = stablehlo.abs %b : tensor<f32>
    %3 = stablehlo.compare LT, %1, %2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %3 : tensor<i1>
  }) : (tensor<3xf32>) -> tensor<3xf32>
  return %0#0, %0#1, %10, %11, %12 : tensor<7xf32>, tensor<7xi32>, tensor<2x3xi32>, tensor<3xui32>, tensor<3xf32>
}
