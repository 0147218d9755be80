//===- WriteOthers.cpp - Other dialects in artifacts ----------------------===//
//
// Shardings stay operations and attributes of their own dialect, beside VHLO's,
// and keep MLIR's types. Where values pass from the ones to the others, readers
// expect casts: `builtin.unrealized_conversion_cast`.
//
//===----------------------------------------------------------------------===//

#include "xla/dialect/vhlo/ArtifactWriter.h"

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace xla::vhlo {

//===----------------------------------------------------------------------===//
// Which they are
//===----------------------------------------------------------------------===//

bool isOfOtherDialect(Attribute value) {
  StringRef name = value.getDialect().getNamespace();
  return name != "builtin" && name != "stablehlo" && name != "func";
}

bool keepsDialect(Operation *op) {
  return op->getName().getDialectNamespace() == "sdy";
}

bool hasBuiltinType(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    return parent && keepsDialect(parent);
  }
  Operation *op = value.getDefiningOp();
  if (isa<UnrealizedConversionCastOp>(op)) {
    return llvm::any_of(op->getUsers(), keepsDialect);
  }
  return keepsDialect(op);
}

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

static Value castBy(OpBuilder &builder, Value value, Location location) {
  return UnrealizedConversionCastOp::create(builder, location, value.getType(),
                                            value)
      .getResult(0);
}

/// Gives users that do not keep their dialect a value with VHLO's type.
static void castForOthers(OpBuilder &builder, Value value) {
  auto isOther = [](OpOperand &use) { return !keepsDialect(use.getOwner()); };
  if (llvm::any_of(value.getUses(), isOther)) {
    Value cast = castBy(builder, value, value.getLoc());
    value.replaceUsesWithIf(cast, [&](OpOperand &use) {
      return isOther(use) && use.getOwner() != cast.getDefiningOp();
    });
  }
}

void insertCasts(ModuleOp module) {
  SmallVector<Operation *> operations;
  module->walk([&](Operation *op) {
    if (keepsDialect(op)) {
      operations.push_back(op);
    }
  });
  for (Operation *op : operations) {
    OpBuilder builder(op);
    for (OpOperand &operand : op->getOpOperands()) {
      if (!hasBuiltinType(operand.get())) {
        operand.set(castBy(builder, operand.get(), op->getLoc()));
      }
    }
    builder.setInsertionPointAfter(op);
    for (Value result : op->getResults()) {
      castForOthers(builder, result);
    }
    for (Region &region : op->getRegions()) {
      for (Block &block : region) {
        builder.setInsertionPointToStart(&block);
        for (Value argument : block.getArguments()) {
          castForOthers(builder, argument);
        }
      }
    }
  }
}

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

/// What a dialect's own code for bytecode writes to.
class DialectWriter : public DialectBytecodeWriter {
public:
  DialectWriter(ArtifactWriter &artifact, ByteWriter &out)
      : artifact(artifact), out(out) {}

  void writeAttribute(Attribute value) override {
    out.number(artifact.attribute(value, Form::Builtin));
  }
  void writeOptionalAttribute(Attribute value) override {
    if (value) {
      out.flagged(artifact.attribute(value, Form::Builtin), true);
    } else {
      out.number(0);
    }
  }
  void writeType(Type value) override {
    out.number(artifact.type(value, Form::Builtin));
  }
  void writeResourceHandle(const AsmDialectResourceHandle &) override {
    artifact.refuse("resources cannot be written to a portable artifact");
  }
  void writeVarInt(uint64_t value) override { out.number(value); }
  void writeSignedVarInt(int64_t value) override { out.signedNumber(value); }
  void writeAPIntWithKnownWidth(const APInt &value) override {
    out.bits(value);
  }
  void writeAPFloatWithKnownSemantics(const APFloat &value) override {
    out.bits(value.bitcastToAPInt());
  }
  void writeOwnedString(StringRef value) override {
    out.number(artifact.text(value));
  }
  void writeOwnedBlob(ArrayRef<char> value) override {
    out.blob(StringRef(value.data(), value.size()));
  }
  void writeOwnedBool(bool value) override { out.byte(value); }
  int64_t getBytecodeVersion() const override { return 6; }
  FailureOr<const DialectVersion *>
  getDialectVersion(StringRef) const override {
    return failure();
  }

private:
  ArtifactWriter &artifact;
  ByteWriter &out;
};

bool ArtifactWriter::writeOther(Attribute value, ByteWriter &out) {
  const auto *own =
      value.getDialect().getRegisteredInterface<BytecodeDialectInterface>();
  DialectWriter writer(*this, out);
  return own && succeeded(own->writeAttribute(value, writer));
}

/// The fields of an operation that keeps its dialect, which writes them.
std::optional<uint64_t> ArtifactWriter::writeOwnFields(Operation *op,
                                                       uint64_t &name) {
  name = operationName(op->getName().getDialectNamespace(),
                       op->getName().stripDialect());
  auto own = dyn_cast<BytecodeOpInterface>(op);
  if (!own || op->getPropertiesStorageSize() == 0) {
    return std::nullopt;
  }
  ByteWriter content;
  DialectWriter writer(*this, content);
  own.writeProperties(writer);
  return properties(content);
}

} // namespace xla::vhlo
