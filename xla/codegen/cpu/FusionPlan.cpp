//===- FusionPlan.cpp - Which values exist in memory ----------------------===//

#include "xla/codegen/cpu/FusionPlan.h"

#include "xla/analysis/Costs.h"
#include "xla/analysis/DeviceGroups.h"
#include "xla/codegen/cpu/Pieces.h"
#include "xla/codegen/cpu/TargetDescription.h"
#include "xla/codegen/cpu/Types.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace xla::cpu {

using namespace stablehlo;
using mlir::Operation;
using mlir::Value;

//===----------------------------------------------------------------------===//
// Kinds of operations
//===----------------------------------------------------------------------===//

bool isElementwise(Operation *op) {
  if (auto bitcast = llvm::dyn_cast<BitcastConvertOp>(op)) {
    return shapeOf(bitcast.getOperand()) == shapeOf(bitcast.getResult());
  }
  return llvm::isa<ElementwiseInterface, MapOp>(op);
}

bool isWideConcatenate(Operation *op) {
  // Up to so many, loops are cut where one piece goes over to the next.
  constexpr unsigned most = 12;
  return llvm::isa<ConcatenateOp>(op) && op->getNumOperands() > most;
}

bool isElementOp(Operation *op) {
  if (isWideConcatenate(op)) {
    return false;
  }
  return isElementwise(op) ||
         llvm::isa<BitcastConvertOp, BroadcastInDimOp, BroadcastOp,
                   ConcatenateOp, ConstantOp, DynamicSliceOp, GatherOp, IotaOp,
                   PadOp, ReshapeOp, ReverseOp, SliceOp, TransposeOp,
                   GetDimensionSizeOp>(op);
}

static bool isSplatConstant(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  return constant && llvm::isa<mlir::SplatElementsAttr>(constant.getValue());
}

bool isTrivial(Value value) {
  // Chains longer than this are rare, and no longer trivial.
  for (int step = 0; step < 4; ++step) {
    Operation *op = value.getDefiningOp();
    if (!op) {
      return false;
    }
    if (isSplatConstant(value) || llvm::isa<IotaOp>(op)) {
      return true;
    }
    if (!llvm::isa<BroadcastInDimOp, BroadcastOp, ReshapeOp, ConvertOp>(op)) {
      return false;
    }
    value = op->getOperand(0);
    if (isScalar(value)) {
      return true;
    }
  }
  return false;
}

int costOf(Operation *op) {
  int cost = additionsOf(op);
  if (auto concatenate = llvm::dyn_cast<ConcatenateOp>(op);
      concatenate && !isWideConcatenate(op) && sourceOfPieces(concatenate)) {
    cost = 1; // an index is chosen, not one of several elements
  }
  if (cost == 0 || op->getNumOperands() == 0 || op->getNumResults() == 0) {
    return cost;
  }
  ElementType type = elementTypeOf(op->getOperand(0).getType());
  ElementType result = elementTypeOf(op->getResult(0).getType());
  return isComplex(type)                              ? 4 * cost
         : isSmallFloat(type) || isSmallFloat(result) ? cost + 10
                                                      : cost;
}

/// Whether a product takes what is left of an operand in as few pieces as the
/// whole: the dimension before one that is cut is none of its kind, with which
/// it would be one dimension of rows, columns, terms or batches.
static bool staysInPieces(SliceOp slice, mlir::OpOperand &use) {
  auto dot = llvm::dyn_cast<DotGeneralOp>(use.getOwner());
  if (!dot) {
    return false;
  }
  auto numbers = dot.getDotDimensionNumbers();
  bool isLhs = use.getOperandNumber() == 0;
  auto batch = isLhs ? numbers.getLhsBatchingDimensions()
                     : numbers.getRhsBatchingDimensions();
  auto terms = isLhs ? numbers.getLhsContractingDimensions()
                     : numbers.getRhsContractingDimensions();
  auto kindOf = [&](int64_t dimension) {
    return llvm::is_contained(batch, dimension)   ? 0
           : llvm::is_contained(terms, dimension) ? 1
                                                  : 2;
  };
  llvm::ArrayRef<int64_t> whole = shapeOf(slice.getOperand());
  for (auto [d, size] : llvm::enumerate(shapeOf(slice.getResult()))) {
    int64_t dimension = static_cast<int64_t>(d);
    if (size != whole[d] && d > 0 &&
        kindOf(dimension - 1) == kindOf(dimension)) {
      return false;
    }
  }
  return true;
}

/// A permutation or a piece of an array in memory that a matrix product takes
/// in its stride.
static bool isProductView(Operation *op) {
  if (auto slice = llvm::dyn_cast<SliceOp>(op)) {
    Operation *source = slice.getOperand().getDefiningOp();
    return !(source && isElementOp(source)) &&
           llvm::all_of(op->getUses(), [&](mlir::OpOperand &use) {
             return staysInPieces(slice, use);
           });
  }
  return llvm::isa<TransposeOp>(op) &&
         llvm::all_of(op->getUsers(), [](Operation *user) {
           return llvm::isa<DotGeneralOp>(user);
         });
}

/// An array in memory under another shape, which is all the same to those who
/// send it.
static bool isSentInPlace(Operation *op) {
  auto reshape = llvm::dyn_cast<ReshapeOp>(op);
  if (!reshape || isScalar(reshape.getOperand())) {
    return false;
  }
  Operation *source = reshape.getOperand().getDefiningOp();
  return !(source && isElementOp(source)) &&
         llvm::all_of(op->getUsers(), [&](Operation *user) {
           return isCollective(user) && user->getBlock() == op->getBlock();
         });
}

/// Whether a step hands its operands to the runtime, as memory.
static bool readsMemory(Operation *op) {
  return llvm::isa<ConvolutionOp, CustomCallOp, DotGeneralOp, FftOp,
                   RngBitGeneratorOp, TriangularSolveOp>(op) ||
         isCollective(op) || isProductView(op);
}

/// Whether an element of `value`, computed in place, may read `wanted`. Gives
/// up, and says yes, after a few dozen operations.
static bool mayRead(Value value, Value wanted) {
  llvm::SmallVector<Value> work = {value};
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!work.empty()) {
    Value next = work.pop_back_val();
    if (next == wanted) {
      return true;
    }
    Operation *op = next.getDefiningOp();
    if (!op || !isElementOp(op) || isScalar(next) || !seen.insert(op).second) {
      continue;
    }
    if (seen.size() > 64) {
      return true;
    }
    llvm::append_range(work, op->getOperands());
  }
  return false;
}

/// Whether a step computes the elements of this operand where it uses them.
static bool acceptsInline(mlir::OpOperand &use) {
  Operation *user = use.getOwner();
  unsigned number = use.getOperandNumber();
  if (auto reduce = llvm::dyn_cast<ReduceOp>(user)) {
    return number < reduce.getInputs().size();
  }
  // What reads the array that is updated comes first, into memory of its own:
  // else the array could not be updated in place.
  if (auto update = llvm::dyn_cast<DynamicUpdateSliceOp>(user)) {
    return number == 1 && !mayRead(use.get(), update.getOperand());
  }
  if (auto scatter = llvm::dyn_cast<ScatterOp>(user)) {
    // An update or a whole window has one index.
    return number >= scatter.getInputs().size() &&
           llvm::none_of(scatter.getInputs(), [&](Value input) {
             return mayRead(use.get(), input);
           });
  }
  return llvm::isa<CholeskyOp, SortOp>(user) || isWideConcatenate(user) ||
         (llvm::isa<TriangularSolveOp>(user) && number == 1);
}

/// Whether an operand says to a scatter where updates go. What takes more than
/// a conversion is computed before, in vectors.
static bool isScatterIndex(mlir::OpOperand &use) {
  auto scatter = llvm::dyn_cast<ScatterOp>(use.getOwner());
  return scatter && use.getOperandNumber() == scatter.getInputs().size();
}

/// The concatenation that reads what is used here at an index of its choice:
/// pieces of one array, none of them in memory.
static Operation *joinedInline(const FusionPlan &plan, mlir::OpOperand &use) {
  ConcatenateOp joined = joinedFrom(use);
  if (!joined) {
    return nullptr;
  }
  for (Operation *op = use.getOwner(); op != joined; op = *op->user_begin()) {
    if (plan.formOf(op->getResult(0)) != Form::Inline) {
      return nullptr;
    }
  }
  return joined;
}

//===----------------------------------------------------------------------===//
// Decisions
//===----------------------------------------------------------------------===//

static constexpr int cheap = 3;
static constexpr size_t mostOutputs = 8;
/// What one step may compute inline, in additions: beyond it LLVM's passes take
/// more than linear time, and the stack of the emitter grows with it.
static constexpr int mostCode = 512;

static int codeOf(Operation *op) { return std::max(1, costOf(op)); }

/// Whether a user wants elements more than once each. A pad wants each once,
/// and computes one for every zero that it puts beside them.
static bool repeatsElements(Operation *user, Value value) {
  int64_t each = llvm::isa<PadOp>(user) ? 2 : 1;
  return elementCountOf(user->getResult(0)) > each * elementCountOf(value);
}

/// Whether to compute a value `times` times more in one loop: in vectors that
/// costs less than to write and read what leaves the first-level cache.
static bool isCheapAgain(Value value, int times, int cost) {
  constexpr int most = 16; // additions for each element
  return byteSizeOf(value) > cpuTarget.firstCache && times * cost <= most;
}

FusionPlan::FusionPlan(mlir::Block &body, Scalars scalars) : scalars(scalars) {
  body.walk<mlir::WalkOrder::PreOrder>(
      [&](Operation *op) { order[op] = order.size(); });
  visitBlock(body);
}

void FusionPlan::visitBlock(mlir::Block &block) {
  for (mlir::BlockArgument argument : block.getArguments()) {
    bool isRegister = isScalar(argument) && scalars == Scalars::InRegisters;
    forms[argument] = isRegister ? Form::Register : Form::Buffer;
  }
  for (Operation &op : block) {
    int cost = costOf(&op);
    for (Value operand : op.getOperands()) {
      Operation *source = operand.getDefiningOp();
      bool inlined = source && operand.hasOneUse() && isElementOp(source) &&
                     !isScalar(operand);
      cost += inlined ? costs.lookup(source) : 0;
    }
    costs[&op] = std::min(cost, 1000);
  }
  for (Operation &op : llvm::reverse(block)) {
    for (mlir::Region &region : op.getRegions()) {
      for (mlir::Block &inner : region) {
        visitBlock(inner);
      }
    }
    for (mlir::OpResult result : op.getResults()) {
      if (!isTensor(result)) {
        forms[result] = Form::Inline; // tokens
      } else if (isScalar(result) && scalars == Scalars::InRegisters &&
                 (isElementOp(&op) ||
                  llvm::isa<WhileOp, IfOp, CaseOp, PartitionIdOp>(op))) {
        forms[result] = result.use_empty() && isElementOp(&op) ? Form::Inline
                                                               : Form::Register;
      } else if (isElementOp(&op)) {
        visitValue(&op);
      }
    }
  }
}

void FusionPlan::materialize(Operation *op) {
  forms[op->getResult(0)] = Form::Buffer;
  code[op] = codeOf(op);
  if (!llvm::isa<ConstantOp>(op)) {
    regionOf[op] = op;
    regions[op] = {op->getResult(0)};
  }
}

void FusionPlan::visitValue(Operation *op) {
  Value value = op->getResult(0);
  if (isTrivial(value) && llvm::any_of(value.getUsers(), readsMemory)) {
    materialize(op);
    return;
  }
  if (value.use_empty() || isTrivial(value)) {
    forms[value] = Form::Inline;
    return;
  }
  llvm::SmallVector<Use, 2> &found = uses[op];
  bool needsMemory = llvm::isa<ConstantOp>(op);
  bool view = isProductView(op) || isSentInPlace(op);
  llvm::SmallSetVector<std::pair<Operation *, uint64_t>, 8> distinct;
  auto add = [&](Use use) {
    if (distinct.insert({use.root, use.path})) {
      found.push_back(use);
    }
  };
  for (mlir::OpOperand &operand : value.getUses()) {
    Operation *owner = operand.getOwner();
    unsigned number = operand.getOperandNumber();
    if (Operation *joined = joinedInline(*this, operand)) {
      owner = joined; // all its pieces together read one element
      number = 0;
    }
    Operation *user = op->getBlock()->findAncestorOpInBlock(*owner);
    uint64_t position = llvm::hash_combine(user, number) | 1;
    if (user != owner || !isElementOp(user)) {
      needsMemory |= user != owner || !acceptsInline(operand) ||
                     (isScatterIndex(operand) && costs.lookup(op) > 1);
      add({user, position});
      continue;
    }
    Value result = user->getResult(0);
    bool same = isElementwise(user) && shapeOf(result) == shapeOf(value);
    needsMemory |= isProductView(user);
    needsMemory |= repeatsElements(user, value) && costs.lookup(op) > cheap;
    needsMemory |= llvm::isa<ConcatenateOp>(user) && costs.lookup(op) > 8;
    if (formOf(result) != Form::Inline) {
      Operation *root = regionOf.lookup(user);
      add({root ? root : user, same ? 0 : position});
      continue;
    }
    for (Use use : uses.lookup(user)) {
      Operation *root = regionOf.lookup(use.root);
      add({root ? root : use.root,
           same ? use.path
                : uint64_t(llvm::hash_combine(use.path, position)) | 1});
    }
  }
  if (view) {
    forms[value] = Form::Inline;
    return;
  }
  if (!needsMemory && found.size() > 1) {
    llvm::SmallVector<Operation *> roots;
    for (const Use &use : found) {
      if (use.path == 0) {
        roots.push_back(use.root);
      }
    }
    if (roots.size() == found.size() && mergeRoots(roots, codeOf(op))) {
      found = {{regionOf.lookup(roots.front()), 0}};
    }
  }
  size_t times = found.size();
  bool fits = llvm::all_of(found, [&](const Use &use) {
    return code.lookup(use.root) + codeOf(op) <= mostCode;
  });
  bool isOneLoop = llvm::all_of(
      found, [&](const Use &use) { return use.root == found.front().root; });
  int cost = costs.lookup(op);
  if (!needsMemory && fits &&
      (times <= 1 || (times <= 4 && cost <= cheap) ||
       (isOneLoop && isCheapAgain(value, static_cast<int>(times) - 1, cost)))) {
    for (const Use &use : found) {
      code[use.root] += codeOf(op);
    }
    forms[value] = Form::Inline;
    return;
  }
  materialize(op);
}

/// Makes one region of those of `roots`, at the position of the last: right if
/// no user of an earlier one stands before that position, other than at the
/// same index inside the region.
bool FusionPlan::mergeRoots(llvm::ArrayRef<Operation *> roots, int more) {
  llvm::SmallPtrSet<Operation *, 4> set(roots.begin(), roots.end());
  Operation *last = roots.front();
  size_t outputs = 0;
  int merged = 0;
  for (Operation *root : roots) {
    auto region = regions.find(root);
    if (region == regions.end() ||
        shapeOf(region->second.front()) !=
            shapeOf(regions[roots.front()].front())) {
      return false;
    }
    outputs += region->second.size();
    merged += code.lookup(root);
    last = order[root] > order[last] ? root : last;
  }
  if (outputs > mostOutputs || merged + more > mostCode) {
    return false;
  }
  for (Operation *root : roots) {
    for (Value output : regions[root]) {
      for (const Use &use : uses[output.getDefiningOp()]) {
        Operation *leader = regionOf.lookup(use.root);
        leader = leader ? leader : use.root;
        bool inside = set.contains(leader) && use.path == 0;
        if (!inside && order[leader] <= order[last]) {
          return false;
        }
      }
    }
  }
  for (Operation *root : roots) {
    if (root == last) {
      continue;
    }
    llvm::SmallVector<Value, 1> outputsOfRoot = std::move(regions[root]);
    regions.erase(root);
    for (Value output : outputsOfRoot) {
      regionOf[output.getDefiningOp()] = last;
      regions[last].push_back(output);
    }
  }
  code[last] = merged;
  // One output may be computed from another: in the order of the program.
  llvm::sort(regions[last], [&](Value a, Value b) {
    return order[a.getDefiningOp()] < order[b.getDefiningOp()];
  });
  return true;
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

void FusionPlan::collectLeaves(Value value, bool sameIndex,
                               llvm::SmallVectorImpl<Leaf> &leaves) const {
  llvm::SmallVector<Leaf> work = {{value, sameIndex}};
  llvm::DenseMap<Value, int>
      seen; // bit 0: at the same index, bit 1: at another
  while (!work.empty()) {
    Leaf leaf = work.pop_back_val();
    int bit = leaf.sameIndex ? 1 : 2;
    if (seen[leaf.value] & bit) {
      continue;
    }
    seen[leaf.value] |= bit;
    Form form = formOf(leaf.value);
    if (form == Form::Buffer) {
      leaves.push_back(leaf);
      continue;
    }
    Operation *op = leaf.value.getDefiningOp();
    if (form == Form::Register || !op) {
      continue;
    }
    bool elementwise = isElementwise(op);
    for (Value operand : op->getOperands()) {
      if (isTensor(operand)) {
        bool same = leaf.sameIndex && elementwise &&
                    shapeOf(operand) == shapeOf(leaf.value);
        work.push_back({operand, same});
      }
    }
  }
}

bool FusionPlan::prefersLinear(llvm::ArrayRef<Value> outputs) const {
  llvm::SmallVector<Value> work;
  llvm::DenseSet<Value> seen;
  auto visit = [&](Operation *op) {
    if (shapeOf(op->getResult(0)).size() <= 1) {
      return true; // a flat loop anyway
    }
    if (auto constant = llvm::dyn_cast<ConstantOp>(op)) {
      return true;
    }
    if (!isElementwise(op) && !llvm::isa<ReshapeOp>(op)) {
      return llvm::isa<BroadcastInDimOp, BroadcastOp>(op) &&
             elementCountOf(op->getOperand(0)) == 1;
    }
    for (Value operand : op->getOperands()) {
      if (isTensor(operand) && !isScalar(operand)) {
        work.push_back(operand);
      }
    }
    return true;
  };
  for (Value output : outputs) {
    if (!visit(output.getDefiningOp())) {
      return false;
    }
  }
  while (!work.empty()) {
    Value value = work.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (formOf(value) != Form::Inline || !op || !seen.insert(value).second) {
      continue;
    }
    if (!visit(op)) {
      return false;
    }
  }
  return true;
}

bool FusionPlan::isFlat(mlir::ValueRange values) const {
  llvm::SmallVector<Value> computed;
  for (Value value : values) {
    if (formOf(value) == Form::Inline) {
      computed.push_back(value);
    }
  }
  return prefersLinear(computed);
}

} // namespace xla::cpu
