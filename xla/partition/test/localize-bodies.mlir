// RUN: xla-opt %s --xla-localize --split-input-file | FileCheck %s

// What a loop hands on is gathered once, before it; its condition is whole.
// CHECK-LABEL: @loop
module @loop attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  // CHECK:     "stablehlo.all_gather"(%arg1)
  // CHECK:     stablehlo.while
  // CHECK-NOT: all_gather
  func.func public @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
                         %w: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
      -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %n = stablehlo.constant dense<3> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %0:3 = stablehlo.while(%i = %c, %a = %x, %b = %w) : tensor<i32>, tensor<8xf32>, tensor<8x8xf32>
        attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{"x"}]>, <@mesh, [{"x"}, {}]>]>}
    cond {
      %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.add %i, %one : tensor<i32>
      %2 = sdy.reshard %b <@mesh, [{}, {}]> : tensor<8x8xf32>
      %3 = stablehlo.dot_general %a, %2, contracting_dims = [0] x [0] : (tensor<8xf32>, tensor<8x8xf32>) -> tensor<8xf32>
      stablehlo.return %1, %3, %b : tensor<i32>, tensor<8xf32>, tensor<8x8xf32>
    }
    return %0#1 : tensor<8xf32>
  }
}

// -----

// Within the body the free axis divides what is local along the manual one.
// CHECK-LABEL: @partly_manual
module @partly_manual attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  // CHECK: func.func public @main(%[[X:.*]]: tensor<2x2xf32>) -> tensor<2x2xf32>
  // CHECK: "stablehlo.all_reduce"(%[[X]])
  // CHECK-SAME{LITERAL}: dense<[[0, 2, 4, 6], [1, 3, 5, 7]]>
  // CHECK: stablehlo.negate %{{.*}} : tensor<2x2xf32>
  func.func public @main(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>})
      -> (tensor<2x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) {
    %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x"}, {"y"}]>]
        out_shardings=[<@mesh, [{}, {"y"}]>] manual_axes={"x"} (%a: tensor<2x4xf32>) {
      %1 = "stablehlo.all_reduce"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
          replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, use_global_device_ids}> ({
      ^bb0(%p: tensor<f32>, %q: tensor<f32>):
        %2 = stablehlo.add %p, %q : tensor<f32>
        stablehlo.return %2 : tensor<f32>
      }) : (tensor<2x4xf32>) -> tensor<2x4xf32>
      %3 = stablehlo.negate %1 : tensor<2x4xf32>
      sdy.return %3 : tensor<2x4xf32>
    } : (tensor<8x4xf32>) -> tensor<2x4xf32>
    return %0 : tensor<2x4xf32>
  }
}

// -----

// The first device calls out; the others get what it was told.
// CHECK-LABEL: @call_out
module @call_out attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  // CHECK: %[[WHOLE:.*]] = "stablehlo.all_gather"
  // CHECK: "stablehlo.if"
  // CHECK: stablehlo.custom_call @call_out(%[[WHOLE]])
  // CHECK: "stablehlo.all_reduce"
  func.func public @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<2xf32> {
    %0 = stablehlo.custom_call @call_out(%x) {has_side_effect = true} : (tensor<8xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}

// -----

// Every device calls out with its parts, of sums that are whole; nothing else
// is moved for it.
// CHECK-LABEL: @call_out_in_parts
module @call_out_in_parts attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  sdy.mesh @one = <[], device_ids=[0]>
  // CHECK: func.func public @main(%[[X:.*]]: tensor<2xf32>, %[[Y:.*]]: tensor<3xf32>)
  // CHECK-NOT: all_gather
  // CHECK: %[[SUM:.*]] = "stablehlo.all_reduce"
  // CHECK-NOT: stablehlo.if
  // CHECK: stablehlo.custom_call @xla_ffi_partitioned_python_cpu_callback(%{{.*}}, %[[X]], %[[Y]], %[[SUM]])
  func.func public @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
                         %y: tensor<3xf32>) {
    %t = stablehlo.create_token : !stablehlo.token
    %s = stablehlo.dot_general %x, %x, contracting_dims = [0] x [0] : (tensor<8xf32>, tensor<8xf32>) -> tensor<f32>
    %0 = stablehlo.custom_call @xla_ffi_partitioned_python_cpu_callback(%t, %x, %y, %s)
        {has_side_effect = true, sdy.sharding = #sdy.sharding_per_value<[<@one, []>]>}
        : (!stablehlo.token, tensor<8xf32>, tensor<3xf32>, tensor<f32>) -> !stablehlo.token
    return
  }
}

// -----

// CHECK-LABEL: @called
module @called attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  // CHECK:     func.func public @main
  // CHECK:     stablehlo.sine %{{.*}} : tensor<2xf32>
  // CHECK-NOT: func.func
  func.func public @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
      -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0 = call @f(%x) : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @f(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.sine %x : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}

// -----

// What a loop gathers in each step is gathered before it only where little is
// held by that.
// CHECK-LABEL: @gathers_of_invariants
// CHECK:       "stablehlo.all_gather"(%arg0)
// CHECK-NOT:   "stablehlo.all_gather"
// CHECK:       stablehlo.while
// CHECK:       do {
// CHECK:       "stablehlo.all_gather"({{.*}}) {{.*}} -> tensor<8388608xf32>
// CHECK-NOT:   "stablehlo.all_gather"
// CHECK:       return
module @gathers_of_invariants attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
                         %b: tensor<8388608xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
                         %s: tensor<f32>) -> tensor<f32> {
    %0:3 = stablehlo.while(%i = %a, %j = %b, %k = %s) : tensor<8xf32>, tensor<8388608xf32>, tensor<f32>
    cond {
      %one = stablehlo.constant dense<1.0> : tensor<f32>
      %p = stablehlo.compare LT, %k, %one : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %1 = sdy.reshard %i <@mesh, [{}]> : tensor<8xf32>
      %2 = sdy.reshard %j <@mesh, [{}]> : tensor<8388608xf32>
      %3 = stablehlo.custom_call @f(%1, %2, %k) : (tensor<8xf32>, tensor<8388608xf32>, tensor<f32>) -> tensor<f32>
      stablehlo.return %i, %j, %3 : tensor<8xf32>, tensor<8388608xf32>, tensor<f32>
    }
    return %0#2 : tensor<f32>
  }
}
