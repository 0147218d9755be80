//===- Lanes.h - Many small matrices side by side ---------------*- C++ -*-===//
//
// LAPACK spends most of its time on a small matrix with what is around the
// arithmetic. Here a vector register holds the same element of as many matrices
// as 64 bytes have room for, a *group*: every operation serves all of them,
// whatever their size. What differs between the matrices of a group (a pivot's
// row, a number of iterations) is a mask.
//
// A matrix that asks for care is left to LAPACK: one with NaN or infinities, a
// singular or indefinite one, one that does not converge. Each kernel answers
// which ones it has done, and writes nothing for matrices that it has not done.
//
// Error bounds are LAPACK's own: backward errors, and distances of computed
// vectors from orthonormal ones, of a small multiple of n times the unit
// roundoff, relative to the matrix's norm. Sums go by increasing index.
//
//===----------------------------------------------------------------------===//

#ifndef JAXLIB_LAPACK_LANES_LANES_H
#define JAXLIB_LAPACK_LANES_LANES_H

#include <cstdint>

namespace jaxlib::lapack::lanes {

/// Matrices of a group.
template <typename T>
constexpr int64_t width = 64 / sizeof(T);

/// Rows and columns that a matrix may have; columns on a right-hand side.
constexpr int64_t largest = 16;

/// Bytes of scratch memory that a kernel needs, aligned to 64.
constexpr int64_t scratchBytes = (5 * largest * largest + 8 * largest) * 64;

/// Bit i is set where matrix i of the group is done.
using Done = uint32_t;

/// Matrices that follow each other in memory, by columns: the first `count` of
/// a group. Results may take the place of operands.
template <typename T>
struct Kernels {
  /// The lower or upper factor in place of that triangle; the other one stays.
  Done (*potrf)(int64_t count, int64_t n, bool isLower, const T *a, T *factor,
                void *scratch);

  /// Factors of a = P L U; pivots count from 1, the first of equals is chosen.
  Done (*getrf)(int64_t count, int64_t m, int64_t n, const T *a, T *lu,
                int32_t *pivots, void *scratch);

  /// Reflectors below a triangle, as LAPACK's geqrf.
  Done (*geqrf)(int64_t count, int64_t m, int64_t n, const T *a, T *factors,
                T *tau, void *scratch);

  /// The first n columns of a product of k reflectors.
  Done (*orgqr)(int64_t count, int64_t m, int64_t n, int64_t k, const T *a,
                const T *tau, T *q, void *scratch);

  /// op(a) x = b with a of n x n, or x op(a) = b.
  struct Triangle {
    int64_t n;
    bool isLeft, isLower, isTransposed, isUnit;
  };
  Done (*trsm)(int64_t count, const Triangle &shape, int64_t others, const T *a,
               const T *b, T *x, void *scratch);

  /// Eigenvalues in increasing order; vectors unless that pointer is null.
  Done (*syevd)(int64_t count, int64_t n, bool isLower, const T *a, T *values,
                T *vectors, void *scratch);

  /// Singular values in decreasing order; u (m x columnsOfU) and vt (rowsOfVt x
  /// n) unless those pointers are null.
  struct Svd {
    int64_t m, n, columnsOfU, rowsOfVt;
  };
  Done (*gesdd)(int64_t count, const Svd &shape, const T *a, T *values, T *u,
                T *vt, void *scratch);
};

/// The kernels for this processor.
template <typename T>
const Kernels<T> &kernels();

/// All that this processor can run, the best ones first: for tests.
template <typename T>
int allKernels(const Kernels<T> *(&found)[3]);

} // namespace jaxlib::lapack::lanes

#endif // JAXLIB_LAPACK_LANES_LANES_H
