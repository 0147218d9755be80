// A dimension that a manual axis divides evenly is not divided further by free axes that do not.
// RUN: xla-run %s --devices=8 --whole 5,6,7,8 | FileCheck %s
// RUN: xla-run %s --devices=8 --whole --backend=reference 5,6,7,8 | FileCheck %s

// CHECK: f32[2] 5 6
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["a0"=2, "a1"=4]>
  func.func public @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a1"}]>}) -> (tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
    %parts = sdy.sharding_constraint %x <@mesh, [{"a0", "a1"}]> : tensor<4xf32>
    %result = "sdy.manual_computation"(%parts) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{"a0", ?}]>]>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{"a0"}]>]>, manual_axes = #sdy<manual_axes{"a0"}>}> ({
    ^bb0(%4: tensor<2xf32>):
      %least = "stablehlo.reduce_scatter"(%4) <{scatter_dimension = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 6, type = 1>, replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, use_global_device_ids}> ({
      ^bb0(%7: tensor<f32>, %8: tensor<f32>):
        %9 = "stablehlo.minimum"(%7, %8) : (tensor<f32>, tensor<f32>) -> (tensor<f32>)
        "stablehlo.return"(%9) : (tensor<f32>) -> ()
      }) : (tensor<2xf32>) -> (tensor<1xf32>)
      "sdy.return"(%least) : (tensor<1xf32>) -> ()
    }) : (tensor<4xf32>) -> (tensor<2xf32>)
    func.return %result : tensor<2xf32>
  }
}
