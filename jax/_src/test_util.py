"""Derivatives compared with central differences, for tests of functions and of rules.

Each comparison looks along one random direction, so it costs two evaluations however
large the arguments are.
"""

import functools as ft
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from jax._src import dtypes as dtypes_lib, tree
from jax._src.base import errors, scalars
from jax._src.transforms import differentiate

# Relative and absolute tolerance by dtype of the result.
_TOLERANCE = {
    "bfloat16": 1e-1,
    "float16": 1e-2,
    "float32": 2e-3,
    "complex64": 2e-3,
    "float64": 1e-5,
    "complex128": 1e-5,
}
_DEFAULT_STEP = 1e-4
# Tolerance of one element where values, not derivatives, are compared.
_CLOSE = {
    "bfloat16": 1e-2,
    "float16": 1e-3,
    "float32": 1e-6,
    "complex64": 1e-6,
    "float64": 1e-15,
    "complex128": 1e-15,
}
_COARSE = 1e-1

# A number for all dtypes, or numbers by dtype or its name.
Tolerance = float | Mapping[Any, float] | None


def _is_differentiable(x: Any) -> bool:
    return scalars.is_inexact(dtypes_lib.dtype(x))


def _wide(dtype):
    is_complex = np.issubdtype(dtype, np.complexfloating)
    return np.complex128 if is_complex else np.float64


def _best_step(args):
    """The cube root of the unit of rounding: there both errors of the difference meet."""
    names = [
        dtypes_lib.dtype(x) for x in tree.tree_leaves(args) if _is_differentiable(x)
    ]
    epsilons = [float(dtypes_lib.finfo(name).eps) for name in names]
    return max(epsilons, default=1e-12) ** (1 / 3)


def _tolerance_of(x):
    return _TOLERANCE.get(np.dtype(dtypes_lib.dtype(x)).name, 1e-5)


def _for_dtype(given: Tolerance, dtype: Any, default: float) -> float:
    """The tolerance that was given for a dtype; `default` where none was."""
    if given is None:
        return default
    if not isinstance(given, Mapping):
        return given
    by_dtype = {np.dtype(key): value for key, value in given.items()}
    return by_dtype.get(np.dtype(dtype), default)


def _direction(generator, x):
    """A random direction; no element is near zero, or it would hide an error there."""
    array = np.asarray(x)
    if not _is_differentiable(x):
        return np.zeros(array.shape, scalars.float0)
    values = _away_from_zero(generator, array.shape)
    if _wide(array.dtype) is np.complex128:
        values = values + 1j * _away_from_zero(generator, array.shape)
    return np.asarray(values).astype(array.dtype)


def _away_from_zero(generator, shape):
    return generator.uniform(0.7, 1.4, shape) * generator.choice([-1.0, 1.0], shape)


def _moved(x, direction, step):
    if not _is_differentiable(x):
        return x
    array = np.asarray(x)
    wide = _wide(array.dtype)
    shifted = array.astype(wide) + step * np.asarray(direction).astype(wide)
    return shifted.astype(array.dtype)


def _numerical_derivative(f, args, directions, step):
    """The central difference of `f` along `directions`, as float64 or complex128."""
    after = f(*tree.tree_map(lambda x, d: _moved(x, d, step), args, directions))
    before = f(*tree.tree_map(lambda x, d: _moved(x, d, -step), args, directions))

    def slope(a, b):
        if not _is_differentiable(a):
            return None
        wide = _wide(np.asarray(a).dtype)
        return (np.asarray(a).astype(wide) - np.asarray(b).astype(wide)) / (2 * step)

    return tree.tree_map(slope, after, before)


def _compare(got, expected, like, atol, rtol, what, message):
    """Raises AssertionError where two arrays differ by more than the tolerance."""
    if np.asarray(expected).dtype == scalars.float0:
        return
    default, dtype = _tolerance_of(like), dtypes_lib.dtype(like)
    np.testing.assert_allclose(
        np.asarray(got).astype(np.asarray(expected).dtype),
        expected,
        rtol=_for_dtype(rtol, dtype, default),
        atol=_for_dtype(atol, dtype, default),
        err_msg=f"{message}{': ' if message else ''}{what}",
    )


def _inner(x, y):
    """Re <x, y> in float64."""
    if not _is_differentiable(x):
        return 0.0
    wide = np.complex128
    product = np.asarray(x).astype(wide) * np.asarray(y).astype(wide)
    return float(np.sum(product.real))


def _check_tuple(args, what):
    if not isinstance(args, tuple | list):
        raise errors.type_error(
            f"{what}: the arguments must be a tuple.",
            [("got", type(args).__name__)],
            ways=f"For one argument: {what}(f, (x,), …).",
        )


def _prepared(args, what):
    """The arguments as a tuple, the source of random numbers, and a direction."""
    _check_tuple(args, what)
    generator = np.random.default_rng(0)
    directions = tree.tree_map(ft.partial(_direction, generator), tuple(args))
    return tuple(args), generator, directions


def _checked_results(f, args, out, check, what):
    """The results of `f`, with which those of a derivative must agree."""
    expected = f(*args)
    tree.tree_map(
        lambda got, want: check(got, np.asarray(want), want, what=what), out, expected
    )
    return expected


def check_jvp(
    f: Callable,
    f_jvp: Callable,
    args: Sequence[Any],
    atol: Tolerance = None,
    rtol: Tolerance = None,
    eps: float = _DEFAULT_STEP,
    err_msg: str = "",
) -> None:
    """Compares a forward derivative with central differences, along one random direction.

    Args:
        f: a function of trees of arrays.
        f_jvp: from primals and tangents to results and their tangents; most often
            ``functools.partial(jax.jvp, f)``.
        args: the arguments at which to look.
        atol: absolute tolerance, or several by dtype; None: by the dtype of the results.
        rtol: relative tolerance, or several by dtype; None: by the dtype of the results.
        eps: the step of the difference.
        err_msg: what to put before the message.

    Raises:
        AssertionError: results or derivatives do not agree.
    """
    args, _, directions = _prepared(args, "check_jvp")
    out, out_tangent = f_jvp(args, directions)
    check = ft.partial(_compare, atol=atol, rtol=rtol, message=err_msg)
    expected_out = _checked_results(f, args, out, check, "result of the jvp")
    expected = _numerical_derivative(f, args, directions, eps)
    flat = zip(
        tree.tree_leaves(out_tangent),
        tree.tree_leaves(expected, is_leaf=lambda x: x is None),
        tree.tree_leaves(expected_out),
        strict=True,
    )
    for got, want, like in flat:
        if want is not None:
            check(got, want, like, what="tangent of the result")


def check_vjp(
    f: Callable,
    f_vjp: Callable,
    args: Sequence[Any],
    atol: Tolerance = None,
    rtol: Tolerance = None,
    eps: float = _DEFAULT_STEP,
    err_msg: str = "",
) -> None:
    """Compares a reverse derivative with central differences, along one random direction.

    For a direction ``t`` of the arguments and ``c`` of the results, ``<c, J t>`` must be
    ``<Jᵀ c, t>``, where ``J t`` is the central difference.

    Args:
        f: a function of trees of arrays.
        f_vjp: from arguments to results and the function that pulls cotangents back;
            most often ``functools.partial(jax.vjp, f)``.
        args: the arguments at which to look.
        atol: absolute tolerance, or several by dtype; None: by the dtype of the results.
        rtol: relative tolerance, or several by dtype; None: by the dtype of the results.
        eps: the step of the difference.
        err_msg: what to put before the message.

    Raises:
        AssertionError: results or derivatives do not agree.
    """
    args, generator, directions = _prepared(args, "check_vjp")
    out, pull_back = f_vjp(*args)
    check = ft.partial(_compare, atol=atol, rtol=rtol, message=err_msg)
    expected_out = _checked_results(f, args, out, check, "result of the vjp")
    cts = tree.tree_map(ft.partial(_direction, generator), expected_out)
    found = pull_back(cts)
    slopes = _numerical_derivative(f, args, directions, eps)
    pairs = zip(
        tree.tree_leaves(slopes, is_leaf=lambda x: x is None),
        tree.tree_leaves(cts),
        strict=True,
    )
    expected = sum(_inner(s, c) for s, c in pairs if s is not None)
    got = sum(
        _inner(d, c)
        for d, c in zip(
            tree.tree_leaves(directions), tree.tree_leaves(found), strict=True
        )
    )
    leaves = [
        x for x in tree.tree_leaves((args, expected_out)) if _is_differentiable(x)
    ]
    if leaves:
        coarsest = max(leaves, key=_tolerance_of)
        check(got, np.float64(expected), coarsest, what="cotangent along a direction")


def check_grads(
    f: Callable,
    args: Sequence[Any],
    order: int,
    modes: str | Sequence[str] = ("fwd", "rev"),
    atol: Tolerance = None,
    rtol: Tolerance = None,
    eps: float | None = None,
) -> None:
    """Compares derivatives up to an order with central differences.

    Every mixture of modes is looked at: forward over reverse, reverse over forward, and
    so on. Each comparison looks along one random direction.

    Args:
        f: a function of trees of arrays.
        args: the arguments at which to look.
        order: up to which order, at least 1.
        modes: some of "fwd", "rev" and "lin" (forward by `jax.linearize`), or one of them.
        atol: absolute tolerance, or several by dtype; None: by the dtype of the results.
        rtol: relative tolerance, or several by dtype; None: by the dtype of the results.
        eps: the step of the difference; None: the cube root of the dtype's epsilon, and
            where that disagrees, as it may beside a kink, 1e-4.

    Raises:
        AssertionError: derivatives do not agree.
        ValueError: a mode is none of them.
    """
    _check_tuple(args, "check_grads")
    modes = (modes,) if isinstance(modes, str) else modes
    unknown = [mode for mode in modes if mode not in _DERIVED]
    if unknown:
        raise errors.value_error(
            "check_grads: a mode is not known.",
            [("modes", ", ".join(map(repr, modes)))],
            'Modes are "fwd", "rev" and "lin".',
        )
    check = ft.partial(_check_order, f, tuple(args), order, modes, atol, rtol)
    try:
        check(_best_step(args) if eps is None else eps, "")
    except AssertionError as error:
        if eps is not None:
            raise
        try:
            check(_DEFAULT_STEP, "")
        except AssertionError:
            raise error from None


def _check_order(f, args, order, modes, atol, rtol, step, path):
    generator = np.random.default_rng(order)
    for mode in modes:
        here = f"{path} {mode}".strip()
        if mode == "rev":
            check_vjp(f, ft.partial(differentiate.vjp, f), args, atol, rtol, step, here)
        else:
            derivative = ft.partial(_FORWARD[mode], f)
            check_jvp(f, derivative, args, atol, rtol, step, here)
        if order > 1:
            further = _DERIVED[mode](f, args, generator)
            _check_order(further, args, order - 1, modes, atol, rtol, step, here)


def _jvp_by_linearize(f, primals, tangents):
    out, derivative = differentiate.linearize(f, *primals)
    return out, derivative(*tangents)


# How each mode that goes forward computes a derivative.
_FORWARD = {"fwd": differentiate.jvp, "lin": _jvp_by_linearize}


def _tangent_function(derivative, f, args, generator):
    directions = tree.tree_map(ft.partial(_direction, generator), args)

    def tangents(*xs):
        return derivative(f, xs, directions)

    return tangents


def _cotangent_function(f, args, generator):
    cts = tree.tree_map(ft.partial(_direction, generator), f(*args))

    def cotangents(*xs):
        out, pull_back = differentiate.vjp(f, *xs)
        found = tree.tree_leaves(pull_back(cts))
        return out, [c for c in found if dtypes_lib.dtype(c) != scalars.float0]

    return cotangents


_DERIVED = {
    "fwd": ft.partial(_tangent_function, _FORWARD["fwd"]),
    "lin": ft.partial(_tangent_function, _FORWARD["lin"]),
    "rev": _cotangent_function,
}


def _of_element(given, dtype):
    name = np.dtype(dtype).name
    exact = not (scalars.is_inexact(dtype) or name.startswith("float"))
    return _for_dtype(given, dtype, 0.0 if exact else _CLOSE.get(name, _COARSE))


def _plain(x):
    """An array that NumPy compares: small floats as float32."""
    array = np.asarray(x)
    if array.dtype == scalars.float0 or array.dtype.kind in "biufc":
        return array
    return array.astype(np.float32)


def _check_leaves_close(x, y, atol, rtol, message):
    a, b = np.asarray(x), np.asarray(y)
    if a.shape != b.shape:
        raise AssertionError(
            errors.explain(
                f"{message}{': ' if message else ''}shapes differ.",
                [("got", str(a.shape)), ("expected", str(b.shape))],
            )
        )
    if a.dtype == b.dtype == scalars.float0:
        return
    kinds = dtypes_lib.dtype(x), dtypes_lib.dtype(y)
    if any(map(_is_differentiable, (x, y))):
        limits = [max(_of_element(t, kind) for kind in kinds) for t in (atol, rtol)]
        given = {"atol": limits[0] * a.size, "rtol": limits[1] * b.size}
    else:
        stated = {"atol": atol, "rtol": rtol}
        given = {
            name: max(_of_element(t, kind) for kind in kinds)
            for name, t in stated.items()
            if t is not None
        }
    np.testing.assert_allclose(_plain(a), _plain(b), err_msg=message, **given)


def check_close(
    xs: Any,
    ys: Any,
    atol: Tolerance = None,
    rtol: Tolerance = None,
    err_msg: str = "",
) -> None:
    """Compares the leaves of two trees, each as one number that its size makes uncertain.

    The tolerance of floating-point leaves is that of one element times their size, and of
    two dtypes the coarser one's: dtypes may differ, shapes may not.

    Args:
        xs: what was found.
        ys: what was expected, a tree of the same structure.
        atol: absolute tolerance of one element, or several by dtype; None: by the dtype.
        rtol: relative tolerance of one element, or several by dtype; None: by the dtype.
        err_msg: what to put before the message.

    Raises:
        AssertionError: two leaves differ.
        ValueError: the trees do.
    """
    tree.tree_map(lambda x, y: _check_leaves_close(x, y, atol, rtol, err_msg), xs, ys)
