// Each check of the verifiers, by its label.
// RUN: xla-opt %s --split-input-file --verify-diagnostics

func.func @dynamic_slice_c2(%a: tensor<5xf32>, %i: tensor<i32>) {
  // expected-error @+2 {{[C2]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.dynamic_slice %a, %i, %i, sizes = [2] : (tensor<5xf32>, tensor<i32>, tensor<i32>) -> tensor<2xf32>
  return
}

// -----

func.func @dynamic_slice_c3(%a: tensor<5x5xf32>, %i: tensor<i32>, %j: tensor<i64>) {
  // expected-error @+2 {{[C3]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.dynamic_slice %a, %i, %j, sizes = [2, 2] : (tensor<5x5xf32>, tensor<i32>, tensor<i64>) -> tensor<2x2xf32>
  return
}

// -----

func.func @dynamic_slice_c4(%a: tensor<5xf32>, %i: tensor<i32>) {
  // expected-error @+2 {{size 6 does not fit in dim 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.dynamic_slice %a, %i, sizes = [6] : (tensor<5xf32>, tensor<i32>) -> tensor<6xf32>
  return
}

// -----

func.func @dynamic_update_slice_c2(%a: tensor<5xf32>, %u: tensor<2xi32>, %i: tensor<i32>) {
  // expected-error @+2 {{[C2]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.dynamic_update_slice %a, %u, %i : (tensor<5xf32>, tensor<2xi32>, tensor<i32>) -> tensor<5xf32>
  return
}

// -----

func.func @dynamic_update_slice_c3(%a: tensor<5xf32>, %u: tensor<2x1xf32>, %i: tensor<i32>) {
  // expected-error @+2 {{[C3]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.dynamic_update_slice %a, %u, %i : (tensor<5xf32>, tensor<2x1xf32>, tensor<i32>) -> tensor<5xf32>
  return
}

// -----

func.func @dynamic_update_slice_c6(%a: tensor<5xf32>, %u: tensor<6xf32>, %i: tensor<i32>) {
  // expected-error @+2 {{[C6]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.dynamic_update_slice %a, %u, %i : (tensor<5xf32>, tensor<6xf32>, tensor<i32>) -> tensor<5xf32>
  return
}

// -----

func.func @dynamic_update_slice_c4(%a: tensor<5xf32>, %u: tensor<2xf32>) {
  // expected-error @+2 {{[C4]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = stablehlo.dynamic_update_slice %a, %u : (tensor<5xf32>, tensor<2xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @gather_c1(%a: tensor<8x4xf32>, %i: tensor<5x1xi32>) {
  // expected-error @+2 {{[C1]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<8x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>
  return
}

// -----

func.func @gather_c2(%a: tensor<8x4xf32>, %i: tensor<5x1xi32>) {
  // expected-error @+2 {{[C2]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 3>, slice_sizes = array<i64: 1, 4>}> : (tensor<8x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>
  return
}

// -----

func.func @gather_c3(%a: tensor<8x4xf32>, %i: tensor<5x1xi32>) {
  // expected-error @+2 {{[C3]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<8x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>
  return
}

// -----

func.func @gather_c4(%a: tensor<8x4xf32>, %i: tensor<5x1xi32>) {
  // expected-error @+2 {{[C4]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [5], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<8x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>
  return
}

// -----

func.func @gather_c6(%a: tensor<8x4xf32>, %i: tensor<5x1xi32>) {
  // expected-error @+2 {{[C6]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0, 0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<8x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>
  return
}

// -----

func.func @gather_c7(%a: tensor<8x4xf32>, %i: tensor<5x1xi32>) {
  // expected-error @+2 {{[C7]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [1, 0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<8x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>
  return
}

// -----

func.func @gather_c9(%a: tensor<8x4xf32>, %i: tensor<5x1xi32>) {
  // expected-error @+2 {{[C9]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 2, 4>}> : (tensor<8x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>
  return
}

// -----

func.func @gather_c15(%a: tensor<8x4xf32>, %i: tensor<5x1xi32>) {
  // expected-error @+2 {{[C15]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<8x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>
  return
}

// -----

func.func @gather_c16(%a: tensor<8x4xf32>, %i: tensor<5x1xi32>) {
  // expected-error @+2 {{[C16]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], operand_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<8x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>
  return
}

// -----

func.func @gather_c17(%a: tensor<8x4xf32>, %i: tensor<5x1xi32>) {
  // expected-error @+2 {{[C17]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<8x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>
  return
}

// -----

func.func @gather_c18(%a: tensor<8x4xf32>, %i: tensor<5x1xi32>) {
  // expected-error @+2 {{[C18]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [5], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<8x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>
  return
}

// -----

func.func @gather_c20(%a: tensor<8x4xf32>, %i: tensor<5x1xi32>) {
  // expected-error @+2 {{[C20]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<8x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>
  return
}

// -----

func.func @gather_c21(%a: tensor<8x4xf32>, %i: tensor<5x1xi32>) {
  // expected-error @+2 {{slice size 5 does not fit in dim 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 5>}> : (tensor<8x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>
  return
}

// -----

func.func @scatter_c3_c4(%a: tensor<8xf32>, %i: tensor<5x1xi32>, %u: tensor<4xf32>) {
  // expected-error @+1 {{[C4]}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8xf32>, tensor<5x1xi32>, tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @scatter_c6(%a: tensor<8xf32>, %i: tensor<5x1xi32>, %u: tensor<5xi32>) {
  // expected-error @+1 {{[C6]}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8xf32>, tensor<5x1xi32>, tensor<5xi32>) -> tensor<8xf32>
  return
}

// -----

func.func @scatter_c23(%a: tensor<8xf32>, %i: tensor<5x1xi32>, %u: tensor<5xf32>) {
  // expected-error @+1 {{update_computation takes}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<8xf32>, tensor<5x1xi32>, tensor<5xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @scatter_c24(%a: tensor<8xf32>, %i: tensor<5x1xi32>, %u: tensor<5xf32>) {
  // expected-error @+1 {{[C24]}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8xf32>, tensor<5x1xi32>, tensor<5xf32>) -> tensor<9xf32>
  return
}

// -----

func.func @sort_c2(%a: tensor<6xf32>) {
  // expected-error @+1 {{[C2]}}
  %0 = "stablehlo.sort"(%a) <{}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %p = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<6xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @sort_c4(%a: tensor<6xf32>) {
  // expected-error @+1 {{[C4]}}
  %0 = "stablehlo.sort"(%a) <{dimension = 1 : i64}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %p = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<6xf32>) -> tensor<6xf32>
  return
}

// -----

func.func @sort_c5(%a: tensor<6xf32>) {
  // expected-error @+1 {{comparator returns}}
  %0 = "stablehlo.sort"(%a) <{}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %p = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %x : tensor<f32>
  }) : (tensor<6xf32>) -> tensor<6xf32>
  return
}
