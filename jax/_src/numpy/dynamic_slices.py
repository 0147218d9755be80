"""Slices of static length with a start that may be traced: ``x[jax.ds(start, size)]``."""

from __future__ import annotations

import dataclasses
import operator
from typing import Any

import numpy as np

from jax._src import tree
from jax._src.base import errors, releases


@dataclasses.dataclass(slots=True)
class Slice:
    """`size` indices from `start` on, `stride` apart; made by `jax.ds`."""

    start: Any
    size: Any
    stride: int = 1

    __hash__ = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        if not isinstance(self.stride, int):
            raise errors.value_error(
                "jax.ds: the stride is no integer of Python.",
                [("stride", repr(self.stride))],
                "The number of elements must be static.",
            )
        if self.stride < 0:
            raise errors.value_error(
                "jax.ds: the stride is negative.",
                [("stride", str(self.stride))],
                "Indices ascend; 1 takes each one.",
                "To turn the result around: jnp.flip.",
            )

    @property
    def is_dynamic_start(self) -> bool:
        """Whether the start is traced: no integer whose value is known."""
        return _is_traced(self.start)

    @property
    def is_dynamic_size(self) -> bool:
        """Whether the size is traced: no integer whose value is known."""
        return _is_traced(self.size)

    @classmethod
    def from_slice(cls, given: slice, size: int) -> Slice:
        """Returns the window of an axis of `size` that a Python slice with a step of 1 or more selects."""
        start, stop, step = given.indices(size)
        return cls(start, len(range(start, stop, step)), step)

    def tree_flatten(self) -> tuple[tuple, Any]:
        """What is traced of start and size, and the rest."""
        is_dynamic = (self.is_dynamic_start, self.is_dynamic_size)
        parts = (self.start, self.size)
        leaves = tuple(x for x, d in zip(parts, is_dynamic, strict=True) if d)
        known = tuple(None if d else x for x, d in zip(parts, is_dynamic, strict=True))
        return leaves, (is_dynamic, known, self.stride)

    @classmethod
    def tree_unflatten(cls, data: Any, leaves: Any) -> Slice:
        """The inverse of `tree_flatten`."""
        is_dynamic, known, stride = data
        rest = iter(leaves)
        start, size = (
            next(rest) if d else x for d, x in zip(is_dynamic, known, strict=True)
        )
        made = object.__new__(cls)
        made.start, made.size, made.stride = start, size, stride
        return made


tree.register_pytree_node(Slice, Slice.tree_flatten, Slice.tree_unflatten)


# What stands for a size that is left out: None where the two mean the same.
_NOT_GIVEN: Any = object() if releases.rule("ds_of_none_differs_from_no_size") else None


def ds(start: Any, size: Any = _NOT_GIVEN, stride: int | None = None) -> slice | Slice:
    """A slice of static length for an index, with a start that may be traced.

    ``x[jax.ds(i, n)]`` is ``x[i : i + n]`` with a start `i` that need not be known, as
    `jax.lax.dynamic_slice` reads it: a slice that would pass the end is moved inside.
    Written to with ``x.at[jax.ds(i, n)]``, such a slice is dropped.

    Args:
        start: integer or integer scalar; None stands for the whole axis. Without `size`,
            it is the size, and indices count from 0.
        size: integer, the number of elements. None is as if it was left out, and from
            0.12 on all elements from `start` on.
        stride: integer, at least 1; the distance between indices.

    Returns:
        An object to index arrays and references with.

    Raises:
        ValueError: the stride is negative, or no integer of Python.

    Examples:
        >>> jax.jit(lambda x, i: x[jax.ds(i, 2)])(jnp.arange(10), 4)
        Array([4, 5], dtype=int32)
    """
    if not releases.rule("ds_of_none_differs_from_no_size"):
        size = _NOT_GIVEN if start is None or size is None else size
    if start is None and size is _NOT_GIVEN:
        return slice(None)
    if size is _NOT_GIVEN:
        start, size = 0, start
    if start is None:
        start = 0
    return Slice(_known(start), _known(size), 1 if stride is None else stride)


def _is_traced(x):
    if isinstance(x, int):
        return False
    try:
        operator.index(x)
    except TypeError:
        return True
    return False


def _known(x):
    """An integer of Python where the value is one on the host; else as it is."""
    return int(x) if isinstance(x, np.integer) else x
