"""Choosing between values: select_n, clamp."""

import numpy as np

from jax._src.base import traceback_filter
from jax._src.core import avals, unreduced
from jax._src.core.primitive import Sample, Trait, declare
from jax._src.interpreters import ad
from jax._src.lax.ops import emit, splitting
from jax._src.lax.ops.bitwise import bitwise_and
from jax._src.lax.ops.broadcast_and_reduce_sum import (
    batch_in_front,
    broadcast_in_dim,
)
from jax._src.lax.ops.checks import (
    ANY,
    BOOL,
    INTEGER,
    check_kind,
    check_same_dtypes,
    is_complex,
    kind_of,
)
from jax._src.lax.ops.comparison import gt, lt
from jax._src.lax.ops.creation import full, full_like, sharding_of, zeros
from jax._src.lax.ops.extended import moves_elements
from jax._src.lax.ops.messages import type_error, value_error
from jax._src.lax.ops.reshaping import move_axis


@moves_elements
@declare("select_n", traits=Trait.ELEMENTWISE)
class select_n_p:
    """Takes each element from one of several arrays."""

    def types(which, *cases):
        _check_select(which, cases)
        weak = all(case.weak_type for case in cases)
        return cases[0].update(weak_type=weak)

    def sharding(which, *cases):
        spec = splitting.all_alike("select_n", cases)
        is_placed = which.shape and not which.sharding.mesh.empty
        if is_placed and splitting.entries(which) != spec:
            splitting.refuse(
                "select_n", (which, *cases), "`which` is split as the cases are."
            )
        return spec

    def sums(which, *cases):
        return unreduced.of_linear("select_n", cases, strict=True)

    def lower(ctx, which, *cases):
        return emit.select_n(ctx.avals_in[0], which, cases, ctx.avals_in[1])

    def jvp_all(primals, tangents):
        which, *cases = primals
        out = select_n(which, *cases)
        if all(type(t) is ad.Zero for t in tangents[1:]):
            return out, ad.Zero(avals.get_aval(out).to_tangent_aval())
        moved = [ad.instantiate_zeros(t) for t in tangents[1:]]
        return out, select_n(which, *moved)

    def transpose(ct, which, *cases):
        nothing = zeros(avals.get_aval(ct))
        chosen = [
            select_n(which, *(ct if i == j else nothing for j in range(len(cases))))
            if ad.is_undefined_primal(case)
            else None
            for i, case in enumerate(cases)
        ]
        return [None, *chosen]

    def batch(axis, args, dims):
        which, *cases = args
        which_dim, *case_dims = dims
        if which_dim is None and np.ndim(which) == 0 and len(set(case_dims)) == 1:
            return select_n(which, *cases), case_dims[0]
        if len(set(dims)) == 1 and np.ndim(which) == np.ndim(cases[0]):
            return select_n(which, *cases), which_dim
        cases = [
            batch_in_front(case, dim, axis.size)
            for case, dim in zip(cases, case_dims, strict=True)
        ]
        if which_dim is not None:
            which = move_axis(which, which_dim, 0)
        elif np.ndim(which):
            which = batch_in_front(which, None, axis.size)
        if 0 < np.ndim(which) < np.ndim(cases[0]):
            which = broadcast_in_dim(which, np.shape(cases[0]), (0,))
        return select_n(which, *cases), 0

    def reference(which, *cases):
        index = np.broadcast_to(which.astype(np.int64), cases[0].shape)
        index = np.clip(index, 0, len(cases) - 1)
        out = cases[0].copy()
        for i, case in enumerate(cases):
            out = np.where(index == i, case, out)
        return out.astype(cases[0].dtype)

    samples = [
        Sample(
            (
                np.array([[True, False, True], [False, False, True]]),
                np.arange(6, dtype=np.float32).reshape(2, 3),
                -np.arange(6, dtype=np.float32).reshape(2, 3),
            ),
            {},
        ),
        Sample(
            (np.array(True), np.float32([1.0, 2.0]), np.float32([3.0, 4.0])),
            {},
        ),
        Sample(
            (
                np.array([0, 1, 2], np.int32),
                np.float32([1.0, 2.0, 3.0]),
                np.float32([4.0, 5.0, 6.0]),
                np.float32([7.0, 8.0, 9.0]),
            ),
            {},
        ),
        Sample((np.array([False, True]), np.int32([1, 2]), np.int32([3, 4])), {}),
    ]


def _check_select(which, cases) -> None:
    def fail(what, rule, *ways_out):
        facts = [("which", which.str_short())]
        facts += [(f"case {i}", case.str_short()) for i, case in enumerate(cases)]
        raise type_error(f"lax.select_n: {what}.", facts, rule, *ways_out)

    if len({case.shape for case in cases}) > 1:
        fail(
            "select cases must have the same shapes, got "
            f"[{', '.join(str(case.shape) for case in cases)}]",
            "All cases have one shape.",
            "With broadcasting: jnp.where or jnp.select.",
        )
    if len({case.dtype for case in cases}) > 1:
        fail(
            "lax.select requires arguments to have the same dtypes, got "
            f"{', '.join(str(case.dtype) for case in cases)}",
            "All cases have one dtype.",
            "With promotion: jnp.where or jnp.select.",
        )
    if which.shape and which.shape != cases[0].shape:
        fail(
            "select `which` must be scalar or have the same shape as cases, got `which` "
            f"shape {which.shape} but case shape {cases[0].shape}",
            "`which` is a scalar or has the shape of the cases.",
        )
    if kind_of(which.dtype) is BOOL:
        if len(cases) > 2:
            fail(
                "select with boolean `which` cannot have > 2 cases",
                "For more than two cases `which` is an integer.",
            )
    elif not kind_of(which.dtype) & INTEGER:
        fail(
            f"select `which` must be boolean or integer type, got {which.dtype}",
            "`which` is boolean or an integer.",
            "If nonzero means true: which != 0.",
        )


def select_n(which, *cases):
    """Takes each element from the case that `which` numbers.

    Args:
        which: boolean or integers; a scalar, or of the shape of the cases.
        cases: arrays of one shape and dtype; two of them if `which` is boolean.

    Returns:
        Array of the shape and dtype of the cases.

    Raises:
        TypeError: shapes or dtypes do not fit. ValueError: there are no cases.

    Differs from NumPy: for booleans, the case for ``False`` comes first.
    """
    if not cases:
        raise value_error(
            "lax.select_n: select_n() must have at least one case.",
            [("which", avals.get_aval(which).str_short())],
            "At least one case follows the selector.",
        )
    return select_n_p.bind(which, *cases)


def select(pred, on_true, on_false):
    """Elements of `on_true` where `pred` is true, otherwise those of `on_false`.

    Args:
        pred: boolean; a scalar, or of the shape of `on_true` and `on_false`.
        on_true: array.
        on_false: array of the same shape and dtype.

    Raises:
        TypeError: shapes or dtypes do not fit.

    Examples:
        >>> jax.lax.select(jnp.array([True, False]), jnp.zeros(2), jnp.ones(2))
        Array([0., 1.], dtype=float32)
    """
    return select_n(pred, on_false, on_true)


def where(pred, on_true, on_false):
    """Like `select`, with the scalars among the choices repeated to the other's shape."""
    like = next((x for x in (on_true, on_false) if np.shape(x)), pred)
    shape, sharding = np.shape(like), sharding_of(avals.get_aval(like))
    return select(
        pred,
        *(
            x if np.shape(x) == shape else full(shape, x, sharding=sharding)
            for x in (on_true, on_false)
        ),
    )


@declare("clamp", traits=Trait.ELEMENTWISE)
class clamp_p:
    """Limits elements to an interval."""

    def types(low, x, high):
        check_kind("clamp", x, ANY)
        check_same_dtypes("clamp", (low, x, high), "jnp.clip")
        for name, bound in (("min", low), ("max", high)):
            if bound.shape and bound.shape != x.shape:
                raise type_error(
                    f"lax.clamp: clamp requires {name}.shape == operand.shape or {name}.shape == "
                    f"(), got {name}.shape={bound.shape}, operand.shape={x.shape}.",
                    [],
                    "A bound is a scalar or has the shape of x.",
                    "With broadcasting: jnp.clip.",
                )
        return x.update(weak_type=all(a.weak_type for a in (low, x, high)))

    def sharding(low, x, high):
        return splitting.entries(x)

    def lower(ctx, low, x, high):
        if is_complex(ctx.avals_in[1].dtype):
            shape = ctx.avals_in[1].shape
            low, high = (
                emit.broadcast_in_dim(bound, shape, range(len(aval.shape)))
                for bound, aval in ((low, ctx.avals_in[0]), (high, ctx.avals_in[2]))
            )
            return emit.extreme(
                "minimum", "LT", emit.extreme("maximum", "GT", x, low), high
            )
        return emit.clamp(low, x, high)

    jvp = (
        lambda tangent, low, x, high: _where_inside(
            bitwise_and(gt(low, x), lt(low, high)), tangent, x
        ),
        lambda tangent, low, x, high: _where_inside(
            bitwise_and(gt(x, low), lt(x, high)), tangent, x
        ),
        lambda tangent, low, x, high: _where_inside(lt(high, x), tangent, x),
    )

    def batch(axis, args, dims):
        if dims[0] is None and dims[2] is None:
            if np.ndim(args[0]) == 0 and np.ndim(args[2]) == 0:
                return clamp(*args), dims[1]
        shape = np.shape(batch_in_front(args[1], dims[1], axis.size))
        moved = [
            batch_in_front(x, dim, axis.size) for x, dim in zip(args, dims, strict=True)
        ]
        return clamp(*(_repeat(x, shape) for x in moved)), 0

    def reference(low, x, high):
        return np.minimum(np.maximum(x, low), high).astype(x.dtype)

    samples = [
        Sample((np.float32(-1.0), np.float32([-2.0, 0.5, 3.0]), np.float32(1.0)), {}),
        Sample(
            (
                np.float32([-1.0, 0.0]),
                np.float32([-2.0, 0.5]),
                np.float32([1.0, 0.25]),
            ),
            {},
        ),
        Sample((np.int32(0), np.int32([-5, 5, 50]), np.int32(10)), {}),
    ]


def _where_inside(mask, tangent, x):
    shape = np.shape(x)
    return select(
        _repeat(mask, shape),
        _repeat(tangent, shape),
        full_like(tangent, 0, shape=shape),
    )


def _repeat(x, shape):
    if np.shape(x) == shape:
        return x
    return broadcast_in_dim(x, shape, range(np.ndim(x)))


def clamp(min, x, max):
    """Limits elements to an interval: ``minimum(maximum(x, min), max)``.

    Args:
        min: lower bound; a scalar, or of the shape of `x`.
        x: array of any shape.
        max: upper bound; a scalar, or of the shape of `x`. It wins where it is below
            `min`.

    Raises:
        TypeError: shapes or dtypes do not fit.
    """
    return clamp_p.bind(min, x, max)


traceback_filter.hide_frames(globals())
