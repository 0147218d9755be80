"""Exported programs: functions as bytes that later versions read."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.export.checks import DisabledSafetyCheck as DisabledSafetyCheck
from jax._src.export.export import (
    default_export_platform as default_export_platform,
    export as export,
)
from jax._src.export.exported import (
    Exported as Exported,
    deserialize as deserialize,
    maximum_supported_calling_convention_version as maximum_supported_calling_convention_version,
    minimum_supported_calling_convention_version as minimum_supported_calling_convention_version,
)
from jax._src.export.symbols import (
    SymbolicScope as SymbolicScope,
    is_symbolic_dim as is_symbolic_dim,
    symbolic_args_specs as symbolic_args_specs,
    symbolic_dim_bounds as symbolic_dim_bounds,
    symbolic_shape as symbolic_shape,
)
from jax._src.export.trees import (
    register_namedtuple_serialization as register_namedtuple_serialization,
    register_pytree_node_serialization as register_pytree_node_serialization,
)

_doc_examples.attach(__name__)
