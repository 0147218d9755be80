// RUN: xla-opt %s --xla-legalize | FileCheck %s --check-prefix=LEGAL
// RUN: xla-opt %s --xla-legalize --xla-partition --xla-optimize | FileCheck %s --check-prefix=OPTIMIZED
// RUN: xla-opt %s --xla-legalize --xla-partition --xla-optimize --xla-cpu-choose | FileCheck %s --check-prefix=CHOSEN

// Each stage by its name: composites and CHLO are gone first, then shardings and
// calls; what code generation decides is written on the operations.

// LEGAL: sdy.sharding
// LEGAL: call @double
// LEGAL-NOT: chlo.
// OPTIMIZED-NOT: sdy.
// OPTIMIZED-NOT: call @
// OPTIMIZED: stablehlo.dot_general
// OPTIMIZED-NOT: func.func
// CHOSEN: xla_cpu.kernel = {{{.*}}strategy = "small_matrices"}
sdy.mesh @mesh = <["x"=1]>
func.func @main(%x: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<4x4xf32> {
  %0 = stablehlo.composite "a.double" %x {decomposition = @double} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = chlo.square %0 : tensor<4x4xf32> -> tensor<4x4xf32>
  %2 = stablehlo.dot_general %1, %x, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}
func.func private @double(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = stablehlo.add %x, %x : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
