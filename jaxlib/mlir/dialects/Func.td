// The func dialect, for the generation of Python classes.
include "mlir/Dialect/Func/IR/FuncOps.td"
