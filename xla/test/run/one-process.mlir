// RUN: split-file %s %t
// RUN: xla-run %t/one.mlir 1,2 | FileCheck %s --check-prefix=ONE
// RUN: xla-run %t/one.mlir --backend=reference 1,2 | FileCheck %s --check-prefix=ONE
// RUN: not xla-run %t/two.mlir 1,2 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: not xla-run %t/two.mlir --backend=reference 1,2 2>&1 | FileCheck %s --check-prefix=INTERPRETED
// RUN: not xla-run %t/many.mlir 1,2 2>&1 | FileCheck %s --check-prefix=MANY

// Among one process a collective gives what it takes, and a number of a process is 0.
//--- one.mlir
// ONE:      f32[2] 1 2
// ONE-NEXT: f32[2] 1 2
// ONE-NEXT: f32[2] 1 2
// ONE-NEXT: f32[2] 0 0
// ONE-NEXT: u32[] 0
// ONE-NEXT: u32[] 0
func.func @main(%x: tensor<2xf32>)
    -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<ui32>, tensor<ui32>) {
  %0 = "stablehlo.all_reduce"(%x) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) {replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  %1 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>}
    : (tensor<2xf32>) -> tensor<2xf32>
  %2 = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<0> : tensor<1x2xi64>}
    : (tensor<2xf32>) -> tensor<2xf32>
  %3 = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<> : tensor<0x2xi64>}
    : (tensor<2xf32>) -> tensor<2xf32>
  %4 = stablehlo.partition_id : tensor<ui32>
  %5 = stablehlo.replica_id : tensor<ui32>
  return %0, %1, %2, %3, %4, %5
    : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<ui32>, tensor<ui32>
}

//--- two.mlir
// TWO: 'stablehlo.all_reduce' has more groups, or larger ones, than there are devices: 1
// INTERPRETED: 'stablehlo.all_reduce' has more groups, or larger ones, than there are devices: 1
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.all_reduce"(%x) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

//--- many.mlir
// One number may stand for a list of any length, which nobody reads.
// MANY: 'stablehlo.all_gather' has more groups, or larger ones, than there are devices: 1
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<0> : tensor<1x1125899906842624xi64>}
    : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
