//===- SdyOps.td - Operations on shardings --------------------------------===//

#ifndef XLA_DIALECT_SDY_SDYOPS
#define XLA_DIALECT_SDY_SDYOPS

include "mlir/IR/BuiltinAttributeInterfaces.td"
include "xla/dialect/sdy/Attributes.td"

class Sdy_Op<string mnemonic, list<Trait> traits = []>
    : Op<Sdy_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Meshes
//===----------------------------------------------------------------------===//

def Sdy_MeshOp : Sdy_Op<"mesh", [HasParent<"::mlir::ModuleOp">, Symbol]> {
  let summary = "Names a mesh: `sdy.mesh @mesh = <[\"x\"=4]>`";
  let arguments = (ins SymbolNameAttr:$sym_name, Sdy_Mesh:$mesh);
  let assemblyFormat = "$sym_name `=` $mesh attr-dict";
}

//===----------------------------------------------------------------------===//
// The sharding that a value is to have
//===----------------------------------------------------------------------===//

// Not pure: it binds its operand even where nobody uses the result.
def Sdy_ShardingConstraintOp
    : Sdy_Op<"sharding_constraint", [SameOperandsAndResultType]> {
  let summary = "The value, which shall have the given sharding";
  let arguments = (ins AnyType:$input, Sdy_TensorSharding:$sharding);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$input $sharding attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Sdy_ReshardOp : Sdy_Op<"reshard", [Pure, SameOperandsAndResultType]> {
  let summary = "The value, moved to the given sharding";
  let arguments = (ins AnyType:$input, Sdy_TensorSharding:$sharding);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$input $sharding attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Sdy_ShardingGroupOp : Sdy_Op<"sharding_group", [
    DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "All values of a group are sharded alike";
  let arguments = (ins AnyRankedTensor:$input, I64Attr:$group_id);
  let assemblyFormat = [{
    $input `group_id` `` `=` `` $group_id attr-dict `:` type($input)
  }];
}

def Sdy_PropagationBarrierOp
    : Sdy_Op<"propagation_barrier", [Pure, SameOperandsAndResultType]> {
  let summary = "The value; its sharding spreads one way only, or not at all";
  let arguments = (ins
    AnyRankedTensor:$input, Sdy_PropagationDirectionAttr:$allowed_direction);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $input `allowed_direction` `` `=` `` $allowed_direction attr-dict
    `:` type($input)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

def Sdy_ManualComputationOp : Sdy_Op<"manual_computation", [
    IsolatedFromAbove, RecursiveMemoryEffects, SingleBlock]> {
  let summary = "A program per device, over some axes of the mesh";
  let description = [{
    The body sees the parts that a device holds: divided over the manual axes,
    still whole over the others. In each dimension manual axes are major.
  }];
  let arguments = (ins
    Variadic<AnyType>:$tensors,
    Sdy_TensorShardingPerValue:$in_shardings,
    Sdy_TensorShardingPerValue:$out_shardings,
    Sdy_ManualAxes:$manual_axes
  );
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `(` operands `)`
    `in_shardings` `` `=` `` custom<Shardings>($in_shardings)
    `out_shardings` `` `=` `` custom<Shardings>($out_shardings)
    `manual_axes` `` `=` `` $manual_axes
    custom<Body>($body)
    attr-dict
    `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The sharding of a body's argument or of a returned value, over the axes
    /// that are not manual.
    TensorShardingAttr getInnerInSharding(int64_t i);
    TensorShardingAttr getInnerOutSharding(int64_t i);
    void setInnerInSharding(int64_t i, TensorShardingAttr sharding);
    void setInnerOutSharding(int64_t i, TensorShardingAttr sharding);
    ReturnOp getReturn();
  }];
}

def Sdy_NamedComputationOp : Sdy_Op<"named_computation", [
    IsolatedFromAbove, RecursiveMemoryEffects, SingleBlock]> {
  let summary = "A body with a name, as if it were called";
  let arguments = (ins
    StrAttr:$name,
    Variadic<AnyType>:$operands,
    OptionalAttr<Sdy_TensorShardingPerValue>:$in_shardings,
    OptionalAttr<Sdy_TensorShardingPerValue>:$out_shardings
  );
  let results = (outs Variadic<AnyType>);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `<` $name `>` `` `(` $operands `)`
    (`in_shardings` `` `=` `` custom<Shardings>($in_shardings)^)?
    (`out_shardings` `` `=` `` custom<Shardings>($out_shardings)^)?
    custom<Body>($body)
    attr-dict
    `:` functional-type($operands, results)
  }];
  let hasVerifier = 1;
}

def Sdy_ReturnOp : Sdy_Op<"return", [Pure, Terminator]> {
  let summary = "Ends a body";
  let arguments = (ins Variadic<AnyType>:$results);
  let assemblyFormat = "attr-dict ($results^ `:` type($results))?";
}

//===----------------------------------------------------------------------===//
// Between the steps of a compiler
//===----------------------------------------------------------------------===//

def Sdy_DataFlowEdgeOp
    : Sdy_Op<"data_flow_edge", [Pure, SameOperandsAndResultType]> {
  let summary = "The one sharding of values that flow into each other";
  let arguments = (ins
    AnyType:$input, OptionalAttr<Sdy_TensorSharding>:$sharding);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $input (`sharding` `` `=` `` $sharding^)? attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def Sdy_FuncDataFlowEdgeOp
    : Sdy_Op<"func_data_flow_edge", [Pure, SameOperandsAndResultType]> {
  let summary = "The same for a function's argument or a call's result";
  let arguments = (ins AnyType:$operand);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
}

// Never folded together: each use of a constant may have another sharding.
def Sdy_ConstantOp : Sdy_Op<"constant", [
    Pure, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "A constant of its own for each use";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs AnyStaticShapeTensor:$output);
  let assemblyFormat = "attr-dict $value";
}

//===----------------------------------------------------------------------===//
// Collectives: how a value comes from one sharding to the next
//===----------------------------------------------------------------------===//

class Sdy_CollectiveOp<string mnemonic, dag axes>
    : Sdy_Op<mnemonic, [Pure, SameOperandsAndResultType]> {
  let arguments = !con((ins AnyRankedTensor:$tensor), axes,
                       (ins Sdy_TensorSharding:$out_sharding));
  let results = (outs AnyRankedTensor:$result);
  let hasVerifier = 1;
}
class Sdy_CollectiveFormat<string axes> {
  string text = axes # [{
    $tensor `out_sharding` `` `=` `` $out_sharding attr-dict `:` type($result)
  }];
}

def Sdy_AllGatherOp : Sdy_CollectiveOp<"all_gather",
    (ins Sdy_ListOfAxisRefLists:$gathering_axes)> {
  let summary = "Takes minor axes away from dimensions";
  let assemblyFormat = Sdy_CollectiveFormat<"$gathering_axes">.text;
}
def Sdy_AllSliceOp : Sdy_CollectiveOp<"all_slice",
    (ins Sdy_ListOfAxisRefLists:$slicing_axes)> {
  let summary = "Adds minor axes to dimensions; nothing is sent";
  let assemblyFormat = Sdy_CollectiveFormat<"$slicing_axes">.text;
}
def Sdy_AllToAllOp : Sdy_CollectiveOp<"all_to_all",
    (ins Sdy_AllToAllParamList:$params)> {
  let summary = "Moves minor axes from dimensions to others";
  let assemblyFormat = Sdy_CollectiveFormat<"$params">.text;
}
def Sdy_CollectivePermuteOp
    : Sdy_CollectiveOp<"collective_permute", (ins)> {
  let summary = "Other axes of the same sizes: parts change their devices";
  let assemblyFormat = Sdy_CollectiveFormat<"">.text;
}
def Sdy_AllReduceOp : Sdy_CollectiveOp<"all_reduce",
    (ins Sdy_AxisRefList:$reduction_axes)> {
  let summary = "Reduces over axes, which are unreduced or unused before";
  let assemblyFormat = Sdy_CollectiveFormat<"$reduction_axes">.text;
}
def Sdy_ReduceScatterOp : Sdy_CollectiveOp<"reduce_scatter",
    (ins Sdy_ListOfAxisRefLists:$reduce_scatter_axes)> {
  let summary = "Reduces over axes and divides dimensions over them";
  let assemblyFormat = Sdy_CollectiveFormat<"$reduce_scatter_axes">.text;
}
def Sdy_ShardedToUnreducedOp : Sdy_CollectiveOp<"sharded_to_unreduced",
    (ins Sdy_ListOfAxisRefLists:$axes)> {
  let summary = "Minor axes of dimensions become unreduced";
  let assemblyFormat = Sdy_CollectiveFormat<"$axes">.text;
}
def Sdy_ReplicatedToUnreducedOp
    : Sdy_CollectiveOp<"replicated_to_unreduced", (ins Sdy_AxisRefList:$axes)> {
  let summary = "Unused axes become unreduced: one device keeps the value";
  let assemblyFormat = Sdy_CollectiveFormat<"$axes">.text;
}

#endif // XLA_DIALECT_SDY_SDYOPS
