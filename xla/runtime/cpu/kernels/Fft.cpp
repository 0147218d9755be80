//===- Fft.cpp - Fourier transforms of arrays -----------------------------===//
//
// Lines are transformed a vector of lanes at a time. Too few and too long
// lines are cut into a matrix first, whose columns and rows are transformed as
// many short lines, with a multiplication by roots of unity between.
// Reference: Bailey, FFTs in external or hierarchical memory, 1990.
//
// A real line of even length is a complex one of half the length; two of odd
// length are the parts of one complex line.
//
// What the threads share, `work`, comes from the caller, who asks for its size
// first; what a thread needs for itself, it gets itself.
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

namespace xla::fft {

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

/// Scratch memory for numbers.
template <typename T>
class Temporary {
public:
  explicit Temporary(int64_t count)
      : memory(sizeof(T) * static_cast<size_t>(count)) {}
  T *get() const { return static_cast<T *>(memory.data()); }

private:
  ScratchMemory memory;
};

/// So many numbers that the address after them is aligned to 64 bytes.
static int64_t aligned(int64_t count) { return (count + 7) / 8 * 8; }

/// Lines in an array: element i of line l is
/// data[l / inner * pitch + l % inner + i * inner].
template <typename T>
struct Array {
  std::complex<T> *data;
  int64_t inner;
  int64_t pitch;
  bool isSwapped = false;
  double scale = 1;
  const std::complex<T> *factors = nullptr; ///< an array like data
  /// Where not null, these are transforms of real lines, see `Side`.
  const std::complex<T> *realRoots = nullptr;

  int64_t offset(int64_t line) const {
    return line / inner * pitch + line % inner;
  }
};

/// Some of an array's lines, as lanes; those in excess hold a line again.
template <typename T>
class Block {
public:
  Block(const Array<T> &array, int64_t first, int64_t count) {
    constexpr int64_t half = lanes<T> / 2;
    // The second half ends with the last line, so that both are runs.
    const bool areHalves = count >= half;
    for (int64_t b = 0; b < lanes<T>; ++b) {
      const int64_t line = areHalves && b >= half ? b + count - lanes<T>
                                                  : std::min(b, count - 1);
      offsets[b] = array.offset(first + line);
    }
    side.data = {array.data, array.inner, offsets,
                 areHalves && offsets[half - 1] - offsets[0] == half - 1 &&
                     offsets[lanes<T> - 1] - offsets[half] == half - 1};
    side.count = areHalves ? lanes<T> : count;
    side.isSwapped = array.isSwapped;
    side.scale = array.scale;
    side.factors = array.factors;
    side.realRoots = array.realRoots;
  }
  Block(const Block &) = delete;
  Block &operator=(const Block &) = delete;

  Side side;

private:
  int64_t offsets[lanes<T>];
};

/// Transforms `lines` lines of the plan's length, side by side in lanes.
template <typename T>
static bool transformLines(std::shared_ptr<const Plan<T>> plan, int64_t lines,
                           const Array<T> &from, const Array<T> &to) {
  constexpr int64_t width = lanes<T>;
  const LanesTransform<T> transform(std::move(plan));
  if (!transform.isReady()) {
    return false;
  }
  // Lines side by side in memory are cut into even blocks of half the lanes at
  // least; runs shorter than that share blocks.
  const int64_t inner = std::max(from.inner, to.inner);
  const int64_t run = inner < width / 2 ? lines : inner;
  const int64_t pieces = (run + width - 1) / width;
  const int64_t workPerBlock = transform.length() * width;
  return overBlocks(lines / run * pieces, workPerBlock, [&](int64_t block) {
    ScratchMemory work(transform.workBytes());
    if (!work.data()) {
      return false;
    }
    const int64_t piece = block % pieces;
    const int64_t begin = run * piece / pieces;
    const int64_t count = run * (piece + 1) / pieces - begin;
    const int64_t first = block / pieces * run + begin;
    const Block<T> source(from, first, count);
    const Block<T> target(to, first, count);
    transform.run(source.side, target.side, work.data());
    return true;
  });
}

/// Transforms one line as a matrix [rows, columns]: its columns, then, with
/// roots of unity multiplied in, its rows. Between, column j is row j of a
/// matrix of their own, `between`, so that all lines but these are side by
/// side.
template <typename T>
static bool transformSplit(const Split<T> &split, const Array<T> &from,
                           const Array<T> &to, std::complex<T> *between) {
  const int64_t rows = split.rows;
  const int64_t columns = split.columns;
  Array<T> columnsOf = from;
  columnsOf.inner = columns;
  columnsOf.pitch = 0;
  const Array<T> turned = {between, 1, rows};
  if (!transformLines(split.rowsPlan, columns, columnsOf, turned)) {
    return false;
  }
  Array<T> rowsOf = {between, rows, 0};
  if (!split.roots) {
    overBlocks(columns, rows, [&](int64_t j) {
      split.multiplyByRoots(j, between + j * rows);
      return true;
    });
  } else {
    rowsOf.factors = split.roots.get();
  }
  Array<T> rowsTo = to;
  rowsTo.inner = rows;
  rowsTo.pitch = 0;
  return transformLines(split.columnsPlan, rows, rowsOf, rowsTo);
}

template <typename T>
static bool transformRows(int64_t lines, int64_t n, const Array<T> &from,
                          const Array<T> &to, std::complex<T> *work);

/// One long line whose length has a large prime factor, by Bluestein's
/// convolution with one long line, which is the first of `work`.
template <typename T>
static bool convolveLine(const Plan<T> &plan, const Array<T> &from,
                         const Array<T> &to, std::complex<T> *work) {
  const int64_t n = plan.n;
  const int64_t m = plan.m;
  auto times = [](std::complex<T> a, std::complex<T> b) {
    return std::complex<T>(a.real() * b.real() - a.imag() * b.imag(),
                           a.real() * b.imag() + a.imag() * b.real());
  };
  auto swapped = [](std::complex<T> x, bool isSwapped) {
    return isSwapped ? std::complex<T>(x.imag(), x.real()) : x;
  };
  for (int64_t i = 0; i < n; ++i) {
    work[i] = times(swapped(from.data[i], from.isSwapped), plan.chirp[i]);
  }
  std::fill(work + n, work + m, std::complex<T>(0));
  Array<T> array = {work, 1, m};
  if (!transformRows(1, m, array, array, work + aligned(m))) {
    return false;
  }
  for (int64_t i = 0; i < m; ++i) {
    work[i] = times(work[i], plan.filter[i]);
  }
  array.isSwapped = true;
  if (!transformRows(1, m, array, array, work + aligned(m))) {
    return false;
  }
  const T scale = static_cast<T>(to.scale);
  for (int64_t i = 0; i < n; ++i) {
    to.data[i] = scale * swapped(times(work[i], plan.chirp[i]), to.isSwapped);
  }
  return true;
}

/// As in the lanes, for a line in memory: the transform of a real line of 2 * n
/// numbers from that of n complex ones.
template <typename T>
static void unpackReal(const std::complex<T> *roots, int64_t n,
                       std::complex<T> *z) {
  const std::complex<T> zeroth = z[0];
  z[0] = zeroth.real() + zeroth.imag();
  z[n] = zeroth.real() - zeroth.imag();
  for (int64_t k = 1; k <= n - k; ++k) {
    const std::complex<T> low = z[k];
    const std::complex<T> high = z[n - k];
    const T evenRe = (low.real() + high.real()) / 2;
    const T evenIm = (low.imag() - high.imag()) / 2;
    const T turnedRe = (low.imag() + high.imag()) / 2;
    const T turnedIm = (high.real() - low.real()) / 2;
    const T c = roots[k].real();
    const T d = roots[k].imag();
    const T oddRe = turnedRe * c - turnedIm * d;
    const T oddIm = turnedRe * d + turnedIm * c;
    z[k] = {evenRe + oddRe, evenIm + oddIm};
    z[n - k] = {evenRe - oddRe, oddIm - evenIm};
  }
}

/// The other way round, from x to z; they may be the same.
template <typename T>
static void packReal(const std::complex<T> *roots, int64_t n,
                     const std::complex<T> *x, std::complex<T> *z) {
  z[0] = {x[0].real() - x[n].real(), x[0].real() + x[n].real()};
  for (int64_t k = 1; k <= n - k; ++k) {
    const std::complex<T> low = x[k];
    const std::complex<T> high = x[n - k];
    const T evenRe = low.real() + high.real();
    const T evenIm = low.imag() - high.imag();
    const T sideRe = low.real() - high.real();
    const T sideIm = low.imag() + high.imag();
    const T c = roots[k].real();
    const T d = roots[k].imag();
    const T oddRe = sideRe * c + sideIm * d;
    const T oddIm = sideIm * c - sideRe * d;
    z[k] = {evenIm + oddRe, evenRe - oddIm};
    z[n - k] = {oddRe - evenIm, evenRe + oddIm};
  }
}

constexpr int64_t longLine = 2048;

/// Whether rows of length n leave fewer lanes idle when each is cut.
template <typename T>
static bool cutsRows(int64_t lines, int64_t n) {
  constexpr int64_t shortLine = 64;
  constexpr int64_t width = lanes<T>;
  double waste;
  const auto laneWaste =
      static_cast<double>((lines + width - 1) / width * width) /
      static_cast<double>(lines);
  // What a split costs more where both fit a cache, as measured.
  const double splitCost =
      n >= 2 * longLine ? 0.65 : 1.2 + 300 / static_cast<double>(n);
  return n >= shortLine && rowsFor(n, width, &waste) != 0 &&
         waste * splitCost < laneWaste;
}

/// Whether rows whose length has a large prime factor are convolved alone: few
/// lines leave lanes idle, long ones leave the caches. As measured.
template <typename T>
static bool convolvesAlone(int64_t lines, int64_t n) {
  return n > longestConvolvedLane || (n >= longLine && lines < lanes<T> / 2) ||
         (n >= 200 && (lines - 1) * 512 <= n);
}

/// Whether each thread takes rows; few and long ones are shared out themselves.
static bool sharesRows(int64_t lines, int64_t n) {
  return lines > 1 && n < (1 << 17);
}

/// The numbers of one row's work that `transformRows` is in need of.
template <typename T>
static int64_t rowWork(int64_t lines, int64_t n) {
  if (cutsRows<T>(lines, n)) {
    return aligned(n);
  }
  const int64_t m = convolvesAlone<T>(lines, n) ? convolutionLengthFor(n) : 0;
  return m == 0 ? 0 : aligned(m) + rowWork<T>(1, m);
}

/// The numbers of `work` in `transformRows`.
template <typename T>
static int64_t rowsWork(int64_t lines, int64_t n) {
  return sharesRows(lines, n) ? 0 : rowWork<T>(lines, n);
}

/// Transforms rows of length n in the way that leaves the fewest lanes idle.
template <typename T>
static bool transformRows(int64_t lines, int64_t n, const Array<T> &from,
                          const Array<T> &to, std::complex<T> *work) {
  // Packs and unpacks what real lines ask for in memory, around
  // `body(count, from, to)` for groups of lines.
  auto oneGroup = [&](int64_t group, int64_t index, auto body) {
    const int64_t count = std::min(group, lines - index * group);
    Array<T> source = from;
    Array<T> target = to;
    source.data += index * group * from.pitch;
    target.data += index * group * to.pitch;
    for (int64_t i = 0; from.realRoots && i < count; ++i) {
      packReal(from.realRoots, n, source.data + i * from.pitch,
               target.data + i * to.pitch);
    }
    if (from.realRoots) {
      source = {target.data, 1, to.pitch};
    }
    target.realRoots = nullptr;
    if (!body(count, source, target)) {
      return false;
    }
    for (int64_t i = 0; to.realRoots && i < count; ++i) {
      unpackReal(to.realRoots, n, target.data + i * to.pitch);
    }
    return true;
  };
  // The same for each row, with work of its own where threads share the rows.
  auto eachRow = [&](auto body) {
    auto one = [&](int64_t index, std::complex<T> *work) {
      return oneGroup(1, index,
                      [&](int64_t, const auto &source, const auto &target) {
                        return body(source, target, work);
                      });
    };
    if (sharesRows(lines, n)) {
      const int64_t numbers = rowWork<T>(lines, n);
      return overBlocks(lines, n, [&](int64_t index) {
        const Temporary<std::complex<T>> own(numbers);
        return own.get() && one(index, own.get());
      });
    }
    bool isDone = true;
    for (int64_t index = 0; index < lines && isDone; ++index) {
      isDone = one(index, work);
    }
    return isDone;
  };
  if (cutsRows<T>(lines, n)) {
    const auto split = splitFor<T>(n);
    return split && eachRow([&](const auto &source, const auto &target,
                                std::complex<T> *work) {
             return transformSplit(*split, source, target, work);
           });
  }
  const auto plan = planFor<T>(n);
  if (!plan || plan->m == 0) {
    return transformLines(plan, lines, from, to);
  }
  if (convolvesAlone<T>(lines, n)) {
    return eachRow(
        [&](const auto &source, const auto &target, std::complex<T> *work) {
          return convolveLine(*plan, source, target, work);
        });
  }
  constexpr int64_t group = lanes<T>;
  const int64_t groups = (lines + group - 1) / group;
  auto oneOf = [&](int64_t index) {
    return oneGroup(group, index,
                    [&](int64_t count, const auto &source, const auto &target) {
                      return transformLines(plan, count, source, target);
                    });
  };
  return groups == 1 ? oneOf(0) : overBlocks(groups, n * group, oneOf);
}

bool transformLine(int64_t n, std::complex<double> *line) {
  const Array<double> array = {line, 1, n};
  const Temporary<std::complex<double>> work(rowsWork<double>(1, n));
  return work.get() && transformRows(1, n, array, array, work.get());
}

//===----------------------------------------------------------------------===//
// Real lines
//===----------------------------------------------------------------------===//

/// Real lines of odd length that are transformed together.
template <typename T>
constexpr int64_t oddGroup = 2 * lanes<T>;

/// The numbers of `work` for so many lines of odd length n at once.
template <typename T>
static int64_t oddGroupWork(int64_t count, int64_t n) {
  const int64_t pairs = (count + 1) / 2;
  return aligned(pairs * n) + rowsWork<T>(pairs, n);
}

/// Calls `body(first, count, work)` for groups of rows that stay in a cache
/// between two passes; few and long rows are one group, for all threads.
template <typename T, typename Body>
static bool overOddGroups(int64_t lines, int64_t n, std::complex<T> *work,
                          Body body) {
  constexpr int64_t group = oddGroup<T>;
  if (lines <= group) {
    return body(0, lines, work);
  }
  return overBlocks((lines + group - 1) / group, n * group, [&](int64_t block) {
    const int64_t first = block * group;
    const int64_t count = std::min(group, lines - first);
    const Temporary<std::complex<T>> own(oddGroupWork<T>(count, n));
    return own.get() && body(first, count, own.get());
  });
}

template <typename T>
static bool forwardEven(const T *in, int64_t lines, int64_t n,
                        std::complex<T> *out, std::complex<T> *work) {
  const int64_t h = n / 2;
  const auto roots = quarterRootsFor<T>(n);
  if (!roots) {
    return false;
  }
  // Only read through.
  auto *pairs = reinterpret_cast<std::complex<T> *>(const_cast<T *>(in));
  const Array<T> from = {pairs, 1, h};
  Array<T> to = {out, 1, h + 1};
  to.realRoots = roots->get();
  return transformRows(lines, h, from, to, work);
}

template <typename T>
static bool inverseEven(std::complex<T> *in, int64_t lines, int64_t n,
                        double scale, T *out, std::complex<T> *work) {
  const int64_t h = n / 2;
  const auto roots = quarterRootsFor<T>(n);
  if (!roots) {
    return false;
  }
  Array<T> from = {in, 1, h + 1};
  from.realRoots = roots->get();
  Array<T> to = {reinterpret_cast<std::complex<T> *>(out), 1, h,
                 /*isSwapped=*/true};
  to.scale = scale;
  return transformRows(lines, h, from, to, work);
}

/// Two lines in a complex one; the last may be there twice.
template <typename T>
static bool forwardOdd(const T *in, int64_t lines, int64_t n,
                       std::complex<T> *out, std::complex<T> *work) {
  const int64_t half = n / 2 + 1;
  auto body = [&](int64_t first, int64_t count, std::complex<T> *work) {
    const int64_t pairs = (count + 1) / 2;
    const Array<T> rows = {work, 1, n};
    for (int64_t i = 0; i < pairs; ++i) {
      const T *x = in + (first + 2 * i) * n;
      const T *y = 2 * i + 1 < count ? x + n : x;
      for (int64_t j = 0; j < n; ++j) {
        rows.data[i * n + j] = {x[j], y[j]};
      }
    }
    if (!transformRows(pairs, n, rows, rows, work + aligned(pairs * n))) {
      return false;
    }
    for (int64_t i = 0; i < pairs; ++i) {
      const std::complex<T> *z = rows.data + i * n;
      std::complex<T> *x = out + (first + 2 * i) * half;
      std::complex<T> *y = 2 * i + 1 < count ? x + half : x;
      y[0] = z[0].imag();
      x[0] = z[0].real();
      for (int64_t k = 1; k < half; ++k) {
        const std::complex<T> a = z[k];
        const std::complex<T> b = z[n - k];
        // One line that is there twice gets the same from both.
        y[k] = {(a.imag() + b.imag()) / 2, (b.real() - a.real()) / 2};
        x[k] = {(a.real() + b.real()) / 2, (a.imag() - b.imag()) / 2};
      }
    }
    return true;
  };
  return overOddGroups<T>(lines, n, work, body);
}

template <typename T>
static bool inverseOdd(const std::complex<T> *in, int64_t lines, int64_t n,
                       double scale, T *out, std::complex<T> *work) {
  const int64_t half = n / 2 + 1;
  auto body = [&](int64_t first, int64_t count, std::complex<T> *work) {
    const int64_t pairs = (count + 1) / 2;
    Array<T> rows = {work, 1, n, /*isSwapped=*/true};
    rows.scale = scale;
    for (int64_t i = 0; i < pairs; ++i) {
      const std::complex<T> *x = in + (first + 2 * i) * half;
      const std::complex<T> *y = 2 * i + 1 < count ? x + half : x;
      std::complex<T> *z = rows.data + i * n;
      // x + i y; what stands beside the real number at frequency 0 is dropped.
      z[0] = {x[0].real(), y[0].real()};
      for (int64_t k = 1; k < half; ++k) {
        z[k] = {x[k].real() - y[k].imag(), x[k].imag() + y[k].real()};
        z[n - k] = {x[k].real() + y[k].imag(), y[k].real() - x[k].imag()};
      }
    }
    if (!transformRows(pairs, n, rows, rows, work + aligned(pairs * n))) {
      return false;
    }
    for (int64_t i = 0; i < count; ++i) {
      const auto *z = reinterpret_cast<const T *>(rows.data + i / 2 * n);
      for (int64_t j = 0; j < n; ++j) {
        out[(first + i) * n + j] = z[2 * j + i % 2];
      }
    }
    return true;
  };
  return overOddGroups<T>(lines, n, work, body);
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

/// Transforms all dimensions but the last one, which has `last` elements, from
/// `in` to `out`, which may be the same; multiplies by `scale` at the end.
template <typename T>
static bool outerAxes(const XlaFft &fft, std::complex<T> *in,
                      std::complex<T> *out, int64_t last, bool isInverse,
                      double scale) {
  int64_t inner = last;
  for (int64_t axis = fft.rank - 2; axis >= 0; --axis) {
    int64_t outer = fft.batch;
    for (int64_t i = 0; i < axis; ++i) {
      outer *= fft.lengths[i];
    }
    const int64_t n = fft.lengths[axis];
    const Array<T> from = {in, inner, n * inner, isInverse};
    Array<T> to = {out, inner, n * inner, isInverse};
    to.scale = axis == 0 ? scale : 1;
    if (!transformLines(planFor<T>(n), outer * inner, from, to)) {
      return false;
    }
    inner *= n;
    in = out;
  }
  return true;
}

/// The lines of the last dimension.
static int64_t lineCount(const XlaFft &fft) {
  int64_t lines = fft.batch;
  for (int64_t i = 0; i + 1 < fft.rank; ++i) {
    lines *= fft.lengths[i];
  }
  return lines;
}

/// What the inverse real transforms of several dimensions keep between the
/// last one and the others.
static int64_t spectrumSize(const XlaFft &fft) {
  const int64_t n = fft.lengths[fft.rank - 1];
  return fft.kind == XLA_FFT_INVERSE_REAL && fft.rank > 1
             ? aligned(lineCount(fft) * (n / 2 + 1))
             : 0;
}

/// The numbers of `work` in `run`.
template <typename T>
static int64_t workOf(const XlaFft &fft) {
  const int64_t n = fft.lengths[fft.rank - 1];
  const int64_t lines = lineCount(fft);
  if (lines == 0 || n == 0) {
    return 0;
  }
  if (fft.kind != XLA_FFT_REAL && fft.kind != XLA_FFT_INVERSE_REAL) {
    return rowsWork<T>(lines, n);
  }
  return spectrumSize(fft) + (n % 2 == 0             ? rowsWork<T>(lines, n / 2)
                              : lines <= oddGroup<T> ? oddGroupWork<T>(lines, n)
                                                     : 0);
}

template <typename T>
static bool run(const XlaFft &fft, std::complex<T> *work) {
  using C = std::complex<T>;
  const int64_t n = fft.lengths[fft.rank - 1];
  const int64_t lines = lineCount(fft);
  if (lines == 0 || n == 0) {
    return true;
  }
  const int64_t half = n / 2 + 1;
  auto *in = static_cast<C *>(const_cast<void *>(fft.input));
  auto *out = static_cast<C *>(fft.output);
  const bool isInverse =
      fft.kind == XLA_FFT_INVERSE || fft.kind == XLA_FFT_INVERSE_REAL;
  // Applied once, by the last pass.
  const auto elements = static_cast<double>(lines / fft.batch * n);
  const double scale = isInverse ? 1 / elements : 1;
  if (fft.kind == XLA_FFT_REAL) {
    const auto *line = static_cast<const T *>(fft.input);
    return (n % 2 ? forwardOdd(line, lines, n, out, work)
                  : forwardEven(line, lines, n, out, work)) &&
           outerAxes(fft, out, out, half, isInverse, scale);
  }
  if (fft.kind == XLA_FFT_INVERSE_REAL) {
    if (fft.rank > 1) {
      if (!outerAxes(fft, in, work, half, isInverse, 1)) {
        return false;
      }
      in = work;
      work += spectrumSize(fft);
    }
    auto *line = static_cast<T *>(fft.output);
    return n % 2 ? inverseOdd(in, lines, n, scale, line, work)
                 : inverseEven(in, lines, n, scale, line, work);
  }
  const Array<T> from = {in, 1, n, isInverse};
  Array<T> to = {out, 1, n, isInverse};
  to.scale = fft.rank == 1 ? scale : 1;
  return transformRows(lines, n, from, to, work) &&
         outerAxes(fft, out, out, n, isInverse, scale);
}

template <typename T>
static bool runWithWork(const XlaFft &fft) {
  const Temporary<std::complex<T>> own(fft.scratch ? 0 : workOf<T>(fft));
  auto *work = static_cast<std::complex<T> *>(fft.scratch);
  return own.get() && run<T>(fft, work ? work : own.get());
}

} // namespace xla::fft

using namespace xla::fft;

int64_t xla_fft_scratch_bytes(const XlaFft *fft) {
  return fft->is_double
             ? workOf<double>(*fft) * int64_t(sizeof(std::complex<double>))
             : workOf<float>(*fft) * int64_t(sizeof(std::complex<float>));
}

int32_t xla_fft(const XlaFft *fft) {
  const bool isDone =
      fft->is_double ? runWithWork<double>(*fft) : runWithWork<float>(*fft);
  return isDone ? XLA_RUNTIME_OK : XLA_RUNTIME_OUT_OF_MEMORY;
}
