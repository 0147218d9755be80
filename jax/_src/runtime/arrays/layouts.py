"""Layouts: the order of an array's dimensions in memory, as users state it.

Programs take and give arrays in row-major order. An array in another order is kept as a
dense one whose axes are permuted, and copied into row-major order where a program gets it:
`docs/internals/layouts.md`.
"""

from collections.abc import Sequence
from typing import Any

from jax._src.base import errors, records
from jax._src.core import shardings


class _Automatic:
    """The compiler chooses."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "AUTO"


@records.record
class Layout:
    """The order of axes in memory.

    Args:
        major_to_minor: the axes, from the one whose step in memory is the largest.
        tiling: sizes of tiles, for devices that store arrays in tiles.
        sub_byte_element_size_in_bits: the bits of an element that shares its byte.
    """

    major_to_minor: tuple[int, ...]
    tiling: tuple[tuple[int, ...], ...] | None = None
    sub_byte_element_size_in_bits: int = 0

    def __init__(
        self,
        major_to_minor: Sequence[int],
        tiling: Sequence[Sequence[int]] | None = None,
        sub_byte_element_size_in_bits: int = 0,
    ):
        tiles = tiling if tiling is None else tuple(map(tuple, tiling))
        object.__setattr__(self, "major_to_minor", tuple(major_to_minor))
        object.__setattr__(self, "tiling", tiles)
        object.__setattr__(
            self, "sub_byte_element_size_in_bits", sub_byte_element_size_in_bits
        )

    @staticmethod
    def for_array(x: Any) -> "Layout":
        """Returns the layout of an array in memory, without tiles.

        Args:
            x: an array, or a value with a shape, which is in row-major order then.
        """
        held = getattr(getattr(x, "format", None), "layout", None)
        order = held.major_to_minor if isinstance(held, Layout) else range(x.ndim)
        return Layout(order, ())

    def update(self, **changes: Any) -> "Layout":
        """Returns a copy with some fields changed."""
        return records.replace(self, **changes)

    def check_compatible_aval(self, aval_shape: tuple[int, ...]) -> None:
        """Refuses arrays with another number of axes.

        Raises:
            ValueError: the layout is one of another number of axes.
        """
        if len(self.major_to_minor) != len(aval_shape):
            raise errors.value_error(
                "The layout is that of an array with another number of axes.",
                [("layout", repr(self)), ("shape", repr(tuple(aval_shape)))],
                "Length of major_to_minor and the rank of the value should match.",
            )

    def check(self) -> None:
        """Raises an error for a layout that no array of ours can have.

        Raises:
            ValueError: `major_to_minor` does not name each axis once.
            NotImplementedError: the layout has tiles, or elements that share bytes.
        """
        order = self.major_to_minor
        if sorted(order) != list(range(len(order))):
            raise errors.value_error(
                "The layout does not name each axis once.",
                [("layout", repr(self))],
                "major_to_minor is a permutation of the axes, counted from 0.",
            )
        if self.tiling or self.sub_byte_element_size_in_bits:
            raise errors.not_implemented(
                "Arrays are dense in memory, without tiles.",
                [("layout", repr(self))],
                ways="Give the order of the axes alone: Layout(major_to_minor).",
            )


AUTO = _Automatic()
Layout.AUTO = AUTO  # type: ignore[attr-defined]


@records.record
class Format:
    """A layout and a sharding, either of which may be left open with None.

    Args:
        layout: a `Layout`, ``Layout.AUTO`` for the compiler's choice, or None.
        sharding: a sharding, which a `Layout` needs, or None.

    Raises:
        TypeError: one of both is something else.
        ValueError: a layout is given without a sharding.
    """

    layout: Any = None
    sharding: Any = None

    def __init__(self, layout: Any = None, sharding: Any = None):
        if not isinstance(layout, Layout | _Automatic | None):
            raise _no_part(
                "layout", layout, "A layout is a Layout, Layout.AUTO or None."
            )
        if not isinstance(sharding, shardings.Sharding | None):
            raise _no_part("sharding", sharding, "A sharding is a Sharding or None.")
        if isinstance(layout, Layout) and sharding is None:
            raise errors.value_error(
                "Format: a layout is given without a sharding.",
                [("layout", repr(layout))],
                "A layout is that of each shard that a sharding makes.",
                "Give one too: Format(layout, x.sharding).",
            )
        object.__setattr__(self, "layout", layout)
        object.__setattr__(self, "sharding", sharding)

    def check(self) -> None:
        """Refuses layouts that no array of ours can have, as `Layout.check` does."""
        if isinstance(self.layout, Layout):
            self.layout.check()


def _no_part(name, value, rule):
    return errors.type_error(
        f"Format: {name} is of another type.",
        [(name, repr(value)), ("type", type(value).__name__)],
        rule,
    )


def of_array(order: tuple[int, ...] | None, ndim: int) -> Layout:
    """Returns the layout with an order of dimensions; None: row-major."""
    return Layout(tuple(range(ndim)) if order is None else order, ())


def is_same(first: Layout, second: Layout) -> bool:
    """Whether two layouts say the same; what one leaves open fits everything."""
    return first.major_to_minor == second.major_to_minor


def order_of(layout: Layout) -> tuple[int, ...] | None:
    """The order that a layout asks for; None: row-major."""
    order = layout.major_to_minor
    return None if order == tuple(range(len(order))) else order
