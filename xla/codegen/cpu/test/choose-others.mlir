// RUN: xla-opt %s --xla-cpu-choose --split-input-file | FileCheck %s

// An order that the runtime knows; one long slice has scratch memory.
// CHECK-LABEL: func.func @main(
// CHECK: xla_cpu.kernel = {entry = "xla_sort_f32_total", scratch = {{[0-9]+}} : i64, strategy = "keys"}
func.func @main(%x: tensor<100000xf32>) -> tensor<100000xf32> {
  %0 = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<100000xf32>) -> tensor<100000xf32>
  return %0 : tensor<100000xf32>
}

// -----

// Any other.
// CHECK-LABEL: func.func @main(
// CHECK: xla_cpu.kernel = {entry = "xla_sort", strategy = "comparator"}
func.func @main(%x: tensor<100xf32>) -> tensor<100xf32> {
  %0 = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.multiply %a, %a : tensor<f32>
    %2 = stablehlo.compare LT, %1, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<100xf32>) -> tensor<100xf32>
  return %0 : tensor<100xf32>
}

// -----

// A transform is the runtime's.
// CHECK-LABEL: func.func @main(
// CHECK: stablehlo.fft {{.*}}xla_cpu.kernel = {entry = "xla_fft"{{.*}}strategy = "transform"}
func.func @main(%x: tensor<10x1000xcomplex<f32>>) -> tensor<10x1000xcomplex<f32>> {
  %0 = stablehlo.fft %x, type = FFT, length = [1000]
    : (tensor<10x1000xcomplex<f32>>) -> tensor<10x1000xcomplex<f32>>
  return %0 : tensor<10x1000xcomplex<f32>>
}

// -----

// Many updates of few elements are folded apart.
// CHECK-LABEL: func.func @main(
// CHECK: xla_cpu.kernel = {loops = {grain = 1 : i64, order = "flat", shape = array<i64: 8>}, partials = 8 : i64, scratch = 256 : i64, strategy = "partials"}
func.func @main(%x: tensor<8xf32>, %i: tensor<100000x1xi32>, %u: tensor<100000xf32>) -> tensor<8xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0],
        scatter_dims_to_operand_dims = [0], index_vector_dim = 1>,
      indices_are_sorted = false, unique_indices = false}
    : (tensor<8xf32>, tensor<100000x1xi32>, tensor<100000xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// What one fold reads is computed there.
// CHECK-LABEL: func.func @main(
// CHECK: stablehlo.multiply {{.*}}xla_cpu.form = "inline"
// CHECK: stablehlo.exponential {{.*}}xla_cpu.form = "inline"
// CHECK: stablehlo.reduce{{.*}}strategy = "rows"
func.func @main(%x: tensor<64x1000xf32>, %y: tensor<64x1000xf32>) -> tensor<64xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.multiply %x, %y : tensor<64x1000xf32>
  %1 = stablehlo.exponential %0 : tensor<64x1000xf32>
  %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [1]
    : (tensor<64x1000xf32>, tensor<f32>) -> tensor<64xf32>
  return %2 : tensor<64xf32>
}
