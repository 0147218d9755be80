"""Running MLIR passes over a module. A door."""

from jaxlib._native.ir.passmanager import PassManager as PassManager
