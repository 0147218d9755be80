// The nvvm dialect, for the generation of Python classes.
include "mlir/Dialect/LLVMIR/NVVMOps.td"
