// RUN: split-file %s %t
// RUN: xla-run %t/known.mlir 1,2,3,4,5,6 1,0 | FileCheck %s --check-prefix=KNOWN
// RUN: xla-run %t/known.mlir --backend=reference 1,2,3,4,5,6 1,0 | FileCheck %s --check-prefix=KNOWN
// RUN: xla-run %t/whole.mlir 1,2,3 | FileCheck %s --check-prefix=WHOLE
// RUN: xla-run %t/whole.mlir --backend=reference 1,2,3 | FileCheck %s --check-prefix=WHOLE
// RUN: not xla-run %t/part.mlir --backend=reference 1,2,3 2 2>&1 | FileCheck %s --check-prefix=PART
// RUN: not xla-run %t/unknown.mlir 1,2,3 1 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// Operations that take shapes as operands, where these are put together from constants and sizes.
//--- known.mlir
// KNOWN:      f32[3,2] 1 2 3 4 5 6
// KNOWN-NEXT: s32[2,3] 0 1 2 0 1 2
// KNOWN-NEXT: f32[2,3] 0 0 0 0 0 0
// KNOWN-NEXT: f32[3,3] 1 2 3 4 5 6 0 0 0
// KNOWN-NEXT: f32[1,2] 4 6
// KNOWN-NEXT: f32[1,3] 4 5 6
// KNOWN-NEXT: f32[2,3] 4 5 6 1 2 3
func.func @main(%x: tensor<2x3xf32>, %i: tensor<2xi32>) -> (tensor<3x2xf32>, tensor<2x3xi32>, tensor<2x3xf32>,
    tensor<3x3xf32>, tensor<1x2xf32>, tensor<1x3xf32>, tensor<2x3xf32>) {
  %rows = stablehlo.get_dimension_size %x, dim = 0 : (tensor<2x3xf32>) -> tensor<i32>
  %columns = stablehlo.get_dimension_size %x, dim = 1 : (tensor<2x3xf32>) -> tensor<i32>
  %r = stablehlo.reshape %rows : (tensor<i32>) -> tensor<1xi32>
  %c = stablehlo.reshape %columns : (tensor<i32>) -> tensor<1xi32>
  %cr = stablehlo.concatenate %c, %r, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %rc = stablehlo.concatenate %r, %c, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %0 = stablehlo.dynamic_reshape %x, %cr : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<3x2xf32>
  %1 = stablehlo.dynamic_iota %rc, dim = 1 : (tensor<2xi32>) -> tensor<2x3xi32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %2 = stablehlo.dynamic_broadcast_in_dim %zero, %rc, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<2x3xf32>
  %none = stablehlo.constant dense<0> : tensor<2xi32>
  %one = stablehlo.constant dense<[1, 0]> : tensor<2xi32>
  %3 = stablehlo.dynamic_pad %x, %zero, %none, %one, %none
    : (tensor<2x3xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<3x3xf32>
  %two = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %4 = stablehlo.real_dynamic_slice %x, %one, %rc, %two
    : (tensor<2x3xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<1x2xf32>
  %ones = stablehlo.constant dense<1> : tensor<2xi32>
  %5 = stablehlo.real_dynamic_slice %x, %i, %rc, %ones
    : (tensor<2x3xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<1x3xf32>
  %sizes = stablehlo.constant dense<[1, 3]> : tensor<2xi32>
  %6 = "stablehlo.dynamic_gather"(%x, %i, %sizes) {dimension_numbers = #stablehlo.gather<offset_dims = [1],
      collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}
    : (tensor<2x3xf32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2x3xf32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<3x2xf32>, tensor<2x3xi32>, tensor<2x3xf32>, tensor<3x3xf32>,
    tensor<1x2xf32>, tensor<1x3xf32>, tensor<2x3xf32>
}

//--- unknown.mlir
// UNKNOWN: 'stablehlo.dynamic_pad' has sizes that are not known when it is compiled
func.func @main(%x: tensor<3xf32>, %low: tensor<1xi32>) -> tensor<5xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %none = stablehlo.constant dense<0> : tensor<1xi32>
  %0 = stablehlo.dynamic_pad %x, %zero, %low, %low, %none
    : (tensor<3xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

//--- whole.mlir
// WHOLE: f32[3] 1 2 3
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %n = stablehlo.constant dense<3> : tensor<i32>
  %0 = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<3xf32>, tensor<i32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

//--- part.mlir
// PART: size 2 of dimension 0, which has 3 elements: arrays have the sizes of their types
func.func @main(%x: tensor<3xf32>, %n: tensor<i32>) -> tensor<3xf32> {
  %0 = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<3xf32>, tensor<i32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
