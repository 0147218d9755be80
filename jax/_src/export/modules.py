"""The StableHLO modules of exported programs: one for several platforms, to and from bytes."""

from collections.abc import Sequence
from typing import Any

from jax._src import tree
from jax._src.base import errors, releases
from jax._src.core import effects
from jax._src.export import checks, flat_tables as ft, main_function, solving
from jax._src.interpreters import mlir
from jax._src.interpreters.mlir import sizes
from jax._src.jit import lower as jit_lower, shardings as jit_shardings
from jax._src.jit.stages import Stage
from jax._src.lib.mlir import stablehlo
from jax._src.runtime.compilation import assignment as asg

ir = mlir.ir

# What readers of the last weeks know: the level that upstream writes for.
_TARGET = releases.rule("version_of_exported_modules")


def lower(
    program: Stage,
    platforms: Sequence[str],
    disabled: Sequence[checks.DisabledSafetyCheck],
    assignment: asg.Assignment,
) -> tuple[bytes, tuple[int, ...]]:
    """The bytes of a program's module, and which of its inputs it takes.

    For several platforms the first argument of main is the number of the platform. Of
    `assignment` has the devices, and the shardings of arguments.

    Raises:
        NotImplementedError: the program has effects, operations that a platform or the
            format lacks, or shard_map of unknown sizes.
        ValueError: it has custom calls that may not mean the same tomorrow.
    """
    resolved = jit_shardings.resolve(program)
    there = None
    if not assignment.is_single:
        there = jit_lower.assignment_of_module(resolved, assignment)
    lowered = [
        jit_lower.make_module(program, resolved, (name,), there, hoist_constants=False)
        for name in platforms
    ]
    for part in lowered:
        _refuse_effects(program.fun_name, part)
    modules = [part.module for part in lowered]
    for platform, part in zip(platforms, modules, strict=True):
        targets = checks.targets_of(part)
        checks.check_custom_calls(program.fun_name, targets, disabled)
        checks.check_platform(program.fun_name, targets, platform)
    module = modules[0] if len(modules) == 1 else _join(modules)
    names = sizes.names_in(program.argument_avals)
    if names and checks.is_manual(module):
        raise _symbols_in_parts(program.fun_name, names)
    with module.context, ir.Location.unknown(module.context):
        if names:
            with sizes.module_with(names):
                main_function.add(
                    module, _plan(program, resolved.kept), names, len(modules) > 1
                )
        uses = ir.BoolAttr.get(len(modules) > 1 or bool(names))
        module.operation.attributes["jax.uses_shape_polymorphism"] = uses
    return stablehlo.serialize_portable_artifact(module, _TARGET), resolved.kept  # type: ignore[attr-defined]


def _symbols_in_parts(name, symbols):
    return errors.not_implemented(
        "A program with shard_map cannot be exported for unknown sizes.",
        [("function", name), ("symbols", ", ".join(symbols))],
        "The sizes of each device's part must be known.",
        "Export it for certain shapes, or leave the parts to the compiler: "
        "jax.lax.with_sharding_constraint.",
    )


def _plan(program, kept):
    """How main finds the symbols in the arguments that it takes."""
    names = argument_names(program.in_tree)
    avals = [program.argument_avals[i] for i in kept]
    return solving.plan(avals, [names[i] for i in kept])


def argument_names(structure: Any) -> list[str]:
    """What messages call the leaves of arguments, such as ``args[0]['x']``."""
    return [
        ("args", "kwargs")[path[0].idx] + tree.keystr(path[1:])
        for path in tree.treedef_paths(structure)
    ]


def _refuse_effects(name, result):
    if result.host_callbacks:
        raise errors.not_implemented(
            "Functions with callbacks cannot be exported: serialization of "
            "host_callbacks is not yet implemented.",
            [("function", name)],
            "A Python function has no form in an exported program.",
            "Export the parts before and after the callback.",
        )
    if result.has_token or effects.ordered_effects.filter_in(result.effects):
        raise errors.not_implemented(
            "Functions with effects cannot be exported.",
            [("function", name), ("effects", str(set(result.effects)))],
            "An exported program computes its results and does nothing else.",
        )


def _join(modules: Sequence[Any]) -> Any:
    """One module that chooses by its first argument which of these it is."""
    context = mlir.make_ir_context()
    with context, ir.Location.unknown(context):
        parts = [ir.Module.parse(mlir.module_to_bytecode(m), context) for m in modules]
        joined = ir.Module.create()
        for key in ("sym_name", "mhlo.num_replicas", "mhlo.num_partitions"):
            joined.operation.attributes[key] = parts[0].operation.attributes[key]
        # Main first, as in every other program.
        main = _add_main(joined, ir.SymbolTable(parts[0].operation)["main"])
        names: dict[str, str] = {}
        callees = []
        for part in parts:
            text = mlir.module_to_string(part)
            if text not in names:
                names[text] = stablehlo.include_module(joined, part, "platform")[0]  # type: ignore[attr-defined]
            callees.append(names[text])
        with ir.InsertionPoint(main):
            number, *operands = main.arguments
            types = list(main.owner.attributes["function_type"].value.results)
            outs = _choose(number, callees, operands, types)
            ir.Operation.create("func.return", operands=outs)
    return joined


def _add_main(module, like):
    """An empty main function with the types and attributes of another one."""
    types = like.attributes["function_type"].value
    platform = ir.RankedTensorType.get([], ir.IntegerType.get_signless(32))
    inputs = [platform, *types.inputs]
    marks = ir.DictAttr.get(
        {"jax.global_constant": ir.StringAttr.get("_platform_index")}
    )
    own = [ir.DictAttr.get({})] * len(types.inputs)
    if "arg_attrs" in like.attributes:
        own = list(like.attributes["arg_attrs"])
    attributes = {
        "sym_name": ir.StringAttr.get("main"),
        "sym_visibility": ir.StringAttr.get("public"),
        "function_type": ir.TypeAttr.get(ir.FunctionType.get(inputs, types.results)),
        "arg_attrs": ir.ArrayAttr.get([marks, *own]),
    }
    if "res_attrs" in like.attributes:
        attributes["res_attrs"] = like.attributes["res_attrs"]
    with ir.InsertionPoint(module.body):
        made = ir.Operation.create("func.func", attributes=attributes, regions=1)
    return made.regions[0].blocks.append(*inputs)


def _call(name, operands, types):
    return list(
        ir.Operation.create(
            "func.call",
            results=types,
            operands=operands,
            attributes={"callee": ir.FlatSymbolRefAttr.get(name)},
        ).results
    )


def _choose(number, callees, operands, types):
    if len(set(callees)) == 1:
        return _call(callees[0], operands, types)
    choice = ir.Operation.create(
        "stablehlo.case", results=types, operands=[number], regions=len(callees)
    )
    for region, name in zip(choice.regions, callees, strict=True):
        with ir.InsertionPoint(region.blocks.append()):
            outs = _call(name, operands, types)
            ir.Operation.create("stablehlo.return", operands=outs)
    return list(choice.results)


def read(data: bytes, context: Any) -> Any:
    """The module that bytes hold, in a context.

    Raises:
        ValueError: they are damaged.
        NotImplementedError: they are of a newer version of StableHLO than ours.
    """
    try:
        module = stablehlo.deserialize_portable_artifact(context, data)  # type: ignore[attr-defined]
    except ir.MLIRError as error:
        raise ft.damaged(str(error)) from None
    functions = ir.SymbolTable(module.operation)
    if "main" not in functions or functions["main"].operation.name != "func.func":
        raise ft.damaged("its module has no function @main")
    return module


def choose_platform(module: Any, number: int) -> Any:
    """The module for one of its platforms: main takes no number any more.

    Raises:
        ValueError: main took none.
    """
    try:
        return stablehlo.choose_platform(module, number)  # type: ignore[attr-defined]
    except (ir.MLIRError, ValueError) as error:
        raise ft.damaged(str(error)) from None
