//===- Sdy.cpp - Shardings, where they say nothing ------------------------===//

#include "xla/dialect/sdy/Sdy.h"

#include "xla/dialect/sdy/SdyOps.h"
#include "xla/dialect/stablehlo/StablehloOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace xla::sdy {

static bool isSharding(NamedAttribute attribute) {
  return isa_and_nonnull<SdyDialect>(attribute.getNameDialect());
}

/// Null where there are none.
static DictionaryAttr withoutShardings(DictionaryAttr attributes) {
  if (!attributes) {
    return attributes;
  }
  SmallVector<NamedAttribute> kept;
  llvm::copy_if(
      attributes, std::back_inserter(kept),
      [](NamedAttribute attribute) { return !isSharding(attribute); });
  return DictionaryAttr::get(attributes.getContext(), kept);
}

/// Those of an operation and of a function's arguments and results.
static void dropAttributes(Operation *op) {
  for (NamedAttribute attribute : op->getDiscardableAttrs()) {
    if (isSharding(attribute)) {
      op->removeDiscardableAttr(attribute.getName());
    }
  }
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function) {
    return;
  }
  namespace impl = function_interface_impl;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    if (auto kept = withoutShardings(impl::getArgAttrDict(function, i))) {
      function.setArgAttrs(i, kept);
    }
  }
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    if (auto kept = withoutShardings(impl::getResultAttrDict(function, i))) {
      function.setResultAttrs(i, kept);
    }
  }
}

/// Puts a body in place of its operation, where both see the same values.
static bool inlineBody(Operation *op) {
  Block &body = op->getRegion(0).front();
  Operation *end = body.getTerminator();
  if (op->getOperandTypes() != body.getArgumentTypes() ||
      op->getResultTypes() != end->getOperandTypes()) {
    return false;
  }
  for (auto [argument, operand] :
       llvm::zip(body.getArguments(), op->getOperands())) {
    argument.replaceAllUsesWith(operand);
  }
  op->getBlock()->getOperations().splice(op->getIterator(),
                                         body.getOperations(), body.begin(),
                                         end->getIterator());
  op->replaceAllUsesWith(end->getOperands());
  op->erase();
  return true;
}

/// Takes an operation out of a program for one device. False where it says more
/// than such a program can do.
static bool dropOperation(Operation *op) {
  if (isa<ManualComputationOp, NamedComputationOp>(op)) {
    return inlineBody(op);
  }
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    OpBuilder builder(op);
    auto plain = stablehlo::ConstantOp::create(builder, op->getLoc(),
                                               constant.getValue());
    op->replaceAllUsesWith(plain);
  } else if (op->getNumResults() == 1) {
    op->getResult(0).replaceAllUsesWith(op->getOperand(0));
  }
  op->erase();
  return true;
}

bool isForSeveralDevices(Operation *module) {
  auto partitions = module->getAttrOfType<IntegerAttr>("mhlo.num_partitions");
  return partitions && partitions.getValue().getLimitedValue() != 1;
}

bool dropTrivialShardings(Operation *module) {
  const bool isForSeveral = isForSeveralDevices(module);
  // Bodies come before what holds them, and return in these.
  SmallVector<Operation *> operations;
  module->walk([&](Operation *op) {
    if (isa_and_nonnull<SdyDialect>(op->getDialect()) && !isa<ReturnOp>(op)) {
      operations.push_back(op);
    }
  });
  for (Operation *op : operations) {
    if (isForSeveral || !dropOperation(op)) {
      op->emitError("'") << op->getName()
                         << "' speaks of several devices, for which this "
                            "compiler cannot partition yet";
      return false;
    }
  }
  // The text of what is left shall be read without this dialect.
  module->walk([](Operation *op) { dropAttributes(op); });
  return true;
}

} // namespace xla::sdy
