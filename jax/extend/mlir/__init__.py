"""MLIR's core, StableHLO and its neighbours, and portable artifacts."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.base import lazy as _lazy
from jax._src.interpreters.mlir.portable import (
    deserialize_portable_artifact as deserialize_portable_artifact,
    hlo_to_stablehlo as hlo_to_stablehlo,
    refine_polymorphic_shapes as refine_polymorphic_shapes,
    serialize_portable_artifact as serialize_portable_artifact,
)

_PARTS = ("dialects", "ir", "passmanager")
__getattr__ = _lazy.submodules(__name__, _PARTS)
__dir__ = _lazy.listing(__name__, _PARTS)

_doc_examples.attach(__name__)
