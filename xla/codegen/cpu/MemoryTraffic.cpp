#include "xla/codegen/cpu/MemoryTraffic.h"

#include "xla/analysis/Costs.h"
#include "xla/dialect/stablehlo/StablehloOps.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace xla::cpu {

static double elementsOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() ? double(type.getNumElements()) : 0;
}

/// What computing all elements of `values` reads.
static double bytesRead(ValueRange values, const FusionPlan &fusion) {
  llvm::SmallVector<Leaf> leaves;
  double elements = 0;
  for (Value value : values) {
    elements = std::max(elements, elementsOf(value));
    if (fusion.formOf(value) == Form::Buffer && value.getDefiningOp()) {
      for (Value operand : value.getDefiningOp()->getOperands()) {
        fusion.collectLeaves(operand, true, leaves);
      }
    } else {
      fusion.collectLeaves(value, true, leaves);
    }
  }
  llvm::SetVector<Value> distinct;
  for (const Leaf &leaf : leaves) {
    distinct.insert(leaf.value);
  }
  double bytes = 0;
  for (Value leaf : distinct) {
    double size = elementsOf(leaf);
    bytes += size > 0 ? bytesOf(leaf) * std::min(1.0, elements / size) : 0;
  }
  return bytes;
}

double bytesMoved(Operation *op, const FusionPlan &fusion) {
  llvm::ArrayRef<Value> region = fusion.regionAt(op);
  if (!region.empty()) {
    double written = 0;
    for (Value value : region) {
      written += bytesOf(value);
    }
    return written + bytesRead(region, fusion);
  }
  if (isElementOp(op)) {
    return 0; // written by another step, or not at all
  }
  double alone = bytesAlone(op);
  if (alone == 0 ||
      llvm::isa<stablehlo::DynamicUpdateSliceOp, stablehlo::ScatterOp>(op)) {
    return alone;
  }
  double bytes = 0;
  for (Value result : op->getResults()) {
    bytes += bytesOf(result);
  }
  for (Value operand : op->getOperands()) {
    bytes += fusion.formOf(operand) == Form::Buffer
                 ? bytesOf(operand)
                 : bytesRead(operand, fusion);
  }
  return bytes;
}

} // namespace xla::cpu
