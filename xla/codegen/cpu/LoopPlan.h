//===- LoopPlan.h - How loops over an array are cut -------------*- C++ -*-===//
//
// Decides, before any code is emitted, in which loops the elements of a shape
// are visited, which of them threads share, and where the innermost one is cut.
// `chooseKernels` writes it on the operation, `LoopBuilder` reads it.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_CODEGEN_CPU_LOOPPLAN_H
#define XLA_CODEGEN_CPU_LOOPPLAN_H

#include "xla/codegen/cpu/FusionPlan.h"

namespace xla::cpu {

class RowGroups;

/// In which order the elements of a shape are visited.
enum class LoopOrder : uint8_t {
  Nothing,      ///< there are no elements
  Elements,     ///< no loop: each element is code of its own
  FlatElements, ///< likewise, by row-major numbers
  Flat,         ///< one loop, by row-major number
  Lines, ///< an outer loop over lines, an inner one along the last dimension
  Lanes, ///< likewise, by whole vectors, which may overlap at a line's end
};

struct LoopPlan {
  LoopOrder order = LoopOrder::Nothing;
  llvm::SmallVector<int64_t, 4> shape;
  /// Innermost dimensions whose elements stand side by side in the code.
  int64_t writtenOut = 0;
  /// Where the innermost loop is cut: in each part it is known which piece of a
  /// concatenation or pad is read.
  llvm::SmallVector<int64_t, 0> breaks;
  /// Elements of a line that are one task; 0: lines are not cut.
  int64_t block = 0;
  /// How many tasks a thread takes at least; 0: one thread does all.
  int64_t grain = 0;
  /// Parts of a cut line that are fewer tasks have one thread each.
  int64_t fewestTasks = 0;

  /// The dimensions that loops go over.
  llvm::ArrayRef<int64_t> looped() const {
    return llvm::ArrayRef(shape).drop_back(writtenOut);
  }
  int64_t elements() const; ///< that loops go over
  /// What threads share out: elements, lines, or blocks of lines.
  int64_t tasks() const;
};

/// Where a nest stands.
struct LoopSite {
  bool inLoop = false;   ///< in a loop of the program
  int64_t groupRows = 0; ///< rows of its row group; 0: it is in none
};

LoopSite siteOf(mlir::Operation *op, const RowGroups &rows);

/// Whether work of so many additions is given to several threads.
bool isWorthSharing(double additions);

/// The least number of `tasks` that a thread takes, each of which costs `cost`
/// additions; 0 where they are not worth a second thread.
int64_t grainOf(int64_t tasks, double cost);

/// A loop over `tasks`.
LoopPlan planTasks(int64_t tasks, double cost);

/// Loops over all indices of `shape`, row-major within a thread. `isFlat`: row-
/// major numbers serve as well as an index per dimension. An element costs
/// `cost` additions, and its code is worth `code` of them.
LoopPlan planLoops(llvm::ArrayRef<int64_t> shape, bool isFlat, double cost,
                   LoopSite site = {}, llvm::ArrayRef<int64_t> breaks = {},
                   int64_t code = 1);

/// Adds to the breaks of lines of `size` elements where, behind one of them,
/// vectors begin to fill lines of the cache, if enough follow.
void cutAtLines(llvm::SmallVectorImpl<int64_t> &breaks, int64_t size,
                int64_t bytes);

/// Where the innermost index of a nest that computes `outputs` goes over from
/// one piece of a concatenation or pad to the next.
llvm::SmallVector<int64_t> findBreaks(const FusionPlan &fusion,
                                      llvm::ArrayRef<mlir::Value> outputs);

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_LOOPPLAN_H
