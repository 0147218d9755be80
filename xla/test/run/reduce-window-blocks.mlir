// RUN: xla-run %s --backend=reference | FileCheck %s
// RUN: xla-run %s --backend=native | FileCheck %s

// Long windows with strides, of blocks that are folded first.
func.func @main() -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  // Blocks of ten in windows of fifty, padded in the middle of a block.
  %i0 = stablehlo.iota dim = 0 : tensor<9001xi32>
  %k0 = stablehlo.constant dense<7919> : tensor<9001xi32>
  %p0 = stablehlo.multiply %i0, %k0 : tensor<9001xi32>
  %m0 = stablehlo.constant dense<13> : tensor<9001xi32>
  %r0 = stablehlo.remainder %p0, %m0 : tensor<9001xi32>
  %o0 = stablehlo.constant dense<6> : tensor<9001xi32>
  %s0 = stablehlo.subtract %r0, %o0 : tensor<9001xi32>
  %f0 = stablehlo.convert %s0 : (tensor<9001xi32>) -> tensor<9001xf32>
  %x0 = stablehlo.reshape %f0 : (tensor<9001xf32>) -> tensor<9001xf32>
  %init0 = stablehlo.constant dense<0.0> : tensor<f32>
  %y0 = "stablehlo.reduce_window"(%x0, %init0) <{window_dimensions = array<i64: 50>, window_strides = array<i64: 10>, padding = dense<[[3, 18]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<9001xf32>, tensor<f32>) -> tensor<898xf32>
  %flat0 = stablehlo.reshape %y0 : (tensor<898xf32>) -> tensor<898xf32>
  %int0 = stablehlo.convert %flat0 : (tensor<898xf32>) -> tensor<898xi32>
  %iota0 = stablehlo.iota dim = 0 : tensor<898xi32>
  %weighted0 = stablehlo.multiply %int0, %iota0 : tensor<898xi32>
  %sum0 = stablehlo.reduce(%weighted0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<898xi32>, tensor<i32>) -> tensor<i32>
  // CHECK: s32[] -2689
  // Blocks of twenty, every second of which begins a window, along columns; a start that counts.
  %i1 = stablehlo.iota dim = 0 : tensor<38000xi32>
  %k1 = stablehlo.constant dense<7919> : tensor<38000xi32>
  %p1 = stablehlo.multiply %i1, %k1 : tensor<38000xi32>
  %m1 = stablehlo.constant dense<13> : tensor<38000xi32>
  %r1 = stablehlo.remainder %p1, %m1 : tensor<38000xi32>
  %o1 = stablehlo.constant dense<6> : tensor<38000xi32>
  %s1 = stablehlo.subtract %r1, %o1 : tensor<38000xi32>
  %f1 = stablehlo.convert %s1 : (tensor<38000xi32>) -> tensor<38000xf32>
  %x1 = stablehlo.reshape %f1 : (tensor<38000xf32>) -> tensor<2000x19xf32>
  %init1 = stablehlo.constant dense<3.0> : tensor<f32>
  %y1 = "stablehlo.reduce_window"(%x1, %init1) <{window_dimensions = array<i64: 400, 1>, window_strides = array<i64: 40, 1>, padding = dense<[[30, 50], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<2000x19xf32>, tensor<f32>) -> tensor<43x19xf32>
  %flat1 = stablehlo.reshape %y1 : (tensor<43x19xf32>) -> tensor<817xf32>
  %int1 = stablehlo.convert %flat1 : (tensor<817xf32>) -> tensor<817xi32>
  %iota1 = stablehlo.iota dim = 0 : tensor<817xi32>
  %weighted1 = stablehlo.multiply %int1, %iota1 : tensor<817xi32>
  %sum1 = stablehlo.reduce(%weighted1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<817xi32>, tensor<i32>) -> tensor<i32>
  // CHECK: s32[] 996324
  // Rows, an operand that is cut, the greatest.
  %i2 = stablehlo.iota dim = 0 : tensor<4500xi32>
  %k2 = stablehlo.constant dense<7919> : tensor<4500xi32>
  %p2 = stablehlo.multiply %i2, %k2 : tensor<4500xi32>
  %m2 = stablehlo.constant dense<17> : tensor<4500xi32>
  %r2 = stablehlo.remainder %p2, %m2 : tensor<4500xi32>
  %o2 = stablehlo.constant dense<8> : tensor<4500xi32>
  %s2 = stablehlo.subtract %r2, %o2 : tensor<4500xi32>
  %f2 = stablehlo.convert %s2 : (tensor<4500xi32>) -> tensor<4500xi32>
  %x2 = stablehlo.reshape %f2 : (tensor<4500xi32>) -> tensor<3x1500xi32>
  %init2 = stablehlo.constant dense<-1000> : tensor<i32>
  %y2 = "stablehlo.reduce_window"(%x2, %init2) <{window_dimensions = array<i64: 1, 96>, window_strides = array<i64: 1, 8>, padding = dense<[[0, 0], [-5, -3]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = stablehlo.maximum %a, %b : tensor<i32>
    stablehlo.return %c : tensor<i32>
  }) : (tensor<3x1500xi32>, tensor<i32>) -> tensor<3x175xi32>
  %flat2 = stablehlo.reshape %y2 : (tensor<3x175xi32>) -> tensor<525xi32>
  %int2 = stablehlo.convert %flat2 : (tensor<525xi32>) -> tensor<525xi32>
  %iota2 = stablehlo.iota dim = 0 : tensor<525xi32>
  %weighted2 = stablehlo.multiply %int2, %iota2 : tensor<525xi32>
  %sum2 = stablehlo.reduce(%weighted2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<525xi32>, tensor<i32>) -> tensor<i32>
  // CHECK: s32[] 1100400
  // Long blocks, bytes.
  %i3 = stablehlo.iota dim = 0 : tensor<5000xi32>
  %k3 = stablehlo.constant dense<7919> : tensor<5000xi32>
  %p3 = stablehlo.multiply %i3, %k3 : tensor<5000xi32>
  %m3 = stablehlo.constant dense<23> : tensor<5000xi32>
  %r3 = stablehlo.remainder %p3, %m3 : tensor<5000xi32>
  %o3 = stablehlo.constant dense<11> : tensor<5000xi32>
  %s3 = stablehlo.subtract %r3, %o3 : tensor<5000xi32>
  %f3 = stablehlo.convert %s3 : (tensor<5000xi32>) -> tensor<5000xi8>
  %x3 = stablehlo.reshape %f3 : (tensor<5000xi8>) -> tensor<5000xi8>
  %init3 = stablehlo.constant dense<100> : tensor<i8>
  %y3 = "stablehlo.reduce_window"(%x3, %init3) <{window_dimensions = array<i64: 200>, window_strides = array<i64: 20>, padding = dense<[[1, 40]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<i8>, %b: tensor<i8>):
    %c = stablehlo.minimum %a, %b : tensor<i8>
    stablehlo.return %c : tensor<i8>
  }) : (tensor<5000xi8>, tensor<i8>) -> tensor<243xi8>
  %flat3 = stablehlo.reshape %y3 : (tensor<243xi8>) -> tensor<243xi8>
  %int3 = stablehlo.convert %flat3 : (tensor<243xi8>) -> tensor<243xi32>
  %iota3 = stablehlo.iota dim = 0 : tensor<243xi32>
  %weighted3 = stablehlo.multiply %int3, %iota3 : tensor<243xi32>
  %sum3 = stablehlo.reduce(%weighted3 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<243xi32>, tensor<i32>) -> tensor<i32>
  // CHECK: s32[] -323433
  // Along the middle.
  %i4 = stablehlo.iota dim = 0 : tensor<7000xi32>
  %k4 = stablehlo.constant dense<7919> : tensor<7000xi32>
  %p4 = stablehlo.multiply %i4, %k4 : tensor<7000xi32>
  %m4 = stablehlo.constant dense<13> : tensor<7000xi32>
  %r4 = stablehlo.remainder %p4, %m4 : tensor<7000xi32>
  %o4 = stablehlo.constant dense<6> : tensor<7000xi32>
  %s4 = stablehlo.subtract %r4, %o4 : tensor<7000xi32>
  %f4 = stablehlo.convert %s4 : (tensor<7000xi32>) -> tensor<7000xi32>
  %x4 = stablehlo.reshape %f4 : (tensor<7000xi32>) -> tensor<2x700x5xi32>
  %init4 = stablehlo.constant dense<0> : tensor<i32>
  %y4 = "stablehlo.reduce_window"(%x4, %init4) <{window_dimensions = array<i64: 1, 60, 1>, window_strides = array<i64: 1, 6, 1>, padding = dense<[[0, 0], [0, 7], [0, 0]]> : tensor<3x2xi64>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %c : tensor<i32>
  }) : (tensor<2x700x5xi32>, tensor<i32>) -> tensor<2x108x5xi32>
  %flat4 = stablehlo.reshape %y4 : (tensor<2x108x5xi32>) -> tensor<1080xi32>
  %int4 = stablehlo.convert %flat4 : (tensor<1080xi32>) -> tensor<1080xi32>
  %iota4 = stablehlo.iota dim = 0 : tensor<1080xi32>
  %weighted4 = stablehlo.multiply %int4, %iota4 : tensor<1080xi32>
  %sum4 = stablehlo.reduce(%weighted4 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<1080xi32>, tensor<i32>) -> tensor<i32>
  // CHECK: s32[] -3134
  return %sum0, %sum1, %sum2, %sum3, %sum4 : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
}
