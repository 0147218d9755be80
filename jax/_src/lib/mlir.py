"""MLIR, with which programs are lowered. A re-export."""

from jaxlib.mlir import dialects as dialects, ir as ir, passmanager as passmanager
from jaxlib.mlir.dialects import stablehlo as stablehlo
