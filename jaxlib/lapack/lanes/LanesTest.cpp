// Factors are multiplied out again in double precision, against the bounds of
// the header; matrices that ask for care are left, and nothing of them written.

#include "jaxlib/lapack/lanes/Lanes.h"

#include "xla/support/Testing.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <vector>

using namespace jaxlib::lapack::lanes;

namespace {

struct Scratch {
  alignas(64) char bytes[scratchBytes];
};

/// A matrix by columns, in double precision.
struct Matrix {
  int64_t rows, columns;
  std::vector<double> data;

  Matrix(int64_t rows, int64_t columns)
      : rows(rows), columns(columns), data(rows * columns) {}
  double &at(int64_t i, int64_t j) { return data[j * rows + i]; }
  double at(int64_t i, int64_t j) const { return data[j * rows + i]; }
};

/// One group: `count` matrices of the same shape.
template <typename T>
struct Group {
  int64_t count, rows, columns;
  std::vector<T> data;

  Group(int64_t count, int64_t rows, int64_t columns)
      : count(count), rows(rows), columns(columns),
        data(count * rows * columns) {}

  T *at(int64_t i) { return data.data() + i * rows * columns; }
  Matrix matrix(int64_t i) const {
    Matrix found(rows, columns);
    std::copy_n(data.data() + i * rows * columns, rows * columns,
                found.data.data());
    return found;
  }
};

template <typename T>
struct Case {
  const Kernels<T> &kernels;
  int64_t count, m, n;
  std::mt19937 engine;
  std::unique_ptr<Scratch> scratch = std::make_unique<Scratch>();

  Case(const Kernels<T> &kernels, int64_t count, int64_t m, int64_t n)
      : kernels(kernels), count(count), m(m), n(n), engine(17 * m + n) {}

  Group<T> random(int64_t rows, int64_t columns) {
    std::normal_distribution<double> normal;
    Group<T> found(count, rows, columns);
    for (T &x : found.data) {
      x = static_cast<T>(normal(engine));
    }
    return found;
  }
  Done all() const { return static_cast<Done>((uint64_t(1) << count) - 1); }
  /// What the header allows of an error relative to the norm.
  double bound() const {
    return 8.0 * static_cast<double>(std::max(m, n)) *
           static_cast<double>(std::numeric_limits<T>::epsilon());
  }
};

} // namespace

static Matrix product(const Matrix &a, const Matrix &b) {
  Matrix found(a.rows, b.columns);
  for (int64_t j = 0; j < b.columns; ++j) {
    for (int64_t k = 0; k < a.columns; ++k) {
      for (int64_t i = 0; i < a.rows; ++i) {
        found.at(i, j) += a.at(i, k) * b.at(k, j);
      }
    }
  }
  return found;
}

static Matrix transposed(const Matrix &a) {
  Matrix found(a.columns, a.rows);
  for (int64_t j = 0; j < a.columns; ++j) {
    for (int64_t i = 0; i < a.rows; ++i) {
      found.at(j, i) = a.at(i, j);
    }
  }
  return found;
}

/// The part of a on one side of its diagonal, which may count as ones.
static Matrix triangle(const Matrix &a, bool isLower, bool isUnit = false) {
  Matrix found(a.rows, a.columns);
  for (int64_t j = 0; j < a.columns; ++j) {
    for (int64_t i = 0; i < a.rows; ++i) {
      const bool isInside = isLower ? i >= j : i <= j;
      found.at(i, j) = i == j && isUnit ? 1 : isInside ? a.at(i, j) : 0;
    }
  }
  return found;
}

static Matrix firstColumns(const Matrix &a, int64_t count) {
  Matrix found(a.rows, count);
  std::copy_n(a.data.data(), a.rows * count, found.data.data());
  return found;
}

static Matrix firstRows(const Matrix &a, int64_t count) {
  return transposed(firstColumns(transposed(a), count));
}

static double norm(const Matrix &a) {
  double sum = 0;
  for (double x : a.data) {
    sum += x * x;
  }
  return std::sqrt(sum);
}

/// NaN counts as infinite.
static double distance(const Matrix &a, const Matrix &b) {
  double sum = 0;
  for (size_t i = 0; i < a.data.size(); ++i) {
    sum += (a.data[i] - b.data[i]) * (a.data[i] - b.data[i]);
  }
  return std::isnan(sum) ? INFINITY : std::sqrt(sum);
}

static Matrix identity(int64_t n) {
  Matrix found(n, n);
  for (int64_t i = 0; i < n; ++i) {
    found.at(i, i) = 1;
  }
  return found;
}

/// Distance of columns from orthonormal ones.
static double skewness(const Matrix &q) {
  return distance(product(transposed(q), q), identity(q.columns));
}

//===----------------------------------------------------------------------===//
// Factors and solves
//===----------------------------------------------------------------------===//

template <typename T>
static Group<T> definite(Case<T> &c) {
  Group<T> a = c.random(c.n, c.n);
  for (int64_t k = 0; k < c.count; ++k) {
    const Matrix x = a.matrix(k);
    const Matrix square = product(x, transposed(x));
    for (int64_t i = 0; i < c.n * c.n; ++i) {
      a.at(k)[i] = static_cast<T>(square.data[i] + (i % (c.n + 1) == 0));
    }
  }
  return a;
}

template <typename T>
static void checkCholesky(Case<T> &c, bool isLower) {
  const Group<T> a = definite(c);
  Group<T> f = a;
  XLA_CHECK(c.kernels.potrf(c.count, c.n, isLower, f.at(0), f.at(0),
                            c.scratch->bytes) == c.all());
  for (int64_t k = 0; k < c.count; ++k) {
    const Matrix x = a.matrix(k), l = triangle(f.matrix(k), isLower);
    const Matrix back =
        isLower ? product(l, transposed(l)) : product(transposed(l), l);
    XLA_CHECK(distance(back, x) <= c.bound() * norm(x));
    XLA_CHECK(distance(triangle(f.matrix(k), !isLower, true),
                       triangle(x, !isLower, true)) == 0);
  }
}

template <typename T>
static void checkElimination(Case<T> &c) {
  const int64_t least = std::min(c.m, c.n);
  Group<T> a = c.random(c.m, c.n);
  // Two equal candidates in the first matrix: the first one is taken.
  if (c.m > 1) {
    std::fill_n(a.at(0), c.m, T(0.5));
    a.at(0)[c.m > 2] = T(-4);
    a.at(0)[c.m - 1] = T(4);
  }
  Group<T> f = a;
  std::vector<int32_t> pivots(c.count * least);
  XLA_CHECK(c.kernels.getrf(c.count, c.m, c.n, f.at(0), f.at(0), pivots.data(),
                            c.scratch->bytes) == c.all());
  for (int64_t k = 0; k < c.count; ++k) {
    Matrix x = a.matrix(k);
    const int32_t *pivot = pivots.data() + k * least;
    for (int64_t j = 0; j < least; ++j) {
      XLA_CHECK(pivot[j] > j && pivot[j] <= c.m);
      for (int64_t i = 0; i < c.n; ++i) {
        std::swap(x.at(j, i), x.at(pivot[j] - 1, i));
      }
    }
    const Matrix lu = f.matrix(k);
    const Matrix l = triangle(firstColumns(lu, least), true, true);
    for (double factor : l.data) {
      XLA_CHECK(std::abs(factor) <= 1 + c.bound());
    }
    const Matrix u = triangle(firstRows(lu, least), false);
    XLA_CHECK(distance(product(l, u), x) <= c.bound() * norm(x));
  }
  XLA_CHECK(c.m < 2 || pivots[0] == 1 + (c.m > 2));
}

template <typename T>
static void checkReflections(Case<T> &c) {
  const int64_t least = std::min(c.m, c.n);
  const Group<T> a = c.random(c.m, c.n);
  Group<T> f = a, tau(c.count, least, 1);
  XLA_CHECK(c.kernels.geqrf(c.count, c.m, c.n, f.at(0), f.at(0), tau.at(0),
                            c.scratch->bytes) == c.all());
  for (int64_t columns : {least, c.m}) {
    Group<T> q(c.count, c.m, columns);
    for (int64_t k = 0; k < c.count; ++k) {
      std::copy_n(f.at(k), c.m * least, q.at(k));
    }
    XLA_CHECK(c.kernels.orgqr(c.count, c.m, columns, least, q.at(0), tau.at(0),
                              q.at(0), c.scratch->bytes) == c.all());
    for (int64_t k = 0; k < c.count; ++k) {
      const Matrix r = triangle(firstRows(f.matrix(k), columns), false);
      const Matrix x = a.matrix(k);
      XLA_CHECK(distance(product(q.matrix(k), r), x) <= c.bound() * norm(x));
      XLA_CHECK(skewness(q.matrix(k)) <= c.bound());
    }
  }
}

template <typename T>
static void checkSolves(Case<T> &c, int flags) {
  const typename Kernels<T>::Triangle shape{
      c.n, bool(flags & 1), bool(flags & 2), bool(flags & 4), bool(flags & 8)};
  Group<T> a = c.random(c.n, c.n);
  for (int64_t i = 0; i < c.count * c.n * c.n; ++i) {
    a.data[i] = a.data[i] / T(2 * c.n) + T(i % (c.n * c.n) % (c.n + 1) == 0);
  }
  const Group<T> b = shape.isLeft ? c.random(c.n, c.m) : c.random(c.m, c.n);
  Group<T> x = b;
  XLA_CHECK(c.kernels.trsm(c.count, shape, c.m, a.at(0), x.at(0), x.at(0),
                           c.scratch->bytes) == c.all());
  for (int64_t k = 0; k < c.count; ++k) {
    Matrix t = triangle(a.matrix(k), shape.isLower, shape.isUnit);
    t = shape.isTransposed ? transposed(t) : t;
    const Matrix y = x.matrix(k);
    const Matrix back = shape.isLeft ? product(t, y) : product(y, t);
    XLA_CHECK(distance(back, b.matrix(k)) <= c.bound() * norm(t) * norm(y));
  }
}

//===----------------------------------------------------------------------===//
// Spectra
//===----------------------------------------------------------------------===//

/// Whether `vectors` and `values` are those of the symmetric x.
template <typename T>
static void checkEigenvectors(const Case<T> &c, const Matrix &x,
                              const Matrix &values, const Matrix &vectors) {
  Matrix scaled = vectors;
  for (int64_t j = 0; j < c.n; ++j) {
    XLA_CHECK(j == 0 || values.data[j - 1] <= values.data[j]);
    for (int64_t i = 0; i < c.n; ++i) {
      scaled.at(i, j) *= values.data[j];
    }
  }
  const Matrix back = product(scaled, transposed(vectors));
  XLA_CHECK(distance(back, x) <= c.bound() * norm(x));
  XLA_CHECK(skewness(vectors) <= c.bound());
}

template <typename T>
static void checkEigenvalues(Case<T> &c, bool isLower) {
  Group<T> a = c.random(c.n, c.n);
  for (int64_t k = 0; k < c.count; ++k) {
    T *x = a.at(k);
    const T scale = std::pow(T(10), T(k % 5 * 12 - 24));
    for (int64_t j = 0; j < c.n; ++j) {
      for (int64_t i = j; i < c.n; ++i) {
        // Diagonal, of two blocks, of equal eigenvalues, zero; or anything.
        const bool isZero = (k % 7 == 1 && i != j) ||
                            (k % 7 == 2 && (i < c.n / 2) != (j < c.n / 2)) ||
                            k % 7 == 4;
        const T value = k % 7 == 3 ? T(1 + (i == j)) : x[j * c.n + i] * scale;
        x[j * c.n + i] = x[i * c.n + j] = isZero ? T(0) : value;
      }
    }
  }
  Group<T> half = a;
  for (int64_t k = 0; k < c.count; ++k) {
    for (int64_t j = 0; j < c.n; ++j) {
      for (int64_t i = 0; i < c.n; ++i) {
        if (isLower ? i < j : i > j) {
          half.at(k)[j * c.n + i] = std::numeric_limits<T>::quiet_NaN();
        }
      }
    }
  }
  Group<T> values(c.count, c.n, 1), alone = values;
  auto run = [&](Group<T> &w, T *vectors) {
    return c.kernels.syevd(c.count, c.n, isLower, half.at(0), w.at(0), vectors,
                           c.scratch->bytes);
  };
  XLA_CHECK(run(alone, nullptr) == c.all());
  XLA_CHECK(run(values, half.at(0)) == c.all());
  for (int64_t k = 0; k < c.count; ++k) {
    const Matrix x = a.matrix(k);
    checkEigenvectors(c, x, values.matrix(k), half.matrix(k));
    XLA_CHECK(distance(values.matrix(k), alone.matrix(k)) <=
              c.bound() * norm(x));
  }
}

template <typename T>
static void checkSingularValues(Case<T> &c, bool isFull) {
  const int64_t least = std::min(c.m, c.n);
  const int64_t columns = isFull ? c.m : least, rows = isFull ? c.n : least;
  Group<T> a = c.random(c.m, c.n);
  for (int64_t i = 0; i < c.count * c.m * c.n; ++i) {
    a.data[i] *= std::pow(T(10), T(i / (c.m * c.n) % 5 * 12 - 24));
  }
  Group<T> values(c.count, least, 1), alone = values;
  Group<T> u(c.count, c.m, columns), vt(c.count, rows, c.n);
  XLA_CHECK(c.kernels.gesdd(c.count, {c.m, c.n, 0, 0}, a.at(0), alone.at(0),
                            nullptr, nullptr, c.scratch->bytes) == c.all());
  const Done done =
      c.kernels.gesdd(c.count, {c.m, c.n, columns, rows}, a.at(0), values.at(0),
                      u.at(0), vt.at(0), c.scratch->bytes);
  XLA_CHECK(done == c.all());
  for (int64_t k = 0; k < c.count; ++k) {
    const Matrix x = a.matrix(k), w = values.matrix(k);
    Matrix scaled = firstColumns(u.matrix(k), least);
    for (int64_t j = 0; j < least; ++j) {
      XLA_CHECK(w.data[j] >= 0 && (j == 0 || w.data[j - 1] >= w.data[j]));
      for (int64_t i = 0; i < c.m; ++i) {
        scaled.at(i, j) *= w.data[j];
      }
    }
    const Matrix v = vt.matrix(k);
    XLA_CHECK(distance(product(scaled, firstRows(v, least)), x) <=
              c.bound() * norm(x));
    XLA_CHECK(skewness(u.matrix(k)) <= c.bound());
    XLA_CHECK(skewness(transposed(v)) <= c.bound());
    XLA_CHECK(distance(w, alone.matrix(k)) <= c.bound() * norm(x));
  }
}

//===----------------------------------------------------------------------===//
// Matrices that ask for care
//===----------------------------------------------------------------------===//

/// Equal numbers, or NaN on both sides. Signs of zeros may hang on neighbours.
template <typename T>
static bool areEqual(const Group<T> &a, const Group<T> &b, int64_t k) {
  const int64_t size = a.rows * a.columns;
  return std::equal(a.data.begin() + k * size, a.data.begin() + (k + 1) * size,
                    b.data.begin() + k * size, [](T x, T y) {
                      return x == y || (std::isnan(x) && std::isnan(y));
                    });
}

/// Spoils every other matrix; `run` works in place and answers what is done.
template <typename T, typename Spoil, typename Run>
static void checkLeaves(Case<T> &c, Spoil spoil, Run run) {
  const Group<T> clean = definite(c);
  Group<T> expected = clean;
  XLA_CHECK(run(expected) == c.all());
  Group<T> a = clean;
  Done fine = 0;
  for (int64_t k = 0; k < c.count; ++k) {
    k % 2 ? spoil(a.at(k)) : void(fine |= Done(1) << k);
  }
  const Group<T> spoilt = a;
  XLA_CHECK(run(a) == fine);
  for (int64_t k = 0; k < c.count; ++k) {
    XLA_CHECK(areEqual(a, k % 2 ? spoilt : expected, k));
  }
}

template <typename T>
static void checkCare(Case<T> &c) {
  const int64_t n = c.n;
  char *scratch = c.scratch->bytes;
  std::vector<int32_t> pivots(c.count * n);
  Group<T> rest(c.count, n, n), values(c.count, n, 1);
  auto cholesky = [&](Group<T> &a) {
    return c.kernels.potrf(c.count, n, true, a.at(0), a.at(0), scratch);
  };
  auto eliminate = [&](Group<T> &a) {
    return c.kernels.getrf(c.count, n, n, a.at(0), a.at(0), pivots.data(),
                           scratch);
  };
  auto reflect = [&](Group<T> &a) {
    return c.kernels.geqrf(c.count, n, n, a.at(0), a.at(0), values.at(0),
                           scratch);
  };
  auto eigen = [&](Group<T> &a) {
    return c.kernels.syevd(c.count, n, true, a.at(0), values.at(0), a.at(0),
                           scratch);
  };
  auto singular = [&](Group<T> &a) {
    return c.kernels.gesdd(c.count, {n, n, n, n}, a.at(0), values.at(0),
                           a.at(0), rest.at(0), scratch);
  };
  using Limits = std::numeric_limits<T>;
  for (T bad : {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity()}) {
    auto spoil = [&](T *a) { a[n * n - 1] = bad; };
    checkLeaves(c, spoil, cholesky);
    checkLeaves(c, spoil, eliminate);
    checkLeaves(c, spoil, reflect);
    checkLeaves(c, spoil, eigen);
    checkLeaves(c, spoil, singular);
  }
  auto clear = [&](T *a) { std::fill_n(a, n * n, T(0)); };
  checkLeaves(c, clear, cholesky);
  checkLeaves(c, clear, eliminate);
  checkLeaves(c, clear, singular);
  checkLeaves(c, [&](T *a) { a[n * n - 1] = T(-1); }, cholesky);
  auto makeSubnormal = [&](T *a) {
    std::fill_n(a, n * n, Limits::denorm_min());
  };
  checkLeaves(c, makeSubnormal, eliminate);
  checkLeaves(c, makeSubnormal, reflect);
  checkLeaves(c, makeSubnormal, eigen);
}

template <typename T>
static void checkAll(const Kernels<T> &kernels) {
  for (int64_t m = 1; m <= largest; ++m) {
    for (int64_t n : {m, int64_t(1), (m + 1) / 2, largest}) {
      const int64_t count = 1 + (5 * m + n) % width<T>;
      Case<T> c(kernels, count, m, n), turned(kernels, count, n, m);
      for (Case<T> *each : {&c, &turned}) {
        checkElimination(*each);
        checkReflections(*each);
        checkSingularValues(*each, false);
        checkSingularValues(*each, true);
        for (int flags = 0; flags < 16; ++flags) {
          checkSolves(*each, flags);
        }
      }
    }
    for (int64_t count : {int64_t(1), width<T> - 1, width<T>}) {
      Case<T> c(kernels, count, m, m);
      checkCholesky(c, true);
      checkCholesky(c, false);
      checkEigenvalues(c, true);
      checkEigenvalues(c, false);
      checkCare(c);
    }
  }
}

template <typename T>
static void checkSets() {
  const Kernels<T> *found[3];
  const int count = allKernels(found);
  XLA_CHECK(count >= 1 && found[0] == &kernels<T>());
  for (int i = 0; i < count; ++i) {
    checkAll(*found[i]);
  }
}

int main() {
  checkSets<float>();
  checkSets<double>();
  return xla::testing::failedChecks();
}
