//===- NativeProgram.cpp - A program as machine code ----------------------===//

#include "xla/codegen/cpu/NativeProgram.h"

#include "xla/calls/ForeignCall.h"
#include "xla/codegen/cpu/Emitter.h"
#include "xla/codegen/cpu/MachineCode.h"
#include "xla/conversion/Costs.h"
#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/optimize/Passes.h"
#include "xla/runtime/Allocator.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <new>
#include <sys/mman.h>

namespace xla::cpu {

namespace {

/// What the code hands to the handlers that it calls, and what they answered.
struct RunState {
  const RunContext &context;
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

struct FreeMemory {
  void operator()(void *memory) const { std::free(memory); }
};
using AlignedMemory = std::unique_ptr<void, FreeMemory>;

AlignedMemory allocate(int64_t bytes) {
  bytes = std::max<int64_t>(64, (bytes + 63) & ~int64_t(63));
  constexpr int64_t hugePage = 2 << 20;
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
  NativeProgram(ProgramSignature signature, std::string text, Costs costs,
                std::unique_ptr<LoadedCode> code, EntryFunction entry,
                int64_t arenaBytes, std::vector<AlignedMemory> constants,
                std::vector<std::unique_ptr<ForeignCall>> calls)
      : theSignature(std::move(signature)), text(std::move(text)), costs(costs),
        code(std::move(code)), entry(entry), arenaBytes(arenaBytes),
        constants(std::move(constants)), calls(std::move(calls)) {}

  const ProgramSignature &signature() const override { return theSignature; }

  ProgramStatistics statistics() const override {
    ProgramStatistics result;
    result.temporaryBytes = arenaBytes;
    result.generatedCodeBytes = code->bytes();
    result.flops = costs.flops;
    result.transcendentals = costs.transcendentals;
    for (const auto *shapes :
         {&theSignature.arguments, &theSignature.results}) {
      for (const Shape &shape : *shapes) {
        result.bytesAccessed += double(byteSize(shape).value_or(0));
      }
    }
    return result;
  }

  std::string optimizedText() const override { return text; }

  Status run(const RunContext &context, void *const *arguments,
             void *const *results) const override {
    RunArena arena(arenaBytes);
    if (arenaBytes > 0 && !arena.data()) {
      return resourceExhausted("no memory for " + std::to_string(arenaBytes) +
                               " bytes of temporary arrays of '" +
                               theSignature.name + "'");
    }
    RunState state{context, okStatus()};
    int32_t code = entry(&state, arguments, results, arena.data());
    if (code == callFailed) {
      return state.failure;
    }
    if (code != 0) {
      return resourceExhausted("a kernel of '" + theSignature.name +
                               "' ran out of memory");
    }
    return okStatus();
  }

private:
  ProgramSignature theSignature;
  std::string text;
  Costs costs;
  std::unique_ptr<LoadedCode> code;
  EntryFunction entry;
  int64_t arenaBytes;
  std::vector<AlignedMemory> constants;
  std::vector<std::unique_ptr<ForeignCall>> calls;
};

/// Lays out dense constants as the program's arrays are.
class ConstantStore {
public:
  const void *dataOf(mlir::Value value) {
    auto op = value.getDefiningOp<stablehlo::ConstantOp>();
    auto found = known.find(op.getValue());
    if (found != known.end()) {
      return found->second;
    }
    int64_t bytes = byteSizeOf(value);
    AlignedMemory memory = allocate(bytes);
    if (!memory) {
      failed = true;
      return nullptr;
    }
    write(llvm::dyn_cast<mlir::DenseElementsAttr>(op.getValue()), bytes,
          static_cast<char *>(memory.get()));
    const void *data = memory.get();
    known[op.getValue()] = data;
    blocks.push_back(std::move(memory));
    return data;
  }

  std::vector<AlignedMemory> blocks;
  bool failed = false;

private:
  static void write(mlir::DenseElementsAttr dense, int64_t bytes, char *out) {
    if (!dense || bytes == 0) {
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

  llvm::DenseMap<mlir::Attribute, const void *> known;
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

/// For people who look into the compiler: prints IR to standard error where
/// XLA_DUMP_LLVM is set.
static void dump(llvm::Module &module, const char *when) {
  static const bool wanted = std::getenv("XLA_DUMP_LLVM") != nullptr;
  if (wanted) {
    llvm::errs() << "; " << when << "\n" << module;
  }
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

StatusOr<std::unique_ptr<AbstractProgram>>
compileNatively(mlir::ModuleOp module, ProgramSignature signature) {
  XLA_RETURN_IF_ERROR(optimizeProgram(module));
  auto main = module.lookupSymbol<mlir::func::FuncOp>("main");
  XLA_RETURN_IF_ERROR(checkTypes(main));
  mlir::Block &body = main.getBody().front();
  FusionPlan fusion(body);
  BufferPlan buffers(body, fusion, signature.donations, scratchBytes);

  StatusOr<std::unique_ptr<llvm::TargetMachine>> machine = makeTargetMachine();
  if (!machine.ok()) {
    return machine.status();
  }
  llvm::LLVMContext context;
  llvm::Module llvmModule(signature.name, context);
  llvmModule.setDataLayout((*machine)->createDataLayout());
  llvmModule.setTargetTriple((*machine)->getTargetTriple());
  ConstantStore constants;
  Emitter emitter(llvmModule, fusion, buffers, signature.donations);
  auto dataOf = [&](mlir::Value value) { return constants.dataOf(value); };
  emitter.setConstants(dataOf);
  std::vector<std::unique_ptr<ForeignCall>> calls;
  auto callOf = [&](stablehlo::CustomCallOp op) -> StatusOr<const void *> {
    StatusOr<std::unique_ptr<ForeignCall>> call = ForeignCall::create(op);
    if (!call.ok()) {
      return call.status();
    }
    calls.push_back(std::move(*call));
    return static_cast<const void *>(calls.back().get());
  };
  emitter.setCalls(callOf, reinterpret_cast<const void *>(&runCall));
  XLA_RETURN_IF_ERROR(emitter.emitEntry(body, "xla_main"));
  if (constants.failed) {
    return resourceExhausted("no memory for the program's constants");
  }
  XLA_RETURN_IF_ERROR(emitter.math.link(llvmModule));
  dump(llvmModule, "as emitted");
#ifndef NDEBUG
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (llvm::verifyModule(llvmModule, &stream)) {
    return internalError("the code generator made invalid IR: " + problem);
  }
#endif
  optimizeModule(llvmModule, **machine);
  dump(llvmModule, "optimised");
  StatusOr<std::unique_ptr<LoadedCode>> code =
      loadModule(llvmModule, **machine);
  if (!code.ok()) {
    return code.status();
  }
  StatusOr<void *> entry = (*code)->address("xla_main");
  if (!entry.ok()) {
    return entry.status();
  }
  std::string text = textOf(module);
  return StatusOr<std::unique_ptr<AbstractProgram>>(
      std::make_unique<NativeProgram>(
          std::move(signature), std::move(text), costsOf(module),
          std::move(*code), reinterpret_cast<EntryFunction>(*entry),
          buffers.arenaBytes(), std::move(constants.blocks), std::move(calls)));
}

} // namespace xla::cpu
