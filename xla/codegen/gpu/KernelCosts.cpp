//===- KernelCosts.cpp - What a kernel does, counted ----------------------===//

#include "xla/codegen/gpu/KernelCosts.h"

#include "xla/analysis/Costs.h"
#include "xla/codegen/gpu/LowerKernel.h"
#include "xla/codegen/gpu/MatrixTiles.h"

#include <cmath>
#include <optional>

namespace xla::gpu {

using kernel::Code;
using kernel::Id;
using kernel::Mark;
using kernel::Step;

namespace {

class Counter {
public:
  Counter(const kernel::Kernel &kernel, const Target &target)
      : kernel(kernel), grid(gridOf(kernel, target)),
        accessed(kernel.buffers.size()) {}

  KernelCosts count();

private:
  /// How often something is done: by all threads together, and by one.
  struct Times {
    double all, one;
  };

  std::optional<double> known(Id id) const;
  double roundsOf(const Step &loop) const;
  /// What a loop makes of how often it is come to.
  Times inside(const Step &loop, const Times &outside);
  void countStep(const Step &step, const Times &times);
  void countCall(const Step &step, const Times &times);
  bool isAxis(Id id) const {
    return id >= 0 && kernel.steps[id].code == Code::Parallel;
  }

  const kernel::Kernel &kernel;
  Grid grid;
  KernelCosts costs;
  std::vector<double> accessed; ///< bytes of each buffer
  bool isOfThread = false;      ///< in a loop that threads share out
};

} // namespace

static double countOf(const kernel::Buffer &buffer) {
  double count = 1;
  for (int64_t size : buffer.shape) {
    count *= static_cast<double>(size);
  }
  return count;
}

/// The number that an index is, where it is always the same.
std::optional<double> Counter::known(Id id) const {
  const Step &step = kernel.steps[id];
  if (step.code == Code::Number) {
    return static_cast<double>(step.number);
  }
  if (step.code < Code::Add || step.code > Code::Most ||
      step.operands.size() != 2) {
    return std::nullopt;
  }
  auto x = known(step.operands[0]), y = known(step.operands[1]);
  if (!x || !y) {
    return std::nullopt;
  }
  switch (step.code) {
  case Code::Add:
    return *x + *y;
  case Code::Subtract:
    return *x - *y;
  case Code::Multiply:
    return *x * *y;
  case Code::Divide:
    return std::floor(*x / *y);
  case Code::Least:
    return std::min(*x, *y);
  case Code::Most:
    return std::max(*x, *y);
  default:
    return std::nullopt;
  }
}

double Counter::roundsOf(const Step &loop) const {
  Id begin = loop.operands[0], end = loop.operands[1];
  if (kernel.steps[end].code == Code::RangeEnd) {
    return static_cast<double>(kernel.steps[begin].number);
  }
  auto first = known(begin), last = known(end);
  if (first && last) {
    return std::max(*last - *first, 0.0);
  }
  return std::max<double>(static_cast<double>(loop.number - loop.least) + 1, 1);
}

Counter::Times Counter::inside(const Step &loop, const Times &outside) {
  double rounds = roundsOf(loop), blocks = static_cast<double>(grid.blocks);
  auto threads = static_cast<double>(grid.threads);
  bool isShared = loop.mark == Mark::Vector && !isOfThread;
  // What one block takes of an axis.
  double ofBlock = isAxis(loop.operands[0]) ? rounds / blocks : rounds;
  double ofThread = std::ceil(isShared ? ofBlock / threads : ofBlock);
  return {outside.all * (isShared ? ofBlock / threads : ofBlock),
          outside.one * ofThread};
}

void Counter::countStep(const Step &step, const Times &times) {
  switch (step.code) {
  case Code::Load:
  case Code::Store: {
    const kernel::Buffer &buffer = kernel.buffers[step.number];
    double bytes = times.all * static_cast<double>(byteWidth(buffer.type));
    accessed[step.number] += bytes;
    costs.accessedBytes += bytes;
    costs.longestThread += times.one;
    return;
  }
  case Code::Compute: {
    double additions = step.of ? additionsOf(step.of) : 1;
    costs.operations += times.all * additions;
    costs.wideOperations +=
        partOf(step.type) == ElementType::F64 ? times.all * additions : 0;
    costs.longestThread += times.one * additions;
    return;
  }
  case Code::Call:
    countCall(step, times);
    return;
  case Code::Choose:
  case Code::Exchange:
    costs.operations += times.all;
    costs.longestThread += times.one;
    return;
  default:
    if (step.code >= Code::Add && step.code <= Code::UnsignedLeast) {
      // A division by a number that is known is a product and a shift.
      double additions = step.divides() ? 4 : 1;
      costs.indexOperations += times.all * additions;
      costs.longestThread += times.one * additions;
    }
  }
}

/// Of copies the bytes; of products what is summed, and the instructions of one
/// thread.
void Counter::countCall(const Step &step, const Times &times) {
  auto bufferAt = [&](size_t n) { return -(step.operands[n] + 2); };
  if (step.entry == fetchCall) {
    double bytes =
        known(step.operands[4]).value_or(1) *
        static_cast<double>(byteWidth(kernel.buffers[bufferAt(0)].type));
    for (size_t n : {0, 1}) {
      const kernel::Buffer &buffer = kernel.buffers[bufferAt(n)];
      if (buffer.memory == kernel::Buffer::Scratch &&
          buffer.scope == kernel::Scope::Thread) {
        continue; // registers
      }
      accessed[bufferAt(n)] += times.all * bytes;
      costs.accessedBytes += times.all * bytes;
    }
    costs.longestThread += times.one;
  } else if (step.entry == multiplyCall || step.entry == multiplyTf32Call) {
    const kernel::Buffer &x = kernel.buffers[bufferAt(1)];
    double sums = countOf(kernel.buffers[bufferAt(0)]);
    double terms = static_cast<double>(stageBytes / byteWidth(x.type));
    costs.products += 2 * times.all * sums * terms;
    costs.productType =
        step.entry == multiplyTf32Call ? "tf32" : std::string(name(x.type));
    costs.longestThread += times.one * sums / 4;
  }
}

KernelCosts Counter::count() {
  costs.blocks = grid.blocks;
  costs.threads = grid.threads;
  struct Scope {
    Times times;
    bool endsThread;
  };
  double everybody = static_cast<double>(grid.blocks * grid.threads);
  llvm::SmallVector<Scope> scopes = {{{everybody, 1}, false}};
  for (const Step &step : kernel.steps) {
    if (step.code == Code::End) {
      isOfThread &= !scopes.back().endsThread;
      scopes.pop_back();
    } else if (step.code == Code::Loop) {
      bool isShared = step.mark == Mark::Vector && !isOfThread;
      scopes.push_back({inside(step, scopes.back().times), isShared});
      isOfThread |= isShared;
    } else if (step.opensScope()) {
      scopes.push_back({scopes.back().times, false});
    } else {
      countStep(step, scopes.back().times);
    }
  }
  for (auto [bytes, buffer] : llvm::zip_equal(accessed, kernel.buffers)) {
    double all = countOf(buffer) * static_cast<double>(byteWidth(buffer.type));
    if (buffer.memory != kernel::Buffer::Scratch) {
      costs.memoryBytes += std::min(bytes, all * (1 + buffer.isWritten));
    } else if (buffer.scope == kernel::Scope::Block) {
      costs.scratchBytes += all;
    }
  }
  return costs;
}

KernelCosts costsOf(const kernel::Kernel &kernel, const Target &target) {
  return Counter(kernel, target).count();
}

} // namespace xla::gpu
