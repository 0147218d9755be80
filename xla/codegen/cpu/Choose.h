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

#include <optional>

namespace xla::cpu {

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

/// `xla-opt --xla-cpu-choose`: writes on the operations of `main` all that was
/// decided.
void registerChoosePass();

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_CHOOSE_H
