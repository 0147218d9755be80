// RUN: xla-opt %s --xla-import-vhlo | FileCheck %s

// CHECK-LABEL: func.func @casts_to_the_same_type_go
// CHECK-SAME:    (%[[X:.*]]: tensor<2xui32>)
// CHECK-NEXT:    return %[[X]]
func.func @casts_to_the_same_type_go(%x: tensor<2xui32>) -> tensor<2xui32> {
  %0 = builtin.unrealized_conversion_cast %x : tensor<2xui32> to tensor<2xui32>
  %1 = builtin.unrealized_conversion_cast %0 : tensor<2xui32> to tensor<2xui32>
  return %1 : tensor<2xui32>
}

// CHECK-LABEL: func.func @other_casts_stay
// CHECK:         builtin.unrealized_conversion_cast
func.func @other_casts_stay(%x: tensor<2xui32>) -> tensor<2xi32> {
  %0 = builtin.unrealized_conversion_cast %x : tensor<2xui32> to tensor<2xi32>
  return %0 : tensor<2xi32>
}
