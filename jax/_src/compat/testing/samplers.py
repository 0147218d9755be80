"""Shapes and random arrays for tests: each `rand_*` takes a generator and returns a function of shape and dtype.

A shape is a tuple of sizes, one size, or one of two marks: for a scalar of NumPy's and for a number of Python's,
as a tuple they would be the same as an array without axes.
"""

import functools as ft
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from jax._src import dtypes as dtypes_lib
from jax._src.base import errors, options


class ScalarShape:
    """The mark of a scalar that is no array: as a shape it has no axes."""

    def __len__(self) -> int:
        return 0

    def __getitem__(self, i: int) -> int:
        raise IndexError(f"index {i} out of range.")


class NumpyScalar(ScalarShape):
    """The mark of a scalar of NumPy's."""


class PythonScalar(ScalarShape):
    """The mark of a number of Python's."""


NUMPY_SCALAR_SHAPE = NumpyScalar()
PYTHON_SCALAR_SHAPE = PythonScalar()


def is_valid_shape(shape: Any, dtype: Any) -> bool:
    """Whether something of this shape can have this dtype: a number of Python's has one of few."""
    if shape is not PYTHON_SCALAR_SHAPE:
        return True
    number = np.zeros((), dtype).item()
    return bool(np.dtype(type(number)) == dtype)


def _no_shape(shape):
    return errors.type_error(
        "A shape of a test is of a type that shapes do not have.",
        [("type", type(shape).__name__)],
        ways="Give a tuple, a list, one size, NUMPY_SCALAR_SHAPE or PYTHON_SCALAR_SHAPE.",
    )


def dims_of_shape(shape: Any) -> Any:
    """The sizes that a shape stands for."""
    if isinstance(shape, ScalarShape):
        return ()
    if type(shape) in (tuple, list):
        return shape
    if np.ndim(shape):
        raise _no_shape(shape)
    return (shape,)


def cast_to_shape(value: Any, shape: Any, dtype: Any) -> Any:
    """The value as what a shape stands for: an array, a scalar of NumPy's, a number of Python's."""
    if shape is PYTHON_SCALAR_SHAPE:
        return np.asarray(value).item()
    if shape is NUMPY_SCALAR_SHAPE:
        return np.dtype(dtype).type(value)
    dims = tuple(dims_of_shape(shape))
    if np.shape(value) != dims:
        raise AssertionError(f"a value of shape {np.shape(value)} was to have {dims}")
    return value


def dtype_str(dtype: Any) -> str:
    """The name of a dtype."""
    return np.dtype(dtype).name


def format_shape_dtype_string(shape: Any, dtype: Any) -> str:
    """A short text for names of tests, such as ``float32[2,3]``."""
    name = dtype_str(dtype)
    if shape is NUMPY_SCALAR_SHAPE:
        return name
    if shape is PYTHON_SCALAR_SHAPE:
        return f"py{name}"
    if isinstance(shape, np.ndarray):
        return f"{name}[{shape}]"
    if isinstance(shape, tuple | list):
        return f"{name}[{','.join(map(str, shape))}]"
    if type(shape) is int:
        return f"{name}[{shape},]"
    raise _no_shape(shape)


def rand_dtype(
    rand: Callable[..., Any],
    shape: Any,
    dtype: Any,
    scale: float = 1.0,
    post: Callable[[Any], Any] = lambda x: x,
) -> Any:
    """What `rand` draws, times `scale`, as something of a shape and a dtype.

    Args:
        rand: from sizes to floating-point numbers.
        shape: a shape or one of the marks.
        dtype: unsigned ones get magnitudes, complex ones two draws.
        scale: a factor.
        post: what to do with the array at last.
    """
    dims = dims_of_shape(shape)

    def draw():
        numbers = rand(*dims)
        if dtypes_lib.issubdtype(dtype, np.unsignedinteger):
            numbers = abs(numbers)
        return np.asarray(scale * numbers).astype(dtype)

    values = draw()
    if dtypes_lib.issubdtype(dtype, np.complexfloating):
        values = values + 1.0j * draw()
    return cast_to_shape(np.asarray(post(values), dtype), shape, dtype)


def rand_fullrange(rng: Any, standardize_nans: bool = False) -> Callable:
    """Draws bytes, so that every number of a dtype may come."""

    def generate(shape, dtype, post=lambda x: x):
        dtype = np.dtype(dtype)
        count = dtype.itemsize * math.prod(dims_of_shape(shape))
        most = np.iinfo(np.uint8).max
        values = post(rng.randint(0, most, size=count, dtype=np.uint8)).view(dtype)
        if shape is PYTHON_SCALAR_SHAPE:
            # A number of Python's is taken as a signed integer.
            narrow = {"uint64": np.int64}
            if not options.enable_x64.value:
                narrow["uint32"] = np.int32
            values = values.astype(narrow.get(dtype.name, dtype))
        values = values.reshape(dims_of_shape(shape))
        if standardize_nans and np.issubdtype(dtype, np.floating):
            values[np.isnan(values)] = np.nan  # other bit patterns are not equal to it
        return cast_to_shape(values, shape, dtype)

    return generate


def rand_default(rng: Any, scale: float = 3) -> Callable:
    """Draws normal numbers."""
    return ft.partial(rand_dtype, rng.randn, scale=scale)


def rand_nonzero(rng: Any) -> Callable:
    """Draws normal numbers, with ones in place of zeros."""

    def post(x):
        return np.where(x == 0, np.ones((), x.dtype), x)

    return ft.partial(rand_dtype, rng.randn, scale=3, post=post)


def rand_positive(rng: Any) -> Callable:
    """Draws numbers from 1 to 3."""
    return ft.partial(rand_dtype, rng.rand, scale=2, post=lambda x: x + 1)


def rand_small(rng: Any) -> Callable:
    """Draws normal numbers of some thousandths."""
    return ft.partial(rand_dtype, rng.randn, scale=1e-3)


def rand_not_small(rng: Any, offset: float = 10.0) -> Callable:
    """Draws numbers that are at least `offset` away from zero."""

    def post(x):
        return x + np.where(x > 0, offset, -offset)

    return ft.partial(rand_dtype, rng.randn, scale=3.0, post=post)


def rand_small_positive(rng: Any) -> Callable:
    """Draws numbers from 0 to 0.00002."""
    return ft.partial(rand_dtype, rng.rand, scale=2e-5)


def rand_uniform(rng: Any, low: float = 0.0, high: float = 1.0) -> Callable:
    """Draws numbers between two bounds."""
    if not low < high:
        raise AssertionError(f"the bound {low} is not below {high}")
    return ft.partial(rand_dtype, rng.rand, post=lambda x: x * (high - low) + low)


def rand_some_equal(rng: Any) -> Callable:
    """Draws numbers, about half of which are the first one."""

    def post(x):
        if not x.size:
            return x
        return np.where(rng.rand(*x.shape) < 0.5, x.ravel()[0], x)

    return ft.partial(rand_dtype, rng.randn, scale=100.0, post=post)


def _with_some(rng, marks, with_one_draw=False):
    """Draws normal numbers; each of `marks`, a value and a share, replaces that share of floating-point ones.

    With one draw for all marks the later ones replace a part of those before.
    """
    base = rand_default(rng)

    def rand(shape, dtype):
        if not dtypes_lib.issubdtype(dtype, np.floating):
            return base(shape, dtype)
        dims = dims_of_shape(shape)
        count = 1 if with_one_draw else len(marks)
        draws = [rng.rand(*dims) for _ in range(count)] * (len(marks) // count)
        chosen = [d < share for d, (_, share) in zip(draws, marks, strict=True)]
        values = base(shape, dtype)
        for where, (mark, _) in zip(chosen, marks, strict=True):
            values = np.where(where, np.asarray(mark, dtype), values)
        return cast_to_shape(np.asarray(values, dtype), shape, dtype)

    return rand


def rand_some_inf(rng: Any) -> Callable:
    """Draws floating-point numbers among which are infinities; other dtypes have none."""
    return _with_some(rng, [(np.inf, 0.1), (-np.inf, 0.1)])


def rand_some_nan(rng: Any) -> Callable:
    """Draws floating-point and complex numbers among which are NaNs of both signs; other dtypes have none."""
    rand_real = _with_some(rng, [(np.nan, 0.1), (-np.nan, 0.05)], with_one_draw=True)

    def rand(shape, dtype):
        if not dtypes_lib.issubdtype(dtype, np.complexfloating):
            return rand_real(shape, dtype)
        part = np.zeros((), dtype).real.dtype
        values = rand_real(shape, part) + np.array(1j, dtype) * rand_real(shape, part)
        return cast_to_shape(values, shape, dtype)

    return rand


def rand_some_inf_and_nan(rng: Any) -> Callable:
    """Draws floating-point numbers among which are infinities and NaNs; other dtypes have none."""
    return _with_some(rng, [(np.inf, 0.1), (-np.inf, 0.1), (np.nan, 0.1)])


def rand_some_zero(rng: Any) -> Callable:
    """Draws numbers, about half of which are zero."""
    base = rand_default(rng)

    def rand(shape, dtype):
        zeros = rng.rand(*dims_of_shape(shape)) < 0.5
        values = np.where(zeros, np.zeros((), dtype), base(shape, dtype))
        return cast_to_shape(np.asarray(values, dtype), shape, dtype)

    return rand


def rand_int(rng: Any, low: int = 0, high: int | None = None) -> Callable:
    """Draws whole numbers from `low` to below `high`; without bounds, all that a dtype of integers has."""

    def draw(shape, dtype):
        is_whole = np.issubdtype(dtype, np.integer)
        end = high
        if low == 0 and high is None:
            if not is_whole:
                raise errors.value_error(
                    "rand_int requires an explicit `high` value for non-integer types.",
                    [("dtype", dtype_str(dtype))],
                )
            end = np.iinfo(dtype).max
        drawn = rng.randint(
            low, high=end, size=shape, dtype=dtype if is_whole else np.int64
        )
        return drawn.astype(dtype)

    return draw


def rand_unique_int(rng: Any, high: int | None = None) -> Callable:
    """Draws whole numbers from 0 to below `high`, or the number of elements, no one twice."""

    def draw(shape, dtype):
        numbers = np.arange(high or math.prod(shape), dtype=dtype)
        return rng.choice(numbers, size=shape, replace=False)

    return draw


def rand_indices_unique_along_axis(rng: Any) -> Callable:
    """Draws indices of an axis of `dim` elements: no two along `axis` are the same, some count from the end."""

    def draw(dim, shape, axis, allow_negative=True):
        others = shape[:axis] + shape[axis:][1:]
        rows = [
            rng.choice(dim, size=shape[axis], replace=False)
            for _ in range(math.prod(others))
        ]
        found = np.array(rows).reshape(*others, shape[axis])
        found = np.moveaxis(found, -1, axis)
        if allow_negative:
            found[rng.choice([False, True], found.shape)] -= dim
        return found

    return draw


def rand_bool(rng: Any) -> Callable:
    """Draws zeros and ones of any dtype."""

    def draw(shape, dtype):
        coins = rng.rand(*dims_of_shape(shape)) < 0.5
        return cast_to_shape(np.asarray(coins, dtype), shape, dtype)

    return draw
