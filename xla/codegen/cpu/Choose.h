//===- Choose.h - Everything that is decided before code --------*- C++ -*-===//
//
// Of the function of a program: which values exist in memory, by which code
// each step is computed, which loop nests are part of a product, which steps go
// row by row together. Buffer assignment and lowering read it.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_CODEGEN_CPU_CHOOSE_H
#define XLA_CODEGEN_CPU_CHOOSE_H

#include "xla/codegen/cpu/FusionPlan.h"
#include "xla/codegen/cpu/Kernel.h"
#include "xla/codegen/cpu/RowGroups.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>

namespace xla::cpu {

class BufferPlan;

class Schedule {
public:
  /// Decides for `main`, in an order in which each step knows what it needs:
  /// values in memory, products, what becomes part of them, rows, all others.
  /// Writes the kernels on the operations.
  explicit Schedule(mlir::ModuleOp module);

  /// Writes the rest on the operations too, for people: the attribute
  /// `xla_cpu.form` of values that are not in memory, the number of the loop
  /// nest
  /// (`xla_cpu.nest`) that writes a value and of the row group of a step
  /// (`xla_cpu.row_group`), and at a product the number of the nest that is
  /// part of it (`xla_cpu.epilogue`).
  void annotate() const;

  mlir::Block &body() const { return *block; }
  const FusionPlan &fusion() const { return values; }
  const RowGroups &rows() const { return *groups; }

private:
  mlir::Block *block;
  FusionPlan values;
  std::optional<RowGroups> groups;
};

/// The choices of each family of operations.
Kernel chooseProduct(const FusionPlan &fusion, stablehlo::DotGeneralOp op);
Kernel chooseConvolution(stablehlo::ConvolutionOp op);
Kernel chooseReduction(stablehlo::ReduceOp op, const FusionPlan &fusion,
                       const RowGroups &rows);
Kernel chooseSort(stablehlo::SortOp op);
Kernel chooseScatter(stablehlo::ScatterOp op);
Kernel chooseSelection(stablehlo::SelectAndScatterOp op);
Kernel chooseTransform(stablehlo::FftOp op);
Kernel chooseConcatenate(stablehlo::ConcatenateOp op, const RowGroups &rows);
Kernel chooseUpdate(stablehlo::DynamicUpdateSliceOp op,
                    const FusionPlan &fusion, const RowGroups &rows);
Kernel chooseWindow(stablehlo::ReduceWindowOp op, const FusionPlan &fusion,
                    const RowGroups &rows);
/// Of the loop nest that stands at `op`.
Kernel chooseNest(mlir::Operation *op, const FusionPlan &fusion,
                  const RowGroups &rows);

/// Prints the kernels of the program's loop nests (xla/kernel/Form.h).
void printKernels(const Schedule &schedule, const BufferPlan &buffers,
                  llvm::raw_ostream &out);

/// `xla-opt --xla-cpu-choose` writes on the operations of `main` all that was
/// decided; `--xla-cpu-kernels` prints the kernels before the module.
void registerChoosePasses();

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_CHOOSE_H
