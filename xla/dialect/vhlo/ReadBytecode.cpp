//===- ReadBytecode.cpp - VHLO's attributes and types ---------------------===//
//
// Every attribute and type begins with a code; the numbers are part of the
// format. What is read is attacker's choice: each length is checked before it
// is believed.
//
//===----------------------------------------------------------------------===//

#include "xla/dialect/vhlo/VhloDialect.h"

#include "xla/dialect/stablehlo/StablehloOps.h"

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace xla::vhlo {

namespace {

/// Codes of attributes.
enum class AttributeCode : uint64_t {
  Array = 1,
  Bool = 2,
  ComparisonDirection = 3,
  ComparisonType = 4,
  ApiVersion = 5,
  Dictionary = 6,
  FftType = 7,
  Float = 8,
  Integer = 9,
  OutputOperandAlias = 10,
  Precision = 11,
  RngAlgorithm = 12,
  RngDistribution = 13,
  String = 14,
  Tensor = 15,
  Transpose = 16,
  Type = 17,
  TypeExtensions = 18,
  ResultAccuracyMode = 19,
  ResultAccuracy = 20,
  SubAxisInfo = 21,
  AxisRef = 22,
  ReplicaGroupMeshAxes = 23,
  MeshAxis = 24,
  Mesh = 25,
};

/// Codes of the types that have fields; the others stand in `plainType`.
enum class TypeCode : uint64_t {
  Complex = 1,
  Function = 8,
  Tensor = 20,
  TensorWithEncoding = 21,
  Tuple = 23,
};

} // namespace

/// Reads an enumerator and makes its attribute.
template <typename AttributeType, typename Enum>
static Attribute readEnum(DialectBytecodeReader &reader,
                          std::optional<Enum> (*symbolize)(uint32_t)) {
  uint64_t value;
  if (failed(reader.readVarInt(value))) {
    return nullptr;
  }
  std::optional<Enum> symbol = value <= UINT32_MAX
                                   ? symbolize(static_cast<uint32_t>(value))
                                   : std::nullopt;
  if (!symbol) {
    reader.emitError("no enumerator has the value ") << value;
    return nullptr;
  }
  return AttributeType::get(reader.getContext(), *symbol);
}

static Attribute readArray(DialectBytecodeReader &reader) {
  SmallVector<Attribute> elements;
  if (failed(reader.readAttributes(elements))) {
    return nullptr;
  }
  return ArrayAttr::get(reader.getContext(), elements);
}

static Attribute readDictionary(DialectBytecodeReader &reader) {
  SmallVector<NamedAttribute> entries;
  NamedAttrList seen;
  auto readEntry = [&](NamedAttribute &entry) {
    StringAttr name;
    Attribute value;
    if (failed(reader.readAttribute(name)) ||
        failed(reader.readAttribute(value))) {
      return failure();
    }
    if (name.getValue().empty() || seen.set(name, value)) {
      return LogicalResult(reader.emitError("a name is empty or stands twice"));
    }
    entry = NamedAttribute(name, value);
    return success();
  };
  // NamedAttribute has no default: the list is read by hand.
  uint64_t size;
  if (failed(reader.readVarInt(size))) {
    return nullptr;
  }
  for (uint64_t i = 0; i < size; ++i) {
    NamedAttribute entry(StringAttr::get(reader.getContext(), "unread"),
                         UnitAttr::get(reader.getContext()));
    if (failed(readEntry(entry))) {
      return nullptr;
    }
    entries.push_back(entry);
  }
  return DictionaryAttr::get(reader.getContext(), entries);
}

static Attribute readFloat(DialectBytecodeReader &reader) {
  Type type;
  if (failed(reader.readType(type))) {
    return nullptr;
  }
  auto floatType = dyn_cast<FloatType>(type);
  if (!floatType) {
    reader.emitError("a float has the type ") << type;
    return nullptr;
  }
  FailureOr<APFloat> value =
      reader.readAPFloatWithKnownSemantics(floatType.getFloatSemantics());
  return failed(value) ? nullptr : FloatAttr::get(floatType, *value);
}

static Attribute readInteger(DialectBytecodeReader &reader) {
  Type type;
  if (failed(reader.readType(type))) {
    return nullptr;
  }
  if (!type.isIntOrIndex()) {
    reader.emitError("an integer has the type ") << type;
    return nullptr;
  }
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  FailureOr<APInt> value = reader.readAPIntWithKnownWidth(width);
  return failed(value) ? nullptr : IntegerAttr::get(type, *value);
}

static Attribute readAlias(DialectBytecodeReader &reader) {
  SmallVector<int64_t> outputs;
  SmallVector<int64_t> tuple;
  int64_t operand;
  if (failed(reader.readSignedVarInts(outputs)) ||
      failed(reader.readSignedVarInt(operand)) ||
      failed(reader.readSignedVarInts(tuple))) {
    return nullptr;
  }
  return stablehlo::OutputOperandAliasAttr::get(reader.getContext(), outputs,
                                                operand, tuple);
}

static Attribute readString(DialectBytecodeReader &reader) {
  StringRef text;
  if (failed(reader.readString(text))) {
    return nullptr;
  }
  return StringAttr::get(reader.getContext(), text);
}

/// Booleans are packed, eight to a byte, the first in the lowest bit; a splat
/// is a byte of ones or zeros.
static Attribute readBooleans(DialectBytecodeReader &reader,
                              RankedTensorType type, ArrayRef<char> blob) {
  uint64_t count = type.getNumElements();
  if (blob.size() == 1 && count > 8) {
    return DenseElementsAttr::get(type, (blob[0] & 1) != 0);
  }
  if (blob.size() != (count + 7) / 8) {
    reader.emitError("a tensor of type ")
        << type << " has " << blob.size() << " bytes";
    return nullptr;
  }
  SmallVector<bool> values(count);
  for (uint64_t i = 0; i < count; ++i) {
    values[i] = (blob[i / 8] >> (i % 8)) & 1;
  }
  return DenseElementsAttr::get(type, values);
}

static Attribute readTensor(DialectBytecodeReader &reader) {
  Type type;
  ArrayRef<char> blob;
  if (failed(reader.readType(type)) || failed(reader.readBlob(blob))) {
    return nullptr;
  }
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape()) {
    reader.emitError("a literal has the type ") << type;
    return nullptr;
  }
  if (tensor.getElementType().isInteger(1)) {
    return readBooleans(reader, tensor, blob);
  }
  bool splat;
  if (tensor.getNumElements() == 0 && blob.empty()) {
    return DenseElementsAttr::get(tensor, ArrayRef<Attribute>());
  }
  if (!DenseElementsAttr::isValidRawBuffer(tensor, blob, splat)) {
    reader.emitError("a tensor of type ")
        << type << " has " << blob.size() << " bytes";
    return nullptr;
  }
  return DenseElementsAttr::getFromRawBuffer(tensor, blob);
}

static Attribute readTypeExtensions(DialectBytecodeReader &reader) {
  SmallVector<int64_t> bounds;
  if (failed(reader.readSignedVarInts(bounds))) {
    return nullptr;
  }
  return stablehlo::TypeExtensionsAttr::get(reader.getContext(), bounds);
}

static Attribute readResultAccuracy(DialectBytecodeReader &reader) {
  FailureOr<APFloat> atol =
      reader.readAPFloatWithKnownSemantics(APFloat::IEEEdouble());
  if (failed(atol)) {
    return nullptr;
  }
  FailureOr<APFloat> rtol =
      reader.readAPFloatWithKnownSemantics(APFloat::IEEEdouble());
  int64_t ulps;
  stablehlo::ResultAccuracyModeAttr mode;
  if (failed(rtol) || failed(reader.readSignedVarInt(ulps)) ||
      failed(reader.readAttribute(mode))) {
    return nullptr;
  }
  return stablehlo::ResultAccuracyAttr::get(reader.getContext(), *atol, *rtol,
                                            ulps, mode);
}

static Attribute readSubAxisInfo(DialectBytecodeReader &reader) {
  int64_t before, size;
  if (failed(reader.readSignedVarInt(before)) ||
      failed(reader.readSignedVarInt(size))) {
    return nullptr;
  }
  return stablehlo::SubAxisInfoAttr::get(reader.getContext(), before, size);
}

static Attribute readAxisRef(DialectBytecodeReader &reader) {
  StringAttr name;
  stablehlo::SubAxisInfoAttr part;
  if (failed(reader.readAttribute(name)) ||
      failed(reader.readOptionalAttribute(part))) {
    return nullptr;
  }
  return stablehlo::AxisRefAttr::get(reader.getContext(), name.getValue(),
                                     part);
}

static Attribute readMeshAxis(DialectBytecodeReader &reader) {
  StringAttr name;
  int64_t size;
  if (failed(reader.readAttribute(name)) ||
      failed(reader.readSignedVarInt(size))) {
    return nullptr;
  }
  return stablehlo::MeshAxisAttr::get(reader.getContext(), name.getValue(),
                                      size);
}

static Attribute readMesh(DialectBytecodeReader &reader) {
  ArrayAttr list;
  DenseIntElementsAttr ids;
  if (failed(reader.readAttribute(list)) ||
      failed(reader.readOptionalAttribute(ids))) {
    return nullptr;
  }
  SmallVector<stablehlo::MeshAxisAttr> axes;
  for (Attribute axis : list) {
    axes.push_back(dyn_cast<stablehlo::MeshAxisAttr>(axis));
    if (!axes.back()) {
      reader.emitError("an axis of a mesh is ") << axis;
      return nullptr;
    }
  }
  return stablehlo::MeshAttr::get(reader.getContext(), axes, ids);
}

/// A mesh that has a name is a symbol, which is written as a string.
static Attribute readGroupsByAxes(DialectBytecodeReader &reader) {
  Attribute mesh;
  ArrayAttr axes;
  if (failed(reader.readAttribute(mesh)) ||
      failed(reader.readAttribute(axes))) {
    return nullptr;
  }
  if (auto name = dyn_cast<StringAttr>(mesh)) {
    mesh = FlatSymbolRefAttr::get(name);
  }
  return stablehlo::ReplicaGroupMeshAxesAttr::get(reader.getContext(), mesh,
                                                  axes);
}

/// An api_version is printed as a number, so that is what it becomes.
static Attribute readApiVersion(DialectBytecodeReader &reader) {
  uint64_t value;
  if (failed(reader.readVarInt(value))) {
    return nullptr;
  }
  if (value > 4) {
    reader.emitError("no api_version is ") << value;
    return nullptr;
  }
  return IntegerAttr::get(IntegerType::get(reader.getContext(), 32),
                          static_cast<int64_t>(value));
}

Attribute readAttribute(DialectBytecodeReader &reader) {
  uint64_t code;
  if (failed(reader.readVarInt(code))) {
    return nullptr;
  }
  switch (static_cast<AttributeCode>(code)) {
  case AttributeCode::Array:
    return readArray(reader);
  case AttributeCode::Bool: {
    uint64_t value;
    if (failed(reader.readVarInt(value))) {
      return nullptr;
    }
    return BoolAttr::get(reader.getContext(), value != 0);
  }
  case AttributeCode::ComparisonDirection:
    return readEnum<stablehlo::ComparisonDirectionAttr>(
        reader, stablehlo::symbolizeComparisonDirection);
  case AttributeCode::ComparisonType:
    return readEnum<stablehlo::ComparisonTypeAttr>(
        reader, stablehlo::symbolizeComparisonType);
  case AttributeCode::ApiVersion:
    return readApiVersion(reader);
  case AttributeCode::Dictionary:
    return readDictionary(reader);
  case AttributeCode::FftType:
    return readEnum<stablehlo::FftTypeAttr>(reader,
                                            stablehlo::symbolizeFftType);
  case AttributeCode::Float:
    return readFloat(reader);
  case AttributeCode::Integer:
    return readInteger(reader);
  case AttributeCode::OutputOperandAlias:
    return readAlias(reader);
  case AttributeCode::Precision:
    return readEnum<stablehlo::PrecisionAttr>(reader,
                                              stablehlo::symbolizePrecision);
  case AttributeCode::RngAlgorithm:
    return readEnum<stablehlo::RngAlgorithmAttr>(
        reader, stablehlo::symbolizeRngAlgorithm);
  case AttributeCode::RngDistribution:
    return readEnum<stablehlo::RngDistributionAttr>(
        reader, stablehlo::symbolizeRngDistribution);
  case AttributeCode::String:
    return readString(reader);
  case AttributeCode::Tensor:
    return readTensor(reader);
  case AttributeCode::Transpose:
    return readEnum<stablehlo::TransposeAttr>(reader,
                                              stablehlo::symbolizeTranspose);
  case AttributeCode::Type: {
    Type type;
    return failed(reader.readType(type)) ? nullptr : TypeAttr::get(type);
  }
  case AttributeCode::TypeExtensions:
    return readTypeExtensions(reader);
  case AttributeCode::ResultAccuracyMode:
    return readEnum<stablehlo::ResultAccuracyModeAttr>(
        reader, stablehlo::symbolizeResultAccuracyMode);
  case AttributeCode::ResultAccuracy:
    return readResultAccuracy(reader);
  case AttributeCode::SubAxisInfo:
    return readSubAxisInfo(reader);
  case AttributeCode::AxisRef:
    return readAxisRef(reader);
  case AttributeCode::ReplicaGroupMeshAxes:
    return readGroupsByAxes(reader);
  case AttributeCode::MeshAxis:
    return readMeshAxis(reader);
  case AttributeCode::Mesh:
    return readMesh(reader);
  }
  reader.emitError("VHLO attribute code ") << code << " is not known here";
  return nullptr;
}

/// The types without fields, by their codes.
static Type plainType(uint64_t code, MLIRContext *context) {
  auto integer = [&](unsigned width, bool isUnsigned) {
    return IntegerType::get(context, width,
                            isUnsigned ? IntegerType::Unsigned
                                       : IntegerType::Signless);
  };
  switch (code) {
  case 0:
    return integer(1, false);
  case 2:
    return BFloat16Type::get(context);
  case 3:
    return Float16Type::get(context);
  case 4:
    return Float32Type::get(context);
  case 5:
    return Float64Type::get(context);
  case 6:
    return Float8E4M3FNType::get(context);
  case 7:
    return Float8E5M2Type::get(context);
  case 9:
    return IndexType::get(context);
  case 10:
  case 11:
  case 12:
  case 13:
  case 14:
    return integer(4u << (code - 10), false);
  case 15:
  case 16:
  case 17:
  case 18:
  case 19:
    return integer(4u << (code - 15), true);
  case 22:
    return stablehlo::TokenType::get(context);
  case 27:
    return Float8E4M3FNUZType::get(context);
  case 28:
    return Float8E5M2FNUZType::get(context);
  case 29:
    return Float8E4M3B11FNUZType::get(context);
  case 31:
    return integer(2, false);
  case 32:
    return integer(2, true);
  case 33:
    return NoneType::get(context);
  case 34:
    return FloatTF32Type::get(context);
  case 35:
    return Float8E4M3Type::get(context);
  case 36:
    return Float8E3M4Type::get(context);
  case 37:
    return Float4E2M1FNType::get(context);
  case 38:
    return Float6E2M3FNType::get(context);
  case 39:
    return Float6E3M2FNType::get(context);
  case 40:
    return Float8E8M0FNUType::get(context);
  default:
    return nullptr;
  }
}

static Type readTensorType(DialectBytecodeReader &reader, bool hasEncoding) {
  Attribute encoding;
  SmallVector<int64_t> shape;
  Type element;
  if ((hasEncoding && failed(reader.readAttribute(encoding))) ||
      failed(reader.readSignedVarInts(shape)) ||
      failed(reader.readType(element))) {
    return nullptr;
  }
  auto emitError = [&] { return reader.emitError(); };
  return RankedTensorType::getChecked(emitError, shape, element, encoding);
}

Type readType(DialectBytecodeReader &reader) {
  MLIRContext *context = reader.getContext();
  uint64_t code;
  if (failed(reader.readVarInt(code))) {
    return nullptr;
  }
  if (Type plain = plainType(code, context)) {
    return plain;
  }
  switch (static_cast<TypeCode>(code)) {
  case TypeCode::Complex: {
    Type element;
    if (failed(reader.readType(element))) {
      return nullptr;
    }
    auto emitError = [&] { return reader.emitError(); };
    return ComplexType::getChecked(emitError, element);
  }
  case TypeCode::Function: {
    SmallVector<Type> inputs;
    SmallVector<Type> outputs;
    if (failed(reader.readTypes(inputs)) || failed(reader.readTypes(outputs))) {
      return nullptr;
    }
    return FunctionType::get(context, inputs, outputs);
  }
  case TypeCode::Tensor:
    return readTensorType(reader, /*hasEncoding=*/false);
  case TypeCode::TensorWithEncoding:
    return readTensorType(reader, /*hasEncoding=*/true);
  case TypeCode::Tuple: {
    SmallVector<Type> elements;
    if (failed(reader.readTypes(elements))) {
      return nullptr;
    }
    return TupleType::get(context, elements);
  }
  }
  reader.emitError("VHLO type code ")
      << code
      << " is not supported (quantized, buffer and future types are "
         "among these)";
  return nullptr;
}

} // namespace xla::vhlo
