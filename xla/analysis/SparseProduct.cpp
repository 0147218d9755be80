//===- SparseProduct.cpp - Sparse times dense, as one operation -----------===//

#include "xla/analysis/SparseProduct.h"

#include "xla/dialect/stablehlo/StablehloOps.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace xla {

using stablehlo::CompositeOp;
using stablehlo::CustomCallOp;

static constexpr const char *compositeName = "jax.sparse_product";

static DictionaryAttr attributesOf(Operation *op) {
  if (auto composite = dyn_cast<CompositeOp>(op)) {
    return composite.getName() == compositeName
               ? composite.getCompositeAttributesAttr()
               : DictionaryAttr();
  }
  auto call = dyn_cast<CustomCallOp>(op);
  return call && call.getCallTargetName() == sparseProductCall
             ? op->getAttrOfType<DictionaryAttr>(sparseProductAttributes)
             : DictionaryAttr();
}

static RankedTensorType arrayOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() ? type : RankedTensorType();
}

static bool hasKernel(Type element) {
  if (auto complex = dyn_cast<ComplexType>(element)) {
    element = complex.getElementType();
  }
  return element.isF32() || element.isF64();
}

/// The column of a matrix of indices that an attribute names; 0 of a vector.
static std::optional<int64_t> columnOf(DictionaryAttr attributes,
                                       StringRef name, RankedTensorType array) {
  auto number = attributes.getAs<IntegerAttr>(name);
  int64_t column = number ? number.getValue().trySExtValue().value_or(-1) : 0;
  int64_t count = array.getRank() == 2 ? array.getDimSize(1) : 1;
  if (array.getRank() > 2 || column < 0 || column >= count) {
    return std::nullopt;
  }
  return column;
}

std::optional<SparseProduct> sparseProductOf(Operation *op) {
  DictionaryAttr attributes = attributesOf(op);
  auto form = attributes ? attributes.getAs<StringAttr>("form") : StringAttr();
  if (!form || op->getNumOperands() != 4 || op->getNumResults() != 1) {
    return std::nullopt;
  }
  RankedTensorType data = arrayOf(op->getOperand(0));
  RankedTensorType first = arrayOf(op->getOperand(1));
  RankedTensorType second = arrayOf(op->getOperand(2));
  RankedTensorType dense = arrayOf(op->getOperand(3));
  RankedTensorType result = arrayOf(op->getResult(0));
  if (!data || !first || !second || !dense || !result || data.getRank() != 1 ||
      first.getRank() < 1 || second.getRank() < 1 || dense.getRank() < 1 ||
      result.getRank() != dense.getRank() ||
      result.getShape().drop_front() != dense.getShape().drop_front()) {
    return std::nullopt;
  }
  Type element = data.getElementType();
  Type word = first.getElementType();
  if (!hasKernel(element) || dense.getElementType() != element ||
      result.getElementType() != element || second.getElementType() != word ||
      !(word.isSignlessInteger(32) || word.isSignlessInteger(64))) {
    return std::nullopt;
  }
  SparseProduct found;
  found.stored = data.getDimSize(0);
  found.rows = result.getDimSize(0);
  found.columns = dense.getDimSize(0);
  found.width = 1;
  for (int64_t size : dense.getShape().drop_front()) {
    if (llvm::MulOverflow(found.width, size, found.width)) {
      return std::nullopt;
    }
  }
  found.isWide = word.isSignlessInteger(64);
  int64_t begins = -1; // how many there must be
  if (form.getValue() == "rows") {
    found.form = SparseProduct::Form::Rows;
    begins = found.rows + 1;
  } else if (form.getValue() == "columns") {
    found.form = SparseProduct::Form::Columns;
    begins = found.columns + 1;
  } else if (form.getValue() == "coordinates") {
    found.form = SparseProduct::Form::Coordinates;
  } else if (form.getValue() == "sorted") {
    found.form = SparseProduct::Form::Sorted;
  } else {
    return std::nullopt;
  }
  if (begins >= 0) {
    if (first.getRank() != 1 || second.getRank() != 1 ||
        first.getDimSize(0) != begins || second.getDimSize(0) != found.stored) {
      return std::nullopt;
    }
    return found;
  }
  auto firstColumn = columnOf(attributes, "first_column", first);
  auto secondColumn = columnOf(attributes, "second_column", second);
  if (!firstColumn || !secondColumn || first.getDimSize(0) != found.stored ||
      second.getDimSize(0) != found.stored) {
    return std::nullopt;
  }
  found.firstColumn = *firstColumn;
  found.secondColumn = *secondColumn;
  found.firstStep = first.getRank() == 2 ? first.getDimSize(1) : 1;
  found.secondStep = second.getRank() == 2 ? second.getDimSize(1) : 1;
  return found;
}

} // namespace xla
