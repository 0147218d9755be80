//===- Spectra.cpp - Eigenvalues and singular values ----------------------===//
//
// Symmetric matrices: Householder's reduction to tridiagonal form and implicit
// QL steps with Wilkinson's shift, each matrix deflating at its own indices.
// Singular values: rotations of pairs of columns until all are orthogonal,
// after a QR factorization where there are more rows than columns.
//
// References: Golub and Van Loan, Matrix Computations, 4th edition, sections
// 8.3 and 8.6; Wilkinson and Reinsch, Linear Algebra, 1971, contribution II/4;
// Hestenes, Inversion of matrices by biorthogonalization, 1958; de Rijk, A
// one-sided Jacobi algorithm for computing the singular value decomposition on
// a vector computer, 1989.
//
//===----------------------------------------------------------------------===//

#include "jaxlib/lapack/lanes/Sets.h"
#include "jaxlib/lapack/lanes/Vectors.h"

namespace jaxlib::lapack::lanes {
namespace {

/// (x, y) becomes (c x - s y, s x + c y).
template <typename T>
void rotate(int64_t size, V<T> c, V<T> s, V<T> *x, V<T> *y) {
  for (int64_t i = 0; i < size; ++i) {
    const V<T> before = x[i];
    x[i] = c * before - s * y[i];
    y[i] = s * before + c * y[i];
  }
}

/// Exchanges columns where `mask` says.
template <typename T>
void exchangeWhere(M<T> mask, int64_t size, V<T> *x, V<T> *y) {
  for (int64_t i = 0; i < size; ++i) {
    const V<T> before = x[i];
    x[i] = mask ? y[i] : before;
    y[i] = mask ? before : y[i];
  }
}

/// Columns of an array, or none.
template <typename T>
struct Columns {
  V<T> *data;
  int64_t rows;
  V<T> *at(int64_t j) const { return data + j * rows; }
};

/// Sorts values, and columns with them; each lane has an order of its own.
template <typename T>
void sortColumns(int64_t n, bool isDecreasing, V<T> *values, Columns<T> first,
                 Columns<T> second) {
  for (int64_t end = n - 1; end > 0; --end) {
    for (int64_t j = 0; j < end; ++j) {
      const M<T> mask =
          isDecreasing ? values[j] < values[j + 1] : values[j] > values[j + 1];
      if (any(mask)) {
        exchangeWhere<T>(mask, 1, values + j, values + j + 1);
        exchangeWhere<T>(mask, first.rows, first.at(j), first.at(j + 1));
        exchangeWhere<T>(mask, second.rows, second.at(j), second.at(j + 1));
      }
    }
  }
}

//===----------------------------------------------------------------------===//
// Symmetric matrices
//===----------------------------------------------------------------------===//

/// Reduces the lower triangle of a. Reflection k is in column k, from row
/// k + 1 on; e[k] is below d[k].
template <typename T>
void tridiagonalize(int64_t n, V<T> *a, V<T> *d, V<T> *e, V<T> *tau, V<T> *w,
                    M<T> &fine) {
  for (int64_t k = 0; k + 2 < n; ++k) {
    const int64_t size = n - k - 1;
    V<T> *v = a + k * n + k + 1;
    V<T> *rest = a + (k + 1) * (n + 1); // size x size, of leading dimension n
    tau[k] = reflect<T>(size, v, fine);
    e[k] = v[0];
    v[0] = V<T>{} + 1;
    for (int64_t i = 0; i < size; ++i) {
      w[i] = V<T>{};
    }
    for (int64_t j = 0; j < size; ++j) {
      const V<T> *column = rest + j * n;
      const V<T> head = v[j];
      V<T> sum = w[j] + column[j] * head;
      for (int64_t i = j + 1; i < size; ++i) {
        w[i] += column[i] * head;
        sum += column[i] * v[i];
      }
      w[j] = sum;
    }
    V<T> product{};
    for (int64_t i = 0; i < size; ++i) {
      w[i] *= tau[k];
      product += w[i] * v[i];
    }
    product *= tau[k] / 2;
    for (int64_t i = 0; i < size; ++i) {
      w[i] -= product * v[i];
    }
    for (int64_t j = 0; j < size; ++j) {
      V<T> *column = rest + j * n;
      const V<T> vj = v[j], wj = w[j];
      for (int64_t i = j; i < size; ++i) {
        column[i] -= v[i] * wj + w[i] * vj;
      }
    }
  }
  for (int64_t i = 0; i < n; ++i) {
    d[i] = a[i * (n + 1)];
  }
  if (n > 1) {
    e[n - 2] = a[(n - 2) * n + n - 1];
  }
}

/// The product of the reflections.
template <typename T>
void accumulate(int64_t n, const V<T> *a, const V<T> *tau, V<T> *z) {
  for (int64_t i = 0; i < n * n; ++i) {
    z[i] = V<T>{} + T(i % (n + 1) == 0);
  }
  for (int64_t k = n - 3; k >= 0; --k) {
    for (int64_t c = k + 1; c < n; ++c) {
      applyReflection<T>(n - k - 1, a + k * n + k + 1, tau[k],
                         z + c * n + k + 1);
    }
  }
}

/// Where lanes look at a tridiagonal matrix: rows l to end[lane] hang together.
template <typename T>
M<T> findEnd(int64_t n, int64_t l, const V<T> *d, const V<T> *e) {
  M<T> end = splat<T>(n - 1);
  for (int64_t i = n - 2; i >= l; --i) {
    const V<T> around = absolute(d[i]) + absolute(d[i + 1]);
    const M<T> isSplit =
        absolute(e[i]) <= Types<T>::epsilon * around + Types<T>::smallest;
    end = isSplit ? splat<T>(i) : end;
  }
  return end;
}

/// One QL step from rows end[lane] up to l, where `active`.
template <typename T>
void stepUp(int64_t n, int64_t l, M<T> end, M<T> active, V<T> *d, V<T> *e,
            Columns<T> z) {
  V<T> last{};
  int64_t top = l;
  for (int64_t i = l + 1; i < n; ++i) {
    const M<T> isEnd = active & (end == splat<T>(i));
    last = isEnd ? d[i] : last;
    top = any(isEnd) ? i : top;
  }
  const V<T> corner = active ? e[l] : V<T>{} + 1;
  const V<T> half = (d[l + 1] - d[l]) / (2 * corner);
  const V<T> root = signOf(sqrt(half * half + 1), half);
  V<T> g = last - d[l] + corner / (half + root);
  V<T> s = V<T>{} + 1, c = s, p{};
  for (int64_t i = top - 1; i >= l; --i) {
    M<T> mask = active & (end > splat<T>(i));
    const V<T> f = s * e[i], b = c * e[i];
    const V<T> r = sqrt(f * f + g * g);
    e[i + 1] = mask ? r : e[i + 1];
    const M<T> isBroken = mask & (r == 0);
    if (any(isBroken)) {
      // Both vanish: the matrix falls into parts here.
      d[i + 1] = isBroken ? d[i + 1] - p : d[i + 1];
      for (int64_t k = i + 1; k < n; ++k) {
        e[k] = (isBroken & (end == splat<T>(k))) ? V<T>{} : e[k];
      }
      active &= ~isBroken;
      mask &= ~isBroken;
    }
    const V<T> inverse = 1 / r;
    s = mask ? f * inverse : s;
    c = mask ? g * inverse : c;
    const V<T> moved = d[i + 1] - p;
    const V<T> turned = (d[i] - moved) * s + 2 * c * b;
    p = mask ? s * turned : p;
    d[i + 1] = mask ? moved + p : d[i + 1];
    g = mask ? c * turned - b : g;
    if (z.rows > 0) {
      rotate<T>(z.rows, mask ? c : V<T>{} + 1, mask ? s : V<T>{}, z.at(i),
                z.at(i + 1));
    }
  }
  d[l] = active ? d[l] - p : d[l];
  e[l] = active ? g : e[l];
  for (int64_t k = l + 1; k < n; ++k) {
    e[k] = (active & (end == splat<T>(k))) ? V<T>{} : e[k];
  }
}

/// Makes the tridiagonal matrix diagonal; e has n elements.
template <typename T>
void iterateQl(int64_t n, V<T> *d, V<T> *e, Columns<T> z, M<T> &fine) {
  constexpr int limit = 40;
  for (int64_t l = 0; l + 1 < n; ++l) {
    for (int count = 0;; ++count) {
      const M<T> end = findEnd<T>(n, l, d, e);
      const M<T> active = fine & (end > splat<T>(l));
      if (!any(active)) {
        break;
      }
      if (count == limit) {
        fine &= ~active;
        break;
      }
      stepUp<T>(n, l, end, active, d, e, z);
    }
  }
}

template <typename T>
Done syevd(int64_t count, int64_t n, bool isLower, const T *from, T *values,
           T *vectors, void *scratch) {
  auto *a = static_cast<V<T> *>(scratch);
  V<T> *z = a + n * n, *d = z + n * n, *e = d + n, *tau = e + n, *w = tau + n;
  load(count, n * n, from, a);
  for (int64_t j = 0; j < n && !isLower; ++j) {
    for (int64_t i = j + 1; i < n; ++i) {
      a[j * n + i] = a[i * n + j];
    }
  }
  V<T> greatest{};
  for (int64_t j = 0; j < n; ++j) {
    greatest = maximum(greatest, greatestOf<T>(n - j, a + j * (n + 1)));
  }
  M<T> fine = (greatest >= Types<T>::smallest) | (greatest == 0);
  for (int64_t j = 0; j < n; ++j) {
    fine &= areFinite<T>(n - j, a + j * (n + 1));
  }
  const V<T> scale = inversePower<T>(greatest);
  scaleAll<T>(n * n, a, scale);
  e[n - 1] = V<T>{};
  tridiagonalize<T>(n, a, d, e, tau, w, fine);
  Columns<T> columns{z, vectors ? n : 0};
  if (vectors) {
    accumulate<T>(n, a, tau, z);
  }
  iterateQl<T>(n, d, e, columns, fine);
  sortColumns<T>(n, /*isDecreasing=*/false, d, columns, {nullptr, 0});
  for (int64_t i = 0; i < n; ++i) {
    d[i] /= scale;
  }
  const Done done = bits<T>(fine) & firstLanes(count);
  store(done, n, d, values);
  if (vectors) {
    store(done, n * n, z, vectors);
  }
  return done;
}

//===----------------------------------------------------------------------===//
// Singular values
//===----------------------------------------------------------------------===//

template <typename T>
V<T> dot(int64_t size, const V<T> *x, const V<T> *y) {
  V<T> even{}, odd{};
  int64_t i = 0;
  for (; i + 1 < size; i += 2) {
    even += x[i] * y[i];
    odd += x[i + 1] * y[i + 1];
  }
  return i < size ? even + odd + x[i] * y[i] : even + odd;
}

/// Turns pairs of columns of x, and those of v with them, until each is
/// orthogonal to the others; squares[j] is the square of a column's length.
template <typename T>
void makeOrthogonal(int64_t n, Columns<T> x, Columns<T> v, V<T> *squares,
                    M<T> &fine) {
  constexpr int limit = 30;
  const T tolerance = 2 * Types<T>::epsilon * static_cast<T>(n);
  for (int sweep = 0;; ++sweep) {
    M<T> turned{};
    for (int64_t j = 0; j < n; ++j) {
      squares[j] = dot<T>(x.rows, x.at(j), x.at(j));
    }
    for (int64_t p = 0; p < n; ++p) {
      for (int64_t q = p + 1; q < n; ++q) {
        const V<T> product = dot<T>(x.rows, x.at(p), x.at(q));
        const V<T> scale = sqrt(squares[p]) * sqrt(squares[q]);
        const M<T> mask = fine & (absolute(product) > tolerance * scale);
        if (!any(mask)) {
          continue;
        }
        turned |= mask;
        const V<T> divisor = mask ? product : V<T>{} + 1;
        const V<T> zeta = (squares[q] - squares[p]) / (2 * divisor);
        V<T> t = 1 / (zeta + signOf(sqrt(1 + zeta * zeta), zeta));
        t = mask ? t : V<T>{};
        const V<T> c = 1 / sqrt(1 + t * t);
        squares[p] -= t * product;
        squares[q] += t * product;
        rotate<T>(x.rows, c, c * t, x.at(p), x.at(q));
        rotate<T>(v.rows, c, c * t, v.at(p), v.at(q));
      }
    }
    if (!any(turned)) {
      return;
    }
    if (sweep == limit) {
      fine &= ~turned;
      return;
    }
  }
}

/// The transpose of an array by columns.
template <typename T>
void turnOver(int64_t rows, int64_t columns, const V<T> *from, V<T> *to) {
  for (int64_t j = 0; j < columns; ++j) {
    for (int64_t i = 0; i < rows; ++i) {
      to[i * columns + j] = from[j * rows + i];
    }
  }
}

/// The matrix as one of at least as many rows as columns: a = u s v' as it is,
/// or its transpose. All arrays are of the largest size.
template <typename T>
struct Decomposition {
  V<T> *a; ///< the matrix, then reflectors where m > n
  V<T> *x; ///< columns that are turned, then u
  V<T> *v;
  V<T> *values, *tau;
};

/// Singular values and vectors; u gets `columnsOfU` columns, at least n, none
/// of both where `hasVectors` is false.
template <typename T>
void decompose(int64_t m, int64_t n, bool hasVectors, int64_t columnsOfU,
               const Decomposition<T> &f, M<T> &fine) {
  const bool isTall = m > n;
  for (int64_t j = 0; j < n && isTall; ++j) {
    V<T> *head = f.a + j * m + j;
    f.tau[j] = reflect<T>(m - j, head, fine);
    for (int64_t c = j + 1; c < n; ++c) {
      applyReflection<T>(m - j, head, f.tau[j], f.a + c * m + j);
    }
  }
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t i = 0; i < n; ++i) {
      f.x[j * n + i] = isTall && i > j ? V<T>{} : f.a[j * m + i];
      f.v[j * n + i] = V<T>{} + T(i == j);
    }
  }
  Columns<T> x{f.x, n}, v{f.v, hasVectors ? n : 0};
  makeOrthogonal<T>(n, x, v, f.values, fine);
  for (int64_t j = 0; j < n; ++j) {
    f.values[j] = sqrt(f.values[j]);
  }
  sortColumns<T>(n, /*isDecreasing=*/true, f.values, x, v);
  if (!hasVectors) {
    return;
  }
  // Columns that all but vanish have no direction: LAPACK finds one.
  const T bound = 8 * Types<T>::epsilon * static_cast<T>(n);
  fine &= f.values[n - 1] > bound * f.values[0];
  for (int64_t j = 0; j < n; ++j) {
    scaleAll<T>(n, x.at(j), 1 / f.values[j]);
  }
  if (!isTall) {
    return;
  }
  // Elements move up, so the last one goes first.
  for (int64_t j = columnsOfU - 1; j >= 0; --j) {
    for (int64_t i = m - 1; i >= 0; --i) {
      f.x[j * m + i] = j < n && i < n ? f.x[j * n + i] : V<T>{} + T(i == j);
    }
  }
  for (int64_t j = n - 1; j >= 0; --j) {
    for (int64_t c = 0; c < columnsOfU; ++c) {
      applyReflection<T>(m - j, f.a + j * m + j, f.tau[j], f.x + c * m + j);
    }
  }
}

template <typename T>
Done gesdd(int64_t count, const typename Kernels<T>::Svd &shape, const T *from,
           T *values, T *u, T *vt, void *scratch) {
  constexpr int64_t area = largest * largest;
  const int64_t m = shape.m, n = shape.n, k = m < n ? m : n;
  auto *a = static_cast<V<T> *>(scratch);
  V<T> *spare = a + area;
  Decomposition<T> f{a, spare + area, spare + 2 * area, a + 4 * area,
                     a + 4 * area + largest};
  load(count, m * n, from, m < n ? spare : a);
  if (m < n) {
    turnOver<T>(m, n, spare, a);
  }
  const V<T> greatest = greatestOf<T>(m * n, a);
  M<T> fine = areFinite<T>(m * n, a) &
              ((greatest >= Types<T>::smallest) | (greatest == 0));
  const V<T> scale = inversePower<T>(greatest);
  scaleAll<T>(m * n, a, scale);
  const bool hasVectors = u != nullptr;
  decompose<T>(m < n ? n : m, k, hasVectors,
               m < n ? shape.rowsOfVt : shape.columnsOfU, f, fine);
  for (int64_t j = 0; j < k; ++j) {
    f.values[j] /= scale;
  }
  const Done done = bits<T>(fine) & firstLanes(count);
  store(done, k, f.values, values);
  if (!hasVectors) {
    return done;
  }
  V<T> *left = m < n ? f.v : f.x, *right = m < n ? f.x : f.v;
  turnOver<T>(n, shape.rowsOfVt, right, spare);
  store(done, m * shape.columnsOfU, left, u);
  store(done, shape.rowsOfVt * n, spare, vt);
  return done;
}

} // namespace

#define JAXLIB_LANES_DEFINE(T)                                                 \
  template <>                                                                  \
  void setSpectra<JAXLIB_LANES_SET, T>(Kernels<T> & kernels) {                 \
    kernels.syevd = syevd<T>;                                                  \
    kernels.gesdd = gesdd<T>;                                                  \
  }
JAXLIB_LANES_DEFINE(float)
JAXLIB_LANES_DEFINE(double)

} // namespace jaxlib::lapack::lanes
