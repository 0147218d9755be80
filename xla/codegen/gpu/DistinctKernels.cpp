//===- DistinctKernels.cpp - Kernels that share code ----------------------===//

#include "xla/codegen/gpu/DistinctKernels.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

namespace xla::gpu {

/// The text of what a kernel does, whatever memory it is given.
static std::string textOf(kernel::Kernel kernel) {
  kernel.name = "kernel";
  for (auto [i, buffer] : llvm::enumerate(kernel.buffers)) {
    if (buffer.memory != kernel::Buffer::Scratch) {
      buffer.memory = kernel::Buffer::Argument;
      buffer.number = static_cast<int64_t>(i);
    }
  }
  std::string text;
  llvm::raw_string_ostream out(text);
  kernel.print(out);
  return text;
}

DistinctKernels distinctKernels(llvm::ArrayRef<kernel::Kernel> kernels) {
  DistinctKernels distinct;
  llvm::StringMap<size_t> known;
  for (const kernel::Kernel &kernel : kernels) {
    auto [found, isNew] =
        known.try_emplace(textOf(kernel), distinct.kernels.size());
    if (isNew) {
      distinct.kernels.push_back(kernel);
    }
    distinct.codeOf.push_back(found->second);
  }
  return distinct;
}

} // namespace xla::gpu
