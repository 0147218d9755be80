// RUN: split-file %s %t
// RUN: xla-run %t/short.mlir --backend=reference > %t.short
// RUN: xla-run %t/short.mlir | diff %t.short -
// RUN: env XLA_DUMP_LLVM=1 xla-run %t/short.mlir 2>&1 | FileCheck %s --check-prefix=GROUPS
// RUN: xla-run %t/shared.mlir --backend=reference > %t.shared
// RUN: xla-run %t/shared.mlir | diff %t.shared -
// RUN: env XLA_DUMP_LLVM=1 xla-run %t/shared.mlir 2>&1 | FileCheck %s --check-prefix=SHARED
// RUN: xla-run %t/long.mlir --backend=reference > %t.long
// RUN: xla-run %t/long.mlir | diff %t.long -
// RUN: env XLA_DUMP_LLVM=1 xla-run %t/long.mlir 2>&1 | FileCheck %s --check-prefix=LINES

// Short lines are walked in groups, and no line's number is divided.
// GROUPS: as emitted
// GROUPS-NOT: urem
// GROUPS: optimised

// Threads begin and end within groups.
// SHARED: define internal void @loop0(
// SHARED: udiv i64 {{.*}}, 21
// SHARED: llvm.smax.i64
// SHARED: llvm.smin.i64(i64 {{.*}}, i64 21)
// SHARED: udiv i64 {{.*}}, 3
// SHARED: optimised

// Long ones are not.
// LINES: as emitted
// LINES: urem
// LINES: optimised

//--- short.mlir
func.func @main() -> tensor<6x28x8xi32> {
  %seven = stablehlo.constant dense<7> : tensor<6x28x8xi32>
  %i0 = stablehlo.iota dim = 0 : tensor<6x28x8xi32>
  %i1 = stablehlo.iota dim = 1 : tensor<6x28x8xi32>
  %i2 = stablehlo.iota dim = 2 : tensor<6x28x8xi32>
  %p1 = stablehlo.multiply %i0, %seven : tensor<6x28x8xi32>
  %s1 = stablehlo.add %p1, %i1 : tensor<6x28x8xi32>
  %p2 = stablehlo.multiply %s1, %seven : tensor<6x28x8xi32>
  %s2 = stablehlo.add %p2, %i2 : tensor<6x28x8xi32>
  return %s2 : tensor<6x28x8xi32>
}

//--- shared.mlir
func.func @main() -> tensor<45x7x3x4xi32> {
  %seven = stablehlo.constant dense<7> : tensor<400x7x3x16xi32>
  %i0 = stablehlo.iota dim = 0 : tensor<400x7x3x16xi32>
  %i1 = stablehlo.iota dim = 1 : tensor<400x7x3x16xi32>
  %i2 = stablehlo.iota dim = 2 : tensor<400x7x3x16xi32>
  %i3 = stablehlo.iota dim = 3 : tensor<400x7x3x16xi32>
  %p1 = stablehlo.multiply %i0, %seven : tensor<400x7x3x16xi32>
  %s1 = stablehlo.add %p1, %i1 : tensor<400x7x3x16xi32>
  %p2 = stablehlo.multiply %s1, %seven : tensor<400x7x3x16xi32>
  %s2 = stablehlo.add %p2, %i2 : tensor<400x7x3x16xi32>
  %p3 = stablehlo.multiply %s2, %seven : tensor<400x7x3x16xi32>
  %s3 = stablehlo.add %p3, %i3 : tensor<400x7x3x16xi32>
  %kept = stablehlo.optimization_barrier %s3 : tensor<400x7x3x16xi32>
  %some = stablehlo.slice %kept [0:400:9, 0:7, 0:3, 0:16:5] : (tensor<400x7x3x16xi32>) -> tensor<45x7x3x4xi32>
  return %some : tensor<45x7x3x4xi32>
}

//--- long.mlir
func.func @main() -> tensor<3x9x300xi32> {
  %seven = stablehlo.constant dense<7> : tensor<3x9x300xi32>
  %i0 = stablehlo.iota dim = 0 : tensor<3x9x300xi32>
  %i1 = stablehlo.iota dim = 1 : tensor<3x9x300xi32>
  %i2 = stablehlo.iota dim = 2 : tensor<3x9x300xi32>
  %p1 = stablehlo.multiply %i0, %seven : tensor<3x9x300xi32>
  %s1 = stablehlo.add %p1, %i1 : tensor<3x9x300xi32>
  %p2 = stablehlo.multiply %s1, %seven : tensor<3x9x300xi32>
  %s2 = stablehlo.add %p2, %i2 : tensor<3x9x300xi32>
  return %s2 : tensor<3x9x300xi32>
}
