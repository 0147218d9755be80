// RUN: xla-run %s --backend=reference > %t.reference
// RUN: xla-run %s --backend=native > %t.native
// RUN: diff %t.reference %t.native

// Branches by truth value and by number, out of range too; a result that is
// captured from outside, one that is computed, a scalar.

func.func @main() -> (tensor<3xf32>, tensor<f32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %x = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %y = stablehlo.add %x, %x : tensor<3xf32>
  %s = stablehlo.constant dense<5.0> : tensor<f32>
  %yes = stablehlo.constant dense<true> : tensor<i1>
  %no = stablehlo.constant dense<false> : tensor<i1>
  %a:2 = "stablehlo.if"(%yes) ({
    %t = stablehlo.multiply %y, %y : tensor<3xf32>
    stablehlo.return %t, %s : tensor<3xf32>, tensor<f32>
  }, {
    %t = stablehlo.negate %s : tensor<f32>
    stablehlo.return %x, %t : tensor<3xf32>, tensor<f32>
  }) : (tensor<i1>) -> (tensor<3xf32>, tensor<f32>)
  %b = "stablehlo.if"(%no) ({
    stablehlo.return %y : tensor<3xf32>
  }, {
    stablehlo.return %x : tensor<3xf32>
  }) : (tensor<i1>) -> tensor<3xf32>
  %i = stablehlo.constant dense<-7> : tensor<i32>
  %j = stablehlo.constant dense<1> : tensor<i32>
  %c = "stablehlo.case"(%i) ({
    stablehlo.return %x : tensor<3xf32>
  }, {
    %t = stablehlo.negate %y : tensor<3xf32>
    stablehlo.return %t : tensor<3xf32>
  }) : (tensor<i32>) -> tensor<3xf32>
  %d = "stablehlo.case"(%j) ({
    stablehlo.return %x : tensor<3xf32>
  }, {
    %t = stablehlo.subtract %x, %y : tensor<3xf32>
    stablehlo.return %t : tensor<3xf32>
  }, {
    stablehlo.return %y : tensor<3xf32>
  }) : (tensor<i32>) -> tensor<3xf32>
  return %a#0, %a#1, %b, %c, %d : tensor<3xf32>, tensor<f32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}
