//===- Emulator.h - Kernels run and checked on this processor ---*- C++ -*-===//
//
// Runs neutral LLVM IR: the threads of a block are fibers, which stop at
// barriers and exchanges. Every access to memory is checked: whether it is
// within its buffer, whether the buffer may be written, whether another thread
// accesses the element with no barrier in between, whether memory of a block
// was written before. So are barriers and exchanges to which not all come.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_CODEGEN_GPU_EMULATOR_H
#define XLA_CODEGEN_GPU_EMULATOR_H

#include "xla/codegen/cpu/MachineCode.h"
#include "xla/codegen/gpu/Device.h"
#include "xla/codegen/gpu/LowerKernel.h"

#include <mutex>
#include <vector>

namespace xla::gpu {

class Emulator {
public:
  /// Of kernels that were lowered for `target`, an emulated one.
  static StatusOr<std::unique_ptr<Emulator>>
  make(llvm::ArrayRef<kernel::Kernel> kernels, const Target &target);

  /// Runs a kernel, by its number. `buffers` are those that are not scratch
  /// memory, in their order. Internal where the kernel has done what it must
  /// not, after it has run to its end.
  Status run(size_t number, llvm::ArrayRef<void *> buffers);

private:
  struct Region {
    std::string name;
    int64_t bytes = 0;
    int64_t elementBytes = 1;
    bool isWritten = true;
    bool isScratch = false;
    char *memory = nullptr; ///< of scratch
  };
  struct Code {
    std::string name;
    Grid grid;
    MatrixUnit unit = MatrixUnit::None;
    bool needsFibers = false;
    void (*entry)(void *const *buffers) = nullptr;
    std::vector<Region> regions = {}; ///< buffers, by their numbers
  };
  friend class Emulation;

  std::unique_ptr<cpu::LoadedCode> code;
  std::vector<Code> kernels;
  std::mutex mutex; ///< memory of blocks is there once
};

class EmulatedDevice : public Device {
public:
  explicit EmulatedDevice(Target target = emulatedTarget())
      : emulated(std::move(target)) {}
  const std::string &name() const override { return deviceName; }
  const Target &target() const override { return emulated; }
  StatusOr<std::string>
  compile(llvm::ArrayRef<kernel::Kernel> /*kernels*/) override {
    return std::string();
  }
  StatusOr<std::unique_ptr<LoadedKernels>>
  load(llvm::ArrayRef<kernel::Kernel> kernels,
       const std::string &code) override;

private:
  std::string deviceName = "emulator";
  Target emulated;
};

} // namespace xla::gpu

#endif // XLA_CODEGEN_GPU_EMULATOR_H
