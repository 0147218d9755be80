// RUN: xla-run %s --backend=reference | FileCheck %s
// RUN: xla-run %s --backend=native | FileCheck %s

// Long windows along one dimension, put together from shorter ones.
func.func @main() -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  // Sums of fifty, in several pieces.
  %x0i = stablehlo.iota dim = 0 : tensor<9001xi32>
  %x0m = stablehlo.constant dense<13> : tensor<9001xi32>
  %x0r = stablehlo.remainder %x0i, %x0m : tensor<9001xi32>
  %x0o = stablehlo.constant dense<6> : tensor<9001xi32>
  %x0s = stablehlo.subtract %x0r, %x0o : tensor<9001xi32>
  %x0f = stablehlo.convert %x0s : (tensor<9001xi32>) -> tensor<9001xf32>
  %x0 = stablehlo.reshape %x0f : (tensor<9001xf32>) -> tensor<9001xf32>
  %init0 = stablehlo.constant dense<0.0> : tensor<f32>
  %y0 = "stablehlo.reduce_window"(%x0, %init0) <{window_dimensions = array<i64: 50>, window_strides = array<i64: 1>, padding = dense<[[0, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<9001xf32>, tensor<f32>) -> tensor<8952xf32>
  %flat0 = stablehlo.reshape %y0 : (tensor<8952xf32>) -> tensor<8952xf32>
  %int0 = stablehlo.convert %flat0 : (tensor<8952xf32>) -> tensor<8952xi32>
  %iota0 = stablehlo.iota dim = 0 : tensor<8952xi32>
  %weighted0 = stablehlo.multiply %int0, %iota0 : tensor<8952xi32>
  // CHECK: s32[] 125343
  %sum0 = stablehlo.reduce(%weighted0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8952xi32>, tensor<i32>) -> tensor<i32>

  // Along the first dimension, columns that do not fill a block, a start that counts.
  %x1i = stablehlo.iota dim = 0 : tensor<3330xi32>
  %x1m = stablehlo.constant dense<13> : tensor<3330xi32>
  %x1r = stablehlo.remainder %x1i, %x1m : tensor<3330xi32>
  %x1o = stablehlo.constant dense<6> : tensor<3330xi32>
  %x1s = stablehlo.subtract %x1r, %x1o : tensor<3330xi32>
  %x1f = stablehlo.convert %x1s : (tensor<3330xi32>) -> tensor<3330xf32>
  %x1 = stablehlo.reshape %x1f : (tensor<3330xf32>) -> tensor<90x37xf32>
  %init1 = stablehlo.constant dense<3.0> : tensor<f32>
  %y1 = "stablehlo.reduce_window"(%x1, %init1) <{window_dimensions = array<i64: 11, 1>, window_strides = array<i64: 1, 1>, padding = dense<[[5, 7], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<90x37xf32>, tensor<f32>) -> tensor<92x37xf32>
  %flat1 = stablehlo.reshape %y1 : (tensor<92x37xf32>) -> tensor<3404xf32>
  %int1 = stablehlo.convert %flat1 : (tensor<3404xf32>) -> tensor<3404xi32>
  %iota1 = stablehlo.iota dim = 0 : tensor<3404xi32>
  %weighted1 = stablehlo.multiply %int1, %iota1 : tensor<3404xi32>
  // CHECK: s32[] 17388551
  %sum1 = stablehlo.reduce(%weighted1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3404xi32>, tensor<i32>) -> tensor<i32>

  // The greatest of a row, with padding.
  %x2i = stablehlo.iota dim = 0 : tensor<700xi32>
  %x2m = stablehlo.constant dense<13> : tensor<700xi32>
  %x2r = stablehlo.remainder %x2i, %x2m : tensor<700xi32>
  %x2o = stablehlo.constant dense<6> : tensor<700xi32>
  %x2s = stablehlo.subtract %x2r, %x2o : tensor<700xi32>
  %x2f = stablehlo.convert %x2s : (tensor<700xi32>) -> tensor<700xi32>
  %x2 = stablehlo.reshape %x2f : (tensor<700xi32>) -> tensor<7x100xi32>
  %init2 = stablehlo.constant dense<-2147483648> : tensor<i32>
  %y2 = "stablehlo.reduce_window"(%x2, %init2) <{window_dimensions = array<i64: 1, 9>, window_strides = array<i64: 1, 1>, padding = dense<[[0, 0], [4, 4]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = stablehlo.maximum %a, %b : tensor<i32>
    stablehlo.return %c : tensor<i32>
  }) : (tensor<7x100xi32>, tensor<i32>) -> tensor<7x100xi32>
  %flat2 = stablehlo.reshape %y2 : (tensor<7x100xi32>) -> tensor<700xi32>
  %int2 = stablehlo.convert %flat2 : (tensor<700xi32>) -> tensor<700xi32>
  %iota2 = stablehlo.iota dim = 0 : tensor<700xi32>
  %weighted2 = stablehlo.multiply %int2, %iota2 : tensor<700xi32>
  // CHECK: s32[] 1253384
  %sum2 = stablehlo.reduce(%weighted2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<700xi32>, tensor<i32>) -> tensor<i32>

  // Short windows, padded.
  %x3i = stablehlo.iota dim = 0 : tensor<700xi32>
  %x3m = stablehlo.constant dense<13> : tensor<700xi32>
  %x3r = stablehlo.remainder %x3i, %x3m : tensor<700xi32>
  %x3o = stablehlo.constant dense<6> : tensor<700xi32>
  %x3s = stablehlo.subtract %x3r, %x3o : tensor<700xi32>
  %x3f = stablehlo.convert %x3s : (tensor<700xi32>) -> tensor<700xf64>
  %x3 = stablehlo.reshape %x3f : (tensor<700xf64>) -> tensor<7x100xf64>
  %init3 = stablehlo.constant dense<0.0> : tensor<f64>
  %y3 = "stablehlo.reduce_window"(%x3, %init3) <{window_dimensions = array<i64: 1, 3>, window_strides = array<i64: 1, 1>, padding = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %c = stablehlo.add %a, %b : tensor<f64>
    stablehlo.return %c : tensor<f64>
  }) : (tensor<7x100xf64>, tensor<f64>) -> tensor<7x100xf64>
  %flat3 = stablehlo.reshape %y3 : (tensor<7x100xf64>) -> tensor<700xf64>
  %int3 = stablehlo.convert %flat3 : (tensor<700xf64>) -> tensor<700xi32>
  %iota3 = stablehlo.iota dim = 0 : tensor<700xi32>
  %weighted3 = stablehlo.multiply %int3, %iota3 : tensor<700xi32>
  // CHECK: s32[] 10057
  %sum3 = stablehlo.reduce(%weighted3 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<700xi32>, tensor<i32>) -> tensor<i32>

  // In the middle, with negative padding.
  %x4i = stablehlo.iota dim = 0 : tensor<1050xi32>
  %x4m = stablehlo.constant dense<13> : tensor<1050xi32>
  %x4r = stablehlo.remainder %x4i, %x4m : tensor<1050xi32>
  %x4o = stablehlo.constant dense<6> : tensor<1050xi32>
  %x4s = stablehlo.subtract %x4r, %x4o : tensor<1050xi32>
  %x4f = stablehlo.convert %x4s : (tensor<1050xi32>) -> tensor<1050xi32>
  %x4 = stablehlo.reshape %x4f : (tensor<1050xi32>) -> tensor<3x70x5xi32>
  %init4 = stablehlo.constant dense<2147483647> : tensor<i32>
  %y4 = "stablehlo.reduce_window"(%x4, %init4) <{window_dimensions = array<i64: 1, 32, 1>, window_strides = array<i64: 1, 1, 1>, padding = dense<[[0, 0], [-3, -2], [0, 0]]> : tensor<3x2xi64>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = stablehlo.minimum %a, %b : tensor<i32>
    stablehlo.return %c : tensor<i32>
  }) : (tensor<3x70x5xi32>, tensor<i32>) -> tensor<3x34x5xi32>
  %flat4 = stablehlo.reshape %y4 : (tensor<3x34x5xi32>) -> tensor<510xi32>
  %int4 = stablehlo.convert %flat4 : (tensor<510xi32>) -> tensor<510xi32>
  %iota4 = stablehlo.iota dim = 0 : tensor<510xi32>
  %weighted4 = stablehlo.multiply %int4, %iota4 : tensor<510xi32>
  // CHECK: s32[] -778770
  %sum4 = stablehlo.reduce(%weighted4 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<510xi32>, tensor<i32>) -> tensor<i32>

  // A power of two, of bytes.
  %x5i = stablehlo.iota dim = 0 : tensor<5000xi32>
  %x5m = stablehlo.constant dense<13> : tensor<5000xi32>
  %x5r = stablehlo.remainder %x5i, %x5m : tensor<5000xi32>
  %x5o = stablehlo.constant dense<6> : tensor<5000xi32>
  %x5s = stablehlo.subtract %x5r, %x5o : tensor<5000xi32>
  %x5f = stablehlo.convert %x5s : (tensor<5000xi32>) -> tensor<5000xi8>
  %x5 = stablehlo.reshape %x5f : (tensor<5000xi8>) -> tensor<5000xi8>
  %init5 = stablehlo.constant dense<0> : tensor<i8>
  %y5 = "stablehlo.reduce_window"(%x5, %init5) <{window_dimensions = array<i64: 64>, window_strides = array<i64: 1>, padding = dense<[[0, 63]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<i8>, %b: tensor<i8>):
    %c = stablehlo.add %a, %b : tensor<i8>
    stablehlo.return %c : tensor<i8>
  }) : (tensor<5000xi8>, tensor<i8>) -> tensor<5000xi8>
  %flat5 = stablehlo.reshape %y5 : (tensor<5000xi8>) -> tensor<5000xi8>
  %int5 = stablehlo.convert %flat5 : (tensor<5000xi8>) -> tensor<5000xi32>
  %iota5 = stablehlo.iota dim = 0 : tensor<5000xi32>
  %weighted5 = stablehlo.multiply %int5, %iota5 : tensor<5000xi32>
  // CHECK: s32[] -1907065
  %sum5 = stablehlo.reduce(%weighted5 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<5000xi32>, tensor<i32>) -> tensor<i32>
  return %sum0, %sum1, %sum2, %sum3, %sum4, %sum5 : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
}
