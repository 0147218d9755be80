//===- Attributes.td - Attributes of StableHLO operations -----------------===//

#ifndef XLA_DIALECT_STABLEHLO_ATTRIBUTES
#define XLA_DIALECT_STABLEHLO_ATTRIBUTES

include "xla/dialect/stablehlo/Base.td"
include "mlir/IR/TensorEncoding.td"

//===----------------------------------------------------------------------===//
// Enumerations: `#stablehlo<transpose ADJOINT>`, or bare in an operation
//===----------------------------------------------------------------------===//

class StableHLO_EnumAttr<EnumInfo info, string name>
    : EnumAttr<Stablehlo_Dialect, info, name>;
class StableHLO_Enum<string name, list<I32EnumCase> cases>
    : I32Enum<name, "", cases> {
  let cppNamespace = "::xla::stablehlo";
}

def StableHLO_ComparisonDirection : StableHLO_Enum<"ComparisonDirection", [
  I32EnumCase<"EQ", 0>, I32EnumCase<"NE", 1>, I32EnumCase<"GE", 2>,
  I32EnumCase<"GT", 3>, I32EnumCase<"LE", 4>, I32EnumCase<"LT", 5>]>;
def StableHLO_ComparisonDirectionAttr
    : StableHLO_EnumAttr<StableHLO_ComparisonDirection, "comparison_direction">;

def StableHLO_ComparisonType : StableHLO_Enum<"ComparisonType", [
  I32EnumCase<"NOTYPE", 0>, I32EnumCase<"FLOAT", 1>,
  I32EnumCase<"TOTALORDER", 2>, I32EnumCase<"SIGNED", 3>,
  I32EnumCase<"UNSIGNED", 4>]>;
def StableHLO_ComparisonTypeAttr
    : StableHLO_EnumAttr<StableHLO_ComparisonType, "comparison_type">;

def StableHLO_FftType : StableHLO_Enum<"FftType", [
  I32EnumCase<"FFT", 0>, I32EnumCase<"IFFT", 1>, I32EnumCase<"RFFT", 2>,
  I32EnumCase<"IRFFT", 3>]>;
def StableHLO_FftTypeAttr : StableHLO_EnumAttr<StableHLO_FftType, "fft_type">;

def StableHLO_Precision : StableHLO_Enum<"Precision", [
  I32EnumCase<"DEFAULT", 0>, I32EnumCase<"HIGH", 1>,
  I32EnumCase<"HIGHEST", 2>]>;
def StableHLO_PrecisionAttr
    : StableHLO_EnumAttr<StableHLO_Precision, "precision">;
def StableHLO_PrecisionConfigAttr
    : TypedArrayAttrBase<StableHLO_PrecisionAttr, "precision of each operand">;

def StableHLO_RngAlgorithm : StableHLO_Enum<"RngAlgorithm", [
  I32EnumCase<"DEFAULT", 0>, I32EnumCase<"THREE_FRY", 1>,
  I32EnumCase<"PHILOX", 2>]>;
def StableHLO_RngAlgorithmAttr
    : StableHLO_EnumAttr<StableHLO_RngAlgorithm, "rng_algorithm">;

def StableHLO_RngDistribution : StableHLO_Enum<"RngDistribution", [
  I32EnumCase<"UNIFORM", 1>, I32EnumCase<"NORMAL", 2>]>;
def StableHLO_RngDistributionAttr
    : StableHLO_EnumAttr<StableHLO_RngDistribution, "rng_distribution">;

def StableHLO_Transpose : StableHLO_Enum<"Transpose", [
  I32EnumCase<"TRANSPOSE_INVALID", 0>, I32EnumCase<"NO_TRANSPOSE", 1>,
  I32EnumCase<"TRANSPOSE", 2>, I32EnumCase<"ADJOINT", 3>]>;
def StableHLO_TransposeAttr
    : StableHLO_EnumAttr<StableHLO_Transpose, "transpose">;

def StableHLO_ResultAccuracyMode : StableHLO_Enum<"ResultAccuracyMode", [
  I32EnumCase<"DEFAULT", 0>, I32EnumCase<"HIGHEST", 1>,
  I32EnumCase<"TOLERANCE", 2>]>;
def StableHLO_ResultAccuracyModeAttr
    : StableHLO_EnumAttr<StableHLO_ResultAccuracyMode,
                         "result_accuracy_mode"> {
  let assemblyFormat = "`<` $value `>`";
}

// Printed as a number, `api_version = 4 : i32`.
def StableHLO_CustomCallApiVersionAttr
    : I32EnumAttr<"CustomCallApiVersion", "", [
  I32EnumAttrCase<"API_VERSION_UNSPECIFIED", 0>,
  I32EnumAttrCase<"API_VERSION_ORIGINAL", 1>,
  I32EnumAttrCase<"API_VERSION_STATUS_RETURNING", 2>,
  I32EnumAttrCase<"API_VERSION_STATUS_RETURNING_UNIFIED", 3>,
  I32EnumAttrCase<"API_VERSION_TYPED_FFI", 4>]> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::xla::stablehlo";
  let returnType = cppType;
  let convertFromStorage = "static_cast<" # cppType # ">($_self.getInt())";
  let constBuilderCall =
      "$_builder.getI32IntegerAttr(static_cast<int32_t>($0))";
}

//===----------------------------------------------------------------------===//
// Records of dimension numbers
//===----------------------------------------------------------------------===//

class StableHLO_Attr<string name, string attrMnemonic,
                     list<Trait> traits = []>
    : AttrDef<Stablehlo_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

// `[0, 1]`; an empty list is not printed.
class StableHLO_Dimensions<string description = "dimension numbers">
    : OptionalArrayRefParameter<"int64_t", description> {
  let parser = "::xla::stablehlo::parseDimensionList($_parser)";
  let printer = "::xla::stablehlo::printDimensionList($_printer, $_self)";
}
// The same, printed as `[]` when empty.
class StableHLO_AllDimensions<string description = "dimension numbers">
    : ArrayRefParameter<"int64_t", description> {
  let parser = "::xla::stablehlo::parseDimensionList($_parser)";
  let printer = "::xla::stablehlo::printDimensionList($_printer, $_self)";
}
def StableHLO_Flag : AttrOrTypeParameter<"bool", "flag"> {
  let parser = "::xla::stablehlo::parseFlag($_parser)";
  let printer = "$_printer << ($_self ? \"true\" : \"false\")";
}
def StableHLO_Tolerance : APFloatParameter<"tolerance"> {
  let defaultValue = "::llvm::APFloat(0.0)";
  let parser = "::xla::stablehlo::parseDouble($_parser)";
  let printer = "$_printer.printFloat($_self)";
}
def StableHLO_AccuracyMode
    : AttrOrTypeParameter<"::xla::stablehlo::ResultAccuracyModeAttr", "mode"> {
  let printer = "$_printer.printAttribute($_self)";
}
defvar ZeroByDefault = DefaultValuedParameter<"int64_t", "0">;

def StableHLO_DotDimensionNumbersAttr
    : StableHLO_Attr<"DotDimensionNumbers", "dot"> {
  let summary = "Which dimensions of a product are summed over or shared";
  let parameters = (ins
    StableHLO_Dimensions<>:$lhs_batching_dimensions,
    StableHLO_Dimensions<>:$rhs_batching_dimensions,
    StableHLO_Dimensions<>:$lhs_contracting_dimensions,
    StableHLO_Dimensions<>:$rhs_contracting_dimensions
  );
  let assemblyFormat = "`<` struct(params) `>`";
}

def StableHLO_DotAlgorithmAttr
    : StableHLO_Attr<"DotAlgorithm", "dot_algorithm"> {
  let summary = "How exactly a product is to be computed";
  let parameters = (ins
    "::mlir::Type":$lhs_precision_type,
    "::mlir::Type":$rhs_precision_type,
    "::mlir::Type":$accumulation_type,
    "int64_t":$lhs_component_count,
    "int64_t":$rhs_component_count,
    "int64_t":$num_primitive_operations,
    StableHLO_Flag:$allow_imprecise_accumulation
  );
  let assemblyFormat = "`<` struct(params) `>`";
}

def StableHLO_GatherDimensionNumbersAttr
    : StableHLO_Attr<"GatherDimensionNumbers", "gather"> {
  let summary = "How the dimensions of operand, indices and result correspond";
  let parameters = (ins
    StableHLO_Dimensions<>:$offset_dims,
    StableHLO_Dimensions<>:$collapsed_slice_dims,
    StableHLO_Dimensions<>:$operand_batching_dims,
    StableHLO_Dimensions<>:$start_indices_batching_dims,
    StableHLO_Dimensions<>:$start_index_map,
    ZeroByDefault:$index_vector_dim
  );
  let assemblyFormat = "`<` struct(params) `>`";
}

def StableHLO_ScatterDimensionNumbersAttr
    : StableHLO_Attr<"ScatterDimensionNumbers", "scatter"> {
  let summary = "How the dimensions of inputs, indices and updates correspond";
  let parameters = (ins
    StableHLO_Dimensions<>:$update_window_dims,
    StableHLO_Dimensions<>:$inserted_window_dims,
    StableHLO_Dimensions<>:$input_batching_dims,
    StableHLO_Dimensions<>:$scatter_indices_batching_dims,
    StableHLO_Dimensions<>:$scatter_dims_to_operand_dims,
    ZeroByDefault:$index_vector_dim
  );
  let assemblyFormat = "`<` struct(params) `>`";
}

def StableHLO_ConvDimensionNumbersAttr
    : StableHLO_Attr<"ConvDimensionNumbers", "conv"> {
  let summary = "The role of each dimension of a convolution";
  let description = [{
    Written `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`: a digit is a spatial
    dimension, `b` the batch, `f` the features, `i` and `o` the kernel's input
    and output features.
  }];
  let parameters = (ins
    "int64_t":$inputBatchDimension,
    "int64_t":$inputFeatureDimension,
    StableHLO_Dimensions<>:$inputSpatialDimensions,
    "int64_t":$kernelInputFeatureDimension,
    "int64_t":$kernelOutputFeatureDimension,
    StableHLO_Dimensions<>:$kernelSpatialDimensions,
    "int64_t":$outputBatchDimension,
    "int64_t":$outputFeatureDimension,
    StableHLO_Dimensions<>:$outputSpatialDimensions
  );
  let hasCustomAssemblyFormat = 1;
}

//===----------------------------------------------------------------------===//
// Others
//===----------------------------------------------------------------------===//

def StableHLO_ResultAccuracyAttr
    : StableHLO_Attr<"ResultAccuracy", "result_accuracy"> {
  let summary = "The error that a transcendental operation may have";
  let parameters = (ins
    StableHLO_Tolerance:$atol,
    StableHLO_Tolerance:$rtol,
    ZeroByDefault:$ulps,
    StableHLO_AccuracyMode:$mode
  );
  let assemblyFormat = "`<` struct(params) `>`";
}

def StableHLO_ChannelHandleAttr
    : StableHLO_Attr<"ChannelHandle", "channel_handle"> {
  let summary = "Distinguishes the channels of a program";
  let parameters = (ins "int64_t":$handle, "int64_t":$type);
  let assemblyFormat = "`<` struct(params) `>`";
}

def StableHLO_OutputOperandAliasAttr
    : StableHLO_Attr<"OutputOperandAlias", "output_operand_alias"> {
  let summary = "A result of a custom call that shares an operand's memory";
  let parameters = (ins
    StableHLO_AllDimensions<>:$output_tuple_indices,
    "int64_t":$operand_index,
    StableHLO_AllDimensions<>:$operand_tuple_indices
  );
  let assemblyFormat = "`<` struct(params) `>`";
}
def StableHLO_OutputOperandAliasesAttr
    : TypedArrayAttrBase<StableHLO_OutputOperandAliasAttr,
                         "aliases of results and operands">;

def StableHLO_TypeExtensionsAttr
    : StableHLO_Attr<"TypeExtensions", "bounds",
                     [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "Upper bounds of dynamic dimensions, `?` where there is none";
  let parameters = (ins StableHLO_Dimensions<"bounds">:$bounds);
  let hasCustomAssemblyFormat = 1;
}

def StableHLO_ReplicaGroupsAttr
    : Attr<Or<[I64ElementsAttr.predicate,
               CPred<"::llvm::isa<::xla::stablehlo::ReplicaGroupMeshAxesAttr>("
                     "$_self)">]>,
           "groups of processes, as numbers or as axes of a mesh"> {
  let storageType = "::mlir::Attribute";
  let returnType = "::mlir::Attribute";
  let convertFromStorage = "$_self";
}

def StableHLO_SubAxisInfoAttr
    : StableHLO_Attr<"SubAxisInfo", "sub_axis_info"> {
  let summary = "A part of a mesh axis: sizes before and of the part";
  let parameters = (ins "int64_t":$preSize, "int64_t":$size);
  let assemblyFormat = "`(` $preSize `)` `` $size";
}

def StableHLO_AxisRefAttr : StableHLO_Attr<"AxisRef", "axis_ref"> {
  let summary = "A mesh axis, or a part of one";
  let parameters = (ins
    StringRefParameter<"name of the axis">:$name,
    OptionalParameter<"::xla::stablehlo::SubAxisInfoAttr">:$subAxisInfo
  );
  let assemblyFormat =
      "`<` `name` `=` $name (`,` `sub_axis_info` `=` $subAxisInfo^)? `>`";
}

def StableHLO_MeshAxisAttr : StableHLO_Attr<"MeshAxis", "mesh_axis"> {
  let summary = "A named axis of a mesh of devices";
  let parameters = (ins
    StringRefParameter<"name of the axis">:$name, "int64_t":$size);
  let assemblyFormat = "`<` `name` `=` $name `,` `size` `=` $size `>`";
}

// `[<name = "x", size = 2>]`
def StableHLO_MeshAxes
    : ArrayRefParameter<"::xla::stablehlo::MeshAxisAttr", "axes of the mesh"> {
  let parser = "::xla::stablehlo::parseMeshAxes($_parser)";
  let printer = "::xla::stablehlo::printMeshAxes($_printer, $_self)";
}

def StableHLO_MeshAttr : StableHLO_Attr<"Mesh", "mesh"> {
  let summary = "Devices in a grid with named axes";
  let parameters = (ins
    StableHLO_MeshAxes:$axes,
    OptionalParameter<"::mlir::DenseIntElementsAttr">:$deviceIds
  );
  let assemblyFormat =
      "`<` `axes` `` `=` `` $axes (`,` `device_ids` `` `=` `` $deviceIds^)? `>`";
}

def StableHLO_ReplicaGroupMeshAxesAttr
    : StableHLO_Attr<"ReplicaGroupMeshAxes", "replica_group_mesh_axes"> {
  let summary = "Groups of processes that differ along axes of a mesh only";
  let parameters = (ins "::mlir::Attribute":$mesh, "::mlir::ArrayAttr":$axes);
  let assemblyFormat = "`<` `mesh` `=` $mesh `,` `axes` `=` $axes `>`";
}

def StableHLO_FalseByDefault : DefaultValuedOptionalAttr<BoolAttr, "false">;
def StableHLO_EmptyString : DefaultValuedOptionalAttr<StrAttr, "\"\"">;

#endif // XLA_DIALECT_STABLEHLO_ATTRIBUTES
