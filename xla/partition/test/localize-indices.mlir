// RUN: xla-opt %s --xla-localize --split-input-file | FileCheck %s

// A row is on one device; the others add nothing.
// CHECK-LABEL: @rows_of_a_table
module @rows_of_a_table attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  // CHECK: stablehlo.clamp
  // CHECK: stablehlo.subtract
  // CHECK: %[[ROWS:.*]] = "stablehlo.gather"({{.*}}) {{.*}}slice_sizes = array<i64: 1, 6>
  // CHECK: stablehlo.constant dense<-0.000000e+00>
  // CHECK: stablehlo.select %{{.*}}, %[[ROWS]]
  // CHECK: "stablehlo.all_reduce"
  func.func public @main(%x: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                         %i: tensor<5x1xi32>) -> tensor<5x6xf32> {
    %0 = "stablehlo.gather"(%x, %i) <{
      dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
      slice_sizes = array<i64: 1, 6>}> : (tensor<8x6xf32>, tensor<5x1xi32>) -> tensor<5x6xf32>
    return %0 : tensor<5x6xf32>
  }
}

// -----

// Updates fall beside the pieces that they are not for.
// CHECK-LABEL: @rows_added
module @rows_added attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  // CHECK:     stablehlo.subtract
  // CHECK:     "stablehlo.scatter"
  // CHECK-NOT: all_
  func.func public @main(%x: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                         %i: tensor<5x1xi32>, %u: tensor<5x6xf32>)
      -> (tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0 = "stablehlo.scatter"(%x, %i, %u) <{
      scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<8x6xf32>, tensor<5x1xi32>, tensor<5x6xf32>) -> tensor<8x6xf32>
    return %0 : tensor<8x6xf32>
  }
}

// -----

// CHECK-LABEL: @update_within
module @update_within attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  // CHECK:     stablehlo.pad %{{.*}} low = [3], high = [3]
  // CHECK:     stablehlo.dynamic_update_slice
  // CHECK:     stablehlo.slice %{{.*}} [3:5]
  // CHECK-NOT: all_
  func.func public @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
                         %u: tensor<3xf32>, %i: tensor<i32>)
      -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0 = stablehlo.dynamic_update_slice %x, %u, %i : (tensor<8xf32>, tensor<3xf32>, tensor<i32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}

// -----

// Numbers that only the widest unsigned type has are behind the array.
// CHECK-LABEL: @widest_indices
module @widest_indices attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  // CHECK: %[[MOST:.*]] = stablehlo.constant dense<9223372036854775807> : tensor<ui64>
  // CHECK: %[[LIMITS:.*]] = stablehlo.broadcast_in_dim %[[MOST]]
  // CHECK: %[[LIMITED:.*]] = stablehlo.minimum %arg1, %[[LIMITS]]
  // CHECK: stablehlo.convert %[[LIMITED]] : (tensor<3x1xui64>) -> tensor<3x1xi64>
  // CHECK: "stablehlo.gather"
  func.func public @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
                         %i: tensor<3x1xui64>) -> tensor<3xf32> {
    %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0],
        start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>, indices_are_sorted = false}>
        : (tensor<8xf32>, tensor<3x1xui64>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
