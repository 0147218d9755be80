"""Eager evaluation: one compiled program per primitive, parameters and types."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from jax._src import tree
from jax._src.base import caches, errors, options
from jax._src.core import (
    avals as av,
    jaxpr as jx,
    primitive as pr,
    shardings as sh,
    slots,
    state,
)
from jax._src.interpreters import mlir
from jax._src.interpreters.partial_eval import staging
from jax._src.lib import client, fastpath
from jax._src.runtime import (
    backends,
    checks,
    compile as co,
    extended,
    placement,
    tokens,
    transfers,
)

# By primitive and parameters. A parameter without a hash is not remembered.
_callables: dict[Hashable, Callable[..., Any]] = {}
caches.register("runtime.dispatch", _callables.clear)


def choose_device(values: Any) -> tuple[Any, bool]:
    """Where to run with these arguments, and whether that was chosen on purpose.

    Arguments in parts on several devices: each of these runs the whole program.

    Raises:
        ValueError: arguments are committed to different devices.
    """
    chosen = None
    first = None
    for value in values:
        if not isinstance(value, client.Array):
            continue
        if first is None:
            first = value.sharding
        if value.committed:
            if chosen is None:
                chosen = value
            elif not _lie_together(chosen.sharding, value.sharding):
                raise ValueError(_incompatible(chosen, value))
    if chosen is not None:
        return chosen.sharding.replicated, True
    if first is not None:
        return first, False
    return sh.of_device(backends.default_device()), False


def _lie_together(a, b):
    return a is b or (
        a.ordered_devices == b.ordered_devices and a.memory_kind == b.memory_kind
    )


def _incompatible(a, b):
    return (
        "Received incompatible devices for jitted computation.\n"
        f"  one argument  {a.aval.str_short()} on {a.sharding}\n"
        f"  another       {b.aval.str_short()} on {b.sharding}\n"
        "Arguments that were put somewhere on purpose must lie together: move one with "
        "jax.device_put."
    )


def apply_primitive(primitive: pr.Primitive, args: tuple, params: dict) -> Any:
    """Evaluates a primitive on a device."""
    try:
        key = (primitive, tuple(params.items()))
        run = _callables.get(key)
    except TypeError:
        key, run = None, None
    if run is None:
        run = _make_callable(primitive, dict(params))
        if key is not None:
            _callables[key] = run
    out = run(*args)
    if options.debug_key_reuse.value:
        slots.follow_keys_in_primitive(primitive, args, params, out)
    if checks.is_asked():
        checks.check(primitive.name, out if primitive.multiple_results else [out])
    return out


def _physical(args):
    return [extended.physical_value(x) for x in args]


def _make_callable(primitive, params):
    # Programs with effects, which the native path does not run, by types and place.
    with_effects: dict[Hashable, Any] = {}

    def cache_miss(*args):
        key = tuple(av.get_aval(x) for x in args), choose_device(_physical(args))
        data, lowered, avals = with_effects.get(key) or compile_primitive(
            primitive, params, args
        )
        if lowered.has_token:
            with_effects[key] = data, lowered, avals
        outs = tokens.run(data, _physical(args), lowered, key[1][0])
        outs = [extended.logical_value(o, a) for o, a in zip(outs, avals, strict=True)]
        made = outs if primitive.multiple_results else outs[0]
        is_watched = transfers.is_watched(_physical(args), key[1][0])
        return made, None if lowered.has_token or is_watched else data

    def apply(*args):
        return primitive.bind(*args, **params)

    # Transformations evaluate what they know while they are the current trace.
    return fastpath.Function(apply, cache_miss, ignore_trace=True)


def compile_primitive(
    primitive: pr.Primitive, params: dict, args: tuple
) -> tuple[Any, Any, list[Any]]:
    """Compiles one primitive for the types and the place of `args`.

    Returns:
        What the native call path needs, what was lowered, and the types of the results.
    """
    avals = [av.get_aval(x) for x in args]
    sharding, committed = choose_device(_physical(args))

    def apply(*values):
        out = primitive.bind(*values, **params)
        return out if primitive.multiple_results else [out]

    with state.evaluating():
        closed = staging.trace_to_closed(apply, avals)
    devices = sharding.ordered_devices
    lowered = mlir.lower_to_module(primitive.name, closed, (devices[0].platform,))
    executable = compile_lowered(lowered, devices, primitive.name)
    data = make_data(executable, closed, lowered, sharding, committed, primitive)
    return data, lowered, closed.out_avals


# The type of a token as the runtime has it.
TOKEN_ARRAY = av.ShapedArray((0,), np.dtype(np.bool_))


def compile_lowered(
    lowered: mlir.LoweringResult,
    devices: Sequence[Any],
    name: str,
    options: dict[str, Any] | None = None,
) -> Any:
    """Compiles a lowered program, to run on each device; it keeps its callbacks alive.

    Raises:
        NotImplementedError: a program with effects shall run on several devices.
    """
    if lowered.has_token and len(devices) > 1:
        raise NotImplementedError(
            errors.explain(
                "Effects of programs on several devices are not implemented.",
                [("program", name), ("devices", str(len(devices)))],
                "Each device runs the whole program, so each would have the effects.",
                "Put the arguments on one device with jax.device_put.",
            )
        )
    executable = co.compile_module(
        mlir.module_to_bytecode(lowered.module),
        devices=devices,
        name=name,
        replica_count=len(devices),
        options=options,
        # Places in source files are not part of what is compiled.
        text=lambda: mlir.module_to_string(lowered.module, enable_debug_info=False),
        # Of what a module keeps, programs are not referred to by its code.
        cacheable=not lowered.host_callbacks
        and all(isinstance(kept, jx.ClosedJaxpr) for kept in lowered.keepalives),
    )
    for registration in lowered.host_callbacks:
        executable.keep_alive(registration)
    return executable


def make_data(
    executable: Any,
    closed: jx.ClosedJaxpr,
    lowered: Any,
    sharding: sh.Sharding,
    committed: bool,
    primitive: pr.Primitive,
) -> Any:
    """What the native call path needs to run the program of one primitive."""
    avals: list[Any] = [mlir.physical_aval(a) for a in closed.out_avals]
    if lowered.has_token:
        avals = [TOKEN_ARRAY, *avals]
    count = len(avals)
    is_list = primitive.multiple_results or lowered.has_token
    return fastpath.FastpathData(
        executable=executable,
        out_tree=_list_tree(count) if is_list else None,
        out_types=[(a.shape, a.dtype, a.weak_type) for a in avals],
        out_shardings=[sharding] * count,
        out_committed=committed,
        in_shardings=wanted_of(sharding, len(closed.in_avals)),
        constants=[placement.put(c, sharding) for c in lowered.constants],
        out_wrappers=extended.wrappers(closed.out_avals),
        keepalive=lowered.keepalives,
    )


def wanted_of(sharding: sh.Sharding, count: int) -> list[sh.Sharding] | None:
    """How a program wants `count` arguments; None: a single device leaves no choice."""
    return [sharding] * count if sharding.num_devices > 1 else None


def _list_tree(count):
    return tree.tree_structure([0] * count)


slots.apply_primitive.fill(apply_primitive)
