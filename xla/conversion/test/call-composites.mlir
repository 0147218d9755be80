// RUN: xla-opt %s --xla-call-composites | FileCheck %s

// CHECK-LABEL: @composite_becomes_call
// CHECK-SAME:    (%[[X:.*]]: tensor<2xf32>)
// CHECK-NEXT:    %[[Y:.*]] = call @decomposition(%[[X]]) : (tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT:    return %[[Y]]
func.func @composite_becomes_call(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.composite "my.op" %x {decomposition = @decomposition} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func private @decomposition(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
