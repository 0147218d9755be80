"""Programs as portable artifacts: bytes that other versions of StableHLO read."""

from typing import Any

from jax._src.base import errors
from jax._src.interpreters.mlir import ir_contexts
from jax._src.lib.mlir import ir, stablehlo


def serialize_portable_artifact(
    mlir_module: Any, target: str, use_mixed_serialization: bool = False
) -> bytes:
    """Writes a StableHLO module in the form of one version of StableHLO.

    Args:
        mlir_module: the module, an object or its text.
        target: the version, such as ``"1.9.0"``.
        use_mixed_serialization: must be False. Other dialects than StableHLO cannot be
            part of an artifact.

    Returns:
        MLIR bytecode, which that version and later ones read.

    Raises:
        NotImplementedError: other dialects are to be part of it, or no artifacts are
            written for the version.
        ValueError: the version lacks one of the operations.
    """
    if use_mixed_serialization:
        raise errors.not_implemented(
            "serialize_portable_artifact: artifacts hold StableHLO alone.",
            [("use_mixed_serialization", "True")],
            "Other dialects have no form that lasts over versions.",
            "Leave the option out, or print the module as text.",
        )
    if isinstance(mlir_module, (str, bytes)):
        with ir_contexts.make_ir_context() as context:
            return stablehlo.serialize_portable_artifact(  # type: ignore[attr-defined]
                ir.Module.parse(mlir_module, context), target
            )
    return stablehlo.serialize_portable_artifact(mlir_module, target)  # type: ignore[attr-defined]


def deserialize_portable_artifact(mlir_module: bytes, context: Any = None) -> Any:
    """Reads a module that `serialize_portable_artifact` wrote.

    Args:
        mlir_module: the bytes.
        context: the MLIR context that the module is to be part of; None: the current one,
            or a new one where there is none.

    Returns:
        The StableHLO module.

    Raises:
        MLIRError: the bytes are no artifact, or one of a later version.
    """
    chosen = context or ir.Context.current or ir_contexts.make_ir_context()
    return stablehlo.deserialize_portable_artifact(chosen, mlir_module)  # type: ignore[attr-defined]


# The version of StableHLO in which operations of CHLO are written as formulas.
_WITHOUT_CHLO = "1.15.0"


def without_chlo(module: Any) -> Any:
    """A module in which formulas of StableHLO stand for the operations of CHLO.

    Args:
        module: a StableHLO module; it stays as it is.

    Returns:
        The module itself where it has no operation of CHLO.
    """
    if not has_chlo(module.operation):
        return module
    data = stablehlo.serialize_portable_artifact(module, _WITHOUT_CHLO)  # type: ignore[attr-defined]
    return stablehlo.deserialize_portable_artifact(module.context, data)  # type: ignore[attr-defined]


def expand_elementwise_chlo(operation: Any) -> None:
    """Puts formulas of StableHLO in place of the CHLO operations inside, each by itself.

    Operations around them may have types that do not verify yet. Those with attributes
    or regions stay.
    """
    for region in operation.regions:
        for block in region.blocks:
            for inner in list(block.operations):
                inner = inner.operation
                expand_elementwise_chlo(inner)
                is_plain = not inner.regions and not len(inner.attributes)
                if inner.name.startswith("chlo.") and is_plain:
                    _expand_one(inner)


def _expand_one(operation):
    types = [str(x.type) for x in operation.operands]
    names = [f"%a{i}" for i in range(len(types))]
    given = ", ".join(f"{n}: {t}" for n, t in zip(names, types, strict=True))
    result = str(operation.results[0].type)
    text = (
        f"func.func @main({given}) -> {result} {{\n"
        f'  %r = "{operation.name}"({", ".join(names)}) : ({", ".join(types)}) -> {result}\n'
        f"  return %r : {result}\n}}"
    )
    alone = ir.Module.parse(text, operation.context)
    data = stablehlo.serialize_portable_artifact(alone, _WITHOUT_CHLO)  # type: ignore[attr-defined]
    expanded = stablehlo.deserialize_portable_artifact(operation.context, data)  # type: ignore[attr-defined]
    (block,) = expanded.body.operations[0].regions[0].blocks
    found = dict(zip(block.arguments, operation.operands, strict=True))
    with ir.InsertionPoint(operation), operation.location:
        for step in block.operations:
            step = step.operation
            operands = [found[x] for x in step.operands]
            if step.name == "func.return":
                operation.results[0].replace_all_uses_with(operands[0])
                break
            made = ir.Operation.create(
                step.name,
                results=[x.type for x in step.results],
                operands=operands,
                attributes={name: step.attributes[name] for name in step.attributes},
            )
            found.update(zip(step.results, made.results, strict=True))
    operation.erase()


def has_chlo(operation: Any) -> bool:
    """Whether there is an operation of CHLO inside."""
    return operation.name.startswith("chlo.") or any(
        has_chlo(inner.operation)
        for region in operation.regions
        for block in region.blocks
        for inner in block.operations
    )


def _unsupported(name, rule, way):
    return errors.not_implemented(f"{name}: this is not supported.", [], rule, way)


def refine_polymorphic_shapes(
    mlir_module: bytes,
    enable_shape_assertions: bool = True,
    validate_static_shapes: bool = True,
    enable_shardy: bool = False,
) -> bytes:
    """Is not supported: sizes that follow from the arguments are found when compiling.

    Args:
        mlir_module: a module whose function ``main`` has known argument shapes.
        enable_shape_assertions: whether assertions on sizes are checked.
        validate_static_shapes: whether sizes that stay unknown are an error.
        enable_shardy: whether the module has shardings over named axes.

    Raises:
        NotImplementedError: always.
    """
    raise _unsupported(
        "refine_polymorphic_shapes",
        "The compiler finds sizes that follow from those of the arguments.",
        "Compile the module as it is.",
    )


def hlo_to_stablehlo(computation: bytes) -> bytes:
    """Is not supported: HLO is written here, and not read.

    Args:
        computation: an ``HloModuleProto``.

    Raises:
        NotImplementedError: always.
    """
    raise _unsupported(
        "hlo_to_stablehlo",
        "Programs are kept in StableHLO, from which HLO is made.",
        "Use the StableHLO module: lowered.compiler_ir().",
    )
