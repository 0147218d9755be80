//===- Shape.td - Constants, shapes, movement of data ---------------------===//

#ifndef XLA_DIALECT_STABLEHLO_SHAPE
#define XLA_DIALECT_STABLEHLO_SHAPE

include "xla/dialect/stablehlo/Attributes.td"

def StableHLO_ConstantOp
    : StableHLO_InferOp<"constant", [Pure, ConstantLike,
                         DeclareOpInterfaceMethods<OpAsmOpInterface,
                                                   ["getAsmResultNames"]>]> {
  let arguments = (ins ElementsAttr:$value);
  let results = (outs StableHLO_Tensor:$output);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
}

def StableHLO_IotaOp : StableHLO_Op<"iota", [Pure]> {
  let arguments = (ins I64Attr:$iota_dimension);
  let results = (outs StableHLO_NumberTensor:$output);
  let assemblyFormat = [{
    `dim` `=` $iota_dimension attr-dict `:` type($output)
  }];
  let hasVerifier = 1;
}

def StableHLO_ReshapeOp : StableHLO_Op<"reshape", [Pure]> {
  let arguments = (ins StableHLO_Tensor:$operand);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat =
      "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def StableHLO_TransposeOp : StableHLO_InferOp<"transpose", [Pure]> {
  let arguments = (ins
    StableHLO_Tensor:$operand, DenseI64ArrayAttr:$permutation);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` `dims` `=` $permutation attr-dict
    `:` functional-type(operands, results)
  }];
}

def StableHLO_BroadcastInDimOp : StableHLO_Op<"broadcast_in_dim", [Pure]> {
  let arguments = (ins
    StableHLO_Tensor:$operand, DenseI64ArrayAttr:$broadcast_dimensions);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` `dims` `=` $broadcast_dimensions attr-dict
    `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def StableHLO_BroadcastOp : StableHLO_InferOp<"broadcast", [Pure]> {
  let arguments = (ins
    StableHLO_Tensor:$operand, DenseI64ArrayAttr:$broadcast_sizes);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` `sizes` `=` $broadcast_sizes attr-dict
    `:` functional-type(operands, results)
  }];
}

def StableHLO_ConcatenateOp : StableHLO_InferOp<"concatenate", [Pure]> {
  let arguments = (ins
    Variadic<StableHLO_Tensor>:$inputs, I64Attr:$dimension);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    custom<ConcatenateOperands>($inputs) `dim` `=` $dimension attr-dict
    `:` functional-type(operands, results)
  }];
}

def StableHLO_SliceOp : StableHLO_InferOp<"slice", [Pure]> {
  let arguments = (ins
    StableHLO_Tensor:$operand,
    DenseI64ArrayAttr:$start_indices,
    DenseI64ArrayAttr:$limit_indices,
    DenseI64ArrayAttr:$strides
  );
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand custom<SliceRanges>($start_indices, $limit_indices, $strides)
    attr-dict `:` functional-type(operands, results)
  }];
}

def StableHLO_PadOp : StableHLO_InferOp<"pad", [Pure]> {
  let arguments = (ins
    StableHLO_Tensor:$operand,
    StableHLO_Tensor:$padding_value,
    DenseI64ArrayAttr:$edge_padding_low,
    DenseI64ArrayAttr:$edge_padding_high,
    DenseI64ArrayAttr:$interior_padding
  );
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` $padding_value `,` `low` `=` $edge_padding_low `,`
    `high` `=` $edge_padding_high `,` `interior` `=` $interior_padding
    attr-dict `:` functional-type(operands, results)
  }];
}

def StableHLO_ReverseOp
    : StableHLO_Op<"reverse", [Pure, SameOperandsAndResultType]> {
  let arguments = (ins
    StableHLO_Tensor:$operand, DenseI64ArrayAttr:$dimensions);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` `dims` `=` $dimensions attr-dict `:`
    custom<SameOperandsAndResultType>(type($operand), type($result))
  }];
  let hasVerifier = 1;
}

def StableHLO_OptimizationBarrierOp
    : StableHLO_InferOp<"optimization_barrier", [Pure]> {
  let summary = "An identity that nothing may be moved across";
  let arguments = (ins Variadic<StableHLO_TensorOrToken>:$operand);
  let results = (outs Variadic<StableHLO_TensorOrToken>:$result);
  let assemblyFormat = [{
    attr-dict ($operand^ `:` custom<PairwiseTypes>(type($operand),
    type($result))):(`(` `)`)?
  }];
}

def StableHLO_GetDimensionSizeOp
    : StableHLO_InferOp<"get_dimension_size", [Pure]> {
  let arguments = (ins StableHLO_Tensor:$operand, I64Attr:$dimension);
  let results = (outs RankedTensorOf<[I32]>:$result);
  let assemblyFormat = [{
    $operand `,` `dim` `=` $dimension attr-dict
    `:` functional-type(operands, results)
  }];
}

def StableHLO_SetDimensionSizeOp
    : StableHLO_InferOp<"set_dimension_size", [Pure]> {
  let arguments = (ins
    StableHLO_Tensor:$operand, RankedTensorOf<[I32]>:$size,
    I64Attr:$dimension);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` $size `,` `dim` `=` $dimension attr-dict
    `:` functional-type(operands, results)
  }];
}

#endif // XLA_DIALECT_STABLEHLO_SHAPE
