// What is handed out has one array for each all_to_all, though one meeting of the devices exchanges both.
// RUN: xla-run %s --devices=2 --print-program --whole 1,2,3,4 5,6,7,8 | FileCheck %s
// RUN: xla-run %s --devices=2 --print-program --whole --backend=reference 1,2,3,4 5,6,7,8 | FileCheck %s

// CHECK:     "stablehlo.all_to_all"(%{{[a-z0-9]+}}) <
// CHECK:     "stablehlo.all_to_all"(%{{[a-z0-9]+}}) <
// CHECK-NOT: all_to_all
// CHECK:     1 2 3 4
// CHECK:     5 6 7 8
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%x: tensor<2x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                         %y: tensor<2x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
      -> (tensor<2x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
          tensor<2x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
    return %x, %y : tensor<2x2xf32>, tensor<2x2xf32>
  }
}
