// RUN: xla-run %s --backend=reference | FileCheck %s
// RUN: xla-run %s --backend=native | FileCheck %s

// From f64 to 16 bits in one rounding, in an array and in a scalar that orders a
// sort; from integers of more bits than f32 has.
func.func @main() -> (tensor<3xf16>, tensor<3xbf16>, tensor<4xf16>, tensor<2xi64>, tensor<2xi64>) {
  %a = stablehlo.constant dense<[1.0004882812500002, -65520.0, 0.1]> : tensor<3xf64>
  %b = stablehlo.optimization_barrier %a : tensor<3xf64>
  // CHECK: f16[3] 1.001 -Inf 0.099976
  %0 = stablehlo.convert %b : (tensor<3xf64>) -> tensor<3xf16>
  // CHECK: bf16[3] 1 -6.554E+4 0.1001
  %1 = stablehlo.convert %b : (tensor<3xf64>) -> tensor<3xbf16>
  %c = stablehlo.constant dense<[(3.0, 1.0), (-1.0, 2.0), (2.0, 3.0), (0.5, 4.0)]> : tensor<4xcomplex<f64>>
  %d = stablehlo.optimization_barrier %c : tensor<4xcomplex<f64>>
  %2 = stablehlo.convert %d : (tensor<4xcomplex<f64>>) -> tensor<4xf16>
  // CHECK: f16[4] -1 0.5 2 3
  %3 = "stablehlo.sort"(%2) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<f16>, %y: tensor<f16>):
    %4 = stablehlo.compare LT, %x, %y, FLOAT : (tensor<f16>, tensor<f16>) -> tensor<i1>
    stablehlo.return %4 : tensor<i1>
  }) : (tensor<4xf16>) -> tensor<4xf16>
  // Just above and just below the middle of two numbers of 8 bits.
  %e = stablehlo.constant dense<[33685505, 33685503]> : tensor<2xi32>
  %f = stablehlo.optimization_barrier %e : tensor<2xi32>
  %g = stablehlo.convert %f : (tensor<2xi32>) -> tensor<2xbf16>
  // CHECK: s64[2] 33816576 33554432
  %5 = stablehlo.convert %g : (tensor<2xbf16>) -> tensor<2xi64>
  %h = stablehlo.constant dense<[4629700416936869889, -4629700416936869889]> : tensor<2xi64>
  %i = stablehlo.optimization_barrier %h : tensor<2xi64>
  %j = stablehlo.convert %i : (tensor<2xi64>) -> tensor<2xbf16>
  // CHECK: s64[2] 4647714815446351872 -4647714815446351872
  %6 = stablehlo.convert %j : (tensor<2xbf16>) -> tensor<2xi64>
  return %0, %1, %3, %5, %6 : tensor<3xf16>, tensor<3xbf16>, tensor<4xf16>, tensor<2xi64>, tensor<2xi64>
}
