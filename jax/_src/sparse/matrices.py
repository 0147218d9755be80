"""What the formats for a single matrix share."""

from collections.abc import Callable, Sequence
from typing import Any

from jax._src.base import errors
from jax._src.numpy import numpy_api as jnp, operands
from jax._src.sparse import arrays, indices as indices_lib, times_dense


def check_matrix(what: str, shape: Sequence[int]) -> None:
    """Raises AssertionError where a shape is not that of a matrix."""
    if len(shape) != 2:
        raise AssertionError(
            errors.explain(
                f"{what}: this format is for matrices.", [("shape", str(tuple(shape)))]
            )
        )


def check_reversed(name: str, axes: Sequence[int] | None) -> None:
    """Raises NotImplementedError where a transposition is another one."""
    if axes is not None and tuple(axes) != (1, 0):
        raise errors.not_implemented(
            f"{name}.transpose exchanges the two dimensions.",
            [
                ("axes", str(axes)),
            ],
        )


def diagonal(n: int, m: int, k: int, dtype: Any) -> tuple[Any, Any]:
    """The rows and the columns of a diagonal."""
    count = max(0, min(n + min(k, 0), m - max(k, 0)))
    numbers = jnp.arange(count, dtype=dtype)
    down, right = (jnp.asarray(max(0, s), dtype) for s in (-k, k))
    return numbers + down, numbers + right


def found(mat: Any, nse: int, index_dtype: Any) -> tuple[Any, Any, Any]:
    """The values of a matrix that are not zero, their rows and columns; padding is 0."""
    mask = mat if mat.dtype == bool else mat != 0
    indices = indices_lib.nonzero(mask, nse, index_dtype)
    data = indices_lib.read(mat, indices)
    inside = indices_lib.in_bounds(indices, mat.shape)
    indices = jnp.where(inside[:, None], indices, jnp.zeros((), indices.dtype))
    return data, indices[:, 0], indices[:, 1]


def product(
    data: Any,
    first: Any,
    second: Any,
    other: Any,
    shape: Sequence[int],
    transpose: bool,
    form: str = "coordinates",
) -> Any:
    """A matrix times a vector or a matrix; see `times_dense` for `first` and `second`."""
    data, other = operands.promote_dtypes(data, other)
    if transpose and form == "rows":
        form = "columns"
    elif transpose:
        first, second = second, first
    rows = shape[1 if transpose else 0]
    return times_dense.times_dense(data, first, second, other, rows=rows, form=form)


def check_product(name: str, mat: Any, other: Any, ndim: int, transpose: bool) -> Any:
    """The right side as an array.

    Raises:
        TypeError: it does not fit.
    """
    other = jnp.asarray(other)
    size = mat.shape[0 if transpose else 1]
    if other.ndim != ndim or other.shape[0] != size:
        raise errors.type_error(
            f"{name}: the sizes differ.",
            [("matrix", repr(mat)), ("other", str(other.shape))],
            f"The other has {ndim} dimensions, and the first has size {size}.",
        )
    return other


def times(mat: Any, other: Any, matvec: Callable, matmat: Callable) -> Any:
    """The operator `@` of a matrix and a dense array."""
    if isinstance(other, arrays.JAXSparse):
        raise errors.not_implemented(
            f"{type(mat).__name__} has no product of two sparse arrays.",
            [("left", repr(mat)), ("right", repr(other))],
            ways="BCOO has it.",
        )
    other = jnp.asarray(other)
    if other.ndim not in (1, 2):
        raise errors.not_implemented(
            f"{type(mat).__name__}: products are with vectors and matrices.",
            [("left", repr(mat)), ("right", str(other.shape))],
        )
    return (matvec if other.ndim == 1 else matmat)(mat, other)
