// RUN: xla-opt %s --xla-widen-contractions --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:.*]]: tensor<2x3xf8E4M3FN>, %[[Y:.*]]: tensor<3x2xf8E5M2>)
// CHECK-DAG:     %[[A:.*]] = stablehlo.convert %[[X]] : {{.*}} -> tensor<2x3xf32>
// CHECK-DAG:     %[[B:.*]] = stablehlo.convert %[[Y]] : {{.*}} -> tensor<3x2xf32>
// CHECK:         %[[DOT:.*]] = stablehlo.dot_general %[[A]], %[[B]]
// CHECK-SAME:    -> tensor<2x2xf32>
// CHECK-NEXT:    %[[RESULT:.*]] = stablehlo.convert %[[DOT]] : {{.*}} -> tensor<2x2xf8E4M3FN>
// CHECK-NEXT:    return %[[RESULT]]
func.func @main(%x: tensor<2x3xf8E4M3FN>, %y: tensor<3x2xf8E5M2>) -> tensor<2x2xf8E4M3FN> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0]
    : (tensor<2x3xf8E4M3FN>, tensor<3x2xf8E5M2>) -> tensor<2x2xf8E4M3FN>
  return %0 : tensor<2x2xf8E4M3FN>
}

// -----

// CHECK-LABEL: func.func @main(
// CHECK:         stablehlo.dot_general {{.*}} (tensor<2x3xi8>, tensor<3x2xui8>) -> tensor<2x2xi32>
// CHECK-NEXT:    return
func.func @main(%x: tensor<2x3xi4>, %y: tensor<3x2xui4>) -> tensor<2x2xi32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0]
    : (tensor<2x3xi4>, tensor<3x2xui4>) -> tensor<2x2xi32>
  return %0 : tensor<2x2xi32>
}

// -----

// Halves have kernels of their own.
// CHECK-LABEL: func.func @main(
// CHECK-NEXT:    stablehlo.dot_general {{.*}} (tensor<3xbf16>, tensor<3xbf16>) -> tensor<bf16>
func.func @main(%x: tensor<3xbf16>, %y: tensor<3xbf16>) -> tensor<bf16> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0]
    : (tensor<3xbf16>, tensor<3xbf16>) -> tensor<bf16>
  return %0 : tensor<bf16>
}

// -----

// Factors of two types, and sums narrower than factors, have none.
// CHECK-LABEL: func.func @main(
// CHECK:         stablehlo.dot_general {{.*}} (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
// CHECK-NEXT:    stablehlo.convert {{.*}} -> tensor<2x2xbf16>
// CHECK:         stablehlo.dot_general {{.*}} (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
// CHECK-NEXT:    stablehlo.convert {{.*}} -> tensor<2x2xf16>
// CHECK:         stablehlo.dot_general {{.*}} (tensor<2x3xf64>, tensor<3x2xf64>) -> tensor<2x2xf64>
// CHECK-NEXT:    stablehlo.convert {{.*}} -> tensor<2x2xf32>
func.func @main(%x: tensor<2x3xf32>, %y: tensor<3x2xbf16>, %z: tensor<2x3xf64>) -> (tensor<2x2xbf16>, tensor<2x2xf16>, tensor<2x2xf32>) {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0]
    : (tensor<2x3xf32>, tensor<3x2xbf16>) -> tensor<2x2xbf16>
  %w = stablehlo.convert %y : (tensor<3x2xbf16>) -> tensor<3x2xf32>
  %1 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
    : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf16>
  %2 = stablehlo.dot_general %z, %y, contracting_dims = [1] x [0]
    : (tensor<2x3xf64>, tensor<3x2xbf16>) -> tensor<2x2xf32>
  return %0, %1, %2 : tensor<2x2xbf16>, tensor<2x2xf16>, tensor<2x2xf32>
}
