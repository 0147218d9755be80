"""Eigenvalues and eigenvectors of square matrices of any kind."""

import enum
from typing import Any

import numpy as np

from jax._src.base import traceback_filter
from jax._src.core.avals import ShapedArray
from jax._src.core.primitive import Sample, declare
from jax._src.lax.linalg import lapack, matrices
from jax._src.lax.linalg.lu import lu_p
from jax._src.lax.linalg.portable import general, tools
from jax._src.lax.linalg.solve import lu_solve
from jax._src.lax.ops import emit, splitting
from jax._src.lax.ops.arithmetic import div, mul, sub
from jax._src.lax.ops.broadcast_and_reduce_sum import (
    broadcast_in_dim,
    expand_dims,
    reduce_sum,
)
from jax._src.lax.ops.checks import is_complex
from jax._src.lax.ops.complex_parts import complex as complex_of, complex_dtype, imag
from jax._src.lax.ops.conversion import convert
from jax._src.lax.ops.creation import full_like
from jax._src.lax.ops.messages import not_implemented, value_error
from jax._src.lax.ops.reductions import argmax
from jax._src.lax.ops.rounding import abs as absolute
from jax._src.lax.ops.sorting import take_along

Array = Any


class EigImplementation(enum.Enum):
    """Libraries for eigenvalues of square matrices; CPUs have LAPACK."""

    CUSOLVER = "cusolver"
    MAGMA = "magma"
    LAPACK = "lapack"


@declare("eig", multiple_results=True)
class eig_p:
    """Eigenvalues, and left and right eigenvectors, all complex."""

    def types(x, *, compute_left_eigenvectors, compute_right_eigenvectors, **params):
        matrices.check_matrices("eig", x, square=True)
        dtype = complex_dtype(x.dtype)
        vectors = ShapedArray(x.shape, dtype)
        count = compute_left_eigenvectors + compute_right_eigenvectors
        return [ShapedArray(x.shape[:-1], dtype), *[vectors] * count]

    sharding = splitting.batch_only("eig")

    def lower(ctx, x, **params):
        if 0 in ctx.avals_in[0].shape:
            return [emit.zeros(aval) for aval in ctx.avals_out]
        return tools.lowering(general.eig, 2)(ctx, x, **params)

    def _lower_cpu(
        ctx,
        x,
        *,
        compute_left_eigenvectors,
        compute_right_eigenvectors,
        enable_eigvec_derivs,
        implementation,
    ):
        _check_implementation(implementation)
        return _call(
            ctx,
            x,
            ctx.avals_in[0],
            ctx.avals_out[0],
            compute_left_eigenvectors,
            compute_right_eigenvectors,
        )

    lower_platforms = {"cpu": _lower_cpu}

    def dce(used_outputs, eqn):
        left = int(eqn.params["compute_left_eigenvectors"])
        flags = {
            "compute_left_eigenvectors": [1],
            "compute_right_eigenvectors": [1 + left],
        }
        return matrices.vectors_dropped(eqn, used_outputs, flags)

    jvp = (lambda t, x, *, out, **params: _tangents(t, x, out, **params),)

    def batch(axis, args, dims, **params):
        rule = matrices.batched_in_front(lambda x, **p: eig_p.bind(x, **p), 3)
        return rule(axis, args, dims, **params)

    def reference(
        x, *, compute_left_eigenvectors, compute_right_eigenvectors, **params
    ):
        def one(x):
            left, right = compute_left_eigenvectors, compute_right_eigenvectors
            found = lapack.scipy_linalg().eig(x, left=left, right=right)
            found = found if left or right else [found]
            # Real eigenvectors come as real arrays.
            return [np.asarray(part, complex_dtype(x.dtype)) for part in found]

        return lapack.each_matrix(one, x, ndims=[2])

    ulp = 4096

    def samples():
        x = np.float32([[1.0, 4.0, -2.0], [3.0, 0.5, 1.0], [-2.0, 1.5, 5.0]])
        y = np.float32([[1.0, 4.0, -2.0], [-3.0, 0.5, 1.0], [-2.0, -1.5, 2.0]])
        z = (x + 1j * np.roll(x, 2)).astype(np.complex64)

        def flags(left, right):
            return {
                "compute_left_eigenvectors": left,
                "compute_right_eigenvectors": right,
                "enable_eigvec_derivs": True,
                "implementation": None,
            }

        return [
            Sample((x,), flags(False, False)),
            Sample((y,), flags(True, True)),
            Sample((y,), flags(False, True)),
            Sample((np.stack([x, y]),), flags(True, False)),
            Sample((z,), flags(True, True)),
            Sample((np.zeros((0, 0), np.float32),), flags(True, True)),
        ]


def _check_implementation(implementation):
    if implementation not in (None, EigImplementation.LAPACK):
        raise value_error(
            "lax.linalg.eig: this library is not there on CPUs.",
            [("implementation", implementation.name)],
            "On CPUs it is LAPACK.",
            "Leave the argument out.",
        )


def _call(ctx, x, aval, values, left, right):
    batch = aval.ndim - 2
    vector, matrix = values.shape[batch:], aval.shape[batch:]
    parts = 1 if is_complex(aval.dtype) else 2
    results = [
        *[(vector, aval.dtype)] * parts,
        *[(matrix, values.dtype)] * 2,
        ((), np.int32),
    ]
    *found, info = lapack.call(
        ctx,
        "geev",
        aval.dtype,
        batch,
        [x],
        results,
        compute_left="V" if left else "N",
        compute_right="V" if right else "N",
    )
    *eigenvalues, left_vectors, right_vectors = found
    if parts == 2:
        eigenvalues = [emit.operation("complex")(*eigenvalues)]
    vectors = [left_vectors] * left + [right_vectors] * right
    return lapack.checked(info, batch, [*eigenvalues, *vectors])


def _tangents(
    t,
    x,
    out,
    *,
    compute_left_eigenvectors,
    compute_right_eigenvectors,
    enable_eigvec_derivs,
    implementation,
):
    """From A V = V W: dW = diag M and dV = V (F o M), M = V^-1 dA V.

    Left eigenvectors are right ones of the adjoint, for conjugate eigenvalues. Vectors
    keep their length 1, and their largest component stays real.
    """
    wants_vectors = compute_left_eigenvectors or compute_right_eigenvectors
    if wants_vectors and not enable_eigvec_derivs:
        raise not_implemented(
            "Differentiation of eigenvectors of a matrix that is not symmetric.",
            [("enable_eigvec_derivs", "False")],
            "Eigenvectors are determined up to a factor; their derivatives only "
            "mean something where the eigenvalues differ and the result does not "
            "depend on that factor, which cannot be checked.",
            "Eigenvalues alone: jnp.linalg.eigvals.",
            "To take the responsibility: lax.linalg.eig(x, enable_eigvec_derivs=True).",
        )
    flags = {
        "enable_eigvec_derivs": enable_eigvec_derivs,
        "implementation": implementation,
        "compute_left_eigenvectors": False,
        "compute_right_eigenvectors": True,
    }
    values = out[0]
    right = out[-1] if compute_right_eigenvectors else eig_p.bind(x, **flags)[1]
    t = convert(t, complex_dtype(np.dtype(t.dtype)))
    factors, _, order = lu_p.bind(right)
    inner = lu_solve(factors, order, matrices.product(t, right))
    tangents = [matrices.diagonal(inner)]
    if compute_left_eigenvectors:
        left = out[1]
        factors, _, order = lu_p.bind(left)
        turned = lu_solve(factors, order, matrices.product(matrices.adjoint(t), left))
        tangents.append(_vector_tangent(left, matrices.conjugated(values), turned))
    if compute_right_eigenvectors:
        tangents.append(_vector_tangent(right, values, inner))
    return tangents


def _vector_tangent(vectors, values, inner):
    ndim, n = np.ndim(vectors), np.shape(vectors)[-1]
    if not n:
        return vectors
    gaps = sub(expand_dims(values, (ndim - 2,)), expand_dims(values, (ndim - 1,)))
    limit = expand_dims(matrices.rounding_of(values), (ndim - 1,))
    factors = matrices.inverse_beyond(limit, gaps)
    free = matrices.product(vectors, mul(factors, inner))
    # Stay of length 1: what points along the vector goes.
    along = reduce_sum(mul(matrices.conjugated(vectors), free), (ndim - 2,))
    free = sub(free, matrices.columns_scaled(vectors, matrices.real_part(along)))
    # Stay real where the largest component is: turn the phase back.
    index = argmax(absolute(vectors), ndim - 2, np.int32)
    index = expand_dims(index, (ndim - 2,))
    phase = imag(
        div(take_along(free, index, ndim - 2), take_along(vectors, index, ndim - 2))
    )
    phase = complex_of(full_like(phase, 0), phase)
    return sub(
        free, mul(vectors, broadcast_in_dim(phase, np.shape(vectors), range(ndim)))
    )


def eig(
    x: Array,
    *,
    compute_left_eigenvectors: bool = True,
    compute_right_eigenvectors: bool = True,
    enable_eigvec_derivs: bool = False,
    implementation: EigImplementation | None = None,
    use_magma: bool | None = None,
) -> list[Array]:
    """Eigenvalues and eigenvectors of square matrices.

    Args:
        x: array of shape ``(..., n, n)``.
        compute_left_eigenvectors: whether to return those with ``v^H x = w v^H``.
        compute_right_eigenvectors: whether to return those with ``x v = w v``.
        enable_eigvec_derivs: whether eigenvectors may be differentiated. That is only
            right if eigenvalues differ, and if what is computed from the vectors does
            not depend on their phase.
        implementation: the library; None chooses.
        use_magma: an older name of it; other platforms than GPUs take no notice.

    Returns:
        A list of the eigenvalues of shape ``(..., n)``, and, as requested, of left and right
        eigenvectors of length 1, the columns of arrays of shape ``(..., n, n)``. All
        are complex. NaN where the method does not converge.

    Raises:
        TypeError: `x` is no matrix of floats. ValueError: it is not square.
    """
    if use_magma and implementation is None:
        implementation = EigImplementation.MAGMA
    return eig_p.bind(
        x,
        compute_left_eigenvectors=bool(compute_left_eigenvectors),
        compute_right_eigenvectors=bool(compute_right_eigenvectors),
        enable_eigvec_derivs=bool(enable_eigvec_derivs),
        implementation=implementation,
    )


traceback_filter.hide_frames(globals())
