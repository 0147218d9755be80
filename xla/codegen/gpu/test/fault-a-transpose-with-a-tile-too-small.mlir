// RUN: not xla-gpu %s --emit=check 2>&1 | FileCheck %s
// CHECK: the kernel 'a_transpose_with_a_tile_too_small': {{.*}}a write of element 256 of buffer 2
kernel @a_transpose_with_a_tile_too_small {
  buffer x f32[256] argument 0
  buffer y f32[256] result 0 written
  buffer s f32[256] scratch block written
  loop %t from 0 to 256 vector {
    %v = load x[%t]
    %r = divide %t, 16
    %c = remainder %t, 16
    %q = multiply %c, 17
    %i = add %q, %r
    store s[%i], %v
  }
}
