// RUN: xla-run %s --backend=reference | FileCheck %s
// RUN: xla-run %s --backend=native | FileCheck %s

// Convolutions by rows, and elements between holes laid out for a product.
func.func @main() -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  // A feature a group.
  %x0i = stablehlo.iota dim = 0 : tensor<2508xi32>
  %x0m = stablehlo.constant dense<7> : tensor<2508xi32>
  %x0r = stablehlo.remainder %x0i, %x0m : tensor<2508xi32>
  %x0o = stablehlo.constant dense<3> : tensor<2508xi32>
  %x0s = stablehlo.subtract %x0r, %x0o : tensor<2508xi32>
  %x0f = stablehlo.convert %x0s : (tensor<2508xi32>) -> tensor<2508xf32>
  %x0 = stablehlo.reshape %x0f : (tensor<2508xf32>) -> tensor<2x6x11x19xf32>
  %w0i = stablehlo.iota dim = 0 : tensor<54xi32>
  %w0m = stablehlo.constant dense<5> : tensor<54xi32>
  %w0r = stablehlo.remainder %w0i, %w0m : tensor<54xi32>
  %w0o = stablehlo.constant dense<2> : tensor<54xi32>
  %w0s = stablehlo.subtract %w0r, %w0o : tensor<54xi32>
  %w0f = stablehlo.convert %w0s : (tensor<54xi32>) -> tensor<54xf32>
  %w0 = stablehlo.reshape %w0f : (tensor<54xf32>) -> tensor<6x1x3x3xf32>
  %y0 = stablehlo.convolution(%x0, %w0) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 6 : i64} : (tensor<2x6x11x19xf32>, tensor<6x1x3x3xf32>) -> tensor<2x6x11x19xf32>
  %flat0 = stablehlo.reshape %y0 : (tensor<2x6x11x19xf32>) -> tensor<2508xf32>
  %int0 = stablehlo.convert %flat0 : (tensor<2508xf32>) -> tensor<2508xi32>
  %iota0 = stablehlo.iota dim = 0 : tensor<2508xi32>
  %weighted0 = stablehlo.multiply %int0, %iota0 : tensor<2508xi32>
  // CHECK: s32[] 45764
  %sum0 = stablehlo.reduce(%weighted0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2508xi32>, tensor<i32>) -> tensor<i32>

  // Two features a group of three, strides, windows with gaps that are turned round.
  %x1i = stablehlo.iota dim = 0 : tensor<2691xi32>
  %x1m = stablehlo.constant dense<7> : tensor<2691xi32>
  %x1r = stablehlo.remainder %x1i, %x1m : tensor<2691xi32>
  %x1o = stablehlo.constant dense<3> : tensor<2691xi32>
  %x1s = stablehlo.subtract %x1r, %x1o : tensor<2691xi32>
  %x1f = stablehlo.convert %x1s : (tensor<2691xi32>) -> tensor<2691xf32>
  %x1 = stablehlo.reshape %x1f : (tensor<2691xf32>) -> tensor<1x9x13x23xf32>
  %w1i = stablehlo.iota dim = 0 : tensor<108xi32>
  %w1m = stablehlo.constant dense<5> : tensor<108xi32>
  %w1r = stablehlo.remainder %w1i, %w1m : tensor<108xi32>
  %w1o = stablehlo.constant dense<2> : tensor<108xi32>
  %w1s = stablehlo.subtract %w1r, %w1o : tensor<108xi32>
  %w1f = stablehlo.convert %w1s : (tensor<108xi32>) -> tensor<108xf32>
  %w1 = stablehlo.reshape %w1f : (tensor<108xf32>) -> tensor<6x3x3x2xf32>
  %y1 = stablehlo.convolution(%x1, %w1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [2, 2], pad = [[2, 2], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [2, 1], reverse = [true, true]} {batch_group_count = 1 : i64, feature_group_count = 3 : i64} : (tensor<1x9x13x23xf32>, tensor<6x3x3x2xf32>) -> tensor<1x6x7x12xf32>
  %flat1 = stablehlo.reshape %y1 : (tensor<1x6x7x12xf32>) -> tensor<504xf32>
  %int1 = stablehlo.convert %flat1 : (tensor<504xf32>) -> tensor<504xi32>
  %iota1 = stablehlo.iota dim = 0 : tensor<504xi32>
  %weighted1 = stablehlo.multiply %int1, %iota1 : tensor<504xi32>
  // CHECK: s32[] -2564
  %sum1 = stablehlo.reduce(%weighted1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<504xi32>, tensor<i32>) -> tensor<i32>

  // Holes in the input, as in the gradient of a strided convolution.
  %x2i = stablehlo.iota dim = 0 : tensor<280xi32>
  %x2m = stablehlo.constant dense<7> : tensor<280xi32>
  %x2r = stablehlo.remainder %x2i, %x2m : tensor<280xi32>
  %x2o = stablehlo.constant dense<3> : tensor<280xi32>
  %x2s = stablehlo.subtract %x2r, %x2o : tensor<280xi32>
  %x2f = stablehlo.convert %x2s : (tensor<280xi32>) -> tensor<280xf32>
  %x2 = stablehlo.reshape %x2f : (tensor<280xf32>) -> tensor<2x4x5x7xf32>
  %w2i = stablehlo.iota dim = 0 : tensor<36xi32>
  %w2m = stablehlo.constant dense<5> : tensor<36xi32>
  %w2r = stablehlo.remainder %w2i, %w2m : tensor<36xi32>
  %w2o = stablehlo.constant dense<2> : tensor<36xi32>
  %w2s = stablehlo.subtract %w2r, %w2o : tensor<36xi32>
  %w2f = stablehlo.convert %w2s : (tensor<36xi32>) -> tensor<36xf32>
  %w2 = stablehlo.reshape %w2f : (tensor<36xf32>) -> tensor<4x1x3x3xf32>
  %y2 = stablehlo.convolution(%x2, %w2) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 2], [1, 2]], lhs_dilate = [2, 2], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 4 : i64} : (tensor<2x4x5x7xf32>, tensor<4x1x3x3xf32>) -> tensor<2x4x10x14xf32>
  %flat2 = stablehlo.reshape %y2 : (tensor<2x4x10x14xf32>) -> tensor<1120xf32>
  %int2 = stablehlo.convert %flat2 : (tensor<1120xf32>) -> tensor<1120xi32>
  %iota2 = stablehlo.iota dim = 0 : tensor<1120xi32>
  %weighted2 = stablehlo.multiply %int2, %iota2 : tensor<1120xi32>
  // CHECK: s32[] -23164
  %sum2 = stablehlo.reduce(%weighted2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<1120xi32>, tensor<i32>) -> tensor<i32>

  // Groups of the batch, in halves.
  %x3i = stablehlo.iota dim = 0 : tensor<1296xi32>
  %x3m = stablehlo.constant dense<7> : tensor<1296xi32>
  %x3r = stablehlo.remainder %x3i, %x3m : tensor<1296xi32>
  %x3o = stablehlo.constant dense<3> : tensor<1296xi32>
  %x3s = stablehlo.subtract %x3r, %x3o : tensor<1296xi32>
  %x3f = stablehlo.convert %x3s : (tensor<1296xi32>) -> tensor<1296xbf16>
  %x3 = stablehlo.reshape %x3f : (tensor<1296xbf16>) -> tensor<6x3x6x12xbf16>
  %w3i = stablehlo.iota dim = 0 : tensor<162xi32>
  %w3m = stablehlo.constant dense<5> : tensor<162xi32>
  %w3r = stablehlo.remainder %w3i, %w3m : tensor<162xi32>
  %w3o = stablehlo.constant dense<2> : tensor<162xi32>
  %w3s = stablehlo.subtract %w3r, %w3o : tensor<162xi32>
  %w3f = stablehlo.convert %w3s : (tensor<162xi32>) -> tensor<162xbf16>
  %w3 = stablehlo.reshape %w3f : (tensor<162xbf16>) -> tensor<6x3x3x3xbf16>
  %y3 = stablehlo.convolution(%x3, %w3) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 3 : i64, feature_group_count = 1 : i64} : (tensor<6x3x6x12xbf16>, tensor<6x3x3x3xbf16>) -> tensor<2x6x6x12xbf16>
  %flat3 = stablehlo.reshape %y3 : (tensor<2x6x6x12xbf16>) -> tensor<864xbf16>
  %int3 = stablehlo.convert %flat3 : (tensor<864xbf16>) -> tensor<864xi32>
  %iota3 = stablehlo.iota dim = 0 : tensor<864xi32>
  %weighted3 = stablehlo.multiply %int3, %iota3 : tensor<864xi32>
  // CHECK: s32[] 18879
  %sum3 = stablehlo.reduce(%weighted3 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<864xi32>, tensor<i32>) -> tensor<i32>

  // Rows of several pieces, windows of many taps that begin within the input.
  %x4i = stablehlo.iota dim = 0 : tensor<18000xi32>
  %x4m = stablehlo.constant dense<7> : tensor<18000xi32>
  %x4r = stablehlo.remainder %x4i, %x4m : tensor<18000xi32>
  %x4o = stablehlo.constant dense<3> : tensor<18000xi32>
  %x4s = stablehlo.subtract %x4r, %x4o : tensor<18000xi32>
  %x4f = stablehlo.convert %x4s : (tensor<18000xi32>) -> tensor<18000xf32>
  %x4 = stablehlo.reshape %x4f : (tensor<18000xf32>) -> tensor<1x2x9000xf32>
  %w4i = stablehlo.iota dim = 0 : tensor<22xi32>
  %w4m = stablehlo.constant dense<5> : tensor<22xi32>
  %w4r = stablehlo.remainder %w4i, %w4m : tensor<22xi32>
  %w4o = stablehlo.constant dense<2> : tensor<22xi32>
  %w4s = stablehlo.subtract %w4r, %w4o : tensor<22xi32>
  %w4f = stablehlo.convert %w4s : (tensor<22xi32>) -> tensor<22xf32>
  %w4 = stablehlo.reshape %w4f : (tensor<22xf32>) -> tensor<2x1x11xf32>
  %y4 = stablehlo.convolution(%x4, %w4) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {stride = [1], pad = [[-2, 5]], lhs_dilate = [1], rhs_dilate = [1]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<1x2x9000xf32>, tensor<2x1x11xf32>) -> tensor<1x2x8993xf32>
  %flat4 = stablehlo.reshape %y4 : (tensor<1x2x8993xf32>) -> tensor<17986xf32>
  %int4 = stablehlo.convert %flat4 : (tensor<17986xf32>) -> tensor<17986xi32>
  %iota4 = stablehlo.iota dim = 0 : tensor<17986xi32>
  %weighted4 = stablehlo.multiply %int4, %iota4 : tensor<17986xi32>
  // CHECK: s32[] 26962
  %sum4 = stablehlo.reduce(%weighted4 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<17986xi32>, tensor<i32>) -> tensor<i32>

  // Integers, positions turned.
  %x5i = stablehlo.iota dim = 0 : tensor<720xi32>
  %x5m = stablehlo.constant dense<7> : tensor<720xi32>
  %x5r = stablehlo.remainder %x5i, %x5m : tensor<720xi32>
  %x5o = stablehlo.constant dense<3> : tensor<720xi32>
  %x5s = stablehlo.subtract %x5r, %x5o : tensor<720xi32>
  %x5f = stablehlo.convert %x5s : (tensor<720xi32>) -> tensor<720xi32>
  %x5 = stablehlo.reshape %x5f : (tensor<720xi32>) -> tensor<2x9x4x10xi32>
  %w5i = stablehlo.iota dim = 0 : tensor<36xi32>
  %w5m = stablehlo.constant dense<5> : tensor<36xi32>
  %w5r = stablehlo.remainder %w5i, %w5m : tensor<36xi32>
  %w5o = stablehlo.constant dense<2> : tensor<36xi32>
  %w5s = stablehlo.subtract %w5r, %w5o : tensor<36xi32>
  %w5f = stablehlo.convert %w5s : (tensor<36xi32>) -> tensor<36xi32>
  %w5 = stablehlo.reshape %w5f : (tensor<36xi32>) -> tensor<4x1x3x3xi32>
  %y5 = stablehlo.convolution(%x5, %w5) dim_numbers = [b, 1, f, 0]x[o, i, 0, 1]->[b, f, 1, 0], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 4 : i64} : (tensor<2x9x4x10xi32>, tensor<4x1x3x3xi32>) -> tensor<2x4x9x10xi32>
  %flat5 = stablehlo.reshape %y5 : (tensor<2x4x9x10xi32>) -> tensor<720xi32>
  %int5 = stablehlo.convert %flat5 : (tensor<720xi32>) -> tensor<720xi32>
  %iota5 = stablehlo.iota dim = 0 : tensor<720xi32>
  %weighted5 = stablehlo.multiply %int5, %iota5 : tensor<720xi32>
  // CHECK: s32[] 4882
  %sum5 = stablehlo.reduce(%weighted5 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<720xi32>, tensor<i32>) -> tensor<i32>

  // Many features with holes: a product of laid out elements.
  %x6i = stablehlo.iota dim = 0 : tensor<560xi32>
  %x6m = stablehlo.constant dense<7> : tensor<560xi32>
  %x6r = stablehlo.remainder %x6i, %x6m : tensor<560xi32>
  %x6o = stablehlo.constant dense<3> : tensor<560xi32>
  %x6s = stablehlo.subtract %x6r, %x6o : tensor<560xi32>
  %x6f = stablehlo.convert %x6s : (tensor<560xi32>) -> tensor<560xf32>
  %x6 = stablehlo.reshape %x6f : (tensor<560xf32>) -> tensor<2x8x5x7xf32>
  %w6i = stablehlo.iota dim = 0 : tensor<1152xi32>
  %w6m = stablehlo.constant dense<5> : tensor<1152xi32>
  %w6r = stablehlo.remainder %w6i, %w6m : tensor<1152xi32>
  %w6o = stablehlo.constant dense<2> : tensor<1152xi32>
  %w6s = stablehlo.subtract %w6r, %w6o : tensor<1152xi32>
  %w6f = stablehlo.convert %w6s : (tensor<1152xi32>) -> tensor<1152xf32>
  %w6 = stablehlo.reshape %w6f : (tensor<1152xf32>) -> tensor<16x8x3x3xf32>
  %y6 = stablehlo.convolution(%x6, %w6) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 2], [1, 2]], lhs_dilate = [2, 2], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x5x7xf32>, tensor<16x8x3x3xf32>) -> tensor<2x16x10x14xf32>
  %flat6 = stablehlo.reshape %y6 : (tensor<2x16x10x14xf32>) -> tensor<4480xf32>
  %int6 = stablehlo.convert %flat6 : (tensor<4480xf32>) -> tensor<4480xi32>
  %iota6 = stablehlo.iota dim = 0 : tensor<4480xi32>
  %weighted6 = stablehlo.multiply %int6, %iota6 : tensor<4480xi32>
  // CHECK: s32[] -135992
  %sum6 = stablehlo.reduce(%weighted6 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4480xi32>, tensor<i32>) -> tensor<i32>

  // The same with windows that begin between elements, and holes of two.
  %x7i = stablehlo.iota dim = 0 : tensor<360xi32>
  %x7m = stablehlo.constant dense<7> : tensor<360xi32>
  %x7r = stablehlo.remainder %x7i, %x7m : tensor<360xi32>
  %x7o = stablehlo.constant dense<3> : tensor<360xi32>
  %x7s = stablehlo.subtract %x7r, %x7o : tensor<360xi32>
  %x7f = stablehlo.convert %x7s : (tensor<360xi32>) -> tensor<360xf32>
  %x7 = stablehlo.reshape %x7f : (tensor<360xf32>) -> tensor<1x8x5x9xf32>
  %w7i = stablehlo.iota dim = 0 : tensor<768xi32>
  %w7m = stablehlo.constant dense<5> : tensor<768xi32>
  %w7r = stablehlo.remainder %w7i, %w7m : tensor<768xi32>
  %w7o = stablehlo.constant dense<2> : tensor<768xi32>
  %w7s = stablehlo.subtract %w7r, %w7o : tensor<768xi32>
  %w7f = stablehlo.convert %w7s : (tensor<768xi32>) -> tensor<768xf32>
  %w7 = stablehlo.reshape %w7f : (tensor<768xf32>) -> tensor<16x8x2x3xf32>
  %y7 = stablehlo.convolution(%x7, %w7) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 0], [-1, 1]], lhs_dilate = [3, 3], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x5x9xf32>, tensor<16x8x2x3xf32>) -> tensor<1x16x13x23xf32>
  %flat7 = stablehlo.reshape %y7 : (tensor<1x16x13x23xf32>) -> tensor<4784xf32>
  %int7 = stablehlo.convert %flat7 : (tensor<4784xf32>) -> tensor<4784xi32>
  %iota7 = stablehlo.iota dim = 0 : tensor<4784xi32>
  %weighted7 = stablehlo.multiply %int7, %iota7 : tensor<4784xi32>
  // CHECK: s32[] -99617
  %sum7 = stablehlo.reduce(%weighted7 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4784xi32>, tensor<i32>) -> tensor<i32>
  return %sum0, %sum1, %sum2, %sum3, %sum4, %sum5, %sum6, %sum7 : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
}
