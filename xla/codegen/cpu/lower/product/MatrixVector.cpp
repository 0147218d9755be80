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
// A result that is a subnormal number costs some processors a hundred times as
// much as another, and a loop that a gradient fades away in makes them by the
// thousand. So a vector of nothing but tiny numbers is multiplied by a power of
// two first, and the results are divided by it.
//
//===----------------------------------------------------------------------===//

#include "xla/codegen/cpu/lower/product/MatrixVector.h"

#include "xla/codegen/cpu/TargetDescription.h"

#include <bit>
#include <cmath>

namespace xla::cpu {

namespace {

constexpr int64_t longestChain = 128; // of additions

class MatrixVector {
public:
  MatrixVector(Emitter &e, const MatrixVectorProduct &p)
      : e(e), p(p), lanes(cpuTarget.widestVector / byteWidth(p.type)),
        element(memoryType(p.type, e.context())) {}

  void emitCombine();
  void emitDots();

  llvm::Value *isTiny();
  llvm::Value *scaledVector(llvm::Value *isTiny);
  void scaleResults(llvm::Value *isTiny);

private:
  llvm::Value *scaledUp(llvm::Value *x);
  llvm::Value *scaledDown(llvm::Value *x);

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

  bool isDouble() const { return p.type == ElementType::F64; }
  llvm::Constant *power(int exponent) {
    return llvm::ConstantFP::get(element, std::ldexp(1.0, exponent));
  }
  llvm::Type *integer() { return e.builder().getIntNTy(isDouble() ? 64 : 32); }
  llvm::Constant *word(uint64_t x) {
    return llvm::ConstantInt::get(integer(), x);
  }
  uint64_t fraction() const { return isDouble() ? 52 : 23; }
  uint64_t signBit() const { return uint64_t(1) << (isDouble() ? 63 : 31); }
  int tinyExponent() const { return isDouble() ? -900 : -100; }
  int scaleExponent() const { return isDouble() ? 500 : 60; }

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
    llvm::SmallVector<llvm::Value *> zeros(
        lines, llvm::Constant::getNullValue(vectorOf(width)));
    auto chain = [&](llvm::Value *first, llvm::Value *last) {
      return e.loop(first, last, zeros,
                    [&](llvm::Value *i, llvm::ArrayRef<llvm::Value *> before) {
                      return stretch(plus(times(i, width), done), width,
                                     before);
                    });
    };
    // In pieces: a sum loses digits as it grows.
    int64_t pieces = (count - 1) / longestChain + 1;
    auto sums =
        pieces == 1
            ? chain(e.constant(0), e.constant(count))
            : e.loop(e.constant(0), e.constant(pieces), zeros,
                     [&](llvm::Value *piece,
                         llvm::ArrayRef<llvm::Value *> before) {
                       llvm::Value *first = times(piece, longestChain);
                       llvm::Value *last = b.CreateBinaryIntrinsic(
                           llvm::Intrinsic::smin, plus(first, longestChain),
                           e.constant(count));
                       auto sums = chain(first, last);
                       for (auto [i, sum] : llvm::enumerate(before)) {
                         sums[i] = b.CreateFAdd(sum, sums[i]);
                       }
                       return sums;
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

/// Whether no number of the vector is as large as 2^tinyExponent: then a result
/// may be subnormal, and multiplied by 2^scaleExponent it cannot overflow. Not
/// where all are zero, as what has faded away is in every round to come.
llvm::Value *MatrixVector::isTiny() {
  llvm::IRBuilder<> &b = e.builder();
  llvm::Constant *limit = word(
      isDouble() ? std::bit_cast<uint64_t>(std::ldexp(1.0, tinyExponent()))
                 : std::bit_cast<uint32_t>(std::ldexp(1.0F, tinyExponent())));
  llvm::Value *tiny = b.getTrue(), *isThere = b.getFalse();
  int64_t done = 0;
  for (int64_t width = lanes; width >= 1; width /= 2) {
    int64_t count = (p.terms - done) / width;
    if (count == 0) {
      continue;
    }
    llvm::Type *type = vectorOf(width);
    llvm::Type *integers =
        width == 1 ? integer()
                   : llvm::FixedVectorType::get(integer(),
                                                static_cast<unsigned>(width));
    llvm::Value *most =
        e.loop(e.constant(0), e.constant(count),
               {llvm::Constant::getNullValue(integers)},
               [&](llvm::Value *i, llvm::ArrayRef<llvm::Value *> before) {
                 llvm::Value *x = b.CreateUnaryIntrinsic(
                     llvm::Intrinsic::fabs,
                     read(p.vector, plus(times(i, width), done), width));
                 return llvm::SmallVector<llvm::Value *>{
                     b.CreateBinaryIntrinsic(llvm::Intrinsic::umax, before[0],
                                             b.CreateBitCast(x, integers))};
               })
            .front();
    done += count * width;
    llvm::Value *bound =
        width == 1 ? static_cast<llvm::Value *>(limit)
                   : b.CreateVectorSplat(static_cast<unsigned>(width), limit);
    llvm::Value *isSmall = b.CreateICmpULT(most, bound);
    llvm::Value *isSome =
        b.CreateICmpNE(most, llvm::Constant::getNullValue(integers));
    bool isVector = type->isVectorTy();
    tiny = b.CreateAnd(tiny, isVector ? b.CreateAndReduce(isSmall) : isSmall);
    isThere = b.CreateOr(isThere, isVector ? b.CreateOrReduce(isSome) : isSome);
  }
  return b.CreateAnd(tiny, isThere);
}

/// A tiny number times 2^scaleExponent, in integers: the processor is slow at
/// multiplying subnormal numbers, too.
llvm::Value *MatrixVector::scaledUp(llvm::Value *x) {
  llvm::IRBuilder<> &b = e.builder();
  llvm::Value *bits = b.CreateBitCast(x, integer());
  llvm::Value *magnitude = b.CreateAnd(bits, word(signBit() - 1));
  int leastExponent = isDouble() ? -1074 : -149;
  llvm::Value *subnormal = b.CreateFMul(b.CreateSIToFP(magnitude, element),
                                        power(leastExponent + scaleExponent()));
  llvm::Value *normal =
      b.CreateAdd(magnitude, word(uint64_t(scaleExponent()) << fraction()));
  llvm::Value *scaled = b.CreateSelect(
      b.CreateICmpULT(magnitude, word(uint64_t(1) << fraction())),
      b.CreateBitCast(subnormal, integer()), normal);
  return b.CreateBitCast(b.CreateOr(scaled, b.CreateAnd(bits, word(signBit()))),
                         element);
}

/// A result divided by 2^scaleExponent, rounded to the nearest number or the
/// even one.
llvm::Value *MatrixVector::scaledDown(llvm::Value *x) {
  llvm::IRBuilder<> &b = e.builder();
  uint64_t hidden = uint64_t(1) << fraction();
  auto scale = static_cast<uint64_t>(scaleExponent());
  llvm::Value *bits = b.CreateBitCast(x, integer());
  llvm::Value *magnitude = b.CreateAnd(bits, word(signBit() - 1));
  llvm::Value *exponent = b.CreateLShr(magnitude, word(fraction()));
  // What was subnormal before is nothing afterwards.
  llvm::Value *digits = b.CreateSelect(
      b.CreateICmpEQ(exponent, word(0)), word(0),
      b.CreateOr(b.CreateAnd(magnitude, word(hidden - 1)), word(hidden)));
  llvm::Value *lost = b.CreateBinaryIntrinsic(
      llvm::Intrinsic::umin, b.CreateSub(word(scale + 1), exponent),
      word(fraction() + 2));
  llvm::Value *half =
      b.CreateShl(word(1), b.CreateSub(lost, word(1)), "", true, true);
  llvm::Value *isOdd = b.CreateAnd(b.CreateLShr(digits, lost), word(1));
  llvm::Value *rounded =
      b.CreateAdd(digits, b.CreateAdd(b.CreateSub(half, word(1)), isOdd));
  llvm::Value *subnormal = b.CreateOr(b.CreateLShr(rounded, lost),
                                      b.CreateAnd(bits, word(signBit())));
  llvm::Value *normal = b.CreateSub(bits, word(scale << fraction()));
  llvm::Value *isSubnormal = b.CreateICmpULE(exponent, word(scale));
  llvm::Value *isSpecial =
      b.CreateICmpEQ(exponent, word((signBit() - 1) >> fraction()));
  return b.CreateSelect(
      isSpecial, x,
      b.CreateBitCast(b.CreateSelect(isSubnormal, subnormal, normal), element));
}

/// The vector, or where it is tiny a copy of it, scaled. A loop of one round
/// at most is a branch, which costs less than it would to wait for the answer.
llvm::Value *MatrixVector::scaledVector(llvm::Value *isTiny) {
  llvm::Value *copy = e.frameSlot(
      llvm::ArrayType::get(element, static_cast<uint64_t>(p.terms)));
  return e
      .loop(e.constant(0),
            e.builder().CreateZExt(isTiny, e.builder().getInt64Ty()),
            {p.vector},
            [&](llvm::Value *, llvm::ArrayRef<llvm::Value *>) {
              e.loop(e.constant(0), e.constant(p.terms), [&](llvm::Value *k) {
                llvm::IRBuilder<> &b = e.builder();
                b.CreateStore(scaledUp(read(p.vector, k, 1)),
                              b.CreateInBoundsGEP(element, copy, k));
              });
              return llvm::SmallVector<llvm::Value *>{copy};
            })
      .front();
}

void MatrixVector::scaleResults(llvm::Value *isTiny) {
  llvm::Value *count =
      e.builder().CreateSelect(isTiny, e.constant(p.results), e.constant(0));
  e.loop(e.constant(0), count,
         [&](llvm::Value *i) { write(scaledDown(read(p.result, i, 1)), i); });
}

/// Whether lines of the matrix are scaled and added.
static bool combines(const MatrixVectorProduct &product) {
  return product.resultStep == 1 && product.results > 1;
}

bool isInLineMatrixVector(const MatrixVectorProduct &product) {
  // More multiplications and additions are worth threads.
  constexpr int64_t most = cpuTarget.worthSharing / 2;
  bool isFloating =
      product.type == ElementType::F32 || product.type == ElementType::F64;
  bool isDots = product.termStep == 1 && product.vectorStep == 1;
  return isFloating && product.results * product.terms <= most &&
         (combines(product) || isDots);
}

void emitMatrixVector(Emitter &e, const MatrixVectorProduct &product) {
  // Of fewer multiplications, asking would be a part that one notices.
  constexpr int64_t worthAsking = 1024;
  MatrixVectorProduct scaled = product;
  llvm::Value *isTiny = nullptr;
  if (product.vectorStep == 1 &&
      product.results * product.terms >= worthAsking) {
    MatrixVector scaling(e, product);
    isTiny = scaling.isTiny();
    scaled.vector = scaling.scaledVector(isTiny);
  }
  MatrixVector emission(e, scaled);
  if (combines(product)) {
    emission.emitCombine();
  } else {
    emission.emitDots();
  }
  if (isTiny) {
    emission.scaleResults(isTiny);
  }
}

} // namespace xla::cpu
