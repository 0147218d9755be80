//===- Base.td - The dialect of shardings ---------------------------------===//

#ifndef XLA_DIALECT_SDY_BASE
#define XLA_DIALECT_SDY_BASE

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Sdy_Dialect : Dialect {
  let name = "sdy";
  let cppNamespace = "::xla::sdy";
  let summary = "How the values of a program are divided over several devices";
  let description = [{
    A program keeps its global shapes; attributes say over which axes of a mesh
    each dimension of a value is divided. Names, text and bytecode are those of
    the Shardy project, which front ends emit.

    `sdy.sharding` is an argument's or a result's attribute of a function, or
    `#sdy.sharding_per_value` on an operation; `sdy.sharding_rule` on a custom
    call says which dimensions of its operands and results belong together. A
    value without a sharding is open: it may get any.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    void addAttributes();
    void addOperations();
  }];
}

#endif // XLA_DIALECT_SDY_BASE
