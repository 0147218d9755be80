"""The types of references to arrays."""

from collections.abc import Sequence
from typing import Any

from jax._src.core import avals as avals_lib


class AbstractRef(avals_lib.AbstractValue):
    """The type of a reference to an array.

    Args:
        inner_aval: the type of the array.
        memory_space: the memory space of the array, None for the default.
        kind: a name for what the reference is for, or None.
        access: the rules for naming, reading and writing parts of it, as
            `reference_views.Access` has them; None: those of arrays outside kernels.
    """

    __slots__ = ("access", "inner_aval", "kind", "memory_space")

    def __init__(
        self,
        inner_aval: Any,
        memory_space: Any = None,
        kind: Any = None,
        access: Any = None,
    ):
        self.inner_aval = inner_aval
        self.memory_space = memory_space
        self.kind = kind
        self.access = access

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array."""
        return self.inner_aval.shape

    @property
    def dtype(self) -> Any:
        """The dtype of the array."""
        return self.inner_aval.dtype

    @property
    def ndim(self) -> int:
        """The number of axes of the array."""
        return len(self.inner_aval.shape)

    @property
    def size(self) -> int:
        """The number of elements of the array."""
        return self.inner_aval.size

    @property
    def weak_type(self) -> bool:
        """Whether the dtype of the array gives way to others."""
        return self.inner_aval.weak_type

    @property
    def sharding(self) -> Any:
        """The memory space of the array, if its type states one."""
        return self.inner_aval.sharding

    @property
    def manual_axis_type(self) -> Any:
        """Along which manual mesh axes the array varies."""
        return self.inner_aval.manual_axis_type

    @property
    def mat(self) -> Any:
        """The other name of `manual_axis_type`."""
        return self.manual_axis_type

    def update(
        self,
        inner_aval: Any = None,
        memory_space: Any = None,
        kind: Any = None,
        **changes: Any,
    ) -> "AbstractRef":
        if changes:
            raise TypeError(f"types of references have no field {', '.join(changes)}")
        return AbstractRef(
            self.inner_aval if inner_aval is None else inner_aval,
            self.memory_space if memory_space is None else memory_space,
            self.kind if kind is None else kind,
            self.access,
        )

    def update_manual_axis_type(self, mat: Any) -> "AbstractRef":
        return self.update(self.inner_aval.update_manual_axis_type(mat))

    def inc_rank(self, size: Any, spec: Any) -> "AbstractRef":
        return self.update(self.inner_aval.inc_rank(size, spec))

    def dec_rank(self, size: Any, spec: Any) -> "AbstractRef":
        return self.update(self.inner_aval.dec_rank(size, spec))

    def shard(
        self, mesh: Any, manual_axes: frozenset, check_vma: bool, spec: Any
    ) -> "AbstractRef":
        inner = self.inner_aval.shard(mesh, manual_axes, check_vma, spec)
        return self.update(inner)

    def unshard(self, mesh: Any, check_vma: bool, spec: Any) -> "AbstractRef":
        return self.update(self.inner_aval.unshard(mesh, check_vma, spec))

    def to_tangent_aval(self) -> "AbstractRef":
        return AbstractRef(self.inner_aval.to_tangent_aval())

    def _key(self):
        return self.inner_aval, self.memory_space, self.kind, self.access

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AbstractRef) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def str_short(self, short_dtypes: bool = False, **_: Any) -> str:
        space = "" if self.access is None else f"<{self.memory_space}>"
        return f"Ref{space}{{{self.inner_aval.str_short(short_dtypes)}}}"

    def __repr__(self) -> str:
        return self.str_short()


def array_aval(aval: Any) -> Any:
    """The type of the array behind a reference; any other type as it is."""
    return aval.inner_aval if isinstance(aval, AbstractRef) else aval


def array_avals(avals: Sequence[Any]) -> list[Any]:
    """`array_aval` of each of several types."""
    return [array_aval(aval) for aval in avals]
