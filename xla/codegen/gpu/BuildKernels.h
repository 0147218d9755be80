//===- BuildKernels.h - The kernels of operations ---------------*- C++ -*-===//

#ifndef XLA_CODEGEN_GPU_BUILDKERNELS_H
#define XLA_CODEGEN_GPU_BUILDKERNELS_H

#include "xla/codegen/cpu/KernelBuilder.h"
#include "xla/codegen/gpu/Target.h"

namespace xla::gpu {

/// As targets have them.
inline constexpr int64_t threadsOfBlock = 256;

/// What a kernel of products computes of each result that it has summed: the
/// outputs of a loop nest, into slices of their own.
struct Epilogue {
  llvm::ArrayRef<mlir::Value> outputs;
  llvm::ArrayRef<cpu::BufferSlice> slices;
  bool isAlone = false; ///< nothing else reads the result
};

/// Builds one kernel in the kernel form: of the operation that it is called
/// for, and of what is computed in place where that reads it.
class KernelSource : public cpu::KernelBuilder {
public:
  using BufferSlice = cpu::BufferSlice;
  using StepRef = cpu::StepRef;

  KernelSource(const cpu::FusionPlan &fusion, const cpu::BufferPlan &buffers,
               MatrixUnit unit, const Epilogue &epilogue = {})
      : KernelBuilder(fusion, buffers, /*groupRows=*/0), unit(unit),
        epilogue(epilogue) {}

  /// In an epilogue the result that the thread has.
  StepRef loadElement(mlir::Value value, StepRef linear) override;

  /// All outputs, of one shape, at every index.
  kernel::Kernel nest(llvm::ArrayRef<mlir::Value> outputs,
                      llvm::ArrayRef<BufferSlice> slices);
  /// The update alone: the array is in `slice` already.
  kernel::Kernel update(stablehlo::DynamicUpdateSliceOp op,
                        const BufferSlice &slice);
  kernel::Kernel reduce(stablehlo::ReduceOp op,
                        llvm::ArrayRef<BufferSlice> slices);
  kernel::Kernel reduceWindow(stablehlo::ReduceWindowOp op,
                              llvm::ArrayRef<BufferSlice> slices);
  kernel::Kernel product(stablehlo::DotGeneralOp op, const BufferSlice &slice);
  kernel::Kernel convolution(stablehlo::ConvolutionOp op,
                             const BufferSlice &slice);
  kernel::Kernel scatter(stablehlo::ScatterOp op,
                         llvm::ArrayRef<BufferSlice> slices);
  /// Of unique indices: the operands are in `slices` already.
  kernel::Kernel scatterUnique(stablehlo::ScatterOp op,
                               llvm::ArrayRef<BufferSlice> slices);
  kernel::Kernel sort(stablehlo::SortOp op, llvm::ArrayRef<BufferSlice> slices);

private:
  using Refs = llvm::SmallVector<StepRef>;
  struct Side;
  struct Tile;
  using CarryBody = llvm::function_ref<Refs(StepRef, llvm::ArrayRef<StepRef>)>;

  /// Kernels whose threads do more than this in all are not made: another way
  /// to compute the same does less.
  static constexpr int64_t mostRounds = int64_t(1) << 26;

  void markedLoop(kernel::Mark mark, StepRef begin, StepRef end, Body body);
  /// A loop that carries `initial`; gives what its last round makes of them.
  Refs carry(StepRef begin, StepRef end, llvm::ArrayRef<StepRef> initial,
             CarryBody body);
  void when(StepRef condition, llvm::function_ref<void()> body);
  StepRef exchange(StepRef x, int64_t distance);
  StepRef compute(llvm::StringRef name, mlir::Type type,
                  llvm::ArrayRef<StepRef> operands,
                  llvm::ArrayRef<mlir::Type> types);
  /// Sums are of f32 where elements are narrower, else of the result's type.
  static mlir::Type sumTypeOf(mlir::Value product);
  StepRef convert(StepRef x, mlir::Type from, mlir::Type to);
  StepRef elementAs(mlir::Value array, const Index &index, mlir::Type type);
  /// sum + x * y
  StepRef addProduct(StepRef sum, StepRef x, StepRef y, mlir::Type type);
  void call(llvm::StringRef entry, llvm::ArrayRef<int64_t> buffers,
            llvm::ArrayRef<StepRef> operands);
  static Side sideOf(stablehlo::DotGeneralOp op, int side);
  Index indexIn(const Side &side, StepRef batch, StepRef line, StepRef term);
  kernel::Kernel productByThreads(stablehlo::DotGeneralOp op,
                                  const BufferSlice &slice);
  kernel::Kernel productByBlocks(stablehlo::DotGeneralOp op,
                                 const BufferSlice &slice, ElementType tileType,
                                 int64_t size);
  Tile tileOf(const Side &side, ElementType type, mlir::Type tileType,
              int64_t size);
  Tile tileInMemory(const Side &side, ElementType type, mlir::Type tileType,
                    int64_t size);
  void forEachPiece(const Tile &tile,
                    llvm::function_ref<void(StepRef, StepRef, StepRef)> body);
  StepRef heldAt(const Tile &tile, StepRef i);
  StepRef isIn(const Tile &tile, StepRef line, StepRef term);
  void putTile(const Tile &tile, StepRef stage, StepRef firstLine,
               StepRef firstTerm);
  StepRef positionIn(const Tile &tile, StepRef stage, StepRef line,
                     StepRef term);
  void fetchTile(const Tile &tile, StepRef stage, StepRef batch,
                 StepRef firstLine, StepRef firstTerm);
  void sumStages(const Tile &x, const Tile &y, int64_t sums,
                 llvm::StringRef entry, llvm::ArrayRef<StepRef> start);
  void storePart(stablehlo::DotGeneralOp op, const BufferSlice &slice,
                 int64_t part, int64_t size, mlir::Type sumType,
                 llvm::ArrayRef<StepRef> start);
  Refs windowStarts(stablehlo::ScatterOp op, llvm::ArrayRef<StepRef> batch,
                    StepRef &inside);
  Refs inputsAt(stablehlo::ReduceOp op, StepRef output, StepRef term);
  Refs fold(mlir::Region &body, llvm::ArrayRef<StepRef> x,
            llvm::ArrayRef<StepRef> y);
  void foldByBlock(stablehlo::ReduceOp op, llvm::ArrayRef<BufferSlice> slices,
                   StepRef output, int64_t terms);

  /// The element of a product's result at `linear`, or what is made of it.
  void finish(mlir::Value product, const BufferSlice &slice, StepRef linear,
              StepRef element);
  /// Whether copies go through registers of the threads.
  bool copiesByThreads() const {
    return unit == MatrixUnit::Mfma || unit == MatrixUnit::Wmma;
  }

  MatrixUnit unit;
  Epilogue epilogue;
  mlir::Value finished;                    ///< whose element the thread has
  StepRef finishedElement = StepRef::None; ///< that one
};

} // namespace xla::gpu

#endif // XLA_CODEGEN_GPU_BUILDKERNELS_H
