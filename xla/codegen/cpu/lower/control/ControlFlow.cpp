//===- ControlFlow.cpp - Loops and branches of the program ----------------===//
//
// They are branches of the machine. What they carry stays where it is: arrays
// where the loop or the branch is, scalars in variables of the frame, which
// LLVM turns into registers.
//
//===----------------------------------------------------------------------===//

#include "xla/analysis/Costs.h"
#include "xla/codegen/cpu/ChooseEffort.h"
#include "xla/codegen/cpu/lower/Steps.h"
#include "xla/codegen/cpu/lower/reduce/Folds.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

namespace xla::cpu {

using namespace stablehlo;
using mlir::Operation;
using mlir::Value;

namespace {

/// A variable for a scalar: of the frame, or in the run's memory.
struct Slot {
  llvm::Value *real = nullptr, *imag = nullptr;
  int64_t offset = -1;

  bool exists() const { return real || offset >= 0; }
};

} // namespace

/// One for each scalar among `values`.
static llvm::SmallVector<Slot> makeSlots(Emitter &e, mlir::ValueRange values) {
  auto isScalarTensor = [](Value x) { return isTensor(x) && isScalar(x); };
  bool inMemory = e.parts.keepsInMemory(llvm::count_if(values, isScalarTensor));
  llvm::SmallVector<Slot> slots(values.size());
  for (auto [slot, value] : llvm::zip_equal(slots, values)) {
    if (!isScalarTensor(value)) {
      continue;
    }
    if (inMemory) {
      slot.offset = e.parts.newEscapeOffset();
      continue;
    }
    llvm::Type *type = e.registerTypeOf(value);
    bool complex = isComplex(elementTypeOf(value.getType()));
    slot = {e.frameSlot(type), complex ? e.frameSlot(type) : nullptr};
  }
  return slots;
}

static void storeSlot(Emitter &e, const Slot &slot, Element x) {
  if (slot.offset >= 0) {
    e.parts.storeEscape(slot.offset, x);
    return;
  }
  e.builder().CreateStore(x.real, slot.real);
  if (slot.imag) {
    e.builder().CreateStore(x.imag, slot.imag);
  }
}

static Element loadSlot(Emitter &e, const Slot &slot, Value value) {
  if (slot.offset >= 0) {
    return e.parts.loadEscape(slot.offset, value);
  }
  llvm::Type *type = e.registerTypeOf(value);
  return {e.builder().CreateLoad(type, slot.real),
          slot.imag ? e.builder().CreateLoad(type, slot.imag) : nullptr};
}

static void loadScalars(Emitter &e, llvm::ArrayRef<Slot> slots,
                        mlir::ValueRange values) {
  for (auto [slot, value] : llvm::zip_equal(slots, values)) {
    if (slot.offset >= 0) {
      e.parts.keepInMemory(value, slot.offset);
    } else if (slot.real) {
      e.setRegister(value, loadSlot(e, slot, value));
    }
  }
}

/// Puts the values where the results of the loop or branch at `op` are; with
/// `outlined` what is computed for that is a step.
static void handOn(Emitter &e, Operation *op, llvm::ArrayRef<Slot> slots,
                   mlir::ValueRange values, bool outlined = false) {
  llvm::SmallVector<unsigned> inMemory;
  for (auto [i, value] : llvm::enumerate(values)) {
    if (slots[i].real) {
      storeSlot(e, slots[i], e.scalar(value));
    } else if (isTensor(value)) {
      inMemory.push_back(static_cast<unsigned>(i));
    }
  }
  e.parts.inParts(inMemory.size(), [&](size_t number) {
    unsigned i = inMemory[number];
    if (slots[i].exists()) {
      storeSlot(e, slots[i], e.scalar(values[i]));
      return;
    }
    BufferSlice slice = e.buffers.sliceOf(op->getResult(i));
    if (outlined && e.fusion.formOf(values[i]) == Form::Inline) {
      e.parts.outlineStep([&] { e.emitInto(values[i], slice); });
    } else {
      e.emitInto(values[i], slice);
    }
  });
}

/// Scalars in memory, which may change over: all are read before one is
/// written.
static void yieldScalars(Emitter &e, WhileOp loop, llvm::ArrayRef<Slot> slots) {
  mlir::Block &body = loop.getBody().front();
  auto yielded = body.getTerminator()->getOperands();
  llvm::SmallVector<std::pair<unsigned, Slot>> moving;
  for (auto [i, value] : llvm::enumerate(yielded)) {
    if (slots[i].offset >= 0 && value != body.getArgument(i)) {
      Slot aside;
      aside.offset = e.parts.newEscapeOffset();
      moving.push_back({static_cast<unsigned>(i), aside});
    }
  }
  e.parts.inParts(moving.size(), [&](size_t i) {
    storeSlot(e, moving[i].second, e.scalar(yielded[moving[i].first]));
  });
  e.parts.inParts(moving.size(), [&](size_t i) {
    auto &[number, aside] = moving[i];
    storeSlot(e, slots[number], loadSlot(e, aside, yielded[number]));
  });
}

/// Puts what the body yields where the carries are. Carries that change over
/// wait in the swap space until all others are in place.
static void emitYield(Emitter &e, WhileOp loop, llvm::ArrayRef<Slot> slots) {
  mlir::Block &body = loop.getBody().front();
  auto yielded = body.getTerminator()->getOperands();
  llvm::SmallVector<std::pair<unsigned, Element>> scalars;
  llvm::SmallVector<unsigned> waiting, others;
  for (auto [i, value] : llvm::enumerate(yielded)) {
    unsigned number = static_cast<unsigned>(i);
    if (slots[i].real) {
      scalars.push_back({number, e.scalar(value)});
    } else if (isTensor(value) && !slots[i].exists()) {
      bool trades = value.getParentBlock() == &body &&
                    llvm::isa<mlir::BlockArgument>(value) &&
                    value != body.getArgument(number);
      (trades ? waiting : others).push_back(number);
    }
  }
  e.parts.inParts(waiting.size(), [&](size_t i) {
    e.emitInto(yielded[waiting[i]], e.buffers.swapSpaceOf(loop, waiting[i]));
  });
  e.parts.inParts(others.size(), [&](size_t i) {
    e.emitInto(yielded[others[i]],
               e.buffers.sliceOf(loop.getResult(others[i])));
  });
  e.parts.inParts(waiting.size(), [&](size_t i) {
    Value result = loop.getResult(waiting[i]);
    e.copy(e.buffers.swapSpaceOf(loop, waiting[i]), e.buffers.sliceOf(result),
           byteSizeOf(result));
  });
  yieldScalars(e, loop, slots);
  for (auto [number, element] : scalars) {
    storeSlot(e, slots[number], element);
  }
}

void emitWhile(Emitter &e, Operation *op) {
  auto loop = llvm::cast<WhileOp>(op);
  llvm::SmallVector<Slot> slots = makeSlots(e, loop.getResults());
  e.marks.loop(op, OperationMarks::enterLoopSymbol);
  handOn(e, op, slots, loop->getOperands());
  auto block = [&](const char *name) { return e.newBlock(name); };
  e.enterLoop();
  auto *test = block("while"), *body = block("do"), *after = block("done");
  e.builder().CreateBr(test);
  e.builder().SetInsertPoint(test);
  {
    Emitter::Scope scope(e);
    mlir::Block &condition = loop.getCond().front();
    loadScalars(e, slots, condition.getArguments());
    e.emitBlock(condition);
    if (e.failed()) {
      return;
    }
    Element again = e.scalar(condition.getTerminator()->getOperand(0));
    e.builder().CreateCondBr(again.real, body, after);
  }
  e.builder().SetInsertPoint(body);
  {
    Emitter::Scope scope(e);
    e.marks.iteration(op);
    mlir::Block &inner = loop.getBody().front();
    loadScalars(e, slots, inner.getArguments());
    e.emitBlock(inner);
    if (e.failed()) {
      return;
    }
    emitYield(e, loop, slots);
    noteTrips(*e.builder().CreateBr(test), tripCountOf(loop));
  }
  e.leaveLoop();
  e.builder().SetInsertPoint(after);
  e.marks.loop(op, OperationMarks::leaveLoopSymbol);
  loadScalars(e, slots, loop.getResults());
}

void emitBranches(Emitter &e, Operation *op) {
  bool callsSteps = e.callsSteps();
  bool outlined =
      callsSteps && (e.parts.isLong() || areManyBranches(e.parts.weightOf(op)));
  llvm::SmallVector<Slot> slots = makeSlots(e, op->getResults());
  auto *after = e.newBlock("join");
  llvm::SmallVector<llvm::BasicBlock *> branches;
  for (size_t i = 0; i < op->getNumRegions(); ++i) {
    branches.push_back(e.newBlock("branch"));
  }
  llvm::Value *choice = e.scalar(op->getOperand(0)).real;
  if (llvm::isa<IfOp>(op)) {
    e.builder().CreateCondBr(choice, branches[0], branches[1]);
  } else {
    // An index that is out of range means the last branch.
    auto *choose = e.builder().CreateSwitch(
        choice, branches.back(), static_cast<unsigned>(branches.size()));
    for (size_t i = 0; i + 1 < branches.size(); ++i) {
      choose->addCase(e.builder().getInt32(static_cast<uint32_t>(i)),
                      branches[i]);
    }
  }
  for (auto [branch, region] : llvm::zip_equal(branches, op->getRegions())) {
    Emitter::Scope scope(e);
    e.builder().SetInsertPoint(branch);
    e.emitBlock(region.front());
    if (e.failed()) {
      return;
    }
    handOn(e, op, slots, region.front().getTerminator()->getOperands(),
           outlined);
    e.builder().CreateBr(after);
  }
  e.builder().SetInsertPoint(after);
  loadScalars(e, slots, op->getResults());
}

} // namespace xla::cpu
