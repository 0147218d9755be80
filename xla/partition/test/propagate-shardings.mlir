// RUN: xla-opt %s --xla-propagate-shardings --split-input-file | FileCheck %s

sdy.mesh @mesh = <["a"=4, "b"=2]>

// CHECK-LABEL: @forward_through_moves
// CHECK:         stablehlo.transpose {{.*}}[<@mesh, [{"b"}, {"a"}]>]
// CHECK:         stablehlo.reshape {{.*}}[<@mesh, [{"b"}, {"a"}, {}]>]
func.func @forward_through_moves(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}) -> tensor<16x4x2xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
  %1 = stablehlo.reshape %0 : (tensor<16x8xf32>) -> tensor<16x4x2xf32>
  return %1 : tensor<16x4x2xf32>
}

// CHECK-LABEL: @backward_from_a_result
// CHECK-SAME:    %arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}
func.func @backward_from_a_result(%x: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  %0 = stablehlo.negate %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: @closed_stays_closed
// CHECK-SAME:    %arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}
func.func @closed_stays_closed(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  %0 = stablehlo.negate %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// The longer array decides which factor of a product an axis cuts.

// CHECK-LABEL: @dot
// CHECK:         stablehlo.dot_general {{.*}}[<@mesh, [{}, {"a"}]>]
func.func @dot(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>},
               %w: tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"a"}]>}) -> tensor<16x32xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<16x8xf32>, tensor<8x32xf32>) -> tensor<16x32xf32>
  return %0 : tensor<16x32xf32>
}

// Lists of axes that begin alike agree on the beginning.

// CHECK-LABEL: @common_prefix
// CHECK:         stablehlo.add {{.*}}[<@mesh, [{"a":(1)2}]>]
func.func @common_prefix(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a":(1)2, "b"}]>},
                         %y: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<8xf32> {
  %0 = stablehlo.add %x, %y : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Priority 0 comes first, and the other has to do with what is left.

// CHECK-LABEL: @priorities
// CHECK:         stablehlo.add {{.*}}[<@mesh, [{}, {"a"}]>]
func.func @priorities(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}p1, {?}]>},
                      %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a"}]>}) -> tensor<8x8xf32> {
  %0 = stablehlo.add %x, %y : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// The result of a loop, its carry within and what goes in are sharded alike.

// CHECK-LABEL: @loops
// CHECK:         stablehlo.while
// CHECK-SAME:    sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>, <@mesh, []>]>
// CHECK:         stablehlo.add {{.*}}[<@mesh, [{"a"}]>]
func.func @loops(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %p: tensor<i1>) -> tensor<8xf32> {
  %0:2 = stablehlo.while(%v = %x, %q = %p) : tensor<8xf32>, tensor<i1>
    cond { stablehlo.return %q : tensor<i1> }
    do {
      %1 = stablehlo.add %v, %v : tensor<8xf32>
      stablehlo.return %1, %q : tensor<8xf32>, tensor<i1>
    }
  return %0#0 : tensor<8xf32>
}

// Free axes go through a manual computation, behind the manual ones.

// CHECK-LABEL: @manual_computations
// CHECK:         sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"a", "b"}]>] out_shardings=[<@mesh, [{"a", "b"}]>]
// CHECK:         stablehlo.negate {{.*}}[<@mesh, [{"b"}]>]
func.func @manual_computations(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}]>}) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a", ?}]>] out_shardings=[<@mesh, [{"a", ?}]>] manual_axes={"a"} (%v: tensor<2xf32>) {
    %1 = stablehlo.negate %v : tensor<2xf32>
    sdy.return %1 : tensor<2xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

sdy.mesh @mesh = <["x"=8]>

// A dimension that the axis does not divide is cut inside, but a result of main
// is not. An axis that is too long for a dimension is used in part.

// CHECK-LABEL: @main
// CHECK-SAME:    -> (tensor<10xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>})
// CHECK:         stablehlo.negate {{.*}}[<@mesh, [{"x"}]>]
// CHECK:         stablehlo.reshape {{.*}}[<@mesh, [{"x":(1)4}, {"x":(4)2}]>]
func.func @main(%x: tensor<10xf32>, %y: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<10xf32>, tensor<4x4xf32>) {
  %0 = sdy.sharding_constraint %x <@mesh, [{"x"}]> : tensor<10xf32>
  %1 = stablehlo.negate %0 : tensor<10xf32>
  %2 = stablehlo.reshape %y : (tensor<16xf32>) -> tensor<4x4xf32>
  return %1, %2 : tensor<10xf32>, tensor<4x4xf32>
}

// -----

// What a front end says itself is kept, part of an axis too; what it leaves open
// gets whole axes.
// CHECK-LABEL: @parts_of_axes_at_the_boundary
module @parts_of_axes_at_the_boundary {
  sdy.mesh @mesh = <["x"=8]>
  // CHECK:      @main(%{{.*}}: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}, {}]>})
  // CHECK-SAME: -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}, {}]>},
  // CHECK-SAME:     tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>})
  func.func public @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}, {}]>})
      -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}, {?}]>}, tensor<8x4xf32>) {
    %0 = stablehlo.add %a, %a : tensor<8x4xf32>
    %1 = stablehlo.negate %a : tensor<8x4xf32>
    return %0, %1 : tensor<8x4xf32>, tensor<8x4xf32>
  }
}
