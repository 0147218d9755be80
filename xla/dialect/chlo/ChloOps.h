//===- ChloOps.h - The CHLO dialect -----------------------------*- C++ -*-===//

#ifndef XLA_DIALECT_CHLO_CHLOOPS_H
#define XLA_DIALECT_CHLO_CHLOOPS_H

#include "xla/dialect/stablehlo/StablehloOps.h"

#include "xla/dialect/chlo/Dialect.h.inc"
#include "xla/dialect/chlo/Enums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "xla/dialect/chlo/Attributes.h.inc"
#define GET_OP_CLASSES
#include "xla/dialect/chlo/Ops.h.inc"

#endif // XLA_DIALECT_CHLO_CHLOOPS_H
