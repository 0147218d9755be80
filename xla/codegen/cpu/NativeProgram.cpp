//===- NativeProgram.cpp - A program as machine code ----------------------===//

#include "xla/codegen/cpu/NativeProgram.h"

#include "xla/codegen/cpu/Emitter.h"
#include "xla/codegen/cpu/MemoryTraffic.h"
#include "xla/codegen/cpu/ProgramImage.h"
#include "xla/runtime/Allocator.h"
#include "xla/runtime/Collectives.h"
#include "xla/support/Stopwatch.h"

#include <cstring>

namespace xla::cpu {

namespace {

/// What the code hands to the handlers that it calls, and what they answered.
struct RunState {
  OperationRecord *record; ///< read by generated code: it comes first
  const RunContext &context;
  const std::vector<std::string> *collectives;
  Status failure;
};

using EntryFunction = int32_t (*)(RunState *, void *const *, void *const *,
                                  void *);

/// What generated code returns when the state holds the failure.
constexpr int32_t callFailed = 2;

int32_t runCall(RunState *state, const ForeignCall *call, void *const *operands,
                void *const *results) {
  state->failure = call->run(state->context, operands, results);
  return state->failure.ok() ? 0 : callFailed;
}

int32_t runCollectiveOf(RunState *state, const XlaCollective *collective,
                        void *const *operands, void *const *results,
                        XlaCombine combine, void *combineContext) {
  const RunContext &context = state->context;
  const std::string &name = (*state->collectives)[collective->number];
  state->failure =
      context.launchGroup
          ? runCollective(*context.launchGroup, context.partition, *collective,
                          operands, results, combine, combineContext, name)
          : internalError("the program was run for one device alone, and it "
                          "has a collective: " +
                          name);
  return state->failure.ok() ? 0 : callFailed;
}

void markOperation(OperationRecord *record, int64_t operation) {
  record->mark(operation);
}
void enterLoop(OperationRecord *record, int64_t loop) {
  record->enterLoop(loop);
}
void nextIteration(OperationRecord *record, int64_t loop) {
  record->nextIteration(loop);
}
void leaveLoop(OperationRecord *record, int64_t loop) {
  record->leaveLoop(loop);
}

int32_t partitionIdOf(RunState *state) { return state->context.partition; }

/// The temporary memory of one run, from the pool of the process: programs that
/// do not run at the same time share it.
class RunArena {
public:
  explicit RunArena(int64_t bytes)
      : bytes(bytes),
        start(bytes > 0 ? CachingAllocator::shared().allocate(bytes)
                        : nullptr) {}
  ~RunArena() {
    if (start) {
      CachingAllocator::shared().deallocate(start, bytes);
    }
  }
  RunArena(const RunArena &) = delete;
  RunArena &operator=(const RunArena &) = delete;

  void *data() const { return start; }

private:
  int64_t bytes;
  void *start;
};

class NativeProgram final : public AbstractProgram {
public:
  NativeProgram(ProgramImage image, std::vector<ConstantBlock> constants,
                std::vector<std::unique_ptr<ForeignCall>> calls,
                std::vector<OperationFacts> operations)
      : parts(std::move(image)), constants(std::move(constants)),
        calls(std::move(calls)), recorded(std::move(operations)) {}

  Status load() {
    std::vector<CodeSymbol> symbols;
    for (auto [i, constant] : llvm::enumerate(constants)) {
      symbols.push_back({Emitter::constantSymbol(static_cast<int64_t>(i)),
                         constant.memory.get()});
    }
    for (auto [i, call] : llvm::enumerate(calls)) {
      symbols.push_back(
          {Emitter::callSymbol(static_cast<int64_t>(i)), call.get()});
    }
    if (!calls.empty()) {
      symbols.push_back({Emitter::callRunnerSymbol,
                         reinterpret_cast<const void *>(&runCall)});
    }
    symbols.push_back({Emitter::collectiveRunnerSymbol,
                       reinterpret_cast<const void *>(&runCollectiveOf)});
    symbols.push_back({Emitter::partitionIdSymbol,
                       reinterpret_cast<const void *>(&partitionIdOf)});
    if (!recorded.empty()) {
      addRecordSymbols(symbols);
    }
    auto loaded = loadObjects(parts.objects, symbols);
    if (!loaded.ok()) {
      return loaded.status();
    }
    code = std::move(*loaded);
    StatusOr<void *> address = code->address(entrySymbol);
    if (!address.ok()) {
      return address.status();
    }
    entry = reinterpret_cast<EntryFunction>(*address);
    return okStatus();
  }

  const ProgramSignature &signature() const override { return parts.signature; }

  ProgramStatistics statistics() const override {
    ProgramStatistics result;
    result.temporaryBytes = parts.arenaBytes;
    result.generatedCodeBytes = code->bytes();
    result.flops = parts.costs.flops;
    result.transcendentals = parts.costs.transcendentals;
    result.bytesAccessed = parts.costs.bytes;
    result.mayTakeLong = parts.mayTakeLong != 0;
    result.hasCollectives = !parts.collectives.empty();
    result.hasCalls = !calls.empty();
    result.callsClient = llvm::any_of(
        calls, [](const auto &call) { return call->callsClient(); });
    return result;
  }

  const std::vector<OperationFacts> &operations() const override {
    return recorded;
  }

  std::string image() const override {
    if (!calls.empty() || !recorded.empty() || parts.identity.empty()) {
      return {}; // handlers are bound while the program is compiled
    }
    ProgramImage whole = parts;
    for (const ConstantBlock &constant : constants) {
      whole.constants.emplace_back(
          static_cast<const char *>(constant.memory.get()), constant.bytes);
    }
    return write(whole);
  }

  Status run(const RunContext &context, void *const *arguments,
             void *const *results) const override {
    RunArena arena(parts.arenaBytes);
    if (parts.arenaBytes > 0 && !arena.data()) {
      return resourceExhausted(
          "no memory for " + std::to_string(parts.arenaBytes) +
          " bytes of temporary arrays of '" + parts.signature.name + "'");
    }
    RunState state{context.record, context, &parts.collectives, okStatus()};
    int32_t answer = entry(&state, arguments, results, arena.data());
    if (answer == callFailed) {
      return state.failure;
    }
    if (answer != 0) {
      return resourceExhausted("a kernel of '" + parts.signature.name +
                               "' ran out of memory");
    }
    return okStatus();
  }

private:
  static void addRecordSymbols(std::vector<CodeSymbol> &symbols) {
    auto add = [&](const char *name, auto *function) {
      symbols.push_back({name, reinterpret_cast<const void *>(function)});
    };
    add(OperationMarks::markSymbol, &markOperation);
    add(OperationMarks::enterLoopSymbol, &enterLoop);
    add(OperationMarks::nextIterationSymbol, &nextIteration);
    add(OperationMarks::leaveLoopSymbol, &leaveLoop);
  }

  ProgramImage parts; ///< without the constants
  std::vector<ConstantBlock> constants;
  std::vector<std::unique_ptr<ForeignCall>> calls;
  std::vector<OperationFacts> recorded; ///< empty: it makes no records
  std::unique_ptr<LoadedCode> code;
  EntryFunction entry = nullptr;
};

/// Of one operation or none, which is recorded from outside: its facts alone.
class DescribedProgram final : public AbstractProgram {
public:
  DescribedProgram(ProgramSignature signature,
                   std::vector<OperationFacts> operations)
      : theSignature(std::move(signature)), recorded(std::move(operations)) {}

  const ProgramSignature &signature() const override { return theSignature; }
  ProgramStatistics statistics() const override { return {}; }
  const std::vector<OperationFacts> &operations() const override {
    return recorded;
  }
  Status run(const RunContext &, void *const *, void *const *) const override {
    return internalError("a description of a program was run");
  }

private:
  ProgramSignature theSignature;
  std::vector<OperationFacts> recorded;
};

} // namespace

static StatusOr<std::unique_ptr<AbstractProgram>>
start(ProgramImage image, std::vector<ConstantBlock> constants,
      std::vector<std::unique_ptr<ForeignCall>> calls,
      std::vector<OperationFacts> operations = {}) {
  auto program =
      std::make_unique<NativeProgram>(std::move(image), std::move(constants),
                                      std::move(calls), std::move(operations));
  XLA_RETURN_IF_ERROR(program->load());
  return StatusOr<std::unique_ptr<AbstractProgram>>(std::move(program));
}

std::unique_ptr<AbstractProgram>
describeOperations(ProgramSignature signature, OperationTable &operations) {
  return std::make_unique<DescribedProgram>(std::move(signature),
                                            operations.take());
}

ProgramCosts countCosts(mlir::ModuleOp module, const Schedule &schedule) {
  Costs costs = costsOf(module, [&](mlir::Operation *op) {
    return bytesMoved(op, schedule.fusion());
  });
  return {costs, mayTakeLong(module, costs)};
}

StatusOr<std::unique_ptr<AbstractProgram>>
linkProgram(EmittedProgram emitted, std::vector<std::string> objects,
            const ProgramCosts &costs, ProgramSignature signature) {
  Stopwatch watch;
  ProgramImage image;
  image.identity = codeIdentity();
  image.costs = costs.costs;
  image.mayTakeLong = costs.mayTakeLong;
  image.arenaBytes = emitted.arenaBytes;
  image.collectives = std::move(emitted.collectives);
  image.signature = std::move(signature);
  image.objects = std::move(objects);
  auto program = start(std::move(image), std::move(emitted.constants),
                       std::move(emitted.calls), std::move(emitted.operations));
  watch.phase("linking");
  return program;
}

StatusOr<std::unique_ptr<AbstractProgram>>
loadNatively(std::string_view bytes) {
  StatusOr<ProgramImage> image = readProgramImage(bytes);
  if (!image.ok()) {
    return image.status();
  }
  if (image->identity.empty() || image->identity != codeIdentity()) {
    return Status(StatusCode::FailedPrecondition,
                  "the program was compiled by another build of the compiler "
                  "or for another processor: '" +
                      image->identity + "', and this is '" + codeIdentity() +
                      "'");
  }
  std::vector<ConstantBlock> constants;
  for (const std::string &constant : image->constants) {
    auto size = static_cast<int64_t>(constant.size());
    constants.push_back(ConstantBlock::allocate(size));
    if (!constants.back().memory) {
      return resourceExhausted("no memory for the program's constants");
    }
    std::memcpy(constants.back().memory.get(), constant.data(),
                constant.size());
  }
  image->constants.clear();
  return start(std::move(*image), std::move(constants), {});
}

} // namespace xla::cpu
