//===- ReduceRows.cpp - Reductions of rows as kernels ---------------------===//
//
// A few elements of each result are folded in line. Rows are folded with their
// partial results in registers; long ones in pieces, which keeps rounding
// errors small, and few long ones by several threads.
//
//===----------------------------------------------------------------------===//

#include "xla/codegen/cpu/TargetDescription.h"
#include "xla/codegen/cpu/lower/reduce/FloatExtremes.h"
#include "xla/codegen/cpu/lower/reduce/ReductionKernel.h"

namespace xla::cpu {

using namespace stablehlo;
using mlir::Value;

namespace {

/// Builds the kernel of a reduction by the strategies `few`, `rows` and
/// `split_rows`.
class RowReduction : public ReductionKernel {
public:
  RowReduction(ReduceOp op, const FusionPlan &fusion, const RowGroups &rows,
               const BufferPlan &buffers)
      : ReductionKernel(op, fusion, rows, buffers),
        isRow(plan.rows == 1 && plan.fold == Fold::Other) {
    ElementType type = elementTypeOf(op.getInputs().front().getType());
    folded =
        plan.fold == Fold::Other ? nullptr : onlyOperation(op.getBody(), type);
    accumulator = isComplex(type) ? type : plan.accumulator;
  }

private:
  using ElementAt = llvm::function_ref<Refs(StepRef i)>;

  void fill() override;
  void fillSplitRows();
  Refs foldFew(llvm::ArrayRef<Refs> elements);
  Refs foldAll(const Index &keptIndex);
  StepRef foldRows(const Index &keptIndex, StepRef first, StepRef last);
  StepRef foldPiece(const Index &keptIndex, StepRef row);
  StepRef extremeOfPieces(const Index &keptIndex, StepRef first, StepRef last);
  StepRef extremeOfLine(const Index &keptIndex, StepRef row);
  StepRef lengthOf(StepRef row);

  Refs foldRow(const Index &keptIndex);
  Refs foldSegments(ElementAt elementAt);
  Refs foldInOrder(Refs start, int64_t first, ElementAt elementAt);
  int64_t segments() const;
  bool stages();

  bool isInMemory() {
    return fusion.formOf(op.getInputs().front()) == Form::Buffer;
  }
  bool hasVectors(int64_t length) const {
    return FloatExtremes::areFor(plan.fold, plan.type) &&
           FloatExtremes::fillVectors(plan.type, length);
  }
  bool readsRowsAsVectors() {
    return plan.flat && hasVectors(plan.perResult) && isInMemory();
  }
  bool readsLinesAsVectors();
  int64_t inputBuffer() {
    Value input = op.getInputs().front();
    return bufferOf(plan.type, shapeOf(input), buffers.sliceOf(input), false);
  }
  StepRef extremeOfElements(StepRef base, int64_t length, StepRef first,
                            StepRef last) {
    return extremeOfRow(plan.fold == Fold::Maximum, inputBuffer(), base, length,
                        first, last);
  }

  StepRef both(StepRef x, StepRef y, bool anyOrder) {
    return foldInto(folded, x, y, anyOrder);
  }
  StepRef wide(StepRef x) { return convert(x, accumulator); }
  StepRef narrowed(StepRef x) {
    return convert(x, elementTypeOf(op.getResult(0).getType()));
  }
  StepRef none() { return neutral(folded, accumulator); }

  bool isRow;              ///< of a fold that is no single operation
  mlir::Operation *folded; ///< the single operation
  ElementType accumulator; ///< in which partial results are kept
};

} // namespace

/// Whether rows are many lines of one length in memory, that are apart.
bool RowReduction::readsLinesAsVectors() {
  return !plan.flat && !plan.reduced.empty() &&
         plan.reduced.back() == static_cast<int64_t>(plan.shape.size()) - 1 &&
         plan.lineLength % plan.rowLength == 0 && hasVectors(plan.rowLength) &&
         isInMemory();
}

//===----------------------------------------------------------------------===//
// Single operations
//===----------------------------------------------------------------------===//

/// The fold of elements that are there, from the initial values on.
RowReduction::Refs RowReduction::foldFew(llvm::ArrayRef<Refs> elements) {
  // So many are worth more than a chain of maxima.
  constexpr size_t fewest = 3, fewestHalves = 8;
  Refs value = initial();
  if (plan.fold == Fold::Other) {
    for (const Refs &x : elements) {
      value = combine(value, x);
    }
    return value;
  }
  StepRef result = wide(value.front());
  bool isExtreme = plan.fold == Fold::Maximum || plan.fold == Fold::Minimum;
  bool isFast =
      (FloatExtremes::areFor(plan.fold, plan.type) &&
       elements.size() >= fewest) ||
      (isExtreme && isHalf(plan.type) && elements.size() >= fewestHalves);
  if (isFast) {
    Refs numbers;
    for (const Refs &x : elements) {
      numbers.push_back(x.front());
    }
    result =
        both(result, wide(extreme(plan.fold == Fold::Maximum, numbers)), false);
  } else {
    for (const Refs &x : elements) {
      result = both(result, wide(x.front()), false);
    }
  }
  return {narrowed(result)};
}

/// How many elements `row` has: the last one of a line may be shorter.
StepRef RowReduction::lengthOf(StepRef row) {
  StepRef length = constant(plan.rowLength);
  if (plan.rowsOfLine == 1 || plan.lineLength % plan.rowLength == 0) {
    return length;
  }
  StepRef start = startOf(*this, plan, row);
  return least(length, subtract(constant(plan.lineLength), start));
}

/// The extreme of rows [first, last), which are pieces of one row if there are
/// several.
StepRef RowReduction::extremeOfPieces(const Index &keptIndex, StepRef first,
                                      StepRef last) {
  StepRef base =
      multiply(linearOf(keptIndex, plan.keptShape), constant(plan.perResult));
  StepRef all = constant(plan.perResult);
  if (plan.rows == 1) {
    return extremeOfElements(base, plan.perResult, constant(0), all);
  }
  StepRef length = constant(plan.rowLength);
  return extremeOfElements(base, plan.perResult, multiply(first, length),
                           least(multiply(last, length), all));
}

StepRef RowReduction::extremeOfLine(const Index &keptIndex, StepRef row) {
  Index index = operandIndex(*this, plan, keptIndex, row, constant(0));
  return extremeOfElements(linearOf(index, plan.shape), plan.rowLength,
                           constant(0), constant(plan.rowLength));
}

/// The fold of one row from the neutral element on.
StepRef RowReduction::foldPiece(const Index &keptIndex, StepRef row) {
  return loop(constant(0), lengthOf(row), {none()},
              [&](StepRef i, llvm::ArrayRef<StepRef> before) -> Refs {
                StepRef x = elementsAt(keptIndex, row, i).front();
                return {both(before.front(), wide(x), true)};
              })
      .front();
}

/// The fold of rows [first, last) from the neutral element on.
StepRef RowReduction::foldRows(const Index &keptIndex, StepRef first,
                               StepRef last) {
  if (readsRowsAsVectors()) {
    return extremeOfPieces(keptIndex, first, last);
  }
  bool areLines = readsLinesAsVectors();
  auto foldOne = [&](StepRef row) {
    return areLines ? extremeOfLine(keptIndex, row) : foldPiece(keptIndex, row);
  };
  if (plan.rows == 1) {
    return foldOne(constant(0));
  }
  return loop(first, last, {none()},
              [&](StepRef row, llvm::ArrayRef<StepRef> before) -> Refs {
                return {both(before.front(), foldOne(row), areLines)};
              })
      .front();
}

//===----------------------------------------------------------------------===//
// Functions that are no single operation
//===----------------------------------------------------------------------===//

/// Into how many segments a row is cut whose fold is no single operation: they
/// are folded side by side, which fills vectors, and then in their order.
int64_t RowReduction::segments() const {
  constexpr int64_t shortest = 4;
  for (int64_t count : {16, 8}) {
    if (plan.rowLength >= count * shortest) {
      return count;
    }
  }
  return 0;
}

RowReduction::Refs RowReduction::foldSegments(ElementAt elementAt) {
  int64_t count = segments(), length = plan.rowLength / count;
  Buffers partial = scratchOf(count);
  auto element = [&](StepRef segment, StepRef i) {
    return elementAt(add(multiply(segment, constant(length)), i));
  };
  StepRef zero = constant(0), all = constant(count);
  loop(zero, all, [&](StepRef s) { storeAll(partial, s, element(s, zero)); });
  loop(constant(1), constant(length), [&](StepRef i) {
    loop(zero, all, [&](StepRef s) {
      storeAll(partial, s, combine(loadAll(partial, s), element(s, i)));
    });
  });
  Refs values = loop(zero, all, initial(),
                     [&](StepRef s, llvm::ArrayRef<StepRef> before) {
                       return combine(before, loadAll(partial, s));
                     });
  return foldInOrder(std::move(values), count * length, elementAt);
}

RowReduction::Refs RowReduction::foldInOrder(Refs start, int64_t first,
                                             ElementAt elementAt) {
  return loop(constant(first), constant(plan.rowLength), start,
              [&](StepRef i, llvm::ArrayRef<StepRef> before) {
                return combine(before, elementAt(i));
              });
}

/// Whether the elements of a row are computed into an array before they are
/// folded one after the other: so their computation fills vectors.
bool RowReduction::stages() {
  int64_t bytes = 0;
  bool computes = false;
  for (Value input : op.getInputs()) {
    bytes += plan.rowLength * byteWidth(elementTypeOf(input.getType()));
    computes |=
        fusion.formOf(input) == Form::Inline && !input.getDefiningOp<IotaOp>();
  }
  return computes && bytes <= cpuTarget.halfFirstCache();
}

/// The fold of one row by a function that is no single operation.
RowReduction::Refs RowReduction::foldRow(const Index &keptIndex) {
  auto foldBy = [&](ElementAt elementAt) {
    return segments() > 0 ? foldSegments(elementAt)
                          : foldInOrder(initial(), 0, elementAt);
  };
  auto computed = [&](StepRef i) {
    return elementsAt(keptIndex, constant(0), i);
  };
  if (!stages()) {
    return foldBy(computed);
  }
  Buffers row = scratchOf(plan.rowLength);
  loop(constant(0), constant(plan.rowLength),
       [&](StepRef i) { storeAll(row, i, computed(i)); });
  return foldBy([&](StepRef i) { return loadAll(row, i); });
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

RowReduction::Refs RowReduction::foldAll(const Index &keptIndex) {
  if (folded) {
    StepRef start = wide(initial().front());
    StepRef rows = foldRows(keptIndex, constant(0), constant(plan.rows));
    return {narrowed(both(start, rows, false))};
  }
  if (isRow) {
    return foldRow(keptIndex);
  }
  return loop(constant(0), constant(plan.rows), initial(),
              [&](StepRef row, llvm::ArrayRef<StepRef> before) {
                return loop(constant(0), constant(plan.rowLength), before,
                            [&](StepRef i, llvm::ArrayRef<StepRef> inner) {
                              return combine(inner,
                                             elementsAt(keptIndex, row, i));
                            });
              });
}

void RowReduction::fillSplitRows() {
  int64_t pieces = chosen.size("partials");
  Buffers results = resultBuffers();
  int64_t partial = bufferOf(accumulator, {plan.results * pieces},
                             buffers.scratchOf(op), true);
  parallel(chosen.loops.tasks(), chosen.loops.grain,
           [&](StepRef begin, StepRef end) {
             loop(begin, end, [&](StepRef task) {
               Index keptIndex;
               keptIndex.linear = divide(task, constant(pieces));
               StepRef piece = remainder(task, constant(pieces));
               auto bound = [&](StepRef p) {
                 return divide(multiply(p, constant(plan.rows)),
                               constant(pieces));
               };
               storeTo(partial, task,
                       foldRows(keptIndex, bound(piece),
                                bound(add(piece, constant(1)))));
             });
           });
  StepRef start = wide(initial().front());
  loop(constant(0), constant(plan.results), [&](StepRef kept) {
    StepRef base = multiply(kept, constant(pieces));
    Refs all = loop(constant(0), constant(pieces), {start},
                    [&](StepRef p, llvm::ArrayRef<StepRef> before) -> Refs {
                      StepRef x = loadFrom(partial, add(base, p));
                      return {both(before.front(), x, true)};
                    });
    storeAll(results, kept, {narrowed(all.front())});
  });
}

void RowReduction::fill() {
  if (chosen.strategy == Strategy::SplitRows) {
    result.name = "reduce_split_rows";
    fillSplitRows();
    return;
  }
  bool areFew = chosen.strategy == Strategy::Few;
  result.name = areFew ? "reduce_few" : "reduce_rows";
  Buffers results = resultBuffers();
  nest(chosen.loops, [&](const Index &keptIndex) {
    llvm::SmallVector<Refs> elements;
    for (int64_t r = 0; areFew && r < plan.rows; ++r) {
      for (int64_t i = 0; i < plan.rowLength; ++i) {
        elements.push_back(elementsAt(keptIndex, constant(r), constant(i)));
      }
    }
    storeAll(results, linearOf(keptIndex, plan.keptShape),
             areFew ? foldFew(elements) : foldAll(keptIndex));
  });
}

std::unique_ptr<ReductionKernel> rowKernel(ReduceOp op,
                                           const FusionPlan &fusion,
                                           const RowGroups &rows,
                                           const BufferPlan &buffers) {
  return std::make_unique<RowReduction>(op, fusion, rows, buffers);
}

} // namespace xla::cpu
