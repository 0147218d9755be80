// RUN: xla-opt %s --xla-split-complex --split-input-file | FileCheck %s

// The parts are taken once, and the sum of two products follows them.
// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:.*]]: tensor<32x32xcomplex<f32>>, %[[Y:.*]]: tensor<32x32xcomplex<f32>>)
// CHECK-DAG:     %[[A:.*]] = stablehlo.real %[[X]]
// CHECK-DAG:     %[[B:.*]] = stablehlo.imag %[[X]]
// CHECK-DAG:     %[[C:.*]] = stablehlo.real %[[Y]]
// CHECK-DAG:     %[[D:.*]] = stablehlo.imag %[[Y]]
// CHECK-DAG:     %[[AC:.*]] = stablehlo.dot_general %[[A]], %[[C]]
// CHECK-DAG:     %[[BD:.*]] = stablehlo.dot_general %[[B]], %[[D]]
// CHECK-DAG:     %[[RE:.*]] = stablehlo.subtract %[[AC]], %[[BD]] : tensor<32x32xf32>
// CHECK-DAG:     %[[AD:.*]] = stablehlo.dot_general %[[A]], %[[D]]
// CHECK-DAG:     %[[BC:.*]] = stablehlo.dot_general %[[B]], %[[C]]
// CHECK-DAG:     %[[IM:.*]] = stablehlo.add %[[AD]], %[[BC]] : tensor<32x32xf32>
// CHECK:         %[[Z:.*]] = stablehlo.complex %[[RE]], %[[IM]]
// CHECK-NEXT:    return %[[Z]]
func.func @main(%x: tensor<32x32xcomplex<f32>>, %y: tensor<32x32xcomplex<f32>>) -> tensor<32x32xcomplex<f32>> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0]
    : (tensor<32x32xcomplex<f32>>, tensor<32x32xcomplex<f32>>) -> tensor<32x32xcomplex<f32>>
  return %0 : tensor<32x32xcomplex<f32>>
}

// -----

// With a vector, the time goes into reading the matrix: once.
// CHECK-LABEL: func.func @main(
// CHECK-NEXT:    stablehlo.dot_general
// CHECK-NEXT:    return
func.func @main(%x: tensor<512x512xcomplex<f64>>, %y: tensor<512xcomplex<f64>>) -> tensor<512xcomplex<f64>> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0]
    : (tensor<512x512xcomplex<f64>>, tensor<512xcomplex<f64>>) -> tensor<512xcomplex<f64>>
  return %0 : tensor<512xcomplex<f64>>
}

// -----

// Many small matrices are no large one.
// CHECK-LABEL: func.func @main(
// CHECK-NEXT:    stablehlo.dot_general
// CHECK-NEXT:    return
func.func @main(%x: tensor<999x8x8xcomplex<f32>>, %y: tensor<999x8x8xcomplex<f32>>) -> tensor<999x8x8xcomplex<f32>> {
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [1]
    : (tensor<999x8x8xcomplex<f32>>, tensor<999x8x8xcomplex<f32>>) -> tensor<999x8x8xcomplex<f32>>
  return %0 : tensor<999x8x8xcomplex<f32>>
}

// -----

// Folds are not taken apart: the emitter adds parts side by side.
// CHECK-LABEL: func.func @main(
// CHECK-NEXT:    stablehlo.reduce{{.*}} applies stablehlo.multiply
// CHECK-NEXT:    return
func.func @main(%x: tensor<5x7xcomplex<f32>>, %y: tensor<complex<f32>>) -> tensor<5xcomplex<f32>> {
  %0 = stablehlo.reduce(%x init: %y) applies stablehlo.multiply across dimensions = [1]
    : (tensor<5x7xcomplex<f32>>, tensor<complex<f32>>) -> tensor<5xcomplex<f32>>
  return %0 : tensor<5xcomplex<f32>>
}
