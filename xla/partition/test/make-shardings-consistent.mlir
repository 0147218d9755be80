// RUN: xla-opt %s --xla-make-shardings-consistent --split-input-file | FileCheck %s

sdy.mesh @mesh = <["a"=4, "b"=2]>

// CHECK-LABEL: @operands_move_to_the_result
// CHECK:         %[[Y:.*]] = sdy.reshard %arg1 <@mesh, [{"a"}]>
// CHECK-NEXT:    stablehlo.add %arg0, %[[Y]]
// CHECK-NEXT:    return
func.func @operands_move_to_the_result(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>},
                                       %y: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  %0 = stablehlo.add %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// One move serves all that need it.

// CHECK-LABEL: @moves_are_shared
// CHECK:         %[[Y:.*]] = sdy.reshard
// CHECK-NOT:     sdy.reshard
// CHECK:         stablehlo.multiply %{{.*}}, %[[Y]]
func.func @moves_are_shared(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>},
                            %y: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  %0 = stablehlo.add %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : tensor<8xf32>
  %1 = stablehlo.multiply %0, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// CHECK-LABEL: @sums_over_a_cut_dimension_are_pending
// CHECK:         %[[DOT:.*]] = stablehlo.dot_general {{.*}}[<@mesh, [{"a"}, {}], unreduced={"b"}>]
// CHECK-NEXT:    sdy.all_reduce {"b"} %[[DOT]] out_sharding=<@mesh, [{"a"}, {}]>
func.func @sums_over_a_cut_dimension_are_pending(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>},
                                                 %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// CHECK-LABEL: @a_maximum_is_pending_as_such
// CHECK:         %[[MAX:.*]] = stablehlo.reduce
// CHECK-SAME:    unreduced=max{"a"}
// CHECK:         sdy.all_reduce {"a"} %[[MAX]]
func.func @a_maximum_is_pending_as_such(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %i: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.reduce(%x init: %i) applies stablehlo.maximum across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// A pending sum that is wanted so is left; a sum of two of them is one.

// CHECK-LABEL: @pending_sums_stay_pending
// CHECK:         %[[DOT:.*]] = stablehlo.dot_general {{.*}}unreduced={"b"}
// CHECK-NEXT:    %[[SUM:.*]] = stablehlo.add %[[DOT]], %[[DOT]] {{.*}}unreduced={"b"}
// CHECK-NEXT:    return %[[SUM]]
func.func @pending_sums_stay_pending(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b"}]>},
                                     %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"b"}>}) {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"b"}>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.add %0, %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"b"}>]>} : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// What must be whole along one dimension is cut along another meanwhile.

// CHECK-LABEL: @sorts_exchange_pieces
// CHECK:         %[[IN:.*]] = sdy.reshard %arg0 <@mesh, [{}, {"a"}]>
// CHECK:         %[[SORT:.*]] = "stablehlo.sort"(%[[IN]])
// CHECK:         [<@mesh, [{}, {"a"}]>]
// CHECK:         sdy.reshard %[[SORT]] <@mesh, [{"a"}, {}]>
func.func @sorts_exchange_pieces(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) {
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %lt = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %lt : tensor<i1>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// CHECK-LABEL: @unknown_calls_see_whole_arrays
// CHECK:         %[[X:.*]] = sdy.reshard %arg0 <@mesh, [{}]>
// CHECK-NEXT:    stablehlo.custom_call @who(%[[X]])
func.func @unknown_calls_see_whole_arrays(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<8xf32> {
  %0 = stablehlo.custom_call @who(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Constraints and groups have done their work.

// CHECK-LABEL: @marks_become_moves
// CHECK-NOT:     sdy.sharding_constraint
// CHECK-NOT:     sdy.sharding_group
// CHECK:         sdy.reshard %arg0 <@mesh, [{"b"}]>
func.func @marks_become_moves(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) {
  %0 = sdy.sharding_constraint %x <@mesh, [{"a"}]> : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"b"}]> : tensor<8xf32>
  sdy.sharding_group %1 group_id=0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// CHECK-LABEL: @loops_carry_what_they_say
// CHECK:         %[[IN:.*]] = sdy.reshard %arg0 <@mesh, [{"a"}]>
// CHECK:         stablehlo.while(%{{.*}} = %[[IN]]
func.func @loops_carry_what_they_say(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %p: tensor<i1>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  %0:2 = stablehlo.while(%v = %x, %q = %p) : tensor<8xf32>, tensor<i1> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>, <@mesh, []>]>}
    cond { stablehlo.return %q : tensor<i1> }
    do { stablehlo.return %v, %q : tensor<8xf32>, tensor<i1> }
  return %0#0 : tensor<8xf32>
}

// -----

// What the end of a branch moves is moved before its first reader there.
// CHECK-LABEL: @moved_within_a_branch
module @moved_within_a_branch attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%x: tensor<4xui64> {sdy.sharding = #sdy.sharding<@mesh, [{}]>},
                         %p: tensor<i1> {sdy.sharding = #sdy.sharding<@mesh, []>}) -> tensor<4xui64> {
    // CHECK:      stablehlo.if
    // CHECK-NEXT: %[[MOVED:.*]] = sdy.reshard %{{.*}} <@mesh, [{"x"}]>
    // CHECK-NEXT: stablehlo.negate %[[MOVED]]
    // CHECK:      stablehlo.return %[[MOVED]]
    %0 = "stablehlo.if"(%p) ({
      %1 = stablehlo.negate %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<4xui64>
      "stablehlo.return"(%x) : (tensor<4xui64>) -> ()
    }, {
      "stablehlo.return"(%x) : (tensor<4xui64>) -> ()
    }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<i1>) -> tensor<4xui64>
    return %0 : tensor<4xui64>
  }
}
