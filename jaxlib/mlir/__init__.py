"""MLIR for lowering rules, with the interface of MLIR's own Python bindings."""
