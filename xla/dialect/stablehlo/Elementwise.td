//===- Elementwise.td - Operations on each element by itself --------------===//

#ifndef XLA_DIALECT_STABLEHLO_ELEMENTWISE
#define XLA_DIALECT_STABLEHLO_ELEMENTWISE

include "xla/dialect/stablehlo/Attributes.td"
include "xla/dialect/stablehlo/ElementwiseInterface.td"

// Operands and result of one type; the type is printed once.
class StableHLO_ElementwiseOp<string mnemonic, StableHLO_Facts facts,
                              list<Trait> traits>
    : StableHLO_Op<mnemonic, [Pure, Elementwise,
                              StableHLO_ElementwiseInterface] # traits> {
  let extraClassDeclaration = StableHLO_CompatibleTypes # facts.declaration;
}

// The result's type follows from the operands' types.
class StableHLO_ElementwiseInferOp<
    string mnemonic, list<Trait> traits = [],
    StableHLO_Facts facts = StableHLO_Simple>
    : StableHLO_InferOp<mnemonic, [Pure, StableHLO_ElementwiseInterface]
                                  # traits> {
  let extraClassDeclaration = StableHLO_CompatibleTypes # facts.declaration;
}

class StableHLO_UnaryOp<string mnemonic, Type type,
                        StableHLO_Facts facts = StableHLO_Simple>
    : StableHLO_ElementwiseOp<mnemonic, facts, [SameOperandsAndResultType]> {
  let arguments = (ins type:$operand);
  let results = (outs type:$result);
  let assemblyFormat = [{
    $operand attr-dict `:`
    custom<SameOperandsAndResultType>(type($operand), type($result))
  }];
}

// The result's element type differs from the operand's.
class StableHLO_UnaryInferOp<string mnemonic, Type operandType,
                             Type resultType>
    : StableHLO_ElementwiseInferOp<mnemonic, [Elementwise,
                                              SameOperandsAndResultShape]> {
  let arguments = (ins operandType:$operand);
  let results = (outs resultType:$result);
  let assemblyFormat = [{
    $operand attr-dict `:`
    custom<SameOperandsAndResultType>(type($operand), type($result))
  }];
}

class StableHLO_TranscendentalOp<string mnemonic, StableHLO_Facts facts>
    : StableHLO_UnaryOp<mnemonic, StableHLO_FloatOrComplexTensor, facts> {
  let arguments = (ins
    StableHLO_FloatOrComplexTensor:$operand,
    OptionalAttr<StableHLO_ResultAccuracyAttr>:$result_accuracy
  );
}

class StableHLO_BinaryOp<string mnemonic, Type type, list<Trait> traits = [],
                         StableHLO_Facts facts = StableHLO_Simple>
    : StableHLO_ElementwiseOp<mnemonic, facts,
                              [SameOperandsAndResultType] # traits> {
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs type:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:`
    custom<SameOperandsAndResultType>(type($lhs), type($rhs), type($result))
  }];
}

//===----------------------------------------------------------------------===//
// One operand
//===----------------------------------------------------------------------===//

def StableHLO_AbsOp
    : StableHLO_UnaryInferOp<"abs", StableHLO_SignedTensor,
                             StableHLO_NumberTensor>;
def StableHLO_CbrtOp : StableHLO_TranscendentalOp<
    "cbrt", StableHLO_Function<"cbrt", "All">>;
def StableHLO_CeilOp : StableHLO_UnaryOp<"ceil", StableHLO_FloatTensor>;
def StableHLO_ClzOp
    : StableHLO_UnaryOp<"count_leading_zeros", StableHLO_IntTensor>;
def StableHLO_CosineOp : StableHLO_TranscendentalOp<
    "cosine", StableHLO_Function<"cos", "F32AndComplex">>;
def StableHLO_ExpOp : StableHLO_TranscendentalOp<
    "exponential", StableHLO_Function<"exp", "All">>;
def StableHLO_Expm1Op : StableHLO_TranscendentalOp<
    "exponential_minus_one", StableHLO_Function<"expm1", "All">>;
def StableHLO_FloorOp : StableHLO_UnaryOp<"floor", StableHLO_FloatTensor>;
def StableHLO_ImagOp
    : StableHLO_UnaryInferOp<"imag", StableHLO_FloatOrComplexTensor,
                             StableHLO_FloatTensor>;
def StableHLO_IsFiniteOp
    : StableHLO_ElementwiseInferOp<"is_finite", [Elementwise,
                                                 SameOperandsAndResultShape]> {
  let arguments = (ins StableHLO_FloatTensor:$x);
  let results = (outs StableHLO_PredTensor:$y);
  let assemblyFormat = "$x attr-dict `:` functional-type(operands, results)";
}
def StableHLO_LogOp : StableHLO_TranscendentalOp<
    "log", StableHLO_Function<"log", "All">>;
def StableHLO_Log1pOp : StableHLO_TranscendentalOp<
    "log_plus_one", StableHLO_Function<"log1p", "All">>;
// 1 / (1 + exp(-x))
def StableHLO_LogisticOp : StableHLO_TranscendentalOp<
    "logistic", StableHLO_Function<"logistic", "All", 3>>;
def StableHLO_NegOp : StableHLO_UnaryOp<"negate", StableHLO_NumberTensor>;
def StableHLO_NotOp : StableHLO_UnaryOp<"not", StableHLO_PredOrIntTensor>;
def StableHLO_PopulationCountOp
    : StableHLO_UnaryOp<"popcnt", StableHLO_IntTensor>;
def StableHLO_RealOp
    : StableHLO_UnaryInferOp<"real", StableHLO_FloatOrComplexTensor,
                             StableHLO_FloatTensor>;
def StableHLO_RoundOp
    : StableHLO_UnaryOp<"round_nearest_afz", StableHLO_FloatTensor>;
def StableHLO_RoundNearestEvenOp
    : StableHLO_UnaryOp<"round_nearest_even", StableHLO_FloatTensor>;
def StableHLO_RsqrtOp : StableHLO_TranscendentalOp<
    "rsqrt", StableHLO_Root<"rsqrt">>;
def StableHLO_SignOp
    : StableHLO_UnaryOp<"sign", StableHLO_SignedTensor,
                        StableHLO_Facts<1, 1, 0, "sign", "Complex">>;
def StableHLO_SineOp : StableHLO_TranscendentalOp<
    "sine", StableHLO_Function<"sin", "F32AndComplex">>;
def StableHLO_SqrtOp : StableHLO_TranscendentalOp<
    "sqrt", StableHLO_Root<"sqrt">>;
def StableHLO_TanOp : StableHLO_TranscendentalOp<
    "tan", StableHLO_Function<"tan", "F32AndComplex">>;
def StableHLO_TanhOp : StableHLO_TranscendentalOp<
    "tanh", StableHLO_Function<"tanh", "All">>;

//===----------------------------------------------------------------------===//
// Two operands
//===----------------------------------------------------------------------===//

def StableHLO_AddOp
    : StableHLO_BinaryOp<"add", StableHLO_Tensor, [Commutative]>;
def StableHLO_AndOp
    : StableHLO_BinaryOp<"and", StableHLO_PredOrIntTensor, [Commutative]>;
def StableHLO_Atan2Op
    : StableHLO_BinaryOp<"atan2", StableHLO_FloatOrComplexTensor, [],
                         StableHLO_Function2<"atan2">>;
def StableHLO_ComplexOp
    : StableHLO_ElementwiseInferOp<"complex", [Elementwise,
                                               SameOperandsAndResultShape]> {
  let arguments = (ins
    StableHLO_ComplexPartTensor:$lhs, StableHLO_ComplexPartTensor:$rhs);
  let results = (outs StableHLO_ComplexTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:`
    custom<ComplexOpType>(type($lhs), type($rhs), type($result))
  }];
}
def StableHLO_DivOp
    : StableHLO_BinaryOp<"divide", StableHLO_NumberTensor, [],
                         StableHLO_Facts<5, 1, 0, "divide", "Complex">>;
def StableHLO_MaxOp
    : StableHLO_BinaryOp<"maximum", StableHLO_Tensor, [Commutative]>;
def StableHLO_MinOp
    : StableHLO_BinaryOp<"minimum", StableHLO_Tensor, [Commutative]>;
def StableHLO_MulOp
    : StableHLO_BinaryOp<"multiply", StableHLO_Tensor, [Commutative]>;
def StableHLO_OrOp
    : StableHLO_BinaryOp<"or", StableHLO_PredOrIntTensor, [Commutative]>;
def StableHLO_PowOp
    : StableHLO_BinaryOp<"power", StableHLO_NumberTensor, [],
                         StableHLO_Function2<"pow">>;
def StableHLO_RemOp
    : StableHLO_BinaryOp<"remainder", StableHLO_NumberTensor, [],
                         StableHLO_Facts<40, 1, 0, "fmod", "F32">>;
def StableHLO_ShiftLeftOp
    : StableHLO_BinaryOp<"shift_left", StableHLO_IntTensor>;
def StableHLO_ShiftRightArithmeticOp
    : StableHLO_BinaryOp<"shift_right_arithmetic", StableHLO_IntTensor>;
def StableHLO_ShiftRightLogicalOp
    : StableHLO_BinaryOp<"shift_right_logical", StableHLO_IntTensor>;
def StableHLO_SubtractOp
    : StableHLO_BinaryOp<"subtract", StableHLO_NumberTensor>;
def StableHLO_XorOp
    : StableHLO_BinaryOp<"xor", StableHLO_PredOrIntTensor, [Commutative]>;

def StableHLO_CompareOp
    : StableHLO_ElementwiseInferOp<"compare", [Elementwise]> {
  let arguments = (ins
    StableHLO_Tensor:$lhs,
    StableHLO_Tensor:$rhs,
    StableHLO_ComparisonDirectionAttr:$comparison_direction,
    OptionalAttr<StableHLO_ComparisonTypeAttr>:$compare_type
  );
  let results = (outs StableHLO_PredTensor:$result);
  let assemblyFormat = [{
    `` $comparison_direction `,` $lhs `,` $rhs (`,` `` $compare_type^)? attr-dict
    `:` functional-type(operands, results)
  }];
}

//===----------------------------------------------------------------------===//
// Three operands
//===----------------------------------------------------------------------===//

def StableHLO_SelectOp : StableHLO_ElementwiseInferOp<"select"> {
  let arguments = (ins
    StableHLO_PredTensor:$pred,
    StableHLO_Tensor:$on_true,
    StableHLO_Tensor:$on_false
  );
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    operands attr-dict `:`
    custom<SelectOpType>(type($pred), type($on_true), type($on_false),
                         type($result))
  }];
}

def StableHLO_ClampOp : StableHLO_ElementwiseInferOp<"clamp"> {
  let arguments = (ins
    StableHLO_Tensor:$min, StableHLO_Tensor:$operand, StableHLO_Tensor:$max);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $min `,` $operand `,` $max attr-dict `:`
    custom<SameOperandsAndResultType>(type($min), type($operand), type($max),
                                      type($result))
  }];
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

class StableHLO_ConversionOp<string mnemonic, Type operandType,
                             Type resultType, list<Trait> traits = []>
    : StableHLO_Op<mnemonic, [Pure] # traits> {
  let arguments = (ins operandType:$operand);
  let results = (outs resultType:$result);
  let assemblyFormat =
      "operands attr-dict `:` functional-type(operands, results)";
}

def StableHLO_ConvertOp
    : StableHLO_ConversionOp<"convert", StableHLO_Tensor, StableHLO_Tensor,
                             [Elementwise, SameOperandsAndResultShape,
                              StableHLO_ElementwiseInterface]> {
  let extraClassDeclaration = StableHLO_Simple.declaration;
  let assemblyFormat = [{
    $operand attr-dict `:`
    custom<SameOperandsAndResultType>(type($operand), type($result))
  }];
}
def StableHLO_BitcastConvertOp
    : StableHLO_ConversionOp<"bitcast_convert", StableHLO_Tensor,
                             StableHLO_Tensor> {
  let hasVerifier = 1;
}
def StableHLO_UniformQuantizeOp
    : StableHLO_ConversionOp<"uniform_quantize", StableHLO_FloatTensor,
                             StableHLO_QuantizedTensor,
                             [Elementwise, SameOperandsAndResultShape,
                              StableHLO_ElementwiseInterface]> {
  let extraClassDeclaration = StableHLO_Uncounted.declaration;
}
def StableHLO_UniformDequantizeOp
    : StableHLO_ElementwiseInferOp<"uniform_dequantize",
                                   [Elementwise, SameOperandsAndResultShape],
                                   StableHLO_Uncounted> {
  let arguments = (ins StableHLO_QuantizedTensor:$operand);
  let results = (outs StableHLO_FloatTensor:$result);
  let assemblyFormat =
      "operands attr-dict `:` functional-type(operands, results)";
}

def StableHLO_ReducePrecisionOp
    : StableHLO_ElementwiseOp<"reduce_precision", StableHLO_Simple,
                              [SameOperandsAndResultType]> {
  let arguments = (ins
    StableHLO_FloatTensor:$operand, I32Attr:$exponent_bits,
    I32Attr:$mantissa_bits);
  let results = (outs StableHLO_FloatTensor:$output);
  let assemblyFormat = [{
    $operand `,` `format` `=`
    custom<ExponentMantissa>($exponent_bits, $mantissa_bits) attr-dict `:`
    custom<SameOperandsAndResultType>(type($operand), type($output))
  }];
  let hasVerifier = 1;
}

#endif // XLA_DIALECT_STABLEHLO_ELEMENTWISE
