// RUN: xla-opt %s --xla-localize --split-input-file | FileCheck %s

// One row from the device behind.
// CHECK-LABEL: @shifted
module @shifted attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  // CHECK:      func.func public @main(%[[X:.*]]: tensor<4x8xf32>)
  // CHECK-NEXT: %[[EDGE:.*]] = stablehlo.slice %[[X]] [0:1, 0:8]
  // CHECK-NEXT: %[[NEXT:.*]] = "stablehlo.collective_permute"(%[[EDGE]])
  // CHECK-SAME{LITERAL}: dense<[[1, 0], [2, 1], [3, 2]]>
  // CHECK-NEXT: stablehlo.concatenate %[[X]], %[[NEXT]], dim = 0
  // CHECK-NOT:  all_gather
  func.func public @main(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
      -> tensor<14x8xf32> {
    %0 = stablehlo.slice %x [1:15, 0:8] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<16x8xf32>) -> tensor<14x8xf32>
    %1 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<14x8xf32>
    // CHECK: stablehlo.negate %{{.*}} : tensor<4x8xf32>
    // CHECK: all_gather
    return %1 : tensor<14x8xf32>
  }
}

// -----

// Edges both ways; beyond the array there are zeros.
// CHECK-LABEL: @convolution
module @convolution attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  // CHECK-COUNT-2: "stablehlo.collective_permute"
  // CHECK:         stablehlo.concatenate
  // CHECK:         stablehlo.select
  // CHECK:         stablehlo.convolution
  // CHECK-SAME:    (tensor<1x6x3xf32>, tensor<3x3x2xf32>) -> tensor<1x4x2xf32>
  // CHECK-NEXT:    return
  func.func public @main(%x: tensor<1x16x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>},
                         %k: tensor<3x3x2xf32>)
      -> (tensor<1x16x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}) {
    %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
        window = {stride = [1], pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
        : (tensor<1x16x3xf32>, tensor<3x3x2xf32>) -> tensor<1x16x2xf32>
    return %0 : tensor<1x16x2xf32>
  }
}

// -----

// CHECK-LABEL: @reversed
module @reversed attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  // CHECK:      stablehlo.reverse %{{.*}}, dims = [0] : tensor<2xf32>
  // CHECK-NEXT: "stablehlo.collective_permute"
  // CHECK-SAME{LITERAL}: dense<[[3, 0], [2, 1], [1, 2], [0, 3]]>
  // CHECK-NEXT: return
  func.func public @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
      -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0 = stablehlo.reverse %x, dims = [0] : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}

// -----

// Windows that tile the array: each device scatters what is its own.
// CHECK-LABEL: @tiled_windows
module @tiled_windows attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  // CHECK-NOT: all_gather
  // CHECK:     stablehlo.select_and_scatter
  // CHECK:     (tensor<3xi64>, tensor<1xi64>, tensor<i64>) -> tensor<3xi64>
  func.func public @main(%x: tensor<6xi64> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
                         %s: tensor<2xi64> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
      -> (tensor<6xi64> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %zero = stablehlo.constant dense<0> : tensor<i64>
    %0 = "stablehlo.select_and_scatter"(%x, %s, %zero) <{window_dimensions = array<i64: 3>, window_strides = array<i64: 3>}> ({
      ^bb0(%a: tensor<i64>, %b: tensor<i64>):
      %1 = stablehlo.compare GE, %a, %b : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }, {
      ^bb0(%a: tensor<i64>, %b: tensor<i64>):
      %1 = stablehlo.add %a, %b : tensor<i64>
      stablehlo.return %1 : tensor<i64>
    }) : (tensor<6xi64>, tensor<2xi64>, tensor<i64>) -> tensor<6xi64>
    return %0 : tensor<6xi64>
  }
}

// -----

// The same with a row beyond the end that no window needs: the source is not divided
// with the array, so no device has its row of it and all rows are scattered whole.
// CHECK-LABEL: @padded_windows
module @padded_windows attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  // CHECK: stablehlo.select_and_scatter
  // CHECK: (tensor<6xi64>, tensor<2xi64>, tensor<i64>) -> tensor<6xi64>
  func.func public @main(%x: tensor<6xi64> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
                         %s: tensor<2xi64> {sdy.sharding = #sdy.sharding<@mesh, [{}]>})
      -> (tensor<6xi64> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %zero = stablehlo.constant dense<0> : tensor<i64>
    %0 = "stablehlo.select_and_scatter"(%x, %s, %zero) <{padding = dense<[[0, 1]]> : tensor<1x2xi64>, window_dimensions = array<i64: 3>, window_strides = array<i64: 3>}> ({
      ^bb0(%a: tensor<i64>, %b: tensor<i64>):
      %1 = stablehlo.compare GE, %a, %b : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }, {
      ^bb0(%a: tensor<i64>, %b: tensor<i64>):
      %1 = stablehlo.add %a, %b : tensor<i64>
      stablehlo.return %1 : tensor<i64>
    }) : (tensor<6xi64>, tensor<2xi64>, tensor<i64>) -> tensor<6xi64>
    return %0 : tensor<6xi64>
  }
}
