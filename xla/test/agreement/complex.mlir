module {
  func.func public @main() -> (tensor<6xf32>, tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>, tensor<6xf32>, tensor<6xf32>, tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>) {
    %cst = stablehlo.constant dense<[(1.76405239,0.950088441), (0.400157213,-0.151357204), (9.787380e-01,-0.103218853), (2.24089313,0.410598516), (1.867558,0.144043565), (-0.977277874,1.45427346)]> : tensor<6xcomplex<f32>>
    %cst_0 = stablehlo.constant dense<[(-0.977277874,1.45427346), (1.867558,0.144043565), (2.24089313,0.410598516), (9.787380e-01,-0.103218853), (0.400157213,-0.151357204), (1.76405239,0.950088441)]> : tensor<6xcomplex<f32>>
    %cst_1 = stablehlo.constant dense<[(-0.977277874,1.45427346), (1.867558,0.144043565), (2.24089313,0.410598516), (9.787380e-01,-0.103218853), (0.400157213,-0.151357204), (1.76405239,0.950088441)]> : tensor<6xcomplex<f32>>
    %cst_2 = stablehlo.constant dense<[(-0.977277874,1.45427346), (1.867558,0.144043565), (2.24089313,0.410598516), (9.787380e-01,-0.103218853), (0.400157213,-0.151357204), (1.76405239,0.950088441)]> : tensor<6xcomplex<f32>>
    %cst_3 = stablehlo.constant dense<[(-0.977277874,1.45427346), (1.867558,0.144043565), (2.24089313,0.410598516), (9.787380e-01,-0.103218853), (0.400157213,-0.151357204), (1.76405239,0.950088441)]> : tensor<6xcomplex<f32>>
    %cst_4 = stablehlo.constant dense<[(-0.977277874,1.45427346), (1.867558,0.144043565), (2.24089313,0.410598516), (9.787380e-01,-0.103218853), (0.400157213,-0.151357204), (1.76405239,0.950088441)]> : tensor<6xcomplex<f32>>
    %0 = stablehlo.optimization_barrier %cst : tensor<6xcomplex<f32>>
    %1 = stablehlo.abs %0 : (tensor<6xcomplex<f32>>) -> tensor<6xf32>
    %2 = stablehlo.optimization_barrier %cst : tensor<6xcomplex<f32>>
    %3 = stablehlo.exponential %2 : tensor<6xcomplex<f32>>
    %4 = stablehlo.optimization_barrier %cst : tensor<6xcomplex<f32>>
    %5 = stablehlo.log %4 : tensor<6xcomplex<f32>>
    %6 = stablehlo.optimization_barrier %cst : tensor<6xcomplex<f32>>
    %7 = stablehlo.sqrt %6 : tensor<6xcomplex<f32>>
    %8 = stablehlo.optimization_barrier %cst : tensor<6xcomplex<f32>>
    %9 = stablehlo.rsqrt %8 : tensor<6xcomplex<f32>>
    %10 = stablehlo.optimization_barrier %cst : tensor<6xcomplex<f32>>
    %11 = stablehlo.real %10 : (tensor<6xcomplex<f32>>) -> tensor<6xf32>
    %12 = stablehlo.imag %10 : (tensor<6xcomplex<f32>>) -> tensor<6xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %14 = stablehlo.compare EQ, %11, %13, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %15 = stablehlo.sine %11 : tensor<6xf32>
    %16 = stablehlo.cosine %11 : tensor<6xf32>
    %17 = stablehlo.exponential_minus_one %12 : tensor<6xf32>
    %18 = stablehlo.negate %12 : tensor<6xf32>
    %19 = stablehlo.exponential_minus_one %18 : tensor<6xf32>
    %20 = stablehlo.subtract %17, %19 : tensor<6xf32>
    %cst_6 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %22 = stablehlo.divide %20, %21 : tensor<6xf32>
    %23 = stablehlo.add %17, %19 : tensor<6xf32>
    %cst_7 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %25 = stablehlo.add %23, %24 : tensor<6xf32>
    %cst_8 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %27 = stablehlo.divide %25, %26 : tensor<6xf32>
    %28 = stablehlo.multiply %15, %27 : tensor<6xf32>
    %29 = stablehlo.multiply %16, %22 : tensor<6xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %31 = stablehlo.complex %30, %29 : tensor<6xcomplex<f32>>
    %32 = stablehlo.complex %28, %29 : tensor<6xcomplex<f32>>
    %33 = stablehlo.select %14, %31, %32 : tensor<6xi1>, tensor<6xcomplex<f32>>
    %34 = stablehlo.optimization_barrier %cst : tensor<6xcomplex<f32>>
    %35 = stablehlo.real %34 : (tensor<6xcomplex<f32>>) -> tensor<6xf32>
    %36 = stablehlo.imag %34 : (tensor<6xcomplex<f32>>) -> tensor<6xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %38 = stablehlo.compare EQ, %35, %37, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %39 = stablehlo.sine %35 : tensor<6xf32>
    %40 = stablehlo.cosine %35 : tensor<6xf32>
    %41 = stablehlo.exponential_minus_one %36 : tensor<6xf32>
    %42 = stablehlo.negate %36 : tensor<6xf32>
    %43 = stablehlo.exponential_minus_one %42 : tensor<6xf32>
    %44 = stablehlo.subtract %41, %43 : tensor<6xf32>
    %cst_11 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %45 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %46 = stablehlo.divide %44, %45 : tensor<6xf32>
    %47 = stablehlo.add %41, %43 : tensor<6xf32>
    %cst_12 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %48 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %49 = stablehlo.add %47, %48 : tensor<6xf32>
    %cst_13 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %50 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %51 = stablehlo.divide %49, %50 : tensor<6xf32>
    %52 = stablehlo.multiply %40, %51 : tensor<6xf32>
    %53 = stablehlo.negate %39 : tensor<6xf32>
    %54 = stablehlo.multiply %53, %46 : tensor<6xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %55 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %56 = stablehlo.complex %52, %55 : tensor<6xcomplex<f32>>
    %57 = stablehlo.complex %52, %54 : tensor<6xcomplex<f32>>
    %58 = stablehlo.select %38, %56, %57 : tensor<6xi1>, tensor<6xcomplex<f32>>
    %59 = stablehlo.optimization_barrier %cst : tensor<6xcomplex<f32>>
    %60 = stablehlo.tanh %59 : tensor<6xcomplex<f32>>
    %61 = stablehlo.optimization_barrier %cst : tensor<6xcomplex<f32>>
    %62 = stablehlo.sign %61 : tensor<6xcomplex<f32>>
    %63 = stablehlo.optimization_barrier %cst : tensor<6xcomplex<f32>>
    %64 = stablehlo.negate %63 : tensor<6xcomplex<f32>>
    %65 = stablehlo.optimization_barrier %cst : tensor<6xcomplex<f32>>
    %66 = stablehlo.real %65 : (tensor<6xcomplex<f32>>) -> tensor<6xf32>
    %67 = stablehlo.optimization_barrier %cst : tensor<6xcomplex<f32>>
    %68 = stablehlo.imag %67 : (tensor<6xcomplex<f32>>) -> tensor<6xf32>
    %69 = stablehlo.optimization_barrier %cst : tensor<6xcomplex<f32>>
    %70 = stablehlo.real %69 : (tensor<6xcomplex<f32>>) -> tensor<6xf32>
    %71 = stablehlo.imag %69 : (tensor<6xcomplex<f32>>) -> tensor<6xf32>
    %72 = stablehlo.negate %71 : tensor<6xf32>
    %73 = stablehlo.complex %70, %72 : tensor<6xcomplex<f32>>
    %74 = stablehlo.optimization_barrier %cst : tensor<6xcomplex<f32>>
    %75 = stablehlo.exponential_minus_one %74 : tensor<6xcomplex<f32>>
    %76 = stablehlo.optimization_barrier %cst : tensor<6xcomplex<f32>>
    %77 = stablehlo.log_plus_one %76 : tensor<6xcomplex<f32>>
    %78 = stablehlo.optimization_barrier %cst : tensor<6xcomplex<f32>>
    %79 = chlo.sinh %78 : tensor<6xcomplex<f32>> -> tensor<6xcomplex<f32>>
    %80 = stablehlo.optimization_barrier %cst : tensor<6xcomplex<f32>>
    %81 = chlo.cosh %80 : tensor<6xcomplex<f32>> -> tensor<6xcomplex<f32>>
    %82 = stablehlo.optimization_barrier %cst : tensor<6xcomplex<f32>>
    %83 = chlo.square %82 : tensor<6xcomplex<f32>> -> tensor<6xcomplex<f32>>
    %84:2 = stablehlo.optimization_barrier %cst, %cst_0 : tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>
    %85 = stablehlo.add %84#0, %84#1 : tensor<6xcomplex<f32>>
    %86:2 = stablehlo.optimization_barrier %cst, %cst_1 : tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>
    %87 = stablehlo.subtract %86#0, %86#1 : tensor<6xcomplex<f32>>
    %88:2 = stablehlo.optimization_barrier %cst, %cst_2 : tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>
    %89 = stablehlo.multiply %88#0, %88#1 : tensor<6xcomplex<f32>>
    %90:2 = stablehlo.optimization_barrier %cst, %cst_3 : tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>
    %91 = stablehlo.divide %90#0, %90#1 : tensor<6xcomplex<f32>>
    %92:2 = stablehlo.optimization_barrier %cst, %cst_4 : tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>
    %93 = stablehlo.power %92#0, %92#1 : tensor<6xcomplex<f32>>
    return %1, %3, %5, %7, %9, %33, %58, %60, %62, %64, %66, %68, %73, %75, %77, %79, %81, %83, %85, %87, %89, %91, %93 : tensor<6xf32>, tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>, tensor<6xf32>, tensor<6xf32>, tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>
  }
}
