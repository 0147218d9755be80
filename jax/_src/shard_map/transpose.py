"""Running a linear `shard_map` backwards."""

from collections.abc import Callable, Sequence
from typing import Any

from jax._src.base import scalars
from jax._src.interpreters import ad
from jax._src.lax.collectives import reductions
from jax._src.lax.ops.arithmetic import div
from jax._src.lax.ops.creation import scalar_like
from jax._src.shard_map import specs as specs_lib, tracing


def transpose(
    bind: Callable, cts: Sequence[Any], operands: Sequence[Any], params: dict
) -> list[Any]:
    """The cotangents of the operands.

    Each cotangent is split as its primal value is. Where types say which values
    vary, the body's own casts and sums are what each other's transposes ask for. Where
    they do not, a result that all devices share gets its cotangent in equal parts, and
    the cotangents of an argument that they share are summed.
    """
    in_specs, out_specs = params["in_specs"], params["out_specs"]
    linear = tuple(ad.is_undefined_primal(x) for x in operands)
    ct_zero = tuple(type(ct) is ad.Zero for ct in cts)
    program, out_zero = _backward_body(params["jaxpr"], linear, ct_zero, params)
    known = [x for x, is_linear in zip(operands, linear, strict=True) if not is_linear]
    live = [ct for ct, zero in zip(cts, ct_zero, strict=True) if not zero]
    known_specs = _where([not lin for lin in linear], in_specs)
    live_specs = _where([not zero for zero in ct_zero], _dual(out_specs))
    linear_specs = _where(linear, _dual(in_specs))
    outs = iter(
        bind(
            *known,
            *live,
            **{
                **params,
                "jaxpr": program,
                "in_specs": known_specs + live_specs,
                "out_specs": _where([not zero for zero in out_zero], linear_specs),
            },
        )
    )
    zeros = iter(out_zero)
    return [
        None if not is_linear or next(zeros) else next(outs) for is_linear in linear
    ]


def _where(mask, values):
    return tuple(v for v, wanted in zip(values, mask, strict=True) if wanted)


def _dual(specs):
    return tuple(spec.to_ct_spec() for spec in specs)


def _backward_body(closed, linear, ct_zero, params):
    """The body that goes from known inputs and cotangents to those of linear inputs."""
    in_specs, out_specs = params["in_specs"], params["out_specs"]
    setting = tracing.setting_of(params)

    def make():
        found: list[bool] = []
        n_known = len(linear) - sum(linear)

        def run(*args):
            known, live = iter(args[:n_known]), iter(args[n_known:])
            operands = [
                ad.UndefinedPrimal(aval) if is_linear else next(known)
                for aval, is_linear in zip(closed.in_avals, linear, strict=True)
            ]
            cts = [
                ad.Zero(aval.to_cotangent_aval())
                if zero
                else _shared_out(next(live), spec, setting)
                for aval, zero, spec in zip(
                    closed.out_avals, ct_zero, out_specs, strict=True
                )
            ]
            outs = ad.backward_pass(closed.jaxpr, closed.consts, operands, cts)
            pairs = zip(_where(linear, outs), _where(linear, in_specs), strict=True)
            outs = [(o, _gathered_in(o, spec, setting)) for o, spec in pairs]
            found.extend(type(o) is ad.Zero for o, _ in outs)
            return [made for o, made in outs if type(o) is not ad.Zero]

        cts = [a.to_cotangent_aval() for a in closed.out_avals]
        avals = _where([not lin for lin in linear], closed.in_avals)
        avals += _where([not zero for zero in ct_zero], cts)
        program = setting.trace(
            run,
            avals,
            closed.debug_info.with_unknown_names(),
            out_specs=lambda: _where(
                [not zero for zero in found], _where(linear, _dual(in_specs))
            ),
        )
        return program, tuple(found)

    key = ("shard_map transpose", linear, ct_zero, in_specs, out_specs)
    return tracing.derived(closed, key, params, make)


def _unmentioned(spec, setting):
    """The axes along which a value is trusted to be the same, most often none."""
    if setting.check_vma:
        return ()
    return specs_lib.in_mesh_order(
        setting.mesh, setting.axes - specs_lib.names_of(spec)
    )


def _shared_out(ct, spec, setting):
    count = specs_lib.part_count(setting.mesh, _unmentioned(spec, setting))
    if count == 1 or _has_no_number(ct):
        return ct
    return div(ct, scalar_like(ct, count))


def _gathered_in(ct, spec, setting):
    axes = _unmentioned(spec, setting)
    if not axes or type(ct) is ad.Zero or _has_no_number(ct):
        return ct
    return reductions.psum(ct, axes)


def _has_no_number(ct):
    return getattr(ct, "dtype", None) == scalars.float0
