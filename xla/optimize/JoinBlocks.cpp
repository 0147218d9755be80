//===- JoinBlocks.cpp - Blocks with their neighbours' edges ---------------===//
//
// An array that is cut into blocks, each of which is put together with rows of
// its neighbours, is the array, moved:
//
//   x:     the rows 0 to 15, 16 to 31, ... of an array, as blocks
//   above: row 15, 31, ... of it, and zeros for the first block
//   concatenate(above, x[:, :15]) = reshape(pad(array))
//
// So it is for what a block takes of its array with edges. Which row of which
// array each row of a value is, is followed through movements of rows, and
// through selections of them that are known.
//
//===----------------------------------------------------------------------===//

#include "xla/optimize/Passes.h"

#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/optimize/Patterns.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <numeric>

namespace xla {

using namespace stablehlo;
using mlir::Operation;
using mlir::RankedTensorType;
using mlir::Value;

namespace {

/// Dimensions of an array that together number its rows, the outermost first.
/// What is left of its dimensions are the elements of a row.
using Dims = llvm::SmallVector<int64_t, 4>;
using Numbers = std::vector<int64_t>;

/// The rows of a value.
struct Rows {
  Value source;    // an array with such rows
  Dims dims;       // of the source
  Value fill;      // a scalar that is a row's every element; may be null
  Numbers numbers; // for each row that of the source; -1: the scalar
};

/// Rows of one array after the other, or of the scalar.
struct Run {
  int64_t first; // -1: the scalar
  int64_t count;
};

} // namespace

// Counting rows is linear in their number; so is what the pass may take.
static constexpr int64_t mostRows = 1 << 15;
static constexpr int64_t mostCounted = 1 << 22;
static constexpr int deepest = 24;
static constexpr size_t mostRuns = 3;

static bool isStatic(Value value) {
  RankedTensorType type = typeOf(value);
  return type && type.hasStaticShape();
}

static int64_t productOf(llvm::ArrayRef<int64_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t{1},
                         std::multiplies<>());
}

static Dims sizesOf(Value value, llvm::ArrayRef<int64_t> dims) {
  Dims sizes;
  for (int64_t d : dims) {
    sizes.push_back(shapeOf(value)[d]);
  }
  return sizes;
}

static Dims othersOf(Value value, llvm::ArrayRef<int64_t> dims) {
  Dims others;
  for (int64_t d = 0; d < typeOf(value).getRank(); ++d) {
    if (!llvm::is_contained(dims, d)) {
      others.push_back(d);
    }
  }
  return others;
}

/// The sizes' indices, the last one running fastest.
static void forEachIndex(llvm::ArrayRef<int64_t> sizes,
                         llvm::function_ref<void(llvm::ArrayRef<int64_t>)> f) {
  if (productOf(sizes) == 0) {
    return;
  }
  Dims index(sizes.size(), 0);
  for (;;) {
    f(index);
    size_t d = sizes.size();
    while (d > 0 && ++index[d - 1] == sizes[d - 1]) {
      index[--d] = 0;
    }
    if (d == 0) {
      return;
    }
  }
}

static int64_t numberOf(llvm::ArrayRef<int64_t> index,
                        llvm::ArrayRef<int64_t> sizes) {
  int64_t number = 0;
  for (auto [i, size] : llvm::zip_equal(index, sizes)) {
    number = number * size + i;
  }
  return number;
}

static mlir::DenseElementsAttr elementsOf(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  return constant ? llvm::dyn_cast<mlir::DenseElementsAttr>(constant.getValue())
                  : nullptr;
}

/// The scalar constant that all elements are; null where there is none.
static Value scalarOf(Value value) {
  while (auto broadcast = value.getDefiningOp<BroadcastInDimOp>()) {
    value = broadcast.getOperand();
  }
  return elementsOf(value) && typeOf(value).getRank() == 0 ? value : Value();
}

static bool areSame(Value x, Value y) {
  return x == y || elementsOf(x) == elementsOf(y);
}

//===----------------------------------------------------------------------===//
// Numbers that are known
//===----------------------------------------------------------------------===//

namespace {
/// Evaluates integers that are known, and the same for all elements of a row.
class KnownNumbers {
public:
  explicit KnownNumbers(int64_t &room) : room(room) {}

  /// One number for each row of `value`; none where they are not known.
  std::optional<Numbers> of(Value value, llvm::ArrayRef<int64_t> dims,
                            int depth = 0);

private:
  std::optional<Numbers> ofConstant(mlir::DenseElementsAttr elements,
                                    Value value, llvm::ArrayRef<int64_t> dims);
  std::optional<Numbers> ofBroadcast(BroadcastInDimOp op,
                                     llvm::ArrayRef<int64_t> dims, int depth);
  std::optional<Numbers> ofElementwise(Operation *op,
                                       llvm::ArrayRef<int64_t> dims, int depth);

  int64_t &room;
};
} // namespace

/// The integer types whose numbers are taken: those of 32 bits and fewer, so
/// that no operation below leaves int64.
static bool isNarrowInteger(Value value) {
  auto type = llvm::dyn_cast<mlir::IntegerType>(typeOf(value).getElementType());
  return type && type.getWidth() <= 32;
}

static bool fits(int64_t number, Value value) {
  auto type = llvm::cast<mlir::IntegerType>(typeOf(value).getElementType());
  unsigned bits = type.getWidth();
  bool hasSign = !type.isUnsigned() && bits > 1;
  int64_t least = hasSign ? -(int64_t{1} << (bits - 1)) : 0;
  return number >= least && number < least + (int64_t{1} << bits);
}

std::optional<Numbers>
KnownNumbers::of(Value value, llvm::ArrayRef<int64_t> dims, int depth) {
  Operation *op = value.getDefiningOp();
  if (!op || depth > deepest || !isStatic(value) || !isNarrowInteger(value)) {
    return std::nullopt;
  }
  int64_t count = productOf(sizesOf(value, dims));
  room -= count;
  if (room < 0 || count > mostRows) {
    return std::nullopt;
  }
  if (mlir::DenseElementsAttr elements = elementsOf(value)) {
    return ofConstant(elements, value, dims);
  }
  if (auto iota = llvm::dyn_cast<IotaOp>(op)) {
    const auto *at =
        llvm::find(dims, static_cast<int64_t>(iota.getIotaDimension()));
    if (at == dims.end()) {
      return std::nullopt;
    }
    Numbers numbers;
    forEachIndex(sizesOf(value, dims), [&](llvm::ArrayRef<int64_t> index) {
      numbers.push_back(index[at - dims.begin()]);
    });
    return numbers;
  }
  if (auto broadcast = llvm::dyn_cast<BroadcastInDimOp>(op)) {
    return ofBroadcast(broadcast, dims, depth);
  }
  if (auto reshape = llvm::dyn_cast<ReshapeOp>(op)) {
    // The order is that of the elements.
    Value operand = reshape.getOperand();
    bool isAll =
        llvm::is_sorted(dims) && typeOf(value).getNumElements() == count;
    return isAll ? of(operand, othersOf(operand, {}), depth + 1) : std::nullopt;
  }
  return ofElementwise(op, dims, depth);
}

std::optional<Numbers>
KnownNumbers::ofConstant(mlir::DenseElementsAttr elements, Value value,
                         llvm::ArrayRef<int64_t> dims) {
  auto type = llvm::cast<mlir::IntegerType>(typeOf(value).getElementType());
  bool hasSign = !type.isUnsigned() && type.getWidth() > 1;
  auto numberOf = [&](const llvm::APInt &number) {
    return hasSign ? number.getSExtValue()
                   : static_cast<int64_t>(number.getZExtValue());
  };
  int64_t count = productOf(sizesOf(value, dims));
  if (elements.isSplat()) {
    return Numbers(count, numberOf(elements.getSplatValue<llvm::APInt>()));
  }
  if (!llvm::is_sorted(dims) || elements.getNumElements() != count) {
    return std::nullopt;
  }
  Numbers numbers;
  for (const llvm::APInt &number : elements.getValues<llvm::APInt>()) {
    numbers.push_back(numberOf(number));
  }
  return numbers;
}

std::optional<Numbers> KnownNumbers::ofBroadcast(BroadcastInDimOp op,
                                                 llvm::ArrayRef<int64_t> dims,
                                                 int depth) {
  Value operand = op.getOperand();
  Dims inner, positions;
  for (auto [d, to] : llvm::enumerate(op.getBroadcastDimensions())) {
    if (shapeOf(operand)[d] == 1) {
      continue;
    }
    const auto *at = llvm::find(dims, to);
    if (at == dims.end()) {
      return std::nullopt;
    }
    inner.push_back(static_cast<int64_t>(d));
    positions.push_back(at - dims.begin());
  }
  std::optional<Numbers> known = of(operand, inner, depth + 1);
  if (!known) {
    return std::nullopt;
  }
  Dims sizes = sizesOf(operand, inner);
  Numbers numbers;
  forEachIndex(sizesOf(op.getResult(), dims),
               [&](llvm::ArrayRef<int64_t> index) {
                 Dims at;
                 for (int64_t position : positions) {
                   at.push_back(index[position]);
                 }
                 numbers.push_back((*known)[numberOf(at, sizes)]);
               });
  return numbers;
}

static bool compares(ComparisonDirection direction, int64_t x, int64_t y) {
  switch (direction) {
  case ComparisonDirection::EQ:
    return x == y;
  case ComparisonDirection::NE:
    return x != y;
  case ComparisonDirection::GE:
    return x >= y;
  case ComparisonDirection::GT:
    return x > y;
  case ComparisonDirection::LE:
    return x <= y;
  case ComparisonDirection::LT:
    return x < y;
  }
  return false;
}

/// What an operation makes of numbers; none where that is not known.
static std::optional<int64_t> resultOf(Operation *op,
                                       llvm::ArrayRef<int64_t> x) {
  if (auto compare = llvm::dyn_cast<CompareOp>(op)) {
    return compares(compare.getComparisonDirection(), x[0], x[1]) ? 1 : 0;
  }
  if (llvm::isa<AddOp>(op)) {
    return x[0] + x[1];
  }
  if (llvm::isa<SubtractOp>(op)) {
    return x[0] - x[1];
  }
  if (llvm::isa<MulOp>(op)) {
    return x[0] * x[1];
  }
  if (llvm::isa<MaxOp>(op)) {
    return std::max(x[0], x[1]);
  }
  if (llvm::isa<MinOp>(op)) {
    return std::min(x[0], x[1]);
  }
  if (llvm::isa<AndOp>(op)) {
    return x[0] & x[1];
  }
  if (llvm::isa<OrOp>(op)) {
    return x[0] | x[1];
  }
  if (llvm::isa<SelectOp>(op)) {
    return x[0] != 0 ? x[1] : x[2];
  }
  if (llvm::isa<ConvertOp>(op)) {
    return x[0];
  }
  return std::nullopt;
}

std::optional<Numbers> KnownNumbers::ofElementwise(Operation *op,
                                                   llvm::ArrayRef<int64_t> dims,
                                                   int depth) {
  if (!llvm::isa<AddOp, AndOp, CompareOp, ConvertOp, MaxOp, MinOp, MulOp, OrOp,
                 SelectOp, SubtractOp>(op)) {
    return std::nullopt;
  }
  Value result = op->getResult(0);
  llvm::SmallVector<Numbers, 3> operands;
  for (Value operand : op->getOperands()) {
    bool isScalar = isStatic(operand) && typeOf(operand).getRank() == 0;
    bool isAlike = isStatic(operand) && shapeOf(operand) == shapeOf(result);
    if (!isScalar && !isAlike) {
      return std::nullopt;
    }
    std::optional<Numbers> known =
        of(operand, isScalar ? llvm::ArrayRef<int64_t>() : dims, depth + 1);
    if (!known) {
      return std::nullopt;
    }
    operands.push_back(std::move(*known));
  }
  Numbers numbers;
  int64_t count = productOf(sizesOf(result, dims));
  for (int64_t row = 0; row < count; ++row) {
    llvm::SmallVector<int64_t, 3> x;
    for (const Numbers &of : operands) {
      x.push_back(of.size() == 1 ? of.front() : of[row]);
    }
    std::optional<int64_t> number = resultOf(op, x);
    if (!number || !fits(*number, result)) {
      return std::nullopt;
    }
    numbers.push_back(*number);
  }
  return numbers;
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

namespace {
/// Follows rows to the array that they are of.
class RowFinder {
public:
  explicit RowFinder(int64_t &room) : room(room), known(room) {}

  /// The rows of `value`, at worst as its own.
  Rows of(Value value, const Dims &dims, int depth = 0);

private:
  std::optional<Rows> ofMovement(Operation *op, const Dims &dims, int depth);
  std::optional<Rows> ofConcatenate(ConcatenateOp op, const Dims &dims,
                                    int depth);
  std::optional<Rows> ofSelect(SelectOp op, const Dims &dims, int depth);
  std::optional<Rows> ofReshape(ReshapeOp op, const Dims &dims, int depth);
  std::optional<Rows> ofTranspose(TransposeOp op, const Dims &dims, int depth);

  int64_t &room;
  KnownNumbers known;
};
} // namespace

Rows RowFinder::of(Value value, const Dims &dims, int depth) {
  int64_t count = productOf(sizesOf(value, dims));
  room -= count;
  Operation *op = value.getDefiningOp();
  if (op && room >= 0 && depth <= deepest) {
    std::optional<Rows> found;
    if (Value scalar = scalarOf(value)) {
      return {{}, {}, scalar, Numbers(count, -1)};
    }
    if (auto concatenate = llvm::dyn_cast<ConcatenateOp>(op)) {
      found = ofConcatenate(concatenate, dims, depth);
    } else if (auto select = llvm::dyn_cast<SelectOp>(op)) {
      found = ofSelect(select, dims, depth);
    } else if (auto reshape = llvm::dyn_cast<ReshapeOp>(op)) {
      found = ofReshape(reshape, dims, depth);
    } else if (auto transpose = llvm::dyn_cast<TransposeOp>(op)) {
      found = ofTranspose(transpose, dims, depth);
    } else {
      found = ofMovement(op, dims, depth);
    }
    if (found) {
      return std::move(*found);
    }
  }
  Numbers numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  return {value, dims, {}, std::move(numbers)};
}

/// Joins what rows come from, if it is one array and one scalar.
static bool join(Rows &rows, const Rows &more) {
  if (more.source && rows.source &&
      (more.source != rows.source || more.dims != rows.dims)) {
    return false;
  }
  if (more.fill && rows.fill && !areSame(more.fill, rows.fill)) {
    return false;
  }
  if (!rows.source) {
    rows.source = more.source;
    rows.dims = more.dims;
  }
  rows.fill = rows.fill ? rows.fill : more.fill;
  return true;
}

namespace {
/// How a slice, a pad or a reversal moves elements along a dimension: element
/// `first` + `step` i of the operand, if it is one, is element i.
struct Movement {
  int64_t first = 0, step = 1;
};
} // namespace

/// That of each dimension; none where an operation is something else.
static std::optional<llvm::SmallVector<Movement>> movementsOf(Operation *op) {
  llvm::SmallVector<Movement> movements;
  if (auto slice = llvm::dyn_cast<SliceOp>(op)) {
    for (auto [start, stride] :
         llvm::zip_equal(slice.getStartIndices(), slice.getStrides())) {
      movements.push_back({start, stride});
    }
    return movements;
  }
  if (auto pad = llvm::dyn_cast<PadOp>(op)) {
    for (auto [low, inner] :
         llvm::zip_equal(pad.getEdgePaddingLow(), pad.getInteriorPadding())) {
      if (inner != 0) {
        return std::nullopt;
      }
      movements.push_back({-low, 1});
    }
    return movements;
  }
  if (auto reverse = llvm::dyn_cast<ReverseOp>(op)) {
    movements.resize(typeOf(reverse.getOperand()).getRank());
    for (int64_t d : reverse.getDimensions()) {
      movements[d] = {shapeOf(reverse.getOperand())[d] - 1, -1};
    }
    return movements;
  }
  return std::nullopt;
}

std::optional<Rows> RowFinder::ofMovement(Operation *op, const Dims &dims,
                                          int depth) {
  std::optional<llvm::SmallVector<Movement>> movements = movementsOf(op);
  if (!movements || !isStatic(op->getOperand(0))) {
    return std::nullopt;
  }
  Value operand = op->getOperand(0), result = op->getResult(0);
  for (int64_t d : othersOf(result, dims)) {
    const Movement &along = (*movements)[d];
    if (along.first != 0 || along.step != 1 ||
        shapeOf(operand)[d] != shapeOf(result)[d]) {
      return std::nullopt;
    }
  }
  Rows inner = of(operand, dims, depth + 1);
  Rows rows = inner;
  if (auto pad = llvm::dyn_cast<PadOp>(op)) {
    Value scalar = scalarOf(pad.getPaddingValue());
    if (!scalar || !join(rows, {{}, {}, scalar, {}})) {
      return std::nullopt;
    }
  }
  rows.numbers.clear();
  Dims sizes = sizesOf(operand, dims);
  forEachIndex(sizesOf(result, dims), [&](llvm::ArrayRef<int64_t> index) {
    Dims at;
    bool isInside = true;
    for (auto [d, i, size] : llvm::zip_equal(dims, index, sizes)) {
      const Movement &along = (*movements)[d];
      at.push_back(along.first + along.step * i);
      isInside &= at.back() >= 0 && at.back() < size;
    }
    rows.numbers.push_back(isInside ? inner.numbers[numberOf(at, sizes)] : -1);
  });
  return rows;
}

std::optional<Rows> RowFinder::ofConcatenate(ConcatenateOp op, const Dims &dims,
                                             int depth) {
  const auto *along = llvm::find(dims, static_cast<int64_t>(op.getDimension()));
  if (along == dims.end()) {
    return std::nullopt;
  }
  Rows rows;
  llvm::SmallVector<Numbers> pieces;
  llvm::SmallVector<Dims> sizes;
  for (Value piece : op.getInputs()) {
    Rows more = of(piece, dims, depth + 1);
    if (!join(rows, more)) {
      return std::nullopt;
    }
    pieces.push_back(std::move(more.numbers));
    sizes.push_back(sizesOf(piece, dims));
  }
  size_t position = along - dims.begin();
  forEachIndex(
      sizesOf(op.getResult(), dims), [&](llvm::ArrayRef<int64_t> index) {
        Dims at(index);
        size_t piece = 0;
        while (at[position] >= sizes[piece][position]) {
          at[position] -= sizes[piece++][position];
        }
        rows.numbers.push_back(pieces[piece][numberOf(at, sizes[piece])]);
      });
  return rows;
}

std::optional<Rows> RowFinder::ofSelect(SelectOp op, const Dims &dims,
                                        int depth) {
  if (typeOf(op.getPred()).getRank() == 0) {
    return std::nullopt;
  }
  std::optional<Numbers> which = known.of(op.getPred(), dims);
  if (!which) {
    return std::nullopt;
  }
  Rows rows = of(op.getOnTrue(), dims, depth + 1);
  Rows other = of(op.getOnFalse(), dims, depth + 1);
  if (!join(rows, other)) {
    return std::nullopt;
  }
  for (auto [number, mine, others] :
       llvm::zip_equal(*which, rows.numbers, other.numbers)) {
    mine = number != 0 ? mine : others;
  }
  return rows;
}

/// The dimensions of `value`, next to each other, that have `before` elements
/// in those before them and number `count` rows; with those of size 1 beside
/// them. Empty where there are none.
static Dims dimsBetween(Value value, int64_t before, int64_t count) {
  llvm::ArrayRef<int64_t> shape = shapeOf(value);
  size_t first = 0;
  int64_t size = 1;
  while (first < shape.size() && size < before) {
    size *= shape[first++];
  }
  if (size != before) {
    return {};
  }
  Dims dims;
  for (size = 1; first < shape.size() && size * shape[first] <= count;
       ++first) {
    size *= shape[first];
    dims.push_back(static_cast<int64_t>(first));
  }
  return size == count ? dims : Dims();
}

std::optional<Rows> RowFinder::ofReshape(ReshapeOp op, const Dims &dims,
                                         int depth) {
  Value operand = op.getOperand(), result = op.getResult();
  for (auto [before, after] : llvm::zip(dims, llvm::drop_begin(dims))) {
    if (after != before + 1) {
      return std::nullopt;
    }
  }
  if (!isStatic(operand) || dims.empty()) {
    return std::nullopt;
  }
  int64_t before = productOf(shapeOf(result).take_front(dims.front()));
  Dims inner = dimsBetween(operand, before, productOf(sizesOf(result, dims)));
  if (inner.empty()) {
    return std::nullopt;
  }
  return of(operand, inner, depth + 1);
}

std::optional<Rows> RowFinder::ofTranspose(TransposeOp op, const Dims &dims,
                                           int depth) {
  llvm::ArrayRef<int64_t> permutation = op.getPermutation();
  auto isOf = [&](int64_t d) { return permutation[d]; };
  auto others = llvm::map_to_vector(othersOf(op.getResult(), dims), isOf);
  if (!llvm::is_sorted(others)) {
    return std::nullopt; // the elements of a row are in another order
  }
  Dims inner(llvm::map_range(dims, isOf));
  return of(op.getOperand(), inner, depth + 1);
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// The rows as runs; empty where there are too many.
static llvm::SmallVector<Run> runsOf(const Numbers &numbers) {
  llvm::SmallVector<Run> runs;
  for (int64_t number : numbers) {
    bool isNext =
        !runs.empty() &&
        (number < 0 ? runs.back().first < 0
                    : runs.back().first >= 0 &&
                          number == runs.back().first + runs.back().count);
    if (isNext) {
      ++runs.back().count;
    } else if (runs.size() == mostRuns) {
      return {};
    } else {
      runs.push_back({number, 1});
    }
  }
  return runs;
}

static Value reshaped(mlir::OpBuilder &b, mlir::Location loc, Value value,
                      llvm::ArrayRef<int64_t> shape) {
  return shapeOf(value) == shape
             ? value
             : ReshapeOp::create(b, loc, typeOf(value).clone(shape), value)
                   .getResult();
}

/// Runs of the rows that dimension `d` of `value` numbers, one after the other.
static Value takeRuns(mlir::OpBuilder &b, mlir::Location loc, Value value,
                      int64_t d, llvm::ArrayRef<Run> runs, Value fill) {
  RankedTensorType type = typeOf(value);
  auto rank = static_cast<size_t>(type.getRank());
  llvm::SmallVector<Value> pieces;
  int64_t low = 0, high = 0;
  for (auto [number, run] : llvm::enumerate(runs)) {
    Sizes shape(type.getShape());
    shape[d] = run.count;
    if (run.first < 0 && (number == 0 || number + 1 == runs.size())) {
      (number == 0 ? low : high) = run.count;
      continue;
    }
    if (run.first < 0) {
      pieces.push_back(BroadcastInDimOp::create(b, loc, type.clone(shape), fill,
                                                b.getDenseI64ArrayAttr({})));
      continue;
    }
    Sizes starts(rank, 0), limits(type.getShape()), strides(rank, 1);
    starts[d] = run.first;
    limits[d] = run.first + run.count;
    pieces.push_back(shape == type.getShape()
                         ? value
                         : SliceOp::create(b, loc, type.clone(shape), value,
                                           b.getDenseI64ArrayAttr(starts),
                                           b.getDenseI64ArrayAttr(limits),
                                           b.getDenseI64ArrayAttr(strides))
                               .getResult());
  }
  Sizes shape(type.getShape());
  shape[d] = 0;
  for (Value piece : pieces) {
    shape[d] += shapeOf(piece)[d];
  }
  Value joined = pieces.size() == 1
                     ? pieces.front()
                     : ConcatenateOp::create(b, loc, type.clone(shape), pieces,
                                             static_cast<uint64_t>(d))
                           .getResult();
  if (low == 0 && high == 0) {
    return joined;
  }
  Sizes lows(rank, 0), highs(rank, 0), inner(rank, 0);
  lows[d] = low;
  highs[d] = high;
  shape[d] += low + high;
  return PadOp::create(
      b, loc, type.clone(shape), joined, fill, b.getDenseI64ArrayAttr(lows),
      b.getDenseI64ArrayAttr(highs), b.getDenseI64ArrayAttr(inner));
}

/// The value whose rows, numbered by `dims`, these are.
static Value build(mlir::OpBuilder &b, Value value, const Dims &dims,
                   const Rows &rows, llvm::ArrayRef<Run> runs) {
  mlir::Location loc = value.getLoc();
  // The rows of the source as one dimension.
  llvm::ArrayRef<int64_t> shape = shapeOf(rows.source);
  int64_t at = rows.dims.front();
  Sizes merged(shape.take_front(at));
  merged.push_back(productOf(sizesOf(rows.source, rows.dims)));
  llvm::append_range(merged, shape.drop_front(at + rows.dims.size()));
  Value source = reshaped(b, loc, rows.source, merged);
  Value taken = takeRuns(b, loc, source, at, runs, rows.fill);
  // The dimensions of the value, its rows' dimensions side by side behind those
  // elements that are before the source's rows.
  Dims others = othersOf(value, dims), order;
  int64_t before = productOf(shape.take_front(at)), size = 1;
  auto *other = others.begin();
  while (other != others.end() && size < before) {
    size *= shapeOf(value)[*other];
    order.push_back(*other++);
  }
  if (size != before) {
    return nullptr;
  }
  llvm::append_range(order, dims);
  order.append(other, others.end());
  Value split = reshaped(b, loc, taken, sizesOf(value, order));
  if (llvm::is_sorted(order)) {
    return split;
  }
  Sizes permutation(order.size());
  for (auto [position, d] : llvm::enumerate(order)) {
    permutation[d] = static_cast<int64_t>(position);
  }
  return TransposeOp::create(b, loc, split,
                             b.getDenseI64ArrayAttr(permutation));
}

/// Whether something that was cut into blocks is moved here: a reshape is found
/// behind movements.
static bool isOfBlocks(Operation *root) {
  llvm::SmallVector<Operation *> work = {root};
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!work.empty() && seen.size() < 64) {
    Operation *op = work.pop_back_val();
    if (!seen.insert(op).second) {
      continue;
    }
    if (llvm::isa<ReshapeOp>(op)) {
      return true;
    }
    if (!llvm::isa<ConcatenateOp, PadOp, ReverseOp, SelectOp, SliceOp,
                   TransposeOp>(op)) {
      continue;
    }
    for (Value operand : op->getOperands()) {
      if (Operation *inner = operand.getDefiningOp()) {
        work.push_back(inner);
      }
    }
  }
  return false;
}

static bool isInOrder(llvm::ArrayRef<int64_t> dims) {
  for (auto [number, d] : llvm::enumerate(dims)) {
    if (d != dims.front() + static_cast<int64_t>(number)) {
      return false;
    }
  }
  return true;
}

/// Replaces what concatenates along dimension `d`, or takes a slice along it,
/// by rows of one array, if that is possible.
static bool joinAlong(Operation *op, int64_t d, int64_t &room) {
  Value value = op->getResult(0);
  for (int64_t outer = d - 1; outer >= 0; --outer) {
    Dims dims = {outer, d};
    int64_t count = productOf(sizesOf(value, dims));
    if (shapeOf(value)[outer] == 1 || count == 0 || count > mostRows) {
      continue;
    }
    Rows rows = RowFinder(room).of(value, dims);
    bool isFound = rows.source && !rows.dims.empty() && isInOrder(rows.dims) &&
                   rows.source != value && rows.dims != dims;
    llvm::SmallVector<Run> runs;
    if (isFound) {
      runs = runsOf(rows.numbers);
    }
    if (runs.empty()) {
      continue;
    }
    mlir::OpBuilder builder(op);
    Value built = build(builder, value, dims, rows, runs);
    if (built) {
      value.replaceAllUsesWith(built);
      return true;
    }
  }
  return false;
}

/// The dimension along which rows are put together; -1: none.
static int64_t joinedDimension(Operation *op) {
  if (auto concatenate = llvm::dyn_cast<ConcatenateOp>(op)) {
    return static_cast<int64_t>(concatenate.getDimension());
  }
  auto slice = llvm::dyn_cast<SliceOp>(op);
  auto concatenate =
      slice ? slice.getOperand().getDefiningOp<ConcatenateOp>() : nullptr;
  return concatenate ? static_cast<int64_t>(concatenate.getDimension()) : -1;
}

void joinBlocks(mlir::ModuleOp module) {
  llvm::SmallVector<Operation *> found;
  module.walk([&](Operation *op) {
    if (joinedDimension(op) >= 1 && isStatic(op->getResult(0)) &&
        isOfBlocks(op)) {
      found.push_back(op);
    }
  });
  int64_t room = mostCounted;
  bool isChanged = false;
  for (Operation *op : llvm::reverse(found)) {
    // Some have no readers any more, for what read them was joined.
    isChanged |= !op->use_empty() && joinAlong(op, joinedDimension(op), room);
  }
  if (isChanged) {
    dropDead(*module.getBody());
  }
}

} // namespace xla
