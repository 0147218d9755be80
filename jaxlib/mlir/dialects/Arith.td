// The arith dialect, for the generation of Python classes.
include "mlir/Dialect/Arith/IR/ArithOps.td"
