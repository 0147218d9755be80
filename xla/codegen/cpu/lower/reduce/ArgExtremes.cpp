#include "xla/codegen/cpu/lower/reduce/ArgExtremes.h"

#include "xla/codegen/cpu/TargetDescription.h"
#include "xla/codegen/cpu/lower/elementwise/Elementwise.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/ADT/bit.h"

#include <numeric>

namespace xla::cpu {

using namespace stablehlo;

//===----------------------------------------------------------------------===//
// Recognition
//===----------------------------------------------------------------------===//

namespace {

/// How two numbers compare. `Unordered`: one is a NaN, or both.
enum class Order : uint8_t { Less, Equal, Greater, Unordered };

/// A reducer run on a pair whose comparisons are known. It may spell the fold
/// as it likes, so it is judged by what it chooses.
class Trial {
public:
  Trial(Order order, bool firstIsNan, bool secondIsNan)
      : order(order), isNan{firstIsNan, secondIsNan} {}

  /// Whether a reducer of (number, position) chooses the pair `wanted`, where
  /// the first stands before the second. Of equal ones, the number may be
  /// `either`.
  bool chooses(mlir::Block &body, int wanted, bool either = false);

private:
  /// Arguments stand for themselves: 0 to 3; truth values are 4 and 5.
  static constexpr int kFalse = 4;
  using Known = std::optional<int>;

  Known compare(CompareOp op);
  Known extreme(mlir::Operation &op, int x, int y);
  Known evaluate(mlir::Operation &op);
  Known valueOf(mlir::Value value) {
    auto found = values.find(value);
    return found == values.end() ? std::nullopt : Known(found->second);
  }

  Order order;
  bool isNan[2];
  llvm::DenseMap<mlir::Value, int> values;
};

} // namespace

/// What a comparison in the order EQ, NE, GE, GT, LE, LT says.
static bool holds(ComparisonDirection direction, Order order) {
  switch (direction) {
  case ComparisonDirection::EQ:
    return order == Order::Equal;
  case ComparisonDirection::NE:
    return order != Order::Equal;
  case ComparisonDirection::GE:
    return order == Order::Greater || order == Order::Equal;
  case ComparisonDirection::GT:
    return order == Order::Greater;
  case ComparisonDirection::LE:
    return order == Order::Less || order == Order::Equal;
  case ComparisonDirection::LT:
    return order == Order::Less;
  }
  return false;
}

Trial::Known Trial::compare(CompareOp op) {
  Known x = valueOf(op.getLhs()), y = valueOf(op.getRhs());
  if (!x || !y || *x >= kFalse || *y >= kFalse || *x % 2 != *y % 2 ||
      op.getCompareType() == ComparisonType::TOTALORDER) {
    return std::nullopt;
  }
  Order result = Order::Equal;
  if (*x == *y) {
    result = *x % 2 == 0 && isNan[*x / 2] ? Order::Unordered : Order::Equal;
  } else {
    result = *x % 2 == 0 ? order : Order::Less;
    if (*x > *y) {
      result = result == Order::Less      ? Order::Greater
               : result == Order::Greater ? Order::Less
                                          : result;
    }
  }
  return kFalse + holds(op.getComparisonDirection(), result);
}

/// Of two integers, or of two positions; of equal ones, the first.
Trial::Known Trial::extreme(mlir::Operation &op, int x, int y) {
  bool isFloating = isFloat(elementTypeOf(op.getResult(0).getType()));
  if (isFloating || x >= kFalse || y >= kFalse || x % 2 != y % 2) {
    return std::nullopt;
  }
  Order found = x % 2 == 0 ? order : Order::Less;
  bool isFirst = found == Order::Equal ||
                 (found == Order::Greater) == llvm::isa<MaxOp>(op);
  return isFirst ? std::min(x, y) : std::max(x, y);
}

Trial::Known Trial::evaluate(mlir::Operation &op) {
  if (auto comparison = llvm::dyn_cast<CompareOp>(op)) {
    return compare(comparison);
  }
  llvm::SmallVector<int> x;
  for (mlir::Value operand : op.getOperands()) {
    Known value = valueOf(operand);
    if (!value) {
      return std::nullopt;
    }
    x.push_back(*value);
  }
  if (llvm::isa<SelectOp>(op)) {
    return x[0] >= kFalse ? Known(x[0] > kFalse ? x[1] : x[2]) : std::nullopt;
  }
  if (llvm::isa<MaxOp, MinOp>(op)) {
    return extreme(op, x[0], x[1]);
  }
  if (llvm::any_of(x, [](int value) { return value < kFalse; })) {
    return std::nullopt;
  }
  return llvm::TypeSwitch<mlir::Operation *, Known>(&op)
      .Case([&](AndOp) { return std::min(x[0], x[1]); })
      .Case([&](OrOp) { return std::max(x[0], x[1]); })
      .Case([&](XorOp) { return kFalse + (x[0] != x[1]); })
      .Case([&](NotOp) { return kFalse + (x[0] == kFalse); })
      .Default([](mlir::Operation *) { return std::nullopt; });
}

bool Trial::chooses(mlir::Block &body, int wanted, bool either) {
  for (auto [n, argument] : llvm::enumerate(body.getArguments())) {
    values[argument] = static_cast<int>(n);
  }
  for (mlir::Operation &op : body.without_terminator()) {
    Known value = op.getNumResults() == 1 ? evaluate(op) : std::nullopt;
    if (!value) {
      return false;
    }
    values[op.getResult(0)] = *value;
  }
  Known number = valueOf(body.getTerminator()->getOperand(0));
  Known position = valueOf(body.getTerminator()->getOperand(1));
  bool isNumber = number && *number < kFalse && *number % 2 == 0;
  return isNumber && (either || *number == 2 * wanted) &&
         position == 2 * wanted + 1;
}

/// `isSigned`: which of two zeros the number is matters.
static bool chooses(mlir::Block &body, bool isMaximum, bool isFloating,
                    bool isSigned) {
  auto compared = [&](Order order, int wanted) {
    bool either = order == Order::Equal && !isSigned;
    return Trial(order, false, false).chooses(body, wanted, either);
  };
  auto withNan = [&](bool first, bool second, int wanted) {
    return Trial(Order::Unordered, first, second).chooses(body, wanted);
  };
  return compared(Order::Less, isMaximum ? 1 : 0) &&
         compared(Order::Equal, 0) &&
         compared(Order::Greater, isMaximum ? 0 : 1) &&
         (!isFloating || (withNan(true, false, 0) && withNan(false, true, 1) &&
                          withNan(true, true, 0)));
}

std::optional<bool> ArgExtremes::recognize(ReduceOp op) {
  if (op.getInputs().size() != 2 || op.getDimensions().size() != 1) {
    return std::nullopt;
  }
  ElementType type = elementTypeOf(op.getInputs()[0].getType());
  ElementType counter = elementTypeOf(op.getInputs()[1].getType());
  int64_t dimension = op.getDimensions()[0];
  int64_t length = shapeOf(op.getInputs()[0])[dimension];
  auto positions = op.getInputs()[1].getDefiningOp<IotaOp>();
  bool isKnown = (isInteger(type) && bitWidth(type) >= 8) ||
                 (isFloat(type) && bitWidth(type) >= 16);
  bool counts =
      positions && isInteger(counter) &&
      static_cast<int64_t>(positions.getIotaDimension()) == dimension &&
      length > 0 &&
      length - 1 <= llvm::maxIntN(std::min<int64_t>(32, bitWidth(counter)));
  if (!isKnown || !counts) {
    return std::nullopt;
  }
  mlir::Block &body = op.getBody().front();
  bool isSigned = isFloat(type) && !op.getResult(0).use_empty();
  for (bool isMaximum : {true, false}) {
    if (chooses(body, isMaximum, isFloat(type), isSigned)) {
      return isMaximum;
    }
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

/// Lanes of a vector of 32 bytes, in which narrow columns are read.
static int64_t narrowLanes(ElementType type) {
  return bitWidth(type) == 64 ? 4 : 8;
}

bool ArgExtremes::areNarrow(int64_t length, int64_t columns) {
  // Columns that fill a vector are folded side by side in any case, which costs
  // less where they are short.
  constexpr int64_t most = 15, filling = 8;
  int64_t fewestRows = columns % filling == 0 ? 256 : 64;
  return columns > 1 && columns <= most && length >= fewestRows;
}

ArgExtremes::ArgExtremes(Emitter &e, ElementType type, bool isMaximum,
                         int64_t length, int64_t columns)
    : e(e), type(type), isMaximum(isMaximum), isFloating(isFloat(type)),
      isUnsigned(!isFloating && !isSignedInteger(type) && bitWidth(type) >= 32),
      length(length), columns(columns) {
  constexpr int64_t mostChains = 4;
  llvm::LLVMContext &context = e.context();
  bool isWide = bitWidth(type) == 64;
  index = llvm::Type::getIntNTy(context, isWide ? 64 : 32);
  number = !isFloating ? index
           : isWide    ? llvm::Type::getDoubleTy(context)
                       : llvm::Type::getFloatTy(context);
  lanes = llvm::bit_floor(static_cast<uint64_t>(
      std::min(length, cpuTarget.widestVector / (isWide ? 8 : 4))));
  chains = std::clamp<int64_t>(length / lanes, 1, mostChains);
  if (columns > 1) { // so many vectors that each lane keeps to its column
    lanes = narrowLanes(type);
    chains = columns / std::gcd(columns, lanes);
    chains *= std::max<int64_t>(1, mostChains / chains);
  }
}

llvm::Type *ArgExtremes::vectorOf(llvm::Type *element) {
  return llvm::FixedVectorType::get(element, static_cast<unsigned>(lanes));
}

ArgExtremes::Values ArgExtremes::none() {
  llvm::Type *vector = vectorOf(number);
  unsigned bits = index->getIntegerBitWidth();
  llvm::APInt worst = isUnsigned
                          ? (isMaximum ? llvm::APInt::getZero(bits)
                                       : llvm::APInt::getMaxValue(bits))
                          : (isMaximum ? llvm::APInt::getSignedMinValue(bits)
                                       : llvm::APInt::getSignedMaxValue(bits));
  llvm::Constant *none = isFloating
                             ? llvm::ConstantFP::getInfinity(vector, isMaximum)
                             : llvm::ConstantInt::get(vector, worst);
  Values values;
  for (int64_t chain = 0; chain < chains; ++chain) {
    // Where nothing is better, all elements are equal.
    values.push_back(none);
    values.push_back(llvm::Constant::getNullValue(vectorOf(index)));
  }
  return values;
}

/// Whether x, which stands behind `best`, takes its place.
llvm::Value *ArgExtremes::wins(llvm::Value *x, llvm::Value *best) {
  llvm::IRBuilder<> &b = e.builder();
  if (isFloating) {
    return b.CreateAnd(isMaximum ? b.CreateFCmpUGT(x, best)
                                 : b.CreateFCmpULT(x, best),
                       b.CreateFCmpORD(best, best));
  }
  return b.CreateICmp(isMaximum    ? (isUnsigned ? llvm::CmpInst::ICMP_UGT
                                                 : llvm::CmpInst::ICMP_SGT)
                      : isUnsigned ? llvm::CmpInst::ICMP_ULT
                                   : llvm::CmpInst::ICMP_SLT,
                      x, best);
}

/// A vector of elements in memory as numbers that the processor compares.
llvm::Value *ArgExtremes::read(llvm::Value *elements, llvm::Value *at) {
  llvm::IRBuilder<> &b = e.builder();
  llvm::Type *stored = memoryType(type, e.context());
  llvm::Value *x = b.CreateAlignedLoad(
      vectorOf(stored), b.CreateInBoundsGEP(stored, elements, at),
      llvm::Align(byteWidth(type)));
  if (type == ElementType::BF16) { // the upper half of an f32
    x = b.CreateShl(b.CreateZExt(x, vectorOf(index)), 16);
    return b.CreateBitCast(x, vectorOf(number));
  }
  return isFloating
             ? b.CreateFPCast(x, vectorOf(number))
             : b.CreateIntCast(x, vectorOf(number), isSignedInteger(type));
}

/// x at index `here` stands behind what the lanes have found so far.
void ArgExtremes::take(llvm::MutableArrayRef<llvm::Value *> ofLanes,
                       llvm::Value *x, llvm::Value *here) {
  llvm::IRBuilder<> &b = e.builder();
  llvm::Value *isBetter = wins(x, ofLanes[0]);
  ofLanes[0] = b.CreateSelect(isBetter, x, ofLanes[0]);
  ofLanes[1] = b.CreateSelect(isBetter, here, ofLanes[1]);
}

ArgExtremes::Values ArgExtremes::fold(llvm::ArrayRef<llvm::Value *> extremes,
                                      llvm::Value *elements, llvm::Value *first,
                                      int64_t count) {
  llvm::SmallVector<llvm::Constant *> numbers;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    numbers.push_back(llvm::ConstantInt::get(index, lane));
  }
  llvm::Constant *ownNumber = llvm::ConstantVector::get(numbers);
  auto width = static_cast<unsigned>(lanes);
  auto add = [&](Values &values, int64_t chain, llvm::Value *at) {
    llvm::IRBuilder<> &b = e.builder();
    llvm::Value *x = read(elements, at);
    llvm::Value *start = b.CreateTrunc(b.CreateNSWAdd(first, at), index);
    llvm::Value *here =
        b.CreateAdd(b.CreateVectorSplat(width, start), ownNumber);
    take(llvm::MutableArrayRef(values).slice(2 * chain, 2), x, here);
  };
  int64_t round = chains * lanes, rounds = count / round;
  Values values = e.loop(
      e.constant(0), e.constant(rounds), extremes,
      [&](llvm::Value *i, llvm::ArrayRef<llvm::Value *> before) {
        Values next(before);
        llvm::Value *start = e.builder().CreateNSWMul(i, e.constant(round));
        for (int64_t chain = 0; chain < chains; ++chain) {
          add(next, chain,
              e.builder().CreateNSWAdd(start, e.constant(chain * lanes)));
        }
        return next;
      });
  int64_t done = rounds * round, chain = 0;
  for (; done + lanes <= count; done += lanes) {
    add(values, chain++, e.constant(done));
  }
  if (done < count) { // some of the last vector's elements for a second time
    add(values, chain, e.constant(count - lanes));
  }
  return values;
}

/// Signed integers of the order that counts: a NaN is the largest, and zeros
/// are equal.
llvm::Value *ArgExtremes::keyOf(llvm::Value *x) {
  llvm::IRBuilder<> &b = e.builder();
  unsigned bits = index->getIntegerBitWidth();
  auto constant = [&](const llvm::APInt &value) {
    return llvm::ConstantInt::get(vectorOf(index), value);
  };
  if (!isFloating) {
    llvm::Value *key =
        isUnsigned ? b.CreateXor(x, constant(llvm::APInt::getSignMask(bits)))
                   : x;
    return isMaximum ? key : b.CreateNot(key);
  }
  llvm::APInt most = llvm::APInt::getSignedMaxValue(bits);
  llvm::Value *raw = b.CreateBitCast(x, vectorOf(index));
  llvm::Value *magnitude = b.CreateAnd(raw, constant(most));
  llvm::Value *isNegative =
      b.CreateICmpSLT(raw, constant(llvm::APInt(bits, 0)));
  llvm::Value *opposite = b.CreateNeg(magnitude);
  llvm::Value *key = isMaximum
                         ? b.CreateSelect(isNegative, opposite, magnitude)
                         : b.CreateSelect(isNegative, magnitude, opposite);
  return b.CreateSelect(b.CreateFCmpUNO(x, x), constant(most), key);
}

llvm::Value *ArgExtremes::position(llvm::ArrayRef<llvm::Value *> extremes) {
  llvm::IRBuilder<> &b = e.builder();
  Values keys;
  llvm::Value *best = nullptr;
  for (int64_t chain = 0; chain < chains; ++chain) {
    keys.push_back(keyOf(extremes[2 * chain]));
    best =
        best ? b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, best, keys.back())
             : keys.back();
  }
  best = b.CreateVectorSplat(static_cast<unsigned>(lanes),
                             b.CreateIntMaxReduce(best, true));
  llvm::Value *none = llvm::ConstantInt::get(
      vectorOf(index),
      llvm::APInt::getSignedMaxValue(index->getIntegerBitWidth()));
  llvm::Value *where = none;
  for (int64_t chain = 0; chain < chains; ++chain) {
    llvm::Value *own = b.CreateSelect(b.CreateICmpEQ(keys[chain], best),
                                      extremes[2 * chain + 1], none);
    where = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, where, own);
  }
  return b.CreateZExt(b.CreateIntMinReduce(where, true), b.getInt64Ty());
}

/// Of the lanes of all chains, which are in memory, those of one column: the
/// first index of the best key.
llvm::Value *ArgExtremes::firstOf(llvm::Value *keys, llvm::Value *indices,
                                  int64_t column) {
  llvm::Value *none = llvm::ConstantInt::get(
      index, llvm::APInt::getSignedMaxValue(index->getIntegerBitWidth()));
  llvm::Value *least = llvm::ConstantInt::get(
      index, llvm::APInt::getSignedMinValue(index->getIntegerBitWidth()));
  Values found = e.loop(
      e.constant(0), e.constant(chains * lanes / columns), {least, none},
      [&](llvm::Value *i, llvm::ArrayRef<llvm::Value *> before) -> Values {
        llvm::IRBuilder<> &b = e.builder();
        llvm::Value *at = b.CreateNSWAdd(b.CreateNSWMul(i, e.constant(columns)),
                                         e.constant(column));
        auto load = [&](llvm::Value *array) {
          return b.CreateLoad(index, b.CreateInBoundsGEP(index, array, at));
        };
        llvm::Value *key = load(keys), *where = load(indices);
        llvm::Value *isFirst = b.CreateAnd(b.CreateICmpEQ(key, before[0]),
                                           b.CreateICmpSLT(where, before[1]));
        llvm::Value *isBetter =
            b.CreateOr(b.CreateICmpSGT(key, before[0]), isFirst);
        return {b.CreateSelect(isBetter, key, before[0]),
                b.CreateSelect(isBetter, where, before[1])};
      });
  return e.builder().CreateZExt(found[1], e.builder().getInt64Ty());
}

/// By rounds of whole rows that fill whole vectors. Lanes keep the first row of
/// the round in which they found their extreme; how much further down they are
/// themselves is added at the end. The last round may overlap the one before.
ArgExtremes::Values ArgExtremes::ofColumns(llvm::Value *matrix) {
  int64_t together = chains * lanes / columns, rounds = length / together;
  auto width = static_cast<unsigned>(lanes);
  auto add = [&](llvm::ArrayRef<llvm::Value *> before, llvm::Value *row) {
    llvm::IRBuilder<> &b = e.builder();
    Values next(before);
    llvm::Value *here = b.CreateVectorSplat(width, b.CreateTrunc(row, index));
    llvm::Value *start = b.CreateNSWMul(row, e.constant(columns));
    for (int64_t chain = 0; chain < chains; ++chain) {
      llvm::Value *x =
          read(matrix, b.CreateNSWAdd(start, e.constant(chain * lanes)));
      take(llvm::MutableArrayRef(next).slice(2 * chain, 2), x, here);
    }
    return next;
  };
  Values found = e.loop(
      e.constant(0), e.constant(rounds), none(),
      [&](llvm::Value *i, llvm::ArrayRef<llvm::Value *> before) {
        return add(before, e.builder().CreateNSWMul(i, e.constant(together)));
      });
  if (rounds * together < length) {
    found = add(found, e.constant(length - together));
  }
  auto *all = llvm::ArrayType::get(index, chains * lanes);
  llvm::Value *keys = e.frameSlot(all), *indices = e.frameSlot(all);
  for (int64_t chain = 0; chain < chains; ++chain) {
    llvm::SmallVector<llvm::Constant *> down;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      down.push_back(
          llvm::ConstantInt::get(index, (chain * lanes + lane) / columns));
    }
    llvm::IRBuilder<> &b = e.builder();
    llvm::Value *at = e.constant(chain * lanes);
    b.CreateAlignedStore(keyOf(found[2 * chain]),
                         b.CreateInBoundsGEP(index, keys, at), llvm::Align(4));
    b.CreateAlignedStore(
        b.CreateAdd(found[2 * chain + 1], llvm::ConstantVector::get(down)),
        b.CreateInBoundsGEP(index, indices, at), llvm::Align(4));
  }
  Values positions;
  for (int64_t column = 0; column < columns; ++column) {
    positions.push_back(firstOf(keys, indices, column));
  }
  return positions;
}

/// One element as a number that the processor compares.
llvm::Value *ArgExtremes::widened(llvm::Value *x) {
  return isFloating
             ? widen(e, x, type)
             : e.builder().CreateIntCast(x, number, isSignedInteger(type));
}

/// Whether nothing is worse than this constant.
bool ArgExtremes::isWorst(llvm::Value *start) const {
  if (isFloating) {
    auto *real = llvm::dyn_cast<llvm::ConstantFP>(widen(e, start, type));
    return real && real->isInfinity() && real->isNegative() == isMaximum;
  }
  auto *integer = llvm::dyn_cast<llvm::ConstantInt>(start);
  bool isSigned = isSignedInteger(type);
  return integer && (isMaximum ? integer->isMinValue(isSigned)
                               : integer->isMaxValue(isSigned));
}

llvm::SmallVector<Element>
ArgExtremes::among(ReduceOp op,
                   llvm::ArrayRef<llvm::SmallVector<Element>> elements) {
  llvm::IRBuilder<> &b = e.builder();
  llvm::Value *found = elements[0][0].real, *best = widened(found);
  llvm::Value *where = llvm::ConstantInt::get(index, 0);
  for (size_t i = 1; i < elements.size(); ++i) {
    llvm::Value *other = elements[i][0].real, *x = widened(other);
    llvm::Value *isBetter = wins(x, best);
    best = b.CreateSelect(isBetter, x, best);
    found = b.CreateSelect(isBetter, other, found);
    where = b.CreateSelect(isBetter, llvm::ConstantInt::get(index, i), where);
  }
  Element start[] = {e.scalar(op.getInitValues()[0]),
                     e.scalar(op.getInitValues()[1])};
  llvm::Value *position =
      b.CreateIntCast(where, start[1].real->getType(), /*isSigned=*/false);
  // From the worst number on, at the first index, nothing else is found.
  auto *first = llvm::dyn_cast<llvm::ConstantInt>(start[1].real);
  if (isWorst(start[0].real) && first && first->isZero()) {
    return {{found}, {position}};
  }
  return e.emitScalarRegion(op.getBody(),
                            {start[0], start[1], {found}, {position}});
}

} // namespace xla::cpu
