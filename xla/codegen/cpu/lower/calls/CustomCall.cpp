//===- CustomCall.cpp - Calls of handlers that the user registered --------===//

#include "xla/analysis/DeviceGroups.h"
#include "xla/analysis/SparseProduct.h"
#include "xla/codegen/cpu/lower/Steps.h"

namespace xla::cpu {

using namespace stablehlo;
using mlir::Operation;
using mlir::Value;

llvm::Value *Emitter::operandPointer(Value operand) {
  if (!isTensor(operand)) {
    return llvm::ConstantPointerNull::get(builder().getPtrTy());
  }
  while (fusion.formOf(operand) == Form::Inline && !isScalar(operand)) {
    operand = llvm::cast<ReshapeOp>(operand.getDefiningOp()).getOperand();
  }
  if (fusion.formOf(operand) == Form::Buffer) {
    return pointerTo(operand);
  }
  assert(isScalar(operand) && "arrays that a call reads are in memory");
  Element element = scalar(operand);
  ElementType type = elementTypeOf(operand.getType());
  llvm::Type *memory = memoryType(type, context());
  llvm::AllocaInst *slot = frameSlot(llvm::ArrayType::get(memory, 2));
  slot->setAlignment(llvm::Align(64));
  llvm::Value *parts[] = {element.real, element.imag};
  for (unsigned i = 0; i < 2 && parts[i]; ++i) {
    builder().CreateStore(
        toMemory(type, parts[i]),
        builder().CreateConstInBoundsGEP1_64(memory, slot, i));
  }
  return slot;
}

void emitCustomCall(Emitter &e, Operation *operation) {
  auto op = llvm::cast<CustomCallOp>(operation);
  if (isCollective(op)) {
    emitCollective(e, op);
    return;
  }
  if (auto product = sparseProductOf(op)) {
    emitSparseProduct(e, op, *product);
    return;
  }
  if (op.isAllocation()) {
    return; // nothing is written
  }
  if (!e.callsSteps()) {
    e.fail(op, "it calls handlers from the program and its loops and branches, "
               "not from the function of a reduction, sort or scatter");
    return;
  }
  StatusOr<int64_t> number = e.numberCall(op);
  if (!number.ok()) {
    e.status = number.status();
    return;
  }
  llvm::SmallVector<llvm::Value *> operands, results;
  for (Value operand : op->getOperands()) {
    operands.push_back(e.operandPointer(operand));
  }
  for (auto [i, result] : llvm::enumerate(op->getResults())) {
    results.push_back(isTensor(result) ? e.pointerTo(result)
                                       : e.operandPointer(result));
    if (int64_t operand = op.aliasedOperand(i); operand >= 0) {
      e.emitInto(op->getOperand(operand), e.buffers.sliceOf(result));
      operands[operand] = results.back();
    }
  }
  llvm::IRBuilder<> &b = e.builder();
  llvm::Type *pointer = b.getPtrTy();
  auto *type = llvm::FunctionType::get(
      b.getInt32Ty(), {pointer, pointer, pointer, pointer}, false);
  llvm::Constant *site =
      e.module.getOrInsertGlobal(Emitter::callSymbol(*number), b.getInt8Ty());
  auto *call = b.CreateCall(
      e.module.getOrInsertFunction(Emitter::callRunnerSymbol, type),
      {e.runState(), site, e.words(operands), e.words(results)});
  call->setDoesNotThrow();
  e.returnOnError(call);
}

} // namespace xla::cpu
