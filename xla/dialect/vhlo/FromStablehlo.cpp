//===- FromStablehlo.cpp - StableHLO operations as VHLO's -----------------===//
//
// The other way round than ToStablehlo.cpp: a name gets its newest version that
// the target knows, records become fields, and what is left out is said.
//
//===----------------------------------------------------------------------===//

#include "xla/dialect/vhlo/FromStablehlo.h"

#include "xla/dialect/stablehlo/StablehloOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace xla::vhlo {

bool isOlder(Version a, Version b) {
  return std::tuple(a.major, a.minor) < std::tuple(b.major, b.minor);
}

std::string toText(Version version) {
  return std::to_string(version.major) + "." + std::to_string(version.minor) +
         "." + std::to_string(version.patch);
}

/// The minor version 1.x in which an operation came, where that was after 1.0;
/// 0 for those that always were.
static int introducedIn(StringRef name) {
  return llvm::StringSwitch<int>(name)
      .Cases({"dynamic_gather_v2", "gather_v2", "scatter_v2"}, 1)
      .Case("tan_v1", 4)
      .Cases({"all_gather_v2", "all_reduce_v2", "all_to_all_v2"}, 5)
      .Case("dot_general_v2", 6)
      .Case("exponential_v2", 9)
      .Cases({"cbrt_v2", "cosine_v2", "exponential_minus_one_v2", "log_v2",
              "log_plus_one_v2", "logistic_v2", "rsqrt_v2", "sine_v2",
              "sqrt_v2", "tan_v2", "tanh_v2"},
             10)
      .Cases({"recv_v2", "send_v2"}, 12)
      .Case("composite_v2", 14)
      .Cases({"async_start_v1", "async_done_v1"}, 15)
      .Case("custom_call_v2", 18)
      .Case("collective_reduce_v1", 19)
      .Case("collective_broadcast_v2", 20)
      .Default(0);
}

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

namespace {
class Fields {
public:
  explicit Fields(Operation *op) : builder(op->getContext()), op(op) {
    if (auto properties = dyn_cast_if_present<DictionaryAttr>(
            op->getPropertiesAsAttribute())) {
      for (NamedAttribute entry : properties) {
        values.set(entry.getName(), entry.getValue());
      }
    }
    split();
  }

  /// The value of a field, said or not; null where there is no such thing.
  Attribute get(StringRef field) const {
    Attribute value = values.get(field);
    return value ? value : defaultOf(field);
  }

  /// Whether a field says no more than its absence.
  bool isDefault(StringRef field) const {
    Attribute value = values.get(field);
    return !value || value == defaultOf(field);
  }

  void drop(StringRef field) { values.erase(field); }

private:
  void split();
  void splitDot(stablehlo::DotDimensionNumbersAttr numbers);
  void splitAlgorithm();
  void splitGather(stablehlo::GatherDimensionNumbersAttr numbers);
  void splitScatter(stablehlo::ScatterDimensionNumbersAttr numbers);
  void splitConvolution(stablehlo::ConvDimensionNumbersAttr numbers);
  Attribute defaultOf(StringRef field) const;
  Attribute defaultWindow(StringRef field) const;

  Attribute list(ArrayRef<int64_t> numbers) const {
    return DenseI64ArrayAttr::get(op->getContext(), numbers);
  }
  Attribute number(int64_t value) const {
    return IntegerAttr::get(IntegerType::get(op->getContext(), 64), value);
  }

  mutable Builder builder;
  Operation *op;
  NamedAttrList values;
};
} // namespace

void Fields::splitDot(stablehlo::DotDimensionNumbersAttr numbers) {
  values.set("lhs_batching_dimensions",
             list(numbers.getLhsBatchingDimensions()));
  values.set("rhs_batching_dimensions",
             list(numbers.getRhsBatchingDimensions()));
  values.set("lhs_contracting_dimensions",
             list(numbers.getLhsContractingDimensions()));
  values.set("rhs_contracting_dimensions",
             list(numbers.getRhsContractingDimensions()));
}

void Fields::splitAlgorithm() {
  auto algorithm =
      dyn_cast_or_null<stablehlo::DotAlgorithmAttr>(values.erase("algorithm"));
  if (!algorithm) {
    return;
  }
  values.set("lhs_precision_type",
             TypeAttr::get(algorithm.getLhsPrecisionType()));
  values.set("rhs_precision_type",
             TypeAttr::get(algorithm.getRhsPrecisionType()));
  values.set("accumulation_type",
             TypeAttr::get(algorithm.getAccumulationType()));
  values.set("lhs_component_count", number(algorithm.getLhsComponentCount()));
  values.set("rhs_component_count", number(algorithm.getRhsComponentCount()));
  values.set("num_primitive_operations",
             number(algorithm.getNumPrimitiveOperations()));
  values.set("allow_imprecise_accumulation",
             builder.getBoolAttr(algorithm.getAllowImpreciseAccumulation()));
}

void Fields::splitGather(stablehlo::GatherDimensionNumbersAttr numbers) {
  values.set("offset_dims", list(numbers.getOffsetDims()));
  values.set("collapsed_slice_dims", list(numbers.getCollapsedSliceDims()));
  values.set("operand_batching_dims", list(numbers.getOperandBatchingDims()));
  values.set("start_indices_batching_dims",
             list(numbers.getStartIndicesBatchingDims()));
  values.set("start_index_map", list(numbers.getStartIndexMap()));
  values.set("index_vector_dim", number(numbers.getIndexVectorDim()));
}

void Fields::splitScatter(stablehlo::ScatterDimensionNumbersAttr numbers) {
  values.set("update_window_dims", list(numbers.getUpdateWindowDims()));
  values.set("inserted_window_dims", list(numbers.getInsertedWindowDims()));
  values.set("input_batching_dims", list(numbers.getInputBatchingDims()));
  values.set("scatter_indices_batching_dims",
             list(numbers.getScatterIndicesBatchingDims()));
  values.set("scatter_dims_to_operand_dims",
             list(numbers.getScatterDimsToOperandDims()));
  values.set("index_vector_dim", number(numbers.getIndexVectorDim()));
}

void Fields::splitConvolution(stablehlo::ConvDimensionNumbersAttr numbers) {
  values.set("input_batch_dimension", number(numbers.getInputBatchDimension()));
  values.set("input_feature_dimension",
             number(numbers.getInputFeatureDimension()));
  values.set("kernel_input_feature_dimension",
             number(numbers.getKernelInputFeatureDimension()));
  values.set("kernel_output_feature_dimension",
             number(numbers.getKernelOutputFeatureDimension()));
  values.set("output_batch_dimension",
             number(numbers.getOutputBatchDimension()));
  values.set("output_feature_dimension",
             number(numbers.getOutputFeatureDimension()));
  values.set("input_spatial_dimensions",
             list(numbers.getInputSpatialDimensions()));
  values.set("kernel_spatial_dimensions",
             list(numbers.getKernelSpatialDimensions()));
  values.set("output_spatial_dimensions",
             list(numbers.getOutputSpatialDimensions()));
}

void Fields::split() {
  if (auto dot = dyn_cast_or_null<stablehlo::DotDimensionNumbersAttr>(
          values.erase("dot_dimension_numbers"))) {
    splitDot(dot);
  }
  splitAlgorithm();
  if (auto scatter = dyn_cast_or_null<stablehlo::ScatterDimensionNumbersAttr>(
          values.erase("scatter_dimension_numbers"))) {
    splitScatter(scatter);
  }
  Attribute numbers = values.erase("dimension_numbers");
  if (auto gather =
          dyn_cast_or_null<stablehlo::GatherDimensionNumbersAttr>(numbers)) {
    splitGather(gather);
  }
  if (auto convolution =
          dyn_cast_or_null<stablehlo::ConvDimensionNumbersAttr>(numbers)) {
    splitConvolution(convolution);
  }
  if (auto channel = dyn_cast_or_null<stablehlo::ChannelHandleAttr>(
          values.erase("channel_handle"))) {
    values.set("channel_id", number(channel.getHandle()));
    values.set("channel_type", number(channel.getType()));
  }
}

/// Strides and dilations of 1, padding of 0, as many as there are dimensions.
Attribute Fields::defaultWindow(StringRef field) const {
  int64_t rank = 0;
  if (auto dimensions = dyn_cast_or_null<DenseI64ArrayAttr>(
          values.get("window_dimensions"))) {
    rank = dimensions.size();
  } else if (op->getNumOperands() > 0) {
    auto type = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
    bool isConvolution = values.get("input_batch_dimension") != nullptr;
    rank = type ? type.getRank() - (isConvolution ? 2 : 0) : 0;
  }
  if (field == "padding") {
    auto type = RankedTensorType::get({rank, 2}, builder.getI64Type());
    return DenseIntElementsAttr::get(type, int64_t(0));
  }
  if (field == "window_reversal") {
    return DenseBoolArrayAttr::get(op->getContext(),
                                   SmallVector<bool>(rank, false));
  }
  return list(SmallVector<int64_t>(rank, 1));
}

Attribute Fields::defaultOf(StringRef field) const {
  MLIRContext *context = op->getContext();
  enum Kind {
    None,
    EmptyArray,
    EmptyText,
    EmptyList,
    Window,
    Zero,
    False,
    NoType,
    NoPairs
  };
  Kind kind =
      llvm::StringSwitch<Kind>(field)
          .Cases({"arg_attrs", "res_attrs", "called_computations",
                  "operand_layouts", "result_layouts", "result_tilings",
                  "output_operand_aliases", "layout"},
                 EmptyArray)
          .Cases({"sym_visibility", "backend_config", "infeed_config",
                  "outfeed_config"},
                 EmptyText)
          .Cases({"known_expanding_dimensions", "known_nonexpanding_dimensions",
                  "operand_batching_dims", "start_indices_batching_dims",
                  "input_batching_dims", "scatter_indices_batching_dims"},
                 EmptyList)
          .Cases({"window_strides", "window_dilations", "base_dilations",
                  "lhs_dilation", "rhs_dilation", "padding", "window_reversal",
                  "window_dimensions"},
                 Window)
          .Cases({"channel_id", "channel_type"}, Zero)
          .Cases({"use_global_device_ids", "has_dynamic_root", "lower",
                  "has_side_effect", "indices_are_sorted", "unique_indices",
                  "is_host_transfer", "is_stable"},
                 False)
          .Cases({"lhs_precision_type", "rhs_precision_type",
                  "accumulation_type", "lhs_component_count",
                  "rhs_component_count", "num_primitive_operations",
                  "allow_imprecise_accumulation"},
                 NoType)
          .Case("source_target_pairs", NoPairs)
          .Default(None);
  switch (kind) {
  case EmptyArray:
    return builder.getArrayAttr({});
  case EmptyText:
    return builder.getStringAttr("");
  case EmptyList:
    return list({});
  case Window:
    return defaultWindow(field);
  case Zero:
    return number(0);
  case False:
    return builder.getBoolAttr(false);
  case NoType:
    return TypeAttr::get(NoneType::get(context));
  case NoPairs:
    return DenseIntElementsAttr::get(
        RankedTensorType::get({0, 2}, builder.getI64Type()),
        ArrayRef<int64_t>());
  case None:
    break;
  }
  if (field == "dimension" && isa<stablehlo::SortOp>(op)) {
    return number(-1);
  }
  if (field == "compare_type") {
    return stablehlo::ComparisonTypeAttr::get(
        context, stablehlo::ComparisonType::NOTYPE);
  }
  if (field == "version") {
    return builder.getI32IntegerAttr(0);
  }
  if (field == "composite_attributes") {
    return builder.getDictionaryAttr({});
  }
  if (field == "api_version") {
    return builder.getI32IntegerAttr(1);
  }
  if (field == "precision_config") {
    auto precision =
        stablehlo::PrecisionAttr::get(context, stablehlo::Precision::DEFAULT);
    return builder.getArrayAttr({precision, precision});
  }
  if (field == "result_accuracy") {
    return stablehlo::ResultAccuracyAttr::get(
        context, APFloat(0.0), APFloat(0.0), 0,
        stablehlo::ResultAccuracyModeAttr::get(
            context, stablehlo::ResultAccuracyMode::DEFAULT));
  }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static std::string baseName(Operation *op) {
  if (isa<func::ReturnOp>(op)) {
    return "return";
  }
  StringRef dialect = op->getName().getDialectNamespace();
  return dialect == "func" || dialect == "stablehlo"
             ? op->getName().stripDialect().str()
             : "";
}

StatusOr<VhloOperation> describe(Operation *op, Version target) {
  auto refuse = [&](const llvm::Twine &why) {
    std::string text;
    llvm::raw_string_ostream(text) << "'" << op->getName() << "' " << why
                                   << "\n  at       " << op->getLoc();
    return unimplemented(std::move(text));
  };
  std::string base = baseName(op);
  std::string name, newest;
  for (int version = 1; !base.empty() && version <= 2; ++version) {
    std::string candidate = base + "_v" + std::to_string(version);
    if (!isOperation(candidate)) {
      continue;
    }
    newest = candidate;
    if (!isOlder(target, {1, introducedIn(candidate), 0})) {
      name = candidate;
    }
  }
  if (newest.empty()) {
    return refuse("is no part of portable artifacts; lower it to StableHLO "
                  "first");
  }
  if (name.empty()) {
    return refuse("came with StableHLO 1." + llvm::Twine(introducedIn(newest)) +
                  ", and the target is " + toText(target));
  }
  Fields fields(op);
  for (StringRef field : fieldsOf(newest)) {
    if (!llvm::is_contained(fieldsOf(name), field) &&
        !fields.isDefault(field)) {
      return refuse("has `" + field + "`, which came with StableHLO 1." +
                    llvm::Twine(introducedIn(newest)) + ", and the target is " +
                    toText(target));
    }
  }
  // Of many operands, where an older version has one.
  if (name != newest && StringRef(name).starts_with("all_") &&
      op->getNumOperands() != 1) {
    return refuse("has several operands, which came with StableHLO 1.5, and "
                  "the target is " +
                  toText(target));
  }
  VhloOperation result{name, {}};
  for (StringRef field : fieldsOf(name)) {
    Attribute value = fields.get(field);
    if (!value) {
      return refuse("has no `" + field + "`");
    }
    result.fields.push_back({field, value});
  }
  return result;
}

} // namespace xla::vhlo
