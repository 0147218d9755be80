//===- SdyOps.h - The dialect of shardings ----------------------*- C++ -*-===//

#ifndef XLA_DIALECT_SDY_SDYOPS_H
#define XLA_DIALECT_SDY_SDYOPS_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/STLExtras.h"

#include "xla/dialect/sdy/Dialect.h.inc"
#include "xla/dialect/sdy/Enums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "xla/dialect/sdy/Attributes.h.inc"
#define GET_OP_CLASSES
#include "xla/dialect/sdy/Ops.h.inc"

#endif // XLA_DIALECT_SDY_SDYOPS_H
