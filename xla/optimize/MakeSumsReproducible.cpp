//===- MakeSumsReproducible.cpp - Sums in any order, with the same bits ---===//
//
// A sum of floats depends on the order of its terms, because each addition
// rounds. Terms that are whole multiples of one unit, and so few that no sum of
// them reaches 2^53 units, are added in f64 without any rounding: on any number
// of threads, lanes and devices the bits are the same.
//
// Sums: the largest term gives the unit, each term is cut at it, and what is
// left at a finer one if more bits are needed (pre-rounding: J. Demmel and
// H. D. Nguyen, "Fast Reproducible Floating-Point Summation", 2013).
// Products of matrices, and convolutions: rows of both factors are cut into
// slices whose products have at most 53 bits with their sums (K. Ozaki et al.,
// "Error-free transformations of matrix multiplication by using fast routines
// of matrix multiplication and its applications", 2012).
//
// Runs on modules with the attribute jax.reproducible, before they are divided
// among devices.
//
//===----------------------------------------------------------------------===//

#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/optimize/Patterns.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;

namespace xla {

using namespace stablehlo;

namespace {

/// Bits of a float64, and of its largest whole numbers without gaps.
constexpr int kDigits = 53;

/// A float64 array times a power of two: no element reaches 2.
struct Normalized {
  Value terms; ///< elements that are not finite are as they were
  Value power; ///< a power of two, along the dimensions that are kept
};

/// Builds operations on arrays of f64.
class Exact {
public:
  Exact(OpBuilder &b, Location location) : b(b), location(location) {}

  Value widened(Value value) {
    return ConvertOp::create(b, location, doubles(typeOf(value)), value);
  }
  Value number(double value, Value like) {
    RankedTensorType type = doubles(typeOf(like));
    return ConstantOp::create(
        b, location, SplatElementsAttr::get(type, b.getF64FloatAttr(value)));
  }
  template <typename Op>
  Value binary(Value lhs, Value rhs) {
    return Op::create(b, location, lhs, rhs);
  }
  Value chosen(Value condition, Value yes, Value no) {
    return SelectOp::create(b, location, condition, yes, no);
  }
  Value isFinite(Value value) { return IsFiniteOp::create(b, location, value); }

  template <typename Fold>
  Value reduce(Value value, ArrayRef<int64_t> dimensions);
  Value spread(Value value, Value like, ArrayRef<int64_t> reduced);
  Value largest(Value value, ArrayRef<int64_t> dimensions);
  Value powerOf(Value largest);
  Normalized normalize(Value value, Value power, ArrayRef<int64_t> reduced);
  SmallVector<Value> slices(Value terms, int count, int bits,
                            bool keepsInfinities);
  Value withSign(Value value);
  Value combined(ArrayRef<Value> parts);

  static RankedTensorType doubles(RankedTensorType type) {
    return type.clone(Float64Type::get(type.getContext()));
  }

  OpBuilder &b;
  Location location;
};

} // namespace

template <typename Fold>
Value Exact::reduce(Value value, ArrayRef<int64_t> dimensions) {
  RankedTensorType type = typeOf(value);
  Sizes kept;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    if (!llvm::is_contained(dimensions, d)) {
      kept.push_back(type.getDimSize(d));
    }
  }
  auto scalar = RankedTensorType::get({}, type.getElementType());
  Value zero = ConstantOp::create(
      b, location, SplatElementsAttr::get(scalar, b.getF64FloatAttr(0)));
  auto op = ReduceOp::create(b, location, TypeRange{type.clone(kept)},
                             ValueRange{value}, ValueRange{zero},
                             b.getDenseI64ArrayAttr(dimensions));
  OpBuilder::InsertionGuard guard(b);
  Block *block =
      b.createBlock(&op.getBody(), {}, {scalar, scalar}, {location, location});
  Value fold =
      Fold::create(b, location, block->getArgument(0), block->getArgument(1));
  stablehlo::ReturnOp::create(b, location, fold);
  return op.getResult(0);
}

/// A reduced array in the shape of what it was reduced from.
Value Exact::spread(Value value, Value like, ArrayRef<int64_t> reduced) {
  Sizes kept;
  for (int64_t d = 0; d < typeOf(like).getRank(); ++d) {
    if (!llvm::is_contained(reduced, d)) {
      kept.push_back(d);
    }
  }
  return BroadcastInDimOp::create(b, location, doubles(typeOf(like)), value,
                                  b.getDenseI64ArrayAttr(kept));
}

/// The largest magnitude of finite elements of an array of f64; 0 without any.
Value Exact::largest(Value value, ArrayRef<int64_t> dimensions) {
  Value magnitude = AbsOp::create(b, location, value);
  magnitude = chosen(isFinite(value), magnitude, number(0, value));
  return reduce<MaxOp>(magnitude, dimensions);
}

/// The power of two at or below a number: its bits without the fraction. Zero
/// and numbers below the normal ones have 2^-1023, whose inverse is finite.
Value Exact::powerOf(Value largest) {
  RankedTensorType type = typeOf(largest);
  auto bits = type.clone(b.getI64Type());
  Value whole = BitcastConvertOp::create(b, location, bits, largest);
  Value exponent = ConstantOp::create(
      b, location,
      SplatElementsAttr::get(bits, b.getI64IntegerAttr(0x7FF0000000000000)));
  whole = AndOp::create(b, location, whole, exponent);
  Value power = BitcastConvertOp::create(b, location, type, whole);
  Value zero = number(0, largest);
  Value isSmall = CompareOp::create(
      b, location, power, zero,
      ComparisonDirectionAttr::get(b.getContext(), ComparisonDirection::EQ),
      ComparisonTypeAttr());
  return chosen(isSmall, number(std::ldexp(1.0, -1023), largest), power);
}

/// Divides by a power of two, which loses nothing.
Normalized Exact::normalize(Value value, Value power,
                            ArrayRef<int64_t> reduced) {
  Value inverse = binary<DivOp>(number(1, power), power);
  Value scaled = binary<MulOp>(value, spread(inverse, value, reduced));
  return {chosen(isFinite(value), scaled, value), power};
}

/// Cuts elements below 2 into `count` slices. Each is a multiple of a unit: the
/// first of 2^(1 - bits), and the others of 2^-(bits + 1) times the one before,
/// since what a slice leaves is at most half its unit. What is not finite goes
/// into the first slice where `keepsInfinities` says so, and else is 0.
SmallVector<Value> Exact::slices(Value terms, int count, int bits,
                                 bool keepsInfinities) {
  SmallVector<Value> parts;
  Value zero = number(0, terms);
  Value finite = isFinite(terms);
  Value rest = chosen(finite, terms, zero);
  for (int i = 0; i < count; ++i) {
    // Adding it moves a number to where numbers are one unit apart.
    int exponent = kDigits - bits - i * (bits + 1);
    Value shift = number(std::ldexp(1.5, exponent), terms);
    Value part = binary<SubtractOp>(binary<AddOp>(rest, shift), shift);
    rest = binary<SubtractOp>(rest, part);
    parts.push_back(part);
  }
  if (keepsInfinities) {
    parts[0] = chosen(finite, parts[0], terms);
  }
  return parts;
}

/// -1, 0 and 1 for finite elements, others as they are: products and sums of
/// these are infinite, or no number, where those of the elements are.
Value Exact::withSign(Value value) {
  Value sign = SignOp::create(b, location, value);
  Value narrow = chosen(isFinite(value), sign, value);
  return ConvertOp::create(b, location, typeOf(value).clone(b.getF32Type()),
                           narrow);
}

/// The sum of parts of which each is smaller than the one before.
Value Exact::combined(ArrayRef<Value> parts) {
  Value sum = parts.back();
  for (Value part : llvm::reverse(parts.drop_back())) {
    sum = binary<AddOp>(part, sum);
  }
  return sum;
}

//===----------------------------------------------------------------------===//
// What is summed
//===----------------------------------------------------------------------===//

static bool isFloat(Value value) {
  return isa<FloatType>(getElementTypeOrSelf(value));
}

static bool isComplex(Value value) {
  return isa<ComplexType>(getElementTypeOrSelf(value));
}

static int64_t countOf(Value value, ArrayRef<int64_t> dimensions) {
  int64_t count = 1;
  for (int64_t d : dimensions) {
    count *= typeOf(value).getDimSize(d);
  }
  return count;
}

static int log2Of(int64_t count) {
  return static_cast<int>(
      llvm::Log2_64_Ceil(static_cast<uint64_t>(std::max<int64_t>(count, 1))));
}

/// Bits below the largest term that a sum keeps: those of the type, and some
/// for terms that are smaller.
static int bitsOfSums(Type element) {
  unsigned width = element.getIntOrFloatBitWidth();
  return width > 32 ? 64 : width > 16 ? 30 : 20;
}

/// The same of factors, of which elements far below the largest of their row
/// count less.
static int bitsOfProducts(Type element) {
  unsigned width = element.getIntOrFloatBitWidth();
  return width > 32 ? 64 : width > 16 ? 36 : 20;
}

/// The slices by which a sum of so many terms keeps so many bits, and the bits
/// of the first: all but those that the sum needs above them.
struct Cut {
  Cut(int64_t terms, int wanted)
      : bits(kDigits - std::max(log2Of(terms), 2)),
        slices(std::max(1, (wanted + bits - 1) / bits)) {}
  int bits;
  int slices;
};

/// The same for sums of products: both factors share the bits.
struct ProductCut {
  ProductCut(int64_t terms, int wanted)
      : bits(std::max((kDigits - log2Of(terms)) / 2, 1)),
        slices(std::max(1, (wanted + bits) / (bits + 1))) {}
  int bits;
  int slices;
};

/// A factor of products as slices, and what gives its sums their magnitude.
struct Factor {
  SmallVector<Value> slices;
  Value power;
  Value sign;
};

static Factor cutFactor(Exact &exact, Value value, ArrayRef<int64_t> dimensions,
                        const ProductCut &cut) {
  Value wide = exact.widened(value);
  Value power = exact.powerOf(exact.largest(wide, dimensions));
  Normalized normal = exact.normalize(wide, power, dimensions);
  return {exact.slices(normal.terms, cut.slices, cut.bits, false), power,
          exact.withSign(wide)};
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// Sums of an array of f64 that keep so many bits below the largest term.
static Value sumOf(Exact &exact, Value wide, ArrayRef<int64_t> dimensions,
                   int wanted) {
  Value power = exact.powerOf(exact.largest(wide, dimensions));
  Normalized normal = exact.normalize(wide, power, dimensions);
  Cut cut(countOf(wide, dimensions), wanted);
  SmallVector<Value> sums;
  for (Value part : exact.slices(normal.terms, cut.slices, cut.bits, true)) {
    sums.push_back(exact.reduce<AddOp>(part, dimensions));
  }
  return exact.binary<MulOp>(exact.combined(sums), power);
}

/// Products of many numbers round in any case. They are folded in halves, an
/// order that depends on nothing but their count.
static void rewriteProduct(ReduceOp op) {
  OpBuilder b(op);
  Location location = op.getLoc();
  Value product = op.getInputs().front();
  for (int64_t d : op.getDimensions()) {
    while (typeOf(product).getDimSize(d) > 1) {
      RankedTensorType type = typeOf(product);
      int64_t size = type.getDimSize(d), half = (size + 1) / 2;
      auto part = [&](int64_t begin, int64_t end) -> Value {
        Sizes from(type.getRank(), 0), strides(type.getRank(), 1);
        Sizes to(type.getShape());
        from[d] = begin;
        to[d] = end;
        return SliceOp::create(
            b, location, product, b.getDenseI64ArrayAttr(from),
            b.getDenseI64ArrayAttr(to), b.getDenseI64ArrayAttr(strides));
      };
      Value folded =
          MulOp::create(b, location, part(0, size - half), part(half, size));
      if (size % 2) {
        folded = ConcatenateOp::create(b, location,
                                       ValueRange{folded, part(half - 1, half)},
                                       static_cast<uint64_t>(d));
      }
      product = folded;
    }
  }
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  product = ReshapeOp::create(b, location, type, product);
  Value initial =
      BroadcastInDimOp::create(b, location, type, op.getInitValues().front(),
                               b.getDenseI64ArrayAttr({}));
  op.getResult(0).replaceAllUsesWith(
      MulOp::create(b, location, product, initial).getResult());
  op->erase();
}

static void rewrite(ReduceOp op) {
  if (op.getInputs().size() != 1 || op.getDimensions().empty()) {
    return;
  }
  bool isOfFloats =
      isFloat(op.getInputs().front()) || isComplex(op.getInputs().front());
  if (isOfFloats && isa_and_nonnull<MulOp>(foldOf(op.getBody())) &&
      typeOf(op.getInputs().front()).getNumElements() > 0) {
    rewriteProduct(op);
    return;
  }
  if (!isa_and_nonnull<AddOp>(foldOf(op.getBody()))) {
    return;
  }
  OpBuilder b(op);
  Exact exact(b, op.getLoc());
  Value input = op.getInputs().front();
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  auto sum = [&](Value terms, Value initial) {
    Value all = sumOf(exact, exact.widened(terms), op.getDimensions(),
                      bitsOfSums(typeOf(terms).getElementType()));
    Value start = BroadcastInDimOp::create(b, op.getLoc(), typeOf(all),
                                           exact.widened(initial),
                                           b.getDenseI64ArrayAttr({}));
    return exact.binary<AddOp>(all, start);
  };
  Value initial = op.getInitValues().front();
  if (isFloat(input)) {
    Value all = sum(input, initial);
    op.getResult(0).replaceAllUsesWith(
        ConvertOp::create(b, op.getLoc(), type, all).getResult());
  } else if (isComplex(input)) {
    auto part =
        type.clone(cast<ComplexType>(type.getElementType()).getElementType());
    auto of = [&](Value terms, Value start) -> Value {
      return ConvertOp::create(b, op.getLoc(), part, sum(terms, start));
    };
    Value real = of(RealOp::create(b, op.getLoc(), input),
                    RealOp::create(b, op.getLoc(), initial));
    Value imaginary = of(ImagOp::create(b, op.getLoc(), input),
                         ImagOp::create(b, op.getLoc(), initial));
    op.getResult(0).replaceAllUsesWith(
        ComplexOp::create(b, op.getLoc(), type, real, imaginary).getResult());
  } else {
    return;
  }
  op->erase();
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

static bool isZero(Value value) {
  DenseElementsAttr number;
  return matchPattern(value, m_Constant(&number)) && number.isSplat() &&
         isa<FloatType>(number.getElementType()) &&
         number.getSplatValue<APFloat>().isZero();
}

/// Dimensions that windows leave as they are.
static llvm::SmallBitVector untouched(ReduceWindowOp op) {
  RankedTensorType type = typeOf(op.getInputs().front());
  auto result = cast<RankedTensorType>(op.getResult(0).getType());
  llvm::SmallBitVector found(static_cast<unsigned>(type.getRank()));
  for (int64_t d = 0; d < type.getRank(); ++d) {
    bool isPadded =
        op.getPadding() &&
        (op.getPadding()->getValues<int64_t>()[{static_cast<uint64_t>(d), 0}] !=
         0);
    found[static_cast<unsigned>(d)] =
        op.getWindowDimensions()[static_cast<size_t>(d)] == 1 && !isPadded &&
        type.getDimSize(d) == result.getDimSize(d);
  }
  return found;
}

/// Makes a fold of two floats one of f64.
static void widenFold(Region &region) {
  Block &body = region.front();
  auto scalar =
      RankedTensorType::get({}, Float64Type::get(region.getContext()));
  for (BlockArgument argument : body.getArguments()) {
    argument.setType(scalar);
  }
  body.front().getResult(0).setType(scalar);
}

static Value windowsAgain(OpBuilder &b, ReduceWindowOp op, Value input) {
  auto copy = cast<ReduceWindowOp>(b.clone(*op));
  auto scalar = RankedTensorType::get({}, b.getF64Type());
  Value zero = ConstantOp::create(
      b, op.getLoc(), SplatElementsAttr::get(scalar, b.getF64FloatAttr(0)));
  zero.getDefiningOp()->moveBefore(copy);
  copy->setOperands({input, zero});
  copy.getResult(0).setType(
      Exact::doubles(cast<RankedTensorType>(op.getResult(0).getType())));
  widenFold(copy.getBody());
  return copy.getResult(0);
}

static void rewrite(ReduceWindowOp op) {
  if (op.getInputs().size() != 1 || !isFloat(op.getInputs().front()) ||
      !isa_and_nonnull<AddOp>(foldOf(op.getBody())) ||
      !isZero(op.getInitValues().front())) {
    return;
  }
  OpBuilder b(op);
  Exact exact(b, op.getLoc());
  Value input = op.getInputs().front();
  llvm::SmallBitVector kept = untouched(op);
  Sizes reduced, others;
  int64_t terms = 1;
  for (unsigned d = 0; d < kept.size(); ++d) {
    (kept[d] ? others : reduced).push_back(d);
    terms *= op.getWindowDimensions()[d];
  }
  Value wide = exact.widened(input);
  Value power = exact.powerOf(exact.largest(wide, reduced));
  // Windows far from the largest element need bits far below it.
  Cut cut(terms, bitsOfSums(typeOf(input).getElementType()) + 64);
  SmallVector<Value> sums;
  for (Value part : exact.slices(exact.normalize(wide, power, reduced).terms,
                                 cut.slices, cut.bits, true)) {
    sums.push_back(windowsAgain(b, op, part));
  }
  Value sum = exact.combined(sums);
  Value scale = BroadcastInDimOp::create(b, op.getLoc(), typeOf(sum), power,
                                         b.getDenseI64ArrayAttr(others));
  op.getResult(0).replaceAllUsesWith(
      ConvertOp::create(b, op.getLoc(), op.getResult(0).getType(),
                        exact.binary<MulOp>(sum, scale))
          .getResult());
  op->erase();
}

//===----------------------------------------------------------------------===//
// Products and convolutions
//===----------------------------------------------------------------------===//

/// Dimensions of both factors along which their largest elements are sought,
/// and those of the result that the others become.
struct Contraction {
  SmallVector<int64_t> lhs, rhs;
  SmallVector<int64_t> lhsInResult, rhsInResult;
  int64_t terms; ///< of a sum
};

static Contraction contractionOf(DotGeneralOp op) {
  auto numbers = op.getDotDimensionNumbers();
  Contraction found;
  llvm::append_range(found.lhs, numbers.getLhsContractingDimensions());
  llvm::append_range(found.rhs, numbers.getRhsContractingDimensions());
  found.terms = countOf(op.getLhs(), found.lhs);
  // The result: batch dimensions, those of lhs, those of rhs. A reduced factor
  // has its dimensions in the order of the factor.
  auto number = [](int64_t rank, ArrayRef<int64_t> contracting,
                   ArrayRef<int64_t> batching, int64_t next,
                   SmallVector<int64_t> &inResult) {
    for (int64_t d = 0; d < rank; ++d) {
      if (llvm::is_contained(contracting, d)) {
        continue;
      }
      auto *at = llvm::find(batching, d);
      inResult.push_back(at != batching.end() ? at - batching.begin() : next++);
    }
    return next;
  };
  int64_t batches =
      static_cast<int64_t>(numbers.getLhsBatchingDimensions().size());
  int64_t next =
      number(typeOf(op.getLhs()).getRank(), found.lhs,
             numbers.getLhsBatchingDimensions(), batches, found.lhsInResult);
  number(typeOf(op.getRhs()).getRank(), found.rhs,
         numbers.getRhsBatchingDimensions(), next, found.rhsInResult);
  return found;
}

static Contraction contractionOf(ConvolutionOp op) {
  Contraction found;
  int64_t features = op.getDimensionNumbers().getKernelOutputFeatureDimension();
  found.lhs =
      llvm::to_vector(llvm::seq<int64_t>(typeOf(op.getLhs()).getRank()));
  found.rhs =
      llvm::to_vector(llvm::seq<int64_t>(typeOf(op.getRhs()).getRank()));
  found.terms = typeOf(op.getRhs()).getNumElements() /
                std::max<int64_t>(typeOf(op.getRhs()).getDimSize(features), 1);
  return found;
}

/// The same product of other factors.
template <typename Op>
static Value again(OpBuilder &b, Op op, Value lhs, Value rhs) {
  auto copy = cast<Op>(b.clone(*op));
  copy->setOperands({lhs, rhs});
  copy->removeAttr("precision_config");
  copy->removeAttr("algorithm");
  auto type = cast<RankedTensorType>(op.getType());
  copy.getResult().setType(type.clone(typeOf(lhs).getElementType()));
  return copy.getResult();
}

/// Where one factor has no dimension of its own, terms are as many as elements
/// of the other: products of two floats of 32 bits are exact in f64, and summed
/// as any terms are. Null for others.
static Value summedProduct(DotGeneralOp op, Value lhs, Value rhs) {
  Contraction over = contractionOf(op);
  auto numbers = op.getDotDimensionNumbers();
  struct Side {
    Value value;
    SmallVector<int64_t> dimensions; ///< batching ones, then contracting ones
    ArrayRef<int64_t> contracting, inResult;
  };
  Side sides[] = {{lhs, llvm::to_vector(numbers.getLhsBatchingDimensions()),
                   over.lhs, over.lhsInResult},
                  {rhs, llvm::to_vector(numbers.getRhsBatchingDimensions()),
                   over.rhs, over.rhsInResult}};
  size_t batches = sides[0].dimensions.size();
  if (over.rhsInResult.size() != batches) {
    std::swap(sides[0], sides[1]);
  }
  const unsigned widest = 32;
  if (sides[1].inResult.size() != batches ||
      typeOf(lhs).getElementTypeBitWidth() > widest ||
      typeOf(rhs).getElementTypeBitWidth() > widest) {
    return nullptr;
  }
  for (Side &side : sides) {
    llvm::append_range(side.dimensions, side.contracting);
  }
  Sizes spread(sides[1].dimensions.size());
  for (auto [from, to] :
       llvm::zip_equal(sides[1].dimensions, sides[0].dimensions)) {
    spread[static_cast<size_t>(from)] = to;
  }
  OpBuilder b(op);
  Exact exact(b, op.getLoc());
  Value x = exact.widened(sides[0].value);
  Value y = BroadcastInDimOp::create(b, op.getLoc(), typeOf(x),
                                     exact.widened(sides[1].value),
                                     b.getDenseI64ArrayAttr(spread));
  Value sum = sumOf(exact, exact.binary<MulOp>(x, y), sides[0].contracting,
                    bitsOfSums(typeOf(lhs).getElementType()));
  return BroadcastInDimOp::create(
      b, op.getLoc(), Exact::doubles(cast<RankedTensorType>(op.getType())), sum,
      b.getDenseI64ArrayAttr(sides[0].inResult));
}

static Value summedProduct(ConvolutionOp, Value, Value) { return nullptr; }

template <typename Op>
static Value productOf(Op op, Value lhs, Value rhs) {
  if (Value sum = summedProduct(op, lhs, rhs)) {
    return sum;
  }
  OpBuilder b(op);
  Exact exact(b, op.getLoc());
  Contraction over = contractionOf(op);
  ProductCut cut(over.terms, bitsOfProducts(typeOf(lhs).getElementType()));
  Factor x = cutFactor(exact, lhs, over.lhs, cut);
  Factor y = cutFactor(exact, rhs, over.rhs, cut);
  SmallVector<Value> sums;
  for (int order = 0; order < cut.slices; ++order) {
    SmallVector<Value> equal; // products of one magnitude
    for (int i = 0; i <= order; ++i) {
      equal.push_back(again(b, op, x.slices[i], y.slices[order - i]));
    }
    sums.push_back(exact.combined(equal));
  }
  Value sum = exact.combined(sums);
  auto scaled = [&](Value value, Value power, ArrayRef<int64_t> dimensions) {
    Value spread =
        BroadcastInDimOp::create(b, op.getLoc(), typeOf(value), power,
                                 b.getDenseI64ArrayAttr(dimensions));
    return exact.binary<MulOp>(value, spread);
  };
  sum = scaled(sum, x.power, over.lhsInResult);
  sum = scaled(sum, y.power, over.rhsInResult);
  Value unbounded = exact.widened(again(b, op, x.sign, y.sign));
  return exact.chosen(exact.isFinite(unbounded), sum, unbounded);
}

template <typename Op>
static void rewriteProduct(Op op) {
  auto type = cast<RankedTensorType>(op.getType());
  OpBuilder b(op);
  Location location = op.getLoc();
  auto narrowed = [&](Type element, Value value) -> Value {
    return ConvertOp::create(b, location, type.clone(element), value);
  };
  if (isFloat(op.getLhs()) && isFloat(op.getRhs()) && isFloat(op)) {
    Value product = productOf(op, op.getLhs(), op.getRhs());
    op.getResult().replaceAllUsesWith(narrowed(type.getElementType(), product));
    op->erase();
    return;
  }
  if (!isComplex(op.getLhs()) || !isComplex(op.getRhs()) || !isComplex(op)) {
    return;
  }
  Value x[] = {RealOp::create(b, location, op.getLhs()),
               ImagOp::create(b, location, op.getLhs())};
  Value y[] = {RealOp::create(b, location, op.getRhs()),
               ImagOp::create(b, location, op.getRhs())};
  Type part = cast<ComplexType>(type.getElementType()).getElementType();
  Value real = SubtractOp::create(b, location, productOf(op, x[0], y[0]),
                                  productOf(op, x[1], y[1]));
  Value imaginary = AddOp::create(b, location, productOf(op, x[0], y[1]),
                                  productOf(op, x[1], y[0]));
  op.getResult().replaceAllUsesWith(ComplexOp::create(b, location, type,
                                                      narrowed(part, real),
                                                      narrowed(part, imaginary))
                                        .getResult());
  op->erase();
}

//===----------------------------------------------------------------------===//
// Scatters
//===----------------------------------------------------------------------===//

/// Whether a scatter adds one array of floats into another.
static bool adds(ScatterOp op) {
  if (op.getInputs().size() != 1 || op.getUniqueIndices() ||
      !isFloat(op.getInputs().front())) {
    return false;
  }
  return isa_and_nonnull<AddOp>(foldOf(op.getUpdateComputation()));
}

static Value scatterAgain(OpBuilder &b, ScatterOp op, Value input,
                          Value updates) {
  auto copy = cast<ScatterOp>(b.clone(*op));
  copy->setOperands({input, op.getScatterIndices(), updates});
  copy.getResult(0).setType(input.getType());
  widenFold(copy.getUpdateComputation());
  return copy.getResult(0);
}

static void rewrite(ScatterOp op) {
  if (!adds(op)) {
    return;
  }
  OpBuilder b(op);
  Exact exact(b, op.getLoc());
  auto all = [](Value value) {
    return llvm::to_vector(llvm::seq<int64_t>(typeOf(value).getRank()));
  };
  Value input = op.getInputs().front(), updates = op.getUpdates().front();
  Type element = typeOf(input).getElementType();
  Value x = exact.widened(input), y = exact.widened(updates);
  SmallVector<int64_t> ofX = all(x), ofY = all(y);
  Value power = exact.powerOf(
      exact.binary<MaxOp>(exact.largest(x, ofX), exact.largest(y, ofY)));
  // One unit for the whole array: elements far below the largest need more.
  Cut cut(typeOf(updates).getNumElements() + 1, bitsOfSums(element) + 30);
  SmallVector<Value> inputs = exact.slices(exact.normalize(x, power, ofX).terms,
                                           cut.slices, cut.bits, true);
  SmallVector<Value> terms = exact.slices(exact.normalize(y, power, ofY).terms,
                                          cut.slices, cut.bits, true);
  SmallVector<Value> sums;
  for (auto [from, what] : llvm::zip_equal(inputs, terms)) {
    sums.push_back(scatterAgain(b, op, from, what));
  }
  Value sum =
      exact.binary<MulOp>(exact.combined(sums), exact.spread(power, x, ofX));
  op.getResult(0).replaceAllUsesWith(
      ConvertOp::create(b, op.getLoc(), op.getResult(0).getType(), sum)
          .getResult());
  op->erase();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static bool isStatic(Operation *op) {
  return llvm::all_of(op->getOperandTypes(), [](Type type) {
    auto array = dyn_cast<RankedTensorType>(type);
    return array && array.hasStaticShape();
  });
}

Status makeSumsReproducible(ModuleOp module) {
  if (!module->hasAttr("jax.reproducible")) {
    return okStatus();
  }
  generalizeDots(module);
  SmallVector<Operation *> sums;
  module.walk([&](Operation *op) {
    if (isa<ReduceOp, ReduceWindowOp, DotGeneralOp, ConvolutionOp, ScatterOp>(
            op)) {
      sums.push_back(op);
    }
  });
  for (Operation *op : sums) {
    if (!isStatic(op)) {
      op->emitError("jax_reproducible needs the sizes of arrays whose elements "
                    "are summed; give the program static shapes");
      return unimplemented("");
    }
    if (auto reduction = dyn_cast<ReduceOp>(op)) {
      rewrite(reduction);
    } else if (auto windows = dyn_cast<ReduceWindowOp>(op)) {
      rewrite(windows);
    } else if (auto dot = dyn_cast<DotGeneralOp>(op)) {
      rewriteProduct(dot);
    } else if (auto convolution = dyn_cast<ConvolutionOp>(op)) {
      rewriteProduct(convolution);
    } else {
      rewrite(cast<ScatterOp>(op));
    }
  }
  return okStatus();
}

} // namespace xla
