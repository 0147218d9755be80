// RUN: xla-run %s --devices=4 --whole 1,2,3,4,5,6,7,8 | FileCheck %s
// RUN: xla-run %s --devices=4 --threads=3 --whole 1,2,3,4,5,6,7,8 | FileCheck %s
// RUN: xla-run %s --devices=4 --whole --backend=reference 1,2,3,4,5,6,7,8 | FileCheck %s
// RUN: not xla-run %s --devices=2 --whole 1 2>&1 | FileCheck %s --check-prefix=NUMBER

// Arguments are cut as the program wants them, and results put together.
// CHECK: f32[4,2] 2 4 6 8 10 12 14 16
// NUMBER: the module is for 4 partitions (mhlo.num_partitions), and the compile options ask for 2
module @whole attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%a: tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>})
      -> (tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) {
    %0 = stablehlo.add %a, %a : tensor<4x2xf32>
    return %0 : tensor<4x2xf32>
  }
}
