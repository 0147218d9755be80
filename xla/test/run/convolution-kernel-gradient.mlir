// RUN: xla-run %s --backend=reference | FileCheck %s
// RUN: xla-run %s --backend=native | FileCheck %s

// Gradients of convolutions by their kernels, where spatial dimensions come last: whole
// numbers, weighted by their indices and summed.
func.func @main() -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) {
  // Spatial dimensions last.
  %i0 = stablehlo.iota dim = 0 : tensor<3168xi32>
  %a0 = stablehlo.constant dense<3> : tensor<3168xi32>
  %b0 = stablehlo.multiply %i0, %a0 : tensor<3168xi32>
  %c0 = stablehlo.constant dense<1> : tensor<3168xi32>
  %d0 = stablehlo.add %b0, %c0 : tensor<3168xi32>
  %e0 = stablehlo.constant dense<13> : tensor<3168xi32>
  %f0 = stablehlo.remainder %d0, %e0 : tensor<3168xi32>
  %g0 = stablehlo.constant dense<6> : tensor<3168xi32>
  %h0 = stablehlo.subtract %f0, %g0 : tensor<3168xi32>
  %k0 = stablehlo.convert %h0 : (tensor<3168xi32>) -> tensor<3168xf32>
  %x0 = stablehlo.reshape %k0 : (tensor<3168xf32>) -> tensor<3x8x12x11xf32>
  %i1 = stablehlo.iota dim = 0 : tensor<3960xi32>
  %a1 = stablehlo.constant dense<3> : tensor<3960xi32>
  %b1 = stablehlo.multiply %i1, %a1 : tensor<3960xi32>
  %c1 = stablehlo.constant dense<5> : tensor<3960xi32>
  %d1 = stablehlo.add %b1, %c1 : tensor<3960xi32>
  %e1 = stablehlo.constant dense<13> : tensor<3960xi32>
  %f1 = stablehlo.remainder %d1, %e1 : tensor<3960xi32>
  %g1 = stablehlo.constant dense<6> : tensor<3960xi32>
  %h1 = stablehlo.subtract %f1, %g1 : tensor<3960xi32>
  %k1 = stablehlo.convert %h1 : (tensor<3960xi32>) -> tensor<3960xf32>
  %x1 = stablehlo.reshape %k1 : (tensor<3960xf32>) -> tensor<3x10x12x11xf32>
  %o2 = stablehlo.convolution(%x0, %x1) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<3x8x12x11xf32>, tensor<3x10x12x11xf32>) -> tensor<10x8x3x3xf32>
  %no2 = stablehlo.convert %o2 : (tensor<10x8x3x3xf32>) -> tensor<10x8x3x3xi32>
  %fo2 = stablehlo.reshape %no2 : (tensor<10x8x3x3xi32>) -> tensor<720xi32>
  %jo2 = stablehlo.iota dim = 0 : tensor<720xi32>
  %eo2 = stablehlo.constant dense<11> : tensor<720xi32>
  %go2 = stablehlo.remainder %jo2, %eo2 : tensor<720xi32>
  %ko2 = stablehlo.multiply %fo2, %go2 : tensor<720xi32>
  %zo2 = stablehlo.constant dense<0> : tensor<i32>
  %to2 = stablehlo.reduce(%ko2 init: %zo2) applies stablehlo.add across dimensions = [0] : (tensor<720xi32>, tensor<i32>) -> tensor<i32>
  // CHECK: s32[] 35763
  // With a stride.
  %i3 = stablehlo.iota dim = 0 : tensor<4320xi32>
  %a3 = stablehlo.constant dense<3> : tensor<4320xi32>
  %b3 = stablehlo.multiply %i3, %a3 : tensor<4320xi32>
  %c3 = stablehlo.constant dense<1> : tensor<4320xi32>
  %d3 = stablehlo.add %b3, %c3 : tensor<4320xi32>
  %e3 = stablehlo.constant dense<13> : tensor<4320xi32>
  %f3 = stablehlo.remainder %d3, %e3 : tensor<4320xi32>
  %g3 = stablehlo.constant dense<6> : tensor<4320xi32>
  %h3 = stablehlo.subtract %f3, %g3 : tensor<4320xi32>
  %k3 = stablehlo.convert %h3 : (tensor<4320xi32>) -> tensor<4320xf64>
  %x3 = stablehlo.reshape %k3 : (tensor<4320xf64>) -> tensor<2x9x15x16xf64>
  %i4 = stablehlo.iota dim = 0 : tensor<896xi32>
  %a4 = stablehlo.constant dense<3> : tensor<896xi32>
  %b4 = stablehlo.multiply %i4, %a4 : tensor<896xi32>
  %c4 = stablehlo.constant dense<5> : tensor<896xi32>
  %d4 = stablehlo.add %b4, %c4 : tensor<896xi32>
  %e4 = stablehlo.constant dense<13> : tensor<896xi32>
  %f4 = stablehlo.remainder %d4, %e4 : tensor<896xi32>
  %g4 = stablehlo.constant dense<6> : tensor<896xi32>
  %h4 = stablehlo.subtract %f4, %g4 : tensor<896xi32>
  %k4 = stablehlo.convert %h4 : (tensor<896xi32>) -> tensor<896xf64>
  %x4 = stablehlo.reshape %k4 : (tensor<896xf64>) -> tensor<2x8x7x8xf64>
  %o5 = stablehlo.convolution(%x3, %x4) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1], window = {stride = [1, 1], pad = [[2, 0], [0, 2]], rhs_dilate = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x15x16xf64>, tensor<2x8x7x8xf64>) -> tensor<8x9x5x4xf64>
  %no5 = stablehlo.convert %o5 : (tensor<8x9x5x4xf64>) -> tensor<8x9x5x4xi32>
  %fo5 = stablehlo.reshape %no5 : (tensor<8x9x5x4xi32>) -> tensor<1440xi32>
  %jo5 = stablehlo.iota dim = 0 : tensor<1440xi32>
  %eo5 = stablehlo.constant dense<11> : tensor<1440xi32>
  %go5 = stablehlo.remainder %jo5, %eo5 : tensor<1440xi32>
  %ko5 = stablehlo.multiply %fo5, %go5 : tensor<1440xi32>
  %zo5 = stablehlo.constant dense<0> : tensor<i32>
  %to5 = stablehlo.reduce(%ko5 init: %zo5) applies stablehlo.add across dimensions = [0] : (tensor<1440xi32>, tensor<i32>) -> tensor<i32>
  // CHECK: s32[] 1635
  // With holes in the kernel.
  %i6 = stablehlo.iota dim = 0 : tensor<2912xi32>
  %a6 = stablehlo.constant dense<3> : tensor<2912xi32>
  %b6 = stablehlo.multiply %i6, %a6 : tensor<2912xi32>
  %c6 = stablehlo.constant dense<1> : tensor<2912xi32>
  %d6 = stablehlo.add %b6, %c6 : tensor<2912xi32>
  %e6 = stablehlo.constant dense<13> : tensor<2912xi32>
  %f6 = stablehlo.remainder %d6, %e6 : tensor<2912xi32>
  %g6 = stablehlo.constant dense<6> : tensor<2912xi32>
  %h6 = stablehlo.subtract %f6, %g6 : tensor<2912xi32>
  %k6 = stablehlo.convert %h6 : (tensor<2912xi32>) -> tensor<2912xf32>
  %x6 = stablehlo.reshape %k6 : (tensor<2912xf32>) -> tensor<2x8x14x13xf32>
  %i7 = stablehlo.iota dim = 0 : tensor<2400xi32>
  %a7 = stablehlo.constant dense<3> : tensor<2400xi32>
  %b7 = stablehlo.multiply %i7, %a7 : tensor<2400xi32>
  %c7 = stablehlo.constant dense<5> : tensor<2400xi32>
  %d7 = stablehlo.add %b7, %c7 : tensor<2400xi32>
  %e7 = stablehlo.constant dense<13> : tensor<2400xi32>
  %f7 = stablehlo.remainder %d7, %e7 : tensor<2400xi32>
  %g7 = stablehlo.constant dense<6> : tensor<2400xi32>
  %h7 = stablehlo.subtract %f7, %g7 : tensor<2400xi32>
  %k7 = stablehlo.convert %h7 : (tensor<2400xi32>) -> tensor<2400xf32>
  %x7 = stablehlo.reshape %k7 : (tensor<2400xf32>) -> tensor<2x8x10x15xf32>
  %o8 = stablehlo.convolution(%x6, %x7) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1], window = {stride = [2, 2], pad = [[0, 0], [2, 2]], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x14x13xf32>, tensor<2x8x10x15xf32>) -> tensor<8x8x3x2xf32>
  %no8 = stablehlo.convert %o8 : (tensor<8x8x3x2xf32>) -> tensor<8x8x3x2xi32>
  %fo8 = stablehlo.reshape %no8 : (tensor<8x8x3x2xi32>) -> tensor<384xi32>
  %jo8 = stablehlo.iota dim = 0 : tensor<384xi32>
  %eo8 = stablehlo.constant dense<11> : tensor<384xi32>
  %go8 = stablehlo.remainder %jo8, %eo8 : tensor<384xi32>
  %ko8 = stablehlo.multiply %fo8, %go8 : tensor<384xi32>
  %zo8 = stablehlo.constant dense<0> : tensor<i32>
  %to8 = stablehlo.reduce(%ko8 init: %zo8) applies stablehlo.add across dimensions = [0] : (tensor<384xi32>, tensor<i32>) -> tensor<i32>
  // CHECK: s32[] -18642
  // One feature of the input: no line to be read.
  %i9 = stablehlo.iota dim = 0 : tensor<1680xi32>
  %a9 = stablehlo.constant dense<3> : tensor<1680xi32>
  %b9 = stablehlo.multiply %i9, %a9 : tensor<1680xi32>
  %c9 = stablehlo.constant dense<1> : tensor<1680xi32>
  %d9 = stablehlo.add %b9, %c9 : tensor<1680xi32>
  %e9 = stablehlo.constant dense<13> : tensor<1680xi32>
  %f9 = stablehlo.remainder %d9, %e9 : tensor<1680xi32>
  %g9 = stablehlo.constant dense<6> : tensor<1680xi32>
  %h9 = stablehlo.subtract %f9, %g9 : tensor<1680xi32>
  %k9 = stablehlo.convert %h9 : (tensor<1680xi32>) -> tensor<1680xf32>
  %x9 = stablehlo.reshape %k9 : (tensor<1680xf32>) -> tensor<4x1x20x21xf32>
  %i10 = stablehlo.iota dim = 0 : tensor<3520xi32>
  %a10 = stablehlo.constant dense<3> : tensor<3520xi32>
  %b10 = stablehlo.multiply %i10, %a10 : tensor<3520xi32>
  %c10 = stablehlo.constant dense<5> : tensor<3520xi32>
  %d10 = stablehlo.add %b10, %c10 : tensor<3520xi32>
  %e10 = stablehlo.constant dense<13> : tensor<3520xi32>
  %f10 = stablehlo.remainder %d10, %e10 : tensor<3520xi32>
  %g10 = stablehlo.constant dense<6> : tensor<3520xi32>
  %h10 = stablehlo.subtract %f10, %g10 : tensor<3520xi32>
  %k10 = stablehlo.convert %h10 : (tensor<3520xi32>) -> tensor<3520xf32>
  %x10 = stablehlo.reshape %k10 : (tensor<3520xf32>) -> tensor<4x8x10x11xf32>
  %o11 = stablehlo.convolution(%x9, %x10) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1], window = {stride = [1, 1], pad = [[2, 1], [2, 2]], rhs_dilate = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x1x20x21xf32>, tensor<4x8x10x11xf32>) -> tensor<8x1x5x5xf32>
  %no11 = stablehlo.convert %o11 : (tensor<8x1x5x5xf32>) -> tensor<8x1x5x5xi32>
  %fo11 = stablehlo.reshape %no11 : (tensor<8x1x5x5xi32>) -> tensor<200xi32>
  %jo11 = stablehlo.iota dim = 0 : tensor<200xi32>
  %eo11 = stablehlo.constant dense<11> : tensor<200xi32>
  %go11 = stablehlo.remainder %jo11, %eo11 : tensor<200xi32>
  %ko11 = stablehlo.multiply %fo11, %go11 : tensor<200xi32>
  %zo11 = stablehlo.constant dense<0> : tensor<i32>
  %to11 = stablehlo.reduce(%ko11 init: %zo11) applies stablehlo.add across dimensions = [0] : (tensor<200xi32>, tensor<i32>) -> tensor<i32>
  // CHECK: s32[] 1973
  // Groups.
  %i12 = stablehlo.iota dim = 0 : tensor<5760xi32>
  %a12 = stablehlo.constant dense<3> : tensor<5760xi32>
  %b12 = stablehlo.multiply %i12, %a12 : tensor<5760xi32>
  %c12 = stablehlo.constant dense<1> : tensor<5760xi32>
  %d12 = stablehlo.add %b12, %c12 : tensor<5760xi32>
  %e12 = stablehlo.constant dense<13> : tensor<5760xi32>
  %f12 = stablehlo.remainder %d12, %e12 : tensor<5760xi32>
  %g12 = stablehlo.constant dense<6> : tensor<5760xi32>
  %h12 = stablehlo.subtract %f12, %g12 : tensor<5760xi32>
  %k12 = stablehlo.convert %h12 : (tensor<5760xi32>) -> tensor<5760xf32>
  %x12 = stablehlo.reshape %k12 : (tensor<5760xf32>) -> tensor<3x16x12x10xf32>
  %i13 = stablehlo.iota dim = 0 : tensor<5760xi32>
  %a13 = stablehlo.constant dense<3> : tensor<5760xi32>
  %b13 = stablehlo.multiply %i13, %a13 : tensor<5760xi32>
  %c13 = stablehlo.constant dense<5> : tensor<5760xi32>
  %d13 = stablehlo.add %b13, %c13 : tensor<5760xi32>
  %e13 = stablehlo.constant dense<13> : tensor<5760xi32>
  %f13 = stablehlo.remainder %d13, %e13 : tensor<5760xi32>
  %g13 = stablehlo.constant dense<6> : tensor<5760xi32>
  %h13 = stablehlo.subtract %f13, %g13 : tensor<5760xi32>
  %k13 = stablehlo.convert %h13 : (tensor<5760xi32>) -> tensor<5760xf32>
  %x13 = stablehlo.reshape %k13 : (tensor<5760xf32>) -> tensor<3x16x12x10xf32>
  %o14 = stablehlo.convolution(%x12, %x13) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], rhs_dilate = [1, 1]} {batch_group_count = 4 : i64, feature_group_count = 1 : i64} : (tensor<3x16x12x10xf32>, tensor<3x16x12x10xf32>) -> tensor<16x4x3x3xf32>
  %no14 = stablehlo.convert %o14 : (tensor<16x4x3x3xf32>) -> tensor<16x4x3x3xi32>
  %fo14 = stablehlo.reshape %no14 : (tensor<16x4x3x3xi32>) -> tensor<576xi32>
  %jo14 = stablehlo.iota dim = 0 : tensor<576xi32>
  %eo14 = stablehlo.constant dense<11> : tensor<576xi32>
  %go14 = stablehlo.remainder %jo14, %eo14 : tensor<576xi32>
  %ko14 = stablehlo.multiply %fo14, %go14 : tensor<576xi32>
  %zo14 = stablehlo.constant dense<0> : tensor<i32>
  %to14 = stablehlo.reduce(%ko14 init: %zo14) applies stablehlo.add across dimensions = [0] : (tensor<576xi32>, tensor<i32>) -> tensor<i32>
  // CHECK: s32[] 249413
  return %to2, %to5, %to8, %to11, %to14 : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
}
