"""References: arrays that change in place, as Python sees it.

A reference belongs to the trace under which it was made, its home, and holds a value of
that trace; an update puts another value in its place. Programs know nothing of this.
Where a function is traced to a program, a reference from outside becomes an input, and
its last value an output if it changed; the caller of the program gives it its value and
stores the result. So loops carry references, and branches pass them on.
"""

import numbers
from collections.abc import Sequence
from typing import Any

from jax._src.base import errors
from jax._src.core import avals as av, slots, state


class AbstractRef(av.AbstractValue):
    """The type of a reference to an array.

    Args:
        inner_aval: the type of the array.
        memory_space: where the array lies, None for the default.
        kind: a name for what the reference is for, or None.
    """

    __slots__ = ("inner_aval", "kind", "memory_space")

    def __init__(self, inner_aval: Any, memory_space: Any = None, kind: Any = None):
        self.inner_aval = inner_aval
        self.memory_space = memory_space
        self.kind = kind

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
        """Where the array lies, if its type says so."""
        return self.inner_aval.sharding

    def update(self, **changes: Any) -> "AbstractRef":
        """The same type with some fields changed."""
        names = ("inner_aval", "memory_space", "kind")
        return AbstractRef(**{**{n: getattr(self, n) for n in names}, **changes})

    def to_tangent_aval(self) -> "AbstractRef":
        return AbstractRef(self.inner_aval.to_tangent_aval())

    def _key(self):
        return self.inner_aval, self.memory_space, self.kind

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AbstractRef) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def str_short(self, short_dtypes: bool = False, **_: Any) -> str:
        return f"Ref{{{self.inner_aval.str_short(short_dtypes)}}}"

    def __repr__(self) -> str:
        return self.str_short()


def array_aval(aval: Any) -> Any:
    """The type of the array behind a reference; any other type as it is."""
    return aval.inner_aval if isinstance(aval, AbstractRef) else aval


def array_avals(avals: Sequence[Any]) -> list[Any]:
    """`array_aval` of each of several types."""
    return [array_aval(aval) for aval in avals]


class Ref:
    """A reference to an array; made by `jax.new_ref`.

    ``ref[index]`` reads, ``ref[index] = value`` writes; ``ref[...]`` is the whole array.

    Args:
        aval: the type of the reference.
        refs: the array that it holds.
    """

    __slots__ = ("__weakref__", "_aval", "_has_ended", "held", "home")

    def __init__(self, aval: AbstractRef, refs: Any):
        self._aval = aval
        self.held = refs
        # The trace whose value is held.
        self.home = state.current()
        self._has_ended = False

    def read(self) -> Any:
        """The whole array, as the current trace sees it.

        Raises:
            ValueError: the reference was freed or frozen.
            UnexpectedTracerError: it belongs to a trace that is not running here.
        """
        self.check_is_live("Reading a reference")
        return state.current().read_reference(self)

    def write(self, value: Any) -> None:
        """Puts another array in place of the one that is held.

        Raises:
            ValueError: the reference was freed or frozen, or outlives the value.
            UnexpectedTracerError: it belongs to a trace that is not running here.
        """
        self.check_is_live("Writing to a reference")
        wanted: Any = self._aval.inner_aval
        given: Any = av.get_aval(value)
        if type(value) in (bool, int, float, complex) or (
            (given.dtype, given.weak_type) != (wanted.dtype, wanted.weak_type)
        ):
            value = slots.convert(value, wanted.dtype, wanted.weak_type)
        # Over Explicit mesh axes the array stays where it was made.
        if wanted.is_placed and wanted.sharding.mesh.explicit_axes:
            value = slots.to_type(value, wanted)
        state.current().write_reference(self, value)

    def end(self) -> None:
        """Ends the reference: using it again is an error."""
        self.check_is_live("Freeing a reference")
        if self.home is not state.current():
            raise ValueError(
                errors.explain(
                    "A reference can be freed or frozen only where it was made.",
                    [("reference", repr(self._aval))],
                    ways="Read it with ref[...] instead.",
                )
            )
        self._has_ended = True

    @property
    def has_ended(self) -> bool:
        """Whether the reference was freed or frozen."""
        return self._has_ended

    def check_is_live(self, what: str) -> None:
        """Refuses a reference that has ended; `what` was asked of it.

        Raises:
            ValueError: it was freed or frozen.
        """
        if self._has_ended:
            raise ValueError(
                errors.explain(
                    f"{what}: it was freed or frozen.",
                    [("reference", repr(self._aval))],
                    "A frozen reference is an array from then on.",
                    "Use the array that jax.freeze returned, or make a new reference.",
                )
            )

    @property
    def aval(self) -> AbstractRef:
        """The type of the reference."""
        return self._aval

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array."""
        return self._aval.shape

    @property
    def dtype(self) -> Any:
        """The dtype of the array."""
        return self._aval.dtype

    @property
    def ndim(self) -> int:
        """The number of axes of the array."""
        return self._aval.ndim

    @property
    def size(self) -> int:
        """The number of elements of the array."""
        return self._aval.size

    @property
    def sharding(self) -> Any:
        """Where the array lies."""
        return self.read().sharding

    @property
    def format(self) -> Any:
        """Where and how the array lies."""
        return self.read().format

    @property
    def committed(self) -> bool:
        """Whether the array stays on its devices."""
        return self.read().committed

    def unsafe_buffer_pointer(self) -> int:
        """The address of the array."""
        return self.read().unsafe_buffer_pointer()

    @property
    def at(self) -> "PartOf":
        """Views: ``ref.at[index]`` is a reference to a part of the array."""
        return PartOf(self)

    def __len__(self) -> int:
        return len(self._aval.inner_aval)

    def __iter__(self) -> Any:
        return (self[index] for index in range(len(self)))

    def __getitem__(self, idx: Any) -> Any:
        return _read_part(self, idx)

    def __setitem__(self, idx: Any, x: Any) -> None:
        _write_part(self, idx, x, "set")

    def get(self) -> Any:
        """The whole array."""
        return self[...]

    def set(self, value: Any) -> None:
        """Writes `value` over the whole array."""
        self[...] = value

    def swap(self, value: Any) -> Any:
        """Writes `value` over the whole array and returns what was there."""
        old = self[...]
        self[...] = value
        return old

    def addupdate(self, x: Any, idx: Any = ()) -> None:
        """Adds `x` to the elements at `idx`, by default to all."""
        _write_part(self, idx, x, "add")

    def __copy__(self) -> "Ref":
        return Ref(self._aval, self.read())

    def __deepcopy__(self, memo: Any) -> "Ref":
        return self.__copy__()

    def __repr__(self) -> str:
        if self._has_ended:
            return "Ref(freed)"
        if self.home is not state.current() or not hasattr(self.held, "tolist"):
            return repr(self._aval)
        text = repr(self.held)
        return f"Ref({text.partition('(')[2].removesuffix(')')})"


class PartOf:
    """What ``ref.at`` is: index it to name the part."""

    __slots__ = ("whole",)

    def __init__(self, whole: Any):
        self.whole = whole

    def __getitem__(self, index: Any) -> "RefView":
        return RefView(self.whole, index)


class RefView:
    """A part of a reference, read and written as a reference itself."""

    __slots__ = ("index", "whole")

    def __init__(self, whole: Any, index: Any):
        self.whole = whole
        self.index = index

    def read(self) -> Any:
        """The part of the array."""
        return _read_part(self.whole, self.index)

    def write(self, value: Any) -> None:
        """Replaces the part of the array."""
        _write_part(self.whole, self.index, value, "set")

    @property
    def aval(self) -> AbstractRef:
        """The type of a reference to the part."""
        return AbstractRef(av.get_aval(self.read()))

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the part."""
        return self.read().shape

    @property
    def dtype(self) -> Any:
        """The dtype of the array."""
        return self.whole.dtype

    @property
    def ndim(self) -> int:
        """The number of axes of the part."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements of the part."""
        return self.read().size

    at = Ref.at
    __getitem__ = Ref.__getitem__
    __setitem__ = Ref.__setitem__
    get = Ref.get
    set = Ref.set
    swap = Ref.swap
    addupdate = Ref.addupdate

    def __repr__(self) -> str:
        return f"RefView({self.whole!r}, {self.index!r})"


av.register_value_type(Ref, lambda ref: ref.aval)


def _read_part(ref, index):
    held = ref.read()
    _check_places(held.shape, index)
    return held if index is Ellipsis else held[index]


def _write_part(ref, index, value, how):
    held = ref.read()
    _check_places(held.shape, index)
    _check_dtype(ref, value)
    if how == "set" and index is Ellipsis and av.get_aval(value).shape == held.shape:
        ref.write(value)
        return
    part = held.at[index]
    ref.write(part.set(value) if how == "set" else part.add(value))


def _check_places(shape, index):
    """Refuses whole numbers that are no places of an axis; arrays may hold any."""
    entries = index if isinstance(index, tuple) else (index,)
    if not all(map(_is_plain, entries)):
        return
    cut = next((i for i, e in enumerate(entries) if e is Ellipsis), len(entries))
    ahead = zip(entries[:cut], shape, strict=False)
    behind = zip(reversed(entries[cut + 1 :]), reversed(shape), strict=False)
    for place, size in (*ahead, *behind):
        if not isinstance(place, slice) and not -size <= place < size:
            raise ValueError(
                errors.explain(
                    "An index of a reference is out of bounds.",
                    [("index", str(place)), ("size of the axis", str(size))],
                    "A place that is known while the program is written exists.",
                )
            )


def _is_plain(entry):
    is_number = isinstance(entry, numbers.Integral) and not isinstance(entry, bool)
    return is_number or entry is Ellipsis or isinstance(entry, slice)


# Python numbers and weakly typed values become any dtype of their kind or a wider one.
_RANKS = {"b": 0, "i": 1, "u": 1, "f": 2, "V": 2, "c": 3}


def _check_dtype(ref, value):
    given, wanted = av.get_aval(value), ref.dtype
    if isinstance(given, AbstractRef):
        raise _not_an_array(value)
    if given.dtype == wanted:
        return
    if given.weak_type and _RANKS.get(given.dtype.kind, 9) <= _RANKS.get(
        getattr(wanted, "kind", ""), -1
    ):
        return
    raise ValueError(
        errors.explain(
            "A value of another dtype was written to a reference.",
            [
                ("reference", f"Ref{{{ref.dtype}{list(ref.shape)}}}"),
                ("value", given.str_short()),
            ],
            "A reference keeps its dtype, and nothing is converted unseen.",
            f"Convert the value: x.astype({ref.dtype}).",
        )
    )


def _not_an_array(ref):
    return TypeError(
        errors.explain(
            "A reference was given where an array is needed.",
            [("reference", repr(ref.aval))],
            "Operations take arrays.",
            "Read it: ref[...].",
        )
    )


def refuse_operand(x: Any) -> None:
    """Refuses a reference as operand of an operation.

    Raises:
        TypeError: `x` is one.
    """
    if type(x) is Ref:
        raise _not_an_array(x)


def unreachable(ref: Ref) -> Exception:
    """The error for a reference whose trace is not one of those that run here."""
    has_home = ref.home.is_alive
    return errors.UnexpectedTracerError(
        errors.explain(
            "A reference was used outside of the transformation under which it was made.",
            [
                ("reference", repr(ref.aval)),
                ("made under", ref.home.description or "a trace"),
                ("which", "is not running here" if has_home else "has ended"),
            ],
            "A reference lives as long as the function under whose trace it was made.",
            "Make it outside and pass it in, or return its array, ref[...].",
        )
    )


def refuse_value(ref: Ref, kind: str) -> None:
    """Refuses a value that a reference from outside cannot hold.

    Raises:
        ValueError: always; `kind` says what the value is.
    """
    ways = {
        "differentiated": "To keep the value only:  ref[...] = jax.lax.stop_gradient(x).",
        "batched": "To have one array per row:  pass the reference to the mapped function, "
        "with an entry in in_axes.",
    }
    raise ValueError(
        errors.explain(
            f"A {kind} value was written to a reference from outside the transformation.",
            [("reference", repr(ref.aval)), ("made under", _home_name(ref))],
            f"The reference has no place for {_MISSING[kind]}.",
            ways[kind] + "\nOr make the reference inside of the function.",
        )
    )


_MISSING = {"differentiated": "its tangent", "batched": "the rows of the value"}


def _home_name(ref):
    return ref.home.description or "evaluation"
