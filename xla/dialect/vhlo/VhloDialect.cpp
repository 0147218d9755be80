//===- VhloDialect.cpp - Operations that the bytecode reader knows --------===//

#include "xla/dialect/vhlo/VhloDialect.h"
#include "xla/dialect/vhlo/Vhlo.h"

#include "xla/dialect/TabledOperations.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;

namespace xla::vhlo {

namespace {

struct BytecodeReader : BytecodeDialectInterface {
  explicit BytecodeReader(Dialect *dialect)
      : BytecodeDialectInterface(dialect) {}

  Attribute readAttribute(DialectBytecodeReader &reader) const override {
    return vhlo::readAttribute(reader);
  }
  Type readType(DialectBytecodeReader &reader) const override {
    return vhlo::readType(reader);
  }
};

} // namespace

static constexpr OperationRow operationRows[] = {
#define VHLO_OPERATION(name, fields) {name, fields},
#include "xla/dialect/vhlo/Operations.def"
};

static const OperationTable &operationTable() {
  static const auto *table = new OperationTable(splitFields(operationRows));
  return *table;
}

bool isOperation(StringRef name) { return operationTable().contains(name); }

ArrayRef<StringRef> fieldsOf(StringRef name) {
  auto row = operationTable().find(name);
  return row == operationTable().end() ? ArrayRef<StringRef>() : row->second;
}

VhloDialect::VhloDialect(MLIRContext *context)
    : ExtensibleDialect(getDialectNamespace(), context,
                        TypeID::get<VhloDialect>()) {
  context->getOrLoadDialect<stablehlo::StablehloDialect>();
  context->getOrLoadDialect<func::FuncDialect>();
  addInterfaces<BytecodeReader>();
  registerOperations<operationTable>(*this, operationRows);
}

void registerVhlo(DialectRegistry &registry) { registry.insert<VhloDialect>(); }

std::optional<Version> parseVersion(StringRef text) {
  Version version;
  SmallVector<StringRef, 3> parts;
  text.split(parts, '.');
  if (parts.size() != 3 || parts[0].getAsInteger(10, version.major) ||
      parts[1].getAsInteger(10, version.minor) ||
      parts[2].getAsInteger(10, version.patch)) {
    return std::nullopt;
  }
  return version;
}

std::optional<std::string> explainNewerProducer(StringRef bytecode) {
  constexpr StringRef magic = "ML\xefR";
  if (!bytecode.consume_front(magic)) {
    return std::nullopt;
  }
  // One varint (the bytecode's version, always a single byte so far), then the
  // producer up to a NUL.
  StringRef producer = bytecode.drop_front(1).take_until(
      [](char letter) { return letter == '\0'; });
  if (!producer.consume_front("StableHLO_v")) {
    return std::nullopt;
  }
  std::optional<Version> version = parseVersion(producer);
  const Version ours;
  if (!version || std::pair(version->major, version->minor) <=
                      std::pair(ours.major, ours.minor)) {
    return std::nullopt;
  }
  return ("the program was written as StableHLO v" + producer +
          ", newer than v" + Twine(ours.major) + "." + Twine(ours.minor) +
          ", the newest that this compiler reads; serialize it for an older "
          "target version")
      .str();
}

} // namespace xla::vhlo
