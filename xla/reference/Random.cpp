//===- Random.cpp - Counter-based random bits -----------------------------===//
//
// Threefry-2x32 and Philox-4x32: J. K. Salmon, M. A. Moraes, R. O. Dror,
// D. E. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC11.
//
//===----------------------------------------------------------------------===//

#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/reference/Interpreter.h"

#include <array>
#include <bit>

using namespace mlir;

namespace xla::reference {

using Words = std::array<uint32_t, 4>;

/// 20 rounds; words 0 and 1 of the result count.
static Words threefry(uint64_t key, uint64_t counter) {
  uint32_t k0 = key, k1 = key >> 32;
  const uint32_t keys[3] = {k0, k1, k0 ^ k1 ^ 0x1BD11BDAu};
  static constexpr int rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  uint32_t x0 = uint32_t(counter) + keys[0];
  uint32_t x1 = uint32_t(counter >> 32) + keys[1];
  for (int group = 0; group < 5; ++group) {
    for (int rotation : rotations[group % 2]) {
      x0 += x1;
      x1 = std::rotl(x1, rotation) ^ x0;
    }
    x0 += keys[(group + 1) % 3];
    x1 += keys[(group + 2) % 3] + group + 1;
  }
  return {x0, x1, 0, 0};
}

static Words philox(uint64_t key, uint64_t low, uint64_t high) {
  uint32_t k0 = key, k1 = key >> 32;
  Words c = {uint32_t(low), uint32_t(low >> 32), uint32_t(high),
             uint32_t(high >> 32)};
  for (int round = 0; round < 10; ++round) {
    uint64_t p0 = uint64_t(c[0]) * 0xD2511F53u;
    uint64_t p1 = uint64_t(c[2]) * 0xCD9E8D57u;
    c = {uint32_t(p1 >> 32) ^ c[1] ^ k0, uint32_t(p1),
         uint32_t(p0 >> 32) ^ c[3] ^ k1, uint32_t(p0)};
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return c;
}

/// Writes raw bits, whatever the element type.
static void setBits(Tensor &out, int64_t i, uint64_t bits) {
  if (kindOf(out.type()) == Kind::Integer) {
    out.setInteger(i, bits);
    return;
  }
  std::memcpy(out.mutableData() + i * out.width(), &bits, out.width());
}

/// Returns the new counter.
static uint64_t fillThreefry(uint64_t key, uint64_t counter, Tensor &out) {
  if (out.width() == 8) {
    for (int64_t i = 0; i < out.count(); ++i) {
      Words words = threefry(key, counter + i);
      setBits(out, i, words[0] | uint64_t(words[1]) << 32);
    }
    return counter + out.count();
  }
  // A block gives two words: one dimension is halved, neighbours share one.
  Sizes half(out.sizes());
  int64_t split = -1;
  for (int64_t i = 0; i < out.rank() && split < 0; ++i) {
    split = half[i] % 2 == 0 ? i : -1;
  }
  for (int64_t i = 0; i < out.rank() && (split < 0 || half[split] % 2 != 0);
       ++i) {
    split = split < 0 || half[i] > half[split] ? i : split;
  }
  if (split >= 0) {
    half[split] = (half[split] + 1) / 2;
  }
  Sizes strides = stridesOf(half);
  int64_t position = 0, blocks = 1;
  for (int64_t size : half) {
    blocks *= size;
  }
  forEachIndex(out.sizes(), [&](Index index) {
    Sizes element(index.begin(), index.end());
    bool isOdd = split >= 0 && element[split] % 2 != 0;
    if (split >= 0) {
      element[split] /= 2;
    }
    Words words = threefry(key, counter + positionOf(element, strides));
    setBits(out, position++, words[isOdd ? 1 : 0]);
    return true;
  });
  return counter + blocks;
}

/// Advances the counter, 128 bits in two words.
static void fillPhilox(uint64_t key, uint64_t &low, uint64_t &high,
                       Tensor &out) {
  int64_t perElement = out.width() == 8 ? 2 : 1;
  Words words = {};
  int64_t used = 4;
  auto next = [&]() {
    if (used == 4) {
      words = philox(key, low, high);
      high += ++low == 0 ? 1 : 0;
      used = 0;
    }
    return words[used++];
  };
  for (int64_t i = 0; i < out.count(); ++i) {
    uint64_t bits = next();
    if (perElement == 2) {
      bits |= uint64_t(next()) << 32;
    }
    setBits(out, i, bits);
  }
}

static Status evaluateRngBitGenerator(const Step &step) {
  auto op = cast<stablehlo::RngBitGeneratorOp>(step.op);
  const Tensor &state = step.operands[0];
  bool isThreefry = op.getRngAlgorithm() == stablehlo::RngAlgorithm::THREE_FRY;
  if (state.type() != ElementType::U64 || state.rank() != 1 ||
      (state.count() != 2 && state.count() != 3)) {
    return unimplemented("the state has to be ui64[2] or ui64[3]");
  }
  XLA_ASSIGN_OR_RETURN(Tensor after, step.zeros(0));
  XLA_ASSIGN_OR_RETURN(Tensor out, step.zeros(1));
  if (kindOf(out.type()) == Kind::Complex) {
    return unimplemented("random bits as complex numbers");
  }
  uint64_t key = state.integer(0), low = state.integer(1);
  uint64_t high = state.count() == 3 ? state.integer(2) : key;
  if (isThreefry) {
    low = fillThreefry(key, low, out);
  } else {
    fillPhilox(key, low, high, out);
  }
  after.setInteger(0, key);
  after.setInteger(1, low);
  if (state.count() == 3) {
    after.setInteger(2, high);
  }
  step.results.append({std::move(after), std::move(out)});
  return okStatus();
}

void addRandom(Handlers &handlers) {
  handlers["stablehlo.rng_bit_generator"] = evaluateRngBitGenerator;
}

} // namespace xla::reference
