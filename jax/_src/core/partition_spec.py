"""How the axes of an array are split over the axes of a mesh."""

from collections.abc import Hashable, Iterable
from typing import Any


class _Unconstrained:
    """In a `PartitionSpec`: the compiler decides about this axis."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "UNCONSTRAINED"

    def __reduce__(self):
        return "UNCONSTRAINED"


UNCONSTRAINED = _Unconstrained()


class PartitionSpec(tuple):
    """For each axis of an array, the mesh axes over which it is split.

    An entry is the name of a mesh axis, a tuple of names, or None for an axis that is
    not split. Axes without an entry are not split.

    Args:
        *partitions: the entries; a tuple of one name is that name.
        unreduced: mesh axes over which the parts have still to be summed.
        reduced: mesh axes over which the cotangents have still to be summed.
    """

    unreduced: frozenset
    reduced: frozenset
    UNCONSTRAINED = UNCONSTRAINED

    def __new__(
        cls,
        *partitions: Any,
        unreduced: Iterable = frozenset(),
        reduced: Iterable = frozenset(),
    ) -> "PartitionSpec":
        made = super().__new__(cls, map(_plain_entry, partitions))
        made.unreduced, made.reduced = frozenset(unreduced), frozenset(reduced)
        return made

    @property
    def partitions(self) -> tuple:
        """The entries."""
        return tuple(self)

    def update(self, **changes: Any) -> "PartitionSpec":
        """The same with other `partitions`, `unreduced` or `reduced`."""
        fields = {"unreduced": self.unreduced, "reduced": self.reduced}
        partitions = changes.pop("partitions", tuple(self))
        return PartitionSpec(*partitions, **{**fields, **changes})

    def to_tangent_spec(self) -> "PartitionSpec":
        """How tangents of such arrays are split: likewise."""
        return self

    def to_ct_spec(self) -> "PartitionSpec":
        """How cotangents are split: sums that are due change sides."""
        return self.update(unreduced=self.reduced, reduced=self.unreduced)

    def to_lo(self) -> "PartitionSpec":
        """The same: arrays have one level."""
        return self

    def _sums(self):
        return self.unreduced, self.reduced

    def __add__(self, other: Any) -> "PartitionSpec":  # type: ignore[override]
        return self.update(partitions=(*self, *other))

    def __radd__(self, other: Any) -> "PartitionSpec":
        return self.update(partitions=(*other, *self))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, tuple):
            return NotImplemented
        sums = other._sums() if isinstance(other, PartitionSpec) else _NO_SUMS
        same = tuple.__eq__(self, other)
        return same and self._sums() == sums

    def __ne__(self, other: object) -> bool:
        # A tuple has its own, which does not ask `__eq__`.
        return not self == other

    def __hash__(self) -> int:
        return hash((tuple.__hash__(self), *self._sums()))

    def __repr__(self) -> str:
        parts = [repr(entry) for entry in self]
        for name in ("unreduced", "reduced"):
            if getattr(self, name):
                listed = ", ".join(sorted(map(repr, getattr(self, name))))
                parts.append(f"{name}={{{listed}}}")
        # As a tuple of one entry is written.
        comma = "," if len(parts) == len(self) == 1 else ""
        return f"P({', '.join(parts)}{comma})"

    def __reduce__(self):
        return _unpickle_spec, (tuple(self), *self._sums())

    def __deepcopy__(self, memo: Any) -> "PartitionSpec":
        return self

    def names_of(self, axis: int) -> tuple[Hashable, ...]:
        """The mesh axes over which one axis is split."""
        entry = self[axis] if axis < len(self) else None
        if entry is None or entry is UNCONSTRAINED:
            return ()
        return entry if isinstance(entry, tuple) else (entry,)


_NO_SUMS = (frozenset(), frozenset())


def _plain_entry(entry):
    """A tuple of one name is the name, a tuple of none is None."""
    if isinstance(entry, tuple | list):
        return tuple(entry) if len(entry) > 1 else entry[0] if entry else None
    return entry


def _unpickle_spec(partitions, unreduced, reduced):
    return PartitionSpec(*partitions, unreduced=unreduced, reduced=reduced)
