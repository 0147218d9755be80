// RUN: not xla-opt %s --xla-inline-calls 2>&1 | FileCheck %s

// CHECK: error: {{.*}}recurs
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = func.call @again(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func private @again(%x: tensor<f32>) -> tensor<f32> {
  %0 = func.call @again(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
