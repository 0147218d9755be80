//===- MatrixVector.cpp - Small products with a vector, in line -----------===//
//
// In a loop of the program a call of the general product would cost as much as
// the product itself. Two forms, by what is contiguous in the matrix:
//
//   combine   the result's elements: lines are scaled and added, into
//             accumulators that stay in registers
//   dots      the summed elements: several lines at a time are multiplied with
//             the vector, and each accumulator is folded at the end
//
//===----------------------------------------------------------------------===//

#include "xla/codegen/cpu/emitters/MatrixVector.h"

namespace xla::cpu {

namespace {

constexpr int64_t vectorBytes = 64;

class MatrixVector {
public:
  MatrixVector(Emitter &e, const MatrixVectorProduct &p)
      : e(e), p(p), lanes(vectorBytes / byteWidth(p.type)),
        element(memoryType(p.type, e.context())) {}

  void emitCombine();
  void emitDots();

private:
  llvm::Type *vectorOf(int64_t width) {
    return width == 1 ? element
                      : llvm::FixedVectorType::get(
                            element, static_cast<unsigned>(width));
  }
  llvm::Value *read(llvm::Value *base, llvm::Value *at, int64_t width) {
    llvm::IRBuilder<> &b = e.builder();
    return b.CreateAlignedLoad(vectorOf(width),
                               b.CreateInBoundsGEP(element, base, at),
                               llvm::Align(byteWidth(p.type)));
  }
  void write(llvm::Value *x, llvm::Value *at) {
    llvm::IRBuilder<> &b = e.builder();
    b.CreateAlignedStore(x, b.CreateInBoundsGEP(element, p.result, at),
                         llvm::Align(byteWidth(p.type)));
  }
  llvm::Value *spread(llvm::Value *x, int64_t width) {
    return width == 1
               ? x
               : e.builder().CreateVectorSplat(static_cast<unsigned>(width), x);
  }
  llvm::Value *addProduct(llvm::Value *sum, llvm::Value *x, llvm::Value *y) {
    llvm::IRBuilder<> &b = e.builder();
    return b.CreateFAdd(sum, b.CreateFMul(x, y));
  }
  llvm::Value *times(llvm::Value *i, int64_t stride) {
    return e.builder().CreateNSWMul(i, e.constant(stride));
  }
  llvm::Value *plus(llvm::Value *i, int64_t offset) {
    return e.builder().CreateNSWAdd(i, e.constant(offset));
  }

  void combine(llvm::Value *first, int64_t vectors, int64_t width);
  void dots(llvm::Value *first, int64_t lines);

  Emitter &e;
  const MatrixVectorProduct &p;
  int64_t lanes;
  llvm::Type *element;
};

} // namespace

/// Results [first, first + vectors * width). Even and odd terms have sums of
/// their own: one chain of additions would wait for itself.
void MatrixVector::combine(llvm::Value *first, int64_t vectors, int64_t width) {
  auto term = [&](llvm::Value *k, llvm::MutableArrayRef<llvm::Value *> sums) {
    llvm::Value *x = spread(read(p.vector, times(k, p.vectorStep), 1), width);
    llvm::Value *line = e.builder().CreateNSWAdd(times(k, p.termStep), first);
    for (auto [v, sum] : llvm::enumerate(sums)) {
      llvm::Value *at = plus(line, static_cast<int64_t>(v) * width);
      sum = addProduct(sum, x, read(p.matrix, at, width));
    }
  };
  llvm::SmallVector<llvm::Value *> sums(
      2 * vectors, llvm::Constant::getNullValue(vectorOf(width)));
  sums = e.loop(e.constant(0), e.constant(p.terms / 2), sums,
                [&](llvm::Value *pair, llvm::ArrayRef<llvm::Value *> before) {
                  llvm::SmallVector<llvm::Value *> next(before);
                  llvm::MutableArrayRef<llvm::Value *> all(next);
                  llvm::Value *k = times(pair, 2);
                  term(k, all.take_front(vectors));
                  term(plus(k, 1), all.drop_front(vectors));
                  return next;
                });
  llvm::MutableArrayRef<llvm::Value *> all(sums);
  if (p.terms % 2) {
    term(e.constant(p.terms - 1), all.take_front(vectors));
  }
  for (int64_t v = 0; v < vectors; ++v) {
    write(e.builder().CreateFAdd(sums[v], sums[vectors + v]),
          plus(first, v * width));
  }
}

void MatrixVector::emitCombine() {
  constexpr int64_t together = 4;
  int64_t stretch = together * lanes, stretches = p.results / stretch;
  e.loop(e.constant(0), e.constant(stretches),
         [&](llvm::Value *i) { combine(times(i, stretch), together, lanes); });
  int64_t done = stretches * stretch;
  if (int64_t whole = (p.results - done) / lanes) {
    combine(e.constant(done), whole, lanes);
    done += whole * lanes;
  }
  for (int64_t width = lanes / 2; width >= 1; width /= 2) {
    if ((p.results - done) & width) {
      combine(e.constant(done), 1, width);
      done += width;
    }
  }
}

/// Results [first, first + lines). What is left of the terms behind whole
/// vectors is summed by halves of vectors, quarters, and so on.
void MatrixVector::dots(llvm::Value *first, int64_t lines) {
  llvm::IRBuilder<> &b = e.builder();
  llvm::SmallVector<llvm::Value *> starts, folded;
  for (int64_t line = 0; line < lines; ++line) {
    starts.push_back(times(plus(first, line), p.resultStep));
  }
  auto stretch = [&](llvm::Value *k, int64_t width,
                     llvm::ArrayRef<llvm::Value *> before) {
    llvm::SmallVector<llvm::Value *> sums;
    llvm::Value *x = read(p.vector, k, width);
    for (auto [start, sum] : llvm::zip_equal(starts, before)) {
      llvm::Value *y = read(p.matrix, b.CreateNSWAdd(start, k), width);
      sums.push_back(addProduct(sum, x, y));
    }
    return sums;
  };
  int64_t done = 0;
  for (int64_t width = lanes; width >= 1; width /= 2) {
    int64_t count = (p.terms - done) / width;
    if (count == 0) {
      continue;
    }
    llvm::SmallVector<llvm::Value *> sums(
        lines, llvm::Constant::getNullValue(vectorOf(width)));
    sums = e.loop(e.constant(0), e.constant(count), sums,
                  [&](llvm::Value *i, llvm::ArrayRef<llvm::Value *> before) {
                    return stretch(plus(times(i, width), done), width, before);
                  });
    done += count * width;
    for (llvm::Value *&sum : sums) {
      if (width > 1) {
        auto *fold =
            b.CreateFAddReduce(llvm::ConstantFP::get(element, -0.0), sum);
        fold->setHasAllowReassoc(true);
        sum = fold;
      }
    }
    for (auto [i, sum] : llvm::enumerate(folded)) {
      sums[i] = b.CreateFAdd(sum, sums[i]);
    }
    folded = sums;
  }
  for (int64_t line = 0; line < lines; ++line) {
    write(folded[line], plus(first, line));
  }
}

void MatrixVector::emitDots() {
  constexpr int64_t together = 4;
  int64_t groups = p.results / together;
  e.loop(e.constant(0), e.constant(groups),
         [&](llvm::Value *i) { dots(times(i, together), together); });
  if (int64_t rest = p.results % together) {
    dots(e.constant(groups * together), rest);
  }
}

/// Whether lines of the matrix are scaled and added.
static bool combines(const MatrixVectorProduct &product) {
  return product.resultStep == 1 && product.results > 1;
}

bool isInLineMatrixVector(const MatrixVectorProduct &product) {
  // More than this is worth threads.
  constexpr int64_t most = 64 * 1024;
  bool isFloating =
      product.type == ElementType::F32 || product.type == ElementType::F64;
  bool isDots = product.termStep == 1 && product.vectorStep == 1;
  return isFloating && product.results * product.terms <= most &&
         (combines(product) || isDots);
}

void emitMatrixVector(Emitter &e, const MatrixVectorProduct &product) {
  MatrixVector emission(e, product);
  if (combines(product)) {
    emission.emitCombine();
  } else {
    emission.emitDots();
  }
}

} // namespace xla::cpu
