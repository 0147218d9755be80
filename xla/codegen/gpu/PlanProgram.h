//===- PlanProgram.h - A program as kernels and copies ----------*- C++ -*-===//
//
// What the host does to run a program on a device, in this order: launches of
// kernels, copies of arrays, and loops and branches that a scalar decides which
// the host reads back.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_CODEGEN_GPU_PLANPROGRAM_H
#define XLA_CODEGEN_GPU_PLANPROGRAM_H

#include "xla/codegen/cpu/BufferPlan.h"
#include "xla/codegen/gpu/Target.h"
#include "xla/kernel/Form.h"

#include "mlir/IR/BuiltinOps.h"

#include <vector>

namespace xla::gpu {

using cpu::BufferSlice;

struct ProgramStep {
  enum Kind : uint8_t {
    Launch, ///< of `kernel`
    Copy,   ///< of `bytes` bytes from one slice to another
    While,  ///< regions 0, which computes `from`, and 1, while it is true
    Branch, ///< the region that the scalar in `from` says
  };
  Kind kind = Launch;
  size_t kernel = 0; ///< its position in `ProgramPlan::kernels`
  BufferSlice from = {}, to = {};
  int64_t bytes = 0;
  std::vector<std::vector<ProgramStep>> regions = {};
};

struct ProgramPlan {
  std::vector<kernel::Kernel> kernels;
  std::vector<ProgramStep> steps;
  int64_t arenaBytes = 0; ///< of what is neither argument, result nor constant
};

/// Plans the function `main` of a module that has been optimised. Unimplemented
/// where it has an operation that there are no kernels for, with its name and
/// source location.
StatusOr<ProgramPlan> planProgram(mlir::ModuleOp module, const Target &target);

} // namespace xla::gpu

#endif // XLA_CODEGEN_GPU_PLANPROGRAM_H
