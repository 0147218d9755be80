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

// CHECK-LABEL: @uninitialized_array_is_memory
// CHECK-NEXT:    %[[Y:.*]] = stablehlo.custom_call @AllocateBuffer() : () -> tensor<2xf32>
// CHECK-NEXT:    return %[[Y]]
func.func @uninitialized_array_is_memory() -> tensor<2xf32> {
  %0 = stablehlo.composite "xla.uninitialized" {decomposition = @filled} : () -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func private @filled() -> tensor<2xf32> {
  %0 = stablehlo.constant dense<0.0> : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: @uninitialized_scalar_is_filled
// CHECK-NEXT:    call @zero
func.func @uninitialized_scalar_is_filled() -> tensor<f32> {
  %0 = stablehlo.composite "xla.uninitialized" {decomposition = @zero} : () -> tensor<f32>
  return %0 : tensor<f32>
}
func.func private @zero() -> tensor<f32> {
  %0 = stablehlo.constant dense<0.0> : tensor<f32>
  return %0 : tensor<f32>
}
