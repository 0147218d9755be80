//===- CombineCollectives.h - Several collectives as one --------*- C++ -*-===//

#ifndef XLA_PARTITION_COMBINECOLLECTIVES_H
#define XLA_PARTITION_COMBINECOLLECTIVES_H

#include "mlir/IR/BuiltinOps.h"

namespace xla::partition {

/// Independent collectives of one kind among the same groups become one of
/// several arrays.
void combineCollectives(mlir::ModuleOp module);

} // namespace xla::partition

#endif // XLA_PARTITION_COMBINECOLLECTIVES_H
