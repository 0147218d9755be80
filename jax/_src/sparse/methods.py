"""The methods and operators of sparse arrays.

Importing this module puts them on the classes, which the functions need first.
"""

import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from jax._src.base import errors
from jax._src.core import avals
from jax._src.numpy import numpy_api as jnp
from jax._src.sparse import (
    api,
    arrays,
    bcoo,
    bcsr,
    compressed,
    conversion,
    mapping as _mapping,  # noqa: F401  (registers with vmap)
    relayout,
    rules,
    shaping,
    sparsify,
    sums,
)

_PLAIN = (bool, int, float, complex, np.ndarray, np.generic)


def _is_operand(x: Any) -> bool:
    return isinstance(x, _PLAIN) or avals.is_value(x)


def _binary(fun: Callable) -> Callable:
    """An operator of a BCOO on the left."""
    run = sparsify.sparsify(fun)

    def operate(self, other):
        if not (_is_operand(other) or isinstance(other, arrays.JAXSparse)):
            return NotImplemented
        return run(self, other)

    return operate


def _swapped(fun: Callable) -> Callable:
    """An operator of a BCOO on the right."""
    run = sparsify.sparsify(fun)

    def operate(self, other):
        return run(other, self) if _is_operand(other) else NotImplemented

    return operate


_add = _binary(jnp.add)


def _dense_result(symbol: str) -> Callable:
    def refuse(self, other):
        raise errors.not_implemented(
            f"sparse rule for {symbol} is not implemented because it would result in "
            "dense output.",
            [("array", repr(self))],
            ways="Convert with todense() where a dense array is meant.",
        )

    return refuse


def _pow(self, exponent):
    try:
        n = operator.index(exponent)
    except TypeError:
        return sparsify.sparsify(jnp.power)(self, exponent)
    return sparsify.sparsify(lambda x: x**n)(self)


def _getitem(self, item):
    return sparsify.sparsify(lambda x: x[item])(self)


def _iter(self) -> Iterator[Any]:
    if not self.shape:
        raise TypeError("iteration over an array without dimensions")
    return (rules.row(self, number) for number in range(self.shape[0]))


def _sum_method(self, *args: Any, **kwargs: Any) -> Any:
    """The sums along some dimensions: a BCOO, or a scalar."""
    return sparsify.sparsify(lambda x: x.sum(*args, **kwargs))(self)


def _astype(self, *args: Any, **kwargs: Any) -> Any:
    """The array with another dtype."""
    return sparsify.sparsify(lambda x: x.astype(*args, **kwargs))(self)


def _reshape(self, *args: Any, **kwargs: Any) -> Any:
    """The array with other sizes; see `bcoo_reshape`."""
    return sparsify.sparsify(lambda x: x.reshape(*args, **kwargs))(self)


def _bcoo_transpose(self, axes: Any = None) -> Any:
    """The array with its dimensions in another order; see `bcoo_transpose`."""
    order = list(range(self.ndim))[::-1] if axes is None else list(axes)
    return shaping.bcoo_transpose(self, permutation=order)


def _bcoo_fromdense(
    cls: Any,
    mat: Any,
    *,
    nse: int | None = None,
    index_dtype: Any = np.int32,
    n_dense: int = 0,
    n_batch: int = 0,
) -> Any:
    """Stores the elements of a dense array that are not zero; see `bcoo_fromdense`."""
    return conversion.bcoo_fromdense(
        mat, nse=nse, index_dtype=index_dtype, n_dense=n_dense, n_batch=n_batch
    )


def _check_scipy(name, n_batch, n_dense):
    if n_batch or n_dense:
        raise errors.not_implemented(
            f"{name}.from_scipy_sparse: matrices have no batch and no dense "
            "dimensions.",
            [("n_batch", str(n_batch)), ("n_dense", str(n_dense))],
            ways="Convert first, then call update_layout.",
        )


def _bcoo_from_scipy(
    cls: Any, mat: Any, *, index_dtype: Any = None, n_dense: int = 0, n_batch: int = 0
) -> Any:
    """The matrix that SciPy holds, in any of its formats."""
    _check_scipy("BCOO", n_batch, n_dense)
    mat = mat.tocoo()
    dtype = np.dtype(index_dtype or "int32")
    indices = np.stack([mat.row, mat.col], -1).astype(dtype)
    return bcoo.BCOO((jnp.asarray(mat.data), indices), shape=mat.shape)


def _bcsr_from_scipy(
    cls: Any, mat: Any, *, index_dtype: Any = None, n_dense: int = 0, n_batch: int = 0
) -> Any:
    """The matrix that SciPy holds, in any of its formats."""
    _check_scipy("BCSR", n_batch, n_dense)
    mat = mat.tocsr()
    dtype = np.dtype(index_dtype or "int32")
    buffers = mat.data, mat.indices.astype(dtype), mat.indptr.astype(dtype)
    return bcsr.BCSR(buffers, shape=mat.shape)


def _sum_duplicates(
    self: Any, nse: int | None = None, remove_zeros: bool = True
) -> Any:
    """The array with each element stored once, in order.

    Args:
        self: the array.
        nse: how many elements are stored; None: as many as needed.
        remove_zeros: whether stored zeros are left out.
    """
    if remove_zeros:
        return sums.bcoo_eliminate_zeros(self, nse=nse)
    return sums.bcoo_sum_duplicates(self, nse=nse)


def _update_layout(
    self: Any,
    *,
    n_batch: int | None = None,
    n_dense: int | None = None,
    on_inefficient: str | None = "error",
) -> Any:
    """Changes the numbers of batch and dense dimensions; see `bcoo_update_layout`."""
    return relayout.bcoo_update_layout(
        self, n_batch=n_batch, n_dense=n_dense, on_inefficient=on_inefficient
    )


def _sort_indices(self: Any) -> Any:
    """Sorts the stored elements by their indices; see `bcoo_sort_indices`."""
    return sums.bcoo_sort_indices(self)


def _todense(self: Any) -> Any:
    """The dense array."""
    return api.dense_of(self)


_BCOO_METHODS: dict[str, Any] = {
    "fromdense": classmethod(_bcoo_fromdense),
    "from_scipy_sparse": classmethod(_bcoo_from_scipy),
    "todense": _todense,
    "transpose": _bcoo_transpose,
    "sum_duplicates": _sum_duplicates,
    "sort_indices": _sort_indices,
    "update_layout": _update_layout,
    "sum": _sum_method,
    "astype": _astype,
    "reshape": _reshape,
    "__getitem__": _getitem,
    "__iter__": _iter,
    "__neg__": sparsify.sparsify(jnp.negative),
    "__pos__": lambda self: self,
    "__abs__": sparsify.sparsify(jnp.abs),
    "__matmul__": _binary(jnp.matmul),
    "__rmatmul__": _swapped(jnp.matmul),
    "__mul__": _binary(jnp.multiply),
    "__rmul__": _swapped(jnp.multiply),
    "__add__": _add,
    "__radd__": lambda self, other: _add(self, other),
    "__sub__": _binary(jnp.subtract),
    "__rsub__": _swapped(jnp.subtract),
    "__truediv__": _binary(jnp.divide),
    "__rtruediv__": _swapped(jnp.divide),
    "__pow__": _pow,
    "__rpow__": _swapped(jnp.power),
    "__eq__": _dense_result("eq"),
    "__ne__": _dense_result("ne"),
    "__lt__": _dense_result("lt"),
    "__le__": _dense_result("le"),
    "__gt__": _dense_result("gt"),
    "__ge__": _dense_result("ge"),
}


def _bcsr_fromdense(
    cls: Any,
    mat: Any,
    *,
    nse: int | None = None,
    index_dtype: Any = np.int32,
    n_dense: int = 0,
    n_batch: int = 0,
) -> Any:
    """Stores the elements of a dense array that are not zero; see `bcsr_fromdense`."""
    return compressed.bcsr_fromdense(
        mat, nse=nse, index_dtype=index_dtype, n_dense=n_dense, n_batch=n_batch
    )


def _bcsr_from_bcoo(cls: Any, arr: Any) -> Any:
    """Converts a BCOO array to BCSR, sorted by rows.

    Raises:
        NotImplementedError: it has not two sparse dimensions.
    """
    return compressed.from_bcoo(arr)


def _bcsr_sum_duplicates(
    self: Any, nse: int | None = None, remove_zeros: bool = True
) -> Any:
    """The array with each element stored once, in order; see `BCOO.sum_duplicates`."""
    if remove_zeros:
        return compressed.bcsr_eliminate_zeros(self, nse=nse)
    return compressed.bcsr_sum_duplicates(self, nse=nse)


def _to_bcoo(self: Any) -> Any:
    """Converts the array to BCOO."""
    return compressed.to_bcoo(self)


def _bcsr_getitem(self: Any, item: Any) -> Any:
    """The array with new dimensions: nothing else is possible on compressed rows."""
    parts = item if isinstance(item, tuple) else (item,)
    if any(p is not None and p is not Ellipsis and p != slice(None) for p in parts):
        raise compressed.bcsr_errors("indexing but with None", self)
    return sparsify.sparsify(lambda x: x[item])(self)


def _bcsr_no_product(self, other):
    raise compressed.bcsr_errors("product with what stands on its left", self)


def _bcsr_todense(self: Any) -> Any:
    """The dense array."""
    return compressed.bcsr_todense(self)


_BCSR_METHODS: dict[str, Any] = {
    "fromdense": classmethod(_bcsr_fromdense),
    "from_scipy_sparse": classmethod(_bcsr_from_scipy),
    "from_bcoo": classmethod(_bcsr_from_bcoo),
    "to_bcoo": _to_bcoo,
    "todense": _bcsr_todense,
    "sum_duplicates": _bcsr_sum_duplicates,
    "__getitem__": _bcsr_getitem,
    "__matmul__": _binary(jnp.matmul),
    "__rmatmul__": _bcsr_no_product,
}


def _install(cls: type, table: dict[str, Any]) -> None:
    for name, method in table.items():
        target = method.__func__ if isinstance(method, classmethod) else method
        target.__name__ = name
        target.__qualname__ = f"{cls.__name__}.{name}"
        setattr(cls, name, method)


_install(bcoo.BCOO, _BCOO_METHODS)
_install(bcsr.BCSR, _BCSR_METHODS)
bcoo.BCOO.__hash__ = None  # type: ignore[assignment]
