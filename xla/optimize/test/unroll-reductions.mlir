// RUN: xla-opt %s --xla-simplify-operations --split-input-file | FileCheck %s

// Whether all of a few bits are set, as of the parts of an index, is written out.

// CHECK-LABEL: func.func @main(
// CHECK-NOT:     stablehlo.reduce(
// CHECK:         stablehlo.compare GE, %{{.*}} : (tensor<9x1xi32>, tensor<9x1xi32>) -> tensor<9x1xi1>
// CHECK:         stablehlo.compare GE, %{{.*}} : (tensor<9x1xi32>, tensor<9x1xi32>) -> tensor<9x1xi1>
// CHECK:         stablehlo.and
func.func @main(%x: tensor<9x1xi32>, %y: tensor<9x1xi32>, %least: tensor<2xi32>) -> tensor<9xi1> {
  %true = stablehlo.constant dense<true> : tensor<i1>
  %both = stablehlo.concatenate %x, %y, dim = 1 : (tensor<9x1xi32>, tensor<9x1xi32>) -> tensor<9x2xi32>
  %bounds = stablehlo.broadcast_in_dim %least, dims = [1] : (tensor<2xi32>) -> tensor<9x2xi32>
  %inside = stablehlo.compare GE, %both, %bounds : (tensor<9x2xi32>, tensor<9x2xi32>) -> tensor<9x2xi1>
  %all = stablehlo.reduce(%inside init: %true) applies stablehlo.and across dimensions = [1] : (tensor<9x2xi1>, tensor<i1>) -> tensor<9xi1>
  return %all : tensor<9xi1>
}

// -----

// What the bits are computed from is written out no further than a few operations: each value is used twice here, so
// that all of it would be 2^64 operations.

// CHECK-LABEL: func.func @main(
// CHECK-NOT:     stablehlo.reduce(
// CHECK:         stablehlo.slice %{{.*}} : (tensor<9x2xf32>) -> tensor<9x1xf32>
func.func private @step(%x: tensor<9x2xf32>) -> tensor<9x2xf32> {
  %0 = stablehlo.multiply %x, %x : tensor<9x2xf32>
  return %0 : tensor<9x2xf32>
}
func.func private @steps(%x: tensor<9x2xf32>) -> tensor<9x2xf32> {
  %0 = func.call @step(%x) : (tensor<9x2xf32>) -> tensor<9x2xf32>
  %1 = func.call @step(%0) : (tensor<9x2xf32>) -> tensor<9x2xf32>
  %2 = func.call @step(%1) : (tensor<9x2xf32>) -> tensor<9x2xf32>
  %3 = func.call @step(%2) : (tensor<9x2xf32>) -> tensor<9x2xf32>
  return %3 : tensor<9x2xf32>
}
func.func private @many(%x: tensor<9x2xf32>) -> tensor<9x2xf32> {
  %0 = func.call @steps(%x) : (tensor<9x2xf32>) -> tensor<9x2xf32>
  %1 = func.call @steps(%0) : (tensor<9x2xf32>) -> tensor<9x2xf32>
  %2 = func.call @steps(%1) : (tensor<9x2xf32>) -> tensor<9x2xf32>
  %3 = func.call @steps(%2) : (tensor<9x2xf32>) -> tensor<9x2xf32>
  return %3 : tensor<9x2xf32>
}
func.func @main(%x: tensor<9x2xf32>) -> tensor<9xi1> {
  %true = stablehlo.constant dense<true> : tensor<i1>
  %0 = func.call @many(%x) : (tensor<9x2xf32>) -> tensor<9x2xf32>
  %1 = func.call @many(%0) : (tensor<9x2xf32>) -> tensor<9x2xf32>
  %2 = func.call @many(%1) : (tensor<9x2xf32>) -> tensor<9x2xf32>
  %3 = func.call @many(%2) : (tensor<9x2xf32>) -> tensor<9x2xf32>
  %set = stablehlo.compare GT, %3, %x : (tensor<9x2xf32>, tensor<9x2xf32>) -> tensor<9x2xi1>
  %all = stablehlo.reduce(%set init: %true) applies stablehlo.and across dimensions = [1] : (tensor<9x2xi1>, tensor<i1>) -> tensor<9xi1>
  return %all : tensor<9xi1>
}

// -----

// A sum of what is in memory is not, nor are many bits.

// CHECK-LABEL: func.func @main(
// CHECK:         stablehlo.reduce(
// CHECK:         stablehlo.reduce(
func.func @main(%x: tensor<9x2xf32>, %y: tensor<9x5xi1>) -> (tensor<9xf32>, tensor<9xi1>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %true = stablehlo.constant dense<true> : tensor<i1>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<9x2xf32>, tensor<f32>) -> tensor<9xf32>
  %1 = stablehlo.reduce(%y init: %true) applies stablehlo.and across dimensions = [1] : (tensor<9x5xi1>, tensor<i1>) -> tensor<9xi1>
  return %0, %1 : tensor<9xf32>, tensor<9xi1>
}

// -----

// Arrays stacked and then folded are folded one after the other; so is what is computed from them.

// CHECK-LABEL: func.func @main(
// CHECK-NOT:     stablehlo.concatenate
// CHECK-NOT:     stablehlo.reduce(
// CHECK:         stablehlo.multiply %{{.*}} : tensor<9x1xf32>
// CHECK:         stablehlo.multiply %{{.*}} : tensor<9x1xf32>
// CHECK:         return %{{.*}} : tensor<9xf32>
func.func @main(%x: tensor<9xf32>, %y: tensor<9xf32>) -> tensor<9xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reshape %x : (tensor<9xf32>) -> tensor<9x1xf32>
  %1 = stablehlo.reshape %y : (tensor<9xf32>) -> tensor<9x1xf32>
  %2 = stablehlo.concatenate %0, %1, dim = 1 : (tensor<9x1xf32>, tensor<9x1xf32>) -> tensor<9x2xf32>
  %3 = stablehlo.exponential %2 : tensor<9x2xf32>
  %two = stablehlo.constant dense<2.0> : tensor<f32>
  %twos = stablehlo.broadcast_in_dim %two, dims = [] : (tensor<f32>) -> tensor<9x2xf32>
  %4 = stablehlo.multiply %3, %twos : tensor<9x2xf32>
  %5 = stablehlo.reduce(%4 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<9x2xf32>, tensor<f32>) -> tensor<9xf32>
  return %5 : tensor<9xf32>
}

// -----

// 16 bits are rounded once.

// CHECK-LABEL: func.func @main(
// CHECK-NOT:     stablehlo.reduce(
// CHECK:         stablehlo.add %{{.*}} : tensor<9xf32>
// CHECK:         stablehlo.add %{{.*}} : tensor<9xf32>
// CHECK:         stablehlo.convert %{{.*}} : (tensor<9xf32>) -> tensor<9xbf16>
func.func @main(%x: tensor<9x1xbf16>, %y: tensor<9x1xbf16>) -> tensor<9xbf16> {
  %zero = stablehlo.constant dense<0.0> : tensor<bf16>
  %0 = stablehlo.concatenate %x, %y, dim = 1 : (tensor<9x1xbf16>, tensor<9x1xbf16>) -> tensor<9x2xbf16>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<9x2xbf16>, tensor<bf16>) -> tensor<9xbf16>
  return %1 : tensor<9xbf16>
}

// -----

// What another operation reads too is put together once and stays; so are longer pieces, and along other dimensions.

// CHECK-LABEL: func.func @main(
// CHECK-COUNT-3: stablehlo.reduce(
func.func @main(%x: tensor<9x1xf32>, %y: tensor<9x1xf32>, %z: tensor<9x3xf32>) -> (tensor<9x2xf32>, tensor<9xf32>, tensor<9xf32>, tensor<2xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.concatenate %x, %y, dim = 1 : (tensor<9x1xf32>, tensor<9x1xf32>) -> tensor<9x2xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<9x2xf32>, tensor<f32>) -> tensor<9xf32>
  %2 = stablehlo.concatenate %x, %z, dim = 1 : (tensor<9x1xf32>, tensor<9x3xf32>) -> tensor<9x4xf32>
  %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<9x4xf32>, tensor<f32>) -> tensor<9xf32>
  %4 = stablehlo.concatenate %y, %x, dim = 1 : (tensor<9x1xf32>, tensor<9x1xf32>) -> tensor<9x2xf32>
  %5 = stablehlo.reduce(%4 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<9x2xf32>, tensor<f32>) -> tensor<2xf32>
  return %0, %1, %3, %5 : tensor<9x2xf32>, tensor<9xf32>, tensor<9xf32>, tensor<2xf32>
}

// -----

// Dimensions of one element are folded by the operation itself.

// CHECK-LABEL: func.func @main(
// CHECK-NOT:     stablehlo.reduce(
// CHECK:         %[[X:.*]] = stablehlo.reshape %{{.*}} : (tensor<1x7x1xf32>) -> tensor<7xf32>
// CHECK:         stablehlo.add %{{.*}} : tensor<7xf32>
// CHECK-NOT:     stablehlo.reduce(
func.func @main(%x: tensor<1x7x1xf32>, %start: tensor<f32>) -> tensor<7xf32> {
  %0 = stablehlo.reduce(%x init: %start) applies stablehlo.add across dimensions = [0, 2] : (tensor<1x7x1xf32>, tensor<f32>) -> tensor<7xf32>
  return %0 : tensor<7xf32>
}

// -----

// So are those of several arrays, by the body.

// CHECK-LABEL: func.func @main(
// CHECK-NOT:     stablehlo.reduce(
// CHECK:         stablehlo.compare GT, {{.*}} : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
// CHECK:         stablehlo.select {{.*}} : tensor<7xi1>, tensor<7xi32>
// CHECK-NOT:     stablehlo.reduce(
func.func @main(%x: tensor<7x1xf32>, %i: tensor<7x1xi32>, %least: tensor<f32>, %none: tensor<i32>) -> (tensor<7xf32>, tensor<7xi32>) {
  %0:2 = stablehlo.reduce(%x init: %least), (%i init: %none) across dimensions = [1] : (tensor<7x1xf32>, tensor<7x1xi32>, tensor<f32>, tensor<i32>) -> (tensor<7xf32>, tensor<7xi32>)
  reducer(%a: tensor<f32>, %b: tensor<f32>) (%n: tensor<i32>, %m: tensor<i32>) {
    %1 = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %2 = stablehlo.select %1, %a, %b : tensor<i1>, tensor<f32>
    %3 = stablehlo.select %1, %n, %m : tensor<i1>, tensor<i32>
    stablehlo.return %2, %3 : tensor<f32>, tensor<i32>
  }
  return %0#0, %0#1 : tensor<7xf32>, tensor<7xi32>
}
