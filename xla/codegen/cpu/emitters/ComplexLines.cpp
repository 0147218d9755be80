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

#include "xla/codegen/cpu/emitters/Dot.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

#include <cmath>

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
  ComplexLines(Emitter &e, const Product &p, const Place &target,
               const Place &scratch)
      : e(e), p(p), type(p.resultType), target(target), scratch(scratch),
        part(registerType(type, e.context())) {}
  bool emit();

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
  Place target, scratch;
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
  return e.load(type, e.buffers.placeOf(side.view.buffer), at);
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
         int64_t places[] = {0, 1, width, width + 1};
         for (auto [value, place] : llvm::zip_equal(values, places)) {
           b.CreateStore(
               value, element(packed, b.CreateNSWAdd(at, e.constant(place))));
         }
       });
  // Results of one line of the matrix follow each other here; elsewhere too?
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
         auto product = [&](int64_t place) {
           return b.CreateLoad(
               part, element(sums, b.CreateNSWAdd(at, e.constant(place))));
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

bool ComplexLines::emit() {
  bool isMatrix = p.batch.size() <= 1 && p.rows.size() <= 1 &&
                  p.columns.size() <= 1 && p.inner.size() == 1 &&
                  p.lhsType == type && p.rhsType == type;
  if (!isMatrix) {
    return false;
  }
  auto only = [](llvm::ArrayRef<Axis> axes) {
    return axes.empty() ? Axis{1, 0, 0, 0} : axes.front();
  };
  Axis batch = only(p.batch), row = only(p.rows), column = only(p.columns),
       inner = only(p.inner);
  batches = batch.size;
  batchResult = batch.result;
  terms = inner.size;
  Side lhs = {p.lhs, row.size, row.lhs, inner.lhs, batch.lhs, row.result};
  Side rhs = {p.rhs,     column.size, column.rhs,
              inner.rhs, batch.rhs,   column.result};
  bool isLeft = row.size >= column.size;
  const Side &many = isLeft ? lhs : rhs, &few = isLeft ? rhs : lhs;
  bool isLarge = terms >= kFewTerms && many.lines >= kFewTerms &&
                 row.size * column.size * terms * batches >= kFewProducts;
  if (!isLarge || (many.term != 1 && many.line != 1)) {
    return false;
  }
  Emitter::Writes written(e, target);
  if (many.term == 1) {
    emitAlong(many, few);
  } else {
    emitAcross(many, few);
  }
  return true;
}

bool emitComplexLines(Emitter &e, const Product &p, const Place &target,
                      const Place &scratch) {
  return ComplexLines(e, p, target, scratch).emit();
}

int64_t complexScratchBytes(mlir::Operation *dot) {
  auto op = llvm::cast<DotGeneralOp>(dot);
  int64_t lhs = elementCountOf(op.getLhs()), rhs = elementCountOf(op.getRhs());
  int64_t results = elementCountOf(op.getResult());
  ElementType type = elementTypeOf(op.getType());
  auto lines = static_cast<double>(results);
  double products =
      std::sqrt(lines * static_cast<double>(lhs) * static_cast<double>(rhs));
  // Upper bounds: of the copy four numbers for each, and so of the sums.
  return products >= kFewProducts
             ? (4 * std::min(lhs, rhs) + 4 * results) * byteWidth(type) / 2
             : 0;
}

} // namespace xla::cpu
