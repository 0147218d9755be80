// RUN: not xla-gpu %s --emit=check 2>&1 | FileCheck %s
// CHECK: the kernel 'reads_before_the_beginning': {{.*}}a read of element -1 of buffer 0
kernel @reads_before_the_beginning {
  buffer x f32[256] argument 0
  buffer y f32[256] result 0 written
  loop %t from 0 to 256 vector {
    %i = subtract %t, 1
    %v = load x[%i]
    store y[%t], %v
  }
}
