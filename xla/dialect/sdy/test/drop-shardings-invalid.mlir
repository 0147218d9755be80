// What is of several devices stays an error.
// RUN: xla-opt %s --xla-drop-shardings --split-input-file --verify-diagnostics

sdy.mesh @mesh = <["x"=2]>

func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'sdy.manual_computation' speaks of several devices, for which this compiler cannot partition yet}}
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%b: tensor<4xf32>) {
    sdy.return %b : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

module attributes {mhlo.num_partitions = 2 : i32} {
  // expected-error @+1 {{'sdy.mesh' speaks of several devices}}
  sdy.mesh @mesh = <["x"=2]>
}
