//===- Spectral.cpp - Singular values, eigenvalues, Schur forms -----------===//
//
// gesdd, gesvd, syevd/heevd, geev, gees, gehrd, sytrd/hetrd. Matrices are
// column-major; an `info` result is LAPACK's, one per matrix.
// Reference: Anderson et al., LAPACK Users' Guide, third edition, 1999.
//
//===----------------------------------------------------------------------===//

#include "jaxlib/lapack/Handlers.h"
#include "jaxlib/lapack/Remaining.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace jaxlib::lapack {

/// How many rows or columns of the singular vectors a mode asks for.
static int64_t vectorCount(uint8_t mode, int64_t all, int64_t thin) {
  return mode == 'A' ? all : mode == 'S' ? thin : 0;
}

/// Shared by gesdd (divide and conquer) and gesvd (QR iteration).
template <typename T, Routine routine>
static ffi::Error svd(AnyBuffer a, uint8_t mode, Output destroyed, Output s,
                      Output u, Output vt, Output info) {
  constexpr bool divide = routine == Routine::Gesdd;
  Checker check(divide ? "gesdd" : "gesvd");
  Batch x = check.batch<T>(a, "the operand", 2);
  Batch y = check.batch<T>(*destroyed, "the first result", 2);
  Batch values = check.batch<Real<T>>(*s, "the singular values", 1);
  Batch left = check.batch<T>(*u, "the left vectors", 2);
  Batch right = check.batch<T>(*vt, "the right vectors", 2);
  Batch codes = check.batch<int32_t>(*info, "info", 0);
  const int64_t k = std::min(x.rows, x.cols);
  check.require(mode == 'A' || mode == 'S' || mode == 'N',
                "mode is none of A, S, N");
  check.require(y.count == x.count && y.rows == x.rows && y.cols == x.cols,
                "operand and result differ in shape");
  check.require(values.count == x.count && values.cols == k,
                "there must be min(rows, columns) singular values");
  check.require(codes.count == x.count, "info has another batch size");
  if (mode != 'N') {
    check.require(left.count == x.count && left.rows == x.rows &&
                      left.cols == vectorCount(mode, x.rows, k),
                  "the left vectors have another shape than mode asks for");
    check.require(right.count == x.count && right.cols == x.cols &&
                      right.rows == vectorCount(mode, x.cols, k),
                  "the right vectors have another shape than mode asks for");
  }
  check.available(routine, typeIndex<T>);
  if (!check.ok()) {
    return check.error();
  }
  Remaining matrices(x.count);
  if constexpr (divide) {
    std::fill_n(data<int32_t>(info), x.count, 0);
    matrices.takeByLanes<T>(x, [&](const auto &kernels, int64_t first,
                                   int64_t count, void *scratch) {
      const bool hasVectors = mode != 'N';
      return kernels.gesdd(
          count, {x.rows, x.cols, left.cols, right.rows},
          data<T>(a) + first * x.stride(), data<T>(s) + first * k,
          hasVectors ? data<T>(u) + first * left.stride() : nullptr,
          hasVectors ? data<T>(vt) + first * right.stride() : nullptr, scratch);
    });
  }
  copyRemaining(matrices, a, destroyed, x.stride() * sizeof(T));
  char letter = static_cast<char>(mode);
  int m = asInt(x.rows);
  int n = asInt(x.cols);
  int lead = leading(x.rows);
  int leadU = leading(left.rows);
  int leadV = leading(right.rows);
  const int64_t wide = std::max(x.rows, x.cols);
  // Sizes of the real and integer workspaces: LAPACK's documentation of gesdd
  // and gesvd, the larger formula where it gives two.
  Workspace<int> integers(8 * k);
  const int64_t realSize =
      !isComplex<T> ? 1
      : divide      ? std::max(5 * k * k + 5 * k, 2 * wide * k + 2 * k * k + k)
                    : 5 * k;
  Workspace<Real<T>> real(realSize);
  if (!integers || !real) {
    return outOfMemory();
  }
  auto run = [&](int64_t i, T *work, int *size) {
    T *matrix = data<T>(destroyed) + i * x.stride();
    Real<T> *value = data<Real<T>>(s) + i * k;
    T *lefts = data<T>(u) + (mode == 'N' ? 0 : i * left.stride());
    T *rights = data<T>(vt) + (mode == 'N' ? 0 : i * right.stride());
    int *code = data<int32_t>(info) + i;
    if constexpr (divide && isComplex<T>) {
      call<T>(routine, &letter, &m, &n, matrix, &lead, value, lefts, &leadU,
              rights, &leadV, work, size, real.get(), integers.get(), code);
    } else if constexpr (divide) {
      call<T>(routine, &letter, &m, &n, matrix, &lead, value, lefts, &leadU,
              rights, &leadV, work, size, integers.get(), code);
    } else if constexpr (isComplex<T>) {
      call<T>(routine, &letter, &letter, &m, &n, matrix, &lead, value, lefts,
              &leadU, rights, &leadV, work, size, real.get(), code);
    } else {
      call<T>(routine, &letter, &letter, &m, &n, matrix, &lead, value, lefts,
              &leadU, rights, &leadV, work, size, code);
    }
  };
  return runWithWorkspace<T>(matrices, 1, run);
}

template <typename T>
static ffi::Error heevd(AnyBuffer a, uint8_t mode, uint8_t uplo, Output vectors,
                        Output values, Output info) {
  Checker check("syevd");
  Batch x = check.batch<T>(a, "the operand", 2);
  Batch y = check.batch<T>(*vectors, "the vectors", 2);
  Batch w = check.batch<Real<T>>(*values, "the eigenvalues", 1);
  Batch codes = check.batch<int32_t>(*info, "info", 0);
  check.require(mode == 'V' || mode == 'N', "mode is neither V nor N");
  check.require(uplo == 'L' || uplo == 'U', "uplo is neither L nor U");
  check.require(x.rows == x.cols, "the matrices are not square");
  check.require(y.count == x.count && y.rows == x.rows && y.cols == x.cols,
                "operand and vectors differ in shape");
  check.require(w.count == x.count && w.cols == x.rows,
                "there must be an eigenvalue for each row");
  check.require(codes.count == x.count, "info has another batch size");
  check.available(Routine::Heevd, typeIndex<T>);
  if (!check.ok()) {
    return check.error();
  }
  std::fill_n(data<int32_t>(info), x.count, 0);
  Remaining matrices(x.count);
  matrices.takeByLanes<T>(
      x, [&](const auto &kernels, int64_t first, int64_t count, void *scratch) {
        const int64_t start = first * x.stride();
        return kernels.syevd(count, x.rows, uplo == 'L', data<T>(a) + start,
                             data<T>(values) + first * x.rows,
                             mode == 'V' ? data<T>(vectors) + start : nullptr,
                             scratch);
      });
  copyRemaining(matrices, a, vectors, x.stride() * sizeof(T));
  if (matrices.size() == 0) {
    return ffi::Error::Success();
  }
  char job = static_cast<char>(mode);
  char half = static_cast<char>(uplo);
  int n = asInt(x.rows);
  int lead = leading(x.rows);
  auto run = [&](int64_t i, T *work, int *size, Real<T> *real, int *realSize,
                 int *integers, int *integerSize) {
    T *matrix = data<T>(vectors) + i * x.stride();
    Real<T> *value = data<Real<T>>(values) + i * x.rows;
    int *code = data<int32_t>(info) + i;
    if constexpr (isComplex<T>) {
      call<T>(Routine::Heevd, &job, &half, &n, matrix, &lead, value, work, size,
              real, realSize, integers, integerSize, code);
    } else {
      call<T>(Routine::Heevd, &job, &half, &n, matrix, &lead, value, work, size,
              integers, integerSize, code);
    }
  };
  T answer = 0;
  Real<T> realAnswer = 0;
  int integerAnswer = 0;
  int query = -1;
  run(0, &answer, &query, &realAnswer, &query, &integerAnswer, &query);
  int size = asInt(queriedSize(answer));
  int realSize = asInt(queriedSize(realAnswer));
  int integerSize = std::max(1, integerAnswer);
  Workspace<T> work(size);
  Workspace<Real<T>> real(realSize);
  Workspace<int> integers(integerSize);
  if (!work || !real || !integers) {
    return outOfMemory();
  }
  for (int64_t i = 0; i < matrices.size(); ++i) {
    run(matrices[i], work.get(), &size, real.get(), &realSize, integers.get(),
        &integerSize);
  }
  return ffi::Error::Success();
}

/// LAPACK packs a conjugate pair of a real matrix's eigenvectors as two real
/// columns, the real part and the imaginary part of the first of the two.
template <typename R>
static void unpackPairs(int64_t n, const R *imaginary, const R *packed,
                        std::complex<R> *vectors) {
  for (int64_t j = 0; j < n; ++j) {
    const R *column = packed + j * n;
    std::complex<R> *out = vectors + j * n;
    if (imaginary[j] == 0 || j + 1 == n) {
      std::copy(column, column + n, out);
      continue;
    }
    for (int64_t i = 0; i < n; ++i) {
      out[i] = {column[i], column[n + i]};
      out[n + i] = {column[i], -column[n + i]};
    }
    ++j;
  }
}

/// geev promises nothing about a matrix that holds NaN or infinities: some
/// libraries skip past them to plausible eigenvalues, others complain on the
/// standard output. Such a matrix counts as one that did not converge.
template <typename T>
static bool isFinite(const T *matrix, int64_t count) {
  return std::all_of(matrix, matrix + count, [](T x) {
    return std::isfinite(std::real(x)) && std::isfinite(std::imag(x));
  });
}

/// NaN in all of `count` numbers.
template <typename T>
static void fillNan(T *numbers, int64_t count) {
  constexpr Real<T> nan = std::numeric_limits<Real<T>>::quiet_NaN();
  if constexpr (isComplex<T>) {
    std::fill_n(numbers, count, T(nan, nan));
  } else {
    std::fill_n(numbers, count, nan);
  }
}

/// What both forms of geev ask of the operand, the vectors and the codes.
static void requireVectors(Checker &check, const Batch &x, const Batch &left,
                           const Batch &right, const Batch &codes) {
  check.require(x.rows == x.cols, "the matrices are not square");
  check.require(codes.count == x.count && left.count == x.count &&
                    right.count == x.count && left.stride() == x.stride() &&
                    right.stride() == x.stride(),
                "a result has another shape than the operand asks for");
}

template <typename T>
static ffi::Error geevComplex(AnyBuffer a, uint8_t leftMode, uint8_t rightMode,
                              Output values, Output left, Output right,
                              Output info) {
  Checker check("geev");
  Batch x = check.batch<T>(a, "the operand", 2);
  Batch w = check.batch<T>(*values, "the eigenvalues", 1);
  Batch l = check.batch<T>(*left, "the left vectors", 2);
  Batch r = check.batch<T>(*right, "the right vectors", 2);
  Batch codes = check.batch<int32_t>(*info, "info", 0);
  requireVectors(check, x, l, r, codes);
  check.require(w.count == x.count && w.cols == x.rows,
                "the eigenvalues have another shape than the operand asks for");
  check.available(Routine::Geev, typeIndex<T>);
  if (!check.ok()) {
    return check.error();
  }
  if (x.count == 0) {
    return ffi::Error::Success();
  }
  char jobLeft = static_cast<char>(leftMode);
  char jobRight = static_cast<char>(rightMode);
  int n = asInt(x.rows);
  int lead = leading(x.rows);
  Workspace<T> matrix(x.stride());
  Workspace<Real<T>> real(2 * x.rows);
  if (!matrix || !real) {
    return outOfMemory();
  }
  auto run = [&](int64_t i, T *work, int *size) {
    std::copy_n(data<T>(a) + i * x.stride(), x.stride(), matrix.get());
    if (*size >= 0 && !isFinite(matrix.get(), x.stride())) {
      fillNan(data<T>(values) + i * x.rows, x.rows);
      fillNan(data<T>(left) + i * x.stride(), x.stride());
      fillNan(data<T>(right) + i * x.stride(), x.stride());
      data<int32_t>(info)[i] = 1;
      return;
    }
    call<T>(Routine::Geev, &jobLeft, &jobRight, &n, matrix.get(), &lead,
            data<T>(values) + i * x.rows, data<T>(left) + i * x.stride(), &lead,
            data<T>(right) + i * x.stride(), &lead, work, size, real.get(),
            data<int32_t>(info) + i);
  };
  return runWithWorkspace<T>(Remaining(x.count), 1, run);
}

template <typename T>
static ffi::Error geevReal(AnyBuffer a, uint8_t leftMode, uint8_t rightMode,
                           Output realPart, Output imaginaryPart, Output left,
                           Output right, Output info) {
  using C = std::complex<T>;
  Checker check("geev");
  Batch x = check.batch<T>(a, "the operand", 2);
  Batch wr = check.batch<T>(*realPart, "the real parts", 1);
  Batch wi = check.batch<T>(*imaginaryPart, "the imaginary parts", 1);
  Batch l = check.batch<C>(*left, "the left vectors", 2);
  Batch r = check.batch<C>(*right, "the right vectors", 2);
  Batch codes = check.batch<int32_t>(*info, "info", 0);
  requireVectors(check, x, l, r, codes);
  check.require(wr.count == x.count && wr.cols == x.rows &&
                    wi.count == x.count && wi.cols == x.rows,
                "the eigenvalues have another shape than the operand asks for");
  check.available(Routine::Geev, typeIndex<T>);
  if (!check.ok()) {
    return check.error();
  }
  if (x.count == 0) {
    return ffi::Error::Success();
  }
  char jobLeft = static_cast<char>(leftMode);
  char jobRight = static_cast<char>(rightMode);
  int n = asInt(x.rows);
  int lead = leading(x.rows);
  Workspace<T> matrix(x.stride());
  Workspace<T> packedLeft(x.stride());
  Workspace<T> packedRight(x.stride());
  if (!matrix || !packedLeft || !packedRight) {
    return outOfMemory();
  }
  auto run = [&](int64_t i, T *work, int *size) {
    std::copy_n(data<T>(a) + i * x.stride(), x.stride(), matrix.get());
    if (*size >= 0 && !isFinite(matrix.get(), x.stride())) {
      fillNan(data<T>(realPart) + i * x.rows, x.rows);
      fillNan(data<T>(imaginaryPart) + i * x.rows, x.rows);
      fillNan(data<C>(left) + i * x.stride(), x.stride());
      fillNan(data<C>(right) + i * x.stride(), x.stride());
      data<int32_t>(info)[i] = 1;
      return;
    }
    call<T>(Routine::Geev, &jobLeft, &jobRight, &n, matrix.get(), &lead,
            data<T>(realPart) + i * x.rows, data<T>(imaginaryPart) + i * x.rows,
            packedLeft.get(), &lead, packedRight.get(), &lead, work, size,
            data<int32_t>(info) + i);
    if (*size < 0) {
      return; // the caller wants the size of the workspace only
    }
    const T *imaginary = data<T>(imaginaryPart) + i * x.rows;
    if (leftMode == 'V') {
      unpackPairs(x.rows, imaginary, packedLeft.get(),
                  data<C>(left) + i * x.stride());
    }
    if (rightMode == 'V') {
      unpackPairs(x.rows, imaginary, packedRight.get(),
                  data<C>(right) + i * x.stride());
    }
  };
  return runWithWorkspace<T>(Remaining(x.count), 1, run);
}

template <typename T>
static ffi::Error gehrd(AnyBuffer a, int32_t low, int32_t high, Output factors,
                        Output tau, Output info) {
  Checker check("gehrd");
  Batch x = check.batch<T>(a, "the operand", 2);
  Batch y = check.batch<T>(*factors, "the result", 2);
  Batch t = check.batch<T>(*tau, "tau", 1);
  Batch codes = check.batch<int32_t>(*info, "info", 0);
  check.require(x.rows == x.cols, "the matrices are not square");
  check.require(y.count == x.count && y.rows == x.rows && y.cols == x.cols,
                "operand and result differ in shape");
  check.require(t.count == x.count &&
                    t.cols == std::max<int64_t>(x.rows - 1, 0),
                "tau must have one entry less than there are rows");
  check.require(codes.count == x.count, "info has another batch size");
  check.require(low >= 1 && high <= x.rows && low <= high + 1,
                "low and high do not name rows");
  check.available(Routine::Gehrd, typeIndex<T>);
  if (!check.ok()) {
    return check.error();
  }
  copyOperand(a, factors);
  if (x.count == 0) {
    return ffi::Error::Success();
  }
  int n = asInt(x.rows);
  int lead = leading(x.rows);
  auto run = [&](int64_t i, T *work, int *size) {
    call<T>(Routine::Gehrd, &n, &low, &high, data<T>(factors) + i * x.stride(),
            &lead, data<T>(tau) + i * t.cols, work, size,
            data<int32_t>(info) + i);
  };
  return runWithWorkspace<T>(Remaining(x.count), 1, run);
}

template <typename T>
static ffi::Error hetrd(AnyBuffer a, uint8_t uplo, Output factors,
                        Output diagonal, Output offDiagonal, Output tau,
                        Output info) {
  Checker check("sytrd");
  Batch x = check.batch<T>(a, "the operand", 2);
  Batch y = check.batch<T>(*factors, "the result", 2);
  Batch d = check.batch<Real<T>>(*diagonal, "the diagonal", 1);
  Batch e = check.batch<Real<T>>(*offDiagonal, "the off-diagonal", 1);
  Batch t = check.batch<T>(*tau, "tau", 1);
  Batch codes = check.batch<int32_t>(*info, "info", 0);
  const int64_t less = std::max<int64_t>(x.rows - 1, 0);
  check.require(uplo == 'L' || uplo == 'U', "uplo is neither L nor U");
  check.require(x.rows == x.cols, "the matrices are not square");
  check.require(y.count == x.count && y.rows == x.rows && y.cols == x.cols,
                "operand and result differ in shape");
  check.require(d.count == x.count && d.cols == x.rows && e.count == x.count &&
                    e.cols == less && t.count == x.count && t.cols == less &&
                    codes.count == x.count,
                "a result has another shape than the operand asks for");
  check.available(Routine::Hetrd, typeIndex<T>);
  if (!check.ok()) {
    return check.error();
  }
  copyOperand(a, factors);
  if (x.count == 0) {
    return ffi::Error::Success();
  }
  char half = static_cast<char>(uplo);
  int n = asInt(x.rows);
  int lead = leading(x.rows);
  auto run = [&](int64_t i, T *work, int *size) {
    call<T>(Routine::Hetrd, &half, &n, data<T>(factors) + i * x.stride(), &lead,
            data<Real<T>>(diagonal) + i * d.cols,
            data<Real<T>>(offDiagonal) + i * e.cols, data<T>(tau) + i * t.cols,
            work, size, data<int32_t>(info) + i);
  };
  return runWithWorkspace<T>(Remaining(x.count), 1, run);
}

/// Schur form without sorting. `parts` are the eigenvalues: (wr, wi) for a real
/// matrix, (w) for a complex one.
template <typename T, typename... Parts>
static ffi::Error schur(AnyBuffer a, uint8_t mode, uint8_t sort, Output &form,
                        Output &vectors, Output &selected, Output &info,
                        Parts &...parts) {
  Checker check("gees");
  Batch x = check.batch<T>(a, "the operand", 2);
  Batch y = check.batch<T>(*form, "the result", 2);
  Batch v = check.batch<T>(*vectors, "the vectors", 2);
  Batch dims = check.batch<int32_t>(*selected, "sdim", 0);
  Batch codes = check.batch<int32_t>(*info, "info", 0);
  check.require(mode == 'V' || mode == 'N', "mode is neither V nor N");
  check.require(sort == 'N', "sorting the eigenvalues is not supported");
  check.require(x.rows == x.cols, "the matrices are not square");
  check.require(y.count == x.count && y.stride() == x.stride() &&
                    v.count == x.count && dims.count == x.count &&
                    codes.count == x.count,
                "a result has another shape than the operand asks for");
  check.require(mode == 'N' || v.stride() == x.stride(),
                "the vectors have another shape than the operand");
  for (const Batch &part : {check.batch<T>(*parts, "the eigenvalues", 1)...}) {
    check.require(part.count == x.count && part.cols == x.rows,
                  "there must be an eigenvalue for each row");
  }
  check.available(Routine::Gees, typeIndex<T>);
  if (!check.ok()) {
    return check.error();
  }
  copyOperand(a, form);
  if (x.count == 0) {
    return ffi::Error::Success();
  }
  char job = static_cast<char>(mode);
  char order = 'N';
  int n = asInt(x.rows);
  int lead = leading(x.rows);
  Workspace<Real<T>> real(x.rows);
  Workspace<int> unused(x.rows);
  if (!real || !unused) {
    return outOfMemory();
  }
  void *noSelection = nullptr;
  auto run = [&](int64_t i, T *work, int *size) {
    T *matrix = data<T>(form) + i * x.stride();
    T *vector = data<T>(vectors) + (mode == 'V' ? i * x.stride() : 0);
    int *dim = data<int32_t>(selected) + i;
    int *code = data<int32_t>(info) + i;
    auto *none = static_cast<char *>(noSelection);
    if constexpr (isComplex<T>) {
      call<T>(Routine::Gees, &job, &order, none, &n, matrix, &lead, dim,
              (data<T>(parts) + i * x.rows)..., vector, &lead, work, size,
              real.get(), unused.get(), code);
    } else {
      call<T>(Routine::Gees, &job, &order, none, &n, matrix, &lead, dim,
              (data<T>(parts) + i * x.rows)..., vector, &lead, work, size,
              unused.get(), code);
    }
  };
  return runWithWorkspace<T>(Remaining(x.count), 1, run);
}

template <typename T>
static ffi::Error geesReal(AnyBuffer a, uint8_t mode, uint8_t sort, Output form,
                           Output vectors, Output wr, Output wi,
                           Output selected, Output info) {
  return schur<T>(a, mode, sort, form, vectors, selected, info, wr, wi);
}

template <typename T>
static ffi::Error geesComplex(AnyBuffer a, uint8_t mode, uint8_t sort,
                              Output form, Output vectors, Output w,
                              Output selected, Output info) {
  return schur<T>(a, mode, sort, form, vectors, selected, info, w);
}

//===----------------------------------------------------------------------===//
// Handlers
//===----------------------------------------------------------------------===//

template <typename T, Routine routine>
static XLA_FFI_Handler *svdHandler() {
  constexpr auto implementation = svd<T, routine>;
  XLA_FFI_DEFINE_HANDLER(handler, implementation,
                         results<5>(arguments<1>().Attr<uint8_t>("mode")));
  return handler;
}

template <typename T>
static XLA_FFI_Handler *heevdHandler() {
  XLA_FFI_DEFINE_HANDLER(
      handler, heevd<T>,
      results<3>(arguments<1>().Attr<uint8_t>("mode").Attr<uint8_t>("uplo")));
  return handler;
}

template <typename T>
static XLA_FFI_Handler *geevRealHandler() {
  XLA_FFI_DEFINE_HANDLER(handler, geevReal<T>,
                         results<5>(arguments<1>()
                                        .Attr<uint8_t>("compute_left")
                                        .Attr<uint8_t>("compute_right")));
  return handler;
}

template <typename T>
static XLA_FFI_Handler *geevComplexHandler() {
  XLA_FFI_DEFINE_HANDLER(handler, geevComplex<T>,
                         results<4>(arguments<1>()
                                        .Attr<uint8_t>("compute_left")
                                        .Attr<uint8_t>("compute_right")));
  return handler;
}

template <typename T>
static XLA_FFI_Handler *gehrdHandler() {
  XLA_FFI_DEFINE_HANDLER(
      handler, gehrd<T>,
      results<3>(arguments<1>().Attr<int32_t>("low").Attr<int32_t>("high")));
  return handler;
}

template <typename T>
static XLA_FFI_Handler *hetrdHandler() {
  XLA_FFI_DEFINE_HANDLER(handler, hetrd<T>,
                         results<5>(arguments<1>().Attr<uint8_t>("uplo")));
  return handler;
}

template <typename T>
static XLA_FFI_Handler *geesRealHandler() {
  XLA_FFI_DEFINE_HANDLER(
      handler, geesReal<T>,
      results<6>(arguments<1>().Attr<uint8_t>("mode").Attr<uint8_t>("sort")));
  return handler;
}

template <typename T>
static XLA_FFI_Handler *geesComplexHandler() {
  XLA_FFI_DEFINE_HANDLER(
      handler, geesComplex<T>,
      results<5>(arguments<1>().Attr<uint8_t>("mode").Attr<uint8_t>("sort")));
  return handler;
}

template <typename T>
static void addHandlers(std::vector<Registration> &handlers) {
  auto add = [&](Routine routine, XLA_FFI_Handler *handler) {
    handlers.emplace_back(targetName(routine, typeIndex<T>), handler);
  };
  add(Routine::Gesdd, forAnyRuntime<svdHandler<T, Routine::Gesdd>>);
  add(Routine::Gesvd, forAnyRuntime<svdHandler<T, Routine::Gesvd>>);
  add(Routine::Heevd, forAnyRuntime<heevdHandler<T>>);
  add(Routine::Gehrd, forAnyRuntime<gehrdHandler<T>>);
  add(Routine::Hetrd, forAnyRuntime<hetrdHandler<T>>);
  if constexpr (isComplex<T>) {
    add(Routine::Geev, forAnyRuntime<geevComplexHandler<T>>);
    add(Routine::Gees, forAnyRuntime<geesComplexHandler<T>>);
  } else {
    add(Routine::Geev, forAnyRuntime<geevRealHandler<T>>);
    add(Routine::Gees, forAnyRuntime<geesRealHandler<T>>);
  }
}

std::vector<Registration> spectralHandlers() {
  std::vector<Registration> handlers;
  forEachType([&]<typename T>() { addHandlers<T>(handlers); });
  return handlers;
}

} // namespace jaxlib::lapack
