// RUN: xla-opt %s --xla-cpu-choose --split-input-file | FileCheck %s

// A handful of elements a result.
// CHECK-LABEL: func.func @main(
// CHECK: stablehlo.reduce{{.*}}xla_cpu.kernel = {loops = {order = "flat", shape = array<i64: 1000>}, strategy = "few"}
func.func @main(%x: tensor<1000x8xf32>) -> tensor<1000xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1]
    : (tensor<1000x8xf32>, tensor<f32>) -> tensor<1000xf32>
  return %0 : tensor<1000xf32>
}

// -----

// In line are as many neighbours as vectors are loaded of at once, within a
// line of the cache; all, if the results are neighbours.
// CHECK-LABEL: func.func @main(
// CHECK: stablehlo.reduce{{.*}}strategy = "rows"
// CHECK: stablehlo.reduce{{.*}}strategy = "rows"
// CHECK: stablehlo.reduce{{.*}}strategy = "few"
// CHECK: stablehlo.reduce{{.*}}strategy = "few"
func.func @main(%x: tensor<1000x9xf32>, %y: tensor<1000x8xf64>, %z: tensor<16x1000xf32>) -> (tensor<1000xf32>, tensor<1000xf64>, tensor<1000xf32>, tensor<9xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %wide = stablehlo.constant dense<0.0> : tensor<f64>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<1000x9xf32>, tensor<f32>) -> tensor<1000xf32>
  %1 = stablehlo.reduce(%y init: %wide) applies stablehlo.add across dimensions = [1] : (tensor<1000x8xf64>, tensor<f64>) -> tensor<1000xf64>
  %2 = stablehlo.reduce(%z init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<16x1000xf32>, tensor<f32>) -> tensor<1000xf32>
  %3 = stablehlo.slice %x [0:16, 0:9] : (tensor<1000x9xf32>) -> tensor<16x9xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<16x9xf32>, tensor<f32>) -> tensor<9xf32>
  return %0, %1, %2, %4 : tensor<1000xf32>, tensor<1000xf64>, tensor<1000xf32>, tensor<9xf32>
}

// -----

// The last dimension.
// CHECK-LABEL: func.func @main(
// CHECK: stablehlo.reduce{{.*}}xla_cpu.kernel = {loops = {order = "flat", shape = array<i64: 100>}, strategy = "rows"}
func.func @main(%x: tensor<100x1000xf32>) -> tensor<100xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1]
    : (tensor<100x1000xf32>, tensor<f32>) -> tensor<100xf32>
  return %0 : tensor<100xf32>
}

// -----

// The first one.
// CHECK-LABEL: func.func @main(
// CHECK: stablehlo.reduce{{.*}}xla_cpu.kernel = {loops = {order = "flat", shape = array<i64: 1>}, strategy = "columns", tile = 100 : i64}
func.func @main(%x: tensor<1000x100xf32>) -> tensor<100xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0]
    : (tensor<1000x100xf32>, tensor<f32>) -> tensor<100xf32>
  return %0 : tensor<100xf32>
}

// -----

// Sums of 16-bit floats stay in registers.
// CHECK-LABEL: func.func @main(
// CHECK: stablehlo.reduce{{.*}}xla_cpu.kernel = {loops = {order = "flat", shape = array<i64: 100>}, strategy = "rows"}
func.func @main(%x: tensor<1000x100xbf16>) -> tensor<100xbf16> {
  %zero = stablehlo.constant dense<0.0> : tensor<bf16>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0]
    : (tensor<1000x100xbf16>, tensor<bf16>) -> tensor<100xbf16>
  return %0 : tensor<100xbf16>
}

// -----

// Maxima of them are exact.
// CHECK-LABEL: func.func @main(
// CHECK: stablehlo.reduce{{.*}}xla_cpu.kernel = {loops = {order = "flat", shape = array<i64: 1>}, strategy = "columns", tile = 100 : i64}
func.func @main(%x: tensor<1000x100xbf16>) -> tensor<100xbf16> {
  %zero = stablehlo.constant dense<0.0> : tensor<bf16>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.maximum across dimensions = [0]
    : (tensor<1000x100xbf16>, tensor<bf16>) -> tensor<100xbf16>
  return %0 : tensor<100xbf16>
}

// -----

// Threads fold pieces of few long results.
// CHECK-LABEL: func.func @main(
// CHECK: stablehlo.reduce{{.*}}xla_cpu.kernel = {loops = {grain = 9 : i64, order = "flat", shape = array<i64: 512>}, partials = 256 : i64, scratch = 2048 : i64, strategy = "split_rows"}
func.func @main(%x: tensor<2x1000000xf32>) -> tensor<2xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1]
    : (tensor<2x1000000xf32>, tensor<f32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// Without results, there is nothing to do.
// CHECK-LABEL: func.func @main(
// CHECK: stablehlo.reduce{{.*}}xla_cpu.kernel = {strategy = "nothing"}
func.func @main(%x: tensor<0x8xf32>) -> tensor<0xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1]
    : (tensor<0x8xf32>, tensor<f32>) -> tensor<0xf32>
  return %0 : tensor<0xf32>
}

// -----

// Extremes of short lines stay in registers, some vectors of columns at a time;
// sums, and lines of more than half a page, are folded line by line.
// CHECK-LABEL: func.func @main(
// CHECK: stablehlo.reduce{{.*}}shape = array<i64: 20>{{.*}}strategy = "column_vectors"
// CHECK: stablehlo.reduce{{.*}}strategy = "columns"
// CHECK: stablehlo.reduce{{.*}}strategy = "columns"
func.func @main(%x: tensor<20x40x31xf32>, %y: tensor<40x600xf32>) -> (tensor<20x31xf32>, tensor<20x31xf32>, tensor<600xf32>) {
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %lowest) applies stablehlo.maximum across dimensions = [1] : (tensor<20x40x31xf32>, tensor<f32>) -> tensor<20x31xf32>
  %1 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<20x40x31xf32>, tensor<f32>) -> tensor<20x31xf32>
  %2 = stablehlo.reduce(%y init: %lowest) applies stablehlo.maximum across dimensions = [0] : (tensor<40x600xf32>, tensor<f32>) -> tensor<600xf32>
  return %0, %1, %2 : tensor<20x31xf32>, tensor<20x31xf32>, tensor<600xf32>
}

// -----

// Positions of extremes: of rows by lanes, of columns by the kernel form.
// CHECK-LABEL: func.func @main(
// CHECK: stablehlo.reduce{{.*}}strategy = "positions"
// CHECK: stablehlo.reduce{{.*}}strategy = "columns"
func.func @main(%x: tensor<100x1000xf32>) -> (tensor<100xi32>, tensor<1000xi32>) {
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %columns = stablehlo.iota dim = 1 : tensor<100x1000xi32>
  %rows = stablehlo.iota dim = 0 : tensor<100x1000xi32>
  %0:2 = stablehlo.reduce(%x init: %least), (%columns init: %zero) across dimensions = [1]
    : (tensor<100x1000xf32>, tensor<100x1000xi32>, tensor<f32>, tensor<i32>) -> (tensor<100xf32>, tensor<100xi32>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
      %greater = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %nan = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %wins = stablehlo.or %greater, %nan : tensor<i1>
      %equal = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %first = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %tie = stablehlo.and %equal, %first : tensor<i1>
      %here = stablehlo.or %wins, %tie : tensor<i1>
      %number = stablehlo.select %wins, %a, %b : tensor<i1>, tensor<f32>
      %position = stablehlo.select %here, %i, %j : tensor<i1>, tensor<i32>
      stablehlo.return %number, %position : tensor<f32>, tensor<i32>
    }
  %1:2 = stablehlo.reduce(%x init: %least), (%rows init: %zero) across dimensions = [0]
    : (tensor<100x1000xf32>, tensor<100x1000xi32>, tensor<f32>, tensor<i32>) -> (tensor<1000xf32>, tensor<1000xi32>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
      %greater = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %nan = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %wins = stablehlo.or %greater, %nan : tensor<i1>
      %equal = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %first = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %tie = stablehlo.and %equal, %first : tensor<i1>
      %here = stablehlo.or %wins, %tie : tensor<i1>
      %number = stablehlo.select %wins, %a, %b : tensor<i1>, tensor<f32>
      %position = stablehlo.select %here, %i, %j : tensor<i1>, tensor<i32>
      stablehlo.return %number, %position : tensor<f32>, tensor<i32>
    }
  return %0#1, %1#1 : tensor<100xi32>, tensor<1000xi32>
}

// -----

// Reductions go through the kernel form, which has no steps for a computation
// that branches.
// CHECK-LABEL: func.func @main(
// CHECK: stablehlo.reduce{{.*}}strategy = "in_order"
func.func @main(%x: tensor<1000x100xf32>) -> tensor<100xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) across dimensions = [0]
    : (tensor<1000x100xf32>, tensor<f32>) -> tensor<100xf32>
    reducer(%a: tensor<f32>, %b: tensor<f32>) {
      %less = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %1 = "stablehlo.if"(%less) ({
        %2 = stablehlo.multiply %a, %b : tensor<f32>
        stablehlo.return %2 : tensor<f32>
      }, {
        stablehlo.return %a : tensor<f32>
      }) : (tensor<i1>) -> tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }
  return %0 : tensor<100xf32>
}
