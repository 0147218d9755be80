// RUN: xla-run %s --backend=reference | FileCheck %s
// RUN: xla-run %s --backend=native | FileCheck %s

func.func @main() -> (tensor<4xf32>, tensor<3xi32>, tensor<3xi32>, tensor<3xui8>, tensor<2xi1>, tensor<3xf32>, tensor<2xcomplex<f32>>) {
  %a = stablehlo.constant dense<[1.0, -2.0, 0.5, 0.0]> : tensor<4xf32>
  %b = stablehlo.constant dense<[3.0, 4.0, -0.25, -0.0]> : tensor<4xf32>
  // CHECK: f32[4] 4 2 0.25 0
  %0 = stablehlo.add %a, %b : tensor<4xf32>
  %i = stablehlo.constant dense<[7, -7, -2147483648]> : tensor<3xi32>
  %j = stablehlo.constant dense<[0, 2, -1]> : tensor<3xi32>
  // CHECK: s32[3] -1 -3 -2147483648
  %1 = stablehlo.divide %i, %j : tensor<3xi32>
  // CHECK: s32[3] 7 -1 0
  %2 = stablehlo.remainder %i, %j : tensor<3xi32>
  %u = stablehlo.constant dense<[255, 128, 1]> : tensor<3xui8>
  %s = stablehlo.constant dense<[255, 1, 9]> : tensor<3xui8>
  // CHECK: u8[3] 255 192 0
  %3 = stablehlo.shift_right_arithmetic %u, %s : tensor<3xui8>
  %n = stablehlo.constant dense<[0x7FC00000, 1.0]> : tensor<2xf32>
  // CHECK: pred[2] 0 1
  %4 = stablehlo.compare EQ, %n, %n, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  %x = stablehlo.constant dense<[0.0, 1.0, -1.0]> : tensor<3xf32>
  // CHECK: f32[3] 1 2.71828175 0.36787945
  %5 = stablehlo.exponential %x : tensor<3xf32>
  %c = stablehlo.constant dense<[(1.0, 2.0), (0.0, -1.0)]> : tensor<2xcomplex<f32>>
  // CHECK: c64[2] -3:4 -1:-0
  %6 = stablehlo.multiply %c, %c : tensor<2xcomplex<f32>>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<4xf32>, tensor<3xi32>, tensor<3xi32>, tensor<3xui8>, tensor<2xi1>, tensor<3xf32>, tensor<2xcomplex<f32>>
}
