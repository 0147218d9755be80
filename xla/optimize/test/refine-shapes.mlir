// RUN: xla-opt %s --xla-refine-shapes --split-input-file | FileCheck %s

// A size that is a constant becomes an attribute.
// CHECK-LABEL: func.func @main(
// CHECK: stablehlo.iota dim = 0 : tensor<5xi32>
// CHECK-NOT: dynamic_iota
func.func @main() -> tensor<5xi32> {
  %0 = stablehlo.constant dense<5> : tensor<1xi32>
  %1 = stablehlo.dynamic_iota %0, dim = 0 : (tensor<1xi32>) -> tensor<5xi32>
  return %1 : tensor<5xi32>
}

// -----

// So does one that is put together of sizes of dimensions.
// CHECK-LABEL: func.func @main(
// CHECK: stablehlo.reshape %{{.*}} : (tensor<2x3xf32>) -> tensor<3x2xf32>
// CHECK-NOT: dynamic_reshape
func.func @main(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %0 = stablehlo.get_dimension_size %x, dim = 0 : (tensor<2x3xf32>) -> tensor<i32>
  %1 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<2x3xf32>) -> tensor<i32>
  %2 = stablehlo.reshape %0 : (tensor<i32>) -> tensor<1xi32>
  %3 = stablehlo.reshape %1 : (tensor<i32>) -> tensor<1xi32>
  %4 = stablehlo.concatenate %3, %2, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %5 = stablehlo.dynamic_reshape %x, %4 : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<3x2xf32>
  return %5 : tensor<3x2xf32>
}

// -----

// The size that an array has anyway.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>)
// CHECK: return %[[X]]
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.constant dense<4> : tensor<i32>
  %1 = stablehlo.set_dimension_size %x, %0, dim = 0 : (tensor<4xf32>, tensor<i32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
