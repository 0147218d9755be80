//===- TileIntermediates.cpp - Squares are computed a tile at a time ------===//
//
// The product of two long, narrow matrices is a square that is much larger than
// either. What is computed from it may be small again: attention takes the
// softmax of its rows and multiplies that by a narrow matrix. Then the square
// need not exist. All operations on squares, and those between them, move into
// a loop over one dimension; the loop computes a tile, whose results are parts
// of what the whole would give, or are added up. In the loop's body the tile is
// a smaller square, for which the same is done along the next dimension, until
// it fits into a cache.
//
// Nothing here knows of softmax, masks or derivatives: a dimension may be tiled
// if it can be followed through all operations (TiledDimensions.h). A square
// that is read once more behind an operation that must see all tiles, as the
// backward half of a training step does behind the loss, is computed once more,
// from the rows' maxima and sums, which are small.
//
//===----------------------------------------------------------------------===//

#include "xla/dialect/ElementTypes.h"
#include "xla/optimize/Patterns.h"
#include "xla/optimize/TiledDimensions.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace xla {

using namespace stablehlo;

using Operations = llvm::SetVector<Operation *>;

/// Squares of fewer bytes stay, but in loops that are there anyway.
static constexpr int64_t smallestSquare = int64_t(8) << 20;
/// The bytes of a tile of a square.
static constexpr int64_t tileBytes = int64_t(1) << 20;
/// Values that are computed from numbers of elements alone are followed so far.
static constexpr int longestChain = 32;

static int64_t bytesOf(Value value) {
  auto type = typeOf(value);
  Type element = type.getElementType();
  unsigned bits =
      element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 128;
  return type.getNumElements() * std::max<int64_t>(1, bits / 8);
}

static RankedTensorType resized(Type type, int64_t d, int64_t size) {
  auto array = cast<RankedTensorType>(type);
  Sizes shape(array.getShape());
  shape[d] = size;
  return array.clone(shape);
}

static Value scalarOf(OpBuilder &b, Location where, int64_t number) {
  auto type = RankedTensorType::get({}, b.getI32Type());
  return ConstantOp::create(
      b, where,
      DenseElementsAttr::get(type, b.getI32IntegerAttr(int32_t(number))));
}

static Value zeroArray(OpBuilder &b, Location where, RankedTensorType type) {
  auto scalar = RankedTensorType::get({}, type.getElementType());
  Value zero = ConstantOp::create(b, where, xla::zerosOf(scalar));
  return BroadcastInDimOp::create(b, where, type, zero,
                                  b.getDenseI64ArrayAttr({}));
}

/// Whether the product is a square: of `smallest` bytes or more, and much
/// larger than both factors.
static bool isSquare(DotGeneralOp op, int64_t smallest) {
  if (!hasTiledDimensions(op) ||
      !isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(
          getElementTypeOrSelf(op.getType())) ||
      bytesOf(op) < smallest) {
    return false;
  }
  int64_t elements = typeOf(op).getNumElements();
  return llvm::all_of(op->getOperands(), [&](Value factor) {
    return typeOf(factor).getNumElements() * 4 <= elements;
  });
}

/// The defining operation in the same block.
static Operation *definitionIn(Block *block, Value value) {
  Operation *op = value.getDefiningOp();
  return op && op->getBlock() == block ? op : nullptr;
}

/// Calls `visit` with each value that the operation reads, and those within.
static void forOperands(Operation *op, llvm::function_ref<void(Value)> visit) {
  op->walk(
      [&](Operation *inner) { llvm::for_each(inner->getOperands(), visit); });
}

namespace {

/// What is done to an operation in a loop over tiles.
struct Role {
  bool isSum = false; ///< results are added up
  int64_t dimension = wholeOperand;
  Sizes operands; ///< the tiled dimension of each
};

/// The operations around a square, and a loop over a dimension of theirs.
class Tiling {
public:
  explicit Tiling(DotGeneralOp square)
      : square(square), block(square->getBlock()),
        largest(typeOf(square).getNumElements()) {}

  /// Finds the operations; false where a square is read by something else.
  bool collect();
  /// Whether dimension `d` of the square can be tiled.
  bool follow(int64_t d);
  /// Makes the loops; returns their bodies.
  SmallVector<Block *> emit(int64_t d);

private:
  bool isLarge(Value value) const {
    auto type = typeOf(value);
    return type && type.hasStaticShape() &&
           type.getNumElements() * 2 >= largest;
  }
  bool comesFromProduct(Value value, int depth = 0);
  bool addLarge(Operation *first);
  void addBetween();
  bool canMoveDown(const Operations &part) const;
  bool relate(Operation *op, bool &changed);
  int64_t tileOf(int64_t d);
  void markOutputs(size_t part);
  void emitPart(size_t part, int64_t size, int64_t tile);
  SmallVector<Value> emitTile(OpBuilder &b, const Operations &part,
                              Value offset, int64_t size);
  bool isOfIndices(Value value, int depth = 0);
  Value tiled(OpBuilder &b, Value value, int64_t d, int depth = 0);
  Value clonedTile(OpBuilder &b, Operation *op, int64_t d, int depth);
  Value slicedTile(OpBuilder &b, Value value, int64_t d);
  Value iotaTile(OpBuilder &b, IotaOp op, int64_t d);
  void moveUsersBehind(Operation *first, Operation *last);

  DotGeneralOp square;
  Block *block;
  int64_t largest;
  Operations large; ///< read or write squares
  SmallVector<Operations, 2> parts;
  llvm::DenseMap<Operation *, size_t> partOf;
  llvm::DenseMap<Operation *, Role> roles;
  SmallVector<Value> outputs;            ///< of the part that is emitted
  llvm::DenseMap<Value, Value> finished; ///< outputs of parts before
  llvm::DenseMap<Value, bool> ofIndices, ofProducts;
  SmallVector<Block *> bodies;

  // Of the tile that is emitted.
  Value tileOffset;
  int64_t tileSize = 0;
  llvm::DenseMap<std::pair<Value, int64_t>, Value> tiles;
};

} // namespace

/// Whether squares that are products are read on the way to `value`.
bool Tiling::comesFromProduct(Value value, int depth) {
  Operation *op = definitionIn(block, value);
  if (!op || !isLarge(value) || !hasTiledDimensions(op) ||
      depth > longestChain) {
    return false;
  }
  if (auto found = ofProducts.find(value); found != ofProducts.end()) {
    return found->second;
  }
  bool isSo = isa<DotGeneralOp>(op) ||
              llvm::any_of(op->getOperands(), [&](Value operand) {
                return comesFromProduct(operand, depth + 1);
              });
  return ofProducts[value] = isSo;
}

/// Adds the operations that read the square, what they make of it, and other
/// squares that they read.
bool Tiling::addLarge(Operation *first) {
  SmallVector<Operation *> work = {first};
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    if (op->getBlock() != block || !hasTiledDimensions(op)) {
      return false;
    }
    if (!large.insert(op)) {
      continue;
    }
    constexpr size_t most = 400;
    if (large.size() > most) {
      return false;
    }
    for (Value operand : op->getOperands()) {
      if (comesFromProduct(operand)) {
        work.push_back(operand.getDefiningOp());
      }
    }
    if (isLarge(op->getResult(0))) {
      llvm::append_range(work, op->getUsers());
    }
  }
  return true;
}

/// Puts the operations into the parts of which each becomes a loop: what reads
/// squares, and what is small and between two of these. What cannot be tiled
/// between two of them is between two parts.
void Tiling::addBetween() {
  llvm::DenseMap<Operation *, size_t> number; // of those below a square
  llvm::DenseMap<Operation *, bool> isAbove;
  SmallVector<Operation *> below;
  auto breaks = [&](Operation *op) {
    return !large.contains(op) &&
           (!hasTiledDimensions(op) || isa<DotGeneralOp>(op));
  };
  for (Operation &op : *block) {
    bool isBelow = large.contains(&op);
    size_t last = 0;
    forOperands(&op, [&](Value value) {
      Operation *source = definitionIn(block, value);
      if (source && number.contains(source)) {
        isBelow = true;
        last = std::max(last, number.lookup(source) + breaks(source));
      }
    });
    if (isBelow) {
      number[&op] = last;
      below.push_back(&op);
      parts.resize(std::max(parts.size(), last + 1));
    }
  }
  // Backwards: above a square of the same part.
  for (Operation *op : llvm::reverse(below)) {
    bool found = large.contains(op);
    for (Operation *user : op->getUsers()) {
      found |= user->getBlock() == block && isAbove.lookup(user) &&
               number.lookup(user) == number.lookup(op);
    }
    isAbove[op] = found && !breaks(op);
  }
  for (Operation *op : below) {
    bool isIn = large.contains(op);
    for (Value operand : op->getOperands()) {
      Operation *source = definitionIn(block, operand);
      isIn |= source && isAbove.lookup(op) && partOf.contains(source) &&
              partOf.lookup(source) == number.lookup(op);
    }
    if (isIn) {
      partOf[op] = number.lookup(op);
      parts[number.lookup(op)].insert(op);
    }
  }
  llvm::erase_if(parts, [](const Operations &part) { return part.empty(); });
  for (auto [i, part] : llvm::enumerate(parts)) {
    for (Operation *op : part) {
      partOf[op] = i;
    }
  }
}

/// Whether what reads results of the part before the part is complete may be
/// computed behind it.
bool Tiling::canMoveDown(const Operations &part) const {
  llvm::DenseSet<Operation *> late;
  for (Operation *op = part.front(); op != part.back();
       op = op->getNextNode()) {
    bool isLate = part.contains(op);
    forOperands(op, [&](Value value) {
      Operation *source = definitionIn(block, value);
      isLate |= source && late.contains(source);
    });
    if (isLate) {
      late.insert(op);
      if (!isMemoryEffectFree(op)) {
        return false;
      }
    }
  }
  return true;
}

bool Tiling::collect() {
  if (!addLarge(square)) {
    return false;
  }
  addBetween();
  return llvm::all_of(
      parts, [&](const Operations &part) { return canMoveDown(part); });
}

/// Completes what is known of the operation's dimensions; false where they
/// contradict each other.
bool Tiling::relate(Operation *op, bool &changed) {
  Role *role = roles.contains(op) ? &roles[op] : nullptr;
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    Operation *source = operand.getDefiningOp();
    if (role || !source || !roles.contains(source)) {
      continue;
    }
    auto number = static_cast<unsigned>(i);
    int64_t d = roles[source].dimension;
    auto found =
        roles[source].isSum ? std::nullopt : resultDimension(op, number, d);
    if (!found) {
      return false;
    }
    Role made{found->isSum, found->dimension, {}};
    for (unsigned j = 0; j < op->getNumOperands(); ++j) {
      auto other = found->isSum ? summedDimension(op, number, d, j)
                                : operandDimension(op, j, found->dimension);
      if (!other) {
        return false;
      }
      made.operands.push_back(*other);
    }
    roles[op] = made;
    role = &roles[op];
    changed = true;
  }
  if (!role) {
    return true;
  }
  // What it reads is tiled as it reads it.
  Sizes dimensions = role->operands;
  for (auto [operand, d] : llvm::zip_equal(op->getOperands(), dimensions)) {
    Operation *source = operand.getDefiningOp();
    if (!source || !partOf.contains(source)) {
      continue;
    }
    if (auto known = roles.find(source); known != roles.end()) {
      if (known->second.isSum || known->second.dimension != d) {
        return false;
      }
      continue;
    }
    Role made{false, d, {}};
    for (unsigned j = 0; j < source->getNumOperands(); ++j) {
      auto other =
          d == wholeOperand ? std::nullopt : operandDimension(source, j, d);
      if (!other) {
        return false;
      }
      made.operands.push_back(*other);
    }
    roles[source] = made;
    changed = true;
  }
  return true;
}

bool Tiling::follow(int64_t d) {
  roles.clear();
  Role first{false, d, {}};
  for (unsigned i = 0; i < 2; ++i) {
    first.operands.push_back(*operandDimension(square, i, d));
  }
  roles[square] = first;
  for (bool changed = true; changed;) {
    changed = false;
    for (const Operations &part : parts) {
      for (Operation *op : part) {
        if (!relate(op, changed)) {
          return false;
        }
      }
    }
  }
  return llvm::all_of(partOf,
                      [&](auto &entry) { return roles.contains(entry.first); });
}

/// So much of dimension `d` makes a tile.
int64_t Tiling::tileOf(int64_t d) {
  int64_t size = shapeOf(square)[d];
  int64_t each = std::max<int64_t>(1, bytesOf(square) / size);
  int64_t most = std::clamp<int64_t>(tileBytes / each, 1, size);
  for (int64_t tile = most; 2 * tile > most; --tile) {
    if (size % tile == 0) {
      return tile;
    }
  }
  return most;
}

//===----------------------------------------------------------------------===//
// Tiles of what is read
//===----------------------------------------------------------------------===//

/// Whether numbers of elements can be added to an offset without being rounded.
static bool isExact(IotaOp op) {
  Type element = getElementTypeOrSelf(op.getType());
  int64_t last = shapeOf(op.getResult())[op.getIotaDimension()];
  return isa<IntegerType>(element) ||
         (isa<Float32Type, Float64Type>(element) && last <= (1 << 24));
}

/// Whether the value is computed from constants and numbers of elements.
bool Tiling::isOfIndices(Value value, int depth) {
  if (auto found = ofIndices.find(value); found != ofIndices.end()) {
    return found->second;
  }
  Operation *op = value.getDefiningOp();
  bool isSo = false;
  if (op && isa<IotaOp, ConstantOp>(op)) {
    auto constant = dyn_cast<ConstantOp>(op);
    isSo = !constant || isa<SplatElementsAttr>(constant.getValue());
  } else if (op && depth < longestChain && hasTiledDimensions(op) &&
             !isa<DotGeneralOp, ReduceOp>(op)) {
    isSo = llvm::all_of(op->getOperands(), [&](Value operand) {
      return isOfIndices(operand, depth + 1);
    });
  }
  return ofIndices[value] = isSo;
}

Value Tiling::iotaTile(OpBuilder &b, IotaOp op, int64_t d) {
  Location where = op.getLoc();
  RankedTensorType type = resized(op.getType(), d, tileSize);
  Value numbers = IotaOp::create(b, where, type, op.getIotaDimension());
  if (static_cast<int64_t>(op.getIotaDimension()) != d) {
    return numbers;
  }
  Value offset = ConvertOp::create(
      b, where, RankedTensorType::get({}, type.getElementType()), tileOffset);
  offset = BroadcastInDimOp::create(b, where, type, offset,
                                    b.getDenseI64ArrayAttr({}));
  return AddOp::create(b, where, type, numbers, offset);
}

Value Tiling::slicedTile(OpBuilder &b, Value value, int64_t d) {
  if (auto found = finished.find(value); found != finished.end()) {
    value = found->second;
  }
  Location where = value.getLoc();
  Sizes sizes(shapeOf(value));
  sizes[d] = tileSize;
  SmallVector<Value> starts(sizes.size(), scalarOf(b, where, 0));
  starts[d] = tileOffset;
  return DynamicSliceOp::create(b, where, resized(value.getType(), d, tileSize),
                                value, starts, sizes);
}

Value Tiling::clonedTile(OpBuilder &b, Operation *op, int64_t d, int depth) {
  Sizes dimensions;
  for (unsigned i = 0; i < op->getNumOperands(); ++i) {
    auto from = operandDimension(op, i, d);
    if (!from) {
      return slicedTile(b, op->getResult(0), d);
    }
    dimensions.push_back(*from);
  }
  SmallVector<Value> operands;
  for (auto [operand, from] : llvm::zip_equal(op->getOperands(), dimensions)) {
    operands.push_back(tiled(b, operand, from, depth + 1));
  }
  Operation *copy = op->clone();
  copy->setOperands(operands);
  copy->getResult(0).setType(resized(op->getResult(0).getType(), d, tileSize));
  b.insert(copy);
  return copy->getResult(0);
}

/// The tile of a value that the loop does not compute.
Value Tiling::tiled(OpBuilder &b, Value value, int64_t d, int depth) {
  if (auto found = finished.find(value); found != finished.end()) {
    value = found->second;
  }
  if (d == wholeOperand) {
    return value;
  }
  if (Value known = tiles.lookup({value, d})) {
    return known;
  }
  Operation *op = value.getDefiningOp();
  Value tile;
  if (auto iota = dyn_cast_or_null<IotaOp>(op); iota && isExact(iota)) {
    tile = iotaTile(b, iota, d);
  } else if (auto constant = dyn_cast_or_null<ConstantOp>(op);
             constant && isa<SplatElementsAttr>(constant.getValue())) {
    auto splat = cast<DenseElementsAttr>(constant.getValue());
    tile = ConstantOp::create(
        b, constant.getLoc(),
        splat.resizeSplat(resized(value.getType(), d, tileSize)));
  } else if (op && depth < longestChain && hasTiledDimensions(op) &&
             (partOf.contains(op)
                  ? isLarge(value)
                  : !isa<DotGeneralOp, ReduceOp>(op) &&
                        (isLarge(value) || isOfIndices(value)))) {
    tile = clonedTile(b, op, d, depth);
  } else {
    tile = slicedTile(b, value, d);
  }
  tiles[{value, d}] = tile;
  return tile;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// The values of the part that are read outside of its loop.
void Tiling::markOutputs(size_t number) {
  outputs.clear();
  for (Operation *op : parts[number]) {
    Value result = op->getResult(0);
    bool isOutput = llvm::any_of(op->getUsers(), [&](Operation *user) {
      auto found = partOf.find(user);
      if (found == partOf.end()) {
        return true;
      }
      // Squares are computed once more, from what is small.
      bool isReadAgain = parts.size() > 1 && isLarge(user->getResult(0));
      return !isLarge(result) && (found->second != number || isReadAgain);
    });
    if (isOutput) {
      outputs.push_back(result);
    }
  }
}

/// Sums of halves are added up in f32.
static RankedTensorType sumType(Type type) {
  auto array = cast<RankedTensorType>(type);
  Type element = array.getElementType();
  bool isHalf = isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32;
  return isHalf ? array.clone(Float32Type::get(type.getContext())) : array;
}

SmallVector<Value> Tiling::emitTile(OpBuilder &b, const Operations &part,
                                    Value offset, int64_t size) {
  tileOffset = offset;
  tileSize = size;
  tiles.clear();
  IRMapping map;
  for (Operation *op : part) {
    const Role &role = roles[op];
    Operation *copy = op->clone();
    for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
      Operation *source = operand.getDefiningOp();
      copy->setOperand(static_cast<unsigned>(i),
                       source && part.contains(source)
                           ? map.lookup(operand)
                           : tiled(b, operand, role.operands[i]));
    }
    Type type = op->getResult(0).getType();
    copy->getResult(0).setType(
        role.isSum ? sumType(type) : resized(type, role.dimension, size));
    b.insert(copy);
    map.map(op->getResult(0), copy->getResult(0));
  }
  return llvm::map_to_vector(outputs, [&](Value v) { return map.lookup(v); });
}

/// Puts what a tile computes into the results.
static Value withTile(OpBuilder &b, Value whole, Value tile, const Role &role,
                      Value offset) {
  Location where = tile.getLoc();
  if (role.isSum) {
    return AddOp::create(b, where, whole.getType(), whole, tile);
  }
  SmallVector<Value> starts(shapeOf(whole).size(), scalarOf(b, where, 0));
  starts[role.dimension] = offset;
  return DynamicUpdateSliceOp::create(b, where, whole.getType(), whole, tile,
                                      starts);
}

/// Operations between the first and the last of a part that read its results
/// are computed behind the loop.
void Tiling::moveUsersBehind(Operation *first, Operation *last) {
  llvm::DenseSet<Operation *> late;
  Operation *cursor = last;
  for (Operation *op = first; op != last;) {
    Operation *next = op->getNextNode();
    bool isLate = false;
    forOperands(op, [&](Value value) {
      Operation *source = definitionIn(block, value);
      isLate |= source && (late.contains(source) ||
                           (source != op && source->getBlock() == block &&
                            !source->isBeforeInBlock(op)));
    });
    if (isLate) {
      late.insert(op);
      op->moveAfter(cursor);
      cursor = op;
    }
    op = next;
  }
}

void Tiling::emitPart(size_t number, int64_t size, int64_t tile) {
  markOutputs(number);
  const Operations &part = parts[number];
  Operation *first = part.front();
  Operation *end = part.back();
  for (Operation *op : part) {
    first = op->isBeforeInBlock(first) ? op : first;
    end = end->isBeforeInBlock(op) ? op : end;
  }
  OpBuilder b(block, std::next(end->getIterator()));
  Location where = square.getLoc();
  SmallVector<Value> carries = {scalarOf(b, where, 0)};
  for (Value output : outputs) {
    auto type = cast<RankedTensorType>(output.getType());
    carries.push_back(zeroArray(
        b, where, roles[output.getDefiningOp()].isSum ? sumType(type) : type));
  }
  SmallVector<Type> types(ValueRange(carries).getTypes());
  SmallVector<Location> locations(types.size(), where);
  auto loop = WhileOp::create(b, where, types, carries);
  Block *condition = b.createBlock(&loop.getCond(), {}, types, locations);
  Value isLess = CompareOp::create(
      b, where, RankedTensorType::get({}, b.getI1Type()),
      condition->getArgument(0), scalarOf(b, where, size - size % tile),
      ComparisonDirectionAttr::get(b.getContext(), ComparisonDirection::LT),
      nullptr);
  stablehlo::ReturnOp::create(b, where, isLess);
  Block *body = b.createBlock(&loop.getBody(), {}, types, locations);
  bodies.push_back(body);
  auto step = [&](ValueRange whole, Value offset, int64_t rows) {
    SmallVector<Value> made = emitTile(b, part, offset, rows);
    for (auto [i, value] : llvm::enumerate(made)) {
      value = withTile(b, whole[i], value, roles[outputs[i].getDefiningOp()],
                       offset);
    }
    return made;
  };
  Value offset = body->getArgument(0);
  SmallVector<Value> made =
      step(body->getArguments().drop_front(), offset, tile);
  Value next = AddOp::create(b, where, offset.getType(), offset,
                             scalarOf(b, where, tile));
  made.insert(made.begin(), next);
  stablehlo::ReturnOp::create(b, where, made);
  b.setInsertionPointAfter(loop);
  SmallVector<Value> results(loop.getResults().drop_front());
  if (size % tile != 0) {
    results =
        step(results, scalarOf(b, where, size - size % tile), size % tile);
  }
  for (auto [output, result] : llvm::zip_equal(outputs, results)) {
    if (result.getType() != output.getType()) {
      result = ConvertOp::create(b, where, output.getType(), result);
    }
    finished[output] = result;
    Value replacement = result;
    output.replaceUsesWithIf(replacement, [&](OpOperand &use) {
      auto found = partOf.find(use.getOwner());
      return found == partOf.end() || found->second != number;
    });
  }
  Operation *last = &*std::prev(b.getInsertionPoint());
  moveUsersBehind(first, last);
}

SmallVector<Block *> Tiling::emit(int64_t d) {
  int64_t size = shapeOf(square)[d];
  int64_t tile = tileOf(d);
  for (size_t i = 0; i < parts.size(); ++i) {
    emitPart(i, size, tile);
  }
  for (const Operations &part : llvm::reverse(parts)) {
    for (Operation *op : llvm::reverse(part.getArrayRef())) {
      if (op->use_empty()) {
        op->erase();
      }
    }
  }
  return bodies;
}

/// Tiles the first square that can be, along its first dimension that can be;
/// the bodies of the loops that this made.
static SmallVector<Block *> tileOne(Block &block, int64_t smallest,
                                    llvm::DenseSet<Operation *> &refused) {
  for (Operation &op : block) {
    auto dot = dyn_cast<DotGeneralOp>(op);
    if (!dot || refused.contains(dot) || !isSquare(dot, smallest)) {
      continue;
    }
    refused.insert(dot);
    Tiling tiling(dot);
    if (!tiling.collect()) {
      continue;
    }
    for (auto [d, size] : llvm::enumerate(shapeOf(dot))) {
      if (size > 1 && tiling.follow(static_cast<int64_t>(d))) {
        return tiling.emit(static_cast<int64_t>(d));
      }
    }
  }
  return {};
}

static void tileAll(Block *first, int64_t smallest) {
  SmallVector<Block *> work = {first};
  while (!work.empty()) {
    Block *block = work.pop_back_val();
    int64_t least = block == first ? smallest : 2 * tileBytes;
    llvm::DenseSet<Operation *> refused;
    while (true) {
      SmallVector<Block *> bodies = tileOne(*block, least, refused);
      if (bodies.empty()) {
        break;
      }
      llvm::append_range(work, bodies);
    }
  }
}

void tileIntermediates(ModuleOp module) {
  llvm::SetVector<Block *> blocks;
  module.walk([&](DotGeneralOp dot) {
    if (isSquare(dot, smallestSquare)) {
      blocks.insert(dot->getBlock());
    }
  });
  for (Block *block : blocks) {
    tileAll(block, smallestSquare);
  }
}

} // namespace xla
