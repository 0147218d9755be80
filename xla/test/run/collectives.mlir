// RUN: split-file %s %t
// RUN: xla-run %t/all.mlir --devices=4 --local 1,2,3,4 10,20,30,40 5,6,7,8 50,60,70,80 | FileCheck %s --check-prefix=ALL
// RUN: xla-run %t/all.mlir --devices=4 --local --threads=2 1,2,3,4 10,20,30,40 5,6,7,8 50,60,70,80 | FileCheck %s --check-prefix=ALL
// RUN: xla-run %t/all.mlir --devices=4 --local --threads=4 1,2,3,4 10,20,30,40 5,6,7,8 50,60,70,80 | FileCheck %s --check-prefix=ALL
// RUN: xla-run %t/all.mlir --devices=4 --local --backend=reference 1,2,3,4 10,20,30,40 5,6,7,8 50,60,70,80 | FileCheck %s --check-prefix=ALL
// RUN: xla-run %t/groups.mlir --devices=4 --local 1,2,3,4 | FileCheck %s --check-prefix=GROUPS
// RUN: xla-run %t/groups.mlir --devices=4 --local --backend=reference 1,2,3,4 | FileCheck %s --check-prefix=GROUPS
// RUN: xla-run %t/control.mlir --devices=3 --local --threads=2 1 2 3 | FileCheck %s --check-prefix=CONTROL
// RUN: xla-run %t/control.mlir --devices=3 --local --backend=reference 1 2 3 | FileCheck %s --check-prefix=CONTROL
// RUN: xla-run %t/ragged.mlir --devices=2 --local 1,2,3,4 0,2 2,1 0,0 5,6,7,8 0,1 1,3 2,1 | FileCheck %s --check-prefix=RAGGED
// RUN: xla-run %t/ragged.mlir --devices=2 --local --backend=reference 1,2,3,4 0,2 2,1 0,0 5,6,7,8 0,1 1,3 2,1 | FileCheck %s --check-prefix=RAGGED
// RUN: not xla-run %t/ragged.mlir --devices=2 --local 1,2,3,4 0,2 2,9 0,0 5,6,7,8 0,1 1,3 2,1 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: not xla-run %t/diverging.mlir --devices=2 --local 1 2>&1 | FileCheck %s --check-prefix=DIVERGING
// RUN: not xla-run %t/diverging.mlir --devices=2 --threads=2 --local 1 2>&1 | FileCheck %s --check-prefix=DIVERGING
// RUN: not xla-run %t/diverging.mlir --devices=2 --local --backend=reference 1 2>&1 | FileCheck %s --check-prefix=DIVERGING
// RUN: not xla-run %t/twice.mlir --devices=2 --local 1 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not xla-run %t/absent.mlir --devices=2 --local 1 2>&1 | FileCheck %s --check-prefix=ABSENT
// RUN: xla-run %t/reshaped.mlir --devices=2 --local 1,2,3,4 5,6,7,8 | FileCheck %s --check-prefix=RESHAPED
// RUN: xla-run %t/reshaped.mlir --devices=2 --local --backend=reference 1,2,3,4 5,6,7,8 | FileCheck %s --check-prefix=RESHAPED
// RUN: not xla-run %t/types.mlir --devices=2 --local 1 2>&1 | FileCheck %s --check-prefix=TYPES

// Devices 0 and 1 of a row have their ranks in the order of the list.
//--- all.mlir
// ALL:      device 0
// ALL-NEXT: f32[4] 66 88 110 132
// ALL-NEXT: f32[8] 1 2 3 4 5 6 7 8
// ALL-NEXT: f32[1,8] 1 2 3 4 5 6 7 8
// ALL-NEXT: f32[2] 6 8
// ALL-NEXT: f32[4] 1 2 10 20
// ALL-NEXT: f32[1,4] 1 2 3 4
// ALL-NEXT: f32[2,2] 1 2 5 6
// ALL-NEXT: f32[4] 0 0 0 0
// ALL-NEXT: f32[4] 1 2 3 4
// ALL-NEXT: u32[] 0
// ALL-NEXT: device 1
// ALL-NEXT: f32[4] 66 88 110 132
// ALL-NEXT: f32[8] 10 20 30 40 50 60 70 80
// ALL-NEXT: f32[1,8] 10 20 30 40 50 60 70 80
// ALL-NEXT: f32[2] 60 80
// ALL-NEXT: f32[4] 3 4 30 40
// ALL-NEXT: f32[1,4] 10 20 30 40
// ALL-NEXT: f32[2,2] 10 20 50 60
// ALL-NEXT: f32[4] 1 2 3 4
// ALL-NEXT: f32[4] 1 2 3 4
// ALL-NEXT: u32[] 1
// ALL-NEXT: device 2
// ALL-NEXT: f32[4] 66 88 110 132
// ALL-NEXT: f32[8] 1 2 3 4 5 6 7 8
// ALL-NEXT: f32[1,8] 1 2 3 4 5 6 7 8
// ALL-NEXT: f32[2] 10 12
// ALL-NEXT: f32[4] 5 6 50 60
// ALL-NEXT: f32[1,4] 5 6 7 8
// ALL-NEXT: f32[2,2] 3 4 7 8
// ALL-NEXT: f32[4] 10 20 30 40
// ALL-NEXT: f32[4] 5 6 7 8
// ALL-NEXT: u32[] 2
// ALL-NEXT: device 3
// ALL-NEXT: f32[4] 66 88 110 132
// ALL-NEXT: f32[8] 10 20 30 40 50 60 70 80
// ALL-NEXT: f32[1,8] 10 20 30 40 50 60 70 80
// ALL-NEXT: f32[2] 100 120
// ALL-NEXT: f32[4] 7 8 70 80
// ALL-NEXT: f32[1,4] 50 60 70 80
// ALL-NEXT: f32[2,2] 30 40 70 80
// ALL-NEXT: f32[4] 5 6 7 8
// ALL-NEXT: f32[4] 5 6 7 8
// ALL-NEXT: u32[] 3
func.func @main(%x: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<8xf32>, tensor<1x8xf32>, tensor<2xf32>, tensor<4xf32>, tensor<1x4xf32>,
        tensor<2x2xf32>, tensor<4xf32>, tensor<4xf32>, tensor<ui32>) {
  %sum = "stablehlo.all_reduce"(%x) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids,
        replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  %gathered = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64,
      channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids,
      replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>} : (tensor<4xf32>) -> tensor<8xf32>
  %row = stablehlo.reshape %x : (tensor<4xf32>) -> tensor<1x4xf32>
  %columns = "stablehlo.all_gather"(%row) {all_gather_dim = 1 : i64,
      channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids,
      replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>} : (tensor<1x4xf32>) -> tensor<1x8xf32>
  %scattered = "stablehlo.reduce_scatter"(%x) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids,
        scatter_dimension = 0 : i64,
        replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>} : (tensor<4xf32>) -> tensor<2xf32>
  %same = "stablehlo.all_to_all"(%x) {split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64,
      channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
      replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  %square = stablehlo.reshape %x : (tensor<4xf32>) -> tensor<1x4xf32>
  %alone = "stablehlo.all_gather"(%square) {all_gather_dim = 0 : i64,
      channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids,
      replica_groups = dense<[[0], [1], [2], [3]]> : tensor<4x1xi64>} : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %crossed = "stablehlo.all_to_all"(%square) {split_dimension = 1 : i64, concat_dimension = 0 : i64,
      split_count = 2 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
      replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>} : (tensor<1x4xf32>) -> tensor<2x2xf32>
  %moved = "stablehlo.collective_permute"(%x) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
      source_target_pairs = dense<[[0, 1], [1, 2], [2, 3]]> : tensor<3x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  %spread = "stablehlo.collective_broadcast"(%x) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
      replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  %id = stablehlo.partition_id : tensor<ui32>
  return %sum, %gathered, %columns, %scattered, %same, %alone, %crossed, %moved, %spread, %id
    : tensor<4xf32>, tensor<8xf32>, tensor<1x8xf32>, tensor<2xf32>, tensor<4xf32>, tensor<1x4xf32>,
      tensor<2x2xf32>, tensor<4xf32>, tensor<4xf32>, tensor<ui32>
}

// Uneven groups, several operands, and any region: combined in the order of the list.
//--- groups.mlir
// GROUPS:      device 0
// GROUPS-NEXT: f32[4] 5 5 5 5
// GROUPS-NEXT: f32[] 5
// GROUPS:      device 1
// GROUPS-NEXT: f32[4] 1 1 1 1
// GROUPS-NEXT: f32[] 1
// GROUPS:      device 3
// GROUPS-NEXT: f32[4] 5 5 5 5
// GROUPS-NEXT: f32[] 5
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>) {
  %id = stablehlo.partition_id : tensor<ui32>
  %number = stablehlo.convert %id : (tensor<ui32>) -> tensor<f32>
  %numbers = stablehlo.broadcast_in_dim %number, dims = [] : (tensor<f32>) -> tensor<4xf32>
  %0:2 = "stablehlo.all_reduce"(%numbers, %number) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.subtract %b, %a : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids,
        replica_groups = dense<[[3, 0, 2], [1, -1, -1]]> : tensor<2x3xi64>}
    : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<f32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<f32>
}

// In a loop each iteration is a rendezvous of its own; under a condition that is the same on every device too.
//--- control.mlir
// CONTROL:      device 0
// CONTROL-NEXT: f32[] 162
// CONTROL-NEXT: device 1
// CONTROL-NEXT: f32[] 162
// CONTROL-NEXT: device 2
// CONTROL-NEXT: f32[] 162
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<f32>
    cond {
      %n = stablehlo.constant dense<3> : tensor<i32>
      %more = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %next = stablehlo.add %i, %one : tensor<i32>
      %sum = "stablehlo.all_reduce"(%y) ({
        ^bb0(%a: tensor<f32>, %b: tensor<f32>):
          %s = stablehlo.add %a, %b : tensor<f32>
          stablehlo.return %s : tensor<f32>
        }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids,
            replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>} : (tensor<f32>) -> tensor<f32>
      stablehlo.return %next, %sum : tensor<i32>, tensor<f32>
    }
  %true = stablehlo.compare GT, %0#0, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %1 = "stablehlo.if"(%true) ({
    %sum = "stablehlo.all_reduce"(%0#1) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %s = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids,
          replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>} : (tensor<f32>) -> tensor<f32>
    stablehlo.return %sum : tensor<f32>
  }, {
    stablehlo.return %x : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return %1 : tensor<f32>
}

// Rows go where their sender says; others keep what was there.
//--- ragged.mlir
// RAGGED:      device 0
// RAGGED-NEXT: f32[4] 1 2 5 -1
// RAGGED:      device 1
// RAGGED-NEXT: f32[4] 3 6 7 8
// OUTSIDE: slice 1 of rank 0 is outside of the arrays
func.func @main(%x: tensor<4xf32>, %offsets: tensor<2xi32>, %sizes: tensor<2xi32>, %targets: tensor<2xi32>)
    -> tensor<4xf32> {
  %rest = stablehlo.constant dense<-1.0> : tensor<4xf32>
  %0 = stablehlo.custom_call @ragged_all_to_all(%x, %rest, %offsets, %sizes, %targets, %sizes)
    {api_version = 4 : i32,
     backend_config = {channel_id = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}}
    : (tensor<4xf32>, tensor<4xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

//--- diverging.mlir
// DIVERGING: wait for each other, and none can go on
// DIVERGING: device 0  has ended
// DIVERGING: device 1  waits at all_reduce at {{.*}}diverging
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %id = stablehlo.partition_id : tensor<ui32>
  %zero = stablehlo.constant dense<0> : tensor<ui32>
  %other = stablehlo.compare GT, %id, %zero : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
  %1 = "stablehlo.if"(%other) ({
    %sum = "stablehlo.all_reduce"(%x) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %s = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids,
          replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<f32>) -> tensor<f32>
        loc("diverging")
    stablehlo.return %sum : tensor<f32>
  }, {
    stablehlo.return %x : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return %1 : tensor<f32>
}

//--- twice.mlir
// TWICE: names device 0 in its groups, which are of devices 0 to 1, each of them once
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.collective_broadcast"(%x) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
      replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>} : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

//--- absent.mlir
// ABSENT: leaves device 1 out of its groups
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.collective_broadcast"(%x) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
      replica_groups = dense<[[0]]> : tensor<1x1xi64>} : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

//--- types.mlir
// TYPES: takes {{.*}} and gives {{.*}}, which does not fit a group of 2
func.func @main(%x: tensor<1xf32>) -> tensor<1xf32> {
  %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64,
      channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids,
      replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<1xf32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// An array and another shape of it that is sent share one buffer.
//--- reshaped.mlir
// RESHAPED:      device 0
// RESHAPED-NEXT: f32[1,2] 6 8
// RESHAPED-NEXT: f32[4] 6 8 10 12
// RESHAPED:      device 1
// RESHAPED-NEXT: f32[1,2] 10 12
// RESHAPED-NEXT: f32[4] 6 8 10 12
func.func @main(%x: tensor<1x4xf32> {tf.aliasing_output = 1 : i32}) -> (tensor<1x2xf32>, tensor<4xf32>) {
  %flat = stablehlo.reshape %x : (tensor<1x4xf32>) -> tensor<4xf32>
  %0 = "stablehlo.reduce_scatter"(%flat) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids,
        scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}
    : (tensor<4xf32>) -> tensor<2xf32>
  %1 = "stablehlo.all_reduce"(%flat) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids,
        replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.reshape %0 : (tensor<2xf32>) -> tensor<1x2xf32>
  return %2, %1 : tensor<1x2xf32>, tensor<4xf32>
}
