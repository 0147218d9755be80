"""The nvvm dialect: instructions of NVIDIA's GPUs. Re-exports."""

# The names are generated from the dialect's definition, so they cannot be listed.
from jaxlib.mlir.dialects._nvvm_enum_gen import *  # noqa: F403
from jaxlib.mlir.dialects._nvvm_ops_gen import *  # noqa: F403
from jaxlib.mlir.dialects._nvvm_ops_gen import _Dialect as _Dialect
