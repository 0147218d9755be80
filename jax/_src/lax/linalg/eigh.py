"""Eigenvalues and eigenvectors of Hermitian matrices."""

import enum
from typing import Any

import numpy as np

from jax._src.base import traceback_filter
from jax._src.core.avals import ShapedArray, get_aval
from jax._src.core.primitive import Sample, declare
from jax._src.lax.linalg import lapack, matrices
from jax._src.lax.linalg.cholesky import check_square
from jax._src.lax.linalg.portable import jacobi, tools
from jax._src.lax.ops import splitting
from jax._src.lax.ops.arithmetic import mul, sub
from jax._src.lax.ops.broadcast_and_reduce_sum import expand_dims
from jax._src.lax.ops.complex_parts import real_dtype
from jax._src.lax.ops.conversion import convert
from jax._src.lax.ops.messages import not_implemented

Array = Any


class EighImplementation(enum.Enum):
    """Methods for Hermitian eigenvalues; which there are depends on the platform."""

    QR = "qr"
    JACOBI = "jacobi"
    QDWH = "qdwh"


@declare("eigh", multiple_results=True)
class eigh_p:
    """Eigenvectors and eigenvalues of Hermitian matrices, or the latter alone.

    Vectors go where nothing uses them: values alone cost a half.
    """

    def types(x, *, compute_vectors=True, **params):
        matrices.check_matrices("eigh", x, square=True)
        values = ShapedArray(x.shape[:-1], real_dtype(x.dtype))
        return [ShapedArray(x.shape, x.dtype), values] if compute_vectors else [values]

    sharding = splitting.batch_only("eigh")

    def lower(ctx, x, *, compute_vectors=True, **params):
        found = tools.lowering(jacobi.eigh, 2)(ctx, x, **params)
        return found if compute_vectors else found[1:]

    def _lower_cpu(
        ctx,
        x,
        *,
        lower,
        sort_eigenvalues,
        subset_by_index,
        algorithm,
        compute_vectors=True,
    ):
        if algorithm not in (None, EighImplementation.QR):
            raise not_implemented(
                "lax.linalg.eigh: this method is not implemented on this platform.",
                [("implementation", algorithm.name)],
                "On CPUs the method is QR.",
                "Leave the argument out.",
            )
        matrix, values = ctx.avals_in[0], ctx.avals_out[-1]
        batch = matrix.ndim - 2
        results = [
            (matrix.shape[batch:], matrix.dtype),
            (values.shape[batch:], values.dtype),
            ((), np.int32),
        ]
        *found, info = lapack.call(
            ctx,
            "heevd",
            matrix.dtype,
            batch,
            [x],
            results,
            mode="V" if compute_vectors else "N",
            uplo="L" if lower else "U",
        )
        return lapack.checked(info, batch, found[-len(ctx.avals_out) :])

    lower_platforms = {"cpu": _lower_cpu}

    def dce(used_outputs, eqn):
        return matrices.vectors_dropped(eqn, used_outputs, {"compute_vectors": [0]})

    jvp = (lambda t, x, *, out, **params: _tangents(t, x, out, **params),)

    def batch(axis, args, dims, **params):
        rule = matrices.batched_in_front(lambda x, **p: eigh_p.bind(x, **p), 2)
        return rule(axis, args, dims, **params)

    def reference(x, *, lower, compute_vectors=True, **params):
        def one(x):
            # SciPy's: signs of vectors are the routine's choice.
            run = lapack.scipy_linalg().eigh
            options = {"check_finite": False, "driver": "evd"}
            try:
                values, vectors = run(x, lower=lower, **options)
            except (np.linalg.LinAlgError, ValueError):
                values = np.full(x.shape[0], np.nan, real_dtype(x.dtype))
                vectors = np.full_like(x, np.nan)
            return (vectors, values) if compute_vectors else (values,)

        return lapack.each_matrix(one, x, ndims=[2])

    ulp = 4096
    exempt = {
        "jvp": "matrices are taken to be Hermitian, and so must be directions; "
        "tests/lax covers it"
    }

    def samples():
        x = np.float32([[4.0, 1.0, 0.5], [1.0, -3.0, -0.7], [0.5, -0.7, 2.0]])
        off = np.float32([[0.0, 0.3, -0.2], [-0.3, 0.0, 0.4], [0.2, -0.4, 0.0]])
        z = (x + 1j * off).astype(np.complex64)
        plain = {
            "lower": True,
            "sort_eigenvalues": True,
            "subset_by_index": None,
            "algorithm": None,
        }
        return [
            Sample((x,), plain),
            Sample((x,), {**plain, "lower": False}),
            Sample((x,), {**plain, "compute_vectors": False}),
            Sample((z,), plain),
            # Of real stacks the signs of vectors are not SciPy's.
            Sample((np.stack([z, -z]),), plain),
            Sample((np.zeros((0, 0), np.float32),), plain),
        ]


def _tangents(t, x, out, *, compute_vectors=True, **params):
    """From A V = V W with V^H V = 1: dW = diag M, dV = V (F o M), M = V^H dA V.

    F divides by the gaps of the eigenvalues. The vectors of equal ones are determined
    up to a turn; it is taken to stay.

    Reference: Giles, Collected matrix derivative results, 2008, section 3.1.
    """
    vectors, values = out if compute_vectors else eigh_p.bind(x, **params)
    ndim = np.ndim(t)
    inner = matrices.product(matrices.adjoint(vectors), matrices.product(t, vectors))
    t_values = matrices.real_part(matrices.diagonal(inner))
    if not compute_vectors:
        return [t_values]
    gaps = sub(expand_dims(values, (ndim - 2,)), expand_dims(values, (ndim - 1,)))
    limit = expand_dims(matrices.rounding_of(values), (ndim - 1,))
    factors = matrices.inverse_beyond(limit, gaps)
    turned = mul(convert(factors, get_aval(inner).dtype), inner)
    return [matrices.product(vectors, turned), t_values]


def eigh(
    x: Array,
    *,
    lower: bool = True,
    symmetrize_input: bool = True,
    sort_eigenvalues: bool = True,
    subset_by_index: tuple[int, int] | None = None,
    implementation: EighImplementation | None = None,
) -> tuple[Array, Array]:
    """Eigenvectors and eigenvalues of Hermitian matrices.

    Args:
        x: array of shape ``(..., n, n)``.
        lower: whether the lower triangle is read, without `symmetrize_input`.
        symmetrize_input: whether to replace `x` by the mean of it and its conjugate
            transpose.
        sort_eigenvalues: whether eigenvalues must increase. They do on CPUs.
        subset_by_index: the first number and the end of the eigenvalues wanted; other
            than all, not supported on this platform.
        implementation: the method; None chooses.

    Returns:
        The eigenvectors, the columns of an array of shape ``(..., n, n)``, and the
        eigenvalues of shape ``(..., n)``. NaN where the method does not converge.

    Raises:
        TypeError: `x` is no square matrix of floats. NotImplementedError: the platform
            lacks the method or the subset.

    Derivatives of vectors: those of equal eigenvalues (up to rounding) are taken not to
    turn among themselves. That is right for projections to what such vectors span. A
    function that changes as equal values split, as most of ``(v * w) @ v.mH`` do, has no
    derivative by way of the vectors: that share is missing.
    """
    check_square("eigh", x)
    if subset_by_index is not None:
        n = np.shape(x)[-1]
        if tuple(subset_by_index) != (0, n):
            raise not_implemented(
                "lax.linalg.eigh: some of the eigenvalues alone cannot be had.",
                [("subset_by_index", str(tuple(subset_by_index)))],
                "On CPUs and GPUs all are computed.",
                "Leave the argument out, and index the results.",
            )
        subset_by_index = None
    if symmetrize_input:
        x = matrices.symmetrized(x)
    vectors, values = eigh_p.bind(
        x,
        lower=bool(lower),
        sort_eigenvalues=bool(sort_eigenvalues),
        subset_by_index=subset_by_index,
        algorithm=implementation,
    )
    return vectors, values


traceback_filter.hide_frames(globals())
