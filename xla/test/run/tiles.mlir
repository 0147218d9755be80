// RUN: xla-run %s --backend=reference | FileCheck %s
// RUN: xla-run %s --backend=native | FileCheck %s

// Nests that read across lines go by tiles, with sides that tiles do not
// divide; inner loops are cut where a concatenation or a pad goes over from one
// piece to the next, read forwards and backwards. Sums weighted with indices
// give the results.
func.func @main() -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<5xi32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %i = stablehlo.iota dim = 0 : tensor<6120xi32>
  %p = stablehlo.constant dense<101> : tensor<6120xi32>
  %r = stablehlo.remainder %i, %p : tensor<6120xi32>
  %x = stablehlo.reshape %r : (tensor<6120xi32>) -> tensor<3x30x68xi32>
  %t = stablehlo.transpose %x, dims = [2, 0, 1] : (tensor<3x30x68xi32>) -> tensor<68x3x30xi32>
  %u = stablehlo.transpose %x, dims = [1, 0, 2] : (tensor<3x30x68xi32>) -> tensor<30x3x68xi32>
  %one = stablehlo.constant dense<1> : tensor<68x3x30xi32>
  %0 = stablehlo.add %t, %one : tensor<68x3x30xi32>
  %1 = stablehlo.reshape %0 : (tensor<68x3x30xi32>) -> tensor<6120xi32>
  %2 = stablehlo.multiply %1, %i : tensor<6120xi32>
  // CHECK: s32[] 949342934
  %sum0 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<6120xi32>, tensor<i32>) -> tensor<i32>

  %back = stablehlo.reverse %u, dims = [2] : tensor<30x3x68xi32>
  %both = stablehlo.concatenate %u, %back, dim = 2 : (tensor<30x3x68xi32>, tensor<30x3x68xi32>) -> tensor<30x3x136xi32>
  %seven = stablehlo.constant dense<7> : tensor<i32>
  %pad = stablehlo.pad %both, %seven, low = [1, 0, 2], high = [0, 1, 5], interior = [0, 0, 0] : (tensor<30x3x136xi32>, tensor<i32>) -> tensor<31x4x143xi32>
  %cut = stablehlo.slice %pad [1:31, 0:4, 1:142] : (tensor<31x4x143xi32>) -> tensor<30x4x141xi32>
  %turn = stablehlo.reverse %cut, dims = [2] : tensor<30x4x141xi32>
  %twice = stablehlo.add %turn, %cut : tensor<30x4x141xi32>
  %flat = stablehlo.reshape %twice : (tensor<30x4x141xi32>) -> tensor<16920xi32>
  %j = stablehlo.iota dim = 0 : tensor<16920xi32>
  %3 = stablehlo.multiply %flat, %j : tensor<16920xi32>
  // CHECK: s32[] -2096860944
  %sum1 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<16920xi32>, tensor<i32>) -> tensor<i32>

  // Negative padding cuts.
  %line = stablehlo.pad %r, %seven, low = [-3], high = [4], interior = [0] : (tensor<6120xi32>, tensor<i32>) -> tensor<6121xi32>
  %k = stablehlo.iota dim = 0 : tensor<6121xi32>
  %4 = stablehlo.multiply %line, %k : tensor<6121xi32>
  // CHECK: s32[] 933142922
  %sum2 = stablehlo.reduce(%4 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<6121xi32>, tensor<i32>) -> tensor<i32>

  // Few elements in a loop are written out: pieces are chosen by constants.
  %start = stablehlo.constant dense<[1, 2, 3, 4, 5]> : tensor<5xi32>
  // CHECK: s32[5] 402 442 402 337 337
  %loop:2 = stablehlo.while(%n = %zero, %v = %start) : tensor<i32>, tensor<5xi32>
  cond {
    %end = stablehlo.constant dense<7> : tensor<i32>
    %5 = stablehlo.compare LT, %n, %end, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %5 : tensor<i1>
  } do {
    %step = stablehlo.constant dense<1> : tensor<i32>
    %5 = stablehlo.add %n, %step : tensor<i32>
    %head = stablehlo.slice %v [0:2] : (tensor<5xi32>) -> tensor<2xi32>
    %tail = stablehlo.slice %v [2:5] : (tensor<5xi32>) -> tensor<3xi32>
    %rolled = stablehlo.concatenate %tail, %head, dim = 0 : (tensor<3xi32>, tensor<2xi32>) -> tensor<5xi32>
    %other = stablehlo.reverse %v, dims = [0] : tensor<5xi32>
    %next = stablehlo.add %rolled, %other : tensor<5xi32>
    stablehlo.return %5, %next : tensor<i32>, tensor<5xi32>
  }
  return %sum0, %sum1, %sum2, %loop#1 : tensor<i32>, tensor<i32>, tensor<i32>, tensor<5xi32>
}
