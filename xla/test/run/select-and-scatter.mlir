// RUN: xla-run %s --backend=reference | FileCheck %s
// RUN: xla-run %s --backend=native | FileCheck %s

// Windows that do not meet, with elements that are in none; that cover the operand, of equals the first; and that overlap.
func.func @main() -> (tensor<7xi32>, tensor<2x4xi32>, tensor<5xi32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %x = stablehlo.constant dense<[1, 5, 3, 2, 9, 9, 4]> : tensor<7xi32>
  %u = stablehlo.constant dense<[10, 20]> : tensor<2xi32>
  // CHECK: s32[7] 0 10 0 0 20 0 0
  %0 = "stablehlo.select_and_scatter"(%x, %u, %zero) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 3>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = stablehlo.compare GE, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<7xi32>, tensor<2xi32>, tensor<i32>) -> tensor<7xi32>
  %y = stablehlo.constant dense<[[7, 7, 3, 2], [7, 6, 4, 8]]> : tensor<2x4xi32>
  %v = stablehlo.constant dense<[[10, 20]]> : tensor<1x2xi32>
  // CHECK: s32[2,4] 10 0 0 0 0 0 0 20
  %1 = "stablehlo.select_and_scatter"(%y, %v, %zero) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = stablehlo.compare GE, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<2x4xi32>, tensor<1x2xi32>, tensor<i32>) -> tensor<2x4xi32>
  %z = stablehlo.constant dense<[1, 2, 9, 2, 1]> : tensor<5xi32>
  %w = stablehlo.constant dense<[1, 10, 100, 1000, 10000]> : tensor<5xi32>
  // CHECK: s32[5] 0 1 1110 10000 0
  %2 = "stablehlo.select_and_scatter"(%z, %w, %zero) <{window_dimensions = array<i64: 3>, padding = dense<1> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = stablehlo.compare GE, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<5xi32>, tensor<5xi32>, tensor<i32>) -> tensor<5xi32>
  return %0, %1, %2 : tensor<7xi32>, tensor<2x4xi32>, tensor<5xi32>
}
