//===- LowerKernel.cpp - LLVM IR from the kernel form ---------------------===//
//
// A parallel axis is `xla_parallel_for`, a sequential one a loop. A block of
// the grid is one thread, so a barrier of a block waits for nobody.
//
//===----------------------------------------------------------------------===//

#include "xla/codegen/cpu/LowerKernel.h"

#include "xla/codegen/cpu/lower/elementwise/Elementwise.h"

namespace xla::cpu {

using namespace stablehlo;
using kernel::Code;
using kernel::Id;
using kernel::Step;

namespace {

class KernelLowering {
public:
  KernelLowering(Emitter &e, const kernel::Kernel &kernel)
      : e(e), kernel(kernel), indices(kernel.steps.size()),
        elements(kernel.steps.size()) {}

  void lower() { lowerRange(0, static_cast<Id>(kernel.steps.size())); }

private:
  void lowerRange(Id begin, Id end);
  void lowerScope(Id opener, Id end);
  void lowerStep(Id id, const Step &step);
  Id endOf(Id opener) const;
  llvm::Value *indexOf(const Step &step);
  llvm::Value *indexAt(const Step &step, size_t n) {
    return e.capture(indices[step.operands[n]]);
  }
  int64_t numberAt(const Step &step, size_t n) {
    return kernel.steps[step.operands[n]].number;
  }
  Element elementAt(const Step &step, size_t n) {
    Element x = elements[step.operands[n]];
    return {e.capture(x.real), x.imag ? e.capture(x.imag) : nullptr};
  }
  Element elementOf(const Step &step);

  Emitter &e;
  const kernel::Kernel &kernel;
  std::vector<llvm::Value *> indices;
  std::vector<Element> elements;
};

} // namespace

static BufferSlice sliceOf(const kernel::Buffer &buffer) {
  BufferSlice::Kind kind = BufferSlice::Arena;
  switch (buffer.memory) {
  case kernel::Buffer::Argument:
    kind = BufferSlice::Argument;
    break;
  case kernel::Buffer::Result:
    kind = BufferSlice::Result;
    break;
  case kernel::Buffer::Constant:
    kind = BufferSlice::Constant;
    break;
  case kernel::Buffer::Rows:
    kind = BufferSlice::Rows;
    break;
  case kernel::Buffer::Arena:
  case kernel::Buffer::Scratch:
    break;
  }
  return {kind, buffer.number, buffer.constant};
}

/// The `End` of what opens at `opener`.
Id KernelLowering::endOf(Id opener) const {
  int depth = 0;
  for (Id id = opener;; ++id) {
    const Step &step = kernel.steps[id];
    depth += step.opensScope();
    depth -= step.code == Code::End;
    if (depth == 0) {
      return id;
    }
  }
}

void KernelLowering::lowerRange(Id begin, Id end) {
  for (Id id = begin; id < end && !e.failed(); ++id) {
    const Step &step = kernel.steps[id];
    if (step.opensScope()) {
      Id last = endOf(id);
      lowerScope(id, last);
      id = last;
    } else {
      lowerStep(id, step);
    }
  }
}

void KernelLowering::lowerScope(Id opener, Id end) {
  const Step &step = kernel.steps[opener];
  auto lowerAxis = [&](llvm::Value *first, llvm::Value *last) {
    indices[opener] = first;
    indices[opener + 1] = last;
    lowerRange(opener + 2, end);
  };
  switch (step.code) {
  case Code::Parallel:
  case Code::OfRows:
    e.parallel(step.number, step.least, lowerAxis);
    return;
  case Code::Sequential:
    lowerAxis(e.constant(0), e.constant(step.number));
    return;
  case Code::Loop:
    e.loop(indexAt(step, 0), indexAt(step, 1), [&](llvm::Value *i) {
      indices[opener] = i;
      lowerRange(opener + 1, end);
    });
    return;
  default:
    e.when(indexAt(step, 0), [&] { lowerRange(opener + 1, end); });
  }
}

llvm::Value *KernelLowering::indexOf(const Step &step) {
  switch (step.code) {
  case Code::Number:
    return e.constant(step.number);
  case Code::Add:
    return e.add(indexAt(step, 0), indexAt(step, 1));
  case Code::Subtract:
    return e.subtract(indexAt(step, 0), indexAt(step, 1));
  case Code::Multiply:
    return e.multiply(indexAt(step, 0), indexAt(step, 1));
  case Code::Divide:
    return e.divide(indexAt(step, 0), indexAt(step, 1));
  case Code::Remainder:
    return e.remainder(indexAt(step, 0), indexAt(step, 1));
  case Code::SignedDivide:
    return e.signedDivide(indexAt(step, 0), numberAt(step, 1));
  case Code::SignedRemainder:
    return e.signedRemainder(indexAt(step, 0), numberAt(step, 1));
  case Code::Least:
    return e.least(indexAt(step, 0), numberAt(step, 1));
  case Code::Most:
    return e.most(indexAt(step, 0), numberAt(step, 1));
  case Code::UnsignedLeast:
    return e.unsignedLeast(indexAt(step, 0), numberAt(step, 1));
  case Code::OfElement: {
    bool isSigned = isSignedInteger(kernel.steps[step.operands[0]].type);
    return e.builder().CreateIntCast(elementAt(step, 0).real,
                                     e.builder().getInt64Ty(), isSigned);
  }
  case Code::Truth:
    return e.builder().getInt1(step.number);
  case Code::AtLeast:
    return e.isAtLeast(indexAt(step, 0), numberAt(step, 1));
  case Code::AtMost:
    return e.isAtMost(indexAt(step, 0), numberAt(step, 1));
  case Code::Equal:
    return e.isEqual(indexAt(step, 0), numberAt(step, 1));
  case Code::And:
    return e.both(indexAt(step, 0), indexAt(step, 1));
  default:
    return e.chooseIndex(indexAt(step, 0), indexAt(step, 1), indexAt(step, 2));
  }
}

Element KernelLowering::elementOf(const Step &step) {
  switch (step.code) {
  case Code::Constant:
    return e.constantElement(llvm::cast<ConstantOp>(step.of));
  case Code::Zero:
    return e.zero(step.type);
  case Code::Scalar:
    return e.scalar(step.value);
  case Code::Load:
    return e.load(step.type, sliceOf(kernel.buffers[step.number]),
                  indexAt(step, 0));
  case Code::OfIndex:
    return e.numberElement(indexAt(step, 0), step.number, step.type);
  case Code::Part:
    return e.partOfBits(elementAt(step, 0), kernel.steps[step.operands[0]].type,
                        indexAt(step, 1), step.type);
  case Code::Choose:
    return e.chooseElement(indexAt(step, 0), elementAt(step, 1),
                           elementAt(step, 2));
  default:
    break;
  }
  llvm::SmallVector<Element, 3> x;
  for (size_t n = 0; n < step.operands.size(); ++n) {
    x.push_back(elementAt(step, n));
  }
  return step.code == Code::Compute
             ? e.emitElementwise(step.of, x)
             : e.joinBits(x, kernel.steps[step.operands[0]].type, step.type);
}

void KernelLowering::lowerStep(Id id, const Step &step) {
  if (step.code == Code::Store) {
    const kernel::Buffer &buffer = kernel.buffers[step.number];
    e.store(buffer.type, sliceOf(buffer), indexAt(step, 0), elementAt(step, 1));
  } else if (step.isElement()) {
    elements[id] = elementOf(step);
  } else if (step.isIndex() || step.isCondition()) {
    indices[id] = indexOf(step);
  }
}

void lowerKernel(Emitter &e, const kernel::Kernel &kernel) {
  bool hasScratch = llvm::any_of(kernel.buffers, [](const auto &buffer) {
    return buffer.memory == kernel::Buffer::Scratch;
  });
  bool calls = llvm::any_of(
      kernel.steps, [](const Step &step) { return step.code == Code::Call; });
  if (hasScratch || calls) {
    e.status = unimplemented("the CPU compiler has no code for scratch memory "
                             "and calls of the kernel '" +
                             kernel.name + "'");
    return;
  }
  KernelLowering(e, kernel).lower();
}

bool isComplete(Emitter &e, const KernelBuilder &builder,
                const kernel::Kernel &kernel, mlir::Operation *op) {
  std::string why = builder.reason();
  if (!builder.failed() && kernel::verify(kernel, why)) {
    return true;
  }
  e.fail(builder.failed() ? builder.failedOperation() : op, why);
  return false;
}

void emitNest(Emitter &e, llvm::ArrayRef<mlir::Value> outputs,
              llvm::ArrayRef<BufferSlice> slices, const LoopPlan &loops) {
  KernelBuilder builder(e.fusion, e.buffers, e.site().groupRows);
  kernel::Kernel kernel = builder.build(outputs, slices, loops);
  if (isComplete(e, builder, kernel, outputs.front().getDefiningOp())) {
    lowerKernel(e, kernel);
  }
}

} // namespace xla::cpu
