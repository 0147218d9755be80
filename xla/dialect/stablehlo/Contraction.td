//===- Contraction.td - Products, windows, reductions, linear algebra -----===//

#ifndef XLA_DIALECT_STABLEHLO_CONTRACTION
#define XLA_DIALECT_STABLEHLO_CONTRACTION

include "xla/dialect/stablehlo/Attributes.td"

def StableHLO_DotGeneralOp : StableHLO_Op<"dot_general", [Pure]> {
  let arguments = (ins
    StableHLO_Tensor:$lhs,
    StableHLO_Tensor:$rhs,
    StableHLO_DotDimensionNumbersAttr:$dot_dimension_numbers,
    OptionalAttr<StableHLO_PrecisionConfigAttr>:$precision_config,
    OptionalAttr<StableHLO_DotAlgorithmAttr>:$algorithm
  );
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` custom<DotDimensionNumbers>($dot_dimension_numbers)
    `` custom<PrecisionAndAlgorithm>($precision_config, $algorithm) attr-dict
    `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def StableHLO_DotOp : StableHLO_Op<"dot", [Pure]> {
  let arguments = (ins
    StableHLO_Tensor:$lhs,
    StableHLO_Tensor:$rhs,
    OptionalAttr<StableHLO_PrecisionConfigAttr>:$precision_config
  );
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `` custom<PrecisionConfig>($precision_config) attr-dict
    `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def StableHLO_ConvolutionOp : StableHLO_Op<"convolution", [Pure]> {
  let arguments = (ins
    StableHLO_Tensor:$lhs,
    StableHLO_Tensor:$rhs,
    OptionalAttr<DenseI64ArrayAttr>:$window_strides,
    OptionalAttr<I64ElementsAttr>:$padding,
    OptionalAttr<DenseI64ArrayAttr>:$lhs_dilation,
    OptionalAttr<DenseI64ArrayAttr>:$rhs_dilation,
    OptionalAttr<DenseBoolArrayAttr>:$window_reversal,
    StableHLO_ConvDimensionNumbersAttr:$dimension_numbers,
    I64Attr:$feature_group_count,
    I64Attr:$batch_group_count,
    OptionalAttr<StableHLO_PrecisionConfigAttr>:$precision_config
  );
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    `(` operands `)` `dim_numbers` `=`
    custom<ConvDimensionNumbers>($dimension_numbers) `,`
    `window` `=` `{` custom<ConvWindow>($window_strides, $padding,
    $lhs_dilation, $rhs_dilation, $window_reversal) `}` attr-dict
    `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def StableHLO_ReduceOp
    : StableHLO_Op<"reduce", [RecursiveMemoryEffects,
                              SameVariadicOperandSize]> {
  let arguments = (ins
    Variadic<StableHLO_Tensor>:$inputs,
    Variadic<StableHLO_Tensor>:$init_values,
    DenseI64ArrayAttr:$dimensions
  );
  let results = (outs Variadic<StableHLO_Tensor>);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def StableHLO_ReduceWindowOp
    : StableHLO_Op<"reduce_window", [RecursiveMemoryEffects,
                                     SameVariadicOperandSize]> {
  let arguments = (ins
    Variadic<StableHLO_Tensor>:$inputs,
    Variadic<StableHLO_Tensor>:$init_values,
    DenseI64ArrayAttr:$window_dimensions,
    OptionalAttr<DenseI64ArrayAttr>:$window_strides,
    OptionalAttr<DenseI64ArrayAttr>:$base_dilations,
    OptionalAttr<DenseI64ArrayAttr>:$window_dilations,
    OptionalAttr<I64ElementsAttr>:$padding
  );
  let results = (outs Variadic<StableHLO_Tensor>);
  let regions = (region SizedRegion<1>:$body);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def StableHLO_SelectAndScatterOp
    : StableHLO_Op<"select_and_scatter", [RecursiveMemoryEffects]> {
  let arguments = (ins
    StableHLO_Tensor:$operand,
    StableHLO_Tensor:$source,
    StableHLO_Tensor:$init_value,
    OptionalAttr<DenseI64ArrayAttr>:$window_dimensions,
    OptionalAttr<DenseI64ArrayAttr>:$window_strides,
    OptionalAttr<I64ElementsAttr>:$padding
  );
  let results = (outs StableHLO_Tensor:$result);
  let regions = (region SizedRegion<1>:$select, SizedRegion<1>:$scatter);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def StableHLO_MapOp : StableHLO_Op<"map", [RecursiveMemoryEffects]> {
  let arguments = (ins
    Variadic<StableHLO_Tensor>:$inputs, DenseI64ArrayAttr:$dimensions);
  let results = (outs StableHLO_Tensor:$result);
  let regions = (region SizedRegion<1>:$computation);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def StableHLO_FftOp : StableHLO_InferOp<"fft", [Pure]> {
  let arguments = (ins
    StableHLO_FloatOrComplexTensor:$operand,
    StableHLO_FftTypeAttr:$fft_type,
    DenseI64ArrayAttr:$fft_length
  );
  let results = (outs StableHLO_FloatOrComplexTensor:$result);
  let assemblyFormat = [{
    $operand `,` `type` `=` `` $fft_type `,` `length` `=` $fft_length attr-dict
    `:` functional-type(operands, results)
  }];
}

def StableHLO_CholeskyOp
    : StableHLO_Op<"cholesky", [Pure, SameOperandsAndResultType]> {
  let arguments = (ins
    StableHLO_FloatOrComplexTensor:$a, StableHLO_FalseByDefault:$lower);
  let results = (outs StableHLO_FloatOrComplexTensor:$result);
  let assemblyFormat = [{
    $a (`,` `lower` `=` $lower^)? attr-dict `:`
    custom<SameOperandsAndResultType>(type($a), type($result))
  }];
  let hasVerifier = 1;
}

def StableHLO_TriangularSolveOp
    : StableHLO_InferOp<"triangular_solve", [Pure]> {
  let arguments = (ins
    StableHLO_FloatOrComplexTensor:$a,
    StableHLO_FloatOrComplexTensor:$b,
    BoolAttr:$left_side,
    BoolAttr:$lower,
    BoolAttr:$unit_diagonal,
    StableHLO_TransposeAttr:$transpose_a
  );
  let results = (outs StableHLO_FloatOrComplexTensor:$result);
}

def StableHLO_BatchNormInferenceOp
    : StableHLO_InferOp<"batch_norm_inference", [Pure]> {
  let arguments = (ins
    StableHLO_FloatTensor:$operand, StableHLO_FloatTensor:$scale,
    StableHLO_FloatTensor:$offset, StableHLO_FloatTensor:$mean,
    StableHLO_FloatTensor:$variance, F32Attr:$epsilon,
    I64Attr:$feature_index);
  let results = (outs StableHLO_FloatTensor:$result);
}

def StableHLO_BatchNormTrainingOp
    : StableHLO_InferOp<"batch_norm_training", [Pure]> {
  let arguments = (ins
    StableHLO_FloatTensor:$operand, StableHLO_FloatTensor:$scale,
    StableHLO_FloatTensor:$offset, F32Attr:$epsilon, I64Attr:$feature_index);
  let results = (outs
    StableHLO_FloatTensor:$output, StableHLO_FloatTensor:$batch_mean,
    StableHLO_FloatTensor:$batch_var);
}

def StableHLO_BatchNormGradOp : StableHLO_InferOp<"batch_norm_grad", [Pure]> {
  let arguments = (ins
    StableHLO_FloatTensor:$operand, StableHLO_FloatTensor:$scale,
    StableHLO_FloatTensor:$mean, StableHLO_FloatTensor:$variance,
    StableHLO_FloatTensor:$grad_output, F32Attr:$epsilon,
    I64Attr:$feature_index);
  let results = (outs
    StableHLO_FloatTensor:$grad_operand, StableHLO_FloatTensor:$grad_scale,
    StableHLO_FloatTensor:$grad_offset);
}

def StableHLO_EinsumOp : StableHLO_Op<"einsum", [Pure]> {
  let arguments = (ins
    StableHLO_Tensor:$lhs, StableHLO_Tensor:$rhs, StrAttr:$einsum_config);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` `config` `=` $einsum_config attr-dict
    `:` functional-type(operands, results)
  }];
}

def StableHLO_UnaryEinsumOp : StableHLO_Op<"unary_einsum", [Pure]> {
  let arguments = (ins StableHLO_Tensor:$operand, StrAttr:$einsum_config);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` `config` `=` $einsum_config attr-dict
    `:` functional-type(operands, results)
  }];
}

#endif // XLA_DIALECT_STABLEHLO_CONTRACTION
