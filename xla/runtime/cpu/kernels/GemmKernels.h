//===- GemmKernels.h - The inner loops of matrix multiplication -*- C++ -*-===//
//
// What is compiled once for each instruction set. The loops around it, which
// cut matrices into blocks and share them out, are in Gemm.cpp.
//
// A matrix is multiplied in panels: a "panel" of width w holds w lines of k
// elements, interleaved: element p of line i is at p * w + i, and lines that
// the matrix does not have are zero.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_RUNTIME_CPU_KERNELS_GEMMKERNELS_H
#define XLA_RUNTIME_CPU_KERNELS_GEMMKERNELS_H

#include <cstdint>

namespace xla::cpu {

/// bfloat16 as its bits: what the kernels see of it.
enum class BrainFloat : uint16_t {};

/// A tile of c: rows of a panel of a times a panel of b.
template <typename T>
struct PanelTile {
  int64_t m, n, k; ///< rows and columns that exist, terms
  const T *a;      ///< a panel
  const T *b;      ///< a panel; where `packed` is given, lines of a matrix
  int64_t bStride; ///< their distance; they have all columns
  T *packed;       ///< becomes the panel of these lines
  T *c;
  int64_t cStride;
  bool accumulates;
  const T *ahead;      ///< lines of a matrix that are wanted soon: one of them
  int64_t aheadStride; ///< is fetched for each four terms, though null may be
};

/// The kernels for sums in type `T`.
template <typename T>
struct GemmKernels {
  int64_t rows;    ///< width of a panel of a, at most 16
  int64_t columns; ///< width of a panel of b

  /// c[i][j] (+)= sum over p of a[i * aRow + p * aStep] * b[p * bStride + j],
  /// for i < m <= rows and j < n; n may exceed `columns`. Reads b only where j
  /// < n. In a panel aRow is 1 and aStep is `rows`. Of n <= columns / 2, m may
  /// be as much as 2 * rows.
  void (*strip)(int64_t m, int64_t n, int64_t k, const T *a, int64_t aRow,
                int64_t aStep, const T *b, int64_t bStride, T *c,
                int64_t cStride, bool accumulates);

  /// The same for a tile of panels.
  void (*panelTile)(const PanelTile<T> &tile);

  /// c[j] (+)= sum over p of x[p] * b[p * bStride + j], for j < n.
  void (*combineRows)(int64_t n, int64_t k, const T *x, const T *b,
                      int64_t bStride, T *c, bool accumulates);

  /// c[i * cStride] (+)= sum over p of a[i * aStride + p] * x[p], for i < m.
  void (*dotRows)(int64_t m, int64_t k, const T *a, int64_t aStride, const T *x,
                  T *c, int64_t cStride, bool accumulates);

  /// c[i * cStride + j] (+)= sum over p of a[i * aStride + p] * b[j * bStride +
  /// p], for i < m and j < n.
  void (*dotTiles)(int64_t m, int64_t n, int64_t k, const T *a, int64_t aStride,
                   const T *b, int64_t bStride, T *c, int64_t cStride,
                   bool accumulates);
};

/// Packs panels of `width` lines: element p of line i is read at
/// from[i * acrossStride + p * alongStride]. Lines [0, lines), elements [0, k).
template <typename From, typename T>
using PackPanels = void (*)(int64_t width, int64_t lines, int64_t k,
                            const From *from, int64_t acrossStride,
                            int64_t alongStride, T *to);

/// All kernels of one instruction set.
struct GemmInstructionSet {
  GemmKernels<float> f32;
  GemmKernels<double> f64;
  GemmKernels<uint32_t> u32;
  PackPanels<float, float> packF32;
  PackPanels<double, double> packF64;
  PackPanels<uint32_t, uint32_t> packU32;
  PackPanels<BrainFloat, float> packBF16;
  PackPanels<_Float16, float> packF16;
};

const GemmInstructionSet &gemmForAvx512();
const GemmInstructionSet &gemmForAvx2();
const GemmInstructionSet &gemmForAnyProcessor();

/// For tests: products use `set` from now on; null is the processor's best.
void useGemmInstructionSet(const GemmInstructionSet *set);

/// Whether this processor runs what the set was compiled to.
bool canUseAvx512();
bool canUseAvx2();

} // namespace xla::cpu

#endif // XLA_RUNTIME_CPU_KERNELS_GEMMKERNELS_H
