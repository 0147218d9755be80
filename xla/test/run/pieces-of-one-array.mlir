// RUN: xla-run %s --backend=reference | FileCheck %s
// RUN: xla-run %s --backend=native | FileCheck %s

// Concatenations whose pieces are parts of one array, turned round or repeated:
// one element is read, at an index that the piece says, along the inner
// dimension and others, through several concatenations. Sums weighted with
// indices give the results.
func.func @main() -> (tensor<3x7xi32>, tensor<2x8xi32>, tensor<i32>, tensor<i32>, tensor<3x4xi32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %x = stablehlo.constant dense<[[1, 2, 3]]> : tensor<1x3xi32>
  %low = stablehlo.slice %x [0:1, 0:1] : (tensor<1x3xi32>) -> tensor<1x1xi32>
  %high = stablehlo.slice %x [0:1, 2:3] : (tensor<1x3xi32>) -> tensor<1x1xi32>
  %lows = stablehlo.broadcast_in_dim %low, dims = [0, 1] : (tensor<1x1xi32>) -> tensor<1x2xi32>
  %highs = stablehlo.broadcast_in_dim %high, dims = [0, 1] : (tensor<1x1xi32>) -> tensor<1x2xi32>
  %wide = stablehlo.concatenate %lows, %x, %highs, dim = 1 : (tensor<1x2xi32>, tensor<1x3xi32>, tensor<1x2xi32>) -> tensor<1x7xi32>
  // Pieces of one array, which is itself put together.
  // CHECK: s32[3,7] 1 1 1 2 3 3 3 1 1 1 2 3 3 3 1 1 1 2 3 3 3
  %0 = stablehlo.concatenate %wide, %wide, %wide, dim = 0 : (tensor<1x7xi32>, tensor<1x7xi32>, tensor<1x7xi32>) -> tensor<3x7xi32>

  %y = stablehlo.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xi32>
  %left = stablehlo.slice %y [0:2, 1:3] : (tensor<2x4xi32>) -> tensor<2x2xi32>
  %turned = stablehlo.reverse %left, dims = [1] : tensor<2x2xi32>
  %other = stablehlo.reverse %turned, dims = [0] : tensor<2x2xi32>
  // CHECK: s32[2,8] 3 2 1 2 3 4 7 6 7 6 5 6 7 8 3 2
  %1 = stablehlo.concatenate %turned, %y, %other, dim = 1 : (tensor<2x2xi32>, tensor<2x4xi32>, tensor<2x2xi32>) -> tensor<2x8xi32>

  %i = stablehlo.iota dim = 0 : tensor<6120xi32>
  %p = stablehlo.constant dense<101> : tensor<6120xi32>
  %r = stablehlo.remainder %i, %p : tensor<6120xi32>
  %b = stablehlo.optimization_barrier %r : tensor<6120xi32>
  %z = stablehlo.reshape %b : (tensor<6120xi32>) -> tensor<6x15x68xi32>
  // Mirror images along three dimensions.
  %a0 = stablehlo.slice %z [1:3, 0:15, 0:68] : (tensor<6x15x68xi32>) -> tensor<2x15x68xi32>
  %a1 = stablehlo.reverse %a0, dims = [0] : tensor<2x15x68xi32>
  %a2 = stablehlo.slice %z [3:5, 0:15, 0:68] : (tensor<6x15x68xi32>) -> tensor<2x15x68xi32>
  %a3 = stablehlo.reverse %a2, dims = [0] : tensor<2x15x68xi32>
  %a = stablehlo.concatenate %a1, %z, %a3, dim = 0 : (tensor<2x15x68xi32>, tensor<6x15x68xi32>, tensor<2x15x68xi32>) -> tensor<10x15x68xi32>
  %c0 = stablehlo.slice %a [0:10, 12:15, 0:68] : (tensor<10x15x68xi32>) -> tensor<10x3x68xi32>
  %c1 = stablehlo.slice %a [0:10, 0:2, 0:68] : (tensor<10x15x68xi32>) -> tensor<10x2x68xi32>
  %c = stablehlo.concatenate %c0, %a, %c1, dim = 1 : (tensor<10x3x68xi32>, tensor<10x15x68xi32>, tensor<10x2x68xi32>) -> tensor<10x20x68xi32>
  %d0 = stablehlo.slice %c [0:10, 0:20, 0:1] : (tensor<10x20x68xi32>) -> tensor<10x20x1xi32>
  %d1 = stablehlo.broadcast_in_dim %d0, dims = [0, 1, 2] : (tensor<10x20x1xi32>) -> tensor<10x20x5xi32>
  %d2 = stablehlo.slice %c [0:10, 0:20, 60:67] : (tensor<10x20x68xi32>) -> tensor<10x20x7xi32>
  %d3 = stablehlo.reverse %d2, dims = [2] : tensor<10x20x7xi32>
  %d = stablehlo.concatenate %d1, %c, %d3, dim = 2 : (tensor<10x20x5xi32>, tensor<10x20x68xi32>, tensor<10x20x7xi32>) -> tensor<10x20x80xi32>
  %j = stablehlo.iota dim = 0 : tensor<16000xi32>
  %flat = stablehlo.reshape %d : (tensor<10x20x80xi32>) -> tensor<16000xi32>
  %2 = stablehlo.multiply %flat, %j : tensor<16000xi32>
  // CHECK: s32[] 2070400231
  %sum2 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<16000xi32>, tensor<i32>) -> tensor<i32>

  // Rolled twice, of what is computed.
  %e = stablehlo.multiply %b, %b : tensor<6120xi32>
  %f0 = stablehlo.slice %e [6000:6120] : (tensor<6120xi32>) -> tensor<120xi32>
  %f1 = stablehlo.slice %e [0:6000] : (tensor<6120xi32>) -> tensor<6000xi32>
  %f = stablehlo.concatenate %f0, %f1, dim = 0 : (tensor<120xi32>, tensor<6000xi32>) -> tensor<6120xi32>
  %g0 = stablehlo.slice %f [7:6120] : (tensor<6120xi32>) -> tensor<6113xi32>
  %g1 = stablehlo.slice %f [0:7] : (tensor<6120xi32>) -> tensor<7xi32>
  %g = stablehlo.concatenate %g0, %g1, dim = 0 : (tensor<6113xi32>, tensor<7xi32>) -> tensor<6120xi32>
  %3 = stablehlo.multiply %g, %i : tensor<6120xi32>
  // CHECK: s32[] -1958758510
  %sum3 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<6120xi32>, tensor<i32>) -> tensor<i32>

  // A piece without elements; a repeated number; an element of another array.
  %none = stablehlo.slice %y [0:0, 0:4] : (tensor<2x4xi32>) -> tensor<0x4xi32>
  %seven = stablehlo.constant dense<7> : tensor<i32>
  %sevens = stablehlo.broadcast_in_dim %seven, dims = [] : (tensor<i32>) -> tensor<1x4xi32>
  // CHECK: s32[3,4] 7 7 7 7 1 2 3 4 5 6 7 8
  %4 = stablehlo.concatenate %sevens, %none, %y, dim = 0 : (tensor<1x4xi32>, tensor<0x4xi32>, tensor<2x4xi32>) -> tensor<3x4xi32>

  // A part that something else reads, too.
  %h0 = stablehlo.slice %e [0:60] : (tensor<6120xi32>) -> tensor<60xi32>
  %h1 = stablehlo.reverse %h0, dims = [0] : tensor<60xi32>
  %h = stablehlo.concatenate %h1, %e, %h1, dim = 0 : (tensor<60xi32>, tensor<6120xi32>, tensor<60xi32>) -> tensor<6240xi32>
  %k = stablehlo.iota dim = 0 : tensor<6240xi32>
  %5 = stablehlo.multiply %h, %k : tensor<6240xi32>
  %sum5 = stablehlo.reduce(%5 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<6240xi32>, tensor<i32>) -> tensor<i32>
  %sum6 = stablehlo.reduce(%h1 init: %zero) applies stablehlo.maximum across dimensions = [0] : (tensor<60xi32>, tensor<i32>) -> tensor<i32>
  // CHECK: s32[] -320731579
  %both = stablehlo.add %sum5, %sum6 : tensor<i32>
  return %0, %1, %sum2, %sum3, %4, %both : tensor<3x7xi32>, tensor<2x8xi32>, tensor<i32>, tensor<i32>, tensor<3x4xi32>, tensor<i32>
}
