//===- EntryLayouts.cpp - Layouts of main's arguments and results ---------===//

#include "xla/conversion/EntryLayouts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "xla/dialect/stablehlo/StablehloOps.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace xla {

static constexpr StringRef attributeName = "mhlo.layout_mode";

/// The numbers of "{1,0}", or nothing.
static std::optional<std::vector<int64_t>> readNumbers(StringRef text) {
  std::vector<int64_t> numbers;
  if (!text.consume_front("{") || !text.consume_back("}")) {
    return std::nullopt;
  }
  for (text = text.trim(); !text.empty();) {
    auto [first, rest] = text.split(',');
    int64_t number = 0;
    if (first.trim().getAsInteger(10, number)) {
      return std::nullopt;
    }
    numbers.push_back(number);
    text = rest;
  }
  return numbers;
}

static Status readLayout(Attribute attribute, StringRef what, size_t index,
                         Shape &shape) {
  if (!attribute) {
    return okStatus();
  }
  auto text = dyn_cast<StringAttr>(attribute);
  if (text && (text == "default" || text == "auto")) {
    return okStatus();
  }
  std::string message;
  llvm::raw_string_ostream(message)
      << what << " " << index << " of main, " << toString(shape) << ", has "
      << attributeName << " = " << attribute;
  if (text && text.getValue().contains(':')) {
    return unimplemented(message + "; arrays of the CPU are dense, without "
                                   "tiles: give the dimensions alone");
  }
  std::optional<std::vector<int64_t>> numbers =
      text ? readNumbers(text.getValue()) : std::nullopt;
  if (!numbers || !setLayout(shape, std::move(*numbers))) {
    return invalidArgument(message + "; that is \"default\", \"auto\", or each "
                                     "dimension once, from minor to major, as "
                                     "\"{1,0}\"");
  }
  return okStatus();
}

static bool isOrdered(const Shape &shape) { return shape.minorToMajor.empty(); }

static bool isOrdered(const std::vector<Shape> &shapes) {
  return llvm::all_of(shapes,
                      [](const Shape &shape) { return isOrdered(shape); });
}

static RankedTensorType typeOf(Type type, const Shape &shape) {
  return RankedTensorType::get(shape.dimensions,
                               cast<RankedTensorType>(type).getElementType());
}

/// The row-major array with the same bytes that `value` has in the layout of
/// `shape`.
static Value toStored(OpBuilder &builder, Value value, const Shape &shape) {
  if (isOrdered(shape)) {
    return value;
  }
  SmallVector<int64_t> permutation(llvm::reverse(shape.minorToMajor));
  return stablehlo::TransposeOp::create(
      builder, value.getLoc(), typeOf(value.getType(), asStored(shape)), value,
      permutation);
}

/// The other way round.
static Value fromStored(OpBuilder &builder, Value value, const Shape &shape) {
  if (isOrdered(shape)) {
    return value;
  }
  const size_t rank = shape.dimensions.size();
  SmallVector<int64_t> permutation(rank);
  for (auto [i, dimension] : llvm::enumerate(shape.minorToMajor)) {
    permutation[dimension] = static_cast<int64_t>(rank - 1 - i);
  }
  return stablehlo::TransposeOp::create(builder, value.getLoc(),
                                        typeOf(value.getType(), shape), value,
                                        permutation);
}

Status applyEntryLayouts(ModuleOp module, EntryShapes shapes) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    XLA_RETURN_IF_ERROR(readLayout(main.getArgAttr(i, attributeName),
                                   "argument", i, shapes.arguments[i]));
  }
  for (unsigned i = 0; i < main.getNumResults(); ++i) {
    XLA_RETURN_IF_ERROR(readLayout(main.getResultAttr(i, attributeName),
                                   "result", i, shapes.results[i]));
  }
  if (isOrdered(shapes.arguments) && isOrdered(shapes.results)) {
    return okStatus();
  }
  if (!SymbolTable::symbolKnownUseEmpty(main, module)) {
    return unimplemented("main has arguments or results that are not "
                         "row-major, and is called by the program itself");
  }
  Block &entry = main.getBody().front();
  OpBuilder builder = OpBuilder::atBlockBegin(&entry);
  for (auto [argument, shape] :
       llvm::zip_equal(entry.getArguments(), shapes.arguments)) {
    if (isOrdered(shape)) {
      continue;
    }
    argument.setType(typeOf(argument.getType(), asStored(shape)));
    Value transposed = fromStored(builder, argument, shape);
    argument.replaceAllUsesExcept(transposed, transposed.getDefiningOp());
  }
  auto end = cast<func::ReturnOp>(entry.getTerminator());
  builder.setInsertionPoint(end);
  for (auto [i, shape] : llvm::enumerate(shapes.results)) {
    end.setOperand(i, toStored(builder, end.getOperand(i), shape));
  }
  main.setType(FunctionType::get(main.getContext(), entry.getArgumentTypes(),
                                 end.getOperandTypes()));
  return okStatus();
}

void restoreEntryLayouts(ModuleOp module,
                         const std::vector<Shape> &argumentShapes,
                         const std::vector<Shape> &resultShapes) {
  if (isOrdered(argumentShapes) && isOrdered(resultShapes)) {
    return;
  }
  auto stored = module.lookupSymbol<func::FuncOp>("main");
  stored.setName("main_as_stored");
  stored.setPrivate();
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  auto typesOf = [&](TypeRange types, const std::vector<Shape> &shapes) {
    SmallVector<Type> logical;
    for (auto [type, shape] : llvm::zip_equal(types, shapes)) {
      logical.push_back(isOrdered(shape) ? type : typeOf(type, shape));
    }
    return logical;
  };
  auto main = func::FuncOp::create(
      builder, stored.getLoc(), "main",
      builder.getFunctionType(
          typesOf(stored.getArgumentTypes(), argumentShapes),
          typesOf(stored.getResultTypes(), resultShapes)));
  main.setArgAttrsAttr(stored.getArgAttrsAttr());
  main.setResAttrsAttr(stored.getResAttrsAttr());
  stored.removeArgAttrsAttr();
  stored.removeResAttrsAttr();
  builder.setInsertionPointToStart(main.addEntryBlock());
  SmallVector<Value> arguments, results;
  SmallVector<Attribute> layouts;
  for (auto [argument, shape] :
       llvm::zip_equal(main.getArguments(), argumentShapes)) {
    arguments.push_back(toStored(builder, argument, shape));
    layouts.push_back(builder.getIndexTensorAttr(layoutOf(shape)));
  }
  auto call = func::CallOp::create(builder, stored.getLoc(), stored, arguments);
  for (auto [result, shape] :
       llvm::zip_equal(call.getResults(), resultShapes)) {
    results.push_back(fromStored(builder, result, shape));
  }
  func::ReturnOp::create(builder, stored.getLoc(), results);
  module->setAttr("mhlo.xla_entry_computation_parameter_layouts",
                  builder.getArrayAttr(layouts));
}

} // namespace xla
