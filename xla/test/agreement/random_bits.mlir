module {
  func.func public @main() -> (tensor<7xf64>, tensor<10xi64>, tensor<2xui64>, tensor<5xui8>, tensor<2xui64>, tensor<5xui32>, tensor<2xui64>, tensor<5xui64>, tensor<2xui64>, tensor<4x3xui8>, tensor<2xui64>, tensor<4x3xui32>, tensor<2xui64>, tensor<4x3xui64>, tensor<2xui64>, tensor<3x5xui8>, tensor<2xui64>, tensor<3x5xui32>, tensor<2xui64>, tensor<3x5xui64>, tensor<2xui64>, tensor<ui8>, tensor<2xui64>, tensor<ui32>, tensor<2xui64>, tensor<ui64>, tensor<2xui64>, tensor<5xui8>, tensor<2xui64>, tensor<5xui32>, tensor<2xui64>, tensor<5xui64>, tensor<2xui64>, tensor<4x3xui8>, tensor<2xui64>, tensor<4x3xui32>, tensor<2xui64>, tensor<4x3xui64>, tensor<2xui64>, tensor<3x5xui8>, tensor<2xui64>, tensor<3x5xui32>, tensor<2xui64>, tensor<3x5xui64>, tensor<2xui64>, tensor<ui8>, tensor<2xui64>, tensor<ui32>, tensor<2xui64>, tensor<ui64>, tensor<2xui64>, tensor<5xui8>, tensor<2xui64>, tensor<5xui32>, tensor<2xui64>, tensor<5xui64>, tensor<2xui64>, tensor<4x3xui8>, tensor<2xui64>, tensor<4x3xui32>, tensor<2xui64>, tensor<4x3xui64>, tensor<2xui64>, tensor<3x5xui8>, tensor<2xui64>, tensor<3x5xui32>, tensor<2xui64>, tensor<3x5xui64>, tensor<2xui64>, tensor<ui8>, tensor<2xui64>, tensor<ui32>, tensor<2xui64>, tensor<ui64>) {
    %c = stablehlo.constant dense<[0, 42]> : tensor<2xui32>
    %c_0 = stablehlo.constant dense<[0, 42]> : tensor<2xui32>
    %c_1 = stablehlo.constant dense<[123456789012345, 18446744073709551614]> : tensor<2xui64>
    %c_2 = stablehlo.constant dense<[123456789012345, 18446744073709551614]> : tensor<2xui64>
    %c_3 = stablehlo.constant dense<[123456789012345, 18446744073709551614]> : tensor<2xui64>
    %c_4 = stablehlo.constant dense<[123456789012345, 18446744073709551614]> : tensor<2xui64>
    %c_5 = stablehlo.constant dense<[123456789012345, 18446744073709551614]> : tensor<2xui64>
    %c_6 = stablehlo.constant dense<[123456789012345, 18446744073709551614]> : tensor<2xui64>
    %c_7 = stablehlo.constant dense<[123456789012345, 18446744073709551614]> : tensor<2xui64>
    %c_8 = stablehlo.constant dense<[123456789012345, 18446744073709551614]> : tensor<2xui64>
    %c_9 = stablehlo.constant dense<[123456789012345, 18446744073709551614]> : tensor<2xui64>
    %c_10 = stablehlo.constant dense<[123456789012345, 18446744073709551614]> : tensor<2xui64>
    %c_11 = stablehlo.constant dense<[123456789012345, 18446744073709551614]> : tensor<2xui64>
    %c_12 = stablehlo.constant dense<[123456789012345, 18446744073709551614]> : tensor<2xui64>
    %c_13 = stablehlo.constant dense<[123456789012345, 18446744073709551614]> : tensor<2xui64>
    %c_14 = stablehlo.constant dense<[123456789012345, 18446744073709551614]> : tensor<2xui64>
    %c_15 = stablehlo.constant dense<[123456789012345, 18446744073709551614]> : tensor<2xui64>
    %c_16 = stablehlo.constant dense<[123456789012345, 18446744073709551614]> : tensor<2xui64>
    %c_17 = stablehlo.constant dense<[123456789012345, 18446744073709551614]> : tensor<2xui64>
    %c_18 = stablehlo.constant dense<[123456789012345, 18446744073709551614]> : tensor<2xui64>
    %c_19 = stablehlo.constant dense<[123456789012345, 18446744073709551614]> : tensor<2xui64>
    %c_20 = stablehlo.constant dense<[123456789012345, 18446744073709551614]> : tensor<2xui64>
    %c_21 = stablehlo.constant dense<[123456789012345, 18446744073709551614]> : tensor<2xui64>
    %c_22 = stablehlo.constant dense<[123456789012345, 18446744073709551614]> : tensor<2xui64>
    %c_23 = stablehlo.constant dense<[123456789012345, 18446744073709551614]> : tensor<2xui64>
    %c_24 = stablehlo.constant dense<[123456789012345, 18446744073709551614]> : tensor<2xui64>
    %c_25 = stablehlo.constant dense<[123456789012345, 18446744073709551614]> : tensor<2xui64>
    %c_26 = stablehlo.constant dense<[123456789012345, 18446744073709551614]> : tensor<2xui64>
    %c_27 = stablehlo.constant dense<[123456789012345, 18446744073709551614]> : tensor<2xui64>
    %c_28 = stablehlo.constant dense<[123456789012345, 18446744073709551614]> : tensor<2xui64>
    %c_29 = stablehlo.constant dense<[123456789012345, 18446744073709551614]> : tensor<2xui64>
    %c_30 = stablehlo.constant dense<[123456789012345, 18446744073709551614]> : tensor<2xui64>
    %c_31 = stablehlo.constant dense<[123456789012345, 18446744073709551614]> : tensor<2xui64>
    %c_32 = stablehlo.constant dense<[123456789012345, 18446744073709551614]> : tensor<2xui64>
    %c_33 = stablehlo.constant dense<[123456789012345, 18446744073709551614]> : tensor<2xui64>
    %c_34 = stablehlo.constant dense<[123456789012345, 18446744073709551614]> : tensor<2xui64>
    %c_35 = stablehlo.constant dense<[123456789012345, 18446744073709551614]> : tensor<2xui64>
    %c_36 = stablehlo.constant dense<[123456789012345, 18446744073709551614]> : tensor<2xui64>
    %0 = stablehlo.optimization_barrier %c : tensor<2xui32>
    %1 = call @_normal(%0) : (tensor<2xui32>) -> tensor<7xf64>
    %2 = stablehlo.optimization_barrier %c_0 : tensor<2xui32>
    %3 = stablehlo.iota dim = 0 : tensor<10xi64>
    %4 = call @_shuffle(%2, %3) : (tensor<2xui32>, tensor<10xi64>) -> tensor<10xi64>
    %5 = stablehlo.optimization_barrier %c_1 : tensor<2xui64>
    %output_state, %output = stablehlo.rng_bit_generator %5, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui8>)
    %6 = stablehlo.optimization_barrier %c_2 : tensor<2xui64>
    %output_state_37, %output_38 = stablehlo.rng_bit_generator %6, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui32>)
    %7 = stablehlo.optimization_barrier %c_3 : tensor<2xui64>
    %output_state_39, %output_40 = stablehlo.rng_bit_generator %7, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui64>)
    %8 = stablehlo.optimization_barrier %c_4 : tensor<2xui64>
    %output_state_41, %output_42 = stablehlo.rng_bit_generator %8, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4x3xui8>)
    %9 = stablehlo.optimization_barrier %c_5 : tensor<2xui64>
    %output_state_43, %output_44 = stablehlo.rng_bit_generator %9, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4x3xui32>)
    %10 = stablehlo.optimization_barrier %c_6 : tensor<2xui64>
    %output_state_45, %output_46 = stablehlo.rng_bit_generator %10, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4x3xui64>)
    %11 = stablehlo.optimization_barrier %c_7 : tensor<2xui64>
    %output_state_47, %output_48 = stablehlo.rng_bit_generator %11, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui8>)
    %12 = stablehlo.optimization_barrier %c_8 : tensor<2xui64>
    %output_state_49, %output_50 = stablehlo.rng_bit_generator %12, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui32>)
    %13 = stablehlo.optimization_barrier %c_9 : tensor<2xui64>
    %output_state_51, %output_52 = stablehlo.rng_bit_generator %13, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui64>)
    %14 = stablehlo.optimization_barrier %c_10 : tensor<2xui64>
    %output_state_53, %output_54 = stablehlo.rng_bit_generator %14, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<ui8>)
    %15 = stablehlo.optimization_barrier %c_11 : tensor<2xui64>
    %output_state_55, %output_56 = stablehlo.rng_bit_generator %15, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<ui32>)
    %16 = stablehlo.optimization_barrier %c_12 : tensor<2xui64>
    %output_state_57, %output_58 = stablehlo.rng_bit_generator %16, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<ui64>)
    %17 = stablehlo.optimization_barrier %c_13 : tensor<2xui64>
    %output_state_59, %output_60 = stablehlo.rng_bit_generator %17, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui8>)
    %18 = stablehlo.optimization_barrier %c_14 : tensor<2xui64>
    %output_state_61, %output_62 = stablehlo.rng_bit_generator %18, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui32>)
    %19 = stablehlo.optimization_barrier %c_15 : tensor<2xui64>
    %output_state_63, %output_64 = stablehlo.rng_bit_generator %19, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui64>)
    %20 = stablehlo.optimization_barrier %c_16 : tensor<2xui64>
    %output_state_65, %output_66 = stablehlo.rng_bit_generator %20, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4x3xui8>)
    %21 = stablehlo.optimization_barrier %c_17 : tensor<2xui64>
    %output_state_67, %output_68 = stablehlo.rng_bit_generator %21, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4x3xui32>)
    %22 = stablehlo.optimization_barrier %c_18 : tensor<2xui64>
    %output_state_69, %output_70 = stablehlo.rng_bit_generator %22, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4x3xui64>)
    %23 = stablehlo.optimization_barrier %c_19 : tensor<2xui64>
    %output_state_71, %output_72 = stablehlo.rng_bit_generator %23, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui8>)
    %24 = stablehlo.optimization_barrier %c_20 : tensor<2xui64>
    %output_state_73, %output_74 = stablehlo.rng_bit_generator %24, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui32>)
    %25 = stablehlo.optimization_barrier %c_21 : tensor<2xui64>
    %output_state_75, %output_76 = stablehlo.rng_bit_generator %25, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui64>)
    %26 = stablehlo.optimization_barrier %c_22 : tensor<2xui64>
    %output_state_77, %output_78 = stablehlo.rng_bit_generator %26, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<ui8>)
    %27 = stablehlo.optimization_barrier %c_23 : tensor<2xui64>
    %output_state_79, %output_80 = stablehlo.rng_bit_generator %27, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<ui32>)
    %28 = stablehlo.optimization_barrier %c_24 : tensor<2xui64>
    %output_state_81, %output_82 = stablehlo.rng_bit_generator %28, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<ui64>)
    %29 = stablehlo.optimization_barrier %c_25 : tensor<2xui64>
    %output_state_83, %output_84 = stablehlo.rng_bit_generator %29, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui8>)
    %30 = stablehlo.optimization_barrier %c_26 : tensor<2xui64>
    %output_state_85, %output_86 = stablehlo.rng_bit_generator %30, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui32>)
    %31 = stablehlo.optimization_barrier %c_27 : tensor<2xui64>
    %output_state_87, %output_88 = stablehlo.rng_bit_generator %31, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui64>)
    %32 = stablehlo.optimization_barrier %c_28 : tensor<2xui64>
    %output_state_89, %output_90 = stablehlo.rng_bit_generator %32, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4x3xui8>)
    %33 = stablehlo.optimization_barrier %c_29 : tensor<2xui64>
    %output_state_91, %output_92 = stablehlo.rng_bit_generator %33, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4x3xui32>)
    %34 = stablehlo.optimization_barrier %c_30 : tensor<2xui64>
    %output_state_93, %output_94 = stablehlo.rng_bit_generator %34, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4x3xui64>)
    %35 = stablehlo.optimization_barrier %c_31 : tensor<2xui64>
    %output_state_95, %output_96 = stablehlo.rng_bit_generator %35, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui8>)
    %36 = stablehlo.optimization_barrier %c_32 : tensor<2xui64>
    %output_state_97, %output_98 = stablehlo.rng_bit_generator %36, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui32>)
    %37 = stablehlo.optimization_barrier %c_33 : tensor<2xui64>
    %output_state_99, %output_100 = stablehlo.rng_bit_generator %37, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui64>)
    %38 = stablehlo.optimization_barrier %c_34 : tensor<2xui64>
    %output_state_101, %output_102 = stablehlo.rng_bit_generator %38, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<ui8>)
    %39 = stablehlo.optimization_barrier %c_35 : tensor<2xui64>
    %output_state_103, %output_104 = stablehlo.rng_bit_generator %39, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<ui32>)
    %40 = stablehlo.optimization_barrier %c_36 : tensor<2xui64>
    %output_state_105, %output_106 = stablehlo.rng_bit_generator %40, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<ui64>)
    return %1, %4, %output_state, %output, %output_state_37, %output_38, %output_state_39, %output_40, %output_state_41, %output_42, %output_state_43, %output_44, %output_state_45, %output_46, %output_state_47, %output_48, %output_state_49, %output_50, %output_state_51, %output_52, %output_state_53, %output_54, %output_state_55, %output_56, %output_state_57, %output_58, %output_state_59, %output_60, %output_state_61, %output_62, %output_state_63, %output_64, %output_state_65, %output_66, %output_state_67, %output_68, %output_state_69, %output_70, %output_state_71, %output_72, %output_state_73, %output_74, %output_state_75, %output_76, %output_state_77, %output_78, %output_state_79, %output_80, %output_state_81, %output_82, %output_state_83, %output_84, %output_state_85, %output_86, %output_state_87, %output_88, %output_state_89, %output_90, %output_state_91, %output_92, %output_state_93, %output_94, %output_state_95, %output_96, %output_state_97, %output_98, %output_state_99, %output_100, %output_state_101, %output_102, %output_state_103, %output_104, %output_state_105, %output_106 : tensor<7xf64>, tensor<10xi64>, tensor<2xui64>, tensor<5xui8>, tensor<2xui64>, tensor<5xui32>, tensor<2xui64>, tensor<5xui64>, tensor<2xui64>, tensor<4x3xui8>, tensor<2xui64>, tensor<4x3xui32>, tensor<2xui64>, tensor<4x3xui64>, tensor<2xui64>, tensor<3x5xui8>, tensor<2xui64>, tensor<3x5xui32>, tensor<2xui64>, tensor<3x5xui64>, tensor<2xui64>, tensor<ui8>, tensor<2xui64>, tensor<ui32>, tensor<2xui64>, tensor<ui64>, tensor<2xui64>, tensor<5xui8>, tensor<2xui64>, tensor<5xui32>, tensor<2xui64>, tensor<5xui64>, tensor<2xui64>, tensor<4x3xui8>, tensor<2xui64>, tensor<4x3xui32>, tensor<2xui64>, tensor<4x3xui64>, tensor<2xui64>, tensor<3x5xui8>, tensor<2xui64>, tensor<3x5xui32>, tensor<2xui64>, tensor<3x5xui64>, tensor<2xui64>, tensor<ui8>, tensor<2xui64>, tensor<ui32>, tensor<2xui64>, tensor<ui64>, tensor<2xui64>, tensor<5xui8>, tensor<2xui64>, tensor<5xui32>, tensor<2xui64>, tensor<5xui64>, tensor<2xui64>, tensor<4x3xui8>, tensor<2xui64>, tensor<4x3xui32>, tensor<2xui64>, tensor<4x3xui64>, tensor<2xui64>, tensor<3x5xui8>, tensor<2xui64>, tensor<3x5xui32>, tensor<2xui64>, tensor<3x5xui64>, tensor<2xui64>, tensor<ui8>, tensor<2xui64>, tensor<ui32>, tensor<2xui64>, tensor<ui64>
  }
  func.func private @_normal(%arg0: tensor<2xui32>) -> tensor<7xf64> {
    %0 = call @_normal_real(%arg0) : (tensor<2xui32>) -> tensor<7xf64>
    return %0 : tensor<7xf64>
  }
  func.func private @_normal_real(%arg0: tensor<2xui32>) -> tensor<7xf64> {
    %cst = stablehlo.constant dense<-0.99999999999999988> : tensor<f64>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %0 = call @_uniform(%arg0, %cst, %cst_0) : (tensor<2xui32>, tensor<f64>, tensor<f64>) -> tensor<7xf64>
    %1 = chlo.erf_inv %0 : tensor<7xf64> -> tensor<7xf64>
    %cst_1 = stablehlo.constant dense<1.4142135623730951> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %3 = stablehlo.multiply %2, %1 : tensor<7xf64>
    return %3 : tensor<7xf64>
  }
  func.func private @_uniform(%arg0: tensor<2xui32>, %arg1: tensor<f64>, %arg2: tensor<f64>) -> tensor<7xf64> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f64>) -> tensor<1xf64>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f64>) -> tensor<1xf64>
    %2 = stablehlo.slice %arg0 [0:1] : (tensor<2xui32>) -> tensor<1xui32>
    %3 = stablehlo.reshape %2 : (tensor<1xui32>) -> tensor<ui32>
    %4 = stablehlo.slice %arg0 [1:2] : (tensor<2xui32>) -> tensor<1xui32>
    %5 = stablehlo.reshape %4 : (tensor<1xui32>) -> tensor<ui32>
    %6 = stablehlo.iota dim = 0 : tensor<7xui64>
    %c = stablehlo.constant dense<1> : tensor<ui64>
    %7 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui64>) -> tensor<7xui64>
    %8 = stablehlo.multiply %7, %6 : tensor<7xui64>
    %c_0 = stablehlo.constant dense<32> : tensor<ui64>
    %9 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui64>) -> tensor<7xui64>
    %10 = stablehlo.shift_right_logical %8, %9 : tensor<7xui64>
    %11 = stablehlo.convert %8 : (tensor<7xui64>) -> tensor<7xui32>
    %12 = stablehlo.convert %10 : (tensor<7xui64>) -> tensor<7xui32>
    %13:2 = call @threefry2x32(%3, %5, %12, %11) : (tensor<ui32>, tensor<ui32>, tensor<7xui32>, tensor<7xui32>) -> (tensor<7xui32>, tensor<7xui32>)
    %14 = stablehlo.convert %13#0 : (tensor<7xui32>) -> tensor<7xui64>
    %15 = stablehlo.convert %13#1 : (tensor<7xui32>) -> tensor<7xui64>
    %c_1 = stablehlo.constant dense<32> : tensor<ui64>
    %16 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui64>) -> tensor<7xui64>
    %17 = stablehlo.shift_left %14, %16 : tensor<7xui64>
    %18 = stablehlo.or %17, %15 : tensor<7xui64>
    %c_2 = stablehlo.constant dense<12> : tensor<ui64>
    %19 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<ui64>) -> tensor<7xui64>
    %20 = stablehlo.shift_right_logical %18, %19 : tensor<7xui64>
    %c_3 = stablehlo.constant dense<4607182418800017408> : tensor<ui64>
    %21 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<ui64>) -> tensor<7xui64>
    %22 = stablehlo.or %20, %21 : tensor<7xui64>
    %23 = stablehlo.bitcast_convert %22 : (tensor<7xui64>) -> tensor<7xf64>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %24 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %25 = stablehlo.subtract %23, %24 : tensor<7xf64>
    %26 = stablehlo.subtract %1, %0 : tensor<1xf64>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0] : (tensor<1xf64>) -> tensor<7xf64>
    %28 = stablehlo.multiply %25, %27 : tensor<7xf64>
    %29 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<1xf64>) -> tensor<7xf64>
    %30 = stablehlo.add %28, %29 : tensor<7xf64>
    %31 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<1xf64>) -> tensor<7xf64>
    %32 = stablehlo.maximum %31, %30 : tensor<7xf64>
    return %32 : tensor<7xf64>
  }
  func.func private @threefry2x32(%arg0: tensor<ui32>, %arg1: tensor<ui32>, %arg2: tensor<7xui32>, %arg3: tensor<7xui32>) -> (tensor<7xui32>, tensor<7xui32>) {
    %c = stablehlo.constant dense<[13, 15, 26, 6]> : tensor<4xui32>
    %c_0 = stablehlo.constant dense<[17, 29, 16, 24]> : tensor<4xui32>
    %0 = stablehlo.xor %arg0, %arg1 : tensor<ui32>
    %c_1 = stablehlo.constant dense<466688986> : tensor<ui32>
    %1 = stablehlo.xor %0, %c_1 : tensor<ui32>
    %2 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<ui32>) -> tensor<7xui32>
    %3 = stablehlo.add %arg2, %2 : tensor<7xui32>
    %4 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<ui32>) -> tensor<7xui32>
    %5 = stablehlo.add %arg3, %4 : tensor<7xui32>
    %c_2 = stablehlo.constant dense<0> : tensor<i64>
    %c_3 = stablehlo.constant dense<0> : tensor<i64>
    %6:9 = stablehlo.while(%iterArg = %c_3, %iterArg_4 = %c_2, %iterArg_5 = %3, %iterArg_6 = %5, %iterArg_7 = %arg1, %iterArg_8 = %1, %iterArg_9 = %arg0, %iterArg_10 = %c, %iterArg_11 = %c_0) : tensor<i64>, tensor<i64>, tensor<7xui32>, tensor<7xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
    cond {
      %c_12 = stablehlo.constant dense<5> : tensor<i64>
      %7 = stablehlo.compare LT, %iterArg, %c_12, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %7 : tensor<i1>
    } do {
      %7:8 = func.call @closed_call(%iterArg_4, %iterArg_5, %iterArg_6, %iterArg_7, %iterArg_8, %iterArg_9, %iterArg_10, %iterArg_11) : (tensor<i64>, tensor<7xui32>, tensor<7xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i64>, tensor<7xui32>, tensor<7xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>)
      %c_12 = stablehlo.constant dense<1> : tensor<i64>
      %8 = stablehlo.add %iterArg, %c_12 : tensor<i64>
      stablehlo.return %8, %7#0, %7#1, %7#2, %7#3, %7#4, %7#5, %7#6, %7#7 : tensor<i64>, tensor<i64>, tensor<7xui32>, tensor<7xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
    }
    return %6#2, %6#3 : tensor<7xui32>, tensor<7xui32>
  }
  func.func private @closed_call(%arg0: tensor<i64>, %arg1: tensor<7xui32>, %arg2: tensor<7xui32>, %arg3: tensor<ui32>, %arg4: tensor<ui32>, %arg5: tensor<ui32>, %arg6: tensor<4xui32>, %arg7: tensor<4xui32>) -> (tensor<i64>, tensor<7xui32>, tensor<7xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) {
    %c = stablehlo.constant dense<1> : tensor<i64>
    %0 = stablehlo.add %arg0, %c : tensor<i64>
    %1 = stablehlo.slice %arg6 [0:1] : (tensor<4xui32>) -> tensor<1xui32>
    %2 = stablehlo.reshape %1 : (tensor<1xui32>) -> tensor<ui32>
    %3 = stablehlo.add %arg1, %arg2 : tensor<7xui32>
    %4 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<ui32>) -> tensor<7xui32>
    %5 = stablehlo.shift_left %arg2, %4 : tensor<7xui32>
    %c_0 = stablehlo.constant dense<32> : tensor<ui32>
    %6 = stablehlo.subtract %c_0, %2 : tensor<ui32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<ui32>) -> tensor<7xui32>
    %8 = stablehlo.shift_right_logical %arg2, %7 : tensor<7xui32>
    %9 = stablehlo.or %5, %8 : tensor<7xui32>
    %10 = stablehlo.xor %3, %9 : tensor<7xui32>
    %11 = stablehlo.slice %arg6 [1:2] : (tensor<4xui32>) -> tensor<1xui32>
    %12 = stablehlo.reshape %11 : (tensor<1xui32>) -> tensor<ui32>
    %13 = stablehlo.add %3, %10 : tensor<7xui32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<ui32>) -> tensor<7xui32>
    %15 = stablehlo.shift_left %10, %14 : tensor<7xui32>
    %c_1 = stablehlo.constant dense<32> : tensor<ui32>
    %16 = stablehlo.subtract %c_1, %12 : tensor<ui32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [] : (tensor<ui32>) -> tensor<7xui32>
    %18 = stablehlo.shift_right_logical %10, %17 : tensor<7xui32>
    %19 = stablehlo.or %15, %18 : tensor<7xui32>
    %20 = stablehlo.xor %13, %19 : tensor<7xui32>
    %21 = stablehlo.slice %arg6 [2:3] : (tensor<4xui32>) -> tensor<1xui32>
    %22 = stablehlo.reshape %21 : (tensor<1xui32>) -> tensor<ui32>
    %23 = stablehlo.add %13, %20 : tensor<7xui32>
    %24 = stablehlo.broadcast_in_dim %22, dims = [] : (tensor<ui32>) -> tensor<7xui32>
    %25 = stablehlo.shift_left %20, %24 : tensor<7xui32>
    %c_2 = stablehlo.constant dense<32> : tensor<ui32>
    %26 = stablehlo.subtract %c_2, %22 : tensor<ui32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<ui32>) -> tensor<7xui32>
    %28 = stablehlo.shift_right_logical %20, %27 : tensor<7xui32>
    %29 = stablehlo.or %25, %28 : tensor<7xui32>
    %30 = stablehlo.xor %23, %29 : tensor<7xui32>
    %31 = stablehlo.slice %arg6 [3:4] : (tensor<4xui32>) -> tensor<1xui32>
    %32 = stablehlo.reshape %31 : (tensor<1xui32>) -> tensor<ui32>
    %33 = stablehlo.add %23, %30 : tensor<7xui32>
    %34 = stablehlo.broadcast_in_dim %32, dims = [] : (tensor<ui32>) -> tensor<7xui32>
    %35 = stablehlo.shift_left %30, %34 : tensor<7xui32>
    %c_3 = stablehlo.constant dense<32> : tensor<ui32>
    %36 = stablehlo.subtract %c_3, %32 : tensor<ui32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [] : (tensor<ui32>) -> tensor<7xui32>
    %38 = stablehlo.shift_right_logical %30, %37 : tensor<7xui32>
    %39 = stablehlo.or %35, %38 : tensor<7xui32>
    %40 = stablehlo.xor %33, %39 : tensor<7xui32>
    %41 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<ui32>) -> tensor<7xui32>
    %42 = stablehlo.add %33, %41 : tensor<7xui32>
    %43 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<ui32>) -> tensor<7xui32>
    %44 = stablehlo.add %40, %43 : tensor<7xui32>
    %c_4 = stablehlo.constant dense<1> : tensor<i64>
    %45 = stablehlo.add %arg0, %c_4 : tensor<i64>
    %46 = stablehlo.convert %45 : (tensor<i64>) -> tensor<ui32>
    %47 = stablehlo.broadcast_in_dim %46, dims = [] : (tensor<ui32>) -> tensor<7xui32>
    %48 = stablehlo.add %44, %47 : tensor<7xui32>
    return %0, %42, %48, %arg4, %arg5, %arg3, %arg7, %arg6 : tensor<i64>, tensor<7xui32>, tensor<7xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
  }
  func.func private @_shuffle(%arg0: tensor<2xui32>, %arg1: tensor<10xi64>) -> tensor<10xi64> {
    %0 = call @_threefry_split(%arg0) : (tensor<2xui32>) -> tensor<2x2xui32>
    %1 = stablehlo.slice %0 [1:2, 0:2] : (tensor<2x2xui32>) -> tensor<1x2xui32>
    %2 = stablehlo.reshape %1 : (tensor<1x2xui32>) -> tensor<2xui32>
    %3 = stablehlo.slice %2 [0:1] : (tensor<2xui32>) -> tensor<1xui32>
    %4 = stablehlo.reshape %3 : (tensor<1xui32>) -> tensor<ui32>
    %5 = stablehlo.slice %2 [1:2] : (tensor<2xui32>) -> tensor<1xui32>
    %6 = stablehlo.reshape %5 : (tensor<1xui32>) -> tensor<ui32>
    %7 = stablehlo.iota dim = 0 : tensor<10xui64>
    %c = stablehlo.constant dense<1> : tensor<ui64>
    %8 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui64>) -> tensor<10xui64>
    %9 = stablehlo.multiply %8, %7 : tensor<10xui64>
    %c_0 = stablehlo.constant dense<32> : tensor<ui64>
    %10 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui64>) -> tensor<10xui64>
    %11 = stablehlo.shift_right_logical %9, %10 : tensor<10xui64>
    %12 = stablehlo.convert %9 : (tensor<10xui64>) -> tensor<10xui32>
    %13 = stablehlo.convert %11 : (tensor<10xui64>) -> tensor<10xui32>
    %14:2 = call @threefry2x32_2(%4, %6, %13, %12) : (tensor<ui32>, tensor<ui32>, tensor<10xui32>, tensor<10xui32>) -> (tensor<10xui32>, tensor<10xui32>)
    %15 = stablehlo.xor %14#0, %14#1 : tensor<10xui32>
    %16:2 = "stablehlo.sort"(%15, %arg1) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg2: tensor<ui32>, %arg3: tensor<ui32>, %arg4: tensor<i64>, %arg5: tensor<i64>):
      %17 = stablehlo.compare LT, %arg2, %arg3, UNSIGNED : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
      stablehlo.return %17 : tensor<i1>
    }) : (tensor<10xui32>, tensor<10xi64>) -> (tensor<10xui32>, tensor<10xi64>)
    return %16#1 : tensor<10xi64>
  }
  func.func private @_threefry_split(%arg0: tensor<2xui32>) -> tensor<2x2xui32> {
    %0 = stablehlo.slice %arg0 [0:1] : (tensor<2xui32>) -> tensor<1xui32>
    %1 = stablehlo.reshape %0 : (tensor<1xui32>) -> tensor<ui32>
    %2 = stablehlo.slice %arg0 [1:2] : (tensor<2xui32>) -> tensor<1xui32>
    %3 = stablehlo.reshape %2 : (tensor<1xui32>) -> tensor<ui32>
    %4 = stablehlo.iota dim = 0 : tensor<2xui64>
    %c = stablehlo.constant dense<1> : tensor<ui64>
    %5 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui64>) -> tensor<2xui64>
    %6 = stablehlo.multiply %5, %4 : tensor<2xui64>
    %c_0 = stablehlo.constant dense<32> : tensor<ui64>
    %7 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui64>) -> tensor<2xui64>
    %8 = stablehlo.shift_right_logical %6, %7 : tensor<2xui64>
    %9 = stablehlo.convert %6 : (tensor<2xui64>) -> tensor<2xui32>
    %10 = stablehlo.convert %8 : (tensor<2xui64>) -> tensor<2xui32>
    %11:2 = call @threefry2x32_0(%1, %3, %10, %9) : (tensor<ui32>, tensor<ui32>, tensor<2xui32>, tensor<2xui32>) -> (tensor<2xui32>, tensor<2xui32>)
    %12 = stablehlo.broadcast_in_dim %11#0, dims = [0] : (tensor<2xui32>) -> tensor<2x1xui32>
    %13 = stablehlo.broadcast_in_dim %11#1, dims = [0] : (tensor<2xui32>) -> tensor<2x1xui32>
    %14 = stablehlo.concatenate %12, %13, dim = 1 : (tensor<2x1xui32>, tensor<2x1xui32>) -> tensor<2x2xui32>
    return %14 : tensor<2x2xui32>
  }
  func.func private @threefry2x32_0(%arg0: tensor<ui32>, %arg1: tensor<ui32>, %arg2: tensor<2xui32>, %arg3: tensor<2xui32>) -> (tensor<2xui32>, tensor<2xui32>) {
    %c = stablehlo.constant dense<[13, 15, 26, 6]> : tensor<4xui32>
    %c_0 = stablehlo.constant dense<[17, 29, 16, 24]> : tensor<4xui32>
    %0 = stablehlo.xor %arg0, %arg1 : tensor<ui32>
    %c_1 = stablehlo.constant dense<466688986> : tensor<ui32>
    %1 = stablehlo.xor %0, %c_1 : tensor<ui32>
    %2 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %3 = stablehlo.add %arg2, %2 : tensor<2xui32>
    %4 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %5 = stablehlo.add %arg3, %4 : tensor<2xui32>
    %c_2 = stablehlo.constant dense<0> : tensor<i64>
    %c_3 = stablehlo.constant dense<0> : tensor<i64>
    %6:9 = stablehlo.while(%iterArg = %c_3, %iterArg_4 = %c_2, %iterArg_5 = %3, %iterArg_6 = %5, %iterArg_7 = %arg1, %iterArg_8 = %1, %iterArg_9 = %arg0, %iterArg_10 = %c, %iterArg_11 = %c_0) : tensor<i64>, tensor<i64>, tensor<2xui32>, tensor<2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
    cond {
      %c_12 = stablehlo.constant dense<5> : tensor<i64>
      %7 = stablehlo.compare LT, %iterArg, %c_12, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %7 : tensor<i1>
    } do {
      %7:8 = func.call @closed_call_1(%iterArg_4, %iterArg_5, %iterArg_6, %iterArg_7, %iterArg_8, %iterArg_9, %iterArg_10, %iterArg_11) : (tensor<i64>, tensor<2xui32>, tensor<2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i64>, tensor<2xui32>, tensor<2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>)
      %c_12 = stablehlo.constant dense<1> : tensor<i64>
      %8 = stablehlo.add %iterArg, %c_12 : tensor<i64>
      stablehlo.return %8, %7#0, %7#1, %7#2, %7#3, %7#4, %7#5, %7#6, %7#7 : tensor<i64>, tensor<i64>, tensor<2xui32>, tensor<2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
    }
    return %6#2, %6#3 : tensor<2xui32>, tensor<2xui32>
  }
  func.func private @closed_call_1(%arg0: tensor<i64>, %arg1: tensor<2xui32>, %arg2: tensor<2xui32>, %arg3: tensor<ui32>, %arg4: tensor<ui32>, %arg5: tensor<ui32>, %arg6: tensor<4xui32>, %arg7: tensor<4xui32>) -> (tensor<i64>, tensor<2xui32>, tensor<2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) {
    %c = stablehlo.constant dense<1> : tensor<i64>
    %0 = stablehlo.add %arg0, %c : tensor<i64>
    %1 = stablehlo.slice %arg6 [0:1] : (tensor<4xui32>) -> tensor<1xui32>
    %2 = stablehlo.reshape %1 : (tensor<1xui32>) -> tensor<ui32>
    %3 = stablehlo.add %arg1, %arg2 : tensor<2xui32>
    %4 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %5 = stablehlo.shift_left %arg2, %4 : tensor<2xui32>
    %c_0 = stablehlo.constant dense<32> : tensor<ui32>
    %6 = stablehlo.subtract %c_0, %2 : tensor<ui32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %8 = stablehlo.shift_right_logical %arg2, %7 : tensor<2xui32>
    %9 = stablehlo.or %5, %8 : tensor<2xui32>
    %10 = stablehlo.xor %3, %9 : tensor<2xui32>
    %11 = stablehlo.slice %arg6 [1:2] : (tensor<4xui32>) -> tensor<1xui32>
    %12 = stablehlo.reshape %11 : (tensor<1xui32>) -> tensor<ui32>
    %13 = stablehlo.add %3, %10 : tensor<2xui32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %15 = stablehlo.shift_left %10, %14 : tensor<2xui32>
    %c_1 = stablehlo.constant dense<32> : tensor<ui32>
    %16 = stablehlo.subtract %c_1, %12 : tensor<ui32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %18 = stablehlo.shift_right_logical %10, %17 : tensor<2xui32>
    %19 = stablehlo.or %15, %18 : tensor<2xui32>
    %20 = stablehlo.xor %13, %19 : tensor<2xui32>
    %21 = stablehlo.slice %arg6 [2:3] : (tensor<4xui32>) -> tensor<1xui32>
    %22 = stablehlo.reshape %21 : (tensor<1xui32>) -> tensor<ui32>
    %23 = stablehlo.add %13, %20 : tensor<2xui32>
    %24 = stablehlo.broadcast_in_dim %22, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %25 = stablehlo.shift_left %20, %24 : tensor<2xui32>
    %c_2 = stablehlo.constant dense<32> : tensor<ui32>
    %26 = stablehlo.subtract %c_2, %22 : tensor<ui32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %28 = stablehlo.shift_right_logical %20, %27 : tensor<2xui32>
    %29 = stablehlo.or %25, %28 : tensor<2xui32>
    %30 = stablehlo.xor %23, %29 : tensor<2xui32>
    %31 = stablehlo.slice %arg6 [3:4] : (tensor<4xui32>) -> tensor<1xui32>
    %32 = stablehlo.reshape %31 : (tensor<1xui32>) -> tensor<ui32>
    %33 = stablehlo.add %23, %30 : tensor<2xui32>
    %34 = stablehlo.broadcast_in_dim %32, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %35 = stablehlo.shift_left %30, %34 : tensor<2xui32>
    %c_3 = stablehlo.constant dense<32> : tensor<ui32>
    %36 = stablehlo.subtract %c_3, %32 : tensor<ui32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %38 = stablehlo.shift_right_logical %30, %37 : tensor<2xui32>
    %39 = stablehlo.or %35, %38 : tensor<2xui32>
    %40 = stablehlo.xor %33, %39 : tensor<2xui32>
    %41 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %42 = stablehlo.add %33, %41 : tensor<2xui32>
    %43 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %44 = stablehlo.add %40, %43 : tensor<2xui32>
    %c_4 = stablehlo.constant dense<1> : tensor<i64>
    %45 = stablehlo.add %arg0, %c_4 : tensor<i64>
    %46 = stablehlo.convert %45 : (tensor<i64>) -> tensor<ui32>
    %47 = stablehlo.broadcast_in_dim %46, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %48 = stablehlo.add %44, %47 : tensor<2xui32>
    return %0, %42, %48, %arg4, %arg5, %arg3, %arg7, %arg6 : tensor<i64>, tensor<2xui32>, tensor<2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
  }
  func.func private @threefry2x32_2(%arg0: tensor<ui32>, %arg1: tensor<ui32>, %arg2: tensor<10xui32>, %arg3: tensor<10xui32>) -> (tensor<10xui32>, tensor<10xui32>) {
    %c = stablehlo.constant dense<[13, 15, 26, 6]> : tensor<4xui32>
    %c_0 = stablehlo.constant dense<[17, 29, 16, 24]> : tensor<4xui32>
    %0 = stablehlo.xor %arg0, %arg1 : tensor<ui32>
    %c_1 = stablehlo.constant dense<466688986> : tensor<ui32>
    %1 = stablehlo.xor %0, %c_1 : tensor<ui32>
    %2 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<ui32>) -> tensor<10xui32>
    %3 = stablehlo.add %arg2, %2 : tensor<10xui32>
    %4 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<ui32>) -> tensor<10xui32>
    %5 = stablehlo.add %arg3, %4 : tensor<10xui32>
    %c_2 = stablehlo.constant dense<0> : tensor<i64>
    %c_3 = stablehlo.constant dense<0> : tensor<i64>
    %6:9 = stablehlo.while(%iterArg = %c_3, %iterArg_4 = %c_2, %iterArg_5 = %3, %iterArg_6 = %5, %iterArg_7 = %arg1, %iterArg_8 = %1, %iterArg_9 = %arg0, %iterArg_10 = %c, %iterArg_11 = %c_0) : tensor<i64>, tensor<i64>, tensor<10xui32>, tensor<10xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
    cond {
      %c_12 = stablehlo.constant dense<5> : tensor<i64>
      %7 = stablehlo.compare LT, %iterArg, %c_12, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %7 : tensor<i1>
    } do {
      %7:8 = func.call @closed_call_3(%iterArg_4, %iterArg_5, %iterArg_6, %iterArg_7, %iterArg_8, %iterArg_9, %iterArg_10, %iterArg_11) : (tensor<i64>, tensor<10xui32>, tensor<10xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i64>, tensor<10xui32>, tensor<10xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>)
      %c_12 = stablehlo.constant dense<1> : tensor<i64>
      %8 = stablehlo.add %iterArg, %c_12 : tensor<i64>
      stablehlo.return %8, %7#0, %7#1, %7#2, %7#3, %7#4, %7#5, %7#6, %7#7 : tensor<i64>, tensor<i64>, tensor<10xui32>, tensor<10xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
    }
    return %6#2, %6#3 : tensor<10xui32>, tensor<10xui32>
  }
  func.func private @closed_call_3(%arg0: tensor<i64>, %arg1: tensor<10xui32>, %arg2: tensor<10xui32>, %arg3: tensor<ui32>, %arg4: tensor<ui32>, %arg5: tensor<ui32>, %arg6: tensor<4xui32>, %arg7: tensor<4xui32>) -> (tensor<i64>, tensor<10xui32>, tensor<10xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) {
    %c = stablehlo.constant dense<1> : tensor<i64>
    %0 = stablehlo.add %arg0, %c : tensor<i64>
    %1 = stablehlo.slice %arg6 [0:1] : (tensor<4xui32>) -> tensor<1xui32>
    %2 = stablehlo.reshape %1 : (tensor<1xui32>) -> tensor<ui32>
    %3 = stablehlo.add %arg1, %arg2 : tensor<10xui32>
    %4 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<ui32>) -> tensor<10xui32>
    %5 = stablehlo.shift_left %arg2, %4 : tensor<10xui32>
    %c_0 = stablehlo.constant dense<32> : tensor<ui32>
    %6 = stablehlo.subtract %c_0, %2 : tensor<ui32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<ui32>) -> tensor<10xui32>
    %8 = stablehlo.shift_right_logical %arg2, %7 : tensor<10xui32>
    %9 = stablehlo.or %5, %8 : tensor<10xui32>
    %10 = stablehlo.xor %3, %9 : tensor<10xui32>
    %11 = stablehlo.slice %arg6 [1:2] : (tensor<4xui32>) -> tensor<1xui32>
    %12 = stablehlo.reshape %11 : (tensor<1xui32>) -> tensor<ui32>
    %13 = stablehlo.add %3, %10 : tensor<10xui32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<ui32>) -> tensor<10xui32>
    %15 = stablehlo.shift_left %10, %14 : tensor<10xui32>
    %c_1 = stablehlo.constant dense<32> : tensor<ui32>
    %16 = stablehlo.subtract %c_1, %12 : tensor<ui32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [] : (tensor<ui32>) -> tensor<10xui32>
    %18 = stablehlo.shift_right_logical %10, %17 : tensor<10xui32>
    %19 = stablehlo.or %15, %18 : tensor<10xui32>
    %20 = stablehlo.xor %13, %19 : tensor<10xui32>
    %21 = stablehlo.slice %arg6 [2:3] : (tensor<4xui32>) -> tensor<1xui32>
    %22 = stablehlo.reshape %21 : (tensor<1xui32>) -> tensor<ui32>
    %23 = stablehlo.add %13, %20 : tensor<10xui32>
    %24 = stablehlo.broadcast_in_dim %22, dims = [] : (tensor<ui32>) -> tensor<10xui32>
    %25 = stablehlo.shift_left %20, %24 : tensor<10xui32>
    %c_2 = stablehlo.constant dense<32> : tensor<ui32>
    %26 = stablehlo.subtract %c_2, %22 : tensor<ui32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<ui32>) -> tensor<10xui32>
    %28 = stablehlo.shift_right_logical %20, %27 : tensor<10xui32>
    %29 = stablehlo.or %25, %28 : tensor<10xui32>
    %30 = stablehlo.xor %23, %29 : tensor<10xui32>
    %31 = stablehlo.slice %arg6 [3:4] : (tensor<4xui32>) -> tensor<1xui32>
    %32 = stablehlo.reshape %31 : (tensor<1xui32>) -> tensor<ui32>
    %33 = stablehlo.add %23, %30 : tensor<10xui32>
    %34 = stablehlo.broadcast_in_dim %32, dims = [] : (tensor<ui32>) -> tensor<10xui32>
    %35 = stablehlo.shift_left %30, %34 : tensor<10xui32>
    %c_3 = stablehlo.constant dense<32> : tensor<ui32>
    %36 = stablehlo.subtract %c_3, %32 : tensor<ui32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [] : (tensor<ui32>) -> tensor<10xui32>
    %38 = stablehlo.shift_right_logical %30, %37 : tensor<10xui32>
    %39 = stablehlo.or %35, %38 : tensor<10xui32>
    %40 = stablehlo.xor %33, %39 : tensor<10xui32>
    %41 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<ui32>) -> tensor<10xui32>
    %42 = stablehlo.add %33, %41 : tensor<10xui32>
    %43 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<ui32>) -> tensor<10xui32>
    %44 = stablehlo.add %40, %43 : tensor<10xui32>
    %c_4 = stablehlo.constant dense<1> : tensor<i64>
    %45 = stablehlo.add %arg0, %c_4 : tensor<i64>
    %46 = stablehlo.convert %45 : (tensor<i64>) -> tensor<ui32>
    %47 = stablehlo.broadcast_in_dim %46, dims = [] : (tensor<ui32>) -> tensor<10xui32>
    %48 = stablehlo.add %44, %47 : tensor<10xui32>
    return %0, %42, %48, %arg4, %arg5, %arg3, %arg7, %arg6 : tensor<i64>, tensor<10xui32>, tensor<10xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
  }
}
