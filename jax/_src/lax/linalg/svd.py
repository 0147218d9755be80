"""Singular values and vectors."""

import enum
from typing import Any

import numpy as np

from jax._src.base import traceback_filter
from jax._src.core.avals import ShapedArray, get_aval
from jax._src.core.primitive import Sample, Unsupported, declare
from jax._src.core.symbols.expressions import min_dim
from jax._src.lax.linalg import lapack, matrices
from jax._src.lax.linalg.portable import jacobi, tools
from jax._src.lax.ops import emit, splitting
from jax._src.lax.ops.arithmetic import add, mul, sub
from jax._src.lax.ops.broadcast_and_reduce_sum import expand_dims
from jax._src.lax.ops.checks import is_complex
from jax._src.lax.ops.complex_parts import complex as complex_of, imag, real_dtype
from jax._src.lax.ops.conversion import convert
from jax._src.lax.ops.creation import full_like
from jax._src.lax.ops.messages import not_implemented, value_error

Array = Any


class SvdAlgorithm(enum.Enum):
    """Methods for singular values; which there are depends on the platform."""

    DEFAULT = "default"
    QR = "QR"
    JACOBI = "Jacobi"
    POLAR = "polar"
    DIVIDE_AND_CONQUER = "divide_and_conquer"


_ROUTINES = {
    None: "gesdd",
    SvdAlgorithm.DEFAULT: "gesdd",
    SvdAlgorithm.DIVIDE_AND_CONQUER: "gesdd",
    SvdAlgorithm.QR: "gesvd",
}


_FILLED_UP = Unsupported(
    "The vectors that only fill a basis up are not determined, and have no derivative"
)


@declare("svd", multiple_results=True)
class svd_p:
    """Singular values, and left and right singular vectors."""

    def types(x, *, full_matrices, compute_uv, subset_by_index, algorithm):
        matrices.check_matrices("svd", x)
        *batch, m, n = x.shape
        k = min_dim(m, n)
        values = ShapedArray((*batch, k), real_dtype(x.dtype))
        if not compute_uv:
            return [values]
        left = (*batch, m, m if full_matrices else k)
        right = (*batch, n if full_matrices else k, n)
        return [values, ShapedArray(left, x.dtype), ShapedArray(right, x.dtype)]

    sharding = splitting.batch_only("svd")

    def lower(ctx, x, **params):
        if 0 in ctx.avals_in[0].shape:
            return _of_nothing(ctx.avals_out)
        return tools.lowering(jacobi.svd, 2)(ctx, x, **params)

    def _lower_cpu(ctx, x, *, full_matrices, compute_uv, subset_by_index, algorithm):
        aval = ctx.avals_in[0]
        if 0 in aval.shape:
            return _of_nothing(ctx.avals_out)
        if algorithm not in _ROUTINES:
            raise not_implemented(
                "lax.linalg.svd: this method is not implemented on CPUs.",
                [("algorithm", algorithm.name)],
                "On CPUs there are QR and DIVIDE_AND_CONQUER.",
                "Leave the argument out.",
            )
        routine = _ROUTINES[algorithm]
        if not compute_uv:
            # Those of the transpose, whose columns are our rows.
            *batch, m, n = aval.shape
            turned = aval.update(shape=(*batch, n, m))
            return _call(ctx, lapack.turned(x), turned, ctx.avals_out, routine, "N")
        mode = "A" if full_matrices else "S"
        return _call(ctx, x, aval, ctx.avals_out, routine, mode)

    lower_platforms = {"cpu": _lower_cpu}

    def dce(used_outputs, eqn):
        return matrices.vectors_dropped(eqn, used_outputs, {"compute_uv": [1, 2]})

    jvp = (lambda t, x, *, out, **params: _tangents(t, x, out, **params),)

    def batch(axis, args, dims, **params):
        rule = matrices.batched_in_front(lambda x, **p: svd_p.bind(x, **p), 3)
        return rule(axis, args, dims, **params)

    def reference(x, *, full_matrices, compute_uv, algorithm, subset_by_index):
        def one(x):
            return _by_scipy(x, full_matrices, compute_uv, _ROUTINES[algorithm])

        return lapack.each_matrix(one, x, ndims=[2])

    ulp = 4096

    def samples():
        x = np.float32([[1.0, 4.0, -2], [3.0, 0.5, 1.0], [-2.0, 1.5, 5.0], [0.5, 2, 1]])
        z = (x + 1j * np.roll(x, 2)).astype(np.complex64)

        def flags(full, vectors=True, algorithm=None):
            return {
                "full_matrices": full,
                "compute_uv": vectors,
                "subset_by_index": None,
                "algorithm": algorithm,
            }

        return [
            Sample((x[:3].copy(),), flags(True)),
            Sample((x,), flags(False)),
            Sample((x.T.copy(),), flags(False)),
            Sample((x,), flags(True, False)),
            Sample((np.stack([x, -x]),), flags(False, True, SvdAlgorithm.QR)),
            Sample((z,), flags(True)),
            Sample((np.zeros((0, 3), np.float32),), flags(True), _FILLED_UP),
        ]


def _by_scipy(x, full_matrices, compute_uv, routine):
    """SciPy's: signs of vectors are the routine's choice, so it must be the same."""
    linalg = lapack.scipy_linalg()
    options = {"check_finite": False, "lapack_driver": routine}
    try:
        found = linalg.svd(x, full_matrices, compute_uv, **options)
    except (np.linalg.LinAlgError, ValueError):
        found = np.linalg.svd(np.zeros_like(x), full_matrices, compute_uv)
        found = [np.full_like(f, np.nan) for f in (found if compute_uv else [found])]
        found = found if compute_uv else found[0]
    return (found[1], found[0], found[2]) if compute_uv else [found]


def _of_nothing(avals):
    """Returns the decomposition of matrices without elements: no values, and any orthonormal vectors."""
    return [
        emit.zeros(avals[0]),
        *(
            emit.broadcast_in_dim(
                emit.constant(np.eye(*aval.shape[-2:]), aval.dtype),
                aval.shape,
                (aval.ndim - 2, aval.ndim - 1),
            )
            for aval in avals[1:]
        ),
    ]


def _call(ctx, x, aval, avals_out, routine, mode):
    batch = aval.ndim - 2
    vectors = [(a.shape[batch:], a.dtype) for a in avals_out[1:]]
    values = avals_out[0]
    results = [
        (aval.shape[batch:], aval.dtype),
        (values.shape[batch:], values.dtype),
        *(vectors or [((1, 1), aval.dtype)] * 2),
        ((), np.int32),
    ]
    _, *found, info = lapack.call(
        ctx, routine, aval.dtype, batch, [x], results, mode=mode
    )
    return lapack.checked(info, batch, found[: len(avals_out)])


def _tangents(t, x, out, *, full_matrices, compute_uv, subset_by_index, algorithm):
    """From A = U S V^H: dS is the diagonal of M = U^H dA V.

    U^H dU and V^H dV are skew. Off the diagonal, their sum is the Hermitian part of M
    over half the gap of two values, their difference its skew part over half the sum.
    On the diagonal only the difference is determined: the phase goes to U. What of dA
    leaves the spaces of U or V turns them.

    The vectors of equal values are determined up to a turn; it is taken to stay.

    Reference: Giles, Collected matrix derivative results, 2008, section 3.2.
    """
    *_, m, n = np.shape(x)
    if compute_uv and full_matrices and m != n:
        raise not_implemented(
            "Differentiation of lax.linalg.svd with full matrices.",
            [("x", get_aval(x).str_short()), ("full_matrices", "True")],
            f"{_FILLED_UP.reason}.",
            "With full_matrices=False there are only the others.",
        )
    if compute_uv:
        s, u, vh = out
    else:
        flags = {"subset_by_index": subset_by_index, "algorithm": algorithm}
        s, u, vh = svd_p.bind(x, full_matrices=False, compute_uv=True, **flags)
    v = matrices.adjoint(vh)
    inner = matrices.product(matrices.adjoint(u), matrices.product(t, v))
    t_s = matrices.real_part(matrices.diagonal(inner))
    if not compute_uv:
        return [t_s]
    ndim = np.ndim(x)
    dtype = get_aval(x).dtype
    limit = matrices.rounding_of(s)
    columns, rows = expand_dims(s, (ndim - 2,)), expand_dims(s, (ndim - 1,))
    wide_limit = expand_dims(limit, (ndim - 1,))
    by_gap = matrices.inverse_beyond(wide_limit, sub(columns, rows))
    by_sum = matrices.inverse_beyond(wide_limit, add(columns, rows))
    half = matrices.full_scalar(inner, 0.5)
    hermitian = mul(half, add(inner, matrices.adjoint(inner)))
    skew = mul(half, sub(inner, matrices.adjoint(inner)))
    together = mul(hermitian, convert(by_gap, dtype))
    apart = matrices.without_diagonal(mul(skew, convert(by_sum, dtype)))
    turn_u, turn_v = add(together, apart), sub(together, apart)
    inverse = matrices.inverse_beyond(limit, s)
    if is_complex(dtype):
        phase = mul(imag(matrices.diagonal(inner)), inverse)
        turn_u = add(
            turn_u, matrices.as_diagonal(complex_of(full_like(phase, 0), phase))
        )
    t_u, t_v = matrices.product(u, turn_u), matrices.product(v, turn_v)
    if m > n:
        t_u = add(t_u, _outside(matrices.product(t, v), u, inverse))
    if n > m:
        t_v = add(t_v, _outside(matrices.product(matrices.adjoint(t), u), v, inverse))
    return [t_s, t_u, matrices.adjoint(t_v)]


def _outside(moved, basis, inverse):
    """The part of `moved` outside the space of the basis, over the values."""
    inside = matrices.product(basis, matrices.product(matrices.adjoint(basis), moved))
    return matrices.columns_scaled(sub(moved, inside), inverse)


def svd(
    x: Array,
    *,
    full_matrices: bool = True,
    compute_uv: bool = True,
    subset_by_index: tuple[int, int] | None = None,
    algorithm: SvdAlgorithm | None = None,
) -> Array | tuple[Array, Array, Array]:
    """Singular values and vectors of matrices.

    Args:
        x: array of shape ``(..., m, n)``.
        full_matrices: whether the vectors fill whole bases; otherwise there are
            ``min(m, n)`` of each.
        compute_uv: whether to return the vectors.
        subset_by_index: the first number and the end of the singular values wanted;
            other than all, not supported on this platform.
        algorithm: the method; None chooses.

    Returns:
        ``u``, the singular values ``s`` of shape ``(..., min(m, n))`` in decreasing
        order, and ``vh``: ``(u * s[..., None, :]) @ vh`` is `x` where the vectors are
        not filled up. Without `compute_uv` only ``s``. NaN where the method does not
        converge.

    Raises:
        TypeError: `x` is no matrix of floats. NotImplementedError: the platform lacks
            the method or the subset. ValueError: a subset of filled bases is requested.

    Derivatives of vectors: those of equal singular values (up to rounding) are taken
    not to turn among themselves, nor those of zeros out of their space. That is right
    for norms, for ``u @ vh`` and for projections to what such vectors span. A function
    that changes as equal values split, as most of ``(u * s[..., None, :]) @ vh`` do, has
    no derivative by way of the vectors: that share is missing.
    """
    if subset_by_index is not None:
        subset_by_index = _whole(x, subset_by_index, full_matrices and compute_uv)
    out = svd_p.bind(
        x,
        full_matrices=bool(full_matrices),
        compute_uv=bool(compute_uv),
        subset_by_index=subset_by_index,
        algorithm=algorithm,
    )
    if not compute_uv:
        return out[0]
    s, u, vh = out
    return u, s, vh


def _whole(x, subset, is_filled):
    k = min(np.shape(x)[-2:])
    facts = [("subset_by_index", str(tuple(subset))), ("singular values", str(k))]
    if tuple(subset) == (0, k):
        return None
    if is_filled:
        raise value_error(
            "lax.linalg.svd: full_matrices and subset_by_index cannot both be set.",
            facts,
            "A subset has no full basis.",
            "Set full_matrices=False.",
        )
    raise not_implemented(
        "lax.linalg.svd: some of the singular values alone cannot be had.",
        facts,
        "On CPUs and GPUs all are computed.",
        "Leave the argument out, and index the results.",
    )


traceback_filter.hide_frames(globals())
