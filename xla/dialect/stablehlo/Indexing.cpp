//===- Indexing.cpp - Slices at run-time positions, gather, scatter, sort -===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include "xla/dialect/stablehlo/Assembly.h"
#include "xla/dialect/stablehlo/Verification.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "xla/dialect/stablehlo/Indexing.cpp.inc"

namespace xla::stablehlo {

void StablehloDialect::addIndexingOps() {
  addOperations<
#define GET_OP_LIST
#include "xla/dialect/stablehlo/Indexing.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// DynamicSliceOp, DynamicUpdateSliceOp
//===----------------------------------------------------------------------===//

template <typename OpType>
static LogicalResult checkStarts(std::optional<Location> location,
                                 ValueRange starts, RankedTensorType operand,
                                 StringRef sizeLabel, StringRef typeLabel) {
  if (int64_t(starts.size()) != operand.getRank()) {
    return inferError<OpType>(location, "has ", starts.size(),
                              " start indices for an operand of rank ",
                              operand.getRank(), " [", sizeLabel, "]");
  }
  for (Value start : starts) {
    if (tensorType(start).getRank() != 0 ||
        start.getType() != starts.front().getType()) {
      return inferError<OpType>(location,
                                "start indices are not scalars of one type: ",
                                starts.front().getType(), " and ",
                                start.getType(), " [", typeLabel, "]");
    }
  }
  return success();
}

LogicalResult DynamicSliceOp::inferReturnTypes(MLIRContext *,
                                               std::optional<Location> location,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  RankedTensorType operand = tensorType(adaptor.getOperand());
  if (failed(checkStarts<DynamicSliceOp>(location, adaptor.getStartIndices(),
                                         operand, "C2", "C3"))) {
    return failure();
  }
  ArrayRef<int64_t> sizes = adaptor.getSliceSizes();
  if (int64_t(sizes.size()) != operand.getRank()) {
    return inferError<DynamicSliceOp>(location, "has ", sizes.size(),
                                      " sizes for an operand of rank ",
                                      operand.getRank(), " [C2]");
  }
  for (auto [index, size] : llvm::enumerate(sizes)) {
    int64_t whole = operand.getDimSize(index);
    if (size < 0 || (!ShapedType::isDynamic(whole) && size > whole)) {
      return inferError<DynamicSliceOp>(location, "size ", size,
                                        " does not fit in dim ", index, " of ",
                                        operand, " [C4]");
    }
  }
  types.push_back(withShape(operand, sizes));
  return success();
}

LogicalResult DynamicUpdateSliceOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  RankedTensorType operand = tensorType(adaptor.getOperand());
  RankedTensorType update = tensorType(adaptor.getUpdate());
  if (operand.getElementType() != update.getElementType()) {
    return inferError<DynamicUpdateSliceOp>(
        location, "operand and update differ in element type: ", operand,
        " and ", update, " [C2]");
  }
  if (operand.getRank() != update.getRank()) {
    return inferError<DynamicUpdateSliceOp>(
        location, "operand and update differ in rank: ", operand, " and ",
        update, " [C3]");
  }
  if (failed(checkStarts<DynamicUpdateSliceOp>(
          location, adaptor.getStartIndices(), operand, "C4", "C5"))) {
    return failure();
  }
  for (auto [whole, size] :
       llvm::zip_equal(operand.getShape(), update.getShape())) {
    if (!ShapedType::isDynamic(whole) && !ShapedType::isDynamic(size) &&
        size > whole) {
      return inferError<DynamicUpdateSliceOp>(
          location, "update is larger than the operand: ", update, " and ",
          operand, " [C6]");
    }
  }
  types.push_back(operand);
  return success();
}

//===----------------------------------------------------------------------===//
// GatherOp
//===----------------------------------------------------------------------===//

/// Says what is wrong with `dimensions`: each needs to be unique, sorted where
/// so requested, and below `rank`. Empty if nothing is.
static std::string misfit(ArrayRef<int64_t> dimensions, StringRef name,
                          int64_t rank, bool needsOrder, StringRef label) {
  StringRef problem;
  if (!areUnique(dimensions)) {
    problem = "names a dimension twice";
  } else if (needsOrder && !llvm::is_sorted(dimensions)) {
    problem = "is not sorted";
  } else if (!areBelow(dimensions, rank)) {
    problem = "is out of range";
  } else {
    return "";
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << name << " = [";
  llvm::interleaveComma(dimensions, stream);
  stream << "] " << problem << " for rank " << rank << " [" << label << "]";
  return text;
}

/// The fields that gather and scatter have in common, under gather's names.
struct IndexDimensions {
  ArrayRef<int64_t> window;    ///< of result or update
  ArrayRef<int64_t> collapsed; ///< of the operand, not in the window
  ArrayRef<int64_t> operandBatching;
  ArrayRef<int64_t> indicesBatching;
  ArrayRef<int64_t> indexMap;
  int64_t vectorDimension;
};

/// Checks the fields against the types; an explanation, or nothing.
static std::string checkIndexing(const IndexDimensions &fields,
                                 RankedTensorType operand,
                                 RankedTensorType indices, int64_t resultRank,
                                 StringRef windowName) {
  int64_t rank = operand.getRank(), indicesRank = indices.getRank();
  auto number = [](int64_t value) { return std::to_string(value); };
  size_t named = fields.window.size() + fields.collapsed.size() +
                 fields.operandBatching.size();
  if (int64_t(named) != rank) {
    return "operand has rank " + number(rank) +
           ", its window, collapsed and batching dimensions are " +
           number(named) + " [C1]";
  }
  if (fields.vectorDimension < 0 || fields.vectorDimension > indicesRank) {
    return "index_vector_dim = " + number(fields.vectorDimension) +
           " is out of range for indices of rank " + number(indicesRank) +
           " [C2]";
  }
  int64_t vectorSize = fields.vectorDimension == indicesRank
                           ? 1
                           : indices.getDimSize(fields.vectorDimension);
  if (!areCompatibleDimensions(vectorSize, fields.indexMap.size())) {
    return "an index has " + number(vectorSize) +
           " components, the map from indices to operand " +
           number(fields.indexMap.size()) + " [C3]";
  }
  SmallVector<int64_t> dropped(fields.collapsed);
  llvm::append_range(dropped, fields.operandBatching);
  SmallVector<int64_t> indexed(fields.indexMap);
  llvm::append_range(indexed, fields.operandBatching);
  for (const std::string &text :
       {misfit(fields.window, windowName, resultRank, true, "C4"),
        misfit(dropped, "collapsed and batching dimensions", rank, false, "C6"),
        misfit(fields.collapsed, "collapsed dimensions", rank, true, "C7"),
        misfit(fields.operandBatching, "operand batching dimensions", rank,
               true, "C10"),
        misfit(fields.indicesBatching, "indices batching dimensions",
               indicesRank, false, "C13"),
        misfit(indexed, "indexed and batching dimensions", rank, false,
               "C18")}) {
    if (!text.empty()) {
      return text;
    }
  }
  if (llvm::is_contained(fields.indicesBatching, fields.vectorDimension)) {
    return "index_vector_dim = " + number(fields.vectorDimension) +
           " is a batching dimension too [C15]";
  }
  if (fields.operandBatching.size() != fields.indicesBatching.size()) {
    return "operand has " + number(fields.operandBatching.size()) +
           " batching dimensions, indices have " +
           number(fields.indicesBatching.size()) + " [C16]";
  }
  for (auto [left, right] :
       llvm::zip_equal(fields.operandBatching, fields.indicesBatching)) {
    if (!areCompatibleDimensions(operand.getDimSize(left),
                                 indices.getDimSize(right))) {
      return "batching sizes differ: operand dim " + number(left) + " is " +
             number(operand.getDimSize(left)) + ", indices dim " +
             number(right) + " is " + number(indices.getDimSize(right)) +
             " [C17]";
    }
  }
  return "";
}

/// The result of a gather or an update of a scatter: window sizes at
/// `window`, the indices' other dimensions between them.
static SmallVector<int64_t> combinedShape(ArrayRef<int64_t> window,
                                          ArrayRef<int64_t> windowSizes,
                                          RankedTensorType indices,
                                          int64_t vectorDimension) {
  SmallVector<int64_t> batch;
  for (auto [index, size] : llvm::enumerate(indices.getShape())) {
    if (int64_t(index) != vectorDimension) {
      batch.push_back(size);
    }
  }
  SmallVector<int64_t> shape;
  auto nextBatch = batch.begin();
  auto nextWindow = windowSizes.begin();
  for (size_t i = 0; i < batch.size() + windowSizes.size(); ++i) {
    shape.push_back(llvm::is_contained(window, i) ? *nextWindow++
                                                  : *nextBatch++);
  }
  return shape;
}

LogicalResult GatherOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> location,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  RankedTensorType operand = tensorType(adaptor.getOperand());
  RankedTensorType indices = tensorType(adaptor.getStartIndices());
  GatherDimensionNumbersAttr numbers = adaptor.getDimensionNumbers();
  IndexDimensions fields{
      numbers.getOffsetDims(),          numbers.getCollapsedSliceDims(),
      numbers.getOperandBatchingDims(), numbers.getStartIndicesBatchingDims(),
      numbers.getStartIndexMap(),       numbers.getIndexVectorDim()};
  int64_t resultRank = fields.window.size() + indices.getRank() -
                       (fields.vectorDimension < indices.getRank() ? 1 : 0);
  std::string problem =
      checkIndexing(fields, operand, indices, resultRank, "offset_dims");
  if (!problem.empty()) {
    return inferError<GatherOp>(location, problem);
  }
  ArrayRef<int64_t> sizes = adaptor.getSliceSizes();
  if (int64_t(sizes.size()) != operand.getRank()) {
    return inferError<GatherOp>(location, "has ", sizes.size(),
                                " slice sizes for an operand of rank ",
                                operand.getRank(), " [C20]");
  }
  SmallVector<int64_t> windowSizes;
  for (auto [index, size] : llvm::enumerate(sizes)) {
    int64_t whole = operand.getDimSize(index);
    if (size < 0 || (!ShapedType::isDynamic(whole) && size > whole)) {
      return inferError<GatherOp>(location, "slice size ", size,
                                  " does not fit in dim ", index, " of ",
                                  operand, " [C21]");
    }
    bool isCollapsed = llvm::is_contained(fields.collapsed, index);
    if (!isCollapsed && !llvm::is_contained(fields.operandBatching, index)) {
      windowSizes.push_back(size);
    } else if (size > 1) {
      return inferError<GatherOp>(location, "slice size of dim ", index, " is ",
                                  size,
                                  ", but the result lacks that dimension [",
                                  isCollapsed ? "C9" : "C12", "]");
    }
  }
  types.push_back(
      withShape(operand, combinedShape(fields.window, windowSizes, indices,
                                       fields.vectorDimension)));
  return success();
}

//===----------------------------------------------------------------------===//
// ScatterOp
//===----------------------------------------------------------------------===//

LogicalResult ScatterOp::verify() {
  if (getInputs().empty()) {
    return emitOpError("needs an input [C5]");
  }
  RankedTensorType input = tensorType(getInputs()[0]);
  RankedTensorType update = tensorType(getUpdates()[0]);
  RankedTensorType indices = tensorType(getScatterIndices());
  for (auto [left, right] : llvm::zip_equal(getInputs(), getUpdates())) {
    if (failed(verifyCompatibleShape(left.getType(), input))) {
      return emitOpError("inputs differ in shape: ")
             << input << " and " << left.getType() << " [C1]";
    }
    if (failed(verifyCompatibleShape(right.getType(), update))) {
      return emitOpError("updates differ in shape: ")
             << update << " and " << right.getType() << " [C3]";
    }
    if (tensorType(left).getElementType() !=
        tensorType(right).getElementType()) {
      return emitOpError("input and update differ in element type: ")
             << left.getType() << " and " << right.getType() << " [C6]";
    }
  }
  if (!areCompatibleTypes(getResultTypes(), getInputs().getTypes())) {
    return emitOpError("results differ from inputs in type: ")
           << getResultTypes() << " and " << getInputs().getTypes() << " [C24]";
  }
  ScatterDimensionNumbersAttr numbers = getScatterDimensionNumbers();
  IndexDimensions fields{numbers.getUpdateWindowDims(),
                         numbers.getInsertedWindowDims(),
                         numbers.getInputBatchingDims(),
                         numbers.getScatterIndicesBatchingDims(),
                         numbers.getScatterDimsToOperandDims(),
                         numbers.getIndexVectorDim()};
  int64_t updateRank = fields.window.size() + indices.getRank() -
                       (fields.vectorDimension < indices.getRank() ? 1 : 0);
  std::string problem =
      checkIndexing(fields, input, indices, updateRank, "update_window_dims");
  if (!problem.empty()) {
    return emitOpError(problem);
  }
  if (update.getRank() != updateRank) {
    return emitOpError("update has rank ")
           << update.getRank() << " where " << updateRank << " is needed [C4]";
  }
  SmallVector<int64_t> windowSizes;
  for (int64_t dimension : fields.window) {
    windowSizes.push_back(update.getDimSize(dimension));
  }
  SmallVector<int64_t> shape = combinedShape(fields.window, windowSizes,
                                             indices, fields.vectorDimension);
  if (failed(verifyCompatibleShape(update.getShape(), shape))) {
    return emitOpError("update is ")
           << update << ", the indices ask for sizes [" << shape << "] [C4]";
  }
  size_t next = 0;
  for (int64_t i = 0; i < input.getRank(); ++i) {
    if (llvm::is_contained(fields.collapsed, i) ||
        llvm::is_contained(fields.operandBatching, i)) {
      continue;
    }
    int64_t window = windowSizes[next++], whole = input.getDimSize(i);
    if (!ShapedType::isDynamic(window) && !ShapedType::isDynamic(whole) &&
        window > whole) {
      return emitOpError("window of size ") << window << " does not fit in dim "
                                            << i << " of " << input << " [C4]";
    }
  }
  return success();
}

LogicalResult ScatterOp::verifyRegions() {
  return verifyReducer(*this, getUpdateComputation(), "update_computation",
                       getInputs().getTypes(), "C23");
}

//===----------------------------------------------------------------------===//
// SortOp
//===----------------------------------------------------------------------===//

int64_t SortOp::sortedDimension() {
  int64_t dimension = getDimension();
  return dimension < 0 ? dimension + tensorType(getInputs()[0]).getRank()
                       : dimension;
}

LogicalResult SortOp::verify() {
  if (getInputs().empty()) {
    return emitOpError("needs an input [C1]");
  }
  if (!areCompatibleTypes(getResultTypes(), getInputs().getTypes())) {
    return emitOpError("results differ from inputs in type: ")
           << getResultTypes() << " and " << getInputs().getTypes() << " [C2]";
  }
  RankedTensorType first = tensorType(getInputs()[0]);
  for (Value input : getInputs()) {
    if (failed(verifyCompatibleShape(input.getType(), first))) {
      return emitOpError("inputs differ in shape: ")
             << first << " and " << input.getType() << " [C3]";
    }
  }
  int64_t rank = first.getRank(), dimension = getDimension();
  if (dimension < -rank || dimension >= rank) {
    return emitOpError("dimension ")
           << dimension << " is out of range for rank " << rank << " [C4]";
  }
  return success();
}

LogicalResult SortOp::verifyRegions() {
  SmallVector<Type> arguments;
  for (Type type : getInputs().getTypes()) {
    arguments.append(2, withShape(type, {}));
  }
  Type pred = RankedTensorType::get({}, IntegerType::get(getContext(), 1));
  return verifyRegion(*this, getComparator(), "comparator", arguments, pred,
                      "C5");
}

} // namespace xla::stablehlo
