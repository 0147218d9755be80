// RUN: xla-opt %s --xla-split-windows --split-input-file | FileCheck %s

// Along one dimension after the other, the last one last.
// CHECK-LABEL: func.func @main(
// CHECK:         %[[ROWS:.*]] = "stablehlo.reduce_window"(%{{.*}}, %[[START:.*]]) <{
// CHECK-SAME:      padding = dense<{{\[\[}}0, 0], [1, 2], [0, 0]]>
// CHECK-SAME:      window_dimensions = array<i64: 1, 5, 1>
// CHECK-SAME:      window_strides = array<i64: 1, 3, 1>
// CHECK:         (tensor<2x20x30xf32>, tensor<f32>) -> tensor<2x7x30xf32>
// CHECK:         "stablehlo.reduce_window"(%[[ROWS]], %[[START]]) <{
// CHECK-SAME:      window_dimensions = array<i64: 1, 1, 4>
// CHECK-SAME:      window_strides = array<i64: 1, 1, 2>
// CHECK:         (tensor<2x7x30xf32>, tensor<f32>) -> tensor<2x7x14xf32>
func.func @main(%x: tensor<2x20x30xf32>) -> tensor<2x7x14xf32> {
  %start = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %start) <{window_dimensions = array<i64: 1, 5, 4>, window_strides = array<i64: 1, 3, 2>, padding = dense<[[0, 0], [1, 2], [0, 0]]> : tensor<3x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %y = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %y : tensor<f32>
  }) : (tensor<2x20x30xf32>, tensor<f32>) -> tensor<2x7x14xf32>
  return %0 : tensor<2x7x14xf32>
}

// -----

// Few elements stay together; what a sum starts from is added once.
// CHECK-LABEL: func.func @main(
// CHECK-DAG:     %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00>
// CHECK-DAG:     %[[ONE:.*]] = stablehlo.constant dense<1.000000e+00>
// CHECK:         "stablehlo.reduce_window"(%{{.*}}, %[[ZERO]])
// CHECK:         %[[NOTHING:.*]] = stablehlo.constant dense<-0.000000e+00>
// CHECK:         %[[ROWS:.*]] = "stablehlo.reduce_window"(%{{.*}}, %[[NOTHING]])
// CHECK-SAME:      window_dimensions = array<i64: 5, 1>
// CHECK:         "stablehlo.reduce_window"(%[[ROWS]], %[[ONE]])
// CHECK-SAME:      window_dimensions = array<i64: 1, 6>
// CHECK-NOT:     "stablehlo.reduce_window"
func.func @main(%x: tensor<20x30xf32>) -> (tensor<10x15xf32>, tensor<16x25xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %y = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %y : tensor<f32>
  }) : (tensor<20x30xf32>, tensor<f32>) -> tensor<10x15xf32>
  %1 = "stablehlo.reduce_window"(%x, %one) <{window_dimensions = array<i64: 5, 6>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %y = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %y : tensor<f32>
  }) : (tensor<20x30xf32>, tensor<f32>) -> tensor<16x25xf32>
  return %0, %1 : tensor<10x15xf32>, tensor<16x25xf32>
}

// -----

// Sums of narrow numbers are rounded once.
// CHECK-LABEL: func.func @main(
// CHECK-COUNT-1: "stablehlo.reduce_window"
// CHECK-NOT:     "stablehlo.reduce_window"
func.func @main(%x: tensor<20x30xbf16>) -> tensor<16x25xbf16> {
  %zero = stablehlo.constant dense<0.0> : tensor<bf16>
  %0 = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 5, 6>}> ({
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %y = stablehlo.add %a, %b : tensor<bf16>
    stablehlo.return %y : tensor<bf16>
  }) : (tensor<20x30xbf16>, tensor<bf16>) -> tensor<16x25xbf16>
  return %0 : tensor<16x25xbf16>
}

// -----

// What the padding widens comes after what narrows: the other way round, ten thousand rows would be in between.
// CHECK-LABEL: func.func @main(
// CHECK:         "stablehlo.reduce_window"
// CHECK-SAME:      window_dimensions = array<i64: 1, 1000000>
// CHECK:         (tensor<2x1000000xf32>, tensor<f32>) -> tensor<2x1xf32>
// CHECK:         "stablehlo.reduce_window"
// CHECK-SAME:      padding = dense<{{\[\[}}5000, 5000], [0, 0]]>
// CHECK-SAME:      window_dimensions = array<i64: 2, 1>
// CHECK:         (tensor<2x1xf32>, tensor<f32>) -> tensor<10001x1xf32>
func.func @main(%x: tensor<2x1000000xf32>, %start: tensor<f32>) -> tensor<10001x1xf32> {
  %0 = "stablehlo.reduce_window"(%x, %start) <{window_dimensions = array<i64: 2, 1000000>, padding = dense<[[5000, 5000], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %y = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %y : tensor<f32>
  }) : (tensor<2x1000000xf32>, tensor<f32>) -> tensor<10001x1xf32>
  return %0 : tensor<10001x1xf32>
}
