// RUN: not xla-gpu %s --emit=check 2>&1 | FileCheck %s
// CHECK: the kernel 'two_threads_write_one_element': {{.*}}a race: element 0 of buffer 1 is written by thread 0 of block 0 and written
kernel @two_threads_write_one_element {
  buffer x f32[256] argument 0
  buffer y f32[256] result 0 written
  loop %t from 0 to 256 vector {
    %v = load x[%t]
    %i = divide %t, 2
    store y[%i], %v
  }
}
