// RUN: xla-opt %s --xla-cpu-choose --split-input-file | FileCheck %s

// A window that reaches from one end is a running fold; four lines are folded
// at a time, and what is left by itself.
// CHECK-LABEL: func.func @main(
// CHECK: xla_cpu.kernel = {dimension = 1 : i64, loops = {order = "flat", shape = array<i64: 1>}, reversed = 0 : i64, strategy = "scan", together = 4 : i64}
func.func @main(%x: tensor<5x100xf32>) -> tensor<5x100xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %z) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {window_dimensions = array<i64: 1, 100>, padding = dense<[[0, 0], [99, 0]]> : tensor<2x2xi64>}
    : (tensor<5x100xf32>, tensor<f32>) -> tensor<5x100xf32>
  return %0 : tensor<5x100xf32>
}

// -----

// Long windows of one dimension are put together from shorter ones.
// CHECK-LABEL: func.func @main(
// CHECK: xla_cpu.kernel = {along = 0 : i64, length = {{[0-9]+}} : i64, loops = {order = "flat", shape = array<i64: {{[0-9]+}}>}, side = 1 : i64, strategy = "sliding_fold"}
func.func @main(%x: tensor<1000xf32>) -> tensor<901xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %z) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {window_dimensions = array<i64: 100>} : (tensor<1000xf32>, tensor<f32>) -> tensor<901xf32>
  return %0 : tensor<901xf32>
}

// -----

// All others, by whole vectors where windows are side by side: cut where they
// begin and cease to be within the operand whole.
// CHECK-LABEL: func.func @main(
// CHECK: xla_cpu.kernel = {loops = {breaks = array<i64: 1, 39>, order = "lanes", shape = array<i64: 40, 40>}, strategy = "each_window"}
func.func @main(%x: tensor<40x40xf32>) -> tensor<40x40xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %z) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {window_dimensions = array<i64: 3, 3>, padding = dense<1> : tensor<2x2xi64>}
    : (tensor<40x40xf32>, tensor<f32>) -> tensor<40x40xf32>
  return %0 : tensor<40x40xf32>
}

// -----

// Many pieces are written one by one; many narrow ones for some rows at a time.
// CHECK-LABEL: func.func @main(
// CHECK: stablehlo.concatenate {{.*}}xla_cpu.kernel = {strategy = "pieces"}
// CHECK: stablehlo.concatenate {{.*}}xla_cpu.kernel = {rows = 10000 : i64, strategy = "row_blocks", together = {{[0-9]+}} : i64, width = 13 : i64}
func.func @main(%x: tensor<10xf32>, %y: tensor<10000x1xf32>) -> (tensor<130xf32>, tensor<10000x13xf32>) {
  %0 = stablehlo.concatenate %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, dim = 0
    : (tensor<10xf32>, tensor<10xf32>, tensor<10xf32>, tensor<10xf32>, tensor<10xf32>, tensor<10xf32>, tensor<10xf32>, tensor<10xf32>, tensor<10xf32>, tensor<10xf32>, tensor<10xf32>, tensor<10xf32>, tensor<10xf32>) -> tensor<130xf32>
  %1 = stablehlo.concatenate %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, dim = 1
    : (tensor<10000x1xf32>, tensor<10000x1xf32>, tensor<10000x1xf32>, tensor<10000x1xf32>, tensor<10000x1xf32>, tensor<10000x1xf32>, tensor<10000x1xf32>, tensor<10000x1xf32>, tensor<10000x1xf32>, tensor<10000x1xf32>, tensor<10000x1xf32>, tensor<10000x1xf32>, tensor<10000x1xf32>) -> tensor<10000x13xf32>
  return %0, %1 : tensor<130xf32>, tensor<10000x13xf32>
}

// -----

// Windows that do not meet are written whole; small ones that meet are gathered,
// with a byte for what each of them selects.
// CHECK-LABEL: func.func @main(
// CHECK: xla_cpu.kernel = {loops = {order = "lines", shape = array<i64: 20, 20>}, strategy = "whole_windows"}
// CHECK: xla_cpu.kernel = {loops = {order = "lanes", shape = array<i64: 38, 38>}, scratch = 1444 : i64, strategy = "gathered_windows"}
func.func @main(%x: tensor<40x40xf32>, %s: tensor<20x20xf32>, %t: tensor<38x38xf32>) -> (tensor<40x40xf32>, tensor<40x40xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.select_and_scatter"(%x, %s, %z) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %2 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %2 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) {window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}
    : (tensor<40x40xf32>, tensor<20x20xf32>, tensor<f32>) -> tensor<40x40xf32>
  %1 = "stablehlo.select_and_scatter"(%x, %t, %z) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %2 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %2 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) {window_dimensions = array<i64: 3, 3>}
    : (tensor<40x40xf32>, tensor<38x38xf32>, tensor<f32>) -> tensor<40x40xf32>
  return %0, %1 : tensor<40x40xf32>, tensor<40x40xf32>
}

// -----

// Three lines are folded one after the other.
// CHECK-LABEL: func.func @main(
// CHECK: xla_cpu.kernel = {dimension = 1 : i64, loops = {order = "flat", shape = array<i64: 3, 1>}, reversed = 0 : i64, strategy = "scan"}
func.func @main(%x: tensor<3x100xf32>) -> tensor<3x100xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %z) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {window_dimensions = array<i64: 1, 100>, padding = dense<[[0, 0], [99, 0]]> : tensor<2x2xi64>}
    : (tensor<3x100xf32>, tensor<f32>) -> tensor<3x100xf32>
  return %0 : tensor<3x100xf32>
}

// -----

// Running folds: whole lines at a time, but along the last dimension; a few
// elements are written out.
// CHECK-LABEL: func.func @main(
// CHECK: columns = 60 : i64, dimension = 0 : i64{{.*}}strategy = "scan_lines"
// CHECK: dimension = 2 : i64{{.*}}strategy = "scan", written_out = 1 : i64
func.func @main(%x: tensor<9x20x3xf32>) -> (tensor<9x20x3xf32>, tensor<9x20x3xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %zero) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {window_dimensions = array<i64: 9, 1, 1>, padding = dense<[[8, 0], [0, 0], [0, 0]]> : tensor<3x2xi64>} : (tensor<9x20x3xf32>, tensor<f32>) -> tensor<9x20x3xf32>
  %1 = "stablehlo.reduce_window"(%x, %zero) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {window_dimensions = array<i64: 1, 1, 3>, padding = dense<[[0, 0], [0, 0], [2, 0]]> : tensor<3x2xi64>} : (tensor<9x20x3xf32>, tensor<f32>) -> tensor<9x20x3xf32>
  return %0, %1 : tensor<9x20x3xf32>, tensor<9x20x3xf32>
}
