//===- Fft.cpp - Fourier transforms of arrays -----------------------------===//
//
// Lines are transformed a vector of lanes at a time. Too few and too long
// lines are cut into a matrix first, whose columns and rows are transformed as
// many short lines, with a multiplication by roots of unity between.
// Reference: Bailey, FFTs in external or hierarchical memory, 1990.
//
//===----------------------------------------------------------------------===//

#include "xla/runtime/Arena.h"
#include "xla/runtime/ThreadPool.h"
#include "xla/runtime/abi/Runtime.h"
#include "xla/runtime/cpu/kernels/FftPlan.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <new>

namespace xla::fft {

/// Work arrays of one block of lanes, from the thread's scratch memory.
template <typename T>
class LaneBuffers {
public:
  explicit LaneBuffers(int64_t length)
      : count(length * lanes<T>), memory(4 * count * sizeof(T)) {
    auto *start = static_cast<T *>(memory.data());
    if (start) {
      re = start;
      im = start + count;
      scratchRe = start + 2 * count;
      scratchIm = start + 3 * count;
    }
  }
  explicit operator bool() const { return memory.data() != nullptr; }

  T *re = nullptr;
  T *im = nullptr;
  T *scratchRe = nullptr;
  T *scratchIm = nullptr;

private:
  int64_t count;
  ScratchMemory memory;
};

/// Runs `body(i)` for all blocks over the pool; false where one ran out of
/// memory.
static bool overBlocks(int64_t count, int64_t workPerBlock,
                       const std::function<bool(int64_t)> &body) {
  constexpr int64_t leastWork = 1 << 15;
  std::atomic<bool> isDone = true;
  const int64_t grain =
      std::max<int64_t>(1, leastWork / std::max<int64_t>(1, workPerBlock));
  ThreadPool::shared().parallelFor(count, grain,
                                   [&](int64_t begin, int64_t end) {
                                     for (int64_t i = begin; i < end; ++i) {
                                       if (!body(i)) {
                                         isDone = false;
                                       }
                                     }
                                   });
  return isDone;
}

template <typename T>
static bool fourStep(std::complex<T> *line, int64_t n, bool isInverse);

/// The largest divisor of n up to its square root, if both parts are worth a
/// transform of their own; 0 otherwise.
static int64_t goodDivisor(int64_t n) {
  constexpr int64_t least = 16;
  auto d = static_cast<int64_t>(__builtin_sqrt(static_cast<double>(n)));
  for (; d >= least; --d) {
    if (n % d == 0) {
      return d;
    }
  }
  return 0;
}

/// Transforms, in place, the lines along the middle one of the dimensions
/// [outer, n, inner]; multiplies by `factor`.
template <typename T>
static bool transformAxis(std::complex<T> *data, int64_t outer, int64_t n,
                          int64_t inner, bool isInverse, T factor) {
  constexpr int64_t width = lanes<T>;
  constexpr int64_t longLine = 2048;
  const int64_t lines = outer * inner;
  if (inner == 1 && lines < width / 2 && n >= longLine) {
    for (int64_t i = 0; i < lines; ++i) {
      if (!fourStep(data + i * n, n, isInverse)) {
        return false;
      }
    }
    if (factor != 1) {
      std::for_each(data, data + lines * n, [&](auto &x) { x *= factor; });
    }
    return true;
  }
  const auto plan = planFor<T>(n);
  return overBlocks((lines + width - 1) / width, n * width, [&](int64_t block) {
    LaneBuffers<T> work(plan->workLength());
    if (!work) {
      return false;
    }
    const int64_t first = block * width;
    const int64_t count = std::min(width, lines - first);
    std::complex<T> *base[width];
    for (int64_t b = 0; b < width; ++b) {
      const int64_t line = first + std::min(b, count - 1);
      base[b] = data + line / inner * n * inner + line % inner;
    }
    // Exchanging real and imaginary parts on both ends inverts the transform.
    T *real = isInverse ? work.im : work.re;
    T *imaginary = isInverse ? work.re : work.im;
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t b = 0; b < width; ++b) {
        const std::complex<T> value = base[b][i * inner];
        real[i * width + b] = value.real();
        imaginary[i * width + b] = value.imag();
      }
    }
    transformLanes(*plan, work.re, work.im, work.scratchRe, work.scratchIm);
    real = isInverse ? work.im : work.re;
    imaginary = isInverse ? work.re : work.im;
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t b = 0; b < count; ++b) {
        base[b][i * inner] = {factor * real[i * width + b],
                              factor * imaginary[i * width + b]};
      }
    }
    return true;
  });
}

/// Memory that may be refused.
template <typename T>
class Temporary {
public:
  explicit Temporary(int64_t count)
      : memory(static_cast<T *>(
            ::operator new(sizeof(T) * static_cast<size_t>(count),
                           std::align_val_t(64), std::nothrow))) {}
  ~Temporary() { ::operator delete(memory, std::align_val_t(64)); }
  Temporary(const Temporary &) = delete;
  Temporary &operator=(const Temporary &) = delete;
  T *get() const { return memory; }

private:
  T *memory;
};

/// from[rows][cols] -> to[cols][rows].
template <typename T>
static void transpose(const std::complex<T> *from, int64_t rows, int64_t cols,
                      std::complex<T> *to) {
  constexpr int64_t tile = 16;
  overBlocks((cols + tile - 1) / tile, rows * tile, [&](int64_t block) {
    const int64_t begin = block * tile;
    const int64_t end = std::min(cols, begin + tile);
    for (int64_t top = 0; top < rows; top += tile) {
      const int64_t bottom = std::min(rows, top + tile);
      for (int64_t j = begin; j < end; ++j) {
        for (int64_t i = top; i < bottom; ++i) {
          to[j * rows + i] = from[i * cols + j];
        }
      }
    }
    return true;
  });
}

/// Multiplies element (k, j) of a matrix by exp(-2 pi i k j / n), or its
/// conjugate. Each row's roots come from two short exact tables.
template <typename T>
static void multiplyByRoots(std::complex<T> *data, int64_t rows, int64_t cols,
                            bool isInverse) {
  const int64_t n = rows * cols;
  constexpr int64_t low = 32;
  overBlocks(rows, 4 * cols, [&](int64_t k) {
    std::complex<double> fine[low];
    for (int64_t j = 0; j < low; ++j) {
      fine[j] = root(k * j, n);
    }
    for (int64_t start = 0; start < cols; start += low) {
      const std::complex<double> coarse =
          root(static_cast<int64_t>(static_cast<__int128>(k) * start % n), n);
      std::complex<T> *row = data + k * cols + start;
      const int64_t count = std::min(low, cols - start);
      for (int64_t j = 0; j < count; ++j) {
        const double c =
            coarse.real() * fine[j].real() - coarse.imag() * fine[j].imag();
        double d =
            coarse.real() * fine[j].imag() + coarse.imag() * fine[j].real();
        d = isInverse ? -d : d;
        const auto wc = static_cast<T>(c);
        const auto wd = static_cast<T>(d);
        const std::complex<T> x = row[j];
        row[j] = {x.real() * wc - x.imag() * wd, x.real() * wd + x.imag() * wc};
      }
    }
    return true;
  });
}

/// One long line whose length has no good divisor, by Bluestein's convolution.
template <typename T>
static bool convolveLine(std::complex<T> *line, int64_t n, bool isInverse) {
  const auto plan = planFor<T>(n);
  if (!plan->inner) {
    // Smooth, and yet without a divisor near its root: one lane does it.
    LaneBuffers<T> work(n);
    if (!work) {
      return false;
    }
    T *real = isInverse ? work.im : work.re;
    T *imaginary = isInverse ? work.re : work.im;
    for (int64_t i = 0; i < n; ++i) {
      std::fill_n(real + i * lanes<T>, lanes<T>, line[i].real());
      std::fill_n(imaginary + i * lanes<T>, lanes<T>, line[i].imag());
    }
    transformLanes(*plan, work.re, work.im, work.scratchRe, work.scratchIm);
    real = isInverse ? work.im : work.re;
    imaginary = isInverse ? work.re : work.im;
    for (int64_t i = 0; i < n; ++i) {
      line[i] = {real[i * lanes<T>], imaginary[i * lanes<T>]};
    }
    return true;
  }
  const int64_t m = plan->inner->n;
  Temporary<std::complex<T>> work(m);
  if (!work.get()) {
    return false;
  }
  auto times = [](std::complex<T> a, std::complex<T> b) {
    return std::complex<T>(a.real() * b.real() - a.imag() * b.imag(),
                           a.real() * b.imag() + a.imag() * b.real());
  };
  auto swapped = [&](std::complex<T> x) {
    return isInverse ? std::complex<T>(x.imag(), x.real()) : x;
  };
  for (int64_t i = 0; i < n; ++i) {
    work.get()[i] = times(swapped(line[i]), plan->chirp[i]);
  }
  std::fill(work.get() + n, work.get() + m, std::complex<T>(0));
  if (!fourStep(work.get(), m, /*isInverse=*/false)) {
    return false;
  }
  for (int64_t i = 0; i < m; ++i) {
    work.get()[i] = times(work.get()[i], plan->filter[i]);
  }
  if (!fourStep(work.get(), m, /*isInverse=*/true)) {
    return false;
  }
  for (int64_t i = 0; i < n; ++i) {
    line[i] = swapped(times(work.get()[i], plan->chirp[i]));
  }
  return true;
}

template <typename T>
static bool fourStep(std::complex<T> *line, int64_t n, bool isInverse) {
  const int64_t rows = goodDivisor(n);
  if (rows == 0) {
    return convolveLine(line, n, isInverse);
  }
  const int64_t cols = n / rows;
  Temporary<std::complex<T>> turned(n);
  if (!turned.get() || !transformAxis(line, 1, rows, cols, isInverse, T(1))) {
    return false;
  }
  multiplyByRoots(line, rows, cols, isInverse);
  if (!transformAxis(line, rows, cols, 1, isInverse, T(1))) {
    return false;
  }
  transpose(line, rows, cols, turned.get());
  std::memcpy(static_cast<void *>(line), turned.get(),
              n * sizeof(std::complex<T>));
  return true;
}

//===----------------------------------------------------------------------===//
// Real lines: two of them make the real and imaginary parts of a complex one
//===----------------------------------------------------------------------===//

/// One long real line through a complex one.
template <typename T>
static bool longRealLine(const T *in, int64_t n, std::complex<T> *out) {
  Temporary<std::complex<T>> line(n);
  if (!line.get()) {
    return false;
  }
  std::copy(in, in + n, line.get());
  if (!fourStep(line.get(), n, /*isInverse=*/false)) {
    return false;
  }
  std::copy(line.get(), line.get() + n / 2 + 1, out);
  return true;
}

/// Calls `body(plan, work, lineOf)` for blocks of real lines, two in a lane:
/// `b` and `b + width`, as the parts of a complex one. The last may come again.
template <typename T, typename Body>
static bool overPairs(int64_t lines, int64_t n, Body body) {
  constexpr int64_t width = lanes<T>;
  const auto plan = planFor<T>(n);
  const int64_t blocks = (lines + 2 * width - 1) / (2 * width);
  return overBlocks(blocks, 2 * n * width, [&](int64_t block) {
    LaneBuffers<T> work(plan->workLength());
    if (!work) {
      return false;
    }
    body(*plan, work,
         [&](int64_t b) { return std::min(block * 2 * width + b, lines - 1); });
    return true;
  });
}

template <typename T>
static bool forwardReal(const T *in, int64_t lines, int64_t n,
                        std::complex<T> *out) {
  constexpr int64_t width = lanes<T>;
  constexpr int64_t longLine = 2048;
  const int64_t half = n / 2 + 1;
  if (lines < width / 2 && n >= longLine) {
    for (int64_t i = 0; i < lines; ++i) {
      if (!longRealLine(in + i * n, n, out + i * half)) {
        return false;
      }
    }
    return true;
  }
  return overPairs<T>(lines, n, [&](auto &plan, auto &work, auto lineOf) {
    for (int64_t b = 0; b < width; ++b) {
      const T *first = in + lineOf(b) * n;
      const T *second = in + lineOf(b + width) * n;
      for (int64_t i = 0; i < n; ++i) {
        work.re[i * width + b] = first[i];
        work.im[i * width + b] = second[i];
      }
    }
    transformLanes(plan, work.re, work.im, work.scratchRe, work.scratchIm);
    for (int64_t b = 0; b < width; ++b) {
      std::complex<T> *first = out + lineOf(b) * half;
      std::complex<T> *second = out + lineOf(b + width) * half;
      for (int64_t k = 0; k < half; ++k) {
        const int64_t mirror = (n - k) % n * width + b;
        const T x = work.re[k * width + b];
        const T y = work.im[k * width + b];
        const T u = work.re[mirror];
        const T v = work.im[mirror];
        // The last line may stand in several lanes: each writes the same.
        second[k] = {(y + v) / 2, (u - x) / 2};
        first[k] = {(x + u) / 2, (y - v) / 2};
      }
    }
  });
}

template <typename T>
static bool inverseReal(const std::complex<T> *in, int64_t lines, int64_t n,
                        T factor, T *out) {
  constexpr int64_t width = lanes<T>;
  const int64_t half = n / 2 + 1;
  // A spectrum's imaginary parts at frequency 0 and n / 2 have no meaning.
  auto at = [&](const std::complex<T> *line, int64_t k) {
    const bool isReal = k == 0 || 2 * k == n;
    return std::complex<T>(line[k].real(), isReal ? T(0) : line[k].imag());
  };
  return overPairs<T>(lines, n, [&](auto &plan, auto &work, auto lineOf) {
    for (int64_t b = 0; b < width; ++b) {
      const std::complex<T> *first = in + lineOf(b) * half;
      const std::complex<T> *second = in + lineOf(b + width) * half;
      for (int64_t k = 0; k < n; ++k) {
        const bool isMirrored = k >= half;
        std::complex<T> x = at(first, isMirrored ? n - k : k);
        std::complex<T> y = at(second, isMirrored ? n - k : k);
        if (isMirrored) {
          x = std::conj(x);
          y = std::conj(y);
        }
        // x + i y, with the parts exchanged for the inverse.
        work.im[k * width + b] = x.real() - y.imag();
        work.re[k * width + b] = x.imag() + y.real();
      }
    }
    transformLanes(plan, work.re, work.im, work.scratchRe, work.scratchIm);
    for (int64_t b = 0; b < width; ++b) {
      T *first = out + lineOf(b) * n;
      T *second = out + lineOf(b + width) * n;
      for (int64_t i = 0; i < n; ++i) {
        second[i] = factor * work.re[i * width + b];
        first[i] = factor * work.im[i * width + b];
      }
    }
  });
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

/// Transforms all dimensions but the last one, in place; the last has `last`
/// elements.
template <typename T>
static bool outerAxes(const XlaFft &fft, std::complex<T> *data, int64_t last,
                      bool isInverse) {
  int64_t inner = last;
  for (int64_t axis = fft.rank - 2; axis >= 0; --axis) {
    int64_t outer = fft.batch;
    for (int64_t i = 0; i < axis; ++i) {
      outer *= fft.lengths[i];
    }
    const int64_t n = fft.lengths[axis];
    const T factor = isInverse ? T(1) / static_cast<T>(n) : T(1);
    if (!transformAxis(data, outer, n, inner, isInverse, factor)) {
      return false;
    }
    inner *= n;
  }
  return true;
}

template <typename T>
static bool run(const XlaFft &fft) {
  using C = std::complex<T>;
  const int64_t n = fft.lengths[fft.rank - 1];
  int64_t lines = fft.batch;
  for (int64_t i = 0; i + 1 < fft.rank; ++i) {
    lines *= fft.lengths[i];
  }
  if (lines == 0 || n == 0) {
    return true;
  }
  const int64_t half = n / 2 + 1;
  const T factor = T(1) / static_cast<T>(n);
  switch (fft.kind) {
  case XLA_FFT_REAL: {
    auto *out = static_cast<C *>(fft.output);
    return forwardReal(static_cast<const T *>(fft.input), lines, n, out) &&
           outerAxes(fft, out, half, /*isInverse=*/false);
  }
  case XLA_FFT_INVERSE_REAL: {
    Temporary<C> spectrum(lines * half);
    if (!spectrum.get()) {
      return false;
    }
    std::memcpy(static_cast<void *>(spectrum.get()), fft.input,
                lines * half * sizeof(C));
    return outerAxes(fft, spectrum.get(), half, /*isInverse=*/true) &&
           inverseReal(spectrum.get(), lines, n, factor,
                       static_cast<T *>(fft.output));
  }
  default: {
    const bool isInverse = fft.kind == XLA_FFT_INVERSE;
    auto *out = static_cast<C *>(fft.output);
    std::memcpy(fft.output, fft.input, lines * n * sizeof(C));
    return transformAxis(out, lines, n, 1, isInverse,
                         isInverse ? factor : T(1)) &&
           outerAxes(fft, out, n, isInverse);
  }
  }
}

} // namespace xla::fft

int32_t xla_fft(const XlaFft *fft) {
  const bool isDone =
      fft->is_double ? xla::fft::run<double>(*fft) : xla::fft::run<float>(*fft);
  return isDone ? XLA_RUNTIME_OK : XLA_RUNTIME_OUT_OF_MEMORY;
}
