// RUN: xla-run %s --backend=reference | FileCheck %s
// RUN: xla-run %s --backend=native | FileCheck %s

// Extremes of two floats of 16 bits, of arrays and of scalars: NaNs of either
// sign stay, +0 is larger than -0, and nothing is rounded.
func.func @main() -> (tensor<12xf16>, tensor<12xf16>, tensor<12xf16>, tensor<12xf16>, tensor<12xbf16>, tensor<12xbf16>, tensor<12xbf16>, tensor<12xbf16>) {
  %i = stablehlo.iota dim = 0 : tensor<12x1xi32>
  %x0 = stablehlo.constant dense<[-1.0, 2.0, -0.0, 0.0, 0x7E00, 1.0, 0xFC00, 3.0, 0x7C00, 0xFE00, 0x0001, 0x8001]> : tensor<12xf16>
  %u0 = stablehlo.constant dense<[1.0, -2.0, 0.0, -0.0, 5.0, 0xFE00, -7.0, 3.0, 0x7E01, 0x7C00, 0x8001, 0x0001]> : tensor<12xf16>
  %b0:2 = stablehlo.optimization_barrier %x0, %u0 : tensor<12xf16>, tensor<12xf16>
  // CHECK: f16[12] 1 2 0 0 NaN NaN -7 3 NaN NaN 5.9605E-8 5.9605E-8
  %maximum0 = stablehlo.maximum %b0#0, %b0#1 : tensor<12xf16>
  // CHECK: f16[12] 1 2 0 0 NaN NaN -7 3 NaN NaN 5.9605E-8 5.9605E-8
  %maximum_at0 = "stablehlo.scatter"(%b0#0, %i, %b0#1) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f16>, %c: tensor<f16>):
    %s = stablehlo.maximum %a, %c : tensor<f16>
    stablehlo.return %s : tensor<f16>
  }) : (tensor<12xf16>, tensor<12x1xi32>, tensor<12xf16>) -> tensor<12xf16>
  // CHECK: f16[12] -1 -2 -0 -0 NaN NaN -Inf 3 NaN NaN -5.9605E-8 -5.9605E-8
  %minimum0 = stablehlo.minimum %b0#0, %b0#1 : tensor<12xf16>
  // CHECK: f16[12] -1 -2 -0 -0 NaN NaN -Inf 3 NaN NaN -5.9605E-8 -5.9605E-8
  %minimum_at0 = "stablehlo.scatter"(%b0#0, %i, %b0#1) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f16>, %c: tensor<f16>):
    %s = stablehlo.minimum %a, %c : tensor<f16>
    stablehlo.return %s : tensor<f16>
  }) : (tensor<12xf16>, tensor<12x1xi32>, tensor<12xf16>) -> tensor<12xf16>
  %x1 = stablehlo.constant dense<[-1.0, 2.0, -0.0, 0.0, 0x7FC0, 1.0, 0xFF80, 3.0, 0x7F80, 0xFFC0, 0x0001, 0x8001]> : tensor<12xbf16>
  %u1 = stablehlo.constant dense<[1.0, -2.0, 0.0, -0.0, 5.0, 0xFFC0, -7.0, 3.0, 0x7FC1, 0x7F80, 0x8001, 0x0001]> : tensor<12xbf16>
  %b1:2 = stablehlo.optimization_barrier %x1, %u1 : tensor<12xbf16>, tensor<12xbf16>
  // CHECK: bf16[12] 1 2 0 0 NaN NaN -7 3 NaN NaN 9.184E-41 9.184E-41
  %maximum1 = stablehlo.maximum %b1#0, %b1#1 : tensor<12xbf16>
  // CHECK: bf16[12] 1 2 0 0 NaN NaN -7 3 NaN NaN 9.184E-41 9.184E-41
  %maximum_at1 = "stablehlo.scatter"(%b1#0, %i, %b1#1) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<bf16>, %c: tensor<bf16>):
    %s = stablehlo.maximum %a, %c : tensor<bf16>
    stablehlo.return %s : tensor<bf16>
  }) : (tensor<12xbf16>, tensor<12x1xi32>, tensor<12xbf16>) -> tensor<12xbf16>
  // CHECK: bf16[12] -1 -2 -0 -0 NaN NaN -Inf 3 NaN NaN -9.184E-41 -9.184E-41
  %minimum1 = stablehlo.minimum %b1#0, %b1#1 : tensor<12xbf16>
  // CHECK: bf16[12] -1 -2 -0 -0 NaN NaN -Inf 3 NaN NaN -9.184E-41 -9.184E-41
  %minimum_at1 = "stablehlo.scatter"(%b1#0, %i, %b1#1) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<bf16>, %c: tensor<bf16>):
    %s = stablehlo.minimum %a, %c : tensor<bf16>
    stablehlo.return %s : tensor<bf16>
  }) : (tensor<12xbf16>, tensor<12x1xi32>, tensor<12xbf16>) -> tensor<12xbf16>
  return %maximum0, %maximum_at0, %minimum0, %minimum_at0, %maximum1, %maximum_at1, %minimum1, %minimum_at1 : tensor<12xf16>, tensor<12xf16>, tensor<12xf16>, tensor<12xf16>, tensor<12xbf16>, tensor<12xbf16>, tensor<12xbf16>, tensor<12xbf16>
}
