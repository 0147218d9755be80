// RUN: xla-run %s --backend=reference | FileCheck %s
// RUN: xla-run %s --backend=native | FileCheck %s

// A dimension that is left out may have slices of size 0: what is taken where there is nothing are zeros.
func.func @main() -> (tensor<3xf32>, tensor<2x2xcomplex<f32>>, tensor<3x0xi32>) {
  %indices = stablehlo.constant dense<[[0], [7], [-1]]> : tensor<3x1xi32>
  %pairs = stablehlo.constant dense<[[0, 0], [5, 1]]> : tensor<2x2xi32>
  %none = stablehlo.constant dense<1.0> : tensor<0xf32>
  %rows = stablehlo.constant dense<(1.0, 2.0)> : tensor<0x2xcomplex<f32>>
  %columns = stablehlo.constant dense<1> : tensor<2x0xi32>
  // CHECK: f32[3] 0 0 0
  %0 = "stablehlo.gather"(%none, %indices) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 0>}> : (tensor<0xf32>, tensor<3x1xi32>) -> tensor<3xf32>
  // CHECK: c64[2,2]
  %1 = "stablehlo.gather"(%rows, %pairs) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 0, 2>}> : (tensor<0x2xcomplex<f32>>, tensor<2x2xi32>) -> tensor<2x2xcomplex<f32>>
  // CHECK: s32[3,0]
  %2 = "stablehlo.gather"(%columns, %indices) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 0>}> : (tensor<2x0xi32>, tensor<3x1xi32>) -> tensor<3x0xi32>
  return %0, %1, %2 : tensor<3xf32>, tensor<2x2xcomplex<f32>>, tensor<3x0xi32>
}
