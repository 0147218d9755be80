//===- Sdy.cpp - Shardings, where they say nothing ------------------------===//

#include "xla/dialect/sdy/Sdy.h"

#include "xla/dialect/sdy/SdyOps.h"

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

bool dropTrivialShardings(Operation *module) {
  auto partitions = module->getAttrOfType<IntegerAttr>("mhlo.num_partitions");
  const bool hasOneDevice = !partitions || partitions.getInt() == 1;
  SmallVector<Operation *> operations;
  module->walk([&](Operation *op) {
    if (isa_and_nonnull<SdyDialect>(op->getDialect())) {
      operations.push_back(op);
    }
  });
  for (Operation *op : operations) {
    const bool isIdentity =
        op->getNumOperands() == 1 && op->getNumResults() == 1 &&
        op->getNumRegions() == 0 &&
        op->getOperand(0).getType() == op->getResult(0).getType();
    const bool isMesh = op->getName().stripDialect() == "mesh" &&
                        op->getNumOperands() == 0 && op->getNumResults() == 0;
    if (!hasOneDevice || (!isIdentity && !isMesh)) {
      op->emitError("'") << op->getName()
                         << "' speaks of several devices, for which this "
                            "compiler cannot partition yet";
      return false;
    }
    if (isIdentity) {
      op->getResult(0).replaceAllUsesWith(op->getOperand(0));
    }
    op->erase();
  }
  // The text of what is left shall be read without this dialect.
  module->walk([](Operation *op) { dropAttributes(op); });
  return true;
}

} // namespace xla::sdy
