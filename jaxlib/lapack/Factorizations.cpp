//===- Factorizations.cpp - Triangular and orthogonal factors, solves -----===//
//
// potrf, getrf, geqrf, geqp3, orgqr/ungqr, ormqr/unmqr, trsm, gtsv. Matrices
// are column-major; an `info` result is LAPACK's, one per matrix.
// Reference: Anderson et al., LAPACK Users' Guide, third edition, 1999.
//
//===----------------------------------------------------------------------===//

#include "jaxlib/lapack/Handlers.h"
#include "jaxlib/lapack/Remaining.h"

#include <algorithm>

namespace jaxlib::lapack {

template <typename T>
static ffi::Error potrf(AnyBuffer a, uint8_t uplo, Output factor, Output info) {
  Checker check("potrf");
  Batch x = check.batch<T>(a, "the operand", 2);
  Batch y = check.batch<T>(*factor, "the result", 2);
  Batch codes = check.batch<int32_t>(*info, "info", 0);
  check.require(x.rows == x.cols, "the matrices are not square");
  check.require(y.count == x.count && y.rows == x.rows && y.cols == x.cols,
                "operand and result differ in shape");
  check.require(codes.count == x.count, "info has another batch size");
  check.require(uplo == 'L' || uplo == 'U', "uplo is neither L nor U");
  check.available(Routine::Potrf, typeIndex<T>);
  if (!check.ok()) {
    return check.error();
  }
  std::fill_n(data<int32_t>(info), x.count, 0);
  Remaining matrices(x.count);
  matrices.takeByLanes<T>(
      x, [&](const auto &kernels, int64_t first, int64_t count, void *scratch) {
        const int64_t start = first * x.stride();
        return kernels.potrf(count, x.rows, uplo == 'L', data<T>(a) + start,
                             data<T>(factor) + start, scratch);
      });
  copyRemaining(matrices, a, factor, x.stride() * sizeof(T));
  char letter = static_cast<char>(uplo);
  int n = asInt(x.rows);
  int lead = leading(x.rows);
  for (int64_t k = 0; k < matrices.size(); ++k) {
    const int64_t i = matrices[k];
    call<T>(Routine::Potrf, &letter, &n, data<T>(factor) + i * x.stride(),
            &lead, data<int32_t>(info) + i);
  }
  return ffi::Error::Success();
}

template <typename T>
static ffi::Error getrf(AnyBuffer a, Output lu, Output pivots, Output info) {
  Checker check("getrf");
  Batch x = check.batch<T>(a, "the operand", 2);
  Batch y = check.batch<T>(*lu, "the result", 2);
  Batch p = check.batch<int32_t>(*pivots, "the pivots", 1);
  Batch codes = check.batch<int32_t>(*info, "info", 0);
  check.require(y.count == x.count && y.rows == x.rows && y.cols == x.cols,
                "operand and result differ in shape");
  check.require(p.count == x.count && p.cols == std::min(x.rows, x.cols),
                "there must be min(rows, columns) pivots for each matrix");
  check.require(codes.count == x.count, "info has another batch size");
  check.available(Routine::Getrf, typeIndex<T>);
  if (!check.ok()) {
    return check.error();
  }
  std::fill_n(data<int32_t>(info), x.count, 0);
  Remaining matrices(x.count);
  matrices.takeByLanes<T>(
      x, [&](const auto &kernels, int64_t first, int64_t count, void *scratch) {
        const int64_t start = first * x.stride();
        return kernels.getrf(count, x.rows, x.cols, data<T>(a) + start,
                             data<T>(lu) + start,
                             data<int32_t>(pivots) + first * p.cols, scratch);
      });
  copyRemaining(matrices, a, lu, x.stride() * sizeof(T));
  int m = asInt(x.rows);
  int n = asInt(x.cols);
  int lead = leading(x.rows);
  for (int64_t k = 0; k < matrices.size(); ++k) {
    const int64_t i = matrices[k];
    call<T>(Routine::Getrf, &m, &n, data<T>(lu) + i * x.stride(), &lead,
            data<int32_t>(pivots) + i * p.cols, data<int32_t>(info) + i);
  }
  return ffi::Error::Success();
}

template <typename T>
static ffi::Error geqrf(AnyBuffer a, Output factors, Output tau) {
  Checker check("geqrf");
  Batch x = check.batch<T>(a, "the operand", 2);
  Batch y = check.batch<T>(*factors, "the result", 2);
  Batch t = check.batch<T>(*tau, "tau", 1);
  check.require(y.count == x.count && y.rows == x.rows && y.cols == x.cols,
                "operand and result differ in shape");
  check.require(t.count == x.count && t.cols == std::min(x.rows, x.cols),
                "tau must have min(rows, columns) entries for each matrix");
  check.available(Routine::Geqrf, typeIndex<T>);
  if (!check.ok()) {
    return check.error();
  }
  Remaining matrices(x.count);
  matrices.takeByLanes<T>(
      x, [&](const auto &kernels, int64_t first, int64_t count, void *scratch) {
        const int64_t start = first * x.stride();
        return kernels.geqrf(count, x.rows, x.cols, data<T>(a) + start,
                             data<T>(factors) + start,
                             data<T>(tau) + first * t.cols, scratch);
      });
  copyRemaining(matrices, a, factors, x.stride() * sizeof(T));
  int m = asInt(x.rows);
  int n = asInt(x.cols);
  int lead = leading(x.rows);
  int info = 0;
  auto run = [&](int64_t i, T *work, int *size) {
    call<T>(Routine::Geqrf, &m, &n, data<T>(factors) + i * x.stride(), &lead,
            data<T>(tau) + i * t.cols, work, size, &info);
  };
  return runWithWorkspace<T>(matrices, x.cols, run);
}

template <typename T>
static ffi::Error geqp3(AnyBuffer a, AnyBuffer pivot, Output factors,
                        Output pivots, Output tau) {
  Checker check("geqp3");
  Batch x = check.batch<T>(a, "the operand", 2);
  Batch y = check.batch<T>(*factors, "the result", 2);
  Batch p = check.batch<int32_t>(pivot, "the pivots", 1);
  Batch q = check.batch<int32_t>(*pivots, "the resulting pivots", 1);
  Batch t = check.batch<T>(*tau, "tau", 1);
  check.require(y.count == x.count && y.rows == x.rows && y.cols == x.cols,
                "operand and result differ in shape");
  check.require(p.count == x.count && p.cols == x.cols && q.count == p.count &&
                    q.cols == p.cols,
                "there must be a pivot for each column");
  check.require(t.count == x.count && t.cols == std::min(x.rows, x.cols),
                "tau must have min(rows, columns) entries for each matrix");
  check.available(Routine::Geqp3, typeIndex<T>);
  if (!check.ok()) {
    return check.error();
  }
  copyOperand(a, factors);
  copyOperand(pivot, pivots);
  int m = asInt(x.rows);
  int n = asInt(x.cols);
  int lead = leading(x.rows);
  int info = 0;
  Workspace<Real<T>> real(2 * x.cols);
  auto run = [&](int64_t i, T *work, int *size) {
    T *matrix = data<T>(factors) + i * x.stride();
    int32_t *permutation = data<int32_t>(pivots) + i * p.cols;
    T *scales = data<T>(tau) + i * t.cols;
    if constexpr (isComplex<T>) {
      call<T>(Routine::Geqp3, &m, &n, matrix, &lead, permutation, scales, work,
              size, real.get(), &info);
    } else {
      call<T>(Routine::Geqp3, &m, &n, matrix, &lead, permutation, scales, work,
              size, &info);
    }
  };
  if (!real) {
    return outOfMemory();
  }
  return runWithWorkspace<T>(Remaining(x.count), 3 * x.cols + 1, run);
}

template <typename T>
static ffi::Error ungqr(AnyBuffer a, AnyBuffer tau, Output q) {
  Checker check("orgqr");
  Batch x = check.batch<T>(a, "the operand", 2);
  Batch y = check.batch<T>(*q, "the result", 2);
  Batch t = check.batch<T>(tau, "tau", 1);
  check.require(y.count == x.count && y.rows == x.rows && y.cols == x.cols,
                "operand and result differ in shape");
  check.require(x.cols <= x.rows, "there are more columns than rows");
  check.require(t.count == x.count && t.cols <= x.cols,
                "tau has more entries than the matrix has columns");
  check.available(Routine::Ungqr, typeIndex<T>);
  if (!check.ok()) {
    return check.error();
  }
  Remaining matrices(x.count);
  matrices.takeByLanes<T>(
      x, [&](const auto &kernels, int64_t first, int64_t count, void *scratch) {
        const int64_t start = first * x.stride();
        return kernels.orgqr(count, x.rows, x.cols, t.cols, data<T>(a) + start,
                             data<T>(tau) + first * t.cols, data<T>(q) + start,
                             scratch);
      });
  copyRemaining(matrices, a, q, x.stride() * sizeof(T));
  int m = asInt(x.rows);
  int n = asInt(x.cols);
  int k = asInt(t.cols);
  int lead = leading(x.rows);
  int info = 0;
  auto run = [&](int64_t i, T *work, int *size) {
    call<T>(Routine::Ungqr, &m, &n, &k, data<T>(q) + i * x.stride(), &lead,
            data<T>(tau) + i * t.cols, work, size, &info);
  };
  return runWithWorkspace<T>(matrices, x.cols, run);
}

template <typename T>
static ffi::Error unmqr(AnyBuffer a, AnyBuffer tau, AnyBuffer c, uint8_t side,
                        uint8_t trans, Output result) {
  Checker check("ormqr");
  Batch x = check.batch<T>(a, "the reflectors", 2);
  Batch t = check.batch<T>(tau, "tau", 1);
  Batch y = check.batch<T>(c, "the operand", 2);
  Batch z = check.batch<T>(*result, "the result", 2);
  const bool left = side == 'L';
  check.require(left || side == 'R', "side is neither L nor R");
  check.require(trans == 'N' || trans == 'T' || trans == 'C',
                "trans is none of N, T, C");
  check.require(z.count == y.count && z.rows == y.rows && z.cols == y.cols,
                "operand and result differ in shape");
  check.require(x.count == y.count && t.count == y.count,
                "the batches differ in size");
  check.require(x.rows == (left ? y.rows : y.cols),
                "the reflectors have another length than the operand");
  check.require(t.cols <= x.rows && t.cols <= x.cols,
                "tau has more entries than there are reflectors");
  check.available(Routine::Unmqr, typeIndex<T>);
  if (!check.ok()) {
    return check.error();
  }
  copyOperand(c, result);
  char sideLetter = static_cast<char>(side);
  char transLetter = static_cast<char>(trans);
  int m = asInt(y.rows);
  int n = asInt(y.cols);
  int k = asInt(t.cols);
  int leadA = leading(x.rows);
  int leadC = leading(y.rows);
  int info = 0;
  auto run = [&](int64_t i, T *work, int *size) {
    call<T>(Routine::Unmqr, &sideLetter, &transLetter, &m, &n, &k,
            data<T>(a) + i * x.stride(), &leadA, data<T>(tau) + i * t.cols,
            data<T>(result) + i * y.stride(), &leadC, work, size, &info);
  };
  return runWithWorkspace<T>(Remaining(y.count), left ? n : m, run);
}

template <typename T>
static ffi::Error trsm(AnyBuffer a, AnyBuffer b, uint8_t side, uint8_t uplo,
                       uint8_t trans, uint8_t diag, Output result) {
  Checker check("trsm");
  Batch x = check.batch<T>(a, "the triangular operand", 2);
  Batch y = check.batch<T>(b, "the right-hand side", 2);
  Batch z = check.batch<T>(*result, "the result", 2);
  check.require(side == 'L' || side == 'R', "side is neither L nor R");
  check.require(uplo == 'L' || uplo == 'U', "uplo is neither L nor U");
  check.require(trans == 'N' || trans == 'T' || trans == 'C',
                "trans_x is none of N, T, C");
  check.require(diag == 'N' || diag == 'U', "diag is neither N nor U");
  check.require(z.count == y.count && z.rows == y.rows && z.cols == y.cols,
                "right-hand side and result differ in shape");
  check.require(x.count == y.count && x.rows == x.cols &&
                    x.rows == (side == 'L' ? y.rows : y.cols),
                "the triangular operand does not fit the right-hand side");
  check.available(Routine::Trsm, typeIndex<T>);
  if (!check.ok()) {
    return check.error();
  }
  Remaining matrices(y.count);
  matrices.takeByLanes<T>(
      y, [&](const auto &kernels, int64_t first, int64_t count, void *scratch) {
        const bool isLeft = side == 'L';
        const int64_t start = first * y.stride();
        return kernels.trsm(
            count, {x.rows, isLeft, uplo == 'L', trans != 'N', diag == 'U'},
            isLeft ? y.cols : y.rows, data<T>(a) + first * x.stride(),
            data<T>(b) + start, data<T>(result) + start, scratch);
      });
  copyRemaining(matrices, b, result, y.stride() * sizeof(T));
  char letters[] = {static_cast<char>(side), static_cast<char>(uplo),
                    static_cast<char>(trans), static_cast<char>(diag)};
  int m = asInt(y.rows);
  int n = asInt(y.cols);
  int leadA = leading(x.rows);
  int leadB = leading(y.rows);
  T one = 1;
  for (int64_t k = 0; k < matrices.size(); ++k) {
    const int64_t i = matrices[k];
    call<T>(Routine::Trsm, letters, letters + 1, letters + 2, letters + 3, &m,
            &n, &one, data<T>(a) + i * x.stride(), &leadA,
            data<T>(result) + i * y.stride(), &leadB);
  }
  return ffi::Error::Success();
}

template <typename T>
static ffi::Error gtsv(AnyBuffer lower, AnyBuffer diagonal, AnyBuffer upper,
                       AnyBuffer b, Output lowerOut, Output diagonalOut,
                       Output upperOut, Output x, Output info) {
  Checker check("gtsv");
  Batch l = check.batch<T>(lower, "the lower diagonal", 1);
  Batch d = check.batch<T>(diagonal, "the diagonal", 1);
  Batch u = check.batch<T>(upper, "the upper diagonal", 1);
  Batch y = check.batch<T>(b, "the right-hand side", 2);
  Batch codes = check.batch<int32_t>(*info, "info", 0);
  check.require(l.count == y.count && d.count == y.count &&
                    u.count == y.count && codes.count == y.count,
                "the batches differ in size");
  check.require(l.cols == d.cols && u.cols == d.cols && y.rows == d.cols,
                "diagonals and right-hand side differ in length");
  check.require(lowerOut->size_bytes() == lower.size_bytes() &&
                    diagonalOut->size_bytes() == diagonal.size_bytes() &&
                    upperOut->size_bytes() == upper.size_bytes() &&
                    x->size_bytes() == b.size_bytes(),
                "operands and results differ in size");
  check.available(Routine::Gtsv, typeIndex<T>);
  if (!check.ok()) {
    return check.error();
  }
  copyOperand(lower, lowerOut);
  copyOperand(diagonal, diagonalOut);
  copyOperand(upper, upperOut);
  copyOperand(b, x);
  int n = asInt(d.cols);
  int columns = asInt(y.cols);
  int lead = leading(y.rows);
  for (int64_t i = 0; i < y.count; ++i) {
    // All diagonals have n entries; the lower one's first is not used, LAPACK's
    // begins with the second.
    call<T>(Routine::Gtsv, &n, &columns, data<T>(lowerOut) + i * n + (n > 0),
            data<T>(diagonalOut) + i * n, data<T>(upperOut) + i * n,
            data<T>(x) + i * y.stride(), &lead, data<int32_t>(info) + i);
  }
  return ffi::Error::Success();
}

//===----------------------------------------------------------------------===//
// Handlers
//===----------------------------------------------------------------------===//

template <typename T>
static XLA_FFI_Handler *potrfHandler() {
  XLA_FFI_DEFINE_HANDLER(handler, potrf<T>,
                         results<2>(arguments<1>().Attr<uint8_t>("uplo")));
  return handler;
}

template <typename T>
static XLA_FFI_Handler *getrfHandler() {
  XLA_FFI_DEFINE_HANDLER(handler, getrf<T>, results<3>(arguments<1>()));
  return handler;
}

template <typename T>
static XLA_FFI_Handler *geqrfHandler() {
  XLA_FFI_DEFINE_HANDLER(handler, geqrf<T>, results<2>(arguments<1>()));
  return handler;
}

template <typename T>
static XLA_FFI_Handler *geqp3Handler() {
  XLA_FFI_DEFINE_HANDLER(handler, geqp3<T>, results<3>(arguments<2>()));
  return handler;
}

template <typename T>
static XLA_FFI_Handler *ungqrHandler() {
  XLA_FFI_DEFINE_HANDLER(handler, ungqr<T>, results<1>(arguments<2>()));
  return handler;
}

template <typename T>
static XLA_FFI_Handler *unmqrHandler() {
  XLA_FFI_DEFINE_HANDLER(
      handler, unmqr<T>,
      results<1>(arguments<3>().Attr<uint8_t>("side").Attr<uint8_t>("trans")));
  return handler;
}

template <typename T>
static XLA_FFI_Handler *trsmHandler() {
  XLA_FFI_DEFINE_HANDLER(handler, trsm<T>,
                         results<1>(arguments<2>()
                                        .Attr<uint8_t>("side")
                                        .Attr<uint8_t>("uplo")
                                        .Attr<uint8_t>("trans_x")
                                        .Attr<uint8_t>("diag")));
  return handler;
}

template <typename T>
static XLA_FFI_Handler *gtsvHandler() {
  XLA_FFI_DEFINE_HANDLER(handler, gtsv<T>, results<5>(arguments<4>()));
  return handler;
}

template <typename T>
static void addHandlers(std::vector<Registration> &handlers) {
  auto add = [&](Routine routine, XLA_FFI_Handler *handler) {
    handlers.emplace_back(targetName(routine, typeIndex<T>), handler);
  };
  add(Routine::Potrf, forAnyRuntime<potrfHandler<T>>);
  add(Routine::Getrf, forAnyRuntime<getrfHandler<T>>);
  add(Routine::Geqrf, forAnyRuntime<geqrfHandler<T>>);
  add(Routine::Geqp3, forAnyRuntime<geqp3Handler<T>>);
  add(Routine::Ungqr, forAnyRuntime<ungqrHandler<T>>);
  add(Routine::Unmqr, forAnyRuntime<unmqrHandler<T>>);
  add(Routine::Trsm, forAnyRuntime<trsmHandler<T>>);
  add(Routine::Gtsv, forAnyRuntime<gtsvHandler<T>>);
}

std::vector<Registration> factorizationHandlers() {
  std::vector<Registration> handlers;
  forEachType([&]<typename T>() { addHandlers<T>(handlers); });
  return handlers;
}

} // namespace jaxlib::lapack
