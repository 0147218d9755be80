// RUN: not xla-gpu %s --emit=check 2>&1 | FileCheck %s
// CHECK: the kernel 'writes_behind_scratch': {{.*}}a write of element 510 of buffer 2
kernel @writes_behind_scratch {
  buffer x f32[256] argument 0
  buffer y f32[256] result 0 written
  buffer s f32[256] scratch block written
  loop %t from 0 to 256 vector {
    %v = load x[%t]
    %i = multiply %t, 255
    %j = least %i, 510
    store s[%j], %v
  }
}
