"""Schur and Hessenberg forms: similar matrices that are nearly triangular."""

from collections.abc import Callable
from typing import Any

import numpy as np

from jax._src.base import traceback_filter
from jax._src.core.avals import ShapedArray
from jax._src.core.primitive import Sample, Unsupported, declare
from jax._src.lax.linalg import lapack, matrices
from jax._src.lax.linalg.portable import factors, general, real_schur, tools
from jax._src.lax.ops import splitting
from jax._src.lax.ops.checks import is_complex
from jax._src.lax.ops.messages import not_implemented

Array = Any

_FORM = Unsupported("the form of a matrix is not determined by it alone")


def _sample_matrices():
    x = np.float32([[1.0, 4.0, -2.0], [-3.0, 0.5, 1.0], [-2.0, -1.5, 2.0]])
    return x, (x + 1j * np.roll(x, 2)).astype(np.complex64)


@declare("schur", multiple_results=True)
class schur_p:
    """Schur forms, and the orthogonal matrices that lead to them."""

    def types(x, *, compute_schur_vectors, sort_eig_vals, select_callable):
        matrices.check_matrices("schur", x, square=True)
        form = ShapedArray(x.shape, x.dtype)
        return [form, form] if compute_schur_vectors else [form]

    sharding = splitting.batch_only("schur")

    def lower(ctx, x, *, compute_schur_vectors, **params):
        if 0 in ctx.avals_in[0].shape:
            return [lapack.emit.zeros(aval) for aval in ctx.avals_out]
        method = general if is_complex(ctx.avals_in[0].dtype) else real_schur
        found = tools.lowering(method.schur, 2)(ctx, x)
        return found if compute_schur_vectors else found[:1]

    def _lower_cpu(ctx, x, *, compute_schur_vectors, sort_eig_vals, select_callable):
        aval = ctx.avals_out[0]
        batch = aval.ndim - 2
        matrix, vector = aval.shape[batch:], aval.shape[batch : batch + 1]
        parts = 1 if is_complex(aval.dtype) else 2
        results = [
            *[(matrix, aval.dtype)] * 2,
            *[(vector, aval.dtype)] * parts,
            *[((), np.int32)] * 2,
        ]
        form, vectors, *_, info = lapack.call(
            ctx,
            "gees",
            aval.dtype,
            batch,
            [x],
            results,
            mode="V" if compute_schur_vectors else "N",
            sort="N",
        )
        found = [form, vectors] if compute_schur_vectors else [form]
        return lapack.checked(info, batch, found)

    lower_platforms = {"cpu": _lower_cpu}

    def dce(used_outputs, eqn):
        return matrices.vectors_dropped(
            eqn, used_outputs, {"compute_schur_vectors": [1]}
        )

    jvp = _FORM

    def batch(axis, args, dims, **params):
        rule = matrices.batched_in_front(lambda x, **p: schur_p.bind(x, **p), 2)
        return rule(axis, args, dims, **params)

    def reference(x, *, compute_schur_vectors, **params):
        def one(x):
            # SciPy's: the order of eigenvalues is the routine's choice.
            form, vectors = lapack.scipy_linalg().schur(x, output="real")
            return (form, vectors) if compute_schur_vectors else (form,)

        return lapack.each_matrix(one, x, ndims=[2])

    ulp = 4096

    def samples():
        x, z = _sample_matrices()

        def flags(vectors):
            return {
                "compute_schur_vectors": vectors,
                "sort_eig_vals": False,
                "select_callable": None,
            }

        return [
            Sample((x,), flags(True)),
            Sample((np.stack([x, x.T]),), flags(False)),
            Sample((z,), flags(True)),
        ]


def schur(
    x: Array,
    *,
    compute_schur_vectors: bool = True,
    sort_eig_vals: bool = False,
    select_callable: Callable[..., Any] | None = None,
) -> list[Array]:
    """Schur forms: ``x = z t z^H`` with unitary ``z``.

    Args:
        x: array of shape ``(..., n, n)``.
        compute_schur_vectors: whether to return ``z``.
        sort_eig_vals: whether to sort eigenvalues; not supported.
        select_callable: which eigenvalues come first; not supported.

    Returns:
        A list of ``t`` of the shape of `x`, which is upper triangular for complex
        matrices; for real ones it is upper triangular with blocks of size 2 for pairs
        of complex eigenvalues; and of ``z``. NaN where the method does not converge.

    Raises:
        TypeError: `x` is no matrix of floats. ValueError: it is not square.
        NotImplementedError: eigenvalues are to be sorted.
    """
    if sort_eig_vals or select_callable is not None:
        raise not_implemented(
            "lax.linalg.schur: eigenvalues cannot be sorted.",
            [("sort_eig_vals", str(sort_eig_vals))],
            "They come in the order in which they are found.",
            "Leave sort_eig_vals and select_callable out.",
        )
    return schur_p.bind(
        x,
        compute_schur_vectors=bool(compute_schur_vectors),
        sort_eig_vals=False,
        select_callable=None,
    )


@declare("hessenberg", multiple_results=True)
class hessenberg_p:
    """Hessenberg forms, packed with the reflectors that lead to them."""

    def types(a):
        matrices.check_matrices("hessenberg", a, square=True)
        *batch, n, _ = a.shape
        scales = ShapedArray((*batch, max(n - 1, 0)), a.dtype)
        return [ShapedArray(a.shape, a.dtype), scales]

    sharding = splitting.batch_only("hessenberg")

    lower = tools.lowering(factors.hessenberg, 2)

    def _lower_cpu(ctx, a):
        packed, scales = ctx.avals_out
        batch, n = packed.ndim - 2, packed.shape[-1]
        if 0 in packed.shape:
            return [a, lapack.emit.zeros(scales)]
        results = [
            (packed.shape[batch:], packed.dtype),
            (scales.shape[batch:], scales.dtype),
            ((), np.int32),
        ]
        *found, info = lapack.call(
            ctx, "gehrd", packed.dtype, batch, [a], results, low=1, high=n
        )
        return lapack.checked(info, batch, found)

    lower_platforms = {"cpu": _lower_cpu}

    jvp = _FORM
    batch = matrices.batched_in_front(lambda a: hessenberg_p.bind(a), 2)

    def reference(a):
        return lapack.each_matrix(_reflect_both_sides, a, ndims=[2])

    ulp = 4096

    def samples():
        x, z = _sample_matrices()
        return [
            Sample((x,)),
            Sample((np.stack([x, x.T]),)),
            Sample((z,)),
            Sample((x[:1, :1].copy(),)),
        ]


def _reflect_both_sides(a):
    """Householder's reflections from both sides, by SciPy's routine for one matrix."""
    (run,) = lapack.scipy_linalg().lapack.get_lapack_funcs(("gehrd",), (a,))
    packed, scales, _ = run(a)
    return packed, scales


def hessenberg(a: Array) -> list[Array]:
    """Hessenberg forms: zero below the diagonal next to the main one.

    Args:
        a: array of shape ``(..., n, n)``.

    Returns:
        A list of an array of the shape of `a` with the form, and below it reflectors;
        and of their scales, of shape ``(..., n - 1)``.

    Raises:
        TypeError: `a` is no matrix of floats. ValueError: it is not square.
    """
    return hessenberg_p.bind(a)


traceback_filter.hide_frames(globals())
