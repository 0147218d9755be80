// RUN: not xla-gpu %s --emit=check 2>&1 | FileCheck %s
// CHECK: the kernel 'the_first_thread_writes_what_all_read': {{.*}}a race: element 3 of buffer 2
kernel @the_first_thread_writes_what_all_read {
  buffer x f32[256] argument 0
  buffer y f32[256] result 0 written
  buffer s f32[256] scratch block written
  %v = load x[0]
  store s[3], %v
  loop %t from 0 to 256 vector {
    %w = load s[3]
    store y[%t], %w
  }
}
