// The builtin dialect, for the generation of Python classes.
include "mlir/IR/BuiltinOps.td"
