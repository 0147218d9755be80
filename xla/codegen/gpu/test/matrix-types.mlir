// RUN: xla-gpu %s --target=sm_80 | FileCheck %s --check-prefix=SM80
// RUN: xla-gpu %s --target=sm_120 | FileCheck %s --check-prefix=SM120
// RUN: xla-gpu %s --target=sm_90a | FileCheck %s --check-prefix=SM90
// RUN: xla-gpu %s --target=gfx90a | FileCheck %s --check-prefix=GFX90A
// RUN: xla-gpu %s --target=gfx942 | FileCheck %s --check-prefix=GFX942
// RUN: xla-gpu %s --target=gfx1100 | FileCheck %s --check-prefix=GFX11
// RUN: xla-gpu %s --emit=check
// RUN: xla-gpu %s --emit=check --target=emulated_mfma
// RUN: xla-gpu %s --emit=check --target=emulated_wmma

// f32: three numbers of tf32, or of bf16, for each, and six products; AMD's
// processors of data centres multiply it as it is.
// SM80: .entry product0
// SM80-COUNT-6: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// SM120: .entry product0
// SM120-COUNT-6: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// SM90: .entry product0
// SM90-COUNT-6: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// GFX90A-LABEL: product0:
// GFX90A: v_mfma_f32_16x16x4f32
// GFX942-LABEL: product0:
// GFX942: v_mfma_f32_16x16x4_f32
// GFX11-LABEL: product0:
// GFX11-COUNT-3: v_wmma_f32_16x16x16_bf16

// f16.
// SM80: .entry product1
// SM80: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// SM120: .entry product1
// SM120: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// SM90: .entry product1
// SM90: wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16
// GFX90A-LABEL: product1:
// GFX90A: v_mfma_f32_16x16x16f16
// GFX942-LABEL: product1:
// GFX942: v_mfma_f32_16x16x16_f16
// GFX11-LABEL: product1:
// GFX11: v_wmma_f32_16x16x16_f16

// i8, summed as i32.
// SM80: .entry product2
// SM80: mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32
// SM120: .entry product2
// SM120: mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32
// SM90: .entry product2
// SM90: wgmma.mma_async.sync.aligned.m64n32k32.s32.s8.s8
// GFX90A-LABEL: product2:
// GFX90A: v_mfma_i32_16x16x16i8
// GFX942-LABEL: product2:
// GFX942: v_mfma_i32_16x16x32_i8
// GFX11-LABEL: product2:
// GFX11: v_wmma_i32_16x16x16_iu8

// Floats of a byte: of their own where a processor has them, else as f16.
// SM80: .entry product3
// SM80: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// SM120: .entry product3
// SM120: mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32
// SM90: .entry product3
// SM90: wgmma.mma_async.sync.aligned.m64n32k32.f32.e4m3.e4m3
// GFX90A-LABEL: product3:
// GFX90A: v_mfma_f32_16x16x16f16
// GFX942-LABEL: product3:
// GFX942: v_mfma_f32_16x16x16_f16
// GFX11-LABEL: product3:
// GFX11: v_wmma_f32_16x16x16_f16

// SM80: .entry product4
// SM120: .entry product4
// SM120: mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32
// SM90: .entry product4
// SM90: wgmma.mma_async.sync.aligned.m64n32k32.f32.e5m2.e5m2

// GFX942-LABEL: product5:
// GFX942: v_mfma_f32_16x16x32_fp8_fp8
// SM120: .entry product5
// SM120: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
func.func @main(%a: tensor<36x44xf32>, %b: tensor<44x40xf32>, %c: tensor<36x44xf16>, %d: tensor<44x40xf16>,
                %e: tensor<36x48xi8>, %f: tensor<40x48xi8>, %g: tensor<36x48xf8E4M3FN>, %h: tensor<40x48xf8E4M3FN>,
                %i: tensor<36x48xf8E5M2>, %j: tensor<40x48xf8E5M2>, %k: tensor<36x48xf8E4M3FNUZ>, %l: tensor<40x48xf8E4M3FNUZ>)
    -> (tensor<36x40xf32>, tensor<36x40xf16>, tensor<36x40xi32>, tensor<36x40xf32>, tensor<36x40xf32>, tensor<36x40xf32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<36x44xf32>, tensor<44x40xf32>) -> tensor<36x40xf32>
  %1 = stablehlo.dot_general %c, %d, contracting_dims = [1] x [0] : (tensor<36x44xf16>, tensor<44x40xf16>) -> tensor<36x40xf16>
  %2 = stablehlo.dot_general %e, %f, contracting_dims = [1] x [1] : (tensor<36x48xi8>, tensor<40x48xi8>) -> tensor<36x40xi32>
  %3 = stablehlo.dot_general %g, %h, contracting_dims = [1] x [1] : (tensor<36x48xf8E4M3FN>, tensor<40x48xf8E4M3FN>) -> tensor<36x40xf32>
  %4 = stablehlo.dot_general %i, %j, contracting_dims = [1] x [1] : (tensor<36x48xf8E5M2>, tensor<40x48xf8E5M2>) -> tensor<36x40xf32>
  %5 = stablehlo.dot_general %k, %l, contracting_dims = [1] x [1] : (tensor<36x48xf8E4M3FNUZ>, tensor<40x48xf8E4M3FNUZ>) -> tensor<36x40xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<36x40xf32>, tensor<36x40xf16>, tensor<36x40xi32>, tensor<36x40xf32>, tensor<36x40xf32>, tensor<36x40xf32>
}
