//===- CheckGpu.cpp - Emulated kernels against the CPU compiler -----------===//

#include "xla/tools/CheckGpu.h"

#include "xla/codegen/gpu/DeviceProgram.h"
#include "xla/codegen/gpu/Emulator.h"
#include "xla/codegen/gpu/OpenCl.h"
#include "xla/dialect/ElementTypes.h"
#include "xla/pipeline/Pipeline.h"
#include "xla/support/StatusMacros.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/SmallVector.h"

#include <cmath>
#include <cstring>
#include <random>

namespace xla::tools {

namespace {

/// An array whose memory is aligned as programs want it.
struct Array {
  explicit Array(const Shape &shape)
      : shape(shape),
        bytes(shape.type == ElementType::Token ? 0 : *byteSize(shape)),
        memory(static_cast<size_t>(bytes) + 128) {}
  void *data() {
    auto address = reinterpret_cast<uintptr_t>(memory.data());
    return memory.data() + (64 - address % 64) % 64;
  }

  Shape shape;
  int64_t bytes;
  std::vector<char> memory;
};

} // namespace

static const llvm::fltSemantics *formatOf(ElementType type) {
  switch (partOf(type)) {
  case ElementType::F16:
    return &llvm::APFloat::IEEEhalf();
  case ElementType::BF16:
    return &llvm::APFloat::BFloat();
  case ElementType::F32:
    return &llvm::APFloat::IEEEsingle();
  case ElementType::F64:
    return &llvm::APFloat::IEEEdouble();
  default:
    return nullptr; // compared by its bits
  }
}

static int64_t widthOf(ElementType type) {
  return byteWidth(type) / (isComplex(type) ? 2 : 1);
}

/// Small numbers of either sign, and small integers, so that they are indices
/// too.
static void fill(Array &array, std::mt19937 &random) {
  ElementType type = array.shape.type;
  const llvm::fltSemantics *format = formatOf(type);
  std::normal_distribution<double> normal;
  auto *at = static_cast<char *>(array.data());
  int64_t width = widthOf(type);
  for (int64_t i = 0; i < array.bytes / std::max<int64_t>(width, 1); ++i) {
    uint64_t bits = random() % (type == ElementType::Pred ? 2 : 4);
    if (format) {
      llvm::APFloat value(normal(random));
      bool isInexact;
      value.convert(*format, llvm::APFloat::rmNearestTiesToEven, &isInexact);
      bits = value.bitcastToAPInt().getZExtValue();
    }
    std::memcpy(at + i * width, &bits, static_cast<size_t>(width));
  }
}

static double numberAt(const char *at, ElementType type) {
  uint64_t bits = 0;
  std::memcpy(&bits, at, static_cast<size_t>(widthOf(type)));
  const llvm::fltSemantics *format = formatOf(type);
  if (!format) {
    return static_cast<double>(bits);
  }
  auto width = static_cast<unsigned>(8 * widthOf(type));
  llvm::APFloat value(*format, llvm::APInt(width, bits));
  bool isInexact;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven,
                &isInexact);
  return value.convertToDouble();
}

/// How much results may differ, of the largest number of an array: sums are in
/// another order, and products are fused with other sums.
static double toleranceOf(ElementType type) {
  switch (partOf(type)) {
  case ElementType::F16:
    return 4e-3;
  case ElementType::BF16:
    return 3e-2;
  case ElementType::F32:
    return 1e-5;
  case ElementType::F64:
    return 1e-12;
  default:
    return 0;
  }
}

static Status compare(size_t result, Array &wanted, Array &found) {
  ElementType type = wanted.shape.type;
  int64_t width = widthOf(type);
  auto *x = static_cast<char *>(wanted.data());
  auto *y = static_cast<char *>(found.data());
  double largest = 0;
  for (int64_t at = 0; at < wanted.bytes; at += width) {
    double number = std::abs(numberAt(x + at, type));
    largest = std::isfinite(number) ? std::max(largest, number) : largest;
  }
  double tolerance = toleranceOf(type) * largest;
  for (int64_t at = 0; at < wanted.bytes; at += width) {
    double a = numberAt(x + at, type), b = numberAt(y + at, type);
    bool isSame = a == b || (std::isnan(a) && std::isnan(b)) ||
                  std::abs(a - b) <= tolerance;
    if (!isSame) {
      return internalError("result " + std::to_string(result) + ", " +
                           toString(wanted.shape) + ": number " +
                           std::to_string(at / width) + " is " +
                           std::to_string(b) + " by kernels and " +
                           std::to_string(a) + " by the CPU compiler");
    }
  }
  return okStatus();
}

static StatusOr<std::unique_ptr<gpu::Device>>
openDevice(const gpu::Target &target) {
  if (target.vendor != gpu::Vendor::OpenCl) {
    return std::unique_ptr<gpu::Device>(
        std::make_unique<gpu::EmulatedDevice>(target));
  }
  XLA_ASSIGN_OR_RETURN(auto device, gpu::OpenClDevice::open(nullptr));
  return std::unique_ptr<gpu::Device>(std::move(device));
}

Status checkProgram(const std::string &text, const gpu::Target &target) {
  XLA_ASSIGN_OR_RETURN(Compilation lowered, lowerToOneDevice(text, {}));
  XLA_RETURN_IF_ERROR(runStage(optimize, lowered));
  XLA_ASSIGN_OR_RETURN(auto device, openDevice(target));
  XLA_ASSIGN_OR_RETURN(gpu::LoadedPlan loaded,
                       gpu::planForDevice(lowered.module, *device));
  XLA_RETURN_IF_ERROR(gpu::requireKernels(loaded.plan));
  XLA_ASSIGN_OR_RETURN(auto program, compileProgram(text, {}));
  std::mt19937 random(48);
  std::vector<Array> arguments, wanted, found;
  for (const Shape &shape : program->signature().arguments) {
    arguments.emplace_back(shape);
    fill(arguments.back(), random);
  }
  for (const Shape &shape : program->signature().results) {
    wanted.emplace_back(shape);
    found.emplace_back(shape);
  }
  auto pointers = [](std::vector<Array> &arrays) {
    llvm::SmallVector<void *> all;
    for (Array &array : arrays) {
      all.push_back(array.data());
    }
    return all;
  };
  const gpu::DeviceProgram onDevice(std::move(loaded), {}, lowered.signature,
                                    {});
  XLA_RETURN_IF_ERROR(onDevice.run(RunContext(), pointers(arguments).data(),
                                   pointers(found).data()));
  XLA_RETURN_IF_ERROR(program->run(RunContext(), pointers(arguments).data(),
                                   pointers(wanted).data()));
  for (size_t i = 0; i < wanted.size(); ++i) {
    XLA_RETURN_IF_ERROR(compare(i, wanted[i], found[i]));
  }
  return okStatus();
}

Status checkKernel(const kernel::Kernel &kernel, const gpu::Target &target) {
  XLA_ASSIGN_OR_RETURN(auto emulator, gpu::Emulator::make(kernel, target));
  std::mt19937 random(48);
  std::vector<Array> arrays;
  for (const kernel::Buffer &buffer : kernel.buffers) {
    if (buffer.memory != kernel::Buffer::Scratch) {
      Shape shape;
      shape.type = buffer.type;
      shape.dimensions.assign(buffer.shape.begin(), buffer.shape.end());
      arrays.emplace_back(shape);
      fill(arrays.back(), random);
    }
  }
  llvm::SmallVector<void *> buffers;
  for (Array &array : arrays) {
    buffers.push_back(array.data());
  }
  return emulator->run(0, buffers);
}

} // namespace xla::tools
