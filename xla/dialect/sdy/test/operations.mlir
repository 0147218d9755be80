// Each operation, printed as it was read: as text and through bytecode.
// RUN: xla-opt %s | grep . > %t
// RUN: grep -v "^//" %s | grep . | diff - %t
// RUN: xla-opt %s --emit-bytecode | xla-opt | grep . > %t.bytecode
// RUN: diff %t %t.bytecode

module {
  sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
  sdy.mesh @turned = <["x"=4], device_ids=[3, 2, 1, 0]>
  sdy.mesh @empty = <[]>
  sdy.mesh @maximal = <[], device_ids=[3]> {stablehlo.mesh = {axes = [], device_ids = dense<3> : tensor<1xi64>}}
  func.func @positions(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}p1, {"b":(1)2, "c"}], replicated={"b":(2)2}>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2, "y"=2]>, [{}, {?}], unreduced={"y"}>}, %arg2: tensor<f32> {sdy.sharding = #sdy.sharding<@empty, []>}) -> (tensor<8x8xf32> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{?}p0, {}], unreduced=max{"a"}>}) {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"a"}, {?}]> : tensor<8x8xf32>
    %1 = sdy.reshard %0 <@mesh, [{"b":(2)2}, {}]> : tensor<8x8xf32>
    sdy.sharding_group %1 group_id=21 : tensor<8x8xf32>
    %2 = sdy.propagation_barrier %1 allowed_direction=BACKWARD : tensor<8x8xf32>
    %3 = sdy.data_flow_edge %2 sharding=<@mesh, [{"a"}, {}]> : tensor<8x8xf32>
    %4 = sdy.data_flow_edge %3 : tensor<8x8xf32>
    %5 = sdy.func_data_flow_edge %4 : tensor<8x8xf32>
    %6 = sdy.constant dense<1.000000e+00> : tensor<8x8xf32>
    %7:2 = stablehlo.custom_call @f(%5, %6) {has_side_effect = true, sdy.sharding = #sdy.sharding_per_value<[<@maximal, []>, <@mesh, [{"a"}, {?}]>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>)
    return %7#0 : tensor<8x8xf32>
  }
  func.func @bodies(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"a", ?}, {?}]>] out_shardings=[<@mesh, [{"b", "a"}, {}]>] manual_axes={"a", "b"} (%arg1: tensor<4x8xf32>) {
      %3 = stablehlo.slice %arg1 [0:1, 0:8] : (tensor<4x8xf32>) -> tensor<1x8xf32>
      sdy.return %3 : tensor<1x8xf32>
    } : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %1 = sdy.manual_computation() in_shardings=[] out_shardings=[<@mesh, [{}, {}]>] manual_axes={} () {
      %cst = stablehlo.constant dense<1.000000e+00> : tensor<8x8xf32>
      sdy.return %cst : tensor<8x8xf32>
    } : () -> tensor<8x8xf32>
    sdy.manual_computation(%1) in_shardings=[<@mesh, [{}, {}]>] out_shardings=[] manual_axes={"a"} (%arg1: tensor<8x8xf32>) {
      sdy.return
    } : (tensor<8x8xf32>) -> ()
    %2 = sdy.named_computation<"f">(%0) in_shardings=[<@mesh, [{"a"}, {}]>] out_shardings=[<@mesh, [{}, {}]>] (%arg1: tensor<8x8xf32>) {
      %3 = sdy.named_computation<"g">(%arg1) (%arg2: tensor<8x8xf32>) {
        sdy.return %arg2 : tensor<8x8xf32>
      } : (tensor<8x8xf32>) -> tensor<8x8xf32>
      sdy.return %3 : tensor<8x8xf32>
    } : (tensor<8x8xf32>) -> tensor<8x8xf32>
    return %2 : tensor<8x8xf32>
  }
  func.func @collectives(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}, {}]>}) -> tensor<8x8xf32> {
    %0 = sdy.all_gather [{"b"}, {}] %arg0 out_sharding=<@mesh, [{"a"}, {}]> : tensor<8x8xf32>
    %1 = sdy.all_slice [{}, {"b", "c"}] %0 out_sharding=<@mesh, [{"a"}, {"b", "c"}]> : tensor<8x8xf32>
    %2 = sdy.all_to_all [{"c"}: 1->0] %1 out_sharding=<@mesh, [{"a", "c"}, {"b"}]> : tensor<8x8xf32>
    %3 = sdy.collective_permute %2 out_sharding=<@mesh, [{"c", "a"}, {"b"}]> : tensor<8x8xf32>
    %4 = sdy.sharded_to_unreduced [{"a"}, {}] %3 out_sharding=<@mesh, [{"c"}, {"b"}], unreduced={"a"}> : tensor<8x8xf32>
    %5 = sdy.all_reduce {"a"} %4 out_sharding=<@mesh, [{"c"}, {"b"}]> : tensor<8x8xf32>
    %6 = sdy.replicated_to_unreduced {"a"} %5 out_sharding=<@mesh, [{"c"}, {"b"}], unreduced={"a"}> : tensor<8x8xf32>
    %7 = sdy.reduce_scatter [{"a"}, {}] %6 out_sharding=<@mesh, [{"c", "a"}, {"b"}]> : tensor<8x8xf32>
    return %7 : tensor<8x8xf32>
  }
  func.func @rules(%arg0: tensor<8x8xf32>, %arg1: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = stablehlo.custom_call @f(%arg0, %arg1) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, kl], [k, j])->([i, j]) {i=8, j=8, k=4, l=2} reduction={k} need_replication={l} permutation={j} blocked_propagation={i}, custom>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
}
