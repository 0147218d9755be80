// RUN: xla-run %s --backend=reference | FileCheck %s
// RUN: xla-run %s --backend=native | FileCheck %s
// RUN: env XLA_CPU_FEATURES=baseline xla-run %s --backend=native | FileCheck %s
// RUN: env XLA_CPU_FEATURES=baseline XLA_DUMP_LLVM=1 xla-run %s --backend=native 2>&1 | FileCheck %s --check-prefix=CODE

// A state that fades away to nothing, and its inverse scale: whatever form of
// the nest a round takes, every bit is that of products and quotients in f32.
// CODE: as emitted
// CODE: llvm.x86.sse.stmxcsr
// CODE: fptrunc {{.*}} to float
// CODE: optimised
// CODE: fptrunc {{.*}}x double> {{.*}} to <{{[0-9]+}} x float>
func.func @main() -> (tensor<i32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %rounds = stablehlo.constant dense<34> : tensor<i32>
  %count = stablehlo.iota dim = 0 : tensor<2048xi32>
  %odd = stablehlo.constant dense<40503> : tensor<2048xi32>
  %mixed = stablehlo.multiply %count, %odd : tensor<2048xi32>
  %mask = stablehlo.constant dense<8388607> : tensor<2048xi32>
  %digits = stablehlo.and %mixed, %mask : tensor<2048xi32>
  // From 2^-100 up, positive and negative in turn.
  %exponent = stablehlo.constant dense<226492416> : tensor<2048xi32>
  %size = stablehlo.or %digits, %exponent : tensor<2048xi32>
  %last = stablehlo.constant dense<31> : tensor<2048xi32>
  %sign = stablehlo.shift_left %count, %last : tensor<2048xi32>
  %bits = stablehlo.or %size, %sign : tensor<2048xi32>
  %start = stablehlo.bitcast_convert %bits : (tensor<2048xi32>) -> tensor<2048xf32>
  %rate = stablehlo.constant dense<0.43> : tensor<2048xf32>
  %scale = stablehlo.constant dense<2.7> : tensor<2048xf32>
  %none = stablehlo.constant dense<0> : tensor<2048xi32>
  %0:4 = stablehlo.while(%i = %zero, %x = %start, %y = %start, %sum = %none) : tensor<i32>, tensor<2048xf32>, tensor<2048xf32>, tensor<2048xi32>
  cond {
    %2 = stablehlo.compare LT, %i, %rounds, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  } do {
    %2 = stablehlo.add %i, %one : tensor<i32>
    %3 = stablehlo.multiply %x, %rate : tensor<2048xf32>
    %4 = stablehlo.divide %y, %scale : tensor<2048xf32>
    %5 = stablehlo.bitcast_convert %3 : (tensor<2048xf32>) -> tensor<2048xi32>
    %6 = stablehlo.bitcast_convert %4 : (tensor<2048xf32>) -> tensor<2048xi32>
    %7 = stablehlo.xor %5, %6 : tensor<2048xi32>
    %8 = stablehlo.multiply %sum, %odd : tensor<2048xi32>
    %9 = stablehlo.add %8, %7 : tensor<2048xi32>
    stablehlo.return %2, %3, %4, %9 : tensor<i32>, tensor<2048xf32>, tensor<2048xf32>, tensor<2048xi32>
  }
  // CHECK: s32[] 624081853
  %10 = stablehlo.reduce(%0#3 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2048xi32>, tensor<i32>) -> tensor<i32>
  // CHECK: s32[] 594631
  %11 = stablehlo.bitcast_convert %0#1 : (tensor<2048xf32>) -> tensor<2048xi32>
  %12 = stablehlo.reduce(%11 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2048xi32>, tensor<i32>) -> tensor<i32>
  return %10, %12 : tensor<i32>, tensor<i32>
}
