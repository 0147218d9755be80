// RUN: xla-run %s --backend=reference > %t.reference
// RUN: xla-run %s --backend=native > %t.native
// RUN: diff %t.reference %t.native

// Products in line and by the runtime, transposed, batched, of integers and
// truth values; a window, a running sum, a convolution with every option.

func.func @main() -> (tensor<5x7xf32>, tensor<40x30xf32>, tensor<2x3x3xf32>, tensor<5x5xi32>, tensor<2x2xi1>, tensor<f32>, tensor<2x2xf32>, tensor<6xf32>, tensor<1x3x3x4xf32>) {
  %a = stablehlo.iota dim = 0 : tensor<35xf32>
  %l = stablehlo.reshape %a : (tensor<35xf32>) -> tensor<5x7xf32>
  %lt = stablehlo.transpose %l, dims = [1, 0] : (tensor<5x7xf32>) -> tensor<7x5xf32>
  %sq = stablehlo.dot_general %lt, %l, contracting_dims = [1] x [0] : (tensor<7x5xf32>, tensor<5x7xf32>) -> tensor<7x7xf32>
  %part = stablehlo.slice %sq [0:5, 0:7] : (tensor<7x7xf32>) -> tensor<5x7xf32>
  %i = stablehlo.iota dim = 0 : tensor<40x50xf32>
  %j = stablehlo.iota dim = 1 : tensor<30x50xf32>
  %big = stablehlo.dot_general %i, %j, contracting_dims = [1] x [1] : (tensor<40x50xf32>, tensor<30x50xf32>) -> tensor<40x30xf32>
  %b = stablehlo.slice %a [0:24] : (tensor<35xf32>) -> tensor<24xf32>
  %b1 = stablehlo.reshape %b : (tensor<24xf32>) -> tensor<2x3x4xf32>
  %b2 = stablehlo.reshape %b : (tensor<24xf32>) -> tensor<4x2x3xf32>
  %bb = stablehlo.dot_general %b1, %b2, batching_dims = [0] x [1], contracting_dims = [2] x [0] : (tensor<2x3x4xf32>, tensor<4x2x3xf32>) -> tensor<2x3x3xf32>
  %li = stablehlo.convert %l : (tensor<5x7xf32>) -> tensor<5x7xi32>
  %ii = stablehlo.dot_general %li, %li, contracting_dims = [1] x [1] : (tensor<5x7xi32>, tensor<5x7xi32>) -> tensor<5x5xi32>
  %q = stablehlo.constant dense<[[true, false], [false, false]]> : tensor<2x2xi1>
  %qq = stablehlo.dot_general %q, %q, contracting_dims = [1] x [0] : (tensor<2x2xi1>, tensor<2x2xi1>) -> tensor<2x2xi1>
  %inner = stablehlo.dot_general %a, %a, contracting_dims = [0] x [0] : (tensor<35xf32>, tensor<35xf32>) -> tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %w = "stablehlo.reduce_window"(%l, %low) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %m = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) {window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 2, 3>} : (tensor<5x7xf32>, tensor<f32>) -> tensor<2x2xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %six = stablehlo.slice %a [4:10] : (tensor<35xf32>) -> tensor<6xf32>
  %run = "stablehlo.reduce_window"(%six, %zero) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %m = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) {window_dimensions = array<i64: 6>, padding = dense<[[5, 0]]> : tensor<1x2xi64>} : (tensor<6xf32>, tensor<f32>) -> tensor<6xf32>
  %image = stablehlo.reshape %b : (tensor<24xf32>) -> tensor<1x4x3x2xf32>
  %kernel = stablehlo.reshape %b : (tensor<24xf32>) -> tensor<3x2x1x4xf32>
  %conv = stablehlo.convolution(%image, %kernel) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[2, 1], [0, 1]], lhs_dilate = [1, 2], rhs_dilate = [1, 3], reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<1x4x3x2xf32>, tensor<3x2x1x4xf32>) -> tensor<1x3x3x4xf32>
  return %part, %big, %bb, %ii, %qq, %inner, %w, %run, %conv : tensor<5x7xf32>, tensor<40x30xf32>, tensor<2x3x3xf32>, tensor<5x5xi32>, tensor<2x2xi1>, tensor<f32>, tensor<2x2xf32>, tensor<6xf32>, tensor<1x3x3x4xf32>
}
