"""Re-exports under the path that third-party libraries import: types above arrays, and primitives on them."""

from jax._src.compat.hijax import (
    HiPrimitive as HiPrimitive,
    HiType as HiType,
    MutableHiType as MutableHiType,
    register_hitype as register_hitype,
)
from jax._src.compat.vjp_primitive import VJPHiPrimitive as VJPHiPrimitive
from jax._src.core.abstract_value import MappingSpec as MappingSpec
from jax._src.core.avals import ShapedArray as ShapedArray
from jax._src.core.partition_spec import HiPspec as HiPspec
