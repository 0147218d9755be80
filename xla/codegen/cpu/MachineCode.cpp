//===- MachineCode.cpp - From LLVM IR to code in memory -------------------===//

#include "xla/codegen/cpu/MachineCode.h"

#include "xla/codegen/cpu/RuntimeSymbols.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ExecutionEngine/JITLink/JITLink.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/Core.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

#include <atomic>
#include <cstdlib>
#include <mutex>

namespace xla::cpu {

//===----------------------------------------------------------------------===//
// The processor
//===----------------------------------------------------------------------===//

static Processor detectProcessor() {
  Processor processor;
  const char *choice = std::getenv("XLA_CPU_FEATURES");
  llvm::StringRef wanted = choice ? choice : "";
  if (wanted == "baseline") {
    processor.name = "x86-64";
    return processor;
  }
  if (wanted == "avx2") {
    processor.name = "x86-64-v3";
    processor.vectorBits = 256;
    return processor;
  }
  processor.name = llvm::sys::getHostCPUName().str();
  auto features = llvm::sys::getHostCPUFeatures();
  // Its instructions have no form that leaves the upper halves of registers
  // alone: among wider vectors each may cost hundreds of cycles.
  features["sse4a"] = false;
  // LLVM keeps to half of a vector wherever wide ones once lowered the clock.
  // Processors that know these instructions lower it little, and most multiply
  // twice as many numbers at a time.
  if (features.lookup("avx512f") && features.lookup("avx512vbmi2")) {
    features["prefer-256-bit"] = false;
  }
  llvm::SmallVector<llvm::StringRef> names;
  for (const auto &feature : features) {
    names.push_back(feature.getKey());
  }
  llvm::sort(names);
  for (llvm::StringRef feature : names) {
    processor.features += processor.features.empty() ? "" : ",";
    processor.features += features[feature] ? "+" : "-";
    processor.features += feature;
  }
  processor.vectorBits = features.lookup("avx512f") ? 512
                         : features.lookup("avx")   ? 256
                                                    : 128;
  __builtin_cpu_init();
  processor.areSubnormalsSlow = __builtin_cpu_is("intel");
  return processor;
}

const Processor &hostProcessor() {
  static const Processor processor = detectProcessor();
  return processor;
}

StatusOr<std::unique_ptr<llvm::TargetMachine>> makeTargetMachine() {
  static std::once_flag once;
  static const llvm::Target *target = nullptr;
  static std::string problem;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    target = llvm::TargetRegistry::lookupTarget(
        llvm::Triple("x86_64-unknown-linux-gnu"), problem);
  });
  if (!target) {
    return internalError("LLVM lacks the X86 target: " + problem);
  }
  const Processor &processor = hostProcessor();
  llvm::TargetOptions options;
  // Contraction follows the flags on each instruction, not this switch.
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard;
  options.NoTrapAfterNoreturn = true;
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      llvm::Triple("x86_64-unknown-linux-gnu"), processor.name,
      processor.features, options, llvm::Reloc::PIC_, llvm::CodeModel::Small,
      llvm::CodeGenOptLevel::Default, /*JIT=*/true));
  if (!machine) {
    return internalError("LLVM cannot generate code for " + processor.name);
  }
  return machine;
}

//===----------------------------------------------------------------------===//
// The session: one per process, one library per piece of loaded code
//===----------------------------------------------------------------------===//

namespace {

class Session {
public:
  static StatusOr<Session *> get() {
    // Never destroyed: code may still run while the process ends.
    static Session *session = new Session();
    if (!session->layer) {
      return internalError("cannot start the linker: " + session->problem);
    }
    return session;
  }

  std::unique_ptr<llvm::orc::ExecutionSession> execution;
  std::unique_ptr<llvm::orc::ObjectLinkingLayer> layer;
  llvm::orc::JITDylib *runtime = nullptr;
  std::atomic<uint64_t> count = 0;

private:
  Session() {
    auto control = llvm::orc::SelfExecutorProcessControl::Create();
    if (!control) {
      problem = llvm::toString(control.takeError());
      return;
    }
    execution =
        std::make_unique<llvm::orc::ExecutionSession>(std::move(*control));
    // Errors come back from the look-up that meets them.
    execution->setErrorReporter(
        [](llvm::Error error) { llvm::consumeError(std::move(error)); });
    runtime = &execution->createBareJITDylib("runtime");
    llvm::orc::SymbolMap symbols;
    for (const RuntimeSymbol &symbol : runtimeSymbols()) {
      symbols[execution->intern(symbol.name)] = {
          llvm::orc::ExecutorAddr::fromPtr(symbol.address),
          llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
    }
    if (auto error =
            runtime->define(llvm::orc::absoluteSymbols(std::move(symbols)))) {
      problem = llvm::toString(std::move(error));
      return;
    }
    layer = std::make_unique<llvm::orc::ObjectLinkingLayer>(
        *execution, execution->getExecutorProcessControl().getMemMgr());
  }

  std::string problem;
};

class LinkedCode final : public LoadedCode {
public:
  LinkedCode(Session &session, llvm::orc::JITDylib &library, int64_t bytes)
      : session(session), library(&library), size(bytes) {}

  ~LinkedCode() override {
    llvm::consumeError(session.execution->removeJITDylib(*library));
  }

  StatusOr<void *> address(llvm::StringRef symbol) const override {
    auto found = session.execution->lookup({library}, symbol);
    if (!found) {
      return internalError("generated code does not link: " +
                           llvm::toString(found.takeError()));
    }
    return found->getAddress().toPtr<void *>();
  }

  int64_t bytes() const override { return size; }

private:
  Session &session;
  llvm::orc::JITDylib *library;
  int64_t size;
};

} // namespace

static llvm::Error fill(llvm::orc::JITDylib &library, Session &session,
                        const std::vector<std::string> &objects,
                        const std::vector<CodeSymbol> &symbols) {
  llvm::orc::SymbolMap map;
  for (const CodeSymbol &symbol : symbols) {
    map[session.execution->intern(symbol.name)] = {
        llvm::orc::ExecutorAddr::fromPtr(symbol.address),
        llvm::JITSymbolFlags::Exported};
  }
  if (!map.empty()) {
    if (auto error =
            library.define(llvm::orc::absoluteSymbols(std::move(map)))) {
      return error;
    }
  }
  for (const std::string &object : objects) {
    if (auto error = session.layer->add(
            library, llvm::MemoryBuffer::getMemBufferCopy(object))) {
      return error;
    }
  }
  return llvm::Error::success();
}

StatusOr<std::unique_ptr<LoadedCode>>
loadObjects(const std::vector<std::string> &objects,
            const std::vector<CodeSymbol> &symbols) {
  StatusOr<Session *> started = Session::get();
  if (!started.ok()) {
    return started.status();
  }
  Session &session = **started;
  int64_t bytes = 0;
  for (const std::string &object : objects) {
    bytes += static_cast<int64_t>(object.size());
  }
  uint64_t number = session.count++;
  auto library =
      session.execution->createJITDylib("program" + std::to_string(number));
  if (!library) {
    return internalError("cannot open a library for generated code: " +
                         llvm::toString(library.takeError()));
  }
  library->addToLinkOrder(*session.runtime);
  auto code = std::make_unique<LinkedCode>(session, *library, bytes);
  if (auto error = fill(*library, session, objects, symbols)) {
    return internalError("generated code does not link: " +
                         llvm::toString(std::move(error)));
  }
  return StatusOr<std::unique_ptr<LoadedCode>>(std::move(code));
}

} // namespace xla::cpu
