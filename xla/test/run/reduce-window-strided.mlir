// RUN: xla-run %s --backend=reference | FileCheck %s
// RUN: xla-run %s --backend=native | FileCheck %s

// Windows of many elements with strides: whole numbers, weighted by their
// indices and summed.
func.func @main() -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) {
  // Two dimensions, padded.
  %i0 = stablehlo.iota dim = 0 : tensor<2622xi32>
  %a0 = stablehlo.constant dense<7919> : tensor<2622xi32>
  %m0 = stablehlo.multiply %i0, %a0 : tensor<2622xi32>
  %b0 = stablehlo.constant dense<97> : tensor<2622xi32>
  %q0 = stablehlo.remainder %m0, %b0 : tensor<2622xi32>
  %h0 = stablehlo.constant dense<48> : tensor<2622xi32>
  %d0 = stablehlo.subtract %q0, %h0 : tensor<2622xi32>
  %c0 = stablehlo.convert %d0 : (tensor<2622xi32>) -> tensor<2622xf32>
  %x0 = stablehlo.reshape %c0 : (tensor<2622xf32>) -> tensor<2x19x23x3xf32>
  %s0 = stablehlo.constant dense<-1000.0> : tensor<f32>
  %w0 = "stablehlo.reduce_window"(%x0, %s0) <{window_dimensions = array<i64: 1, 5, 5, 1>, window_strides = array<i64: 1, 3, 3, 1>, base_dilations = array<i64: 1, 1, 1, 1>, window_dilations = array<i64: 1, 1, 1, 1>, padding = dense<[[0, 0], [1, 2], [2, 0], [0, 0]]> : tensor<4x2xi64>}> ({
    ^bb0(%u: tensor<f32>, %v: tensor<f32>):
      %y = stablehlo.maximum %u, %v : tensor<f32>
      stablehlo.return %y : tensor<f32>
  }) : (tensor<2x19x23x3xf32>, tensor<f32>) -> tensor<2x6x7x3xf32>
  %n0 = stablehlo.convert %w0 : (tensor<2x6x7x3xf32>) -> tensor<2x6x7x3xi32>
  %f0 = stablehlo.reshape %n0 : (tensor<2x6x7x3xi32>) -> tensor<252xi32>
  %j0 = stablehlo.iota dim = 0 : tensor<252xi32>
  %e0 = stablehlo.constant dense<11> : tensor<252xi32>
  %g0 = stablehlo.remainder %j0, %e0 : tensor<252xi32>
  %k0 = stablehlo.multiply %f0, %g0 : tensor<252xi32>
  %z0 = stablehlo.constant dense<0> : tensor<i32>
  %t0 = stablehlo.reduce(%k0 init: %z0) applies stablehlo.add across dimensions = [0] : (tensor<252xi32>, tensor<i32>) -> tensor<i32>
  // CHECK: s32[] 52897
  // A sum.
  %i1 = stablehlo.iota dim = 0 : tensor<2622xi32>
  %a1 = stablehlo.constant dense<7919> : tensor<2622xi32>
  %m1 = stablehlo.multiply %i1, %a1 : tensor<2622xi32>
  %b1 = stablehlo.constant dense<97> : tensor<2622xi32>
  %q1 = stablehlo.remainder %m1, %b1 : tensor<2622xi32>
  %h1 = stablehlo.constant dense<48> : tensor<2622xi32>
  %d1 = stablehlo.subtract %q1, %h1 : tensor<2622xi32>
  %c1 = stablehlo.convert %d1 : (tensor<2622xi32>) -> tensor<2622xf32>
  %x1 = stablehlo.reshape %c1 : (tensor<2622xf32>) -> tensor<2x19x23x3xf32>
  %s1 = stablehlo.constant dense<0.0> : tensor<f32>
  %w1 = "stablehlo.reduce_window"(%x1, %s1) <{window_dimensions = array<i64: 1, 5, 5, 1>, window_strides = array<i64: 1, 3, 3, 1>, base_dilations = array<i64: 1, 1, 1, 1>, window_dilations = array<i64: 1, 1, 1, 1>, padding = dense<[[0, 0], [1, 2], [2, 0], [0, 0]]> : tensor<4x2xi64>}> ({
    ^bb0(%u: tensor<f32>, %v: tensor<f32>):
      %y = stablehlo.add %u, %v : tensor<f32>
      stablehlo.return %y : tensor<f32>
  }) : (tensor<2x19x23x3xf32>, tensor<f32>) -> tensor<2x6x7x3xf32>
  %n1 = stablehlo.convert %w1 : (tensor<2x6x7x3xf32>) -> tensor<2x6x7x3xi32>
  %f1 = stablehlo.reshape %n1 : (tensor<2x6x7x3xi32>) -> tensor<252xi32>
  %j1 = stablehlo.iota dim = 0 : tensor<252xi32>
  %e1 = stablehlo.constant dense<11> : tensor<252xi32>
  %g1 = stablehlo.remainder %j1, %e1 : tensor<252xi32>
  %k1 = stablehlo.multiply %f1, %g1 : tensor<252xi32>
  %z1 = stablehlo.constant dense<0> : tensor<i32>
  %t1 = stablehlo.reduce(%k1 init: %z1) applies stablehlo.add across dimensions = [0] : (tensor<252xi32>, tensor<i32>) -> tensor<i32>
  // CHECK: s32[] -8474
  // The last two.
  %i2 = stablehlo.iota dim = 0 : tensor<2622xi32>
  %a2 = stablehlo.constant dense<7919> : tensor<2622xi32>
  %m2 = stablehlo.multiply %i2, %a2 : tensor<2622xi32>
  %b2 = stablehlo.constant dense<97> : tensor<2622xi32>
  %q2 = stablehlo.remainder %m2, %b2 : tensor<2622xi32>
  %h2 = stablehlo.constant dense<48> : tensor<2622xi32>
  %d2 = stablehlo.subtract %q2, %h2 : tensor<2622xi32>
  %c2 = stablehlo.convert %d2 : (tensor<2622xi32>) -> tensor<2622xi32>
  %x2 = stablehlo.reshape %c2 : (tensor<2622xi32>) -> tensor<2x3x19x23xi32>
  %s2 = stablehlo.constant dense<500> : tensor<i32>
  %w2 = "stablehlo.reduce_window"(%x2, %s2) <{window_dimensions = array<i64: 1, 1, 6, 4>, window_strides = array<i64: 1, 1, 2, 3>, base_dilations = array<i64: 1, 1, 1, 1>, window_dilations = array<i64: 1, 1, 1, 1>, padding = dense<[[0, 0], [0, 0], [0, 1], [3, 0]]> : tensor<4x2xi64>}> ({
    ^bb0(%u: tensor<i32>, %v: tensor<i32>):
      %y = stablehlo.minimum %u, %v : tensor<i32>
      stablehlo.return %y : tensor<i32>
  }) : (tensor<2x3x19x23xi32>, tensor<i32>) -> tensor<2x3x8x8xi32>
  %n2 = stablehlo.convert %w2 : (tensor<2x3x8x8xi32>) -> tensor<2x3x8x8xi32>
  %f2 = stablehlo.reshape %n2 : (tensor<2x3x8x8xi32>) -> tensor<384xi32>
  %j2 = stablehlo.iota dim = 0 : tensor<384xi32>
  %e2 = stablehlo.constant dense<11> : tensor<384xi32>
  %g2 = stablehlo.remainder %j2, %e2 : tensor<384xi32>
  %k2 = stablehlo.multiply %f2, %g2 : tensor<384xi32>
  %z2 = stablehlo.constant dense<0> : tensor<i32>
  %t2 = stablehlo.reduce(%k2 init: %z2) applies stablehlo.add across dimensions = [0] : (tensor<384xi32>, tensor<i32>) -> tensor<i32>
  // CHECK: s32[] -84890
  // Holes in the operand and in the window.
  %i3 = stablehlo.iota dim = 0 : tensor<594xi32>
  %a3 = stablehlo.constant dense<7919> : tensor<594xi32>
  %m3 = stablehlo.multiply %i3, %a3 : tensor<594xi32>
  %b3 = stablehlo.constant dense<97> : tensor<594xi32>
  %q3 = stablehlo.remainder %m3, %b3 : tensor<594xi32>
  %h3 = stablehlo.constant dense<48> : tensor<594xi32>
  %d3 = stablehlo.subtract %q3, %h3 : tensor<594xi32>
  %c3 = stablehlo.convert %d3 : (tensor<594xi32>) -> tensor<594xi32>
  %x3 = stablehlo.reshape %c3 : (tensor<594xi32>) -> tensor<2x9x11x3xi32>
  %s3 = stablehlo.constant dense<0> : tensor<i32>
  %w3 = "stablehlo.reduce_window"(%x3, %s3) <{window_dimensions = array<i64: 1, 5, 5, 1>, window_strides = array<i64: 1, 1, 1, 1>, base_dilations = array<i64: 1, 3, 2, 1>, window_dilations = array<i64: 1, 2, 1, 1>, padding = dense<[[0, 0], [6, 1], [2, 2], [0, 0]]> : tensor<4x2xi64>}> ({
    ^bb0(%u: tensor<i32>, %v: tensor<i32>):
      %y = stablehlo.add %u, %v : tensor<i32>
      stablehlo.return %y : tensor<i32>
  }) : (tensor<2x9x11x3xi32>, tensor<i32>) -> tensor<2x24x21x3xi32>
  %n3 = stablehlo.convert %w3 : (tensor<2x24x21x3xi32>) -> tensor<2x24x21x3xi32>
  %f3 = stablehlo.reshape %n3 : (tensor<2x24x21x3xi32>) -> tensor<3024xi32>
  %j3 = stablehlo.iota dim = 0 : tensor<3024xi32>
  %e3 = stablehlo.constant dense<11> : tensor<3024xi32>
  %g3 = stablehlo.remainder %j3, %e3 : tensor<3024xi32>
  %k3 = stablehlo.multiply %f3, %g3 : tensor<3024xi32>
  %z3 = stablehlo.constant dense<0> : tensor<i32>
  %t3 = stablehlo.reduce(%k3 init: %z3) applies stablehlo.add across dimensions = [0] : (tensor<3024xi32>, tensor<i32>) -> tensor<i32>
  // CHECK: s32[] 10339
  // Four dimensions, from a number that counts.
  %i4 = stablehlo.iota dim = 0 : tensor<8740xi32>
  %a4 = stablehlo.constant dense<7919> : tensor<8740xi32>
  %m4 = stablehlo.multiply %i4, %a4 : tensor<8740xi32>
  %b4 = stablehlo.constant dense<97> : tensor<8740xi32>
  %q4 = stablehlo.remainder %m4, %b4 : tensor<8740xi32>
  %h4 = stablehlo.constant dense<48> : tensor<8740xi32>
  %d4 = stablehlo.subtract %q4, %h4 : tensor<8740xi32>
  %c4 = stablehlo.convert %d4 : (tensor<8740xi32>) -> tensor<8740xf32>
  %x4 = stablehlo.reshape %c4 : (tensor<8740xf32>) -> tensor<4x19x23x5xf32>
  %s4 = stablehlo.constant dense<40.0> : tensor<f32>
  %w4 = "stablehlo.reduce_window"(%x4, %s4) <{window_dimensions = array<i64: 2, 5, 5, 2>, window_strides = array<i64: 1, 2, 2, 2>, base_dilations = array<i64: 1, 1, 1, 1>, window_dilations = array<i64: 1, 1, 1, 1>, padding = dense<[[0, 0], [0, 0], [0, 0], [0, 0]]> : tensor<4x2xi64>}> ({
    ^bb0(%u: tensor<f32>, %v: tensor<f32>):
      %y = stablehlo.maximum %u, %v : tensor<f32>
      stablehlo.return %y : tensor<f32>
  }) : (tensor<4x19x23x5xf32>, tensor<f32>) -> tensor<3x8x10x2xf32>
  %n4 = stablehlo.convert %w4 : (tensor<3x8x10x2xf32>) -> tensor<3x8x10x2xi32>
  %f4 = stablehlo.reshape %n4 : (tensor<3x8x10x2xi32>) -> tensor<480xi32>
  %j4 = stablehlo.iota dim = 0 : tensor<480xi32>
  %e4 = stablehlo.constant dense<11> : tensor<480xi32>
  %g4 = stablehlo.remainder %j4, %e4 : tensor<480xi32>
  %k4 = stablehlo.multiply %f4, %g4 : tensor<480xi32>
  %z4 = stablehlo.constant dense<0> : tensor<i32>
  %t4 = stablehlo.reduce(%k4 init: %z4) applies stablehlo.add across dimensions = [0] : (tensor<480xi32>, tensor<i32>) -> tensor<i32>
  // CHECK: s32[] 113252
  // A sum from a number that counts once.
  %i5 = stablehlo.iota dim = 0 : tensor<2622xi32>
  %a5 = stablehlo.constant dense<7919> : tensor<2622xi32>
  %m5 = stablehlo.multiply %i5, %a5 : tensor<2622xi32>
  %b5 = stablehlo.constant dense<97> : tensor<2622xi32>
  %q5 = stablehlo.remainder %m5, %b5 : tensor<2622xi32>
  %h5 = stablehlo.constant dense<48> : tensor<2622xi32>
  %d5 = stablehlo.subtract %q5, %h5 : tensor<2622xi32>
  %c5 = stablehlo.convert %d5 : (tensor<2622xi32>) -> tensor<2622xf32>
  %x5 = stablehlo.reshape %c5 : (tensor<2622xf32>) -> tensor<2x19x23x3xf32>
  %s5 = stablehlo.constant dense<3.0> : tensor<f32>
  %w5 = "stablehlo.reduce_window"(%x5, %s5) <{window_dimensions = array<i64: 1, 5, 5, 1>, window_strides = array<i64: 1, 2, 2, 1>, base_dilations = array<i64: 1, 1, 1, 1>, window_dilations = array<i64: 1, 1, 1, 1>, padding = dense<[[0, 0], [0, 0], [0, 0], [0, 0]]> : tensor<4x2xi64>}> ({
    ^bb0(%u: tensor<f32>, %v: tensor<f32>):
      %y = stablehlo.add %u, %v : tensor<f32>
      stablehlo.return %y : tensor<f32>
  }) : (tensor<2x19x23x3xf32>, tensor<f32>) -> tensor<2x8x10x3xf32>
  %n5 = stablehlo.convert %w5 : (tensor<2x8x10x3xf32>) -> tensor<2x8x10x3xi32>
  %f5 = stablehlo.reshape %n5 : (tensor<2x8x10x3xi32>) -> tensor<480xi32>
  %j5 = stablehlo.iota dim = 0 : tensor<480xi32>
  %e5 = stablehlo.constant dense<11> : tensor<480xi32>
  %g5 = stablehlo.remainder %j5, %e5 : tensor<480xi32>
  %k5 = stablehlo.multiply %f5, %g5 : tensor<480xi32>
  %z5 = stablehlo.constant dense<0> : tensor<i32>
  %t5 = stablehlo.reduce(%k5 init: %z5) applies stablehlo.add across dimensions = [0] : (tensor<480xi32>, tensor<i32>) -> tensor<i32>
  // CHECK: s32[] 11437
  // One dimension, with a stride.
  %i6 = stablehlo.iota dim = 0 : tensor<6000xi32>
  %a6 = stablehlo.constant dense<7919> : tensor<6000xi32>
  %m6 = stablehlo.multiply %i6, %a6 : tensor<6000xi32>
  %b6 = stablehlo.constant dense<97> : tensor<6000xi32>
  %q6 = stablehlo.remainder %m6, %b6 : tensor<6000xi32>
  %h6 = stablehlo.constant dense<48> : tensor<6000xi32>
  %d6 = stablehlo.subtract %q6, %h6 : tensor<6000xi32>
  %c6 = stablehlo.convert %d6 : (tensor<6000xi32>) -> tensor<6000xf32>
  %x6 = stablehlo.reshape %c6 : (tensor<6000xf32>) -> tensor<3x400x5xf32>
  %s6 = stablehlo.constant dense<-1000.0> : tensor<f32>
  %w6 = "stablehlo.reduce_window"(%x6, %s6) <{window_dimensions = array<i64: 1, 50, 1>, window_strides = array<i64: 1, 10, 1>, base_dilations = array<i64: 1, 1, 1>, window_dilations = array<i64: 1, 1, 1>, padding = dense<[[0, 0], [0, 0], [0, 0]]> : tensor<3x2xi64>}> ({
    ^bb0(%u: tensor<f32>, %v: tensor<f32>):
      %y = stablehlo.maximum %u, %v : tensor<f32>
      stablehlo.return %y : tensor<f32>
  }) : (tensor<3x400x5xf32>, tensor<f32>) -> tensor<3x36x5xf32>
  %n6 = stablehlo.convert %w6 : (tensor<3x36x5xf32>) -> tensor<3x36x5xi32>
  %f6 = stablehlo.reshape %n6 : (tensor<3x36x5xi32>) -> tensor<540xi32>
  %j6 = stablehlo.iota dim = 0 : tensor<540xi32>
  %e6 = stablehlo.constant dense<11> : tensor<540xi32>
  %g6 = stablehlo.remainder %j6, %e6 : tensor<540xi32>
  %k6 = stablehlo.multiply %f6, %g6 : tensor<540xi32>
  %z6 = stablehlo.constant dense<0> : tensor<i32>
  %t6 = stablehlo.reduce(%k6 init: %z6) applies stablehlo.add across dimensions = [0] : (tensor<540xi32>, tensor<i32>) -> tensor<i32>
  // CHECK: s32[] 128018
  // The same, padded.
  %i7 = stablehlo.iota dim = 0 : tensor<6000xi32>
  %a7 = stablehlo.constant dense<7919> : tensor<6000xi32>
  %m7 = stablehlo.multiply %i7, %a7 : tensor<6000xi32>
  %b7 = stablehlo.constant dense<97> : tensor<6000xi32>
  %q7 = stablehlo.remainder %m7, %b7 : tensor<6000xi32>
  %h7 = stablehlo.constant dense<48> : tensor<6000xi32>
  %d7 = stablehlo.subtract %q7, %h7 : tensor<6000xi32>
  %c7 = stablehlo.convert %d7 : (tensor<6000xi32>) -> tensor<6000xi32>
  %x7 = stablehlo.reshape %c7 : (tensor<6000xi32>) -> tensor<3x400x5xi32>
  %s7 = stablehlo.constant dense<0> : tensor<i32>
  %w7 = "stablehlo.reduce_window"(%x7, %s7) <{window_dimensions = array<i64: 1, 64, 1>, window_strides = array<i64: 1, 7, 1>, base_dilations = array<i64: 1, 1, 1>, window_dilations = array<i64: 1, 1, 1>, padding = dense<[[0, 0], [9, 3], [0, 0]]> : tensor<3x2xi64>}> ({
    ^bb0(%u: tensor<i32>, %v: tensor<i32>):
      %y = stablehlo.add %u, %v : tensor<i32>
      stablehlo.return %y : tensor<i32>
  }) : (tensor<3x400x5xi32>, tensor<i32>) -> tensor<3x50x5xi32>
  %n7 = stablehlo.convert %w7 : (tensor<3x50x5xi32>) -> tensor<3x50x5xi32>
  %f7 = stablehlo.reshape %n7 : (tensor<3x50x5xi32>) -> tensor<750xi32>
  %j7 = stablehlo.iota dim = 0 : tensor<750xi32>
  %e7 = stablehlo.constant dense<11> : tensor<750xi32>
  %g7 = stablehlo.remainder %j7, %e7 : tensor<750xi32>
  %k7 = stablehlo.multiply %f7, %g7 : tensor<750xi32>
  %z7 = stablehlo.constant dense<0> : tensor<i32>
  %t7 = stablehlo.reduce(%k7 init: %z7) applies stablehlo.add across dimensions = [0] : (tensor<750xi32>, tensor<i32>) -> tensor<i32>
  // CHECK: s32[] 3393
  // Too many elements to be written out.
  %i8 = stablehlo.iota dim = 0 : tensor<6000xi32>
  %a8 = stablehlo.constant dense<7919> : tensor<6000xi32>
  %m8 = stablehlo.multiply %i8, %a8 : tensor<6000xi32>
  %b8 = stablehlo.constant dense<97> : tensor<6000xi32>
  %q8 = stablehlo.remainder %m8, %b8 : tensor<6000xi32>
  %h8 = stablehlo.constant dense<48> : tensor<6000xi32>
  %d8 = stablehlo.subtract %q8, %h8 : tensor<6000xi32>
  %c8 = stablehlo.convert %d8 : (tensor<6000xi32>) -> tensor<6000xf32>
  %x8 = stablehlo.reshape %c8 : (tensor<6000xf32>) -> tensor<3x400x5xf32>
  %s8 = stablehlo.constant dense<1000.0> : tensor<f32>
  %w8 = "stablehlo.reduce_window"(%x8, %s8) <{window_dimensions = array<i64: 1, 80, 1>, window_strides = array<i64: 1, 10, 1>, base_dilations = array<i64: 1, 1, 1>, window_dilations = array<i64: 1, 1, 1>, padding = dense<[[0, 0], [0, 0], [0, 0]]> : tensor<3x2xi64>}> ({
    ^bb0(%u: tensor<f32>, %v: tensor<f32>):
      %y = stablehlo.minimum %u, %v : tensor<f32>
      stablehlo.return %y : tensor<f32>
  }) : (tensor<3x400x5xf32>, tensor<f32>) -> tensor<3x33x5xf32>
  %n8 = stablehlo.convert %w8 : (tensor<3x33x5xf32>) -> tensor<3x33x5xi32>
  %f8 = stablehlo.reshape %n8 : (tensor<3x33x5xi32>) -> tensor<495xi32>
  %j8 = stablehlo.iota dim = 0 : tensor<495xi32>
  %e8 = stablehlo.constant dense<11> : tensor<495xi32>
  %g8 = stablehlo.remainder %j8, %e8 : tensor<495xi32>
  %k8 = stablehlo.multiply %f8, %g8 : tensor<495xi32>
  %z8 = stablehlo.constant dense<0> : tensor<i32>
  %t8 = stablehlo.reduce(%k8 init: %z8) applies stablehlo.add across dimensions = [0] : (tensor<495xi32>, tensor<i32>) -> tensor<i32>
  // CHECK: s32[] -118346
  // The last dimension.
  %i9 = stablehlo.iota dim = 0 : tensor<1200xi32>
  %a9 = stablehlo.constant dense<7919> : tensor<1200xi32>
  %m9 = stablehlo.multiply %i9, %a9 : tensor<1200xi32>
  %b9 = stablehlo.constant dense<97> : tensor<1200xi32>
  %q9 = stablehlo.remainder %m9, %b9 : tensor<1200xi32>
  %h9 = stablehlo.constant dense<48> : tensor<1200xi32>
  %d9 = stablehlo.subtract %q9, %h9 : tensor<1200xi32>
  %c9 = stablehlo.convert %d9 : (tensor<1200xi32>) -> tensor<1200xf32>
  %x9 = stablehlo.reshape %c9 : (tensor<1200xf32>) -> tensor<3x400xf32>
  %s9 = stablehlo.constant dense<0.0> : tensor<f32>
  %w9 = "stablehlo.reduce_window"(%x9, %s9) <{window_dimensions = array<i64: 1, 50>, window_strides = array<i64: 1, 10>, base_dilations = array<i64: 1, 1>, window_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [3, 30]]> : tensor<2x2xi64>}> ({
    ^bb0(%u: tensor<f32>, %v: tensor<f32>):
      %y = stablehlo.add %u, %v : tensor<f32>
      stablehlo.return %y : tensor<f32>
  }) : (tensor<3x400xf32>, tensor<f32>) -> tensor<3x39xf32>
  %n9 = stablehlo.convert %w9 : (tensor<3x39xf32>) -> tensor<3x39xi32>
  %f9 = stablehlo.reshape %n9 : (tensor<3x39xi32>) -> tensor<117xi32>
  %j9 = stablehlo.iota dim = 0 : tensor<117xi32>
  %e9 = stablehlo.constant dense<11> : tensor<117xi32>
  %g9 = stablehlo.remainder %j9, %e9 : tensor<117xi32>
  %k9 = stablehlo.multiply %f9, %g9 : tensor<117xi32>
  %z9 = stablehlo.constant dense<0> : tensor<i32>
  %t9 = stablehlo.reduce(%k9 init: %z9) applies stablehlo.add across dimensions = [0] : (tensor<117xi32>, tensor<i32>) -> tensor<i32>
  // CHECK: s32[] 230
  return %t0, %t1, %t2, %t3, %t4, %t5, %t6, %t7, %t8, %t9 : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
}
