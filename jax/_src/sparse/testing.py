"""Random sparse arrays, and comparisons with dense ones, for tests of libraries."""

import functools as ft
import itertools
import math
import unittest
import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from jax._src import dtypes, tree
from jax._src.base import errors
from jax._src.jit import jit
from jax._src.lax import jacobians
from jax._src.numpy import creation
from jax._src.sparse import api, arrays, bcoo, bcsr

# How far sums of products of the dtype may be apart.
MATMUL_TOL = {
    np.float32: 1e-5,
    np.float64: 1e-10,
    np.complex64: 1e-5,
    np.complex128: 1e-10,
}


class BatchedDotGeneralProperties(NamedTuple):
    """Operands of a product, of which the left is sparse."""

    lhs_shape: tuple[int, ...]
    rhs_shape: tuple[int, ...]
    n_batch: int
    n_dense: int
    dimension_numbers: Any


class SparseLayout(NamedTuple):
    """How many axes of an array are of which kind."""

    n_batch: int
    n_dense: int
    n_sparse: int


def is_sparse(x: Any) -> bool:
    """Whether `x` is a sparse array."""
    return isinstance(x, arrays.JAXSparse)


def rand_default(rng: np.random.RandomState) -> Callable[..., np.ndarray]:
    """A maker of random arrays ``(shape, dtype)``: normal, or small whole numbers."""

    def make(shape, dtype):
        kind = np.dtype(dtype).kind
        if kind == "b":
            return rng.rand(*shape) < 0.5
        values = 3 * rng.randn(*shape)
        if kind == "c":
            values = values + 3j * rng.randn(*shape)
        return np.asarray(np.abs(values) if kind == "u" else values).astype(dtype)

    return make


def _count(nse, size):
    """How many elements are stored: so many, or that part of all."""
    return math.ceil(nse * size) if 0 <= nse < 1 else int(nse)


def _random(
    shape,
    dtype,
    *,
    make,
    form,
    rng=None,
    rand_method=rand_default,
    nse=0.5,
    n_batch=0,
    n_dense=0,
):
    n_sparse = len(shape) - n_batch - n_dense
    if min(n_sparse, n_batch, n_dense) < 0 or (form == "BCSR" and n_sparse != 2):
        raise errors.value_error(
            f"A random {form} array cannot have these axes.",
            [
                ("shape", str(tuple(shape))),
                ("n_batch", str(n_batch)),
                ("n_dense", str(n_dense)),
            ],
            "The axes are batch axes, then sparse ones, then dense ones; BCSR has two "
            "sparse axes.",
        )
    stop = n_batch + n_sparse
    batch, sparse, dense = shape[:n_batch], shape[n_batch:stop], shape[stop:]
    count = _count(nse, math.prod(sparse))
    data = rand_method(rng)((*batch, count, *dense), dtype)
    return make(
        creation.array(data), rng, tuple(batch), tuple(sparse), count, tuple(shape)
    )


def _bcoo(data, rng, batch, sparse, count, shape):
    indices = rng.randint(0, sparse, size=(*batch, count, len(sparse)))
    return bcoo.BCOO((data, creation.array(indices.astype(np.int32))), shape=shape)


def _bcsr(data, rng, batch, sparse, count, shape):
    columns = rng.randint(0, sparse[1], size=(*batch, count)).astype(np.int32)
    starts = np.sort(rng.randint(0, count + 1, size=(*batch, sparse[0] + 1)), axis=-1)
    starts[..., 0] = 0
    parts = (data, creation.array(columns), creation.array(starts.astype(np.int32)))
    return bcsr.BCSR(parts, shape=shape)


def rand_bcoo(
    rng: np.random.RandomState,
    rand_method: Callable[..., Any] = rand_default,
    nse: float = 0.5,
    n_batch: int = 0,
    n_dense: int = 0,
) -> Callable[..., Any]:
    """A maker of random BCOO arrays ``(shape, dtype)``.

    Args:
        rng: the source of random numbers.
        rand_method: from it to a maker of the values.
        nse: how many elements are stored; below 1: what part of all.
        n_batch: the number of batch axes.
        n_dense: the number of dense axes.
    """
    return ft.partial(
        _random,
        make=_bcoo,
        form="BCOO",
        rng=rng,
        rand_method=rand_method,
        nse=nse,
        n_batch=n_batch,
        n_dense=n_dense,
    )


def rand_bcsr(
    rng: np.random.RandomState,
    rand_method: Callable[..., Any] = rand_default,
    nse: float = 0.5,
    n_batch: int = 0,
    n_dense: int = 0,
) -> Callable[..., Any]:
    """A maker of random BCSR arrays, whose arguments are those of `rand_bcoo`."""
    return ft.partial(
        _random,
        make=_bcsr,
        form="BCSR",
        rng=rng,
        rand_method=rand_method,
        nse=nse,
        n_batch=n_batch,
        n_dense=n_dense,
    )


def _itself(x):
    return x


def rand_sparse(
    rng: np.random.RandomState,
    nse: float = 0.5,
    post: Callable[[np.ndarray], Any] = _itself,
    rand_method: Callable[..., Any] = rand_default,
) -> Callable[..., Any]:
    """A maker of random dense arrays, most of whose elements are zero.

    Args:
        rng: the source of random numbers.
        nse: how many elements may be other than zero; below 1: what part of all.
        post: is applied to each array.
        rand_method: from the source to a maker of the values.
    """

    def make(shape, dtype, nse=nse):
        values = rand_method(rng)(shape, dtype)
        size = math.prod(shape)
        kept = min(size, int(nse * size if 0 <= nse < 1 else nse))
        values.reshape(-1)[rng.choice(size, size - kept, replace=False)] = 0
        return post(values)

    return make


def iter_subsets(s: Sequence[Any]) -> Iterator[tuple]:
    """All subsets of a sequence, the small ones first."""
    sizes = range(len(s) + 1)
    return itertools.chain.from_iterable(itertools.combinations(s, n) for n in sizes)


def iter_sparse_layouts(
    shape: Sequence[int], min_n_batch: int = 0
) -> Iterator[SparseLayout]:
    """All ways to have batch, dense and sparse axes in a shape."""
    ndim = len(shape)
    for n_batch in range(min_n_batch, ndim + 1):
        for n_dense in range(ndim + 1 - n_batch):
            yield SparseLayout(n_batch, n_dense, ndim - n_batch - n_dense)


def iter_bcsr_layouts(
    shape: Sequence[int], min_n_batch: int = 0
) -> Iterator[SparseLayout]:
    """Yields the sparse layouts of a shape that have two sparse axes."""
    for n_batch in range(min_n_batch, len(shape) - 1):
        yield SparseLayout(n_batch, len(shape) - n_batch - 2, 2)


def _dense(trees):
    return tree.tree_map(api.todense, trees, is_leaf=is_sparse)


class SparseTestCase(unittest.TestCase):
    """A test case that compares functions of sparse arrays with those of dense ones."""

    def rng(self) -> np.random.RandomState:
        """A source of random numbers, the same in each run of one test."""
        return np.random.RandomState(zlib.adler32(self.id().encode()))

    def assertAllClose(
        self,
        actual: Any,
        desired: Any,
        *,
        check_dtypes: bool = True,
        atol: float | None = None,
        rtol: float | None = None,
        canonicalize_dtypes: bool = True,
        err_msg: str = "",
    ) -> None:
        """Fails unless two trees have the same structure, types, and nearly the same values."""
        found, structure = tree.tree_flatten(actual)
        wanted, other = tree.tree_flatten(desired)
        self.assertEqual(structure, other, err_msg)
        known = dtypes.canonicalize_dtype if canonicalize_dtypes else np.dtype
        for x, y in zip(map(np.asarray, found), map(np.asarray, wanted), strict=True):
            self.assertEqual(x.shape, y.shape, err_msg)
            if check_dtypes:
                self.assertEqual(known(x.dtype), known(y.dtype), err_msg)
            near = MATMUL_TOL.get(x.dtype.type, 0.0)
            np.testing.assert_allclose(
                x,
                y,
                atol=near if atol is None else atol,
                rtol=near if rtol is None else rtol,
                err_msg=err_msg,
            )

    def assertSparseArraysEquivalent(
        self,
        x: Any,
        y: Any,
        *,
        check_dtypes: bool = True,
        atol: float | None = None,
        rtol: float | None = None,
        canonicalize_dtypes: bool = True,
        err_msg: str = "",
    ) -> None:
        """Fails unless the arrays behind two trees of sparse arrays are nearly the same."""
        self.assertAllClose(
            x,
            y,
            check_dtypes=check_dtypes,
            atol=atol,
            rtol=rtol,
            canonicalize_dtypes=canonicalize_dtypes,
            err_msg=err_msg,
        )

    def _CheckAgainstDense(
        self,
        dense_op: Callable[..., Any],
        sparse_op: Callable[..., Any],
        args_maker: Callable[[], Sequence[Any]],
        check_jit: bool = True,
        check_dtypes: bool = True,
        tol: float | None = None,
        atol: float | None = None,
        rtol: float | None = None,
        canonicalize_dtypes: bool = True,
    ) -> None:
        near = {
            "atol": tol if atol is None else atol,
            "rtol": tol if rtol is None else rtol,
        }
        args = args_maker()
        found = sparse_op(*args)
        self.assertAllClose(
            _dense(found),
            dense_op(*_dense(list(args))),
            check_dtypes=check_dtypes,
            canonicalize_dtypes=canonicalize_dtypes,
            **near,
        )
        if check_jit:
            self.assertSparseArraysEquivalent(found, jit.jit(sparse_op)(*args), **near)

    def _CheckGradsSparse(
        self,
        dense_fun: Callable[..., Any],
        sparse_fun: Callable[..., Any],
        args_maker: Callable[[], Sequence[Any]],
        *,
        argnums: Sequence[int] | None = None,
        modes: Sequence[str] = ("fwd", "rev"),
        atol: float | None = None,
        rtol: float | None = None,
    ) -> None:
        args = list(args_maker())
        leaves, structure = tree.tree_flatten(args)
        counts = [len(tree.tree_leaves(arg)) for arg in args]
        firsts = np.cumsum([0, *counts[:-1]]).tolist()
        chosen = firsts if argnums is None else [firsts[n] for n in argnums]

        def of_dense(*xs):
            return dense_fun(*_dense(tree.tree_unflatten(structure, xs)))

        def of_sparse(*xs):
            return _dense(sparse_fun(*tree.tree_unflatten(structure, xs)))

        ways = {"fwd": jacobians.jacfwd, "rev": jacobians.jacrev}
        for mode in modes:
            both = [
                ways[mode](f, argnums=tuple(chosen))(*leaves)
                for f in (of_dense, of_sparse)
            ]
            self.assertAllClose(*both, atol=atol, rtol=rtol)
