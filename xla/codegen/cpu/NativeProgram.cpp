//===- NativeProgram.cpp - A program as machine code ----------------------===//

#include "xla/codegen/cpu/NativeProgram.h"

#include "xla/codegen/cpu/Emitter.h"
#include "xla/codegen/cpu/MemoryTraffic.h"
#include "xla/codegen/cpu/OpenLoops.h"
#include "xla/codegen/cpu/ProgramImage.h"
#include "xla/codegen/cpu/QuickCode.h"
#include "xla/runtime/Allocator.h"
#include "xla/runtime/Collectives.h"
#include "xla/support/StatusMacros.h"
#include "xla/support/Stopwatch.h"

#include <atomic>
#include <chrono>
#include <cstring>
#include <ctime>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

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
  XlaCollective numbered = *collective;
  numbered.number += context.firstCollective;
  state->failure =
      runCollective(context.launchGroup, context.partition, numbered, operands,
                    results, combine, combineContext, name);
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

/// A loop of the program that looks for better code while it runs.
struct LoopRecord {
  std::atomic<void *> continuation{nullptr};
  const OptimizableProgram *program;
};

/// A clock that takes as long as a few instructions and is some milliseconds
/// behind.
int64_t roughTime() {
  timespec time = {};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
  return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
}

void *findContinuation(const LoopRecord *record, int64_t *start) {
  if (void *found = record->continuation.load(std::memory_order_acquire)) {
    return found;
  }
  const int64_t now = roughTime();
  if (*start == 0) {
    *start = now;
  } else if (now - *start > record->program->optimizationNanoseconds()) {
    record->program->runTakesLong();
  }
  return nullptr;
}

class NativeProgram final : public OptimizableProgram {
public:
  NativeProgram(ProgramImage image, std::vector<ConstantBlock> constants,
                std::vector<std::unique_ptr<ForeignCall>> calls,
                std::vector<OperationFacts> operations,
                std::optional<SavedModule> quick, int64_t nanosecondsToOptimize)
      : parts(std::move(image)), constants(std::move(constants)),
        calls(std::move(calls)), recorded(std::move(operations)),
        quick(std::move(quick)), nanosecondsToOptimize(nanosecondsToOptimize),
        loops(this->quick ? this->quick->openLoops : 0) {
    for (LoopRecord &loop : loops) {
      loop.program = this;
    }
  }

  /// Links object files into the process, and lets runs from now on begin in
  /// their code.
  Status load(ObjectFiles objects) {
    auto loaded = loadObjects(objects, symbols());
    if (!loaded.ok()) {
      return loaded.status();
    }
    StatusOr<void *> address = (*loaded)->address(entrySymbol);
    if (!address.ok()) {
      return address.status();
    }
    std::lock_guard<std::mutex> lock(codeLock);
    bool isFirst = !code;
    retired = std::exchange(code, std::move(*loaded));
    if (!isFirst) {
      continueLoops();
      quick.reset();
      nanosecondsToOptimize = 0;
    }
    if (!quick) {
      parts.objects = std::move(objects); // for the image
    }
    entry.store(reinterpret_cast<EntryFunction>(*address),
                std::memory_order_release);
    return okStatus();
  }

  int64_t optimizationNanoseconds() const override {
    return nanosecondsToOptimize; // without a lock: after a fork, too
  }

  void optimize(const StepRunner &runStep) override {
    ObjectFiles objects;
    for (size_t i = 0; i < quick->parts.size(); ++i) {
      auto compilePart = [&] {
        XLA_ASSIGN_OR_RETURN(std::string object, makeObject(*quick, i));
        objects.push_back(std::move(object));
        return okStatus();
      };
      if (!runStep(compilePart)) {
        return;
      }
    }
    runStep([&] { return load(std::move(objects)); });
  }

  std::vector<CodeSymbol> symbols() const {
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
    for (auto [i, loop] : llvm::enumerate(loops)) {
      symbols.push_back({openLoopSymbol(static_cast<int64_t>(i)), &loop});
    }
    symbols.push_back({continuationFinder,
                       reinterpret_cast<const void *>(&findContinuation)});
    return symbols;
  }

  const ProgramSignature &signature() const override { return parts.signature; }

  ProgramStatistics statistics() const override {
    ProgramStatistics result;
    result.temporaryBytes = parts.arenaBytes;
    {
      std::lock_guard<std::mutex> lock(codeLock);
      result.generatedCodeBytes = code->bytes();
    }
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
    ProgramImage whole;
    {
      std::lock_guard<std::mutex> lock(codeLock);
      if (quick) {
        return {}; // the source stands for the code that it deserves
      }
      whole = parts;
    }
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
    EntryFunction run = entry.load(std::memory_order_acquire);
    int32_t answer = run(&state, arguments, results, arena.data());
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
  /// Lets loops that run now go on in the code that was loaded.
  void continueLoops() {
    for (auto [i, loop] : llvm::enumerate(loops)) {
      auto address = code->address(continuationSymbol(static_cast<int64_t>(i)));
      if (address.ok()) {
        loop.continuation.store(*address, std::memory_order_release);
      }
    }
  }

  static void addRecordSymbols(std::vector<CodeSymbol> &symbols) {
    auto add = [&](const char *name, auto *function) {
      symbols.push_back({name, reinterpret_cast<const void *>(function)});
    };
    add(OperationMarks::markSymbol, &markOperation);
    add(OperationMarks::enterLoopSymbol, &enterLoop);
    add(OperationMarks::nextIterationSymbol, &nextIteration);
    add(OperationMarks::leaveLoopSymbol, &leaveLoop);
  }

  ProgramImage parts; ///< without the constants; objects by `codeLock`
  std::vector<ConstantBlock> constants;
  std::vector<std::unique_ptr<ForeignCall>> calls;
  std::vector<OperationFacts> recorded; ///< empty: it makes no records
  mutable std::mutex codeLock;
  std::optional<SavedModule> quick; ///< without parts: it stays as it is
  std::atomic<int64_t> nanosecondsToOptimize;
  std::deque<LoopRecord> loops; ///< which do not move
  /// What runs begin in, and what those end in that began before.
  std::unique_ptr<LoadedCode> code, retired;
  std::atomic<EntryFunction> entry{nullptr};
};

/// What is known of a program that has no code: of one operation or none, which
/// is recorded from outside, its facts; of one that is planned, its statistics.
class DescribedProgram final : public AbstractProgram {
public:
  DescribedProgram(ProgramSignature signature,
                   std::vector<OperationFacts> operations,
                   ProgramStatistics statistics = {})
      : theSignature(std::move(signature)), recorded(std::move(operations)),
        theStatistics(statistics) {}

  const ProgramSignature &signature() const override { return theSignature; }
  ProgramStatistics statistics() const override { return theStatistics; }
  const std::vector<OperationFacts> &operations() const override {
    return recorded;
  }
  Status run(const RunContext &, void *const *, void *const *) const override {
    return Status(StatusCode::FailedPrecondition,
                  "'" + theSignature.name +
                      "' was planned and not compiled: it has no code. "
                      "Compile it without the tier \"plan\" to run it");
  }

private:
  ProgramSignature theSignature;
  std::vector<OperationFacts> recorded;
  ProgramStatistics theStatistics;
};

} // namespace

static StatusOr<std::unique_ptr<AbstractProgram>>
start(ProgramImage image, std::vector<ConstantBlock> constants,
      std::vector<std::unique_ptr<ForeignCall>> calls,
      std::vector<OperationFacts> operations = {},
      std::optional<SavedModule> quick = std::nullopt,
      int64_t nanosecondsToOptimize = 0) {
  ObjectFiles objects = std::move(image.objects);
  auto program = std::make_unique<NativeProgram>(
      std::move(image), std::move(constants), std::move(calls),
      std::move(operations), std::move(quick), nanosecondsToOptimize);
  XLA_RETURN_IF_ERROR(program->load(std::move(objects)));
  return StatusOr<std::unique_ptr<AbstractProgram>>(std::move(program));
}

std::unique_ptr<AbstractProgram>
describeOperations(ProgramSignature signature, OperationTable &operations) {
  return std::make_unique<DescribedProgram>(std::move(signature),
                                            operations.take());
}

std::unique_ptr<AbstractProgram> describePlan(ProgramSignature signature,
                                              int64_t temporaryBytes,
                                              const ProgramCosts &costs) {
  ProgramStatistics statistics;
  statistics.temporaryBytes = temporaryBytes;
  statistics.flops = costs.costs.flops;
  statistics.transcendentals = costs.costs.transcendentals;
  statistics.bytesAccessed = costs.costs.bytes;
  statistics.mayTakeLong = costs.mayTakeLong;
  return std::make_unique<DescribedProgram>(
      std::move(signature), std::vector<OperationFacts>(), statistics);
}

ProgramCosts countCosts(mlir::ModuleOp module, const Schedule &schedule) {
  Costs costs = costsOf(module, [&](mlir::Operation *op) {
    return bytesMoved(op, schedule.fusion());
  });
  return {costs, mayTakeLong(module, costs)};
}

/// Object files; of code that is made quickly, what the other is made from.
static StatusOr<ObjectFiles> generate(llvm::Module &module, Tier tier,
                                      std::optional<SavedModule> &quick) {
  if (tier == Tier::Best) {
    return makeObjects(module);
  }
  quick.emplace();
  auto objects =
      makeQuickObjects(module, tier == Tier::Auto ? &*quick : nullptr);
  if (tier == Tier::Auto && quick->parts.empty()) {
    quick.reset(); // nothing is left to be done
  }
  return objects;
}

/// Of this thread: to wait on a busy machine is no work.
static std::chrono::nanoseconds processorTime() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) +
         std::chrono::nanoseconds(time.tv_nsec);
}

StatusOr<std::unique_ptr<AbstractProgram>>
linkProgram(EmittedProgram emitted, Tier tier, const ProgramCosts &costs,
            ProgramSignature signature) {
  Stopwatch watch;
  std::chrono::nanoseconds begin = processorTime();
  std::optional<SavedModule> quick;
  XLA_ASSIGN_OR_RETURN(ObjectFiles objects,
                       generate(*emitted.module, tier, quick));
  std::chrono::nanoseconds taken = processorTime() - begin;
  // What all of LLVM takes, on one thread, as a multiple of what the quick part
  // of it took on as many as there are object files.
  constexpr int64_t costOfOptimizing = 4;
  int64_t toOptimize = tier == Tier::Auto && quick
                           ? taken.count() * costOfOptimizing *
                                 static_cast<int64_t>(objects.size())
                           : 0;
  watch.phase("code, on this thread");
  ProgramImage image;
  image.identity = codeIdentity();
  image.costs = costs.costs;
  image.mayTakeLong = costs.mayTakeLong;
  image.arenaBytes = emitted.arenaBytes;
  image.collectives = std::move(emitted.collectives);
  image.signature = std::move(signature);
  image.objects = std::move(objects);
  auto program = start(std::move(image), std::move(emitted.constants),
                       std::move(emitted.calls), std::move(emitted.operations),
                       std::move(quick), toOptimize);
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
