//===- ControlFlow.td - Loops, branches, calls, tuples --------------------===//

#ifndef XLA_DIALECT_STABLEHLO_CONTROLFLOW
#define XLA_DIALECT_STABLEHLO_CONTROLFLOW

include "xla/dialect/stablehlo/Attributes.td"

def StableHLO_ReturnOp : StableHLO_Op<"return", [Pure, Terminator]> {
  let summary = "Ends a region with its values";
  let arguments = (ins Variadic<AnyType>:$results);
  let assemblyFormat = "$results attr-dict (`:` type($results)^)?";
}

def StableHLO_WhileOp
    : StableHLO_Op<"while", [RecursiveMemoryEffects,
                       DeclareOpInterfaceMethods<OpAsmOpInterface,
                                                 ["getAsmBlockArgumentNames"]>]> {
  let arguments = (ins Variadic<StableHLO_LoopValue>:$operand);
  let results = (outs Variadic<StableHLO_LoopValue>);
  let regions = (region SizedRegion<1>:$cond, SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
}

def StableHLO_IfOp : StableHLO_Op<"if", [RecursiveMemoryEffects]> {
  let arguments = (ins StableHLO_PredTensor:$pred);
  let results = (outs Variadic<StableHLO_LoopValue>);
  let regions = (region SizedRegion<1>:$true_branch,
                        SizedRegion<1>:$false_branch);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def StableHLO_CaseOp : StableHLO_Op<"case", [RecursiveMemoryEffects]> {
  let arguments = (ins RankedTensorOf<[I32]>:$index);
  let results = (outs Variadic<StableHLO_LoopValue>);
  let regions = (region VariadicRegion<SizedRegion<1>>:$branches);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def StableHLO_TupleOp : StableHLO_InferOp<"tuple", [Pure]> {
  let arguments = (ins Variadic<StableHLO_CustomCallValue>:$val);
  let results = (outs StableHLO_Tuple:$result);
  let assemblyFormat = [{
    $val attr-dict `:` custom<TupleOpType>(type($val), type($result))
  }];
}

def StableHLO_GetTupleElementOp
    : StableHLO_InferOp<"get_tuple_element", [Pure]> {
  let arguments = (ins StableHLO_Tuple:$operand, I32Attr:$index);
  let results = (outs StableHLO_CustomCallValue:$result);
  let assemblyFormat = [{
    $operand `[` $index `]` attr-dict `:` functional-type(operands, results)
  }];
}

def StableHLO_CompositeOp
    : StableHLO_Op<"composite",
                   [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "An operation made of others, given by a function";
  let arguments = (ins
    Variadic<StableHLO_TensorOrToken>:$inputs,
    StrAttr:$name,
    DefaultValuedOptionalAttr<DictionaryAttr, "{}">:$composite_attributes,
    FlatSymbolRefAttr:$decomposition,
    DefaultValuedOptionalAttr<I32Attr, "0">:$version
  );
  let results = (outs Variadic<StableHLO_TensorOrToken>);
  let regions = (region VariadicRegion<AnyRegion>:$composite_regions);
  let assemblyFormat = [{
    $name $inputs `` custom<CompositeRegions>($composite_regions) attr-dict
    `:` functional-type(operands, results)
  }];
}

def StableHLO_AsyncStartOp : StableHLO_Op<"async_start"> {
  let arguments = (ins Variadic<StableHLO_Tensor>:$operands);
  let results = (outs StableHLO_Future:$result);
  let regions = (region SizedRegion<1>:$collective);
}

def StableHLO_AsyncDoneOp : StableHLO_Op<"async_done"> {
  let arguments = (ins StableHLO_Future:$operand);
  let results = (outs Variadic<StableHLO_TensorOrToken>);
}

#endif // XLA_DIALECT_STABLEHLO_CONTROLFLOW
