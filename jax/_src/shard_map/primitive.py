"""The primitive `shard_map`: a program for one device of a mesh, as one equation."""

from jax._src.core import effects as effects_lib, primitive, vma
from jax._src.interpreters import hijax
from jax._src.runtime import checks
from jax._src.shard_map import (
    batching_rule,
    dce,
    impl,
    jvp,
    lowering,
    partial_eval,
    specs,
    stepwise,
    tracing,
    transpose,
)


@primitive.declare("shard_map", multiple_results=True)
class shard_map_p:
    """Runs the program `jaxpr` on every device, on its parts of the arguments."""

    manual = vma.AS_TYPES
    sharding = primitive.BY_TYPES

    def types(*avals, jaxpr, mesh, in_specs, out_specs, check_vma, newly_manual_axes):
        # Where types say nothing of the inside, a result varies as any argument does.
        outer = frozenset()
        if not check_vma:
            outer = outer.union(*[varying_of(a) for a in avals])
        return [
            specs.global_aval(aval, spec, mesh, newly_manual_axes, outer)
            for aval, spec in zip(jaxpr.out_avals, out_specs, strict=True)
        ]

    def effects(*avals, jaxpr, newly_manual_axes, **params):
        inner = {effects_lib.NamedAxisEffect(name) for name in newly_manual_axes}
        return jaxpr.effects - inner

    def inside(params):
        setting = tracing.setting_of(params)
        return specs.inside(setting.mesh, setting.axes, setting.check_vma)

    def low(avals, out_avals, *, jaxpr, in_specs, out_specs, **params):
        setting = tracing.setting_of(params)
        ins = specs.low_specs(avals, in_specs)
        outs = specs.low_specs(out_avals, out_specs)
        local = [
            specs.local_aval(a, spec, setting.mesh, setting.axes, setting.check_vma)
            for a, spec in zip(hijax.lo_avals(avals), ins, strict=True)
        ]
        closed = setting.trace(
            hijax.lowered_function(jaxpr),
            local,
            jaxpr.debug_info,
            out_specs=lambda: outs,
        )
        return {**params, "jaxpr": closed, "in_specs": ins, "out_specs": outs}

    def impl(*args, **params):
        if hijax.is_high(shard_map_p, args, params):
            return hijax.evaluate_high(shard_map_p, args, params)
        outs = impl.run(shard_map_p.bind, args, params)
        if checks.is_requested() and checks.find_bad_value(outs):
            stepwise.find_bad_value(shard_map_p.bind, args, params)
            checks.check("shard_map", outs)
        return outs

    def jvp_all(primals, tangents, **params):
        return jvp.jvp(shard_map_p.bind, primals, tangents, params)

    def partial_eval(trace, *args, **params):
        return partial_eval.partial_eval(shard_map_p, trace, args, params)

    def transpose(cts, *operands, **params):
        return transpose.transpose(shard_map_p.bind, cts, operands, params)

    def batch(axis, args, dims, **params):
        return batching_rule.batch(shard_map_p.bind, axis, args, dims, params)

    def dce(used_outputs, eqn):
        return dce.dce(used_outputs, eqn)

    def lower(ctx, *operands, **params):
        return lowering.lower(ctx, operands, **params)

    def order(eqn, token, out):
        return [lowering.ordered(eqn, token, out)]


def varying_of(aval):
    """The axes along which values of a type vary."""
    return getattr(aval, "manual_axis_type", vma.NONE).varying
