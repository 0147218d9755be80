// RUN: xla-run %s --backend=reference | FileCheck %s
// RUN: xla-run %s --backend=native | FileCheck %s

// Small products with a vector, along the lines of the matrix and across them,
// of sizes that vectors do not divide; and a fold by two results at once.
func.func @main() -> (tensor<i32>, tensor<i32>, tensor<f64>, tensor<2xi32>, tensor<2xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %m = stablehlo.iota dim = 0 : tensor<7097xi32>
  %p = stablehlo.constant dense<13> : tensor<7097xi32>
  %r = stablehlo.remainder %m, %p : tensor<7097xi32>
  %f = stablehlo.convert %r : (tensor<7097xi32>) -> tensor<7097xf32>
  %a = stablehlo.reshape %f : (tensor<7097xf32>) -> tensor<47x151xf32>
  %x = stablehlo.iota dim = 0 : tensor<47xf32>
  %y = stablehlo.iota dim = 0 : tensor<151xf32>
  %0 = stablehlo.dot_general %x, %a, contracting_dims = [0] x [0] : (tensor<47xf32>, tensor<47x151xf32>) -> tensor<151xf32>
  %whole0 = stablehlo.convert %0 : (tensor<151xf32>) -> tensor<151xi32>
  %at0 = stablehlo.iota dim = 0 : tensor<151xi32>
  %1 = stablehlo.multiply %whole0, %at0 : tensor<151xi32>
  // CHECK: s32[] 73482056
  %sum0 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<151xi32>, tensor<i32>) -> tensor<i32>
  %2 = stablehlo.dot_general %a, %y, contracting_dims = [1] x [0] : (tensor<47x151xf32>, tensor<151xf32>) -> tensor<47xf32>
  %whole1 = stablehlo.convert %2 : (tensor<47xf32>) -> tensor<47xi32>
  %at1 = stablehlo.iota dim = 0 : tensor<47xi32>
  %3 = stablehlo.multiply %whole1, %at1 : tensor<47xi32>
  // CHECK: s32[] 73482056
  %sum1 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<47xi32>, tensor<i32>) -> tensor<i32>
  %wide = stablehlo.convert %a : (tensor<47x151xf32>) -> tensor<47x151xf64>
  %long = stablehlo.convert %y : (tensor<151xf32>) -> tensor<151xf64>
  %4 = stablehlo.dot_general %long, %wide, contracting_dims = [0] x [1] : (tensor<151xf64>, tensor<47x151xf64>) -> tensor<47xf64>
  %none = stablehlo.constant dense<0.0> : tensor<f64>
  // CHECK: f64[] 3193211
  %sum2 = stablehlo.reduce(%4 init: %none) applies stablehlo.add across dimensions = [0] : (tensor<47xf64>, tensor<f64>) -> tensor<f64>

  // The first of the greatest, without a look at the indices: the fold must keep
  // the order of what it folds.
  %rows = stablehlo.slice %f [0:7000] : (tensor<7097xf32>) -> tensor<7000xf32>
  %two = stablehlo.reshape %rows : (tensor<7000xf32>) -> tensor<2x3500xf32>
  %iota = stablehlo.iota dim = 1 : tensor<2x3500xi32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %nowhere = stablehlo.constant dense<-1> : tensor<i32>
  // CHECK: s32[2] 12 9
  // CHECK: f32[2] 12 12
  %5:2 = stablehlo.reduce(%two init: %least), (%iota init: %nowhere) across dimensions = [1] : (tensor<2x3500xf32>, tensor<2x3500xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
   reducer(%b: tensor<f32>, %c: tensor<f32>) (%d: tensor<i32>, %e: tensor<i32>) {
    %6 = stablehlo.compare GE, %b, %c, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %7 = stablehlo.select %6, %b, %c : tensor<i1>, tensor<f32>
    %8 = stablehlo.select %6, %d, %e : tensor<i1>, tensor<i32>
    stablehlo.return %7, %8 : tensor<f32>, tensor<i32>
  }
  return %sum0, %sum1, %sum2, %5#1, %5#0 : tensor<i32>, tensor<i32>, tensor<f64>, tensor<2xi32>, tensor<2xf32>
}
