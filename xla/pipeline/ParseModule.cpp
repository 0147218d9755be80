//===- ParseModule.cpp - From bytes to a verified module ------------------===//

#include "xla/pipeline/ParseModule.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "xla/conversion/Conversion.h"
#include "xla/dialect/CheckBytecode.h"
#include "xla/dialect/CheckText.h"
#include "xla/dialect/EntryLayouts.h"
#include "xla/dialect/FixedSizes.h"
#include "xla/dialect/Registration.h"
#include "xla/dialect/Shapes.h"
#include "xla/dialect/SparseProduct.h"
#include "xla/dialect/sdy/HloSharding.h"
#include "xla/dialect/sdy/Sdy.h"
#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/dialect/vhlo/Vhlo.h"
#include "xla/partition/Partition.h"
#include "xla/partition/Passes.h"
#include "xla/support/Stopwatch.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace xla {

namespace {
/// Collects errors in place of printing them; the first few are enough.
class DiagnosticCollector {
public:
  explicit DiagnosticCollector(MLIRContext *context)
      : handler(context, [this](Diagnostic &diagnostic) {
          return collect(diagnostic);
        }) {}

  std::string text() const {
    return messages.empty() ? "no reason was given" : messages;
  }

private:
  static constexpr int kMaxErrors = 5;

  LogicalResult collect(Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != DiagnosticSeverity::Error ||
        ++count > kMaxErrors) {
      return success();
    }
    llvm::raw_string_ostream stream(messages);
    if (count > 1) {
      stream << "\n";
    }
    stream << diagnostic.getLocation() << ": " << diagnostic.str();
    for (Diagnostic &note : diagnostic.getNotes()) {
      // The operation in full would repeat the program.
      if (!StringRef(note.str()).starts_with("see current operation")) {
        stream << "\n  " << note.str();
      }
    }
    return success();
  }

  std::string messages;
  int count = 0;
  ScopedDiagnosticHandler handler;
};
} // namespace

static std::unique_ptr<MLIRContext> makeContext() {
  DialectRegistry registry;
  registerDialects(registry);
  vhlo::registerVhlo(registry);
  auto context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  return context;
}

//===----------------------------------------------------------------------===//
// The signature of main
//===----------------------------------------------------------------------===//

static Status addShapes(TypeRange types, StringRef what,
                        std::vector<Shape> &shapes) {
  for (auto [index, type] : llvm::enumerate(types)) {
    StatusOr<Shape> shape = shapeOf(type);
    if (!shape.ok()) {
      return Status(shape.status().code(),
                    (what + " " + std::to_string(index)).str() +
                        " of main: " + shape.status().message());
    }
    shapes.push_back(std::move(*shape));
  }
  return okStatus();
}

static std::string textOf(Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  attribute.print(stream, /*elideType=*/true);
  return text;
}

/// `tf.aliasing_output` names the result that takes an argument's memory;
/// `jax.buffer_donor` lets us choose one of the same size.
static Status addDonations(func::FuncOp main, ProgramSignature &signature) {
  std::vector<bool> isTaken(signature.results.size(), false);
  auto sizeOf = [](const Shape &shape) { return byteSize(shape).value_or(-1); };
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    Attribute attribute = main.getArgAttr(i, "tf.aliasing_output");
    if (!attribute) {
      continue;
    }
    auto alias = dyn_cast<IntegerAttr>(attribute);
    int64_t result = alias ? alias.getValue().trySExtValue().value_or(-1) : -1;
    if (result < 0 || result >= int64_t(isTaken.size()) || isTaken[result] ||
        sizeOf(signature.results[result]) != sizeOf(signature.arguments[i])) {
      return invalidArgument(
          "argument " + std::to_string(i) +
          " of main cannot be aliased with result " + textOf(attribute) +
          ": tf.aliasing_output needs the number of a result of the same size "
          "in bytes, aliased once");
    }
    isTaken[result] = true;
    signature.donations.push_back({int32_t(i), int32_t(result)});
  }
  // The first result of each size stands last.
  llvm::DenseMap<int64_t, llvm::SmallVector<int32_t>> freeBySize;
  for (size_t r = isTaken.size(); r-- > 0;) {
    if (!isTaken[r]) {
      freeBySize[sizeOf(signature.results[r])].push_back(int32_t(r));
    }
  }
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    auto donor = main.getArgAttrOfType<BoolAttr>(i, "jax.buffer_donor");
    auto found = freeBySize.find(sizeOf(signature.arguments[i]));
    if (donor && donor.getValue() && found != freeBySize.end() &&
        !found->second.empty()) {
      signature.donations.push_back({int32_t(i), found->second.pop_back_val()});
    }
  }
  return okStatus();
}

/// `mhlo.memory_kind` names the memory of an argument or a result.
static Status addMemory(Attribute kind, StringRef what, unsigned index,
                        std::vector<std::string> &memories) {
  auto name = dyn_cast_or_null<StringAttr>(kind);
  if (kind && !name) {
    return invalidArgument((what + " " + std::to_string(index)).str() +
                           " of main has mhlo.memory_kind = " + textOf(kind) +
                           "; that is a string");
  }
  memories.push_back(name ? name.str() : "");
  return okStatus();
}

static Status addMemories(func::FuncOp main, ProgramSignature &signature) {
  constexpr StringRef attribute = "mhlo.memory_kind";
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    XLA_RETURN_IF_ERROR(addMemory(main.getArgAttr(i, attribute), "argument", i,
                                  signature.argumentMemories));
  }
  for (unsigned i = 0; i < main.getNumResults(); ++i) {
    XLA_RETURN_IF_ERROR(addMemory(main.getResultAttr(i, attribute), "result", i,
                                  signature.resultMemories));
  }
  return okStatus();
}

static StatusOr<ProgramSignature> readSignature(ModuleOp module) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main) {
    return invalidArgument("the module has no function @main to start from");
  }
  if (main.isExternal()) {
    return invalidArgument("function @main has no body");
  }
  ProgramSignature signature;
  signature.name = module.getName().value_or("main").str();
  for (Status status :
       {addShapes(main.getArgumentTypes(), "argument", signature.arguments),
        addShapes(main.getResultTypes(), "result", signature.results)}) {
    XLA_RETURN_IF_ERROR(status);
  }
  XLA_RETURN_IF_ERROR(addDonations(main, signature));
  XLA_RETURN_IF_ERROR(addMemories(main, signature));
  return signature;
}

/// What the verifiers leave open, refused here so that nothing behind has to
/// ask: arrays whose size overflows, sizes that do not fit types, and constants
/// that are not written out.
static Status checkArrays(Operation *op) {
  for (Type type : op->getResultTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape()) {
      continue;
    }
    StatusOr<Shape> shape = shapeOf(tensor);
    if (!shape.ok() && shape.status().code() == StatusCode::InvalidArgument) {
      std::string place;
      llvm::raw_string_ostream(place)
          << op->getName() << " at " << op->getLoc();
      return invalidArgument(place + ": " + shape.status().message());
    }
  }
  auto constant = dyn_cast<stablehlo::ConstantOp>(op);
  if (constant && !isa<DenseElementsAttr>(constant.getValue())) {
    std::string text;
    llvm::raw_string_ostream(text)
        << "the value of a constant is not written out\n  type     "
        << constant.getType() << "\n  at       " << op->getLoc()
        << "\n  rule     constants are dense<...>, neither sparse<...> nor "
           "dense_resource<...>";
    return invalidArgument(std::move(text));
  }
  return takesSizes(op) ? checkKnownSizes(op) : okStatus();
}

static Status checkArrays(ModuleOp module) {
  Status status;
  module.walk([&](Operation *op) {
    status = checkArrays(op);
    return status.ok() ? WalkResult::advance() : WalkResult::interrupt();
  });
  return status;
}

//===----------------------------------------------------------------------===//
// Partitions
//===----------------------------------------------------------------------===//

/// Makes the program of one device of it, without shardings.
static Status divide(ModuleOp module, const CompileOptions &options,
                     const DiagnosticCollector &diagnostics,
                     partition::PartitionReport &report) {
  constexpr StringRef attribute = "mhlo.num_partitions";
  auto said = module->getAttrOfType<IntegerAttr>(attribute);
  if (said && said.getInt() != options.partitions) {
    return invalidArgument(
        "the module is for " + std::to_string(said.getInt()) +
        " partitions (mhlo.num_partitions), and the compile options ask for " +
        std::to_string(options.partitions));
  }
  if (options.partitions > 1) {
    module->setAttr(attribute, OpBuilder(module).getI32IntegerAttr(
                                   static_cast<int32_t>(options.partitions)));
  }
  if (options.partitions == 1 || !options.isToBeDivided) {
    return sdy::dropTrivialShardings(module)
               ? okStatus()
               : unimplemented("the module cannot be compiled: " +
                               diagnostics.text());
  }
  partition::PartitionOptions divided;
  divided.partitions = options.partitions;
  divided.choosesParameters = options.choosesArguments;
  divided.choosesResults = options.choosesResults;
  return partition::partitionModule(module, divided, report);
}

static std::string textOfSharding(const std::string &message) {
  StatusOr<sdy::HloSharding> sharding = sdy::decodeHloSharding(message);
  return sharding.ok() ? sdy::toText(*sharding) : "{unknown}";
}

/// What front ends look for in the program's text.
static void describeShardings(ModuleOp module,
                              const partition::PartitionReport &report) {
  OpBuilder builder(module);
  SmallVector<Attribute> parameters;
  for (const std::string &sharding : report.parameterShardings) {
    parameters.push_back(builder.getStringAttr(textOfSharding(sharding)));
  }
  if (!parameters.empty()) {
    module->setAttr("mhlo.spmd_parameters_shardings",
                    builder.getArrayAttr(parameters));
  }
  SmallVector<Attribute> seen;
  for (const partition::SeenCall &call : report.seen) {
    SmallVector<Attribute> texts{builder.getStringAttr(call.key)};
    for (const std::string &sharding : call.shardings) {
      texts.push_back(builder.getStringAttr(textOfSharding(sharding)));
    }
    seen.push_back(builder.getArrayAttr(texts));
  }
  if (!seen.empty()) {
    module->setAttr("xla.seen_shardings", builder.getArrayAttr(seen));
  }
  std::string results;
  for (const std::string &sharding : report.resultShardings) {
    results += (results.empty() ? "" : ", ") + textOfSharding(sharding);
  }
  if (report.resultShardings.size() > 1) {
    results = "{" + results + "}";
  }
  if (!results.empty()) {
    module->setAttr("mhlo.spmd_output_sharding",
                    builder.getStringAttr(results));
  }
}

//===----------------------------------------------------------------------===//
// parseModule
//===----------------------------------------------------------------------===//

StatusOr<ParsedModule> parseModule(std::string_view bytes,
                                   const CompileOptions &options) {
  Stopwatch watch;
  StringRef input(bytes.data(), bytes.size());
  bool isBytecode = input.starts_with("ML\xEFR");
  if (isBytecode) {
    if (std::optional<std::string> reason = vhlo::explainNewerProducer(input)) {
      return Status(StatusCode::Unknown, *reason);
    }
    if (std::optional<std::string> reason = explainDamage(input)) {
      return invalidArgument("the module cannot be read: " + *reason);
    }
  } else if (std::optional<std::string> reason = explainNesting(input)) {
    return invalidArgument("the module cannot be read: " + *reason);
  }
  watch.phase("check before reading");
  ParsedModule parsed;
  parsed.context = makeContext();
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
  // VHLO cannot be verified; what it becomes is, below.
  ParserConfig config(parsed.context.get(), /*verifyAfterParse=*/false);
  parsed.module = parseSourceFile<ModuleOp>(sources, config);
  if (!parsed.module) {
    return invalidArgument("the module cannot be read: " + diagnostics.text());
  }
  watch.phase("parsing");
  if (!vhlo::convertToStablehlo(*parsed.module) ||
      failed(verify(*parsed.module))) {
    return invalidArgument("the module is not valid: " + diagnostics.text());
  }
  watch.phase("verification");
  XLA_RETURN_IF_ERROR(partition::listReplicaGroups(*parsed.module));
  if (options.partitions > 1 && options.isToBeDivided) {
    XLA_RETURN_IF_ERROR(
        partition::importTiles(*parsed.module, options.partitions));
    if (failed(verify(*parsed.module))) {
      return invalidArgument("the module's mhlo.sharding attributes do not fit "
                             "its arrays: " +
                             diagnostics.text());
    }
  }
  simplifyCustomCalls(*parsed.module);
  lowerRng(*parsed.module);
  // The interpreter computes decompositions; programs to be divided, too.
  if (options.backend == Backend::Native &&
      (options.partitions == 1 || !options.isToBeDivided)) {
    keepSparseProducts(*parsed.module);
  }
  if (failed(callComposites(*parsed.module)) ||
      failed(lowerChlo(*parsed.module))) {
    return unimplemented("the module cannot be lowered: " + diagnostics.text());
  }
  watch.phase("lowering to StableHLO");
  partition::PartitionReport report;
  XLA_RETURN_IF_ERROR(divide(*parsed.module, options, diagnostics, report));
  watch.phase("partitioning");
  StatusOr<ProgramSignature> signature = readSignature(*parsed.module);
  if (!signature.ok()) {
    return signature.status();
  }
  parsed.signature = std::move(*signature);
  describeShardings(*parsed.module, report);
  parsed.signature.argumentShardings = std::move(report.parameterShardings);
  parsed.signature.resultShardings = std::move(report.resultShardings);
  parsed.facts = std::move(report.facts);
  XLA_RETURN_IF_ERROR(checkArrays(*parsed.module));
  XLA_RETURN_IF_ERROR(applyEntryLayouts(
      *parsed.module, {parsed.signature.arguments, parsed.signature.results}));
  watch.phase("signature");
  return parsed;
}

} // namespace xla
