// RUN: xla-run %s --backend=reference > %t.reference
// RUN: xla-run %s --backend=native > %t.native
// RUN: diff %t.reference %t.native

// Whatever moves elements, alone and one on top of another.

func.func @main() -> (tensor<6x4xf32>, tensor<3x2x4xf32>, tensor<5x4xf32>, tensor<9x5xf32>, tensor<4x12xf32>, tensor<2x3xf32>, tensor<4x6xf32>, tensor<2x2x4xf32>, tensor<4x6xf32>, tensor<7xf32>, tensor<2x4xui8>) {
  %x = stablehlo.iota dim = 0 : tensor<24xf32>
  %m = stablehlo.reshape %x : (tensor<24xf32>) -> tensor<4x6xf32>
  %t = stablehlo.transpose %m, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %r = stablehlo.reshape %t : (tensor<6x4xf32>) -> tensor<3x2x4xf32>
  %rev = stablehlo.reverse %r, dims = [0, 2] : tensor<3x2x4xf32>
  %s = stablehlo.slice %t [1:6, 0:4] : (tensor<6x4xf32>) -> tensor<5x4xf32>
  %seven = stablehlo.constant dense<7.0> : tensor<f32>
  %p = stablehlo.pad %s, %seven, low = [-1, 2], high = [2, -1], interior = [1, 0] : (tensor<5x4xf32>, tensor<f32>) -> tensor<10x5xf32>
  %ps = stablehlo.slice %p [1:10, 0:5] : (tensor<10x5xf32>) -> tensor<9x5xf32>
  %n = stablehlo.negate %m : tensor<4x6xf32>
  %c = stablehlo.concatenate %m, %n, dim = 1 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x12xf32>
  %start = stablehlo.constant dense<9> : tensor<i32>
  %minus = stablehlo.constant dense<-2> : tensor<i32>
  %d = stablehlo.dynamic_slice %m, %start, %minus, sizes = [2, 3] : (tensor<4x6xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  %u = stablehlo.dynamic_update_slice %m, %d, %minus, %start : (tensor<4x6xf32>, tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<4x6xf32>
  %idx = stablehlo.constant dense<[[5, 1], [-3, 0]]> : tensor<2x2xi32>
  %g = "stablehlo.gather"(%t, %idx) {dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, slice_sizes = array<i64: 1, 4>} : (tensor<6x4xf32>, tensor<2x2xi32>) -> tensor<2x2x4xf32>
  %rows = stablehlo.constant dense<[[3], [0], [3], [4]]> : tensor<4x1xi32>
  %sc = "stablehlo.scatter"(%m, %rows, %n) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %half = stablehlo.subtract %a, %b : tensor<f32>
    stablehlo.return %half : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<4x6xf32>, tensor<4x1xi32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %v = stablehlo.constant dense<[3.0, 1.0, 2.0, 1.0, -4.0, 0.0, 9.0]> : tensor<7xf32>
  %sorted = "stablehlo.sort"(%v) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %lt = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %lt : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<7xf32>) -> tensor<7xf32>
  %two = stablehlo.slice %v [0:2] : (tensor<7xf32>) -> tensor<2xf32>
  %bytes = stablehlo.bitcast_convert %two : (tensor<2xf32>) -> tensor<2x4xui8>
  return %t, %rev, %s, %ps, %c, %d, %u, %g, %sc, %sorted, %bytes : tensor<6x4xf32>, tensor<3x2x4xf32>, tensor<5x4xf32>, tensor<9x5xf32>, tensor<4x12xf32>, tensor<2x3xf32>, tensor<4x6xf32>, tensor<2x2x4xf32>, tensor<4x6xf32>, tensor<7xf32>, tensor<2x4xui8>
}
