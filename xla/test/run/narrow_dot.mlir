// RUN: xla-run %s --backend=reference | FileCheck %s
// RUN: xla-run %s --backend=native | FileCheck %s

// Products of bytes that are large enough for the kernels, of all pairs of signs, sums of 8 and of 32 bits, and of 4 bits.
func.func @main() -> (tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xui32>, tensor<2x3xi8>, tensor<2x3xi32>) {
  %rows = stablehlo.iota dim = 0 : tensor<40x70xi32>
  %terms = stablehlo.iota dim = 1 : tensor<40x70xi32>
  %three = stablehlo.constant dense<3> : tensor<40x70xi32>
  %scaled = stablehlo.multiply %terms, %three : tensor<40x70xi32>
  %l = stablehlo.add %rows, %scaled : tensor<40x70xi32>
  %r = stablehlo.iota dim = 0 : tensor<70x50xi32>
  %offset = stablehlo.constant dense<100> : tensor<70x50xi32>
  %shifted = stablehlo.add %r, %offset : tensor<70x50xi32>
  %ls = stablehlo.convert %l : (tensor<40x70xi32>) -> tensor<40x70xi8>
  %lu = stablehlo.convert %l : (tensor<40x70xi32>) -> tensor<40x70xui8>
  %rs = stablehlo.convert %shifted : (tensor<70x50xi32>) -> tensor<70x50xi8>
  %ru = stablehlo.convert %shifted : (tensor<70x50xi32>) -> tensor<70x50xui8>
  %l4 = stablehlo.convert %l : (tensor<40x70xi32>) -> tensor<40x70xi4>
  %r4 = stablehlo.convert %shifted : (tensor<70x50xi32>) -> tensor<70x50xi4>
  %ss = stablehlo.dot %ls, %rs : (tensor<40x70xi8>, tensor<70x50xi8>) -> tensor<40x50xi32>
  %su = stablehlo.dot %ls, %ru : (tensor<40x70xi8>, tensor<70x50xui8>) -> tensor<40x50xi32>
  %us = stablehlo.dot %lu, %rs : (tensor<40x70xui8>, tensor<70x50xi8>) -> tensor<40x50xi32>
  %uu = stablehlo.dot %lu, %ru : (tensor<40x70xui8>, tensor<70x50xui8>) -> tensor<40x50xui32>
  %small = stablehlo.dot %ls, %rs : (tensor<40x70xi8>, tensor<70x50xi8>) -> tensor<40x50xi8>
  %fours = stablehlo.dot %l4, %r4 : (tensor<40x70xi4>, tensor<70x50xi4>) -> tensor<40x50xi32>
  // CHECK: s32[2,3] 369893 369893 369893 368556 368556 368556
  // CHECK: s32[2,3] -78875 -78875 -78875 -69460 -69460 -69460
  // CHECK: s32[2,3] -530971 -530971 -530971 -532308 -532308 -532308
  // CHECK: u32[2,3] 1248485 1248485 1248485 1257900 1257900 1257900
  // CHECK: s8[2,3] -27 -27 -27 -84 -84 -84
  // CHECK: s32[2,3] -123 -123 -123 -548 -548 -548
  %0 = stablehlo.slice %ss [20:22, 40:43] : (tensor<40x50xi32>) -> tensor<2x3xi32>
  %1 = stablehlo.slice %su [20:22, 40:43] : (tensor<40x50xi32>) -> tensor<2x3xi32>
  %2 = stablehlo.slice %us [20:22, 40:43] : (tensor<40x50xi32>) -> tensor<2x3xi32>
  %3 = stablehlo.slice %uu [20:22, 40:43] : (tensor<40x50xui32>) -> tensor<2x3xui32>
  %4 = stablehlo.slice %small [20:22, 40:43] : (tensor<40x50xi8>) -> tensor<2x3xi8>
  %5 = stablehlo.slice %fours [20:22, 40:43] : (tensor<40x50xi32>) -> tensor<2x3xi32>
  return %0, %1, %2, %3, %4, %5 : tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xui32>, tensor<2x3xi8>, tensor<2x3xi32>
}
