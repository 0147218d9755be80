// The math dialect, for the generation of Python classes.
include "mlir/Dialect/Math/IR/MathOps.td"
