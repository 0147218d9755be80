// RUN: xla-run %s --backend=reference | FileCheck %s
// RUN: xla-run %s --backend=native | FileCheck %s

// Products of few lines of complex numbers with many columns.
func.func @main() -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %x0ai = stablehlo.iota dim = 0 : tensor<40xi32>
  %x0am = stablehlo.constant dense<3> : tensor<40xi32>
  %x0ar = stablehlo.remainder %x0ai, %x0am : tensor<40xi32>
  %x0af = stablehlo.convert %x0ar : (tensor<40xi32>) -> tensor<40xf32>
  %x0bi = stablehlo.iota dim = 0 : tensor<40xi32>
  %x0bm = stablehlo.constant dense<5> : tensor<40xi32>
  %x0br = stablehlo.remainder %x0bi, %x0bm : tensor<40xi32>
  %x0bf = stablehlo.convert %x0br : (tensor<40xi32>) -> tensor<40xf32>
  %x0c = stablehlo.complex %x0af, %x0bf : tensor<40xcomplex<f32>>
  %x0 = stablehlo.reshape %x0c : (tensor<40xcomplex<f32>>) -> tensor<1x40xcomplex<f32>>
  %y0ai = stablehlo.iota dim = 0 : tensor<12000xi32>
  %y0am = stablehlo.constant dense<5> : tensor<12000xi32>
  %y0ar = stablehlo.remainder %y0ai, %y0am : tensor<12000xi32>
  %y0af = stablehlo.convert %y0ar : (tensor<12000xi32>) -> tensor<12000xf32>
  %y0bi = stablehlo.iota dim = 0 : tensor<12000xi32>
  %y0bm = stablehlo.constant dense<7> : tensor<12000xi32>
  %y0br = stablehlo.remainder %y0bi, %y0bm : tensor<12000xi32>
  %y0bf = stablehlo.convert %y0br : (tensor<12000xi32>) -> tensor<12000xf32>
  %y0c = stablehlo.complex %y0af, %y0bf : tensor<12000xcomplex<f32>>
  %y0 = stablehlo.reshape %y0c : (tensor<12000xcomplex<f32>>) -> tensor<40x300xcomplex<f32>>
  %z0 = stablehlo.dot_general %x0, %y0, contracting_dims = [1] x [0] : (tensor<1x40xcomplex<f32>>, tensor<40x300xcomplex<f32>>) -> tensor<1x300xcomplex<f32>>
  %flat0 = stablehlo.reshape %z0 : (tensor<1x300xcomplex<f32>>) -> tensor<300xcomplex<f32>>
  %iota0 = stablehlo.iota dim = 0 : tensor<300xi32>
  %real0 = stablehlo.real %flat0 : (tensor<300xcomplex<f32>>) -> tensor<300xf32>
  %realint0 = stablehlo.convert %real0 : (tensor<300xf32>) -> tensor<300xi32>
  %realw0 = stablehlo.multiply %realint0, %iota0 : tensor<300xi32>
  // CHECK: s32[] -7237785
  %realsum0 = stablehlo.reduce(%realw0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<300xi32>, tensor<i32>) -> tensor<i32>
  %imag0 = stablehlo.imag %flat0 : (tensor<300xcomplex<f32>>) -> tensor<300xf32>
  %imagint0 = stablehlo.convert %imag0 : (tensor<300xf32>) -> tensor<300xi32>
  %imagw0 = stablehlo.multiply %imagint0, %iota0 : tensor<300xi32>
  // CHECK: s32[] 12468749
  %imagsum0 = stablehlo.reduce(%imagw0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<300xi32>, tensor<i32>) -> tensor<i32>

  %x1ai = stablehlo.iota dim = 0 : tensor<17xi32>
  %x1am = stablehlo.constant dense<3> : tensor<17xi32>
  %x1ar = stablehlo.remainder %x1ai, %x1am : tensor<17xi32>
  %x1af = stablehlo.convert %x1ar : (tensor<17xi32>) -> tensor<17xf32>
  %x1bi = stablehlo.iota dim = 0 : tensor<17xi32>
  %x1bm = stablehlo.constant dense<5> : tensor<17xi32>
  %x1br = stablehlo.remainder %x1bi, %x1bm : tensor<17xi32>
  %x1bf = stablehlo.convert %x1br : (tensor<17xi32>) -> tensor<17xf32>
  %x1c = stablehlo.complex %x1af, %x1bf : tensor<17xcomplex<f32>>
  %x1 = stablehlo.reshape %x1c : (tensor<17xcomplex<f32>>) -> tensor<1x17xcomplex<f32>>
  %y1ai = stablehlo.iota dim = 0 : tensor<272xi32>
  %y1am = stablehlo.constant dense<5> : tensor<272xi32>
  %y1ar = stablehlo.remainder %y1ai, %y1am : tensor<272xi32>
  %y1af = stablehlo.convert %y1ar : (tensor<272xi32>) -> tensor<272xf32>
  %y1bi = stablehlo.iota dim = 0 : tensor<272xi32>
  %y1bm = stablehlo.constant dense<7> : tensor<272xi32>
  %y1br = stablehlo.remainder %y1bi, %y1bm : tensor<272xi32>
  %y1bf = stablehlo.convert %y1br : (tensor<272xi32>) -> tensor<272xf32>
  %y1c = stablehlo.complex %y1af, %y1bf : tensor<272xcomplex<f32>>
  %y1 = stablehlo.reshape %y1c : (tensor<272xcomplex<f32>>) -> tensor<17x16xcomplex<f32>>
  %z1 = stablehlo.dot_general %x1, %y1, contracting_dims = [1] x [0] : (tensor<1x17xcomplex<f32>>, tensor<17x16xcomplex<f32>>) -> tensor<1x16xcomplex<f32>>
  %flat1 = stablehlo.reshape %z1 : (tensor<1x16xcomplex<f32>>) -> tensor<16xcomplex<f32>>
  %iota1 = stablehlo.iota dim = 0 : tensor<16xi32>
  %real1 = stablehlo.real %flat1 : (tensor<16xcomplex<f32>>) -> tensor<16xf32>
  %realint1 = stablehlo.convert %real1 : (tensor<16xf32>) -> tensor<16xi32>
  %realw1 = stablehlo.multiply %realint1, %iota1 : tensor<16xi32>
  // CHECK: s32[] -7337
  %realsum1 = stablehlo.reduce(%realw1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<16xi32>, tensor<i32>) -> tensor<i32>
  %imag1 = stablehlo.imag %flat1 : (tensor<16xcomplex<f32>>) -> tensor<16xf32>
  %imagint1 = stablehlo.convert %imag1 : (tensor<16xf32>) -> tensor<16xi32>
  %imagw1 = stablehlo.multiply %imagint1, %iota1 : tensor<16xi32>
  // CHECK: s32[] 13283
  %imagsum1 = stablehlo.reduce(%imagw1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<16xi32>, tensor<i32>) -> tensor<i32>

  %x2ai = stablehlo.iota dim = 0 : tensor<99xi32>
  %x2am = stablehlo.constant dense<3> : tensor<99xi32>
  %x2ar = stablehlo.remainder %x2ai, %x2am : tensor<99xi32>
  %x2af = stablehlo.convert %x2ar : (tensor<99xi32>) -> tensor<99xf32>
  %x2bi = stablehlo.iota dim = 0 : tensor<99xi32>
  %x2bm = stablehlo.constant dense<5> : tensor<99xi32>
  %x2br = stablehlo.remainder %x2bi, %x2bm : tensor<99xi32>
  %x2bf = stablehlo.convert %x2br : (tensor<99xi32>) -> tensor<99xf32>
  %x2c = stablehlo.complex %x2af, %x2bf : tensor<99xcomplex<f32>>
  %x2 = stablehlo.reshape %x2c : (tensor<99xcomplex<f32>>) -> tensor<3x33xcomplex<f32>>
  %y2ai = stablehlo.iota dim = 0 : tensor<8481xi32>
  %y2am = stablehlo.constant dense<5> : tensor<8481xi32>
  %y2ar = stablehlo.remainder %y2ai, %y2am : tensor<8481xi32>
  %y2af = stablehlo.convert %y2ar : (tensor<8481xi32>) -> tensor<8481xf32>
  %y2bi = stablehlo.iota dim = 0 : tensor<8481xi32>
  %y2bm = stablehlo.constant dense<7> : tensor<8481xi32>
  %y2br = stablehlo.remainder %y2bi, %y2bm : tensor<8481xi32>
  %y2bf = stablehlo.convert %y2br : (tensor<8481xi32>) -> tensor<8481xf32>
  %y2c = stablehlo.complex %y2af, %y2bf : tensor<8481xcomplex<f32>>
  %y2 = stablehlo.reshape %y2c : (tensor<8481xcomplex<f32>>) -> tensor<33x257xcomplex<f32>>
  %z2 = stablehlo.dot_general %x2, %y2, contracting_dims = [1] x [0] : (tensor<3x33xcomplex<f32>>, tensor<33x257xcomplex<f32>>) -> tensor<3x257xcomplex<f32>>
  %flat2 = stablehlo.reshape %z2 : (tensor<3x257xcomplex<f32>>) -> tensor<771xcomplex<f32>>
  %iota2 = stablehlo.iota dim = 0 : tensor<771xi32>
  %real2 = stablehlo.real %flat2 : (tensor<771xcomplex<f32>>) -> tensor<771xf32>
  %realint2 = stablehlo.convert %real2 : (tensor<771xf32>) -> tensor<771xi32>
  %realw2 = stablehlo.multiply %realint2, %iota2 : tensor<771xi32>
  // CHECK: s32[] -39173266
  %realsum2 = stablehlo.reduce(%realw2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<771xi32>, tensor<i32>) -> tensor<i32>
  %imag2 = stablehlo.imag %flat2 : (tensor<771xcomplex<f32>>) -> tensor<771xf32>
  %imagint2 = stablehlo.convert %imag2 : (tensor<771xf32>) -> tensor<771xi32>
  %imagw2 = stablehlo.multiply %imagint2, %iota2 : tensor<771xi32>
  // CHECK: s32[] 68534953
  %imagsum2 = stablehlo.reduce(%imagw2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<771xi32>, tensor<i32>) -> tensor<i32>

  %x3ai = stablehlo.iota dim = 0 : tensor<120xi32>
  %x3am = stablehlo.constant dense<3> : tensor<120xi32>
  %x3ar = stablehlo.remainder %x3ai, %x3am : tensor<120xi32>
  %x3af = stablehlo.convert %x3ar : (tensor<120xi32>) -> tensor<120xf32>
  %x3bi = stablehlo.iota dim = 0 : tensor<120xi32>
  %x3bm = stablehlo.constant dense<5> : tensor<120xi32>
  %x3br = stablehlo.remainder %x3bi, %x3bm : tensor<120xi32>
  %x3bf = stablehlo.convert %x3br : (tensor<120xi32>) -> tensor<120xf32>
  %x3c = stablehlo.complex %x3af, %x3bf : tensor<120xcomplex<f32>>
  %x3 = stablehlo.reshape %x3c : (tensor<120xcomplex<f32>>) -> tensor<3x2x20xcomplex<f32>>
  %y3ai = stablehlo.iota dim = 0 : tensor<1860xi32>
  %y3am = stablehlo.constant dense<5> : tensor<1860xi32>
  %y3ar = stablehlo.remainder %y3ai, %y3am : tensor<1860xi32>
  %y3af = stablehlo.convert %y3ar : (tensor<1860xi32>) -> tensor<1860xf32>
  %y3bi = stablehlo.iota dim = 0 : tensor<1860xi32>
  %y3bm = stablehlo.constant dense<7> : tensor<1860xi32>
  %y3br = stablehlo.remainder %y3bi, %y3bm : tensor<1860xi32>
  %y3bf = stablehlo.convert %y3br : (tensor<1860xi32>) -> tensor<1860xf32>
  %y3c = stablehlo.complex %y3af, %y3bf : tensor<1860xcomplex<f32>>
  %y3 = stablehlo.reshape %y3c : (tensor<1860xcomplex<f32>>) -> tensor<3x20x31xcomplex<f32>>
  %z3 = stablehlo.dot_general %x3, %y3, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<3x2x20xcomplex<f32>>, tensor<3x20x31xcomplex<f32>>) -> tensor<3x2x31xcomplex<f32>>
  %flat3 = stablehlo.reshape %z3 : (tensor<3x2x31xcomplex<f32>>) -> tensor<186xcomplex<f32>>
  %iota3 = stablehlo.iota dim = 0 : tensor<186xi32>
  %real3 = stablehlo.real %flat3 : (tensor<186xcomplex<f32>>) -> tensor<186xf32>
  %realint3 = stablehlo.convert %real3 : (tensor<186xf32>) -> tensor<186xi32>
  %realw3 = stablehlo.multiply %realint3, %iota3 : tensor<186xi32>
  // CHECK: s32[] -1362754
  %realsum3 = stablehlo.reduce(%realw3 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<186xi32>, tensor<i32>) -> tensor<i32>
  %imag3 = stablehlo.imag %flat3 : (tensor<186xcomplex<f32>>) -> tensor<186xf32>
  %imagint3 = stablehlo.convert %imag3 : (tensor<186xf32>) -> tensor<186xi32>
  %imagw3 = stablehlo.multiply %imagint3, %iota3 : tensor<186xi32>
  // CHECK: s32[] 2442285
  %imagsum3 = stablehlo.reduce(%imagw3 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<186xi32>, tensor<i32>) -> tensor<i32>

  %x4ai = stablehlo.iota dim = 0 : tensor<128xi32>
  %x4am = stablehlo.constant dense<3> : tensor<128xi32>
  %x4ar = stablehlo.remainder %x4ai, %x4am : tensor<128xi32>
  %x4af = stablehlo.convert %x4ar : (tensor<128xi32>) -> tensor<128xf32>
  %x4bi = stablehlo.iota dim = 0 : tensor<128xi32>
  %x4bm = stablehlo.constant dense<5> : tensor<128xi32>
  %x4br = stablehlo.remainder %x4bi, %x4bm : tensor<128xi32>
  %x4bf = stablehlo.convert %x4br : (tensor<128xi32>) -> tensor<128xf32>
  %x4c = stablehlo.complex %x4af, %x4bf : tensor<128xcomplex<f32>>
  %x4 = stablehlo.reshape %x4c : (tensor<128xcomplex<f32>>) -> tensor<2x1x64xcomplex<f32>>
  %y4ai = stablehlo.iota dim = 0 : tensor<65664xi32>
  %y4am = stablehlo.constant dense<5> : tensor<65664xi32>
  %y4ar = stablehlo.remainder %y4ai, %y4am : tensor<65664xi32>
  %y4af = stablehlo.convert %y4ar : (tensor<65664xi32>) -> tensor<65664xf32>
  %y4bi = stablehlo.iota dim = 0 : tensor<65664xi32>
  %y4bm = stablehlo.constant dense<7> : tensor<65664xi32>
  %y4br = stablehlo.remainder %y4bi, %y4bm : tensor<65664xi32>
  %y4bf = stablehlo.convert %y4br : (tensor<65664xi32>) -> tensor<65664xf32>
  %y4c = stablehlo.complex %y4af, %y4bf : tensor<65664xcomplex<f32>>
  %y4 = stablehlo.reshape %y4c : (tensor<65664xcomplex<f32>>) -> tensor<2x64x513xcomplex<f32>>
  %z4 = stablehlo.dot_general %x4, %y4, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x1x64xcomplex<f32>>, tensor<2x64x513xcomplex<f32>>) -> tensor<2x1x513xcomplex<f32>>
  %flat4 = stablehlo.reshape %z4 : (tensor<2x1x513xcomplex<f32>>) -> tensor<1026xcomplex<f32>>
  %iota4 = stablehlo.iota dim = 0 : tensor<1026xi32>
  %real4 = stablehlo.real %flat4 : (tensor<1026xcomplex<f32>>) -> tensor<1026xf32>
  %realint4 = stablehlo.convert %real4 : (tensor<1026xf32>) -> tensor<1026xi32>
  %realw4 = stablehlo.multiply %realint4, %iota4 : tensor<1026xi32>
  // CHECK: s32[] -132894716
  %realsum4 = stablehlo.reduce(%realw4 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<1026xi32>, tensor<i32>) -> tensor<i32>
  %imag4 = stablehlo.imag %flat4 : (tensor<1026xcomplex<f32>>) -> tensor<1026xf32>
  %imagint4 = stablehlo.convert %imag4 : (tensor<1026xf32>) -> tensor<1026xi32>
  %imagw4 = stablehlo.multiply %imagint4, %iota4 : tensor<1026xi32>
  // CHECK: s32[] 233992006
  %imagsum4 = stablehlo.reduce(%imagw4 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<1026xi32>, tensor<i32>) -> tensor<i32>

  return %realsum0, %imagsum0, %realsum1, %imagsum1, %realsum2, %imagsum2, %realsum3, %imagsum3, %realsum4, %imagsum4 : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
}
