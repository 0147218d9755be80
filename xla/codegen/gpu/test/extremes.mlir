// RUN: xla-gpu %s --emit=check
// RUN: xla-gpu %s --target=spirv | FileCheck %s --check-prefix=SPIRV
// RUN: xla-gpu %s --target=sm_80 | FileCheck %s --check-prefix=PTX

// OpenCL's fmax loses NaNs, so what is a maximum is compared and selected.
// SPIRV:     OpEntryPoint Kernel
// SPIRV-NOT: OpExtInst {{.*}} fm
// SPIRV:     OpUnordered
// SPIRV-NOT: OpExtInst {{.*}} fm
// SPIRV:     OpFunctionEnd

// PTX: max.NaN.f32

func.func @main(%x: tensor<100xf32>, %y: tensor<100xf32>, %h: tensor<100xf16>) -> (tensor<100xf32>, tensor<100xf32>, tensor<100xf16>) {
  %0 = stablehlo.maximum %x, %y : tensor<100xf32>
  %1 = stablehlo.minimum %x, %y : tensor<100xf32>
  %2 = stablehlo.maximum %h, %h : tensor<100xf16>
  return %0, %1, %2 : tensor<100xf32>, tensor<100xf32>, tensor<100xf16>
}
