// RUN: xla-opt %s --xla-decompose-batch-normalization --split-input-file | FileCheck %s

// (x - mean) / sqrt(variance + epsilon) * scale + offset.
// CHECK-LABEL: func.func @main(
// CHECK-NOT: batch_norm
// CHECK: stablehlo.sqrt
// CHECK: stablehlo.divide
func.func @main(%x: tensor<2x3xf32>, %scale: tensor<3xf32>, %offset: tensor<3xf32>, %mean: tensor<3xf32>, %variance: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = "stablehlo.batch_norm_inference"(%x, %scale, %offset, %mean, %variance) {epsilon = 1.0e-3 : f32, feature_index = 1 : i64} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// Moments of 16-bit floats are summed in f32.
// CHECK-LABEL: func.func @main(
// CHECK-NOT: batch_norm
// CHECK: stablehlo.convert %{{.*}} : (tensor<2x3xbf16>) -> tensor<2x3xf32>
// CHECK: stablehlo.reduce
// CHECK-SAME: across dimensions = [0]
func.func @main(%x: tensor<2x3xbf16>, %scale: tensor<3xbf16>, %offset: tensor<3xbf16>) -> (tensor<2x3xbf16>, tensor<3xbf16>, tensor<3xbf16>) {
  %0:3 = "stablehlo.batch_norm_training"(%x, %scale, %offset) {epsilon = 1.0e-3 : f32, feature_index = 1 : i64} : (tensor<2x3xbf16>, tensor<3xbf16>, tensor<3xbf16>) -> (tensor<2x3xbf16>, tensor<3xbf16>, tensor<3xbf16>)
  return %0#0, %0#1, %0#2 : tensor<2x3xbf16>, tensor<3xbf16>, tensor<3xbf16>
}
