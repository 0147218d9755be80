//===- Bytecode.cpp - Shardings in MLIR bytecode --------------------------===//
//
// Every attribute begins with a code; codes and order of fields are Shardy's.
// What is read is attacker's choice: attributes are made by way of their
// verifiers.
//
//===----------------------------------------------------------------------===//

#include "xla/dialect/sdy/Bytecode.h"
#include "xla/dialect/sdy/SdyOps.h"

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace xla::sdy {

namespace {

enum class Code : uint64_t {
  ManualAxes = 0,
  MeshAxis = 1,
  Mesh = 2,
  SubAxisInfo = 3,
  AxisRef = 4,
  DimensionSharding = 5,
  TensorSharding = 6,
  ShardingPerValue = 7,
  DimMapping = 8,
  TensorMapping = 9,
  OpShardingRule = 10,
  AxisRefList = 11,
  ListOfAxisRefLists = 12,
  AllToAllParam = 13,
  AllToAllParamList = 14,
  TensorShardingWithUnreduced = 15,
  ShardingPerValueWithUnreduced = 16,
  TensorShardingWithReduction = 17,
};

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Reads fields one after the other; after the first that fails, none.
class Fields {
public:
  explicit Fields(DialectBytecodeReader &reader) : reader(reader) {}

  StringRef text() {
    StringRef value;
    take(reader.readString(value));
    return value;
  }
  int64_t number() {
    int64_t value = 0;
    take(reader.readSignedVarInt(value));
    return value;
  }
  SmallVector<int64_t> numbers() {
    SmallVector<int64_t> values;
    take(reader.readSignedVarInts(values));
    return values;
  }
  bool flag() {
    bool value = false;
    take(reader.readBool(value));
    return value;
  }
  std::optional<int64_t> optionalNumber() {
    uint64_t value = 0;
    bool isThere = false;
    take(reader.readVarIntWithFlag(value, isThere));
    return isThere ? std::optional<int64_t>(value) : std::nullopt;
  }
  template <typename AttributeClass = Attribute>
  AttributeClass one() {
    AttributeClass value;
    take(reader.readAttribute(value));
    return value;
  }
  template <typename AttributeClass>
  AttributeClass optionalOne() {
    AttributeClass value;
    take(reader.readOptionalAttribute(value));
    return value;
  }
  template <typename AttributeClass>
  SmallVector<AttributeClass> list() {
    SmallVector<AttributeClass> values;
    if (isGood) {
      take(reader.readAttributes(values));
    }
    return values;
  }
  ReductionKind reduction() {
    uint64_t value = 0;
    take(reader.readVarInt(value));
    std::optional<ReductionKind> kind =
        value <= 2 ? symbolizeReductionKind(uint32_t(value)) : std::nullopt;
    if (isGood && !kind) {
      reader.emitError("reduction kind ") << value << " is not known here";
      isGood = false;
    }
    return kind.value_or(ReductionKind::Sum);
  }

  /// The attribute of these parameters; null where one could not be read.
  template <typename AttributeClass, typename... Parameters>
  Attribute make(Parameters &&...parameters) {
    return isGood ? AttributeClass::get(reader.getContext(),
                                        std::forward<Parameters>(parameters)...)
                  : AttributeClass();
  }

  /// The same, of a class with a verifier; null, too, where that objects.
  template <typename AttributeClass, typename... Parameters>
  Attribute check(Parameters &&...parameters) {
    if (!isGood) {
      return nullptr;
    }
    auto emitError = [&] { return reader.emitError(); };
    return AttributeClass::getChecked(emitError, reader.getContext(),
                                      std::forward<Parameters>(parameters)...);
  }

private:
  void take(LogicalResult result) { isGood &= succeeded(result); }

  DialectBytecodeReader &reader;
  bool isGood = true;
};

} // namespace

static Attribute readMesh(Fields &fields) {
  auto axes = fields.list<MeshAxisAttr>();
  SmallVector<int64_t> ids = fields.numbers();
  return fields.check<MeshAttr>(ArrayRef(axes), ArrayRef(ids));
}

static Attribute readTensorSharding(Fields &fields, Code code) {
  Attribute mesh = fields.one();
  auto dims = fields.list<DimensionShardingAttr>();
  auto replicated = fields.list<AxisRefAttr>();
  SmallVector<AxisRefAttr> unreduced;
  ReductionKind kind = ReductionKind::Sum;
  if (code != Code::TensorSharding) {
    unreduced = fields.list<AxisRefAttr>();
  }
  if (code == Code::TensorShardingWithReduction) {
    kind = fields.reduction();
  }
  return fields.check<TensorShardingAttr>(
      mesh, ArrayRef(dims), ArrayRef(replicated), ArrayRef(unreduced), kind);
}

static Attribute readRule(Fields &fields) {
  SmallVector<int64_t> sizes = fields.numbers();
  auto operands = fields.list<TensorMappingAttr>();
  auto results = fields.list<TensorMappingAttr>();
  SmallVector<int64_t> reduction = fields.numbers();
  SmallVector<int64_t> needReplication = fields.numbers();
  SmallVector<int64_t> permutation = fields.numbers();
  SmallVector<int64_t> blocked = fields.numbers();
  bool isCustom = fields.flag();
  return fields.check<OpShardingRuleAttr>(
      ArrayRef(sizes), ArrayRef(operands), ArrayRef(results),
      ArrayRef(reduction), ArrayRef(needReplication), ArrayRef(permutation),
      ArrayRef(blocked), isCustom);
}

template <typename AttributeClass, typename ElementClass>
static Attribute readListOf(Fields &fields) {
  auto list = fields.list<ElementClass>();
  return fields.make<AttributeClass>(ArrayRef(list));
}

static Attribute readFields(Fields &fields, Code code) {
  switch (code) {
  case Code::ManualAxes:
    return readListOf<ManualAxesAttr, StringAttr>(fields);
  case Code::MeshAxis: {
    StringRef name = fields.text();
    return fields.check<MeshAxisAttr>(name, fields.number());
  }
  case Code::Mesh:
    return readMesh(fields);
  case Code::SubAxisInfo: {
    int64_t preSize = fields.number();
    return fields.check<SubAxisInfoAttr>(preSize, fields.number());
  }
  case Code::AxisRef: {
    StringRef name = fields.text();
    return fields.make<AxisRefAttr>(name,
                                    fields.optionalOne<SubAxisInfoAttr>());
  }
  case Code::DimensionSharding: {
    auto axes = fields.list<AxisRefAttr>();
    bool isClosed = fields.flag();
    return fields.check<DimensionShardingAttr>(ArrayRef(axes), isClosed,
                                               fields.optionalNumber());
  }
  case Code::TensorSharding:
  case Code::TensorShardingWithUnreduced:
  case Code::TensorShardingWithReduction:
    return readTensorSharding(fields, code);
  case Code::ShardingPerValue:
  case Code::ShardingPerValueWithUnreduced:
    return readListOf<TensorShardingPerValueAttr, TensorShardingAttr>(fields);
  case Code::DimMapping: {
    SmallVector<int64_t> factors = fields.numbers();
    return fields.check<DimMappingAttr>(ArrayRef(factors));
  }
  case Code::TensorMapping:
    return readListOf<TensorMappingAttr, DimMappingAttr>(fields);
  case Code::OpShardingRule:
    return readRule(fields);
  case Code::AxisRefList:
    return readListOf<AxisRefListAttr, AxisRefAttr>(fields);
  case Code::ListOfAxisRefLists:
    return readListOf<ListOfAxisRefListsAttr, AxisRefListAttr>(fields);
  case Code::AllToAllParam: {
    auto axes = fields.list<AxisRefAttr>();
    int64_t source = fields.number();
    return fields.make<AllToAllParamAttr>(ArrayRef(axes), source,
                                          fields.number());
  }
  case Code::AllToAllParamList:
    return readListOf<AllToAllParamListAttr, AllToAllParamAttr>(fields);
  }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static void writeCode(DialectBytecodeWriter &writer, Code code) {
  writer.writeVarInt(static_cast<uint64_t>(code));
}

static void writeTensorSharding(DialectBytecodeWriter &writer,
                                TensorShardingAttr sharding) {
  Code code = Code::TensorSharding;
  if (sharding.getUnreducedKind() != ReductionKind::Sum) {
    code = Code::TensorShardingWithReduction;
  } else if (sharding.isUnreduced()) {
    code = Code::TensorShardingWithUnreduced;
  }
  writeCode(writer, code);
  writer.writeAttribute(sharding.getMeshOrRef());
  writer.writeAttributes(sharding.getDimShardings());
  writer.writeAttributes(sharding.getReplicatedAxes());
  if (code != Code::TensorSharding) {
    writer.writeAttributes(sharding.getUnreducedAxes());
  }
  if (code == Code::TensorShardingWithReduction) {
    writer.writeVarInt(static_cast<uint64_t>(sharding.getUnreducedKind()));
  }
}

static void writePerValue(DialectBytecodeWriter &writer,
                          TensorShardingPerValueAttr attribute) {
  bool hasUnreduced =
      llvm::any_of(attribute.getShardings(), [](TensorShardingAttr sharding) {
        return sharding.isUnreduced();
      });
  writeCode(writer, hasUnreduced ? Code::ShardingPerValueWithUnreduced
                                 : Code::ShardingPerValue);
  writer.writeAttributes(attribute.getShardings());
}

static void writeRule(DialectBytecodeWriter &writer, OpShardingRuleAttr rule) {
  writeCode(writer, Code::OpShardingRule);
  writer.writeSignedVarInts(rule.getFactorSizes());
  writer.writeAttributes(rule.getOperandMappings());
  writer.writeAttributes(rule.getResultMappings());
  writer.writeSignedVarInts(rule.getReductionFactors());
  writer.writeSignedVarInts(rule.getNeedReplicationFactors());
  writer.writeSignedVarInts(rule.getPermutationFactors());
  writer.writeSignedVarInts(rule.getBlockedPropagationFactors());
  writer.writeOwnedBool(rule.getIsCustom());
}

static void writeDimension(DialectBytecodeWriter &writer,
                           DimensionShardingAttr dim) {
  writeCode(writer, Code::DimensionSharding);
  writer.writeAttributes(dim.getAxes());
  writer.writeOwnedBool(dim.getIsClosed());
  writer.writeVarIntWithFlag(dim.getPriority().value_or(0),
                             dim.getPriority().has_value());
}

static void writeMesh(DialectBytecodeWriter &writer, MeshAttr mesh) {
  writeCode(writer, Code::Mesh);
  writer.writeAttributes(mesh.getAxes());
  writer.writeSignedVarInts(mesh.getDeviceIds());
}

static LogicalResult writeFields(DialectBytecodeWriter &writer,
                                 Attribute attribute) {
  auto list = [&](Code code, auto values) {
    writeCode(writer, code);
    writer.writeAttributes(values);
  };
  return llvm::TypeSwitch<Attribute, LogicalResult>(attribute)
      .Case([&](ManualAxesAttr axes) {
        list(Code::ManualAxes, axes.getValue());
        return success();
      })
      .Case([&](MeshAxisAttr axis) {
        writeCode(writer, Code::MeshAxis);
        writer.writeOwnedString(axis.getName());
        writer.writeSignedVarInt(axis.getSize());
        return success();
      })
      .Case([&](MeshAttr mesh) {
        writeMesh(writer, mesh);
        return success();
      })
      .Case([&](SubAxisInfoAttr factor) {
        writeCode(writer, Code::SubAxisInfo);
        writer.writeSignedVarInt(factor.getPreSize());
        writer.writeSignedVarInt(factor.getSize());
        return success();
      })
      .Case([&](AxisRefAttr axis) {
        writeCode(writer, Code::AxisRef);
        writer.writeOwnedString(axis.getName());
        writer.writeOptionalAttribute(axis.getSubAxis());
        return success();
      })
      .Case([&](DimensionShardingAttr dim) {
        writeDimension(writer, dim);
        return success();
      })
      .Case([&](TensorShardingAttr sharding) {
        writeTensorSharding(writer, sharding);
        return success();
      })
      .Case([&](TensorShardingPerValueAttr all) {
        writePerValue(writer, all);
        return success();
      })
      .Case([&](DimMappingAttr mapping) {
        writeCode(writer, Code::DimMapping);
        writer.writeSignedVarInts(mapping.getFactors());
        return success();
      })
      .Case([&](TensorMappingAttr mapping) {
        list(Code::TensorMapping, mapping.getDimMappings());
        return success();
      })
      .Case([&](OpShardingRuleAttr rule) {
        writeRule(writer, rule);
        return success();
      })
      .Case([&](AxisRefListAttr axes) {
        list(Code::AxisRefList, axes.getValue());
        return success();
      })
      .Case([&](ListOfAxisRefListsAttr lists) {
        list(Code::ListOfAxisRefLists, lists.getValue());
        return success();
      })
      .Case([&](AllToAllParamAttr param) {
        list(Code::AllToAllParam, param.getAxes());
        writer.writeSignedVarInt(param.getSrcDim());
        writer.writeSignedVarInt(param.getTgtDim());
        return success();
      })
      .Case([&](AllToAllParamListAttr params) {
        list(Code::AllToAllParamList, params.getValue());
        return success();
      })
      .Default([](Attribute) { return failure(); });
}

//===----------------------------------------------------------------------===//
// The interface
//===----------------------------------------------------------------------===//

namespace {
struct Bytecode : BytecodeDialectInterface {
  explicit Bytecode(Dialect *dialect) : BytecodeDialectInterface(dialect) {}

  Attribute readAttribute(DialectBytecodeReader &reader) const override {
    uint64_t code;
    if (failed(reader.readVarInt(code))) {
      return nullptr;
    }
    if (code > static_cast<uint64_t>(Code::TensorShardingWithReduction)) {
      reader.emitError("the sharding attribute code ")
          << code << " is not known here";
      return nullptr;
    }
    Fields fields(reader);
    return readFields(fields, static_cast<Code>(code));
  }

  LogicalResult writeAttribute(Attribute attribute,
                               DialectBytecodeWriter &writer) const override {
    return writeFields(writer, attribute);
  }
};
} // namespace

void addBytecodeInterface(SdyDialect &dialect) {
  dialect.addInterfaces<Bytecode>();
}

} // namespace xla::sdy
