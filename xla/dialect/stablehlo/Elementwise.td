//===- Elementwise.td - Operations on each element by itself --------------===//

#ifndef XLA_DIALECT_STABLEHLO_ELEMENTWISE
#define XLA_DIALECT_STABLEHLO_ELEMENTWISE

include "xla/dialect/stablehlo/Attributes.td"

// Operands and result of one type; the type is printed once.
class StableHLO_ElementwiseOp<string mnemonic, list<Trait> traits>
    : StableHLO_Op<mnemonic, [Pure, Elementwise] # traits> {
  let extraClassDeclaration = [{
    static bool isCompatibleReturnTypes(::mlir::TypeRange inferred,
                                        ::mlir::TypeRange actual) {
      return ::xla::stablehlo::areCompatibleTypes(inferred, actual);
    }
  }];
}

class StableHLO_UnaryOp<string mnemonic, Type type, list<Trait> traits = []>
    : StableHLO_ElementwiseOp<mnemonic, [SameOperandsAndResultType] # traits> {
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
    : StableHLO_InferOp<mnemonic, [Pure, Elementwise,
                                   SameOperandsAndResultShape]> {
  let arguments = (ins operandType:$operand);
  let results = (outs resultType:$result);
  let assemblyFormat = [{
    $operand attr-dict `:`
    custom<SameOperandsAndResultType>(type($operand), type($result))
  }];
}

class StableHLO_TranscendentalOp<string mnemonic>
    : StableHLO_UnaryOp<mnemonic, StableHLO_FloatOrComplexTensor> {
  let arguments = (ins
    StableHLO_FloatOrComplexTensor:$operand,
    OptionalAttr<StableHLO_ResultAccuracyAttr>:$result_accuracy
  );
}

class StableHLO_BinaryOp<string mnemonic, Type type, list<Trait> traits = []>
    : StableHLO_ElementwiseOp<mnemonic, [SameOperandsAndResultType] # traits> {
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
def StableHLO_CbrtOp : StableHLO_TranscendentalOp<"cbrt">;
def StableHLO_CeilOp : StableHLO_UnaryOp<"ceil", StableHLO_FloatTensor>;
def StableHLO_ClzOp
    : StableHLO_UnaryOp<"count_leading_zeros", StableHLO_IntTensor>;
def StableHLO_CosineOp : StableHLO_TranscendentalOp<"cosine">;
def StableHLO_ExpOp : StableHLO_TranscendentalOp<"exponential">;
def StableHLO_Expm1Op : StableHLO_TranscendentalOp<"exponential_minus_one">;
def StableHLO_FloorOp : StableHLO_UnaryOp<"floor", StableHLO_FloatTensor>;
def StableHLO_ImagOp
    : StableHLO_UnaryInferOp<"imag", StableHLO_FloatOrComplexTensor,
                             StableHLO_FloatTensor>;
def StableHLO_IsFiniteOp
    : StableHLO_InferOp<"is_finite", [Pure, Elementwise,
                                      SameOperandsAndResultShape]> {
  let arguments = (ins StableHLO_FloatTensor:$x);
  let results = (outs StableHLO_PredTensor:$y);
  let assemblyFormat = "$x attr-dict `:` functional-type(operands, results)";
}
def StableHLO_LogOp : StableHLO_TranscendentalOp<"log">;
def StableHLO_Log1pOp : StableHLO_TranscendentalOp<"log_plus_one">;
def StableHLO_LogisticOp : StableHLO_TranscendentalOp<"logistic">;
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
def StableHLO_RsqrtOp : StableHLO_TranscendentalOp<"rsqrt">;
def StableHLO_SignOp : StableHLO_UnaryOp<"sign", StableHLO_SignedTensor>;
def StableHLO_SineOp : StableHLO_TranscendentalOp<"sine">;
def StableHLO_SqrtOp : StableHLO_TranscendentalOp<"sqrt">;
def StableHLO_TanOp : StableHLO_TranscendentalOp<"tan">;
def StableHLO_TanhOp : StableHLO_TranscendentalOp<"tanh">;

//===----------------------------------------------------------------------===//
// Two operands
//===----------------------------------------------------------------------===//

def StableHLO_AddOp
    : StableHLO_BinaryOp<"add", StableHLO_Tensor, [Commutative]>;
def StableHLO_AndOp
    : StableHLO_BinaryOp<"and", StableHLO_PredOrIntTensor, [Commutative]>;
def StableHLO_Atan2Op
    : StableHLO_BinaryOp<"atan2", StableHLO_FloatOrComplexTensor>;
def StableHLO_ComplexOp
    : StableHLO_InferOp<"complex", [Pure, Elementwise,
                                    SameOperandsAndResultShape]> {
  let arguments = (ins
    StableHLO_ComplexPartTensor:$lhs, StableHLO_ComplexPartTensor:$rhs);
  let results = (outs StableHLO_ComplexTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:`
    custom<ComplexOpType>(type($lhs), type($rhs), type($result))
  }];
}
def StableHLO_DivOp : StableHLO_BinaryOp<"divide", StableHLO_NumberTensor>;
def StableHLO_MaxOp
    : StableHLO_BinaryOp<"maximum", StableHLO_Tensor, [Commutative]>;
def StableHLO_MinOp
    : StableHLO_BinaryOp<"minimum", StableHLO_Tensor, [Commutative]>;
def StableHLO_MulOp
    : StableHLO_BinaryOp<"multiply", StableHLO_Tensor, [Commutative]>;
def StableHLO_OrOp
    : StableHLO_BinaryOp<"or", StableHLO_PredOrIntTensor, [Commutative]>;
def StableHLO_PowOp : StableHLO_BinaryOp<"power", StableHLO_NumberTensor>;
def StableHLO_RemOp : StableHLO_BinaryOp<"remainder", StableHLO_NumberTensor>;
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

def StableHLO_CompareOp : StableHLO_InferOp<"compare", [Pure, Elementwise]> {
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

def StableHLO_SelectOp : StableHLO_InferOp<"select", [Pure]> {
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

def StableHLO_ClampOp : StableHLO_InferOp<"clamp", [Pure]> {
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
                             [Elementwise, SameOperandsAndResultShape]> {
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
                             [Elementwise, SameOperandsAndResultShape]>;
def StableHLO_UniformDequantizeOp
    : StableHLO_InferOp<"uniform_dequantize", [Pure, Elementwise,
                                               SameOperandsAndResultShape]> {
  let arguments = (ins StableHLO_QuantizedTensor:$operand);
  let results = (outs StableHLO_FloatTensor:$result);
  let assemblyFormat =
      "operands attr-dict `:` functional-type(operands, results)";
}

def StableHLO_ReducePrecisionOp
    : StableHLO_ElementwiseOp<"reduce_precision",
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
