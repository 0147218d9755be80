// RUN: xla-run %s --backend=reference | FileCheck %s
// RUN: xla-run %s --backend=native | FileCheck %s

// Windows that meet: what they select is weighted by its indices and summed.
func.func @main() -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  // Features side by side, windows that overlap, equal elements.
  %xi0 = stablehlo.iota dim = 0 : tensor<2394xi32>
  %xa0 = stablehlo.constant dense<7919> : tensor<2394xi32>
  %xp0 = stablehlo.multiply %xi0, %xa0 : tensor<2394xi32>
  %xb0 = stablehlo.constant dense<5> : tensor<2394xi32>
  %xr0 = stablehlo.remainder %xp0, %xb0 : tensor<2394xi32>
  %xo0 = stablehlo.constant dense<2> : tensor<2394xi32>
  %xs0 = stablehlo.subtract %xr0, %xo0 : tensor<2394xi32>
  %xf0 = stablehlo.convert %xs0 : (tensor<2394xi32>) -> tensor<2394xf32>
  %x0 = stablehlo.reshape %xf0 : (tensor<2394xf32>) -> tensor<2x9x7x19xf32>
  %ui0 = stablehlo.iota dim = 0 : tensor<608xi32>
  %ua0 = stablehlo.constant dense<31> : tensor<608xi32>
  %up0 = stablehlo.multiply %ui0, %ua0 : tensor<608xi32>
  %ub0 = stablehlo.constant dense<17> : tensor<608xi32>
  %ur0 = stablehlo.remainder %up0, %ub0 : tensor<608xi32>
  %uo0 = stablehlo.constant dense<8> : tensor<608xi32>
  %us0 = stablehlo.subtract %ur0, %uo0 : tensor<608xi32>
  %uf0 = stablehlo.convert %us0 : (tensor<608xi32>) -> tensor<608xf32>
  %u0 = stablehlo.reshape %uf0 : (tensor<608xf32>) -> tensor<2x4x4x19xf32>
  %init0 = stablehlo.constant dense<0.0> : tensor<f32>
  %y0 = "stablehlo.select_and_scatter"(%x0, %u0, %init0) <{window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>, padding = dense<[[0, 0], [0, 1], [1, 1], [0, 0]]> : tensor<4x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<2x9x7x19xf32>, tensor<2x4x4x19xf32>, tensor<f32>) -> tensor<2x9x7x19xf32>
  %flat0 = stablehlo.reshape %y0 : (tensor<2x9x7x19xf32>) -> tensor<2394xf32>
  %int0 = stablehlo.convert %flat0 : (tensor<2394xf32>) -> tensor<2394xi32>
  %q0 = stablehlo.constant dense<101> : tensor<2394xi32>
  %index0 = stablehlo.remainder %xi0, %q0 : tensor<2394xi32>
  %weighted0 = stablehlo.multiply %int0, %index0 : tensor<2394xi32>
  %sum0 = stablehlo.reduce(%weighted0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2394xi32>, tensor<i32>) -> tensor<i32>
  // CHECK: s32[] 478
  // Indices side by side.
  %xi1 = stablehlo.iota dim = 0 : tensor<1998xi32>
  %xa1 = stablehlo.constant dense<7919> : tensor<1998xi32>
  %xp1 = stablehlo.multiply %xi1, %xa1 : tensor<1998xi32>
  %xb1 = stablehlo.constant dense<7> : tensor<1998xi32>
  %xr1 = stablehlo.remainder %xp1, %xb1 : tensor<1998xi32>
  %xo1 = stablehlo.constant dense<3> : tensor<1998xi32>
  %xs1 = stablehlo.subtract %xr1, %xo1 : tensor<1998xi32>
  %xf1 = stablehlo.convert %xs1 : (tensor<1998xi32>) -> tensor<1998xf32>
  %x1 = stablehlo.reshape %xf1 : (tensor<1998xf32>) -> tensor<2x3x9x37xf32>
  %ui1 = stablehlo.iota dim = 0 : tensor<432xi32>
  %ua1 = stablehlo.constant dense<31> : tensor<432xi32>
  %up1 = stablehlo.multiply %ui1, %ua1 : tensor<432xi32>
  %ub1 = stablehlo.constant dense<17> : tensor<432xi32>
  %ur1 = stablehlo.remainder %up1, %ub1 : tensor<432xi32>
  %uo1 = stablehlo.constant dense<8> : tensor<432xi32>
  %us1 = stablehlo.subtract %ur1, %uo1 : tensor<432xi32>
  %uf1 = stablehlo.convert %us1 : (tensor<432xi32>) -> tensor<432xf32>
  %u1 = stablehlo.reshape %uf1 : (tensor<432xf32>) -> tensor<2x3x4x18xf32>
  %init1 = stablehlo.constant dense<0.0> : tensor<f32>
  %y1 = "stablehlo.select_and_scatter"(%x1, %u1, %init1) <{window_dimensions = array<i64: 1, 1, 3, 3>, window_strides = array<i64: 1, 1, 2, 2>, padding = dense<[[0, 0], [0, 0], [1, 0], [0, 1]]> : tensor<4x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<2x3x9x37xf32>, tensor<2x3x4x18xf32>, tensor<f32>) -> tensor<2x3x9x37xf32>
  %flat1 = stablehlo.reshape %y1 : (tensor<2x3x9x37xf32>) -> tensor<1998xf32>
  %int1 = stablehlo.convert %flat1 : (tensor<1998xf32>) -> tensor<1998xi32>
  %q1 = stablehlo.constant dense<101> : tensor<1998xi32>
  %index1 = stablehlo.remainder %xi1, %q1 : tensor<1998xi32>
  %weighted1 = stablehlo.multiply %int1, %index1 : tensor<1998xi32>
  %sum1 = stablehlo.reduce(%weighted1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<1998xi32>, tensor<i32>) -> tensor<i32>
  // CHECK: s32[] 526
  // Every index, with NaNs, of which none keeps its index; a start that counts.
  %xi2 = stablehlo.iota dim = 0 : tensor<1320xi32>
  %xa2 = stablehlo.constant dense<7919> : tensor<1320xi32>
  %xp2 = stablehlo.multiply %xi2, %xa2 : tensor<1320xi32>
  %xb2 = stablehlo.constant dense<9> : tensor<1320xi32>
  %xr2 = stablehlo.remainder %xp2, %xb2 : tensor<1320xi32>
  %xo2 = stablehlo.constant dense<4> : tensor<1320xi32>
  %xs2 = stablehlo.subtract %xr2, %xo2 : tensor<1320xi32>
  %xf2 = stablehlo.convert %xs2 : (tensor<1320xi32>) -> tensor<1320xf32>
  %nm2 = stablehlo.constant dense<13> : tensor<1320xi32>
  %nr2 = stablehlo.remainder %xi2, %nm2 : tensor<1320xi32>
  %nz2 = stablehlo.constant dense<0> : tensor<1320xi32>
  %nc2 = stablehlo.compare EQ, %nr2, %nz2 : (tensor<1320xi32>, tensor<1320xi32>) -> tensor<1320xi1>
  %nn2 = stablehlo.constant dense<0x7FC00000> : tensor<1320xf32>
  %nx2 = stablehlo.select %nc2, %nn2, %xf2 : tensor<1320xi1>, tensor<1320xf32>
  %x2 = stablehlo.reshape %nx2 : (tensor<1320xf32>) -> tensor<3x11x40xf32>
  %ui2 = stablehlo.iota dim = 0 : tensor<1320xi32>
  %ua2 = stablehlo.constant dense<31> : tensor<1320xi32>
  %up2 = stablehlo.multiply %ui2, %ua2 : tensor<1320xi32>
  %ub2 = stablehlo.constant dense<17> : tensor<1320xi32>
  %ur2 = stablehlo.remainder %up2, %ub2 : tensor<1320xi32>
  %uo2 = stablehlo.constant dense<8> : tensor<1320xi32>
  %us2 = stablehlo.subtract %ur2, %uo2 : tensor<1320xi32>
  %uf2 = stablehlo.convert %us2 : (tensor<1320xi32>) -> tensor<1320xf32>
  %u2 = stablehlo.reshape %uf2 : (tensor<1320xf32>) -> tensor<3x11x40xf32>
  %init2 = stablehlo.constant dense<3.0> : tensor<f32>
  %y2 = "stablehlo.select_and_scatter"(%x2, %u2, %init2) <{window_dimensions = array<i64: 1, 3, 3>, window_strides = array<i64: 1, 1, 1>, padding = dense<[[0, 0], [1, 1], [1, 1]]> : tensor<3x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<3x11x40xf32>, tensor<3x11x40xf32>, tensor<f32>) -> tensor<3x11x40xf32>
  %flat2 = stablehlo.reshape %y2 : (tensor<3x11x40xf32>) -> tensor<1320xf32>
  %int2 = stablehlo.convert %flat2 : (tensor<1320xf32>) -> tensor<1320xi32>
  %q2 = stablehlo.constant dense<101> : tensor<1320xi32>
  %index2 = stablehlo.remainder %xi2, %q2 : tensor<1320xi32>
  %weighted2 = stablehlo.multiply %int2, %index2 : tensor<1320xi32>
  %sum2 = stablehlo.reduce(%weighted2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<1320xi32>, tensor<i32>) -> tensor<i32>
  // CHECK: s32[] 191875
  // The later of equals, and an order of folds that shows.
  %xi3 = stablehlo.iota dim = 0 : tensor<350xi32>
  %xa3 = stablehlo.constant dense<7919> : tensor<350xi32>
  %xp3 = stablehlo.multiply %xi3, %xa3 : tensor<350xi32>
  %xb3 = stablehlo.constant dense<4> : tensor<350xi32>
  %xr3 = stablehlo.remainder %xp3, %xb3 : tensor<350xi32>
  %xo3 = stablehlo.constant dense<2> : tensor<350xi32>
  %xs3 = stablehlo.subtract %xr3, %xo3 : tensor<350xi32>
  %xf3 = stablehlo.convert %xs3 : (tensor<350xi32>) -> tensor<350xi32>
  %x3 = stablehlo.reshape %xf3 : (tensor<350xi32>) -> tensor<5x70xi32>
  %ui3 = stablehlo.iota dim = 0 : tensor<175xi32>
  %ua3 = stablehlo.constant dense<31> : tensor<175xi32>
  %up3 = stablehlo.multiply %ui3, %ua3 : tensor<175xi32>
  %ub3 = stablehlo.constant dense<17> : tensor<175xi32>
  %ur3 = stablehlo.remainder %up3, %ub3 : tensor<175xi32>
  %uo3 = stablehlo.constant dense<8> : tensor<175xi32>
  %us3 = stablehlo.subtract %ur3, %uo3 : tensor<175xi32>
  %uf3 = stablehlo.convert %us3 : (tensor<175xi32>) -> tensor<175xi32>
  %u3 = stablehlo.reshape %uf3 : (tensor<175xi32>) -> tensor<5x35xi32>
  %init3 = stablehlo.constant dense<1> : tensor<i32>
  %y3 = "stablehlo.select_and_scatter"(%x3, %u3, %init3) <{window_dimensions = array<i64: 2, 5>, window_strides = array<i64: 1, 2>, padding = dense<[[1, 0], [2, 2]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = stablehlo.compare GT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %three = stablehlo.constant dense<3> : tensor<i32>
    %m = stablehlo.multiply %a, %three : tensor<i32>
    %c = stablehlo.add %m, %b : tensor<i32>
    stablehlo.return %c : tensor<i32>
  }) : (tensor<5x70xi32>, tensor<5x35xi32>, tensor<i32>) -> tensor<5x70xi32>
  %flat3 = stablehlo.reshape %y3 : (tensor<5x70xi32>) -> tensor<350xi32>
  %int3 = stablehlo.convert %flat3 : (tensor<350xi32>) -> tensor<350xi32>
  %q3 = stablehlo.constant dense<101> : tensor<350xi32>
  %index3 = stablehlo.remainder %xi3, %q3 : tensor<350xi32>
  %weighted3 = stablehlo.multiply %int3, %index3 : tensor<350xi32>
  %sum3 = stablehlo.reduce(%weighted3 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<350xi32>, tensor<i32>) -> tensor<i32>
  // CHECK: s32[] 52249
  // One window has all there is.
  %xi4 = stablehlo.iota dim = 0 : tensor<1764xi32>
  %xa4 = stablehlo.constant dense<7919> : tensor<1764xi32>
  %xp4 = stablehlo.multiply %xi4, %xa4 : tensor<1764xi32>
  %xb4 = stablehlo.constant dense<97> : tensor<1764xi32>
  %xr4 = stablehlo.remainder %xp4, %xb4 : tensor<1764xi32>
  %xo4 = stablehlo.constant dense<48> : tensor<1764xi32>
  %xs4 = stablehlo.subtract %xr4, %xo4 : tensor<1764xi32>
  %xf4 = stablehlo.convert %xs4 : (tensor<1764xi32>) -> tensor<1764xf32>
  %x4 = stablehlo.reshape %xf4 : (tensor<1764xf32>) -> tensor<4x7x7x9xf32>
  %ui4 = stablehlo.iota dim = 0 : tensor<36xi32>
  %ua4 = stablehlo.constant dense<31> : tensor<36xi32>
  %up4 = stablehlo.multiply %ui4, %ua4 : tensor<36xi32>
  %ub4 = stablehlo.constant dense<17> : tensor<36xi32>
  %ur4 = stablehlo.remainder %up4, %ub4 : tensor<36xi32>
  %uo4 = stablehlo.constant dense<8> : tensor<36xi32>
  %us4 = stablehlo.subtract %ur4, %uo4 : tensor<36xi32>
  %uf4 = stablehlo.convert %us4 : (tensor<36xi32>) -> tensor<36xf32>
  %u4 = stablehlo.reshape %uf4 : (tensor<36xf32>) -> tensor<4x1x1x9xf32>
  %init4 = stablehlo.constant dense<0.0> : tensor<f32>
  %y4 = "stablehlo.select_and_scatter"(%x4, %u4, %init4) <{window_dimensions = array<i64: 1, 7, 7, 1>, window_strides = array<i64: 1, 1, 1, 1>, padding = dense<[[0, 0], [0, 0], [0, 0], [0, 0]]> : tensor<4x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<4x7x7x9xf32>, tensor<4x1x1x9xf32>, tensor<f32>) -> tensor<4x7x7x9xf32>
  %flat4 = stablehlo.reshape %y4 : (tensor<4x7x7x9xf32>) -> tensor<1764xf32>
  %int4 = stablehlo.convert %flat4 : (tensor<1764xf32>) -> tensor<1764xi32>
  %q4 = stablehlo.constant dense<101> : tensor<1764xi32>
  %index4 = stablehlo.remainder %xi4, %q4 : tensor<1764xi32>
  %weighted4 = stablehlo.multiply %int4, %index4 : tensor<1764xi32>
  %sum4 = stablehlo.reduce(%weighted4 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<1764xi32>, tensor<i32>) -> tensor<i32>
  // CHECK: s32[] 456
  // Windows in the padding alone, rows that begin after the operand does.
  %xi5 = stablehlo.iota dim = 0 : tensor<198xi32>
  %xa5 = stablehlo.constant dense<7919> : tensor<198xi32>
  %xp5 = stablehlo.multiply %xi5, %xa5 : tensor<198xi32>
  %xb5 = stablehlo.constant dense<6> : tensor<198xi32>
  %xr5 = stablehlo.remainder %xp5, %xb5 : tensor<198xi32>
  %xo5 = stablehlo.constant dense<3> : tensor<198xi32>
  %xs5 = stablehlo.subtract %xr5, %xo5 : tensor<198xi32>
  %xf5 = stablehlo.convert %xs5 : (tensor<198xi32>) -> tensor<198xi32>
  %x5 = stablehlo.reshape %xf5 : (tensor<198xi32>) -> tensor<6x33xi32>
  %ui5 = stablehlo.iota dim = 0 : tensor<84xi32>
  %ua5 = stablehlo.constant dense<31> : tensor<84xi32>
  %up5 = stablehlo.multiply %ui5, %ua5 : tensor<84xi32>
  %ub5 = stablehlo.constant dense<17> : tensor<84xi32>
  %ur5 = stablehlo.remainder %up5, %ub5 : tensor<84xi32>
  %uo5 = stablehlo.constant dense<8> : tensor<84xi32>
  %us5 = stablehlo.subtract %ur5, %uo5 : tensor<84xi32>
  %uf5 = stablehlo.convert %us5 : (tensor<84xi32>) -> tensor<84xi32>
  %u5 = stablehlo.reshape %uf5 : (tensor<84xi32>) -> tensor<7x12xi32>
  %init5 = stablehlo.constant dense<0> : tensor<i32>
  %y5 = "stablehlo.select_and_scatter"(%x5, %u5, %init5) <{window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 2, 3>, padding = dense<[[3, 5], [-2, 6]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = stablehlo.compare LE, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %three = stablehlo.constant dense<3> : tensor<i32>
    %m = stablehlo.multiply %a, %three : tensor<i32>
    %c = stablehlo.add %m, %b : tensor<i32>
    stablehlo.return %c : tensor<i32>
  }) : (tensor<6x33xi32>, tensor<7x12xi32>, tensor<i32>) -> tensor<6x33xi32>
  %flat5 = stablehlo.reshape %y5 : (tensor<6x33xi32>) -> tensor<198xi32>
  %int5 = stablehlo.convert %flat5 : (tensor<198xi32>) -> tensor<198xi32>
  %q5 = stablehlo.constant dense<101> : tensor<198xi32>
  %index5 = stablehlo.remainder %xi5, %q5 : tensor<198xi32>
  %weighted5 = stablehlo.multiply %int5, %index5 : tensor<198xi32>
  %sum5 = stablehlo.reduce(%weighted5 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<198xi32>, tensor<i32>) -> tensor<i32>
  // CHECK: s32[] -493
  // Too many elements to be looked at side by side.
  %xi6 = stablehlo.iota dim = 0 : tensor<300xi32>
  %xa6 = stablehlo.constant dense<7919> : tensor<300xi32>
  %xp6 = stablehlo.multiply %xi6, %xa6 : tensor<300xi32>
  %xb6 = stablehlo.constant dense<89> : tensor<300xi32>
  %xr6 = stablehlo.remainder %xp6, %xb6 : tensor<300xi32>
  %xo6 = stablehlo.constant dense<44> : tensor<300xi32>
  %xs6 = stablehlo.subtract %xr6, %xo6 : tensor<300xi32>
  %xf6 = stablehlo.convert %xs6 : (tensor<300xi32>) -> tensor<300xi32>
  %x6 = stablehlo.reshape %xf6 : (tensor<300xi32>) -> tensor<300xi32>
  %ui6 = stablehlo.iota dim = 0 : tensor<14xi32>
  %ua6 = stablehlo.constant dense<31> : tensor<14xi32>
  %up6 = stablehlo.multiply %ui6, %ua6 : tensor<14xi32>
  %ub6 = stablehlo.constant dense<17> : tensor<14xi32>
  %ur6 = stablehlo.remainder %up6, %ub6 : tensor<14xi32>
  %uo6 = stablehlo.constant dense<8> : tensor<14xi32>
  %us6 = stablehlo.subtract %ur6, %uo6 : tensor<14xi32>
  %uf6 = stablehlo.convert %us6 : (tensor<14xi32>) -> tensor<14xi32>
  %u6 = stablehlo.reshape %uf6 : (tensor<14xi32>) -> tensor<14xi32>
  %init6 = stablehlo.constant dense<0> : tensor<i32>
  %y6 = "stablehlo.select_and_scatter"(%x6, %u6, %init6) <{window_dimensions = array<i64: 100>, window_strides = array<i64: 20>, padding = dense<[[10, 50]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = stablehlo.compare GE, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %c : tensor<i32>
  }) : (tensor<300xi32>, tensor<14xi32>, tensor<i32>) -> tensor<300xi32>
  %flat6 = stablehlo.reshape %y6 : (tensor<300xi32>) -> tensor<300xi32>
  %int6 = stablehlo.convert %flat6 : (tensor<300xi32>) -> tensor<300xi32>
  %q6 = stablehlo.constant dense<101> : tensor<300xi32>
  %index6 = stablehlo.remainder %xi6, %q6 : tensor<300xi32>
  %weighted6 = stablehlo.multiply %int6, %index6 : tensor<300xi32>
  %sum6 = stablehlo.reduce(%weighted6 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<300xi32>, tensor<i32>) -> tensor<i32>
  // CHECK: s32[] 693
  // Narrow numbers, a last dimension of one element.
  %xi7 = stablehlo.iota dim = 0 : tensor<1200xi32>
  %xa7 = stablehlo.constant dense<7919> : tensor<1200xi32>
  %xp7 = stablehlo.multiply %xi7, %xa7 : tensor<1200xi32>
  %xb7 = stablehlo.constant dense<11> : tensor<1200xi32>
  %xr7 = stablehlo.remainder %xp7, %xb7 : tensor<1200xi32>
  %xo7 = stablehlo.constant dense<5> : tensor<1200xi32>
  %xs7 = stablehlo.subtract %xr7, %xo7 : tensor<1200xi32>
  %xf7 = stablehlo.convert %xs7 : (tensor<1200xi32>) -> tensor<1200xbf16>
  %x7 = stablehlo.reshape %xf7 : (tensor<1200xbf16>) -> tensor<2x12x50x1xbf16>
  %ui7 = stablehlo.iota dim = 0 : tensor<374xi32>
  %ua7 = stablehlo.constant dense<31> : tensor<374xi32>
  %up7 = stablehlo.multiply %ui7, %ua7 : tensor<374xi32>
  %ub7 = stablehlo.constant dense<17> : tensor<374xi32>
  %ur7 = stablehlo.remainder %up7, %ub7 : tensor<374xi32>
  %uo7 = stablehlo.constant dense<8> : tensor<374xi32>
  %us7 = stablehlo.subtract %ur7, %uo7 : tensor<374xi32>
  %uf7 = stablehlo.convert %us7 : (tensor<374xi32>) -> tensor<374xbf16>
  %u7 = stablehlo.reshape %uf7 : (tensor<374xbf16>) -> tensor<2x11x17x1xbf16>
  %init7 = stablehlo.constant dense<0.0> : tensor<bf16>
  %y7 = "stablehlo.select_and_scatter"(%x7, %u7, %init7) <{window_dimensions = array<i64: 1, 2, 4, 1>, window_strides = array<i64: 1, 1, 3, 1>, padding = dense<[[0, 0], [0, 0], [1, 2], [0, 0]]> : tensor<4x2xi64>}> ({
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %c = stablehlo.compare GE, %a, %b : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %c = stablehlo.add %a, %b : tensor<bf16>
    stablehlo.return %c : tensor<bf16>
  }) : (tensor<2x12x50x1xbf16>, tensor<2x11x17x1xbf16>, tensor<bf16>) -> tensor<2x12x50x1xbf16>
  %flat7 = stablehlo.reshape %y7 : (tensor<2x12x50x1xbf16>) -> tensor<1200xbf16>
  %int7 = stablehlo.convert %flat7 : (tensor<1200xbf16>) -> tensor<1200xi32>
  %q7 = stablehlo.constant dense<101> : tensor<1200xi32>
  %index7 = stablehlo.remainder %xi7, %q7 : tensor<1200xi32>
  %weighted7 = stablehlo.multiply %int7, %index7 : tensor<1200xi32>
  %sum7 = stablehlo.reduce(%weighted7 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<1200xi32>, tensor<i32>) -> tensor<i32>
  // CHECK: s32[] -1950
  return %sum0, %sum1, %sum2, %sum3, %sum4, %sum5, %sum6, %sum7 : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
}
