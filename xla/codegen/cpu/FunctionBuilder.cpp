//===- FunctionBuilder.cpp - What functions hand to each other, and call --===//

#include "xla/codegen/cpu/FunctionBuilder.h"

#include "llvm/Support/raw_ostream.h"

namespace xla::cpu {

FunctionBuilder::Frame::Frame(llvm::Function *function, Frame *parent,
                              Kind kind)
    : function(function), parent(parent), kind(kind),
      entry(
          llvm::BasicBlock::Create(function->getContext(), "entry", function)),
      builder(function->getContext()) {
  // The entry block holds what is computed once; code starts behind it.
  auto *start =
      llvm::BasicBlock::Create(function->getContext(), "start", function);
  llvm::BranchInst::Create(start, entry);
  builder.SetInsertPoint(start);
  // A product may be fused with the sum that it goes into; nothing more.
  llvm::FastMathFlags flags;
  flags.setAllowContract();
  builder.setFastMathFlags(flags);
}

llvm::Value *FunctionBuilder::capture(llvm::Value *outside, Frame &in) {
  auto [known, isNew] = in.captured.try_emplace(outside, nullptr);
  if (!isNew) {
    return known->second;
  }
  llvm::IRBuilder<> entry(in.entry->getTerminator());
  llvm::Value *slot = entry.CreateConstInBoundsGEP1_64(
      entry.getInt64Ty(), in.context, in.captures.size());
  llvm::Type *type = outside->getType();
  llvm::Value *inside;
  if (type->isIntegerTy(1)) {
    inside = entry.CreateTrunc(entry.CreateLoad(entry.getInt8Ty(), slot), type);
  } else {
    auto *loaded = entry.CreateLoad(type, slot);
    loaded->setMetadata(llvm::LLVMContext::MD_invariant_load,
                        llvm::MDNode::get(in.function->getContext(), {}));
    inside = loaded;
  }
  in.captures.push_back(outside);
  in.captured[outside] = inside;
  return inside;
}

llvm::Function *
FunctionBuilder::outline(llvm::FunctionType *type, const llvm::Twine &name,
                         llvm::function_ref<void(llvm::Function *)> emit,
                         llvm::Value *&contextWords, Frame::Kind kind) {
  auto *function = llvm::Function::Create(
      type, llvm::GlobalValue::InternalLinkage, name, module);
  function->setDoesNotThrow();
  Frame *outer = frame;
  Frame inner(function, outer, kind);
  inner.context = function->getArg(0);
  frame = &inner;
  {
    Scope scope(*this);
    emit(function);
  }
  frame = outer;
  llvm::ArrayRef<llvm::Value *> values = inner.captures;
  if (kind == Frame::Step) {
    // Steps run one after the other: their contexts share one block.
    frame->mostStepWords = std::max(frame->mostStepWords, values.size());
    if (!frame->stepWords) {
      frame->stepWords = frameSlot(builder().getInt64Ty());
    }
    storeWords(values, frame->stepWords);
    contextWords = frame->stepWords;
    return function;
  }
  contextWords = words(values);
  return function;
}

llvm::Value *FunctionBuilder::capture(llvm::Value *value) {
  auto *instruction = llvm::dyn_cast<llvm::Instruction>(value);
  auto *argument = llvm::dyn_cast<llvm::Argument>(value);
  bool outside =
      (instruction && instruction->getFunction() != frame->function) ||
      (argument && argument->getParent() != frame->function);
  return outside ? capture(value, *frame) : value;
}

void FunctionBuilder::returnOnError(llvm::Value *code) {
  frame->mayFail = true;
  auto *bad = llvm::BasicBlock::Create(context(), "error", frame->function);
  auto *good = llvm::BasicBlock::Create(context(), "fine", frame->function);
  builder().CreateCondBr(builder().CreateICmpEQ(code, builder().getInt32(0)),
                         good, bad);
  builder().SetInsertPoint(bad);
  builder().CreateRet(code);
  builder().SetInsertPoint(good);
}

llvm::Value *FunctionBuilder::table(llvm::ArrayRef<int64_t> words) {
  llvm::SmallVector<uint64_t> bits(words.begin(), words.end());
  llvm::Constant *values = llvm::ConstantDataArray::get(context(), bits);
  llvm::GlobalVariable *&variable = tables[values];
  if (!variable) {
    variable =
        new llvm::GlobalVariable(module, values->getType(), true,
                                 llvm::GlobalValue::PrivateLinkage, values);
  }
  return variable;
}

llvm::AllocaInst *FunctionBuilder::frameSlot(llvm::Type *type) {
  llvm::IRBuilder<> entry(frame->entry, frame->entry->begin());
  return entry.CreateAlloca(type);
}

llvm::Value *FunctionBuilder::words(llvm::ArrayRef<llvm::Value *> values) {
  llvm::Value *block = frameSlot(llvm::ArrayType::get(
      builder().getInt64Ty(), std::max<size_t>(values.size(), 1)));
  storeWords(values, block);
  return block;
}

void FunctionBuilder::storeWords(llvm::ArrayRef<llvm::Value *> values,
                                 llvm::Value *block) {
  llvm::Type *word = builder().getInt64Ty();
  for (size_t i = 0; i < values.size(); ++i) {
    llvm::Value *value = values[i];
    llvm::Value *slot = builder().CreateConstInBoundsGEP1_64(word, block, i);
    if (value->getType()->isIntegerTy(1)) {
      value = builder().CreateZExt(value, builder().getInt8Ty());
    }
    builder().CreateStore(value, slot);
  }
}

llvm::Value *
FunctionBuilder::callRuntime(llvm::StringRef name, llvm::Type *result,
                             llvm::ArrayRef<llvm::Value *> arguments) {
  llvm::SmallVector<llvm::Type *> types;
  for (llvm::Value *argument : arguments) {
    types.push_back(argument->getType());
  }
  auto callee = module.getOrInsertFunction(
      name, llvm::FunctionType::get(result, types, false));
  auto *call = builder().CreateCall(callee, arguments);
  call->setDoesNotThrow();
  return call;
}

void FunctionBuilder::fail(mlir::Operation *op, const llvm::Twine &why) {
  if (failed()) {
    return;
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << compiler << " cannot generate code for '" << op->getName()
         << "': " << why << "\n  types    ";
  llvm::interleaveComma(op->getOperandTypes(), stream);
  stream << " -> ";
  llvm::interleaveComma(op->getResultTypes(), stream);
  stream << "\n  at       " << op->getLoc();
  status = unimplemented(std::move(text));
}

Element FunctionBuilder::undefined(mlir::Type type) {
  ElementType element = elementTypeOf(type);
  llvm::Type *part = isSupported(element) ? registerType(element, context())
                                          : builder().getInt8Ty();
  llvm::Value *poison = llvm::PoisonValue::get(part);
  return {poison, isComplex(element) ? poison : nullptr};
}

} // namespace xla::cpu
