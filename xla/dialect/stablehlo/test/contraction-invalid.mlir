// Each check of the verifiers, by its label.
// RUN: xla-opt %s --split-input-file --verify-diagnostics

func.func @dot_general_c1(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // expected-error @+1 {{batching dimensions differ in number: lhs has 1, rhs has 0 [C1]}}
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [], contracting_dims = [2] x [1] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return
}

// -----

func.func @dot_general_c2(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // expected-error @+1 {{[C2]}}
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return
}

// -----

func.func @dot_general_c3(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // expected-error @+1 {{[C3]}}
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [0] x [1] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return
}

// -----

func.func @dot_general_c4(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // expected-error @+1 {{[C4]}}
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [0] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return
}

// -----

func.func @dot_general_c5(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // expected-error @+1 {{[C5]}}
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [3] x [1] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return
}

// -----

func.func @dot_general_c7(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // expected-error @+1 {{[C7]}}
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [3] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return
}

// -----

func.func @dot_general_c9(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // expected-error @+1 {{batching sizes differ: lhs dim 1 is 3, rhs dim 0 is 2 [C9]}}
  %0 = stablehlo.dot_general %a, %b, batching_dims = [1] x [0], contracting_dims = [2] x [1] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return
}

// -----

func.func @dot_general_c10(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // expected-error @+1 {{contracting sizes differ: lhs dim 1 is 3, rhs dim 1 is 4 [C10]}}
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return
}

// -----

func.func @dot_general_c11(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // expected-error @+1 {{[C11]}}
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return
}

// -----

func.func @dot_general_c12(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // expected-error @+1 {{[C12]}}
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x5x3xf32>
  return
}

// -----

func.func @reduce_c4(%a: tensor<3x4xf32>, %i: tensor<f32>) {
  // expected-error @+1 {{[C4]}}
  %0 = stablehlo.reduce(%a init: %i) applies stablehlo.add across dimensions = [2] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

func.func @reduce_c5(%a: tensor<3x4xf32>, %i: tensor<f32>) {
  // expected-error @+1 {{[C5]}}
  %0 = stablehlo.reduce(%a init: %i) applies stablehlo.add across dimensions = [1, 1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

func.func @reduce_c7(%a: tensor<3x4xf32>, %i: tensor<f32>) {
  // expected-error @+1 {{[C7]}}
  %0 = stablehlo.reduce(%a init: %i) applies stablehlo.add across dimensions = [1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @reduce_c2(%a: tensor<3x4xf32>, %i: tensor<i32>) {
  // expected-error @+1 {{[C2]}}
  %0 = stablehlo.reduce(%a init: %i) applies stablehlo.add across dimensions = [1] : (tensor<3x4xf32>, tensor<i32>) -> tensor<3xf32>
  return
}

// -----

func.func @reduce_c6(%a: tensor<3x4xf32>, %i: tensor<f32>) {
  // expected-error @+1 {{body returns}}
  %0 = stablehlo.reduce(%a init: %i) across dimensions = [1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
   reducer(%x: tensor<f32>, %y: tensor<f32>) {
    %p = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }
  return
}

// -----

func.func @reduce_window_c4(%a: tensor<6xf32>, %i: tensor<f32>) {
  // expected-error @+1 {{[C4]}}
  %0 = "stablehlo.reduce_window"(%a, %i) <{window_dimensions = array<i64: 2, 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<6xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

func.func @reduce_window_c5(%a: tensor<6xf32>, %i: tensor<f32>) {
  // expected-error @+1 {{[C5]}}
  %0 = "stablehlo.reduce_window"(%a, %i) <{window_dimensions = array<i64: 0>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<6xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

func.func @reduce_window_c6(%a: tensor<6xf32>, %i: tensor<f32>) {
  // expected-error @+1 {{[C6]}}
  %0 = "stablehlo.reduce_window"(%a, %i) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2, 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<6xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

func.func @reduce_window_c8(%a: tensor<6xf32>, %i: tensor<f32>) {
  // expected-error @+1 {{[C8]}}
  %0 = "stablehlo.reduce_window"(%a, %i) <{window_dimensions = array<i64: 2>, base_dilations = array<i64: 0>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<6xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

func.func @reduce_window_c10(%a: tensor<6xf32>, %i: tensor<f32>) {
  // expected-error @+1 {{[C10]}}
  %0 = "stablehlo.reduce_window"(%a, %i) <{window_dimensions = array<i64: 2>, window_dilations = array<i64: 0>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<6xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

func.func @reduce_window_c12(%a: tensor<6xf32>, %i: tensor<f32>) {
  // expected-error @+1 {{[C12]}}
  %0 = "stablehlo.reduce_window"(%a, %i) <{window_dimensions = array<i64: 2>, padding = dense<0> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<6xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

func.func @reduce_window_c15(%a: tensor<6xf32>, %i: tensor<f32>) {
  // expected-error @+1 {{[C15]}}
  %0 = "stablehlo.reduce_window"(%a, %i) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<6xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @convolution_c1(%a: tensor<4x8x8x4xf32>, %b: tensor<3x3x4xf32>) {
  // expected-error @+1 {{[C1]}}
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x4xf32>, tensor<3x3x4xf32>) -> tensor<4x6x6x6xf32>
  return
}

// -----

func.func @convolution_c10(%a: tensor<4x8x8x4xf32>, %b: tensor<3x3x4x6xf32>) {
  // expected-error @+1 {{[C10]}}
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1]} {batch_group_count = 3 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<4x6x6x6xf32>
  return
}

// -----

func.func @convolution_c11(%a: tensor<4x8x8x4xf32>, %b: tensor<3x3x4x6xf32>) {
  // expected-error @+1 {{[C11]}}
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 3 : i64} : (tensor<4x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<4x6x6x6xf32>
  return
}

// -----

func.func @convolution_c14(%a: tensor<4x8x8x4xf32>, %b: tensor<3x3x4x6xf32>) {
  // expected-error @+1 {{[C14]}}
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<4x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<4x6x6x6xf32>
  return
}

// -----

func.func @convolution_c21(%a: tensor<4x8x8x4xf32>, %b: tensor<3x3x4x6xf32>) {
  // expected-error @+1 {{[C21, C22]}}
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 0 : i64} : (tensor<4x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<4x6x6x6xf32>
  return
}

// -----

func.func @convolution_c23(%a: tensor<4x8x8x4xf32>, %b: tensor<3x3x4x6xf32>) {
  // expected-error @+1 {{[C23]}}
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1]} {batch_group_count = 2 : i64, feature_group_count = 2 : i64} : (tensor<4x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<4x6x6x6xf32>
  return
}

// -----

func.func @convolution_c25(%a: tensor<4x8x8x4xf32>, %b: tensor<3x3x4x6xf32>) {
  // expected-error @+1 {{[C25]}}
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<4x5x6x6xf32>
  return
}

// -----

func.func @convolution_c6(%a: tensor<4x8x8x4xf32>, %b: tensor<3x3x4x6xf32>) {
  // expected-error @+1 {{[C6]}}
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<4x6x6x6xf32>
  return
}

// -----

func.func @convolution_c9(%a: tensor<4x8x8x4xf32>, %b: tensor<3x3x4x6xf32>) {
  // expected-error @+1 {{[C9]}}
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {reverse = [true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<4x6x6x6xf32>
  return
}

// -----

func.func @fft_c1(%a: tensor<8xf32>) {
  // expected-error @+2 {{[C1]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.fft %a, type = RFFT, length = [8, 8] : (tensor<8xf32>) -> tensor<5xcomplex<f32>>
  return
}

// -----

func.func @fft_c2(%a: tensor<8xf32>) {
  // expected-error @+2 {{[C2]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.fft %a, type = FFT, length = [8] : (tensor<8xf32>) -> tensor<8xcomplex<f32>>
  return
}

// -----

func.func @fft_c3(%a: tensor<8xf32>) {
  // expected-error @+2 {{[C3]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.fft %a, type = RFFT, length = [] : (tensor<8xf32>) -> tensor<5xcomplex<f32>>
  return
}

// -----

func.func @fft_c4(%a: tensor<8xf32>) {
  // expected-error @+2 {{[C4]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.fft %a, type = RFFT, length = [7] : (tensor<8xf32>) -> tensor<5xcomplex<f32>>
  return
}

// -----

func.func @fft_c5(%a: tensor<8xcomplex<f32>>) {
  // expected-error @+2 {{[C5]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.fft %a, type = IRFFT, length = [8] : (tensor<8xcomplex<f32>>) -> tensor<8xf32>
  return
}

// -----

func.func @cholesky_c3(%a: tensor<3x4xf32>) {
  // expected-error @+1 {{[C3]}}
  %0 = stablehlo.cholesky %a : tensor<3x4xf32>
  return
}

// -----

func.func @triangular_solve_c3(%a: tensor<3x4xf32>, %b: tensor<3x2xf32>) {
  // expected-error @+2 {{[C3]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<3x4xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @batch_norm_c1(%a: tensor<4x2xf32>, %b: tensor<2xf32>) {
  // expected-error @+2 {{[C1]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:3 = "stablehlo.batch_norm_training"(%a, %b, %b) <{epsilon = 1.0e-03 : f32, feature_index = 2 : i64}> : (tensor<4x2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<4x2xf32>, tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

func.func @map_c3(%a: tensor<2xf32>) {
  // expected-error @+1 {{[C3]}}
  %0 = "stablehlo.map"(%a) <{dimensions = array<i64: 1>}> ({
  ^bb0(%x: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<2xf32>) -> tensor<2xf32>
  return
}
