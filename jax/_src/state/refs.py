"""Making references to arrays that change, and functions for what their methods do."""

from typing import Any

from jax._src.base import errors, traceback_filter
from jax._src.core import avals, references
from jax._src.numpy import creation

Ref = references.Ref


def new_ref(
    init_val: Any, *, memory_space: Any = None, kind: Any = None, pin: bool = False
) -> Ref:
    """A reference to a copy of an array.

    Args:
        init_val: the array, or a number.
        memory_space: accepted for compatibility; there is one.
        kind: a name for what the reference is for.
        pin: must be false.

    Returns:
        The reference, of the dtype of `init_val` from then on. It may be read and
        written in functions under `jit` and in loops and branches, whether they get it
        as an argument or use it from outside; and in functions that are differentiated
        or mapped, where values that vary with the transformation need a reference made
        inside.

    Raises:
        TypeError: `init_val` is no array. NotImplementedError: `pin` is true.

    Examples:
        >>> counter = jax.new_ref(0)
        >>> @jax.jit
        ... def step(x):
        ...     counter[...] += 1
        ...     return x * 2
        >>> step(1.0), step(2.0), counter[...]
        (Array(2., dtype=float32, weak_type=True), Array(4., dtype=float32, weak_type=True), Array(2, dtype=int32, weak_type=True))
    """
    if pin:
        raise errors.not_implemented(
            "new_ref: pin=True is not supported.",
            [("pin", repr(pin))],
            "A reference has its memory for as long as it lives anyway.",
            "Leave it out.",
        )
    references.refuse_operand(init_val)
    if not avals.is_value(init_val):
        raise avals.not_a_value(init_val, "jax.new_ref")
    value = creation.array(init_val)
    aval = avals.get_aval(value)
    if isinstance(aval, avals.ShapedArray) and not aval.sharding.mesh.explicit_axes:
        aval = aval.update(sharding=None)
    return Ref(references.AbstractRef(aval, memory_space, kind), value)


def empty_ref(ty: Any, memory_space: Any = None, pin: bool = False) -> Ref:
    """A reference to an array of zeros of the type `ty`, with `shape` and `dtype`.

    Args:
        ty: a `jax.ShapeDtypeStruct`, or another object with `shape` and `dtype`.
        memory_space: accepted, and without effect here.
        pin: must be false.

    Raises:
        AttributeError: `ty` has no shape. NotImplementedError: `pin` is true.
    """
    zeros = creation.zeros(ty.shape, ty.dtype)
    return new_ref(zeros, memory_space=memory_space, pin=pin)


def free_ref(ref: Ref) -> None:
    """Ends a reference, where it was made; using it again is an error.

    Args:
        ref: the reference.

    Raises:
        AttributeError: `ref` is no reference. ValueError: another trace made it.
    """
    ref.end()


def freeze(ref: Ref) -> Any:
    """Ends a reference, where it was made, and returns its array.

    Args:
        ref: the reference.

    Returns:
        Array of the shape and dtype of the reference.

    Raises:
        AttributeError: `ref` is no reference. ValueError: another trace made it.
    """
    value = ref.read()
    ref.end()
    return value


def get(ref: Any, idx: Any = None) -> Any:
    """The elements at `idx`; None: the whole array."""
    return ref[...] if idx is None else ref[idx]


def set(ref: Any, idx: Any, value: Any) -> None:
    """Writes `value` at `idx`; None: over the whole array."""
    ref[... if idx is None else idx] = value


def swap(ref: Any, idx: Any, value: Any, _function_name: str = "ref_swap") -> Any:
    """Writes `value` at `idx` and returns what was there."""
    index = ... if idx is None else idx
    old = ref[index]
    ref[index] = value
    return old


def addupdate(ref: Any, idx: Any, x: Any) -> None:
    """Adds `x` to the elements at `idx`; None: to the whole array."""
    ref.addupdate(x, ... if idx is None else idx)


traceback_filter.hide_frames(globals())
