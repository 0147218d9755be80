// RUN: xla-run %s --backend=reference > %t.reference
// RUN: xla-run %s --backend=native > %t.native
// RUN: diff %t.reference %t.native

// Windows that meet in lanes of different numbers: threads share out the indices that are
// updated. Some windows are outside; the last one to write wins, which shows their order.

func.func @main() -> (tensor<517xi32>, tensor<3x300xi32>) {
  %n = stablehlo.iota dim = 0 : tensor<300x1xi32>
  %step = stablehlo.constant dense<97> : tensor<300x1xi32>
  %range = stablehlo.constant dense<350> : tensor<300x1xi32>
  %far = stablehlo.multiply %n, %step : tensor<300x1xi32>
  %i = stablehlo.remainder %far, %range : tensor<300x1xi32>
  %x = stablehlo.iota dim = 0 : tensor<517xi32>
  %u = stablehlo.iota dim = 0 : tensor<300x200xi32>
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %twice = stablehlo.add %a, %a : tensor<i32>
    %s = stablehlo.add %twice, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<517xi32>, tensor<300x1xi32>, tensor<300x200xi32>) -> tensor<517xi32>
  // The windows' first dimension stays where it is, and is the last that is updated.
  %y = stablehlo.iota dim = 1 : tensor<3x300xi32>
  %v = stablehlo.iota dim = 0 : tensor<300x3x130xi32>
  %1 = "stablehlo.scatter"(%y, %i, %v) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    stablehlo.return %b : tensor<i32>
  }) : (tensor<3x300xi32>, tensor<300x1xi32>, tensor<300x3x130xi32>) -> tensor<3x300xi32>
  return %0, %1 : tensor<517xi32>, tensor<3x300xi32>
}
