// RUN: xla-opt %s --xla-cpu-choose --split-input-file | FileCheck %s

// The runtime multiplies what is large.
// CHECK-LABEL: func.func @main(
// CHECK: stablehlo.dot_general {{.*}}xla_cpu.kernel = {entry = "xla_gemm_f32", strategy = "gemm"}
func.func @main(%x: tensor<256x256xf32>, %y: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0]
    : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  return %0 : tensor<256x256xf32>
}

// -----

// Sums of 16-bit floats are wide: they have memory of their own.
// CHECK-LABEL: func.func @main(
// CHECK: stablehlo.dot_general {{.*}}xla_cpu.kernel = {entry = "xla_gemm_bf16_f32", scratch = 262144 : i64, strategy = "gemm"}
func.func @main(%x: tensor<256x256xbf16>, %y: tensor<256x256xbf16>) -> tensor<256x256xbf16> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0]
    : (tensor<256x256xbf16>, tensor<256x256xbf16>) -> tensor<256x256xbf16>
  return %0 : tensor<256x256xbf16>
}

// -----

// So they have none where the result is as wide.
// CHECK-LABEL: func.func @main(
// CHECK: stablehlo.dot_general {{.*}}xla_cpu.kernel = {entry = "xla_gemm_bf16_f32", strategy = "gemm"}
func.func @main(%x: tensor<256x256xbf16>, %y: tensor<256x256xbf16>) -> tensor<256x256xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0]
    : (tensor<256x256xbf16>, tensor<256x256xbf16>) -> tensor<256x256xf32>
  return %0 : tensor<256x256xf32>
}

// -----

// Bytes are summed in words.
// CHECK-LABEL: func.func @main(
// CHECK: stablehlo.dot_general {{.*}}xla_cpu.kernel = {entry = "xla_gemm_s8_s32", strategy = "gemm"}
func.func @main(%x: tensor<64x256xi8>, %y: tensor<256x64xi8>) -> tensor<64x64xi32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0]
    : (tensor<64x256xi8>, tensor<256x64xi8>) -> tensor<64x64xi32>
  return %0 : tensor<64x64xi32>
}

// -----

// No kernel multiplies these types.
// CHECK-LABEL: func.func @main(
// CHECK: stablehlo.dot_general {{.*}}xla_cpu.kernel = {loops = {grain = 1 : i64, order = "lines", shape = array<i64: 256, 256>}, strategy = "in_line"}
func.func @main(%x: tensor<256x256xf8E4M3FN>, %y: tensor<256x256xf8E4M3FN>) -> tensor<256x256xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0]
    : (tensor<256x256xf8E4M3FN>, tensor<256x256xf8E4M3FN>) -> tensor<256x256xf32>
  return %0 : tensor<256x256xf32>
}

// -----

// A small matrix and a vector are one loop.
// CHECK-LABEL: func.func @main(
// CHECK: stablehlo.dot_general {{.*}}xla_cpu.kernel = {loops = {order = "elements", shape = array<i64>}, strategy = "matrix_vector"}
func.func @main(%x: tensor<64x256xf32>, %y: tensor<256xf32>) -> tensor<64xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0]
    : (tensor<64x256xf32>, tensor<256xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// -----

// A large one is worth threads.
// CHECK-LABEL: func.func @main(
// CHECK: stablehlo.dot_general {{.*}}xla_cpu.kernel = {entry = "xla_gemm_f32", strategy = "gemm"}
func.func @main(%x: tensor<4096x4096xf32>, %y: tensor<4096xf32>) -> tensor<4096xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0]
    : (tensor<4096x4096xf32>, tensor<4096xf32>) -> tensor<4096xf32>
  return %0 : tensor<4096xf32>
}

// -----

// A batch of small matrices is multiplied in registers.
// CHECK-LABEL: func.func @main(
// CHECK: stablehlo.dot_general {{.*}}xla_cpu.kernel = {loops = {order = "flat", shape = array<i64: 100>}, strategy = "small_matrices"}
func.func @main(%x: tensor<100x8x8xf32>, %y: tensor<100x8x8xf32>) -> tensor<100x8x8xf32> {
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [1]
    : (tensor<100x8x8xf32>, tensor<100x8x8xf32>) -> tensor<100x8x8xf32>
  return %0 : tensor<100x8x8xf32>
}

// -----

// A large complex matrix is read once, as a real one: for 8 lines of 512
// terms and their results there is scratch memory.
// CHECK-LABEL: func.func @main(
// CHECK: stablehlo.dot_general {{.*}}xla_cpu.kernel = {scratch = 131072 : i64, strategy = "complex_lines"}
func.func @main(%x: tensor<512x512xcomplex<f32>>, %y: tensor<512x8xcomplex<f32>>) -> tensor<512x8xcomplex<f32>> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0]
    : (tensor<512x512xcomplex<f32>>, tensor<512x8xcomplex<f32>>) -> tensor<512x8xcomplex<f32>>
  return %0 : tensor<512x8xcomplex<f32>>
}

// -----

// Without terms, results are zeros.
// CHECK-LABEL: func.func @main(
// CHECK: stablehlo.dot_general {{.*}}xla_cpu.kernel = {loops = {order = "lines", shape = array<i64: 256, 256>}, strategy = "in_line"}
func.func @main(%x: tensor<256x0xf32>, %y: tensor<0x256xf32>) -> tensor<256x256xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0]
    : (tensor<256x0xf32>, tensor<0x256xf32>) -> tensor<256x256xf32>
  return %0 : tensor<256x256xf32>
}

// -----

// Without results, there is nothing to do.
// CHECK-LABEL: func.func @main(
// CHECK: stablehlo.dot_general {{.*}}xla_cpu.kernel = {strategy = "nothing"}
func.func @main(%x: tensor<0x256xf32>, %y: tensor<256x256xf32>) -> tensor<0x256xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0]
    : (tensor<0x256xf32>, tensor<256x256xf32>) -> tensor<0x256xf32>
  return %0 : tensor<0x256xf32>
}

// -----

// What follows on each element is part of the kernel.
// CHECK-LABEL: func.func @main(
// CHECK: stablehlo.dot_general {{.*}}xla_cpu.epilogue = 0 : i64, xla_cpu.kernel = {entry = "xla_gemm_f32", strategy = "gemm"}
// CHECK: stablehlo.exponential {{.*}}xla_cpu.nest = 0 : i64
func.func @main(%x: tensor<256x256xf32>, %y: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0]
    : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %1 = stablehlo.exponential %0 : tensor<256x256xf32>
  return %1 : tensor<256x256xf32>
}

// -----

// A loop has none.
// CHECK-LABEL: func.func @main(
// CHECK-NOT: xla_cpu.epilogue
// CHECK: exponential
func.func @main(%x: tensor<256x256xf8E4M3FN>, %y: tensor<256x256xf8E4M3FN>) -> tensor<256x256xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0]
    : (tensor<256x256xf8E4M3FN>, tensor<256x256xf8E4M3FN>) -> tensor<256x256xf32>
  %1 = stablehlo.exponential %0 : tensor<256x256xf32>
  return %1 : tensor<256x256xf32>
}
