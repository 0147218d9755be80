//===- Program.cpp - A module as a program, by interpretation -------------===//

#include "xla/reference/Program.h"

#include "xla/analysis/Costs.h"
#include "xla/analysis/DeviceGroups.h"
#include "xla/reference/Interpreter.h"

#include <mutex>

using namespace mlir;

namespace xla::reference {

static bool findCollectives(ModuleOp module) {
  return module
      .walk([](Operation *op) {
        return isCollective(op) ? WalkResult::interrupt()
                                : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {
class ReferenceProgram final : public AbstractProgram {
public:
  ReferenceProgram(std::shared_ptr<MLIRContext> context,
                   OwningOpRef<ModuleOp> module, ProgramSignature signature)
      : context(std::move(context)), module(std::move(module)),
        theSignature(std::move(signature)), costs(costsOf(*this->module)),
        hasCollectives(findCollectives(*this->module)), tables(*this->module) {}

  Status check() { return tables.check(); }

  const ProgramSignature &signature() const override { return theSignature; }

  ProgramStatistics statistics() const override {
    ProgramStatistics statistics;
    statistics.flops = costs.flops;
    statistics.transcendentals = costs.transcendentals;
    statistics.bytesAccessed = costs.bytes;
    statistics.mayTakeLong = mayTakeLong(*module, costs);
    statistics.hasCollectives = hasCollectives;
    statistics.hasCalls = !tables.calls.empty();
    statistics.callsClient = llvm::any_of(tables.calls, [](const auto &entry) {
      return entry.second->callsClient();
    });
    return statistics;
  }

  Status run(const RunContext &context, void *const *arguments,
             void *const *results) const override {
    // MLIR's context is not made for threads: one device at a time.
    std::lock_guard<std::mutex> lock(mutex);
    Interpreter interpreter(tables, context, mutex);
    Tensors inputs, outputs;
    for (auto [index, argument] : llvm::enumerate(theSignature.arguments)) {
      const Shape shape = asStored(argument);
      if (shape.type == ElementType::Token) {
        inputs.push_back(Tensor::token());
        continue;
      }
      XLA_ASSIGN_OR_RETURN(Tensor input,
                           Tensor::zeros(shape.type, shape.dimensions));
      if (input.byteCount() != 0) {
        std::memcpy(input.mutableData(), arguments[index], input.byteCount());
      }
      inputs.push_back(std::move(input));
    }
    XLA_RETURN_IF_ERROR(interpreter.call("main", inputs, outputs));
    for (auto [index, output] : llvm::enumerate(outputs)) {
      if (output.byteCount() != 0) {
        std::memcpy(results[index], output.data(), output.byteCount());
      }
    }
    return okStatus();
  }

private:
  std::shared_ptr<MLIRContext> context;
  OwningOpRef<ModuleOp> module;
  ProgramSignature theSignature;
  Costs costs;
  bool hasCollectives;
  mutable std::mutex mutex;
  Tables tables; ///< guarded by `mutex`, after `check`
};
} // namespace

StatusOr<std::unique_ptr<AbstractProgram>>
makeProgram(std::shared_ptr<MLIRContext> context, OwningOpRef<ModuleOp> module,
            ProgramSignature signature) {
  auto program = std::make_unique<ReferenceProgram>(
      std::move(context), std::move(module), std::move(signature));
  XLA_RETURN_IF_ERROR(program->check());
  return std::unique_ptr<AbstractProgram>(std::move(program));
}

} // namespace xla::reference
