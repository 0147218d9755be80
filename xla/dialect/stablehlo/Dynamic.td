//===- Dynamic.td - Operations whose shapes are operands ------------------===//

#ifndef XLA_DIALECT_STABLEHLO_DYNAMIC
#define XLA_DIALECT_STABLEHLO_DYNAMIC

include "xla/dialect/stablehlo/Attributes.td"

def StableHLO_DynamicReshapeOp : StableHLO_Op<"dynamic_reshape", [Pure]> {
  let arguments = (ins
    StableHLO_Tensor:$operand, StableHLO_DimensionTensor:$output_shape);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat =
      "operands attr-dict `:` functional-type(operands, results)";
}

def StableHLO_DynamicBroadcastInDimOp
    : StableHLO_Op<"dynamic_broadcast_in_dim", [Pure]> {
  let arguments = (ins
    StableHLO_Tensor:$operand,
    StableHLO_DimensionTensor:$output_dimensions,
    DenseI64ArrayAttr:$broadcast_dimensions,
    OptionalAttr<DenseI64ArrayAttr>:$known_expanding_dimensions,
    OptionalAttr<DenseI64ArrayAttr>:$known_nonexpanding_dimensions
  );
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` $output_dimensions `,` `dims` `=` $broadcast_dimensions
    attr-dict `:` functional-type(operands, results)
  }];
}

def StableHLO_DynamicIotaOp : StableHLO_Op<"dynamic_iota", [Pure]> {
  let arguments = (ins
    StableHLO_DimensionTensor:$output_shape, I64Attr:$iota_dimension);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $output_shape `,` `dim` `=` $iota_dimension attr-dict
    `:` functional-type(operands, results)
  }];
}

def StableHLO_DynamicPadOp : StableHLO_Op<"dynamic_pad", [Pure]> {
  let arguments = (ins
    StableHLO_Tensor:$operand,
    StableHLO_Tensor:$padding_value,
    StableHLO_DimensionTensor:$edge_padding_low,
    StableHLO_DimensionTensor:$edge_padding_high,
    StableHLO_DimensionTensor:$interior_padding
  );
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat =
      "operands attr-dict `:` functional-type(operands, results)";
}

def StableHLO_RealDynamicSliceOp
    : StableHLO_Op<"real_dynamic_slice", [Pure]> {
  let arguments = (ins
    StableHLO_Tensor:$operand,
    StableHLO_DimensionTensor:$start_indices,
    StableHLO_DimensionTensor:$limit_indices,
    StableHLO_DimensionTensor:$strides
  );
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat =
      "operands attr-dict `:` functional-type(operands, results)";
}

def StableHLO_DynamicGatherOp : StableHLO_InferOp<"dynamic_gather", [Pure]> {
  let arguments = (ins
    StableHLO_Tensor:$operand,
    StableHLO_IntTensor:$start_indices,
    StableHLO_IntTensor:$slice_sizes,
    StableHLO_GatherDimensionNumbersAttr:$dimension_numbers,
    StableHLO_FalseByDefault:$indices_are_sorted
  );
  let results = (outs StableHLO_Tensor:$result);
}

def StableHLO_DynamicConvOp : StableHLO_Op<"dynamic_conv", [Pure]> {
  let arguments = (ins
    StableHLO_Tensor:$lhs,
    StableHLO_Tensor:$rhs,
    StableHLO_IntTensor:$padding,
    OptionalAttr<DenseI64ArrayAttr>:$window_strides,
    OptionalAttr<DenseI64ArrayAttr>:$lhs_dilation,
    OptionalAttr<DenseI64ArrayAttr>:$rhs_dilation,
    OptionalAttr<DenseBoolArrayAttr>:$window_reversal,
    StableHLO_ConvDimensionNumbersAttr:$dimension_numbers,
    I64Attr:$feature_group_count,
    I64Attr:$batch_group_count,
    OptionalAttr<StableHLO_PrecisionConfigAttr>:$precision_config
  );
  let results = (outs StableHLO_Tensor:$result);
}

#endif // XLA_DIALECT_STABLEHLO_DYNAMIC
