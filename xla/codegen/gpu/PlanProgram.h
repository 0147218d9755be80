//===- PlanProgram.h - A program as kernels and copies ----------*- C++ -*-===//
//
// What the host does to run a program on a device, in this order: launches of
// kernels, copies of arrays, loops and branches that a scalar decides which the
// host reads back, and operations that there are no kernels for, which the host
// computes.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_CODEGEN_GPU_PLANPROGRAM_H
#define XLA_CODEGEN_GPU_PLANPROGRAM_H

#include "xla/codegen/cpu/BufferPlan.h"
#include "xla/codegen/gpu/Target.h"
#include "xla/kernel/Form.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>
#include <string>
#include <vector>

namespace xla::gpu {

using cpu::BufferSlice;

struct ProgramStep {
  enum Kind : uint8_t {
    Launch, ///< of kernel `number`
    Copy,   ///< of `bytes` bytes from one slice to another
    While,  ///< regions 0, which computes `from`, and 1, while it is true
    Branch, ///< the region that the scalar in `from` says
    Host,   ///< host call `number`
  };
  Kind kind = Launch;
  size_t number = 0; ///< in `ProgramPlan::kernels` or `hostCalls`
  BufferSlice from = {}, to = {};
  int64_t bytes = 0;
  std::vector<std::vector<ProgramStep>> regions = {};
  std::optional<double> rounds = std::nullopt; ///< of a loop, where known
  /// Of a loop that runs without its condition.
  std::optional<int64_t> turns = std::nullopt;
};

/// What the host computes, as a module of one function, `main`.
struct HostCall {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<BufferSlice> arguments, results;
  /// The operation that there is no kernel for, why, and where it is.
  std::string reason;
  mlir::Operation *origin = nullptr; ///< in the program
};

struct ProgramPlan {
  std::vector<kernel::Kernel> kernels;
  std::vector<mlir::Operation *> origins; ///< of the kernels, in the program
  std::vector<HostCall> hostCalls;
  std::vector<ProgramStep> steps;
  int64_t arenaBytes = 0; ///< of what is neither argument, result nor constant
};

/// Operations that are known to have no code on the device, and why.
using WithoutCode = llvm::DenseMap<mlir::Operation *, std::string>;

/// Plans the function `main` of a module that has been optimised, and changes
/// it where that makes better kernels. Whether products are computed by blocks
/// depends on whether `target` has matrix units.
/// InvalidArgument where there is none.
StatusOr<ProgramPlan>
planProgram(mlir::ModuleOp module, const Target &target,
            const WithoutCode &withoutCode = WithoutCode());

/// Unimplemented, with the operation, its types and its source location, where
/// a part of the program would run on the host.
Status requireKernels(const ProgramPlan &plan);

} // namespace xla::gpu

#endif // XLA_CODEGEN_GPU_PLANPROGRAM_H
