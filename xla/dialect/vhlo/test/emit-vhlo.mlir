// RUN: xla-opt --emit-vhlo=1.17.0 %s > %t.new
// RUN: xla-opt --mlir-very-unsafe-disable-verifier-on-parsing --xla-import-vhlo %t.new > %t.back
// RUN: xla-opt %s > %t.text
// RUN: diff %t.text %t.back
// RUN: xla-opt --emit-vhlo=1.0.0 %s 2>&1 | FileCheck %s --check-prefix=OLD --allow-empty
// RUN: not xla-opt --emit-vhlo=0.9.0 %s 2>&1 | FileCheck %s --check-prefix=TOOOLD
// RUN: not xla-opt --emit-vhlo=2.0.0 %s 2>&1 | FileCheck %s --check-prefix=TOONEW

// What is written is read back as it was: operations with records for attributes, with defaults left out, with regions,
// nested and not; values of enclosing regions; attributes that are no part of the operation.

// OLD-NOT: xla-opt:
// TOOOLD: portable artifacts are written for StableHLO 1.0.0 to 1.20.0, not for 0.9.0
// TOONEW: portable artifacts are written for StableHLO 1.0.0 to 1.20.0, not for 2.0.0

module @everything attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%a: tensor<2x3xf32> {jax.buffer_donor = true}, %n: tensor<i32>)
      -> (tensor<2x2xf32> {jax.result_info = "first"}, tensor<f32>) {
    %c = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
    %splat = stablehlo.constant dense<1.0> : tensor<2x3xf32>
    %none = stablehlo.constant dense<> : tensor<0xi64>
    %bits = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>
    %z = stablehlo.constant dense<(1.0,-2.0)> : tensor<complex<f64>>
    %s = stablehlo.add %a, %c {mhlo.note = "kept"} : tensor<2x3xf32>
    %e = stablehlo.exponential %s : tensor<2x3xf32>
    %t = stablehlo.transpose %e, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %d = stablehlo.dot_general %s, %t, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT]
      : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %r = stablehlo.reduce(%d init: %zero) applies stablehlo.add across dimensions = [0, 1]
      : (tensor<2x2xf32>, tensor<f32>) -> tensor<f32>
    %i = stablehlo.constant dense<0> : tensor<i32>
    %w:2 = stablehlo.while(%j = %i, %x = %r) : tensor<i32>, tensor<f32>
     cond {
      %p = stablehlo.compare LT, %j, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %k = stablehlo.add %j, %one : tensor<i32>
      %q = stablehlo.compare EQ, %k, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %y = "stablehlo.if"(%q) ({
        %h = func.call @half(%x) : (tensor<f32>) -> tensor<f32>
        stablehlo.return %h : tensor<f32>
      }, {
        stablehlo.return %r : tensor<f32>
      }) : (tensor<i1>) -> tensor<f32>
      stablehlo.return %k, %y : tensor<i32>, tensor<f32>
    }
    %o = stablehlo.custom_call @f(%w#1) {mhlo.backend_config = {name = "x", size = 3 : i64}}
      : (tensor<f32>) -> tensor<f32>
    %g = stablehlo.custom_call @g() {operand_layouts = [], result_layouts = [dense<> : tensor<0xindex>]} : () -> tensor<f32>
    stablehlo.custom_call @h(%g) {has_side_effect = true, operand_layouts = [dense<> : tensor<0xindex>], result_layouts = []}
      : (tensor<f32>) -> ()
    return %d, %o : tensor<2x2xf32>, tensor<f32>
  }
  func.func private @half(%x: tensor<f32>) -> tensor<f32> {
    %two = stablehlo.constant dense<2.0> : tensor<f32>
    %y = stablehlo.divide %x, %two : tensor<f32>
    return %y : tensor<f32>
  }
}
