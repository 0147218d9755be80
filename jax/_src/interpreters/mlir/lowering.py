"""From programs to StableHLO modules."""

import io
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from jax._src.base import errors, options, records
from jax._src.core import (
    avals as avals_lib,
    effects,
    hlo_sharding,
    jaxpr as jaxpr_lib,
    memory_kinds,
    mesh as mesh_lib,
    mesh_context,
    mesh_usage,
    partition_spec,
    primitive as primitive_lib,
    shardings as shardings_lib,
    state,
    vma,
    wide_values,
)
from jax._src.interpreters.mlir import (
    donating,
    ordering,
    shardings as mlir_shardings,
    sizes,
    types,
)
from jax._src.interpreters.mlir.contexts import (
    NO_CONSTANTS,
    DeferredLoweringError,
    FunctionEntry,
    LoweringResult,
    ModuleContext,
    RuleContext,
    Signature,
)
from jax._src.interpreters.mlir.ir_contexts import make_ir_context
from jax._src.interpreters.partial_eval import staging
from jax._src.lib.mlir import ir, stablehlo

# Constants up to this size stand in the module, larger ones become arguments.
_EMBEDDED_BYTES = 256


def lower_to_module(
    name: str,
    closed: jaxpr_lib.ClosedJaxpr,
    platforms: Sequence[str],
    signature: Signature = Signature(),
    *,
    replica_count: int = 1,
    partition_count: int = 1,
    hoist_constants: bool = True,
    decided: Mapping[str, Any] | None = None,
) -> LoweringResult:
    """Makes a StableHLO module whose main function computes a program.

    Args:
        name: the name of the module.
        closed: the program.
        platforms: the platforms it shall run on.
        signature: names and constraints of arguments and results.
        replica_count: the number of replicas.
        partition_count: the number of partitions.
        hoist_constants: whether large constants become leading arguments.
        decided: the answers to the sharding queries of an earlier lowering.

    Raises:
        NotImplementedError: an operation has no lowering for these platforms.
    """
    unlowerable = effects.lowerable_effects.filter_not_in(closed.effects)
    if unlowerable:
        raise ValueError(f"Cannot lower jaxpr with effects: {set(unlowerable)}")

    def lower_again(answers):
        return lower_to_module(
            name,
            program,
            platforms,
            signature,
            replica_count=replica_count,
            partition_count=partition_count,
            hoist_constants=hoist_constants,
            decided=answers,
        )

    program = closed
    context = make_ir_context()
    with (
        context,
        ir.Location.unknown(context),
        sizes.module_with(sizes.names_in(closed.in_avals)),
    ):
        module = ir.Module.create()
        ctx = ModuleContext(platforms, module, context, partition_count)
        ctx.decided.update(decided or {})
        ctx.user_mesh = _mesh_of(signature)
        attributes = module.operation.attributes
        attributes["sym_name"] = ir.StringAttr.get(_module_name(name))
        attributes["mhlo.num_replicas"] = types.i32_attr(replica_count)
        attributes["mhlo.num_partitions"] = types.i32_attr(partition_count)
        if options.reproducible.value:
            attributes["jax.reproducible"] = ir.UnitAttr.get()
        hoisted = [hoist_constants and _is_large(c) for c in closed.consts]
        tokens = _Tokens(
            bool(effects.runtime_effects.filter_in(closed.effects)),
            bool(effects.ordered_effects.filter_in(closed.effects)),
        )
        if tokens.is_ordered:
            closed = ordering.with_token(closed)
        constants = _build_main(ctx, name, closed, hoisted, signature, tokens)
        module = sizes.finish(module)
        return LoweringResult(
            module,
            constants,
            ctx.keepalives,
            ctx.host_callbacks,
            ctx.platforms,
            closed.effects,
            tokens.is_returned,
            tokens.is_ordered,
            ctx.sharding_queries,
            partition_count > 1,
            lower_again,
        )


@records.record
class _Tokens:
    """Whether main returns a token, and whether it takes one too."""

    is_returned: bool
    is_ordered: bool


# Tokens as the runtime has them: empty arrays, which are ready when a program is done.
_TOKEN_ARRAY = avals_lib.ShapedArray((0,), np.dtype(np.bool_))


def _mesh_of(signature):
    for sharding in (*(signature.in_shardings or ()), *(signature.out_shardings or ())):
        if isinstance(sharding, shardings_lib.NamedSharding):
            return sharding.mesh
    return mesh_context.concrete_mesh()


def _module_name(name):
    text = "".join(c if c.isalnum() or c == "_" else "_" for c in name)
    if name.endswith(">"):  # `<lambda>`
        text = text[:-1]
    return text if not text or not text[0].isdigit() else f"_{text}"


def _is_large(value):
    return getattr(value, "nbytes", 0) > _EMBEDDED_BYTES


def _build_main(ctx, name, closed, hoisted, signature, tokens):
    jaxpr = closed.jaxpr
    ordered = tokens.is_ordered
    pairs = list(zip(jaxpr.constvars, closed.consts, hoisted, strict=True))
    constants = [types.physical_constant(c) for _, c, h in pairs if h]
    ahead = [v for v, _, h in pairs if h]
    inputs, results = jaxpr.invars[ordered:], jaxpr.outvars[ordered:]
    n_ahead = len(ahead) + ordered
    arg_attributes, result_attributes = main_attributes(
        ctx,
        jaxpr.replace(invars=inputs, outvars=results),
        n_ahead,
        int(tokens.is_returned),
        signature,
    )
    _add_leading_shardings(ctx, arg_attributes, ahead, ordered, hoisted, signature)
    if tokens.is_returned:
        _add_shardings(
            ctx, result_attributes[:1], [_TOKEN_ARRAY], [hlo_sharding.REPLICATED]
        )
    names = signature.arg_names or (None,) * len(inputs)
    locations = [ir.Location.name(n) if n else ir.Location.unknown() for n in names]
    block = add_function(
        ctx,
        "main",
        [
            *[v.aval for v in ahead],
            *[_TOKEN_ARRAY] * ordered,
            *[v.aval for v in inputs],
        ],
        [*[_TOKEN_ARRAY] * tokens.is_returned, *[v.aval for v in results]],
        is_public=True,
        arg_attributes=arg_attributes,
        result_attributes=result_attributes,
        arg_locations=[*[ir.Location.unknown()] * n_ahead, *locations],
    )
    with (
        ir.InsertionPoint(block),
        sizes.function_with(block.arguments) as arguments,
    ):
        values = dict(zip(ahead, arguments, strict=False))
        values.update(zip(inputs, arguments[n_ahead:], strict=True))
        if ordered:
            values[jaxpr.invars[0]] = _new_token()
        for var, const, is_hoisted in pairs:
            if not is_hoisted:
                values[var] = types.ir_constant(const, aval=var.aval)
        stack = jaxpr_lib.NameStack((_scope_name(name),))
        outs = lower_equations(ctx, jaxpr, values, stack)[ordered:]
        outs = _keep_elements_whole(ctx, outs, results, signature.out_shardings)
        if tokens.is_returned:
            outs = [types.constant_of(np.zeros((0,), np.bool_)), *outs]
        ir.Operation.create("func.return", operands=outs)
    return constants


def _keep_elements_whole(ctx, outs, results, shardings):
    """Lets no element of an extended dtype be split among devices."""
    if ctx.partition_count == 1:
        return outs
    given = shardings or (None,) * len(outs)
    whole = []
    for out, var, sharding in zip(outs, results, given, strict=True):
        plain = types.physical_aval(var.aval)
        if sharding is None and plain is not var.aval and plain.shape != var.aval.shape:
            ndim = len(var.aval.shape)
            out = mlir_shardings.constrain(
                ctx,
                out,
                hlo_sharding.REPLICATED,
                len(plain.shape),
                open_dims=range(ndim),
            )
        whole.append(out)
    return whole


def _new_token():
    token = ir.Type.parse("!stablehlo.token")
    return ir.Operation.create("stablehlo.after_all", results=[token]).results[0]


def _scope_name(name):
    return f"jit({name.removeprefix('jit_')})" if name.startswith("jit_") else name


def main_attributes(
    ctx: ModuleContext,
    jaxpr: jaxpr_lib.Jaxpr,
    offset: int,
    result_offset: int,
    signature: Signature,
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The attributes of the arguments and results of main, after so many others."""
    args: list[dict[str, Any]] = [{} for _ in range(offset + len(jaxpr.invars))]
    results: list[dict[str, Any]] = [
        {} for _ in range(result_offset + len(jaxpr.outvars))
    ]
    for index, path in enumerate(signature.result_paths or (), result_offset):
        results[index]["jax.result_info"] = ir.StringAttr.get(path)
    for index, target in enumerate(donating.donations(jaxpr, signature)):
        if target is True:
            args[offset + index]["jax.buffer_donor"] = ir.BoolAttr.get(True)
        elif target is not None:
            output = result_offset + target
            args[offset + index]["tf.aliasing_output"] = types.i32_attr(output)
    _add_shardings(ctx, args[offset:], _avals(jaxpr.invars), signature.in_shardings)
    _add_shardings(
        ctx, results[result_offset:], _avals(jaxpr.outvars), signature.out_shardings
    )
    return args, results


def _add_leading_shardings(ctx, entries, ahead, ordered, hoisted, signature):
    """Adds the shardings of the constants and the token that precede the arguments."""
    shardings = signature.const_shardings or (None,) * len(hoisted)
    leading = [
        s for s, is_hoisted in zip(shardings, hoisted, strict=True) if is_hoisted
    ]
    avals = [*_avals(ahead), *[_TOKEN_ARRAY] * ordered]
    leading = [*leading, *[None] * ordered]
    whole = [hlo_sharding.REPLICATED if s is None else s for s in leading]
    _add_shardings(ctx, entries[: len(avals)], avals, whole)


def _avals(variables):
    return [v.aval for v in variables]


def _add_shardings(ctx, entries, avals, shardings):
    if not shardings:
        return
    for entry, aval, sharding in zip(entries, avals, shardings, strict=True):
        kind = getattr(sharding, "memory_kind", None)
        if (
            kind is None
            and getattr(aval, "memory_space", None) is avals_lib.MemorySpace.Host
        ):
            entry["mhlo.memory_kind"] = ir.StringAttr.get("pinned_host")
        if kind is not None and sharding.is_concrete and _is_special(sharding):
            entry["mhlo.memory_kind"] = ir.StringAttr.get(kind)
        if sharding is not None and ctx.partition_count > 1:
            shape = types.physical_aval(aval).shape
            empty = [axis for axis, size in enumerate(shape) if size == 0]
            entry["sdy.sharding"] = mlir_shardings.sharding_attribute(
                ctx, sharding, len(shape), whole_dims=empty
            )


def _is_special(sharding):
    """Whether a sharding speaks of another memory than its devices' default one."""
    default = memory_kinds.default_of(sharding.ordered_devices[0])
    return default is not None and default != sharding.memory_kind


def add_function(
    ctx: ModuleContext,
    name: str,
    avals_in: Sequence[Any],
    avals_out: Sequence[Any],
    *,
    is_public: bool = False,
    arg_attributes: Sequence[dict] | None = None,
    result_attributes: Sequence[dict] | None = None,
    arg_locations: Sequence[Any] | None = None,
) -> Any:
    """Adds an empty function to the module; returns its block."""
    in_types = [*sizes.symbol_types(), *map(types.aval_to_ir_type, avals_in)]
    out_types = [types.aval_to_ir_type(a) for a in avals_out]
    attributes = {
        "sym_name": ir.StringAttr.get(name),
        "sym_visibility": ir.StringAttr.get("public" if is_public else "private"),
        "function_type": ir.TypeAttr.get(ir.FunctionType.get(in_types, out_types)),
    }
    if arg_attributes:
        arg_attributes = [*symbol_attributes(), *arg_attributes]
    for key, entries in (
        ("arg_attrs", arg_attributes),
        ("res_attrs", result_attributes),
    ):
        if entries and any(entries):
            attributes[key] = ir.ArrayAttr.get([ir.DictAttr.get(e) for e in entries])
    with ir.InsertionPoint(ctx.module.body):
        operation = ir.Operation.create("func.func", attributes=attributes, regions=1)
    locations = arg_locations or [ir.Location.unknown()] * len(avals_in)
    ahead = len(in_types) - len(locations)
    locations = [*[ir.Location.unknown()] * ahead, *locations]
    return operation.regions[0].blocks.append(*in_types, arg_locs=list(locations))


def symbol_attributes() -> list[dict[str, Any]]:
    """The attributes of the arguments of a function that are symbols."""
    return [
        {"jax.global_constant": ir.StringAttr.get(name)}
        for name in sizes.symbol_names()
    ]


def lower_equations(
    ctx: ModuleContext,
    jaxpr: jaxpr_lib.Jaxpr,
    values: dict[jaxpr_lib.Var, Any],
    name_stack: jaxpr_lib.NameStack = jaxpr_lib.no_names,
) -> list[Any]:
    """Builds the operations of a program at the insertion point.

    Args:
        ctx: the module.
        jaxpr: the program.
        values: the MLIR values of its constants and inputs; filled with the others.
        name_stack: the scopes around it.

    Returns:
        The values of its outputs.
    """
    literals: dict[Any, Any] = {}
    missing: dict[jaxpr_lib.Var, Exception] = {}

    def read(atom):
        if isinstance(atom, jaxpr_lib.Literal):
            return _literal(atom, literals)
        if missing and atom in missing:
            raise missing[atom]
        return values[atom]

    for eqn in jaxpr.eqns:
        eqn = _without_dropped(eqn)
        if eqn is None:
            continue
        if missing and not eqn.effects:
            lacks = [missing[v] for v in eqn.invars if _is_in(missing, v)]
            if lacks:
                missing.update(dict.fromkeys(eqn.outvars, lacks[0]))
                continue
        names = name_stack + eqn.name_stack if eqn.name_stack.stack else name_stack
        location = ctx.locations.of(eqn.location, _operation_name(names, eqn))
        rule_context = RuleContext(
            ctx,
            names,
            eqn.location,
            eqn.primitive,
            [v.aval for v in eqn.invars],
            [v.aval for v in eqn.outvars],
            None,
            None,
            NO_CONSTANTS,
        )
        with location:
            operands = [read(v) for v in eqn.invars]
            try:
                if wide_values.begun:
                    with wide_values.dtype_scope(_types_of(eqn)):
                        outs = lower_one(rule_context, operands, eqn.params)
                else:
                    outs = lower_one(rule_context, operands, eqn.params)
            except DeferredLoweringError as lack:
                missing.update(dict.fromkeys(eqn.outvars, lack.error))
                continue
            if mesh_usage.is_used:
                outs = _constrain_to_types(ctx, outs, eqn.outvars)
            if names.stack and names.annotations:
                for out in outs:
                    annotate(out, names.attributes())
        for var, out in zip(eqn.outvars, outs, strict=True):
            values[var] = out
    return [read(v) for v in jaxpr.outvars]


def _without_dropped(eqn):
    """The equation without results that its program drops; None if that leaves none.

    What the whole program does not need is gone before; this is for the programs that
    it calls.
    """
    rule = eqn.primitive.rules.get("dce")
    if rule is None or not any(isinstance(v, jaxpr_lib.DropVar) for v in eqn.outvars):
        return eqn
    return rule([not isinstance(v, jaxpr_lib.DropVar) for v in eqn.outvars], eqn)[1]


def _types_of(eqn):
    return [v.aval for v in (*eqn.invars, *eqn.outvars)]


def _is_in(missing, atom):
    return isinstance(atom, jaxpr_lib.Var) and atom in missing


def _constrain_to_types(ctx, outs, variables):
    """The results, lying over Explicit mesh axes as their types say."""
    return [
        mlir_shardings.constrain_to_type(
            ctx, out, var.aval, len(types.physical_aval(var.aval).shape)
        )
        if isinstance(var.aval, avals_lib.ShapedArray) and var.aval.is_placed
        else out
        for out, var in zip(outs, variables, strict=True)
    ]


def annotate(value: Any, attributes: Mapping[str, str]) -> None:
    """Adds attributes to the operation that computes a value; those it has stay."""
    operation = value.owner
    if not attributes or not isinstance(operation, ir.Operation | ir.OpView):
        return  # An argument: no operation computes it.
    held = operation.attributes
    name = "mhlo.frontend_attributes"
    known = {e.name: e.attr for e in held[name]} if name in held else {}
    wanted = {k: ir.StringAttr.get(v) for k, v in attributes.items()}
    held[name] = ir.DictAttr.get({**wanted, **known})


def _operation_name(names, eqn):
    scopes = str(names) if names.stack else ""
    return f"{scopes}/{eqn.primitive.name}" if scopes else eqn.primitive.name


def _literal(atom, known):
    array = np.asarray(atom.val, getattr(atom.aval, "dtype", None))
    array = types.physical_constant(array)
    key = (array.dtype, array.tobytes())
    found = known.get(key)
    if found is None:
        found = known[key] = types.constant_of(array)
    return found


def lower_one(ctx: RuleContext, operands: Sequence[Any], params: dict) -> list[Any]:
    """Applies the lowering rule of one primitive."""
    rule = ctx.primitive.resolved.get("lower")
    if rule is None:
        rule = _resolve(ctx.primitive)
    out = rule(ctx, *operands, **params)
    if ctx.primitive.multiple_results:
        return [_value(o) for o in out]
    return [_value(out)]


def _value(out):
    if isinstance(out, ir.Value):
        return out
    if isinstance(out, tuple | list | ir.OpResultList):
        if len(out) != 1:
            raise TypeError(f"a lowering rule returned {len(out)} values for one")
        return _value(out[0])
    return out.result


def _resolve(primitive):
    by_platform = primitive.rules.get("lower_platforms")
    general = primitive.rules.get("lower")
    if not callable(general):
        decompose = primitive.rules.get("decompose")
        general = (
            lower_decomposed(primitive, decompose) if callable(decompose) else None
        )
    if general is None and not by_platform:
        raise primitive_lib.missing_rule(primitive, "lower", "Compilation")
    if by_platform:
        general = _choose(primitive, by_platform, general)
    primitive.resolved["lower"] = general
    return general


def _choose(primitive, by_platform, general):
    def lower(ctx, *operands, **params):
        platform = ctx.platforms[0]
        family = {"cuda": "gpu", "rocm": "gpu"}.get(platform, platform)
        rule = by_platform.get(platform) or by_platform.get(family) or general
        if rule is None:
            raise errors.not_implemented(
                f"Compilation of {primitive.name!r} is not implemented on {platform}.",
                [("implemented on", ", ".join(sorted(by_platform)))],
            )
        return rule(ctx, *operands, **params)

    return lower


def lower_decomposed(
    primitive: primitive_lib.Primitive, decompose: Callable
) -> Callable:
    """The lowering rule for a primitive that is written with others."""
    many = primitive.multiple_results
    return lower_fun(decompose, multiple_results=many)


def lower_fun(fun: Callable, multiple_results: bool = True) -> Callable:
    """The lowering rule that traces a function of values and lowers what it does."""

    def lower(ctx: RuleContext, *operands: Any, **params: Any) -> Any:
        def run(*args):
            out = fun(*args, **params)
            return out if multiple_results else [out]

        # Varying axes no longer matter, and the types of what is traced here lack them.
        avals = [vma.forget(aval) for aval in ctx.avals_in]
        programs = ctx.module_context.rule_programs
        key = _key_of_program(fun, ctx, avals, params)
        closed = programs.get(key)
        if closed is None:
            with state.evaluating():
                closed = _trace_for_compiler(run, ctx, avals)
            if key is not None:
                programs[key] = closed
        outs = inline_closed(ctx.module_context, closed, operands, ctx.name_stack)
        return outs if multiple_results else outs[0]

    return lower


def _key_of_program(fun, ctx, avals, params):
    """By what operations of a module have the same program; None if that is not known."""
    if ctx.module_context.manual is not None or not all(
        map(_is_plain, params.values())
    ):
        return None
    types = tuple(avals), tuple(ctx.avals_out)
    # 1 and True are equal, their texts are not.
    return fun, ctx.primitive, *types, mesh_context.get_abstract_mesh(), repr(params)


def _is_plain(value):
    if type(value) is tuple:
        return all(map(_is_plain, value))
    return type(value) in (int, bool, str, type(None))


def _trace_for_compiler(run, ctx, in_avals):
    """The program of what one operation does, in which the compiler chooses shardings.

    What runs the programs of its parameters keeps to the types of these instead.
    """
    mesh = mesh_context.get_abstract_mesh()
    for aval in (*in_avals, *ctx.avals_out):
        if aval.is_placed and not aval.sharding.mesh.empty:
            mesh = aval.sharding.mesh
            break
    if mesh.empty:
        return staging.trace_to_closed(run, in_avals)
    if (
        ctx.primitive is None
        or ctx.primitive.rules.get("sharding") is not primitive_lib.BY_TYPES
    ):
        mesh = _with_auto_axes(mesh)
        in_avals = [
            aval.update(sharding=_left_to_compiler(aval.sharding))
            if aval.is_placed
            else aval
            for aval in in_avals
        ]
    with mesh_context.use_abstract_mesh(mesh):
        return staging.trace_to_closed(run, in_avals)


def _with_auto_axes(mesh):
    return mesh.update_axis_types(
        dict.fromkeys(mesh.explicit_axes, mesh_lib.AxisType.Auto)
    )


def _left_to_compiler(sharding):
    if sharding.mesh.empty:
        return sharding
    return shardings_lib.NamedSharding(
        _with_auto_axes(sharding.mesh), partition_spec.PartitionSpec()
    )


def inline_closed(
    ctx: ModuleContext,
    closed: jaxpr_lib.ClosedJaxpr,
    operands: Sequence[Any],
    name_stack: jaxpr_lib.NameStack = jaxpr_lib.no_names,
) -> list[Any]:
    """Builds the operations of a closed program here."""
    values = dict(zip(closed.jaxpr.invars, operands, strict=True))
    for var, const in zip(closed.jaxpr.constvars, closed.consts, strict=True):
        values[var] = types.ir_constant(const, aval=var.aval)
    return lower_equations(ctx, closed.jaxpr, values, name_stack)


def call_closed(
    ctx: RuleContext,
    name: str,
    closed: jaxpr_lib.ClosedJaxpr,
    operands: Sequence[Any],
    inlineable: str | None = None,
) -> list[Any]:
    """Calls a private function that computes a program; it is made once per module.

    Args:
        ctx: the context of the rule.
        name: the name of the function.
        closed: the program.
        operands: its operands.
        inlineable: when the compiler shall make the call part of its caller.
    """
    outs = call_in_module(ctx.module_context, ctx.name_stack, name, closed, operands)
    if inlineable is not None and outs:
        when = ir.DictAttr.get({"inlineable": ir.StringAttr.get(inlineable)})
        outs[0].owner.attributes["mhlo.frontend_attributes"] = when
    return outs


def call_in_module(
    module: ModuleContext,
    name_stack: jaxpr_lib.NameStack,
    name: str,
    closed: jaxpr_lib.ClosedJaxpr,
    operands: Sequence[Any],
) -> list[Any]:
    """Lowers a call of a closed jaxpr given only the module context and the name stack."""
    entry = _function_in(module, name_stack, name, closed)
    return list(
        ir.Operation.create(
            "func.call",
            results=entry.result_types,
            operands=[*sizes.symbol_values(), *operands],
            attributes={"callee": ir.FlatSymbolRefAttr.get(entry.name)},
        ).results
    )


def function_of(
    ctx: RuleContext, name: str, closed: jaxpr_lib.ClosedJaxpr
) -> FunctionEntry:
    """The private function of the module that computes a program; made once."""
    return _function_in(ctx.module_context, ctx.name_stack, name, closed)


def _function_in(module, name_stack, name, closed):
    key = id(closed.jaxpr), tuple(id(c) for c in closed.consts), module.manual
    entry = module.functions.get(key)
    if entry is None:
        entry = add_private_function(module, name, closed, name_stack)
        module.functions[key] = entry
        # The key is made of identities: they must not be used again.
        module.keepalives.append(closed)
    return entry


def add_private_function(
    ctx: ModuleContext,
    name: str,
    closed: jaxpr_lib.ClosedJaxpr,
    name_stack: jaxpr_lib.NameStack,
) -> FunctionEntry:
    """Adds a private function that computes a program."""
    jaxpr = closed.jaxpr
    fresh = ctx.fresh_name(name)
    block = add_function(
        ctx, fresh, [v.aval for v in jaxpr.invars], [v.aval for v in jaxpr.outvars]
    )
    with (
        ir.InsertionPoint(block),
        sizes.function_with(block.arguments) as arguments,
    ):
        outs = inline_closed(ctx, closed, arguments, name_stack)
        ir.Operation.create("func.return", operands=outs)
    return FunctionEntry(fresh, [types.aval_to_ir_type(v.aval) for v in jaxpr.outvars])


def module_to_string(module: Any, enable_debug_info: bool | None = None) -> str:
    """The text of a module."""
    return module.operation.get_asm(enable_debug_info=bool(enable_debug_info))


def module_costs(module: Any) -> dict[str, float]:
    """What one call of a module's main computes, by name: whole numbers."""
    found = stablehlo.module_costs(module)  # type: ignore[attr-defined]
    # Of windows over padding, it multiplies shares of positions.
    return {name: float(round(cost)) for name, cost in found.items()}


def module_to_bytecode(module: Any) -> bytes:
    """The bytecode of a module."""
    if module.context.allow_unregistered_dialects:
        # Only as text do other libraries read what this one does not know.
        return module_to_string(module).encode()
    buffer = io.BytesIO()
    module.operation.write_bytecode(buffer)
    return buffer.getvalue()
