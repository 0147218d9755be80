//===- Factors.cpp - Triangular and orthogonal factors, solves ------------===//
//
// The plain methods, column by column (Golub and Van Loan, Matrix Computations,
// 4th edition, sections 3.1, 3.4, 4.2 and 5.2): matrices this small fit in the
// nearest cache many times over, and blocks would save nothing. Choices are
// LAPACK's: signs of reflections, the first of equal pivots.
//
//===----------------------------------------------------------------------===//

#include "jaxlib/lapack/lanes/Sets.h"
#include "jaxlib/lapack/lanes/Vectors.h"

namespace jaxlib::lapack::lanes {
namespace {

template <typename T>
Done potrf(int64_t count, int64_t n, bool isLower, const T *from, T *to,
           void *scratch) {
  auto *a = static_cast<V<T> *>(scratch);
  load(count, n * n, from, a);
  const int64_t down = isLower ? 1 : n, along = isLower ? n : 1;
  M<T> fine = M<T>{} - 1;
  for (int64_t j = 0; j < n; ++j) {
    V<T> *column = a + j * along;
    const V<T> pivot = column[j * down];
    fine &= (pivot > 0) & (pivot <= Types<T>::greatest);
    const V<T> root = sqrt(pivot);
    const V<T> inverse = 1 / root;
    column[j * down] = root;
    for (int64_t i = j + 1; i < n; ++i) {
      column[i * down] *= inverse;
    }
    for (int64_t k = j + 1; k < n; ++k) {
      const V<T> factor = column[k * down];
      V<T> *target = a + k * along;
      for (int64_t i = k; i < n; ++i) {
        target[i * down] -= column[i * down] * factor;
      }
    }
  }
  const Done done = bits<T>(fine) & firstLanes(count);
  store(done, n * n, a, to);
  return done;
}

template <typename T>
Done getrf(int64_t count, int64_t m, int64_t n, const T *from, T *lu,
           int32_t *pivots, void *scratch) {
  auto *a = static_cast<V<T> *>(scratch);
  auto *pivotRows = reinterpret_cast<M<T> *>(a + m * n);
  load(count, m * n, from, a);
  M<T> fine = areFinite<T>(m * n, a);
  const int64_t k = m < n ? m : n;
  for (int64_t j = 0; j < k; ++j) {
    V<T> *column = a + j * m;
    V<T> best = absolute(column[j]);
    M<T> pivot = splat<T>(j);
    for (int64_t i = j + 1; i < m; ++i) {
      const V<T> size = absolute(column[i]);
      const M<T> isBetter = size > best;
      best = isBetter ? size : best;
      pivot = isBetter ? splat<T>(i) : pivot;
    }
    pivotRows[j] = pivot + 1;
    fine &= best >= Types<T>::smallest;
    for (int64_t c = 0; c < n; ++c) {
      V<T> *x = a + c * m;
      const V<T> upper = x[j];
      V<T> chosen = upper;
      for (int64_t i = j + 1; i < m; ++i) {
        const M<T> isHere = pivot == splat<T>(i);
        const V<T> lower = x[i];
        chosen = isHere ? lower : chosen;
        x[i] = isHere ? upper : lower;
      }
      x[j] = chosen;
    }
    const V<T> inverse = 1 / column[j];
    for (int64_t i = j + 1; i < m; ++i) {
      column[i] *= inverse;
    }
    for (int64_t c = j + 1; c < n; ++c) {
      V<T> *x = a + c * m;
      const V<T> factor = x[j];
      for (int64_t i = j + 1; i < m; ++i) {
        x[i] -= column[i] * factor;
      }
    }
  }
  const Done done = bits<T>(fine) & firstLanes(count);
  store(done, m * n, a, lu);
  for (int64_t lane = 0; lane < count; ++lane) {
    for (int64_t j = 0; j < k && (done >> lane & 1); ++j) {
      pivots[lane * k + j] = static_cast<int32_t>(pivotRows[j][lane]);
    }
  }
  return done;
}

template <typename T>
Done geqrf(int64_t count, int64_t m, int64_t n, const T *from, T *factors,
           T *tau, void *scratch) {
  auto *a = static_cast<V<T> *>(scratch);
  V<T> *scales = a + m * n;
  load(count, m * n, from, a);
  M<T> fine = areFinite<T>(m * n, a);
  const int64_t k = m < n ? m : n;
  for (int64_t j = 0; j < k; ++j) {
    V<T> *v = a + j * m + j;
    scales[j] = reflect<T>(m - j, v, fine);
    for (int64_t c = j + 1; c < n; ++c) {
      applyReflection<T>(m - j, v, scales[j], a + c * m + j);
    }
  }
  fine &= areFinite<T>(m * n, a);
  const Done done = bits<T>(fine) & firstLanes(count);
  store(done, m * n, a, factors);
  store(done, k, scales, tau);
  return done;
}

template <typename T>
Done orgqr(int64_t count, int64_t m, int64_t n, int64_t k, const T *from,
           const T *tau, T *q, void *scratch) {
  auto *a = static_cast<V<T> *>(scratch);
  V<T> *scales = a + m * n;
  load(count, m * n, from, a);
  load(count, k, tau, scales);
  const M<T> fine = areFinite<T>(m * n, a) & areFinite<T>(k, scales);
  for (int64_t j = k; j < n; ++j) {
    for (int64_t i = 0; i < m; ++i) {
      a[j * m + i] = V<T>{} + T(i == j);
    }
  }
  for (int64_t j = k - 1; j >= 0; --j) {
    V<T> *v = a + j * m + j;
    for (int64_t c = j + 1; c < n; ++c) {
      applyReflection<T>(m - j, v, scales[j], a + c * m + j);
    }
    v[0] = 1 - scales[j];
    for (int64_t i = 1; i < m - j; ++i) {
      v[i] *= -scales[j];
    }
    for (int64_t i = 0; i < j; ++i) {
      a[j * m + i] = V<T>{};
    }
  }
  const Done done = bits<T>(fine) & firstLanes(count);
  store(done, m * n, a, q);
  return done;
}

/// x op(a) = b is op(a)' x' = b'.
template <typename T>
Done trsm(int64_t count, const typename Kernels<T>::Triangle &shape,
          int64_t others, const T *from, const T *b, T *to, void *scratch) {
  const int64_t n = shape.n;
  auto *a = static_cast<V<T> *>(scratch);
  V<T> *x = a + n * n;
  load(count, n * n, from, a);
  load(count, n * others, b, x);
  const bool isTurned = shape.isTransposed == shape.isLeft;
  const bool isForward = shape.isLower != isTurned;
  const int64_t down = isTurned ? n : 1, along = isTurned ? 1 : n;
  const int64_t next = shape.isLeft ? 1 : others;
  const int64_t nextOther = shape.isLeft ? n : 1;
  for (int64_t other = 0; other < others; ++other) {
    V<T> *y = x + other * nextOther;
    for (int64_t step = 0; step < n; ++step) {
      const int64_t j = isForward ? step : n - 1 - step;
      V<T> known = y[j * next];
      known = shape.isUnit ? known : known / a[j * (n + 1)];
      y[j * next] = known;
      const int64_t begin = isForward ? j + 1 : 0, end = isForward ? n : j;
      for (int64_t i = begin; i < end; ++i) {
        y[i * next] -= a[i * down + j * along] * known;
      }
    }
  }
  const Done done = firstLanes(count);
  store(done, n * others, x, to);
  return done;
}

} // namespace

#define JAXLIB_LANES_DEFINE(T)                                                 \
  template <>                                                                  \
  void setFactors<JAXLIB_LANES_SET, T>(Kernels<T> & kernels) {                 \
    kernels.potrf = potrf<T>;                                                  \
    kernels.getrf = getrf<T>;                                                  \
    kernels.geqrf = geqrf<T>;                                                  \
    kernels.orgqr = orgqr<T>;                                                  \
    kernels.trsm = trsm<T>;                                                    \
  }
JAXLIB_LANES_DEFINE(float)
JAXLIB_LANES_DEFINE(double)

} // namespace jaxlib::lapack::lanes
