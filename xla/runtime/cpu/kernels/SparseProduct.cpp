#include "xla/runtime/ThreadPool.h"
#include "xla/runtime/abi/Runtime.h"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <utility>

// Where the elements of a row follow each other, rows are shared out among
// threads. Otherwise any element may meet any row: threads then share out the
// columns of the dense matrix. So each sum has one order.

namespace xla::cpu {

/// What is worth a helper's wake-up, in stored elements times a vector: each
/// takes about a nanosecond.
static constexpr int64_t elementsPerPiece = 1 << 17;

/// What an element times a row of the dense matrix costs, in the same measure.
static int64_t costOf(const XlaSparseProduct &p) { return 1 + p.width / 8; }

/// Without the case distinctions of std::complex's product, which vectors of
/// processors lack.
template <typename T>
static T times(T x, T y) {
  return x * y;
}
template <typename R>
static std::complex<R> times(std::complex<R> x, std::complex<R> y) {
  return {x.real() * y.real() - x.imag() * y.imag(),
          x.real() * y.imag() + x.imag() * y.real()};
}

static bool isInside(int64_t i, int64_t count) {
  return static_cast<uint64_t>(i) < static_cast<uint64_t>(count);
}

/// Whether `i` names an element; a negative one counts from the end, and is
/// replaced by that element's index.
static bool locate(int64_t &i, int64_t count) {
  i += i < 0 ? count : 0;
  return isInside(i, count);
}

template <typename T>
static void addRow(T *__restrict to, const T *__restrict from, T factor,
                   int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) {
    to[i] += times(factor, from[i]);
  }
}

/// The elements of row or column `i`, whatever `begins` says.
template <typename Word>
static std::pair<int64_t, int64_t> elementsOf(const Word *begins, int64_t i,
                                              int64_t stored) {
  const int64_t begin = std::clamp<int64_t>(begins[i], 0, stored);
  return {begin, std::clamp<int64_t>(begins[i + 1], begin, stored)};
}

/// Whether what is done once a row costs less than the row: the end of each is
/// guessed wrong by the processor.
static bool hasLongRows(const XlaSparseProduct &p) {
  return p.rows > 0 && p.stored / p.rows >= 32;
}

/// A row of the matrix times a vector. Long rows have four sums, which wait for
/// each other less than one would.
template <typename T, typename Word>
static T rowTimesVector(const T *data, const Word *column, int64_t count,
                        const T *dense, int64_t columns, bool isLong) {
  auto product = [&](int64_t e) {
    int64_t at = column[e];
    return locate(at, columns) ? times(data[e], dense[at]) : T();
  };
  T sum = T();
  int64_t e = 0;
  if (isLong) {
    T sums[4] = {};
    for (; e + 4 <= count; e += 4) {
      for (int64_t k = 0; k < 4; ++k) {
        sums[k] += product(e + k);
      }
    }
    sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }
  for (; e < count; ++e) {
    sum += product(e);
  }
  return sum;
}

template <typename T, typename Word>
static void multiplyRows(const XlaSparseProduct &p, int64_t begin,
                         int64_t end) {
  const int64_t width = p.width, columns = p.columns;
  const bool isLong = hasLongRows(p);
  auto *data = static_cast<const T *>(p.data);
  auto *column = static_cast<const Word *>(p.second);
  auto *dense = static_cast<const T *>(p.dense);
  auto *result = static_cast<T *>(p.result);
  for (int64_t row = begin; row < end; ++row) {
    auto [from, to] =
        elementsOf(static_cast<const Word *>(p.first), row, p.stored);
    if (width == 1) {
      result[row] = rowTimesVector(data + from, column + from, to - from, dense,
                                   columns, isLong);
      continue;
    }
    T *sums = result + row * width;
    std::fill_n(sums, width, T());
    for (int64_t e = from; e < to; ++e) {
      int64_t at = column[e];
      if (locate(at, columns)) {
        addRow(sums, dense + at * width, data[e], 0, width);
      }
    }
  }
}

/// Calls `visit(element, row, column)` for the elements from `begin` to `end`
/// of coordinates that are within bounds.
template <typename Word, typename Visit>
static void forCoordinates(const XlaSparseProduct &p, int64_t begin,
                           int64_t end, Visit visit) {
  auto *first = static_cast<const Word *>(p.first);
  auto *second = static_cast<const Word *>(p.second);
  const int64_t rows = p.rows, columns = p.columns;
  const int64_t firstStep = p.first_step, secondStep = p.second_step;
  for (int64_t e = begin; e < end; ++e) {
    int64_t row = first[e * firstStep], column = second[e * secondStep];
    if (locate(row, rows) && locate(column, columns)) {
      visit(e, row, column);
    }
  }
}

/// The same for all elements of a matrix that is stored by columns.
template <typename Word, typename Visit>
static void forColumns(const XlaSparseProduct &p, Visit visit) {
  auto *row = static_cast<const Word *>(p.second);
  const int64_t rows = p.rows;
  for (int64_t column = 0; column < p.columns; ++column) {
    auto [begin, end] =
        elementsOf(static_cast<const Word *>(p.first), column, p.stored);
    for (int64_t e = begin; e < end; ++e) {
      int64_t at = row[e];
      if (locate(at, rows)) {
        visit(e, at, column);
      }
    }
  }
}

/// Adds what `forAll` visits, for columns `begin` to `end` of the dense matrix.
template <typename T, typename ForAll>
static void scatter(const XlaSparseProduct &p, int64_t begin, int64_t end,
                    ForAll forAll) {
  const int64_t width = p.width;
  auto *data = static_cast<const T *>(p.data);
  auto *dense = static_cast<const T *>(p.dense);
  auto *result = static_cast<T *>(p.result);
  if (width > 1) {
    forAll([=](int64_t e, int64_t row, int64_t column) {
      addRow(result + row * width, dense + column * width, data[e], begin, end);
    });
    return;
  }
  if (!hasLongRows(p)) {
    forAll([=](int64_t e, int64_t row, int64_t column) {
      result[row] += times(data[e], dense[column]);
    });
    return;
  }
  // Elements of one row follow each other as a rule: their sum stays here.
  int64_t last = -1;
  T sum = T();
  forAll([=, &last, &sum](int64_t e, int64_t row, int64_t column) {
    const T product = times(data[e], dense[column]);
    if (row == last) {
      sum += product;
      return;
    }
    if (last >= 0) {
      result[last] = sum;
    }
    sum = result[row] + product;
    last = row;
  });
  if (last >= 0) {
    result[last] = sum;
  }
}

template <typename T>
static void clear(const XlaSparseProduct &p) {
  const int64_t grain = elementsPerPiece / costOf(p) + 1;
  ThreadPool::shared().parallelFor(
      p.rows, grain, [&](int64_t begin, int64_t end) {
        auto *result = static_cast<T *>(p.result);
        std::fill(result + begin * p.width, result + end * p.width, T());
      });
}

/// The first element from `e` on that begins a row.
template <typename Word>
static int64_t beginOfRow(const XlaSparseProduct &p, int64_t e) {
  auto *row = static_cast<const Word *>(p.first);
  while (e > 0 && e < p.stored &&
         row[e * p.first_step] == row[(e - 1) * p.first_step]) {
    ++e;
  }
  return e;
}

template <typename T, typename Word>
static void multiply(const XlaSparseProduct &p) {
  if (p.width <= 0) {
    return;
  }
  ThreadPool &pool = ThreadPool::shared();
  if (p.form == XLA_SPARSE_ROWS) {
    const int64_t perRow =
        (p.stored / std::max<int64_t>(p.rows, 1) + 1) * costOf(p);
    pool.parallelFor(p.rows, elementsPerPiece / perRow + 1,
                     [&](int64_t begin, int64_t end) {
                       multiplyRows<T, Word>(p, begin, end);
                     });
    return;
  }
  clear<T>(p);
  // Rows that count from the end are those of other threads too.
  const bool countsFromEnd =
      p.stored > 0 && static_cast<const Word *>(p.first)[0] < 0;
  if (p.form == XLA_SPARSE_SORTED && !countsFromEnd) {
    pool.parallelFor(p.stored, elementsPerPiece / costOf(p) + 1,
                     [&](int64_t begin, int64_t end) {
                       begin = beginOfRow<Word>(p, begin);
                       end = beginOfRow<Word>(p, end);
                       scatter<T>(p, 0, p.width, [&](auto visit) {
                         forCoordinates<Word>(p, begin, end, visit);
                       });
                     });
    return;
  }
  pool.parallelFor(p.width,
                   std::max<int64_t>(16, 8 * elementsPerPiece / (p.stored + 1)),
                   [&](int64_t begin, int64_t end) {
                     scatter<T>(p, begin, end, [&](auto visit) {
                       if (p.form == XLA_SPARSE_COLUMNS) {
                         forColumns<Word>(p, visit);
                       } else {
                         forCoordinates<Word>(p, 0, p.stored, visit);
                       }
                     });
                   });
}

template <typename T>
static void run(const XlaSparseProduct &p) {
  if (p.word_bytes == 4) {
    multiply<T, int32_t>(p);
  } else {
    multiply<T, int64_t>(p);
  }
}

} // namespace xla::cpu

int32_t xla_sparse_product(const XlaSparseProduct *product) {
  switch (product->type) {
  case 0:
    xla::cpu::run<float>(*product);
    break;
  case 1:
    xla::cpu::run<double>(*product);
    break;
  case 2:
    xla::cpu::run<std::complex<float>>(*product);
    break;
  default:
    xla::cpu::run<std::complex<double>>(*product);
  }
  return XLA_RUNTIME_OK;
}
