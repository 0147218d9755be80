// RUN: not xla-gpu %s --emit=check 2>&1 | FileCheck %s
// CHECK: the kernel 'a_copy_from_behind_the_end': a read of element 20{{[0-9]+}} of buffer 0, which has 2048
kernel @a_copy_from_behind_the_end {
  buffer x bf16[64,32] argument 0
  buffer y bf16[64,32] argument 1
  buffer z f32[64,64] result 0 written
  buffer a bf16[2048] scratch block written
  buffer b bf16[2048] scratch block written
  buffer s f32[16] scratch thread written
  buffer p f32[2048] scratch block written
  call @clear(s)
  loop %i from 0 to 256 vector {
    %e = remainder %i, 8
    %q = divide %i, 8
    %c = remainder %q, 4
    %g = divide %q, 4
    %l8 = multiply %g, 8
    %l = add %l8, %e
    %f0 = multiply %l, 32
    %f1 = multiply %c, 8
    %from1 = add %f0, %f1
    %from = add %from1, 8
    %to0 = multiply %g, 256
    %to1 = multiply %c, 64
    %to2 = multiply %e, 8
    %to3 = add %to0, %to1
    %to = add %to3, %to2
    call @fetch(a, x, %to, %from, 8, 1)
    call @fetch(b, y, %to, %from, 8, 1)
  }
  call @fetched()
  call @await(0)
  barrier block
  call @multiply_matrices(s, a, b, 0, 0, 0, 0)
  call @spread(p, s, 0)
  barrier block
  loop %k from 0 to 2048 vector {
    %line = divide %k, 32
    %column = remainder %k, 32
    %four = multiply %line, 4
    %sum = add %column, %four
    %turned = remainder %sum, 32
    %row = multiply %line, 32
    %at = add %row, %turned
    %v = load p[%at]
    %long = multiply %line, 64
    %n = add %long, %column
    store z[%n], %v
  }
}
