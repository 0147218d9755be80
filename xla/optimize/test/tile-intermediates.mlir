// RUN: xla-opt %s --xla-tile-intermediates --split-input-file | FileCheck %s

// Attention: a loop over tiles of the queries, and no square outside of it.
// CHECK-LABEL: func.func @main(
// CHECK-NOT:     stablehlo.dot_general
// CHECK:         stablehlo.while
// CHECK:         stablehlo.dynamic_slice {{.*}} -> tensor<128x64xf32>
// CHECK:         stablehlo.dot_general {{.*}} -> tensor<128x2048xf32>
// CHECK:         stablehlo.iota dim = 0 : tensor<128x2048xi32>
// CHECK:         stablehlo.iota dim = 1 : tensor<128x2048xi32>
// CHECK:         stablehlo.exponential {{.*}} : tensor<128x2048xf32>
// CHECK:         stablehlo.dot_general {{.*}} -> tensor<128x64xf32>
// CHECK:         stablehlo.dynamic_update_slice
// CHECK-NOT:     tensor<2048x2048xf32>
func.func @main(%q: tensor<2048x64xf32>, %k: tensor<2048x64xf32>, %v: tensor<2048x64xf32>) -> tensor<2048x64xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %least = stablehlo.constant dense<-1.0e30> : tensor<2048x2048xf32>
  %i = stablehlo.iota dim = 0 : tensor<2048x2048xi32>
  %j = stablehlo.iota dim = 1 : tensor<2048x2048xi32>
  %seen = stablehlo.compare GE, %i, %j, SIGNED : (tensor<2048x2048xi32>, tensor<2048x2048xi32>) -> tensor<2048x2048xi1>
  %0 = stablehlo.dot_general %q, %k, contracting_dims = [1] x [1] : (tensor<2048x64xf32>, tensor<2048x64xf32>) -> tensor<2048x2048xf32>
  %1 = stablehlo.select %seen, %0, %least : tensor<2048x2048xi1>, tensor<2048x2048xf32>
  %2 = stablehlo.reduce(%1 init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<2048x2048xf32>, tensor<f32>) -> tensor<2048xf32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<2048xf32>) -> tensor<2048x2048xf32>
  %4 = stablehlo.subtract %1, %3 : tensor<2048x2048xf32>
  %5 = stablehlo.exponential %4 : tensor<2048x2048xf32>
  %6 = stablehlo.reduce(%5 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2048x2048xf32>, tensor<f32>) -> tensor<2048xf32>
  %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<2048xf32>) -> tensor<2048x2048xf32>
  %8 = stablehlo.divide %5, %7 : tensor<2048x2048xf32>
  %9 = stablehlo.dot_general %8, %v, contracting_dims = [1] x [0] : (tensor<2048x2048xf32>, tensor<2048x64xf32>) -> tensor<2048x64xf32>
  return %9 : tensor<2048x64xf32>
}

// -----

// Heads come one after the other, and tiles of queries in each.
// CHECK-LABEL: func.func @main(
// CHECK:         stablehlo.while
// CHECK:         stablehlo.while
// CHECK:         stablehlo.dot_general {{.*}} -> tensor<1x128x2048xf32>
// CHECK-NOT:     tensor<4x2048x2048xf32>
func.func @main(%q: tensor<4x2048x64xf32>, %k: tensor<4x2048x64xf32>, %v: tensor<4x2048x64xf32>) -> tensor<4x2048x64xf32> {
  %0 = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<4x2048x64xf32>, tensor<4x2048x64xf32>) -> tensor<4x2048x2048xf32>
  %1 = stablehlo.tanh %0 : tensor<4x2048x2048xf32>
  %2 = stablehlo.dot_general %1, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<4x2048x2048xf32>, tensor<4x2048x64xf32>) -> tensor<4x2048x64xf32>
  return %2 : tensor<4x2048x64xf32>
}

// -----

// What sums over all queries is added up, and in f32 for halves; what is left
// over of 2050 is computed behind the loop.
// CHECK-LABEL: func.func @main(
// CHECK:         stablehlo.while
// CHECK:         stablehlo.dot_general {{.*}} -> tensor<2050x16xf32>
// CHECK:         stablehlo.add {{.*}} : tensor<2050x16xf32>
// CHECK:         stablehlo.dot_general {{.*}} -> tensor<{{[0-9]+}}x2050xbf16>
// CHECK:         stablehlo.convert {{.*}} -> tensor<2050x16xbf16>
func.func @main(%q: tensor<2053x16xbf16>, %k: tensor<2050x16xbf16>, %w: tensor<2053x16xbf16>) -> tensor<2050x16xbf16> {
  %0 = stablehlo.dot_general %q, %k, contracting_dims = [1] x [1] : (tensor<2053x16xbf16>, tensor<2050x16xbf16>) -> tensor<2053x2050xbf16>
  %1 = stablehlo.tanh %0 : tensor<2053x2050xbf16>
  %2 = stablehlo.dot_general %1, %w, contracting_dims = [0] x [0] : (tensor<2053x2050xbf16>, tensor<2053x16xbf16>) -> tensor<2050x16xbf16>
  return %2 : tensor<2050x16xbf16>
}

// -----

// Behind what must see all tiles, squares are computed once more.
// CHECK-LABEL: func.func @main(
// CHECK:         stablehlo.while
// CHECK:         stablehlo.dot_general {{.*}} -> tensor<128x2048xf32>
// CHECK:         stablehlo.dot_general {{.*}} -> tensor<2048x64xf32>
// CHECK:         stablehlo.while
// CHECK:         stablehlo.dot_general {{.*}} -> tensor<128x2048xf32>
// CHECK:         stablehlo.dot_general {{.*}} -> tensor<128x2048xf32>
// CHECK-NOT:     tensor<2048x2048xf32>
func.func @main(%q: tensor<2048x64xf32>, %k: tensor<2048x64xf32>, %w: tensor<64x64xf32>) -> tensor<2048x64xf32> {
  %0 = stablehlo.dot_general %q, %k, contracting_dims = [1] x [1] : (tensor<2048x64xf32>, tensor<2048x64xf32>) -> tensor<2048x2048xf32>
  %1 = stablehlo.tanh %0 : tensor<2048x2048xf32>
  %2 = stablehlo.dot_general %1, %k, contracting_dims = [1] x [0] : (tensor<2048x2048xf32>, tensor<2048x64xf32>) -> tensor<2048x64xf32>
  %3 = stablehlo.dot_general %2, %w, contracting_dims = [1] x [0] : (tensor<2048x64xf32>, tensor<64x64xf32>) -> tensor<2048x64xf32>
  %4 = stablehlo.dot_general %3, %k, contracting_dims = [1] x [1] : (tensor<2048x64xf32>, tensor<2048x64xf32>) -> tensor<2048x2048xf32>
  %5 = stablehlo.multiply %4, %1 : tensor<2048x2048xf32>
  %6 = stablehlo.dot_general %5, %k, contracting_dims = [1] x [0] : (tensor<2048x2048xf32>, tensor<2048x64xf32>) -> tensor<2048x64xf32>
  return %6 : tensor<2048x64xf32>
}

// -----

// A square that is a result stays, and so does a small one.
// CHECK-LABEL: func.func @main(
// CHECK-NOT:     stablehlo.while
func.func @main(%q: tensor<2048x64xf32>, %k: tensor<2048x64xf32>, %s: tensor<128x16xf32>) -> (tensor<2048x2048xf32>, tensor<2048x64xf32>, tensor<128x16xf32>) {
  %0 = stablehlo.dot_general %q, %k, contracting_dims = [1] x [1] : (tensor<2048x64xf32>, tensor<2048x64xf32>) -> tensor<2048x2048xf32>
  %1 = stablehlo.tanh %0 : tensor<2048x2048xf32>
  %2 = stablehlo.dot_general %1, %k, contracting_dims = [1] x [0] : (tensor<2048x2048xf32>, tensor<2048x64xf32>) -> tensor<2048x64xf32>
  %3 = stablehlo.dot_general %s, %s, contracting_dims = [1] x [1] : (tensor<128x16xf32>, tensor<128x16xf32>) -> tensor<128x128xf32>
  %4 = stablehlo.dot_general %3, %s, contracting_dims = [1] x [0] : (tensor<128x128xf32>, tensor<128x16xf32>) -> tensor<128x16xf32>
  return %1, %2, %4 : tensor<2048x2048xf32>, tensor<2048x64xf32>, tensor<128x16xf32>
}

// -----

// A softmax over all keys and all queries has no dimension to go along.
// CHECK-LABEL: func.func @main(
// CHECK-NOT:     stablehlo.while
func.func @main(%q: tensor<2048x64xf32>, %k: tensor<2048x64xf32>) -> tensor<2048x64xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.dot_general %q, %k, contracting_dims = [1] x [1] : (tensor<2048x64xf32>, tensor<2048x64xf32>) -> tensor<2048x2048xf32>
  %1 = stablehlo.reduce(%0 init: %low) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<2048x2048xf32>, tensor<f32>) -> tensor<f32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<2048x2048xf32>
  %3 = stablehlo.subtract %0, %2 : tensor<2048x2048xf32>
  %4 = stablehlo.dot_general %3, %k, contracting_dims = [1] x [0] : (tensor<2048x2048xf32>, tensor<2048x64xf32>) -> tensor<2048x64xf32>
  return %4 : tensor<2048x64xf32>
}

// -----

// Complex numbers that are made of a square.
// CHECK-LABEL: func.func @main(
// CHECK:         stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>
// CHECK:         stablehlo.while
// CHECK-NOT:     tensor<2048x2048x
func.func @main(%q: tensor<2048x64xf32>, %k: tensor<2048x64xf32>) -> tensor<2048xcomplex<f32>> {
  %zero = stablehlo.constant dense<(0.0, 0.0)> : tensor<complex<f32>>
  %none = stablehlo.constant dense<0.0> : tensor<2048x2048xf32>
  %0 = stablehlo.dot_general %q, %k, contracting_dims = [1] x [1] : (tensor<2048x64xf32>, tensor<2048x64xf32>) -> tensor<2048x2048xf32>
  %1 = stablehlo.complex %none, %0 : tensor<2048x2048xcomplex<f32>>
  %2 = stablehlo.exponential %1 : tensor<2048x2048xcomplex<f32>>
  %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2048x2048xcomplex<f32>>, tensor<complex<f32>>) -> tensor<2048xcomplex<f32>>
  return %3 : tensor<2048xcomplex<f32>>
}
