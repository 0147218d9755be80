//===- BuildProduct.cpp - Kernels of matrix products ----------------------===//
//
// A thread computes an element of a small product. Of larger ones a block of
// threads computes a square, by matrix units: while it multiplies what it has
// of both operands, the next terms are on their way to memory of the block.
//
//===----------------------------------------------------------------------===//

#include "xla/codegen/gpu/BuildKernels.h"
#include "xla/codegen/gpu/MatrixTiles.h"

#include <cstdlib>

namespace xla::gpu {

using namespace stablehlo;
using cpu::StepRef;
using kernel::Code;
using kernel::Mark;
using kernel::Step;
using mlir::Value;

static int64_t countOf(llvm::ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape) {
    count *= size;
  }
  return count;
}

static int64_t piecesOf(int64_t count, int64_t each) {
  return (count + each - 1) / each;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

mlir::Type KernelSource::sumTypeOf(Value product) {
  mlir::Type type = cpu::tensorOf(product).getElementType();
  bool isNarrow =
      llvm::isa<mlir::FloatType>(type) && type.getIntOrFloatBitWidth() < 32;
  return isNarrow ? mlir::Float32Type::get(type.getContext()) : type;
}

StepRef KernelSource::convert(StepRef x, mlir::Type from, mlir::Type to) {
  return from == to ? x : compute("stablehlo.convert", to, x, from);
}

StepRef KernelSource::elementAs(Value array, const Index &index,
                                mlir::Type type) {
  return convert(emitElement(array, index),
                 cpu::tensorOf(array).getElementType(), type);
}

StepRef KernelSource::addProduct(StepRef sum, StepRef x, StepRef y,
                                 mlir::Type type) {
  StepRef both = compute("stablehlo.multiply", type, {x, y}, {type, type});
  return compute("stablehlo.add", type, {sum, both}, {type, type});
}

//===----------------------------------------------------------------------===//
// What is multiplied
//===----------------------------------------------------------------------===//

/// One operand of a product: its dimensions are shared by both (batches), its
/// own (lines), or summed over (terms).
struct KernelSource::Side {
  Value array;
  llvm::SmallVector<int64_t> batch, terms, lines; ///< dimensions

  llvm::SmallVector<int64_t> sizes(llvm::ArrayRef<int64_t> dims) const {
    llvm::SmallVector<int64_t> result;
    for (int64_t d : dims) {
      result.push_back(cpu::shapeOf(array)[d]);
    }
    return result;
  }
  int64_t count(llvm::ArrayRef<int64_t> dims) const {
    return countOf(sizes(dims));
  }
  /// Whether elements that follow each other in `dims` do so in the array.
  bool endsWith(llvm::ArrayRef<int64_t> dims) const {
    size_t rank = cpu::shapeOf(array).size();
    for (auto [i, d] : llvm::enumerate(dims)) {
      if (d != static_cast<int64_t>(rank - dims.size() + i)) {
        return false;
      }
    }
    return !dims.empty();
  }
};

KernelSource::Side KernelSource::sideOf(DotGeneralOp op, int side) {
  auto numbers = op.getDotDimensionNumbers();
  Side made;
  made.array = side == 0 ? op.getLhs() : op.getRhs();
  made.batch.assign(side == 0 ? numbers.getLhsBatchingDimensions()
                              : numbers.getRhsBatchingDimensions());
  made.terms.assign(side == 0 ? numbers.getLhsContractingDimensions()
                              : numbers.getRhsContractingDimensions());
  for (size_t d = 0; d < cpu::shapeOf(made.array).size(); ++d) {
    if (!llvm::is_contained(made.batch, d) &&
        !llvm::is_contained(made.terms, d)) {
      made.lines.push_back(static_cast<int64_t>(d));
    }
  }
  return made;
}

KernelSource::Index KernelSource::indexIn(const Side &side, StepRef batch,
                                          StepRef line, StepRef term) {
  Index index;
  index.dims.resize(cpu::shapeOf(side.array).size());
  auto position = [&](StepRef number, llvm::ArrayRef<int64_t> dims) {
    Index linear;
    linear.linear = number;
    auto each = dimsOf(linear, side.sizes(dims));
    for (auto [d, i] : llvm::zip(dims, each)) {
      index.dims[d] = i;
    }
  };
  position(batch, side.batch);
  position(line, side.lines);
  position(term, side.terms);
  return index;
}

/// The type whose blocks matrix units multiply for `op`; Invalid if none does.
static ElementType tileTypeOf(DotGeneralOp op, mlir::Type sumType) {
  ElementType x = elementTypeOf(op.getLhs().getType());
  ElementType y = elementTypeOf(op.getRhs().getType());
  ElementType result = elementTypeOf(op.getResult().getType());
  if (x == ElementType::S8) {
    bool isFine = y == x && isInteger(result) && byteWidth(result) <= 4;
    return isFine ? x : ElementType::Invalid;
  }
  if (!isFloat(x) || !isFloat(y) || !sumType.isF32()) {
    return ElementType::Invalid;
  }
  if (x == y && isMatrixElement(x)) {
    return x;
  }
  // The other floats of a byte are numbers of f16.
  bool areSmall = byteWidth(x) == 1 && byteWidth(y) == 1 &&
                  x != ElementType::F8E8M0FNU && y != ElementType::F8E8M0FNU;
  return areSmall ? ElementType::F16 : ElementType::Invalid;
}

/// Whether f32 is to be multiplied as tf32: by precision HIGH of both
/// operands, or by an algorithm of one product.
static bool wantsTf32(DotGeneralOp op) {
  if (auto algorithm = op.getAlgorithm()) {
    return llvm::isa<mlir::FloatTF32Type>(algorithm->getLhsPrecisionType()) &&
           llvm::isa<mlir::FloatTF32Type>(algorithm->getRhsPrecisionType()) &&
           algorithm->getNumPrimitiveOperations() == 1;
  }
  auto precision = op.getPrecisionConfig();
  return precision && !precision->empty() &&
         llvm::all_of(*precision, [](mlir::Attribute one) {
           return llvm::cast<PrecisionAttr>(one).getValue() == Precision::HIGH;
         });
}

//===----------------------------------------------------------------------===//
// By blocks
//===----------------------------------------------------------------------===//

void KernelSource::call(llvm::StringRef entry, llvm::ArrayRef<int64_t> buffers,
                        llvm::ArrayRef<StepRef> operands) {
  Step step = {Code::Call};
  step.entry = entry;
  for (int64_t buffer : buffers) {
    step.operands.push_back(static_cast<kernel::Id>(-(buffer + 2)));
  }
  for (StepRef operand : operands) {
    step.operands.push_back(idOf(operand));
  }
  add(std::move(step));
}

/// A block of one operand in memory of the block, two stages of it.
struct KernelSource::Tile {
  Side side;
  int64_t buffer = 0;
  int64_t size = 0;  ///< lines
  int64_t width = 0; ///< bytes of an element
  bool isByLines = false;
  int64_t pieceBytes = 0; ///< that are fetched at once; 0: elements are stored
  int64_t held = 0;       ///< what a thread has on its way to a stage
  mlir::Type from, to;

  int64_t terms() const { return stageBytes / width; }
  int64_t elements() const { return size * terms(); }
  /// Elements that a thread moves at once, and where the last ones begin.
  int64_t piece() const { return std::max<int64_t>(pieceBytes / width, 1); }
  int64_t lastLine() const {
    return side.count(side.lines) - (isByLines ? piece() : 1);
  }
  int64_t lastTerm() const {
    return side.count(side.terms) - (isByLines ? 1 : piece());
  }
};

KernelSource::Tile KernelSource::tileOf(const Side &side, ElementType type,
                                        mlir::Type tileType, int64_t size) {
  Tile tile = tileInMemory(side, type, tileType, size);
  if (copiesByThreads()) {
    int64_t pieces = tile.elements() / tile.piece();
    tile.held = scratch(type, piecesOf(pieces, threadsOfBlock) * tile.piece(),
                        kernel::Scope::Thread);
  }
  return tile;
}

KernelSource::Tile KernelSource::tileInMemory(const Side &side,
                                              ElementType type,
                                              mlir::Type tileType,
                                              int64_t size) {
  Tile tile;
  tile.side = side;
  tile.size = size;
  tile.width = byteWidth(type);
  tile.from = cpu::tensorOf(side.array).getElementType();
  tile.to = tileType;
  tile.buffer = scratch(type, 2 * tile.elements(), kernel::Scope::Block);
  if (fusion.formOf(side.array) != cpu::Form::Buffer || tile.from != tile.to) {
    return tile;
  }
  auto widest = [&](int64_t count) -> int64_t {
    for (int64_t bytes : {16, 8, 4}) {
      if (count * tile.width % bytes == 0) {
        return bytes;
      }
    }
    return 0;
  };
  if (side.endsWith(side.terms)) {
    tile.pieceBytes = widest(side.count(side.terms));
  } else if (side.endsWith(side.lines) && tile.width == 2) {
    tile.pieceBytes = widest(side.count(side.lines));
    tile.isByLines = tile.pieceBytes > 0;
  } else if (tile.width == 4) {
    tile.pieceBytes = 4;
  }
  return tile;
}

/// Where the element at a line and a term of a stage is in a tile.
StepRef KernelSource::positionIn(const Tile &tile, StepRef stage, StepRef line,
                                 StepRef term) {
  int64_t inCell = 16 / tile.width; // elements of 16 bytes
  StepRef lines = constant(cellLines), wide = constant(inCell);
  StepRef group = timesOf(divide(line, lines), cellsOfStage);
  StepRef cell = sumOf(group, divide(term, wide));
  StepRef outer =
      tile.isByLines ? remainder(term, lines) : remainder(line, lines);
  StepRef inner =
      tile.isByLines ? remainder(line, lines) : remainder(term, wide);
  StepRef position = sumOf(timesOf(cell, cellLines * inCell),
                           sumOf(timesOf(outer, inCell), inner));
  return sumOf(timesOf(stage, tile.elements()), position);
}

/// Every piece of one stage, by the thread that moves it: its number, and the
/// line and the term where it begins. 8 threads fill a cell.
void KernelSource::forEachPiece(
    const Tile &tile,
    llvm::function_ref<void(StepRef, StepRef, StepRef)> body) {
  int64_t along = (tile.isByLines ? tile.size : tile.terms()) / tile.piece();
  markedLoop(Mark::Vector, constant(0),
             constant(tile.elements() / tile.piece()), [&](StepRef i) {
               StepRef eighth = remainder(i, constant(cellLines));
               StepRef rest = divide(i, constant(cellLines));
               StepRef inner =
                   timesOf(remainder(rest, constant(along)), tile.piece());
               StepRef outer = sumOf(
                   timesOf(divide(rest, constant(along)), cellLines), eighth);
               tile.isByLines ? body(i, inner, outer) : body(i, outer, inner);
             });
}

/// Whether a line and a term are in the array.
cpu::StepRef KernelSource::isIn(const Tile &tile, StepRef line, StepRef term) {
  return both(isAtMost(line, tile.side.count(tile.side.lines) - 1),
              isAtMost(term, tile.side.count(tile.side.terms) - 1));
}

/// Fetches pieces of one stage: into memory of the block, or, where copies go
/// through registers, into those. What is outside is zeros, of which registers
/// know nothing: `putTile` does.
void KernelSource::fetchTile(const Tile &tile, StepRef stage, StepRef batch,
                             StepRef firstLine, StepRef firstTerm) {
  int64_t buffer = copiesByThreads() ? tile.held : tile.buffer;
  forEachPiece(tile, [&](StepRef i, StepRef line, StepRef term) {
    StepRef to = copiesByThreads() ? heldAt(tile, i)
                                   : positionIn(tile, stage, line, term);
    StepRef fromLine = sumOf(firstLine, line);
    StepRef fromTerm = sumOf(firstTerm, term);
    StepRef isInside =
        copiesByThreads() ? truth() : isIn(tile, fromLine, fromTerm);
    Index index = indexIn(tile.side, batch, least(fromLine, tile.lastLine()),
                          least(fromTerm, tile.lastTerm()));
    if (tile.pieceBytes == 0) {
      StepRef x = elementAs(tile.side.array, index, tile.to);
      storeTo(buffer, to, chooseElement(isInside, x, zero(at(x).type)));
      return;
    }
    // A piece from the array's beginning is named for what is outside.
    StepRef from = chooseIndex(
        isInside, linearOf(index, cpu::shapeOf(tile.side.array)), constant(0));
    int64_t source =
        bufferOf(elementTypeOf(tile.from), cpu::shapeOf(tile.side.array),
                 buffers.sliceOf(tile.side.array), false);
    call(fetchCall, {buffer, source},
         {to, from, constant(tile.piece()),
          chooseIndex(isInside, constant(1), constant(0))});
  });
}

/// Where a thread holds the piece of number `i`.
cpu::StepRef KernelSource::heldAt(const Tile &tile, StepRef i) {
  return tile.elements() / tile.piece() <= threadsOfBlock
             ? constant(0)
             : timesOf(divide(i, constant(threadsOfBlock)), tile.piece());
}

/// What the threads hold, into a stage.
void KernelSource::putTile(const Tile &tile, StepRef stage, StepRef firstLine,
                           StepRef firstTerm) {
  forEachPiece(tile, [&](StepRef i, StepRef line, StepRef term) {
    StepRef from = heldAt(tile, i), to = positionIn(tile, stage, line, term);
    StepRef isInside =
        isIn(tile, sumOf(firstLine, line), sumOf(firstTerm, term));
    if (tile.pieceBytes == 0) {
      StepRef x = loadFrom(tile.held, from);
      storeTo(tile.buffer, to, chooseElement(isInside, x, zero(at(x).type)));
      return;
    }
    call(fetchCall, {tile.buffer, tile.held},
         {to, from, constant(tile.piece()),
          chooseIndex(isInside, constant(1), constant(0))});
  });
}

/// Tests set XLA_GPU_MATRIX_UNITS=always, so that small programs have products
/// by matrix units too.
static bool unitsMultiplyAll() {
  static const bool isSet = [] {
    const char *choice = std::getenv("XLA_GPU_MATRIX_UNITS");
    return choice && llvm::StringRef(choice) == "always";
  }();
  return isSet;
}

/// Whether blocks are worth it, and how large they are: 0, 64 or 128.
static int64_t blockSizeOf(int64_t batches, int64_t rows, int64_t columns,
                           int64_t terms) {
  constexpr int64_t few = 8, little = int64_t(1) << 15, large = 128;
  int64_t least = unitsMultiplyAll() ? 1 : few, work = rows * columns * terms;
  if (rows < least || columns < least || terms < least ||
      (least == few && work < little)) {
    return 0;
  }
  // Enough blocks for the multiprocessors of a large device.
  int64_t blocks = batches * piecesOf(rows, large) * piecesOf(columns, large);
  return blocks >= large ? large : large / 2;
}

kernel::Kernel KernelSource::product(DotGeneralOp op,
                                     const BufferSlice &slice) {
  mlir::Type sumType = sumTypeOf(op.getResult());
  ElementType tileType = tileTypeOf(op, sumType);
  Side left = sideOf(op, 0), right = sideOf(op, 1);
  int64_t size = blockSizeOf(left.count(left.batch), left.count(left.lines),
                             right.count(right.lines), left.count(left.terms));
  llvm::ArrayRef<int64_t> shape = cpu::shapeOf(op.getResult());
  storedShape.assign(shape.begin(), shape.end());
  result.name = "product";
  if (unit == MatrixUnit::None || tileType == ElementType::Invalid ||
      size == 0) {
    return productByThreads(op, slice);
  }
  return productByBlocks(op, slice, tileType, size);
}

/// Stage by stage: while one is multiplied, the next one is on its way. `start`
/// is the batch, the row and the column of the block.
void KernelSource::sumStages(const Tile &x, const Tile &y, int64_t sums,
                             llvm::StringRef entry,
                             llvm::ArrayRef<StepRef> start) {
  Step barrier = {Code::Barrier};
  auto fetch = [&](StepRef stage, StepRef term) {
    fetchTile(x, stage, start[0], start[1], term);
    fetchTile(y, stage, start[0], start[2], term);
    call(fetchedCall, {}, {});
  };
  auto put = [&](StepRef stage, StepRef term) {
    call(awaitCall, {}, constant(0));
    putTile(x, stage, start[1], term);
    putTile(y, stage, start[2], term);
  };
  auto multiply = [&](StepRef stage) {
    call(entry, {sums, x.buffer, y.buffer},
         {timesOf(stage, x.elements()), timesOf(stage, y.elements()),
          constant(x.isByLines), constant(y.isByLines)});
  };
  call(clearCall, sums, {});
  fetch(constant(0), constant(0));
  if (copiesByThreads()) {
    put(constant(0), constant(0));
  }
  int64_t rounds = piecesOf(x.side.count(x.side.terms), x.terms());
  markedLoop(Mark::None, constant(0), constant(rounds), [&](StepRef round) {
    StepRef next = add(round, constant(1));
    StepRef stage = remainder(round, constant(2));
    StepRef other = remainder(next, constant(2));
    StepRef term = timesOf(next, x.terms());
    if (copiesByThreads()) {
      // What is loaded here is used behind the product.
      add(barrier);
      fetch(other, term);
      multiply(stage);
      put(other, term);
      return;
    }
    fetch(other, term);
    call(awaitCall, {}, constant(1));
    add(barrier);
    multiply(stage);
    add(barrier);
  });
  if (!copiesByThreads()) {
    call(awaitCall, {}, constant(0));
  }
}

kernel::Kernel KernelSource::productByBlocks(DotGeneralOp op,
                                             const BufferSlice &slice,
                                             ElementType tileType,
                                             int64_t size) {
  mlir::MLIRContext *context = op.getContext();
  mlir::Type left = cpu::tensorOf(op.getLhs()).getElementType();
  mlir::Type tileElement =
      elementTypeOf(left) == tileType ? left : mlir::Float16Type::get(context);
  Tile x = tileOf(sideOf(op, 0), tileType, tileElement, size);
  Tile y = tileOf(sideOf(op, 1), tileType, tileElement, size);
  bool isWhole = tileType == ElementType::S8;
  mlir::Type sumType = isWhole ? mlir::Type(mlir::IntegerType::get(context, 32))
                               : mlir::Float32Type::get(context);
  int64_t rows = x.side.count(x.side.lines);
  int64_t columns = y.side.count(y.side.lines);
  int64_t across = piecesOf(columns, size), down = piecesOf(rows, size);
  int64_t batches = x.side.count(x.side.batch);
  int64_t sums = scratch(elementTypeOf(sumType), size * size / threadsOfBlock,
                         kernel::Scope::Thread);
  int64_t part = scratch(elementTypeOf(sumType), size * columnsOfPart,
                         kernel::Scope::Block);
  Step barrier = {Code::Barrier};
  parallel(batches * down * across, 1, [&](StepRef first, StepRef last) {
    markedLoop(Mark::None, first, last, [&](StepRef block) {
      StepRef column = timesOf(remainder(block, constant(across)), size);
      StepRef rest = divide(block, constant(across));
      StepRef row = timesOf(remainder(rest, constant(down)), size);
      StepRef batch = divide(rest, constant(down));
      sumStages(x, y, sums,
                tileType == ElementType::F32 && wantsTf32(op) ? multiplyTf32Call
                                                              : multiplyCall,
                {batch, row, column});
      for (int64_t n = 0; n < size / columnsOfPart; ++n) {
        call(spreadCall, {part, sums}, constant(n));
        add(barrier);
        storePart(op, slice, part, size, sumType,
                  {batch, row, shiftIndex(column, n * columnsOfPart)});
        add(barrier);
      }
    });
  });
  return std::move(result);
}

/// Elements of the result, of the sums of one part. In memory of the block a
/// row begins 4 sums after the last one: its threads write at the same time.
void KernelSource::storePart(DotGeneralOp op, const BufferSlice &slice,
                             int64_t part, int64_t size, mlir::Type sumType,
                             llvm::ArrayRef<StepRef> start) {
  mlir::Type resultType = cpu::tensorOf(op.getResult()).getElementType();
  Side left = sideOf(op, 0), right = sideOf(op, 1);
  int64_t rows = left.count(left.lines), columns = right.count(right.lines);
  StepRef wide = constant(columnsOfPart);
  markedLoop(
      Mark::Vector, constant(0), constant(size * columnsOfPart),
      [&](StepRef i) {
        StepRef line = divide(i, wide), column = remainder(i, wide);
        StepRef turned = remainder(sumOf(column, timesOf(line, 4)), wide);
        StepRef position = sumOf(timesOf(line, columnsOfPart), turned);
        StepRef x = convert(loadFrom(part, position), sumType, resultType);
        StepRef row = sumOf(start[1], line);
        StepRef to = sumOf(start[2], column);
        when(both(isAtMost(row, rows - 1), isAtMost(to, columns - 1)), [&] {
          StepRef linear = sumOf(timesOf(start[0], rows), row);
          finish(op.getResult(), slice, sumOf(timesOf(linear, columns), to), x);
        });
      });
}

//===----------------------------------------------------------------------===//
// By threads
//===----------------------------------------------------------------------===//

kernel::Kernel KernelSource::productByThreads(DotGeneralOp op,
                                              const BufferSlice &slice) {
  mlir::Type sumType = sumTypeOf(op.getResult());
  mlir::Type resultType = cpu::tensorOf(op.getResult()).getElementType();
  Side sides[] = {sideOf(op, 0), sideOf(op, 1)};
  int64_t rows = sides[0].count(sides[0].lines);
  int64_t columns = sides[1].count(sides[1].lines);
  int64_t terms = sides[0].count(sides[0].terms);
  parallel(
      countOf(cpu::shapeOf(op.getResult())), 1,
      [&](StepRef first, StepRef last) {
        markedLoop(Mark::Vector, first, last, [&](StepRef output) {
          StepRef column = remainder(output, constant(columns));
          StepRef rest = divide(output, constant(columns));
          StepRef row = remainder(rest, constant(rows));
          StepRef batch = divide(rest, constant(rows));
          Refs sum = {zero(elementTypeOf(sumType))};
          if (terms > 0) {
            sum = carry(
                constant(0), constant(terms), sum,
                [&](StepRef term, llvm::ArrayRef<StepRef> carried) -> Refs {
                  Refs both;
                  for (auto [side, line] :
                       llvm::zip_equal(sides, Refs{row, column})) {
                    both.push_back(elementAs(
                        side.array, indexIn(side, batch, line, term), sumType));
                  }
                  return {addProduct(carried[0], both[0], both[1], sumType)};
                });
          }
          finish(op.getResult(), slice, output,
                 convert(sum[0], sumType, resultType));
        });
      });
  return std::move(result);
}

} // namespace xla::gpu
