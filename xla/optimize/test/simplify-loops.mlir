// RUN: xla-opt %s --xla-simplify-loops --split-input-file | FileCheck %s

// The weights are read from outside, the unused count goes, and the product of
// what does not change is computed once.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[W:.*]]: tensor<4x4xf32>, %[[X:.*]]: tensor<4xf32>)
// CHECK:         %[[SQUARE:.*]] = stablehlo.dot_general %[[W]], %[[W]]
// CHECK:         stablehlo.while({{.*}}) : tensor<i32>, tensor<4xf32>
// CHECK:         do {
// CHECK-NOT:       stablehlo.dot_general %[[W]], %[[W]]
// CHECK:           stablehlo.dot_general %{{.*}}, %[[SQUARE]]
// CHECK-NOT:       tensor<i64>
// CHECK:           stablehlo.return
func.func @main(%w: tensor<4x4xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %start = stablehlo.constant dense<0> : tensor<i32>
  %unused = stablehlo.constant dense<0> : tensor<i64>
  %0:4 = stablehlo.while(%i = %start, %v = %x, %m = %w, %n = %unused) : tensor<i32>, tensor<4xf32>, tensor<4x4xf32>, tensor<i64>
  cond {
    %end = stablehlo.constant dense<10> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %end, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.add %i, %one : tensor<i32>
    %2 = stablehlo.dot_general %m, %m, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %3 = stablehlo.dot_general %v, %2, contracting_dims = [0] x [0] : (tensor<4xf32>, tensor<4x4xf32>) -> tensor<4xf32>
    %other = stablehlo.constant dense<3> : tensor<i64>
    stablehlo.return %1, %3, %m, %other : tensor<i32>, tensor<4xf32>, tensor<4x4xf32>, tensor<i64>
  }
  return %0#1 : tensor<4xf32>
}

// -----

// What is read stays: the carry that changes over is none that stays the same.

// CHECK-LABEL: func.func @main(
// CHECK:         stablehlo.while({{.*}}) : tensor<i32>, tensor<f32>, tensor<f32>
func.func @main(%x: tensor<f32>, %y: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %start = stablehlo.constant dense<0> : tensor<i32>
  %0:3 = stablehlo.while(%i = %start, %a = %x, %b = %y) : tensor<i32>, tensor<f32>, tensor<f32>
  cond {
    %end = stablehlo.constant dense<3> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %end, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %1, %b, %a : tensor<i32>, tensor<f32>, tensor<f32>
  }
  return %0#1, %0#2 : tensor<f32>, tensor<f32>
}

// -----

// A carry that takes another's unchanged value has that from outside from its
// second round on; carries that only feed each other go, however many.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:.*]]: tensor<f32>, %[[Y:.*]]: tensor<f32>)
// CHECK:         stablehlo.while({{.*}}) : tensor<i32>, tensor<f32>{{$}}
// CHECK:           stablehlo.return %{{.*}}, %[[X]] : tensor<i32>, tensor<f32>
func.func @main(%x: tensor<f32>, %y: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %start = stablehlo.constant dense<0> : tensor<i32>
  %0:6 = stablehlo.while(%i = %start, %a = %x, %b = %y, %c = %y, %d = %y, %e = %y) : tensor<i32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
  cond {
    %end = stablehlo.constant dense<3> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %end, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %1, %a, %a, %b, %c, %d : tensor<i32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
  }
  return %0#1, %0#2 : tensor<f32>, tensor<f32>
}

// -----

// What is computed of the weights by elementary functions is the same always:
// the last array of it is computed once. A sum stays, and so does what would be
// larger than what it is computed from.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[W:.*]]: tensor<64xf32>, %[[X:.*]]: tensor<64xf32>)
// CHECK:         %[[SINE:.*]] = stablehlo.sine %[[W]]
// CHECK:         %[[HALF:.*]] = stablehlo.multiply %[[SINE]]
// CHECK:         stablehlo.while
// CHECK:         do {
// CHECK-NOT:       stablehlo.sine
// CHECK:           stablehlo.add %[[W]], %[[W]]
// CHECK:           stablehlo.broadcast_in_dim %[[HALF]]
// CHECK:           stablehlo.return
func.func @main(%w: tensor<64xf32>, %x: tensor<64xf32>) -> tensor<64xf32> {
  %start = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %start, %v = %x) : tensor<i32>, tensor<64xf32>
  cond {
    %end = stablehlo.constant dense<10> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %end, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.add %i, %one : tensor<i32>
    %sine = stablehlo.sine %w : tensor<64xf32>
    %half = stablehlo.multiply %sine, %w : tensor<64xf32>
    %twice = stablehlo.add %w, %w : tensor<64xf32>
    %lines = stablehlo.broadcast_in_dim %half, dims = [1] : (tensor<64xf32>) -> tensor<32x64xf32>
    %line = "stablehlo.dynamic_slice"(%lines, %i, %i) <{slice_sizes = array<i64: 1, 64>}> : (tensor<32x64xf32>, tensor<i32>, tensor<i32>) -> tensor<1x64xf32>
    %here = stablehlo.reshape %line : (tensor<1x64xf32>) -> tensor<64xf32>
    %2 = stablehlo.multiply %v, %twice : tensor<64xf32>
    %3 = stablehlo.add %2, %here : tensor<64xf32>
    stablehlo.return %1, %3 : tensor<i32>, tensor<64xf32>
  }
  return %0#1 : tensor<64xf32>
}
