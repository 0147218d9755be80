// RUN: xla-run %s --backend=reference | FileCheck %s
// RUN: xla-run %s --backend=native | FileCheck %s

// The error function of f64 and its complement, beside values of 40 digits, on
// both sides of where formulas change; and where they end.
func.func @main() -> (tensor<22xi1>, tensor<26xi1>, tensor<7xf64>, tensor<7xf64>) {
  %x0 = stablehlo.constant dense<[1.0e-300, 1.0e-09, 0.1, 0.49999, 0.5, 0.50001, 0.9, 1.4999, 1.5, 1.6, 2.3, 3.1, 4.7, 5.9, 5.99, 6.0, 7.5, -0.3, -0.7, -1.5, -2.2, -5.0]> : tensor<22xf64>
  %w0 = stablehlo.constant dense<[1.1283791670955126e-300, 1.1283791670955127e-09, 0.1124629160182849, 0.5204910899433182, 0.5204998778130465, 0.5205086655948966, 0.7969082124228322, 0.9660932516622953, 0.9661051464753108, 0.976348383344644, 0.9988568234026434, 0.9999883513426328, 0.9999999999700474, 0.9999999999999999, 1.0, 1.0, 1.0, -0.3286267594591274, -0.6778011938374184, -0.9661051464753108, -0.9981371537020182, -0.9999999999984626]> : tensor<22xf64>
  %y0 = chlo.erf %x0 : tensor<22xf64> -> tensor<22xf64>
  %d0 = stablehlo.subtract %y0, %w0 : tensor<22xf64>
  %q0 = stablehlo.divide %d0, %w0 : tensor<22xf64>
  %a0 = stablehlo.abs %q0 : tensor<22xf64>
  %b0 = stablehlo.constant dense<4.0e-16> : tensor<22xf64>
  %c0 = stablehlo.compare LT, %a0, %b0 : (tensor<22xf64>, tensor<22xf64>) -> tensor<22xi1>
  // CHECK: pred[22] 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1
  %x1 = stablehlo.constant dense<[1.0e-300, 1.0e-09, 0.1, 0.49999, 0.5, 0.50001, 0.9, 1.4999, 1.5, 1.6, 2.3, 3.1, 4.7, 5.9, 5.99, 6.0, 7.5, -0.3, -0.7, -1.5, -2.2, -5.0, 8.0, 12.5, 20.0, 26.0]> : tensor<26xf64>
  %w1 = stablehlo.constant dense<[1.0, 0.9999999988716208, 0.887537083981715, 0.4795089100566818, 0.4795001221869535, 0.47949133440510344, 0.20309178757716786, 0.03390674833770473, 0.033894853524689274, 0.023651616655355985, 0.0011431765973566525, 1.1648657367199589e-05, 2.9952597863796555e-11, 7.190409783550478e-17, 2.4300455127321346e-17, 2.1519736712498913e-17, 2.776649386030569e-26, 1.3286267594591274, 1.6778011938374184, 1.9661051464753108, 1.998137153702018, 1.9999999999984626, 1.1224297172982926e-29, 6.231942781979911e-70, 5.395865611607901e-176, 5.663192408856143e-296]> : tensor<26xf64>
  %y1 = chlo.erfc %x1 : tensor<26xf64> -> tensor<26xf64>
  %d1 = stablehlo.subtract %y1, %w1 : tensor<26xf64>
  %q1 = stablehlo.divide %d1, %w1 : tensor<26xf64>
  %a1 = stablehlo.abs %q1 : tensor<26xf64>
  %b1 = stablehlo.constant dense<1.5e-15> : tensor<26xf64>
  %c1 = stablehlo.compare LT, %a1, %b1 : (tensor<26xf64>, tensor<26xf64>) -> tensor<26xi1>
  // CHECK: pred[26] 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1
  %edges = stablehlo.constant dense<[0.0, -0.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 1.0e+200, -40.0]> : tensor<7xf64>
  // CHECK: f64[7] 0 -0 1 -1 NaN 1 -1
  %e0 = chlo.erf %edges : tensor<7xf64> -> tensor<7xf64>
  // CHECK: f64[7] 1 1 0 2 NaN 0 2
  %e1 = chlo.erfc %edges : tensor<7xf64> -> tensor<7xf64>
  return %c0, %c1, %e0, %e1 : tensor<22xi1>, tensor<26xi1>, tensor<7xf64>, tensor<7xf64>
}
