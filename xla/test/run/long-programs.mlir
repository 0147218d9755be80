// RUN: split-file %s %t
// RUN: xla-run %t/rows.mlir --backend=reference 3 > %t.rows
// RUN: xla-run %t/rows.mlir 3 | diff %t.rows -
// RUN: env XLA_DUMP_LLVM=1 xla-run %t/rows.mlir 3 2>&1 | FileCheck %s
// RUN: xla-run %t/branches.mlir --backend=reference 3 1 > %t.branches
// RUN: xla-run %t/branches.mlir 3 1 | diff %t.branches -
// RUN: env XLA_DUMP_LLVM=1 xla-run %t/branches.mlir 3 1 2>&1 | FileCheck %s

// No function grows with the program, or compiling would take more than time in
// proportion: steps are functions, and those of row groups are several.
// CHECK-LABEL: ; as emitted
// CHECK: define internal i32 @step
// CHECK: define internal i32 @step

//--- rows.mlir
// Steps over rows so short that all of the program's would stay in the cache.
func.func private @step(%x: tensor<16x3xi32>) -> tensor<16x3xi32> {
  %least = stablehlo.constant dense<-100> : tensor<i32>
  %top = stablehlo.reduce(%x init: %least) applies stablehlo.maximum across dimensions = [1] : (tensor<16x3xi32>, tensor<i32>) -> tensor<16xi32>
  %spread = stablehlo.broadcast_in_dim %top, dims = [0] : (tensor<16xi32>) -> tensor<16x3xi32>
  %iota = stablehlo.iota dim = 1 : tensor<16x3xi32>
  %sum = stablehlo.add %x, %iota : tensor<16x3xi32>
  %0 = stablehlo.subtract %spread, %sum : tensor<16x3xi32>
  return %0 : tensor<16x3xi32>
}
func.func private @steps(%x: tensor<16x3xi32>) -> tensor<16x3xi32> {
  %0 = func.call @step(%x) : (tensor<16x3xi32>) -> tensor<16x3xi32>
  %1 = func.call @step(%0) : (tensor<16x3xi32>) -> tensor<16x3xi32>
  %2 = func.call @step(%1) : (tensor<16x3xi32>) -> tensor<16x3xi32>
  %3 = func.call @step(%2) : (tensor<16x3xi32>) -> tensor<16x3xi32>
  return %3 : tensor<16x3xi32>
}
func.func private @many(%x: tensor<16x3xi32>) -> tensor<16x3xi32> {
  %0 = func.call @steps(%x) : (tensor<16x3xi32>) -> tensor<16x3xi32>
  %1 = func.call @steps(%0) : (tensor<16x3xi32>) -> tensor<16x3xi32>
  %2 = func.call @steps(%1) : (tensor<16x3xi32>) -> tensor<16x3xi32>
  %3 = func.call @steps(%2) : (tensor<16x3xi32>) -> tensor<16x3xi32>
  return %3 : tensor<16x3xi32>
}
func.func @main(%x: tensor<16x3xi32>) -> tensor<16x3xi32> {
  %0 = func.call @many(%x) : (tensor<16x3xi32>) -> tensor<16x3xi32>
  %1 = func.call @many(%0) : (tensor<16x3xi32>) -> tensor<16x3xi32>
  %2 = func.call @many(%1) : (tensor<16x3xi32>) -> tensor<16x3xi32>
  return %2 : tensor<16x3xi32>
}

//--- branches.mlir
func.func private @branch(%x: tensor<16x3xi32>, %p: tensor<i1>) -> tensor<16x3xi32> {
  %iota = stablehlo.iota dim = 1 : tensor<16x3xi32>
  %0 = "stablehlo.if"(%p) ({
    %1 = stablehlo.subtract %iota, %x : tensor<16x3xi32>
    stablehlo.return %1 : tensor<16x3xi32>
  }, {
    %1 = stablehlo.add %iota, %x : tensor<16x3xi32>
    stablehlo.return %1 : tensor<16x3xi32>
  }) : (tensor<i1>) -> tensor<16x3xi32>
  return %0 : tensor<16x3xi32>
}
func.func private @branches(%x: tensor<16x3xi32>, %p: tensor<i1>) -> tensor<16x3xi32> {
  %0 = func.call @branch(%x, %p) : (tensor<16x3xi32>, tensor<i1>) -> tensor<16x3xi32>
  %1 = func.call @branch(%0, %p) : (tensor<16x3xi32>, tensor<i1>) -> tensor<16x3xi32>
  %2 = func.call @branch(%1, %p) : (tensor<16x3xi32>, tensor<i1>) -> tensor<16x3xi32>
  %3 = func.call @branch(%2, %p) : (tensor<16x3xi32>, tensor<i1>) -> tensor<16x3xi32>
  return %3 : tensor<16x3xi32>
}
func.func private @many(%x: tensor<16x3xi32>, %p: tensor<i1>) -> tensor<16x3xi32> {
  %0 = func.call @branches(%x, %p) : (tensor<16x3xi32>, tensor<i1>) -> tensor<16x3xi32>
  %1 = func.call @branches(%0, %p) : (tensor<16x3xi32>, tensor<i1>) -> tensor<16x3xi32>
  %2 = func.call @branches(%1, %p) : (tensor<16x3xi32>, tensor<i1>) -> tensor<16x3xi32>
  %3 = func.call @branches(%2, %p) : (tensor<16x3xi32>, tensor<i1>) -> tensor<16x3xi32>
  return %3 : tensor<16x3xi32>
}
func.func private @more(%x: tensor<16x3xi32>, %p: tensor<i1>) -> tensor<16x3xi32> {
  %0 = func.call @many(%x, %p) : (tensor<16x3xi32>, tensor<i1>) -> tensor<16x3xi32>
  %1 = func.call @many(%0, %p) : (tensor<16x3xi32>, tensor<i1>) -> tensor<16x3xi32>
  %2 = func.call @many(%1, %p) : (tensor<16x3xi32>, tensor<i1>) -> tensor<16x3xi32>
  return %2 : tensor<16x3xi32>
}
func.func @main(%x: tensor<16x3xi32>, %p: tensor<i1>) -> tensor<16x3xi32> {
  %0 = func.call @more(%x, %p) : (tensor<16x3xi32>, tensor<i1>) -> tensor<16x3xi32>
  %1 = func.call @more(%0, %p) : (tensor<16x3xi32>, tensor<i1>) -> tensor<16x3xi32>
  %2 = func.call @more(%1, %p) : (tensor<16x3xi32>, tensor<i1>) -> tensor<16x3xi32>
  %3 = func.call @more(%2, %p) : (tensor<16x3xi32>, tensor<i1>) -> tensor<16x3xi32>
  %4 = func.call @more(%3, %p) : (tensor<16x3xi32>, tensor<i1>) -> tensor<16x3xi32>
  %5 = func.call @more(%4, %p) : (tensor<16x3xi32>, tensor<i1>) -> tensor<16x3xi32>
  return %5 : tensor<16x3xi32>
}
