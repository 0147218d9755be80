// RUN: xla-opt %s --xla-import-shardings --xla-propagate-shardings --xla-make-shardings-consistent --xla-localize | FileCheck %s

// Of a module that is requested shardings alone, zeros are left.

// CHECK-LABEL: module @only
// CHECK-NOT: xla.only_shardings
// CHECK: func.func public @main(%{{.*}}: tensor<2x8xf32>) -> (tensor<2x8xf32>, tensor<2x8xcomplex<f32>>)
// CHECK-NOT: custom_call
// CHECK: constant dense<0.000000e+00> : tensor<2x8xf32>
// CHECK: constant dense<(0.000000e+00,0.000000e+00)> : tensor<2x8xcomplex<f32>>
// CHECK-NEXT: return
module @only attributes {mhlo.num_partitions = 4 : i32, xla.only_shardings} {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x8xf32>, tensor<8x8xcomplex<f32>>) {
    %0 = stablehlo.custom_call @CustomSPMDPartitioning(%a) {api_version = 2 : i32, backend_config = "0", sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8} need_replication={j}, custom>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %1 = stablehlo.complex %0, %a : tensor<8x8xcomplex<f32>>
    return %0, %1 : tensor<8x8xf32>, tensor<8x8xcomplex<f32>>
  }
}
