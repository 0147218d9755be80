// Each check of the verifiers, by its label.
// RUN: xla-opt %s --split-input-file --verify-diagnostics

func.func @while_c1(%a: tensor<i32>, %p: tensor<i1>) {
  // expected-error @+1 {{cond returns}}
  %0 = stablehlo.while(%x = %a) : tensor<i32>
   cond {
    stablehlo.return %x : tensor<i32>
  } do {
    stablehlo.return %x : tensor<i32>
  }
  return
}

// -----

func.func @while_c2(%a: tensor<i32>, %p: tensor<i1>) {
  // expected-error @+1 {{body returns}}
  %0 = stablehlo.while(%x = %a) : tensor<i32>
   cond {
    stablehlo.return %p : tensor<i1>
  } do {
    stablehlo.return %p : tensor<i1>
  }
  return
}

// -----

func.func @if_c3(%p: tensor<i1>, %a: tensor<f32>) {
  // expected-error @+1 {{false_branch returns}}
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %a : tensor<f32>
  }, {
    stablehlo.return %p : tensor<i1>
  }) : (tensor<i1>) -> tensor<f32>
  return
}

// -----

func.func @if_i1(%p: tensor<2xi1>, %a: tensor<f32>) {
  // expected-error @+1 {{[I1]}}
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %a : tensor<f32>
  }, {
    stablehlo.return %a : tensor<f32>
  }) : (tensor<2xi1>) -> tensor<f32>
  return
}

// -----

func.func @case_c1(%i: tensor<i32>) {
  // expected-error @+1 {{needs a branch [C1]}}
  "stablehlo.case"(%i) : (tensor<i32>) -> ()
  return
}

// -----

func.func @case_c4(%i: tensor<i32>, %a: tensor<f32>) {
  // expected-error @+1 {{branch 0 returns}}
  %0 = "stablehlo.case"(%i) ({
    stablehlo.return %i : tensor<i32>
  }) : (tensor<i32>) -> tensor<f32>
  return
}

// -----

func.func @get_tuple_element_c1(%t: tuple<tensor<f32>>) {
  // expected-error @+2 {{[C1]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.get_tuple_element %t[1] : (tuple<tensor<f32>>) -> tensor<f32>
  return
}

// -----

func.func @composite_c2(%a: tensor<f32>) {
  // expected-error @+1 {{[C2]}}
  %0 = stablehlo.composite "a.b" %a {decomposition = @nowhere} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @rng_bit_generator_c1(%s: tensor<2xui64>) {
  // expected-error @+1 {{[C1]}}
  %0, %1 = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<3xui64>, tensor<4xui32>)
  return
}

// -----

func.func @custom_call_layouts(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{layout [0, 0] is no permutation}}
  %0 = stablehlo.custom_call @f(%a) {operand_layouts = [dense<[0, 0]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @custom_call_one_layout(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{has layouts for one of operands and results}}
  %0 = stablehlo.custom_call @f(%a) {operand_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @all_to_all_c2(%a: tensor<3xf32>) {
  // expected-error @+2 {{[C2]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.all_to_all"(%a) <{concat_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @rng_c1(%a: tensor<2xf32>, %s: tensor<1xi64>) {
  // expected-error @+2 {{[C1]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.rng %a, %a, %s, distribution = UNIFORM : (tensor<2xf32>, tensor<2xf32>, tensor<1xi64>) -> tensor<2xf32>
  return
}

// -----

func.func @rng_bit_generator_of_complex(%s: tensor<2xui64>) {
  // expected-error @+1 {{makes integers and floating-point numbers, not 'tensor<4xcomplex<f32>>'}}
  %0, %1 = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xcomplex<f32>>)
  return
}
