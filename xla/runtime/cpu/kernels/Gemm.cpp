#include "xla/runtime/Arena.h"
#include "xla/runtime/ThreadPool.h"
#include "xla/runtime/abi/Runtime.h"
#include "xla/runtime/cpu/kernels/GemmKernels.h"
#include "xla/runtime/cpu/kernels/GemmNaive.h"
#include "xla/runtime/cpu/kernels/GemmTiny.h"
#include "xla/runtime/cpu/kernels/WordGemm.h"

#include <algorithm>
#include <atomic>
#include <type_traits>

// Large products are cut as in Goto and van de Geijn, "Anatomy of
// high-performance matrix multiplication" (2008), in the form of Van Zee and
// van de Geijn, "BLIS" (2015): blocks of k that keep a panel in the nearest
// cache, blocks of m and n that keep a and b in the next ones. Changed: a is
// packed by all threads together before a block is multiplied, and the tiles of
// a block are shared out; b is packed by the first tiles that read it, while
// they multiply; it is a panel of a, the narrower one, that stays in the
// nearest cache, while those of b pass by.

namespace xla::cpu {

// Sizes of blocks, in elements of 4 bytes; wider ones get fewer. Each block of
// k is summed alone and then added, which keeps the rounding error small.
static constexpr int64_t blockOfK = 384;  ///< a panel of a: 18 KiB
static constexpr int64_t blockOfM = 3072; ///< packed: 4.5 MiB
static constexpr int64_t tilesOfM = 14;   ///< panels of a in a piece, at least
static constexpr int64_t panelsOfN = 8;   ///< panels of b there: 384 KiB

/// b is not packed up to this size, and to four times of it where few
/// rows of a use it: packing would cost more than it brings.
static constexpr int64_t unpackedBytes = 64 << 10;

/// a is not packed up to this size of b, and so many columns.
static constexpr int64_t residentBytes = 768 << 10;
static constexpr int64_t residentColumns = 256;

/// b that can be packed on the way is so from more columns on.
static constexpr int64_t usedOftenFrom = 128;

/// So many rows of few columns, or columns of few rows, of c are finished
/// together: they stay in the first-level cache.
static constexpr int64_t rowsInCache = 256;

/// Results of so many rows and columns are small beside what is read for them
/// from so many terms on; the terms are cut into so many pieces.
static constexpr int64_t shortSide = 32;
static constexpr int64_t longSum = 256;
static constexpr int64_t mostPieces = 16;

/// What one thread should do before another is woken, in multiplications.
static constexpr int64_t grainOfWork = 1 << 18;

/// Packing an element costs about as much as so many multiplications.
static constexpr int64_t packingCost = 8;

bool canUseAvx512() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && canUseAvx2();
#else
  return false;
#endif
}

bool canUseAvx2() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("f16c");
#else
  return false;
#endif
}

static std::atomic<const GemmInstructionSet *> &chosenSet() {
  static std::atomic<const GemmInstructionSet *> chosen{
      canUseAvx512() ? &gemmForAvx512()
      : canUseAvx2() ? &gemmForAvx2()
                     : &gemmForAnyProcessor()};
  return chosen;
}

void useGemmInstructionSet(const GemmInstructionSet *set) {
  static const GemmInstructionSet *best = chosenSet().load();
  chosenSet() = set ? set : best;
}

static const GemmInstructionSet &instructionSet() {
  return *chosenSet().load(std::memory_order_relaxed);
}

namespace {
/// Who takes finished elements, if anyone; `first` is the number of c[0][0].
struct Finish {
  XlaFinish call;
  void *context;
  int64_t first;
};

/// How a product of few rows and columns reads both factors without packing
/// them: dots of lines along k; or elements of a times lines of b, or the
/// reverse, which gives the transposed product.
enum class Reach : uint8_t { Neither, Dots, Lines, Turned };

/// Rows of a, and terms, that are multiplied while they are packed. The terms
/// of the block after it begin at `next`.
struct Block {
  int64_t top, height, first, terms, next;
};

/// A piece of a block: rows of it, and columns of b.
template <typename Input, typename Output>
struct Stripe {
  int64_t top, bottom, left, right;
  const Output *panels; ///< of the block's rows
  Output *packed;       ///< of the columns
  bool isPacked;
  const Input *next; ///< lines of the stripe that follows
  int64_t nextPanels;
};

/// One product of two matrices, with what multiplies it.
template <typename Input, typename Output>
struct Product {
  const GemmKernels<Output> &kernels;
  PackPanels<Input, Output> pack;
  int64_t m, n, k;
  const Input *a;
  int64_t aRow, aColumn;
  const Input *b;
  int64_t bRow, bColumn;
  Output *c;
  int64_t cRow;
  bool accumulates;
  Finish finish = {};

  /// Blocks of k of about equal size, so that none is a leftover.
  static int64_t sizeOfBlock(int64_t k) {
    constexpr int64_t most =
        blockOfK * 4 / std::max<int64_t>(sizeof(Output), 4);
    return (k - 1) / ((k - 1) / most + 1) + 1;
  }

  int64_t work() const { return std::max<int64_t>(m * n, 1) * (k + 1); }

  bool runVector() const;
  bool runNarrowVector() const;
  Reach reach() const;
  void addTerms(Reach how, int64_t begin, int64_t end, Output *sums,
                int64_t stride, bool adds) const;
  bool runLong() const;
  bool runTransposed() const;
  bool runDots() const;
  bool runDotsOfFewRows() const;
  bool runFewRows() const;
  bool runResident() const;
  void packA(const Block &block, Output *packedA) const;
  void multiplyNaively(const Block &block,
                       const Stripe<Input, Output> &stripe) const;
  void multiplyStripe(const Block &block,
                      const Stripe<Input, Output> &stripe) const;
  void multiplyBlock(const Block &block, const Output *packedA) const;
  bool runPacked() const;
  void runNaive(int64_t begin, int64_t end) const;
  void run() const;

  /// Rows [top, bottom) and columns [left, right) of c have their values.
  void finished(int64_t top, int64_t bottom, int64_t left,
                int64_t right) const {
    notify(XLA_FINISH_DONE, top, bottom, left, right);
  }
  /// They will soon: what is in memory can be fetched meanwhile.
  void announce(int64_t top, int64_t bottom, int64_t left,
                int64_t right) const {
    notify(XLA_FINISH_AHEAD, top, bottom, left, right);
  }
  void notify(int64_t stage, int64_t top, int64_t bottom, int64_t left,
              int64_t right) const {
    if (!finish.call || top >= bottom || left >= right) {
      return;
    }
    int64_t rows = bottom - top, columns = right - left;
    if (columns == cRow) { // they follow each other
      columns *= rows;
      rows = 1;
    }
    finish.call(finish.context, stage, finish.first + top * cRow + left, rows,
                cRow, columns);
  }
};
} // namespace

static int64_t roundUp(int64_t value, int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

template <typename Body>
static void share(int64_t count, int64_t workOfOne, Body body) {
  int64_t grain =
      std::max<int64_t>(grainOfWork / std::max<int64_t>(workOfOne, 1), 1);
  ThreadPool::shared().parallelFor(count, grain, body);
}

/// Shares out `count` columns in one wide stripe for each thread: rows are read
/// in order, and the wider a stripe, the fewer jumps.
template <typename Body>
static void shareStripes(int64_t count, int64_t workOfOne, Body body) {
  int64_t stripes = std::min<int64_t>(ThreadPool::shared().threads(),
                                      count * workOfOne / grainOfWork + 1);
  int64_t width = roundUp((count - 1) / stripes + 1, 64);
  ThreadPool::shared().parallelFor(
      (count - 1) / width + 1, 1, [&](int64_t begin, int64_t end) {
        body(begin * width, std::min(end * width, count));
      });
}

/// Matrix times vector and the reverse, where lines are contiguous: bound by
/// memory, so each element is read once and nothing is packed.
template <typename Input, typename Output>
bool Product<Input, Output>::runVector() const {
  if constexpr (!std::is_same_v<Input, Output>) {
    return false;
  } else {
    if (m == 1 && aColumn == 1 && bColumn == 1) {
      shareStripes(n, k, [&](int64_t begin, int64_t end) {
        kernels.combineRows(end - begin, k, a, b + begin, bRow, c + begin,
                            accumulates);
        finished(0, 1, begin, end);
      });
      return true;
    }
    // In stretches: a sum loses digits as it grows.
    auto dots = [&](int64_t lines, const Input *x, int64_t step, const Input *y,
                    Output *to, int64_t toStep) {
      constexpr int64_t stretch = 1024;
      int64_t p = 0;
      do {
        kernels.dotRows(lines, std::min(stretch, k - p), x + p, step, y + p, to,
                        toStep, accumulates || p > 0);
        p += stretch;
      } while (p < k);
    };
    if (m == 1 && aColumn == 1 && bRow == 1) {
      share(n, k, [&](int64_t begin, int64_t end) {
        dots(end - begin, b + begin * bColumn, bColumn, a, c + begin, 1);
        finished(0, 1, begin, end);
      });
      return true;
    }
    if (n == 1 && aColumn == 1 && bRow == 1) {
      share(m, k, [&](int64_t begin, int64_t end) {
        dots(end - begin, a + begin * aRow, aRow, b, c + begin * cRow, cRow);
        finished(begin, end, 0, 1);
      });
      return true;
    }
    if (n == 1 && aRow == 1 && bRow == 1 && cRow == 1) {
      shareStripes(m, k, [&](int64_t begin, int64_t end) {
        kernels.combineRows(end - begin, k, b, a + begin, aColumn, c + begin,
                            accumulates);
        finished(begin, end, 0, 1);
      });
      return true;
    }
    return false;
  }
}

/// The same with factors that are narrower than the sums: stretches of a few
/// lines are widened in the first-level cache.
template <typename Input, typename Output>
bool Product<Input, Output>::runNarrowVector() const {
  if constexpr (std::is_same_v<Input, Output>) {
    return false;
  } else {
    constexpr int64_t together = 4, most = 1024;
    bool isRow = m == 1; // a is the vector, and so is c
    const Input *matrix = isRow ? b : a;
    const Input *vector = isRow ? a : b;
    int64_t results = isRow ? n : m, step = isRow ? 1 : cRow;
    int64_t resultStride = isRow ? bColumn : aRow;
    int64_t termStride = isRow ? bRow : aColumn;
    bool combines = resultStride == 1 && step == 1;
    if ((m != 1 && n != 1) || (!combines && termStride != 1)) {
      return false;
    }
    ScratchMemory scratch(k * sizeof(Output));
    auto *wide = static_cast<Output *>(scratch.data());
    if (!wide) {
      return false;
    }
    pack(1, 1, k, vector, 1, isRow ? aColumn : bRow, wide);
    auto notifyFinished = [&](int64_t begin, int64_t end) {
      isRow ? finished(0, 1, begin, end) : finished(begin, end, 0, 1);
    };
    auto combine = [&](int64_t begin, int64_t end) {
      alignas(64) Output tile[together * most];
      for (int64_t i = begin; i < end; i += most) {
        int64_t width = std::min(most, end - i);
        for (int64_t p = 0; p < k; p += together) {
          int64_t lines = std::min(together, k - p);
          pack(width, width, lines, matrix + p * termStride + i, 1, termStride,
               tile);
          kernels.combineRows(width, lines, wide + p, tile, width, c + i,
                              accumulates || p > 0);
        }
        notifyFinished(i, i + width);
      }
    };
    auto dot = [&](int64_t begin, int64_t end) {
      alignas(64) Output tile[together * most];
      for (int64_t i = begin; i < end; i += together) {
        int64_t lines = std::min(together, end - i);
        for (int64_t p = 0; p < k; p += most) {
          int64_t width = std::min(most, k - p);
          pack(width, width, lines, matrix + i * resultStride + p, 1,
               resultStride, tile);
          kernels.dotRows(lines, width, tile, width, wide + p, c + i * step,
                          step, accumulates || p > 0);
        }
        notifyFinished(i, i + lines);
      }
    };
    combines ? shareStripes(results, k, combine) : share(results, k, dot);
    return true;
  }
}

/// The way in which the fewest lanes are multiplied; none where dots of lines
/// are another path's.
template <typename Input, typename Output>
Reach Product<Input, Output>::reach() const {
  const int64_t lanes = kernels.columns / 2;
  // Packing b, so that it has lines along k, one element after the other.
  constexpr int64_t vectorsPerElement = 8;
  auto best = std::pair(INT64_MAX, Reach::Neither);
  if (aColumn == 1 && bRow == 1) {
    best = {m * n, m == 1 || n == 1 ? Reach::Neither : Reach::Dots};
  } else if (std::min(m, n) == 1 && std::max(m, n) > 2 * kernels.columns) {
    return Reach::Neither; // too many sums for registers
  } else if (aColumn == 1 && n <= kernels.rows) {
    best = {m * n + n * vectorsPerElement * lanes, Reach::Neither};
  }
  if (bColumn == 1) {
    best = std::min(best, {m * roundUp(n, lanes), Reach::Lines});
  }
  if (aRow == 1) {
    best = std::min(best, {n * roundUp(m, lanes), Reach::Turned});
  }
  return best.second;
}

/// sums = the terms [begin, end): m by n of them, or n by m where turned. What
/// is read of both factors at a time stays in the nearest caches.
template <typename Input, typename Output>
void Product<Input, Output>::addTerms(Reach how, int64_t begin, int64_t end,
                                      Output *sums, int64_t stride,
                                      bool adds) const {
  // Of dots, long stretches of many lines: short ones are not fetched ahead.
  constexpr int64_t bytes = 128 << 10, shortest = 256;
  const int64_t size =
      how == Reach::Dots
          ? std::max<int64_t>(bytes / ((m + n) * sizeof(Output)), shortest)
          : sizeOfBlock(end - begin);
  auto combine = [&](int64_t from, int64_t count, int64_t rows, int64_t width,
                     const Input *x, int64_t xRow, int64_t xStep,
                     const Input *lines, int64_t step) {
    int64_t most = kernels.rows * (width <= kernels.columns / 2 ? 2 : 1);
    int64_t height = (rows - 1) / ((rows - 1) / most + 1) + 1;
    for (int64_t i = 0; i < rows; i += height) {
      kernels.strip(std::min(height, rows - i), width, count,
                    x + i * xRow + from * xStep, xRow, xStep,
                    lines + from * step, step, sums + i * stride, stride,
                    adds || from > begin);
    }
  };
  for (int64_t p = begin; p < end; p += size) {
    int64_t count = std::min(size, end - p);
    if (how == Reach::Dots) {
      kernels.dotTiles(m, n, count, a + p, aRow, b + p, bColumn, sums, stride,
                       adds || p > begin);
    } else if (how == Reach::Lines) {
      combine(p, count, m, n, a, aRow, aColumn, b, bRow);
    } else {
      combine(p, count, n, m, b, bColumn, bRow, a, aColumn);
    }
  }
}

/// Few rows, few columns, many terms. Pieces of the terms, whose number does
/// not depend on the threads, are summed apart.
template <typename Input, typename Output>
bool Product<Input, Output>::runLong() const {
  if constexpr (!std::is_same_v<Input, Output>) {
    return false;
  } else {
    Reach how = reach();
    if (std::max(m, n) > shortSide || k < longSum || how == Reach::Neither) {
      return false;
    }
    int64_t pieces = std::clamp<int64_t>(work() / grainOfWork, 1, mostPieces);
    if (pieces == 1 && how != Reach::Turned) {
      addTerms(how, 0, k, c, cRow, accumulates);
      finished(0, m, 0, n);
      return true;
    }
    int64_t results = m * n, length = (k - 1) / pieces + 1;
    pieces = (k - 1) / length + 1;
    ScratchMemory scratch(pieces * results * sizeof(Output));
    auto *sums = static_cast<Output *>(scratch.data());
    if (!sums) {
      return false;
    }
    int64_t stride = how == Reach::Turned ? m : n;
    share(pieces, length * results, [&](int64_t begin, int64_t end) {
      for (int64_t piece = begin; piece < end; ++piece) {
        addTerms(how, piece * length, std::min((piece + 1) * length, k),
                 sums + piece * results, stride, false);
      }
    });
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        Output &to = c[i * cRow + j];
        Output sum = accumulates ? to : Output(0);
        int64_t at = how == Reach::Turned ? j * stride + i : i * stride + j;
        for (int64_t piece = 0; piece < pieces; ++piece) {
          sum += sums[piece * results + at];
        }
        to = sum;
      }
    }
    finished(0, m, 0, n);
    return true;
  }
}

/// Few columns, and a transposed: the transposed product has few rows and fills
/// whole vectors, and reads a without packing it.
template <typename Input, typename Output>
bool Product<Input, Output>::runTransposed() const {
  if constexpr (!std::is_same_v<Input, Output>) {
    return false;
  } else {
    if (aRow != 1 || n > kernels.rows || m < 4 * n || n * k < 64) {
      return false;
    }
    ScratchMemory scratch(m * n * sizeof(Output));
    auto *product = static_cast<Output *>(scratch.data());
    if (!product) {
      return false;
    }
    Product{kernels, pack, n,       m,    k,       b, bColumn,
            bRow,    a,    aColumn, aRow, product, m, false}
        .run();
    for (int64_t top = 0; top < m; top += rowsInCache) {
      int64_t bottom = std::min(top + rowsInCache, m);
      for (int64_t i = top; i < bottom; ++i) {
        for (int64_t j = 0; j < n; ++j) {
          Output sum = product[j * m + i];
          c[i * cRow + j] = accumulates ? c[i * cRow + j] + sum : sum;
        }
      }
      finished(top, bottom, 0, n);
    }
    return true;
  }
}

/// Few columns, and lines along k in a: dots, which fill whole vectors along k
/// and read a without packing it.
template <typename Input, typename Output>
bool Product<Input, Output>::runDots() const {
  if constexpr (!std::is_same_v<Input, Output>) {
    return false;
  } else {
    // Against whole vectors along n: the lanes of a dot are summed at the end.
    int64_t lanes = kernels.columns / 2;
    int64_t workOfDots = n * (k + lanes * lanes * 7 / 16);
    if (aColumn != 1 || n > kernels.rows ||
        workOfDots > roundUp(n, lanes) * k) {
      return false;
    }
    bool isPacked = bRow != 1;
    ScratchMemory scratch(isPacked ? n * k * sizeof(Output) : 0);
    const Output *lines = b;
    if (isPacked) {
      auto *packed = static_cast<Output *>(scratch.data());
      if (!packed) {
        return false;
      }
      pack(k, k, n, b, bRow, bColumn, packed); // one panel: b transposed
      lines = packed;
    }
    share(m, n * k, [&](int64_t begin, int64_t end) {
      for (int64_t top = begin; top < end; top += rowsInCache) {
        int64_t bottom = std::min(top + rowsInCache, end);
        kernels.dotTiles(bottom - top, n, k, a + top * aRow, aRow, lines,
                         isPacked ? k : bColumn, c + top * cRow, cRow,
                         accumulates);
        finished(top, bottom, 0, n);
      }
    });
    return true;
  }
}

/// Few rows, and lines along k in b: some lines of b at a time, which stay in
/// the nearest caches while all rows are multiplied with them.
template <typename Input, typename Output>
bool Product<Input, Output>::runDotsOfFewRows() const {
  if constexpr (!std::is_same_v<Input, Output>) {
    return false;
  } else {
    constexpr int64_t bytesOfLines = 64 << 10, stretch = 4096, mostRows = 16;
    // Against packing b: the lanes of a dot are summed at the end.
    int64_t lanes = kernels.columns / 2;
    int64_t workOfDots = m * (k + lanes * lanes * 7 / 16);
    if (bRow != 1 || m > mostRows || workOfDots > (m + packingCost) * k) {
      return false;
    }
    bool isPacked = aColumn != 1;
    ScratchMemory scratch(isPacked ? m * k * sizeof(Output) : 0);
    const Output *rows = a;
    if (isPacked) {
      auto *packed = static_cast<Output *>(scratch.data());
      if (!packed) {
        return false;
      }
      pack(k, k, m, a, aColumn, aRow, packed); // one panel: a transposed
      rows = packed;
    }
    int64_t length = std::min(stretch, k);
    int64_t together =
        roundUp(bytesOfLines / (length * int64_t(sizeof(Output))) + 1, 4);
    share((n - 1) / together + 1, m * k * together,
          [&](int64_t begin, int64_t end) {
            for (int64_t unit = begin; unit < end; ++unit) {
              int64_t from = unit * together, to = std::min(from + together, n);
              for (int64_t p = 0; p < k; p += length) {
                kernels.dotTiles(m, to - from, std::min(length, k - p),
                                 rows + p, isPacked ? k : aRow,
                                 b + from * bColumn + p, bColumn, c + from,
                                 cRow, accumulates || p > 0);
              }
              finished(0, m, from, to);
            }
          });
    return true;
  }
}

/// Few rows: only they are packed.
template <typename Input, typename Output>
bool Product<Input, Output>::runFewRows() const {
  if constexpr (!std::is_same_v<Input, Output>) {
    return false;
  } else {
    int64_t rows = kernels.rows;
    if (bColumn != 1 || m > rows) {
      return false;
    }
    constexpr int64_t stackSize = 4096 / int64_t(sizeof(Output));
    alignas(64) Output onStack[stackSize];
    bool fits = rows * k <= stackSize;
    ScratchMemory scratch(fits ? 0 : rows * k * sizeof(Output));
    auto *panel = fits ? onStack : static_cast<Output *>(scratch.data());
    if (!panel) {
      return false;
    }
    pack(rows, m, k, a, aRow, aColumn, panel);
    int64_t unit = 4 * kernels.columns;
    share((n + unit - 1) / unit, m * k * unit, [&](int64_t begin, int64_t end) {
      int64_t last = std::min(end * unit, n);
      for (int64_t from = begin * unit; from < last; from += rowsInCache) {
        int64_t to = std::min(from + rowsInCache, last);
        announce(0, m, from, to);
        kernels.strip(m, to - from, k, panel, 1, rows, b + from, bRow, c + from,
                      cRow, accumulates);
        finished(0, m, from, to);
      }
    });
    return true;
  }
}

/// A b that stays in the second-level cache: rows of c one tile after another.
/// An element of a is used so few times that packing it would cost more than
/// reading it without packing it.
template <typename Input, typename Output>
bool Product<Input, Output>::runResident() const {
  if constexpr (!std::is_same_v<Input, Output>) {
    return false;
  } else {
    const int64_t rows = kernels.rows, columns = kernels.columns;
    int64_t width = roundUp(n, columns);
    int64_t bytesOfB = width * k * int64_t(sizeof(Output));
    bool isUsedOften = m > 16 * rows || bRow * sizeof(Output) % 4096 == 0;
    bool leavesB =
        bColumn == 1 && bytesOfB <= (isUsedOften ? 1 : 4) * unpackedBytes;
    // Packed nevertheless are lines that map to the same sets of the nearest
    // cache, and those of which a tile would read small parts again and again.
    bool isAcross = aRow == 1 && n > columns && rows * sizeof(Output) < 48;
    bool packsA =
        isAcross || std::max(aRow, aColumn) * sizeof(Output) % 4096 == 0;
    // Panels of both pay where elements of a are far apart, or are used often.
    bool isFar = aRow == 1 && aColumn != 1 && (packsA || n > 2 * columns);
    int64_t most = bColumn == 1 ? usedOftenFrom : residentColumns;
    bool packsB =
        bytesOfB <= residentBytes && n <= most && m >= 4 * rows && !isFar;
    if (!leavesB && !packsB) {
      return false;
    }
    ScratchMemory scratch(leavesB ? 0 : width * k * sizeof(Output));
    auto *packed = static_cast<Output *>(scratch.data());
    if (!leavesB && !packed) {
      return false;
    }
    const int64_t sizeK = sizeOfBlock(k);
    auto packB = [&](int64_t begin, int64_t end) {
      int64_t left = begin * columns, right = std::min(end * columns, n);
      for (int64_t p = 0; p < k; p += sizeK) {
        int64_t kHere = std::min(sizeK, k - p);
        pack(columns, right - left, kHere, b + p * bRow + left * bColumn,
             bColumn, bRow, packed + p * width + left * kHere);
      }
    };
    if (!leavesB) {
      share(width / columns, columns * k * packingCost, packB);
    }
    share((m + rows - 1) / rows, rows * k * n, [&](int64_t begin, int64_t end) {
      alignas(64) Output panel[16 * blockOfK * 4 / sizeof(Output)];
      auto multiply = [&](int64_t i, int64_t present, int64_t p, int64_t left,
                          int64_t right) {
        int64_t kHere = std::min(sizeK, k - p);
        const Output *lines = a + i * aRow + p * aColumn;
        if (packsA) {
          pack(rows, present, kHere, lines, aRow, aColumn, panel);
        }
        for (int64_t j = left; j < right; j += columns) {
          kernels.strip(present, std::min(columns, right - j), kHere,
                        packsA ? panel : lines, packsA ? 1 : aRow,
                        packsA ? rows : aColumn,
                        leavesB ? b + p * bRow + j
                                : packed + p * width + j * kHere,
                        leavesB ? bRow : columns, c + i * cRow + j, cRow,
                        accumulates || p > 0);
        }
      };
      for (int64_t i = begin * rows; i < std::min(end * rows, m); i += rows) {
        int64_t present = std::min(rows, m - i);
        for (int64_t left = 0; left < n; left += residentColumns) {
          int64_t right = std::min(left + residentColumns, n);
          for (int64_t p = 0; p < k; p += sizeK) {
            if (p + sizeK >= k) {
              announce(i, i + present, left, right);
            }
            multiply(i, present, p, left, right);
          }
          finished(i, i + present, left, right);
        }
      }
    });
    return true;
  }
}

/// All threads pack the rows of a block.
template <typename Input, typename Output>
void Product<Input, Output>::packA(const Block &block, Output *packedA) const {
  const int64_t rows = kernels.rows, kHere = block.terms;
  const Input *from = a + block.top * aRow + block.first * aColumn;
  share((block.height - 1) / rows + 1, rows * kHere * packingCost,
        [&](int64_t begin, int64_t end) {
          int64_t top = begin * rows;
          int64_t bottom = std::min(end * rows, block.height);
          pack(rows, bottom - top, kHere, from + top * aRow, aRow, aColumn,
               packedA + top * kHere);
        });
}

/// The same as below, without memory for packing.
template <typename Input, typename Output>
void Product<Input, Output>::multiplyNaively(
    const Block &block, const Stripe<Input, Output> &stripe) const {
  Product part = *this;
  part.m = stripe.bottom - stripe.top;
  part.n = stripe.right - stripe.left;
  part.k = block.terms;
  part.a += (block.top + stripe.top) * aRow + block.first * aColumn;
  part.b += block.first * bRow + stripe.left * bColumn;
  part.c += (block.top + stripe.top) * cRow + stripe.left;
  part.accumulates = accumulates || block.first > 0;
  part.finish = {};
  part.runNaive(0, part.m);
  if (block.first + block.terms >= k) {
    finished(block.top + stripe.top, block.top + stripe.bottom, stripe.left,
             stripe.right);
  }
}

/// Multiplies some rows of a block with a stripe of b. Panels of it that are
/// not packed are so by the first tile that reads them, unless they have to be
/// turned or widened. Meanwhile the next stripe is fetched.
template <typename Input, typename Output>
void Product<Input, Output>::multiplyStripe(
    const Block &block, const Stripe<Input, Output> &stripe) const {
  if (!stripe.packed) {
    multiplyNaively(block, stripe);
    return;
  }
  constexpr int64_t fetches = 4; // tiles that fetch a panel of b
  const int64_t rows = kernels.rows, columns = kernels.columns;
  const int64_t kHere = block.terms;
  const bool isLast = block.first + kHere >= k;
  const Input *lines = b + block.first * bRow;
  const bool packsOnTheWay = std::is_same_v<Input, Output> && bColumn == 1;
  int64_t whole = packsOnTheWay ? stripe.left + (stripe.right - stripe.left) /
                                                    columns * columns
                                : stripe.left;
  if (!stripe.isPacked && whole < stripe.right) {
    pack(columns, stripe.right - whole, kHere, lines + whole * bColumn, bColumn,
         bRow, stripe.packed + (whole - stripe.left) * kHere);
  }
  int64_t fetch = 0;
  const int64_t toFetch = packsOnTheWay ? stripe.nextPanels * fetches : 0;
  for (int64_t row = stripe.top; row < stripe.bottom; row += rows) {
    const int64_t end = std::min(row + rows, stripe.bottom);
    const bool packsNow = !stripe.isPacked && row == stripe.top;
    for (int64_t j = stripe.left; j < stripe.right; j += columns) {
      const int64_t width = std::min(columns, stripe.right - j);
      Output *panel = stripe.packed + (j - stripe.left) * kHere;
      PanelTile<Output> tile = {end - row, width,
                                kHere,     stripe.panels + row * kHere,
                                panel,     columns,
                                nullptr,   c + (block.top + row) * cRow + j,
                                cRow,      accumulates || block.first > 0,
                                nullptr,   0};
      if (isLast) {
        announce(block.top + row, block.top + end, j, j + width);
      }
      if constexpr (std::is_same_v<Input, Output>) {
        if (packsNow && j < whole) {
          tile.b = lines + j;
          tile.bStride = bRow;
          tile.packed = panel;
        } else if (fetch < toFetch) {
          tile.ahead = stripe.next + fetch / fetches * columns +
                       fetch % fetches * (kHere / fetches) * bRow;
          tile.aheadStride = bRow;
          ++fetch;
        }
      }
      kernels.panelTile(tile);
    }
    if (isLast) {
      finished(block.top + row, block.top + end, stripe.left, stripe.right);
    }
  }
}

/// Multiplies a block whose a is packed. Pieces are stripes of b times all rows
/// of the block, or a part of them where threads are many; who multiplies a
/// stripe packs it, so that it is in the second-level cache.
template <typename Input, typename Output>
void Product<Input, Output>::multiplyBlock(const Block &block,
                                           const Output *packedA) const {
  const int64_t rows = kernels.rows, columns = kernels.columns;
  const int64_t tiles = (block.height - 1) / rows + 1;
  const int64_t panels = (n - 1) / columns + 1;
  // Enough pieces that threads end at about the same time.
  const int64_t wanted = 4 * ThreadPool::shared().threads();
  auto widthOf = [&](int64_t count, int64_t least) {
    return std::clamp<int64_t>((panels - 1) / count + 1, least, panelsOfN);
  };
  int64_t width = widthOf(wanted, 4);
  int64_t piecesN = (panels - 1) / width + 1;
  int64_t piecesM = std::clamp<int64_t>((wanted - 1) / piecesN + 1, 1,
                                        std::max(tiles / tilesOfM, int64_t(1)));
  width = std::min(width, widthOf((wanted - 1) / piecesM + 1, 2));
  piecesN = (panels - 1) / width + 1;
  const int64_t stepN = width * columns;
  const int64_t stepM = ((tiles - 1) / piecesM + 1) * rows;
  piecesM = (block.height - 1) / stepM + 1;
  share(piecesM * piecesN,
        std::min(stepM, block.height) * std::min(stepN, n) * block.terms,
        [&](int64_t begin, int64_t end) {
          ScratchMemory scratch(stepN * block.terms * sizeof(Output));
          int64_t packed = -1;
          for (int64_t piece = begin; piece < end; ++piece) {
            int64_t number = piece / piecesM, left = number * stepN;
            int64_t right = std::min(left + stepN, n);
            int64_t top = piece % piecesM * stepM;
            bool isLast = right == n;
            int64_t after = isLast ? 0 : right;
            const Input *next = b + after * bColumn +
                                (isLast ? block.next : block.first) * bRow;
            int64_t nextPanels = isLast && block.next >= k
                                     ? 0
                                     : std::min(width, (n - after) / columns);
            multiplyStripe(block, {top, std::min(top + stepM, block.height),
                                   left, right, packedA,
                                   static_cast<Output *>(scratch.data()),
                                   packed == number, next, nextPanels});
            packed = number;
          }
        });
}

template <typename Input, typename Output>
bool Product<Input, Output>::runPacked() const {
  constexpr int64_t scale = std::max<int64_t>(sizeof(Output) / 4, 1);
  const int64_t rows = kernels.rows;
  const int64_t sizeK = sizeOfBlock(k);
  const int64_t sizeM =
      std::min(roundUp(m, rows), roundUp(blockOfM / scale, rows));
  ScratchMemory scratch(sizeM * sizeK * sizeof(Output));
  auto *packedA = static_cast<Output *>(scratch.data());
  if (!packedA) {
    return false;
  }
  for (int64_t p = 0; p < k; p += sizeK) {
    for (int64_t i = 0; i < m; i += sizeM) {
      Block block = {i, std::min(sizeM, m - i), p, std::min(sizeK, k - p),
                     i + sizeM < m ? p : p + sizeK};
      packA(block, packedA);
      multiplyBlock(block, packedA);
    }
  }
  return true;
}

/// Rows [begin, end), without memory for packing.
template <typename Input, typename Output>
void Product<Input, Output>::runNaive(int64_t begin, int64_t end) const {
  XlaGemm gemm{1,    m,       n, k, a,    0,           aRow,    aColumn, b, 0,
               bRow, bColumn, c, 0, cRow, accumulates, nullptr, nullptr, 0};
  gemmNaiveRows<Input, Output>(gemm, begin, end);
  finished(begin, end, 0, n);
}

template <typename Input, typename Output>
void Product<Input, Output>::run() const {
  if (m <= 0 || n <= 0) {
    return;
  }
  bool isDone = k > 0 && (runLong() || runVector() || runNarrowVector() ||
                          runTransposed() || runDots() || runDotsOfFewRows() ||
                          runFewRows() || runResident() || runPacked());
  if (!isDone) {
    runNaive(0, m);
  }
}

template <typename Input, typename Output>
static void multiply(const XlaGemm &gemm, const GemmKernels<Output> &kernels,
                     PackPanels<Input, Output> pack) {
  auto product = [&](int64_t batch) {
    return Product<Input, Output>{
        kernels,
        pack,
        gemm.m,
        gemm.n,
        gemm.k,
        static_cast<const Input *>(gemm.a) + batch * gemm.a_batch_stride,
        gemm.a_row_stride,
        gemm.a_column_stride,
        static_cast<const Input *>(gemm.b) + batch * gemm.b_batch_stride,
        gemm.b_row_stride,
        gemm.b_column_stride,
        static_cast<Output *>(gemm.c) + batch * gemm.c_batch_stride,
        gemm.c_row_stride,
        gemm.accumulate != 0,
        {gemm.finish, gemm.finish_context,
         gemm.finish_first + batch * gemm.c_batch_stride}};
  };
  if (gemm.batch == 1) {
    product(0).run();
    return;
  }
  // Many small products are shared out whole; few large ones one by one.
  if (gemm.batch < 2 * ThreadPool::shared().threads()) {
    for (int64_t batch = 0; batch < gemm.batch; ++batch) {
      product(batch).run();
    }
    return;
  }
  share(gemm.batch, product(0).work(), [&](int64_t begin, int64_t end) {
    for (int64_t batch = begin; batch < end; ++batch) {
      product(batch).run();
    }
  });
}

} // namespace xla::cpu

using namespace xla::cpu;

void xla_gemm_f32(const XlaGemm *gemm) {
  if (multiplyTiny<float>(*gemm, xla_gemm_f32)) {
    return;
  }
  const GemmInstructionSet &set = instructionSet();
  multiply<float, float>(*gemm, set.f32, set.packF32);
}

void xla_gemm_f64(const XlaGemm *gemm) {
  if (multiplyTiny<double>(*gemm, xla_gemm_f64)) {
    return;
  }
  const GemmInstructionSet &set = instructionSet();
  multiply<double, double>(*gemm, set.f64, set.packF64);
}

void xla_gemm_s32(const XlaGemm *gemm) {
  const GemmInstructionSet &set = instructionSet();
  multiply<uint32_t, uint32_t>(*gemm, set.u32, set.packU32);
}

void xla_gemm_bf16_f32(const XlaGemm *gemm) {
  if (multiplyBrainFloats(*gemm)) {
    return;
  }
  const GemmInstructionSet &set = instructionSet();
  multiply<BrainFloat, float>(*gemm, set.f32, set.packBF16);
}

void xla_gemm_f16_f32(const XlaGemm *gemm) {
  const GemmInstructionSet &set = instructionSet();
  multiply<_Float16, float>(*gemm, set.f32, set.packF16);
}
