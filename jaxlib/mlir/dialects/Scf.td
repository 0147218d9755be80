// The scf dialect, for the generation of Python classes.
include "mlir/Dialect/SCF/IR/SCFOps.td"
