// RUN: not xla-gpu %s --emit=check 2>&1 | FileCheck %s
// CHECK: the kernel 'reads_what_nobody_wrote': {{.*}}a read of element 128 of buffer 2, which nobody has written
kernel @reads_what_nobody_wrote {
  buffer x f32[256] argument 0
  buffer y f32[256] result 0 written
  buffer s f32[256] scratch block written
  loop %t from 0 to 128 vector {
    %v = load x[%t]
    store s[%t], %v
  }
  barrier block
  loop %t from 0 to 256 vector {
    %v = load s[%t]
    store y[%t], %v
  }
}
