// RUN: xla-gpu %s --emit=check
// RUN: xla-gpu %s --emit=kernels | FileCheck %s --check-prefix=FORM
// RUN: xla-gpu %s --emit=neutral | FileCheck %s --check-prefix=NEUTRAL
// RUN: xla-gpu %s --target=sm_80 | FileCheck %s --check-prefix=PTX
// RUN: xla-gpu %s --target=sm_90a | FileCheck %s --check-prefix=HOPPER
// RUN: xla-gpu %s --target=gfx942 | FileCheck %s --check-prefix=AMD
// RUN: xla-gpu %s --target=spirv | FileCheck %s --check-prefix=SPIRV

// Threads share one flat loop; blocks share the axis.
// FORM:      // 25 blocks of 256 threads
// FORM-NEXT: kernel @loop_nest0 {
// FORM:        parallel %0 to %1 of 6400 grain 1 {
// FORM-NEXT:     loop %2 from %0 to %1 vector {
// FORM:            stablehlo.exponential
// FORM:            store b2[%2]

// NEUTRAL: define void @loop_nest0(ptr addrspace(1) readonly align 16 %0, ptr addrspace(1) readonly align 16 %1, ptr addrspace(1) align 16 %2)
// NEUTRAL: call i32 @xla.gpu.block()
// NEUTRAL: call i32 @xla.gpu.thread()
// NEUTRAL: call contract float @xla_exp_f32

// PTX: .version 7.0
// PTX: .target sm_80
// PTX: .visible .entry loop_nest0(
// PTX: .reqntid 256
// PTX: %ctaid.x
// PTX: %tid.x
// PTX: ld.global.b32
// PTX: fma.rn.f32
// PTX: st.global.b32

// HOPPER: .version 8.0
// HOPPER: .target sm_90a

// AMD: .amdhsa_kernel loop_nest0
// AMD: .max_flat_workgroup_size: 256
// AMD: .vgpr_spill_count: 0

// SPIRV: OpEntryPoint Kernel {{.*}} "loop_nest0"
// SPIRV: OpExecutionMode {{.*}} LocalSize 256 1 1
func.func @main(%x: tensor<64x100xf32>, %s: tensor<64xf32>) -> tensor<64x100xf32> {
  %0 = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<64xf32>) -> tensor<64x100xf32>
  %1 = stablehlo.multiply %x, %0 : tensor<64x100xf32>
  %2 = stablehlo.exponential %1 : tensor<64x100xf32>
  return %2 : tensor<64x100xf32>
}
