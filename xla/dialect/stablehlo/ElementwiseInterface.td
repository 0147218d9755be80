//===- ElementwiseInterface.td - What elementwise operations say ----------===//

#ifndef XLA_DIALECT_STABLEHLO_ELEMENTWISEINTERFACE
#define XLA_DIALECT_STABLEHLO_ELEMENTWISEINTERFACE

include "mlir/IR/Interfaces.td"

def StableHLO_ElementwiseInterface : OpInterface<"ElementwiseInterface"> {
  let cppNamespace = "::xla::stablehlo";
  let description = [{
    Element i of the result depends on elements i of the operands alone (and on
    scalars). What else the compiler knows of the operation is in the facts.
  }];
  let methods = [StaticInterfaceMethod<
      "What the compiler knows of the operation.",
      "const ::xla::stablehlo::ElementwiseFacts &", "getFacts">];
}

// The facts of an operation, in the order of the C++ structure of that name.
// `library` joins names of `ElementwiseFacts::Library`.
class StableHLO_Facts<int additions, int flops, int functions = 0,
                      string math = "", string library = "None"> {
  string declaration = [{
    static const ::xla::stablehlo::ElementwiseFacts &getFacts() {
      using Facts = ::xla::stablehlo::ElementwiseFacts;
      static constexpr Facts facts = { }] # additions # ", " # flops # ", " #
      functions # ", \"" # math # "\", Facts::" # library # [{ };
      return facts;
    }
  }];
}

// An addition, a comparison, a choice.
def StableHLO_Simple : StableHLO_Facts<1, 1>;
// The same, left out of XLA's count.
def StableHLO_Uncounted : StableHLO_Facts<1, 0>;
// Roots are instructions for real numbers, but XLA counts them as functions.
class StableHLO_Root<string math>
    : StableHLO_Facts<5, 0, 1, math, "Complex">;
// A function of the math library, of one number or of two.
class StableHLO_Function<string math, string library, int flops = 0>
    : StableHLO_Facts<20, flops, 1, math, library>;
class StableHLO_Function2<string math>
    : StableHLO_Facts<40, 0, 1, math, "F32AndComplex">;

#endif // XLA_DIALECT_STABLEHLO_ELEMENTWISEINTERFACE
