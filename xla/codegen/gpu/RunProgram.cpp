//===- RunProgram.cpp - A program run step by step ------------------------===//

#include "xla/codegen/gpu/RunProgram.h"

#include "xla/codegen/gpu/Assemble.h"
#include "xla/codegen/gpu/Emulator.h"
#include "xla/support/StatusMacros.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Matchers.h"

#include <cstring>

namespace xla::gpu {

namespace {

/// Runs a kernel, by its number, on its buffers.
using Launch = llvm::function_ref<Status(size_t, llvm::ArrayRef<void *>)>;

class Runner {
public:
  Runner(const ProgramPlan &plan, Launch run, llvm::ArrayRef<void *> arguments,
         llvm::ArrayRef<void *> results)
      : plan(plan), launchKernel(run), arguments(arguments), results(results),
        memory(static_cast<size_t>(plan.arenaBytes) + 64) {
    auto address = reinterpret_cast<uintptr_t>(memory.data());
    arena = memory.data() + (64 - address % 64) % 64;
  }

  Status run(const std::vector<ProgramStep> &steps);

private:
  char *pointerTo(BufferSlice::Kind kind, int64_t number, mlir::Value constant);
  char *pointerTo(const BufferSlice &slice) {
    return pointerTo(slice.kind, slice.index, slice.constant);
  }
  Status launch(size_t kernel);
  int64_t scalarIn(const BufferSlice &slice, int64_t bytes);

  const ProgramPlan &plan;
  Launch launchKernel;
  llvm::ArrayRef<void *> arguments, results;
  std::vector<char> memory;
  char *arena = nullptr; ///< aligned
  llvm::DenseMap<mlir::Value, std::vector<char>> constants;
};

} // namespace

/// The elements of a constant, as memory has them.
static std::vector<char> bytesOf(mlir::Value constant) {
  mlir::DenseElementsAttr value;
  mlir::matchPattern(constant, mlir::m_Constant(&value));
  ElementType type = elementTypeOf(constant.getType());
  int64_t parts = isComplex(type) ? 2 : 1;
  int64_t width = byteWidth(type) / parts;
  std::vector<char> bytes;
  auto append = [&](const llvm::APInt &bits) {
    uint64_t word = bits.getZExtValue();
    const char *from = reinterpret_cast<const char *>(&word);
    bytes.insert(bytes.end(), from, from + width);
  };
  if (isComplex(type)) {
    for (auto x : value.getValues<std::complex<llvm::APFloat>>()) {
      append(x.real().bitcastToAPInt());
      append(x.imag().bitcastToAPInt());
    }
  } else if (isFloat(type)) {
    for (const llvm::APFloat &x : value.getValues<llvm::APFloat>()) {
      append(x.bitcastToAPInt());
    }
  } else {
    for (const llvm::APInt &x : value.getValues<llvm::APInt>()) {
      append(x);
    }
  }
  return bytes;
}

char *Runner::pointerTo(BufferSlice::Kind kind, int64_t number,
                        mlir::Value constant) {
  switch (kind) {
  case BufferSlice::Argument:
    return static_cast<char *>(arguments[number]);
  case BufferSlice::Result:
    return static_cast<char *>(results[number]);
  case BufferSlice::Constant: {
    auto [found, isNew] = constants.try_emplace(constant);
    if (isNew) {
      found->second = bytesOf(constant);
    }
    return found->second.data();
  }
  default:
    return arena + number;
  }
}

Status Runner::launch(size_t number) {
  llvm::SmallVector<void *> buffers;
  for (const kernel::Buffer &buffer : plan.kernels[number].buffers) {
    switch (buffer.memory) {
    case kernel::Buffer::Argument:
      buffers.push_back(arguments[buffer.number]);
      break;
    case kernel::Buffer::Result:
      buffers.push_back(results[buffer.number]);
      break;
    case kernel::Buffer::Constant:
      buffers.push_back(pointerTo(BufferSlice::Constant, 0, buffer.constant));
      break;
    case kernel::Buffer::Scratch:
      break;
    default:
      buffers.push_back(arena + buffer.number);
    }
  }
  return launchKernel(number, buffers);
}

int64_t Runner::scalarIn(const BufferSlice &slice, int64_t bytes) {
  int32_t wide = 0; // a truth value or an s32
  std::memcpy(&wide, pointerTo(slice), static_cast<size_t>(bytes));
  return wide;
}

Status Runner::run(const std::vector<ProgramStep> &steps) {
  for (const ProgramStep &step : steps) {
    switch (step.kind) {
    case ProgramStep::Launch:
      XLA_RETURN_IF_ERROR(launch(step.kernel));
      break;
    case ProgramStep::Copy:
      std::memmove(pointerTo(step.to), pointerTo(step.from),
                   static_cast<size_t>(step.bytes));
      break;
    case ProgramStep::While:
      while (true) {
        XLA_RETURN_IF_ERROR(run(step.regions[0]));
        if (scalarIn(step.from, step.bytes) == 0) {
          break;
        }
        XLA_RETURN_IF_ERROR(run(step.regions[1]));
      }
      break;
    case ProgramStep::Branch: {
      auto count = static_cast<int64_t>(step.regions.size());
      int64_t chosen = scalarIn(step.from, step.bytes);
      if (step.bytes == 1) {
        chosen = chosen ? 0 : 1; // an `if`: the first where it is true
      } else if (chosen < 0 || chosen >= count) {
        chosen = count - 1;
      }
      XLA_RETURN_IF_ERROR(run(step.regions[chosen]));
    }
    }
  }
  return okStatus();
}

Status emulateProgram(const ProgramPlan &plan, const Target &target,
                      llvm::ArrayRef<void *> arguments,
                      llvm::ArrayRef<void *> results) {
  XLA_ASSIGN_OR_RETURN(auto emulator, Emulator::make(plan.kernels, target));
  auto launch = [&](size_t kernel, llvm::ArrayRef<void *> buffers) {
    return emulator->run(kernel, buffers);
  };
  return Runner(plan, launch, arguments, results).run(plan.steps);
}

Status runByOpenCl(const ProgramPlan &plan, OpenClDevice &device,
                   const Target &target, llvm::ArrayRef<void *> arguments,
                   llvm::ArrayRef<void *> results) {
  llvm::LLVMContext context;
  XLA_ASSIGN_OR_RETURN(auto module, emitNeutral(plan.kernels, target, context));
  XLA_ASSIGN_OR_RETURN(std::string code,
                       assemble(*module, target, CodeFormat::Binary));
  std::vector<std::string> names;
  for (const kernel::Kernel &kernel : plan.kernels) {
    names.push_back(kernel.name);
  }
  if (!names.empty()) {
    XLA_RETURN_IF_ERROR(device.load(code, names));
  }
  auto launch = [&](size_t kernel, llvm::ArrayRef<void *> buffers) {
    return device.run(kernel, gridOf(plan.kernels[kernel], target), buffers);
  };
  return Runner(plan, launch, arguments, results).run(plan.steps);
}

} // namespace xla::gpu
