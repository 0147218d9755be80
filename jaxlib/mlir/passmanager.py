"""Running MLIR passes over a module. Re-exports."""

from jaxlib._native.ir.passmanager import PassManager as PassManager
