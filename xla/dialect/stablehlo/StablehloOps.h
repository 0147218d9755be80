//===- StablehloOps.h - The StableHLO dialect -------------------*- C++ -*-===//

#ifndef XLA_DIALECT_STABLEHLO_STABLEHLOOPS_H
#define XLA_DIALECT_STABLEHLO_STABLEHLOOPS_H

#include "xla/dialect/stablehlo/Base.h"
#include "xla/dialect/stablehlo/ElementwiseFacts.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "xla/dialect/stablehlo/Dialect.h.inc"
#include "xla/dialect/stablehlo/Enums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "xla/dialect/stablehlo/Types.h.inc"
#define GET_ATTRDEF_CLASSES
#include "xla/dialect/stablehlo/Attributes.h.inc"
#include "xla/dialect/stablehlo/ElementwiseInterface.h.inc"

#define GET_OP_CLASSES
#include "xla/dialect/stablehlo/Ops.h.inc"

#endif // XLA_DIALECT_STABLEHLO_STABLEHLOOPS_H
