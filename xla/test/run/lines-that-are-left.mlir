// RUN: xla-run %s --backend=reference | FileCheck %s
// RUN: xla-run %s --backend=native | FileCheck %s

// Exponentials along lines that are no whole number of vectors, and their sums:
// what is left over is masked where that saves time.
func.func @main() -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %nought = stablehlo.constant dense<0.0> : tensor<f32>
  %i0 = stablehlo.iota dim = 0 : tensor<119xi32>
  %k0 = stablehlo.constant dense<37> : tensor<119xi32>
  %a0 = stablehlo.constant dense<1> : tensor<119xi32>
  %m0 = stablehlo.constant dense<101> : tensor<119xi32>
  %p0 = stablehlo.multiply %i0, %k0 : tensor<119xi32>
  %q0 = stablehlo.add %p0, %a0 : tensor<119xi32>
  %r0 = stablehlo.remainder %q0, %m0 : tensor<119xi32>
  %c0 = stablehlo.convert %r0 : (tensor<119xi32>) -> tensor<119xf32>
  %w0 = stablehlo.reshape %c0 : (tensor<119xf32>) -> tensor<7x17xf32>
  %x0 = stablehlo.optimization_barrier %w0 : tensor<7x17xf32>
  %l0 = stablehlo.constant dense<4.0> : tensor<17xf32>
  %b0 = stablehlo.optimization_barrier %l0 : tensor<17xf32>
  %d0 = stablehlo.broadcast_in_dim %b0, dims = [1] : (tensor<17xf32>) -> tensor<7x17xf32>
  %s0 = stablehlo.constant dense<0.0625> : tensor<7x17xf32>
  %y0 = stablehlo.multiply %x0, %s0 : tensor<7x17xf32>
  %z0 = stablehlo.subtract %y0, %d0 : tensor<7x17xf32>
  %e0 = stablehlo.exponential %z0 : tensor<7x17xf32>
  %scale0 = stablehlo.constant dense<8.0> : tensor<7x17xf32>
  %f0 = stablehlo.multiply %e0, %scale0 : tensor<7x17xf32>
  %g0 = stablehlo.round_nearest_even %f0 : tensor<7x17xf32>
  %h0 = stablehlo.convert %g0 : (tensor<7x17xf32>) -> tensor<7x17xi32>
  %o0 = stablehlo.reshape %h0 : (tensor<7x17xi32>) -> tensor<119xi32>
  %u0 = stablehlo.constant dense<13> : tensor<119xi32>
  %v0 = stablehlo.remainder %i0, %u0 : tensor<119xi32>
  %one0 = stablehlo.constant dense<1> : tensor<119xi32>
  %t0 = stablehlo.add %v0, %one0 : tensor<119xi32>
  %j0 = stablehlo.multiply %o0, %t0 : tensor<119xi32>
  // CHECK: s32[] 10388
  %all0 = stablehlo.reduce(%j0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<119xi32>, tensor<i32>) -> tensor<i32>
  %sums0 = stablehlo.reduce(%e0 init: %nought) applies stablehlo.add across dimensions = [1] : (tensor<7x17xf32>, tensor<f32>) -> tensor<7xf32>
  %rounded0 = stablehlo.round_nearest_even %sums0 : tensor<7xf32>
  %whole0 = stablehlo.convert %rounded0 : (tensor<7xf32>) -> tensor<7xi32>
  %row0 = stablehlo.iota dim = 0 : tensor<7xi32>
  %five0 = stablehlo.constant dense<5> : tensor<7xi32>
  %rest0 = stablehlo.remainder %row0, %five0 : tensor<7xi32>
  %first0 = stablehlo.constant dense<1> : tensor<7xi32>
  %weight0 = stablehlo.add %rest0, %first0 : tensor<7xi32>
  %weighted0 = stablehlo.multiply %whole0, %weight0 : tensor<7xi32>
  // CHECK: s32[] 470
  %rows0 = stablehlo.reduce(%weighted0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<7xi32>, tensor<i32>) -> tensor<i32>
  %i1 = stablehlo.iota dim = 0 : tensor<133xi32>
  %k1 = stablehlo.constant dense<37> : tensor<133xi32>
  %a1 = stablehlo.constant dense<1> : tensor<133xi32>
  %m1 = stablehlo.constant dense<101> : tensor<133xi32>
  %p1 = stablehlo.multiply %i1, %k1 : tensor<133xi32>
  %q1 = stablehlo.add %p1, %a1 : tensor<133xi32>
  %r1 = stablehlo.remainder %q1, %m1 : tensor<133xi32>
  %c1 = stablehlo.convert %r1 : (tensor<133xi32>) -> tensor<133xf32>
  %w1 = stablehlo.reshape %c1 : (tensor<133xf32>) -> tensor<7x19xf32>
  %x1 = stablehlo.optimization_barrier %w1 : tensor<7x19xf32>
  %l1 = stablehlo.constant dense<4.0> : tensor<19xf32>
  %b1 = stablehlo.optimization_barrier %l1 : tensor<19xf32>
  %d1 = stablehlo.broadcast_in_dim %b1, dims = [1] : (tensor<19xf32>) -> tensor<7x19xf32>
  %s1 = stablehlo.constant dense<0.0625> : tensor<7x19xf32>
  %y1 = stablehlo.multiply %x1, %s1 : tensor<7x19xf32>
  %z1 = stablehlo.subtract %y1, %d1 : tensor<7x19xf32>
  %e1 = stablehlo.exponential %z1 : tensor<7x19xf32>
  %scale1 = stablehlo.constant dense<8.0> : tensor<7x19xf32>
  %f1 = stablehlo.multiply %e1, %scale1 : tensor<7x19xf32>
  %g1 = stablehlo.round_nearest_even %f1 : tensor<7x19xf32>
  %h1 = stablehlo.convert %g1 : (tensor<7x19xf32>) -> tensor<7x19xi32>
  %o1 = stablehlo.reshape %h1 : (tensor<7x19xi32>) -> tensor<133xi32>
  %u1 = stablehlo.constant dense<13> : tensor<133xi32>
  %v1 = stablehlo.remainder %i1, %u1 : tensor<133xi32>
  %one1 = stablehlo.constant dense<1> : tensor<133xi32>
  %t1 = stablehlo.add %v1, %one1 : tensor<133xi32>
  %j1 = stablehlo.multiply %o1, %t1 : tensor<133xi32>
  // CHECK: s32[] 11561
  %all1 = stablehlo.reduce(%j1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<133xi32>, tensor<i32>) -> tensor<i32>
  %sums1 = stablehlo.reduce(%e1 init: %nought) applies stablehlo.add across dimensions = [1] : (tensor<7x19xf32>, tensor<f32>) -> tensor<7xf32>
  %rounded1 = stablehlo.round_nearest_even %sums1 : tensor<7xf32>
  %whole1 = stablehlo.convert %rounded1 : (tensor<7xf32>) -> tensor<7xi32>
  %row1 = stablehlo.iota dim = 0 : tensor<7xi32>
  %five1 = stablehlo.constant dense<5> : tensor<7xi32>
  %rest1 = stablehlo.remainder %row1, %five1 : tensor<7xi32>
  %first1 = stablehlo.constant dense<1> : tensor<7xi32>
  %weight1 = stablehlo.add %rest1, %first1 : tensor<7xi32>
  %weighted1 = stablehlo.multiply %whole1, %weight1 : tensor<7xi32>
  // CHECK: s32[] 547
  %rows1 = stablehlo.reduce(%weighted1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<7xi32>, tensor<i32>) -> tensor<i32>
  %i2 = stablehlo.iota dim = 0 : tensor<6000xi32>
  %k2 = stablehlo.constant dense<37> : tensor<6000xi32>
  %a2 = stablehlo.constant dense<1> : tensor<6000xi32>
  %m2 = stablehlo.constant dense<101> : tensor<6000xi32>
  %p2 = stablehlo.multiply %i2, %k2 : tensor<6000xi32>
  %q2 = stablehlo.add %p2, %a2 : tensor<6000xi32>
  %r2 = stablehlo.remainder %q2, %m2 : tensor<6000xi32>
  %c2 = stablehlo.convert %r2 : (tensor<6000xi32>) -> tensor<6000xf32>
  %w2 = stablehlo.reshape %c2 : (tensor<6000xf32>) -> tensor<300x20xf32>
  %x2 = stablehlo.optimization_barrier %w2 : tensor<300x20xf32>
  %l2 = stablehlo.constant dense<4.0> : tensor<20xf32>
  %b2 = stablehlo.optimization_barrier %l2 : tensor<20xf32>
  %d2 = stablehlo.broadcast_in_dim %b2, dims = [1] : (tensor<20xf32>) -> tensor<300x20xf32>
  %s2 = stablehlo.constant dense<0.0625> : tensor<300x20xf32>
  %y2 = stablehlo.multiply %x2, %s2 : tensor<300x20xf32>
  %z2 = stablehlo.subtract %y2, %d2 : tensor<300x20xf32>
  %e2 = stablehlo.exponential %z2 : tensor<300x20xf32>
  %scale2 = stablehlo.constant dense<8.0> : tensor<300x20xf32>
  %f2 = stablehlo.multiply %e2, %scale2 : tensor<300x20xf32>
  %g2 = stablehlo.round_nearest_even %f2 : tensor<300x20xf32>
  %h2 = stablehlo.convert %g2 : (tensor<300x20xf32>) -> tensor<300x20xi32>
  %o2 = stablehlo.reshape %h2 : (tensor<300x20xi32>) -> tensor<6000xi32>
  %u2 = stablehlo.constant dense<13> : tensor<6000xi32>
  %v2 = stablehlo.remainder %i2, %u2 : tensor<6000xi32>
  %one2 = stablehlo.constant dense<1> : tensor<6000xi32>
  %t2 = stablehlo.add %v2, %one2 : tensor<6000xi32>
  %j2 = stablehlo.multiply %o2, %t2 : tensor<6000xi32>
  // CHECK: s32[] 519157
  %all2 = stablehlo.reduce(%j2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<6000xi32>, tensor<i32>) -> tensor<i32>
  %sums2 = stablehlo.reduce(%e2 init: %nought) applies stablehlo.add across dimensions = [1] : (tensor<300x20xf32>, tensor<f32>) -> tensor<300xf32>
  %rounded2 = stablehlo.round_nearest_even %sums2 : tensor<300xf32>
  %whole2 = stablehlo.convert %rounded2 : (tensor<300xf32>) -> tensor<300xi32>
  %row2 = stablehlo.iota dim = 0 : tensor<300xi32>
  %five2 = stablehlo.constant dense<5> : tensor<300xi32>
  %rest2 = stablehlo.remainder %row2, %five2 : tensor<300xi32>
  %first2 = stablehlo.constant dense<1> : tensor<300xi32>
  %weight2 = stablehlo.add %rest2, %first2 : tensor<300xi32>
  %weighted2 = stablehlo.multiply %whole2, %weight2 : tensor<300xi32>
  // CHECK: s32[] 27865
  %rows2 = stablehlo.reduce(%weighted2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<300xi32>, tensor<i32>) -> tensor<i32>
  %i3 = stablehlo.iota dim = 0 : tensor<161xi32>
  %k3 = stablehlo.constant dense<37> : tensor<161xi32>
  %a3 = stablehlo.constant dense<1> : tensor<161xi32>
  %m3 = stablehlo.constant dense<101> : tensor<161xi32>
  %p3 = stablehlo.multiply %i3, %k3 : tensor<161xi32>
  %q3 = stablehlo.add %p3, %a3 : tensor<161xi32>
  %r3 = stablehlo.remainder %q3, %m3 : tensor<161xi32>
  %c3 = stablehlo.convert %r3 : (tensor<161xi32>) -> tensor<161xf32>
  %w3 = stablehlo.reshape %c3 : (tensor<161xf32>) -> tensor<7x23xf32>
  %x3 = stablehlo.optimization_barrier %w3 : tensor<7x23xf32>
  %l3 = stablehlo.constant dense<4.0> : tensor<23xf32>
  %b3 = stablehlo.optimization_barrier %l3 : tensor<23xf32>
  %d3 = stablehlo.broadcast_in_dim %b3, dims = [1] : (tensor<23xf32>) -> tensor<7x23xf32>
  %s3 = stablehlo.constant dense<0.0625> : tensor<7x23xf32>
  %y3 = stablehlo.multiply %x3, %s3 : tensor<7x23xf32>
  %z3 = stablehlo.subtract %y3, %d3 : tensor<7x23xf32>
  %e3 = stablehlo.exponential %z3 : tensor<7x23xf32>
  %scale3 = stablehlo.constant dense<8.0> : tensor<7x23xf32>
  %f3 = stablehlo.multiply %e3, %scale3 : tensor<7x23xf32>
  %g3 = stablehlo.round_nearest_even %f3 : tensor<7x23xf32>
  %h3 = stablehlo.convert %g3 : (tensor<7x23xf32>) -> tensor<7x23xi32>
  %o3 = stablehlo.reshape %h3 : (tensor<7x23xi32>) -> tensor<161xi32>
  %u3 = stablehlo.constant dense<13> : tensor<161xi32>
  %v3 = stablehlo.remainder %i3, %u3 : tensor<161xi32>
  %one3 = stablehlo.constant dense<1> : tensor<161xi32>
  %t3 = stablehlo.add %v3, %one3 : tensor<161xi32>
  %j3 = stablehlo.multiply %o3, %t3 : tensor<161xi32>
  // CHECK: s32[] 13925
  %all3 = stablehlo.reduce(%j3 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<161xi32>, tensor<i32>) -> tensor<i32>
  %sums3 = stablehlo.reduce(%e3 init: %nought) applies stablehlo.add across dimensions = [1] : (tensor<7x23xf32>, tensor<f32>) -> tensor<7xf32>
  %rounded3 = stablehlo.round_nearest_even %sums3 : tensor<7xf32>
  %whole3 = stablehlo.convert %rounded3 : (tensor<7xf32>) -> tensor<7xi32>
  %row3 = stablehlo.iota dim = 0 : tensor<7xi32>
  %five3 = stablehlo.constant dense<5> : tensor<7xi32>
  %rest3 = stablehlo.remainder %row3, %five3 : tensor<7xi32>
  %first3 = stablehlo.constant dense<1> : tensor<7xi32>
  %weight3 = stablehlo.add %rest3, %first3 : tensor<7xi32>
  %weighted3 = stablehlo.multiply %whole3, %weight3 : tensor<7xi32>
  // CHECK: s32[] 631
  %rows3 = stablehlo.reduce(%weighted3 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<7xi32>, tensor<i32>) -> tensor<i32>
  %i4 = stablehlo.iota dim = 0 : tensor<168xi32>
  %k4 = stablehlo.constant dense<37> : tensor<168xi32>
  %a4 = stablehlo.constant dense<1> : tensor<168xi32>
  %m4 = stablehlo.constant dense<101> : tensor<168xi32>
  %p4 = stablehlo.multiply %i4, %k4 : tensor<168xi32>
  %q4 = stablehlo.add %p4, %a4 : tensor<168xi32>
  %r4 = stablehlo.remainder %q4, %m4 : tensor<168xi32>
  %c4 = stablehlo.convert %r4 : (tensor<168xi32>) -> tensor<168xf32>
  %w4 = stablehlo.reshape %c4 : (tensor<168xf32>) -> tensor<7x24xf32>
  %x4 = stablehlo.optimization_barrier %w4 : tensor<7x24xf32>
  %l4 = stablehlo.constant dense<4.0> : tensor<24xf32>
  %b4 = stablehlo.optimization_barrier %l4 : tensor<24xf32>
  %d4 = stablehlo.broadcast_in_dim %b4, dims = [1] : (tensor<24xf32>) -> tensor<7x24xf32>
  %s4 = stablehlo.constant dense<0.0625> : tensor<7x24xf32>
  %y4 = stablehlo.multiply %x4, %s4 : tensor<7x24xf32>
  %z4 = stablehlo.subtract %y4, %d4 : tensor<7x24xf32>
  %e4 = stablehlo.exponential %z4 : tensor<7x24xf32>
  %scale4 = stablehlo.constant dense<8.0> : tensor<7x24xf32>
  %f4 = stablehlo.multiply %e4, %scale4 : tensor<7x24xf32>
  %g4 = stablehlo.round_nearest_even %f4 : tensor<7x24xf32>
  %h4 = stablehlo.convert %g4 : (tensor<7x24xf32>) -> tensor<7x24xi32>
  %o4 = stablehlo.reshape %h4 : (tensor<7x24xi32>) -> tensor<168xi32>
  %u4 = stablehlo.constant dense<13> : tensor<168xi32>
  %v4 = stablehlo.remainder %i4, %u4 : tensor<168xi32>
  %one4 = stablehlo.constant dense<1> : tensor<168xi32>
  %t4 = stablehlo.add %v4, %one4 : tensor<168xi32>
  %j4 = stablehlo.multiply %o4, %t4 : tensor<168xi32>
  // CHECK: s32[] 14816
  %all4 = stablehlo.reduce(%j4 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<168xi32>, tensor<i32>) -> tensor<i32>
  %sums4 = stablehlo.reduce(%e4 init: %nought) applies stablehlo.add across dimensions = [1] : (tensor<7x24xf32>, tensor<f32>) -> tensor<7xf32>
  %rounded4 = stablehlo.round_nearest_even %sums4 : tensor<7xf32>
  %whole4 = stablehlo.convert %rounded4 : (tensor<7xf32>) -> tensor<7xi32>
  %row4 = stablehlo.iota dim = 0 : tensor<7xi32>
  %five4 = stablehlo.constant dense<5> : tensor<7xi32>
  %rest4 = stablehlo.remainder %row4, %five4 : tensor<7xi32>
  %first4 = stablehlo.constant dense<1> : tensor<7xi32>
  %weight4 = stablehlo.add %rest4, %first4 : tensor<7xi32>
  %weighted4 = stablehlo.multiply %whole4, %weight4 : tensor<7xi32>
  // CHECK: s32[] 666
  %rows4 = stablehlo.reduce(%weighted4 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<7xi32>, tensor<i32>) -> tensor<i32>
  %i5 = stablehlo.iota dim = 0 : tensor<203xi32>
  %k5 = stablehlo.constant dense<37> : tensor<203xi32>
  %a5 = stablehlo.constant dense<1> : tensor<203xi32>
  %m5 = stablehlo.constant dense<101> : tensor<203xi32>
  %p5 = stablehlo.multiply %i5, %k5 : tensor<203xi32>
  %q5 = stablehlo.add %p5, %a5 : tensor<203xi32>
  %r5 = stablehlo.remainder %q5, %m5 : tensor<203xi32>
  %c5 = stablehlo.convert %r5 : (tensor<203xi32>) -> tensor<203xf32>
  %w5 = stablehlo.reshape %c5 : (tensor<203xf32>) -> tensor<7x29xf32>
  %x5 = stablehlo.optimization_barrier %w5 : tensor<7x29xf32>
  %l5 = stablehlo.constant dense<4.0> : tensor<29xf32>
  %b5 = stablehlo.optimization_barrier %l5 : tensor<29xf32>
  %d5 = stablehlo.broadcast_in_dim %b5, dims = [1] : (tensor<29xf32>) -> tensor<7x29xf32>
  %s5 = stablehlo.constant dense<0.0625> : tensor<7x29xf32>
  %y5 = stablehlo.multiply %x5, %s5 : tensor<7x29xf32>
  %z5 = stablehlo.subtract %y5, %d5 : tensor<7x29xf32>
  %e5 = stablehlo.exponential %z5 : tensor<7x29xf32>
  %scale5 = stablehlo.constant dense<8.0> : tensor<7x29xf32>
  %f5 = stablehlo.multiply %e5, %scale5 : tensor<7x29xf32>
  %g5 = stablehlo.round_nearest_even %f5 : tensor<7x29xf32>
  %h5 = stablehlo.convert %g5 : (tensor<7x29xf32>) -> tensor<7x29xi32>
  %o5 = stablehlo.reshape %h5 : (tensor<7x29xi32>) -> tensor<203xi32>
  %u5 = stablehlo.constant dense<13> : tensor<203xi32>
  %v5 = stablehlo.remainder %i5, %u5 : tensor<203xi32>
  %one5 = stablehlo.constant dense<1> : tensor<203xi32>
  %t5 = stablehlo.add %v5, %one5 : tensor<203xi32>
  %j5 = stablehlo.multiply %o5, %t5 : tensor<203xi32>
  // CHECK: s32[] 17886
  %all5 = stablehlo.reduce(%j5 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<203xi32>, tensor<i32>) -> tensor<i32>
  %sums5 = stablehlo.reduce(%e5 init: %nought) applies stablehlo.add across dimensions = [1] : (tensor<7x29xf32>, tensor<f32>) -> tensor<7xf32>
  %rounded5 = stablehlo.round_nearest_even %sums5 : tensor<7xf32>
  %whole5 = stablehlo.convert %rounded5 : (tensor<7xf32>) -> tensor<7xi32>
  %row5 = stablehlo.iota dim = 0 : tensor<7xi32>
  %five5 = stablehlo.constant dense<5> : tensor<7xi32>
  %rest5 = stablehlo.remainder %row5, %five5 : tensor<7xi32>
  %first5 = stablehlo.constant dense<1> : tensor<7xi32>
  %weight5 = stablehlo.add %rest5, %first5 : tensor<7xi32>
  %weighted5 = stablehlo.multiply %whole5, %weight5 : tensor<7xi32>
  // CHECK: s32[] 800
  %rows5 = stablehlo.reduce(%weighted5 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<7xi32>, tensor<i32>) -> tensor<i32>
  %i6 = stablehlo.iota dim = 0 : tensor<217xi32>
  %k6 = stablehlo.constant dense<37> : tensor<217xi32>
  %a6 = stablehlo.constant dense<1> : tensor<217xi32>
  %m6 = stablehlo.constant dense<101> : tensor<217xi32>
  %p6 = stablehlo.multiply %i6, %k6 : tensor<217xi32>
  %q6 = stablehlo.add %p6, %a6 : tensor<217xi32>
  %r6 = stablehlo.remainder %q6, %m6 : tensor<217xi32>
  %c6 = stablehlo.convert %r6 : (tensor<217xi32>) -> tensor<217xf32>
  %w6 = stablehlo.reshape %c6 : (tensor<217xf32>) -> tensor<7x31xf32>
  %x6 = stablehlo.optimization_barrier %w6 : tensor<7x31xf32>
  %l6 = stablehlo.constant dense<4.0> : tensor<31xf32>
  %b6 = stablehlo.optimization_barrier %l6 : tensor<31xf32>
  %d6 = stablehlo.broadcast_in_dim %b6, dims = [1] : (tensor<31xf32>) -> tensor<7x31xf32>
  %s6 = stablehlo.constant dense<0.0625> : tensor<7x31xf32>
  %y6 = stablehlo.multiply %x6, %s6 : tensor<7x31xf32>
  %z6 = stablehlo.subtract %y6, %d6 : tensor<7x31xf32>
  %e6 = stablehlo.exponential %z6 : tensor<7x31xf32>
  %scale6 = stablehlo.constant dense<8.0> : tensor<7x31xf32>
  %f6 = stablehlo.multiply %e6, %scale6 : tensor<7x31xf32>
  %g6 = stablehlo.round_nearest_even %f6 : tensor<7x31xf32>
  %h6 = stablehlo.convert %g6 : (tensor<7x31xf32>) -> tensor<7x31xi32>
  %o6 = stablehlo.reshape %h6 : (tensor<7x31xi32>) -> tensor<217xi32>
  %u6 = stablehlo.constant dense<13> : tensor<217xi32>
  %v6 = stablehlo.remainder %i6, %u6 : tensor<217xi32>
  %one6 = stablehlo.constant dense<1> : tensor<217xi32>
  %t6 = stablehlo.add %v6, %one6 : tensor<217xi32>
  %j6 = stablehlo.multiply %o6, %t6 : tensor<217xi32>
  // CHECK: s32[] 18889
  %all6 = stablehlo.reduce(%j6 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<217xi32>, tensor<i32>) -> tensor<i32>
  %sums6 = stablehlo.reduce(%e6 init: %nought) applies stablehlo.add across dimensions = [1] : (tensor<7x31xf32>, tensor<f32>) -> tensor<7xf32>
  %rounded6 = stablehlo.round_nearest_even %sums6 : tensor<7xf32>
  %whole6 = stablehlo.convert %rounded6 : (tensor<7xf32>) -> tensor<7xi32>
  %row6 = stablehlo.iota dim = 0 : tensor<7xi32>
  %five6 = stablehlo.constant dense<5> : tensor<7xi32>
  %rest6 = stablehlo.remainder %row6, %five6 : tensor<7xi32>
  %first6 = stablehlo.constant dense<1> : tensor<7xi32>
  %weight6 = stablehlo.add %rest6, %first6 : tensor<7xi32>
  %weighted6 = stablehlo.multiply %whole6, %weight6 : tensor<7xi32>
  // CHECK: s32[] 835
  %rows6 = stablehlo.reduce(%weighted6 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<7xi32>, tensor<i32>) -> tensor<i32>
  %i7 = stablehlo.iota dim = 0 : tensor<329xi32>
  %k7 = stablehlo.constant dense<37> : tensor<329xi32>
  %a7 = stablehlo.constant dense<1> : tensor<329xi32>
  %m7 = stablehlo.constant dense<101> : tensor<329xi32>
  %p7 = stablehlo.multiply %i7, %k7 : tensor<329xi32>
  %q7 = stablehlo.add %p7, %a7 : tensor<329xi32>
  %r7 = stablehlo.remainder %q7, %m7 : tensor<329xi32>
  %c7 = stablehlo.convert %r7 : (tensor<329xi32>) -> tensor<329xf32>
  %w7 = stablehlo.reshape %c7 : (tensor<329xf32>) -> tensor<7x47xf32>
  %x7 = stablehlo.optimization_barrier %w7 : tensor<7x47xf32>
  %l7 = stablehlo.constant dense<4.0> : tensor<47xf32>
  %b7 = stablehlo.optimization_barrier %l7 : tensor<47xf32>
  %d7 = stablehlo.broadcast_in_dim %b7, dims = [1] : (tensor<47xf32>) -> tensor<7x47xf32>
  %s7 = stablehlo.constant dense<0.0625> : tensor<7x47xf32>
  %y7 = stablehlo.multiply %x7, %s7 : tensor<7x47xf32>
  %z7 = stablehlo.subtract %y7, %d7 : tensor<7x47xf32>
  %e7 = stablehlo.exponential %z7 : tensor<7x47xf32>
  %scale7 = stablehlo.constant dense<8.0> : tensor<7x47xf32>
  %f7 = stablehlo.multiply %e7, %scale7 : tensor<7x47xf32>
  %g7 = stablehlo.round_nearest_even %f7 : tensor<7x47xf32>
  %h7 = stablehlo.convert %g7 : (tensor<7x47xf32>) -> tensor<7x47xi32>
  %o7 = stablehlo.reshape %h7 : (tensor<7x47xi32>) -> tensor<329xi32>
  %u7 = stablehlo.constant dense<13> : tensor<329xi32>
  %v7 = stablehlo.remainder %i7, %u7 : tensor<329xi32>
  %one7 = stablehlo.constant dense<1> : tensor<329xi32>
  %t7 = stablehlo.add %v7, %one7 : tensor<329xi32>
  %j7 = stablehlo.multiply %o7, %t7 : tensor<329xi32>
  // CHECK: s32[] 28733
  %all7 = stablehlo.reduce(%j7 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<329xi32>, tensor<i32>) -> tensor<i32>
  %sums7 = stablehlo.reduce(%e7 init: %nought) applies stablehlo.add across dimensions = [1] : (tensor<7x47xf32>, tensor<f32>) -> tensor<7xf32>
  %rounded7 = stablehlo.round_nearest_even %sums7 : tensor<7xf32>
  %whole7 = stablehlo.convert %rounded7 : (tensor<7xf32>) -> tensor<7xi32>
  %row7 = stablehlo.iota dim = 0 : tensor<7xi32>
  %five7 = stablehlo.constant dense<5> : tensor<7xi32>
  %rest7 = stablehlo.remainder %row7, %five7 : tensor<7xi32>
  %first7 = stablehlo.constant dense<1> : tensor<7xi32>
  %weight7 = stablehlo.add %rest7, %first7 : tensor<7xi32>
  %weighted7 = stablehlo.multiply %whole7, %weight7 : tensor<7xi32>
  // CHECK: s32[] 1303
  %rows7 = stablehlo.reduce(%weighted7 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<7xi32>, tensor<i32>) -> tensor<i32>
  %i8 = stablehlo.iota dim = 0 : tensor<441xi32>
  %k8 = stablehlo.constant dense<37> : tensor<441xi32>
  %a8 = stablehlo.constant dense<1> : tensor<441xi32>
  %m8 = stablehlo.constant dense<101> : tensor<441xi32>
  %p8 = stablehlo.multiply %i8, %k8 : tensor<441xi32>
  %q8 = stablehlo.add %p8, %a8 : tensor<441xi32>
  %r8 = stablehlo.remainder %q8, %m8 : tensor<441xi32>
  %c8 = stablehlo.convert %r8 : (tensor<441xi32>) -> tensor<441xf32>
  %w8 = stablehlo.reshape %c8 : (tensor<441xf32>) -> tensor<7x63xf32>
  %x8 = stablehlo.optimization_barrier %w8 : tensor<7x63xf32>
  %l8 = stablehlo.constant dense<4.0> : tensor<63xf32>
  %b8 = stablehlo.optimization_barrier %l8 : tensor<63xf32>
  %d8 = stablehlo.broadcast_in_dim %b8, dims = [1] : (tensor<63xf32>) -> tensor<7x63xf32>
  %s8 = stablehlo.constant dense<0.0625> : tensor<7x63xf32>
  %y8 = stablehlo.multiply %x8, %s8 : tensor<7x63xf32>
  %z8 = stablehlo.subtract %y8, %d8 : tensor<7x63xf32>
  %e8 = stablehlo.exponential %z8 : tensor<7x63xf32>
  %scale8 = stablehlo.constant dense<8.0> : tensor<7x63xf32>
  %f8 = stablehlo.multiply %e8, %scale8 : tensor<7x63xf32>
  %g8 = stablehlo.round_nearest_even %f8 : tensor<7x63xf32>
  %h8 = stablehlo.convert %g8 : (tensor<7x63xf32>) -> tensor<7x63xi32>
  %o8 = stablehlo.reshape %h8 : (tensor<7x63xi32>) -> tensor<441xi32>
  %u8 = stablehlo.constant dense<13> : tensor<441xi32>
  %v8 = stablehlo.remainder %i8, %u8 : tensor<441xi32>
  %one8 = stablehlo.constant dense<1> : tensor<441xi32>
  %t8 = stablehlo.add %v8, %one8 : tensor<441xi32>
  %j8 = stablehlo.multiply %o8, %t8 : tensor<441xi32>
  // CHECK: s32[] 38232
  %all8 = stablehlo.reduce(%j8 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<441xi32>, tensor<i32>) -> tensor<i32>
  %sums8 = stablehlo.reduce(%e8 init: %nought) applies stablehlo.add across dimensions = [1] : (tensor<7x63xf32>, tensor<f32>) -> tensor<7xf32>
  %rounded8 = stablehlo.round_nearest_even %sums8 : tensor<7xf32>
  %whole8 = stablehlo.convert %rounded8 : (tensor<7xf32>) -> tensor<7xi32>
  %row8 = stablehlo.iota dim = 0 : tensor<7xi32>
  %five8 = stablehlo.constant dense<5> : tensor<7xi32>
  %rest8 = stablehlo.remainder %row8, %five8 : tensor<7xi32>
  %first8 = stablehlo.constant dense<1> : tensor<7xi32>
  %weight8 = stablehlo.add %rest8, %first8 : tensor<7xi32>
  %weighted8 = stablehlo.multiply %whole8, %weight8 : tensor<7xi32>
  // CHECK: s32[] 1736
  %rows8 = stablehlo.reduce(%weighted8 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<7xi32>, tensor<i32>) -> tensor<i32>
  %i9 = stablehlo.iota dim = 0 : tensor<539xi32>
  %k9 = stablehlo.constant dense<37> : tensor<539xi32>
  %a9 = stablehlo.constant dense<1> : tensor<539xi32>
  %m9 = stablehlo.constant dense<101> : tensor<539xi32>
  %p9 = stablehlo.multiply %i9, %k9 : tensor<539xi32>
  %q9 = stablehlo.add %p9, %a9 : tensor<539xi32>
  %r9 = stablehlo.remainder %q9, %m9 : tensor<539xi32>
  %c9 = stablehlo.convert %r9 : (tensor<539xi32>) -> tensor<539xf32>
  %w9 = stablehlo.reshape %c9 : (tensor<539xf32>) -> tensor<7x77xf32>
  %x9 = stablehlo.optimization_barrier %w9 : tensor<7x77xf32>
  %l9 = stablehlo.constant dense<4.0> : tensor<77xf32>
  %b9 = stablehlo.optimization_barrier %l9 : tensor<77xf32>
  %d9 = stablehlo.broadcast_in_dim %b9, dims = [1] : (tensor<77xf32>) -> tensor<7x77xf32>
  %s9 = stablehlo.constant dense<0.0625> : tensor<7x77xf32>
  %y9 = stablehlo.multiply %x9, %s9 : tensor<7x77xf32>
  %z9 = stablehlo.subtract %y9, %d9 : tensor<7x77xf32>
  %e9 = stablehlo.exponential %z9 : tensor<7x77xf32>
  %scale9 = stablehlo.constant dense<8.0> : tensor<7x77xf32>
  %f9 = stablehlo.multiply %e9, %scale9 : tensor<7x77xf32>
  %g9 = stablehlo.round_nearest_even %f9 : tensor<7x77xf32>
  %h9 = stablehlo.convert %g9 : (tensor<7x77xf32>) -> tensor<7x77xi32>
  %o9 = stablehlo.reshape %h9 : (tensor<7x77xi32>) -> tensor<539xi32>
  %u9 = stablehlo.constant dense<13> : tensor<539xi32>
  %v9 = stablehlo.remainder %i9, %u9 : tensor<539xi32>
  %one9 = stablehlo.constant dense<1> : tensor<539xi32>
  %t9 = stablehlo.add %v9, %one9 : tensor<539xi32>
  %j9 = stablehlo.multiply %o9, %t9 : tensor<539xi32>
  // CHECK: s32[] 46387
  %all9 = stablehlo.reduce(%j9 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<539xi32>, tensor<i32>) -> tensor<i32>
  %sums9 = stablehlo.reduce(%e9 init: %nought) applies stablehlo.add across dimensions = [1] : (tensor<7x77xf32>, tensor<f32>) -> tensor<7xf32>
  %rounded9 = stablehlo.round_nearest_even %sums9 : tensor<7xf32>
  %whole9 = stablehlo.convert %rounded9 : (tensor<7xf32>) -> tensor<7xi32>
  %row9 = stablehlo.iota dim = 0 : tensor<7xi32>
  %five9 = stablehlo.constant dense<5> : tensor<7xi32>
  %rest9 = stablehlo.remainder %row9, %five9 : tensor<7xi32>
  %first9 = stablehlo.constant dense<1> : tensor<7xi32>
  %weight9 = stablehlo.add %rest9, %first9 : tensor<7xi32>
  %weighted9 = stablehlo.multiply %whole9, %weight9 : tensor<7xi32>
  // CHECK: s32[] 2150
  %rows9 = stablehlo.reduce(%weighted9 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<7xi32>, tensor<i32>) -> tensor<i32>
  %i10 = stablehlo.iota dim = 0 : tensor<700xi32>
  %k10 = stablehlo.constant dense<37> : tensor<700xi32>
  %a10 = stablehlo.constant dense<1> : tensor<700xi32>
  %m10 = stablehlo.constant dense<101> : tensor<700xi32>
  %p10 = stablehlo.multiply %i10, %k10 : tensor<700xi32>
  %q10 = stablehlo.add %p10, %a10 : tensor<700xi32>
  %r10 = stablehlo.remainder %q10, %m10 : tensor<700xi32>
  %c10 = stablehlo.convert %r10 : (tensor<700xi32>) -> tensor<700xf32>
  %w10 = stablehlo.reshape %c10 : (tensor<700xf32>) -> tensor<7x100xf32>
  %x10 = stablehlo.optimization_barrier %w10 : tensor<7x100xf32>
  %l10 = stablehlo.constant dense<4.0> : tensor<100xf32>
  %b10 = stablehlo.optimization_barrier %l10 : tensor<100xf32>
  %d10 = stablehlo.broadcast_in_dim %b10, dims = [1] : (tensor<100xf32>) -> tensor<7x100xf32>
  %s10 = stablehlo.constant dense<0.0625> : tensor<7x100xf32>
  %y10 = stablehlo.multiply %x10, %s10 : tensor<7x100xf32>
  %z10 = stablehlo.subtract %y10, %d10 : tensor<7x100xf32>
  %e10 = stablehlo.exponential %z10 : tensor<7x100xf32>
  %scale10 = stablehlo.constant dense<8.0> : tensor<7x100xf32>
  %f10 = stablehlo.multiply %e10, %scale10 : tensor<7x100xf32>
  %g10 = stablehlo.round_nearest_even %f10 : tensor<7x100xf32>
  %h10 = stablehlo.convert %g10 : (tensor<7x100xf32>) -> tensor<7x100xi32>
  %o10 = stablehlo.reshape %h10 : (tensor<7x100xi32>) -> tensor<700xi32>
  %u10 = stablehlo.constant dense<13> : tensor<700xi32>
  %v10 = stablehlo.remainder %i10, %u10 : tensor<700xi32>
  %one10 = stablehlo.constant dense<1> : tensor<700xi32>
  %t10 = stablehlo.add %v10, %one10 : tensor<700xi32>
  %j10 = stablehlo.multiply %o10, %t10 : tensor<700xi32>
  // CHECK: s32[] 60800
  %all10 = stablehlo.reduce(%j10 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<700xi32>, tensor<i32>) -> tensor<i32>
  %sums10 = stablehlo.reduce(%e10 init: %nought) applies stablehlo.add across dimensions = [1] : (tensor<7x100xf32>, tensor<f32>) -> tensor<7xf32>
  %rounded10 = stablehlo.round_nearest_even %sums10 : tensor<7xf32>
  %whole10 = stablehlo.convert %rounded10 : (tensor<7xf32>) -> tensor<7xi32>
  %row10 = stablehlo.iota dim = 0 : tensor<7xi32>
  %five10 = stablehlo.constant dense<5> : tensor<7xi32>
  %rest10 = stablehlo.remainder %row10, %five10 : tensor<7xi32>
  %first10 = stablehlo.constant dense<1> : tensor<7xi32>
  %weight10 = stablehlo.add %rest10, %first10 : tensor<7xi32>
  %weighted10 = stablehlo.multiply %whole10, %weight10 : tensor<7xi32>
  // CHECK: s32[] 2789
  %rows10 = stablehlo.reduce(%weighted10 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<7xi32>, tensor<i32>) -> tensor<i32>
  return %all0, %rows0, %all1, %rows1, %all2, %rows2, %all3, %rows3, %all4, %rows4, %all5, %rows5, %all6, %rows6, %all7, %rows7, %all8, %rows8, %all9, %rows9, %all10, %rows10 : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
}
