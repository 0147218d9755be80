//===- Emitter.h - LLVM IR from a planned program ---------------*- C++ -*-===//
//
// One Emitter turns one function into one LLVM module: its steps, and the
// elements of values that have no memory. What the files in lower/, a folder
// per family of operations, share besides are the layers below it, each on the
// one before: functions (`FunctionBuilder`), memory (`MemoryAccess`), loops and
// indices (`LoopBuilder`).
//
//===----------------------------------------------------------------------===//

#ifndef XLA_CODEGEN_CPU_EMITTER_H
#define XLA_CODEGEN_CPU_EMITTER_H

#include "xla/codegen/cpu/FusionPlan.h"
#include "xla/codegen/cpu/LoopBuilder.h"
#include "xla/codegen/cpu/RowGroups.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

#include "mlir/IR/Block.h"
#include "llvm/ADT/DenseSet.h"

#include <optional>

namespace xla {
struct SparseProduct;
} // namespace xla

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

  /// What the code needs: the plan's, and what it keeps scalars in.
  int64_t arenaBytes() const;

  /// Numbers a custom call, likewise. The symbol is the second argument of
  /// `callRunnerSymbol`: `int32_t(context, call, operands, results)`.
  using CallNumber =
      llvm::function_ref<StatusOr<int64_t>(stablehlo::CustomCallOp)>;
  void setCalls(CallNumber number) { callNumber = number; }

  /// Numbers what records of runs distinguish, and among loops; -1: no loop.
  /// Without it the code makes no records. See `OperationRecord`.
  struct RecordNumber {
    int64_t operation, loop;
  };
  using RecordNumbers =
      llvm::function_ref<std::optional<RecordNumber>(mlir::Operation *)>;
  void setRecords(RecordNumbers numbers) { recordNumbers = numbers; }
  void markOperation(mlir::Operation *op);
  /// `function`, one of the next three, for a loop of the program.
  void markLoop(mlir::Operation *op, const char *function);
  void beginIteration(mlir::Operation *op);
  static constexpr const char *markSymbol = "xla_mark_operation";
  static constexpr const char *enterLoopSymbol = "xla_enter_loop";
  static constexpr const char *nextIterationSymbol = "xla_next_iteration";
  static constexpr const char *leaveLoopSymbol = "xla_leave_loop";

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
  void emitReduce(mlir::Operation *op);
  /// The loop nest that the plan makes part of the product at `op`, which is
  /// then not emitted where it stands. Where the sums are wider than the
  /// result, they are at `sums`, as elements of `sumType`, and are rounded
  /// here.
  EpilogueFunction emitEpilogue(mlir::Operation *op, ElementType sumType,
                                const BufferSlice &sums);
  void emitDot(mlir::Operation *op);
  void emitConcatenate(mlir::Operation *op);
  void emitConvolution(mlir::Operation *op);
  void emitWhile(mlir::Operation *op);
  void emitBranches(mlir::Operation *op);
  void emitDynamicUpdateSlice(mlir::Operation *op);
  void emitScatter(mlir::Operation *op);
  void emitSort(mlir::Operation *op);
  void emitReduceWindow(mlir::Operation *op);
  void emitSelectAndScatter(mlir::Operation *op);
  void emitRngBitGenerator(mlir::Operation *op);
  void emitFft(mlir::Operation *op);
  void emitCustomCall(mlir::Operation *op);
  void emitCollective(mlir::Operation *op);
  void emitPartitionId(mlir::Operation *op);
  void emitCholesky(mlir::Operation *op);
  void emitTriangularSolve(mlir::Operation *op);
  void emitSparseProduct(mlir::Operation *op, const SparseProduct &product);
  void emitBarrier(mlir::Operation *op);

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
  const Element *findKnown(mlir::Value value, const Index &index);
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
  /// Emits a function of its own and a call of it: where slices are operands,
  /// equal steps become equal functions, which are compiled once.
  void outlineStep(llvm::function_ref<void()> emit);
  /// Emits a function that is called here, once, and calls steps. Others find
  /// the `published` scalars that it computes.
  void emitPart(bool isOptimized, mlir::ValueRange published,
                llvm::function_ref<void()> emit);
  void emitPart(llvm::ArrayRef<mlir::Operation *> ops);
  void emitOfPart(mlir::Operation *op);
  /// Whether a block is too large for one function, and how it becomes several.
  bool isCut(mlir::Block &block) const;
  void emitCut(mlir::Block &block);
  /// Calls `emit` for 0 .. count - 1: in parts, if these are many.
  void inParts(size_t count, llvm::function_ref<void(size_t)> emit);
  void loadArguments(llvm::ArrayRef<mlir::BlockArgument> arguments);
  void publishArguments(llvm::ArrayRef<mlir::BlockArgument> arguments);
  void emitResults(mlir::Operation *end);
  bool emitInPieces(mlir::Block &block);
  bool isScalarStep(mlir::Operation *op) const;
  bool isListOfCalls(llvm::ArrayRef<mlir::Operation *> ops) const;
  int64_t weigh(mlir::Block &block);
  /// Memory for a scalar, behind the plan's arena, and accesses to it.
  int64_t newEscapeOffset();
  void keepInMemory(mlir::Value value, int64_t offset);
  void storeEscape(int64_t offset, Element element);
  Element loadEscape(int64_t offset, mlir::Value like);
  std::optional<Element> findEscape(mlir::Value value, Frame &in);
  /// Whether so many scalars would be too many for registers.
  bool keepsInMemory(size_t scalars) const {
    return isLong && scalars > 64 &&
           (frame->kind == Frame::Entry || frame->kind == Frame::Part);
  }
  /// What the entry was called with, for handlers.
  llvm::Value *runState(Frame &in);
  void sizeStepWords();
  bool isOutlined(mlir::Operation *op) const;
  bool isStep(mlir::Operation *op) const;
  bool touchesMemory(mlir::Operation *op) const;

  const FusionPlan &fusion;
  const RowGroups &rowGroups;
  int64_t partitions; ///< devices that run the program together

  /// Computes the outputs of a loop nest at one index and stores them.
  void storeRegion(llvm::ArrayRef<mlir::Value> outputs,
                   llvm::ArrayRef<BufferSlice> slices, const Index &index);
  /// Notes that the element of `value` at `index` is `element`.
  void setKnown(mlir::Value value, const Index &index, Element element) {
    known[value].push_back({index, element});
  }

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

  /// A scalar outside the part that computed it: in memory at `offset`, once
  /// somebody asks for it; `end` is where the part returns, null if the scalar
  /// is in memory in any case.
  struct Escape {
    Element element; ///< in the part, or else of the same types
    llvm::Instruction *end = nullptr;
    Frame *owner = nullptr; ///< who called the part
    int64_t offset = -1;
  };

  std::vector<std::string> collectiveNames;
  std::optional<RecordNumber> recordNumberOf(mlir::Operation *op);
  void emitMark(std::optional<RecordNumber> number);
  llvm::Value *recordOfRun();

  CallNumber callNumber;
  RecordNumbers recordNumbers;
  const Sums *sums = nullptr;
  llvm::DenseSet<mlir::Operation *> taken; ///< steps that are part of products
  bool isLong = false; ///< the program: all steps are outlined
  llvm::DenseMap<mlir::Operation *, int64_t> weights;
  llvm::DenseMap<mlir::Value, Escape> escapes;
  int64_t escapeCount = 0;
};

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_EMITTER_H
