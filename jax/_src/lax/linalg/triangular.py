"""Equations with triangular matrices."""

from typing import Any

import numpy as np

from jax._src.base import traceback_filter
from jax._src.core.avals import ShapedArray, get_aval
from jax._src.core.primitive import Sample, declare
from jax._src.lax.linalg import lapack, matrices
from jax._src.lax.ops import emit, splitting
from jax._src.lax.ops.arithmetic import neg
from jax._src.lax.ops.broadcast_and_reduce_sum import batch_in_front, expand_dims
from jax._src.lax.ops.checks import check_same_dtypes, is_complex
from jax._src.lax.ops.messages import value_error
from jax._src.lax.ops.reshaping import move_axis, reshape, squeeze

Array = Any


def _check(a: ShapedArray, b: ShapedArray, left_side: bool) -> None:
    matrices.check_matrices("triangular_solve", a, square=True)
    matrices.check_matrices("triangular_solve", b)
    check_same_dtypes("triangular_solve", (a, b), "jax.scipy.linalg.solve_triangular")
    size = b.shape[-2 if left_side else -1]
    if a.shape[:-2] != b.shape[:-2] or a.shape[-1] != size:
        raise value_error(
            "lax.linalg.triangular_solve: the shapes do not fit.",
            [
                ("a", a.str_short()),
                ("b", b.str_short()),
                ("left_side", str(left_side)),
            ],
            "Leading axes are equal, and a is as large as the rows of b "
            "(left_side=True) or its columns.",
        )


@declare("triangular_solve")
class triangular_solve_p:
    """Solves ``op(a) x = b`` or ``x op(a) = b`` with triangular matrices."""

    def types(a, b, *, left_side, **params):
        _check(a, b, left_side)
        return ShapedArray(b.shape, b.dtype)

    sharding = splitting.batch_only("triangular_solve")

    # The same for every platform whose compiler has the operation.
    def lower(ctx, a, b, *, left_side, lower, transpose_a, conjugate_a, unit_diagonal):
        a, kind = _conjugation(ctx, a, transpose_a, conjugate_a)
        attributes = {
            "left_side": emit.bool_attribute(left_side),
            "lower": emit.bool_attribute(lower),
            "unit_diagonal": emit.bool_attribute(unit_diagonal),
            "transpose_a": emit.attribute(f"#stablehlo<transpose {_WORDS[kind]}>"),
        }
        return emit.hlo("triangular_solve", [b.type], [a, b], attributes).result

    def _lower_cpu(
        ctx, a, b, *, left_side, lower, transpose_a, conjugate_a, unit_diagonal
    ):
        # LAPACK's matrices are stored by columns, ours by rows: op(a) x = b is solved as
        # x^T op(a)^T = b^T, and op(a)^T is the same operation of a^T.
        a, kind = _conjugation(ctx, a, transpose_a, conjugate_a)
        aval = ctx.avals_out[0]
        *_, rows, columns = aval.shape
        (out,) = lapack.call(
            ctx,
            "trsm",
            aval.dtype,
            aval.ndim - 2,
            [lapack.turned(a), lapack.turned(b)],
            [((columns, rows), aval.dtype)],
            side="R" if left_side else "L",
            uplo="U" if lower else "L",
            trans_x=kind,
            diag="U" if unit_diagonal else "N",
        )
        return lapack.turned(out)

    lower_platforms = {"cpu": _lower_cpu}

    jvp = (
        lambda t, a, b, *, out, **params: _in_matrix(t, a, out, **params),
        lambda t, a, b, **params: triangular_solve_p.bind(a, t, **params),
    )

    def transpose(ct, a, b, **params):
        flipped = {**params, "transpose_a": not params["transpose_a"]}
        return [None, triangular_solve_p.bind(a, ct, **flipped)]

    def batch(axis, args, dims, **params):
        (a, b), (a_dim, b_dim) = args, dims
        if a_dim is None and np.ndim(a) == 2:
            return _one_matrix_for_all(a, b, b_dim, **params)
        a, b = (batch_in_front(x, d, axis.size) for x, d in ((a, a_dim), (b, b_dim)))
        return triangular_solve_p.bind(a, b, **params), 0

    def reference(a, b, *, left_side, lower, transpose_a, conjugate_a, unit_diagonal):
        return _substitute(
            a, b, left_side, lower, transpose_a, conjugate_a, unit_diagonal
        )

    ulp = 256

    def samples():
        return _samples()


_WORDS = {"N": "NO_TRANSPOSE", "T": "TRANSPOSE", "C": "ADJOINT"}


def _conjugation(ctx, a, transpose_a, conjugate_a):
    """The matrix, conjugated where no letter of LAPACK's says so, and the letter."""
    conjugate_a = conjugate_a and is_complex(ctx.avals_in[0].dtype)
    if conjugate_a and not transpose_a:
        parts = emit.unary("real", a), emit.unary("imag", a)
        a = emit.operation("complex")(parts[0], emit.unary("negate", parts[1]))
        return a, "N"
    return a, "C" if conjugate_a else "T" if transpose_a else "N"


def _in_matrix(t, a, x, *, left_side, lower, transpose_a, conjugate_a, unit_diagonal):
    """From op(a) x = b: op(a) dx = -op(da) x; only the triangle of da counts."""
    inside = -1 if unit_diagonal else 0
    t = (
        matrices.lower_triangle(t, inside)
        if lower
        else matrices.upper_triangle(t, -inside)
    )
    t = neg(matrices.turned(t) if transpose_a else t)
    t = matrices.conjugated(t) if conjugate_a else t
    right = matrices.product(t, x) if left_side else matrices.product(x, t)
    return triangular_solve_p.bind(
        a,
        right,
        left_side=left_side,
        lower=lower,
        transpose_a=transpose_a,
        conjugate_a=conjugate_a,
        unit_diagonal=unit_diagonal,
    )


def _one_matrix_for_all(a, b, dim, *, left_side, **params):
    """Many right sides of one matrix are more columns (or rows) of one."""
    out_dim = 2 if left_side else 0
    b = move_axis(b, dim, out_dim)
    shape = np.shape(b)
    flat = (
        (shape[0], shape[1] * shape[2])
        if left_side
        else (shape[0] * shape[1], shape[2])
    )
    out = triangular_solve_p.bind(a, reshape(b, flat), left_side=left_side, **params)
    return reshape(out, shape), out_dim


def _substitute(a, b, left_side, lower, transpose_a, conjugate_a, unit_diagonal):
    """Substitution, one row after the other, in the widest type there is."""
    wide = np.result_type(a.dtype, np.float64)
    matrix, right = a.astype(wide), b.astype(wide)
    matrix = np.tril(matrix) if lower else np.triu(matrix)
    if unit_diagonal:
        n = a.shape[-1]
        matrix = np.where(np.eye(n, dtype=bool), 1, matrix)
    matrix = np.conj(matrix) if conjugate_a else matrix
    if transpose_a:
        matrix = np.swapaxes(matrix, -1, -2)
    if not left_side:
        matrix, right = np.swapaxes(matrix, -1, -2), np.swapaxes(right, -1, -2)
    order = range(a.shape[-1])
    is_lower = lower ^ transpose_a ^ (not left_side)
    x = np.zeros_like(right)
    with np.errstate(all="ignore"):
        for i in order if is_lower else reversed(order):
            known = np.einsum("...j,...jk->...k", matrix[..., i, :], x)
            x[..., i, :] = (right[..., i, :] - known) / matrix[..., i, i, None]
    x = x if left_side else np.swapaxes(x, -1, -2)
    with np.errstate(over="ignore"):
        return x.astype(b.dtype)


def _samples():
    a = np.float32([[2.0, 0.5, 0.3], [0.4, 3.0, -0.6], [0.2, 0.7, -2.5]])
    b = np.float32([[1.0, 2.0], [-0.5, 0.3], [0.7, -1.2]])
    z = (a + 1j * np.roll(a, 1)).astype(np.complex64)
    plain = dict.fromkeys(
        ("left_side", "lower", "transpose_a", "conjugate_a", "unit_diagonal"), False
    )
    left = {**plain, "left_side": True}
    return [
        Sample((a, b), left),
        Sample((a, b), {**left, "lower": True, "unit_diagonal": True}),
        Sample((a, b), {**left, "transpose_a": True, "unit_diagonal": True}),
        Sample((a, b.T.copy()), plain),
        Sample((a, b.T.copy()), {**plain, "lower": True, "transpose_a": True}),
        Sample((np.stack([a, a.T]), np.stack([b, -b])), {**left, "lower": True}),
        Sample(
            (z, b.astype(np.complex64)),
            {**left, "transpose_a": True, "conjugate_a": True},
        ),
        Sample((z, b.T.astype(np.complex64)), {**plain, "conjugate_a": True}),
        Sample((np.zeros((0, 0), np.float32), np.zeros((0, 2), np.float32)), left),
        Sample((a, np.zeros((3, 0), np.float32)), left),
    ]


def triangular_solve(
    a: Array,
    b: Array,
    *,
    left_side: bool = False,
    lower: bool = False,
    transpose_a: bool = False,
    conjugate_a: bool = False,
    unit_diagonal: bool = False,
) -> Array:
    """Solves ``x op(a) = b``, or ``op(a) x = b``, with triangular matrices.

    Args:
        a: array of shape ``(..., n, n)``; the other triangle is not read.
        b: array of shape ``(..., m, n)``, with `left_side` of shape ``(..., n, m)`` or
            ``(..., n)``, and of the dtype of `a`.
        left_side: whether the matrix stands on the left of the unknown.
        lower: whether the lower triangle of `a` is read.
        transpose_a: whether ``op`` transposes.
        conjugate_a: whether ``op`` conjugates.
        unit_diagonal: whether the diagonal is taken to be ones, and not read.

    Returns:
        Array of the shape and dtype of `b`.

    Raises:
        TypeError: dtypes differ or are integers. ValueError: the shapes do not fit.

    A zero on the diagonal gives infinities or NaN, not an error.
    """
    if get_aval(a).dtype != get_aval(b).dtype:
        check_same_dtypes("triangular_solve", (get_aval(a), get_aval(b)))
    is_vector = np.ndim(b) == np.ndim(a) - 1
    if is_vector:
        b = expand_dims(b, (np.ndim(b) if left_side else np.ndim(b) - 1,))
    out = triangular_solve_p.bind(
        a,
        b,
        left_side=bool(left_side),
        lower=bool(lower),
        transpose_a=bool(transpose_a),
        conjugate_a=bool(conjugate_a),
        unit_diagonal=bool(unit_diagonal),
    )
    if is_vector:
        out = squeeze(out, (np.ndim(out) - 1 if left_side else np.ndim(out) - 2,))
    return out


def solve_many(a: Array, b: Array, **flags: bool) -> Array:
    """`triangular_solve` where `b` is one of the rules' matrices: left side, no checks."""
    return triangular_solve_p.bind(
        a,
        b,
        **{
            "left_side": True,
            "lower": False,
            "transpose_a": False,
            "conjugate_a": False,
            "unit_diagonal": False,
            **flags,
        },
    )


traceback_filter.hide_frames(globals())
