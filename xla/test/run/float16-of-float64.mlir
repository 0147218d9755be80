// RUN: xla-run %s --backend=reference 7,8 2 | FileCheck %s
// RUN: xla-run %s --backend=native 7,8 2 | FileCheck %s

// A floor of a quotient of halves by an f64: LLVM converts it with a call.
// CHECK: f16[2] 3 4
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2xf16>, %arg1: tensor<f64>) -> tensor<2xf16> {
    %0 = stablehlo.convert %arg1 : (tensor<f64>) -> tensor<f16>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f16>) -> tensor<2xf16>
    %2 = stablehlo.remainder %arg0, %1 : tensor<2xf16>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %3 = stablehlo.compare EQ, %0, %cst, FLOAT : (tensor<f16>, tensor<f16>) -> tensor<i1>
    %4 = stablehlo.subtract %arg0, %2 : tensor<2xf16>
    %5 = call @_where(%3, %arg0, %4) : (tensor<i1>, tensor<2xf16>, tensor<2xf16>) -> tensor<2xf16>
    %6 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f16>) -> tensor<2xf16>
    %7 = stablehlo.divide %5, %6 : tensor<2xf16>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f16>) -> tensor<2xf16>
    %9 = stablehlo.compare NE, %2, %8, FLOAT : (tensor<2xf16>, tensor<2xf16>) -> tensor<2xi1>
    %10 = stablehlo.sign %0 : tensor<f16>
    %11 = stablehlo.sign %2 : tensor<2xf16>
    %12 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f16>) -> tensor<2xf16>
    %13 = stablehlo.compare NE, %12, %11, FLOAT : (tensor<2xf16>, tensor<2xf16>) -> tensor<2xi1>
    %14 = stablehlo.and %9, %13 : tensor<2xi1>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f16>
    %15 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f16>) -> tensor<2xf16>
    %16 = stablehlo.subtract %7, %15 : tensor<2xf16>
    %17 = stablehlo.select %14, %16, %7 : tensor<2xi1>, tensor<2xf16>
    %18 = stablehlo.round_nearest_afz %17 : tensor<2xf16>
    return %18 : tensor<2xf16>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<2xf16>, %arg2: tensor<2xf16>) -> tensor<2xf16> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<2xf16>
    return %0 : tensor<2xf16>
  }
}
