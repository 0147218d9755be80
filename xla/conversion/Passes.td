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

#endif // XLA_CONVERSION_PASSES
