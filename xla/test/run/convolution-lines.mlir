// RUN: xla-run %s --backend=reference | FileCheck %s
// RUN: xla-run %s --backend=native | FileCheck %s

// Convolutions along lines of the input.
func.func @main() -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  // Spatial dimensions last, zeros around: lines of the input.
  %x0i = stablehlo.iota dim = 0 : tensor<2652xi32>
  %x0m = stablehlo.constant dense<7> : tensor<2652xi32>
  %x0r = stablehlo.remainder %x0i, %x0m : tensor<2652xi32>
  %x0o = stablehlo.constant dense<3> : tensor<2652xi32>
  %x0s = stablehlo.subtract %x0r, %x0o : tensor<2652xi32>
  %x0f = stablehlo.convert %x0s : (tensor<2652xi32>) -> tensor<2652xf32>
  %x0 = stablehlo.reshape %x0f : (tensor<2652xf32>) -> tensor<2x6x13x17xf32>
  %w0i = stablehlo.iota dim = 0 : tensor<540xi32>
  %w0m = stablehlo.constant dense<5> : tensor<540xi32>
  %w0r = stablehlo.remainder %w0i, %w0m : tensor<540xi32>
  %w0o = stablehlo.constant dense<2> : tensor<540xi32>
  %w0s = stablehlo.subtract %w0r, %w0o : tensor<540xi32>
  %w0f = stablehlo.convert %w0s : (tensor<540xi32>) -> tensor<540xf32>
  %w0 = stablehlo.reshape %w0f : (tensor<540xf32>) -> tensor<10x6x3x3xf32>
  %y0 = stablehlo.convolution(%x0, %w0) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x6x13x17xf32>, tensor<10x6x3x3xf32>) -> tensor<2x10x13x17xf32>
  %flat0 = stablehlo.reshape %y0 : (tensor<2x10x13x17xf32>) -> tensor<4420xf32>
  %int0 = stablehlo.convert %flat0 : (tensor<4420xf32>) -> tensor<4420xi32>
  %iota0 = stablehlo.iota dim = 0 : tensor<4420xi32>
  %weighted0 = stablehlo.multiply %int0, %iota0 : tensor<4420xi32>
  // CHECK: s32[] -15470
  %sum0 = stablehlo.reduce(%weighted0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4420xi32>, tensor<i32>) -> tensor<i32>

  // The same with strides and gaps, elements taken away.
  %x1i = stablehlo.iota dim = 0 : tensor<3300xi32>
  %x1m = stablehlo.constant dense<7> : tensor<3300xi32>
  %x1r = stablehlo.remainder %x1i, %x1m : tensor<3300xi32>
  %x1o = stablehlo.constant dense<3> : tensor<3300xi32>
  %x1s = stablehlo.subtract %x1r, %x1o : tensor<3300xi32>
  %x1f = stablehlo.convert %x1s : (tensor<3300xi32>) -> tensor<3300xf32>
  %x1 = stablehlo.reshape %x1f : (tensor<3300xf32>) -> tensor<1x5x20x33xf32>
  %w1i = stablehlo.iota dim = 0 : tensor<405xi32>
  %w1m = stablehlo.constant dense<5> : tensor<405xi32>
  %w1r = stablehlo.remainder %w1i, %w1m : tensor<405xi32>
  %w1o = stablehlo.constant dense<2> : tensor<405xi32>
  %w1s = stablehlo.subtract %w1r, %w1o : tensor<405xi32>
  %w1f = stablehlo.convert %w1s : (tensor<405xi32>) -> tensor<405xf32>
  %w1 = stablehlo.reshape %w1f : (tensor<405xf32>) -> tensor<9x5x3x3xf32>
  %y1 = stablehlo.convolution(%x1, %w1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [2, 2], pad = [[2, 1], [-1, 3]], lhs_dilate = [1, 1], rhs_dilate = [1, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x5x20x33xf32>, tensor<9x5x3x3xf32>) -> tensor<1x9x11x16xf32>
  %flat1 = stablehlo.reshape %y1 : (tensor<1x9x11x16xf32>) -> tensor<1584xf32>
  %int1 = stablehlo.convert %flat1 : (tensor<1584xf32>) -> tensor<1584xi32>
  %iota1 = stablehlo.iota dim = 0 : tensor<1584xi32>
  %weighted1 = stablehlo.multiply %int1, %iota1 : tensor<1584xi32>
  // CHECK: s32[] -62046
  %sum1 = stablehlo.reduce(%weighted1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<1584xi32>, tensor<i32>) -> tensor<i32>

  // The gradient by the input: a kernel that has to be copied.
  %x2i = stablehlo.iota dim = 0 : tensor<2160xi32>
  %x2m = stablehlo.constant dense<7> : tensor<2160xi32>
  %x2r = stablehlo.remainder %x2i, %x2m : tensor<2160xi32>
  %x2o = stablehlo.constant dense<3> : tensor<2160xi32>
  %x2s = stablehlo.subtract %x2r, %x2o : tensor<2160xi32>
  %x2f = stablehlo.convert %x2s : (tensor<2160xi32>) -> tensor<2160xbf16>
  %x2 = stablehlo.reshape %x2f : (tensor<2160xbf16>) -> tensor<2x12x9x10xbf16>
  %w2i = stablehlo.iota dim = 0 : tensor<756xi32>
  %w2m = stablehlo.constant dense<5> : tensor<756xi32>
  %w2r = stablehlo.remainder %w2i, %w2m : tensor<756xi32>
  %w2o = stablehlo.constant dense<2> : tensor<756xi32>
  %w2s = stablehlo.subtract %w2r, %w2o : tensor<756xi32>
  %w2f = stablehlo.convert %w2s : (tensor<756xi32>) -> tensor<756xbf16>
  %w2 = stablehlo.reshape %w2f : (tensor<756xbf16>) -> tensor<12x7x3x3xbf16>
  %y2 = stablehlo.convolution(%x2, %w2) dim_numbers = [b, f, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [true, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x12x9x10xbf16>, tensor<12x7x3x3xbf16>) -> tensor<2x7x9x10xbf16>
  %flat2 = stablehlo.reshape %y2 : (tensor<2x7x9x10xbf16>) -> tensor<1260xbf16>
  %int2 = stablehlo.convert %flat2 : (tensor<1260xbf16>) -> tensor<1260xi32>
  %iota2 = stablehlo.iota dim = 0 : tensor<1260xi32>
  %weighted2 = stablehlo.multiply %int2, %iota2 : tensor<1260xi32>
  // CHECK: s32[] -6092
  %sum2 = stablehlo.reduce(%weighted2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<1260xi32>, tensor<i32>) -> tensor<i32>

  // Groups of many features, lines in parts.
  %x3i = stablehlo.iota dim = 0 : tensor<5424xi32>
  %x3m = stablehlo.constant dense<7> : tensor<5424xi32>
  %x3r = stablehlo.remainder %x3i, %x3m : tensor<5424xi32>
  %x3o = stablehlo.constant dense<3> : tensor<5424xi32>
  %x3s = stablehlo.subtract %x3r, %x3o : tensor<5424xi32>
  %x3f = stablehlo.convert %x3s : (tensor<5424xi32>) -> tensor<5424xf32>
  %x3 = stablehlo.reshape %x3f : (tensor<5424xf32>) -> tensor<1x8x3x226xf32>
  %w3i = stablehlo.iota dim = 0 : tensor<576xi32>
  %w3m = stablehlo.constant dense<5> : tensor<576xi32>
  %w3r = stablehlo.remainder %w3i, %w3m : tensor<576xi32>
  %w3o = stablehlo.constant dense<2> : tensor<576xi32>
  %w3s = stablehlo.subtract %w3r, %w3o : tensor<576xi32>
  %w3f = stablehlo.convert %w3s : (tensor<576xi32>) -> tensor<576xf32>
  %w3 = stablehlo.reshape %w3f : (tensor<576xf32>) -> tensor<16x4x3x3xf32>
  %y3 = stablehlo.convolution(%x3, %w3) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<1x8x3x226xf32>, tensor<16x4x3x3xf32>) -> tensor<1x16x3x226xf32>
  %flat3 = stablehlo.reshape %y3 : (tensor<1x16x3x226xf32>) -> tensor<10848xf32>
  %int3 = stablehlo.convert %flat3 : (tensor<10848xf32>) -> tensor<10848xi32>
  %iota3 = stablehlo.iota dim = 0 : tensor<10848xi32>
  %weighted3 = stablehlo.multiply %int3, %iota3 : tensor<10848xi32>
  // CHECK: s32[] -49345
  %sum3 = stablehlo.reduce(%weighted3 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<10848xi32>, tensor<i32>) -> tensor<i32>

  // Two features, by rows.
  %x4i = stablehlo.iota dim = 0 : tensor<1638xi32>
  %x4m = stablehlo.constant dense<7> : tensor<1638xi32>
  %x4r = stablehlo.remainder %x4i, %x4m : tensor<1638xi32>
  %x4o = stablehlo.constant dense<3> : tensor<1638xi32>
  %x4s = stablehlo.subtract %x4r, %x4o : tensor<1638xi32>
  %x4f = stablehlo.convert %x4s : (tensor<1638xi32>) -> tensor<1638xf32>
  %x4 = stablehlo.reshape %x4f : (tensor<1638xf32>) -> tensor<2x7x9x13xf32>
  %w4i = stablehlo.iota dim = 0 : tensor<126xi32>
  %w4m = stablehlo.constant dense<5> : tensor<126xi32>
  %w4r = stablehlo.remainder %w4i, %w4m : tensor<126xi32>
  %w4o = stablehlo.constant dense<2> : tensor<126xi32>
  %w4s = stablehlo.subtract %w4r, %w4o : tensor<126xi32>
  %w4f = stablehlo.convert %w4s : (tensor<126xi32>) -> tensor<126xf32>
  %w4 = stablehlo.reshape %w4f : (tensor<126xf32>) -> tensor<2x7x3x3xf32>
  %y4 = stablehlo.convolution(%x4, %w4) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x7x9x13xf32>, tensor<2x7x3x3xf32>) -> tensor<2x2x9x13xf32>
  %flat4 = stablehlo.reshape %y4 : (tensor<2x2x9x13xf32>) -> tensor<468xf32>
  %int4 = stablehlo.convert %flat4 : (tensor<468xf32>) -> tensor<468xi32>
  %iota4 = stablehlo.iota dim = 0 : tensor<468xi32>
  %weighted4 = stablehlo.multiply %int4, %iota4 : tensor<468xi32>
  // CHECK: s32[] -8774
  %sum4 = stablehlo.reduce(%weighted4 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<468xi32>, tensor<i32>) -> tensor<i32>

  // The gradient by the kernel of few features, stride two.
  %x5i = stablehlo.iota dim = 0 : tensor<3456xi32>
  %x5m = stablehlo.constant dense<7> : tensor<3456xi32>
  %x5r = stablehlo.remainder %x5i, %x5m : tensor<3456xi32>
  %x5o = stablehlo.constant dense<3> : tensor<3456xi32>
  %x5s = stablehlo.subtract %x5r, %x5o : tensor<3456xi32>
  %x5f = stablehlo.convert %x5s : (tensor<3456xi32>) -> tensor<3456xf32>
  %x5 = stablehlo.reshape %x5f : (tensor<3456xf32>) -> tensor<2x3x24x24xf32>
  %w5i = stablehlo.iota dim = 0 : tensor<4608xi32>
  %w5m = stablehlo.constant dense<5> : tensor<4608xi32>
  %w5r = stablehlo.remainder %w5i, %w5m : tensor<4608xi32>
  %w5o = stablehlo.constant dense<2> : tensor<4608xi32>
  %w5s = stablehlo.subtract %w5r, %w5o : tensor<4608xi32>
  %w5f = stablehlo.convert %w5s : (tensor<4608xi32>) -> tensor<4608xf32>
  %w5 = stablehlo.reshape %w5f : (tensor<4608xf32>) -> tensor<2x16x12x12xf32>
  %y5 = stablehlo.convolution(%x5, %w5) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1], window = {stride = [1, 1], pad = [[2, 3], [2, 3]], lhs_dilate = [1, 1], rhs_dilate = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3x24x24xf32>, tensor<2x16x12x12xf32>) -> tensor<16x3x7x7xf32>
  %flat5 = stablehlo.reshape %y5 : (tensor<16x3x7x7xf32>) -> tensor<2352xf32>
  %int5 = stablehlo.convert %flat5 : (tensor<2352xf32>) -> tensor<2352xi32>
  %iota5 = stablehlo.iota dim = 0 : tensor<2352xi32>
  %weighted5 = stablehlo.multiply %int5, %iota5 : tensor<2352xi32>
  // CHECK: s32[] 25475
  %sum5 = stablehlo.reduce(%weighted5 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2352xi32>, tensor<i32>) -> tensor<i32>

  // The same features last: runs of windows over positions.
  %x6i = stablehlo.iota dim = 0 : tensor<3456xi32>
  %x6m = stablehlo.constant dense<7> : tensor<3456xi32>
  %x6r = stablehlo.remainder %x6i, %x6m : tensor<3456xi32>
  %x6o = stablehlo.constant dense<3> : tensor<3456xi32>
  %x6s = stablehlo.subtract %x6r, %x6o : tensor<3456xi32>
  %x6f = stablehlo.convert %x6s : (tensor<3456xi32>) -> tensor<3456xf32>
  %x6 = stablehlo.reshape %x6f : (tensor<3456xf32>) -> tensor<2x24x24x3xf32>
  %w6i = stablehlo.iota dim = 0 : tensor<4608xi32>
  %w6m = stablehlo.constant dense<5> : tensor<4608xi32>
  %w6r = stablehlo.remainder %w6i, %w6m : tensor<4608xi32>
  %w6o = stablehlo.constant dense<2> : tensor<4608xi32>
  %w6s = stablehlo.subtract %w6r, %w6o : tensor<4608xi32>
  %w6f = stablehlo.convert %w6s : (tensor<4608xi32>) -> tensor<4608xf32>
  %w6 = stablehlo.reshape %w6f : (tensor<4608xf32>) -> tensor<2x12x12x16xf32>
  %y6 = stablehlo.convolution(%x6, %w6) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[2, 3], [2, 3]], lhs_dilate = [1, 1], rhs_dilate = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x24x24x3xf32>, tensor<2x12x12x16xf32>) -> tensor<7x7x3x16xf32>
  %flat6 = stablehlo.reshape %y6 : (tensor<7x7x3x16xf32>) -> tensor<2352xf32>
  %int6 = stablehlo.convert %flat6 : (tensor<2352xf32>) -> tensor<2352xi32>
  %iota6 = stablehlo.iota dim = 0 : tensor<2352xi32>
  %weighted6 = stablehlo.multiply %int6, %iota6 : tensor<2352xi32>
  // CHECK: s32[] -57851
  %sum6 = stablehlo.reduce(%weighted6 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2352xi32>, tensor<i32>) -> tensor<i32>

  // Of one feature.
  %x7i = stablehlo.iota dim = 0 : tensor<1024xi32>
  %x7m = stablehlo.constant dense<7> : tensor<1024xi32>
  %x7r = stablehlo.remainder %x7i, %x7m : tensor<1024xi32>
  %x7o = stablehlo.constant dense<3> : tensor<1024xi32>
  %x7s = stablehlo.subtract %x7r, %x7o : tensor<1024xi32>
  %x7f = stablehlo.convert %x7s : (tensor<1024xi32>) -> tensor<1024xf32>
  %x7 = stablehlo.reshape %x7f : (tensor<1024xf32>) -> tensor<4x16x16x1xf32>
  %w7i = stablehlo.iota dim = 0 : tensor<12288xi32>
  %w7m = stablehlo.constant dense<5> : tensor<12288xi32>
  %w7r = stablehlo.remainder %w7i, %w7m : tensor<12288xi32>
  %w7o = stablehlo.constant dense<2> : tensor<12288xi32>
  %w7s = stablehlo.subtract %w7r, %w7o : tensor<12288xi32>
  %w7f = stablehlo.convert %w7s : (tensor<12288xi32>) -> tensor<12288xf32>
  %w7 = stablehlo.reshape %w7f : (tensor<12288xf32>) -> tensor<4x16x16x12xf32>
  %y7 = stablehlo.convolution(%x7, %w7) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x16x16x1xf32>, tensor<4x16x16x12xf32>) -> tensor<3x3x1x12xf32>
  %flat7 = stablehlo.reshape %y7 : (tensor<3x3x1x12xf32>) -> tensor<108xf32>
  %int7 = stablehlo.convert %flat7 : (tensor<108xf32>) -> tensor<108xi32>
  %iota7 = stablehlo.iota dim = 0 : tensor<108xi32>
  %weighted7 = stablehlo.multiply %int7, %iota7 : tensor<108xi32>
  // CHECK: s32[] 2261
  %sum7 = stablehlo.reduce(%weighted7 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<108xi32>, tensor<i32>) -> tensor<i32>

  return %sum0, %sum1, %sum2, %sum3, %sum4, %sum5, %sum6, %sum7 : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
}
