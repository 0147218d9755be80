// RUN: xla-run --backend=reference %s -- -0.9609375 | FileCheck %s
// RUN: xla-run --backend=native %s -- -0.9609375 | FileCheck %s

// Signs of BF16, alone and in parts: the compiler does not know the type to its own compiler.
func.func @main(%a: tensor<bf16>) -> (tensor<bf16>, tensor<ui16>, tensor<i1>) {
  // CHECK: bf16[] -1
  %0 = stablehlo.reduce_precision %a, format = e5m2 : tensor<bf16>
  // CHECK: u16[] 1
  %1 = stablehlo.bitcast_convert %a : (tensor<bf16>) -> tensor<ui16>
  %2 = stablehlo.constant dense<15> : tensor<ui16>
  %3 = stablehlo.shift_right_logical %1, %2 : tensor<ui16>
  // CHECK: pred[] 1
  %4 = stablehlo.constant dense<32768> : tensor<ui16>
  %5 = stablehlo.and %1, %4 : tensor<ui16>
  %6 = stablehlo.compare EQ, %5, %4 : (tensor<ui16>, tensor<ui16>) -> tensor<i1>
  return %0, %3, %6 : tensor<bf16>, tensor<ui16>, tensor<i1>
}
