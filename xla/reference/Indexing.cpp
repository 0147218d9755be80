//===- Indexing.cpp - Slices at run-time positions, gather, scatter -------===//

#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/reference/ShapeOperands.h"
#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>
#include <limits>

using namespace mlir;

namespace xla::reference {

/// An index as a signed number; what exceeds the range counts as its end.
static int64_t indexAt(const Tensor &tensor, int64_t position) {
  int64_t value = tensor.integer(position);
  bool isHuge = tensor.type() == ElementType::U64 && value < 0;
  return isHuge ? std::numeric_limits<int64_t>::max() : value;
}

/// The starts of a slice, moved so that it is within the operand.
static Sizes clampedStarts(ArrayRef<Tensor> starts, Index whole, Index part) {
  Sizes result;
  for (auto [i, start] : llvm::enumerate(starts)) {
    result.push_back(
        std::clamp<int64_t>(indexAt(start, 0), 0, whole[i] - part[i]));
  }
  return result;
}

static Status evaluateDynamicSlice(const Step &step) {
  const Tensor &operand = step.operands[0];
  XLA_ASSIGN_OR_RETURN(Tensor out, step.zeros());
  Sizes starts =
      clampedStarts(step.operands.drop_front(), operand.sizes(), out.sizes());
  Sizes strides = stridesOf(operand.sizes());
  int64_t base = positionOf(starts, strides), position = 0;
  forEachIndex(out.sizes(), [&](Index index) {
    out.copyElement(position++, operand, base + positionOf(index, strides));
    return true;
  });
  step.results.push_back(std::move(out));
  return okStatus();
}

static Status evaluateDynamicUpdateSlice(const Step &step) {
  const Tensor &operand = step.operands[0], &update = step.operands[1];
  XLA_ASSIGN_OR_RETURN(Tensor out, step.zeros());
  std::memcpy(out.mutableData(), operand.data(), operand.byteCount());
  Sizes starts = clampedStarts(step.operands.drop_front(2), operand.sizes(),
                               update.sizes());
  Sizes strides = stridesOf(out.sizes());
  int64_t base = positionOf(starts, strides), position = 0;
  forEachIndex(update.sizes(), [&](Index index) {
    out.copyElement(base + positionOf(index, strides), update, position++);
    return true;
  });
  step.results.push_back(std::move(out));
  return okStatus();
}

//===----------------------------------------------------------------------===//
// What gather and scatter share, under gather's names
//===----------------------------------------------------------------------===//

namespace {
struct IndexMap {
  Index window;          ///< dimensions of the result or update
  Index collapsed;       ///< operand dimensions that the window lacks
  Index operandBatching; ///< operand dimensions that follow the indices'
  Index indicesBatching;
  Index targets; ///< operand dimension of each component of an index
  int64_t vectorDimension;

  /// Splits an index of the result into its batch part, and the window's
  /// offset in each operand dimension.
  void split(Index index, int64_t operandRank, Sizes &batch,
             Sizes &offset) const {
    batch.clear();
    Sizes inWindow;
    for (auto [dimension, value] : llvm::enumerate(index)) {
      (llvm::is_contained(window, dimension) ? inWindow : batch)
          .push_back(value);
    }
    offset.assign(operandRank, 0);
    auto next = inWindow.begin();
    for (int64_t i = 0; i < operandRank; ++i) {
      if (!llvm::is_contained(collapsed, i) &&
          !llvm::is_contained(operandBatching, i)) {
        offset[i] = *next++;
      }
    }
  }

  /// Where the window of a batch index starts in the operand, unclamped.
  Sizes start(const Tensor &indices, Index batch, int64_t operandRank) const {
    Sizes strides = stridesOf(indices.sizes());
    Sizes element(batch.begin(), batch.end());
    bool hasVector = vectorDimension < indices.rank();
    if (hasVector) {
      element.insert(element.begin() + vectorDimension, 0);
    }
    Sizes result(operandRank, 0);
    for (auto [component, dimension] : llvm::enumerate(targets)) {
      if (hasVector) {
        element[vectorDimension] = component;
      }
      result[dimension] = indexAt(indices, positionOf(element, strides));
    }
    for (auto [left, right] :
         llvm::zip_equal(operandBatching, indicesBatching)) {
      result[left] =
          batch[right - (hasVector && right > vectorDimension ? 1 : 0)];
    }
    return result;
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// gather
//===----------------------------------------------------------------------===//

static Status evaluateGather(const Step &step) {
  auto op = cast<stablehlo::GatherOp>(step.op);
  stablehlo::GatherDimensionNumbersAttr numbers = op.getDimensionNumbers();
  Index sliceSizes = op.getSliceSizes();
  const Tensor &operand = step.operands[0], &indices = step.operands[1];
  IndexMap map{
      numbers.getOffsetDims(),          numbers.getCollapsedSliceDims(),
      numbers.getOperandBatchingDims(), numbers.getStartIndicesBatchingDims(),
      numbers.getStartIndexMap(),       numbers.getIndexVectorDim()};
  XLA_ASSIGN_OR_RETURN(Tensor out, step.zeros());
  // A dimension that is left out may have slices of size 0.
  if (operand.count() == 0) {
    step.results.push_back(std::move(out));
    return okStatus();
  }
  Sizes strides = stridesOf(operand.sizes());
  Sizes batch, offset;
  int64_t position = 0;
  forEachIndex(out.sizes(), [&](Index index) {
    map.split(index, operand.rank(), batch, offset);
    Sizes start = map.start(indices, batch, operand.rank());
    int64_t from = 0;
    for (int64_t i = 0; i < operand.rank(); ++i) {
      int64_t first =
          std::clamp<int64_t>(start[i], 0, operand.sizes()[i] - sliceSizes[i]);
      from += (first + offset[i]) * strides[i];
    }
    out.copyElement(position++, operand, from);
    return true;
  });
  step.results.push_back(std::move(out));
  return okStatus();
}

//===----------------------------------------------------------------------===//
// scatter
//===----------------------------------------------------------------------===//

/// Combines one element of each update into the outputs.
static Status combine(const Step &step, Region &body,
                      MutableArrayRef<Tensor> outputs, int64_t to,
                      ArrayRef<Tensor> updates, int64_t from) {
  Tensors arguments, values;
  for (const Tensor &output : outputs) {
    XLA_ASSIGN_OR_RETURN(Tensor scalar, output.scalar(to));
    arguments.push_back(std::move(scalar));
  }
  for (const Tensor &update : updates) {
    XLA_ASSIGN_OR_RETURN(Tensor scalar, update.scalar(from));
    arguments.push_back(std::move(scalar));
  }
  XLA_RETURN_IF_ERROR(step.run(body, arguments, values));
  for (auto [output, value] : llvm::zip_equal(outputs, values)) {
    output.copyElement(to, value, 0);
  }
  return okStatus();
}

static Status evaluateScatter(const Step &step) {
  auto op = cast<stablehlo::ScatterOp>(step.op);
  size_t count = op.getInputs().size();
  ArrayRef<Tensor> inputs = step.operands.take_front(count);
  const Tensor &indices = step.operands[count];
  ArrayRef<Tensor> updates = step.operands.drop_front(count + 1);
  stablehlo::ScatterDimensionNumbersAttr numbers =
      op.getScatterDimensionNumbers();
  IndexMap map{numbers.getUpdateWindowDims(),
               numbers.getInsertedWindowDims(),
               numbers.getInputBatchingDims(),
               numbers.getScatterIndicesBatchingDims(),
               numbers.getScatterDimsToOperandDims(),
               numbers.getIndexVectorDim()};
  Tensors outputs;
  for (auto [index, input] : llvm::enumerate(inputs)) {
    XLA_ASSIGN_OR_RETURN(Tensor output, step.zeros(index));
    std::memcpy(output.mutableData(), input.data(), input.byteCount());
    outputs.push_back(std::move(output));
  }
  Index whole = inputs[0].sizes();
  Sizes strides = stridesOf(whole), batch, offset, last;
  // The last offset of a window: if it is out of bounds, so is the window.
  Sizes ends(updates[0].sizes());
  for (int64_t &end : ends) {
    --end;
  }
  map.split(ends, whole.size(), batch, last);
  // One window after the other, so that of two that overlap the later wins.
  Index sizes = updates[0].sizes();
  Sizes updateStrides = stridesOf(sizes), order, orderedSizes;
  for (bool inWindow : {false, true}) {
    for (int64_t axis = 0; axis < int64_t(sizes.size()); ++axis) {
      if (llvm::is_contained(numbers.getUpdateWindowDims(), axis) == inWindow) {
        order.push_back(axis);
        orderedSizes.push_back(sizes[axis]);
      }
    }
  }
  Status status;
  Sizes index(sizes.size(), 0);
  forEachIndex(orderedSizes, [&](Index ordered) {
    int64_t position = 0;
    for (size_t i = 0; i < ordered.size(); ++i) {
      index[order[i]] = ordered[i];
      position += ordered[i] * updateStrides[order[i]];
    }
    map.split(index, whole.size(), batch, offset);
    Sizes start = map.start(indices, batch, whole.size());
    int64_t to = 0;
    for (size_t i = 0; i < whole.size(); ++i) {
      if (start[i] < 0 || start[i] > whole[i] - 1 - last[i]) {
        return true; // the whole window is skipped
      }
      to += (start[i] + offset[i]) * strides[i];
    }
    status = combine(step, op.getUpdateComputation(), outputs, to, updates,
                     position);
    return status.ok();
  });
  XLA_RETURN_IF_ERROR(status);
  step.results = std::move(outputs);
  return okStatus();
}

void addIndexing(Handlers &handlers) {
  handlers["stablehlo.dynamic_slice"] = evaluateDynamicSlice;
  handlers["stablehlo.dynamic_update_slice"] = evaluateDynamicUpdateSlice;
  handlers["stablehlo.gather"] = evaluateGather;
  handlers["stablehlo.dynamic_gather"] = withoutShapeOperands<evaluateGather>;
  handlers["stablehlo.scatter"] = evaluateScatter;
}

} // namespace xla::reference
