// Each operation, printed as it was read: as text and through bytecode.
// RUN: xla-opt %s | grep . > %t
// RUN: grep -v "^//" %s | grep . | diff - %t
// RUN: xla-opt %s --emit-bytecode | xla-opt | grep . > %t.bytecode
// RUN: diff %t %t.bytecode
// RUN: xla-opt %s --mlir-print-op-generic | xla-opt | grep . | diff %t -

module {
  func.func @abs(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.abs %arg0 : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @cbrt(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.cbrt %arg0 : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @ceil(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.ceil %arg0 : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @floor(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.floor %arg0 : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @cosine(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.cosine %arg0 : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @sine(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.sine %arg0 : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @tan(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.tan %arg0 : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @tanh(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.tanh %arg0 : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @exponential(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.exponential %arg0 : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @exponential_minus_one(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.exponential_minus_one %arg0 : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @log(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.log %arg0 : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @log_plus_one(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.log_plus_one %arg0 : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @logistic(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.logistic %arg0 : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @negate(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.negate %arg0 : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @round_nearest_afz(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.round_nearest_afz %arg0 : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @round_nearest_even(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.round_nearest_even %arg0 : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @rsqrt(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.rsqrt %arg0 : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @sqrt(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.sqrt %arg0 : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @sign(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.sign %arg0 : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @not(%arg0: tensor<2xi32>) -> tensor<2xi32> {
    %0 = stablehlo.not %arg0 : tensor<2xi32>
    return %0 : tensor<2xi32>
  }
  func.func @popcnt(%arg0: tensor<2xi32>) -> tensor<2xi32> {
    %0 = stablehlo.popcnt %arg0 : tensor<2xi32>
    return %0 : tensor<2xi32>
  }
  func.func @count_leading_zeros(%arg0: tensor<2xi32>) -> tensor<2xi32> {
    %0 = stablehlo.count_leading_zeros %arg0 : tensor<2xi32>
    return %0 : tensor<2xi32>
  }
  func.func @is_finite(%arg0: tensor<2xf32>) -> tensor<2xi1> {
    %0 = stablehlo.is_finite %arg0 : (tensor<2xf32>) -> tensor<2xi1>
    return %0 : tensor<2xi1>
  }
  func.func @real(%arg0: tensor<2xcomplex<f32>>) -> tensor<2xf32> {
    %0 = stablehlo.real %arg0 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @imag(%arg0: tensor<2xcomplex<f32>>) -> tensor<2xf32> {
    %0 = stablehlo.imag %arg0 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @add(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @subtract(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.subtract %arg0, %arg1 : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @multiply(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.multiply %arg0, %arg1 : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @divide(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.divide %arg0, %arg1 : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @remainder(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.remainder %arg0, %arg1 : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @power(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.power %arg0, %arg1 : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @maximum(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.maximum %arg0, %arg1 : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @minimum(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.minimum %arg0, %arg1 : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @atan2(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.atan2 %arg0, %arg1 : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @and(%arg0: tensor<2xi32>, %arg1: tensor<2xi32>) -> tensor<2xi32> {
    %0 = stablehlo.and %arg0, %arg1 : tensor<2xi32>
    return %0 : tensor<2xi32>
  }
  func.func @or(%arg0: tensor<2xi32>, %arg1: tensor<2xi32>) -> tensor<2xi32> {
    %0 = stablehlo.or %arg0, %arg1 : tensor<2xi32>
    return %0 : tensor<2xi32>
  }
  func.func @xor(%arg0: tensor<2xi32>, %arg1: tensor<2xi32>) -> tensor<2xi32> {
    %0 = stablehlo.xor %arg0, %arg1 : tensor<2xi32>
    return %0 : tensor<2xi32>
  }
  func.func @shift_left(%arg0: tensor<2xi32>, %arg1: tensor<2xi32>) -> tensor<2xi32> {
    %0 = stablehlo.shift_left %arg0, %arg1 : tensor<2xi32>
    return %0 : tensor<2xi32>
  }
  func.func @shift_right_arithmetic(%arg0: tensor<2xi32>, %arg1: tensor<2xi32>) -> tensor<2xi32> {
    %0 = stablehlo.shift_right_arithmetic %arg0, %arg1 : tensor<2xi32>
    return %0 : tensor<2xi32>
  }
  func.func @shift_right_logical(%arg0: tensor<2xi32>, %arg1: tensor<2xi32>) -> tensor<2xi32> {
    %0 = stablehlo.shift_right_logical %arg0, %arg1 : tensor<2xi32>
    return %0 : tensor<2xi32>
  }
  func.func @complex(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>) -> tensor<2xcomplex<f32>> {
    %0 = stablehlo.complex %arg0, %arg1 : tensor<2xcomplex<f32>>
    return %0 : tensor<2xcomplex<f32>>
  }
  func.func @compare(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>) -> tensor<2xi1> {
    %0 = stablehlo.compare LT, %arg0, %arg1, TOTALORDER : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
    return %0 : tensor<2xi1>
  }
  func.func @select(%arg0: tensor<i1>, %arg1: tensor<2xf32>, %arg2: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @clamp(%arg0: tensor<f32>, %arg1: tensor<2xf32>, %arg2: tensor<f32>) -> tensor<2xf32> {
    %0 = stablehlo.clamp %arg0, %arg1, %arg2 : (tensor<f32>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @convert(%arg0: tensor<2xf32>) -> tensor<2xi32> {
    %0 = stablehlo.convert %arg0 : (tensor<2xf32>) -> tensor<2xi32>
    return %0 : tensor<2xi32>
  }
  func.func @bitcast_convert(%arg0: tensor<2xf32>) -> tensor<2x4xi8> {
    %0 = stablehlo.bitcast_convert %arg0 : (tensor<2xf32>) -> tensor<2x4xi8>
    return %0 : tensor<2x4xi8>
  }
  func.func @reduce_precision(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.reduce_precision %arg0, format = e5m10 : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @constant() -> tensor<2xi32> {
    %c = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
    return %c : tensor<2xi32>
  }
  func.func @iota() -> tensor<2x3xi32> {
    %0 = stablehlo.iota dim = 1 : tensor<2x3xi32>
    return %0 : tensor<2x3xi32>
  }
  func.func @reshape(%arg0: tensor<2x3xf32>) -> tensor<6xf32> {
    %0 = stablehlo.reshape %arg0 : (tensor<2x3xf32>) -> tensor<6xf32>
    return %0 : tensor<6xf32>
  }
  func.func @transpose(%arg0: tensor<2x3xf32>) -> tensor<3x2xf32> {
    %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
    return %0 : tensor<3x2xf32>
  }
  func.func @broadcast_in_dim(%arg0: tensor<3xf32>) -> tensor<2x3xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func @broadcast(%arg0: tensor<3xf32>) -> tensor<2x3xf32> {
    %0 = stablehlo.broadcast %arg0, sizes = [2] : (tensor<3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func @concatenate(%arg0: tensor<2x3xf32>, %arg1: tensor<1x3xf32>) -> tensor<3x3xf32> {
    %0 = stablehlo.concatenate %arg0, %arg1, dim = 0 : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<3x3xf32>
    return %0 : tensor<3x3xf32>
  }
  func.func @slice(%arg0: tensor<5x6xf32>) -> tensor<3x3xf32> {
    %0 = stablehlo.slice %arg0 [1:4, 0:6:2] : (tensor<5x6xf32>) -> tensor<3x3xf32>
    return %0 : tensor<3x3xf32>
  }
  func.func @dynamic_slice(%arg0: tensor<5x6xf32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<2x6xf32> {
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %arg2, sizes = [2, 6] : (tensor<5x6xf32>, tensor<i32>, tensor<i32>) -> tensor<2x6xf32>
    return %0 : tensor<2x6xf32>
  }
  func.func @dynamic_update_slice(%arg0: tensor<5xf32>, %arg1: tensor<2xf32>, %arg2: tensor<i32>) -> tensor<5xf32> {
    %0 = stablehlo.dynamic_update_slice %arg0, %arg1, %arg2 : (tensor<5xf32>, tensor<2xf32>, tensor<i32>) -> tensor<5xf32>
    return %0 : tensor<5xf32>
  }
  func.func @pad(%arg0: tensor<3xf32>, %arg1: tensor<f32>) -> tensor<7xf32> {
    %0 = stablehlo.pad %arg0, %arg1, low = [1], high = [-1], interior = [2] : (tensor<3xf32>, tensor<f32>) -> tensor<7xf32>
    return %0 : tensor<7xf32>
  }
  func.func @reverse(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = stablehlo.reverse %arg0, dims = [0, 1] : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func @gather(%arg0: tensor<8x4xf32>, %arg1: tensor<5x1xi32>) -> tensor<5x4xf32> {
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<8x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>
    return %0 : tensor<5x4xf32>
  }
  func.func @scatter(%arg0: tensor<8xf32>, %arg1: tensor<5x1xi32>, %arg2: tensor<5xf32>) -> tensor<8xf32> {
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %1 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<8xf32>, tensor<5x1xi32>, tensor<5xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func @sort(%arg0: tensor<6xf32>) -> tensor<6xf32> {
    %0 = "stablehlo.sort"(%arg0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %1 = stablehlo.compare LT, %arg1, %arg2, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<6xf32>) -> tensor<6xf32>
    return %0 : tensor<6xf32>
  }
  func.func @optimization_barrier(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.optimization_barrier %arg0 : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @get_dimension_size(%arg0: tensor<?xf32>) -> tensor<i32> {
    %0 = stablehlo.get_dimension_size %arg0, dim = 0 : (tensor<?xf32>) -> tensor<i32>
    return %0 : tensor<i32>
  }
  func.func @set_dimension_size(%arg0: tensor<4xf32>, %arg1: tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<4>> {
    %0 = stablehlo.set_dimension_size %arg0, %arg1, dim = 0 : (tensor<4xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<4>>
    return %0 : tensor<?xf32, #stablehlo.bounds<4>>
  }
  func.func @dot_general(%arg0: tensor<2x3x4xf32>, %arg1: tensor<2x4x5xf32>) -> tensor<2x3x5xf32> {
    %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
    return %0 : tensor<2x3x5xf32>
  }
  func.func @dot(%arg0: tensor<3x4xf32>, %arg1: tensor<4x5xf32>) -> tensor<3x5xf32> {
    %0 = stablehlo.dot %arg0, %arg1, precision = [DEFAULT, DEFAULT] : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
    return %0 : tensor<3x5xf32>
  }
  func.func @convolution(%arg0: tensor<1x8x8x3xf32>, %arg1: tensor<3x3x3x4xf32>) -> tensor<1x8x8x4xf32> {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x8x8x4xf32>
    return %0 : tensor<1x8x8x4xf32>
  }
  func.func @reduce(%arg0: tensor<3x4xf32>, %arg1: tensor<f32>) -> tensor<3xf32> {
    %0 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.add across dimensions = [1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
  func.func @reduce_window(%arg0: tensor<6xf32>, %arg1: tensor<f32>) -> tensor<3xf32> {
    %0 = "stablehlo.reduce_window"(%arg0, %arg1) <{padding = dense<[[1, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %1 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<6xf32>, tensor<f32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
  func.func @select_and_scatter(%arg0: tensor<6xf32>, %arg1: tensor<3xf32>, %arg2: tensor<f32>) -> tensor<6xf32> {
    %0 = "stablehlo.select_and_scatter"(%arg0, %arg1, %arg2) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %1 = stablehlo.compare GE, %arg3, %arg4 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }, {
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %1 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<6xf32>, tensor<3xf32>, tensor<f32>) -> tensor<6xf32>
    return %0 : tensor<6xf32>
  }
  func.func @map(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = "stablehlo.map"(%arg0) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg1: tensor<f32>):
      %1 = stablehlo.negate %arg1 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @fft(%arg0: tensor<8xf32>) -> tensor<5xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = RFFT, length = [8] : (tensor<8xf32>) -> tensor<5xcomplex<f32>>
    return %0 : tensor<5xcomplex<f32>>
  }
  func.func @cholesky(%arg0: tensor<3x3xf32>) -> tensor<3x3xf32> {
    %0 = stablehlo.cholesky %arg0, lower = true : tensor<3x3xf32>
    return %0 : tensor<3x3xf32>
  }
  func.func @triangular_solve(%arg0: tensor<3x3xf32>, %arg1: tensor<3x2xf32>) -> tensor<3x2xf32> {
    %0 = "stablehlo.triangular_solve"(%arg0, %arg1) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    return %0 : tensor<3x2xf32>
  }
  func.func @batch_norm_inference(%arg0: tensor<4x2xf32>, %arg1: tensor<2xf32>) -> tensor<4x2xf32> {
    %0 = "stablehlo.batch_norm_inference"(%arg0, %arg1, %arg1, %arg1, %arg1) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<4x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
    return %0 : tensor<4x2xf32>
  }
  func.func @batch_norm_training(%arg0: tensor<4x2xf32>, %arg1: tensor<2xf32>) -> (tensor<4x2xf32>, tensor<2xf32>, tensor<2xf32>) {
    %output, %batch_mean, %batch_var = "stablehlo.batch_norm_training"(%arg0, %arg1, %arg1) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<4x2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<4x2xf32>, tensor<2xf32>, tensor<2xf32>)
    return %output, %batch_mean, %batch_var : tensor<4x2xf32>, tensor<2xf32>, tensor<2xf32>
  }
  func.func @batch_norm_grad(%arg0: tensor<4x2xf32>, %arg1: tensor<2xf32>) -> (tensor<4x2xf32>, tensor<2xf32>, tensor<2xf32>) {
    %grad_operand, %grad_scale, %grad_offset = "stablehlo.batch_norm_grad"(%arg0, %arg1, %arg1, %arg1, %arg0) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<4x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<2xf32>, tensor<2xf32>)
    return %grad_operand, %grad_scale, %grad_offset : tensor<4x2xf32>, tensor<2xf32>, tensor<2xf32>
  }
  func.func @tuple(%arg0: tensor<2xf32>) -> tuple<tensor<2xf32>> {
    %0 = stablehlo.tuple %arg0 : tuple<tensor<2xf32>>
    return %0 : tuple<tensor<2xf32>>
  }
  func.func @get_tuple_element(%arg0: tuple<tensor<2xf32>>) -> tensor<2xf32> {
    %0 = stablehlo.get_tuple_element %arg0[0] : (tuple<tensor<2xf32>>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @custom_call(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.custom_call @foo(%arg0) {api_version = 4 : i32, backend_config = {k = 1 : i64}, has_side_effect = true, operand_layouts = [dense<0> : tensor<1xindex>], result_layouts = [dense<0> : tensor<1xindex>]} : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @async_done(%arg0: !stablehlo.future<tensor<2xf32>>) -> tensor<2xf32> {
    %0 = "stablehlo.async_done"(%arg0) : (!stablehlo.future<tensor<2xf32>>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @create_token() -> !stablehlo.token {
    %0 = stablehlo.create_token : !stablehlo.token
    return %0 : !stablehlo.token
  }
  func.func @after_all(%arg0: !stablehlo.token, %arg1: !stablehlo.token) -> !stablehlo.token {
    %0 = stablehlo.after_all %arg0, %arg1 : !stablehlo.token
    return %0 : !stablehlo.token
  }
  func.func @infeed(%arg0: !stablehlo.token) -> (tensor<2xf32>, !stablehlo.token) {
    %0:2 = "stablehlo.infeed"(%arg0) <{infeed_config = "", layout = [[0]]}> : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
    return %0#0, %0#1 : tensor<2xf32>, !stablehlo.token
  }
  func.func @outfeed(%arg0: tensor<2xf32>, %arg1: !stablehlo.token) -> !stablehlo.token {
    %0 = "stablehlo.outfeed"(%arg0, %arg1) <{outfeed_config = ""}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
    return %0 : !stablehlo.token
  }
  func.func @send(%arg0: tensor<2xf32>, %arg1: !stablehlo.token) -> !stablehlo.token {
    %0 = "stablehlo.send"(%arg0, %arg1) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 2>, is_host_transfer = true}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
    return %0 : !stablehlo.token
  }
  func.func @recv(%arg0: !stablehlo.token) -> (tensor<2xf32>, !stablehlo.token) {
    %0:2 = "stablehlo.recv"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 4, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
    return %0#0, %0#1 : tensor<2xf32>, !stablehlo.token
  }
  func.func @rng(%arg0: tensor<f32>, %arg1: tensor<f32>, %arg2: tensor<1xi64>) -> tensor<4xf32> {
    %0 = stablehlo.rng %arg0, %arg1, %arg2, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func @rng_bit_generator(%arg0: tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>) {
    %output_state, %output = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
    return %output_state, %output : tensor<2xui64>, tensor<4xui32>
  }
  func.func @all_reduce(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = "stablehlo.all_reduce"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %1 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @all_gather(%arg0: tensor<2xf32>) -> tensor<4xf32> {
    %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<2xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func @all_to_all(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = "stablehlo.all_to_all"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @reduce_scatter(%arg0: tensor<2xf32>) -> tensor<1xf32> {
    %0 = "stablehlo.reduce_scatter"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64, use_global_device_ids}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %1 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<2xf32>) -> tensor<1xf32>
    return %0 : tensor<1xf32>
  }
  func.func @collective_permute(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = "stablehlo.collective_permute"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @collective_broadcast(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = "stablehlo.collective_broadcast"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @cross_replica_sum(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = "stablehlo.cross-replica-sum"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @partition_id() -> tensor<ui32> {
    %0 = stablehlo.partition_id : tensor<ui32>
    return %0 : tensor<ui32>
  }
  func.func @replica_id() -> tensor<ui32> {
    %0 = stablehlo.replica_id : tensor<ui32>
    return %0 : tensor<ui32>
  }
  func.func @dynamic_reshape(%arg0: tensor<?xf32>, %arg1: tensor<2xi32>) -> tensor<?x?xf32> {
    %0 = stablehlo.dynamic_reshape %arg0, %arg1 : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
    return %0 : tensor<?x?xf32>
  }
  func.func @dynamic_broadcast_in_dim(%arg0: tensor<?xf32>, %arg1: tensor<2xi32>) -> tensor<?x?xf32> {
    %0 = stablehlo.dynamic_broadcast_in_dim %arg0, %arg1, dims = [1] : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
    return %0 : tensor<?x?xf32>
  }
  func.func @dynamic_iota(%arg0: tensor<2xi32>) -> tensor<?x?xf32> {
    %0 = stablehlo.dynamic_iota %arg0, dim = 0 : (tensor<2xi32>) -> tensor<?x?xf32>
    return %0 : tensor<?x?xf32>
  }
  func.func @dynamic_pad(%arg0: tensor<?xf32>, %arg1: tensor<f32>, %arg2: tensor<1xi32>) -> tensor<?xf32> {
    %0 = stablehlo.dynamic_pad %arg0, %arg1, %arg2, %arg2, %arg2 : (tensor<?xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
    return %0 : tensor<?xf32>
  }
  func.func @real_dynamic_slice(%arg0: tensor<?xf32>, %arg1: tensor<1xi32>) -> tensor<?xf32> {
    %0 = stablehlo.real_dynamic_slice %arg0, %arg1, %arg1, %arg1 : (tensor<?xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
    return %0 : tensor<?xf32>
  }
  func.func @dynamic_gather(%arg0: tensor<8x4xf32>, %arg1: tensor<5x1xi32>, %arg2: tensor<2xi32>) -> tensor<5x?xf32> {
    %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %arg2) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<8x4xf32>, tensor<5x1xi32>, tensor<2xi32>) -> tensor<5x?xf32>
    return %0 : tensor<5x?xf32>
  }
  func.func @dynamic_conv(%arg0: tensor<1x8x3xf32>, %arg1: tensor<3x3x4xf32>, %arg2: tensor<1x2xi32>) -> tensor<1x?x4xf32> {
    %0 = "stablehlo.dynamic_conv"(%arg0, %arg1, %arg2) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64}> : (tensor<1x8x3xf32>, tensor<3x3x4xf32>, tensor<1x2xi32>) -> tensor<1x?x4xf32>
    return %0 : tensor<1x?x4xf32>
  }
  func.func @einsum(%arg0: tensor<2x3xf32>, %arg1: tensor<3x4xf32>) -> tensor<2x4xf32> {
    %0 = stablehlo.einsum %arg0, %arg1, config = "ij,jk->ik" : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
    return %0 : tensor<2x4xf32>
  }
  func.func @unary_einsum(%arg0: tensor<2x3xf32>) -> tensor<3x2xf32> {
    %0 = stablehlo.unary_einsum %arg0, config = "ij->ji" : (tensor<2x3xf32>) -> tensor<3x2xf32>
    return %0 : tensor<3x2xf32>
  }
  func.func @torch_index_select(%arg0: tensor<4x3xf32>, %arg1: tensor<2xi32>) -> tensor<2x3xf32> {
    %0 = "stablehlo.torch_index_select"(%arg0, %arg1) <{batch_dims = 0 : i64, dim = 0 : i64}> : (tensor<4x3xf32>, tensor<2xi32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}
