"""References: arrays that change in place, as Python sees it.

A reference belongs to the trace under which it was made, its home, and holds a value of
that trace; an update replaces it. Programs know nothing of this.
Where a function is traced to a program, a reference from outside becomes an input, and
its last value an output if it changed; the caller of the program gives it its value and
stores the result. So loops carry references, and branches pass them on.
"""

from typing import Any

from jax._src.base import errors
from jax._src.core import (
    aval_members,
    avals,
    reference_types,
    reference_views,
    slots,
    state,
)

AbstractRef = reference_types.AbstractRef
array_aval = reference_types.array_aval
array_avals = reference_types.array_avals


class Ref(reference_views.AbstractView):
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

    def is_current(self) -> bool:
        """Whether the array behind it still has the reference's type."""
        return True

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
        given: Any = avals.get_aval(value)
        if type(value) in (bool, int, float, complex) or (
            (given.dtype, given.weak_type) != (wanted.dtype, wanted.weak_type)
        ):
            value = slots.convert(value, wanted.dtype, wanted.weak_type)
        # Over Explicit mesh axes the sharding of the array stays as it was.
        if wanted.is_placed and wanted.sharding.mesh.explicit_axes:
            value = slots.to_type(value, wanted)
        state.current().write_reference(self, value)

    def end(self) -> None:
        """Ends the reference: using it again is an error."""
        self.check_is_live("Freeing a reference")
        if self.home is not state.current():
            raise errors.value_error(
                "A reference can be freed or frozen only where it was made.",
                [("reference", repr(self._aval))],
                ways="Read it with ref[...] instead.",
            )
        self._has_ended = True

    def check_is_live(self, what: str) -> None:
        """Refuses a reference that has ended; `what` names the operation.

        Raises:
            ValueError: it was freed or frozen.
        """
        if self._has_ended:
            raise errors.value_error(
                f"{what}: it was freed or frozen.",
                [("reference", repr(self._aval))],
                "A frozen reference is an array from then on.",
                "Use the array that jax.freeze returned, or make a new reference.",
            )

    @property
    def aval(self) -> AbstractRef:
        """The type of the reference."""
        return self._aval

    @property
    def access(self) -> Any:  # type: ignore[override]
        """The rules for parts of it; None: those of arrays outside kernels."""
        return self._aval.access

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
        """The sharding of the array."""
        return self.read().sharding

    @property
    def format(self) -> Any:
        """The sharding and layout of the array."""
        return self.read().format

    @property
    def committed(self) -> bool:
        """Whether the array stays on its devices."""
        return self.read().committed

    def unsafe_buffer_pointer(self) -> int:
        """The address of the array."""
        return self.read().unsafe_buffer_pointer()

    def __len__(self) -> int:
        return len(self._aval.inner_aval)

    def __iter__(self) -> Any:
        return (self[index] for index in range(len(self)))

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


Ref.__module__ = "jax"


avals.register_value_type(Ref, lambda ref: ref.aval)
aval_members.give_to_type(AbstractRef, reference_views.members())


def refuse_operand(x: Any) -> None:
    """Refuses a reference as operand of an operation.

    Raises:
        TypeError: `x` is one.
    """
    if type(x) is Ref:
        raise reference_views.not_an_array(x)


def unreachable(ref: Ref) -> Exception:
    """Returns the error for a reference whose trace is not running."""
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
        "foreign": "To keep the array behind it:  write it outside of the library's function.",
    }
    raise errors.value_error(
        f"A {kind} value was written to a reference from outside the transformation.",
        [("reference", repr(ref.aval)), ("made under", _home_name(ref))],
        f"The reference cannot hold {_MISSING[kind]}.",
        ways[kind] + "\nOr make the reference inside of the function.",
    )


_MISSING = {
    "differentiated": "its tangent",
    "batched": "the rows of the value",
    "foreign": "what a library's trace knows of it",
}


def _home_name(ref):
    return ref.home.description or "evaluation"
