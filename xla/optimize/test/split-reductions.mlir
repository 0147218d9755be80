// RUN: xla-opt %s --xla-split-reductions | FileCheck %s

// 33 arrays whose folds read nothing of each other are 33 reductions.
// CHECK-LABEL: func.func @main(
// CHECK-COUNT-33: stablehlo.reduce(
// CHECK-NOT: stablehlo.reduce(
func.func @main(%x0: tensor<4xf32>, %x1: tensor<4xf32>, %x2: tensor<4xf32>, %x3: tensor<4xf32>, %x4: tensor<4xf32>, %x5: tensor<4xf32>, %x6: tensor<4xf32>, %x7: tensor<4xf32>, %x8: tensor<4xf32>, %x9: tensor<4xf32>, %x10: tensor<4xf32>, %x11: tensor<4xf32>, %x12: tensor<4xf32>, %x13: tensor<4xf32>, %x14: tensor<4xf32>, %x15: tensor<4xf32>, %x16: tensor<4xf32>, %x17: tensor<4xf32>, %x18: tensor<4xf32>, %x19: tensor<4xf32>, %x20: tensor<4xf32>, %x21: tensor<4xf32>, %x22: tensor<4xf32>, %x23: tensor<4xf32>, %x24: tensor<4xf32>, %x25: tensor<4xf32>, %x26: tensor<4xf32>, %x27: tensor<4xf32>, %x28: tensor<4xf32>, %x29: tensor<4xf32>, %x30: tensor<4xf32>, %x31: tensor<4xf32>, %x32: tensor<4xf32>) -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0:33 = "stablehlo.reduce"(%x0, %x1, %x2, %x3, %x4, %x5, %x6, %x7, %x8, %x9, %x10, %x11, %x12, %x13, %x14, %x15, %x16, %x17, %x18, %x19, %x20, %x21, %x22, %x23, %x24, %x25, %x26, %x27, %x28, %x29, %x30, %x31, %x32, %z, %z, %z, %z, %z, %z, %z, %z, %z, %z, %z, %z, %z, %z, %z, %z, %z, %z, %z, %z, %z, %z, %z, %z, %z, %z, %z, %z, %z, %z, %z, %z, %z) ({
  ^bb0(%a0: tensor<f32>, %a1: tensor<f32>, %a2: tensor<f32>, %a3: tensor<f32>, %a4: tensor<f32>, %a5: tensor<f32>, %a6: tensor<f32>, %a7: tensor<f32>, %a8: tensor<f32>, %a9: tensor<f32>, %a10: tensor<f32>, %a11: tensor<f32>, %a12: tensor<f32>, %a13: tensor<f32>, %a14: tensor<f32>, %a15: tensor<f32>, %a16: tensor<f32>, %a17: tensor<f32>, %a18: tensor<f32>, %a19: tensor<f32>, %a20: tensor<f32>, %a21: tensor<f32>, %a22: tensor<f32>, %a23: tensor<f32>, %a24: tensor<f32>, %a25: tensor<f32>, %a26: tensor<f32>, %a27: tensor<f32>, %a28: tensor<f32>, %a29: tensor<f32>, %a30: tensor<f32>, %a31: tensor<f32>, %a32: tensor<f32>, %b0: tensor<f32>, %b1: tensor<f32>, %b2: tensor<f32>, %b3: tensor<f32>, %b4: tensor<f32>, %b5: tensor<f32>, %b6: tensor<f32>, %b7: tensor<f32>, %b8: tensor<f32>, %b9: tensor<f32>, %b10: tensor<f32>, %b11: tensor<f32>, %b12: tensor<f32>, %b13: tensor<f32>, %b14: tensor<f32>, %b15: tensor<f32>, %b16: tensor<f32>, %b17: tensor<f32>, %b18: tensor<f32>, %b19: tensor<f32>, %b20: tensor<f32>, %b21: tensor<f32>, %b22: tensor<f32>, %b23: tensor<f32>, %b24: tensor<f32>, %b25: tensor<f32>, %b26: tensor<f32>, %b27: tensor<f32>, %b28: tensor<f32>, %b29: tensor<f32>, %b30: tensor<f32>, %b31: tensor<f32>, %b32: tensor<f32>):
    %s0 = stablehlo.add %a0, %b0 : tensor<f32>
    %s1 = stablehlo.add %a1, %b1 : tensor<f32>
    %s2 = stablehlo.add %a2, %b2 : tensor<f32>
    %s3 = stablehlo.add %a3, %b3 : tensor<f32>
    %s4 = stablehlo.add %a4, %b4 : tensor<f32>
    %s5 = stablehlo.add %a5, %b5 : tensor<f32>
    %s6 = stablehlo.add %a6, %b6 : tensor<f32>
    %s7 = stablehlo.add %a7, %b7 : tensor<f32>
    %s8 = stablehlo.add %a8, %b8 : tensor<f32>
    %s9 = stablehlo.add %a9, %b9 : tensor<f32>
    %s10 = stablehlo.add %a10, %b10 : tensor<f32>
    %s11 = stablehlo.add %a11, %b11 : tensor<f32>
    %s12 = stablehlo.add %a12, %b12 : tensor<f32>
    %s13 = stablehlo.add %a13, %b13 : tensor<f32>
    %s14 = stablehlo.add %a14, %b14 : tensor<f32>
    %s15 = stablehlo.add %a15, %b15 : tensor<f32>
    %s16 = stablehlo.add %a16, %b16 : tensor<f32>
    %s17 = stablehlo.add %a17, %b17 : tensor<f32>
    %s18 = stablehlo.add %a18, %b18 : tensor<f32>
    %s19 = stablehlo.add %a19, %b19 : tensor<f32>
    %s20 = stablehlo.add %a20, %b20 : tensor<f32>
    %s21 = stablehlo.add %a21, %b21 : tensor<f32>
    %s22 = stablehlo.add %a22, %b22 : tensor<f32>
    %s23 = stablehlo.add %a23, %b23 : tensor<f32>
    %s24 = stablehlo.add %a24, %b24 : tensor<f32>
    %s25 = stablehlo.add %a25, %b25 : tensor<f32>
    %s26 = stablehlo.add %a26, %b26 : tensor<f32>
    %s27 = stablehlo.add %a27, %b27 : tensor<f32>
    %s28 = stablehlo.add %a28, %b28 : tensor<f32>
    %s29 = stablehlo.add %a29, %b29 : tensor<f32>
    %s30 = stablehlo.add %a30, %b30 : tensor<f32>
    %s31 = stablehlo.add %a31, %b31 : tensor<f32>
    %s32 = stablehlo.add %a32, %b32 : tensor<f32>
    stablehlo.return %s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7, %s8, %s9, %s10, %s11, %s12, %s13, %s14, %s15, %s16, %s17, %s18, %s19, %s20, %s21, %s22, %s23, %s24, %s25, %s26, %s27, %s28, %s29, %s30, %s31, %s32 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
  }) {dimensions = array<i64: 0>} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  return %0#0, %0#1, %0#2, %0#3, %0#4, %0#5, %0#6, %0#7, %0#8, %0#9, %0#10, %0#11, %0#12, %0#13, %0#14, %0#15, %0#16, %0#17, %0#18, %0#19, %0#20, %0#21, %0#22, %0#23, %0#24, %0#25, %0#26, %0#27, %0#28, %0#29, %0#30, %0#31, %0#32 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
}
