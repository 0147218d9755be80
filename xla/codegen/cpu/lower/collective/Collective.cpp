//===- Collective.cpp - Exchanges among the devices of a program ----------===//

#include "xla/analysis/DeviceGroups.h"
#include "xla/codegen/cpu/lower/Steps.h"
#include "xla/runtime/abi/Runtime.h"

namespace xla::cpu {

using namespace stablehlo;
using mlir::Operation;
using mlir::Value;

//===----------------------------------------------------------------------===//
// What is sent
//===----------------------------------------------------------------------===//

static int64_t product(llvm::ArrayRef<int64_t> sizes) {
  int64_t count = 1;
  for (int64_t size : sizes) {
    count *= size;
  }
  return count;
}

/// An array that is sent without a copy.
static XlaCollectiveArray wholeArray(Value value) {
  XlaCollectiveArray array = {};
  array.element_bytes = byteWidth(elementTypeOf(value.getType()));
  std::fill_n(array.counts, 3, 1);
  array.run = elementCountOf(value);
  return array;
}

/// Pieces along a dimension: those of rank i go between those of its neighbours
/// where `gathers`, else each rank receives its own.
static XlaCollectiveArray piecesAlong(Value whole, int64_t dimension,
                                      int64_t groupSize, bool gathers) {
  llvm::ArrayRef<int64_t> shape = shapeOf(whole);
  XlaCollectiveArray array = wholeArray(whole);
  int64_t line = product(shape.drop_front(dimension));
  array.counts[0] = product(shape.take_front(dimension));
  array.run = line / groupSize;
  (gathers ? array.target_strides : array.source_strides)[0] = line;
  (gathers ? array.source_strides : array.target_strides)[0] = array.run;
  (gathers ? array.target_step : array.source_step) = array.run;
  return array;
}

/// The operand is [a, split, b, concat, c] or [a, concat, b, split, c].
static XlaCollectiveArray exchangedArray(AllToAllOp op, Value operand) {
  llvm::ArrayRef<int64_t> shape = shapeOf(operand);
  auto split = static_cast<int64_t>(op.getSplitDimension());
  auto concat = static_cast<int64_t>(op.getConcatDimension());
  auto size = static_cast<int64_t>(op.getSplitCount());
  XlaCollectiveArray array = wholeArray(operand);
  int64_t first = std::min(split, concat), last = std::max(split, concat);
  int64_t inner = product(shape.drop_front(last + 1));
  int64_t between =
      split == concat ? 1 : product(shape.slice(first + 1, last - first - 1));
  array.counts[0] = product(shape.take_front(first));
  if (split == concat) {
    int64_t line = shape[split] * inner;
    array.run = line / size;
    array.source_strides[0] = array.target_strides[0] = line;
    array.source_step = array.target_step = array.run;
    return array;
  }
  bool splitsFirst = split < concat;
  int64_t rows = splitsFirst ? shape[split] / size : shape[concat];
  int64_t sourceRun = shape[last] * inner;
  int64_t targetRun = splitsFirst ? sourceRun * size : sourceRun / size;
  array.counts[1] = rows;
  array.counts[2] = between;
  array.run = splitsFirst ? sourceRun : targetRun;
  array.source_strides[2] = sourceRun;
  array.target_strides[2] = targetRun;
  array.source_strides[1] = between * sourceRun;
  array.target_strides[1] = between * targetRun;
  array.source_strides[0] = shape[first] * between * sourceRun;
  array.target_strides[0] =
      (splitsFirst ? rows : shape[first] * size) * between * targetRun;
  array.source_step = splitsFirst ? rows * between * sourceRun : targetRun;
  array.target_step = splitsFirst ? sourceRun : rows * between * targetRun;
  return array;
}

/// See the structure: rows and numbers of a ragged exchange.
static llvm::SmallVector<XlaCollectiveArray> raggedArrays(Operation *op) {
  Value rows = op->getOperand(0), numbers = op->getOperand(2);
  XlaCollectiveArray row = wholeArray(rows);
  row.run = product(shapeOf(rows).drop_front());
  XlaCollectiveArray counts = {};
  counts.counts[0] = shapeOf(rows).front();
  counts.counts[1] = shapeOf(op->getResult(0)).front();
  counts.counts[2] = shapeOf(numbers).front();
  counts.run = byteWidth(elementTypeOf(numbers.getType())) == 8;
  return {row, counts};
}

static llvm::SmallVector<XlaCollectiveArray> arraysOf(Operation *op,
                                                      int64_t groupSize) {
  if (llvm::isa<CustomCallOp>(op)) {
    return raggedArrays(op);
  }
  llvm::SmallVector<XlaCollectiveArray> arrays;
  for (auto [operand, result] :
       llvm::zip_equal(op->getOperands(), op->getResults())) {
    if (auto gather = llvm::dyn_cast<AllGatherOp>(op)) {
      arrays.push_back(piecesAlong(
          result, static_cast<int64_t>(gather.getAllGatherDim()), groupSize,
          /*gathers=*/true));
    } else if (auto scatter = llvm::dyn_cast<ReduceScatterOp>(op)) {
      arrays.push_back(piecesAlong(
          operand, static_cast<int64_t>(scatter.getScatterDimension()),
          groupSize, /*gathers=*/false));
    } else if (auto exchange = llvm::dyn_cast<AllToAllOp>(op)) {
      arrays.push_back(exchangedArray(exchange, operand));
    } else {
      arrays.push_back(wholeArray(operand));
    }
  }
  return arrays;
}

//===----------------------------------------------------------------------===//
// How it is combined
//===----------------------------------------------------------------------===//

/// The region as a function over arrays, `void(ptr context, ptr into, ptr from,
/// i64 count)`: LLVM makes vectors of it, as of any loop.
static llvm::Function *emitCombine(Emitter &e, mlir::Region &region,
                                   llvm::Value *&context) {
  llvm::IRBuilder<> &b = e.builder();
  llvm::Type *pointer = b.getPtrTy();
  auto *type = llvm::FunctionType::get(
      b.getVoidTy(), {pointer, pointer, pointer, b.getInt64Ty()}, false);
  mlir::Block &body = region.front();
  ElementType element = elementTypeOf(body.getArgument(0).getType());
  llvm::Type *memory = memoryType(element, e.context());
  unsigned parts = isComplex(element) ? 2 : 1;
  return e.outline(
      type, "combine",
      [&](llvm::Function *function) {
        function->addParamAttr(1, llvm::Attribute::NoAlias);
        function->addParamAttr(2, llvm::Attribute::NoAlias);
        auto at = [&](unsigned argument, llvm::Value *i, unsigned part) {
          llvm::IRBuilder<> &inner = e.builder();
          llvm::Value *number = inner.CreateAdd(
              inner.CreateMul(i, e.constant(parts)), e.constant(part));
          return inner.CreateInBoundsGEP(memory, function->getArg(argument),
                                         number);
        };
        auto read = [&](unsigned argument, llvm::Value *i) {
          Element read;
          for (unsigned part = 0; part < parts; ++part) {
            (part ? read.imag : read.real) = e.fromMemory(
                element, e.builder().CreateLoad(memory, at(argument, i, part)));
          }
          return read;
        };
        e.loop(e.constant(0), function->getArg(3), [&](llvm::Value *i) {
          Element x = read(1, i), y = read(2, i);
          Element combined = e.emitScalarRegion(region, {x, y}).front();
          llvm::Value *values[] = {combined.real, combined.imag};
          for (unsigned part = 0; part < parts; ++part) {
            e.builder().CreateStore(e.toMemory(element, values[part]),
                                    at(1, i, part));
          }
        });
        e.builder().CreateRetVoid();
      },
      context);
}

/// Whether the region combines two elements of the operands' one type.
static bool combinesElements(Operation *op) {
  mlir::Block &body = op->getRegion(0).front();
  auto scalar = llvm::dyn_cast<mlir::RankedTensorType>(
      op->getRegion(0).getNumArguments() == 2 ? body.getArgument(0).getType()
                                              : mlir::Type());
  return scalar && scalar.getRank() == 0 &&
         body.getArgument(1).getType() == scalar &&
         body.getTerminator()->getNumOperands() == 1 &&
         body.getTerminator()->getOperand(0).getType() == scalar &&
         llvm::all_of(op->getOperandTypes(), [&](mlir::Type type) {
           return llvm::cast<mlir::ShapedType>(type).getElementType() ==
                  scalar.getElementType();
         });
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

static int64_t kindOf(Operation *op) {
  if (llvm::isa<CustomCallOp>(op)) {
    return XLA_COLLECTIVE_RAGGED;
  }
  if (llvm::isa<AllReduceOp, ReduceScatterOp>(op)) {
    return XLA_COLLECTIVE_REDUCE;
  }
  return llvm::isa<AllGatherOp, AllToAllOp>(op) ? XLA_COLLECTIVE_EXCHANGE
                                                : XLA_COLLECTIVE_SEND;
}

/// The structure of the runtime's interface.
static llvm::Value *emitDescription(Emitter &e, Operation *op, int64_t number,
                                    const DeviceGroups &groups) {
  size_t longest = 0;
  for (const auto &group : groups) {
    longest = std::max(longest, group.size());
  }
  llvm::SmallVector<int64_t> members;
  for (const auto &group : groups) {
    llvm::append_range(members, group);
    members.append(longest - group.size(), -1);
  }
  llvm::SmallVector<int64_t> sources;
  int64_t kind = kindOf(op);
  if (kind == XLA_COLLECTIVE_SEND) {
    sources = sourcesOf(op, groups);
  }
  llvm::SmallVector<XlaCollectiveArray> arrays =
      arraysOf(op, static_cast<int64_t>(longest));
  constexpr size_t arrayWords = sizeof(XlaCollectiveArray) / sizeof(int64_t);
  llvm::ArrayRef<int64_t> words(
      reinterpret_cast<const int64_t *>(arrays.data()),
      arrays.size() * arrayWords);
  return e.words({e.constant(number), e.constant(kind),
                  e.constant(static_cast<int64_t>(groups.size())),
                  e.constant(static_cast<int64_t>(longest)), e.table(members),
                  e.table(sources),
                  e.constant(static_cast<int64_t>(arrays.size())),
                  e.table(words)});
}

void emitCollective(Emitter &e, Operation *op) {
  if (!e.callsSteps()) {
    e.fail(op, "devices exchange arrays in the program and its loops and "
               "branches, not in the function of a reduction, sort or scatter");
    return;
  }
  StatusOr<DeviceGroups> groups = deviceGroupsOf(op, e.partitions);
  if (!groups.ok()) {
    e.status = groups.status();
    return;
  }
  llvm::Value *none = llvm::ConstantPointerNull::get(e.builder().getPtrTy());
  llvm::Value *combine = none, *combineContext = none;
  if (kindOf(op) == XLA_COLLECTIVE_REDUCE) {
    if (!combinesElements(op)) {
      e.fail(op, "it combines two elements of the operands' one type");
      return;
    }
    combine = emitCombine(e, op->getRegion(0), combineContext);
  }
  llvm::SmallVector<llvm::Value *> operands, results;
  for (Value operand : op->getOperands()) {
    operands.push_back(e.operandPointer(operand));
  }
  for (Value result : op->getResults()) {
    results.push_back(e.pointerTo(result));
  }
  int64_t number = e.numberCollective(nameOfCollective(op));
  e.returnOnError(e.callRuntime(
      Emitter::collectiveRunnerSymbol, e.builder().getInt32Ty(),
      {e.runState(), emitDescription(e, op, number, *groups), e.words(operands),
       e.words(results), combine, combineContext}));
}

void emitPartitionId(Emitter &e, Operation *op) {
  if (!e.callsSteps()) {
    e.fail(op, "a device has a number in the program and its loops and "
               "branches, not in the function of a reduction, sort or scatter");
    return;
  }
  e.setRegister(op->getResult(0),
                {e.callRuntime(Emitter::partitionIdSymbol,
                               e.builder().getInt32Ty(), {e.runState()})});
}

} // namespace xla::cpu
