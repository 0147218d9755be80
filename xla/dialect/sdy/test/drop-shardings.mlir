// On one device shardings say nothing, and bodies stand where they are.
// RUN: xla-opt %s --xla-drop-shardings | FileCheck %s

// CHECK-NOT: sdy
module attributes {mhlo.num_partitions = 1 : i32} {
  sdy.mesh @mesh = <["x"=1, "y"=1]>
  // CHECK: func.func @main(%[[A:.*]]: tensor<8xf32>) -> (tensor<8xf32> {jax.result_info = "result"})
  func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{?}]>}) {
    // CHECK-NEXT: %[[B:.*]] = stablehlo.negate %[[A]] : tensor<8xf32>
    %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"y"}]> : tensor<8xf32>
    sdy.sharding_group %1 group_id=1 : tensor<8xf32>
    %2 = sdy.manual_computation(%1) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%b: tensor<8xf32>) {
      // CHECK-NEXT: %[[C:.*]] = stablehlo.abs %[[B]]
      %5 = stablehlo.abs %b : tensor<8xf32>
      %6 = sdy.manual_computation(%5) in_shardings=[<@mesh, [{"y"}]>] out_shardings=[<@mesh, [{"y"}]>] manual_axes={"y"} (%c: tensor<8xf32>) {
        // CHECK-NEXT: %[[D:.*]] = stablehlo.add %[[C]], %[[C]]
        %7 = stablehlo.add %c, %c : tensor<8xf32>
        sdy.return %7 : tensor<8xf32>
      } : (tensor<8xf32>) -> tensor<8xf32>
      sdy.return %6 : tensor<8xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    // CHECK-NEXT: %[[E:.*]] = stablehlo.constant dense<1.000000e+00>
    %3 = sdy.constant dense<1.0> : tensor<8xf32>
    // CHECK-NEXT: stablehlo.multiply %[[D]], %[[E]]
    %4 = stablehlo.multiply %2, %3 : tensor<8xf32>
    return %4 : tensor<8xf32>
  }
}
