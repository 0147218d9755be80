//===- ReadSignature.cpp - What main takes and returns --------------------===//

#include "xla/pipeline/Pipeline.h"

#include "xla/analysis/ShapeOperands.h"
#include "xla/conversion/EntryLayouts.h"
#include "xla/dialect/Shapes.h"
#include "xla/dialect/sdy/HloSharding.h"
#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/support/StatusMacros.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace xla {

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

static StatusOr<ProgramSignature> signatureOf(ModuleOp module) {
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
      std::string source;
      llvm::raw_string_ostream(source)
          << op->getName() << " at " << op->getLoc();
      return invalidArgument(source + ": " + shape.status().message());
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
  return hasShapeOperands(op) ? checkShapeOperands(op) : okStatus();
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
// Shardings
//===----------------------------------------------------------------------===//

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

/// Both backends run a replica as if it were alone.
static Status checkReplicas(ModuleOp module, int64_t replicas) {
  Operation *collective = nullptr;
  module.walk([&](Operation *op) {
    using namespace stablehlo;
    if (isa<AllGatherOp, AllReduceOp, AllToAllOp, CollectiveBroadcastOp,
            CollectivePermuteOp, CollectiveReduceOp, ReduceScatterOp,
            ReplicaIdOp>(op)) {
      collective = op;
    }
  });
  if (replicas == 1 || !collective) {
    return okStatus();
  }
  std::string text;
  llvm::raw_string_ostream(text)
      << "'" << collective->getName() << "' joins " << replicas
      << " replicas, and this compiler makes programs that run alone\n"
         "  at       "
      << collective->getLoc();
  return unimplemented(std::move(text));
}

Status readSignature(Compilation &compilation) {
  ModuleOp module = compilation.module;
  partition::PartitionReport &report = compilation.partitioned;
  XLA_ASSIGN_OR_RETURN(ProgramSignature signature, signatureOf(module));
  describeShardings(module, report);
  signature.argumentShardings = report.parameterShardings;
  signature.resultShardings = report.resultShardings;
  XLA_RETURN_IF_ERROR(checkArrays(module));
  XLA_RETURN_IF_ERROR(
      applyEntryLayouts(module, {signature.arguments, signature.results}));
  XLA_RETURN_IF_ERROR(checkReplicas(module, compilation.options.replicas));
  compilation.signature = std::move(signature);
  return okStatus();
}

} // namespace xla
