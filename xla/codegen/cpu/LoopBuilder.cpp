//===- LoopBuilder.cpp - Loops, nests of them, and threads ----------------===//

#include "xla/codegen/cpu/LoopBuilder.h"

#include "xla/codegen/cpu/MathLibrary.h"

namespace xla::cpu {

llvm::SmallVector<llvm::Value *>
LoopBuilder::loop(llvm::Value *begin, llvm::Value *end,
                  llvm::ArrayRef<llvm::Value *> carried, CarryBody body) {
  auto *first = llvm::dyn_cast<llvm::ConstantInt>(begin);
  auto *last = llvm::dyn_cast<llvm::ConstantInt>(end);
  bool runs = first && last && first->getSExtValue() < last->getSExtValue();
  if (first && last && !runs) {
    return llvm::SmallVector<llvm::Value *>(carried);
  }
  if (runs && last->getSExtValue() - first->getSExtValue() == 1) {
    Scope scope(*this);
    return body(begin, carried);
  }
  llvm::LLVMContext &context = this->context();
  auto *before = builder().GetInsertBlock();
  auto *inside = llvm::BasicBlock::Create(context, "loop", frame->function);
  auto *after = llvm::BasicBlock::Create(context, "after", frame->function);
  if (runs) {
    builder().CreateBr(inside);
  } else {
    builder().CreateCondBr(builder().CreateICmpSLT(begin, end), inside, after);
  }
  builder().SetInsertPoint(inside);
  llvm::PHINode *counter = builder().CreatePHI(builder().getInt64Ty(), 2);
  counter->addIncoming(begin, before);
  llvm::SmallVector<llvm::PHINode *> phis;
  llvm::SmallVector<llvm::Value *> values;
  for (llvm::Value *value : carried) {
    phis.push_back(builder().CreatePHI(value->getType(), 2));
    phis.back()->addIncoming(value, before);
    values.push_back(phis.back());
  }
  llvm::SmallVector<llvm::Value *> next;
  {
    Scope scope(*this);
    next = body(counter, values);
  }
  auto *latch = builder().GetInsertBlock();
  llvm::Value *step = builder().CreateNUWAdd(counter, constant(1));
  llvm::cast<llvm::Instruction>(step)->setHasNoSignedWrap();
  counter->addIncoming(step, latch);
  for (auto [phi, value] : llvm::zip_equal(phis, next)) {
    phi->addIncoming(value, latch);
  }
  builder().CreateCondBr(builder().CreateICmpSLT(step, end), inside, after);
  builder().SetInsertPoint(after);
  llvm::SmallVector<llvm::Value *> results;
  for (auto [i, value] : llvm::enumerate(next)) {
    llvm::PHINode *result = builder().CreatePHI(value->getType(), 2);
    result->addIncoming(value, latch);
    if (!runs) {
      result->addIncoming(carried[i], before);
    }
    results.push_back(result);
  }
  return results;
}

void LoopBuilder::loop(llvm::Value *begin, llvm::Value *end, Body body) {
  loop(begin, end, {}, [&](llvm::Value *i, llvm::ArrayRef<llvm::Value *>) {
    body(i);
    return llvm::SmallVector<llvm::Value *>();
  });
}

void LoopBuilder::when(llvm::Value *condition,
                       llvm::function_ref<void()> body) {
  auto *yes = llvm::BasicBlock::Create(context(), "then", frame->function);
  auto *after = llvm::BasicBlock::Create(context(), "after", frame->function);
  builder().CreateCondBr(condition, yes, after);
  builder().SetInsertPoint(yes);
  {
    Scope scope(*this);
    body();
  }
  builder().CreateBr(after);
  builder().SetInsertPoint(after);
}

void LoopBuilder::parallel(int64_t tasks, int64_t grain, RangeBody body) {
  if (tasks <= 0) {
    return;
  }
  if (rowBlock) {
    llvm::Value *perRow = constant(tasks / rowBlock->rows);
    body(builder().CreateNSWMul(rowBlock->first, perRow),
         builder().CreateNSWMul(rowBlock->last, perRow));
    return;
  }
  if (grain == 0 || frame->kind == Frame::Body) {
    body(constant(0), constant(tasks));
    return;
  }
  llvm::Type *pointer = builder().getPtrTy(), *word = builder().getInt64Ty();
  auto *type = llvm::FunctionType::get(builder().getVoidTy(),
                                       {pointer, word, word}, false);
  llvm::Value *captured = nullptr;
  llvm::Function *function = outline(
      type, "loop" + llvm::Twine(kernels++),
      [&](llvm::Function *inner) {
        body(inner->getArg(1), inner->getArg(2));
        builder().CreateRetVoid();
      },
      captured);
  MathLibrary::inlineAlways(*function);
  callRuntime("xla_parallel_for", builder().getVoidTy(),
              {constant(tasks), constant(grain), function, captured});
}

void LoopBuilder::serialNest(llvm::ArrayRef<int64_t> shape, NestBody body) {
  Index index;
  // Recursion over dimensions, whose number is small.
  auto visit = [&](auto &self, size_t d) -> void {
    if (d == shape.size()) {
      body(index);
      return;
    }
    loop(constant(0), constant(shape[d]), [&](llvm::Value *i) {
      index.dims.push_back(i);
      self(self, d + 1);
      index.dims.pop_back();
    });
  };
  if (shape.empty()) {
    Scope scope(*this);
    body(index);
    return;
  }
  visit(visit, 0);
}

void LoopBuilder::copy(const BufferSlice &from, const BufferSlice &to,
                       int64_t bytes) {
  if (from == to || bytes == 0) {
    return;
  }
  llvm::Value *source = pointerTo(from), *target = pointerTo(to);
  auto transfer = [&] {
    constexpr int64_t piece = 1 << 16;
    if (bytes < 16 * piece) {
      builder().CreateMemCpy(target, llvm::Align(8), source, llvm::Align(8),
                             bytes);
      return;
    }
    int64_t pieces = (bytes + piece - 1) / piece;
    parallel(pieces, grainOf(pieces, piece / 16),
             [&](llvm::Value *begin, llvm::Value *end) {
               llvm::Value *first = builder().CreateMul(begin, constant(piece));
               llvm::Value *last = builder().CreateBinaryIntrinsic(
                   llvm::Intrinsic::smin,
                   builder().CreateMul(end, constant(piece)), constant(bytes));
               auto at = [&](const BufferSlice &slice) {
                 return builder().CreateInBoundsGEP(builder().getInt8Ty(),
                                                    pointerTo(slice), first);
               };
               builder().CreateMemCpy(at(to), llvm::Align(8), at(from),
                                      llvm::Align(8),
                                      builder().CreateSub(last, first));
             });
  };
  if (overlaps(from, to)) {
    when(builder().CreateICmpNE(source, target), transfer);
    return;
  }
  transfer();
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

std::optional<int64_t> LoopBuilder::knownIndex(llvm::Value *index) {
  auto *known = llvm::dyn_cast<llvm::ConstantInt>(index);
  return known ? std::optional(known->getSExtValue()) : std::nullopt;
}

std::optional<bool> LoopBuilder::knownTruth(llvm::Value *condition) {
  auto *known = llvm::dyn_cast<llvm::ConstantInt>(condition);
  return known ? std::optional(known->isOne()) : std::nullopt;
}

Element LoopBuilder::chooseElement(llvm::Value *condition, Element x,
                                   Element y) {
  return {builder().CreateSelect(condition, x.real, y.real),
          x.imag ? builder().CreateSelect(condition, x.imag, y.imag) : nullptr};
}

Element LoopBuilder::zero(ElementType type) {
  auto *zero = llvm::Constant::getNullValue(registerType(type, context()));
  return {zero, isComplex(type) ? zero : nullptr};
}

llvm::Value *LoopBuilder::widenIndex(mlir::Value indices, Element start) {
  bool isSigned = isSignedInteger(elementTypeOf(indices.getType()));
  return builder().CreateIntCast(start.real, builder().getInt64Ty(), isSigned);
}

} // namespace xla::cpu
