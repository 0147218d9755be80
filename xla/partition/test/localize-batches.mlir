// RUN: xla-opt %s --xla-import-shardings --xla-propagate-shardings --xla-make-shardings-consistent --xla-localize --split-input-file | FileCheck %s

// Each device factors the matrices of its piece, also where pieces are uneven.
// CHECK-LABEL: @factors_of_a_batch_over_two_axes
module @factors_of_a_batch_over_two_axes attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  // CHECK:     func.func public @main(%{{.*}}: tensor<10x3x4x4xf32>) -> (tensor<10x3x4x4xf32>, tensor<10x3xi32>)
  // CHECK:     %[[PIECE:.*]] = stablehlo.dynamic_slice {{.*}} -> tensor<3x3x4x4xf32>
  // CHECK:     custom_call @lapack_spotrf_ffi(%[[PIECE]]) {{.*}} (tensor<3x3x4x4xf32>) -> (tensor<3x3x4x4xf32>, tensor<3x3xi32>)
  func.func public @main(%a: tensor<10x6x4x4xf32>) -> (tensor<10x6x4x4xf32>, tensor<10x6xi32>) {
    %x = sdy.sharding_constraint %a <@mesh, [{"x"}, {"y"}, {}, {}]> : tensor<10x6x4x4xf32>
    %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%x) {mhlo.frontend_attributes = {num_batch_dims = "2"}} : (tensor<10x6x4x4xf32>) -> (tensor<10x6x4x4xf32>, tensor<10x6xi32>)
    return %0#0, %0#1 : tensor<10x6x4x4xf32>, tensor<10x6xi32>
  }
}

// -----

// Matrices that are sharded are exchanged so that each device has whole ones.
// CHECK-LABEL: @pieces_of_matrices
module @pieces_of_matrices attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  // CHECK:     func.func public @main(%[[A:.*]]: tensor<8x1x4xf32>)
  // CHECK:     %[[WHOLE:.*]] = "stablehlo.all_to_all"(%[[A]])
  // CHECK:     custom_call @lapack_spotrf_ffi({{.*}}) {{.*}} (tensor<2x4x4xf32>) -> (tensor<2x4x4xf32>, tensor<2xi32>)
  func.func public @main(%a: tensor<8x4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}) -> tensor<8x4x4xf32> {
    %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a) {mhlo.frontend_attributes = {num_batch_dims = "1"},
        sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i]) {i=8, j=4, k=4, l=4, m=4}, custom>} : (tensor<8x4x4xf32>) -> (tensor<8x4x4xf32>, tensor<8xi32>)
    return %0#0 : tensor<8x4x4xf32>
  }
}

// -----

// No device can make a piece of a result that no operand names: it makes whole
// matrices of some of the batch, and they exchange pieces.
// CHECK-LABEL: @result_wanted_in_pieces
module @result_wanted_in_pieces attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  // CHECK:     %[[ROWS:.*]] = stablehlo.custom_call @mine(%{{.*}}) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  // CHECK:     "stablehlo.all_to_all"(%[[ROWS]]) {{.*}} -> tensor<8x1xf32>
  func.func public @main(%a: tensor<8x4xf32>) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
    %0 = stablehlo.custom_call @mine(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, k]) {i=8, j=4, k=4}, custom>} : (tensor<8x4xf32>) -> tensor<8x4xf32>
    return %0 : tensor<8x4xf32>
  }
}
