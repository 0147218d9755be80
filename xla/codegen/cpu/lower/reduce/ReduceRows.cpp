//===- ReduceRows.cpp - Reductions of the last dimension ------------------===//

#include "xla/codegen/cpu/TargetDescription.h"
#include "xla/codegen/cpu/lower/reduce/ArgExtremes.h"
#include "xla/codegen/cpu/lower/reduce/Extremes.h"
#include "xla/codegen/cpu/lower/reduce/FloatExtremes.h"
#include "xla/codegen/cpu/lower/reduce/Reduce.h"
#include "xla/codegen/cpu/lower/reduce/Slots.h"

namespace xla::cpu {

using namespace stablehlo;
using mlir::Value;

/// Whether extremes of rows are those of vectors in memory.
bool Reduction::readsRowsAsVectors() {
  return flat && FloatExtremes::areFor(fold, type) &&
         FloatExtremes::fillVectors(type, perResult) &&
         e.fusion.formOf(op.getInputs().front()) == Form::Buffer;
}

/// The extreme of rows [first, last), which are pieces of one row if there are
/// several.
llvm::Value *Reduction::extremeOfRows(const Index &keptIndex,
                                      llvm::Value *first, llvm::Value *last) {
  llvm::IRBuilder<> &b = e.builder();
  FloatExtremes extremes(e, fold, type);
  llvm::Value *base =
      b.CreateNSWMul(e.linearOf(keptIndex, keptShape), e.constant(perResult));
  llvm::Value *row = b.CreateInBoundsGEP(
      memoryType(type, e.context()), e.pointerTo(op.getInputs().front()), base);
  if (rows == 1) {
    return extremes.ofRow(row, perResult);
  }
  llvm::Value *length = e.constant(rowLength);
  llvm::Value *end = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin,
                                             b.CreateNSWMul(last, length),
                                             e.constant(perResult));
  return extremes.ofPiece(row, perResult, b.CreateNSWMul(first, length), end);
}

/// Whether rows are many lines of one length in memory, that are apart.
bool Reduction::readsLinesAsVectors() {
  return !flat && !reduced.empty() &&
         reduced.back() == static_cast<int64_t>(shape.size()) - 1 &&
         lineLength % rowLength == 0 && FloatExtremes::areFor(fold, type) &&
         FloatExtremes::fillVectors(type, rowLength) &&
         e.fusion.formOf(op.getInputs().front()) == Form::Buffer;
}

llvm::Value *Reduction::extremeOfLines(const Index &keptIndex,
                                       llvm::Value *first, llvm::Value *last) {
  return FloatExtremes(e, fold, type)
      .ofLines(rowLength, [&](auto before, auto body) {
        return e.loop(
            first, last, before,
            [&](llvm::Value *row, llvm::ArrayRef<llvm::Value *> inside) {
              Index index = operandIndex(keptIndex, row, e.constant(0));
              llvm::Value *line = e.builder().CreateInBoundsGEP(
                  memoryType(type, e.context()),
                  e.pointerTo(op.getInputs().front()),
                  e.linearOf(index, shape));
              return body(line, inside);
            });
      });
}

/// The fold of rows [first, last) from the neutral element on.
Reduction::Values Reduction::foldRows(const Index &keptIndex,
                                      llvm::Value *first, llvm::Value *last) {
  if (readsRowsAsVectors()) {
    return {extremeOfRows(keptIndex, first, last)};
  }
  if (readsLinesAsVectors()) {
    return {extremeOfLines(keptIndex, first, last)};
  }
  auto foldRow = [&](llvm::Value *row) -> Values {
    if (Extremes::areFor(fold, type)) {
      Extremes extremes(e, fold, type);
      return {extremes.wanted(
          e.loop(e.constant(0), lengthOf(row), extremes.none(),
                 [&](llvm::Value *i, llvm::ArrayRef<llvm::Value *> acc) {
                   Index index = operandIndex(keptIndex, row, i);
                   return extremes.add(acc, elementsAt(index).front().real);
                 }))};
    }
    return e.loop(e.constant(0), lengthOf(row), neutral(),
                  [&](llvm::Value *i, llvm::ArrayRef<llvm::Value *> acc) {
                    Element x =
                        elementsAt(operandIndex(keptIndex, row, i)).front();
                    return foldParts(acc, widened(x), true);
                  });
  };
  return e.loop(first, last, neutral(),
                [&](llvm::Value *row, llvm::ArrayRef<llvm::Value *> acc) {
                  return foldParts(acc, foldRow(row), false);
                });
}

/// Into how many segments a row is cut whose fold is no single operation: they
/// are folded side by side, which fills vectors, and then in their order.
int64_t Reduction::segments() const {
  constexpr int64_t shortest = 4;
  for (int64_t count : {16, 8}) {
    if (rowLength >= count * shortest) {
      return rows == 1 ? count : 0;
    }
  }
  return 0;
}

llvm::SmallVector<Element>
Reduction::foldSegments(llvm::ArrayRef<Element> start, ElementAt elementAt) {
  int64_t count = segments(), length = rowLength / count;
  mlir::TypeRange types = op.getResultTypes();
  Slots folded(e, types, count);
  auto element = [&](llvm::Value *segment, llvm::Value *i) {
    return elementAt(e.builder().CreateNSWAdd(
        e.builder().CreateNSWMul(segment, e.constant(length)), i));
  };
  llvm::Value *zero = e.constant(0), *all = e.constant(count);
  e.loop(zero, all, [&](llvm::Value *s) { folded.save(s, element(s, zero)); });
  e.loop(e.constant(1), e.constant(length), [&](llvm::Value *i) {
    e.loop(zero, all, [&](llvm::Value *s) {
      folded.save(s, combine(folded.load(s), element(s, i)));
    });
  });
  auto values =
      e.loop(zero, all, flatten(start),
             [&](llvm::Value *s, llvm::ArrayRef<llvm::Value *> acc) {
               return flatten(combine(unflatten(acc, types), folded.load(s)));
             });
  return foldInOrder(unflatten(values, types), count * length, elementAt);
}

llvm::SmallVector<Element> Reduction::foldInOrder(llvm::ArrayRef<Element> start,
                                                  int64_t first,
                                                  ElementAt elementAt) {
  mlir::TypeRange types = op.getResultTypes();
  auto values =
      e.loop(e.constant(first), e.constant(rowLength), flatten(start),
             [&](llvm::Value *i, llvm::ArrayRef<llvm::Value *> acc) {
               return flatten(combine(unflatten(acc, types), elementAt(i)));
             });
  return unflatten(values, types);
}

/// Whether the elements of a row are computed into an array before they are
/// folded one after the other: so their computation fills vectors.
bool Reduction::stages() {
  int64_t bytes = 0;
  bool computes = false;
  for (Value input : op.getInputs()) {
    bytes += rowLength * byteWidth(elementTypeOf(input.getType()));
    computes |= e.fusion.formOf(input) == Form::Inline &&
                !input.getDefiningOp<IotaOp>();
  }
  return rows == 1 && computes && bytes <= cpuTarget.halfFirstCache();
}

/// The fold of one row by a function that is no single operation.
llvm::SmallVector<Element> Reduction::foldRow(const Index &keptIndex,
                                              llvm::ArrayRef<Element> start) {
  auto fold = [&](ElementAt elementAt) {
    return segments() > 0 ? foldSegments(start, elementAt)
                          : foldInOrder(start, 0, elementAt);
  };
  auto computed = [&](llvm::Value *i) {
    return elementsAt(operandIndex(keptIndex, e.constant(0), i));
  };
  if (!stages()) {
    return fold(computed);
  }
  Slots row(e, op.getResultTypes(), rowLength);
  e.loop(e.constant(0), e.constant(rowLength),
         [&](llvm::Value *i) { row.save(i, computed(i)); });
  return fold([&](llvm::Value *i) { return row.load(i); });
}

/// Whether the elements of a row follow each other in memory.
bool Reduction::readsRows() {
  return reduced.size() == 1 && (kept.empty() || kept.back() < reduced[0]) &&
         e.fusion.formOf(op.getInputs().front()) == Form::Buffer;
}

/// Elements that are not in rows are computed into an array, of a piece of
/// the row at a time.
llvm::SmallVector<Element>
Reduction::foldArgExtreme(const Index &keptIndex,
                          llvm::ArrayRef<Element> start) {
  Value numbers = op.getInputs().front();
  llvm::Type *stored = memoryType(type, e.context());
  ArgExtremes extremes(e, type, *argMaximum, rowLength);
  auto indexOf = [&](llvm::Value *i) {
    return operandIndex(keptIndex, e.constant(0), i);
  };
  ArgExtremes::Values found = extremes.none();
  if (readsRows()) {
    llvm::Value *row = e.builder().CreateInBoundsGEP(
        stored, e.pointerTo(numbers),
        e.linearOf(indexOf(e.constant(0)), shape));
    found = extremes.fold(found, row, e.constant(0), rowLength);
  } else {
    // The last piece starts in the one before, so that all are of one length.
    int64_t length =
        std::min(rowLength, cpuTarget.halfFirstCache() / byteWidth(type));
    int64_t pieces = (rowLength + length - 1) / length;
    llvm::AllocaInst *piece = e.frameSlot(llvm::ArrayType::get(stored, length));
    found =
        e.loop(e.constant(0), e.constant(pieces), found,
               [&](llvm::Value *p, llvm::ArrayRef<llvm::Value *> before) {
                 llvm::Value *first = e.builder().CreateBinaryIntrinsic(
                     llvm::Intrinsic::smin,
                     e.builder().CreateNSWMul(p, e.constant(length)),
                     e.constant(rowLength - length));
                 e.loop(e.constant(0), e.constant(length), [&](llvm::Value *i) {
                   Index index = indexOf(e.builder().CreateNSWAdd(first, i));
                   llvm::Value *x = e.emitElement(numbers, index).real;
                   e.builder().CreateStore(
                       e.toMemory(type, x),
                       e.builder().CreateInBoundsGEP(stored, piece, i));
                 });
                 return extremes.fold(before, piece, first, length);
               });
  }
  llvm::Value *position = extremes.position(found);
  return combine(start, elementsAt(indexOf(position)));
}

void Reduction::emitRows() {
  auto foldAll = [&](const Index &keptIndex) -> llvm::SmallVector<Element> {
    llvm::SmallVector<Element> start = initial();
    if (fold != Fold::Other) {
      Values acc = foldRows(keptIndex, e.constant(0), e.constant(rows));
      return {narrowed(foldParts(widened(start[0]), acc, false))};
    }
    if (argMaximum) {
      return foldArgExtreme(keptIndex, start);
    }
    if (rows == 1) {
      return foldRow(keptIndex, start);
    }
    mlir::TypeRange types = op.getResultTypes();
    auto values = e.loop(
        e.constant(0), e.constant(rows), flatten(start),
        [&](llvm::Value *row, llvm::ArrayRef<llvm::Value *> outer) {
          return e.loop(e.constant(0), e.constant(rowLength), outer,
                        [&](llvm::Value *i, llvm::ArrayRef<llvm::Value *> acc) {
                          auto x = elementsAt(operandIndex(keptIndex, row, i));
                          return flatten(combine(unflatten(acc, types), x));
                        });
        });
    return unflatten(values, types);
  };
  e.nest(kernel.loops, [&](const Index &keptIndex) {
    storeResults(e.linearOf(keptIndex, keptShape), foldAll(keptIndex));
  });
}

void Reduction::emitSplitRows() {
  llvm::IRBuilder<> *b = &e.builder();
  BufferSlice scratch = e.buffers.scratchOf(op);
  ElementType stored =
      parts == 2 ? elementTypeOf(op.getResult(0).getType()) : accumulator;
  auto toElement = [](llvm::ArrayRef<llvm::Value *> x) {
    return Element{x[0], x.size() == 2 ? x[1] : nullptr};
  };
  int64_t pieces = kernel.size("partials");
  {
    Emitter::Writes written(e, scratch);
    e.parallel(kernel.loops, [&](llvm::Value *begin, llvm::Value *end) {
      b = &e.builder();
      e.loop(begin, end, [&](llvm::Value *task) {
        Index keptIndex;
        keptIndex.linear = b->CreateUDiv(task, e.constant(pieces));
        llvm::Value *part = b->CreateURem(task, e.constant(pieces));
        auto bound = [&](llvm::Value *p) {
          return b->CreateUDiv(b->CreateMul(p, e.constant(rows)),
                               e.constant(pieces));
        };
        Values acc = foldRows(keptIndex, bound(part),
                              bound(b->CreateAdd(part, e.constant(1))));
        e.store(stored, scratch, task, toElement(acc));
      });
    });
  }
  Values start = widened(initial()[0]);
  e.loop(e.constant(0), e.constant(results), [&](llvm::Value *result) {
    llvm::Value *base = e.builder().CreateMul(result, e.constant(pieces));
    Values acc = e.loop(e.constant(0), e.constant(pieces), start,
                        [&](llvm::Value *p, llvm::ArrayRef<llvm::Value *> acc) {
                          Element x = e.load(stored, scratch,
                                             e.builder().CreateAdd(base, p));
                          return foldParts(acc, flatten(x), true);
                        });
    storeResults(result, {narrowed(acc)});
  });
}

} // namespace xla::cpu
