//===- SmallProducts.cpp - Many small matrix products, in line ------------===//
//
// A call of the general product costs as much as some hundred multiplications.
// Products with a vector are left to MatrixVector. Of two matrices, some rows
// of the result at a time stay in registers, as whole vectors of columns: each
// term adds an element of the left factor times a line of the right one. Where
// its columns do not follow each other in memory, the right factor is first
// copied so that they do.
//
//===----------------------------------------------------------------------===//

#include "xla/codegen/cpu/lower/product/SmallProducts.h"

#include "xla/codegen/cpu/TargetDescription.h"
#include "xla/codegen/cpu/lower/product/MatrixVector.h"

namespace xla::cpu {

static Axis lastOf(llvm::ArrayRef<Axis> axes) {
  return axes.empty() ? Axis{1, 0, 0, 0} : axes.back();
}

namespace {

/// Columns [first, first + width).
struct Chunk {
  int64_t first, width;
};

class SmallProducts {
public:
  SmallProducts(Emitter &e, const Product &p, const BufferSlice &target,
                const LoopPlan &loops);

  void emitVectors();
  void emitMatrices();

private:
  struct Starts {
    llvm::Value *lhs, *rhs, *result;
  };
  using Values = llvm::SmallVector<llvm::Value *>;

  void forEach(llvm::function_ref<void(const Starts &)> body);
  void cutColumns();
  int64_t rowsTogether() const;
  llvm::Value *copyRight(llvm::Value *from);
  void emitRows(const Starts &at, llvm::Value *firstRow, int64_t rows);
  Values addTerm(const Starts &at, llvm::Value *firstRow, llvm::Value *k,
                 llvm::ArrayRef<llvm::Value *> before);

  llvm::Value *along(llvm::Value *base, llvm::Value *i, int64_t stride) {
    llvm::Value *offset = e.builder().CreateNSWMul(i, e.constant(stride));
    return e.builder().CreateInBoundsGEP(element, base, offset);
  }
  llvm::Type *vectorOf(int64_t width) {
    return llvm::FixedVectorType::get(element, static_cast<unsigned>(width));
  }
  llvm::Align align() const { return llvm::Align(byteWidth(p.resultType)); }

  Emitter &e;
  const Product &p;
  const BufferSlice &target;
  const LoopPlan &loops;
  llvm::Type *element;
  int64_t lanes; ///< of the widest vectors
  Axis row, column, inner;
  llvm::SmallVector<Chunk> chunks;
};

} // namespace

SmallProducts::SmallProducts(Emitter &e, const Product &p,
                             const BufferSlice &target, const LoopPlan &loops)
    : e(e), p(p), target(target), loops(loops),
      element(memoryType(p.resultType, e.context())),
      lanes(cpuTarget.widestVector / byteWidth(p.resultType)),
      row(lastOf(p.rows)), column(lastOf(p.columns)), inner(lastOf(p.inner)) {}

/// Over the batch, where the arrays of one product start.
void SmallProducts::forEach(llvm::function_ref<void(const Starts &)> body) {
  auto start = [&](const BufferSlice &slice, int64_t offset) {
    return e.builder().CreateInBoundsGEP(element, e.pointerTo(slice),
                                         e.constant(offset));
  };
  e.nest(loops, [&](const Index &index) {
    Starts at = {start(e.buffers.sliceOf(p.lhs.buffer), p.lhs.offset),
                 start(e.buffers.sliceOf(p.rhs.buffer), p.rhs.offset),
                 e.pointerTo(target)};
    for (auto [axis, i] : llvm::zip(p.batch, e.dimsOf(index, loops.shape))) {
      at = {along(at.lhs, i, axis.lhs), along(at.rhs, i, axis.rhs),
            along(at.result, i, axis.result)};
    }
    body(at);
  });
}

/// The product of which one factor is a vector, without pointers.
static MatrixVectorProduct vectorProductOf(const Product &p) {
  Axis row = lastOf(p.rows), column = lastOf(p.columns),
       inner = lastOf(p.inner);
  bool isLeft = column.size == 1;
  return {p.resultType,
          isLeft ? row.size : column.size,
          inner.size,
          isLeft ? row.lhs : column.rhs,
          isLeft ? inner.lhs : inner.rhs,
          isLeft ? inner.rhs : inner.lhs,
          nullptr,
          nullptr,
          nullptr};
}

void SmallProducts::emitVectors() {
  MatrixVectorProduct one = vectorProductOf(p);
  bool isLeft = column.size == 1;
  forEach([&](const Starts &at) {
    one.matrix = isLeft ? at.lhs : at.rhs;
    one.vector = isLeft ? at.rhs : at.lhs;
    one.result = at.result;
    emitMatrixVector(e, one);
  });
}

/// Whole vectors, and what is left: one of half as many lanes or fewer, or one
/// that covers some columns a second time.
void SmallProducts::cutColumns() {
  int64_t width = 1;
  while (2 * width <= std::min(lanes, column.size)) {
    width *= 2;
  }
  int64_t first = 0;
  for (; first + width <= column.size; first += width) {
    chunks.push_back({first, width});
  }
  if (int64_t rest = column.size - first) {
    auto cover =
        static_cast<int64_t>(llvm::PowerOf2Ceil(static_cast<uint64_t>(rest)));
    chunks.push_back({column.size - cover, cover});
  }
}

/// How many rows stay in registers: a divisor of all, so that none is left.
int64_t SmallProducts::rowsTogether() const {
  // The others hold lines of the right factor.
  constexpr int64_t registers = cpuTarget.vectorRegisters - 4,
                    bytes = cpuTarget.commonVector;
  int64_t perRow = 0;
  for (const Chunk &chunk : chunks) {
    int64_t size = chunk.width * byteWidth(p.resultType);
    perRow += (size + bytes - 1) / bytes;
  }
  int64_t rows = std::min(row.size, std::max<int64_t>(1, registers / perRow));
  while (row.size % rows != 0) {
    --rows;
  }
  return rows;
}

llvm::Value *SmallProducts::copyRight(llvm::Value *from) {
  llvm::IRBuilder<> &b = e.builder();
  llvm::Value *copy = e.frameSlot(
      llvm::ArrayType::get(element, static_cast<uint64_t>(inner.size) *
                                        static_cast<uint64_t>(column.size)));
  e.loop(e.constant(0), e.constant(column.size), [&](llvm::Value *j) {
    llvm::Value *line = along(from, j, column.rhs);
    e.loop(e.constant(0), e.constant(inner.size), [&](llvm::Value *k) {
      llvm::Value *x =
          b.CreateAlignedLoad(element, along(line, k, inner.rhs), align());
      b.CreateAlignedStore(x, along(along(copy, k, column.size), j, 1),
                           align());
    });
  });
  return copy;
}

SmallProducts::Values
SmallProducts::addTerm(const Starts &at, llvm::Value *firstRow, llvm::Value *k,
                       llvm::ArrayRef<llvm::Value *> before) {
  llvm::IRBuilder<> &b = e.builder();
  Values lines, sums;
  llvm::Value *line = along(at.rhs, k, inner.rhs);
  for (const Chunk &chunk : chunks) {
    lines.push_back(b.CreateAlignedLoad(vectorOf(chunk.width),
                                        along(line, e.constant(chunk.first), 1),
                                        align()));
  }
  llvm::Value *left = along(along(at.lhs, firstRow, row.lhs), k, inner.lhs);
  for (size_t n = 0; n < before.size(); ++n) {
    size_t i = n / chunks.size(), c = n % chunks.size();
    llvm::Value *x = b.CreateAlignedLoad(
        element, along(left, e.constant(static_cast<int64_t>(i)), row.lhs),
        align());
    x = b.CreateVectorSplat(static_cast<unsigned>(chunks[c].width), x);
    sums.push_back(b.CreateFAdd(before[n], b.CreateFMul(x, lines[c])));
  }
  return sums;
}

void SmallProducts::emitRows(const Starts &at, llvm::Value *firstRow,
                             int64_t rows) {
  Values sums;
  for (int64_t i = 0; i < rows; ++i) {
    for (const Chunk &chunk : chunks) {
      sums.push_back(llvm::Constant::getNullValue(vectorOf(chunk.width)));
    }
  }
  constexpr int64_t mostCode = 64;
  if (static_cast<int64_t>(sums.size()) * inner.size <= mostCode) {
    for (int64_t k = 0; k < inner.size; ++k) {
      sums = addTerm(at, firstRow, e.constant(k), sums);
    }
  } else {
    sums = e.loop(e.constant(0), e.constant(inner.size), sums,
                  [&](llvm::Value *k, llvm::ArrayRef<llvm::Value *> before) {
                    return addTerm(at, firstRow, k, before);
                  });
  }
  llvm::Value *result = along(at.result, firstRow, row.result);
  for (auto [n, sum] : llvm::enumerate(sums)) {
    auto i = static_cast<int64_t>(n / chunks.size());
    int64_t column = chunks[n % chunks.size()].first;
    e.builder().CreateAlignedStore(
        sum,
        along(along(result, e.constant(i), row.result), e.constant(column), 1),
        align());
  }
}

void SmallProducts::emitMatrices() {
  cutColumns();
  int64_t together = rowsTogether();
  bool isCopied = column.rhs != 1;
  forEach([&](Starts at) {
    int64_t lineStep = inner.rhs;
    if (isCopied) {
      at.rhs = copyRight(at.rhs);
      lineStep = column.size;
    }
    int64_t kept = std::exchange(inner.rhs, lineStep);
    e.loop(e.constant(0), e.constant(row.size / together),
           [&](llvm::Value *block) {
             llvm::Value *first =
                 e.builder().CreateNSWMul(block, e.constant(together));
             emitRows(at, first, together);
           });
    inner.rhs = kept;
  });
}

/// Whether the numbers are real and no dimension has to be looped over.
static bool isSuited(const Product &p) {
  bool isReal =
      p.resultType == ElementType::F32 || p.resultType == ElementType::F64;
  return isReal && p.lhsType == p.resultType && p.rhsType == p.resultType &&
         p.rows.size() <= 1 && p.columns.size() <= 1 && p.inner.size() == 1;
}

/// Whether products with a vector are fast in line: their results follow each
/// other, and at least `fewest` elements of the matrix are taken together.
static bool takesTogether(const Product &p, int64_t fewest) {
  MatrixVectorProduct one = vectorProductOf(p);
  Axis row = lastOf(p.rows), column = lastOf(p.columns);
  const Axis &free = column.size == 1 ? row : column;
  int64_t together = one.resultStep == 1 ? one.results : one.terms;
  bool inOrder = free.size == 1 || free.result == 1;
  return inOrder && together >= fewest && isInLineMatrixVector(one);
}

Strategy smallProductOf(const Product &p) {
  // With fewer elements of one product, lines of several fill vectors, unless
  // they are further apart than vectors are taken to pieces.
  constexpr int64_t fewestTogether = 8, fewestColumns = 4, longColumn = 64,
                    mostApart = 8;
  if (!isSuited(p)) {
    return Strategy::InLine;
  }
  Axis row = lastOf(p.rows), column = lastOf(p.columns);
  if (row.size == 1 || column.size == 1) {
    return takesTogether(p, fewestTogether) ? Strategy::MatrixVector
                                            : Strategy::InLine;
  }
  int64_t terms = lastOf(p.inner).size;
  bool isApart = std::max({row.size * column.size, row.size * terms,
                           terms * column.size}) > mostApart;
  bool isFast = (column.size >= fewestColumns || isApart) &&
                column.result == 1 && row.size < longColumn;
  return isFast ? Strategy::SmallMatrices : Strategy::InLine;
}

bool isMatrixVector(const Product &p) {
  return isSuited(p) && p.batch.empty() &&
         p.rows.size() + p.columns.size() == 1 && takesTogether(p, 1);
}

void emitSmallMatrices(Emitter &e, const Product &p, const BufferSlice &target,
                       const LoopPlan &loops) {
  SmallProducts(e, p, target, loops).emitMatrices();
}

void emitMatrixVectors(Emitter &e, const Product &p, const BufferSlice &target,
                       const LoopPlan &loops) {
  SmallProducts(e, p, target, loops).emitVectors();
}

} // namespace xla::cpu
