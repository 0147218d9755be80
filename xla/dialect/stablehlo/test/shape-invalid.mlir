// Each check of the verifiers, by its label.
// RUN: xla-opt %s --split-input-file --verify-diagnostics

func.func @iota_c1() {
  // expected-error @+1 {{dimension 1 is out of range for rank 1 [C1]}}
  %0 = stablehlo.iota dim = 1 : tensor<2xi32>
  return
}

// -----

func.func @reshape_c1(%a: tensor<2xf32>) {
  // expected-error @+1 {{[C1]}}
  %0 = stablehlo.reshape %a : (tensor<2xf32>) -> tensor<2xi32>
  return
}

// -----

func.func @reshape_c2(%a: tensor<2xf32>) {
  // expected-error @+1 {{has 2,}}
  %0 = stablehlo.reshape %a : (tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @transpose_c2(%a: tensor<2x3xf32>) {
  // expected-error @+2 {{dims = [0, 0] is no permutation of the 2 dimensions}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.transpose %a, dims = [0, 0] : (tensor<2x3xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @transpose_result(%a: tensor<2x3xf32>) {
  // expected-error @+2 {{are incompatible with return type(s)}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @broadcast_in_dim_c1(%a: tensor<3xf32>) {
  // expected-error @+1 {{[C1]}}
  %0 = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<3xf32>) -> tensor<3xi32>
  return
}

// -----

func.func @broadcast_in_dim_c2(%a: tensor<3xf32>) {
  // expected-error @+1 {{[C2]}}
  %0 = stablehlo.broadcast_in_dim %a, dims = [0, 1] : (tensor<3xf32>) -> tensor<3x3xf32>
  return
}

// -----

func.func @broadcast_in_dim_c3(%a: tensor<3xf32>) {
  // expected-error @+1 {{[C3]}}
  %0 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @broadcast_in_dim_c4(%a: tensor<3x3xf32>) {
  // expected-error @+1 {{[C4]}}
  %0 = stablehlo.broadcast_in_dim %a, dims = [0, 0] : (tensor<3x3xf32>) -> tensor<3x3xf32>
  return
}

// -----

func.func @broadcast_in_dim_c5(%a: tensor<3xf32>) {
  // expected-error @+1 {{operand dim 0 is 3, neither 1 nor result dim 0, which is 4 [C5]}}
  %0 = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @concatenate_c1(%a: tensor<2xf32>, %b: tensor<2xi32>) {
  // expected-error @+2 {{[C1]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<2xf32>, tensor<2xi32>) -> tensor<4xf32>
  return
}

// -----

func.func @concatenate_c2(%a: tensor<2x2xf32>, %b: tensor<2x3xf32>) {
  // expected-error @+2 {{[C2]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<2x2xf32>, tensor<2x3xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @concatenate_c3() {
  // expected-error @+2 {{needs an input [C3]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.concatenate"() <{dimension = 0 : i64}> : () -> tensor<4xf32>
  return
}

// -----

func.func @concatenate_c4(%a: tensor<2xf32>) {
  // expected-error @+2 {{[C4]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.concatenate %a, dim = 1 : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @slice_c2(%a: tensor<2xf32>) {
  // expected-error @+2 {{[C2]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.slice %a [0:1, 0:1] : (tensor<2xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @slice_c3(%a: tensor<2xf32>) {
  // expected-error @+2 {{range 1:3 is not in dim 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.slice %a [1:3] : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @slice_c4(%a: tensor<2xf32>) {
  // expected-error @+2 {{[C4]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.slice %a [0:1:0] : (tensor<2xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @pad_c1(%a: tensor<2xf32>, %v: tensor<i32>) {
  // expected-error @+2 {{[C1]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.pad %a, %v, low = [1], high = [0], interior = [0] : (tensor<2xf32>, tensor<i32>) -> tensor<3xf32>
  return
}

// -----

func.func @pad_c2(%a: tensor<2xf32>, %v: tensor<f32>) {
  // expected-error @+2 {{[C2]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.pad %a, %v, low = [1, 1], high = [0], interior = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

func.func @pad_c3(%a: tensor<2xf32>, %v: tensor<f32>) {
  // expected-error @+2 {{[C3]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.pad %a, %v, low = [1], high = [0], interior = [-1] : (tensor<2xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

func.func @pad_c4(%a: tensor<2xf32>, %v: tensor<f32>) {
  // expected-error @+2 {{[C4]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.pad %a, %v, low = [-3], high = [0], interior = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

func.func @reverse_c2(%a: tensor<2xf32>) {
  // expected-error @+1 {{[C2]}}
  %0 = stablehlo.reverse %a, dims = [0, 0] : tensor<2xf32>
  return
}

// -----

func.func @reverse_c3(%a: tensor<2xf32>) {
  // expected-error @+1 {{[C3]}}
  %0 = stablehlo.reverse %a, dims = [1] : tensor<2xf32>
  return
}

// -----

func.func @get_dimension_size_c1(%a: tensor<2xf32>) {
  // expected-error @+2 {{[C1]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.get_dimension_size %a, dim = 1 : (tensor<2xf32>) -> tensor<i32>
  return
}
