// RUN: xla-opt %s --xla-localize --split-input-file | FileCheck %s

// Nothing is sent to take a part of what is whole.
// CHECK-LABEL: @slice_of_whole
module @slice_of_whole attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  // CHECK:      func.func public @main(%[[X:.*]]: tensor<8x4xf32>) -> tensor<2x4xf32>
  // CHECK:      %[[ID:.*]] = stablehlo.partition_id
  // CHECK:      %[[PART:.*]] = stablehlo.dynamic_slice %[[X]], {{.*}} sizes = [2, 4]
  // CHECK-NEXT: return %[[PART]]
  func.func public @main(%x: tensor<8x4xf32>)
      -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    return %x : tensor<8x4xf32>
  }
}

// -----

// CHECK-LABEL: @gather
module @gather attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  // CHECK:      func.func public @main(%[[X:.*]]: tensor<2x4xf32>) -> tensor<8x4xf32>
  // CHECK-NEXT: %[[WHOLE:.*]] = "stablehlo.all_gather"(%[[X]]) <{all_gather_dim = 0
  // CHECK-SAME{LITERAL}: dense<[[0, 2, 4, 6], [1, 3, 5, 7]]>
  // CHECK-NEXT: return %[[WHOLE]]
  func.func public @main(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
      -> tensor<8x4xf32> {
    return %x : tensor<8x4xf32>
  }
}

// -----

// CHECK-LABEL: @another_dimension
module @another_dimension attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=8]>
  // CHECK:      func.func public @main(%[[X:.*]]: tensor<1x8xf32>) -> tensor<8x1xf32>
  // CHECK-NEXT: "stablehlo.all_to_all"(%[[X]]) <{{.*}}concat_dimension = 0 : i64, {{.*}}split_dimension = 1
  // CHECK-NEXT: return
  func.func public @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
      -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
    return %x : tensor<8x8xf32>
  }
}

// -----

// CHECK-LABEL: @another_order
module @another_order attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  // CHECK:      func.func public @main(%[[X:.*]]: tensor<1xf32>) -> tensor<1xf32>
  // CHECK-NEXT: "stablehlo.collective_permute"(%[[X]])
  // CHECK-NEXT: return
  func.func public @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>})
      -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}]>}) {
    return %x : tensor<8xf32>
  }
}

// -----

// A part of an axis, and meshes of other shapes over the same devices.
// CHECK-LABEL: @parts_of_axes
module @parts_of_axes attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @line = <["x"=8]>
  sdy.mesh @table = <["a"=4, "b"=2]>
  // CHECK:      func.func public @main(%[[X:.*]]: tensor<2xf32>) -> tensor<4xf32>
  // CHECK-NEXT: %[[PART:.*]] = "stablehlo.all_gather"(%[[X]])
  // CHECK-SAME{LITERAL}: dense<[[0, 2], [1, 3], [4, 6], [5, 7]]>
  // CHECK:      return
  func.func public @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@table, [{"a"}]>})
      -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@line, [{"x":(1)2}]>}) {
    return %x : tensor<8xf32>
  }
}

// -----

// What is padding stays behind.
// CHECK-LABEL: @uneven
module @uneven attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  // CHECK:      func.func public @main(%[[X:.*]]: tensor<7xf32>) -> tensor<7xf32>
  // CHECK:      %[[PADDED:.*]] = stablehlo.pad %[[X]], {{.*}} high = [1]
  // CHECK:      %[[PART:.*]] = stablehlo.dynamic_slice %[[PADDED]], {{.*}} sizes = [2]
  // CHECK:      %[[SINE:.*]] = stablehlo.sine %[[PART]] : tensor<2xf32>
  // CHECK:      %[[ALL:.*]] = "stablehlo.all_gather"(%[[SINE]])
  // CHECK:      %[[KEPT:.*]] = stablehlo.slice %[[ALL]] [0:7]
  // CHECK:      return %[[KEPT]]
  func.func public @main(%x: tensor<7xf32>) -> tensor<7xf32> {
    %0 = sdy.reshard %x <@mesh, [{"x"}]> : tensor<7xf32>
    %1 = stablehlo.sine %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<7xf32>
    return %1 : tensor<7xf32>
  }
}
