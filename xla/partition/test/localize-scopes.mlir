// RUN: xla-opt %s --xla-localize | FileCheck %s

// What a loop's body moved for itself is not there for what follows: several values are moved inside, one is moved again.
// CHECK-LABEL: func.func public @main
// CHECK:       stablehlo.while
// CHECK:       "stablehlo.all_to_all"(%arg0)
// CHECK:       stablehlo.return
// CHECK:       "stablehlo.all_to_all"(%arg0)
// CHECK:       return
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%a: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                         %b: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
                         %c: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
      -> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
          tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %count = stablehlo.constant dense<5> : tensor<i32>
    %loop:3 = stablehlo.while(%i = %zero, %x = %b, %y = %c) : tensor<i32>, tensor<4x4xf32>, tensor<4x4xf32>
        attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{}, {"x"}]>, <@mesh, [{"x"}, {}]>]>}
    cond {
      %go = stablehlo.compare LT, %i, %count : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %next = stablehlo.add %i, %one : tensor<i32>
      %moved = sdy.reshard %a <@mesh, [{}, {"x"}]> : tensor<4x4xf32>
      %sum = stablehlo.add %x, %moved {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : tensor<4x4xf32>
      %turned = sdy.reshard %y <@mesh, [{}, {"x"}]> : tensor<4x4xf32>
      %product = stablehlo.multiply %turned, %sum {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : tensor<4x4xf32>
      %whole = sdy.reshard %y <@mesh, [{}, {}]> : tensor<4x4xf32>
      %sine = stablehlo.sine %whole {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<4x4xf32>
      stablehlo.return %next, %product, %sine : tensor<i32>, tensor<4x4xf32>, tensor<4x4xf32>
    }
    %again = sdy.reshard %a <@mesh, [{}, {"x"}]> : tensor<4x4xf32>
    %last = stablehlo.add %again, %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : tensor<4x4xf32>
    return %loop#1, %last : tensor<4x4xf32>, tensor<4x4xf32>
  }
}
