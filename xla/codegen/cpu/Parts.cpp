//===- Parts.cpp - Programs as many functions of bounded size -------------===//
//
// LLVM's passes take more than linear time in the size of a function. So what
// is emitted for a long program is cut: a *step* is a function that knows
// nothing of its position in the program, so that equal ones are compiled once;
// a *part* calls some steps and computes some scalars, and calls parts where it
// holds a loop or a branch that is long itself. Scalars that one part computes
// and another needs go through memory of the run.
//
//===----------------------------------------------------------------------===//

#include "xla/codegen/cpu/Emitter.h"

#include "xla/analysis/DeviceGroups.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

namespace xla::cpu {

using namespace stablehlo;
using mlir::Operation;
using mlir::Value;

/// What a part holds, in steps and scalars: blocks of more are cut.
static constexpr int64_t mostOfPart = 128;
/// A loop or branch that holds more is no step.
static constexpr int64_t mostOfStep = 64;

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// Counts what is emitted in the function of each block and operation: steps,
/// scalars, loops and branches with what they hand on and hold.
int64_t Emitter::weigh(mlir::Block &block) {
  int64_t total = 0;
  for (Operation &op : block) {
    // A step may be handed as many arrays as it computes with.
    int64_t weight = isStep(&op) ? 1 + fusion.codeAt(&op) / 32 : 0;
    if (llvm::isa<WhileOp, IfOp, CaseOp>(op)) {
      // A loop hands its results on once, branches do so each.
      int64_t handedOn = op.getNumResults();
      weight = llvm::isa<WhileOp>(op) ? 1 + handedOn : 1;
      for (mlir::Region &region : op.getRegions()) {
        weight += 1 + weigh(region.front());
        weight += llvm::isa<WhileOp>(op) ? 0 : handedOn;
      }
    } else if (llvm::isa<CustomCallOp, OptimizationBarrierOp>(op) ||
               isWideConcatenate(&op)) {
      weight = 1 + op.getNumOperands() + op.getNumResults();
    } else if (isElementOp(&op) &&
               fusion.formOf(op.getResult(0)) == Form::Register) {
      weight = llvm::isa<ConstantOp>(op) ? 0 : 1;
    }
    weights[&op] = weight;
    total += weight;
  }
  return total;
}

/// Whether it needs what the program was called with: handlers, other devices,
/// the device's own number.
static bool needsRun(Operation *op) {
  return llvm::isa<CustomCallOp, PartitionIdOp>(op) || isCollective(op);
}

/// Whether an operation that hands back scalars, if anything, is a function of
/// its own: a loop or branch, small and computing by itself, that is handed its
/// slices; a scalar that costs much code.
bool Emitter::isScalarStep(Operation *op) const {
  constexpr int much = 20;
  if (!isLong) {
    return false;
  }
  if (isElementOp(op)) {
    return isScalar(op->getResult(0)) && costOf(op) >= much &&
           fusion.formOf(op->getResult(0)) == Form::Register;
  }
  return llvm::isa<WhileOp, IfOp, CaseOp>(op) &&
         weights.lookup(op) <= mostOfStep &&
         !op->walk([](Operation *inner) {
              return needsRun(inner) ? mlir::WalkResult::interrupt()
                                     : mlir::WalkResult::advance();
            }).wasInterrupted();
}

bool Emitter::isCut(mlir::Block &block) const {
  if (!isLong || (frame->kind != Frame::Entry && frame->kind != Frame::Part)) {
    return false;
  }
  int64_t total = 0;
  for (Operation &op : block) {
    total += weights.lookup(&op);
  }
  return total > mostOfPart;
}

/// Whether the operations do next to nothing but to call: then no pass makes
/// their function faster. Not where loops use what is computed.
bool Emitter::isListOfCalls(llvm::ArrayRef<Operation *> ops) const {
  constexpr int64_t few = 64;
  int64_t scalars = 0, others = 0;
  llvm::SmallVector<Operation *> work(ops);
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    bool isBranch = isLong && llvm::isa<IfOp, CaseOp>(op);
    if (isScalarStep(op)) {
      ++others;
    } else if (isBranch) {
      for (mlir::Region &region : op->getRegions()) {
        for (Operation &inner : region.front()) {
          work.push_back(&inner);
        }
      }
    } else if (llvm::isa<WhileOp, IfOp, CaseOp>(op)) {
      return false;
    } else {
      bool isScalarOp = op->getNumResults() == 1 && isElementOp(op) &&
                        isScalar(op->getResult(0));
      ++(isScalarOp && !llvm::isa<ConstantOp>(op) ? scalars : others);
    }
  }
  return scalars <= few + others / 4;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// For a function that does nothing but call others.
void leaveUnoptimized(llvm::Function &function) {
  function.addFnAttr(llvm::Attribute::NoInline);
  function.addFnAttr(llvm::Attribute::OptimizeNone);
}

void Emitter::outlineStep(llvm::function_ref<void()> emit) {
  auto *type = llvm::FunctionType::get(builder().getInt32Ty(),
                                       {builder().getPtrTy()}, false);
  size_t outerScopes = std::exchange(scopesUsed, 0);
  llvm::Value *contextWords = nullptr;
  bool mayFail = false;
  llvm::Function *function = outline(
      type, "step",
      [&](llvm::Function *) {
        emit();
        builder().CreateRet(builder().getInt32(0));
        mayFail = frame->mayFail;
      },
      contextWords, Frame::Step);
  scopesUsed = outerScopes;
  auto *call = builder().CreateCall(function, {contextWords});
  call->setDoesNotThrow();
  if (mayFail) {
    returnOnError(call);
  }
}

void Emitter::emitPart(bool isOptimized, mlir::ValueRange published,
                       llvm::function_ref<void()> emit) {
  llvm::Type *pointer = builder().getPtrTy();
  auto *type = llvm::FunctionType::get(
      builder().getInt32Ty(), {pointer, pointer, pointer, pointer}, false);
  Frame &outer = *frame;
  llvm::Value *contextWords = nullptr;
  bool mayFail = false;
  llvm::Function *function = outline(
      type, "part",
      [&](llvm::Function *part) {
        frame->arguments = part->getArg(1);
        frame->results = part->getArg(2);
        frame->arena = part->getArg(3);
        bool wereApart = std::exchange(stepsApart, true);
        emit();
        stepsApart = wereApart;
        auto *end = builder().CreateRet(builder().getInt32(0));
        for (Value value : published) {
          auto found = frame->registers.find(value);
          auto inMemory = escapes.find(value);
          if (found != frame->registers.end()) {
            escapes[value] = {found->second, end, &outer};
          } else if (inMemory != escapes.end()) {
            inMemory->second.owner = &outer; // it was there when this returned
          }
        }
        sizeStepWords();
        mayFail = frame->mayFail;
      },
      contextWords, Frame::Part);
  if (!isOptimized) {
    leaveUnoptimized(*function);
  }
  outer.hasParts = true;
  auto *call = builder().CreateCall(
      function, {contextWords, outer.arguments, outer.results, outer.arena});
  call->setDoesNotThrow();
  if (mayFail) {
    returnOnError(call);
  }
}

void Emitter::emitPart(llvm::ArrayRef<Operation *> ops) {
  llvm::SmallVector<Value> published;
  for (Operation *op : ops) {
    llvm::append_range(published, op->getResults());
  }
  emitPart(!isListOfCalls(ops), published, [&] {
    for (Operation *op : ops) {
      if (!failed()) {
        emitOfPart(op);
      }
    }
  });
}

/// One operation of a part.
void Emitter::emitOfPart(Operation *op) {
  if (taken.contains(op) || rowGroups.isPostponed(op)) {
    return;
  }
  markOperation(op);
  if (isOutlined(op)) {
    outlineStep([&] { emitStep(op); });
    return;
  }
  if (!isScalarStep(op)) {
    emitStep(op);
    return;
  }
  // The function hands scalars back in memory.
  llvm::SmallVector<std::pair<Value, int64_t>> scalars;
  for (Value result : op->getResults()) {
    if (fusion.formOf(result) == Form::Register && !result.use_empty()) {
      scalars.push_back({result, newEscapeOffset()});
    }
  }
  outlineStep([&] {
    emitStep(op);
    for (auto [value, offset] : scalars) {
      if (!failed()) {
        storeEscape(offset, scalar(value));
      }
    }
  });
  for (auto [value, offset] : scalars) {
    keepInMemory(value, offset);
  }
}

void Emitter::emitCut(mlir::Block &block) {
  llvm::SmallVector<Operation *> ops;
  int64_t weight = 0;
  auto flush = [&] {
    if (!ops.empty() && !failed()) {
      emitPart(ops);
    }
    ops.clear();
    weight = 0;
  };
  for (Operation &op : block.without_terminator()) {
    int64_t more = weights.lookup(&op);
    if (weight > 0 && weight + more > mostOfPart) {
      flush();
    }
    ops.push_back(&op);
    weight += more;
  }
  flush();
}

/// Loads the program's arguments of rank 0, for whoever needs them.
void Emitter::publishArguments(llvm::ArrayRef<mlir::BlockArgument> arguments) {
  while (!arguments.empty()) {
    auto some = arguments.take_front(mostOfPart);
    emitPart(/*isOptimized=*/false,
             llvm::SmallVector<Value>(some.begin(), some.end()),
             [&] { loadArguments(some); });
    arguments = arguments.drop_front(some.size());
  }
}

void Emitter::inParts(size_t count, llvm::function_ref<void(size_t)> emit) {
  bool cuts = count > mostOfPart &&
              (frame->kind == Frame::Entry || frame->kind == Frame::Part);
  size_t each = cuts ? mostOfPart : std::max<size_t>(count, 1);
  for (size_t first = 0; first < count; first += each) {
    auto emitAll = [&] {
      for (size_t i = first; i < std::min(first + each, count); ++i) {
        if (!failed()) {
          emit(i);
        }
      }
    };
    if (cuts) {
      emitPart(/*isOptimized=*/false, {}, emitAll);
    } else {
      emitAll();
    }
  }
}

void Emitter::sizeStepWords() {
  if (frame->stepWords) {
    frame->stepWords->setAllocatedType(llvm::ArrayType::get(
        builder().getInt64Ty(), std::max<size_t>(frame->mostStepWords, 1)));
  }
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

int64_t Emitter::newEscapeOffset() {
  constexpr int64_t largest = 16; // of complex numbers
  return buffers.arenaBytes() + largest * escapeCount++;
}

int64_t Emitter::arenaBytes() const {
  constexpr int64_t largest = 16;
  return buffers.arenaBytes() + largest * escapeCount;
}

/// The two halves of a slot for an element.
static std::pair<llvm::Value *, llvm::Value *>
halvesOf(llvm::IRBuilder<> &builder, llvm::Value *base, int64_t offset) {
  llvm::Type *byte = builder.getInt8Ty();
  return {builder.CreateConstInBoundsGEP1_64(byte, base, offset),
          builder.CreateConstInBoundsGEP1_64(byte, base, offset + 8)};
}

static void storeHalves(llvm::IRBuilder<> &builder, llvm::Value *base,
                        int64_t offset, Element element) {
  auto [real, imag] = halvesOf(builder, base, offset);
  llvm::Value *first = element.real;
  if (first->getType()->isIntegerTy(1)) {
    first = builder.CreateZExt(first, builder.getInt8Ty());
  }
  builder.CreateStore(first, real);
  if (element.imag) {
    builder.CreateStore(element.imag, imag);
  }
}

void Emitter::keepInMemory(Value value, int64_t offset) {
  escapes[value] = {undefined(value.getType()), nullptr, frame, offset};
}

void Emitter::storeEscape(int64_t offset, Element element) {
  llvm::Value *base = slicePointer({BufferSlice::Arena, offset}, *frame);
  storeHalves(builder(), base, 0, element);
}

static Element loadHalves(llvm::IRBuilder<> &builder, llvm::Value *base,
                          int64_t offset, Element like) {
  auto [real, imag] = halvesOf(builder, base, offset);
  llvm::Type *type = like.real->getType();
  Element loaded;
  if (type->isIntegerTy(1)) {
    loaded.real = builder.CreateTrunc(
        builder.CreateLoad(builder.getInt8Ty(), real), type);
  } else {
    loaded.real = builder.CreateLoad(type, real);
  }
  if (like.imag) {
    loaded.imag = builder.CreateLoad(like.imag->getType(), imag);
  }
  return loaded;
}

Element Emitter::loadEscape(int64_t offset, Value like) {
  return loadHalves(builder(),
                    slicePointer({BufferSlice::Arena, offset}, *frame), 0,
                    undefined(like.getType()));
}

/// A scalar that another part computed or that waits in memory, for `in`.
std::optional<Element> Emitter::findEscape(Value value, Frame &in) {
  auto found = escapes.find(value);
  if (found == escapes.end() ||
      (in.kind != Frame::Entry && in.kind != Frame::Part)) {
    return std::nullopt;
  }
  Escape &escape = found->second;
  auto isConstant = [](llvm::Value *part) {
    return !part || llvm::isa<llvm::Constant>(part);
  };
  if (escape.end && isConstant(escape.element.real) &&
      isConstant(escape.element.imag)) {
    return escape.element;
  }
  if (escape.offset < 0) {
    // The part that computed it keeps it after all.
    escape.offset = newEscapeOffset();
    llvm::IRBuilder<> end(escape.end);
    storeHalves(end, escape.end->getFunction()->getArg(3), escape.offset,
                escape.element);
  }
  if (&in == escape.owner) {
    return loadHalves(in.builder, in.arena, escape.offset, escape.element);
  }
  // It was there before this part was called.
  llvm::IRBuilder<> entry(in.entry->getTerminator());
  Element loaded = loadHalves(entry, in.arena, escape.offset, escape.element);
  in.registers[value] = loaded;
  return loaded;
}

std::optional<Element> Emitter::findRegister(Value value, Frame &in) {
  auto found = in.registers.find(value);
  if (found != in.registers.end()) {
    return found->second;
  }
  if (std::optional<Element> escaped = findEscape(value, in)) {
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
// Scalar regions
//===----------------------------------------------------------------------===//

/// A body of thousands of operations as functions that are called in order;
/// what one computes and others need is in memory in between. Says whether
/// the body is that long.
bool Emitter::emitInPieces(mlir::Block &block) {
  constexpr size_t mostOfBody = 2048, mostOfPiece = 128;
  constexpr int64_t largest = 16; // of complex numbers
  llvm::SmallVector<Operation *> ops;
  for (Operation &op : block.without_terminator()) {
    ops.push_back(&op);
  }
  auto isScalarOp = [](Operation *op) {
    return isElementOp(op) && isScalar(op->getResult(0));
  };
  if (ops.size() <= mostOfBody || !llvm::all_of(ops, isScalarOp)) {
    return false;
  }
  auto *type = llvm::FunctionType::get(builder().getVoidTy(),
                                       {builder().getPtrTy()}, false);
  llvm::ArrayRef<Operation *> left(ops);
  while (!left.empty() && !failed()) {
    llvm::ArrayRef<Operation *> piece = left.take_front(mostOfPiece);
    left = left.drop_front(piece.size());
    llvm::SmallVector<Value> handedOn;
    for (Operation *op : piece) {
      if (llvm::any_of(op->getUsers(), [&](Operation *user) {
            return user == block.getTerminator() ||
                   piece.back()->isBeforeInBlock(user);
          })) {
        handedOn.push_back(op->getResult(0));
      }
    }
    llvm::AllocaInst *memory = frameSlot(
        llvm::ArrayType::get(builder().getInt8Ty(), largest * handedOn.size()));
    memory->setAlignment(llvm::Align(largest));
    llvm::Value *words = nullptr;
    llvm::Function *function = outline(
        type, "piece",
        [&](llvm::Function *) {
          llvm::for_each(piece, [&](Operation *op) { emitStep(op); });
          llvm::Value *base = capture(memory);
          for (auto [i, value] : llvm::enumerate(handedOn)) {
            storeHalves(builder(), base, largest * i, scalar(value));
          }
          builder().CreateRetVoid();
        },
        words);
    builder().CreateCall(function, {words})->setDoesNotThrow();
    for (auto [i, value] : llvm::enumerate(handedOn)) {
      setRegister(value, loadHalves(builder(), memory, largest * i,
                                    undefined(value.getType())));
    }
  }
  return true;
}

} // namespace xla::cpu
