"""The primitive `shard_map`: a program for one device of a mesh, as one equation, and its rules."""

from collections.abc import Callable, Sequence
from typing import Any

from jax._src.base import errors, options, scalars
from jax._src.core import (
    avals as avals_lib,
    effects as effects_lib,
    evaluate,
    jaxpr as jaxpr_lib,
    primitive,
    shardings as shardings_lib,
    vma,
)
from jax._src.interpreters import ad, batching, hijax, mlir, partial_eval as pe
from jax._src.interpreters.mlir import manual
from jax._src.jit import primitive as jit_primitive
from jax._src.lax.collectives import reductions
from jax._src.lax.ops import reshaping
from jax._src.lax.ops.arithmetic import div
from jax._src.lax.ops.creation import scalar_like
from jax._src.runtime import checks
from jax._src.runtime.devices import backends
from jax._src.shard_map import impl as eager, specs as specs_lib, stepwise, tracing


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
            specs_lib.global_aval(aval, spec, mesh, newly_manual_axes, outer)
            for aval, spec in zip(jaxpr.out_avals, out_specs, strict=True)
        ]

    def effects(*avals, jaxpr, newly_manual_axes, **params):
        inner = {effects_lib.NamedAxisEffect(name) for name in newly_manual_axes}
        return jaxpr.effects - inner

    def inside(params):
        setting = tracing.setting_of(params)
        return specs_lib.inside(setting.mesh, setting.axes, setting.check_vma)

    def low(avals, out_avals, *, jaxpr, in_specs, out_specs, **params):
        setting = tracing.setting_of(params)
        ins = specs_lib.low_specs(avals, in_specs)
        outs = specs_lib.low_specs(out_avals, out_specs)
        local = [
            specs_lib.local_aval(a, spec, setting.mesh, setting.axes, setting.check_vma)
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
        outs = eager.run(shard_map_p.bind, args, params)
        if checks.is_requested() and checks.find_bad_value(outs):
            stepwise.find_bad_value(shard_map_p.bind, args, params)
            checks.check("shard_map", outs)
        return outs

    def jvp_all(primals, tangents, **params):
        return _jvp(shard_map_p.bind, primals, tangents, params)

    def partial_eval(trace, *args, **params):
        return _partial_eval(trace, args, params)

    def transpose(cts, *operands, **params):
        return _transpose(shard_map_p.bind, cts, operands, params)

    def batch(axis, args, dims, **params):
        return _batch(shard_map_p.bind, axis, args, dims, params)

    def dce(used_outputs, eqn):
        return _dce(used_outputs, eqn)

    def lower(ctx, *operands, **params):
        return _lower(ctx, operands, **params)

    def order(eqn, token, out):
        return [_ordered(eqn, token, out)]


def varying_of(aval):
    """The axes along which values of a type vary."""
    return getattr(aval, "manual_axis_type", vma.NONE).varying


def _where(mask, values):
    return tuple(v for v, wanted in zip(values, mask, strict=True) if wanted)


# The derivative: the body's, its tangents split as its values.


def _jvp(
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


# Running a linear `shard_map` backwards.


def _transpose(
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


# Splitting it into what is known now and the rest, and taking away what nobody needs.


def _partial_eval(trace: Any, args: Sequence[Any], params: dict) -> list[Any]:
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
    outs = trace.known(lambda: shard_map_p.bind(*early_args, **early_params))
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
        trace.staging.process(shard_map_p, late_args, late_params) if has_late else ()
    )
    early = iter(outs)
    return [next(late_outs) if u else next(early) for u in unknown_out]


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


def _dce(
    used_outputs: Sequence[bool], eqn: jaxpr_lib.JaxprEqn
) -> tuple[list[bool], jaxpr_lib.JaxprEqn | None]:
    """Which inputs are still needed, and the smaller equation."""
    params: dict[str, Any] = eqn.params
    smaller, used_inputs = pe.dce_closed(params["jaxpr"], used_outputs)
    inner = {effects_lib.NamedAxisEffect(name) for name in params["newly_manual_axes"]}
    changed = {
        **params,
        "jaxpr": smaller,
        "in_specs": _where(used_inputs, params["in_specs"]),
        "out_specs": _where(used_outputs, params["out_specs"]),
    }
    effects = smaller.effects - inner
    return pe.dce_call(eqn, changed, effects, used_inputs, used_outputs)


def _where(mask, values):
    return tuple(v for v, wanted in zip(values, mask, strict=True) if wanted)


# Batching: the body, batched.


def _batch(
    bind: Callable, axis: Any, args: Sequence[Any], dims: Sequence[Any], params: dict
) -> tuple[list[Any], list[Any]]:
    """Results and their batch dimensions; these are split over `axis.spmd_name`, if any."""
    jaxpr = params["jaxpr"]
    # Along axes that are not Manual here, the body's own constraints spread batch elements.
    names = _names(axis.spmd_name)
    _check_known(names, params["mesh"])
    spread = names if params["newly_manual_axes"].intersection(names) else ()
    _check_spread(spread, params)
    _check_split(spread, params["in_specs"], dims)
    local = axis
    if spread:
        count = specs_lib.part_count(params["mesh"], spread)
        _check_size(spread, axis.size, count)
        local = batching.Axis(axis.size // count, axis.name, axis.spmd_name)
    setting = tracing.setting_of(params)

    def make():
        body = _varied(jaxpr, dims, spread, setting)
        with specs_lib.inside(setting.mesh, setting.axes, setting.check_vma):
            return batching.batch_jaxpr(body, local, dims)

    key = ("shard_map batch", local, tuple(dims))
    program, out_dims = tracing.derived(jaxpr, key, params, make)
    _check_split(spread, params["out_specs"], out_dims)
    entry = spread if spread else None
    in_specs = tuple(
        spec if d is None else specs_lib.with_entry(spec, d, entry, a.ndim)
        for spec, d, a in zip(params["in_specs"], dims, jaxpr.in_avals, strict=True)
    )
    out_specs = tuple(
        spec if d is None else specs_lib.with_entry(spec, d, entry, a.ndim)
        for spec, d, a in zip(
            params["out_specs"], out_dims, jaxpr.out_avals, strict=True
        )
    )
    changed = {"jaxpr": program, "in_specs": in_specs, "out_specs": out_specs}
    return bind(*args, **{**params, **changed}), list(out_dims)


def _names(spmd_name):
    if spmd_name is None:
        return ()
    return tuple(spmd_name) if isinstance(spmd_name, tuple | list) else (spmd_name,)


def _varied(closed, dims, spread, setting):
    """The body whose mapped arguments vary along the axes that batch elements are spread over."""
    axes = frozenset(spread)
    if not axes or not setting.check_vma:
        return closed
    avals = [
        a
        if d is None or not isinstance(a, avals_lib.ShapedArray)
        else _varying_more(a, axes)
        for a, d in zip(closed.in_avals, dims, strict=True)
    ]
    return setting.trace(
        lambda *xs: evaluate.eval_closed(closed, *xs), avals, closed.debug_info
    )


def _varying_more(aval, axes):
    manual = aval.manual_axis_type
    more = type(manual)(
        varying=manual.varying | axes,
        unreduced=manual.unreduced,
        reduced=manual.reduced,
    )
    return aval.update(manual_axis_type=more)


def _check_known(names, mesh):
    unknown = set(names) - set(mesh.axis_names)
    if unknown:
        raise errors.value_error(
            "vmap: spmd_axis_name is no axis of the mesh of a shard_map inside.",
            [("spmd_axis_name", repr(names)), ("mesh", repr(mesh))],
            "Rows are spread over axes of the mesh.",
            "Name one of these, or leave spmd_axis_name out.",
        )


def _check_spread(spread, params):
    left = set(spread) - params["newly_manual_axes"]
    if left:
        raise errors.value_error(
            "vmap: spmd_axis_name has axes that a shard_map inside makes Manual, and "
            "others.",
            [
                ("spmd_axis_name", repr(spread)),
                ("others", repr(left)),
                ("axis_names", repr(set(params["newly_manual_axes"]))),
            ],
            "Rows are spread by the shard_map, or by constraints in its body.",
            "Name axes of the one kind: a vmap in a vmap has both.",
        )


def _check_split(spread, specs, dims):
    """No mesh axis over which batch elements are spread splits an array in another way too.

    The user may ask that arrays that are not mapped are left alone.
    """
    is_lax = options.disable_vmap_shmap_error.value
    for spec, dim in zip(specs, dims, strict=True):
        if is_lax and dim is None or not specs_lib.names_of(spec) & frozenset(spread):
            continue
        raise errors.value_error(
            "vmap: spmd_axis_name is an axis that a shard_map inside uses itself.",
            [
                ("spmd_axis_name", repr(spread)),
                ("specs", repr(specs)),
            ],
            "A mesh axis splits an array along one of its axes.",
            "Leave the axis to the one or to the other.\n"
            "To split arrays without rows over it: "
            "jax.config.update('jax_disable_vmap_shmap_error', True).",
        )


def _check_size(spread, size, count):
    if size % count:
        raise errors.value_error(
            "vmap: spmd_axis_name splits the rows into parts of different sizes.",
            [
                ("spmd_axis_name", repr(spread)),
                ("rows", str(size)),
                ("parts", str(count)),
            ],
            "Each device has as many rows as the others.",
            "Leave spmd_axis_name out, or map over a multiple of the parts.",
        )


# Lowering: a manual computation of the sdy dialect.


def _lower(
    ctx: Any,
    operands: Sequence[Any],
    *,
    jaxpr: Any,
    mesh: Any,
    in_specs: Sequence[Any],
    out_specs: Sequence[Any],
    check_vma: bool,
    newly_manual_axes: frozenset,
) -> list[Any]:
    """The values of the results."""
    module = ctx.module_context
    outer = module.manual.axes if module.manual is not None else frozenset()
    axes = newly_manual_axes | outer
    region = manual.ManualRegion(mesh.abstract_mesh, axes)
    inside = [mlir.aval_to_ir_type(a) for a in jaxpr.in_avals]

    def body(*values):
        with module.in_manual(region):
            return mlir.inline_closed(module, jaxpr, values, ctx.name_stack)

    if operands and ctx.avals_in[0] is avals_lib.abstract_token:
        _refuse_partly_manual(ctx, mesh, axes)
    if mesh.size == 1:
        # The part is the whole, and there is nobody to speak with.
        return list(body(*operands))
    return manual.manual_computation(
        module,
        operands,
        in_texts=_texts(module, mesh, in_specs, ctx.avals_in, axes),
        out_texts=_texts(module, mesh, out_specs, ctx.avals_out, axes),
        out_types=[mlir.aval_to_ir_type(a) for a in ctx.avals_out],
        axes=specs_lib.in_mesh_order(mesh, newly_manual_axes),
        block_types=inside,
        body=body,
    )


def _refuse_partly_manual(ctx, mesh, axes):
    """Refuses ordered effects where another compiler divides the rest of a body.

    Raises:
        NotImplementedError: it would; XLA ends the process in such a program.
    """
    if axes != frozenset(mesh.axis_names) and backends.has_foreign(ctx.platforms[0]):
        raise errors.not_implemented(
            "Ordered callbacks are only supported in spmd computations when all mesh "
            "axes are partitioned manually (no partial automatic sharding).",
            [("mesh", repr(mesh)), ("manual", repr(set(axes)))],
            ways="Leave axis_names out of jax.shard_map, or ordered=True.",
        )


def _ordered(eqn: Any, token: Any, out: Any) -> Any:
    """The equation with a token as first operand and result: each device has its own."""
    params = eqn.params
    more = {
        "jaxpr": mlir.with_token(params["jaxpr"]),
        "in_specs": (specs_lib.P(), *params["in_specs"]),
        "out_specs": (specs_lib.P(), *params["out_specs"]),
    }
    return eqn.replace(
        invars=[token, *eqn.invars],
        outvars=[out, *eqn.outvars],
        params={**params, **more},
    )


def _texts(module, mesh, specs, avals, axes):
    """How arguments or results are split: for the compiler along what is not manual."""
    is_full = axes == frozenset(mesh.axis_names)
    abstract = mesh.abstract_mesh
    texts = []
    for spec, aval in zip(specs, avals, strict=True):
        logical = len(getattr(aval, "shape", ()))
        ndim = len(getattr(mlir.physical_aval(aval), "shape", ()))
        open_dims = () if is_full else range(logical)
        # Sums that are due stay so: the body has the summands, or makes them.
        sums = {"unreduced": spec.unreduced} if spec.unreduced else {}
        placed = shardings_lib.NamedSharding(
            abstract, type(spec)(*spec.partitions, **sums)
        )
        texts.append(manual.text_of(module, placed, ndim, open_dims=tuple(open_dims)))
    return texts
