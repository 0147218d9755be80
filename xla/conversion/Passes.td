//===- Passes.td - Conversions as passes ----------------------------------===//

#ifndef XLA_CONVERSION_PASSES
#define XLA_CONVERSION_PASSES

include "mlir/Pass/PassBase.td"

def CallComposites : Pass<"xla-call-composites", "::mlir::ModuleOp"> {
  let summary = "Calls the decompositions of composites";
  let description = [{
    Assumes a verified module: a decomposition exists and has the composite's
    types. Afterwards there is no `stablehlo.composite`.

    ```mlir
    %0 = stablehlo.composite "a.b" %x {decomposition = @f} : (t) -> t
    // becomes
    %0 = call @f(%x) : (t) -> t
    ```
  }];
  let dependentDialects = ["::mlir::func::FuncDialect"];
}

def LowerChlo : Pass<"xla-lower-chlo", "::mlir::ModuleOp"> {
  let summary = "Writes CHLO out in StableHLO";
  let description = [{
    Afterwards there is no CHLO, or there is an error that names the operation
    and its types: functions of complex numbers other than sinh, cosh, tan,
    square and conj, ragged_dot and scan are not supported.

    ```mlir
    %0 = chlo.square %x : tensor<f32> -> tensor<f32>
    // becomes
    %0 = stablehlo.multiply %x, %x : tensor<f32>
    ```
  }];
  let dependentDialects = ["::xla::stablehlo::StablehloDialect"];
}

def SimplifyCustomCalls
    : Pass<"xla-simplify-custom-calls", "::mlir::ModuleOp"> {
  let summary = "Drops marks, and tuples of results";
  let description = [{
    Afterwards a custom call names a function that somebody registered: those
    that only mark their operand on several devices are gone, and a result that
    was a tuple is several results, if only get_tuple_element used it.

    ```mlir
    %0 = stablehlo.custom_call @Sharding(%x) : (t) -> t
    %1 = stablehlo.custom_call @f(%0) : (t) -> tuple<t, t>
    %2 = stablehlo.get_tuple_element %1[1] : (tuple<t, t>) -> t
    // becomes
    %1:2 = stablehlo.custom_call @f(%x) : (t) -> (t, t)
    ```
  }];
  let dependentDialects = ["::xla::stablehlo::StablehloDialect"];
}

#endif // XLA_CONVERSION_PASSES
