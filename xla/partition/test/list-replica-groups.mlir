// RUN: xla-opt %s --xla-list-replica-groups --split-input-file | FileCheck %s

sdy.mesh @mesh = <["x"=4, "y"=2]>

// CHECK-LABEL: func @along_the_major_axis
// CHECK: replica_groups = dense<{{\[\[}}0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>
func.func @along_the_major_axis(%arg0: tensor<2xf32>) -> tensor<8xf32> {
  %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>}> : (tensor<2xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func @along_two_axes_in_their_order
// CHECK: replica_groups = dense<{{\[\[}}0, 2, 4, 6, 1, 3, 5, 7]]> : tensor<1x8xi64>
func.func @along_two_axes_in_their_order(%arg0: tensor<2xf32>) -> tensor<16xf32> {
  %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "y">, #stablehlo.axis_ref<name = "x">]>}> : (tensor<2xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

// Half of an axis, of devices in another order.
// CHECK-LABEL: func @part_of_an_axis
// CHECK: replica_groups = dense<{{\[\[}}3, 2], [1, 0]]> : tensor<2x2xi64>
func.func @part_of_an_axis(%arg0: tensor<2xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "x", size = 4>], device_ids=dense<[3, 2, 1, 0]> : tensor<4xi64>>, axes = [#stablehlo.axis_ref<name = "x", sub_axis_info = (2)2>]>}> : (tensor<2xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
