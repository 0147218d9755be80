// RUN: xla-run %s --backend=reference | FileCheck %s
// RUN: xla-run %s --backend=native | FileCheck %s

func.func @main() -> (tensor<6xi1>, tensor<3xf64>, tensor<2xf16>, tensor<2xf32>) {
  // erf_inv next to 1, where 1 - x is all that is left of x: beside SciPy's values.
  %x = stablehlo.constant dense<[0.99999999999999988897769753748434596, 0.9999999999999, 0.9999999, 0.99999990000001, -0.999999999999, 0.5]> : tensor<6xf64>
  %wanted = stablehlo.constant dense<[5.8635847487551676, 5.261483331372677, 3.766562581638471, 3.766562594477458, -5.042031898572696, 0.4769362762044699]> : tensor<6xf64>
  %y = chlo.erf_inv %x : tensor<6xf64> -> tensor<6xf64>
  %difference = stablehlo.subtract %y, %wanted : tensor<6xf64>
  %distance = stablehlo.abs %difference : tensor<6xf64>
  %bound = stablehlo.constant dense<1.0e-14> : tensor<6xf64>
  // CHECK: pred[6] 1 1 1 1 1 1
  %0 = stablehlo.compare LT, %distance, %bound : (tensor<6xf64>, tensor<6xf64>) -> tensor<6xi1>
  // CHECK: f64[3] +Inf -Inf NaN
  %edges = stablehlo.constant dense<[1.0, -1.0, 1.5]> : tensor<3xf64>
  %1 = chlo.erf_inv %edges : tensor<3xf64> -> tensor<3xf64>
  // CHECK: f16[2] 0 0
  %half = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf16>
  %2 = chlo.lgamma %half : tensor<2xf16> -> tensor<2xf16>
  // CHECK: f32[2] 0 0
  %single = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %3 = chlo.lgamma %single : tensor<2xf32> -> tensor<2xf32>
  return %0, %1, %2, %3 : tensor<6xi1>, tensor<3xf64>, tensor<2xf16>, tensor<2xf32>
}
