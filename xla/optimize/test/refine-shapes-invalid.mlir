// RUN: not xla-opt %s --xla-refine-shapes 2>&1 | FileCheck %s

// Sizes that are arguments, and no dimension of the result says.
// CHECK: error: 'stablehlo.dynamic_pad' has sizes that are not known when it is compiled
// CHECK-NEXT: types {{.*}}tensor<2xf32>
func.func @main(%x: tensor<2xf32>, %z: tensor<f32>, %n: tensor<1xi32>) -> tensor<5xf32> {
  %0 = stablehlo.dynamic_pad %x, %z, %n, %n, %n : (tensor<2xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
