// RUN: xla-gpu %s --emit=costs | FileCheck %s
// RUN: xla-gpu %s %s --emit=collect --target=sm_80,gfx942 --out=%t | FileCheck %s --check-prefix=COLLECT
// RUN: FileCheck %s --check-prefix=PTX < %t/sm_80/0.ptx
// RUN: test -s %t/gfx942/0.o

// 3 arrays are read or written once, of 25600, 256 and 25600 bytes; 6400 threads load two elements and store one.
// CHECK: "boundary_bytes":51456
// CHECK-SAME: "kernels":[{"accessed_bytes":76800,"blocks":25,
// CHECK-SAME: "memory_bytes":51456,"operation":"stablehlo.exponential"
// CHECK-SAME: "threads":256,"wide_operations":0}]
// CHECK-SAME: "products":{}
// CHECK-SAME: "steps":[{"kernel":0,"times":1}]

// The second program has no kernel that the first one lacks.
// COLLECT: "kernel":"k0"
// COLLECT: "kernels":[0]
// COLLECT: "kernels":[0]
// PTX: .entry k0(
// PTX-NOT: .entry
func.func @main(%x: tensor<64x100xf32>, %s: tensor<64xf32>) -> tensor<64x100xf32> {
  %0 = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<64xf32>) -> tensor<64x100xf32>
  %1 = stablehlo.multiply %x, %0 : tensor<64x100xf32>
  %2 = stablehlo.exponential %1 : tensor<64x100xf32>
  return %2 : tensor<64x100xf32>
}
