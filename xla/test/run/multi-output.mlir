// RUN: xla-run %s --backend=reference 0,7 | FileCheck %s
// RUN: xla-run %s --backend=native 0,7 | FileCheck %s

// Two columns, the second computed from the first (rounds of a counter-based
// generator). Both come out of one loop, in which the first must be computed
// before the second reads it.
// CHECK: u32[3,2] 3116928440 3369855658 1108087872 3280542832 1783469768 4227350526
func.func @main(%arg0: tensor<2xui32>) -> tensor<3x2xui32> {
  %0 = stablehlo.iota dim = 0 : tensor<3xui32>
  %c = stablehlo.constant dense<0> : tensor<ui32>
  %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui32>) -> tensor<3xui32>
  %2 = stablehlo.slice %arg0 [0:1] : (tensor<2xui32>) -> tensor<1xui32>
  %3 = stablehlo.reshape %2 : (tensor<1xui32>) -> tensor<ui32>
  %4 = stablehlo.slice %arg0 [1:2] : (tensor<2xui32>) -> tensor<1xui32>
  %5 = stablehlo.reshape %4 : (tensor<1xui32>) -> tensor<ui32>
  %6 = stablehlo.xor %3, %5 : tensor<ui32>
  %c_0 = stablehlo.constant dense<466688986> : tensor<ui32>
  %7 = stablehlo.xor %6, %c_0 : tensor<ui32>
  %8 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<ui32>) -> tensor<3xui32>
  %9 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<ui32>) -> tensor<3xui32>
  %10 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<ui32>) -> tensor<3xui32>
  %11 = stablehlo.add %1, %8 : tensor<3xui32>
  %12 = stablehlo.add %0, %9 : tensor<3xui32>
  %13 = stablehlo.add %11, %12 : tensor<3xui32>
  %c_1 = stablehlo.constant dense<13> : tensor<ui32>
  %14 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui32>) -> tensor<3xui32>
  %15 = stablehlo.shift_left %12, %14 : tensor<3xui32>
  %c_2 = stablehlo.constant dense<19> : tensor<ui32>
  %16 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<ui32>) -> tensor<3xui32>
  %17 = stablehlo.shift_right_logical %12, %16 : tensor<3xui32>
  %18 = stablehlo.or %15, %17 : tensor<3xui32>
  %19 = stablehlo.xor %13, %18 : tensor<3xui32>
  %20 = stablehlo.add %13, %19 : tensor<3xui32>
  %c_3 = stablehlo.constant dense<15> : tensor<ui32>
  %21 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<ui32>) -> tensor<3xui32>
  %22 = stablehlo.shift_left %19, %21 : tensor<3xui32>
  %c_4 = stablehlo.constant dense<17> : tensor<ui32>
  %23 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<ui32>) -> tensor<3xui32>
  %24 = stablehlo.shift_right_logical %19, %23 : tensor<3xui32>
  %25 = stablehlo.or %22, %24 : tensor<3xui32>
  %26 = stablehlo.xor %20, %25 : tensor<3xui32>
  %27 = stablehlo.add %20, %26 : tensor<3xui32>
  %c_5 = stablehlo.constant dense<26> : tensor<ui32>
  %28 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<ui32>) -> tensor<3xui32>
  %29 = stablehlo.shift_left %26, %28 : tensor<3xui32>
  %c_6 = stablehlo.constant dense<6> : tensor<ui32>
  %30 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<ui32>) -> tensor<3xui32>
  %31 = stablehlo.shift_right_logical %26, %30 : tensor<3xui32>
  %32 = stablehlo.or %29, %31 : tensor<3xui32>
  %33 = stablehlo.xor %27, %32 : tensor<3xui32>
  %34 = stablehlo.add %27, %33 : tensor<3xui32>
  %35 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<ui32>) -> tensor<3xui32>
  %36 = stablehlo.shift_left %33, %35 : tensor<3xui32>
  %37 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<ui32>) -> tensor<3xui32>
  %38 = stablehlo.shift_right_logical %33, %37 : tensor<3xui32>
  %39 = stablehlo.or %36, %38 : tensor<3xui32>
  %40 = stablehlo.xor %34, %39 : tensor<3xui32>
  %41 = stablehlo.broadcast_in_dim %34, dims = [0] : (tensor<3xui32>) -> tensor<3x1xui32>
  %42 = stablehlo.broadcast_in_dim %40, dims = [0] : (tensor<3xui32>) -> tensor<3x1xui32>
  %43 = stablehlo.concatenate %41, %42, dim = 1 : (tensor<3x1xui32>, tensor<3x1xui32>) -> tensor<3x2xui32>
  return %43 : tensor<3x2xui32>
}
