// RUN: xla-run %s --backend=reference | FileCheck %s
// RUN: xla-run %s --backend=native | FileCheck %s

// Convolutions large enough to be products of matrices, of small whole numbers:
// every order of summation gives the same, seen in a sum weighted with indices.
func.func @main() -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  // Channels last, padded: the layout that needs no copy.
  %x0i = stablehlo.iota dim = 0 : tensor<2592xi32>
  %x0m = stablehlo.constant dense<7> : tensor<2592xi32>
  %x0r = stablehlo.remainder %x0i, %x0m : tensor<2592xi32>
  %x0o = stablehlo.constant dense<3> : tensor<2592xi32>
  %x0s = stablehlo.subtract %x0r, %x0o : tensor<2592xi32>
  %x0f = stablehlo.convert %x0s : (tensor<2592xi32>) -> tensor<2592xf32>
  %x0 = stablehlo.reshape %x0f : (tensor<2592xf32>) -> tensor<2x9x9x16xf32>
  %w0i = stablehlo.iota dim = 0 : tensor<2304xi32>
  %w0m = stablehlo.constant dense<5> : tensor<2304xi32>
  %w0r = stablehlo.remainder %w0i, %w0m : tensor<2304xi32>
  %w0o = stablehlo.constant dense<2> : tensor<2304xi32>
  %w0s = stablehlo.subtract %w0r, %w0o : tensor<2304xi32>
  %w0f = stablehlo.convert %w0s : (tensor<2304xi32>) -> tensor<2304xf32>
  %w0 = stablehlo.reshape %w0f : (tensor<2304xf32>) -> tensor<3x3x16x16xf32>
  %y0 = stablehlo.convolution(%x0, %w0) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x9x16xf32>, tensor<3x3x16x16xf32>) -> tensor<2x9x9x16xf32>
  %flat0 = stablehlo.reshape %y0 : (tensor<2x9x9x16xf32>) -> tensor<2592xf32>
  %int0 = stablehlo.convert %flat0 : (tensor<2592xf32>) -> tensor<2592xi32>
  %iota0 = stablehlo.iota dim = 0 : tensor<2592xi32>
  %weighted0 = stablehlo.multiply %int0, %iota0 : tensor<2592xi32>
  // CHECK: s32[] -1931
  %sum0 = stablehlo.reduce(%weighted0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2592xi32>, tensor<i32>) -> tensor<i32>

  // Channels first, strided, in groups.
  %x1i = stablehlo.iota dim = 0 : tensor<4224xi32>
  %x1m = stablehlo.constant dense<7> : tensor<4224xi32>
  %x1r = stablehlo.remainder %x1i, %x1m : tensor<4224xi32>
  %x1o = stablehlo.constant dense<3> : tensor<4224xi32>
  %x1s = stablehlo.subtract %x1r, %x1o : tensor<4224xi32>
  %x1f = stablehlo.convert %x1s : (tensor<4224xi32>) -> tensor<4224xf32>
  %x1 = stablehlo.reshape %x1f : (tensor<4224xf32>) -> tensor<2x16x11x12xf32>
  %w1i = stablehlo.iota dim = 0 : tensor<1152xi32>
  %w1m = stablehlo.constant dense<5> : tensor<1152xi32>
  %w1r = stablehlo.remainder %w1i, %w1m : tensor<1152xi32>
  %w1o = stablehlo.constant dense<2> : tensor<1152xi32>
  %w1s = stablehlo.subtract %w1r, %w1o : tensor<1152xi32>
  %w1f = stablehlo.convert %w1s : (tensor<1152xi32>) -> tensor<1152xf32>
  %w1 = stablehlo.reshape %w1f : (tensor<1152xf32>) -> tensor<16x8x3x3xf32>
  %y1 = stablehlo.convolution(%x1, %w1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [2, 2], pad = [[1, 1], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x16x11x12xf32>, tensor<16x8x3x3xf32>) -> tensor<2x16x6x5xf32>
  %flat1 = stablehlo.reshape %y1 : (tensor<2x16x6x5xf32>) -> tensor<960xf32>
  %int1 = stablehlo.convert %flat1 : (tensor<960xf32>) -> tensor<960xi32>
  %iota1 = stablehlo.iota dim = 0 : tensor<960xi32>
  %weighted1 = stablehlo.multiply %int1, %iota1 : tensor<960xi32>
  // CHECK: s32[] 75188
  %sum1 = stablehlo.reduce(%weighted1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<960xi32>, tensor<i32>) -> tensor<i32>

  // The gradient of the input: a reversed kernel with its features inside.
  %x2i = stablehlo.iota dim = 0 : tensor<2592xi32>
  %x2m = stablehlo.constant dense<7> : tensor<2592xi32>
  %x2r = stablehlo.remainder %x2i, %x2m : tensor<2592xi32>
  %x2o = stablehlo.constant dense<3> : tensor<2592xi32>
  %x2s = stablehlo.subtract %x2r, %x2o : tensor<2592xi32>
  %x2f = stablehlo.convert %x2s : (tensor<2592xi32>) -> tensor<2592xf32>
  %x2 = stablehlo.reshape %x2f : (tensor<2592xf32>) -> tensor<2x9x9x16xf32>
  %w2i = stablehlo.iota dim = 0 : tensor<1152xi32>
  %w2m = stablehlo.constant dense<5> : tensor<1152xi32>
  %w2r = stablehlo.remainder %w2i, %w2m : tensor<1152xi32>
  %w2o = stablehlo.constant dense<2> : tensor<1152xi32>
  %w2s = stablehlo.subtract %w2r, %w2o : tensor<1152xi32>
  %w2f = stablehlo.convert %w2s : (tensor<1152xi32>) -> tensor<1152xf32>
  %w2 = stablehlo.reshape %w2f : (tensor<1152xf32>) -> tensor<3x3x8x16xf32>
  %y2 = stablehlo.convolution(%x2, %w2) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]], reverse = [true, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x9x16xf32>, tensor<3x3x8x16xf32>) -> tensor<2x9x9x8xf32>
  %flat2 = stablehlo.reshape %y2 : (tensor<2x9x9x8xf32>) -> tensor<1296xf32>
  %int2 = stablehlo.convert %flat2 : (tensor<1296xf32>) -> tensor<1296xi32>
  %iota2 = stablehlo.iota dim = 0 : tensor<1296xi32>
  %weighted2 = stablehlo.multiply %int2, %iota2 : tensor<1296xi32>
  // CHECK: s32[] 3587
  %sum2 = stablehlo.reduce(%weighted2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<1296xi32>, tensor<i32>) -> tensor<i32>

  // The gradient of the kernel: long windows, features that are a batch.
  %x3i = stablehlo.iota dim = 0 : tensor<2592xi32>
  %x3m = stablehlo.constant dense<7> : tensor<2592xi32>
  %x3r = stablehlo.remainder %x3i, %x3m : tensor<2592xi32>
  %x3o = stablehlo.constant dense<3> : tensor<2592xi32>
  %x3s = stablehlo.subtract %x3r, %x3o : tensor<2592xi32>
  %x3f = stablehlo.convert %x3s : (tensor<2592xi32>) -> tensor<2592xf32>
  %x3 = stablehlo.reshape %x3f : (tensor<2592xf32>) -> tensor<2x9x9x16xf32>
  %w3i = stablehlo.iota dim = 0 : tensor<1792xi32>
  %w3m = stablehlo.constant dense<5> : tensor<1792xi32>
  %w3r = stablehlo.remainder %w3i, %w3m : tensor<1792xi32>
  %w3o = stablehlo.constant dense<2> : tensor<1792xi32>
  %w3s = stablehlo.subtract %w3r, %w3o : tensor<1792xi32>
  %w3f = stablehlo.convert %w3s : (tensor<1792xi32>) -> tensor<1792xf32>
  %w3 = stablehlo.reshape %w3f : (tensor<1792xf32>) -> tensor<2x7x8x16xf32>
  %y3 = stablehlo.convolution(%x3, %w3) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {pad = [[0, 0], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x9x16xf32>, tensor<2x7x8x16xf32>) -> tensor<3x4x16x16xf32>
  %flat3 = stablehlo.reshape %y3 : (tensor<3x4x16x16xf32>) -> tensor<3072xf32>
  %int3 = stablehlo.convert %flat3 : (tensor<3072xf32>) -> tensor<3072xi32>
  %iota3 = stablehlo.iota dim = 0 : tensor<3072xi32>
  %weighted3 = stablehlo.multiply %int3, %iota3 : tensor<3072xi32>
  // CHECK: s32[] 78691
  %sum3 = stablehlo.reduce(%weighted3 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3072xi32>, tensor<i32>) -> tensor<i32>

  // Holes in input and window, groups of the batch.
  %x4i = stablehlo.iota dim = 0 : tensor<1344xi32>
  %x4m = stablehlo.constant dense<7> : tensor<1344xi32>
  %x4r = stablehlo.remainder %x4i, %x4m : tensor<1344xi32>
  %x4o = stablehlo.constant dense<3> : tensor<1344xi32>
  %x4s = stablehlo.subtract %x4r, %x4o : tensor<1344xi32>
  %x4f = stablehlo.convert %x4s : (tensor<1344xi32>) -> tensor<1344xf32>
  %x4 = stablehlo.reshape %x4f : (tensor<1344xf32>) -> tensor<4x6x7x8xf32>
  %w4i = stablehlo.iota dim = 0 : tensor<768xi32>
  %w4m = stablehlo.constant dense<5> : tensor<768xi32>
  %w4r = stablehlo.remainder %w4i, %w4m : tensor<768xi32>
  %w4o = stablehlo.constant dense<2> : tensor<768xi32>
  %w4s = stablehlo.subtract %w4r, %w4o : tensor<768xi32>
  %w4f = stablehlo.convert %w4s : (tensor<768xi32>) -> tensor<768xf32>
  %w4 = stablehlo.reshape %w4f : (tensor<768xf32>) -> tensor<3x2x8x16xf32>
  %y4 = stablehlo.convolution(%x4, %w4) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 2], pad = [[1, 1], [1, 1]], lhs_dilate = [2, 1], rhs_dilate = [2, 1]} {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<4x6x7x8xf32>, tensor<3x2x8x16xf32>) -> tensor<2x9x4x16xf32>
  %flat4 = stablehlo.reshape %y4 : (tensor<2x9x4x16xf32>) -> tensor<1152xf32>
  %int4 = stablehlo.convert %flat4 : (tensor<1152xf32>) -> tensor<1152xi32>
  %iota4 = stablehlo.iota dim = 0 : tensor<1152xi32>
  %weighted4 = stablehlo.multiply %int4, %iota4 : tensor<1152xi32>
  // CHECK: s32[] -3848
  %sum4 = stablehlo.reduce(%weighted4 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<1152xi32>, tensor<i32>) -> tensor<i32>

  // 16-bit floats, summed as 32-bit ones.
  %x5i = stablehlo.iota dim = 0 : tensor<2560xi32>
  %x5m = stablehlo.constant dense<7> : tensor<2560xi32>
  %x5r = stablehlo.remainder %x5i, %x5m : tensor<2560xi32>
  %x5o = stablehlo.constant dense<3> : tensor<2560xi32>
  %x5s = stablehlo.subtract %x5r, %x5o : tensor<2560xi32>
  %x5f = stablehlo.convert %x5s : (tensor<2560xi32>) -> tensor<2560xbf16>
  %x5 = stablehlo.reshape %x5f : (tensor<2560xbf16>) -> tensor<4x40x16xbf16>
  %w5i = stablehlo.iota dim = 0 : tensor<640xi32>
  %w5m = stablehlo.constant dense<5> : tensor<640xi32>
  %w5r = stablehlo.remainder %w5i, %w5m : tensor<640xi32>
  %w5o = stablehlo.constant dense<2> : tensor<640xi32>
  %w5s = stablehlo.subtract %w5r, %w5o : tensor<640xi32>
  %w5f = stablehlo.convert %w5s : (tensor<640xi32>) -> tensor<640xbf16>
  %w5 = stablehlo.reshape %w5f : (tensor<640xbf16>) -> tensor<5x8x16xbf16>
  %y5 = stablehlo.convolution(%x5, %w5) dim_numbers = [b, 0, f]x[0, o, i]->[b, 0, f], window = {pad = [[0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x40x16xbf16>, tensor<5x8x16xbf16>) -> tensor<4x36x8xf32>
  %flat5 = stablehlo.reshape %y5 : (tensor<4x36x8xf32>) -> tensor<1152xf32>
  %int5 = stablehlo.convert %flat5 : (tensor<1152xf32>) -> tensor<1152xi32>
  %iota5 = stablehlo.iota dim = 0 : tensor<1152xi32>
  %weighted5 = stablehlo.multiply %int5, %iota5 : tensor<1152xi32>
  // CHECK: s32[] -30113
  %sum5 = stablehlo.reduce(%weighted5 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<1152xi32>, tensor<i32>) -> tensor<i32>
  return %sum0, %sum1, %sum2, %sum3, %sum4, %sum5 : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
}
