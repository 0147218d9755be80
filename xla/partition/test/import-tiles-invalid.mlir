// RUN: xla-opt %s --xla-import-tiles --split-input-file --verify-diagnostics

// expected-error @+1 {{"{devices=[4,2}" is no sharding; expected such as {replicated}}}
module attributes {mhlo.num_partitions = 8 : i32} {
  func.func @main(%a: tensor<8x4xf32> {mhlo.sharding = "{devices=[4,2}"}) {
    return
  }
}

// -----

// expected-error @+1 {{sharding {devices=[4]<=[4]} is over 4 devices, and the program is for 8}}
module attributes {mhlo.num_partitions = 8 : i32} {
  func.func @main(%a: tensor<8xf32> {mhlo.sharding = "{devices=[4]<=[4]}"}) {
    return
  }
}

// -----

// expected-error @+1 {{names a device that a program for 8 devices has not}}
module attributes {mhlo.num_partitions = 8 : i32} {
  func.func @main(%a: tensor<8xf32>) {
    stablehlo.custom_call @f(%a) {has_side_effect = true, mhlo.sharding = "{maximal device=8}"} : (tensor<8xf32>) -> ()
    return
  }
}

// -----

// expected-error @+1 {{sharding {devices=[8]<=[8]} has 1 dimensions, and the array 2}}
module attributes {mhlo.num_partitions = 8 : i32} {
  func.func @main(%a: tensor<8x4xf32> {mhlo.sharding = "{devices=[8]<=[8]}"}) {
    return
  }
}

// -----

// expected-error-re @+1 {{@SPMDFullToShardShape at {{.*}}: its operand does not say how it is sharded: it has no mhlo.sharding}}
module attributes {mhlo.num_partitions = 8 : i32} {
  func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.custom_call @SPMDFullToShardShape(%a) {mhlo.sharding = "{manual}"} : (tensor<8xf32>) -> tensor<1xf32>
    %1 = stablehlo.custom_call @SPMDShardToFullShape(%0) {mhlo.sharding = "{devices=[8]<=[8]}"} : (tensor<1xf32>) -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}

// -----

// expected-error @+1 {{a value leaves a manual computation, and not by @SPMDShardToFullShape}}
module attributes {mhlo.num_partitions = 8 : i32} {
  func.func @main(%a: tensor<8xf32> {mhlo.sharding = "{devices=[8]<=[8]}"}) -> tensor<1xf32> {
    %0 = stablehlo.custom_call @SPMDFullToShardShape(%a) {mhlo.sharding = "{manual}"} : (tensor<8xf32>) -> tensor<1xf32>
    return %0 : tensor<1xf32>
  }
}

// -----

// expected-error @+1 {{a value enters a manual computation, and not by @SPMDFullToShardShape}}
module attributes {mhlo.num_partitions = 8 : i32} {
  func.func @main(%a: tensor<8xf32> {mhlo.sharding = "{devices=[8]<=[8]}"}, %b: tensor<1xf32>) -> tensor<8xf32> {
    %0 = stablehlo.custom_call @SPMDFullToShardShape(%a) {mhlo.sharding = "{manual}"} : (tensor<8xf32>) -> tensor<1xf32>
    %1 = stablehlo.add %0, %b : tensor<1xf32>
    %2 = stablehlo.custom_call @SPMDShardToFullShape(%1) {mhlo.sharding = "{devices=[8]<=[8]}"} : (tensor<1xf32>) -> tensor<8xf32>
    return %2 : tensor<8xf32>
  }
}

// -----

module attributes {mhlo.num_partitions = 8 : i32} {
  func.func @main(%a: tensor<8xf32> {mhlo.sharding = "{devices=[8]<=[8]}"}) -> tensor<8xf32> {
    %0 = stablehlo.custom_call @SPMDFullToShardShape(%a) {mhlo.sharding = "{manual}"} : (tensor<8xf32>) -> tensor<2xf32>
    // expected-error @+1 {{the body has 'tensor<2xf32>', and the part of 'tensor<8xf32>' on one device is 'tensor<1xf32>'}}
    %1 = stablehlo.negate %0 : tensor<2xf32>
    %2 = stablehlo.custom_call @SPMDShardToFullShape(%1) {mhlo.sharding = "{devices=[8]<=[8]}"} : (tensor<2xf32>) -> tensor<8xf32>
    return %2 : tensor<8xf32>
  }
}
