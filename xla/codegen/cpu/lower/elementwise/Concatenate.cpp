//===- Concatenate.cpp - Arrays of many pieces ----------------------------===//
//
// Each piece is written where it belongs. In a long program it is a function
// that is handed the address, so that equal pieces are compiled once.
//
// Of many narrow pieces side by side, each would touch every line of the result
// for a few of its elements. They are written for some rows of the result at a
// time, which stay in the first-level cache meanwhile.
//
//===----------------------------------------------------------------------===//

#include "xla/codegen/cpu/Choose.h"
#include "xla/codegen/cpu/TargetDescription.h"
#include "xla/codegen/cpu/lower/Steps.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

namespace xla::cpu {

using namespace stablehlo;
using mlir::Operation;
using mlir::Value;

/// Writes `piece`, whose first element is at `start` in an array of `shape`.
static void writePiece(Emitter &e, Value piece, llvm::ArrayRef<int64_t> shape,
                       llvm::Value *start) {
  ElementType type = elementTypeOf(piece.getType());
  llvm::Type *memory = memoryType(type, e.context());
  LoopPlan loops = planLoops(shapeOf(piece), false, 1, e.site());
  e.nest(loops, [&](const Index &index) {
    Index target;
    target.dims = e.dimsOf(index, shapeOf(piece));
    llvm::Value *linear = e.linearOf(target, shape);
    Element element = e.emitElement(piece, index);
    llvm::IRBuilder<> &b = e.builder();
    llvm::Value *base = e.capture(start);
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

bool hasManyPieces(Operation *op) {
  constexpr unsigned many = 256;
  return op->getNumOperands() > many;
}

/// Pieces that one function writes.
static constexpr int64_t piecesTogether = 64;

namespace {
/// How the result is cut: `rows` of `width` elements, in blocks of `together`.
struct RowBlocks {
  int64_t rows, width, together;
};
} // namespace

static RowBlocks blocksOf(ConcatenateOp op) {
  llvm::ArrayRef<int64_t> shape = shapeOf(op.getResult());
  RowBlocks blocks = {1, 1, 1};
  for (auto [d, size] : llvm::enumerate(shape)) {
    (d < op.getDimension() ? blocks.rows : blocks.width) *= size;
  }
  int64_t bytesOfRow = byteSizeOf(op.getResult()) / blocks.rows;
  auto pieces = static_cast<int64_t>(op.getInputs().size());
  int64_t written = bytesOfRow * std::min(pieces, piecesTogether) / pieces;
  blocks.together = cpuTarget.halfFirstCache() / std::max<int64_t>(written, 1);
  blocks.together = std::max<int64_t>(blocks.together, 1);
  return blocks;
}

/// Whether the result leaves the first-level cache, and what a piece has of a
/// row is a few lines of the cache at most.
static bool isNarrow(ConcatenateOp op, const RowBlocks &blocks) {
  constexpr int64_t narrow = 4 * cpuTarget.cacheLine;
  int64_t bytes = byteSizeOf(op.getResult());
  int64_t pieces = static_cast<int64_t>(op.getInputs().size());
  return blocks.rows > blocks.together && bytes > cpuTarget.firstCache &&
         bytes / blocks.rows <= narrow * pieces;
}

/// Writes what `pieces` have of rows [first, last); the first of them starts at
/// element `offset` of a row.
static void writeRows(Emitter &e, ConcatenateOp op, mlir::ValueRange pieces,
                      int64_t offset, const RowBlocks &blocks,
                      llvm::Value *first, llvm::Value *last) {
  BufferSlice target = e.buffers.sliceOf(op.getResult());
  ElementType type = elementTypeOf(op.getType());
  for (Value piece : pieces) {
    int64_t width = elementCountOf(piece) / blocks.rows;
    e.loop(first, last, [&](llvm::Value *row) {
      e.loop(e.constant(0), e.constant(width), [&](llvm::Value *j) {
        llvm::IRBuilder<> &b = e.builder();
        Index index;
        index.linear =
            b.CreateNSWAdd(b.CreateNSWMul(row, e.constant(width)), j);
        llvm::Value *line = b.CreateNSWMul(row, e.constant(blocks.width));
        llvm::Value *at = b.CreateNSWAdd(j, e.constant(offset));
        e.store(type, target, b.CreateNSWAdd(line, at),
                e.emitElement(piece, index));
      });
    });
    offset += width;
  }
}

/// Some pieces at a time, so that no function grows with their number.
static void writeNarrow(Emitter &e, ConcatenateOp op, const RowBlocks &blocks) {
  Emitter::Writes written(e, e.buffers.sliceOf(op.getResult()));
  int64_t count = (blocks.rows - 1) / blocks.together + 1, offset = 0;
  mlir::ValueRange rest = op.getInputs();
  while (!rest.empty()) {
    mlir::ValueRange pieces =
        rest.take_front(std::min<size_t>(piecesTogether, rest.size()));
    rest = rest.drop_front(pieces.size());
    int64_t width = 0;
    for (Value piece : pieces) {
      width += elementCountOf(piece) / blocks.rows;
    }
    int64_t grain =
        grainOf(count, static_cast<double>(width * blocks.together));
    e.parallel(count, grain, [&](llvm::Value *begin, llvm::Value *end) {
      e.loop(begin, end, [&](llvm::Value *block) {
        llvm::IRBuilder<> &b = e.builder();
        llvm::Value *size = e.constant(blocks.together);
        llvm::Value *first = b.CreateNSWMul(block, size);
        llvm::Value *last = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin,
                                                    b.CreateNSWAdd(first, size),
                                                    e.constant(blocks.rows));
        writeRows(e, op, pieces, offset, blocks, first, last);
      });
    });
    offset += width;
  }
}

Kernel chooseConcatenate(ConcatenateOp op, const RowGroups &rows) {
  if (elementCountOf(op.getResult()) == 0) {
    return {};
  }
  RowBlocks blocks = blocksOf(op);
  if (rows.groupOf(op) || !isNarrow(op, blocks)) {
    return {Strategy::Pieces};
  }
  Kernel kernel = {Strategy::RowBlocks};
  kernel.sizes = {{"rows", blocks.rows},
                  {"width", blocks.width},
                  {"together", blocks.together}};
  return kernel;
}

void emitConcatenate(Emitter &e, Operation *op) {
  auto concatenate = llvm::cast<ConcatenateOp>(op);
  Value result = concatenate.getResult();
  llvm::ArrayRef<int64_t> shape = shapeOf(result);
  uint64_t dimension = concatenate.getDimension();
  Kernel kernel = kernelOf(op);
  if (kernel.strategy == Strategy::Nothing) {
    return;
  }
  bool callsSteps = e.callsSteps();
  bool outlined =
      (e.parts.isLong() && !e.isInBody()) || (callsSteps && hasManyPieces(op));
  if (kernel.strategy == Strategy::RowBlocks) {
    RowBlocks blocks = {kernel.size("rows"), kernel.size("width"),
                        kernel.size("together")};
    auto write = [&] { writeNarrow(e, concatenate, blocks); };
    if (outlined) {
      e.parts.outlineStep(write);
    } else {
      write();
    }
    return;
  }
  int64_t inner = byteSizeOf(result) / elementCountOf(result);
  for (int64_t size : shape.drop_front(dimension + 1)) {
    inner *= size;
  }
  llvm::SmallVector<int64_t> offsets = {0};
  for (Value piece : concatenate.getInputs()) {
    offsets.push_back(offsets.back() + inner * shapeOf(piece)[dimension]);
  }
  e.parts.inParts(concatenate.getInputs().size(), [&](size_t i) {
    Value piece = concatenate.getInputs()[i];
    llvm::Value *start = e.builder().CreateConstInBoundsGEP1_64(
        e.builder().getInt8Ty(), e.pointerTo(result), offsets[i]);
    if (outlined) {
      e.parts.outlineStep([&] { writePiece(e, piece, shape, start); });
    } else {
      writePiece(e, piece, shape, start);
    }
  });
}

} // namespace xla::cpu
