// RUN: xla-run %s --backend=reference | FileCheck %s
// RUN: xla-run %s --backend=native | FileCheck %s

// Convolutions of a feature a group, groups in the lanes of vectors.
func.func @main() -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  // The gradient by a depthwise kernel: groups of the batch side by side, tasks of whole blocks.
  %x0i = stablehlo.iota dim = 0 : tensor<14256xi32>
  %x0m = stablehlo.constant dense<7> : tensor<14256xi32>
  %x0r = stablehlo.remainder %x0i, %x0m : tensor<14256xi32>
  %x0o = stablehlo.constant dense<3> : tensor<14256xi32>
  %x0s = stablehlo.subtract %x0r, %x0o : tensor<14256xi32>
  %x0f = stablehlo.convert %x0s : (tensor<14256xi32>) -> tensor<14256xf32>
  %x0 = stablehlo.reshape %x0f : (tensor<14256xf32>) -> tensor<2x9x11x72xf32>
  %w0i = stablehlo.iota dim = 0 : tensor<14256xi32>
  %w0m = stablehlo.constant dense<5> : tensor<14256xi32>
  %w0r = stablehlo.remainder %w0i, %w0m : tensor<14256xi32>
  %w0o = stablehlo.constant dense<2> : tensor<14256xi32>
  %w0s = stablehlo.subtract %w0r, %w0o : tensor<14256xi32>
  %w0f = stablehlo.convert %w0s : (tensor<14256xi32>) -> tensor<14256xf32>
  %w0 = stablehlo.reshape %w0f : (tensor<14256xf32>) -> tensor<2x9x11x72xf32>
  %y0 = stablehlo.convolution(%x0, %w0) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 72 : i64, feature_group_count = 1 : i64} : (tensor<2x9x11x72xf32>, tensor<2x9x11x72xf32>) -> tensor<3x3x1x72xf32>
  %flat0 = stablehlo.reshape %y0 : (tensor<3x3x1x72xf32>) -> tensor<648xf32>
  %int0 = stablehlo.convert %flat0 : (tensor<648xf32>) -> tensor<648xi32>
  %iota0 = stablehlo.iota dim = 0 : tensor<648xi32>
  %weighted0 = stablehlo.multiply %int0, %iota0 : tensor<648xi32>
  // CHECK: s32[] 5627
  %sum0 = stablehlo.reduce(%weighted0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<648xi32>, tensor<i32>) -> tensor<i32>

  // The same with stride two, few groups, halves.
  %x1i = stablehlo.iota dim = 0 : tensor<1620xi32>
  %x1m = stablehlo.constant dense<7> : tensor<1620xi32>
  %x1r = stablehlo.remainder %x1i, %x1m : tensor<1620xi32>
  %x1o = stablehlo.constant dense<3> : tensor<1620xi32>
  %x1s = stablehlo.subtract %x1r, %x1o : tensor<1620xi32>
  %x1f = stablehlo.convert %x1s : (tensor<1620xi32>) -> tensor<1620xbf16>
  %x1 = stablehlo.reshape %x1f : (tensor<1620xbf16>) -> tensor<3x9x12x5xbf16>
  %w1i = stablehlo.iota dim = 0 : tensor<450xi32>
  %w1m = stablehlo.constant dense<5> : tensor<450xi32>
  %w1r = stablehlo.remainder %w1i, %w1m : tensor<450xi32>
  %w1o = stablehlo.constant dense<2> : tensor<450xi32>
  %w1s = stablehlo.subtract %w1r, %w1o : tensor<450xi32>
  %w1f = stablehlo.convert %w1s : (tensor<450xi32>) -> tensor<450xbf16>
  %w1 = stablehlo.reshape %w1f : (tensor<450xbf16>) -> tensor<3x5x6x5xbf16>
  %y1 = stablehlo.convolution(%x1, %w1) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[0, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [2, 2]} {batch_group_count = 5 : i64, feature_group_count = 1 : i64} : (tensor<3x9x12x5xbf16>, tensor<3x5x6x5xbf16>) -> tensor<2x4x1x5xbf16>
  %flat1 = stablehlo.reshape %y1 : (tensor<2x4x1x5xbf16>) -> tensor<40xbf16>
  %int1 = stablehlo.convert %flat1 : (tensor<40xbf16>) -> tensor<40xi32>
  %iota1 = stablehlo.iota dim = 0 : tensor<40xi32>
  %weighted1 = stablehlo.multiply %int1, %iota1 : tensor<40xi32>
  // CHECK: s32[] -90
  %sum1 = stablehlo.reduce(%weighted1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<40xi32>, tensor<i32>) -> tensor<i32>

  // Holes between elements, windows that are turned round.
  %x2i = stablehlo.iota dim = 0 : tensor<1680xi32>
  %x2m = stablehlo.constant dense<7> : tensor<1680xi32>
  %x2r = stablehlo.remainder %x2i, %x2m : tensor<1680xi32>
  %x2o = stablehlo.constant dense<3> : tensor<1680xi32>
  %x2s = stablehlo.subtract %x2r, %x2o : tensor<1680xi32>
  %x2f = stablehlo.convert %x2s : (tensor<1680xi32>) -> tensor<1680xf32>
  %x2 = stablehlo.reshape %x2f : (tensor<1680xf32>) -> tensor<2x5x7x24xf32>
  %w2i = stablehlo.iota dim = 0 : tensor<216xi32>
  %w2m = stablehlo.constant dense<5> : tensor<216xi32>
  %w2r = stablehlo.remainder %w2i, %w2m : tensor<216xi32>
  %w2o = stablehlo.constant dense<2> : tensor<216xi32>
  %w2s = stablehlo.subtract %w2r, %w2o : tensor<216xi32>
  %w2f = stablehlo.convert %w2s : (tensor<216xi32>) -> tensor<216xf32>
  %w2 = stablehlo.reshape %w2f : (tensor<216xf32>) -> tensor<3x3x1x24xf32>
  %y2 = stablehlo.convolution(%x2, %w2) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 2], [1, 2]], lhs_dilate = [2, 2], rhs_dilate = [1, 1], reverse = [true, true]} {batch_group_count = 1 : i64, feature_group_count = 24 : i64} : (tensor<2x5x7x24xf32>, tensor<3x3x1x24xf32>) -> tensor<2x10x14x24xf32>
  %flat2 = stablehlo.reshape %y2 : (tensor<2x10x14x24xf32>) -> tensor<6720xf32>
  %int2 = stablehlo.convert %flat2 : (tensor<6720xf32>) -> tensor<6720xi32>
  %iota2 = stablehlo.iota dim = 0 : tensor<6720xi32>
  %weighted2 = stablehlo.multiply %int2, %iota2 : tensor<6720xi32>
  // CHECK: s32[] 84270
  %sum2 = stablehlo.reduce(%weighted2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<6720xi32>, tensor<i32>) -> tensor<i32>

  // Rows in pieces of positions, in a dimension of holes.
  %x3i = stablehlo.iota dim = 0 : tensor<10800xi32>
  %x3m = stablehlo.constant dense<7> : tensor<10800xi32>
  %x3r = stablehlo.remainder %x3i, %x3m : tensor<10800xi32>
  %x3o = stablehlo.constant dense<3> : tensor<10800xi32>
  %x3s = stablehlo.subtract %x3r, %x3o : tensor<10800xi32>
  %x3f = stablehlo.convert %x3s : (tensor<10800xi32>) -> tensor<10800xf32>
  %x3 = stablehlo.reshape %x3f : (tensor<10800xf32>) -> tensor<1x600x18xf32>
  %w3i = stablehlo.iota dim = 0 : tensor<90xi32>
  %w3m = stablehlo.constant dense<5> : tensor<90xi32>
  %w3r = stablehlo.remainder %w3i, %w3m : tensor<90xi32>
  %w3o = stablehlo.constant dense<2> : tensor<90xi32>
  %w3s = stablehlo.subtract %w3r, %w3o : tensor<90xi32>
  %w3f = stablehlo.convert %w3s : (tensor<90xi32>) -> tensor<90xf32>
  %w3 = stablehlo.reshape %w3f : (tensor<90xf32>) -> tensor<5x1x18xf32>
  %y3 = stablehlo.convolution(%x3, %w3) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [2], pad = [[3, -1]], lhs_dilate = [3], rhs_dilate = [2]} {batch_group_count = 1 : i64, feature_group_count = 18 : i64} : (tensor<1x600x18xf32>, tensor<5x1x18xf32>) -> tensor<1x896x18xf32>
  %flat3 = stablehlo.reshape %y3 : (tensor<1x896x18xf32>) -> tensor<16128xf32>
  %int3 = stablehlo.convert %flat3 : (tensor<16128xf32>) -> tensor<16128xi32>
  %iota3 = stablehlo.iota dim = 0 : tensor<16128xi32>
  %weighted3 = stablehlo.multiply %int3, %iota3 : tensor<16128xi32>
  // CHECK: s32[] 112978
  %sum3 = stablehlo.reduce(%weighted3 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<16128xi32>, tensor<i32>) -> tensor<i32>

  // Rows in pieces of taps, integers.
  %x4i = stablehlo.iota dim = 0 : tensor<23800xi32>
  %x4m = stablehlo.constant dense<7> : tensor<23800xi32>
  %x4r = stablehlo.remainder %x4i, %x4m : tensor<23800xi32>
  %x4o = stablehlo.constant dense<3> : tensor<23800xi32>
  %x4s = stablehlo.subtract %x4r, %x4o : tensor<23800xi32>
  %x4f = stablehlo.convert %x4s : (tensor<23800xi32>) -> tensor<23800xi32>
  %x4 = stablehlo.reshape %x4f : (tensor<23800xi32>) -> tensor<2x700x17xi32>
  %w4i = stablehlo.iota dim = 0 : tensor<23732xi32>
  %w4m = stablehlo.constant dense<5> : tensor<23732xi32>
  %w4r = stablehlo.remainder %w4i, %w4m : tensor<23732xi32>
  %w4o = stablehlo.constant dense<2> : tensor<23732xi32>
  %w4s = stablehlo.subtract %w4r, %w4o : tensor<23732xi32>
  %w4f = stablehlo.convert %w4s : (tensor<23732xi32>) -> tensor<23732xi32>
  %w4 = stablehlo.reshape %w4f : (tensor<23732xi32>) -> tensor<2x698x17xi32>
  %y4 = stablehlo.convolution(%x4, %w4) dim_numbers = [f, 0, b]x[i, 0, o]->[0, b, f], window = {pad = [[0, 0]]} {batch_group_count = 17 : i64, feature_group_count = 1 : i64} : (tensor<2x700x17xi32>, tensor<2x698x17xi32>) -> tensor<3x1x17xi32>
  %flat4 = stablehlo.reshape %y4 : (tensor<3x1x17xi32>) -> tensor<51xi32>
  %int4 = stablehlo.convert %flat4 : (tensor<51xi32>) -> tensor<51xi32>
  %iota4 = stablehlo.iota dim = 0 : tensor<51xi32>
  %weighted4 = stablehlo.multiply %int4, %iota4 : tensor<51xi32>
  // CHECK: s32[] -579
  %sum4 = stablehlo.reduce(%weighted4 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<51xi32>, tensor<i32>) -> tensor<i32>

  // Doubles.
  %x5i = stablehlo.iota dim = 0 : tensor<648xi32>
  %x5m = stablehlo.constant dense<7> : tensor<648xi32>
  %x5r = stablehlo.remainder %x5i, %x5m : tensor<648xi32>
  %x5o = stablehlo.constant dense<3> : tensor<648xi32>
  %x5s = stablehlo.subtract %x5r, %x5o : tensor<648xi32>
  %x5f = stablehlo.convert %x5s : (tensor<648xi32>) -> tensor<648xf64>
  %x5 = stablehlo.reshape %x5f : (tensor<648xf64>) -> tensor<2x6x6x9xf64>
  %w5i = stablehlo.iota dim = 0 : tensor<648xi32>
  %w5m = stablehlo.constant dense<5> : tensor<648xi32>
  %w5r = stablehlo.remainder %w5i, %w5m : tensor<648xi32>
  %w5o = stablehlo.constant dense<2> : tensor<648xi32>
  %w5s = stablehlo.subtract %w5r, %w5o : tensor<648xi32>
  %w5f = stablehlo.convert %w5s : (tensor<648xi32>) -> tensor<648xf64>
  %w5 = stablehlo.reshape %w5f : (tensor<648xf64>) -> tensor<2x6x6x9xf64>
  %y5 = stablehlo.convolution(%x5, %w5) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {pad = [[1, 1], [2, 0]]} {batch_group_count = 9 : i64, feature_group_count = 1 : i64} : (tensor<2x6x6x9xf64>, tensor<2x6x6x9xf64>) -> tensor<3x3x1x9xf64>
  %flat5 = stablehlo.reshape %y5 : (tensor<3x3x1x9xf64>) -> tensor<81xf64>
  %int5 = stablehlo.convert %flat5 : (tensor<81xf64>) -> tensor<81xi32>
  %iota5 = stablehlo.iota dim = 0 : tensor<81xi32>
  %weighted5 = stablehlo.multiply %int5, %iota5 : tensor<81xi32>
  // CHECK: s32[] -607
  %sum5 = stablehlo.reduce(%weighted5 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<81xi32>, tensor<i32>) -> tensor<i32>

  return %sum0, %sum1, %sum2, %sum3, %sum4, %sum5 : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
}
