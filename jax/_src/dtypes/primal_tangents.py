"""Dtypes of values whose tangents have another dtype."""

from typing import Any

from jax._src.base import records, scalars, traceback_filter
from jax._src.dtypes import canonical, extension


class primal_tangent_dtype_scalar(extension.extended):
    """Scalar class of these dtypes, for `jax.dtypes.issubdtype`."""


@records.record
class PrimalTangentDType(scalars.ExtendedDType):
    """A dtype of numbers of one dtype, whose tangents have another one."""

    primal_dtype: Any
    tangent_dtype: Any
    given_name: str | None

    type = primal_tangent_dtype_scalar

    @property
    def name(self) -> str:
        if self.given_name is not None:
            return self.given_name
        both = map(scalars.short_name, (self.primal_dtype, self.tangent_dtype))
        return f"PrimalTangentDType{{{'/'.join(both)}}}"

    def physical(self, shape: tuple) -> tuple[tuple, Any]:
        return tuple(shape), self.primal_dtype

    def becomes(self, other: Any) -> bool:
        return other == self.primal_dtype

    is_made_of = becomes

    def tangent(self) -> Any:
        return self.tangent_dtype

    def __repr__(self) -> str:
        return self.name

    __str__ = __repr__


@traceback_filter.hides_frames
def primal_tangent_dtype(
    primal_dtype: Any, tangent_dtype: Any, name: str | None = None
) -> PrimalTangentDType:
    """A dtype of numbers that are stored in one dtype and differentiated in another.

    Values are made of arrays of `primal_dtype` by `jax.lax.convert_element_type`, which also gives
    these back. They are moved, not computed with: a function with a rule of its own
    (`jax.custom_vjp`) takes them, and returns cotangents of `tangent_dtype`.

    Args:
        primal_dtype: the dtype of the array behind the values.
        tangent_dtype: the dtype of their tangents and cotangents.
        name: how the dtype is printed.

    Raises:
        TypeError: one of them is no dtype.
    """
    dtypes = map(canonical.jax_dtype, (primal_dtype, tangent_dtype))
    return PrimalTangentDType(*dtypes, name)
