//===- BuildReductions.cpp - Kernels of reductions and windows ------------===//
//
// A thread computes an element of the result, in a loop that carries it; where
// many elements go into one, a block does: each thread folds every 256th of
// them, then threads exchange what they have, 32 with each other, and the
// eight results of those meet in memory of the block.
//
//===----------------------------------------------------------------------===//

#include "xla/codegen/gpu/BuildKernels.h"

#include "xla/codegen/cpu/lower/window/Window.h"

namespace xla::gpu {

using namespace stablehlo;
using cpu::StepRef;
using kernel::Code;
using kernel::Mark;
using kernel::Step;
using mlir::Value;

static constexpr int64_t groups = threadsOfBlock / kernel::exchangeLanes;

static int64_t countOf(llvm::ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape) {
    count *= size;
  }
  return count;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

void KernelSource::markedLoop(Mark mark, StepRef begin, StepRef end,
                              Body body) {
  Scope scope(*this);
  Step step = {Code::Loop};
  step.mark = mark;
  step.operands = {idOf(begin), idOf(end)};
  body(add(std::move(step)));
  add({Code::End});
}

KernelSource::Refs KernelSource::carry(StepRef begin, StepRef end,
                                       llvm::ArrayRef<StepRef> initial,
                                       CarryBody body) {
  auto stepOn = [&](Code code, llvm::ArrayRef<StepRef> operands) {
    Step step = {code};
    step.type =
        code == Code::Next ? ElementType::Invalid : at(operands.front()).type;
    for (StepRef operand : operands) {
      step.operands.push_back(idOf(operand));
    }
    return add(std::move(step));
  };
  Refs carried;
  markedLoop(Mark::None, begin, end, [&](StepRef i) {
    for (StepRef x : initial) {
      carried.push_back(stepOn(Code::Carried, x));
    }
    Refs next = body(i, carried);
    for (auto [x, y] : llvm::zip_equal(carried, next)) {
      stepOn(Code::Next, {x, y});
    }
  });
  Refs last;
  for (StepRef x : carried) {
    last.push_back(stepOn(Code::Last, x));
  }
  return last;
}

void KernelSource::when(StepRef condition, llvm::function_ref<void()> body) {
  Step step = {Code::When};
  step.operands = {idOf(condition)};
  add(std::move(step));
  body();
  add({Code::End});
}

StepRef KernelSource::exchange(StepRef x, int64_t distance) {
  Step step = {Code::Exchange};
  step.type = at(x).type;
  step.operands = {idOf(x)};
  step.number = distance;
  return add(std::move(step));
}

/// An operation of StableHLO that the program does not have.
StepRef KernelSource::compute(llvm::StringRef name, mlir::Type type,
                              llvm::ArrayRef<StepRef> operands,
                              llvm::ArrayRef<mlir::Type> types) {
  if (!result.operations) {
    result.operations = std::make_shared<mlir::Block>();
  }
  mlir::Location location = mlir::UnknownLoc::get(type.getContext());
  mlir::OperationState state(location, name);
  for (mlir::Type operand : types) {
    state.addOperands(result.operations->addArgument(
        mlir::RankedTensorType::get({}, operand), location));
  }
  state.addTypes(mlir::RankedTensorType::get({}, type));
  auto *op = mlir::Operation::create(state);
  result.operations->push_back(op);
  return emitElementwise(op, operands);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

KernelSource::Refs KernelSource::inputsAt(ReduceOp op, StepRef output,
                                          StepRef term) {
  llvm::ArrayRef<int64_t> shape = cpu::shapeOf(op.getInputs().front());
  llvm::SmallVector<int64_t> kept, folded;
  for (auto [d, size] : llvm::enumerate(shape)) {
    bool isFolded = llvm::is_contained(op.getDimensions(), d);
    (isFolded ? folded : kept).push_back(size);
  }
  Index outer, inner, index;
  outer.linear = output;
  inner.linear = term;
  auto outside = dimsOf(outer, kept), inside = dimsOf(inner, folded);
  size_t nextKept = 0, nextFolded = 0;
  for (size_t d = 0; d < shape.size(); ++d) {
    index.dims.push_back(llvm::is_contained(op.getDimensions(), d)
                             ? inside[nextFolded++]
                             : outside[nextKept++]);
  }
  Refs elements;
  for (Value input : op.getInputs()) {
    elements.push_back(emitElement(input, index));
  }
  return elements;
}

KernelSource::Refs KernelSource::fold(mlir::Region &body,
                                      llvm::ArrayRef<StepRef> x,
                                      llvm::ArrayRef<StepRef> y) {
  Refs both(x);
  both.append(y.begin(), y.end());
  return apply(body, both);
}

/// What the threads of a block make of `terms` elements, and thread 0 stores.
void KernelSource::foldByBlock(ReduceOp op, llvm::ArrayRef<BufferSlice> slices,
                               StepRef output, int64_t terms) {
  mlir::Region &body = op.getBody();
  auto foldAcross = [&](Refs x, int64_t distance) {
    for (; distance > 0; distance /= 2) {
      Refs others;
      for (StepRef element : x) {
        others.push_back(exchange(element, distance));
      }
      x = fold(body, x, others);
    }
    return x;
  };
  llvm::SmallVector<int64_t> partial;
  for (Value input : op.getInputs()) {
    partial.push_back(
        scratch(elementTypeOf(input.getType()), groups, kernel::Scope::Block));
  }
  Step barrier = {Code::Barrier};
  StepRef all = constant(threadsOfBlock);
  markedLoop(Mark::Vector, constant(0), all, [&](StepRef t) {
    Refs x = inputsAt(op, output, t);
    int64_t rounds = (terms + threadsOfBlock - 1) / threadsOfBlock;
    bool isEven = terms % threadsOfBlock == 0;
    if (rounds > 1) {
      x = carry(constant(1), constant(rounds), x,
                [&](StepRef round, llvm::ArrayRef<StepRef> carried) {
                  StepRef term = sumOf(multiply(round, all), t);
                  StepRef safe = isEven ? term : least(term, terms - 1);
                  Refs next = fold(body, carried, inputsAt(op, output, safe));
                  for (size_t i = 0; !isEven && i < next.size(); ++i) {
                    next[i] = chooseElement(isAtMost(term, terms - 1), next[i],
                                            carried[i]);
                  }
                  return next;
                });
    }
    x = foldAcross(x, kernel::exchangeLanes / 2);
    StepRef lanes = constant(kernel::exchangeLanes);
    StepRef group = divide(t, lanes);
    when(isEqual(remainder(t, lanes), 0), [&] {
      for (auto [buffer, element] : llvm::zip_equal(partial, x)) {
        storeTo(buffer, group, element);
      }
    });
  });
  add(barrier);
  markedLoop(Mark::Vector, constant(0), constant(kernel::exchangeLanes),
             [&](StepRef t) {
               Refs x, initial;
               for (auto [buffer, value] :
                    llvm::zip_equal(partial, op.getInitValues())) {
                 x.push_back(loadFrom(buffer, remainder(t, constant(groups))));
                 initial.push_back(scalar(value));
               }
               x = fold(body, initial, foldAcross(x, groups / 2));
               when(isEqual(t, 0), [&] {
                 for (auto [i, element] : llvm::enumerate(x)) {
                   store(at(element).type, slices[i], output, element);
                 }
               });
             });
  add(barrier);
}

kernel::Kernel KernelSource::reduce(ReduceOp op,
                                    llvm::ArrayRef<BufferSlice> slices) {
  llvm::ArrayRef<int64_t> shape = cpu::shapeOf(op.getResult(0));
  int64_t outputs = countOf(shape), terms = 1;
  for (int64_t d : op.getDimensions()) {
    terms *= cpu::shapeOf(op.getInputs().front())[d];
  }
  storedShape.assign(shape.begin(), shape.end());
  result.name = "reduce";
  parallel(outputs, 1, [&](StepRef first, StepRef last) {
    if (terms >= threadsOfBlock) {
      markedLoop(Mark::None, first, last, [&](StepRef output) {
        foldByBlock(op, slices, output, terms);
      });
      return;
    }
    markedLoop(Mark::Vector, first, last, [&](StepRef output) {
      Refs x;
      for (Value value : op.getInitValues()) {
        x.push_back(scalar(value));
      }
      if (terms > 0) {
        x = carry(constant(0), constant(terms), x,
                  [&](StepRef term, llvm::ArrayRef<StepRef> carried) {
                    return fold(op.getBody(), carried,
                                inputsAt(op, output, term));
                  });
      }
      for (auto [i, element] : llvm::enumerate(x)) {
        store(at(element).type, slices[i], output, element);
      }
    });
  });
  return std::move(result);
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

kernel::Kernel KernelSource::reduceWindow(ReduceWindowOp op,
                                          llvm::ArrayRef<BufferSlice> slices) {
  llvm::ArrayRef<int64_t> shape = cpu::shapeOf(op.getResult(0));
  llvm::ArrayRef<int64_t> from = cpu::shapeOf(op.getInputs().front());
  cpu::Windows windows = cpu::windowsOf(op);
  llvm::SmallVector<int64_t> sizes;
  for (const cpu::WindowDim &window : windows) {
    sizes.push_back(window.size);
  }
  storedShape.assign(shape.begin(), shape.end());
  result.name = "reduce_window";
  auto termAt = [&](StepRef output, StepRef term,
                    llvm::ArrayRef<StepRef> carried) {
    Index outer, inner, index;
    outer.linear = output;
    inner.linear = term;
    auto outside = dimsOf(outer, shape), offsets = dimsOf(inner, sizes);
    StepRef isInside = truth();
    for (auto [d, window] : llvm::enumerate(windows)) {
      StepRef i = sumOf(timesOf(outside[d], window.stride),
                        timesOf(offsets[d], window.dilation));
      i = shiftIndex(i, -window.low);
      isInside = both(isInside, both(isAtLeast(i, 0),
                                     isAtMost(i, (from[d] - 1) * window.base)));
      if (window.base > 1) {
        isInside = both(isInside, isEqual(signedRemainder(i, window.base), 0));
        i = signedDivide(i, window.base);
      }
      index.dims.push_back(least(most(i, 0), from[d] - 1));
    }
    Refs x;
    for (Value input : op.getInputs()) {
      x.push_back(emitElement(input, index));
    }
    Refs next = fold(op.getBody(), carried, x);
    for (auto [y, old] : llvm::zip_equal(next, carried)) {
      y = chooseElement(isInside, y, old);
    }
    return next;
  };
  bool hasTerms = countOf(from) > 0 && countOf(sizes) > 0;
  parallel(countOf(shape), 1, [&](StepRef first, StepRef last) {
    markedLoop(Mark::Vector, first, last, [&](StepRef output) {
      Refs x;
      for (Value value : op.getInitValues()) {
        x.push_back(scalar(value));
      }
      if (hasTerms) {
        x = carry(constant(0), constant(countOf(sizes)), x,
                  [&](StepRef term, llvm::ArrayRef<StepRef> carried) {
                    return termAt(output, term, carried);
                  });
      }
      for (auto [i, element] : llvm::enumerate(x)) {
        store(at(element).type, slices[i], output, element);
      }
    });
  });
  return std::move(result);
}

} // namespace xla::gpu
