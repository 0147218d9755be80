#include "xla/runtime/cpu/kernels/WordGemm.h"

#include <immintrin.h>

// Products of tiles of 16 rows of 16 words (Intel AMX). Instructions for
// bfloat16 take subnormal numbers for zero, factors and sums alike. So it is
// found out while packing how small numbers are: sums of their products are
// multiples of the smallest one's last place, and where that may be below what
// a normal number is, the tile is multiplied by vectors of floats instead.

namespace xla::cpu {

namespace {
constexpr int vectorWords = 16;
constexpr int tileRows = 12;

#pragma clang attribute push(                                                  \
    __attribute__((                                                            \
        target("avx512f,avx512vl,avx512bw,avx512dq,avx512vbmi,prfchw,"         \
               "amx-tile,amx-int8,amx-bf16"))),                                \
    apply_to = function)

#include "xla/runtime/cpu/kernels/WordGemm.inc"

/// What the tile registers are: all of them 16 rows of 64 bytes.
struct alignas(64) TileShapes {
  uint8_t palette = 1, start = 0, unused[14] = {};
  uint16_t bytesOfRow[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
constexpr TileShapes shapes;

constexpr int64_t side = 16; ///< rows and words of a tile

struct SignedSigned {
  using Sum = uint32_t;
#define XLA_MULTIPLY(instruction)                                              \
  template <int sum, int a, int b>                                             \
  static inline __attribute__((always_inline)) void multiply() {               \
    instruction(sum, a, b);                                                    \
  }
  XLA_MULTIPLY(_tile_dpbssd)
};
struct SignedUnsigned {
  using Sum = uint32_t;
  XLA_MULTIPLY(_tile_dpbsud)
};
struct UnsignedSigned {
  using Sum = uint32_t;
  XLA_MULTIPLY(_tile_dpbusd)
};
struct UnsignedUnsigned {
  using Sum = uint32_t;
  XLA_MULTIPLY(_tile_dpbuud)
};
struct BrainFloats {
  using Sum = float;
  XLA_MULTIPLY(_tile_dpbf16ps)
};
#undef XLA_MULTIPLY

/// Fetches four rows of what the next group will write: the processor does not
/// see short rows coming.
template <typename Sum>
inline __attribute__((always_inline)) void fetchRows(const Sum *&next,
                                                     int64_t stride) {
  for (int64_t i = 0; i < 4; ++i) {
    __builtin_prefetch(next, 1);
    __builtin_prefetch(next + side, 1);
    next += stride;
  }
}

/// Sums of `high` by `wide` tiles, in tile registers 0 to 3, go to `to`.
template <typename Op, int high, int wide>
inline __attribute__((always_inline)) void
sumTiles(int64_t words, const uint32_t *a, const uint32_t *b,
         typename Op::Sum *to, int64_t stride, const typename Op::Sum *next,
         int64_t nextStride) {
  constexpr int64_t rowBytes = strideOfA * 4, lineBytes = columnsOfPanel * 4;
  _tile_zero(0);
  if constexpr (wide == 2) {
    _tile_zero(1);
  }
  if constexpr (high == 2) {
    _tile_zero(2);
  }
  if constexpr (high == 2 && wide == 2) {
    _tile_zero(3);
  }
  for (int64_t w = 0; w < words; w += side) {
    if (w < side * rowsOfGroup / 4) {
      fetchRows(next, nextStride);
    }
    const uint32_t *line = b + w * columnsOfPanel;
    _tile_loadd(6, line, lineBytes);
    _tile_loadd(4, a + w, rowBytes);
    Op::template multiply<0, 4, 6>();
    if constexpr (wide == 2) {
      _tile_loadd(7, line + side, lineBytes);
      Op::template multiply<1, 4, 7>();
    }
    if constexpr (high == 2) {
      _tile_loadd(5, a + side * strideOfA + w, rowBytes);
      Op::template multiply<2, 5, 6>();
    }
    if constexpr (high == 2 && wide == 2) {
      Op::template multiply<3, 5, 7>();
    }
  }
  _tile_stored(0, to, stride * 4);
  if constexpr (wide == 2) {
    _tile_stored(1, to + side, stride * 4);
  }
  if constexpr (high == 2) {
    _tile_stored(2, to + side * stride, stride * 4);
  }
  if constexpr (high == 2 && wide == 2) {
    _tile_stored(3, to + side * stride + side, stride * 4);
  }
}

/// A group of rows times a panel.
template <typename Op>
void multiplyGroup(int64_t rows, int64_t columns, int64_t words,
                   const uint32_t *a, const uint32_t *b, typename Op::Sum *c,
                   int64_t cStride, bool accumulates) {
  using Sum = typename Op::Sum;
  const Sum *next = c + rowsOfGroup * cStride;
  if (!accumulates && rows == 2 * side && columns == 2 * side) {
    sumTiles<Op, 2, 2>(words, a, b, c, cStride, next, cStride);
    return;
  }
  alignas(64) Sum sums[2 * side][2 * side];
  constexpr int64_t stride = 2 * side;
  if (rows > side) {
    columns > side
        ? sumTiles<Op, 2, 2>(words, a, b, *sums, stride, next, cStride)
        : sumTiles<Op, 2, 1>(words, a, b, *sums, stride, next, cStride);
  } else {
    columns > side
        ? sumTiles<Op, 1, 2>(words, a, b, *sums, stride, next, cStride)
        : sumTiles<Op, 1, 1>(words, a, b, *sums, stride, next, cStride);
  }
  for (int64_t i = 0; i < rows; ++i) {
    Sum *row = c + i * cStride;
    for (int64_t j = 0; j < columns; ++j) {
      row[j] = accumulates ? row[j] + sums[i][j] : sums[i][j];
    }
  }
}

/// Calls `body` with the first row and the number of rows of each group.
template <typename Body>
inline __attribute__((always_inline)) void forGroups(int64_t rows, Body body) {
  _tile_loadconfig(&shapes);
  for (int64_t i = 0; i < rows; i += rowsOfGroup) {
    body(i, rows - i < rowsOfGroup ? rows - i : rowsOfGroup);
  }
  _tile_release();
}

template <typename Op>
void multiplyBytes(int64_t rows, int64_t columns, int64_t words,
                   const uint32_t *a, const int32_t *, const uint32_t *b,
                   int32_t, void *c, int64_t cStride, bool accumulates) {
  auto *sums = static_cast<uint32_t *>(c);
  forGroups(rows, [&](int64_t i, int64_t count) __attribute__((always_inline)) {
    multiplyGroup<Op>(count, columns, words, a + i * strideOfA, b,
                      sums + i * cStride, cStride, accumulates);
  });
}

//===----------------------------------------------------------------------===//
// bfloat16
//===----------------------------------------------------------------------===//

/// Pairs of bfloat16 in vectors of floats, subnormal ones included.
struct FloatPairs {
  using Sum = float;
  typedef float Sums __attribute__((vector_size(4 * vectorWords)));
  static Sums add(Sums sums, Words x, Words y) {
    Words upper = Words{} + 0xffff0000u;
    sums += (Sums)(x << 16) * (Sums)(y << 16);
    return sums + (Sums)(x & upper) * (Sums)(y & upper);
  }
  static Sums correct(Sums sums, int32_t) { return sums; }
};

constexpr int32_t nothing = 0xffff; ///< all numbers are zero

/// The least magnitude of numbers that are not zero, as bits, less 1.
inline uint16_t leastOf(int64_t words, const uint32_t *from) {
  auto *halves = reinterpret_cast<const uint16_t *>(from);
  uint16_t least = nothing;
  for (int64_t i = 0; i < 2 * words; ++i) {
    auto magnitude = uint16_t((halves[i] & 0x7fff) - 1);
    least = magnitude < least ? magnitude : least;
  }
  return least;
}

using PackedFloats = Numbers<uint16_t, uint16_t, 0>;

void packRowsOfFloats(int64_t rows, int64_t count, const WordSource &source,
                      uint32_t *to, int32_t *facts) {
  packRows<PackedFloats>(rows, count, source, to);
  for (int64_t i = 0; i < rows; ++i) {
    facts[i] = leastOf((count + 1) / 2, to + i * strideOfA);
  }
}

int32_t packPanelOfFloats(int64_t columns, int64_t count,
                          const WordSource &source, uint32_t *to) {
  packPanel<PackedFloats>(columns, count, source, to);
  return leastOf((count + 1) / 2 * columnsOfPanel, to);
}

/// Whether all products of such numbers, and all sums of them, are zero or
/// normal.
bool areNormal(int32_t leastOfA, int32_t leastOfB) {
  if (leastOfA == nothing || leastOfB == nothing) {
    return true;
  }
  constexpr int32_t bias = 127, digits = 7, leastExponent = -126;
  int32_t a = (leastOfA + 1) >> digits, b = (leastOfB + 1) >> digits;
  return a > 0 && b > 0 &&
         (a - bias - digits) + (b - bias - digits) >= leastExponent;
}

void multiplyFloats(int64_t rows, int64_t columns, int64_t words,
                    const uint32_t *a, const int32_t *factsOfA,
                    const uint32_t *b, int32_t factOfB, void *c,
                    int64_t cStride, bool accumulates) {
  auto *sums = static_cast<float *>(c);
  forGroups(rows, [&](int64_t i, int64_t count) __attribute__((always_inline)) {
    int32_t least = nothing;
    for (int64_t r = i; r < i + count; ++r) {
      least = factsOfA[r] < least ? factsOfA[r] : least;
    }
    if (areNormal(least, factOfB)) {
      multiplyGroup<BrainFloats>(count, columns, words, a + i * strideOfA, b,
                                 sums + i * cStride, cStride, accumulates);
    } else {
      multiplyPanel<FloatPairs>(count, columns, words, a + i * strideOfA,
                                factsOfA + i, b, factOfB, sums + i * cStride,
                                cStride, accumulates);
    }
  });
}

#pragma clang attribute pop

constexpr int64_t grain = 1 << 22;

template <typename A, typename B, typename Op>
constexpr WordKernels kernelsOf() {
  using Left = Numbers<A, uint8_t, 0>;
  using Right = Numbers<B, uint8_t, 0>;
  return {1,
          4,
          grain,
          packRowsAlone<Left>,
          packPanelAlone<Right>,
          multiplyBytes<Op>,
          nullptr,
          dotLines<A, B>,
          dotLines<B, A>};
}

constexpr ByteKernels kernels = {
    kernelsOf<int8_t, int8_t, SignedSigned>(),
    kernelsOf<int8_t, uint8_t, SignedUnsigned>(),
    kernelsOf<uint8_t, int8_t, UnsignedSigned>(),
    kernelsOf<uint8_t, uint8_t, UnsignedUnsigned>(),
};

constexpr WordKernels floatKernels = {2,
                                      2,
                                      grain,
                                      packRowsOfFloats,
                                      packPanelOfFloats,
                                      multiplyFloats,
                                      nullptr,
                                      nullptr,
                                      nullptr};
} // namespace

const ByteKernels &bytesForAmx() { return kernels; }
const WordKernels &brainFloatsForAmx() { return floatKernels; }

} // namespace xla::cpu
