//===- DeviceProgram.cpp - A program on a device, step by step ------------===//

#include "xla/codegen/gpu/DeviceProgram.h"

#include "xla/codegen/gpu/Assemble.h"
#include "xla/codegen/gpu/DistinctKernels.h"
#include "xla/runtime/Allocator.h"
#include "xla/support/StatusMacros.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/xxhash.h"

#include <cstring>

namespace xla::gpu {

static constexpr int64_t alignment = CachingAllocator::alignment;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

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

namespace {

/// All constants of a program, one after the other. Slices that name one say
/// where it begins, and no more which value it is.
class ConstantPool {
public:
  void add(BufferSlice &slice) {
    if (slice.kind != BufferSlice::Constant) {
      return;
    }
    auto [found, isNew] = begins.try_emplace(slice.constant);
    if (isNew) {
      bytes.resize(llvm::alignTo(bytes.size(), alignment));
      found->second = static_cast<int64_t>(bytes.size());
      std::vector<char> elements = bytesOf(slice.constant);
      bytes.insert(bytes.end(), elements.begin(), elements.end());
    }
    slice.index = found->second;
    slice.constant = {};
  }
  void add(std::vector<BufferSlice> &slices) {
    for (BufferSlice &slice : slices) {
      add(slice);
    }
  }
  void add(std::vector<ProgramStep> &steps) {
    for (ProgramStep &step : steps) {
      add(step.from);
      add(step.to);
      for (std::vector<ProgramStep> &region : step.regions) {
        add(region); // as deep as the program's loops
      }
    }
  }

  std::vector<char> bytes;

private:
  llvm::DenseMap<mlir::Value, int64_t> begins;
};

} // namespace

static BufferSlice sliceOf(const kernel::Buffer &buffer) {
  switch (buffer.memory) {
  case kernel::Buffer::Argument:
    return {BufferSlice::Argument, buffer.number};
  case kernel::Buffer::Result:
    return {BufferSlice::Result, buffer.number};
  case kernel::Buffer::Constant:
    return {BufferSlice::Constant, 0, buffer.constant};
  default:
    return {BufferSlice::Arena, buffer.number};
  }
}

DeviceProgram::DeviceProgram(LoadedPlan loaded, HostPrograms onHost,
                             ProgramSignature signature,
                             ProgramStatistics statistics)
    : steps(std::move(loaded.plan.steps)), arenaBytes(loaded.plan.arenaBytes),
      kernels(std::move(loaded.kernels)), codeOf(std::move(loaded.codeOf)),
      onHost(std::move(onHost)), types(std::move(signature)),
      facts(statistics) {
  for (const kernel::Kernel &kernel : loaded.plan.kernels) {
    auto &slices = operands.emplace_back();
    for (const kernel::Buffer &buffer : kernel.buffers) {
      if (buffer.memory != kernel::Buffer::Scratch) {
        slices.push_back(sliceOf(buffer));
      }
    }
  }
  for (HostCall &call : loaded.plan.hostCalls) {
    inputs.push_back(std::move(call.arguments));
    outputs.push_back(std::move(call.results));
  }
  ConstantPool pool;
  pool.add(steps);
  for (auto *lists : {&operands, &inputs}) {
    for (std::vector<BufferSlice> &slices : *lists) {
      pool.add(slices);
    }
  }
  constantBytes = pool.bytes.size();
  if (constantBytes > 0) {
    void *block = CachingAllocator::shared().allocate(constantBytes);
    constants = static_cast<char *>(block);
  }
  if (constants) {
    std::memcpy(constants, pool.bytes.data(), constantBytes);
  }
}

DeviceProgram::~DeviceProgram() {
  CachingAllocator::shared().deallocate(constants, constantBytes);
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

static uint64_t hashOf(llvm::ArrayRef<kernel::Kernel> kernels) {
  std::string text;
  llvm::raw_string_ostream out(text);
  for (const kernel::Kernel &kernel : kernels) {
    kernel.print(out);
  }
  return llvm::xxh3_64bits(text);
}

static StatusOr<std::unique_ptr<LoadedKernels>>
compileAndLoad(Device &device, llvm::ArrayRef<kernel::Kernel> kernels,
               std::string &code) {
  if (!kernels.empty()) {
    XLA_ASSIGN_OR_RETURN(code, device.compile(kernels));
  }
  return device.load(kernels, code);
}

/// A program of no kernels has nothing to be loaded.
static StatusOr<std::unique_ptr<LoadedKernels>>
loadKernels(Device &device, llvm::ArrayRef<kernel::Kernel> kernels,
            LoadedPlan &loaded, const KnownCode *known) {
  loaded.kernelsHash = hashOf(kernels);
  if (!known) {
    return compileAndLoad(device, kernels, loaded.code);
  }
  if (known->kernelsHash != loaded.kernelsHash) {
    return Status(StatusCode::FailedPrecondition,
                  "the code is of other kernels");
  }
  loaded.code = known->code;
  return device.load(kernels, loaded.code);
}

StatusOr<LoadedPlan> planForDevice(mlir::ModuleOp module, Device &device,
                                   const KnownCode *known) {
  WithoutCode withoutCode;
  while (true) {
    LoadedPlan loaded;
    XLA_ASSIGN_OR_RETURN(loaded.plan,
                         planProgram(module, device.target(), withoutCode));
    DistinctKernels distinct = distinctKernels(loaded.plan.kernels);
    StatusOr<std::unique_ptr<LoadedKernels>> kernels =
        loadKernels(device, distinct.kernels, loaded, known);
    if (kernels.ok()) {
      loaded.codeOf = std::move(distinct.codeOf);
      loaded.kernels = std::move(*kernels);
      loaded.isRepeatable = withoutCode.empty() && !loaded.code.empty();
      return loaded;
    }
    if (known) {
      return Status(StatusCode::FailedPrecondition, kernels.status().message());
    }
    // Which of them have no code, or which the device refuses. Each round adds
    // an operation: it ends.
    size_t tried = withoutCode.size();
    for (auto [kernel, origin] :
         llvm::zip_equal(loaded.plan.kernels, loaded.plan.origins)) {
      std::string code;
      StatusOr<std::unique_ptr<LoadedKernels>> alone =
          compileAndLoad(device, kernel, code);
      if (!alone.ok()) {
        withoutCode[origin] = alone.status().message();
      }
    }
    if (withoutCode.size() == tried) {
      return kernels.status();
    }
  }
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

/// One run. What it does on the device is in one queue.
class DeviceProgram::Run {
public:
  Run(const DeviceProgram &program, const RunContext &context,
      void *const *results)
      : program(program), context(context), results(results),
        constants(program.constants) {}
  ~Run();

  /// Takes memory for what is neither argument nor result.
  Status prepare(void *const *given);
  Status run(const std::vector<ProgramStep> &steps);
  Status finish() { return program.kernels->finish(context.deviceOrdinal); }

private:
  StatusOr<char *> allocate(int64_t bytes);
  char *pointerTo(const BufferSlice &slice) const;
  llvm::SmallVector<void *> pointersTo(const std::vector<BufferSlice> &slices) {
    llvm::SmallVector<void *> pointers;
    for (const BufferSlice &slice : slices) {
      pointers.push_back(pointerTo(slice));
    }
    return pointers;
  }
  StatusOr<int64_t> scalarIn(const BufferSlice &slice, int64_t bytes);
  Status branch(const ProgramStep &step);
  Status loop(const ProgramStep &step);
  Status callHost(size_t number);

  const DeviceProgram &program;
  const RunContext &context;
  llvm::SmallVector<void *> arguments;
  void *const *results;
  char *constants, *arena = nullptr;
  llvm::SmallVector<std::pair<void *, size_t>> blocks; ///< to be given back
};

DeviceProgram::Run::~Run() {
  for (auto [block, bytes] : blocks) {
    CachingAllocator::shared().deallocate(block, bytes);
  }
}

StatusOr<char *> DeviceProgram::Run::allocate(int64_t bytes) {
  auto size = static_cast<size_t>(std::max<int64_t>(bytes, 1));
  void *block = CachingAllocator::shared().allocate(size);
  if (!block) {
    return resourceExhausted("a program needs " + std::to_string(bytes) +
                             " bytes for its temporary arrays, and the memory "
                             "of the device is used up");
  }
  blocks.push_back({block, size});
  return static_cast<char *>(block);
}

Status DeviceProgram::Run::prepare(void *const *given) {
  if (program.constantBytes > 0 && !constants) {
    return resourceExhausted("a program has " +
                             std::to_string(program.constantBytes) +
                             " bytes of constants, and the memory of the "
                             "device was used up when it was compiled");
  }
  XLA_ASSIGN_OR_RETURN(arena, allocate(program.arenaBytes));
  const ProgramSignature &types = program.types;
  arguments.assign(given, given + types.arguments.size());
  // An argument whose memory a result takes is read when that is written.
  for (const Donation &donation : types.donations) {
    void *&argument = arguments[donation.argument];
    if (argument == results[donation.result]) {
      int64_t bytes = byteSize(types.arguments[donation.argument]).value_or(0);
      XLA_ASSIGN_OR_RETURN(char *copy, allocate(bytes));
      std::memcpy(copy, argument, static_cast<size_t>(bytes));
      argument = copy;
    }
  }
  return okStatus();
}

char *DeviceProgram::Run::pointerTo(const BufferSlice &slice) const {
  switch (slice.kind) {
  case BufferSlice::Argument:
    return static_cast<char *>(arguments[slice.index]);
  case BufferSlice::Result:
    return static_cast<char *>(results[slice.index]);
  case BufferSlice::Constant:
    return constants + slice.index;
  default:
    return arena + slice.index;
  }
}

/// A truth value or an s32 that the device has computed.
StatusOr<int64_t> DeviceProgram::Run::scalarIn(const BufferSlice &slice,
                                               int64_t bytes) {
  XLA_RETURN_IF_ERROR(finish());
  int32_t wide = 0;
  std::memcpy(&wide, pointerTo(slice), static_cast<size_t>(bytes));
  return wide;
}

Status DeviceProgram::Run::branch(const ProgramStep &step) {
  auto count = static_cast<int64_t>(step.regions.size());
  XLA_ASSIGN_OR_RETURN(int64_t chosen, scalarIn(step.from, step.bytes));
  if (step.bytes == 1) {
    chosen = chosen ? 0 : 1; // an `if`: the first where it is true
  } else if (chosen < 0 || chosen >= count) {
    chosen = count - 1;
  }
  return run(step.regions[chosen]);
}

/// One whose turns are known is put into the queue without waiting for it.
Status DeviceProgram::Run::loop(const ProgramStep &step) {
  for (int64_t turn = 0; !step.turns || turn < *step.turns; ++turn) {
    if (!step.turns) {
      XLA_RETURN_IF_ERROR(run(step.regions[0]));
      XLA_ASSIGN_OR_RETURN(int64_t goesOn, scalarIn(step.from, step.bytes));
      if (goesOn == 0) {
        break;
      }
    }
    XLA_RETURN_IF_ERROR(run(step.regions[1]));
  }
  return okStatus();
}

Status DeviceProgram::Run::callHost(size_t number) {
  XLA_RETURN_IF_ERROR(finish());
  RunContext own = context;
  own.firstCollective = static_cast<int64_t>(number) << 32;
  return program.onHost[number]->run(
      own, pointersTo(program.inputs[number]).data(),
      pointersTo(program.outputs[number]).data());
}

Status DeviceProgram::Run::run(const std::vector<ProgramStep> &steps) {
  int32_t queue = context.deviceOrdinal;
  for (const ProgramStep &step : steps) {
    switch (step.kind) {
    case ProgramStep::Launch:
      XLA_RETURN_IF_ERROR(
          program.kernels->launch(queue, program.codeOf[step.number],
                                  pointersTo(program.operands[step.number])));
      break;
    case ProgramStep::Copy:
      XLA_RETURN_IF_ERROR(program.kernels->copy(
          queue, pointerTo(step.to), pointerTo(step.from), step.bytes));
      break;
    case ProgramStep::While:
      XLA_RETURN_IF_ERROR(loop(step));
      break;
    case ProgramStep::Branch:
      XLA_RETURN_IF_ERROR(branch(step));
      break;
    case ProgramStep::Host:
      XLA_RETURN_IF_ERROR(callHost(step.number));
    }
  }
  return okStatus();
}

Status DeviceProgram::run(const RunContext &context, void *const *arguments,
                          void *const *results) const {
  Run once(*this, context, results);
  XLA_RETURN_IF_ERROR(once.prepare(arguments));
  Status status = once.run(steps);
  // Also after an error: what is in the queue uses memory of this run.
  Status ended = once.finish();
  return status.ok() ? ended : status;
}

} // namespace xla::gpu
