// Each operation, printed as it was read: as text and through bytecode.
// RUN: xla-opt %s | grep . > %t
// RUN: grep -v "^//" %s | grep . | diff - %t
// RUN: xla-opt %s --emit-bytecode | xla-opt | grep . > %t.bytecode
// RUN: diff %t %t.bytecode
// RUN: xla-opt %s --mlir-print-op-generic | xla-opt | grep . | diff %t -

module {
  func.func @acos(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = chlo.acos %arg0 : tensor<2xf32> -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @acosh(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = chlo.acosh %arg0 : tensor<2xf32> -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @asin(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = chlo.asin %arg0 : tensor<2xf32> -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @asinh(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = chlo.asinh %arg0 : tensor<2xf32> -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @atan(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = chlo.atan %arg0 : tensor<2xf32> -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @atanh(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = chlo.atanh %arg0 : tensor<2xf32> -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @bessel_i1e(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = chlo.bessel_i1e %arg0 : tensor<2xf32> -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @conj(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = chlo.conj %arg0 : tensor<2xf32> -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @cosh(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = chlo.cosh %arg0 : tensor<2xf32> -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @digamma(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = chlo.digamma %arg0 : tensor<2xf32> -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @erf(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = chlo.erf %arg0 : tensor<2xf32> -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @erf_inv(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = chlo.erf_inv %arg0 : tensor<2xf32> -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @erfc(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = chlo.erfc %arg0 : tensor<2xf32> -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @lgamma(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = chlo.lgamma %arg0 : tensor<2xf32> -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @sinh(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = chlo.sinh %arg0 : tensor<2xf32> -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @square(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = chlo.square %arg0 : tensor<2xf32> -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @tan(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = chlo.tan %arg0 : tensor<2xf32> -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @is_inf(%arg0: tensor<2xf32>) -> tensor<2xi1> {
    %0 = chlo.is_inf %arg0 : tensor<2xf32> -> tensor<2xi1>
    return %0 : tensor<2xi1>
  }
  func.func @is_neg_inf(%arg0: tensor<2xf32>) -> tensor<2xi1> {
    %0 = chlo.is_neg_inf %arg0 : tensor<2xf32> -> tensor<2xi1>
    return %0 : tensor<2xi1>
  }
  func.func @is_pos_inf(%arg0: tensor<2xf32>) -> tensor<2xi1> {
    %0 = chlo.is_pos_inf %arg0 : tensor<2xf32> -> tensor<2xi1>
    return %0 : tensor<2xi1>
  }
  func.func @mulhi(%arg0: tensor<2xi32>, %arg1: tensor<2xi32>) -> tensor<2xi32> {
    %0 = chlo.mulhi %arg0, %arg1 : tensor<2xi32>, tensor<2xi32> -> tensor<2xi32>
    return %0 : tensor<2xi32>
  }
  func.func @next_after(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>) -> tensor<2xf32> {
    %0 = chlo.next_after %arg0, %arg1 : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @polygamma(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>) -> tensor<2xf32> {
    %0 = chlo.polygamma %arg0, %arg1 : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @zeta(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>) -> tensor<2xf32> {
    %0 = chlo.zeta %arg0, %arg1 : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @broadcast_add(%arg0: tensor<2xf32>, %arg1: tensor<3x2xf32>) -> tensor<3x2xf32> {
    %0 = chlo.broadcast_add %arg0, %arg1 {broadcast_dimensions = array<i64: 1>} : (tensor<2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    return %0 : tensor<3x2xf32>
  }
  func.func @broadcast_and(%arg0: tensor<2xi32>, %arg1: tensor<3x2xi32>) -> tensor<3x2xi32> {
    %0 = chlo.broadcast_and %arg0, %arg1 {broadcast_dimensions = array<i64: 1>} : (tensor<2xi32>, tensor<3x2xi32>) -> tensor<3x2xi32>
    return %0 : tensor<3x2xi32>
  }
  func.func @broadcast_atan2(%arg0: tensor<2xf32>, %arg1: tensor<3x2xf32>) -> tensor<3x2xf32> {
    %0 = chlo.broadcast_atan2 %arg0, %arg1 {broadcast_dimensions = array<i64: 1>} : (tensor<2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    return %0 : tensor<3x2xf32>
  }
  func.func @broadcast_complex(%arg0: tensor<2xf32>, %arg1: tensor<3x2xf32>) -> tensor<3x2xcomplex<f32>> {
    %0 = chlo.broadcast_complex %arg0, %arg1 {broadcast_dimensions = array<i64: 1>} : (tensor<2xf32>, tensor<3x2xf32>) -> tensor<3x2xcomplex<f32>>
    return %0 : tensor<3x2xcomplex<f32>>
  }
  func.func @broadcast_divide(%arg0: tensor<2xf32>, %arg1: tensor<3x2xf32>) -> tensor<3x2xf32> {
    %0 = chlo.broadcast_divide %arg0, %arg1 {broadcast_dimensions = array<i64: 1>} : (tensor<2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    return %0 : tensor<3x2xf32>
  }
  func.func @broadcast_maximum(%arg0: tensor<2xf32>, %arg1: tensor<3x2xf32>) -> tensor<3x2xf32> {
    %0 = chlo.broadcast_maximum %arg0, %arg1 {broadcast_dimensions = array<i64: 1>} : (tensor<2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    return %0 : tensor<3x2xf32>
  }
  func.func @broadcast_minimum(%arg0: tensor<2xf32>, %arg1: tensor<3x2xf32>) -> tensor<3x2xf32> {
    %0 = chlo.broadcast_minimum %arg0, %arg1 {broadcast_dimensions = array<i64: 1>} : (tensor<2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    return %0 : tensor<3x2xf32>
  }
  func.func @broadcast_multiply(%arg0: tensor<2xf32>, %arg1: tensor<3x2xf32>) -> tensor<3x2xf32> {
    %0 = chlo.broadcast_multiply %arg0, %arg1 {broadcast_dimensions = array<i64: 1>} : (tensor<2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    return %0 : tensor<3x2xf32>
  }
  func.func @broadcast_next_after(%arg0: tensor<2xf32>, %arg1: tensor<3x2xf32>) -> tensor<3x2xf32> {
    %0 = chlo.broadcast_next_after %arg0, %arg1 {broadcast_dimensions = array<i64: 1>} : (tensor<2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    return %0 : tensor<3x2xf32>
  }
  func.func @broadcast_or(%arg0: tensor<2xi32>, %arg1: tensor<3x2xi32>) -> tensor<3x2xi32> {
    %0 = chlo.broadcast_or %arg0, %arg1 {broadcast_dimensions = array<i64: 1>} : (tensor<2xi32>, tensor<3x2xi32>) -> tensor<3x2xi32>
    return %0 : tensor<3x2xi32>
  }
  func.func @broadcast_polygamma(%arg0: tensor<2xf32>, %arg1: tensor<3x2xf32>) -> tensor<3x2xf32> {
    %0 = chlo.broadcast_polygamma %arg0, %arg1 {broadcast_dimensions = array<i64: 1>} : (tensor<2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    return %0 : tensor<3x2xf32>
  }
  func.func @broadcast_power(%arg0: tensor<2xf32>, %arg1: tensor<3x2xf32>) -> tensor<3x2xf32> {
    %0 = chlo.broadcast_power %arg0, %arg1 {broadcast_dimensions = array<i64: 1>} : (tensor<2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    return %0 : tensor<3x2xf32>
  }
  func.func @broadcast_remainder(%arg0: tensor<2xf32>, %arg1: tensor<3x2xf32>) -> tensor<3x2xf32> {
    %0 = chlo.broadcast_remainder %arg0, %arg1 {broadcast_dimensions = array<i64: 1>} : (tensor<2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    return %0 : tensor<3x2xf32>
  }
  func.func @broadcast_shift_left(%arg0: tensor<2xi32>, %arg1: tensor<3x2xi32>) -> tensor<3x2xi32> {
    %0 = chlo.broadcast_shift_left %arg0, %arg1 {broadcast_dimensions = array<i64: 1>} : (tensor<2xi32>, tensor<3x2xi32>) -> tensor<3x2xi32>
    return %0 : tensor<3x2xi32>
  }
  func.func @broadcast_shift_right_arithmetic(%arg0: tensor<2xi32>, %arg1: tensor<3x2xi32>) -> tensor<3x2xi32> {
    %0 = chlo.broadcast_shift_right_arithmetic %arg0, %arg1 {broadcast_dimensions = array<i64: 1>} : (tensor<2xi32>, tensor<3x2xi32>) -> tensor<3x2xi32>
    return %0 : tensor<3x2xi32>
  }
  func.func @broadcast_shift_right_logical(%arg0: tensor<2xi32>, %arg1: tensor<3x2xi32>) -> tensor<3x2xi32> {
    %0 = chlo.broadcast_shift_right_logical %arg0, %arg1 {broadcast_dimensions = array<i64: 1>} : (tensor<2xi32>, tensor<3x2xi32>) -> tensor<3x2xi32>
    return %0 : tensor<3x2xi32>
  }
  func.func @broadcast_subtract(%arg0: tensor<2xf32>, %arg1: tensor<3x2xf32>) -> tensor<3x2xf32> {
    %0 = chlo.broadcast_subtract %arg0, %arg1 {broadcast_dimensions = array<i64: 1>} : (tensor<2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    return %0 : tensor<3x2xf32>
  }
  func.func @broadcast_xor(%arg0: tensor<2xi32>, %arg1: tensor<3x2xi32>) -> tensor<3x2xi32> {
    %0 = chlo.broadcast_xor %arg0, %arg1 {broadcast_dimensions = array<i64: 1>} : (tensor<2xi32>, tensor<3x2xi32>) -> tensor<3x2xi32>
    return %0 : tensor<3x2xi32>
  }
  func.func @broadcast_zeta(%arg0: tensor<2xf32>, %arg1: tensor<3x2xf32>) -> tensor<3x2xf32> {
    %0 = chlo.broadcast_zeta %arg0, %arg1 {broadcast_dimensions = array<i64: 1>} : (tensor<2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    return %0 : tensor<3x2xf32>
  }
  func.func @broadcast_compare(%arg0: tensor<2xf32>, %arg1: tensor<f32>) -> tensor<2xi1> {
    %0 = chlo.broadcast_compare %arg0, %arg1 {compare_type = #chlo<comparison_type FLOAT>, comparison_direction = #chlo<comparison_direction LT>} : (tensor<2xf32>, tensor<f32>) -> tensor<2xi1>
    return %0 : tensor<2xi1>
  }
  func.func @broadcast_select(%arg0: tensor<2xi1>, %arg1: tensor<f32>) -> tensor<2xf32> {
    %0 = chlo.broadcast_select %arg0, %arg1, %arg1 : (tensor<2xi1>, tensor<f32>, tensor<f32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @constant() -> tensor<2xf32> {
    %0 = chlo.constant dense<1.000000e+00> : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @constant_like(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = "chlo.constant_like"(%arg0) <{value = 1.000000e+00 : f32}> : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @top_k(%arg0: tensor<5xf32>) -> (tensor<3xf32>, tensor<3xi32>) {
    %values, %indices = chlo.top_k(%arg0, k = 3) : tensor<5xf32> -> (tensor<3xf32>, tensor<3xi32>)
    return %values, %indices : tensor<3xf32>, tensor<3xi32>
  }
  func.func @ragged_dot(%arg0: tensor<11x5xf32>, %arg1: tensor<3x5x7xf32>, %arg2: tensor<3xi64>) -> tensor<11x7xf32> {
    %0 = "chlo.ragged_dot"(%arg0, %arg1, %arg2) <{precision_config = [#chlo<precision DEFAULT>, #chlo<precision HIGH>], ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
    return %0 : tensor<11x7xf32>
  }
}
