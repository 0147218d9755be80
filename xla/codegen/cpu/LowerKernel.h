//===- LowerKernel.h - LLVM IR from the kernel form -------------*- C++ -*-===//

#ifndef XLA_CODEGEN_CPU_LOWERKERNEL_H
#define XLA_CODEGEN_CPU_LOWERKERNEL_H

#include "xla/codegen/cpu/Emitter.h"
#include "xla/codegen/cpu/KernelBuilder.h"
#include "xla/codegen/cpu/lower/reduce/Folds.h"
#include "xla/codegen/cpu/lower/reduce/Slots.h"

#include <optional>

namespace xla::cpu {

/// Emits the steps of a kernel, which `kernel::verify` accepts, by an emitter.
/// What processors differ in can be given another meaning: how axes and loops
/// are shared out, memory, what threads say to each other.
class KernelLowering {
public:
  KernelLowering(Emitter &e, const kernel::Kernel &kernel)
      : e(e), kernel(kernel), indices(kernel.steps.size()),
        elements(kernel.steps.size()),
        nextOf(kernel.steps.size(), kernel::noId) {}
  virtual ~KernelLowering() = default;

  void lower() { lowerRange(0, static_cast<kernel::Id>(kernel.steps.size())); }

protected:
  using Id = kernel::Id;
  using Step = kernel::Step;

  /// The scope that `opener` opens, up to the step `end`.
  virtual void lowerScope(Id opener, Id end);
  virtual Element load(const Step &step);
  virtual void store(const Step &step);
  virtual void prefetch(const Step &step);
  virtual Element exchange(const Step &step) { return elementAt(step, 0); }
  virtual void lowerStep(Id id, const Step &step);

  void lowerRange(Id begin, Id end);
  /// A loop from `first` to `last`, one round after the other.
  void lowerLoop(Id opener, Id end, llvm::Value *first, llvm::Value *last);
  Id endOf(Id opener) const;
  llvm::Value *indexAt(const Step &step, size_t n) {
    return e.capture(indices[step.operands[n]]);
  }
  Element elementAt(const Step &step, size_t n) {
    Element x = elements[step.operands[n]];
    return {e.capture(x.real), x.imag ? e.capture(x.imag) : nullptr};
  }

  Emitter &e;
  const kernel::Kernel &kernel;
  std::vector<llvm::Value *> indices;
  std::vector<Element> elements;
  bool groupsLines = true; ///< in loops over lines that are short

private:
  /// What a buffer is that a thread has for itself; null for others.
  SlotArray *slotsOf(int64_t buffer);
  /// How many lines of a loop are walked as one group; 0: it has no groups.
  int64_t groupOfLines(Id opener, Id end) const;
  void lowerGroups(Id opener, Id end, int64_t size, llvm::Value *first,
                   llvm::Value *last);
  /// A quotient or remainder of a line's number by those of its group; null
  /// where they do not give it.
  llvm::Value *partOfLine(const Step &step);
  llvm::Value *indexOf(const Step &step);
  Element elementOf(const Step &step);
  int64_t numberAt(const Step &step, size_t n) const {
    return kernel.steps[step.operands[n]].number;
  }
  llvm::SmallVector<Id> carriesOf(Id loop, Id end) const;

  /// An extreme that a loop carries in a form of its own: as keys, or the lanes
  /// of a vector.
  struct CarriedExtreme {
    Id fold = kernel::noId;
    Fold of = Fold::Other;
    ElementType type = ElementType::Invalid; ///< of the numbers
    Id numbers = kernel::noId; ///< in each round a number, or a line of them
    int64_t line = 0;          ///< how many are in a line; 0: numbers
    llvm::SmallVector<llvm::Value *> kept = {};
  };
  CarriedExtreme *extremeAt(Id carry) {
    auto found = extremes.find(carry);
    return found == extremes.end() ? nullptr : &found->second;
  }
  std::optional<CarriedExtreme> findExtreme(Id carry, Id end) const;
  llvm::SmallVector<llvm::Value *> noneOf(const CarriedExtreme &extreme);
  void addTo(CarriedExtreme &extreme);
  llvm::Value *wanted(const CarriedExtreme &extreme);
  bool isOfCarriedExtreme(Id id, const Step &step);
  llvm::Value *addressOf(const Step &step);
  llvm::Value *extremeOfRow(const Step &step);
  void appendValue(Id id, llvm::SmallVectorImpl<llvm::Value *> &values);
  void setValue(Id id, llvm::ArrayRef<llvm::Value *> &values);

  /// The line that is being lowered: `group` * `size` + `offset`.
  struct Line {
    Id loop = kernel::noId;
    int64_t size = 0;
    llvm::Value *group = nullptr, *offset = nullptr;
  };

  std::vector<Id> nextOf; ///< of a carry: its value in the next round
  Line line;
  llvm::DenseMap<int64_t, SlotArray> slots;    ///< by buffer
  llvm::DenseMap<Id, CarriedExtreme> extremes; ///< by carry
};

/// Where a buffer of a kernel is.
BufferSlice sliceOf(const kernel::Buffer &buffer);

/// Emits the steps of a kernel, which `kernel::verify` accepts, where code is
/// being emitted.
void lowerKernel(Emitter &e, const kernel::Kernel &kernel);

/// Whether what `builder` has built for `op` can be lowered; else `e` fails.
bool isComplete(Emitter &e, const KernelBuilder &builder,
                const kernel::Kernel &kernel, mlir::Operation *op);

/// Builds the kernel that computes `outputs` in `loops` and writes them to
/// `slices`, and lowers it.
void emitNest(Emitter &e, llvm::ArrayRef<mlir::Value> outputs,
              llvm::ArrayRef<BufferSlice> slices, const LoopPlan &loops);

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_LOWERKERNEL_H
