#include "xla/runtime/ThreadPool.h"
#include "xla/runtime/abi/Runtime.h"

#include "xla/support/Testing.h"

#include <array>
#include <complex>
#include <random>
#include <vector>

namespace {

/// A sparse matrix as its elements in order of their rows; some are out of
/// bounds.
template <typename T>
struct Matrix {
  int64_t rows, columns;
  std::vector<T> data;
  std::vector<int64_t> row, column;
};

template <typename T>
T drawn(std::mt19937 &generator) {
  return T(int(generator() % 17) - 8);
}

template <typename T>
Matrix<T> randomMatrix(int64_t rows, int64_t columns, int64_t perRow,
                       unsigned seed) {
  std::mt19937 generator(seed);
  Matrix<T> made{rows, columns, {}, {}, {}};
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t count = perRow ? int64_t(generator()) % (2 * perRow) : 0;
    for (int64_t i = 0; i < count; ++i) {
      made.data.push_back(drawn<T>(generator));
      made.row.push_back(row);
      const bool isOutside = generator() % 16 == 0 || columns == 0;
      const int64_t outside = generator() % 2 ? columns : -1 - columns;
      // Negative indices count from the end.
      const int64_t origin = generator() % 4 == 0 ? columns : 0;
      made.column.push_back(
          isOutside ? outside : int64_t(generator()) % columns - origin);
    }
  }
  return made;
}

/// The index that a negative one, which counts from the end, stands for.
int64_t wrapped(int64_t i, int64_t count) { return i < 0 ? i + count : i; }

/// The sums by their definition. All numbers are small and whole: every order
/// of additions gives the same.
template <typename T>
std::vector<T> oracle(const Matrix<T> &matrix, const std::vector<T> &dense,
                      int64_t width) {
  std::vector<T> result(matrix.rows * width);
  for (size_t e = 0; e < matrix.data.size(); ++e) {
    const int64_t row = matrix.row[e];
    const int64_t column = wrapped(matrix.column[e], matrix.columns);
    if (column < 0 || column >= matrix.columns) {
      continue;
    }
    for (int64_t i = 0; i < width; ++i) {
      result[row * width + i] += matrix.data[e] * dense[column * width + i];
    }
  }
  return result;
}

/// Where the elements of each row begin.
template <typename Word>
std::vector<Word> begins(const std::vector<int64_t> &row, int64_t rows) {
  std::vector<Word> result(rows + 1);
  for (int64_t each : row) {
    ++result[each + 1];
  }
  for (int64_t i = 0; i < rows; ++i) {
    result[i + 1] += result[i];
  }
  return result;
}

template <typename T, typename Word>
void check(int64_t type, const Matrix<T> &matrix, int64_t width) {
  std::mt19937 generator(11);
  std::vector<T> dense(matrix.columns * width);
  for (T &value : dense) {
    value = drawn<T>(generator);
  }
  const std::vector<T> expected = oracle(matrix, dense, width);
  const int64_t stored = int64_t(matrix.data.size());
  // Nothing is left of what the result held before.
  std::vector<T> result(expected.size(), T(77));
  XlaSparseProduct product{};
  product.type = type;
  product.word_bytes = sizeof(Word);
  product.stored = stored;
  product.rows = matrix.rows;
  product.columns = matrix.columns;
  product.width = width;
  product.data = matrix.data.data();
  product.dense = dense.data();
  product.result = result.data();

  // Coordinates, as pairs.
  std::vector<Word> pairs;
  pairs.reserve(2 * stored + 2);
  for (int64_t e = 0; e < stored; ++e) {
    pairs.push_back(Word(matrix.row[e]));
    pairs.push_back(Word(matrix.column[e]));
  }
  product.first = pairs.data();
  product.second = pairs.data() + 1;
  product.first_step = product.second_step = 2;
  for (int64_t form : {XLA_SPARSE_COORDINATES, XLA_SPARSE_SORTED}) {
    product.form = form;
    result.assign(result.size(), T(77));
    XLA_CHECK(xla_sparse_product(&product) == XLA_RUNTIME_OK);
    XLA_CHECK(result == expected);
  }

  std::vector<Word> columns(matrix.column.begin(), matrix.column.end());
  std::vector<Word> rowBegins = begins<Word>(matrix.row, matrix.rows);
  product.form = XLA_SPARSE_ROWS;
  product.first = rowBegins.data();
  product.second = columns.data();
  result.assign(result.size(), T(77));
  XLA_CHECK(xla_sparse_product(&product) == XLA_RUNTIME_OK);
  XLA_CHECK(result == expected);

  // The transposed matrix, by its columns, which are the rows here.
  Matrix<T> turned{matrix.columns, matrix.rows, {}, {}, {}};
  for (int64_t e = 0; e < stored; ++e) {
    const int64_t column = wrapped(matrix.column[e], matrix.columns);
    const bool isInside = column >= 0 && column < matrix.columns;
    turned.data.push_back(isInside ? matrix.data[e] : T());
    turned.row.push_back(isInside ? column : 0);
    turned.column.push_back(matrix.row[e]);
  }
  std::vector<T> other(matrix.rows * width);
  for (T &value : other) {
    value = drawn<T>(generator);
  }
  product.form = XLA_SPARSE_COLUMNS;
  product.rows = matrix.columns;
  product.columns = matrix.rows;
  product.dense = other.data();
  result.assign(matrix.columns * width, T(77));
  product.result = result.data();
  XLA_CHECK(xla_sparse_product(&product) == XLA_RUNTIME_OK);
  XLA_CHECK(matrix.columns == 0 || result == oracle(turned, other, width));
}

template <typename T>
void checkType(int64_t type) {
  for (auto [rows, columns, perRow] : {std::array<int64_t, 3>{0, 3, 2},
                                       {3, 0, 2},
                                       {1, 1, 0},
                                       {5, 7, 1},
                                       {64, 3, 40},
                                       {3, 900, 500},
                                       {3000, 200, 20}}) {
    for (int64_t width : {0, 1, 2, 3, 16, 65}) {
      Matrix<T> matrix = randomMatrix<T>(rows, columns, perRow, 5);
      check<T, int32_t>(type, matrix, width);
      check<T, int64_t>(type, matrix, width);
    }
  }
}

/// Begins that no matrix has: nothing out of bounds is read.
void checkMeaninglessBegins() {
  std::vector<float> data(4, 1), dense(3, 1), result(5);
  std::vector<int32_t> first = {-5, 900, 2, 1, 3, INT32_MAX};
  std::vector<int32_t> second = {0, 1, INT32_MIN, 2};
  XlaSparseProduct product{};
  product.word_bytes = 4;
  product.stored = 4;
  product.rows = 5;
  product.columns = 3;
  product.width = 1;
  product.data = data.data();
  product.first = first.data();
  product.second = second.data();
  product.dense = dense.data();
  product.result = result.data();
  product.form = XLA_SPARSE_ROWS;
  XLA_CHECK(xla_sparse_product(&product) == XLA_RUNTIME_OK);
  XLA_CHECK(result == (std::vector<float>{3, 0, 0, 1, 1}));
}

} // namespace

int main() {
  for (int threads : {1, 3}) {
    xla::ThreadPool::chooseThreads(threads);
    checkType<float>(0);
    checkType<double>(1);
    checkType<std::complex<float>>(2);
    checkType<std::complex<double>>(3);
  }
  checkMeaninglessBegins();
  return xla::testing::failedChecks();
}
