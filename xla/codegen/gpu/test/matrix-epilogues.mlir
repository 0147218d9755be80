// RUN: xla-gpu %s --emit=kernels | FileCheck %s
// RUN: xla-gpu %s --emit=kernels --target=spirv | FileCheck %s --check-prefix=THREADS
// RUN: xla-gpu %s --emit=check
// RUN: xla-gpu %s --emit=check --target=emulated_mfma
// RUN: xla-gpu %s --emit=check --target=emulated_wmma

// What reads a product at its own index is computed where its sums are: a bias
// and an activation; a residual, of a result that is returned too; a conversion;
// under another shape. The same of products of which each thread has a result,
// and of convolutions.
// CHECK-COUNT-5: kernel @product{{[0-4]}} {
// CHECK: kernel @convolution5 {
// What moves elements is taken into the product before. What reads what is
// computed behind the product is a kernel of its own.
// CHECK: kernel @product6 {
// CHECK: kernel @product7 {
// CHECK: kernel @product8 {
// CHECK: kernel @loop_nest9 {
// CHECK-NOT: kernel @
// THREADS-COUNT-5: kernel @product{{[0-4]}} {
// THREADS: kernel @convolution5 {
// THREADS: kernel @product6 {
// THREADS: kernel @product7 {
// THREADS: kernel @product8 {
// THREADS: kernel @loop_nest9 {
// THREADS-NOT: kernel @
func.func @main(%x0: tensor<70x64xbf16>, %x1: tensor<70x64xbf16>, %x2: tensor<70x64xbf16>, %x3: tensor<70x64xbf16>, %x4: tensor<70x64xbf16>,
                %y: tensor<64x40xbf16>, %bias: tensor<40xf32>, %residual: tensor<70x40xf32>, %a: tensor<5x6xf32>, %b: tensor<6x7xf32>,
                %c: tensor<5x6xf32>, %image: tensor<2x6x6x3xf32>, %filter: tensor<3x3x3x4xf32>)
    -> (tensor<70x40xf32>, tensor<70x40xf32>, tensor<70x40xf32>, tensor<70x40xbf16>, tensor<2800xf32>,
        tensor<5x7xf32>, tensor<2x4x4x4xf32>, tensor<40x70xf32>, tensor<5x7xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %zeros = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<70x40xf32>
  %wide = stablehlo.broadcast_in_dim %bias, dims = [1] : (tensor<40xf32>) -> tensor<70x40xf32>
  %p0 = stablehlo.dot_general %x0, %y, contracting_dims = [1] x [0] : (tensor<70x64xbf16>, tensor<64x40xbf16>) -> tensor<70x40xf32>
  %s0 = stablehlo.add %p0, %wide : tensor<70x40xf32>
  %r0 = stablehlo.maximum %s0, %zeros : tensor<70x40xf32>

  %p1 = stablehlo.dot_general %x1, %y, contracting_dims = [1] x [0] : (tensor<70x64xbf16>, tensor<64x40xbf16>) -> tensor<70x40xf32>
  %r1 = stablehlo.add %p1, %residual : tensor<70x40xf32>

  %p2 = stablehlo.dot_general %x2, %y, contracting_dims = [1] x [0] : (tensor<70x64xbf16>, tensor<64x40xbf16>) -> tensor<70x40xf32>
  %r2 = stablehlo.convert %p2 : (tensor<70x40xf32>) -> tensor<70x40xbf16>

  %p3 = stablehlo.dot_general %x3, %y, contracting_dims = [1] x [0] : (tensor<70x64xbf16>, tensor<64x40xbf16>) -> tensor<70x40xf32>
  %f3 = stablehlo.reshape %p3 : (tensor<70x40xf32>) -> tensor<2800xf32>
  %r3 = stablehlo.negate %f3 : tensor<2800xf32>

  %p4 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<5x6xf32>, tensor<6x7xf32>) -> tensor<5x7xf32>
  %r4 = stablehlo.multiply %p4, %p4 : tensor<5x7xf32>

  %p5 = stablehlo.convolution(%image, %filter)
    dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<2x6x6x3xf32>, tensor<3x3x3x4xf32>) -> tensor<2x4x4x4xf32>
  %half = stablehlo.constant dense<0.5> : tensor<2x4x4x4xf32>
  %r5 = stablehlo.maximum %p5, %half : tensor<2x4x4x4xf32>

  %p6 = stablehlo.dot_general %x4, %y, contracting_dims = [1] x [0] : (tensor<70x64xbf16>, tensor<64x40xbf16>) -> tensor<70x40xf32>
  %t6 = stablehlo.transpose %p6, dims = [1, 0] : (tensor<70x40xf32>) -> tensor<40x70xf32>
  %r6 = stablehlo.cosine %t6 : tensor<40x70xf32>

  %p8 = stablehlo.dot_general %c, %b, contracting_dims = [1] x [0] : (tensor<5x6xf32>, tensor<6x7xf32>) -> tensor<5x7xf32>
  %p9 = stablehlo.dot_general %c, %c, contracting_dims = [1] x [1] : (tensor<5x6xf32>, tensor<5x6xf32>) -> tensor<5x5xf32>
  %w9 = stablehlo.slice %p9 [0:5, 0:1] : (tensor<5x5xf32>) -> tensor<5x1xf32>
  %v9 = stablehlo.broadcast_in_dim %w9, dims = [0, 1] : (tensor<5x1xf32>) -> tensor<5x7xf32>
  %r8 = stablehlo.add %p8, %v9 : tensor<5x7xf32>
  return %r0, %p1, %r1, %r2, %r3, %r4, %r5, %r6, %r8 : tensor<70x40xf32>, tensor<70x40xf32>, tensor<70x40xf32>, tensor<70x40xbf16>, tensor<2800xf32>, tensor<5x7xf32>, tensor<2x4x4x4xf32>, tensor<40x70xf32>, tensor<5x7xf32>
}
