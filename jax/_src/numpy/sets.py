"""Sets as sorted vectors of distinct elements."""

from __future__ import annotations

from typing import Any

from jax._src.numpy import (
    joining,
    operands as op,
    shaping,
    sorting,
)  # noqa: F401

Array = Any
ArrayLike = Any


def _two(name, ar1, ar2):
    ar1, ar2 = op.promote_dtypes(*op.ensure_arraylike(name, ar1, ar2))
    return shaping.ravel(ar1), shaping.ravel(ar2)


def _known(name, size, *arrays):
    """Refuses what is not here: results of a given size, and traced operands."""
    if size is not None or not all(map(op.known, arrays)):
        raise NotImplementedError(
            op.explain(
                name,
                "results of a given size are not supported yet.",
                rule="The number of elements depends on values.",
                ways="Call it outside of jit, without size=.",
            )
        )


def union1d(
    ar1: ArrayLike, ar2: ArrayLike, *, size: int | None = None, fill_value: Any = None
) -> Array:
    """The distinct elements of both arrays, ascending; see `jax.numpy.unique`."""
    both = joining.concatenate(_two("union1d", ar1, ar2))
    return sorting.unique(both, size=size, fill_value=fill_value)


def setdiff1d(
    ar1: ArrayLike,
    ar2: ArrayLike,
    assume_unique: bool = False,
    *,
    size: int | None = None,
    fill_value: Any = None,
) -> Array:
    """The distinct elements of the first array that the second lacks, ascending.

    Raises:
        NotImplementedError: `size` is given, or an array is traced.
    """
    del fill_value
    ar1, ar2 = _two("setdiff1d", ar1, ar2)
    _known("setdiff1d", size, ar1, ar2)
    kept = ar1 if assume_unique else sorting.unique(ar1)
    return kept[sorting.isin(kept, ar2, invert=True)]


def setxor1d(
    ar1: ArrayLike,
    ar2: ArrayLike,
    assume_unique: bool = False,
    *,
    size: int | None = None,
    fill_value: Any = None,
) -> Array:
    """The elements that just one of the arrays has, ascending; see `setdiff1d`."""
    del fill_value
    ar1, ar2 = _two("setxor1d", ar1, ar2)
    _known("setxor1d", size, ar1, ar2)
    if not assume_unique:
        ar1, ar2 = sorting.unique(ar1), sorting.unique(ar2)
    parts = (
        ar1[sorting.isin(ar1, ar2, invert=True)],
        ar2[sorting.isin(ar2, ar1, invert=True)],
    )
    return sorting.sort(joining.concatenate(parts))


def intersect1d(
    ar1: ArrayLike,
    ar2: ArrayLike,
    assume_unique: bool = False,
    return_indices: bool = False,
    *,
    size: int | None = None,
    fill_value: Any = None,
) -> Any:
    """The distinct elements that both arrays have, ascending; see `setdiff1d`.

    With `return_indices`, also where each first occurs in the one and the other.
    """
    del fill_value, assume_unique
    ar1, ar2 = _two("intersect1d", ar1, ar2)
    _known("intersect1d", size, ar1, ar2)
    values, first = sorting.unique(ar1, return_index=True)
    others, second = sorting.unique(ar2, return_index=True)
    chosen = sorting.isin(values, others)
    result = values[chosen]
    if not return_indices:
        return result
    return result, first[chosen], second[sorting.isin(others, values)]
