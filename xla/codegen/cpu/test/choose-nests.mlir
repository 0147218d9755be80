// RUN: xla-opt %s --xla-cpu-choose --split-input-file | FileCheck %s

// What all arrays have at the same row-major number is one loop, which threads
// share.
// CHECK-LABEL: func.func @main(
// CHECK: stablehlo.add {{.*}}xla_cpu.kernel = {loops = {grain = {{[0-9]+}} : i64, order = "flat", shape = array<i64: 1000, 1000>}, strategy = "loop_nest"}
func.func @main(%x: tensor<1000x1000xf32>) -> tensor<1000x1000xf32> {
  %0 = stablehlo.add %x, %x : tensor<1000x1000xf32>
  return %0 : tensor<1000x1000xf32>
}

// -----

// A scale per channel distinguishes three dimensions: the last two are one
// loop.
// CHECK-LABEL: func.func @main(
// CHECK: stablehlo.multiply {{.*}}loops = {order = "lines", shape = array<i64: 2, 3, 1, 256>}
func.func @main(%x: tensor<2x3x16x16xf32>, %s: tensor<3xf32>) -> tensor<2x3x16x16xf32> {
  %0 = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<3xf32>) -> tensor<2x3x16x16xf32>
  %1 = stablehlo.multiply %x, %0 : tensor<2x3x16x16xf32>
  return %1 : tensor<2x3x16x16xf32>
}

// -----

// Behind padding, lines are cut once more where vectors fill lines of the cache.
// CHECK-LABEL: func.func @main(
// CHECK: stablehlo.pad {{.*}}loops = {breaks = array<i64: 1, 16, 1022>, {{.*}}shape = array<i64: 30, 1024>}
func.func @main(%x: tensor<30x1021xf32>) -> tensor<30x1024xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.pad %x, %z, low = [0, 1], high = [0, 2], interior = [0, 0]
    : (tensor<30x1021xf32>, tensor<f32>) -> tensor<30x1024xf32>
  return %0 : tensor<30x1024xf32>
}

// -----

// The loop is cut where the padding begins and ends.
// CHECK-LABEL: func.func @main(
// CHECK: stablehlo.pad {{.*}}loops = {breaks = array<i64: 2, 102>, order = "lines", shape = array<i64: 30, 105>}
func.func @main(%x: tensor<30x100xf32>) -> tensor<30x105xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.pad %x, %z, low = [0, 2], high = [0, 3], interior = [0, 0]
    : (tensor<30x100xf32>, tensor<f32>) -> tensor<30x105xf32>
  return %0 : tensor<30x105xf32>
}

// -----

// Short lines that fill no vectors are written out.
// CHECK-LABEL: func.func @main(
// CHECK: stablehlo.multiply {{.*}}loops = {order = "flat", shape = array<i64: 1000, 3>, written_out = 1 : i64}
func.func @main(%x: tensor<1000x3xf32>, %s: tensor<3xf32>) -> tensor<1000x3xf32> {
  %0 = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<3xf32>) -> tensor<1000x3xf32>
  %1 = stablehlo.multiply %x, %0 : tensor<1000x3xf32>
  return %1 : tensor<1000x3xf32>
}

// -----

// A few long lines are cut for the threads.
// CHECK-LABEL: func.func @main(
// CHECK: stablehlo.multiply {{.*}}loops = {block = 4096 : i64, grain = {{[0-9]+}} : i64, order = "lines", shape = array<i64: 3, 1000000>}
func.func @main(%x: tensor<3x1000000xf32>, %s: tensor<3xf32>) -> tensor<3x1000000xf32> {
  %0 = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<3xf32>) -> tensor<3x1000000xf32>
  %1 = stablehlo.multiply %x, %0 : tensor<3x1000000xf32>
  return %1 : tensor<3x1000000xf32>
}

// -----

// What is read across its lines goes by tiles.
// CHECK-LABEL: func.func @main(
// CHECK: stablehlo.add {{.*}}xla_cpu.kernel = {across = 0 : i64, height = 16 : i64, loops = {order = "flat", shape = array<i64: 7, 1>}, strategy = "tiles", width = 64 : i64}
func.func @main(%x: tensor<64x100xf32>, %y: tensor<100x64xf32>) -> tensor<100x64xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<64x100xf32>) -> tensor<100x64xf32>
  %1 = stablehlo.add %0, %y : tensor<100x64xf32>
  return %1 : tensor<100x64xf32>
}

// -----

// A handful of elements in a loop of the program has no loop of its own; more
// of them may be emitted in two forms.
// CHECK-LABEL: func.func @main(
// CHECK: stablehlo.multiply {{.*}}xla_cpu.kernel = {forms = 2 : i64, loops = {order = "flat", shape = array<i64: 1024>}, strategy = "loop_nest"}
// CHECK: stablehlo.add {{.*}}xla_cpu.kernel = {loops = {order = "flat_elements", shape = array<i64: 4>}, strategy = "loop_nest"}
func.func @main(%x: tensor<1024xf32>, %y: tensor<4xf32>, %n: tensor<i32>) -> (tensor<1024xf32>, tensor<4xf32>) {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:3 = stablehlo.while(%i = %z, %a = %x, %b = %y) : tensor<i32>, tensor<1024xf32>, tensor<4xf32>
  cond {
    %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.add %i, %one : tensor<i32>
    %2 = stablehlo.multiply %a, %a : tensor<1024xf32>
    %3 = stablehlo.add %b, %b : tensor<4xf32>
    stablehlo.return %1, %2, %3 : tensor<i32>, tensor<1024xf32>, tensor<4xf32>
  }
  return %0#1, %0#2 : tensor<1024xf32>, tensor<4xf32>
}

// -----

// An update's loops go over what is written.
// CHECK-LABEL: func.func @main(
// CHECK: stablehlo.dynamic_update_slice {{.*}}xla_cpu.kernel = {loops = {order = "flat", shape = array<i64: 100>}, strategy = "loop_nest"}
func.func @main(%x: tensor<1000xf32>, %u: tensor<100xf32>, %i: tensor<i32>) -> tensor<1000xf32> {
  %0 = stablehlo.dynamic_update_slice %x, %u, %i
    : (tensor<1000xf32>, tensor<100xf32>, tensor<i32>) -> tensor<1000xf32>
  return %0 : tensor<1000xf32>
}

// -----

// Loops of a reduction: over its results.
// CHECK-LABEL: func.func @main(
// CHECK: stablehlo.reduce{{.*}}xla_cpu.kernel = {loops = {grain = {{[0-9]+}} : i64, order = "flat", shape = array<i64: 1000>}, strategy = "rows"}
func.func @main(%x: tensor<1000x1000xf32>) -> tensor<1000xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1]
    : (tensor<1000x1000xf32>, tensor<f32>) -> tensor<1000xf32>
  return %0 : tensor<1000xf32>
}
