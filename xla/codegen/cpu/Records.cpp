//===- Records.cpp - Marks between the operations of a program ------------===//
//
// Marks are in functions that list the steps of the program, not in the steps:
// equal steps stay equal functions, and their code is that of the program
// without marks. Within loops of the program a mark is skipped in iterations
// that are counted and not timed.
//
//===----------------------------------------------------------------------===//

#include "xla/codegen/cpu/Emitter.h"

#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/runtime/OperationRecord.h"

namespace xla::cpu {

using mlir::Operation;

std::optional<Emitter::RecordNumber> Emitter::recordNumberOf(Operation *op) {
  bool lists = frame->kind == Frame::Entry || frame->kind == Frame::Part;
  if (!recordNumbers || !lists || taken.contains(op)) {
    return std::nullopt;
  }
  return recordNumbers(op);
}

/// The first word of what the program was called with.
llvm::Value *Emitter::recordOfRun() {
  return builder().CreateLoad(builder().getPtrTy(), runState(*frame));
}

void Emitter::markOperation(Operation *op) {
  // A loop that counts is marked where it is entered, and any other there too.
  if (!llvm::isa<stablehlo::WhileOp>(op)) {
    emitMark(recordNumberOf(op));
  }
}

void Emitter::emitMark(std::optional<RecordNumber> number) {
  if (!number) {
    return;
  }
  llvm::Value *record = recordOfRun();
  auto mark = [&] {
    callRuntime(markSymbol, builder().getVoidTy(),
                {record, constant(number->operation)});
  };
  if (programLoops == 0) {
    mark();
    return;
  }
  llvm::Value *isTimed = builder().CreateIsNotNull(
      builder().CreateLoad(builder().getInt64Ty(), record));
  auto *marks = llvm::BasicBlock::Create(context(), "mark", frame->function);
  auto *after = llvm::BasicBlock::Create(context(), "marked", frame->function);
  builder().CreateCondBr(isTimed, marks, after);
  builder().SetInsertPoint(marks);
  mark();
  builder().CreateBr(after);
  builder().SetInsertPoint(after);
}

void Emitter::markLoop(Operation *op, const char *function) {
  std::optional<RecordNumber> number = recordNumberOf(op);
  if (number && number->loop < 0) {
    if (function == enterLoopSymbol) {
      emitMark(number);
    }
  } else if (number) {
    callRuntime(function, builder().getVoidTy(),
                {recordOfRun(), constant(number->loop)});
  }
}

/// Counts the iteration down, and calls where something is due.
void Emitter::beginIteration(Operation *op) {
  constexpr int64_t loopsOffset = offsetof(RecordHead, loops);
  constexpr int64_t loopBytes = sizeof(LoopRecord);
  std::optional<RecordNumber> number = recordNumberOf(op);
  if (!number || number->loop < 0) {
    return;
  }
  llvm::Type *byte = builder().getInt8Ty(), *word = builder().getInt64Ty();
  llvm::Value *record = recordOfRun();
  llvm::Value *loops = builder().CreateLoad(
      builder().getPtrTy(),
      builder().CreateConstInBoundsGEP1_64(byte, record, loopsOffset));
  llvm::Value *left = builder().CreateConstInBoundsGEP1_64(
      byte, loops, number->loop * loopBytes);
  llvm::Value *count =
      builder().CreateSub(builder().CreateLoad(word, left), constant(1));
  builder().CreateStore(count, left);
  auto *due = llvm::BasicBlock::Create(context(), "due", frame->function);
  auto *after = llvm::BasicBlock::Create(context(), "counted", frame->function);
  builder().CreateCondBr(builder().CreateIsNull(count), due, after);
  builder().SetInsertPoint(due);
  callRuntime(nextIterationSymbol, builder().getVoidTy(),
              {record, constant(number->loop)});
  builder().CreateBr(after);
  builder().SetInsertPoint(after);
}

} // namespace xla::cpu
