// Factors and solutions multiplied out again, against the bounds of the header.

#include "xla/runtime/abi/Runtime.h"

#include "xla/support/Testing.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <vector>

template <typename T>
constexpr int64_t typeOf = -1;
template <>
constexpr int64_t typeOf<float> = XLA_LINALG_F32;
template <>
constexpr int64_t typeOf<double> = XLA_LINALG_F64;
template <>
constexpr int64_t typeOf<std::complex<float>> = XLA_LINALG_C64;
template <>
constexpr int64_t typeOf<std::complex<double>> = XLA_LINALG_C128;

template <typename T>
struct RealOf {
  using Type = T;
};
template <typename P>
struct RealOf<std::complex<P>> {
  using Type = P;
};

using Wide = std::complex<double>;

static double conjugateFactor(bool isConjugate) { return isConjugate ? -1 : 1; }

template <typename T>
static T randomNumber(std::mt19937 &engine) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  double re = uniform(engine), im = uniform(engine);
  if constexpr (std::is_floating_point_v<T>) {
    return T(re);
  } else {
    return T(typename RealOf<T>::Type(re), typename RealOf<T>::Type(im));
  }
}

/// Checks |op(a) x - b| against the bound of the header.
template <typename T>
static void checkSolve(int64_t batch, int64_t rows, int64_t columns, bool left,
                       bool lower, bool unit, int64_t transpose) {
  std::mt19937 engine(rows * 31 + columns);
  int64_t n = left ? rows : columns;
  std::vector<T> a(batch * n * n), b(batch * rows * columns);
  for (T &x : a) {
    x = randomNumber<T>(engine) / T(typename RealOf<T>::Type(n));
  }
  for (int64_t k = 0; k < batch; ++k) {
    for (int64_t i = 0; i < n; ++i) {
      a[k * n * n + i * n + i] += T(2);
    }
  }
  for (T &x : b) {
    x = randomNumber<T>(engine);
  }
  std::vector<T> x = b;
  XlaTriangularSolve solve = {typeOf<T>, batch, rows,      columns,  left,
                              lower,     unit,  transpose, a.data(), x.data()};
  XLA_CHECK(xla_triangular_solve(&solve) == 0);
  bool isPlain = transpose == XLA_TRANSPOSE_NONE;
  bool isLower = lower == isPlain;
  auto element = [&](int64_t k, int64_t i, int64_t j) -> Wide {
    if (i == j && unit) {
      return 1;
    }
    if (isLower ? j > i : j < i) {
      return 0;
    }
    Wide value = a[k * n * n + (isPlain ? i * n + j : j * n + i)];
    return {value.real(),
            value.imag() * conjugateFactor(transpose == XLA_TRANSPOSE_ADJOINT)};
  };
  double epsilon = std::numeric_limits<typename RealOf<T>::Type>::epsilon();
  double worst = 0;
  for (int64_t k = 0; k < batch; ++k) {
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < columns; ++j) {
        Wide sum = 0;
        double size = 0;
        for (int64_t p = 0; p < n; ++p) {
          Wide factor = left ? element(k, i, p) : element(k, p, j);
          Wide other = x[k * rows * columns +
                         (left ? p * columns + j : i * columns + p)];
          sum += factor * other;
          size += std::abs(factor) * std::abs(other);
        }
        Wide wanted = b[k * rows * columns + i * columns + j];
        worst = std::max(worst, std::abs(sum - wanted) /
                                    (4 * double(n) * epsilon * size));
      }
    }
  }
  XLA_CHECK(worst <= 1);
}

template <typename T>
static void checkCholesky(int64_t batch, int64_t n, bool lower) {
  std::mt19937 engine(n + 7);
  std::vector<T> root(n * n), a(batch * n * n);
  for (T &x : root) {
    x = randomNumber<T>(engine);
  }
  for (int64_t k = 0; k < batch; ++k) {
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        Wide sum = i == j ? 1 : 0;
        for (int64_t p = 0; p < n; ++p) {
          sum += Wide(root[i * n + p]) * std::conj(Wide(root[j * n + p]));
        }
        if constexpr (std::is_floating_point_v<T>) {
          a[k * n * n + i * n + j] = T(sum.real());
        } else {
          a[k * n * n + i * n + j] = T(sum);
        }
      }
    }
  }
  std::vector<T> original = a;
  for (int64_t k = 0; k < batch; ++k) { // the other triangle is not read
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < i; ++j) {
        a[k * n * n + (lower ? j * n + i : i * n + j)] = T(NAN);
      }
    }
  }
  XlaCholesky cholesky = {typeOf<T>, batch, n, lower, a.data()};
  XLA_CHECK(xla_cholesky(&cholesky) == 0);
  double epsilon = std::numeric_limits<typename RealOf<T>::Type>::epsilon();
  double worst = 0;
  for (int64_t k = 0; k < batch; ++k) {
    const T *f = a.data() + k * n * n;
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        Wide sum = 0;
        double size = 0;
        for (int64_t p = 0; p < n; ++p) {
          Wide x = lower ? Wide(f[i * n + p]) : std::conj(Wide(f[p * n + i]));
          Wide y = lower ? std::conj(Wide(f[j * n + p])) : Wide(f[p * n + j]);
          sum += x * y;
          size += std::abs(x) * std::abs(y);
        }
        Wide wanted = original[k * n * n + i * n + j];
        double bound = 2 * double(n + 1) * epsilon * size;
        worst = std::max(worst, std::abs(sum - wanted) / bound);
        if (i != j && (i < j) == lower) {
          XLA_CHECK(f[i * n + j] == T(0));
        }
      }
    }
  }
  XLA_CHECK(worst <= 1);
}

template <typename T>
static void checkAll() {
  for (int64_t n : {1, 2, 15, 16, 17, 40, 100}) {
    for (bool lower : {false, true}) {
      checkCholesky<T>(n == 17 ? 3 : 1, n, lower);
    }
  }
  const int64_t shapes[][2] = {{1, 1},   {3, 5},   {16, 2},  {33, 17},
                               {17, 70}, {70, 31}, {20, 270}};
  for (auto [rows, columns] : shapes) {
    for (int variant = 0; variant < 24; ++variant) {
      checkSolve<T>(rows == 33 ? 2 : 1, rows, columns, variant & 1, variant & 2,
                    variant & 4, variant / 8);
    }
  }
}

static void emptyIsFine() {
  XlaCholesky cholesky = {XLA_LINALG_F32, 0, 3, 1, nullptr};
  XLA_CHECK(xla_cholesky(&cholesky) == 0);
  XlaTriangularSolve solve = {XLA_LINALG_F32, 1,      0, 3, 1, 1, 0, 0,
                              nullptr,        nullptr};
  XLA_CHECK(xla_triangular_solve(&solve) == 0);
}

static void indefiniteIsNan() {
  for (int64_t n : {2, 40}) {
    std::vector<float> a(n * n, 0.0f);
    for (int64_t i = 0; i < n; ++i) {
      a[i * n + i] = i == n - 1 ? -1.0f : 1.0f;
    }
    XlaCholesky cholesky = {XLA_LINALG_F32, 1, n, 1, a.data()};
    XLA_CHECK(xla_cholesky(&cholesky) == 0);
    for (float x : a) {
      XLA_CHECK(std::isnan(x));
    }
  }
}

int main() {
  checkAll<float>();
  checkAll<double>();
  checkAll<std::complex<float>>();
  checkAll<std::complex<double>>();
  emptyIsFine();
  indefiniteIsNan();
  return xla::testing::failedChecks();
}
