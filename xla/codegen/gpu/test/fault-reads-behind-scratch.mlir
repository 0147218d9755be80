// RUN: not xla-gpu %s --emit=check 2>&1 | FileCheck %s
// CHECK: the kernel 'reads_behind_scratch': {{.*}}a read of element 256 of buffer 2
kernel @reads_behind_scratch {
  buffer x f32[256] argument 0
  buffer y f32[256] result 0 written
  buffer s f32[256] scratch block written
  loop %t from 0 to 256 vector {
    %v = load x[%t]
    store s[%t], %v
  }
  barrier block
  loop %t from 0 to 256 vector {
    %i = add %t, 1
    %v = load s[%i]
    store y[%t], %v
  }
}
