// RUN: xla-run %s --backend=reference | FileCheck %s
// RUN: xla-run %s --backend=native | FileCheck %s

// Inputs with holes between their elements, of which a window sees some.
func.func @main() -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  // Every window has one tap or two.
  %x0i = stablehlo.iota dim = 0 : tensor<1872xi32>
  %x0m = stablehlo.constant dense<7> : tensor<1872xi32>
  %x0r = stablehlo.remainder %x0i, %x0m : tensor<1872xi32>
  %x0o = stablehlo.constant dense<3> : tensor<1872xi32>
  %x0s = stablehlo.subtract %x0r, %x0o : tensor<1872xi32>
  %x0f = stablehlo.convert %x0s : (tensor<1872xi32>) -> tensor<1872xf32>
  %x0 = stablehlo.reshape %x0f : (tensor<1872xf32>) -> tensor<2x9x13x8xf32>
  %w0i = stablehlo.iota dim = 0 : tensor<576xi32>
  %w0m = stablehlo.constant dense<5> : tensor<576xi32>
  %w0r = stablehlo.remainder %w0i, %w0m : tensor<576xi32>
  %w0o = stablehlo.constant dense<2> : tensor<576xi32>
  %w0s = stablehlo.subtract %w0r, %w0o : tensor<576xi32>
  %w0f = stablehlo.convert %w0s : (tensor<576xi32>) -> tensor<576xf32>
  %w0 = stablehlo.reshape %w0f : (tensor<576xf32>) -> tensor<3x3x8x8xf32>
  %y0 = stablehlo.convolution(%x0, %w0) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [2, 1]], lhs_dilate = [2, 2], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x13x8xf32>, tensor<3x3x8x8xf32>) -> tensor<2x17x26x8xf32>
  %flat0 = stablehlo.reshape %y0 : (tensor<2x17x26x8xf32>) -> tensor<7072xf32>
  %int0 = stablehlo.convert %flat0 : (tensor<7072xf32>) -> tensor<7072xi32>
  %iota0 = stablehlo.iota dim = 0 : tensor<7072xi32>
  %weighted0 = stablehlo.multiply %int0, %iota0 : tensor<7072xi32>
  // CHECK: s32[] 203932
  %sum0 = stablehlo.reduce(%weighted0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<7072xi32>, tensor<i32>) -> tensor<i32>

  // Phases without a tap; the features first.
  %x1i = stablehlo.iota dim = 0 : tensor<1584xi32>
  %x1m = stablehlo.constant dense<7> : tensor<1584xi32>
  %x1r = stablehlo.remainder %x1i, %x1m : tensor<1584xi32>
  %x1o = stablehlo.constant dense<3> : tensor<1584xi32>
  %x1s = stablehlo.subtract %x1r, %x1o : tensor<1584xi32>
  %x1f = stablehlo.convert %x1s : (tensor<1584xi32>) -> tensor<1584xf32>
  %x1 = stablehlo.reshape %x1f : (tensor<1584xf32>) -> tensor<2x9x11x8xf32>
  %w1i = stablehlo.iota dim = 0 : tensor<162xi32>
  %w1m = stablehlo.constant dense<5> : tensor<162xi32>
  %w1r = stablehlo.remainder %w1i, %w1m : tensor<162xi32>
  %w1o = stablehlo.constant dense<2> : tensor<162xi32>
  %w1s = stablehlo.subtract %w1r, %w1o : tensor<162xi32>
  %w1f = stablehlo.convert %w1s : (tensor<162xi32>) -> tensor<162xf32>
  %w1 = stablehlo.reshape %w1f : (tensor<162xf32>) -> tensor<9x9x1x2xf32>
  %y1 = stablehlo.convolution(%x1, %w1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[0, 2], [1, 1]], lhs_dilate = [3, 4], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x11x8xf32>, tensor<9x9x1x2xf32>) -> tensor<2x9x33x30xf32>
  %flat1 = stablehlo.reshape %y1 : (tensor<2x9x33x30xf32>) -> tensor<17820xf32>
  %int1 = stablehlo.convert %flat1 : (tensor<17820xf32>) -> tensor<17820xi32>
  %iota1 = stablehlo.iota dim = 0 : tensor<17820xi32>
  %weighted1 = stablehlo.multiply %int1, %iota1 : tensor<17820xi32>
  // CHECK: s32[] 310914
  %sum1 = stablehlo.reduce(%weighted1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<17820xi32>, tensor<i32>) -> tensor<i32>

  // Windows turned round, and elements taken away at the ends.
  %x2i = stablehlo.iota dim = 0 : tensor<1980xi32>
  %x2m = stablehlo.constant dense<7> : tensor<1980xi32>
  %x2r = stablehlo.remainder %x2i, %x2m : tensor<1980xi32>
  %x2o = stablehlo.constant dense<3> : tensor<1980xi32>
  %x2s = stablehlo.subtract %x2r, %x2o : tensor<1980xi32>
  %x2f = stablehlo.convert %x2s : (tensor<1980xi32>) -> tensor<1980xf64>
  %x2 = stablehlo.reshape %x2f : (tensor<1980xf64>) -> tensor<11x9x4x5xf64>
  %w2i = stablehlo.iota dim = 0 : tensor<1000xi32>
  %w2m = stablehlo.constant dense<5> : tensor<1000xi32>
  %w2r = stablehlo.remainder %w2i, %w2m : tensor<1000xi32>
  %w2o = stablehlo.constant dense<2> : tensor<1000xi32>
  %w2s = stablehlo.subtract %w2r, %w2o : tensor<1000xi32>
  %w2f = stablehlo.convert %w2s : (tensor<1000xi32>) -> tensor<1000xf64>
  %w2 = stablehlo.reshape %w2f : (tensor<1000xf64>) -> tensor<4x5x5x10xf64>
  %y2 = stablehlo.convolution(%x2, %w2) dim_numbers = [0, 1, b, f]x[0, 1, i, o]->[f, 0, b, 1], window = {stride = [1, 1], pad = [[-2, 3], [4, -3]], lhs_dilate = [2, 3], rhs_dilate = [1, 1], reverse = [true, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<11x9x4x5xf64>, tensor<4x5x5x10xf64>) -> tensor<10x19x4x22xf64>
  %flat2 = stablehlo.reshape %y2 : (tensor<10x19x4x22xf64>) -> tensor<16720xf64>
  %int2 = stablehlo.convert %flat2 : (tensor<16720xf64>) -> tensor<16720xi32>
  %iota2 = stablehlo.iota dim = 0 : tensor<16720xi32>
  %weighted2 = stablehlo.multiply %int2, %iota2 : tensor<16720xi32>
  // CHECK: s32[] 267520
  %sum2 = stablehlo.reduce(%weighted2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<16720xi32>, tensor<i32>) -> tensor<i32>

  // Groups of features.
  %x3i = stablehlo.iota dim = 0 : tensor<1188xi32>
  %x3m = stablehlo.constant dense<7> : tensor<1188xi32>
  %x3r = stablehlo.remainder %x3i, %x3m : tensor<1188xi32>
  %x3o = stablehlo.constant dense<3> : tensor<1188xi32>
  %x3s = stablehlo.subtract %x3r, %x3o : tensor<1188xi32>
  %x3f = stablehlo.convert %x3s : (tensor<1188xi32>) -> tensor<1188xf32>
  %x3 = stablehlo.reshape %x3f : (tensor<1188xf32>) -> tensor<2x11x9x6xf32>
  %w3i = stablehlo.iota dim = 0 : tensor<576xi32>
  %w3m = stablehlo.constant dense<5> : tensor<576xi32>
  %w3r = stablehlo.remainder %w3i, %w3m : tensor<576xi32>
  %w3o = stablehlo.constant dense<2> : tensor<576xi32>
  %w3s = stablehlo.subtract %w3r, %w3o : tensor<576xi32>
  %w3f = stablehlo.convert %w3s : (tensor<576xi32>) -> tensor<576xf32>
  %w3 = stablehlo.reshape %w3f : (tensor<576xf32>) -> tensor<3x4x3x16xf32>
  %y3 = stablehlo.convolution(%x3, %w3) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[2, 2], [1, 2]], lhs_dilate = [2, 2], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x11x9x6xf32>, tensor<3x4x3x16xf32>) -> tensor<2x23x17x16xf32>
  %flat3 = stablehlo.reshape %y3 : (tensor<2x23x17x16xf32>) -> tensor<12512xf32>
  %int3 = stablehlo.convert %flat3 : (tensor<12512xf32>) -> tensor<12512xi32>
  %iota3 = stablehlo.iota dim = 0 : tensor<12512xi32>
  %weighted3 = stablehlo.multiply %int3, %iota3 : tensor<12512xi32>
  // CHECK: s32[] 96670
  %sum3 = stablehlo.reduce(%weighted3 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<12512xi32>, tensor<i32>) -> tensor<i32>

  // Groups of the batch.
  %x4i = stablehlo.iota dim = 0 : tensor<972xi32>
  %x4m = stablehlo.constant dense<7> : tensor<972xi32>
  %x4r = stablehlo.remainder %x4i, %x4m : tensor<972xi32>
  %x4o = stablehlo.constant dense<3> : tensor<972xi32>
  %x4s = stablehlo.subtract %x4r, %x4o : tensor<972xi32>
  %x4f = stablehlo.convert %x4s : (tensor<972xi32>) -> tensor<972xf32>
  %x4 = stablehlo.reshape %x4f : (tensor<972xf32>) -> tensor<4x3x9x9xf32>
  %w4i = stablehlo.iota dim = 0 : tensor<720xi32>
  %w4m = stablehlo.constant dense<5> : tensor<720xi32>
  %w4r = stablehlo.remainder %w4i, %w4m : tensor<720xi32>
  %w4o = stablehlo.constant dense<2> : tensor<720xi32>
  %w4s = stablehlo.subtract %w4r, %w4o : tensor<720xi32>
  %w4f = stablehlo.convert %w4s : (tensor<720xi32>) -> tensor<720xf32>
  %w4 = stablehlo.reshape %w4f : (tensor<720xf32>) -> tensor<24x3x2x5xf32>
  %y4 = stablehlo.convolution(%x4, %w4) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 0], [2, 2]], lhs_dilate = [2, 3], rhs_dilate = [1, 1]} {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<4x3x9x9xf32>, tensor<24x3x2x5xf32>) -> tensor<2x24x17x25xf32>
  %flat4 = stablehlo.reshape %y4 : (tensor<2x24x17x25xf32>) -> tensor<20400xf32>
  %int4 = stablehlo.convert %flat4 : (tensor<20400xf32>) -> tensor<20400xi32>
  %iota4 = stablehlo.iota dim = 0 : tensor<20400xi32>
  %weighted4 = stablehlo.multiply %int4, %iota4 : tensor<20400xi32>
  // CHECK: s32[] 4240068
  %sum4 = stablehlo.reduce(%weighted4 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<20400xi32>, tensor<i32>) -> tensor<i32>

  // Holes in one dimension; the others have strides, gaps and windows turned round.
  %x5i = stablehlo.iota dim = 0 : tensor<2916xi32>
  %x5m = stablehlo.constant dense<7> : tensor<2916xi32>
  %x5r = stablehlo.remainder %x5i, %x5m : tensor<2916xi32>
  %x5o = stablehlo.constant dense<3> : tensor<2916xi32>
  %x5s = stablehlo.subtract %x5r, %x5o : tensor<2916xi32>
  %x5 = stablehlo.reshape %x5s : (tensor<2916xi32>) -> tensor<2x6x9x9x3xi32>
  %w5i = stablehlo.iota dim = 0 : tensor<360xi32>
  %w5m = stablehlo.constant dense<5> : tensor<360xi32>
  %w5r = stablehlo.remainder %w5i, %w5m : tensor<360xi32>
  %w5o = stablehlo.constant dense<2> : tensor<360xi32>
  %w5s = stablehlo.subtract %w5r, %w5o : tensor<360xi32>
  %w5 = stablehlo.reshape %w5s : (tensor<360xi32>) -> tensor<2x3x4x3x5xi32>
  %y5 = stablehlo.convolution(%x5, %w5) dim_numbers = [b, 0, 1, 2, f]x[0, 1, 2, i, o]->[b, 0, 1, 2, f], window = {stride = [2, 1, 1], pad = [[1, 1], [2, 1], [1, 3]], lhs_dilate = [1, 3, 1], rhs_dilate = [1, 1, 2], reverse = [false, true, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x6x9x9x3xi32>, tensor<2x3x4x3x5xi32>) -> tensor<2x4x26x7x5xi32>
  %flat5 = stablehlo.reshape %y5 : (tensor<2x4x26x7x5xi32>) -> tensor<7280xi32>
  %iota5 = stablehlo.iota dim = 0 : tensor<7280xi32>
  %weighted5 = stablehlo.multiply %flat5, %iota5 : tensor<7280xi32>
  // CHECK: s32[] -530
  %sum5 = stablehlo.reduce(%weighted5 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<7280xi32>, tensor<i32>) -> tensor<i32>

  // One element, seen by windows that reach beyond it.
  %x6i = stablehlo.iota dim = 0 : tensor<40xi32>
  %x6m = stablehlo.constant dense<7> : tensor<40xi32>
  %x6r = stablehlo.remainder %x6i, %x6m : tensor<40xi32>
  %x6o = stablehlo.constant dense<3> : tensor<40xi32>
  %x6s = stablehlo.subtract %x6r, %x6o : tensor<40xi32>
  %x6f = stablehlo.convert %x6s : (tensor<40xi32>) -> tensor<40xf32>
  %x6 = stablehlo.reshape %x6f : (tensor<40xf32>) -> tensor<1x1x40xf32>
  %w6i = stablehlo.iota dim = 0 : tensor<6400xi32>
  %w6m = stablehlo.constant dense<5> : tensor<6400xi32>
  %w6r = stablehlo.remainder %w6i, %w6m : tensor<6400xi32>
  %w6o = stablehlo.constant dense<2> : tensor<6400xi32>
  %w6s = stablehlo.subtract %w6r, %w6o : tensor<6400xi32>
  %w6f = stablehlo.convert %w6s : (tensor<6400xi32>) -> tensor<6400xf32>
  %w6 = stablehlo.reshape %w6f : (tensor<6400xf32>) -> tensor<5x40x32xf32>
  %y6 = stablehlo.convolution(%x6, %w6) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1], pad = [[7, 9]], lhs_dilate = [3], rhs_dilate = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x1x40xf32>, tensor<5x40x32xf32>) -> tensor<1x13x32xf32>
  %flat6 = stablehlo.reshape %y6 : (tensor<1x13x32xf32>) -> tensor<416xf32>
  %int6 = stablehlo.convert %flat6 : (tensor<416xf32>) -> tensor<416xi32>
  %iota6 = stablehlo.iota dim = 0 : tensor<416xi32>
  %weighted6 = stablehlo.multiply %int6, %iota6 : tensor<416xi32>
  // CHECK: s32[] 8775
  %sum6 = stablehlo.reduce(%weighted6 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<416xi32>, tensor<i32>) -> tensor<i32>

  // Strides and holes together are left as they are.
  %x7i = stablehlo.iota dim = 0 : tensor<1760xi32>
  %x7m = stablehlo.constant dense<7> : tensor<1760xi32>
  %x7r = stablehlo.remainder %x7i, %x7m : tensor<1760xi32>
  %x7o = stablehlo.constant dense<3> : tensor<1760xi32>
  %x7s = stablehlo.subtract %x7r, %x7o : tensor<1760xi32>
  %x7f = stablehlo.convert %x7s : (tensor<1760xi32>) -> tensor<1760xf32>
  %x7 = stablehlo.reshape %x7f : (tensor<1760xf32>) -> tensor<2x55x16xf32>
  %w7i = stablehlo.iota dim = 0 : tensor<2048xi32>
  %w7m = stablehlo.constant dense<5> : tensor<2048xi32>
  %w7r = stablehlo.remainder %w7i, %w7m : tensor<2048xi32>
  %w7o = stablehlo.constant dense<2> : tensor<2048xi32>
  %w7s = stablehlo.subtract %w7r, %w7o : tensor<2048xi32>
  %w7f = stablehlo.convert %w7s : (tensor<2048xi32>) -> tensor<2048xf32>
  %w7 = stablehlo.reshape %w7f : (tensor<2048xf32>) -> tensor<4x16x32xf32>
  %y7 = stablehlo.convolution(%x7, %w7) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [3], pad = [[3, 2]], lhs_dilate = [2], rhs_dilate = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x55x16xf32>, tensor<4x16x32xf32>) -> tensor<2x37x32xf32>
  %flat7 = stablehlo.reshape %y7 : (tensor<2x37x32xf32>) -> tensor<2368xf32>
  %int7 = stablehlo.convert %flat7 : (tensor<2368xf32>) -> tensor<2368xi32>
  %iota7 = stablehlo.iota dim = 0 : tensor<2368xi32>
  %weighted7 = stablehlo.multiply %int7, %iota7 : tensor<2368xi32>
  // CHECK: s32[] -45734
  %sum7 = stablehlo.reduce(%weighted7 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2368xi32>, tensor<i32>) -> tensor<i32>

  // Three dimensions, as of the gradient of a volume's windows.
  %x8i = stablehlo.iota dim = 0 : tensor<720xi32>
  %x8m = stablehlo.constant dense<7> : tensor<720xi32>
  %x8r = stablehlo.remainder %x8i, %x8m : tensor<720xi32>
  %x8o = stablehlo.constant dense<3> : tensor<720xi32>
  %x8s = stablehlo.subtract %x8r, %x8o : tensor<720xi32>
  %x8f = stablehlo.convert %x8s : (tensor<720xi32>) -> tensor<720xf32>
  %x8 = stablehlo.reshape %x8f : (tensor<720xf32>) -> tensor<1x5x6x4x6xf32>
  %w8i = stablehlo.iota dim = 0 : tensor<540xi32>
  %w8m = stablehlo.constant dense<5> : tensor<540xi32>
  %w8r = stablehlo.remainder %w8i, %w8m : tensor<540xi32>
  %w8o = stablehlo.constant dense<2> : tensor<540xi32>
  %w8s = stablehlo.subtract %w8r, %w8o : tensor<540xi32>
  %w8f = stablehlo.convert %w8s : (tensor<540xi32>) -> tensor<540xf32>
  %w8 = stablehlo.reshape %w8f : (tensor<540xf32>) -> tensor<3x2x3x5x6xf32>
  %y8 = stablehlo.convolution(%x8, %w8) dim_numbers = [b, 0, 1, 2, f]x[0, 1, 2, o, i]->[b, 0, 1, 2, f], window = {stride = [1, 1, 1], pad = [[1, 2], [1, 1], [2, 1]], lhs_dilate = [2, 2, 2], rhs_dilate = [1, 1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x5x6x4x6xf32>, tensor<3x2x3x5x6xf32>) -> tensor<1x10x12x8x5xf32>
  %flat8 = stablehlo.reshape %y8 : (tensor<1x10x12x8x5xf32>) -> tensor<4800xf32>
  %int8 = stablehlo.convert %flat8 : (tensor<4800xf32>) -> tensor<4800xi32>
  %iota8 = stablehlo.iota dim = 0 : tensor<4800xi32>
  %weighted8 = stablehlo.multiply %int8, %iota8 : tensor<4800xi32>
  // CHECK: s32[] -640
  %sum8 = stablehlo.reduce(%weighted8 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4800xi32>, tensor<i32>) -> tensor<i32>

  // An infinite tap meets elements, and no holes.
  %x9 = stablehlo.constant dense<1.0> : tensor<1x65x16xf32>
  %tap = stablehlo.iota dim = 0 : tensor<3x16x32xf32>
  %one = stablehlo.constant dense<1.0> : tensor<3x16x32xf32>
  %w9 = stablehlo.divide %one, %tap : tensor<3x16x32xf32>
  %y9 = stablehlo.convolution(%x9, %w9) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1], pad = [[0, 0]], lhs_dilate = [2], rhs_dilate = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x65x16xf32>, tensor<3x16x32xf32>) -> tensor<1x127x32xf32>
  %nan9 = stablehlo.compare NE, %y9, %y9 : (tensor<1x127x32xf32>, tensor<1x127x32xf32>) -> tensor<1x127x32xi1>
  %count9 = stablehlo.convert %nan9 : (tensor<1x127x32xi1>) -> tensor<1x127x32xi32>
  // CHECK: s32[] 0
  %sum9 = stablehlo.reduce(%count9 init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x127x32xi32>, tensor<i32>) -> tensor<i32>

  return %sum0, %sum1, %sum2, %sum3, %sum4, %sum5, %sum6, %sum7, %sum8, %sum9 : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
}
