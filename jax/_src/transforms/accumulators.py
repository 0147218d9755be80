"""Objects to which backward rules add cotangents, one for each leaf of the arguments."""

from typing import Any

from jax._src.base import errors
from jax._src.core import avals as avals_lib, references
from jax._src.interpreters import ad
from jax._src.transforms import custom_rules


class GradAccum:
    """Takes the cotangent of one leaf, in as many parts as come."""

    aval: Any

    def accum(self, x: Any) -> None:
        """Adds a cotangent; None and a symbolic zero add nothing."""
        raise NotImplementedError(
            f"{type(self).__name__} has no `accum`: a GradAccum is one of ValAccum, "
            "RefAccum and NullAccum."
        )

    def freeze(self) -> Any:
        """The sum; a symbolic zero where nothing was added."""
        raise NotImplementedError(
            f"{type(self).__name__} has no `freeze`: a GradAccum is one of ValAccum, "
            "RefAccum and NullAccum."
        )


def _is_nothing(x):
    return x is None or isinstance(x, ad.Zero | ad.SymbolicZero)


class NullAccum(GradAccum):
    """Stands for a leaf that is not differentiated in: what is added is dropped."""

    def __init__(self, aval: Any):
        self.aval = aval

    def __repr__(self) -> str:
        return f"NullAccum({self.aval.str_short()})"

    def accum(self, x: Any) -> None:
        """Does nothing."""

    def freeze(self) -> Any:
        """A symbolic zero."""
        return ad.Zero(self.aval)


class ValAccum(GradAccum):
    """Keeps the sum as a value, `val`.

    Args:
        aval: the type of the cotangent.
        val: what the sum starts with; None: nothing.
    """

    def __init__(self, aval: Any, val: Any = None):
        self.aval = aval
        self.val = ad.Zero(aval) if val is None else val

    def __repr__(self) -> str:
        return f"ValAccum({self.aval.str_short()})"

    def accum(self, x: Any) -> None:
        """Adds a cotangent; None and a symbolic zero add nothing.

        Raises:
            ValueError: it is of another shape.
        """
        if _is_nothing(x):
            return
        given = avals_lib.get_aval(x)
        if not self.aval.is_high and getattr(given, "shape", None) != self.aval.shape:
            raise errors.value_error(
                f"Expected cotangent type {self.aval.str_short()} but got "
                f"{given.str_short()}.",
                [("accumulator", repr(self))],
                "A cotangent has the shape of the argument that it belongs to.",
            )
        if not self.aval.is_high:
            x = custom_rules.matched_tangent(x, self.aval)
        is_first = isinstance(self.val, ad.Zero)
        self.val = x if is_first else ad.add_tangents(self.val, x)

    def freeze(self) -> Any:
        """The sum; a symbolic zero where nothing was added."""
        return self.val


class RefAccum(GradAccum):
    """Adds to a reference, `ref`.

    Args:
        aval: the type of the cotangent.
        ref: the reference; None: one of zeros, made when something is added.
    """

    def __init__(self, aval: Any, ref: Any = None):
        self.aval = aval
        self.ref = ref

    def __repr__(self) -> str:
        return f"RefAccum({self.aval.str_short()})"

    def inst(self) -> "RefAccum":
        """Makes the reference unless there is one; returns the accumulator."""
        if self.ref is None:
            zeros = ad.Zero(self.aval).instantiate()
            self.ref = references.Ref(references.AbstractRef(self.aval), zeros)
        return self

    def accum(self, x: Any) -> None:
        """Adds a cotangent; None and a symbolic zero add nothing."""
        if not _is_nothing(x):
            self.inst().ref.addupdate(x)

    def freeze(self) -> Any:
        """What the reference holds; a symbolic zero without one."""
        return ad.Zero(self.aval) if self.ref is None else self.ref[...]


def is_accumulator(x: Any) -> bool:
    """Whether an object is one of these."""
    return isinstance(x, GradAccum)
