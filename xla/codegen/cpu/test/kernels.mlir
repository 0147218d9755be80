// RUN: xla-opt %s --xla-cpu-kernels --split-input-file | FileCheck %s

// A scale per row: lines, and loads at row-major numbers.
// CHECK:      kernel @loop_nest0 {
// CHECK-NEXT:   buffer b0 f32[64,100] argument 0
// CHECK-NEXT:   buffer b1 f32[64] argument 1
// CHECK-NEXT:   buffer b2 f32[64,100] result 0 written
// CHECK-NEXT:   loop %0 from 0 to 64 {
// CHECK-NEXT:     loop %1 from 0 to 100 vector {
// CHECK-NEXT:       %2 = multiply %0, 100
// CHECK-NEXT:       %3 = add %2, %1
// CHECK-NEXT:       %4 = load b0[%3]
// CHECK-NEXT:       %5 = load b1[%0]
// CHECK-NEXT:       %6 = stablehlo.multiply %4, %5 : f32
// CHECK-NEXT:       %7 = stablehlo.exponential %6 : f32
// CHECK-NEXT:       %8 = multiply %0, 100
// CHECK-NEXT:       %9 = add %8, %1
// CHECK-NEXT:       store b2[%9], %7
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
func.func @main(%x: tensor<64x100xf32>, %s: tensor<64xf32>) -> tensor<64x100xf32> {
  %0 = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<64xf32>) -> tensor<64x100xf32>
  %1 = stablehlo.multiply %x, %0 : tensor<64x100xf32>
  %2 = stablehlo.exponential %1 : tensor<64x100xf32>
  return %2 : tensor<64x100xf32>
}

// -----

// Threads share a flat loop, whose padding is decided in each part.
// CHECK:      kernel @loop_nest0 {
// CHECK:        parallel %0 to %1 of 200000 grain {{[0-9]+}} {
// CHECK-NEXT:     %2 = most %0, 0
// CHECK-NEXT:     %3 = least %1, 199990
// CHECK-NEXT:     loop %4 from %2 to %3 within 0..199989 vector {
// CHECK-NEXT:       %5 = constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:       %6 = load b0[%4]
// CHECK-NEXT:       store b1[%4], %6
// CHECK-NEXT:     }
// CHECK:          loop %{{[0-9]+}} from %{{[0-9]+}} to %{{[0-9]+}} within 199990..199999 vector {
// CHECK-NEXT:       %[[ZERO:.*]] = constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:       store b1[%{{[0-9]+}}], %[[ZERO]]
func.func @main(%x: tensor<199990xf32>) -> tensor<200000xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.pad %x, %z, low = [0], high = [10], interior = [0]
    : (tensor<199990xf32>, tensor<f32>) -> tensor<200000xf32>
  return %0 : tensor<200000xf32>
}

// -----

// An update starts where a scalar of the program says, within the array.
// CHECK:      kernel @update0 {
// CHECK-NEXT:   buffer b0 f32[10] argument 1
// CHECK-NEXT:   buffer b1 f32[100] result 0 written
// CHECK-NEXT:   %0 = scalar 0 : s32
// CHECK-NEXT:   %1 = index_of %0
// CHECK-NEXT:   %2 = most %1, 0
// CHECK-NEXT:   %3 = unsigned_least %2, 90
// CHECK-NEXT:   loop %4 from 0 to 10 vector {
// CHECK-NEXT:     %5 = add %3, %4
// CHECK-NEXT:     %6 = load b0[%4]
// CHECK-NEXT:     store b1[%5], %6
func.func @main(%x: tensor<100xf32>, %u: tensor<10xf32>, %i: tensor<i32>) -> tensor<100xf32> {
  %0 = stablehlo.dynamic_update_slice %x, %u, %i
    : (tensor<100xf32>, tensor<10xf32>, tensor<i32>) -> tensor<100xf32>
  return %0 : tensor<100xf32>
}
