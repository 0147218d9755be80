// RUN: split-file %s %t
// RUN: xla-run %t/behind.mlir --backend=reference > %t.behind
// RUN: xla-run %t/behind.mlir | diff %t.behind -
// RUN: xla-run %t/before.mlir --backend=reference > %t.before
// RUN: xla-run %t/before.mlir | diff %t.before -

// Two values share expensive work, so one loop nest computes both, where
// the last one stands. A product's own nest may not be moved past that.

//--- behind.mlir
// What is added to the product is written behind it, together with %squares.
func.func @main() -> (tensor<40x40xi32>, tensor<40x40xi32>, tensor<40x40xi32>) {
  %x = stablehlo.iota dim = 0 : tensor<40x40xi32>
  %w = stablehlo.iota dim = 1 : tensor<40x40xi32>
  %seven = stablehlo.constant dense<7> : tensor<40x40xi32>
  %work = stablehlo.remainder %x, %seven : tensor<40x40xi32>
  %other = stablehlo.add %work, %w : tensor<40x40xi32>
  %p = stablehlo.dot %x, %w : (tensor<40x40xi32>, tensor<40x40xi32>) -> tensor<40x40xi32>
  %squares = stablehlo.multiply %work, %work : tensor<40x40xi32>
  %sum = stablehlo.add %p, %other : tensor<40x40xi32>
  return %sum, %other, %squares : tensor<40x40xi32>, tensor<40x40xi32>, tensor<40x40xi32>
}

//--- before.mlir
// The last value of the nest does not depend on the product, another one does.
// %x dies in the nest: the product may not take its place.
func.func @main() -> (tensor<40x40xi32>, tensor<40x40xi32>) {
  %a = stablehlo.iota dim = 0 : tensor<40x40xi32>
  %b = stablehlo.iota dim = 1 : tensor<40x40xi32>
  %seven = stablehlo.constant dense<7> : tensor<40x40xi32>
  %turned = stablehlo.dot %b, %a : (tensor<40x40xi32>, tensor<40x40xi32>) -> tensor<40x40xi32>
  %x = stablehlo.optimization_barrier %turned : tensor<40x40xi32>
  %p = stablehlo.dot %a, %b : (tensor<40x40xi32>, tensor<40x40xi32>) -> tensor<40x40xi32>
  %work = stablehlo.remainder %x, %seven : tensor<40x40xi32>
  %sum = stablehlo.add %p, %work : tensor<40x40xi32>
  %squares = stablehlo.multiply %work, %work : tensor<40x40xi32>
  return %sum, %squares : tensor<40x40xi32>, tensor<40x40xi32>
}
