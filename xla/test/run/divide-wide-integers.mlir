// RUN: xla-run %s --backend=reference | FileCheck %s
// RUN: xla-run %s --backend=native | FileCheck %s
// RUN: env XLA_CPU_FEATURES=avx2 xla-run %s --backend=native | FileCheck %s

// Quotients and remainders of numbers of 64 bits, of all sizes, by divisors of
// all sizes, -1 and 0 among them; the results are sums of each.
func.func @main() -> (tensor<ui64>, tensor<ui64>, tensor<i64>, tensor<i64>) {
  %i = stablehlo.iota dim = 0 : tensor<6000xui64>
  %one = stablehlo.constant dense<1> : tensor<6000xui64>
  %n = stablehlo.add %i, %one : tensor<6000xui64>
  %k = stablehlo.constant dense<13787848793156543929> : tensor<6000xui64>
  %s29 = stablehlo.constant dense<29> : tensor<6000xui64>
  %s32 = stablehlo.constant dense<32> : tensor<6000xui64>
  %xm = stablehlo.constant dense<11400714819323198485> : tensor<6000xui64>
  %x0 = stablehlo.multiply %n, %xm : tensor<6000xui64>
  %x1 = stablehlo.shift_right_logical %x0, %s29 : tensor<6000xui64>
  %x2 = stablehlo.xor %x0, %x1 : tensor<6000xui64>
  %x3 = stablehlo.multiply %x2, %k : tensor<6000xui64>
  %x4 = stablehlo.shift_right_logical %x3, %s32 : tensor<6000xui64>
  %x5 = stablehlo.xor %x3, %x4 : tensor<6000xui64>
  %ym = stablehlo.constant dense<15111065706836454659> : tensor<6000xui64>
  %y0 = stablehlo.multiply %n, %ym : tensor<6000xui64>
  %y1 = stablehlo.shift_right_logical %y0, %s29 : tensor<6000xui64>
  %y2 = stablehlo.xor %y0, %y1 : tensor<6000xui64>
  %y3 = stablehlo.multiply %y2, %k : tensor<6000xui64>
  %y4 = stablehlo.shift_right_logical %y3, %s32 : tensor<6000xui64>
  %y5 = stablehlo.xor %y3, %y4 : tensor<6000xui64>
  %five = stablehlo.constant dense<5> : tensor<6000xui64>
  %seven = stablehlo.constant dense<7> : tensor<6000xui64>
  %c64 = stablehlo.constant dense<64> : tensor<6000xui64>
  %xr = stablehlo.remainder %i, %five : tensor<6000xui64>
  %xs = stablehlo.multiply %xr, %seven : tensor<6000xui64>
  %x6 = stablehlo.shift_right_logical %x5, %xs : tensor<6000xui64>
  %yr = stablehlo.remainder %i, %c64 : tensor<6000xui64>
  %y6 = stablehlo.shift_right_logical %y5, %yr : tensor<6000xui64>
  %x, %y = stablehlo.optimization_barrier %x6, %y6 : tensor<6000xui64>, tensor<6000xui64>
  %uq = stablehlo.divide %x, %y : tensor<6000xui64>
  %ur = stablehlo.remainder %x, %y : tensor<6000xui64>
  %a = stablehlo.bitcast_convert %x : (tensor<6000xui64>) -> tensor<6000xi64>
  %c = stablehlo.bitcast_convert %y : (tensor<6000xui64>) -> tensor<6000xi64>
  %d = stablehlo.negate %c : tensor<6000xi64>
  %odd = stablehlo.and %i, %one : tensor<6000xui64>
  %isOdd = stablehlo.compare EQ, %odd, %one : (tensor<6000xui64>, tensor<6000xui64>) -> tensor<6000xi1>
  %e = stablehlo.select %isOdd, %c, %d : tensor<6000xi1>, tensor<6000xi64>
  %b = stablehlo.optimization_barrier %e : tensor<6000xi64>
  %sq = stablehlo.divide %a, %b : tensor<6000xi64>
  %sr = stablehlo.remainder %a, %b : tensor<6000xi64>
  %uzero = stablehlo.constant dense<0> : tensor<ui64>
  %szero = stablehlo.constant dense<0> : tensor<i64>
  // CHECK: u64[] 8553263049032458090
  %uqs = stablehlo.reduce(%uq init: %uzero) applies stablehlo.add across dimensions = [0] : (tensor<6000xui64>, tensor<ui64>) -> tensor<ui64>
  // CHECK-NEXT: u64[] 15709704917290880618
  %urs = stablehlo.reduce(%ur init: %uzero) applies stablehlo.add across dimensions = [0] : (tensor<6000xui64>, tensor<ui64>) -> tensor<ui64>
  // CHECK-NEXT: s64[] -146669021807746316
  %sqs = stablehlo.reduce(%sq init: %szero) applies stablehlo.add across dimensions = [0] : (tensor<6000xi64>, tensor<i64>) -> tensor<i64>
  // CHECK-NEXT: s64[] -168886296205977765
  %srs = stablehlo.reduce(%sr init: %szero) applies stablehlo.add across dimensions = [0] : (tensor<6000xi64>, tensor<i64>) -> tensor<i64>
  return %uqs, %urs, %sqs, %srs : tensor<ui64>, tensor<ui64>, tensor<i64>, tensor<i64>
}
