"""Random sparse arrays."""

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jax._src.base import errors
from jax._src.numpy import numpy_api as jnp
from jax._src.random import keys, permutations, uniform_normal
from jax._src.sparse import batches, bcoo, indices as indices_lib, layouts, sums


def random_bcoo(
    key: Any,
    shape: Sequence[int],
    *,
    dtype: Any = np.dtype("float64"),
    indices_dtype: Any = None,
    nse: float = 0.2,
    n_batch: int = 0,
    n_dense: int = 0,
    unique_indices: bool = True,
    sorted_indices: bool = False,
    generator: Callable = uniform_normal.uniform,
    **kwds: Any,
) -> bcoo.BCOO:
    """Returns a BCOO of random values at random indices.

    Args:
        key: a random key.
        shape: the shape of the array.
        dtype: the dtype of the values; the default is the default float.
        indices_dtype: the dtype of the indices; None: the default integer.
        nse: how many elements are stored for each element of the batch; below 1, which
            part of all.
        n_batch: the number of batch dimensions.
        n_dense: the number of dense dimensions.
        unique_indices: whether no index is drawn twice.
        sorted_indices: whether indices are sorted.
        generator: ``f(key, shape=…, dtype=…, **kwds)`` draws the values.
        **kwds: for `generator`.

    Raises:
        ValueError: `nse` is negative, or there are fewer elements.
    """
    shape = tuple(operator.index(s) for s in shape)
    n_sparse = layouts.check_kinds("random_bcoo", len(shape), n_batch, n_dense)
    parts = layouts.kinds(shape, n_batch, n_sparse)
    room = math.prod(parts.sparse)
    count = _count(nse, room)
    index_dtype = jnp.result_type(int if indices_dtype is None else indices_dtype)
    data_key, *index_keys = keys.split(key, math.prod(parts.batch) + 1)
    data_shape = (*parts.batch, count, *parts.dense)
    data = generator(
        data_key, shape=data_shape, dtype=jnp.result_type(_default(dtype)), **kwds
    )

    def indices_of(key):
        if not n_sparse:
            return jnp.zeros((count, 0), index_dtype)
        flat = permutations.choice(key, room, (count,), replace=not unique_indices)
        return indices_lib.unravelled(flat, parts.sparse, index_dtype)

    stacked = jnp.stack(index_keys) if index_keys else keys.split(key, 0)
    indices = batches.over(1, indices_of, stacked)
    indices = indices.reshape((*parts.batch, count, n_sparse))
    made = bcoo.BCOO((data, indices), shape=shape)
    return sums.bcoo_sort_indices(made) if sorted_indices else made


def _default(dtype):
    """float64 stands for the default float, whatever it is."""
    return float if np.dtype(dtype) == np.float64 else dtype


def _count(nse, room):
    if 0 <= nse < room or (0 < nse < 1):
        return math.ceil(nse * room) if 0 < nse < 1 else operator.index(nse)
    raise errors.value_error(
        "random_bcoo: so many elements cannot be stored.",
        [("nse", str(nse)), ("elements", str(room))],
        "nse is a number of elements, smaller than that of the array, or a part of "
        "them between 0 and 1.",
    )
