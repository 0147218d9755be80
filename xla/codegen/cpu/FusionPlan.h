//===- FusionPlan.h - Which values exist in memory --------------*- C++ -*-===//
//
// Decides for every value of a function how it comes into being:
//
//   Inline    nowhere: its users compute its elements where they need them
//   Register  as an LLVM value, computed once where it is defined (rank 0)
//   Buffer    in memory, written by the step that stands at its definition
//
// and groups buffers of one shape into regions, written by one loop nest.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_CODEGEN_CPU_FUSIONPLAN_H
#define XLA_CODEGEN_CPU_FUSIONPLAN_H

#include "mlir/IR/Operation.h"
#include "mlir/IR/ValueRange.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace mlir::func {
class FuncOp;
}

namespace xla::cpu {

enum class Form : uint8_t { Inline, Register, Buffer };

/// A value in memory that a step reads. `sameIndex`: only at the index that the
/// step writes, so that the step may overwrite it.
struct Leaf {
  mlir::Value value;
  bool sameIndex;
};

/// Who computes scalars: the thread that runs the program, which has them in
/// registers, or kernels, which find them in memory.
enum class Scalars : uint8_t { InRegisters, InMemory };

class FusionPlan {
public:
  FusionPlan() = default; ///< of no values
  explicit FusionPlan(mlir::Block &body,
                      Scalars scalars = Scalars::InRegisters);

  bool hasScalarsInMemory() const { return scalars == Scalars::InMemory; }

  /// Moves what becomes part of a product up to it, once the kernels of
  /// products are chosen.
  void planEpilogues(mlir::Block &body);

  Form formOf(mlir::Value value) const {
    auto found = forms.find(value);
    return found == forms.end() ? Form::Buffer : found->second;
  }

  /// The values that the loop nest at `op` writes: the results of `op` itself,
  /// and of others before it that were merged into its region. Empty where the
  /// value of `op` is written by another nest or not at all.
  llvm::ArrayRef<mlir::Value> regionAt(mlir::Operation *op) const {
    auto found = regions.find(op);
    return found == regions.end() ? llvm::ArrayRef<mlir::Value>()
                                  : llvm::ArrayRef(found->second);
  }

  /// A loop nest, by its position, that reads the result of a product at its
  /// own index, and of what else is in memory only what is there before the
  /// product. It stands behind the product and may run as part of it, on
  /// elements that are still in a cache. `alone`: nothing else reads the
  /// result.
  struct Epilogue {
    mlir::Operation *nest = nullptr;
    bool alone = false;
  };
  Epilogue epilogueOf(mlir::Operation *product) const {
    return epilogues.lookup(product);
  }

  /// What the step at `op` computes inline, in additions.
  int codeAt(mlir::Operation *op) const { return code.lookup(op); }

  /// What computing an element of `value` in place reads from memory.
  void collectLeaves(mlir::Value value, bool sameIndex,
                     llvm::SmallVectorImpl<Leaf> &leaves) const;

  /// Whether every element that an inline computation of `outputs` reads has
  /// the same row-major number, so that one flat loop does.
  bool prefersLinear(llvm::ArrayRef<mlir::Value> outputs) const;
  /// The same of those of `values` that are computed in place.
  bool isFlat(mlir::ValueRange values) const;

private:
  friend class EpiloguePlanner;
  void visitBlock(mlir::Block &block);
  void visitValue(mlir::Operation *op);
  /// Unless they and `more` code would be too much for one.
  bool mergeRoots(llvm::ArrayRef<mlir::Operation *> roots, int more);
  void materialize(mlir::Operation *op);

  /// How often, and from where, the elements of an inline value are computed.
  struct Use {
    mlir::Operation *root; ///< the step
    uint64_t path;         ///< 0: at the step's own index
    bool operator==(const Use &) const = default;
  };

  Scalars scalars = Scalars::InRegisters;
  llvm::DenseMap<mlir::Value, Form> forms;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value, 1>> regions;
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> regionOf;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<Use, 2>> uses;
  llvm::DenseMap<mlir::Operation *, Epilogue> epilogues;
  llvm::DenseMap<mlir::Operation *, int> costs;
  llvm::DenseMap<mlir::Operation *, int> code; ///< of steps, in additions
  llvm::DenseMap<mlir::Operation *, int64_t> order;
};

/// Whether the elements of the result of `op` can be computed one at a time
/// from elements of its operands.
bool isElementOp(mlir::Operation *op);

/// Whether so many pieces are put together that each is written by a loop of
/// its own: to choose among them for every element would take too long.
bool isWideConcatenate(mlir::Operation *op);

/// Whether element i of the result depends on elements i of the operands alone
/// (and on scalars).
bool isElementwise(mlir::Operation *op);

/// Whether the value costs less to compute than to load: constants, iota, and
/// scalars spread over a shape.
bool isTrivial(mlir::Value value);

/// The price of one element of the result, in additions (`additionsOf`).
int costOf(mlir::Operation *op);

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_FUSIONPLAN_H
