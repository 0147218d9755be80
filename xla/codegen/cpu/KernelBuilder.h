//===- KernelBuilder.h - Loop nests in the kernel form ----------*- C++ -*-===//
//
// Builds the kernel of a nest of elementwise operations: its loops, as `choose`
// planned them, and in them the steps that compute an element of each output.
// Emits no code: `lowerKernel` does.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_CODEGEN_CPU_KERNELBUILDER_H
#define XLA_CODEGEN_CPU_KERNELBUILDER_H

#include "xla/codegen/cpu/BufferPlan.h"
#include "xla/codegen/cpu/IndexArithmetic.h"
#include "xla/codegen/cpu/Kernel.h"
#include "xla/codegen/cpu/KnownElements.h"
#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/kernel/Form.h"

#include <string>

namespace xla::cpu {

/// A step of the kernel under construction: its number plus 1.
enum class StepRef : int32_t { None };

class KernelBuilder : public IndexArithmetic<KernelBuilder, StepRef>,
                      public KnownElements<IndexOf<StepRef>, StepRef> {
public:
  using IndexValue = StepRef;
  using ElementValue = StepRef;

  /// `groupRows`: the rows of the nest's row group; 0 if it is in none.
  KernelBuilder(const FusionPlan &fusion, const BufferPlan &buffers,
                int64_t groupRows)
      : fusion(fusion), buffers(buffers), groupRows(groupRows) {}
  virtual ~KernelBuilder() = default;

  /// The kernel that computes `outputs` at every index of `loops` and writes
  /// them to `slices`.
  kernel::Kernel build(llvm::ArrayRef<mlir::Value> outputs,
                       llvm::ArrayRef<BufferSlice> slices,
                       const LoopPlan &loops);

  /// The kernel that writes an update into the array in `slice`.
  kernel::Kernel build(stablehlo::DynamicUpdateSliceOp op,
                       const BufferSlice &slice, const LoopPlan &loops);

  /// The operation that the form has no steps for, and why; null if there is
  /// none.
  mlir::Operation *failedOperation() const { return failedAt; }
  /// Whether the form has steps for a computation of elements.
  static bool canApply(mlir::Region &computation) {
    return !notOnElements(computation);
  }
  const std::string &reason() const { return why; }

  //===--- For `IndexArithmetic` ------------------------------------------===//

  StepRef constant(int64_t value);
  StepRef add(StepRef x, StepRef y) { return index(kernel::Code::Add, x, y); }
  StepRef subtract(StepRef x, StepRef y) {
    return index(kernel::Code::Subtract, x, y);
  }
  StepRef multiply(StepRef x, StepRef y) {
    return index(kernel::Code::Multiply, x, y);
  }
  StepRef divide(StepRef x, StepRef y) {
    return index(kernel::Code::Divide, x, y);
  }
  StepRef remainder(StepRef x, StepRef y) {
    return index(kernel::Code::Remainder, x, y);
  }
  StepRef signedDivide(StepRef x, int64_t y) {
    return index(kernel::Code::SignedDivide, x, constant(y));
  }
  StepRef signedRemainder(StepRef x, int64_t y) {
    return index(kernel::Code::SignedRemainder, x, constant(y));
  }
  StepRef least(StepRef x, StepRef y) {
    return index(kernel::Code::Least, x, y);
  }
  StepRef least(StepRef x, int64_t y) { return least(x, constant(y)); }
  StepRef most(StepRef x, int64_t y) {
    return index(kernel::Code::Most, x, constant(y));
  }
  StepRef unsignedLeast(StepRef x, int64_t y) {
    return index(kernel::Code::UnsignedLeast, x, constant(y));
  }
  std::optional<int64_t> knownIndex(StepRef index) const;
  void parallel(int64_t tasks, int64_t grain, RangeBody body);
  void loop(StepRef begin, StepRef end, Body body);
  void noteExtent(StepRef index, int64_t least, int64_t most);

  //===--- For `elements` -------------------------------------------------===//

  StepRef isAtLeast(StepRef x, int64_t y) {
    return compare(kernel::Code::AtLeast, x, y);
  }
  StepRef isAtMost(StepRef x, int64_t y) {
    return compare(kernel::Code::AtMost, x, y);
  }
  StepRef isEqual(StepRef x, int64_t y) {
    return compare(kernel::Code::Equal, x, y);
  }
  StepRef truth(bool value = true);
  std::optional<bool> knownTruth(StepRef condition) const;
  StepRef both(StepRef x, StepRef y);
  StepRef chooseIndex(StepRef condition, StepRef x, StepRef y);
  StepRef chooseElement(StepRef condition, StepRef x, StepRef y);
  StepRef zero(ElementType type);
  StepRef undefined(mlir::Type type) { return zero(elementTypeOf(type)); }
  StepRef constantElement(stablehlo::ConstantOp op);
  StepRef numberElement(StepRef number, int64_t limit, ElementType type);
  StepRef partOfBits(StepRef x, ElementType from, StepRef part, ElementType to);
  StepRef joinBits(llvm::ArrayRef<StepRef> parts, ElementType from,
                   ElementType to);
  StepRef widenIndex(mlir::Value indices, StepRef start);
  StepRef scalar(mlir::Value value);
  virtual StepRef loadElement(mlir::Value value, StepRef linear);
  StepRef emitElement(mlir::Value value, const Index &index);
  StepRef emitElementwise(mlir::Operation *op, llvm::ArrayRef<StepRef> x);
  void store(ElementType type, const BufferSlice &slice, StepRef linear,
             StepRef element);
  bool failed() const { return failedAt; }
  void fail(mlir::Operation *op, llvm::StringRef reason);

  const FusionPlan &fusion;

protected:
  /// What the computation of a reduction or a map makes of elements, if
  /// `canApply` says so.
  llvm::SmallVector<StepRef> apply(mlir::Region &computation,
                                   llvm::ArrayRef<StepRef> x);
  int64_t scratch(ElementType type, int64_t elements, kernel::Scope scope);
  StepRef loadFrom(int64_t buffer, StepRef linear);
  void storeTo(int64_t buffer, StepRef linear, StepRef element);
  void prefetch(int64_t buffer, StepRef linear, int64_t count);
  /// The greatest or the smallest of some elements of one type.
  StepRef extreme(bool isGreatest, llvm::ArrayRef<StepRef> x);
  /// That of elements [first, last) of a row in memory, of `length` elements
  /// from the one at `base` on.
  StepRef extremeOfRow(bool isGreatest, int64_t buffer, StepRef base,
                       int64_t length, StepRef first, StepRef last);
  /// What the operation `op`, of two elements, leaves as it is, as an element
  /// of `type`.
  StepRef neutral(mlir::Operation *op, ElementType type);
  /// `y` folded into `x` by the operation `op`; `anyOrder` if a loop may put
  /// its folds into any order.
  StepRef foldInto(mlir::Operation *op, StepRef x, StepRef y, bool anyOrder);
  /// A real float as one of another width.
  StepRef convert(StepRef x, ElementType type);
  /// What the rounds of a loop hand on, from `initial` on.
  using Refs = llvm::SmallVector<StepRef>;
  using CarryBody = llvm::function_ref<Refs(StepRef, llvm::ArrayRef<StepRef>)>;
  Refs loop(StepRef begin, StepRef end, llvm::ArrayRef<StepRef> initial,
            CarryBody body);

  StepRef add(kernel::Step step) {
    return static_cast<StepRef>(result.add(std::move(step)) + 1);
  }
  kernel::Id idOf(StepRef step) const { return static_cast<int>(step) - 1; }
  const kernel::Step &at(StepRef step) const {
    return result.steps[idOf(step)];
  }
  StepRef index(kernel::Code code, StepRef x, StepRef y);
  StepRef compare(kernel::Code code, StepRef x, int64_t y);
  int64_t bufferOf(ElementType type, llvm::ArrayRef<int64_t> shape,
                   const BufferSlice &slice, bool isWritten);

  const BufferPlan &buffers;
  kernel::Kernel result;
  llvm::SmallVector<int64_t, 4> storedShape; ///< of what is written

private:
  static mlir::Operation *notOnElements(mlir::Region &computation);

  int64_t groupRows;
  llvm::DenseMap<int64_t, StepRef> numbers;
  StepRef truths[2] = {};
  llvm::DenseMap<mlir::Value, size_t> scalars; ///< by number
  mlir::Operation *failedAt = nullptr;
  std::string why;
};

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_KERNELBUILDER_H
