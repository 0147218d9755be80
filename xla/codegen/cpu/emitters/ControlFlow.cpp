//===- ControlFlow.cpp - Loops and branches of the program ----------------===//
//
// They are branches of the machine. What they carry stays where it is: arrays
// in the loop's or the branch's place, scalars in variables of the frame, which
// LLVM turns into registers.
//
//===----------------------------------------------------------------------===//

#include "xla/codegen/cpu/emitters/Reduce.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

namespace xla::cpu {

using namespace stablehlo;
using mlir::Operation;
using mlir::Value;

namespace {

/// A variable for a scalar.
struct Slot {
  llvm::Value *real = nullptr, *imag = nullptr;
};

} // namespace

static Slot makeSlot(Emitter &e, Value value) {
  llvm::Type *type = e.registerTypeOf(value);
  bool complex = isComplex(elementTypeOf(value.getType()));
  return {e.frameSlot(type), complex ? e.frameSlot(type) : nullptr};
}

static void storeSlot(Emitter &e, Slot slot, Element x) {
  e.builder().CreateStore(x.real, slot.real);
  if (slot.imag) {
    e.builder().CreateStore(x.imag, slot.imag);
  }
}

static Element loadSlot(Emitter &e, Slot slot, Value value) {
  llvm::Type *type = e.registerTypeOf(value);
  return {e.builder().CreateLoad(type, slot.real),
          slot.imag ? e.builder().CreateLoad(type, slot.imag) : nullptr};
}

static void loadScalars(Emitter &e, llvm::ArrayRef<Slot> slots,
                        mlir::ValueRange values) {
  for (auto [slot, value] : llvm::zip_equal(slots, values)) {
    if (slot.real) {
      e.setRegister(value, loadSlot(e, slot, value));
    }
  }
}

/// Puts what the body yields where the carries are. Carries that trade places
/// wait in the swap space until all others are in place.
static void emitYield(Emitter &e, WhileOp loop, llvm::ArrayRef<Slot> slots) {
  mlir::Block &body = loop.getBody().front();
  auto yielded = body.getTerminator()->getOperands();
  llvm::SmallVector<std::pair<unsigned, Element>> scalars;
  llvm::SmallVector<unsigned> waiting;
  for (auto [i, value] : llvm::enumerate(yielded)) {
    unsigned number = static_cast<unsigned>(i);
    if (slots[i].real) {
      scalars.push_back({number, e.scalar(value)});
    } else if (isTensor(value) && value != body.getArgument(number) &&
               llvm::is_contained(body.getArguments(), value)) {
      e.emitInto(value, e.buffers.swapSpaceOf(loop, number));
      waiting.push_back(number);
    }
  }
  for (auto [i, value] : llvm::enumerate(yielded)) {
    if (!slots[i].real && isTensor(value) &&
        !llvm::is_contained(waiting, static_cast<unsigned>(i))) {
      e.emitInto(value, e.buffers.placeOf(loop.getResult(i)));
    }
  }
  for (unsigned number : waiting) {
    Value result = loop.getResult(number);
    e.copy(e.buffers.swapSpaceOf(loop, number), e.buffers.placeOf(result),
           byteSizeOf(result));
  }
  for (auto [number, element] : scalars) {
    storeSlot(e, slots[number], element);
  }
}

void Emitter::emitWhile(Operation *op) {
  auto loop = llvm::cast<WhileOp>(op);
  llvm::SmallVector<Slot> slots;
  for (auto [operand, result] :
       llvm::zip_equal(loop->getOperands(), loop.getResults())) {
    slots.push_back({});
    if (!isTensor(result)) {
      continue;
    }
    if (isScalar(result)) {
      slots.back() = makeSlot(*this, result);
      storeSlot(*this, slots.back(), scalar(operand));
    } else {
      emitInto(operand, buffers.placeOf(result));
    }
  }
  auto block = [&](const char *name) {
    return llvm::BasicBlock::Create(context(), name, frame->function);
  };
  ++programLoops;
  auto *test = block("while"), *body = block("do"), *after = block("done");
  builder().CreateBr(test);
  builder().SetInsertPoint(test);
  {
    Scope scope(*this);
    mlir::Block &condition = loop.getCond().front();
    loadScalars(*this, slots, condition.getArguments());
    emitBlock(condition);
    if (failed()) {
      return;
    }
    Element again = scalar(condition.getTerminator()->getOperand(0));
    builder().CreateCondBr(again.real, body, after);
  }
  builder().SetInsertPoint(body);
  {
    Scope scope(*this);
    mlir::Block &inner = loop.getBody().front();
    loadScalars(*this, slots, inner.getArguments());
    emitBlock(inner);
    if (failed()) {
      return;
    }
    emitYield(*this, loop, slots);
    builder().CreateBr(test);
  }
  --programLoops;
  builder().SetInsertPoint(after);
  loadScalars(*this, slots, loop.getResults());
}

void Emitter::emitBranches(Operation *op) {
  llvm::SmallVector<Slot> slots;
  for (Value result : op->getResults()) {
    slots.push_back(isTensor(result) && isScalar(result)
                        ? makeSlot(*this, result)
                        : Slot());
  }
  auto *after = llvm::BasicBlock::Create(context(), "join", frame->function);
  llvm::SmallVector<llvm::BasicBlock *> branches;
  for (size_t i = 0; i < op->getNumRegions(); ++i) {
    branches.push_back(
        llvm::BasicBlock::Create(context(), "branch", frame->function));
  }
  llvm::Value *choice = scalar(op->getOperand(0)).real;
  if (llvm::isa<IfOp>(op)) {
    builder().CreateCondBr(choice, branches[0], branches[1]);
  } else {
    // An index that is out of range means the last branch.
    auto *choose = builder().CreateSwitch(
        choice, branches.back(), static_cast<unsigned>(branches.size()));
    for (size_t i = 0; i + 1 < branches.size(); ++i) {
      choose->addCase(builder().getInt32(static_cast<uint32_t>(i)),
                      branches[i]);
    }
  }
  for (auto [branch, region] : llvm::zip_equal(branches, op->getRegions())) {
    Scope scope(*this);
    builder().SetInsertPoint(branch);
    emitBlock(region.front());
    if (failed()) {
      return;
    }
    auto yielded = region.front().getTerminator()->getOperands();
    for (auto [i, value] : llvm::enumerate(yielded)) {
      if (slots[i].real) {
        storeSlot(*this, slots[i], scalar(value));
      } else if (isTensor(value)) {
        emitInto(value, buffers.placeOf(op->getResult(i)));
      }
    }
    builder().CreateBr(after);
  }
  builder().SetInsertPoint(after);
  loadScalars(*this, slots, op->getResults());
}

} // namespace xla::cpu
