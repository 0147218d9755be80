// RUN: xla-run %s --backend=reference | FileCheck %s
// RUN: xla-run %s --backend=native | FileCheck %s

// Matrices of complex numbers times few lines: whole numbers, weighted by their
// indices and summed.
func.func @main() -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) {
  // Terms side by side in the matrix: a vector, three, results in lines and across.
  %ri0 = stablehlo.iota dim = 0 : tensor<75400xi32>
  %ra0 = stablehlo.constant dense<3> : tensor<75400xi32>
  %rb0 = stablehlo.multiply %ri0, %ra0 : tensor<75400xi32>
  %rc0 = stablehlo.constant dense<0> : tensor<75400xi32>
  %rd0 = stablehlo.add %rb0, %rc0 : tensor<75400xi32>
  %re0 = stablehlo.constant dense<13> : tensor<75400xi32>
  %rf0 = stablehlo.remainder %rd0, %re0 : tensor<75400xi32>
  %rg0 = stablehlo.constant dense<6> : tensor<75400xi32>
  %rh0 = stablehlo.subtract %rf0, %rg0 : tensor<75400xi32>
  %rk0 = stablehlo.convert %rh0 : (tensor<75400xi32>) -> tensor<75400xf32>
  %ji0 = stablehlo.iota dim = 0 : tensor<75400xi32>
  %ja0 = stablehlo.constant dense<5> : tensor<75400xi32>
  %jb0 = stablehlo.multiply %ji0, %ja0 : tensor<75400xi32>
  %jc0 = stablehlo.constant dense<0> : tensor<75400xi32>
  %jd0 = stablehlo.add %jb0, %jc0 : tensor<75400xi32>
  %je0 = stablehlo.constant dense<11> : tensor<75400xi32>
  %jf0 = stablehlo.remainder %jd0, %je0 : tensor<75400xi32>
  %jg0 = stablehlo.constant dense<5> : tensor<75400xi32>
  %jh0 = stablehlo.subtract %jf0, %jg0 : tensor<75400xi32>
  %jk0 = stablehlo.convert %jh0 : (tensor<75400xi32>) -> tensor<75400xf32>
  %z0 = stablehlo.complex %rk0, %jk0 : tensor<75400xcomplex<f32>>
  %y0 = stablehlo.reshape %z0 : (tensor<75400xcomplex<f32>>) -> tensor<290x260xcomplex<f32>>
  %x0 = stablehlo.optimization_barrier %y0 : tensor<290x260xcomplex<f32>>
  %ri1 = stablehlo.iota dim = 0 : tensor<260xi32>
  %ra1 = stablehlo.constant dense<3> : tensor<260xi32>
  %rb1 = stablehlo.multiply %ri1, %ra1 : tensor<260xi32>
  %rc1 = stablehlo.constant dense<1> : tensor<260xi32>
  %rd1 = stablehlo.add %rb1, %rc1 : tensor<260xi32>
  %re1 = stablehlo.constant dense<13> : tensor<260xi32>
  %rf1 = stablehlo.remainder %rd1, %re1 : tensor<260xi32>
  %rg1 = stablehlo.constant dense<6> : tensor<260xi32>
  %rh1 = stablehlo.subtract %rf1, %rg1 : tensor<260xi32>
  %rk1 = stablehlo.convert %rh1 : (tensor<260xi32>) -> tensor<260xf32>
  %ji1 = stablehlo.iota dim = 0 : tensor<260xi32>
  %ja1 = stablehlo.constant dense<5> : tensor<260xi32>
  %jb1 = stablehlo.multiply %ji1, %ja1 : tensor<260xi32>
  %jc1 = stablehlo.constant dense<1> : tensor<260xi32>
  %jd1 = stablehlo.add %jb1, %jc1 : tensor<260xi32>
  %je1 = stablehlo.constant dense<11> : tensor<260xi32>
  %jf1 = stablehlo.remainder %jd1, %je1 : tensor<260xi32>
  %jg1 = stablehlo.constant dense<5> : tensor<260xi32>
  %jh1 = stablehlo.subtract %jf1, %jg1 : tensor<260xi32>
  %jk1 = stablehlo.convert %jh1 : (tensor<260xi32>) -> tensor<260xf32>
  %z1 = stablehlo.complex %rk1, %jk1 : tensor<260xcomplex<f32>>
  %y1 = stablehlo.reshape %z1 : (tensor<260xcomplex<f32>>) -> tensor<260xcomplex<f32>>
  %x1 = stablehlo.optimization_barrier %y1 : tensor<260xcomplex<f32>>
  %ri2 = stablehlo.iota dim = 0 : tensor<780xi32>
  %ra2 = stablehlo.constant dense<3> : tensor<780xi32>
  %rb2 = stablehlo.multiply %ri2, %ra2 : tensor<780xi32>
  %rc2 = stablehlo.constant dense<2> : tensor<780xi32>
  %rd2 = stablehlo.add %rb2, %rc2 : tensor<780xi32>
  %re2 = stablehlo.constant dense<13> : tensor<780xi32>
  %rf2 = stablehlo.remainder %rd2, %re2 : tensor<780xi32>
  %rg2 = stablehlo.constant dense<6> : tensor<780xi32>
  %rh2 = stablehlo.subtract %rf2, %rg2 : tensor<780xi32>
  %rk2 = stablehlo.convert %rh2 : (tensor<780xi32>) -> tensor<780xf32>
  %ji2 = stablehlo.iota dim = 0 : tensor<780xi32>
  %ja2 = stablehlo.constant dense<5> : tensor<780xi32>
  %jb2 = stablehlo.multiply %ji2, %ja2 : tensor<780xi32>
  %jc2 = stablehlo.constant dense<2> : tensor<780xi32>
  %jd2 = stablehlo.add %jb2, %jc2 : tensor<780xi32>
  %je2 = stablehlo.constant dense<11> : tensor<780xi32>
  %jf2 = stablehlo.remainder %jd2, %je2 : tensor<780xi32>
  %jg2 = stablehlo.constant dense<5> : tensor<780xi32>
  %jh2 = stablehlo.subtract %jf2, %jg2 : tensor<780xi32>
  %jk2 = stablehlo.convert %jh2 : (tensor<780xi32>) -> tensor<780xf32>
  %z2 = stablehlo.complex %rk2, %jk2 : tensor<780xcomplex<f32>>
  %y2 = stablehlo.reshape %z2 : (tensor<780xcomplex<f32>>) -> tensor<260x3xcomplex<f32>>
  %x2 = stablehlo.optimization_barrier %y2 : tensor<260x3xcomplex<f32>>
  %ri3 = stablehlo.iota dim = 0 : tensor<290xi32>
  %ra3 = stablehlo.constant dense<3> : tensor<290xi32>
  %rb3 = stablehlo.multiply %ri3, %ra3 : tensor<290xi32>
  %rc3 = stablehlo.constant dense<3> : tensor<290xi32>
  %rd3 = stablehlo.add %rb3, %rc3 : tensor<290xi32>
  %re3 = stablehlo.constant dense<13> : tensor<290xi32>
  %rf3 = stablehlo.remainder %rd3, %re3 : tensor<290xi32>
  %rg3 = stablehlo.constant dense<6> : tensor<290xi32>
  %rh3 = stablehlo.subtract %rf3, %rg3 : tensor<290xi32>
  %rk3 = stablehlo.convert %rh3 : (tensor<290xi32>) -> tensor<290xf32>
  %ji3 = stablehlo.iota dim = 0 : tensor<290xi32>
  %ja3 = stablehlo.constant dense<5> : tensor<290xi32>
  %jb3 = stablehlo.multiply %ji3, %ja3 : tensor<290xi32>
  %jc3 = stablehlo.constant dense<3> : tensor<290xi32>
  %jd3 = stablehlo.add %jb3, %jc3 : tensor<290xi32>
  %je3 = stablehlo.constant dense<11> : tensor<290xi32>
  %jf3 = stablehlo.remainder %jd3, %je3 : tensor<290xi32>
  %jg3 = stablehlo.constant dense<5> : tensor<290xi32>
  %jh3 = stablehlo.subtract %jf3, %jg3 : tensor<290xi32>
  %jk3 = stablehlo.convert %jh3 : (tensor<290xi32>) -> tensor<290xf32>
  %z3 = stablehlo.complex %rk3, %jk3 : tensor<290xcomplex<f32>>
  %y3 = stablehlo.reshape %z3 : (tensor<290xcomplex<f32>>) -> tensor<290xcomplex<f32>>
  %x3 = stablehlo.optimization_barrier %y3 : tensor<290xcomplex<f32>>
  %ri4 = stablehlo.iota dim = 0 : tensor<580xi32>
  %ra4 = stablehlo.constant dense<3> : tensor<580xi32>
  %rb4 = stablehlo.multiply %ri4, %ra4 : tensor<580xi32>
  %rc4 = stablehlo.constant dense<4> : tensor<580xi32>
  %rd4 = stablehlo.add %rb4, %rc4 : tensor<580xi32>
  %re4 = stablehlo.constant dense<13> : tensor<580xi32>
  %rf4 = stablehlo.remainder %rd4, %re4 : tensor<580xi32>
  %rg4 = stablehlo.constant dense<6> : tensor<580xi32>
  %rh4 = stablehlo.subtract %rf4, %rg4 : tensor<580xi32>
  %rk4 = stablehlo.convert %rh4 : (tensor<580xi32>) -> tensor<580xf32>
  %ji4 = stablehlo.iota dim = 0 : tensor<580xi32>
  %ja4 = stablehlo.constant dense<5> : tensor<580xi32>
  %jb4 = stablehlo.multiply %ji4, %ja4 : tensor<580xi32>
  %jc4 = stablehlo.constant dense<4> : tensor<580xi32>
  %jd4 = stablehlo.add %jb4, %jc4 : tensor<580xi32>
  %je4 = stablehlo.constant dense<11> : tensor<580xi32>
  %jf4 = stablehlo.remainder %jd4, %je4 : tensor<580xi32>
  %jg4 = stablehlo.constant dense<5> : tensor<580xi32>
  %jh4 = stablehlo.subtract %jf4, %jg4 : tensor<580xi32>
  %jk4 = stablehlo.convert %jh4 : (tensor<580xi32>) -> tensor<580xf32>
  %z4 = stablehlo.complex %rk4, %jk4 : tensor<580xcomplex<f32>>
  %y4 = stablehlo.reshape %z4 : (tensor<580xcomplex<f32>>) -> tensor<2x290xcomplex<f32>>
  %x4 = stablehlo.optimization_barrier %y4 : tensor<2x290xcomplex<f32>>
  %d5 = stablehlo.dot_general %x0, %x1, contracting_dims = [1] x [0] : (tensor<290x260xcomplex<f32>>, tensor<260xcomplex<f32>>) -> tensor<290xcomplex<f32>>
  %fo6 = stablehlo.reshape %d5 : (tensor<290xcomplex<f32>>) -> tensor<290xcomplex<f32>>
  %ro6 = stablehlo.real %fo6 : (tensor<290xcomplex<f32>>) -> tensor<290xf32>
  %mo6 = stablehlo.imag %fo6 : (tensor<290xcomplex<f32>>) -> tensor<290xf32>
  %rio6 = stablehlo.convert %ro6 : (tensor<290xf32>) -> tensor<290xi32>
  %mio6 = stablehlo.convert %mo6 : (tensor<290xf32>) -> tensor<290xi32>
  %to6 = stablehlo.constant dense<3> : tensor<290xi32>
  %uo6 = stablehlo.multiply %mio6, %to6 : tensor<290xi32>
  %vo6 = stablehlo.add %rio6, %uo6 : tensor<290xi32>
  %jo6 = stablehlo.iota dim = 0 : tensor<290xi32>
  %eo6 = stablehlo.constant dense<11> : tensor<290xi32>
  %go6 = stablehlo.remainder %jo6, %eo6 : tensor<290xi32>
  %ko6 = stablehlo.multiply %vo6, %go6 : tensor<290xi32>
  %so6 = stablehlo.constant dense<0> : tensor<i32>
  %wo6 = stablehlo.reduce(%ko6 init: %so6) applies stablehlo.add across dimensions = [0] : (tensor<290xi32>, tensor<i32>) -> tensor<i32>
  // CHECK: s32[] 3318672
  %d7 = stablehlo.dot_general %x0, %x2, contracting_dims = [1] x [0] : (tensor<290x260xcomplex<f32>>, tensor<260x3xcomplex<f32>>) -> tensor<290x3xcomplex<f32>>
  %fo8 = stablehlo.reshape %d7 : (tensor<290x3xcomplex<f32>>) -> tensor<870xcomplex<f32>>
  %ro8 = stablehlo.real %fo8 : (tensor<870xcomplex<f32>>) -> tensor<870xf32>
  %mo8 = stablehlo.imag %fo8 : (tensor<870xcomplex<f32>>) -> tensor<870xf32>
  %rio8 = stablehlo.convert %ro8 : (tensor<870xf32>) -> tensor<870xi32>
  %mio8 = stablehlo.convert %mo8 : (tensor<870xf32>) -> tensor<870xi32>
  %to8 = stablehlo.constant dense<3> : tensor<870xi32>
  %uo8 = stablehlo.multiply %mio8, %to8 : tensor<870xi32>
  %vo8 = stablehlo.add %rio8, %uo8 : tensor<870xi32>
  %jo8 = stablehlo.iota dim = 0 : tensor<870xi32>
  %eo8 = stablehlo.constant dense<11> : tensor<870xi32>
  %go8 = stablehlo.remainder %jo8, %eo8 : tensor<870xi32>
  %ko8 = stablehlo.multiply %vo8, %go8 : tensor<870xi32>
  %so8 = stablehlo.constant dense<0> : tensor<i32>
  %wo8 = stablehlo.reduce(%ko8 init: %so8) applies stablehlo.add across dimensions = [0] : (tensor<870xi32>, tensor<i32>) -> tensor<i32>
  // CHECK: s32[] 1223568
  %d9 = stablehlo.dot_general %x2, %x0, contracting_dims = [0] x [1] : (tensor<260x3xcomplex<f32>>, tensor<290x260xcomplex<f32>>) -> tensor<3x290xcomplex<f32>>
  %fo10 = stablehlo.reshape %d9 : (tensor<3x290xcomplex<f32>>) -> tensor<870xcomplex<f32>>
  %ro10 = stablehlo.real %fo10 : (tensor<870xcomplex<f32>>) -> tensor<870xf32>
  %mo10 = stablehlo.imag %fo10 : (tensor<870xcomplex<f32>>) -> tensor<870xf32>
  %rio10 = stablehlo.convert %ro10 : (tensor<870xf32>) -> tensor<870xi32>
  %mio10 = stablehlo.convert %mo10 : (tensor<870xf32>) -> tensor<870xi32>
  %to10 = stablehlo.constant dense<3> : tensor<870xi32>
  %uo10 = stablehlo.multiply %mio10, %to10 : tensor<870xi32>
  %vo10 = stablehlo.add %rio10, %uo10 : tensor<870xi32>
  %jo10 = stablehlo.iota dim = 0 : tensor<870xi32>
  %eo10 = stablehlo.constant dense<11> : tensor<870xi32>
  %go10 = stablehlo.remainder %jo10, %eo10 : tensor<870xi32>
  %ko10 = stablehlo.multiply %vo10, %go10 : tensor<870xi32>
  %so10 = stablehlo.constant dense<0> : tensor<i32>
  %wo10 = stablehlo.reduce(%ko10 init: %so10) applies stablehlo.add across dimensions = [0] : (tensor<870xi32>, tensor<i32>) -> tensor<i32>
  // CHECK: s32[] 954655
  // Lines side by side.
  %d11 = stablehlo.dot_general %x3, %x0, contracting_dims = [0] x [0] : (tensor<290xcomplex<f32>>, tensor<290x260xcomplex<f32>>) -> tensor<260xcomplex<f32>>
  %fo12 = stablehlo.reshape %d11 : (tensor<260xcomplex<f32>>) -> tensor<260xcomplex<f32>>
  %ro12 = stablehlo.real %fo12 : (tensor<260xcomplex<f32>>) -> tensor<260xf32>
  %mo12 = stablehlo.imag %fo12 : (tensor<260xcomplex<f32>>) -> tensor<260xf32>
  %rio12 = stablehlo.convert %ro12 : (tensor<260xf32>) -> tensor<260xi32>
  %mio12 = stablehlo.convert %mo12 : (tensor<260xf32>) -> tensor<260xi32>
  %to12 = stablehlo.constant dense<3> : tensor<260xi32>
  %uo12 = stablehlo.multiply %mio12, %to12 : tensor<260xi32>
  %vo12 = stablehlo.add %rio12, %uo12 : tensor<260xi32>
  %jo12 = stablehlo.iota dim = 0 : tensor<260xi32>
  %eo12 = stablehlo.constant dense<11> : tensor<260xi32>
  %go12 = stablehlo.remainder %jo12, %eo12 : tensor<260xi32>
  %ko12 = stablehlo.multiply %vo12, %go12 : tensor<260xi32>
  %so12 = stablehlo.constant dense<0> : tensor<i32>
  %wo12 = stablehlo.reduce(%ko12 init: %so12) applies stablehlo.add across dimensions = [0] : (tensor<260xi32>, tensor<i32>) -> tensor<i32>
  // CHECK: s32[] 282496
  %d13 = stablehlo.dot_general %x4, %x0, contracting_dims = [1] x [0] : (tensor<2x290xcomplex<f32>>, tensor<290x260xcomplex<f32>>) -> tensor<2x260xcomplex<f32>>
  %fo14 = stablehlo.reshape %d13 : (tensor<2x260xcomplex<f32>>) -> tensor<520xcomplex<f32>>
  %ro14 = stablehlo.real %fo14 : (tensor<520xcomplex<f32>>) -> tensor<520xf32>
  %mo14 = stablehlo.imag %fo14 : (tensor<520xcomplex<f32>>) -> tensor<520xf32>
  %rio14 = stablehlo.convert %ro14 : (tensor<520xf32>) -> tensor<520xi32>
  %mio14 = stablehlo.convert %mo14 : (tensor<520xf32>) -> tensor<520xi32>
  %to14 = stablehlo.constant dense<3> : tensor<520xi32>
  %uo14 = stablehlo.multiply %mio14, %to14 : tensor<520xi32>
  %vo14 = stablehlo.add %rio14, %uo14 : tensor<520xi32>
  %jo14 = stablehlo.iota dim = 0 : tensor<520xi32>
  %eo14 = stablehlo.constant dense<11> : tensor<520xi32>
  %go14 = stablehlo.remainder %jo14, %eo14 : tensor<520xi32>
  %ko14 = stablehlo.multiply %vo14, %go14 : tensor<520xi32>
  %so14 = stablehlo.constant dense<0> : tensor<i32>
  %wo14 = stablehlo.reduce(%ko14 init: %so14) applies stablehlo.add across dimensions = [0] : (tensor<520xi32>, tensor<i32>) -> tensor<i32>
  // CHECK: s32[] 17986
  %d15 = stablehlo.dot_general %x0, %x4, contracting_dims = [0] x [1] : (tensor<290x260xcomplex<f32>>, tensor<2x290xcomplex<f32>>) -> tensor<260x2xcomplex<f32>>
  %fo16 = stablehlo.reshape %d15 : (tensor<260x2xcomplex<f32>>) -> tensor<520xcomplex<f32>>
  %ro16 = stablehlo.real %fo16 : (tensor<520xcomplex<f32>>) -> tensor<520xf32>
  %mo16 = stablehlo.imag %fo16 : (tensor<520xcomplex<f32>>) -> tensor<520xf32>
  %rio16 = stablehlo.convert %ro16 : (tensor<520xf32>) -> tensor<520xi32>
  %mio16 = stablehlo.convert %mo16 : (tensor<520xf32>) -> tensor<520xi32>
  %to16 = stablehlo.constant dense<3> : tensor<520xi32>
  %uo16 = stablehlo.multiply %mio16, %to16 : tensor<520xi32>
  %vo16 = stablehlo.add %rio16, %uo16 : tensor<520xi32>
  %jo16 = stablehlo.iota dim = 0 : tensor<520xi32>
  %eo16 = stablehlo.constant dense<11> : tensor<520xi32>
  %go16 = stablehlo.remainder %jo16, %eo16 : tensor<520xi32>
  %ko16 = stablehlo.multiply %vo16, %go16 : tensor<520xi32>
  %so16 = stablehlo.constant dense<0> : tensor<i32>
  %wo16 = stablehlo.reduce(%ko16 init: %so16) applies stablehlo.add across dimensions = [0] : (tensor<520xi32>, tensor<i32>) -> tensor<i32>
  // CHECK: s32[] 135897
  // Terms side by side in the matrix: a vector, three, results in lines and across.
  %ri17 = stablehlo.iota dim = 0 : tensor<75400xi32>
  %ra17 = stablehlo.constant dense<3> : tensor<75400xi32>
  %rb17 = stablehlo.multiply %ri17, %ra17 : tensor<75400xi32>
  %rc17 = stablehlo.constant dense<0> : tensor<75400xi32>
  %rd17 = stablehlo.add %rb17, %rc17 : tensor<75400xi32>
  %re17 = stablehlo.constant dense<13> : tensor<75400xi32>
  %rf17 = stablehlo.remainder %rd17, %re17 : tensor<75400xi32>
  %rg17 = stablehlo.constant dense<6> : tensor<75400xi32>
  %rh17 = stablehlo.subtract %rf17, %rg17 : tensor<75400xi32>
  %rk17 = stablehlo.convert %rh17 : (tensor<75400xi32>) -> tensor<75400xf64>
  %ji17 = stablehlo.iota dim = 0 : tensor<75400xi32>
  %ja17 = stablehlo.constant dense<5> : tensor<75400xi32>
  %jb17 = stablehlo.multiply %ji17, %ja17 : tensor<75400xi32>
  %jc17 = stablehlo.constant dense<0> : tensor<75400xi32>
  %jd17 = stablehlo.add %jb17, %jc17 : tensor<75400xi32>
  %je17 = stablehlo.constant dense<11> : tensor<75400xi32>
  %jf17 = stablehlo.remainder %jd17, %je17 : tensor<75400xi32>
  %jg17 = stablehlo.constant dense<5> : tensor<75400xi32>
  %jh17 = stablehlo.subtract %jf17, %jg17 : tensor<75400xi32>
  %jk17 = stablehlo.convert %jh17 : (tensor<75400xi32>) -> tensor<75400xf64>
  %z17 = stablehlo.complex %rk17, %jk17 : tensor<75400xcomplex<f64>>
  %y17 = stablehlo.reshape %z17 : (tensor<75400xcomplex<f64>>) -> tensor<290x260xcomplex<f64>>
  %x17 = stablehlo.optimization_barrier %y17 : tensor<290x260xcomplex<f64>>
  %ri18 = stablehlo.iota dim = 0 : tensor<260xi32>
  %ra18 = stablehlo.constant dense<3> : tensor<260xi32>
  %rb18 = stablehlo.multiply %ri18, %ra18 : tensor<260xi32>
  %rc18 = stablehlo.constant dense<1> : tensor<260xi32>
  %rd18 = stablehlo.add %rb18, %rc18 : tensor<260xi32>
  %re18 = stablehlo.constant dense<13> : tensor<260xi32>
  %rf18 = stablehlo.remainder %rd18, %re18 : tensor<260xi32>
  %rg18 = stablehlo.constant dense<6> : tensor<260xi32>
  %rh18 = stablehlo.subtract %rf18, %rg18 : tensor<260xi32>
  %rk18 = stablehlo.convert %rh18 : (tensor<260xi32>) -> tensor<260xf64>
  %ji18 = stablehlo.iota dim = 0 : tensor<260xi32>
  %ja18 = stablehlo.constant dense<5> : tensor<260xi32>
  %jb18 = stablehlo.multiply %ji18, %ja18 : tensor<260xi32>
  %jc18 = stablehlo.constant dense<1> : tensor<260xi32>
  %jd18 = stablehlo.add %jb18, %jc18 : tensor<260xi32>
  %je18 = stablehlo.constant dense<11> : tensor<260xi32>
  %jf18 = stablehlo.remainder %jd18, %je18 : tensor<260xi32>
  %jg18 = stablehlo.constant dense<5> : tensor<260xi32>
  %jh18 = stablehlo.subtract %jf18, %jg18 : tensor<260xi32>
  %jk18 = stablehlo.convert %jh18 : (tensor<260xi32>) -> tensor<260xf64>
  %z18 = stablehlo.complex %rk18, %jk18 : tensor<260xcomplex<f64>>
  %y18 = stablehlo.reshape %z18 : (tensor<260xcomplex<f64>>) -> tensor<260xcomplex<f64>>
  %x18 = stablehlo.optimization_barrier %y18 : tensor<260xcomplex<f64>>
  %ri19 = stablehlo.iota dim = 0 : tensor<780xi32>
  %ra19 = stablehlo.constant dense<3> : tensor<780xi32>
  %rb19 = stablehlo.multiply %ri19, %ra19 : tensor<780xi32>
  %rc19 = stablehlo.constant dense<2> : tensor<780xi32>
  %rd19 = stablehlo.add %rb19, %rc19 : tensor<780xi32>
  %re19 = stablehlo.constant dense<13> : tensor<780xi32>
  %rf19 = stablehlo.remainder %rd19, %re19 : tensor<780xi32>
  %rg19 = stablehlo.constant dense<6> : tensor<780xi32>
  %rh19 = stablehlo.subtract %rf19, %rg19 : tensor<780xi32>
  %rk19 = stablehlo.convert %rh19 : (tensor<780xi32>) -> tensor<780xf64>
  %ji19 = stablehlo.iota dim = 0 : tensor<780xi32>
  %ja19 = stablehlo.constant dense<5> : tensor<780xi32>
  %jb19 = stablehlo.multiply %ji19, %ja19 : tensor<780xi32>
  %jc19 = stablehlo.constant dense<2> : tensor<780xi32>
  %jd19 = stablehlo.add %jb19, %jc19 : tensor<780xi32>
  %je19 = stablehlo.constant dense<11> : tensor<780xi32>
  %jf19 = stablehlo.remainder %jd19, %je19 : tensor<780xi32>
  %jg19 = stablehlo.constant dense<5> : tensor<780xi32>
  %jh19 = stablehlo.subtract %jf19, %jg19 : tensor<780xi32>
  %jk19 = stablehlo.convert %jh19 : (tensor<780xi32>) -> tensor<780xf64>
  %z19 = stablehlo.complex %rk19, %jk19 : tensor<780xcomplex<f64>>
  %y19 = stablehlo.reshape %z19 : (tensor<780xcomplex<f64>>) -> tensor<260x3xcomplex<f64>>
  %x19 = stablehlo.optimization_barrier %y19 : tensor<260x3xcomplex<f64>>
  %ri20 = stablehlo.iota dim = 0 : tensor<290xi32>
  %ra20 = stablehlo.constant dense<3> : tensor<290xi32>
  %rb20 = stablehlo.multiply %ri20, %ra20 : tensor<290xi32>
  %rc20 = stablehlo.constant dense<3> : tensor<290xi32>
  %rd20 = stablehlo.add %rb20, %rc20 : tensor<290xi32>
  %re20 = stablehlo.constant dense<13> : tensor<290xi32>
  %rf20 = stablehlo.remainder %rd20, %re20 : tensor<290xi32>
  %rg20 = stablehlo.constant dense<6> : tensor<290xi32>
  %rh20 = stablehlo.subtract %rf20, %rg20 : tensor<290xi32>
  %rk20 = stablehlo.convert %rh20 : (tensor<290xi32>) -> tensor<290xf64>
  %ji20 = stablehlo.iota dim = 0 : tensor<290xi32>
  %ja20 = stablehlo.constant dense<5> : tensor<290xi32>
  %jb20 = stablehlo.multiply %ji20, %ja20 : tensor<290xi32>
  %jc20 = stablehlo.constant dense<3> : tensor<290xi32>
  %jd20 = stablehlo.add %jb20, %jc20 : tensor<290xi32>
  %je20 = stablehlo.constant dense<11> : tensor<290xi32>
  %jf20 = stablehlo.remainder %jd20, %je20 : tensor<290xi32>
  %jg20 = stablehlo.constant dense<5> : tensor<290xi32>
  %jh20 = stablehlo.subtract %jf20, %jg20 : tensor<290xi32>
  %jk20 = stablehlo.convert %jh20 : (tensor<290xi32>) -> tensor<290xf64>
  %z20 = stablehlo.complex %rk20, %jk20 : tensor<290xcomplex<f64>>
  %y20 = stablehlo.reshape %z20 : (tensor<290xcomplex<f64>>) -> tensor<290xcomplex<f64>>
  %x20 = stablehlo.optimization_barrier %y20 : tensor<290xcomplex<f64>>
  %ri21 = stablehlo.iota dim = 0 : tensor<580xi32>
  %ra21 = stablehlo.constant dense<3> : tensor<580xi32>
  %rb21 = stablehlo.multiply %ri21, %ra21 : tensor<580xi32>
  %rc21 = stablehlo.constant dense<4> : tensor<580xi32>
  %rd21 = stablehlo.add %rb21, %rc21 : tensor<580xi32>
  %re21 = stablehlo.constant dense<13> : tensor<580xi32>
  %rf21 = stablehlo.remainder %rd21, %re21 : tensor<580xi32>
  %rg21 = stablehlo.constant dense<6> : tensor<580xi32>
  %rh21 = stablehlo.subtract %rf21, %rg21 : tensor<580xi32>
  %rk21 = stablehlo.convert %rh21 : (tensor<580xi32>) -> tensor<580xf64>
  %ji21 = stablehlo.iota dim = 0 : tensor<580xi32>
  %ja21 = stablehlo.constant dense<5> : tensor<580xi32>
  %jb21 = stablehlo.multiply %ji21, %ja21 : tensor<580xi32>
  %jc21 = stablehlo.constant dense<4> : tensor<580xi32>
  %jd21 = stablehlo.add %jb21, %jc21 : tensor<580xi32>
  %je21 = stablehlo.constant dense<11> : tensor<580xi32>
  %jf21 = stablehlo.remainder %jd21, %je21 : tensor<580xi32>
  %jg21 = stablehlo.constant dense<5> : tensor<580xi32>
  %jh21 = stablehlo.subtract %jf21, %jg21 : tensor<580xi32>
  %jk21 = stablehlo.convert %jh21 : (tensor<580xi32>) -> tensor<580xf64>
  %z21 = stablehlo.complex %rk21, %jk21 : tensor<580xcomplex<f64>>
  %y21 = stablehlo.reshape %z21 : (tensor<580xcomplex<f64>>) -> tensor<2x290xcomplex<f64>>
  %x21 = stablehlo.optimization_barrier %y21 : tensor<2x290xcomplex<f64>>
  %d22 = stablehlo.dot_general %x17, %x18, contracting_dims = [1] x [0] : (tensor<290x260xcomplex<f64>>, tensor<260xcomplex<f64>>) -> tensor<290xcomplex<f64>>
  %fo23 = stablehlo.reshape %d22 : (tensor<290xcomplex<f64>>) -> tensor<290xcomplex<f64>>
  %ro23 = stablehlo.real %fo23 : (tensor<290xcomplex<f64>>) -> tensor<290xf64>
  %mo23 = stablehlo.imag %fo23 : (tensor<290xcomplex<f64>>) -> tensor<290xf64>
  %rio23 = stablehlo.convert %ro23 : (tensor<290xf64>) -> tensor<290xi32>
  %mio23 = stablehlo.convert %mo23 : (tensor<290xf64>) -> tensor<290xi32>
  %to23 = stablehlo.constant dense<3> : tensor<290xi32>
  %uo23 = stablehlo.multiply %mio23, %to23 : tensor<290xi32>
  %vo23 = stablehlo.add %rio23, %uo23 : tensor<290xi32>
  %jo23 = stablehlo.iota dim = 0 : tensor<290xi32>
  %eo23 = stablehlo.constant dense<11> : tensor<290xi32>
  %go23 = stablehlo.remainder %jo23, %eo23 : tensor<290xi32>
  %ko23 = stablehlo.multiply %vo23, %go23 : tensor<290xi32>
  %so23 = stablehlo.constant dense<0> : tensor<i32>
  %wo23 = stablehlo.reduce(%ko23 init: %so23) applies stablehlo.add across dimensions = [0] : (tensor<290xi32>, tensor<i32>) -> tensor<i32>
  // CHECK: s32[] 3318672
  %d24 = stablehlo.dot_general %x17, %x19, contracting_dims = [1] x [0] : (tensor<290x260xcomplex<f64>>, tensor<260x3xcomplex<f64>>) -> tensor<290x3xcomplex<f64>>
  %fo25 = stablehlo.reshape %d24 : (tensor<290x3xcomplex<f64>>) -> tensor<870xcomplex<f64>>
  %ro25 = stablehlo.real %fo25 : (tensor<870xcomplex<f64>>) -> tensor<870xf64>
  %mo25 = stablehlo.imag %fo25 : (tensor<870xcomplex<f64>>) -> tensor<870xf64>
  %rio25 = stablehlo.convert %ro25 : (tensor<870xf64>) -> tensor<870xi32>
  %mio25 = stablehlo.convert %mo25 : (tensor<870xf64>) -> tensor<870xi32>
  %to25 = stablehlo.constant dense<3> : tensor<870xi32>
  %uo25 = stablehlo.multiply %mio25, %to25 : tensor<870xi32>
  %vo25 = stablehlo.add %rio25, %uo25 : tensor<870xi32>
  %jo25 = stablehlo.iota dim = 0 : tensor<870xi32>
  %eo25 = stablehlo.constant dense<11> : tensor<870xi32>
  %go25 = stablehlo.remainder %jo25, %eo25 : tensor<870xi32>
  %ko25 = stablehlo.multiply %vo25, %go25 : tensor<870xi32>
  %so25 = stablehlo.constant dense<0> : tensor<i32>
  %wo25 = stablehlo.reduce(%ko25 init: %so25) applies stablehlo.add across dimensions = [0] : (tensor<870xi32>, tensor<i32>) -> tensor<i32>
  // CHECK: s32[] 1223568
  %d26 = stablehlo.dot_general %x19, %x17, contracting_dims = [0] x [1] : (tensor<260x3xcomplex<f64>>, tensor<290x260xcomplex<f64>>) -> tensor<3x290xcomplex<f64>>
  %fo27 = stablehlo.reshape %d26 : (tensor<3x290xcomplex<f64>>) -> tensor<870xcomplex<f64>>
  %ro27 = stablehlo.real %fo27 : (tensor<870xcomplex<f64>>) -> tensor<870xf64>
  %mo27 = stablehlo.imag %fo27 : (tensor<870xcomplex<f64>>) -> tensor<870xf64>
  %rio27 = stablehlo.convert %ro27 : (tensor<870xf64>) -> tensor<870xi32>
  %mio27 = stablehlo.convert %mo27 : (tensor<870xf64>) -> tensor<870xi32>
  %to27 = stablehlo.constant dense<3> : tensor<870xi32>
  %uo27 = stablehlo.multiply %mio27, %to27 : tensor<870xi32>
  %vo27 = stablehlo.add %rio27, %uo27 : tensor<870xi32>
  %jo27 = stablehlo.iota dim = 0 : tensor<870xi32>
  %eo27 = stablehlo.constant dense<11> : tensor<870xi32>
  %go27 = stablehlo.remainder %jo27, %eo27 : tensor<870xi32>
  %ko27 = stablehlo.multiply %vo27, %go27 : tensor<870xi32>
  %so27 = stablehlo.constant dense<0> : tensor<i32>
  %wo27 = stablehlo.reduce(%ko27 init: %so27) applies stablehlo.add across dimensions = [0] : (tensor<870xi32>, tensor<i32>) -> tensor<i32>
  // CHECK: s32[] 954655
  // Lines side by side.
  %d28 = stablehlo.dot_general %x20, %x17, contracting_dims = [0] x [0] : (tensor<290xcomplex<f64>>, tensor<290x260xcomplex<f64>>) -> tensor<260xcomplex<f64>>
  %fo29 = stablehlo.reshape %d28 : (tensor<260xcomplex<f64>>) -> tensor<260xcomplex<f64>>
  %ro29 = stablehlo.real %fo29 : (tensor<260xcomplex<f64>>) -> tensor<260xf64>
  %mo29 = stablehlo.imag %fo29 : (tensor<260xcomplex<f64>>) -> tensor<260xf64>
  %rio29 = stablehlo.convert %ro29 : (tensor<260xf64>) -> tensor<260xi32>
  %mio29 = stablehlo.convert %mo29 : (tensor<260xf64>) -> tensor<260xi32>
  %to29 = stablehlo.constant dense<3> : tensor<260xi32>
  %uo29 = stablehlo.multiply %mio29, %to29 : tensor<260xi32>
  %vo29 = stablehlo.add %rio29, %uo29 : tensor<260xi32>
  %jo29 = stablehlo.iota dim = 0 : tensor<260xi32>
  %eo29 = stablehlo.constant dense<11> : tensor<260xi32>
  %go29 = stablehlo.remainder %jo29, %eo29 : tensor<260xi32>
  %ko29 = stablehlo.multiply %vo29, %go29 : tensor<260xi32>
  %so29 = stablehlo.constant dense<0> : tensor<i32>
  %wo29 = stablehlo.reduce(%ko29 init: %so29) applies stablehlo.add across dimensions = [0] : (tensor<260xi32>, tensor<i32>) -> tensor<i32>
  // CHECK: s32[] 282496
  %d30 = stablehlo.dot_general %x21, %x17, contracting_dims = [1] x [0] : (tensor<2x290xcomplex<f64>>, tensor<290x260xcomplex<f64>>) -> tensor<2x260xcomplex<f64>>
  %fo31 = stablehlo.reshape %d30 : (tensor<2x260xcomplex<f64>>) -> tensor<520xcomplex<f64>>
  %ro31 = stablehlo.real %fo31 : (tensor<520xcomplex<f64>>) -> tensor<520xf64>
  %mo31 = stablehlo.imag %fo31 : (tensor<520xcomplex<f64>>) -> tensor<520xf64>
  %rio31 = stablehlo.convert %ro31 : (tensor<520xf64>) -> tensor<520xi32>
  %mio31 = stablehlo.convert %mo31 : (tensor<520xf64>) -> tensor<520xi32>
  %to31 = stablehlo.constant dense<3> : tensor<520xi32>
  %uo31 = stablehlo.multiply %mio31, %to31 : tensor<520xi32>
  %vo31 = stablehlo.add %rio31, %uo31 : tensor<520xi32>
  %jo31 = stablehlo.iota dim = 0 : tensor<520xi32>
  %eo31 = stablehlo.constant dense<11> : tensor<520xi32>
  %go31 = stablehlo.remainder %jo31, %eo31 : tensor<520xi32>
  %ko31 = stablehlo.multiply %vo31, %go31 : tensor<520xi32>
  %so31 = stablehlo.constant dense<0> : tensor<i32>
  %wo31 = stablehlo.reduce(%ko31 init: %so31) applies stablehlo.add across dimensions = [0] : (tensor<520xi32>, tensor<i32>) -> tensor<i32>
  // CHECK: s32[] 17986
  %d32 = stablehlo.dot_general %x17, %x21, contracting_dims = [0] x [1] : (tensor<290x260xcomplex<f64>>, tensor<2x290xcomplex<f64>>) -> tensor<260x2xcomplex<f64>>
  %fo33 = stablehlo.reshape %d32 : (tensor<260x2xcomplex<f64>>) -> tensor<520xcomplex<f64>>
  %ro33 = stablehlo.real %fo33 : (tensor<520xcomplex<f64>>) -> tensor<520xf64>
  %mo33 = stablehlo.imag %fo33 : (tensor<520xcomplex<f64>>) -> tensor<520xf64>
  %rio33 = stablehlo.convert %ro33 : (tensor<520xf64>) -> tensor<520xi32>
  %mio33 = stablehlo.convert %mo33 : (tensor<520xf64>) -> tensor<520xi32>
  %to33 = stablehlo.constant dense<3> : tensor<520xi32>
  %uo33 = stablehlo.multiply %mio33, %to33 : tensor<520xi32>
  %vo33 = stablehlo.add %rio33, %uo33 : tensor<520xi32>
  %jo33 = stablehlo.iota dim = 0 : tensor<520xi32>
  %eo33 = stablehlo.constant dense<11> : tensor<520xi32>
  %go33 = stablehlo.remainder %jo33, %eo33 : tensor<520xi32>
  %ko33 = stablehlo.multiply %vo33, %go33 : tensor<520xi32>
  %so33 = stablehlo.constant dense<0> : tensor<i32>
  %wo33 = stablehlo.reduce(%ko33 init: %so33) applies stablehlo.add across dimensions = [0] : (tensor<520xi32>, tensor<i32>) -> tensor<i32>
  // CHECK: s32[] 135897
  // A batch, either way.
  %ri34 = stablehlo.iota dim = 0 : tensor<18000xi32>
  %ra34 = stablehlo.constant dense<3> : tensor<18000xi32>
  %rb34 = stablehlo.multiply %ri34, %ra34 : tensor<18000xi32>
  %rc34 = stablehlo.constant dense<0> : tensor<18000xi32>
  %rd34 = stablehlo.add %rb34, %rc34 : tensor<18000xi32>
  %re34 = stablehlo.constant dense<13> : tensor<18000xi32>
  %rf34 = stablehlo.remainder %rd34, %re34 : tensor<18000xi32>
  %rg34 = stablehlo.constant dense<6> : tensor<18000xi32>
  %rh34 = stablehlo.subtract %rf34, %rg34 : tensor<18000xi32>
  %rk34 = stablehlo.convert %rh34 : (tensor<18000xi32>) -> tensor<18000xf32>
  %ji34 = stablehlo.iota dim = 0 : tensor<18000xi32>
  %ja34 = stablehlo.constant dense<5> : tensor<18000xi32>
  %jb34 = stablehlo.multiply %ji34, %ja34 : tensor<18000xi32>
  %jc34 = stablehlo.constant dense<0> : tensor<18000xi32>
  %jd34 = stablehlo.add %jb34, %jc34 : tensor<18000xi32>
  %je34 = stablehlo.constant dense<11> : tensor<18000xi32>
  %jf34 = stablehlo.remainder %jd34, %je34 : tensor<18000xi32>
  %jg34 = stablehlo.constant dense<5> : tensor<18000xi32>
  %jh34 = stablehlo.subtract %jf34, %jg34 : tensor<18000xi32>
  %jk34 = stablehlo.convert %jh34 : (tensor<18000xi32>) -> tensor<18000xf32>
  %z34 = stablehlo.complex %rk34, %jk34 : tensor<18000xcomplex<f32>>
  %y34 = stablehlo.reshape %z34 : (tensor<18000xcomplex<f32>>) -> tensor<9x40x50xcomplex<f32>>
  %x34 = stablehlo.optimization_barrier %y34 : tensor<9x40x50xcomplex<f32>>
  %ri35 = stablehlo.iota dim = 0 : tensor<450xi32>
  %ra35 = stablehlo.constant dense<3> : tensor<450xi32>
  %rb35 = stablehlo.multiply %ri35, %ra35 : tensor<450xi32>
  %rc35 = stablehlo.constant dense<1> : tensor<450xi32>
  %rd35 = stablehlo.add %rb35, %rc35 : tensor<450xi32>
  %re35 = stablehlo.constant dense<13> : tensor<450xi32>
  %rf35 = stablehlo.remainder %rd35, %re35 : tensor<450xi32>
  %rg35 = stablehlo.constant dense<6> : tensor<450xi32>
  %rh35 = stablehlo.subtract %rf35, %rg35 : tensor<450xi32>
  %rk35 = stablehlo.convert %rh35 : (tensor<450xi32>) -> tensor<450xf32>
  %ji35 = stablehlo.iota dim = 0 : tensor<450xi32>
  %ja35 = stablehlo.constant dense<5> : tensor<450xi32>
  %jb35 = stablehlo.multiply %ji35, %ja35 : tensor<450xi32>
  %jc35 = stablehlo.constant dense<1> : tensor<450xi32>
  %jd35 = stablehlo.add %jb35, %jc35 : tensor<450xi32>
  %je35 = stablehlo.constant dense<11> : tensor<450xi32>
  %jf35 = stablehlo.remainder %jd35, %je35 : tensor<450xi32>
  %jg35 = stablehlo.constant dense<5> : tensor<450xi32>
  %jh35 = stablehlo.subtract %jf35, %jg35 : tensor<450xi32>
  %jk35 = stablehlo.convert %jh35 : (tensor<450xi32>) -> tensor<450xf32>
  %z35 = stablehlo.complex %rk35, %jk35 : tensor<450xcomplex<f32>>
  %y35 = stablehlo.reshape %z35 : (tensor<450xcomplex<f32>>) -> tensor<9x50xcomplex<f32>>
  %x35 = stablehlo.optimization_barrier %y35 : tensor<9x50xcomplex<f32>>
  %ri36 = stablehlo.iota dim = 0 : tensor<360xi32>
  %ra36 = stablehlo.constant dense<3> : tensor<360xi32>
  %rb36 = stablehlo.multiply %ri36, %ra36 : tensor<360xi32>
  %rc36 = stablehlo.constant dense<2> : tensor<360xi32>
  %rd36 = stablehlo.add %rb36, %rc36 : tensor<360xi32>
  %re36 = stablehlo.constant dense<13> : tensor<360xi32>
  %rf36 = stablehlo.remainder %rd36, %re36 : tensor<360xi32>
  %rg36 = stablehlo.constant dense<6> : tensor<360xi32>
  %rh36 = stablehlo.subtract %rf36, %rg36 : tensor<360xi32>
  %rk36 = stablehlo.convert %rh36 : (tensor<360xi32>) -> tensor<360xf32>
  %ji36 = stablehlo.iota dim = 0 : tensor<360xi32>
  %ja36 = stablehlo.constant dense<5> : tensor<360xi32>
  %jb36 = stablehlo.multiply %ji36, %ja36 : tensor<360xi32>
  %jc36 = stablehlo.constant dense<2> : tensor<360xi32>
  %jd36 = stablehlo.add %jb36, %jc36 : tensor<360xi32>
  %je36 = stablehlo.constant dense<11> : tensor<360xi32>
  %jf36 = stablehlo.remainder %jd36, %je36 : tensor<360xi32>
  %jg36 = stablehlo.constant dense<5> : tensor<360xi32>
  %jh36 = stablehlo.subtract %jf36, %jg36 : tensor<360xi32>
  %jk36 = stablehlo.convert %jh36 : (tensor<360xi32>) -> tensor<360xf32>
  %z36 = stablehlo.complex %rk36, %jk36 : tensor<360xcomplex<f32>>
  %y36 = stablehlo.reshape %z36 : (tensor<360xcomplex<f32>>) -> tensor<9x40xcomplex<f32>>
  %x36 = stablehlo.optimization_barrier %y36 : tensor<9x40xcomplex<f32>>
  %ri37 = stablehlo.iota dim = 0 : tensor<900xi32>
  %ra37 = stablehlo.constant dense<3> : tensor<900xi32>
  %rb37 = stablehlo.multiply %ri37, %ra37 : tensor<900xi32>
  %rc37 = stablehlo.constant dense<3> : tensor<900xi32>
  %rd37 = stablehlo.add %rb37, %rc37 : tensor<900xi32>
  %re37 = stablehlo.constant dense<13> : tensor<900xi32>
  %rf37 = stablehlo.remainder %rd37, %re37 : tensor<900xi32>
  %rg37 = stablehlo.constant dense<6> : tensor<900xi32>
  %rh37 = stablehlo.subtract %rf37, %rg37 : tensor<900xi32>
  %rk37 = stablehlo.convert %rh37 : (tensor<900xi32>) -> tensor<900xf32>
  %ji37 = stablehlo.iota dim = 0 : tensor<900xi32>
  %ja37 = stablehlo.constant dense<5> : tensor<900xi32>
  %jb37 = stablehlo.multiply %ji37, %ja37 : tensor<900xi32>
  %jc37 = stablehlo.constant dense<3> : tensor<900xi32>
  %jd37 = stablehlo.add %jb37, %jc37 : tensor<900xi32>
  %je37 = stablehlo.constant dense<11> : tensor<900xi32>
  %jf37 = stablehlo.remainder %jd37, %je37 : tensor<900xi32>
  %jg37 = stablehlo.constant dense<5> : tensor<900xi32>
  %jh37 = stablehlo.subtract %jf37, %jg37 : tensor<900xi32>
  %jk37 = stablehlo.convert %jh37 : (tensor<900xi32>) -> tensor<900xf32>
  %z37 = stablehlo.complex %rk37, %jk37 : tensor<900xcomplex<f32>>
  %y37 = stablehlo.reshape %z37 : (tensor<900xcomplex<f32>>) -> tensor<9x50x2xcomplex<f32>>
  %x37 = stablehlo.optimization_barrier %y37 : tensor<9x50x2xcomplex<f32>>
  %d38 = stablehlo.dot_general %x34, %x35, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<9x40x50xcomplex<f32>>, tensor<9x50xcomplex<f32>>) -> tensor<9x40xcomplex<f32>>
  %fo39 = stablehlo.reshape %d38 : (tensor<9x40xcomplex<f32>>) -> tensor<360xcomplex<f32>>
  %ro39 = stablehlo.real %fo39 : (tensor<360xcomplex<f32>>) -> tensor<360xf32>
  %mo39 = stablehlo.imag %fo39 : (tensor<360xcomplex<f32>>) -> tensor<360xf32>
  %rio39 = stablehlo.convert %ro39 : (tensor<360xf32>) -> tensor<360xi32>
  %mio39 = stablehlo.convert %mo39 : (tensor<360xf32>) -> tensor<360xi32>
  %to39 = stablehlo.constant dense<3> : tensor<360xi32>
  %uo39 = stablehlo.multiply %mio39, %to39 : tensor<360xi32>
  %vo39 = stablehlo.add %rio39, %uo39 : tensor<360xi32>
  %jo39 = stablehlo.iota dim = 0 : tensor<360xi32>
  %eo39 = stablehlo.constant dense<11> : tensor<360xi32>
  %go39 = stablehlo.remainder %jo39, %eo39 : tensor<360xi32>
  %ko39 = stablehlo.multiply %vo39, %go39 : tensor<360xi32>
  %so39 = stablehlo.constant dense<0> : tensor<i32>
  %wo39 = stablehlo.reduce(%ko39 init: %so39) applies stablehlo.add across dimensions = [0] : (tensor<360xi32>, tensor<i32>) -> tensor<i32>
  // CHECK: s32[] -27372
  %d40 = stablehlo.dot_general %x34, %x36, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<9x40x50xcomplex<f32>>, tensor<9x40xcomplex<f32>>) -> tensor<9x50xcomplex<f32>>
  %fo41 = stablehlo.reshape %d40 : (tensor<9x50xcomplex<f32>>) -> tensor<450xcomplex<f32>>
  %ro41 = stablehlo.real %fo41 : (tensor<450xcomplex<f32>>) -> tensor<450xf32>
  %mo41 = stablehlo.imag %fo41 : (tensor<450xcomplex<f32>>) -> tensor<450xf32>
  %rio41 = stablehlo.convert %ro41 : (tensor<450xf32>) -> tensor<450xi32>
  %mio41 = stablehlo.convert %mo41 : (tensor<450xf32>) -> tensor<450xi32>
  %to41 = stablehlo.constant dense<3> : tensor<450xi32>
  %uo41 = stablehlo.multiply %mio41, %to41 : tensor<450xi32>
  %vo41 = stablehlo.add %rio41, %uo41 : tensor<450xi32>
  %jo41 = stablehlo.iota dim = 0 : tensor<450xi32>
  %eo41 = stablehlo.constant dense<11> : tensor<450xi32>
  %go41 = stablehlo.remainder %jo41, %eo41 : tensor<450xi32>
  %ko41 = stablehlo.multiply %vo41, %go41 : tensor<450xi32>
  %so41 = stablehlo.constant dense<0> : tensor<i32>
  %wo41 = stablehlo.reduce(%ko41 init: %so41) applies stablehlo.add across dimensions = [0] : (tensor<450xi32>, tensor<i32>) -> tensor<i32>
  // CHECK: s32[] 49470
  %d42 = stablehlo.dot_general %x37, %x34, batching_dims = [0] x [0], contracting_dims = [1] x [2] : (tensor<9x50x2xcomplex<f32>>, tensor<9x40x50xcomplex<f32>>) -> tensor<9x2x40xcomplex<f32>>
  %fo43 = stablehlo.reshape %d42 : (tensor<9x2x40xcomplex<f32>>) -> tensor<720xcomplex<f32>>
  %ro43 = stablehlo.real %fo43 : (tensor<720xcomplex<f32>>) -> tensor<720xf32>
  %mo43 = stablehlo.imag %fo43 : (tensor<720xcomplex<f32>>) -> tensor<720xf32>
  %rio43 = stablehlo.convert %ro43 : (tensor<720xf32>) -> tensor<720xi32>
  %mio43 = stablehlo.convert %mo43 : (tensor<720xf32>) -> tensor<720xi32>
  %to43 = stablehlo.constant dense<3> : tensor<720xi32>
  %uo43 = stablehlo.multiply %mio43, %to43 : tensor<720xi32>
  %vo43 = stablehlo.add %rio43, %uo43 : tensor<720xi32>
  %jo43 = stablehlo.iota dim = 0 : tensor<720xi32>
  %eo43 = stablehlo.constant dense<11> : tensor<720xi32>
  %go43 = stablehlo.remainder %jo43, %eo43 : tensor<720xi32>
  %ko43 = stablehlo.multiply %vo43, %go43 : tensor<720xi32>
  %so43 = stablehlo.constant dense<0> : tensor<i32>
  %wo43 = stablehlo.reduce(%ko43 init: %so43) applies stablehlo.add across dimensions = [0] : (tensor<720xi32>, tensor<i32>) -> tensor<i32>
  // CHECK: s32[] 4386
  return %wo6, %wo8, %wo10, %wo12, %wo14, %wo16, %wo23, %wo25, %wo27, %wo29, %wo31, %wo33, %wo39, %wo41, %wo43 : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
}
