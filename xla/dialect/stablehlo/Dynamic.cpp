//===- Dynamic.cpp - Operations whose shapes are operands -----------------===//

#include "mlir/IR/Builders.h"
#include "xla/dialect/stablehlo/Assembly.h"
#include "xla/dialect/stablehlo/Verification.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "xla/dialect/stablehlo/Dynamic.cpp.inc"

namespace xla::stablehlo {

void StablehloDialect::addDynamicOps() {
  addOperations<
#define GET_OP_LIST
#include "xla/dialect/stablehlo/Dynamic.cpp.inc"
      >();
}

LogicalResult DynamicGatherOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  RankedTensorType indices = tensorType(adaptor.getStartIndices());
  GatherDimensionNumbersAttr numbers = adaptor.getDimensionNumbers();
  int64_t vectorDimension = numbers.getIndexVectorDim();
  ArrayRef<int64_t> window = numbers.getOffsetDims();
  if (vectorDimension < 0 || vectorDimension > indices.getRank()) {
    return inferError<DynamicGatherOp>(
        location, "index_vector_dim = ", vectorDimension,
        " is out of range for indices of rank ", indices.getRank(), " [C2]");
  }
  SmallVector<int64_t> batch;
  for (auto [index, size] : llvm::enumerate(indices.getShape())) {
    if (int64_t(index) != vectorDimension) {
      batch.push_back(size);
    }
  }
  int64_t rank = window.size() + batch.size();
  if (!areUnique(window) || !areBelow(window, rank)) {
    return inferError<DynamicGatherOp>(location, "offset_dims = [", window,
                                       "] do not fit a result of rank ", rank,
                                       " [C5]");
  }
  SmallVector<int64_t> shape(rank, ShapedType::kDynamic);
  auto next = batch.begin();
  for (int64_t i = 0; i < rank; ++i) {
    if (!llvm::is_contained(window, i)) {
      shape[i] = *next++;
    }
  }
  types.push_back(withShape(adaptor.getOperand().getType(), shape));
  return success();
}

} // namespace xla::stablehlo
