// RUN: split-file %s %t
// RUN: xla-run %t/forms.mlir --backend=reference > %t.reference
// RUN: xla-run %t/forms.mlir --backend=native > %t.native
// RUN: diff %t.reference %t.native
// RUN: xla-run %t/loop.mlir --backend=reference > %t.reference
// RUN: xla-run %t/loop.mlir --backend=native > %t.native
// RUN: diff %t.reference %t.native
// RUN: xla-run %t/reshaped.mlir --backend=reference > %t.reference
// RUN: xla-run %t/reshaped.mlir --backend=native > %t.native
// RUN: diff %t.reference %t.native
// RUN: env XLA_DUMP_LLVM=1 xla-run %t/fused.mlir --backend=native 2>&1 | FileCheck %s

// What follows a product is computed by a function that its kernel calls; no
// loop over the result is left in the program, and the sums share the memory of the
// result.
// CHECK-LABEL: ; as emitted
// CHECK: define i32 @xla_main
// CHECK: store ptr @[[FINISH:finish[0-9]+]]
// CHECK: call void @xla_gemm_f32
// CHECK-NEXT: ret i32 0
// CHECK: define internal void @[[FINISH]](ptr
// CHECK: call {{.*}} @llvm.maximum.f32
// CHECK-LABEL: ; optimised

//--- fused.mlir
func.func @main() -> tensor<48x40xf32> {
  %x = stablehlo.iota dim = 0 : tensor<48x64xf32>
  %w = stablehlo.iota dim = 1 : tensor<64x40xf32>
  %b = stablehlo.iota dim = 0 : tensor<40xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<48x40xf32>
  %bias = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<40xf32>) -> tensor<48x40xf32>
  %p = stablehlo.dot %x, %w : (tensor<48x64xf32>, tensor<64x40xf32>) -> tensor<48x40xf32>
  %0 = stablehlo.add %p, %bias : tensor<48x40xf32>
  %1 = stablehlo.maximum %0, %zero : tensor<48x40xf32>
  return %1 : tensor<48x40xf32>
}

//--- forms.mlir
func.func private @numbers() -> tensor<40x40xf32> {
  %i = stablehlo.iota dim = 0 : tensor<40x40xi32>
  %j = stablehlo.iota dim = 1 : tensor<40x40xi32>
  %three = stablehlo.constant dense<3> : tensor<40x40xi32>
  %seven = stablehlo.constant dense<7> : tensor<40x40xi32>
  %0 = stablehlo.multiply %i, %three : tensor<40x40xi32>
  %1 = stablehlo.add %0, %j : tensor<40x40xi32>
  %2 = stablehlo.remainder %1, %seven : tensor<40x40xi32>
  %3 = stablehlo.subtract %2, %three : tensor<40x40xi32>
  %4 = stablehlo.convert %3 : (tensor<40x40xi32>) -> tensor<40x40xf32>
  %5 = stablehlo.optimization_barrier %4 : tensor<40x40xf32>
  return %5 : tensor<40x40xf32>
}

func.func @main() -> (tensor<40x40xf32>, tensor<40x40xf32>, tensor<40x40xf32>, tensor<20x2x40xf32>, tensor<40x40xf32>, tensor<40x40xf32>, tensor<40x40xbf16>, tensor<40x40xf32>, tensor<2x20x1x8xf32>) {
  %x = func.call @numbers() : () -> tensor<40x40xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<40x40xf32>

  // The operand is added, and dies here: the result may not share its memory.
  %p = stablehlo.dot %x, %x : (tensor<40x40xf32>, tensor<40x40xf32>) -> tensor<40x40xf32>
  %residual = stablehlo.add %p, %x : tensor<40x40xf32>

  // The product itself is a result too, and so is what is computed from it.
  %q = stablehlo.dot %residual, %x : (tensor<40x40xf32>, tensor<40x40xf32>) -> tensor<40x40xf32>
  %relu = stablehlo.maximum %q, %zero : tensor<40x40xf32>

  // Through a reshape, with a bias for each row of it.
  %vector = stablehlo.slice %x [0:2, 0:40] : (tensor<40x40xf32>) -> tensor<2x40xf32>
  %bias = stablehlo.broadcast_in_dim %vector, dims = [1, 2] : (tensor<2x40xf32>) -> tensor<20x2x40xf32>
  %r = stablehlo.dot %x, %x : (tensor<40x40xf32>, tensor<40x40xf32>) -> tensor<40x40xf32>
  %rows = stablehlo.reshape %r : (tensor<40x40xf32>) -> tensor<20x2x40xf32>
  %shaped = stablehlo.subtract %rows, %bias : tensor<20x2x40xf32>

  // Elements of other indices: the first row, and the first element.
  %s = stablehlo.dot %x, %relu : (tensor<40x40xf32>, tensor<40x40xf32>) -> tensor<40x40xf32>
  %first = stablehlo.slice %s [0:1, 0:40] : (tensor<40x40xf32>) -> tensor<1x40xf32>
  %spread = stablehlo.broadcast_in_dim %first, dims = [0, 1] : (tensor<1x40xf32>) -> tensor<40x40xf32>
  %less = stablehlo.subtract %s, %spread : tensor<40x40xf32>
  %one = stablehlo.slice %q [0:1, 0:1] : (tensor<40x40xf32>) -> tensor<1x1xf32>
  %scalar = stablehlo.reshape %one : (tensor<1x1xf32>) -> tensor<f32>
  %scalars = stablehlo.broadcast_in_dim %scalar, dims = [] : (tensor<f32>) -> tensor<40x40xf32>
  %more = stablehlo.add %q, %scalars : tensor<40x40xf32>

  // Sums are rounded to 16 bits before anything else happens to them.
  %h = stablehlo.convert %x : (tensor<40x40xf32>) -> tensor<40x40xbf16>
  %half = stablehlo.constant dense<0.25> : tensor<40x40xbf16>
  %t = stablehlo.dot %h, %h : (tensor<40x40xbf16>, tensor<40x40xbf16>) -> tensor<40x40xbf16>
  %scaled = stablehlo.multiply %t, %half : tensor<40x40xbf16>
  %wide = stablehlo.convert %t : (tensor<40x40xbf16>) -> tensor<40x40xf32>

  // A convolution, its bias and the sign of another array.
  %image = stablehlo.reshape %x : (tensor<40x40xf32>) -> tensor<2x20x5x8xf32>
  %taps = stablehlo.slice %x [0:24, 0:40:5] : (tensor<40x40xf32>) -> tensor<24x8xf32>
  %kernel = stablehlo.reshape %taps : (tensor<24x8xf32>) -> tensor<3x1x8x8xf32>
  %c = stablehlo.convolution(%image, %kernel)
    dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {stride = [1, 5], pad = [[1, 1], [0, 0]]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<2x20x5x8xf32>, tensor<3x1x8x8xf32>) -> tensor<2x20x1x8xf32>
  %sign = stablehlo.slice %x [0:8, 0:40] : (tensor<40x40xf32>) -> tensor<8x40xf32>
  %signs = stablehlo.reshape %sign : (tensor<8x40xf32>) -> tensor<2x20x1x8xf32>
  %none = stablehlo.constant dense<0.0> : tensor<2x20x1x8xf32>
  %chosen = stablehlo.compare GT, %signs, %none : (tensor<2x20x1x8xf32>, tensor<2x20x1x8xf32>) -> tensor<2x20x1x8xi1>
  %kept = stablehlo.select %chosen, %c, %none : tensor<2x20x1x8xi1>, tensor<2x20x1x8xf32>
  return %residual, %q, %relu, %shaped, %less, %more, %scaled, %wide, %kept : tensor<40x40xf32>, tensor<40x40xf32>, tensor<40x40xf32>, tensor<20x2x40xf32>, tensor<40x40xf32>, tensor<40x40xf32>, tensor<40x40xbf16>, tensor<40x40xf32>, tensor<2x20x1x8xf32>
}

//--- loop.mlir
// A carry goes through a product and what follows it, in place of itself; the
// other one is the product without that.
func.func @main() -> (tensor<33x33xi32>, tensor<33x33xi32>) {
  %x = stablehlo.iota dim = 0 : tensor<33x33xi32>
  %w = stablehlo.iota dim = 1 : tensor<33x33xi32>
  %i = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %four = stablehlo.constant dense<4> : tensor<i32>
  %r:3 = stablehlo.while(%n = %i, %a = %x, %b = %w) : tensor<i32>, tensor<33x33xi32>, tensor<33x33xi32>
  cond {
    %p = stablehlo.compare LT, %n, %four, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %spread = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<i32>) -> tensor<33x33xi32>
    %p = stablehlo.dot %a, %w : (tensor<33x33xi32>, tensor<33x33xi32>) -> tensor<33x33xi32>
    %0 = stablehlo.add %p, %spread : tensor<33x33xi32>
    %1 = stablehlo.maximum %0, %b : tensor<33x33xi32>
    %next = stablehlo.add %n, %one : tensor<i32>
    stablehlo.return %next, %1, %p : tensor<i32>, tensor<33x33xi32>, tensor<33x33xi32>
  }
  return %r#1, %r#2 : tensor<33x33xi32>, tensor<33x33xi32>
}

//--- reshaped.mlir
// The rounded product is a result too; what follows it has another shape.
func.func @main() -> (tensor<64x64xbf16>, tensor<2x32x64xbf16>) {
  %i = stablehlo.iota dim = 0 : tensor<64x2xbf16>
  %j = stablehlo.iota dim = 1 : tensor<2x64xbf16>
  %k = stablehlo.iota dim = 0 : tensor<64xbf16>
  %p = stablehlo.dot %i, %j : (tensor<64x2xbf16>, tensor<2x64xbf16>) -> tensor<64x64xbf16>
  %q = stablehlo.reshape %p : (tensor<64x64xbf16>) -> tensor<2x32x64xbf16>
  %bias = stablehlo.broadcast_in_dim %k, dims = [2] : (tensor<64xbf16>) -> tensor<2x32x64xbf16>
  %0 = stablehlo.add %q, %bias : tensor<2x32x64xbf16>
  return %p, %0 : tensor<64x64xbf16>, tensor<2x32x64xbf16>
}
