"""The kernel of products: stored elements times rows of a dense array, added up.

As a composite: a compiler that knows `jax.sparse_product` runs a loop over the stored
elements; others gather, multiply and scatter.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from jax._src.core.avals import ShapedArray, get_aval
from jax._src.core.primitive import Sample, declare
from jax._src.core.symbols import expressions
from jax._src.interpreters import ad
from jax._src.lax.control_flow import composites
from jax._src.numpy import numpy_api as jnp
from jax._src.sparse import indices, programs

# How `first` and `second` say where elements stand, and what turns the matrix around.
_TURNED = {
    "coordinates": "coordinates",
    "sorted": "coordinates",
    "rows": "columns",
    "columns": "rows",
}


_INDEX_FORMS = ("coordinates", "sorted")


def rows_of(indptr: Any, nse: int) -> Any:
    """The row of each stored element; the number of rows for those behind the last."""
    begins = jnp.zeros(nse, indptr.dtype).at[indptr[1:]].add(1, mode="drop")
    return jnp.cumsum(begins, dtype=indptr.dtype)


def _coordinates(first, second, form, numbers):
    """The row and the column of each stored element."""
    if form in _INDEX_FORMS:
        both = zip((first, second), numbers, strict=True)
        return [x if x.ndim == 1 else x[:, n] for x, n in both]
    expanded = rows_of(first, len(second))
    return (expanded, second) if form == "rows" else (second, expanded)


def _program(data, first, second, dense, *, form, rows, numbers):
    # Operands may be NumPy's, here and in `transpose`.
    data, dense = jnp.asarray(data), jnp.asarray(dense)
    into, out_of = _coordinates(first, second, form, numbers)
    taken = indices.read(dense, out_of[:, None])
    data = data.reshape((data.shape[0],) + (1,) * (taken.ndim - 1))
    return indices.add_up((rows, *dense.shape[1:]), into[:, None], data * taken)


@declare("sparse_times_dense")
class times_dense_p:
    """A matrix of stored elements times a dense array; see `times_dense`."""

    def types(data, first, second, dense, *, rows, **params):
        return ShapedArray((rows, *dense.shape[1:]), data.dtype)

    def decompose(data, first, second, dense, *, form, rows, numbers):
        if not expressions.is_static((rows, *np.shape(data), *np.shape(dense))):
            # A composite is a function of its own, in which symbols have no values.
            params = {"form": form, "rows": rows, "numbers": numbers}
            return _program(data, first, second, dense, **params)

        def decomposition(*arrays, form, first_column, second_column):
            pair = (first_column, second_column)
            return _program(*arrays, form=form, rows=rows, numbers=pair)

        kernel = composites.composite(decomposition, "jax.sparse_product", version=1)
        attributes = {"first_column": numbers[0], "second_column": numbers[1]}
        return kernel(data, first, second, dense, form=form, **attributes)

    jvp = (
        lambda t, data, *indexing, **params: times_dense_p.bind(t, *indexing, **params),
        None,
        None,
        lambda t, *others, **params: times_dense_p.bind(*others[:3], t, **params),
    )

    def transpose(ct, data, first, second, dense, *, form, rows, numbers):
        if ad.is_undefined_primal(data):
            into, out_of = _coordinates(first, second, form, numbers)
            ct, dense = jnp.asarray(ct), jnp.asarray(dense)
            both = indices.read(ct, into[:, None]) * indices.read(
                dense, out_of[:, None]
            )
            return [both.sum(tuple(range(1, both.ndim))), None, None, None]
        params = {"form": _TURNED[form], "rows": dense.aval.shape[0]}
        if form in _INDEX_FORMS:
            first, second, numbers = second, first, numbers[::-1]
        turned = times_dense_p.bind(data, first, second, ct, numbers=numbers, **params)
        return [None, None, None, turned]

    def batch(axis, args, dims, **params):
        if all(dim is None for dim in dims[:3]):
            dense = jnp.moveaxis(args[3], dims[3], -1)
            out = times_dense_p.bind(*args[:3], dense, **params)
            return out, get_aval(out).ndim - 1
        return programs.batch_rule(_program, False)(axis, args, dims, **params)

    def reference(data, first, second, dense, *, form, rows, numbers):
        out = np.zeros((rows, *dense.shape[1:]), data.dtype)
        if form in _INDEX_FORMS:
            pair = [
                x if x.ndim == 1 else x[:, n]
                for x, n in zip((first, second), numbers, strict=True)
            ]
        else:
            sizes = np.diff(np.clip(first, 0, len(second)))
            lines = np.repeat(np.arange(len(sizes)), sizes)
            pair = [lines, second[: len(lines)]]
            pair = pair if form == "rows" else pair[::-1]
        for value, into, out_of in zip(data, *pair, strict=False):
            into, out_of = _wrapped(into, rows), _wrapped(out_of, len(dense))
            if 0 <= into < rows and 0 <= out_of < len(dense):
                out[into] += value * dense[out_of]
        return out

    ulp = 16

    def samples():
        data = np.float32([1.0, -2.0, 3.0, 0.5])
        pairs = np.int32([[0, 1], [2, 0], [2, 2], [3, 1]])
        from_end = np.int32([[-4, 0], [-1, -2], [2, 2], [2, -4]])
        dense = np.float32([[1.0, 2.0], [-1.0, 0.5], [3.0, 4.0]])
        begins, columns = np.int32([0, 1, 1, 3]), np.int32([1, 0, 2, 3])
        each = (0, 0)
        return [
            # The last element is out of bounds.
            Sample((data, pairs, pairs, dense), _params("coordinates", 3, (0, 1))),
            Sample((data, pairs, pairs, dense), _params("sorted", 3, (0, 1))),
            # Negative indices count from the end, and may be out of bounds as well.
            Sample(
                (data, from_end, from_end, dense), _params("coordinates", 3, (0, 1))
            ),
            Sample((data, from_end, from_end, dense), _params("sorted", 3, (0, 1))),
            Sample((data, begins, -1 - columns, dense), _params("rows", 3, each)),
            Sample((data, begins, -1 - columns, dense), _params("columns", 4, each)),
            Sample(
                (data, columns, columns, dense[:, 0]), _params("coordinates", 3, each)
            ),
            Sample((data, begins, columns, dense), _params("rows", 3, each)),
            Sample((data, begins, columns, dense), _params("columns", 4, each)),
        ]


def _wrapped(index, size):
    """The index that a negative one, which counts from the end, stands for."""
    return index + size if index < 0 else index


def _params(form, rows, numbers):
    return {"form": form, "rows": rows, "numbers": numbers}


def times_dense(
    data: Any,
    first: Any,
    second: Any,
    dense: Any,
    *,
    rows: int,
    form: str,
    numbers: Sequence[int] = (0, 0),
) -> Any:
    """A matrix of stored elements times a dense array.

    Args:
        data: the stored elements, of shape ``(n,)``.
        first: of ``"coordinates"`` the rows of the elements, ``(n,)``, or an array of indices of
            shape ``(n, k)``; of ``"sorted"`` likewise, none less than that before; of
            ``"rows"`` where each row begins and ends, ``(rows + 1,)``; of ``"columns"``
            where each column does.
        second: of ``"columns"`` the rows, else the columns of the elements, likewise.
        dense: of shape ``(columns, ...)``, of the dtype of `data`.
        rows: how many rows the matrix has.
        form: one of those named.
        numbers: which columns of arrays of indices are meant.

    Returns:
        Array of shape ``(rows, ...)``. What is out of bounds adds nothing; negative
        indices count from the end.
    """
    params = _params(form, expressions.size_index(rows), tuple(numbers))
    return times_dense_p.bind(data, first, second, dense, **params)
