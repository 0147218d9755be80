//===- MakeObjects.cpp - Code for a module, by several threads ------------===//
//
// A module of many functions is cut into parts. LLVM lets no two threads work
// in one context, so each part is read from bitcode into a context of its own.
//
//===----------------------------------------------------------------------===//

#include "xla/codegen/cpu/QuickCode.h"

#include "xla/codegen/cpu/MathCalls.h"
#include "xla/codegen/cpu/MathLibrary.h"
#include "xla/codegen/cpu/OpenLoops.h"
#include "xla/runtime/ThreadPool.h"
#include "xla/support/StatusMacros.h"
#include "xla/support/Stopwatch.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

#include <cstdlib>
#include <mutex>

namespace xla::cpu {

enum class Effort : uint8_t { Quick, Full };

/// For people who look into the compiler: prints IR to standard error where
/// XLA_DUMP_LLVM is set.
static bool dumps() {
  static const bool wanted = std::getenv("XLA_DUMP_LLVM") != nullptr;
  return wanted;
}

static void dump(llvm::Module &module, const char *when) {
  if (dumps()) {
    llvm::errs() << "; " << when << "\n" << module;
  }
}

/// The one way to select instructions, also where it is to take little time:
/// vectors have no quick one.
static void configure(llvm::TargetMachine &machine, Effort effort) {
  if (effort == Effort::Quick) {
    machine.setOptLevel(llvm::CodeGenOptLevel::None);
    machine.setFastISel(false);
    machine.setO0WantsFastISel(false);
  }
}

namespace {
/// A target machine, and the passes that make object files with it. To find out
/// what the processor can do, and to make the passes, takes as long as to
/// compile a small program; they serve one module after the other.
class CodeGenerator {
public:
  static StatusOr<std::unique_ptr<CodeGenerator>> make(Effort effort) {
    XLA_ASSIGN_OR_RETURN(std::unique_ptr<llvm::TargetMachine> machine,
                         makeTargetMachine());
    configure(*machine, effort);
    auto generator = std::make_unique<CodeGenerator>(std::move(machine));
    llvm::MCContext *context = nullptr;
    if (generator->target->addPassesToEmitMC(generator->passes, context,
                                             generator->stream,
                                             /*DisableVerify=*/true)) {
      return internalError("LLVM cannot emit an object file");
    }
    return generator;
  }

  explicit CodeGenerator(std::unique_ptr<llvm::TargetMachine> machine)
      : target(std::move(machine)) {}

  llvm::TargetMachine &machine() { return *target; }

  std::string run(llvm::Module &module) {
    passes.run(module);
    std::string object(bytes.begin(), bytes.end());
    bytes.clear();
    return object;
  }

private:
  std::unique_ptr<llvm::TargetMachine> target;
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream{bytes};
  llvm::legacy::PassManager passes;
};

/// Code generators that no thread uses.
class SpareGenerators {
public:
  StatusOr<std::unique_ptr<CodeGenerator>> take(Effort effort) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      auto &those = generators[effort == Effort::Quick];
      if (!those.empty()) {
        return those.pop_back_val();
      }
    }
    return CodeGenerator::make(effort);
  }

  void give(Effort effort, std::unique_ptr<CodeGenerator> generator) {
    std::lock_guard<std::mutex> lock(mutex);
    generators[effort == Effort::Quick].push_back(std::move(generator));
  }

private:
  std::mutex mutex;
  llvm::SmallVector<std::unique_ptr<CodeGenerator>> generators[2];
};
} // namespace

/// Never destroyed: code may be made while the process ends.
static SpareGenerators &spareGenerators() {
  static auto *all = new SpareGenerators;
  return *all;
}

static Status compile(llvm::Module &module, Effort effort,
                      std::string &object) {
  Stopwatch watch;
  XLA_ASSIGN_OR_RETURN(std::unique_ptr<CodeGenerator> generator,
                       spareGenerators().take(effort));
  llvm::TargetMachine &machine = generator->machine();
  module.setDataLayout(machine.createDataLayout());
  module.setTargetTriple(machine.getTargetTriple());
  if (effort == Effort::Quick) {
    lookForContinuations(module);
  } else {
    inlineOpenLoops(module);
  }
  XLA_RETURN_IF_ERROR(MathLibrary::link(module));
  declareVectorMath(module);
  watch.phase("math library");
  dump(module, "as emitted");
#ifndef NDEBUG
  std::string problem;
  llvm::raw_string_ostream reasons(problem);
  if (llvm::verifyModule(module, &reasons)) {
    return internalError("the code generator made invalid IR: " + problem);
  }
#endif
  if (effort == Effort::Quick) {
    optimizeQuickly(module, machine);
  } else {
    optimizeModule(module, machine);
  }
  watch.phase("LLVM's passes");
  dump(module, "optimised");
  object = generator->run(module);
  spareGenerators().give(effort, std::move(generator));
  watch.phase("machine code");
  return okStatus();
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// What a function costs to compile, in instructions that go through all or
/// nearly all passes; some 25 microseconds each. A call of a math function
/// becomes its body.
static size_t costOf(const llvm::Function &function, Effort effort) {
  constexpr size_t mathBody = 40, call = 20, few = 5;
  if (effort == Effort::Quick && !isThorough(function)) {
    return 1 + function.getInstructionCount() / few;
  }
  if (function.hasOptNone()) {
    return function.getInstructionCount() / 4;
  }
  size_t cost = call;
  for (const llvm::BasicBlock &block : function) {
    for (const llvm::Instruction &instruction : block) {
      const auto *made = llvm::dyn_cast<llvm::CallBase>(&instruction);
      const llvm::Function *callee = made ? made->getCalledFunction() : nullptr;
      bool isInlined =
          callee && MathLibrary::isMath(*callee) && !made->isNoInline();
      cost += isInlined ? mathBody : 1;
    }
  }
  return cost;
}

using Part = llvm::StringSet<>; // names of functions

using Functions = llvm::function_ref<bool(const llvm::Function &)>;

static bool all(const llvm::Function &) { return true; }

/// The dearest functions first, each to the part that has the least to do. As
/// many parts as are worth `least`, but no more than `most`.
static std::vector<Part> cut(llvm::Module &module, Effort effort, size_t least,
                             size_t most, Functions wanted = all) {
  std::vector<std::pair<size_t, llvm::Function *>> functions;
  size_t total = 0;
  for (llvm::Function &function : module) {
    if (!function.isDeclaration() && wanted(function)) {
      functions.push_back({costOf(function, effort), &function});
      total += functions.back().first;
    }
  }
  size_t count = dumps() ? 1 : std::min(most, total / least);
  std::vector<Part> parts(std::max<size_t>(count, 1));
  std::vector<size_t> costs(parts.size());
  llvm::sort(functions, [](const auto &a, const auto &b) {
    return a.first != b.first ? a.first > b.first
                              : a.second->getName() < b.second->getName();
  });
  for (auto [cost, function] : functions) {
    size_t emptiest = llvm::min_element(costs) - costs.begin();
    costs[emptiest] += cost;
    parts[emptiest].insert(function->getName());
  }
  return parts;
}

static Status makePart(llvm::StringRef bitcode, const Part &part, Effort effort,
                       std::string &object) {
  llvm::LLVMContext context;
  auto module = llvm::getLazyBitcodeModule(
      llvm::MemoryBufferRef(bitcode, "part"), context);
  if (!module) {
    return internalError("a part of the program cannot be read: " +
                         llvm::toString(module.takeError()));
  }
  for (llvm::Function &function : **module) {
    bool isWanted = part.contains(function.getName()) ||
                    (effort == Effort::Full && isInlinedLoop(function));
    if (!function.isDeclaration() && !isWanted) {
      function.deleteBody();
    }
  }
  if (auto error = (*module)->materializeAll()) {
    return internalError("a part of the program cannot be read: " +
                         llvm::toString(std::move(error)));
  }
  for (llvm::Function &function : llvm::make_early_inc_range(**module)) {
    if (function.isDeclaration() && function.use_empty()) {
      function.eraseFromParent();
    }
  }
  return compile(**module, effort, object);
}

/// What one part may cost on the thread that compiles in the background: a fork
/// waits for it.
static constexpr size_t backgroundPart = 500;

/// To read a part from bitcode, and to wake a thread, takes half a millisecond.
static constexpr size_t worthAThread = 100;

namespace {
/// A part, and how hard LLVM works on it.
struct Task {
  Part part;
  Effort effort;
};
} // namespace

/// Adds the functions that are `wanted`, in parts.
static void addTasks(llvm::Module &module, Effort effort, Functions wanted,
                     std::vector<Task> &tasks) {
  auto threads = static_cast<size_t>(ThreadPool::shared().threads());
  for (Part &part : cut(module, effort, worthAThread, threads, wanted)) {
    if (!part.empty()) {
      tasks.push_back({std::move(part), effort});
    }
  }
}

/// Functions that other parts call are seen from there.
static void showFunctions(llvm::Module &module) {
  for (llvm::Function &function : module) {
    if (function.hasLocalLinkage()) {
      function.setLinkage(llvm::GlobalValue::ExternalLinkage);
    }
  }
}

/// Writes what it compiles into `saved`, too, where that is not null.
static StatusOr<ObjectFiles> compileTasks(llvm::Module &module,
                                          const std::vector<Task> &tasks,
                                          SavedModule *saved) {
  if (tasks.size() > 1 || (saved && saved->parts.size() > 1)) {
    showFunctions(module);
  }
  std::string bitcode;
  if (saved || tasks.size() > 1) {
    llvm::raw_string_ostream stream(bitcode);
    llvm::WriteBitcodeToFile(module, stream);
  }
  ObjectFiles objects(tasks.size());
  if (tasks.size() == 1) {
    XLA_RETURN_IF_ERROR(compile(module, tasks.front().effort, objects.front()));
  } else {
    std::vector<Status> statuses(tasks.size());
    ThreadPool::shared().parallelFor(
        static_cast<int64_t>(tasks.size()), 1, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            statuses[i] =
                makePart(bitcode, tasks[i].part, tasks[i].effort, objects[i]);
          }
        });
    for (const Status &status : statuses) {
      XLA_RETURN_IF_ERROR(status);
    }
  }
  if (saved) {
    saved->bitcode = std::move(bitcode);
  }
  return objects;
}

StatusOr<std::vector<std::string>> makeObjects(llvm::Module &module) {
  keepManyMathCalls(module);
  std::vector<Task> tasks;
  addTasks(module, Effort::Full, all, tasks);
  return compileTasks(module, tasks, nullptr);
}

StatusOr<ObjectFiles> makeQuickObjects(llvm::Module &module,
                                       SavedModule *saved) {
  keepManyMathCalls(module);
  chooseEffort(module);
  if (saved) {
    saved->openLoops = outlineOpenLoops(module);
  }
  std::vector<Task> tasks;
  addTasks(module, Effort::Full, deservesAll, tasks);
  const size_t full = tasks.size();
  addTasks(
      module, Effort::Quick,
      [](const llvm::Function &function) {
        return !deservesAll(function) && !isContinuation(function);
      },
      tasks);
  if (full > 0 && dumps()) { // in one piece
    tasks = {{{}, Effort::Full}};
  }
  if (saved && tasks.size() > full) {
    saved->parts = cut(module, Effort::Full, backgroundPart, module.size(),
                       [](const llvm::Function &function) {
                         return !isInlinedLoop(function);
                       });
  } else {
    saved = nullptr; // all of it has all effort already
  }
  return compileTasks(module, tasks, saved);
}

StatusOr<std::string> makeObject(const SavedModule &module, size_t part) {
  std::string object;
  XLA_RETURN_IF_ERROR(
      makePart(module.bitcode, module.parts[part], Effort::Full, object));
  return object;
}

} // namespace xla::cpu
