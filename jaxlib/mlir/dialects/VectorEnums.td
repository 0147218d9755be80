// The enumerations of the vector dialect alone, for the generation of Python classes.
include "mlir/Dialect/Vector/IR/VectorAttributes.td"
