// RUN: not xla-gpu %s --emit=check 2>&1 | FileCheck %s
// CHECK: the kernel 'writes_behind_the_end': {{.*}}a write of element 256 of buffer 1, which has 256
kernel @writes_behind_the_end {
  buffer x f32[256] argument 0
  buffer y f32[256] result 0 written
  loop %t from 0 to 256 vector {
    %i = add %t, 1
    %v = load x[%t]
    store y[%i], %v
  }
}
