//===- NativeProgram.cpp - A program as machine code ----------------------===//

#include "xla/codegen/cpu/NativeProgram.h"

#include "xla/calls/ForeignCall.h"
#include "xla/codegen/cpu/Choose.h"
#include "xla/codegen/cpu/Emitter.h"
#include "xla/codegen/cpu/MachineCode.h"
#include "xla/codegen/cpu/MemoryTraffic.h"
#include "xla/codegen/cpu/OperationTable.h"
#include "xla/codegen/cpu/ProgramImage.h"
#include "xla/codegen/cpu/TargetDescription.h"
#include "xla/dialect/Costs.h"
#include "xla/dialect/DeviceGroups.h"
#include "xla/dialect/EntryLayouts.h"
#include "xla/dialect/OneExchange.h"
#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/optimize/Passes.h"
#include "xla/report/ProgramReport.h"
#include "xla/runtime/Allocator.h"
#include "xla/runtime/Collectives.h"
#include "xla/support/Stopwatch.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <new>
#include <sys/mman.h>

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

constexpr const char *entrySymbol = "xla_main";

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

struct FreeMemory {
  void operator()(void *memory) const { std::free(memory); }
};
using AlignedMemory = std::unique_ptr<void, FreeMemory>;

struct ConstantBlock {
  AlignedMemory memory;
  int64_t bytes;
};

AlignedMemory allocate(int64_t bytes) {
  bytes = std::max<int64_t>(64, (bytes + 63) & ~int64_t(63));
  constexpr int64_t hugePage = cpuTarget.hugePage;
  bool large = bytes >= 2 * hugePage;
  AlignedMemory memory(std::aligned_alloc(
      large ? hugePage : 64,
      large ? (bytes + hugePage - 1) & ~(hugePage - 1) : bytes));
  if (memory && large) {
    madvise(memory.get(), bytes, MADV_HUGEPAGE);
  }
  return memory;
}

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

  std::string optimizedText() const override { return parts.text; }
  std::string_view report() const override { return parts.report; }
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
    add(Emitter::markSymbol, &markOperation);
    add(Emitter::enterLoopSymbol, &enterLoop);
    add(Emitter::nextIterationSymbol, &nextIteration);
    add(Emitter::leaveLoopSymbol, &leaveLoop);
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
  std::string optimizedText() const override { return {}; }
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
    AlignedMemory memory = allocate(bytes);
    if (!memory) {
      failed = true;
      return 0;
    }
    write(llvm::cast<mlir::DenseElementsAttr>(op.getValue()), bytes,
          static_cast<char *>(memory.get()));
    auto number = static_cast<int64_t>(blocks.size());
    known[op.getValue()] = number;
    blocks.push_back({std::move(memory), bytes});
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

static std::string textOf(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  mlir::OpPrintingFlags flags;
  flags.elideLargeElementsAttrs(64);
  module.print(stream, flags);
  return text;
}

static Status checkTypes(mlir::func::FuncOp main) {
  Status status;
  main.walk([&](mlir::Operation *op) {
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

StatusOr<std::unique_ptr<AbstractProgram>>
compileNatively(mlir::ModuleOp module, ProgramSignature signature,
                const report::PartitionFacts &facts, bool records) {
  Stopwatch watch;
  XLA_RETURN_IF_ERROR(optimizeProgram(module));
  watch.phase("simplification");
  auto main = module.lookupSymbol<mlir::func::FuncOp>("main");
  XLA_RETURN_IF_ERROR(checkTypes(main));
  mlir::Block &body = main.getBody().front();
  Schedule schedule(body);
  const FusionPlan &fusion = schedule.fusion();
  BufferPlan buffers(body, fusion, schedule.rows(), signature.donations);
  if (buffers.arenaBytes() >= int64_t(1) << 62) {
    return invalidArgument("the temporary arrays of '" + signature.name +
                           "' are too large: together they exceed 2^62 bytes");
  }
  watch.phase("plans");
  std::optional<OperationTable> operations;
  if (records) {
    operations.emplace(module, body, fusion, schedule.rows());
    if (operations->size() <= 1) {
      return StatusOr<std::unique_ptr<AbstractProgram>>(
          std::make_unique<DescribedProgram>(std::move(signature),
                                             operations->take()));
    }
  }

  llvm::LLVMContext context;
  llvm::Module llvmModule(signature.name, context);
  ConstantStore constants;
  Emitter emitter(llvmModule, fusion, schedule.rows(), buffers,
                  signature.donations, partitionsOf(module));
  auto numberOf = [&](mlir::Value value) { return constants.numberOf(value); };
  emitter.setConstants(numberOf);
  std::vector<std::unique_ptr<ForeignCall>> calls;
  auto callOf = [&](stablehlo::CustomCallOp op) -> StatusOr<int64_t> {
    StatusOr<std::unique_ptr<ForeignCall>> call = ForeignCall::create(op);
    if (!call.ok()) {
      return call.status();
    }
    calls.push_back(std::move(*call));
    return static_cast<int64_t>(calls.size()) - 1;
  };
  emitter.setCalls(callOf);
  auto recordOf =
      [&](mlir::Operation *op) -> std::optional<Emitter::RecordNumber> {
    std::optional<int64_t> number = operations->markAt(op);
    if (!number) {
      return std::nullopt;
    }
    return Emitter::RecordNumber{*number, operations->loopOf(*number)};
  };
  if (operations) {
    emitter.setRecords(recordOf);
  }
  XLA_RETURN_IF_ERROR(emitter.emitEntry(body, entrySymbol));
  if (constants.failed) {
    return resourceExhausted("no memory for the program's constants");
  }
  watch.phase("emission");
  mergeEqualFunctions(llvmModule);
  watch.phase("merging");
  StatusOr<std::vector<std::string>> objects = makeObjects(llvmModule);
  if (!objects.ok()) {
    return objects.status();
  }
  watch.phase("code, on this thread");
  ProgramImage image;
  image.identity = codeIdentity();
  auto moved = [&](mlir::Operation *op) { return bytesMoved(op, fusion); };
  image.costs = costsOf(module, moved);
  image.mayTakeLong = mayTakeLong(module, image.costs);
  image.arenaBytes = emitter.arenaBytes();
  image.collectives = emitter.collectives();
  image.report = report::describeProgram(module, facts, moved);
  watch.phase("report");
  restoreEntryLayouts(module, signature.arguments, signature.results);
  separateExchanges(module);
  dropKernels(module);
  image.text = textOf(module);
  image.signature = std::move(signature);
  image.objects = std::move(*objects);
  watch.phase("text");
  auto program =
      start(std::move(image), std::move(constants.blocks), std::move(calls),
            operations ? operations->take() : std::vector<OperationFacts>());
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
    constants.push_back({allocate(size), size});
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
