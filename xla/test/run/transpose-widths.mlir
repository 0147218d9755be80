// RUN: xla-run %s --backend=reference | FileCheck %s
// RUN: xla-run %s --backend=native | FileCheck %s

// Transposes in registers: elements of every width, sides that vectors do not
// divide. They are results too, and so have nests of their own.
func.func @main() -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<45x3x70xi8>, tensor<67x37xi16>, tensor<2x67x37xf32>, tensor<67x37xf64>, tensor<34x66xbf16>, tensor<35x33xi1>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  // Elements of type i8.
  %x0i = stablehlo.iota dim = 0 : tensor<9450xi32>
  %x0m = stablehlo.constant dense<101> : tensor<9450xi32>
  %x0r = stablehlo.remainder %x0i, %x0m : tensor<9450xi32>
  %x0o = stablehlo.constant dense<0> : tensor<9450xi32>
  %x0s = stablehlo.subtract %x0r, %x0o : tensor<9450xi32>
  %x0f = stablehlo.convert %x0s : (tensor<9450xi32>) -> tensor<9450xi8>
  %x0 = stablehlo.reshape %x0f : (tensor<9450xi8>) -> tensor<70x3x45xi8>
  %b0 = stablehlo.optimization_barrier %x0 : tensor<70x3x45xi8>
  %y0 = stablehlo.transpose %b0, dims = [2, 1, 0] : (tensor<70x3x45xi8>) -> tensor<45x3x70xi8>
  %flat0 = stablehlo.reshape %y0 : (tensor<45x3x70xi8>) -> tensor<9450xi8>
  %int0 = stablehlo.convert %flat0 : (tensor<9450xi8>) -> tensor<9450xi32>
  %iota0 = stablehlo.iota dim = 0 : tensor<9450xi32>
  %weighted0 = stablehlo.multiply %int0, %iota0 : tensor<9450xi32>
  // CHECK: s32[] -2069500051
  %sum0 = stablehlo.reduce(%weighted0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<9450xi32>, tensor<i32>) -> tensor<i32>

  // Elements of type i16.
  %x1i = stablehlo.iota dim = 0 : tensor<2479xi32>
  %x1m = stablehlo.constant dense<101> : tensor<2479xi32>
  %x1r = stablehlo.remainder %x1i, %x1m : tensor<2479xi32>
  %x1o = stablehlo.constant dense<0> : tensor<2479xi32>
  %x1s = stablehlo.subtract %x1r, %x1o : tensor<2479xi32>
  %x1f = stablehlo.convert %x1s : (tensor<2479xi32>) -> tensor<2479xi16>
  %x1 = stablehlo.reshape %x1f : (tensor<2479xi16>) -> tensor<37x67xi16>
  %b1 = stablehlo.optimization_barrier %x1 : tensor<37x67xi16>
  %y1 = stablehlo.transpose %b1, dims = [1, 0] : (tensor<37x67xi16>) -> tensor<67x37xi16>
  %flat1 = stablehlo.reshape %y1 : (tensor<67x37xi16>) -> tensor<2479xi16>
  %int1 = stablehlo.convert %flat1 : (tensor<2479xi16>) -> tensor<2479xi32>
  %iota1 = stablehlo.iota dim = 0 : tensor<2479xi32>
  %weighted1 = stablehlo.multiply %int1, %iota1 : tensor<2479xi32>
  // CHECK: s32[] 153679563
  %sum1 = stablehlo.reduce(%weighted1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2479xi32>, tensor<i32>) -> tensor<i32>

  // Elements of type f32.
  %x2i = stablehlo.iota dim = 0 : tensor<4958xi32>
  %x2m = stablehlo.constant dense<101> : tensor<4958xi32>
  %x2r = stablehlo.remainder %x2i, %x2m : tensor<4958xi32>
  %x2o = stablehlo.constant dense<0> : tensor<4958xi32>
  %x2s = stablehlo.subtract %x2r, %x2o : tensor<4958xi32>
  %x2f = stablehlo.convert %x2s : (tensor<4958xi32>) -> tensor<4958xf32>
  %x2 = stablehlo.reshape %x2f : (tensor<4958xf32>) -> tensor<2x37x67xf32>
  %b2 = stablehlo.optimization_barrier %x2 : tensor<2x37x67xf32>
  %y2 = stablehlo.transpose %b2, dims = [0, 2, 1] : (tensor<2x37x67xf32>) -> tensor<2x67x37xf32>
  %flat2 = stablehlo.reshape %y2 : (tensor<2x67x37xf32>) -> tensor<4958xf32>
  %int2 = stablehlo.convert %flat2 : (tensor<4958xf32>) -> tensor<4958xi32>
  %iota2 = stablehlo.iota dim = 0 : tensor<4958xi32>
  %weighted2 = stablehlo.multiply %int2, %iota2 : tensor<4958xi32>
  // CHECK: s32[] 613538566
  %sum2 = stablehlo.reduce(%weighted2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4958xi32>, tensor<i32>) -> tensor<i32>

  // Elements of type f64.
  %x3i = stablehlo.iota dim = 0 : tensor<2479xi32>
  %x3m = stablehlo.constant dense<101> : tensor<2479xi32>
  %x3r = stablehlo.remainder %x3i, %x3m : tensor<2479xi32>
  %x3o = stablehlo.constant dense<0> : tensor<2479xi32>
  %x3s = stablehlo.subtract %x3r, %x3o : tensor<2479xi32>
  %x3f = stablehlo.convert %x3s : (tensor<2479xi32>) -> tensor<2479xf64>
  %x3 = stablehlo.reshape %x3f : (tensor<2479xf64>) -> tensor<37x67xf64>
  %b3 = stablehlo.optimization_barrier %x3 : tensor<37x67xf64>
  %y3 = stablehlo.transpose %b3, dims = [1, 0] : (tensor<37x67xf64>) -> tensor<67x37xf64>
  %flat3 = stablehlo.reshape %y3 : (tensor<67x37xf64>) -> tensor<2479xf64>
  %int3 = stablehlo.convert %flat3 : (tensor<2479xf64>) -> tensor<2479xi32>
  %iota3 = stablehlo.iota dim = 0 : tensor<2479xi32>
  %weighted3 = stablehlo.multiply %int3, %iota3 : tensor<2479xi32>
  // CHECK: s32[] 153679563
  %sum3 = stablehlo.reduce(%weighted3 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2479xi32>, tensor<i32>) -> tensor<i32>

  // Elements of type bf16.
  %x4i = stablehlo.iota dim = 0 : tensor<2244xi32>
  %x4m = stablehlo.constant dense<101> : tensor<2244xi32>
  %x4r = stablehlo.remainder %x4i, %x4m : tensor<2244xi32>
  %x4o = stablehlo.constant dense<0> : tensor<2244xi32>
  %x4s = stablehlo.subtract %x4r, %x4o : tensor<2244xi32>
  %x4f = stablehlo.convert %x4s : (tensor<2244xi32>) -> tensor<2244xbf16>
  %x4 = stablehlo.reshape %x4f : (tensor<2244xbf16>) -> tensor<66x34xbf16>
  %b4 = stablehlo.optimization_barrier %x4 : tensor<66x34xbf16>
  %y4 = stablehlo.transpose %b4, dims = [1, 0] : (tensor<66x34xbf16>) -> tensor<34x66xbf16>
  %flat4 = stablehlo.reshape %y4 : (tensor<34x66xbf16>) -> tensor<2244xbf16>
  %int4 = stablehlo.convert %flat4 : (tensor<2244xbf16>) -> tensor<2244xi32>
  %iota4 = stablehlo.iota dim = 0 : tensor<2244xi32>
  %weighted4 = stablehlo.multiply %int4, %iota4 : tensor<2244xi32>
  // CHECK: s32[] 123118963
  %sum4 = stablehlo.reduce(%weighted4 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2244xi32>, tensor<i32>) -> tensor<i32>

  // Elements of type i1.
  %x5i = stablehlo.iota dim = 0 : tensor<1155xi32>
  %x5m = stablehlo.constant dense<2> : tensor<1155xi32>
  %x5r = stablehlo.remainder %x5i, %x5m : tensor<1155xi32>
  %x5o = stablehlo.constant dense<0> : tensor<1155xi32>
  %x5s = stablehlo.subtract %x5r, %x5o : tensor<1155xi32>
  %x5f = stablehlo.convert %x5s : (tensor<1155xi32>) -> tensor<1155xi1>
  %x5 = stablehlo.reshape %x5f : (tensor<1155xi1>) -> tensor<33x35xi1>
  %b5 = stablehlo.optimization_barrier %x5 : tensor<33x35xi1>
  %y5 = stablehlo.transpose %b5, dims = [1, 0] : (tensor<33x35xi1>) -> tensor<35x33xi1>
  %flat5 = stablehlo.reshape %y5 : (tensor<35x33xi1>) -> tensor<1155xi1>
  %int5 = stablehlo.convert %flat5 : (tensor<1155xi1>) -> tensor<1155xi32>
  %iota5 = stablehlo.iota dim = 0 : tensor<1155xi32>
  %weighted5 = stablehlo.multiply %int5, %iota5 : tensor<1155xi32>
  // CHECK: s32[] 332929
  %sum5 = stablehlo.reduce(%weighted5 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<1155xi32>, tensor<i32>) -> tensor<i32>
  return %sum0, %sum1, %sum2, %sum3, %sum4, %sum5, %y0, %y1, %y2, %y3, %y4, %y5 : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<45x3x70xi8>, tensor<67x37xi16>, tensor<2x67x37xf32>, tensor<67x37xf64>, tensor<34x66xbf16>, tensor<35x33xi1>
}
