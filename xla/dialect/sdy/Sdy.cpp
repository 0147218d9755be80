//===- Sdy.cpp - Shardings, as far as one device needs them ---------------===//
//
// Attributes are decoded into plain arrays of their fields: nothing here looks
// into them yet. The codes are those of Shardy's bytecode.
//
//===----------------------------------------------------------------------===//

#include "xla/dialect/sdy/Sdy.h"

#include "xla/dialect/TabledOperations.h"

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace xla::sdy {

namespace {

enum class AttributeCode : uint64_t {
  ManualAxes = 0,
  MeshAxis = 1,
  Mesh = 2,
  SubAxisInfo = 3,
  AxisRef = 4,
  DimSharding = 5,
  TensorSharding = 6,
  ShardingPerValue = 7,
  DimMapping = 8,
  TensorMapping = 9,
  OpShardingRule = 10,
  TensorShardingWithUnreduced = 15,
  ShardingPerValueWithUnreduced = 16,
};

/// Fields in the order of the bytecode.
constexpr OperationRow operationRows[] = {
    {"mesh", "mesh sym_name"},
    {"sharding_constraint", "sharding"},
    {"reshard", "sharding"},
    {"manual_computation", "in_shardings manual_axes out_shardings"},
    {"return", ""},
};

/// Collects an attribute's fields; remembers whether one could not be read.
class FieldReader {
public:
  explicit FieldReader(DialectBytecodeReader &reader)
      : reader(reader), builder(reader.getContext()) {}

  FieldReader &string() {
    StringRef text;
    if (isGood &= succeeded(reader.readString(text)); isGood) {
      fields.push_back(builder.getStringAttr(text));
    }
    return *this;
  }
  FieldReader &number() {
    int64_t value;
    if (isGood &= succeeded(reader.readSignedVarInt(value)); isGood) {
      fields.push_back(builder.getI64IntegerAttr(value));
    }
    return *this;
  }
  FieldReader &flag() {
    bool value;
    if (isGood &= succeeded(reader.readBool(value)); isGood) {
      fields.push_back(builder.getBoolAttr(value));
    }
    return *this;
  }
  FieldReader &attribute() {
    Attribute value;
    if (isGood &= succeeded(reader.readAttribute(value)); isGood) {
      fields.push_back(value);
    }
    return *this;
  }
  FieldReader &attributes() {
    SmallVector<Attribute> values;
    if (isGood &= succeeded(reader.readAttributes(values)); isGood) {
      fields.push_back(builder.getArrayAttr(values));
    }
    return *this;
  }
  FieldReader &optionalAttribute() {
    Attribute value;
    if (isGood &= succeeded(reader.readOptionalAttribute(value));
        isGood && value) {
      fields.push_back(value);
    }
    return *this;
  }
  /// A number, or nothing: zero, or its double plus one.
  FieldReader &optionalNumber() {
    uint64_t value;
    bool isThere;
    if (isGood &= succeeded(reader.readVarIntWithFlag(value, isThere));
        isGood && isThere) {
      fields.push_back(builder.getI64IntegerAttr(value));
    }
    return *this;
  }
  FieldReader &numbers() {
    SmallVector<int64_t> values;
    if (isGood &= succeeded(reader.readSignedVarInts(values)); isGood) {
      fields.push_back(builder.getI64ArrayAttr(values));
    }
    return *this;
  }

  Attribute get() {
    return isGood ? builder.getArrayAttr(fields) : Attribute();
  }

private:
  DialectBytecodeReader &reader;
  Builder builder;
  SmallVector<Attribute> fields;
  bool isGood = true;
};

struct BytecodeReader : BytecodeDialectInterface {
  explicit BytecodeReader(Dialect *dialect)
      : BytecodeDialectInterface(dialect) {}

  Attribute readAttribute(DialectBytecodeReader &reader) const override {
    uint64_t code;
    if (failed(reader.readVarInt(code))) {
      return nullptr;
    }
    FieldReader fields(reader);
    switch (static_cast<AttributeCode>(code)) {
    case AttributeCode::ManualAxes:
    case AttributeCode::ShardingPerValue:
    case AttributeCode::TensorMapping:
    case AttributeCode::ShardingPerValueWithUnreduced:
      return fields.attributes().get();
    case AttributeCode::MeshAxis:
      return fields.string().number().get();
    case AttributeCode::Mesh:
      return fields.attributes().numbers().get();
    case AttributeCode::SubAxisInfo:
      return fields.number().number().get();
    case AttributeCode::AxisRef:
      return fields.string().optionalAttribute().get();
    case AttributeCode::DimSharding:
      return fields.attributes().flag().optionalNumber().get();
    case AttributeCode::DimMapping:
      return fields.numbers().get();
    case AttributeCode::OpShardingRule:
      return fields.numbers()
          .attributes()
          .attributes()
          .numbers()
          .numbers()
          .numbers()
          .numbers()
          .flag()
          .get();
    case AttributeCode::TensorSharding:
      return fields.attribute().attributes().attributes().get();
    case AttributeCode::TensorShardingWithUnreduced:
      return fields.attribute().attributes().attributes().attributes().get();
    }
    reader.emitError("the sharding attribute code ")
        << code << " is not known here";
    return nullptr;
  }
};

class SdyDialect : public ExtensibleDialect {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SdyDialect)

  explicit SdyDialect(MLIRContext *context);

  static constexpr StringLiteral getDialectNamespace() {
    return StringLiteral("sdy");
  }
};

} // namespace

static const OperationTable &operationTable() {
  static const auto *table = new OperationTable(splitFields(operationRows));
  return *table;
}

SdyDialect::SdyDialect(MLIRContext *context)
    : ExtensibleDialect(getDialectNamespace(), context,
                        TypeID::get<SdyDialect>()) {
  addInterfaces<BytecodeReader>();
  registerOperations<operationTable>(*this, operationRows);
}

void registerSdy(DialectRegistry &registry) { registry.insert<SdyDialect>(); }

static bool isSharding(NamedAttribute attribute) {
  return isa_and_nonnull<SdyDialect>(attribute.getNameDialect());
}

/// Null where there are none.
static DictionaryAttr withoutShardings(DictionaryAttr attributes) {
  if (!attributes) {
    return attributes;
  }
  SmallVector<NamedAttribute> kept;
  llvm::copy_if(
      attributes, std::back_inserter(kept),
      [](NamedAttribute attribute) { return !isSharding(attribute); });
  return DictionaryAttr::get(attributes.getContext(), kept);
}

/// Those of an operation and of a function's arguments and results.
static void dropAttributes(Operation *op) {
  for (NamedAttribute attribute : op->getDiscardableAttrs()) {
    if (isSharding(attribute)) {
      op->removeDiscardableAttr(attribute.getName());
    }
  }
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function) {
    return;
  }
  namespace impl = function_interface_impl;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    if (auto kept = withoutShardings(impl::getArgAttrDict(function, i))) {
      function.setArgAttrs(i, kept);
    }
  }
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    if (auto kept = withoutShardings(impl::getResultAttrDict(function, i))) {
      function.setResultAttrs(i, kept);
    }
  }
}

bool dropTrivialShardings(Operation *module) {
  auto partitions = module->getAttrOfType<IntegerAttr>("mhlo.num_partitions");
  const bool hasOneDevice = !partitions || partitions.getInt() == 1;
  SmallVector<Operation *> operations;
  module->walk([&](Operation *op) {
    if (isa_and_nonnull<SdyDialect>(op->getDialect())) {
      operations.push_back(op);
    }
  });
  for (Operation *op : operations) {
    const bool isIdentity =
        op->getNumOperands() == 1 && op->getNumResults() == 1 &&
        op->getNumRegions() == 0 &&
        op->getOperand(0).getType() == op->getResult(0).getType();
    const bool isMesh = op->getName().stripDialect() == "mesh" &&
                        op->getNumOperands() == 0 && op->getNumResults() == 0;
    if (!hasOneDevice || (!isIdentity && !isMesh)) {
      op->emitError("'") << op->getName()
                         << "' speaks of several devices, for which this "
                            "compiler cannot partition yet";
      return false;
    }
    if (isIdentity) {
      op->getResult(0).replaceAllUsesWith(op->getOperand(0));
    }
    op->erase();
  }
  // The text of what is left shall be read without this dialect.
  module->walk([](Operation *op) { dropAttributes(op); });
  return true;
}

} // namespace xla::sdy
