// RUN: xla-run %s --backend=reference | FileCheck %s
// RUN: xla-run %s --backend=native | FileCheck %s

// Where the first extreme of each of a few long columns is: equal numbers, a
// column of NaNs from some row on, and one of the worst number alone.
func.func @main() -> (tensor<1x3xi32>, tensor<2x2xi32>, tensor<1x3xi32>, tensor<3x5xi32>, tensor<1x7xi32>, tensor<1x15xi32>, tensor<2x12xi32>, tensor<2x8xi32>, tensor<1x4xi32>, tensor<1x6xi32>) {
  %b0 = stablehlo.iota dim = 0 : tensor<1x1000x3xi32>
  %r0 = stablehlo.iota dim = 1 : tensor<1x1000x3xi32>
  %c0 = stablehlo.iota dim = 2 : tensor<1x1000x3xi32>
  %k0 = stablehlo.constant dense<37> : tensor<1x1000x3xi32>
  %l0 = stablehlo.constant dense<11> : tensor<1x1000x3xi32>
  %m0 = stablehlo.constant dense<5> : tensor<1x1000x3xi32>
  %o0 = stablehlo.constant dense<101> : tensor<1x1000x3xi32>
  %kr0 = stablehlo.multiply %k0, %r0 : tensor<1x1000x3xi32>
  %lc0 = stablehlo.multiply %l0, %c0 : tensor<1x1000x3xi32>
  %mb0 = stablehlo.multiply %m0, %b0 : tensor<1x1000x3xi32>
  %u0 = stablehlo.add %kr0, %lc0 : tensor<1x1000x3xi32>
  %v0 = stablehlo.add %u0, %mb0 : tensor<1x1000x3xi32>
  %w0 = stablehlo.remainder %v0, %o0 : tensor<1x1000x3xi32>
  %f0 = stablehlo.convert %w0 : (tensor<1x1000x3xi32>) -> tensor<1x1000x3xf32>
  %nan0 = stablehlo.constant dense<0x7FC00000> : tensor<1x1000x3xf32>
  %worst0 = stablehlo.constant dense<0xFF800000> : tensor<1x1000x3xf32>
  %one0 = stablehlo.constant dense<1> : tensor<1x1000x3xi32>
  %none0 = stablehlo.constant dense<0> : tensor<1x1000x3xi32>
  %sixty0 = stablehlo.constant dense<60> : tensor<1x1000x3xi32>
  %isone0 = stablehlo.compare EQ, %c0, %one0, SIGNED : (tensor<1x1000x3xi32>, tensor<1x1000x3xi32>) -> tensor<1x1000x3xi1>
  %late0 = stablehlo.compare GE, %r0, %sixty0, SIGNED : (tensor<1x1000x3xi32>, tensor<1x1000x3xi32>) -> tensor<1x1000x3xi1>
  %isnan0 = stablehlo.and %isone0, %late0 : tensor<1x1000x3xi1>
  %isworst0 = stablehlo.compare EQ, %c0, %none0, SIGNED : (tensor<1x1000x3xi32>, tensor<1x1000x3xi32>) -> tensor<1x1000x3xi1>
  %g0 = stablehlo.select %isnan0, %nan0, %f0 : tensor<1x1000x3xi1>, tensor<1x1000x3xf32>
  %h0 = stablehlo.select %isworst0, %worst0, %g0 : tensor<1x1000x3xi1>, tensor<1x1000x3xf32>
  %x0 = stablehlo.optimization_barrier %h0 : tensor<1x1000x3xf32>
  %p0 = stablehlo.iota dim = 1 : tensor<1x1000x3xi32>
  %s0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %z0 = stablehlo.constant dense<0> : tensor<i32>
  %q0:2 = stablehlo.reduce(%x0 init: %s0), (%p0 init: %z0) across dimensions = [1] : (tensor<1x1000x3xf32>, tensor<1x1000x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<1x3xf32>, tensor<1x3xi32>)
      reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
      %g = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %n = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %t = stablehlo.or %g, %n : tensor<i1>
      %e = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %l = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %f = stablehlo.and %e, %l : tensor<i1>
      %s = stablehlo.or %t, %f : tensor<i1>
      %v = stablehlo.select %t, %a, %b : tensor<i1>, tensor<f32>
      %q = stablehlo.select %s, %i, %j : tensor<i1>, tensor<i32>
        stablehlo.return %v, %q : tensor<f32>, tensor<i32>
      }
  // CHECK: s32[1,3] 0 60 84
  %b1 = stablehlo.iota dim = 0 : tensor<2x101x2xi32>
  %r1 = stablehlo.iota dim = 1 : tensor<2x101x2xi32>
  %c1 = stablehlo.iota dim = 2 : tensor<2x101x2xi32>
  %k1 = stablehlo.constant dense<37> : tensor<2x101x2xi32>
  %l1 = stablehlo.constant dense<11> : tensor<2x101x2xi32>
  %m1 = stablehlo.constant dense<5> : tensor<2x101x2xi32>
  %o1 = stablehlo.constant dense<101> : tensor<2x101x2xi32>
  %kr1 = stablehlo.multiply %k1, %r1 : tensor<2x101x2xi32>
  %lc1 = stablehlo.multiply %l1, %c1 : tensor<2x101x2xi32>
  %mb1 = stablehlo.multiply %m1, %b1 : tensor<2x101x2xi32>
  %u1 = stablehlo.add %kr1, %lc1 : tensor<2x101x2xi32>
  %v1 = stablehlo.add %u1, %mb1 : tensor<2x101x2xi32>
  %w1 = stablehlo.remainder %v1, %o1 : tensor<2x101x2xi32>
  %f1 = stablehlo.convert %w1 : (tensor<2x101x2xi32>) -> tensor<2x101x2xf32>
  %nan1 = stablehlo.constant dense<0x7FC00000> : tensor<2x101x2xf32>
  %worst1 = stablehlo.constant dense<0x7F800000> : tensor<2x101x2xf32>
  %one1 = stablehlo.constant dense<1> : tensor<2x101x2xi32>
  %none1 = stablehlo.constant dense<0> : tensor<2x101x2xi32>
  %sixty1 = stablehlo.constant dense<60> : tensor<2x101x2xi32>
  %isone1 = stablehlo.compare EQ, %c1, %one1, SIGNED : (tensor<2x101x2xi32>, tensor<2x101x2xi32>) -> tensor<2x101x2xi1>
  %late1 = stablehlo.compare GE, %r1, %sixty1, SIGNED : (tensor<2x101x2xi32>, tensor<2x101x2xi32>) -> tensor<2x101x2xi1>
  %isnan1 = stablehlo.and %isone1, %late1 : tensor<2x101x2xi1>
  %isworst1 = stablehlo.compare EQ, %c1, %none1, SIGNED : (tensor<2x101x2xi32>, tensor<2x101x2xi32>) -> tensor<2x101x2xi1>
  %g1 = stablehlo.select %isnan1, %nan1, %f1 : tensor<2x101x2xi1>, tensor<2x101x2xf32>
  %h1 = stablehlo.select %isworst1, %worst1, %g1 : tensor<2x101x2xi1>, tensor<2x101x2xf32>
  %x1 = stablehlo.optimization_barrier %h1 : tensor<2x101x2xf32>
  %p1 = stablehlo.iota dim = 1 : tensor<2x101x2xi32>
  %s1 = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %z1 = stablehlo.constant dense<0> : tensor<i32>
  %q1:2 = stablehlo.reduce(%x1 init: %s1), (%p1 init: %z1) across dimensions = [1] : (tensor<2x101x2xf32>, tensor<2x101x2xi32>, tensor<f32>, tensor<i32>) -> (tensor<2x2xf32>, tensor<2x2xi32>)
      reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
      %g = stablehlo.compare LT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %n = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %t = stablehlo.or %g, %n : tensor<i1>
      %e = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %l = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %f = stablehlo.and %e, %l : tensor<i1>
      %s = stablehlo.or %t, %f : tensor<i1>
      %v = stablehlo.select %t, %a, %b : tensor<i1>, tensor<f32>
      %q = stablehlo.select %s, %i, %j : tensor<i1>, tensor<i32>
        stablehlo.return %v, %q : tensor<f32>, tensor<i32>
      }
  // CHECK: s32[2,2] 0 60 0 60
  %b2 = stablehlo.iota dim = 0 : tensor<1x517x3xi32>
  %r2 = stablehlo.iota dim = 1 : tensor<1x517x3xi32>
  %c2 = stablehlo.iota dim = 2 : tensor<1x517x3xi32>
  %k2 = stablehlo.constant dense<37> : tensor<1x517x3xi32>
  %l2 = stablehlo.constant dense<11> : tensor<1x517x3xi32>
  %m2 = stablehlo.constant dense<5> : tensor<1x517x3xi32>
  %o2 = stablehlo.constant dense<101> : tensor<1x517x3xi32>
  %kr2 = stablehlo.multiply %k2, %r2 : tensor<1x517x3xi32>
  %lc2 = stablehlo.multiply %l2, %c2 : tensor<1x517x3xi32>
  %mb2 = stablehlo.multiply %m2, %b2 : tensor<1x517x3xi32>
  %u2 = stablehlo.add %kr2, %lc2 : tensor<1x517x3xi32>
  %v2 = stablehlo.add %u2, %mb2 : tensor<1x517x3xi32>
  %w2 = stablehlo.remainder %v2, %o2 : tensor<1x517x3xi32>
  %f2 = stablehlo.convert %w2 : (tensor<1x517x3xi32>) -> tensor<1x517x3xf64>
  %nan2 = stablehlo.constant dense<0x7FF8000000000000> : tensor<1x517x3xf64>
  %worst2 = stablehlo.constant dense<0xFFF0000000000000> : tensor<1x517x3xf64>
  %one2 = stablehlo.constant dense<1> : tensor<1x517x3xi32>
  %none2 = stablehlo.constant dense<0> : tensor<1x517x3xi32>
  %sixty2 = stablehlo.constant dense<60> : tensor<1x517x3xi32>
  %isone2 = stablehlo.compare EQ, %c2, %one2, SIGNED : (tensor<1x517x3xi32>, tensor<1x517x3xi32>) -> tensor<1x517x3xi1>
  %late2 = stablehlo.compare GE, %r2, %sixty2, SIGNED : (tensor<1x517x3xi32>, tensor<1x517x3xi32>) -> tensor<1x517x3xi1>
  %isnan2 = stablehlo.and %isone2, %late2 : tensor<1x517x3xi1>
  %isworst2 = stablehlo.compare EQ, %c2, %none2, SIGNED : (tensor<1x517x3xi32>, tensor<1x517x3xi32>) -> tensor<1x517x3xi1>
  %g2 = stablehlo.select %isnan2, %nan2, %f2 : tensor<1x517x3xi1>, tensor<1x517x3xf64>
  %h2 = stablehlo.select %isworst2, %worst2, %g2 : tensor<1x517x3xi1>, tensor<1x517x3xf64>
  %x2 = stablehlo.optimization_barrier %h2 : tensor<1x517x3xf64>
  %p2 = stablehlo.iota dim = 1 : tensor<1x517x3xi32>
  %s2 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %z2 = stablehlo.constant dense<0> : tensor<i32>
  %q2:2 = stablehlo.reduce(%x2 init: %s2), (%p2 init: %z2) across dimensions = [1] : (tensor<1x517x3xf64>, tensor<1x517x3xi32>, tensor<f64>, tensor<i32>) -> (tensor<1x3xf64>, tensor<1x3xi32>)
      reducer(%a: tensor<f64>, %b: tensor<f64>) (%i: tensor<i32>, %j: tensor<i32>) {
      %g = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %n = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %t = stablehlo.or %g, %n : tensor<i1>
      %e = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %l = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %f = stablehlo.and %e, %l : tensor<i1>
      %s = stablehlo.or %t, %f : tensor<i1>
      %v = stablehlo.select %t, %a, %b : tensor<i1>, tensor<f64>
      %q = stablehlo.select %s, %i, %j : tensor<i1>, tensor<i32>
        stablehlo.return %v, %q : tensor<f64>, tensor<i32>
      }
  // CHECK: s32[1,3] 0 60 84
  %b3 = stablehlo.iota dim = 0 : tensor<3x64x5xi32>
  %r3 = stablehlo.iota dim = 1 : tensor<3x64x5xi32>
  %c3 = stablehlo.iota dim = 2 : tensor<3x64x5xi32>
  %k3 = stablehlo.constant dense<37> : tensor<3x64x5xi32>
  %l3 = stablehlo.constant dense<11> : tensor<3x64x5xi32>
  %m3 = stablehlo.constant dense<5> : tensor<3x64x5xi32>
  %o3 = stablehlo.constant dense<101> : tensor<3x64x5xi32>
  %kr3 = stablehlo.multiply %k3, %r3 : tensor<3x64x5xi32>
  %lc3 = stablehlo.multiply %l3, %c3 : tensor<3x64x5xi32>
  %mb3 = stablehlo.multiply %m3, %b3 : tensor<3x64x5xi32>
  %u3 = stablehlo.add %kr3, %lc3 : tensor<3x64x5xi32>
  %v3 = stablehlo.add %u3, %mb3 : tensor<3x64x5xi32>
  %w3 = stablehlo.remainder %v3, %o3 : tensor<3x64x5xi32>
  %f3 = stablehlo.convert %w3 : (tensor<3x64x5xi32>) -> tensor<3x64x5xi32>
  %x3 = stablehlo.optimization_barrier %f3 : tensor<3x64x5xi32>
  %p3 = stablehlo.iota dim = 1 : tensor<3x64x5xi32>
  %s3 = stablehlo.constant dense<2147483647> : tensor<i32>
  %z3 = stablehlo.constant dense<0> : tensor<i32>
  %q3:2 = stablehlo.reduce(%x3 init: %s3), (%p3 init: %z3) across dimensions = [1] : (tensor<3x64x5xi32>, tensor<3x64x5xi32>, tensor<i32>, tensor<i32>) -> (tensor<3x5xi32>, tensor<3x5xi32>)
      reducer(%a: tensor<i32>, %b: tensor<i32>) (%i: tensor<i32>, %j: tensor<i32>) {
      %g = stablehlo.compare LT, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %t = stablehlo.or %g, %g : tensor<i1>
      %e = stablehlo.compare EQ, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %l = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %f = stablehlo.and %e, %l : tensor<i1>
      %s = stablehlo.or %t, %f : tensor<i1>
      %v = stablehlo.select %t, %a, %b : tensor<i1>, tensor<i32>
      %q = stablehlo.select %s, %i, %j : tensor<i1>, tensor<i32>
        stablehlo.return %v, %q : tensor<i32>, tensor<i32>
      }
  // CHECK: s32[3,5] 0 27 54 51 7 49 46 2 29 56 38 24 51 48 4
  %b4 = stablehlo.iota dim = 0 : tensor<1x65x7xi32>
  %r4 = stablehlo.iota dim = 1 : tensor<1x65x7xi32>
  %c4 = stablehlo.iota dim = 2 : tensor<1x65x7xi32>
  %k4 = stablehlo.constant dense<37> : tensor<1x65x7xi32>
  %l4 = stablehlo.constant dense<11> : tensor<1x65x7xi32>
  %m4 = stablehlo.constant dense<5> : tensor<1x65x7xi32>
  %o4 = stablehlo.constant dense<101> : tensor<1x65x7xi32>
  %kr4 = stablehlo.multiply %k4, %r4 : tensor<1x65x7xi32>
  %lc4 = stablehlo.multiply %l4, %c4 : tensor<1x65x7xi32>
  %mb4 = stablehlo.multiply %m4, %b4 : tensor<1x65x7xi32>
  %u4 = stablehlo.add %kr4, %lc4 : tensor<1x65x7xi32>
  %v4 = stablehlo.add %u4, %mb4 : tensor<1x65x7xi32>
  %w4 = stablehlo.remainder %v4, %o4 : tensor<1x65x7xi32>
  %f4 = stablehlo.convert %w4 : (tensor<1x65x7xi32>) -> tensor<1x65x7xf32>
  %nan4 = stablehlo.constant dense<0x7FC00000> : tensor<1x65x7xf32>
  %worst4 = stablehlo.constant dense<0xFF800000> : tensor<1x65x7xf32>
  %one4 = stablehlo.constant dense<1> : tensor<1x65x7xi32>
  %none4 = stablehlo.constant dense<0> : tensor<1x65x7xi32>
  %sixty4 = stablehlo.constant dense<60> : tensor<1x65x7xi32>
  %isone4 = stablehlo.compare EQ, %c4, %one4, SIGNED : (tensor<1x65x7xi32>, tensor<1x65x7xi32>) -> tensor<1x65x7xi1>
  %late4 = stablehlo.compare GE, %r4, %sixty4, SIGNED : (tensor<1x65x7xi32>, tensor<1x65x7xi32>) -> tensor<1x65x7xi1>
  %isnan4 = stablehlo.and %isone4, %late4 : tensor<1x65x7xi1>
  %isworst4 = stablehlo.compare EQ, %c4, %none4, SIGNED : (tensor<1x65x7xi32>, tensor<1x65x7xi32>) -> tensor<1x65x7xi1>
  %g4 = stablehlo.select %isnan4, %nan4, %f4 : tensor<1x65x7xi1>, tensor<1x65x7xf32>
  %h4 = stablehlo.select %isworst4, %worst4, %g4 : tensor<1x65x7xi1>, tensor<1x65x7xf32>
  %x4 = stablehlo.optimization_barrier %h4 : tensor<1x65x7xf32>
  %p4 = stablehlo.iota dim = 1 : tensor<1x65x7xi32>
  %s4 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %z4 = stablehlo.constant dense<0> : tensor<i32>
  %q4:2 = stablehlo.reduce(%x4 init: %s4), (%p4 init: %z4) across dimensions = [1] : (tensor<1x65x7xf32>, tensor<1x65x7xi32>, tensor<f32>, tensor<i32>) -> (tensor<1x7xf32>, tensor<1x7xi32>)
      reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
      %g = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %n = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %t = stablehlo.or %g, %n : tensor<i1>
      %e = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %l = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %f = stablehlo.and %e, %l : tensor<i1>
      %s = stablehlo.or %t, %f : tensor<i1>
      %v = stablehlo.select %t, %a, %b : tensor<i1>, tensor<f32>
      %q = stablehlo.select %s, %i, %j : tensor<i1>, tensor<i32>
        stablehlo.return %v, %q : tensor<f32>, tensor<i32>
      }
  // CHECK: s32[1,7] 0 60 13 10 37 64 20
  %b5 = stablehlo.iota dim = 0 : tensor<1x130x15xi32>
  %r5 = stablehlo.iota dim = 1 : tensor<1x130x15xi32>
  %c5 = stablehlo.iota dim = 2 : tensor<1x130x15xi32>
  %k5 = stablehlo.constant dense<37> : tensor<1x130x15xi32>
  %l5 = stablehlo.constant dense<11> : tensor<1x130x15xi32>
  %m5 = stablehlo.constant dense<5> : tensor<1x130x15xi32>
  %o5 = stablehlo.constant dense<101> : tensor<1x130x15xi32>
  %kr5 = stablehlo.multiply %k5, %r5 : tensor<1x130x15xi32>
  %lc5 = stablehlo.multiply %l5, %c5 : tensor<1x130x15xi32>
  %mb5 = stablehlo.multiply %m5, %b5 : tensor<1x130x15xi32>
  %u5 = stablehlo.add %kr5, %lc5 : tensor<1x130x15xi32>
  %v5 = stablehlo.add %u5, %mb5 : tensor<1x130x15xi32>
  %w5 = stablehlo.remainder %v5, %o5 : tensor<1x130x15xi32>
  %f5 = stablehlo.convert %w5 : (tensor<1x130x15xi32>) -> tensor<1x130x15xf32>
  %nan5 = stablehlo.constant dense<0x7FC00000> : tensor<1x130x15xf32>
  %worst5 = stablehlo.constant dense<0x7F800000> : tensor<1x130x15xf32>
  %one5 = stablehlo.constant dense<1> : tensor<1x130x15xi32>
  %none5 = stablehlo.constant dense<0> : tensor<1x130x15xi32>
  %sixty5 = stablehlo.constant dense<60> : tensor<1x130x15xi32>
  %isone5 = stablehlo.compare EQ, %c5, %one5, SIGNED : (tensor<1x130x15xi32>, tensor<1x130x15xi32>) -> tensor<1x130x15xi1>
  %late5 = stablehlo.compare GE, %r5, %sixty5, SIGNED : (tensor<1x130x15xi32>, tensor<1x130x15xi32>) -> tensor<1x130x15xi1>
  %isnan5 = stablehlo.and %isone5, %late5 : tensor<1x130x15xi1>
  %isworst5 = stablehlo.compare EQ, %c5, %none5, SIGNED : (tensor<1x130x15xi32>, tensor<1x130x15xi32>) -> tensor<1x130x15xi1>
  %g5 = stablehlo.select %isnan5, %nan5, %f5 : tensor<1x130x15xi1>, tensor<1x130x15xf32>
  %h5 = stablehlo.select %isworst5, %worst5, %g5 : tensor<1x130x15xi1>, tensor<1x130x15xf32>
  %x5 = stablehlo.optimization_barrier %h5 : tensor<1x130x15xf32>
  %p5 = stablehlo.iota dim = 1 : tensor<1x130x15xi32>
  %s5 = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %z5 = stablehlo.constant dense<0> : tensor<i32>
  %q5:2 = stablehlo.reduce(%x5 init: %s5), (%p5 init: %z5) across dimensions = [1] : (tensor<1x130x15xf32>, tensor<1x130x15xi32>, tensor<f32>, tensor<i32>) -> (tensor<1x15xf32>, tensor<1x15xi32>)
      reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
      %g = stablehlo.compare LT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %n = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %t = stablehlo.or %g, %n : tensor<i1>
      %e = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %l = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %f = stablehlo.and %e, %l : tensor<i1>
      %s = stablehlo.or %t, %f : tensor<i1>
      %v = stablehlo.select %t, %a, %b : tensor<i1>, tensor<f32>
      %q = stablehlo.select %s, %i, %j : tensor<i1>, tensor<i32>
        stablehlo.return %v, %q : tensor<f32>, tensor<i32>
      }
  // CHECK: s32[1,15] 0 60 54 81 7 34 61 88 14 41 68 95 21 48 75
  %b6 = stablehlo.iota dim = 0 : tensor<2x64x12xi32>
  %r6 = stablehlo.iota dim = 1 : tensor<2x64x12xi32>
  %c6 = stablehlo.iota dim = 2 : tensor<2x64x12xi32>
  %k6 = stablehlo.constant dense<37> : tensor<2x64x12xi32>
  %l6 = stablehlo.constant dense<11> : tensor<2x64x12xi32>
  %m6 = stablehlo.constant dense<5> : tensor<2x64x12xi32>
  %o6 = stablehlo.constant dense<101> : tensor<2x64x12xi32>
  %kr6 = stablehlo.multiply %k6, %r6 : tensor<2x64x12xi32>
  %lc6 = stablehlo.multiply %l6, %c6 : tensor<2x64x12xi32>
  %mb6 = stablehlo.multiply %m6, %b6 : tensor<2x64x12xi32>
  %u6 = stablehlo.add %kr6, %lc6 : tensor<2x64x12xi32>
  %v6 = stablehlo.add %u6, %mb6 : tensor<2x64x12xi32>
  %w6 = stablehlo.remainder %v6, %o6 : tensor<2x64x12xi32>
  %f6 = stablehlo.convert %w6 : (tensor<2x64x12xi32>) -> tensor<2x64x12xi32>
  %x6 = stablehlo.optimization_barrier %f6 : tensor<2x64x12xi32>
  %p6 = stablehlo.iota dim = 1 : tensor<2x64x12xi32>
  %s6 = stablehlo.constant dense<-2147483648> : tensor<i32>
  %z6 = stablehlo.constant dense<0> : tensor<i32>
  %q6:2 = stablehlo.reduce(%x6 init: %s6), (%p6 init: %z6) across dimensions = [1] : (tensor<2x64x12xi32>, tensor<2x64x12xi32>, tensor<i32>, tensor<i32>) -> (tensor<2x12xi32>, tensor<2x12xi32>)
      reducer(%a: tensor<i32>, %b: tensor<i32>) (%i: tensor<i32>, %j: tensor<i32>) {
      %g = stablehlo.compare GT, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %t = stablehlo.or %g, %g : tensor<i1>
      %e = stablehlo.compare EQ, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %l = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %f = stablehlo.and %e, %l : tensor<i1>
      %s = stablehlo.or %t, %f : tensor<i1>
      %v = stablehlo.select %t, %a, %b : tensor<i1>, tensor<i32>
      %q = stablehlo.select %s, %i, %j : tensor<i1>, tensor<i32>
        stablehlo.return %v, %q : tensor<i32>, tensor<i32>
      }
  // CHECK: s32[2,12] 30 57 13 10 37 23 20 17 44 0 27 24 8 5 32 59 15 12 39 25 22 19 46 2
  %b7 = stablehlo.iota dim = 0 : tensor<2x300x8xi32>
  %r7 = stablehlo.iota dim = 1 : tensor<2x300x8xi32>
  %c7 = stablehlo.iota dim = 2 : tensor<2x300x8xi32>
  %k7 = stablehlo.constant dense<37> : tensor<2x300x8xi32>
  %l7 = stablehlo.constant dense<11> : tensor<2x300x8xi32>
  %m7 = stablehlo.constant dense<5> : tensor<2x300x8xi32>
  %o7 = stablehlo.constant dense<101> : tensor<2x300x8xi32>
  %kr7 = stablehlo.multiply %k7, %r7 : tensor<2x300x8xi32>
  %lc7 = stablehlo.multiply %l7, %c7 : tensor<2x300x8xi32>
  %mb7 = stablehlo.multiply %m7, %b7 : tensor<2x300x8xi32>
  %u7 = stablehlo.add %kr7, %lc7 : tensor<2x300x8xi32>
  %v7 = stablehlo.add %u7, %mb7 : tensor<2x300x8xi32>
  %w7 = stablehlo.remainder %v7, %o7 : tensor<2x300x8xi32>
  %f7 = stablehlo.convert %w7 : (tensor<2x300x8xi32>) -> tensor<2x300x8xf64>
  %nan7 = stablehlo.constant dense<0x7FF8000000000000> : tensor<2x300x8xf64>
  %worst7 = stablehlo.constant dense<0x7FF0000000000000> : tensor<2x300x8xf64>
  %one7 = stablehlo.constant dense<1> : tensor<2x300x8xi32>
  %none7 = stablehlo.constant dense<0> : tensor<2x300x8xi32>
  %sixty7 = stablehlo.constant dense<60> : tensor<2x300x8xi32>
  %isone7 = stablehlo.compare EQ, %c7, %one7, SIGNED : (tensor<2x300x8xi32>, tensor<2x300x8xi32>) -> tensor<2x300x8xi1>
  %late7 = stablehlo.compare GE, %r7, %sixty7, SIGNED : (tensor<2x300x8xi32>, tensor<2x300x8xi32>) -> tensor<2x300x8xi1>
  %isnan7 = stablehlo.and %isone7, %late7 : tensor<2x300x8xi1>
  %isworst7 = stablehlo.compare EQ, %c7, %none7, SIGNED : (tensor<2x300x8xi32>, tensor<2x300x8xi32>) -> tensor<2x300x8xi1>
  %g7 = stablehlo.select %isnan7, %nan7, %f7 : tensor<2x300x8xi1>, tensor<2x300x8xf64>
  %h7 = stablehlo.select %isworst7, %worst7, %g7 : tensor<2x300x8xi1>, tensor<2x300x8xf64>
  %x7 = stablehlo.optimization_barrier %h7 : tensor<2x300x8xf64>
  %p7 = stablehlo.iota dim = 1 : tensor<2x300x8xi32>
  %s7 = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
  %z7 = stablehlo.constant dense<0> : tensor<i32>
  %q7:2 = stablehlo.reduce(%x7 init: %s7), (%p7 init: %z7) across dimensions = [1] : (tensor<2x300x8xf64>, tensor<2x300x8xi32>, tensor<f64>, tensor<i32>) -> (tensor<2x8xf64>, tensor<2x8xi32>)
      reducer(%a: tensor<f64>, %b: tensor<f64>) (%i: tensor<i32>, %j: tensor<i32>) {
      %g = stablehlo.compare LT, %a, %b, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %n = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %t = stablehlo.or %g, %n : tensor<i1>
      %e = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %l = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %f = stablehlo.and %e, %l : tensor<i1>
      %s = stablehlo.or %t, %f : tensor<i1>
      %v = stablehlo.select %t, %a, %b : tensor<i1>, tensor<f64>
      %q = stablehlo.select %s, %i, %j : tensor<i1>, tensor<i32>
        stablehlo.return %v, %q : tensor<f64>, tensor<i32>
      }
  // CHECK: s32[2,8] 0 60 54 81 7 34 61 88 0 60 2 29 56 83 9 36
  %b8 = stablehlo.iota dim = 0 : tensor<1x333x4xi32>
  %r8 = stablehlo.iota dim = 1 : tensor<1x333x4xi32>
  %c8 = stablehlo.iota dim = 2 : tensor<1x333x4xi32>
  %k8 = stablehlo.constant dense<37> : tensor<1x333x4xi32>
  %l8 = stablehlo.constant dense<11> : tensor<1x333x4xi32>
  %m8 = stablehlo.constant dense<5> : tensor<1x333x4xi32>
  %o8 = stablehlo.constant dense<101> : tensor<1x333x4xi32>
  %kr8 = stablehlo.multiply %k8, %r8 : tensor<1x333x4xi32>
  %lc8 = stablehlo.multiply %l8, %c8 : tensor<1x333x4xi32>
  %mb8 = stablehlo.multiply %m8, %b8 : tensor<1x333x4xi32>
  %u8 = stablehlo.add %kr8, %lc8 : tensor<1x333x4xi32>
  %v8 = stablehlo.add %u8, %mb8 : tensor<1x333x4xi32>
  %w8 = stablehlo.remainder %v8, %o8 : tensor<1x333x4xi32>
  %f8 = stablehlo.convert %w8 : (tensor<1x333x4xi32>) -> tensor<1x333x4xf32>
  %nan8 = stablehlo.constant dense<0x7FC00000> : tensor<1x333x4xf32>
  %worst8 = stablehlo.constant dense<0xFF800000> : tensor<1x333x4xf32>
  %one8 = stablehlo.constant dense<1> : tensor<1x333x4xi32>
  %none8 = stablehlo.constant dense<0> : tensor<1x333x4xi32>
  %sixty8 = stablehlo.constant dense<60> : tensor<1x333x4xi32>
  %isone8 = stablehlo.compare EQ, %c8, %one8, SIGNED : (tensor<1x333x4xi32>, tensor<1x333x4xi32>) -> tensor<1x333x4xi1>
  %late8 = stablehlo.compare GE, %r8, %sixty8, SIGNED : (tensor<1x333x4xi32>, tensor<1x333x4xi32>) -> tensor<1x333x4xi1>
  %isnan8 = stablehlo.and %isone8, %late8 : tensor<1x333x4xi1>
  %isworst8 = stablehlo.compare EQ, %c8, %none8, SIGNED : (tensor<1x333x4xi32>, tensor<1x333x4xi32>) -> tensor<1x333x4xi1>
  %g8 = stablehlo.select %isnan8, %nan8, %f8 : tensor<1x333x4xi1>, tensor<1x333x4xf32>
  %h8 = stablehlo.select %isworst8, %worst8, %g8 : tensor<1x333x4xi1>, tensor<1x333x4xf32>
  %x8 = stablehlo.optimization_barrier %h8 : tensor<1x333x4xf32>
  %p8 = stablehlo.iota dim = 1 : tensor<1x333x4xi32>
  %s8 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %z8 = stablehlo.constant dense<0> : tensor<i32>
  %q8:2 = stablehlo.reduce(%x8 init: %s8), (%p8 init: %z8) across dimensions = [1] : (tensor<1x333x4xf32>, tensor<1x333x4xi32>, tensor<f32>, tensor<i32>) -> (tensor<1x4xf32>, tensor<1x4xi32>)
      reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
      %g = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %n = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %t = stablehlo.or %g, %n : tensor<i1>
      %e = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %l = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %f = stablehlo.and %e, %l : tensor<i1>
      %s = stablehlo.or %t, %f : tensor<i1>
      %v = stablehlo.select %t, %a, %b : tensor<i1>, tensor<f32>
      %q = stablehlo.select %s, %i, %j : tensor<i1>, tensor<i32>
        stablehlo.return %v, %q : tensor<f32>, tensor<i32>
      }
  // CHECK: s32[1,4] 0 60 84 10
  %b9 = stablehlo.iota dim = 0 : tensor<1x205x6xi32>
  %r9 = stablehlo.iota dim = 1 : tensor<1x205x6xi32>
  %c9 = stablehlo.iota dim = 2 : tensor<1x205x6xi32>
  %k9 = stablehlo.constant dense<37> : tensor<1x205x6xi32>
  %l9 = stablehlo.constant dense<11> : tensor<1x205x6xi32>
  %m9 = stablehlo.constant dense<5> : tensor<1x205x6xi32>
  %o9 = stablehlo.constant dense<101> : tensor<1x205x6xi32>
  %kr9 = stablehlo.multiply %k9, %r9 : tensor<1x205x6xi32>
  %lc9 = stablehlo.multiply %l9, %c9 : tensor<1x205x6xi32>
  %mb9 = stablehlo.multiply %m9, %b9 : tensor<1x205x6xi32>
  %u9 = stablehlo.add %kr9, %lc9 : tensor<1x205x6xi32>
  %v9 = stablehlo.add %u9, %mb9 : tensor<1x205x6xi32>
  %w9 = stablehlo.remainder %v9, %o9 : tensor<1x205x6xi32>
  %f9 = stablehlo.convert %w9 : (tensor<1x205x6xi32>) -> tensor<1x205x6xi64>
  %x9 = stablehlo.optimization_barrier %f9 : tensor<1x205x6xi64>
  %p9 = stablehlo.iota dim = 1 : tensor<1x205x6xi32>
  %s9 = stablehlo.constant dense<-9223372036854775808> : tensor<i64>
  %z9 = stablehlo.constant dense<0> : tensor<i32>
  %q9:2 = stablehlo.reduce(%x9 init: %s9), (%p9 init: %z9) across dimensions = [1] : (tensor<1x205x6xi64>, tensor<1x205x6xi32>, tensor<i64>, tensor<i32>) -> (tensor<1x6xi64>, tensor<1x6xi32>)
      reducer(%a: tensor<i64>, %b: tensor<i64>) (%i: tensor<i32>, %j: tensor<i32>) {
      %g = stablehlo.compare GT, %a, %b, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %t = stablehlo.or %g, %g : tensor<i1>
      %e = stablehlo.compare EQ, %a, %b, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %l = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %f = stablehlo.and %e, %l : tensor<i1>
      %s = stablehlo.or %t, %f : tensor<i1>
      %v = stablehlo.select %t, %a, %b : tensor<i1>, tensor<i64>
      %q = stablehlo.select %s, %i, %j : tensor<i1>, tensor<i32>
        stablehlo.return %v, %q : tensor<i64>, tensor<i32>
      }
  // CHECK: s32[1,6] 30 57 84 10 37 64
  return %q0#1, %q1#1, %q2#1, %q3#1, %q4#1, %q5#1, %q6#1, %q7#1, %q8#1, %q9#1 : tensor<1x3xi32>, tensor<2x2xi32>, tensor<1x3xi32>, tensor<3x5xi32>, tensor<1x7xi32>, tensor<1x15xi32>, tensor<2x12xi32>, tensor<2x8xi32>, tensor<1x4xi32>, tensor<1x6xi32>
}
