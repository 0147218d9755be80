// The vector dialect, for the generation of Python classes.
include "mlir/Dialect/Vector/IR/VectorOps.td"
