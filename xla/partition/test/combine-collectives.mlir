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
