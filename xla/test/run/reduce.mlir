// RUN: xla-run %s --backend=reference > %t.reference
// RUN: xla-run %s --backend=native > %t.native
// RUN: diff %t.reference %t.native

// Each shape of reduction: few, rows, columns, all, between, several operands,
// a body of its own, nothing to reduce. Small integers in floats: any order
// gives the same sum.

func.func @main() -> (tensor<40x30xf32>, tensor<30x3xf32>, tensor<40x3xf32>, tensor<40x30xf32>, tensor<f32>, tensor<i32>, tensor<40xf32>, tensor<40xi32>, tensor<2xf32>, tensor<30xi32>, tensor<3xbf16>) {
  %i = stablehlo.iota dim = 0 : tensor<40x30x3xi32>
  %j = stablehlo.iota dim = 1 : tensor<40x30x3xi32>
  %k = stablehlo.iota dim = 2 : tensor<40x30x3xi32>
  %seven = stablehlo.constant dense<7> : tensor<40x30x3xi32>
  %ij = stablehlo.multiply %i, %j : tensor<40x30x3xi32>
  %sum = stablehlo.add %ij, %k : tensor<40x30x3xi32>
  %n = stablehlo.remainder %sum, %seven : tensor<40x30x3xi32>
  %x = stablehlo.convert %n : (tensor<40x30x3xi32>) -> tensor<40x30x3xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %hundred = stablehlo.constant dense<100.0> : tensor<f32>
  %izero = stablehlo.constant dense<0> : tensor<i32>
  %few = stablehlo.reduce(%x init: %hundred) applies stablehlo.add across dimensions = [2] : (tensor<40x30x3xf32>, tensor<f32>) -> tensor<40x30xf32>
  %columns = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<40x30x3xf32>, tensor<f32>) -> tensor<30x3xf32>
  %between = stablehlo.reduce(%x init: %zero) applies stablehlo.maximum across dimensions = [1] : (tensor<40x30x3xf32>, tensor<f32>) -> tensor<40x3xf32>
  %none = stablehlo.reduce(%few init: %zero) applies stablehlo.add across dimensions = [] : (tensor<40x30xf32>, tensor<f32>) -> tensor<40x30xf32>
  %all = stablehlo.reduce(%x init: %hundred) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<40x30x3xf32>, tensor<f32>) -> tensor<f32>
  %alli = stablehlo.reduce(%n init: %izero) applies stablehlo.or across dimensions = [2, 0, 1] : (tensor<40x30x3xi32>, tensor<i32>) -> tensor<i32>
  // The largest of a row and where it stands first.
  %at = stablehlo.iota dim = 1 : tensor<40x30xi32>
  %arg:2 = stablehlo.reduce(%few init: %zero), (%at init: %izero) across dimensions = [1] : (tensor<40x30xf32>, tensor<40x30xi32>, tensor<f32>, tensor<i32>) -> (tensor<40xf32>, tensor<40xi32>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%p: tensor<i32>, %q: tensor<i32>) {
    %gt = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %eq = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %lt = stablehlo.compare LT, %p, %q, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %tie = stablehlo.and %eq, %lt : tensor<i1>
    %first = stablehlo.or %gt, %tie : tensor<i1>
    %v = stablehlo.select %gt, %a, %b : tensor<i1>, tensor<f32>
    %w = stablehlo.select %first, %p, %q : tensor<i1>, tensor<i32>
    stablehlo.return %v, %w : tensor<f32>, tensor<i32>
  }
  %nothing = stablehlo.constant dense<> : tensor<2x0xf32>
  %empty = stablehlo.reduce(%nothing init: %hundred) applies stablehlo.add across dimensions = [1] : (tensor<2x0xf32>, tensor<f32>) -> tensor<2xf32>
  %mixed = stablehlo.reduce(%n init: %izero) applies stablehlo.minimum across dimensions = [0, 2] : (tensor<40x30x3xi32>, tensor<i32>) -> tensor<30xi32>
  %ones = stablehlo.constant dense<1.0> : tensor<3x4096xbf16>
  %bzero = stablehlo.constant dense<0.0> : tensor<bf16>
  %wide = stablehlo.reduce(%ones init: %bzero) applies stablehlo.add across dimensions = [1] : (tensor<3x4096xbf16>, tensor<bf16>) -> tensor<3xbf16>
  return %few, %columns, %between, %none, %all, %alli, %arg#0, %arg#1, %empty, %mixed, %wide : tensor<40x30xf32>, tensor<30x3xf32>, tensor<40x3xf32>, tensor<40x30xf32>, tensor<f32>, tensor<i32>, tensor<40xf32>, tensor<40xi32>, tensor<2xf32>, tensor<30xi32>, tensor<3xbf16>
}
