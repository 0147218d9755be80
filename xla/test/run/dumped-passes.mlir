// RUN: env XLA_DUMP_PASSES=1 xla-run %s 3 --backend=native 2>&1 | FileCheck %s

// The module is printed after each pass that changed it, under the pass's flag.

// CHECK: // after --xla-import-vhlo
// CHECK: chlo.square
// CHECK-NOT: // after --xla-import-tiles
// CHECK: // after --xla-lower-chlo
// CHECK-NOT: chlo.square
// CHECK: stablehlo.multiply
// CHECK-NOT: // after --xla-split-windows
// CHECK: // after --xla-simplify-operations
// CHECK-NOT: stablehlo.reshape
// CHECK: // after --xla-cpu-choose
// CHECK: xla_cpu.form = "register"
// CHECK: f32[] 9
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = chlo.square %x : tensor<f32> -> tensor<f32>
  %1 = stablehlo.reshape %0 : (tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
