#include "xla/codegen/cpu/lower/reduce/FloatExtremes.h"

#include "xla/codegen/cpu/TargetDescription.h"

namespace xla::cpu {

/// Of the vectors by which a row is folded: of short rows, as many bytes as
/// most processors' have.
static constexpr int64_t shortBytes = cpuTarget.commonVector,
                         longBytes = cpuTarget.widestVector, longRow = 512;

FloatExtremes::FloatExtremes(Emitter &e, Fold fold, ElementType type)
    : e(e), type(type), isMaximum(fold == Fold::Maximum),
      element(registerType(type, e.context())) {}

bool FloatExtremes::areFor(Fold fold, ElementType type) {
  return (fold == Fold::Maximum || fold == Fold::Minimum) &&
         (type == ElementType::F32 || type == ElementType::F64);
}

bool FloatExtremes::fillVectors(ElementType type, int64_t length) {
  return length * byteWidth(type) >= shortBytes;
}

/// y where one of them is a NaN, or both are zeros: as one instruction has it.
llvm::Value *FloatExtremes::better(llvm::Value *x, llvm::Value *y) {
  llvm::IRBuilder<> &b = e.builder();
  llvm::Value *wins = isMaximum ? b.CreateFCmpOGT(x, y) : b.CreateFCmpOLT(x, y);
  return b.CreateSelect(wins, x, y);
}

/// A maximum that is a zero is a negative one if all signs are set; a minimum,
/// if one is.
llvm::Value *FloatExtremes::sign(llvm::Value *x, llvm::Value *y) {
  return isMaximum ? e.builder().CreateAnd(x, y) : e.builder().CreateOr(x, y);
}

llvm::Value *FloatExtremes::bits(llvm::Value *x) {
  return e.builder().CreateBitCast(
      x,
      x->getType()->getWithNewBitWidth(static_cast<unsigned>(bitWidth(type))));
}

llvm::Value *FloatExtremes::unordered(llvm::Value *x, llvm::Value *y) {
  llvm::IRBuilder<> &b = e.builder();
  return b.CreateSExt(b.CreateFCmpUNO(x, y), bits(x)->getType());
}

/// One comparison finds the NaNs of two vectors.
FloatExtremes::Lanes FloatExtremes::ofVectors(Values vectors) {
  llvm::Value *first = vectors.front();
  Lanes lanes = {first, unordered(first, vectors.back()), bits(first)};
  for (size_t i = 1; i < vectors.size(); ++i) {
    llvm::Value *x = vectors[i];
    lanes.best = better(x, lanes.best);
    lanes.signs = sign(lanes.signs, bits(x));
    if (i % 2 == 0) {
      lanes.nans =
          e.builder().CreateOr(lanes.nans, unordered(x, vectors[i - 1]));
    }
  }
  return lanes;
}

FloatExtremes::Lanes FloatExtremes::joined(const Lanes &x, const Lanes &y) {
  return {better(x.best, y.best), e.builder().CreateOr(x.nans, y.nans),
          sign(x.signs, y.signs)};
}

llvm::Value *FloatExtremes::result(Lanes lanes) {
  llvm::IRBuilder<> &b = e.builder();
  llvm::Value *zero = llvm::Constant::getNullValue(lanes.signs->getType());
  llvm::Value *isNan = b.CreateICmpSLT(lanes.nans, zero);
  llvm::Value *isNegative = b.CreateICmpSLT(lanes.signs, zero);
  if (auto *type =
          llvm::dyn_cast<llvm::FixedVectorType>(lanes.best->getType())) {
    isNan = b.CreateOrReduce(isNan);
    isNegative = isMaximum ? b.CreateAndReduce(isNegative)
                           : b.CreateOrReduce(isNegative);
    for (unsigned half = type->getNumElements() / 2; half > 0; half /= 2) {
      llvm::SmallVector<int> low, high;
      for (unsigned i = 0; i < half; ++i) {
        low.push_back(static_cast<int>(i));
        high.push_back(static_cast<int>(half + i));
      }
      lanes.best = better(b.CreateShuffleVector(lanes.best, low),
                          b.CreateShuffleVector(lanes.best, high));
    }
    lanes.best = b.CreateExtractElement(lanes.best, uint64_t(0));
  }
  return finished(lanes, isNan, isNegative);
}

/// With NaNs and the signs of zeros, of one number or of each lane.
llvm::Value *FloatExtremes::finished(const Lanes &lanes, llvm::Value *isNan,
                                     llvm::Value *isNegative) {
  llvm::IRBuilder<> &b = e.builder();
  llvm::Type *number = lanes.best->getType();
  llvm::Value *positive = llvm::ConstantFP::get(number, 0.0);
  llvm::Value *signedZero =
      b.CreateSelect(isNegative, llvm::ConstantFP::get(number, -0.0), positive);
  llvm::Value *best = b.CreateSelect(b.CreateFCmpOEQ(lanes.best, positive),
                                     signedZero, lanes.best);
  return b.CreateSelect(isNan, llvm::ConstantFP::getNaN(number), best);
}

llvm::Value *FloatExtremes::among(Values few) { return result(ofVectors(few)); }

llvm::Value *FloatExtremes::read(llvm::Value *row, llvm::Value *at,
                                 int64_t lanes) {
  llvm::IRBuilder<> &b = e.builder();
  auto *vector =
      llvm::FixedVectorType::get(element, static_cast<unsigned>(lanes));
  return b.CreateAlignedLoad(vector, b.CreateInBoundsGEP(element, row, at),
                             llvm::Align(byteWidth(type)));
}

llvm::Value *FloatExtremes::ofRow(llvm::Value *row, int64_t length) {
  int64_t bytes = byteWidth(type);
  if (length * bytes >= longRow) {
    return ofPiece(row, length, e.constant(0), e.constant(length));
  }
  int64_t lanes = shortBytes / bytes;
  llvm::SmallVector<llvm::Value *> vectors;
  for (int64_t at = 0; at < length; at += lanes) {
    vectors.push_back(
        read(row, e.constant(std::min(at, length - lanes)), lanes));
  }
  return among(vectors);
}

llvm::Value *FloatExtremes::ofPiece(llvm::Value *row, int64_t length,
                                    llvm::Value *begin, llvm::Value *end) {
  constexpr int64_t together = 2;
  int64_t lanes = longBytes / byteWidth(type), round = together * lanes;
  llvm::IRBuilder<> &b = e.builder();
  begin = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, begin,
                                  e.constant(length - round));
  auto readRound = [&](llvm::Value *at) {
    llvm::SmallVector<llvm::Value *> vectors;
    for (int64_t i = 0; i < together; ++i) {
      vectors.push_back(read(
          row, e.builder().CreateNSWAdd(at, e.constant(i * lanes)), lanes));
    }
    return vectors;
  };
  // Every vector of a round has its own extreme, so that none is waited for;
  // what else is kept is theirs together.
  auto add = [&](llvm::Value *at, llvm::ArrayRef<llvm::Value *> before) {
    llvm::SmallVector<llvm::Value *> x = readRound(at);
    Lanes own = ofVectors(x);
    llvm::SmallVector<llvm::Value *> next = {
        e.builder().CreateOr(before[0], own.nans), sign(before[1], own.signs)};
    for (int64_t i = 0; i < together; ++i) {
      next.push_back(better(x[i], before[2 + i]));
    }
    return next;
  };
  llvm::SmallVector<llvm::Value *> first = readRound(begin);
  Lanes own = ofVectors(first);
  llvm::SmallVector<llvm::Value *> kept = {own.nans, own.signs};
  llvm::append_range(kept, first);
  llvm::Value *count = b.CreateNSWSub(end, begin);
  llvm::Value *rounds = b.CreateUDiv(count, e.constant(round));
  llvm::Value *rest = b.CreateURem(count, e.constant(round));
  kept = e.loop(
      e.constant(1), rounds, kept,
      [&](llvm::Value *i, llvm::ArrayRef<llvm::Value *> before) {
        llvm::IRBuilder<> &b = e.builder();
        return add(b.CreateNSWAdd(begin, b.CreateNSWMul(i, e.constant(round))),
                   before);
      });
  auto *known = llvm::dyn_cast<llvm::ConstantInt>(rest);
  if (!known || !known->isZero()) {
    kept = add(e.builder().CreateNSWSub(end, e.constant(round)), kept);
  }
  Lanes all = {kept[2], kept[0], kept[1]};
  for (int64_t i = 1; i < together; ++i) {
    all.best = better(kept[2 + i], all.best);
  }
  return result(all);
}

//===----------------------------------------------------------------------===//
// Columns and short lines
//===----------------------------------------------------------------------===//

/// How many elements of lines that are so long a vector has.
static int64_t lanesFor(ElementType type, int64_t width) {
  int64_t lanes = longBytes / byteWidth(type);
  return width >= lanes ? lanes : shortBytes / byteWidth(type);
}

static int64_t vectorsOf(ElementType type, int64_t width) {
  int64_t lanes = lanesFor(type, width);
  return (width + lanes - 1) / lanes;
}

static constexpr int64_t vectorsOfBlock = 4;

bool FloatExtremes::areColumnsFor(ElementType type, int64_t width) {
  constexpr int64_t longest = 2048; // bytes, half a page
  return fillVectors(type, width) && width * byteWidth(type) <= longest;
}

int64_t FloatExtremes::blocksOf(ElementType type, int64_t width) {
  return (vectorsOf(type, width) + vectorsOfBlock - 1) / vectorsOfBlock;
}

FloatExtremes::Lanes FloatExtremes::noneOf(int64_t lanes) {
  auto *numbers =
      llvm::FixedVectorType::get(element, static_cast<unsigned>(lanes));
  auto *words =
      numbers->getWithNewBitWidth(static_cast<unsigned>(bitWidth(type)));
  auto *none = llvm::Constant::getNullValue(words);
  return {llvm::ConstantFP::getInfinity(numbers, isMaximum), none,
          isMaximum ? llvm::Constant::getAllOnesValue(words) : none};
}

/// `before` is an extreme, NaNs and signs; so is what comes after them.
FloatExtremes::Lanes FloatExtremes::added(Values before, llvm::Value *x) {
  return {better(x, before[0]),
          e.builder().CreateOr(before[1], unordered(x, x)),
          sign(before[2], bits(x))};
}

void FloatExtremes::ofColumns(llvm::Value *block, int64_t width,
                              llvm::Value *start, llvm::Value *result,
                              EachLine eachLine) {
  llvm::IRBuilder<> &b = e.builder();
  int64_t lanes = lanesFor(type, width);
  int64_t vectors = std::min(vectorsOf(type, width), vectorsOfBlock);
  Lanes none = noneOf(lanes);
  llvm::SmallVector<llvm::Value *> columns, kept;
  for (int64_t v = 0; v < vectors; ++v) {
    llvm::Value *number = b.CreateNSWAdd(
        b.CreateNSWMul(block, e.constant(vectorsOfBlock)), e.constant(v));
    columns.push_back(b.CreateBinaryIntrinsic(
        llvm::Intrinsic::smin, b.CreateNSWMul(number, e.constant(lanes)),
        e.constant(width - lanes)));
    kept.append({none.best, none.nans, none.signs});
  }
  kept = eachLine(kept, [&](llvm::Value *line, Values before) {
    llvm::SmallVector<llvm::Value *> next;
    for (auto [v, column] : llvm::enumerate(columns)) {
      Lanes lane = added(before.slice(3 * v, 3), read(line, column, lanes));
      next.append({lane.best, lane.nans, lane.signs});
    }
    return next;
  });
  llvm::Value *zero = llvm::Constant::getNullValue(none.nans->getType());
  Fold fold = isMaximum ? Fold::Maximum : Fold::Minimum;
  for (auto [v, column] : llvm::enumerate(columns)) {
    Lanes lane = {kept[3 * v], kept[3 * v + 1], kept[3 * v + 2]};
    llvm::Value *extreme = finished(lane, b.CreateICmpSLT(lane.nans, zero),
                                    b.CreateICmpSLT(lane.signs, zero));
    llvm::Value *first =
        b.CreateVectorSplat(static_cast<unsigned>(lanes), start);
    b.CreateAlignedStore(foldValues(e, fold, type, first, extreme, false),
                         b.CreateInBoundsGEP(element, result, column),
                         llvm::Align(byteWidth(type)));
  }
}

llvm::SmallVector<llvm::Value *> FloatExtremes::noneOfLines(int64_t length) {
  Lanes none = noneOf(lanesFor(type, length));
  return {none.best, none.nans, none.signs};
}

llvm::SmallVector<llvm::Value *>
FloatExtremes::addLine(Values before, llvm::Value *line, int64_t length) {
  int64_t lanes = lanesFor(type, length);
  llvm::SmallVector<llvm::Value *> next(before);
  for (int64_t v = 0; v < vectorsOf(type, length); ++v) {
    Lanes lane =
        added(next, read(line, e.constant(std::min(v * lanes, length - lanes)),
                         lanes));
    next = {lane.best, lane.nans, lane.signs};
  }
  return next;
}

llvm::Value *FloatExtremes::ofLines(Values kept) {
  return result({kept[0], kept[1], kept[2]});
}

} // namespace xla::cpu
