// RUN: xla-run %s --backend=reference 0.0000152587890625,0.000011444091796875,0.0000095367431640625,0.00006097555160522461,0.00000005960464477539063,-0.0000306963920593261719 | FileCheck %s
// RUN: xla-run %s --backend=native 0.0000152587890625,0.000011444091796875,0.0000095367431640625,0.00006097555160522461,0.00000005960464477539063,-0.0000306963920593261719 | FileCheck %s

// Subnormal numbers of the type itself: rounded like its smallest normal ones, and zero only where the exponent
// becomes narrower.
func.func @main(%a: tensor<6xf16>) -> (tensor<6xf16>, tensor<6xf16>, tensor<6xf16>, tensor<6xf16>, tensor<bf16>) {
  // CHECK: f16[6] 1.5259E-5 1.5259E-5 1.5259E-5 6.1035E-5 0 -3.0518E-5
  %0 = stablehlo.reduce_precision %a, format = e5m2 : tensor<6xf16>
  // CHECK: f16[6] 1.5259E-5 1.1444E-5 9.5367E-6 6.1035E-5 0 -3.0518E-5
  %1 = stablehlo.reduce_precision %a, format = e8m5 : tensor<6xf16>
  // The type's own format changes nothing.
  // CHECK: f16[6] 1.5259E-5 1.1444E-5 9.5367E-6 6.0976E-5 5.9605E-8 -3.0696E-5
  %2 = stablehlo.reduce_precision %a, format = e5m10 : tensor<6xf16>
  // CHECK: f16[6] 0 0 0 0 0 -0
  %3 = stablehlo.reduce_precision %a, format = e4m10 : tensor<6xf16>
  // The sign of a scalar stays.
  // CHECK: bf16[] -1
  %4 = stablehlo.constant dense<-0.9609375> : tensor<bf16>
  %5 = stablehlo.optimization_barrier %4 : tensor<bf16>
  %6 = stablehlo.reduce_precision %5, format = e5m2 : tensor<bf16>
  return %0, %1, %2, %3, %6 : tensor<6xf16>, tensor<6xf16>, tensor<6xf16>, tensor<6xf16>, tensor<bf16>
}
