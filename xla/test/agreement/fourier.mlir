module {
  func.func public @main() -> (tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>, tensor<3x5xcomplex<f32>>, tensor<2x9xf32>, tensor<3x4x4xcomplex<f32>>, tensor<4x6xf32>, tensor<3x4xcomplex<f64>>) {
    %cst = stablehlo.constant dense<[(1.76405239,0.950088441), (0.400157213,-0.151357204), (9.787380e-01,-0.103218853), (2.24089313,0.410598516), (1.867558,0.144043565), (-0.977277874,1.45427346)]> : tensor<6xcomplex<f32>>
    %cst_0 = stablehlo.constant dense<[[-1.05390143, 2.58720708, -1.54208851, -0.261174172, -0.917025805, -1.1755054, 0.00180549745, -0.0216920041, 1.04352713], [-0.0613252372, 2.37573075, 0.86156094, -0.381306946, -2.19883895, 1.59864855, 0.113926314, 0.363900602, 0.82939583], [1.18947256, -0.172945291, -0.644289314, -1.20040798, -0.584844232, -1.69446063, -0.706323444, 0.51960218, 0.15248175]]> : tensor<3x9xf32>
    %cst_1 = stablehlo.constant dense<[[(0.988132417,-0.833907485), (-1.0405283,-0.72773844), (-0.219490796,0.154697597), (-1.55926013,-0.122381248), (0.972465395,-1.41893244)], [(0.299485594,-1.59433794), (-1.37716651,1.60833228), (-0.327437431,0.359410405), (-0.936896563,2.22688913), (0.624061882,-0.414130658)]]> : tensor<2x5xcomplex<f32>>
    %cst_2 = stablehlo.constant dense<[[[0.230918437, 0.261724621, -2.05227733, 0.587445259, -0.373697877, -0.567997456], [-5.833590e-01, 0.278440446, 0.665863276, 1.50315154, 0.848398625, 0.418561786], [-1.37933433, -1.09700584, 0.852508485, 0.19269143, 1.20491219, 1.13910663], [0.00749924313, -0.721294641, 0.700404644, -0.316434413, -0.495906293, -0.487009138]], [[-0.710134088, -0.0402137749, -0.882264376, 0.583484769, 0.278763711, -0.47712779], [0.299267143, -0.8199718, 0.0685144886, 0.989140391, 2.53924918, -0.684334517], [2.09281349, -0.0928182601, 0.820499598, -1.23602605, -0.142534852, -0.981532335], [0.488283366, 1.11617315, -1.06670094, 0.849976241, -1.60322595, 0.842669963]], [[-0.223017409, 0.630615055, 0.128282905, -0.144894466, -0.0465595387, 0.758585453], [-1.17702425, -1.29696155, 2.07067084, 0.665801406, -0.267094523, 0.458008379], [0.807281076, -1.59043443, 0.39677918, 1.12949514, 0.248392493, -0.623065888], [-1.12429833, 0.0873296335, -0.129152402, -1.77518415, 0.0849870517, 0.91173768]]]> : tensor<3x4x6xf32>
    %cst_3 = stablehlo.constant dense<[[(-0.255189925,0.40835616), (-0.434090018,0.164917618), (0.230227798,0.787615418), (0.629301071,-0.371657252)], [(0.530788898,-1.27789104), (0.293483108,-0.512767375), (-0.689221918,-0.164837182), (-0.669557154,0.951437354)], [(-1.13465595,1.319332), (-0.778139353,0.474468678), (0.514178097,0.335415393), (-2.2653327,0.719898879)], [(1.23621798,-0.347520471), (-1.22288144,0.375630766), (0.924507915,-0.882022678), (0.998355984,1.04458141)]]> : tensor<4x4xcomplex<f32>>
    %cst_4 = stablehlo.constant dense<[[(-0.6348509663542955,-0.071763751077949287), (0.023307428876425725,-0.82853299823116633), (-1.0895955493432961,-0.082200247251910649), (0.3584180975644396,1.2601277243758231)], [(-0.84476093198463953,0.93604962311791206), (0.97943888306049908,1.8611918666121094), (0.51529216491434038,-0.29997417454725211), (-0.7840195650152354,0.84157860142537588)], [(-0.45123276022974307,-0.2182781670706857), (-0.39476038519708112,-0.75739654728005967), (1.0127751839252424,0.92867277732435283), (0.54341550947454598,1.7785576316680205)]]> : tensor<3x4xcomplex<f64>>
    %0 = stablehlo.optimization_barrier %cst : tensor<6xcomplex<f32>>
    %1 = call @fft(%0) : (tensor<6xcomplex<f32>>) -> tensor<6xcomplex<f32>>
    %2 = stablehlo.optimization_barrier %cst : tensor<6xcomplex<f32>>
    %3 = call @fft_0(%2) : (tensor<6xcomplex<f32>>) -> tensor<6xcomplex<f32>>
    %4 = stablehlo.optimization_barrier %cst_0 : tensor<3x9xf32>
    %5 = call @fft_1(%4) : (tensor<3x9xf32>) -> tensor<3x5xcomplex<f32>>
    %6 = stablehlo.optimization_barrier %cst_1 : tensor<2x5xcomplex<f32>>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %7 = call @_pad(%6, %c) : (tensor<2x5xcomplex<f32>>, tensor<i64>) -> tensor<2x5xcomplex<f32>>
    %8 = call @fft_2(%7) : (tensor<2x5xcomplex<f32>>) -> tensor<2x9xf32>
    %9 = stablehlo.optimization_barrier %cst_2 : tensor<3x4x6xf32>
    %10 = call @fft_3(%9) : (tensor<3x4x6xf32>) -> tensor<3x4x4xcomplex<f32>>
    %11 = stablehlo.optimization_barrier %cst_3 : tensor<4x4xcomplex<f32>>
    %c_5 = stablehlo.constant dense<0> : tensor<i64>
    %12 = call @_pad_4(%11, %c_5) : (tensor<4x4xcomplex<f32>>, tensor<i64>) -> tensor<4x4xcomplex<f32>>
    %13 = call @fft_5(%12) : (tensor<4x4xcomplex<f32>>) -> tensor<4x6xf32>
    %14 = stablehlo.optimization_barrier %cst_4 : tensor<3x4xcomplex<f64>>
    %15 = call @fft_6(%14) : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xcomplex<f64>>
    return %1, %3, %5, %8, %10, %13, %15 : tensor<6xcomplex<f32>>, tensor<6xcomplex<f32>>, tensor<3x5xcomplex<f32>>, tensor<2x9xf32>, tensor<3x4x4xcomplex<f32>>, tensor<4x6xf32>, tensor<3x4xcomplex<f64>>
  }
  func.func private @fft(%arg0: tensor<6xcomplex<f32>>) -> tensor<6xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = FFT, length = [6] : (tensor<6xcomplex<f32>>) -> tensor<6xcomplex<f32>>
    return %0 : tensor<6xcomplex<f32>>
  }
  func.func private @fft_0(%arg0: tensor<6xcomplex<f32>>) -> tensor<6xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = IFFT, length = [6] : (tensor<6xcomplex<f32>>) -> tensor<6xcomplex<f32>>
    return %0 : tensor<6xcomplex<f32>>
  }
  func.func private @fft_1(%arg0: tensor<3x9xf32>) -> tensor<3x5xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = RFFT, length = [9] : (tensor<3x9xf32>) -> tensor<3x5xcomplex<f32>>
    return %0 : tensor<3x5xcomplex<f32>>
  }
  func.func private @_pad(%arg0: tensor<2x5xcomplex<f32>>, %arg1: tensor<i64>) -> tensor<2x5xcomplex<f32>> {
    %0 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<complex<f32>>
    %1 = stablehlo.pad %arg0, %0, low = [0, 0], high = [0, 0], interior = [0, 0] : (tensor<2x5xcomplex<f32>>, tensor<complex<f32>>) -> tensor<2x5xcomplex<f32>>
    return %1 : tensor<2x5xcomplex<f32>>
  }
  func.func private @fft_2(%arg0: tensor<2x5xcomplex<f32>>) -> tensor<2x9xf32> {
    %0 = stablehlo.fft %arg0, type = IRFFT, length = [9] : (tensor<2x5xcomplex<f32>>) -> tensor<2x9xf32>
    return %0 : tensor<2x9xf32>
  }
  func.func private @fft_3(%arg0: tensor<3x4x6xf32>) -> tensor<3x4x4xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = RFFT, length = [4, 6] : (tensor<3x4x6xf32>) -> tensor<3x4x4xcomplex<f32>>
    return %0 : tensor<3x4x4xcomplex<f32>>
  }
  func.func private @_pad_4(%arg0: tensor<4x4xcomplex<f32>>, %arg1: tensor<i64>) -> tensor<4x4xcomplex<f32>> {
    %0 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<complex<f32>>
    %1 = stablehlo.pad %arg0, %0, low = [0, 0], high = [0, 0], interior = [0, 0] : (tensor<4x4xcomplex<f32>>, tensor<complex<f32>>) -> tensor<4x4xcomplex<f32>>
    return %1 : tensor<4x4xcomplex<f32>>
  }
  func.func private @fft_5(%arg0: tensor<4x4xcomplex<f32>>) -> tensor<4x6xf32> {
    %0 = stablehlo.fft %arg0, type = IRFFT, length = [4, 6] : (tensor<4x4xcomplex<f32>>) -> tensor<4x6xf32>
    return %0 : tensor<4x6xf32>
  }
  func.func private @fft_6(%arg0: tensor<3x4xcomplex<f64>>) -> tensor<3x4xcomplex<f64>> {
    %0 = stablehlo.fft %arg0, type = FFT, length = [3, 4] : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xcomplex<f64>>
    return %0 : tensor<3x4xcomplex<f64>>
  }
}
