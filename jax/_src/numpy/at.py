"""The property ``x.at`` of arrays: updates written as indexing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jax._src.base.traceback_filter import hides_frames
from jax._src.lax import mesh_modes
from jax._src.numpy import indexing, operands

Array = operands.Array
ArrayLike = operands.ArrayLike


class IndexUpdateHelper:
    """What ``x.at`` is: index it to name the part to update."""

    __slots__ = ("array",)

    def __init__(self, array: Array):
        self.array = array

    def __getitem__(self, index: Any) -> IndexUpdateRef:
        return IndexUpdateRef(self.array, index)

    def __repr__(self) -> str:
        return f"_IndexUpdateHelper({self.array!r})"


def _combining(name: str, update: Callable[..., Array], doc: str):
    """A method that combines the part with values."""

    def method(
        self,
        values: ArrayLike,
        *,
        indices_are_sorted: bool = False,
        unique_indices: bool = False,
        mode: Any = None,
        out_sharding: Any = None,
        wrap_negative_indices: bool = True,
    ) -> Array:
        options = indexing.Options(
            indices_are_sorted, unique_indices, mode, wrap_negative_indices
        )
        if out_sharding is not None:
            run = mesh_modes.placed_by_compiler(
                lambda array, index, values: update(array, index, values, options),
                out_sharding=out_sharding,
            )
            return run(self.array, self.index, values)
        return update(self.array, self.index, values, options)

    method.__name__, method.__qualname__ = name, f"IndexUpdateRef.{name}"
    method.__doc__ = f"The array with {doc}."
    return hides_frames(method)


class IndexUpdateRef:
    """What ``x.at[index]`` is: its methods return `x` with that part changed.

    Options of every method: `mode`, for indices out of bounds (``"drop"`` by default,
    ``"clip"``, ``"promise_in_bounds"``); `indices_are_sorted` and `unique_indices`,
    promises that make the program faster; `wrap_negative_indices`, whether negative
    indices count from the end.
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
        strategy: str = "auto",
    ) -> Array:
        """The part itself; `fill_value` counts with ``mode="fill"``.

        `strategy` is ``"auto"`` or ``"gather"``; both are what fits the index best.
        """
        if strategy not in ("auto", "gather"):
            raise ValueError(
                f"x.at[…].get: Unknown indexing strategy {strategy!r}; it is 'auto' or "
                "'gather'."
            )

        def get(array, index):
            return indexing.get(
                array,
                index,
                mode=mode,
                fill_value=fill_value,
                indices_are_sorted=indices_are_sorted,
                unique_indices=unique_indices,
                wrap_negative_indices=wrap_negative_indices,
            )

        if out_sharding is None:
            return get(self.array, self.index)
        return mesh_modes.placed_by_compiler(get, out_sharding=out_sharding)(
            self.array, self.index
        )

    set = _combining("set", indexing.set, "the part replaced by `values`")
    add = _combining(
        "add", indexing.add, "`values` added to the part; repeated indices add up"
    )
    subtract = _combining("subtract", indexing.subtract, "`values` taken from the part")
    multiply = _combining(
        "multiply", indexing.multiply, "the part multiplied by `values`"
    )
    mul = multiply
    divide = _combining("divide", indexing.divide, "the part divided by `values`")
    power = _combining("power", indexing.power, "the part raised to the power `values`")
    min = _combining(
        "min", indexing.minimum, "each element of the part no larger than `values`"
    )
    max = _combining(
        "max", indexing.maximum, "each element of the part no smaller than `values`"
    )

    @hides_frames
    def apply(
        self,
        func: Callable[[Array], Array],
        *,
        indices_are_sorted: bool = False,
        unique_indices: bool = False,
        mode: Any = None,
        wrap_negative_indices: bool = True,
    ) -> Array:
        """The array with a function applied to the part."""
        options = indexing.Options(
            indices_are_sorted, unique_indices, mode, wrap_negative_indices
        )
        return indexing.apply(self.array, self.index, func, options)
