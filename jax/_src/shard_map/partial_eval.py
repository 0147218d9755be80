"""Splitting a `shard_map` into what is known now and the rest."""

from collections.abc import Sequence
from typing import Any

from jax._src.core import (
    avals as avals_lib,
    evaluate,
    jaxpr as jaxpr_lib,
    primitive as primitive_lib,
)
from jax._src.interpreters import partial_eval as pe
from jax._src.lax.ops import reshaping
from jax._src.shard_map import specs as specs_lib, tracing


def partial_eval(
    primitive: primitive_lib.Primitive, trace: Any, args: Sequence[Any], params: dict
) -> list[Any]:
    """Runs the known half now and records the other one.

    What the other half needs of the known one leaves the first `shard_map` and enters the
    second, each device's own values joined along their first axis.
    """
    in_specs, out_specs = params["in_specs"], params["out_specs"]
    unknown = tuple(trace.is_unknown(a) for a in args)
    known, late, unknown_out, sources, res_specs = _split(
        params["jaxpr"], unknown, params
    )
    early_specs = _where([not u for u in unknown_out], out_specs)
    early_args = _where([not u for u in unknown], args)
    early_params = {
        **params,
        "jaxpr": known,
        "in_specs": _where([not u for u in unknown], in_specs),
        "out_specs": (*early_specs, *res_specs),
    }
    outs = trace.known(lambda: primitive.bind(*early_args, **early_params))
    residuals = outs[len(early_specs) :]
    made = iter(zip(residuals, res_specs, strict=True))
    kept = [
        next(made) if i is None else (early_args[i], early_params["in_specs"][i])
        for i in sources
    ]
    late_args = (*[x for x, _ in kept], *_where(unknown, args))
    late_params = {
        **params,
        "jaxpr": late,
        "in_specs": (*[s for _, s in kept], *_where(unknown, in_specs)),
        "out_specs": _where(unknown_out, out_specs),
    }
    has_late = any(unknown_out)
    late_outs = iter(
        trace.staging.process(primitive, late_args, late_params) if has_late else ()
    )
    early = iter(outs)
    return [next(late_outs) if u else next(early) for u in unknown_out]


def _where(mask, values):
    return tuple(v for v, wanted in zip(values, mask, strict=True) if wanted)


def _split(closed, unknown, params):
    """Both halves of a body.

    Returns:
        The known half; the other one, whose first inputs are the residuals; which
        results are unknown; for each residual the number of the known input that it is,
        or None; and the specs of the remaining ones.
    """

    def make():
        setting = tracing.setting_of(params)
        with specs_lib.inside(setting.mesh, setting.axes, setting.check_vma):
            known, late, unknown_out, avals = pe.partial_eval_jaxpr(closed, unknown)
        count = len(known.jaxpr.outvars) - len(avals)
        smaller, sources = _without_inputs(known, count)
        made = [a for a, i in zip(avals, sources, strict=True) if i is None]
        known = _ranked(smaller, count, setting)
        late = _unranked(late, sources, setting)
        specs = tuple(setting.residual_spec(a) for a in made)
        return known, late, tuple(unknown_out), tuple(sources), specs

    return tracing.derived(closed, ("shard_map split", unknown), params, make)


def _without_inputs(known, count):
    """The known half without residuals that are its inputs; where each comes from."""
    inputs = {v: i for i, v in enumerate(known.jaxpr.invars)}
    residuals = known.jaxpr.outvars[count:]
    sources = [
        inputs.get(v) if isinstance(v, jaxpr_lib.Var) else None for v in residuals
    ]
    kept = [v for v, i in zip(residuals, sources, strict=True) if i is None]
    debug = known.debug_info.replace(result_paths=None)
    jaxpr = known.jaxpr.replace(
        outvars=[*known.jaxpr.outvars[:count], *kept], debug_info=debug
    )
    return jaxpr_lib.ClosedJaxpr(jaxpr, known.consts), sources


def _is_scalar(aval):
    return isinstance(aval, avals_lib.ShapedArray) and aval.ndim == 0


def _ranked(known, count, setting):
    """The known half, scalar residuals as arrays of one element: these can be joined."""
    residuals = known.out_avals[count:]
    if not any(map(_is_scalar, residuals)):
        return known

    def run(*args):
        outs = evaluate.eval_closed(known, *args)
        flat = [
            reshaping.reshape(x, (1,)) if _is_scalar(a) else x
            for x, a in zip(outs[count:], residuals, strict=True)
        ]
        return [*outs[:count], *flat]

    return setting.trace(run, known.in_avals, known.debug_info)


def _unranked(late, sources, setting):
    """The other half, given those."""
    avals = late.in_avals
    is_flat = [
        i is None and _is_scalar(a) for a, i in zip(avals, sources, strict=False)
    ]
    if not any(is_flat):
        return late
    is_flat += [False] * (len(avals) - len(is_flat))
    given = [
        a.update(shape=(1,)) if f else a for a, f in zip(avals, is_flat, strict=True)
    ]

    def run(*args):
        values = [
            reshaping.reshape(x, ()) if f else x
            for x, f in zip(args, is_flat, strict=True)
        ]
        return evaluate.eval_closed(late, *values)

    return setting.trace(run, given, late.debug_info)
