// RUN: xla-gpu %s --emit=check
// RUN: xla-gpu %s --emit=kernels | FileCheck %s

// 200000 elements are 400 parts of 500, whose sums fold into one; so are pairs, whose first ones are compared, with two in a line.
// CHECK: // 400 blocks of 256 threads
// CHECK-NEXT: kernel @reduce0
// CHECK: // 1 blocks of 256 threads
// CHECK-NEXT: kernel @reduce1
// CHECK: // 512 blocks of 256 threads
// CHECK-NEXT: kernel @reduce2
// CHECK: // 2 blocks of 256 threads
// CHECK-NEXT: kernel @reduce3
// CHECK-NOT: kernel
func.func @main(%x: tensor<200000xf32>, %y: tensor<2x256x256xf32>) -> (tensor<f32>, tensor<2xf32>, tensor<2xi32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %none = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<200000xf32>, tensor<f32>) -> tensor<f32>
  %i = stablehlo.iota dim = 2 : tensor<2x256x256xi32>
  %1:2 = stablehlo.reduce(%y init: %low), (%i init: %none) across dimensions = [1, 2] : (tensor<2x256x256xf32>, tensor<2x256x256xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%c: tensor<i32>, %d: tensor<i32>) {
    %2 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %3 = stablehlo.select %2, %a, %b : tensor<i1>, tensor<f32>
    %4 = stablehlo.select %2, %c, %d : tensor<i1>, tensor<i32>
    stablehlo.return %3, %4 : tensor<f32>, tensor<i32>
  }
  return %0, %1#0, %1#1 : tensor<f32>, tensor<2xf32>, tensor<2xi32>
}
