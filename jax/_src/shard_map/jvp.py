"""The derivative of a `shard_map`: the body's, its tangents split as its values."""

from collections.abc import Callable, Sequence
from typing import Any

from jax._src.interpreters import ad
from jax._src.jit import primitive as jit_primitive
from jax._src.shard_map import tracing


def jvp(
    bind: Callable, primals: Sequence[Any], tangents: Sequence[Any], params: dict
) -> tuple[list[Any], list[Any]]:
    """Results and tangents; tangents that are zero stay outside.

    Args:
        bind: applies the primitive.
        primals: the operands.
        tangents: theirs, some of which may be `Zero`.
        params: the parameters of the equation.
    """
    jaxpr, in_specs, out_specs = (params[k] for k in ("jaxpr", "in_specs", "out_specs"))
    nonzero = tuple(type(t) is not ad.Zero for t in tangents)
    program, out_nonzero = _jvp_body(jaxpr, nonzero, params)
    live = [t for t, n in zip(tangents, nonzero, strict=True) if n]
    outs = bind(
        *primals,
        *live,
        **{
            **params,
            "jaxpr": program,
            "in_specs": in_specs + _where(nonzero, in_specs),
            "out_specs": out_specs + _where(out_nonzero, out_specs),
        },
    )
    count = len(out_specs)
    rest = iter(outs[count:])
    return outs[:count], [
        next(rest) if n else ad.zero_tangent(out)
        for out, n in zip(outs, out_nonzero, strict=False)
    ]


def _where(mask, values):
    return tuple(v for v, wanted in zip(values, mask, strict=True) if wanted)


def _jvp_body(closed, nonzero, params):
    """The body with tangents behind its inputs and results, and which results have one."""

    specs = params["out_specs"]

    def make():
        run, avals, found = jit_primitive.jvp_function(
            closed, nonzero, (False,) * len(specs)
        )
        program = tracing.setting_of(params).trace(
            run,
            avals,
            closed.debug_info,
            out_specs=lambda: specs + _where(found, specs),
        )
        return program, tuple(found)

    key = ("shard_map jvp", nonzero, specs)
    return tracing.derived(closed, key, params, make)
