//===- FloatExtremes.h - Extremes by the processor's comparison -*- C++ -*-===//
//
// A processor's maximum of two floats drops a NaN and does not distinguish +0
// from -0. Both are found out beside it: whether any number was a NaN, and of
// numbers whose maximum is a zero all but +0 have the sign set. LLVM's loop
// vectoriser knows no such fold, so rows in memory are folded by vectors here;
// the last of them overlaps the one before, since an extreme does not change
// where it meets an element again.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_CODEGEN_CPU_LOWER_REDUCE_FLOATEXTREMES_H
#define XLA_CODEGEN_CPU_LOWER_REDUCE_FLOATEXTREMES_H

#include "xla/codegen/cpu/Emitter.h"
#include "xla/codegen/cpu/lower/reduce/Folds.h"

namespace xla::cpu {

class FloatExtremes {
public:
  using Values = llvm::ArrayRef<llvm::Value *>;

  FloatExtremes(Emitter &e, Fold fold, ElementType type);

  static bool areFor(Fold fold, ElementType type);

  /// The extreme of a few numbers.
  llvm::Value *among(Values few);

  /// Whether rows of so many elements fill a vector.
  static bool fillVectors(ElementType type, int64_t length);
  /// The extreme of a row in memory.
  llvm::Value *ofRow(llvm::Value *row, int64_t length);
  /// The same of elements [begin, end) of a row of at least 512 bytes. Those
  /// at its end may be fewer than are read together: then others before them
  /// are read too, which is no harm to the extreme of the row.
  llvm::Value *ofPiece(llvm::Value *row, int64_t length, llvm::Value *begin,
                       llvm::Value *end);

  /// Whether columns of lines that are so long are folded by whole vectors,
  /// their extremes in registers: longer ones are read faster one after the
  /// other.
  static bool areColumnsFor(ElementType type, int64_t width);
  /// In how many blocks the columns of lines go, each of some vectors.
  static int64_t blocksOf(ElementType type, int64_t width);
  /// Loops over lines, each at an address.
  using EachLine = llvm::function_ref<llvm::SmallVector<llvm::Value *>(
      Values before, llvm::function_ref<llvm::SmallVector<llvm::Value *>(
                         llvm::Value *line, Values before)>)>;
  /// The extremes of a block's columns and of `start`, stored from `result` on.
  void ofColumns(llvm::Value *block, int64_t width, llvm::Value *start,
                 llvm::Value *result, EachLine eachLine);

  /// What a loop over lines of one length carries, whose extreme it finds:
  /// those of no lines, of one more, and the extreme of all.
  llvm::SmallVector<llvm::Value *> noneOfLines(int64_t length);
  llvm::SmallVector<llvm::Value *> addLine(Values before, llvm::Value *line,
                                           int64_t length);
  llvm::Value *ofLines(Values kept);

private:
  /// Of each lane's numbers: the extreme, if none was a NaN; whether one was,
  /// in the sign; and their signs, joined by `sign`.
  struct Lanes {
    llvm::Value *best, *nans, *signs;
  };
  llvm::Value *better(llvm::Value *x, llvm::Value *y);
  llvm::Value *sign(llvm::Value *x, llvm::Value *y);
  llvm::Value *bits(llvm::Value *x);
  llvm::Value *unordered(llvm::Value *x, llvm::Value *y);
  Lanes ofVectors(Values vectors);
  Lanes joined(const Lanes &x, const Lanes &y);
  Lanes noneOf(int64_t lanes);
  Lanes added(Values before, llvm::Value *x);
  llvm::Value *finished(const Lanes &lanes, llvm::Value *isNan,
                        llvm::Value *isNegative);
  llvm::Value *result(Lanes lanes);
  llvm::Value *read(llvm::Value *row, llvm::Value *at, int64_t lanes);

  Emitter &e;
  ElementType type;
  bool isMaximum;
  llvm::Type *element;
};

} // namespace xla::cpu

#endif // XLA_CODEGEN_CPU_LOWER_REDUCE_FLOATEXTREMES_H
