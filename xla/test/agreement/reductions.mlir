module {
  func.func public @main() -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xi64>, tensor<3xi64>, tensor<3xi1>, tensor<3xi1>, tensor<3x8xf32>, tensor<3x8xf32>, tensor<4xf32>, tensor<3xf32>, tensor<3x6xf32>, tensor<5x5xf32>, tensor<5x6xf32>) {
    %cst = stablehlo.constant dense<[[-0.309012979, -1.67600381, 1.15233159, 1.07961857, -0.813364267, -1.46642435, 0.521064878, -0.575787961], [0.14195317, -0.319328427, 0.691538751, 0.694749117, -0.725597381, -1.38336396, -1.58293843, 0.610379397], [-1.18885922, -0.506816328, -5.963140e-01, -0.0525672957, -1.93627977, 0.188778594, 0.523891032, 0.0884220898]]> : tensor<3x8xf32>
    %cst_0 = stablehlo.constant dense<[[-0.310886174, 0.097400166, 0.399046332, -2.77259278, 1.95591235, 0.390093327, -0.652408599, -0.390953362], [0.493741781, -0.11610394, -2.03068447, 2.06449294, -0.110540658, 1.02017272, -0.692049861, 1.53637707], [0.286343694, 0.608843863, -1.0452534, 1.21114528, 0.689818144, 1.30184627, -0.62808758, -0.481027126]]> : tensor<3x8xf32>
    %cst_1 = stablehlo.constant dense<[[2.30391669, -1.0600158, -0.135949701, 1.13689137, 0.0977249667, 0.582953691, -0.399449021, 0.370055884], [-1.3065269, 1.65813065, -0.118164048, -0.680178225, 0.666383087, -0.460719794, -1.33425844, -1.34671748], [0.69377315, -0.159573436, -0.133701563, 1.07774377, -1.12682581, -0.730677724, -0.384879798, 0.0943515896]]> : tensor<3x8xf32>
    %cst_2 = stablehlo.constant dense<[[-0.0421714522, -0.286887199, -6.162640e-02, -0.107305273, -0.719604373, -0.81299299, 0.274516344, -0.890915095], [-1.15735531, -0.312292248, -0.157667011, 2.2567234, -0.704700291, 0.943260729, 0.74718833, -1.18894494], [0.773252964, -1.18388069, -2.6591723, 0.606319547, -1.75589061, 0.45093447, -0.684010922, 1.65955079]]> : tensor<3x8xf32>
    %cst_3 = stablehlo.constant dense<[[1.06850934, -0.4533858, -0.687837601, -1.21407735, -0.440922618, -0.280355483, -0.364693552, 0.15670386], [0.57852149, 0.349654466, -0.764143943, -1.43779147, 1.36453187, -0.689449191, -0.652293622, -0.521189332], [-1.84306955, -4.779740e-01, -0.479655802, 0.620358288, 0.698457122, 0.00377088902, 0.931848347, 3.399650e-01]]> : tensor<3x8xf32>
    %cst_4 = stablehlo.constant dense<[[-0.0156821124, 0.160928175, -0.190653488, -0.394849509, -0.267733544, -1.12801135, 0.280441701, -0.99312359], [0.841631293, -0.249458581, 0.0494949818, 0.49383679, 0.643314481, -1.5706234, -0.206903681, 0.880178928], [-1.69810581, 0.387280464, -2.25556421, -1.02250683, 0.0386305526, -1.65671515, -0.985510766, -1.47183502]]> : tensor<3x8xf32>
    %cst_5 = stablehlo.constant dense<[[1.64813495, 0.164227754, 0.567290306, -0.2226751, -0.353431761, -1.61647415, -0.291837364, -0.761492192], [0.857923924, 1.14110184, 1.46657872, 0.852551937, -0.598653913, -1.11589694, 0.766663193, 0.356292814], [-1.76853848, 0.355481803, 0.814519822, 0.0589255877, -0.185053676, -0.807648479, -1.44653475, 8.002980e-01]]> : tensor<3x8xf32>
    %cst_6 = stablehlo.constant dense<[[-0.309114456, -0.233466655, 1.73272121, 0.684501111, 3.708250e-01, 0.1420618, 1.51999485, 1.71958935], [0.92950511, 0.582224607, -2.09460306, 0.123721913, -0.130106956, 0.0939532294, 0.943046092, -2.73967719], [-0.569312036, 0.269904345, -0.466845542, -1.41690612, 0.86896348, 0.27687192, -0.971104562, 0.31481719]]> : tensor<3x8xf32>
    %cst_7 = stablehlo.constant dense<[[0.821585714, 0.00529264612, 0.800564825, 0.0782601758, -0.395228982, -1.15942049, -0.0859307646, 0.194292933], [0.875832736, -0.115107469, 0.457415611, -9.646120e-01, -0.782629132, -0.1103893, -1.05462849, 0.820247828], [0.463130325, 0.279095769, 0.338904113, 2.02104354, -0.468864202, -2.20144129, 0.1993002, -0.0506035425]]> : tensor<3x8xf32>
    %cst_8 = stablehlo.constant dense<[[-0.517519057, -0.97882986, -0.439189523, 0.181338429, -0.502816677, 2.41245365, -0.960504353, -0.793117344], [-2.288620e+00, 0.251484424, -2.01640654, -0.539454639, -0.275670528, -0.709727942, 1.73887265, 0.994394361], [1.31913686, -0.882418811, 1.12859404, 0.496000946, 0.771405935, 1.02943885, -0.908763229, -0.424317628]]> : tensor<3x8xf32>
    %cst_9 = stablehlo.constant dense<[[[-1.40596294, -0.590057671, -0.110489406, -1.66069984, 0.115147874], [-0.379147559, -1.74235618, -1.3032428, 0.605120063, 0.895555973], [-0.13190864, 0.404761821, 0.22384356, 0.329622984, 1.28598404], [-1.50699842, 0.676460742, -0.38200897, -0.224258929, -0.30224973]], [[-0.375147104, -1.22619617, 0.183339193, 1.67094302, -0.0561330207], [-0.00138504279, -6.872990e-01, -0.117474549, 0.466166437, -0.370242447], [-0.453804046, 0.403264552, -0.918004751, 0.25249663, 0.820321798], [1.35994852, -0.0903820097, 1.36759722, 1.03440988, -0.996212661]], [[-1.21793854, -0.304963648, 1.02893555, -0.0722870082, -0.600657582], [1.55224323, 0.286904484, -2.32059431, 0.317160636, 0.520040631], [0.225608662, 0.449712098, -0.0672756061, -1.31839585, -3.707040e-01], [-0.945615768, -0.932740927, -1.26306832, 0.452489078, 0.0978961437]]]> : tensor<3x4x5xf32>
    %cst_10 = stablehlo.constant dense<[[-0.448165357, -0.649337947, -0.0234231055, 1.07919478, -2.00421572, 0.376876533, -5.457120e-01, -1.88458586], [-1.94570303, -0.912783503, 0.219509557, 0.393062919, -0.938981592, 1.01702094, 1.42298353, 0.396086574], [-0.59140265, 1.12441921, 0.75539571, 0.867407441, -0.656463682, -2.83455443, 2.11679101, -1.61087835]]> : tensor<3x8xf32>
    %cst_11 = stablehlo.constant dense<[[-1.1046797, -0.446291238, -0.141955599, -0.0677676275, -0.87728393, 0.423651546], [-2.57703876, -0.757942974, 0.502889633, 0.582120717, -1.6550566, 2.09174681], [-0.237090468, 1.20504153, -0.0666276887, -1.83819354, 1.06100249, -1.85414052], [3.28505445, 0.105354398, -0.702281057, -0.298502862, -1.16642213, 0.347171873], [-0.0413737744, -1.1685276, 1.98898423, -0.914638042, 1.358310e+00, -0.0350035168]]> : tensor<5x6xf32>
    %cst_12 = stablehlo.constant dense<[[-1.05238318, -1.74202144, 0.0725821704, -1.00160778, -0.11020045, -0.250139058], [1.18441522, 0.793748915, 0.295932978, -1.7094084, 1.74160206, 0.177837253], [-1.59077108, -1.01467061, -0.15699017, -1.01023591, -1.0156405, -0.599782228], [-0.477769196, -0.94626069, 0.632209063, 0.647480666, -0.0571307205, 0.34046495], [-0.189716265, -2.260430e+00, -0.7510733, -0.307062626, 0.455761403, -0.0962712616]]> : tensor<5x6xf32>
    %cst_13 = stablehlo.constant dense<[[0.543414295, 0.668935537, -3.137080e-01, -1.01650679, 1.19554782, 2.42055607], [0.433134139, -0.50190556, -0.42906481, 0.963986933, 0.164240941, 0.891063511], [1.37385643, -5.437880e-01, -0.486102223, 0.881583392, 2.01964283, -0.265673935], [-1.07694602, 1.06846941, -0.21333316, -0.797921597, -0.67599982, -0.255808055], [1.2930845, -1.94101453, -0.877688944, -1.76554632, 0.190247133, -0.23842448]]> : tensor<5x6xf32>
    %0 = stablehlo.optimization_barrier %cst : tensor<3x8xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst_14) applies stablehlo.add across dimensions = [1] : (tensor<3x8xf32>, tensor<f32>) -> tensor<3xf32>
    %2 = stablehlo.optimization_barrier %cst_0 : tensor<3x8xf32>
    %cst_15 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_15) applies stablehlo.maximum across dimensions = [1] : (tensor<3x8xf32>, tensor<f32>) -> tensor<3xf32>
    %4 = stablehlo.optimization_barrier %cst_1 : tensor<3x8xf32>
    %cst_16 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %5 = stablehlo.reduce(%4 init: %cst_16) applies stablehlo.minimum across dimensions = [1] : (tensor<3x8xf32>, tensor<f32>) -> tensor<3xf32>
    %6 = stablehlo.optimization_barrier %cst_2 : tensor<3x8xf32>
    %cst_17 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_17) applies stablehlo.multiply across dimensions = [1] : (tensor<3x8xf32>, tensor<f32>) -> tensor<3xf32>
    %8 = stablehlo.optimization_barrier %cst_3 : tensor<3x8xf32>
    %9 = call @argmax(%8) : (tensor<3x8xf32>) -> tensor<3xi64>
    %10 = stablehlo.optimization_barrier %cst_4 : tensor<3x8xf32>
    %11 = call @argmin(%10) : (tensor<3x8xf32>) -> tensor<3xi64>
    %12 = stablehlo.optimization_barrier %cst_5 : tensor<3x8xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<3x8xf32>
    %14 = stablehlo.compare NE, %12, %13, FLOAT : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<3x8xi1>
    %15 = stablehlo.convert %14 : tensor<3x8xi1>
    %c = stablehlo.constant dense<false> : tensor<i1>
    %16 = stablehlo.reduce(%15 init: %c) applies stablehlo.or across dimensions = [1] : (tensor<3x8xi1>, tensor<i1>) -> tensor<3xi1>
    %17 = stablehlo.optimization_barrier %cst_6 : tensor<3x8xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<3x8xf32>
    %19 = stablehlo.compare NE, %17, %18, FLOAT : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<3x8xi1>
    %20 = stablehlo.convert %19 : tensor<3x8xi1>
    %c_20 = stablehlo.constant dense<true> : tensor<i1>
    %21 = stablehlo.reduce(%20 init: %c_20) applies stablehlo.and across dimensions = [1] : (tensor<3x8xi1>, tensor<i1>) -> tensor<3xi1>
    %22 = stablehlo.optimization_barrier %cst_7 : tensor<3x8xf32>
    %23 = call @cumsum(%22) : (tensor<3x8xf32>) -> tensor<3x8xf32>
    %24 = stablehlo.optimization_barrier %cst_8 : tensor<3x8xf32>
    %25 = call @cumprod(%24) : (tensor<3x8xf32>) -> tensor<3x8xf32>
    %26 = stablehlo.optimization_barrier %cst_9 : tensor<3x4x5xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %27 = stablehlo.reduce(%26 init: %cst_21) applies stablehlo.add across dimensions = [0, 2] : (tensor<3x4x5xf32>, tensor<f32>) -> tensor<4xf32>
    %28 = stablehlo.optimization_barrier %cst_10 : tensor<3x8xf32>
    %cst_22 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %29 = stablehlo.reduce(%28 init: %cst_22) applies stablehlo.maximum across dimensions = [1] : (tensor<3x8xf32>, tensor<f32>) -> tensor<3xf32>
    %cst_23 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %31 = stablehlo.maximum %30, %29 : tensor<3xf32>
    %32 = stablehlo.is_finite %31 : (tensor<3xf32>) -> tensor<3xi1>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %34 = stablehlo.select %32, %31, %33 : tensor<3xi1>, tensor<3xf32>
    %35 = stablehlo.broadcast_in_dim %34, dims = [0] : (tensor<3xf32>) -> tensor<3x1xf32>
    %36 = stablehlo.broadcast_in_dim %35, dims = [0, 1] : (tensor<3x1xf32>) -> tensor<3x8xf32>
    %37 = stablehlo.subtract %28, %36 : tensor<3x8xf32>
    %38 = stablehlo.exponential %37 : tensor<3x8xf32>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %39 = stablehlo.reduce(%38 init: %cst_25) applies stablehlo.add across dimensions = [1] : (tensor<3x8xf32>, tensor<f32>) -> tensor<3xf32>
    %40 = stablehlo.abs %39 : tensor<3xf32>
    %41 = stablehlo.log %40 : tensor<3xf32>
    %42 = stablehlo.add %41, %34 : tensor<3xf32>
    %43 = stablehlo.optimization_barrier %cst_11 : tensor<5x6xf32>
    %cst_26 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %44 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<f32>
    %45 = "stablehlo.reduce_window"(%43, %44) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 1], [0, 1]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 1>}> ({
    ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
      %54 = stablehlo.maximum %arg0, %arg1 : tensor<f32>
      stablehlo.return %54 : tensor<f32>
    }) : (tensor<5x6xf32>, tensor<f32>) -> tensor<3x6xf32>
    %46 = stablehlo.optimization_barrier %cst_12 : tensor<5x6xf32>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %47 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<f32>
    %48 = "stablehlo.reduce_window"(%46, %47) <{base_dilations = array<i64: 2, 1>, padding = dense<[[1, 1], [0, 1]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 2>, window_dimensions = array<i64: 3, 2>, window_strides = array<i64: 2, 1>}> ({
    ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
      %54 = stablehlo.add %arg0, %arg1 : tensor<f32>
      stablehlo.return %54 : tensor<f32>
    }) : (tensor<5x6xf32>, tensor<f32>) -> tensor<5x5xf32>
    %49 = stablehlo.optimization_barrier %cst_13 : tensor<5x6xf32>
    %cst_28 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %50 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<3x6xf32>
    %cst_29 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %51 = stablehlo.pad %49, %cst_29, low = [1, 0], high = [1, 1], interior = [0, 0] : (tensor<5x6xf32>, tensor<f32>) -> tensor<7x7xf32>
    %cst_30 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %52 = "stablehlo.select_and_scatter"(%51, %50, %cst_30) <{padding = dense<0> : tensor<2x2xi64>, window_dimensions = array<i64: 3, 2>, window_strides = array<i64: 2, 1>}> ({
    ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
      %54 = stablehlo.compare GE, %arg0, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %54 : tensor<i1>
    }, {
    ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
      %54 = stablehlo.add %arg0, %arg1 : tensor<f32>
      stablehlo.return %54 : tensor<f32>
    }) : (tensor<7x7xf32>, tensor<3x6xf32>, tensor<f32>) -> tensor<7x7xf32>
    %53 = stablehlo.slice %52 [1:6, 0:6] : (tensor<7x7xf32>) -> tensor<5x6xf32>
    return %1, %3, %5, %7, %9, %11, %16, %21, %23, %25, %27, %42, %45, %48, %53 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xi64>, tensor<3xi64>, tensor<3xi1>, tensor<3xi1>, tensor<3x8xf32>, tensor<3x8xf32>, tensor<4xf32>, tensor<3xf32>, tensor<3x6xf32>, tensor<5x5xf32>, tensor<5x6xf32>
  }
  func.func private @argmax(%arg0: tensor<3x8xf32>) -> tensor<3xi64> {
    %0 = stablehlo.iota dim = 1 : tensor<3x8xi64>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [1] : (tensor<3x8xf32>, tensor<3x8xi64>, tensor<f32>, tensor<i64>) -> (tensor<3xf32>, tensor<3xi64>)
     reducer(%arg1: tensor<f32>, %arg3: tensor<f32>) (%arg2: tensor<i64>, %arg4: tensor<i64>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<f32>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i64>
      stablehlo.return %9, %10 : tensor<f32>, tensor<i64>
    }
    return %1#1 : tensor<3xi64>
  }
  func.func private @argmin(%arg0: tensor<3x8xf32>) -> tensor<3xi64> {
    %0 = stablehlo.iota dim = 1 : tensor<3x8xi64>
    %cst = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [1] : (tensor<3x8xf32>, tensor<3x8xi64>, tensor<f32>, tensor<i64>) -> (tensor<3xf32>, tensor<3xi64>)
     reducer(%arg1: tensor<f32>, %arg3: tensor<f32>) (%arg2: tensor<i64>, %arg4: tensor<i64>)  {
      %2 = stablehlo.compare LT, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<f32>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i64>
      stablehlo.return %9, %10 : tensor<f32>, tensor<i64>
    }
    return %1#1 : tensor<3xi64>
  }
  func.func private @cumsum(%arg0: tensor<3x8xf32>) -> tensor<3x8xf32> {
    %0 = call @cumsum_0(%arg0) : (tensor<3x8xf32>) -> tensor<3x8xf32>
    return %0 : tensor<3x8xf32>
  }
  func.func private @cumsum_0(%arg0: tensor<3x8xf32>) -> tensor<3x8xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [7, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 8>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<3x8xf32>, tensor<f32>) -> tensor<3x8xf32>
    return %1 : tensor<3x8xf32>
  }
  func.func private @cumprod(%arg0: tensor<3x8xf32>) -> tensor<3x8xf32> {
    %0 = call @cumprod_1(%arg0) : (tensor<3x8xf32>) -> tensor<3x8xf32>
    return %0 : tensor<3x8xf32>
  }
  func.func private @cumprod_1(%arg0: tensor<3x8xf32>) -> tensor<3x8xf32> {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = "stablehlo.reduce_window"(%arg0, %cst) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [7, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 8>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %1 = stablehlo.multiply %arg1, %arg2 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<3x8xf32>, tensor<f32>) -> tensor<3x8xf32>
    return %0 : tensor<3x8xf32>
  }
}
