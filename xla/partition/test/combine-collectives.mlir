// RUN: xla-opt %s --xla-localize --split-input-file | FileCheck %s

// Sums that do not depend on each other are one; one that does follows.
// CHECK:      stablehlo.reduce
// CHECK:      stablehlo.reduce
// CHECK:      %[[SUMS:.*]]:2 = "stablehlo.all_reduce"(%{{.*}}, %{{.*}})
// CHECK:      stablehlo.subtract
// CHECK:      "stablehlo.all_reduce"(%{{[0-9]+}})
// CHECK-NOT:  all_reduce
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
                         %y: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
      -> (tensor<f32>, tensor<f32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    %1 = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %3 = stablehlo.subtract %x, %2 : tensor<8xf32>
    %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    return %4, %1 : tensor<f32>, tensor<f32>
  }
}

// -----

// Exchanges of one kind are one.
// CHECK:      "stablehlo.all_to_all"(%arg0, %arg1) {{.*}}split_dimension = 1
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                         %y: tensor<4x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                         %z: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>})
      -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
          tensor<4x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
          tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    return %x, %y, %z : tensor<8x4xf32>, tensor<4x12xf32>, tensor<4x4xf32>
  }
}

// -----

// What only moves or combines elements of sums waits with them; what does more
// does not, and what it reads is there before it.
// CHECK-LABEL: @readers_of_sums_wait
// CHECK:      stablehlo.dot_general
// CHECK:      stablehlo.dot_general
// CHECK:      %[[SUMS:.*]]:2 = "stablehlo.all_reduce"(%{{.*}}, %{{.*}})
// CHECK:      %[[TURNED:.*]] = stablehlo.transpose %[[SUMS]]#0
// CHECK:      stablehlo.subtract %{{.*}}, %[[TURNED]]
// CHECK:      stablehlo.transpose %[[SUMS]]#1
// CHECK-NOT:  all_reduce
// CHECK:      return
module @readers_of_sums_wait attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                         %y: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                         %p: tensor<6x4xf32>)
      -> (tensor<6x4xf32>, tensor<6x4xf32>) {
    %0 = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (tensor<8x4xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
    %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
    %2 = stablehlo.subtract %p, %1 : tensor<6x4xf32>
    %3 = stablehlo.multiply %x, %x : tensor<8x4xf32>
    %4 = stablehlo.dot_general %3, %y, contracting_dims = [0] x [0] : (tensor<8x4xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
    %5 = stablehlo.transpose %4, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
    return %2, %5 : tensor<6x4xf32>, tensor<6x4xf32>
  }
}

// -----

// A sum over one axis that reads a sum over another ends the wait of that alone.
// CHECK-LABEL: @sums_of_sums
// CHECK:      "stablehlo.all_reduce"(%{{[0-9]+}}) {{.*}}{{\[\[}}0, 2], [1, 3]]
// CHECK:      "stablehlo.all_reduce"({{.*}}) {{.*}}{{\[\[}}0, 1], [2, 3]]
// CHECK:      return
module @sums_of_sums attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func public @main(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                         %y: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> tensor<4x6xf32> {
    %0 = stablehlo.dot_general %x, %x, contracting_dims = [0] x [0] : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
    %1 = stablehlo.negate %0 : tensor<4x4xf32>
    %2 = stablehlo.dot_general %1, %y, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    %3 = stablehlo.add %2, %2 : tensor<4x6xf32>
    return %3 : tensor<4x6xf32>
  }
}
