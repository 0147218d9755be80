//===- Reductions.cpp - Folds, windows, sorting ---------------------------===//

#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/dialect/stablehlo/Verification.h"
#include "xla/reference/Interpreter.h"
#include "xla/reference/Scalars.h"

#include <algorithm>
#include <numeric>

using namespace mlir;

namespace xla::reference {

namespace {
/// The body of a fold: called for each element, or, where it is one binary
/// operation on the accumulator and the element, known by that.
class Folder {
public:
  Folder(const Step &step, Region &body) : step(step), body(body) {
    Block &block = body.front();
    if (block.getNumArguments() != 2 || block.getOperations().size() != 2) {
      return;
    }
    Operation &only = block.front();
    if (only.getNumOperands() == 2 &&
        only.getOperand(0) == block.getArgument(0) &&
        only.getOperand(1) == block.getArgument(1) &&
        block.back().getOperands() == only.getResults() &&
        only.getName().getDialectNamespace() == "stablehlo") {
      functions = binaryFunctions(only.getName().stripDialect());
    }
  }

  /// accumulators[to] = body(accumulators[to], elements[from])
  Status fold(MutableArrayRef<Tensor> accumulators, int64_t to,
              ArrayRef<Tensor> elements, int64_t from) const {
    if (functions) {
      return applyBinary(*functions, accumulators[0], to, elements[0], from,
                         accumulators[0], to);
    }
    Tensors arguments, values;
    for (const Tensor &accumulator : accumulators) {
      XLA_ASSIGN_OR_RETURN(Tensor scalar, accumulator.scalar(to));
      arguments.push_back(std::move(scalar));
    }
    for (const Tensor &element : elements) {
      XLA_ASSIGN_OR_RETURN(Tensor scalar, element.scalar(from));
      arguments.push_back(std::move(scalar));
    }
    XLA_RETURN_IF_ERROR(step.run(body, arguments, values));
    for (auto [accumulator, value] : llvm::zip_equal(accumulators, values)) {
      accumulator.copyElement(to, value, 0);
    }
    return okStatus();
  }

  /// Whether this is a sum of narrow floats, which is kept wide on the way.
  bool isWideSum(ElementType type) const {
    return functions && functions == binaryFunctions("add") &&
           kindOf(type) == Kind::Float && type != ElementType::F64;
  }

private:
  const Step &step;
  Region &body;
  const BinaryFunctions *functions = nullptr;
};
} // namespace

/// Results filled with the initial values; sums of narrow floats in f64.
static StatusOr<Tensors> initialize(const Step &step, ArrayRef<Tensor> inits,
                                    bool isWide) {
  Tensors results;
  for (auto [index, init] : llvm::enumerate(inits)) {
    XLA_ASSIGN_OR_RETURN(Tensor result, step.zeros(index));
    if (isWide) {
      XLA_ASSIGN_OR_RETURN(result,
                           Tensor::zeros(ElementType::F64, result.sizes()));
    }
    for (int64_t i = 0; i < result.count(); ++i) {
      if (isWide) {
        result.setReal(i, init.real(0));
      } else {
        result.copyElement(i, init, 0);
      }
    }
    results.push_back(std::move(result));
  }
  return results;
}

/// Hands over the results, rounded back to their own type.
static Status finish(const Step &step, Tensors results, bool isWide) {
  if (isWide) {
    XLA_ASSIGN_OR_RETURN(Tensor rounded, step.zeros());
    for (int64_t i = 0; i < rounded.count(); ++i) {
      rounded.setReal(i, results[0].real(i));
    }
    results[0] = std::move(rounded);
  }
  step.results = std::move(results);
  return okStatus();
}

static Status foldInto(const Folder &folder, bool isWide, Tensors &results,
                       int64_t to, ArrayRef<Tensor> inputs, int64_t from) {
  if (isWide) {
    results[0].setReal(to, results[0].real(to) + inputs[0].real(from));
    return okStatus();
  }
  return folder.fold(results, to, inputs, from);
}

//===----------------------------------------------------------------------===//
// reduce, reduce_window, map
//===----------------------------------------------------------------------===//

static Status evaluateReduce(const Step &step) {
  auto op = cast<stablehlo::ReduceOp>(step.op);
  size_t count = op.getInputs().size();
  ArrayRef<Tensor> inputs = step.operands.take_front(count);
  Folder folder(step, op.getBody());
  bool isWide = folder.isWideSum(inputs[0].type());
  XLA_ASSIGN_OR_RETURN(
      Tensors results,
      initialize(step, step.operands.drop_front(count), isWide));
  Sizes strides(inputs[0].rank(), 0);
  Sizes kept = stridesOf(results[0].sizes());
  auto next = kept.begin();
  for (int64_t i = 0; i < inputs[0].rank(); ++i) {
    if (!llvm::is_contained(op.getDimensions(), i)) {
      strides[i] = *next++;
    }
  }
  Status status;
  int64_t position = 0;
  forEachIndex(inputs[0].sizes(), [&](Index index) {
    status = foldInto(folder, isWide, results, positionOf(index, strides),
                      inputs, position++);
    return status.ok();
  });
  XLA_RETURN_IF_ERROR(status);
  return finish(step, std::move(results), isWide);
}

/// The element that a window's cell falls on, or nothing in the padding and
/// between dilated elements.
static std::optional<int64_t>
elementUnder(ArrayRef<stablehlo::WindowDimension> window, Index output,
             Index cell, Index sizes, Index strides) {
  int64_t position = 0;
  for (size_t i = 0; i < window.size(); ++i) {
    int64_t at = output[i] * window[i].stride +
                 cell[i] * window[i].windowDilation - window[i].paddingLow;
    if (at < 0 || at % window[i].baseDilation != 0 ||
        at / window[i].baseDilation >= sizes[i]) {
      return std::nullopt;
    }
    position += at / window[i].baseDilation * strides[i];
  }
  return position;
}

static StatusOr<SmallVector<stablehlo::WindowDimension>>
windowOf(Operation *op, Index sizes,
         const stablehlo::WindowAttributes &attributes) {
  auto window = stablehlo::combineWindow(op, sizes, attributes);
  if (failed(window)) {
    return internalError("the window was not verified");
  }
  return std::move(*window);
}

static Status evaluateReduceWindow(const Step &step) {
  auto op = cast<stablehlo::ReduceWindowOp>(step.op);
  size_t count = op.getInputs().size();
  ArrayRef<Tensor> inputs = step.operands.take_front(count);
  XLA_ASSIGN_OR_RETURN(auto window,
                       windowOf(op, op.getWindowDimensions(),
                                {op.getWindowStrides(), op.getBaseDilations(),
                                 op.getWindowDilations(), op.getPadding()}));
  Folder folder(step, op.getBody());
  bool isWide = folder.isWideSum(inputs[0].type());
  XLA_ASSIGN_OR_RETURN(
      Tensors results,
      initialize(step, step.operands.drop_front(count), isWide));
  Sizes strides = stridesOf(inputs[0].sizes());
  Status status;
  int64_t position = -1;
  forEachIndex(results[0].sizes(), [&](Index output) {
    ++position;
    forEachIndex(op.getWindowDimensions(), [&](Index cell) {
      std::optional<int64_t> from =
          elementUnder(window, output, cell, inputs[0].sizes(), strides);
      if (from) {
        status = foldInto(folder, isWide, results, position, inputs, *from);
      }
      return status.ok();
    });
    return status.ok();
  });
  XLA_RETURN_IF_ERROR(status);
  return finish(step, std::move(results), isWide);
}

static Status evaluateMap(const Step &step) {
  auto op = cast<stablehlo::MapOp>(step.op);
  XLA_ASSIGN_OR_RETURN(Tensor out, step.zeros());
  for (int64_t i = 0; i < out.count(); ++i) {
    Tensors arguments, values;
    for (const Tensor &operand : step.operands) {
      XLA_ASSIGN_OR_RETURN(Tensor scalar, operand.scalar(i));
      arguments.push_back(std::move(scalar));
    }
    XLA_RETURN_IF_ERROR(step.run(op.getComputation(), arguments, values));
    out.copyElement(i, values[0], 0);
  }
  step.results.push_back(std::move(out));
  return okStatus();
}

//===----------------------------------------------------------------------===//
// select_and_scatter
//===----------------------------------------------------------------------===//

/// Whether `select` prefers the element at `first` to that at `second`.
static StatusOr<bool> prefers(const Step &step, Region &select,
                              const Tensor &operand, int64_t first,
                              int64_t second) {
  XLA_ASSIGN_OR_RETURN(Tensor left, operand.scalar(first));
  XLA_ASSIGN_OR_RETURN(Tensor right, operand.scalar(second));
  Tensors values;
  XLA_RETURN_IF_ERROR(step.run(select, {left, right}, values));
  return values[0].integer(0) != 0;
}

static Status evaluateSelectAndScatter(const Step &step) {
  auto op = cast<stablehlo::SelectAndScatterOp>(step.op);
  const Tensor &operand = step.operands[0], &source = step.operands[1];
  Sizes sizes(operand.rank(), 1);
  if (op.getWindowDimensions()) {
    sizes.assign(op.getWindowDimensions()->begin(),
                 op.getWindowDimensions()->end());
  }
  XLA_ASSIGN_OR_RETURN(auto window,
                       windowOf(op, sizes,
                                {op.getWindowStrides(), std::nullopt,
                                 std::nullopt, op.getPadding()}));
  Folder scatter(step, op.getScatter());
  XLA_ASSIGN_OR_RETURN(Tensors results,
                       initialize(step, step.operands.drop_front(2), false));
  Sizes strides = stridesOf(operand.sizes());
  Status status;
  int64_t position = -1;
  forEachIndex(source.sizes(), [&](Index output) {
    ++position;
    std::optional<int64_t> selected;
    forEachIndex(sizes, [&](Index cell) {
      std::optional<int64_t> candidate =
          elementUnder(window, output, cell, operand.sizes(), strides);
      if (!candidate || !selected) {
        selected = selected ? selected : candidate;
        return true;
      }
      StatusOr<bool> isKept =
          prefers(step, op.getSelect(), operand, *selected, *candidate);
      if (!isKept.ok()) {
        status = isKept.status();
        return false;
      }
      selected = *isKept ? selected : candidate;
      return true;
    });
    if (status.ok() && selected) {
      status = scatter.fold(results, *selected, {source}, position);
    }
    return status.ok();
  });
  XLA_RETURN_IF_ERROR(status);
  step.results = std::move(results);
  return okStatus();
}

//===----------------------------------------------------------------------===//
// sort
//===----------------------------------------------------------------------===//

/// Merges sorted halves: at most n log n comparisons, and safe whatever the
/// comparator answers, which std::stable_sort is not.
static Status
mergeSort(MutableArrayRef<int64_t> order, MutableArrayRef<int64_t> scratch,
          llvm::function_ref<StatusOr<bool>(int64_t, int64_t)> isBefore) {
  for (size_t width = 1; width < order.size(); width *= 2) {
    for (size_t start = 0; start < order.size(); start += 2 * width) {
      size_t middle = std::min(start + width, order.size());
      size_t end = std::min(start + 2 * width, order.size());
      size_t left = start, right = middle;
      for (size_t out = start; out < end; ++out) {
        bool takesRight = left == middle;
        if (left < middle && right < end) {
          XLA_ASSIGN_OR_RETURN(takesRight, isBefore(order[right], order[left]));
        }
        scratch[out] = takesRight ? order[right++] : order[left++];
      }
    }
    std::copy(scratch.begin(), scratch.end(), order.begin());
  }
  return okStatus();
}

static Status evaluateSort(const Step &step) {
  auto op = cast<stablehlo::SortOp>(step.op);
  int64_t dimension = op.sortedDimension();
  Tensors results;
  for (unsigned i = 0; i < step.operands.size(); ++i) {
    XLA_ASSIGN_OR_RETURN(Tensor result, step.zeros(i));
    results.push_back(std::move(result));
  }
  if (results[0].count() == 0) { // lines may be longer than memory holds
    step.results = std::move(results);
    return okStatus();
  }
  Index sizes = step.operands[0].sizes();
  Sizes strides = stridesOf(sizes), outer(sizes);
  int64_t length = sizes[dimension], stride = strides[dimension];
  outer[dimension] = std::min<int64_t>(length, 1);
  SmallVector<int64_t> order(length), scratch(length);
  Status status;
  forEachIndex(outer, [&](Index index) {
    int64_t base = positionOf(index, strides);
    std::iota(order.begin(), order.end(), 0);
    auto isBefore = [&](int64_t a, int64_t b) -> StatusOr<bool> {
      Tensors arguments, values;
      for (const Tensor &operand : step.operands) {
        XLA_ASSIGN_OR_RETURN(Tensor left, operand.scalar(base + a * stride));
        XLA_ASSIGN_OR_RETURN(Tensor right, operand.scalar(base + b * stride));
        arguments.push_back(std::move(left));
        arguments.push_back(std::move(right));
      }
      XLA_RETURN_IF_ERROR(step.run(op.getComparator(), arguments, values));
      return values[0].integer(0) != 0;
    };
    status = mergeSort(order, scratch, isBefore);
    for (int64_t i = 0; status.ok() && i < length; ++i) {
      for (auto [result, operand] : llvm::zip_equal(results, step.operands)) {
        result.copyElement(base + i * stride, operand,
                           base + order[i] * stride);
      }
    }
    return status.ok();
  });
  XLA_RETURN_IF_ERROR(status);
  step.results = std::move(results);
  return okStatus();
}

void addReductions(Handlers &handlers) {
  handlers["stablehlo.reduce"] = evaluateReduce;
  handlers["stablehlo.reduce_window"] = evaluateReduceWindow;
  handlers["stablehlo.map"] = evaluateMap;
  handlers["stablehlo.select_and_scatter"] = evaluateSelectAndScatter;
  handlers["stablehlo.sort"] = evaluateSort;
}

} // namespace xla::reference
