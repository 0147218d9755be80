// RUN: xla-run %s --backend=reference | FileCheck %s
// RUN: xla-run %s --backend=native | FileCheck %s

// Neighbouring dimensions that no operand distinguishes are walked as one: numbers
// per channel, per pixel and per image; sizes of 1 between them; reductions of
// what is kept or folded together, of arrays in memory and of computed ones.
func.func @main() -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %nought = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %xi0 = stablehlo.iota dim = 0 : tensor<420xi32>
  %xk0 = stablehlo.constant dense<7> : tensor<420xi32>
  %xm0 = stablehlo.constant dense<23> : tensor<420xi32>
  %xp0 = stablehlo.multiply %xi0, %xk0 : tensor<420xi32>
  %xr0 = stablehlo.remainder %xp0, %xm0 : tensor<420xi32>
  %xf0 = stablehlo.convert %xr0 : (tensor<420xi32>) -> tensor<420xf32>
  %xs0 = stablehlo.reshape %xf0 : (tensor<420xf32>) -> tensor<3x5x4x7xf32>
  %x0 = stablehlo.optimization_barrier %xs0 : tensor<3x5x4x7xf32>
  %bi0 = stablehlo.iota dim = 0 : tensor<5xi32>
  %bk0 = stablehlo.constant dense<5> : tensor<5xi32>
  %bm0 = stablehlo.constant dense<11> : tensor<5xi32>
  %bp0 = stablehlo.multiply %bi0, %bk0 : tensor<5xi32>
  %br0 = stablehlo.remainder %bp0, %bm0 : tensor<5xi32>
  %bf0 = stablehlo.convert %br0 : (tensor<5xi32>) -> tensor<5xf32>
  %bs0 = stablehlo.reshape %bf0 : (tensor<5xf32>) -> tensor<5xf32>
  %b0 = stablehlo.optimization_barrier %bs0 : tensor<5xf32>
  %e0 = stablehlo.broadcast_in_dim %b0, dims = [1] : (tensor<5xf32>) -> tensor<3x5x4x7xf32>
  %d0 = stablehlo.add %x0, %x0 : tensor<3x5x4x7xf32>
  %y0 = stablehlo.subtract %d0, %e0 : tensor<3x5x4x7xf32>
  %yc0 = stablehlo.convert %y0 : (tensor<3x5x4x7xf32>) -> tensor<3x5x4x7xi32>
  %yf0 = stablehlo.reshape %yc0 : (tensor<3x5x4x7xi32>) -> tensor<420xi32>
  %yi0 = stablehlo.iota dim = 0 : tensor<420xi32>
  %ym0 = stablehlo.constant dense<13> : tensor<420xi32>
  %yr0 = stablehlo.remainder %yi0, %ym0 : tensor<420xi32>
  %yo0 = stablehlo.constant dense<1> : tensor<420xi32>
  %yw0 = stablehlo.add %yr0, %yo0 : tensor<420xi32>
  %yp0 = stablehlo.multiply %yf0, %yw0 : tensor<420xi32>
  // CHECK: s32[] 47105
  %ys0 = stablehlo.reduce(%yp0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<420xi32>, tensor<i32>) -> tensor<i32>
  %z0 = stablehlo.reduce(%y0 init: %nought) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<3x5x4x7xf32>, tensor<f32>) -> tensor<5xf32>
  %zc0 = stablehlo.convert %z0 : (tensor<5xf32>) -> tensor<5xi32>
  %zf0 = stablehlo.reshape %zc0 : (tensor<5xi32>) -> tensor<5xi32>
  %zi0 = stablehlo.iota dim = 0 : tensor<5xi32>
  %zm0 = stablehlo.constant dense<5> : tensor<5xi32>
  %zr0 = stablehlo.remainder %zi0, %zm0 : tensor<5xi32>
  %zo0 = stablehlo.constant dense<1> : tensor<5xi32>
  %zw0 = stablehlo.add %zr0, %zo0 : tensor<5xi32>
  %zp0 = stablehlo.multiply %zf0, %zw0 : tensor<5xi32>
  // CHECK: s32[] 19114
  %zs0 = stablehlo.reduce(%zp0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<5xi32>, tensor<i32>) -> tensor<i32>
  %xi1 = stablehlo.iota dim = 0 : tensor<420xi32>
  %xk1 = stablehlo.constant dense<7> : tensor<420xi32>
  %xm1 = stablehlo.constant dense<23> : tensor<420xi32>
  %xp1 = stablehlo.multiply %xi1, %xk1 : tensor<420xi32>
  %xr1 = stablehlo.remainder %xp1, %xm1 : tensor<420xi32>
  %xf1 = stablehlo.convert %xr1 : (tensor<420xi32>) -> tensor<420xf32>
  %xs1 = stablehlo.reshape %xf1 : (tensor<420xf32>) -> tensor<3x5x4x7xf32>
  %x1 = stablehlo.optimization_barrier %xs1 : tensor<3x5x4x7xf32>
  %bi1 = stablehlo.iota dim = 0 : tensor<5xi32>
  %bk1 = stablehlo.constant dense<5> : tensor<5xi32>
  %bm1 = stablehlo.constant dense<11> : tensor<5xi32>
  %bp1 = stablehlo.multiply %bi1, %bk1 : tensor<5xi32>
  %br1 = stablehlo.remainder %bp1, %bm1 : tensor<5xi32>
  %bf1 = stablehlo.convert %br1 : (tensor<5xi32>) -> tensor<5xf32>
  %bs1 = stablehlo.reshape %bf1 : (tensor<5xf32>) -> tensor<5xf32>
  %b1 = stablehlo.optimization_barrier %bs1 : tensor<5xf32>
  %e1 = stablehlo.broadcast_in_dim %b1, dims = [1] : (tensor<5xf32>) -> tensor<3x5x4x7xf32>
  %d1 = stablehlo.add %x1, %x1 : tensor<3x5x4x7xf32>
  %y1 = stablehlo.subtract %d1, %e1 : tensor<3x5x4x7xf32>
  %yc1 = stablehlo.convert %y1 : (tensor<3x5x4x7xf32>) -> tensor<3x5x4x7xi32>
  %yf1 = stablehlo.reshape %yc1 : (tensor<3x5x4x7xi32>) -> tensor<420xi32>
  %yi1 = stablehlo.iota dim = 0 : tensor<420xi32>
  %ym1 = stablehlo.constant dense<13> : tensor<420xi32>
  %yr1 = stablehlo.remainder %yi1, %ym1 : tensor<420xi32>
  %yo1 = stablehlo.constant dense<1> : tensor<420xi32>
  %yw1 = stablehlo.add %yr1, %yo1 : tensor<420xi32>
  %yp1 = stablehlo.multiply %yf1, %yw1 : tensor<420xi32>
  // CHECK: s32[] 47105
  %ys1 = stablehlo.reduce(%yp1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<420xi32>, tensor<i32>) -> tensor<i32>
  %z1 = stablehlo.reduce(%y1 init: %low) applies stablehlo.maximum across dimensions = [0, 1, 2] : (tensor<3x5x4x7xf32>, tensor<f32>) -> tensor<7xf32>
  %zc1 = stablehlo.convert %z1 : (tensor<7xf32>) -> tensor<7xi32>
  %zf1 = stablehlo.reshape %zc1 : (tensor<7xi32>) -> tensor<7xi32>
  %zi1 = stablehlo.iota dim = 0 : tensor<7xi32>
  %zm1 = stablehlo.constant dense<5> : tensor<7xi32>
  %zr1 = stablehlo.remainder %zi1, %zm1 : tensor<7xi32>
  %zo1 = stablehlo.constant dense<1> : tensor<7xi32>
  %zw1 = stablehlo.add %zr1, %zo1 : tensor<7xi32>
  %zp1 = stablehlo.multiply %zf1, %zw1 : tensor<7xi32>
  // CHECK: s32[] 774
  %zs1 = stablehlo.reduce(%zp1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<7xi32>, tensor<i32>) -> tensor<i32>
  %xi2 = stablehlo.iota dim = 0 : tensor<420xi32>
  %xk2 = stablehlo.constant dense<7> : tensor<420xi32>
  %xm2 = stablehlo.constant dense<23> : tensor<420xi32>
  %xp2 = stablehlo.multiply %xi2, %xk2 : tensor<420xi32>
  %xr2 = stablehlo.remainder %xp2, %xm2 : tensor<420xi32>
  %xf2 = stablehlo.convert %xr2 : (tensor<420xi32>) -> tensor<420xf32>
  %xs2 = stablehlo.reshape %xf2 : (tensor<420xf32>) -> tensor<3x5x4x7xf32>
  %x2 = stablehlo.optimization_barrier %xs2 : tensor<3x5x4x7xf32>
  %bi2 = stablehlo.iota dim = 0 : tensor<15xi32>
  %bk2 = stablehlo.constant dense<5> : tensor<15xi32>
  %bm2 = stablehlo.constant dense<11> : tensor<15xi32>
  %bp2 = stablehlo.multiply %bi2, %bk2 : tensor<15xi32>
  %br2 = stablehlo.remainder %bp2, %bm2 : tensor<15xi32>
  %bf2 = stablehlo.convert %br2 : (tensor<15xi32>) -> tensor<15xf32>
  %bs2 = stablehlo.reshape %bf2 : (tensor<15xf32>) -> tensor<3x5xf32>
  %b2 = stablehlo.optimization_barrier %bs2 : tensor<3x5xf32>
  %e2 = stablehlo.broadcast_in_dim %b2, dims = [0, 1] : (tensor<3x5xf32>) -> tensor<3x5x4x7xf32>
  %d2 = stablehlo.add %x2, %x2 : tensor<3x5x4x7xf32>
  %n2 = stablehlo.subtract %d2, %e2 : tensor<3x5x4x7xf32>
  %y2 = stablehlo.optimization_barrier %n2 : tensor<3x5x4x7xf32>
  %yc2 = stablehlo.convert %y2 : (tensor<3x5x4x7xf32>) -> tensor<3x5x4x7xi32>
  %yf2 = stablehlo.reshape %yc2 : (tensor<3x5x4x7xi32>) -> tensor<420xi32>
  %yi2 = stablehlo.iota dim = 0 : tensor<420xi32>
  %ym2 = stablehlo.constant dense<13> : tensor<420xi32>
  %yr2 = stablehlo.remainder %yi2, %ym2 : tensor<420xi32>
  %yo2 = stablehlo.constant dense<1> : tensor<420xi32>
  %yw2 = stablehlo.add %yr2, %yo2 : tensor<420xi32>
  %yp2 = stablehlo.multiply %yf2, %yw2 : tensor<420xi32>
  // CHECK: s32[] 49076
  %ys2 = stablehlo.reduce(%yp2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<420xi32>, tensor<i32>) -> tensor<i32>
  %z2 = stablehlo.reduce(%y2 init: %low) applies stablehlo.maximum across dimensions = [0, 1, 2] : (tensor<3x5x4x7xf32>, tensor<f32>) -> tensor<7xf32>
  %zc2 = stablehlo.convert %z2 : (tensor<7xf32>) -> tensor<7xi32>
  %zf2 = stablehlo.reshape %zc2 : (tensor<7xi32>) -> tensor<7xi32>
  %zi2 = stablehlo.iota dim = 0 : tensor<7xi32>
  %zm2 = stablehlo.constant dense<5> : tensor<7xi32>
  %zr2 = stablehlo.remainder %zi2, %zm2 : tensor<7xi32>
  %zo2 = stablehlo.constant dense<1> : tensor<7xi32>
  %zw2 = stablehlo.add %zr2, %zo2 : tensor<7xi32>
  %zp2 = stablehlo.multiply %zf2, %zw2 : tensor<7xi32>
  // CHECK: s32[] 765
  %zs2 = stablehlo.reduce(%zp2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<7xi32>, tensor<i32>) -> tensor<i32>
  %xi3 = stablehlo.iota dim = 0 : tensor<420xi32>
  %xk3 = stablehlo.constant dense<7> : tensor<420xi32>
  %xm3 = stablehlo.constant dense<23> : tensor<420xi32>
  %xp3 = stablehlo.multiply %xi3, %xk3 : tensor<420xi32>
  %xr3 = stablehlo.remainder %xp3, %xm3 : tensor<420xi32>
  %xf3 = stablehlo.convert %xr3 : (tensor<420xi32>) -> tensor<420xf32>
  %xs3 = stablehlo.reshape %xf3 : (tensor<420xf32>) -> tensor<3x5x4x7xf32>
  %x3 = stablehlo.optimization_barrier %xs3 : tensor<3x5x4x7xf32>
  %bi3 = stablehlo.iota dim = 0 : tensor<15xi32>
  %bk3 = stablehlo.constant dense<5> : tensor<15xi32>
  %bm3 = stablehlo.constant dense<11> : tensor<15xi32>
  %bp3 = stablehlo.multiply %bi3, %bk3 : tensor<15xi32>
  %br3 = stablehlo.remainder %bp3, %bm3 : tensor<15xi32>
  %bf3 = stablehlo.convert %br3 : (tensor<15xi32>) -> tensor<15xf32>
  %bs3 = stablehlo.reshape %bf3 : (tensor<15xf32>) -> tensor<3x5xf32>
  %b3 = stablehlo.optimization_barrier %bs3 : tensor<3x5xf32>
  %e3 = stablehlo.broadcast_in_dim %b3, dims = [0, 1] : (tensor<3x5xf32>) -> tensor<3x5x4x7xf32>
  %d3 = stablehlo.add %x3, %x3 : tensor<3x5x4x7xf32>
  %n3 = stablehlo.subtract %d3, %e3 : tensor<3x5x4x7xf32>
  %y3 = stablehlo.optimization_barrier %n3 : tensor<3x5x4x7xf32>
  %yc3 = stablehlo.convert %y3 : (tensor<3x5x4x7xf32>) -> tensor<3x5x4x7xi32>
  %yf3 = stablehlo.reshape %yc3 : (tensor<3x5x4x7xi32>) -> tensor<420xi32>
  %yi3 = stablehlo.iota dim = 0 : tensor<420xi32>
  %ym3 = stablehlo.constant dense<13> : tensor<420xi32>
  %yr3 = stablehlo.remainder %yi3, %ym3 : tensor<420xi32>
  %yo3 = stablehlo.constant dense<1> : tensor<420xi32>
  %yw3 = stablehlo.add %yr3, %yo3 : tensor<420xi32>
  %yp3 = stablehlo.multiply %yf3, %yw3 : tensor<420xi32>
  // CHECK: s32[] 49076
  %ys3 = stablehlo.reduce(%yp3 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<420xi32>, tensor<i32>) -> tensor<i32>
  %z3 = stablehlo.reduce(%y3 init: %low) applies stablehlo.maximum across dimensions = [2, 3] : (tensor<3x5x4x7xf32>, tensor<f32>) -> tensor<3x5xf32>
  %zc3 = stablehlo.convert %z3 : (tensor<3x5xf32>) -> tensor<3x5xi32>
  %zf3 = stablehlo.reshape %zc3 : (tensor<3x5xi32>) -> tensor<15xi32>
  %zi3 = stablehlo.iota dim = 0 : tensor<15xi32>
  %zm3 = stablehlo.constant dense<5> : tensor<15xi32>
  %zr3 = stablehlo.remainder %zi3, %zm3 : tensor<15xi32>
  %zo3 = stablehlo.constant dense<1> : tensor<15xi32>
  %zw3 = stablehlo.add %zr3, %zo3 : tensor<15xi32>
  %zp3 = stablehlo.multiply %zf3, %zw3 : tensor<15xi32>
  // CHECK: s32[] 1740
  %zs3 = stablehlo.reduce(%zp3 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<15xi32>, tensor<i32>) -> tensor<i32>
  %xi4 = stablehlo.iota dim = 0 : tensor<420xi32>
  %xk4 = stablehlo.constant dense<7> : tensor<420xi32>
  %xm4 = stablehlo.constant dense<23> : tensor<420xi32>
  %xp4 = stablehlo.multiply %xi4, %xk4 : tensor<420xi32>
  %xr4 = stablehlo.remainder %xp4, %xm4 : tensor<420xi32>
  %xf4 = stablehlo.convert %xr4 : (tensor<420xi32>) -> tensor<420xf32>
  %xs4 = stablehlo.reshape %xf4 : (tensor<420xf32>) -> tensor<3x5x4x7xf32>
  %x4 = stablehlo.optimization_barrier %xs4 : tensor<3x5x4x7xf32>
  %bi4 = stablehlo.iota dim = 0 : tensor<28xi32>
  %bk4 = stablehlo.constant dense<5> : tensor<28xi32>
  %bm4 = stablehlo.constant dense<11> : tensor<28xi32>
  %bp4 = stablehlo.multiply %bi4, %bk4 : tensor<28xi32>
  %br4 = stablehlo.remainder %bp4, %bm4 : tensor<28xi32>
  %bf4 = stablehlo.convert %br4 : (tensor<28xi32>) -> tensor<28xf32>
  %bs4 = stablehlo.reshape %bf4 : (tensor<28xf32>) -> tensor<4x7xf32>
  %b4 = stablehlo.optimization_barrier %bs4 : tensor<4x7xf32>
  %e4 = stablehlo.broadcast_in_dim %b4, dims = [2, 3] : (tensor<4x7xf32>) -> tensor<3x5x4x7xf32>
  %d4 = stablehlo.add %x4, %x4 : tensor<3x5x4x7xf32>
  %y4 = stablehlo.subtract %d4, %e4 : tensor<3x5x4x7xf32>
  %yc4 = stablehlo.convert %y4 : (tensor<3x5x4x7xf32>) -> tensor<3x5x4x7xi32>
  %yf4 = stablehlo.reshape %yc4 : (tensor<3x5x4x7xi32>) -> tensor<420xi32>
  %yi4 = stablehlo.iota dim = 0 : tensor<420xi32>
  %ym4 = stablehlo.constant dense<13> : tensor<420xi32>
  %yr4 = stablehlo.remainder %yi4, %ym4 : tensor<420xi32>
  %yo4 = stablehlo.constant dense<1> : tensor<420xi32>
  %yw4 = stablehlo.add %yr4, %yo4 : tensor<420xi32>
  %yp4 = stablehlo.multiply %yf4, %yw4 : tensor<420xi32>
  // CHECK: s32[] 48892
  %ys4 = stablehlo.reduce(%yp4 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<420xi32>, tensor<i32>) -> tensor<i32>
  %z4 = stablehlo.reduce(%y4 init: %low) applies stablehlo.maximum across dimensions = [2, 3] : (tensor<3x5x4x7xf32>, tensor<f32>) -> tensor<3x5xf32>
  %zc4 = stablehlo.convert %z4 : (tensor<3x5xf32>) -> tensor<3x5xi32>
  %zf4 = stablehlo.reshape %zc4 : (tensor<3x5xi32>) -> tensor<15xi32>
  %zi4 = stablehlo.iota dim = 0 : tensor<15xi32>
  %zm4 = stablehlo.constant dense<5> : tensor<15xi32>
  %zr4 = stablehlo.remainder %zi4, %zm4 : tensor<15xi32>
  %zo4 = stablehlo.constant dense<1> : tensor<15xi32>
  %zw4 = stablehlo.add %zr4, %zo4 : tensor<15xi32>
  %zp4 = stablehlo.multiply %zf4, %zw4 : tensor<15xi32>
  // CHECK: s32[] 1826
  %zs4 = stablehlo.reduce(%zp4 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<15xi32>, tensor<i32>) -> tensor<i32>
  %xi5 = stablehlo.iota dim = 0 : tensor<420xi32>
  %xk5 = stablehlo.constant dense<7> : tensor<420xi32>
  %xm5 = stablehlo.constant dense<23> : tensor<420xi32>
  %xp5 = stablehlo.multiply %xi5, %xk5 : tensor<420xi32>
  %xr5 = stablehlo.remainder %xp5, %xm5 : tensor<420xi32>
  %xf5 = stablehlo.convert %xr5 : (tensor<420xi32>) -> tensor<420xf32>
  %xs5 = stablehlo.reshape %xf5 : (tensor<420xf32>) -> tensor<3x5x4x7xf32>
  %x5 = stablehlo.optimization_barrier %xs5 : tensor<3x5x4x7xf32>
  %bi5 = stablehlo.iota dim = 0 : tensor<28xi32>
  %bk5 = stablehlo.constant dense<5> : tensor<28xi32>
  %bm5 = stablehlo.constant dense<11> : tensor<28xi32>
  %bp5 = stablehlo.multiply %bi5, %bk5 : tensor<28xi32>
  %br5 = stablehlo.remainder %bp5, %bm5 : tensor<28xi32>
  %bf5 = stablehlo.convert %br5 : (tensor<28xi32>) -> tensor<28xf32>
  %bs5 = stablehlo.reshape %bf5 : (tensor<28xf32>) -> tensor<4x7xf32>
  %b5 = stablehlo.optimization_barrier %bs5 : tensor<4x7xf32>
  %e5 = stablehlo.broadcast_in_dim %b5, dims = [2, 3] : (tensor<4x7xf32>) -> tensor<3x5x4x7xf32>
  %d5 = stablehlo.add %x5, %x5 : tensor<3x5x4x7xf32>
  %y5 = stablehlo.subtract %d5, %e5 : tensor<3x5x4x7xf32>
  %yc5 = stablehlo.convert %y5 : (tensor<3x5x4x7xf32>) -> tensor<3x5x4x7xi32>
  %yf5 = stablehlo.reshape %yc5 : (tensor<3x5x4x7xi32>) -> tensor<420xi32>
  %yi5 = stablehlo.iota dim = 0 : tensor<420xi32>
  %ym5 = stablehlo.constant dense<13> : tensor<420xi32>
  %yr5 = stablehlo.remainder %yi5, %ym5 : tensor<420xi32>
  %yo5 = stablehlo.constant dense<1> : tensor<420xi32>
  %yw5 = stablehlo.add %yr5, %yo5 : tensor<420xi32>
  %yp5 = stablehlo.multiply %yf5, %yw5 : tensor<420xi32>
  // CHECK: s32[] 48892
  %ys5 = stablehlo.reduce(%yp5 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<420xi32>, tensor<i32>) -> tensor<i32>
  %z5 = stablehlo.reduce(%y5 init: %nought) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x5x4x7xf32>, tensor<f32>) -> tensor<4x7xf32>
  %zc5 = stablehlo.convert %z5 : (tensor<4x7xf32>) -> tensor<4x7xi32>
  %zf5 = stablehlo.reshape %zc5 : (tensor<4x7xi32>) -> tensor<28xi32>
  %zi5 = stablehlo.iota dim = 0 : tensor<28xi32>
  %zm5 = stablehlo.constant dense<5> : tensor<28xi32>
  %zr5 = stablehlo.remainder %zi5, %zm5 : tensor<28xi32>
  %zo5 = stablehlo.constant dense<1> : tensor<28xi32>
  %zw5 = stablehlo.add %zr5, %zo5 : tensor<28xi32>
  %zp5 = stablehlo.multiply %zf5, %zw5 : tensor<28xi32>
  // CHECK: s32[] 20400
  %zs5 = stablehlo.reduce(%zp5 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<28xi32>, tensor<i32>) -> tensor<i32>
  %xi6 = stablehlo.iota dim = 0 : tensor<420xi32>
  %xk6 = stablehlo.constant dense<7> : tensor<420xi32>
  %xm6 = stablehlo.constant dense<23> : tensor<420xi32>
  %xp6 = stablehlo.multiply %xi6, %xk6 : tensor<420xi32>
  %xr6 = stablehlo.remainder %xp6, %xm6 : tensor<420xi32>
  %xf6 = stablehlo.convert %xr6 : (tensor<420xi32>) -> tensor<420xf32>
  %xs6 = stablehlo.reshape %xf6 : (tensor<420xf32>) -> tensor<3x5x4x7xf32>
  %x6 = stablehlo.optimization_barrier %xs6 : tensor<3x5x4x7xf32>
  %bi6 = stablehlo.iota dim = 0 : tensor<3xi32>
  %bk6 = stablehlo.constant dense<5> : tensor<3xi32>
  %bm6 = stablehlo.constant dense<11> : tensor<3xi32>
  %bp6 = stablehlo.multiply %bi6, %bk6 : tensor<3xi32>
  %br6 = stablehlo.remainder %bp6, %bm6 : tensor<3xi32>
  %bf6 = stablehlo.convert %br6 : (tensor<3xi32>) -> tensor<3xf32>
  %bs6 = stablehlo.reshape %bf6 : (tensor<3xf32>) -> tensor<3xf32>
  %b6 = stablehlo.optimization_barrier %bs6 : tensor<3xf32>
  %e6 = stablehlo.broadcast_in_dim %b6, dims = [0] : (tensor<3xf32>) -> tensor<3x5x4x7xf32>
  %d6 = stablehlo.add %x6, %x6 : tensor<3x5x4x7xf32>
  %n6 = stablehlo.subtract %d6, %e6 : tensor<3x5x4x7xf32>
  %y6 = stablehlo.optimization_barrier %n6 : tensor<3x5x4x7xf32>
  %yc6 = stablehlo.convert %y6 : (tensor<3x5x4x7xf32>) -> tensor<3x5x4x7xi32>
  %yf6 = stablehlo.reshape %yc6 : (tensor<3x5x4x7xi32>) -> tensor<420xi32>
  %yi6 = stablehlo.iota dim = 0 : tensor<420xi32>
  %ym6 = stablehlo.constant dense<13> : tensor<420xi32>
  %yr6 = stablehlo.remainder %yi6, %ym6 : tensor<420xi32>
  %yo6 = stablehlo.constant dense<1> : tensor<420xi32>
  %yw6 = stablehlo.add %yr6, %yo6 : tensor<420xi32>
  %yp6 = stablehlo.multiply %yf6, %yw6 : tensor<420xi32>
  // CHECK: s32[] 48772
  %ys6 = stablehlo.reduce(%yp6 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<420xi32>, tensor<i32>) -> tensor<i32>
  %z6 = stablehlo.reduce(%y6 init: %nought) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x5x4x7xf32>, tensor<f32>) -> tensor<4x7xf32>
  %zc6 = stablehlo.convert %z6 : (tensor<4x7xf32>) -> tensor<4x7xi32>
  %zf6 = stablehlo.reshape %zc6 : (tensor<4x7xi32>) -> tensor<28xi32>
  %zi6 = stablehlo.iota dim = 0 : tensor<28xi32>
  %zm6 = stablehlo.constant dense<5> : tensor<28xi32>
  %zr6 = stablehlo.remainder %zi6, %zm6 : tensor<28xi32>
  %zo6 = stablehlo.constant dense<1> : tensor<28xi32>
  %zw6 = stablehlo.add %zr6, %zo6 : tensor<28xi32>
  %zp6 = stablehlo.multiply %zf6, %zw6 : tensor<28xi32>
  // CHECK: s32[] 20865
  %zs6 = stablehlo.reduce(%zp6 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<28xi32>, tensor<i32>) -> tensor<i32>
  %xi7 = stablehlo.iota dim = 0 : tensor<420xi32>
  %xk7 = stablehlo.constant dense<7> : tensor<420xi32>
  %xm7 = stablehlo.constant dense<23> : tensor<420xi32>
  %xp7 = stablehlo.multiply %xi7, %xk7 : tensor<420xi32>
  %xr7 = stablehlo.remainder %xp7, %xm7 : tensor<420xi32>
  %xf7 = stablehlo.convert %xr7 : (tensor<420xi32>) -> tensor<420xf32>
  %xs7 = stablehlo.reshape %xf7 : (tensor<420xf32>) -> tensor<3x5x4x7xf32>
  %x7 = stablehlo.optimization_barrier %xs7 : tensor<3x5x4x7xf32>
  %bi7 = stablehlo.iota dim = 0 : tensor<3xi32>
  %bk7 = stablehlo.constant dense<5> : tensor<3xi32>
  %bm7 = stablehlo.constant dense<11> : tensor<3xi32>
  %bp7 = stablehlo.multiply %bi7, %bk7 : tensor<3xi32>
  %br7 = stablehlo.remainder %bp7, %bm7 : tensor<3xi32>
  %bf7 = stablehlo.convert %br7 : (tensor<3xi32>) -> tensor<3xf32>
  %bs7 = stablehlo.reshape %bf7 : (tensor<3xf32>) -> tensor<3xf32>
  %b7 = stablehlo.optimization_barrier %bs7 : tensor<3xf32>
  %e7 = stablehlo.broadcast_in_dim %b7, dims = [0] : (tensor<3xf32>) -> tensor<3x5x4x7xf32>
  %d7 = stablehlo.add %x7, %x7 : tensor<3x5x4x7xf32>
  %n7 = stablehlo.subtract %d7, %e7 : tensor<3x5x4x7xf32>
  %y7 = stablehlo.optimization_barrier %n7 : tensor<3x5x4x7xf32>
  %yc7 = stablehlo.convert %y7 : (tensor<3x5x4x7xf32>) -> tensor<3x5x4x7xi32>
  %yf7 = stablehlo.reshape %yc7 : (tensor<3x5x4x7xi32>) -> tensor<420xi32>
  %yi7 = stablehlo.iota dim = 0 : tensor<420xi32>
  %ym7 = stablehlo.constant dense<13> : tensor<420xi32>
  %yr7 = stablehlo.remainder %yi7, %ym7 : tensor<420xi32>
  %yo7 = stablehlo.constant dense<1> : tensor<420xi32>
  %yw7 = stablehlo.add %yr7, %yo7 : tensor<420xi32>
  %yp7 = stablehlo.multiply %yf7, %yw7 : tensor<420xi32>
  // CHECK: s32[] 48772
  %ys7 = stablehlo.reduce(%yp7 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<420xi32>, tensor<i32>) -> tensor<i32>
  %z7 = stablehlo.reduce(%y7 init: %nought) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<3x5x4x7xf32>, tensor<f32>) -> tensor<5xf32>
  %zc7 = stablehlo.convert %z7 : (tensor<5xf32>) -> tensor<5xi32>
  %zf7 = stablehlo.reshape %zc7 : (tensor<5xi32>) -> tensor<5xi32>
  %zi7 = stablehlo.iota dim = 0 : tensor<5xi32>
  %zm7 = stablehlo.constant dense<5> : tensor<5xi32>
  %zr7 = stablehlo.remainder %zi7, %zm7 : tensor<5xi32>
  %zo7 = stablehlo.constant dense<1> : tensor<5xi32>
  %zw7 = stablehlo.add %zr7, %zo7 : tensor<5xi32>
  %zp7 = stablehlo.multiply %zf7, %zw7 : tensor<5xi32>
  // CHECK: s32[] 21298
  %zs7 = stablehlo.reduce(%zp7 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<5xi32>, tensor<i32>) -> tensor<i32>
  %xi8 = stablehlo.iota dim = 0 : tensor<420xi32>
  %xk8 = stablehlo.constant dense<7> : tensor<420xi32>
  %xm8 = stablehlo.constant dense<23> : tensor<420xi32>
  %xp8 = stablehlo.multiply %xi8, %xk8 : tensor<420xi32>
  %xr8 = stablehlo.remainder %xp8, %xm8 : tensor<420xi32>
  %xf8 = stablehlo.convert %xr8 : (tensor<420xi32>) -> tensor<420xf32>
  %xs8 = stablehlo.reshape %xf8 : (tensor<420xf32>) -> tensor<3x5x4x7xf32>
  %x8 = stablehlo.optimization_barrier %xs8 : tensor<3x5x4x7xf32>
  %bi8 = stablehlo.iota dim = 0 : tensor<7xi32>
  %bk8 = stablehlo.constant dense<5> : tensor<7xi32>
  %bm8 = stablehlo.constant dense<11> : tensor<7xi32>
  %bp8 = stablehlo.multiply %bi8, %bk8 : tensor<7xi32>
  %br8 = stablehlo.remainder %bp8, %bm8 : tensor<7xi32>
  %bf8 = stablehlo.convert %br8 : (tensor<7xi32>) -> tensor<7xf32>
  %bs8 = stablehlo.reshape %bf8 : (tensor<7xf32>) -> tensor<7xf32>
  %b8 = stablehlo.optimization_barrier %bs8 : tensor<7xf32>
  %e8 = stablehlo.broadcast_in_dim %b8, dims = [3] : (tensor<7xf32>) -> tensor<3x5x4x7xf32>
  %d8 = stablehlo.add %x8, %x8 : tensor<3x5x4x7xf32>
  %y8 = stablehlo.subtract %d8, %e8 : tensor<3x5x4x7xf32>
  %yc8 = stablehlo.convert %y8 : (tensor<3x5x4x7xf32>) -> tensor<3x5x4x7xi32>
  %yf8 = stablehlo.reshape %yc8 : (tensor<3x5x4x7xi32>) -> tensor<420xi32>
  %yi8 = stablehlo.iota dim = 0 : tensor<420xi32>
  %ym8 = stablehlo.constant dense<13> : tensor<420xi32>
  %yr8 = stablehlo.remainder %yi8, %ym8 : tensor<420xi32>
  %yo8 = stablehlo.constant dense<1> : tensor<420xi32>
  %yw8 = stablehlo.add %yr8, %yo8 : tensor<420xi32>
  %yp8 = stablehlo.multiply %yf8, %yw8 : tensor<420xi32>
  // CHECK: s32[] 47135
  %ys8 = stablehlo.reduce(%yp8 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<420xi32>, tensor<i32>) -> tensor<i32>
  %z8 = stablehlo.reduce(%y8 init: %nought) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<3x5x4x7xf32>, tensor<f32>) -> tensor<5xf32>
  %zc8 = stablehlo.convert %z8 : (tensor<5xf32>) -> tensor<5xi32>
  %zf8 = stablehlo.reshape %zc8 : (tensor<5xi32>) -> tensor<5xi32>
  %zi8 = stablehlo.iota dim = 0 : tensor<5xi32>
  %zm8 = stablehlo.constant dense<5> : tensor<5xi32>
  %zr8 = stablehlo.remainder %zi8, %zm8 : tensor<5xi32>
  %zo8 = stablehlo.constant dense<1> : tensor<5xi32>
  %zw8 = stablehlo.add %zr8, %zo8 : tensor<5xi32>
  %zp8 = stablehlo.multiply %zf8, %zw8 : tensor<5xi32>
  // CHECK: s32[] 20578
  %zs8 = stablehlo.reduce(%zp8 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<5xi32>, tensor<i32>) -> tensor<i32>
  %xi9 = stablehlo.iota dim = 0 : tensor<420xi32>
  %xk9 = stablehlo.constant dense<7> : tensor<420xi32>
  %xm9 = stablehlo.constant dense<23> : tensor<420xi32>
  %xp9 = stablehlo.multiply %xi9, %xk9 : tensor<420xi32>
  %xr9 = stablehlo.remainder %xp9, %xm9 : tensor<420xi32>
  %xf9 = stablehlo.convert %xr9 : (tensor<420xi32>) -> tensor<420xf32>
  %xs9 = stablehlo.reshape %xf9 : (tensor<420xf32>) -> tensor<3x5x4x7xf32>
  %x9 = stablehlo.optimization_barrier %xs9 : tensor<3x5x4x7xf32>
  %bi9 = stablehlo.iota dim = 0 : tensor<7xi32>
  %bk9 = stablehlo.constant dense<5> : tensor<7xi32>
  %bm9 = stablehlo.constant dense<11> : tensor<7xi32>
  %bp9 = stablehlo.multiply %bi9, %bk9 : tensor<7xi32>
  %br9 = stablehlo.remainder %bp9, %bm9 : tensor<7xi32>
  %bf9 = stablehlo.convert %br9 : (tensor<7xi32>) -> tensor<7xf32>
  %bs9 = stablehlo.reshape %bf9 : (tensor<7xf32>) -> tensor<7xf32>
  %b9 = stablehlo.optimization_barrier %bs9 : tensor<7xf32>
  %e9 = stablehlo.broadcast_in_dim %b9, dims = [3] : (tensor<7xf32>) -> tensor<3x5x4x7xf32>
  %d9 = stablehlo.add %x9, %x9 : tensor<3x5x4x7xf32>
  %y9 = stablehlo.subtract %d9, %e9 : tensor<3x5x4x7xf32>
  %yc9 = stablehlo.convert %y9 : (tensor<3x5x4x7xf32>) -> tensor<3x5x4x7xi32>
  %yf9 = stablehlo.reshape %yc9 : (tensor<3x5x4x7xi32>) -> tensor<420xi32>
  %yi9 = stablehlo.iota dim = 0 : tensor<420xi32>
  %ym9 = stablehlo.constant dense<13> : tensor<420xi32>
  %yr9 = stablehlo.remainder %yi9, %ym9 : tensor<420xi32>
  %yo9 = stablehlo.constant dense<1> : tensor<420xi32>
  %yw9 = stablehlo.add %yr9, %yo9 : tensor<420xi32>
  %yp9 = stablehlo.multiply %yf9, %yw9 : tensor<420xi32>
  // CHECK: s32[] 47135
  %ys9 = stablehlo.reduce(%yp9 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<420xi32>, tensor<i32>) -> tensor<i32>
  %z9 = stablehlo.reduce(%y9 init: %low) applies stablehlo.maximum across dimensions = [0, 1, 2] : (tensor<3x5x4x7xf32>, tensor<f32>) -> tensor<7xf32>
  %zc9 = stablehlo.convert %z9 : (tensor<7xf32>) -> tensor<7xi32>
  %zf9 = stablehlo.reshape %zc9 : (tensor<7xi32>) -> tensor<7xi32>
  %zi9 = stablehlo.iota dim = 0 : tensor<7xi32>
  %zm9 = stablehlo.constant dense<5> : tensor<7xi32>
  %zr9 = stablehlo.remainder %zi9, %zm9 : tensor<7xi32>
  %zo9 = stablehlo.constant dense<1> : tensor<7xi32>
  %zw9 = stablehlo.add %zr9, %zo9 : tensor<7xi32>
  %zp9 = stablehlo.multiply %zf9, %zw9 : tensor<7xi32>
  // CHECK: s32[] 672
  %zs9 = stablehlo.reduce(%zp9 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<7xi32>, tensor<i32>) -> tensor<i32>
  %xi10 = stablehlo.iota dim = 0 : tensor<540xi32>
  %xk10 = stablehlo.constant dense<7> : tensor<540xi32>
  %xm10 = stablehlo.constant dense<23> : tensor<540xi32>
  %xp10 = stablehlo.multiply %xi10, %xk10 : tensor<540xi32>
  %xr10 = stablehlo.remainder %xp10, %xm10 : tensor<540xi32>
  %xf10 = stablehlo.convert %xr10 : (tensor<540xi32>) -> tensor<540xf32>
  %xs10 = stablehlo.reshape %xf10 : (tensor<540xf32>) -> tensor<2x1x6x1x9x5xf32>
  %x10 = stablehlo.optimization_barrier %xs10 : tensor<2x1x6x1x9x5xf32>
  %bi10 = stablehlo.iota dim = 0 : tensor<12xi32>
  %bk10 = stablehlo.constant dense<5> : tensor<12xi32>
  %bm10 = stablehlo.constant dense<11> : tensor<12xi32>
  %bp10 = stablehlo.multiply %bi10, %bk10 : tensor<12xi32>
  %br10 = stablehlo.remainder %bp10, %bm10 : tensor<12xi32>
  %bf10 = stablehlo.convert %br10 : (tensor<12xi32>) -> tensor<12xf32>
  %bs10 = stablehlo.reshape %bf10 : (tensor<12xf32>) -> tensor<2x6xf32>
  %b10 = stablehlo.optimization_barrier %bs10 : tensor<2x6xf32>
  %e10 = stablehlo.broadcast_in_dim %b10, dims = [0, 2] : (tensor<2x6xf32>) -> tensor<2x1x6x1x9x5xf32>
  %d10 = stablehlo.add %x10, %x10 : tensor<2x1x6x1x9x5xf32>
  %n10 = stablehlo.subtract %d10, %e10 : tensor<2x1x6x1x9x5xf32>
  %y10 = stablehlo.optimization_barrier %n10 : tensor<2x1x6x1x9x5xf32>
  %yc10 = stablehlo.convert %y10 : (tensor<2x1x6x1x9x5xf32>) -> tensor<2x1x6x1x9x5xi32>
  %yf10 = stablehlo.reshape %yc10 : (tensor<2x1x6x1x9x5xi32>) -> tensor<540xi32>
  %yi10 = stablehlo.iota dim = 0 : tensor<540xi32>
  %ym10 = stablehlo.constant dense<13> : tensor<540xi32>
  %yr10 = stablehlo.remainder %yi10, %ym10 : tensor<540xi32>
  %yo10 = stablehlo.constant dense<1> : tensor<540xi32>
  %yw10 = stablehlo.add %yr10, %yo10 : tensor<540xi32>
  %yp10 = stablehlo.multiply %yf10, %yw10 : tensor<540xi32>
  // CHECK: s32[] 64336
  %ys10 = stablehlo.reduce(%yp10 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<540xi32>, tensor<i32>) -> tensor<i32>
  %z10 = stablehlo.reduce(%y10 init: %low) applies stablehlo.maximum across dimensions = [0, 1, 2, 3, 4] : (tensor<2x1x6x1x9x5xf32>, tensor<f32>) -> tensor<5xf32>
  %zc10 = stablehlo.convert %z10 : (tensor<5xf32>) -> tensor<5xi32>
  %zf10 = stablehlo.reshape %zc10 : (tensor<5xi32>) -> tensor<5xi32>
  %zi10 = stablehlo.iota dim = 0 : tensor<5xi32>
  %zm10 = stablehlo.constant dense<5> : tensor<5xi32>
  %zr10 = stablehlo.remainder %zi10, %zm10 : tensor<5xi32>
  %zo10 = stablehlo.constant dense<1> : tensor<5xi32>
  %zw10 = stablehlo.add %zr10, %zo10 : tensor<5xi32>
  %zp10 = stablehlo.multiply %zf10, %zw10 : tensor<5xi32>
  // CHECK: s32[] 655
  %zs10 = stablehlo.reduce(%zp10 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<5xi32>, tensor<i32>) -> tensor<i32>
  %xi11 = stablehlo.iota dim = 0 : tensor<540xi32>
  %xk11 = stablehlo.constant dense<7> : tensor<540xi32>
  %xm11 = stablehlo.constant dense<23> : tensor<540xi32>
  %xp11 = stablehlo.multiply %xi11, %xk11 : tensor<540xi32>
  %xr11 = stablehlo.remainder %xp11, %xm11 : tensor<540xi32>
  %xf11 = stablehlo.convert %xr11 : (tensor<540xi32>) -> tensor<540xf32>
  %xs11 = stablehlo.reshape %xf11 : (tensor<540xf32>) -> tensor<2x1x6x1x9x5xf32>
  %x11 = stablehlo.optimization_barrier %xs11 : tensor<2x1x6x1x9x5xf32>
  %bi11 = stablehlo.iota dim = 0 : tensor<12xi32>
  %bk11 = stablehlo.constant dense<5> : tensor<12xi32>
  %bm11 = stablehlo.constant dense<11> : tensor<12xi32>
  %bp11 = stablehlo.multiply %bi11, %bk11 : tensor<12xi32>
  %br11 = stablehlo.remainder %bp11, %bm11 : tensor<12xi32>
  %bf11 = stablehlo.convert %br11 : (tensor<12xi32>) -> tensor<12xf32>
  %bs11 = stablehlo.reshape %bf11 : (tensor<12xf32>) -> tensor<2x6xf32>
  %b11 = stablehlo.optimization_barrier %bs11 : tensor<2x6xf32>
  %e11 = stablehlo.broadcast_in_dim %b11, dims = [0, 2] : (tensor<2x6xf32>) -> tensor<2x1x6x1x9x5xf32>
  %d11 = stablehlo.add %x11, %x11 : tensor<2x1x6x1x9x5xf32>
  %n11 = stablehlo.subtract %d11, %e11 : tensor<2x1x6x1x9x5xf32>
  %y11 = stablehlo.optimization_barrier %n11 : tensor<2x1x6x1x9x5xf32>
  %yc11 = stablehlo.convert %y11 : (tensor<2x1x6x1x9x5xf32>) -> tensor<2x1x6x1x9x5xi32>
  %yf11 = stablehlo.reshape %yc11 : (tensor<2x1x6x1x9x5xi32>) -> tensor<540xi32>
  %yi11 = stablehlo.iota dim = 0 : tensor<540xi32>
  %ym11 = stablehlo.constant dense<13> : tensor<540xi32>
  %yr11 = stablehlo.remainder %yi11, %ym11 : tensor<540xi32>
  %yo11 = stablehlo.constant dense<1> : tensor<540xi32>
  %yw11 = stablehlo.add %yr11, %yo11 : tensor<540xi32>
  %yp11 = stablehlo.multiply %yf11, %yw11 : tensor<540xi32>
  // CHECK: s32[] 64336
  %ys11 = stablehlo.reduce(%yp11 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<540xi32>, tensor<i32>) -> tensor<i32>
  %z11 = stablehlo.reduce(%y11 init: %low) applies stablehlo.maximum across dimensions = [4, 5] : (tensor<2x1x6x1x9x5xf32>, tensor<f32>) -> tensor<2x1x6x1xf32>
  %zc11 = stablehlo.convert %z11 : (tensor<2x1x6x1xf32>) -> tensor<2x1x6x1xi32>
  %zf11 = stablehlo.reshape %zc11 : (tensor<2x1x6x1xi32>) -> tensor<12xi32>
  %zi11 = stablehlo.iota dim = 0 : tensor<12xi32>
  %zm11 = stablehlo.constant dense<5> : tensor<12xi32>
  %zr11 = stablehlo.remainder %zi11, %zm11 : tensor<12xi32>
  %zo11 = stablehlo.constant dense<1> : tensor<12xi32>
  %zw11 = stablehlo.add %zr11, %zo11 : tensor<12xi32>
  %zp11 = stablehlo.multiply %zf11, %zw11 : tensor<12xi32>
  // CHECK: s32[] 1287
  %zs11 = stablehlo.reduce(%zp11 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<12xi32>, tensor<i32>) -> tensor<i32>
  %xi12 = stablehlo.iota dim = 0 : tensor<540xi32>
  %xk12 = stablehlo.constant dense<7> : tensor<540xi32>
  %xm12 = stablehlo.constant dense<23> : tensor<540xi32>
  %xp12 = stablehlo.multiply %xi12, %xk12 : tensor<540xi32>
  %xr12 = stablehlo.remainder %xp12, %xm12 : tensor<540xi32>
  %xf12 = stablehlo.convert %xr12 : (tensor<540xi32>) -> tensor<540xf32>
  %xs12 = stablehlo.reshape %xf12 : (tensor<540xf32>) -> tensor<2x1x6x1x9x5xf32>
  %x12 = stablehlo.optimization_barrier %xs12 : tensor<2x1x6x1x9x5xf32>
  %bi12 = stablehlo.iota dim = 0 : tensor<45xi32>
  %bk12 = stablehlo.constant dense<5> : tensor<45xi32>
  %bm12 = stablehlo.constant dense<11> : tensor<45xi32>
  %bp12 = stablehlo.multiply %bi12, %bk12 : tensor<45xi32>
  %br12 = stablehlo.remainder %bp12, %bm12 : tensor<45xi32>
  %bf12 = stablehlo.convert %br12 : (tensor<45xi32>) -> tensor<45xf32>
  %bs12 = stablehlo.reshape %bf12 : (tensor<45xf32>) -> tensor<9x5xf32>
  %b12 = stablehlo.optimization_barrier %bs12 : tensor<9x5xf32>
  %e12 = stablehlo.broadcast_in_dim %b12, dims = [4, 5] : (tensor<9x5xf32>) -> tensor<2x1x6x1x9x5xf32>
  %d12 = stablehlo.add %x12, %x12 : tensor<2x1x6x1x9x5xf32>
  %y12 = stablehlo.subtract %d12, %e12 : tensor<2x1x6x1x9x5xf32>
  %yc12 = stablehlo.convert %y12 : (tensor<2x1x6x1x9x5xf32>) -> tensor<2x1x6x1x9x5xi32>
  %yf12 = stablehlo.reshape %yc12 : (tensor<2x1x6x1x9x5xi32>) -> tensor<540xi32>
  %yi12 = stablehlo.iota dim = 0 : tensor<540xi32>
  %ym12 = stablehlo.constant dense<13> : tensor<540xi32>
  %yr12 = stablehlo.remainder %yi12, %ym12 : tensor<540xi32>
  %yo12 = stablehlo.constant dense<1> : tensor<540xi32>
  %yw12 = stablehlo.add %yr12, %yo12 : tensor<540xi32>
  %yp12 = stablehlo.multiply %yf12, %yw12 : tensor<540xi32>
  // CHECK: s32[] 63304
  %ys12 = stablehlo.reduce(%yp12 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<540xi32>, tensor<i32>) -> tensor<i32>
  %z12 = stablehlo.reduce(%y12 init: %low) applies stablehlo.maximum across dimensions = [4, 5] : (tensor<2x1x6x1x9x5xf32>, tensor<f32>) -> tensor<2x1x6x1xf32>
  %zc12 = stablehlo.convert %z12 : (tensor<2x1x6x1xf32>) -> tensor<2x1x6x1xi32>
  %zf12 = stablehlo.reshape %zc12 : (tensor<2x1x6x1xi32>) -> tensor<12xi32>
  %zi12 = stablehlo.iota dim = 0 : tensor<12xi32>
  %zm12 = stablehlo.constant dense<5> : tensor<12xi32>
  %zr12 = stablehlo.remainder %zi12, %zm12 : tensor<12xi32>
  %zo12 = stablehlo.constant dense<1> : tensor<12xi32>
  %zw12 = stablehlo.add %zr12, %zo12 : tensor<12xi32>
  %zp12 = stablehlo.multiply %zf12, %zw12 : tensor<12xi32>
  // CHECK: s32[] 1392
  %zs12 = stablehlo.reduce(%zp12 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<12xi32>, tensor<i32>) -> tensor<i32>
  %xi13 = stablehlo.iota dim = 0 : tensor<540xi32>
  %xk13 = stablehlo.constant dense<7> : tensor<540xi32>
  %xm13 = stablehlo.constant dense<23> : tensor<540xi32>
  %xp13 = stablehlo.multiply %xi13, %xk13 : tensor<540xi32>
  %xr13 = stablehlo.remainder %xp13, %xm13 : tensor<540xi32>
  %xf13 = stablehlo.convert %xr13 : (tensor<540xi32>) -> tensor<540xf32>
  %xs13 = stablehlo.reshape %xf13 : (tensor<540xf32>) -> tensor<2x1x6x1x9x5xf32>
  %x13 = stablehlo.optimization_barrier %xs13 : tensor<2x1x6x1x9x5xf32>
  %bi13 = stablehlo.iota dim = 0 : tensor<45xi32>
  %bk13 = stablehlo.constant dense<5> : tensor<45xi32>
  %bm13 = stablehlo.constant dense<11> : tensor<45xi32>
  %bp13 = stablehlo.multiply %bi13, %bk13 : tensor<45xi32>
  %br13 = stablehlo.remainder %bp13, %bm13 : tensor<45xi32>
  %bf13 = stablehlo.convert %br13 : (tensor<45xi32>) -> tensor<45xf32>
  %bs13 = stablehlo.reshape %bf13 : (tensor<45xf32>) -> tensor<9x5xf32>
  %b13 = stablehlo.optimization_barrier %bs13 : tensor<9x5xf32>
  %e13 = stablehlo.broadcast_in_dim %b13, dims = [4, 5] : (tensor<9x5xf32>) -> tensor<2x1x6x1x9x5xf32>
  %d13 = stablehlo.add %x13, %x13 : tensor<2x1x6x1x9x5xf32>
  %y13 = stablehlo.subtract %d13, %e13 : tensor<2x1x6x1x9x5xf32>
  %yc13 = stablehlo.convert %y13 : (tensor<2x1x6x1x9x5xf32>) -> tensor<2x1x6x1x9x5xi32>
  %yf13 = stablehlo.reshape %yc13 : (tensor<2x1x6x1x9x5xi32>) -> tensor<540xi32>
  %yi13 = stablehlo.iota dim = 0 : tensor<540xi32>
  %ym13 = stablehlo.constant dense<13> : tensor<540xi32>
  %yr13 = stablehlo.remainder %yi13, %ym13 : tensor<540xi32>
  %yo13 = stablehlo.constant dense<1> : tensor<540xi32>
  %yw13 = stablehlo.add %yr13, %yo13 : tensor<540xi32>
  %yp13 = stablehlo.multiply %yf13, %yw13 : tensor<540xi32>
  // CHECK: s32[] 63304
  %ys13 = stablehlo.reduce(%yp13 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<540xi32>, tensor<i32>) -> tensor<i32>
  %z13 = stablehlo.reduce(%y13 init: %nought) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x1x6x1x9x5xf32>, tensor<f32>) -> tensor<6x1x9x5xf32>
  %zc13 = stablehlo.convert %z13 : (tensor<6x1x9x5xf32>) -> tensor<6x1x9x5xi32>
  %zf13 = stablehlo.reshape %zc13 : (tensor<6x1x9x5xi32>) -> tensor<270xi32>
  %zi13 = stablehlo.iota dim = 0 : tensor<270xi32>
  %zm13 = stablehlo.constant dense<5> : tensor<270xi32>
  %zr13 = stablehlo.remainder %zi13, %zm13 : tensor<270xi32>
  %zo13 = stablehlo.constant dense<1> : tensor<270xi32>
  %zw13 = stablehlo.add %zr13, %zo13 : tensor<270xi32>
  %zp13 = stablehlo.multiply %zf13, %zw13 : tensor<270xi32>
  // CHECK: s32[] 27652
  %zs13 = stablehlo.reduce(%zp13 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<270xi32>, tensor<i32>) -> tensor<i32>
  %xi14 = stablehlo.iota dim = 0 : tensor<1122xi32>
  %xk14 = stablehlo.constant dense<7> : tensor<1122xi32>
  %xm14 = stablehlo.constant dense<23> : tensor<1122xi32>
  %xp14 = stablehlo.multiply %xi14, %xk14 : tensor<1122xi32>
  %xr14 = stablehlo.remainder %xp14, %xm14 : tensor<1122xi32>
  %xf14 = stablehlo.convert %xr14 : (tensor<1122xi32>) -> tensor<1122xf32>
  %xs14 = stablehlo.reshape %xf14 : (tensor<1122xf32>) -> tensor<2x17x3x11xf32>
  %x14 = stablehlo.optimization_barrier %xs14 : tensor<2x17x3x11xf32>
  %bi14 = stablehlo.iota dim = 0 : tensor<1122xi32>
  %bk14 = stablehlo.constant dense<5> : tensor<1122xi32>
  %bm14 = stablehlo.constant dense<11> : tensor<1122xi32>
  %bp14 = stablehlo.multiply %bi14, %bk14 : tensor<1122xi32>
  %br14 = stablehlo.remainder %bp14, %bm14 : tensor<1122xi32>
  %bf14 = stablehlo.convert %br14 : (tensor<1122xi32>) -> tensor<1122xf32>
  %bs14 = stablehlo.reshape %bf14 : (tensor<1122xf32>) -> tensor<2x17x3x11xf32>
  %b14 = stablehlo.optimization_barrier %bs14 : tensor<2x17x3x11xf32>
  %e14 = stablehlo.broadcast_in_dim %b14, dims = [0, 1, 2, 3] : (tensor<2x17x3x11xf32>) -> tensor<2x17x3x11xf32>
  %d14 = stablehlo.add %x14, %x14 : tensor<2x17x3x11xf32>
  %n14 = stablehlo.subtract %d14, %e14 : tensor<2x17x3x11xf32>
  %y14 = stablehlo.optimization_barrier %n14 : tensor<2x17x3x11xf32>
  %yc14 = stablehlo.convert %y14 : (tensor<2x17x3x11xf32>) -> tensor<2x17x3x11xi32>
  %yf14 = stablehlo.reshape %yc14 : (tensor<2x17x3x11xi32>) -> tensor<1122xi32>
  %yi14 = stablehlo.iota dim = 0 : tensor<1122xi32>
  %ym14 = stablehlo.constant dense<13> : tensor<1122xi32>
  %yr14 = stablehlo.remainder %yi14, %ym14 : tensor<1122xi32>
  %yo14 = stablehlo.constant dense<1> : tensor<1122xi32>
  %yw14 = stablehlo.add %yr14, %yo14 : tensor<1122xi32>
  %yp14 = stablehlo.multiply %yf14, %yw14 : tensor<1122xi32>
  // CHECK: s32[] 132311
  %ys14 = stablehlo.reduce(%yp14 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<1122xi32>, tensor<i32>) -> tensor<i32>
  %z14 = stablehlo.reduce(%y14 init: %nought) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x17x3x11xf32>, tensor<f32>) -> tensor<3x11xf32>
  %zc14 = stablehlo.convert %z14 : (tensor<3x11xf32>) -> tensor<3x11xi32>
  %zf14 = stablehlo.reshape %zc14 : (tensor<3x11xi32>) -> tensor<33xi32>
  %zi14 = stablehlo.iota dim = 0 : tensor<33xi32>
  %zm14 = stablehlo.constant dense<5> : tensor<33xi32>
  %zr14 = stablehlo.remainder %zi14, %zm14 : tensor<33xi32>
  %zo14 = stablehlo.constant dense<1> : tensor<33xi32>
  %zw14 = stablehlo.add %zr14, %zo14 : tensor<33xi32>
  %zp14 = stablehlo.multiply %zf14, %zw14 : tensor<33xi32>
  // CHECK: s32[] 54670
  %zs14 = stablehlo.reduce(%zp14 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<33xi32>, tensor<i32>) -> tensor<i32>
  %xi15 = stablehlo.iota dim = 0 : tensor<1122xi32>
  %xk15 = stablehlo.constant dense<7> : tensor<1122xi32>
  %xm15 = stablehlo.constant dense<23> : tensor<1122xi32>
  %xp15 = stablehlo.multiply %xi15, %xk15 : tensor<1122xi32>
  %xr15 = stablehlo.remainder %xp15, %xm15 : tensor<1122xi32>
  %xf15 = stablehlo.convert %xr15 : (tensor<1122xi32>) -> tensor<1122xf32>
  %xs15 = stablehlo.reshape %xf15 : (tensor<1122xf32>) -> tensor<2x17x3x11xf32>
  %x15 = stablehlo.optimization_barrier %xs15 : tensor<2x17x3x11xf32>
  %bi15 = stablehlo.iota dim = 0 : tensor<1122xi32>
  %bk15 = stablehlo.constant dense<5> : tensor<1122xi32>
  %bm15 = stablehlo.constant dense<11> : tensor<1122xi32>
  %bp15 = stablehlo.multiply %bi15, %bk15 : tensor<1122xi32>
  %br15 = stablehlo.remainder %bp15, %bm15 : tensor<1122xi32>
  %bf15 = stablehlo.convert %br15 : (tensor<1122xi32>) -> tensor<1122xf32>
  %bs15 = stablehlo.reshape %bf15 : (tensor<1122xf32>) -> tensor<2x17x3x11xf32>
  %b15 = stablehlo.optimization_barrier %bs15 : tensor<2x17x3x11xf32>
  %e15 = stablehlo.broadcast_in_dim %b15, dims = [0, 1, 2, 3] : (tensor<2x17x3x11xf32>) -> tensor<2x17x3x11xf32>
  %d15 = stablehlo.add %x15, %x15 : tensor<2x17x3x11xf32>
  %n15 = stablehlo.subtract %d15, %e15 : tensor<2x17x3x11xf32>
  %y15 = stablehlo.optimization_barrier %n15 : tensor<2x17x3x11xf32>
  %yc15 = stablehlo.convert %y15 : (tensor<2x17x3x11xf32>) -> tensor<2x17x3x11xi32>
  %yf15 = stablehlo.reshape %yc15 : (tensor<2x17x3x11xi32>) -> tensor<1122xi32>
  %yi15 = stablehlo.iota dim = 0 : tensor<1122xi32>
  %ym15 = stablehlo.constant dense<13> : tensor<1122xi32>
  %yr15 = stablehlo.remainder %yi15, %ym15 : tensor<1122xi32>
  %yo15 = stablehlo.constant dense<1> : tensor<1122xi32>
  %yw15 = stablehlo.add %yr15, %yo15 : tensor<1122xi32>
  %yp15 = stablehlo.multiply %yf15, %yw15 : tensor<1122xi32>
  // CHECK: s32[] 132311
  %ys15 = stablehlo.reduce(%yp15 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<1122xi32>, tensor<i32>) -> tensor<i32>
  %z15 = stablehlo.reduce(%y15 init: %nought) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<2x17x3x11xf32>, tensor<f32>) -> tensor<17xf32>
  %zc15 = stablehlo.convert %z15 : (tensor<17xf32>) -> tensor<17xi32>
  %zf15 = stablehlo.reshape %zc15 : (tensor<17xi32>) -> tensor<17xi32>
  %zi15 = stablehlo.iota dim = 0 : tensor<17xi32>
  %zm15 = stablehlo.constant dense<5> : tensor<17xi32>
  %zr15 = stablehlo.remainder %zi15, %zm15 : tensor<17xi32>
  %zo15 = stablehlo.constant dense<1> : tensor<17xi32>
  %zw15 = stablehlo.add %zr15, %zo15 : tensor<17xi32>
  %zp15 = stablehlo.multiply %zf15, %zw15 : tensor<17xi32>
  // CHECK: s32[] 53778
  %zs15 = stablehlo.reduce(%zp15 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<17xi32>, tensor<i32>) -> tensor<i32>
  %xi16 = stablehlo.iota dim = 0 : tensor<2280xi32>
  %xk16 = stablehlo.constant dense<7> : tensor<2280xi32>
  %xm16 = stablehlo.constant dense<23> : tensor<2280xi32>
  %xp16 = stablehlo.multiply %xi16, %xk16 : tensor<2280xi32>
  %xr16 = stablehlo.remainder %xp16, %xm16 : tensor<2280xi32>
  %xf16 = stablehlo.convert %xr16 : (tensor<2280xi32>) -> tensor<2280xf32>
  %xs16 = stablehlo.reshape %xf16 : (tensor<2280xf32>) -> tensor<40x3x19xf32>
  %x16 = stablehlo.optimization_barrier %xs16 : tensor<40x3x19xf32>
  %bi16 = stablehlo.iota dim = 0 : tensor<57xi32>
  %bk16 = stablehlo.constant dense<5> : tensor<57xi32>
  %bm16 = stablehlo.constant dense<11> : tensor<57xi32>
  %bp16 = stablehlo.multiply %bi16, %bk16 : tensor<57xi32>
  %br16 = stablehlo.remainder %bp16, %bm16 : tensor<57xi32>
  %bf16 = stablehlo.convert %br16 : (tensor<57xi32>) -> tensor<57xf32>
  %bs16 = stablehlo.reshape %bf16 : (tensor<57xf32>) -> tensor<3x19xf32>
  %b16 = stablehlo.optimization_barrier %bs16 : tensor<3x19xf32>
  %e16 = stablehlo.broadcast_in_dim %b16, dims = [1, 2] : (tensor<3x19xf32>) -> tensor<40x3x19xf32>
  %d16 = stablehlo.add %x16, %x16 : tensor<40x3x19xf32>
  %y16 = stablehlo.subtract %d16, %e16 : tensor<40x3x19xf32>
  %yc16 = stablehlo.convert %y16 : (tensor<40x3x19xf32>) -> tensor<40x3x19xi32>
  %yf16 = stablehlo.reshape %yc16 : (tensor<40x3x19xi32>) -> tensor<2280xi32>
  %yi16 = stablehlo.iota dim = 0 : tensor<2280xi32>
  %ym16 = stablehlo.constant dense<13> : tensor<2280xi32>
  %yr16 = stablehlo.remainder %yi16, %ym16 : tensor<2280xi32>
  %yo16 = stablehlo.constant dense<1> : tensor<2280xi32>
  %yw16 = stablehlo.add %yr16, %yo16 : tensor<2280xi32>
  %yp16 = stablehlo.multiply %yf16, %yw16 : tensor<2280xi32>
  // CHECK: s32[] 271563
  %ys16 = stablehlo.reduce(%yp16 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2280xi32>, tensor<i32>) -> tensor<i32>
  %z16 = stablehlo.reduce(%y16 init: %nought) applies stablehlo.add across dimensions = [0, 2] : (tensor<40x3x19xf32>, tensor<f32>) -> tensor<3xf32>
  %zc16 = stablehlo.convert %z16 : (tensor<3xf32>) -> tensor<3xi32>
  %zf16 = stablehlo.reshape %zc16 : (tensor<3xi32>) -> tensor<3xi32>
  %zi16 = stablehlo.iota dim = 0 : tensor<3xi32>
  %zm16 = stablehlo.constant dense<5> : tensor<3xi32>
  %zr16 = stablehlo.remainder %zi16, %zm16 : tensor<3xi32>
  %zo16 = stablehlo.constant dense<1> : tensor<3xi32>
  %zw16 = stablehlo.add %zr16, %zo16 : tensor<3xi32>
  %zp16 = stablehlo.multiply %zf16, %zw16 : tensor<3xi32>
  // CHECK: s32[] 78396
  %zs16 = stablehlo.reduce(%zp16 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3xi32>, tensor<i32>) -> tensor<i32>
  %xi17 = stablehlo.iota dim = 0 : tensor<2280xi32>
  %xk17 = stablehlo.constant dense<7> : tensor<2280xi32>
  %xm17 = stablehlo.constant dense<23> : tensor<2280xi32>
  %xp17 = stablehlo.multiply %xi17, %xk17 : tensor<2280xi32>
  %xr17 = stablehlo.remainder %xp17, %xm17 : tensor<2280xi32>
  %xf17 = stablehlo.convert %xr17 : (tensor<2280xi32>) -> tensor<2280xf32>
  %xs17 = stablehlo.reshape %xf17 : (tensor<2280xf32>) -> tensor<40x3x19xf32>
  %x17 = stablehlo.optimization_barrier %xs17 : tensor<40x3x19xf32>
  %bi17 = stablehlo.iota dim = 0 : tensor<57xi32>
  %bk17 = stablehlo.constant dense<5> : tensor<57xi32>
  %bm17 = stablehlo.constant dense<11> : tensor<57xi32>
  %bp17 = stablehlo.multiply %bi17, %bk17 : tensor<57xi32>
  %br17 = stablehlo.remainder %bp17, %bm17 : tensor<57xi32>
  %bf17 = stablehlo.convert %br17 : (tensor<57xi32>) -> tensor<57xf32>
  %bs17 = stablehlo.reshape %bf17 : (tensor<57xf32>) -> tensor<3x19xf32>
  %b17 = stablehlo.optimization_barrier %bs17 : tensor<3x19xf32>
  %e17 = stablehlo.broadcast_in_dim %b17, dims = [1, 2] : (tensor<3x19xf32>) -> tensor<40x3x19xf32>
  %d17 = stablehlo.add %x17, %x17 : tensor<40x3x19xf32>
  %y17 = stablehlo.subtract %d17, %e17 : tensor<40x3x19xf32>
  %yc17 = stablehlo.convert %y17 : (tensor<40x3x19xf32>) -> tensor<40x3x19xi32>
  %yf17 = stablehlo.reshape %yc17 : (tensor<40x3x19xi32>) -> tensor<2280xi32>
  %yi17 = stablehlo.iota dim = 0 : tensor<2280xi32>
  %ym17 = stablehlo.constant dense<13> : tensor<2280xi32>
  %yr17 = stablehlo.remainder %yi17, %ym17 : tensor<2280xi32>
  %yo17 = stablehlo.constant dense<1> : tensor<2280xi32>
  %yw17 = stablehlo.add %yr17, %yo17 : tensor<2280xi32>
  %yp17 = stablehlo.multiply %yf17, %yw17 : tensor<2280xi32>
  // CHECK: s32[] 271563
  %ys17 = stablehlo.reduce(%yp17 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2280xi32>, tensor<i32>) -> tensor<i32>
  %z17 = stablehlo.reduce(%y17 init: %low) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<40x3x19xf32>, tensor<f32>) -> tensor<19xf32>
  %zc17 = stablehlo.convert %z17 : (tensor<19xf32>) -> tensor<19xi32>
  %zf17 = stablehlo.reshape %zc17 : (tensor<19xi32>) -> tensor<19xi32>
  %zi17 = stablehlo.iota dim = 0 : tensor<19xi32>
  %zm17 = stablehlo.constant dense<5> : tensor<19xi32>
  %zr17 = stablehlo.remainder %zi17, %zm17 : tensor<19xi32>
  %zo17 = stablehlo.constant dense<1> : tensor<19xi32>
  %zw17 = stablehlo.add %zr17, %zo17 : tensor<19xi32>
  %zp17 = stablehlo.multiply %zf17, %zw17 : tensor<19xi32>
  // CHECK: s32[] 2353
  %zs17 = stablehlo.reduce(%zp17 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<19xi32>, tensor<i32>) -> tensor<i32>
  %xi18 = stablehlo.iota dim = 0 : tensor<132xi32>
  %xk18 = stablehlo.constant dense<7> : tensor<132xi32>
  %xm18 = stablehlo.constant dense<23> : tensor<132xi32>
  %xp18 = stablehlo.multiply %xi18, %xk18 : tensor<132xi32>
  %xr18 = stablehlo.remainder %xp18, %xm18 : tensor<132xi32>
  %xf18 = stablehlo.convert %xr18 : (tensor<132xi32>) -> tensor<132xf32>
  %xs18 = stablehlo.reshape %xf18 : (tensor<132xf32>) -> tensor<1x4x1x33xf32>
  %x18 = stablehlo.optimization_barrier %xs18 : tensor<1x4x1x33xf32>
  %bi18 = stablehlo.iota dim = 0 : tensor<4xi32>
  %bk18 = stablehlo.constant dense<5> : tensor<4xi32>
  %bm18 = stablehlo.constant dense<11> : tensor<4xi32>
  %bp18 = stablehlo.multiply %bi18, %bk18 : tensor<4xi32>
  %br18 = stablehlo.remainder %bp18, %bm18 : tensor<4xi32>
  %bf18 = stablehlo.convert %br18 : (tensor<4xi32>) -> tensor<4xf32>
  %bs18 = stablehlo.reshape %bf18 : (tensor<4xf32>) -> tensor<4xf32>
  %b18 = stablehlo.optimization_barrier %bs18 : tensor<4xf32>
  %e18 = stablehlo.broadcast_in_dim %b18, dims = [1] : (tensor<4xf32>) -> tensor<1x4x1x33xf32>
  %d18 = stablehlo.add %x18, %x18 : tensor<1x4x1x33xf32>
  %n18 = stablehlo.subtract %d18, %e18 : tensor<1x4x1x33xf32>
  %y18 = stablehlo.optimization_barrier %n18 : tensor<1x4x1x33xf32>
  %yc18 = stablehlo.convert %y18 : (tensor<1x4x1x33xf32>) -> tensor<1x4x1x33xi32>
  %yf18 = stablehlo.reshape %yc18 : (tensor<1x4x1x33xi32>) -> tensor<132xi32>
  %yi18 = stablehlo.iota dim = 0 : tensor<132xi32>
  %ym18 = stablehlo.constant dense<13> : tensor<132xi32>
  %yr18 = stablehlo.remainder %yi18, %ym18 : tensor<132xi32>
  %yo18 = stablehlo.constant dense<1> : tensor<132xi32>
  %yw18 = stablehlo.add %yr18, %yo18 : tensor<132xi32>
  %yp18 = stablehlo.multiply %yf18, %yw18 : tensor<132xi32>
  // CHECK: s32[] 15002
  %ys18 = stablehlo.reduce(%yp18 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<132xi32>, tensor<i32>) -> tensor<i32>
  %z18 = stablehlo.reduce(%y18 init: %low) applies stablehlo.maximum across dimensions = [0, 1, 2] : (tensor<1x4x1x33xf32>, tensor<f32>) -> tensor<33xf32>
  %zc18 = stablehlo.convert %z18 : (tensor<33xf32>) -> tensor<33xi32>
  %zf18 = stablehlo.reshape %zc18 : (tensor<33xi32>) -> tensor<33xi32>
  %zi18 = stablehlo.iota dim = 0 : tensor<33xi32>
  %zm18 = stablehlo.constant dense<5> : tensor<33xi32>
  %zr18 = stablehlo.remainder %zi18, %zm18 : tensor<33xi32>
  %zo18 = stablehlo.constant dense<1> : tensor<33xi32>
  %zw18 = stablehlo.add %zr18, %zo18 : tensor<33xi32>
  %zp18 = stablehlo.multiply %zf18, %zw18 : tensor<33xi32>
  // CHECK: s32[] 2406
  %zs18 = stablehlo.reduce(%zp18 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<33xi32>, tensor<i32>) -> tensor<i32>
  %xi19 = stablehlo.iota dim = 0 : tensor<132xi32>
  %xk19 = stablehlo.constant dense<7> : tensor<132xi32>
  %xm19 = stablehlo.constant dense<23> : tensor<132xi32>
  %xp19 = stablehlo.multiply %xi19, %xk19 : tensor<132xi32>
  %xr19 = stablehlo.remainder %xp19, %xm19 : tensor<132xi32>
  %xf19 = stablehlo.convert %xr19 : (tensor<132xi32>) -> tensor<132xf32>
  %xs19 = stablehlo.reshape %xf19 : (tensor<132xf32>) -> tensor<1x4x1x33xf32>
  %x19 = stablehlo.optimization_barrier %xs19 : tensor<1x4x1x33xf32>
  %bi19 = stablehlo.iota dim = 0 : tensor<4xi32>
  %bk19 = stablehlo.constant dense<5> : tensor<4xi32>
  %bm19 = stablehlo.constant dense<11> : tensor<4xi32>
  %bp19 = stablehlo.multiply %bi19, %bk19 : tensor<4xi32>
  %br19 = stablehlo.remainder %bp19, %bm19 : tensor<4xi32>
  %bf19 = stablehlo.convert %br19 : (tensor<4xi32>) -> tensor<4xf32>
  %bs19 = stablehlo.reshape %bf19 : (tensor<4xf32>) -> tensor<4xf32>
  %b19 = stablehlo.optimization_barrier %bs19 : tensor<4xf32>
  %e19 = stablehlo.broadcast_in_dim %b19, dims = [1] : (tensor<4xf32>) -> tensor<1x4x1x33xf32>
  %d19 = stablehlo.add %x19, %x19 : tensor<1x4x1x33xf32>
  %n19 = stablehlo.subtract %d19, %e19 : tensor<1x4x1x33xf32>
  %y19 = stablehlo.optimization_barrier %n19 : tensor<1x4x1x33xf32>
  %yc19 = stablehlo.convert %y19 : (tensor<1x4x1x33xf32>) -> tensor<1x4x1x33xi32>
  %yf19 = stablehlo.reshape %yc19 : (tensor<1x4x1x33xi32>) -> tensor<132xi32>
  %yi19 = stablehlo.iota dim = 0 : tensor<132xi32>
  %ym19 = stablehlo.constant dense<13> : tensor<132xi32>
  %yr19 = stablehlo.remainder %yi19, %ym19 : tensor<132xi32>
  %yo19 = stablehlo.constant dense<1> : tensor<132xi32>
  %yw19 = stablehlo.add %yr19, %yo19 : tensor<132xi32>
  %yp19 = stablehlo.multiply %yf19, %yw19 : tensor<132xi32>
  // CHECK: s32[] 15002
  %ys19 = stablehlo.reduce(%yp19 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<132xi32>, tensor<i32>) -> tensor<i32>
  %z19 = stablehlo.reduce(%y19 init: %low) applies stablehlo.maximum across dimensions = [2, 3] : (tensor<1x4x1x33xf32>, tensor<f32>) -> tensor<1x4xf32>
  %zc19 = stablehlo.convert %z19 : (tensor<1x4xf32>) -> tensor<1x4xi32>
  %zf19 = stablehlo.reshape %zc19 : (tensor<1x4xi32>) -> tensor<4xi32>
  %zi19 = stablehlo.iota dim = 0 : tensor<4xi32>
  %zm19 = stablehlo.constant dense<5> : tensor<4xi32>
  %zr19 = stablehlo.remainder %zi19, %zm19 : tensor<4xi32>
  %zo19 = stablehlo.constant dense<1> : tensor<4xi32>
  %zw19 = stablehlo.add %zr19, %zo19 : tensor<4xi32>
  %zp19 = stablehlo.multiply %zf19, %zw19 : tensor<4xi32>
  // CHECK: s32[] 384
  %zs19 = stablehlo.reduce(%zp19 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xi32>, tensor<i32>) -> tensor<i32>
  return %ys0, %zs0, %ys1, %zs1, %ys2, %zs2, %ys3, %zs3, %ys4, %zs4, %ys5, %zs5, %ys6, %zs6, %ys7, %zs7, %ys8, %zs8, %ys9, %zs9, %ys10, %zs10, %ys11, %zs11, %ys12, %zs12, %ys13, %zs13, %ys14, %zs14, %ys15, %zs15, %ys16, %zs16, %ys17, %zs17, %ys18, %zs18, %ys19, %zs19 : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
}
