"""Whole modules, as libraries lower and join them."""

from collections.abc import Sequence
from typing import Any

from jax._src.base import errors, records
from jax._src.core import effects, jaxpr as jaxpr_lib
from jax._src.interpreters import mlir
from jax._src.interpreters.mlir import sizes
from jax._src.lib.mlir import dialects, ir, stablehlo
from jax._src.lib.pytree import PyTreeRegistry

# Trees of values of a module: operations' results are nodes, None is a leaf.
ir_tree_registry = PyTreeRegistry(
    enable_none=False,
    enable_tuple=True,
    enable_namedtuple=False,
    enable_list=True,
    enable_dict=False,
)
ir_tree_registry.register_node(
    ir.OpResultList, lambda results: (tuple(results), None), lambda _, xs: list(xs)
)


@records.record
class LoweringParameters:
    """How a module is made, besides what it computes."""

    # Pairs of a primitive and the rule to use for it; none by default.
    override_lowering_rules: Any = None
    global_constant_computation: bool = False
    for_export: bool = False
    export_ignore_forward_compatibility: bool = False
    # Whether large constants become leading arguments of main.
    hoist_constants_as_args: bool = False


@records.record
class ShapePolyLoweringState:
    """The symbolic sizes of a module, and for which platforms it decides when it runs."""

    dim_vars: tuple[str, ...]
    lowering_platforms: tuple[str, ...] | None

    @property
    def uses_dim_vars(self) -> bool:
        """Whether there are symbolic sizes."""
        return bool(self.dim_vars)

    @property
    def has_platform_index_argument(self) -> bool:
        """Whether main is told for which of several platforms it runs: no module here is."""
        return False


@records.record
class LoweringResult:
    """A module, and what must live as long as its program."""

    module: Any
    keepalive: Any
    host_callbacks: list[Any]
    shape_poly_state: ShapePolyLoweringState


def lower_jaxpr_to_module(
    module_name: str,
    jaxpr: jaxpr_lib.ClosedJaxpr,
    *,
    num_const_args: int,
    in_avals: Sequence[Any],
    ordered_effects: Sequence[effects.Effect],
    platforms: Sequence[str],
    backend: Any,
    axis_context: Any,
    donated_args: Sequence[bool],
    replicated_args: Sequence[bool] | None = None,
    arg_shardings: Sequence[Any] | None = None,
    result_shardings: Sequence[Any] | None = None,
    in_layouts: Sequence[Any] | None = None,
    out_layouts: Sequence[Any] | None = None,
    arg_names: Sequence[str] | None = None,
    result_names: Sequence[str] | None = None,
    num_partitions: int = 1,
    all_default_mem_kind: bool = True,
    input_output_aliases: Any = None,
    propagated_out_mem_kinds: Any = None,
    lowering_parameters: LoweringParameters,
) -> LoweringResult:
    """Makes a StableHLO module whose main function computes a program.

    Args:
        module_name: the name of the module.
        jaxpr: the program.
        num_const_args: must be 0: constants stand in the module.
        in_avals: the types of the arguments, which are the program's.
        ordered_effects: the program's; main takes and returns one token for them all.
        platforms: those it shall run on.
        backend: accepted; the module is for platforms.
        axis_context: accepted: shardings name their meshes.
        donated_args: for each argument, whether its memory may be reused.
        replicated_args: accepted; what no sharding splits is the same on every device.
        arg_shardings: the shardings of arguments; None where the compiler decides.
        result_shardings: the same for results.
        in_layouts: must name none.
        out_layouts: must name none.
        arg_names: names of arguments, for messages.
        result_names: names of results.
        num_partitions: among how many devices the program is divided.
        all_default_mem_kind: accepted.
        input_output_aliases: must be None.
        propagated_out_mem_kinds: must be None.
        lowering_parameters: how the module is made.

    Raises:
        NotImplementedError: an option is given that modules here do not have.
    """
    _refuse(
        num_const_args=num_const_args,
        in_layouts=any(x is not None for x in in_layouts or ()),
        out_layouts=any(x is not None for x in out_layouts or ()),
        input_output_aliases=input_output_aliases,
        propagated_out_mem_kinds=propagated_out_mem_kinds,
        override_lowering_rules=lowering_parameters.override_lowering_rules,
    )
    signature = mlir.Signature(
        arg_names=arg_names,
        result_paths=result_names,
        donated=donated_args,
        in_shardings=arg_shardings,
        out_shardings=result_shardings,
    )
    found = mlir.lower_to_module(
        module_name,
        jaxpr,
        platforms,
        signature,
        partition_count=num_partitions,
        hoist_constants=lowering_parameters.hoist_constants_as_args,
    )
    state = ShapePolyLoweringState(sizes.names_in(in_avals), None)
    kept = found.keepalives or None
    return LoweringResult(found.module, kept, found.host_callbacks, state)


def _refuse(**options):
    given = [name for name, value in options.items() if value]
    if given:
        raise errors.not_implemented(
            "lower_jaxpr_to_module: an option is not supported.",
            [("options", ", ".join(given))],
            "Modules here have constants inside, default layouts, and the rules of the "
            "primitives.",
            "Leave the options out; jax.jit(...).lower(...) knows donation and layouts.",
        )


def merge_mlir_modules(
    dst_module: Any, sym_name: str, src_module: Any, dst_symtab: Any = None
) -> str:
    """Puts the functions of one module into another one of the same context.

    Args:
        dst_module: the module that grows.
        sym_name: the preferred name for the main function of the other module.
        src_module: the module that is copied; it stays as it is.
        dst_symtab: accepted: symbols are read from the module.

    Returns:
        The name that its main function has there; all that came along is private.
    """
    if dst_module.context != src_module.context:
        raise errors.value_error(
            "merge_mlir_modules: the modules have different contexts.",
            [("preferred name", sym_name)],
            "Operations of one context cannot stand among those of another.",
            "Parse the module's text in the context of the other: ir.Module.parse.",
        )
    return stablehlo.include_module(dst_module, src_module, sym_name)[0]  # type: ignore[attr-defined]


class UpstreamDialects:
    """The dialects that modules are written in, as a context takes them."""

    def register(self, context: Any) -> None:
        """Makes them known to a context."""
        dialects.register(context)


upstream_dialects = UpstreamDialects()


class JaxIrContext(ir.Context):
    """A context for modules; it knows the dialects that were appended."""

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.enable_multithreading(False)

    def append_dialect_registry(self, registry: UpstreamDialects) -> None:
        """Makes dialects known: those of `upstream_dialects`."""
        registry.register(self)
