//===- EmulateMatrices.cpp - Products by matrix units, emulated -----------===//

#include "xla/codegen/gpu/EmulateMatrices.h"

#include "xla/codegen/gpu/BindMatrices.h"
#include "xla/codegen/gpu/Intrinsics.h"
#include "xla/codegen/gpu/LowerKernel.h"
#include "xla/codegen/gpu/MatrixTiles.h"
#include "xla/dialect/ElementTypes.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"

#include <array>
#include <cmath>
#include <cstring>
#include <vector>

namespace xla::gpu {

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// The floats of one or two bytes that are multiplied.
static constexpr ElementType narrowFloats[] = {
    ElementType::BF16,     ElementType::F16,        ElementType::F8E5M2,
    ElementType::F8E4M3FN, ElementType::F8E4M3FNUZ,
};
static constexpr int32_t f32Kind = std::size(narrowFloats),
                         tf32Kind = f32Kind + 1, s8Kind = f32Kind + 2;

static int32_t kindOf(llvm::StringRef kind) {
  if (kind == "f32" || kind == "tf32") {
    return kind == "f32" ? f32Kind : tf32Kind;
  }
  const ElementType *found = llvm::find_if(narrowFloats, [&](ElementType type) {
    return kind == llvm::StringRef(name(type));
  });
  return found == std::end(narrowFloats)
             ? s8Kind
             : static_cast<int32_t>(found - narrowFloats);
}

/// The numbers of a type by their bits.
static std::vector<float> numbersOf(ElementType type) {
  const auto bits = static_cast<unsigned>(bitWidth(type));
  std::vector<float> numbers(size_t(1) << bits);
  for (auto [pattern, number] : llvm::enumerate(numbers)) {
    llvm::APFloat value(*semanticsOf(type), llvm::APInt(bits, pattern));
    bool losesInfo = false;
    value.convert(llvm::APFloat::IEEEsingle(),
                  llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    number = value.convertToFloat();
  }
  return numbers;
}

/// Those of all narrow floats, made once.
static const std::vector<float> &numbersOf(int32_t kind) {
  static const auto all = [] {
    std::vector<std::vector<float>> made;
    for (ElementType type : narrowFloats) {
      made.push_back(numbersOf(type));
    }
    return made;
  }();
  return all[static_cast<size_t>(kind)];
}

/// To 11 bits, halves away from zero.
static float roundToTf32(float x) {
  if (!std::isfinite(x)) {
    return x;
  }
  uint32_t bits = 0;
  std::memcpy(&bits, &x, sizeof bits);
  bits = (bits + 0x1000U) & ~0x1FFFU;
  std::memcpy(&x, &bits, sizeof bits);
  return x;
}

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

/// Where a word of a thread is in the 16 lines: the line, and its byte there.
static std::pair<size_t, size_t> wordAt(MatrixUnit unit, size_t lane,
                                        size_t word) {
  switch (unit) {
  case MatrixUnit::Mfma:
    return {lane % 16, lane / 16 * 8 + 4 * word};
  case MatrixUnit::Wmma:
    return {lane % 16, 4 * word};
  default:
    return {lane / 4 + word % 2 * 8, lane % 4 * 4 + word / 2 * 16};
  }
}

/// Row and column of a sum of a thread.
static std::pair<size_t, size_t> sumAt(MatrixUnit unit, size_t lane,
                                       size_t sum) {
  switch (unit) {
  case MatrixUnit::Mfma:
    return {lane / 16 * 4 + sum, lane % 16};
  case MatrixUnit::Wmma:
    return {2 * sum + lane / 16, lane % 16};
  default:
    return {lane / 4 + sum % 4 / 2 * 8, lane % 4 * 2 + sum / 4 * 8 + sum % 2};
  }
}

using Lines = std::array<std::array<unsigned char, 32>, 16>;

template <typename T>
static T elementAt(const std::array<unsigned char, 32> &line, size_t term) {
  T element;
  std::memcpy(&element, line.data() + term * sizeof(T), sizeof(T));
  return element;
}

static std::array<float, 32> floatsOf(const std::array<unsigned char, 32> &line,
                                      int32_t kind, size_t &count) {
  std::array<float, 32> floats = {};
  if (kind >= f32Kind) {
    count = 8;
    for (size_t k = 0; k < count; ++k) {
      float x = elementAt<float>(line, k);
      floats[k] = kind == tf32Kind ? roundToTf32(x) : x;
    }
    return floats;
  }
  const std::vector<float> &numbers = numbersOf(kind);
  const bool isByte = numbers.size() == 256;
  count = isByte ? 32 : 16;
  for (size_t k = 0; k < count; ++k) {
    floats[k] = numbers[isByte ? elementAt<uint8_t>(line, k)
                               : elementAt<uint16_t>(line, k)];
  }
  return floats;
}

void multiplyFragments(MatrixUnit unit, int32_t kind,
                       llvm::ArrayRef<LaneOperands> lanes) {
  Fragments fragments = fragmentsOf(unit);
  Lines left, right;
  for (size_t lane = 0; lane < lanes.size(); ++lane) {
    for (size_t word = 0; word < fragments.words; ++word) {
      auto [line, byte] = wordAt(unit, lane, word);
      std::memcpy(&left[line][byte], lanes[lane].left + word, 4);
      std::memcpy(&right[line][byte], lanes[lane].right + word, 4);
    }
  }
  std::array<std::array<float, 32>, 16> x, y;
  size_t terms = 32;
  for (size_t i = 0; i < 16 && kind != s8Kind; ++i) {
    x[i] = floatsOf(left[i], kind, terms);
    y[i] = floatsOf(right[i], kind, terms);
  }
  for (size_t lane = 0; lane < lanes.size(); ++lane) {
    for (size_t n = 0; n < fragments.sums; ++n) {
      auto [row, column] = sumAt(unit, lane, n);
      if (kind == s8Kind) {
        auto *sum = static_cast<uint32_t *>(lanes[lane].sums) + n;
        for (size_t k = 0; k < terms; ++k) {
          *sum += static_cast<uint32_t>(elementAt<int8_t>(left[row], k) *
                                        elementAt<int8_t>(right[column], k));
        }
        continue;
      }
      auto *sum = static_cast<float *>(lanes[lane].sums) + n;
      for (size_t k = 0; k < terms; ++k) {
        *sum = std::fma(x[row][k], y[column][k], *sum);
      }
    }
  }
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

namespace {

class MatrixExpansion {
public:
  MatrixExpansion(llvm::Function &function, MatrixUnit unit,
                  const llvm::DenseMap<const llvm::Value *, int> &buffers)
      : function(function), unit(unit), buffers(buffers) {}

  llvm::Value *expand(llvm::CallInst &call);

private:
  llvm::Value *multiply(llvm::CallInst &call, llvm::StringRef kind);
  void fetch(llvm::CallInst &call);

  llvm::Function &function;
  MatrixUnit unit;
  const llvm::DenseMap<const llvm::Value *, int> &buffers;
};

} // namespace

llvm::Value *MatrixExpansion::multiply(llvm::CallInst &call,
                                       llvm::StringRef kind) {
  llvm::IRBuilder<> b(&call);
  llvm::IRBuilder<> atStart(&*function.getEntryBlock().getFirstInsertionPt());
  llvm::SmallVector<llvm::Value *> arguments = {
      b.getInt32(static_cast<uint32_t>(kindOf(kind)))};
  for (llvm::Value *words : call.args()) {
    llvm::Value *slot = atStart.CreateAlloca(words->getType());
    b.CreateStore(words, slot);
    arguments.push_back(slot);
  }
  callProcessor(b, multiplyLanesSymbol, b.getVoidTy(), arguments);
  return b.CreateLoad(call.getType(), arguments[1]);
}

void MatrixExpansion::fetch(llvm::CallInst &call) {
  llvm::IRBuilder<> b(&call);
  llvm::SmallVector<llvm::Value *> arguments, pointers;
  for (unsigned n : {0, 1}) {
    llvm::Value *pointer = call.getArgOperand(n);
    llvm::Value *base = llvm::getUnderlyingObject(pointer, 0);
    llvm::Type *word = b.getInt64Ty();
    arguments.push_back(
        b.getInt32(static_cast<uint32_t>(buffers.lookup(base))));
    arguments.push_back(b.CreateSub(b.CreatePtrToInt(pointer, word),
                                    b.CreatePtrToInt(base, word)));
    pointers.push_back(b.CreateAddrSpaceCast(pointer, b.getPtrTy()));
  }
  arguments.push_back(call.getArgOperand(2));
  arguments.push_back(call.getArgOperand(3));
  arguments.append(pointers.begin(), pointers.end());
  callProcessor(b, checkedFetchSymbol, b.getVoidTy(), arguments);
}

llvm::Value *MatrixExpansion::expand(llvm::CallInst &call) {
  llvm::StringRef symbol = call.getCalledFunction()->getName();
  if (symbol.consume_front(multiplySymbol)) {
    return multiply(call, symbol);
  }
  if (symbol == fetchSymbol) {
    fetch(call);
    return nullptr;
  }
  llvm::IRBuilder<> b(&call);
  llvm::Value *lane =
      b.CreateURem(callProcessor(b, threadSymbol, b.getInt32Ty(), {}),
                   b.getInt32(static_cast<uint32_t>(fragmentsOf(unit).lanes)));
  return loadFragment(b, unit, lane, call);
}

void expandMatrices(llvm::Function &function, MatrixUnit unit,
                    const llvm::DenseMap<const llvm::Value *, int> &buffers) {
  llvm::SmallVector<llvm::CallInst *> calls;
  for (llvm::Instruction &instruction : llvm::instructions(function)) {
    auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    const llvm::Function *callee = call ? call->getCalledFunction() : nullptr;
    if (callee && (callee->getName() == fetchSymbol ||
                   callee->getName().starts_with("xla.gpu.matrix."))) {
      calls.push_back(call);
    }
  }
  for (llvm::CallInst *call : calls) {
    if (llvm::Value *value =
            MatrixExpansion(function, unit, buffers).expand(*call)) {
      call->replaceAllUsesWith(value);
    }
    call->eraseFromParent();
  }
}

} // namespace xla::gpu
