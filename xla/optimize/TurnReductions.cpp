//===- TurnReductions.cpp - Reductions of transposed arrays ---------------===//
//
// A fold of a transposed array, or of what is computed from such element by
// element, is a fold of the array itself along other dimensions. It is read in
// the order that it has in memory; what is left of the transpose permutes the
// results, of which there are fewer.
//
//===----------------------------------------------------------------------===//

#include "xla/dialect/stablehlo/StablehloOps.h"
#include "xla/optimize/Patterns.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace xla {

using namespace stablehlo;

namespace {

/// What a reduction reads, computed without the transposes of one permutation.
class Turned {
public:
  explicit Turned(ReduceOp op) : op(op), builder(op) {}

  /// Whether all inputs can be computed so, and one is transposed.
  bool find();
  /// The inputs as they are before the permutation.
  SmallVector<Value> build();

  ArrayRef<int64_t> order; ///< the permutation

private:
  bool visit(Value value);
  Value build(Value value);
  bool canTurn(Value value);
  RankedTensorType before(Value value) const;
  Value turnLeaf(Value value);

  ReduceOp op;
  OpBuilder builder;
  llvm::SetVector<Operation *> computed; ///< operands come later
  DenseMap<Value, Value> turned;
};

} // namespace

/// Whether an operation computes each element from those at the same index,
/// for one user alone.
static bool isComputedFor(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() && op->getNumResults() == 1 &&
         op->getNumRegions() == 0 && op->getResult(0).hasOneUse() &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return typeOf(operand) &&
                  shapeOf(operand) == shapeOf(op->getResult(0));
         });
}

static bool isSplat(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  return constant && isa<SplatElementsAttr>(constant.getValue());
}

/// A transpose by the permutation, or what has no order in memory.
bool Turned::canTurn(Value value) {
  if (auto transpose = value.getDefiningOp<TransposeOp>()) {
    if (order.empty()) {
      order = transpose.getPermutation();
    }
    return order == transpose.getPermutation();
  }
  return isSplat(value) ||
         isa_and_nonnull<BroadcastInDimOp, IotaOp>(value.getDefiningOp());
}

bool Turned::visit(Value value) {
  constexpr size_t mostOperations = 32;
  SmallVector<Value> work = {value};
  while (!work.empty()) {
    Value next = work.pop_back_val();
    if (canTurn(next)) {
      continue;
    }
    Operation *source = next.getDefiningOp();
    if (!source || !isComputedFor(source) ||
        computed.size() == mostOperations) {
      return false;
    }
    computed.insert(source);
    llvm::append_range(work, source->getOperands());
  }
  return true;
}

bool Turned::find() {
  return llvm::all_of(op.getInputs(),
                      [&](Value input) {
                        return typeOf(input) &&
                               typeOf(input).hasStaticShape() && visit(input);
                      }) &&
         !order.empty();
}

RankedTensorType Turned::before(Value value) const {
  Sizes shape(order.size());
  for (auto [d, from] : llvm::enumerate(order)) {
    shape[from] = shapeOf(value)[d];
  }
  return typeOf(value).clone(shape);
}

Value Turned::turnLeaf(Value value) {
  Operation *source = value.getDefiningOp();
  Location location = value.getLoc();
  RankedTensorType type = before(value);
  if (auto transpose = dyn_cast<TransposeOp>(source)) {
    return transpose.getOperand();
  }
  if (auto iota = dyn_cast<IotaOp>(source)) {
    return IotaOp::create(builder, location, type,
                          order[iota.getIotaDimension()]);
  }
  if (auto broadcast = dyn_cast<BroadcastInDimOp>(source)) {
    Sizes dimensions;
    for (int64_t d : broadcast.getBroadcastDimensions()) {
      dimensions.push_back(order[d]);
    }
    return BroadcastInDimOp::create(builder, location, type,
                                    broadcast.getOperand(),
                                    builder.getDenseI64ArrayAttr(dimensions));
  }
  auto number = cast<SplatElementsAttr>(cast<ConstantOp>(source).getValue());
  return ConstantOp::create(builder, location, number.resizeSplat(type));
}

SmallVector<Value> Turned::build() {
  auto of = [&](Value value) {
    Value &known = turned[value];
    if (!known) {
      known = turnLeaf(value);
    }
    return known;
  };
  for (Operation *source : llvm::reverse(computed)) {
    OperationState state(source->getLoc(), source->getName());
    for (Value operand : source->getOperands()) {
      state.operands.push_back(of(operand));
    }
    state.types.push_back(before(source->getResult(0)));
    state.attributes = source->getAttrs();
    turned[source->getResult(0)] = builder.create(state)->getResult(0);
  }
  return llvm::map_to_vector(op.getInputs(), of);
}

static void turnReduction(ReduceOp op) {
  Turned inputs(op);
  if (!inputs.find()) {
    return;
  }
  ArrayRef<int64_t> order = inputs.order;
  Sizes reduced, kept;
  for (auto [d, from] : llvm::enumerate(order)) {
    bool isReduced =
        llvm::is_contained(op.getDimensions(), static_cast<int64_t>(d));
    (isReduced ? reduced : kept).push_back(from);
  }
  // Elements of one result stay in their order, where it may matter.
  if (!llvm::is_sorted(reduced) && !foldOf(op)) {
    return;
  }
  llvm::sort(reduced);
  OpBuilder b(op);
  SmallVector<Value> operands = inputs.build();
  Sizes sorted(kept), back;
  llvm::sort(sorted);
  for (int64_t d : kept) {
    back.push_back(llvm::find(sorted, d) - sorted.begin());
  }
  SmallVector<Type> types;
  for (Value result : op.getResults()) {
    Sizes shape(kept.size());
    for (auto [d, at] : llvm::enumerate(back)) {
      shape[at] = shapeOf(result)[d];
    }
    types.push_back(typeOf(result).clone(shape));
  }
  auto fold =
      ReduceOp::create(b, op.getLoc(), types, operands, op.getInitValues(),
                       b.getDenseI64ArrayAttr(reduced));
  fold.getBody().takeBody(op.getBody());
  bool isOrdered = llvm::is_sorted(back);
  for (auto [before, after] :
       llvm::zip_equal(op.getResults(), fold.getResults())) {
    Value result = after;
    if (!isOrdered) {
      result = TransposeOp::create(b, op.getLoc(), typeOf(before), after,
                                   b.getDenseI64ArrayAttr(back));
    }
    before.replaceAllUsesWith(result);
  }
  op->erase();
}

void turnReductions(ModuleOp module) {
  module.walk([](ReduceOp op) { turnReduction(op); });
}

} // namespace xla
