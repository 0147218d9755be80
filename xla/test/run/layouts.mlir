// RUN: split-file %s %t
// RUN: xla-run %t/both.mlir --backend=reference 1,2,3,4,5,6 > %t.both
// RUN: xla-run %t/both.mlir 1,2,3,4,5,6 | diff %t.both -
// RUN: FileCheck %s < %t.both --check-prefix=BOTH
// RUN: xla-run %t/cycle.mlir --backend=reference 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23 > %t.cycle
// RUN: xla-run %t/cycle.mlir 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23 | diff %t.cycle -
// RUN: FileCheck %s < %t.cycle --check-prefix=CYCLE
// RUN: xla-run %t/shown.mlir --print-program 1,2,3,4,5,6 | FileCheck %s --check-prefix=SHOWN
// RUN: xla-run %t/shown.mlir --print-program --backend=reference 1,2,3,4,5,6 | FileCheck %s --check-prefix=SHOWN
// RUN: not xla-run %t/word.mlir 2>&1 | FileCheck %s --check-prefix=WORD
// RUN: not xla-run %t/number.mlir 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not xla-run %t/twice.mlir 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not xla-run %t/tiles.mlir 2>&1 | FileCheck %s --check-prefix=TILES

// Arguments and results are given and printed as they are stored in memory.

//--- both.mlir
// BOTH: s32[2,3] 1 3 5 2 4 6
// BOTH-NEXT: s32[3,2] 1 2 3 4 5 6
// BOTH-NEXT: s32[2,3] 1 3 5 2 4 6
func.func @main(%a: tensor<2x3xi32> {mhlo.layout_mode = "{0,1}", jax.buffer_donor = true})
    -> (tensor<2x3xi32> {mhlo.layout_mode = "default"}, tensor<2x3xi32> {mhlo.layout_mode = "{0,1}"},
        tensor<2x3xi32> {mhlo.layout_mode = "auto"}) {
  return %a, %a, %a : tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>
}

//--- cycle.mlir
// What is stored as [4, 2, 3] is a tensor of [2, 3, 4], and leaves as [3, 4, 2].
// CYCLE: s32[3,4,2] 0 3 6 9 12 15 18 21 1 4 7 10 13 16 19 22 2 5 8 11 14 17 20 23
func.func @main(%a: tensor<2x3x4xi32> {mhlo.layout_mode = "{1,0,2}"})
    -> (tensor<2x3x4xi32> {mhlo.layout_mode = "{0,2,1}"}) {
  return %a : tensor<2x3x4xi32>
}

//--- shown.mlir
// The text has main as the caller knows it, for jaxlib reads layouts from it; what speaks of shardings is gone.
// SHOWN: module @m attributes {{.*}}mhlo.xla_entry_computation_parameter_layouts = [dense<[0, 1]> : tensor<2xindex>]
// SHOWN-NOT: sdy
// SHOWN: func.func {{.*}}@main_as_stored(%{{.*}}: tensor<3x2xi32>) -> tensor<2x3xi32>
// SHOWN: func.func @main(%{{.*}}: tensor<2x3xi32> {mhlo.layout_mode = "{0,1}"}) -> tensor<2x3xi32>
// SHOWN: s32[2,3] 2 6 10 4 8 12
module @m attributes {mhlo.num_partitions = 1 : i32} {
  sdy.mesh @empty_mesh = <[]>
  func.func @main(%a: tensor<2x3xi32> {mhlo.layout_mode = "{0,1}", sdy.sharding = #sdy.sharding<@empty_mesh, [{}, {}]>})
      -> (tensor<2x3xi32> {sdy.sharding = #sdy.sharding<@empty_mesh, [{}, {}]>}) {
    %0 = stablehlo.add %a, %a {sdy.sharding = #sdy.sharding_per_value<[<@empty_mesh, [{}, {}]>]>} : tensor<2x3xi32>
    return %0 : tensor<2x3xi32>
  }
}

//--- word.mlir
// WORD: argument 0 of main, f32[2,3], has mhlo.layout_mode = "bogus"; that is "default", "auto", or each dimension once, from minor to major, as "{1,0}"
func.func @main(%a: tensor<2x3xf32> {mhlo.layout_mode = "bogus"}) -> tensor<2x3xf32> {
  return %a : tensor<2x3xf32>
}

//--- number.mlir
// NUMBER: result 0 of main, f32[2,3], has mhlo.layout_mode = 3 : i32; that is "default"
func.func @main(%a: tensor<2x3xf32>) -> (tensor<2x3xf32> {mhlo.layout_mode = 3 : i32}) {
  return %a : tensor<2x3xf32>
}

//--- twice.mlir
// TWICE: result 0 of main, f32[2,3], has mhlo.layout_mode = "{1,1}"; that is "default"
func.func @main(%a: tensor<2x3xf32>) -> (tensor<2x3xf32> {mhlo.layout_mode = "{1,1}"}) {
  return %a : tensor<2x3xf32>
}

//--- tiles.mlir
// TILES: result 0 of main, f32[2,3], has mhlo.layout_mode = "{1,0:T(8,128)}"; arrays of the CPU are dense, without tiles
func.func @main(%a: tensor<2x3xf32>) -> (tensor<2x3xf32> {mhlo.layout_mode = "{1,0:T(8,128)}"}) {
  return %a : tensor<2x3xf32>
}
