//===- ExpandReflections.cpp - QR factors by Householder's reflections ----===//
//
// Front ends ask a platform whose libraries they do not know for two calls.
// `Qr` gives, of matrices in the last two dimensions, R above and on the
// diagonal, below it the vectors of the reflections I - tau v v^H without their
// first elements, which are 1, and each tau.
// `ProductOfElementaryHouseholderReflectors` multiplies such reflections. Both
// become a loop over the reflections (Golub, Van Loan, Matrix Computations,
// sections 5.1 and 5.2), with signs as LAPACK's geqrf has them.
//
//===----------------------------------------------------------------------===//

#include "xla/conversion/Arithmetic.h"
#include "xla/conversion/Conversion.h"

using namespace mlir;

namespace xla {

using namespace stablehlo;

namespace {
/// Matrices m x n of some batch. A vector has a number for each row or each
/// column of each matrix; a scalar, one for each matrix.
class Matrices {
public:
  Matrices(OpBuilder &builder, Location location, RankedTensorType type)
      : arithmetic(builder, location), type(type),
        batch(type.getShape().drop_back(2)) {
    for (int64_t i = 0, rank = batch.size(); i < rank; ++i) {
      all.push_back(i);
    }
  }

  OpBuilder &builder() { return arithmetic.builder; }
  Expr wrap(Value value) { return arithmetic.wrap(value); }
  bool isComplex() const { return isa<ComplexType>(type.getElementType()); }
  int64_t rowDimension() const { return int64_t(batch.size()); }

  RankedTensorType vectorType(int64_t length, Type element) const {
    SmallVector<int64_t> shape(batch);
    shape.push_back(length);
    return RankedTensorType::get(shape, element);
  }

  /// The number of each element of a vector.
  Expr positions(int64_t length) {
    return arithmetic.make<IotaOp>(vectorType(length, builder().getI32Type()),
                                   uint64_t(batch.size()));
  }

  Expr spread(Expr value, RankedTensorType shape,
              ArrayRef<int64_t> dimensions) {
    return arithmetic.make<BroadcastInDimOp>(
        shape.clone(value.element()), value.value,
        builder().getDenseI64ArrayAttr(dimensions));
  }
  /// A number of the whole program, or of each matrix, for each of `like`.
  Expr spread(Expr scalar, Expr like) {
    ArrayRef<int64_t> dimensions(all);
    return spread(scalar, like.type(),
                  dimensions.take_front(scalar.type().getRank()));
  }
  Expr ofRows(Expr vector) { return ofLines(vector, rowDimension()); }
  Expr ofColumns(Expr vector) { return ofLines(vector, rowDimension() + 1); }

  template <typename OpType>
  Expr fold(Expr values, int64_t dimension) {
    SmallVector<int64_t> shape(values.type().getShape());
    shape.erase(shape.begin() + dimension);
    auto scalar = RankedTensorType::get({}, values.element());
    Location where = arithmetic.location;
    Value zero = arithmetic.constant(scalar, 0).value;
    auto reduce = ReduceOp::create(
        builder(), where,
        TypeRange{RankedTensorType::get(shape, values.element())},
        ValueRange{values.value}, ValueRange{zero},
        builder().getDenseI64ArrayAttr({dimension}));
    OpBuilder::InsertionGuard guard(builder());
    Block *block = builder().createBlock(&reduce.getBody(), {},
                                         {scalar, scalar}, {where, where});
    Value folded = OpType::create(builder(), where, block->getArgument(0),
                                  block->getArgument(1));
    stablehlo::ReturnOp::create(builder(), where, folded);
    return wrap(reduce.getResult(0));
  }

  Expr conjugate(Expr x) {
    return isComplex() ? complex(real(x), -imag(x)) : x;
  }
  Expr realPart(Expr x) { return isComplex() ? real(x) : x; }
  /// A real number as one of the matrices' type.
  Expr ofReal(Expr x) {
    return isComplex() ? complex(x, arithmetic.constant(x, 0)) : x;
  }

  Arithmetic arithmetic;
  RankedTensorType type;
  ArrayRef<int64_t> batch;
  SmallVector<int64_t> all;

private:
  Expr ofLines(Expr vector, int64_t dimension) {
    SmallVector<int64_t> dimensions(all);
    dimensions.push_back(dimension);
    return spread(vector, type, dimensions);
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// One reflection
//===----------------------------------------------------------------------===//

/// Column `index` of each matrix.
static Expr column(Matrices &of, Expr matrices, Expr index) {
  Value zero = of.arithmetic.constant(index, 0).value;
  SmallVector<Value> starts(of.type.getRank() - 1, zero);
  starts.push_back(index.value);
  SmallVector<int64_t> sizes(of.type.getShape());
  sizes.back() = 1;
  Type element = matrices.element();
  Expr cut = of.arithmetic.make<DynamicSliceOp>(
      RankedTensorType::get(sizes, element), matrices.value, starts,
      of.builder().getDenseI64ArrayAttr(sizes));
  return of.arithmetic.make<ReshapeOp>(
      of.vectorType(sizes[sizes.size() - 2], element), cut.value);
}

/// Where the rows of a column are, seen from the diagonal.
struct Rows {
  Expr isAt, isBelow;
};

static Rows rowsFrom(Matrices &of, Expr index) {
  Expr rows = of.positions(of.type.getShape().drop_back().back());
  Expr diagonal = of.spread(index, rows);
  return {rows == diagonal, rows > diagonal};
}

/// 1 on the diagonal, `below` below it, 0 above.
static Expr reflectionVector(const Rows &rows, Expr below) {
  return select(rows.isAt, 1, select(rows.isBelow, below, 0));
}

/// matrices - factor v (v^H matrices), in the columns where `isTaken`, if it
/// is given.
static Expr reflect(Matrices &of, Expr matrices, Expr v, Expr factor,
                    const Expr *isTaken) {
  Expr vectors = of.ofRows(v);
  Expr products =
      of.fold<AddOp>(of.conjugate(vectors) * matrices, of.rowDimension());
  Expr scaled = of.spread(factor, products) * products;
  if (isTaken) {
    scaled = select(*isTaken, scaled, 0);
  }
  return matrices - vectors * of.ofColumns(scaled);
}

/// What turns a column into a number on the diagonal and zeros below it.
struct Reflection {
  Expr tau, diagonal, vector;
};

static Reflection reflectionOf(Matrices &of, Expr column, const Rows &rows) {
  int64_t lines = of.rowDimension();
  Expr alpha = of.fold<AddOp>(select(rows.isAt, column, 0), lines);
  Expr sizes = select(rows.isAt | rows.isBelow, modulus(column), 0);
  // Squares of parts of the largest element neither overflow nor vanish.
  Expr largest = of.fold<MaxOp>(sizes, lines);
  Expr scale = select(largest == 0, 1, largest);
  Expr parts = sizes / of.spread(scale, sizes);
  Expr length = scale * sqrt(of.fold<AddOp>(parts * parts, lines));
  Expr isDone = of.fold<MaxOp>(select(rows.isBelow, sizes, 0), lines) == 0;
  if (of.isComplex()) {
    isDone = isDone & (imag(alpha) == 0);
  }
  Expr beta = copySign(length, of.realPart(alpha)) * -1;
  Expr tau = (beta - of.realPart(alpha)) / beta;
  if (of.isComplex()) {
    tau = complex(tau, -imag(alpha) / beta);
  }
  Expr divisor = select(isDone, 1, alpha - of.ofReal(beta));
  Expr v = reflectionVector(rows, column / of.spread(divisor, column));
  return {select(isDone, 0, tau), select(isDone, alpha, of.ofReal(beta)), v};
}

//===----------------------------------------------------------------------===//
// Loops over reflections
//===----------------------------------------------------------------------===//

/// `step` takes the number of a reflection and what the loop carries.
static SmallVector<Value>
loop(Matrices &of, int64_t count, ArrayRef<Value> carried,
     function_ref<SmallVector<Value>(Expr, ValueRange)> step) {
  OpBuilder &b = of.builder();
  Location where = of.arithmetic.location;
  auto number = RankedTensorType::get({}, b.getI32Type());
  SmallVector<Value> first = {of.arithmetic.constant(number, 0).value};
  first.append(carried.begin(), carried.end());
  SmallVector<Type> types(ValueRange(first).getTypes());
  SmallVector<Location> locations(types.size(), where);
  auto made = WhileOp::create(b, where, types, first);
  OpBuilder::InsertionGuard guard(b);
  Block *condition = b.createBlock(&made.getCond(), {}, types, locations);
  Expr isLess = of.wrap(condition->getArgument(0)) < double(count);
  stablehlo::ReturnOp::create(b, where, isLess.value);
  Block *body = b.createBlock(&made.getBody(), {}, types, locations);
  Expr index = of.wrap(body->getArgument(0));
  SmallVector<Value> next = step(index, body->getArguments().drop_front());
  next.insert(next.begin(), (index + 1).value);
  stablehlo::ReturnOp::create(b, where, next);
  return SmallVector<Value>(
      ArrayRef<Value>(SmallVector<Value>(made->getResults())).drop_front());
}

/// A -> what `Qr` gives.
static SmallVector<Value> factor(Matrices &of, Value operand,
                                 RankedTensorType tausType) {
  Expr none = of.arithmetic.constant(tausType, 0);
  int64_t count = tausType.getShape().back();
  int64_t width = of.type.getShape().back();
  if (count == 0) {
    return {operand, none.value};
  }
  auto step = [&](Expr index, ValueRange carried) -> SmallVector<Value> {
    Expr matrices = of.wrap(carried[0]), taus = of.wrap(carried[1]);
    Expr old = column(of, matrices, index);
    Rows rows = rowsFrom(of, index);
    Reflection r = reflectionOf(of, old, rows);
    Expr columns = of.positions(width);
    Expr here = of.spread(index, columns);
    Expr isRight = columns > here;
    Expr rest = reflect(of, matrices, r.vector, of.conjugate(r.tau), &isRight);
    Expr factored = select(rows.isAt, of.spread(r.diagonal, old),
                           select(rows.isBelow, r.vector, old));
    Expr numbers = of.positions(count);
    return {
        select(of.ofColumns(columns == here), of.ofRows(factored), rest).value,
        select(numbers == of.spread(index, numbers), of.spread(r.tau, taus),
               taus)
            .value};
  };
  return loop(of, count, {operand, none.value}, step);
}

/// The first columns of the product of all reflections, from the last one on.
static SmallVector<Value> multiply(Matrices &of, Value operand, Value factors) {
  int64_t count = cast<RankedTensorType>(factors.getType()).getShape().back();
  Expr all = of.wrap(operand), taus = of.wrap(factors);
  ArrayRef<int64_t> shape = of.type.getShape();
  Expr isDiagonal = of.ofRows(of.positions(shape[shape.size() - 2])) ==
                    of.ofColumns(of.positions(shape.back()));
  Expr identity = of.arithmetic.convert(isDiagonal, all.element());
  if (count == 0 || all.type().getNumElements() == 0) {
    return {identity.value};
  }
  auto step = [&](Expr index, ValueRange carried) -> SmallVector<Value> {
    Expr number = double(count - 1) - index;
    Rows rows = rowsFrom(of, number);
    Expr v = reflectionVector(rows, column(of, all, number));
    Expr numbers = of.positions(count);
    Expr isHere = numbers == of.spread(number, numbers);
    Expr tau = of.fold<AddOp>(select(isHere, taus, 0), of.rowDimension());
    return {reflect(of, of.wrap(carried[0]), v, tau, nullptr).value};
  };
  return loop(of, count, {identity.value}, step);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// Matrices of f32, f64 or complex numbers of these, of known sizes.
static RankedTensorType matricesType(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.hasStaticShape() || type.getRank() < 2) {
    return {};
  }
  Type part = type.getElementType();
  if (auto pair = dyn_cast<ComplexType>(part)) {
    part = pair.getElementType();
  }
  return part.isF32() || part.isF64() ? type : RankedTensorType();
}

/// Whether the value has a number for each reflection of such matrices, of
/// which there are at most as many as the shorter side has lines.
static bool holdsFactors(Value value, RankedTensorType matrices, bool areAll) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  ArrayRef<int64_t> shape = matrices.getShape();
  if (!type || type.getElementType() != matrices.getElementType() ||
      type.getRank() != matrices.getRank() - 1 ||
      type.getShape().drop_back() != shape.drop_back(2)) {
    return false;
  }
  int64_t shorter = std::min(shape[shape.size() - 2], shape.back());
  int64_t count = type.getShape().back();
  return areAll ? count == shorter : count >= 0 && count <= shorter;
}

static void expand(CustomCallOp op) {
  bool isQr = op.getCallTargetName() == "Qr";
  if (!isQr &&
      op.getCallTargetName() != "ProductOfElementaryHouseholderReflectors") {
    return;
  }
  unsigned operands = isQr ? 1 : 2, results = isQr ? 2 : 1;
  if (op->getNumOperands() != operands || op->getNumResults() != results) {
    return; // said by whoever looks for a handler
  }
  RankedTensorType type = matricesType(op->getOperand(0));
  Value factors = isQr ? op->getResult(1) : op->getOperand(1);
  if (!type || op->getResult(0).getType() != type ||
      !holdsFactors(factors, type, isQr)) {
    return;
  }
  OpBuilder builder(op);
  Matrices of(builder, op.getLoc(), type);
  op->replaceAllUsesWith(isQr
                             ? factor(of, op->getOperand(0),
                                      cast<RankedTensorType>(factors.getType()))
                             : multiply(of, op->getOperand(0), factors));
  op->erase();
}

void expandReflections(ModuleOp module) {
  module.walk([](CustomCallOp op) { expand(op); });
}

} // namespace xla
