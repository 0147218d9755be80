//===- Routines.cpp - LAPACK and BLAS as SciPy exposes them ---------------===//

#include "jaxlib/lapack/Routines.h"

#include <atomic>

namespace jaxlib::lapack {

namespace {
struct Stems {
  const char *real;
  const char *complex;
};
} // namespace

/// In the order of Routine.
static constexpr Stems stems[routineCount] = {
    {"geev", "geev"},   {"gees", "gees"},   {"gehrd", "gehrd"},
    {"geqp3", "geqp3"}, {"geqrf", "geqrf"}, {"gesdd", "gesdd"},
    {"gesvd", "gesvd"}, {"getrf", "getrf"}, {"gtsv", "gtsv"},
    {"syevd", "heevd"}, {"sytrd", "hetrd"}, {"potrf", "potrf"},
    {"trsm", "trsm"},   {"orgqr", "ungqr"}, {"ormqr", "unmqr"},
};

static std::atomic<void *> addresses[routineCount][4];

std::string routineName(Routine routine, int type) {
  const Stems &row = stems[static_cast<int>(routine)];
  return std::string(1, "sdcz"[type]) + (type < 2 ? row.real : row.complex);
}

void setAddress(Routine routine, int type, void *address) {
  addresses[static_cast<int>(routine)][type].store(address);
}

void *address(Routine routine, int type) {
  return addresses[static_cast<int>(routine)][type].load(
      std::memory_order_relaxed);
}

} // namespace jaxlib::lapack
