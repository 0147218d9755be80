//===- Vectors.h - Elements of lanes, their way to memory -------*- C++ -*-===//
//
// BUILD compiles what includes this once for each instruction set, with
// JAXLIB_LANES_BYTES the size of its vectors. Hence all is local to a file: the
// linker could take a copy that was compiled for another processor.
//
//===----------------------------------------------------------------------===//

#ifndef JAXLIB_LAPACK_LANES_VECTORS_H
#define JAXLIB_LAPACK_LANES_VECTORS_H

#include "jaxlib/lapack/lanes/Lanes.h"

namespace jaxlib::lapack::lanes {
namespace {

/// V is an element of all lanes, M what a comparison of two of them answers:
/// all bits or none. W is a vector of the processor.
template <typename T>
struct Types;
template <>
struct Types<float> {
  typedef float V __attribute__((vector_size(64)));
  typedef int32_t M __attribute__((vector_size(64)));
  typedef float W __attribute__((vector_size(JAXLIB_LANES_BYTES)));
  static constexpr float epsilon = 0x1p-24F;   ///< half the last place of one
  static constexpr float smallest = 0x1p-126F; ///< normal number
  static constexpr float greatest = 0x1.fffffep+127F;
  static constexpr int fractionBits = 23, exponentBias = 127;
};
template <>
struct Types<double> {
  typedef double V __attribute__((vector_size(64)));
  typedef int64_t M __attribute__((vector_size(64)));
  typedef double W __attribute__((vector_size(JAXLIB_LANES_BYTES)));
  static constexpr double epsilon = 0x1p-53;
  static constexpr double smallest = 0x1p-1022;
  static constexpr double greatest = 0x1.fffffffffffffp+1023;
  static constexpr int fractionBits = 52, exponentBias = 1023;
};

template <typename T>
using V = typename Types<T>::V;
template <typename T>
using M = typename Types<T>::M;

/// A row's number in all lanes.
template <typename T>
M<T> splat(int64_t number) {
  return M<T>{} + static_cast<decltype(+M<T>{}[0])>(number);
}

template <typename X>
X sqrt(X x) {
  return __builtin_elementwise_sqrt(x);
}
template <typename X>
X absolute(X x) {
  return __builtin_elementwise_abs(x);
}
template <typename X>
X maximum(X x, X y) {
  return x > y ? x : y;
}
template <typename X>
X signOf(X size, X sign) {
  return __builtin_elementwise_copysign(size, sign);
}

template <typename X>
bool any(X mask) {
  return __builtin_reduce_or(mask) != 0;
}

/// Bits of the lanes, as kernels answer.
template <typename T>
Done bits(M<T> mask) {
  Done found = 0;
  for (int64_t lane = 0; lane < width<T>; ++lane) {
    found |= Done(mask[lane] & 1) << lane;
  }
  return found;
}

/// 2^-e where x = f * 2^e with 1 <= f < 2; of zero and subnormal numbers a
/// power that makes no infinities of them.
template <typename T>
V<T> inversePower(V<T> x) {
  constexpr int shift = Types<T>::fractionBits;
  constexpr int bias = Types<T>::exponentBias;
  union {
    V<T> number;
    M<T> bits;
  } pun;
  pun.number = x;
  const M<T> exponent = (pun.bits >> shift) & (2 * bias + 1);
  M<T> inverse = 2 * bias - exponent;
  inverse = inverse < 1 ? M<T>{} + 1 : inverse;
  inverse = inverse > 2 * bias - 1 ? M<T>{} + (2 * bias - 1) : inverse;
  pun.bits = inverse << shift;
  return pun.number;
}

//===----------------------------------------------------------------------===//
// Between memory and lanes
//===----------------------------------------------------------------------===//

template <typename I, I... values>
struct Sequence {};

/// Lanes of a vector of the processor.
template <typename T>
constexpr int narrow = JAXLIB_LANES_BYTES / sizeof(T);

template <typename T>
using Indices = __make_integer_seq<Sequence, int, narrow<T>>;

/// In each square of 2 * d numbers by 2 * d, exchanges the upper right and the
/// lower left quarter; a is the upper of two rows, b the one d below.
template <typename W, int d, int... i>
void exchange(W &a, W &b, Sequence<int, i...>) {
  constexpr int w = sizeof...(i);
  const W upper = __builtin_shufflevector(a, b, (i & d ? w + i - d : i)...);
  b = __builtin_shufflevector(a, b, (i & d ? w + i : i + d)...);
  a = upper;
}

/// Transposes a square of numbers, a row in a vector.
template <typename T, int d = narrow<T> / 2>
void transpose(typename Types<T>::W *rows) {
  if constexpr (d > 0) {
#pragma unroll
    for (int i = 0; i < narrow<T>; ++i) {
      if (!(i & d)) {
        exchange<typename Types<T>::W, d>(rows[i], rows[i + d], Indices<T>());
      }
    }
    transpose<T, d / 2>(rows);
  }
}

/// Element i of matrix `lane` is at from[lane * size + i]; there are `count`
/// matrices, and the last one stands for those missing.
template <typename T>
void load(int64_t count, int64_t size, const T *from, V<T> *to) {
  constexpr int w = narrow<T>;
  for (int64_t first = 0; first < width<T>; first += w) {
    const T *lane[w];
    for (int64_t i = 0; i < w; ++i) {
      lane[i] = from + (first + i < count ? first + i : count - 1) * size;
    }
    if (size < w) {
      for (int64_t e = 0; e < size; ++e) {
        for (int64_t i = 0; i < w; ++i) {
          to[e][first + i] = lane[i][e];
        }
      }
      continue;
    }
    for (int64_t next = 0; next < size; next += w) {
      const int64_t e = next + w <= size ? next : size - w;
      typename Types<T>::W rows[w];
#pragma unroll
      for (int i = 0; i < w; ++i) {
        __builtin_memcpy(&rows[i], lane[i] + e, sizeof(rows[i]));
      }
      transpose<T>(rows);
#pragma unroll
      for (int i = 0; i < w; ++i) {
        __builtin_memcpy(reinterpret_cast<T *>(to + e + i) + first, &rows[i],
                         sizeof(rows[i]));
      }
    }
  }
}

/// The way back, for those matrices that are done.
template <typename T>
void store(Done done, int64_t size, const V<T> *from, T *to) {
  constexpr int w = narrow<T>;
  for (int64_t first = 0; first < width<T>; first += w) {
    T *base = to + first * size;
    const Done here = done >> first;
    if (size < w) {
      for (int64_t i = 0; i < w; ++i) {
        for (int64_t e = 0; e < size && (here >> i & 1); ++e) {
          base[i * size + e] = from[e][first + i];
        }
      }
      continue;
    }
    for (int64_t next = 0; next < size; next += w) {
      const int64_t e = next + w <= size ? next : size - w;
      typename Types<T>::W rows[w];
#pragma unroll
      for (int i = 0; i < w; ++i) {
        __builtin_memcpy(&rows[i],
                         reinterpret_cast<const T *>(from + e + i) + first,
                         sizeof(rows[i]));
      }
      transpose<T>(rows);
#pragma unroll
      for (int i = 0; i < w; ++i) {
        if (here >> i & 1) {
          __builtin_memcpy(base + i * size + e, &rows[i], sizeof(rows[i]));
        }
      }
    }
  }
}

/// Bits of the first `count` lanes.
inline Done firstLanes(int64_t count) {
  return static_cast<Done>((uint64_t(1) << count) - 1);
}

/// Where every one of `size` elements is finite.
template <typename T>
M<T> areFinite(int64_t size, const V<T> *x) {
  M<T> fine = M<T>{} - 1;
  for (int64_t i = 0; i < size; ++i) {
    fine &= absolute(x[i]) <= Types<T>::greatest;
  }
  return fine;
}

/// The greatest absolute value of `size` elements, at least 0.
template <typename T>
V<T> greatestOf(int64_t size, const V<T> *x) {
  V<T> found{};
  for (int64_t i = 0; i < size; ++i) {
    found = maximum(absolute(x[i]), found);
  }
  return found;
}

template <typename T>
void scaleAll(int64_t size, V<T> *x, V<T> factor) {
  for (int64_t i = 0; i < size; ++i) {
    x[i] *= factor;
  }
}

//===----------------------------------------------------------------------===//
// Reflections
//===----------------------------------------------------------------------===//

/// x[0..size) becomes (beta, rest of v) with v = (1, rest of v) and
/// (1 - tau v v') x = (beta, 0, ..., 0); returns tau, which is 0 where there is
/// nothing to reflect. Elements are scaled by the greatest on the way; lanes
/// whose greatest is subnormal are no longer fine.
template <typename T>
V<T> reflect(int64_t size, V<T> *x, M<T> &fine) {
  const V<T> rest = greatestOf<T>(size - 1, x + 1);
  const V<T> greatest = maximum(rest, absolute(x[0]));
  fine &= (greatest >= Types<T>::smallest) | (greatest == 0);
  const M<T> isNeeded = rest > 0;
  const V<T> scale = isNeeded ? 1 / greatest : V<T>{};
  V<T> sum{};
  for (int64_t i = 0; i < size; ++i) {
    const V<T> y = x[i] * scale;
    sum += y * y;
  }
  const V<T> alpha = x[0];
  const V<T> beta = -signOf(greatest * sqrt(sum), alpha);
  const V<T> factor = isNeeded ? 1 / (alpha - beta) : V<T>{} + 1;
  for (int64_t i = 1; i < size; ++i) {
    x[i] *= factor;
  }
  x[0] = isNeeded ? beta : alpha;
  return isNeeded ? (beta - alpha) / beta : V<T>{};
}

/// y -= tau v (v' y), where v[0] counts as 1.
template <typename T>
void applyReflection(int64_t size, const V<T> *v, V<T> tau, V<T> *y) {
  V<T> sum = y[0];
  for (int64_t i = 1; i < size; ++i) {
    sum += v[i] * y[i];
  }
  sum *= tau;
  y[0] -= sum;
  for (int64_t i = 1; i < size; ++i) {
    y[i] -= v[i] * sum;
  }
}

} // namespace
} // namespace jaxlib::lapack::lanes

#endif // JAXLIB_LAPACK_LANES_VECTORS_H
