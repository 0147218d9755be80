// RUN: xla-opt %s --xla-expand-reflections --split-input-file | FileCheck %s

// CHECK-LABEL: @factors
// CHECK-SAME:    (%[[A:.*]]: tensor<2x5x3xf32>)
// CHECK:         %[[TAUS:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<2x3xf32>
// CHECK:         %[[LOOP:.*]]:3 = stablehlo.while(%[[I:.*]] = %{{.*}}, %[[X:.*]] = %[[A]], %{{.*}} = %[[TAUS]])
// CHECK:           %[[COUNT:.*]] = stablehlo.constant dense<3> : tensor<i32>
// CHECK:           stablehlo.compare LT, %[[I]], %[[COUNT]]
// CHECK:           stablehlo.dynamic_slice %[[X]], %{{.*}}, %{{.*}}, %[[I]], sizes = [2, 5, 1]
// CHECK:           stablehlo.sqrt %{{.*}} : tensor<2xf32>
// CHECK:         return %[[LOOP]]#1, %[[LOOP]]#2
func.func @factors(%a: tensor<2x5x3xf32>) -> (tensor<2x5x3xf32>, tensor<2x3xf32>) {
  %0:2 = stablehlo.custom_call @Qr(%a) : (tensor<2x5x3xf32>) -> (tensor<2x5x3xf32>, tensor<2x3xf32>)
  return %0#0, %0#1 : tensor<2x5x3xf32>, tensor<2x3xf32>
}

// -----

// The last reflection is the first to be applied.
// CHECK-LABEL: @product
// CHECK-SAME:    (%[[A:.*]]: tensor<4x4xcomplex<f64>>, %[[TAUS:.*]]: tensor<3xcomplex<f64>>)
// CHECK:         %[[LOOP:.*]]:2 = stablehlo.while(%[[I:.*]] = %{{.*}}, %{{.*}} = %{{.*}})
// CHECK:           %[[LAST:.*]] = stablehlo.constant dense<2> : tensor<i32>
// CHECK:           %[[J:.*]] = stablehlo.subtract %[[LAST]], %[[I]]
// CHECK:           stablehlo.dynamic_slice %[[A]], %{{.*}}, %[[J]], sizes = [4, 1]
// CHECK:         return %[[LOOP]]#1
func.func @product(%a: tensor<4x4xcomplex<f64>>, %taus: tensor<3xcomplex<f64>>) -> tensor<4x4xcomplex<f64>> {
  %0 = stablehlo.custom_call @ProductOfElementaryHouseholderReflectors(%a, %taus) : (tensor<4x4xcomplex<f64>>, tensor<3xcomplex<f64>>) -> tensor<4x4xcomplex<f64>>
  return %0 : tensor<4x4xcomplex<f64>>
}

// -----

// Matrices without rows have no reflections.
// CHECK-LABEL: @nothing
// CHECK-SAME:    (%[[A:.*]]: tensor<0x3xf32>)
// CHECK:         %[[TAUS:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<0xf32>
// CHECK-NEXT:    return %[[A]], %[[TAUS]]
func.func @nothing(%a: tensor<0x3xf32>) -> (tensor<0x3xf32>, tensor<0xf32>) {
  %0:2 = stablehlo.custom_call @Qr(%a) : (tensor<0x3xf32>) -> (tensor<0x3xf32>, tensor<0xf32>)
  return %0#0, %0#1 : tensor<0x3xf32>, tensor<0xf32>
}

// -----

// A number of factors that does not fit, and types that it does not compute in, are left to a handler.
// CHECK-LABEL: @others
// CHECK:         custom_call @Qr
// CHECK:         custom_call @Qr
// CHECK:         custom_call @ProductOfElementaryHouseholderReflectors
func.func @others(%a: tensor<5x3xf32>, %b: tensor<5x3xbf16>, %taus: tensor<4xf32>) -> (tensor<2xf32>, tensor<3xbf16>, tensor<5x3xf32>) {
  %0:2 = stablehlo.custom_call @Qr(%a) : (tensor<5x3xf32>) -> (tensor<5x3xf32>, tensor<2xf32>)
  %1:2 = stablehlo.custom_call @Qr(%b) : (tensor<5x3xbf16>) -> (tensor<5x3xbf16>, tensor<3xbf16>)
  %2 = stablehlo.custom_call @ProductOfElementaryHouseholderReflectors(%a, %taus) : (tensor<5x3xf32>, tensor<4xf32>) -> tensor<5x3xf32>
  return %0#1, %1#1, %2 : tensor<2xf32>, tensor<3xbf16>, tensor<5x3xf32>
}
