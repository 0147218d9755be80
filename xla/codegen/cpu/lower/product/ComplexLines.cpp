//===- ComplexLines.cpp - Matrices of complex numbers times few lines -----===//
//
// In memory a complex number is two real ones, so a complex matrix is a real
// one of twice as many columns. What it is multiplied with is small and is
// copied, so that a product of real matrices has all that is wanted:
//
//   along   terms follow each other in the matrix: each number a + bi of a line
//           becomes the rows (a, b) and (-b, a), and results are complex
//   across  its lines do: a line becomes two, of the real and of the imaginary
//           parts, and the results' parts are sums of two of the four products
//
//===----------------------------------------------------------------------===//

#include "xla/codegen/cpu/lower/product/Product.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

namespace xla::cpu {

using namespace stablehlo;

namespace {

/// An operand, its lines numbered by one dimension and its terms by another.
struct Side {
  const View &view;
  int64_t lines, line, term, batch; ///< a number, and strides
  int64_t result;                   ///< stride of its lines there
};

class ComplexLines {
public:
  ComplexLines(Emitter &e, const Product &p, const BufferSlice &target,
               const BufferSlice &scratch)
      : e(e), p(p), type(p.resultType), target(target), scratch(scratch),
        part(registerType(type, e.context())) {}
  void emit();

private:
  using Visit = llvm::function_ref<void(llvm::Value *batch, llvm::Value *i,
                                        llvm::Value *j)>;

  void over(int64_t rows, int64_t columns, Visit visit);
  llvm::Value *sum(llvm::Value *base, llvm::ArrayRef<llvm::Value *> indices,
                   llvm::ArrayRef<int64_t> strides);
  llvm::Value *element(llvm::Value *base, llvm::Value *at) {
    return e.builder().CreateInBoundsGEP(part, base, at);
  }
  Element read(const Side &side, llvm::Value *batch, llvm::Value *line,
               llvm::Value *term);
  void emitAlong(const Side &many, const Side &few);
  void emitAcross(const Side &many, const Side &few);
  void call(llvm::ArrayRef<llvm::Value *> structure);

  Emitter &e;
  const Product &p;
  ElementType type;
  BufferSlice target, scratch;
  llvm::Type *part;
  int64_t batches = 1, batchResult = 0, terms = 0;
};

} // namespace

void ComplexLines::over(int64_t rows, int64_t columns, Visit visit) {
  llvm::Value *zero = e.constant(0);
  e.loop(zero, e.constant(batches), [&](llvm::Value *batch) {
    e.loop(zero, e.constant(rows), [&](llvm::Value *i) {
      e.loop(zero, e.constant(columns),
             [&](llvm::Value *j) { visit(batch, i, j); });
    });
  });
}

llvm::Value *ComplexLines::sum(llvm::Value *base,
                               llvm::ArrayRef<llvm::Value *> indices,
                               llvm::ArrayRef<int64_t> strides) {
  llvm::IRBuilder<> &b = e.builder();
  for (auto [index, stride] : llvm::zip_equal(indices, strides)) {
    base = b.CreateNSWAdd(base, b.CreateNSWMul(index, e.constant(stride)));
  }
  return base;
}

Element ComplexLines::read(const Side &side, llvm::Value *batch,
                           llvm::Value *line, llvm::Value *term) {
  llvm::Value *at = sum(e.constant(side.view.offset), {batch, line, term},
                        {side.batch, side.line, side.term});
  return e.load(type, e.buffers.sliceOf(side.view.buffer), at);
}

void ComplexLines::call(llvm::ArrayRef<llvm::Value *> structure) {
  llvm::SmallVector<llvm::Value *> words(structure);
  llvm::Value *none = llvm::Constant::getNullValue(e.builder().getPtrTy());
  llvm::append_values(words, e.constant(0), none, none, e.constant(0));
  e.callRuntime(part->isDoubleTy() ? "xla_gemm_f64" : "xla_gemm_f32",
                e.builder().getVoidTy(), e.words(words));
}

void ComplexLines::emitAlong(const Side &many, const Side &few) {
  int64_t width = 2 * few.lines;
  llvm::Value *packed = e.pointerTo(scratch);
  over(terms, few.lines,
       [&](llvm::Value *batch, llvm::Value *k, llvm::Value *g) {
         llvm::IRBuilder<> &b = e.builder();
         Element x = read(few, batch, g, k);
         llvm::Value *at = sum(e.constant(0), {batch, k, g},
                               {2 * terms * width, 2 * width, 2});
         llvm::Value *values[] = {x.real, x.imag, b.CreateFNeg(x.imag), x.real};
         int64_t numbers[] = {0, 1, width, width + 1};
         for (auto [value, number] : llvm::zip_equal(values, numbers)) {
           b.CreateStore(
               value, element(packed, b.CreateNSWAdd(at, e.constant(number))));
         }
       });
  // Results of one line of the matrix follow each other here; in the result
  // too?
  bool isDirect = few.lines == 1 || few.result == 1;
  llvm::Value *sums =
      isDirect ? e.pointerTo(target)
               : element(packed, e.constant(batches * 2 * terms * width));
  auto constant = [&](int64_t value) { return e.constant(value); };
  llvm::Value *matrix =
      element(e.pointerTo(many.view.buffer), constant(2 * many.view.offset));
  call({constant(batches), constant(many.lines), constant(width),
        constant(2 * terms), matrix, constant(2 * many.batch),
        constant(2 * many.line), constant(1), packed,
        constant(2 * terms * width), constant(width), constant(1), sums,
        constant(isDirect ? 2 * batchResult : many.lines * width),
        constant(isDirect ? 2 * many.result : width)});
  if (isDirect) {
    return;
  }
  over(few.lines, many.lines,
       [&](llvm::Value *batch, llvm::Value *g, llvm::Value *f) {
         llvm::IRBuilder<> &b = e.builder();
         llvm::Value *from =
             sum(e.constant(0), {batch, f, g}, {many.lines * width, width, 2});
         llvm::Value *to = sum(e.constant(0), {batch, f, g},
                               {batchResult, many.result, few.result});
         llvm::Value *next = b.CreateNSWAdd(from, e.constant(1));
         e.store(type, target, to,
                 {b.CreateLoad(part, element(sums, from)),
                  b.CreateLoad(part, element(sums, next))});
       });
}

void ComplexLines::emitAcross(const Side &many, const Side &few) {
  int64_t height = 2 * few.lines, width = 2 * many.lines;
  llvm::Value *packed = e.pointerTo(scratch);
  over(few.lines, terms,
       [&](llvm::Value *batch, llvm::Value *g, llvm::Value *k) {
         llvm::IRBuilder<> &b = e.builder();
         Element x = read(few, batch, g, k);
         llvm::Value *at = sum(k, {batch, g}, {height * terms, 2 * terms});
         b.CreateStore(x.real, element(packed, at));
         at = b.CreateNSWAdd(at, e.constant(terms));
         b.CreateStore(x.imag, element(packed, at));
       });
  auto constant = [&](int64_t value) { return e.constant(value); };
  llvm::Value *sums = element(packed, constant(batches * height * terms));
  llvm::Value *matrix =
      element(e.pointerTo(many.view.buffer), constant(2 * many.view.offset));
  // Two rows of doubles read long lines of the matrix more slowly than one row
  // does twice.
  bool isApart = batches == 1 && height == 2 && part->isDoubleTy();
  call({constant(isApart ? height : batches), constant(isApart ? 1 : height),
        constant(width), constant(terms), packed,
        constant(isApart ? terms : height * terms), constant(terms),
        constant(1), matrix, constant(isApart ? 0 : 2 * many.batch),
        constant(2 * many.term), constant(1), sums,
        constant(isApart ? width : height * width), constant(width)});
  over(few.lines, many.lines,
       [&](llvm::Value *batch, llvm::Value *g, llvm::Value *f) {
         llvm::IRBuilder<> &b = e.builder();
         llvm::Value *at =
             sum(e.constant(0), {batch, g, f}, {height * width, 2 * width, 2});
         auto product = [&](int64_t number) {
           return b.CreateLoad(
               part, element(sums, b.CreateNSWAdd(at, e.constant(number))));
         };
         Element value = {b.CreateFSub(product(0), product(width + 1)),
                          b.CreateFAdd(product(1), product(width))};
         llvm::Value *to = sum(e.constant(0), {batch, f, g},
                               {batchResult, many.result, few.result});
         e.store(type, target, to, value);
       });
}

/// Products of fewer terms are computed in line.
static constexpr int64_t kFewTerms = 16, kFewProducts = 1 << 16;

static Axis onlyOf(llvm::ArrayRef<Axis> axes) {
  return axes.empty() ? Axis{1, 0, 0, 0} : axes.front();
}

/// The factor with more lines, and the one with fewer.
static std::pair<Side, Side> sidesOf(const Product &p) {
  Axis batch = onlyOf(p.batch), row = onlyOf(p.rows),
       column = onlyOf(p.columns), inner = onlyOf(p.inner);
  Side lhs = {p.lhs, row.size, row.lhs, inner.lhs, batch.lhs, row.result};
  Side rhs = {p.rhs,     column.size, column.rhs,
              inner.rhs, batch.rhs,   column.result};
  return row.size >= column.size ? std::pair{lhs, rhs} : std::pair{rhs, lhs};
}

void ComplexLines::emit() {
  batches = onlyOf(p.batch).size;
  batchResult = onlyOf(p.batch).result;
  terms = onlyOf(p.inner).size;
  auto [many, few] = sidesOf(p);
  Emitter::Writes written(e, target);
  if (many.term == 1) {
    emitAlong(many, few);
  } else {
    emitAcross(many, few);
  }
}

void emitComplexLines(Emitter &e, const Product &p, const BufferSlice &target,
                      const BufferSlice &scratch) {
  ComplexLines(e, p, target, scratch).emit();
}

int64_t complexScratchBytes(const Product &p) {
  bool isMatrix = isComplex(p.resultType) && p.batch.size() <= 1 &&
                  p.rows.size() <= 1 && p.columns.size() <= 1 &&
                  p.inner.size() == 1 && p.lhsType == p.resultType &&
                  p.rhsType == p.resultType;
  if (!isMatrix) {
    return 0;
  }
  auto [many, few] = sidesOf(p);
  int64_t batches = onlyOf(p.batch).size, terms = onlyOf(p.inner).size;
  int64_t results = many.lines * few.lines * batches;
  if (terms < kFewTerms || many.lines < kFewTerms ||
      results * terms < kFewProducts || (many.term != 1 && many.line != 1)) {
    return 0;
  }
  // Four numbers for each of a line, and upper bounds of the sums.
  int64_t copied = few.lines * terms * batches;
  return (4 * copied + 4 * results) * byteWidth(p.resultType) / 2;
}

} // namespace xla::cpu
