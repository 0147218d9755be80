"""The property ``x.at`` of arrays: updates written as indexing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jax._src.base.traceback_filter import hides_frames
from jax._src.numpy import indexing, operands as op

Array = op.Array
ArrayLike = op.ArrayLike


class IndexUpdateHelper:
    """What ``x.at`` is: index it to name the part to update."""

    __slots__ = ("array",)

    def __init__(self, array: Array):
        self.array = array

    def __getitem__(self, index: Any) -> IndexUpdateRef:
        return IndexUpdateRef(self.array, index)

    def __repr__(self) -> str:
        return f"_IndexUpdateHelper({self.array!r})"


class IndexUpdateRef:
    """What ``x.at[index]`` is: its methods return `x` with that part changed.

    Options of every method: `mode`, for places out of bounds (``"drop"`` by default,
    ``"clip"``, ``"promise_in_bounds"``); `indices_are_sorted` and `unique_indices`,
    promises that make the program faster; `wrap_negative_indices`, whether negative
    places count from the end.
    """

    __slots__ = ("array", "index")

    def __init__(self, array: Array, index: Any):
        self.array = array
        self.index = index

    def __repr__(self) -> str:
        return f"_IndexUpdateRef({self.array!r}, {self.index!r})"

    @hides_frames
    def get(
        self,
        *,
        indices_are_sorted: bool = False,
        unique_indices: bool = False,
        mode: Any = None,
        fill_value: ArrayLike | None = None,
        out_sharding: Any = None,
        wrap_negative_indices: bool = True,
    ) -> Array:
        """The part itself; `fill_value` counts with ``mode="fill"``."""
        op.refuse_sharding("ndarray.at[].get", out_sharding)
        return indexing.get(
            self.array,
            self.index,
            mode=mode,
            fill_value=fill_value,
            indices_are_sorted=indices_are_sorted,
            unique_indices=unique_indices,
            wrap_negative_indices=wrap_negative_indices,
        )

    @hides_frames
    def set(self, values: ArrayLike, **options: Any) -> Array:
        """The array with the part replaced by `values`."""
        return indexing.set(self.array, self.index, values, **_checked(options))

    @hides_frames
    def add(self, values: ArrayLike, **options: Any) -> Array:
        """The array with `values` added to the part; repeated places add up."""
        return indexing.add(self.array, self.index, values, **_checked(options))

    @hides_frames
    def subtract(self, values: ArrayLike, **options: Any) -> Array:
        """The array with `values` taken from the part."""
        return indexing.subtract(self.array, self.index, values, **_checked(options))

    @hides_frames
    def multiply(self, values: ArrayLike, **options: Any) -> Array:
        """The array with the part multiplied by `values`."""
        return indexing.multiply(self.array, self.index, values, **_checked(options))

    mul = multiply

    @hides_frames
    def divide(self, values: ArrayLike, **options: Any) -> Array:
        """The array with the part divided by `values`."""
        return indexing.divide(self.array, self.index, values, **_checked(options))

    @hides_frames
    def power(self, values: ArrayLike, **options: Any) -> Array:
        """The array with the part raised to the power `values`."""
        return indexing.power(self.array, self.index, values, **_checked(options))

    @hides_frames
    def min(self, values: ArrayLike, **options: Any) -> Array:
        """The array with each element of the part no larger than `values`."""
        return indexing.minimum(self.array, self.index, values, **_checked(options))

    @hides_frames
    def max(self, values: ArrayLike, **options: Any) -> Array:
        """The array with each element of the part no smaller than `values`."""
        return indexing.maximum(self.array, self.index, values, **_checked(options))

    @hides_frames
    def apply(self, function: Callable[[Array], Array], **options: Any) -> Array:
        """The array with a function applied to the part."""
        return indexing.apply(self.array, self.index, function, **_checked(options))


_OPTIONS = {
    "indices_are_sorted",
    "unique_indices",
    "mode",
    "out_sharding",
    "wrap_negative_indices",
}


def _checked(options):
    unknown = set(options) - _OPTIONS
    if unknown:
        raise TypeError(
            f"x.at[...] has no option {', '.join(sorted(unknown))}; "
            f"there are {', '.join(sorted(_OPTIONS))}."
        )
    op.refuse_sharding("ndarray.at", options.get("out_sharding"))
    return options
