// RUN: not xla-gpu %s --emit=check 2>&1 | FileCheck %s
// CHECK: the kernel 'a_sum_in_a_tree_without_barriers': {{.*}}a race
kernel @a_sum_in_a_tree_without_barriers {
  buffer x f32[256] argument 0
  buffer y f32[256] result 0 written
  buffer s f32[256] scratch block written
  loop %t from 0 to 256 vector {
    %v = load x[%t]
    store s[%t], %v
  }
  barrier block
  loop %t from 0 to 128 vector {
    %o = add %t, 128
    %a = load s[%t]
    %b = load s[%o]
    %c = stablehlo.add %a, %b : f32
    store s[%t], %c
  }
  loop %t from 0 to 64 vector {
    %o = add %t, 64
    %a = load s[%t]
    %b = load s[%o]
    %c = stablehlo.add %a, %b : f32
    store s[%t], %c
  }
}
