// RUN: split-file %s %t
// RUN: xla-run %t/cholesky.mlir 4,2,6,2,5,5,6,5,11 1,0,1,1,1,-1,6,0 1,2,2,1 | FileCheck %s --check-prefix=CHOLESKY
// RUN: xla-run %t/cholesky.mlir --backend=reference 4,2,6,2,5,5,6,5,11 1,0,1,1,1,-1,6,0 1,2,2,1 | FileCheck %s --check-prefix=CHOLESKY
// RUN: xla-run %t/solve.mlir 2,0,1,4 2,4,9,6 | FileCheck %s --check-prefix=SOLVE
// RUN: xla-run %t/solve.mlir --backend=reference 2,0,1,4 2,4,9,6 | FileCheck %s --check-prefix=SOLVE
// RUN: xla-run %t/batch.mlir > %t.native
// RUN: xla-run %t/batch.mlir --backend=reference | diff - %t.native
// RUN: not xla-run %t/halves.mlir 1 2>&1 | FileCheck %s --check-prefix=HALVES

// Exact factors; the operand may be computed, the other triangle is zero; NaN where there is no factor.
//--- cholesky.mlir
// CHOLESKY:      f32[3,3] 2 0 0 1 2 0 3 1 1
// CHOLESKY-NEXT: f64[3,3] 2 1 3 0 2 1 0 0 1
// CHOLESKY-NEXT: c64[2,2] 1:0 0:0 1:1 2:0
// CHOLESKY-NEXT: f32[2,2] NaN NaN NaN NaN
func.func @main(%a: tensor<3x3xf32>, %z: tensor<2x2xcomplex<f32>>, %b: tensor<2x2xf32>)
    -> (tensor<3x3xf32>, tensor<3x3xf64>, tensor<2x2xcomplex<f32>>, tensor<2x2xf32>) {
  %0 = stablehlo.cholesky %a, lower = true : tensor<3x3xf32>
  %wide = stablehlo.convert %a : (tensor<3x3xf32>) -> tensor<3x3xf64>
  %1 = stablehlo.cholesky %wide : tensor<3x3xf64>
  %t = stablehlo.transpose %z, dims = [1, 0] : (tensor<2x2xcomplex<f32>>) -> tensor<2x2xcomplex<f32>>
  %2 = stablehlo.cholesky %t, lower = true : tensor<2x2xcomplex<f32>>
  %3 = stablehlo.cholesky %b, lower = true : tensor<2x2xf32>
  return %0, %1, %2, %3 : tensor<3x3xf32>, tensor<3x3xf64>, tensor<2x2xcomplex<f32>>, tensor<2x2xf32>
}

// Both sides, forms and triangles; the diagonal taken as one; the right side kept for others.
//--- solve.mlir
// SOLVE:      f32[2,2] 1 2 2 1
// SOLVE-NEXT: f32[2,2] 0.5 1 3.75 1.5
// SOLVE-NEXT: f32[2,2] -0.125 1.25 2.25 1.5
// SOLVE-NEXT: f32[2,2] 2 4 7 2
// SOLVE-NEXT: f32[2,2] 0.5 1 3.75 1.5
// SOLVE-NEXT: f32[2,2] 2 4 9 6
func.func @main(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>,
    tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) {
  %0 = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = false,
    transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = "stablehlo.triangular_solve"(%a, %b) {left_side = false, lower = true, unit_diagonal = false,
    transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %2 = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = false,
    transpose_a = #stablehlo<transpose TRANSPOSE>} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %3 = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = true,
    transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %t = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %4 = "stablehlo.triangular_solve"(%t, %b) {left_side = false, lower = false, unit_diagonal = false,
    transpose_a = #stablehlo<transpose ADJOINT>} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0, %1, %2, %3, %4, %b : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>,
    tensor<2x2xf32>, tensor<2x2xf32>
}

// Batches, constants for operands, empty matrices.
//--- batch.mlir
func.func @main() -> (tensor<2x2x2xf64>, tensor<2x2x3xf64>, tensor<0x0xf32>, tensor<2x0x3xf32>) {
  %a = stablehlo.constant dense<[[[4.0, 2.0], [2.0, 5.0]], [[1.0, 3.0], [3.0, 13.0]]]> : tensor<2x2x2xf64>
  %0 = stablehlo.cholesky %a, lower = true : tensor<2x2x2xf64>
  %ones = stablehlo.constant dense<1.0> : tensor<2x2x3xf64>
  %1 = "stablehlo.triangular_solve"(%0, %ones) {left_side = true, lower = true, unit_diagonal = false,
    transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x2x2xf64>, tensor<2x2x3xf64>) -> tensor<2x2x3xf64>
  %none = stablehlo.constant dense<0.0> : tensor<0x0xf32>
  %2 = stablehlo.cholesky %none : tensor<0x0xf32>
  %empty = stablehlo.constant dense<0.0> : tensor<2x0x0xf32>
  %side = stablehlo.constant dense<0.0> : tensor<2x0x3xf32>
  %3 = "stablehlo.triangular_solve"(%empty, %side) {left_side = true, lower = true, unit_diagonal = false,
    transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x0x0xf32>, tensor<2x0x3xf32>) -> tensor<2x0x3xf32>
  return %0, %1, %2, %3 : tensor<2x2x2xf64>, tensor<2x2x3xf64>, tensor<0x0xf32>, tensor<2x0x3xf32>
}

//--- halves.mlir
// HALVES: cannot generate code for 'stablehlo.cholesky': it factors and solves f32, f64, complex<f32> and complex<f64>; convert
func.func @main(%a: tensor<1x1xbf16>) -> tensor<1x1xbf16> {
  %0 = stablehlo.cholesky %a : tensor<1x1xbf16>
  return %0 : tensor<1x1xbf16>
}
