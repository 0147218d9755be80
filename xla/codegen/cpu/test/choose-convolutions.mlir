// RUN: xla-opt %s --xla-cpu-choose --split-input-file | FileCheck %s

// Products of matrices, laid out by tiles of positions.
// CHECK-LABEL: func.func @main(
// CHECK: stablehlo.convolution{{.*}}xla_cpu.kernel = {loops = {grain = 1 : i64, order = "flat", shape = array<i64: 4>}, strategy = "implicit_gemm", terms = 144 : i64, tile = {{[0-9]+}} : i64}
func.func @main(%x: tensor<2x16x16x16xf32>, %y: tensor<3x3x16x16xf32>) -> tensor<2x16x16x16xf32> {
  %0 = stablehlo.convolution(%x, %y) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<2x16x16x16xf32>, tensor<3x3x16x16xf32>) -> tensor<2x16x16x16xf32>
  return %0 : tensor<2x16x16x16xf32>
}

// -----

// The sums of 16-bit floats are wide.
// CHECK-LABEL: func.func @main(
// CHECK: stablehlo.convolution{{.*}}xla_cpu.kernel = {loops = {grain = 1 : i64, order = "flat", shape = array<i64: 4>}, scratch = 32768 : i64, strategy = "implicit_gemm", terms = 144 : i64, tile = {{[0-9]+}} : i64}
func.func @main(%x: tensor<2x16x16x16xbf16>, %y: tensor<3x3x16x16xbf16>) -> tensor<2x16x16x16xbf16> {
  %0 = stablehlo.convolution(%x, %y) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<2x16x16x16xbf16>, tensor<3x3x16x16xbf16>) -> tensor<2x16x16x16xbf16>
  return %0 : tensor<2x16x16x16xbf16>
}

// -----

// Few features, positions side by side.
// CHECK-LABEL: func.func @main(
// CHECK: stablehlo.convolution{{.*}}xla_cpu.kernel = {loops = {order = "flat", shape = array<i64: 128>}, strategy = "position_rows"}
func.func @main(%x: tensor<2x1x64x64xf32>, %y: tensor<2x1x3x3xf32>) -> tensor<2x2x64x64xf32> {
  %0 = stablehlo.convolution(%x, %y) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [1, 1]]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<2x1x64x64xf32>, tensor<2x1x3x3xf32>) -> tensor<2x2x64x64xf32>
  return %0 : tensor<2x2x64x64xf32>
}

// -----

// One feature a group, groups side by side, holes between elements.
// CHECK-LABEL: func.func @main(
// CHECK: stablehlo.convolution{{.*}}xla_cpu.kernel = {loops = {grain = 10 : i64, order = "flat", shape = array<i64: 66>}, strategy = "lanes"}
func.func @main(%x: tensor<1x16x16x32xf32>, %y: tensor<5x5x1x32xf32>) -> tensor<1x33x33x32xf32> {
  %0 = stablehlo.convolution(%x, %y) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[3, 3], [3, 3]], lhs_dilate = [2, 2]}
    {batch_group_count = 1 : i64, feature_group_count = 32 : i64}
    : (tensor<1x16x16x32xf32>, tensor<5x5x1x32xf32>) -> tensor<1x33x33x32xf32>
  return %0 : tensor<1x33x33x32xf32>
}

// -----

// Narrow sums have memory of their own.
// CHECK-LABEL: func.func @main(
// CHECK: stablehlo.convolution{{.*}}xla_cpu.kernel = {loops = {order = "flat", shape = array<i64: 16>}, scratch = 256 : i64, strategy = "definition"}
func.func @main(%x: tensor<1x4x4x4xf8E4M3FN>, %y: tensor<3x3x4x4xf8E4M3FN>) -> tensor<1x4x4x4xf8E4M3FN> {
  %0 = stablehlo.convolution(%x, %y) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x4x4x4xf8E4M3FN>, tensor<3x3x4x4xf8E4M3FN>) -> tensor<1x4x4x4xf8E4M3FN>
  return %0 : tensor<1x4x4x4xf8E4M3FN>
}
