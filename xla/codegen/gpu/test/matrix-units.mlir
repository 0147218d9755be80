// RUN: xla-gpu %s --emit=kernels | FileCheck %s --check-prefix=FORM
// RUN: xla-gpu %s --target=sm_80 | FileCheck %s --check-prefix=MMA
// RUN: xla-gpu %s --target=sm_120 | FileCheck %s --check-prefix=MMA
// RUN: xla-gpu %s --target=sm_90a | FileCheck %s --check-prefix=WGMMA
// RUN: xla-gpu %s --target=gfx90a | FileCheck %s --check-prefix=MFMA
// RUN: xla-gpu %s --target=gfx942 | FileCheck %s --check-prefix=MFMA
// RUN: xla-gpu %s --target=gfx1100 | FileCheck %s --check-prefix=WMMA
// RUN: xla-gpu %s --target=sm_75 | FileCheck %s --check-prefix=NONE
// RUN: xla-gpu %s --target=spirv | FileCheck %s --check-prefix=SPIRV
// RUN: xla-gpu %s --emit=check
// RUN: xla-gpu %s --emit=check --target=emulated_mfma
// RUN: xla-gpu %s --emit=check --target=emulated_wmma

// A block of threads for 64 x 64 sums, of which the last rows and columns are
// outside: the next terms are fetched while those that are there are multiplied.
// FORM:      // 3 blocks of 256 threads
// FORM-NEXT: kernel @product0 {
// FORM:        call @clear(
// FORM:        call @fetch(
// FORM:        call @fetched()
// FORM:        loop %{{[0-9]+}} from 0 to 3 {
// FORM:          call @fetch(
// FORM:          call @fetched()
// FORM-NEXT:     call @await(1)
// FORM-NEXT:     barrier block
// FORM:          call @multiply_matrices(
// FORM-NEXT:     barrier block
// FORM:        call @spread(
// FORM-NEXT:   barrier block

// MMA: cp.async.cg.shared.global
// MMA: cp.async.wait_group 1
// MMA: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// MMA: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// MMA: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32

// WGMMA: cp.async.cg.shared.global
// WGMMA: fence.proxy.async.shared::cta
// WGMMA: wgmma.fence.sync.aligned; wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16 {{{.*}}}, {{.*}}, p, 1, 1, 0, 1; {{.*}}wgmma.wait_group.sync.aligned 0;

// MFMA: v_mfma_f32_16x16x16{{_?}}bf16

// WMMA: v_wmma_f32_16x16x16_bf16

// NONE-NOT: mma
// NONE: fma.rn.f32
// SPIRV: OpFMul
func.func @main(%x: tensor<130x96xbf16>, %y: tensor<96x40xbf16>) -> tensor<130x40xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<130x96xbf16>, tensor<96x40xbf16>) -> tensor<130x40xf32>
  return %0 : tensor<130x40xf32>
}
