// RUN: xla-opt %s --xla-decompose-collectives --split-input-file | FileCheck %s

// Among one process: what it sends, it gets.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>)
// CHECK-NOT: all_gather
// CHECK: return %[[X]]
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// The only partition is number 0.
// CHECK-LABEL: func.func @main(
// CHECK: stablehlo.constant dense<0> : tensor<ui32>
// CHECK-NOT: partition_id
func.func @main() -> tensor<ui32> {
  %0 = stablehlo.partition_id : tensor<ui32>
  return %0 : tensor<ui32>
}

// -----

// Groups of one among several partitions.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>)
// CHECK: stablehlo.partition_id
// CHECK: return %[[X]]
module attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<ui32>) {
    %0 = "stablehlo.all_to_all"(%x) {split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 1 : i64, replica_groups = dense<[[0], [1]]> : tensor<2x1xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>} : (tensor<4xf32>) -> tensor<4xf32>
    %1 = stablehlo.partition_id : tensor<ui32>
    return %0, %1 : tensor<4xf32>, tensor<ui32>
  }
}
