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
    "first_rows",
    "keys",
    "comparator",
    "updates",
    "update_stretches",
    "partials",
    "whole_windows",
    "gathered_windows",
    "windows_in_order",
    "transform",
};

int64_t Kernel::size(llvm::StringRef name) const {
  const auto *found = llvm::find_if(
      sizes, [&](const auto &entry) { return entry.first == name; });
  assert(found != sizes.end() && "a kernel lacks a size that it needs");
  return found->second;
}

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
    llvm::StringRef text =
        llvm::cast<mlir::StringAttr>(field.getValue()).getValue();
    if (name == "entry") {
      kernel.entry = text;
    } else {
      const auto *at = llvm::find(strategyNames, text);
      kernel.strategy = static_cast<Strategy>(at - std::begin(strategyNames));
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
  op->setAttr(attributeName, fields.getDictionary(op->getContext()));
}

void dropKernels(Operation *root) {
  root->walk([](Operation *op) { op->removeAttr(attributeName); });
}

} // namespace xla::cpu
