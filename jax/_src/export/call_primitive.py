"""The primitive `call_exported`: a call of an exported program within another one."""

from typing import Any

import numpy as np

from jax._src.base import errors
from jax._src.core import primitive as pr
from jax._src.export import checks, modules
from jax._src.interpreters import mlir
from jax._src.lax.linalg import lapack
from jax._src.lib.mlir import stablehlo

ir = mlir.ir


def check_operand(name: str, wanted: Any, found: Any) -> None:
    """Refuses an argument of another shape or dtype than that of the exported program.

    Raises:
        ValueError: they differ.
    """
    for what, expected, given in (
        ("Shape", wanted.shape, found.shape),
        ("Dtype", wanted.dtype, found.dtype),
    ):
        if expected != given:
            raise ValueError(
                errors.explain(
                    f"{what} mismatch for {name}: expected {expected} and called with "
                    f"{given}.",
                    [("exported", wanted.str_short()), ("called", found.str_short())],
                    "An exported program takes what it was exported for.",
                )
            )


@pr.declare("call_exported", multiple_results=True)
class call_exported_p:
    """Calls a program that was exported, perhaps by another version or process."""

    sharding = pr.BY_TYPES

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
        return list(exported.out_avals)

    def lower(ctx, *operands, exported):
        made = ir.Operation.create(
            "func.call",
            results=[mlir.aval_to_ir_type(a) for a in ctx.avals_out],
            operands=[operands[i] for i in exported.module_kept_var_idx],
            attributes={
                "callee": ir.FlatSymbolRefAttr.get(_function_of(ctx, exported))
            },
        )
        return list(made.results)

    jvp_all = pr.Unsupported("an exported program has derivatives in reverse mode only")
    transpose = pr.Unsupported("an exported program is not known to be linear")
    batch = pr.Unsupported(
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


def _platform_number(ctx, exported):
    platform = ctx.platforms[0]
    if platform in exported.platforms:
        return exported.platforms.index(platform)
    if checks.is_platform_free(exported.disabled_safety_checks):
        return 0
    raise ValueError(
        errors.explain(
            f"Function {exported.fun_name!r} was exported for platforms "
            f"{exported.platforms!r} but it is used on {platform!r}.",
            [],
            "An exported program may have operations of one platform.",
            "Export it with platforms=[..., " + repr(platform) + "].",
        )
    )


def _function_of(ctx, exported) -> str:
    """The name of its main function in the module, in which it stands once."""
    number = _platform_number(ctx, exported)
    module = ctx.module_context
    key = ("call_exported", id(exported))
    found = module.functions.get(key)
    if found is None:
        source = modules.read(exported.mlir_module_serialized, module.context)
        if len(exported.platforms) > 1:
            source = modules.choose_platform(source, number)
        _check_signature(source, exported)
        if checks.calls_lapack(checks.targets_of(source)):
            lapack.install()
        wish = f"call_exported_{exported.fun_name}"
        names = stablehlo.include_module(module.module, source, wish)  # type: ignore[attr-defined]
        module.names.update(names)
        found = module.functions[key] = names[0]
        # The key is made of an identity: it must not be used again.
        module.keepalives.append(exported)
    return found


def _check_signature(source, exported):
    """Refuses a module whose main function does not fit the types that go with it."""
    found = ir.SymbolTable(source.operation)["main"].attributes["function_type"].value
    kept = [exported.in_avals[i] for i in exported.module_kept_var_idx]
    wanted_in = [mlir.aval_to_ir_type(a) for a in kept]
    wanted_out = [mlir.aval_to_ir_type(a) for a in exported.out_avals]
    if list(found.inputs) != wanted_in or list(found.results) != wanted_out:
        raise ValueError(
            errors.explain(
                f"The module of {exported.fun_name!r} does not fit its types.",
                [
                    ("module", str(found)),
                    ("types", str(ir.FunctionType.get(wanted_in, wanted_out))),
                ],
                "An exported program whose parts contradict each other is damaged.",
            )
        )
