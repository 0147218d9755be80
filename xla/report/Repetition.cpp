//===- Repetition.cpp - What several devices compute alike ----------------===//

#include "xla/report/Repetition.h"

#include "xla/analysis/DeviceGroups.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

#include <climits>

using namespace mlir;

namespace xla::report {

using namespace stablehlo;

/// More axes than a mask has bits are not told apart.
static constexpr size_t kMaxAxes = 63;

Repetition::Repetition(ModuleOp module, DeviceGrid given)
    : theGrid(std::move(given)) {
  int64_t partitions = partitionsOf(module);
  int64_t product = 1;
  for (const GridAxis &axis : theGrid.axes) {
    product *= axis.size;
  }
  if (product != partitions || theGrid.axes.size() > kMaxAxes) {
    // The program came as that of one device: nothing is known of a mesh.
    theGrid = {};
    if (partitions > 1) {
      theGrid.axes.push_back({"devices", partitions});
    }
  }
  count = partitions;
  all = (AxisMask(1) << theGrid.axes.size()) - 1;
  if (!theGrid.devices.empty()) {
    positions.resize(count);
    for (auto [position, device] : llvm::enumerate(theGrid.devices)) {
      positions[device] = static_cast<int64_t>(position);
    }
  }
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main || main.isExternal()) {
    return;
  }
  Block &body = main.getBody().front();
  bool isKnown = theGrid.argumentAxes.size() == body.getNumArguments();
  for (auto [i, argument] : llvm::enumerate(body.getArguments())) {
    masks[argument] = isKnown ? theGrid.argumentAxes[i] & all : all;
  }
  if (count > 1) {
    visitBlock(body);
  }
}

int64_t Repetition::sizeOf(AxisMask axes) const {
  int64_t size = 1;
  for (auto [i, axis] : llvm::enumerate(theGrid.axes)) {
    size *= axes >> i & 1 ? axis.size : 1;
  }
  return size;
}

AxisMask Repetition::operandMask(Operation *op) const {
  AxisMask mask = 0;
  for (Value operand : op->getOperands()) {
    mask |= maskOf(operand);
  }
  // What functions of elements read from outside.
  for (Region &region : op->getRegions()) {
    region.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        if (!region.isAncestor(operand.getParentRegion())) {
          mask |= maskOf(operand);
        }
      }
    });
  }
  return mask;
}

AxisMask Repetition::variesAlong(Operation *op) const {
  if (op->getNumResults() == 0) {
    return operandMask(op);
  }
  AxisMask mask = 0;
  for (Value result : op->getResults()) {
    mask |= maskOf(result);
  }
  return mask;
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

int64_t Repetition::positionOf(int64_t device) const {
  return positions.empty() ? device : positions[device];
}

const GroupFacts &Repetition::groupsOf(Operation *op) {
  Attribute list = isa<CollectivePermuteOp>(op)
                       ? op->getAttr("source_target_pairs")
                       : op->getAttr("replica_groups");
  if (isa<CustomCallOp>(op)) {
    list = op->getAttr("backend_config");
  }
  Attribute kind =
      StringAttr::get(op->getContext(), op->getName().getStringRef());
  auto [found, isNew] = groups.try_emplace({list, kind});
  GroupFacts &facts = found->second;
  if (!isNew) {
    return facts;
  }
  StatusOr<DeviceGroups> lists = deviceGroupsOf(op, count);
  if (!lists.ok()) {
    return facts;
  }
  // Two devices differ along the axes in which their coordinates do.
  auto differ = [&](int64_t a, int64_t b) {
    int64_t left = positionOf(a), right = positionOf(b);
    AxisMask mask = 0;
    for (size_t i = theGrid.axes.size(); i-- > 0;) {
      int64_t size = theGrid.axes[i].size;
      mask |= AxisMask(left % size != right % size) << i;
      left /= size;
      right /= size;
    }
    return mask;
  };
  bool isSend = isa<CollectivePermuteOp, CollectiveBroadcastOp>(op);
  for (const auto &group : *lists) {
    auto size = static_cast<int64_t>(group.size());
    ++facts.groups;
    facts.members += size;
    facts.size = std::max(facts.size, size);
    if (!isSend) {
      facts.pairs += size * (size - 1);
      for (int64_t member : group) {
        facts.axes |= differ(group.front(), member);
      }
      continue;
    }
    for (auto [to, from] : llvm::enumerate(sourcesOf(op, *lists))) {
      if (to < group.size() && from >= 0 && from != int64_t(to)) {
        ++facts.pairs;
        facts.axes |= differ(group[to], group[from]);
      }
    }
  }
  facts.isWhole =
      sizeOf(facts.axes) == facts.size && facts.groups * facts.size == count;
  return facts;
}

//===----------------------------------------------------------------------===//
// Numbers that follow from the device's
//===----------------------------------------------------------------------===//

const Repetition::Numbers *Repetition::numbersOf(Value value) {
  if (auto found = numbers.find(value); found != numbers.end()) {
    return &found->second;
  }
  auto constant = value.getDefiningOp<ConstantOp>();
  auto elements =
      constant ? dyn_cast<DenseIntElementsAttr>(constant.getValue()) : nullptr;
  if (!elements || elements.getNumElements() != 1 ||
      elements.getElementType().getIntOrFloatBitWidth() > 64) {
    return nullptr;
  }
  APInt only = *elements.value_begin<APInt>();
  return &numbers.try_emplace(value, Numbers{only.getSExtValue()})
              .first->second;
}

static int64_t compute(Operation *op, int64_t a, int64_t b, bool &isKnown) {
  isKnown &= !isa<DivOp, RemOp>(op) || (a >= 0 && b > 0);
  isKnown &= !isa<ShiftRightLogicalOp, ShiftLeftOp>(op) ||
             (a >= 0 && b >= 0 && b < 31);
  if (!isKnown) {
    return 0;
  }
  return llvm::TypeSwitch<Operation *, int64_t>(op)
      .Case<AddOp>([&](auto) { return a + b; })
      .Case<SubtractOp>([&](auto) { return a - b; })
      .Case<MulOp>([&](auto) { return a * b; })
      .Case<DivOp>([&](auto) { return a / b; })
      .Case<RemOp>([&](auto) { return a % b; })
      .Case<MinOp>([&](auto) { return std::min(a, b); })
      .Case<MaxOp>([&](auto) { return std::max(a, b); })
      .Case<AndOp>([&](auto) { return a & b; })
      .Case<ShiftRightLogicalOp>([&](auto) { return a >> b; })
      .Case<ShiftLeftOp>([&](auto) { return a << b; })
      .Default([&](Operation *) {
        isKnown = false;
        return 0;
      });
}

/// Follows scalars that are computed of the device's number.
bool Repetition::visitNumber(Operation *op) {
  auto type = op->getNumResults() == 1
                  ? dyn_cast<RankedTensorType>(op->getResult(0).getType())
                  : RankedTensorType();
  if (!type || !type.hasStaticShape() || type.getNumElements() != 1 ||
      !type.getElementType().isInteger() ||
      type.getElementTypeBitWidth() < 32) {
    return false;
  }
  Numbers made;
  if (isa<PartitionIdOp>(op)) {
    for (int64_t position = 0; position < count; ++position) {
      made.push_back(theGrid.devices.empty() ? position
                                             : theGrid.devices[position]);
    }
  } else if (isa<ConvertOp, ReshapeOp>(op)) {
    const Numbers *operand = numbersOf(op->getOperand(0));
    if (!operand) {
      return false;
    }
    made = *operand;
  } else if (auto slice = dyn_cast<DynamicSliceOp>(op)) {
    auto table = slice.getOperand().getDefiningOp<ConstantOp>();
    auto values =
        table ? dyn_cast<DenseIntElementsAttr>(table.getValue()) : nullptr;
    const Numbers *at = slice.getStartIndices().size() == 1
                            ? numbersOf(slice.getStartIndices().front())
                            : nullptr;
    if (!values || !at) {
      return false;
    }
    SmallVector<APInt, 0> rows(values.getValues<APInt>());
    for (int64_t row : *at) {
      row = std::clamp<int64_t>(row, 0, int64_t(rows.size()) - 1);
      made.push_back(rows[row].getSExtValue());
    }
  } else if (op->getNumOperands() == 2) {
    const Numbers *first = numbersOf(op->getOperand(0));
    Numbers left = first ? *first : Numbers(); // the table may move
    const Numbers *right = first ? numbersOf(op->getOperand(1)) : nullptr;
    if (!right) {
      return false;
    }
    bool isKnown = true;
    size_t size = std::max(left.size(), right->size());
    for (size_t i = 0; i < size && isKnown; ++i) {
      made.push_back(compute(op, left[left.size() == 1 ? 0 : i],
                             (*right)[right->size() == 1 ? 0 : i], isKnown));
      isKnown &= made.back() >= INT_MIN && made.back() <= INT_MAX;
    }
    if (!isKnown) {
      return false;
    }
  } else {
    return false;
  }
  masks[op->getResult(0)] = axesOf(made);
  numbers[op->getResult(0)] = std::move(made);
  return true;
}

/// Along which axes the numbers of neighbours differ anywhere.
AxisMask Repetition::axesOf(const Numbers &of) const {
  AxisMask mask = 0;
  if (of.size() < size_t(count)) {
    return mask;
  }
  int64_t stride = 1;
  for (size_t i = theGrid.axes.size(); i-- > 0;) {
    int64_t size = theGrid.axes[i].size;
    for (int64_t position = 0; position < count; ++position) {
      if (position / stride % size > 0 &&
          of[position] != of[position - stride]) {
        mask |= AxisMask(1) << i;
        break;
      }
    }
    stride *= size;
  }
  return mask;
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

void Repetition::visitBlock(Block &block) {
  for (Operation &op : block) {
    visit(&op);
  }
}

void Repetition::visitLoop(Operation *op) {
  auto loop = cast<WhileOp>(op);
  SmallVector<AxisMask> carried;
  // In a loop around this one that goes round again, masks have only grown:
  // what was found the last time is where to begin. From nothing, each level of
  // nesting would multiply the rounds.
  for (auto [operand, argument] :
       llvm::zip_equal(op->getOperands(), loop.getBody().getArguments())) {
    carried.push_back(maskOf(operand) | masks.lookup(argument));
  }
  // Carries gain axes, and there are few of these.
  for (bool hasGrown = true; hasGrown;) {
    hasGrown = false;
    for (Region &region : op->getRegions()) {
      for (auto [argument, mask] :
           llvm::zip_equal(region.getArguments(), carried)) {
        masks[argument] = mask;
      }
      visitBlock(region.front());
    }
    Operation *end = loop.getBody().front().getTerminator();
    AxisMask turns = operandMask(loop.getCond().front().getTerminator());
    for (auto [mask, next] : llvm::zip_equal(carried, end->getOperands())) {
      AxisMask grown = mask | maskOf(next) | turns;
      hasGrown |= grown != mask;
      mask = grown;
    }
  }
  for (auto [result, mask] : llvm::zip_equal(op->getResults(), carried)) {
    masks[result] = mask;
  }
}

void Repetition::visitBranches(Operation *op) {
  SmallVector<AxisMask> found(op->getNumResults(), maskOf(op->getOperand(0)));
  for (Region &region : op->getRegions()) {
    visitBlock(region.front());
    Operation *end = region.front().getTerminator();
    for (auto [mask, value] : llvm::zip_equal(found, end->getOperands())) {
      mask |= maskOf(value);
    }
  }
  for (auto [result, mask] : llvm::zip_equal(op->getResults(), found)) {
    masks[result] = mask;
  }
}

void Repetition::visit(Operation *op) {
  if (isa<WhileOp>(op)) {
    return visitLoop(op);
  }
  if (isa<IfOp, CaseOp>(op)) {
    return visitBranches(op);
  }
  if (visitNumber(op)) {
    return;
  }
  AxisMask mask = operandMask(op);
  if (isCollective(op)) {
    const GroupFacts &facts = groupsOf(op);
    bool isShared = isa<AllReduceOp, AllGatherOp, CollectiveBroadcastOp>(op);
    mask = isShared && facts.isWhole ? mask & ~facts.axes : mask | facts.axes;
  } else if (isa<PartitionIdOp, RngOp, func::CallOp>(op)) {
    mask = all;
  } else if (auto call = dyn_cast<CustomCallOp>(op)) {
    mask = call.getHasSideEffect() ? all : mask;
  }
  for (Value result : op->getResults()) {
    masks[result] = mask;
  }
}

} // namespace xla::report
