"""For each axis of an array, the mesh axes over which it is split."""

import enum
import threading
import weakref
from collections.abc import Hashable, Iterable, Iterator
from typing import Any

from jax._src.base import errors, releases


class _Unconstrained:
    """In a `PartitionSpec`: the compiler decides about this axis."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "UNCONSTRAINED"

    def __reduce__(self):
        return "UNCONSTRAINED"


UNCONSTRAINED = _Unconstrained()


class UnreducedKind(enum.Enum):
    """How the parts along unreduced mesh axes are still to be joined."""

    sum = 1
    max = 2
    min = 3


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
        unreduced_kind: how the parts over `unreduced` are joined, an `UnreducedKind`;
            None: they are summed.

    Raises:
        TypeError: `unreduced` or `reduced` is no set, or the kind no `UnreducedKind`.
        ValueError: a name stands in two of the three, None in a set, or a kind is given
            where nothing is unreduced.
    """

    __slots__ = (
        "__weakref__",
        "_partitions",
        "reduced",
        "unreduced",
        "unreduced_kind",
    )

    UNCONSTRAINED = UNCONSTRAINED

    _partitions: tuple
    unreduced: frozenset
    reduced: frozenset
    unreduced_kind: UnreducedKind | None

    def __new__(
        cls,
        *partitions: Any,
        unreduced: Iterable = _NONE,
        reduced: Iterable = _NONE,
        unreduced_kind: UnreducedKind | None = None,
    ) -> "PartitionSpec":
        # Most specs are written with plain names, and are looked up without normalising entries.
        if unreduced is _NONE and reduced is _NONE and unreduced_kind is None:
            try:
                found = _interned.get((partitions, _NONE, _NONE, None))
            except TypeError:  # a list is no key
                found = None
            if found is not None:
                return found
        entries = tuple(map(_plain_entry, partitions))
        parts = _set(unreduced, "un")
        kind = kind_of_parts("PartitionSpec", parts, unreduced_kind)
        return _intern(entries, parts, _set(reduced, ""), kind)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        raise TypeError(
            "PartitionSpec cannot be subclassed: equal specs are one object."
        )

    @property
    def partitions(self) -> tuple:
        """The entries."""
        return self._partitions

    def update(
        self,
        partitions: Any = None,
        unreduced: Any = None,
        reduced: Any = None,
        **changes: Any,
    ) -> "PartitionSpec":
        """Returns a copy with other `partitions`, `unreduced`, `reduced` or `unreduced_kind`.

        From 0.12 on, a spec with no axis unreduced any more needs ``unreduced_kind=None``.
        """
        kind = self.unreduced_kind
        if unreduced is not None and not releases.rule("update_keeps_unreduced_kind"):
            kind = kind if unreduced else None
        return PartitionSpec(
            *(self._partitions if partitions is None else partitions),
            unreduced=self.unreduced if unreduced is None else unreduced,
            reduced=self.reduced if reduced is None else reduced,
            **{"unreduced_kind": kind, **changes},
        )

    def with_sums(self, unreduced: frozenset, reduced: frozenset) -> "PartitionSpec":
        """Returns a copy with other axes over which sums are due."""
        kind = self.unreduced_kind if unreduced else None
        return PartitionSpec(
            *self._partitions, unreduced=unreduced, reduced=reduced, unreduced_kind=kind
        )

    def to_ct_spec(self) -> "PartitionSpec":
        """Returns the spec of cotangents, in which unreduced and reduced axes are exchanged."""
        if not (self.unreduced or self.reduced):
            return self
        return self.with_sums(self.reduced, self.unreduced)

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

    def refuse_other_kinds(self) -> None:
        """Raises NotImplementedError if parts are joined by another operation than a sum."""
        if self.unreduced_kind in (None, UnreducedKind.sum):
            return
        raise errors.not_implemented(
            "Parts that are joined by a maximum or minimum are not supported.",
            [("spec", repr(self))],
            "Operations take arrays of which the parts are summed.",
            "Inside of jax.shard_map: jax.lax.pmax, jax.lax.pmin.",
        )

    def _refuse_sums(self, what: str) -> None:
        if self.unreduced or self.reduced:
            raise errors.value_error(
                f"{what} a PartitionSpec that has more than entries.",
                [("spec", repr(self))],
                "Its entries alone would lose the axes that are unreduced or reduced.",
                "Take spec.partitions.",
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
                unreduced_kind=self.unreduced_kind or other.unreduced_kind,
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
            raise errors.type_error(
                "A tuple cannot be joined with a PartitionSpec with sums.",
                [("tuple", repr(other)), ("spec", repr(self))],
                ways="Make a PartitionSpec of the tuple first.",
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
        kind = self.unreduced_kind
        shown = releases.rule("specs_show_that_parts_are_summed")
        if kind is not None and (shown or kind is not UnreducedKind.sum):
            parts.append(f"unreduced_kind={kind.name}")
        # Without pending sums, the text is like that of a tuple.
        comma = "," if len(parts) == len(self) == 1 else ""
        return f"P({', '.join(parts)}{comma})"

    def __reduce__(self):
        return _intern, (
            self._partitions,
            self.unreduced,
            self.reduced,
            self.unreduced_kind,
        )

    def __copy__(self) -> "PartitionSpec":
        return self

    def __deepcopy__(self, memo: Any) -> "PartitionSpec":
        return self


# The public name is `jax.P`.
PartitionSpec.__module__ = "jax"
PartitionSpec.__qualname__ = "P"


def _plain_entry(entry):
    """A tuple of one name is the name, a tuple of none is None."""
    if isinstance(entry, tuple | list):
        if any(isinstance(name, tuple | list) for name in entry):
            raise errors.value_error(
                "PartitionSpec: an entry is a tuple of tuples.",
                [("entry", repr(entry))],
                "An entry is the name of a mesh axis, or a tuple of names.",
                "Write the names one after the other: P(('x', 'y')).",
            )
        return tuple(entry) if len(entry) > 1 else entry[0] if entry else None
    return entry


def _set(names, prefix):
    if not isinstance(names, set | frozenset):
        raise errors.type_error(
            f"PartitionSpec: {prefix}reduced takes a set of names of mesh axes.",
            [("got", repr(names)), ("type", type(names).__name__)],
            ways=f"Write {prefix}reduced={{'x'}}.",
        )
    if None in names:
        raise errors.value_error(
            f"PartitionSpec: {prefix}reduced cannot contain None.",
            [("got", repr(set(names)))],
        )
    return frozenset(names)


def kind_of_parts(
    what: str, unreduced: frozenset, kind: UnreducedKind | None
) -> UnreducedKind | None:
    """How the parts along `unreduced` are joined: by a sum, where nothing else was said.

    Args:
        what: what the kind belongs to, for messages.
        unreduced: the axes.
        kind: what the user wrote.

    Raises:
        TypeError: it is no `UnreducedKind`. ValueError: there are no such axes.
    """
    if kind is None:
        return UnreducedKind.sum if unreduced else None
    if not isinstance(kind, UnreducedKind):
        raise errors.type_error(
            f"{what}: unreduced_kind takes a jax.sharding.UnreducedKind.",
            [("got", repr(kind)), ("type", type(kind).__name__)],
        )
    if not unreduced:
        raise errors.value_error(
            f"{what}: unreduced_kind is given, but no axis is unreduced.",
            [("unreduced_kind", str(kind))],
            ways="Pass unreduced_kind=None.",
        )
    return kind


def _intern(partitions, unreduced, reduced, kind=None):
    if kind is None and unreduced:  # a pickle from before there were kinds
        kind = UnreducedKind.sum
    key = (partitions, unreduced, reduced, kind)
    with _lock:
        found = _interned.get(key)
        if found is not None:
            return found
        made = object.__new__(PartitionSpec)
        put = object.__setattr__
        put(made, "_partitions", partitions)
        put(made, "unreduced", unreduced)
        put(made, "reduced", reduced)
        put(made, "unreduced_kind", kind)
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
        raise errors.value_error(
            "PartitionSpec: a mesh axis has two meanings.",
            [("axis", ", ".join(sorted(map(repr, twice)))), ("spec", repr(spec))],
            "An axis splits the array, or is unreduced, or is reduced.",
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
