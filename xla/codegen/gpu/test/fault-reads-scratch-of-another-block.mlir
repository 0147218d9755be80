// RUN: not xla-gpu %s --emit=check 2>&1 | FileCheck %s
// CHECK: the kernel 'reads_scratch_of_another_block': {{.*}}which nobody has written
kernel @reads_scratch_of_another_block {
  buffer x f32[256] argument 0
  buffer y f32[256] result 0 written
  buffer s f32[256] scratch block written
  parallel %a to %b of 2 grain 1 {
    loop %g from %a to %b {
      %first = equal %g, 0
      when %first {
        loop %t from 0 to 128 vector {
          %v = load x[%t]
          store s[%t], %v
        }
      }
      loop %t from 0 to 128 vector {
        %v = load s[%t]
        %o = multiply %g, 128
        %i = add %o, %t
        store y[%i], %v
      }
    }
  }
}
