// RUN: not xla-gpu %s --emit=check 2>&1 | FileCheck %s
// CHECK: the kernel 'all_threads_write_one_element': {{.*}}a race: element 7 of buffer 1
kernel @all_threads_write_one_element {
  buffer x f32[256] argument 0
  buffer y f32[256] result 0 written
  loop %t from 0 to 256 vector {
    %v = load x[%t]
    store y[7], %v
  }
}
