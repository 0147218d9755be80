//===- OperationMarks.cpp - Marks between the operations of a program -----===//
//===----------------------------------------------------------------------===//

#include "xla/codegen/cpu/OperationMarks.h"

#include "xla/codegen/cpu/Emitter.h"
#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/runtime/OperationRecord.h"

namespace xla::cpu {

using mlir::Operation;

std::optional<OperationMarks::Number> OperationMarks::numberOf(Operation *op) {
  if (!numbers || !e.callsSteps() || e.taken.contains(op)) {
    return std::nullopt;
  }
  return numbers(op);
}

/// The first word of what the program was called with.
llvm::Value *OperationMarks::recordOfRun() {
  return e.builder().CreateLoad(e.builder().getPtrTy(), e.runState());
}

void OperationMarks::operation(Operation *op) {
  // A loop that counts is marked where it is entered, and any other there too.
  if (!llvm::isa<stablehlo::WhileOp>(op)) {
    emit(numberOf(op));
  }
}

void OperationMarks::emit(std::optional<Number> number) {
  if (!number) {
    return;
  }
  llvm::Value *record = recordOfRun();
  auto mark = [&] {
    e.callRuntime(markSymbol, e.builder().getVoidTy(),
                  {record, e.constant(number->operation)});
  };
  if (e.programLoops == 0) {
    mark();
    return;
  }
  llvm::Value *isTimed = e.builder().CreateIsNotNull(
      e.builder().CreateLoad(e.builder().getInt64Ty(), record));
  auto *marks = e.newBlock("mark");
  auto *after = e.newBlock("marked");
  e.builder().CreateCondBr(isTimed, marks, after);
  e.builder().SetInsertPoint(marks);
  mark();
  e.builder().CreateBr(after);
  e.builder().SetInsertPoint(after);
}

void OperationMarks::loop(Operation *op, const char *function) {
  std::optional<Number> number = numberOf(op);
  if (number && number->loop < 0) {
    if (function == enterLoopSymbol) {
      emit(number);
    }
  } else if (number) {
    e.callRuntime(function, e.builder().getVoidTy(),
                  {recordOfRun(), e.constant(number->loop)});
  }
}

/// Counts the iteration down, and calls where something is due.
void OperationMarks::iteration(Operation *op) {
  constexpr int64_t loopsOffset = offsetof(RecordHead, loops);
  constexpr int64_t loopBytes = sizeof(LoopRecord);
  std::optional<Number> number = numberOf(op);
  if (!number || number->loop < 0) {
    return;
  }
  llvm::Type *byte = e.builder().getInt8Ty(), *word = e.builder().getInt64Ty();
  llvm::Value *record = recordOfRun();
  llvm::Value *loops = e.builder().CreateLoad(
      e.builder().getPtrTy(),
      e.builder().CreateConstInBoundsGEP1_64(byte, record, loopsOffset));
  llvm::Value *left = e.builder().CreateConstInBoundsGEP1_64(
      byte, loops, number->loop * loopBytes);
  llvm::Value *count =
      e.builder().CreateSub(e.builder().CreateLoad(word, left), e.constant(1));
  e.builder().CreateStore(count, left);
  auto *due = e.newBlock("due");
  auto *after = e.newBlock("counted");
  e.builder().CreateCondBr(e.builder().CreateIsNull(count), due, after);
  e.builder().SetInsertPoint(due);
  e.callRuntime(nextIterationSymbol, e.builder().getVoidTy(),
                {record, e.constant(number->loop)});
  e.builder().CreateBr(after);
  e.builder().SetInsertPoint(after);
}

} // namespace xla::cpu
