"""What special functions share: promotion, half precision, derivatives, series."""

from __future__ import annotations

import functools as ft
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jax._src import dtypes, tree as trees
from jax._src.base import errors, options
from jax._src.interpreters import ad
from jax._src.numpy import lax_api as lax, numpy_api as jnp, operands as operands_lib
from jax._src.numpy.jit_wrapper import jit_of_floats
from jax._src.transforms.custom_jvp import custom_jvp
from jax._src.transforms.differentiate import jvp as forward_derivative

Array = Any
ArrayLike = Any

# Of Python numbers these give strongly typed results, as in JAX 0.10.2; the others weak ones.
_STRONG = frozenset(
    "beta dawsn erfcx exp1 expi expn fresnel gamma gammasgn hyp1f1 log_ndtr ndtr ndtri "
    "owens_t poch sici spence wofz hyp2f1".split()
)

# What else than a TypeError complex operands of these are, as in JAX 0.10.2.
_REFUSED_AS = dict.fromkeys(
    "beta betainc dawsn entr exp1 expi expn gammasgn hyp1f1 kl_div poch polygamma rel_entr "
    "sici".split(),
    ValueError,
) | {"fresnel": NotImplementedError}

# These take lists of numbers too, as in JAX 0.10.2.
_TAKES_LISTS = frozenset("expn hyp1f1 hyp2f1 spence".split())

# The slope in an operand that has no closed form: the derivative of the program.
BY_FORWARD_MODE = object()


def special(
    name: str,
    operands: str,
    compute: Callable,
    slopes: Sequence | None = None,
    *,
    on_complex: Callable | None = None,
    in_double: bool = True,
    narrow: Callable | None = None,
    doc: str,
) -> Callable:
    """A function of `jax.scipy.special` that acts on corresponding elements.

    Args:
        name: its name.
        operands: the names of its operands, separated by spaces.
        compute: from float32 or float64 arrays of one shape to the result.
        slopes: per operand the partial derivative, a function of the operands and the
            result, or `BY_FORWARD_MODE`; None: `compute` is differentiated itself.
        on_complex: what to compute instead for complex operands; None: they are refused.
        in_double: whether results of float32 are computed in float64, with the slopes.
        narrow: what computes float32 nevertheless, where that is exact enough; the slopes
            stay in float64.
        doc: what it computes; shapes and dtypes are added.
    """
    names = operands.split()
    full_name = f"jax.scipy.special.{name}"
    if in_double:
        slopes = slopes or [BY_FORWARD_MODE] * len(names)
        core = in_double_with_slopes(compute, slopes, narrow)
    else:
        core = compute if slopes is None else with_slopes(compute, slopes)
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    signature = inspect.Signature([inspect.Parameter(n, kind) for n in names])

    def function(*args, **kwargs):
        given = signature.bind(*args, **kwargs).args
        if name in _TAKES_LISTS:
            given = [of_list(x) for x in given]
        xs = operands_lib.promote_args_inexact(full_name, *given)
        xs = operands_lib.broadcast_arrays(full_name, *xs)
        if operands_lib.kind_of(xs[0]) == "c":
            if on_complex is None:
                refuse_complex(full_name, names, xs)
            return on_complex(*xs)
        out = in_wide_precision(core, *xs)
        if name not in _STRONG and dtypes.is_weakly_typed(xs[0]):
            out = trees.tree_map(
                lambda o: operands_lib.convert(o, operands_lib.dtype_of(o), True), out
            )
        return out

    function.__name__ = function.__qualname__ = name
    function.__module__ = "jax.scipy.special"
    function.__signature__ = signature
    lines = "\n".join(f"    {n}: array; integers become floats." for n in names)
    function.__doc__ = (
        f"{doc}\n\nArgs:\n{lines}\n\nOperands broadcast together.\n\n"
        "Raises:\n    TypeError: an operand is no array or number"
        + (".\n" if on_complex else ", or complex.\n")
        + "    TypeError or ValueError: the shapes do not broadcast.\n"
        * (len(names) > 1)
    )
    return jit_of_floats(function)


def of_list(x: Any) -> Any:
    """A list or tuple of numbers as an array; anything else as it is."""
    return jnp.asarray(x) if isinstance(x, list | tuple) else x


def refuse_complex(name: str, names: Sequence[str], xs: Sequence[Array]) -> None:
    """Raises TypeError, or the error of `_REFUSED_AS`: the function takes real numbers."""
    raise _REFUSED_AS.get(name.rpartition(".")[2], TypeError)(
        errors.explain(
            f"{name} does not support complex-valued inputs.",
            [(n, operands_lib.type_name(x)) for n, x in zip(names, xs, strict=True)],
            "This function takes real numbers.",
        )
    )


def in_wide_precision(compute: Callable, *xs: Array) -> Any:
    """Applies `compute` in float32 to halves, whose precision is too small for series."""
    dtype = operands_lib.dtype_of(xs[0])
    if dtype.itemsize > 2:
        return compute(*(operands_lib.strong(x) for x in xs))
    out = compute(*(operands_lib.convert(x, np.dtype(np.float32)) for x in xs))
    if isinstance(out, tuple):
        return tuple(operands_lib.convert(o, dtype) for o in out)
    return operands_lib.convert(out, dtype)


def in_double_precision(compute: Callable) -> Callable:
    """`compute` in float64, its results rounded once to the operands' dtype.

    Series, reflections and exponentials of large logarithms lose digits; of those of
    float64 so few that float32 does not show it.
    """

    @ft.wraps(compute)
    def run(*xs):
        dtype = operands_lib.dtype_of(xs[0])
        # Without the setting, NumPy's promotion would narrow what is computed.
        with options.enable_x64(True):
            out = compute(*(lax.convert(x, np.dtype(np.float64)) for x in xs))
        if isinstance(out, tuple):
            return tuple(lax.convert(o, dtype) for o in out)
        return lax.convert(out, dtype)

    run.__signature__ = inspect.signature(compute)
    return run


def in_double_with_slopes(
    compute: Callable, slopes: Sequence, narrow: Callable | None = None
) -> Callable:
    """`compute` in float64 with its slopes, which see the result before it is rounded.

    Derivatives of slopes are taken by forward mode within the wider computation: what is
    transposed is of the operands' own dtype.
    """
    count = len(slopes)

    def wide(slope):
        if slope is BY_FORWARD_MODE:
            return slope

        def run(*xs):
            return slope(*xs, compute(*xs))

        run.__signature__ = inspect.signature(compute)
        found = with_slopes(in_double_precision(run), [BY_FORWARD_MODE] * count)
        return lambda *args: found(*args[:count])

    value = narrow or in_double_precision(compute)
    return with_slopes(value, [wide(s) for s in slopes])


def with_slopes(compute: Callable, slopes: Sequence) -> Callable:
    """`compute` with the given partial derivatives; results may be a tuple.

    The slope of a function with several results returns as many.
    """
    function = custom_jvp(compute)

    def rule(primals, tangents):
        out = function(*primals)
        total = None
        for i, tangent in enumerate(tangents):
            if isinstance(tangent, ad.SymbolicZero):
                continue
            slope = slopes[i]
            if slope is BY_FORWARD_MODE:
                found = partial_derivative(compute, i)(*primals)
            else:
                found = slope(*primals, out)
            parts = _times(found, tangent)
            total = parts if total is None else _plus(total, parts)
        return out, total

    function.defjvp(rule, symbolic_zeros=True)
    return function


def _times(found, tangent):
    if isinstance(found, tuple):
        return tuple(f * tangent for f in found)
    return found * tangent


def _plus(a, b):
    if isinstance(a, tuple):
        return tuple(x + y for x, y in zip(a, b, strict=True))
    return a + b


@ft.cache
def partial_derivative(compute: Callable, operand: int) -> Callable:
    """The derivative in one operand, by forward mode: loops have no other.

    The result can be differentiated again, in reverse mode too, in the same way.
    """

    def derivative(*xs):
        # The other operands have no tangents: not every one has a derivative.
        def of_one(x):
            return compute(*xs[:operand], x, *xs[operand + 1 :])

        x = xs[operand]
        return forward_derivative(of_one, (x,), (jnp.ones_like(x),))[1]

    count = len(inspect.signature(compute).parameters)
    slopes = [BY_FORWARD_MODE] * count
    # Operands are named so that the second derivative can be requested too.
    derivative.__signature__ = inspect.signature(compute)
    return with_slopes(derivative, slopes)


def epsilon(x: Array) -> float:
    """The distance from 1 to the next number of this precision."""
    return float(np.finfo(operands_lib.dtype_of(x)).eps)


def clenshaw(t: Array, coefficients: Sequence[float]) -> Array:
    """The sum of Chebyshev polynomials at `t` in [-1, 1] (Clenshaw, 1955)."""
    small = 0.0 if operands_lib.dtype_of(t) == np.float64 else 1e-9
    kept = list(coefficients)
    while len(kept) > 1 and abs(kept[-1]) <= small * abs(kept[0]):
        kept.pop()
    later, latest = jnp.zeros_like(t), jnp.zeros_like(t)
    for c in kept[:0:-1]:
        later, latest = 2 * t * later - latest + c, later
    return t * later - latest + kept[0]


def inside(x: Array, low: float, high: float) -> Array:
    """`x`, moved into an interval where it is outside, so that nothing overflows."""
    return jnp.clip(x, low, high)
