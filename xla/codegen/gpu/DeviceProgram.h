//===- DeviceProgram.h - A program on a device, step by step ----*- C++ -*-===//

#ifndef XLA_CODEGEN_GPU_DEVICEPROGRAM_H
#define XLA_CODEGEN_GPU_DEVICEPROGRAM_H

#include "xla/codegen/gpu/Device.h"
#include "xla/codegen/gpu/PlanProgram.h"
#include "xla/runtime/Program.h"

namespace xla::gpu {

/// A plan whose kernels a device has made runnable.
struct LoadedPlan {
  ProgramPlan plan;
  std::unique_ptr<LoadedKernels> kernels;
  std::vector<size_t> codeOf; ///< of each of the plan's, its number there
  std::string code;           ///< that was loaded
  uint64_t kernelsHash = 0;   ///< of their text
  /// Whether another process plans the same and can take the code.
  bool isRepeatable = false;
};

/// Code that another process has made of kernels whose text has that hash.
struct KnownCode {
  uint64_t kernelsHash = 0;
  std::string code;
};

/// Plans `main` for a device. Operations for which LLVM makes no code of its
/// target, or whose code its driver refuses, run on the host. With `known`
/// nothing is compiled: FailedPrecondition where it is of other kernels.
StatusOr<LoadedPlan> planForDevice(mlir::ModuleOp module, Device &device,
                                   const KnownCode *known = nullptr);

/// A planned program with the kernels that a device has made runnable. The
/// operations that run on the host are programs of their own.
class DeviceProgram : public AbstractProgram {
public:
  using HostPrograms = std::vector<std::unique_ptr<AbstractProgram>>;

  /// `onHost` has the programs of the plan's host calls. The module that was
  /// planned may go afterwards.
  DeviceProgram(LoadedPlan loaded, HostPrograms onHost,
                ProgramSignature signature, ProgramStatistics statistics);
  ~DeviceProgram() override;

  const ProgramSignature &signature() const override { return types; }
  ProgramStatistics statistics() const override { return facts; }
  /// What `loadProgram` takes; empty where there is none.
  std::string image() const override { return theImage; }
  void setImage(std::string image) { theImage = std::move(image); }
  int64_t hostOperations() const { return static_cast<int64_t>(onHost.size()); }
  /// Internal where the emulator found that a kernel did what it must not.
  Status run(const RunContext &context, void *const *arguments,
             void *const *results) const override;

private:
  class Run;

  std::vector<ProgramStep> steps;
  std::vector<std::vector<BufferSlice>> operands;        ///< of each kernel
  std::vector<std::vector<BufferSlice>> inputs, outputs; ///< of host programs
  char *constants = nullptr;
  size_t constantBytes = 0;
  int64_t arenaBytes = 0;
  std::unique_ptr<LoadedKernels> kernels;
  std::vector<size_t> codeOf; ///< in `kernels`, of each launch's number
  HostPrograms onHost;
  ProgramSignature types;
  ProgramStatistics facts;
  std::string theImage;
};

} // namespace xla::gpu

#endif // XLA_CODEGEN_GPU_DEVICEPROGRAM_H
