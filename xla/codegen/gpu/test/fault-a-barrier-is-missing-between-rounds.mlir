// RUN: not xla-gpu %s --emit=check 2>&1 | FileCheck %s
// CHECK: the kernel 'a_barrier_is_missing_between_rounds': {{.*}}a race
kernel @a_barrier_is_missing_between_rounds {
  buffer x f32[256] argument 0
  buffer y f32[256] result 0 written
  buffer s f32[256] scratch block written
  loop %r from 0 to 2 {
  loop %t from 0 to 256 vector {
    %v = load x[%t]
    store s[%t], %v
  }
  barrier block
  loop %t from 0 to 256 vector {
    %i = subtract 255, %t
    %w = load s[%i]
    store y[%t], %w
  }
  }
}
