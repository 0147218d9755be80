//===- Communication.td - The world outside: tokens, calls, devices -------===//

#ifndef XLA_DIALECT_STABLEHLO_COMMUNICATION
#define XLA_DIALECT_STABLEHLO_COMMUNICATION

include "xla/dialect/stablehlo/Attributes.td"

//===----------------------------------------------------------------------===//
// Tokens and host transfer
//===----------------------------------------------------------------------===//

def StableHLO_CreateTokenOp : StableHLO_Op<"create_token", [Pure]> {
  let arguments = (ins);
  let results = (outs StableHLO_Token:$output);
  let assemblyFormat = "attr-dict `:` type(results)";
}

def StableHLO_AfterAllOp : StableHLO_Op<"after_all", [Pure]> {
  let arguments = (ins Variadic<StableHLO_Token>:$inputs);
  let results = (outs StableHLO_Token:$result);
  let assemblyFormat = [{
    $inputs attr-dict `:`
    custom<VariadicSameType>(ref($inputs), type($inputs), type($result))
  }];
}

def StableHLO_InfeedOp : StableHLO_Op<"infeed"> {
  let arguments = (ins
    StableHLO_Token:$token,
    StableHLO_EmptyString:$infeed_config,
    OptionalAttr<ArrayAttr>:$layout
  );
  let results = (outs Variadic<StableHLO_TensorOrToken>);
}

def StableHLO_OutfeedOp : StableHLO_Op<"outfeed"> {
  let arguments = (ins
    Variadic<StableHLO_Tensor>:$inputs,
    StableHLO_Token:$token,
    StableHLO_EmptyString:$outfeed_config
  );
  let results = (outs StableHLO_Token:$result);
}

def StableHLO_SendOp : StableHLO_Op<"send"> {
  let arguments = (ins
    Variadic<StableHLO_Tensor>:$inputs,
    StableHLO_Token:$token,
    StableHLO_ChannelHandleAttr:$channel_handle,
    StableHLO_FalseByDefault:$is_host_transfer,
    OptionalAttr<I64ElementsAttr>:$source_target_pairs
  );
  let results = (outs StableHLO_Token:$result);
}

def StableHLO_RecvOp : StableHLO_Op<"recv"> {
  let arguments = (ins
    StableHLO_Token:$token,
    StableHLO_ChannelHandleAttr:$channel_handle,
    StableHLO_FalseByDefault:$is_host_transfer,
    OptionalAttr<I64ElementsAttr>:$source_target_pairs
  );
  let results = (outs Variadic<StableHLO_TensorOrToken>);
}

//===----------------------------------------------------------------------===//
// Random bits
//===----------------------------------------------------------------------===//

def StableHLO_RngOp : StableHLO_InferOp<"rng"> {
  let arguments = (ins
    StableHLO_Tensor:$a,
    StableHLO_Tensor:$b,
    StableHLO_DimensionTensor:$shape,
    StableHLO_RngDistributionAttr:$rng_distribution
  );
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $shape `,` `distribution` `=` `` $rng_distribution attr-dict
    `:` functional-type(operands, results)
  }];
}

def StableHLO_RngBitGeneratorOp : StableHLO_Op<"rng_bit_generator", [Pure]> {
  let arguments = (ins
    StableHLO_RngAlgorithmAttr:$rng_algorithm,
    StableHLO_Tensor:$initial_state
  );
  let results = (outs
    StableHLO_Tensor:$output_state, StableHLO_Tensor:$output);
  let assemblyFormat = [{
    $initial_state `,` `algorithm` `=` `` $rng_algorithm attr-dict
    `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Custom calls
//===----------------------------------------------------------------------===//

def StableHLO_CustomCallOp
    : StableHLO_Op<"custom_call",
                   [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
                    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let arguments = (ins
    Variadic<StableHLO_CustomCallValue>:$inputs,
    StrAttr:$call_target_name,
    StableHLO_FalseByDefault:$has_side_effect,
    OptionalAttr<AnyAttrOf<[StrAttr, DictionaryAttr]>>:$backend_config,
    DefaultValuedOptionalAttr<StableHLO_CustomCallApiVersionAttr,
      "::xla::stablehlo::CustomCallApiVersion::API_VERSION_ORIGINAL">:
      $api_version,
    DefaultValuedOptionalAttr<TypedArrayAttrBase<FlatSymbolRefAttr,
      "functions that the target calls">, "{}">:$called_computations,
    OptionalAttr<ArrayAttr>:$operand_layouts,
    OptionalAttr<ArrayAttr>:$result_layouts,
    DefaultValuedOptionalAttr<StableHLO_OutputOperandAliasesAttr, "{}">:
      $output_operand_aliases,
    OptionalAttr<ArrayAttr>:$result_tilings
  );
  let results = (outs Variadic<StableHLO_CustomCallValue>);
  let assemblyFormat = [{
    custom<CustomCallTarget>($call_target_name) `(` $inputs `)` attr-dict
    `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    /// Set where operands and results are written with their dimensions in the
    /// order of memory, so that each of them is row-major.
    static constexpr ::llvm::StringLiteral inMemoryOrder =
        "xla.in_memory_order";

    /// The dimensions of an operand from the slowest to the fastest in memory.
    ::llvm::SmallVector<int64_t> operandOrder(unsigned index);
    ::llvm::SmallVector<int64_t> resultOrder(unsigned index);

    /// The operand whose memory result `index` takes, or -1.
    int64_t aliasedOperand(unsigned index);

    /// The target of calls that write nothing: their results are memory with
    /// unspecified contents.
    static constexpr ::llvm::StringLiteral allocateBuffer = "AllocateBuffer";

    /// Whether the results are memory that is not written yet.
    bool isAllocation() { return getCallTargetName() == allocateBuffer; }
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

def StableHLO_AllReduceOp : StableHLO_Op<"all_reduce"> {
  let arguments = (ins
    Variadic<StableHLO_Tensor>:$operands,
    StableHLO_ReplicaGroupsAttr:$replica_groups,
    OptionalAttr<StableHLO_ChannelHandleAttr>:$channel_handle,
    UnitAttr:$use_global_device_ids
  );
  let results = (outs Variadic<StableHLO_Tensor>);
  let regions = (region SizedRegion<1>:$computation);
}

def StableHLO_CollectiveReduceOp : StableHLO_Op<"collective_reduce"> {
  let arguments = (ins
    Variadic<StableHLO_Tensor>:$operands,
    StableHLO_ReplicaGroupsAttr:$replica_groups,
    OptionalAttr<StableHLO_ChannelHandleAttr>:$channel_handle,
    UnitAttr:$use_global_device_ids,
    UnitAttr:$has_dynamic_root
  );
  let results = (outs Variadic<StableHLO_Tensor>);
  let regions = (region SizedRegion<1>:$computation);
}

def StableHLO_AllGatherOp : StableHLO_Op<"all_gather"> {
  let arguments = (ins
    Variadic<StableHLO_Tensor>:$operands,
    I64Attr:$all_gather_dim,
    StableHLO_ReplicaGroupsAttr:$replica_groups,
    OptionalAttr<StableHLO_ChannelHandleAttr>:$channel_handle,
    UnitAttr:$use_global_device_ids
  );
  let results = (outs Variadic<StableHLO_Tensor>);
}

def StableHLO_AllToAllOp : StableHLO_InferOp<"all_to_all"> {
  let arguments = (ins
    Variadic<StableHLO_Tensor>:$operands,
    I64Attr:$split_dimension,
    I64Attr:$concat_dimension,
    I64Attr:$split_count,
    StableHLO_ReplicaGroupsAttr:$replica_groups,
    OptionalAttr<StableHLO_ChannelHandleAttr>:$channel_handle
  );
  let results = (outs Variadic<StableHLO_Tensor>);
}

def StableHLO_ReduceScatterOp : StableHLO_Op<"reduce_scatter"> {
  let arguments = (ins
    StableHLO_Tensor:$operand,
    I64Attr:$scatter_dimension,
    StableHLO_ReplicaGroupsAttr:$replica_groups,
    OptionalAttr<StableHLO_ChannelHandleAttr>:$channel_handle,
    UnitAttr:$use_global_device_ids
  );
  let results = (outs StableHLO_Tensor:$result);
  let regions = (region SizedRegion<1>:$computation);
}

def StableHLO_CollectivePermuteOp
    : StableHLO_Op<"collective_permute", [SameOperandsAndResultType]> {
  let arguments = (ins
    StableHLO_Tensor:$operand,
    I64ElementsAttr:$source_target_pairs,
    OptionalAttr<StableHLO_ChannelHandleAttr>:$channel_handle
  );
  let results = (outs StableHLO_Tensor:$result);
}

def StableHLO_CollectiveBroadcastOp
    : StableHLO_Op<"collective_broadcast", [SameOperandsAndResultType]> {
  let arguments = (ins
    StableHLO_Tensor:$operand,
    StableHLO_ReplicaGroupsAttr:$replica_groups,
    OptionalAttr<StableHLO_ChannelHandleAttr>:$channel_handle
  );
  let results = (outs StableHLO_Tensor:$result);
}

def StableHLO_CrossReplicaSumOp
    : StableHLO_Op<"cross-replica-sum", [SameOperandsAndResultType]> {
  let arguments = (ins
    StableHLO_Tensor:$operand, I64ElementsAttr:$replica_groups);
  let results = (outs StableHLO_Tensor:$result);
}

class StableHLO_IdOp<string mnemonic>
    : StableHLO_InferOp<mnemonic, [Pure]> {
  let arguments = (ins);
  let results = (outs RankedTensorOf<[UI32]>:$result);
  let assemblyFormat = "attr-dict `:` type(results)";
}
def StableHLO_PartitionIdOp : StableHLO_IdOp<"partition_id">;
def StableHLO_ReplicaIdOp : StableHLO_IdOp<"replica_id">;

#endif // XLA_DIALECT_STABLEHLO_COMMUNICATION
