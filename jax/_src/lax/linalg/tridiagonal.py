"""Tridiagonal matrices: reduction to them, and equations with them."""

from typing import Any

import numpy as np

from jax._src.base import traceback_filter
from jax._src.core.avals import ShapedArray
from jax._src.core.primitive import Sample, Unsupported, declare
from jax._src.lax.linalg import lapack, matrices
from jax._src.lax.linalg.portable import factors, tools
from jax._src.lax.ops import emit, splitting
from jax._src.lax.ops.arithmetic import mul, neg
from jax._src.lax.ops.broadcast_and_reduce_sum import broadcast_in_dim
from jax._src.lax.ops.checks import check_same_dtypes
from jax._src.lax.ops.complex_parts import real_dtype
from jax._src.lax.ops.messages import type_error
from jax._src.lax.ops.slicing_padding import pad

Array = Any


@declare("tridiagonal", multiple_results=True)
class tridiagonal_p:
    """Hermitian matrices reduced to tridiagonal ones, and the reflectors for it."""

    def types(a, *, lower):
        matrices.check_matrices("tridiagonal", a, square=True)
        *batch, n, _ = a.shape
        part = real_dtype(a.dtype)
        off = (*batch, max(n - 1, 0))
        return [
            ShapedArray(a.shape, a.dtype),
            ShapedArray((*batch, n), part),
            ShapedArray(off, part),
            ShapedArray(off, a.dtype),
        ]

    sharding = splitting.batch_only("tridiagonal")

    lower = tools.lowering(factors.tridiagonal, 2)

    def _lower_cpu(ctx, a, *, lower):
        avals = ctx.avals_out
        if 0 in avals[0].shape:
            return [a, *map(emit.zeros, avals[1:])]
        batch = avals[0].ndim - 2
        results = [(v.shape[batch:], v.dtype) for v in avals]
        *found, info = lapack.call(
            ctx,
            "hetrd",
            avals[0].dtype,
            batch,
            [a],
            [*results, ((), np.int32)],
            uplo="L" if lower else "U",
        )
        return lapack.checked(info, batch, found)

    lower_platforms = {"cpu": _lower_cpu}

    jvp = Unsupported("the reflectors are no smooth function of the matrix")

    def batch(axis, args, dims, **params):
        rule = matrices.batched_in_front(lambda a, **p: tridiagonal_p.bind(a, **p), 4)
        return rule(axis, args, dims, **params)

    def reference(a, *, lower):
        def one(a):
            name = "sytrd" if a.dtype.kind == "f" else "hetrd"
            (run,) = lapack.scipy_linalg().lapack.get_lapack_funcs((name,), (a,))
            *found, _ = run(a, lower=lower)
            return found

        return lapack.each_matrix(one, a, ndims=[2])

    ulp = 4096

    def samples():
        x = np.float32([[4.0, 1.0, 0.5], [1.0, -3.0, -0.7], [0.5, -0.7, 2.0]])
        off = np.float32([[0.0, 0.3, -0.2], [-0.3, 0.0, 0.4], [0.2, -0.4, 0.0]])
        z = (x + 1j * off).astype(np.complex64)
        return [
            Sample((x,), {"lower": True}),
            Sample((np.stack([x, -x]),), {"lower": False}),
            Sample((z,), {"lower": True}),
        ]


def tridiagonal(a: Array, *, lower: bool = True) -> list[Array]:
    """Reduces Hermitian matrices to real tridiagonal ones.

    Args:
        a: array of shape ``(..., n, n)``.
        lower: whether the lower triangle of `a` is read, otherwise the upper one.

    Returns:
        A list of an array of the shape of `a` with the tridiagonal matrix and, beyond
        it, reflectors; of its diagonal, of shape ``(..., n)``; of the one beside it, of
        shape ``(..., n - 1)``; and of the scales of the reflectors.

    Raises:
        TypeError: `a` is no matrix of floats. ValueError: it is not square.
    """
    return tridiagonal_p.bind(a, lower=bool(lower))


@declare("tridiagonal_solve")
class tridiagonal_solve_p:
    """Solves equations with tridiagonal matrices."""

    def types(dl, d, du, b, *, perturb_singular):
        _check(dl, d, du, b)
        return ShapedArray(b.shape, b.dtype)

    sharding = splitting.batch_only("tridiagonal_solve", (1, 1, 1, 2))

    lower = tools.lowering(factors.tridiagonal_solve, 1, 1, 1, 2, many=False)

    def _lower_cpu(ctx, dl, d, du, b, *, perturb_singular):
        avals = ctx.avals_in
        batch = avals[-1].ndim - 2
        results = [(v.shape[batch:], v.dtype) for v in avals]
        *_, x, info = lapack.call(
            ctx,
            "gtsv",
            avals[-1].dtype,
            batch,
            [dl, d, du, b],
            [*results, ((), np.int32)],
        )
        return lapack.checked(info, batch, [x])[0]

    lower_platforms = {"cpu": _lower_cpu}

    jvp = (
        lambda t, *a, out, **p: _moved_by(a, neg(_shifted_product(t, out, -1)), p),
        lambda t, *a, out, **p: _moved_by(a, neg(_shifted_product(t, out, 0)), p),
        lambda t, *a, out, **p: _moved_by(a, neg(_shifted_product(t, out, 1)), p),
        lambda t, *a, **p: _moved_by(a, t, p),
    )

    def transpose(ct, dl, d, du, b, **params):
        # The diagonals of the transpose, each counted by rows again.
        lower, upper = _shifted(du, -1), _shifted(dl, 1)
        turned = tridiagonal_solve_p.bind(lower, d, upper, ct, **params)
        return [None, None, None, turned]

    batch = matrices.batched_in_front(
        lambda *args, **p: tridiagonal_solve_p.bind(*args, **p)
    )

    def reference(dl, d, du, b, *, perturb_singular):
        def one(dl, d, du, b):
            wide = np.result_type(b.dtype, np.float64)
            matrix = np.diag(d.astype(wide))
            matrix += np.diag(dl[1:], -1) + np.diag(du[:-1], 1)
            return [np.linalg.solve(matrix, b).astype(b.dtype)]

        return lapack.each_matrix(one, dl, d, du, b, ndims=[1, 1, 1, 2])[0]

    ulp = 256

    def samples():
        dl, d = np.float32([0.0, 1.0, 2.0]), np.float32([4.0, -5.0, 6.0])
        du = np.float32([1.0, 0.5, 0.0])
        b = np.float32([[1.0, 2.0], [-0.5, 0.3], [0.7, -1.2]])
        flags = {"perturb_singular": False}
        two = [np.stack([v, v[::-1]]) for v in (d, b)]
        phases = (1 + 0.5j, 0.3 - 2j, 1j, 1 - 0.7j)
        z = [
            (v * p).astype(np.complex64)
            for v, p in zip((dl, d, du, b), phases, strict=True)
        ]
        return [
            Sample((dl, d, du, b), flags),
            Sample((np.stack([dl, dl]), two[0], np.stack([du, du]), two[1]), flags),
            Sample(tuple(z), flags),
        ]


def _moved_by(operands, right, params):
    dl, d, du, _ = operands
    return tridiagonal_solve_p.bind(dl, d, du, right, **params)


def _shifted(x, offset):
    """Vectors whose element ``i`` is ``x[i + offset]``, zero beyond the ends."""
    config = [(0, 0, 0)] * (np.ndim(x) - 1) + [(-offset, offset, 0)]
    return pad(x, matrices.full_scalar(x, 0), config)


def _shifted_product(diagonal, x, offset):
    """One diagonal's part of a product: row ``i`` takes row ``i + offset`` of `x`."""
    ndim = np.ndim(x)
    config = [(0, 0, 0)] * (ndim - 2) + [(-offset, offset, 0), (0, 0, 0)]
    moved = pad(x, matrices.full_scalar(x, 0), config)
    return mul(broadcast_in_dim(diagonal, np.shape(x), range(ndim - 1)), moved)


def _check(dl, d, du, b):
    for x in (dl, d, du):
        check_same_dtypes("tridiagonal_solve", (x, b))
    matrices.check_matrices("tridiagonal_solve", b)
    facts = [
        (name, x.str_short())
        for name, x in zip(("dl", "d", "du", "b"), (dl, d, du, b), strict=True)
    ]
    if not dl.shape == d.shape == du.shape:
        raise type_error(
            "lax.linalg.tridiagonal_solve: the diagonals differ in shape.",
            facts,
            "Each has an entry for every row: dl[0] and du[-1] are not read.",
        )
    if d.shape != b.shape[:-1]:
        raise type_error(
            "lax.linalg.tridiagonal_solve: the right side does not fit.",
            facts,
            "b has a row for each entry of the diagonals.",
        )


def tridiagonal_solve(
    dl: Array, d: Array, du: Array, b: Array, *, perturb_singular: bool = False
) -> Array:
    """Solves equations with tridiagonal matrices.

    Args:
        dl: array of shape ``(..., n)``, the diagonal below the main one; its first
            element is not read.
        d: array of shape ``(..., n)``, the main diagonal.
        du: array of shape ``(..., n)``, the diagonal above; its last element is not
            read.
        b: array of shape ``(..., n, k)``.
        perturb_singular: for methods on other platforms that need it; here it changes
            nothing.

    Returns:
        Array of the shape of `b`; NaN for a matrix that is singular.

    Raises:
        TypeError: shapes or dtypes do not fit.
    """
    return tridiagonal_solve_p.bind(
        dl, d, du, b, perturb_singular=bool(perturb_singular)
    )


traceback_filter.hide_frames(globals())
