//===- Emitter.h - LLVM IR from a planned program ---------------*- C++ -*-===//
//
// One Emitter turns one function into one LLVM module: its steps in their
// order, and the elements of values that have no memory. The code of each
// family of operations stands in lower/ (lower/Steps.h). What it is made of has
// one job each: functions (`FunctionBuilder`), memory (`MemoryAccess`), loops
// (`LoopBuilder`), each on the one before; kernels (`KernelBuilder`,
// `LowerKernel`); functions of bounded size (`Outliner`); marks for profiles
// (`OperationMarks`).
//
//===----------------------------------------------------------------------===//

#ifndef XLA_CODEGEN_CPU_EMITTER_H
#define XLA_CODEGEN_CPU_EMITTER_H

#include "xla/codegen/cpu/FusionPlan.h"
#include "xla/codegen/cpu/LoopBuilder.h"
#include "xla/codegen/cpu/OperationMarks.h"
#include "xla/codegen/cpu/Outliner.h"
#include "xla/codegen/cpu/RowGroups.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

#include "mlir/IR/Block.h"
#include "llvm/ADT/DenseSet.h"

#include <optional>

namespace xla::kernel {
struct Kernel;
} // namespace xla::kernel

namespace xla::cpu {

/// What a product's kernel calls on finished elements, as words of the
/// runtime's structure; null where there is nothing to do with them.
struct EpilogueFunction {
  llvm::Value *function, *context;
};

class Emitter : public LoopBuilder {
public:
  Emitter(llvm::Module &module, const FusionPlan &fusion, const RowGroups &rows,
          const BufferPlan &buffers, llvm::ArrayRef<Donation> donations,
          int64_t partitions);

  /// Emits the body of the entry function under the name `name`.
  Status emitEntry(mlir::Block &body, llvm::StringRef name);

  /// Numbers a custom call, likewise. The symbol is the second argument of
  /// `callRunnerSymbol`: `int32_t(context, call, operands, results)`.
  using CallNumber =
      llvm::function_ref<StatusOr<int64_t>(stablehlo::CustomCallOp)>;
  void setCalls(CallNumber number) { callNumber = number; }
  StatusOr<int64_t> numberCall(stablehlo::CustomCallOp op) {
    return callNumber(op);
  }

  static std::string callSymbol(int64_t number) {
    return "xla_call_" + std::to_string(number);
  }
  static constexpr const char *callRunnerSymbol = "xla_run_call";

  /// What code with collectives calls, with the context of its run: see
  /// `runCollective`, and the device's number.
  static constexpr const char *collectiveRunnerSymbol = "xla_run_collective";
  static constexpr const char *partitionIdSymbol = "xla_partition_id";

  /// What the collectives are, by number, for messages.
  const std::vector<std::string> &collectives() const {
    return collectiveNames;
  }
  int64_t numberCollective(std::string name) {
    collectiveNames.push_back(std::move(name));
    return static_cast<int64_t>(collectiveNames.size()) - 1;
  }

  Outliner parts{*this};
  OperationMarks marks{*this};

  //===--- Statements -----------------------------------------------------===//

  void emitBlock(mlir::Block &block);
  void emitStep(mlir::Operation *op);
  /// The same without regard to its row group: within one, a block of rows.
  void emitOneStep(mlir::Operation *op);
  void emitRowGroup(const RowGroup &group);
  void reserveRowScratch(int64_t bytes);
  /// Writes the elements of `value` to `slice`, by copying or computing.
  void emitInto(mlir::Value value, const BufferSlice &slice);
  /// Emits the body of a scalar region and returns what it yields.
  llvm::SmallVector<Element> emitScalarRegion(mlir::Region &region,
                                              llvm::ArrayRef<Element> values);

  void emitRegion(mlir::Operation *op);
  bool isStreamed(const kernel::Kernel &kernel,
                  llvm::ArrayRef<BufferSlice> written) const;
  void readBlocksAhead(const kernel::Kernel &kernel, Writes &accesses);
  /// The loop nest that the plan makes part of the product at `op`, which is
  /// then not emitted where it stands. Where the sums are wider than the
  /// result, they are at `sums`, as elements of `sumType`, and are rounded
  /// here.
  EpilogueFunction emitEpilogue(mlir::Operation *op, ElementType sumType,
                                const BufferSlice &sums);

  //===--- Elements -------------------------------------------------------===//

  Element emitElement(mlir::Value value, const Index &index);
  Element computeElement(mlir::Operation *op, const Index &index);
  Element loadElement(mlir::Value value, llvm::Value *linear);
  Element constantElement(stablehlo::ConstantOp op);
  /// An index below `limit` as a number of `type`.
  Element numberElement(llvm::Value *number, int64_t limit, ElementType type);
  /// Bits of an element: those of number `part`. And the bits of elements as
  /// one element, the least significant first.
  Element partOfBits(Element x, ElementType from, llvm::Value *part,
                     ElementType to);
  Element joinBits(llvm::ArrayRef<Element> parts, ElementType from,
                   ElementType to);
  Element emitElementwise(mlir::Operation *op, llvm::ArrayRef<Element> x);
  /// The value of a tensor of rank 0.
  Element scalar(mlir::Value value);
  void setRegister(mlir::Value value, Element element);

  /// Where a call finds an operand: scalars get a slot in the frame, and what
  /// is no array has none.
  llvm::Value *operandPointer(mlir::Value operand);
  /// Calls `emit` twice, the second time with `inSubnormalRegion`; a round
  /// takes that form if the one before it met subnormal numbers.
  void emitInTwoForms(llvm::function_ref<void()> emit);
  bool inSubnormalRegion = false;

  std::optional<Element> findRegister(mlir::Value value, Frame &in);
  void loadArguments(llvm::ArrayRef<mlir::BlockArgument> arguments);
  void emitResults(mlir::Operation *end);
  /// What the entry was called with, for handlers.
  llvm::Value *runState(Frame &in);
  llvm::Value *runState() { return runState(*frame); }
  /// Whether code stands in a function that lists the steps of the program.
  bool callsSteps() const {
    return frame->kind == Frame::Entry || frame->kind == Frame::Part;
  }
  /// Whether code stands in the body of a loop that threads share, or of a
  /// comparison.
  bool isInBody() const { return frame->kind == Frame::Body; }
  llvm::BasicBlock *newBlock(const llvm::Twine &name) {
    return llvm::BasicBlock::Create(context(), name, frame->function);
  }
  void enterLoop() { ++programLoops; }
  void leaveLoop() { --programLoops; }
  bool touchesMemory(mlir::Operation *op) const;

  const FusionPlan &fusion;
  const RowGroups &rowGroups;
  int64_t partitions; ///< devices that run the program together

  /// Computes the outputs of a loop nest at one index and stores them.
  void storeRegion(llvm::ArrayRef<mlir::Value> outputs,
                   llvm::ArrayRef<BufferSlice> slices, const Index &index);

private:
  void emitFetch(mlir::Operation *product, llvm::ArrayRef<mlir::Value> outputs,
                 llvm::Function *function);
  void emitFinish(mlir::Operation *product, llvm::ArrayRef<mlir::Value> outputs,
                  llvm::Function *function);

  /// A product whose elements are read from its sums.
  struct Sums {
    mlir::Value value;
    ElementType type;
    BufferSlice slice;
  };

  friend class Outliner;
  friend class OperationMarks;

  std::vector<std::string> collectiveNames;
  CallNumber callNumber;
  const Sums *sums = nullptr;
  llvm::DenseSet<mlir::Operation *> taken; ///< steps that are part of products
};

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_EMITTER_H
