//===- Triangular.cpp - Cholesky factors and triangular systems -----------===//
//
// Both halve their problem until 16 rows are left, so that nearly all of the
// work is in matrix products (Gustavson, "Recursion leads to automatic variable
// blocking for dense linear-algebra algorithms", IBM J. Res. Dev. 41, 1997).
// Systems with many right-hand sides are cut into groups for the threads;
// what is computed does not depend on how.
//
//===----------------------------------------------------------------------===//

#include "xla/runtime/Arena.h"
#include "xla/runtime/ThreadPool.h"
#include "xla/runtime/abi/Runtime.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

namespace {

/// Complex numbers without the rules of Annex G, which would cost a branch for
/// each product.
template <typename Part>
struct Complex {
  Part re, im;
  friend Complex operator+(Complex x, Complex y) {
    return {x.re + y.re, x.im + y.im};
  }
  friend Complex operator-(Complex x, Complex y) {
    return {x.re - y.re, x.im - y.im};
  }
  friend Complex operator-(Complex x) { return {-x.re, -x.im}; }
  friend Complex operator*(Complex x, Complex y) {
    return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
  }
};

template <typename T>
struct Traits {
  using Part = T;
  static T conjugate(T x) { return x; }
  static T fromReal(T x) { return x; }
  static T realPart(T x) { return x; }
  static T divide(T x, T y) { return x / y; }
};
template <typename P>
struct Traits<Complex<P>> {
  using Part = P;
  static Complex<P> conjugate(Complex<P> x) { return {x.re, -x.im}; }
  static Complex<P> fromReal(P x) { return {x, 0}; }
  static P realPart(Complex<P> x) { return x.re; }
  /// By the larger part of the divisor, so that nothing overflows on the way
  /// (Smith, CACM 5, 1962).
  static Complex<P> divide(Complex<P> x, Complex<P> y) {
    if (std::abs(y.re) >= std::abs(y.im)) {
      P ratio = y.im / y.re, scale = y.re + y.im * ratio;
      return {(x.re + x.im * ratio) / scale, (x.im - x.re * ratio) / scale};
    }
    P ratio = y.re / y.im, scale = y.re * ratio + y.im;
    return {(x.re * ratio + x.im) / scale, (x.im * ratio - x.re) / scale};
  }
};

/// A matrix by its strides, each element conjugated or not.
template <typename T>
struct View {
  const T *data;
  int64_t rowStride, columnStride;
  bool isConjugate;

  T at(int64_t i, int64_t j) const {
    T value = data[i * rowStride + j * columnStride];
    return isConjugate ? Traits<T>::conjugate(value) : value;
  }
  View part(int64_t i, int64_t j) const {
    return {data + i * rowStride + j * columnStride, rowStride, columnStride,
            isConjugate};
  }
};

constexpr int64_t smallest = 16;

} // namespace

//===----------------------------------------------------------------------===//
// c -= a b
//===----------------------------------------------------------------------===//

template <typename T>
static void multiply(int64_t m, int64_t n, int64_t k, const T *a, View<T> b,
                     T *c, int64_t stride) {
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t p = 0; p < k; ++p) {
      T factor = a[i * k + p];
      for (int64_t j = 0; j < n; ++j) {
        c[i * stride + j] = c[i * stride + j] + factor * b.at(p, j);
      }
    }
  }
}

template <typename T>
static XlaGemm describe(int64_t m, int64_t n, int64_t k, const T *a, View<T> b,
                        T *c, int64_t stride) {
  return {1, m, n,      k, a,           0,
          k, 1, b.data, 0, b.rowStride, b.columnStride,
          c, 0, stride, 1, nullptr,     nullptr,
          0};
}

static void multiply(int64_t m, int64_t n, int64_t k, const float *a,
                     View<float> b, float *c, int64_t stride) {
  XlaGemm gemm = describe(m, n, k, a, b, c, stride);
  xla_gemm_f32(&gemm);
}

static void multiply(int64_t m, int64_t n, int64_t k, const double *a,
                     View<double> b, double *c, int64_t stride) {
  XlaGemm gemm = describe(m, n, k, a, b, c, stride);
  xla_gemm_f64(&gemm);
}

/// c (m x n, row-major) -= a (m x k) b (k x n); false where memory ran out.
template <typename T>
static bool subtractProduct(int64_t m, int64_t n, int64_t k, View<T> a,
                            View<T> b, T *c, int64_t stride) {
  if (m == 0 || n == 0 || k == 0) {
    return true;
  }
  bool copiesB = b.isConjugate; // products do not conjugate
  xla::ScratchMemory memory((m * k + (copiesB ? k * n : 0)) * sizeof(T));
  T *negated = static_cast<T *>(memory.data());
  if (!negated) {
    return false;
  }
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t p = 0; p < k; ++p) {
      negated[i * k + p] = -a.at(i, p);
    }
  }
  if (copiesB) {
    T *plain = negated + m * k;
    for (int64_t p = 0; p < k; ++p) {
      for (int64_t j = 0; j < n; ++j) {
        plain[p * n + j] = b.at(p, j);
      }
    }
    b = {plain, n, 1, false};
  }
  multiply(m, n, k, negated, b, c, stride);
  return true;
}

//===----------------------------------------------------------------------===//
// Triangular systems
//===----------------------------------------------------------------------===//

namespace {
/// op(a), n x n, of which one triangle is looked at.
template <typename T>
struct Triangle {
  View<T> a;
  int64_t n;
  bool isLower; ///< op(a) is
  bool isUnit;

  Triangle part(int64_t start, int64_t size) const {
    return {a.part(start, start), size, isLower, isUnit};
  }
};
} // namespace

/// t x = b for the columns of b; b becomes x.
template <typename T>
static bool solveLeft(const Triangle<T> &t, T *b, int64_t columns,
                      int64_t stride) {
  if (t.n <= smallest) {
    for (int64_t count = 0; count < t.n; ++count) {
      int64_t i = t.isLower ? count : t.n - 1 - count;
      T *row = b + i * stride;
      for (int64_t done = 0; done < count; ++done) {
        int64_t p = t.isLower ? done : t.n - 1 - done;
        T factor = t.a.at(i, p);
        for (int64_t j = 0; j < columns; ++j) {
          row[j] = row[j] - factor * b[p * stride + j];
        }
      }
      for (int64_t j = 0; j < columns && !t.isUnit; ++j) {
        row[j] = Traits<T>::divide(row[j], t.a.at(i, i));
      }
    }
    return true;
  }
  int64_t half = t.n / 2, rest = t.n - half;
  T *upper = b, *lower = b + half * stride;
  View<T> x{t.isLower ? upper : lower, stride, 1, false};
  if (t.isLower) {
    return solveLeft(t.part(0, half), upper, columns, stride) &&
           subtractProduct(rest, columns, half, t.a.part(half, 0), x, lower,
                           stride) &&
           solveLeft(t.part(half, rest), lower, columns, stride);
  }
  return solveLeft(t.part(half, rest), lower, columns, stride) &&
         subtractProduct(half, columns, rest, t.a.part(0, half), x, upper,
                         stride) &&
         solveLeft(t.part(0, half), upper, columns, stride);
}

/// x t = b for the rows of b; b becomes x.
template <typename T>
static bool solveRight(const Triangle<T> &t, T *b, int64_t rows,
                       int64_t stride) {
  if (t.n <= smallest) {
    for (int64_t r = 0; r < rows; ++r) {
      T *row = b + r * stride;
      for (int64_t count = 0; count < t.n; ++count) {
        int64_t p = t.isLower ? t.n - 1 - count : count;
        if (!t.isUnit) {
          row[p] = Traits<T>::divide(row[p], t.a.at(p, p));
        }
        int64_t begin = t.isLower ? 0 : p + 1, end = t.isLower ? p : t.n;
        for (int64_t j = begin; j < end; ++j) {
          row[j] = row[j] - row[p] * t.a.at(p, j);
        }
      }
    }
    return true;
  }
  int64_t half = t.n / 2, rest = t.n - half;
  T *left = b, *right = b + half;
  View<T> x{t.isLower ? right : left, stride, 1, false};
  if (t.isLower) {
    return solveRight(t.part(half, rest), right, rows, stride) &&
           subtractProduct(rows, half, rest, x, t.a.part(half, 0), left,
                           stride) &&
           solveRight(t.part(0, half), left, rows, stride);
  }
  return solveRight(t.part(0, half), left, rows, stride) &&
         subtractProduct(rows, rest, half, x, t.a.part(0, half), right,
                         stride) &&
         solveRight(t.part(half, rest), right, rows, stride);
}

//===----------------------------------------------------------------------===//
// Cholesky
//===----------------------------------------------------------------------===//

/// The lower triangle of c (n x n) -= a a^H, with a of k columns.
template <typename T>
static bool subtractSquare(int64_t n, int64_t k, View<T> a, T *c,
                           int64_t stride) {
  if (n <= 4 * smallest) {
    View<T> adjoint{a.data, a.columnStride, a.rowStride, true};
    if constexpr (std::is_floating_point_v<T>) {
      adjoint.isConjugate = false;
    }
    return subtractProduct(n, n, k, a, adjoint, c, stride);
  }
  int64_t half = n / 2, rest = n - half;
  View<T> below = a.part(half, 0);
  View<T> adjoint{a.data, a.columnStride, a.rowStride,
                  !std::is_floating_point_v<T>};
  return subtractSquare(half, k, a, c, stride) &&
         subtractProduct(rest, half, k, below, adjoint, c + half * stride,
                         stride) &&
         subtractSquare(rest, k, below, c + half * stride + half, stride);
}

enum class Outcome { Fine, Indefinite, NoMemory };

/// Replaces the lower triangle of a by its factor.
template <typename T>
static Outcome factorize(T *a, int64_t n, int64_t stride) {
  using Part = typename Traits<T>::Part;
  if (n <= smallest) {
    for (int64_t j = 0; j < n; ++j) {
      for (int64_t i = j; i < n; ++i) {
        T sum = a[i * stride + j];
        for (int64_t k = 0; k < j; ++k) {
          sum =
              sum - a[i * stride + k] * Traits<T>::conjugate(a[j * stride + k]);
        }
        Part pivot = Traits<T>::realPart(i == j ? sum : a[j * stride + j]);
        if (i == j && !(pivot > 0)) {
          return Outcome::Indefinite;
        }
        a[i * stride + j] =
            i == j ? Traits<T>::fromReal(std::sqrt(pivot))
                   : Traits<T>::divide(sum, Traits<T>::fromReal(pivot));
      }
    }
    return Outcome::Fine;
  }
  int64_t half = n / 2, rest = n - half;
  T *below = a + half * stride, *last = below + half;
  if (Outcome outcome = factorize(a, half, stride); outcome != Outcome::Fine) {
    return outcome;
  }
  // below = x L^H
  Triangle<T> adjoint{{a, 1, stride, !std::is_floating_point_v<T>},
                      half,
                      /*isLower=*/false,
                      /*isUnit=*/false};
  if (!solveRight(adjoint, below, rest, stride) ||
      !subtractSquare(rest, half, View<T>{below, stride, 1, false}, last,
                      stride)) {
    return Outcome::NoMemory;
  }
  return factorize(last, rest, stride);
}

/// Exchanges the triangles and conjugates.
template <typename T>
static void makeAdjoint(T *a, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j <= i; ++j) {
      T value = Traits<T>::conjugate(a[i * n + j]);
      a[i * n + j] = Traits<T>::conjugate(a[j * n + i]);
      a[j * n + i] = value;
    }
  }
}

template <typename T>
static int32_t choleskyOf(const XlaCholesky &c, int64_t batch) {
  using Part = typename Traits<T>::Part;
  int64_t n = c.n;
  T *a = static_cast<T *>(c.a) + batch * n * n;
  if (!c.lower) {
    makeAdjoint(a, n);
  }
  Outcome outcome = factorize(a, n, n);
  for (int64_t i = 0; i < n; ++i) {
    std::fill(a + i * n + i + 1, a + (i + 1) * n, T{});
  }
  if (outcome == Outcome::Indefinite) {
    Part *parts = reinterpret_cast<Part *>(a);
    std::fill(parts, parts + n * n * int64_t(sizeof(T) / sizeof(Part)),
              std::numeric_limits<Part>::quiet_NaN());
  } else if (!c.lower) {
    makeAdjoint(a, n);
  }
  return outcome == Outcome::NoMemory ? XLA_RUNTIME_OUT_OF_MEMORY
                                      : XLA_RUNTIME_OK;
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

/// Runs `work(i)` for all i below `count` on the threads, in pieces of at least
/// `grain`; the first failure counts.
template <typename Work>
static int32_t shareOut(int64_t count, int64_t grain, const Work &work) {
  std::atomic<int32_t> code{XLA_RUNTIME_OK};
  xla::ThreadPool::shared().parallelFor(
      count, grain, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          if (int32_t failure = work(i); failure != XLA_RUNTIME_OK) {
            code = failure;
          }
        }
      });
  return code;
}

/// How many of the items, of `cost` multiplications each, are worth a thread.
static int64_t grainFor(double cost) {
  return std::max<int64_t>(1, static_cast<int64_t>(1e5 / std::max(cost, 1.0)));
}

template <typename T>
static int32_t cholesky(const XlaCholesky &c) {
  double n = static_cast<double>(c.n);
  if (c.batch == 1) {
    return choleskyOf<T>(c, 0); // its products share themselves out
  }
  return shareOut(c.batch, grainFor(n * n * n / 6),
                  [&](int64_t i) { return choleskyOf<T>(c, i); });
}

template <typename T>
static int32_t solveAll(const XlaTriangularSolve &s) {
  constexpr int64_t group = 256; // vectors that one thread takes at once
  int64_t vectors = s.left ? s.columns : s.rows;
  int64_t n = s.left ? s.rows : s.columns;
  int64_t groups = (vectors + group - 1) / group;
  bool isPlain = s.transpose == XLA_TRANSPOSE_NONE;
  auto one = [&](int64_t index) -> int32_t {
    int64_t batch = index / groups, first = index % groups * group;
    int64_t count = std::min(group, vectors - first);
    const T *a = static_cast<const T *>(s.a) + batch * n * n;
    Triangle<T> t{
        {a, isPlain ? n : 1, isPlain ? 1 : n,
         s.transpose == XLA_TRANSPOSE_ADJOINT && !std::is_floating_point_v<T>},
        n,
        (s.lower != 0) == isPlain,
        s.unit_diagonal != 0};
    T *b = static_cast<T *>(s.b) + batch * s.rows * s.columns;
    bool isFine = s.left
                      ? solveLeft(t, b + first, count, s.columns)
                      : solveRight(t, b + first * s.columns, count, s.columns);
    return isFine ? XLA_RUNTIME_OK : XLA_RUNTIME_OUT_OF_MEMORY;
  };
  double cost = static_cast<double>(n) * n * std::min(group, vectors) / 2;
  return shareOut(s.batch * groups, grainFor(cost), one);
}

int32_t xla_cholesky(const XlaCholesky *c) {
  if (c->batch == 0 || c->n == 0) {
    return XLA_RUNTIME_OK;
  }
  switch (c->type) {
  case XLA_LINALG_F32:
    return cholesky<float>(*c);
  case XLA_LINALG_F64:
    return cholesky<double>(*c);
  case XLA_LINALG_C64:
    return cholesky<Complex<float>>(*c);
  default:
    return cholesky<Complex<double>>(*c);
  }
}

int32_t xla_triangular_solve(const XlaTriangularSolve *s) {
  if (s->batch == 0 || s->rows == 0 || s->columns == 0) {
    return XLA_RUNTIME_OK;
  }
  switch (s->type) {
  case XLA_LINALG_F32:
    return solveAll<float>(*s);
  case XLA_LINALG_F64:
    return solveAll<double>(*s);
  case XLA_LINALG_C64:
    return solveAll<Complex<float>>(*s);
  default:
    return solveAll<Complex<double>>(*s);
  }
}
