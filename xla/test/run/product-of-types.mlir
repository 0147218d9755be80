// RUN: xla-run %s --backend=reference | FileCheck %s
// RUN: xla-run %s --backend=native | FileCheck %s

// Products of narrow and of mixed types, in the way of large ones: sums of narrow integers wrap around.
func.func @main() -> (tensor<2x2xi32>, tensor<2x2xi8>, tensor<2x2xui32>, tensor<2x2xi64>, tensor<2x2xf32>, tensor<2x2xf64>) {
  %rows = stablehlo.iota dim = 0 : tensor<9x50xi8>
  %columns = stablehlo.iota dim = 1 : tensor<50x9xi8>
  %k = stablehlo.iota dim = 1 : tensor<9x50xi8>
  %three = stablehlo.constant dense<-3> : tensor<9x50xi8>
  %m = stablehlo.multiply %k, %three : tensor<9x50xi8>
  %lhs8 = stablehlo.subtract %m, %rows : tensor<9x50xi8>
  %rhs8 = stablehlo.add %columns, %columns : tensor<50x9xi8>
  %lhs, %rhs = stablehlo.optimization_barrier %lhs8, %rhs8 : tensor<9x50xi8>, tensor<50x9xi8>
  %d0 = stablehlo.dot_general %lhs, %rhs, contracting_dims = [1] x [0] : (tensor<9x50xi8>, tensor<50x9xi8>) -> tensor<9x9xi32>
  %d1 = stablehlo.dot_general %lhs, %rhs, contracting_dims = [1] x [0] : (tensor<9x50xi8>, tensor<50x9xi8>) -> tensor<9x9xi8>
  %ul = stablehlo.bitcast_convert %lhs : (tensor<9x50xi8>) -> tensor<9x50xui8>
  %ur = stablehlo.bitcast_convert %rhs : (tensor<50x9xi8>) -> tensor<50x9xui8>
  %d2 = stablehlo.dot_general %ul, %ur, contracting_dims = [1] x [0] : (tensor<9x50xui8>, tensor<50x9xui8>) -> tensor<9x9xui32>
  %d3 = stablehlo.dot_general %lhs, %rhs, contracting_dims = [1] x [0] : (tensor<9x50xi8>, tensor<50x9xi8>) -> tensor<9x9xi64>
  %fl = stablehlo.convert %lhs : (tensor<9x50xi8>) -> tensor<9x50xbf16>
  %fr = stablehlo.convert %rhs : (tensor<50x9xi8>) -> tensor<50x9xf32>
  %d4 = stablehlo.dot_general %fl, %fr, contracting_dims = [1] x [0] : (tensor<9x50xbf16>, tensor<50x9xf32>) -> tensor<9x9xf32>
  %gl = stablehlo.convert %lhs : (tensor<9x50xi8>) -> tensor<9x50xf32>
  %d5 = stablehlo.dot_general %gl, %fr, contracting_dims = [1] x [0] : (tensor<9x50xf32>, tensor<50x9xf32>) -> tensor<9x9xf64>
  %0 = stablehlo.slice %d0 [7:9, 7:9] : (tensor<9x9xi32>) -> tensor<2x2xi32>
  %1 = stablehlo.slice %d1 [7:9, 7:9] : (tensor<9x9xi8>) -> tensor<2x2xi8>
  %2 = stablehlo.slice %d2 [7:9, 7:9] : (tensor<9x9xui32>) -> tensor<2x2xui32>
  %3 = stablehlo.slice %d3 [7:9, 7:9] : (tensor<9x9xi64>) -> tensor<2x2xi64>
  %4 = stablehlo.slice %d4 [7:9, 7:9] : (tensor<9x9xf32>) -> tensor<2x2xf32>
  %5 = stablehlo.slice %d5 [7:9, 7:9] : (tensor<9x9xf64>) -> tensor<2x2xf64>
  // CHECK: s32[2,2] -24094 -27536 -24794 -28336
  // CHECK: s8[2,2] -30 112 38 80
  // CHECK: u32[2,2] 122850 140400 122150 139600
  // CHECK: s64[2,2] -24094 -27536 -24794 -28336
  // CHECK: f32[2,2] -24094 -27536 -24794 -28336
  // CHECK: f64[2,2] -24094 -27536 -24794 -28336
  return %0, %1, %2, %3, %4, %5 : tensor<2x2xi32>, tensor<2x2xi8>, tensor<2x2xui32>, tensor<2x2xi64>, tensor<2x2xf32>, tensor<2x2xf64>
}
