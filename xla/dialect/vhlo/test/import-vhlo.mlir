// Artifacts that upstream's serializer wrote for target version 1.13.7, and one
// for 0.14.0, before attributes were properties. Parsing does not verify: VHLO's
// operations have no verifiers; the pass's result is verified.

// RUN: xla-opt --mlir-very-unsafe-disable-verifier-on-parsing --xla-import-vhlo %S/dot.mlirbc | FileCheck %s --check-prefix=DOT
// DOT-LABEL: func.func public @main(
// DOT-SAME:    %[[X:.*]]: tensor<2x3xf32>) -> (tensor<2x2xf32> {jax.result_info = "result"})
// DOT:         %[[ONE:.*]] = stablehlo.constant dense<1.000000e+00> : tensor<f32>
// DOT:         %[[T:.*]] = stablehlo.transpose %[[X]], dims = [1, 0]
// DOT:         %[[D:.*]] = stablehlo.dot_general %{{.*}}, %[[T]], contracting_dims = [1] x [0]
// DOT:         return

// RUN: xla-opt --mlir-very-unsafe-disable-verifier-on-parsing --xla-import-vhlo %S/scatter.mlirbc | FileCheck %s --check-prefix=SCATTER
// SCATTER:      "stablehlo.scatter"
// SCATTER-SAME: #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>
// SCATTER:      ^bb0(%[[A:.*]]: tensor<f32>, %[[B:.*]]: tensor<f32>):
// SCATTER-NEXT:   %[[SUM:.*]] = stablehlo.add %[[A]], %[[B]] : tensor<f32>
// SCATTER-NEXT:   stablehlo.return %[[SUM]] : tensor<f32>
// SCATTER:      "stablehlo.gather"
// SCATTER-SAME: #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>
// SCATTER-SAME: slice_sizes = array<i64: 1, 3>

// RUN: xla-opt --mlir-very-unsafe-disable-verifier-on-parsing --xla-import-vhlo %S/conv.mlirbc | FileCheck %s --check-prefix=CONV
// CONV:      stablehlo.convolution
// CONV-SAME: dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]
// CONV-SAME: pad = {{\[\[}}0, 1], [0, 1]]
// CONV-SAME: reverse = [false, false]

// RUN: xla-opt --mlir-very-unsafe-disable-verifier-on-parsing --xla-import-vhlo %S/custom_call.mlirbc | FileCheck %s --check-prefix=CALL
// CALL:      stablehlo.constant dense<0x7FC00000> : tensor<f32>
// CALL:      stablehlo.custom_call @lapack_spotrf_ffi
// CALL-SAME: mhlo.backend_config = {uplo = 76 : ui8}
// CALL-SAME: operand_layouts = [dense<[0, 1]> : tensor<2xindex>]
// CALL-SAME: #stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>

// RUN: xla-opt --mlir-very-unsafe-disable-verifier-on-parsing --xla-import-vhlo %S/composite.mlirbc | FileCheck %s --check-prefix=COMPOSITE
// COMPOSITE: stablehlo.composite "chlo.top_k" %{{.*}} {composite_attributes = {k = 2 : i64}, decomposition = @chlo.top_k.impl, version = 1 : i32}
// COMPOSITE: func.func private @chlo.top_k.impl
// COMPOSITE: stablehlo.compare GT, %{{.*}}, %{{.*}}, TOTALORDER

// RUN: xla-opt --mlir-very-unsafe-disable-verifier-on-parsing --xla-import-vhlo %S/cond.mlirbc | FileCheck %s --check-prefix=CASE
// CASE:      "stablehlo.case"(%{{.*}}) ({
// CASE:        stablehlo.negate
// CASE-NEXT:   stablehlo.return
// CASE:      }, {
// CASE-NEXT:   stablehlo.return

// RUN: xla-opt --mlir-very-unsafe-disable-verifier-on-parsing --xla-import-vhlo %S/boolean_literal.mlirbc | FileCheck %s --check-prefix=BOOLEAN
// BOOLEAN: dense<[true, false, true, false, true, true]> : tensor<6xi1>
// BOOLEAN: stablehlo.fft %{{.*}}, type = FFT, length = [6]

// RUN: xla-opt --mlir-very-unsafe-disable-verifier-on-parsing --xla-import-vhlo %S/version_0_14.mlirbc | FileCheck %s --check-prefix=OLD
// OLD: stablehlo.compare GT, %{{.*}}, %{{.*}}, FLOAT
