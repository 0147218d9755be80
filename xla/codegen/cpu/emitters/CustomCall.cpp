//===- CustomCall.cpp - Calls of handlers that the user registered --------===//

#include "xla/codegen/cpu/Emitter.h"

namespace xla::cpu {

using namespace stablehlo;
using mlir::Operation;
using mlir::Value;

/// Where the handler finds an operand: scalars get a place in the frame.
static llvm::Value *operandPointer(Emitter &e, Value operand) {
  if (!isTensor(operand)) {
    return llvm::ConstantPointerNull::get(e.builder().getPtrTy());
  }
  if (e.fusion.formOf(operand) == Form::Buffer) {
    return e.pointerTo(operand);
  }
  assert(isScalar(operand) && "arrays that a call reads lie in memory");
  Element element = e.scalar(operand);
  llvm::Type *memory =
      memoryType(elementTypeOf(operand.getType()), e.context());
  llvm::AllocaInst *slot = e.frameSlot(llvm::ArrayType::get(memory, 2));
  slot->setAlignment(llvm::Align(64));
  llvm::Value *parts[] = {element.real, element.imag};
  for (unsigned i = 0; i < 2 && parts[i]; ++i) {
    e.builder().CreateStore(
        e.toMemory(elementTypeOf(operand.getType()), parts[i]),
        e.builder().CreateConstInBoundsGEP1_64(memory, slot, i));
  }
  return slot;
}

void Emitter::emitCustomCall(Operation *operation) {
  auto op = llvm::cast<CustomCallOp>(operation);
  if (frame->kind != Frame::Entry && frame->kind != Frame::Part) {
    fail(op, "it calls handlers from the program and its loops and branches, "
             "not from the function of a reduction, sort or scatter");
    return;
  }
  StatusOr<int64_t> number = callNumber(op);
  if (!number.ok()) {
    status = number.status();
    return;
  }
  llvm::SmallVector<llvm::Value *> operands, results;
  for (Value operand : op->getOperands()) {
    operands.push_back(operandPointer(*this, operand));
  }
  for (auto [i, result] : llvm::enumerate(op->getResults())) {
    results.push_back(isTensor(result) ? pointerTo(result)
                                       : operandPointer(*this, result));
    if (int64_t operand = op.aliasedOperand(i); operand >= 0) {
      emitInto(op->getOperand(operand), buffers.placeOf(result));
      operands[operand] = results.back();
    }
  }
  llvm::IRBuilder<> &b = builder();
  llvm::Type *pointer = b.getPtrTy();
  auto *type = llvm::FunctionType::get(
      b.getInt32Ty(), {pointer, pointer, pointer, pointer}, false);
  llvm::Constant *site =
      module.getOrInsertGlobal(callSymbol(*number), b.getInt8Ty());
  auto *call =
      b.CreateCall(module.getOrInsertFunction(callRunnerSymbol, type),
                   {runState(*frame), site, words(operands), words(results)});
  call->setDoesNotThrow();
  returnOnError(call);
}

} // namespace xla::cpu
