//===- Subnormals.cpp - Loops that do not stumble over subnormal numbers --===//
//
// A product, quotient or root that reads or gives a subnormal number makes some
// processors ask their microcode, which takes them a hundred times as long. In
// a loop of the program whose numbers fade away, as gradients through time do,
// a nest meets them in many rounds on end.
//
// So such a nest is emitted a second time with these in doubles, where those
// numbers are normal and products exact; rounded once, they are what the
// processor would have given. The processor notes that it met a subnormal
// number, or made one, in flags that stay: a round takes the second form if the
// last one left the flags set. Either form is right, so a wrong guess costs
// time alone.
//
//===----------------------------------------------------------------------===//

#include "xla/codegen/cpu/lower/elementwise/Subnormals.h"

#include "xla/dialect/stablehlo/StablehloOps.h"

#include "llvm/IR/IntrinsicsX86.h"

#include <cmath>

namespace xla::cpu {

using namespace stablehlo;
using mlir::Operation;
using mlir::Value;

//===----------------------------------------------------------------------===//
// Products, quotients and roots
//===----------------------------------------------------------------------===//

/// Numbers take a detour through doubles, far away: else LLVM would see that it
/// changes no result, and take it out. Even, for square roots.
static constexpr int detour = 300;

static llvm::Constant *powerOfTwo(Emitter &e, int exponent) {
  return llvm::ConstantFP::get(e.builder().getDoubleTy(),
                               std::ldexp(1.0, exponent));
}

static llvm::Value *widen(Emitter &e, llvm::Value *x) {
  return e.builder().CreateFPExt(x, e.builder().getDoubleTy());
}

static llvm::Value *goFar(Emitter &e, llvm::Value *x) {
  return e.builder().CreateFMul(widen(e, x), powerOfTwo(e, detour));
}

/// Rounds once: a product of two f32 is exact in a double, and no quotient or
/// root is so near the middle of two f32 that a double is rounded to it.
static llvm::Value *comeBack(Emitter &e, llvm::Value *x, int exponent) {
  llvm::IRBuilder<> &b = e.builder();
  llvm::Value *near = b.CreateFMul(x, powerOfTwo(e, -exponent));
  // With leave to contract, LLVM would take two steps to f16 at once, by a
  // function that is not there.
  llvm::IRBuilder<>::FastMathFlagGuard guard(b);
  b.clearFastMathFlags();
  return b.CreateFPTrunc(near, b.getFloatTy());
}

static bool isDetour(const Emitter &e, llvm::Value *x) {
  return e.inSubnormalRegion && x->getType()->isFloatTy();
}

llvm::Value *multiplyFloats(Emitter &e, llvm::Value *x, llvm::Value *y) {
  llvm::IRBuilder<> &b = e.builder();
  if (!isDetour(e, x)) {
    return b.CreateFMul(x, y);
  }
  if (llvm::isa<llvm::Constant>(y)) {
    std::swap(x, y); // one factor with the detour's
  }
  return comeBack(e, b.CreateFMul(goFar(e, x), widen(e, y)), detour);
}

llvm::Value *divideFloats(Emitter &e, llvm::Value *x, llvm::Value *y) {
  llvm::IRBuilder<> &b = e.builder();
  if (!isDetour(e, x)) {
    return b.CreateFDiv(x, y);
  }
  return comeBack(e, b.CreateFDiv(goFar(e, x), widen(e, y)), detour);
}

llvm::Value *squareRoot(Emitter &e, llvm::Value *x) {
  llvm::IRBuilder<> &b = e.builder();
  if (!isDetour(e, x)) {
    return b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x);
  }
  llvm::Value *root =
      b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, goFar(e, x));
  return comeBack(e, root, detour / 2);
}

//===----------------------------------------------------------------------===//
// Two forms of a nest
//===----------------------------------------------------------------------===//

/// Whether what is computed for the outputs is simple arithmetic, with products
/// that are computed in f32.
static bool isSimpleWithProducts(const FusionPlan &fusion,
                                 llvm::ArrayRef<Value> outputs) {
  // More than a quotient costs: functions, whose code is long.
  constexpr int mostOfOperation = 5;
  bool hasProducts = false;
  llvm::SmallVector<Operation *> work;
  llvm::DenseSet<Operation *> seen;
  for (Value output : outputs) {
    work.push_back(output.getDefiningOp());
  }
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    if (!seen.insert(op).second) {
      continue;
    }
    if (costOf(op) > mostOfOperation) {
      return false;
    }
    ElementType type = elementTypeOf(op->getResult(0).getType());
    hasProducts |= llvm::isa<MulOp, DivOp, SqrtOp, RsqrtOp>(op) &&
                   (type == ElementType::F32 || isHalf(type));
    for (Value operand : op->getOperands()) {
      Operation *source = operand.getDefiningOp();
      if (source && isTensor(operand) &&
          fusion.formOf(operand) == Form::Inline) {
        work.push_back(source);
      }
    }
  }
  return hasProducts;
}

bool isWorthTwoForms(const FusionPlan &fusion, llvm::ArrayRef<Value> outputs,
                     int code) {
  // Less arithmetic than this in a round is over before the flags are read; of
  // more code the second form would be felt when it is compiled.
  constexpr int64_t leastWork = 1024;
  constexpr int mostCode = 64;
  return code <= mostCode &&
         elementCountOf(outputs.front()) * code >= leastWork &&
         isSimpleWithProducts(fusion, outputs);
}

/// The processor's notes: that an operand was subnormal, or a result too small
/// to be exact.
static constexpr uint32_t notes = 1 << 1 | 1 << 4;

static llvm::Value *readControl(Emitter &e, llvm::Value *word) {
  llvm::IRBuilder<> &b = e.builder();
  b.CreateIntrinsic(b.getVoidTy(), llvm::Intrinsic::x86_sse_stmxcsr, {word});
  return b.CreateLoad(b.getInt32Ty(), word);
}

/// Takes the notes away.
static void clearNotes(Emitter &e, llvm::Value *word) {
  llvm::IRBuilder<> &b = e.builder();
  llvm::Value *control = readControl(e, word);
  llvm::Value *isNoted =
      b.CreateICmpNE(b.CreateAnd(control, notes), b.getInt32(0));
  e.when(isNoted, [&] {
    b.CreateStore(b.CreateAnd(control, ~notes), word);
    b.CreateIntrinsic(b.getVoidTy(), llvm::Intrinsic::x86_sse_ldmxcsr, {word});
  });
}

void Emitter::emitInTwoForms(llvm::function_ref<void()> emit) {
  llvm::IRBuilder<> &b = builder();
  llvm::Type *type = b.getInt32Ty();
  llvm::AllocaInst *word = frameSlot(type), *noted = frameSlot(type);
  // A run begins without a guess, or results would depend on runs before it.
  llvm::IRBuilder<>(frame->entry, std::next(noted->getIterator()))
      .CreateStore(b.getInt32(0), noted);
  clearNotes(*this, word);
  llvm::Value *before = b.CreateLoad(type, noted);
  llvm::Value *isUsual = b.CreateICmpEQ(before, b.getInt32(0));
  when(isUsual, emit);
  when(b.CreateNot(isUsual), [&] {
    inSubnormalRegion = true;
    emit();
    inSubnormalRegion = false;
  });
  b.CreateStore(b.CreateAnd(readControl(*this, word), notes), noted);
}

} // namespace xla::cpu
