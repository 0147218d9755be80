// RUN: xla-gpu %s --emit=check
// RUN: xla-gpu %s --target=sm_80 | FileCheck %s --check-prefix=PTX
// RUN: xla-gpu %s --target=gfx1100 | FileCheck %s --check-prefix=AMD
// RUN: xla-gpu %s --target=spirv | FileCheck %s --check-prefix=SPIRV

// Sums of 256 elements: threads exchange what they have, 32 of them with each
// other, and add the sums of those in memory of the block.

// PTX: .shared .align 128 .b8
// PTX: shfl.sync.bfly.b32
// PTX: st.shared
// PTX: bar.sync 0
// PTX: ld.shared

// AMD: ds_bpermute_b32
// AMD: s_barrier

// SPIRV: OpControlBarrier
kernel @sums {
  buffer x f32[64,256] argument 0
  buffer y f32[64] result 0 written
  buffer partial f32[256] scratch block written
  parallel %first to %last of 64 grain 1 {
    loop %row from %first to %last {
      loop %t from 0 to 256 vector {
        %start = multiply %row, 256
        %i = add %start, %t
        %v = load x[%i]
        %a = exchange %v across 1 : f32
        %v1 = stablehlo.add %v, %a : f32
        %b = exchange %v1 across 2 : f32
        %v2 = stablehlo.add %v1, %b : f32
        %c = exchange %v2 across 4 : f32
        %v3 = stablehlo.add %v2, %c : f32
        %d = exchange %v3 across 8 : f32
        %v4 = stablehlo.add %v3, %d : f32
        %e = exchange %v4 across 16 : f32
        %v5 = stablehlo.add %v4, %e : f32
        store partial[%t], %v5
      }
      barrier block
      %z = zero : f32
      loop %w from 0 to 8 {
        %sum = carried %z : f32
        %at = multiply %w, 32
        %p = load partial[%at]
        %q = stablehlo.add %sum, %p : f32
        next %sum, %q
      }
      %all = last %sum : f32
      store y[%row], %all
      barrier block
    }
  }
}
