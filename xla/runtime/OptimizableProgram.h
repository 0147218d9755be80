//===- OptimizableProgram.h - Programs whose code gets better ---*- C++ -*-===//

#ifndef XLA_RUNTIME_OPTIMIZABLEPROGRAM_H
#define XLA_RUNTIME_OPTIMIZABLEPROGRAM_H

#include "xla/runtime/Program.h"

#include <cstdint>
#include <functional>
#include <utility>

namespace xla {

/// How hard the compiler works on a program. Results are the same bits,
/// but for the signs of NaNs.
enum class Tier : uint8_t {
  Best, ///< with all effort, before the first run
  Fast, ///< quickly
  Auto, ///< quickly, and with all effort once it has run long enough
  Plan, ///< no code: memory and costs are known, and it cannot be run
};

/// A program whose code can be replaced while others run it.
class OptimizableProgram : public AbstractProgram {
public:
  /// Nanoseconds that compiling it with all effort is expected to take, where
  /// it was compiled quickly and can be optimised; else 0.
  virtual int64_t optimizationNanoseconds() const = 0;

  /// Registers what is called, maybe often and by several threads, during a run
  /// that takes longer than that. Before the first run.
  void whenRunTakesLong(std::function<void()> call) {
    longRun = std::move(call);
  }
  void runTakesLong() const {
    if (longRun) {
      longRun();
    }
  }

  /// Does one step of it; false: there are to be no more, and the program stays
  /// as it is.
  using StepRunner = std::function<bool(const std::function<Status()> &step)>;

  /// Replaces the code by code that runs faster and computes the same numbers:
  /// runs that have begun end in the old code, but for loops of which nobody
  /// knows how long they are. By one thread at a time.
  virtual void optimize(const StepRunner &runStep) = 0;

private:
  std::function<void()> longRun;
};

} // namespace xla

#endif // XLA_RUNTIME_OPTIMIZABLEPROGRAM_H
