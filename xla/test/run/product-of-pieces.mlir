// RUN: xla-run %s --backend=reference | FileCheck %s
// RUN: xla-run %s --backend=native | FileCheck %s

// Products of pieces of arrays, which are read without a copy: their elements
// are whole numbers, weighted by their indices and summed.
func.func @main() -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %xi = stablehlo.iota dim = 0 : tensor<6300xi32>
  %xm = stablehlo.constant dense<7> : tensor<6300xi32>
  %xq = stablehlo.remainder %xi, %xm : tensor<6300xi32>
  %xo = stablehlo.constant dense<1> : tensor<6300xi32>
  %xs = stablehlo.subtract %xq, %xo : tensor<6300xi32>
  %xf = stablehlo.convert %xs : (tensor<6300xi32>) -> tensor<6300xf32>
  %xr = stablehlo.reshape %xf : (tensor<6300xf32>) -> tensor<70x90xf32>
  %x = stablehlo.optimization_barrier %xr : tensor<70x90xf32>
  %yi = stablehlo.iota dim = 0 : tensor<4800xi32>
  %ym = stablehlo.constant dense<5> : tensor<4800xi32>
  %yq = stablehlo.remainder %yi, %ym : tensor<4800xi32>
  %yo = stablehlo.constant dense<2> : tensor<4800xi32>
  %ys = stablehlo.subtract %yq, %yo : tensor<4800xi32>
  %yf = stablehlo.convert %ys : (tensor<4800xi32>) -> tensor<4800xf32>
  %yr = stablehlo.reshape %yf : (tensor<4800xf32>) -> tensor<80x60xf32>
  %y = stablehlo.optimization_barrier %yr : tensor<80x60xf32>
  %ti = stablehlo.iota dim = 0 : tensor<5760xi32>
  %tm = stablehlo.constant dense<9> : tensor<5760xi32>
  %tq = stablehlo.remainder %ti, %tm : tensor<5760xi32>
  %to = stablehlo.constant dense<4> : tensor<5760xi32>
  %ts = stablehlo.subtract %tq, %to : tensor<5760xi32>
  %tf = stablehlo.convert %ts : (tensor<5760xi32>) -> tensor<5760xf32>
  %tr = stablehlo.reshape %tf : (tensor<5760xf32>) -> tensor<6x20x48xf32>
  %t = stablehlo.optimization_barrier %tr : tensor<6x20x48xf32>
  %x0 = stablehlo.slice %x [5:65, 7:47] : (tensor<70x90xf32>) -> tensor<60x40xf32>
  %y0 = stablehlo.slice %y [1:80:2, 3:51] : (tensor<80x60xf32>) -> tensor<40x48xf32>
  // Rows and columns of both, one with steps.
  %z0 = stablehlo.dot_general %x0, %y0, contracting_dims = [1] x [0] : (tensor<60x40xf32>, tensor<40x48xf32>) -> tensor<60x48xf32>
  %flat0 = stablehlo.reshape %z0 : (tensor<60x48xf32>) -> tensor<2880xf32>
  %c0 = stablehlo.convert %flat0 : (tensor<2880xf32>) -> tensor<2880xi32>
  %p0 = stablehlo.iota dim = 0 : tensor<2880xi32>
  %e0 = stablehlo.constant dense<11> : tensor<2880xi32>
  %w0 = stablehlo.remainder %p0, %e0 : tensor<2880xi32>
  %u0 = stablehlo.multiply %c0, %w0 : tensor<2880xi32>
  // CHECK: s32[] 25209
  %sum0 = stablehlo.reduce(%u0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2880xi32>, tensor<i32>) -> tensor<i32>
  %x1 = stablehlo.slice %x [4:44, 11:77] : (tensor<70x90xf32>) -> tensor<40x66xf32>
  %x1t = stablehlo.transpose %x1, dims = [1, 0] : (tensor<40x66xf32>) -> tensor<66x40xf32>
  %y1 = stablehlo.slice %y [40:80, 0:60] : (tensor<80x60xf32>) -> tensor<40x60xf32>
  // Transposed after it was cut.
  %z1 = stablehlo.dot_general %x1t, %y1, contracting_dims = [1] x [0] : (tensor<66x40xf32>, tensor<40x60xf32>) -> tensor<66x60xf32>
  %flat1 = stablehlo.reshape %z1 : (tensor<66x60xf32>) -> tensor<3960xf32>
  %c1 = stablehlo.convert %flat1 : (tensor<3960xf32>) -> tensor<3960xi32>
  %p1 = stablehlo.iota dim = 0 : tensor<3960xi32>
  %e1 = stablehlo.constant dense<11> : tensor<3960xi32>
  %w1 = stablehlo.remainder %p1, %e1 : tensor<3960xi32>
  %u1 = stablehlo.multiply %c1, %w1 : tensor<3960xi32>
  // CHECK: s32[] -14
  %sum1 = stablehlo.reduce(%u1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3960xi32>, tensor<i32>) -> tensor<i32>
  %vi = stablehlo.iota dim = 0 : tensor<100xi32>
  %vm = stablehlo.constant dense<5> : tensor<100xi32>
  %vq = stablehlo.remainder %vi, %vm : tensor<100xi32>
  %vo = stablehlo.constant dense<2> : tensor<100xi32>
  %vs = stablehlo.subtract %vq, %vo : tensor<100xi32>
  %vf = stablehlo.convert %vs : (tensor<100xi32>) -> tensor<100xf32>
  %vr = stablehlo.reshape %vf : (tensor<100xf32>) -> tensor<100xf32>
  %v = stablehlo.optimization_barrier %vr : tensor<100xf32>
  %x2 = stablehlo.slice %x [2:68, 30:90] : (tensor<70x90xf32>) -> tensor<66x60xf32>
  %v2 = stablehlo.slice %v [17:77] : (tensor<100xf32>) -> tensor<60xf32>
  // With a vector.
  %z2 = stablehlo.dot_general %x2, %v2, contracting_dims = [1] x [0] : (tensor<66x60xf32>, tensor<60xf32>) -> tensor<66xf32>
  %flat2 = stablehlo.reshape %z2 : (tensor<66xf32>) -> tensor<66xf32>
  %c2 = stablehlo.convert %flat2 : (tensor<66xf32>) -> tensor<66xi32>
  %p2 = stablehlo.iota dim = 0 : tensor<66xi32>
  %e2 = stablehlo.constant dense<11> : tensor<66xi32>
  %w2 = stablehlo.remainder %p2, %e2 : tensor<66xi32>
  %u2 = stablehlo.multiply %c2, %w2 : tensor<66xi32>
  // CHECK: s32[] 45
  %sum2 = stablehlo.reduce(%u2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<66xi32>, tensor<i32>) -> tensor<i32>
  %x3 = stablehlo.slice %x [2:8, 30:37] : (tensor<70x90xf32>) -> tensor<6x7xf32>
  %y3 = stablehlo.slice %y [70:77, 50:56] : (tensor<80x60xf32>) -> tensor<7x6xf32>
  // In line.
  %z3 = stablehlo.dot_general %x3, %y3, contracting_dims = [1] x [0] : (tensor<6x7xf32>, tensor<7x6xf32>) -> tensor<6x6xf32>
  %flat3 = stablehlo.reshape %z3 : (tensor<6x6xf32>) -> tensor<36xf32>
  %c3 = stablehlo.convert %flat3 : (tensor<36xf32>) -> tensor<36xi32>
  %p3 = stablehlo.iota dim = 0 : tensor<36xi32>
  %e3 = stablehlo.constant dense<11> : tensor<36xi32>
  %w3 = stablehlo.remainder %p3, %e3 : tensor<36xi32>
  %u3 = stablehlo.multiply %c3, %w3 : tensor<36xi32>
  // CHECK: s32[] -518
  %sum3 = stablehlo.reduce(%u3 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<36xi32>, tensor<i32>) -> tensor<i32>
  %t4 = stablehlo.slice %t [1:4, 0:20, 0:16] : (tensor<6x20x48xf32>) -> tensor<3x20x16xf32>
  %second4 = stablehlo.slice %t [3:6, 0:20, 16:48:2] : (tensor<6x20x48xf32>) -> tensor<3x20x16xf32>
  // Batches, and terms of both.
  %z4 = stablehlo.dot_general %t4, %second4, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<3x20x16xf32>, tensor<3x20x16xf32>) -> tensor<3x20x20xf32>
  %flat4 = stablehlo.reshape %z4 : (tensor<3x20x20xf32>) -> tensor<1200xf32>
  %c4 = stablehlo.convert %flat4 : (tensor<1200xf32>) -> tensor<1200xi32>
  %p4 = stablehlo.iota dim = 0 : tensor<1200xi32>
  %e4 = stablehlo.constant dense<11> : tensor<1200xi32>
  %w4 = stablehlo.remainder %p4, %e4 : tensor<1200xi32>
  %u4 = stablehlo.multiply %c4, %w4 : tensor<1200xi32>
  // CHECK: s32[] 27629
  %sum4 = stablehlo.reduce(%u4 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<1200xi32>, tensor<i32>) -> tensor<i32>
  %t5 = stablehlo.slice %t [0:6, 3:8, 0:48] : (tensor<6x20x48xf32>) -> tensor<6x5x48xf32>
  %y5 = stablehlo.slice %y [0:48, 0:60] : (tensor<80x60xf32>) -> tensor<48x60xf32>
  // Rows that would be in many pieces: copied.
  %z5 = stablehlo.dot_general %t5, %y5, contracting_dims = [2] x [0] : (tensor<6x5x48xf32>, tensor<48x60xf32>) -> tensor<6x5x60xf32>
  %flat5 = stablehlo.reshape %z5 : (tensor<6x5x60xf32>) -> tensor<1800xf32>
  %c5 = stablehlo.convert %flat5 : (tensor<1800xf32>) -> tensor<1800xi32>
  %p5 = stablehlo.iota dim = 0 : tensor<1800xi32>
  %e5 = stablehlo.constant dense<11> : tensor<1800xi32>
  %w5 = stablehlo.remainder %p5, %e5 : tensor<1800xi32>
  %u5 = stablehlo.multiply %c5, %w5 : tensor<1800xi32>
  // CHECK: s32[] -198
  %sum5 = stablehlo.reduce(%u5 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<1800xi32>, tensor<i32>) -> tensor<i32>
  return %sum0, %sum1, %sum2, %sum3, %sum4, %sum5 : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
}
