//===- Lanes.cpp - The choice of an instruction set -----------------------===//

#include "jaxlib/lapack/lanes/Lanes.h"
#include "jaxlib/lapack/lanes/Sets.h"

namespace jaxlib::lapack::lanes {

static bool canRun(Set set) {
  __builtin_cpu_init();
  switch (set) {
  case Set::Avx512:
    return __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
  case Set::Avx2:
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  case Set::Baseline:
    return true;
  }
}

template <Set set, typename T>
static const Kernels<T> *kernelsOf() {
  static const Kernels<T> found = [] {
    Kernels<T> kernels;
    setFactors<set, T>(kernels);
    setSpectra<set, T>(kernels);
    return kernels;
  }();
  return &found;
}

template <typename T>
int allKernels(const Kernels<T> *(&found)[3]) {
  int count = 0;
  if (canRun(Set::Avx512)) {
    found[count++] = kernelsOf<Set::Avx512, T>();
  }
  if (canRun(Set::Avx2)) {
    found[count++] = kernelsOf<Set::Avx2, T>();
  }
  found[count++] = kernelsOf<Set::Baseline, T>();
  return count;
}

template <typename T>
const Kernels<T> &kernels() {
  static const Kernels<T> *const best = [] {
    const Kernels<T> *found[3];
    allKernels(found);
    return found[0];
  }();
  return *best;
}

template const Kernels<float> &kernels();
template const Kernels<double> &kernels();
template int allKernels(const Kernels<float> *(&)[3]);
template int allKernels(const Kernels<double> *(&)[3]);

} // namespace jaxlib::lapack::lanes
