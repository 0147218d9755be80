// RUN: xla-opt %s --xla-list-replica-groups --split-input-file --verify-diagnostics

// expected-error @+1 {{stablehlo.all_gather: replica_groups names no mesh.}}
module {
  func.func @main(%arg0: tensor<2xf32>) -> tensor<4xf32> {
    %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @nowhere, axes = [#stablehlo.axis_ref<name = "x">]>}> : (tensor<2xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

// expected-error @+1 {{stablehlo.all_gather: replica_groups names no axes of its mesh, each once.}}
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<2xf32>) -> tensor<8xf32> {
    %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">, #stablehlo.axis_ref<name = "x">]>}> : (tensor<2xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
