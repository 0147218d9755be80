"""The types of references to arrays that change."""

from typing import Any

from jax._src.core import avals as av


class AbstractRef(av.AbstractValue):
    """The type of a reference to an array.

    Args:
        inner_aval: the type of the array.
        memory_space: where the array lies, None for the default.
        kind: a name for what the reference is for, or None.
    """

    __slots__ = ("inner_aval", "kind", "memory_space")

    def __init__(
        self, inner_aval: av.AbstractValue, memory_space: Any = None, kind: Any = None
    ):
        self.inner_aval = inner_aval
        self.memory_space = memory_space
        self.kind = kind

    def _key(self):
        return self.inner_aval, self.memory_space, self.kind

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AbstractRef) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def str_short(self, short_dtypes: bool = False, **_: Any) -> str:
        return f"Ref{{{self.inner_aval.str_short(short_dtypes)}}}"
