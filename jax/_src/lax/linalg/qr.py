"""Orthogonal times triangular: QR factors and the reflectors that they are made of."""

import math
from typing import Any

import numpy as np

from jax._src.base import traceback_filter
from jax._src.core.avals import ShapedArray, get_aval
from jax._src.core.primitive import Sample, Unsupported, declare
from jax._src.interpreters import ad
from jax._src.lax.linalg import lapack, matrices
from jax._src.lax.linalg.lu import lu_p
from jax._src.lax.linalg.portable import factors, tools
from jax._src.lax.linalg.solve import lu_solve
from jax._src.lax.linalg.triangular import solve_many
from jax._src.lax.ops import splitting
from jax._src.lax.ops.arithmetic import add, neg, sub
from jax._src.lax.ops.broadcast_and_reduce_sum import broadcast_in_dim
from jax._src.lax.ops.checks import check_same_dtypes, is_complex
from jax._src.lax.ops.complex_parts import complex as complex_of, imag
from jax._src.lax.ops.creation import full_like
from jax._src.lax.ops.joining_splitting import concatenate
from jax._src.lax.ops.messages import value_error
from jax._src.lax.ops.slicing_padding import pad, slice_in_dim
from jax._src.lax.ops.sorting import take_along

Array = Any

_REFLECTORS = Unsupported("the reflectors are no smooth function of the matrix")


def _scales(x: ShapedArray) -> ShapedArray:
    return ShapedArray((*x.shape[:-2], min(x.shape[-2:])), x.dtype)


def _sample_matrices():
    x = np.float32([[1.0, 4.0, -2.0], [3.0, 0.5, 1.0], [-2.0, 1.5, 5.0], [0.5, 2, 1]])
    z = (x + 1j * np.roll(x, 2)).astype(np.complex64)
    return x, z


@declare("geqrf", multiple_results=True)
class geqrf_p:
    """QR factors as LAPACK packs them: a triangle, and reflectors below it."""

    def types(x):
        matrices.check_matrices("geqrf", x)
        return [ShapedArray(x.shape, x.dtype), _scales(x)]

    sharding = splitting.batch_only("geqrf")

    lower = tools.lowering(factors.geqrf, 2)

    def _lower_cpu(ctx, x):
        packed, scales = ctx.avals_out
        batch = packed.ndim - 2
        results = [
            (packed.shape[batch:], packed.dtype),
            (scales.shape[batch:], packed.dtype),
        ]
        return lapack.call(ctx, "geqrf", packed.dtype, batch, [x], results)

    lower_platforms = {"cpu": _lower_cpu}

    jvp = _REFLECTORS
    batch = matrices.batched_in_front(lambda x: geqrf_p.bind(x), 2)

    def reference(x):
        return lapack.each_matrix(_reflect_columns, x, ndims=[2])

    ulp = 4096

    def samples():
        x, z = _sample_matrices()
        return [
            Sample((x[:, :2].copy(),)),
            Sample((x[:2].copy(),)),
            Sample((np.stack([x, -x]),)),
            Sample((z,)),
        ]


def _reflect_columns(x):
    """Householder's reflections, one column after the other.

    Reference: Golub and Van Loan, Matrix Computations, 4th edition, section 5.2; the
    sign and scale are LAPACK's (larfg): real diagonal, opposite to the column's head.
    """
    m, n = x.shape
    work = x.astype(np.result_type(x.dtype, np.float64))
    scales = np.zeros(min(m, n), work.dtype)
    for j in range(min(m, n)):
        head, tail = work[j, j], work[j + 1 :, j]
        rest = np.linalg.norm(tail)
        if rest == 0 and head.imag == 0:
            continue
        size = -math.copysign(math.hypot(abs(head), rest), head.real)
        scales[j] = (size - head) / size
        vector = np.concatenate([[1], tail / (head - size)])
        block = work[j:, j + 1 :]
        block -= np.conj(scales[j]) * np.outer(vector, vector.conj() @ block)
        work[j, j], work[j + 1 :, j] = size, vector[1:]
    return work.astype(x.dtype), scales.astype(x.dtype)


def geqrf(x: Array) -> tuple[Array, Array]:
    """QR factors as LAPACK packs them.

    Args:
        x: array of shape ``(..., m, n)``.

    Returns:
        An array of the shape of `x` with the triangular factor, and below it the
        reflectors; their scales, of shape ``(..., min(m, n))``.
    """
    packed, scales = geqrf_p.bind(x)
    return packed, scales


@declare("geqp3", multiple_results=True)
class geqp3_p:
    """Householder reflectors of matrices with column pivoting: the longest remaining column first."""

    def types(x, pivots):
        matrices.check_matrices("geqp3", x)
        return [ShapedArray(x.shape, x.dtype), pivots, _scales(x)]

    sharding = splitting.batch_only("geqp3", (2, 1))

    lower = tools.lowering(factors.geqp3, 2, 1)

    def _lower_cpu(ctx, x, pivots):
        packed, order, scales = ctx.avals_out
        batch = packed.ndim - 2
        results = [(a.shape[batch:], a.dtype) for a in (packed, order, scales)]
        return lapack.call(ctx, "geqp3", packed.dtype, batch, [x, pivots], results)

    lower_platforms = {"cpu": _lower_cpu}

    jvp = _REFLECTORS
    batch = matrices.batched_in_front(lambda *args: geqp3_p.bind(*args), 3)

    def reference(x, pivots):
        def one(matrix, pivots):
            del pivots  # All columns are free.
            run = lapack.scipy_linalg().qr
            (packed, scales), _, order = run(matrix, mode="raw", pivoting=True)
            return packed, np.asarray(order + 1, np.int32), scales

        return lapack.each_matrix(one, x, pivots, ndims=[2, 1])

    ulp = 64

    def samples():
        x, z = _sample_matrices()
        free = np.zeros(3, np.int32)
        return [Sample((x, free)), Sample((z, free))]


def geqp3(x: Array, pivots: Array) -> tuple[Array, Array, Array]:
    """QR factors with exchanged columns, as LAPACK packs them.

    Args:
        x: array of shape ``(..., m, n)``.
        pivots: array of shape ``(..., n)`` and dtype int32: zero for columns that may
            be exchanged, and other numbers for those that go to the front.

    Returns:
        As `geqrf`, and between both the numbers of the columns, counted from 1.
    """
    packed, order, scales = geqp3_p.bind(x, pivots)
    return packed, order, scales


@declare("householder_product")
class householder_product_p:
    """The first columns of a product of reflections."""

    def types(a, taus):
        _check_reflectors("householder_product", a, taus)
        return ShapedArray(a.shape, a.dtype)

    sharding = splitting.batch_only("householder_product", (2, 1))

    lower = tools.lowering(factors.householder_product, 2, 1, many=False)

    def _lower_cpu(ctx, a, taus):
        aval = ctx.avals_out[0]
        batch = aval.ndim - 2
        results = [(aval.shape[batch:], aval.dtype)]
        return lapack.call(ctx, "ungqr", aval.dtype, batch, [a, taus], results)

    lower_platforms = {"cpu": _lower_cpu}

    jvp = _REFLECTORS
    batch = matrices.batched_in_front(lambda *args: householder_product_p.bind(*args))

    def reference(a, taus):
        def one(a, taus):
            m, n = a.shape
            return [_product_of_reflections(a, taus)[:, :n].astype(a.dtype)]

        return lapack.each_matrix(one, a, taus, ndims=[2, 1])[0]

    ulp = 4096

    def samples():
        return [Sample(pair) for pair in _sample_reflectors()]


def _product_of_reflections(a, taus):
    """``H_1 H_2 …`` with ``H_i = 1 - tau_i v_i v_i^H``, as a full matrix."""
    m = a.shape[0]
    whole = np.eye(m, dtype=np.result_type(a.dtype, np.float64))
    for i, tau in enumerate(taus):
        vector = np.zeros(m, whole.dtype)
        vector[i], vector[i + 1 :] = 1, a[i + 1 :, i]
        whole = whole @ (np.eye(m) - tau * np.outer(vector, vector.conj()))
    return whole


def _sample_reflectors():
    x, z = _sample_matrices()
    pairs = [_reflect_columns(y) for y in (x, x[:, :2], z)]
    packed, scales = pairs[0]
    pairs.append((np.stack([packed, packed]), np.stack([scales, 0 * scales])))
    pairs.append((np.eye(3, dtype=np.float32), np.zeros(2, np.float32)))
    return pairs


def _check_reflectors(name, a, taus):
    matrices.check_matrices(name, a)
    check_same_dtypes(name, (a, taus))
    facts = [("a", a.str_short()), ("taus", taus.str_short())]
    if a.shape[-2] < a.shape[-1]:
        raise value_error(
            f"lax.linalg.{name}: there are more reflectors than rows.",
            facts,
            "The matrix has at least as many rows as columns.",
        )
    fits = taus.ndim == a.ndim - 1 and taus.shape[:-1] == a.shape[:-2]
    if not fits or taus.shape[-1] > min(a.shape[-2:]):
        raise value_error(
            f"lax.linalg.{name}: the scales do not fit the reflectors.",
            facts,
            "Leading axes are equal, and there are at most as many scales as columns.",
        )


def householder_product(a: Array, taus: Array) -> Array:
    """The first columns of the product of elementary reflections.

    Args:
        a: array of shape ``(..., m, n)`` with ``m >= n``, whose columns hold the
            reflectors below the diagonal; what is on it and above is not read.
        taus: array of shape ``(..., k)`` with ``k <= n``, the scales.

    Returns:
        Array of the shape of `a` with orthonormal columns, if `a` and `taus` come from
        a factorization.

    Raises:
        TypeError: the dtypes differ. ValueError: the shapes do not fit.
    """
    return householder_product_p.bind(a, taus)


@declare("ormqr")
class ormqr_p:
    """A matrix multiplied by a product of reflections."""

    def types(a, taus, c, *, left, transpose):
        _check_reflectors("ormqr", a, taus)
        check_same_dtypes("ormqr", (a, c))
        size = c.shape[-2 if left else -1] if c.ndim >= 2 else None
        if c.shape[:-2] != a.shape[:-2] or size != a.shape[-2]:
            raise value_error(
                "lax.linalg.ormqr: the shapes do not fit.",
                [("a", a.str_short()), ("c", c.str_short()), ("left", str(left))],
                "Leading axes are equal, and the reflectors are as long as the rows "
                "of c are many (left=True), or its columns.",
            )
        return ShapedArray(c.shape, c.dtype)

    sharding = splitting.batch_only("ormqr", (2, 1, 2))

    lower = tools.lowering(factors.ormqr, 2, 1, 2, many=False)

    def _lower_cpu(ctx, a, taus, c, *, left, transpose):
        aval = ctx.avals_out[0]
        batch = aval.ndim - 2
        turned = "C" if is_complex(aval.dtype) else "T"
        (out,) = lapack.call(
            ctx,
            "unmqr",
            aval.dtype,
            batch,
            [a, taus, c],
            [(aval.shape[batch:], aval.dtype)],
            side="L" if left else "R",
            trans=turned if transpose else "N",
        )
        return out

    lower_platforms = {"cpu": _lower_cpu}

    jvp = (
        _REFLECTORS,
        _REFLECTORS,
        lambda t, a, taus, c, **params: ormqr_p.bind(a, taus, t, **params),
    )

    def transpose(ct, a, taus, c, *, left, transpose):
        flipped = ormqr_p.bind(
            a, taus, matrices.conjugated(ct), left=left, transpose=not transpose
        )
        return [None, None, matrices.conjugated(flipped)]

    batch = matrices.batched_in_front(lambda *args, **p: ormqr_p.bind(*args, **p))

    def reference(a, taus, c, *, left, transpose):
        def one(a, taus, c):
            whole = _product_of_reflections(a, taus)
            whole = whole.conj().T if transpose else whole
            return [(whole @ c if left else c @ whole).astype(c.dtype)]

        return lapack.each_matrix(one, a, taus, c, ndims=[2, 1, 2])[0]

    ulp = 4096

    def samples():
        x, z = _sample_matrices()
        (a, taus), (_, _), (b, scales), *_ = _sample_reflectors()
        return [
            Sample((a, taus, x), {"left": True, "transpose": False}),
            Sample((a, taus, x.T.copy()), {"left": False, "transpose": True}),
            Sample(
                (b, scales, z[::-1] * np.complex64(0.8 - 0.6j)),
                {"left": True, "transpose": True},
            ),
        ]


def ormqr(
    a: Array, taus: Array, c: Array, *, left: bool = True, transpose: bool = False
) -> Array:
    """Multiplies matrices by the orthogonal factor that reflectors stand for.

    Args:
        a: array of shape ``(..., m, k)``, reflectors as in `householder_product`.
        taus: array of shape ``(..., k)``, their scales.
        c: array of shape ``(..., m, n)``, or ``(..., n, m)`` where the factor stands on
            the right.
        left: whether the factor stands on the left.
        transpose: whether to multiply by its conjugate transpose.

    Returns:
        Array of the shape of `c`.

    Raises:
        TypeError: the dtypes differ. ValueError: the shapes do not fit.
    """
    return ormqr_p.bind(a, taus, c, left=bool(left), transpose=bool(transpose))


@declare("qr", multiple_results=True)
class qr_p:
    """A matrix as orthonormal columns times an upper triangle."""

    def types(x, *, pivoting, full_matrices, use_magma):
        matrices.check_matrices("qr", x)
        *batch, m, n = x.shape
        k = m if full_matrices else min(m, n)
        factors = [
            ShapedArray((*batch, m, k), x.dtype),
            ShapedArray((*batch, k, n), x.dtype),
        ]
        order = ShapedArray((*batch, n), np.dtype(np.int32))
        return [*factors, order] if pivoting else factors

    sharding = splitting.batch_only("qr")

    def decompose(x, *, pivoting, full_matrices, use_magma):
        return _factors(x, pivoting, full_matrices)

    jvp = (lambda t, x, *, out, **params: _factor_tangents(t, x, out, **params),)

    def batch(axis, args, dims, **params):
        rule = matrices.batched_in_front(lambda x, **p: qr_p.bind(x, **p), 2)
        return rule(axis, args, dims, **params)

    def reference(x, *, pivoting, full_matrices, use_magma):
        def one(x):
            if pivoting:
                mode = "full" if full_matrices else "economic"
                q, r, p = lapack.scipy_linalg().qr(x, mode=mode, pivoting=True)
                return q, r, p.astype(np.int32)
            return np.linalg.qr(x, "complete" if full_matrices else "reduced")

        return lapack.each_matrix(one, x, ndims=[2])

    ulp = 4096

    def samples():
        x, z = _sample_matrices()

        def flags(full, pivoting=False):
            return {"full_matrices": full, "pivoting": pivoting, "use_magma": None}

        return [
            Sample((x[:3].copy(),), flags(True)),
            Sample((x,), flags(False)),
            Sample((z,), flags(True)),
            Sample((x.T.copy(),), flags(False)),
            Sample((x,), flags(True)),
            Sample((np.stack([x, -x]),), flags(False)),
            Sample((x,), flags(False, True)),
            Sample((np.zeros((3, 0), np.float32),), flags(True)),
        ]


def _factors(x, pivoting, full_matrices):
    *batch, m, n = np.shape(x)
    order = []
    if pivoting:
        free = full_like(x, 0, np.int32, (*batch, n))
        packed, numbers, scales = geqp3(x, free)
        order = [sub(numbers, np.int32(1))]
    else:
        packed, scales = geqrf(x)
    k = min(m, n)
    ndim = len(batch) + 2
    wanted = m if full_matrices else k
    reflectors = slice_in_dim(packed, 0, k, axis=ndim - 1)
    if wanted > k:
        config = [(0, 0, 0)] * (ndim - 1) + [(0, wanted - k, 0)]
        reflectors = pad(reflectors, matrices.full_scalar(x, 0), config)
    q = householder_product(reflectors, scales)
    r = slice_in_dim(packed, 0, wanted, axis=ndim - 2)
    return [q, matrices.upper_triangle(r), *order]


def _factor_tangents(t, x, out, *, pivoting, full_matrices, use_magma):
    """The tangents of both factors.

    From A = Q R: Q^H dA R^-1 = Q^H dQ + dR R^-1, a skew plus an upper triangular
    matrix, whose diagonal is real. Of a wide matrix the first columns give Q.

    Reference: Walter and Lehmann, Algorithmic differentiation of linear algebra
    functions, 2018, section 4.
    """
    q, r, *order = out
    *_, m, n = np.shape(x)
    k, ndim = min(m, n), np.ndim(x)
    if order:
        shape = np.shape(t)
        indices = broadcast_in_dim(order[0], shape, (*range(ndim - 2), ndim - 1))
        t = take_along(t, indices, ndim - 1)
    main_q = slice_in_dim(q, 0, k, axis=ndim - 1)
    main_r = slice_in_dim(slice_in_dim(r, 0, k, axis=ndim - 2), 0, k, axis=ndim - 1)
    quotient = solve_many(main_r, slice_in_dim(t, 0, k, axis=ndim - 1), left_side=False)
    inner = matrices.product(matrices.adjoint(main_q), quotient)
    skew = _skew_part(inner)
    upper = sub(inner, skew)
    t_q = sub(quotient, matrices.product(main_q, upper))
    t_r = matrices.product(upper, main_r)
    if n > m:
        rest = slice_in_dim(t, m, n, axis=ndim - 1)
        rest_r = slice_in_dim(r, m, n, axis=ndim - 1)
        moved = sub(
            matrices.product(matrices.adjoint(q), rest), matrices.product(skew, rest_r)
        )
        t_r = concatenate([t_r, moved], ndim - 1)
    if full_matrices and m > n:
        t_q = concatenate([t_q, _complement_tangent(main_q, t_q)], ndim - 1)
        config = [(0, 0, 0)] * (ndim - 2) + [(0, m - n, 0), (0, 0, 0)]
        t_r = pad(t_r, matrices.full_scalar(t_r, 0), config)
    return [t_q, t_r, *(ad.zero_tangent(o) for o in order)]


def _complement_tangent(q, t):
    """The tangent of the columns that LAPACK adds to `q`, given that of `q`.

    The whole is ``1 - V T V^H`` with V a unit lower triangle above a rest. Comparing
    blocks eliminates V and T: with q = [a; b] and m = 1 - a, the further columns are
    ``[0; 1] + [m; -b] k`` where ``m^H k = b^H``.
    """
    ndim = np.ndim(q)
    *_, rows, columns = np.shape(q)
    (a, b), (t_a, t_b) = (
        (
            slice_in_dim(x, 0, columns, axis=ndim - 2),
            slice_in_dim(x, columns, rows, axis=ndim - 2),
        )
        for x in (q, t)
    )
    m = matrices.adjoint(sub(matrices.identities(a, columns), a))
    factors, _, order = lu_p.bind(m)

    def solved(right):
        return lu_solve(factors, order, right)

    k = solved(matrices.adjoint(b))
    t_k = solved(add(matrices.adjoint(t_b), matrices.product(matrices.adjoint(t_a), k)))
    moved = neg(matrices.product(t, k))
    return add(
        moved,
        matrices.product(concatenate([matrices.adjoint(m), neg(b)], ndim - 2), t_k),
    )


def _skew_part(inner):
    """The skew matrix whose difference to `inner` is upper with a real diagonal."""
    strict = matrices.lower_triangle(inner, -1)
    skew = sub(strict, matrices.adjoint(strict))
    if not is_complex(get_aval(inner).dtype):
        return skew
    turn = imag(matrices.diagonal(inner))
    return add(skew, matrices.as_diagonal(complex_of(full_like(turn, 0), turn)))


def qr(
    x: Array,
    *,
    pivoting: bool = False,
    full_matrices: bool = True,
    use_magma: bool | None = None,
) -> tuple[Array, ...]:
    """QR factors of matrices.

    Args:
        x: array of shape ``(..., m, n)``.
        pivoting: whether to exchange columns, so that the diagonal of the triangle
            decreases.
        full_matrices: whether the first factor is square; otherwise it has
            ``min(m, n)`` columns.
        use_magma: for GPUs; other platforms take no notice.

    Returns:
        ``q`` of shape ``(..., m, k)`` with orthonormal columns and the upper triangular
        ``r`` of shape ``(..., k, n)``, whose product is `x`; with `pivoting` also the
        numbers ``p`` of its columns, and the product is ``x[..., p]``.

    Raises:
        TypeError: `x` is no matrix of floats.
    """
    return tuple(
        qr_p.bind(
            x,
            pivoting=bool(pivoting),
            full_matrices=bool(full_matrices),
            use_magma=use_magma,
        )
    )


traceback_filter.hide_frames(globals())
