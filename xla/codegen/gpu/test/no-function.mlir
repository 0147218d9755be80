// RUN: not xla-gpu %s --target=sm_90a 2>&1 | FileCheck %s
// RUN: not xla-gpu %s --target=gfx942 2>&1 | FileCheck %s
// RUN: xla-gpu %s --emit=check

// The C library's functions, which LLVM has no code for on these targets: it would end the process.
// CHECK: has no code for the function 'llvm.cos.f64'
func.func @main(%x: tensor<64xcomplex<f64>>) -> tensor<64xcomplex<f64>> {
  %0 = stablehlo.exponential %x : tensor<64xcomplex<f64>>
  return %0 : tensor<64xcomplex<f64>>
}
