//===- ForeignCall.cpp - A custom call, ready to run ----------------------===//

#include "xla/calls/ForeignCall.h"

#include "xla/dialect/Shapes.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>

using namespace mlir;

namespace xla {

using custom_call::Attributes;
using stablehlo::CustomCallOp;

/// `what`, then the facts of the call.
static std::string explain(CustomCallOp op, const llvm::Twine &what) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << what << "\n  target   " << op.getCallTargetName()
         << "\n  types    (";
  llvm::interleaveComma(op->getOperandTypes(), stream);
  stream << ") -> (";
  llvm::interleaveComma(op->getResultTypes(), stream);
  stream << ")\n  at       " << op->getLoc();
  return text;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

namespace {
/// Numbers as the interface passes them.
struct Numbers {
  ElementType type;
  int64_t count;
  std::string bytes;
};
} // namespace

static ElementType elementTypeOf(Type type) {
  if (type.isIndex()) {
    return ElementType::S64;
  }
  StatusOr<Shape> shape = shapeOf(RankedTensorType::get({}, type));
  return shape.ok() ? shape->type : ElementType::Invalid;
}

static std::string littleEndian(const APInt &value) {
  return std::string(reinterpret_cast<const char *>(value.getRawData()),
                     (value.getBitWidth() + 7) / 8);
}

/// Whole bytes only: of types of 2 and 4 bits, just the boolean is passed.
static bool hasWholeBytes(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type)) {
    type = complex.getElementType();
  }
  return type.isIndex() || type.isInteger(1) ||
         (type.isIntOrFloat() && type.getIntOrFloatBitWidth() % 8 == 0);
}

static std::optional<Numbers> numbersIn(Attribute attribute) {
  auto make = [](Type type, int64_t count,
                 std::string bytes) -> std::optional<Numbers> {
    ElementType element = elementTypeOf(type);
    if (element == ElementType::Invalid || !hasWholeBytes(type)) {
      return std::nullopt;
    }
    return Numbers{element, count, std::move(bytes)};
  };
  if (auto integer = dyn_cast<IntegerAttr>(attribute)) {
    return make(integer.getType(), 1, littleEndian(integer.getValue()));
  }
  if (auto number = dyn_cast<FloatAttr>(attribute)) {
    return make(number.getType(), 1,
                littleEndian(number.getValue().bitcastToAPInt()));
  }
  if (auto array = dyn_cast<DenseArrayAttr>(attribute)) {
    ArrayRef<char> raw = array.getRawData();
    return make(array.getElementType(), array.getSize(),
                std::string(raw.begin(), raw.end()));
  }
  auto dense = dyn_cast<DenseElementsAttr>(attribute);
  if (!dense || !hasWholeBytes(dense.getElementType())) {
    return std::nullopt;
  }
  std::string bytes;
  if (dense.getElementType().isInteger(1)) {
    for (bool value : dense.getValues<bool>()) {
      bytes.push_back(value);
    }
  } else {
    ArrayRef<char> raw = dense.getRawData();
    int64_t times = dense.isSplat() ? dense.getNumElements() : 1;
    for (int64_t i = 0; i < times; ++i) {
      bytes.append(raw.begin(), raw.end());
    }
  }
  return make(dense.getElementType(), dense.getNumElements(), std::move(bytes));
}

static bool addAttribute(Attributes &out, std::string name,
                         Attribute attribute);

static bool addAll(Attributes &out, DictionaryAttr dictionary) {
  return llvm::all_of(dictionary, [&](NamedAttribute entry) {
    return addAttribute(out, entry.getName().str(), entry.getValue());
  });
}

static bool addAttribute(Attributes &out, std::string name,
                         Attribute attribute) {
  if (auto text = dyn_cast<StringAttr>(attribute)) {
    out.addString(std::move(name), text.getValue().str());
    return true;
  }
  if (auto symbol = dyn_cast<FlatSymbolRefAttr>(attribute)) {
    out.addString(std::move(name), symbol.getValue().str());
    return true;
  }
  Attributes inner;
  if (auto dictionary = dyn_cast<DictionaryAttr>(attribute)) {
    bool isFine = addAll(inner, dictionary);
    out.addDictionary(std::move(name), std::move(inner));
    return isFine;
  }
  if (auto array = dyn_cast<ArrayAttr>(attribute)) { // keyed by position
    bool isFine = true;
    for (auto [i, element] : llvm::enumerate(array)) {
      isFine &= addAttribute(inner, std::to_string(i), element);
    }
    out.addDictionary(std::move(name), std::move(inner));
    return isFine;
  }
  std::optional<Numbers> numbers = numbersIn(attribute);
  if (!numbers) {
    return false;
  }
  if (isa<IntegerAttr, FloatAttr>(attribute)) {
    out.addScalar(std::move(name), numbers->type, std::move(numbers->bytes));
  } else {
    out.addArray(std::move(name), numbers->type, numbers->count,
                 std::move(numbers->bytes));
  }
  return true;
}

/// The call's dictionary: `backend_config`, itself or as text, or what older
/// producers put under mhlo.backend_config.
static StatusOr<Attributes> attributesOf(CustomCallOp op) {
  Attribute config = op->getAttr("mhlo.backend_config");
  if (!config && op.getBackendConfig()) {
    config = *op.getBackendConfig();
  }
  Attributes attributes;
  auto text = dyn_cast_if_present<StringAttr>(config);
  if (!config || (text && text.empty())) {
    return attributes;
  }
  if (text) {
    ScopedDiagnosticHandler silence(op->getContext(),
                                    [](Diagnostic &) { return success(); });
    config = parseAttribute(text.getValue(), op->getContext());
  }
  auto dictionary = dyn_cast_if_present<DictionaryAttr>(config);
  if (!dictionary || !addAll(attributes, dictionary)) {
    return invalidArgument(explain(
        op, "the backend_config of a custom call of the typed FFI is no "
            "dictionary of numbers, arrays of numbers, strings and "
            "dictionaries"));
  }
  return attributes;
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// What handlers see: the dimensions in their own order, whatever memory's is.
static StatusOr<Shape> seenShape(CustomCallOp op, Type type,
                                 ArrayRef<int64_t> order) {
  StatusOr<Shape> shape = shapeOf(type);
  if (!shape.ok()) {
    return Status(shape.status().code(), explain(op, shape.status().message()));
  }
  if (op->hasAttr(CustomCallOp::inMemoryOrder)) {
    std::vector<int64_t> sizes = shape->dimensions;
    for (auto [index, dimension] : llvm::enumerate(order)) {
      shape->dimensions[dimension] = sizes[index];
    }
  }
  return shape;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// `xla.random_state`: a key and a counter, as Philox takes them. Each call has
/// 2^64 blocks of its own.
static void nextRandomState(void *const *results) {
  static std::atomic<uint64_t> calls{0};
  auto *state = static_cast<uint64_t *>(results[0]);
  state[0] = 0x5851f42d4c957f2d;
  state[1] = 0;
  state[2] = calls.fetch_add(1);
}

/// Whether the call speaks the typed FFI. JAX leaves api_version out, and puts
/// the attributes under mhlo.backend_config; a call without any configuration
/// is the same in every interface that a call may name.
static bool isTyped(CustomCallOp op) {
  using stablehlo::CustomCallApiVersion;
  CustomCallApiVersion version = op.getApiVersion();
  if (version == CustomCallApiVersion::API_VERSION_TYPED_FFI ||
      op->hasAttr("mhlo.backend_config")) {
    return true;
  }
  auto text = dyn_cast_if_present<StringAttr>(
      op.getBackendConfig().value_or(Attribute()));
  return version == CustomCallApiVersion::API_VERSION_ORIGINAL &&
         (!text || text.empty());
}

/// The targets by which JAX's programs call Python functions.
static constexpr llvm::StringLiteral targetsOfClients[] = {
    "jax_python_callback", "xla_ffi_python_cpu_callback",
    "xla_ffi_partitioned_python_cpu_callback"};

StatusOr<std::unique_ptr<ForeignCall>> ForeignCall::create(CustomCallOp op) {
  std::string target = op.getCallTargetName().str();
  if (!isTyped(op)) {
    return unimplemented(explain(
        op, "a custom call has api_version " +
                llvm::Twine(static_cast<int>(op.getApiVersion())) +
                ", an interface without types; handlers are called by the "
                "typed FFI, api_version 4"));
  }
  StatusOr<Attributes> attributes = attributesOf(op);
  if (!attributes.ok()) {
    return attributes.status();
  }
  auto call = std::make_unique<ForeignCall>();
  for (Value operand : op->getOperands()) {
    StatusOr<Shape> shape = seenShape(
        op, operand.getType(), op.operandOrder(call->operandShapes.size()));
    XLA_RETURN_IF_ERROR(shape.status());
    call->operandShapes.push_back(std::move(*shape));
  }
  for (Value result : op->getResults()) {
    StatusOr<Shape> shape = seenShape(
        op, result.getType(), op.resultOrder(call->resultShapes.size()));
    XLA_RETURN_IF_ERROR(shape.status());
    call->resultShapes.push_back(std::move(*shape));
  }
  if (target == "xla.random_state" && op->getNumOperands() == 0 &&
      call->resultShapes == std::vector<Shape>{{ElementType::U64, {3}}}) {
    call->builtin = nextRandomState;
    return call;
  }
  StatusOr<std::unique_ptr<custom_call::CallSite>> site =
      custom_call::CallSite::create(target, std::move(*attributes));
  if (!site.ok()) {
    std::string text = explain(op, site.status().message());
    if (site.status().code() == StatusCode::NotFound) {
      text += "\nRegister one:  jax.ffi.register_ffi_target(\"" + target +
              "\", handler, platform=\"cpu\")";
    }
    return Status(site.status().code(), std::move(text));
  }
  call->site = std::move(*site);
  call->isOfClient = llvm::is_contained(targetsOfClients, target);
  return call;
}

Status ForeignCall::run(const RunContext &context, void *const *operands,
                        void *const *results) const {
  if (builtin) {
    builtin(results);
    return okStatus();
  }
  auto buffersOf = [](const std::vector<Shape> &shapes, void *const *data) {
    std::vector<custom_call::Buffer> buffers;
    for (const auto &[i, shape] : llvm::enumerate(shapes)) {
      buffers.push_back({shape.type, int64_t(shape.dimensions.size()),
                         shape.dimensions.data(), data[i]});
    }
    return buffers;
  };
  return site->run(context, buffersOf(operandShapes, operands),
                   buffersOf(resultShapes, results));
}

} // namespace xla
