//===- BindMatrices.cpp - Copies and products of a target -----------------===//

#include "xla/codegen/gpu/BindMatrices.h"

#include "xla/codegen/gpu/Intrinsics.h"
#include "xla/codegen/gpu/LowerKernel.h"
#include "xla/codegen/gpu/MatrixTiles.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

namespace xla::gpu {

using llvm::Value;
using Builder = llvm::IRBuilder<>;
namespace Intrinsic = llvm::Intrinsic;

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

static Value *number(Builder &b, int64_t value) {
  return b.getInt32(static_cast<uint32_t>(value));
}

/// A type as the names of neutral functions say it.
static llvm::StringRef kindOf(ElementType type) { return name(type); }

static bool isTrue(const Value *flag) {
  return llvm::cast<llvm::ConstantInt>(flag)->isOne();
}

namespace {

/// Loads of one operand: 16 lines, 32 bytes of each, in four cells.
class FragmentLoads {
public:
  FragmentLoads(Builder &b, MatrixUnit unit, Value *lane, llvm::CallInst &call)
      : b(b), unit(unit), lane(lane), cells(call.getArgOperand(0)),
        isByLines(isTrue(call.getArgOperand(1))), type(call.getType()) {}

  Value *load();

private:
  Value *times(Value *x, int64_t y) { return b.CreateMul(x, number(b, y)); }
  Value *part(int64_t unit) { return b.CreateUDiv(lane, number(b, unit)); }
  Value *rest(Value *x, int64_t unit) {
    return b.CreateURem(x, number(b, unit));
  }
  Value *at(Value *offset, int64_t more) {
    return b.CreateInBoundsGEP(b.getInt8Ty(), cells,
                               b.CreateAdd(offset, number(b, more)));
  }
  Value *elementsByLines(Value *line, Value *term, unsigned count);

  Builder &b;
  MatrixUnit unit;
  Value *lane, *cells;
  bool isByLines;
  llvm::Type *type;
};

} // namespace

/// `count` elements of 2 bytes of a line, from a term on, which is a multiple
/// of their number.
Value *FragmentLoads::elementsByLines(Value *line, Value *term,
                                      unsigned count) {
  Value *offset = b.CreateAdd(
      times(b.CreateUDiv(line, number(b, cellLines)), lineGroupBytes),
      times(rest(line, cellLines), 2));
  offset = b.CreateAdd(
      offset, times(b.CreateUDiv(term, number(b, cellLines)), cellBytes));
  offset = b.CreateAdd(offset, times(rest(term, cellLines), 16));
  llvm::Type *element = b.getInt16Ty();
  Value *all =
      llvm::PoisonValue::get(llvm::FixedVectorType::get(element, count));
  for (unsigned i = 0; i < count; ++i) {
    int64_t more = i / cellLines * cellBytes + i % cellLines * 16;
    all = b.CreateInsertElement(
        all, b.CreateAlignedLoad(element, at(offset, more), llvm::Align(2)), i);
  }
  return b.CreateBitCast(all,
                         llvm::FixedVectorType::get(b.getInt32Ty(), count / 2));
}

Value *FragmentLoads::load() {
  Value *line = rest(lane, 16);
  Value *ofLine = b.CreateAdd(
      times(b.CreateUDiv(line, number(b, cellLines)), lineGroupBytes),
      times(rest(line, cellLines), 16));
  auto words = [&](Value *offset, int64_t more, unsigned count) {
    return b.CreateAlignedLoad(
        llvm::FixedVectorType::get(b.getInt32Ty(), count), at(offset, more),
        llvm::Align(4 * count));
  };
  switch (unit) {
  case MatrixUnit::Mfma: {
    // Every 16 threads have 8 bytes of the lines.
    Value *eight = part(16);
    if (isByLines) {
      return elementsByLines(line, times(eight, 4), 4);
    }
    Value *offset = b.CreateAdd(
        ofLine, b.CreateAdd(times(b.CreateUDiv(eight, number(b, 2)), cellBytes),
                            times(rest(eight, 2), 8)));
    return words(offset, 0, 2);
  }
  case MatrixUnit::Wmma: {
    // Both halves of the threads have all 32 bytes of a line.
    if (isByLines) {
      return elementsByLines(line, number(b, 0), 16);
    }
    return b.CreateShuffleVector(words(ofLine, 0, 4),
                                 words(ofLine, cellBytes, 4),
                                 {0, 1, 2, 3, 4, 5, 6, 7});
  }
  default: {
    Value *result = llvm::PoisonValue::get(type);
    for (unsigned i = 0; i < 4; ++i) {
      Value *own = b.CreateAdd(part(4), number(b, i % 2 * 8));
      Value *word = nullptr;
      if (isByLines) {
        Value *term =
            b.CreateAdd(times(rest(lane, 4), 2), number(b, i / 2 * 8));
        word = elementsByLines(own, term, 2);
        word = b.CreateExtractElement(word, uint64_t(0));
      } else {
        Value *offset =
            b.CreateAdd(times(part(4), 16), times(rest(lane, 4), 4));
        word = b.CreateAlignedLoad(
            b.getInt32Ty(),
            at(offset, i % 2 * lineGroupBytes + i / 2 * cellBytes),
            llvm::Align(4));
      }
      result = b.CreateInsertElement(result, word, i);
    }
    return result;
  }
  }
}

Value *loadFragment(Builder &b, MatrixUnit unit, Value *lane,
                    llvm::CallInst &call) {
  return FragmentLoads(b, unit, lane, call).load();
}

//===----------------------------------------------------------------------===//
// Floats in parts
//===----------------------------------------------------------------------===//

/// Floats of a byte as f16, which has all of them: two words for each word.
static Value *widenSmallFloats(Builder &b, Value *words, llvm::StringRef kind) {
  unsigned count =
      4 * llvm::cast<llvm::FixedVectorType>(words->getType())->getNumElements();
  auto *bytes = llvm::FixedVectorType::get(b.getInt8Ty(), count);
  auto *wide = llvm::FixedVectorType::get(b.getInt16Ty(), count);
  auto *half = llvm::FixedVectorType::get(b.getHalfTy(), count);
  auto all = [&](uint64_t value) {
    return llvm::ConstantInt::get(wide, value);
  };
  Value *x = b.CreateZExt(b.CreateBitCast(words, bytes), wide);
  Value *bits = nullptr;
  if (kind == kindOf(ElementType::F8E5M2)) {
    bits = b.CreateShl(x, all(8)); // its upper half
  } else {
    // The exponent's bias is 8 or 7 less: a power of two makes up for it.
    bool isFnuz = kind == kindOf(ElementType::F8E4M3FNUZ);
    Value *magnitude = b.CreateShl(b.CreateAnd(x, all(0x7F)), all(7));
    Value *sign = b.CreateShl(b.CreateAnd(x, all(0x80)), all(8));
    Value *scaled =
        b.CreateFMul(b.CreateBitCast(b.CreateOr(magnitude, sign), half),
                     llvm::ConstantFP::get(half, isFnuz ? 128 : 256));
    Value *isNan = isFnuz
                       ? b.CreateICmpEQ(x, all(0x80))
                       : b.CreateICmpEQ(b.CreateAnd(x, all(0x7F)), all(0x7F));
    bits = b.CreateSelect(isNan, all(0x7E00), b.CreateBitCast(scaled, wide));
  }
  return b.CreateBitCast(bits,
                         llvm::FixedVectorType::get(b.getInt32Ty(), count / 2));
}

/// `count` words from `first` on.
static Value *slice(Builder &b, Value *words, unsigned first, unsigned count) {
  llvm::SmallVector<int> lanes;
  for (unsigned i = 0; i < count; ++i) {
    lanes.push_back(static_cast<int>(first + i));
  }
  return b.CreateShuffleVector(words, lanes);
}

namespace {

/// An f32 as the sum of three numbers of fewer bits: each is what is left, cut
/// off behind `bits` bits. `finite` is the first one, or 0 for what is not
/// finite, of which the others are 0: so infinities meet no other zero than
/// the program's own.
struct Parts {
  Parts(Builder &b, Value *words, unsigned bits);
  Value *first, *second, *third, *finite;
};

} // namespace

Parts::Parts(Builder &b, Value *words, unsigned bits) {
  llvm::Type *type = words->getType();
  auto *floats = llvm::VectorType::get(
      b.getFloatTy(), llvm::cast<llvm::VectorType>(type)->getElementCount());
  auto all = [&](uint32_t x) { return llvm::ConstantInt::get(type, x); };
  Value *keep = all(~((1U << (24 - bits)) - 1));
  auto asFloat = [&](Value *x) { return b.CreateBitCast(x, floats); };
  Value *isFinite =
      b.CreateICmpULT(b.CreateAnd(words, all(0x7FFFFFFF)), all(0x7F800000));
  Value *isNumber =
      b.CreateICmpULE(b.CreateAnd(words, all(0x7FFFFFFF)), all(0x7F800000));
  // A NaN stays one whose first bits are cut off.
  first = b.CreateSelect(isNumber, b.CreateAnd(words, keep), all(0x7FC00000));
  finite = b.CreateSelect(isFinite, first, all(0));
  auto rest = [&](Value *x, Value *taken) {
    return b.CreateBitCast(b.CreateFSub(asFloat(x), asFloat(taken)), type);
  };
  Value *left = b.CreateSelect(isFinite, rest(words, first), all(0));
  second = b.CreateAnd(left, keep);
  third = rest(left, second);
}

//===----------------------------------------------------------------------===//
// NVIDIA
//===----------------------------------------------------------------------===//

namespace {

class NvidiaMatrices {
public:
  NvidiaMatrices(Builder &b, const Target &target) : b(b), target(target) {}

  Value *load(llvm::CallInst &call, Value *thread);
  Value *multiply(llvm::StringRef kind, Value *sums, Value *x, Value *y);
  Value *multiplyFromMemory(llvm::StringRef kind, llvm::CallInst &call);
  void fetch(llvm::CallInst &call);
  void await(Value *groups);

private:
  Value *multiplyWords(Intrinsic::ID id, Value *sums, Value *x, Value *y,
                       bool asHalves = false);
  /// Of 8 columns at once.
  Value *multiplyF32(Value *sums, Value *x, Value *y);
  bool hasSmallFloats() const {
    llvm::StringRef chip = target.chip;
    return chip.starts_with("sm_1"); // of sm_89 in PTX 8.4
  }

  Builder &b;
  const Target &target;
};

} // namespace

Value *NvidiaMatrices::load(llvm::CallInst &call, Value *thread) {
  // Each 8 threads say where the rows of one cell are.
  auto part = [&](int64_t unit, int64_t size) {
    return b.CreateURem(b.CreateUDiv(thread, number(b, unit)), number(b, size));
  };
  Value *offset = b.CreateMul(part(1, 8), number(b, 16));
  offset =
      b.CreateAdd(offset, b.CreateMul(part(8, 2), number(b, lineGroupBytes)));
  offset = b.CreateAdd(offset, b.CreateMul(part(16, 2), number(b, cellBytes)));
  bool isByLines = isTrue(call.getArgOperand(1));
  Value *words = b.CreateIntrinsic(
      isByLines ? Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x4_trans_b16
                : Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x4_b16,
      {call.getArgOperand(0)->getType()},
      {b.CreateInBoundsGEP(b.getInt8Ty(), call.getArgOperand(0), offset)});
  Value *result = llvm::PoisonValue::get(call.getType());
  for (unsigned i = 0; i < 4; ++i) {
    result = b.CreateInsertElement(result, b.CreateExtractValue(words, i), i);
  }
  return result;
}

/// An instruction has 8 columns: two make 16.
Value *NvidiaMatrices::multiplyWords(Intrinsic::ID id, Value *sums, Value *x,
                                     Value *y, bool asHalves) {
  auto *halves = llvm::FixedVectorType::get(b.getHalfTy(), 2);
  auto word = [&](Value *words, unsigned i) {
    Value *one = b.CreateExtractElement(words, i);
    return asHalves ? b.CreateBitCast(one, halves) : one;
  };
  for (unsigned half = 0; half < 2; ++half) {
    llvm::SmallVector<Value *> arguments;
    for (unsigned i = 0; i < 4; ++i) {
      arguments.push_back(word(x, i));
    }
    arguments.push_back(word(y, half));
    arguments.push_back(word(y, half + 2));
    for (unsigned i = 0; i < 4; ++i) {
      arguments.push_back(b.CreateExtractElement(sums, 4 * half + i));
    }
    Value *made = b.CreateIntrinsic(id, {}, arguments);
    for (unsigned i = 0; i < 4; ++i) {
      sums = b.CreateInsertElement(sums, b.CreateExtractValue(made, i),
                                   4 * half + i);
    }
  }
  return sums;
}

/// f32 as three numbers of 11 bits: of the nine products the six largest, those
/// with the least first.
Value *NvidiaMatrices::multiplyF32(Value *sums, Value *x, Value *y) {
  Parts left(b, x, 11), right(b, y, 11);
  std::pair<Value *, Value *> products[] = {
      {left.third, right.finite},  {left.finite, right.third},
      {left.second, right.second}, {left.second, right.finite},
      {left.finite, right.second}, {left.first, right.first}};
  for (auto &[one, other] : products) {
    sums = multiplyWords(Intrinsic::nvvm_mma_m16n8k8_row_col_tf32, sums, one,
                         other);
  }
  return sums;
}

Value *NvidiaMatrices::multiply(llvm::StringRef kind, Value *sums, Value *x,
                                Value *y) {
  if (kind == "f32") {
    return multiplyF32(sums, x, y);
  }
  if (kind == "tf32") {
    auto round = [&](Value *words) {
      for (unsigned i = 0; i < 4; ++i) {
        Value *one =
            b.CreateBitCast(b.CreateExtractElement(words, i), b.getFloatTy());
        words = b.CreateInsertElement(
            words, b.CreateIntrinsic(Intrinsic::nvvm_f2tf32_rna, {}, {one}), i);
      }
      return words;
    };
    return multiplyWords(Intrinsic::nvvm_mma_m16n8k8_row_col_tf32, sums,
                         round(x), round(y));
  }
  if (kind == "bf16") {
    return multiplyWords(Intrinsic::nvvm_mma_m16n8k16_row_col_bf16, sums, x, y);
  }
  if (kind == "f16") {
    return multiplyWords(Intrinsic::nvvm_mma_m16n8k16_row_col_f32_f32, sums, x,
                         y, true);
  }
  if (kind == "s8") {
    return multiplyWords(Intrinsic::nvvm_mma_m16n8k32_row_col_s8, sums, x, y);
  }
  bool isE5m2 = kind == kindOf(ElementType::F8E5M2);
  if (hasSmallFloats() && (isE5m2 || kind == kindOf(ElementType::F8E4M3FN))) {
    return multiplyWords(
        isE5m2 ? Intrinsic::nvvm_mma_m16n8k32_row_col_f32_e5m2_e5m2_f32
               : Intrinsic::nvvm_mma_m16n8k32_row_col_f32_e4m3_e4m3_f32,
        sums, x, y);
  }
  // As f16: both operands' terms are taken in the same other order.
  Value *left = widenSmallFloats(b, x, kind);
  Value *right = widenSmallFloats(b, y, kind);
  for (int first : {0, 4}) {
    auto half = [&](Value *words) {
      return b.CreateShuffleVector(words,
                                   {first, first + 2, first + 1, first + 3});
    };
    sums = multiplyWords(Intrinsic::nvvm_mma_m16n8k16_row_col_f32_f32, sums,
                         half(left), half(right), true);
  }
  return sums;
}

/// Where the cells of an operand are, as wgmma reads it: 16 bytes are a unit of
/// the address, of the way to the next terms, and to the next 8 lines.
static Value *describeOperand(Builder &b, Value *cells, Value *lineGroups) {
  Value *address = b.CreatePtrToInt(cells, b.getInt64Ty());
  auto position = [&](Value *x, uint64_t shift) {
    x = b.CreateLShr(b.CreateAnd(x, b.getInt64(0x3FFFF)), b.getInt64(4));
    return b.CreateShl(x, b.getInt64(shift));
  };
  Value *both = b.CreateOr(
      position(address, 0),
      b.CreateOr(position(b.getInt64(cellBytes), 16),
                 position(b.CreateZExt(lineGroups, b.getInt64Ty()), 32)));
  return both;
}

/// Both steps of a stage, and the wait for them, in one text: nothing reads the
/// sums in between.
Value *NvidiaMatrices::multiplyFromMemory(llvm::StringRef kind,
                                          llvm::CallInst &call) {
  Value *sums = call.getArgOperand(0);
  auto *type = llvm::cast<llvm::FixedVectorType>(sums->getType());
  unsigned count = type->getNumElements();
  bool isWhole = type->getElementType()->isIntegerTy();
  llvm::StringRef element = kind == kindOf(ElementType::F8E4M3FN) ? "e4m3"
                            : kind == kindOf(ElementType::F8E5M2) ? "e5m2"
                                                                  : kind;
  unsigned terms = kind == "tf32"                    ? 8
                   : kind == "bf16" || kind == "f16" ? 16
                                                     : 32;
  std::string list, text, constraints, ties;
  for (unsigned i = 0; i < count; ++i) {
    list += (i ? ",$" : "$") + std::to_string(i);
    constraints += isWhole ? "=r," : "=f,";
    ties += "," + std::to_string(i);
  }
  auto flag = [&](unsigned n) {
    return isTrue(call.getArgOperand(n)) ? ", 1" : ", 0";
  };
  std::string end = isWhole ? "" : ", 1, 1";
  if (terms == 16) {
    end += flag(4);
    end += flag(5);
  }
  text = "{ .reg .pred p; setp.ne.b32 p, 1, 0; wgmma.fence.sync.aligned; ";
  for (unsigned step = 0; step < 2; ++step) {
    text += "wgmma.mma_async.sync.aligned.m64n" + std::to_string(2 * count) +
            "k" + std::to_string(terms) + (isWhole ? ".s32." : ".f32.") +
            element.str() + "." + element.str() + " {" + list + "}, $" +
            std::to_string(count + 2 * step) + ", $" +
            std::to_string(count + 2 * step + 1) + ", p" + end + "; ";
  }
  text += "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0; }";
  constraints += "l,l,l,l" + ties + ",~{memory}";
  llvm::SmallVector<Value *> arguments;
  Value *left =
      describeOperand(b, call.getArgOperand(1), number(b, lineGroupBytes));
  Value *right =
      describeOperand(b, call.getArgOperand(2), call.getArgOperand(3));
  Value *next = b.getInt64(2 * cellBytes / 16);
  arguments = {left, right, b.CreateAdd(left, next), b.CreateAdd(right, next)};
  for (unsigned i = 0; i < count; ++i) {
    arguments.push_back(b.CreateExtractElement(sums, i));
  }
  llvm::SmallVector<llvm::Type *> types, results(count, type->getElementType());
  for (Value *argument : arguments) {
    types.push_back(argument->getType());
  }
  auto *function = llvm::FunctionType::get(
      llvm::StructType::get(b.getContext(), results), types, false);
  llvm::CallInst *made = b.CreateCall(
      llvm::InlineAsm::get(function, text, constraints, true), arguments);
  made->setConvergent();
  for (unsigned i = 0; i < count; ++i) {
    sums = b.CreateInsertElement(sums, b.CreateExtractValue(made, i), i);
  }
  return sums;
}

void NvidiaMatrices::fetch(llvm::CallInst &call) {
  auto bytes =
      llvm::cast<llvm::ConstantInt>(call.getArgOperand(2))->getZExtValue();
  Intrinsic::ID id =
      bytes == 16  ? Intrinsic::nvvm_cp_async_cg_shared_global_16_s
      : bytes == 8 ? Intrinsic::nvvm_cp_async_ca_shared_global_8_s
                   : Intrinsic::nvvm_cp_async_ca_shared_global_4_s;
  Value *there = b.CreateSelect(call.getArgOperand(3), call.getArgOperand(2),
                                number(b, 0));
  b.CreateIntrinsic(id, {},
                    {call.getArgOperand(0), call.getArgOperand(1), there});
}

void NvidiaMatrices::await(Value *groups) {
  b.CreateIntrinsic(Intrinsic::nvvm_cp_async_wait_group, {}, {groups});
  if (target.unit == MatrixUnit::Wgmma) {
    // wgmma reads memory by another way than what has written it.
    b.CreateCall(llvm::InlineAsm::get(
        llvm::FunctionType::get(b.getVoidTy(), false),
        "fence.proxy.async.shared::cta;", "~{memory}", true));
  }
}

//===----------------------------------------------------------------------===//
// AMD
//===----------------------------------------------------------------------===//

namespace {

class AmdMatrices {
public:
  AmdMatrices(Builder &b, const Target &target) : b(b), target(target) {}

  Value *multiply(llvm::StringRef kind, Value *sums, Value *x, Value *y);

private:
  Value *multiplyBy64(llvm::StringRef kind, Value *sums, Value *x, Value *y);
  Value *multiplyBy32(llvm::StringRef kind, Value *sums, Value *x, Value *y);
  Value *multiplyF32By32(Value *sums, Value *x, Value *y);
  Value *mfma(Intrinsic::ID id, Value *sums, Value *x, Value *y) {
    Value *zero = number(b, 0);
    return b.CreateIntrinsic(id, {}, {x, y, sums, zero, zero, zero});
  }
  Value *wmma(Intrinsic::ID id, Value *sums, Value *x, Value *y) {
    return b.CreateIntrinsic(id, {sums->getType(), x->getType()}, {x, y, sums});
  }
  bool is942() const { return target.chip == "gfx942"; }
  Value *cast(Value *words, llvm::Type *element, unsigned count) {
    return b.CreateBitCast(words, llvm::FixedVectorType::get(element, count));
  }

  Builder &b;
  const Target &target;
};

} // namespace

Value *AmdMatrices::multiply(llvm::StringRef kind, Value *sums, Value *x,
                             Value *y) {
  return target.unit == MatrixUnit::Mfma ? multiplyBy64(kind, sums, x, y)
                                         : multiplyBy32(kind, sums, x, y);
}

/// Where an instruction takes half of the words, it takes the first of each
/// thread, and another one the second: terms are summed in another order.
Value *AmdMatrices::multiplyBy64(llvm::StringRef kind, Value *sums, Value *x,
                                 Value *y) {
  auto byWords = [&](Intrinsic::ID id, llvm::Type *type) {
    for (unsigned i = 0; i < 2; ++i) {
      auto word = [&](Value *words) {
        return b.CreateBitCast(b.CreateExtractElement(words, i), type);
      };
      sums = mfma(id, sums, word(x), word(y));
    }
    return sums;
  };
  llvm::Type *whole = b.getInt64Ty();
  if (kind == "bf16") {
    return mfma(Intrinsic::amdgcn_mfma_f32_16x16x16bf16_1k, sums,
                cast(x, b.getInt16Ty(), 4), cast(y, b.getInt16Ty(), 4));
  }
  if (kind == "f16") {
    return mfma(Intrinsic::amdgcn_mfma_f32_16x16x16f16, sums,
                cast(x, b.getHalfTy(), 4), cast(y, b.getHalfTy(), 4));
  }
  if (kind == "s8") {
    return is942()
               ? mfma(Intrinsic::amdgcn_mfma_i32_16x16x32_i8, sums,
                      b.CreateBitCast(x, whole), b.CreateBitCast(y, whole))
               : byWords(Intrinsic::amdgcn_mfma_i32_16x16x16i8, b.getInt32Ty());
  }
  if (kind == "tf32" && is942()) {
    return mfma(Intrinsic::amdgcn_mfma_f32_16x16x8_xf32, sums,
                cast(x, b.getFloatTy(), 2), cast(y, b.getFloatTy(), 2));
  }
  if (kind == "f32" || kind == "tf32") {
    return byWords(Intrinsic::amdgcn_mfma_f32_16x16x4f32, b.getFloatTy());
  }
  if (kind == kindOf(ElementType::F8E4M3FNUZ) && is942()) {
    return mfma(Intrinsic::amdgcn_mfma_f32_16x16x32_fp8_fp8, sums,
                b.CreateBitCast(x, whole), b.CreateBitCast(y, whole));
  }
  Value *left = widenSmallFloats(b, x, kind);
  Value *right = widenSmallFloats(b, y, kind);
  for (unsigned first : {0, 2}) {
    sums = multiplyBy64("f16", sums, slice(b, left, first, 2),
                        slice(b, right, first, 2));
  }
  return sums;
}

/// f32 as three numbers of bf16, of 8 bits each: an instruction takes 16 terms,
/// which are two of the six largest products of 8 terms.
Value *AmdMatrices::multiplyF32By32(Value *sums, Value *x, Value *y) {
  Parts left(b, x, 8), right(b, y, 8);
  auto both = [&](Value *one, Value *other) {
    auto *wide = llvm::FixedVectorType::get(b.getInt16Ty(), 8);
    auto upper = [&](Value *words) {
      return b.CreateTrunc(
          b.CreateLShr(words, llvm::ConstantInt::get(words->getType(), 16)),
          wide);
    };
    llvm::SmallVector<int> lanes;
    for (int i = 0; i < 16; ++i) {
      lanes.push_back(i);
    }
    return b.CreateShuffleVector(upper(one), upper(other), lanes);
  };
  auto add = [&](Value *one, Value *other) {
    sums = wmma(Intrinsic::amdgcn_wmma_f32_16x16x16_bf16, sums, one, other);
  };
  add(both(left.third, left.finite), both(right.finite, right.third));
  add(both(left.second, left.second), both(right.second, right.finite));
  add(both(left.finite, left.first), both(right.second, right.first));
  return sums;
}

Value *AmdMatrices::multiplyBy32(llvm::StringRef kind, Value *sums, Value *x,
                                 Value *y) {
  if (kind == "bf16") {
    return wmma(Intrinsic::amdgcn_wmma_f32_16x16x16_bf16, sums,
                cast(x, b.getInt16Ty(), 16), cast(y, b.getInt16Ty(), 16));
  }
  if (kind == "f16") {
    return wmma(Intrinsic::amdgcn_wmma_f32_16x16x16_f16, sums,
                cast(x, b.getHalfTy(), 16), cast(y, b.getHalfTy(), 16));
  }
  if (kind == "f32" || kind == "tf32") {
    return multiplyF32By32(sums, x, y);
  }
  if (kind == "s8") {
    for (unsigned first : {0, 4}) {
      Value *left = slice(b, x, first, 4), *right = slice(b, y, first, 4);
      sums = b.CreateIntrinsic(
          Intrinsic::amdgcn_wmma_i32_16x16x16_iu8,
          {sums->getType(), left->getType()},
          {b.getTrue(), left, b.getTrue(), right, sums, b.getFalse()});
    }
    return sums;
  }
  Value *left = widenSmallFloats(b, x, kind);
  Value *right = widenSmallFloats(b, y, kind);
  for (unsigned first : {0, 8}) {
    sums = multiplyBy32("f16", sums, slice(b, left, first, 8),
                        slice(b, right, first, 8));
  }
  return sums;
}

/// A copy by a register: a piece that is not there is read from where one is.
static void fetchByRegister(Builder &b, llvm::CallInst &call) {
  auto bytes = static_cast<unsigned>(
      llvm::cast<llvm::ConstantInt>(call.getArgOperand(2))->getZExtValue());
  auto *type = llvm::FixedVectorType::get(b.getInt32Ty(), bytes / 4);
  llvm::Align align(bytes);
  Value *piece = b.CreateAlignedLoad(type, call.getArgOperand(1), align);
  piece = b.CreateSelect(call.getArgOperand(3), piece,
                         llvm::Constant::getNullValue(type));
  b.CreateAlignedStore(piece, call.getArgOperand(0), align);
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

static Value *bindCall(llvm::CallInst &call, const Target &target) {
  Builder b(&call);
  llvm::StringRef symbol = call.getCalledFunction()->getName();
  bool isNvidia = target.vendor == Vendor::Nvidia;
  NvidiaMatrices nvidia(b, target);
  auto thread = [&] {
    return callProcessor(b, threadSymbol, b.getInt32Ty(), {});
  };
  if (symbol == fetchSymbol) {
    isNvidia ? nvidia.fetch(call) : fetchByRegister(b, call);
  } else if (symbol == fetchedSymbol && isNvidia) {
    b.CreateIntrinsic(Intrinsic::nvvm_cp_async_commit_group,
                      llvm::ArrayRef<Value *>());
  } else if (symbol == awaitSymbol && isNvidia) {
    nvidia.await(call.getArgOperand(0));
  } else if (symbol == fetchedSymbol || symbol == awaitSymbol) {
    // AMD's loads stay before the products, and their use behind them.
    b.CreateIntrinsic(Intrinsic::amdgcn_sched_barrier, {number(b, 0)});
  } else if (symbol == loadMatrixSymbol) {
    Value *lane =
        b.CreateURem(thread(), number(b, fragmentsOf(target.unit).lanes));
    return isNvidia ? nvidia.load(call, lane)
                    : loadFragment(b, target.unit, lane, call);
  } else if (symbol.consume_front(multiplyFromMemorySymbol)) {
    return nvidia.multiplyFromMemory(symbol.split('.').second, call);
  } else if (symbol.consume_front(multiplySymbol)) {
    Value *sums = call.getArgOperand(0), *left = call.getArgOperand(1),
          *right = call.getArgOperand(2);
    return isNvidia
               ? nvidia.multiply(symbol, sums, left, right)
               : AmdMatrices(b, target).multiply(symbol, sums, left, right);
  }
  return nullptr;
}

void bindMatrices(llvm::Module &module, const Target &target) {
  for (llvm::Function &function : llvm::make_early_inc_range(module)) {
    llvm::StringRef name = function.getName();
    if (!name.starts_with(fetchSymbol) &&
        !name.starts_with("xla.gpu.matrix.")) {
      continue;
    }
    for (llvm::User *user : llvm::make_early_inc_range(function.users())) {
      auto *call = llvm::cast<llvm::CallInst>(user);
      if (Value *value = bindCall(*call, target)) {
        call->replaceAllUsesWith(value);
      }
      call->eraseFromParent();
    }
    function.eraseFromParent();
  }
}

} // namespace xla::gpu
