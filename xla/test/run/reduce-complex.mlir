// RUN: xla-run %s --backend=reference | FileCheck %s
// RUN: xla-run %s --backend=native | FileCheck %s

// Sums of complex numbers, from a number that counts once.
func.func @main() -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) {
  // All, shared out; rows; columns; both; few; a short one; rows that are not flat.
  %ri0 = stablehlo.iota dim = 0 : tensor<300001xi32>
  %ra0 = stablehlo.constant dense<3> : tensor<300001xi32>
  %rb0 = stablehlo.multiply %ri0, %ra0 : tensor<300001xi32>
  %rc0 = stablehlo.constant dense<0> : tensor<300001xi32>
  %rd0 = stablehlo.add %rb0, %rc0 : tensor<300001xi32>
  %re0 = stablehlo.constant dense<13> : tensor<300001xi32>
  %rf0 = stablehlo.remainder %rd0, %re0 : tensor<300001xi32>
  %rg0 = stablehlo.constant dense<6> : tensor<300001xi32>
  %rh0 = stablehlo.subtract %rf0, %rg0 : tensor<300001xi32>
  %rk0 = stablehlo.convert %rh0 : (tensor<300001xi32>) -> tensor<300001xf32>
  %ji0 = stablehlo.iota dim = 0 : tensor<300001xi32>
  %ja0 = stablehlo.constant dense<5> : tensor<300001xi32>
  %jb0 = stablehlo.multiply %ji0, %ja0 : tensor<300001xi32>
  %jc0 = stablehlo.constant dense<0> : tensor<300001xi32>
  %jd0 = stablehlo.add %jb0, %jc0 : tensor<300001xi32>
  %je0 = stablehlo.constant dense<11> : tensor<300001xi32>
  %jf0 = stablehlo.remainder %jd0, %je0 : tensor<300001xi32>
  %jg0 = stablehlo.constant dense<5> : tensor<300001xi32>
  %jh0 = stablehlo.subtract %jf0, %jg0 : tensor<300001xi32>
  %jk0 = stablehlo.convert %jh0 : (tensor<300001xi32>) -> tensor<300001xf32>
  %z0 = stablehlo.complex %rk0, %jk0 : tensor<300001xcomplex<f32>>
  %y0 = stablehlo.reshape %z0 : (tensor<300001xcomplex<f32>>) -> tensor<300001xcomplex<f32>>
  %x0 = stablehlo.optimization_barrier %y0 : tensor<300001xcomplex<f32>>
  %is1 = stablehlo.constant dense<(2.0,-1.0)> : tensor<complex<f32>>
  %s1 = stablehlo.reduce(%x0 init: %is1) applies stablehlo.add across dimensions = [0] : (tensor<300001xcomplex<f32>>, tensor<complex<f32>>) -> tensor<complex<f32>>
  %bs1 = stablehlo.broadcast_in_dim %s1, dims = [] : (tensor<complex<f32>>) -> tensor<2xcomplex<f32>>
  %fo2 = stablehlo.reshape %bs1 : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  %ro2 = stablehlo.real %fo2 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  %mo2 = stablehlo.imag %fo2 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  %rio2 = stablehlo.convert %ro2 : (tensor<2xf32>) -> tensor<2xi32>
  %mio2 = stablehlo.convert %mo2 : (tensor<2xf32>) -> tensor<2xi32>
  %to2 = stablehlo.constant dense<3> : tensor<2xi32>
  %uo2 = stablehlo.multiply %mio2, %to2 : tensor<2xi32>
  %vo2 = stablehlo.add %rio2, %uo2 : tensor<2xi32>
  %jo2 = stablehlo.iota dim = 0 : tensor<2xi32>
  %eo2 = stablehlo.constant dense<11> : tensor<2xi32>
  %go2 = stablehlo.remainder %jo2, %eo2 : tensor<2xi32>
  %ko2 = stablehlo.multiply %vo2, %go2 : tensor<2xi32>
  %so2 = stablehlo.constant dense<0> : tensor<i32>
  %wo2 = stablehlo.reduce(%ko2 init: %so2) applies stablehlo.add across dimensions = [0] : (tensor<2xi32>, tensor<i32>) -> tensor<i32>
  // CHECK: s32[] 8
  %ri3 = stablehlo.iota dim = 0 : tensor<30030xi32>
  %ra3 = stablehlo.constant dense<3> : tensor<30030xi32>
  %rb3 = stablehlo.multiply %ri3, %ra3 : tensor<30030xi32>
  %rc3 = stablehlo.constant dense<0> : tensor<30030xi32>
  %rd3 = stablehlo.add %rb3, %rc3 : tensor<30030xi32>
  %re3 = stablehlo.constant dense<13> : tensor<30030xi32>
  %rf3 = stablehlo.remainder %rd3, %re3 : tensor<30030xi32>
  %rg3 = stablehlo.constant dense<6> : tensor<30030xi32>
  %rh3 = stablehlo.subtract %rf3, %rg3 : tensor<30030xi32>
  %rk3 = stablehlo.convert %rh3 : (tensor<30030xi32>) -> tensor<30030xf32>
  %ji3 = stablehlo.iota dim = 0 : tensor<30030xi32>
  %ja3 = stablehlo.constant dense<5> : tensor<30030xi32>
  %jb3 = stablehlo.multiply %ji3, %ja3 : tensor<30030xi32>
  %jc3 = stablehlo.constant dense<0> : tensor<30030xi32>
  %jd3 = stablehlo.add %jb3, %jc3 : tensor<30030xi32>
  %je3 = stablehlo.constant dense<11> : tensor<30030xi32>
  %jf3 = stablehlo.remainder %jd3, %je3 : tensor<30030xi32>
  %jg3 = stablehlo.constant dense<5> : tensor<30030xi32>
  %jh3 = stablehlo.subtract %jf3, %jg3 : tensor<30030xi32>
  %jk3 = stablehlo.convert %jh3 : (tensor<30030xi32>) -> tensor<30030xf32>
  %z3 = stablehlo.complex %rk3, %jk3 : tensor<30030xcomplex<f32>>
  %y3 = stablehlo.reshape %z3 : (tensor<30030xcomplex<f32>>) -> tensor<30x1001xcomplex<f32>>
  %x3 = stablehlo.optimization_barrier %y3 : tensor<30x1001xcomplex<f32>>
  %is4 = stablehlo.constant dense<(2.0,-1.0)> : tensor<complex<f32>>
  %s4 = stablehlo.reduce(%x3 init: %is4) applies stablehlo.add across dimensions = [1] : (tensor<30x1001xcomplex<f32>>, tensor<complex<f32>>) -> tensor<30xcomplex<f32>>
  %fo5 = stablehlo.reshape %s4 : (tensor<30xcomplex<f32>>) -> tensor<30xcomplex<f32>>
  %ro5 = stablehlo.real %fo5 : (tensor<30xcomplex<f32>>) -> tensor<30xf32>
  %mo5 = stablehlo.imag %fo5 : (tensor<30xcomplex<f32>>) -> tensor<30xf32>
  %rio5 = stablehlo.convert %ro5 : (tensor<30xf32>) -> tensor<30xi32>
  %mio5 = stablehlo.convert %mo5 : (tensor<30xf32>) -> tensor<30xi32>
  %to5 = stablehlo.constant dense<3> : tensor<30xi32>
  %uo5 = stablehlo.multiply %mio5, %to5 : tensor<30xi32>
  %vo5 = stablehlo.add %rio5, %uo5 : tensor<30xi32>
  %jo5 = stablehlo.iota dim = 0 : tensor<30xi32>
  %eo5 = stablehlo.constant dense<11> : tensor<30xi32>
  %go5 = stablehlo.remainder %jo5, %eo5 : tensor<30xi32>
  %ko5 = stablehlo.multiply %vo5, %go5 : tensor<30xi32>
  %so5 = stablehlo.constant dense<0> : tensor<i32>
  %wo5 = stablehlo.reduce(%ko5 init: %so5) applies stablehlo.add across dimensions = [0] : (tensor<30xi32>, tensor<i32>) -> tensor<i32>
  // CHECK: s32[] -138
  %ri6 = stablehlo.iota dim = 0 : tensor<30100xi32>
  %ra6 = stablehlo.constant dense<3> : tensor<30100xi32>
  %rb6 = stablehlo.multiply %ri6, %ra6 : tensor<30100xi32>
  %rc6 = stablehlo.constant dense<0> : tensor<30100xi32>
  %rd6 = stablehlo.add %rb6, %rc6 : tensor<30100xi32>
  %re6 = stablehlo.constant dense<13> : tensor<30100xi32>
  %rf6 = stablehlo.remainder %rd6, %re6 : tensor<30100xi32>
  %rg6 = stablehlo.constant dense<6> : tensor<30100xi32>
  %rh6 = stablehlo.subtract %rf6, %rg6 : tensor<30100xi32>
  %rk6 = stablehlo.convert %rh6 : (tensor<30100xi32>) -> tensor<30100xf32>
  %ji6 = stablehlo.iota dim = 0 : tensor<30100xi32>
  %ja6 = stablehlo.constant dense<5> : tensor<30100xi32>
  %jb6 = stablehlo.multiply %ji6, %ja6 : tensor<30100xi32>
  %jc6 = stablehlo.constant dense<0> : tensor<30100xi32>
  %jd6 = stablehlo.add %jb6, %jc6 : tensor<30100xi32>
  %je6 = stablehlo.constant dense<11> : tensor<30100xi32>
  %jf6 = stablehlo.remainder %jd6, %je6 : tensor<30100xi32>
  %jg6 = stablehlo.constant dense<5> : tensor<30100xi32>
  %jh6 = stablehlo.subtract %jf6, %jg6 : tensor<30100xi32>
  %jk6 = stablehlo.convert %jh6 : (tensor<30100xi32>) -> tensor<30100xf32>
  %z6 = stablehlo.complex %rk6, %jk6 : tensor<30100xcomplex<f32>>
  %y6 = stablehlo.reshape %z6 : (tensor<30100xcomplex<f32>>) -> tensor<301x100xcomplex<f32>>
  %x6 = stablehlo.optimization_barrier %y6 : tensor<301x100xcomplex<f32>>
  %is7 = stablehlo.constant dense<(2.0,-1.0)> : tensor<complex<f32>>
  %s7 = stablehlo.reduce(%x6 init: %is7) applies stablehlo.add across dimensions = [0] : (tensor<301x100xcomplex<f32>>, tensor<complex<f32>>) -> tensor<100xcomplex<f32>>
  %fo8 = stablehlo.reshape %s7 : (tensor<100xcomplex<f32>>) -> tensor<100xcomplex<f32>>
  %ro8 = stablehlo.real %fo8 : (tensor<100xcomplex<f32>>) -> tensor<100xf32>
  %mo8 = stablehlo.imag %fo8 : (tensor<100xcomplex<f32>>) -> tensor<100xf32>
  %rio8 = stablehlo.convert %ro8 : (tensor<100xf32>) -> tensor<100xi32>
  %mio8 = stablehlo.convert %mo8 : (tensor<100xf32>) -> tensor<100xi32>
  %to8 = stablehlo.constant dense<3> : tensor<100xi32>
  %uo8 = stablehlo.multiply %mio8, %to8 : tensor<100xi32>
  %vo8 = stablehlo.add %rio8, %uo8 : tensor<100xi32>
  %jo8 = stablehlo.iota dim = 0 : tensor<100xi32>
  %eo8 = stablehlo.constant dense<11> : tensor<100xi32>
  %go8 = stablehlo.remainder %jo8, %eo8 : tensor<100xi32>
  %ko8 = stablehlo.multiply %vo8, %go8 : tensor<100xi32>
  %so8 = stablehlo.constant dense<0> : tensor<i32>
  %wo8 = stablehlo.reduce(%ko8 init: %so8) applies stablehlo.add across dimensions = [0] : (tensor<100xi32>, tensor<i32>) -> tensor<i32>
  // CHECK: s32[] -3456
  %ri9 = stablehlo.iota dim = 0 : tensor<6000xi32>
  %ra9 = stablehlo.constant dense<3> : tensor<6000xi32>
  %rb9 = stablehlo.multiply %ri9, %ra9 : tensor<6000xi32>
  %rc9 = stablehlo.constant dense<0> : tensor<6000xi32>
  %rd9 = stablehlo.add %rb9, %rc9 : tensor<6000xi32>
  %re9 = stablehlo.constant dense<13> : tensor<6000xi32>
  %rf9 = stablehlo.remainder %rd9, %re9 : tensor<6000xi32>
  %rg9 = stablehlo.constant dense<6> : tensor<6000xi32>
  %rh9 = stablehlo.subtract %rf9, %rg9 : tensor<6000xi32>
  %rk9 = stablehlo.convert %rh9 : (tensor<6000xi32>) -> tensor<6000xf32>
  %ji9 = stablehlo.iota dim = 0 : tensor<6000xi32>
  %ja9 = stablehlo.constant dense<5> : tensor<6000xi32>
  %jb9 = stablehlo.multiply %ji9, %ja9 : tensor<6000xi32>
  %jc9 = stablehlo.constant dense<0> : tensor<6000xi32>
  %jd9 = stablehlo.add %jb9, %jc9 : tensor<6000xi32>
  %je9 = stablehlo.constant dense<11> : tensor<6000xi32>
  %jf9 = stablehlo.remainder %jd9, %je9 : tensor<6000xi32>
  %jg9 = stablehlo.constant dense<5> : tensor<6000xi32>
  %jh9 = stablehlo.subtract %jf9, %jg9 : tensor<6000xi32>
  %jk9 = stablehlo.convert %jh9 : (tensor<6000xi32>) -> tensor<6000xf32>
  %z9 = stablehlo.complex %rk9, %jk9 : tensor<6000xcomplex<f32>>
  %y9 = stablehlo.reshape %z9 : (tensor<6000xcomplex<f32>>) -> tensor<10x30x20xcomplex<f32>>
  %x9 = stablehlo.optimization_barrier %y9 : tensor<10x30x20xcomplex<f32>>
  %is10 = stablehlo.constant dense<(2.0,-1.0)> : tensor<complex<f32>>
  %s10 = stablehlo.reduce(%x9 init: %is10) applies stablehlo.add across dimensions = [0, 2] : (tensor<10x30x20xcomplex<f32>>, tensor<complex<f32>>) -> tensor<30xcomplex<f32>>
  %fo11 = stablehlo.reshape %s10 : (tensor<30xcomplex<f32>>) -> tensor<30xcomplex<f32>>
  %ro11 = stablehlo.real %fo11 : (tensor<30xcomplex<f32>>) -> tensor<30xf32>
  %mo11 = stablehlo.imag %fo11 : (tensor<30xcomplex<f32>>) -> tensor<30xf32>
  %rio11 = stablehlo.convert %ro11 : (tensor<30xf32>) -> tensor<30xi32>
  %mio11 = stablehlo.convert %mo11 : (tensor<30xf32>) -> tensor<30xi32>
  %to11 = stablehlo.constant dense<3> : tensor<30xi32>
  %uo11 = stablehlo.multiply %mio11, %to11 : tensor<30xi32>
  %vo11 = stablehlo.add %rio11, %uo11 : tensor<30xi32>
  %jo11 = stablehlo.iota dim = 0 : tensor<30xi32>
  %eo11 = stablehlo.constant dense<11> : tensor<30xi32>
  %go11 = stablehlo.remainder %jo11, %eo11 : tensor<30xi32>
  %ko11 = stablehlo.multiply %vo11, %go11 : tensor<30xi32>
  %so11 = stablehlo.constant dense<0> : tensor<i32>
  %wo11 = stablehlo.reduce(%ko11 init: %so11) applies stablehlo.add across dimensions = [0] : (tensor<30xi32>, tensor<i32>) -> tensor<i32>
  // CHECK: s32[] -558
  %ri12 = stablehlo.iota dim = 0 : tensor<3000xi32>
  %ra12 = stablehlo.constant dense<3> : tensor<3000xi32>
  %rb12 = stablehlo.multiply %ri12, %ra12 : tensor<3000xi32>
  %rc12 = stablehlo.constant dense<0> : tensor<3000xi32>
  %rd12 = stablehlo.add %rb12, %rc12 : tensor<3000xi32>
  %re12 = stablehlo.constant dense<13> : tensor<3000xi32>
  %rf12 = stablehlo.remainder %rd12, %re12 : tensor<3000xi32>
  %rg12 = stablehlo.constant dense<6> : tensor<3000xi32>
  %rh12 = stablehlo.subtract %rf12, %rg12 : tensor<3000xi32>
  %rk12 = stablehlo.convert %rh12 : (tensor<3000xi32>) -> tensor<3000xf32>
  %ji12 = stablehlo.iota dim = 0 : tensor<3000xi32>
  %ja12 = stablehlo.constant dense<5> : tensor<3000xi32>
  %jb12 = stablehlo.multiply %ji12, %ja12 : tensor<3000xi32>
  %jc12 = stablehlo.constant dense<0> : tensor<3000xi32>
  %jd12 = stablehlo.add %jb12, %jc12 : tensor<3000xi32>
  %je12 = stablehlo.constant dense<11> : tensor<3000xi32>
  %jf12 = stablehlo.remainder %jd12, %je12 : tensor<3000xi32>
  %jg12 = stablehlo.constant dense<5> : tensor<3000xi32>
  %jh12 = stablehlo.subtract %jf12, %jg12 : tensor<3000xi32>
  %jk12 = stablehlo.convert %jh12 : (tensor<3000xi32>) -> tensor<3000xf32>
  %z12 = stablehlo.complex %rk12, %jk12 : tensor<3000xcomplex<f32>>
  %y12 = stablehlo.reshape %z12 : (tensor<3000xcomplex<f32>>) -> tensor<600x5xcomplex<f32>>
  %x12 = stablehlo.optimization_barrier %y12 : tensor<600x5xcomplex<f32>>
  %is13 = stablehlo.constant dense<(2.0,-1.0)> : tensor<complex<f32>>
  %s13 = stablehlo.reduce(%x12 init: %is13) applies stablehlo.add across dimensions = [1] : (tensor<600x5xcomplex<f32>>, tensor<complex<f32>>) -> tensor<600xcomplex<f32>>
  %fo14 = stablehlo.reshape %s13 : (tensor<600xcomplex<f32>>) -> tensor<600xcomplex<f32>>
  %ro14 = stablehlo.real %fo14 : (tensor<600xcomplex<f32>>) -> tensor<600xf32>
  %mo14 = stablehlo.imag %fo14 : (tensor<600xcomplex<f32>>) -> tensor<600xf32>
  %rio14 = stablehlo.convert %ro14 : (tensor<600xf32>) -> tensor<600xi32>
  %mio14 = stablehlo.convert %mo14 : (tensor<600xf32>) -> tensor<600xi32>
  %to14 = stablehlo.constant dense<3> : tensor<600xi32>
  %uo14 = stablehlo.multiply %mio14, %to14 : tensor<600xi32>
  %vo14 = stablehlo.add %rio14, %uo14 : tensor<600xi32>
  %jo14 = stablehlo.iota dim = 0 : tensor<600xi32>
  %eo14 = stablehlo.constant dense<11> : tensor<600xi32>
  %go14 = stablehlo.remainder %jo14, %eo14 : tensor<600xi32>
  %ko14 = stablehlo.multiply %vo14, %go14 : tensor<600xi32>
  %so14 = stablehlo.constant dense<0> : tensor<i32>
  %wo14 = stablehlo.reduce(%ko14 init: %so14) applies stablehlo.add across dimensions = [0] : (tensor<600xi32>, tensor<i32>) -> tensor<i32>
  // CHECK: s32[] -3036
  %ri15 = stablehlo.iota dim = 0 : tensor<7xi32>
  %ra15 = stablehlo.constant dense<3> : tensor<7xi32>
  %rb15 = stablehlo.multiply %ri15, %ra15 : tensor<7xi32>
  %rc15 = stablehlo.constant dense<0> : tensor<7xi32>
  %rd15 = stablehlo.add %rb15, %rc15 : tensor<7xi32>
  %re15 = stablehlo.constant dense<13> : tensor<7xi32>
  %rf15 = stablehlo.remainder %rd15, %re15 : tensor<7xi32>
  %rg15 = stablehlo.constant dense<6> : tensor<7xi32>
  %rh15 = stablehlo.subtract %rf15, %rg15 : tensor<7xi32>
  %rk15 = stablehlo.convert %rh15 : (tensor<7xi32>) -> tensor<7xf32>
  %ji15 = stablehlo.iota dim = 0 : tensor<7xi32>
  %ja15 = stablehlo.constant dense<5> : tensor<7xi32>
  %jb15 = stablehlo.multiply %ji15, %ja15 : tensor<7xi32>
  %jc15 = stablehlo.constant dense<0> : tensor<7xi32>
  %jd15 = stablehlo.add %jb15, %jc15 : tensor<7xi32>
  %je15 = stablehlo.constant dense<11> : tensor<7xi32>
  %jf15 = stablehlo.remainder %jd15, %je15 : tensor<7xi32>
  %jg15 = stablehlo.constant dense<5> : tensor<7xi32>
  %jh15 = stablehlo.subtract %jf15, %jg15 : tensor<7xi32>
  %jk15 = stablehlo.convert %jh15 : (tensor<7xi32>) -> tensor<7xf32>
  %z15 = stablehlo.complex %rk15, %jk15 : tensor<7xcomplex<f32>>
  %y15 = stablehlo.reshape %z15 : (tensor<7xcomplex<f32>>) -> tensor<7xcomplex<f32>>
  %x15 = stablehlo.optimization_barrier %y15 : tensor<7xcomplex<f32>>
  %is16 = stablehlo.constant dense<(2.0,-1.0)> : tensor<complex<f32>>
  %s16 = stablehlo.reduce(%x15 init: %is16) applies stablehlo.add across dimensions = [0] : (tensor<7xcomplex<f32>>, tensor<complex<f32>>) -> tensor<complex<f32>>
  %bs16 = stablehlo.broadcast_in_dim %s16, dims = [] : (tensor<complex<f32>>) -> tensor<2xcomplex<f32>>
  %fo17 = stablehlo.reshape %bs16 : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  %ro17 = stablehlo.real %fo17 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  %mo17 = stablehlo.imag %fo17 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  %rio17 = stablehlo.convert %ro17 : (tensor<2xf32>) -> tensor<2xi32>
  %mio17 = stablehlo.convert %mo17 : (tensor<2xf32>) -> tensor<2xi32>
  %to17 = stablehlo.constant dense<3> : tensor<2xi32>
  %uo17 = stablehlo.multiply %mio17, %to17 : tensor<2xi32>
  %vo17 = stablehlo.add %rio17, %uo17 : tensor<2xi32>
  %jo17 = stablehlo.iota dim = 0 : tensor<2xi32>
  %eo17 = stablehlo.constant dense<11> : tensor<2xi32>
  %go17 = stablehlo.remainder %jo17, %eo17 : tensor<2xi32>
  %ko17 = stablehlo.multiply %vo17, %go17 : tensor<2xi32>
  %so17 = stablehlo.constant dense<0> : tensor<i32>
  %wo17 = stablehlo.reduce(%ko17 init: %so17) applies stablehlo.add across dimensions = [0] : (tensor<2xi32>, tensor<i32>) -> tensor<i32>
  // CHECK: s32[] 6
  %ri18 = stablehlo.iota dim = 0 : tensor<300000xi32>
  %ra18 = stablehlo.constant dense<3> : tensor<300000xi32>
  %rb18 = stablehlo.multiply %ri18, %ra18 : tensor<300000xi32>
  %rc18 = stablehlo.constant dense<0> : tensor<300000xi32>
  %rd18 = stablehlo.add %rb18, %rc18 : tensor<300000xi32>
  %re18 = stablehlo.constant dense<13> : tensor<300000xi32>
  %rf18 = stablehlo.remainder %rd18, %re18 : tensor<300000xi32>
  %rg18 = stablehlo.constant dense<6> : tensor<300000xi32>
  %rh18 = stablehlo.subtract %rf18, %rg18 : tensor<300000xi32>
  %rk18 = stablehlo.convert %rh18 : (tensor<300000xi32>) -> tensor<300000xf32>
  %ji18 = stablehlo.iota dim = 0 : tensor<300000xi32>
  %ja18 = stablehlo.constant dense<5> : tensor<300000xi32>
  %jb18 = stablehlo.multiply %ji18, %ja18 : tensor<300000xi32>
  %jc18 = stablehlo.constant dense<0> : tensor<300000xi32>
  %jd18 = stablehlo.add %jb18, %jc18 : tensor<300000xi32>
  %je18 = stablehlo.constant dense<11> : tensor<300000xi32>
  %jf18 = stablehlo.remainder %jd18, %je18 : tensor<300000xi32>
  %jg18 = stablehlo.constant dense<5> : tensor<300000xi32>
  %jh18 = stablehlo.subtract %jf18, %jg18 : tensor<300000xi32>
  %jk18 = stablehlo.convert %jh18 : (tensor<300000xi32>) -> tensor<300000xf32>
  %z18 = stablehlo.complex %rk18, %jk18 : tensor<300000xcomplex<f32>>
  %y18 = stablehlo.reshape %z18 : (tensor<300000xcomplex<f32>>) -> tensor<4x75000xcomplex<f32>>
  %x18 = stablehlo.optimization_barrier %y18 : tensor<4x75000xcomplex<f32>>
  %is19 = stablehlo.constant dense<(2.0,-1.0)> : tensor<complex<f32>>
  %s19 = stablehlo.reduce(%x18 init: %is19) applies stablehlo.add across dimensions = [1] : (tensor<4x75000xcomplex<f32>>, tensor<complex<f32>>) -> tensor<4xcomplex<f32>>
  %fo20 = stablehlo.reshape %s19 : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  %ro20 = stablehlo.real %fo20 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %mo20 = stablehlo.imag %fo20 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %rio20 = stablehlo.convert %ro20 : (tensor<4xf32>) -> tensor<4xi32>
  %mio20 = stablehlo.convert %mo20 : (tensor<4xf32>) -> tensor<4xi32>
  %to20 = stablehlo.constant dense<3> : tensor<4xi32>
  %uo20 = stablehlo.multiply %mio20, %to20 : tensor<4xi32>
  %vo20 = stablehlo.add %rio20, %uo20 : tensor<4xi32>
  %jo20 = stablehlo.iota dim = 0 : tensor<4xi32>
  %eo20 = stablehlo.constant dense<11> : tensor<4xi32>
  %go20 = stablehlo.remainder %jo20, %eo20 : tensor<4xi32>
  %ko20 = stablehlo.multiply %vo20, %go20 : tensor<4xi32>
  %so20 = stablehlo.constant dense<0> : tensor<i32>
  %wo20 = stablehlo.reduce(%ko20 init: %so20) applies stablehlo.add across dimensions = [0] : (tensor<4xi32>, tensor<i32>) -> tensor<i32>
  // CHECK: s32[] 17
  // All, shared out; rows; columns; both; few; a short one; rows that are not flat.
  %ri21 = stablehlo.iota dim = 0 : tensor<300001xi32>
  %ra21 = stablehlo.constant dense<3> : tensor<300001xi32>
  %rb21 = stablehlo.multiply %ri21, %ra21 : tensor<300001xi32>
  %rc21 = stablehlo.constant dense<0> : tensor<300001xi32>
  %rd21 = stablehlo.add %rb21, %rc21 : tensor<300001xi32>
  %re21 = stablehlo.constant dense<13> : tensor<300001xi32>
  %rf21 = stablehlo.remainder %rd21, %re21 : tensor<300001xi32>
  %rg21 = stablehlo.constant dense<6> : tensor<300001xi32>
  %rh21 = stablehlo.subtract %rf21, %rg21 : tensor<300001xi32>
  %rk21 = stablehlo.convert %rh21 : (tensor<300001xi32>) -> tensor<300001xf64>
  %ji21 = stablehlo.iota dim = 0 : tensor<300001xi32>
  %ja21 = stablehlo.constant dense<5> : tensor<300001xi32>
  %jb21 = stablehlo.multiply %ji21, %ja21 : tensor<300001xi32>
  %jc21 = stablehlo.constant dense<0> : tensor<300001xi32>
  %jd21 = stablehlo.add %jb21, %jc21 : tensor<300001xi32>
  %je21 = stablehlo.constant dense<11> : tensor<300001xi32>
  %jf21 = stablehlo.remainder %jd21, %je21 : tensor<300001xi32>
  %jg21 = stablehlo.constant dense<5> : tensor<300001xi32>
  %jh21 = stablehlo.subtract %jf21, %jg21 : tensor<300001xi32>
  %jk21 = stablehlo.convert %jh21 : (tensor<300001xi32>) -> tensor<300001xf64>
  %z21 = stablehlo.complex %rk21, %jk21 : tensor<300001xcomplex<f64>>
  %y21 = stablehlo.reshape %z21 : (tensor<300001xcomplex<f64>>) -> tensor<300001xcomplex<f64>>
  %x21 = stablehlo.optimization_barrier %y21 : tensor<300001xcomplex<f64>>
  %is22 = stablehlo.constant dense<(2.0,-1.0)> : tensor<complex<f64>>
  %s22 = stablehlo.reduce(%x21 init: %is22) applies stablehlo.add across dimensions = [0] : (tensor<300001xcomplex<f64>>, tensor<complex<f64>>) -> tensor<complex<f64>>
  %bs22 = stablehlo.broadcast_in_dim %s22, dims = [] : (tensor<complex<f64>>) -> tensor<2xcomplex<f64>>
  %fo23 = stablehlo.reshape %bs22 : (tensor<2xcomplex<f64>>) -> tensor<2xcomplex<f64>>
  %ro23 = stablehlo.real %fo23 : (tensor<2xcomplex<f64>>) -> tensor<2xf64>
  %mo23 = stablehlo.imag %fo23 : (tensor<2xcomplex<f64>>) -> tensor<2xf64>
  %rio23 = stablehlo.convert %ro23 : (tensor<2xf64>) -> tensor<2xi32>
  %mio23 = stablehlo.convert %mo23 : (tensor<2xf64>) -> tensor<2xi32>
  %to23 = stablehlo.constant dense<3> : tensor<2xi32>
  %uo23 = stablehlo.multiply %mio23, %to23 : tensor<2xi32>
  %vo23 = stablehlo.add %rio23, %uo23 : tensor<2xi32>
  %jo23 = stablehlo.iota dim = 0 : tensor<2xi32>
  %eo23 = stablehlo.constant dense<11> : tensor<2xi32>
  %go23 = stablehlo.remainder %jo23, %eo23 : tensor<2xi32>
  %ko23 = stablehlo.multiply %vo23, %go23 : tensor<2xi32>
  %so23 = stablehlo.constant dense<0> : tensor<i32>
  %wo23 = stablehlo.reduce(%ko23 init: %so23) applies stablehlo.add across dimensions = [0] : (tensor<2xi32>, tensor<i32>) -> tensor<i32>
  // CHECK: s32[] 8
  %ri24 = stablehlo.iota dim = 0 : tensor<30030xi32>
  %ra24 = stablehlo.constant dense<3> : tensor<30030xi32>
  %rb24 = stablehlo.multiply %ri24, %ra24 : tensor<30030xi32>
  %rc24 = stablehlo.constant dense<0> : tensor<30030xi32>
  %rd24 = stablehlo.add %rb24, %rc24 : tensor<30030xi32>
  %re24 = stablehlo.constant dense<13> : tensor<30030xi32>
  %rf24 = stablehlo.remainder %rd24, %re24 : tensor<30030xi32>
  %rg24 = stablehlo.constant dense<6> : tensor<30030xi32>
  %rh24 = stablehlo.subtract %rf24, %rg24 : tensor<30030xi32>
  %rk24 = stablehlo.convert %rh24 : (tensor<30030xi32>) -> tensor<30030xf64>
  %ji24 = stablehlo.iota dim = 0 : tensor<30030xi32>
  %ja24 = stablehlo.constant dense<5> : tensor<30030xi32>
  %jb24 = stablehlo.multiply %ji24, %ja24 : tensor<30030xi32>
  %jc24 = stablehlo.constant dense<0> : tensor<30030xi32>
  %jd24 = stablehlo.add %jb24, %jc24 : tensor<30030xi32>
  %je24 = stablehlo.constant dense<11> : tensor<30030xi32>
  %jf24 = stablehlo.remainder %jd24, %je24 : tensor<30030xi32>
  %jg24 = stablehlo.constant dense<5> : tensor<30030xi32>
  %jh24 = stablehlo.subtract %jf24, %jg24 : tensor<30030xi32>
  %jk24 = stablehlo.convert %jh24 : (tensor<30030xi32>) -> tensor<30030xf64>
  %z24 = stablehlo.complex %rk24, %jk24 : tensor<30030xcomplex<f64>>
  %y24 = stablehlo.reshape %z24 : (tensor<30030xcomplex<f64>>) -> tensor<30x1001xcomplex<f64>>
  %x24 = stablehlo.optimization_barrier %y24 : tensor<30x1001xcomplex<f64>>
  %is25 = stablehlo.constant dense<(2.0,-1.0)> : tensor<complex<f64>>
  %s25 = stablehlo.reduce(%x24 init: %is25) applies stablehlo.add across dimensions = [1] : (tensor<30x1001xcomplex<f64>>, tensor<complex<f64>>) -> tensor<30xcomplex<f64>>
  %fo26 = stablehlo.reshape %s25 : (tensor<30xcomplex<f64>>) -> tensor<30xcomplex<f64>>
  %ro26 = stablehlo.real %fo26 : (tensor<30xcomplex<f64>>) -> tensor<30xf64>
  %mo26 = stablehlo.imag %fo26 : (tensor<30xcomplex<f64>>) -> tensor<30xf64>
  %rio26 = stablehlo.convert %ro26 : (tensor<30xf64>) -> tensor<30xi32>
  %mio26 = stablehlo.convert %mo26 : (tensor<30xf64>) -> tensor<30xi32>
  %to26 = stablehlo.constant dense<3> : tensor<30xi32>
  %uo26 = stablehlo.multiply %mio26, %to26 : tensor<30xi32>
  %vo26 = stablehlo.add %rio26, %uo26 : tensor<30xi32>
  %jo26 = stablehlo.iota dim = 0 : tensor<30xi32>
  %eo26 = stablehlo.constant dense<11> : tensor<30xi32>
  %go26 = stablehlo.remainder %jo26, %eo26 : tensor<30xi32>
  %ko26 = stablehlo.multiply %vo26, %go26 : tensor<30xi32>
  %so26 = stablehlo.constant dense<0> : tensor<i32>
  %wo26 = stablehlo.reduce(%ko26 init: %so26) applies stablehlo.add across dimensions = [0] : (tensor<30xi32>, tensor<i32>) -> tensor<i32>
  // CHECK: s32[] -138
  %ri27 = stablehlo.iota dim = 0 : tensor<30100xi32>
  %ra27 = stablehlo.constant dense<3> : tensor<30100xi32>
  %rb27 = stablehlo.multiply %ri27, %ra27 : tensor<30100xi32>
  %rc27 = stablehlo.constant dense<0> : tensor<30100xi32>
  %rd27 = stablehlo.add %rb27, %rc27 : tensor<30100xi32>
  %re27 = stablehlo.constant dense<13> : tensor<30100xi32>
  %rf27 = stablehlo.remainder %rd27, %re27 : tensor<30100xi32>
  %rg27 = stablehlo.constant dense<6> : tensor<30100xi32>
  %rh27 = stablehlo.subtract %rf27, %rg27 : tensor<30100xi32>
  %rk27 = stablehlo.convert %rh27 : (tensor<30100xi32>) -> tensor<30100xf64>
  %ji27 = stablehlo.iota dim = 0 : tensor<30100xi32>
  %ja27 = stablehlo.constant dense<5> : tensor<30100xi32>
  %jb27 = stablehlo.multiply %ji27, %ja27 : tensor<30100xi32>
  %jc27 = stablehlo.constant dense<0> : tensor<30100xi32>
  %jd27 = stablehlo.add %jb27, %jc27 : tensor<30100xi32>
  %je27 = stablehlo.constant dense<11> : tensor<30100xi32>
  %jf27 = stablehlo.remainder %jd27, %je27 : tensor<30100xi32>
  %jg27 = stablehlo.constant dense<5> : tensor<30100xi32>
  %jh27 = stablehlo.subtract %jf27, %jg27 : tensor<30100xi32>
  %jk27 = stablehlo.convert %jh27 : (tensor<30100xi32>) -> tensor<30100xf64>
  %z27 = stablehlo.complex %rk27, %jk27 : tensor<30100xcomplex<f64>>
  %y27 = stablehlo.reshape %z27 : (tensor<30100xcomplex<f64>>) -> tensor<301x100xcomplex<f64>>
  %x27 = stablehlo.optimization_barrier %y27 : tensor<301x100xcomplex<f64>>
  %is28 = stablehlo.constant dense<(2.0,-1.0)> : tensor<complex<f64>>
  %s28 = stablehlo.reduce(%x27 init: %is28) applies stablehlo.add across dimensions = [0] : (tensor<301x100xcomplex<f64>>, tensor<complex<f64>>) -> tensor<100xcomplex<f64>>
  %fo29 = stablehlo.reshape %s28 : (tensor<100xcomplex<f64>>) -> tensor<100xcomplex<f64>>
  %ro29 = stablehlo.real %fo29 : (tensor<100xcomplex<f64>>) -> tensor<100xf64>
  %mo29 = stablehlo.imag %fo29 : (tensor<100xcomplex<f64>>) -> tensor<100xf64>
  %rio29 = stablehlo.convert %ro29 : (tensor<100xf64>) -> tensor<100xi32>
  %mio29 = stablehlo.convert %mo29 : (tensor<100xf64>) -> tensor<100xi32>
  %to29 = stablehlo.constant dense<3> : tensor<100xi32>
  %uo29 = stablehlo.multiply %mio29, %to29 : tensor<100xi32>
  %vo29 = stablehlo.add %rio29, %uo29 : tensor<100xi32>
  %jo29 = stablehlo.iota dim = 0 : tensor<100xi32>
  %eo29 = stablehlo.constant dense<11> : tensor<100xi32>
  %go29 = stablehlo.remainder %jo29, %eo29 : tensor<100xi32>
  %ko29 = stablehlo.multiply %vo29, %go29 : tensor<100xi32>
  %so29 = stablehlo.constant dense<0> : tensor<i32>
  %wo29 = stablehlo.reduce(%ko29 init: %so29) applies stablehlo.add across dimensions = [0] : (tensor<100xi32>, tensor<i32>) -> tensor<i32>
  // CHECK: s32[] -3456
  %ri30 = stablehlo.iota dim = 0 : tensor<6000xi32>
  %ra30 = stablehlo.constant dense<3> : tensor<6000xi32>
  %rb30 = stablehlo.multiply %ri30, %ra30 : tensor<6000xi32>
  %rc30 = stablehlo.constant dense<0> : tensor<6000xi32>
  %rd30 = stablehlo.add %rb30, %rc30 : tensor<6000xi32>
  %re30 = stablehlo.constant dense<13> : tensor<6000xi32>
  %rf30 = stablehlo.remainder %rd30, %re30 : tensor<6000xi32>
  %rg30 = stablehlo.constant dense<6> : tensor<6000xi32>
  %rh30 = stablehlo.subtract %rf30, %rg30 : tensor<6000xi32>
  %rk30 = stablehlo.convert %rh30 : (tensor<6000xi32>) -> tensor<6000xf64>
  %ji30 = stablehlo.iota dim = 0 : tensor<6000xi32>
  %ja30 = stablehlo.constant dense<5> : tensor<6000xi32>
  %jb30 = stablehlo.multiply %ji30, %ja30 : tensor<6000xi32>
  %jc30 = stablehlo.constant dense<0> : tensor<6000xi32>
  %jd30 = stablehlo.add %jb30, %jc30 : tensor<6000xi32>
  %je30 = stablehlo.constant dense<11> : tensor<6000xi32>
  %jf30 = stablehlo.remainder %jd30, %je30 : tensor<6000xi32>
  %jg30 = stablehlo.constant dense<5> : tensor<6000xi32>
  %jh30 = stablehlo.subtract %jf30, %jg30 : tensor<6000xi32>
  %jk30 = stablehlo.convert %jh30 : (tensor<6000xi32>) -> tensor<6000xf64>
  %z30 = stablehlo.complex %rk30, %jk30 : tensor<6000xcomplex<f64>>
  %y30 = stablehlo.reshape %z30 : (tensor<6000xcomplex<f64>>) -> tensor<10x30x20xcomplex<f64>>
  %x30 = stablehlo.optimization_barrier %y30 : tensor<10x30x20xcomplex<f64>>
  %is31 = stablehlo.constant dense<(2.0,-1.0)> : tensor<complex<f64>>
  %s31 = stablehlo.reduce(%x30 init: %is31) applies stablehlo.add across dimensions = [0, 2] : (tensor<10x30x20xcomplex<f64>>, tensor<complex<f64>>) -> tensor<30xcomplex<f64>>
  %fo32 = stablehlo.reshape %s31 : (tensor<30xcomplex<f64>>) -> tensor<30xcomplex<f64>>
  %ro32 = stablehlo.real %fo32 : (tensor<30xcomplex<f64>>) -> tensor<30xf64>
  %mo32 = stablehlo.imag %fo32 : (tensor<30xcomplex<f64>>) -> tensor<30xf64>
  %rio32 = stablehlo.convert %ro32 : (tensor<30xf64>) -> tensor<30xi32>
  %mio32 = stablehlo.convert %mo32 : (tensor<30xf64>) -> tensor<30xi32>
  %to32 = stablehlo.constant dense<3> : tensor<30xi32>
  %uo32 = stablehlo.multiply %mio32, %to32 : tensor<30xi32>
  %vo32 = stablehlo.add %rio32, %uo32 : tensor<30xi32>
  %jo32 = stablehlo.iota dim = 0 : tensor<30xi32>
  %eo32 = stablehlo.constant dense<11> : tensor<30xi32>
  %go32 = stablehlo.remainder %jo32, %eo32 : tensor<30xi32>
  %ko32 = stablehlo.multiply %vo32, %go32 : tensor<30xi32>
  %so32 = stablehlo.constant dense<0> : tensor<i32>
  %wo32 = stablehlo.reduce(%ko32 init: %so32) applies stablehlo.add across dimensions = [0] : (tensor<30xi32>, tensor<i32>) -> tensor<i32>
  // CHECK: s32[] -558
  %ri33 = stablehlo.iota dim = 0 : tensor<3000xi32>
  %ra33 = stablehlo.constant dense<3> : tensor<3000xi32>
  %rb33 = stablehlo.multiply %ri33, %ra33 : tensor<3000xi32>
  %rc33 = stablehlo.constant dense<0> : tensor<3000xi32>
  %rd33 = stablehlo.add %rb33, %rc33 : tensor<3000xi32>
  %re33 = stablehlo.constant dense<13> : tensor<3000xi32>
  %rf33 = stablehlo.remainder %rd33, %re33 : tensor<3000xi32>
  %rg33 = stablehlo.constant dense<6> : tensor<3000xi32>
  %rh33 = stablehlo.subtract %rf33, %rg33 : tensor<3000xi32>
  %rk33 = stablehlo.convert %rh33 : (tensor<3000xi32>) -> tensor<3000xf64>
  %ji33 = stablehlo.iota dim = 0 : tensor<3000xi32>
  %ja33 = stablehlo.constant dense<5> : tensor<3000xi32>
  %jb33 = stablehlo.multiply %ji33, %ja33 : tensor<3000xi32>
  %jc33 = stablehlo.constant dense<0> : tensor<3000xi32>
  %jd33 = stablehlo.add %jb33, %jc33 : tensor<3000xi32>
  %je33 = stablehlo.constant dense<11> : tensor<3000xi32>
  %jf33 = stablehlo.remainder %jd33, %je33 : tensor<3000xi32>
  %jg33 = stablehlo.constant dense<5> : tensor<3000xi32>
  %jh33 = stablehlo.subtract %jf33, %jg33 : tensor<3000xi32>
  %jk33 = stablehlo.convert %jh33 : (tensor<3000xi32>) -> tensor<3000xf64>
  %z33 = stablehlo.complex %rk33, %jk33 : tensor<3000xcomplex<f64>>
  %y33 = stablehlo.reshape %z33 : (tensor<3000xcomplex<f64>>) -> tensor<600x5xcomplex<f64>>
  %x33 = stablehlo.optimization_barrier %y33 : tensor<600x5xcomplex<f64>>
  %is34 = stablehlo.constant dense<(2.0,-1.0)> : tensor<complex<f64>>
  %s34 = stablehlo.reduce(%x33 init: %is34) applies stablehlo.add across dimensions = [1] : (tensor<600x5xcomplex<f64>>, tensor<complex<f64>>) -> tensor<600xcomplex<f64>>
  %fo35 = stablehlo.reshape %s34 : (tensor<600xcomplex<f64>>) -> tensor<600xcomplex<f64>>
  %ro35 = stablehlo.real %fo35 : (tensor<600xcomplex<f64>>) -> tensor<600xf64>
  %mo35 = stablehlo.imag %fo35 : (tensor<600xcomplex<f64>>) -> tensor<600xf64>
  %rio35 = stablehlo.convert %ro35 : (tensor<600xf64>) -> tensor<600xi32>
  %mio35 = stablehlo.convert %mo35 : (tensor<600xf64>) -> tensor<600xi32>
  %to35 = stablehlo.constant dense<3> : tensor<600xi32>
  %uo35 = stablehlo.multiply %mio35, %to35 : tensor<600xi32>
  %vo35 = stablehlo.add %rio35, %uo35 : tensor<600xi32>
  %jo35 = stablehlo.iota dim = 0 : tensor<600xi32>
  %eo35 = stablehlo.constant dense<11> : tensor<600xi32>
  %go35 = stablehlo.remainder %jo35, %eo35 : tensor<600xi32>
  %ko35 = stablehlo.multiply %vo35, %go35 : tensor<600xi32>
  %so35 = stablehlo.constant dense<0> : tensor<i32>
  %wo35 = stablehlo.reduce(%ko35 init: %so35) applies stablehlo.add across dimensions = [0] : (tensor<600xi32>, tensor<i32>) -> tensor<i32>
  // CHECK: s32[] -3036
  %ri36 = stablehlo.iota dim = 0 : tensor<7xi32>
  %ra36 = stablehlo.constant dense<3> : tensor<7xi32>
  %rb36 = stablehlo.multiply %ri36, %ra36 : tensor<7xi32>
  %rc36 = stablehlo.constant dense<0> : tensor<7xi32>
  %rd36 = stablehlo.add %rb36, %rc36 : tensor<7xi32>
  %re36 = stablehlo.constant dense<13> : tensor<7xi32>
  %rf36 = stablehlo.remainder %rd36, %re36 : tensor<7xi32>
  %rg36 = stablehlo.constant dense<6> : tensor<7xi32>
  %rh36 = stablehlo.subtract %rf36, %rg36 : tensor<7xi32>
  %rk36 = stablehlo.convert %rh36 : (tensor<7xi32>) -> tensor<7xf64>
  %ji36 = stablehlo.iota dim = 0 : tensor<7xi32>
  %ja36 = stablehlo.constant dense<5> : tensor<7xi32>
  %jb36 = stablehlo.multiply %ji36, %ja36 : tensor<7xi32>
  %jc36 = stablehlo.constant dense<0> : tensor<7xi32>
  %jd36 = stablehlo.add %jb36, %jc36 : tensor<7xi32>
  %je36 = stablehlo.constant dense<11> : tensor<7xi32>
  %jf36 = stablehlo.remainder %jd36, %je36 : tensor<7xi32>
  %jg36 = stablehlo.constant dense<5> : tensor<7xi32>
  %jh36 = stablehlo.subtract %jf36, %jg36 : tensor<7xi32>
  %jk36 = stablehlo.convert %jh36 : (tensor<7xi32>) -> tensor<7xf64>
  %z36 = stablehlo.complex %rk36, %jk36 : tensor<7xcomplex<f64>>
  %y36 = stablehlo.reshape %z36 : (tensor<7xcomplex<f64>>) -> tensor<7xcomplex<f64>>
  %x36 = stablehlo.optimization_barrier %y36 : tensor<7xcomplex<f64>>
  %is37 = stablehlo.constant dense<(2.0,-1.0)> : tensor<complex<f64>>
  %s37 = stablehlo.reduce(%x36 init: %is37) applies stablehlo.add across dimensions = [0] : (tensor<7xcomplex<f64>>, tensor<complex<f64>>) -> tensor<complex<f64>>
  %bs37 = stablehlo.broadcast_in_dim %s37, dims = [] : (tensor<complex<f64>>) -> tensor<2xcomplex<f64>>
  %fo38 = stablehlo.reshape %bs37 : (tensor<2xcomplex<f64>>) -> tensor<2xcomplex<f64>>
  %ro38 = stablehlo.real %fo38 : (tensor<2xcomplex<f64>>) -> tensor<2xf64>
  %mo38 = stablehlo.imag %fo38 : (tensor<2xcomplex<f64>>) -> tensor<2xf64>
  %rio38 = stablehlo.convert %ro38 : (tensor<2xf64>) -> tensor<2xi32>
  %mio38 = stablehlo.convert %mo38 : (tensor<2xf64>) -> tensor<2xi32>
  %to38 = stablehlo.constant dense<3> : tensor<2xi32>
  %uo38 = stablehlo.multiply %mio38, %to38 : tensor<2xi32>
  %vo38 = stablehlo.add %rio38, %uo38 : tensor<2xi32>
  %jo38 = stablehlo.iota dim = 0 : tensor<2xi32>
  %eo38 = stablehlo.constant dense<11> : tensor<2xi32>
  %go38 = stablehlo.remainder %jo38, %eo38 : tensor<2xi32>
  %ko38 = stablehlo.multiply %vo38, %go38 : tensor<2xi32>
  %so38 = stablehlo.constant dense<0> : tensor<i32>
  %wo38 = stablehlo.reduce(%ko38 init: %so38) applies stablehlo.add across dimensions = [0] : (tensor<2xi32>, tensor<i32>) -> tensor<i32>
  // CHECK: s32[] 6
  %ri39 = stablehlo.iota dim = 0 : tensor<300000xi32>
  %ra39 = stablehlo.constant dense<3> : tensor<300000xi32>
  %rb39 = stablehlo.multiply %ri39, %ra39 : tensor<300000xi32>
  %rc39 = stablehlo.constant dense<0> : tensor<300000xi32>
  %rd39 = stablehlo.add %rb39, %rc39 : tensor<300000xi32>
  %re39 = stablehlo.constant dense<13> : tensor<300000xi32>
  %rf39 = stablehlo.remainder %rd39, %re39 : tensor<300000xi32>
  %rg39 = stablehlo.constant dense<6> : tensor<300000xi32>
  %rh39 = stablehlo.subtract %rf39, %rg39 : tensor<300000xi32>
  %rk39 = stablehlo.convert %rh39 : (tensor<300000xi32>) -> tensor<300000xf64>
  %ji39 = stablehlo.iota dim = 0 : tensor<300000xi32>
  %ja39 = stablehlo.constant dense<5> : tensor<300000xi32>
  %jb39 = stablehlo.multiply %ji39, %ja39 : tensor<300000xi32>
  %jc39 = stablehlo.constant dense<0> : tensor<300000xi32>
  %jd39 = stablehlo.add %jb39, %jc39 : tensor<300000xi32>
  %je39 = stablehlo.constant dense<11> : tensor<300000xi32>
  %jf39 = stablehlo.remainder %jd39, %je39 : tensor<300000xi32>
  %jg39 = stablehlo.constant dense<5> : tensor<300000xi32>
  %jh39 = stablehlo.subtract %jf39, %jg39 : tensor<300000xi32>
  %jk39 = stablehlo.convert %jh39 : (tensor<300000xi32>) -> tensor<300000xf64>
  %z39 = stablehlo.complex %rk39, %jk39 : tensor<300000xcomplex<f64>>
  %y39 = stablehlo.reshape %z39 : (tensor<300000xcomplex<f64>>) -> tensor<4x75000xcomplex<f64>>
  %x39 = stablehlo.optimization_barrier %y39 : tensor<4x75000xcomplex<f64>>
  %is40 = stablehlo.constant dense<(2.0,-1.0)> : tensor<complex<f64>>
  %s40 = stablehlo.reduce(%x39 init: %is40) applies stablehlo.add across dimensions = [1] : (tensor<4x75000xcomplex<f64>>, tensor<complex<f64>>) -> tensor<4xcomplex<f64>>
  %fo41 = stablehlo.reshape %s40 : (tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>>
  %ro41 = stablehlo.real %fo41 : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
  %mo41 = stablehlo.imag %fo41 : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
  %rio41 = stablehlo.convert %ro41 : (tensor<4xf64>) -> tensor<4xi32>
  %mio41 = stablehlo.convert %mo41 : (tensor<4xf64>) -> tensor<4xi32>
  %to41 = stablehlo.constant dense<3> : tensor<4xi32>
  %uo41 = stablehlo.multiply %mio41, %to41 : tensor<4xi32>
  %vo41 = stablehlo.add %rio41, %uo41 : tensor<4xi32>
  %jo41 = stablehlo.iota dim = 0 : tensor<4xi32>
  %eo41 = stablehlo.constant dense<11> : tensor<4xi32>
  %go41 = stablehlo.remainder %jo41, %eo41 : tensor<4xi32>
  %ko41 = stablehlo.multiply %vo41, %go41 : tensor<4xi32>
  %so41 = stablehlo.constant dense<0> : tensor<i32>
  %wo41 = stablehlo.reduce(%ko41 init: %so41) applies stablehlo.add across dimensions = [0] : (tensor<4xi32>, tensor<i32>) -> tensor<i32>
  // CHECK: s32[] 17
  return %wo2, %wo5, %wo8, %wo11, %wo14, %wo17, %wo20, %wo23, %wo26, %wo29, %wo32, %wo35, %wo38, %wo41 : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
}
