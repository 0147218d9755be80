"""For each axis of an array, the mesh axes over which it is split."""

import threading
import weakref
from collections.abc import Hashable, Iterable, Iterator
from typing import Any

from jax._src.base import errors


class _Unconstrained:
    """In a `PartitionSpec`: the compiler decides about this axis."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "UNCONSTRAINED"

    def __reduce__(self):
        return "UNCONSTRAINED"


UNCONSTRAINED = _Unconstrained()

# Equal specs are one object, so that comparing two is `is`.
_interned: weakref.WeakValueDictionary = weakref.WeakValueDictionary()
_lock = threading.Lock()
_NONE: frozenset = frozenset()


class PartitionSpec:
    """For each axis of an array, the mesh axes over which it is split.

    An entry is the name of a mesh axis, a tuple of names (the first one the slowest),
    None for an axis that is not split, or `PartitionSpec.UNCONSTRAINED` where the
    compiler shall choose. Axes without an entry are not split. Equal specs are one
    object, and ``P("x")`` differs from ``P("x", None)``.

    Args:
        *partitions: the entries; a tuple of one name is that name, one of none is None.
        unreduced: mesh axes over which the parts have still to be summed: a set.
        reduced: mesh axes over which the cotangents have still to be summed: a set.

    Raises:
        TypeError: `unreduced` or `reduced` is no set.
        ValueError: a name stands in two of the three, or None in a set.
    """

    __slots__ = ("__weakref__", "_partitions", "reduced", "unreduced")

    UNCONSTRAINED = UNCONSTRAINED

    _partitions: tuple
    unreduced: frozenset
    reduced: frozenset

    def __new__(
        cls,
        *partitions: Any,
        unreduced: Iterable = _NONE,
        reduced: Iterable = _NONE,
    ) -> "PartitionSpec":
        # Most are made of plain names and stand in the table as they were written.
        if unreduced is _NONE and reduced is _NONE:
            try:
                found = _interned.get((partitions, _NONE, _NONE))
            except TypeError:  # a list is no key
                found = None
            if found is not None:
                return found
        entries = tuple(map(_plain_entry, partitions))
        return _intern(entries, _set(unreduced, "un"), _set(reduced, ""))

    def __init_subclass__(cls, **kwargs: Any) -> None:
        raise TypeError(
            "PartitionSpec cannot be subclassed: equal specs are one object."
        )

    @property
    def partitions(self) -> tuple:
        """The entries."""
        return self._partitions

    def update(self, **changes: Any) -> "PartitionSpec":
        """Returns a copy with other `partitions`, `unreduced` or `reduced`."""
        partitions = changes.pop("partitions", self._partitions)
        sums = {"unreduced": self.unreduced, "reduced": self.reduced}
        return PartitionSpec(*partitions, **{**sums, **changes})

    def to_tangent_spec(self) -> "PartitionSpec":
        """How tangents of such arrays are split: likewise."""
        return self

    def to_ct_spec(self) -> "PartitionSpec":
        """How cotangents are split: sums that are due change sides."""
        if not (self.unreduced or self.reduced):
            return self
        return self.update(unreduced=self.reduced, reduced=self.unreduced)

    def to_lo(self) -> "PartitionSpec":
        """Returns this spec: arrays have no lower level."""
        return self

    def names_of(self, axis: int) -> tuple[Hashable, ...]:
        """The mesh axes over which one axis is split."""
        entries = self._partitions
        entry = entries[axis] if axis < len(entries) else None
        if entry is None or entry is UNCONSTRAINED:
            return ()
        return entry if isinstance(entry, tuple) else (entry,)

    @property
    def names(self) -> tuple[Hashable, ...]:
        """All mesh axes over which axes are split, in order of use."""
        return tuple(
            name
            for axis in range(len(self._partitions))
            for name in self.names_of(axis)
        )

    def padded(self, ndim: int) -> "PartitionSpec":
        """Returns a copy with one entry for each of `ndim` axes."""
        missing = ndim - len(self._partitions)
        if missing <= 0:
            return self
        return self.update(partitions=(*self._partitions, *(None,) * missing))

    def _refuse_sums(self, what: str) -> None:
        if self.unreduced or self.reduced:
            raise ValueError(
                errors.explain(
                    f"{what} a PartitionSpec that has more than entries.",
                    [("spec", repr(self))],
                    "Its entries alone would lose the axes that are unreduced or reduced.",
                    "Take spec.partitions.",
                )
            )

    def __iter__(self) -> Iterator:
        self._refuse_sums("Iterating over")
        return iter(self._partitions)

    def __getitem__(self, index: Any) -> Any:
        self._refuse_sums("Indexing")
        return self._partitions[index]

    def __len__(self) -> int:
        return len(self._partitions)

    def index(self, value: Any) -> int:
        """The first position of an entry."""
        return self._partitions.index(_plain_entry(value))

    def count(self, value: Any) -> int:
        """How often an entry occurs."""
        return self._partitions.count(_plain_entry(value))

    def __add__(self, other: Any) -> "PartitionSpec":
        if isinstance(other, PartitionSpec):
            return PartitionSpec(
                *self._partitions,
                *other._partitions,
                unreduced=self.unreduced | other.unreduced,
                reduced=self.reduced | other.reduced,
            )
        if isinstance(other, tuple):
            self._refuse_tuple(other)
            return PartitionSpec(*self._partitions, *other)
        return NotImplemented

    def __radd__(self, other: Any) -> "PartitionSpec":
        if not isinstance(other, tuple):
            return NotImplemented
        self._refuse_tuple(other)
        return PartitionSpec(*other, *self._partitions)

    def _refuse_tuple(self, other: tuple) -> None:
        if self.unreduced or self.reduced:
            raise TypeError(
                errors.explain(
                    "A tuple cannot be joined with a PartitionSpec with sums.",
                    [("tuple", repr(other)), ("spec", repr(self))],
                    ways="Make a PartitionSpec of the tuple first.",
                )
            )

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("A PartitionSpec cannot be changed; use .update(…).")

    def __repr__(self) -> str:
        entries = repr(self._partitions)[1:-1]
        parts = [entries.removesuffix(",")] if entries else []
        for name in ("unreduced", "reduced"):
            if getattr(self, name):
                listed = ", ".join(sorted(map(repr, getattr(self, name))))
                parts.append(f"{name}={{{listed}}}")
        # Without sums, as a tuple of one entry is written.
        comma = "," if len(parts) == len(self) == 1 else ""
        return f"P({', '.join(parts)}{comma})"

    def __reduce__(self):
        return _intern, (self._partitions, self.unreduced, self.reduced)

    def __copy__(self) -> "PartitionSpec":
        return self

    def __deepcopy__(self, memo: Any) -> "PartitionSpec":
        return self


# What users call it: `jax.P`.
PartitionSpec.__module__ = "jax"
PartitionSpec.__qualname__ = "P"


def _plain_entry(entry):
    """A tuple of one name is the name, a tuple of none is None."""
    if isinstance(entry, tuple | list):
        if any(isinstance(name, tuple | list) for name in entry):
            raise ValueError(
                errors.explain(
                    "PartitionSpec: an entry is a tuple of tuples.",
                    [("entry", repr(entry))],
                    "An entry is the name of a mesh axis, or a tuple of names.",
                    "Write the names one after the other: P(('x', 'y')).",
                )
            )
        return tuple(entry) if len(entry) > 1 else entry[0] if entry else None
    return entry


def _set(names, prefix):
    if not isinstance(names, set | frozenset):
        raise TypeError(
            errors.explain(
                f"PartitionSpec: {prefix}reduced takes a set of names of mesh axes.",
                [("got", repr(names)), ("type", type(names).__name__)],
                ways=f"Write {prefix}reduced={{'x'}}.",
            )
        )
    if None in names:
        raise ValueError(
            errors.explain(
                f"PartitionSpec: {prefix}reduced names mesh axes; None is none.",
                [("got", repr(set(names)))],
            )
        )
    return frozenset(names)


def _intern(partitions, unreduced, reduced):
    key = (partitions, unreduced, reduced)
    with _lock:
        found = _interned.get(key)
        if found is not None:
            return found
        made = object.__new__(PartitionSpec)
        put = object.__setattr__
        put(made, "_partitions", partitions)
        put(made, "unreduced", unreduced)
        put(made, "reduced", reduced)
        if unreduced or reduced:
            _check_disjoint(made)
        _interned[key] = made
        return made


def _check_disjoint(spec):
    names = set(spec.names)
    twice = (
        (spec.unreduced & spec.reduced)
        | (names & spec.unreduced)
        | (names & spec.reduced)
    )
    if twice:
        raise ValueError(
            errors.explain(
                "PartitionSpec: a mesh axis has two meanings.",
                [("axis", ", ".join(sorted(map(repr, twice)))), ("spec", repr(spec))],
                "An axis splits the array, or is unreduced, or is reduced.",
            )
        )


class HiPspec:
    """How a value of a type above arrays is split; libraries derive their own from it."""

    def to_lo(self) -> tuple["PartitionSpec", ...]:
        """The specs of the arrays of which the value is made."""
        raise self._lacks("to_lo")

    def to_tangent_spec(self) -> Any:
        """How its tangent is split."""
        raise self._lacks("to_tangent_spec")

    def to_ct_spec(self) -> Any:
        """How its cotangent is split."""
        raise self._lacks("to_ct_spec")

    def _lacks(self, method):
        return NotImplementedError(
            f"{type(self).__name__} is a HiPspec and must define `{method}`."
        )
