//===- KernelBuilder.cpp - Loop nests in the kernel form ------------------===//

#include "xla/codegen/cpu/KernelBuilder.h"

#include "xla/codegen/cpu/Elements.h"

namespace xla::cpu {

using namespace stablehlo;
using kernel::Code;
using kernel::Step;
using mlir::Operation;
using mlir::Value;

//===----------------------------------------------------------------------===//
// Indices and conditions
//===----------------------------------------------------------------------===//

StepRef KernelBuilder::constant(int64_t value) {
  StepRef &step = numbers[value];
  if (step == StepRef::None) {
    Step number = {Code::Number};
    number.number = value;
    step = add(number);
  }
  return step;
}

StepRef KernelBuilder::truth(bool value) {
  StepRef &step = truths[value];
  if (step == StepRef::None) {
    Step condition = {Code::Truth};
    condition.number = value;
    step = add(condition);
  }
  return step;
}

std::optional<int64_t> KernelBuilder::knownIndex(StepRef index) const {
  return at(index).code == Code::Number ? std::optional(at(index).number)
                                        : std::nullopt;
}

std::optional<bool> KernelBuilder::knownTruth(StepRef condition) const {
  return at(condition).code == Code::Truth
             ? std::optional(at(condition).number != 0)
             : std::nullopt;
}

/// What numbers give is a number, as LLVM's builder has it.
static std::optional<int64_t> fold(Code code, int64_t x, int64_t y) {
  switch (code) {
  case Code::Add:
    return x + y;
  case Code::Subtract:
    return x - y;
  case Code::Multiply:
    return x * y;
  case Code::Divide:
  case Code::SignedDivide:
    return y ? std::optional(x / y) : std::nullopt;
  case Code::Remainder:
  case Code::SignedRemainder:
    return y ? std::optional(x % y) : std::nullopt;
  case Code::AtLeast:
    return x >= y;
  case Code::AtMost:
    return x <= y;
  case Code::Equal:
    return x == y;
  default:
    return std::nullopt;
  }
}

StepRef KernelBuilder::index(Code code, StepRef x, StepRef y) {
  auto first = knownIndex(x), second = knownIndex(y);
  if (first && second) {
    if (auto folded = fold(code, *first, *second)) {
      return constant(*folded);
    }
  }
  Step step = {code};
  step.operands = {idOf(x), idOf(y)};
  return add(std::move(step));
}

StepRef KernelBuilder::compare(Code code, StepRef x, int64_t y) {
  if (auto known = knownIndex(x)) {
    return truth(*fold(code, *known, y));
  }
  Step step = {code};
  step.operands = {idOf(x), idOf(constant(y))};
  return add(std::move(step));
}

StepRef KernelBuilder::both(StepRef x, StepRef y) {
  auto first = knownTruth(x), second = knownTruth(y);
  if (first && second) {
    return truth(*first && *second);
  }
  Step step = {Code::And};
  step.operands = {idOf(x), idOf(y)};
  return add(std::move(step));
}

StepRef KernelBuilder::chooseIndex(StepRef condition, StepRef x, StepRef y) {
  if (auto known = knownTruth(condition)) {
    return *known ? x : y;
  }
  Step step = {Code::Choose};
  step.operands = {idOf(condition), idOf(x), idOf(y)};
  return add(std::move(step));
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void KernelBuilder::parallel(int64_t tasks, int64_t grain, RangeBody body) {
  if (tasks <= 0) {
    return;
  }
  if (grain == 0 && groupRows == 0) {
    body(constant(0), constant(tasks));
    return;
  }
  Step axis = {groupRows ? Code::OfRows : Code::Parallel};
  axis.number = tasks;
  axis.least = groupRows ? 0 : grain;
  StepRef begin = add(axis), end = add({Code::RangeEnd});
  body(begin, end);
  add({Code::End});
}

KernelBuilder::Refs KernelBuilder::loop(StepRef begin, StepRef end,
                                        llvm::ArrayRef<StepRef> initial,
                                        CarryBody body) {
  auto first = knownIndex(begin), last = knownIndex(end);
  if (first && last && *first >= *last) {
    return Refs(initial);
  }
  Scope scope(*this);
  if (first && last && *last - *first == 1) {
    return body(begin, initial);
  }
  Step step = {Code::Loop};
  step.operands = {idOf(begin), idOf(end)};
  StepRef i = add(std::move(step));
  auto handOn = [&](Code code, std::initializer_list<StepRef> operands) {
    Step step = {code};
    for (StepRef operand : operands) {
      step.operands.push_back(idOf(operand));
    }
    if (code != Code::Next) {
      step.type = at(*operands.begin()).type;
    }
    return add(std::move(step));
  };
  Refs carries;
  for (StepRef value : initial) {
    carries.push_back(handOn(Code::Carried, {value}));
  }
  Refs next = body(i, carries);
  for (auto [carry, value] : llvm::zip_equal(carries, next)) {
    handOn(Code::Next, {carry, value});
  }
  bool isInnermost =
      llvm::none_of(llvm::ArrayRef(result.steps).drop_front(idOf(i) + 1),
                    [](const Step &inner) { return inner.code == Code::Loop; });
  result.steps[idOf(i)].mark = isInnermost && initial.empty()
                                   ? kernel::Mark::Vector
                                   : kernel::Mark::None;
  add({Code::End});
  Refs results;
  for (StepRef carry : carries) {
    results.push_back(handOn(Code::Last, {carry}));
  }
  return results;
}

void KernelBuilder::loop(StepRef begin, StepRef end, Body body) {
  loop(begin, end, {}, [&](StepRef i, llvm::ArrayRef<StepRef>) {
    body(i);
    return Refs();
  });
}

void KernelBuilder::noteExtent(StepRef index, int64_t least, int64_t most) {
  Step &loop = result.steps[idOf(index)];
  loop.least = least;
  loop.number = most;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

static Step elementStep(Code code, ElementType type) {
  Step step = {code};
  step.type = type;
  return step;
}

StepRef KernelBuilder::chooseElement(StepRef condition, StepRef x, StepRef y) {
  Step step = elementStep(Code::Choose, at(x).type);
  step.operands = {idOf(condition), idOf(x), idOf(y)};
  return add(std::move(step));
}

StepRef KernelBuilder::zero(ElementType type) {
  return add(elementStep(Code::Zero, type));
}

StepRef KernelBuilder::constantElement(ConstantOp op) {
  if (!llvm::isa<mlir::DenseElementsAttr>(op.getValue())) {
    fail(op, "its value is not dense");
    return undefined(op.getType());
  }
  Step step = elementStep(Code::Constant, elementTypeOf(op.getType()));
  step.of = op;
  return add(std::move(step));
}

StepRef KernelBuilder::numberElement(StepRef number, int64_t limit,
                                     ElementType type) {
  Step step = elementStep(Code::OfIndex, type);
  step.operands = {idOf(number)};
  step.number = limit;
  return add(std::move(step));
}

StepRef KernelBuilder::partOfBits(StepRef x, ElementType, StepRef part,
                                  ElementType to) {
  Step step = elementStep(Code::Part, to);
  step.operands = {idOf(x), idOf(part)};
  return add(std::move(step));
}

StepRef KernelBuilder::joinBits(llvm::ArrayRef<StepRef> parts, ElementType,
                                ElementType to) {
  Step step = elementStep(Code::Join, to);
  for (StepRef part : parts) {
    step.operands.push_back(idOf(part));
  }
  return add(std::move(step));
}

StepRef KernelBuilder::widenIndex(Value, StepRef start) {
  Step step = {Code::OfElement};
  step.operands = {idOf(start)};
  return add(std::move(step));
}

StepRef KernelBuilder::scalar(Value value) {
  if (fusion.formOf(value) != Form::Register) {
    return emitElement(value, {});
  }
  if (const StepRef *found = findKnown(value, {})) {
    return *found;
  }
  if (auto constant = value.getDefiningOp<ConstantOp>()) {
    StepRef element = constantElement(constant);
    setKnown(value, {}, element);
    return element;
  }
  Step step = elementStep(Code::Scalar, elementTypeOf(value.getType()));
  step.value = value;
  step.number = static_cast<int64_t>(
      scalars.insert({value, scalars.size()}).first->second);
  StepRef element = add(std::move(step));
  setKnown(value, {}, element);
  return element;
}

int64_t KernelBuilder::bufferOf(ElementType type, llvm::ArrayRef<int64_t> shape,
                                const BufferSlice &slice, bool isWritten) {
  kernel::Buffer buffer;
  switch (slice.kind) {
  case BufferSlice::Arena:
    buffer.memory = kernel::Buffer::Arena;
    break;
  case BufferSlice::Argument:
    buffer.memory = kernel::Buffer::Argument;
    break;
  case BufferSlice::Result:
    buffer.memory = kernel::Buffer::Result;
    break;
  case BufferSlice::Constant:
    buffer.memory = kernel::Buffer::Constant;
    break;
  case BufferSlice::Rows:
    buffer.memory = kernel::Buffer::Rows;
    break;
  }
  buffer.number = slice.index;
  buffer.constant = slice.constant;
  buffer.type = type;
  buffer.shape.assign(shape.begin(), shape.end());
  buffer.isWritten = isWritten;
  return result.bufferOf(std::move(buffer));
}

StepRef KernelBuilder::loadElement(Value value, StepRef linear) {
  return loadFrom(bufferOf(elementTypeOf(value.getType()), shapeOf(value),
                           buffers.sliceOf(value), false),
                  linear);
}

void KernelBuilder::store(ElementType type, const BufferSlice &slice,
                          StepRef linear, StepRef element) {
  storeTo(bufferOf(type, storedShape, slice, true), linear, element);
}

int64_t KernelBuilder::scratch(ElementType type, int64_t elements,
                               kernel::Scope scope) {
  kernel::Buffer buffer;
  buffer.memory = kernel::Buffer::Scratch;
  buffer.scope = scope;
  buffer.number = static_cast<int64_t>(result.buffers.size());
  buffer.type = type;
  buffer.shape = {elements};
  buffer.isWritten = true;
  return result.bufferOf(std::move(buffer));
}

StepRef KernelBuilder::loadFrom(int64_t buffer, StepRef linear) {
  Step step = elementStep(Code::Load, result.buffers[buffer].type);
  step.number = buffer;
  step.operands = {idOf(linear)};
  return add(std::move(step));
}

void KernelBuilder::storeTo(int64_t buffer, StepRef linear, StepRef element) {
  Step step = {Code::Store};
  step.number = buffer;
  step.operands = {idOf(linear), idOf(element)};
  add(std::move(step));
}

void KernelBuilder::prefetch(int64_t buffer, StepRef linear, int64_t count) {
  Step step = {Code::Prefetch};
  step.number = buffer;
  step.operands = {idOf(linear)};
  step.least = count;
  add(std::move(step));
}

StepRef KernelBuilder::extreme(bool isGreatest, llvm::ArrayRef<StepRef> x) {
  Step step = elementStep(isGreatest ? Code::Greatest : Code::Smallest,
                          at(x.front()).type);
  for (StepRef element : x) {
    step.operands.push_back(idOf(element));
  }
  return add(std::move(step));
}

StepRef KernelBuilder::extremeOfRow(bool isGreatest, int64_t buffer,
                                    StepRef base, int64_t length, StepRef first,
                                    StepRef last) {
  Step step = elementStep(isGreatest ? Code::GreatestOf : Code::SmallestOf,
                          result.buffers[buffer].type);
  step.number = buffer;
  step.least = length;
  step.operands = {idOf(base), idOf(first), idOf(last)};
  return add(std::move(step));
}

StepRef KernelBuilder::neutral(Operation *op, ElementType type) {
  Step step = elementStep(Code::Neutral, type);
  step.of = op;
  return add(std::move(step));
}

StepRef KernelBuilder::foldInto(Operation *op, StepRef x, StepRef y,
                                bool anyOrder) {
  Step step = elementStep(Code::Fold, at(x).type);
  step.of = op;
  step.operands = {idOf(x), idOf(y)};
  step.number = anyOrder;
  return add(std::move(step));
}

StepRef KernelBuilder::convert(StepRef x, ElementType type) {
  if (at(x).type == type) {
    return x;
  }
  Step step = elementStep(Code::Convert, type);
  step.operands = {idOf(x)};
  return add(std::move(step));
}

StepRef KernelBuilder::emitElement(Value value, const Index &index) {
  return elements::emitElementOf(*this, value, index);
}

/// The first operation of a computation that is none on elements, or takes them
/// from outside.
Operation *KernelBuilder::notOnElements(mlir::Region &computation) {
  mlir::Block &block = computation.front();
  for (Operation &op : block.without_terminator()) {
    bool isInside = llvm::all_of(op.getOperands(), [&](Value operand) {
      return operand.getParentBlock() == &block;
    });
    if (!isInside || !(llvm::isa<ConstantOp>(op) || isElementwise(&op))) {
      return &op;
    }
  }
  return nullptr;
}

llvm::SmallVector<StepRef> KernelBuilder::apply(mlir::Region &computation,
                                                llvm::ArrayRef<StepRef> x) {
  mlir::Block &block = computation.front();
  if (Operation *op = notOnElements(computation)) {
    fail(op, "it is no operation on elements in a computation");
    return llvm::SmallVector<StepRef>(block.getTerminator()->getNumOperands(),
                                      truth());
  }
  llvm::DenseMap<Value, StepRef> values;
  for (auto [argument, element] : llvm::zip_equal(block.getArguments(), x)) {
    values[argument] = element;
  }
  for (Operation &op : block.without_terminator()) {
    llvm::SmallVector<StepRef, 3> operands;
    for (Value operand : op.getOperands()) {
      operands.push_back(values.lookup(operand));
    }
    auto constant = llvm::dyn_cast<ConstantOp>(op);
    values[op.getResult(0)] =
        constant ? constantElement(constant) : emitElementwise(&op, operands);
  }
  llvm::SmallVector<StepRef> results;
  for (Value value : block.getTerminator()->getOperands()) {
    results.push_back(values.lookup(value));
  }
  return results;
}

StepRef KernelBuilder::emitElementwise(Operation *op,
                                       llvm::ArrayRef<StepRef> x) {
  if (auto map = llvm::dyn_cast<MapOp>(op);
      map && fusion.hasScalarsInMemory()) {
    return apply(map.getComputation(), x).front();
  }
  Step step =
      elementStep(Code::Compute, elementTypeOf(op->getResult(0).getType()));
  step.of = op;
  for (StepRef operand : x) {
    step.operands.push_back(idOf(operand));
  }
  return add(std::move(step));
}

void KernelBuilder::fail(Operation *op, llvm::StringRef reason) {
  if (!failedAt) {
    failedAt = op;
    why = reason.str();
  }
}

kernel::Kernel KernelBuilder::build(llvm::ArrayRef<Value> outputs,
                                    llvm::ArrayRef<BufferSlice> slices,
                                    const LoopPlan &loops) {
  llvm::ArrayRef<int64_t> shape = shapeOf(outputs.front());
  storedShape.assign(shape.begin(), shape.end());
  result.name = "loop_nest";
  nest(loops, [&](const Index &index) {
    elements::storeOutputs(*this, outputs, slices, index);
  });
  return std::move(result);
}

kernel::Kernel KernelBuilder::build(DynamicUpdateSliceOp op,
                                    const BufferSlice &slice,
                                    const LoopPlan &loops) {
  Value update = op.getUpdate();
  llvm::ArrayRef<int64_t> shape = shapeOf(op.getResult());
  storedShape.assign(shape.begin(), shape.end());
  result.name = "update";
  llvm::SmallVector<StepRef> starts;
  for (auto [d, start] : llvm::enumerate(op.getStartIndices())) {
    starts.push_back(
        clampedStart(start, scalar(start), shape[d] - shapeOf(update)[d]));
  }
  nest(loops, [&](const Index &index) {
    Index at;
    at.dims = dimsOf(index, loops.shape);
    for (auto [i, start] : llvm::zip_equal(at.dims, starts)) {
      i = sumOf(start, i);
    }
    StepRef linear = linearOf(at, shape);
    store(elementTypeOf(op.getType()), slice, linear,
          emitElement(update, index));
  });
  return std::move(result);
}

} // namespace xla::cpu
