// RUN: xla-run %s --backend=reference > %t.reference
// RUN: xla-run %s --backend=native > %t.native
// RUN: diff %t.reference %t.native

// The new element comes from the array that it is written into.

func.func @main() -> tensor<6xf32> {
  %x = stablehlo.iota dim = 0 : tensor<6xf32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %five = stablehlo.constant dense<5> : tensor<i32>
  %six = stablehlo.constant dense<6> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<6xf32>
  cond {
    %p = stablehlo.compare LT, %i, %six, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %j = stablehlo.subtract %five, %i : tensor<i32>
    %old = stablehlo.dynamic_slice %a, %j, sizes = [1] : (tensor<6xf32>, tensor<i32>) -> tensor<1xf32>
    %new = stablehlo.add %old, %old : tensor<1xf32>
    %b = stablehlo.dynamic_update_slice %a, %new, %i : (tensor<6xf32>, tensor<1xf32>, tensor<i32>) -> tensor<6xf32>
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %b : tensor<i32>, tensor<6xf32>
  }
  return %r#1 : tensor<6xf32>
}
