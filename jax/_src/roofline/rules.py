"""What operations on one device need."""

import functools as ft
import math

from jax._src.core import primitive
from jax._src.lax.ops import gather
from jax._src.roofline.results import (
    RooflineResult,
    RooflineShape,
    register_roofline,
    register_standard_roofline,
    rules,
)

# One operation for each element.
_UNARY = """abs acos asin atan bessel_i0e bessel_i1e cbrt ceil conj cos cosh digamma erf erf_inv
erfc exp expm1 floor imag integer_pow is_finite lgamma log log1p logistic neg not real round rsqrt
sign sin sinh sqrt square tan"""
_BINARY = "add and div eq ge gt le lt max min mul ne or rem sub xor"
# No operations; what they move, a compiler may leave away.
_MOVING = """broadcast_in_dim concatenate convert_element_type copy iota reshape rev slice squeeze
split transpose axis_index pvary stop_gradient"""


def primitive_of(name: str) -> primitive.Primitive:
    """The primitive of a name."""
    return primitive.declared_primitives()[name]


def _moved(ctx):
    """The bytes that go in and come out."""
    return RooflineShape.total_bytes(ctx.avals_in) + RooflineShape.total_bytes(
        ctx.avals_out
    )


def _out_size(ctx):
    return RooflineShape.from_aval(ctx.avals_out[0]).size


def _by_element(ctx, *shapes, **params):
    return RooflineResult(unfused_flops=_out_size(ctx), unfused_hbm_bytes=_moved(ctx))


def _dot_general(ctx, lhs, rhs, *, dimension_numbers, **params):
    (contracted, _), (batch, _) = dimension_numbers
    twice = math.prod(lhs.shape[d] for d in contracted) or 1
    shared = math.prod(lhs.shape[d] for d in batch) or 1
    flops = 2 * lhs.size * rhs.size // (twice * shared)
    moved = 0 if ctx.pin_rhs_in_vmem else rhs.bytes
    if not ctx.pin_lhs_in_vmem:
        # A product that stays beside its left operand is not written either.
        moved += lhs.bytes + RooflineShape.total_bytes(ctx.avals_out)
    return RooflineResult(
        flops=flops, unfused_flops=flops, hbm_bytes=moved, unfused_hbm_bytes=moved
    )


def _positions(size, kernel, out, stride, padding, lhs_dilation, rhs_dilation):
    """How many pairs of results and elements of the kernel meet an element, in one dimension."""
    return sum(
        1
        for o in range(out)
        for k in range(kernel)
        if 0 <= (p := o * stride + k * rhs_dilation - padding[0])
        and p % lhs_dilation == 0
        and p // lhs_dilation < size
    )


def _conv_general_dilated(ctx, lhs, rhs, *, dimension_numbers, **params):
    out = RooflineShape.from_aval(ctx.avals_out[0])
    spec = dimension_numbers
    met = math.prod(
        _positions(lhs.shape[i], rhs.shape[j], out.shape[k], *settings)
        for i, j, k, *settings in zip(
            spec.lhs_spec[2:],
            spec.rhs_spec[2:],
            spec.out_spec[2:],
            params["window_strides"],
            params["padding"],
            params["lhs_dilation"],
            params["rhs_dilation"],
            strict=True,
        )
    )
    results, inputs = (rhs.shape[d] for d in spec.rhs_spec[:2])
    batch = lhs.shape[spec.lhs_spec[0]] // params["batch_group_count"]
    return RooflineResult(
        unfused_flops=2 * batch * inputs * results * met, unfused_hbm_bytes=_moved(ctx)
    )


def _cumulative(times, ctx, x, *, axis, **params):
    return RooflineResult(
        unfused_flops=times * x.shape[axis], unfused_hbm_bytes=_moved(ctx)
    )


def _reduce_sum(ctx, x, *, axes, **params):
    summed = math.prod(x.shape[d] for d in axes)
    return RooflineResult(
        unfused_flops=(summed - 1) * _out_size(ctx), unfused_hbm_bytes=_moved(ctx)
    )


def _select_n(ctx, which, *cases, **params):
    out = RooflineShape.total_bytes(ctx.avals_out)
    return RooflineResult(
        unfused_flops=_out_size(ctx), unfused_hbm_bytes=which.bytes + out
    )


def _gather(ctx, operand, indices, *, mode, **params):
    out = RooflineShape.from_aval(ctx.avals_out[0])
    checked = mode == gather.GatherScatterMode.FILL_OR_DROP
    return RooflineResult(
        # Two bounds for each index, both compared and combined; one choice for a result.
        unfused_flops=4 * indices.size + out.size if checked else 0,
        unfused_hbm_bytes=2 * out.bytes + indices.bytes,
    )


def _scatter(ctx, operand, indices, updates, *, update_jaxpr=None, **params):
    each = len(update_jaxpr.eqns) if update_jaxpr is not None else 0
    return RooflineResult(
        unfused_flops=each * updates.size,
        unfused_hbm_bytes=3 * updates.bytes + indices.bytes,
    )


def _callback(ctx, *shapes, **params):
    return RooflineResult(unfused_hbm_bytes=_moved(ctx))


def _register_all():
    for name in (*_UNARY.split(), *_BINARY.split()):
        register_roofline(primitive_of(name))(_by_element)
    for name in _MOVING.split():
        if name in primitive.declared_primitives():
            register_standard_roofline(primitive_of(name))
    for name in ("cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp"):
        times = 2 if name == "cumlogsumexp" else 1
        rules[primitive_of(name)] = ft.partial(_cumulative, times)
    for name in ("", "-add", "-mul", "-min", "-max", "-sub"):
        rules[primitive_of(f"scatter{name}")] = _scatter
    # A callback for debugging returns nothing.
    for name in ("pure_callback", "io_callback", "debug_callback"):
        rules[primitive_of(name)] = _callback
    for name, rule in (
        ("dot_general", _dot_general),
        ("conv_general_dilated", _conv_general_dilated),
        ("reduce_sum", _reduce_sum),
        ("select_n", _select_n),
        ("gather", _gather),
    ):
        rules[primitive_of(name)] = rule


_register_all()
