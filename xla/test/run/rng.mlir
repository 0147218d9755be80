// RUN: xla-run %s | FileCheck %s
// RUN: xla-run %s --backend=reference | FileCheck %s

// Numbers within their bounds, of the right mean and variance; two draws differ.
// CHECK:      pred[] 1
// CHECK-NEXT: pred[] 1
// CHECK-NEXT: pred[] 1
// CHECK-NEXT: pred[] 1

func.func private @sum(%x: tensor<4096xf32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0]
    : (tensor<4096xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

func.func private @all(%x: tensor<4096xi1>) -> tensor<i1> {
  %true = stablehlo.constant dense<true> : tensor<i1>
  %0 = stablehlo.reduce(%x init: %true) applies stablehlo.and across dimensions = [0]
    : (tensor<4096xi1>, tensor<i1>) -> tensor<i1>
  return %0 : tensor<i1>
}

func.func private @near(%x: tensor<f32>, %y: tensor<f32>) -> tensor<i1> {
  %bound = stablehlo.constant dense<300.0> : tensor<f32>
  %d = stablehlo.subtract %x, %y : tensor<f32>
  %a = stablehlo.abs %d : tensor<f32>
  %0 = stablehlo.compare LT, %a, %bound : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %0 : tensor<i1>
}

func.func @main() -> (tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>) {
  %shape = stablehlo.constant dense<4096> : tensor<1xi64>
  %two = stablehlo.constant dense<2.0> : tensor<f32>
  %four = stablehlo.constant dense<4.0> : tensor<f32>
  %u = stablehlo.rng %two, %four, %shape, distribution = UNIFORM
    : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4096xf32>
  %low = stablehlo.constant dense<2.0> : tensor<4096xf32>
  %high = stablehlo.constant dense<4.0> : tensor<4096xf32>
  %above = stablehlo.compare GE, %u, %low : (tensor<4096xf32>, tensor<4096xf32>) -> tensor<4096xi1>
  %below = stablehlo.compare LT, %u, %high : (tensor<4096xf32>, tensor<4096xf32>) -> tensor<4096xi1>
  %within = stablehlo.and %above, %below : tensor<4096xi1>
  %0 = call @all(%within) : (tensor<4096xi1>) -> tensor<i1>
  %total = call @sum(%u) : (tensor<4096xf32>) -> tensor<f32>
  %expected = stablehlo.constant dense<12288.0> : tensor<f32>
  %1 = call @near(%total, %expected) : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %n = stablehlo.rng %zero, %one, %shape, distribution = NORMAL
    : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4096xf32>
  %squares = stablehlo.multiply %n, %n : tensor<4096xf32>
  %variance = call @sum(%squares) : (tensor<4096xf32>) -> tensor<f32>
  %count = stablehlo.constant dense<4096.0> : tensor<f32>
  %2 = call @near(%variance, %count) : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %v = stablehlo.rng %two, %four, %shape, distribution = UNIFORM
    : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4096xf32>
  %other = call @sum(%v) : (tensor<4096xf32>) -> tensor<f32>
  %3 = stablehlo.compare NE, %total, %other : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %0, %1, %2, %3 : tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>
}
