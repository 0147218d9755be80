module {
  func.func public @main() -> (tensor<5x4xf32>, tensor<3xf32>, tensor<6x2xf32>, tensor<6x4xf32>, tensor<6x4xf32>, tensor<6x4xf32>, tensor<2x2xf32>, tensor<5x6xf32>, tensor<8x9xf32>, tensor<3x4xf32>, tensor<3x6xf32>, tensor<2x3x4xf32>, tensor<2x4xf32>, tensor<4xf32>, tensor<10xf32>) {
    %cst = stablehlo.constant dense<[[-0.507517576, -1.05188012, 2.49720049, -2.24532175], [0.564008534, -1.28455234, -0.104343489, -0.988001942], [-1.17762899, -1.14019632, 1.75498617, -0.132988423], [-0.765702188, 0.555786967, 0.0103493147, 0.720033765], [-1.82425666, 0.303603917, 0.772694826, -1.66159832], [0.448195279, 1.69618154, -0.0148577038, 0.821405947]]> : tensor<6x4xf32>
    %c = stablehlo.constant dense<[0, 3, 5, -1, 9]> : tensor<5xi64>
    %cst_0 = stablehlo.constant dense<[[0.670570433, -0.707505702, 0.0397667363, -1.56699467], [-0.451303035, 0.265687972, 0.723100483, 0.024612125], [0.719983756, -1.10290623, -0.101697274, 0.019279385], [1.84959126, -0.214166656, -0.499016643, 0.0213512238], [-0.919113457, 0.192753851, -0.365055203, -1.7913276], [-0.0585865527, -0.317543089, -1.63242328, -0.0671341568]]> : tensor<6x4xf32>
    %c_1 = stablehlo.constant dense<[0, 3, 5]> : tensor<3xi64>
    %c_2 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi64>
    %cst_3 = stablehlo.constant dense<[[1.48935592, 0.521303773, 0.611927211, -1.34149671], [0.476898372, 0.148449585, 0.529045224, 0.422628611], [-1.35978067, -0.0414008126, -0.757870852, -0.0500840954], [-0.897400915, 1.31247032, -0.85897237, -0.898942172], [0.0745864064, -1.07709908, -0.424663305, -0.829964578], [1.41117203, 0.785803854, -0.057469517, -0.391217053]]> : tensor<6x4xf32>
    %c_4 = stablehlo.constant dense<[[3, 1], [2, 0], [0, 1], [1, 2], [0, 3], [3, 3]]> : tensor<6x2xi64>
    %cst_5 = stablehlo.constant dense<[[-1.688230e+00, -0.112465985, -0.532489896, 0.645055294], [1.01184249, -0.657951056, 0.46838522, 1.73587894], [-0.667712748, 1.68192172, -0.852585852, 0.0229597557], [-0.0111456122, 1.149890e-02, -8.376780e-01, -0.591183126], [-0.667720258, 0.32696259, 0.33003512, 2.22594428], [1.37098897, -0.50984323, 0.324869603, 0.997117996]]> : tensor<6x4xf32>
    %c_6 = stablehlo.constant dense<[0, 3, 9]> : tensor<3xi64>
    %cst_7 = stablehlo.constant dense<[[0.0306018237, -0.0696415752, 0.0515749417, 0.867276608], [-0.848320543, -0.325669467, 0.470433146, 0.311447084], [0.239582762, -0.369801164, 0.972535789, 2.13386822]]> : tensor<3x4xf32>
    %cst_8 = stablehlo.constant dense<[[0.406415492, -0.193176702, 0.755740284, -0.539132655], [-0.749690353, 0.0328087471, -2.58279657, -1.15395033], [-0.347961843, -1.35338891, -1.03264308, -0.436748326], [-1.64296532, -0.406071782, -0.535270154, 0.0254052076], [1.15418398, 0.17250441, 0.0210620221, 0.099454455], [0.227392778, -1.01673865, -0.114775322, 0.308751255]]> : tensor<6x4xf32>
    %c_9 = stablehlo.constant dense<[0, 3, 3]> : tensor<3xi64>
    %cst_10 = stablehlo.constant dense<[[-1.370760e+00, 0.865652918, 1.08137608, -0.631375968], [-0.241337791, -0.878190338, 0.699380457, -1.06122231], [-2.224770e-01, -0.858919918, 0.0509542786, -1.79422927]]> : tensor<3x4xf32>
    %cst_11 = stablehlo.constant dense<[[1.32646167, -0.964606404, 0.0598946847, -0.212523043], [-0.762114524, -0.887780129, 0.936398565, -0.525640607], [0.271170199, -0.801496863, -0.647181451, 0.472247154], [0.930408477, -0.175316408, -1.42191982, 1.99795604], [-0.856549322, -1.54158735, 2.59442449, -0.40403229], [-1.46173275, -0.683439791, 0.367544889, 0.190311551]]> : tensor<6x4xf32>
    %c_12 = stablehlo.constant dense<[0, 3, 3]> : tensor<3xi64>
    %cst_13 = stablehlo.constant dense<[-0.851729214, 1.82272363, -0.521579683]> : tensor<3xf32>
    %cst_14 = stablehlo.constant dense<[[-1.18468654, 0.960693418, 1.32906282, -0.817493081, -1.40134728, 1.0304383], [-2.0473237, -1.22662163, 0.967446148, -0.0553525463, -0.263937354, 0.352816612], [-0.152774423, -1.29868674, 1.27607536, 1.325014, 0.205332562, 0.0451340154], [2.33962488, -0.276432842, -0.259576976, 0.364481241, 1.47132194, 1.5927707], [-0.258572638, 0.308331251, -1.37808347, -0.311976105, -0.840290367, -1.00683177]]> : tensor<5x6xf32>
    %cst_15 = stablehlo.constant dense<[[1.68157673, -0.792286634, -0.531605899, 0.36584878, 1.29782522, 0.481115133], [2.75935507, -0.0746679753, 0.258716434, 0.275600672, 1.43504941, 0.507238925], [-0.116229698, -0.947488605, 0.244443461, 1.40134478, -0.410381794, 0.528943598], [0.246147782, 0.863519669, -0.80475372, 2.34664702, -1.2791611, -0.365551084], [0.938092529, 0.296733171, 0.829986155, -0.496102333, -0.074804984, 0.0122319832]]> : tensor<5x6xf32>
    %cst_16 = stablehlo.constant dense<[[1.56925964, 0.690429031], [0.796672106, -0.657926082]]> : tensor<2x2xf32>
    %cst_17 = stablehlo.constant dense<[[0.96888262, 0.225581661, 1.38914537, 2.01406026], [-0.306765765, -0.406303138, -0.864044964, -0.143579513], [-0.38202545, 0.359504402, -0.144566819, -0.361599267]]> : tensor<3x4xf32>
    %cst_18 = stablehlo.constant dense<[[1.06458509, -0.937880218, 0.433107942, -0.405941725], [0.724368512, 1.38526154, -0.303098261, 0.441032916], [0.178792864, -0.799422383, 0.240787506, 0.289120495]]> : tensor<3x4xf32>
    %cst_19 = stablehlo.constant dense<[[0.412870824, -0.198398903, 9.419230e-02, -1.1476109], [-0.358114064, 0.555962682, 0.892473876, -0.422314823], [0.104714029, 0.228053331, 0.201479942, 0.540773571]]> : tensor<3x4xf32>
    %cst_20 = stablehlo.constant dense<[[-1.81807768, -0.0493240692], [0.239033595, -1.00033033], [1.67398572, 0.161559269]]> : tensor<3x2xf32>
    %cst_21 = stablehlo.constant dense<[[[1.5634048, -0.790522992], [-0.907300114, 0.224252224], [-1.67868841, 0.214965597], [0.0972192287, 1.01566529]], [[0.701041341, -0.41747734], [-1.09749663, 1.71230519], [-0.792115032, -1.0455246], [-1.08485603, 1.11730528]], [[-0.518900216, -0.753704488], [0.137689829, -0.206944704], [-0.67809546, 0.753991485], [1.06531549, 0.985317528]]]> : tensor<3x4x2xf32>
    %cst_22 = stablehlo.constant dense<[[0.766919672, 0.402625531, -1.77588797, 1.66925085], [0.301989198, 0.608156443, 1.11496234, 1.43335247], [0.418398023, 0.43554616, -0.599224269, 0.0330897495], [-0.854161262, -0.719940543, -0.893574416, -0.15602389], [1.04909325, 3.17097473, 0.189499632, -1.34841311], [1.2649833, -0.300783873, -0.660608589, 0.209849477]]> : tensor<6x4xf32>
    %c_23 = stablehlo.constant dense<[false, true, true, true]> : tensor<4xi1>
    %cst_24 = stablehlo.constant dense<[-1.24062455, 0.0674922541, 0.0163380839, 0.284314513]> : tensor<4xf32>
    %cst_25 = stablehlo.constant dense<[0.415400624, -1.03148246, -1.42999125, -0.0616380535]> : tensor<4xf32>
    %cst_26 = stablehlo.constant dense<[-1.43273544, 0.0875314697, 0.938746869, 0.607111692, -1.04817045, -0.860262453, 0.328301281, -0.401297808, -0.316655308, 0.596906483]> : tensor<10xf32>
    %0:2 = stablehlo.optimization_barrier %cst, %c : tensor<6x4xf32>, tensor<5xi64>
    %c_27 = stablehlo.constant dense<0> : tensor<i64>
    %1 = stablehlo.broadcast_in_dim %c_27, dims = [] : (tensor<i64>) -> tensor<5xi64>
    %2 = stablehlo.compare LT, %0#1, %1, SIGNED : (tensor<5xi64>, tensor<5xi64>) -> tensor<5xi1>
    %c_28 = stablehlo.constant dense<6> : tensor<i64>
    %3 = stablehlo.broadcast_in_dim %c_28, dims = [] : (tensor<i64>) -> tensor<5xi64>
    %4 = stablehlo.add %0#1, %3 : tensor<5xi64>
    %5 = stablehlo.select %2, %4, %0#1 : tensor<5xi1>, tensor<5xi64>
    %6 = stablehlo.convert %5 : (tensor<5xi64>) -> tensor<5xi32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<5xi32>) -> tensor<5x1xi32>
    %8 = "stablehlo.gather"(%0#0, %7) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4>}> : (tensor<6x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>
    %9:3 = stablehlo.optimization_barrier %cst_0, %c_1, %c_2 : tensor<6x4xf32>, tensor<3xi64>, tensor<3xi64>
    %c_29 = stablehlo.constant dense<0> : tensor<i64>
    %10 = stablehlo.broadcast_in_dim %c_29, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %11 = stablehlo.compare LT, %9#1, %10, SIGNED : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
    %c_30 = stablehlo.constant dense<6> : tensor<i64>
    %12 = stablehlo.broadcast_in_dim %c_30, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %13 = stablehlo.add %9#1, %12 : tensor<3xi64>
    %14 = stablehlo.select %11, %13, %9#1 : tensor<3xi1>, tensor<3xi64>
    %c_31 = stablehlo.constant dense<0> : tensor<i64>
    %15 = stablehlo.broadcast_in_dim %c_31, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %16 = stablehlo.compare LT, %9#2, %15, SIGNED : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
    %c_32 = stablehlo.constant dense<4> : tensor<i64>
    %17 = stablehlo.broadcast_in_dim %c_32, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %18 = stablehlo.add %9#2, %17 : tensor<3xi64>
    %19 = stablehlo.select %16, %18, %9#2 : tensor<3xi1>, tensor<3xi64>
    %20 = stablehlo.convert %14 : (tensor<3xi64>) -> tensor<3xi32>
    %21 = stablehlo.convert %19 : (tensor<3xi64>) -> tensor<3xi32>
    %22 = stablehlo.broadcast_in_dim %20, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %23 = stablehlo.broadcast_in_dim %21, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %24 = stablehlo.concatenate %22, %23, dim = 1 : (tensor<3x1xi32>, tensor<3x1xi32>) -> tensor<3x2xi32>
    %25 = "stablehlo.gather"(%9#0, %24) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<6x4xf32>, tensor<3x2xi32>) -> tensor<3xf32>
    %26:2 = stablehlo.optimization_barrier %cst_3, %c_4 : tensor<6x4xf32>, tensor<6x2xi64>
    %27 = call @take_along_axis(%26#0, %26#1) : (tensor<6x4xf32>, tensor<6x2xi64>) -> tensor<6x2xf32>
    %28:3 = stablehlo.optimization_barrier %cst_5, %c_6, %cst_7 : tensor<6x4xf32>, tensor<3xi64>, tensor<3x4xf32>
    %c_33 = stablehlo.constant dense<0> : tensor<i64>
    %29 = stablehlo.broadcast_in_dim %c_33, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %30 = stablehlo.compare LT, %28#1, %29, SIGNED : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
    %c_34 = stablehlo.constant dense<6> : tensor<i64>
    %31 = stablehlo.broadcast_in_dim %c_34, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %32 = stablehlo.add %28#1, %31 : tensor<3xi64>
    %33 = stablehlo.select %30, %32, %28#1 : tensor<3xi1>, tensor<3xi64>
    %34 = stablehlo.convert %33 : (tensor<3xi64>) -> tensor<3xi32>
    %35 = stablehlo.broadcast_in_dim %34, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %36 = "stablehlo.scatter"(%28#0, %35, %28#2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
      stablehlo.return %arg1 : tensor<f32>
    }) : (tensor<6x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>) -> tensor<6x4xf32>
    %37:3 = stablehlo.optimization_barrier %cst_8, %c_9, %cst_10 : tensor<6x4xf32>, tensor<3xi64>, tensor<3x4xf32>
    %c_35 = stablehlo.constant dense<0> : tensor<i64>
    %38 = stablehlo.broadcast_in_dim %c_35, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %39 = stablehlo.compare LT, %37#1, %38, SIGNED : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
    %c_36 = stablehlo.constant dense<6> : tensor<i64>
    %40 = stablehlo.broadcast_in_dim %c_36, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %41 = stablehlo.add %37#1, %40 : tensor<3xi64>
    %42 = stablehlo.select %39, %41, %37#1 : tensor<3xi1>, tensor<3xi64>
    %43 = stablehlo.convert %42 : (tensor<3xi64>) -> tensor<3xi32>
    %44 = stablehlo.broadcast_in_dim %43, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %45 = "stablehlo.scatter"(%37#0, %44, %37#2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
      %90 = stablehlo.add %arg0, %arg1 : tensor<f32>
      stablehlo.return %90 : tensor<f32>
    }) : (tensor<6x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>) -> tensor<6x4xf32>
    %46:3 = stablehlo.optimization_barrier %cst_11, %c_12, %cst_13 : tensor<6x4xf32>, tensor<3xi64>, tensor<3xf32>
    %c_37 = stablehlo.constant dense<0> : tensor<i64>
    %47 = stablehlo.broadcast_in_dim %c_37, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %48 = stablehlo.compare LT, %46#1, %47, SIGNED : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
    %c_38 = stablehlo.constant dense<6> : tensor<i64>
    %49 = stablehlo.broadcast_in_dim %c_38, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %50 = stablehlo.add %46#1, %49 : tensor<3xi64>
    %51 = stablehlo.select %48, %50, %46#1 : tensor<3xi1>, tensor<3xi64>
    %c_39 = stablehlo.constant dense<1> : tensor<i64>
    %52 = stablehlo.broadcast_in_dim %c_39, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %53 = stablehlo.convert %51 : (tensor<3xi64>) -> tensor<3xi32>
    %54 = stablehlo.convert %52 : (tensor<3xi64>) -> tensor<3xi32>
    %55 = stablehlo.broadcast_in_dim %53, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %56 = stablehlo.broadcast_in_dim %54, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %57 = stablehlo.concatenate %55, %56, dim = 1 : (tensor<3x1xi32>, tensor<3x1xi32>) -> tensor<3x2xi32>
    %58 = "stablehlo.scatter"(%46#0, %57, %46#2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
      %90 = stablehlo.maximum %arg0, %arg1 : tensor<f32>
      stablehlo.return %90 : tensor<f32>
    }) : (tensor<6x4xf32>, tensor<3x2xi32>, tensor<3xf32>) -> tensor<6x4xf32>
    %c_40 = stablehlo.constant dense<4> : tensor<i32>
    %59:2 = stablehlo.optimization_barrier %cst_14, %c_40 : tensor<5x6xf32>, tensor<i32>
    %c_41 = stablehlo.constant dense<0> : tensor<i32>
    %60 = stablehlo.compare LT, %59#1, %c_41, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_42 = stablehlo.constant dense<5> : tensor<i32>
    %61 = stablehlo.add %59#1, %c_42 : tensor<i32>
    %62 = stablehlo.select %60, %61, %59#1 : tensor<i1>, tensor<i32>
    %c_43 = stablehlo.constant dense<0> : tensor<i32>
    %63 = stablehlo.compare LT, %59#1, %c_43, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_44 = stablehlo.constant dense<6> : tensor<i32>
    %64 = stablehlo.add %59#1, %c_44 : tensor<i32>
    %65 = stablehlo.select %63, %64, %59#1 : tensor<i1>, tensor<i32>
    %66 = stablehlo.dynamic_slice %59#0, %62, %65, sizes = [2, 2] : (tensor<5x6xf32>, tensor<i32>, tensor<i32>) -> tensor<2x2xf32>
    %c_45 = stablehlo.constant dense<-3> : tensor<i32>
    %67:3 = stablehlo.optimization_barrier %cst_15, %cst_16, %c_45 : tensor<5x6xf32>, tensor<2x2xf32>, tensor<i32>
    %c_46 = stablehlo.constant dense<0> : tensor<i32>
    %68 = stablehlo.compare LT, %67#2, %c_46, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_47 = stablehlo.constant dense<5> : tensor<i32>
    %69 = stablehlo.add %67#2, %c_47 : tensor<i32>
    %70 = stablehlo.select %68, %69, %67#2 : tensor<i1>, tensor<i32>
    %c_48 = stablehlo.constant dense<0> : tensor<i32>
    %71 = stablehlo.compare LT, %67#2, %c_48, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_49 = stablehlo.constant dense<6> : tensor<i32>
    %72 = stablehlo.add %67#2, %c_49 : tensor<i32>
    %73 = stablehlo.select %71, %72, %67#2 : tensor<i1>, tensor<i32>
    %74 = stablehlo.dynamic_update_slice %67#0, %67#1, %70, %73 : (tensor<5x6xf32>, tensor<2x2xf32>, tensor<i32>, tensor<i32>) -> tensor<5x6xf32>
    %75 = stablehlo.optimization_barrier %cst_17 : tensor<3x4xf32>
    %cst_50 = stablehlo.constant dense<9.000000e+00> : tensor<f32>
    %76 = stablehlo.pad %75, %cst_50, low = [1, -1], high = [2, 0], interior = [1, 2] : (tensor<3x4xf32>, tensor<f32>) -> tensor<8x9xf32>
    %77 = stablehlo.optimization_barrier %cst_18 : tensor<3x4xf32>
    %78 = stablehlo.reverse %77, dims = [0, 1] : tensor<3x4xf32>
    %79:2 = stablehlo.optimization_barrier %cst_19, %cst_20 : tensor<3x4xf32>, tensor<3x2xf32>
    %80 = stablehlo.concatenate %79#0, %79#1, dim = 1 : (tensor<3x4xf32>, tensor<3x2xf32>) -> tensor<3x6xf32>
    %81 = stablehlo.optimization_barrier %cst_21 : tensor<3x4x2xf32>
    %82 = stablehlo.transpose %81, dims = [2, 0, 1] : (tensor<3x4x2xf32>) -> tensor<2x3x4xf32>
    %83 = stablehlo.optimization_barrier %cst_22 : tensor<6x4xf32>
    %84 = stablehlo.slice %83 [1:5:2, 0:4] : (tensor<6x4xf32>) -> tensor<2x4xf32>
    %85 = stablehlo.reverse %84, dims = [1] : tensor<2x4xf32>
    %86:3 = stablehlo.optimization_barrier %c_23, %cst_24, %cst_25 : tensor<4xi1>, tensor<4xf32>, tensor<4xf32>
    %87 = call @_where(%86#0, %86#1, %86#2) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %88 = stablehlo.optimization_barrier %cst_26 : tensor<10xf32>
    %cst_51 = stablehlo.constant dense<-5.000000e-01> : tensor<f64>
    %cst_52 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %89 = call @clip(%88, %cst_51, %cst_52) : (tensor<10xf32>, tensor<f64>, tensor<f64>) -> tensor<10xf32>
    return %8, %25, %27, %36, %45, %58, %66, %74, %76, %78, %80, %82, %85, %87, %89 : tensor<5x4xf32>, tensor<3xf32>, tensor<6x2xf32>, tensor<6x4xf32>, tensor<6x4xf32>, tensor<6x4xf32>, tensor<2x2xf32>, tensor<5x6xf32>, tensor<8x9xf32>, tensor<3x4xf32>, tensor<3x6xf32>, tensor<2x3x4xf32>, tensor<2x4xf32>, tensor<4xf32>, tensor<10xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<6x4xf32>, %arg1: tensor<6x2xi64>) -> tensor<6x2xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<6x2xi64>) -> tensor<6x2xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<6x2xi32>
    %2 = stablehlo.compare LT, %0, %1, SIGNED : (tensor<6x2xi32>, tensor<6x2xi32>) -> tensor<6x2xi1>
    %c_0 = stablehlo.constant dense<4> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<6x2xi32>
    %4 = stablehlo.add %0, %3 : tensor<6x2xi32>
    %5 = stablehlo.select %2, %4, %0 : tensor<6x2xi1>, tensor<6x2xi32>
    %6 = stablehlo.reshape %5 : (tensor<6x2xi32>) -> tensor<6x2x1xi32>
    %c_1 = stablehlo.constant dense<3> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<6x2x1xi32>
    %8 = stablehlo.compare GE, %6, %7, SIGNED : (tensor<6x2x1xi32>, tensor<6x2x1xi32>) -> tensor<6x2x1xi1>
    %9 = stablehlo.broadcast_in_dim %c_1, dims = [2] : (tensor<1xi32>) -> tensor<1x1x1xi32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2] : (tensor<1x1x1xi32>) -> tensor<6x2x1xi32>
    %11 = stablehlo.compare LE, %6, %10, SIGNED : (tensor<6x2x1xi32>, tensor<6x2x1xi32>) -> tensor<6x2x1xi1>
    %12 = stablehlo.and %8, %11 : tensor<6x2x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %13 = stablehlo.reduce(%12 init: %c_3) applies stablehlo.and across dimensions = [2] : (tensor<6x2x1xi1>, tensor<i1>) -> tensor<6x2xi1>
    %14 = "stablehlo.gather"(%arg0, %6) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<6x4xf32>, tensor<6x2x1xi32>) -> tensor<6x2xf32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x2xf32>
    %16 = stablehlo.select %13, %14, %15 : tensor<6x2xi1>, tensor<6x2xf32>
    return %16 : tensor<6x2xf32>
  }
  func.func private @_where(%arg0: tensor<4xi1>, %arg1: tensor<4xf32>, %arg2: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<4xi1>, tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func private @clip(%arg0: tensor<10xf32>, %arg1: tensor<f64>, %arg2: tensor<f64>) -> tensor<10xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<f64>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<10xf32>
    %3 = stablehlo.convert %arg2 : (tensor<f64>) -> tensor<f32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %5 = stablehlo.minimum %4, %2 : tensor<10xf32>
    return %5 : tensor<10xf32>
  }
}
