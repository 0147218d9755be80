"""The primitive `call_exported`: a call of an exported program within another one."""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from jax._src.base import errors
from jax._src.core import primitive, shardings
from jax._src.core.symbols import expressions
from jax._src.export import checks, modules, placements, solving
from jax._src.export.refining import specialize
from jax._src.interpreters import mlir
from jax._src.lax.linalg import lapack
from jax._src.lib.mlir import stablehlo

ir = mlir.ir


def check_operand(name: str, wanted: Any, found: Any) -> None:
    """Refuses an argument of another shape or dtype than that of the exported program.

    Sizes with symbols are not looked at.

    Raises:
        ValueError: they differ.
    """
    same_rank = len(wanted.shape) == len(found.shape)
    given_shape = tuple(
        size if same_rank and expressions.is_dimension(size) else given
        for given, size in itertools.zip_longest(found.shape, wanted.shape)
        if given is not None
    )
    for what, expected, given in (
        ("Shape" if same_rank else "Rank", wanted.shape, given_shape),
        ("Dtype", wanted.dtype, found.dtype),
    ):
        if expected != given:
            where = name
            if what == "Shape":
                sizes = zip(expected, given, strict=True)
                axis = next(i for i, (a, b) in enumerate(sizes) if a != b)
                where = f"{name}.shape[{axis}] (expected same constant)"
            given = found.shape if what != "Dtype" else given
            raise errors.value_error(
                f"{what} mismatch for {where}: expected {expected} and called with "
                f"{given}.",
                [("exported", wanted.str_short()), ("called", found.str_short())],
                "An exported program takes what it was exported for.",
            )


def has_symbols(exported: Any) -> bool:
    """Whether an exported program takes arrays of more than one shape."""
    return any(not expressions.is_static(aval.shape) for aval in exported.in_avals)


def result_types(exported: Any, avals: Sequence[Any]) -> tuple[Any, ...]:
    """The types of the results for certain types of arguments.

    Raises:
        ValueError: the shapes do not fit.
    """
    if not has_symbols(exported):
        return exported.out_avals
    names = modules.argument_names(exported.in_tree)
    plan = solving.plan(exported.in_avals, names)
    values = solving.solve(plan, [aval.shape for aval in avals])
    return tuple(
        out.update(shape=tuple(expressions.substitute(n, values) for n in out.shape))
        for out in exported.out_avals
    )


@primitive.declare("call_exported", multiple_results=True)
class call_exported_p:
    """Calls a program that was exported, perhaps by another version or process."""

    sharding = primitive.BY_TYPES

    def types(*avals, exported):
        if len(avals) != len(exported.in_avals):
            raise ValueError(
                f"The exported program takes {len(exported.in_avals)} arrays, not "
                f"{len(avals)}."
            )
        for number, (wanted, found) in enumerate(
            zip(exported.in_avals, avals, strict=True)
        ):
            check_operand(f"argument {number}", wanted, found)
        return list(result_types(exported, avals))

    def lower(ctx, *operands, exported):
        module = ctx.module_context
        is_manual = module.manual is not None
        placements.check_device_count(exported, module.partition_count, is_manual)
        operands = _placed(
            ctx, operands, exported._in_named_shardings, exported.in_shardings_hlo
        )
        if any(not expressions.is_static(a.shape) for a in ctx.avals_in):
            outs = _call_with_symbols(ctx, exported, operands)
        else:
            outs = _call(ctx, exported, operands)
        return _placed(
            ctx, outs, exported._out_named_shardings, exported.out_shardings_hlo
        )

    jvp_all = primitive.Unsupported(
        "an exported program has derivatives in reverse mode only"
    )
    transpose = primitive.Unsupported("an exported program is not known to be linear")
    batch = primitive.Unsupported(
        "Batching rule for 'call_exported' not implemented: export the function of "
        "batches, or use jax.lax.map"
    )

    def reference(x, *, exported):
        return _REFERENCES[exported.fun_name](x)

    exempt = {"batch": "an exported program has the shapes that it was exported for"}


# What the samples compute, by the name of the exported function.
_REFERENCES = {
    "sample_scaled": lambda x: [2 * np.sin(x)],
    "sample_parts": lambda x: [np.abs(x), np.max(x, axis=0)],
}


def _placed(ctx, values, named, tiles):
    """The values, constrained to the shardings of the exported program."""
    found = []
    for value, sharding, older in zip(values, named, tiles, strict=True):
        sharding = older if sharding is None else sharding
        if sharding is not None and ctx.module_context.partition_count > 1:
            says_axes = (
                not isinstance(sharding, shardings.NamedSharding)
                or sharding.mesh.size > 1
            )
            if says_axes:
                rank = ir.RankedTensorType(value.type).rank
                value = mlir.constrain(ctx.module_context, value, sharding, rank)
        found.append(value)
    return found


def _call(ctx, exported, operands):
    name = _function_of(ctx, exported, ctx.avals_in)
    made = ir.Operation.create(
        "func.call",
        results=[mlir.aval_to_ir_type(a) for a in ctx.avals_out],
        operands=[operands[i] for i in exported.module_kept_var_idx],
        attributes={"callee": ir.FlatSymbolRefAttr.get(name)},
    )
    return list(made.results)


def _platform_number(ctx, exported):
    platform = ctx.platforms[0]
    if platform in exported.platforms:
        return exported.platforms.index(platform)
    if checks.is_platform_free(exported.disabled_safety_checks):
        return 0
    raise errors.value_error(
        f"Function {exported.fun_name!r} was exported for platforms "
        f"{exported.platforms!r} but it is used on {platform!r}.",
        [],
        "An exported program may have operations of one platform.",
        "Export it with platforms=[..., " + repr(platform) + "].",
    )


def _call_with_symbols(ctx, exported, operands):
    """Calls the program with arrays whose sizes are symbols of the one around it."""
    name = _function_of(ctx, exported, None)
    taken = [operands[i] for i in exported.module_kept_var_idx]
    callee = _signature(exported)
    taken = [_converted(x, kind) for x, kind in zip(taken, callee[0], strict=True)]
    made = ir.Operation.create(
        "func.call",
        results=callee[1],
        operands=taken,
        attributes={"callee": ir.FlatSymbolRefAttr.get(name)},
    )
    wanted = [mlir.aval_to_ir_type(a) for a in ctx.avals_out]
    return [_converted(x, kind) for x, kind in zip(made.results, wanted, strict=True)]


def _converted(value, kind):
    if value.type == kind:
        return value
    return ir.Operation.create(
        "stablehlo.convert", results=[kind], operands=[value]
    ).result


def _signature(exported):
    """The types of main, as a module that is finished has them."""
    kept = [exported.in_avals[i] for i in exported.module_kept_var_idx]
    return [[_unknown_type(a) for a in avals] for avals in (kept, exported.out_avals)]


def _unknown_type(aval):
    aval = mlir.physical_aval(aval)
    unknown = ir.ShapedType.get_dynamic_size()
    shape = [unknown if expressions.is_dimension(n) else n for n in aval.shape]
    return ir.RankedTensorType.get(shape, mlir.dtype_to_ir_type(aval.dtype))


def _function_of(ctx, exported, avals) -> str:
    """The name of its main function in the module, in which it stands once.

    With `avals` it is that for arguments of these types, else for all that it takes.
    """
    number = _platform_number(ctx, exported)
    module = ctx.module_context
    is_open = has_symbols(exported)
    key = ("call_exported", id(exported), tuple(avals) if is_open and avals else None)
    found = module.functions.get(key)
    if found is None:
        source = modules.read(exported.mlir_module_serialized, module.context)
        _check_signature(source, exported)
        if is_open and avals is not None:
            source = _specialized(source, exported, avals, number)
        elif len(exported.platforms) > 1:
            source = modules.choose_platform(source, number)
        if checks.calls_lapack(checks.targets_of(source)):
            lapack.install()
        preferred_name = f"call_exported_{exported.fun_name}"
        names = stablehlo.include_module(module.module, source, preferred_name)  # type: ignore[attr-defined]
        module.names.update(names, _mesh_names(module.module))
        found = module.functions[key] = names[0]
        # The key is made of an identity: it must not be used again.
        module.keepalives.append(exported)
    return found


def _mesh_names(module):
    """The names of the meshes in a module, with which no other may be called."""
    operations = [op.operation for op in module.body.operations]
    meshes = [op for op in operations if op.name == "sdy.mesh"]
    return [op.attributes["sym_name"].value for op in meshes]


def _platform_type():
    return ir.RankedTensorType.get([], ir.IntegerType.get_signless(32))


def _specialized(source, exported, avals, number):
    kept = [avals[i] for i in exported.module_kept_var_idx]
    types = [mlir.aval_to_ir_type(a) for a in kept]
    numbers = {}
    if len(exported.platforms) > 1:
        types, numbers = [_platform_type(), *types], {0: number}
    with ir.Location.unknown(source.context):
        return specialize.specialize(source, types, numbers)


def _check_signature(source, exported):
    """Refuses a module whose main function does not fit the types that go with it."""
    found = ir.SymbolTable(source.operation)["main"].attributes["function_type"].value
    wanted_in, wanted_out = _signature(exported)
    if len(exported.platforms) > 1:
        wanted_in = [_platform_type(), *wanted_in]
    if list(found.inputs) != wanted_in or list(found.results) != wanted_out:
        raise errors.value_error(
            f"The module of {exported.fun_name!r} does not fit its types.",
            [
                ("module", str(found)),
                ("types", str(ir.FunctionType.get(wanted_in, wanted_out))),
            ],
            "An exported program whose parts contradict each other is damaged.",
        )
