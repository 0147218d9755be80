// RUN: xla-run %s --backend=reference | FileCheck %s
// RUN: xla-run %s --backend=native | FileCheck %s

// Extremes of rows in memory, of widths around those of vectors, with a special
// value first, last or between: NaNs of both signs, infinities, zeros of both.
func.func @main() -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf64>, tensor<8xf64>, tensor<8xf64>, tensor<8xf64>, tensor<8xf64>, tensor<8xf64>, tensor<8xf64>, tensor<8xf64>, tensor<8xf64>, tensor<8xf64>, tensor<8xf64>, tensor<8xf64>, tensor<8xf64>, tensor<8xf64>) {
  %special0 = stablehlo.constant dense<[[0x7FC00000], [0xFFC00000], [0xFF800000], [0.0], [-0.0], [0x7F800000], [0xFF800000], [7.0]]> : tensor<8x1xf32>
  %line0 = stablehlo.constant dense<[-1.0, -1.0, 0xFF800000, -0.0, 0.0, 3.0, -3.0, -8.0]> : tensor<8xf32>
  %after0 = stablehlo.broadcast_in_dim %line0, dims = [0] : (tensor<8xf32>) -> tensor<8x2xf32>
  %c0 = stablehlo.concatenate %special0, %after0, dim = 1 : (tensor<8x1xf32>, tensor<8x2xf32>) -> tensor<8x3xf32>
  %x0 = stablehlo.optimization_barrier %c0 : tensor<8x3xf32>
  %low0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %high0 = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %max0 = stablehlo.reduce(%x0 init: %low0) applies stablehlo.maximum across dimensions = [1] : (tensor<8x3xf32>, tensor<f32>) -> tensor<8xf32>
  %min0 = stablehlo.reduce(%x0 init: %high0) applies stablehlo.minimum across dimensions = [1] : (tensor<8x3xf32>, tensor<f32>) -> tensor<8xf32>
  // CHECK: f32[8] NaN NaN -Inf 0 0 +Inf -3 7
  // CHECK: f32[8] NaN NaN -Inf -0 -0 3 -Inf -8

  %special1 = stablehlo.constant dense<[[0x7FC00000], [0xFFC00000], [0xFF800000], [0.0], [-0.0], [0x7F800000], [0xFF800000], [7.0]]> : tensor<8x1xf32>
  %line1 = stablehlo.constant dense<[-1.0, -1.0, 0xFF800000, -0.0, 0.0, 3.0, -3.0, -8.0]> : tensor<8xf32>
  %before1 = stablehlo.broadcast_in_dim %line1, dims = [0] : (tensor<8xf32>) -> tensor<8x2xf32>
  %after1 = stablehlo.broadcast_in_dim %line1, dims = [0] : (tensor<8xf32>) -> tensor<8x4xf32>
  %c1 = stablehlo.concatenate %before1, %special1, %after1, dim = 1 : (tensor<8x2xf32>, tensor<8x1xf32>, tensor<8x4xf32>) -> tensor<8x7xf32>
  %x1 = stablehlo.optimization_barrier %c1 : tensor<8x7xf32>
  %low1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %high1 = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %max1 = stablehlo.reduce(%x1 init: %low1) applies stablehlo.maximum across dimensions = [1] : (tensor<8x7xf32>, tensor<f32>) -> tensor<8xf32>
  %min1 = stablehlo.reduce(%x1 init: %high1) applies stablehlo.minimum across dimensions = [1] : (tensor<8x7xf32>, tensor<f32>) -> tensor<8xf32>
  // CHECK: f32[8] NaN NaN -Inf 0 0 +Inf -3 7
  // CHECK: f32[8] NaN NaN -Inf -0 -0 3 -Inf -8

  %special2 = stablehlo.constant dense<[[0x7FC00000], [0xFFC00000], [0xFF800000], [0.0], [-0.0], [0x7F800000], [0xFF800000], [7.0]]> : tensor<8x1xf32>
  %line2 = stablehlo.constant dense<[-1.0, -1.0, 0xFF800000, -0.0, 0.0, 3.0, -3.0, -8.0]> : tensor<8xf32>
  %before2 = stablehlo.broadcast_in_dim %line2, dims = [0] : (tensor<8xf32>) -> tensor<8x8xf32>
  %c2 = stablehlo.concatenate %before2, %special2, dim = 1 : (tensor<8x8xf32>, tensor<8x1xf32>) -> tensor<8x9xf32>
  %x2 = stablehlo.optimization_barrier %c2 : tensor<8x9xf32>
  %low2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %high2 = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %max2 = stablehlo.reduce(%x2 init: %low2) applies stablehlo.maximum across dimensions = [1] : (tensor<8x9xf32>, tensor<f32>) -> tensor<8xf32>
  %min2 = stablehlo.reduce(%x2 init: %high2) applies stablehlo.minimum across dimensions = [1] : (tensor<8x9xf32>, tensor<f32>) -> tensor<8xf32>
  // CHECK: f32[8] NaN NaN -Inf 0 0 +Inf -3 7
  // CHECK: f32[8] NaN NaN -Inf -0 -0 3 -Inf -8

  %special3 = stablehlo.constant dense<[[0x7FC00000], [0xFFC00000], [0xFF800000], [0.0], [-0.0], [0x7F800000], [0xFF800000], [7.0]]> : tensor<8x1xf32>
  %line3 = stablehlo.constant dense<[-1.0, -1.0, 0xFF800000, -0.0, 0.0, 3.0, -3.0, -8.0]> : tensor<8xf32>
  %before3 = stablehlo.broadcast_in_dim %line3, dims = [0] : (tensor<8xf32>) -> tensor<8x13xf32>
  %after3 = stablehlo.broadcast_in_dim %line3, dims = [0] : (tensor<8xf32>) -> tensor<8x3xf32>
  %c3 = stablehlo.concatenate %before3, %special3, %after3, dim = 1 : (tensor<8x13xf32>, tensor<8x1xf32>, tensor<8x3xf32>) -> tensor<8x17xf32>
  %x3 = stablehlo.optimization_barrier %c3 : tensor<8x17xf32>
  %low3 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %high3 = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %max3 = stablehlo.reduce(%x3 init: %low3) applies stablehlo.maximum across dimensions = [1] : (tensor<8x17xf32>, tensor<f32>) -> tensor<8xf32>
  %min3 = stablehlo.reduce(%x3 init: %high3) applies stablehlo.minimum across dimensions = [1] : (tensor<8x17xf32>, tensor<f32>) -> tensor<8xf32>
  // CHECK: f32[8] NaN NaN -Inf 0 0 +Inf -3 7
  // CHECK: f32[8] NaN NaN -Inf -0 -0 3 -Inf -8

  %special4 = stablehlo.constant dense<[[0x7FC00000], [0xFFC00000], [0xFF800000], [0.0], [-0.0], [0x7F800000], [0xFF800000], [7.0]]> : tensor<8x1xf32>
  %line4 = stablehlo.constant dense<[-1.0, -1.0, 0xFF800000, -0.0, 0.0, 3.0, -3.0, -8.0]> : tensor<8xf32>
  %after4 = stablehlo.broadcast_in_dim %line4, dims = [0] : (tensor<8xf32>) -> tensor<8x16xf32>
  %c4 = stablehlo.concatenate %special4, %after4, dim = 1 : (tensor<8x1xf32>, tensor<8x16xf32>) -> tensor<8x17xf32>
  %x4 = stablehlo.optimization_barrier %c4 : tensor<8x17xf32>
  %low4 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %high4 = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %max4 = stablehlo.reduce(%x4 init: %low4) applies stablehlo.maximum across dimensions = [1] : (tensor<8x17xf32>, tensor<f32>) -> tensor<8xf32>
  %min4 = stablehlo.reduce(%x4 init: %high4) applies stablehlo.minimum across dimensions = [1] : (tensor<8x17xf32>, tensor<f32>) -> tensor<8xf32>
  // CHECK: f32[8] NaN NaN -Inf 0 0 +Inf -3 7
  // CHECK: f32[8] NaN NaN -Inf -0 -0 3 -Inf -8

  %special5 = stablehlo.constant dense<[[0x7FC00000], [0xFFC00000], [0xFF800000], [0.0], [-0.0], [0x7F800000], [0xFF800000], [7.0]]> : tensor<8x1xf32>
  %line5 = stablehlo.constant dense<[-1.0, -1.0, 0xFF800000, -0.0, 0.0, 3.0, -3.0, -8.0]> : tensor<8xf32>
  %before5 = stablehlo.broadcast_in_dim %line5, dims = [0] : (tensor<8xf32>) -> tensor<8x16xf32>
  %after5 = stablehlo.broadcast_in_dim %line5, dims = [0] : (tensor<8xf32>) -> tensor<8x16xf32>
  %c5 = stablehlo.concatenate %before5, %special5, %after5, dim = 1 : (tensor<8x16xf32>, tensor<8x1xf32>, tensor<8x16xf32>) -> tensor<8x33xf32>
  %x5 = stablehlo.optimization_barrier %c5 : tensor<8x33xf32>
  %low5 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %high5 = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %max5 = stablehlo.reduce(%x5 init: %low5) applies stablehlo.maximum across dimensions = [1] : (tensor<8x33xf32>, tensor<f32>) -> tensor<8xf32>
  %min5 = stablehlo.reduce(%x5 init: %high5) applies stablehlo.minimum across dimensions = [1] : (tensor<8x33xf32>, tensor<f32>) -> tensor<8xf32>
  // CHECK: f32[8] NaN NaN -Inf 0 0 +Inf -3 7
  // CHECK: f32[8] NaN NaN -Inf -0 -0 3 -Inf -8

  %special6 = stablehlo.constant dense<[[0x7FC00000], [0xFFC00000], [0xFF800000], [0.0], [-0.0], [0x7F800000], [0xFF800000], [7.0]]> : tensor<8x1xf32>
  %line6 = stablehlo.constant dense<[-1.0, -1.0, 0xFF800000, -0.0, 0.0, 3.0, -3.0, -8.0]> : tensor<8xf32>
  %before6 = stablehlo.broadcast_in_dim %line6, dims = [0] : (tensor<8xf32>) -> tensor<8x37xf32>
  %after6 = stablehlo.broadcast_in_dim %line6, dims = [0] : (tensor<8xf32>) -> tensor<8x32xf32>
  %c6 = stablehlo.concatenate %before6, %special6, %after6, dim = 1 : (tensor<8x37xf32>, tensor<8x1xf32>, tensor<8x32xf32>) -> tensor<8x70xf32>
  %x6 = stablehlo.optimization_barrier %c6 : tensor<8x70xf32>
  %low6 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %high6 = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %max6 = stablehlo.reduce(%x6 init: %low6) applies stablehlo.maximum across dimensions = [1] : (tensor<8x70xf32>, tensor<f32>) -> tensor<8xf32>
  %min6 = stablehlo.reduce(%x6 init: %high6) applies stablehlo.minimum across dimensions = [1] : (tensor<8x70xf32>, tensor<f32>) -> tensor<8xf32>
  // CHECK: f32[8] NaN NaN -Inf 0 0 +Inf -3 7
  // CHECK: f32[8] NaN NaN -Inf -0 -0 3 -Inf -8

  %special7 = stablehlo.constant dense<[[0x7FC00000], [0xFFC00000], [0xFF800000], [0.0], [-0.0], [0x7F800000], [0xFF800000], [7.0]]> : tensor<8x1xf32>
  %line7 = stablehlo.constant dense<[-1.0, -1.0, 0xFF800000, -0.0, 0.0, 3.0, -3.0, -8.0]> : tensor<8xf32>
  %after7 = stablehlo.broadcast_in_dim %line7, dims = [0] : (tensor<8xf32>) -> tensor<8x129xf32>
  %c7 = stablehlo.concatenate %special7, %after7, dim = 1 : (tensor<8x1xf32>, tensor<8x129xf32>) -> tensor<8x130xf32>
  %x7 = stablehlo.optimization_barrier %c7 : tensor<8x130xf32>
  %low7 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %high7 = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %max7 = stablehlo.reduce(%x7 init: %low7) applies stablehlo.maximum across dimensions = [1] : (tensor<8x130xf32>, tensor<f32>) -> tensor<8xf32>
  %min7 = stablehlo.reduce(%x7 init: %high7) applies stablehlo.minimum across dimensions = [1] : (tensor<8x130xf32>, tensor<f32>) -> tensor<8xf32>
  // CHECK: f32[8] NaN NaN -Inf 0 0 +Inf -3 7
  // CHECK: f32[8] NaN NaN -Inf -0 -0 3 -Inf -8

  %special8 = stablehlo.constant dense<[[0x7FC00000], [0xFFC00000], [0xFF800000], [0.0], [-0.0], [0x7F800000], [0xFF800000], [7.0]]> : tensor<8x1xf32>
  %line8 = stablehlo.constant dense<[-1.0, -1.0, 0xFF800000, -0.0, 0.0, 3.0, -3.0, -8.0]> : tensor<8xf32>
  %before8 = stablehlo.broadcast_in_dim %line8, dims = [0] : (tensor<8xf32>) -> tensor<8x2700xf32>
  %after8 = stablehlo.broadcast_in_dim %line8, dims = [0] : (tensor<8xf32>) -> tensor<8x37xf32>
  %c8 = stablehlo.concatenate %before8, %special8, %after8, dim = 1 : (tensor<8x2700xf32>, tensor<8x1xf32>, tensor<8x37xf32>) -> tensor<8x2738xf32>
  %x8 = stablehlo.optimization_barrier %c8 : tensor<8x2738xf32>
  %low8 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %high8 = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %max8 = stablehlo.reduce(%x8 init: %low8) applies stablehlo.maximum across dimensions = [1] : (tensor<8x2738xf32>, tensor<f32>) -> tensor<8xf32>
  %min8 = stablehlo.reduce(%x8 init: %high8) applies stablehlo.minimum across dimensions = [1] : (tensor<8x2738xf32>, tensor<f32>) -> tensor<8xf32>
  // CHECK: f32[8] NaN NaN -Inf 0 0 +Inf -3 7
  // CHECK: f32[8] NaN NaN -Inf -0 -0 3 -Inf -8

  %special9 = stablehlo.constant dense<[[0x7FF8000000000000], [0xFFF8000000000000], [0xFFF0000000000000], [0.0], [-0.0], [0x7FF0000000000000], [0xFFF0000000000000], [7.0]]> : tensor<8x1xf64>
  %line9 = stablehlo.constant dense<[-1.0, -1.0, 0xFFF0000000000000, -0.0, 0.0, 3.0, -3.0, -8.0]> : tensor<8xf64>
  %before9 = stablehlo.broadcast_in_dim %line9, dims = [0] : (tensor<8xf64>) -> tensor<8x1xf64>
  %after9 = stablehlo.broadcast_in_dim %line9, dims = [0] : (tensor<8xf64>) -> tensor<8x1xf64>
  %c9 = stablehlo.concatenate %before9, %special9, %after9, dim = 1 : (tensor<8x1xf64>, tensor<8x1xf64>, tensor<8x1xf64>) -> tensor<8x3xf64>
  %x9 = stablehlo.optimization_barrier %c9 : tensor<8x3xf64>
  %low9 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %high9 = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
  %max9 = stablehlo.reduce(%x9 init: %low9) applies stablehlo.maximum across dimensions = [1] : (tensor<8x3xf64>, tensor<f64>) -> tensor<8xf64>
  %min9 = stablehlo.reduce(%x9 init: %high9) applies stablehlo.minimum across dimensions = [1] : (tensor<8x3xf64>, tensor<f64>) -> tensor<8xf64>
  // CHECK: f64[8] NaN NaN -Inf 0 0 +Inf -3 7
  // CHECK: f64[8] NaN NaN -Inf -0 -0 3 -Inf -8

  %special10 = stablehlo.constant dense<[[0x7FF8000000000000], [0xFFF8000000000000], [0xFFF0000000000000], [0.0], [-0.0], [0x7FF0000000000000], [0xFFF0000000000000], [7.0]]> : tensor<8x1xf64>
  %line10 = stablehlo.constant dense<[-1.0, -1.0, 0xFFF0000000000000, -0.0, 0.0, 3.0, -3.0, -8.0]> : tensor<8xf64>
  %after10 = stablehlo.broadcast_in_dim %line10, dims = [0] : (tensor<8xf64>) -> tensor<8x4xf64>
  %c10 = stablehlo.concatenate %special10, %after10, dim = 1 : (tensor<8x1xf64>, tensor<8x4xf64>) -> tensor<8x5xf64>
  %x10 = stablehlo.optimization_barrier %c10 : tensor<8x5xf64>
  %low10 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %high10 = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
  %max10 = stablehlo.reduce(%x10 init: %low10) applies stablehlo.maximum across dimensions = [1] : (tensor<8x5xf64>, tensor<f64>) -> tensor<8xf64>
  %min10 = stablehlo.reduce(%x10 init: %high10) applies stablehlo.minimum across dimensions = [1] : (tensor<8x5xf64>, tensor<f64>) -> tensor<8xf64>
  // CHECK: f64[8] NaN NaN -Inf 0 0 +Inf -3 7
  // CHECK: f64[8] NaN NaN -Inf -0 -0 3 -Inf -8

  %special11 = stablehlo.constant dense<[[0x7FF8000000000000], [0xFFF8000000000000], [0xFFF0000000000000], [0.0], [-0.0], [0x7FF0000000000000], [0xFFF0000000000000], [7.0]]> : tensor<8x1xf64>
  %line11 = stablehlo.constant dense<[-1.0, -1.0, 0xFFF0000000000000, -0.0, 0.0, 3.0, -3.0, -8.0]> : tensor<8xf64>
  %before11 = stablehlo.broadcast_in_dim %line11, dims = [0] : (tensor<8xf64>) -> tensor<8x4xf64>
  %after11 = stablehlo.broadcast_in_dim %line11, dims = [0] : (tensor<8xf64>) -> tensor<8x2xf64>
  %c11 = stablehlo.concatenate %before11, %special11, %after11, dim = 1 : (tensor<8x4xf64>, tensor<8x1xf64>, tensor<8x2xf64>) -> tensor<8x7xf64>
  %x11 = stablehlo.optimization_barrier %c11 : tensor<8x7xf64>
  %low11 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %high11 = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
  %max11 = stablehlo.reduce(%x11 init: %low11) applies stablehlo.maximum across dimensions = [1] : (tensor<8x7xf64>, tensor<f64>) -> tensor<8xf64>
  %min11 = stablehlo.reduce(%x11 init: %high11) applies stablehlo.minimum across dimensions = [1] : (tensor<8x7xf64>, tensor<f64>) -> tensor<8xf64>
  // CHECK: f64[8] NaN NaN -Inf 0 0 +Inf -3 7
  // CHECK: f64[8] NaN NaN -Inf -0 -0 3 -Inf -8

  %special12 = stablehlo.constant dense<[[0x7FF8000000000000], [0xFFF8000000000000], [0xFFF0000000000000], [0.0], [-0.0], [0x7FF0000000000000], [0xFFF0000000000000], [7.0]]> : tensor<8x1xf64>
  %line12 = stablehlo.constant dense<[-1.0, -1.0, 0xFFF0000000000000, -0.0, 0.0, 3.0, -3.0, -8.0]> : tensor<8xf64>
  %before12 = stablehlo.broadcast_in_dim %line12, dims = [0] : (tensor<8xf64>) -> tensor<8x7xf64>
  %after12 = stablehlo.broadcast_in_dim %line12, dims = [0] : (tensor<8xf64>) -> tensor<8x9xf64>
  %c12 = stablehlo.concatenate %before12, %special12, %after12, dim = 1 : (tensor<8x7xf64>, tensor<8x1xf64>, tensor<8x9xf64>) -> tensor<8x17xf64>
  %x12 = stablehlo.optimization_barrier %c12 : tensor<8x17xf64>
  %low12 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %high12 = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
  %max12 = stablehlo.reduce(%x12 init: %low12) applies stablehlo.maximum across dimensions = [1] : (tensor<8x17xf64>, tensor<f64>) -> tensor<8xf64>
  %min12 = stablehlo.reduce(%x12 init: %high12) applies stablehlo.minimum across dimensions = [1] : (tensor<8x17xf64>, tensor<f64>) -> tensor<8xf64>
  // CHECK: f64[8] NaN NaN -Inf 0 0 +Inf -3 7
  // CHECK: f64[8] NaN NaN -Inf -0 -0 3 -Inf -8

  %special13 = stablehlo.constant dense<[[0x7FF8000000000000], [0xFFF8000000000000], [0xFFF0000000000000], [0.0], [-0.0], [0x7FF0000000000000], [0xFFF0000000000000], [7.0]]> : tensor<8x1xf64>
  %line13 = stablehlo.constant dense<[-1.0, -1.0, 0xFFF0000000000000, -0.0, 0.0, 3.0, -3.0, -8.0]> : tensor<8xf64>
  %before13 = stablehlo.broadcast_in_dim %line13, dims = [0] : (tensor<8xf64>) -> tensor<8x64xf64>
  %after13 = stablehlo.broadcast_in_dim %line13, dims = [0] : (tensor<8xf64>) -> tensor<8x5xf64>
  %c13 = stablehlo.concatenate %before13, %special13, %after13, dim = 1 : (tensor<8x64xf64>, tensor<8x1xf64>, tensor<8x5xf64>) -> tensor<8x70xf64>
  %x13 = stablehlo.optimization_barrier %c13 : tensor<8x70xf64>
  %low13 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %high13 = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
  %max13 = stablehlo.reduce(%x13 init: %low13) applies stablehlo.maximum across dimensions = [1] : (tensor<8x70xf64>, tensor<f64>) -> tensor<8xf64>
  %min13 = stablehlo.reduce(%x13 init: %high13) applies stablehlo.minimum across dimensions = [1] : (tensor<8x70xf64>, tensor<f64>) -> tensor<8xf64>
  // CHECK: f64[8] NaN NaN -Inf 0 0 +Inf -3 7
  // CHECK: f64[8] NaN NaN -Inf -0 -0 3 -Inf -8

  %special14 = stablehlo.constant dense<[[0x7FF8000000000000], [0xFFF8000000000000], [0xFFF0000000000000], [0.0], [-0.0], [0x7FF0000000000000], [0xFFF0000000000000], [7.0]]> : tensor<8x1xf64>
  %line14 = stablehlo.constant dense<[-1.0, -1.0, 0xFFF0000000000000, -0.0, 0.0, 3.0, -3.0, -8.0]> : tensor<8xf64>
  %after14 = stablehlo.broadcast_in_dim %line14, dims = [0] : (tensor<8xf64>) -> tensor<8x63xf64>
  %c14 = stablehlo.concatenate %special14, %after14, dim = 1 : (tensor<8x1xf64>, tensor<8x63xf64>) -> tensor<8x64xf64>
  %x14 = stablehlo.optimization_barrier %c14 : tensor<8x64xf64>
  %low14 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %high14 = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
  %max14 = stablehlo.reduce(%x14 init: %low14) applies stablehlo.maximum across dimensions = [1] : (tensor<8x64xf64>, tensor<f64>) -> tensor<8xf64>
  %min14 = stablehlo.reduce(%x14 init: %high14) applies stablehlo.minimum across dimensions = [1] : (tensor<8x64xf64>, tensor<f64>) -> tensor<8xf64>
  // CHECK: f64[8] NaN NaN -Inf 0 0 +Inf -3 7
  // CHECK: f64[8] NaN NaN -Inf -0 -0 3 -Inf -8

  %special15 = stablehlo.constant dense<[[0x7FF8000000000000], [0xFFF8000000000000], [0xFFF0000000000000], [0.0], [-0.0], [0x7FF0000000000000], [0xFFF0000000000000], [7.0]]> : tensor<8x1xf64>
  %line15 = stablehlo.constant dense<[-1.0, -1.0, 0xFFF0000000000000, -0.0, 0.0, 3.0, -3.0, -8.0]> : tensor<8xf64>
  %before15 = stablehlo.broadcast_in_dim %line15, dims = [0] : (tensor<8xf64>) -> tensor<8x2050xf64>
  %after15 = stablehlo.broadcast_in_dim %line15, dims = [0] : (tensor<8xf64>) -> tensor<8x20xf64>
  %c15 = stablehlo.concatenate %before15, %special15, %after15, dim = 1 : (tensor<8x2050xf64>, tensor<8x1xf64>, tensor<8x20xf64>) -> tensor<8x2071xf64>
  %x15 = stablehlo.optimization_barrier %c15 : tensor<8x2071xf64>
  %low15 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %high15 = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
  %max15 = stablehlo.reduce(%x15 init: %low15) applies stablehlo.maximum across dimensions = [1] : (tensor<8x2071xf64>, tensor<f64>) -> tensor<8xf64>
  %min15 = stablehlo.reduce(%x15 init: %high15) applies stablehlo.minimum across dimensions = [1] : (tensor<8x2071xf64>, tensor<f64>) -> tensor<8xf64>
  // CHECK: f64[8] NaN NaN -Inf 0 0 +Inf -3 7
  // CHECK: f64[8] NaN NaN -Inf -0 -0 3 -Inf -8
  return %max0, %min0, %max1, %min1, %max2, %min2, %max3, %min3, %max4, %min4, %max5, %min5, %max6, %min6, %max7, %min7, %max8, %min8, %max9, %min9, %max10, %min10, %max11, %min11, %max12, %min12, %max13, %min13, %max14, %min14, %max15, %min15 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf64>, tensor<8xf64>, tensor<8xf64>, tensor<8xf64>, tensor<8xf64>, tensor<8xf64>, tensor<8xf64>, tensor<8xf64>, tensor<8xf64>, tensor<8xf64>, tensor<8xf64>, tensor<8xf64>, tensor<8xf64>, tensor<8xf64>
}
