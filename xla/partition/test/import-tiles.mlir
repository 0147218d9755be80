// RUN: xla-opt %s --xla-import-tiles --split-input-file | FileCheck %s

// Tiles of one program are cut into the axes of one mesh.
// CHECK-LABEL: @axes_of_all_shardings
// CHECK:         sdy.mesh @mesh = <["axis_0"=2, "axis_1"=2, "axis_2"=2]>
// CHECK:         %arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"axis_0", "axis_1"}, {"axis_2"}]>}
// CHECK-SAME:    %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"axis_1", "axis_2", "axis_0"}]>}
// CHECK-SAME:    %arg2: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}
// CHECK-SAME:    %arg3: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"axis_0", "axis_2"}]>}
// CHECK-SAME:    -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"axis_1"}], unreduced={"axis_2"}>}
// CHECK-NOT:     mhlo.sharding
module @axes_of_all_shardings attributes {mhlo.num_partitions = 8 : i32} {
  func.func @main(
      %a: tensor<8x4xf32> {mhlo.sharding = "{devices=[4,2]<=[8]}"},
      %b: tensor<8xf32> {mhlo.sharding = "{devices=[8]<=[2,4]T(1,0)}"},
      %c: tensor<8xf32> {mhlo.sharding = "{replicated}"},
      %d: tensor<8xf32> {mhlo.sharding = "{devices=[4,2]0,2,1,3,4,6,5,7 last_tile_dim_replicate}"})
      -> (tensor<8x4xf32> {mhlo.sharding = "{devices=[1,2,2,2]<=[2,2,2]T(1,0,2) last_tile_dims={replicated, unreduced}}"}) {
    return %a : tensor<8x4xf32>
  }
}

// -----

// Devices in no regular order, and halves beside thirds, are meshes of their
// own.
// CHECK-LABEL: @several_meshes
// CHECK-DAG:     sdy.mesh @[[HALVES:.*]] = <["axis_0"=2, "axis_1"=3]>
// CHECK-DAG:     sdy.mesh @[[THIRDS:.*]] = <["axis_0"=3, "axis_1"=2]>
// CHECK-DAG:     sdy.mesh @[[LIST:.*]] = <["axis_0"=6], device_ids=[5, 0, 1, 2, 3, 4]>
// CHECK:         %arg0: tensor<6x6xf32> {sdy.sharding = #sdy.sharding<@[[HALVES]], [{"axis_0"}, {"axis_1"}]>}
// CHECK-SAME:    %arg1: tensor<6x6xf32> {sdy.sharding = #sdy.sharding<@[[THIRDS]], [{"axis_0"}, {"axis_1"}]>}
// CHECK-SAME:    %arg2: tensor<6xf32> {sdy.sharding = #sdy.sharding<@[[LIST]], [{"axis_0"}]>}
module @several_meshes attributes {mhlo.num_partitions = 6 : i32} {
  func.func @main(
      %a: tensor<6x6xf32> {mhlo.sharding = "{devices=[2,3]<=[6]}"},
      %b: tensor<6x6xf32> {mhlo.sharding = "{devices=[3,2]<=[6]}"},
      %c: tensor<6xf32> {mhlo.sharding = "{devices=[6]5,0,1,2,3,4}"}) {
    return
  }
}

// -----

// Constraints may leave dimensions open; values of a group are sharded alike; what says
// nothing goes.
// CHECK-LABEL: @marks
// CHECK:         %[[A:.*]] = sdy.sharding_constraint %arg0 <@mesh, [{"axis_0"}, {?}]>
// CHECK-NEXT:    %[[B:.*]] = sdy.sharding_constraint %[[A]] <@mesh, [{}, {}]>
// CHECK-NEXT:    sdy.sharding_group %[[B]] group_id=3
// CHECK-NEXT:    stablehlo.custom_call @f(%[[B]]) {{.*}}sdy.sharding = #sdy.sharding_per_value<[<mesh<[], device_ids=[1]>, []>]>
// CHECK-NEXT:    return %[[B]]
module @marks attributes {mhlo.num_partitions = 4 : i32} {
  func.func @main(%a: tensor<8x4xf32>) -> tensor<8x4xf32> {
    %0 = stablehlo.custom_call @Sharding(%a) {backend_config = "unspecified_dims=[1]", mhlo.sharding = "{devices=[4,1]<=[4]}"} : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %1 = stablehlo.custom_call @Sharding(%0) {mhlo.sharding = "{replicated}"} : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %2 = stablehlo.custom_call @Sharding(%1) {mhlo.sharding = "{unknown shard_as 3}"} : (tensor<8x4xf32>) -> tensor<8x4xf32>
    stablehlo.custom_call @f(%2) {has_side_effect = true, mhlo.sharding = "{maximal device=1}"} : (tensor<8x4xf32>) -> ()
    return %2 : tensor<8x4xf32>
  }
}

// -----

// What each device computes by itself; constants are made inside.
// CHECK-LABEL: @manual
// CHECK:         sdy.mesh @mesh = <["axis_0"=4, "axis_1"=2]>
// CHECK:         %[[IN:.*]] = sdy.sharding_constraint %arg0 <@mesh, [{"axis_0"}, {"axis_1"}]>
// CHECK-NEXT:    %[[OUT:.*]] = sdy.manual_computation(%[[IN]])
// CHECK-SAME:      in_shardings=[<@mesh, [{"axis_0"}, {"axis_1"}]>]
// CHECK-SAME:      out_shardings=[<@mesh, [{"axis_0"}, {"axis_1"}]>]
// CHECK-SAME:      manual_axes={"axis_0", "axis_1"} (%[[X:.*]]: tensor<2x4xf32>) {
// CHECK-NEXT:      %[[C:.*]] = stablehlo.constant
// CHECK-NEXT:      %[[Y:.*]] = stablehlo.add %[[X]], %[[C]] : tensor<2x4xf32>
// CHECK-NEXT:      sdy.return %[[Y]]
// CHECK:         return %[[OUT]]
module @manual attributes {mhlo.num_partitions = 8 : i32} {
  func.func @main(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %c = stablehlo.constant dense<1.0> : tensor<2x4xf32>
    %0 = stablehlo.custom_call @Sharding(%a) {mhlo.sharding = "{devices=[4,2]<=[8]}"} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = "{manual}"} : (tensor<8x8xf32>) -> tensor<2x4xf32>
    %2 = stablehlo.add %1, %c : tensor<2x4xf32>
    %3 = stablehlo.custom_call @Sharding(%2) {mhlo.sharding = "{manual}"} : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %4 = stablehlo.custom_call @SPMDShardToFullShape(%3) {mhlo.sharding = "{devices=[4,2]<=[8]}"} : (tensor<2x4xf32>) -> tensor<8x8xf32>
    return %4 : tensor<8x8xf32>
  }
}

// -----

// Over some axes only; within, over the others. Tokens pass.
// CHECK-LABEL: @manual_over_some_axes
// CHECK:         %[[OUT:.*]]:2 = sdy.manual_computation(%{{.*}}, %arg1)
// CHECK-SAME:      in_shardings=[<@mesh, [{"axis_0", ?}, {?}]>, <@mesh, []>]
// CHECK-SAME:      out_shardings=[<@mesh, [{"axis_0", ?}, {?}]>, <@mesh, []>]
// CHECK-SAME:      manual_axes={"axis_0"}
// CHECK:           func.call @inner
// CHECK:         return %[[OUT]]#0, %[[OUT]]#1
// CHECK:       func.func private @inner
// CHECK:         %[[I:.*]] = sdy.manual_computation() in_shardings=[] out_shardings=[<@mesh, []>] manual_axes={"axis_1"} () {
// CHECK-NEXT:      %[[ID:.*]] = stablehlo.partition_id
// CHECK-NEXT:      %[[N:.*]] = stablehlo.negate %[[ID]]
// CHECK-NEXT:      sdy.return %[[N]]
module @manual_over_some_axes attributes {mhlo.num_partitions = 8 : i32} {
  func.func @main(%a: tensor<8x8xui32>, %t: !stablehlo.token) -> (tensor<8x8xui32>, !stablehlo.token) {
    %0 = stablehlo.custom_call @Sharding(%a) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[4,1,2]<=[8] last_tile_dim_replicate}"} : (tensor<8x8xui32>) -> tensor<8x8xui32>
    %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,4,2]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<8x8xui32>) -> tensor<2x8xui32>
    %2:2 = func.call @inner(%1, %t) : (tensor<2x8xui32>, !stablehlo.token) -> (tensor<2x8xui32>, !stablehlo.token)
    %3 = stablehlo.custom_call @Sharding(%2#0) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,4,2]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<2x8xui32>) -> tensor<2x8xui32>
    %4 = stablehlo.custom_call @SPMDShardToFullShape(%3) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[4,1,2]<=[8] last_tile_dim_replicate}"} : (tensor<2x8xui32>) -> tensor<8x8xui32>
    return %4, %2#1 : tensor<8x8xui32>, !stablehlo.token
  }
  func.func private @inner(%a: tensor<2x8xui32>, %t: !stablehlo.token) -> (tensor<2x8xui32>, !stablehlo.token) {
    %0 = stablehlo.partition_id : tensor<ui32>
    %1 = stablehlo.negate %0 : tensor<ui32>
    %2 = stablehlo.custom_call @Sharding(%1) {mhlo.sharding = "{manual}"} : (tensor<ui32>) -> tensor<ui32>
    %3 = stablehlo.custom_call @SPMDShardToFullShape(%2) {mhlo.sharding = "{devices=[4,2]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<ui32>) -> tensor<ui32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<ui32>) -> tensor<2x8xui32>
    %5 = stablehlo.add %a, %4 : tensor<2x8xui32>
    return %5, %t : tensor<2x8xui32>, !stablehlo.token
  }
}
