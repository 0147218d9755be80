"""What a type says about the mesh axes of which a program sees one part."""

import threading
import weakref
from collections.abc import Hashable, Iterable
from typing import Any

from jax._src.base import errors
from jax._src.core.partition_spec import UnreducedKind, kind_of_parts

# Equal ones are one object, so that comparing two is `is`.
_interned: "weakref.WeakValueDictionary[tuple, ManualAxisType]" = (
    weakref.WeakValueDictionary()
)
_lock = threading.Lock()


class ManualAxisType:
    """Along which manual mesh axes a value varies, or is part of a sum.

    Args:
        varying: axes along which each part has a value of its own.
        unreduced: axes along which the value is the sum over the parts, still due.
        reduced: axes along which the value is the same, and its cotangents are the parts
            of a sum still due.
        unreduced_kind: what is due along `unreduced`, an `UnreducedKind`; None: a sum.

    Raises:
        TypeError: an argument is no set.
        ValueError: an axis is in two sets.
    """

    __slots__ = (
        "__weakref__",
        "_hash",
        "is_empty",
        "reduced",
        "unreduced",
        "unreduced_kind",
        "varying",
    )

    varying: frozenset
    unreduced: frozenset
    reduced: frozenset
    unreduced_kind: UnreducedKind | None
    is_empty: bool
    _hash: int

    def __new__(
        cls,
        *,
        varying: Iterable[Hashable] = frozenset(),
        unreduced: Iterable[Hashable] = frozenset(),
        reduced: Iterable[Hashable] = frozenset(),
        unreduced_kind: UnreducedKind | None = None,
    ) -> "ManualAxisType":
        sets = {"varying": varying, "unreduced": unreduced, "reduced": reduced}
        for name, axes in sets.items():
            if not isinstance(axes, set | frozenset):
                raise TypeError(
                    f"ManualAxisType: {name} must be a set of mesh axes, got {axes!r}."
                )
        fields = tuple(map(frozenset, sets.values()))
        kind = kind_of_parts("ManualAxisType", fields[1], unreduced_kind)
        key = (*fields, kind)
        with _lock:
            found = _interned.get(key)
            if found is None:
                _check_apart(sets)
                found = object.__new__(cls)
                put = object.__setattr__
                put(found, "unreduced_kind", kind)
                for name, axes in zip(sets, fields, strict=True):
                    put(found, name, axes)
                put(found, "_hash", hash(fields))
                put(found, "is_empty", not any(fields))
                _interned[key] = found
            return found

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{self} cannot be changed; use .update({name}=…)")

    def update(self, **changes: Any) -> "ManualAxisType":
        """Returns a copy with another `varying`, `unreduced`, `reduced` or `unreduced_kind`."""
        fields = {**self._fields(), **changes}
        kind = self.unreduced_kind if fields["unreduced"] else None
        return ManualAxisType(**{"unreduced_kind": kind, **fields})

    @property
    def empty(self) -> bool:
        """Whether there is no axis in any set."""
        return self.is_empty

    @property
    def vur(self) -> frozenset:
        """The axes of all sets."""
        return self.varying | self.unreduced | self.reduced

    def to_ct(self) -> "ManualAxisType":
        """What cotangents of such values are: sums that are due change sides."""
        if not self.unreduced and not self.reduced:
            return self
        return self.update(unreduced=self.reduced, reduced=self.unreduced)

    def _fields(self):
        names = ("varying", "unreduced", "reduced")
        return {name: getattr(self, name) for name in names}

    def __hash__(self) -> int:
        return self._hash

    def __deepcopy__(self, memo: Any) -> "ManualAxisType":
        return self

    def __reduce__(self):
        return _unpickle, ({**self._fields(), "unreduced_kind": self.unreduced_kind},)

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={axes}" for name, axes in self._fields().items())
        if self.unreduced_kind not in (None, UnreducedKind.sum):
            fields += f", unreduced_kind={self.unreduced_kind.name}"
        return f"ManualAxisType({fields})"


def _unpickle(fields):
    return ManualAxisType(**fields)


def _check_apart(sets):
    for one, other in (
        ("varying", "unreduced"),
        ("varying", "reduced"),
        ("unreduced", "reduced"),
    ):
        common = sets[one] & sets[other]
        if common:
            raise errors.value_error(
                f"ManualAxisType: {one} and {other} cannot have common mesh axes.",
                [(one, repr(set(sets[one]))), (other, repr(set(sets[other])))],
                "Along one axis a value varies, is a sum still due, or was summed.",
            )


none = ManualAxisType()
