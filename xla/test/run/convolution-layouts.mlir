// RUN: xla-run %s --backend=reference | FileCheck %s
// RUN: xla-run %s --backend=native | FileCheck %s

// Convolutions whose elements are laid out for a product in every way that there
// is, checked as in convolution.mlir.
func.func @main() -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  // Three features, in rows of terms: short dots.
  %x0i = stablehlo.iota dim = 0 : tensor<4608xi32>
  %x0m = stablehlo.constant dense<7> : tensor<4608xi32>
  %x0r = stablehlo.remainder %x0i, %x0m : tensor<4608xi32>
  %x0o = stablehlo.constant dense<3> : tensor<4608xi32>
  %x0s = stablehlo.subtract %x0r, %x0o : tensor<4608xi32>
  %x0f = stablehlo.convert %x0s : (tensor<4608xi32>) -> tensor<4608xf32>
  %x0 = stablehlo.reshape %x0f : (tensor<4608xf32>) -> tensor<2x12x12x16xf32>
  %w0i = stablehlo.iota dim = 0 : tensor<432xi32>
  %w0m = stablehlo.constant dense<5> : tensor<432xi32>
  %w0r = stablehlo.remainder %w0i, %w0m : tensor<432xi32>
  %w0o = stablehlo.constant dense<2> : tensor<432xi32>
  %w0s = stablehlo.subtract %w0r, %w0o : tensor<432xi32>
  %w0f = stablehlo.convert %w0s : (tensor<432xi32>) -> tensor<432xf32>
  %w0 = stablehlo.reshape %w0f : (tensor<432xf32>) -> tensor<3x3x16x3xf32>
  %y0 = stablehlo.convolution(%x0, %w0) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x12x12x16xf32>, tensor<3x3x16x3xf32>) -> tensor<2x12x12x3xf32>
  %flat0 = stablehlo.reshape %y0 : (tensor<2x12x12x3xf32>) -> tensor<864xf32>
  %int0 = stablehlo.convert %flat0 : (tensor<864xf32>) -> tensor<864xi32>
  %iota0 = stablehlo.iota dim = 0 : tensor<864xi32>
  %weighted0 = stablehlo.multiply %int0, %iota0 : tensor<864xi32>
  // CHECK: s32[] -3967
  %sum0 = stablehlo.reduce(%weighted0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<864xi32>, tensor<i32>) -> tensor<i32>

  // Three features, channels first: few rows.
  %x1i = stablehlo.iota dim = 0 : tensor<4608xi32>
  %x1m = stablehlo.constant dense<7> : tensor<4608xi32>
  %x1r = stablehlo.remainder %x1i, %x1m : tensor<4608xi32>
  %x1o = stablehlo.constant dense<3> : tensor<4608xi32>
  %x1s = stablehlo.subtract %x1r, %x1o : tensor<4608xi32>
  %x1f = stablehlo.convert %x1s : (tensor<4608xi32>) -> tensor<4608xf32>
  %x1 = stablehlo.reshape %x1f : (tensor<4608xf32>) -> tensor<2x16x12x12xf32>
  %w1i = stablehlo.iota dim = 0 : tensor<432xi32>
  %w1m = stablehlo.constant dense<5> : tensor<432xi32>
  %w1r = stablehlo.remainder %w1i, %w1m : tensor<432xi32>
  %w1o = stablehlo.constant dense<2> : tensor<432xi32>
  %w1s = stablehlo.subtract %w1r, %w1o : tensor<432xi32>
  %w1f = stablehlo.convert %w1s : (tensor<432xi32>) -> tensor<432xf32>
  %w1 = stablehlo.reshape %w1f : (tensor<432xf32>) -> tensor<3x16x3x3xf32>
  %y1 = stablehlo.convolution(%x1, %w1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x12x12xf32>, tensor<3x16x3x3xf32>) -> tensor<2x3x12x12xf32>
  %flat1 = stablehlo.reshape %y1 : (tensor<2x3x12x12xf32>) -> tensor<864xf32>
  %int1 = stablehlo.convert %flat1 : (tensor<864xf32>) -> tensor<864xi32>
  %iota1 = stablehlo.iota dim = 0 : tensor<864xi32>
  %weighted1 = stablehlo.multiply %int1, %iota1 : tensor<864xi32>
  // CHECK: s32[] -21411
  %sum1 = stablehlo.reduce(%weighted1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<864xi32>, tensor<i32>) -> tensor<i32>

  // Windows of one element: the input is a matrix.
  %x2i = stablehlo.iota dim = 0 : tensor<3024xi32>
  %x2m = stablehlo.constant dense<7> : tensor<3024xi32>
  %x2r = stablehlo.remainder %x2i, %x2m : tensor<3024xi32>
  %x2o = stablehlo.constant dense<3> : tensor<3024xi32>
  %x2s = stablehlo.subtract %x2r, %x2o : tensor<3024xi32>
  %x2f = stablehlo.convert %x2s : (tensor<3024xi32>) -> tensor<3024xf32>
  %x2 = stablehlo.reshape %x2f : (tensor<3024xf32>) -> tensor<2x9x7x24xf32>
  %w2i = stablehlo.iota dim = 0 : tensor<768xi32>
  %w2m = stablehlo.constant dense<5> : tensor<768xi32>
  %w2r = stablehlo.remainder %w2i, %w2m : tensor<768xi32>
  %w2o = stablehlo.constant dense<2> : tensor<768xi32>
  %w2s = stablehlo.subtract %w2r, %w2o : tensor<768xi32>
  %w2f = stablehlo.convert %w2s : (tensor<768xi32>) -> tensor<768xf32>
  %w2 = stablehlo.reshape %w2f : (tensor<768xf32>) -> tensor<1x1x24x32xf32>
  %y2 = stablehlo.convolution(%x2, %w2) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x7x24xf32>, tensor<1x1x24x32xf32>) -> tensor<2x9x7x32xf32>
  %flat2 = stablehlo.reshape %y2 : (tensor<2x9x7x32xf32>) -> tensor<4032xf32>
  %int2 = stablehlo.convert %flat2 : (tensor<4032xf32>) -> tensor<4032xi32>
  %iota2 = stablehlo.iota dim = 0 : tensor<4032xi32>
  %weighted2 = stablehlo.multiply %int2, %iota2 : tensor<4032xi32>
  // CHECK: s32[] 48384
  %sum2 = stablehlo.reduce(%weighted2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4032xi32>, tensor<i32>) -> tensor<i32>

  // The same with the border cut off and channels first.
  %x3i = stablehlo.iota dim = 0 : tensor<3024xi32>
  %x3m = stablehlo.constant dense<7> : tensor<3024xi32>
  %x3r = stablehlo.remainder %x3i, %x3m : tensor<3024xi32>
  %x3o = stablehlo.constant dense<3> : tensor<3024xi32>
  %x3s = stablehlo.subtract %x3r, %x3o : tensor<3024xi32>
  %x3f = stablehlo.convert %x3s : (tensor<3024xi32>) -> tensor<3024xf32>
  %x3 = stablehlo.reshape %x3f : (tensor<3024xf32>) -> tensor<2x24x9x7xf32>
  %w3i = stablehlo.iota dim = 0 : tensor<768xi32>
  %w3m = stablehlo.constant dense<5> : tensor<768xi32>
  %w3r = stablehlo.remainder %w3i, %w3m : tensor<768xi32>
  %w3o = stablehlo.constant dense<2> : tensor<768xi32>
  %w3s = stablehlo.subtract %w3r, %w3o : tensor<768xi32>
  %w3f = stablehlo.convert %w3s : (tensor<768xi32>) -> tensor<768xf32>
  %w3 = stablehlo.reshape %w3f : (tensor<768xf32>) -> tensor<32x24x1x1xf32>
  %y3 = stablehlo.convolution(%x3, %w3) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x24x9x7xf32>, tensor<32x24x1x1xf32>) -> tensor<2x32x9x7xf32>
  %flat3 = stablehlo.reshape %y3 : (tensor<2x32x9x7xf32>) -> tensor<4032xf32>
  %int3 = stablehlo.convert %flat3 : (tensor<4032xf32>) -> tensor<4032xi32>
  %iota3 = stablehlo.iota dim = 0 : tensor<4032xi32>
  %weighted3 = stablehlo.multiply %int3, %iota3 : tensor<4032xi32>
  // CHECK: s32[] -1512
  %sum3 = stablehlo.reduce(%weighted3 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4032xi32>, tensor<i32>) -> tensor<i32>

  // Overlapping windows along one dimension: a matrix whose rows overlap.
  %x4i = stablehlo.iota dim = 0 : tensor<720xi32>
  %x4m = stablehlo.constant dense<7> : tensor<720xi32>
  %x4r = stablehlo.remainder %x4i, %x4m : tensor<720xi32>
  %x4o = stablehlo.constant dense<3> : tensor<720xi32>
  %x4s = stablehlo.subtract %x4r, %x4o : tensor<720xi32>
  %x4f = stablehlo.convert %x4s : (tensor<720xi32>) -> tensor<720xf32>
  %x4 = stablehlo.reshape %x4f : (tensor<720xf32>) -> tensor<1x90x8xf32>
  %w4i = stablehlo.iota dim = 0 : tensor<960xi32>
  %w4m = stablehlo.constant dense<5> : tensor<960xi32>
  %w4r = stablehlo.remainder %w4i, %w4m : tensor<960xi32>
  %w4o = stablehlo.constant dense<2> : tensor<960xi32>
  %w4s = stablehlo.subtract %w4r, %w4o : tensor<960xi32>
  %w4f = stablehlo.convert %w4s : (tensor<960xi32>) -> tensor<960xf32>
  %w4 = stablehlo.reshape %w4f : (tensor<960xf32>) -> tensor<5x8x24xf32>
  %y4 = stablehlo.convolution(%x4, %w4) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [2], pad = [[0, 0]], lhs_dilate = [1], rhs_dilate = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x90x8xf32>, tensor<5x8x24xf32>) -> tensor<1x43x24xf32>
  %flat4 = stablehlo.reshape %y4 : (tensor<1x43x24xf32>) -> tensor<1032xf32>
  %int4 = stablehlo.convert %flat4 : (tensor<1032xf32>) -> tensor<1032xi32>
  %iota4 = stablehlo.iota dim = 0 : tensor<1032xi32>
  %weighted4 = stablehlo.multiply %int4, %iota4 : tensor<1032xi32>
  // CHECK: s32[] 115
  %sum4 = stablehlo.reduce(%weighted4 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<1032xi32>, tensor<i32>) -> tensor<i32>

  // Windows that begin inside: a matrix that begins later.
  %x5i = stablehlo.iota dim = 0 : tensor<560xi32>
  %x5m = stablehlo.constant dense<7> : tensor<560xi32>
  %x5r = stablehlo.remainder %x5i, %x5m : tensor<560xi32>
  %x5o = stablehlo.constant dense<3> : tensor<560xi32>
  %x5s = stablehlo.subtract %x5r, %x5o : tensor<560xi32>
  %x5f = stablehlo.convert %x5s : (tensor<560xi32>) -> tensor<560xf32>
  %x5 = stablehlo.reshape %x5f : (tensor<560xf32>) -> tensor<1x70x8xf32>
  %w5i = stablehlo.iota dim = 0 : tensor<1280xi32>
  %w5m = stablehlo.constant dense<5> : tensor<1280xi32>
  %w5r = stablehlo.remainder %w5i, %w5m : tensor<1280xi32>
  %w5o = stablehlo.constant dense<2> : tensor<1280xi32>
  %w5s = stablehlo.subtract %w5r, %w5o : tensor<1280xi32>
  %w5f = stablehlo.convert %w5s : (tensor<1280xi32>) -> tensor<1280xf32>
  %w5 = stablehlo.reshape %w5f : (tensor<1280xf32>) -> tensor<5x8x32xf32>
  %y5 = stablehlo.convolution(%x5, %w5) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1], pad = [[-3, -2]], lhs_dilate = [1], rhs_dilate = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x70x8xf32>, tensor<5x8x32xf32>) -> tensor<1x61x32xf32>
  %flat5 = stablehlo.reshape %y5 : (tensor<1x61x32xf32>) -> tensor<1952xf32>
  %int5 = stablehlo.convert %flat5 : (tensor<1952xf32>) -> tensor<1952xi32>
  %iota5 = stablehlo.iota dim = 0 : tensor<1952xi32>
  %weighted5 = stablehlo.multiply %int5, %iota5 : tensor<1952xi32>
  // CHECK: s32[] -9430
  %sum5 = stablehlo.reduce(%weighted5 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<1952xi32>, tensor<i32>) -> tensor<i32>

  // A kernel's gradient: runs of positions, of windows that are whole or cut.
  %x6i = stablehlo.iota dim = 0 : tensor<3072xi32>
  %x6m = stablehlo.constant dense<7> : tensor<3072xi32>
  %x6r = stablehlo.remainder %x6i, %x6m : tensor<3072xi32>
  %x6o = stablehlo.constant dense<3> : tensor<3072xi32>
  %x6s = stablehlo.subtract %x6r, %x6o : tensor<3072xi32>
  %x6f = stablehlo.convert %x6s : (tensor<3072xi32>) -> tensor<3072xf32>
  %x6 = stablehlo.reshape %x6f : (tensor<3072xf32>) -> tensor<3x8x8x16xf32>
  %w6i = stablehlo.iota dim = 0 : tensor<3840xi32>
  %w6m = stablehlo.constant dense<5> : tensor<3840xi32>
  %w6r = stablehlo.remainder %w6i, %w6m : tensor<3840xi32>
  %w6o = stablehlo.constant dense<2> : tensor<3840xi32>
  %w6s = stablehlo.subtract %w6r, %w6o : tensor<3840xi32>
  %w6f = stablehlo.convert %w6s : (tensor<3840xi32>) -> tensor<3840xf32>
  %w6 = stablehlo.reshape %w6f : (tensor<3840xf32>) -> tensor<3x8x8x20xf32>
  %y6 = stablehlo.convolution(%x6, %w6) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<3x8x8x16xf32>, tensor<3x8x8x20xf32>) -> tensor<3x3x16x20xf32>
  %flat6 = stablehlo.reshape %y6 : (tensor<3x3x16x20xf32>) -> tensor<2880xf32>
  %int6 = stablehlo.convert %flat6 : (tensor<2880xf32>) -> tensor<2880xi32>
  %iota6 = stablehlo.iota dim = 0 : tensor<2880xi32>
  %weighted6 = stablehlo.multiply %int6, %iota6 : tensor<2880xi32>
  // CHECK: s32[] -120
  %sum6 = stablehlo.reduce(%weighted6 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2880xi32>, tensor<i32>) -> tensor<i32>

  // Dilated and strided, with a run of terms over both elements of a row.
  %x7i = stablehlo.iota dim = 0 : tensor<4368xi32>
  %x7m = stablehlo.constant dense<7> : tensor<4368xi32>
  %x7r = stablehlo.remainder %x7i, %x7m : tensor<4368xi32>
  %x7o = stablehlo.constant dense<3> : tensor<4368xi32>
  %x7s = stablehlo.subtract %x7r, %x7o : tensor<4368xi32>
  %x7f = stablehlo.convert %x7s : (tensor<4368xi32>) -> tensor<4368xf32>
  %x7 = stablehlo.reshape %x7f : (tensor<4368xf32>) -> tensor<2x14x13x12xf32>
  %w7i = stablehlo.iota dim = 0 : tensor<1152xi32>
  %w7m = stablehlo.constant dense<5> : tensor<1152xi32>
  %w7r = stablehlo.remainder %w7i, %w7m : tensor<1152xi32>
  %w7o = stablehlo.constant dense<2> : tensor<1152xi32>
  %w7s = stablehlo.subtract %w7r, %w7o : tensor<1152xi32>
  %w7f = stablehlo.convert %w7s : (tensor<1152xi32>) -> tensor<1152xf32>
  %w7 = stablehlo.reshape %w7f : (tensor<1152xf32>) -> tensor<3x2x12x16xf32>
  %y7 = stablehlo.convolution(%x7, %w7) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 3], pad = [[2, 0], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [2, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x14x13x12xf32>, tensor<3x2x12x16xf32>) -> tensor<2x6x5x16xf32>
  %flat7 = stablehlo.reshape %y7 : (tensor<2x6x5x16xf32>) -> tensor<960xf32>
  %int7 = stablehlo.convert %flat7 : (tensor<960xf32>) -> tensor<960xi32>
  %iota7 = stablehlo.iota dim = 0 : tensor<960xi32>
  %weighted7 = stablehlo.multiply %int7, %iota7 : tensor<960xi32>
  // CHECK: s32[] 30796
  %sum7 = stablehlo.reduce(%weighted7 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<960xi32>, tensor<i32>) -> tensor<i32>

  // Holes in the input.
  %x8i = stablehlo.iota dim = 0 : tensor<1024xi32>
  %x8m = stablehlo.constant dense<7> : tensor<1024xi32>
  %x8r = stablehlo.remainder %x8i, %x8m : tensor<1024xi32>
  %x8o = stablehlo.constant dense<3> : tensor<1024xi32>
  %x8s = stablehlo.subtract %x8r, %x8o : tensor<1024xi32>
  %x8f = stablehlo.convert %x8s : (tensor<1024xi32>) -> tensor<1024xf32>
  %x8 = stablehlo.reshape %x8f : (tensor<1024xf32>) -> tensor<1x8x8x16xf32>
  %w8i = stablehlo.iota dim = 0 : tensor<1280xi32>
  %w8m = stablehlo.constant dense<5> : tensor<1280xi32>
  %w8r = stablehlo.remainder %w8i, %w8m : tensor<1280xi32>
  %w8o = stablehlo.constant dense<2> : tensor<1280xi32>
  %w8s = stablehlo.subtract %w8r, %w8o : tensor<1280xi32>
  %w8f = stablehlo.convert %w8s : (tensor<1280xi32>) -> tensor<1280xf32>
  %w8 = stablehlo.reshape %w8f : (tensor<1280xf32>) -> tensor<4x4x16x5xf32>
  %y8 = stablehlo.convolution(%x8, %w8) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[2, 2], [2, 2]], lhs_dilate = [2, 2], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x16xf32>, tensor<4x4x16x5xf32>) -> tensor<1x16x16x5xf32>
  %flat8 = stablehlo.reshape %y8 : (tensor<1x16x16x5xf32>) -> tensor<1280xf32>
  %int8 = stablehlo.convert %flat8 : (tensor<1280xf32>) -> tensor<1280xi32>
  %iota8 = stablehlo.iota dim = 0 : tensor<1280xi32>
  %weighted8 = stablehlo.multiply %int8, %iota8 : tensor<1280xi32>
  // CHECK: s32[] -200
  %sum8 = stablehlo.reduce(%weighted8 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<1280xi32>, tensor<i32>) -> tensor<i32>
  return %sum0, %sum1, %sum2, %sum3, %sum4, %sum5, %sum6, %sum7, %sum8 : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
}
