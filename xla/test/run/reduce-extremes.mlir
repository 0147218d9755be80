// RUN: xla-run %s --backend=reference | FileCheck %s
// RUN: xla-run %s --backend=native | FileCheck %s

// Extremes of rows with a special value at one index: NaNs of both signs,
// infinities, zeros of both signs.
func.func @main() -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf64>, tensor<8xf64>, tensor<8xf16>, tensor<8xf16>, tensor<8xbf16>, tensor<8xbf16>, tensor<8xbf16>, tensor<8xbf16>, tensor<8xf32>, tensor<8xf32>, tensor<3xf32>) {
  %special0 = stablehlo.constant dense<[[0x7FC00000], [0xFFC00000], [0xFF800000], [0.0], [-0.0], [0x7F800000], [0xFF800000], [7.0]]> : tensor<8x1xf32>
  %line0 = stablehlo.constant dense<[-1.0, -1.0, 0xFF800000, -0.0, 0.0, 3.0, -3.0, -8.0]> : tensor<8xf32>
  %before0 = stablehlo.broadcast_in_dim %line0, dims = [0] : (tensor<8xf32>) -> tensor<8x4xf32>
  %after0 = stablehlo.broadcast_in_dim %line0, dims = [0] : (tensor<8xf32>) -> tensor<8x5xf32>
  %c0 = stablehlo.concatenate %before0, %special0, %after0, dim = 1 : (tensor<8x4xf32>, tensor<8x1xf32>, tensor<8x5xf32>) -> tensor<8x10xf32>
  %x0 = stablehlo.optimization_barrier %c0 : tensor<8x10xf32>
  %low0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %high0 = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %max0 = stablehlo.reduce(%x0 init: %low0) applies stablehlo.maximum across dimensions = [1] : (tensor<8x10xf32>, tensor<f32>) -> tensor<8xf32>
  %min0 = stablehlo.reduce(%x0 init: %high0) applies stablehlo.minimum across dimensions = [1] : (tensor<8x10xf32>, tensor<f32>) -> tensor<8xf32>
  // CHECK: f32[8] NaN NaN -Inf 0 0 +Inf -3 7
  // CHECK: f32[8] NaN NaN -Inf -0 -0 3 -Inf -8

  %special1 = stablehlo.constant dense<[[0x7FC00000], [0xFFC00000], [0xFF800000], [0.0], [-0.0], [0x7F800000], [0xFF800000], [7.0]]> : tensor<8x1xf32>
  %line1 = stablehlo.constant dense<[-1.0, -1.0, 0xFF800000, -0.0, 0.0, 3.0, -3.0, -8.0]> : tensor<8xf32>
  %before1 = stablehlo.broadcast_in_dim %line1, dims = [0] : (tensor<8xf32>) -> tensor<8x20xf32>
  %after1 = stablehlo.broadcast_in_dim %line1, dims = [0] : (tensor<8xf32>) -> tensor<8x43xf32>
  %c1 = stablehlo.concatenate %before1, %special1, %after1, dim = 1 : (tensor<8x20xf32>, tensor<8x1xf32>, tensor<8x43xf32>) -> tensor<8x64xf32>
  %x1 = stablehlo.optimization_barrier %c1 : tensor<8x64xf32>
  %low1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %high1 = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %max1 = stablehlo.reduce(%x1 init: %low1) applies stablehlo.maximum across dimensions = [1] : (tensor<8x64xf32>, tensor<f32>) -> tensor<8xf32>
  %min1 = stablehlo.reduce(%x1 init: %high1) applies stablehlo.minimum across dimensions = [1] : (tensor<8x64xf32>, tensor<f32>) -> tensor<8xf32>
  // CHECK: f32[8] NaN NaN -Inf 0 0 +Inf -3 7
  // CHECK: f32[8] NaN NaN -Inf -0 -0 3 -Inf -8

  %special2 = stablehlo.constant dense<[[0x7FC00000], [0xFFC00000], [0xFF800000], [0.0], [-0.0], [0x7F800000], [0xFF800000], [7.0]]> : tensor<8x1xf32>
  %line2 = stablehlo.constant dense<[-1.0, -1.0, 0xFF800000, -0.0, 0.0, 3.0, -3.0, -8.0]> : tensor<8xf32>
  %before2 = stablehlo.broadcast_in_dim %line2, dims = [0] : (tensor<8xf32>) -> tensor<8x3000xf32>
  %after2 = stablehlo.broadcast_in_dim %line2, dims = [0] : (tensor<8xf32>) -> tensor<8x1200xf32>
  %c2 = stablehlo.concatenate %before2, %special2, %after2, dim = 1 : (tensor<8x3000xf32>, tensor<8x1xf32>, tensor<8x1200xf32>) -> tensor<8x4201xf32>
  %x2 = stablehlo.optimization_barrier %c2 : tensor<8x4201xf32>
  %low2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %high2 = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %max2 = stablehlo.reduce(%x2 init: %low2) applies stablehlo.maximum across dimensions = [1] : (tensor<8x4201xf32>, tensor<f32>) -> tensor<8xf32>
  %min2 = stablehlo.reduce(%x2 init: %high2) applies stablehlo.minimum across dimensions = [1] : (tensor<8x4201xf32>, tensor<f32>) -> tensor<8xf32>
  // CHECK: f32[8] NaN NaN -Inf 0 0 +Inf -3 7
  // CHECK: f32[8] NaN NaN -Inf -0 -0 3 -Inf -8

  %special3 = stablehlo.constant dense<[[0x7FF8000000000000], [0xFFF8000000000000], [0xFFF0000000000000], [0.0], [-0.0], [0x7FF0000000000000], [0xFFF0000000000000], [7.0]]> : tensor<8x1xf64>
  %line3 = stablehlo.constant dense<[-1.0, -1.0, 0xFFF0000000000000, -0.0, 0.0, 3.0, -3.0, -8.0]> : tensor<8xf64>
  %before3 = stablehlo.broadcast_in_dim %line3, dims = [0] : (tensor<8xf64>) -> tensor<8x9xf64>
  %after3 = stablehlo.broadcast_in_dim %line3, dims = [0] : (tensor<8xf64>) -> tensor<8x24xf64>
  %c3 = stablehlo.concatenate %before3, %special3, %after3, dim = 1 : (tensor<8x9xf64>, tensor<8x1xf64>, tensor<8x24xf64>) -> tensor<8x34xf64>
  %x3 = stablehlo.optimization_barrier %c3 : tensor<8x34xf64>
  %low3 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %high3 = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
  %max3 = stablehlo.reduce(%x3 init: %low3) applies stablehlo.maximum across dimensions = [1] : (tensor<8x34xf64>, tensor<f64>) -> tensor<8xf64>
  %min3 = stablehlo.reduce(%x3 init: %high3) applies stablehlo.minimum across dimensions = [1] : (tensor<8x34xf64>, tensor<f64>) -> tensor<8xf64>
  // CHECK: f64[8] NaN NaN -Inf 0 0 +Inf -3 7
  // CHECK: f64[8] NaN NaN -Inf -0 -0 3 -Inf -8

  %special4 = stablehlo.constant dense<[[0x7E00], [0xFE00], [0xFC00], [0.0], [-0.0], [0x7C00], [0xFC00], [7.0]]> : tensor<8x1xf16>
  %line4 = stablehlo.constant dense<[-1.0, -1.0, 0xFC00, -0.0, 0.0, 3.0, -3.0, -8.0]> : tensor<8xf16>
  %before4 = stablehlo.broadcast_in_dim %line4, dims = [0] : (tensor<8xf16>) -> tensor<8x33xf16>
  %after4 = stablehlo.broadcast_in_dim %line4, dims = [0] : (tensor<8xf16>) -> tensor<8x6xf16>
  %c4 = stablehlo.concatenate %before4, %special4, %after4, dim = 1 : (tensor<8x33xf16>, tensor<8x1xf16>, tensor<8x6xf16>) -> tensor<8x40xf16>
  %x4 = stablehlo.optimization_barrier %c4 : tensor<8x40xf16>
  %low4 = stablehlo.constant dense<0xFC00> : tensor<f16>
  %high4 = stablehlo.constant dense<0x7C00> : tensor<f16>
  %max4 = stablehlo.reduce(%x4 init: %low4) applies stablehlo.maximum across dimensions = [1] : (tensor<8x40xf16>, tensor<f16>) -> tensor<8xf16>
  %min4 = stablehlo.reduce(%x4 init: %high4) applies stablehlo.minimum across dimensions = [1] : (tensor<8x40xf16>, tensor<f16>) -> tensor<8xf16>
  // CHECK: f16[8] NaN NaN -Inf 0 0 +Inf -3 7
  // CHECK: f16[8] NaN NaN -Inf -0 -0 3 -Inf -8

  %special5 = stablehlo.constant dense<[[0x7FC0], [0xFFC0], [0xFF80], [0.0], [-0.0], [0x7F80], [0xFF80], [7.0]]> : tensor<8x1xbf16>
  %line5 = stablehlo.constant dense<[-1.0, -1.0, 0xFF80, -0.0, 0.0, 3.0, -3.0, -8.0]> : tensor<8xbf16>
  %before5 = stablehlo.broadcast_in_dim %line5, dims = [0] : (tensor<8xbf16>) -> tensor<8x40xbf16>
  %after5 = stablehlo.broadcast_in_dim %line5, dims = [0] : (tensor<8xbf16>) -> tensor<8x2xbf16>
  %c5 = stablehlo.concatenate %before5, %special5, %after5, dim = 1 : (tensor<8x40xbf16>, tensor<8x1xbf16>, tensor<8x2xbf16>) -> tensor<8x43xbf16>
  %x5 = stablehlo.optimization_barrier %c5 : tensor<8x43xbf16>
  %low5 = stablehlo.constant dense<0xFF80> : tensor<bf16>
  %high5 = stablehlo.constant dense<0x7F80> : tensor<bf16>
  %max5 = stablehlo.reduce(%x5 init: %low5) applies stablehlo.maximum across dimensions = [1] : (tensor<8x43xbf16>, tensor<bf16>) -> tensor<8xbf16>
  %min5 = stablehlo.reduce(%x5 init: %high5) applies stablehlo.minimum across dimensions = [1] : (tensor<8x43xbf16>, tensor<bf16>) -> tensor<8xbf16>
  // CHECK: bf16[8] NaN NaN -Inf 0 0 +Inf -3 7
  // CHECK: bf16[8] NaN NaN -Inf -0 -0 3 -Inf -8

  %special6 = stablehlo.constant dense<[[0x7FC0], [0xFFC0], [0xFF80], [0.0], [-0.0], [0x7F80], [0xFF80], [7.0]]> : tensor<8x1xbf16>
  %line6 = stablehlo.constant dense<[-1.0, -1.0, 0xFF80, -0.0, 0.0, 3.0, -3.0, -8.0]> : tensor<8xbf16>
  %before6 = stablehlo.broadcast_in_dim %line6, dims = [0] : (tensor<8xbf16>) -> tensor<8x3xbf16>
  %after6 = stablehlo.broadcast_in_dim %line6, dims = [0] : (tensor<8xbf16>) -> tensor<8x8xbf16>
  %c6 = stablehlo.concatenate %before6, %special6, %after6, dim = 1 : (tensor<8x3xbf16>, tensor<8x1xbf16>, tensor<8x8xbf16>) -> tensor<8x12xbf16>
  %x6 = stablehlo.optimization_barrier %c6 : tensor<8x12xbf16>
  %low6 = stablehlo.constant dense<0xFF80> : tensor<bf16>
  %high6 = stablehlo.constant dense<0x7F80> : tensor<bf16>
  %max6 = stablehlo.reduce(%x6 init: %low6) applies stablehlo.maximum across dimensions = [1] : (tensor<8x12xbf16>, tensor<bf16>) -> tensor<8xbf16>
  %min6 = stablehlo.reduce(%x6 init: %high6) applies stablehlo.minimum across dimensions = [1] : (tensor<8x12xbf16>, tensor<bf16>) -> tensor<8xbf16>
  // CHECK: bf16[8] NaN NaN -Inf 0 0 +Inf -3 7
  // CHECK: bf16[8] NaN NaN -Inf -0 -0 3 -Inf -8

  // A start beyond the elements, a NaN for a start, and rows of nothing.
  %five = stablehlo.constant dense<5.0> : tensor<f32>
  %nan = stablehlo.constant dense<0xFFC00000> : tensor<f32>
  %none = stablehlo.constant dense<> : tensor<3x0xf32>
  %from5 = stablehlo.reduce(%x1 init: %five) applies stablehlo.maximum across dimensions = [1] : (tensor<8x64xf32>, tensor<f32>) -> tensor<8xf32>
  %fromNan = stablehlo.reduce(%x1 init: %nan) applies stablehlo.minimum across dimensions = [1] : (tensor<8x64xf32>, tensor<f32>) -> tensor<8xf32>
  %empty = stablehlo.reduce(%none init: %five) applies stablehlo.minimum across dimensions = [1] : (tensor<3x0xf32>, tensor<f32>) -> tensor<3xf32>
  // CHECK: f32[8] NaN NaN 5 5 5 +Inf 5 7
  // CHECK: f32[8] NaN NaN NaN NaN NaN NaN NaN NaN
  // CHECK: f32[3] 5 5 5
  return %max0, %min0, %max1, %min1, %max2, %min2, %max3, %min3, %max4, %min4, %max5, %min5, %max6, %min6, %from5, %fromNan, %empty : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf64>, tensor<8xf64>, tensor<8xf16>, tensor<8xf16>, tensor<8xbf16>, tensor<8xbf16>, tensor<8xbf16>, tensor<8xbf16>, tensor<8xf32>, tensor<8xf32>, tensor<3xf32>
}
