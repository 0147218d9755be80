// Sizes whose product overflows, or whose memory nobody has: errors, on both backends.
// RUN: split-file %s %t
// RUN: not xla-run %t/value.mlir --backend=reference 2>&1 | FileCheck %s --check-prefix=VALUE
// RUN: not xla-run %t/value.mlir --backend=native 2>&1 | FileCheck %s --check-prefix=VALUE
// RUN: not xla-run %t/result.mlir --backend=native 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: not xla-run %t/bytes.mlir --backend=native 2>&1 | FileCheck %s --check-prefix=BYTES
// RUN: not xla-run %t/pad.mlir --backend=native 2>&1 | FileCheck %s --check-prefix=PAD
// RUN: not xla-run %t/window.mlir --backend=native 2>&1 | FileCheck %s --check-prefix=WINDOW
// RUN: not xla-run %t/together.mlir --backend=native 2>&1 | FileCheck %s --check-prefix=TOGETHER
// RUN: xla-run %t/empty.mlir --backend=native | FileCheck %s --check-prefix=EMPTY
// RUN: xla-run %t/empty.mlir --backend=reference | FileCheck %s --check-prefix=EMPTY
// RUN: not xla-run %t/memory.mlir --backend=reference 2>&1 | FileCheck %s --check-prefix=MEMORY
// RUN: not xla-run %t/memory.mlir --backend=native 2>&1 | FileCheck %s --check-prefix=MEMORY

//--- value.mlir
// VALUE: stablehlo.iota at {{.*}}: array f32[1099511627776,1099511627776] is too large
func.func @main() -> tensor<f32> {
  %0 = stablehlo.iota dim = 0 : tensor<1099511627776x1099511627776xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<1099511627776x1099511627776xf32>, tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}

//--- result.mlir
// The product is 2^64, which wraps to no elements.
// RESULT: result 0 of main: array f32[4294967296,4294967296] is too large
func.func @main() -> tensor<4294967296x4294967296xf32> {
  %0 = stablehlo.iota dim = 0 : tensor<4294967296x4294967296xf32>
  return %0 : tensor<4294967296x4294967296xf32>
}

//--- bytes.mlir
// The elements can be counted, their bytes cannot.
// BYTES: result 0 of main: array c128[2305843009213693952] is too large
func.func @main() -> tensor<2305843009213693952xcomplex<f64>> {
  %0 = stablehlo.constant dense<(1.0, 0.0)> : tensor<2305843009213693952xcomplex<f64>>
  return %0 : tensor<2305843009213693952xcomplex<f64>>
}

//--- pad.mlir
// PAD: size of dim 0 would be negative or too large
func.func @main() -> tensor<4xf32> {
  %a = stablehlo.constant dense<0.0> : tensor<4xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.pad %a, %z, low = [9223372036854775807], high = [9223372036854775807], interior = [9223372036854775807] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

//--- window.mlir
// WINDOW: the window asks for sizes [0]
func.func @main() -> tensor<1xf32> {
  %a = stablehlo.constant dense<0.0> : tensor<4xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%a, %z) <{base_dilations = array<i64: 4611686018427387904>, padding = dense<4611686018427387904> : tensor<1x2xi64>, window_dilations = array<i64: 4611686018427387904>, window_dimensions = array<i64: 4611686018427387904>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

//--- memory.mlir
// MEMORY: no memory for
func.func @main() -> tensor<f32> {
  %0 = stablehlo.iota dim = 0 : tensor<1099511627776xf32>
  %1 = "stablehlo.sort"(%0) <{dimension = 0 : i64}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %4 = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %4 : tensor<i1>
  }) : (tensor<1099511627776xf32>) -> tensor<1099511627776xf32>
  %2 = stablehlo.slice %1 [5:6] : (tensor<1099511627776xf32>) -> tensor<1xf32>
  %3 = stablehlo.reshape %2 : (tensor<1xf32>) -> tensor<f32>
  return %3 : tensor<f32>
}

//--- together.mlir
// Each array has a size, all of them do not.
// TOGETHER: the temporary arrays of 'main' are too large
func.func @main(%s: tensor<f32>) -> (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) {
  %0 = stablehlo.iota dim = 0 : tensor<1000000000000000000xf32>
  %1 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<1000000000000000000xf32>
  %2 = stablehlo.add %0, %1 : tensor<1000000000000000000xf32>
  %3 = stablehlo.multiply %0, %1 : tensor<1000000000000000000xf32>
  %4 = "stablehlo.sort"(%0) <{dimension = 0 : i64}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %less = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : (tensor<1000000000000000000xf32>) -> tensor<1000000000000000000xf32>
  %5 = "stablehlo.sort"(%2) <{dimension = 0 : i64}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %less = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : (tensor<1000000000000000000xf32>) -> tensor<1000000000000000000xf32>
  %6 = "stablehlo.sort"(%3) <{dimension = 0 : i64}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %less = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : (tensor<1000000000000000000xf32>) -> tensor<1000000000000000000xf32>
  %7 = stablehlo.slice %4 [5:6] : (tensor<1000000000000000000xf32>) -> tensor<1xf32>
  %8 = stablehlo.slice %5 [5:6] : (tensor<1000000000000000000xf32>) -> tensor<1xf32>
  %9 = stablehlo.slice %6 [5:6] : (tensor<1000000000000000000xf32>) -> tensor<1xf32>
  return %7, %8, %9 : tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
}

//--- empty.mlir
// Nothing, whichever dimension says so.
// EMPTY:      f32[1099511627776,1099511627776,0]
// EMPTY-NEXT: f32[0,1099511627776,1099511627776]
// EMPTY-NEXT: f32[0]
func.func @main() -> (tensor<1099511627776x1099511627776x0xf32>, tensor<0x1099511627776x1099511627776xf32>, tensor<0xf32>) {
  %0 = stablehlo.iota dim = 0 : tensor<0x1099511627776x1099511627776xf32>
  %1 = stablehlo.transpose %0, dims = [2, 1, 0] : (tensor<0x1099511627776x1099511627776xf32>) -> tensor<1099511627776x1099511627776x0xf32>
  %2 = "stablehlo.sort"(%0) <{dimension = 1 : i64}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %less = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : (tensor<0x1099511627776x1099511627776xf32>) -> tensor<0x1099511627776x1099511627776xf32>
  %3 = stablehlo.dot_general %0, %0, batching_dims = [0] x [0], contracting_dims = [1, 2] x [1, 2]
    : (tensor<0x1099511627776x1099511627776xf32>, tensor<0x1099511627776x1099511627776xf32>) -> tensor<0xf32>
  return %1, %2, %3 : tensor<1099511627776x1099511627776x0xf32>, tensor<0x1099511627776x1099511627776xf32>, tensor<0xf32>
}
