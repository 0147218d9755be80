//===- Outliner.cpp - Programs as many functions of bounded size ----------===//
//===----------------------------------------------------------------------===//

#include "xla/codegen/cpu/Outliner.h"

#include "xla/analysis/DeviceGroups.h"
#include "xla/codegen/cpu/Emitter.h"
#include "xla/codegen/cpu/lower/Steps.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/DenseSet.h"

namespace xla::cpu {

using namespace stablehlo;
using mlir::Operation;
using mlir::Value;

/// In a program of more than this, counting loops and branches, all steps are
/// functions.
static constexpr int manyStepsOfProgram = 512;
/// One that holds more, counting scalars too, is cut as well.
static constexpr int64_t mostOfProgram = 1024;
/// What a part holds, in steps and scalars: blocks of more are cut.
static constexpr int64_t mostOfPart = 128;
/// A loop or branch that holds more is no step.
static constexpr int64_t mostOfStep = 64;

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// Whether the step writes arrays and nothing else, and may be a function.
bool Outliner::isOutlined(Operation *op) const {
  if (llvm::isa<WhileOp, IfOp, CaseOp, CustomCallOp>(op) || isCollective(op) ||
      e.rowGroups.isPostponed(op) ||
      (isWideConcatenate(op) && (isLongProgram || hasManyPieces(op)))) {
    return false;
  }
  if (isElementOp(op)) {
    return !e.fusion.regionAt(op).empty();
  }
  return op->getNumResults() > 0 &&
         llvm::all_of(op->getResults(), [&](Value result) {
           return isTensor(result) && e.fusion.formOf(result) == Form::Buffer;
         });
}

/// Whether it is one of those, or of a row group.
bool Outliner::isStep(Operation *op) const {
  return isOutlined(op) || e.rowGroups.isPostponed(op);
}

void Outliner::measure(mlir::Block &body, int64_t handedOn) {
  int64_t steps = 0;
  body.walk([&](Operation *op) { steps += isStep(op); });
  // Also of many steps each block has its weight: by it, blocks are cut.
  const int64_t weight = weigh(body) + handedOn;
  isLongProgram = steps > manyStepsOfProgram || weight > mostOfProgram;
}

bool areManyBranches(int64_t weight) {
  constexpr int64_t most = 64;
  return weight > most;
}

bool Outliner::keepsInMemory(size_t scalars) const {
  return isLongProgram && scalars > 64 && e.callsSteps();
}

/// Counts what is emitted in the function of each block and operation: steps,
/// scalars, loops and branches with what they hand on and hold.
int64_t Outliner::weigh(mlir::Block &block) {
  int64_t total = 0;
  for (Operation &op : block) {
    // A step may be handed as many arrays as it computes with.
    int64_t weight = isStep(&op) ? 1 + e.fusion.codeAt(&op) / 32 : 0;
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
               e.fusion.formOf(op.getResult(0)) == Form::Register) {
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
bool Outliner::isScalarStep(Operation *op) const {
  constexpr int much = 20;
  if (!isLongProgram) {
    return false;
  }
  if (isElementOp(op)) {
    return isScalar(op->getResult(0)) && costOf(op) >= much &&
           e.fusion.formOf(op->getResult(0)) == Form::Register;
  }
  return llvm::isa<WhileOp, IfOp, CaseOp>(op) &&
         weights.lookup(op) <= mostOfStep &&
         !op->walk([](Operation *inner) {
              return needsRun(inner) ? mlir::WalkResult::interrupt()
                                     : mlir::WalkResult::advance();
            }).wasInterrupted();
}

bool Outliner::isCut(mlir::Block &block) const {
  if (!isLongProgram ||
      (e.frame->kind != Frame::Entry && e.frame->kind != Frame::Part)) {
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
bool Outliner::isListOfCalls(llvm::ArrayRef<Operation *> ops) const {
  constexpr int64_t few = 64;
  int64_t scalars = 0, others = 0;
  llvm::SmallVector<Operation *> work(ops);
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    bool isBranch = isLongProgram && llvm::isa<IfOp, CaseOp>(op);
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

void Outliner::outlineStep(llvm::function_ref<void()> emit) {
  auto *type = llvm::FunctionType::get(e.builder().getInt32Ty(),
                                       {e.builder().getPtrTy()}, false);
  size_t outerScopes = std::exchange(e.scopesUsed, 0);
  llvm::Value *contextWords = nullptr;
  bool mayFail = false;
  llvm::Function *function = e.outline(
      type, "step",
      [&](llvm::Function *) {
        emit();
        e.builder().CreateRet(e.builder().getInt32(0));
        mayFail = e.frame->mayFail;
      },
      contextWords, Frame::Step);
  e.scopesUsed = outerScopes;
  auto *call = e.builder().CreateCall(function, {contextWords});
  call->setDoesNotThrow();
  if (mayFail) {
    e.returnOnError(call);
  }
}

void Outliner::emitPart(bool isOptimized, mlir::ValueRange published,
                        llvm::function_ref<void()> emit) {
  llvm::Type *pointer = e.builder().getPtrTy();
  auto *type = llvm::FunctionType::get(
      e.builder().getInt32Ty(), {pointer, pointer, pointer, pointer}, false);
  Frame &outer = *e.frame;
  llvm::Value *contextWords = nullptr;
  bool mayFail = false;
  llvm::Function *function = e.outline(
      type, "part",
      [&](llvm::Function *part) {
        e.frame->arguments = part->getArg(1);
        e.frame->results = part->getArg(2);
        e.frame->arena = part->getArg(3);
        bool wereApart = std::exchange(e.stepsApart, true);
        emit();
        e.stepsApart = wereApart;
        auto *end = e.builder().CreateRet(e.builder().getInt32(0));
        for (Value value : published) {
          auto found = e.frame->registers.find(value);
          auto inMemory = escapes.find(value);
          if (found != e.frame->registers.end()) {
            escapes[value] = {found->second, end, &outer};
          } else if (inMemory != escapes.end()) {
            inMemory->second.owner = &outer; // it was there when this returned
          }
        }
        sizeStepWords();
        mayFail = e.frame->mayFail;
      },
      contextWords, Frame::Part);
  if (!isOptimized) {
    leaveUnoptimized(*function);
  }
  outer.hasParts = true;
  auto *call = e.builder().CreateCall(
      function, {contextWords, outer.arguments, outer.results, outer.arena});
  call->setDoesNotThrow();
  if (mayFail) {
    e.returnOnError(call);
  }
}

static llvm::SmallVector<Value> resultsOf(llvm::ArrayRef<Operation *> ops) {
  llvm::SmallVector<Value> results;
  for (Operation *op : ops) {
    llvm::append_range(results, op->getResults());
  }
  return results;
}

void Outliner::emitPart(llvm::ArrayRef<Operation *> ops) {
  emitPart(!isListOfCalls(ops), resultsOf(ops), [&] {
    for (Operation *op : ops) {
      if (!e.failed()) {
        emitOfPart(op);
      }
    }
  });
}

/// One function, which hands scalars back in memory.
static void emitScalarSteps(Emitter &e, llvm::ArrayRef<Operation *> ops) {
  Outliner &parts = e.parts;
  llvm::SmallVector<std::pair<Value, int64_t>> scalars;
  for (Operation *op : ops) {
    for (Value result : op->getResults()) {
      if (e.fusion.formOf(result) == Form::Register && !result.use_empty()) {
        scalars.push_back({result, parts.newEscapeOffset()});
      }
    }
  }
  parts.outlineStep([&] {
    for (Operation *op : ops) {
      if (!e.failed()) {
        e.emitStep(op);
      }
    }
    for (auto [value, offset] : scalars) {
      if (!e.failed()) {
        parts.storeEscape(offset, e.scalar(value));
      }
    }
  });
  for (auto [value, offset] : scalars) {
    parts.keepInMemory(value, offset);
  }
}

/// One operation of a part.
void Outliner::emitOfPart(Operation *op) {
  if (e.taken.contains(op) || e.rowGroups.isPostponed(op)) {
    return;
  }
  e.marks.operation(op);
  if (isOutlined(op)) {
    outlineStep([&] { e.emitStep(op); });
    return;
  }
  if (!isScalarStep(op)) {
    e.emitStep(op);
    return;
  }
  emitScalarSteps(e, op);
}

/// A hash of what an operation and its regions do, whatever values from outside
/// they do it with; constants are part of the code.
static uint64_t structureOf(Operation *op) {
  llvm::DenseMap<Value, size_t> numbers;
  auto hashOfOperand = [&](Value value) -> llvm::hash_code {
    if (auto constant = value.getDefiningOp<ConstantOp>()) {
      return llvm::hash_value(constant.getValue().getAsOpaquePointer());
    }
    return numbers.try_emplace(value, numbers.size()).first->second;
  };
  auto hashOfResult = [](Value) -> llvm::hash_code { return 0; };
  llvm::hash_code hash = 0;
  op->walk<mlir::WalkOrder::PreOrder>([&](Operation *inner) {
    hash = llvm::hash_combine(hash,
                              mlir::OperationEquivalence::computeHash(
                                  inner, hashOfOperand, hashOfResult,
                                  mlir::OperationEquivalence::IgnoreLocations));
  });
  return static_cast<uint64_t>(hash) >> 2; // no key that a map reserves
}

/// The loops of which no other does the same: as functions of their own, those
/// that are alike are compiled once. Branches are marked for profiles where
/// they are called, each.
static llvm::DenseSet<Operation *>
loopsUnlikeOthers(mlir::Block &block,
                  llvm::function_ref<bool(Operation *)> isSmall) {
  llvm::DenseMap<uint64_t, llvm::SmallVector<Operation *, 1>> alike;
  for (auto loop : block.getOps<WhileOp>()) {
    if (isSmall(loop)) {
      alike[structureOf(loop)].push_back(loop);
    }
  }
  llvm::DenseSet<Operation *> found;
  for (auto &[structure, loops] : alike) {
    if (loops.size() == 1) {
      found.insert(loops.front());
    }
  }
  return found;
}

/// Whether no code stands where the operation does.
static bool isNoCode(const Emitter &e, Operation *op) {
  return llvm::isa<ConstantOp>(op) ||
         (isElementOp(op) && e.fusion.regionAt(op).empty() &&
          e.fusion.formOf(op->getResult(0)) == Form::Inline);
}

/// The operations of a part. Those `together` that follow each other are one
/// function: for each alone, LLVM does as much again as for what is in it.
static void emitOfPart(Emitter &e, llvm::ArrayRef<Operation *> ops,
                       const llvm::DenseSet<Operation *> &together) {
  llvm::SmallVector<Operation *> waiting;
  auto flush = [&] {
    if (!waiting.empty() && !e.failed()) {
      emitScalarSteps(e, waiting);
    }
    waiting.clear();
  };
  for (Operation *op : ops) {
    if (together.contains(op)) {
      waiting.push_back(op);
      continue;
    }
    if (!isNoCode(e, op)) {
      flush();
    }
    if (!e.failed()) {
      e.parts.emitOfPart(op);
    }
  }
  flush();
}

void Outliner::emitCut(mlir::Block &block) {
  llvm::SmallVector<Operation *> ops;
  int64_t weight = 0;
  const llvm::DenseSet<Operation *> unlike =
      loopsUnlikeOthers(block, [&](Operation *op) { return isScalarStep(op); });
  auto flush = [&] {
    if (!ops.empty() && !e.failed()) {
      emitPart(!isListOfCalls(ops), resultsOf(ops),
               [&] { cpu::emitOfPart(e, ops, unlike); });
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
void Outliner::publishArguments(llvm::ArrayRef<mlir::BlockArgument> arguments) {
  while (!arguments.empty()) {
    auto some = arguments.take_front(mostOfPart);
    emitPart(/*isOptimized=*/false,
             llvm::SmallVector<Value>(some.begin(), some.end()),
             [&] { e.loadArguments(some); });
    arguments = arguments.drop_front(some.size());
  }
}

void Outliner::inParts(size_t count, llvm::function_ref<void(size_t)> emit) {
  bool cuts = count > mostOfPart &&
              (e.frame->kind == Frame::Entry || e.frame->kind == Frame::Part);
  size_t each = cuts ? mostOfPart : std::max<size_t>(count, 1);
  for (size_t first = 0; first < count; first += each) {
    auto emitAll = [&] {
      for (size_t i = first; i < std::min(first + each, count); ++i) {
        if (!e.failed()) {
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

void Outliner::sizeStepWords() {
  if (e.frame->stepWords) {
    e.frame->stepWords->setAllocatedType(llvm::ArrayType::get(
        e.builder().getInt64Ty(), std::max<size_t>(e.frame->mostStepWords, 1)));
  }
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

int64_t Outliner::newEscapeOffset() {
  constexpr int64_t largest = 16; // of complex numbers
  return e.buffers.arenaBytes() + largest * escapeCount++;
}

int64_t Outliner::arenaBytes() const {
  constexpr int64_t largest = 16;
  return e.buffers.arenaBytes() + largest * escapeCount;
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

void Outliner::keepInMemory(Value value, int64_t offset) {
  escapes[value] = {e.undefined(value.getType()), nullptr, e.frame, offset};
}

void Outliner::storeEscape(int64_t offset, Element element) {
  llvm::Value *base = e.slicePointer({BufferSlice::Arena, offset}, *e.frame);
  storeHalves(e.builder(), base, 0, element);
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

Element Outliner::loadEscape(int64_t offset, Value like) {
  return loadHalves(e.builder(),
                    e.slicePointer({BufferSlice::Arena, offset}, *e.frame), 0,
                    e.undefined(like.getType()));
}

/// Behind what computes the scalar, if that is before the function's first
/// branch, so that it leaves its register; else at the end.
static llvm::Instruction *storePosition(const Element &element,
                                        llvm::Instruction *end) {
  auto *real = llvm::dyn_cast<llvm::Instruction>(element.real);
  llvm::BasicBlock &entry = end->getFunction()->getEntryBlock();
  bool isBeforeBranches =
      real && !element.imag && real->getParent() == entry.getSingleSuccessor();
  return isBeforeBranches ? real->getNextNode() : end;
}

/// A scalar that another part computed or that waits in memory, for `in`.
std::optional<Element> Outliner::findEscape(Value value, Frame &in) {
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
    llvm::IRBuilder<> end(storePosition(escape.element, escape.end));
    storeHalves(end, escape.end->getFunction()->getArg(3), escape.offset,
                escape.element);
  }
  if (&in == escape.owner) {
    return loadHalves(in.builder, in.arena, escape.offset, escape.element);
  }
  // It was there before this part was called. Of many such scalars few are in
  // registers at a time where each is loaded when it is first read, which only
  // a read before the first branch allows.
  llvm::IRBuilder<> entry(in.entry->getTerminator());
  bool isBeforeBranches =
      in.builder.GetInsertBlock() == in.entry->getSingleSuccessor();
  Element loaded = loadHalves(isBeforeBranches ? in.builder : entry, in.arena,
                              escape.offset, escape.element);
  in.registers[value] = loaded;
  return loaded;
}

//===----------------------------------------------------------------------===//
// Scalar regions
//===----------------------------------------------------------------------===//

/// A body of thousands of operations as functions that are called in order;
/// what one computes and others need is in memory in between. Says whether
/// the body is that long.
bool Outliner::emitInPieces(mlir::Block &block) {
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
  auto *type = llvm::FunctionType::get(e.builder().getVoidTy(),
                                       {e.builder().getPtrTy()}, false);
  llvm::ArrayRef<Operation *> left(ops);
  while (!left.empty() && !e.failed()) {
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
    llvm::AllocaInst *memory = e.frameSlot(llvm::ArrayType::get(
        e.builder().getInt8Ty(), largest * handedOn.size()));
    memory->setAlignment(llvm::Align(largest));
    llvm::Value *words = nullptr;
    llvm::Function *function = e.outline(
        type, "piece",
        [&](llvm::Function *) {
          llvm::for_each(piece, [&](Operation *op) { e.emitStep(op); });
          llvm::Value *base = e.capture(memory);
          for (auto [i, value] : llvm::enumerate(handedOn)) {
            storeHalves(e.builder(), base, largest * i, e.scalar(value));
          }
          e.builder().CreateRetVoid();
        },
        words);
    e.builder().CreateCall(function, {words})->setDoesNotThrow();
    for (auto [i, value] : llvm::enumerate(handedOn)) {
      e.setRegister(value, loadHalves(e.builder(), memory, largest * i,
                                      e.undefined(value.getType())));
    }
  }
  return true;
}

} // namespace xla::cpu
