// Less common forms, printed as it was read: as text and through bytecode.
// RUN: xla-opt %s | grep . > %t
// RUN: grep -v "^//" %s | grep . | diff - %t
// RUN: xla-opt %s --emit-bytecode | xla-opt | grep . > %t.bytecode
// RUN: diff %t %t.bytecode
// RUN: xla-opt %s --mlir-print-op-generic | xla-opt | grep . | diff %t -

module {
  func.func @while(%arg0: tensor<i32>, %arg1: tensor<2xf32>) -> (tensor<i32>, tensor<2xf32>) {
    %c = stablehlo.constant dense<10> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %arg1) : tensor<i32>, tensor<2xf32>
    cond {
      %1 = stablehlo.compare LT, %iterArg, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.add %iterArg, %c : tensor<i32>
      %2 = stablehlo.add %iterArg_0, %arg1 : tensor<2xf32>
      stablehlo.return %1, %2 : tensor<i32>, tensor<2xf32>
    }
    return %0#0, %0#1 : tensor<i32>, tensor<2xf32>
  }
  func.func @while_attributes(%arg0: tensor<i1>) -> tensor<i1> {
    %0 = stablehlo.while(%iterArg = %arg0) : tensor<i1> attributes {mhlo.frontend_attributes = {a = "b"}}
    cond {
      stablehlo.return %iterArg : tensor<i1>
    } do {
      %1 = stablehlo.not %iterArg : tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }
    return %0 : tensor<i1>
  }
  func.func @if(%arg0: tensor<i1>, %arg1: tensor<2xf32>) -> tensor<2xf32> {
    %0 = "stablehlo.if"(%arg0) ({
      stablehlo.return %arg1 : tensor<2xf32>
    }, {
      stablehlo.return %arg1 : tensor<2xf32>
    }) : (tensor<i1>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @case(%arg0: tensor<i32>, %arg1: tensor<2xf32>) -> tensor<2xf32> {
    %0 = "stablehlo.case"(%arg0) ({
      stablehlo.return %arg1 : tensor<2xf32>
    }, {
      stablehlo.return %arg1 : tensor<2xf32>
    }) : (tensor<i32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @composite(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.composite "my.op" %arg0 {composite_attributes = {k = 3 : i64}, decomposition = @decomposition, version = 1 : i32} : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func private @decomposition(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    return %arg0 : tensor<2xf32>
  }
  func.func @async(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = "stablehlo.async_start"(%arg0) ({
    ^bb0(%arg1: tensor<2xf32>):
      %2 = "stablehlo.collective_permute"(%arg1) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
      stablehlo.return %2 : tensor<2xf32>
    }) : (tensor<2xf32>) -> !stablehlo.future<tensor<2xf32>>
    %1 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<2xf32>>) -> tensor<2xf32>
    return %1 : tensor<2xf32>
  }
  func.func @reduce_two(%arg0: tensor<3x4xf32>, %arg1: tensor<3x4xi32>, %arg2: tensor<f32>, %arg3: tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>) {
    %0:2 = stablehlo.reduce(%arg0 init: %arg2), (%arg1 init: %arg3) across dimensions = [1] : (tensor<3x4xf32>, tensor<3x4xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
     reducer(%arg4: tensor<f32>, %arg6: tensor<f32>) (%arg5: tensor<i32>, %arg7: tensor<i32>)  {
      %1 = stablehlo.compare GT, %arg4, %arg6, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %2 = stablehlo.select %1, %arg4, %arg6 : tensor<i1>, tensor<f32>
      %3 = stablehlo.select %1, %arg5, %arg7 : tensor<i1>, tensor<i32>
      stablehlo.return %2, %3 : tensor<f32>, tensor<i32>
    }
    return %0#0, %0#1 : tensor<3xf32>, tensor<3xi32>
  }
  func.func @reduce_swapped(%arg0: tensor<3x4xf32>, %arg1: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.reduce(%arg0 init: %arg1) across dimensions = [0, 1] {mhlo.x = 1 : i32} : (tensor<3x4xf32>, tensor<f32>) -> tensor<f32>
     reducer(%arg2: tensor<f32>, %arg3: tensor<f32>)  {
      %1 = stablehlo.add %arg3, %arg2 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }
    return %0 : tensor<f32>
  }
  func.func @dot_general_plain(%arg0: tensor<3x4xf32>, %arg1: tensor<4x5xf32>) -> tensor<3x5xf32> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
    return %0 : tensor<3x5xf32>
  }
  func.func @dot_general_generic(%arg0: tensor<3x4xf32>, %arg1: tensor<4x5xf32>) -> tensor<3x5xf32> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [HIGH, HIGHEST] : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
    return %0 : tensor<3x5xf32>
  }
  func.func @outer_product(%arg0: tensor<3xf32>, %arg1: tensor<4xf32>) -> tensor<3x4xf32> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [] x [] : (tensor<3xf32>, tensor<4xf32>) -> tensor<3x4xf32>
    return %0 : tensor<3x4xf32>
  }
  func.func @scalars(%arg0: tensor<f32>) -> (tensor<f32>, tensor<2xf32>) {
    %0 = stablehlo.transpose %arg0, dims = [] : (tensor<f32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<2xf32>
    return %0, %1 : tensor<f32>, tensor<2xf32>
  }
  func.func @constants() {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<2xf32>
    %c = stablehlo.constant dense<true> : tensor<i1>
    %cst_0 = stablehlo.constant dense<(1.000000e+00,2.000000e+00)> : tensor<complex<f32>>
    %c_1 = stablehlo.constant {mhlo.x = "y"} dense<3> : tensor<ui8>
    %cst_2 = stablehlo.constant dense<> : tensor<0xbf16>
    return
  }
  func.func @accuracy(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.exponential %arg0 {result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e+00, ulps = 3, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @barrier(%arg0: tensor<2xf32>, %arg1: !stablehlo.token) -> tensor<2xf32> {
    %0:2 = stablehlo.optimization_barrier %arg0, %arg1 : tensor<2xf32>, !stablehlo.token
    stablehlo.optimization_barrier()
    return %0#0 : tensor<2xf32>
  }
  func.func @custom_call_forms(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = stablehlo.custom_call @Sharding(%arg0) {backend_config = "", mhlo.sharding = "{replicated}"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %1 = stablehlo.custom_call @"a b"(%0) {mhlo.backend_config = {uplo = 76 : ui8}, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %2:2 = stablehlo.custom_call @two(%1) {called_computations = [@decomposition], operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<> : tensor<0xindex>]} : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<i32>)
    return %2#0 : tensor<2x3xf32>
  }
  func.func @convolution_bare(%arg0: tensor<1x8x8x3xf32>, %arg1: tensor<3x3x3x4xf32>) -> tensor<1x6x6x4xf32> {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x6x6x4xf32>
    return %0 : tensor<1x6x6x4xf32>
  }
  func.func @precisions(%arg0: tensor<3x4xf32>, %arg1: tensor<4x5xf32>) -> tensor<3x5xf32> {
    %0 = stablehlo.dot %arg0, %arg1 : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
    return %0 : tensor<3x5xf32>
  }
  func.func @compare_forms(%arg0: tensor<2xcomplex<f32>>, %arg1: tensor<2xi1>) -> tensor<2xi1> {
    %0 = stablehlo.compare EQ, %arg0, %arg0 : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xi1>
    %1 = stablehlo.compare NE, %0, %arg1, UNSIGNED : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
    return %1 : tensor<2xi1>
  }
  func.func @select_mask(%arg0: tensor<2xi1>, %arg1: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg1 : tensor<2xi1>, tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @abs_complex(%arg0: tensor<2xcomplex<f32>>) -> tensor<2xf32> {
    %0 = stablehlo.abs %arg0 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @gather_batching(%arg0: tensor<3x8x4xf32>, %arg1: tensor<3x5x1xi32>) -> tensor<3x5x4xf32> {
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = true, slice_sizes = array<i64: 1, 1, 4>}> : (tensor<3x8x4xf32>, tensor<3x5x1xi32>) -> tensor<3x5x4xf32>
    return %0 : tensor<3x5x4xf32>
  }
  func.func @mesh_groups(%arg0: tensor<2xf32>) -> tensor<4xf32> {
    %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "x", size = 4>], device_ids=dense<[0, 1, 2, 3]> : tensor<4xi64>>, axes = [#stablehlo.axis_ref<name = "x", sub_axis_info = (1)2>]>}> : (tensor<2xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func @after_all_none() -> !stablehlo.token {
    %0 = stablehlo.after_all  : !stablehlo.token
    return %0 : !stablehlo.token
  }
  func.func @cholesky_default(%arg0: tensor<3x3xf32>) -> tensor<3x3xf32> {
    %0 = stablehlo.cholesky %arg0 : tensor<3x3xf32>
    return %0 : tensor<3x3xf32>
  }
  func.func @convert_same(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.convert %arg0 : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
