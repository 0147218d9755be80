// RUN: xla-opt %s --xla-normalize-layouts | FileCheck %s

// A custom call that wants its operand column-major takes the transposed array.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:.*]]: tensor<2x3xf32>)
// CHECK: %[[TURNED:.*]] = stablehlo.transpose %[[X]], dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
// CHECK: stablehlo.custom_call @f(%[[TURNED]])
// CHECK-SAME: (tensor<3x2xf32>) -> tensor<2x3xf32>
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.custom_call @f(%x) {api_version = 4 : i32, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
