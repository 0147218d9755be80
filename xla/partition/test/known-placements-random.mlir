// Random programs as JAX's front end writes them, and where Shardy was seen to lay
// their results over devices.

// RUN: xla-opt %s --split-input-file --xla-simplify-custom-calls --xla-call-composites --xla-lower-chlo --xla-import-shardings --xla-propagate-shardings | FileCheck %s

// CHECK-LABEL: module @rand_0 attributes
// CHECK: -> (tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>})
module @rand_0 attributes {mhlo.num_partitions = 6 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg1: tensor<24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<12xf32>, tensor<4xf32>) {
    %0 = stablehlo.slice %arg1 [0:12] : (tensor<24xf32>) -> tensor<12xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"y"}]> : tensor<12xf32>
    return %1, %arg0 : tensor<12xf32>, tensor<4xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_2 attributes
// CHECK: -> (tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>})
module @rand_2 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=8]>
  func.func public @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<2xf32>, tensor<2xf32>) {
    %0 = stablehlo.slice %arg0 [0:2] : (tensor<4xf32>) -> tensor<2xf32>
    return %0, %0 : tensor<2xf32>, tensor<2xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_4 attributes
// CHECK: -> (tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
module @rand_4 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<12xf32>, tensor<12xf32>) {
    %0 = call @_roll_static(%arg0) : (tensor<12xf32>) -> tensor<12xf32>
    return %0, %0 : tensor<12xf32>, tensor<12xf32>
  }
  func.func private @_roll_static(%arg0: tensor<12xf32>) -> tensor<12xf32> {
    %0 = stablehlo.slice %arg0 [11:12] : (tensor<12xf32>) -> tensor<1xf32>
    %1 = stablehlo.slice %arg0 [0:11] : (tensor<12xf32>) -> tensor<11xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1xf32>, tensor<11xf32>) -> tensor<12xf32>
    return %2 : tensor<12xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_5 attributes
// CHECK: -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>})
module @rand_5 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
  func.func public @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = stablehlo.slice %arg0 [0:8] : (tensor<16xf32>) -> tensor<8xf32>
    return %0, %0 : tensor<8xf32>, tensor<8xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_9 attributes
// CHECK: -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<8x8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>})
module @rand_9 attributes {mhlo.num_partitions = 6 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<8x8xf32>, tensor<8x8x4xf32>) {
    %0 = call @_roll_static(%arg0) : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [1, 2] : (tensor<8x4xf32>) -> tensor<1x8x4xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2] : (tensor<1x8x4xf32>) -> tensor<8x8x4xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x4xf32>
    %4 = stablehlo.multiply %arg0, %3 : tensor<8x4xf32>
    %5 = stablehlo.concatenate %arg0, %4, dim = 1 : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
    return %5, %2 : tensor<8x8xf32>, tensor<8x8x4xf32>
  }
  func.func private @_roll_static(%arg0: tensor<8x4xf32>) -> tensor<8x4xf32> {
    %0 = stablehlo.slice %arg0 [7:8, 0:4] : (tensor<8x4xf32>) -> tensor<1x4xf32>
    %1 = stablehlo.slice %arg0 [0:7, 0:4] : (tensor<8x4xf32>) -> tensor<7x4xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1x4xf32>, tensor<7x4xf32>) -> tensor<8x4xf32>
    return %2 : tensor<8x4xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_13 attributes
// CHECK: -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}, tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>})
module @rand_13 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
  func.func public @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> (tensor<8x16xf32>, tensor<8x16xf32>) {
    %0 = stablehlo.slice %arg0 [0:8, 0:16] : (tensor<16x16xf32>) -> tensor<8x16xf32>
    %1 = stablehlo.dot_general %0, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
    return %1, %0 : tensor<8x16xf32>, tensor<8x16xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_14 attributes
// CHECK: -> (tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<8x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>})
module @rand_14 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=8]>
  func.func public @main(%arg0: tensor<8x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<12xf32>, tensor<8x12xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<8x12xf32>, tensor<f32>) -> tensor<12xf32>
    %1 = call @cumsum(%0) : (tensor<12xf32>) -> tensor<12xf32>
    return %1, %arg0 : tensor<12xf32>, tensor<8x12xf32>
  }
  func.func private @cumsum(%arg0: tensor<12xf32>) -> tensor<12xf32> {
    %0 = call @cumsum_0(%arg0) : (tensor<12xf32>) -> tensor<12xf32>
    return %0 : tensor<12xf32>
  }
  func.func private @cumsum_0(%arg0: tensor<12xf32>) -> tensor<12xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1>, padding = dense<[[11, 0]]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 12>, window_strides = array<i64: 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<12xf32>, tensor<f32>) -> tensor<12xf32>
    return %1 : tensor<12xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_17 attributes
// CHECK: -> (tensor<24x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<24x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>})
module @rand_17 attributes {mhlo.num_partitions = 6 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(%arg0: tensor<4x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg1: tensor<24x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<24x16xf32>, tensor<24x16xf32>) {
    %0 = stablehlo.dot_general %arg1, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<24x4xf32>, tensor<4x16xf32>) -> tensor<24x16xf32>
    return %0, %0 : tensor<24x16xf32>, tensor<24x16xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_19 attributes
// CHECK: -> (tensor<6x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<6x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>})
module @rand_19 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=8]>
  func.func public @main(%arg0: tensor<12x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<6x2xf32>, tensor<6x2xf32>) {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{}, {}]> : tensor<12x4xf32>
    %1 = stablehlo.slice %0 [0:6, 0:4] : (tensor<12x4xf32>) -> tensor<6x4xf32>
    %2 = stablehlo.slice %1 [0:6, 0:2] : (tensor<6x4xf32>) -> tensor<6x2xf32>
    return %2, %2 : tensor<6x2xf32>, tensor<6x2xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_20 attributes
// CHECK: -> (tensor<24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>})
module @rand_20 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg1: tensor<24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<24xf32>, tensor<4xf32>) {
    return %arg1, %arg0 : tensor<24xf32>, tensor<4xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_21 attributes
// CHECK: -> (tensor<24x24x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y", "x"}, {}]>}, tensor<12x24x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>})
module @rand_21 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<12x24x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}, %arg1: tensor<24x24x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y", "x"}, {}]>}) -> (tensor<24x24x16xf32>, tensor<12x24x16xf32>) {
    return %arg1, %arg0 : tensor<24x24x16xf32>, tensor<12x24x16xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_22 attributes
// CHECK: -> (tensor<24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, tensor<24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>})
module @rand_22 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<24xf32>, tensor<24xf32>) {
    %0 = call @_roll_static(%arg0) : (tensor<24xf32>) -> tensor<24xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"y"}]> : tensor<24xf32>
    return %1, %arg0 : tensor<24xf32>, tensor<24xf32>
  }
  func.func private @_roll_static(%arg0: tensor<24xf32>) -> tensor<24xf32> {
    %0 = stablehlo.slice %arg0 [23:24] : (tensor<24xf32>) -> tensor<1xf32>
    %1 = stablehlo.slice %arg0 [0:23] : (tensor<24xf32>) -> tensor<23xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1xf32>, tensor<23xf32>) -> tensor<24xf32>
    return %2 : tensor<24xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_23 attributes
// CHECK: -> (tensor<8x24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"z"}]>}, tensor<24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z", "y", "x"}]>})
module @rand_23 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
  func.func public @main(%arg0: tensor<24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z", "y", "x"}]>}) -> (tensor<8x24xf32>, tensor<24xf32>) {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"z"}]> : tensor<24xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<24xf32>) -> tensor<1x24xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<1x24xf32>) -> tensor<8x24xf32>
    return %2, %arg0 : tensor<8x24xf32>, tensor<24xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_25 attributes
// CHECK: -> (tensor<4x24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}, tensor<4x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>})
module @rand_25 attributes {mhlo.num_partitions = 6 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(%arg0: tensor<4x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) -> (tensor<4x24xf32>, tensor<4x12xf32>) {
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x12xf32>
    %1 = stablehlo.multiply %arg0, %0 : tensor<4x12xf32>
    %2 = stablehlo.concatenate %arg0, %1, dim = 1 : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x24xf32>
    return %2, %arg0 : tensor<4x24xf32>, tensor<4x12xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_27 attributes
// CHECK: -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>})
module @rand_27 attributes {mhlo.num_partitions = 6 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) -> (tensor<16xf32>, tensor<16xf32>) {
    %0 = call @_roll_static(%arg0) : (tensor<16x8xf32>) -> tensor<16x8xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"y"}, {}]> : tensor<16x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<16x8xf32>, tensor<f32>) -> tensor<16xf32>
    return %2, %2 : tensor<16xf32>, tensor<16xf32>
  }
  func.func private @_roll_static(%arg0: tensor<16x8xf32>) -> tensor<16x8xf32> {
    %0 = stablehlo.slice %arg0 [0:16, 7:8] : (tensor<16x8xf32>) -> tensor<16x1xf32>
    %1 = stablehlo.slice %arg0 [0:16, 0:7] : (tensor<16x8xf32>) -> tensor<16x7xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 1 : (tensor<16x1xf32>, tensor<16x7xf32>) -> tensor<16x8xf32>
    return %2 : tensor<16x8xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_28 attributes
// CHECK: -> (tensor<12x24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
module @rand_28 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=8]>
  func.func public @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<12x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<12x24xf32>, tensor<16x16xf32>) {
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<12x12xf32>
    %1 = stablehlo.multiply %arg1, %0 : tensor<12x12xf32>
    %2 = stablehlo.concatenate %arg1, %1, dim = 1 : (tensor<12x12xf32>, tensor<12x12xf32>) -> tensor<12x24xf32>
    return %2, %arg0 : tensor<12x24xf32>, tensor<16x16xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_30 attributes
// CHECK: -> (tensor<32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>})
module @rand_30 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
  func.func public @main(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<32xf32>, tensor<32xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<4xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x8xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<4x8xf32>
    %6 = stablehlo.exponential %5 : tensor<4x8xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x8xf32>
    %10 = stablehlo.divide %6, %9 : tensor<4x8xf32>
    %11 = stablehlo.reshape %10 : (tensor<4x8xf32>) -> tensor<32xf32>
    %12 = stablehlo.reshape %arg0 : (tensor<4x8xf32>) -> tensor<32xf32>
    return %12, %11 : tensor<32xf32>, tensor<32xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_31 attributes
// CHECK: -> (tensor<24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>})
module @rand_31 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=8]>
  func.func public @main(%arg0: tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg1: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<24xf32>, tensor<16xf32>) {
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %1 = stablehlo.multiply %arg0, %0 : tensor<12xf32>
    %2 = stablehlo.concatenate %arg0, %1, dim = 0 : (tensor<12xf32>, tensor<12xf32>) -> tensor<24xf32>
    return %2, %arg1 : tensor<24xf32>, tensor<16xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_32 attributes
// CHECK: -> (tensor<112xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<112xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>})
module @rand_32 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=8]>
  func.func public @main(%arg0: tensor<12x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<112xf32>, tensor<112xf32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = call @_pad(%arg0, %c) : (tensor<12x8xf32>, tensor<i32>) -> tensor<14x8xf32>
    %1 = stablehlo.reshape %0 : (tensor<14x8xf32>) -> tensor<112xf32>
    return %1, %1 : tensor<112xf32>, tensor<112xf32>
  }
  func.func private @_pad(%arg0: tensor<12x8xf32>, %arg1: tensor<i32>) -> tensor<14x8xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.pad %arg0, %0, low = [1, 0], high = [1, 0], interior = [0, 0] : (tensor<12x8xf32>, tensor<f32>) -> tensor<14x8xf32>
    return %1 : tensor<14x8xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_33 attributes
// CHECK: -> (tensor<12x24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<12x24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>})
module @rand_33 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<12x24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<12x24xf32>, tensor<12x24xf32>) {
    %0 = stablehlo.add %arg0, %arg0 : tensor<12x24xf32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.maximum across dimensions = [0] : (tensor<12x24xf32>, tensor<f32>) -> tensor<24xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [1] : (tensor<24xf32>) -> tensor<1x24xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<1x24xf32>) -> tensor<12x24xf32>
    %4 = stablehlo.multiply %3, %0 : tensor<12x24xf32>
    return %4, %arg0 : tensor<12x24xf32>, tensor<12x24xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_34 attributes
// CHECK: -> (tensor<8x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, tensor<8x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>})
module @rand_34 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
  func.func public @main(%arg0: tensor<8x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<8x12xf32>, tensor<8x12xf32>) {
    %0 = call @_roll_static(%arg0) : (tensor<8x12xf32>) -> tensor<8x12xf32>
    return %0, %arg0 : tensor<8x12xf32>, tensor<8x12xf32>
  }
  func.func private @_roll_static(%arg0: tensor<8x12xf32>) -> tensor<8x12xf32> {
    %0 = stablehlo.slice %arg0 [7:8, 0:12] : (tensor<8x12xf32>) -> tensor<1x12xf32>
    %1 = stablehlo.slice %arg0 [0:7, 0:12] : (tensor<8x12xf32>) -> tensor<7x12xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1x12xf32>, tensor<7x12xf32>) -> tensor<8x12xf32>
    return %2 : tensor<8x12xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_35 attributes
// CHECK: -> (tensor<2x8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}, tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>})
module @rand_35 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
  func.func public @main(%arg0: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<2x8x4xf32>, tensor<16x4xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<16x4xf32>, tensor<f32>) -> tensor<16xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<16xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<16xf32>) -> tensor<16x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<16x1xf32>) -> tensor<16x4xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<16x4xf32>
    %6 = stablehlo.exponential %5 : tensor<16x4xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<16x4xf32>, tensor<f32>) -> tensor<16xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<16xf32>) -> tensor<16x1xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<16x1xf32>) -> tensor<16x4xf32>
    %10 = stablehlo.divide %6, %9 : tensor<16x4xf32>
    %11 = stablehlo.reshape %10 : (tensor<16x4xf32>) -> tensor<2x8x4xf32>
    return %11, %10 : tensor<2x8x4xf32>, tensor<16x4xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_36 attributes
// CHECK: -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}]>}, tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}]>})
module @rand_36 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
  func.func public @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}]>}) -> (tensor<4xf32>, tensor<4xf32>) {
    return %arg0, %arg0 : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_37 attributes
// CHECK: -> (tensor<4x12x24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}, tensor<12x24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>})
module @rand_37 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=8]>
  func.func public @main(%arg0: tensor<12x24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<4x12x24xf32>, tensor<12x24xf32>) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [1, 2] : (tensor<12x24xf32>) -> tensor<1x12x24xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 2] : (tensor<1x12x24xf32>) -> tensor<4x12x24xf32>
    return %1, %arg0 : tensor<4x12x24xf32>, tensor<12x24xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_38 attributes
// CHECK: -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>})
module @rand_38 attributes {mhlo.num_partitions = 6 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) -> (tensor<4xf32>, tensor<4xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.maximum %cst_0, %0 : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<1xf32>) -> tensor<4xf32>
    %4 = stablehlo.subtract %arg0, %3 : tensor<4xf32>
    %5 = stablehlo.exponential %4 : tensor<4xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.reduce(%5 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<1xf32>) -> tensor<4xf32>
    %9 = stablehlo.divide %5, %8 : tensor<4xf32>
    return %9, %arg0 : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_39 attributes
// CHECK: -> (tensor<8x24x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}, {"x"}]>}, tensor<8x24x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}, {"x"}]>})
module @rand_39 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<12x24x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}, {}]>}) -> (tensor<8x24x12xf32>, tensor<8x24x12xf32>) {
    %0 = stablehlo.transpose %arg0, dims = [2, 1, 0] : (tensor<12x24x8xf32>) -> tensor<8x24x12xf32>
    return %0, %0 : tensor<8x24x12xf32>, tensor<8x24x12xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_40 attributes
// CHECK: -> (tensor<4x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}, tensor<4x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>})
module @rand_40 attributes {mhlo.num_partitions = 6 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(%arg0: tensor<4x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) -> (tensor<4x16xf32>, tensor<4x16xf32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg0) : tensor<i32>, tensor<4x16xf32>
    cond {
      %c_1 = stablehlo.constant dense<3> : tensor<i32>
      %1 = stablehlo.compare LT, %iterArg, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = func.call @closed_call(%iterArg_0) : (tensor<4x16xf32>) -> tensor<4x16xf32>
      %c_1 = stablehlo.constant dense<1> : tensor<i32>
      %2 = stablehlo.add %iterArg, %c_1 : tensor<i32>
      stablehlo.return %2, %1 : tensor<i32>, tensor<4x16xf32>
    }
    return %0#1, %arg0 : tensor<4x16xf32>, tensor<4x16xf32>
  }
  func.func private @closed_call(%arg0: tensor<4x16xf32>) -> tensor<4x16xf32> {
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x16xf32>
    %1 = stablehlo.multiply %arg0, %0 : tensor<4x16xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x16xf32>
    %3 = stablehlo.add %1, %2 : tensor<4x16xf32>
    return %3 : tensor<4x16xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_42 attributes
// CHECK: -> (tensor<32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>})
module @rand_42 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=8]>
  func.func public @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<32xf32>, tensor<16x32xf32>) {
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %1 = stablehlo.multiply %arg0, %0 : tensor<16x16xf32>
    %2 = stablehlo.concatenate %arg0, %1, dim = 1 : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x32xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<16x32xf32>, tensor<f32>) -> tensor<32xf32>
    return %3, %2 : tensor<32xf32>, tensor<16x32xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_44 attributes
// CHECK: -> (tensor<12x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<16x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>})
module @rand_44 attributes {mhlo.num_partitions = 6 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(%arg0: tensor<12x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<12x12xf32>, tensor<16x12xf32>) {
    %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<12x16xf32>) -> tensor<16x12xf32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.maximum across dimensions = [0] : (tensor<16x12xf32>, tensor<f32>) -> tensor<12xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %3 = stablehlo.maximum %2, %1 : tensor<12xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [1] : (tensor<12xf32>) -> tensor<1x12xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<1x12xf32>) -> tensor<16x12xf32>
    %6 = stablehlo.subtract %0, %5 : tensor<16x12xf32>
    %7 = stablehlo.exponential %6 : tensor<16x12xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%7 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<16x12xf32>, tensor<f32>) -> tensor<12xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [1] : (tensor<12xf32>) -> tensor<1x12xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<1x12xf32>) -> tensor<16x12xf32>
    %11 = stablehlo.divide %7, %10 : tensor<16x12xf32>
    %12 = stablehlo.dot_general %arg0, %11, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<12x16xf32>, tensor<16x12xf32>) -> tensor<12x12xf32>
    return %12, %11 : tensor<12x12xf32>, tensor<16x12xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_48 attributes
// CHECK: -> (tensor<24x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"z"}]>}, tensor<12x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>})
module @rand_48 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
  func.func public @main(%arg0: tensor<24x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"z"}]>}, %arg1: tensor<12x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"z", "x", "y"}]>}) -> (tensor<24x32xf32>, tensor<12x16xf32>) {
    %0 = sdy.sharding_constraint %arg1 <@mesh, [{}, {}]> : tensor<12x16xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %2 = stablehlo.multiply %arg0, %1 : tensor<24x16xf32>
    %3 = stablehlo.concatenate %arg0, %2, dim = 1 : (tensor<24x16xf32>, tensor<24x16xf32>) -> tensor<24x32xf32>
    return %3, %0 : tensor<24x32xf32>, tensor<12x16xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_52 attributes
// CHECK: -> (tensor<4x12x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y", "x"}, {"z"}]>}, tensor<384xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>})
module @rand_52 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
  func.func public @main(%arg0: tensor<4x12x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y", "x"}, {"z"}]>}) -> (tensor<4x12x8xf32>, tensor<384xf32>) {
    %0 = stablehlo.reshape %arg0 : (tensor<4x12x8xf32>) -> tensor<384xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg0) : tensor<i32>, tensor<4x12x8xf32>
    cond {
      %c_1 = stablehlo.constant dense<3> : tensor<i32>
      %2 = stablehlo.compare LT, %iterArg, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %2 = func.call @closed_call(%iterArg_0) : (tensor<4x12x8xf32>) -> tensor<4x12x8xf32>
      %c_1 = stablehlo.constant dense<1> : tensor<i32>
      %3 = stablehlo.add %iterArg, %c_1 : tensor<i32>
      stablehlo.return %3, %2 : tensor<i32>, tensor<4x12x8xf32>
    }
    return %1#1, %0 : tensor<4x12x8xf32>, tensor<384xf32>
  }
  func.func private @closed_call(%arg0: tensor<4x12x8xf32>) -> tensor<4x12x8xf32> {
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x12x8xf32>
    %1 = stablehlo.multiply %arg0, %0 : tensor<4x12x8xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x12x8xf32>
    %3 = stablehlo.add %1, %2 : tensor<4x12x8xf32>
    return %3 : tensor<4x12x8xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_54 attributes
// CHECK: -> (tensor<4x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}, tensor<146xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>})
module @rand_54 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<12x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg1: tensor<12x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) -> (tensor<4x12xf32>, tensor<146xf32>) {
    %0 = stablehlo.transpose %arg1, dims = [1, 0] : (tensor<12x4xf32>) -> tensor<4x12xf32>
    %1 = stablehlo.reshape %arg0 : (tensor<12x12xf32>) -> tensor<144xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %2 = call @_pad(%1, %c) : (tensor<144xf32>, tensor<i32>) -> tensor<146xf32>
    %3 = stablehlo.add %0, %0 : tensor<4x12xf32>
    return %3, %2 : tensor<4x12xf32>, tensor<146xf32>
  }
  func.func private @_pad(%arg0: tensor<144xf32>, %arg1: tensor<i32>) -> tensor<146xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.pad %arg0, %0, low = [1], high = [1], interior = [0] : (tensor<144xf32>, tensor<f32>) -> tensor<146xf32>
    return %1 : tensor<146xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_56 attributes
// CHECK: -> (tensor<24x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<24x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
module @rand_56 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=8]>
  func.func public @main(%arg0: tensor<24x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<24x12xf32>, tensor<24x12xf32>) {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{}, {}]> : tensor<24x12xf32>
    return %0, %arg0 : tensor<24x12xf32>, tensor<24x12xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_57 attributes
// CHECK: -> (tensor<24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
module @rand_57 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=8]>
  func.func public @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<24xf32>, tensor<16xf32>) {
    return %arg1, %arg0 : tensor<24xf32>, tensor<16xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_58 attributes
// CHECK: -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<12x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>})
module @rand_58 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg1: tensor<12x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) -> (tensor<8x16xf32>, tensor<12x12xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg1 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<12x12xf32>, tensor<f32>) -> tensor<12xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<12xf32>) -> tensor<12x1xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<12x1xf32>) -> tensor<12x12xf32>
    %3 = stablehlo.multiply %2, %arg1 : tensor<12x12xf32>
    %4 = stablehlo.sine %arg0 : tensor<8x16xf32>
    return %4, %3 : tensor<8x16xf32>, tensor<12x12xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_60 attributes
// CHECK: -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", "z", "y"}]>}, tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", "z", "y"}]>})
module @rand_60 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
  func.func public @main(%arg0: tensor<4x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", "z", "y"}]>}) -> (tensor<8x16xf32>, tensor<8x16xf32>) {
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x16xf32>
    %1 = stablehlo.multiply %arg0, %0 : tensor<4x16xf32>
    %2 = stablehlo.concatenate %arg0, %1, dim = 0 : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.maximum across dimensions = [0] : (tensor<8x16xf32>, tensor<f32>) -> tensor<16xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [1] : (tensor<16xf32>) -> tensor<1x16xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<1x16xf32>) -> tensor<8x16xf32>
    %6 = stablehlo.multiply %5, %2 : tensor<8x16xf32>
    return %6, %6 : tensor<8x16xf32>, tensor<8x16xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_61 attributes
// CHECK: -> (tensor<2x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}, tensor<4x1x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>})
module @rand_61 attributes {mhlo.num_partitions = 6 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(%arg0: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<2x4xf32>, tensor<4x1x4xf32>) {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"y"}, {}]> : tensor<4x4xf32>
    %1 = stablehlo.reshape %arg0 : (tensor<4x4xf32>) -> tensor<4x1x4xf32>
    %2 = stablehlo.slice %0 [0:2, 0:4] : (tensor<4x4xf32>) -> tensor<2x4xf32>
    return %2, %1 : tensor<2x4xf32>, tensor<4x1x4xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_65 attributes
// CHECK: -> (tensor<12x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<3x4x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>})
module @rand_65 attributes {mhlo.num_partitions = 6 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(%arg0: tensor<12x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> (tensor<12x12xf32>, tensor<3x4x12xf32>) {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{}, {}]> : tensor<12x12xf32>
    %1 = stablehlo.reshape %arg0 : (tensor<12x12xf32>) -> tensor<3x4x12xf32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %2 = stablehlo.reduce(%0 init: %cst) applies stablehlo.maximum across dimensions = [0] : (tensor<12x12xf32>, tensor<f32>) -> tensor<12xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %4 = stablehlo.maximum %3, %2 : tensor<12xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [1] : (tensor<12xf32>) -> tensor<1x12xf32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<1x12xf32>) -> tensor<12x12xf32>
    %7 = stablehlo.subtract %0, %6 : tensor<12x12xf32>
    %8 = stablehlo.exponential %7 : tensor<12x12xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.reduce(%8 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<12x12xf32>, tensor<f32>) -> tensor<12xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [1] : (tensor<12xf32>) -> tensor<1x12xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<1x12xf32>) -> tensor<12x12xf32>
    %12 = stablehlo.divide %8, %11 : tensor<12x12xf32>
    return %12, %1 : tensor<12x12xf32>, tensor<3x4x12xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_68 attributes
// CHECK: -> (tensor<144xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>})
module @rand_68 attributes {mhlo.num_partitions = 6 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(%arg0: tensor<12x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) -> (tensor<144xf32>, tensor<12xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<12x12xf32>, tensor<f32>) -> tensor<12xf32>
    %1 = stablehlo.reshape %arg0 : (tensor<12x12xf32>) -> tensor<144xf32>
    return %1, %0 : tensor<144xf32>, tensor<12xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_70 attributes
// CHECK: -> (tensor<4x12x16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}, {}]>}, tensor<4x12x16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}, {}]>})
module @rand_70 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=8]>
  func.func public @main(%arg0: tensor<12x16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}) -> (tensor<4x12x16x4xf32>, tensor<4x12x16x4xf32>) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [1, 2, 3] : (tensor<12x16x4xf32>) -> tensor<1x12x16x4xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 2, 3] : (tensor<1x12x16x4xf32>) -> tensor<4x12x16x4xf32>
    return %1, %1 : tensor<4x12x16x4xf32>, tensor<4x12x16x4xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_71 attributes
// CHECK: -> (tensor<256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>})
module @rand_71 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
  func.func public @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<256xf32>, tensor<16x16xf32>) {
    %0 = stablehlo.reshape %arg0 : (tensor<16x16xf32>) -> tensor<256xf32>
    return %0, %arg0 : tensor<256xf32>, tensor<16x16xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_73 attributes
// CHECK: -> (tensor<24x16x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y", "z", "x"}, {}]>}, tensor<24x16x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y", "z", "x"}, {}]>})
module @rand_73 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
  func.func public @main(%arg0: tensor<24x16x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y", "z", "x"}, {}]>}) -> (tensor<24x16x12xf32>, tensor<24x16x12xf32>) {
    return %arg0, %arg0 : tensor<24x16x12xf32>, tensor<24x16x12xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_74 attributes
// CHECK: -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>})
module @rand_74 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=8]>
  func.func public @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<4xf32>, tensor<4xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<1xf32>) -> tensor<4xf32>
    %3 = stablehlo.multiply %2, %arg0 : tensor<4xf32>
    return %3, %3 : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_78 attributes
// CHECK: -> (tensor<4x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}, tensor<4x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>})
module @rand_78 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<4x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) -> (tensor<4x12xf32>, tensor<4x12xf32>) {
    %0 = stablehlo.sine %arg0 : tensor<4x12xf32>
    return %0, %arg0 : tensor<4x12xf32>, tensor<4x12xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_79 attributes
// CHECK: -> (tensor<16x18xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, tensor<16x18xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>})
module @rand_79 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<16x18xf32>, tensor<16x18xf32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = call @_pad(%arg0, %c) : (tensor<16x16xf32>, tensor<i32>) -> tensor<16x18xf32>
    return %0, %0 : tensor<16x18xf32>, tensor<16x18xf32>
  }
  func.func private @_pad(%arg0: tensor<16x16xf32>, %arg1: tensor<i32>) -> tensor<16x18xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.pad %arg0, %0, low = [0, 1], high = [0, 1], interior = [0, 0] : (tensor<16x16xf32>, tensor<f32>) -> tensor<16x18xf32>
    return %1 : tensor<16x18xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_81 attributes
// CHECK: -> (tensor<12x8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}, {}]>}, tensor<12x8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}, {}]>})
module @rand_81 attributes {mhlo.num_partitions = 6 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(%arg0: tensor<12x8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}, {}]>}) -> (tensor<12x8x16xf32>, tensor<12x8x16xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<12x8x16xf32>, tensor<f32>) -> tensor<12x16xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<12x16xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<12x16xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 2] : (tensor<12x16xf32>) -> tensor<12x1x16xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<12x1x16xf32>) -> tensor<12x8x16xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<12x8x16xf32>
    %6 = stablehlo.exponential %5 : tensor<12x8x16xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<12x8x16xf32>, tensor<f32>) -> tensor<12x16xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 2] : (tensor<12x16xf32>) -> tensor<12x1x16xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2] : (tensor<12x1x16xf32>) -> tensor<12x8x16xf32>
    %10 = stablehlo.divide %6, %9 : tensor<12x8x16xf32>
    return %10, %10 : tensor<12x8x16xf32>, tensor<12x8x16xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_82 attributes
// CHECK: -> (tensor<96xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, tensor<4x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>})
module @rand_82 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<4x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}, %arg1: tensor<8x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> (tensor<96xf32>, tensor<4x16xf32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg0) : tensor<i32>, tensor<4x16xf32>
    cond {
      %c_1 = stablehlo.constant dense<3> : tensor<i32>
      %2 = stablehlo.compare LT, %iterArg, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %2 = func.call @closed_call(%iterArg_0) : (tensor<4x16xf32>) -> tensor<4x16xf32>
      %c_1 = stablehlo.constant dense<1> : tensor<i32>
      %3 = stablehlo.add %iterArg, %c_1 : tensor<i32>
      stablehlo.return %3, %2 : tensor<i32>, tensor<4x16xf32>
    }
    %1 = stablehlo.reshape %arg1 : (tensor<8x12xf32>) -> tensor<96xf32>
    return %1, %0#1 : tensor<96xf32>, tensor<4x16xf32>
  }
  func.func private @closed_call(%arg0: tensor<4x16xf32>) -> tensor<4x16xf32> {
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x16xf32>
    %1 = stablehlo.multiply %arg0, %0 : tensor<4x16xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x16xf32>
    %3 = stablehlo.add %1, %2 : tensor<4x16xf32>
    return %3 : tensor<4x16xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_85 attributes
// CHECK: -> (tensor<8x16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}, tensor<4x16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>})
module @rand_85 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<8x16x16xf32>, tensor<4x16x16xf32>) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [1, 2] : (tensor<16x16xf32>) -> tensor<1x16x16xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 2] : (tensor<1x16x16xf32>) -> tensor<4x16x16xf32>
    %2 = stablehlo.add %1, %1 : tensor<4x16x16xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x16x16xf32>
    %4 = stablehlo.multiply %2, %3 : tensor<4x16x16xf32>
    %5 = stablehlo.concatenate %2, %4, dim = 0 : (tensor<4x16x16xf32>, tensor<4x16x16xf32>) -> tensor<8x16x16xf32>
    return %5, %1 : tensor<8x16x16xf32>, tensor<4x16x16xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_86 attributes
// CHECK: -> (tensor<4x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<4x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>})
module @rand_86 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=8]>
  func.func public @main(%arg0: tensor<24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<4x12xf32>, tensor<4x12xf32>) {
    %0 = stablehlo.reshape %arg0 : (tensor<24xf32>) -> tensor<2x12xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = call @_pad(%0, %c) : (tensor<2x12xf32>, tensor<i32>) -> tensor<4x12xf32>
    return %1, %1 : tensor<4x12xf32>, tensor<4x12xf32>
  }
  func.func private @_pad(%arg0: tensor<2x12xf32>, %arg1: tensor<i32>) -> tensor<4x12xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.pad %arg0, %0, low = [1, 0], high = [1, 0], interior = [0, 0] : (tensor<2x12xf32>, tensor<f32>) -> tensor<4x12xf32>
    return %1 : tensor<4x12xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_87 attributes
// CHECK: -> (tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>})
module @rand_87 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<2xf32>, tensor<2xf32>) {
    %0 = stablehlo.slice %arg0 [0:2] : (tensor<4xf32>) -> tensor<2xf32>
    %1 = stablehlo.sine %0 : tensor<2xf32>
    %2 = stablehlo.sine %0 : tensor<2xf32>
    return %2, %1 : tensor<2xf32>, tensor<2xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_88 attributes
// CHECK: -> (tensor<24x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>})
module @rand_88 attributes {mhlo.num_partitions = 6 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg1: tensor<24x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<24x8xf32>, tensor<16x8xf32>) {
    %0 = stablehlo.add %arg1, %arg1 : tensor<24x8xf32>
    return %0, %arg0 : tensor<24x8xf32>, tensor<16x8xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_89 attributes
// CHECK: -> (tensor<16x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>})
module @rand_89 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=8]>
  func.func public @main(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg1: tensor<16x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<16x12xf32>, tensor<4x8xf32>) {
    %0 = call @_roll_static(%arg1) : (tensor<16x12xf32>) -> tensor<16x12xf32>
    return %0, %arg0 : tensor<16x12xf32>, tensor<4x8xf32>
  }
  func.func private @_roll_static(%arg0: tensor<16x12xf32>) -> tensor<16x12xf32> {
    %0 = stablehlo.slice %arg0 [0:16, 11:12] : (tensor<16x12xf32>) -> tensor<16x1xf32>
    %1 = stablehlo.slice %arg0 [0:16, 0:11] : (tensor<16x12xf32>) -> tensor<16x11xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 1 : (tensor<16x1xf32>, tensor<16x11xf32>) -> tensor<16x12xf32>
    return %2 : tensor<16x12xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_91 attributes
// CHECK: -> (tensor<12x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<12x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>})
module @rand_91 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=8]>
  func.func public @main(%arg0: tensor<12x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<12x12xf32>, tensor<12x12xf32>) {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{}, {}]> : tensor<12x12xf32>
    return %0, %0 : tensor<12x12xf32>, tensor<12x12xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_92 attributes
// CHECK: -> (tensor<24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>})
module @rand_92 attributes {mhlo.num_partitions = 6 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(%arg0: tensor<24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<24xf32>, tensor<24xf32>) {
    %0 = stablehlo.sine %arg0 : tensor<24xf32>
    return %0, %0 : tensor<24xf32>, tensor<24xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_94 attributes
// CHECK: -> (tensor<8x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}, tensor<4x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>})
module @rand_94 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<4x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) -> (tensor<8x12xf32>, tensor<4x12xf32>) {
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x12xf32>
    %1 = stablehlo.multiply %arg0, %0 : tensor<4x12xf32>
    %2 = stablehlo.concatenate %arg0, %1, dim = 0 : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<8x12xf32>
    return %2, %arg0 : tensor<8x12xf32>, tensor<4x12xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_99 attributes
// CHECK: -> (tensor<24x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>})
module @rand_99 attributes {mhlo.num_partitions = 6 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(%arg0: tensor<24x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg1: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<24x16xf32>, tensor<16x16xf32>) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<24x16xf32>, tensor<16x16xf32>) -> tensor<24x16xf32>
    return %0, %arg1 : tensor<24x16xf32>, tensor<16x16xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_102 attributes
// CHECK: -> (tensor<16x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, tensor<16x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>})
module @rand_102 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<16x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<16x12xf32>, tensor<16x12xf32>) {
    %0 = stablehlo.add %arg0, %arg0 : tensor<16x12xf32>
    return %0, %0 : tensor<16x12xf32>, tensor<16x12xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_104 attributes
// CHECK: -> (tensor<12x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
module @rand_104 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=8]>
  func.func public @main(%arg0: tensor<12x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg1: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<12x4xf32>, tensor<8x16xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<12x4xf32>, tensor<f32>) -> tensor<12xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<12xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<12xf32>) -> tensor<12x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<12x1xf32>) -> tensor<12x4xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<12x4xf32>
    %6 = stablehlo.exponential %5 : tensor<12x4xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<12x4xf32>, tensor<f32>) -> tensor<12xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<12xf32>) -> tensor<12x1xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<12x1xf32>) -> tensor<12x4xf32>
    %10 = stablehlo.divide %6, %9 : tensor<12x4xf32>
    return %10, %arg1 : tensor<12x4xf32>, tensor<8x16xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_105 attributes
// CHECK: -> (tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, tensor<1xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>})
module @rand_105 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
  func.func public @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "z"}]>}) -> (tensor<2xf32>, tensor<1xf32>) {
    %0 = stablehlo.slice %arg0 [0:2] : (tensor<4xf32>) -> tensor<2xf32>
    %1 = stablehlo.slice %0 [0:1] : (tensor<2xf32>) -> tensor<1xf32>
    %2 = stablehlo.add %1, %1 : tensor<1xf32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst) applies stablehlo.maximum across dimensions = [0] : (tensor<1xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %5 = stablehlo.multiply %4, %2 : tensor<1xf32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %7 = stablehlo.multiply %5, %6 : tensor<1xf32>
    %8 = stablehlo.concatenate %5, %7, dim = 0 : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
    return %8, %1 : tensor<2xf32>, tensor<1xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_108 attributes
// CHECK: -> (tensor<4x4x12x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {"y"}, {}]>}, tensor<4x4x12x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {"y"}, {}]>})
module @rand_108 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<4x12x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}, {}]>}) -> (tensor<4x4x12x16xf32>, tensor<4x4x12x16xf32>) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [1, 2, 3] : (tensor<4x12x16xf32>) -> tensor<1x4x12x16xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 2, 3] : (tensor<1x4x12x16xf32>) -> tensor<4x4x12x16xf32>
    return %1, %1 : tensor<4x4x12x16xf32>, tensor<4x4x12x16xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_113 attributes
// CHECK: -> (tensor<24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>})
module @rand_113 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=8]>
  func.func public @main(%arg0: tensor<24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<24xf32>, tensor<24xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [0] : (tensor<24xf32>, tensor<f32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<1xf32>) -> tensor<24xf32>
    %3 = stablehlo.multiply %2, %arg0 : tensor<24xf32>
    return %3, %arg0 : tensor<24xf32>, tensor<24xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_114 attributes
// CHECK: -> (tensor<16x24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<16x24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>})
module @rand_114 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<16x24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<16x24xf32>, tensor<16x24xf32>) {
    %0 = stablehlo.sine %arg0 : tensor<16x24xf32>
    return %0, %arg0 : tensor<16x24xf32>, tensor<16x24xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_115 attributes
// CHECK: -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>})
module @rand_115 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
  func.func public @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<4xf32>, tensor<8xf32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg0) : tensor<i32>, tensor<8xf32>
    cond {
      %c_1 = stablehlo.constant dense<3> : tensor<i32>
      %2 = stablehlo.compare LT, %iterArg, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %2 = func.call @closed_call(%iterArg_0) : (tensor<8xf32>) -> tensor<8xf32>
      %c_1 = stablehlo.constant dense<1> : tensor<i32>
      %3 = stablehlo.add %iterArg, %c_1 : tensor<i32>
      stablehlo.return %3, %2 : tensor<i32>, tensor<8xf32>
    }
    %1 = stablehlo.slice %0#1 [0:4] : (tensor<8xf32>) -> tensor<4xf32>
    return %1, %0#1 : tensor<4xf32>, tensor<8xf32>
  }
  func.func private @closed_call(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %1 = stablehlo.multiply %arg0, %0 : tensor<8xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %3 = stablehlo.add %1, %2 : tensor<8xf32>
    return %3 : tensor<8xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_116 attributes
// CHECK: -> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
module @rand_116 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
  func.func public @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<4x4xf32>, tensor<16xf32>) {
    %0 = stablehlo.reshape %arg0 : (tensor<16xf32>) -> tensor<4x4xf32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
    %4 = stablehlo.multiply %3, %0 : tensor<4x4xf32>
    return %4, %arg0 : tensor<4x4xf32>, tensor<16xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_118 attributes
// CHECK: -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>})
module @rand_118 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<4xf32>, tensor<4xf32>) {
    %0 = call @_roll_static(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    return %0, %0 : tensor<4xf32>, tensor<4xf32>
  }
  func.func private @_roll_static(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.slice %arg0 [3:4] : (tensor<4xf32>) -> tensor<1xf32>
    %1 = stablehlo.slice %arg0 [0:3] : (tensor<4xf32>) -> tensor<3xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1xf32>, tensor<3xf32>) -> tensor<4xf32>
    return %2 : tensor<4xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_119 attributes
// CHECK: -> (tensor<16x16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"z", "x", "y"}, {}]>}, tensor<16x16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"z", "x", "y"}, {}]>})
module @rand_119 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
  func.func public @main(%arg0: tensor<16x16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"z", "x", "y"}, {}]>}) -> (tensor<16x16x4xf32>, tensor<16x16x4xf32>) {
    %0 = call @cumsum(%arg0) : (tensor<16x16x4xf32>) -> tensor<16x16x4xf32>
    return %0, %arg0 : tensor<16x16x4xf32>, tensor<16x16x4xf32>
  }
  func.func private @cumsum(%arg0: tensor<16x16x4xf32>) -> tensor<16x16x4xf32> {
    %0 = call @cumsum_0(%arg0) : (tensor<16x16x4xf32>) -> tensor<16x16x4xf32>
    return %0 : tensor<16x16x4xf32>
  }
  func.func private @cumsum_0(%arg0: tensor<16x16x4xf32>) -> tensor<16x16x4xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1, 1>, padding = dense<[[0, 0], [0, 0], [3, 0]]> : tensor<3x2xi64>, window_dilations = array<i64: 1, 1, 1>, window_dimensions = array<i64: 1, 1, 4>, window_strides = array<i64: 1, 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<16x16x4xf32>, tensor<f32>) -> tensor<16x16x4xf32>
    return %1 : tensor<16x16x4xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_122 attributes
// CHECK: -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>})
module @rand_122 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<16xf32>, tensor<2xf32>) {
    %0 = stablehlo.slice %arg0 [0:2] : (tensor<4xf32>) -> tensor<2xf32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.reduce(%arg1 init: %cst) applies stablehlo.maximum across dimensions = [0] : (tensor<16xf32>, tensor<f32>) -> tensor<f32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %2 = stablehlo.maximum %cst_0, %1 : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<1xf32>) -> tensor<16xf32>
    %5 = stablehlo.subtract %arg1, %4 : tensor<16xf32>
    %6 = stablehlo.exponential %5 : tensor<16xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<16xf32>, tensor<f32>) -> tensor<f32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0] : (tensor<1xf32>) -> tensor<16xf32>
    %10 = stablehlo.divide %6, %9 : tensor<16xf32>
    return %10, %0 : tensor<16xf32>, tensor<2xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_123 attributes
// CHECK: -> (tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>})
module @rand_123 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=8]>
  func.func public @main(%arg0: tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg1: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<12xf32>, tensor<4xf32>) {
    %0 = call @_roll_static(%arg0) : (tensor<12xf32>) -> tensor<12xf32>
    return %0, %arg1 : tensor<12xf32>, tensor<4xf32>
  }
  func.func private @_roll_static(%arg0: tensor<12xf32>) -> tensor<12xf32> {
    %0 = stablehlo.slice %arg0 [11:12] : (tensor<12xf32>) -> tensor<1xf32>
    %1 = stablehlo.slice %arg0 [0:11] : (tensor<12xf32>) -> tensor<11xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1xf32>, tensor<11xf32>) -> tensor<12xf32>
    return %2 : tensor<12xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_126 attributes
// CHECK: -> (tensor<192xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<192xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>})
module @rand_126 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=8]>
  func.func public @main(%arg0: tensor<12x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<192xf32>, tensor<192xf32>) {
    %0 = stablehlo.reshape %arg0 : (tensor<12x16xf32>) -> tensor<192xf32>
    return %0, %0 : tensor<192xf32>, tensor<192xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_128 attributes
// CHECK: -> (tensor<16x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}, {}]>}, tensor<16x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}, {}]>})
module @rand_128 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<16x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}, {}]>}) -> (tensor<16x12xf32>, tensor<16x12xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [0] : (tensor<16x12xf32>, tensor<f32>) -> tensor<12xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<12xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [1] : (tensor<12xf32>) -> tensor<1x12xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<1x12xf32>) -> tensor<16x12xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<16x12xf32>
    %6 = stablehlo.exponential %5 : tensor<16x12xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<16x12xf32>, tensor<f32>) -> tensor<12xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [1] : (tensor<12xf32>) -> tensor<1x12xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<1x12xf32>) -> tensor<16x12xf32>
    %10 = stablehlo.divide %6, %9 : tensor<16x12xf32>
    return %10, %10 : tensor<16x12xf32>, tensor<16x12xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_131 attributes
// CHECK: -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
module @rand_131 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
  func.func public @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<4xf32>, tensor<4xf32>) {
    return %arg0, %arg0 : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_134 attributes
// CHECK: -> (tensor<8x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<8x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>})
module @rand_134 attributes {mhlo.num_partitions = 6 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(%arg0: tensor<8x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<8x12xf32>, tensor<8x12xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [0] : (tensor<8x12xf32>, tensor<f32>) -> tensor<12xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<12xf32>) -> tensor<1x12xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<1x12xf32>) -> tensor<8x12xf32>
    %3 = stablehlo.multiply %2, %arg0 : tensor<8x12xf32>
    return %3, %3 : tensor<8x12xf32>, tensor<8x12xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_139 attributes
// CHECK: -> (tensor<2x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<2x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>})
module @rand_139 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=8]>
  func.func public @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
    %0 = stablehlo.reshape %arg0 : (tensor<4xf32>) -> tensor<2x2xf32>
    return %0, %0 : tensor<2x2xf32>, tensor<2x2xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_140 attributes
// CHECK: -> (tensor<96xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<8x24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>})
module @rand_140 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=8]>
  func.func public @main(%arg0: tensor<8x24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<96xf32>, tensor<8x24xf32>) {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{}, {"x"}]> : tensor<8x24xf32>
    %1 = stablehlo.slice %0 [0:8, 0:12] : (tensor<8x24xf32>) -> tensor<8x12xf32>
    %2 = stablehlo.reshape %1 : (tensor<8x12xf32>) -> tensor<96xf32>
    return %2, %0 : tensor<96xf32>, tensor<8x24xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_143 attributes
// CHECK: -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>})
module @rand_143 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<16xf32>, tensor<16xf32>) {
    %0 = stablehlo.sine %arg0 : tensor<16xf32>
    return %0, %0 : tensor<16xf32>, tensor<16xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_146 attributes
// CHECK: -> (tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>})
module @rand_146 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<8x32xf32>, tensor<8x32xf32>) {
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %1 = stablehlo.multiply %arg0, %0 : tensor<8x16xf32>
    %2 = stablehlo.concatenate %arg0, %1, dim = 1 : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x32xf32>
    return %2, %2 : tensor<8x32xf32>, tensor<8x32xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_149 attributes
// CHECK: -> (tensor<12x18xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<12x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>})
module @rand_149 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=8]>
  func.func public @main(%arg0: tensor<12x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<12x18xf32>, tensor<12x16xf32>) {
    %0 = call @cumsum(%arg0) : (tensor<12x16xf32>) -> tensor<12x16xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = call @_pad(%0, %c) : (tensor<12x16xf32>, tensor<i32>) -> tensor<12x18xf32>
    return %1, %0 : tensor<12x18xf32>, tensor<12x16xf32>
  }
  func.func private @cumsum(%arg0: tensor<12x16xf32>) -> tensor<12x16xf32> {
    %0 = call @cumsum_0(%arg0) : (tensor<12x16xf32>) -> tensor<12x16xf32>
    return %0 : tensor<12x16xf32>
  }
  func.func private @cumsum_0(%arg0: tensor<12x16xf32>) -> tensor<12x16xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [15, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 16>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<12x16xf32>, tensor<f32>) -> tensor<12x16xf32>
    return %1 : tensor<12x16xf32>
  }
  func.func private @_pad(%arg0: tensor<12x16xf32>, %arg1: tensor<i32>) -> tensor<12x18xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.pad %arg0, %0, low = [0, 1], high = [0, 1], interior = [0, 0] : (tensor<12x16xf32>, tensor<f32>) -> tensor<12x18xf32>
    return %1 : tensor<12x18xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_151 attributes
// CHECK: -> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>})
module @rand_151 attributes {mhlo.num_partitions = 6 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(%arg0: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg0) : tensor<i32>, tensor<4x4xf32>
    cond {
      %c_1 = stablehlo.constant dense<3> : tensor<i32>
      %4 = stablehlo.compare LT, %iterArg, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %4 = func.call @closed_call(%iterArg_0) : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %c_1 = stablehlo.constant dense<1> : tensor<i32>
      %5 = stablehlo.add %iterArg, %c_1 : tensor<i32>
      stablehlo.return %5, %4 : tensor<i32>, tensor<4x4xf32>
    }
    %1 = stablehlo.sine %0#1 : tensor<4x4xf32>
    %2 = stablehlo.transpose %0#1, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %3 = stablehlo.add %2, %0#1 : tensor<4x4xf32>
    return %3, %1 : tensor<4x4xf32>, tensor<4x4xf32>
  }
  func.func private @closed_call(%arg0: tensor<4x4xf32>) -> tensor<4x4xf32> {
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %1 = stablehlo.multiply %arg0, %0 : tensor<4x4xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %3 = stablehlo.add %1, %2 : tensor<4x4xf32>
    return %3 : tensor<4x4xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_153 attributes
// CHECK: -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>})
module @rand_153 attributes {mhlo.num_partitions = 6 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<8x4xf32>, tensor<4xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<1xf32>) -> tensor<4xf32>
    %3 = stablehlo.multiply %2, %arg0 : tensor<4xf32>
    %4 = sdy.sharding_constraint %arg0 <@mesh, [{}]> : tensor<4xf32>
    %5 = stablehlo.broadcast_in_dim %3, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<8x4xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_0) applies stablehlo.maximum across dimensions = [1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<8xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x4xf32>
    %10 = stablehlo.multiply %9, %6 : tensor<8x4xf32>
    return %10, %4 : tensor<8x4xf32>, tensor<4xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_157 attributes
// CHECK: -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<4x4x1xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>})
module @rand_157 attributes {mhlo.num_partitions = 6 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg1: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<8x8xf32>, tensor<4x4x1xf32>) {
    %0 = stablehlo.reshape %arg1 : (tensor<4x4xf32>) -> tensor<4x4x1xf32>
    %1 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
    return %1, %0 : tensor<8x8xf32>, tensor<4x4x1xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_159 attributes
// CHECK: -> (tensor<16x12x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}, tensor<24x16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}, {}]>})
module @rand_159 attributes {mhlo.num_partitions = 6 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(%arg0: tensor<16x24x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}, %arg1: tensor<24x16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}, {}]>}) -> (tensor<16x12x16xf32>, tensor<24x16x8xf32>) {
    %0 = stablehlo.slice %arg0 [0:16, 0:12, 0:16] : (tensor<16x24x16xf32>) -> tensor<16x12x16xf32>
    %1 = call @_roll_static(%arg1) : (tensor<24x16x8xf32>) -> tensor<24x16x8xf32>
    %2 = stablehlo.sine %0 : tensor<16x12x16xf32>
    return %2, %1 : tensor<16x12x16xf32>, tensor<24x16x8xf32>
  }
  func.func private @_roll_static(%arg0: tensor<24x16x8xf32>) -> tensor<24x16x8xf32> {
    %0 = stablehlo.slice %arg0 [23:24, 0:16, 0:8] : (tensor<24x16x8xf32>) -> tensor<1x16x8xf32>
    %1 = stablehlo.slice %arg0 [0:23, 0:16, 0:8] : (tensor<24x16x8xf32>) -> tensor<23x16x8xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1x16x8xf32>, tensor<23x16x8xf32>) -> tensor<24x16x8xf32>
    return %2 : tensor<24x16x8xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_162 attributes
// CHECK: -> (tensor<4x24x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}, tensor<12x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>})
module @rand_162 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=8]>
  func.func public @main(%arg0: tensor<12x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg1: tensor<24x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<4x24x4xf32>, tensor<12x12xf32>) {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<24x4xf32>) -> tensor<1x24x4xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 2] : (tensor<1x24x4xf32>) -> tensor<4x24x4xf32>
    return %1, %arg0 : tensor<4x24x4xf32>, tensor<12x12xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_164 attributes
// CHECK: -> (tensor<288xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<288xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>})
module @rand_164 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=8]>
  func.func public @main(%arg0: tensor<24x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<288xf32>, tensor<288xf32>) {
    %0 = stablehlo.reshape %arg0 : (tensor<24x12xf32>) -> tensor<288xf32>
    return %0, %0 : tensor<288xf32>, tensor<288xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_166 attributes
// CHECK: -> (tensor<8x8x4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {"y"}, {}]>}, tensor<8x8x4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {"y"}, {}]>})
module @rand_166 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<8x4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}, {}]>}) -> (tensor<8x8x4x8xf32>, tensor<8x8x4x8xf32>) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [1, 2, 3] : (tensor<8x4x8xf32>) -> tensor<1x8x4x8xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 2, 3] : (tensor<1x8x4x8xf32>) -> tensor<8x8x4x8xf32>
    return %1, %1 : tensor<8x8x4x8xf32>, tensor<8x8x4x8xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_169 attributes
// CHECK: -> (tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}]>}, tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}]>})
module @rand_169 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
  func.func public @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}]>}) -> (tensor<6xf32>, tensor<6xf32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = call @_pad(%arg0, %c) : (tensor<4xf32>, tensor<i32>) -> tensor<6xf32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.maximum across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %2 = stablehlo.maximum %cst_0, %1 : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<1xf32>) -> tensor<6xf32>
    %5 = stablehlo.subtract %0, %4 : tensor<6xf32>
    %6 = stablehlo.exponential %5 : tensor<6xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0] : (tensor<1xf32>) -> tensor<6xf32>
    %10 = stablehlo.divide %6, %9 : tensor<6xf32>
    return %10, %10 : tensor<6xf32>, tensor<6xf32>
  }
  func.func private @_pad(%arg0: tensor<4xf32>, %arg1: tensor<i32>) -> tensor<6xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.pad %arg0, %0, low = [1], high = [1], interior = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<6xf32>
    return %1 : tensor<6xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_170 attributes
// CHECK: -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>})
module @rand_170 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
  func.func public @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg1: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"z"}]>}) -> (tensor<16xf32>, tensor<16xf32>) {
    %0 = stablehlo.reshape %arg1 : (tensor<4x4xf32>) -> tensor<16xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<8x16xf32>, tensor<f32>) -> tensor<16xf32>
    %2 = stablehlo.sine %1 : tensor<16xf32>
    return %2, %0 : tensor<16xf32>, tensor<16xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_171 attributes
// CHECK: -> (tensor<24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}]>})
module @rand_171 attributes {mhlo.num_partitions = 6 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(%arg0: tensor<24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}]>}, %arg1: tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<24xf32>, tensor<24xf32>) {
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %1 = stablehlo.multiply %arg1, %0 : tensor<12xf32>
    %2 = stablehlo.concatenate %arg1, %1, dim = 0 : (tensor<12xf32>, tensor<12xf32>) -> tensor<24xf32>
    return %2, %arg0 : tensor<24xf32>, tensor<24xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_173 attributes
// CHECK: -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x", "z"}, {}]>}, tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}, {}]>})
module @rand_173 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
  func.func public @main(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}, {}]>}, %arg1: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x", "z"}, {}]>}) -> (tensor<8x16xf32>, tensor<8x4xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg1 init: %cst) applies stablehlo.maximum across dimensions = [0] : (tensor<8x16xf32>, tensor<f32>) -> tensor<16xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<16xf32>) -> tensor<1x16xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<1x16xf32>) -> tensor<8x16xf32>
    %3 = stablehlo.multiply %2, %arg1 : tensor<8x16xf32>
    return %3, %arg0 : tensor<8x16xf32>, tensor<8x4xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_174 attributes
// CHECK: -> (tensor<10xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
module @rand_174 attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=8]>
  func.func public @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<10xf32>, tensor<8xf32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = call @_pad(%arg0, %c) : (tensor<8xf32>, tensor<i32>) -> tensor<10xf32>
    %1 = call @_roll_static(%0) : (tensor<10xf32>) -> tensor<10xf32>
    return %1, %arg0 : tensor<10xf32>, tensor<8xf32>
  }
  func.func private @_pad(%arg0: tensor<8xf32>, %arg1: tensor<i32>) -> tensor<10xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.pad %arg0, %0, low = [1], high = [1], interior = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<10xf32>
    return %1 : tensor<10xf32>
  }
  func.func private @_roll_static(%arg0: tensor<10xf32>) -> tensor<10xf32> {
    %0 = stablehlo.slice %arg0 [9:10] : (tensor<10xf32>) -> tensor<1xf32>
    %1 = stablehlo.slice %arg0 [0:9] : (tensor<10xf32>) -> tensor<9xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1xf32>, tensor<9xf32>) -> tensor<10xf32>
    return %2 : tensor<10xf32>
  }
}

// -----

// CHECK-LABEL: module @rand_175 attributes
// CHECK: -> (tensor<24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>})
module @rand_175 attributes {mhlo.num_partitions = 6 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(%arg0: tensor<24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<24xf32>, tensor<24xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [0] : (tensor<24xf32>, tensor<f32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<1xf32>) -> tensor<24xf32>
    %3 = stablehlo.multiply %2, %arg0 : tensor<24xf32>
    return %3, %arg0 : tensor<24xf32>, tensor<24xf32>
  }
}
