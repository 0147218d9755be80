//===- ParseModule.cpp - From bytes to a module ---------------------------===//

#include "xla/pipeline/Pipeline.h"

#include "mlir/Parser/Parser.h"
#include "xla/analysis/CheckBytecode.h"
#include "xla/analysis/CheckText.h"
#include "xla/dialect/Registration.h"
#include "xla/dialect/vhlo/Vhlo.h"
#include "xla/pipeline/Diagnostics.h"
#include "xla/support/Stopwatch.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

#include <memory>
#include <mutex>
#include <utility>

using namespace mlir;

namespace xla {

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//
//
// To make a context with its dialects, and to destroy it, takes a third of the
// time in which a small program is compiled. So one that has read small modules
// serves another compilation. All that it ever read stays in it: after some
// modules it goes.

namespace {
struct Context {
  std::unique_ptr<MLIRContext> context;
  int modules = 0; ///< that it has read
};

class SpareContext {
public:
  Context take() {
    std::lock_guard<std::mutex> lock(mutex);
    return std::exchange(spare, {});
  }

  void give(Context context) {
    std::lock_guard<std::mutex> lock(mutex);
    std::swap(spare, context);
  }

private:
  std::mutex mutex;
  Context spare;
};
} // namespace

/// Never destroyed: a program may be compiled while the process ends.
static SpareContext &spareContext() {
  static auto *theContext = new SpareContext;
  return *theContext;
}

static std::unique_ptr<MLIRContext> makeContext() {
  DialectRegistry registry;
  registerDialects(registry);
  vhlo::registerVhlo(registry);
  auto context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  return context;
}

/// A context for a module of so many bytes, which may hold what small modules
/// left.
static std::shared_ptr<MLIRContext> contextFor(size_t bytes) {
  constexpr size_t smallModule = 1 << 16;
  constexpr int mostModules = 32;
  if (bytes > smallModule) {
    return makeContext();
  }
  Context taken = spareContext().take();
  if (!taken.context) {
    taken.context = makeContext();
  }
  int modules = taken.modules + 1;
  MLIRContext *context = taken.context.release();
  return {context, [modules](MLIRContext *done) {
            std::unique_ptr<MLIRContext> owner(done);
            if (modules < mostModules) {
              spareContext().give({std::move(owner), modules});
            }
          }};
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Says why MLIR must not read the bytes.
static Status checkInput(StringRef input) {
  std::optional<std::string> reason;
  if (!input.starts_with("ML\xEFR")) {
    reason = explainNesting(input);
  } else if ((reason = vhlo::explainNewerProducer(input))) {
    return Status(StatusCode::Unknown, *reason);
  } else {
    reason = explainDamage(input);
  }
  return reason ? invalidArgument("the module cannot be read: " + *reason)
                : okStatus();
}

StatusOr<Compilation> parseModule(std::string_view bytes,
                                  const CompileOptions &options) {
  Stopwatch watch;
  StringRef input(bytes.data(), bytes.size());
  XLA_RETURN_IF_ERROR(checkInput(input));
  watch.phase("check before reading");
  Compilation parsed{.options = options, .context = contextFor(input.size())};
  watch.phase("MLIR context");
  DiagnosticCollector diagnostics(parsed.context.get());
  // A copy that ends in the NUL that MLIR's lexer relies on, aligned for
  // bytecode.
  std::unique_ptr<llvm::WritableMemoryBuffer> buffer =
      llvm::WritableMemoryBuffer::getNewUninitMemBuffer(input.size(), "module",
                                                        llvm::Align(64));
  if (!buffer) {
    return resourceExhausted("no memory to read a module of " +
                             std::to_string(input.size()) + " bytes");
  }
  llvm::copy(input, buffer->getBufferStart());
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  // VHLO cannot be verified; what it becomes is, behind --xla-import-vhlo.
  ParserConfig config(parsed.context.get(), /*verifyAfterParse=*/false);
  parsed.owner = parseSourceFile<ModuleOp>(sources, config);
  if (!parsed.owner) {
    return invalidArgument("the module cannot be read: " + diagnostics.text());
  }
  parsed.module = *parsed.owner;
  watch.phase("parsing");
  return parsed;
}

} // namespace xla
