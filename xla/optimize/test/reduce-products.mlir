// RUN: xla-opt %s --xla-reduce-products --split-input-file | FileCheck %s

// Factors that are stored in different orders are multiplied and summed.
// CHECK-LABEL: func.func @main(
// CHECK-NOT:     dot_general
// CHECK:         stablehlo.multiply
// CHECK:         stablehlo.reduce
func.func @main(%x: tensor<20x30xf32>, %y: tensor<30x20xf32>) -> tensor<f32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [0, 1] x [1, 0] : (tensor<20x30xf32>, tensor<30x20xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// So are those of which one is transposed before; sums of halves stay wide.
// CHECK-LABEL: func.func @main(
// CHECK-NOT:     dot_general
// CHECK:         stablehlo.multiply {{.*}} : tensor<20x30xf32>
// CHECK:         stablehlo.reduce
func.func @main(%x: tensor<20x30xbf16>, %y: tensor<30x20xbf16>) -> tensor<bf16> {
  %t = stablehlo.transpose %y, dims = [1, 0] : (tensor<30x20xbf16>) -> tensor<20x30xbf16>
  %0 = stablehlo.dot_general %x, %t, contracting_dims = [0, 1] x [0, 1] : (tensor<20x30xbf16>, tensor<20x30xbf16>) -> tensor<bf16>
  return %0 : tensor<bf16>
}

// -----

// In the same order they are lines.
// CHECK-LABEL: func.func @main(
// CHECK:         stablehlo.dot_general
func.func @main(%x: tensor<20x1x30xf32>, %y: tensor<1x20x30xf32>) -> tensor<f32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [0, 1, 2] x [1, 0, 2] : (tensor<20x1x30xf32>, tensor<1x20x30xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// What one of them alone has stays a product.
// CHECK-LABEL: func.func @main(
// CHECK:         stablehlo.dot_general
func.func @main(%x: tensor<20x30x4xf32>, %y: tensor<30x20xf32>) -> tensor<4xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [0, 1] x [1, 0] : (tensor<20x30x4xf32>, tensor<30x20xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// So are those in the same order, where many terms are apart and the results
// side by side.
// CHECK-LABEL: func.func @main(
// CHECK-NOT:     dot_general
// CHECK:         stablehlo.multiply
// CHECK:         stablehlo.reduce
// CHECK-SAME:      dimensions = [0]
func.func @main(%x: tensor<200x30xf32>, %y: tensor<200x30xf32>) -> tensor<30xf32> {
  %0 = stablehlo.dot_general %x, %y, batching_dims = [1] x [1], contracting_dims = [0] x [0] : (tensor<200x30xf32>, tensor<200x30xf32>) -> tensor<30xf32>
  return %0 : tensor<30xf32>
}

// -----

// Few terms, and terms side by side, stay a product.
// CHECK-LABEL: func.func @main(
// CHECK:         stablehlo.dot_general
// CHECK:         stablehlo.dot_general
func.func @main(%x: tensor<20x30xf32>, %y: tensor<200x300xf32>) -> (tensor<30xf32>, tensor<200xf32>) {
  %0 = stablehlo.dot_general %x, %x, batching_dims = [1] x [1], contracting_dims = [0] x [0] : (tensor<20x30xf32>, tensor<20x30xf32>) -> tensor<30xf32>
  %1 = stablehlo.dot_general %y, %y, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<200x300xf32>, tensor<200x300xf32>) -> tensor<200xf32>
  return %0, %1 : tensor<30xf32>, tensor<200xf32>
}
