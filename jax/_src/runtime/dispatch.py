"""Eager evaluation: one compiled program per primitive, parameters and types."""

import types
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

from jax._src import tree
from jax._src.base import caches, compile_log, config, options, records
from jax._src.core import (
    avals as avals_lib,
    jaxpr as jaxpr_lib,
    primitive as primitive_lib,
    slots,
    state,
    trace,
)
from jax._src.interpreters import hijax, mlir
from jax._src.interpreters.partial_eval import staging
from jax._src.lib import fastpath
from jax._src.runtime import checks
from jax._src.runtime.arrays import extended
from jax._src.runtime.compilation import (
    assignment as asg,
    causes,
    compilations,
    loading,
)
from jax._src.runtime.transfers import transfer_guard


def choose_devices(
    name: str, values: Any, params: Mapping[str, Any] = types.MappingProxyType({})
) -> asg.Assignment:
    """Where a primitive runs with these arguments and parameters.

    Raises:
        ValueError: arguments are committed to different devices.
    """
    constraints = [
        asg.DeviceConstraint("a requested sharding", s)
        for s in asg.placements_of(params)
    ]
    if not constraints:
        found = asg.on_one_device(values)
        if found is not None:
            return found
    avals = [avals_lib.get_aval(x) for x in values]
    return asg.assign(values, avals, constraints=constraints, what=name)


def apply_primitive(
    primitive: primitive_lib.Primitive, args: tuple, params: dict
) -> Any:
    """Evaluates a primitive on a device."""
    try:
        run = callable_of(primitive, tuple(params.items()))
    except TypeError:
        # A parameter has no hash.
        run = _make_callable(primitive, dict(params))
    out = run(*args)
    if _is_followed():
        if options.debug_key_reuse.value:
            slots.follow_keys_in_primitive(primitive, args, params, out)
        if checks.is_requested():
            _check_results(primitive, args, params, out)
    return out


# What makes an array of a number, without computing one.
_FILLS = ("convert_element_type", "broadcast_in_dim")


def _check_results(primitive, args, params, out):
    """Looks for NaNs and infinities in the results, and says which operation made one."""
    if options.disable_jit.value and primitive.name in _FILLS and not np.ndim(args[0]):
        # A constant of a function that is compiled otherwise, such as what `where` shall
        # choose outside of a domain.
        return
    outs = out if primitive.multiple_results else [out]
    bad = checks.find_bad_value(outs)
    if bad is None:
        return
    if any(True for _ in jaxpr_lib.jaxprs_in_params(params)):
        # A loop or a choice: one of its operations did.
        def apply(*values):
            found = primitive.bind(*values, **params)
            return found if primitive.multiple_results else [found]

        avals = [avals_lib.get_aval(x) for x in args]
        with state.evaluating():
            closed = staging.trace_to_closed(apply, avals)
        slots.explain_bad_value(closed, args, outs, primitive.name, bad)
    checks.check(primitive.name, outs, operands=args)


@config.of_options
def _is_followed():
    """Whether an option asks for a look at operands and results."""
    return options.debug_key_reuse.value or checks.is_requested()


def _physical(args):
    return [extended.physical_value(x) for x in args]


# Loops and branches of functions made anew come with programs of their own: the oldest are forgotten.
@caches.memoize()
def callable_of(primitive: primitive_lib.Primitive, items: tuple) -> Any:
    """What evaluates a primitive with parameters, given as pairs of name and value."""
    return _make_callable(primitive, dict(items))


def _make_callable(primitive, params):
    # Programs with effects, which the native path does not run, by types and assignment.
    with_effects: dict[Hashable, Any] = {}

    def cache_miss(*args):
        trace.refuse_escaped(primitive, args)
        if hijax.is_high(primitive, args, params):
            return hijax.evaluate_high(primitive, args, params), None
        values = _physical(args)
        assignment = choose_devices(primitive.name, values, params)
        key = tuple(avals_lib.get_aval(x) for x in args), assignment
        loaded, avals = with_effects.get(key) or _compile_recorded(
            primitive, params, args, assignment
        )
        if loaded.lowered.has_token:
            with_effects[key] = loaded, avals
        outs = loaded.run(values, waits=True)
        outs = [extended.logical_value(o, a) for o, a in zip(outs, avals, strict=True)]
        made = outs if primitive.multiple_results else outs[0]
        is_watched = transfer_guard.is_watched(values, assignment.whole)
        return made, None if is_watched else loaded.native_data

    def apply(*args):
        return primitive.bind(*args, **params)

    # Transformations evaluate what they know while they are the current trace.
    return fastpath.Function(apply, cache_miss, ignore_trace=True)


def _compile_recorded(primitive, params, args, assignment):
    def request():
        return causes.Request(
            "operation",
            primitive.name,
            causes.body_location(params),
            "",
            (),
            tuple(avals_lib.get_aval(x) for x in args),
            static=tuple((k, causes.snapshot(v)) for k, v in params.items()),
            context=config.config.trace_key(),
            devices=assignment.devices,
            committed=assignment.committed,
            shardings=assignment.inputs,
        )

    with compilations.recorded(request) as made:
        found = compile_primitive(primitive, params, args, assignment)
        made.append(found[0].executable)
    return found


def compile_primitive(
    primitive: primitive_lib.Primitive,
    params: dict,
    args: tuple,
    assignment: asg.Assignment,
) -> tuple[loading.Loaded, list[Any]]:
    """Compiles one primitive for the types of `args`, to run on a device assignment.

    Returns:
        The executable, and the types of the results.
    """
    avals = [avals_lib.get_aval(x) for x in args]

    def apply(*values):
        out = primitive.bind(*values, **params)
        return out if primitive.multiple_results else [out]

    with state.evaluating(), compile_log.tracing(primitive.name):
        closed = staging.trace_to_closed(apply, avals)
    results = loading.shardings_of_types(closed.out_avals, assignment)
    inputs = assignment.inputs
    with compile_log.lowering(primitive.name, avals, inputs):
        lowered = mlir.lower_to_module(
            primitive.name,
            closed,
            (assignment.platform,),
            mlir.Signature(in_shardings=inputs, out_shardings=results),
            partition_count=len(assignment.devices),
        )
    is_list = primitive.multiple_results or lowered.has_token
    count = len(closed.out_avals) + int(lowered.has_token)
    loaded = loading.load(
        lowered,
        closed,
        records.replace(
            assignment,
            results=results,
            constraints=tuple(
                asg.DeviceConstraint("", s) for s in asg.placements_in(closed)
            ),
        ),
        primitive.name,
        out_tree=tree.tree_structure([0] * count) if is_list else None,
        tier=options.compile_tier.value,
    )
    return loaded, closed.out_avals


slots.apply_primitive.fill(apply_primitive)
