//===- Kernel.h - By which code a step is computed --------------*- C++ -*-===//
//
// `chooseKernels` decides once by which code each step is computed and writes
// it on the operation:
//
//   stablehlo.dot_general ... {xla_cpu.kernel = {
//       strategy = "gemm", entry = "xla_gemm_bf16_f32", scratch = 65536 : i64}}
//   stablehlo.add ... {xla_cpu.kernel = {strategy = "loop_nest",
//       loops = {order = "lines", shape = array<i64: 64, 1000>, grain = 16}}}
//
// Buffer assignment reads how much scratch memory the step takes, and lowering
// reads the rest: neither decides again. lower/README.md lists the
// strategies of each operation.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_CODEGEN_CPU_KERNEL_H
#define XLA_CODEGEN_CPU_KERNEL_H

#include "xla/codegen/cpu/LoopPlan.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace xla::cpu {

enum class Strategy : uint8_t {
  Nothing, ///< there are no elements, or there is nothing to choose
  // Loop nests of elementwise operations, and what is put together
  LoopNest,
  Tiles,
  Pieces,
  RowBlocks,
  // Products
  Gemm,
  MatrixVector,
  SmallMatrices,
  ComplexLines,
  Stretches,
  InLine,
  // Convolutions
  ImplicitGemm,
  Lanes,
  PositionRows,
  Definition,
  // Reductions
  Few,
  Rows,
  SplitRows,
  Columns,
  NarrowColumns,
  ColumnVectors,
  Positions,
  InOrder,
  // Sorts
  FirstRows,
  Keys,
  Comparator,
  // Scatters
  Updates,
  UpdateStretches,
  Partials,
  // Windows
  Scan,
  ScanLines,
  SlidingFold,
  EachWindow,
  // Selections of windows
  WholeWindows,
  GatheredWindows,
  WindowsInOrder,
  // Transforms
  Transform,
};

struct Kernel {
  Strategy strategy = Strategy::Nothing;
  int64_t scratch = 0;     ///< bytes of memory besides operands and results
  llvm::StringRef entry{}; ///< of the runtime, where it is called
  /// Sizes of tiles, numbers of pieces, by name.
  llvm::SmallVector<std::pair<llvm::StringRef, int64_t>, 2> sizes{};
  LoopPlan loops{}; ///< the outermost, where there are any

  int64_t size(llvm::StringRef name) const;
  int64_t size(llvm::StringRef name, int64_t otherwise) const;
};

/// What was chosen for the step at `op`; Nothing for those that have no choice.
Kernel kernelOf(mlir::Operation *op);
void setKernel(mlir::Operation *op, const Kernel &kernel);

/// Takes from all operations in `root` what was chosen for them.
void dropKernels(mlir::Operation *root);

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_KERNEL_H
