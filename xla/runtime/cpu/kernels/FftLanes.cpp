//===- FftLanes.cpp - Many transforms side by side ------------------------===//
//
// Stockham's autosorting form, decimation in frequency. Each stage of length
// n = r * m and stride s computes
//
//   y[q + s * (r * p + j)] =
//       w_n^(p * j) * sum over k of w_r^(j * k) * x[q + s * (p + m * k)]
//
// The first stage takes its elements from memory, the last one brings them
// there, a tile at a time, so that no pass only moves.
//
// References: Stockham, High-speed convolution and correlation, 1966;
// Temperton, Self-sorting mixed-radix fast Fourier transforms, 1983; Good, The
// interaction algorithm and practical Fourier analysis, 1958.
//
// BUILD compiles this file with XLA_FFT_TARGET naming an instruction set and
// XLA_FFT_BYTES the size of its vectors. It includes no header with inline
// functions: the linker could take the copy that was compiled for another
// processor.
//
//===----------------------------------------------------------------------===//

#include "xla/runtime/cpu/kernels/FftLanes.h"

namespace xla::fft {

namespace {

template <typename T>
struct VectorOf;
template <>
struct VectorOf<float> {
  typedef float type __attribute__((vector_size(XLA_FFT_BYTES)));
};
template <>
struct VectorOf<double> {
  typedef double type __attribute__((vector_size(XLA_FFT_BYTES)));
};

/// An element of some lanes: with vectors of 64 bytes, of all.
template <typename T>
struct Complex {
  using V = typename VectorOf<T>::type;
  V re;
  V im;
};

/// A complex number in memory.
template <typename T>
struct Number {
  T re;
  T im;
};

/// Elements are `parts` vectors of `width` lanes.
constexpr int64_t parts = 64 / XLA_FFT_BYTES;
template <typename T>
constexpr int width = XLA_FFT_BYTES / sizeof(T);

template <typename T>
Complex<T> operator+(Complex<T> a, Complex<T> b) {
  return {a.re + b.re, a.im + b.im};
}
template <typename T>
Complex<T> operator-(Complex<T> a, Complex<T> b) {
  return {a.re - b.re, a.im - b.im};
}
template <typename T>
Complex<T> operator*(Complex<T> a, Complex<T> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <typename T>
Complex<T> scale(Complex<T> a, T factor) {
  return {a.re * factor, a.im * factor};
}
/// a times -i.
template <typename T>
Complex<T> turn(Complex<T> a) {
  return {a.im, -a.re};
}

//===----------------------------------------------------------------------===//
// Butterflies: transforms of few elements, in place
//===----------------------------------------------------------------------===//

template <typename T, int radix>
struct Butterfly;

template <typename T>
struct Butterfly<T, 2> {
  static void run(Complex<T> *x) {
    const auto difference = x[0] - x[1];
    x[0] = x[0] + x[1];
    x[1] = difference;
  }
};

template <typename T>
struct Butterfly<T, 3> {
  static void run(Complex<T> *x) {
    constexpr T half = T(0.5);
    constexpr T root = T(0.866025403784438646763723170752936183L);
    const auto sum = x[1] + x[2];
    const auto side = turn(scale(x[1] - x[2], root));
    const auto middle = x[0] - scale(sum, half);
    x[0] = x[0] + sum;
    x[1] = middle + side;
    x[2] = middle - side;
  }
};

template <typename T>
struct Butterfly<T, 4> {
  static void run(Complex<T> *x) {
    const auto even = x[0] + x[2];
    const auto odd = x[1] + x[3];
    const auto evenSide = x[0] - x[2];
    const auto oddSide = turn(x[1] - x[3]);
    x[0] = even + odd;
    x[1] = evenSide + oddSide;
    x[2] = even - odd;
    x[3] = evenSide - oddSide;
  }
};

template <typename T>
struct Butterfly<T, 5> {
  static void run(Complex<T> *x) {
    constexpr T cos1 = T(0.309016994374947424102293417182819059L);
    constexpr T cos2 = T(-0.809016994374947424102293417182819059L);
    constexpr T sin1 = T(0.951056516295153572116439333379382143L);
    constexpr T sin2 = T(0.587785252292473129168705954639072769L);
    const auto outer = x[1] + x[4];
    const auto inner = x[2] + x[3];
    const auto outerSide = x[1] - x[4];
    const auto innerSide = x[2] - x[3];
    const auto middle1 = x[0] + scale(outer, cos1) + scale(inner, cos2);
    const auto middle2 = x[0] + scale(outer, cos2) + scale(inner, cos1);
    const auto side1 = turn(scale(outerSide, sin1) + scale(innerSide, sin2));
    const auto side2 = turn(scale(outerSide, sin2) - scale(innerSide, sin1));
    x[0] = x[0] + outer + inner;
    x[1] = middle1 + side1;
    x[2] = middle2 + side2;
    x[3] = middle2 - side2;
    x[4] = middle1 - side1;
  }
};

template <typename T>
struct Butterfly<T, 8> {
  static void run(Complex<T> *x) {
    constexpr T root = T(0.707106781186547524400844362104849039L);
    Complex<T> even[4] = {x[0], x[2], x[4], x[6]};
    Complex<T> odd[4] = {x[1], x[3], x[5], x[7]};
    Butterfly<T, 4>::run(even);
    Butterfly<T, 4>::run(odd);
    odd[1] = scale(odd[1] + turn(odd[1]), root);
    odd[2] = turn(odd[2]);
    odd[3] = scale(turn(odd[3]) - odd[3], root);
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      x[j] = even[j] + odd[j];
      x[j + 4] = even[j] - odd[j];
    }
  }
};

/// a * b for coprime a and b: Good's form, without factors between.
template <typename T, int a, int b>
struct CoprimeButterfly {
  static void run(Complex<T> *x) {
    Complex<T> grid[a][b];
#pragma unroll
    for (int i = 0; i < a; ++i) {
#pragma unroll
      for (int j = 0; j < b; ++j) {
        grid[i][j] = x[(b * i + a * j) % (a * b)];
      }
      Butterfly<T, b>::run(grid[i]);
    }
#pragma unroll
    for (int j = 0; j < b; ++j) {
      Complex<T> column[a];
#pragma unroll
      for (int i = 0; i < a; ++i) {
        column[i] = grid[i][j];
      }
      Butterfly<T, a>::run(column);
#pragma unroll
      for (int i = 0; i < a; ++i) {
        grid[i][j] = column[i];
      }
    }
#pragma unroll
    for (int k = 0; k < a * b; ++k) {
      x[k] = grid[k % a][k % b];
    }
  }
};

template <typename T>
struct Butterfly<T, 6> : CoprimeButterfly<T, 2, 3> {};
template <typename T>
struct Butterfly<T, 10> : CoprimeButterfly<T, 2, 5> {};

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

/// Butterflies for all p < pCount and q < qCount. Each takes x[p * xp + q +
/// k * xk] and gives y[p * yp + q + j * yj].
template <typename T>
struct Pass {
  const Complex<T> *x;
  int64_t xp, xk;
  Complex<T> *y;
  int64_t yp, yj;
  int64_t pCount, qCount;
  const T *twiddle;
};

template <typename T>
Complex<T> timesTwiddle(Complex<T> a, const T *twiddle) {
  const T c = twiddle[0];
  const T d = twiddle[1];
  return {a.re * c - a.im * d, a.re * d + a.im * c};
}

template <typename T, int radix, bool hasTwiddles>
void fixedPass(const Pass<T> &pass) {
  for (int64_t p = 0; p < pass.pCount; ++p) {
    const Complex<T> *x = pass.x + p * pass.xp;
    Complex<T> *y = pass.y + p * pass.yp;
    const T *twiddle = pass.twiddle + p * 2 * (radix - 1);
    for (int64_t q = 0; q < pass.qCount; ++q) {
      Complex<T> v[radix];
#pragma unroll
      for (int k = 0; k < radix; ++k) {
        v[k] = x[q + k * pass.xk];
      }
      Butterfly<T, radix>::run(v);
      y[q] = v[0];
#pragma unroll
      for (int j = 1; j < radix; ++j) {
        y[q + j * pass.yj] =
            hasTwiddles ? timesTwiddle(v[j], twiddle + 2 * (j - 1)) : v[j];
      }
    }
  }
}

/// Any odd radix, by its definition; elements k and radix - k together.
template <typename T>
void oddPass(const Pass<T> &pass, int64_t radix, const T *roots) {
  const int64_t half = radix / 2;
  for (int64_t p = 0; p < pass.pCount; ++p) {
    const T *twiddle = pass.twiddle + p * 2 * (radix - 1);
    for (int64_t q = 0; q < pass.qCount; ++q) {
      const Complex<T> *x = pass.x + p * pass.xp + q;
      Complex<T> *y = pass.y + p * pass.yp + q;
      const Complex<T> zeroth = x[0];
      Complex<T> sums[largestRadix / 2];
      Complex<T> differences[largestRadix / 2];
      Complex<T> total = zeroth;
      for (int64_t k = 1; k <= half; ++k) {
        const auto a = x[k * pass.xk];
        const auto b = x[(radix - k) * pass.xk];
        sums[k - 1] = a + b;
        differences[k - 1] = a - b;
        total = total + sums[k - 1];
      }
      y[0] = total;
      for (int64_t j = 1; j <= half; ++j) {
        Complex<T> middle = zeroth;
        Complex<T> side = zeroth - zeroth;
        int64_t power = 0;
        for (int64_t k = 0; k < half; ++k) {
          power += j;
          power -= power >= radix ? radix : 0;
          middle = middle + scale(sums[k], roots[2 * power]);
          side = side - scale(differences[k], roots[2 * power + 1]);
        }
        side = turn(side);
        y[j * pass.yj] = timesTwiddle(middle + side, twiddle + 2 * (j - 1));
        y[(radix - j) * pass.yj] =
            timesTwiddle(middle - side, twiddle + 2 * (radix - j - 1));
      }
    }
  }
}

template <typename T, int radix>
void fixedPass(const Pass<T> &pass, const Stage &stage) {
  if (stage.remaining == 1) {
    fixedPass<T, radix, false>(pass); // all twiddle factors are 1
  } else {
    fixedPass<T, radix, true>(pass);
  }
}

template <typename T>
void runPass(const Pass<T> &pass, const Stage &stage) {
  switch (stage.radix) {
  case 2:
    return fixedPass<T, 2>(pass, stage);
  case 3:
    return fixedPass<T, 3>(pass, stage);
  case 4:
    return fixedPass<T, 4>(pass, stage);
  case 5:
    return fixedPass<T, 5>(pass, stage);
  case 6:
    return fixedPass<T, 6>(pass, stage);
  case 8:
    return fixedPass<T, 8>(pass, stage);
  case 10:
    return fixedPass<T, 10>(pass, stage);
  default:
    // The roots of unity follow the twiddle factors.
    return oddPass(pass, stage.radix,
                   static_cast<const T *>(stage.twiddle) +
                       2 * (stage.radix - 1) * stage.remaining);
  }
}

//===----------------------------------------------------------------------===//
// Between memory and lanes
//===----------------------------------------------------------------------===//

template <typename I, I... values>
struct Sequence {};

/// Takes the numbers of `width` lanes apart.
template <typename T, int... i>
Complex<T> apart(typename Complex<T>::V a, typename Complex<T>::V b,
                 Sequence<int, i...>) {
  return {__builtin_shufflevector(a, b, (2 * i)...),
          __builtin_shufflevector(a, b, (2 * i + 1)...)};
}

template <typename T, int... i>
void together(Complex<T> x, typename Complex<T>::V &a,
              typename Complex<T>::V &b, Sequence<int, i...>) {
  constexpr int w = width<T>;
  a = __builtin_shufflevector(x.re, x.im, (i / 2 + i % 2 * w)...);
  b = __builtin_shufflevector(x.re, x.im, (w / 2 + i / 2 + i % 2 * w)...);
}

/// The number of complex numbers in a vector.
template <typename T>
constexpr int numbers = width<T> / 2;

/// The offset of vector `v` of an element's numbers, of lanes side by side.
template <typename T>
int64_t vectorOffset(const Lines &lines, int64_t v) {
  const int64_t b = v * numbers<T>;
  const int64_t half = lanes<T> / 2;
  return b < half ? lines.lane[0] + b : lines.lane[half] + b - half;
}

template <typename T>
using Indices = __make_integer_seq<Sequence, int, width<T>>;

/// In each square of 2 * d numbers by 2 * d, exchanges the upper right and the
/// lower left quarter; a is the upper of two rows, b the one d below.
template <typename T, int d, int... i>
void exchange(typename Complex<T>::V &a, typename Complex<T>::V &b,
              Sequence<int, i...>) {
  constexpr int w = width<T>;
  const auto upper =
      __builtin_shufflevector(a, b, (i / 2 & d ? w + i - 2 * d : i)...);
  b = __builtin_shufflevector(a, b, (i / 2 & d ? w + i : i + 2 * d)...);
  a = upper;
}

/// Transposes a square of numbers, a row in a vector.
template <typename T, int d = numbers<T> / 2>
void transpose(typename Complex<T>::V *rows) {
  if constexpr (d > 0) {
#pragma unroll
    for (int i = 0; i < numbers<T>; ++i) {
      if (!(i & d)) {
        exchange<T, d>(rows[i], rows[i + d], Indices<T>());
      }
    }
    transpose<T, d / 2>(rows);
  }
}

/// Loads elements [first, first + numbers<T>) of lanes that are rows; those
/// before `skipped` do not count.
template <typename T>
void loadRows(const Number<T> *base, const int64_t *lane, int64_t skipped,
              Complex<T> *to) {
  constexpr int size = numbers<T>;
  for (int64_t h = 0; h < parts; ++h, lane += 2 * size) {
    typename Complex<T>::V low[size], high[size];
#pragma unroll
    for (int i = 0; i < size; ++i) {
      __builtin_memcpy(&low[i], base + lane[i], sizeof(low[i]));
      __builtin_memcpy(&high[i], base + lane[size + i], sizeof(high[i]));
    }
    transpose<T>(low);
    transpose<T>(high);
#pragma unroll
    for (int i = 0; i < size; ++i) {
      if (i >= skipped) {
        to[(i - skipped) * parts + h] = apart<T>(low[i], high[i], Indices<T>());
      }
    }
  }
}

template <typename T>
void storeRows(const Complex<T> *x, Number<T> *base, const int64_t *lane,
               int64_t count) {
  constexpr int size = numbers<T>;
  for (int64_t h = 0; h < parts; ++h, lane += 2 * size, count -= 2 * size) {
    typename Complex<T>::V low[size], high[size];
#pragma unroll
    for (int i = 0; i < size; ++i) {
      together<T>(x[i * parts + h], low[i], high[i], Indices<T>());
    }
    transpose<T>(low);
    transpose<T>(high);
#pragma unroll
    for (int i = 0; i < size; ++i) {
      if (i < count) {
        __builtin_memcpy(base + lane[i], &low[i], sizeof(low[i]));
      }
      if (size + i < count) {
        __builtin_memcpy(base + lane[size + i], &high[i], sizeof(high[i]));
      }
    }
  }
}

/// Loads `count` elements, at most a tile, beginning with `first`, of lines of
/// which `length` elements may be read.
template <typename T>
void loadTile(const Lines &lines, int64_t length, int64_t first, int64_t count,
              Complex<T> *to) {
  constexpr int size = numbers<T>;
  const auto *from = static_cast<const Number<T> *>(lines.base);
  if (lines.isSideBySide) {
    from += first * lines.stride;
    for (int64_t h = 0; h < parts; ++h) {
      const Number<T> *low = from + vectorOffset<T>(lines, 2 * h);
      const Number<T> *high = from + vectorOffset<T>(lines, 2 * h + 1);
      for (int64_t i = 0; i < count; ++i) {
        typename Complex<T>::V a, b;
        __builtin_memcpy(&a, low + i * lines.stride, sizeof(a));
        __builtin_memcpy(&b, high + i * lines.stride, sizeof(b));
        to[i * parts + h] = apart<T>(a, b, Indices<T>());
      }
    }
    return;
  }
  if (lines.stride == 1 && length >= size) {
    for (; count > 0; first += size, count -= size, to += size * parts) {
      const int64_t start = first + size > length ? length - size : first;
      loadRows<T>(from + start, lines.lane, first - start, to);
    }
    return;
  }
  for (int64_t b = 0; b < lanes<T>; ++b) {
    const Number<T> *line = from + lines.lane[b] + first * lines.stride;
    const int64_t h = b / width<T>;
    for (int64_t i = 0; i < count; ++i) {
      to[i * parts + h].re[b % width<T>] = line[i * lines.stride].re;
      to[i * parts + h].im[b % width<T>] = line[i * lines.stride].im;
    }
  }
}

template <typename T>
void storeTile(const Side &side, int64_t first, int64_t count,
               const Complex<T> *x) {
  constexpr int size = numbers<T>;
  const Lines &lines = side.data;
  auto *to = static_cast<Number<T> *>(lines.base);
  if (lines.isSideBySide) {
    to += first * lines.stride;
    for (int64_t h = 0; h < parts; ++h) {
      Number<T> *low = to + vectorOffset<T>(lines, 2 * h);
      Number<T> *high = to + vectorOffset<T>(lines, 2 * h + 1);
      for (int64_t i = 0; i < count; ++i) {
        typename Complex<T>::V a, b;
        together<T>(x[i * parts + h], a, b, Indices<T>());
        __builtin_memcpy(low + i * lines.stride, &a, sizeof(a));
        __builtin_memcpy(high + i * lines.stride, &b, sizeof(b));
      }
    }
    return;
  }
  if (lines.stride == 1) {
    for (; count >= size; first += size, count -= size, x += size * parts) {
      storeRows<T>(x, to + first, lines.lane, side.count);
    }
  }
  for (int64_t b = 0; b < side.count; ++b) {
    Number<T> *line = to + lines.lane[b] + first * lines.stride;
    const int64_t h = b / width<T>;
    for (int64_t i = 0; i < count; ++i) {
      line[i * lines.stride] = {x[i * parts + h].re[b % width<T>],
                                x[i * parts + h].im[b % width<T>]};
    }
  }
}

template <typename T>
void swapParts(Complex<T> *x, int64_t count) {
  for (int64_t i = 0; i < count * parts; ++i) {
    x[i] = {x[i].im, x[i].re};
  }
}

/// Multiplies element i of all lanes by factors[first + i].
template <typename T>
void multiplyAlike(const void *factors, int64_t first, int64_t count,
                   Complex<T> *x) {
  const T *factor = static_cast<const T *>(factors) + 2 * first;
  for (int64_t i = 0; i < count * parts; ++i) {
    x[i] = timesTwiddle(x[i], factor + i / parts * 2);
  }
}

/// Brings elements [first, first + count) of all lanes from memory.
template <typename T>
void load(const Side &from, int64_t first, int64_t count, Complex<T> *to) {
  for (; count > 0;
       first += tileLength, count -= tileLength, to += tileLength * parts) {
    const int64_t wanted = count < tileLength ? count : tileLength;
    int64_t known = from.length - first;
    known = known < 0 ? 0 : known < wanted ? known : wanted;
    loadTile(from.data, from.length, first, known, to);
    if (from.isSwapped) {
      swapParts(to, known);
    }
    if (from.factors) {
      Lines factors = from.data;
      factors.base = const_cast<void *>(from.factors);
      Complex<T> tile[tileLength * parts];
      loadTile(factors, from.length, first, known, tile);
      for (int64_t i = 0; i < known * parts; ++i) {
        to[i] = to[i] * tile[i];
      }
    }
    if (from.common) {
      multiplyAlike(from.common, first, known, to);
    }
    for (int64_t i = known * parts; i < wanted * parts; ++i) {
      to[i] = {};
    }
  }
}

/// Takes them there; changes x.
template <typename T>
void store(const Side &to, int64_t first, int64_t count, Complex<T> *x) {
  count = first + count > to.length ? to.length - first : count;
  for (; count > 0;
       first += tileLength, count -= tileLength, x += tileLength * parts) {
    const int64_t wanted = count < tileLength ? count : tileLength;
    if (to.common) {
      multiplyAlike(to.common, first, wanted, x);
    }
    if (to.scale != 1) {
      for (int64_t i = 0; i < wanted * parts; ++i) {
        x[i] = scale(x[i], static_cast<T>(to.scale));
      }
    }
    if (to.isSwapped) {
      swapParts(x, wanted);
    }
    storeTile(to, first, wanted, x);
  }
}

/// Asks for the lines of the cache where elements [first, first + count) of
/// lanes side by side are: no processor foresees steps wider than a page.
template <typename T, bool isWritten>
void fetch(const Lines &lines, int64_t first, int64_t count) {
  const auto *element =
      static_cast<const Number<T> *>(lines.base) + first * lines.stride;
  for (int64_t i = 0; i < count; ++i, element += lines.stride) {
    __builtin_prefetch(element + lines.lane[0], isWritten);
    __builtin_prefetch(element + lines.lane[lanes<T> / 2], isWritten);
  }
}

//===----------------------------------------------------------------------===//
// Real lines, read as complex ones of half the length n
//===----------------------------------------------------------------------===//

/// The transform of the real line from that of the complex one, z: n + 1
/// elements.
template <typename T>
void unpackReal(const T *roots, int64_t n, Complex<T> *z) {
  constexpr T half = T(0.5);
  for (int64_t q = 0; q < parts; ++q, ++z) {
    const auto zeroth = *z;
    const auto zero = zeroth.re - zeroth.re;
    z[0] = {zeroth.re + zeroth.im, zero};
    z[n * parts] = {zeroth.re - zeroth.im, zero};
    for (int64_t k = 1; k <= n - k; ++k) {
      Complex<T> &low = z[k * parts];
      Complex<T> &high = z[(n - k) * parts];
      // Those of the even numbers and, turned by a root, of the odd ones.
      const Complex<T> even = {(low.re + high.re) * half,
                               (low.im - high.im) * half};
      const auto odd = timesTwiddle<T>(
          {(low.im + high.im) * half, (high.re - low.re) * half},
          roots + 2 * k);
      low = even + odd;
      high = {even.re - odd.re, odd.im - even.im};
    }
  }
}

/// The other way round: twice the numbers, real and imaginary parts exchanged.
/// What stands beside the real numbers at frequencies 0 and n is dropped.
template <typename T>
void packReal(const T *roots, int64_t n, Complex<T> *z) {
  for (int64_t q = 0; q < parts; ++q, ++z) {
    const auto first = z[0].re;
    const auto last = z[n * parts].re;
    z[0] = {first - last, first + last};
    for (int64_t k = 1; k <= n - k; ++k) {
      Complex<T> &low = z[k * parts];
      Complex<T> &high = z[(n - k) * parts];
      const Complex<T> even = {low.re + high.re, low.im - high.im};
      const T conjugate[] = {roots[2 * k], -roots[2 * k + 1]};
      const auto odd =
          timesTwiddle<T>({low.re - high.re, low.im + high.im}, conjugate);
      low = {even.im + odd.re, even.re - odd.im};
      high = {odd.re - even.im, even.re + odd.im};
    }
  }
}

//===----------------------------------------------------------------------===//
// Transforms
//===----------------------------------------------------------------------===//

/// The first stage. Lanes that are side by side come from memory tiles at a
/// time: elements [p, p + tileLength) + m * k. Others come as a whole, in the
/// order in which they are stored there.
template <typename T>
void firstPass(const Stage &stage, const Side &from, Complex<T> *whole,
               Complex<T> *tile, Complex<T> *y) {
  const int64_t r = stage.radix;
  const int64_t m = stage.remaining;
  const auto *twiddle = static_cast<const T *>(stage.twiddle);
  if (!from.data.isSideBySide || m <= tileLength || from.realRoots) {
    if (from.realRoots) {
      load(from, 0, r * m + 1, whole);
      packReal(static_cast<const T *>(from.realRoots), r * m, whole);
    } else {
      load(from, 0, r * m, whole);
    }
    runPass<T>(
        {whole, parts, m * parts, y, r * parts, parts, m, parts, twiddle},
        stage);
    return;
  }
  for (int64_t p = 0; p < m; p += tileLength) {
    const int64_t count = m - p < tileLength ? m - p : tileLength;
    for (int64_t k = 0; k < r; ++k) {
      fetch<T, false>(from.data, p + count + m * k, tileLength);
    }
    for (int64_t k = 0; k < r; ++k) {
      load(from, p + m * k, count, tile + k * tileLength * parts);
    }
    runPass<T>({tile, parts, tileLength * parts, y + p * r * parts, r * parts,
                parts, count, parts, twiddle + p * 2 * (r - 1)},
               stage);
  }
}

/// Takes all of the lines to memory; after the last element there is room.
template <typename T>
void storeWhole(const Side &to, int64_t n, Complex<T> *x) {
  if (to.realRoots) {
    unpackReal(static_cast<const T *>(to.realRoots), n, x);
    ++n;
  }
  store(to, 0, n, x);
}

/// The last one, likewise: tiles are elements [q, q + tileLength) + s * j.
template <typename T>
void lastPass(const Stage &stage, int64_t s, const Complex<T> *x,
              Complex<T> *whole, Complex<T> *tile, const Side &to) {
  const int64_t r = stage.radix;
  const auto *twiddle = static_cast<const T *>(stage.twiddle);
  if (!to.data.isSideBySide || s <= tileLength || to.realRoots) {
    runPass<T>({x, 0, s * parts, whole, 0, s * parts, 1, s * parts, twiddle},
               stage);
    storeWhole(to, r * s, whole);
    return;
  }
  for (int64_t q = 0; q < s; q += tileLength) {
    const int64_t count = s - q < tileLength ? s - q : tileLength;
    for (int64_t j = 0; j < r; ++j) {
      fetch<T, true>(to.data, q + s * j, count);
    }
    runPass<T>({x + q * parts, 0, s * parts, tile, 0, tileLength * parts, 1,
                count * parts, twiddle},
               stage);
    for (int64_t j = 0; j < r; ++j) {
      store(to, q + s * j, count, tile + j * tileLength * parts);
    }
  }
}

template <typename T>
void transform(int64_t stageCount, const Stage *stages, const Side &from,
               const Side &to, void *work) {
  const int64_t n = stages[0].radix * stages[0].remaining;
  auto *tile = static_cast<Complex<T> *>(work);
  Complex<T> *x = tile + tileLength * largestRadix * parts;
  Complex<T> *y = x + n * parts;
  firstPass(stages[0], from, y, tile, x);
  int64_t s = stages[0].radix;
  if (stageCount == 1) {
    storeWhole(to, n, x);
    return;
  }
  for (int64_t i = 1; i + 1 < stageCount; ++i) {
    const Stage &stage = stages[i];
    const int64_t r = stage.radix;
    runPass<T>({x, s * parts, s * stage.remaining * parts, y, s * r * parts,
                s * parts, stage.remaining, s * parts,
                static_cast<const T *>(stage.twiddle)},
               stage);
    s *= r;
    Complex<T> *next = x;
    x = y;
    y = next;
  }
  lastPass(stages[stageCount - 1], s, x, y, tile, to);
}

} // namespace

#define XLA_FFT_JOIN(a, b) a##b
#define XLA_FFT_NAME(prefix, target) XLA_FFT_JOIN(prefix, target)

void XLA_FFT_NAME(transformF32, XLA_FFT_TARGET)(int64_t stageCount,
                                                const Stage *stages,
                                                const Side &from,
                                                const Side &to, void *work) {
  transform<float>(stageCount, stages, from, to, work);
}

void XLA_FFT_NAME(transformF64, XLA_FFT_TARGET)(int64_t stageCount,
                                                const Stage *stages,
                                                const Side &from,
                                                const Side &to, void *work) {
  transform<double>(stageCount, stages, from, to, work);
}

} // namespace xla::fft
