// RUN: xla-run %s --backend=reference | FileCheck %s
// RUN: xla-run %s --backend=native | FileCheck %s

// Where the first extreme of a row is: a NaN before all else, the first of
// equals, zeros of both signs equal.
func.func @main() -> (tensor<6xi32>, tensor<6xf32>, tensor<6xi32>, tensor<6xi32>, tensor<6xf32>, tensor<6xi32>, tensor<6xi32>, tensor<6xf32>, tensor<6xi32>, tensor<6xi32>, tensor<6xf32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<6xi32>, tensor<6xf32>, tensor<6xi32>) {
  // Elements in memory: few of a row, a vector, more with a rest, many.
  %i0 = stablehlo.iota dim = 0 : tensor<54xi32>
  %a0 = stablehlo.constant dense<7919> : tensor<54xi32>
  %m0 = stablehlo.multiply %i0, %a0 : tensor<54xi32>
  %b0 = stablehlo.constant dense<97> : tensor<54xi32>
  %q0 = stablehlo.remainder %m0, %b0 : tensor<54xi32>
  %h0 = stablehlo.constant dense<48> : tensor<54xi32>
  %d0 = stablehlo.subtract %q0, %h0 : tensor<54xi32>
  %c0 = stablehlo.convert %d0 : (tensor<54xi32>) -> tensor<54xf32>
  %r0 = stablehlo.reshape %c0 : (tensor<54xf32>) -> tensor<6x9xf32>
  %s0 = stablehlo.constant dense<[[0x7FC00000], [0xFF800000], [0x7F800000], [0.0], [-0.0], [1.0]]> : tensor<6x1xf32>
  %o0 = stablehlo.slice %r0 [0:6, 0:2] : (tensor<6x9xf32>) -> tensor<6x2xf32>
  %u0 = stablehlo.slice %r0 [0:6, 2:7] : (tensor<6x9xf32>) -> tensor<6x5xf32>
  %x0 = stablehlo.concatenate %o0, %s0, %u0, %s0, dim = 1 : (tensor<6x2xf32>, tensor<6x1xf32>, tensor<6x5xf32>, tensor<6x1xf32>) -> tensor<6x9xf32>
  %y0 = stablehlo.optimization_barrier %x0 : tensor<6x9xf32>
  %p0 = stablehlo.iota dim = 1 : tensor<6x9xi32>
  %z0 = stablehlo.constant dense<0> : tensor<i32>
  %start_max0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %max0:2 = stablehlo.reduce(%y0 init: %start_max0), (%p0 init: %z0) across dimensions = [1] : (tensor<6x9xf32>, tensor<6x9xi32>, tensor<f32>, tensor<i32>) -> (tensor<6xf32>, tensor<6xi32>)
      reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
      %g = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %n = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %t = stablehlo.or %g, %n : tensor<i1>
      %e = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %l = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %f = stablehlo.and %e, %l : tensor<i1>
      %s = stablehlo.or %t, %f : tensor<i1>
      %v = stablehlo.select %t, %a, %b : tensor<i1>, tensor<f32>
      %p = stablehlo.select %s, %i, %j : tensor<i1>, tensor<i32>
        stablehlo.return %v, %p : tensor<f32>, tensor<i32>
      }
  // CHECK: s32[6] 2 6 2 1 4 6
  // CHECK: f32[6] NaN 44 +Inf 39 42 45
  %start_min0 = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %min0:2 = stablehlo.reduce(%y0 init: %start_min0), (%p0 init: %z0) across dimensions = [1] : (tensor<6x9xf32>, tensor<6x9xi32>, tensor<f32>, tensor<i32>) -> (tensor<6xf32>, tensor<6xi32>)
      reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
      %g = stablehlo.compare LT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %n = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %t = stablehlo.or %g, %n : tensor<i1>
      %e = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %l = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %f = stablehlo.and %e, %l : tensor<i1>
      %s = stablehlo.or %t, %f : tensor<i1>
      %v = stablehlo.select %t, %a, %b : tensor<i1>, tensor<f32>
      %p = stablehlo.select %s, %i, %j : tensor<i1>, tensor<i32>
        stablehlo.return %v, %p : tensor<f32>, tensor<i32>
      }
  // CHECK: s32[6] 2 2 5 7 0 3
  %i1 = stablehlo.iota dim = 0 : tensor<96xi32>
  %a1 = stablehlo.constant dense<7919> : tensor<96xi32>
  %m1 = stablehlo.multiply %i1, %a1 : tensor<96xi32>
  %b1 = stablehlo.constant dense<97> : tensor<96xi32>
  %q1 = stablehlo.remainder %m1, %b1 : tensor<96xi32>
  %h1 = stablehlo.constant dense<48> : tensor<96xi32>
  %d1 = stablehlo.subtract %q1, %h1 : tensor<96xi32>
  %c1 = stablehlo.convert %d1 : (tensor<96xi32>) -> tensor<96xf32>
  %r1 = stablehlo.reshape %c1 : (tensor<96xf32>) -> tensor<6x16xf32>
  %s1 = stablehlo.constant dense<[[0x7FC00000], [0xFF800000], [0x7F800000], [0.0], [-0.0], [1.0]]> : tensor<6x1xf32>
  %o1 = stablehlo.slice %r1 [0:6, 0:9] : (tensor<6x16xf32>) -> tensor<6x9xf32>
  %u1 = stablehlo.slice %r1 [0:6, 9:14] : (tensor<6x16xf32>) -> tensor<6x5xf32>
  %x1 = stablehlo.concatenate %o1, %s1, %u1, %s1, dim = 1 : (tensor<6x9xf32>, tensor<6x1xf32>, tensor<6x5xf32>, tensor<6x1xf32>) -> tensor<6x16xf32>
  %y1 = stablehlo.optimization_barrier %x1 : tensor<6x16xf32>
  %p1 = stablehlo.iota dim = 1 : tensor<6x16xi32>
  %z1 = stablehlo.constant dense<0> : tensor<i32>
  %start_max1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %max1:2 = stablehlo.reduce(%y1 init: %start_max1), (%p1 init: %z1) across dimensions = [1] : (tensor<6x16xf32>, tensor<6x16xi32>, tensor<f32>, tensor<i32>) -> (tensor<6xf32>, tensor<6xi32>)
      reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
      %g = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %n = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %t = stablehlo.or %g, %n : tensor<i1>
      %e = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %l = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %f = stablehlo.and %e, %l : tensor<i1>
      %s = stablehlo.or %t, %f : tensor<i1>
      %v = stablehlo.select %t, %a, %b : tensor<i1>, tensor<f32>
      %p = stablehlo.select %s, %i, %j : tensor<i1>, tensor<i32>
        stablehlo.return %v, %p : tensor<f32>, tensor<i32>
      }
  // CHECK: s32[6] 9 10 9 14 12 6
  // CHECK: f32[6] NaN 47 +Inf 48 43 46
  %start_min1 = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %min1:2 = stablehlo.reduce(%y1 init: %start_min1), (%p1 init: %z1) across dimensions = [1] : (tensor<6x16xf32>, tensor<6x16xi32>, tensor<f32>, tensor<i32>) -> (tensor<6xf32>, tensor<6xi32>)
      reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
      %g = stablehlo.compare LT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %n = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %t = stablehlo.or %g, %n : tensor<i1>
      %e = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %l = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %f = stablehlo.and %e, %l : tensor<i1>
      %s = stablehlo.or %t, %f : tensor<i1>
      %v = stablehlo.select %t, %a, %b : tensor<i1>, tensor<f32>
      %p = stablehlo.select %s, %i, %j : tensor<i1>, tensor<i32>
        stablehlo.return %v, %p : tensor<f32>, tensor<i32>
      }
  // CHECK: s32[6] 9 9 4 11 8 3
  %i2 = stablehlo.iota dim = 0 : tensor<258xi32>
  %a2 = stablehlo.constant dense<7919> : tensor<258xi32>
  %m2 = stablehlo.multiply %i2, %a2 : tensor<258xi32>
  %b2 = stablehlo.constant dense<97> : tensor<258xi32>
  %q2 = stablehlo.remainder %m2, %b2 : tensor<258xi32>
  %h2 = stablehlo.constant dense<48> : tensor<258xi32>
  %d2 = stablehlo.subtract %q2, %h2 : tensor<258xi32>
  %c2 = stablehlo.convert %d2 : (tensor<258xi32>) -> tensor<258xf32>
  %r2 = stablehlo.reshape %c2 : (tensor<258xf32>) -> tensor<6x43xf32>
  %s2 = stablehlo.constant dense<[[0x7FC00000], [0xFF800000], [0x7F800000], [0.0], [-0.0], [1.0]]> : tensor<6x1xf32>
  %o2 = stablehlo.slice %r2 [0:6, 0:36] : (tensor<6x43xf32>) -> tensor<6x36xf32>
  %u2 = stablehlo.slice %r2 [0:6, 36:41] : (tensor<6x43xf32>) -> tensor<6x5xf32>
  %x2 = stablehlo.concatenate %o2, %s2, %u2, %s2, dim = 1 : (tensor<6x36xf32>, tensor<6x1xf32>, tensor<6x5xf32>, tensor<6x1xf32>) -> tensor<6x43xf32>
  %y2 = stablehlo.optimization_barrier %x2 : tensor<6x43xf32>
  %p2 = stablehlo.iota dim = 1 : tensor<6x43xi32>
  %z2 = stablehlo.constant dense<0> : tensor<i32>
  %start_max2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %max2:2 = stablehlo.reduce(%y2 init: %start_max2), (%p2 init: %z2) across dimensions = [1] : (tensor<6x43xf32>, tensor<6x43xi32>, tensor<f32>, tensor<i32>) -> (tensor<6xf32>, tensor<6xi32>)
      reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
      %g = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %n = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %t = stablehlo.or %g, %n : tensor<i1>
      %e = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %l = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %f = stablehlo.and %e, %l : tensor<i1>
      %s = stablehlo.or %t, %f : tensor<i1>
      %v = stablehlo.select %t, %a, %b : tensor<i1>, tensor<f32>
      %p = stablehlo.select %s, %i, %j : tensor<i1>, tensor<i32>
        stablehlo.return %v, %p : tensor<f32>, tensor<i32>
      }
  // CHECK: s32[6] 36 18 36 29 11 41
  // CHECK: f32[6] NaN 48 +Inf 48 46 48
  %start_min2 = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %min2:2 = stablehlo.reduce(%y2 init: %start_min2), (%p2 init: %z2) across dimensions = [1] : (tensor<6x43xf32>, tensor<6x43xi32>, tensor<f32>, tensor<i32>) -> (tensor<6xf32>, tensor<6xi32>)
      reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
      %g = stablehlo.compare LT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %n = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %t = stablehlo.or %g, %n : tensor<i1>
      %e = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %l = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %f = stablehlo.and %e, %l : tensor<i1>
      %s = stablehlo.or %t, %f : tensor<i1>
      %v = stablehlo.select %t, %a, %b : tensor<i1>, tensor<f32>
      %p = stablehlo.select %s, %i, %j : tensor<i1>, tensor<i32>
        stablehlo.return %v, %p : tensor<f32>, tensor<i32>
      }
  // CHECK: s32[6] 36 36 11 4 22 15
  %i3 = stablehlo.iota dim = 0 : tensor<1800xi32>
  %a3 = stablehlo.constant dense<7919> : tensor<1800xi32>
  %m3 = stablehlo.multiply %i3, %a3 : tensor<1800xi32>
  %b3 = stablehlo.constant dense<97> : tensor<1800xi32>
  %q3 = stablehlo.remainder %m3, %b3 : tensor<1800xi32>
  %h3 = stablehlo.constant dense<48> : tensor<1800xi32>
  %d3 = stablehlo.subtract %q3, %h3 : tensor<1800xi32>
  %c3 = stablehlo.convert %d3 : (tensor<1800xi32>) -> tensor<1800xf32>
  %r3 = stablehlo.reshape %c3 : (tensor<1800xf32>) -> tensor<6x300xf32>
  %s3 = stablehlo.constant dense<[[0x7FC00000], [0xFF800000], [0x7F800000], [0.0], [-0.0], [1.0]]> : tensor<6x1xf32>
  %o3 = stablehlo.slice %r3 [0:6, 0:293] : (tensor<6x300xf32>) -> tensor<6x293xf32>
  %u3 = stablehlo.slice %r3 [0:6, 293:298] : (tensor<6x300xf32>) -> tensor<6x5xf32>
  %x3 = stablehlo.concatenate %o3, %s3, %u3, %s3, dim = 1 : (tensor<6x293xf32>, tensor<6x1xf32>, tensor<6x5xf32>, tensor<6x1xf32>) -> tensor<6x300xf32>
  %y3 = stablehlo.optimization_barrier %x3 : tensor<6x300xf32>
  %p3 = stablehlo.iota dim = 1 : tensor<6x300xi32>
  %z3 = stablehlo.constant dense<0> : tensor<i32>
  %start_max3 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %max3:2 = stablehlo.reduce(%y3 init: %start_max3), (%p3 init: %z3) across dimensions = [1] : (tensor<6x300xf32>, tensor<6x300xi32>, tensor<f32>, tensor<i32>) -> (tensor<6xf32>, tensor<6xi32>)
      reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
      %g = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %n = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %t = stablehlo.or %g, %n : tensor<i1>
      %e = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %l = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %f = stablehlo.and %e, %l : tensor<i1>
      %s = stablehlo.or %t, %f : tensor<i1>
      %v = stablehlo.select %t, %a, %b : tensor<i1>, tensor<f32>
      %p = stablehlo.select %s, %i, %j : tensor<i1>, tensor<i32>
        stablehlo.return %v, %p : tensor<f32>, tensor<i32>
      }
  // CHECK: s32[6] 293 52 293 34 25 16
  // CHECK: f32[6] NaN 48 +Inf 48 48 48
  %start_min3 = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %min3:2 = stablehlo.reduce(%y3 init: %start_min3), (%p3 init: %z3) across dimensions = [1] : (tensor<6x300xf32>, tensor<6x300xi32>, tensor<f32>, tensor<i32>) -> (tensor<6xf32>, tensor<6xi32>)
      reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
      %g = stablehlo.compare LT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %n = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %t = stablehlo.or %g, %n : tensor<i1>
      %e = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %l = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %f = stablehlo.and %e, %l : tensor<i1>
      %s = stablehlo.or %t, %f : tensor<i1>
      %v = stablehlo.select %t, %a, %b : tensor<i1>, tensor<f32>
      %p = stablehlo.select %s, %i, %j : tensor<i1>, tensor<i32>
        stablehlo.return %v, %p : tensor<f32>, tensor<i32>
      }
  // CHECK: s32[6] 293 293 79 70 61 52
  %i4 = stablehlo.iota dim = 0 : tensor<126xi32>
  %a4 = stablehlo.constant dense<7919> : tensor<126xi32>
  %m4 = stablehlo.multiply %i4, %a4 : tensor<126xi32>
  %b4 = stablehlo.constant dense<97> : tensor<126xi32>
  %q4 = stablehlo.remainder %m4, %b4 : tensor<126xi32>
  %h4 = stablehlo.constant dense<48> : tensor<126xi32>
  %d4 = stablehlo.subtract %q4, %h4 : tensor<126xi32>
  %c4 = stablehlo.convert %d4 : (tensor<126xi32>) -> tensor<126xf64>
  %r4 = stablehlo.reshape %c4 : (tensor<126xf64>) -> tensor<6x21xf64>
  %s4 = stablehlo.constant dense<[[0x7FF8000000000000], [0xFFF0000000000000], [0x7FF0000000000000], [0.0], [-0.0], [1.0]]> : tensor<6x1xf64>
  %o4 = stablehlo.slice %r4 [0:6, 0:14] : (tensor<6x21xf64>) -> tensor<6x14xf64>
  %u4 = stablehlo.slice %r4 [0:6, 14:19] : (tensor<6x21xf64>) -> tensor<6x5xf64>
  %x4 = stablehlo.concatenate %o4, %s4, %u4, %s4, dim = 1 : (tensor<6x14xf64>, tensor<6x1xf64>, tensor<6x5xf64>, tensor<6x1xf64>) -> tensor<6x21xf64>
  %y4 = stablehlo.optimization_barrier %x4 : tensor<6x21xf64>
  %p4 = stablehlo.iota dim = 1 : tensor<6x21xi32>
  %z4 = stablehlo.constant dense<0> : tensor<i32>
  %start_max4 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %max4:2 = stablehlo.reduce(%y4 init: %start_max4), (%p4 init: %z4) across dimensions = [1] : (tensor<6x21xf64>, tensor<6x21xi32>, tensor<f64>, tensor<i32>) -> (tensor<6xf64>, tensor<6xi32>)
      reducer(%a: tensor<f64>, %b: tensor<f64>) (%i: tensor<i32>, %j: tensor<i32>) {
      %g = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %n = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %t = stablehlo.or %g, %n : tensor<i1>
      %e = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %l = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %f = stablehlo.and %e, %l : tensor<i1>
      %s = stablehlo.or %t, %f : tensor<i1>
      %v = stablehlo.select %t, %a, %b : tensor<i1>, tensor<f64>
      %p = stablehlo.select %s, %i, %j : tensor<i1>, tensor<i32>
        stablehlo.return %v, %p : tensor<f64>, tensor<i32>
      }
  // CHECK: s32[6] 14 4 14 12 2 18
  %start_min4 = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
  %min4:2 = stablehlo.reduce(%y4 init: %start_min4), (%p4 init: %z4) across dimensions = [1] : (tensor<6x21xf64>, tensor<6x21xi32>, tensor<f64>, tensor<i32>) -> (tensor<6xf64>, tensor<6xi32>)
      reducer(%a: tensor<f64>, %b: tensor<f64>) (%i: tensor<i32>, %j: tensor<i32>) {
      %g = stablehlo.compare LT, %a, %b, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %n = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %t = stablehlo.or %g, %n : tensor<i1>
      %e = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %l = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %f = stablehlo.and %e, %l : tensor<i1>
      %s = stablehlo.or %t, %f : tensor<i1>
      %v = stablehlo.select %t, %a, %b : tensor<i1>, tensor<f64>
      %p = stablehlo.select %s, %i, %j : tensor<i1>, tensor<i32>
        stablehlo.return %v, %p : tensor<f64>, tensor<i32>
      }
  // CHECK: s32[6] 14 14 5 9 13 3
  %i5 = stablehlo.iota dim = 0 : tensor<48xi32>
  %a5 = stablehlo.constant dense<7919> : tensor<48xi32>
  %m5 = stablehlo.multiply %i5, %a5 : tensor<48xi32>
  %b5 = stablehlo.constant dense<97> : tensor<48xi32>
  %q5 = stablehlo.remainder %m5, %b5 : tensor<48xi32>
  %h5 = stablehlo.constant dense<48> : tensor<48xi32>
  %d5 = stablehlo.subtract %q5, %h5 : tensor<48xi32>
  %c5 = stablehlo.convert %d5 : (tensor<48xi32>) -> tensor<48xf64>
  %r5 = stablehlo.reshape %c5 : (tensor<48xf64>) -> tensor<6x8xf64>
  %s5 = stablehlo.constant dense<[[0x7FF8000000000000], [0xFFF0000000000000], [0x7FF0000000000000], [0.0], [-0.0], [1.0]]> : tensor<6x1xf64>
  %o5 = stablehlo.slice %r5 [0:6, 0:1] : (tensor<6x8xf64>) -> tensor<6x1xf64>
  %u5 = stablehlo.slice %r5 [0:6, 1:6] : (tensor<6x8xf64>) -> tensor<6x5xf64>
  %x5 = stablehlo.concatenate %o5, %s5, %u5, %s5, dim = 1 : (tensor<6x1xf64>, tensor<6x1xf64>, tensor<6x5xf64>, tensor<6x1xf64>) -> tensor<6x8xf64>
  %y5 = stablehlo.optimization_barrier %x5 : tensor<6x8xf64>
  %p5 = stablehlo.iota dim = 1 : tensor<6x8xi32>
  %z5 = stablehlo.constant dense<0> : tensor<i32>
  %start_max5 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %max5:2 = stablehlo.reduce(%y5 init: %start_max5), (%p5 init: %z5) across dimensions = [1] : (tensor<6x8xf64>, tensor<6x8xi32>, tensor<f64>, tensor<i32>) -> (tensor<6xf64>, tensor<6xi32>)
      reducer(%a: tensor<f64>, %b: tensor<f64>) (%i: tensor<i32>, %j: tensor<i32>) {
      %g = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %n = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %t = stablehlo.or %g, %n : tensor<i1>
      %e = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %l = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %f = stablehlo.and %e, %l : tensor<i1>
      %s = stablehlo.or %t, %f : tensor<i1>
      %v = stablehlo.select %t, %a, %b : tensor<i1>, tensor<f64>
      %p = stablehlo.select %s, %i, %j : tensor<i1>, tensor<i32>
        stablehlo.return %v, %p : tensor<f64>, tensor<i32>
      }
  // CHECK: s32[6] 1 2 1 2 3 3
  %start_min5 = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
  %min5:2 = stablehlo.reduce(%y5 init: %start_min5), (%p5 init: %z5) across dimensions = [1] : (tensor<6x8xf64>, tensor<6x8xi32>, tensor<f64>, tensor<i32>) -> (tensor<6xf64>, tensor<6xi32>)
      reducer(%a: tensor<f64>, %b: tensor<f64>) (%i: tensor<i32>, %j: tensor<i32>) {
      %g = stablehlo.compare LT, %a, %b, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %n = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %t = stablehlo.or %g, %n : tensor<i1>
      %e = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %l = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %f = stablehlo.and %e, %l : tensor<i1>
      %s = stablehlo.or %t, %f : tensor<i1>
      %v = stablehlo.select %t, %a, %b : tensor<i1>, tensor<f64>
      %p = stablehlo.select %s, %i, %j : tensor<i1>, tensor<i32>
        stablehlo.return %v, %p : tensor<f64>, tensor<i32>
      }
  // CHECK: s32[6] 1 1 4 4 5 5
  %i6 = stablehlo.iota dim = 0 : tensor<210xi32>
  %a6 = stablehlo.constant dense<7919> : tensor<210xi32>
  %m6 = stablehlo.multiply %i6, %a6 : tensor<210xi32>
  %b6 = stablehlo.constant dense<97> : tensor<210xi32>
  %q6 = stablehlo.remainder %m6, %b6 : tensor<210xi32>
  %h6 = stablehlo.constant dense<48> : tensor<210xi32>
  %d6 = stablehlo.subtract %q6, %h6 : tensor<210xi32>
  %c6 = stablehlo.convert %d6 : (tensor<210xi32>) -> tensor<210xf16>
  %r6 = stablehlo.reshape %c6 : (tensor<210xf16>) -> tensor<6x35xf16>
  %s6 = stablehlo.constant dense<[[0x7E00], [0xFC00], [0x7C00], [0.0], [-0.0], [1.0]]> : tensor<6x1xf16>
  %o6 = stablehlo.slice %r6 [0:6, 0:28] : (tensor<6x35xf16>) -> tensor<6x28xf16>
  %u6 = stablehlo.slice %r6 [0:6, 28:33] : (tensor<6x35xf16>) -> tensor<6x5xf16>
  %x6 = stablehlo.concatenate %o6, %s6, %u6, %s6, dim = 1 : (tensor<6x28xf16>, tensor<6x1xf16>, tensor<6x5xf16>, tensor<6x1xf16>) -> tensor<6x35xf16>
  %y6 = stablehlo.optimization_barrier %x6 : tensor<6x35xf16>
  %p6 = stablehlo.iota dim = 1 : tensor<6x35xi32>
  %z6 = stablehlo.constant dense<0> : tensor<i32>
  %start_max6 = stablehlo.constant dense<0xFC00> : tensor<f16>
  %max6:2 = stablehlo.reduce(%y6 init: %start_max6), (%p6 init: %z6) across dimensions = [1] : (tensor<6x35xf16>, tensor<6x35xi32>, tensor<f16>, tensor<i32>) -> (tensor<6xf16>, tensor<6xi32>)
      reducer(%a: tensor<f16>, %b: tensor<f16>) (%i: tensor<i32>, %j: tensor<i32>) {
      %g = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f16>, tensor<f16>) -> tensor<i1>
      %n = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f16>, tensor<f16>) -> tensor<i1>
      %t = stablehlo.or %g, %n : tensor<i1>
      %e = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f16>, tensor<f16>) -> tensor<i1>
      %l = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %f = stablehlo.and %e, %l : tensor<i1>
      %s = stablehlo.or %t, %f : tensor<i1>
      %v = stablehlo.select %t, %a, %b : tensor<i1>, tensor<f16>
      %p = stablehlo.select %s, %i, %j : tensor<i1>, tensor<i32>
        stablehlo.return %v, %p : tensor<f16>, tensor<i32>
      }
  // CHECK: s32[6] 28 26 28 17 18 8
  %start_min6 = stablehlo.constant dense<0x7C00> : tensor<f16>
  %min6:2 = stablehlo.reduce(%y6 init: %start_min6), (%p6 init: %z6) across dimensions = [1] : (tensor<6x35xf16>, tensor<6x35xi32>, tensor<f16>, tensor<i32>) -> (tensor<6xf16>, tensor<6xi32>)
      reducer(%a: tensor<f16>, %b: tensor<f16>) (%i: tensor<i32>, %j: tensor<i32>) {
      %g = stablehlo.compare LT, %a, %b, FLOAT : (tensor<f16>, tensor<f16>) -> tensor<i1>
      %n = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f16>, tensor<f16>) -> tensor<i1>
      %t = stablehlo.or %g, %n : tensor<i1>
      %e = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f16>, tensor<f16>) -> tensor<i1>
      %l = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %f = stablehlo.and %e, %l : tensor<i1>
      %s = stablehlo.or %t, %f : tensor<i1>
      %v = stablehlo.select %t, %a, %b : tensor<i1>, tensor<f16>
      %p = stablehlo.select %s, %i, %j : tensor<i1>, tensor<i32>
        stablehlo.return %v, %p : tensor<f16>, tensor<i32>
      }
  // CHECK: s32[6] 28 28 27 29 30 19
  %i7 = stablehlo.iota dim = 0 : tensor<300xi32>
  %a7 = stablehlo.constant dense<7919> : tensor<300xi32>
  %m7 = stablehlo.multiply %i7, %a7 : tensor<300xi32>
  %b7 = stablehlo.constant dense<97> : tensor<300xi32>
  %q7 = stablehlo.remainder %m7, %b7 : tensor<300xi32>
  %h7 = stablehlo.constant dense<48> : tensor<300xi32>
  %d7 = stablehlo.subtract %q7, %h7 : tensor<300xi32>
  %c7 = stablehlo.convert %d7 : (tensor<300xi32>) -> tensor<300xbf16>
  %r7 = stablehlo.reshape %c7 : (tensor<300xbf16>) -> tensor<6x50xbf16>
  %s7 = stablehlo.constant dense<[[0xFFC0], [0xFF80], [0x7F80], [0.0], [-0.0], [1.0]]> : tensor<6x1xbf16>
  %o7 = stablehlo.slice %r7 [0:6, 0:43] : (tensor<6x50xbf16>) -> tensor<6x43xbf16>
  %u7 = stablehlo.slice %r7 [0:6, 43:48] : (tensor<6x50xbf16>) -> tensor<6x5xbf16>
  %x7 = stablehlo.concatenate %o7, %s7, %u7, %s7, dim = 1 : (tensor<6x43xbf16>, tensor<6x1xbf16>, tensor<6x5xbf16>, tensor<6x1xbf16>) -> tensor<6x50xbf16>
  %y7 = stablehlo.optimization_barrier %x7 : tensor<6x50xbf16>
  %p7 = stablehlo.iota dim = 1 : tensor<6x50xi32>
  %z7 = stablehlo.constant dense<0> : tensor<i32>
  %start_max7 = stablehlo.constant dense<0xFF80> : tensor<bf16>
  %max7:2 = stablehlo.reduce(%y7 init: %start_max7), (%p7 init: %z7) across dimensions = [1] : (tensor<6x50xbf16>, tensor<6x50xi32>, tensor<bf16>, tensor<i32>) -> (tensor<6xbf16>, tensor<6xi32>)
      reducer(%a: tensor<bf16>, %b: tensor<bf16>) (%i: tensor<i32>, %j: tensor<i32>) {
      %g = stablehlo.compare GT, %a, %b, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %n = stablehlo.compare NE, %a, %a, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %t = stablehlo.or %g, %n : tensor<i1>
      %e = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %l = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %f = stablehlo.and %e, %l : tensor<i1>
      %s = stablehlo.or %t, %f : tensor<i1>
      %v = stablehlo.select %t, %a, %b : tensor<i1>, tensor<bf16>
      %p = stablehlo.select %s, %i, %j : tensor<i1>, tensor<i32>
        stablehlo.return %v, %p : tensor<bf16>, tensor<i32>
      }
  // CHECK: s32[6] 43 11 43 8 19 5
  %start_min7 = stablehlo.constant dense<0x7F80> : tensor<bf16>
  %min7:2 = stablehlo.reduce(%y7 init: %start_min7), (%p7 init: %z7) across dimensions = [1] : (tensor<6x50xbf16>, tensor<6x50xi32>, tensor<bf16>, tensor<i32>) -> (tensor<6xbf16>, tensor<6xi32>)
      reducer(%a: tensor<bf16>, %b: tensor<bf16>) (%i: tensor<i32>, %j: tensor<i32>) {
      %g = stablehlo.compare LT, %a, %b, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %n = stablehlo.compare NE, %a, %a, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %t = stablehlo.or %g, %n : tensor<i1>
      %e = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %l = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %f = stablehlo.and %e, %l : tensor<i1>
      %s = stablehlo.or %t, %f : tensor<i1>
      %v = stablehlo.select %t, %a, %b : tensor<i1>, tensor<bf16>
      %p = stablehlo.select %s, %i, %j : tensor<i1>, tensor<i32>
        stablehlo.return %v, %p : tensor<bf16>, tensor<i32>
      }
  // CHECK: s32[6] 43 43 33 45 30 41
  %i8 = stablehlo.iota dim = 0 : tensor<20xi32>
  %a8 = stablehlo.constant dense<7919> : tensor<20xi32>
  %m8 = stablehlo.multiply %i8, %a8 : tensor<20xi32>
  %b8 = stablehlo.constant dense<97> : tensor<20xi32>
  %q8 = stablehlo.remainder %m8, %b8 : tensor<20xi32>
  %h8 = stablehlo.constant dense<48> : tensor<20xi32>
  %d8 = stablehlo.subtract %q8, %h8 : tensor<20xi32>
  %c8 = stablehlo.convert %d8 : (tensor<20xi32>) -> tensor<20xi32>
  %r8 = stablehlo.reshape %c8 : (tensor<20xi32>) -> tensor<4x5xi32>
  %y8 = stablehlo.optimization_barrier %r8 : tensor<4x5xi32>
  %p8 = stablehlo.iota dim = 1 : tensor<4x5xi32>
  %z8 = stablehlo.constant dense<0> : tensor<i32>
  %start_max8 = stablehlo.constant dense<-2147483648> : tensor<i32>
  %max8:2 = stablehlo.reduce(%y8 init: %start_max8), (%p8 init: %z8) across dimensions = [1] : (tensor<4x5xi32>, tensor<4x5xi32>, tensor<i32>, tensor<i32>) -> (tensor<4xi32>, tensor<4xi32>)
      reducer(%a: tensor<i32>, %b: tensor<i32>) (%i: tensor<i32>, %j: tensor<i32>) {
      %g = stablehlo.compare GT, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %n = stablehlo.compare NE, %a, %a, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %t = stablehlo.or %g, %n : tensor<i1>
      %e = stablehlo.compare EQ, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %l = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %f = stablehlo.and %e, %l : tensor<i1>
      %s = stablehlo.or %t, %f : tensor<i1>
      %v = stablehlo.select %t, %a, %b : tensor<i1>, tensor<i32>
      %p = stablehlo.select %s, %i, %j : tensor<i1>, tensor<i32>
        stablehlo.return %v, %p : tensor<i32>, tensor<i32>
      }
  // CHECK: s32[4] 3 1 4 2
  %start_min8 = stablehlo.constant dense<2147483647> : tensor<i32>
  %min8:2 = stablehlo.reduce(%y8 init: %start_min8), (%p8 init: %z8) across dimensions = [1] : (tensor<4x5xi32>, tensor<4x5xi32>, tensor<i32>, tensor<i32>) -> (tensor<4xi32>, tensor<4xi32>)
      reducer(%a: tensor<i32>, %b: tensor<i32>) (%i: tensor<i32>, %j: tensor<i32>) {
      %g = stablehlo.compare LT, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %n = stablehlo.compare NE, %a, %a, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %t = stablehlo.or %g, %n : tensor<i1>
      %e = stablehlo.compare EQ, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %l = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %f = stablehlo.and %e, %l : tensor<i1>
      %s = stablehlo.or %t, %f : tensor<i1>
      %v = stablehlo.select %t, %a, %b : tensor<i1>, tensor<i32>
      %p = stablehlo.select %s, %i, %j : tensor<i1>, tensor<i32>
        stablehlo.return %v, %p : tensor<i32>, tensor<i32>
      }
  // CHECK: s32[4] 0 3 1 4
  %i9 = stablehlo.iota dim = 0 : tensor<532xi32>
  %a9 = stablehlo.constant dense<7919> : tensor<532xi32>
  %m9 = stablehlo.multiply %i9, %a9 : tensor<532xi32>
  %b9 = stablehlo.constant dense<97> : tensor<532xi32>
  %q9 = stablehlo.remainder %m9, %b9 : tensor<532xi32>
  %h9 = stablehlo.constant dense<48> : tensor<532xi32>
  %d9 = stablehlo.subtract %q9, %h9 : tensor<532xi32>
  %c9 = stablehlo.convert %d9 : (tensor<532xi32>) -> tensor<532xi32>
  %r9 = stablehlo.reshape %c9 : (tensor<532xi32>) -> tensor<4x133xi32>
  %y9 = stablehlo.optimization_barrier %r9 : tensor<4x133xi32>
  %p9 = stablehlo.iota dim = 1 : tensor<4x133xi32>
  %z9 = stablehlo.constant dense<0> : tensor<i32>
  %start_max9 = stablehlo.constant dense<-2147483648> : tensor<i32>
  %max9:2 = stablehlo.reduce(%y9 init: %start_max9), (%p9 init: %z9) across dimensions = [1] : (tensor<4x133xi32>, tensor<4x133xi32>, tensor<i32>, tensor<i32>) -> (tensor<4xi32>, tensor<4xi32>)
      reducer(%a: tensor<i32>, %b: tensor<i32>) (%i: tensor<i32>, %j: tensor<i32>) {
      %g = stablehlo.compare GT, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %n = stablehlo.compare NE, %a, %a, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %t = stablehlo.or %g, %n : tensor<i1>
      %e = stablehlo.compare EQ, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %l = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %f = stablehlo.and %e, %l : tensor<i1>
      %s = stablehlo.or %t, %f : tensor<i1>
      %v = stablehlo.select %t, %a, %b : tensor<i1>, tensor<i32>
      %p = stablehlo.select %s, %i, %j : tensor<i1>, tensor<i32>
        stablehlo.return %v, %p : tensor<i32>, tensor<i32>
      }
  // CHECK: s32[4] 61 25 86 50
  %start_min9 = stablehlo.constant dense<2147483647> : tensor<i32>
  %min9:2 = stablehlo.reduce(%y9 init: %start_min9), (%p9 init: %z9) across dimensions = [1] : (tensor<4x133xi32>, tensor<4x133xi32>, tensor<i32>, tensor<i32>) -> (tensor<4xi32>, tensor<4xi32>)
      reducer(%a: tensor<i32>, %b: tensor<i32>) (%i: tensor<i32>, %j: tensor<i32>) {
      %g = stablehlo.compare LT, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %n = stablehlo.compare NE, %a, %a, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %t = stablehlo.or %g, %n : tensor<i1>
      %e = stablehlo.compare EQ, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %l = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %f = stablehlo.and %e, %l : tensor<i1>
      %s = stablehlo.or %t, %f : tensor<i1>
      %v = stablehlo.select %t, %a, %b : tensor<i1>, tensor<i32>
      %p = stablehlo.select %s, %i, %j : tensor<i1>, tensor<i32>
        stablehlo.return %v, %p : tensor<i32>, tensor<i32>
      }
  // CHECK: s32[4] 0 61 25 86
  %i10 = stablehlo.iota dim = 0 : tensor<160xi32>
  %a10 = stablehlo.constant dense<7919> : tensor<160xi32>
  %m10 = stablehlo.multiply %i10, %a10 : tensor<160xi32>
  %b10 = stablehlo.constant dense<97> : tensor<160xi32>
  %q10 = stablehlo.remainder %m10, %b10 : tensor<160xi32>
  %h10 = stablehlo.constant dense<0> : tensor<160xi32>
  %d10 = stablehlo.subtract %q10, %h10 : tensor<160xi32>
  %c10 = stablehlo.convert %d10 : (tensor<160xi32>) -> tensor<160xui32>
  %r10 = stablehlo.reshape %c10 : (tensor<160xui32>) -> tensor<4x40xui32>
  %y10 = stablehlo.optimization_barrier %r10 : tensor<4x40xui32>
  %p10 = stablehlo.iota dim = 1 : tensor<4x40xi32>
  %z10 = stablehlo.constant dense<0> : tensor<i32>
  %start_max10 = stablehlo.constant dense<0> : tensor<ui32>
  %max10:2 = stablehlo.reduce(%y10 init: %start_max10), (%p10 init: %z10) across dimensions = [1] : (tensor<4x40xui32>, tensor<4x40xi32>, tensor<ui32>, tensor<i32>) -> (tensor<4xui32>, tensor<4xi32>)
      reducer(%a: tensor<ui32>, %b: tensor<ui32>) (%i: tensor<i32>, %j: tensor<i32>) {
      %g = stablehlo.compare GT, %a, %b, UNSIGNED : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
      %n = stablehlo.compare NE, %a, %a, UNSIGNED : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
      %t = stablehlo.or %g, %n : tensor<i1>
      %e = stablehlo.compare EQ, %a, %b, UNSIGNED : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
      %l = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %f = stablehlo.and %e, %l : tensor<i1>
      %s = stablehlo.or %t, %f : tensor<i1>
      %v = stablehlo.select %t, %a, %b : tensor<i1>, tensor<ui32>
      %p = stablehlo.select %s, %i, %j : tensor<i1>, tensor<i32>
        stablehlo.return %v, %p : tensor<ui32>, tensor<i32>
      }
  // CHECK: s32[4] 25 21 6 38
  %start_min10 = stablehlo.constant dense<4294967295> : tensor<ui32>
  %min10:2 = stablehlo.reduce(%y10 init: %start_min10), (%p10 init: %z10) across dimensions = [1] : (tensor<4x40xui32>, tensor<4x40xi32>, tensor<ui32>, tensor<i32>) -> (tensor<4xui32>, tensor<4xi32>)
      reducer(%a: tensor<ui32>, %b: tensor<ui32>) (%i: tensor<i32>, %j: tensor<i32>) {
      %g = stablehlo.compare LT, %a, %b, UNSIGNED : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
      %n = stablehlo.compare NE, %a, %a, UNSIGNED : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
      %t = stablehlo.or %g, %n : tensor<i1>
      %e = stablehlo.compare EQ, %a, %b, UNSIGNED : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
      %l = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %f = stablehlo.and %e, %l : tensor<i1>
      %s = stablehlo.or %t, %f : tensor<i1>
      %v = stablehlo.select %t, %a, %b : tensor<i1>, tensor<ui32>
      %p = stablehlo.select %s, %i, %j : tensor<i1>, tensor<i32>
        stablehlo.return %v, %p : tensor<ui32>, tensor<i32>
      }
  // CHECK: s32[4] 0 32 17 13
  %i11 = stablehlo.iota dim = 0 : tensor<280xi32>
  %a11 = stablehlo.constant dense<7919> : tensor<280xi32>
  %m11 = stablehlo.multiply %i11, %a11 : tensor<280xi32>
  %b11 = stablehlo.constant dense<97> : tensor<280xi32>
  %q11 = stablehlo.remainder %m11, %b11 : tensor<280xi32>
  %h11 = stablehlo.constant dense<48> : tensor<280xi32>
  %d11 = stablehlo.subtract %q11, %h11 : tensor<280xi32>
  %c11 = stablehlo.convert %d11 : (tensor<280xi32>) -> tensor<280xi8>
  %r11 = stablehlo.reshape %c11 : (tensor<280xi8>) -> tensor<4x70xi8>
  %y11 = stablehlo.optimization_barrier %r11 : tensor<4x70xi8>
  %p11 = stablehlo.iota dim = 1 : tensor<4x70xi32>
  %z11 = stablehlo.constant dense<0> : tensor<i32>
  %start_max11 = stablehlo.constant dense<-128> : tensor<i8>
  %max11:2 = stablehlo.reduce(%y11 init: %start_max11), (%p11 init: %z11) across dimensions = [1] : (tensor<4x70xi8>, tensor<4x70xi32>, tensor<i8>, tensor<i32>) -> (tensor<4xi8>, tensor<4xi32>)
      reducer(%a: tensor<i8>, %b: tensor<i8>) (%i: tensor<i32>, %j: tensor<i32>) {
      %g = stablehlo.compare GT, %a, %b, SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
      %n = stablehlo.compare NE, %a, %a, SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
      %t = stablehlo.or %g, %n : tensor<i1>
      %e = stablehlo.compare EQ, %a, %b, SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
      %l = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %f = stablehlo.and %e, %l : tensor<i1>
      %s = stablehlo.or %t, %f : tensor<i1>
      %v = stablehlo.select %t, %a, %b : tensor<i1>, tensor<i8>
      %p = stablehlo.select %s, %i, %j : tensor<i1>, tensor<i32>
        stablehlo.return %v, %p : tensor<i8>, tensor<i32>
      }
  // CHECK: s32[4] 61 52 18 45
  %start_min11 = stablehlo.constant dense<127> : tensor<i8>
  %min11:2 = stablehlo.reduce(%y11 init: %start_min11), (%p11 init: %z11) across dimensions = [1] : (tensor<4x70xi8>, tensor<4x70xi32>, tensor<i8>, tensor<i32>) -> (tensor<4xi8>, tensor<4xi32>)
      reducer(%a: tensor<i8>, %b: tensor<i8>) (%i: tensor<i32>, %j: tensor<i32>) {
      %g = stablehlo.compare LT, %a, %b, SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
      %n = stablehlo.compare NE, %a, %a, SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
      %t = stablehlo.or %g, %n : tensor<i1>
      %e = stablehlo.compare EQ, %a, %b, SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
      %l = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %f = stablehlo.and %e, %l : tensor<i1>
      %s = stablehlo.or %t, %f : tensor<i1>
      %v = stablehlo.select %t, %a, %b : tensor<i1>, tensor<i8>
      %p = stablehlo.select %s, %i, %j : tensor<i1>, tensor<i32>
        stablehlo.return %v, %p : tensor<i8>, tensor<i32>
      }
  // CHECK: s32[4] 0 27 54 20
  %i12 = stablehlo.iota dim = 0 : tensor<132xi32>
  %a12 = stablehlo.constant dense<7919> : tensor<132xi32>
  %m12 = stablehlo.multiply %i12, %a12 : tensor<132xi32>
  %b12 = stablehlo.constant dense<97> : tensor<132xi32>
  %q12 = stablehlo.remainder %m12, %b12 : tensor<132xi32>
  %h12 = stablehlo.constant dense<0> : tensor<132xi32>
  %d12 = stablehlo.subtract %q12, %h12 : tensor<132xi32>
  %c12 = stablehlo.convert %d12 : (tensor<132xi32>) -> tensor<132xui16>
  %r12 = stablehlo.reshape %c12 : (tensor<132xui16>) -> tensor<4x33xui16>
  %y12 = stablehlo.optimization_barrier %r12 : tensor<4x33xui16>
  %p12 = stablehlo.iota dim = 1 : tensor<4x33xi32>
  %z12 = stablehlo.constant dense<0> : tensor<i32>
  %start_max12 = stablehlo.constant dense<0> : tensor<ui16>
  %max12:2 = stablehlo.reduce(%y12 init: %start_max12), (%p12 init: %z12) across dimensions = [1] : (tensor<4x33xui16>, tensor<4x33xi32>, tensor<ui16>, tensor<i32>) -> (tensor<4xui16>, tensor<4xi32>)
      reducer(%a: tensor<ui16>, %b: tensor<ui16>) (%i: tensor<i32>, %j: tensor<i32>) {
      %g = stablehlo.compare GT, %a, %b, UNSIGNED : (tensor<ui16>, tensor<ui16>) -> tensor<i1>
      %n = stablehlo.compare NE, %a, %a, UNSIGNED : (tensor<ui16>, tensor<ui16>) -> tensor<i1>
      %t = stablehlo.or %g, %n : tensor<i1>
      %e = stablehlo.compare EQ, %a, %b, UNSIGNED : (tensor<ui16>, tensor<ui16>) -> tensor<i1>
      %l = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %f = stablehlo.and %e, %l : tensor<i1>
      %s = stablehlo.or %t, %f : tensor<i1>
      %v = stablehlo.select %t, %a, %b : tensor<i1>, tensor<ui16>
      %p = stablehlo.select %s, %i, %j : tensor<i1>, tensor<i32>
        stablehlo.return %v, %p : tensor<ui16>, tensor<i32>
      }
  // CHECK: s32[4] 25 28 20 23
  %start_min12 = stablehlo.constant dense<65535> : tensor<ui16>
  %min12:2 = stablehlo.reduce(%y12 init: %start_min12), (%p12 init: %z12) across dimensions = [1] : (tensor<4x33xui16>, tensor<4x33xi32>, tensor<ui16>, tensor<i32>) -> (tensor<4xui16>, tensor<4xi32>)
      reducer(%a: tensor<ui16>, %b: tensor<ui16>) (%i: tensor<i32>, %j: tensor<i32>) {
      %g = stablehlo.compare LT, %a, %b, UNSIGNED : (tensor<ui16>, tensor<ui16>) -> tensor<i1>
      %n = stablehlo.compare NE, %a, %a, UNSIGNED : (tensor<ui16>, tensor<ui16>) -> tensor<i1>
      %t = stablehlo.or %g, %n : tensor<i1>
      %e = stablehlo.compare EQ, %a, %b, UNSIGNED : (tensor<ui16>, tensor<ui16>) -> tensor<i1>
      %l = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %f = stablehlo.and %e, %l : tensor<i1>
      %s = stablehlo.or %t, %f : tensor<i1>
      %v = stablehlo.select %t, %a, %b : tensor<i1>, tensor<ui16>
      %p = stablehlo.select %s, %i, %j : tensor<i1>, tensor<i32>
        stablehlo.return %v, %p : tensor<ui16>, tensor<i32>
      }
  // CHECK: s32[4] 0 3 31 9
  %i13 = stablehlo.iota dim = 0 : tensor<108xi32>
  %a13 = stablehlo.constant dense<7919> : tensor<108xi32>
  %m13 = stablehlo.multiply %i13, %a13 : tensor<108xi32>
  %b13 = stablehlo.constant dense<97> : tensor<108xi32>
  %q13 = stablehlo.remainder %m13, %b13 : tensor<108xi32>
  %h13 = stablehlo.constant dense<48> : tensor<108xi32>
  %d13 = stablehlo.subtract %q13, %h13 : tensor<108xi32>
  %c13 = stablehlo.convert %d13 : (tensor<108xi32>) -> tensor<108xi64>
  %r13 = stablehlo.reshape %c13 : (tensor<108xi64>) -> tensor<4x27xi64>
  %y13 = stablehlo.optimization_barrier %r13 : tensor<4x27xi64>
  %p13 = stablehlo.iota dim = 1 : tensor<4x27xi32>
  %z13 = stablehlo.constant dense<0> : tensor<i32>
  %start_max13 = stablehlo.constant dense<-9223372036854775808> : tensor<i64>
  %max13:2 = stablehlo.reduce(%y13 init: %start_max13), (%p13 init: %z13) across dimensions = [1] : (tensor<4x27xi64>, tensor<4x27xi32>, tensor<i64>, tensor<i32>) -> (tensor<4xi64>, tensor<4xi32>)
      reducer(%a: tensor<i64>, %b: tensor<i64>) (%i: tensor<i32>, %j: tensor<i32>) {
      %g = stablehlo.compare GT, %a, %b, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %n = stablehlo.compare NE, %a, %a, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %t = stablehlo.or %g, %n : tensor<i1>
      %e = stablehlo.compare EQ, %a, %b, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %l = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %f = stablehlo.and %e, %l : tensor<i1>
      %s = stablehlo.or %t, %f : tensor<i1>
      %v = stablehlo.select %t, %a, %b : tensor<i1>, tensor<i64>
      %p = stablehlo.select %s, %i, %j : tensor<i1>, tensor<i32>
        stablehlo.return %v, %p : tensor<i64>, tensor<i32>
      }
  // CHECK: s32[4] 25 23 7 5
  %start_min13 = stablehlo.constant dense<9223372036854775807> : tensor<i64>
  %min13:2 = stablehlo.reduce(%y13 init: %start_min13), (%p13 init: %z13) across dimensions = [1] : (tensor<4x27xi64>, tensor<4x27xi32>, tensor<i64>, tensor<i32>) -> (tensor<4xi64>, tensor<4xi32>)
      reducer(%a: tensor<i64>, %b: tensor<i64>) (%i: tensor<i32>, %j: tensor<i32>) {
      %g = stablehlo.compare LT, %a, %b, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %n = stablehlo.compare NE, %a, %a, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %t = stablehlo.or %g, %n : tensor<i1>
      %e = stablehlo.compare EQ, %a, %b, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %l = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %f = stablehlo.and %e, %l : tensor<i1>
      %s = stablehlo.or %t, %f : tensor<i1>
      %v = stablehlo.select %t, %a, %b : tensor<i1>, tensor<i64>
      %p = stablehlo.select %s, %i, %j : tensor<i1>, tensor<i32>
        stablehlo.return %v, %p : tensor<i64>, tensor<i32>
      }
  // CHECK: s32[4] 0 9 18 16
  // Computed on the way, in several pieces; then a reducer that spells it differently.
  %i14 = stablehlo.iota dim = 0 : tensor<27000xi32>
  %a14 = stablehlo.constant dense<7919> : tensor<27000xi32>
  %m14 = stablehlo.multiply %i14, %a14 : tensor<27000xi32>
  %b14 = stablehlo.constant dense<97> : tensor<27000xi32>
  %q14 = stablehlo.remainder %m14, %b14 : tensor<27000xi32>
  %h14 = stablehlo.constant dense<48> : tensor<27000xi32>
  %d14 = stablehlo.subtract %q14, %h14 : tensor<27000xi32>
  %c14 = stablehlo.convert %d14 : (tensor<27000xi32>) -> tensor<27000xf32>
  %r14 = stablehlo.reshape %c14 : (tensor<27000xf32>) -> tensor<3x9000xf32>
  %p14 = stablehlo.iota dim = 1 : tensor<3x9000xi32>
  %z14 = stablehlo.constant dense<0> : tensor<i32>
  %start_max14 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %max14:2 = stablehlo.reduce(%r14 init: %start_max14), (%p14 init: %z14) across dimensions = [1] : (tensor<3x9000xf32>, tensor<3x9000xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
      reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
      %g = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %n = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %t = stablehlo.or %g, %n : tensor<i1>
      %e = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %l = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %f = stablehlo.and %e, %l : tensor<i1>
      %s = stablehlo.or %t, %f : tensor<i1>
      %v = stablehlo.select %t, %a, %b : tensor<i1>, tensor<f32>
      %p = stablehlo.select %s, %i, %j : tensor<i1>, tensor<i32>
        stablehlo.return %v, %p : tensor<f32>, tensor<i32>
      }
  // CHECK: s32[3] 61 82 6
  %start_min14 = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %min14:2 = stablehlo.reduce(%r14 init: %start_min14), (%p14 init: %z14) across dimensions = [1] : (tensor<3x9000xf32>, tensor<3x9000xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
      reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
      %g = stablehlo.compare LT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %n = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %t = stablehlo.or %g, %n : tensor<i1>
      %e = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %l = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %f = stablehlo.and %e, %l : tensor<i1>
      %s = stablehlo.or %t, %f : tensor<i1>
      %v = stablehlo.select %t, %a, %b : tensor<i1>, tensor<f32>
      %p = stablehlo.select %s, %i, %j : tensor<i1>, tensor<i32>
        stablehlo.return %v, %p : tensor<f32>, tensor<i32>
      }
  // CHECK: s32[3] 0 21 42
  %i15 = stablehlo.iota dim = 0 : tensor<15000xi32>
  %a15 = stablehlo.constant dense<7919> : tensor<15000xi32>
  %m15 = stablehlo.multiply %i15, %a15 : tensor<15000xi32>
  %b15 = stablehlo.constant dense<97> : tensor<15000xi32>
  %q15 = stablehlo.remainder %m15, %b15 : tensor<15000xi32>
  %h15 = stablehlo.constant dense<48> : tensor<15000xi32>
  %d15 = stablehlo.subtract %q15, %h15 : tensor<15000xi32>
  %c15 = stablehlo.convert %d15 : (tensor<15000xi32>) -> tensor<15000xf64>
  %r15 = stablehlo.reshape %c15 : (tensor<15000xf64>) -> tensor<3x5000xf64>
  %p15 = stablehlo.iota dim = 1 : tensor<3x5000xi32>
  %z15 = stablehlo.constant dense<0> : tensor<i32>
  %start_max15 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %max15:2 = stablehlo.reduce(%r15 init: %start_max15), (%p15 init: %z15) across dimensions = [1] : (tensor<3x5000xf64>, tensor<3x5000xi32>, tensor<f64>, tensor<i32>) -> (tensor<3xf64>, tensor<3xi32>)
      reducer(%a: tensor<f64>, %b: tensor<f64>) (%i: tensor<i32>, %j: tensor<i32>) {
      %g = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %n = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %t = stablehlo.or %g, %n : tensor<i1>
      %e = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %l = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %f = stablehlo.and %e, %l : tensor<i1>
      %s = stablehlo.or %t, %f : tensor<i1>
      %v = stablehlo.select %t, %a, %b : tensor<i1>, tensor<f64>
      %p = stablehlo.select %s, %i, %j : tensor<i1>, tensor<i32>
        stablehlo.return %v, %p : tensor<f64>, tensor<i32>
      }
  // CHECK: s32[3] 61 8 52
  %start_min15 = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
  %min15:2 = stablehlo.reduce(%r15 init: %start_min15), (%p15 init: %z15) across dimensions = [1] : (tensor<3x5000xf64>, tensor<3x5000xi32>, tensor<f64>, tensor<i32>) -> (tensor<3xf64>, tensor<3xi32>)
      reducer(%a: tensor<f64>, %b: tensor<f64>) (%i: tensor<i32>, %j: tensor<i32>) {
      %g = stablehlo.compare LT, %a, %b, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %n = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %t = stablehlo.or %g, %n : tensor<i1>
      %e = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %l = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %f = stablehlo.and %e, %l : tensor<i1>
      %s = stablehlo.or %t, %f : tensor<i1>
      %v = stablehlo.select %t, %a, %b : tensor<i1>, tensor<f64>
      %p = stablehlo.select %s, %i, %j : tensor<i1>, tensor<i32>
        stablehlo.return %v, %p : tensor<f64>, tensor<i32>
      }
  // CHECK: s32[3] 0 44 88
  %i16 = stablehlo.iota dim = 0 : tensor<360xi32>
  %a16 = stablehlo.constant dense<7919> : tensor<360xi32>
  %m16 = stablehlo.multiply %i16, %a16 : tensor<360xi32>
  %b16 = stablehlo.constant dense<97> : tensor<360xi32>
  %q16 = stablehlo.remainder %m16, %b16 : tensor<360xi32>
  %h16 = stablehlo.constant dense<48> : tensor<360xi32>
  %d16 = stablehlo.subtract %q16, %h16 : tensor<360xi32>
  %c16 = stablehlo.convert %d16 : (tensor<360xi32>) -> tensor<360xf32>
  %r16 = stablehlo.reshape %c16 : (tensor<360xf32>) -> tensor<6x60xf32>
  %s16 = stablehlo.constant dense<[[0x7FC00000], [0xFF800000], [0x7F800000], [0.0], [-0.0], [1.0]]> : tensor<6x1xf32>
  %o16 = stablehlo.slice %r16 [0:6, 0:53] : (tensor<6x60xf32>) -> tensor<6x53xf32>
  %u16 = stablehlo.slice %r16 [0:6, 53:58] : (tensor<6x60xf32>) -> tensor<6x5xf32>
  %x16 = stablehlo.concatenate %o16, %s16, %u16, %s16, dim = 1 : (tensor<6x53xf32>, tensor<6x1xf32>, tensor<6x5xf32>, tensor<6x1xf32>) -> tensor<6x60xf32>
  %y16 = stablehlo.optimization_barrier %x16 : tensor<6x60xf32>
  %p16 = stablehlo.iota dim = 1 : tensor<6x60xi32>
  %z16 = stablehlo.constant dense<0> : tensor<i32>
  %start_max16 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %max16:2 = stablehlo.reduce(%y16 init: %start_max16), (%p16 init: %z16) across dimensions = [1] : (tensor<6x60xf32>, tensor<6x60xi32>, tensor<f32>, tensor<i32>) -> (tensor<6xf32>, tensor<6xi32>)
      reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
      %w = stablehlo.compare GT, %b, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %an = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %bn = stablehlo.compare NE, %b, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %o = stablehlo.or %w, %bn : tensor<i1>
      %n = stablehlo.not %an : tensor<i1>
      %s = stablehlo.and %o, %n : tensor<i1>
      %v = stablehlo.select %s, %b, %a : tensor<i1>, tensor<f32>
      %p = stablehlo.select %s, %j, %i : tensor<i1>, tensor<i32>
        stablehlo.return %v, %p : tensor<f32>, tensor<i32>
      }
  // CHECK: s32[6] 53 1 53 39 15 52
  // CHECK: f32[6] NaN 48 +Inf 47 48 48
  %start_min16 = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %min16:2 = stablehlo.reduce(%y16 init: %start_min16), (%p16 init: %z16) across dimensions = [1] : (tensor<6x60xf32>, tensor<6x60xi32>, tensor<f32>, tensor<i32>) -> (tensor<6xf32>, tensor<6xi32>)
      reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
      %w = stablehlo.compare LT, %b, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %an = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %bn = stablehlo.compare NE, %b, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %o = stablehlo.or %w, %bn : tensor<i1>
      %n = stablehlo.not %an : tensor<i1>
      %s = stablehlo.and %o, %n : tensor<i1>
      %v = stablehlo.select %s, %b, %a : tensor<i1>, tensor<f32>
      %p = stablehlo.select %s, %j, %i : tensor<i1>, tensor<i32>
        stablehlo.return %v, %p : tensor<f32>, tensor<i32>
      }
  // CHECK: s32[6] 53 53 13 14 51 27
  return %max0#1, %max0#0, %min0#1, %max1#1, %max1#0, %min1#1, %max2#1, %max2#0, %min2#1, %max3#1, %max3#0, %min3#1, %max4#1, %min4#1, %max5#1, %min5#1, %max6#1, %min6#1, %max7#1, %min7#1, %max8#1, %min8#1, %max9#1, %min9#1, %max10#1, %min10#1, %max11#1, %min11#1, %max12#1, %min12#1, %max13#1, %min13#1, %max14#1, %min14#1, %max15#1, %min15#1, %max16#1, %max16#0, %min16#1 : tensor<6xi32>, tensor<6xf32>, tensor<6xi32>, tensor<6xi32>, tensor<6xf32>, tensor<6xi32>, tensor<6xi32>, tensor<6xf32>, tensor<6xi32>, tensor<6xi32>, tensor<6xf32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<6xi32>, tensor<6xf32>, tensor<6xi32>
}
