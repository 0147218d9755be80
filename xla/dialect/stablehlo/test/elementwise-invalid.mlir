// Each check of the verifiers, by its label.
// RUN: xla-opt %s --split-input-file --verify-diagnostics

func.func @complex_c1(%a: tensor<2xf32>, %b: tensor<2xf64>) {
  // expected-error @+2 {{parts differ in type: }}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.complex"(%a, %b) : (tensor<2xf32>, tensor<2xf64>) -> tensor<2xcomplex<f32>>
  return
}

// -----

func.func @compare_c1(%a: tensor<2xf32>, %b: tensor<2xi32>) {
  // expected-error @+2 {{operands differ in element type: 'f32' and 'i32' [C1]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.compare LT, %a, %b : (tensor<2xf32>, tensor<2xi32>) -> tensor<2xi1>
  return
}

// -----

func.func @compare_c2(%a: tensor<2xf32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{all non-scalar operands/results must have the same shape and base type}}
  %0 = stablehlo.compare LT, %a, %b : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xi1>
  return
}

// -----

func.func @compare_c3(%a: tensor<2xf32>) {
  // expected-error @+2 {{cannot compare 'f32' as SIGNED [C3]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.compare LT, %a, %a, SIGNED : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  return
}

// -----

func.func @select_c1(%a: tensor<3xi1>, %b: tensor<2xf32>) {
  // expected-error @+2 {{[C1]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.select %a, %b, %b : tensor<3xi1>, tensor<2xf32>
  return
}

// -----

func.func @select_c2(%a: tensor<i1>, %b: tensor<2xf32>, %c: tensor<3xf32>) {
  // expected-error @+2 {{[C2]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.select %a, %b, %c : (tensor<i1>, tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @clamp_c1(%a: tensor<3xf32>, %b: tensor<2xf32>) {
  // expected-error @+2 {{min is neither a scalar nor of the operand}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.clamp %a, %b, %b : (tensor<3xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @clamp_c2(%a: tensor<3xf32>, %b: tensor<2xf32>) {
  // expected-error @+2 {{max is neither a scalar nor of the operand}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.clamp %b, %b, %a : (tensor<2xf32>, tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @clamp_c3(%a: tensor<i32>, %b: tensor<2xf32>) {
  // expected-error @+2 {{[C3]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.clamp %a, %b, %a : (tensor<i32>, tensor<2xf32>, tensor<i32>) -> tensor<2xf32>
  return
}

// -----

func.func @bitcast_c1(%a: tensor<2xf32>) {
  // expected-error @+1 {{the narrower side needs one more dimension, of size 4}}
  %0 = stablehlo.bitcast_convert %a : (tensor<2xf32>) -> tensor<2x2xi8>
  return
}

// -----

func.func @bitcast_c1_shape(%a: tensor<2xf32>) {
  // expected-error @+1 {{shapes do not correspond}}
  %0 = stablehlo.bitcast_convert %a : (tensor<2xf32>) -> tensor<3xi32>
  return
}

// -----

func.func @bitcast_c2(%a: tensor<2xcomplex<f32>>) {
  // expected-error @+1 {{[C2]}}
  %0 = stablehlo.bitcast_convert %a : (tensor<2xcomplex<f32>>) -> tensor<2xf64>
  return
}

// -----

func.func @reduce_precision_c2(%a: tensor<2xf32>) {
  // expected-error @+1 {{[C2]}}
  %0 = stablehlo.reduce_precision %a, format = e0m3 : tensor<2xf32>
  return
}

// -----

func.func @reduce_precision_c3(%a: tensor<2xf32>) {
  // expected-error @+1 {{[C3]}}
  %0 = "stablehlo.reduce_precision"(%a) <{exponent_bits = 3 : i32, mantissa_bits = -1 : i32}> : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @add_types(%a: tensor<2xf32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{all non-scalar operands/results must have the same shape and base type}}
  %0 = "stablehlo.add"(%a, %b) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}
