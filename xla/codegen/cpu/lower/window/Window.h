//===- Window.h - Windows over the elements of an array ---------*- C++ -*-===//

#ifndef XLA_CODEGEN_CPU_LOWER_WINDOW_WINDOW_H
#define XLA_CODEGEN_CPU_LOWER_WINDOW_WINDOW_H

#include "xla/codegen/cpu/Emitter.h"
#include "xla/codegen/cpu/Kernel.h"

namespace xla::cpu {

/// How windows are spaced along one dimension of an operand.
struct WindowDim {
  int64_t size = 1, stride = 1, low = 0, high = 0, dilation = 1, base = 1;

  /// Whether every window is the operand's element at the same index.
  bool isNothing() const {
    return size == 1 && stride == 1 && base == 1 && low == 0 && high == 0;
  }
};

using Windows = llvm::SmallVector<WindowDim>;

Windows windowsOf(stablehlo::ReduceWindowOp op);
Windows windowsOf(stablehlo::SelectAndScatterOp op);

llvm::SmallVector<int64_t> sizesOf(const Windows &windows);

/// The least and the greatest number that an index can be.
using Bounds = std::pair<int64_t, int64_t>;

/// An index forced into [0, size); `inside` becomes false where it was not.
llvm::Value *forceInto(Emitter &e, llvm::Value *position, Bounds bounds,
                       int64_t size, llvm::Value *&inside);

/// Windows over an array of `shape`, `counts` of them along each dimension;
/// `ranges` bound the numbers of those that are looked at.
struct WindowView {
  WindowView(const Windows &windows, llvm::ArrayRef<int64_t> shape,
             llvm::ArrayRef<int64_t> counts);

  const Windows &windows;
  llvm::ArrayRef<int64_t> shape, counts;
  llvm::SmallVector<Bounds> ranges;
};

/// Where window element `offset` of the window at `at` is in the operand, and
/// in `inside` whether it does at all: padding and holes hold nothing. Reading
/// is safe in any case.
Index windowIndex(Emitter &e, llvm::ArrayRef<llvm::Value *> at,
                  llvm::ArrayRef<llvm::Value *> offset, const WindowView &view,
                  llvm::Value *&inside);

/// Visits the window's elements in row-major order, carrying values along:
/// side by side if they are at most `mostInLine`, else in a loop.
llvm::SmallVector<llvm::Value *>
overWindow(Emitter &e, llvm::ArrayRef<int64_t> sizes, int64_t mostInLine,
           llvm::SmallVector<llvm::Value *> carried,
           llvm::function_ref<llvm::SmallVector<llvm::Value *>(
               llvm::ArrayRef<llvm::Value *>, llvm::ArrayRef<llvm::Value *>)>
               body);

/// Loops over all windows, along the last dimension of more than one in the
/// inner loop, which is cut where windows begin and cease to be within the
/// operand whole. An element of the result must be one that may be written
/// twice.
LoopPlan planWindows(const WindowView &view, double cost);
void overWindows(
    Emitter &e, const WindowView &view, const LoopPlan &loops,
    llvm::function_ref<void(const Index &, const WindowView &)> body);

/// Loops over the indices of `shape`, some of which are perhaps visited twice.
/// The inner loop goes along the last dimension of more than one element and is
/// cut at `breaks`; bounds are those of the index along it. Its pieces are
/// whole vectors, if `isDense` (`LoopOrder::Lanes`): what is left over at the
/// end of a line would be computed one at a time.
LoopPlan planLanes(llvm::ArrayRef<int64_t> shape, double cost,
                   llvm::ArrayRef<int64_t> breaks, bool isDense);
void nestOfLanes(Emitter &e, const LoopPlan &loops,
                 llvm::function_ref<void(const Index &, Bounds)> body);

/// The last dimension of more than one element; 0 if there is none.
size_t innermostOf(llvm::ArrayRef<int64_t> shape);

llvm::SmallVector<llvm::Value *> choose(Emitter &e, llvm::Value *condition,
                                        llvm::ArrayRef<llvm::Value *> yes,
                                        llvm::ArrayRef<llvm::Value *> no);

/// Windows that reach from one end of `dimension`, the last one if
/// `isReversed`, to the element at hand: a running fold.
Kernel chooseScan(stablehlo::ReduceWindowOp op, int64_t dimension,
                  bool isReversed, const FusionPlan &fusion, LoopSite site);
void emitScan(Emitter &e, stablehlo::ReduceWindowOp op, const Kernel &kernel);

/// Windows along one dimension, folded piece by piece out of shorter ones.
/// Nothing is chosen where that is not possible or does not pay.
std::optional<Kernel> chooseSlidingFold(stablehlo::ReduceWindowOp op,
                                        const Windows &windows);
void emitSlidingFold(Emitter &e, stablehlo::ReduceWindowOp op,
                     const Windows &windows, const Kernel &kernel);

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_LOWER_WINDOW_WINDOW_H
