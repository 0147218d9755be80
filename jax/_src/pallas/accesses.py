"""Reading and writing through references in kernels.

The rules are stricter than those of other references: a value has the very shape of what
is written, and but for weakly typed floats its dtype.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import errors
from jax._src.core import avals, reference_types, reference_views
from jax._src.numpy import lax_api as lax, numpy_api as jnp
from jax._src.pallas import bounds, checking, indices


class KernelAccess(reference_views.Access):
    """The rules of references in kernels.

    Args:
        number: of the memory, for the checker that accesses are reported to; None: none is.
        checker: the checker whose runs the reference holds.
    """

    __slots__ = ("checker", "number")

    def __init__(self, number: int | None = None, checker: Any = None):
        self.number = number
        self.checker = checker

    def step(self, shape: Sequence[int], index: Any) -> reference_views.Step:
        return indexed(indices.entries_of(shape, index))

    def read(self, ref: Any, index: Any) -> Any:
        step = ref.step(index)
        checking.accessed(ref, "read", step.seen)
        return step.seen(ref.read())

    def write(self, ref: Any, index: Any, value: Any, how: str) -> None:
        if isinstance(avals.get_aval(value), reference_types.AbstractRef):
            raise errors.value_error(
                "A reference was written to a reference.",
                [("value", repr(value.aval)), ("reference", repr(ref.aval))],
                "References hold arrays.",
                "Read it:  ref[...] = other[...].",
            )
        entries = indices.entries_of(ref.shape, index)
        given = checked(value, indices.part_shape(entries), ref.dtype)
        if how == "add":
            checking.accessed(ref, "read", indexed(entries).seen)
        checking.accessed(ref, "write", indexed(entries).seen)
        put_back = bounds.add if how == "add" else bounds.put
        reference_views.view(ref, indexed(entries, put_back)).write(given)


KERNEL = KernelAccess()


def indexed(
    entries: tuple[Any, ...],
    put_back: Callable[[Any, tuple[Any, ...], Any], Any] = bounds.put,
) -> reference_views.Step:
    """The step from an array to the part that some entries name."""
    return reference_views.IndexStep(
        "index",
        entries,
        lambda array: bounds.read(array, entries),
        lambda array, value: put_back(array, entries, value),
    )


def checked(value: Any, shape: Sequence[int], dtype: Any) -> Any:
    """The value as it is written to a part of that shape.

    Raises:
        ValueError: it has another shape, or a dtype that is not written there.
    """
    aval: Any = avals.get_aval(value)
    if tuple(aval.shape) != tuple(shape):
        raise _unfit(
            aval, shape, dtype, "The shape is that of what is written: nothing spreads."
        )
    if aval.dtype == dtype:
        return jnp.asarray(value, dtype)
    is_weak_float = aval.weak_type and np.issubdtype(aval.dtype, np.floating)
    both_integers = _is_integer(aval.dtype) and _is_integer(dtype)
    if both_integers or (is_weak_float and _is_floating(dtype)):
        return lax.convert_element_type(value, dtype)
    raise _unfit(
        aval,
        shape,
        dtype,
        "Weakly typed floats go to any floats, integers to any integers; nothing else is "
        "converted unseen.",
    )


def _is_integer(dtype):
    return dtypes.issubdtype(dtype, np.integer)


def _is_floating(dtype):
    return dtypes.issubdtype(dtype, np.floating)


def _unfit(aval, shape, dtype, rule):
    return errors.value_error(
        "A value that does not fit was written to a reference.",
        [
            ("value", aval.str_short()),
            ("written to", f"{dtype}{list(shape)}"),
        ],
        rule,
        f"Convert it: x.astype({dtype}), jnp.broadcast_to(x, {tuple(shape)}).",
    )
