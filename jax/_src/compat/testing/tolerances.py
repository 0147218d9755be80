"""How near two arrays must be, by dtype, and steps of differences along a direction: for tests of numbers."""

import functools as ft
import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from jax._src import dtypes as dtypes_lib, test_util, tree
from jax._src.base import options, scalars

EPS = 1e-4

ToleranceDict = dict[np.dtype, int | float]

# Few bits, many: the coarsest tolerance of dtypes that NumPy does not know.
_COARSE = {"float4_e2m1fn": 1.0, "float8_e8m0fnu": 1.0}
_FINE = {"bfloat16": 1e-2, "float16": 1e-3}
_WIDE = {"float32": 1e-6, "float64": 1e-15, "complex64": 1e-6, "complex128": 1e-15}
_GRADIENT = {
    "bfloat16": 1e-1,
    "float16": 1e-2,
    "float32": 2e-3,
    "float64": 1e-5,
    "complex64": 1e-3,
    "complex128": 1e-5,
}


def _of_names(exact):
    """The scalar types of `jax.dtypes`, narrow ones too, each by its dtype."""
    found = {}
    for name in exact:
        kind = getattr(dtypes_lib, name, None) or getattr(np, name, None)
        if kind is not None:
            found[name] = np.dtype(kind)
    return found


_SMALL_FLOATS = _of_names(
    [
        "float4_e2m1fn",
        "float8_e3m4",
        "float8_e4m3",
        "float8_e8m0fnu",
        "float8_e4m3b11fnuz",
        "float8_e4m3fn",
        "float8_e4m3fnuz",
        "float8_e5m2",
        "float8_e5m2fnuz",
    ]
)
_NARROW_INTEGERS = _of_names(["int1", "int2", "int4", "uint1", "uint2", "uint4"])
_WHOLE = _of_names(
    ["bool_", *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))]
)
_OTHERS = _of_names([*_FINE, *_WIDE])
_NO_TANGENT = np.dtype(scalars.float0)

values: ToleranceDict = {
    _NO_TANGENT: 0,
    **dict.fromkeys([*_WHOLE.values(), *_NARROW_INTEGERS.values()], 0),
    **{dtype: _COARSE.get(name, 1e-1) for name, dtype in _SMALL_FLOATS.items()},
    **{dtype: (_FINE | _WIDE)[name] for name, dtype in _OTHERS.items()},
}
gradients: ToleranceDict = {
    **{dtype: _COARSE.get(name, 1e-1) for name, dtype in _SMALL_FLOATS.items()},
    **{dtype: _GRADIENT[name] for name, dtype in _OTHERS.items()},
}


def default_tolerance() -> ToleranceDict:
    """The tolerance of each dtype where a test states none."""
    return values


def tolerance(
    dtype: Any, tol: int | float | Mapping[Any, float] | None = None
) -> int | float:
    """The tolerance of a dtype.

    Args:
        dtype: the dtype of what is compared.
        tol: one tolerance for all, or some by dtype; the others are the usual ones.
    """
    if tol is not None and not isinstance(tol, Mapping):
        return tol
    stated = {np.dtype(key): value for key, value in (tol or {}).items()}
    wanted = dtypes_lib.canonicalize_dtype(np.dtype(dtype))
    return stated[wanted] if wanted in stated else values[wanted]


def by_dtype(tol: Any) -> ToleranceDict:
    """A tolerance for all dtypes, or some by dtype, as one for each dtype."""
    if isinstance(tol, Mapping):
        return {np.dtype(key): value for key, value in tol.items()}
    return dict.fromkeys(values, tol or 0)


def join_tolerance(tol1: Any, tol2: Any) -> ToleranceDict:
    """For each dtype the greater of two tolerances."""
    first, second = by_dtype(tol1), by_dtype(tol2)
    return {
        dtype: max(first.get(dtype, 0), second.get(dtype, 0))
        for dtype in {**first, **second}
    }


def num_float_bits(dtype: Any) -> int:
    """How many bits a floating-point number of a dtype has."""
    return dtypes_lib.finfo(dtypes_lib.canonicalize_dtype(dtype)).bits


def dtype_of(x: Any) -> np.dtype:
    """The dtype of an array, or that of arrays which are made of a number of Python's."""
    return x.dtype if hasattr(x, "dtype") else dtypes_lib.dtype(x)


def check_dtypes_match(xs: Any, ys: Any) -> None:
    """Raises AssertionError unless the leaves of two trees have the same dtypes."""

    def check(x, y):
        kinds = [dtype_of(x), dtype_of(y)]
        if not options.enable_x64.value:
            kinds = [dtypes_lib.canonicalize_dtype(kind) for kind in kinds]
        assert kinds[0] == kinds[1], f"dtypes differ: {kinds[0]} and {kinds[1]}"

    tree.tree_map(check, xs, ys)


def _as_numpy_compares(x):
    """Narrow numbers as ones that NumPy can subtract."""
    if x.dtype in _NARROW_INTEGERS.values():
        return x.astype(np.uint8 if x.dtype.name.startswith("u") else np.int8)
    narrow = x.dtype in _SMALL_FLOATS.values() or x.dtype.name == "bfloat16"
    return x.astype(np.float32) if narrow else x


def assert_numpy_allclose(
    a: Any, b: Any, atol: Any = None, rtol: Any = None, err_msg: str = ""
) -> None:
    """`numpy.testing.assert_allclose` for all dtypes; a tolerance of 0 or None is NumPy's own."""
    if a.dtype == b.dtype == _NO_TANGENT:
        np.testing.assert_array_equal(a, b, err_msg=err_msg)
        return
    stated = {"atol": atol, "rtol": rtol}
    stated = {name: value for name, value in stated.items() if value}
    pair = _as_numpy_compares(a), _as_numpy_compares(b)
    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose(*pair, **stated, err_msg=err_msg)


def assert_numpy_close(
    a: Any, b: Any, atol: Any = None, rtol: Any = None, err_msg: str = ""
) -> None:
    """Compares two arrays, each as one number that its size makes uncertain."""
    test_util.check_close(a, b, atol, rtol, err_msg)


def check_eq(xs: Any, ys: Any, err_msg: str = "") -> None:
    """Compares the leaves of two trees with the tolerance that NumPy has by itself."""
    tree.tree_map(ft.partial(assert_numpy_allclose, err_msg=err_msg), xs, ys)


def is_python_scalar(val: Any) -> bool:
    """Whether a value is a number of Python's."""
    return isinstance(val, bool | int | float | complex) and not isinstance(
        val, np.generic
    )


def _like(x, result):
    """A result as a number of Python's if `x` is one."""
    return result.item() if is_python_scalar(x) else result


def _leafwise(operation: Callable) -> Callable:
    """An operation on the leaves of trees that keeps the dtype of the first."""

    def apply(*leaves):
        result = np.array(operation(*leaves), dtype=dtype_of(leaves[0]))
        return result.item() if all(map(is_python_scalar, leaves)) else result

    return ft.partial(tree.tree_map, apply)


add = _leafwise(operator.add)
sub = _leafwise(operator.sub)
conj = _leafwise(np.conj)


def safe_sub(xs: Any, ys: Any) -> Any:
    """The differences of two trees; equal infinities differ by 0."""

    def subtract(x, y):
        dtype = dtype_of(x)
        with np.errstate(invalid="ignore"):
            difference = np.subtract(x, y, dtype=dtype)
        return np.where(np.equal(x, y), np.zeros((), dtype), difference)

    return tree.tree_map(subtract, xs, ys)


def scalar_mul(xs: Any, a: Any) -> Any:
    """A tree times a number, in the dtypes of the tree."""

    def multiply(x):
        dtype = dtype_of(x)
        return _like(x, np.multiply(x, np.asarray(a, dtype), dtype=dtype))

    return tree.tree_map(multiply, xs)


def inner_prod(xs: Any, ys: Any) -> Any:
    """The real part of the inner product of two trees."""
    products = tree.tree_map(
        lambda x, y: np.vdot(np.asarray(x), np.asarray(y)).real, xs, ys
    )
    return sum(tree.tree_leaves(products))


def rand_like(rng: Any, x: Any) -> Any:
    """Normal numbers of the shape and dtype of `x`."""
    shape, dtype = np.shape(x), dtype_of(x)
    drawn = np.asarray(rng.randn(*shape), dtype)
    if dtypes_lib.issubdtype(dtype, np.complexfloating):
        drawn = drawn + dtype.type(1j) * np.asarray(rng.randn(*shape), dtype)
    return _like(x, drawn)


def numerical_jvp(f: Callable, primals: Any, tangents: Any, eps: float = EPS) -> Any:
    """The central difference of `f` along `tangents`."""
    step = scalar_mul(tangents, eps)
    rise = safe_sub(f(*add(primals, step)), f(*sub(primals, step)))
    return scalar_mul(rise, 0.5 / eps)
