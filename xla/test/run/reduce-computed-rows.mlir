// RUN: xla-run %s --backend=reference | FileCheck %s
// RUN: xla-run %s --backend=native | FileCheck %s

// The indices of the largest elements, of elements that are computed into an
// array first; in rows of one, eight and sixteen segments and a rest, and of a
// row that is too long for the array.
func.func @main() -> (tensor<4xi32>, tensor<5xi32>, tensor<3xi32>, tensor<2xi32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %i0 = stablehlo.iota dim = 0 : tensor<80xi32>
  %a0 = stablehlo.constant dense<37> : tensor<80xi32>
  %b0 = stablehlo.constant dense<1009> : tensor<80xi32>
  %c0 = stablehlo.multiply %i0, %a0 : tensor<80xi32>
  %d0 = stablehlo.remainder %c0, %b0 : tensor<80xi32>
  %e0 = stablehlo.convert %d0 : (tensor<80xi32>) -> tensor<80xf32>
  %f0 = stablehlo.optimization_barrier %e0 : tensor<80xf32>
  %g0 = stablehlo.constant dense<5.0e+2> : tensor<80xf32>
  %h0 = stablehlo.subtract %f0, %g0 : tensor<80xf32>
  %j0 = stablehlo.multiply %h0, %h0 : tensor<80xf32>
  %x0 = stablehlo.reshape %j0 : (tensor<80xf32>) -> tensor<4x20xf32>
  %at0 = stablehlo.iota dim = 1 : tensor<4x20xi32>
  // CHECK: s32[4] 0 7 14 19
  %y0:2 = stablehlo.reduce(%x0 init: %low), (%at0 init: %zero) across dimensions = [1]
    : (tensor<4x20xf32>, tensor<4x20xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
    reducer(%p: tensor<f32>, %q: tensor<f32>) (%m: tensor<i32>, %n: tensor<i32>) {
      %larger = stablehlo.compare GT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %same = stablehlo.compare EQ, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %earlier = stablehlo.compare LT, %m, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %first = stablehlo.and %same, %earlier : tensor<i1>
      %left = stablehlo.or %larger, %first : tensor<i1>
      %value = stablehlo.select %larger, %p, %q : tensor<i1>, tensor<f32>
      %index = stablehlo.select %left, %m, %n : tensor<i1>, tensor<i32>
      stablehlo.return %value, %index : tensor<f32>, tensor<i32>
    }
  %i1 = stablehlo.iota dim = 0 : tensor<185xi32>
  %a1 = stablehlo.constant dense<37> : tensor<185xi32>
  %b1 = stablehlo.constant dense<1009> : tensor<185xi32>
  %c1 = stablehlo.multiply %i1, %a1 : tensor<185xi32>
  %d1 = stablehlo.remainder %c1, %b1 : tensor<185xi32>
  %e1 = stablehlo.convert %d1 : (tensor<185xi32>) -> tensor<185xf32>
  %f1 = stablehlo.optimization_barrier %e1 : tensor<185xf32>
  %g1 = stablehlo.constant dense<5.0e+2> : tensor<185xf32>
  %h1 = stablehlo.subtract %f1, %g1 : tensor<185xf32>
  %j1 = stablehlo.multiply %h1, %h1 : tensor<185xf32>
  %x1 = stablehlo.reshape %j1 : (tensor<185xf32>) -> tensor<5x37xf32>
  %at1 = stablehlo.iota dim = 1 : tensor<5x37xi32>
  // CHECK: s32[5] 0 17 35 25 15
  %y1:2 = stablehlo.reduce(%x1 init: %low), (%at1 init: %zero) across dimensions = [1]
    : (tensor<5x37xf32>, tensor<5x37xi32>, tensor<f32>, tensor<i32>) -> (tensor<5xf32>, tensor<5xi32>)
    reducer(%p: tensor<f32>, %q: tensor<f32>) (%m: tensor<i32>, %n: tensor<i32>) {
      %larger = stablehlo.compare GT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %same = stablehlo.compare EQ, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %earlier = stablehlo.compare LT, %m, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %first = stablehlo.and %same, %earlier : tensor<i1>
      %left = stablehlo.or %larger, %first : tensor<i1>
      %value = stablehlo.select %larger, %p, %q : tensor<i1>, tensor<f32>
      %index = stablehlo.select %left, %m, %n : tensor<i1>, tensor<i32>
      stablehlo.return %value, %index : tensor<f32>, tensor<i32>
    }
  %i2 = stablehlo.iota dim = 0 : tensor<303xi32>
  %a2 = stablehlo.constant dense<37> : tensor<303xi32>
  %b2 = stablehlo.constant dense<1009> : tensor<303xi32>
  %c2 = stablehlo.multiply %i2, %a2 : tensor<303xi32>
  %d2 = stablehlo.remainder %c2, %b2 : tensor<303xi32>
  %e2 = stablehlo.convert %d2 : (tensor<303xi32>) -> tensor<303xf32>
  %f2 = stablehlo.optimization_barrier %e2 : tensor<303xf32>
  %g2 = stablehlo.constant dense<5.0e+2> : tensor<303xf32>
  %h2 = stablehlo.subtract %f2, %g2 : tensor<303xf32>
  %j2 = stablehlo.multiply %h2, %h2 : tensor<303xf32>
  %x2 = stablehlo.reshape %j2 : (tensor<303xf32>) -> tensor<3x101xf32>
  %at2 = stablehlo.iota dim = 1 : tensor<3x101xi32>
  // CHECK: s32[3] 0 8 16
  %y2:2 = stablehlo.reduce(%x2 init: %low), (%at2 init: %zero) across dimensions = [1]
    : (tensor<3x101xf32>, tensor<3x101xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
    reducer(%p: tensor<f32>, %q: tensor<f32>) (%m: tensor<i32>, %n: tensor<i32>) {
      %larger = stablehlo.compare GT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %same = stablehlo.compare EQ, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %earlier = stablehlo.compare LT, %m, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %first = stablehlo.and %same, %earlier : tensor<i1>
      %left = stablehlo.or %larger, %first : tensor<i1>
      %value = stablehlo.select %larger, %p, %q : tensor<i1>, tensor<f32>
      %index = stablehlo.select %left, %m, %n : tensor<i1>, tensor<i32>
      stablehlo.return %value, %index : tensor<f32>, tensor<i32>
    }
  %i3 = stablehlo.iota dim = 0 : tensor<12014xi32>
  %a3 = stablehlo.constant dense<37> : tensor<12014xi32>
  %b3 = stablehlo.constant dense<1009> : tensor<12014xi32>
  %c3 = stablehlo.multiply %i3, %a3 : tensor<12014xi32>
  %d3 = stablehlo.remainder %c3, %b3 : tensor<12014xi32>
  %e3 = stablehlo.convert %d3 : (tensor<12014xi32>) -> tensor<12014xf32>
  %f3 = stablehlo.optimization_barrier %e3 : tensor<12014xf32>
  %g3 = stablehlo.constant dense<5.0e+2> : tensor<12014xf32>
  %h3 = stablehlo.subtract %f3, %g3 : tensor<12014xf32>
  %j3 = stablehlo.multiply %h3, %h3 : tensor<12014xf32>
  %x3 = stablehlo.reshape %j3 : (tensor<12014xf32>) -> tensor<2x6007xf32>
  %at3 = stablehlo.iota dim = 1 : tensor<2x6007xi32>
  // CHECK: s32[2] 709 756
  %y3:2 = stablehlo.reduce(%x3 init: %low), (%at3 init: %zero) across dimensions = [1]
    : (tensor<2x6007xf32>, tensor<2x6007xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
    reducer(%p: tensor<f32>, %q: tensor<f32>) (%m: tensor<i32>, %n: tensor<i32>) {
      %larger = stablehlo.compare GT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %same = stablehlo.compare EQ, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %earlier = stablehlo.compare LT, %m, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %first = stablehlo.and %same, %earlier : tensor<i1>
      %left = stablehlo.or %larger, %first : tensor<i1>
      %value = stablehlo.select %larger, %p, %q : tensor<i1>, tensor<f32>
      %index = stablehlo.select %left, %m, %n : tensor<i1>, tensor<i32>
      stablehlo.return %value, %index : tensor<f32>, tensor<i32>
    }
  return %y0#1, %y1#1, %y2#1, %y3#1 : tensor<4xi32>, tensor<5xi32>, tensor<3xi32>, tensor<2xi32>
}
