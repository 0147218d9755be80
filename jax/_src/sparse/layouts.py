"""How the buffers of sparse arrays follow from their shapes."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from jax._src.base import errors
from jax._src.numpy import numpy_api as jnp

Shape = tuple[int, ...]


class SparseInfo(NamedTuple):
    """What is known of a sparse array besides its buffers: parameters of primitives."""

    shape: Shape
    indices_sorted: bool = False
    unique_indices: bool = False


class COOInfo(NamedTuple):
    """The static facts of an array in the COO format."""

    shape: Shape
    rows_sorted: bool = False
    cols_sorted: bool = False


class BCOOProperties(NamedTuple):
    """How many dimensions are of which kind, and how many elements are stored."""

    n_batch: int
    n_sparse: int
    n_dense: int
    nse: int


class BCSRProperties(NamedTuple):
    """The static facts of an array in the BCSR format, which has two sparse dimensions."""

    n_batch: int
    n_dense: int
    nse: int


class Kinds(NamedTuple):
    """A shape, cut into its parts."""

    batch: Shape
    sparse: Shape
    dense: Shape


def kinds(shape: Sequence[int], n_batch: int, n_sparse: int) -> Kinds:
    """The sizes of the batch dimensions, of the sparse ones, and of the dense ones."""
    end = n_batch + n_sparse
    return Kinds(tuple(shape[:n_batch]), tuple(shape[n_batch:end]), tuple(shape[end:]))


def _fail(what: str, facts: Sequence[tuple[str, Any]], rule: str, ways: str = ""):
    return errors.value_error(what, [(k, str(v)) for k, v in facts], rule, ways)


def _fits(sizes, full) -> bool:
    """Whether batch sizes are those of the shape, or 1 where the rows are all the same."""
    return len(sizes) == len(full) and all(
        a in (1, b) for a, b in zip(sizes, full, strict=True)
    )


def check_bcoo(data: Any, indices: Any, shape: Sequence[int]) -> BCOOProperties:
    """The layout that buffers have.

    Raises:
        ValueError: they do not fit each other or the shape.
    """
    facts = [
        ("data", jnp.shape(data)),
        ("indices", jnp.shape(indices)),
        ("shape", tuple(shape)),
    ]
    rule = (
        "Indices have the shape (*batch, nse, n_sparse), data (*batch, nse, *dense), where "
        "nse elements are stored for each element of the batch."
    )

    def no(what):
        return _fail(f"BCOO: {what}.", facts, rule)

    if not jnp.issubdtype(indices.dtype, np.integer):
        raise no(f"indices are integers, and these are {indices.dtype}")
    if indices.ndim < 2:
        raise no("indices have two dimensions at least")
    nse, n_sparse = indices.shape[-2:]
    n_batch = indices.ndim - 2
    n_dense = len(shape) - n_batch - n_sparse
    if n_dense < 0:
        raise AssertionError(
            str(no("there are more columns of indices than dimensions"))
        )
    if data.ndim != n_batch + 1 + n_dense:
        raise no("the buffers do not have the dimensions of the shape")
    parts = kinds(shape, n_batch, n_sparse)
    if data.shape[n_batch] != nse:
        raise no("data and indices do not store equally many elements")
    if data.shape[n_batch + 1 :] != parts.dense:
        raise no("the dense dimensions of data are not those of the shape")
    if not (
        _fits(data.shape[:n_batch], parts.batch)
        and _fits(indices.shape[:n_batch], parts.batch)
    ):
        raise no("the sizes of the batch are not those of the shape, nor 1")
    return BCOOProperties(n_batch, n_sparse, n_dense, nse)


def check_bcsr(
    data: Any, indices: Any, indptr: Any, shape: Sequence[int]
) -> BCSRProperties:
    """The layout that the buffers of compressed rows have.

    Raises:
        ValueError: they do not fit each other or the shape.
    """
    facts = [
        ("data", jnp.shape(data)),
        ("indices", jnp.shape(indices)),
        ("indptr", jnp.shape(indptr)),
        ("shape", tuple(shape)),
    ]
    rule = (
        "Indices have the shape (*batch, nse), indptr (*batch, rows + 1), data "
        "(*batch, nse, *dense)."
    )

    def no(what):
        return _fail(f"BCSR: {what}.", facts, rule)

    for buffer in (indices, indptr):
        if not jnp.issubdtype(buffer.dtype, np.integer):
            raise no(f"indices and indptr are integers, and one is {buffer.dtype}")
    if indices.ndim < 1 or indptr.ndim < 1 or indices.ndim != indptr.ndim:
        raise no("indices and indptr have equally many dimensions, one at least")
    n_batch, nse = indices.ndim - 1, indices.shape[-1]
    n_dense = len(shape) - n_batch - 2
    if n_dense < 0:
        raise no("two dimensions are sparse, and the shape has fewer")
    if data.ndim != n_batch + 1 + n_dense:
        raise no("the buffers do not have the dimensions of the shape")
    parts = kinds(shape, n_batch, 2)
    if data.shape[n_batch] != nse:
        raise no("data and indices do not store equally many elements")
    if data.shape[n_batch + 1 :] != parts.dense:
        raise no("the dense dimensions of data are not those of the shape")
    if indptr.shape[-1] != parts.sparse[0] + 1:
        raise no("indptr has one entry more than there are rows")
    if not all(
        _fits(buffer.shape[:n_batch], parts.batch) for buffer in (data, indices, indptr)
    ):
        raise no("the sizes of the batch are not those of the shape, nor 1")
    return BCSRProperties(n_batch, n_dense, nse)


def check_kinds(what: str, ndim: int, n_batch: int, n_dense: int, n_sparse=None) -> int:
    """The number of sparse dimensions that are left.

    Raises:
        ValueError: there are not so many dimensions.
    """
    left = ndim - n_batch - n_dense
    if n_batch < 0 or n_dense < 0 or left < 0 or n_sparse not in (None, left):
        wanted = (
            "none is negative, and together they are"
            if n_sparse is None
            else (f"{n_sparse} dimensions are sparse, and all together are")
        )
        raise _fail(
            f"{what}: the dimensions of the kinds do not add up.",
            [("n_batch", n_batch), ("n_dense", n_dense), ("dimensions", ndim)],
            f"Of the numbers of batch, sparse and dense dimensions {wanted} those of the "
            "array.",
        )
    return left
