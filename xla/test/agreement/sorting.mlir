module {
  func.func public @main() -> (tensor<3x8xf32>, tensor<3x8xi64>, tensor<3xf32>, tensor<1x3xf32>, tensor<1x3xi32>, tensor<15xf32>, tensor<10xi64>, tensor<10xf32>) {
    %cst = stablehlo.constant dense<[[0.862596035, -2.65561914, 1.51332808, 0.553132057, -0.0457039624, 0.220507652, -1.02993524, -0.34994337], [1.10028434, 1.29802203, 2.69622397, -0.0739246681, -0.658552944, -0.514233947, -1.01804185, -0.0778547525], [0.382732421, -0.0342422798, 1.09634686, -0.234215796, -0.347450644, -0.581268489, -1.63263452, -1.56776774]]> : tensor<3x8xf32>
    %cst_0 = stablehlo.constant dense<[[-1.17915797, 1.30142808, 0.895260274, 1.37496412, -1.33221161, -1.96862471, -0.660056293, 0.17581895], [0.498690277, 1.0479722, 0.284279674, 1.74266875, -0.222605675, -0.913079202, -1.68121827, -0.888971329], [0.242117956, -0.888720274, 0.936742484, 1.41232765, -2.36958694, 0.864052295, -2.239604, 0.401499063]]> : tensor<3x8xf32>
    %cst_1 = stablehlo.constant dense<[[1.22487056, 0.0648561046, -1.27968919, -0.585431218, -0.261645436, -0.182244778, -0.202896833, -0.109882779], [0.213480055, -1.2085737, -0.242019832, 1.51826119, -0.384645432, -0.443836093, 1.07819736, -2.55918455], [1.1813786, -0.631903768, 0.163928568, 0.0963213593, 0.942468106, -0.267594755, -0.678025782, 1.29784584]]> : tensor<3x8xf32>
    %cst_2 = stablehlo.constant dense<[[1.000000e+00, 0x7FC00000, 3.000000e+00, -0.000000e+00, 0.000000e+00, 3.000000e+00, 0xFF800000]]> : tensor<1x7xf32>
    %cst_3 = stablehlo.constant dense<[0.000000e+00, -0.000000e+00, 1.000000e+00, -1.000000e+00, 5.000000e-01, -5.000000e-01, 2.000000e+00, 3.700000e+00, -2.500000e+00, 9.99999993E-9, 3.000000e+01, -3.000000e+01, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<15xf32>
    %c = stablehlo.constant dense<[2, 0, 1, 2, 0, 1, 1, 2, 1, 1]> : tensor<10xi64>
    %cst_4 = stablehlo.constant dense<[-0.987286686, 0.159638062, -0.328066587, -1.14510345, 0.229386419, 1.47834194, 1.19677329, -0.062833935, 0.663762509, 0.897479176]> : tensor<10xf32>
    %0 = stablehlo.optimization_barrier %cst : tensor<3x8xf32>
    %1 = call @sort(%0) : (tensor<3x8xf32>) -> tensor<3x8xf32>
    %2 = stablehlo.optimization_barrier %cst_0 : tensor<3x8xf32>
    %3 = call @argsort(%2) : (tensor<3x8xf32>) -> tensor<3x8xi64>
    %4 = stablehlo.optimization_barrier %cst_1 : tensor<3x8xf32>
    %5 = call @median(%4) : (tensor<3x8xf32>) -> tensor<3xf32>
    %6 = stablehlo.optimization_barrier %cst_2 : tensor<1x7xf32>
    %values, %indices = chlo.top_k(%6, k = 3) : tensor<1x7xf32> -> (tensor<1x3xf32>, tensor<1x3xi32>)
    %7 = stablehlo.optimization_barrier %cst_3 : tensor<15xf32>
    %8 = call @sort_0(%7) : (tensor<15xf32>) -> tensor<15xf32>
    %9:2 = stablehlo.optimization_barrier %c, %cst_4 : tensor<10xi64>, tensor<10xf32>
    %10:2 = "stablehlo.sort"(%9#0, %9#1) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg0: tensor<i64>, %arg1: tensor<i64>, %arg2: tensor<f32>, %arg3: tensor<f32>):
      %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %11 = stablehlo.compare EQ, %arg2, %cst_5, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %12 = stablehlo.select %11, %cst_6, %arg2 : tensor<i1>, tensor<f32>
      %13 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_7 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %14 = stablehlo.select %13, %cst_7, %12 : tensor<i1>, tensor<f32>
      %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %15 = stablehlo.compare EQ, %arg3, %cst_8, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %16 = stablehlo.select %15, %cst_9, %arg3 : tensor<i1>, tensor<f32>
      %17 = stablehlo.compare NE, %arg3, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_10 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %18 = stablehlo.select %17, %cst_10, %16 : tensor<i1>, tensor<f32>
      %19 = stablehlo.compare LT, %14, %18, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %20 = stablehlo.compare LT, %arg0, %arg1, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %21 = stablehlo.compare EQ, %arg0, %arg1, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %22 = stablehlo.and %21, %19 : tensor<i1>
      %23 = stablehlo.or %20, %22 : tensor<i1>
      stablehlo.return %23 : tensor<i1>
    }) : (tensor<10xi64>, tensor<10xf32>) -> (tensor<10xi64>, tensor<10xf32>)
    return %1, %3, %5, %values, %indices, %8, %10#0, %10#1 : tensor<3x8xf32>, tensor<3x8xi64>, tensor<3xf32>, tensor<1x3xf32>, tensor<1x3xi32>, tensor<15xf32>, tensor<10xi64>, tensor<10xf32>
  }
  func.func private @sort(%arg0: tensor<3x8xf32>) -> tensor<3x8xf32> {
    %0 = "stablehlo.sort"(%arg0) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %1 = stablehlo.compare EQ, %arg1, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %2 = stablehlo.select %1, %cst_0, %arg1 : tensor<i1>, tensor<f32>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %4 = stablehlo.select %3, %cst_1, %2 : tensor<i1>, tensor<f32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %5 = stablehlo.compare EQ, %arg2, %cst_2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %6 = stablehlo.select %5, %cst_3, %arg2 : tensor<i1>, tensor<f32>
      %7 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %8 = stablehlo.select %7, %cst_4, %6 : tensor<i1>, tensor<f32>
      %9 = stablehlo.compare LT, %4, %8, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    }) : (tensor<3x8xf32>) -> tensor<3x8xf32>
    return %0 : tensor<3x8xf32>
  }
  func.func private @argsort(%arg0: tensor<3x8xf32>) -> tensor<3x8xi64> {
    %0 = stablehlo.iota dim = 1 : tensor<3x8xi64>
    %1:2 = "stablehlo.sort"(%arg0, %0) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>, %arg3: tensor<i64>, %arg4: tensor<i64>):
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %2 = stablehlo.compare EQ, %arg1, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %3 = stablehlo.select %2, %cst_0, %arg1 : tensor<i1>, tensor<f32>
      %4 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %5 = stablehlo.select %4, %cst_1, %3 : tensor<i1>, tensor<f32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %6 = stablehlo.compare EQ, %arg2, %cst_2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %7 = stablehlo.select %6, %cst_3, %arg2 : tensor<i1>, tensor<f32>
      %8 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %9 = stablehlo.select %8, %cst_4, %7 : tensor<i1>, tensor<f32>
      %10 = stablehlo.compare LT, %5, %9, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %10 : tensor<i1>
    }) : (tensor<3x8xf32>, tensor<3x8xi64>) -> (tensor<3x8xf32>, tensor<3x8xi64>)
    return %1#1 : tensor<3x8xi64>
  }
  func.func private @median(%arg0: tensor<3x8xf32>) -> tensor<3xf32> {
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %0 = call @quantile(%arg0, %cst) : (tensor<3x8xf32>, tensor<f64>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
  func.func private @quantile(%arg0: tensor<3x8xf32>, %arg1: tensor<f64>) -> tensor<3xf32> {
    %0 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<3x8xi1>
    %c = stablehlo.constant dense<false> : tensor<i1>
    %1 = stablehlo.reduce(%0 init: %c) applies stablehlo.or across dimensions = [1] : (tensor<3x8xi1>, tensor<i1>) -> tensor<3xi1>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<3xi1>) -> tensor<3x1xi1>
    %cst = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
    %3 = call @_where(%2, %cst, %arg0) : (tensor<3x1xi1>, tensor<f64>, tensor<3x8xf32>) -> tensor<3x8xf32>
    %4 = "stablehlo.sort"(%3) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %22 = stablehlo.compare EQ, %arg2, %cst_9, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %23 = stablehlo.select %22, %cst_10, %arg2 : tensor<i1>, tensor<f32>
      %24 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_11 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %25 = stablehlo.select %24, %cst_11, %23 : tensor<i1>, tensor<f32>
      %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %26 = stablehlo.compare EQ, %arg3, %cst_12, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %27 = stablehlo.select %26, %cst_13, %arg3 : tensor<i1>, tensor<f32>
      %28 = stablehlo.compare NE, %arg3, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_14 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %29 = stablehlo.select %28, %cst_14, %27 : tensor<i1>, tensor<f32>
      %30 = stablehlo.compare LT, %25, %29, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %30 : tensor<i1>
    }) : (tensor<3x8xf32>) -> tensor<3x8xf32>
    %cst_0 = stablehlo.constant dense<8.000000e+00> : tensor<f64>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %5 = stablehlo.subtract %cst_0, %cst_1 : tensor<f64>
    %6 = stablehlo.multiply %arg1, %5 : tensor<f64>
    %7 = stablehlo.floor %6 : tensor<f64>
    %8 = stablehlo.ceil %6 : tensor<f64>
    %cst_2 = stablehlo.constant dense<8.000000e+00> : tensor<f64>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %9 = stablehlo.subtract %cst_2, %cst_3 : tensor<f64>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %10 = stablehlo.clamp %cst_4, %7, %9 : tensor<f64>
    %cst_5 = stablehlo.constant dense<8.000000e+00> : tensor<f64>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %11 = stablehlo.subtract %cst_5, %cst_6 : tensor<f64>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %12 = stablehlo.clamp %cst_7, %8, %11 : tensor<f64>
    %13 = stablehlo.convert %10 : (tensor<f64>) -> tensor<i64>
    %14 = stablehlo.convert %12 : (tensor<f64>) -> tensor<i64>
    %15 = stablehlo.broadcast_in_dim %13, dims = [] : (tensor<i64>) -> tensor<1xi64>
    %16 = "stablehlo.gather"(%4, %15) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1]>, indices_are_sorted = false, slice_sizes = array<i64: 3, 1>}> : (tensor<3x8xf32>, tensor<1xi64>) -> tensor<3xf32>
    %17 = stablehlo.broadcast_in_dim %14, dims = [] : (tensor<i64>) -> tensor<1xi64>
    %18 = "stablehlo.gather"(%4, %17) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1]>, indices_are_sorted = false, slice_sizes = array<i64: 3, 1>}> : (tensor<3x8xf32>, tensor<1xi64>) -> tensor<3xf32>
    %19 = stablehlo.add %16, %18 : tensor<3xf32>
    %cst_8 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %21 = stablehlo.multiply %19, %20 : tensor<3xf32>
    return %21 : tensor<3xf32>
  }
  func.func private @_where(%arg0: tensor<3x1xi1>, %arg1: tensor<f64>, %arg2: tensor<3x8xf32>) -> tensor<3x8xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<f64>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<3x1xi1>) -> tensor<3x8xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<3x8xf32>
    %3 = stablehlo.select %1, %2, %arg2 : tensor<3x8xi1>, tensor<3x8xf32>
    return %3 : tensor<3x8xf32>
  }
  func.func private @sort_0(%arg0: tensor<15xf32>) -> tensor<15xf32> {
    %0 = "stablehlo.sort"(%arg0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %1 = stablehlo.compare EQ, %arg1, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %2 = stablehlo.select %1, %cst_0, %arg1 : tensor<i1>, tensor<f32>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %4 = stablehlo.select %3, %cst_1, %2 : tensor<i1>, tensor<f32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %5 = stablehlo.compare EQ, %arg2, %cst_2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %6 = stablehlo.select %5, %cst_3, %arg2 : tensor<i1>, tensor<f32>
      %7 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %8 = stablehlo.select %7, %cst_4, %6 : tensor<i1>, tensor<f32>
      %9 = stablehlo.compare LT, %4, %8, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    }) : (tensor<15xf32>) -> tensor<15xf32>
    return %0 : tensor<15xf32>
  }
}
