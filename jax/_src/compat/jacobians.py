"""The parts of `jacfwd`, `jacrev` and `grad` that libraries build derivatives of their own with."""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from jax._src import dtypes, tree
from jax._src.base import scalars
from jax._src.core import avals
from jax._src.lax import jacobians
from jax._src.lax.ops import complex_parts, conversion
from jax._src.transforms import differentiate


def std_basis(pytree: Any) -> Any:
    """All directions of a tree of arrays: each leaf gets a leading axis of their number."""
    leaves, structure = tree.tree_flatten(pytree)
    return tree.tree_unflatten(structure, jacobians.basis(leaves))


def unravel_array_into_pytree(
    pytree: Any, axis: int, example: Any, arr: Any, specs: Any = None
) -> Any:
    """Cuts an array along an axis into the leaves of a tree.

    Args:
        pytree: a tree of arrays, whose sizes add up to that of the axis.
        axis: the axis, which the axes of each leaf replace.
        example: an array with the dtype of the results.
        arr: the array.
        specs: accepted: the pieces are sharded as their array.
    """
    leaves, structure = tree.tree_flatten(pytree)
    pieces = jacobians.cut(arr, leaves, axis % arr.ndim)
    return tree.tree_unflatten(structure, [_like(p, example) for p in pieces])


def _like(piece, example):
    aval = avals.get_aval(example)
    if piece.dtype == scalars.float0 or dtypes.is_extended(piece.dtype):
        return piece
    if piece.dtype.kind == "c" and aval.dtype.kind != "c":
        piece = complex_parts.real(piece)
    return conversion.convert(piece, aval.dtype, aval.weak_type)


def jacfwd_unravel(input_pytree: Any, output_pytree_leaf: Any, arr: Any) -> Any:
    """The derivatives of one result, stacked along the last axis, as a tree like the inputs."""
    return unravel_array_into_pytree(input_pytree, -1, output_pytree_leaf, arr)


def jacrev_unravel(output_pytree: Any, input_pytree_leaf: Any, arr: Any) -> Any:
    """The derivatives in one input, stacked along the first axis, as a tree like the results."""
    return unravel_array_into_pytree(output_pytree, 0, input_pytree_leaf, arr)


def jvp(fun: Callable, primals: Any, tangents: Any, has_aux: bool = False) -> Any:
    """`jax.jvp` of a function, which may be a wrapped one."""
    call = getattr(fun, "call_wrapped", fun)
    return differentiate.jvp(call, primals, tangents, has_aux=has_aux)


def _dtype(x):
    return np.dtype(dtypes.dtype(x))


_HOLOMORPHIC = (
    " For holomorphic differentiation, pass holomorphic=True. For differentiation of "
    "non-holomorphic functions involving complex {}, use {} directly."
)


def _require_complex(name, what, dtype):
    if dtype.kind != "c":
        raise TypeError(
            f"{name} with holomorphic=True requires {what} with complex dtype, but got "
            f"{dtype.name}."
        )


def check_input_dtype_jacfwd(holomorphic: bool, x: Any) -> None:
    """Raises TypeError where `jacfwd` has no derivative in a value."""
    dtype = _dtype(x)
    if holomorphic:
        _require_complex("jacfwd", "inputs", dtype)
    elif not _is_real(dtype):
        raise TypeError(
            "jacfwd requires real-valued inputs (input dtype that is a sub-dtype of "
            f"np.floating), but got {dtype.name}."
            + _HOLOMORPHIC.format("inputs", "jax.jvp")
        )


def check_output_dtype_jacfwd(holomorphic: bool, x: Any) -> None:
    """Raises TypeError where a result of a holomorphic function is not complex."""
    if holomorphic:
        _require_complex("jacfwd", "outputs", _dtype(x))


def _is_real(dtype):
    return scalars.is_inexact(dtype) and dtype.kind != "c"


def check_input_dtype(name: str, holomorphic: bool, allow_int: bool, x: Any) -> None:
    """Raises TypeError where a reverse-mode transformation has no derivative in a value."""
    dtype = _dtype(x)
    if dtypes.is_extended(dtype):
        raise TypeError(f"{name} cannot be applied to inputs of dtype {dtype.name}.")
    if holomorphic:
        _require_complex(name, "inputs", dtype)
    elif not allow_int and not scalars.is_inexact(dtype):
        raise TypeError(
            f"{name} requires real- or complex-valued inputs (input dtype that is a "
            f"sub-dtype of np.inexact), but got {dtype.name}. If you want to use Boolean- "
            "or integer-valued inputs, use vjp or set allow_int to True."
        )


def check_output_dtype(name: str, holomorphic: bool, x: Any) -> None:
    """Raises TypeError where a reverse-mode transformation has no derivative of a result."""
    dtype = _dtype(x)
    wanted = (
        f"{name} requires real-valued outputs (output dtype that is a sub-dtype of "
        f"np.floating), but got {dtype.name}."
    )
    if holomorphic:
        _require_complex(name, "outputs", dtype)
    elif dtype.kind == "c":
        raise TypeError(wanted + _HOLOMORPHIC.format("outputs", "jax.vjp"))
    elif not scalars.is_inexact(dtype):
        raise TypeError(
            f"{wanted} For differentiation of functions with integer outputs, use "
            "jax.vjp directly."
        )


check_input_dtype_grad = functools.partial(check_input_dtype, "grad")
check_output_dtype_grad = functools.partial(check_output_dtype, "grad")
check_input_dtype_jacrev = functools.partial(check_input_dtype, "jacrev")
check_output_dtype_jacrev = functools.partial(check_output_dtype, "jacrev")


def check_scalar(x: Any) -> None:
    """Raises TypeError unless a value is a scalar, as the result that `grad` differentiates."""
    rule = "Gradient only defined for scalar-output functions."
    try:
        aval = avals.get_aval(x)
    except TypeError:
        raise TypeError(f"{rule} Output was {x}.") from None
    if getattr(aval, "shape", None) is None:
        raise TypeError(f"{rule} Output had abstract value {aval}.")
    if aval.shape != ():
        raise TypeError(f"{rule} Output had shape: {aval.shape}.")
