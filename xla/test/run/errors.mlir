// RUN: split-file %s %t
// RUN: not xla-run %t/no-main.mlir 2>&1 | FileCheck %s --check-prefix=NOMAIN
// RUN: not xla-run %t/syntax.mlir 2>&1 | FileCheck %s --check-prefix=SYNTAX
// RUN: not xla-run %t/rule.mlir 2>&1 | FileCheck %s --check-prefix=RULE
// RUN: not xla-run %t/dynamic.mlir 2>&1 | FileCheck %s --check-prefix=DYNAMIC
// RUN: not xla-run %t/recursion.mlir --backend=reference 2>&1 | FileCheck %s --check-prefix=RECURSION
// RUN: not xla-run %t/missing.mlir --backend=reference 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not xla-run %t/alias.mlir 2>&1 | FileCheck %s --check-prefix=ALIAS
// RUN: not xla-run %t/alias-name.mlir 2>&1 | FileCheck %s --check-prefix=ALIAS-NAME
// RUN: not xla-run %t/sparse.mlir 2>&1 | FileCheck %s --check-prefix=LITERAL
// RUN: not xla-run %t/sparse.mlir --backend=reference 2>&1 | FileCheck %s --check-prefix=LITERAL
// RUN: not xla-run %t/resource.mlir 2>&1 | FileCheck %s --check-prefix=LITERAL
// RUN: not xla-run %t/resource.mlir --backend=reference 2>&1 | FileCheck %s --check-prefix=LITERAL

//--- no-main.mlir
// NOMAIN: the module has no function @main to start from
module {}

//--- syntax.mlir
// SYNTAX: the module cannot be read: loc("module":2:{{.*}}): custom op 'stablehlo.ad' is unknown
func.func @main() { stablehlo.ad }

//--- rule.mlir
// RULE: the module is not valid: loc("module":{{.*}}): 'stablehlo.reshape' op changes the number of elements: 'tensor<2xf32>' has 2, 'tensor<3xf32>' has 3 [C2]
func.func @main(%a: tensor<2xf32>) -> tensor<3xf32> {
  %0 = stablehlo.reshape %a : (tensor<2xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

//--- dynamic.mlir
// DYNAMIC: argument 0 of main: type tensor<?xf32> is not supported
func.func @main(%a: tensor<?xf32>) -> tensor<?xf32> {
  return %a : tensor<?xf32>
}

//--- recursion.mlir
// RECURSION: functions must not call themselves: 'func.call'
func.func @main(%a: tensor<f32>) -> tensor<f32> {
  %0 = call @main(%a) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

//--- missing.mlir
// MISSING: lacks the operation 'stablehlo.infeed' of (!stablehlo.token) -> (tensor<f32>, !stablehlo.token) at loc("module":
func.func @main(%t: !stablehlo.token) -> tensor<f32> {
  %0:2 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<f32>, !stablehlo.token)
  return %0#0 : tensor<f32>
}

//--- alias.mlir
// ALIAS: argument 0 of main cannot be aliased with result 1
func.func @main(%a: tensor<f32> {tf.aliasing_output = 1 : i32}) -> tensor<f32> {
  return %a : tensor<f32>
}

//--- alias-name.mlir
// ALIAS-NAME: argument 0 of main cannot be aliased with result "x": tf.aliasing_output needs the number of a result
func.func @main(%a: tensor<f32> {tf.aliasing_output = "x"}) -> tensor<f32> {
  return %a : tensor<f32>
}

//--- sparse.mlir
// LITERAL:      the value of a constant is not written out
// LITERAL-NEXT: type     {{.*}}tensor<4xf32>
// LITERAL-NEXT: at       loc("module":
// LITERAL-NEXT: rule     constants are dense<...>, neither sparse<...> nor dense_resource<...>
func.func @main() -> tensor<4xf32> {
  %0 = stablehlo.constant sparse<[[1], [2]], [5.0, 6.0]> : tensor<4xf32>
  return %0 : tensor<4xf32>
}

//--- resource.mlir
module {
  func.func @main() -> tensor<4xf32> {
    %0 = stablehlo.constant dense_resource<blob> : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
{-#
  dialect_resources: { builtin: { blob: "0x040000000000803F000000400000404000008040" } }
#-}
