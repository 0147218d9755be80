// RUN: xla-opt %s --xla-merge-operations --split-input-file | FileCheck %s

// Branches that do the same on one condition are one; where they differ, within
// a region or in what they read from outside, they are not.

// CHECK-LABEL: func.func @main(
// CHECK-COUNT-3: "stablehlo.if"(
// CHECK-NOT:     "stablehlo.if"(
func.func @main(%p: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = "stablehlo.if"(%p) ({
    %a = stablehlo.sine %x : tensor<4xf32>
    stablehlo.return %a : tensor<4xf32>
  }, {
    %a = stablehlo.negate %x : tensor<4xf32>
    stablehlo.return %a : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  %1 = "stablehlo.if"(%p) ({
    %a = stablehlo.sine %x : tensor<4xf32>
    stablehlo.return %a : tensor<4xf32>
  }, {
    %a = stablehlo.negate %x : tensor<4xf32>
    stablehlo.return %a : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  %2 = "stablehlo.if"(%p) ({
    %a = stablehlo.sine %x : tensor<4xf32>
    stablehlo.return %a : tensor<4xf32>
  }, {
    %a = stablehlo.negate %y : tensor<4xf32>
    stablehlo.return %a : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  %3 = "stablehlo.if"(%p) ({
    %a = stablehlo.sine %x : tensor<4xf32>
    stablehlo.return %a : tensor<4xf32>
  }, {
    %a = stablehlo.abs %x : tensor<4xf32>
    stablehlo.return %a : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// What only dead operations read is dead, in and outside regions; what stands
// before is found from within.

// CHECK-LABEL: func.func @main(
// CHECK-NEXT:    %[[S:.*]] = stablehlo.sine
// CHECK-NEXT:    "stablehlo.if"
// CHECK-NEXT:      stablehlo.return %[[S]]
// CHECK-NOT:     stablehlo.cosine
// CHECK:         return
func.func @main(%p: tensor<i1>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %s = stablehlo.sine %x : tensor<4xf32>
  %c = stablehlo.cosine %x : tensor<4xf32>
  %0 = "stablehlo.if"(%p) ({
    %a = stablehlo.sine %x : tensor<4xf32>
    stablehlo.return %a : tensor<4xf32>
  }, {
    %a = stablehlo.cosine %c : tensor<4xf32>
    %b = stablehlo.cosine %a : tensor<4xf32>
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return %0, %s : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @allocations_are_not_merged
// CHECK-COUNT-2: stablehlo.custom_call @AllocateBuffer
func.func @allocations_are_not_merged() -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = stablehlo.custom_call @AllocateBuffer() : () -> tensor<4xf32>
  %1 = stablehlo.custom_call @AllocateBuffer() : () -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
