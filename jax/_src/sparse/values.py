"""Arrays and sparse arrays as values of an interpreter: shapes and numbers of buffers.

Two sparse values that name the same buffer of indices store elements at the same indices.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from jax._src import tree
from jax._src.base import errors
from jax._src.core import avals
from jax._src.numpy import numpy_api as jnp
from jax._src.sparse import arrays, bcoo, bcsr

Array = Any
ArrayOrSparse = Any


class SparsifyValue(NamedTuple):
    """An array of an interpreter: its shape, and the numbers of its buffers."""

    shape: tuple[int, ...]
    data_ref: int | None
    indices_ref: int | None = None
    indptr_ref: int | None = None
    indices_sorted: bool | None = False
    unique_indices: bool | None = False

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    def is_sparse(self) -> bool:
        """Whether it has indices."""
        return self.indices_ref is not None

    def is_dense(self) -> bool:
        """Whether it has none."""
        return self.indices_ref is None

    def is_bcoo(self) -> bool:
        """Whether it is a BCOO."""
        return self.is_sparse() and self.indptr_ref is None

    def is_bcsr(self) -> bool:
        """Whether it is a BCSR."""
        return self.is_sparse() and self.indptr_ref is not None


class SparsifyEnv:
    """The buffers of all values."""

    def __init__(self, bufs: Sequence[Any] = ()):
        self._buffers = list(bufs)

    def _push(self, buffer: Any) -> int:
        self._buffers.append(jnp.asarray(buffer))
        return len(self._buffers) - 1

    def data(self, spvalue: SparsifyValue) -> Any:
        """The buffer of data: of a dense value, the array."""
        return self._buffers[spvalue.data_ref]

    def indices(self, spvalue: SparsifyValue) -> Any:
        """The buffer of indices."""
        return self._buffers[spvalue.indices_ref]

    def indptr(self, spvalue: SparsifyValue) -> Any:
        """The buffer with the start of each row."""
        return self._buffers[spvalue.indptr_ref]

    def dense(self, data: Any) -> SparsifyValue:
        """The value of a dense array."""
        return SparsifyValue(np.shape(data), self._push(data))

    def sparse(
        self,
        shape: Sequence[int],
        data: Any = None,
        indices: Any = None,
        indptr: Any = None,
        *,
        data_ref: int | None = None,
        indices_ref: int | None = None,
        indptr_ref: int | None = None,
        indices_sorted: bool = False,
        unique_indices: bool = False,
    ) -> SparsifyValue:
        """The value of a sparse array, whose buffers are new or have numbers already."""
        if indptr is not None:
            indptr_ref = self._push(indptr)
        return SparsifyValue(
            tuple(shape),
            self._push(data) if data_ref is None else data_ref,
            self._push(indices) if indices_ref is None else indices_ref,
            indptr_ref,
            bool(indices_sorted),
            bool(unique_indices),
        )

    def array(self, value: SparsifyValue) -> Any:
        """The array, dense or sparse, that a value stands for."""
        if value.is_dense():
            return self.data(value)
        flags = {
            "shape": value.shape,
            "indices_sorted": bool(value.indices_sorted),
            "unique_indices": bool(value.unique_indices),
        }
        if value.is_bcoo():
            return bcoo.BCOO((self.data(value), self.indices(value)), **flags)
        buffers = self.data(value), self.indices(value), self.indptr(value)
        return bcsr.BCSR(buffers, **flags)

    def value(self, array: Any, like: SparsifyValue | None = None) -> SparsifyValue:
        """The value of an array; its indices have the numbers of `like` if they are its."""
        if not isinstance(array, arrays.JAXSparse):
            return self.dense(array)
        if not isinstance(array, bcoo.BCOO | bcsr.BCSR):
            raise errors.not_implemented(
                "sparsify: arrays are BCOO, BCSR or dense.", [("given", repr(array))]
            )
        refs = {}
        if like is not None and like.is_sparse():
            if self.indices(like) is array.indices:
                refs["indices_ref"] = like.indices_ref
        indptr = array.indptr if isinstance(array, bcsr.BCSR) else None
        return self.sparse(
            array.shape,
            array.data,
            array.indices,
            indptr,
            indices_sorted=array.indices_sorted,
            unique_indices=array.unique_indices,
            **refs,
        )


def is_sparse(x: Any) -> bool:
    """Whether `x` is a sparse array."""
    return isinstance(x, arrays.JAXSparse)


def is_value(x: Any) -> bool:
    """Whether `x` is a value of an interpreter."""
    return isinstance(x, SparsifyValue)


def arrays_to_spvalues(spenv: SparsifyEnv, args: Any) -> Any:
    """The tree of values of a tree of arrays."""
    return tree.tree_map(spenv.value, args, is_leaf=is_sparse)


def spvalues_to_arrays(spenv: SparsifyEnv, spvalues: Any) -> Any:
    """The tree of arrays of a tree of values."""
    return tree.tree_map(spenv.array, spvalues, is_leaf=is_value)


def spvalues_to_avals(spenv: SparsifyEnv, spvalues: Any) -> Any:
    """The tree of the types that values have where sparse or dense is not told."""

    def aval(value):
        data = avals.get_aval(spenv.data(value))
        return avals.ShapedArray(
            value.shape, data.dtype, weak_type=bool(getattr(data, "weak_type", False))
        )

    return tree.tree_map(aval, spvalues, is_leaf=is_value)
