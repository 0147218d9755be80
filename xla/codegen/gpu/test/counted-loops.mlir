// RUN: xla-gpu %s --emit=costs | FileCheck %s
// RUN: xla-gpu %s --emit=check

// A loop of which a counter says how often it runs needs no condition: the host
// reads nothing, whichever way it counts.
// CHECK-COUNT-2: {"knows_rounds":true,"read":0,"times":1}
// The counter of 8 bits goes from 100 to -116 before it is 120: it is read. So
// is what the data decides.
// CHECK: {"knows_rounds":true,"read":2,"times":1}
// CHECK: {"knows_rounds":false,"read":2,"times":1}
func.func @main(%x: tensor<5xf32>, %n: tensor<i32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %seven = stablehlo.constant dense<7> : tensor<i32>
  %up:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<5xf32>
    cond {
      %goes = stablehlo.compare LT, %i, %seven : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %goes : tensor<i1>
    } do {
      %double = stablehlo.add %y, %y : tensor<5xf32>
      %next = stablehlo.add %i, %two : tensor<i32>
      stablehlo.return %next, %double : tensor<i32>, tensor<5xf32>
    }
  %down:2 = stablehlo.while(%i = %seven, %y = %x) : tensor<i32>, tensor<5xf32>
    cond {
      %goes = stablehlo.compare GE, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %goes : tensor<i1>
    } do {
      %double = stablehlo.add %y, %y : tensor<5xf32>
      %next = stablehlo.subtract %i, %two : tensor<i32>
      stablehlo.return %next, %double : tensor<i32>, tensor<5xf32>
    }
  %start = stablehlo.constant dense<100> : tensor<i8>
  %step = stablehlo.constant dense<40> : tensor<i8>
  %limit = stablehlo.constant dense<120> : tensor<i8>
  %over:2 = stablehlo.while(%i = %start, %y = %x) : tensor<i8>, tensor<5xf32>
    cond {
      %goes = stablehlo.compare LT, %i, %limit : (tensor<i8>, tensor<i8>) -> tensor<i1>
      stablehlo.return %goes : tensor<i1>
    } do {
      %double = stablehlo.add %y, %y : tensor<5xf32>
      %next = stablehlo.add %i, %step : tensor<i8>
      stablehlo.return %next, %double : tensor<i8>, tensor<5xf32>
    }
  %data:2 = stablehlo.while(%i = %n, %y = %x) : tensor<i32>, tensor<5xf32>
    cond {
      %goes = stablehlo.compare LT, %i, %seven : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %goes : tensor<i1>
    } do {
      %double = stablehlo.add %y, %y : tensor<5xf32>
      %next = stablehlo.add %i, %two : tensor<i32>
      stablehlo.return %next, %double : tensor<i32>, tensor<5xf32>
    }
  return %up#1, %down#1, %over#1, %data#1 : tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}
