"""Cholesky factors, their updates, and products of a matrix with its transpose."""

from typing import Any

import numpy as np

from jax._src.base import releases, traceback_filter
from jax._src.core.avals import ShapedArray, get_aval
from jax._src.core.primitive import Sample, declare
from jax._src.lax.control_flow.fori_loop_and_map import fori_loop
from jax._src.lax.linalg import lapack, matrices
from jax._src.lax.linalg.triangular import solve_many
from jax._src.lax.ops import emit, splitting
from jax._src.lax.ops.arithmetic import add, div, mul, sub
from jax._src.lax.ops.broadcast_and_reduce_sum import expand_dims
from jax._src.lax.ops.checks import check_same_dtypes
from jax._src.lax.ops.dynamic_slicing import (
    dynamic_index_in_dim,
    dynamic_update_index_in_dim,
)
from jax._src.lax.ops.exponential import sqrt
from jax._src.lax.ops.messages import explain, type_error, value_error
from jax._src.lax.ops.rounding import abs as absolute

Array = Any


@declare("cholesky")
class cholesky_p:
    """The lower triangular ``l`` with ``l @ l.conj().T == x``."""

    def types(x):
        matrices.check_matrices("cholesky", x, square=True)
        return ShapedArray(x.shape, x.dtype)

    sharding = splitting.batch_only("cholesky")

    # The same for every platform whose compiler has the operation.
    def lower(ctx, x):
        return emit.hlo(
            "cholesky", [x.type], [x], {"lower": emit.bool_attribute(True)}
        ).result

    def _lower_cpu(ctx, x):
        # LAPACK's matrices are stored by columns, ours by rows: x^T = u^H u where l = u^T.
        aval = ctx.avals_out[0]
        batch = aval.ndim - 2
        factor, info = lapack.call(
            ctx,
            "potrf",
            aval.dtype,
            batch,
            [lapack.turned(x)],
            [(aval.shape[-2:], aval.dtype), ((), np.int32)],
            uplo="U",
        )
        (factor,) = lapack.checked(info, batch, [lapack.turned(factor)])
        return lapack.triangle(factor, lower=True)

    lower_platforms = {"cpu": _lower_cpu}

    jvp = (lambda t, x, *, out: _factor_tangent(t, out),)
    batch = matrices.batched_in_front(lambda x: cholesky_p.bind(x))

    def reference(x):
        return _factor_by_columns(x)

    ulp = 64
    exempt = {
        "jvp": "matrices are taken to be Hermitian, and so must be directions; "
        "tests/lax covers it"
    }

    def samples():
        x, z = _definite()
        return [
            Sample((x,)),
            Sample((np.stack([x, 2 * x]),)),
            Sample((z,)),
            Sample((-z,)),
            Sample((np.zeros((0, 0), np.float32),)),
        ]


def _definite():
    """A real and a complex positive definite matrix."""
    x = np.float32([[4.0, 1.0, 0.5], [1.0, 3.0, -0.7], [0.5, -0.7, 2.0]])
    off = np.float32([[0.0, 0.3, -0.2], [-0.3, 0.0, 0.4], [0.2, -0.4, 0.0]])
    return x, (x + 1j * off).astype(np.complex64)


def half_of_triangle(x: Array) -> Array:
    """The lower triangle with its diagonal halved: from ``m + m^H`` back to ``m``."""
    n = np.shape(x)[-1]
    weights = add(matrices.identities(x, n), matrices.full_scalar(x, 1))
    return div(matrices.lower_triangle(x), weights)


def _factor_tangent(t, factor):
    """From A = L L^H: dL = L h(L^-1 dA L^-H), h the lower half of a Hermitian matrix.

    Reference: Murray, Differentiation of the Cholesky decomposition, 2016, section 3.1.
    """
    inner = solve_many(
        factor, t, left_side=False, lower=True, transpose_a=True, conjugate_a=True
    )
    inner = solve_many(factor, inner, lower=True)
    return matrices.product(factor, half_of_triangle(inner))


def _factor_by_columns(x):
    """Cholesky's method, one column after the other; NaN where a pivot is not positive."""
    wide = x.astype(np.result_type(x.dtype, np.float64))
    n = x.shape[-1]
    factor = np.zeros_like(wide)
    good = np.ones(x.shape[:-2], bool)
    with np.errstate(all="ignore"):
        for j in range(n):
            row = factor[..., j, :j]
            pivot = wide[..., j, j].real - np.sum(np.abs(row) ** 2, -1)
            good &= pivot > 0
            factor[..., j, j] = np.sqrt(pivot)
            rest = wide[..., j + 1 :, j] - np.einsum(
                "...ij,...j->...i", factor[..., j + 1 :, :j], row.conj()
            )
            factor[..., j + 1 :, j] = rest / factor[..., j, j, None]
    inside = np.tril(np.ones((n, n), bool))
    nan = np.nan if x.dtype.kind == "f" else complex(np.nan, np.nan)
    return np.where(inside & ~good[..., None, None], nan, factor).astype(x.dtype)


def cholesky(x: Array, *, symmetrize_input: bool = True) -> Array:
    """The Cholesky factor of positive definite matrices.

    Args:
        x: array of shape ``(..., n, n)``.
        symmetrize_input: whether to replace `x` by the mean of it and its conjugate
            transpose; otherwise its lower triangle is read.

    Returns:
        Array of the shape and dtype of `x`: lower triangular matrices ``l`` with
        ``l @ l.conj().T == x``; all NaN for a matrix that is not positive definite.

    Raises:
        TypeError: `x` is no square matrix of floats.
    """
    check_square("cholesky", x)
    if symmetrize_input:
        x = matrices.symmetrized(x)
    return matrices.lower_triangle(cholesky_p.bind(x))


def check_square(name: str, x: Array) -> None:
    """Raises for operands that are no square matrices: TypeError, ValueError from 0.12 on."""
    aval = get_aval(x)
    if aval.ndim < 2 or aval.shape[-1] != aval.shape[-2]:
        raise releases.rule("no_square_matrix")(
            explain(
                f"lax.linalg.{name}: the operand is no square matrix. "
                f"Argument to linalg.{name} must have shape [..., n, n], got {aval.shape}.",
                [("x", aval.str_short())],
                "The last two axes have one size.",
            )
        )


@declare("cholesky_update")
class cholesky_update_p:
    """The upper factor ``r`` with ``r' r == r_matrix' r_matrix + w w'``."""

    def types(r, w):
        matrices.check_matrices("cholesky_update", r, square=True)
        check_same_dtypes("cholesky_update", (r, w))
        if w.shape != r.shape[:-1]:
            raise type_error(
                "lax.linalg.cholesky_update: the shapes do not fit.",
                [("r_matrix", r.str_short()), ("w_vector", w.str_short())],
                "The vector is as long as the matrix is wide.",
            )
        return ShapedArray(r.shape, r.dtype)

    sharding = splitting.batch_only("cholesky_update", (2, 1))

    def decompose(r, w):
        return _rotate_rows(r, w)

    jvp = (
        lambda t, r, w, *, out: _update_tangent(_self_product(r, t), out),
        lambda t, r, w, *, out: _update_tangent(_outer_both(w, t), out),
    )
    batch = matrices.batched_in_front(lambda *args: cholesky_update_p.bind(*args))

    def reference(r, w):
        wide = np.result_type(r.dtype, np.float64)
        r_wide, w_wide = np.triu(r).astype(wide), w.astype(wide)
        both = np.swapaxes(r_wide, -1, -2) @ r_wide
        both = both + w_wide[..., :, None] * w_wide[..., None, :]
        return np.swapaxes(_factor_by_columns(both), -1, -2).astype(r.dtype)

    ulp = 256

    def samples():
        x, _ = _definite()
        r = np.linalg.cholesky(x).T.astype(np.float32).copy()
        w = np.float32([0.3, -1.1, 0.8])
        return [Sample((r, w)), Sample((np.stack([r, 2 * r]), np.stack([w, -w])))]


def _self_product(r, t):
    """The tangent of ``r' r``."""
    half = matrices.product(
        matrices.turned(matrices.upper_triangle(r)), matrices.upper_triangle(t)
    )
    return add(half, matrices.turned(half))


def _outer_both(w, t):
    """The tangent of ``w w'``."""
    last = np.ndim(w)
    half = mul(expand_dims(w, (last,)), expand_dims(t, (last - 1,)))
    return add(half, matrices.turned(half))


def _update_tangent(t, out):
    return matrices.turned(_factor_tangent(t, matrices.turned(out)))


def _rotate_rows(r, w):
    """Rotates each row of `r` with what is left of `w`, so that `w` becomes zero.

    Reference: Golub and Van Loan, Matrix Computations, 4th edition, section 6.5.4.
    """
    n, ndim = np.shape(r)[-1], np.ndim(r)

    def step(k, carry):
        r, w = carry
        row = dynamic_index_in_dim(r, k, ndim - 2, keepdims=False)
        x = dynamic_index_in_dim(row, k, ndim - 2)
        y = dynamic_index_in_dim(w, k, ndim - 2)
        size = _hypotenuse(x, y)
        cos, sin = div(x, size), div(y, size)
        new_row = add(mul(cos, row), mul(sin, w))
        new_w = sub(mul(cos, w), mul(sin, row))
        return dynamic_update_index_in_dim(r, new_row, k, ndim - 2), new_w

    rotated, _ = fori_loop(0, n, step, (matrices.upper_triangle(r), w))
    return matrices.upper_triangle(rotated)


def _hypotenuse(x, y):
    x, y = absolute(x), absolute(y)
    return sqrt(add(mul(x, x), mul(y, y)))


def cholesky_update(r_matrix: Array, w_vector: Array) -> Array:
    """Updates an upper Cholesky factor for a matrix to which ``w w'`` is added.

    Args:
        r_matrix: array of shape ``(n, n)`` of real dtype, an upper factor ``r`` of
            ``r' r``.
        w_vector: array of shape ``(n,)``.

    Returns:
        Array of shape ``(n, n)``: the upper factor of ``r' r + w w'``.

    Raises:
        TypeError: the shapes do not fit.
    """
    if np.ndim(r_matrix) != 2 or np.ndim(w_vector) != 1:
        raise type_error(
            "lax.linalg.cholesky_update: a matrix and a vector are wanted.",
            [
                ("r_matrix", get_aval(r_matrix).str_short()),
                ("w_vector", get_aval(w_vector).str_short()),
            ],
            "They have two axes and one.",
            "For many of them: jax.vmap.",
        )
    return cholesky_update_p.bind(r_matrix, w_vector)


@declare("symmetric_product")
class symmetric_product_p:
    """``alpha a a' + beta c`` for symmetric ``c``."""

    def types(a, c, *, alpha, beta):
        matrices.check_matrices("symmetric_product", a)
        check_same_dtypes("symmetric_product", (a, c))
        if c.shape != (*a.shape[:-1], a.shape[-2]):
            raise value_error(
                "lax.linalg.symmetric_product: the shapes do not fit.",
                [("a_matrix", a.str_short()), ("c_matrix", c.str_short())],
                "For a of shape (..., m, n), c has the shape (..., m, m).",
            )
        return ShapedArray(c.shape, c.dtype)

    sharding = splitting.batch_only("symmetric_product")

    def decompose(a, c, *, alpha, beta):
        squared = matrices.product(a, matrices.turned(a))
        return _weighted(squared, c, alpha, beta)

    jvp = (
        lambda t, a, c, *, alpha, beta: _product_tangent(a, t, alpha),
        lambda t, a, c, *, alpha, beta: mul(t, matrices.full_scalar(t, beta)),
    )
    batch = matrices.batched_in_front(
        lambda *args, **p: symmetric_product_p.bind(*args, **p)
    )

    def reference(a, c, *, alpha, beta):
        wide = np.result_type(a.dtype, np.float64)
        squared = a.astype(wide) @ np.swapaxes(a, -1, -2).astype(wide)
        return (alpha * squared + beta * c).astype(c.dtype)

    ulp = 64

    def samples():
        a = np.float32([[1.0, 2.0], [-0.5, 0.3], [0.7, -1.2]])
        c, _ = _definite()
        weights = {"alpha": 2.0, "beta": 0.5}
        return [
            Sample((a, c), weights),
            Sample((np.stack([a, -2 * a]), np.stack([c, c])), weights),
            Sample((a, c), {"alpha": 1.0, "beta": 0.0}),
        ]


def _weighted(squared, c, alpha, beta):
    scaled = mul(squared, matrices.full_scalar(c, alpha))
    return add(scaled, mul(c, matrices.full_scalar(c, beta)))


def _product_tangent(a, t, alpha):
    half = matrices.product(a, matrices.turned(t))
    both = add(half, matrices.turned(half))
    return mul(both, matrices.full_scalar(both, alpha))


def symmetric_product(
    a_matrix: Array,
    c_matrix: Array,
    *,
    alpha: float = 1.0,
    beta: float = 0.0,
    symmetrize_output: bool = False,
) -> Array:
    """``alpha a a' + beta c`` for symmetric ``c``.

    Args:
        a_matrix: array of shape ``(..., m, n)`` and floating or complex dtype.
        c_matrix: array of shape ``(..., m, m)`` and the same dtype, symmetric.
        alpha: the weight of the product.
        beta: the weight of `c_matrix`.
        symmetrize_output: whether to copy the lower triangle of the result to the upper
            one.

    Returns:
        Array of the shape of `c_matrix`.

    Raises:
        ValueError: the shapes do not fit. TypeError: the dtypes differ, or are others.
    """
    out = symmetric_product_p.bind(
        a_matrix, c_matrix, alpha=float(alpha), beta=float(beta)
    )
    if symmetrize_output:
        out = add(
            matrices.lower_triangle(out),
            matrices.turned(matrices.lower_triangle(out, -1)),
        )
    return out


traceback_filter.hide_frames(globals())
