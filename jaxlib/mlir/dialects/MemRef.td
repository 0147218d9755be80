// The memref dialect, for the generation of Python classes.
include "mlir/Dialect/MemRef/IR/MemRefOps.td"
