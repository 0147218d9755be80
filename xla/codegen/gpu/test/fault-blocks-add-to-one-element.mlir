// RUN: not xla-gpu %s --emit=check 2>&1 | FileCheck %s
// CHECK: the kernel 'blocks_add_to_one_element': {{.*}}a race: element 0 of buffer 1
kernel @blocks_add_to_one_element {
  buffer x f32[256] argument 0
  buffer y f32[256] result 0 written
  parallel %a to %b of 4 grain 1 {
    loop %g from %a to %b {
      %v = load x[%g]
      %o = load y[0]
      %n = stablehlo.add %v, %o : f32
      store y[0], %n
    }
  }
}
