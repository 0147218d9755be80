//===- Sets.h - The kernels of each instruction set -------------*- C++ -*-===//

#ifndef JAXLIB_LAPACK_LANES_SETS_H
#define JAXLIB_LAPACK_LANES_SETS_H

#include "jaxlib/lapack/lanes/Lanes.h"

namespace jaxlib::lapack::lanes {

enum class Set { Avx512, Avx2, Baseline };

/// Fill in the kernels of one file each, of those compiled for a set.
template <Set set, typename T>
void setFactors(Kernels<T> &kernels);
template <Set set, typename T>
void setSpectra(Kernels<T> &kernels);

} // namespace jaxlib::lapack::lanes

#endif // JAXLIB_LAPACK_LANES_SETS_H
