"""Types above arrays, and primitives on them."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.compat.hijax import (
    AvalMutableQDD as AvalMutableQDD,
    AvalQDD as AvalQDD,
    HiPrimitive as HiPrimitive,
    HiType as HiType,
    MutableHiType as MutableHiType,
    register_hitype as register_hitype,
)
from jax._src.compat.hijax_rules import (
    bdims_at_front as bdims_at_front,
    jvp_from_lin as jvp_from_lin,
    linearize_from_jvp as linearize_from_jvp,
    unmap_avals as unmap_avals,
    vjp_from_jvp as vjp_from_jvp,
    vjp_from_lin as vjp_from_lin,
    vmap_rule as vmap_rule,
)
from jax._src.compat.vjp_primitive import (
    VJPHiPrimitive as HiPrim,  # noqa: F401
    VJPHiPrimitive as VJPHiPrimitive,
)
from jax._src.core.abstract_value import MappingSpec as MappingSpec
from jax._src.core.aval_members import (
    aval_method as aval_method,
    aval_property as aval_property,
)
from jax._src.core.avals import (
    AbstractValue as AbstractValue,
    ShapedArray as ShapedArray,
)
from jax._src.core.effects import (
    control_flow_allowed_effects as control_flow_allowed_effects,
)
from jax._src.core.partition_spec import HiPspec as HiPspec
from jax._src.core.reference_types import AbstractRef as AbstractRef
from jax._src.core.reference_views import TransformedRef as TransformedRef
from jax._src.interpreters.ad import (
    Zero as Zero,
    instantiate_zeros as instantiate_zeros,
    is_undefined_primal as is_undefined_primal,
)
from jax._src.transforms.accumulators import (
    GradAccum as GradAccum,
    NullAccum as NullAccum,
    RefAccum as RefAccum,
    ValAccum as ValAccum,
)

_doc_examples.attach(__name__)
