//===- Random.cpp - rng_bit_generator -------------------------------------===//
//
// Counter-based generators of Salmon, Moraes, Dror, Shaw, "Parallel random
// numbers: as easy as 1, 2, 3" (SC 2011): Philox-4x32 with 10 rounds and
// Threefry-2x32 with 20.
//
//===----------------------------------------------------------------------===//

#include "xla/codegen/cpu/lower/Steps.h"
#include "xla/codegen/cpu/lower/elementwise/Elementwise.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

namespace xla::cpu {

using namespace stablehlo;
using mlir::Operation;
using mlir::Value;

namespace {
struct State {
  llvm::Value *key, *low, *high; ///< 64 bits each
};
} // namespace

static llvm::Value *lowHalf(Emitter &e, llvm::Value *x) {
  return e.builder().CreateTrunc(x, e.builder().getInt32Ty());
}
static llvm::Value *highHalf(Emitter &e, llvm::Value *x) {
  return lowHalf(e, e.builder().CreateLShr(x, 32));
}

/// The four words of block `j` after the state's counter.
static std::array<llvm::Value *, 4> philox(Emitter &e, State state,
                                           llvm::Value *j) {
  llvm::IRBuilder<> &b = e.builder();
  llvm::Value *low = b.CreateAdd(state.low, j);
  llvm::Value *carry =
      b.CreateZExt(b.CreateICmpULT(low, state.low), b.getInt64Ty());
  llvm::Value *high = b.CreateAdd(state.high, carry);
  std::array<llvm::Value *, 4> c = {lowHalf(e, low), highHalf(e, low),
                                    lowHalf(e, high), highHalf(e, high)};
  llvm::Value *k0 = lowHalf(e, state.key), *k1 = highHalf(e, state.key);
  auto product = [&](llvm::Value *x, uint32_t factor) {
    return b.CreateMul(b.CreateZExt(x, b.getInt64Ty()), b.getInt64(factor));
  };
  for (int round = 0; round < 10; ++round) {
    llvm::Value *p0 = product(c[0], 0xD2511F53),
                *p1 = product(c[2], 0xCD9E8D57);
    c = {b.CreateXor(b.CreateXor(highHalf(e, p1), c[1]), k0), lowHalf(e, p1),
         b.CreateXor(b.CreateXor(highHalf(e, p0), c[3]), k1), lowHalf(e, p0)};
    k0 = b.CreateAdd(k0, b.getInt32(0x9E3779B9));
    k1 = b.CreateAdd(k1, b.getInt32(0xBB67AE85));
  }
  return c;
}

/// The two words of the block with counter `counter`.
static std::array<llvm::Value *, 2> threefry(Emitter &e, llvm::Value *key,
                                             llvm::Value *counter) {
  llvm::IRBuilder<> &b = e.builder();
  llvm::Value *k0 = lowHalf(e, key), *k1 = highHalf(e, key);
  llvm::Value *k2 = b.CreateXor(b.CreateXor(k0, k1), b.getInt32(0x1BD11BDA));
  llvm::Value *keys[] = {k0, k1, k2};
  constexpr uint32_t rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  llvm::Value *x0 = b.CreateAdd(lowHalf(e, counter), k0);
  llvm::Value *x1 = b.CreateAdd(highHalf(e, counter), k1);
  for (uint32_t group = 0; group < 5; ++group) {
    for (uint32_t rotation : rotations[group % 2]) {
      x0 = b.CreateAdd(x0, x1);
      x1 = b.CreateIntrinsic(llvm::Intrinsic::fshl, {b.getInt32Ty()},
                             {x1, x1, b.getInt32(rotation)});
      x1 = b.CreateXor(x0, x1);
    }
    x0 = b.CreateAdd(x0, keys[(group + 1) % 3]);
    x1 = b.CreateAdd(b.CreateAdd(x1, keys[(group + 2) % 3]),
                     b.getInt32(group + 1));
  }
  return {x0, x1};
}

/// As many of the bits of a 64-bit number as the result's elements have.
static Element toElement(Emitter &e, llvm::Value *bits, Value result) {
  ElementType type = elementTypeOf(result.getType());
  llvm::IRBuilder<> &b = e.builder();
  llvm::Value *number = b.CreateTrunc(bits, b.getIntNTy(bitWidth(type)));
  if (isFloat(type)) {
    // The bits as an unsigned number, not as a float's representation.
    number = b.CreateZExt(number, b.getInt64Ty());
    return convertElement(e, {number}, ElementType::U64, type);
  }
  return {number};
}

static State loadState(Emitter &e, Value value) {
  BufferSlice slice = e.buffers.sliceOf(value);
  auto word = [&](int64_t i) {
    return e.load(ElementType::U64, slice, e.constant(i)).real;
  };
  State state = {word(0), word(1), nullptr};
  state.high = shapeOf(value)[0] > 2 ? word(2) : state.key;
  return state;
}

static void emitPhilox(Emitter &e, RngBitGeneratorOp op, Value bits) {
  ElementType type = elementTypeOf(bits.getType());
  BufferSlice slice = e.buffers.sliceOf(bits);
  int64_t count = elementCountOf(bits);
  bool wide = byteWidth(type) == 8;
  int64_t perBlock = wide ? 2 : 4;
  int64_t full = count / perBlock;
  Value state = op.getInitialState();
  auto elements = [&](llvm::Value *j) {
    llvm::IRBuilder<> &b = e.builder();
    auto words = philox(e, loadState(e, state), j);
    llvm::SmallVector<Element> values;
    for (int64_t i = 0; i < perBlock; ++i) {
      llvm::Value *word = b.CreateZExt(words[wide ? 2 * i : i], b.getInt64Ty());
      if (wide) {
        llvm::Value *upper = b.CreateZExt(words[2 * i + 1], b.getInt64Ty());
        word = b.CreateOr(word, b.CreateShl(upper, 32));
      }
      values.push_back(toElement(e, word, bits));
    }
    return values;
  };
  auto storeAt = [&](llvm::Value *j, int64_t i, Element element) {
    llvm::IRBuilder<> &b = e.builder();
    llvm::Value *first = b.CreateMul(j, e.constant(perBlock));
    e.store(type, slice, b.CreateAdd(first, e.constant(i)), element);
  };
  e.parallel(planTasks(full, 60), [&](llvm::Value *begin, llvm::Value *end) {
    e.loop(begin, end, [&](llvm::Value *j) {
      for (auto [i, element] : llvm::enumerate(elements(j))) {
        storeAt(j, static_cast<int64_t>(i), element);
      }
    });
  });
  if (int64_t rest = count % perBlock) {
    auto values = elements(e.constant(full));
    for (int64_t i = 0; i < rest; ++i) {
      storeAt(e.constant(full), i, values[i]);
    }
  }
}

/// The dimension along which neighbours share a block: the first of even size,
/// else the first of the largest; -1 for a scalar.
static int64_t pairedDimension(llvm::ArrayRef<int64_t> shape) {
  for (auto [d, size] : llvm::enumerate(shape)) {
    if (size % 2 == 0) {
      return static_cast<int64_t>(d);
    }
  }
  return shape.empty() ? -1 : llvm::max_element(shape) - shape.begin();
}

static int64_t emitThreefry(Emitter &e, RngBitGeneratorOp op, Value bits) {
  ElementType type = elementTypeOf(bits.getType());
  BufferSlice slice = e.buffers.sliceOf(bits);
  llvm::ArrayRef<int64_t> shape = shapeOf(bits);
  bool wide = byteWidth(type) == 8;
  llvm::SmallVector<int64_t> halves(shape);
  int64_t paired = wide ? -1 : pairedDimension(shape);
  if (paired >= 0) {
    halves[paired] = (halves[paired] + 1) / 2;
  }
  int64_t blocks = 1;
  for (int64_t size : halves) {
    blocks *= size;
  }
  Value state = op.getInitialState();
  constexpr int code = 80; // 20 rounds of addition, rotation and xor
  e.nest(planLoops(shape, wide || shape.size() <= 1, code, e.site(), {}, code),
         [&](const Index &index) {
           llvm::IRBuilder<> &b = e.builder();
           State now = loadState(e, state);
           llvm::Value *linear = e.linearOf(index, shape);
           llvm::Value *number = linear, *odd = nullptr;
           if (paired >= 0) {
             Index half;
             half.dims = e.dimsOf(index, shape);
             odd = b.CreateTrunc(half.dims[paired], b.getInt1Ty());
             half.dims[paired] = b.CreateLShr(half.dims[paired], 1);
             number = e.linearOf(half, halves);
           }
           auto words = threefry(e, now.key, b.CreateAdd(now.low, number));
           llvm::Value *word;
           if (wide) {
             word = b.CreateOr(
                 b.CreateZExt(words[0], b.getInt64Ty()),
                 b.CreateShl(b.CreateZExt(words[1], b.getInt64Ty()), 32));
           } else {
             word = odd ? b.CreateSelect(odd, words[1], words[0]) : words[0];
             word = b.CreateZExt(word, b.getInt64Ty());
           }
           e.store(type, slice, linear, toElement(e, word, bits));
         });
  return blocks;
}

void emitRngBitGenerator(Emitter &e, Operation *operation) {
  auto op = llvm::cast<RngBitGeneratorOp>(operation);
  Value state = op.getInitialState(), next = op->getResult(0),
        bits = op->getResult(1);
  if (elementTypeOf(state.getType()) != ElementType::U64 ||
      shapeOf(state).size() != 1 || shapeOf(state)[0] < 2 ||
      shapeOf(state)[0] > 3) {
    e.fail(op, "its state is not 2 or 3 words of 64 bits");
    return;
  }
  int64_t count = elementCountOf(bits);
  bool wide = byteWidth(elementTypeOf(bits.getType())) == 8;
  bool isPhilox = op.getRngAlgorithm() != RngAlgorithm::THREE_FRY;
  int64_t blocks;
  {
    Emitter::Writes written(e, e.buffers.sliceOf(bits));
    if (isPhilox) {
      int64_t words = wide ? 2 * count : count;
      blocks = (words + 3) / 4;
      emitPhilox(e, op, bits);
    } else {
      blocks = emitThreefry(e, op, bits);
    }
  }
  State now = loadState(e, state);
  llvm::Value *low = e.builder().CreateAdd(now.low, e.constant(blocks));
  BufferSlice slice = e.buffers.sliceOf(next);
  e.store(ElementType::U64, slice, e.constant(0), {now.key});
  e.store(ElementType::U64, slice, e.constant(1), {low});
  if (shapeOf(state)[0] > 2) {
    llvm::Value *carry = e.builder().CreateZExt(
        e.builder().CreateICmpULT(low, now.low), e.builder().getInt64Ty());
    llvm::Value *high =
        isPhilox ? e.builder().CreateAdd(now.high, carry) : now.high;
    e.store(ElementType::U64, slice, e.constant(2), {high});
  }
}

} // namespace xla::cpu
