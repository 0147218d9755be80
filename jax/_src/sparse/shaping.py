"""Changes of the shape of sparse arrays that keep their stored elements."""

import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from jax._src.base import errors
from jax._src.core.symbols import expressions
from jax._src.numpy import lax_api as lax, numpy_api as jnp
from jax._src.sparse import (
    batches,
    bcoo,
    indices as indices_lib,
    layouts,
    programs,
    sums,
)


def fail(
    kind: type, what: str, facts: Sequence[tuple[str, Any]], rule: str = ""
) -> Any:
    """An error with rows of facts."""
    return kind(errors.explain(what, [(k, str(v)) for k, v in facts], rule))


def require(
    name: str, mat: Any, kind: type = bcoo.BCOO, error: type = TypeError
) -> None:
    """Checks that an argument is of a sparse class."""
    if not isinstance(mat, kind):
        raise fail(
            error,
            f"{name}: an argument is no {kind.__name__}.",
            [("given", type(mat).__name__)],
        )


def permutation_of(name: str, permutation: Any, ndim: int) -> tuple[int, ...]:
    """The axes in their new order."""
    try:
        axes = tuple(operator.index(p) for p in permutation)
    except TypeError:
        axes = ()
    if sorted(axes) != list(range(ndim)):
        raise fail(
            TypeError,
            f"{name}: the axes are no permutation of those of the array.",
            [("permutation", permutation), ("dimensions", ndim)],
        )
    return axes


def _samples():
    data = np.array([1.0, 2, 3], np.float32)
    indices = np.array([[0, 1], [1, 0], [5, 5]], np.int32)
    spinfo = layouts.SparseInfo((2, 3))
    return [programs.sample([data, indices], spinfo=spinfo, permutation=(1, 0))]


@programs.named("bcoo_transpose", several=True, samples=_samples)
def bcoo_transpose_p(data, indices, *, spinfo, permutation):
    """The buffers of the array whose dimensions are permuted."""
    n_batch, n_sparse = indices.ndim - 2, indices.shape[-1]
    batch = permutation[:n_batch]
    columns = [p - n_batch for p in permutation[n_batch : n_batch + n_sparse]]
    dense = [p - n_sparse + 1 for p in permutation[n_batch + n_sparse :]]
    indices = indices_lib.take(indices, columns)
    indices = jnp.transpose(indices, (*batch, n_batch, n_batch + 1))
    return [jnp.transpose(data, (*batch, n_batch, *dense)), indices]


def bcoo_transpose(mat: bcoo.BCOO, *, permutation: Sequence[int]) -> bcoo.BCOO:
    """The array with its dimensions in another order.

    Args:
        mat: the array.
        permutation: for each new dimension the old one; batch, sparse and dense
            dimensions stay among themselves.

    Raises:
        TypeError: it is no permutation.
        NotImplementedError: it mixes dimensions of different kinds.
    """
    require("bcoo_transpose", mat)
    axes = permutation_of("bcoo_transpose", permutation, mat.ndim)
    if axes == tuple(range(mat.ndim)):
        return mat
    ends = (0, mat.n_batch, mat.n_batch + mat.n_sparse, mat.ndim)
    for begin, end in zip(ends, ends[1:], strict=False):
        if set(axes[begin:end]) != set(range(begin, end)):
            raise fail(
                NotImplementedError,
                "bcoo_transpose: dimensions of different kinds cannot be exchanged.",
                [("array", repr(mat)), ("permutation", axes)],
                "Change the layout first: bcoo_update_layout.",
            )
    data, indices = bcoo_transpose_p.bind(
        mat.data, mat.indices, spinfo=mat._info, permutation=axes
    )
    return bcoo.BCOO(
        (data, indices),
        shape=tuple(mat.shape[a] for a in axes),
        unique_indices=mat.unique_indices,
    )


def _where_new(mat, shape, dims):
    """Checks a broadcast, and says how many dimensions of each kind the result has."""
    name, facts = (
        "bcoo_broadcast_in_dim",
        [
            ("array", repr(mat)),
            ("shape", shape),
            ("broadcast_dimensions", dims),
        ],
    )
    if len(dims) != mat.ndim or any(not 0 <= d < len(shape) for d in dims):
        rule = "There is one entry for each dimension, within the new shape."
        raise fail(ValueError, f"{name}: wrong dimensions.", facts, rule)
    if any(mat.shape[k] not in (1, shape[d]) for k, d in enumerate(dims)):
        rule = "Sizes stay as they are, or grow from 1."
        raise fail(ValueError, f"{name}: wrong sizes.", facts, rule)
    n_batch, n_sparse = mat.n_batch, mat.n_sparse
    parts = (
        dims[:n_batch],
        dims[n_batch : n_batch + n_sparse],
        dims[n_batch + n_sparse :],
    )
    # Before the first sparse dimension all belongs to the batch, behind the first dense
    # one all is dense, and what is between is sparse.
    last_batch = max(parts[0], default=-1)
    last = max((*parts[0], *parts[1]), default=-1)
    first_dense = min(parts[2], default=len(shape))
    new_batch = min(parts[1], default=first_dense)
    new_dense = len(shape) - first_dense
    if last_batch >= new_batch or first_dense <= last:
        rule = "Batch dimensions come first, dense ones last."
        raise fail(ValueError, f"{name}: kinds of dimensions mix.", facts, rule)
    return new_batch, len(shape) - new_batch - new_dense, new_dense


def bcoo_broadcast_in_dim(
    mat: bcoo.BCOO,
    *,
    shape: Sequence[int],
    broadcast_dimensions: Sequence[int],
    sharding: Any = None,
) -> bcoo.BCOO:
    """The array with further dimensions, and with dimensions grown from size 1.

    Args:
        mat: the array.
        shape: the new shape.
        broadcast_dimensions: for each dimension its index in the new shape. New ones
            before the sparse dimensions become batch dimensions, those between them
            sparse ones, which have size 1.
        sharding: must be None.

    Raises:
        NotImplementedError: a sparse dimension would grow; `sharding` is given.
        ValueError: the sizes do not fit.
    """
    require("bcoo_broadcast_in_dim", mat)
    if sharding is not None:
        raise NotImplementedError("bcoo_broadcast_in_dim: sharding must be None.")
    shape = tuple(expressions.size_index(s) for s in shape)
    dims = tuple(operator.index(d) for d in broadcast_dimensions)
    n_batch, n_sparse, _ = _where_new(mat, shape, dims)
    old = {d: k for k, d in enumerate(dims)}
    sparse = range(n_batch, n_batch + n_sparse)
    for d in sparse:
        if shape[d] != (mat.shape[old[d]] if d in old else 1):
            raise fail(
                NotImplementedError,
                "bcoo_broadcast_in_dim: a sparse dimension cannot grow.",
                [("array", repr(mat)), ("shape", shape), ("dimension", d)],
                "New sparse dimensions have size 1.",
            )
    batch = shape[:n_batch]

    def grown(buffer, inner_dims, inner):
        """A buffer whose batch dimensions move, in sizes of 1 where it may."""
        kept = dims[: mat.n_batch]
        sizes = [buffer.shape[old[d]] if d in old else 1 for d in range(n_batch)]
        sizes = [
            batch[d] if d not in old or mat.shape[old[d]] != batch[d] else sizes[d]
            for d in range(n_batch)
        ]
        where = (*kept, *(n_batch + k for k in inner_dims))
        return lax.broadcast_in_dim(buffer, (*sizes, *inner), where)

    dense_dims = [
        d - n_batch - n_sparse + 1 for d in dims[mat.n_batch + mat.n_sparse :]
    ]
    dense = shape[n_batch + n_sparse :]
    data = grown(mat.data, (0, *dense_dims), (mat.nse, *dense))
    columns = [
        mat.indices[..., old[d] - mat.n_batch]
        if d in old
        else jnp.zeros(mat.indices.shape[:-1], mat.indices.dtype)
        for d in sparse
    ]
    indices = jnp.stack(columns, -1) if columns else mat.indices
    indices = grown(indices, (0, 1), (mat.nse, n_sparse))
    return bcoo.BCOO((data, indices), shape=shape)


def _leading(sizes, wanted):
    """How many leading sizes have a product; ones that follow belong to it too."""
    count, product = 0, 1
    while count < len(sizes) and product * sizes[count] <= wanted:
        product *= sizes[count]
        count += 1
    return count, product


def _trailing(sizes, wanted):
    """How many trailing sizes have a product, no more than needed."""
    count, product = 0, 1
    while count < len(sizes) and product != wanted:
        count += 1
        product *= sizes[-count]
    return count, product


def bcoo_reshape(
    mat: bcoo.BCOO,
    *,
    new_sizes: Sequence[int],
    dimensions: Sequence[int] | None = None,
    sharding: Any = None,
) -> bcoo.BCOO:
    """The array with other sizes, its elements in row-major order as they are.

    Args:
        mat: the array.
        new_sizes: the new shape.
        dimensions: must be None, or name the dimensions in their order.
        sharding: must be None.

    Raises:
        TypeError: the number of elements changes.
        ValueError: dimensions of different kinds would be merged.
        NotImplementedError: `dimensions` or `sharding` ask for more.
    """
    require("bcoo_reshape", mat)
    new = tuple(expressions.size_index(s) for s in new_sizes)
    facts = [("array", repr(mat)), ("new sizes", new)]
    if sharding is not None:
        raise fail(NotImplementedError, "bcoo_reshape: sharding must be None.", facts)
    if math.prod(new) != mat.size:
        raise fail(TypeError, "bcoo_reshape: the number of elements changes.", facts)
    if dimensions is not None and tuple(dimensions) != tuple(range(mat.ndim)):
        mat = bcoo_transpose(mat, permutation=dimensions)
    parts = mat._kinds
    n_batch, batch_size = _leading(new, math.prod(parts.batch))
    n_dense, dense_size = 0, 1
    if mat.n_dense:
        n_dense, dense_size = _trailing(new[n_batch:], math.prod(parts.dense))
    if (batch_size, dense_size) != (math.prod(parts.batch), math.prod(parts.dense)):
        raise fail(
            ValueError,
            "bcoo_reshape: batch, sparse and dense dimensions cannot be merged.",
            facts,
            "Sizes may be cut and merged within the batch, within the sparse dimensions, "
            "and within the dense ones. bcoo_update_layout changes the kinds.",
        )
    end = len(new) - n_dense
    batch, sparse, dense = new[:n_batch], new[n_batch:end], new[end:]
    data, indices = sums.same_sizes(mat)
    full = parts.batch if mat.n_batch else ()
    data = jnp.broadcast_to(data, (*full, *data.shape[mat.n_batch :]))
    indices = jnp.broadcast_to(indices, (*full, *indices.shape[mat.n_batch :]))
    data = data.reshape((*batch, mat.nse, *dense))
    indices = indices.reshape((*batch, *indices.shape[mat.n_batch :]))

    def renumbered(rows):
        rows = indices_lib.wrapped(rows, parts.sparse)
        inside = indices_lib.in_bounds(rows, parts.sparse)
        flat = jnp.zeros(rows.shape[0], np.int32)
        for column, size in zip(indices_lib.columns(rows), parts.sparse, strict=True):
            flat = flat * size + column.astype(np.int32)
        flat = jnp.where(inside, flat, math.prod(sparse))
        return indices_lib.unravelled(flat, sparse, rows.dtype)

    if mat.n_sparse or sparse:
        if sparse:
            indices = batches.over(n_batch, renumbered, indices)
        else:
            data = _only_inside(data, indices, n_batch, parts.sparse)
            indices = indices[..., :0]
    return bcoo.BCOO((data, indices), shape=new)


def _only_inside(data, indices, n_batch, sparse):
    """Data, but for zeros where indices are out of bounds."""

    def one(data, indices):
        indices = indices_lib.wrapped(indices, sparse)
        inside = indices_lib.in_bounds(indices, sparse)
        inside = inside.reshape(inside.shape + (1,) * (data.ndim - 1))
        return jnp.where(inside, data, jnp.zeros((), data.dtype))

    return batches.over(n_batch, one, data, indices)


def _dropped(mat, columns):
    """The array without some of its sparse columns; what lay beyond them is no more."""
    left = [k for k in range(mat.n_sparse) if k not in columns]
    if not columns:
        return mat.data, mat.indices
    gone = indices_lib.take(mat.indices, columns)
    sizes = [mat._kinds.sparse[k] for k in columns]
    data = _only_inside(mat.data, gone, mat.n_batch, sizes)
    return data, indices_lib.take(mat.indices, left)


def bcoo_squeeze(arr: bcoo.BCOO, *, dimensions: Sequence[int]) -> bcoo.BCOO:
    """The array without dimensions of size 1.

    Raises:
        ValueError: a size is not 1, or there is no such dimension.
    """
    require("bcoo_squeeze", arr)
    dims = {_axis("bcoo_squeeze", d, arr.ndim) for d in dimensions}
    if any(arr.shape[d] != 1 for d in dims):
        raise fail(
            ValueError,
            "bcoo_squeeze: dimensions that are left out have size 1.",
            [("array", repr(arr)), ("dimensions", sorted(dims))],
        )
    n_batch, end = arr.n_batch, arr.n_batch + arr.n_sparse
    batch = tuple(d for d in dims if d < n_batch)
    columns = [d - n_batch for d in sorted(dims) if n_batch <= d < end]
    dense = tuple(d - arr.n_sparse + 1 for d in dims if d >= end)
    data, indices = _dropped(arr, columns)
    return bcoo.BCOO(
        (jnp.squeeze(data, batch + dense), jnp.squeeze(indices, batch)),
        shape=tuple(s for d, s in enumerate(arr.shape) if d not in dims),
        indices_sorted=arr.indices_sorted,
        unique_indices=arr.unique_indices,
    )


def _axis(name, axis, ndim):
    number = operator.index(axis)
    if not -ndim <= number < ndim:
        facts = [("dimension", axis), ("dimensions", ndim)]
        raise fail(ValueError, f"{name}: there is no such dimension.", facts)
    return number % ndim


def bcoo_rev(operand: bcoo.BCOO, dimensions: Sequence[int]) -> bcoo.BCOO:
    """The array with its elements in reverse order along some dimensions."""
    require("bcoo_rev", operand)
    mat = operand
    dims = {_axis("bcoo_rev", d, mat.ndim) for d in dimensions}
    n_batch, end = mat.n_batch, mat.n_batch + mat.n_sparse
    batch = tuple(d for d in dims if d < n_batch)
    dense = tuple(d - mat.n_sparse + 1 for d in dims if d >= end)
    data = jnp.flip(mat.data, batch + dense) if batch + dense else mat.data
    indices = jnp.flip(mat.indices, batch) if batch else mat.indices
    columns = np.array([n_batch + k in dims for k in range(mat.n_sparse)], bool)
    if columns.any():
        sizes = indices_lib.sizes_as(mat.indices.dtype, mat._kinds.sparse)
        shape = (1,) * (indices.ndim - 1) + (mat.n_sparse,)
        sizes, columns = sizes.reshape(shape), columns.reshape(shape)
        # Padding stays beyond the end; after a reversal it would come before the beginning.
        moves = columns & (indices < sizes)
        indices = jnp.where(moves, (sizes - 1) - indices, indices)
    return bcoo.BCOO((data, indices), shape=mat.shape)


def bcoo_reduce_sum(mat: bcoo.BCOO, *, axes: Sequence[int]) -> bcoo.BCOO:
    """The sums along some dimensions, sparse as the array is.

    Args:
        mat: the array.
        axes: the dimensions. Sums along sparse dimensions store as many elements as
            before, at the same indices but for these; of batch dimensions the elements of
            all are stored together.
    """
    require("bcoo_reduce_sum", mat)
    dims = {_axis("bcoo_reduce_sum", d, mat.ndim) for d in axes}
    n_batch, end = mat.n_batch, mat.n_batch + mat.n_sparse
    columns = [d - n_batch for d in sorted(dims) if n_batch <= d < end]
    data, indices = _dropped(mat, columns)
    dense = tuple(d - mat.n_sparse + 1 for d in dims if d >= end)
    if dense:
        data = data.sum(dense, dtype=data.dtype)
    batch = sorted(d for d in dims if d < n_batch)
    if batch:
        data, indices = _merged(mat, batch, data, indices)
    return bcoo.BCOO(
        (data, indices),
        shape=tuple(s for d, s in enumerate(mat.shape) if d not in dims),
    )


def _merged(mat, batch, data, indices):
    """Buffers in which some batch dimensions are part of the stored elements."""
    n_batch = mat.n_batch
    stay = [d for d in range(n_batch) if d not in batch]
    summed = tuple(mat.shape[d] for d in batch)

    def merge(buffer):
        rest = range(n_batch + 1, buffer.ndim)
        buffer = jnp.transpose(buffer, (*stay, *batch, n_batch, *rest))
        kept = buffer.shape[: len(stay)]
        buffer = jnp.broadcast_to(buffer, (*kept, *summed, *buffer.shape[n_batch:]))
        count = math.prod(summed) * mat.nse
        return buffer.reshape((*kept, count, *buffer.shape[n_batch + 1 :]))

    return merge(data), merge(indices)


def _check_operands(name, operands):
    for mat in operands:
        require(name, mat, error=ValueError)
    layout = {(m.n_batch, m.n_sparse, m.n_dense) for m in operands}
    facts = [(str(i), repr(m)) for i, m in enumerate(operands)]
    if len(layout) != 1:
        rule = "All have equally many batch, sparse and dense dimensions."
        raise fail(
            ValueError, f"{name}: the arrays have different layouts.", facts, rule
        )
    return facts


def bcoo_concatenate(operands: Sequence[bcoo.BCOO], *, dimension: int) -> bcoo.BCOO:
    """Arrays one after the other along one dimension.

    Args:
        operands: BCOO arrays of the same layout, whose shapes differ along `dimension`
            only; dtypes must agree.
        dimension: a batch dimension or a sparse one.

    Raises:
        ValueError: an operand is no BCOO, or has another layout.
        TypeError: the shapes differ.
        NotImplementedError: the dimension is dense.
    """
    name = "bcoo_concatenate"
    operands = list(operands)
    if not operands:
        raise ValueError(f"{name}: there are no arrays.")
    facts = _check_operands(name, operands)
    first = operands[0]
    axis = _axis(name, dimension, first.ndim)
    rests = {(*m.shape[:axis], *m.shape[axis + 1 :]) for m in operands}
    if len(rests) != 1:
        rule = "Shapes differ along the dimension only."
        raise fail(TypeError, f"{name}: the shapes differ.", facts, rule)
    sizes = [m.shape[axis] for m in operands]
    shape = (*first.shape[:axis], sum(sizes), *first.shape[axis + 1 :])
    n_batch = first.n_batch
    if axis >= n_batch + first.n_sparse:
        raise fail(
            NotImplementedError,
            f"{name}: along dense dimensions it is not possible.",
            [*facts, ("dimension", axis)],
            "bcoo_update_layout makes the dimension sparse.",
        )
    if axis < n_batch:
        return _stacked(operands, axis, shape)
    return _joined(operands, axis - n_batch, shape, sizes)


def _stacked(operands, axis, shape):
    nse = max(m.nse for m in operands)
    n_batch = operands[0].n_batch

    def full(mat):
        """The buffers with this dimension as large as it is, and room for `nse`."""
        data, indices = mat.data, mat.indices
        size = mat.shape[axis]
        data = jnp.broadcast_to(
            data, (*data.shape[:axis], size, *data.shape[axis + 1 :])
        )
        indices = jnp.broadcast_to(
            indices, (*indices.shape[:axis], size, *indices.shape[axis + 1 :])
        )
        more = nse - mat.nse
        if more:
            sizes = list(data.shape)
            sizes[n_batch] = more
            data = jnp.concatenate([data, jnp.zeros(sizes, data.dtype)], n_batch)
            beyond = np.array(mat._kinds.sparse, indices.dtype)
            beyond = np.broadcast_to(
                beyond, (*indices.shape[:n_batch], more, mat.n_sparse)
            )
            indices = jnp.concatenate([indices, beyond], n_batch)
        return data, indices

    buffers = [full(m) for m in operands]
    return bcoo.BCOO(
        (
            _concatenated([d for d, _ in buffers], axis, n_batch),
            _concatenated([i for _, i in buffers], axis, n_batch),
        ),
        shape=shape,
    )


def _concatenated(buffers, axis, n_batch):
    """Buffers along one axis, the other sizes of their batches made equal."""
    batch = batches.sizes(n_batch, *buffers)
    grown = [
        jnp.broadcast_to(
            b,
            tuple(
                b.shape[k] if k == axis or k >= n_batch else batch[k]
                for k in range(b.ndim)
            ),
        )
        for b in buffers
    ]
    return jnp.concatenate(grown, axis)


def _joined(operands, column, shape, sizes):
    n_batch, n_sparse = operands[0].n_batch, operands[0].n_sparse
    begin, moved = 0, []
    for mat, size in zip(operands, sizes, strict=True):
        indices = mat.indices
        # Padding of an array must not become elements of the next.
        beyond = indices[..., column] >= size
        position = jnp.where(
            beyond, shape[n_batch + column], indices[..., column] + begin
        )
        is_column = np.arange(n_sparse) == column
        is_column = is_column.reshape((1,) * (indices.ndim - 1) + (n_sparse,))
        position = jnp.broadcast_to(position[..., None], indices.shape).astype(
            indices.dtype
        )
        moved.append(jnp.where(is_column, position, indices))
        begin += size
    return bcoo.BCOO(
        (
            _concatenated([m.data for m in operands], n_batch, n_batch),
            _concatenated(moved, n_batch, n_batch),
        ),
        shape=shape,
    )
