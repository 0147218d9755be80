//===- Contraction.cpp - Products, windows, reductions, linear algebra ----===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include "xla/dialect/stablehlo/Assembly.h"
#include "xla/dialect/stablehlo/Verification.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "xla/dialect/stablehlo/Contraction.cpp.inc"

namespace xla::stablehlo {

void StablehloDialect::addContractionOps() {
  addOperations<
#define GET_OP_LIST
#include "xla/dialect/stablehlo/Contraction.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// DotGeneralOp, DotOp
//===----------------------------------------------------------------------===//

/// Checks the sizes of one kind of shared dimensions against each other.
static LogicalResult verifyShared(DotGeneralOp op, StringRef kind,
                                  ArrayRef<int64_t> lhs, ArrayRef<int64_t> rhs,
                                  StringRef countLabel, StringRef sizeLabel) {
  if (lhs.size() != rhs.size()) {
    return op.emitOpError()
           << kind << " dimensions differ in number: lhs has " << lhs.size()
           << ", rhs has " << rhs.size() << " [" << countLabel << "]";
  }
  for (auto [left, right] : llvm::zip_equal(lhs, rhs)) {
    int64_t leftSize = tensorType(op.getLhs()).getDimSize(left);
    int64_t rightSize = tensorType(op.getRhs()).getDimSize(right);
    if (!areCompatibleDimensions(leftSize, rightSize)) {
      return op.emitOpError()
             << kind << " sizes differ: lhs dim " << left << " is " << leftSize
             << ", rhs dim " << right << " is " << rightSize << " ["
             << sizeLabel << "]";
    }
  }
  return success();
}

/// Checks the dimension numbers of one side; appends its free sizes.
static LogicalResult verifySide(DotGeneralOp op, StringRef side, Value operand,
                                ArrayRef<int64_t> batching,
                                ArrayRef<int64_t> contracting,
                                StringRef uniqueLabel, StringRef rangeLabel,
                                SmallVectorImpl<int64_t> &freeSizes) {
  SmallVector<int64_t> named(batching);
  llvm::append_range(named, contracting);
  RankedTensorType type = tensorType(operand);
  if (!areUnique(named)) {
    return op.emitOpError() << side << " dimensions [" << named
                            << "] name one twice [" << uniqueLabel << "]";
  }
  if (!areBelow(named, type.getRank())) {
    return op.emitOpError()
           << side << " dimensions [" << named << "] are out of range for "
           << type << " [" << rangeLabel << "]";
  }
  for (auto [index, size] : llvm::enumerate(type.getShape())) {
    if (!llvm::is_contained(named, index)) {
      freeSizes.push_back(size);
    }
  }
  return success();
}

LogicalResult DotGeneralOp::verify() {
  DotDimensionNumbersAttr numbers = getDotDimensionNumbers();
  ArrayRef<int64_t> lhsBatching = numbers.getLhsBatchingDimensions();
  ArrayRef<int64_t> rhsBatching = numbers.getRhsBatchingDimensions();
  ArrayRef<int64_t> lhsContracting = numbers.getLhsContractingDimensions();
  ArrayRef<int64_t> rhsContracting = numbers.getRhsContractingDimensions();
  SmallVector<int64_t> lhsFree, rhsFree;
  if (failed(verifySide(*this, "lhs", getLhs(), lhsBatching, lhsContracting,
                        "C3", "C5", lhsFree)) ||
      failed(verifySide(*this, "rhs", getRhs(), rhsBatching, rhsContracting,
                        "C4", "C7", rhsFree)) ||
      failed(verifyShared(*this, "batching", lhsBatching, rhsBatching, "C1",
                          "C9")) ||
      failed(verifyShared(*this, "contracting", lhsContracting, rhsContracting,
                          "C2", "C10"))) {
    return failure();
  }
  if (std::optional<ArrayAttr> precision = getPrecisionConfig()) {
    if (!precision->empty() && precision->size() != 2) {
      return emitOpError("has ")
             << precision->size() << " precisions for two operands [C11]";
    }
  }
  SmallVector<int64_t> shape;
  for (int64_t dimension : lhsBatching) {
    shape.push_back(tensorType(getLhs()).getDimSize(dimension));
  }
  llvm::append_range(shape, lhsFree);
  llvm::append_range(shape, rhsFree);
  RankedTensorType result = tensorType(getResult());
  if (failed(verifyCompatibleShape(result.getShape(), shape))) {
    return emitOpError("result is ")
           << result << ", the operands ask for sizes [" << shape << "] [C12]";
  }
  return success();
}

LogicalResult DotOp::verify() {
  RankedTensorType lhs = tensorType(getLhs()), rhs = tensorType(getRhs());
  RankedTensorType result = tensorType(getResult());
  if (lhs.getRank() < 1 || lhs.getRank() > 2 || rhs.getRank() < 1 ||
      rhs.getRank() > 2) {
    return emitOpError("multiplies vectors and matrices only, not ")
           << lhs << " and " << rhs;
  }
  if (!areCompatibleDimensions(lhs.getShape().back(), rhs.getDimSize(0))) {
    return emitOpError("contracting sizes differ: ") << lhs << " and " << rhs;
  }
  SmallVector<int64_t> shape(lhs.getShape().drop_back());
  llvm::append_range(shape, rhs.getShape().drop_front());
  if (failed(verifyCompatibleShape(result.getShape(), shape))) {
    return emitOpError("result is ")
           << result << ", the operands ask for sizes [" << shape << "]";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// ConvolutionOp
//===----------------------------------------------------------------------===//

static LogicalResult verifyConvSide(ConvolutionOp op, StringRef name,
                                    int64_t first, int64_t second,
                                    ArrayRef<int64_t> spatial, int64_t rank,
                                    StringRef countLabel, StringRef label) {
  SmallVector<int64_t> all(spatial);
  all.append({first, second});
  if (int64_t(all.size()) != rank) {
    return op.emitOpError(name)
           << " has rank " << rank << ", but dim_numbers name " << all.size()
           << " dimensions [" << countLabel << "]";
  }
  if (!areUnique(all) || !areBelow(all, rank)) {
    return op.emitOpError(name) << " dimensions [" << all
                                << "] are no permutation [" << label << "]";
  }
  return success();
}

static LogicalResult verifyConvDimensions(ConvolutionOp op) {
  ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
  int64_t rank = tensorType(op.getLhs()).getRank();
  if (rank < 2 || tensorType(op.getRhs()).getRank() != rank) {
    return op.emitOpError("lhs and rhs need one rank, of at least 2: ")
           << op.getLhs().getType() << " and " << op.getRhs().getType()
           << " [C1]";
  }
  if (failed(verifyConvSide(op, "lhs", numbers.getInputBatchDimension(),
                            numbers.getInputFeatureDimension(),
                            numbers.getInputSpatialDimensions(), rank, "C12",
                            "C13")) ||
      failed(verifyConvSide(op, "rhs", numbers.getKernelInputFeatureDimension(),
                            numbers.getKernelOutputFeatureDimension(),
                            numbers.getKernelSpatialDimensions(), rank, "C17",
                            "C18"))) {
    return failure();
  }
  return verifyConvSide(op, "result", numbers.getOutputBatchDimension(),
                        numbers.getOutputFeatureDimension(),
                        numbers.getOutputSpatialDimensions(),
                        tensorType(op.getResult()).getRank(), "C19", "C20");
}

static LogicalResult verifyConvGroups(ConvolutionOp op) {
  ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
  RankedTensorType lhs = tensorType(op.getLhs()), rhs = tensorType(op.getRhs());
  int64_t features = op.getFeatureGroupCount();
  int64_t batches = op.getBatchGroupCount();
  if (features <= 0 || batches <= 0) {
    return op.emitOpError("group counts need to be positive: feature ")
           << features << ", batch " << batches << " [C21, C22]";
  }
  if (features != 1 && batches != 1) {
    return op.emitOpError("only one of the group counts may exceed 1: feature ")
           << features << ", batch " << batches << " [C23]";
  }
  int64_t batch = lhs.getDimSize(numbers.getInputBatchDimension());
  if (!ShapedType::isDynamic(batch) && batch % batches != 0) {
    return op.emitOpError("batch size ")
           << batch << " is no multiple of batch_group_count " << batches
           << " [C10]";
  }
  int64_t inputs = lhs.getDimSize(numbers.getInputFeatureDimension());
  int64_t kernelInputs =
      rhs.getDimSize(numbers.getKernelInputFeatureDimension());
  if (!ShapedType::isDynamic(inputs) && inputs % features != 0) {
    return op.emitOpError("feature size ")
           << inputs << " is no multiple of feature_group_count " << features
           << " [C11]";
  }
  if (!ShapedType::isDynamic(inputs) && !ShapedType::isDynamic(kernelInputs) &&
      inputs / features != kernelInputs) {
    return op.emitOpError("kernel takes ")
           << kernelInputs << " features of each group, lhs has "
           << inputs / features << " [C14]";
  }
  int64_t outputs = rhs.getDimSize(numbers.getKernelOutputFeatureDimension());
  if (!ShapedType::isDynamic(outputs) &&
      (outputs % batches != 0 || outputs % features != 0)) {
    return op.emitOpError("kernel has ")
           << outputs << " output features, no multiple of group count "
           << std::max(batches, features) << " [C15, C16]";
  }
  return success();
}

LogicalResult ConvolutionOp::verify() {
  if (failed(verifyConvDimensions(*this)) || failed(verifyConvGroups(*this))) {
    return failure();
  }
  ConvDimensionNumbersAttr numbers = getDimensionNumbers();
  RankedTensorType lhs = tensorType(getLhs()), rhs = tensorType(getRhs());
  RankedTensorType result = tensorType(getResult());
  SmallVector<int64_t> sizes;
  for (int64_t dimension : numbers.getKernelSpatialDimensions()) {
    // An unknown or empty window sets no bound on the result below.
    sizes.push_back(std::max<int64_t>(rhs.getDimSize(dimension), 1));
  }
  FailureOr<SmallVector<WindowDimension>> window = combineWindow(
      *this, sizes,
      {getWindowStrides(), getLhsDilation(), getRhsDilation(), getPadding()});
  if (failed(window)) {
    return failure();
  }
  if (getWindowReversal() && getWindowReversal()->size() != sizes.size()) {
    return emitOpError("window_reversal has ")
           << getWindowReversal()->size() << " flags for " << sizes.size()
           << " spatial dimensions [C9]";
  }
  SmallVector<int64_t> shape(lhs.getRank());
  int64_t batch = lhs.getDimSize(numbers.getInputBatchDimension());
  shape[numbers.getOutputBatchDimension()] =
      ShapedType::isDynamic(batch) ? batch
                                   : batch / int64_t(getBatchGroupCount());
  shape[numbers.getOutputFeatureDimension()] =
      rhs.getDimSize(numbers.getKernelOutputFeatureDimension());
  for (size_t i = 0; i < sizes.size(); ++i) {
    int64_t kernel = rhs.getDimSize(numbers.getKernelSpatialDimensions()[i]);
    int64_t extent = lhs.getDimSize(numbers.getInputSpatialDimensions()[i]);
    (*window)[i].size = kernel;
    shape[numbers.getOutputSpatialDimensions()[i]] =
        ShapedType::isDynamic(kernel) ? ShapedType::kDynamic
                                      : (*window)[i].outputSize(extent);
  }
  if (failed(verifyCompatibleShape(result.getShape(), shape))) {
    return emitOpError("result is ")
           << result << ", the operands ask for sizes [" << shape << "] [C25]";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// ReduceOp
//===----------------------------------------------------------------------===//

LogicalResult ReduceOp::verify() {
  if (getInputs().empty() || getNumResults() != getInputs().size()) {
    return emitOpError("has ") << getInputs().size() << " inputs and "
                               << getNumResults() << " results [C3]";
  }
  RankedTensorType first = tensorType(getInputs()[0]);
  if (!areBelow(getDimensions(), first.getRank())) {
    return emitOpError("dimensions = [")
           << getDimensions() << "] are out of range for " << first << " [C4]";
  }
  if (!areUnique(getDimensions())) {
    return emitOpError("dimensions = [")
           << getDimensions() << "] name one twice [C5]";
  }
  SmallVector<int64_t> shape;
  for (auto [index, size] : llvm::enumerate(first.getShape())) {
    if (!llvm::is_contained(getDimensions(), index)) {
      shape.push_back(size);
    }
  }
  for (auto [input, init, result] :
       llvm::zip_equal(getInputs(), getInitValues(), getResults())) {
    if (failed(verifyCompatibleShape(input.getType(), first))) {
      return emitOpError("inputs differ in shape: ")
             << first << " and " << input.getType() << " [C1]";
    }
    if (tensorType(init).getRank() != 0) {
      return emitOpError("initial value is not a scalar: ")
             << init.getType() << " [I2]";
    }
    if (tensorType(init).getElementType() !=
        tensorType(input).getElementType()) {
      return emitOpError("input and initial value differ in element type: ")
             << input.getType() << " and " << init.getType() << " [C2]";
    }
    if (failed(verifyCompatibleShape(tensorType(result).getShape(), shape))) {
      return emitOpError("result is ")
             << result.getType() << ", the input asks for sizes [" << shape
             << "] [C7]";
    }
    if (tensorType(result).getElementType() !=
        tensorType(input).getElementType()) {
      return emitOpError("input and result differ in element type: ")
             << input.getType() << " and " << result.getType() << " [C8]";
    }
  }
  return success();
}

LogicalResult ReduceOp::verifyRegions() {
  return verifyReducer(*this, getBody(), "body", getInputs().getTypes(), "C6");
}

/// The operation that `reduce` applies, where its body is one operation on
/// the two arguments in order: what the short form can say.
static Operation *appliedOperation(ReduceOp op) {
  Region &body = op.getBody();
  if (op.getInputs().size() != 1 || !body.hasOneBlock()) {
    return nullptr;
  }
  Block &block = body.front();
  if (block.getNumArguments() != 2 || block.getOperations().size() != 2) {
    return nullptr;
  }
  Operation &inner = block.front(), &last = block.back();
  Type scalar = block.getArgument(0).getType();
  if (inner.getName().getDialectNamespace() !=
          StablehloDialect::getDialectNamespace() ||
      inner.getNumOperands() != 2 || inner.getNumResults() != 1 ||
      inner.getNumRegions() != 0 || !inner.getAttrs().empty() ||
      inner.getOperand(0) != block.getArgument(0) ||
      inner.getOperand(1) != block.getArgument(1) ||
      block.getArgument(1).getType() != scalar ||
      inner.getResult(0).getType() != scalar || !isa<ReturnOp>(last) ||
      last.getNumOperands() != 1 || last.getOperand(0) != inner.getResult(0) ||
      !last.getAttrs().empty() || op.getNumResults() != 1) {
    return nullptr;
  }
  auto first = dyn_cast<ShapedType>(op.getInputs()[0].getType());
  return first && scalar == withShape(first, {}) ? &inner : nullptr;
}

void ReduceOp::print(OpAsmPrinter &printer) {
  printer << '(';
  llvm::interleave(
      llvm::zip(getInputs(), getInitValues()),
      [&](auto pair) {
        printer << std::get<0>(pair) << " init: " << std::get<1>(pair);
      },
      [&]() { printer << "), ("; });
  printer << ')';
  Operation *applied = appliedOperation(*this);
  if (applied) {
    printer << " applies " << applied->getName().getStringRef();
  }
  printer << " across dimensions = ";
  printDimensionList(printer, getDimensions());
  printer.printOptionalAttrDict((*this)->getAttrs(), {"dimensions"});
  printer << " : ";
  printer.printFunctionalType(*this);
  if (applied) {
    return;
  }
  printer.printNewline();
  printer << " reducer";
  // The arguments in pairs: accumulator and element of each input.
  Block &block = getBody().front();
  size_t count = block.getNumArguments() / 2;
  for (size_t i = 0; i < count; ++i) {
    printer << '(';
    printer.printRegionArgument(block.getArgument(i));
    printer << ", ";
    printer.printRegionArgument(block.getArgument(i + count));
    printer << ") ";
  }
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

/// `reducer(%a: t, %b: t) (...) {...}`
static ParseResult parseReducer(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> accumulators, elements;
  while (succeeded(parser.parseOptionalLParen())) {
    if (failed(parser.parseArgument(accumulators.emplace_back(), true)) ||
        failed(parser.parseComma()) ||
        failed(parser.parseArgument(elements.emplace_back(), true)) ||
        failed(parser.parseRParen())) {
      return failure();
    }
  }
  llvm::append_range(accumulators, elements);
  return parser.parseRegion(*result.addRegion(), accumulators);
}

/// The body of `applies op`: that operation on two scalars.
static ParseResult buildAppliedBody(OpAsmParser &parser, OperationState &result,
                                    OperationName name, SMLoc location) {
  auto input = dyn_cast<RankedTensorType>(result.operands[0].getType());
  if (!input || !name.isRegistered() ||
      name.getDialectNamespace() != StablehloDialect::getDialectNamespace()) {
    return parser.emitError(location)
           << "expected a StableHLO operation on two values, not '"
           << name.getStringRef() << "'";
  }
  Type scalar = withShape(input, {});
  Location where = result.location;
  Region *body = result.addRegion();
  Block &block = body->emplaceBlock();
  block.addArguments({scalar, scalar}, {where, where});
  OpBuilder builder(parser.getContext());
  builder.setInsertionPointToEnd(&block);
  OperationState inner(where, name, block.getArguments(), scalar);
  Operation *applied = builder.create(inner);
  ReturnOp::create(builder, where, applied->getResults());
  return success();
}

ParseResult ReduceOp::parse(OpAsmParser &parser, OperationState &result) {
  SMLoc location = parser.getCurrentLocation();
  SmallVector<OpAsmParser::UnresolvedOperand> inputs, inits;
  do {
    if (failed(parser.parseLParen()) ||
        failed(parser.parseOperand(inputs.emplace_back())) ||
        failed(parser.parseKeyword("init")) || failed(parser.parseColon()) ||
        failed(parser.parseOperand(inits.emplace_back())) ||
        failed(parser.parseRParen())) {
      return failure();
    }
  } while (succeeded(parser.parseOptionalComma()));
  llvm::append_range(inputs, inits);

  SMLoc nameLocation = parser.getCurrentLocation();
  std::optional<OperationName> applied;
  if (succeeded(parser.parseOptionalKeyword("applies"))) {
    nameLocation = parser.getCurrentLocation();
    FailureOr<OperationName> name = parser.parseCustomOperationName();
    if (failed(name)) {
      return failure();
    }
    applied = *name;
  }
  FunctionType type;
  if (failed(parser.parseKeyword("across")) ||
      failed(parser.parseKeyword("dimensions")) ||
      failed(parser.parseEqual())) {
    return failure();
  }
  FailureOr<SmallVector<int64_t>> dimensions = parseDimensionList(parser);
  if (failed(dimensions) ||
      failed(parser.parseOptionalAttrDict(result.attributes)) ||
      failed(parser.parseColonType(type)) ||
      failed(parser.resolveOperands(inputs, type.getInputs(), location,
                                    result.operands))) {
    return failure();
  }
  result.addTypes(type.getResults());
  result.addAttribute("dimensions",
                      parser.getBuilder().getDenseI64ArrayAttr(*dimensions));
  if (applied) {
    return buildAppliedBody(parser, result, *applied, nameLocation);
  }
  if (failed(parser.parseKeyword("reducer"))) {
    return failure();
  }
  return parseReducer(parser, result);
}

//===----------------------------------------------------------------------===//
// ReduceWindowOp, SelectAndScatterOp, MapOp
//===----------------------------------------------------------------------===//

LogicalResult ReduceWindowOp::verify() {
  if (getInputs().empty() || getNumResults() != getInputs().size()) {
    return emitOpError("has ") << getInputs().size() << " inputs and "
                               << getNumResults() << " results [C1]";
  }
  RankedTensorType first = tensorType(getInputs()[0]);
  if (int64_t(getWindowDimensions().size()) != first.getRank()) {
    return emitOpError("window has rank ")
           << getWindowDimensions().size() << ", the input is " << first
           << " [C4]";
  }
  FailureOr<SmallVector<WindowDimension>> window =
      combineWindow(*this, getWindowDimensions(),
                    {getWindowStrides(), getBaseDilations(),
                     getWindowDilations(), getPadding()});
  if (failed(window)) {
    return failure();
  }
  SmallVector<int64_t> shape;
  for (auto [dimension, size] : llvm::zip_equal(*window, first.getShape())) {
    shape.push_back(dimension.outputSize(size));
  }
  for (auto [input, init, result] :
       llvm::zip_equal(getInputs(), getInitValues(), getResults())) {
    if (failed(verifyCompatibleShape(input.getType(), first))) {
      return emitOpError("inputs differ in shape: ")
             << first << " and " << input.getType() << " [C2]";
    }
    if (tensorType(init).getRank() != 0 ||
        tensorType(init).getElementType() !=
            tensorType(input).getElementType()) {
      return emitOpError("initial value is ")
             << init.getType() << " where a scalar of "
             << tensorType(input).getElementType() << " is needed [C3]";
    }
    if (!areCompatibleTypes(result.getType(),
                            withShape(input.getType(), shape))) {
      return emitOpError("result is ")
             << result.getType() << ", the window asks for sizes [" << shape
             << "] [C15]";
    }
  }
  return success();
}

LogicalResult ReduceWindowOp::verifyRegions() {
  return verifyReducer(*this, getBody(), "body", getInputs().getTypes(), "C13");
}

LogicalResult SelectAndScatterOp::verify() {
  RankedTensorType operand = tensorType(getOperand());
  RankedTensorType source = tensorType(getSource());
  SmallVector<int64_t> sizes(operand.getRank(), 1);
  if (getWindowDimensions()) {
    sizes.assign(getWindowDimensions()->begin(), getWindowDimensions()->end());
  }
  if (int64_t(sizes.size()) != operand.getRank()) {
    return emitOpError("window has rank ")
           << sizes.size() << ", the operand is " << operand << " [C4]";
  }
  FailureOr<SmallVector<WindowDimension>> window = combineWindow(
      *this, sizes,
      {getWindowStrides(), std::nullopt, std::nullopt, getPadding()});
  if (failed(window)) {
    return failure();
  }
  SmallVector<int64_t> shape;
  for (auto [dimension, size] : llvm::zip_equal(*window, operand.getShape())) {
    shape.push_back(dimension.outputSize(size));
  }
  if (!areCompatibleTypes(source, withShape(operand, shape))) {
    return emitOpError("source is ")
           << source << ", the window asks for sizes [" << shape << "] [C2]";
  }
  if (getInitValue().getType() != withShape(operand, {})) {
    return emitOpError("initial value is ")
           << getInitValue().getType() << " where a scalar of "
           << operand.getElementType() << " is needed [C3]";
  }
  if (!areCompatibleTypes(getResult().getType(), operand)) {
    return emitOpError("result is ")
           << getResult().getType() << ", the operand " << operand << " [C11]";
  }
  return success();
}

LogicalResult SelectAndScatterOp::verifyRegions() {
  Type scalar = withShape(getOperand().getType(), {});
  Type pred = RankedTensorType::get({}, IntegerType::get(getContext(), 1));
  if (failed(verifyRegion(*this, getSelect(), "select", {scalar, scalar}, pred,
                          "C9"))) {
    return failure();
  }
  return verifyReducer(*this, getScatter(), "scatter", scalar, "C10");
}

LogicalResult MapOp::verify() {
  if (getInputs().empty()) {
    return emitOpError("needs an input [C2]");
  }
  for (Value input : getInputs()) {
    if (failed(verifyCompatibleShape(input.getType(), getResult().getType()))) {
      return emitOpError("input and result differ in shape: ")
             << input.getType() << " and " << getResult().getType() << " [C1]";
    }
  }
  int64_t rank = tensorType(getResult()).getRank();
  if (!llvm::equal(getDimensions(), llvm::seq<int64_t>(0, rank))) {
    return emitOpError("dimensions = [") << getDimensions() << "] are not all "
                                         << rank << " dimensions in order [C3]";
  }
  return success();
}

LogicalResult MapOp::verifyRegions() {
  SmallVector<Type> arguments;
  for (Type type : getInputs().getTypes()) {
    arguments.push_back(withShape(type, {}));
  }
  return verifyRegion(*this, getComputation(), "computation", arguments,
                      Type(withShape(getResult().getType(), {})), "C4");
}

} // namespace xla::stablehlo
