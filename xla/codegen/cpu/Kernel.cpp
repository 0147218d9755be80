//===- Kernel.cpp - By which code a step is computed ----------------------===//

#include "xla/codegen/cpu/Kernel.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/STLExtras.h"

namespace xla::cpu {

using mlir::Operation;

static constexpr llvm::StringLiteral attributeName = "xla_cpu.kernel";

/// In the order of the enumeration.
static constexpr llvm::StringLiteral strategyNames[] = {
    "nothing",
    "loop_nest",
    "tiles",
    "pieces",
    "row_blocks",
    "gemm",
    "matrix_vector",
    "small_matrices",
    "complex_lines",
    "stretches",
    "in_line",
    "implicit_gemm",
    "lanes",
    "position_rows",
    "definition",
    "few",
    "rows",
    "split_rows",
    "columns",
    "narrow_columns",
    "column_vectors",
    "positions",
    "in_order",
    "first_rows",
    "keys",
    "comparator",
    "updates",
    "update_stretches",
    "partials",
    "scan",
    "scan_lines",
    "sliding_fold",
    "each_window",
    "whole_windows",
    "gathered_windows",
    "windows_in_order",
    "transform",
};

static constexpr llvm::StringLiteral orderNames[] = {
    "nothing", "elements", "flat_elements", "flat", "lines", "lanes",
};

template <typename Enum>
static Enum valueOf(llvm::ArrayRef<llvm::StringLiteral> names,
                    mlir::Attribute name) {
  const auto *at =
      llvm::find(names, llvm::cast<mlir::StringAttr>(name).getValue());
  return static_cast<Enum>(at - names.begin());
}

int64_t Kernel::size(llvm::StringRef name, int64_t otherwise) const {
  const auto *found = llvm::find_if(
      sizes, [&](const auto &entry) { return entry.first == name; });
  return found == sizes.end() ? otherwise : found->second;
}

int64_t Kernel::size(llvm::StringRef name) const {
  int64_t found = size(name, -1);
  assert(found >= 0 && "a kernel lacks a size that it needs");
  return found;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

static LoopPlan readLoops(mlir::DictionaryAttr written) {
  LoopPlan plan;
  auto number = [&](llvm::StringRef name) {
    auto attribute = written.getAs<mlir::IntegerAttr>(name);
    return attribute ? attribute.getInt() : 0;
  };
  plan.order = valueOf<LoopOrder>(orderNames, written.get("order"));
  llvm::append_range(
      plan.shape, written.getAs<mlir::DenseI64ArrayAttr>("shape").asArrayRef());
  if (auto breaks = written.getAs<mlir::DenseI64ArrayAttr>("breaks")) {
    llvm::append_range(plan.breaks, breaks.asArrayRef());
  }
  plan.writtenOut = number("written_out");
  plan.block = number("block");
  plan.grain = number("grain");
  plan.fewestTasks = number("fewest_tasks");
  return plan;
}

static mlir::Attribute writeLoops(mlir::Builder &builder,
                                  const LoopPlan &plan) {
  mlir::NamedAttrList fields;
  fields.append("order", builder.getStringAttr(
                             orderNames[static_cast<size_t>(plan.order)]));
  fields.append("shape", builder.getDenseI64ArrayAttr(plan.shape));
  if (!plan.breaks.empty()) {
    fields.append("breaks", builder.getDenseI64ArrayAttr(plan.breaks));
  }
  for (auto [name, value] :
       {std::pair("written_out", plan.writtenOut),
        std::pair("block", plan.block), std::pair("grain", plan.grain),
        std::pair("fewest_tasks", plan.fewestTasks)}) {
    if (value) {
      fields.append(name, builder.getI64IntegerAttr(value));
    }
  }
  return fields.getDictionary(builder.getContext());
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

Kernel kernelOf(Operation *op) {
  auto written = op->getAttrOfType<mlir::DictionaryAttr>(attributeName);
  if (!written) {
    return {};
  }
  Kernel kernel;
  for (mlir::NamedAttribute field : written) {
    llvm::StringRef name = field.getName();
    if (auto number = llvm::dyn_cast<mlir::IntegerAttr>(field.getValue())) {
      if (name == "scratch") {
        kernel.scratch = number.getInt();
      } else {
        kernel.sizes.push_back({name, number.getInt()});
      }
      continue;
    }
    if (name == "loops") {
      kernel.loops =
          readLoops(llvm::cast<mlir::DictionaryAttr>(field.getValue()));
    } else if (name == "entry") {
      kernel.entry = llvm::cast<mlir::StringAttr>(field.getValue()).getValue();
    } else {
      kernel.strategy = valueOf<Strategy>(strategyNames, field.getValue());
    }
  }
  return kernel;
}

void setKernel(Operation *op, const Kernel &kernel) {
  mlir::Builder builder(op->getContext());
  mlir::NamedAttrList fields;
  fields.append("strategy",
                builder.getStringAttr(
                    strategyNames[static_cast<size_t>(kernel.strategy)]));
  if (!kernel.entry.empty()) {
    fields.append("entry", builder.getStringAttr(kernel.entry));
  }
  if (kernel.scratch > 0) {
    fields.append("scratch", builder.getI64IntegerAttr(kernel.scratch));
  }
  for (auto [name, size] : kernel.sizes) {
    fields.append(name, builder.getI64IntegerAttr(size));
  }
  if (kernel.loops.order != LoopOrder::Nothing) {
    fields.append("loops", writeLoops(builder, kernel.loops));
  }
  op->setAttr(attributeName, fields.getDictionary(op->getContext()));
}

void dropKernels(Operation *root) {
  root->walk([](Operation *op) { op->removeAttr(attributeName); });
}

} // namespace xla::cpu
