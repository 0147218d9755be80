//===- ChloOps.td - The CHLO dialect: operations made of StableHLO's ------===//
//
// Functions that a front end may ask for in one operation: `xla/conversion`
// writes each out in StableHLO.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_DIALECT_CHLO_CHLOOPS
#define XLA_DIALECT_CHLO_CHLOOPS

include "mlir/IR/BuiltinAttributeInterfaces.td"
include "xla/dialect/stablehlo/Base.td"

def Chlo_Dialect : Dialect {
  let name = "chlo";
  let cppNamespace = "::xla::chlo";
  let summary = "Operations that StableHLO can express";
  let dependentDialects = ["::xla::stablehlo::StablehloDialect"];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

class CHLO_Enum<string name, list<I32EnumCase> cases>
    : I32Enum<name, "", cases> {
  let cppNamespace = "::xla::chlo";
}
class CHLO_EnumAttr<EnumInfo info, string name>
    : EnumAttr<Chlo_Dialect, info, name>;

def CHLO_ComparisonDirection : CHLO_Enum<"ComparisonDirection", [
  I32EnumCase<"EQ", 0>, I32EnumCase<"NE", 1>, I32EnumCase<"GE", 2>,
  I32EnumCase<"GT", 3>, I32EnumCase<"LE", 4>, I32EnumCase<"LT", 5>]>;
def CHLO_ComparisonDirectionAttr
    : CHLO_EnumAttr<CHLO_ComparisonDirection, "comparison_direction">;
def CHLO_ComparisonType : CHLO_Enum<"ComparisonType", [
  I32EnumCase<"NOTYPE", 0>, I32EnumCase<"FLOAT", 1>,
  I32EnumCase<"TOTALORDER", 2>, I32EnumCase<"SIGNED", 3>,
  I32EnumCase<"UNSIGNED", 4>]>;
def CHLO_ComparisonTypeAttr
    : CHLO_EnumAttr<CHLO_ComparisonType, "comparison_type">;
def CHLO_Precision : CHLO_Enum<"Precision", [
  I32EnumCase<"DEFAULT", 0>, I32EnumCase<"HIGH", 1>,
  I32EnumCase<"HIGHEST", 2>]>;
def CHLO_PrecisionAttr : CHLO_EnumAttr<CHLO_Precision, "precision">;
def CHLO_PrecisionConfigAttr
    : TypedArrayAttrBase<CHLO_PrecisionAttr, "precision of each operand">;

def CHLO_Dimensions : OptionalArrayRefParameter<"int64_t", "dimensions"> {
  let parser = "::xla::stablehlo::parseDimensionList($_parser)";
  let printer = "::xla::stablehlo::printDimensionList($_printer, $_self)";
}

def CHLO_RaggedDotDimensionNumbersAttr
    : AttrDef<Chlo_Dialect, "RaggedDotDimensionNumbers"> {
  let mnemonic = "ragged_dot";
  let parameters = (ins
    CHLO_Dimensions:$lhs_batching_dimensions,
    CHLO_Dimensions:$rhs_batching_dimensions,
    CHLO_Dimensions:$lhs_contracting_dimensions,
    CHLO_Dimensions:$rhs_contracting_dimensions,
    CHLO_Dimensions:$lhs_ragged_dimensions,
    CHLO_Dimensions:$rhs_group_dimensions
  );
  let assemblyFormat = "`<` struct(params) `>`";
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

class CHLO_Op<string mnemonic, list<Trait> traits = []>
    : Op<Chlo_Dialect, mnemonic, traits>;
class CHLO_InferOp<string mnemonic, list<Trait> traits = []>
    : CHLO_Op<mnemonic, traits # [InferTypeOpAdaptor]> {
  let extraClassDeclaration = [{
    static bool isCompatibleReturnTypes(::mlir::TypeRange inferred,
                                        ::mlir::TypeRange actual) {
      return ::xla::stablehlo::areCompatibleTypes(inferred, actual);
    }
  }];
}

class CHLO_UnaryOp<string mnemonic,
                   Type type = StableHLO_FloatOrComplexTensor>
    : CHLO_Op<mnemonic, [Pure, Elementwise, SameOperandsAndResultType]> {
  let arguments = (ins type:$operand);
  let results = (outs type:$result);
  let assemblyFormat = [{
    $operand attr-dict `:` type($operand) `->` type($result)
  }];
}

def CHLO_AcosOp : CHLO_UnaryOp<"acos">;
def CHLO_AcoshOp : CHLO_UnaryOp<"acosh">;
def CHLO_AsinAcosKernelOp : CHLO_UnaryOp<"_asin_acos_kernel">;
def CHLO_AsinOp : CHLO_UnaryOp<"asin">;
def CHLO_AsinhOp : CHLO_UnaryOp<"asinh">;
def CHLO_AtanOp : CHLO_UnaryOp<"atan">;
def CHLO_AtanhOp : CHLO_UnaryOp<"atanh">;
def CHLO_BesselI1eOp : CHLO_UnaryOp<"bessel_i1e", StableHLO_FloatTensor>;
def CHLO_ConjOp : CHLO_UnaryOp<"conj", StableHLO_NumberTensor>;
def CHLO_CoshOp : CHLO_UnaryOp<"cosh">;
def CHLO_DigammaOp : CHLO_UnaryOp<"digamma", StableHLO_FloatTensor>;
def CHLO_ErfInvOp : CHLO_UnaryOp<"erf_inv", StableHLO_FloatTensor>;
def CHLO_ErfOp : CHLO_UnaryOp<"erf", StableHLO_FloatTensor>;
def CHLO_ErfcOp : CHLO_UnaryOp<"erfc", StableHLO_FloatTensor>;
def CHLO_LgammaOp : CHLO_UnaryOp<"lgamma", StableHLO_FloatTensor>;
def CHLO_SinhOp : CHLO_UnaryOp<"sinh">;
def CHLO_SquareOp : CHLO_UnaryOp<"square", StableHLO_NumberTensor>;
def CHLO_TanOp : CHLO_UnaryOp<"tan">;

class CHLO_ClassifyOp<string mnemonic>
    : CHLO_InferOp<mnemonic, [Pure, Elementwise, SameOperandsAndResultShape]> {
  let arguments = (ins StableHLO_FloatTensor:$operand);
  let results = (outs StableHLO_PredTensor:$result);
  let assemblyFormat = [{
    $operand attr-dict `:` type($operand) `->` type($result)
  }];
}
def CHLO_IsInfOp : CHLO_ClassifyOp<"is_inf">;
def CHLO_IsNegInfOp : CHLO_ClassifyOp<"is_neg_inf">;
def CHLO_IsPosInfOp : CHLO_ClassifyOp<"is_pos_inf">;

class CHLO_BinaryOp<string mnemonic, Type type, dag operandNames>
    : CHLO_Op<mnemonic, [Pure, Elementwise, SameOperandsAndResultType]> {
  let arguments = operandNames;
  let results = (outs type:$result);
  let assemblyFormat = [{
    operands attr-dict `:` type(operands) `->` type($result)
  }];
}
def CHLO_MulhiOp
    : CHLO_BinaryOp<"mulhi", StableHLO_IntTensor,
                    (ins StableHLO_IntTensor:$lhs, StableHLO_IntTensor:$rhs)>;
def CHLO_NextAfterOp
    : CHLO_BinaryOp<"next_after", StableHLO_FloatTensor,
                    (ins StableHLO_FloatTensor:$x, StableHLO_FloatTensor:$y)>;
def CHLO_PolygammaOp
    : CHLO_BinaryOp<"polygamma", StableHLO_FloatTensor,
                    (ins StableHLO_FloatTensor:$n, StableHLO_FloatTensor:$x)>;
def CHLO_ZetaOp
    : CHLO_BinaryOp<"zeta", StableHLO_FloatTensor,
                    (ins StableHLO_FloatTensor:$x, StableHLO_FloatTensor:$q)>;

//===----------------------------------------------------------------------===//
// Elementwise after broadcasting: shapes are aligned at the last dimension
//===----------------------------------------------------------------------===//

class CHLO_BroadcastBinaryOp<string mnemonic, Type type = StableHLO_Tensor>
    : CHLO_InferOp<mnemonic, [Pure]> {
  let arguments = (ins
    type:$lhs, type:$rhs,
    OptionalAttr<DenseI64ArrayAttr>:$broadcast_dimensions);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` functional-type(operands, results)
  }];
}

def CHLO_BroadcastAddOp : CHLO_BroadcastBinaryOp<"broadcast_add">;
def CHLO_BroadcastAndOp : CHLO_BroadcastBinaryOp<"broadcast_and">;
def CHLO_BroadcastAtan2Op : CHLO_BroadcastBinaryOp<"broadcast_atan2">;
def CHLO_BroadcastComplexOp : CHLO_BroadcastBinaryOp<"broadcast_complex">;
def CHLO_BroadcastDivOp : CHLO_BroadcastBinaryOp<"broadcast_divide">;
def CHLO_BroadcastMaxOp : CHLO_BroadcastBinaryOp<"broadcast_maximum">;
def CHLO_BroadcastMinOp : CHLO_BroadcastBinaryOp<"broadcast_minimum">;
def CHLO_BroadcastMulOp : CHLO_BroadcastBinaryOp<"broadcast_multiply">;
def CHLO_BroadcastNextAfterOp
    : CHLO_BroadcastBinaryOp<"broadcast_next_after">;
def CHLO_BroadcastOrOp : CHLO_BroadcastBinaryOp<"broadcast_or">;
def CHLO_BroadcastPolygammaOp
    : CHLO_BroadcastBinaryOp<"broadcast_polygamma">;
def CHLO_BroadcastPowOp : CHLO_BroadcastBinaryOp<"broadcast_power">;
def CHLO_BroadcastRemOp : CHLO_BroadcastBinaryOp<"broadcast_remainder">;
def CHLO_BroadcastShiftLeftOp
    : CHLO_BroadcastBinaryOp<"broadcast_shift_left">;
def CHLO_BroadcastShiftRightArithmeticOp
    : CHLO_BroadcastBinaryOp<"broadcast_shift_right_arithmetic">;
def CHLO_BroadcastShiftRightLogicalOp
    : CHLO_BroadcastBinaryOp<"broadcast_shift_right_logical">;
def CHLO_BroadcastSubOp : CHLO_BroadcastBinaryOp<"broadcast_subtract">;
def CHLO_BroadcastXorOp : CHLO_BroadcastBinaryOp<"broadcast_xor">;
def CHLO_BroadcastZetaOp : CHLO_BroadcastBinaryOp<"broadcast_zeta">;

def CHLO_BroadcastCompareOp : CHLO_InferOp<"broadcast_compare", [Pure]> {
  let arguments = (ins
    StableHLO_Tensor:$lhs, StableHLO_Tensor:$rhs,
    OptionalAttr<DenseI64ArrayAttr>:$broadcast_dimensions,
    CHLO_ComparisonDirectionAttr:$comparison_direction,
    OptionalAttr<CHLO_ComparisonTypeAttr>:$compare_type);
  let results = (outs StableHLO_PredTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` functional-type(operands, results)
  }];
}

def CHLO_BroadcastSelectOp : CHLO_InferOp<"broadcast_select", [Pure]> {
  let arguments = (ins
    StableHLO_PredTensor:$pred, StableHLO_Tensor:$on_true,
    StableHLO_Tensor:$on_false);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $pred `,` $on_true `,` $on_false attr-dict
    `:` functional-type(operands, results)
  }];
}

//===----------------------------------------------------------------------===//
// Others
//===----------------------------------------------------------------------===//

def CHLO_ConstantOp : CHLO_InferOp<"constant", [Pure, ConstantLike]> {
  let arguments = (ins ElementsAttr:$value);
  let results = (outs StableHLO_Tensor:$output);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
}

def CHLO_ConstantLikeOp
    : CHLO_InferOp<"constant_like", [Pure, SameOperandsAndResultShape]> {
  let arguments = (ins TypedAttrInterface:$value, StableHLO_Tensor:$operand);
  let results = (outs StableHLO_Tensor:$result);
}

def CHLO_TopKOp : CHLO_InferOp<"top_k", [Pure]> {
  let summary = "The k largest along the last dimension, with their indices";
  let arguments = (ins StableHLO_Tensor:$operand, I64Attr:$k);
  let results = (outs StableHLO_Tensor:$values, StableHLO_Tensor:$indices);
  let assemblyFormat = [{
    `(` $operand `,` `k` `=` $k `)` attr-dict `:`
    type($operand) `->` `(` type($values) `,` type($indices) `)`
  }];
}

def CHLO_RaggedDotOp : CHLO_Op<"ragged_dot", [Pure]> {
  let arguments = (ins
    StableHLO_Tensor:$lhs, StableHLO_Tensor:$rhs,
    StableHLO_IntTensor:$group_sizes,
    CHLO_RaggedDotDimensionNumbersAttr:$ragged_dot_dimension_numbers,
    OptionalAttr<CHLO_PrecisionConfigAttr>:$precision_config);
  let results = (outs StableHLO_Tensor:$result);
}

def CHLO_ScanOp
    : CHLO_Op<"scan", [RecursiveMemoryEffects, AttrSizedOperandSegments,
                       AttrSizedResultSegments]> {
  let arguments = (ins
    Variadic<StableHLO_Tensor>:$inputs,
    Variadic<StableHLO_Tensor>:$inits,
    I64Attr:$dimension,
    OptionalAttr<I64Attr>:$scan_dim_size,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$is_reverse,
    OptionalAttr<BoolAttr>:$is_associative);
  let results = (outs
    Variadic<StableHLO_Tensor>:$outputs, Variadic<StableHLO_Tensor>:$carries);
  let regions = (region SizedRegion<1>:$body);
}

#endif // XLA_DIALECT_CHLO_CHLOOPS
