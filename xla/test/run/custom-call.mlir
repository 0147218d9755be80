// RUN: split-file %s %t
// RUN: xla-run %t/values.mlir 1,2,3,4,5,6 3 | FileCheck %s --check-prefix=VALUES
// RUN: xla-run %t/values.mlir --backend=reference 1,2,3,4,5,6 3 | FileCheck %s --check-prefix=VALUES
// RUN: xla-run %t/layouts.mlir 1,2,3,4,5,6 | FileCheck %s --check-prefix=LAYOUTS
// RUN: xla-run %t/layouts.mlir --backend=reference 1,2,3,4,5,6 | FileCheck %s --check-prefix=LAYOUTS
// RUN: xla-run %t/alias.mlir 1,2,3 | FileCheck %s --check-prefix=ALIAS
// RUN: xla-run %t/alias.mlir --backend=reference 1,2,3 | FileCheck %s --check-prefix=ALIAS
// RUN: xla-run %t/effects.mlir 3 | FileCheck %s --check-prefix=EFFECTS
// RUN: xla-run %t/effects.mlir --backend=reference 3 | FileCheck %s --check-prefix=EFFECTS
// RUN: xla-run %t/forms.mlir 1,2 | FileCheck %s --check-prefix=FORMS
// RUN: xla-run %t/forms.mlir --backend=reference 1,2 | FileCheck %s --check-prefix=FORMS
// RUN: not xla-run %t/fails.mlir 1 2>&1 | FileCheck %s --check-prefix=FAILS
// RUN: not xla-run %t/fails.mlir --backend=reference 1 2>&1 | FileCheck %s --check-prefix=FAILS
// RUN: not xla-run %t/unknown.mlir 1 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not xla-run %t/unknown.mlir --backend=reference 1 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not xla-run %t/untyped.mlir 1 2>&1 | FileCheck %s --check-prefix=UNTYPED
// RUN: not xla-run %t/bad-alias.mlir 1 2>&1 | FileCheck %s --check-prefix=BADALIAS

// Operands that are computed, broadcast, scalar or empty; results that go on.
//--- values.mlir
// VALUES:      f32[2,3] 6 8 10 12 14 16
// VALUES-NEXT: f32[] 9
// VALUES-NEXT: f32[3] 10 10 10
// VALUES-NEXT: f32[0,2]
func.func @main(%a: tensor<2x3xf32>, %s: tensor<f32>)
    -> (tensor<2x3xf32>, tensor<f32>, tensor<3xf32>, tensor<0x2xf32>) {
  %one = stablehlo.constant dense<1.0> : tensor<2x3xf32>
  %sum = stablehlo.add %a, %one : tensor<2x3xf32>
  %0 = stablehlo.custom_call @test.scale(%sum) {api_version = 4 : i32, backend_config = {factor = 2.0 : f32}}
    : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %two = stablehlo.constant dense<2.0> : tensor<2x3xf32>
  %1 = stablehlo.add %0, %two : tensor<2x3xf32>
  %2 = stablehlo.custom_call @test.scale(%s) {backend_config = "", mhlo.backend_config = {factor = 3.0 : f32}}
    : (tensor<f32>) -> tensor<f32>
  %five = stablehlo.constant dense<5.0> : tensor<3xf32>
  %3 = stablehlo.custom_call @test.scale(%five) {api_version = 4 : i32, backend_config = "{factor = 2.0 : f32}"}
    : (tensor<3xf32>) -> tensor<3xf32>
  %none = stablehlo.constant dense<0.0> : tensor<0x2xf32>
  %4 = stablehlo.custom_call @test.copy(%none) {api_version = 4 : i32} : (tensor<0x2xf32>) -> tensor<0x2xf32>
  return %1, %2, %3, %4 : tensor<2x3xf32>, tensor<f32>, tensor<3xf32>, tensor<0x2xf32>
}

// A handler reads a matrix by columns, and sees its dimensions in their order.
//--- layouts.mlir
// LAYOUTS:      f32[6] 1 4 2 5 3 6
// LAYOUTS-NEXT: s64[2] 2 3
// LAYOUTS-NEXT: f32[3,2] 1 4 2 5 3 6
func.func @main(%a: tensor<2x3xf32>) -> (tensor<6xf32>, tensor<2xi64>, tensor<3x2xf32>) {
  %0 = stablehlo.custom_call @test.copy(%a) {api_version = 4 : i32,
      operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0]> : tensor<1xindex>]}
    : (tensor<2x3xf32>) -> tensor<6xf32>
  %1 = stablehlo.custom_call @test.sizes(%a) {api_version = 4 : i32,
      operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0]> : tensor<1xindex>]}
    : (tensor<2x3xf32>) -> tensor<2xi64>
  %2 = stablehlo.custom_call @test.copy(%a) {api_version = 4 : i32,
      operand_layouts = [dense<[1, 0]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]}
    : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %0, %1, %2 : tensor<6xf32>, tensor<2xi64>, tensor<3x2xf32>
}

// The result takes the operand's memory; whoever else reads the operand keeps it.
//--- alias.mlir
// ALIAS:      s32[3] 2 3 4
// ALIAS-NEXT: s32[3] 1 2 3
// ALIAS-NEXT: s32[3] 3 5 7
// ALIAS-NEXT: s32[3] 8 8 8
func.func @main(%a: tensor<3xi32>) -> (tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>) {
  %0 = stablehlo.custom_call @test.increment_in_place(%a) {api_version = 4 : i32,
      output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [],
        operand_index = 0, operand_tuple_indices = []>]} : (tensor<3xi32>) -> tensor<3xi32>
  %sum = stablehlo.add %a, %a : tensor<3xi32>
  %1 = stablehlo.custom_call @test.increment_in_place(%sum) {api_version = 4 : i32,
      output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [],
        operand_index = 0, operand_tuple_indices = []>]} : (tensor<3xi32>) -> tensor<3xi32>
  %seven = stablehlo.constant dense<7> : tensor<3xi32>
  %2 = stablehlo.custom_call @test.increment_in_place(%seven) {api_version = 4 : i32,
      output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [],
        operand_index = 0, operand_tuple_indices = []>]} : (tensor<3xi32>) -> tensor<3xi32>
  return %0, %a, %1, %2 : tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>
}

// Calls with side effects happen once each, in order, used or not, in loops and branches too.
//--- effects.mlir
// EFFECTS:      s32[] 1
// EFFECTS-NEXT: s32[] 3
// EFFECTS-NEXT: s32[] 7
func.func @main(%n: tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<i32>) {
  %t = stablehlo.create_token : !stablehlo.token
  %t0, %0 = stablehlo.custom_call @test.count(%t) {api_version = 4 : i32, has_side_effect = true}
    : (!stablehlo.token) -> (!stablehlo.token, tensor<i32>)
  stablehlo.custom_call @test.count() {api_version = 4 : i32, has_side_effect = true} : () -> ()
  %t1, %1 = stablehlo.custom_call @test.count(%t0) {api_version = 4 : i32, has_side_effect = true}
    : (!stablehlo.token) -> (!stablehlo.token, tensor<i32>)
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %w:2 = stablehlo.while(%i = %zero, %token = %t1) : tensor<i32>, !stablehlo.token
   cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %next = stablehlo.custom_call @test.count(%token) {api_version = 4 : i32, has_side_effect = true}
      : (!stablehlo.token) -> !stablehlo.token
    %one = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %next : tensor<i32>, !stablehlo.token
  }
  %2 = stablehlo.custom_call @test.count(%w#1) {api_version = 4 : i32, has_side_effect = true}
    : (!stablehlo.token) -> tensor<i32>
  return %0, %1, %2 : tensor<i32>, tensor<i32>, tensor<i32>
}

// Tuples of results; marks for several devices.
//--- forms.mlir
// FORMS:      f32[2] 1 2
// FORMS-NEXT: s32[] 1
func.func @main(%a: tensor<2xf32>) -> (tensor<2xf32>, tensor<i32>) {
  %0 = stablehlo.custom_call @Sharding(%a) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = stablehlo.custom_call @test.count() {api_version = 4 : i32} : () -> tuple<!stablehlo.token, tensor<i32>>
  %2 = stablehlo.get_tuple_element %1[1] : (tuple<!stablehlo.token, tensor<i32>>) -> tensor<i32>
  return %0, %2 : tensor<2xf32>, tensor<i32>
}

//--- fails.mlir
// FAILS: xla-run: {{.*}}test.fail: no more paper
func.func @main(%a: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.custom_call @test.fail(%a) {api_version = 4 : i32, backend_config = {why = "no more paper"}}
    : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

//--- unknown.mlir
// UNKNOWN:      No FFI handler registered for nowhere on a platform Host
// UNKNOWN-NEXT: target   nowhere
// UNKNOWN-NEXT: types    (tensor<f32>) -> (tensor<f32>)
// UNKNOWN-NEXT: at       loc("module":{{[0-9]+}}:
// UNKNOWN-NEXT: Register one:  jax.ffi.register_ffi_target("nowhere", handler, platform="cpu")
func.func @main(%a: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.custom_call @nowhere(%a) {api_version = 4 : i32} : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

//--- untyped.mlir
// UNTYPED: a custom call has api_version 2, an interface without types
func.func @main(%a: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.custom_call @old(%a) {api_version = 2 : i32} : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

//--- bad-alias.mlir
// BADALIAS: aliases result 0, 'tensor<2xf32>', with operand 0, 'tensor<f32>': their types or layouts differ
func.func @main(%a: tensor<f32>) -> tensor<2xf32> {
  %0 = stablehlo.custom_call @f(%a) {api_version = 4 : i32,
      output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [],
        operand_index = 0, operand_tuple_indices = []>]} : (tensor<f32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
