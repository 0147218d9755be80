//===- MathCalls.cpp - Math functions that many call ----------------------===//
//
// A math function becomes part of each loop that calls it and is widened with
// the loop. That is the quickest code, and takes a millisecond to compile; a
// program that has a thousand sines takes a second. So where a module has many
// calls of one function, they stay calls: of one function of scalars, and of
// one for each width of vectors that the loop vectoriser chooses. The bits are
// the same, for nothing in the library is fused with what is around it.
//
// Loops that several threads share, and what goes through the results of large
// products, keep code of their own: they run long, and a program has few.
//
//===----------------------------------------------------------------------===//

#include "xla/codegen/cpu/MathCalls.h"

#include "xla/codegen/cpu/MachineCode.h"
#include "xla/codegen/cpu/MathLibrary.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/VFABIDemangler.h"

namespace xla::cpu {

/// On a vector's declaration: how many lanes it has.
static constexpr llvm::StringLiteral lanesAttribute = "xla-lanes";

//===----------------------------------------------------------------------===//
// Which calls stay
//===----------------------------------------------------------------------===//

void keepManyMathCalls(llvm::Module &module) {
  constexpr size_t many = 24;
  llvm::MapVector<llvm::Function *, llvm::SmallVector<llvm::CallInst *>> calls;
  for (llvm::Function &function : module) {
    if (MathLibrary::inlinesAlways(function)) {
      continue;
    }
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      llvm::Function *callee = call ? call->getCalledFunction() : nullptr;
      // The two parts of a complex result share what they compute.
      if (callee && MathLibrary::isMath(*callee) &&
          !MathLibrary::isOfComplex(*callee)) {
        calls[callee].push_back(call);
      }
    }
  }
  for (auto &[callee, list] : calls) {
    if (list.size() > many) {
      for (llvm::CallInst *call : list) {
        call->setIsNoInline();
      }
    }
  }
}

//===----------------------------------------------------------------------===//
// Widening
//===----------------------------------------------------------------------===//

namespace {

/// Writes a function of scalars, which is one straight line, for vectors.
class Widening {
public:
  Widening(llvm::Function &scalar, llvm::Function &vector, unsigned lanes)
      : scalar(scalar), vector(vector),
        lanes(llvm::ElementCount::getFixed(lanes)),
        builder(llvm::BasicBlock::Create(vector.getContext(), "", &vector)) {}

  void run() {
    for (auto [from, to] : llvm::zip_equal(scalar.args(), vector.args())) {
      widened[&from] = &to;
    }
    for (llvm::Instruction &instruction : scalar.getEntryBlock()) {
      widened[&instruction] = widen(instruction);
    }
  }

private:
  llvm::Type *widen(llvm::Type *type) const {
    return llvm::VectorType::get(type, lanes);
  }

  llvm::Value *widen(llvm::Value *value) {
    if (auto *constant = llvm::dyn_cast<llvm::Constant>(value)) {
      return llvm::ConstantVector::getSplat(lanes, constant);
    }
    return widened.lookup(value);
  }

  llvm::Value *widen(llvm::Instruction &instruction) {
    if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
      return builder.CreateMaskedGather(widen(load->getType()),
                                        widen(load->getPointerOperand()),
                                        load->getAlign());
    }
    if (auto *address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction)) {
      llvm::SmallVector<llvm::Value *> indices;
      for (llvm::Value *index : address->indices()) {
        indices.push_back(widen(index));
      }
      // A table stays one pointer.
      llvm::Value *base = address->getPointerOperand();
      return builder.CreateGEP(address->getSourceElementType(),
                               llvm::isa<llvm::Constant>(base) ? base
                                                               : widen(base),
                               indices, "", address->getNoWrapFlags());
    }
    if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) {
      return widenCall(*call);
    }
    if (auto *end = llvm::dyn_cast<llvm::ReturnInst>(&instruction)) {
      return builder.CreateRet(widen(end->getReturnValue()));
    }
    llvm::Instruction *copy = instruction.clone();
    copy->mutateType(widen(instruction.getType()));
    for (llvm::Use &operand : copy->operands()) {
      operand.set(widen(operand.get()));
    }
    copy->dropUnknownNonDebugMetadata();
    return builder.Insert(copy);
  }

  llvm::Value *widenCall(llvm::IntrinsicInst &call) {
    llvm::Intrinsic::ID id = call.getIntrinsicID();
    llvm::SmallVector<llvm::Type *> overloads;
    llvm::SmallVector<llvm::Value *> operands;
    if (llvm::isVectorIntrinsicWithOverloadTypeAtArg(id, -1, nullptr)) {
      overloads.push_back(widen(call.getType()));
    }
    for (auto [i, operand] : llvm::enumerate(call.args())) {
      bool isScalar = llvm::isVectorIntrinsicWithScalarOpAtArg(id, i, nullptr);
      operands.push_back(isScalar ? operand.get() : widen(operand.get()));
      if (llvm::isVectorIntrinsicWithOverloadTypeAtArg(id, i, nullptr)) {
        overloads.push_back(operands.back()->getType());
      }
    }
    return builder.CreateIntrinsic(id, overloads, operands);
  }

  llvm::Function &scalar, &vector;
  llvm::ElementCount lanes;
  llvm::IRBuilder<> builder;
  llvm::DenseMap<llvm::Value *, llvm::Value *> widened;
};

} // namespace

/// Whether each instruction has a form for vectors.
static bool canWiden(const llvm::Function &function) {
  if (function.size() != 1) {
    return false;
  }
  return llvm::all_of(function.getEntryBlock(), [](const auto &instruction) {
    if (const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
      return llvm::isTriviallyVectorizable(call->getIntrinsicID());
    }
    if (const auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
      return load->isSimple();
    }
    return llvm::isa<llvm::BinaryOperator, llvm::UnaryOperator, llvm::CastInst,
                     llvm::CmpInst, llvm::SelectInst, llvm::FreezeInst,
                     llvm::GetElementPtrInst, llvm::ReturnInst>(instruction);
  });
}

/// Declares the variants of a function, and returns how calls name them.
static llvm::SmallVector<std::string>
declareVariants(llvm::Function &function) {
  llvm::Module &module = *function.getParent();
  llvm::FunctionType *type = function.getFunctionType();
  unsigned bits = type->getReturnType()->getScalarSizeInBits();
  for (llvm::Type *parameter : type->params()) {
    bits = std::max(bits, parameter->getScalarSizeInBits());
  }
  llvm::SmallVector<std::string> names;
  const unsigned most = hostProcessor().vectorBits / bits;
  for (unsigned lanes = 2; lanes <= most; lanes *= 2) {
    auto widen = [&](llvm::Type *scalar) -> llvm::Type * {
      return llvm::FixedVectorType::get(scalar, lanes);
    };
    auto *wide = llvm::FunctionType::get(
        widen(type->getReturnType()),
        llvm::map_to_vector(type->params(), widen), false);
    std::string name = (function.getName() + "_x" + llvm::Twine(lanes)).str();
    auto *variant = llvm::Function::Create(
        wide, llvm::GlobalValue::ExternalLinkage, name, module);
    variant->setDoesNotAccessMemory();
    variant->setDoesNotThrow();
    variant->setWillReturn();
    variant->addFnAttr(lanesAttribute, llvm::utostr(lanes));
    names.push_back(("_ZGV_LLVM_N" + llvm::Twine(lanes) +
                     std::string(type->getNumParams(), 'v') + "_" +
                     function.getName() + "(" + name + ")")
                        .str());
  }
  return names;
}

void declareVectorMath(llvm::Module &module) {
  for (llvm::Function &function : llvm::make_early_inc_range(module)) {
    if (!MathLibrary::isMath(function) || function.isDeclaration()) {
      continue;
    }
    llvm::SmallVector<llvm::CallInst *> kept;
    for (llvm::User *user : function.users()) {
      auto *call = llvm::dyn_cast<llvm::CallInst>(user);
      if (call && call->isNoInline()) {
        kept.push_back(call);
      }
    }
    if (kept.empty() || !canWiden(function)) {
      continue;
    }
    llvm::SmallVector<std::string> names = declareVariants(function);
    for (llvm::CallInst *call : kept) {
      llvm::VFABI::setVectorVariantNames(call, names);
    }
  }
}

void defineVectorMath(llvm::Module &module) {
  for (llvm::Function &function : llvm::make_early_inc_range(module)) {
    unsigned lanes = 0;
    if (!llvm::to_integer(
            function.getFnAttribute(lanesAttribute).getValueAsString(),
            lanes)) {
      continue;
    }
    if (function.use_empty()) {
      function.eraseFromParent();
      continue;
    }
    llvm::StringRef name = function.getName().rsplit("_x").first;
    Widening(*module.getFunction(name), function, lanes).run();
    function.setLinkage(llvm::GlobalValue::InternalLinkage);
  }
  for (llvm::Function &function : llvm::make_early_inc_range(module)) {
    if (MathLibrary::isMath(function) && !function.isDeclaration() &&
        function.use_empty()) {
      function.eraseFromParent();
    }
  }
}

} // namespace xla::cpu
