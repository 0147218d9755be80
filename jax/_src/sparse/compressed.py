"""Functions on compressed rows, by way of their coordinates."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from jax._src.base import errors
from jax._src.numpy import numpy_api as jnp, operands as operands_lib
from jax._src.sparse import (
    batches,
    bcoo,
    bcsr,
    conversion,
    layouts,
    products,
    programs,
    shaping,
    sums,
    times_dense,
)

fail = shaping.fail


def pointers(rows: Any, count: int, dtype: Any) -> Any:
    """Where each row begins, and where the last ends, of sorted rows."""
    each = jnp.zeros(count, dtype).at[rows].add(1, mode="drop")
    return jnp.concatenate([jnp.zeros(1, dtype), jnp.cumsum(each, dtype=dtype)])


def coordinates(indices: Any, indptr: Any) -> Any:
    """The indices that a BCOO with the same data has."""

    def one(indices, indptr):
        rows = times_dense.rows_of(indptr, indices.shape[0]).astype(indices.dtype)
        return jnp.stack([rows, indices], -1)

    return batches.over(indices.ndim - 1, one, indices, indptr)


def to_bcoo(mat: bcsr.BCSR) -> bcoo.BCOO:
    """Converts a BCSR array to BCOO, with the same data."""
    return bcoo.BCOO(
        (mat.data, coordinates(mat.indices, mat.indptr)),
        shape=mat.shape,
        indices_sorted=mat.indices_sorted,
        unique_indices=mat.unique_indices,
    )


def from_bcoo(arr: bcoo.BCOO) -> bcsr.BCSR:
    """The array with its elements sorted by rows.

    Raises:
        NotImplementedError: `arr` has not two sparse dimensions.
    """
    if arr.n_sparse != 2:
        raise fail(
            NotImplementedError,
            "BCSR.from_bcoo: the array has not two sparse dimensions.",
            [("array", repr(arr)), ("n_sparse", arr.n_sparse)],
            "bcoo_update_layout changes their number.",
        )
    if not arr.indices_sorted:
        arr = sums.bcoo_sort_indices(arr)
    rows = arr._kinds.sparse[0]

    def one(indices):
        return pointers(indices[:, 0], rows, indices.dtype)

    return bcsr.BCSR(
        (arr.data, arr.indices[..., 1], batches.over(arr.n_batch, one, arr.indices)),
        shape=arr.shape,
    )


def _samples():
    mat = np.array([[0.0, 1, 0, 2], [3, 0, 0, 4]], np.float32)
    params = {"nse": 4, "n_batch": 0, "n_dense": 0, "index_dtype": np.dtype(np.int32)}
    return [programs.sample([mat], **params)]


@programs.named("bcsr_fromdense", several=True, samples=_samples)
def bcsr_fromdense_p(mat, *, nse, n_batch, n_dense, index_dtype):
    """The values that are not zero, their columns, and where rows begin."""
    made = conversion.bcoo_fromdense(
        mat, nse=nse, n_batch=n_batch, n_dense=n_dense, index_dtype=index_dtype
    )
    return list(from_bcoo(made)._buffers)


def bcsr_fromdense(
    mat: Any,
    *,
    nse: int | None = None,
    n_batch: int = 0,
    n_dense: int = 0,
    index_dtype: Any = np.int32,
) -> bcsr.BCSR:
    """Stores the elements of a dense array that are not zero, row by row.

    Args:
        mat: array whose dimensions are `n_batch`, two, and `n_dense`.
        nse: how many elements are stored for each element of the batch; None: as many as
            needed, which asks for known values.
        n_batch: the number of leading dimensions that are batch dimensions.
        n_dense: the number of trailing dimensions that are dense.
        index_dtype: the dtype of columns and of row pointers.

    Raises:
        ValueError: the dimensions do not add up.
        TypeError: `nse` is negative or no integer.
        ConcretizationTypeError: `nse` is None, and `mat` is traced.
    """
    mat = jnp.asarray(mat)
    layouts.check_kinds("bcsr_fromdense", mat.ndim, n_batch, n_dense, n_sparse=2)
    count = conversion.stored_count("bcsr_fromdense", mat, nse, n_batch, n_dense)
    buffers = bcsr_fromdense_p.bind(
        mat,
        nse=count,
        n_batch=n_batch,
        n_dense=n_dense,
        index_dtype=np.dtype(index_dtype),
    )
    return bcsr.BCSR(tuple(buffers), shape=mat.shape)


def _buffers(*more):
    data = np.array([1.0, 2, 3], np.float32)
    indices, indptr = np.array([1, 0, 2], np.int32), np.array([0, 1, 3], np.int32)
    return [data, indices, indptr, *more]


@programs.named(
    "bcsr_todense",
    samples=lambda: [
        programs.sample(_buffers(), spinfo=layouts.SparseInfo((2, 3))),
    ],
)
def bcsr_todense_p(data, indices, indptr, *, spinfo):
    """The dense array of compressed rows."""
    rows = coordinates(indices, indptr)
    return conversion.bcoo_todense_p.bind(data, rows, spinfo=spinfo)


def bcsr_todense(mat: bcsr.BCSR) -> Any:
    """The dense array, of the same shape and dtype."""
    return bcsr_todense_p.bind(mat.data, mat.indices, mat.indptr, spinfo=mat._info)


@programs.named(
    "bcsr_extract",
    samples=lambda: [
        programs.sample([*_buffers()[1:], np.arange(6, dtype=np.float32).reshape(2, 3)])
    ],
)
def bcsr_extract_p(indices, indptr, mat):
    """The values of a dense array at the stored indices of compressed rows."""
    rows = coordinates(indices, indptr)
    return conversion.bcoo_extract_p.bind(rows, mat, assume_unique=True)


def bcsr_extract(indices: Any, indptr: Any, mat: Any) -> Any:
    """The values of a dense array at the stored indices of compressed rows.

    Args:
        indices: columns of shape ``(*batch, nse)``.
        indptr: where rows begin, of shape ``(*batch, rows + 1)``.
        mat: dense array of shape ``(*batch, rows, columns, *dense)``.

    Returns:
        The data of shape ``(*batch, nse, *dense)``.
    """
    args = (jnp.asarray(a) for a in (indices, indptr, mat))
    return bcsr_extract_p.bind(*args)


def _product_samples():
    params = {
        "dimension_numbers": (((1,), (0,)), ((), ())),
        "preferred_element_type": None,
        "lhs_spinfo": layouts.SparseInfo((2, 3)),
    }
    rhs = np.arange(6, dtype=np.float32).reshape(3, 2)
    return [programs.sample(_buffers(rhs), **params)]


@programs.named("bcsr_dot_general", samples=_product_samples)
def bcsr_dot_general_p(
    lhs_data,
    lhs_indices,
    lhs_indptr,
    rhs,
    *,
    dimension_numbers,
    preferred_element_type,
    lhs_spinfo,
    precision=None,
):
    """The dense product of compressed rows and a dense array."""
    if lhs_data.ndim == 1 and len(lhs_spinfo.shape) == 2:
        ((_, (contracted,)), _), dtype = dimension_numbers, preferred_element_type
        dtype = dtype or jnp.result_type(lhs_data, rhs)
        return times_dense.times_dense(
            operands_lib.convert(lhs_data, dtype),
            lhs_indptr,
            lhs_indices,
            jnp.moveaxis(operands_lib.convert(rhs, dtype), contracted, 0),
            rows=lhs_spinfo.shape[0],
            form="rows",
        )
    return products.bcoo_dot_general_p.bind(
        lhs_data,
        coordinates(lhs_indices, lhs_indptr),
        rhs,
        dimension_numbers=dimension_numbers,
        preferred_element_type=preferred_element_type,
        lhs_spinfo=lhs_spinfo,
        **({} if precision is None else {"precision": precision}),
    )


def bcsr_dot_general(
    lhs: Any,
    rhs: Any,
    *,
    dimension_numbers: Any,
    precision: Any = None,
    preferred_element_type: Any = None,
    out_sharding: Any = None,
) -> Any:
    """The product of compressed rows and a dense array.

    Args:
        lhs: BCSR.
        rhs: array.
        dimension_numbers: as in `lax.dot_general`; columns of `lhs` are contracted, and
            what is paired as batch is a batch dimension of its layout.
        precision: of the products of dense dimensions.
        preferred_element_type: the dtype of the result; None: promoted of both.
        out_sharding: must be None.

    Raises:
        NotImplementedError: another product is requested.
        TypeError: the sizes of paired dimensions differ.
    """
    facts = [("lhs", type(lhs).__name__), ("rhs", type(rhs).__name__)]
    rule = "A BCSR stands on the left, a dense array on the right."
    if not isinstance(lhs, bcsr.BCSR) or isinstance(rhs, bcsr.BCSR | bcoo.BCOO):
        what = "bcsr_dot_general: this product is not possible."
        raise fail(NotImplementedError, what, facts, rule)
    rhs = jnp.asarray(rhs)
    numbers = products.check_numbers("bcsr_dot_general", lhs, rhs, dimension_numbers)
    (lc, _), (lb, _) = numbers
    column = lhs.n_batch + 1
    if lc != (column,) or any(d >= lhs.n_batch for d in lb) or out_sharding is not None:
        raise fail(
            NotImplementedError,
            "bcsr_dot_general: this product is not possible.",
            [("lhs", repr(lhs)), ("rhs", rhs.shape), ("dimension_numbers", numbers)],
            "Columns alone are contracted; batch dimensions are such of the layout; "
            "out_sharding is None. BCSR.to_bcoo() has more products.",
        )
    dtype = None if preferred_element_type is None else np.dtype(preferred_element_type)
    return bcsr_dot_general_p.bind(
        *lhs._buffers,
        rhs,
        dimension_numbers=numbers,
        preferred_element_type=dtype,
        lhs_spinfo=lhs._info,
        **({} if precision is None else {"precision": precision}),
    )


def bcsr_broadcast_in_dim(
    mat: bcsr.BCSR,
    *,
    shape: Sequence[int],
    broadcast_dimensions: Sequence[int],
    sharding: Any = None,
) -> bcsr.BCSR:
    """The array with further batch and dense dimensions; see `bcoo_broadcast_in_dim`.

    Raises:
        NotImplementedError: rows or columns would change.
        ValueError: the sizes do not fit.
    """
    grown = shaping.bcoo_broadcast_in_dim(
        to_bcoo(mat),
        shape=shape,
        broadcast_dimensions=broadcast_dimensions,
        sharding=sharding,
    )
    return from_bcoo(grown)


def bcsr_concatenate(operands: Sequence[bcsr.BCSR], *, dimension: int) -> bcsr.BCSR:
    """Arrays one after the other along one dimension; see `bcoo_concatenate`.

    Raises:
        ValueError: an operand is no BCSR, or has another layout.
        TypeError: the shapes differ.
        NotImplementedError: the dimension is dense.
    """
    operands = list(operands)
    for mat in operands:
        shaping.require("bcsr_concatenate", mat, bcsr.BCSR, ValueError)
    joined = shaping.bcoo_concatenate(
        [to_bcoo(mat) for mat in operands], dimension=dimension
    )
    return from_bcoo(joined)


def bcsr_sum_duplicates(mat: bcsr.BCSR, nse: int | None = None) -> bcsr.BCSR:
    """Sums duplicate elements, so that each is stored once; see `bcoo_sum_duplicates`.

    Raises:
        ValueError: `nse` is None, and the indices are traced.
    """
    return from_bcoo(sums.bcoo_sum_duplicates(to_bcoo(mat), nse=nse))


def bcsr_eliminate_zeros(mat: bcsr.BCSR, nse: int | None = None) -> bcsr.BCSR:
    """Removes stored zeros and sums duplicate elements."""
    return from_bcoo(sums.bcoo_eliminate_zeros(to_bcoo(mat), nse=nse))


def bcsr_errors(what: str, mat: Any) -> NotImplementedError:
    """For what compressed rows do not have."""
    return errors.not_implemented(
        f"BCSR has no {what}.",
        [("array", repr(mat))],
        ways="Convert it: BCSR.to_bcoo(), or todense().",
    )
