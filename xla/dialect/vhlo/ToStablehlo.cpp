//===- ToStablehlo.cpp - VHLO operations become StableHLO's ---------------===//
//
// Names lose their version, fields that VHLO flattens become records again,
// and what equals its default is left out. Versions differ in fields only: a
// field that an old version lacks has its default.
//
//===----------------------------------------------------------------------===//

#include "xla/dialect/vhlo/Vhlo.h"
#include "xla/dialect/vhlo/VhloDialect.h"

#include "xla/dialect/stablehlo/StablehloOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace xla::vhlo {

namespace {

/// One operation's fields while they are converted.
class Fields {
public:
  explicit Fields(Operation *op) : op(op), attributes(op->getAttrs()) {}

  /// Takes a field away; null where there is none.
  Attribute take(StringRef name) { return attributes.erase(name); }

  void set(StringRef name, Attribute value) {
    if (value) {
      attributes.set(name, value);
    }
  }

  /// Takes a list of numbers; empty where there is none.
  SmallVector<int64_t> takeNumbers(StringRef name) {
    SmallVector<int64_t> numbers;
    if (auto dense = dyn_cast_or_null<DenseIntElementsAttr>(take(name))) {
      for (APInt value : dense.getValues<APInt>()) {
        numbers.push_back(value.getSExtValue());
      }
    }
    return numbers;
  }

  int64_t takeNumber(StringRef name) {
    auto number = dyn_cast_or_null<IntegerAttr>(take(name));
    return number ? number.getValue().getSExtValue() : 0;
  }

  MLIRContext *context() const { return op->getContext(); }

  Operation *op;
  NamedAttrList attributes;
};

} // namespace

/// Rank-one integer tensors that StableHLO holds as arrays.
static bool isNumberList(StringRef field) {
  static const auto *names = new llvm::StringSet<>{
      "base_dilations",
      "broadcast_dimensions",
      "broadcast_sizes",
      "dimensions",
      "edge_padding_high",
      "edge_padding_low",
      "fft_length",
      "interior_padding",
      "known_expanding_dimensions",
      "known_nonexpanding_dimensions",
      "lhs_dilation",
      "limit_indices",
      "permutation",
      "rhs_dilation",
      "slice_sizes",
      "start_indices",
      "strides",
      "window_dilations",
      "window_dimensions",
      "window_strides",
  };
  return names->contains(field);
}

static bool isDefaultAccuracy(Attribute attribute) {
  auto accuracy = dyn_cast<stablehlo::ResultAccuracyAttr>(attribute);
  return accuracy && accuracy.getAtol().isZero() &&
         accuracy.getRtol().isZero() && accuracy.getUlps() == 0 &&
         accuracy.getMode().getValue() ==
             stablehlo::ResultAccuracyMode::DEFAULT;
}

/// Whether a field says only what its absence would say.
static bool isDefault(StringRef field, Attribute value) {
  if (auto array = dyn_cast<ArrayAttr>(value)) {
    return array.empty();
  }
  if (auto text = dyn_cast<StringAttr>(value)) {
    return text.empty() &&
           (field == "sym_visibility" || field == "backend_config");
  }
  if (auto flag = dyn_cast<BoolAttr>(value)) {
    return !flag.getValue() &&
           (field == "use_global_device_ids" || field == "has_dynamic_root");
  }
  if (auto type = dyn_cast<stablehlo::ComparisonTypeAttr>(value)) {
    return type.getValue() == stablehlo::ComparisonType::NOTYPE;
  }
  return field == "result_accuracy" && isDefaultAccuracy(value);
}

/// Whether a list of layouts is empty because there is nothing to lay out, and
/// not because nothing is said: the list beside it has entries.
static bool isMeantEmpty(StringRef field, const NamedAttrList &fields) {
  if (field != "operand_layouts" && field != "result_layouts") {
    return false;
  }
  auto other = dyn_cast_or_null<ArrayAttr>(fields.get(
      field == "operand_layouts" ? "result_layouts" : "operand_layouts"));
  return other && !other.empty();
}

static Attribute symbols(ArrayAttr names) {
  SmallVector<Attribute> references;
  for (Attribute name : names) {
    auto text = dyn_cast<StringAttr>(name);
    if (!text) {
      return names;
    }
    references.push_back(FlatSymbolRefAttr::get(text));
  }
  return ArrayAttr::get(names.getContext(), references);
}

/// Fields whose form depends on their name alone.
static Attribute convertField(StringRef field, Attribute value) {
  MLIRContext *context = value.getContext();
  if (auto dense = dyn_cast<DenseIntElementsAttr>(value)) {
    if (isNumberList(field)) {
      SmallVector<int64_t> numbers;
      for (APInt number : dense.getValues<APInt>()) {
        numbers.push_back(number.getSExtValue());
      }
      return DenseI64ArrayAttr::get(context, numbers);
    }
    if (field == "window_reversal") {
      return DenseBoolArrayAttr::get(context,
                                     llvm::to_vector(dense.getValues<bool>()));
    }
  }
  if (auto text = dyn_cast<StringAttr>(value);
      text && (field == "callee" || field == "decomposition")) {
    return FlatSymbolRefAttr::get(text);
  }
  if (auto flag = dyn_cast<BoolAttr>(value);
      flag && field == "use_global_device_ids") {
    return UnitAttr::get(context);
  }
  if (auto array = dyn_cast<ArrayAttr>(value);
      array && field == "called_computations") {
    return symbols(array);
  }
  return value;
}

//===----------------------------------------------------------------------===//
// Fields that form a record
//===----------------------------------------------------------------------===//

static void joinDot(Fields &fields) {
  SmallVector<int64_t> lhsBatch = fields.takeNumbers("lhs_batching_dimensions");
  SmallVector<int64_t> rhsBatch = fields.takeNumbers("rhs_batching_dimensions");
  SmallVector<int64_t> lhs = fields.takeNumbers("lhs_contracting_dimensions");
  SmallVector<int64_t> rhs = fields.takeNumbers("rhs_contracting_dimensions");
  fields.set("dot_dimension_numbers",
             stablehlo::DotDimensionNumbersAttr::get(fields.context(), lhsBatch,
                                                     rhsBatch, lhs, rhs));

  auto lhsType = dyn_cast_or_null<TypeAttr>(fields.take("lhs_precision_type"));
  auto rhsType = dyn_cast_or_null<TypeAttr>(fields.take("rhs_precision_type"));
  auto sumType = dyn_cast_or_null<TypeAttr>(fields.take("accumulation_type"));
  Attribute lhsCount = fields.take("lhs_component_count");
  Attribute rhsCount = fields.take("rhs_component_count");
  Attribute operations = fields.take("num_primitive_operations");
  auto imprecise =
      dyn_cast_or_null<BoolAttr>(fields.take("allow_imprecise_accumulation"));
  auto number = [](Attribute attribute) {
    auto integer = dyn_cast_or_null<IntegerAttr>(attribute);
    return integer ? integer.getValue().getSExtValue() : int64_t(0);
  };
  // Without an algorithm, all seven hold the type `none`.
  if (lhsType && rhsType && sumType && imprecise &&
      !isa<NoneType>(sumType.getValue())) {
    fields.set("algorithm",
               stablehlo::DotAlgorithmAttr::get(
                   fields.context(), lhsType.getValue(), rhsType.getValue(),
                   sumType.getValue(), number(lhsCount), number(rhsCount),
                   number(operations), imprecise.getValue()));
  }
}

static void joinGather(Fields &fields) {
  SmallVector<int64_t> offset = fields.takeNumbers("offset_dims");
  SmallVector<int64_t> collapsed = fields.takeNumbers("collapsed_slice_dims");
  SmallVector<int64_t> batching = fields.takeNumbers("operand_batching_dims");
  SmallVector<int64_t> indexBatching =
      fields.takeNumbers("start_indices_batching_dims");
  SmallVector<int64_t> map = fields.takeNumbers("start_index_map");
  fields.set("dimension_numbers",
             stablehlo::GatherDimensionNumbersAttr::get(
                 fields.context(), offset, collapsed, batching, indexBatching,
                 map, fields.takeNumber("index_vector_dim")));
}

static void joinScatter(Fields &fields) {
  SmallVector<int64_t> window = fields.takeNumbers("update_window_dims");
  SmallVector<int64_t> inserted = fields.takeNumbers("inserted_window_dims");
  SmallVector<int64_t> batching = fields.takeNumbers("input_batching_dims");
  SmallVector<int64_t> indexBatching =
      fields.takeNumbers("scatter_indices_batching_dims");
  SmallVector<int64_t> map = fields.takeNumbers("scatter_dims_to_operand_dims");
  fields.set("scatter_dimension_numbers",
             stablehlo::ScatterDimensionNumbersAttr::get(
                 fields.context(), window, inserted, batching, indexBatching,
                 map, fields.takeNumber("index_vector_dim")));
}

static void joinConvolution(Fields &fields) {
  int64_t inputBatch = fields.takeNumber("input_batch_dimension");
  int64_t inputFeature = fields.takeNumber("input_feature_dimension");
  int64_t kernelInput = fields.takeNumber("kernel_input_feature_dimension");
  int64_t kernelOutput = fields.takeNumber("kernel_output_feature_dimension");
  int64_t outputBatch = fields.takeNumber("output_batch_dimension");
  int64_t outputFeature = fields.takeNumber("output_feature_dimension");
  SmallVector<int64_t> input = fields.takeNumbers("input_spatial_dimensions");
  SmallVector<int64_t> kernel = fields.takeNumbers("kernel_spatial_dimensions");
  SmallVector<int64_t> output = fields.takeNumbers("output_spatial_dimensions");
  fields.set("dimension_numbers",
             stablehlo::ConvDimensionNumbersAttr::get(
                 fields.context(), inputBatch, inputFeature, input, kernelInput,
                 kernelOutput, kernel, outputBatch, outputFeature, output));
}

/// A collective's channel is a number, zero for none; a send's has a type too.
static void joinChannel(Fields &fields) {
  int64_t handle = fields.takeNumber("channel_id");
  int64_t type = fields.takeNumber("channel_type");
  if (handle != 0 || type != 0) {
    fields.set("channel_handle", stablehlo::ChannelHandleAttr::get(
                                     fields.context(), handle, type));
  }
}

static void joinRecords(StringRef base, Fields &fields) {
  if (base == "dot_general") {
    joinDot(fields);
  } else if (base == "gather" || base == "dynamic_gather") {
    joinGather(fields);
  } else if (base == "scatter") {
    joinScatter(fields);
  } else if (base == "convolution" || base == "dynamic_conv") {
    joinConvolution(fields);
  }
  if (fields.attributes.get("channel_id")) {
    joinChannel(fields);
  }
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// "add_v1" -> "add".
static StringRef withoutVersion(StringRef name) {
  size_t mark = name.rfind("_v");
  return mark == StringRef::npos ? name : name.take_front(mark);
}

static std::string targetName(Operation *op, StringRef base) {
  if (base == "func" || base == "call") {
    return ("func." + base).str();
  }
  // Region parents convert after what they hold, so the parent is still VHLO.
  if (base == "return" && op->getParentOp() &&
      withoutVersion(op->getParentOp()->getName().stripDialect()) == "func") {
    return "func.return";
  }
  return ("stablehlo." + base).str();
}

static Operation *convertOperation(Operation *op) {
  StringRef base = withoutVersion(op->getName().stripDialect());
  Fields fields(op);
  joinRecords(base, fields);

  OperationState state(op->getLoc(), targetName(op, base));
  if (!state.name.isRegistered()) {
    op->emitError("'") << op->getName() << "' has no counterpart here ('"
                       << state.name << "')";
    return nullptr;
  }
  state.addOperands(op->getOperands());
  state.addTypes(op->getResultTypes());
  for (NamedAttribute field : fields.attributes) {
    StringRef name = field.getName().getValue();
    if (!isDefault(name, field.getValue()) ||
        isMeantEmpty(name, fields.attributes)) {
      state.addAttribute(name, convertField(name, field.getValue()));
    }
  }
  for (Region &region : op->getRegions()) {
    state.addRegion()->takeBody(region);
  }
  OpBuilder builder(op);
  Operation *converted = builder.create(state);
  op->replaceAllUsesWith(converted);
  op->erase();
  return converted;
}

/// Upstream casts between VHLO's types and others where another dialect's
/// operation stands between VHLO's. We read VHLO's types as what they mean, so
/// that nothing is left to cast.
static void dropIdentityCasts(Operation *module) {
  module->walk([](UnrealizedConversionCastOp cast) {
    if (cast.getOperandTypes() == cast.getResultTypes()) {
      cast.replaceAllUsesWith(cast.getInputs());
      cast.erase();
    }
  });
}

bool convertToStablehlo(Operation *module) {
  SmallVector<Operation *> operations;
  module->walk([&](Operation *op) {
    if (isa_and_nonnull<VhloDialect>(op->getDialect())) {
      operations.push_back(op);
    }
  });
  for (Operation *op : operations) {
    if (!convertOperation(op)) {
      return false;
    }
  }
  dropIdentityCasts(module);
  return true;
}

} // namespace xla::vhlo
