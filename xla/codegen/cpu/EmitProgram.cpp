//===- EmitProgram.cpp - A program as LLVM IR -----------------------------===//

#include "xla/codegen/cpu/EmitProgram.h"

#include "xla/analysis/DeviceGroups.h"
#include "xla/codegen/cpu/Emitter.h"
#include "xla/codegen/cpu/TargetDescription.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

#include "llvm/Support/raw_ostream.h"

#include <cstring>
#include <sys/mman.h>

namespace xla::cpu {

ConstantBlock ConstantBlock::allocate(int64_t bytes) {
  int64_t size = std::max<int64_t>(64, (bytes + 63) & ~int64_t(63));
  constexpr int64_t hugePage = cpuTarget.hugePage;
  bool large = size >= 2 * hugePage;
  ConstantBlock block{
      std::unique_ptr<void, FreeMemory>(std::aligned_alloc(
          large ? hugePage : 64,
          large ? (size + hugePage - 1) & ~(hugePage - 1) : size)),
      bytes};
  if (block.memory && large) {
    madvise(block.memory.get(), size, MADV_HUGEPAGE);
  }
  return block;
}

namespace {
/// Lays out dense constants as the program's arrays are.
class ConstantStore {
public:
  int64_t numberOf(mlir::Value value) {
    auto op = value.getDefiningOp<stablehlo::ConstantOp>();
    auto found = known.find(op.getValue());
    if (found != known.end()) {
      return found->second;
    }
    int64_t bytes = byteSizeOf(value);
    ConstantBlock block = ConstantBlock::allocate(bytes);
    if (!block.memory) {
      failed = true;
      return 0;
    }
    write(llvm::cast<mlir::DenseElementsAttr>(op.getValue()), bytes,
          static_cast<char *>(block.memory.get()));
    auto number = static_cast<int64_t>(blocks.size());
    known[op.getValue()] = number;
    blocks.push_back(std::move(block));
    return number;
  }

  std::vector<ConstantBlock> blocks;
  bool failed = false;

private:
  static void write(mlir::DenseElementsAttr dense, int64_t bytes, char *out) {
    if (bytes == 0) {
      return;
    }
    if (dense.getElementType().isInteger(1)) {
      for (bool value : dense.getValues<bool>()) {
        *out++ = value;
      }
      return;
    }
    llvm::ArrayRef<char> raw = dense.getRawData();
    if (static_cast<int64_t>(raw.size()) == bytes) {
      std::memcpy(out, raw.data(), bytes);
      return;
    }
    for (int64_t at = 0; at < bytes; at += raw.size()) { // a splat
      std::memcpy(out + at, raw.data(), raw.size());
    }
  }

  llvm::DenseMap<mlir::Attribute, int64_t> known;
};

} // namespace

Status checkStaticShapes(mlir::ModuleOp module) {
  Status status;
  module.lookupSymbol("main")->walk([&](mlir::Operation *op) {
    auto check = [&](mlir::Type type) {
      auto shaped = llvm::dyn_cast<mlir::ShapedType>(type);
      if (status.ok() && shaped &&
          (!llvm::isa<mlir::RankedTensorType>(type) ||
           !shaped.hasStaticShape())) {
        std::string text;
        llvm::raw_string_ostream(text)
            << "the CPU compiler needs static shapes: '" << op->getName()
            << "' has type " << type << " at " << op->getLoc();
        status = unimplemented(std::move(text));
      }
    };
    llvm::for_each(op->getOperandTypes(), check);
    llvm::for_each(op->getResultTypes(), check);
  });
  return status;
}

StatusOr<EmittedProgram> emitProgram(mlir::ModuleOp module,
                                     const Schedule &schedule,
                                     const BufferPlan &buffers,
                                     const ProgramSignature &signature,
                                     OperationTable *operations) {
  if (buffers.arenaBytes() >= int64_t(1) << 62) {
    return invalidArgument("the temporary arrays of '" + signature.name +
                           "' are too large: together they exceed 2^62 bytes");
  }
  EmittedProgram program;
  program.context = std::make_unique<llvm::LLVMContext>();
  program.module =
      std::make_unique<llvm::Module>(signature.name, *program.context);
  ConstantStore constants;
  Emitter emitter(*program.module, schedule.fusion(), schedule.rows(), buffers,
                  signature.donations, partitionsOf(module));
  auto numberOf = [&](mlir::Value value) { return constants.numberOf(value); };
  emitter.setConstants(numberOf);
  auto callOf = [&](stablehlo::CustomCallOp op) -> StatusOr<int64_t> {
    StatusOr<std::unique_ptr<ForeignCall>> call = ForeignCall::create(op);
    if (!call.ok()) {
      return call.status();
    }
    program.calls.push_back(std::move(*call));
    return static_cast<int64_t>(program.calls.size()) - 1;
  };
  emitter.setCalls(callOf);
  auto recordOf =
      [&](mlir::Operation *op) -> std::optional<OperationMarks::Number> {
    std::optional<int64_t> number = operations->markAt(op);
    if (!number) {
      return std::nullopt;
    }
    return OperationMarks::Number{*number, operations->loopOf(*number)};
  };
  if (operations) {
    emitter.marks.setNumbers(recordOf);
  }
  XLA_RETURN_IF_ERROR(emitter.emitEntry(schedule.body(), entrySymbol));
  if (constants.failed) {
    return resourceExhausted("no memory for the program's constants");
  }
  program.constants = std::move(constants.blocks);
  program.collectives = emitter.collectives();
  program.arenaBytes = emitter.parts.arenaBytes();
  if (operations) {
    program.operations = operations->take();
  }
  return program;
}

} // namespace xla::cpu
