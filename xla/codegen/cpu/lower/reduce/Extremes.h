//===- Extremes.h - Maxima and minima of many floats ------------*- C++ -*-===//
//
// A maximum of floats that keeps NaNs and knows +0 from -0 takes a processor
// several instructions, each waiting for the one before. Read as integers of
// the same order, floats take one. There a NaN is beyond one infinity or the
// other, by its sign: so the opposite extreme is kept too.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_CODEGEN_CPU_LOWER_REDUCE_EXTREMES_H
#define XLA_CODEGEN_CPU_LOWER_REDUCE_EXTREMES_H

#include "xla/codegen/cpu/Emitter.h"
#include "xla/codegen/cpu/lower/reduce/Folds.h"

namespace xla::cpu {

class Extremes {
public:
  using Values = llvm::ArrayRef<llvm::Value *>;

  Extremes(Emitter &e, Fold fold, ElementType type);

  /// Whether the fold is one of floats with infinities.
  static bool areFor(Fold fold, ElementType type);

  /// What a loop carries: the extremes of no elements.
  llvm::SmallVector<llvm::Value *> none();
  llvm::SmallVector<llvm::Value *> add(Values extremes, llvm::Value *x);
  /// The wanted one, in the type of an accumulator.
  llvm::Value *wanted(Values extremes);

  /// The extreme of a few, in their own type.
  llvm::Value *among(Values few);

private:
  llvm::Value *keyOf(llvm::Value *bits);
  llvm::Value *bound(); ///< the key of the infinity that is neutral
  llvm::APInt infinity(bool isNegative) const;

  Emitter &e;
  ElementType type;
  bool isMaximum;
  unsigned width;
};

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_LOWER_REDUCE_EXTREMES_H
