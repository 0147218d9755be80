//===- Epilogue.cpp - What happens to the elements of a product -----------===//
//
// A function that the product's kernel calls on stretches of the result as they
// are finished: the loop nest that the plan has put behind the product, and the
// rounding of sums that are wider than the result.
//
//===----------------------------------------------------------------------===//

#include "xla/codegen/cpu/ChooseEffort.h"
#include "xla/codegen/cpu/Emitter.h"

#include "xla/codegen/cpu/MathLibrary.h"
#include "xla/codegen/cpu/TargetDescription.h"

namespace xla::cpu {

using mlir::Operation;
using mlir::Value;

/// Numbers [begin, end) of an array in row-major order, as indices of `shape`:
/// by row, since the columns of a product may be several dimensions.
static void visitStretch(Emitter &e, llvm::ArrayRef<int64_t> shape,
                         llvm::Value *begin, llvm::Value *end,
                         Emitter::NestBody body) {
  int64_t size = shape.back();
  llvm::Value *width = e.constant(size);
  llvm::Value *firstRow = e.builder().CreateUDiv(begin, width);
  llvm::Value *lastRow = e.builder().CreateUDiv(
      e.builder().CreateNSWAdd(end, e.constant(size - 1)), width);
  e.loop(firstRow, lastRow, [&](llvm::Value *row) {
    llvm::IRBuilder<> &b = e.builder();
    llvm::Value *start = b.CreateNSWMul(row, width);
    llvm::Value *from = b.CreateBinaryIntrinsic(
        llvm::Intrinsic::smax, b.CreateNSWSub(begin, start), e.constant(0));
    llvm::Value *to = b.CreateBinaryIntrinsic(
        llvm::Intrinsic::smin, b.CreateNSWSub(end, start), width);
    Index outer, index;
    outer.linear = row;
    index.dims = e.dimsOf(outer, shape.drop_back());
    index.dims.push_back(nullptr);
    e.loop(from, to, [&](llvm::Value *column) {
      index.dims.back() = column;
      body(index);
    });
  });
}

/// Fetches lines of arrays that are read or written at the product's own index:
/// by rows of a tile they are too short for the processor to see them coming.
static void fetch(Emitter &e, llvm::ArrayRef<Value> arrays,
                  llvm::ArrayRef<bool> written, llvm::Function *function) {
  constexpr int64_t lineBytes = cpuTarget.cacheLine;
  llvm::Value *first = function->getArg(2), *stride = function->getArg(4),
              *columns = function->getArg(5);
  e.loop(e.constant(0), function->getArg(3), [&](llvm::Value *row) {
    llvm::IRBuilder<> &b = e.builder();
    llvm::Value *begin = b.CreateNSWAdd(first, b.CreateNSWMul(row, stride));
    for (auto [array, isWritten] : llvm::zip_equal(arrays, written)) {
      ElementType type = elementTypeOf(array.getType());
      int64_t width = byteWidth(type);
      llvm::Value *line =
          b.CreateInBoundsGEP(b.getInt8Ty(), e.pointerTo(array),
                              b.CreateNSWMul(begin, e.constant(width)));
      llvm::Value *lines = b.CreateUDiv(
          b.CreateNSWAdd(b.CreateNSWMul(columns, e.constant(width)),
                         e.constant(lineBytes - 1)),
          e.constant(lineBytes));
      e.loop(e.constant(0), lines, [&](llvm::Value *i) {
        llvm::Value *at = b.CreateGEP(b.getInt8Ty(), line,
                                      b.CreateNSWMul(i, e.constant(lineBytes)));
        b.CreateIntrinsic(
            llvm::Intrinsic::prefetch, {b.getPtrTy()},
            {at, b.getInt32(isWritten), b.getInt32(2), b.getInt32(1)});
      });
    }
  });
}

/// Emits fetching for the case that the elements are only about to be computed.
void Emitter::emitFetch(Operation *product, llvm::ArrayRef<Value> outputs,
                        llvm::Function *function) {
  Value result = product->getResult(0);
  llvm::SmallVector<Value> arrays;
  llvm::SmallVector<bool> written;
  llvm::SmallVector<BufferSlice> slices = {sums ? sums->slice
                                                : buffers.sliceOf(result)};
  auto add = [&](Value array, bool isWritten) {
    BufferSlice slice = buffers.sliceOf(array);
    if (!llvm::is_contained(slices, slice)) {
      slices.push_back(slice);
      arrays.push_back(array);
      written.push_back(isWritten);
    }
  };
  for (Value output : outputs) {
    add(output, true);
  }
  llvm::SmallVector<Leaf> leaves;
  for (Value output : outputs) {
    if (output == result) {
      continue;
    }
    for (Value operand : output.getDefiningOp()->getOperands()) {
      fusion.collectLeaves(operand, shapeOf(operand) == shapeOf(output),
                           leaves);
    }
  }
  for (const Leaf &leaf : leaves) {
    if (leaf.sameIndex && leaf.value != result) {
      add(leaf.value, false);
    }
  }
  auto *ahead = llvm::BasicBlock::Create(context(), "ahead", function);
  auto *done = llvm::BasicBlock::Create(context(), "done", function);
  builder().CreateCondBr(
      builder().CreateICmpEQ(function->getArg(1), constant(0)), ahead, done);
  builder().SetInsertPoint(ahead);
  if (!arrays.empty()) {
    fetch(*this, arrays, written, function);
  }
  builder().CreateRetVoid();
  builder().SetInsertPoint(done);
}

/// The body of the function: `outputs` for all elements that it is called on.
void Emitter::emitFinish(Operation *product, llvm::ArrayRef<Value> outputs,
                         llvm::Function *function) {
  Value result = product->getResult(0);
  llvm::SmallVector<BufferSlice> slices;
  llvm::SmallVector<Value> computed;
  for (Value output : outputs) {
    slices.push_back(buffers.sliceOf(output));
    if (output != result) {
      computed.push_back(output);
    }
  }
  bool linear = fusion.prefersLinear(computed);
  llvm::ArrayRef<int64_t> shape =
      shapeOf(computed.empty() ? result : computed.front());
  Writes written(*this, slices);
  auto storeAt = [&](const Index &index) {
    if (computed.size() < outputs.size()) { // the rounded sums themselves
      Index own = reshapeIndex(index, shape, shapeOf(result));
      store(elementTypeOf(result.getType()), buffers.sliceOf(result),
            linearOf(index, shape), emitElement(result, own));
    }
    if (!computed.empty()) {
      storeRegion(computed, llvm::ArrayRef(slices).take_back(computed.size()),
                  index);
    }
  };
  llvm::Value *first = function->getArg(2), *stride = function->getArg(4),
              *columns = function->getArg(5);
  loop(constant(0), function->getArg(3), [&](llvm::Value *row) {
    llvm::Value *begin =
        builder().CreateNSWAdd(first, builder().CreateNSWMul(row, stride));
    llvm::Value *end = builder().CreateNSWAdd(begin, columns);
    if (!linear && shape.size() > 1) {
      visitStretch(*this, shape, begin, end, storeAt);
      return;
    }
    loop(begin, end, [&](llvm::Value *i) {
      Index index;
      index.linear = i;
      storeAt(index);
    });
  });
}

EpilogueFunction Emitter::emitEpilogue(Operation *product, ElementType sumType,
                                       const BufferSlice &wide) {
  Value result = product->getResult(0);
  FusionPlan::Epilogue epilogue = fusion.epilogueOf(product);
  bool isRounded = sumType != elementTypeOf(result.getType());
  llvm::SmallVector<Value> outputs;
  if (isRounded && !epilogue.alone) {
    outputs.push_back(result);
  }
  if (epilogue.nest) {
    llvm::append_range(outputs, fusion.regionAt(epilogue.nest));
    taken.insert(epilogue.nest);
  }
  auto *none = llvm::Constant::getNullValue(builder().getPtrTy());
  if (outputs.empty()) {
    return {none, none};
  }
  llvm::Type *word = builder().getInt64Ty();
  auto *type = llvm::FunctionType::get(
      builder().getVoidTy(),
      {builder().getPtrTy(), word, word, word, word, word},
      /*isVarArg=*/false);
  Sums read = {result, sumType, wide};
  const Sums *outer = std::exchange(sums, isRounded ? &read : nullptr);
  llvm::Value *captured = nullptr;
  llvm::Function *function = outline(
      type, "finish" + llvm::Twine(kernels++),
      [&](llvm::Function *inner) {
        emitFetch(product, outputs, inner);
        emitFinish(product, outputs, inner);
        builder().CreateRetVoid();
      },
      captured);
  MathLibrary::inlineAlways(*function);
  noteElements(*function, elementCountOf(result));
  sums = outer;
  return {function, captured};
}

} // namespace xla::cpu
