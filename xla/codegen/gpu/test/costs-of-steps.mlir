// RUN: xla-gpu %s --emit=costs | FileCheck %s

// A product of matrices in each of five rounds, and a factorization that the host computes; how often is known, so that the host reads nothing of the condition.
// CHECK: "products":{"f32":40960}
// CHECK-SAME: "steps":[
// CHECK-SAME: {"bytes":2048,"host":"stablehlo.cholesky","times":5}
// CHECK-SAME: {"knows_rounds":true,"read":0,"times":1}
func.func @main(%x: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %five = stablehlo.constant dense<5> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<16x16xf32>
    cond {
      %goes = stablehlo.compare LT, %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %goes : tensor<i1>
    } do {
      %p = stablehlo.dot_general %y, %y, contracting_dims = [1] x [1] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      %c = stablehlo.cholesky %p, lower = true : tensor<16x16xf32>
      %next = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %next, %c : tensor<i32>, tensor<16x16xf32>
    }
  return %0#1 : tensor<16x16xf32>
}
