// RUN: xla-opt %s --xla-import-shardings --split-input-file | FileCheck %s

// Each use of a constant may have another sharding, so each has its own constant.

// CHECK-LABEL: @constants_are_split_by_use
// CHECK-DAG:     %[[A:.*]] = stablehlo.broadcast_in_dim
// CHECK-DAG:     %[[B:.*]] = stablehlo.broadcast_in_dim
// CHECK:         stablehlo.add %arg0, %[[A:[0-9]+]]
// CHECK-NOT:     stablehlo.add %arg1, %[[A]]
func.func @constants_are_split_by_use(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %c = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> tensor<8xf32>
  %1 = stablehlo.add %x, %0 : tensor<8xf32>
  %2 = stablehlo.add %y, %0 : tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}

// What is sharded like another value stays so in every copy of it.

// CHECK-LABEL: @copies_of_a_constant_are_in_its_group
// CHECK-DAG:     %[[A:.*]] = stablehlo.constant
// CHECK-DAG:     sdy.sharding_group %[[A]] group_id=0
// CHECK-DAG:     %[[B:.*]] = stablehlo.constant
// CHECK-DAG:     sdy.sharding_group %[[B]] group_id=0
// CHECK-DAG:     sdy.sharding_group %arg0 group_id=0
// CHECK:         return
func.func @copies_of_a_constant_are_in_its_group(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %c = stablehlo.constant dense<1.0> : tensor<8xf32>
  sdy.sharding_group %c group_id=0 : tensor<8xf32>
  sdy.sharding_group %x group_id=0 : tensor<8xf32>
  %0 = stablehlo.add %x, %c : tensor<8xf32>
  return %0, %c : tensor<8xf32>, tensor<8xf32>
}

// -----

sdy.mesh @mesh = <["x"=4]>

// A constraint with nothing open is the sharding of the value itself.

// CHECK-LABEL: @constraint_binds_its_operand
// CHECK:         stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>}
func.func @constraint_binds_its_operand(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %x : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// CHECK-LABEL: @open_constraint_does_not
// CHECK:         stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}]>]>}
func.func @open_constraint_does_not(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %x : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"x", ?}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// CHECK-LABEL: @two_constraints_do_not
// CHECK:         stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}]>]>}
func.func @two_constraints_do_not(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.negate %x : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}]> : tensor<8xf32>
  %2 = sdy.sharding_constraint %0 <@mesh, [{}]> : tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}

// Where an argument is constrained, what comes later sees the constraint.

// CHECK-LABEL: @constraint_of_an_argument_binds_later_uses
// CHECK:         %[[C:.*]] = sdy.sharding_constraint %arg0
// CHECK:         stablehlo.negate %[[C]]
func.func @constraint_of_an_argument_binds_later_uses(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = sdy.sharding_constraint %x <@mesh, [{"x"}]> : tensor<8xf32>
  %1 = stablehlo.negate %x : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: @later_uses_see_the_end_of_a_chain
// CHECK:         sdy.sharding_constraint %{{.*}} <@mesh, [{"x"}]>
// CHECK:         %[[END:.*]] = sdy.sharding_constraint %{{.*}} <@mesh, [{}]>
// CHECK:         stablehlo.abs %[[END]]
func.func @later_uses_see_the_end_of_a_chain(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.negate %x : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}]> : tensor<8xf32>
  %2 = sdy.sharding_constraint %1 <@mesh, [{}]> : tensor<8xf32>
  %3 = stablehlo.abs %0 : tensor<8xf32>
  return %2, %3 : tensor<8xf32>, tensor<8xf32>
}

// -----

sdy.mesh @mesh = <["x"=4, "one"=1]>

// Axes of size 1 cut nothing.

// CHECK-LABEL: @axes_of_one_go
// CHECK-SAME:    <@mesh, [{"x"}, {}]>
func.func @axes_of_one_go(%x: tensor<8x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"one", "x"}, {}]>}) -> tensor<8x2xf32> {
  return %x : tensor<8x2xf32>
}

// -----

sdy.mesh @mesh = <["x"=4]>

// What a callee says of its arguments and results holds where it is called.

// CHECK-LABEL: @main
// CHECK-NEXT:    %[[IN:.*]] = sdy.sharding_constraint %arg0 <@mesh, [{"x"}]>
// CHECK-NEXT:    %[[NEG:.*]] = stablehlo.negate %[[IN]]
// CHECK-NEXT:    sdy.sharding_constraint %[[NEG]] <@mesh, [{?}]>
// CHECK-NOT:     call
// CHECK-NOT:     @inner
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @inner(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @inner(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}) {
  %0 = stablehlo.negate %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}
