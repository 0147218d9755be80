module {
  func.func public @main() -> (tensor<3x8xf32>, tensor<10xf32>, tensor<i64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<5xf32>) {
    %cst = stablehlo.constant dense<[[-0.0357680731, 2.38074541, 0.330576748, 0.949246466, -1.50239658, -1.77766693, -0.532702804, 1.09074974], [-0.346249461, -0.794636309, 0.197967291, 1.08193517, -1.44494021, -1.21054304, -0.788669228, 1.09463835], [0.234821528, 2.13215351, 0.936445713, -0.0350951776, 1.26507783, 0.211497009, -0.704921365, 0.679974853]]> : tensor<3x8xf32>
    %cst_0 = stablehlo.constant dense<[-0.696326673, -0.290397108, 1.32778275, -0.101281486, -0.803141415, -0.464337677, 1.02179062, -0.55254066, -0.386870861, -0.510292768]> : tensor<10xf32>
    %cst_1 = stablehlo.constant dense<[0.0274345316, -0.825130939, -0.884209632, -0.186424688, 0.633603811]> : tensor<5xf32>
    %cst_2 = stablehlo.constant dense<[-0.689683437, 1.16972864, -0.695610523]> : tensor<3xf32>
    %cst_3 = stablehlo.constant dense<[-1.02558947, -1.53038478, 0.0383160114]> : tensor<3xf32>
    %cst_4 = stablehlo.constant dense<[-0.744184613, -0.79752624, 1.34225452]> : tensor<3xf32>
    %cst_5 = stablehlo.constant dense<[-2.14114046, 0.990324497, -0.511466622, -1.922436, -0.239017338]> : tensor<5xf32>
    %0 = stablehlo.optimization_barrier %cst : tensor<3x8xf32>
    %cst_6 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst_6) applies stablehlo.maximum across dimensions = [1] : (tensor<3x8xf32>, tensor<f32>) -> tensor<3xf32>
    %cst_7 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %3 = stablehlo.maximum %2, %1 : tensor<3xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<3xf32>) -> tensor<3x1xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<3x1xf32>) -> tensor<3x8xf32>
    %6 = stablehlo.subtract %0, %5 : tensor<3x8xf32>
    %7 = stablehlo.exponential %6 : tensor<3x8xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%7 init: %cst_8) applies stablehlo.add across dimensions = [1] : (tensor<3x8xf32>, tensor<f32>) -> tensor<3xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0] : (tensor<3xf32>) -> tensor<3x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<3x1xf32>) -> tensor<3x8xf32>
    %11 = stablehlo.divide %7, %10 : tensor<3x8xf32>
    %12 = stablehlo.optimization_barrier %cst_0 : tensor<10xf32>
    %13 = stablehlo.multiply %12, %12 : tensor<10xf32>
    %14 = stablehlo.multiply %13, %12 : tensor<10xf32>
    %cst_9 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %16 = stablehlo.multiply %15, %14 : tensor<10xf32>
    %17 = stablehlo.add %12, %16 : tensor<10xf32>
    %cst_10 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %19 = stablehlo.multiply %18, %17 : tensor<10xf32>
    %20 = stablehlo.tanh %19 : tensor<10xf32>
    %cst_11 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %22 = stablehlo.add %21, %20 : tensor<10xf32>
    %cst_12 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %24 = stablehlo.multiply %23, %22 : tensor<10xf32>
    %25 = stablehlo.multiply %12, %24 : tensor<10xf32>
    %c = stablehlo.constant dense<7> : tensor<i64>
    %26 = stablehlo.optimization_barrier %c : tensor<i64>
    %c_13 = stablehlo.constant dense<0> : tensor<i64>
    %cst_14 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %27:3 = stablehlo.while(%iterArg = %26, %iterArg_28 = %c_13, %iterArg_29 = %cst_14) : tensor<i64>, tensor<i64>, tensor<f32>
    cond {
      %54 = stablehlo.compare LT, %iterArg_28, %iterArg, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %54 : tensor<i1>
    } do {
      %c_30 = stablehlo.constant dense<1> : tensor<i64>
      %54 = stablehlo.add %iterArg_28, %c_30 : tensor<i64>
      %cst_31 = stablehlo.constant dense<1.500000e+00> : tensor<f32>
      %55 = stablehlo.multiply %iterArg_29, %cst_31 : tensor<f32>
      stablehlo.return %iterArg, %54, %55 : tensor<i64>, tensor<i64>, tensor<f32>
    }
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %28 = stablehlo.optimization_barrier %cst_15 : tensor<f32>
    %c_16 = stablehlo.constant dense<0> : tensor<i64>
    %c_17 = stablehlo.constant dense<0> : tensor<i64>
    %29:3 = stablehlo.while(%iterArg = %c_17, %iterArg_28 = %c_16, %iterArg_29 = %28) : tensor<i64>, tensor<i64>, tensor<f32>
    cond {
      %c_30 = stablehlo.constant dense<5> : tensor<i64>
      %54 = stablehlo.compare LT, %iterArg, %c_30, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %54 : tensor<i1>
    } do {
      %54:2 = func.call @closed_call(%iterArg_28, %iterArg_29) : (tensor<i64>, tensor<f32>) -> (tensor<i64>, tensor<f32>)
      %c_30 = stablehlo.constant dense<1> : tensor<i64>
      %55 = stablehlo.add %iterArg, %c_30 : tensor<i64>
      stablehlo.return %55, %54#0, %54#1 : tensor<i64>, tensor<i64>, tensor<f32>
    }
    %30 = stablehlo.optimization_barrier %cst_1 : tensor<5xf32>
    %cst_18 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %c_20 = stablehlo.constant dense<0> : tensor<i64>
    %32:4 = stablehlo.while(%iterArg = %30, %iterArg_28 = %c_20, %iterArg_29 = %cst_18, %iterArg_30 = %31) : tensor<5xf32>, tensor<i64>, tensor<f32>, tensor<5xf32>
    cond {
      %c_31 = stablehlo.constant dense<5> : tensor<i64>
      %54 = stablehlo.compare LT, %iterArg_28, %c_31, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %54 : tensor<i1>
    } do {
      %54 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_28) : (tensor<5xf32>, tensor<i64>) -> tensor<f32>
      %55:2 = func.call @closed_call_0(%iterArg_29, %54) : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
      %56 = func.call @dynamic_update_index_in_dim(%iterArg_30, %55#1, %iterArg_28) : (tensor<5xf32>, tensor<f32>, tensor<i64>) -> tensor<5xf32>
      %c_31 = stablehlo.constant dense<1> : tensor<i64>
      %57 = stablehlo.add %iterArg_28, %c_31 : tensor<i64>
      stablehlo.return %iterArg, %57, %55#0, %56 : tensor<5xf32>, tensor<i64>, tensor<f32>, tensor<5xf32>
    }
    %c_21 = stablehlo.constant dense<true> : tensor<i1>
    %33:2 = stablehlo.optimization_barrier %c_21, %cst_2 : tensor<i1>, tensor<3xf32>
    %34 = stablehlo.convert %33#0 : (tensor<i1>) -> tensor<i32>
    %35 = "stablehlo.case"(%34) ({
      %cst_28 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %54 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %55 = stablehlo.subtract %33#1, %54 : tensor<3xf32>
      stablehlo.return %55 : tensor<3xf32>
    }, {
      %cst_28 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %54 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %55 = stablehlo.multiply %33#1, %54 : tensor<3xf32>
      stablehlo.return %55 : tensor<3xf32>
    }) : (tensor<i32>) -> tensor<3xf32>
    %c_22 = stablehlo.constant dense<7> : tensor<i64>
    %36:2 = stablehlo.optimization_barrier %c_22, %cst_3 : tensor<i64>, tensor<3xf32>
    %37 = stablehlo.convert %36#0 : (tensor<i64>) -> tensor<i32>
    %c_23 = stablehlo.constant dense<0> : tensor<i32>
    %c_24 = stablehlo.constant dense<2> : tensor<i32>
    %38 = stablehlo.clamp %c_23, %37, %c_24 : tensor<i32>
    %39 = "stablehlo.case"(%38) ({
      %54 = stablehlo.sine %36#1 : tensor<3xf32>
      stablehlo.return %54 : tensor<3xf32>
    }, {
      %54 = stablehlo.cosine %36#1 : tensor<3xf32>
      stablehlo.return %54 : tensor<3xf32>
    }, {
      %54 = stablehlo.exponential %36#1 : tensor<3xf32>
      stablehlo.return %54 : tensor<3xf32>
    }) : (tensor<i32>) -> tensor<3xf32>
    %40 = stablehlo.optimization_barrier %cst_4 : tensor<3xf32>
    %41 = call @"<lambda>"(%40) : (tensor<3xf32>) -> tensor<3xf32>
    %42 = stablehlo.optimization_barrier %cst_5 : tensor<5xf32>
    %43 = stablehlo.tanh %42 : tensor<5xf32>
    %cst_25 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %44 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %45 = stablehlo.subtract %44, %43 : tensor<5xf32>
    %46 = stablehlo.multiply %43, %43 : tensor<5xf32>
    %cst_26 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %47 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %48 = stablehlo.multiply %47, %46 : tensor<5xf32>
    %cst_27 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %49 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %50 = stablehlo.multiply %49, %48 : tensor<5xf32>
    %51 = stablehlo.multiply %50, %45 : tensor<5xf32>
    %52 = stablehlo.multiply %51, %43 : tensor<5xf32>
    %53 = stablehlo.add %51, %52 : tensor<5xf32>
    return %11, %25, %27#1, %27#2, %29#2, %32#2, %32#3, %35, %39, %41, %53 : tensor<3x8xf32>, tensor<10xf32>, tensor<i64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<5xf32>
  }
  func.func private @closed_call(%arg0: tensor<i64>, %arg1: tensor<f32>) -> (tensor<i64>, tensor<f32>) {
    %c = stablehlo.constant dense<1> : tensor<i64>
    %0 = stablehlo.add %arg0, %c : tensor<i64>
    %1 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<f32>
    %2 = stablehlo.add %arg1, %1 : tensor<f32>
    return %0, %2 : tensor<i64>, tensor<f32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<5xf32>, %arg1: tensor<i64>) -> tensor<f32> {
    %0 = stablehlo.dynamic_slice %arg0, %arg1, sizes = [1] : (tensor<5xf32>, tensor<i64>) -> tensor<1xf32>
    %1 = stablehlo.reshape %0 : (tensor<1xf32>) -> tensor<f32>
    return %1 : tensor<f32>
  }
  func.func private @closed_call_0(%arg0: tensor<f32>, %arg1: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
    %0 = stablehlo.add %arg0, %arg1 : tensor<f32>
    %1 = stablehlo.multiply %arg0, %arg1 : tensor<f32>
    return %0, %1 : tensor<f32>, tensor<f32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<5xf32>, %arg1: tensor<f32>, %arg2: tensor<i64>) -> tensor<5xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2 : (tensor<5xf32>, tensor<1xf32>, tensor<i64>) -> tensor<5xf32>
    return %1 : tensor<5xf32>
  }
  func.func private @"<lambda>"(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = call @sin(%arg0) : (tensor<3xf32>) -> tensor<3xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %2 = stablehlo.multiply %arg0, %1 : tensor<3xf32>
    %3 = call @sin(%2) : (tensor<3xf32>) -> tensor<3xf32>
    %4 = stablehlo.add %0, %3 : tensor<3xf32>
    return %4 : tensor<3xf32>
  }
  func.func private @sin(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.sine %arg0 : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
