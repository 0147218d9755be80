// RUN: not xla-gpu %s --emit=check 2>&1 | FileCheck %s
// CHECK: the kernel 'writes_before_the_beginning': {{.*}}a write of element -2 of buffer 1
kernel @writes_before_the_beginning {
  buffer x f32[256] argument 0
  buffer y f32[256] result 0 written
  loop %t from 0 to 256 vector {
    %i = subtract %t, 2
    %v = load x[%t]
    store y[%i], %v
  }
}
