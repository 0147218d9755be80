// Shardings in portable artifacts, written and read.
// RUN: xla-opt --emit-vhlo=1.13.0 %s > %t.new
// RUN: xla-opt --mlir-very-unsafe-disable-verifier-on-parsing --xla-import-vhlo %t.new > %t.back
// RUN: xla-opt %s > %t.text
// RUN: diff %t.text %t.back

module @jit_f attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}, {name = "y", size = 2 : i64}]}}
  sdy.mesh @maximal_mesh_0 = <[], device_ids=[0]>
  func.func public @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y", ?}p1]>}) -> (tensor<2x8xf32> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{}, {}], replicated={"y"}>}) {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{}, {"x"}], unreduced={"y"}> : tensor<8x8xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"y"}, {"x"}]> : tensor<8x8xf32>
    sdy.sharding_group %1 group_id=3 : tensor<8x8xf32>
    %2 = sdy.manual_computation(%1) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{}, {}]>] manual_axes={"x", "y"} (%arg1: tensor<2x8xf32>) {
      %5 = "stablehlo.all_reduce"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, use_global_device_ids}> ({
      ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
        %6 = stablehlo.add %arg2, %arg3 : tensor<f32>
        stablehlo.return %6 : tensor<f32>
      }) : (tensor<2x8xf32>) -> tensor<2x8xf32>
      sdy.return %5 : tensor<2x8xf32>
    } : (tensor<8x8xf32>) -> tensor<2x8xf32>
    %3 = stablehlo.custom_call @f(%2) {api_version = 2 : i32, has_side_effect = true, sdy.sharding = #sdy.sharding_per_value<[<@maximal_mesh_0, []>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=2, j=8} need_replication={j}, custom>} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    %4 = stablehlo.add %2, %3 : tensor<2x8xf32>
    return %4 : tensor<2x8xf32>
  }
}
