//===- Emitter.cpp - Programs, registers and steps ------------------------===//

#include "xla/codegen/cpu/Emitter.h"

#include "xla/analysis/DeviceGroups.h"
#include "xla/codegen/cpu/JoinedDimensions.h"
#include "xla/codegen/cpu/LowerKernel.h"
#include "xla/codegen/cpu/lower/Steps.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace xla::cpu {

using namespace stablehlo;
using mlir::Operation;
using mlir::Value;

Emitter::Emitter(llvm::Module &module, const FusionPlan &fusion,
                 const RowGroups &rows, const BufferPlan &buffers,
                 llvm::ArrayRef<Donation> donations, int64_t partitions)
    : LoopBuilder(module, buffers, donations), fusion(fusion), rowGroups(rows),
      partitions(partitions) {}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// Blocks of more steps than this make functions of them: in short programs
/// one function costs less, and in short loops a call would be felt.
static constexpr int manySteps = 12, manyStepsOfLoop = 64;
/// A step of more code, in additions, always is one: two of them in one
/// function cost more than twice the time.
static constexpr int muchCode = 256;

void Emitter::loadArguments(llvm::ArrayRef<mlir::BlockArgument> arguments) {
  for (mlir::BlockArgument argument : arguments) {
    ElementType type = elementTypeOf(argument.getType());
    setRegister(argument, load(type, buffers.sliceOf(argument), constant(0)));
  }
}

/// Writes the program's results, in their order; first those aside that wait.
void Emitter::emitResults(Operation *end) {
  llvm::SmallVector<unsigned> waiting, others;
  for (auto [i, value] : llvm::enumerate(end->getOperands())) {
    if (buffers.waits(end, i)) {
      waiting.push_back(i);
    }
    if (isTensor(value)) {
      others.push_back(i);
    }
  }
  parts.inParts(waiting.size(), [&](size_t i) {
    emitInto(end->getOperand(waiting[i]), buffers.swapSpaceOf(end, waiting[i]));
  });
  parts.inParts(others.size(), [&](size_t number) {
    unsigned i = others[number];
    Value value = end->getOperand(i);
    BufferSlice result = {BufferSlice::Result, static_cast<int64_t>(i)};
    if (buffers.waits(end, i)) {
      copy(buffers.swapSpaceOf(end, i), result, byteSizeOf(value));
    } else if (stepsApart && fusion.formOf(value) == Form::Inline) {
      parts.outlineStep([&] { emitInto(value, result); });
    } else {
      emitInto(value, result);
    }
  });
}

Status Emitter::emitEntry(mlir::Block &body, llvm::StringRef name) {
  llvm::Type *pointer = llvm::PointerType::getUnqual(context());
  auto *type =
      llvm::FunctionType::get(llvm::Type::getInt32Ty(context()),
                              {pointer, pointer, pointer, pointer}, false);
  auto *function = llvm::Function::Create(
      type, llvm::GlobalValue::ExternalLinkage, name, module);
  function->setDoesNotThrow();
  Frame main(function, nullptr, Frame::Entry);
  frame = &main;
  main.context = function->getArg(0);
  main.arguments = function->getArg(1);
  main.results = function->getArg(2);
  main.arena = function->getArg(3);
  llvm::SmallVector<mlir::BlockArgument> scalars;
  llvm::copy_if(body.getArguments(), std::back_inserter(scalars),
                [](Value x) { return isTensor(x) && isScalar(x); });
  parts.measure(body, static_cast<int64_t>(scalars.size()) +
                          body.getTerminator()->getNumOperands());
  if (parts.isLong()) {
    parts.publishArguments(scalars);
  } else {
    loadArguments(scalars);
  }
  emitBlock(body);
  stepsApart = main.stepWords || main.hasParts;
  if (!failed()) {
    marks.operation(body.getTerminator());
    emitResults(body.getTerminator());
  }
  builder().CreateRet(builder().getInt32(0));
  parts.sizeStepWords();
  llvm::SmallVector<Operation *> ops;
  for (Operation &op : body) {
    ops.push_back(&op);
  }
  if (parts.isLong() || (stepsApart && parts.isListOfCalls(ops))) {
    leaveUnoptimized(*function);
  }
  frame = nullptr;
  return status;
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

void Emitter::setRegister(Value value, Element element) {
  frame->registers[value] = element;
}

Element Emitter::scalar(Value value) {
  if (fusion.formOf(value) == Form::Register) {
    if (std::optional<Element> element = findRegister(value, *frame)) {
      return *element;
    }
    status = failed() ? status
                      : internalError("a scalar is used before it is computed");
    return undefined(value.getType());
  }
  return emitElement(value, {});
}

std::optional<Element> Emitter::findRegister(Value value, Frame &in) {
  auto found = in.registers.find(value);
  if (found != in.registers.end()) {
    return found->second;
  }
  if (std::optional<Element> escaped = parts.findEscape(value, in)) {
    return escaped;
  }
  if (!in.parent) {
    return std::nullopt;
  }
  std::optional<Element> outside = findRegister(value, *in.parent);
  if (!outside) {
    return std::nullopt;
  }
  auto bring = [&](llvm::Value *x) {
    return !x || llvm::isa<llvm::Constant>(x) ? x : capture(x, in);
  };
  Element element = {bring(outside->real), bring(outside->imag)};
  in.registers[value] = element;
  return element;
}

llvm::Value *Emitter::runState(Frame &in) {
  return in.kind == Frame::Entry ? in.context
                                 : capture(runState(*in.parent), in);
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// Whether the step reads or writes arrays where it stands.
bool Emitter::touchesMemory(Operation *op) const {
  auto isRegister = [&](Value value) {
    return fusion.formOf(value) == Form::Register;
  };
  if (!isElementOp(op) || !fusion.regionAt(op).empty()) {
    return true;
  }
  return isRegister(op->getResult(0)) &&
         !llvm::all_of(op->getOperands(), isRegister);
}

static constexpr size_t stepsOfPart = 128;

void Emitter::emitBlock(mlir::Block &block) {
  if (parts.isCut(block)) {
    parts.emitCut(block);
    return;
  }
  bool outer = stepsApart;
  if (frame->kind == Frame::Entry) {
    int most = programLoops > 0 ? manyStepsOfLoop : manySteps;
    auto steps = llvm::make_filter_range(
        block, [&](Operation &op) { return parts.isStep(&op); });
    Operation *around = block.getParentOp();
    bool isOfMany = llvm::isa<IfOp, CaseOp>(around) &&
                    areManyBranches(parts.weightOf(around));
    stepsApart = parts.isLong() || isOfMany ||
                 std::distance(steps.begin(), steps.end()) > most;
  }
  // Steps that follow each other are called by a part, so that no function and
  // no block of code grows with the program.
  llvm::SmallVector<Operation *> waiting;
  auto emitWaiting = [&] {
    if (waiting.size() > stepsOfPart / 4 && frame->kind == Frame::Entry) {
      parts.emitPart(waiting);
    } else {
      llvm::for_each(waiting, [&](Operation *op) { parts.emitOfPart(op); });
    }
    waiting.clear();
  };
  for (Operation &op : block.without_terminator()) {
    if (failed()) {
      break;
    }
    if (rowGroups.isPostponed(&op)) {
      continue;
    }
    bool isApart = stepsApart || fusion.codeAt(&op) > muchCode;
    if (isApart && callsSteps() && parts.isOutlined(&op)) {
      waiting.push_back(&op);
      if (waiting.size() == stepsOfPart) {
        emitWaiting();
      }
    } else {
      if (touchesMemory(&op)) {
        emitWaiting();
      }
      if (parts.isLong() && callsSteps()) {
        parts.emitOfPart(&op);
      } else {
        marks.operation(&op);
        emitStep(&op);
      }
    }
  }
  emitWaiting();
  stepsApart = outer;
}

namespace {
struct StepEmitter {
  llvm::StringLiteral name;
  void (*emit)(Emitter &, Operation *);
};
} // namespace

/// Operations that are steps of their own, by name.
static constexpr StepEmitter stepEmitters[] = {
    {"stablehlo.all_gather", emitCollective},
    {"stablehlo.all_reduce", emitCollective},
    {"stablehlo.all_to_all", emitCollective},
    {"stablehlo.case", emitBranches},
    {"stablehlo.cholesky", emitCholesky},
    {"stablehlo.collective_broadcast", emitCollective},
    {"stablehlo.collective_permute", emitCollective},
    {"stablehlo.concatenate", emitConcatenate},
    {"stablehlo.convolution", emitConvolution},
    {"stablehlo.custom_call", emitCustomCall},
    {"stablehlo.dot_general", emitDot},
    {"stablehlo.dynamic_update_slice", emitDynamicUpdateSlice},
    {"stablehlo.fft", emitFft},
    {"stablehlo.if", emitBranches},
    {"stablehlo.optimization_barrier", emitBarrier},
    {"stablehlo.partition_id", emitPartitionId},
    {"stablehlo.reduce", emitReduce},
    {"stablehlo.reduce_scatter", emitCollective},
    {"stablehlo.reduce_window", emitReduceWindow},
    {"stablehlo.rng_bit_generator", emitRngBitGenerator},
    {"stablehlo.scatter", emitScatter},
    {"stablehlo.select_and_scatter", emitSelectAndScatter},
    {"stablehlo.sort", emitSort},
    {"stablehlo.triangular_solve", emitTriangularSolve},
    {"stablehlo.while", emitWhile},
};

void Emitter::emitStep(Operation *op) {
  if (const RowGroup *group = rowGroups.groupOf(op)) {
    emitRowGroup(*group);
    return;
  }
  emitOneStep(op);
}

void Emitter::emitOneStep(Operation *op) {
  for (mlir::Type type :
       llvm::concat<const mlir::Type>(llvm::to_vector(op->getOperandTypes()),
                                      llvm::to_vector(op->getResultTypes()))) {
    if (llvm::isa<mlir::ShapedType>(type) &&
        !isSupported(elementTypeOf(type))) {
      fail(op, "it has no support for this element type");
      return;
    }
  }
  if (isElementOp(op)) {
    Value result = op->getResult(0);
    if (fusion.formOf(result) == Form::Register) {
      Scope scope(*this);
      setRegister(result, computeElement(op, {}));
    }
    if (!fusion.regionAt(op).empty() && !taken.contains(op)) {
      emitRegion(op);
    }
    return;
  }
  llvm::StringRef name = op->getName().getStringRef();
  for (const StepEmitter &row : stepEmitters) {
    if (row.name == name) {
      row.emit(*this, op);
      return;
    }
  }
  if (name == "stablehlo.after_all" || name == "stablehlo.create_token") {
    return; // order is program order
  }
  fail(op, "it does not know this operation");
}

void Emitter::emitInto(Value value, const BufferSlice &slice) {
  ElementType type = elementTypeOf(value.getType());
  switch (fusion.formOf(value)) {
  case Form::Buffer:
    copy(buffers.sliceOf(value), slice, byteSizeOf(value));
    return;
  case Form::Register:
    store(type, slice, constant(0), scalar(value));
    return;
  case Form::Inline:
    break;
  }
  Writes written(*this, slice);
  Value outputs[] = {value};
  bool linear = fusion.prefersLinear(outputs);
  llvm::SmallVector<int64_t> joined(shapeOf(value));
  if (!linear && !rowBlock) {
    joined = joinedShape(fusion, joined, outputs,
                         [](int64_t, int64_t) { return true; });
  }
  emitNest(*this, outputs, slice, planLoops(joined, linear, 1, site()));
}

void emitBarrier(Emitter &e, Operation *op) {
  for (auto [operand, result] :
       llvm::zip_equal(op->getOperands(), op->getResults())) {
    if (isTensor(operand)) {
      e.emitInto(operand, e.buffers.sliceOf(result));
    }
  }
}

llvm::SmallVector<Element>
Emitter::emitScalarRegion(mlir::Region &region,
                          llvm::ArrayRef<Element> values) {
  mlir::Block &block = region.front();
  for (auto [argument, value] : llvm::zip_equal(block.getArguments(), values)) {
    setRegister(argument, value);
  }
  if (!parts.emitInPieces(block)) {
    emitBlock(block);
  }
  llvm::SmallVector<Element> results;
  for (Value value : block.getTerminator()->getOperands()) {
    results.push_back(failed() ? undefined(value.getType()) : scalar(value));
  }
  return results;
}

} // namespace xla::cpu
