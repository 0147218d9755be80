"""References: arrays that change in place, as Python sees it.

A reference holds an array, and an update puts another one in its place. Inside of a
traced function it lives as long as the trace: what is traced is the sequence of arrays.
A reference does not pass from one trace into another.
"""

from typing import Any

from jax._src.base import errors, traceback_filter
from jax._src.core import avals as av, state
from jax._src.numpy import creation
from jax._src.state import types


class Ref:
    """A reference to an array; made by `new_ref`.

    ``ref[index]`` reads, ``ref[index] = value`` writes; ``ref[...]`` is the whole array.
    """

    __slots__ = ("__weakref__", "_aval", "_trace", "_value")

    def __init__(self, aval: types.AbstractRef, refs: Any):
        self._aval = aval
        self._value = refs
        self._trace = state.current()

    def _held(self, what):
        if self._value is None:
            raise ValueError(f"{what}: the reference was freed or frozen.")
        if self._trace is not state.current():
            raise NotImplementedError(
                errors.explain(
                    f"{what}: a reference was used under another transformation than "
                    "the one it was made under.",
                    [("reference", self._aval.str_short())],
                    ways="Pass the array, ref[...], and return what changed; or make the "
                    "reference inside.",
                )
            )
        return self._value

    @property
    def aval(self) -> types.AbstractRef:
        """The type of the reference."""
        return self._aval

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array."""
        return self._aval.inner_aval.shape  # type: ignore[attr-defined]

    @property
    def dtype(self) -> Any:
        """The dtype of the array."""
        return self._aval.inner_aval.dtype  # type: ignore[attr-defined]

    @property
    def ndim(self) -> int:
        """The number of axes of the array."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements of the array."""
        return self._aval.inner_aval.size  # type: ignore[attr-defined]

    @property
    def sharding(self) -> Any:
        """Where the array lies."""
        return self._held("sharding").sharding

    @property
    def committed(self) -> bool:
        """Whether the array stays on its devices."""
        return self._held("committed").committed

    def __len__(self) -> int:
        return len(self._held("len"))

    def __getitem__(self, index: Any) -> Any:
        return self._held("reading")[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        self._value = self._held("writing").at[index].set(value)

    def addupdate(self, index: Any, value: Any) -> None:
        """Adds `value` to the elements at `index`."""
        self._value = self._held("adding").at[index].add(value)

    def __repr__(self) -> str:
        return f"Ref({self._value!r})" if self._value is not None else "Ref(freed)"


av.register_value_type(Ref, lambda ref: ref.aval)


def new_ref(init_val: Any, *, memory_space: Any = None, kind: Any = None) -> Ref:
    """A reference to a copy of an array.

    Args:
        init_val: the array, or a number.
        memory_space: accepted for compatibility; there is one.
        kind: a name for what the reference is for.
    """
    value = creation.array(init_val)
    return Ref(types.AbstractRef(av.get_aval(value), memory_space, kind), value)


def empty_ref(ty: Any, memory_space: Any = None) -> Ref:
    """A reference to an array of zeros of the type `ty`, with `shape` and `dtype`."""
    return new_ref(creation.zeros(ty.shape, ty.dtype), memory_space=memory_space)


def free_ref(ref: Ref) -> None:
    """Ends a reference; using it again is an error."""
    ref._held("free_ref")
    ref._value = None


def freeze(ref: Ref) -> Any:
    """Ends a reference and returns its array."""
    value = ref._held("freeze")
    ref._value = None
    return value


def get(ref: Ref, idx: Any = None) -> Any:
    """The elements at `idx`; None: the whole array."""
    return ref[...] if idx is None else ref[idx]


def set(ref: Ref, idx: Any, value: Any) -> None:
    """Writes `value` at `idx`; None: over the whole array."""
    ref[... if idx is None else idx] = value


def swap(ref: Ref, idx: Any, value: Any, _function_name: str = "ref_swap") -> Any:
    """Writes `value` at `idx` and returns what was there."""
    index = ... if idx is None else idx
    old = ref[index]
    ref[index] = value
    return old


def addupdate(ref: Ref, idx: Any, x: Any) -> None:
    """Adds `x` to the elements at `idx`; None: to the whole array."""
    ref.addupdate(... if idx is None else idx, x)


traceback_filter.hide_frames(globals())
