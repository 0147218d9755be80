//===- SimplifyCustomCalls.cpp - Marks and tuples -------------------------===//

#include "mlir/IR/Builders.h"
#include "xla/conversion/Conversion.h"
#include "xla/dialect/stablehlo/StablehloOps.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace xla {

using namespace stablehlo;

/// Whether a call says how its operand is sharded or laid out, which on one
/// device of one memory means nothing.
static bool isMark(CustomCallOp op) {
  bool isKnown =
      llvm::StringSwitch<bool>(op.getCallTargetName())
          .Cases({"Sharding", "LayoutConstraint", "annotate_device_placement",
                  "SPMDFullToShardShape", "SPMDShardToFullShape", "MoveToHost",
                  "MoveToDevice"},
                 true)
          .Default(false);
  return isKnown && op->getNumOperands() == 1 &&
         op->getResultTypes() == op->getOperandTypes();
}

/// A call with a tuple for a result becomes one with several results.
static void splitResult(CustomCallOp op) {
  if (op->getNumResults() != 1) {
    return;
  }
  auto tuple = dyn_cast<TupleType>(op->getResult(0).getType());
  if (!tuple || llvm::any_of(tuple.getTypes(),
                             [](Type type) { return isa<TupleType>(type); })) {
    return;
  }
  OpBuilder builder(op);
  auto call = CustomCallOp::create(builder, op.getLoc(), tuple.getTypes(),
                                   op->getOperands(),
                                   op->getAttrDictionary().getValue());
  auto whole = TupleOp::create(builder, op.getLoc(), tuple, call->getResults());
  op->getResult(0).replaceAllUsesWith(whole.getResult());
  op->erase();
}

void simplifyCustomCalls(ModuleOp module) {
  module.walk([](CustomCallOp op) {
    if (isMark(op)) {
      op->getResult(0).replaceAllUsesWith(op->getOperand(0));
      op->erase();
      return;
    }
    if (!expandApproximateTopK(op)) {
      splitResult(op);
    }
  });
  module.walk([](GetTupleElementOp op) {
    if (auto tuple = op.getOperand().getDefiningOp<TupleOp>()) {
      op.getResult().replaceAllUsesWith(tuple.getVal()[op.getIndex()]);
      op.erase();
    }
  });
  SmallVector<TupleOp> tuples;
  module.walk([&](TupleOp op) { tuples.push_back(op); });
  for (TupleOp op : llvm::reverse(tuples)) { // users first
    if (op->use_empty()) {
      op.erase();
    }
  }
}

} // namespace xla
