//===- Verification.cpp - Checks that operations share --------------------===//

#include "xla/dialect/stablehlo/Verification.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace xla::stablehlo {

bool isQuantizedType(Type type) {
  return type.getDialect().getNamespace() == "quant";
}

bool areCompatibleTypes(Type a, Type b) {
  if (a == b) {
    return true;
  }
  auto left = dyn_cast<ShapedType>(a);
  auto right = dyn_cast<ShapedType>(b);
  if (!left || !right) {
    return false;
  }
  return left.getElementType() == right.getElementType() &&
         succeeded(verifyCompatibleShape(left, right));
}

bool areCompatibleTypes(TypeRange a, TypeRange b) {
  return a.size() == b.size() &&
         llvm::all_of(llvm::zip_equal(a, b), [](auto pair) {
           return areCompatibleTypes(std::get<0>(pair), std::get<1>(pair));
         });
}

std::optional<int64_t> staticElementCount(RankedTensorType type) {
  int64_t count = 1;
  bool overflows = false;
  for (int64_t size : type.getShape()) {
    if (ShapedType::isDynamic(size)) {
      return std::nullopt;
    }
    if (size == 0) {
      return 0;
    }
    overflows |= llvm::MulOverflow(count, size, count) != 0;
  }
  return overflows ? std::nullopt : std::optional<int64_t>(count);
}

RankedTensorType withShape(Type operand, ArrayRef<int64_t> shape) {
  return RankedTensorType::get(shape,
                               cast<ShapedType>(operand).getElementType());
}

bool areUnique(ArrayRef<int64_t> values) {
  llvm::SmallSet<int64_t, 8> seen;
  return llvm::all_of(values,
                      [&](int64_t value) { return seen.insert(value).second; });
}

bool areBelow(ArrayRef<int64_t> values, int64_t limit) {
  return llvm::all_of(
      values, [&](int64_t value) { return value >= 0 && value < limit; });
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// (n - 1) * dilation + 1, or nothing for n = 0. Saturates.
static int64_t dilate(int64_t count, int64_t dilation) {
  if (count == 0) {
    return 0;
  }
  int64_t result;
  if (llvm::MulOverflow(count - 1, dilation, result) ||
      llvm::AddOverflow<int64_t>(result, 1, result)) {
    return std::numeric_limits<int64_t>::max() / 4;
  }
  return result;
}

int64_t WindowDimension::outputSize(int64_t extent) const {
  if (ShapedType::isDynamic(extent)) {
    return ShapedType::kDynamic;
  }
  int64_t padded;
  if (llvm::AddOverflow(dilate(extent, baseDilation), paddingLow, padded) ||
      llvm::AddOverflow(padded, paddingHigh, padded)) {
    return 0;
  }
  int64_t window = dilate(size, windowDilation);
  return padded < window ? 0 : (padded - window) / stride + 1;
}

FailureOr<SmallVector<WindowDimension>>
combineWindow(Operation *op, ArrayRef<int64_t> sizes,
              const WindowAttributes &attributes) {
  size_t rank = sizes.size();
  SmallVector<WindowDimension> window(rank);
  for (auto [dimension, size] : llvm::zip_equal(window, sizes)) {
    dimension.size = size;
  }
  if (!llvm::all_of(sizes, [](int64_t size) { return size > 0; })) {
    return op->emitOpError("window has a dimension that is not positive: ")
           << sizes << " [C5]";
  }
  auto fill = [&](std::optional<ArrayRef<int64_t>> values, StringRef name,
                  StringRef label,
                  int64_t WindowDimension::*field) -> LogicalResult {
    if (!values) {
      return success();
    }
    if (values->size() != rank) {
      return op->emitOpError(name)
             << " has " << values->size() << " numbers for a window of rank "
             << rank << " [" << label << "]";
    }
    for (auto [dimension, value] : llvm::zip_equal(window, *values)) {
      if (value <= 0) {
        return op->emitOpError(name)
               << " has a number that is not positive: " << *values << " ["
               << label << "]";
      }
      dimension.*field = value;
    }
    return success();
  };
  if (failed(fill(attributes.strides, "window strides", "C6",
                  &WindowDimension::stride)) ||
      failed(fill(attributes.baseDilations, "base dilation", "C8",
                  &WindowDimension::baseDilation)) ||
      failed(fill(attributes.windowDilations, "window dilation", "C10",
                  &WindowDimension::windowDilation))) {
    return failure();
  }
  if (attributes.padding) {
    DenseIntElementsAttr padding = *attributes.padding;
    auto type = cast<ShapedType>(padding.getType());
    if (type.getRank() != 2 || type.getDimSize(0) != int64_t(rank) ||
        type.getDimSize(1) != 2) {
      return op->emitOpError("padding has type ")
             << type << " where " << rank << "x2 numbers are needed [C12]";
    }
    auto values = padding.getValues<int64_t>().begin();
    for (WindowDimension &dimension : window) {
      dimension.paddingLow = *values++;
      dimension.paddingHigh = *values++;
    }
  }
  return window;
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

LogicalResult verifyRegion(Operation *op, Region &region, StringRef name,
                           TypeRange arguments, TypeRange results,
                           StringRef label) {
  Block &block = region.front();
  if (!areCompatibleTypes(block.getArgumentTypes(), arguments)) {
    return op->emitOpError(name)
           << " takes (" << block.getArgumentTypes() << "), but is given ("
           << arguments << ") [" << label << "]";
  }
  Operation *terminator = block.empty() ? nullptr : &block.back();
  if (!terminator || !isa<ReturnOp>(terminator)) {
    return op->emitOpError(name)
           << " does not end in stablehlo.return [" << label << "]";
  }
  if (!areCompatibleTypes(terminator->getOperandTypes(), results)) {
    return op->emitOpError(name)
           << " returns (" << terminator->getOperandTypes() << ") where ("
           << results << ") is needed [" << label << "]";
  }
  return success();
}

LogicalResult verifyReducer(Operation *op, Region &region, StringRef name,
                            TypeRange accumulators, StringRef label) {
  SmallVector<Type> scalars;
  for (Type type : accumulators) {
    scalars.push_back(withShape(type, {}));
  }
  SmallVector<Type> arguments(scalars);
  arguments.append(scalars);
  return verifyRegion(op, region, name, arguments, scalars, label);
}

} // namespace xla::stablehlo
