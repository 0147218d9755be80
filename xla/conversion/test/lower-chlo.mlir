// RUN: xla-opt %s --xla-lower-chlo --split-input-file | FileCheck %s --implicit-check-not=chlo.

// CHECK-LABEL: @square
// CHECK-SAME:    (%[[X:.*]]: tensor<2xf32>)
// CHECK-NEXT:    %[[Y:.*]] = stablehlo.multiply %[[X]], %[[X]]
// CHECK-NEXT:    return %[[Y]]
func.func @square(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = chlo.square %x : tensor<2xf32> -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// Narrow types are widened, and the result rounded once.
// CHECK-LABEL: @erf_of_bf16
// CHECK:         stablehlo.convert %{{.*}} : (tensor<2xbf16>) -> tensor<2xf32>
// CHECK:         stablehlo.compare GE, {{.*}}tensor<2xf32>
// CHECK:         stablehlo.select {{.*}}, tensor<2xf32>
// CHECK-NEXT:    %[[R:.*]] = stablehlo.convert %{{.*}} : (tensor<2xf32>) -> tensor<2xbf16>
// CHECK-NEXT:    return %[[R]]
func.func @erf_of_bf16(%x: tensor<2xbf16>) -> tensor<2xbf16> {
  %0 = chlo.erf %x : tensor<2xbf16> -> tensor<2xbf16>
  return %0 : tensor<2xbf16>
}

// -----

// CHECK-LABEL: @top_k_sorts_and_slices
// CHECK-SAME:    (%[[X:.*]]: tensor<3x5xf32>)
// CHECK:         %[[I:.*]] = stablehlo.iota dim = 1
// CHECK:         %[[S:.*]]:2 = "stablehlo.sort"(%[[X]], %[[I]]) <{dimension = 1 : i64, is_stable = true}>
// CHECK:           stablehlo.compare GT, %{{.*}}, %{{.*}}, TOTALORDER
// CHECK:         stablehlo.slice %[[S]]#0 [0:3, 0:2]
// CHECK:         stablehlo.slice %[[S]]#1 [0:3, 0:2]
func.func @top_k_sorts_and_slices(%x: tensor<3x5xf32>) -> (tensor<3x2xf32>, tensor<3x2xi32>) {
  %0, %1 = chlo.top_k(%x, k = 2) : tensor<3x5xf32> -> (tensor<3x2xf32>, tensor<3x2xi32>)
  return %0, %1 : tensor<3x2xf32>, tensor<3x2xi32>
}

// -----

// CHECK-LABEL: @broadcast_then_compare
// CHECK-SAME:    (%[[X:.*]]: tensor<2xf32>, %[[Y:.*]]: tensor<f32>)
// CHECK-NEXT:    %[[B:.*]] = stablehlo.broadcast_in_dim %[[Y]], dims = []
// CHECK-NEXT:    stablehlo.compare LT, %[[X]], %[[B]], FLOAT
func.func @broadcast_then_compare(%x: tensor<2xf32>, %y: tensor<f32>) -> tensor<2xi1> {
  %0 = chlo.broadcast_compare %x, %y {compare_type = #chlo<comparison_type FLOAT>, comparison_direction = #chlo<comparison_direction LT>} : (tensor<2xf32>, tensor<f32>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}

// -----

// Kahan's formulas, in f64.
// CHECK-LABEL: @acos_of_complex
// CHECK-COUNT-2: stablehlo.sqrt {{.*}} : tensor<2xcomplex<f64>>
// CHECK:         %[[RE:.*]] = stablehlo.convert {{.*}} -> tensor<2xf32>
// CHECK:         %[[IM:.*]] = stablehlo.convert {{.*}} -> tensor<2xf32>
// CHECK-NEXT:    %[[R:.*]] = stablehlo.complex %[[RE]], %[[IM]] : tensor<2xcomplex<f32>>
// CHECK-NEXT:    return %[[R]]
func.func @acos_of_complex(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  %0 = chlo.acos %x : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}
