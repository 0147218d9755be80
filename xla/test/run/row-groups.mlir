// RUN: split-file %s %t
// RUN: xla-run %t/chain.mlir --backend=reference > %t.chain
// RUN: xla-run %t/chain.mlir | diff %t.chain -
// RUN: env XLA_DUMP_LLVM=1 xla-run %t/chain.mlir 2>&1 | FileCheck %s --check-prefix=GROUP
// RUN: xla-run %t/dimensions.mlir --backend=reference > %t.dimensions
// RUN: xla-run %t/dimensions.mlir | diff %t.dimensions -
// RUN: env XLA_DUMP_LLVM=1 xla-run %t/dimensions.mlir 2>&1 | FileCheck %s --check-prefix=GROUP
// RUN: xla-run %t/square.mlir --backend=reference > %t.square
// RUN: xla-run %t/square.mlir | diff %t.square -
// RUN: env XLA_DUMP_LLVM=1 xla-run %t/square.mlir 2>&1 | FileCheck %s --check-prefix=ALONE
// RUN: xla-run %t/other-rows.mlir --backend=reference > %t.other
// RUN: xla-run %t/other-rows.mlir | diff %t.other -
// RUN: env XLA_DUMP_LLVM=1 xla-run %t/other-rows.mlir 2>&1 | FileCheck %s --check-prefix=ALONE
// RUN: xla-run %t/loop.mlir --backend=reference > %t.loop
// RUN: xla-run %t/loop.mlir | diff %t.loop -
// RUN: env XLA_DUMP_LLVM=1 xla-run %t/loop.mlir 2>&1 | FileCheck %s --check-prefix=GROUP

// Steps that fold rows and use what they found in the same rows go together.
// Remainders are dear enough to be kept where several steps read them, and
// exact in any order.
// GROUP: %firstRow =
// ALONE-NOT: %firstRow =

// A result that is used within the group and outside, and one of its inner.
//--- chain.mlir
func.func @main() -> (tensor<50x33xf32>, tensor<50x33xf32>, tensor<50xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %seven = stablehlo.constant dense<7.0> : tensor<50x33xf32>
  %five = stablehlo.constant dense<5.0> : tensor<50x33xf32>
  %count = stablehlo.iota dim = 0 : tensor<1650xf32>
  %x = stablehlo.reshape %count : (tensor<1650xf32>) -> tensor<50x33xf32>
  %y = stablehlo.remainder %x, %seven : tensor<50x33xf32>
  %max = stablehlo.reduce(%y init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<50x33xf32>, tensor<f32>) -> tensor<50xf32>
  %top = stablehlo.broadcast_in_dim %max, dims = [0] : (tensor<50xf32>) -> tensor<50x33xf32>
  %below = stablehlo.subtract %y, %top : tensor<50x33xf32>
  %e = stablehlo.remainder %below, %five : tensor<50x33xf32>
  %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<50x33xf32>, tensor<f32>) -> tensor<50xf32>
  %total = stablehlo.broadcast_in_dim %sum, dims = [0] : (tensor<50xf32>) -> tensor<50x33xf32>
  %out = stablehlo.multiply %e, %total : tensor<50x33xf32>
  %turned = stablehlo.reverse %out, dims = [0] : tensor<50x33xf32>
  %both = stablehlo.add %turned, %out : tensor<50x33xf32>
  return %out, %both, %sum : tensor<50x33xf32>, tensor<50x33xf32>, tensor<50xf32>
}

// Several dimensions on both sides, and pieces that move within a row.
//--- dimensions.mlir
func.func @main() -> tensor<3x1x7x5x4xi32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %nine = stablehlo.constant dense<9> : tensor<3x1x7x5x4xi32>
  %four = stablehlo.constant dense<4> : tensor<3x7xi32>
  %count = stablehlo.iota dim = 0 : tensor<420xi32>
  %x = stablehlo.reshape %count : (tensor<420xi32>) -> tensor<3x1x7x5x4xi32>
  %y = stablehlo.remainder %x, %nine : tensor<3x1x7x5x4xi32>
  %sum = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [3, 4] : (tensor<3x1x7x5x4xi32>, tensor<i32>) -> tensor<3x1x7xi32>
  %flat = stablehlo.reshape %sum : (tensor<3x1x7xi32>) -> tensor<3x7xi32>
  %odd = stablehlo.remainder %flat, %four : tensor<3x7xi32>
  %spread = stablehlo.broadcast_in_dim %odd, dims = [0, 2] : (tensor<3x7xi32>) -> tensor<3x1x7x5x4xi32>
  %turned = stablehlo.reverse %y, dims = [3] : tensor<3x1x7x5x4xi32>
  %piece = stablehlo.slice %y [0:3, 0:1, 0:7, 0:5, 1:3] : (tensor<3x1x7x5x4xi32>) -> tensor<3x1x7x5x2xi32>
  %padded = stablehlo.pad %piece, %zero, low = [0, 0, 0, 0, 2], high = [0, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<3x1x7x5x2xi32>, tensor<i32>) -> tensor<3x1x7x5x4xi32>
  %a = stablehlo.multiply %turned, %spread : tensor<3x1x7x5x4xi32>
  %b = stablehlo.add %a, %padded : tensor<3x1x7x5x4xi32>
  return %b : tensor<3x1x7x5x4xi32>
}

// As many columns as rows: what is found in rows is spread over columns.
//--- square.mlir
func.func @main() -> tensor<20x20xi32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %nine = stablehlo.constant dense<9> : tensor<20x20xi32>
  %count = stablehlo.iota dim = 0 : tensor<400xi32>
  %x = stablehlo.reshape %count : (tensor<400xi32>) -> tensor<20x20xi32>
  %y = stablehlo.remainder %x, %nine : tensor<20x20xi32>
  %kept = stablehlo.optimization_barrier %y : tensor<20x20xi32>
  %sum = stablehlo.reduce(%kept init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<20x20xi32>, tensor<i32>) -> tensor<20xi32>
  %spread = stablehlo.broadcast_in_dim %sum, dims = [1] : (tensor<20xi32>) -> tensor<20x20xi32>
  %out = stablehlo.multiply %kept, %spread : tensor<20x20xi32>
  return %out : tensor<20x20xi32>
}

// Sums of rows meet other rows.
//--- other-rows.mlir
func.func @main() -> tensor<24x20xi32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %nine = stablehlo.constant dense<9> : tensor<24x20xi32>
  %count = stablehlo.iota dim = 0 : tensor<480xi32>
  %x = stablehlo.reshape %count : (tensor<480xi32>) -> tensor<24x20xi32>
  %y = stablehlo.remainder %x, %nine : tensor<24x20xi32>
  %kept = stablehlo.optimization_barrier %y : tensor<24x20xi32>
  %sum = stablehlo.reduce(%kept init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<24x20xi32>, tensor<i32>) -> tensor<24xi32>
  %turned = stablehlo.reverse %sum, dims = [0] : tensor<24xi32>
  %spread = stablehlo.broadcast_in_dim %turned, dims = [0] : (tensor<24xi32>) -> tensor<24x20xi32>
  %out = stablehlo.multiply %kept, %spread : tensor<24x20xi32>
  return %out : tensor<24x20xi32>
}

// The result takes the place of what is read; rounds follow each other.
//--- loop.mlir
func.func @main() -> tensor<18x19xi32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %six = stablehlo.constant dense<6> : tensor<i32>
  %nine = stablehlo.constant dense<97> : tensor<18x19xi32>
  %count = stablehlo.iota dim = 0 : tensor<342xi32>
  %x = stablehlo.reshape %count : (tensor<342xi32>) -> tensor<18x19xi32>
  %r:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<18x19xi32>
  cond {
    %p = stablehlo.compare LT, %i, %six, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %max = stablehlo.reduce(%a init: %zero) applies stablehlo.maximum across dimensions = [1] : (tensor<18x19xi32>, tensor<i32>) -> tensor<18xi32>
    %top = stablehlo.broadcast_in_dim %max, dims = [0] : (tensor<18xi32>) -> tensor<18x19xi32>
    %far = stablehlo.subtract %top, %a : tensor<18x19xi32>
    %e = stablehlo.remainder %far, %nine : tensor<18x19xi32>
    %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<18x19xi32>, tensor<i32>) -> tensor<18xi32>
    %total = stablehlo.broadcast_in_dim %sum, dims = [0] : (tensor<18xi32>) -> tensor<18x19xi32>
    %b = stablehlo.multiply %e, %total : tensor<18x19xi32>
    %c = stablehlo.add %b, %a : tensor<18x19xi32>
    stablehlo.return %next, %c : tensor<i32>, tensor<18x19xi32>
  }
  return %r#1 : tensor<18x19xi32>
}
