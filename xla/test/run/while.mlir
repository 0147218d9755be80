// RUN: xla-run %s --backend=reference > %t.reference
// RUN: xla-run %s --backend=native > %t.native
// RUN: diff %t.reference %t.native

// Carries that change in place, are swapped, or come from outside; the numbers
// are exact, so that both backends print the same.

func.func @main() -> (tensor<8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<i32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %eight = stablehlo.constant dense<8> : tensor<i32>
  %empty = stablehlo.constant dense<0.0> : tensor<8xf32>
  %a0 = stablehlo.iota dim = 0 : tensor<4xf32>
  %b0 = stablehlo.constant dense<[3.0, 1.0, 4.0, 1.0]> : tensor<4xf32>
  %outside = stablehlo.add %b0, %b0 : tensor<4xf32>
  // Every round writes one element; three carries go round in a circle.
  %r:6 = stablehlo.while(%i = %zero, %acc = %empty, %a = %a0, %b = %b0, %c = %a0, %n = %zero) : tensor<i32>, tensor<8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<i32>
  cond {
    %p = stablehlo.compare LT, %i, %eight, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %init = stablehlo.constant dense<0.0> : tensor<f32>
    %s = stablehlo.reduce(%a init: %init) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %u = stablehlo.reshape %s : (tensor<f32>) -> tensor<1xf32>
    %old = stablehlo.dynamic_slice %acc, %i, sizes = [1] : (tensor<8xf32>, tensor<i32>) -> tensor<1xf32>
    %new = stablehlo.add %u, %old : tensor<1xf32>
    %acc2 = stablehlo.dynamic_update_slice %acc, %new, %i : (tensor<8xf32>, tensor<1xf32>, tensor<i32>) -> tensor<8xf32>
    %c2 = stablehlo.add %a, %outside : tensor<4xf32>
    %n2 = stablehlo.add %n, %i : tensor<i32>
    stablehlo.return %next, %acc2, %b, %c, %c2, %n2 : tensor<i32>, tensor<8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<i32>
  }
  // A loop that runs no round hands its operands on; a swap.
  %x = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %y = stablehlo.negate %x : tensor<2x3xf32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %t:3 = stablehlo.while(%i = %zero, %l = %x, %m = %y) : tensor<i32>, tensor<2x3xf32>, tensor<2x3xf32>
  cond {
    %p = stablehlo.compare LT, %i, %three, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %m, %l : tensor<i32>, tensor<2x3xf32>, tensor<2x3xf32>
  }
  return %r#1, %r#2, %r#3, %r#4, %r#5, %t#1, %t#2 : tensor<8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<i32>, tensor<2x3xf32>, tensor<2x3xf32>
}
