//===- Reduce.cpp - Folding many elements into one ------------------------===//
//
// Three shapes of loop, chosen by where the reduced dimensions lie:
//
//   few      a handful of elements per result: they are folded in line, and the
//            loop over results is the one that is vectorised
//   rows     the last dimension is reduced: accumulators in registers; in
//            blocks, whose partial sums keep the rounding error small
//   columns  the last dimension is kept: rows are folded into a stretch of the
//            result that stays in the first-level cache
//
//===----------------------------------------------------------------------===//

#include "xla/codegen/cpu/emitters/Reduce.h"

#include "xla/codegen/cpu/emitters/ArgExtremes.h"
#include "xla/codegen/cpu/emitters/Elementwise.h"
#include "xla/codegen/cpu/emitters/Extremes.h"
#include "xla/codegen/cpu/emitters/FloatExtremes.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

namespace xla::cpu {

using namespace stablehlo;
using mlir::Operation;
using mlir::Value;

//===----------------------------------------------------------------------===//
// Folds
//===----------------------------------------------------------------------===//

/// The operation of `type` on the two arguments that a region consists of, or
/// null.
static Operation *onlyOperation(mlir::Region &body, ElementType type) {
  mlir::Block &block = body.front();
  if (block.getNumArguments() != 2 || block.getOperations().size() != 2) {
    return nullptr;
  }
  Operation &op = block.front();
  bool direct = op.getNumOperands() == 2 && op.getNumResults() == 1 &&
                op.getOperand(0) != op.getOperand(1) &&
                llvm::is_contained(block.getArguments(), op.getOperand(0)) &&
                llvm::is_contained(block.getArguments(), op.getOperand(1)) &&
                block.getTerminator()->getOperand(0) == op.getResult(0);
  return direct && elementTypeOf(op.getResult(0).getType()) == type ? &op
                                                                    : nullptr;
}

Fold recognizeFold(mlir::Region &body, ElementType type) {
  Operation *op = onlyOperation(body, type);
  if (!op || isComplex(type)) {
    return Fold::Other;
  }
  bool pred = type == ElementType::Pred;
  return llvm::isa<AddOp>(op)   ? (pred ? Fold::Or : Fold::Add)
         : llvm::isa<MulOp>(op) ? (pred ? Fold::And : Fold::Multiply)
         : llvm::isa<MaxOp>(op) ? (pred ? Fold::Or : Fold::Maximum)
         : llvm::isa<MinOp>(op) ? (pred ? Fold::And : Fold::Minimum)
         : llvm::isa<AndOp>(op) ? Fold::And
         : llvm::isa<OrOp>(op)  ? Fold::Or
         : llvm::isa<XorOp>(op) ? Fold::Xor
                                : Fold::Other;
}

ElementType accumulatorOf(ElementType type) {
  return isNarrow(type) ? ElementType::F32 : type;
}

llvm::Value *neutralOf(Emitter &e, Fold fold, ElementType type) {
  llvm::Type *t = registerType(type, e.context());
  unsigned bits = t->isIntegerTy() ? t->getIntegerBitWidth() : 0;
  bool isSigned = isSignedInteger(type);
  switch (fold) {
  case Fold::Add:
    return isFloat(type) ? llvm::ConstantFP::get(t, -0.0)
                         : llvm::ConstantInt::get(t, 0);
  case Fold::Multiply:
    return isFloat(type) ? llvm::ConstantFP::get(t, 1.0)
                         : llvm::ConstantInt::get(t, 1);
  case Fold::Maximum:
    if (isFloat(type)) {
      return llvm::ConstantFP::getInfinity(t, true);
    }
    return llvm::ConstantInt::get(t, isSigned
                                         ? llvm::APInt::getSignedMinValue(bits)
                                         : llvm::APInt::getMinValue(bits));
  case Fold::Minimum:
    if (isFloat(type)) {
      return llvm::ConstantFP::getInfinity(t, false);
    }
    return llvm::ConstantInt::get(t, isSigned
                                         ? llvm::APInt::getSignedMaxValue(bits)
                                         : llvm::APInt::getMaxValue(bits));
  case Fold::And:
    return llvm::Constant::getAllOnesValue(t);
  case Fold::Or:
  case Fold::Xor:
  case Fold::Other:
    break;
  }
  return llvm::Constant::getNullValue(t);
}

llvm::Value *foldValues(Emitter &e, Fold fold, ElementType type, llvm::Value *x,
                        llvm::Value *y, bool anyOrder) {
  llvm::IRBuilder<> &b = e.builder();
  llvm::IRBuilder<>::FastMathFlagGuard guard(b);
  if (anyOrder) {
    llvm::FastMathFlags flags = b.getFastMathFlags();
    flags.setAllowReassoc();
    b.setFastMathFlags(flags);
  }
  bool floats = isFloat(type), isSigned = isSignedInteger(type);
  using ID = llvm::Intrinsic::ID;
  switch (fold) {
  case Fold::Add:
    return floats ? b.CreateFAdd(x, y) : b.CreateAdd(x, y);
  case Fold::Multiply:
    return floats ? b.CreateFMul(x, y) : b.CreateMul(x, y);
  case Fold::Maximum:
    return b.CreateBinaryIntrinsic(floats     ? ID(llvm::Intrinsic::maximum)
                                   : isSigned ? ID(llvm::Intrinsic::smax)
                                              : ID(llvm::Intrinsic::umax),
                                   x, y);
  case Fold::Minimum:
    return b.CreateBinaryIntrinsic(floats     ? ID(llvm::Intrinsic::minimum)
                                   : isSigned ? ID(llvm::Intrinsic::smin)
                                              : ID(llvm::Intrinsic::umin),
                                   x, y);
  case Fold::And:
    return b.CreateAnd(x, y);
  case Fold::Or:
    return b.CreateOr(x, y);
  case Fold::Xor:
    return b.CreateXor(x, y);
  case Fold::Other:
    break;
  }
  llvm_unreachable("an unknown fold has no operation");
}

llvm::SmallVector<llvm::Value *> flatten(llvm::ArrayRef<Element> elements) {
  llvm::SmallVector<llvm::Value *> values;
  for (Element element : elements) {
    values.push_back(element.real);
    if (element.imag) {
      values.push_back(element.imag);
    }
  }
  return values;
}

llvm::SmallVector<Element> unflatten(llvm::ArrayRef<llvm::Value *> values,
                                     mlir::TypeRange types) {
  llvm::SmallVector<Element> elements;
  for (mlir::Type type : types) {
    Element element = {values.front()};
    values = values.drop_front();
    if (isComplex(elementTypeOf(type))) {
      element.imag = values.front();
      values = values.drop_front();
    }
    elements.push_back(element);
  }
  return elements;
}

//===----------------------------------------------------------------------===//
// The reduction
//===----------------------------------------------------------------------===//

namespace {

constexpr int64_t fewElements = 16;
constexpr int64_t mostInLine = 1024; // operations
constexpr int64_t blockSize = 2048;
constexpr int64_t mostPartials = 256;

/// Arrays on the stack for the elements of some operands.
class Slots {
public:
  Slots(Emitter &e, mlir::TypeRange types, llvm::ArrayRef<Element> like,
        int64_t count)
      : e(e), types(types) {
    for (llvm::Value *part : flatten(like)) {
      parts.push_back(part->getType());
      arrays.push_back(
          e.frameSlot(llvm::ArrayType::get(storedAs(part->getType()), count)));
    }
  }

  void save(llvm::Value *at, llvm::ArrayRef<Element> elements) {
    for (auto [n, value] : llvm::enumerate(flatten(elements))) {
      llvm::Type *stored = storedAs(parts[n]);
      e.builder().CreateStore(
          e.builder().CreateZExtOrBitCast(value, stored),
          e.builder().CreateInBoundsGEP(stored, arrays[n], at));
    }
  }

  llvm::SmallVector<Element> load(llvm::Value *at) {
    llvm::SmallVector<llvm::Value *> values;
    for (auto [array, part] : llvm::zip_equal(arrays, parts)) {
      llvm::Type *stored = storedAs(part);
      llvm::Value *value = e.builder().CreateLoad(
          stored, e.builder().CreateInBoundsGEP(stored, array, at));
      values.push_back(e.builder().CreateTruncOrBitCast(value, part));
    }
    return unflatten(values, types);
  }

private:
  /// Truth values lie as bytes, as in memory.
  llvm::Type *storedAs(llvm::Type *part) {
    return part->isIntegerTy(1) ? e.builder().getInt8Ty() : part;
  }

  Emitter &e;
  mlir::TypeRange types;
  llvm::SmallVector<llvm::Type *> parts;
  llvm::SmallVector<llvm::Value *> arrays;
};

class Reduction {
public:
  Reduction(Emitter &e, ReduceOp op);
  void emit();
  int64_t partials() const;
  bool splits() const;

private:
  void emitFew();
  llvm::SmallVector<Element>
  foldFew(llvm::ArrayRef<llvm::SmallVector<Element>> elements);
  void emitRows();
  void emitSplitRows();
  void emitColumns();
  llvm::SmallVector<Element> initial();
  llvm::SmallVector<Element> elementsAt(const Index &index);
  llvm::SmallVector<Element> combine(llvm::ArrayRef<Element> accumulated,
                                     llvm::ArrayRef<Element> elements);
  Index operandIndex(const Index &kept, llvm::Value *row, llvm::Value *i);
  llvm::Value *lengthOf(llvm::Value *row);
  using Values = llvm::SmallVector<llvm::Value *>;
  Values foldParts(llvm::ArrayRef<llvm::Value *> x,
                   llvm::ArrayRef<llvm::Value *> y, bool anyOrder);
  Values widened(Element x);
  Element narrowed(llvm::ArrayRef<llvm::Value *> parts);
  Values neutral() { return Values(parts, neutralOf(e, fold, accumulator)); }
  Values foldRows(const Index &kept, llvm::Value *firstRow,
                  llvm::Value *lastRow);
  bool readsRowsAsVectors();
  llvm::Value *extremeOfRows(const Index &kept, llvm::Value *firstRow,
                             llvm::Value *lastRow);
  int64_t columnsTogether() const;
  int64_t rowsTogether() const;
  void foldColumn(const Index &keptIndex, llvm::Value *row, llvm::Value *i,
                  int64_t count);
  int64_t segments() const;
  using ElementAt =
      llvm::function_ref<llvm::SmallVector<Element>(llvm::Value *i)>;
  bool stages();
  llvm::SmallVector<Element> foldRow(const Index &kept,
                                     llvm::ArrayRef<Element> start);
  llvm::SmallVector<Element> foldSegments(llvm::ArrayRef<Element> start,
                                          ElementAt elementAt);
  llvm::SmallVector<Element> foldInOrder(llvm::ArrayRef<Element> start,
                                         int64_t first, ElementAt elementAt);
  bool liesInRows();
  llvm::SmallVector<Element> foldArgExtreme(const Index &kept,
                                            llvm::ArrayRef<Element> start);
  bool hasNarrowColumns();
  void emitNarrowColumns();
  void storeResults(llvm::Value *linear, llvm::ArrayRef<Element> elements);

  Emitter &e;
  ReduceOp op;
  llvm::ArrayRef<int64_t> shape;
  llvm::SmallVector<int64_t> kept, reduced; // dimensions
  llvm::SmallVector<int64_t> keptShape, reducedShape;
  int64_t results = 1, perResult = 1;
  int64_t rows = 1, rowLength = 1;
  bool blocked = false; // one long dimension, cut into rows
  bool trailing = false, flat = false;
  Fold fold = Fold::Other;
  std::optional<bool> argMaximum; ///< the fold is ArgExtremes'
  ElementType type, accumulator;  ///< of a part, where sums are complex
  unsigned parts = 1;
  llvm::SmallVector<Place> places;
};

} // namespace

Reduction::Reduction(Emitter &e, ReduceOp op)
    : e(e), op(op), shape(shapeOf(op.getInputs().front())) {
  for (auto [d, size] : llvm::enumerate(shape)) {
    int64_t dimension = static_cast<int64_t>(d);
    bool isReduced = llvm::is_contained(op.getDimensions(), dimension);
    (isReduced ? reduced : kept).push_back(dimension);
    (isReduced ? reducedShape : keptShape).push_back(size);
    (isReduced ? perResult : results) *= size;
  }
  type = elementTypeOf(op.getInputs().front().getType());
  accumulator = accumulatorOf(type);
  if (op.getInputs().size() == 1) {
    fold = recognizeFold(op.getBody(), type);
    if (isComplex(type) &&
        llvm::isa_and_nonnull<AddOp>(onlyOperation(op.getBody(), type))) {
      fold = Fold::Add; // of each part
      parts = 2;
      type = accumulator = partOf(type);
    }
  }
  argMaximum = ArgExtremes::recognize(op);
  for (Value result : op.getResults()) {
    places.push_back(e.buffers.placeOf(result));
  }
  trailing = kept.empty() || reduced.empty() || kept.back() < reduced.front();
  flat = trailing && e.isFlat(op.getInputs());
  // Rows to fold one after the other: a flat range is cut at will.
  if (flat || reduced.size() == 1) {
    blocked = fold != Fold::Other && perResult > blockSize;
    rowLength = blocked ? blockSize : perResult;
    rows = blocked ? (perResult + blockSize - 1) / blockSize : 1;
  } else if (!reduced.empty()) {
    rowLength = reducedShape.back();
    rows = rowLength ? perResult / rowLength : 0;
  }
}

llvm::SmallVector<Element> Reduction::initial() {
  llvm::SmallVector<Element> elements;
  for (Value value : op.getInitValues()) {
    elements.push_back(e.scalar(value));
  }
  return elements;
}

llvm::SmallVector<Element> Reduction::elementsAt(const Index &index) {
  llvm::SmallVector<Element> elements;
  for (Value input : op.getInputs()) {
    elements.push_back(e.emitElement(input, index));
  }
  return elements;
}

llvm::SmallVector<Element>
Reduction::combine(llvm::ArrayRef<Element> accumulated,
                   llvm::ArrayRef<Element> elements) {
  llvm::SmallVector<Element> arguments(accumulated);
  llvm::append_range(arguments, elements);
  return e.emitScalarRegion(op.getBody(), arguments);
}

Reduction::Values Reduction::foldParts(llvm::ArrayRef<llvm::Value *> x,
                                       llvm::ArrayRef<llvm::Value *> y,
                                       bool anyOrder) {
  Values folded;
  for (auto [a, b] : llvm::zip_equal(x, y)) {
    folded.push_back(foldValues(e, fold, accumulator, a, b, anyOrder));
  }
  return folded;
}

/// An element as a fold of one operation carries it, and back.
Reduction::Values Reduction::widened(Element x) {
  return parts == 2 ? Values{x.real, x.imag} : Values{widen(e, x.real, type)};
}

Element Reduction::narrowed(llvm::ArrayRef<llvm::Value *> x) {
  return parts == 2 ? Element{x[0], x[1]} : Element{narrow(e, x[0], type)};
}

/// The operand's index of element `i` of row `row` of what is folded into the
/// result at `keptIndex`.
Index Reduction::operandIndex(const Index &keptIndex, llvm::Value *row,
                              llvm::Value *i) {
  llvm::IRBuilder<> &b = e.builder();
  Index index;
  llvm::Value *offset = i;
  if (blocked) {
    offset = b.CreateNSWAdd(b.CreateNSWMul(row, e.constant(rowLength)), i);
  }
  if (flat) {
    llvm::Value *base =
        b.CreateNSWMul(e.linearOf(keptIndex, keptShape), e.constant(perResult));
    index.linear = b.CreateNSWAdd(base, offset);
    return index;
  }
  index.dims.assign(shape.size(), e.constant(0));
  auto keptDims = e.dimsOf(keptIndex, keptShape);
  for (auto [d, at] : llvm::zip_equal(kept, keptDims)) {
    index.dims[d] = at;
  }
  if (reduced.empty()) {
    return index;
  }
  if (!blocked && reduced.size() > 1) {
    Index rowIndex;
    rowIndex.linear = row;
    auto rowDims = e.dimsOf(rowIndex, llvm::ArrayRef(reducedShape).drop_back());
    for (auto [n, at] : llvm::enumerate(rowDims)) {
      index.dims[reduced[n]] = at;
    }
  }
  index.dims[reduced.back()] = offset;
  return index;
}

void Reduction::storeResults(llvm::Value *linear,
                             llvm::ArrayRef<Element> elements) {
  for (auto [i, result] : llvm::enumerate(op.getResults())) {
    e.store(elementTypeOf(result.getType()), places[i], linear, elements[i]);
  }
}

void Reduction::emitFew() {
  auto operations =
      static_cast<int64_t>(op.getBody().front().getOperations().size());
  int64_t code = perResult * (e.fusion.codeAt(op) + operations);
  e.nest(
      keptShape, flat, static_cast<double>(perResult) + 1,
      [&](const Index &keptIndex) {
        llvm::SmallVector<llvm::SmallVector<Element>> elements;
        for (int64_t r = 0; r < rows; ++r) {
          for (int64_t i = 0; i < rowLength; ++i) {
            elements.push_back(elementsAt(
                operandIndex(keptIndex, e.constant(r), e.constant(i))));
          }
        }
        storeResults(e.linearOf(keptIndex, keptShape), foldFew(elements));
      },
      {}, code);
}

/// The fold of elements that are there, from the initial values on.
llvm::SmallVector<Element>
Reduction::foldFew(llvm::ArrayRef<llvm::SmallVector<Element>> elements) {
  constexpr size_t fewest = 3; // that are worth more than a maximum
  llvm::SmallVector<Element> value = initial();
  if (argMaximum && !elements.empty()) {
    return ArgExtremes(e, type, *argMaximum, rowLength).among(op, elements);
  }
  if (fold == Fold::Other) {
    for (const auto &x : elements) {
      value = combine(value, x);
    }
    return value;
  }
  Values acc = widened(value[0]), numbers;
  for (const auto &x : elements) {
    numbers.push_back(x[0].real);
  }
  if (elements.size() >= fewest && FloatExtremes::areFor(fold, type)) {
    acc = foldParts(acc, {FloatExtremes(e, fold, type).among(numbers)}, false);
  } else if (elements.size() >= 8 && Extremes::areFor(fold, type)) {
    Extremes extremes(e, fold, type);
    auto keys = extremes.none();
    for (llvm::Value *x : numbers) {
      keys = extremes.add(keys, x);
    }
    acc = foldParts(acc, {extremes.wanted(keys)}, false);
  } else {
    for (const auto &x : elements) {
      acc = foldParts(acc, widened(x[0]), false);
    }
  }
  return {narrowed(acc)};
}

/// How many elements `row` has: the last block of a dimension may be shorter.
llvm::Value *Reduction::lengthOf(llvm::Value *row) {
  llvm::IRBuilder<> &b = e.builder();
  llvm::Value *length = e.constant(rowLength);
  if (!blocked || perResult % rowLength == 0) {
    return length;
  }
  llvm::Value *rest = b.CreateSub(e.constant(perResult),
                                  b.CreateMul(row, e.constant(rowLength)));
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, length, rest);
}

/// Whether extremes of rows are those of vectors in memory.
bool Reduction::readsRowsAsVectors() {
  return flat && FloatExtremes::areFor(fold, type) &&
         FloatExtremes::fillVectors(type, perResult) &&
         e.fusion.formOf(op.getInputs().front()) == Form::Buffer;
}

/// The extreme of rows [first, last), which are pieces of one row if there are
/// several.
llvm::Value *Reduction::extremeOfRows(const Index &keptIndex,
                                      llvm::Value *first, llvm::Value *last) {
  llvm::IRBuilder<> &b = e.builder();
  FloatExtremes extremes(e, fold, type);
  llvm::Value *base =
      b.CreateNSWMul(e.linearOf(keptIndex, keptShape), e.constant(perResult));
  llvm::Value *row = b.CreateInBoundsGEP(
      memoryType(type, e.context()), e.pointerTo(op.getInputs().front()), base);
  if (rows == 1) {
    return extremes.ofRow(row, perResult);
  }
  llvm::Value *length = e.constant(rowLength);
  llvm::Value *end = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin,
                                             b.CreateNSWMul(last, length),
                                             e.constant(perResult));
  return extremes.ofPiece(row, perResult, b.CreateNSWMul(first, length), end);
}

/// The fold of rows [first, last) from the neutral element on.
Reduction::Values Reduction::foldRows(const Index &keptIndex,
                                      llvm::Value *first, llvm::Value *last) {
  if (readsRowsAsVectors()) {
    return {extremeOfRows(keptIndex, first, last)};
  }
  auto foldRow = [&](llvm::Value *row) -> Values {
    if (Extremes::areFor(fold, type)) {
      Extremes extremes(e, fold, type);
      return {extremes.wanted(
          e.loop(e.constant(0), lengthOf(row), extremes.none(),
                 [&](llvm::Value *i, llvm::ArrayRef<llvm::Value *> acc) {
                   Index index = operandIndex(keptIndex, row, i);
                   return extremes.add(acc, elementsAt(index).front().real);
                 }))};
    }
    return e.loop(e.constant(0), lengthOf(row), neutral(),
                  [&](llvm::Value *i, llvm::ArrayRef<llvm::Value *> acc) {
                    Element x =
                        elementsAt(operandIndex(keptIndex, row, i)).front();
                    return foldParts(acc, widened(x), true);
                  });
  };
  return e.loop(first, last, neutral(),
                [&](llvm::Value *row, llvm::ArrayRef<llvm::Value *> acc) {
                  return foldParts(acc, foldRow(row), false);
                });
}

/// Into how many segments a row is cut whose fold is no single operation: they
/// are folded side by side, which fills vectors, and then in their order.
int64_t Reduction::segments() const {
  constexpr int64_t shortest = 4;
  for (int64_t count : {16, 8}) {
    if (rowLength >= count * shortest) {
      return rows == 1 ? count : 0;
    }
  }
  return 0;
}

llvm::SmallVector<Element>
Reduction::foldSegments(llvm::ArrayRef<Element> start, ElementAt elementAt) {
  int64_t count = segments(), length = rowLength / count;
  mlir::TypeRange types = op.getResultTypes();
  Slots folded(e, types, start, count);
  auto element = [&](llvm::Value *segment, llvm::Value *i) {
    return elementAt(e.builder().CreateNSWAdd(
        e.builder().CreateNSWMul(segment, e.constant(length)), i));
  };
  llvm::Value *zero = e.constant(0), *all = e.constant(count);
  e.loop(zero, all, [&](llvm::Value *s) { folded.save(s, element(s, zero)); });
  e.loop(e.constant(1), e.constant(length), [&](llvm::Value *i) {
    e.loop(zero, all, [&](llvm::Value *s) {
      folded.save(s, combine(folded.load(s), element(s, i)));
    });
  });
  auto values =
      e.loop(zero, all, flatten(start),
             [&](llvm::Value *s, llvm::ArrayRef<llvm::Value *> acc) {
               return flatten(combine(unflatten(acc, types), folded.load(s)));
             });
  return foldInOrder(unflatten(values, types), count * length, elementAt);
}

llvm::SmallVector<Element> Reduction::foldInOrder(llvm::ArrayRef<Element> start,
                                                  int64_t first,
                                                  ElementAt elementAt) {
  mlir::TypeRange types = op.getResultTypes();
  auto values =
      e.loop(e.constant(first), e.constant(rowLength), flatten(start),
             [&](llvm::Value *i, llvm::ArrayRef<llvm::Value *> acc) {
               return flatten(combine(unflatten(acc, types), elementAt(i)));
             });
  return unflatten(values, types);
}

/// Whether the elements of a row are computed into an array before they are
/// folded one after the other: so their computation fills vectors.
bool Reduction::stages() {
  constexpr int64_t mostBytes = 1 << 14;
  int64_t bytes = 0;
  bool computes = false;
  for (Value input : op.getInputs()) {
    bytes += rowLength * byteWidth(elementTypeOf(input.getType()));
    computes |= e.fusion.formOf(input) == Form::Inline &&
                !input.getDefiningOp<IotaOp>();
  }
  return rows == 1 && computes && bytes <= mostBytes;
}

/// The fold of one row by a function that is no single operation.
llvm::SmallVector<Element> Reduction::foldRow(const Index &keptIndex,
                                              llvm::ArrayRef<Element> start) {
  auto fold = [&](ElementAt elementAt) {
    return segments() > 0 ? foldSegments(start, elementAt)
                          : foldInOrder(start, 0, elementAt);
  };
  auto computed = [&](llvm::Value *i) {
    return elementsAt(operandIndex(keptIndex, e.constant(0), i));
  };
  if (!stages()) {
    return fold(computed);
  }
  Slots row(e, op.getResultTypes(), start, rowLength);
  e.loop(e.constant(0), e.constant(rowLength),
         [&](llvm::Value *i) { row.save(i, computed(i)); });
  return fold([&](llvm::Value *i) { return row.load(i); });
}

/// Whether the elements of a row follow each other in memory.
bool Reduction::liesInRows() {
  return reduced.size() == 1 && (kept.empty() || kept.back() < reduced[0]) &&
         e.fusion.formOf(op.getInputs().front()) == Form::Buffer;
}

/// Elements that do not lie in rows are computed into an array, of a piece of
/// the row at a time.
llvm::SmallVector<Element>
Reduction::foldArgExtreme(const Index &keptIndex,
                          llvm::ArrayRef<Element> start) {
  constexpr int64_t mostBytes = 1 << 14;
  Value numbers = op.getInputs().front();
  llvm::Type *stored = memoryType(type, e.context());
  ArgExtremes extremes(e, type, *argMaximum, rowLength);
  auto indexOf = [&](llvm::Value *i) {
    return operandIndex(keptIndex, e.constant(0), i);
  };
  ArgExtremes::Values found = extremes.none();
  if (liesInRows()) {
    llvm::Value *row = e.builder().CreateInBoundsGEP(
        stored, e.pointerTo(numbers),
        e.linearOf(indexOf(e.constant(0)), shape));
    found = extremes.fold(found, row, e.constant(0), rowLength);
  } else {
    // The last piece starts in the one before, so that all are of one length.
    int64_t length = std::min(rowLength, mostBytes / byteWidth(type));
    int64_t pieces = (rowLength + length - 1) / length;
    llvm::AllocaInst *piece = e.frameSlot(llvm::ArrayType::get(stored, length));
    found =
        e.loop(e.constant(0), e.constant(pieces), found,
               [&](llvm::Value *p, llvm::ArrayRef<llvm::Value *> before) {
                 llvm::Value *first = e.builder().CreateBinaryIntrinsic(
                     llvm::Intrinsic::smin,
                     e.builder().CreateNSWMul(p, e.constant(length)),
                     e.constant(rowLength - length));
                 e.loop(e.constant(0), e.constant(length), [&](llvm::Value *i) {
                   Index index = indexOf(e.builder().CreateNSWAdd(first, i));
                   llvm::Value *x = e.emitElement(numbers, index).real;
                   e.builder().CreateStore(
                       e.toMemory(type, x),
                       e.builder().CreateInBoundsGEP(stored, piece, i));
                 });
                 return extremes.fold(before, piece, first, length);
               });
  }
  llvm::Value *position = extremes.position(found);
  return combine(start, elementsAt(indexOf(position)));
}

void Reduction::emitRows() {
  auto foldAll = [&](const Index &keptIndex) -> llvm::SmallVector<Element> {
    llvm::SmallVector<Element> start = initial();
    if (fold != Fold::Other) {
      Values acc = foldRows(keptIndex, e.constant(0), e.constant(rows));
      return {narrowed(foldParts(widened(start[0]), acc, false))};
    }
    if (argMaximum) {
      return foldArgExtreme(keptIndex, start);
    }
    if (rows == 1) {
      return foldRow(keptIndex, start);
    }
    mlir::TypeRange types = op.getResultTypes();
    auto values = e.loop(
        e.constant(0), e.constant(rows), flatten(start),
        [&](llvm::Value *row, llvm::ArrayRef<llvm::Value *> outer) {
          return e.loop(e.constant(0), e.constant(rowLength), outer,
                        [&](llvm::Value *i, llvm::ArrayRef<llvm::Value *> acc) {
                          auto x = elementsAt(operandIndex(keptIndex, row, i));
                          return flatten(combine(unflatten(acc, types), x));
                        });
        });
    return unflatten(values, types);
  };
  e.nest(keptShape, true, static_cast<double>(perResult),
         [&](const Index &keptIndex) {
           storeResults(e.linearOf(keptIndex, keptShape), foldAll(keptIndex));
         });
}

/// Whether few long results are each shared out among threads.
bool Reduction::splits() const {
  return fold != Fold::Other && results < 16 && rows > 1 &&
         results * perResult >= (1 << 18);
}

int64_t Reduction::partials() const { return std::min(rows, mostPartials); }

void Reduction::emitSplitRows() {
  llvm::IRBuilder<> *b = &e.builder();
  Place scratch = e.buffers.scratchOf(op);
  ElementType stored =
      parts == 2 ? elementTypeOf(op.getResult(0).getType()) : accumulator;
  auto toElement = [](llvm::ArrayRef<llvm::Value *> x) {
    return Element{x[0], x.size() == 2 ? x[1] : nullptr};
  };
  int64_t pieces = partials();
  {
    Emitter::Writes written(e, scratch);
    e.parallel(results * pieces, static_cast<double>(perResult) / pieces,
               [&](llvm::Value *begin, llvm::Value *end) {
                 b = &e.builder();
                 e.loop(begin, end, [&](llvm::Value *task) {
                   Index keptIndex;
                   keptIndex.linear = b->CreateUDiv(task, e.constant(pieces));
                   llvm::Value *part = b->CreateURem(task, e.constant(pieces));
                   auto bound = [&](llvm::Value *p) {
                     return b->CreateUDiv(b->CreateMul(p, e.constant(rows)),
                                          e.constant(pieces));
                   };
                   Values acc =
                       foldRows(keptIndex, bound(part),
                                bound(b->CreateAdd(part, e.constant(1))));
                   e.store(stored, scratch, task, toElement(acc));
                 });
               });
  }
  Values start = widened(initial()[0]);
  e.loop(e.constant(0), e.constant(results), [&](llvm::Value *result) {
    llvm::Value *base = e.builder().CreateMul(result, e.constant(pieces));
    Values acc = e.loop(e.constant(0), e.constant(pieces), start,
                        [&](llvm::Value *p, llvm::ArrayRef<llvm::Value *> acc) {
                          Element x = e.load(stored, scratch,
                                             e.builder().CreateAdd(base, p));
                          return foldParts(acc, flatten(x), true);
                        });
    storeResults(result, {narrowed(acc)});
  });
}

/// How many columns go together: they stay in the first-level cache, and if
/// there is much to do, leave work for a few threads.
int64_t Reduction::columnsTogether() const {
  constexpr int64_t narrowest = 128, widest = 1024, fewTasks = 4;
  constexpr int64_t muchWork = 1 << 18;
  int64_t width = keptShape.back();
  bool shares = results * perResult >= muchWork;
  int64_t tile =
      shares ? std::clamp(results / fewTasks, narrowest, widest) : widest;
  int64_t tiles = (width + tile - 1) / tile;
  // Loops of one length are less code than those of two.
  for (int64_t even = tiles; even <= 2 * tiles && even < tiles + 64; ++even) {
    if (width % even == 0) {
      return width / even;
    }
  }
  return (width + tiles - 1) / tiles;
}

/// How many rows are folded into a result before it is stored again: some,
/// unless they are much to compute.
int64_t Reduction::rowsTogether() const {
  constexpr int littleCode = 8;
  return fold != Fold::Other && e.fusion.codeAt(op) <= littleCode ? 4 : 1;
}

/// Folds `count` elements from the i-th of the row on into a stored result.
void Reduction::foldColumn(const Index &keptIndex, llvm::Value *row,
                           llvm::Value *i, int64_t count) {
  llvm::Value *linear = e.linearOf(keptIndex, keptShape);
  llvm::SmallVector<Element> acc;
  for (auto [n, result] : llvm::enumerate(op.getResults())) {
    acc.push_back(e.load(elementTypeOf(result.getType()), places[n], linear));
  }
  // Extremes of 16-bit floats are those of integers. No sums of such come here.
  bool byKeys = isHalf(type) && fold != Fold::Other;
  Values numbers = byKeys                ? Values{acc[0].real}
                   : fold != Fold::Other ? widened(acc[0])
                                         : Values();
  for (int64_t k = 0; k < count; ++k) {
    llvm::Value *at = e.builder().CreateNSWAdd(i, e.constant(k));
    auto x = elementsAt(operandIndex(keptIndex, row, at));
    if (byKeys) {
      numbers.push_back(x[0].real);
    } else if (fold == Fold::Other) {
      acc = combine(acc, x);
    } else {
      numbers = foldParts(numbers, widened(x[0]), false);
    }
  }
  if (byKeys) {
    acc[0].real = Extremes(e, fold, type).among(numbers);
  } else if (fold != Fold::Other) {
    acc[0] = narrowed(numbers);
  }
  storeResults(linear, acc);
}

void Reduction::emitColumns() {
  int64_t width = keptShape.back(), tile = columnsTogether();
  int64_t tiles = (width + tile - 1) / tile, together = rowsTogether();
  llvm::ArrayRef<int64_t> outer = llvm::ArrayRef(keptShape).drop_back();
  auto emitTask = [&](llvm::Value *task) {
    llvm::IRBuilder<> &b = e.builder();
    Index outerIndex, keptIndex;
    outerIndex.linear = task;
    llvm::Value *first = e.constant(0), *count = e.constant(tile);
    if (tiles > 1) {
      outerIndex.linear = b.CreateUDiv(task, e.constant(tiles));
      first = b.CreateNSWMul(b.CreateURem(task, e.constant(tiles)),
                             e.constant(tile));
    }
    if (tiles * tile != width) {
      count = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, count,
                                      b.CreateNSWSub(e.constant(width), first));
    }
    keptIndex.dims = e.dimsOf(outerIndex, outer);
    keptIndex.dims.push_back(nullptr);
    auto eachColumn = [&](llvm::function_ref<void()> body) {
      e.loop(e.constant(0), count, [&](llvm::Value *j) {
        keptIndex.dims.back() = e.builder().CreateNSWAdd(first, j);
        body();
      });
    };
    llvm::SmallVector<Element> start = initial();
    eachColumn([&] { storeResults(e.linearOf(keptIndex, keptShape), start); });
    e.loop(e.constant(0), e.constant(rows), [&](llvm::Value *row) {
      auto fold = [&](llvm::Value *begin, llvm::Value *end, int64_t together) {
        e.loop(begin, end, [&](llvm::Value *n) {
          llvm::Value *i = e.builder().CreateNSWMul(n, e.constant(together));
          eachColumn([&] { foldColumn(keptIndex, row, i, together); });
        });
      };
      llvm::IRBuilder<> &b = e.builder();
      llvm::Value *length = lengthOf(row), *step = e.constant(together);
      llvm::Value *groups = b.CreateUDiv(length, step);
      fold(e.constant(0), groups, together);
      if (together > 1) {
        fold(e.builder().CreateNSWMul(groups, step), length, 1);
      }
    });
  };
  double cost = 2.0 * static_cast<double>(perResult * tile);
  e.parallel(results / width * tiles, cost,
             [&](llvm::Value *begin, llvm::Value *end) {
               e.loop(begin, end, emitTask);
             });
}

/// Whether an argmax of few long columns, side by side in memory.
bool Reduction::hasNarrowColumns() {
  auto rank = static_cast<int64_t>(shape.size());
  return argMaximum && reduced[0] == rank - 2 &&
         ArgExtremes::areNarrow(perResult, shape.back()) &&
         e.fusion.formOf(op.getInputs().front()) == Form::Buffer;
}

void Reduction::emitNarrowColumns() {
  llvm::ArrayRef<int64_t> outer = llvm::ArrayRef(keptShape).drop_back();
  int64_t columns = keptShape.back();
  e.nest(outer, true, static_cast<double>(perResult * columns),
         [&](const Index &outerIndex) {
           llvm::IRBuilder<> &b = e.builder();
           llvm::Value *matrix = b.CreateInBoundsGEP(
               memoryType(type, e.context()),
               e.pointerTo(op.getInputs().front()),
               b.CreateNSWMul(e.linearOf(outerIndex, outer),
                              e.constant(perResult * columns)));
           ArgExtremes extremes(e, type, *argMaximum, perResult, columns);
           ArgExtremes::Values positions = extremes.ofColumns(matrix);
           for (auto [column, position] : llvm::enumerate(positions)) {
             Index keptIndex;
             keptIndex.dims = e.dimsOf(outerIndex, outer);
             keptIndex.dims.push_back(e.constant(static_cast<int64_t>(column)));
             Index at = operandIndex(keptIndex, e.constant(0), position);
             storeResults(e.linearOf(keptIndex, keptShape),
                          combine(initial(), elementsAt(at)));
           }
         });
}

void Reduction::emit() {
  if (results == 0) {
    return;
  }
  if (splits()) {
    emitSplitRows();
    return;
  }
  Emitter::Writes written(e, places);
  // Dimensions of size 1 do not count: the last one that does decides.
  int64_t last = static_cast<int64_t>(shape.size()) - 1;
  while (last >= 0 && shape[last] == 1) {
    --last;
  }
  bool lastKept = last >= 0 && llvm::is_contained(kept, last);
  // What is folded in line repeats the body.
  auto code = static_cast<int64_t>(op.getBody().front().getOperations().size());
  bool fits = perResult <= 1 || code * perResult <= mostInLine;
  bool isExtreme =
      fold == Fold::Maximum || fold == Fold::Minimum; // never rounded
  if (perResult <= fewElements && fits) {
    emitFew();
  } else if (hasNarrowColumns()) {
    emitNarrowColumns();
  } else if (lastKept && (!isNarrow(type) || isExtreme) &&
             keptShape.back() == shape[last]) {
    emitColumns();
  } else {
    emitRows();
  }
}

void Emitter::emitReduce(Operation *op) {
  Reduction(*this, llvm::cast<ReduceOp>(op)).emit();
}

int64_t reduceScratchBytes(Operation *op) {
  // An upper bound: the emitter decides with more knowledge.
  auto reduce = llvm::cast<ReduceOp>(op);
  int64_t results = 1;
  if (elementCountOf(reduce.getInputs().front()) < (1 << 18)) {
    return 0;
  }
  results = elementCountOf(reduce.getResult(0));
  return results < 16 ? results * mostPartials * 16 : 0;
}

} // namespace xla::cpu
