//===- Operations.cpp - Operations on shardings ---------------------------===//

#include "xla/dialect/sdy/SdyOps.h"
#include "xla/dialect/sdy/Values.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace xla::sdy {

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// `[<@mesh, [{"x"}]>, ...]`, without the brackets around it.
static ParseResult parseShardings(OpAsmParser &parser,
                                  TensorShardingPerValueAttr &result) {
  SmallVector<TensorShardingAttr> shardings;
  auto parseSharding = [&]() -> ParseResult {
    auto sharding = dyn_cast_or_null<TensorShardingAttr>(
        TensorShardingAttr::parse(parser, {}));
    shardings.push_back(sharding);
    return success(sharding != nullptr);
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square,
                                     parseSharding)) {
    return failure();
  }
  result = TensorShardingPerValueAttr::get(parser.getContext(), shardings);
  return success();
}

static void printShardings(OpAsmPrinter &printer, Operation *,
                           TensorShardingPerValueAttr shardings) {
  printer << '[';
  llvm::interleaveComma(shardings, printer, [&](TensorShardingAttr sharding) {
    printer.printStrippedAttrOrType(sharding);
  });
  printer << ']';
}

/// `(%arg: type, ...) { ... }`
static ParseResult parseBody(OpAsmParser &parser, Region &body) {
  SmallVector<OpAsmParser::Argument> arguments;
  if (parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren,
                               /*allowType=*/true, /*allowAttrs=*/true) ||
      parser.parseRegion(body, arguments)) {
    return failure();
  }
  return success();
}

static void printBody(OpAsmPrinter &printer, Operation *, Region &body) {
  printer << '(';
  llvm::interleaveComma(
      body.getArguments(), printer,
      [&](BlockArgument argument) { printer.printRegionArgument(argument); });
  printer << ") ";
  printer.printRegion(body, /*printEntryBlockArgs=*/false);
}

} // namespace xla::sdy

#define GET_OP_CLASSES
#include "xla/dialect/sdy/Ops.cpp.inc"

namespace xla::sdy {

void SdyDialect::addOperations() {
  Dialect::addOperations<
#define GET_OP_LIST
#include "xla/dialect/sdy/Ops.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

LogicalResult ShardingGroupOp::inferReturnTypes(MLIRContext *,
                                                std::optional<Location>,
                                                ValueRange, DictionaryAttr,
                                                OpaqueProperties, RegionRange,
                                                SmallVectorImpl<Type> &) {
  return success();
}

LogicalResult
ConstantOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                             ValueRange operands, DictionaryAttr attributes,
                             OpaqueProperties properties, RegionRange regions,
                             SmallVectorImpl<Type> &types) {
  ConstantOpAdaptor adaptor(operands, attributes, properties, regions);
  ElementsAttr value = adaptor.getValue();
  if (!value) {
    return emitOptionalError(location, "constant without a value");
  }
  types.push_back(value.getType());
  return success();
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

TensorShardingAttr ManualComputationOp::getInnerInSharding(int64_t i) {
  return withoutManual(getInShardings()[i], getManualAxes());
}

TensorShardingAttr ManualComputationOp::getInnerOutSharding(int64_t i) {
  return withoutManual(getOutShardings()[i], getManualAxes());
}

/// Manual axes of the one, then the axes of the other.
static TensorShardingAttr joinManual(TensorShardingAttr outer,
                                     TensorShardingAttr inner,
                                     ManualAxesAttr manual) {
  TensorShardingAttr prefix = onlyManual(outer, manual);
  SmallVector<DimensionShardingAttr> dims;
  for (auto [before, after] :
       llvm::zip(prefix.getDimShardings(), inner.getDimShardings())) {
    auto axes = llvm::to_vector(before.getAxes());
    llvm::append_range(axes, after.getAxes());
    dims.push_back(DimensionShardingAttr::get(
        outer.getContext(), axes, after.getIsClosed(),
        axes.empty() && after.getIsClosed() ? std::nullopt
                                            : after.getPriority()));
  }
  auto replicated = llvm::to_vector(prefix.getReplicatedAxes());
  llvm::append_range(replicated, inner.getReplicatedAxes());
  auto unreduced = llvm::to_vector(prefix.getUnreducedAxes());
  llvm::append_range(unreduced, inner.getUnreducedAxes());
  return TensorShardingAttr::get(
      outer.getContext(), outer.getMeshOrRef(), dims, replicated, unreduced,
      inner.isUnreduced() ? inner.getUnreducedKind()
                          : outer.getUnreducedKind());
}

void ManualComputationOp::setInnerInSharding(int64_t i,
                                             TensorShardingAttr sharding) {
  setInShardingsAttr(getInShardings().with(
      i, joinManual(getInShardings()[i], sharding, getManualAxes())));
}

void ManualComputationOp::setInnerOutSharding(int64_t i,
                                              TensorShardingAttr sharding) {
  setOutShardingsAttr(getOutShardings().with(
      i, joinManual(getOutShardings()[i], sharding, getManualAxes())));
}

ReturnOp ManualComputationOp::getReturn() {
  return cast<ReturnOp>(getBody().front().getTerminator());
}

} // namespace xla::sdy
