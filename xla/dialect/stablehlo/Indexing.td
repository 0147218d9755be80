//===- Indexing.td - Slices at run-time positions, gather, scatter, sort --===//

#ifndef XLA_DIALECT_STABLEHLO_INDEXING
#define XLA_DIALECT_STABLEHLO_INDEXING

include "xla/dialect/stablehlo/Attributes.td"

def StableHLO_DynamicSliceOp : StableHLO_InferOp<"dynamic_slice", [Pure]> {
  let arguments = (ins
    StableHLO_Tensor:$operand,
    Variadic<StableHLO_IntTensor>:$start_indices,
    DenseI64ArrayAttr:$slice_sizes
  );
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` custom<ConcatenateOperands>($start_indices)
    `sizes` `=` $slice_sizes attr-dict `:` functional-type(operands, results)
  }];
}

def StableHLO_DynamicUpdateSliceOp
    : StableHLO_InferOp<"dynamic_update_slice", [Pure]> {
  let arguments = (ins
    StableHLO_Tensor:$operand,
    StableHLO_Tensor:$update,
    Variadic<StableHLO_IntTensor>:$start_indices
  );
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat =
      "operands attr-dict `:` functional-type(operands, results)";
}

def StableHLO_GatherOp : StableHLO_InferOp<"gather", [Pure]> {
  let arguments = (ins
    StableHLO_Tensor:$operand,
    StableHLO_IntTensor:$start_indices,
    StableHLO_GatherDimensionNumbersAttr:$dimension_numbers,
    DenseI64ArrayAttr:$slice_sizes,
    StableHLO_FalseByDefault:$indices_are_sorted
  );
  let results = (outs StableHLO_Tensor:$result);
}

def StableHLO_ScatterOp
    : StableHLO_Op<"scatter", [RecursiveMemoryEffects,
                               SameVariadicOperandSize]> {
  let arguments = (ins
    Variadic<StableHLO_Tensor>:$inputs,
    StableHLO_IntTensor:$scatter_indices,
    Variadic<StableHLO_Tensor>:$updates,
    StableHLO_ScatterDimensionNumbersAttr:$scatter_dimension_numbers,
    StableHLO_FalseByDefault:$indices_are_sorted,
    StableHLO_FalseByDefault:$unique_indices
  );
  let results = (outs Variadic<StableHLO_Tensor>);
  let regions = (region SizedRegion<1>:$update_computation);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def StableHLO_SortOp : StableHLO_Op<"sort", [RecursiveMemoryEffects]> {
  let arguments = (ins
    Variadic<StableHLO_Tensor>:$inputs,
    DefaultValuedOptionalAttr<I64Attr, "-1">:$dimension,
    StableHLO_FalseByDefault:$is_stable
  );
  let results = (outs Variadic<StableHLO_Tensor>);
  let regions = (region SizedRegion<1>:$comparator);
  let extraClassDeclaration = [{
    /// The dimension to sort along, counted from the front.
    int64_t sortedDimension();
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def StableHLO_TorchIndexSelectOp
    : StableHLO_Op<"torch_index_select", [Pure]> {
  let arguments = (ins
    StableHLO_Tensor:$operand, StableHLO_IntTensor:$index, I64Attr:$dim,
    I64Attr:$batch_dims);
  let results = (outs StableHLO_Tensor:$result);
}

#endif // XLA_DIALECT_STABLEHLO_INDEXING
