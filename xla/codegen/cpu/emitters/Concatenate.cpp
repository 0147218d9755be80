//===- Concatenate.cpp - Arrays of many pieces ----------------------------===//
//
// Each piece is written where it belongs. In a long program it is a function
// that is handed the address, so that equal pieces are compiled once.
//
//===----------------------------------------------------------------------===//

#include "xla/codegen/cpu/Emitter.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

namespace xla::cpu {

using namespace stablehlo;
using mlir::Operation;
using mlir::Value;

/// Writes `piece`, whose first element lies at `start` in an array of `shape`.
static void writePiece(Emitter &e, Value piece, llvm::ArrayRef<int64_t> shape,
                       llvm::Value *start) {
  ElementType type = elementTypeOf(piece.getType());
  llvm::Type *memory = memoryType(type, e.context());
  e.nest(shapeOf(piece), false, 1, [&](const Index &index) {
    Index place;
    place.dims = e.dimsOf(index, shapeOf(piece));
    llvm::Value *linear = e.linearOf(place, shape);
    Element element = e.emitElement(piece, index);
    llvm::IRBuilder<> &b = e.builder();
    llvm::Value *base = e.reach(start);
    auto write = [&](llvm::Value *part, llvm::Value *at) {
      b.CreateStore(e.toMemory(type, part),
                    b.CreateInBoundsGEP(memory, base, at));
    };
    if (!element.imag) {
      write(element.real, linear);
      return;
    }
    llvm::Value *first = b.CreateShl(linear, 1);
    write(element.real, first);
    write(element.imag, b.CreateAdd(first, e.constant(1)));
  });
}

void Emitter::emitConcatenate(Operation *op) {
  auto concatenate = llvm::cast<ConcatenateOp>(op);
  Value result = concatenate.getResult();
  llvm::ArrayRef<int64_t> shape = shapeOf(result);
  uint64_t dimension = concatenate.getDimension();
  int64_t elements = elementCountOf(result);
  if (elements == 0) {
    return;
  }
  int64_t inner = byteSizeOf(result) / elements;
  for (int64_t size : shape.drop_front(dimension + 1)) {
    inner *= size;
  }
  llvm::SmallVector<int64_t> offsets = {0};
  for (Value piece : concatenate.getInputs()) {
    offsets.push_back(offsets.back() + inner * shapeOf(piece)[dimension]);
  }
  inParts(concatenate.getInputs().size(), [&](size_t i) {
    Value piece = concatenate.getInputs()[i];
    llvm::Value *start = builder().CreateConstInBoundsGEP1_64(
        builder().getInt8Ty(), pointerTo(result), offsets[i]);
    if (isLong && frame->kind != Frame::Body) {
      emitApart([&] { writePiece(*this, piece, shape, start); });
    } else {
      writePiece(*this, piece, shape, start);
    }
  });
}

} // namespace xla::cpu
