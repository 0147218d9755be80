// RUN: xla-opt %s --xla-localize --split-input-file | FileCheck %s

// CHECK-LABEL: @contraction
module @contraction attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  // CHECK:      func.func public @main(%[[A:.*]]: tensor<6x2xf32>, %[[B:.*]]: tensor<2x4xf32>) -> tensor<6x4xf32>
  // CHECK-NEXT: %[[PART:.*]] = stablehlo.dot_general %[[A]], %[[B]], contracting_dims = [1] x [0]
  // CHECK-NEXT: %[[SUM:.*]] = "stablehlo.all_reduce"(%[[PART]])
  // CHECK:      return %[[SUM]]
  func.func public @main(%a: tensor<6x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
                         %b: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
      -> tensor<6x4xf32> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<6x8xf32>, tensor<8x4xf32>) -> tensor<6x4xf32>
    return %0 : tensor<6x4xf32>
  }
}

// -----

// A sum of which each device wants a part is scattered.
// CHECK-LABEL: @scattered_sum
module @scattered_sum attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  // CHECK:      stablehlo.dot_general
  // CHECK-NEXT: "stablehlo.reduce_scatter"
  // CHECK-NOT:  all_reduce
  func.func public @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
                         %b: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
      -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    %1 = sdy.reshard %0 <@mesh, [{"x"}, {}]> : tensor<8x4xf32>
    return %1 : tensor<8x4xf32>
  }
}

// -----

// The padding of uneven pieces holds what no maximum is below.
// CHECK-LABEL: @uneven_maximum
module @uneven_maximum attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  // CHECK: stablehlo.constant dense<0xFF800000> : tensor<f32>
  // CHECK: %[[FILL:.*]] = stablehlo.broadcast_in_dim %{{cst.*}}, dims = [] : (tensor<f32>) -> tensor<2xf32>
  // CHECK: %[[MASKED:.*]] = stablehlo.select %{{.*}}, %{{.*}}, %[[FILL]]
  // CHECK: stablehlo.reduce(%[[MASKED]] init: %{{.*}}) applies stablehlo.maximum
  // CHECK: "stablehlo.all_reduce"
  // CHECK: stablehlo.maximum
  func.func public @main(%x: tensor<7xf32>) -> tensor<f32> {
    %0 = sdy.reshard %x <@mesh, [{"x"}]> : tensor<7xf32>
    %c = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %c) applies stablehlo.maximum across dimensions = [0] : (tensor<7xf32>, tensor<f32>) -> tensor<f32>
    return %1 : tensor<f32>
  }
}

// -----

// Sums that are declared pending stay so through what is linear.
// CHECK-LABEL: @pending_sums
module @pending_sums attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  // CHECK:      stablehlo.dot_general
  // CHECK-NEXT: stablehlo.add
  // CHECK-NEXT: stablehlo.transpose
  // CHECK-NEXT: "stablehlo.all_reduce"
  func.func public @main(%a: tensor<6x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
                         %b: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
      -> tensor<4x6xf32> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<6x8xf32>, tensor<8x4xf32>) -> tensor<6x4xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{}, {}], unreduced={"x"}> : tensor<6x4xf32>
    %2 = stablehlo.add %1, %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>} : tensor<6x4xf32>
    %3 = stablehlo.transpose %2, dims = [1, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>} : (tensor<6x4xf32>) -> tensor<4x6xf32>
    return %3 : tensor<4x6xf32>
  }
}

// -----

// What a parity begins with counts once.
// CHECK-LABEL: @parity
module @parity attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  // CHECK:      %[[NOTHING:.*]] = stablehlo.constant dense<false>
  // CHECK:      %[[START:.*]] = stablehlo.select %{{.*}}, %arg1, %[[NOTHING]]
  // CHECK:      stablehlo.reduce(%arg0 init: %[[START]]) applies stablehlo.xor
  // CHECK:      "stablehlo.all_reduce"
  // CHECK:      stablehlo.xor
  func.func public @main(%x: tensor<8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %start: tensor<i1>)
      -> tensor<i1> {
    %0 = stablehlo.reduce(%x init: %start) applies stablehlo.xor across dimensions = [0] : (tensor<8xi1>, tensor<i1>) -> tensor<i1>
    return %0 : tensor<i1>
  }
}

// -----

// Groups of features that hold nothing are divided as the result's are.
// CHECK-LABEL: @empty_groups
module @empty_groups attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  // CHECK: stablehlo.convolution
  // CHECK-SAME: batch_group_count = 1 : i64
  // CHECK-SAME: (tensor<0x3x5xf32>, tensor<3x1x5xf32>) -> tensor<0x3x1xf32>
  func.func public @main(%x: tensor<0x3x5xf32>, %k: tensor<3x2x5xf32>)
      -> (tensor<0x3x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}]>}) {
    %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, o, i]->[b, 0, f],
      window = {pad = [[1, 1]]} {batch_group_count = 2 : i64, feature_group_count = 1 : i64,
      sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {"x"}]>]>}
      : (tensor<0x3x5xf32>, tensor<3x2x5xf32>) -> tensor<0x3x2xf32>
    return %0 : tensor<0x3x2xf32>
  }
}
