// RUN: split-file %s %t
// RUN: xla-run %t/known.mlir 1,2,3,4 1,10 | FileCheck %s --check-prefix=KNOWN
// RUN: xla-run %t/known.mlir --backend=reference 1,2,3,4 1,10 | FileCheck %s --check-prefix=KNOWN
// RUN: xla-run %t/argument.mlir --backend=reference 1,2,3,4 1,10 1,0 | FileCheck %s --check-prefix=ARGUMENT
// RUN: not xla-run %t/argument.mlir --backend=reference 1,2,3,4 1,10 1,1 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not xla-run %t/features.mlir --backend=reference 1,2,3,4 1,10 2>&1 | FileCheck %s --check-prefix=FEATURES

// A convolution whose padding is an operand, of which the compiler knows the numbers.
//--- known.mlir
// KNOWN: f32[1,3,1] 10 32 4
func.func @main(%x: tensor<1x4x1xf32>, %k: tensor<2x1x1xf32>) -> tensor<1x3x1xf32> {
  %padding = stablehlo.constant dense<1> : tensor<1x2xi32>
  %0 = "stablehlo.dynamic_conv"(%x, %k, %padding) <{window_strides = array<i64: 2>, batch_group_count = 1 : i64,
      dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64}>
    : (tensor<1x4x1xf32>, tensor<2x1x1xf32>, tensor<1x2xi32>) -> tensor<1x3x1xf32>
  return %0 : tensor<1x3x1xf32>
}

// The interpreter reads it as it comes, and checks that the result is of the size that it asks for.
//--- argument.mlir
// ARGUMENT: f32[1,4,1] 10 21 32 43
// OTHER: result is 'tensor<1x4x1xf32>', the operands ask for sizes [1, 5, 1]
func.func @main(%x: tensor<1x4x1xf32>, %k: tensor<2x1x1xf32>, %padding: tensor<1x2xi32>) -> tensor<1x4x1xf32> {
  %0 = "stablehlo.dynamic_conv"(%x, %k, %padding) <{batch_group_count = 1 : i64,
      dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64}>
    : (tensor<1x4x1xf32>, tensor<2x1x1xf32>, tensor<1x2xi32>) -> tensor<1x4x1xf32>
  return %0 : tensor<1x4x1xf32>
}

//--- features.mlir
// FEATURES: feature size 1 is no multiple of feature_group_count 2
func.func @main(%x: tensor<1x4x1xf32>, %k: tensor<2x1x1xf32>) -> tensor<1x3x1xf32> {
  %padding = stablehlo.constant dense<0> : tensor<1x2xi32>
  %0 = "stablehlo.dynamic_conv"(%x, %k, %padding) <{batch_group_count = 1 : i64,
      dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 2 : i64}>
    : (tensor<1x4x1xf32>, tensor<2x1x1xf32>, tensor<1x2xi32>) -> tensor<1x3x1xf32>
  return %0 : tensor<1x3x1xf32>
}
