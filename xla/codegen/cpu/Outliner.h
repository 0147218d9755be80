//===- Outliner.h - Programs as many functions of bounded size --*- C++ -*-===//
//
// LLVM's passes take more than linear time in the size of a function. So what
// is emitted for a long program is cut: a *step* is a function that knows
// nothing of its position in the program, so that equal ones are compiled once;
// a *part* calls some steps and computes some scalars, and calls parts where it
// holds a loop or a branch that is long itself. Scalars that one part computes
// and another needs go through memory of the run.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_CODEGEN_CPU_OUTLINER_H
#define XLA_CODEGEN_CPU_OUTLINER_H

#include "xla/codegen/cpu/FunctionBuilder.h"

#include "mlir/IR/Block.h"

#include <optional>

namespace xla::cpu {

class Emitter;

class Outliner {
public:
  explicit Outliner(Emitter &e) : e(e) {}

  /// Decides whether the program is long: all its steps are functions then.
  /// `handedOn`: scalars that it is called with and results.
  void measure(mlir::Block &body, int64_t handedOn);
  bool isLong() const { return isLongProgram; }
  int64_t weightOf(mlir::Operation *op) const { return weights.lookup(op); }
  /// Whether the step writes arrays and nothing else, and may be a function.
  bool isOutlined(mlir::Operation *op) const;
  /// Whether it is one of those, or of a row group.
  bool isStep(mlir::Operation *op) const;
  /// Whether the operations do next to nothing but to call.
  bool isListOfCalls(llvm::ArrayRef<mlir::Operation *> ops) const;

  //===--- Functions ------------------------------------------------------===//

  /// Emits a function of its own and a call of it: where slices are operands,
  /// equal steps become equal functions, which are compiled once.
  void outlineStep(llvm::function_ref<void()> emit);
  /// Emits a function that is called here, once, and calls steps.
  void emitPart(llvm::ArrayRef<mlir::Operation *> ops);
  void emitOfPart(mlir::Operation *op);
  /// Whether a block is too large for one function, and how it becomes several.
  bool isCut(mlir::Block &block) const;
  void emitCut(mlir::Block &block);
  /// Calls `emit` for 0 .. count - 1: in parts, if these are many.
  void inParts(size_t count, llvm::function_ref<void(size_t)> emit);
  void publishArguments(llvm::ArrayRef<mlir::BlockArgument> arguments);
  bool emitInPieces(mlir::Block &block);
  void sizeStepWords();

  //===--- Scalars in memory ----------------------------------------------===//

  /// Memory for a scalar, behind the plan's arena, and accesses to it.
  int64_t newEscapeOffset();
  void keepInMemory(mlir::Value value, int64_t offset);
  void storeEscape(int64_t offset, Element element);
  Element loadEscape(int64_t offset, mlir::Value like);
  std::optional<Element> findEscape(mlir::Value value,
                                    FunctionBuilder::Frame &in);
  /// Whether so many scalars would be too many for registers.
  bool keepsInMemory(size_t scalars) const;
  /// The plan's arena, and what is behind it.
  int64_t arenaBytes() const;

private:
  using Frame = FunctionBuilder::Frame;

  /// A scalar outside the part that computed it: in memory at `offset`, once
  /// somebody asks for it; `end` is where the part returns, null if the scalar
  /// is in memory in any case.
  struct Escape {
    Element element; ///< in the part, or else of the same types
    llvm::Instruction *end = nullptr;
    Frame *owner = nullptr; ///< who called the part
    int64_t offset = -1;
  };

  int64_t weigh(mlir::Block &block);
  bool isScalarStep(mlir::Operation *op) const;
  /// Others find the `published` scalars that the part computes.
  void emitPart(bool isOptimized, mlir::ValueRange published,
                llvm::function_ref<void()> emit);

  Emitter &e;
  bool isLongProgram = false;
  llvm::DenseMap<mlir::Operation *, int64_t> weights;
  llvm::DenseMap<mlir::Value, Escape> escapes;
  int64_t escapeCount = 0;
};

/// For a function that does nothing but call others.
void leaveUnoptimized(llvm::Function &function);

/// Whether branches of this weight together call their steps: each alone may be
/// short.
bool areManyBranches(int64_t weight);

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_OUTLINER_H
