//===- Attributes.td - Meshes, shardings, and rules of operations ---------===//

#ifndef XLA_DIALECT_SDY_ATTRIBUTES
#define XLA_DIALECT_SDY_ATTRIBUTES

include "xla/dialect/sdy/Base.td"

class Sdy_Attr<string name, string attrMnemonic>
    : AttrDef<Sdy_Dialect, name> {
  let mnemonic = attrMnemonic;
  let hasCustomAssemblyFormat = 1;
}

class Sdy_Enum<string name, list<I32EnumCase> cases>
    : I32Enum<name, "", cases> {
  let cppNamespace = "::xla::sdy";
}
class Sdy_List<string name>
    : ArrayRefParameter<"::xla::sdy::" # name, "list">;
def Sdy_Numbers : ArrayRefParameter<"int64_t", "numbers">;

//===----------------------------------------------------------------------===//
// Meshes
//===----------------------------------------------------------------------===//

def Sdy_MeshAxis : Sdy_Attr<"MeshAxis", "mesh_axis"> {
  let summary = "A named axis of a mesh: `\"x\"=4`";
  let parameters = (ins StringRefParameter<>:$name, "int64_t":$size);
  let genVerifyDecl = 1;
}

def Sdy_Mesh : Sdy_Attr<"Mesh", "mesh"> {
  let summary = "Devices in a grid of named axes: `<[\"x\"=4, \"y\"=2]>`";
  let description = [{
    The first axis is the major one. `device_ids` says which device stands at
    each position where that is not the position itself. No axes and one id is a
    *maximal* mesh, a single device; no axes and no ids an *empty* one.
  }];
  let parameters = (ins
    Sdy_List<"MeshAxisAttr">:$axes,
    OptionalArrayRefParameter<"int64_t">:$device_ids
  );
  let builders = [
    AttrBuilder<(ins "::llvm::ArrayRef<::xla::sdy::MeshAxisAttr>":$axes), [{
      return $_get($_ctxt, axes, ::llvm::ArrayRef<int64_t>());
    }]>
  ];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    bool isEmpty() const { return getAxes().empty() && getDeviceIds().empty(); }
    bool isMaximal() const {
      return getAxes().empty() && getDeviceIds().size() == 1;
    }
    bool hasAxis(::llvm::StringRef name) const {
      return static_cast<bool>(findAxis(name));
    }
    /// Null where there is none of that name.
    MeshAxisAttr findAxis(::llvm::StringRef name) const;
    /// The size of an axis; 0 where there is none of that name.
    int64_t getAxisSize(::llvm::StringRef name) const;
    /// The index of an axis among all; -1 where there is none of that name.
    int64_t getAxisPosition(::llvm::StringRef name) const;
    /// How many devices there are; 1 for maximal and empty meshes.
    int64_t getSize() const;
    /// The device at a position, counted with the last axis fastest.
    int64_t getDevice(int64_t position) const;
  }];
}

//===----------------------------------------------------------------------===//
// Axes in use
//===----------------------------------------------------------------------===//

def Sdy_SubAxisInfo : Sdy_Attr<"SubAxisInfo", "sub_axis_info"> {
  let summary = "A factor of an axis: `(2)4`";
  let description = [{
    An axis of size n, seen as `[preSize, size, n / (preSize * size)]`: the
    middle one.
  }];
  let parameters = (ins "int64_t":$preSize, "int64_t":$size);
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// What the next finer factor has as its preSize.
    int64_t getNextPreSize() const;
  }];
}

def Sdy_AxisRef : Sdy_Attr<"AxisRef", "axis_ref"> {
  let summary = "An axis or a factor of one: `\"x\"`, `\"x\":(2)4`";
  let parameters = (ins
    StringRefParameter<>:$name,
    OptionalParameter<"::xla::sdy::SubAxisInfoAttr">:$subAxis
  );
  let builders = [
    AttrBuilder<(ins "::llvm::StringRef":$name), [{
      return $_get($_ctxt, name, SubAxisInfoAttr());
    }]>,
    AttrBuilder<(ins "::llvm::StringRef":$name, "int64_t":$preSize,
                     "int64_t":$size), [{
      return $_get($_ctxt, name, SubAxisInfoAttr::get($_ctxt, preSize, size));
    }]>
  ];
  let extraClassDeclaration = [{
    /// How many parts it divides into; 0 where the mesh has no such axis.
    int64_t getSize(MeshAttr mesh) const;
    /// The product of what is major to it within its axis.
    int64_t getPreSize() const;
    /// Whether some device coordinate is in both. Without a mesh, for sizes of
    /// factors are known.
    bool overlaps(AxisRefAttr other) const;
    /// Whether all of `other` is within this.
    bool contains(AxisRefAttr other) const;
    /// Whether `next` follows this within one axis, so that both are one.
    bool canMerge(AxisRefAttr next) const;
    /// Both as one; a whole axis where it is one.
    AxisRefAttr merge(AxisRefAttr next, MeshAttr mesh) const;
    /// By the mesh's order of axes, then by preSize.
    bool isBefore(AxisRefAttr other, MeshAttr mesh) const;
  }];
}

def Sdy_AxisRefList : Sdy_Attr<"AxisRefList", "axis_ref_list"> {
  let summary = "Axes in an order: `{\"x\", \"y\"}`";
  let parameters = (ins Sdy_List<"AxisRefAttr">:$value);
  let extraClassDeclaration = [{
    auto begin() const { return getValue().begin(); }
    auto end() const { return getValue().end(); }
    size_t size() const { return getValue().size(); }
    bool empty() const { return getValue().empty(); }
  }];
}

def Sdy_ListOfAxisRefLists
    : Sdy_Attr<"ListOfAxisRefLists", "list_of_axis_ref_lists"> {
  let summary = "Axes for each dimension: `[{\"x\"}, {}]`";
  let parameters = (ins Sdy_List<"AxisRefListAttr">:$value);
  let extraClassDeclaration = [{
    auto begin() const { return getValue().begin(); }
    auto end() const { return getValue().end(); }
    size_t size() const { return getValue().size(); }
    bool empty() const { return getValue().empty(); }
    AxisRefListAttr operator[](size_t i) const { return getValue()[i]; }
  }];
}

def Sdy_ManualAxes : Sdy_Attr<"ManualAxes", "manual_axes"> {
  let summary = "Axes whose devices see their own part: `{\"x\"}`";
  let parameters = (ins ArrayRefParameter<"::mlir::StringAttr">:$value);
  let extraClassDeclaration = [{
    auto begin() const { return getValue().begin(); }
    auto end() const { return getValue().end(); }
    size_t size() const { return getValue().size(); }
    bool empty() const { return getValue().empty(); }
    bool contains(::llvm::StringRef name) const {
      return ::llvm::any_of(getValue(), [&](::mlir::StringAttr axis) {
        return axis.getValue() == name;
      });
    }
  }];
}

//===----------------------------------------------------------------------===//
// Shardings
//===----------------------------------------------------------------------===//

def Sdy_DimensionSharding
    : Sdy_Attr<"DimensionSharding", "dimension_sharding"> {
  let summary = "The axes of one dimension: `{\"x\", ?}p1`";
  let description = [{
    The first axis is the major one. `?` marks an open dimension, which may get
    further axes. Shardings of a lower priority number spread first.
  }];
  let parameters = (ins
    Sdy_List<"AxisRefAttr">:$axes,
    "bool":$isClosed,
    OptionalParameter<"::std::optional<int64_t>">:$priority
  );
  let builders = [
    AttrBuilder<(ins "::llvm::ArrayRef<::xla::sdy::AxisRefAttr>":$axes,
                     "bool":$isClosed), [{
      return $_get($_ctxt, axes, isClosed, ::std::optional<int64_t>());
    }]>
  ];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    bool isOpen() const { return !getIsClosed(); }
    bool empty() const { return getAxes().empty(); }
    /// Into how many parts the dimension is divided.
    int64_t getShardCount(MeshAttr mesh) const;
    int64_t getPriorityOrDefault() const { return getPriority().value_or(0); }
  }];
}

def Sdy_ReductionKind : Sdy_Enum<"ReductionKind", [
  I32EnumCase<"Sum", 0, "sum">, I32EnumCase<"Max", 1, "max">,
  I32EnumCase<"Min", 2, "min">]>;

def Sdy_TensorSharding : Sdy_Attr<"TensorSharding", "sharding"> {
  let summary = "How a tensor is divided over a mesh: `<@mesh, [{\"x\"}, {?}]>`";
  let description = [{
    The mesh is a symbol or written out. `replicated` axes may not be used to
    divide a dimension. Over `unreduced` axes each device holds a summand (or a
    candidate of a maximum or minimum), and the value is what they reduce to.
  }];
  let parameters = (ins
    "::mlir::Attribute":$meshOrRef,
    Sdy_List<"DimensionShardingAttr">:$dimShardings,
    Sdy_List<"AxisRefAttr">:$replicatedAxes,
    Sdy_List<"AxisRefAttr">:$unreducedAxes,
    "::xla::sdy::ReductionKind":$unreducedKind
  );
  let builders = [
    AttrBuilder<(ins "::mlir::Attribute":$meshOrRef,
        "::llvm::ArrayRef<::xla::sdy::DimensionShardingAttr>":$dimShardings,
        CArg<"::llvm::ArrayRef<::xla::sdy::AxisRefAttr>", "{}">:$replicated,
        CArg<"::llvm::ArrayRef<::xla::sdy::AxisRefAttr>", "{}">:$unreduced), [{
      return $_get($_ctxt, meshOrRef, dimShardings, replicated, unreduced,
                   ReductionKind::Sum);
    }]>,
    AttrBuilder<(ins "::llvm::StringRef":$mesh,
        "::llvm::ArrayRef<::xla::sdy::DimensionShardingAttr>":$dimShardings,
        CArg<"::llvm::ArrayRef<::xla::sdy::AxisRefAttr>", "{}">:$replicated,
        CArg<"::llvm::ArrayRef<::xla::sdy::AxisRefAttr>", "{}">:$unreduced), [{
      return $_get($_ctxt, ::mlir::FlatSymbolRefAttr::get($_ctxt, mesh),
                   dimShardings, replicated, unreduced, ReductionKind::Sum);
    }]>
  ];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Every dimension without axes, open or closed.
    static TensorShardingAttr getFullyOpen(::mlir::MLIRContext *context,
                                           int64_t rank,
                                           ::mlir::Attribute meshOrRef);
    static TensorShardingAttr getFullyClosed(::mlir::MLIRContext *context,
                                             int64_t rank,
                                             ::mlir::Attribute meshOrRef);
    int64_t getRank() const { return getDimShardings().size(); }
    DimensionShardingAttr getDimSharding(int64_t dim) const {
      return getDimShardings()[dim];
    }
    /// The mesh: written out, or that which its symbol names, seen from `at`.
    /// Null where there is none.
    MeshAttr getMesh(::mlir::Operation *at) const;
    /// The symbol; empty where the mesh is written out.
    ::llvm::StringRef getMeshName() const;
    bool isUnreduced() const { return !getUnreducedAxes().empty(); }
    /// Whether each device holds the whole value: no axes divide a dimension,
    /// none are unreduced.
    bool isFullyReplicated() const;
    /// Whether every dimension is closed.
    bool isFullyClosed() const;
    /// Whether an axis, or part of it, divides, replicates or is unreduced.
    bool uses(AxisRefAttr axis) const;
    /// Every axis that occurs: of dimensions, replicated, unreduced.
    ::llvm::SmallVector<AxisRefAttr> getAllAxes() const;
    /// Copies with other parts.
    TensorShardingAttr
    withDimShardings(::llvm::ArrayRef<DimensionShardingAttr> dims) const;
    TensorShardingAttr withDimSharding(int64_t dim,
                                       DimensionShardingAttr sharding) const;
    TensorShardingAttr
    withReplicatedAxes(::llvm::ArrayRef<AxisRefAttr> axes) const;
    TensorShardingAttr
    withUnreducedAxes(::llvm::ArrayRef<AxisRefAttr> axes) const;
    /// Every dimension closed; no priorities; no replicated axes.
    TensorShardingAttr getClosed() const;
    /// Whether both divide every dimension alike: open or closed, priorities and
    /// replicated axes do not count.
    bool isEquivalent(TensorShardingAttr other) const;
    /// The part of a global type that one device holds; the size of a dimension
    /// that is not divisible is rounded up.
    ::mlir::RankedTensorType getLocalType(::mlir::RankedTensorType global,
                                          MeshAttr mesh) const;
  }];
}

def Sdy_TensorShardingPerValue
    : Sdy_Attr<"TensorShardingPerValue", "sharding_per_value"> {
  let summary = "A sharding for each of several values: `<[<@mesh, [{}]>]>`";
  let parameters = (ins Sdy_List<"TensorShardingAttr">:$shardings);
  let extraClassDeclaration = [{
    auto begin() const { return getShardings().begin(); }
    auto end() const { return getShardings().end(); }
    size_t size() const { return getShardings().size(); }
    bool empty() const { return getShardings().empty(); }
    TensorShardingAttr operator[](size_t i) const { return getShardings()[i]; }
    /// A copy with another sharding at one index.
    TensorShardingPerValueAttr with(size_t i, TensorShardingAttr value) const;
  }];
}

//===----------------------------------------------------------------------===//
// Rules of operations
//===----------------------------------------------------------------------===//

def Sdy_DimMapping : Sdy_Attr<"DimMapping", "dim_mapping"> {
  let summary = "The factors of one dimension, the major one first: `<ij>`";
  let parameters = (ins Sdy_Numbers:$factors);
  let genVerifyDecl = 1;
}

def Sdy_TensorMapping : Sdy_Attr<"TensorMapping", "tensor_mapping"> {
  let summary = "The factors of each dimension: `[i, jk]`";
  let parameters = (ins Sdy_List<"DimMappingAttr">:$dimMappings);
  let extraClassDeclaration = [{
    int64_t getRank() const { return getDimMappings().size(); }
  }];
}

def Sdy_OpShardingRule : Sdy_Attr<"OpShardingRule", "op_sharding_rule"> {
  let summary = "Which dimensions of an operation's values go together";
  let description = [{
    `<([i, k], [k, j])->([i, j]) {i=8, j=16, k=4} reduction={k}>`: dimensions
    that share a factor may be divided alike. A result is to be reduced over
    the axes of a *reduction* factor; a factor that *needs replication* must not
    be divided; over a *permutation* factor neighbours exchange data; *blocked*
    factors do not spread shardings.
  }];
  let parameters = (ins
    Sdy_Numbers:$factorSizes,
    Sdy_List<"TensorMappingAttr">:$operandMappings,
    Sdy_List<"TensorMappingAttr">:$resultMappings,
    Sdy_Numbers:$reductionFactors,
    Sdy_Numbers:$needReplicationFactors,
    Sdy_Numbers:$permutationFactors,
    Sdy_Numbers:$blockedPropagationFactors,
    "bool":$isCustom
  );
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getNumFactors() const { return getFactorSizes().size(); }
    int64_t getFactorSize(int64_t factor) const {
      return getFactorSizes()[factor];
    }
    bool isReductionFactor(int64_t factor) const {
      return ::llvm::is_contained(getReductionFactors(), factor);
    }
    bool isNeedReplicationFactor(int64_t factor) const {
      return ::llvm::is_contained(getNeedReplicationFactors(), factor);
    }
    bool isPermutationFactor(int64_t factor) const {
      return ::llvm::is_contained(getPermutationFactors(), factor);
    }
    bool isBlockedPropagationFactor(int64_t factor) const {
      return ::llvm::is_contained(getBlockedPropagationFactors(), factor);
    }
  }];
}

//===----------------------------------------------------------------------===//
// Exchanges between dimensions
//===----------------------------------------------------------------------===//

def Sdy_AllToAllParam : Sdy_Attr<"AllToAllParam", "all_to_all_param"> {
  let summary = "Axes that go from one dimension to another: `{\"x\"}: 0->2`";
  let parameters = (ins
    Sdy_List<"AxisRefAttr">:$axes,
    "int64_t":$srcDim,
    "int64_t":$tgtDim
  );
}

def Sdy_AllToAllParamList
    : Sdy_Attr<"AllToAllParamList", "all_to_all_param_list"> {
  let summary = "Such for several pairs of dimensions: `[{\"x\"}: 0->2]`";
  let parameters = (ins Sdy_List<"AllToAllParamAttr">:$value);
  let extraClassDeclaration = [{
    auto begin() const { return getValue().begin(); }
    auto end() const { return getValue().end(); }
    size_t size() const { return getValue().size(); }
  }];
}

//===----------------------------------------------------------------------===//
// Directions
//===----------------------------------------------------------------------===//

// Printed as a number where an operation is printed generically.
def Sdy_PropagationDirectionAttr : I32EnumAttr<"PropagationDirection", "", [
  I32EnumAttrCase<"NONE", 0>, I32EnumAttrCase<"FORWARD", 1>,
  I32EnumAttrCase<"BACKWARD", 2>, I32EnumAttrCase<"BOTH", 3>]> {
  let cppNamespace = "::xla::sdy";
}

#endif // XLA_DIALECT_SDY_ATTRIBUTES
