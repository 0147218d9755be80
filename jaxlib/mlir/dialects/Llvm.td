// The llvm dialect, for the generation of Python classes.
include "mlir/Dialect/LLVMIR/LLVMOps.td"
