// RUN: xla-run %s --backend=reference | FileCheck %s
// RUN: xla-run %s --backend=native | FileCheck %s

// Where the first extreme of two to four elements is: NaNs, infinities, zeros of
// both signs, equal ones, integers; from the worst number on, and from another.
func.func @main() -> (tensor<9xi64>, tensor<9xi64>, tensor<9xi64>, tensor<9xi64>, tensor<9xi64>, tensor<9xi64>, tensor<9xi32>, tensor<9xi32>, tensor<9xi32>, tensor<9xi32>, tensor<9xi32>, tensor<9xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>, tensor<4xui8>, tensor<4xi64>, tensor<4xui8>, tensor<4xi64>, tensor<4xui8>, tensor<4xi64>, tensor<4xui8>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi64>, tensor<4xi32>, tensor<4xi64>, tensor<4xi32>, tensor<4xi64>, tensor<4xi32>, tensor<4xi64>) {
  %k0 = stablehlo.constant dense<[[1.0, 3.0], [3.0, 3.0], [0.0, -0.0], [-0.0, 0.0], [0x7FC00000, 1.0], [1.0, 0x7FC00000], [0xFF800000, 0xFF800000], [0x7F800000, 1.0], [5.0, 4.0]]> : tensor<9x2xf32>
  %x0 = stablehlo.optimization_barrier %k0 : tensor<9x2xf32>
  %p0 = stablehlo.iota dim = 1 : tensor<9x2xi64>
  %s0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %z0 = stablehlo.constant dense<0> : tensor<i64>
  %r0:2 = stablehlo.reduce(%x0 init: %s0), (%p0 init: %z0) across dimensions = [1] : (tensor<9x2xf32>, tensor<9x2xi64>, tensor<f32>, tensor<i64>) -> (tensor<9xf32>, tensor<9xi64>)
      reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i64>, %j: tensor<i64>) {
      %g = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %n = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %t = stablehlo.or %g, %n : tensor<i1>
      %e = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %l = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %f = stablehlo.and %e, %l : tensor<i1>
      %s = stablehlo.or %t, %f : tensor<i1>
      %v = stablehlo.select %t, %a, %b : tensor<i1>, tensor<f32>
      %q = stablehlo.select %s, %i, %j : tensor<i1>, tensor<i64>
        stablehlo.return %v, %q : tensor<f32>, tensor<i64>
      }
  // CHECK: s64[9] 1 0 0 0 0 1 0 0 0
  %k1 = stablehlo.constant dense<[[1.0, 3.0], [3.0, 3.0], [0.0, -0.0], [-0.0, 0.0], [0x7FC00000, 1.0], [1.0, 0x7FC00000], [0xFF800000, 0xFF800000], [0x7F800000, 1.0], [5.0, 4.0]]> : tensor<9x2xf32>
  %x1 = stablehlo.optimization_barrier %k1 : tensor<9x2xf32>
  %p1 = stablehlo.iota dim = 1 : tensor<9x2xi64>
  %s1 = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %z1 = stablehlo.constant dense<0> : tensor<i64>
  %r1:2 = stablehlo.reduce(%x1 init: %s1), (%p1 init: %z1) across dimensions = [1] : (tensor<9x2xf32>, tensor<9x2xi64>, tensor<f32>, tensor<i64>) -> (tensor<9xf32>, tensor<9xi64>)
      reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i64>, %j: tensor<i64>) {
      %g = stablehlo.compare LT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %n = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %t = stablehlo.or %g, %n : tensor<i1>
      %e = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %l = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %f = stablehlo.and %e, %l : tensor<i1>
      %s = stablehlo.or %t, %f : tensor<i1>
      %v = stablehlo.select %t, %a, %b : tensor<i1>, tensor<f32>
      %q = stablehlo.select %s, %i, %j : tensor<i1>, tensor<i64>
        stablehlo.return %v, %q : tensor<f32>, tensor<i64>
      }
  // CHECK: s64[9] 0 0 0 0 0 1 0 1 1
  %k2 = stablehlo.constant dense<[[1.0, 3.0, 3.0], [3.0, 3.0, 1.0], [0.0, -0.0, 0.0], [-0.0, 0.0, -0.0], [0x7FC00000, 1.0, 2.0], [1.0, 0x7FC00000, 5.0], [0xFF800000, 0xFF800000, 0xFF800000], [0x7F800000, 1.0, 0x7F800000], [5.0, 4.0, 3.0]]> : tensor<9x3xf32>
  %x2 = stablehlo.optimization_barrier %k2 : tensor<9x3xf32>
  %p2 = stablehlo.iota dim = 1 : tensor<9x3xi64>
  %s2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %z2 = stablehlo.constant dense<0> : tensor<i64>
  %r2:2 = stablehlo.reduce(%x2 init: %s2), (%p2 init: %z2) across dimensions = [1] : (tensor<9x3xf32>, tensor<9x3xi64>, tensor<f32>, tensor<i64>) -> (tensor<9xf32>, tensor<9xi64>)
      reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i64>, %j: tensor<i64>) {
      %g = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %n = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %t = stablehlo.or %g, %n : tensor<i1>
      %e = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %l = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %f = stablehlo.and %e, %l : tensor<i1>
      %s = stablehlo.or %t, %f : tensor<i1>
      %v = stablehlo.select %t, %a, %b : tensor<i1>, tensor<f32>
      %q = stablehlo.select %s, %i, %j : tensor<i1>, tensor<i64>
        stablehlo.return %v, %q : tensor<f32>, tensor<i64>
      }
  // CHECK: s64[9] 1 0 0 0 0 1 0 0 0
  %k3 = stablehlo.constant dense<[[1.0, 3.0, 3.0], [3.0, 3.0, 1.0], [0.0, -0.0, 0.0], [-0.0, 0.0, -0.0], [0x7FC00000, 1.0, 2.0], [1.0, 0x7FC00000, 5.0], [0xFF800000, 0xFF800000, 0xFF800000], [0x7F800000, 1.0, 0x7F800000], [5.0, 4.0, 3.0]]> : tensor<9x3xf32>
  %x3 = stablehlo.optimization_barrier %k3 : tensor<9x3xf32>
  %p3 = stablehlo.iota dim = 1 : tensor<9x3xi64>
  %s3 = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %z3 = stablehlo.constant dense<0> : tensor<i64>
  %r3:2 = stablehlo.reduce(%x3 init: %s3), (%p3 init: %z3) across dimensions = [1] : (tensor<9x3xf32>, tensor<9x3xi64>, tensor<f32>, tensor<i64>) -> (tensor<9xf32>, tensor<9xi64>)
      reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i64>, %j: tensor<i64>) {
      %g = stablehlo.compare LT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %n = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %t = stablehlo.or %g, %n : tensor<i1>
      %e = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %l = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %f = stablehlo.and %e, %l : tensor<i1>
      %s = stablehlo.or %t, %f : tensor<i1>
      %v = stablehlo.select %t, %a, %b : tensor<i1>, tensor<f32>
      %q = stablehlo.select %s, %i, %j : tensor<i1>, tensor<i64>
        stablehlo.return %v, %q : tensor<f32>, tensor<i64>
      }
  // CHECK: s64[9] 0 2 0 0 0 1 0 1 2
  %k4 = stablehlo.constant dense<[[1.0, 3.0, 3.0, 2.0], [3.0, 3.0, 1.0, 1.0], [0.0, -0.0, 0.0, -1.0], [-0.0, 0.0, -0.0, 0.0], [0x7FC00000, 1.0, 2.0, 3.0], [1.0, 0x7FC00000, 5.0, 0x7FC00000], [0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000], [0x7F800000, 1.0, 0x7F800000, 0.0], [5.0, 4.0, 3.0, 2.0]]> : tensor<9x4xf32>
  %x4 = stablehlo.optimization_barrier %k4 : tensor<9x4xf32>
  %p4 = stablehlo.iota dim = 1 : tensor<9x4xi64>
  %s4 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %z4 = stablehlo.constant dense<0> : tensor<i64>
  %r4:2 = stablehlo.reduce(%x4 init: %s4), (%p4 init: %z4) across dimensions = [1] : (tensor<9x4xf32>, tensor<9x4xi64>, tensor<f32>, tensor<i64>) -> (tensor<9xf32>, tensor<9xi64>)
      reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i64>, %j: tensor<i64>) {
      %g = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %n = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %t = stablehlo.or %g, %n : tensor<i1>
      %e = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %l = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %f = stablehlo.and %e, %l : tensor<i1>
      %s = stablehlo.or %t, %f : tensor<i1>
      %v = stablehlo.select %t, %a, %b : tensor<i1>, tensor<f32>
      %q = stablehlo.select %s, %i, %j : tensor<i1>, tensor<i64>
        stablehlo.return %v, %q : tensor<f32>, tensor<i64>
      }
  // CHECK: s64[9] 1 0 0 0 0 1 0 0 0
  %k5 = stablehlo.constant dense<[[1.0, 3.0, 3.0, 2.0], [3.0, 3.0, 1.0, 1.0], [0.0, -0.0, 0.0, -1.0], [-0.0, 0.0, -0.0, 0.0], [0x7FC00000, 1.0, 2.0, 3.0], [1.0, 0x7FC00000, 5.0, 0x7FC00000], [0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000], [0x7F800000, 1.0, 0x7F800000, 0.0], [5.0, 4.0, 3.0, 2.0]]> : tensor<9x4xf32>
  %x5 = stablehlo.optimization_barrier %k5 : tensor<9x4xf32>
  %p5 = stablehlo.iota dim = 1 : tensor<9x4xi64>
  %s5 = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %z5 = stablehlo.constant dense<0> : tensor<i64>
  %r5:2 = stablehlo.reduce(%x5 init: %s5), (%p5 init: %z5) across dimensions = [1] : (tensor<9x4xf32>, tensor<9x4xi64>, tensor<f32>, tensor<i64>) -> (tensor<9xf32>, tensor<9xi64>)
      reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i64>, %j: tensor<i64>) {
      %g = stablehlo.compare LT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %n = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %t = stablehlo.or %g, %n : tensor<i1>
      %e = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %l = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %f = stablehlo.and %e, %l : tensor<i1>
      %s = stablehlo.or %t, %f : tensor<i1>
      %v = stablehlo.select %t, %a, %b : tensor<i1>, tensor<f32>
      %q = stablehlo.select %s, %i, %j : tensor<i1>, tensor<i64>
        stablehlo.return %v, %q : tensor<f32>, tensor<i64>
      }
  // CHECK: s64[9] 0 2 3 0 0 1 0 3 3
  %k6 = stablehlo.constant dense<[[1.0, 3.0], [3.0, 3.0], [0.0, -0.0], [-0.0, 0.0], [0x7FF8000000000000, 1.0], [1.0, 0x7FF8000000000000], [0xFFF0000000000000, 0xFFF0000000000000], [0x7FF0000000000000, 1.0], [5.0, 4.0]]> : tensor<9x2xf64>
  %x6 = stablehlo.optimization_barrier %k6 : tensor<9x2xf64>
  %p6 = stablehlo.iota dim = 1 : tensor<9x2xi32>
  %s6 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %z6 = stablehlo.constant dense<0> : tensor<i32>
  %r6:2 = stablehlo.reduce(%x6 init: %s6), (%p6 init: %z6) across dimensions = [1] : (tensor<9x2xf64>, tensor<9x2xi32>, tensor<f64>, tensor<i32>) -> (tensor<9xf64>, tensor<9xi32>)
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
  // CHECK: s32[9] 1 0 0 0 0 1 0 0 0
  %k7 = stablehlo.constant dense<[[1.0, 3.0], [3.0, 3.0], [0.0, -0.0], [-0.0, 0.0], [0x7FF8000000000000, 1.0], [1.0, 0x7FF8000000000000], [0xFFF0000000000000, 0xFFF0000000000000], [0x7FF0000000000000, 1.0], [5.0, 4.0]]> : tensor<9x2xf64>
  %x7 = stablehlo.optimization_barrier %k7 : tensor<9x2xf64>
  %p7 = stablehlo.iota dim = 1 : tensor<9x2xi32>
  %s7 = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
  %z7 = stablehlo.constant dense<0> : tensor<i32>
  %r7:2 = stablehlo.reduce(%x7 init: %s7), (%p7 init: %z7) across dimensions = [1] : (tensor<9x2xf64>, tensor<9x2xi32>, tensor<f64>, tensor<i32>) -> (tensor<9xf64>, tensor<9xi32>)
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
  // CHECK: s32[9] 0 0 0 0 0 1 0 1 1
  %k8 = stablehlo.constant dense<[[1.0, 3.0, 3.0], [3.0, 3.0, 1.0], [0.0, -0.0, 0.0], [-0.0, 0.0, -0.0], [0x7FF8000000000000, 1.0, 2.0], [1.0, 0x7FF8000000000000, 5.0], [0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000], [0x7FF0000000000000, 1.0, 0x7FF0000000000000], [5.0, 4.0, 3.0]]> : tensor<9x3xf64>
  %x8 = stablehlo.optimization_barrier %k8 : tensor<9x3xf64>
  %p8 = stablehlo.iota dim = 1 : tensor<9x3xi32>
  %s8 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %z8 = stablehlo.constant dense<0> : tensor<i32>
  %r8:2 = stablehlo.reduce(%x8 init: %s8), (%p8 init: %z8) across dimensions = [1] : (tensor<9x3xf64>, tensor<9x3xi32>, tensor<f64>, tensor<i32>) -> (tensor<9xf64>, tensor<9xi32>)
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
  // CHECK: s32[9] 1 0 0 0 0 1 0 0 0
  %k9 = stablehlo.constant dense<[[1.0, 3.0, 3.0], [3.0, 3.0, 1.0], [0.0, -0.0, 0.0], [-0.0, 0.0, -0.0], [0x7FF8000000000000, 1.0, 2.0], [1.0, 0x7FF8000000000000, 5.0], [0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000], [0x7FF0000000000000, 1.0, 0x7FF0000000000000], [5.0, 4.0, 3.0]]> : tensor<9x3xf64>
  %x9 = stablehlo.optimization_barrier %k9 : tensor<9x3xf64>
  %p9 = stablehlo.iota dim = 1 : tensor<9x3xi32>
  %s9 = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
  %z9 = stablehlo.constant dense<0> : tensor<i32>
  %r9:2 = stablehlo.reduce(%x9 init: %s9), (%p9 init: %z9) across dimensions = [1] : (tensor<9x3xf64>, tensor<9x3xi32>, tensor<f64>, tensor<i32>) -> (tensor<9xf64>, tensor<9xi32>)
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
  // CHECK: s32[9] 0 2 0 0 0 1 0 1 2
  %k10 = stablehlo.constant dense<[[1.0, 3.0, 3.0, 2.0], [3.0, 3.0, 1.0, 1.0], [0.0, -0.0, 0.0, -1.0], [-0.0, 0.0, -0.0, 0.0], [0x7FF8000000000000, 1.0, 2.0, 3.0], [1.0, 0x7FF8000000000000, 5.0, 0x7FF8000000000000], [0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000], [0x7FF0000000000000, 1.0, 0x7FF0000000000000, 0.0], [5.0, 4.0, 3.0, 2.0]]> : tensor<9x4xf64>
  %x10 = stablehlo.optimization_barrier %k10 : tensor<9x4xf64>
  %p10 = stablehlo.iota dim = 1 : tensor<9x4xi32>
  %s10 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %z10 = stablehlo.constant dense<0> : tensor<i32>
  %r10:2 = stablehlo.reduce(%x10 init: %s10), (%p10 init: %z10) across dimensions = [1] : (tensor<9x4xf64>, tensor<9x4xi32>, tensor<f64>, tensor<i32>) -> (tensor<9xf64>, tensor<9xi32>)
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
  // CHECK: s32[9] 1 0 0 0 0 1 0 0 0
  %k11 = stablehlo.constant dense<[[1.0, 3.0, 3.0, 2.0], [3.0, 3.0, 1.0, 1.0], [0.0, -0.0, 0.0, -1.0], [-0.0, 0.0, -0.0, 0.0], [0x7FF8000000000000, 1.0, 2.0, 3.0], [1.0, 0x7FF8000000000000, 5.0, 0x7FF8000000000000], [0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000], [0x7FF0000000000000, 1.0, 0x7FF0000000000000, 0.0], [5.0, 4.0, 3.0, 2.0]]> : tensor<9x4xf64>
  %x11 = stablehlo.optimization_barrier %k11 : tensor<9x4xf64>
  %p11 = stablehlo.iota dim = 1 : tensor<9x4xi32>
  %s11 = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
  %z11 = stablehlo.constant dense<0> : tensor<i32>
  %r11:2 = stablehlo.reduce(%x11 init: %s11), (%p11 init: %z11) across dimensions = [1] : (tensor<9x4xf64>, tensor<9x4xi32>, tensor<f64>, tensor<i32>) -> (tensor<9xf64>, tensor<9xi32>)
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
  // CHECK: s32[9] 0 2 3 0 0 1 0 3 3
  %k12 = stablehlo.constant dense<[[1, 3], [3, 3], [0, 0], [200, -7]]> : tensor<4x2xi32>
  %x12 = stablehlo.optimization_barrier %k12 : tensor<4x2xi32>
  %p12 = stablehlo.iota dim = 1 : tensor<4x2xi32>
  %s12 = stablehlo.constant dense<-2147483648> : tensor<i32>
  %z12 = stablehlo.constant dense<0> : tensor<i32>
  %r12:2 = stablehlo.reduce(%x12 init: %s12), (%p12 init: %z12) across dimensions = [1] : (tensor<4x2xi32>, tensor<4x2xi32>, tensor<i32>, tensor<i32>) -> (tensor<4xi32>, tensor<4xi32>)
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
  // CHECK: s32[4] 1 0 0 0
  %k13 = stablehlo.constant dense<[[1, 3], [3, 3], [0, 0], [200, -7]]> : tensor<4x2xi32>
  %x13 = stablehlo.optimization_barrier %k13 : tensor<4x2xi32>
  %p13 = stablehlo.iota dim = 1 : tensor<4x2xi32>
  %s13 = stablehlo.constant dense<9> : tensor<i32>
  %z13 = stablehlo.constant dense<0> : tensor<i32>
  %r13:2 = stablehlo.reduce(%x13 init: %s13), (%p13 init: %z13) across dimensions = [1] : (tensor<4x2xi32>, tensor<4x2xi32>, tensor<i32>, tensor<i32>) -> (tensor<4xi32>, tensor<4xi32>)
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
  // CHECK: s32[4] 0 0 0 1
  %k14 = stablehlo.constant dense<[[1, 3, 3], [3, 3, 1], [0, 0, 0], [200, -7, 200]]> : tensor<4x3xi32>
  %x14 = stablehlo.optimization_barrier %k14 : tensor<4x3xi32>
  %p14 = stablehlo.iota dim = 1 : tensor<4x3xi32>
  %s14 = stablehlo.constant dense<-2147483648> : tensor<i32>
  %z14 = stablehlo.constant dense<0> : tensor<i32>
  %r14:2 = stablehlo.reduce(%x14 init: %s14), (%p14 init: %z14) across dimensions = [1] : (tensor<4x3xi32>, tensor<4x3xi32>, tensor<i32>, tensor<i32>) -> (tensor<4xi32>, tensor<4xi32>)
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
  // CHECK: s32[4] 1 0 0 0
  // CHECK: s32[4] 3 3 0 200
  %k15 = stablehlo.constant dense<[[1, 3, 3], [3, 3, 1], [0, 0, 0], [200, -7, 200]]> : tensor<4x3xi32>
  %x15 = stablehlo.optimization_barrier %k15 : tensor<4x3xi32>
  %p15 = stablehlo.iota dim = 1 : tensor<4x3xi32>
  %s15 = stablehlo.constant dense<9> : tensor<i32>
  %z15 = stablehlo.constant dense<0> : tensor<i32>
  %r15:2 = stablehlo.reduce(%x15 init: %s15), (%p15 init: %z15) across dimensions = [1] : (tensor<4x3xi32>, tensor<4x3xi32>, tensor<i32>, tensor<i32>) -> (tensor<4xi32>, tensor<4xi32>)
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
  // CHECK: s32[4] 0 2 0 1
  // CHECK: s32[4] 1 1 0 -7
  %k16 = stablehlo.constant dense<[[1, 3, 3, 2], [3, 3, 1, 1], [0, 0, 0, 0], [200, -7, 200, 0]]> : tensor<4x4xi32>
  %x16 = stablehlo.optimization_barrier %k16 : tensor<4x4xi32>
  %p16 = stablehlo.iota dim = 1 : tensor<4x4xi32>
  %s16 = stablehlo.constant dense<-2147483648> : tensor<i32>
  %z16 = stablehlo.constant dense<0> : tensor<i32>
  %r16:2 = stablehlo.reduce(%x16 init: %s16), (%p16 init: %z16) across dimensions = [1] : (tensor<4x4xi32>, tensor<4x4xi32>, tensor<i32>, tensor<i32>) -> (tensor<4xi32>, tensor<4xi32>)
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
  // CHECK: s32[4] 1 0 0 0
  // CHECK: s32[4] 3 3 0 200
  %k17 = stablehlo.constant dense<[[1, 3, 3, 2], [3, 3, 1, 1], [0, 0, 0, 0], [200, -7, 200, 0]]> : tensor<4x4xi32>
  %x17 = stablehlo.optimization_barrier %k17 : tensor<4x4xi32>
  %p17 = stablehlo.iota dim = 1 : tensor<4x4xi32>
  %s17 = stablehlo.constant dense<9> : tensor<i32>
  %z17 = stablehlo.constant dense<0> : tensor<i32>
  %r17:2 = stablehlo.reduce(%x17 init: %s17), (%p17 init: %z17) across dimensions = [1] : (tensor<4x4xi32>, tensor<4x4xi32>, tensor<i32>, tensor<i32>) -> (tensor<4xi32>, tensor<4xi32>)
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
  // CHECK: s32[4] 0 2 0 1
  // CHECK: s32[4] 1 1 0 -7
  %k18 = stablehlo.constant dense<[[1, 3], [3, 3], [0, 0], [200, 255]]> : tensor<4x2xui8>
  %x18 = stablehlo.optimization_barrier %k18 : tensor<4x2xui8>
  %p18 = stablehlo.iota dim = 1 : tensor<4x2xi64>
  %s18 = stablehlo.constant dense<0> : tensor<ui8>
  %z18 = stablehlo.constant dense<0> : tensor<i64>
  %r18:2 = stablehlo.reduce(%x18 init: %s18), (%p18 init: %z18) across dimensions = [1] : (tensor<4x2xui8>, tensor<4x2xi64>, tensor<ui8>, tensor<i64>) -> (tensor<4xui8>, tensor<4xi64>)
      reducer(%a: tensor<ui8>, %b: tensor<ui8>) (%i: tensor<i64>, %j: tensor<i64>) {
      %g = stablehlo.compare GT, %a, %b, UNSIGNED : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
      %t = stablehlo.or %g, %g : tensor<i1>
      %e = stablehlo.compare EQ, %a, %b, UNSIGNED : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
      %l = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %f = stablehlo.and %e, %l : tensor<i1>
      %s = stablehlo.or %t, %f : tensor<i1>
      %v = stablehlo.select %t, %a, %b : tensor<i1>, tensor<ui8>
      %q = stablehlo.select %s, %i, %j : tensor<i1>, tensor<i64>
        stablehlo.return %v, %q : tensor<ui8>, tensor<i64>
      }
  // CHECK: s64[4] 1 0 0 1
  %k19 = stablehlo.constant dense<[[1, 3], [3, 3], [0, 0], [200, 255]]> : tensor<4x2xui8>
  %x19 = stablehlo.optimization_barrier %k19 : tensor<4x2xui8>
  %p19 = stablehlo.iota dim = 1 : tensor<4x2xi64>
  %s19 = stablehlo.constant dense<255> : tensor<ui8>
  %z19 = stablehlo.constant dense<0> : tensor<i64>
  %r19:2 = stablehlo.reduce(%x19 init: %s19), (%p19 init: %z19) across dimensions = [1] : (tensor<4x2xui8>, tensor<4x2xi64>, tensor<ui8>, tensor<i64>) -> (tensor<4xui8>, tensor<4xi64>)
      reducer(%a: tensor<ui8>, %b: tensor<ui8>) (%i: tensor<i64>, %j: tensor<i64>) {
      %g = stablehlo.compare LT, %a, %b, UNSIGNED : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
      %t = stablehlo.or %g, %g : tensor<i1>
      %e = stablehlo.compare EQ, %a, %b, UNSIGNED : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
      %l = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %f = stablehlo.and %e, %l : tensor<i1>
      %s = stablehlo.or %t, %f : tensor<i1>
      %v = stablehlo.select %t, %a, %b : tensor<i1>, tensor<ui8>
      %q = stablehlo.select %s, %i, %j : tensor<i1>, tensor<i64>
        stablehlo.return %v, %q : tensor<ui8>, tensor<i64>
      }
  // CHECK: s64[4] 0 0 0 0
  %k20 = stablehlo.constant dense<[[1, 3, 3], [3, 3, 1], [0, 0, 0], [200, 255, 200]]> : tensor<4x3xui8>
  %x20 = stablehlo.optimization_barrier %k20 : tensor<4x3xui8>
  %p20 = stablehlo.iota dim = 1 : tensor<4x3xi64>
  %s20 = stablehlo.constant dense<0> : tensor<ui8>
  %z20 = stablehlo.constant dense<0> : tensor<i64>
  %r20:2 = stablehlo.reduce(%x20 init: %s20), (%p20 init: %z20) across dimensions = [1] : (tensor<4x3xui8>, tensor<4x3xi64>, tensor<ui8>, tensor<i64>) -> (tensor<4xui8>, tensor<4xi64>)
      reducer(%a: tensor<ui8>, %b: tensor<ui8>) (%i: tensor<i64>, %j: tensor<i64>) {
      %g = stablehlo.compare GT, %a, %b, UNSIGNED : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
      %t = stablehlo.or %g, %g : tensor<i1>
      %e = stablehlo.compare EQ, %a, %b, UNSIGNED : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
      %l = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %f = stablehlo.and %e, %l : tensor<i1>
      %s = stablehlo.or %t, %f : tensor<i1>
      %v = stablehlo.select %t, %a, %b : tensor<i1>, tensor<ui8>
      %q = stablehlo.select %s, %i, %j : tensor<i1>, tensor<i64>
        stablehlo.return %v, %q : tensor<ui8>, tensor<i64>
      }
  // CHECK: s64[4] 1 0 0 1
  // CHECK: u8[4] 3 3 0 255
  %k21 = stablehlo.constant dense<[[1, 3, 3], [3, 3, 1], [0, 0, 0], [200, 255, 200]]> : tensor<4x3xui8>
  %x21 = stablehlo.optimization_barrier %k21 : tensor<4x3xui8>
  %p21 = stablehlo.iota dim = 1 : tensor<4x3xi64>
  %s21 = stablehlo.constant dense<255> : tensor<ui8>
  %z21 = stablehlo.constant dense<0> : tensor<i64>
  %r21:2 = stablehlo.reduce(%x21 init: %s21), (%p21 init: %z21) across dimensions = [1] : (tensor<4x3xui8>, tensor<4x3xi64>, tensor<ui8>, tensor<i64>) -> (tensor<4xui8>, tensor<4xi64>)
      reducer(%a: tensor<ui8>, %b: tensor<ui8>) (%i: tensor<i64>, %j: tensor<i64>) {
      %g = stablehlo.compare LT, %a, %b, UNSIGNED : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
      %t = stablehlo.or %g, %g : tensor<i1>
      %e = stablehlo.compare EQ, %a, %b, UNSIGNED : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
      %l = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %f = stablehlo.and %e, %l : tensor<i1>
      %s = stablehlo.or %t, %f : tensor<i1>
      %v = stablehlo.select %t, %a, %b : tensor<i1>, tensor<ui8>
      %q = stablehlo.select %s, %i, %j : tensor<i1>, tensor<i64>
        stablehlo.return %v, %q : tensor<ui8>, tensor<i64>
      }
  // CHECK: s64[4] 0 2 0 0
  // CHECK: u8[4] 1 1 0 200
  %k22 = stablehlo.constant dense<[[1, 3, 3, 2], [3, 3, 1, 1], [0, 0, 0, 0], [200, 255, 200, 0]]> : tensor<4x4xui8>
  %x22 = stablehlo.optimization_barrier %k22 : tensor<4x4xui8>
  %p22 = stablehlo.iota dim = 1 : tensor<4x4xi64>
  %s22 = stablehlo.constant dense<0> : tensor<ui8>
  %z22 = stablehlo.constant dense<0> : tensor<i64>
  %r22:2 = stablehlo.reduce(%x22 init: %s22), (%p22 init: %z22) across dimensions = [1] : (tensor<4x4xui8>, tensor<4x4xi64>, tensor<ui8>, tensor<i64>) -> (tensor<4xui8>, tensor<4xi64>)
      reducer(%a: tensor<ui8>, %b: tensor<ui8>) (%i: tensor<i64>, %j: tensor<i64>) {
      %g = stablehlo.compare GT, %a, %b, UNSIGNED : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
      %t = stablehlo.or %g, %g : tensor<i1>
      %e = stablehlo.compare EQ, %a, %b, UNSIGNED : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
      %l = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %f = stablehlo.and %e, %l : tensor<i1>
      %s = stablehlo.or %t, %f : tensor<i1>
      %v = stablehlo.select %t, %a, %b : tensor<i1>, tensor<ui8>
      %q = stablehlo.select %s, %i, %j : tensor<i1>, tensor<i64>
        stablehlo.return %v, %q : tensor<ui8>, tensor<i64>
      }
  // CHECK: s64[4] 1 0 0 1
  // CHECK: u8[4] 3 3 0 255
  %k23 = stablehlo.constant dense<[[1, 3, 3, 2], [3, 3, 1, 1], [0, 0, 0, 0], [200, 255, 200, 0]]> : tensor<4x4xui8>
  %x23 = stablehlo.optimization_barrier %k23 : tensor<4x4xui8>
  %p23 = stablehlo.iota dim = 1 : tensor<4x4xi64>
  %s23 = stablehlo.constant dense<255> : tensor<ui8>
  %z23 = stablehlo.constant dense<0> : tensor<i64>
  %r23:2 = stablehlo.reduce(%x23 init: %s23), (%p23 init: %z23) across dimensions = [1] : (tensor<4x4xui8>, tensor<4x4xi64>, tensor<ui8>, tensor<i64>) -> (tensor<4xui8>, tensor<4xi64>)
      reducer(%a: tensor<ui8>, %b: tensor<ui8>) (%i: tensor<i64>, %j: tensor<i64>) {
      %g = stablehlo.compare LT, %a, %b, UNSIGNED : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
      %t = stablehlo.or %g, %g : tensor<i1>
      %e = stablehlo.compare EQ, %a, %b, UNSIGNED : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
      %l = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %f = stablehlo.and %e, %l : tensor<i1>
      %s = stablehlo.or %t, %f : tensor<i1>
      %v = stablehlo.select %t, %a, %b : tensor<i1>, tensor<ui8>
      %q = stablehlo.select %s, %i, %j : tensor<i1>, tensor<i64>
        stablehlo.return %v, %q : tensor<ui8>, tensor<i64>
      }
  // CHECK: s64[4] 0 2 0 3
  // CHECK: u8[4] 1 1 0 0
  %k24 = stablehlo.constant dense<[[1, 3], [3, 3], [0, 0], [200, -7]]> : tensor<4x2xi64>
  %x24 = stablehlo.optimization_barrier %k24 : tensor<4x2xi64>
  %p24 = stablehlo.iota dim = 1 : tensor<4x2xi32>
  %s24 = stablehlo.constant dense<-9223372036854775808> : tensor<i64>
  %z24 = stablehlo.constant dense<0> : tensor<i32>
  %r24:2 = stablehlo.reduce(%x24 init: %s24), (%p24 init: %z24) across dimensions = [1] : (tensor<4x2xi64>, tensor<4x2xi32>, tensor<i64>, tensor<i32>) -> (tensor<4xi64>, tensor<4xi32>)
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
  // CHECK: s32[4] 1 0 0 0
  %k25 = stablehlo.constant dense<[[1, 3], [3, 3], [0, 0], [200, -7]]> : tensor<4x2xi64>
  %x25 = stablehlo.optimization_barrier %k25 : tensor<4x2xi64>
  %p25 = stablehlo.iota dim = 1 : tensor<4x2xi32>
  %s25 = stablehlo.constant dense<9223372036854775807> : tensor<i64>
  %z25 = stablehlo.constant dense<0> : tensor<i32>
  %r25:2 = stablehlo.reduce(%x25 init: %s25), (%p25 init: %z25) across dimensions = [1] : (tensor<4x2xi64>, tensor<4x2xi32>, tensor<i64>, tensor<i32>) -> (tensor<4xi64>, tensor<4xi32>)
      reducer(%a: tensor<i64>, %b: tensor<i64>) (%i: tensor<i32>, %j: tensor<i32>) {
      %g = stablehlo.compare LT, %a, %b, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %t = stablehlo.or %g, %g : tensor<i1>
      %e = stablehlo.compare EQ, %a, %b, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %l = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %f = stablehlo.and %e, %l : tensor<i1>
      %s = stablehlo.or %t, %f : tensor<i1>
      %v = stablehlo.select %t, %a, %b : tensor<i1>, tensor<i64>
      %q = stablehlo.select %s, %i, %j : tensor<i1>, tensor<i32>
        stablehlo.return %v, %q : tensor<i64>, tensor<i32>
      }
  // CHECK: s32[4] 0 0 0 1
  %k26 = stablehlo.constant dense<[[1, 3, 3], [3, 3, 1], [0, 0, 0], [200, -7, 200]]> : tensor<4x3xi64>
  %x26 = stablehlo.optimization_barrier %k26 : tensor<4x3xi64>
  %p26 = stablehlo.iota dim = 1 : tensor<4x3xi32>
  %s26 = stablehlo.constant dense<-9223372036854775808> : tensor<i64>
  %z26 = stablehlo.constant dense<0> : tensor<i32>
  %r26:2 = stablehlo.reduce(%x26 init: %s26), (%p26 init: %z26) across dimensions = [1] : (tensor<4x3xi64>, tensor<4x3xi32>, tensor<i64>, tensor<i32>) -> (tensor<4xi64>, tensor<4xi32>)
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
  // CHECK: s32[4] 1 0 0 0
  // CHECK: s64[4] 3 3 0 200
  %k27 = stablehlo.constant dense<[[1, 3, 3], [3, 3, 1], [0, 0, 0], [200, -7, 200]]> : tensor<4x3xi64>
  %x27 = stablehlo.optimization_barrier %k27 : tensor<4x3xi64>
  %p27 = stablehlo.iota dim = 1 : tensor<4x3xi32>
  %s27 = stablehlo.constant dense<9223372036854775807> : tensor<i64>
  %z27 = stablehlo.constant dense<0> : tensor<i32>
  %r27:2 = stablehlo.reduce(%x27 init: %s27), (%p27 init: %z27) across dimensions = [1] : (tensor<4x3xi64>, tensor<4x3xi32>, tensor<i64>, tensor<i32>) -> (tensor<4xi64>, tensor<4xi32>)
      reducer(%a: tensor<i64>, %b: tensor<i64>) (%i: tensor<i32>, %j: tensor<i32>) {
      %g = stablehlo.compare LT, %a, %b, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %t = stablehlo.or %g, %g : tensor<i1>
      %e = stablehlo.compare EQ, %a, %b, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %l = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %f = stablehlo.and %e, %l : tensor<i1>
      %s = stablehlo.or %t, %f : tensor<i1>
      %v = stablehlo.select %t, %a, %b : tensor<i1>, tensor<i64>
      %q = stablehlo.select %s, %i, %j : tensor<i1>, tensor<i32>
        stablehlo.return %v, %q : tensor<i64>, tensor<i32>
      }
  // CHECK: s32[4] 0 2 0 1
  // CHECK: s64[4] 1 1 0 -7
  %k28 = stablehlo.constant dense<[[1, 3, 3, 2], [3, 3, 1, 1], [0, 0, 0, 0], [200, -7, 200, 0]]> : tensor<4x4xi64>
  %x28 = stablehlo.optimization_barrier %k28 : tensor<4x4xi64>
  %p28 = stablehlo.iota dim = 1 : tensor<4x4xi32>
  %s28 = stablehlo.constant dense<-9223372036854775808> : tensor<i64>
  %z28 = stablehlo.constant dense<0> : tensor<i32>
  %r28:2 = stablehlo.reduce(%x28 init: %s28), (%p28 init: %z28) across dimensions = [1] : (tensor<4x4xi64>, tensor<4x4xi32>, tensor<i64>, tensor<i32>) -> (tensor<4xi64>, tensor<4xi32>)
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
  // CHECK: s32[4] 1 0 0 0
  // CHECK: s64[4] 3 3 0 200
  %k29 = stablehlo.constant dense<[[1, 3, 3, 2], [3, 3, 1, 1], [0, 0, 0, 0], [200, -7, 200, 0]]> : tensor<4x4xi64>
  %x29 = stablehlo.optimization_barrier %k29 : tensor<4x4xi64>
  %p29 = stablehlo.iota dim = 1 : tensor<4x4xi32>
  %s29 = stablehlo.constant dense<9223372036854775807> : tensor<i64>
  %z29 = stablehlo.constant dense<0> : tensor<i32>
  %r29:2 = stablehlo.reduce(%x29 init: %s29), (%p29 init: %z29) across dimensions = [1] : (tensor<4x4xi64>, tensor<4x4xi32>, tensor<i64>, tensor<i32>) -> (tensor<4xi64>, tensor<4xi32>)
      reducer(%a: tensor<i64>, %b: tensor<i64>) (%i: tensor<i32>, %j: tensor<i32>) {
      %g = stablehlo.compare LT, %a, %b, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %t = stablehlo.or %g, %g : tensor<i1>
      %e = stablehlo.compare EQ, %a, %b, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %l = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %f = stablehlo.and %e, %l : tensor<i1>
      %s = stablehlo.or %t, %f : tensor<i1>
      %v = stablehlo.select %t, %a, %b : tensor<i1>, tensor<i64>
      %q = stablehlo.select %s, %i, %j : tensor<i1>, tensor<i32>
        stablehlo.return %v, %q : tensor<i64>, tensor<i32>
      }
  // CHECK: s32[4] 0 2 0 1
  // CHECK: s64[4] 1 1 0 -7
  return %r0#1, %r1#1, %r2#1, %r3#1, %r4#1, %r5#1, %r6#1, %r7#1, %r8#1, %r9#1, %r10#1, %r11#1, %r12#1, %r13#1, %r14#1, %r14#0, %r15#1, %r15#0, %r16#1, %r16#0, %r17#1, %r17#0, %r18#1, %r19#1, %r20#1, %r20#0, %r21#1, %r21#0, %r22#1, %r22#0, %r23#1, %r23#0, %r24#1, %r25#1, %r26#1, %r26#0, %r27#1, %r27#0, %r28#1, %r28#0, %r29#1, %r29#0 : tensor<9xi64>, tensor<9xi64>, tensor<9xi64>, tensor<9xi64>, tensor<9xi64>, tensor<9xi64>, tensor<9xi32>, tensor<9xi32>, tensor<9xi32>, tensor<9xi32>, tensor<9xi32>, tensor<9xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>, tensor<4xui8>, tensor<4xi64>, tensor<4xui8>, tensor<4xi64>, tensor<4xui8>, tensor<4xi64>, tensor<4xui8>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi64>, tensor<4xi32>, tensor<4xi64>, tensor<4xi32>, tensor<4xi64>, tensor<4xi32>, tensor<4xi64>
}
