// RUN: xla-opt %s --xla-widen-sort-keys --split-input-file | FileCheck %s

// Short integers are sorted as long ones, and what is sorted with them as it is.

// CHECK-LABEL: func.func @main(
// CHECK:         %[[KEYS:.*]] = stablehlo.convert %{{.*}} : (tensor<9xi8>) -> tensor<9xi32>
// CHECK:         %[[SORTED:.*]]:2 = "stablehlo.sort"(%[[KEYS]], %{{.*}})
// CHECK:         stablehlo.compare{{ *}}LT, {{.*}} : (tensor<i32>, tensor<i32>) -> tensor<i1>
// CHECK:         : (tensor<9xi32>, tensor<9xf32>) -> (tensor<9xi32>, tensor<9xf32>)
// CHECK:         stablehlo.convert %[[SORTED]]#0 : (tensor<9xi32>) -> tensor<9xi8>
func.func @main(%keys: tensor<9xi8>, %with: tensor<9xf32>) -> (tensor<9xi8>, tensor<9xf32>) {
  %0:2 = "stablehlo.sort"(%keys, %with) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%a: tensor<i8>, %b: tensor<i8>, %c: tensor<f32>, %d: tensor<f32>):
      %less = stablehlo.compare LT, %a, %b, SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
      stablehlo.return %less : tensor<i1>
  }) : (tensor<9xi8>, tensor<9xf32>) -> (tensor<9xi8>, tensor<9xf32>)
  return %0#0, %0#1 : tensor<9xi8>, tensor<9xf32>
}

// -----

// Any other order is left as it is.

// CHECK-LABEL: func.func @main(
// CHECK-NOT:     stablehlo.convert
// CHECK:         "stablehlo.sort"
// CHECK:         stablehlo.subtract {{.*}} : tensor<i8>
func.func @main(%keys: tensor<9xi8>) -> tensor<9xi8> {
  %0 = "stablehlo.sort"(%keys) <{dimension = 0 : i64}> ({
    ^bb0(%a: tensor<i8>, %b: tensor<i8>):
      %zero = stablehlo.constant dense<0> : tensor<i8>
      %difference = stablehlo.subtract %a, %b : tensor<i8>
      %less = stablehlo.compare LT, %difference, %zero, SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
      stablehlo.return %less : tensor<i1>
  }) : (tensor<9xi8>) -> tensor<9xi8>
  return %0 : tensor<9xi8>
}
