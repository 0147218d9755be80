//===- ReducePositions.cpp - Where the extremes of rows are ---------------===//

#include "xla/codegen/cpu/TargetDescription.h"
#include "xla/codegen/cpu/lower/reduce/ArgExtremes.h"
#include "xla/codegen/cpu/lower/reduce/Reduce.h"

namespace xla::cpu {

using namespace stablehlo;
using mlir::Value;

/// Whether the elements of a row follow each other in memory.
bool Reduction::readsRows() {
  return reduced.size() == 1 && (kept.empty() || kept.back() < reduced[0]) &&
         e.fusion.formOf(op.getInputs().front()) == Form::Buffer;
}

/// Elements that are not in rows are computed into an array, of a piece of
/// the row at a time.
llvm::SmallVector<Element> Reduction::foldPositions(const Index &keptIndex) {
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
  return combine(initial(), elementsAt(indexOf(position)));
}

void Reduction::emitPositions() {
  auto foldInLine = [&](const Index &keptIndex) {
    llvm::SmallVector<llvm::SmallVector<Element>> elements;
    for (int64_t i = 0; i < perResult; ++i) {
      elements.push_back(
          elementsAt(operandIndex(keptIndex, e.constant(0), e.constant(i))));
    }
    return ArgExtremes(e, type, *argMaximum, rowLength).among(op, elements);
  };
  e.nest(kernel.loops, [&](const Index &keptIndex) {
    storeResults(e.linearOf(keptIndex, keptShape),
                 isFew() ? foldInLine(keptIndex) : foldPositions(keptIndex));
  });
}

void Reduction::emitNarrowColumns() {
  llvm::ArrayRef<int64_t> outer = llvm::ArrayRef(keptShape).drop_back();
  int64_t columns = keptShape.back();
  e.nest(kernel.loops, [&](const Index &outerIndex) {
    llvm::IRBuilder<> &b = e.builder();
    llvm::Value *matrix = b.CreateInBoundsGEP(
        memoryType(type, e.context()), e.pointerTo(op.getInputs().front()),
        b.CreateNSWMul(e.linearOf(outerIndex, outer),
                       e.constant(perResult * columns)));
    ArgExtremes extremes(e, type, *argMaximum, perResult, columns);
    ArgExtremes::Values positions = extremes.ofColumns(matrix);
    for (auto [column, position] : llvm::enumerate(positions)) {
      Index keptIndex;
      keptIndex.dims = e.dimsOf(outerIndex, outer);
      keptIndex.dims.push_back(e.constant(static_cast<int64_t>(column)));
      Index at = operandIndex(keptIndex, e.constant(0), position);
      storeResults(e.linearOf(keptIndex, keptShape),
                   combine(initial(), elementsAt(at)));
    }
  });
}

} // namespace xla::cpu
