// RUN: xla-opt %s --xla-show-sharding-rules | FileCheck %s

// Dimensions that share a letter are cut alike. No operation lacks a row:
// CHECK-NOT: xla.rule = "missing"

// CHECK-LABEL: @pointwise(
// CHECK:         xla.rule = "([], [i, j], [i, j])->([i, j]) {i=2, j=3}"
func.func @pointwise(%x: tensor<2x3xf32>, %p: tensor<i1>) -> tensor<2x3xf32> {
  %0 = stablehlo.select %p, %x, %x : tensor<i1>, tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: @bitcast(
// CHECK:         xla.rule = "([i, j])->([i, j, k]) {i=2, j=3, k=4} need_replication={k}"
func.func @bitcast(%x: tensor<2x3xi32>) -> tensor<2x3x4xi8> {
  %0 = stablehlo.bitcast_convert %x : (tensor<2x3xi32>) -> tensor<2x3x4xi8>
  return %0 : tensor<2x3x4xi8>
}

// CHECK-LABEL: @broadcast(
// CHECK:         xla.rule = "([i, j])->([k, l, j]) {i=1, j=3, k=2, l=5}"
func.func @broadcast(%x: tensor<1x3xf32>) -> tensor<2x5x3xf32> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [1, 2] : (tensor<1x3xf32>) -> tensor<2x5x3xf32>
  return %0 : tensor<2x5x3xf32>
}

// CHECK-LABEL: @transpose(
// CHECK:         xla.rule = "([j, i])->([i, j]) {i=3, j=2}"
func.func @transpose(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// CHECK-LABEL: @reshape_splits(
// CHECK:         xla.rule = "([ij, k])->([i, j, k]) {i=2, j=4, k=3}"
func.func @reshape_splits(%x: tensor<8x3xf32>) -> tensor<2x4x3xf32> {
  %0 = stablehlo.reshape %x : (tensor<8x3xf32>) -> tensor<2x4x3xf32>
  return %0 : tensor<2x4x3xf32>
}

// CHECK-LABEL: @reshape_merges(
// CHECK:         xla.rule = "([i, j, k, l])->([ij, l]) {i=2, j=4, k=1, l=3}"
func.func @reshape_merges(%x: tensor<2x4x1x3xf32>) -> tensor<8x3xf32> {
  %0 = stablehlo.reshape %x : (tensor<2x4x1x3xf32>) -> tensor<8x3xf32>
  return %0 : tensor<8x3xf32>
}

// CHECK-LABEL: @reshape_diverges(
// CHECK:         xla.rule = "([i, k, m])->([j, l, m]) {i=2, j=3, k=3, l=2, m=5} need_replication={i, j, k, l}"
func.func @reshape_diverges(%x: tensor<2x3x5xf32>) -> tensor<3x2x5xf32> {
  %0 = stablehlo.reshape %x : (tensor<2x3x5xf32>) -> tensor<3x2x5xf32>
  return %0 : tensor<3x2x5xf32>
}

// CHECK-LABEL: @reshape_shares_a_divisor(
// CHECK:         xla.rule = "([ij, l])->([ik, m]) {i=2, j=2, k=3, l=9, m=6} need_replication={j, k, l, m}"
func.func @reshape_shares_a_divisor(%x: tensor<4x9xf32>) -> tensor<6x6xf32> {
  %0 = stablehlo.reshape %x : (tensor<4x9xf32>) -> tensor<6x6xf32>
  return %0 : tensor<6x6xf32>
}

// CHECK-LABEL: @dot(
// CHECK:         xla.rule = "([i, j, l], [i, l, k])->([i, j, k]) {i=2, j=3, k=5, l=4} reduction={l}"
func.func @dot(%x: tensor<2x3x4xf32>, %y: tensor<2x4x5xf32>) -> tensor<2x3x5xf32> {
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return %0 : tensor<2x3x5xf32>
}

// CHECK-LABEL: @convolution(
// CHECK:         xla.rule = "([i, l, k], [m, k, j])->([i, l, j]) {i=2, j=5, k=3, l=8, m=3} reduction={k} need_replication={m} permutation={l}"
func.func @convolution(%x: tensor<2x8x3xf32>, %w: tensor<3x3x5xf32>) -> tensor<2x8x5xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x3xf32>, tensor<3x3x5xf32>) -> tensor<2x8x5xf32>
  return %0 : tensor<2x8x5xf32>
}

// CHECK-LABEL: @grouped_convolution(
// CHECK:         xla.rule = "([j, m, il], [n, l, ik])->([j, m, ik]) {i=2, j=2, k=2, l=3, m=8, n=3} reduction={l} need_replication={n} permutation={m}"
func.func @grouped_convolution(%x: tensor<2x8x6xf32>, %w: tensor<3x3x4xf32>) -> tensor<2x8x4xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x8x6xf32>, tensor<3x3x4xf32>) -> tensor<2x8x4xf32>
  return %0 : tensor<2x8x4xf32>
}

// CHECK-LABEL: @reduce(
// CHECK:         xla.rule = "([i, j], [])->([i]) {i=2, j=3} reduction={j}"
func.func @reduce(%x: tensor<2x3xf32>, %i: tensor<f32>) -> tensor<2xf32> {
  %0 = stablehlo.reduce(%x init: %i) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: @slice(
// CHECK:         xla.rule = "([i, j])->([i, j]) {i=8, j=3} permutation={i}"
func.func @slice(%x: tensor<8x3xf32>) -> tensor<4x3xf32> {
  %0 = stablehlo.slice %x [0:4, 0:3] : (tensor<8x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// CHECK-LABEL: @pad(
// CHECK:         xla.rule = "([i, j], [])->([i, j]) {i=10, j=3} permutation={i}"
func.func @pad(%x: tensor<8x3xf32>, %v: tensor<f32>) -> tensor<10x3xf32> {
  %0 = stablehlo.pad %x, %v, low = [1, 0], high = [1, 0], interior = [0, 0] : (tensor<8x3xf32>, tensor<f32>) -> tensor<10x3xf32>
  return %0 : tensor<10x3xf32>
}

// CHECK-LABEL: @reverse(
// CHECK:         xla.rule = "([i, j])->([i, j]) {i=8, j=3} permutation={i}"
func.func @reverse(%x: tensor<8x3xf32>) -> tensor<8x3xf32> {
  %0 = stablehlo.reverse %x, dims = [0] : tensor<8x3xf32>
  return %0 : tensor<8x3xf32>
}

// CHECK-LABEL: @concatenate(
// CHECK:         xla.rule = "([i, j], [i, j])->([i, j]) {i=10, j=3} need_replication={i}"
func.func @concatenate(%x: tensor<8x3xf32>, %y: tensor<2x3xf32>) -> tensor<10x3xf32> {
  %0 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<8x3xf32>, tensor<2x3xf32>) -> tensor<10x3xf32>
  return %0 : tensor<10x3xf32>
}

// CHECK-LABEL: @dynamic_slice(
// CHECK:         xla.rule = "([i, k], [], [])->([j, k]) {i=8, j=4, k=3} need_replication={i, j} blocked_propagation={i, j}"
func.func @dynamic_slice(%x: tensor<8x3xf32>, %i: tensor<i32>) -> tensor<4x3xf32> {
  %0 = stablehlo.dynamic_slice %x, %i, %i, sizes = [4, 3] : (tensor<8x3xf32>, tensor<i32>, tensor<i32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// CHECK-LABEL: @dynamic_update_slice(
// CHECK:         xla.rule = "([i, k], [j, k], [], [])->([i, k]) {i=8, j=4, k=3} need_replication={j}"
func.func @dynamic_update_slice(%x: tensor<8x3xf32>, %u: tensor<4x3xf32>, %i: tensor<i32>) -> tensor<8x3xf32> {
  %0 = stablehlo.dynamic_update_slice %x, %u, %i, %i : (tensor<8x3xf32>, tensor<4x3xf32>, tensor<i32>, tensor<i32>) -> tensor<8x3xf32>
  return %0 : tensor<8x3xf32>
}

// CHECK-LABEL: @gather_rows(
// CHECK:         xla.rule = "([j, i], [k, l])->([k, i]) {i=3, j=8, k=5, l=1} reduction={j} need_replication={l}"
func.func @gather_rows(%x: tensor<8x3xf32>, %i: tensor<5x1xi32>) -> tensor<5x3xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<8x3xf32>, tensor<5x1xi32>) -> tensor<5x3xf32>
  return %0 : tensor<5x3xf32>
}

// CHECK-LABEL: @gather_along_a_batch(
// CHECK:         xla.rule = "([j, i], [j, k])->([j]) {i=8, j=5, k=1} reduction={i} need_replication={k}"
func.func @gather_along_a_batch(%x: tensor<5x8xf32>, %i: tensor<5x1xi32>) -> tensor<5xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<5x8xf32>, tensor<5x1xi32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// CHECK-LABEL: @scatter_add_rows(
// CHECK:         xla.rule = "([j, i], [k, l], [k, i])->([j, i]) {i=3, j=8, k=5, l=1} reduction={k} need_replication={l}"
func.func @scatter_add_rows(%x: tensor<8x3xf32>, %i: tensor<5x1xi32>, %u: tensor<5x3xf32>) -> tensor<8x3xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8x3xf32>, tensor<5x1xi32>, tensor<5x3xf32>) -> tensor<8x3xf32>
  return %0 : tensor<8x3xf32>
}

// CHECK-LABEL: @sort(
// CHECK:         xla.rule = "([i, j])->([i, j]) {i=8, j=3} need_replication={i}"
func.func @sort(%x: tensor<8x3xf32>) -> tensor<8x3xf32> {
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %s : tensor<i1>
  }) : (tensor<8x3xf32>) -> tensor<8x3xf32>
  return %0 : tensor<8x3xf32>
}

// CHECK-LABEL: @fft(
// CHECK:         xla.rule = "([i, j])->([i, k]) {i=2, j=8, k=5} need_replication={j, k} blocked_propagation={j, k}"
func.func @fft(%x: tensor<2x8xf32>) -> tensor<2x5xcomplex<f32>> {
  %0 = stablehlo.fft %x, type = RFFT, length = [8] : (tensor<2x8xf32>) -> tensor<2x5xcomplex<f32>>
  return %0 : tensor<2x5xcomplex<f32>>
}

// CHECK-LABEL: @cholesky(
// CHECK:         xla.rule = "([i, j, k])->([i, j, k]) {i=2, j=4, k=4} need_replication={j, k}"
func.func @cholesky(%x: tensor<2x4x4xf32>) -> tensor<2x4x4xf32> {
  %0 = stablehlo.cholesky %x, lower = true : tensor<2x4x4xf32>
  return %0 : tensor<2x4x4xf32>
}

// CHECK-LABEL: @triangular_solve(
// CHECK:         xla.rule = "([i, j, l], [i, k, m])->([i, k, m]) {i=2, j=4, k=4, l=4, m=3} need_replication={j, k, l, m}"
func.func @triangular_solve(%a: tensor<2x4x4xf32>, %b: tensor<2x4x3xf32>) -> tensor<2x4x3xf32> {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<2x4x4xf32>, tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  return %0 : tensor<2x4x3xf32>
}

// CHECK-LABEL: @random_bits(
// CHECK:         xla.rule = "([i])->([i], [j, k]) {i=2, j=8, k=3} need_replication={i} blocked_propagation={i}"
func.func @random_bits(%s: tensor<2xui64>) -> tensor<8x3xui32> {
  %0, %1 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<8x3xui32>)
  return %1 : tensor<8x3xui32>
}

// CHECK-LABEL: @written_in_the_program(
// CHECK:         xla.rule = "([i, j])->([i, j]) {i=2, j=8} need_replication={j}"
func.func @written_in_the_program(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %0 = stablehlo.custom_call @mine(%x) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=2, j=8} need_replication={j}, custom>} : (tensor<2x8xf32>) -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}

// The piece of a result that nothing in the operands names cannot be made.
// CHECK-LABEL: @written_one_sidedly(
// CHECK:         xla.rule = "([i, j])->([i, k]) {i=2, j=8, k=8} need_replication={j, k}"
func.func @written_one_sidedly(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %0 = stablehlo.custom_call @mine(%x) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, k]) {i=2, j=8, k=8}, custom>} : (tensor<2x8xf32>) -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}

// CHECK-LABEL: @call_on_a_batch(
// CHECK:         xla.rule = "([i, j, k], [i, l])->([i, m, n], [i]) {i=2, j=4, k=4, l=4, m=4, n=4} need_replication={j, k, l, m, n}"
func.func @call_on_a_batch(%x: tensor<2x4x4xf32>, %y: tensor<2x4xf32>) -> (tensor<2x4x4xf32>, tensor<2xi32>) {
  %0:2 = stablehlo.custom_call @mine(%x, %y) {mhlo.frontend_attributes = {num_batch_dims = "1"}} : (tensor<2x4x4xf32>, tensor<2x4xf32>) -> (tensor<2x4x4xf32>, tensor<2xi32>)
  return %0#0, %0#1 : tensor<2x4x4xf32>, tensor<2xi32>
}

// CHECK-LABEL: @call_on_more_of_a_batch_than_there_is(
// CHECK:         num_batch_dims = "3"}} :
func.func @call_on_more_of_a_batch_than_there_is(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.custom_call @mine(%x) {mhlo.frontend_attributes = {num_batch_dims = "3"}} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: @of_a_call_that_nobody_knows(
// CHECK:         xla.rule = "whole"
func.func @of_a_call_that_nobody_knows(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %0 = stablehlo.custom_call @who(%x) : (tensor<2x8xf32>) -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}
