"""The primitives `pure_callback` and `io_callback`."""

from collections.abc import Sequence
from typing import Any

from jax._src.base import errors
from jax._src.callbacks import host
from jax._src.core import avals as av, effects as fx, primitive as pr
from jax._src.interpreters import batching, mlir
from jax._src.lax.control_flow import loops
from jax._src.lax.ops import broadcasting, joining
from jax._src.lib import callbacks
from jax._src.runtime import dispatch, extended, ffi, placement, tokens

VMAP_METHODS = (
    "sequential",
    "sequential_unrolled",
    "expand_dims",
    "broadcast_all",
    "legacy_vectorized",
)


class IOEffect(fx.Effect):
    """The program calls a function that acts on the world."""

    def __repr__(self) -> str:
        return "IO"


class OrderedIOEffect(fx.Effect):
    """The program calls functions that act on the world, in a certain order."""

    def __repr__(self) -> str:
        return "OrderedIO"


io_effect, ordered_io_effect = IOEffect(), OrderedIOEffect()


def register_effect(kind: type, *, is_ordered: bool, is_repeatable: bool) -> None:
    """Makes a class of effects one that programs carry out by calling the host."""
    for kinds in (
        fx.lowerable_effects,
        fx.runtime_effects,
        fx.control_flow_allowed_effects,
        fx.custom_derivatives_allowed_effects,
    ):
        kinds.add_type(kind)
    if is_ordered:
        fx.ordered_effects.add_type(kind)
    if is_repeatable:
        fx.repeatable_effects.add_type(kind)
        fx.remat_allowed_effects.add_type(kind)


register_effect(IOEffect, is_ordered=False, is_repeatable=False)
register_effect(OrderedIOEffect, is_ordered=True, is_repeatable=False)


def lower_callback(
    ctx: mlir.RuleContext,
    operands: Sequence[Any],
    callback: host.FlatCallback,
    has_side_effect: bool,
) -> list[Any]:
    """The custom call of a Python function; tokens among operands and results stay out."""
    ffi.install_callbacks()
    out_avals = [mlir.physical_aval(a) for a in ctx.avals_out if not _is_token(a)]
    function = host.HostFunction(callback, out_avals)
    registration = callbacks.register(function)
    ctx.module_context.host_callbacks.append(registration)
    ir = mlir.ir
    attributes = {
        "call_target_name": ir.StringAttr.get(callbacks.TARGET),
        "api_version": mlir.i32_attr(4),
        "has_side_effect": ir.BoolAttr.get(has_side_effect),
        "backend_config": ir.DictAttr.get(
            {"descriptor": mlir.i64_attr(registration.descriptor)}
        ),
    }
    made = ir.Operation.create(
        "stablehlo.custom_call",
        results=[mlir.aval_to_ir_type(a) for a in ctx.avals_out],
        operands=list(operands),
        attributes=attributes,
    )
    return list(made.results)


def _is_token(aval):
    return isinstance(aval, av.AbstractToken)


def with_tokens(avals: Sequence[Any], result_avals: Sequence[Any]) -> list[Any]:
    """The types of the results, after a token where the operands start with one."""
    token = [av.abstract_token] if avals and _is_token(avals[0]) else []
    return [*token, *result_avals]


def take_token(eqn: Any, token: Any, out: Any) -> list[Any]:
    """The equation of a callback, with a token as first operand and first result."""
    changed = eqn.replace(invars=[token, *eqn.invars], outvars=[out, *eqn.outvars])
    return [changed]


def evaluate(callback: host.FlatCallback, args: Sequence[Any], result_avals) -> list:
    """Calls a function outside every trace; its results lie where the arguments do."""
    physical = [mlir.physical_aval(a) for a in result_avals]
    sharding, committed = dispatch.choose_device([host.on_device(x) for x in args])
    try:
        outs = host.call_now(callback, args, physical)
    except Exception as error:
        raise host.as_runtime_error(callback.what, error) from error
    arrays = [placement.put(o, sharding, committed=committed) for o in outs]
    return [
        extended.logical_value(a, aval)
        for a, aval in zip(arrays, result_avals, strict=True)
    ]


def _refuse(what, rule, way):
    def refuse(*args, **params):
        raise ValueError(
            errors.explain(
                f"{what} do not support {rule}.",
                [],
                "A Python function has no derivative that could be found out.",
                f"Give it one: {way}.",
            )
        )

    return refuse


@pr.declare("pure_callback", multiple_results=True)
class pure_callback_p:
    """Calls a Python function without effects."""

    def types(*avals, callback, result_avals, sharding, vmap_method):
        return list(result_avals)

    def impl(*args, callback, result_avals, sharding, vmap_method):
        return evaluate(callback, args, result_avals)

    def lower(ctx, *operands, callback, result_avals, sharding, vmap_method):
        return lower_callback(ctx, operands, callback, has_side_effect=False)

    jvp_all = _refuse("Pure callbacks", "JVP", "wrap the call in jax.custom_jvp")
    transpose = _refuse(
        "Pure callbacks", "transpose", "wrap the call in jax.custom_vjp"
    )

    def batch(axis, args, dims, *, vmap_method, **params):
        if vmap_method is None:
            raise NotImplementedError(
                errors.explain(
                    "vmap of pure_callback needs a vmap_method.",
                    [("callback", params["callback"].__name__)],
                    ways="Say how it batches: vmap_method="
                    + ", ".join(map(repr, VMAP_METHODS))
                    + ".",
                )
            )
        params = {**params, "vmap_method": vmap_method}
        if vmap_method == "sequential":
            return one_by_one(pure_callback_p, axis, args, dims, params)
        if vmap_method == "sequential_unrolled":
            return _unrolled(pure_callback_p, axis, args, dims, params)
        sizes = {
            "expand_dims": 1,
            "broadcast_all": axis.size,
            "legacy_vectorized": None,
        }
        rows = [
            _in_front(x, d, sizes[vmap_method]) for x, d in zip(args, dims, strict=True)
        ]
        batched = [
            batching.batched_aval(a, 0, axis.size) for a in params["result_avals"]
        ]
        params["result_avals"] = tuple(batched)
        outs = pure_callback_p.bind(*rows, **params)
        return outs, [0] * len(outs)

    def show(*, callback, vmap_method, **params):
        return {"callback": callback, "vmap_method": vmap_method}


def _in_front(x, dim, size):
    """The rows first; a value without rows is repeated `size` times, or left alone."""
    if dim is not None:
        return batching.bdim_at_front(x, dim, 0)
    return x if size is None else batching.bdim_at_front(x, None, size)


def one_by_one(primitive: pr.Primitive, axis, args, dims, params) -> tuple[list, list]:
    """Applies a primitive to one row after the other, in a loop of the program."""
    rows = [
        batching.bdim_at_front(x, d, axis.size)
        for x, d in zip(args, dims, strict=True)
        if d is not None
    ]

    def one(row):
        rest = iter(row)
        operands = [
            x if d is None else next(rest) for x, d in zip(args, dims, strict=True)
        ]
        return primitive.bind(*operands, **params)

    outs = loops.map(one, rows)
    return outs, [0] * len(outs)


def _unrolled(primitive, axis, args, dims, params):
    """Applies a primitive to one row after the other, each with a call of its own."""
    found = []
    for i in range(axis.size):
        row = [
            x if d is None else joining.index_in_dim(x, i, d, keepdims=False)
            for x, d in zip(args, dims, strict=True)
        ]
        found.append(primitive.bind(*row, **params))
    outs = [
        joining.concatenate([broadcasting.expand_dims(x, (0,)) for x in column], 0)
        for column in zip(*found, strict=True)
    ]
    return outs, [0] * len(outs)


@pr.declare("io_callback", multiple_results=True)
class io_callback_p:
    """Calls a Python function that acts on the world."""

    def types(*avals, callback, result_avals, sharding, ordered):
        return with_tokens(avals, result_avals)

    def effects(*avals, ordered, **params):
        return {ordered_io_effect if ordered else io_effect}

    def impl(*args, callback, result_avals, sharding, ordered):
        if ordered:
            tokens.wait_for_ordered()
        return evaluate(callback, args, result_avals)

    def lower(ctx, *operands, callback, result_avals, sharding, ordered):
        return lower_callback(ctx, operands, callback, has_side_effect=True)

    jvp_all = _refuse("IO callbacks", "JVP", "wrap the call in jax.custom_jvp")
    transpose = _refuse("IO callbacks", "transpose", "wrap the call in jax.custom_vjp")
    order = take_token

    def batch(axis, args, dims, *, ordered, **params):
        if ordered:
            raise ValueError(
                errors.explain(
                    "Cannot `vmap` an ordered io_callback.",
                    [("callback", params["callback"].__name__)],
                    "The rows of a vmap have no order.",
                    "Use lax.map instead of vmap, or ordered=False.",
                )
            )
        return one_by_one(
            io_callback_p, axis, args, dims, {**params, "ordered": ordered}
        )

    def show(*, callback, ordered, **params):
        return {"callback": callback, "ordered": ordered}
