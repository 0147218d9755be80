"""In which order the elements of an array lie in memory."""

from typing import Any

from jax._src.base import errors, records


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

    def update(self, **changes: Any) -> "Layout":
        """The same with some fields changed."""
        return records.replace(self, **changes)

    def check_compatible_aval(self, aval_shape: tuple[int, ...]) -> None:
        """Refuses arrays with another number of axes.

        Raises:
            ValueError: the layout is one of another number of axes.
        """
        if len(self.major_to_minor) != len(aval_shape):
            raise ValueError(
                errors.explain(
                    "The layout is that of an array with another number of axes.",
                    [("layout", repr(self)), ("shape", repr(tuple(aval_shape)))],
                )
            )

    @property
    def is_row_major(self) -> bool:
        """Whether the last axis is contiguous, and so on."""
        return self.major_to_minor == tuple(range(len(self.major_to_minor)))


Layout.AUTO = _Automatic()  # type: ignore[attr-defined]


@records.record
class Format:
    """A layout and a sharding, either of which may be left open with None."""

    layout: Layout | None = None
    sharding: Any = None

    def check(self) -> None:
        """Refuses orders that arrays cannot have.

        Raises:
            NotImplementedError: the layout is not row-major.
        """
        if isinstance(self.layout, Layout):
            check_row_major(self.layout)


def with_layout_constraint(x: Any, layouts: Any) -> Any:
    """Says in which order an intermediate array shall lie.

    Args:
        x: the array.
        layouts: its `Layout`. Only row-major order is there on the CPU.

    Raises:
        ValueError: the layout has another number of axes.
        NotImplementedError: the order is another one.
    """
    layouts.check_compatible_aval(x.shape)
    check_row_major(layouts)
    return x


def check_row_major(layout: Layout) -> None:
    """Refuses every other order.

    Raises:
        NotImplementedError: the order is another one.
    """
    if not layout.is_row_major:
        raise NotImplementedError(
            errors.explain(
                "Arrays lie in row-major order only.",
                [("layout", repr(layout))],
                ways="Transpose the array instead.",
            )
        )
