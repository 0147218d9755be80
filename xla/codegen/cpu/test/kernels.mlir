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

// -----

// A few elements are folded in line; sums of narrow floats are rounded once.
// CHECK:      kernel @reduce_few0 {
// CHECK:        loop %[[I:[0-9]+]] from 0 to 100 vector {
// CHECK:          %[[A:[0-9]+]] = load b1[
// CHECK:          %[[B:[0-9]+]] = load b1[
// CHECK:          %[[ZERO:[0-9]+]] = convert %{{[0-9]+}} : f32
// CHECK-NEXT:     %[[WIDE_A:[0-9]+]] = convert %[[A]] : f32
// CHECK-NEXT:     %[[SUM_A:[0-9]+]] = fold stablehlo.add %[[ZERO]], %[[WIDE_A]] : f32
// CHECK-NEXT:     %[[WIDE_B:[0-9]+]] = convert %[[B]] : f32
// CHECK-NEXT:     %[[SUM:[0-9]+]] = fold stablehlo.add %[[SUM_A]], %[[WIDE_B]] : f32
// CHECK-NEXT:     %[[ROUNDED:[0-9]+]] = convert %[[SUM]] : bf16
// CHECK-NEXT:     store b0[%[[I]]], %[[ROUNDED]]
func.func @main(%x: tensor<100x2xbf16>) -> tensor<100xbf16> {
  %zero = stablehlo.constant dense<0.0> : tensor<bf16>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1]
    : (tensor<100x2xbf16>, tensor<bf16>) -> tensor<100xbf16>
  return %0 : tensor<100xbf16>
}

// -----

// A row is folded in any order, from the neutral element on; extremes of
// elements in memory are one step for a row, and one for each of several lines.
// CHECK:      kernel @reduce_rows0 {
// CHECK:          %[[NONE:[0-9]+]] = neutral stablehlo.add : f32
// CHECK-NEXT:     loop %{{[0-9]+}} from 0 to 1000 {
// CHECK-NEXT:       %[[SUM:[0-9]+]] = carried %[[NONE]] : f32
// CHECK:            %[[X:[0-9]+]] = load b1[
// CHECK-NEXT:       %[[NEXT:[0-9]+]] = fold stablehlo.add %[[SUM]], %[[X]] in any order : f32
// CHECK-NEXT:       next %[[SUM]], %[[NEXT]]
// CHECK:      kernel @reduce_rows1 {
// CHECK:        loop %[[ROW:[0-9]+]] from 0 to 100 vector {
// CHECK:          %[[BASE:[0-9]+]] = multiply %[[ROW]], 1000
// CHECK-NEXT:     %{{[0-9]+}} = greatest_of b1[%[[BASE]]], 1000 from 0 to 1000
// CHECK:      kernel @reduce_rows2 {
// CHECK:          loop %{{[0-9]+}} from 0 to 40 {
// CHECK-NEXT:       %[[BEST:[0-9]+]] = carried %{{[0-9]+}} : f32
// CHECK:            %[[LINE:[0-9]+]] = greatest_of b1[%{{[0-9]+}}], 50 from 0 to 50
// CHECK-NEXT:       %[[BETTER:[0-9]+]] = fold stablehlo.maximum %[[BEST]], %[[LINE]] in any order : f32
func.func @main(%x: tensor<100x1000xf32>, %y: tensor<100x1000xf32>, %z: tensor<40x6x50xf32>) -> (tensor<100xf32>, tensor<100xf32>, tensor<6xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1]
    : (tensor<100x1000xf32>, tensor<f32>) -> tensor<100xf32>
  %1 = stablehlo.reduce(%y init: %least) applies stablehlo.maximum across dimensions = [1]
    : (tensor<100x1000xf32>, tensor<f32>) -> tensor<100xf32>
  %2 = stablehlo.reduce(%z init: %least) applies stablehlo.maximum across dimensions = [0, 2]
    : (tensor<40x6x50xf32>, tensor<f32>) -> tensor<6xf32>
  return %0, %1, %2 : tensor<100xf32>, tensor<100xf32>, tensor<6xf32>
}

// -----

// Threads fold pieces of few long rows into memory that is added up at last.
// CHECK:      kernel @reduce_split_rows0 {
// CHECK-NEXT:   buffer b0 f32[2] result 0 written
// CHECK-NEXT:   buffer b1 f32[512] arena 0 written
// CHECK:        parallel %{{[0-9]+}} to %{{[0-9]+}} of 512 grain
// CHECK:        loop %[[KEPT:[0-9]+]] from 0 to 2 {
// CHECK:          loop %{{[0-9]+}} from 0 to 256 {
// CHECK:            %{{[0-9]+}} = load b1[
// CHECK:          store b0[%[[KEPT]]]
func.func @main(%x: tensor<2x1000000xf32>) -> tensor<2xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1]
    : (tensor<2x1000000xf32>, tensor<f32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// A computation that is no single operation folds segments of a row side by
// side, and then in their order.
// CHECK:      kernel @reduce_rows0 {
// CHECK:        buffer b1 f32[8] scratch thread written
// CHECK:          loop %{{[0-9]+}} from 0 to 8 vector {
// CHECK:          loop %{{[0-9]+}} from 1 to 5 {
// CHECK-NEXT:       loop %{{[0-9]+}} from 0 to 8 vector {
// CHECK:          loop %{{[0-9]+}} from 0 to 8 {
// CHECK-NEXT:       %{{[0-9]+}} = carried
func.func @main(%x: tensor<100x40xf32>) -> tensor<100xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) across dimensions = [1] : (tensor<100x40xf32>, tensor<f32>) -> tensor<100xf32>
    reducer(%a: tensor<f32>, %b: tensor<f32>) {
      %1 = stablehlo.sine %a : tensor<f32>
      %2 = stablehlo.add %1, %b : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }
  return %0 : tensor<100xf32>
}

// -----

// A sum of columns: rows are added four at a time, in pairs, into sums of
// pieces, which a thread keeps for itself, so that no chain of additions is
// long.
// CHECK:      kernel @reduce_columns0 {
// CHECK-NEXT:   buffer b0 f32[100] result 0 written
// CHECK-NEXT:   buffer b1 f32[100] scratch thread written
// CHECK-NEXT:   buffer b2 f32[1000,100] argument 0
// CHECK-NEXT:   %0 = constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:   loop %1 from 0 to 100 vector {
// CHECK-NEXT:     store b0[%1], %0
// CHECK-NEXT:   }
// CHECK-NEXT:   %2 = neutral stablehlo.add : f32
// CHECK-NEXT:   loop %3 from 0 to 4 {
// CHECK-NEXT:     loop %4 from 0 to 100 vector {
// CHECK-NEXT:       store b1[%4], %2
// CHECK-NEXT:     }
// CHECK:          loop %{{[0-9]+}} from 0 to 100 vector {
// CHECK-NEXT:       %[[SUM:[0-9]+]] = load b1[%[[J:[0-9]+]]]
// CHECK:            %[[A:[0-9]+]] = load b2[
// CHECK:            %[[B:[0-9]+]] = load b2[
// CHECK:            %[[C:[0-9]+]] = load b2[
// CHECK:            %[[D:[0-9]+]] = load b2[
// CHECK-NEXT:       %[[AB:[0-9]+]] = stablehlo.add %[[A]], %[[B]] : f32
// CHECK-NEXT:       %[[CD:[0-9]+]] = stablehlo.add %[[C]], %[[D]] : f32
// CHECK-NEXT:       %[[ALL:[0-9]+]] = stablehlo.add %[[AB]], %[[CD]] : f32
// CHECK-NEXT:       %[[NEXT:[0-9]+]] = stablehlo.add %[[SUM]], %[[ALL]] : f32
// CHECK-NEXT:       store b1[%[[J]]], %[[NEXT]]
// CHECK:          loop %[[K:[0-9]+]] from 0 to 100 vector {
// CHECK-NEXT:       %[[X:[0-9]+]] = load b0[%[[K]]]
// CHECK-NEXT:       %[[Y:[0-9]+]] = load b1[%[[K]]]
// CHECK-NEXT:       %[[Z:[0-9]+]] = stablehlo.add %[[X]], %[[Y]] : f32
// CHECK-NEXT:       store b0[%[[K]]], %[[Z]]
func.func @main(%x: tensor<1000x100xf32>) -> tensor<100xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0]
    : (tensor<1000x100xf32>, tensor<f32>) -> tensor<100xf32>
  return %0 : tensor<100xf32>
}

// -----

// Maxima of 16-bit floats are found among five at once. The last of 17 rows
// stands alone.
// CHECK:      kernel @reduce_columns0 {
// CHECK:        loop %[[I:[0-9]+]] from 0 to 4 {
// CHECK:          loop %[[J:[0-9]+]] from 0 to 50 vector {
// CHECK-NEXT:       %[[BEST:[0-9]+]] = load b0[%[[J]]]
// CHECK:            %[[NEXT:[0-9]+]] = greatest %[[BEST]], %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}} : bf16
// CHECK-NEXT:       store b0[%[[J]]], %[[NEXT]]
// CHECK:        loop %[[K:[0-9]+]] from 0 to 50 vector {
// CHECK-NEXT:     %[[BEFORE:[0-9]+]] = load b0[%[[K]]]
// CHECK-NEXT:     %[[AT:[0-9]+]] = add 800, %[[K]]
// CHECK-NEXT:     %[[LAST:[0-9]+]] = load b1[%[[AT]]]
// CHECK-NEXT:     %[[MOST:[0-9]+]] = greatest %[[BEFORE]], %[[LAST]] : bf16
// CHECK-NEXT:     store b0[%[[K]]], %[[MOST]]
func.func @main(%x: tensor<17x50xbf16>) -> tensor<50xbf16> {
  %least = stablehlo.constant dense<0xFF80> : tensor<bf16>
  %0 = stablehlo.reduce(%x init: %least) applies stablehlo.maximum across dimensions = [0]
    : (tensor<17x50xbf16>, tensor<bf16>) -> tensor<50xbf16>
  return %0 : tensor<50xbf16>
}

// -----

// Threads share columns out; what is much to compute is fetched a row ahead, 64
// columns at a time.
// CHECK:      kernel @reduce_columns0 {
// CHECK:        parallel %0 to %1 of 4 grain 1 {
// CHECK-NEXT:     loop %[[TASK:[0-9]+]] from %0 to %1 {
// CHECK:            prefetch b3[%{{[0-9]+}}], 64
// CHECK-NEXT:       %[[END:[0-9]+]] = add %[[BEGIN:[0-9]+]], 64
// CHECK-NEXT:       loop %{{[0-9]+}} from %[[BEGIN]] to %[[END]] vector {
// CHECK:              stablehlo.exponential
func.func @main(%x: tensor<5000x1000xf32>) -> tensor<1000xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %e = stablehlo.exponential %x : tensor<5000x1000xf32>
  %0 = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [0]
    : (tensor<5000x1000xf32>, tensor<f32>) -> tensor<1000xf32>
  return %0 : tensor<1000xf32>
}

// -----

// A computation of several operations, on two arrays.
// CHECK:      kernel @reduce_columns0 {
// CHECK-NEXT:   buffer b0 f32[33] result 0 written
// CHECK-NEXT:   buffer b1 s32[33] result 1 written
// CHECK-NEXT:   buffer b2 f32[300,33] argument 0
// CHECK-NEXT:   buffer b3 s32[300,33] argument 1
// CHECK:        loop %[[I:[0-9]+]] from 0 to 300 {
// CHECK-NEXT:     loop %[[J:[0-9]+]] from 0 to 33 vector {
// CHECK-NEXT:       %[[SUM:[0-9]+]] = load b0[%[[J]]]
// CHECK-NEXT:       %[[MOST:[0-9]+]] = load b1[%[[J]]]
// CHECK:            %[[X:[0-9]+]] = load b2[
// CHECK:            %[[Y:[0-9]+]] = load b3[
// CHECK-NEXT:       %[[NEXT:[0-9]+]] = stablehlo.add %[[SUM]], %[[X]] : f32
// CHECK-NEXT:       %[[MORE:[0-9]+]] = stablehlo.maximum %[[MOST]], %[[Y]] : s32
// CHECK-NEXT:       store b0[%[[J]]], %[[NEXT]]
// CHECK-NEXT:       store b1[%[[J]]], %[[MORE]]
func.func @main(%x: tensor<300x33xf32>, %y: tensor<300x33xi32>) -> (tensor<33xf32>, tensor<33xi32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %least = stablehlo.constant dense<3> : tensor<i32>
  %0:2 = stablehlo.reduce(%x init: %zero), (%y init: %least) across dimensions = [0]
    : (tensor<300x33xf32>, tensor<300x33xi32>, tensor<f32>, tensor<i32>) -> (tensor<33xf32>, tensor<33xi32>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%c: tensor<i32>, %d: tensor<i32>) {
      %1 = stablehlo.add %a, %b : tensor<f32>
      %2 = stablehlo.maximum %c, %d : tensor<i32>
      stablehlo.return %1, %2 : tensor<f32>, tensor<i32>
    }
  return %0#0, %0#1 : tensor<33xf32>, tensor<33xi32>
}
