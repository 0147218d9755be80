// RUN: xla-gpu %s --emit=check
// RUN: xla-gpu %s --emit=check --target=emulated_mfma
// RUN: xla-gpu %s --emit=check --target=emulated_wmma
// RUN: xla-gpu %s --target=sm_80 | FileCheck %s

// Sizes that no piece of a copy divides, operands that are transposed, batches
// at any position, several dimensions summed over, operands computed in place.
// Elements are copied one by one where pieces are not 4 bytes at least.
// CHECK: .entry product0
// CHECK-NOT: cp.async.c{{[ag]}}
// CHECK: .entry product1
// CHECK: cp.async.ca.shared.global{{.*}}, 4
// CHECK: .entry product2
// CHECK: .entry product3
// CHECK: .entry product{{[4-6]}}
func.func @main(%a: tensor<37x41xbf16>, %b: tensor<41x53xbf16>, %c: tensor<38x41xbf16>, %d: tensor<41x54xbf16>,
                %e: tensor<3x33x5x9xf32>, %f: tensor<9x3x40x5xf32>, %g: tensor<33x70xi8>, %h: tensor<70x35xi8>)
    -> (tensor<37x53xf32>, tensor<38x54xbf16>, tensor<3x33x40xf32>, tensor<33x35xi8>, tensor<38x38xf32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<37x41xbf16>, tensor<41x53xbf16>) -> tensor<37x53xf32>
  %1 = stablehlo.dot_general %c, %d, contracting_dims = [1] x [0] : (tensor<38x41xbf16>, tensor<41x54xbf16>) -> tensor<38x54xbf16>
  %2 = stablehlo.dot_general %e, %f, batching_dims = [0] x [1], contracting_dims = [2, 3] x [3, 0] : (tensor<3x33x5x9xf32>, tensor<9x3x40x5xf32>) -> tensor<3x33x40xf32>
  %3 = stablehlo.dot_general %g, %h, contracting_dims = [1] x [0] : (tensor<33x70xi8>, tensor<70x35xi8>) -> tensor<33x35xi8>
  %n = stablehlo.negate %c : tensor<38x41xbf16>
  %4 = stablehlo.dot_general %n, %c, contracting_dims = [1] x [1] : (tensor<38x41xbf16>, tensor<38x41xbf16>) -> tensor<38x38xf32>
  return %0, %1, %2, %3, %4 : tensor<37x53xf32>, tensor<38x54xbf16>, tensor<3x33x40xf32>, tensor<33x35xi8>, tensor<38x38xf32>
}
