// RUN: xla-run %s --backend=reference | FileCheck %s
// RUN: xla-run %s --backend=native | FileCheck %s

// Windows of two elements at 0, 4 (outside), 0 and 1: one after the other, the later wins.
func.func @main() -> tensor<3xi32> {
  %x = stablehlo.constant dense<0> : tensor<3xi32>
  %i = stablehlo.constant dense<[[0], [4], [0], [1]]> : tensor<4x1xi32>
  %u = stablehlo.constant dense<[[10, 20, 30, 40], [11, 21, 31, 41]]> : tensor<2x4xi32>
  // CHECK: s32[3] 30 40 41
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    stablehlo.return %b : tensor<i32>
  }) : (tensor<3xi32>, tensor<4x1xi32>, tensor<2x4xi32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}
