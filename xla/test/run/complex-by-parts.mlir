// RUN: xla-run %s --backend=reference | FileCheck %s
// RUN: xla-run %s --backend=native | FileCheck %s

// Complex products that are split into those of their parts, and those that are
// not: their elements are whole numbers, weighted by their indices and summed.
func.func @main() -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  // Matrices, split.
  %a0ri = stablehlo.iota dim = 0 : tensor<1320xi32>
  %a0rm = stablehlo.constant dense<7> : tensor<1320xi32>
  %a0rq = stablehlo.remainder %a0ri, %a0rm : tensor<1320xi32>
  %a0ro = stablehlo.constant dense<3> : tensor<1320xi32>
  %a0rs = stablehlo.subtract %a0rq, %a0ro : tensor<1320xi32>
  %a0rf = stablehlo.convert %a0rs : (tensor<1320xi32>) -> tensor<1320xf32>
  %a0ji = stablehlo.iota dim = 0 : tensor<1320xi32>
  %a0jm = stablehlo.constant dense<5> : tensor<1320xi32>
  %a0jq = stablehlo.remainder %a0ji, %a0jm : tensor<1320xi32>
  %a0jo = stablehlo.constant dense<2> : tensor<1320xi32>
  %a0js = stablehlo.subtract %a0jq, %a0jo : tensor<1320xi32>
  %a0jf = stablehlo.convert %a0js : (tensor<1320xi32>) -> tensor<1320xf32>
  %a0c = stablehlo.complex %a0rf, %a0jf : tensor<1320xcomplex<f32>>
  %a0 = stablehlo.reshape %a0c : (tensor<1320xcomplex<f32>>) -> tensor<40x33xcomplex<f32>>
  %b0ri = stablehlo.iota dim = 0 : tensor<825xi32>
  %b0rm = stablehlo.constant dense<7> : tensor<825xi32>
  %b0rq = stablehlo.remainder %b0ri, %b0rm : tensor<825xi32>
  %b0ro = stablehlo.constant dense<3> : tensor<825xi32>
  %b0rs = stablehlo.subtract %b0rq, %b0ro : tensor<825xi32>
  %b0rf = stablehlo.convert %b0rs : (tensor<825xi32>) -> tensor<825xf32>
  %b0ji = stablehlo.iota dim = 0 : tensor<825xi32>
  %b0jm = stablehlo.constant dense<5> : tensor<825xi32>
  %b0jq = stablehlo.remainder %b0ji, %b0jm : tensor<825xi32>
  %b0jo = stablehlo.constant dense<2> : tensor<825xi32>
  %b0js = stablehlo.subtract %b0jq, %b0jo : tensor<825xi32>
  %b0jf = stablehlo.convert %b0js : (tensor<825xi32>) -> tensor<825xf32>
  %b0c = stablehlo.complex %b0rf, %b0jf : tensor<825xcomplex<f32>>
  %b0 = stablehlo.reshape %b0c : (tensor<825xcomplex<f32>>) -> tensor<33x25xcomplex<f32>>
  %y0 = stablehlo.dot_general %a0, %b0, contracting_dims = [1] x [0] : (tensor<40x33xcomplex<f32>>, tensor<33x25xcomplex<f32>>) -> tensor<40x25xcomplex<f32>>
  %f0 = stablehlo.reshape %y0 : (tensor<40x25xcomplex<f32>>) -> tensor<1000xcomplex<f32>>
  %re0 = stablehlo.real %f0 : (tensor<1000xcomplex<f32>>) -> tensor<1000xf32>
  %im0 = stablehlo.imag %f0 : (tensor<1000xcomplex<f32>>) -> tensor<1000xf32>
  %ri0 = stablehlo.convert %re0 : (tensor<1000xf32>) -> tensor<1000xi32>
  %ii0 = stablehlo.convert %im0 : (tensor<1000xf32>) -> tensor<1000xi32>
  %three0 = stablehlo.constant dense<3> : tensor<1000xi32>
  %i30 = stablehlo.multiply %ii0, %three0 : tensor<1000xi32>
  %both0 = stablehlo.add %ri0, %i30 : tensor<1000xi32>
  %at0 = stablehlo.iota dim = 0 : tensor<1000xi32>
  %eleven0 = stablehlo.constant dense<11> : tensor<1000xi32>
  %w0 = stablehlo.remainder %at0, %eleven0 : tensor<1000xi32>
  %bw0 = stablehlo.multiply %both0, %w0 : tensor<1000xi32>
  // CHECK: s32[] 1376
  %sum0 = stablehlo.reduce(%bw0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<1000xi32>, tensor<i32>) -> tensor<i32>
  // A batch, transposed and split.
  %a1ri = stablehlo.iota dim = 0 : tensor<3960xi32>
  %a1rm = stablehlo.constant dense<7> : tensor<3960xi32>
  %a1rq = stablehlo.remainder %a1ri, %a1rm : tensor<3960xi32>
  %a1ro = stablehlo.constant dense<3> : tensor<3960xi32>
  %a1rs = stablehlo.subtract %a1rq, %a1ro : tensor<3960xi32>
  %a1rf = stablehlo.convert %a1rs : (tensor<3960xi32>) -> tensor<3960xf32>
  %a1ji = stablehlo.iota dim = 0 : tensor<3960xi32>
  %a1jm = stablehlo.constant dense<5> : tensor<3960xi32>
  %a1jq = stablehlo.remainder %a1ji, %a1jm : tensor<3960xi32>
  %a1jo = stablehlo.constant dense<2> : tensor<3960xi32>
  %a1js = stablehlo.subtract %a1jq, %a1jo : tensor<3960xi32>
  %a1jf = stablehlo.convert %a1js : (tensor<3960xi32>) -> tensor<3960xf32>
  %a1c = stablehlo.complex %a1rf, %a1jf : tensor<3960xcomplex<f32>>
  %a1 = stablehlo.reshape %a1c : (tensor<3960xcomplex<f32>>) -> tensor<3x33x40xcomplex<f32>>
  %b1ri = stablehlo.iota dim = 0 : tensor<2475xi32>
  %b1rm = stablehlo.constant dense<7> : tensor<2475xi32>
  %b1rq = stablehlo.remainder %b1ri, %b1rm : tensor<2475xi32>
  %b1ro = stablehlo.constant dense<3> : tensor<2475xi32>
  %b1rs = stablehlo.subtract %b1rq, %b1ro : tensor<2475xi32>
  %b1rf = stablehlo.convert %b1rs : (tensor<2475xi32>) -> tensor<2475xf32>
  %b1ji = stablehlo.iota dim = 0 : tensor<2475xi32>
  %b1jm = stablehlo.constant dense<5> : tensor<2475xi32>
  %b1jq = stablehlo.remainder %b1ji, %b1jm : tensor<2475xi32>
  %b1jo = stablehlo.constant dense<2> : tensor<2475xi32>
  %b1js = stablehlo.subtract %b1jq, %b1jo : tensor<2475xi32>
  %b1jf = stablehlo.convert %b1js : (tensor<2475xi32>) -> tensor<2475xf32>
  %b1c = stablehlo.complex %b1rf, %b1jf : tensor<2475xcomplex<f32>>
  %b1 = stablehlo.reshape %b1c : (tensor<2475xcomplex<f32>>) -> tensor<3x25x33xcomplex<f32>>
  %y1 = stablehlo.dot_general %a1, %b1, batching_dims = [0] x [0], contracting_dims = [1] x [2] : (tensor<3x33x40xcomplex<f32>>, tensor<3x25x33xcomplex<f32>>) -> tensor<3x40x25xcomplex<f32>>
  %f1 = stablehlo.reshape %y1 : (tensor<3x40x25xcomplex<f32>>) -> tensor<3000xcomplex<f32>>
  %re1 = stablehlo.real %f1 : (tensor<3000xcomplex<f32>>) -> tensor<3000xf32>
  %im1 = stablehlo.imag %f1 : (tensor<3000xcomplex<f32>>) -> tensor<3000xf32>
  %ri1 = stablehlo.convert %re1 : (tensor<3000xf32>) -> tensor<3000xi32>
  %ii1 = stablehlo.convert %im1 : (tensor<3000xf32>) -> tensor<3000xi32>
  %three1 = stablehlo.constant dense<3> : tensor<3000xi32>
  %i31 = stablehlo.multiply %ii1, %three1 : tensor<3000xi32>
  %both1 = stablehlo.add %ri1, %i31 : tensor<3000xi32>
  %at1 = stablehlo.iota dim = 0 : tensor<3000xi32>
  %eleven1 = stablehlo.constant dense<11> : tensor<3000xi32>
  %w1 = stablehlo.remainder %at1, %eleven1 : tensor<3000xi32>
  %bw1 = stablehlo.multiply %both1, %w1 : tensor<3000xi32>
  // CHECK: s32[] -765
  %sum1 = stablehlo.reduce(%bw1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3000xi32>, tensor<i32>) -> tensor<i32>
  // A matrix and a vector: long sums in line.
  %a2ri = stablehlo.iota dim = 0 : tensor<5200xi32>
  %a2rm = stablehlo.constant dense<7> : tensor<5200xi32>
  %a2rq = stablehlo.remainder %a2ri, %a2rm : tensor<5200xi32>
  %a2ro = stablehlo.constant dense<3> : tensor<5200xi32>
  %a2rs = stablehlo.subtract %a2rq, %a2ro : tensor<5200xi32>
  %a2rf = stablehlo.convert %a2rs : (tensor<5200xi32>) -> tensor<5200xf32>
  %a2ji = stablehlo.iota dim = 0 : tensor<5200xi32>
  %a2jm = stablehlo.constant dense<5> : tensor<5200xi32>
  %a2jq = stablehlo.remainder %a2ji, %a2jm : tensor<5200xi32>
  %a2jo = stablehlo.constant dense<2> : tensor<5200xi32>
  %a2js = stablehlo.subtract %a2jq, %a2jo : tensor<5200xi32>
  %a2jf = stablehlo.convert %a2js : (tensor<5200xi32>) -> tensor<5200xf32>
  %a2c = stablehlo.complex %a2rf, %a2jf : tensor<5200xcomplex<f32>>
  %a2 = stablehlo.reshape %a2c : (tensor<5200xcomplex<f32>>) -> tensor<40x130xcomplex<f32>>
  %b2ri = stablehlo.iota dim = 0 : tensor<130xi32>
  %b2rm = stablehlo.constant dense<7> : tensor<130xi32>
  %b2rq = stablehlo.remainder %b2ri, %b2rm : tensor<130xi32>
  %b2ro = stablehlo.constant dense<3> : tensor<130xi32>
  %b2rs = stablehlo.subtract %b2rq, %b2ro : tensor<130xi32>
  %b2rf = stablehlo.convert %b2rs : (tensor<130xi32>) -> tensor<130xf32>
  %b2ji = stablehlo.iota dim = 0 : tensor<130xi32>
  %b2jm = stablehlo.constant dense<5> : tensor<130xi32>
  %b2jq = stablehlo.remainder %b2ji, %b2jm : tensor<130xi32>
  %b2jo = stablehlo.constant dense<2> : tensor<130xi32>
  %b2js = stablehlo.subtract %b2jq, %b2jo : tensor<130xi32>
  %b2jf = stablehlo.convert %b2js : (tensor<130xi32>) -> tensor<130xf32>
  %b2c = stablehlo.complex %b2rf, %b2jf : tensor<130xcomplex<f32>>
  %b2 = stablehlo.reshape %b2c : (tensor<130xcomplex<f32>>) -> tensor<130xcomplex<f32>>
  %y2 = stablehlo.dot_general %a2, %b2, contracting_dims = [1] x [0] : (tensor<40x130xcomplex<f32>>, tensor<130xcomplex<f32>>) -> tensor<40xcomplex<f32>>
  %f2 = stablehlo.reshape %y2 : (tensor<40xcomplex<f32>>) -> tensor<40xcomplex<f32>>
  %re2 = stablehlo.real %f2 : (tensor<40xcomplex<f32>>) -> tensor<40xf32>
  %im2 = stablehlo.imag %f2 : (tensor<40xcomplex<f32>>) -> tensor<40xf32>
  %ri2 = stablehlo.convert %re2 : (tensor<40xf32>) -> tensor<40xi32>
  %ii2 = stablehlo.convert %im2 : (tensor<40xf32>) -> tensor<40xi32>
  %three2 = stablehlo.constant dense<3> : tensor<40xi32>
  %i32 = stablehlo.multiply %ii2, %three2 : tensor<40xi32>
  %both2 = stablehlo.add %ri2, %i32 : tensor<40xi32>
  %at2 = stablehlo.iota dim = 0 : tensor<40xi32>
  %eleven2 = stablehlo.constant dense<11> : tensor<40xi32>
  %w2 = stablehlo.remainder %at2, %eleven2 : tensor<40xi32>
  %bw2 = stablehlo.multiply %both2, %w2 : tensor<40xi32>
  // CHECK: s32[] -47551
  %sum2 = stablehlo.reduce(%bw2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<40xi32>, tensor<i32>) -> tensor<i32>
  // A vector and a matrix.
  %a3ri = stablehlo.iota dim = 0 : tensor<130xi32>
  %a3rm = stablehlo.constant dense<7> : tensor<130xi32>
  %a3rq = stablehlo.remainder %a3ri, %a3rm : tensor<130xi32>
  %a3ro = stablehlo.constant dense<3> : tensor<130xi32>
  %a3rs = stablehlo.subtract %a3rq, %a3ro : tensor<130xi32>
  %a3rf = stablehlo.convert %a3rs : (tensor<130xi32>) -> tensor<130xf32>
  %a3ji = stablehlo.iota dim = 0 : tensor<130xi32>
  %a3jm = stablehlo.constant dense<5> : tensor<130xi32>
  %a3jq = stablehlo.remainder %a3ji, %a3jm : tensor<130xi32>
  %a3jo = stablehlo.constant dense<2> : tensor<130xi32>
  %a3js = stablehlo.subtract %a3jq, %a3jo : tensor<130xi32>
  %a3jf = stablehlo.convert %a3js : (tensor<130xi32>) -> tensor<130xf32>
  %a3c = stablehlo.complex %a3rf, %a3jf : tensor<130xcomplex<f32>>
  %a3 = stablehlo.reshape %a3c : (tensor<130xcomplex<f32>>) -> tensor<130xcomplex<f32>>
  %b3ri = stablehlo.iota dim = 0 : tensor<5200xi32>
  %b3rm = stablehlo.constant dense<7> : tensor<5200xi32>
  %b3rq = stablehlo.remainder %b3ri, %b3rm : tensor<5200xi32>
  %b3ro = stablehlo.constant dense<3> : tensor<5200xi32>
  %b3rs = stablehlo.subtract %b3rq, %b3ro : tensor<5200xi32>
  %b3rf = stablehlo.convert %b3rs : (tensor<5200xi32>) -> tensor<5200xf32>
  %b3ji = stablehlo.iota dim = 0 : tensor<5200xi32>
  %b3jm = stablehlo.constant dense<5> : tensor<5200xi32>
  %b3jq = stablehlo.remainder %b3ji, %b3jm : tensor<5200xi32>
  %b3jo = stablehlo.constant dense<2> : tensor<5200xi32>
  %b3js = stablehlo.subtract %b3jq, %b3jo : tensor<5200xi32>
  %b3jf = stablehlo.convert %b3js : (tensor<5200xi32>) -> tensor<5200xf32>
  %b3c = stablehlo.complex %b3rf, %b3jf : tensor<5200xcomplex<f32>>
  %b3 = stablehlo.reshape %b3c : (tensor<5200xcomplex<f32>>) -> tensor<130x40xcomplex<f32>>
  %y3 = stablehlo.dot_general %a3, %b3, contracting_dims = [0] x [0] : (tensor<130xcomplex<f32>>, tensor<130x40xcomplex<f32>>) -> tensor<40xcomplex<f32>>
  %f3 = stablehlo.reshape %y3 : (tensor<40xcomplex<f32>>) -> tensor<40xcomplex<f32>>
  %re3 = stablehlo.real %f3 : (tensor<40xcomplex<f32>>) -> tensor<40xf32>
  %im3 = stablehlo.imag %f3 : (tensor<40xcomplex<f32>>) -> tensor<40xf32>
  %ri3 = stablehlo.convert %re3 : (tensor<40xf32>) -> tensor<40xi32>
  %ii3 = stablehlo.convert %im3 : (tensor<40xf32>) -> tensor<40xi32>
  %three3 = stablehlo.constant dense<3> : tensor<40xi32>
  %i33 = stablehlo.multiply %ii3, %three3 : tensor<40xi32>
  %both3 = stablehlo.add %ri3, %i33 : tensor<40xi32>
  %at3 = stablehlo.iota dim = 0 : tensor<40xi32>
  %eleven3 = stablehlo.constant dense<11> : tensor<40xi32>
  %w3 = stablehlo.remainder %at3, %eleven3 : tensor<40xi32>
  %bw3 = stablehlo.multiply %both3, %w3 : tensor<40xi32>
  // CHECK: s32[] 4622
  %sum3 = stablehlo.reduce(%bw3 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<40xi32>, tensor<i32>) -> tensor<i32>
  // Small matrices, in line.
  %a4ri = stablehlo.iota dim = 0 : tensor<60xi32>
  %a4rm = stablehlo.constant dense<7> : tensor<60xi32>
  %a4rq = stablehlo.remainder %a4ri, %a4rm : tensor<60xi32>
  %a4ro = stablehlo.constant dense<3> : tensor<60xi32>
  %a4rs = stablehlo.subtract %a4rq, %a4ro : tensor<60xi32>
  %a4rf = stablehlo.convert %a4rs : (tensor<60xi32>) -> tensor<60xf32>
  %a4ji = stablehlo.iota dim = 0 : tensor<60xi32>
  %a4jm = stablehlo.constant dense<5> : tensor<60xi32>
  %a4jq = stablehlo.remainder %a4ji, %a4jm : tensor<60xi32>
  %a4jo = stablehlo.constant dense<2> : tensor<60xi32>
  %a4js = stablehlo.subtract %a4jq, %a4jo : tensor<60xi32>
  %a4jf = stablehlo.convert %a4js : (tensor<60xi32>) -> tensor<60xf32>
  %a4c = stablehlo.complex %a4rf, %a4jf : tensor<60xcomplex<f32>>
  %a4 = stablehlo.reshape %a4c : (tensor<60xcomplex<f32>>) -> tensor<5x4x3xcomplex<f32>>
  %b4ri = stablehlo.iota dim = 0 : tensor<90xi32>
  %b4rm = stablehlo.constant dense<7> : tensor<90xi32>
  %b4rq = stablehlo.remainder %b4ri, %b4rm : tensor<90xi32>
  %b4ro = stablehlo.constant dense<3> : tensor<90xi32>
  %b4rs = stablehlo.subtract %b4rq, %b4ro : tensor<90xi32>
  %b4rf = stablehlo.convert %b4rs : (tensor<90xi32>) -> tensor<90xf32>
  %b4ji = stablehlo.iota dim = 0 : tensor<90xi32>
  %b4jm = stablehlo.constant dense<5> : tensor<90xi32>
  %b4jq = stablehlo.remainder %b4ji, %b4jm : tensor<90xi32>
  %b4jo = stablehlo.constant dense<2> : tensor<90xi32>
  %b4js = stablehlo.subtract %b4jq, %b4jo : tensor<90xi32>
  %b4jf = stablehlo.convert %b4js : (tensor<90xi32>) -> tensor<90xf32>
  %b4c = stablehlo.complex %b4rf, %b4jf : tensor<90xcomplex<f32>>
  %b4 = stablehlo.reshape %b4c : (tensor<90xcomplex<f32>>) -> tensor<5x3x6xcomplex<f32>>
  %y4 = stablehlo.dot_general %a4, %b4, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<5x4x3xcomplex<f32>>, tensor<5x3x6xcomplex<f32>>) -> tensor<5x4x6xcomplex<f32>>
  %f4 = stablehlo.reshape %y4 : (tensor<5x4x6xcomplex<f32>>) -> tensor<120xcomplex<f32>>
  %re4 = stablehlo.real %f4 : (tensor<120xcomplex<f32>>) -> tensor<120xf32>
  %im4 = stablehlo.imag %f4 : (tensor<120xcomplex<f32>>) -> tensor<120xf32>
  %ri4 = stablehlo.convert %re4 : (tensor<120xf32>) -> tensor<120xi32>
  %ii4 = stablehlo.convert %im4 : (tensor<120xf32>) -> tensor<120xi32>
  %three4 = stablehlo.constant dense<3> : tensor<120xi32>
  %i34 = stablehlo.multiply %ii4, %three4 : tensor<120xi32>
  %both4 = stablehlo.add %ri4, %i34 : tensor<120xi32>
  %at4 = stablehlo.iota dim = 0 : tensor<120xi32>
  %eleven4 = stablehlo.constant dense<11> : tensor<120xi32>
  %w4 = stablehlo.remainder %at4, %eleven4 : tensor<120xi32>
  %bw4 = stablehlo.multiply %both4, %w4 : tensor<120xi32>
  // CHECK: s32[] 759
  %sum4 = stablehlo.reduce(%bw4 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<120xi32>, tensor<i32>) -> tensor<i32>
  // A convolution, split.
  %a5ri = stablehlo.iota dim = 0 : tensor<972xi32>
  %a5rm = stablehlo.constant dense<7> : tensor<972xi32>
  %a5rq = stablehlo.remainder %a5ri, %a5rm : tensor<972xi32>
  %a5ro = stablehlo.constant dense<3> : tensor<972xi32>
  %a5rs = stablehlo.subtract %a5rq, %a5ro : tensor<972xi32>
  %a5rf = stablehlo.convert %a5rs : (tensor<972xi32>) -> tensor<972xf32>
  %a5ji = stablehlo.iota dim = 0 : tensor<972xi32>
  %a5jm = stablehlo.constant dense<5> : tensor<972xi32>
  %a5jq = stablehlo.remainder %a5ji, %a5jm : tensor<972xi32>
  %a5jo = stablehlo.constant dense<2> : tensor<972xi32>
  %a5js = stablehlo.subtract %a5jq, %a5jo : tensor<972xi32>
  %a5jf = stablehlo.convert %a5js : (tensor<972xi32>) -> tensor<972xf32>
  %a5c = stablehlo.complex %a5rf, %a5jf : tensor<972xcomplex<f32>>
  %a5 = stablehlo.reshape %a5c : (tensor<972xcomplex<f32>>) -> tensor<2x9x9x6xcomplex<f32>>
  %b5ri = stablehlo.iota dim = 0 : tensor<432xi32>
  %b5rm = stablehlo.constant dense<7> : tensor<432xi32>
  %b5rq = stablehlo.remainder %b5ri, %b5rm : tensor<432xi32>
  %b5ro = stablehlo.constant dense<3> : tensor<432xi32>
  %b5rs = stablehlo.subtract %b5rq, %b5ro : tensor<432xi32>
  %b5rf = stablehlo.convert %b5rs : (tensor<432xi32>) -> tensor<432xf32>
  %b5ji = stablehlo.iota dim = 0 : tensor<432xi32>
  %b5jm = stablehlo.constant dense<5> : tensor<432xi32>
  %b5jq = stablehlo.remainder %b5ji, %b5jm : tensor<432xi32>
  %b5jo = stablehlo.constant dense<2> : tensor<432xi32>
  %b5js = stablehlo.subtract %b5jq, %b5jo : tensor<432xi32>
  %b5jf = stablehlo.convert %b5js : (tensor<432xi32>) -> tensor<432xf32>
  %b5c = stablehlo.complex %b5rf, %b5jf : tensor<432xcomplex<f32>>
  %b5 = stablehlo.reshape %b5c : (tensor<432xcomplex<f32>>) -> tensor<3x3x6x8xcomplex<f32>>
  %y5 = stablehlo.convolution(%a5, %b5) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x9x6xcomplex<f32>>, tensor<3x3x6x8xcomplex<f32>>) -> tensor<2x9x9x8xcomplex<f32>>
  %f5 = stablehlo.reshape %y5 : (tensor<2x9x9x8xcomplex<f32>>) -> tensor<1296xcomplex<f32>>
  %re5 = stablehlo.real %f5 : (tensor<1296xcomplex<f32>>) -> tensor<1296xf32>
  %im5 = stablehlo.imag %f5 : (tensor<1296xcomplex<f32>>) -> tensor<1296xf32>
  %ri5 = stablehlo.convert %re5 : (tensor<1296xf32>) -> tensor<1296xi32>
  %ii5 = stablehlo.convert %im5 : (tensor<1296xf32>) -> tensor<1296xi32>
  %three5 = stablehlo.constant dense<3> : tensor<1296xi32>
  %i35 = stablehlo.multiply %ii5, %three5 : tensor<1296xi32>
  %both5 = stablehlo.add %ri5, %i35 : tensor<1296xi32>
  %at5 = stablehlo.iota dim = 0 : tensor<1296xi32>
  %eleven5 = stablehlo.constant dense<11> : tensor<1296xi32>
  %w5 = stablehlo.remainder %at5, %eleven5 : tensor<1296xi32>
  %bw5 = stablehlo.multiply %both5, %w5 : tensor<1296xi32>
  // CHECK: s32[] 354
  %sum5 = stablehlo.reduce(%bw5 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<1296xi32>, tensor<i32>) -> tensor<i32>
  return %sum0, %sum1, %sum2, %sum3, %sum4, %sum5 : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
}
