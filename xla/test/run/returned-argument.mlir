// RUN: split-file %s %t
// RUN: xla-run %t/first.mlir --backend=reference 1,2,3 > %t.first
// RUN: xla-run %t/first.mlir 1,2,3 | diff %t.first -
// RUN: FileCheck %s < %t.first --check-prefix=FIRST
// RUN: xla-run %t/exchange.mlir --backend=reference 1,2,3 4,5,6 7,8,9 > %t.exchange
// RUN: xla-run %t/exchange.mlir 1,2,3 4,5,6 7,8,9 | diff %t.exchange -
// RUN: FileCheck %s < %t.exchange --check-prefix=EXCHANGE
// RUN: xla-run %t/loop.mlir --backend=reference 1,2,3 > %t.loop
// RUN: xla-run %t/loop.mlir 1,2,3 | diff %t.loop -
// RUN: FileCheck %s < %t.loop --check-prefix=LOOP

// An argument whose memory one result takes is another result as well.

//--- first.mlir
// FIRST: s32[3] -1 -2 -3
// FIRST-NEXT: s32[3] 1 2 3
func.func @main(%a: tensor<3xi32> {tf.aliasing_output = 0 : i32}) -> (tensor<3xi32>, tensor<3xi32>) {
  %b = stablehlo.negate %a : tensor<3xi32>
  return %b, %a : tensor<3xi32>, tensor<3xi32>
}

//--- exchange.mlir
// EXCHANGE: s32[3] 4 5 6
// EXCHANGE-NEXT: s32[3] 7 8 9
// EXCHANGE-NEXT: s32[3] 1 2 3
// EXCHANGE-NEXT: s32[3] 1 2 3
func.func @main(%a: tensor<3xi32> {tf.aliasing_output = 0 : i32}, %b: tensor<3xi32> {tf.aliasing_output = 1 : i32},
                %c: tensor<3xi32> {tf.aliasing_output = 2 : i32})
    -> (tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>) {
  return %b, %c, %a, %a : tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>
}

//--- loop.mlir
// The loop hands its second carry on unchanged: the argument is the result.
// LOOP: s32[3] 8 16 24
// LOOP-NEXT: s32[3] 1 2 3
func.func @main(%a: tensor<3xi32> {jax.buffer_donor = true}) -> (tensor<3xi32>, tensor<3xi32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %r:3 = stablehlo.while(%n = %zero, %x = %a, %y = %a) : tensor<i32>, tensor<3xi32>, tensor<3xi32>
  cond {
    %p = stablehlo.compare LT, %n, %three, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %next = stablehlo.add %n, %one : tensor<i32>
    %twice = stablehlo.add %x, %x : tensor<3xi32>
    stablehlo.return %next, %twice, %y : tensor<i32>, tensor<3xi32>, tensor<3xi32>
  }
  return %r#1, %r#2 : tensor<3xi32>, tensor<3xi32>
}
