// RUN: xla-run %s --backend=reference | FileCheck %s
// RUN: xla-run %s --backend=native | FileCheck %s

// Few rows and columns, many terms, either factor across: whole numbers, whose
// sums are exact in any order.
func.func @main() -> (tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>) {
  %true = stablehlo.constant dense<true> : tensor<i1>
  %l0a = stablehlo.iota dim = 1 : tensor<8x10001xi32>
  %l0m = stablehlo.constant dense<5> : tensor<8x10001xi32>
  %l0r = stablehlo.remainder %l0a, %l0m : tensor<8x10001xi32>
  %l0o = stablehlo.iota dim = 0 : tensor<8x10001xi32>
  %l0s = stablehlo.subtract %l0r, %l0o : tensor<8x10001xi32>
  %l0c = stablehlo.convert %l0s : (tensor<8x10001xi32>) -> tensor<8x10001xf32>
  %l0 = stablehlo.optimization_barrier %l0c : tensor<8x10001xf32>
  %r0a = stablehlo.iota dim = 1 : tensor<8x10001xi32>
  %r0m = stablehlo.constant dense<3> : tensor<8x10001xi32>
  %r0r = stablehlo.remainder %r0a, %r0m : tensor<8x10001xi32>
  %r0o = stablehlo.iota dim = 0 : tensor<8x10001xi32>
  %r0s = stablehlo.add %r0r, %r0o : tensor<8x10001xi32>
  %r0c = stablehlo.convert %r0s : (tensor<8x10001xi32>) -> tensor<8x10001xf32>
  %r0 = stablehlo.optimization_barrier %r0c : tensor<8x10001xf32>
  %d0 = stablehlo.dot_general %l0, %r0, contracting_dims = [1] x [1] : (tensor<8x10001xf32>, tensor<8x10001xf32>) -> tensor<8x8xf32>
  %w0 = stablehlo.constant dense<[[19997.0, 39997.0, 59997.0, 79997.0, 99997.0, 119997.0, 139997.0, 159997.0], [9997.0, 19996.0, 29995.0, 39994.0, 49993.0, 59992.0, 69991.0, 79990.0], [-3.0, -5.0, -7.0, -9.0, -11.0, -13.0, -15.0, -17.0], [-10003.0, -20006.0, -30009.0, -40012.0, -50015.0, -60018.0, -70021.0, -80024.0], [-20003.0, -40007.0, -60011.0, -80015.0, -100019.0, -120023.0, -140027.0, -160031.0], [-30003.0, -60008.0, -90013.0, -120018.0, -150023.0, -180028.0, -210033.0, -240038.0], [-40003.0, -80009.0, -120015.0, -160021.0, -200027.0, -240033.0, -280039.0, -320045.0], [-50003.0, -100010.0, -150017.0, -200024.0, -250031.0, -300038.0, -350045.0, -400052.0]]> : tensor<8x8xf32>
  %e0 = stablehlo.compare EQ, %d0, %w0, FLOAT : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xi1>
  %v0 = stablehlo.reduce(%e0 init: %true) applies stablehlo.and across dimensions = [0, 1] : (tensor<8x8xi1>, tensor<i1>) -> tensor<i1>
  // CHECK: pred[] 1
  %l1a = stablehlo.iota dim = 0 : tensor<10001x8xi32>
  %l1m = stablehlo.constant dense<5> : tensor<10001x8xi32>
  %l1r = stablehlo.remainder %l1a, %l1m : tensor<10001x8xi32>
  %l1o = stablehlo.iota dim = 1 : tensor<10001x8xi32>
  %l1s = stablehlo.subtract %l1r, %l1o : tensor<10001x8xi32>
  %l1c = stablehlo.convert %l1s : (tensor<10001x8xi32>) -> tensor<10001x8xf32>
  %l1 = stablehlo.optimization_barrier %l1c : tensor<10001x8xf32>
  %r1a = stablehlo.iota dim = 0 : tensor<10001x8xi32>
  %r1m = stablehlo.constant dense<3> : tensor<10001x8xi32>
  %r1r = stablehlo.remainder %r1a, %r1m : tensor<10001x8xi32>
  %r1o = stablehlo.iota dim = 1 : tensor<10001x8xi32>
  %r1s = stablehlo.add %r1r, %r1o : tensor<10001x8xi32>
  %r1c = stablehlo.convert %r1s : (tensor<10001x8xi32>) -> tensor<10001x8xf32>
  %r1 = stablehlo.optimization_barrier %r1c : tensor<10001x8xf32>
  %d1 = stablehlo.dot_general %l1, %r1, contracting_dims = [0] x [0] : (tensor<10001x8xf32>, tensor<10001x8xf32>) -> tensor<8x8xf32>
  %w1 = stablehlo.constant dense<[[19997.0, 39997.0, 59997.0, 79997.0, 99997.0, 119997.0, 139997.0, 159997.0], [9997.0, 19996.0, 29995.0, 39994.0, 49993.0, 59992.0, 69991.0, 79990.0], [-3.0, -5.0, -7.0, -9.0, -11.0, -13.0, -15.0, -17.0], [-10003.0, -20006.0, -30009.0, -40012.0, -50015.0, -60018.0, -70021.0, -80024.0], [-20003.0, -40007.0, -60011.0, -80015.0, -100019.0, -120023.0, -140027.0, -160031.0], [-30003.0, -60008.0, -90013.0, -120018.0, -150023.0, -180028.0, -210033.0, -240038.0], [-40003.0, -80009.0, -120015.0, -160021.0, -200027.0, -240033.0, -280039.0, -320045.0], [-50003.0, -100010.0, -150017.0, -200024.0, -250031.0, -300038.0, -350045.0, -400052.0]]> : tensor<8x8xf32>
  %e1 = stablehlo.compare EQ, %d1, %w1, FLOAT : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xi1>
  %v1 = stablehlo.reduce(%e1 init: %true) applies stablehlo.and across dimensions = [0, 1] : (tensor<8x8xi1>, tensor<i1>) -> tensor<i1>
  // CHECK: pred[] 1
  %l2a = stablehlo.iota dim = 1 : tensor<8x10001xi32>
  %l2m = stablehlo.constant dense<5> : tensor<8x10001xi32>
  %l2r = stablehlo.remainder %l2a, %l2m : tensor<8x10001xi32>
  %l2o = stablehlo.iota dim = 0 : tensor<8x10001xi32>
  %l2s = stablehlo.subtract %l2r, %l2o : tensor<8x10001xi32>
  %l2c = stablehlo.convert %l2s : (tensor<8x10001xi32>) -> tensor<8x10001xf32>
  %l2 = stablehlo.optimization_barrier %l2c : tensor<8x10001xf32>
  %r2a = stablehlo.iota dim = 0 : tensor<10001x8xi32>
  %r2m = stablehlo.constant dense<3> : tensor<10001x8xi32>
  %r2r = stablehlo.remainder %r2a, %r2m : tensor<10001x8xi32>
  %r2o = stablehlo.iota dim = 1 : tensor<10001x8xi32>
  %r2s = stablehlo.add %r2r, %r2o : tensor<10001x8xi32>
  %r2c = stablehlo.convert %r2s : (tensor<10001x8xi32>) -> tensor<10001x8xf32>
  %r2 = stablehlo.optimization_barrier %r2c : tensor<10001x8xf32>
  %d2 = stablehlo.dot_general %l2, %r2, contracting_dims = [1] x [0] : (tensor<8x10001xf32>, tensor<10001x8xf32>) -> tensor<8x8xf32>
  %w2 = stablehlo.constant dense<[[19997.0, 39997.0, 59997.0, 79997.0, 99997.0, 119997.0, 139997.0, 159997.0], [9997.0, 19996.0, 29995.0, 39994.0, 49993.0, 59992.0, 69991.0, 79990.0], [-3.0, -5.0, -7.0, -9.0, -11.0, -13.0, -15.0, -17.0], [-10003.0, -20006.0, -30009.0, -40012.0, -50015.0, -60018.0, -70021.0, -80024.0], [-20003.0, -40007.0, -60011.0, -80015.0, -100019.0, -120023.0, -140027.0, -160031.0], [-30003.0, -60008.0, -90013.0, -120018.0, -150023.0, -180028.0, -210033.0, -240038.0], [-40003.0, -80009.0, -120015.0, -160021.0, -200027.0, -240033.0, -280039.0, -320045.0], [-50003.0, -100010.0, -150017.0, -200024.0, -250031.0, -300038.0, -350045.0, -400052.0]]> : tensor<8x8xf32>
  %e2 = stablehlo.compare EQ, %d2, %w2, FLOAT : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xi1>
  %v2 = stablehlo.reduce(%e2 init: %true) applies stablehlo.and across dimensions = [0, 1] : (tensor<8x8xi1>, tensor<i1>) -> tensor<i1>
  // CHECK: pred[] 1
  %l3a = stablehlo.iota dim = 0 : tensor<10001x8xi32>
  %l3m = stablehlo.constant dense<5> : tensor<10001x8xi32>
  %l3r = stablehlo.remainder %l3a, %l3m : tensor<10001x8xi32>
  %l3o = stablehlo.iota dim = 1 : tensor<10001x8xi32>
  %l3s = stablehlo.subtract %l3r, %l3o : tensor<10001x8xi32>
  %l3c = stablehlo.convert %l3s : (tensor<10001x8xi32>) -> tensor<10001x8xf32>
  %l3 = stablehlo.optimization_barrier %l3c : tensor<10001x8xf32>
  %r3a = stablehlo.iota dim = 1 : tensor<8x10001xi32>
  %r3m = stablehlo.constant dense<3> : tensor<8x10001xi32>
  %r3r = stablehlo.remainder %r3a, %r3m : tensor<8x10001xi32>
  %r3o = stablehlo.iota dim = 0 : tensor<8x10001xi32>
  %r3s = stablehlo.add %r3r, %r3o : tensor<8x10001xi32>
  %r3c = stablehlo.convert %r3s : (tensor<8x10001xi32>) -> tensor<8x10001xf32>
  %r3 = stablehlo.optimization_barrier %r3c : tensor<8x10001xf32>
  %d3 = stablehlo.dot_general %l3, %r3, contracting_dims = [0] x [1] : (tensor<10001x8xf32>, tensor<8x10001xf32>) -> tensor<8x8xf32>
  %w3 = stablehlo.constant dense<[[19997.0, 39997.0, 59997.0, 79997.0, 99997.0, 119997.0, 139997.0, 159997.0], [9997.0, 19996.0, 29995.0, 39994.0, 49993.0, 59992.0, 69991.0, 79990.0], [-3.0, -5.0, -7.0, -9.0, -11.0, -13.0, -15.0, -17.0], [-10003.0, -20006.0, -30009.0, -40012.0, -50015.0, -60018.0, -70021.0, -80024.0], [-20003.0, -40007.0, -60011.0, -80015.0, -100019.0, -120023.0, -140027.0, -160031.0], [-30003.0, -60008.0, -90013.0, -120018.0, -150023.0, -180028.0, -210033.0, -240038.0], [-40003.0, -80009.0, -120015.0, -160021.0, -200027.0, -240033.0, -280039.0, -320045.0], [-50003.0, -100010.0, -150017.0, -200024.0, -250031.0, -300038.0, -350045.0, -400052.0]]> : tensor<8x8xf32>
  %e3 = stablehlo.compare EQ, %d3, %w3, FLOAT : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xi1>
  %v3 = stablehlo.reduce(%e3 init: %true) applies stablehlo.and across dimensions = [0, 1] : (tensor<8x8xi1>, tensor<i1>) -> tensor<i1>
  // CHECK: pred[] 1
  %l4a = stablehlo.iota dim = 1 : tensor<3x33000xi32>
  %l4m = stablehlo.constant dense<5> : tensor<3x33000xi32>
  %l4r = stablehlo.remainder %l4a, %l4m : tensor<3x33000xi32>
  %l4o = stablehlo.iota dim = 0 : tensor<3x33000xi32>
  %l4s = stablehlo.subtract %l4r, %l4o : tensor<3x33000xi32>
  %l4c = stablehlo.convert %l4s : (tensor<3x33000xi32>) -> tensor<3x33000xf32>
  %l4 = stablehlo.optimization_barrier %l4c : tensor<3x33000xf32>
  %r4a = stablehlo.iota dim = 1 : tensor<2x33000xi32>
  %r4m = stablehlo.constant dense<3> : tensor<2x33000xi32>
  %r4r = stablehlo.remainder %r4a, %r4m : tensor<2x33000xi32>
  %r4o = stablehlo.iota dim = 0 : tensor<2x33000xi32>
  %r4s = stablehlo.add %r4r, %r4o : tensor<2x33000xi32>
  %r4c = stablehlo.convert %r4s : (tensor<2x33000xi32>) -> tensor<2x33000xf32>
  %r4 = stablehlo.optimization_barrier %r4c : tensor<2x33000xf32>
  %d4 = stablehlo.dot_general %l4, %r4, contracting_dims = [1] x [1] : (tensor<3x33000xf32>, tensor<2x33000xf32>) -> tensor<3x2xf32>
  %w4 = stablehlo.constant dense<[[66000.0, 132000.0], [33000.0, 66000.0], [0.0, 0.0]]> : tensor<3x2xf32>
  %e4 = stablehlo.compare EQ, %d4, %w4, FLOAT : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xi1>
  %v4 = stablehlo.reduce(%e4 init: %true) applies stablehlo.and across dimensions = [0, 1] : (tensor<3x2xi1>, tensor<i1>) -> tensor<i1>
  // CHECK: pred[] 1
  %l5a = stablehlo.iota dim = 0 : tensor<33000x3xi32>
  %l5m = stablehlo.constant dense<5> : tensor<33000x3xi32>
  %l5r = stablehlo.remainder %l5a, %l5m : tensor<33000x3xi32>
  %l5o = stablehlo.iota dim = 1 : tensor<33000x3xi32>
  %l5s = stablehlo.subtract %l5r, %l5o : tensor<33000x3xi32>
  %l5c = stablehlo.convert %l5s : (tensor<33000x3xi32>) -> tensor<33000x3xf32>
  %l5 = stablehlo.optimization_barrier %l5c : tensor<33000x3xf32>
  %r5a = stablehlo.iota dim = 0 : tensor<33000x2xi32>
  %r5m = stablehlo.constant dense<3> : tensor<33000x2xi32>
  %r5r = stablehlo.remainder %r5a, %r5m : tensor<33000x2xi32>
  %r5o = stablehlo.iota dim = 1 : tensor<33000x2xi32>
  %r5s = stablehlo.add %r5r, %r5o : tensor<33000x2xi32>
  %r5c = stablehlo.convert %r5s : (tensor<33000x2xi32>) -> tensor<33000x2xf32>
  %r5 = stablehlo.optimization_barrier %r5c : tensor<33000x2xf32>
  %d5 = stablehlo.dot_general %l5, %r5, contracting_dims = [0] x [0] : (tensor<33000x3xf32>, tensor<33000x2xf32>) -> tensor<3x2xf32>
  %w5 = stablehlo.constant dense<[[66000.0, 132000.0], [33000.0, 66000.0], [0.0, 0.0]]> : tensor<3x2xf32>
  %e5 = stablehlo.compare EQ, %d5, %w5, FLOAT : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xi1>
  %v5 = stablehlo.reduce(%e5 init: %true) applies stablehlo.and across dimensions = [0, 1] : (tensor<3x2xi1>, tensor<i1>) -> tensor<i1>
  // CHECK: pred[] 1
  %l6a = stablehlo.iota dim = 1 : tensor<3x33000xi32>
  %l6m = stablehlo.constant dense<5> : tensor<3x33000xi32>
  %l6r = stablehlo.remainder %l6a, %l6m : tensor<3x33000xi32>
  %l6o = stablehlo.iota dim = 0 : tensor<3x33000xi32>
  %l6s = stablehlo.subtract %l6r, %l6o : tensor<3x33000xi32>
  %l6c = stablehlo.convert %l6s : (tensor<3x33000xi32>) -> tensor<3x33000xf32>
  %l6 = stablehlo.optimization_barrier %l6c : tensor<3x33000xf32>
  %r6a = stablehlo.iota dim = 0 : tensor<33000x2xi32>
  %r6m = stablehlo.constant dense<3> : tensor<33000x2xi32>
  %r6r = stablehlo.remainder %r6a, %r6m : tensor<33000x2xi32>
  %r6o = stablehlo.iota dim = 1 : tensor<33000x2xi32>
  %r6s = stablehlo.add %r6r, %r6o : tensor<33000x2xi32>
  %r6c = stablehlo.convert %r6s : (tensor<33000x2xi32>) -> tensor<33000x2xf32>
  %r6 = stablehlo.optimization_barrier %r6c : tensor<33000x2xf32>
  %d6 = stablehlo.dot_general %l6, %r6, contracting_dims = [1] x [0] : (tensor<3x33000xf32>, tensor<33000x2xf32>) -> tensor<3x2xf32>
  %w6 = stablehlo.constant dense<[[66000.0, 132000.0], [33000.0, 66000.0], [0.0, 0.0]]> : tensor<3x2xf32>
  %e6 = stablehlo.compare EQ, %d6, %w6, FLOAT : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xi1>
  %v6 = stablehlo.reduce(%e6 init: %true) applies stablehlo.and across dimensions = [0, 1] : (tensor<3x2xi1>, tensor<i1>) -> tensor<i1>
  // CHECK: pred[] 1
  %l7a = stablehlo.iota dim = 0 : tensor<33000x3xi32>
  %l7m = stablehlo.constant dense<5> : tensor<33000x3xi32>
  %l7r = stablehlo.remainder %l7a, %l7m : tensor<33000x3xi32>
  %l7o = stablehlo.iota dim = 1 : tensor<33000x3xi32>
  %l7s = stablehlo.subtract %l7r, %l7o : tensor<33000x3xi32>
  %l7c = stablehlo.convert %l7s : (tensor<33000x3xi32>) -> tensor<33000x3xf32>
  %l7 = stablehlo.optimization_barrier %l7c : tensor<33000x3xf32>
  %r7a = stablehlo.iota dim = 1 : tensor<2x33000xi32>
  %r7m = stablehlo.constant dense<3> : tensor<2x33000xi32>
  %r7r = stablehlo.remainder %r7a, %r7m : tensor<2x33000xi32>
  %r7o = stablehlo.iota dim = 0 : tensor<2x33000xi32>
  %r7s = stablehlo.add %r7r, %r7o : tensor<2x33000xi32>
  %r7c = stablehlo.convert %r7s : (tensor<2x33000xi32>) -> tensor<2x33000xf32>
  %r7 = stablehlo.optimization_barrier %r7c : tensor<2x33000xf32>
  %d7 = stablehlo.dot_general %l7, %r7, contracting_dims = [0] x [1] : (tensor<33000x3xf32>, tensor<2x33000xf32>) -> tensor<3x2xf32>
  %w7 = stablehlo.constant dense<[[66000.0, 132000.0], [33000.0, 66000.0], [0.0, 0.0]]> : tensor<3x2xf32>
  %e7 = stablehlo.compare EQ, %d7, %w7, FLOAT : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xi1>
  %v7 = stablehlo.reduce(%e7 init: %true) applies stablehlo.and across dimensions = [0, 1] : (tensor<3x2xi1>, tensor<i1>) -> tensor<i1>
  // CHECK: pred[] 1
  %l8a = stablehlo.iota dim = 1 : tensor<8x10001xi32>
  %l8m = stablehlo.constant dense<5> : tensor<8x10001xi32>
  %l8r = stablehlo.remainder %l8a, %l8m : tensor<8x10001xi32>
  %l8o = stablehlo.iota dim = 0 : tensor<8x10001xi32>
  %l8s = stablehlo.subtract %l8r, %l8o : tensor<8x10001xi32>
  %l8c = stablehlo.convert %l8s : (tensor<8x10001xi32>) -> tensor<8x10001xf64>
  %l8 = stablehlo.optimization_barrier %l8c : tensor<8x10001xf64>
  %r8a = stablehlo.iota dim = 1 : tensor<8x10001xi32>
  %r8m = stablehlo.constant dense<3> : tensor<8x10001xi32>
  %r8r = stablehlo.remainder %r8a, %r8m : tensor<8x10001xi32>
  %r8o = stablehlo.iota dim = 0 : tensor<8x10001xi32>
  %r8s = stablehlo.add %r8r, %r8o : tensor<8x10001xi32>
  %r8c = stablehlo.convert %r8s : (tensor<8x10001xi32>) -> tensor<8x10001xf64>
  %r8 = stablehlo.optimization_barrier %r8c : tensor<8x10001xf64>
  %d8 = stablehlo.dot_general %l8, %r8, contracting_dims = [1] x [1] : (tensor<8x10001xf64>, tensor<8x10001xf64>) -> tensor<8x8xf64>
  %w8 = stablehlo.constant dense<[[19997.0, 39997.0, 59997.0, 79997.0, 99997.0, 119997.0, 139997.0, 159997.0], [9997.0, 19996.0, 29995.0, 39994.0, 49993.0, 59992.0, 69991.0, 79990.0], [-3.0, -5.0, -7.0, -9.0, -11.0, -13.0, -15.0, -17.0], [-10003.0, -20006.0, -30009.0, -40012.0, -50015.0, -60018.0, -70021.0, -80024.0], [-20003.0, -40007.0, -60011.0, -80015.0, -100019.0, -120023.0, -140027.0, -160031.0], [-30003.0, -60008.0, -90013.0, -120018.0, -150023.0, -180028.0, -210033.0, -240038.0], [-40003.0, -80009.0, -120015.0, -160021.0, -200027.0, -240033.0, -280039.0, -320045.0], [-50003.0, -100010.0, -150017.0, -200024.0, -250031.0, -300038.0, -350045.0, -400052.0]]> : tensor<8x8xf64>
  %e8 = stablehlo.compare EQ, %d8, %w8, FLOAT : (tensor<8x8xf64>, tensor<8x8xf64>) -> tensor<8x8xi1>
  %v8 = stablehlo.reduce(%e8 init: %true) applies stablehlo.and across dimensions = [0, 1] : (tensor<8x8xi1>, tensor<i1>) -> tensor<i1>
  // CHECK: pred[] 1
  %l9a = stablehlo.iota dim = 0 : tensor<10001x8xi32>
  %l9m = stablehlo.constant dense<5> : tensor<10001x8xi32>
  %l9r = stablehlo.remainder %l9a, %l9m : tensor<10001x8xi32>
  %l9o = stablehlo.iota dim = 1 : tensor<10001x8xi32>
  %l9s = stablehlo.subtract %l9r, %l9o : tensor<10001x8xi32>
  %l9c = stablehlo.convert %l9s : (tensor<10001x8xi32>) -> tensor<10001x8xf64>
  %l9 = stablehlo.optimization_barrier %l9c : tensor<10001x8xf64>
  %r9a = stablehlo.iota dim = 0 : tensor<10001x8xi32>
  %r9m = stablehlo.constant dense<3> : tensor<10001x8xi32>
  %r9r = stablehlo.remainder %r9a, %r9m : tensor<10001x8xi32>
  %r9o = stablehlo.iota dim = 1 : tensor<10001x8xi32>
  %r9s = stablehlo.add %r9r, %r9o : tensor<10001x8xi32>
  %r9c = stablehlo.convert %r9s : (tensor<10001x8xi32>) -> tensor<10001x8xf64>
  %r9 = stablehlo.optimization_barrier %r9c : tensor<10001x8xf64>
  %d9 = stablehlo.dot_general %l9, %r9, contracting_dims = [0] x [0] : (tensor<10001x8xf64>, tensor<10001x8xf64>) -> tensor<8x8xf64>
  %w9 = stablehlo.constant dense<[[19997.0, 39997.0, 59997.0, 79997.0, 99997.0, 119997.0, 139997.0, 159997.0], [9997.0, 19996.0, 29995.0, 39994.0, 49993.0, 59992.0, 69991.0, 79990.0], [-3.0, -5.0, -7.0, -9.0, -11.0, -13.0, -15.0, -17.0], [-10003.0, -20006.0, -30009.0, -40012.0, -50015.0, -60018.0, -70021.0, -80024.0], [-20003.0, -40007.0, -60011.0, -80015.0, -100019.0, -120023.0, -140027.0, -160031.0], [-30003.0, -60008.0, -90013.0, -120018.0, -150023.0, -180028.0, -210033.0, -240038.0], [-40003.0, -80009.0, -120015.0, -160021.0, -200027.0, -240033.0, -280039.0, -320045.0], [-50003.0, -100010.0, -150017.0, -200024.0, -250031.0, -300038.0, -350045.0, -400052.0]]> : tensor<8x8xf64>
  %e9 = stablehlo.compare EQ, %d9, %w9, FLOAT : (tensor<8x8xf64>, tensor<8x8xf64>) -> tensor<8x8xi1>
  %v9 = stablehlo.reduce(%e9 init: %true) applies stablehlo.and across dimensions = [0, 1] : (tensor<8x8xi1>, tensor<i1>) -> tensor<i1>
  // CHECK: pred[] 1
  %l10a = stablehlo.iota dim = 1 : tensor<8x10001xi32>
  %l10m = stablehlo.constant dense<5> : tensor<8x10001xi32>
  %l10r = stablehlo.remainder %l10a, %l10m : tensor<8x10001xi32>
  %l10o = stablehlo.iota dim = 0 : tensor<8x10001xi32>
  %l10s = stablehlo.subtract %l10r, %l10o : tensor<8x10001xi32>
  %l10c = stablehlo.convert %l10s : (tensor<8x10001xi32>) -> tensor<8x10001xf64>
  %l10 = stablehlo.optimization_barrier %l10c : tensor<8x10001xf64>
  %r10a = stablehlo.iota dim = 0 : tensor<10001x8xi32>
  %r10m = stablehlo.constant dense<3> : tensor<10001x8xi32>
  %r10r = stablehlo.remainder %r10a, %r10m : tensor<10001x8xi32>
  %r10o = stablehlo.iota dim = 1 : tensor<10001x8xi32>
  %r10s = stablehlo.add %r10r, %r10o : tensor<10001x8xi32>
  %r10c = stablehlo.convert %r10s : (tensor<10001x8xi32>) -> tensor<10001x8xf64>
  %r10 = stablehlo.optimization_barrier %r10c : tensor<10001x8xf64>
  %d10 = stablehlo.dot_general %l10, %r10, contracting_dims = [1] x [0] : (tensor<8x10001xf64>, tensor<10001x8xf64>) -> tensor<8x8xf64>
  %w10 = stablehlo.constant dense<[[19997.0, 39997.0, 59997.0, 79997.0, 99997.0, 119997.0, 139997.0, 159997.0], [9997.0, 19996.0, 29995.0, 39994.0, 49993.0, 59992.0, 69991.0, 79990.0], [-3.0, -5.0, -7.0, -9.0, -11.0, -13.0, -15.0, -17.0], [-10003.0, -20006.0, -30009.0, -40012.0, -50015.0, -60018.0, -70021.0, -80024.0], [-20003.0, -40007.0, -60011.0, -80015.0, -100019.0, -120023.0, -140027.0, -160031.0], [-30003.0, -60008.0, -90013.0, -120018.0, -150023.0, -180028.0, -210033.0, -240038.0], [-40003.0, -80009.0, -120015.0, -160021.0, -200027.0, -240033.0, -280039.0, -320045.0], [-50003.0, -100010.0, -150017.0, -200024.0, -250031.0, -300038.0, -350045.0, -400052.0]]> : tensor<8x8xf64>
  %e10 = stablehlo.compare EQ, %d10, %w10, FLOAT : (tensor<8x8xf64>, tensor<8x8xf64>) -> tensor<8x8xi1>
  %v10 = stablehlo.reduce(%e10 init: %true) applies stablehlo.and across dimensions = [0, 1] : (tensor<8x8xi1>, tensor<i1>) -> tensor<i1>
  // CHECK: pred[] 1
  %l11a = stablehlo.iota dim = 0 : tensor<10001x8xi32>
  %l11m = stablehlo.constant dense<5> : tensor<10001x8xi32>
  %l11r = stablehlo.remainder %l11a, %l11m : tensor<10001x8xi32>
  %l11o = stablehlo.iota dim = 1 : tensor<10001x8xi32>
  %l11s = stablehlo.subtract %l11r, %l11o : tensor<10001x8xi32>
  %l11c = stablehlo.convert %l11s : (tensor<10001x8xi32>) -> tensor<10001x8xf64>
  %l11 = stablehlo.optimization_barrier %l11c : tensor<10001x8xf64>
  %r11a = stablehlo.iota dim = 1 : tensor<8x10001xi32>
  %r11m = stablehlo.constant dense<3> : tensor<8x10001xi32>
  %r11r = stablehlo.remainder %r11a, %r11m : tensor<8x10001xi32>
  %r11o = stablehlo.iota dim = 0 : tensor<8x10001xi32>
  %r11s = stablehlo.add %r11r, %r11o : tensor<8x10001xi32>
  %r11c = stablehlo.convert %r11s : (tensor<8x10001xi32>) -> tensor<8x10001xf64>
  %r11 = stablehlo.optimization_barrier %r11c : tensor<8x10001xf64>
  %d11 = stablehlo.dot_general %l11, %r11, contracting_dims = [0] x [1] : (tensor<10001x8xf64>, tensor<8x10001xf64>) -> tensor<8x8xf64>
  %w11 = stablehlo.constant dense<[[19997.0, 39997.0, 59997.0, 79997.0, 99997.0, 119997.0, 139997.0, 159997.0], [9997.0, 19996.0, 29995.0, 39994.0, 49993.0, 59992.0, 69991.0, 79990.0], [-3.0, -5.0, -7.0, -9.0, -11.0, -13.0, -15.0, -17.0], [-10003.0, -20006.0, -30009.0, -40012.0, -50015.0, -60018.0, -70021.0, -80024.0], [-20003.0, -40007.0, -60011.0, -80015.0, -100019.0, -120023.0, -140027.0, -160031.0], [-30003.0, -60008.0, -90013.0, -120018.0, -150023.0, -180028.0, -210033.0, -240038.0], [-40003.0, -80009.0, -120015.0, -160021.0, -200027.0, -240033.0, -280039.0, -320045.0], [-50003.0, -100010.0, -150017.0, -200024.0, -250031.0, -300038.0, -350045.0, -400052.0]]> : tensor<8x8xf64>
  %e11 = stablehlo.compare EQ, %d11, %w11, FLOAT : (tensor<8x8xf64>, tensor<8x8xf64>) -> tensor<8x8xi1>
  %v11 = stablehlo.reduce(%e11 init: %true) applies stablehlo.and across dimensions = [0, 1] : (tensor<8x8xi1>, tensor<i1>) -> tensor<i1>
  // CHECK: pred[] 1
  %l12a = stablehlo.iota dim = 1 : tensor<3x33000xi32>
  %l12m = stablehlo.constant dense<5> : tensor<3x33000xi32>
  %l12r = stablehlo.remainder %l12a, %l12m : tensor<3x33000xi32>
  %l12o = stablehlo.iota dim = 0 : tensor<3x33000xi32>
  %l12s = stablehlo.subtract %l12r, %l12o : tensor<3x33000xi32>
  %l12c = stablehlo.convert %l12s : (tensor<3x33000xi32>) -> tensor<3x33000xf64>
  %l12 = stablehlo.optimization_barrier %l12c : tensor<3x33000xf64>
  %r12a = stablehlo.iota dim = 1 : tensor<2x33000xi32>
  %r12m = stablehlo.constant dense<3> : tensor<2x33000xi32>
  %r12r = stablehlo.remainder %r12a, %r12m : tensor<2x33000xi32>
  %r12o = stablehlo.iota dim = 0 : tensor<2x33000xi32>
  %r12s = stablehlo.add %r12r, %r12o : tensor<2x33000xi32>
  %r12c = stablehlo.convert %r12s : (tensor<2x33000xi32>) -> tensor<2x33000xf64>
  %r12 = stablehlo.optimization_barrier %r12c : tensor<2x33000xf64>
  %d12 = stablehlo.dot_general %l12, %r12, contracting_dims = [1] x [1] : (tensor<3x33000xf64>, tensor<2x33000xf64>) -> tensor<3x2xf64>
  %w12 = stablehlo.constant dense<[[66000.0, 132000.0], [33000.0, 66000.0], [0.0, 0.0]]> : tensor<3x2xf64>
  %e12 = stablehlo.compare EQ, %d12, %w12, FLOAT : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<3x2xi1>
  %v12 = stablehlo.reduce(%e12 init: %true) applies stablehlo.and across dimensions = [0, 1] : (tensor<3x2xi1>, tensor<i1>) -> tensor<i1>
  // CHECK: pred[] 1
  %l13a = stablehlo.iota dim = 0 : tensor<33000x3xi32>
  %l13m = stablehlo.constant dense<5> : tensor<33000x3xi32>
  %l13r = stablehlo.remainder %l13a, %l13m : tensor<33000x3xi32>
  %l13o = stablehlo.iota dim = 1 : tensor<33000x3xi32>
  %l13s = stablehlo.subtract %l13r, %l13o : tensor<33000x3xi32>
  %l13c = stablehlo.convert %l13s : (tensor<33000x3xi32>) -> tensor<33000x3xf64>
  %l13 = stablehlo.optimization_barrier %l13c : tensor<33000x3xf64>
  %r13a = stablehlo.iota dim = 0 : tensor<33000x2xi32>
  %r13m = stablehlo.constant dense<3> : tensor<33000x2xi32>
  %r13r = stablehlo.remainder %r13a, %r13m : tensor<33000x2xi32>
  %r13o = stablehlo.iota dim = 1 : tensor<33000x2xi32>
  %r13s = stablehlo.add %r13r, %r13o : tensor<33000x2xi32>
  %r13c = stablehlo.convert %r13s : (tensor<33000x2xi32>) -> tensor<33000x2xf64>
  %r13 = stablehlo.optimization_barrier %r13c : tensor<33000x2xf64>
  %d13 = stablehlo.dot_general %l13, %r13, contracting_dims = [0] x [0] : (tensor<33000x3xf64>, tensor<33000x2xf64>) -> tensor<3x2xf64>
  %w13 = stablehlo.constant dense<[[66000.0, 132000.0], [33000.0, 66000.0], [0.0, 0.0]]> : tensor<3x2xf64>
  %e13 = stablehlo.compare EQ, %d13, %w13, FLOAT : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<3x2xi1>
  %v13 = stablehlo.reduce(%e13 init: %true) applies stablehlo.and across dimensions = [0, 1] : (tensor<3x2xi1>, tensor<i1>) -> tensor<i1>
  // CHECK: pred[] 1
  %l14a = stablehlo.iota dim = 1 : tensor<3x33000xi32>
  %l14m = stablehlo.constant dense<5> : tensor<3x33000xi32>
  %l14r = stablehlo.remainder %l14a, %l14m : tensor<3x33000xi32>
  %l14o = stablehlo.iota dim = 0 : tensor<3x33000xi32>
  %l14s = stablehlo.subtract %l14r, %l14o : tensor<3x33000xi32>
  %l14c = stablehlo.convert %l14s : (tensor<3x33000xi32>) -> tensor<3x33000xf64>
  %l14 = stablehlo.optimization_barrier %l14c : tensor<3x33000xf64>
  %r14a = stablehlo.iota dim = 0 : tensor<33000x2xi32>
  %r14m = stablehlo.constant dense<3> : tensor<33000x2xi32>
  %r14r = stablehlo.remainder %r14a, %r14m : tensor<33000x2xi32>
  %r14o = stablehlo.iota dim = 1 : tensor<33000x2xi32>
  %r14s = stablehlo.add %r14r, %r14o : tensor<33000x2xi32>
  %r14c = stablehlo.convert %r14s : (tensor<33000x2xi32>) -> tensor<33000x2xf64>
  %r14 = stablehlo.optimization_barrier %r14c : tensor<33000x2xf64>
  %d14 = stablehlo.dot_general %l14, %r14, contracting_dims = [1] x [0] : (tensor<3x33000xf64>, tensor<33000x2xf64>) -> tensor<3x2xf64>
  %w14 = stablehlo.constant dense<[[66000.0, 132000.0], [33000.0, 66000.0], [0.0, 0.0]]> : tensor<3x2xf64>
  %e14 = stablehlo.compare EQ, %d14, %w14, FLOAT : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<3x2xi1>
  %v14 = stablehlo.reduce(%e14 init: %true) applies stablehlo.and across dimensions = [0, 1] : (tensor<3x2xi1>, tensor<i1>) -> tensor<i1>
  // CHECK: pred[] 1
  %l15a = stablehlo.iota dim = 0 : tensor<33000x3xi32>
  %l15m = stablehlo.constant dense<5> : tensor<33000x3xi32>
  %l15r = stablehlo.remainder %l15a, %l15m : tensor<33000x3xi32>
  %l15o = stablehlo.iota dim = 1 : tensor<33000x3xi32>
  %l15s = stablehlo.subtract %l15r, %l15o : tensor<33000x3xi32>
  %l15c = stablehlo.convert %l15s : (tensor<33000x3xi32>) -> tensor<33000x3xf64>
  %l15 = stablehlo.optimization_barrier %l15c : tensor<33000x3xf64>
  %r15a = stablehlo.iota dim = 1 : tensor<2x33000xi32>
  %r15m = stablehlo.constant dense<3> : tensor<2x33000xi32>
  %r15r = stablehlo.remainder %r15a, %r15m : tensor<2x33000xi32>
  %r15o = stablehlo.iota dim = 0 : tensor<2x33000xi32>
  %r15s = stablehlo.add %r15r, %r15o : tensor<2x33000xi32>
  %r15c = stablehlo.convert %r15s : (tensor<2x33000xi32>) -> tensor<2x33000xf64>
  %r15 = stablehlo.optimization_barrier %r15c : tensor<2x33000xf64>
  %d15 = stablehlo.dot_general %l15, %r15, contracting_dims = [0] x [1] : (tensor<33000x3xf64>, tensor<2x33000xf64>) -> tensor<3x2xf64>
  %w15 = stablehlo.constant dense<[[66000.0, 132000.0], [33000.0, 66000.0], [0.0, 0.0]]> : tensor<3x2xf64>
  %e15 = stablehlo.compare EQ, %d15, %w15, FLOAT : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<3x2xi1>
  %v15 = stablehlo.reduce(%e15 init: %true) applies stablehlo.and across dimensions = [0, 1] : (tensor<3x2xi1>, tensor<i1>) -> tensor<i1>
  // CHECK: pred[] 1
  return %v0, %v1, %v2, %v3, %v4, %v5, %v6, %v7, %v8, %v9, %v10, %v11, %v12, %v13, %v14, %v15 : tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>
}
