"""The primitives `pure_callback` and `io_callback`."""

from collections.abc import Sequence
from typing import Any

from jax._src.base import errors
from jax._src.callbacks import host, vmap_methods
from jax._src.core import (
    avals as avals_lib,
    effects as effects_lib,
    hlo_sharding,
    primitive,
)
from jax._src.interpreters import mlir
from jax._src.lax.collectives import emit as collective
from jax._src.lax.ops import emit
from jax._src.lib import callbacks
from jax._src.runtime import dispatch, ffi, tokens
from jax._src.runtime.arrays import extended
from jax._src.runtime.compilation import assignment as asg
from jax._src.runtime.devices import backends
from jax._src.runtime.transfers import device_put_get


class IOEffect(effects_lib.Effect):
    """The program calls a function that acts on the world."""

    def __repr__(self) -> str:
        return "IO"


class OrderedIOEffect(effects_lib.Effect):
    """The program calls functions that act on the world, in a certain order."""

    def __repr__(self) -> str:
        return "OrderedIO"


io_effect, ordered_io_effect = IOEffect(), OrderedIOEffect()


def register_effect(kind: type, *, is_ordered: bool, is_repeatable: bool) -> None:
    """Makes a class of effects one that programs carry out by calling the host."""
    for kinds in (
        effects_lib.lowerable_effects,
        effects_lib.runtime_effects,
        effects_lib.control_flow_allowed_effects,
        effects_lib.custom_derivatives_allowed_effects,
    ):
        kinds.add_type(kind)
    if is_ordered:
        effects_lib.ordered_effects.add_type(kind)
    if is_repeatable:
        effects_lib.repeatable_effects.add_type(kind)
        effects_lib.remat_allowed_effects.add_type(kind)


register_effect(IOEffect, is_ordered=False, is_repeatable=False)
register_effect(OrderedIOEffect, is_ordered=True, is_repeatable=False)
effects_lib.shardable_ordered_effects.add_type(OrderedIOEffect)


def lower_callback(
    ctx: mlir.RuleContext,
    operands: Sequence[Any],
    callback: host.FlatCallback,
    has_side_effect: bool,
    in_parts: bool = False,
) -> list[Any]:
    """The custom call of a Python function; tokens among operands and results stay out.

    Args:
        ctx: the rule's.
        operands: values of the program.
        callback: the function.
        has_side_effect: whether it is called although nobody wants its results.
        in_parts: of a program that our compiler divides, every device calls, with what it
            has of the operands; the function has no results. The programs of other compilers do not support it.
    """
    region = ctx.module_context.manual
    if region is not None and region.other_axes and not in_parts:
        if ctx.avals_out:
            _refuse_other_axes(region, callback)
        region.see_whole(
            ctx, operands, lambda *whole: _call_on_first(ctx, region, whole, callback)
        )
        return []
    return _lower_call(ctx, operands, callback, has_side_effect, in_parts)


def _call_on_first(ctx, region, operands, callback) -> None:
    """Calls a function without results on the first device along the compiler's axes."""
    table = mlir.ir_constant(region.first_along_others())
    found = emit.dynamic_slice(table, [collective.partition_id()], (1,))

    def call():
        _lower_call(ctx, operands, callback, has_side_effect=True, in_parts=True)
        return []

    emit.case(emit.reshape(found, ()), [lambda: [], call], [])


def _lower_call(ctx, operands, callback, has_side_effect, in_parts) -> list[Any]:
    ffi.install_callbacks(ctx.platforms[0])
    out_avals = [mlir.physical_aval(a) for a in ctx.avals_out if not _is_token(a)]
    function = host.HostFunction(callback, out_avals)
    registration = callbacks.register(function)
    module = ctx.module_context
    module.host_callbacks.append(registration)
    # Of a program that is divided, the first device calls, with whole arguments; where
    # programs see parts, each device does.
    target, sharding = callbacks.TARGET, None
    # Functions that libraries lower themselves are none of ours.
    if getattr(callback, "is_queued", False):
        target = ffi.CALLBACK_IN_QUEUE
    if module.partition_count > 1 and module.manual is None:
        can = in_parts and not backends.has_foreign(ctx.platforms[0])
        target = ffi.CALLBACK_IN_PARTS if can else ffi.CALLBACK_ON_ONE_DEVICE
        texts = [mlir.on_first_device(module)] * max(len(ctx.avals_out), 1)
        sharding = mlir.per_value_attribute(module, texts)
    results = mlir.custom_call(
        target,
        operands,
        [mlir.aval_to_ir_type(a) for a in ctx.avals_out],
        {"descriptor": mlir.i64_attr(registration.descriptor)},
        has_side_effect=has_side_effect,
        sharding=sharding,
    )
    if sharding is None:
        return results
    return [
        _on_all_devices(module, r, a)
        for r, a in zip(results, ctx.avals_out, strict=True)
    ]


def _refuse_other_axes(region, callback) -> None:
    """Raises NotImplementedError: each device would call, several with the same arguments."""
    raise errors.not_implemented(
        f"{callback.what}: callbacks are only supported in spmd computations when all "
        "mesh axes are partitioned manually (no partial automatic sharding).",
        [
            ("callback", callback.__name__),
            ("manual axes", str(tuple(sorted(map(str, region.axes))))),
            ("other axes", str(tuple(map(str, region.other_axes)))),
        ],
        "Each device along the other axes would call the function.",
        "Leave axis_names of jax.shard_map away, so that all axes are manual, or call "
        "the function outside of jax.shard_map.",
    )


def _on_all_devices(module, value, aval):
    if _is_token(aval):
        return value
    ndim = len(mlir.physical_aval(aval).shape)
    return mlir.constrain(module, value, hlo_sharding.REPLICATED, ndim)


def _is_token(aval):
    return isinstance(aval, avals_lib.AbstractToken)


def with_tokens(avals: Sequence[Any], result_avals: Sequence[Any]) -> list[Any]:
    """The types of the results, after a token where the operands start with one."""
    token = [avals_lib.abstract_token] if avals and _is_token(avals[0]) else []
    return [*token, *result_avals]


def take_token(eqn: Any, token: Any, out: Any) -> list[Any]:
    """The equation of a callback, with a token as first operand and first result."""
    changed = eqn.replace(invars=[token, *eqn.invars], outvars=[out, *eqn.outvars])
    return [changed]


def evaluate(callback: host.FlatCallback, args: Sequence[Any], result_avals) -> list:
    """Calls a function outside every trace; its results are on the devices of the arguments."""
    physical = [mlir.physical_aval(a) for a in result_avals]
    assignment = dispatch.choose_devices(
        callback.what, [host.on_device(x) for x in args]
    )
    try:
        outs = host.call_now(callback, args, physical)
    except Exception as error:
        raise host.as_runtime_error(callback.what, error) from error
    whole = asg.named_whole(assignment)
    arrays = [
        device_put_get.put(o, whole, committed=assignment.committed) for o in outs
    ]
    return [
        extended.logical_value(a, aval)
        for a, aval in zip(arrays, result_avals, strict=True)
    ]


def _refuse(what, rule, way):
    def refuse(*args, **params):
        raise errors.value_error(
            f"{what} do not support {rule}.",
            [],
            "A Python function has no derivative that could be found out.",
            f"Give it one: {way}.",
        )

    return refuse


@primitive.declare("pure_callback", multiple_results=True)
class pure_callback_p:
    """Calls a Python function without effects."""

    sharding = primitive.BY_TYPES

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
        what = f"pure_callback of {params['callback'].__name__}"
        return vmap_methods.by_method(
            pure_callback_p, what, axis, args, dims, vmap_method, params
        )

    def show(*, callback, vmap_method, **params):
        return {"callback": callback, "vmap_method": vmap_method}


@primitive.declare("io_callback", multiple_results=True)
class io_callback_p:
    """Calls a Python function that acts on the world."""

    sharding = primitive.BY_TYPES

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

    def by_device(operands, is_shared, *, callback, result_avals, sharding, ordered):
        if ordered:
            tokens.wait_for_ordered()
        physical = [mlir.physical_aval(a) for a in result_avals]
        try:
            return [host.call_now(callback, values, physical) for values in operands]
        except Exception as error:
            raise host.as_runtime_error(callback.what, error) from error

    def batch(axis, args, dims, *, ordered, **params):
        if ordered:
            raise errors.value_error(
                "Cannot `vmap` an ordered io_callback.",
                [("callback", params["callback"].__name__)],
                "The rows of a vmap have no order.",
                "Use lax.map instead of vmap, or ordered=False.",
            )
        return vmap_methods.one_by_one(
            io_callback_p, axis, args, dims, {**params, "ordered": ordered}
        )

    def show(*, callback, ordered, **params):
        return {"callback": callback, "ordered": ordered}
