// Sizes that are operands and do not fit the types: errors, on both backends.
// RUN: split-file %s %t
// RUN: not xla-run %t/reshape.mlir --backend=native 2>&1 | FileCheck %s --check-prefix=RESHAPE
// RUN: not xla-run %t/reshape.mlir --backend=reference 2>&1 | FileCheck %s --check-prefix=RESHAPE
// RUN: not xla-run %t/shape.mlir --backend=native 2>&1 | FileCheck %s --check-prefix=SHAPE
// RUN: not xla-run %t/shape.mlir --backend=reference 2>&1 | FileCheck %s --check-prefix=SHAPE
// RUN: not xla-run %t/rank.mlir --backend=native 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: not xla-run %t/rank.mlir --backend=reference 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: not xla-run %t/iota.mlir --backend=native 2>&1 | FileCheck %s --check-prefix=IOTA
// RUN: not xla-run %t/iota.mlir --backend=reference 2>&1 | FileCheck %s --check-prefix=IOTA
// RUN: not xla-run %t/broadcast.mlir --backend=native 2>&1 | FileCheck %s --check-prefix=BROADCAST
// RUN: not xla-run %t/broadcast.mlir --backend=reference 2>&1 | FileCheck %s --check-prefix=BROADCAST
// RUN: not xla-run %t/pad.mlir --backend=native 2>&1 | FileCheck %s --check-prefix=PAD
// RUN: not xla-run %t/pad.mlir --backend=reference 2>&1 | FileCheck %s --check-prefix=PAD
// RUN: not xla-run %t/interior.mlir --backend=native 2>&1 | FileCheck %s --check-prefix=INTERIOR
// RUN: not xla-run %t/interior.mlir --backend=reference 2>&1 | FileCheck %s --check-prefix=INTERIOR
// RUN: not xla-run %t/slice.mlir --backend=native 2>&1 | FileCheck %s --check-prefix=SLICE
// RUN: not xla-run %t/slice.mlir --backend=reference 2>&1 | FileCheck %s --check-prefix=SLICE
// RUN: not xla-run %t/gather.mlir --backend=native 2>&1 | FileCheck %s --check-prefix=GATHER
// RUN: not xla-run %t/gather.mlir --backend=reference 2>&1 | FileCheck %s --check-prefix=GATHER
// RUN: not xla-run %t/conv.mlir --backend=native 2>&1 | FileCheck %s --check-prefix=CONV
// RUN: not xla-run %t/conv.mlir --backend=reference 2>&1 | FileCheck %s --check-prefix=CONV
// RUN: not xla-run %t/pairs.mlir --backend=native 2>&1 | FileCheck %s --check-prefix=PAIRS
// RUN: not xla-run %t/pairs.mlir --backend=reference 2>&1 | FileCheck %s --check-prefix=PAIRS
// RUN: not xla-run %t/callee.mlir --backend=native 2>&1 | FileCheck %s --check-prefix=CALLEE
// RUN: not xla-run %t/callee.mlir --backend=reference 2>&1 | FileCheck %s --check-prefix=CALLEE
// RUN: not xla-run %t/given.mlir --backend=reference 1,2,3,4,5,6,7,8 6 2>&1 | FileCheck %s --check-prefix=GIVEN

//--- reshape.mlir
// RESHAPE: 'stablehlo.dynamic_reshape' has sizes that do not fit its types
// RESHAPE: rule     'stablehlo.reshape' op changes the number of elements: 'tensor<8xf32>' has 8, 'tensor<100xf32>' has 100 [C2]
func.func @main(%a: tensor<8xf32>) -> tensor<100xf32> {
  %s = stablehlo.constant dense<100> : tensor<1xi64>
  %0 = stablehlo.dynamic_reshape %a, %s : (tensor<8xf32>, tensor<1xi64>) -> tensor<100xf32>
  return %0 : tensor<100xf32>
}

//--- shape.mlir
// SHAPE: 'stablehlo.dynamic_reshape' has sizes that do not fit its types
// SHAPE: rule     the shape is [4, 2], the result's is [2, 4]
func.func @main(%a: tensor<8xf32>) -> tensor<2x4xf32> {
  %s = stablehlo.constant dense<[4, 2]> : tensor<2xi64>
  %0 = stablehlo.dynamic_reshape %a, %s : (tensor<8xf32>, tensor<2xi64>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

//--- rank.mlir
// RANK: 'stablehlo.dynamic_reshape' has sizes that do not fit its types
// RANK: rule     the shape is not a vector of 1 numbers, one for each dimension
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %s = stablehlo.constant dense<[4, 2]> : tensor<2xi64>
  %0 = stablehlo.dynamic_reshape %a, %s : (tensor<8xf32>, tensor<2xi64>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

//--- iota.mlir
// IOTA: 'stablehlo.dynamic_iota' has sizes that do not fit its types
// IOTA: rule     'stablehlo.iota' op dimension 9 is out of range for rank 1 [C1]
func.func @main(%s: tensor<1xi64>) -> tensor<4xf32> {
  %0 = stablehlo.dynamic_iota %s, dim = 9 : (tensor<1xi64>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

//--- broadcast.mlir
// BROADCAST: 'stablehlo.dynamic_broadcast_in_dim' has sizes that do not fit its types
// BROADCAST: rule     'stablehlo.broadcast_in_dim' op operand dim 0 is 2, neither 1 nor result dim 0, which is 100000000 [C5]
func.func @main(%a: tensor<2xf32>) -> tensor<100000000xf32> {
  %s = stablehlo.constant dense<100000000> : tensor<1xi64>
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [0] : (tensor<2xf32>, tensor<1xi64>) -> tensor<100000000xf32>
  return %0 : tensor<100000000xf32>
}

//--- pad.mlir
// PAD: 'stablehlo.dynamic_pad' has sizes that do not fit its types
// PAD: rule     'stablehlo.pad' op inferred type(s) 'tensor<2xf32>' are incompatible with return type(s) of operation 'tensor<100xf32>'
func.func @main(%a: tensor<2xf32>, %z: tensor<f32>) -> tensor<100xf32> {
  %s = stablehlo.constant dense<0> : tensor<1xi64>
  %0 = stablehlo.dynamic_pad %a, %z, %s, %s, %s : (tensor<2xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<100xf32>
  return %0 : tensor<100xf32>
}

//--- interior.mlir
// INTERIOR: 'stablehlo.dynamic_pad' has sizes that do not fit its types
// INTERIOR: rule     'stablehlo.pad' op interior padding of dim 0 is negative: -1 [C3]
func.func @main(%a: tensor<2xf32>, %z: tensor<f32>) -> tensor<100xf32> {
  %s = stablehlo.constant dense<0> : tensor<1xi64>
  %n = stablehlo.constant dense<-1> : tensor<1xi64>
  %0 = stablehlo.dynamic_pad %a, %z, %s, %s, %n : (tensor<2xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<100xf32>
  return %0 : tensor<100xf32>
}

//--- slice.mlir
// SLICE: 'stablehlo.real_dynamic_slice' has sizes that do not fit its types
// SLICE: rule     'stablehlo.slice' op range 6:10 is not in dim 0 of 'tensor<8xf32>' [C3]
func.func @main(%a: tensor<8xf32>) -> tensor<4xf32> {
  %s = stablehlo.constant dense<6> : tensor<1xi64>
  %l = stablehlo.constant dense<10> : tensor<1xi64>
  %d = stablehlo.constant dense<1> : tensor<1xi64>
  %0 = stablehlo.real_dynamic_slice %a, %s, %l, %d : (tensor<8xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

//--- gather.mlir
// GATHER: 'stablehlo.dynamic_gather' has sizes that do not fit its types
// GATHER: rule     'stablehlo.gather' op slice size 50000000 does not fit in dim 0 of 'tensor<8xf32>' [C21]
func.func @main(%a: tensor<8xf32>) -> tensor<1x50000000xf32> {
  %i = stablehlo.constant dense<0> : tensor<1x1xi64>
  %s = stablehlo.constant dense<50000000> : tensor<1xi64>
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false}> : (tensor<8xf32>, tensor<1x1xi64>, tensor<1xi64>) -> tensor<1x50000000xf32>
  return %0 : tensor<1x50000000xf32>
}

//--- conv.mlir
// CONV: 'stablehlo.dynamic_conv' has sizes that do not fit its types
// CONV: rule     'stablehlo.convolution' op result is 'tensor<1x10000000x1xf32>', the operands ask for sizes [1, 3, 1] [C25]
func.func @main(%a: tensor<1x4x1xf32>, %k: tensor<2x1x1xf32>) -> tensor<1x10000000x1xf32> {
  %p = stablehlo.constant dense<0> : tensor<1x2xi64>
  %0 = "stablehlo.dynamic_conv"(%a, %k, %p) <{dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x4x1xf32>, tensor<2x1x1xf32>, tensor<1x2xi64>) -> tensor<1x10000000x1xf32>
  return %0 : tensor<1x10000000x1xf32>
}

//--- pairs.mlir
// PAIRS: 'stablehlo.dynamic_conv' has sizes that do not fit its types
// PAIRS: rule     padding is not a pair for each spatial dimension
func.func @main(%a: tensor<1x4x1xf32>, %k: tensor<2x1x1xf32>) -> tensor<1x3x1xf32> {
  %p = stablehlo.constant dense<0> : tensor<3xi64>
  %0 = "stablehlo.dynamic_conv"(%a, %k, %p) <{dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x4x1xf32>, tensor<2x1x1xf32>, tensor<3xi64>) -> tensor<1x3x1xf32>
  return %0 : tensor<1x3x1xf32>
}

//--- callee.mlir
// The sizes are known where the callee is called.
// CALLEE: 'stablehlo.real_dynamic_slice' has sizes that do not fit its types
// CALLEE: rule     'stablehlo.slice' op range 6:10 is not in dim 0 of 'tensor<8xf32>' [C3]
func.func private @cut(%a: tensor<8xf32>, %s: tensor<1xi64>) -> tensor<4xf32> {
  %l = stablehlo.constant dense<10> : tensor<1xi64>
  %d = stablehlo.constant dense<1> : tensor<1xi64>
  %0 = stablehlo.real_dynamic_slice %a, %s, %l, %d : (tensor<8xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @main() -> tensor<4xf32> {
  %a = stablehlo.iota dim = 0 : tensor<8xf32>
  %s = stablehlo.constant dense<6> : tensor<1xi64>
  %0 = call @cut(%a, %s) : (tensor<8xf32>, tensor<1xi64>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

//--- given.mlir
// The sizes are known when it runs.
// GIVEN: rule     'stablehlo.slice' op range 6:10 is not in dim 0 of 'tensor<8xf32>' [C3]
func.func @main(%a: tensor<8xf32>, %s: tensor<1xi64>) -> tensor<4xf32> {
  %four = stablehlo.constant dense<4> : tensor<1xi64>
  %d = stablehlo.constant dense<1> : tensor<1xi64>
  %l = stablehlo.add %s, %four : tensor<1xi64>
  %0 = stablehlo.real_dynamic_slice %a, %s, %l, %d : (tensor<8xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
