// RUN: xla-opt %s --xla-split-convolutions --split-input-file | FileCheck %s

// Of three taps, even positions see one and odd ones two.
// CHECK-LABEL: func.func @main(
// CHECK:         %[[ONE:.*]] = stablehlo.convolution(%{{.*}}, %{{.*}}) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1], pad = {{\[\[}}0, 0{{\]\]}}, lhs_dilate = [1]{{.*}}(tensor<2x65x16xf32>, tensor<1x16x8xf32>) -> tensor<2x65x8xf32>
// CHECK:         %[[TWO:.*]] = stablehlo.convolution(%{{.*}}, %{{.*}}) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1], pad = {{\[\[}}0, 1{{\]\]}}, lhs_dilate = [1]{{.*}}(tensor<2x65x16xf32>, tensor<2x16x8xf32>) -> tensor<2x65x8xf32>
// CHECK:         stablehlo.concatenate
// CHECK:         return %{{.*}} : tensor<2x130x8xf32>
func.func @main(%x: tensor<2x65x16xf32>, %k: tensor<3x16x8xf32>) -> tensor<2x130x8xf32> {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1], pad = [[1, 2]], lhs_dilate = [2], rhs_dilate = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x65x16xf32>, tensor<3x16x8xf32>) -> tensor<2x130x8xf32>
  return %0 : tensor<2x130x8xf32>
}

// -----

// Of four taps, all positions see two: one convolution of twice the features.
// CHECK-LABEL: func.func @main(
// CHECK:         stablehlo.convolution({{.*}}(tensor<2x65x16xf32>, tensor<2x16x16xf32>) -> tensor<2x65x16xf32>
// CHECK-NOT:     stablehlo.convolution
// CHECK:         return
func.func @main(%x: tensor<2x65x16xf32>, %k: tensor<4x16x8xf32>) -> tensor<2x130x8xf32> {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1], pad = [[1, 3]], lhs_dilate = [2], rhs_dilate = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x65x16xf32>, tensor<4x16x8xf32>) -> tensor<2x130x8xf32>
  return %0 : tensor<2x130x8xf32>
}

// -----

// A group of one feature is no product.
// CHECK-LABEL: func.func @main(
// CHECK-NEXT:    stablehlo.convolution{{.*}}lhs_dilate = [2]
// CHECK-NEXT:    return
func.func @main(%x: tensor<2x65x480xf32>, %k: tensor<3x1x480xf32>) -> tensor<2x130x480xf32> {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1], pad = [[1, 2]], lhs_dilate = [2], rhs_dilate = [1]} {batch_group_count = 1 : i64, feature_group_count = 480 : i64} : (tensor<2x65x480xf32>, tensor<3x1x480xf32>) -> tensor<2x130x480xf32>
  return %0 : tensor<2x130x480xf32>
}

// -----

// Few products are computed as they are.
// CHECK-LABEL: func.func @main(
// CHECK-NEXT:    stablehlo.convolution{{.*}}lhs_dilate = [2]
// CHECK-NEXT:    return
func.func @main(%x: tensor<2x5x4xf32>, %k: tensor<3x4x8xf32>) -> tensor<2x10x8xf32> {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1], pad = [[1, 2]], lhs_dilate = [2], rhs_dilate = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x5x4xf32>, tensor<3x4x8xf32>) -> tensor<2x10x8xf32>
  return %0 : tensor<2x10x8xf32>
}
