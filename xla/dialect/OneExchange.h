//===- OneExchange.h - One array for each all_to_all ------------*- C++ -*-===//

#ifndef XLA_DIALECT_ONEEXCHANGE_H
#define XLA_DIALECT_ONEEXCHANGE_H

#include "mlir/IR/BuiltinOps.h"

namespace xla {

/// For those who read the module: an all_to_all of several arrays, which our
/// partitioner makes of several, becomes one for each array. StableHLO allows
/// both; other readers take an all_to_all along dimensions to have one operand.
void separateExchanges(mlir::ModuleOp module);

} // namespace xla

#endif // XLA_DIALECT_ONEEXCHANGE_H
