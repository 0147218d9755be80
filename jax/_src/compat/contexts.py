"""What lowering rules of libraries ask about axes, tokens and callbacks."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

from jax._src.base import errors, records
from jax._src.callbacks import primitives
from jax._src.compat.lowering import Value, token_type
from jax._src.core import effects as effects_lib, jaxpr as jaxpr_lib, mesh as mesh_lib
from jax._src.interpreters import mlir
from jax._src.lib.mlir import ir

MeshAxisName = Any
Token = Value
LoweringRule = Callable[..., Sequence[Value | Sequence[Value]]]

# StableHLO's numbers of the kinds of channels.
DEVICE_TO_DEVICE_TYPE = 1
SEND_TO_HOST_TYPE = 2
RECV_FROM_HOST_TYPE = 3


class ConstantHandler(Protocol):
    """The type of what `register_constant_handler` takes."""

    def __call__(self, val: Any, aval: Any) -> Sequence[Value]:
        """The values of a constant."""


@records.record
class ShardingContext:
    """A module for so many devices, between which the compiler divides the work."""

    num_devices: int
    device_assignment: tuple[Any, ...] | None = None
    abstract_mesh: mesh_lib.AbstractMesh | None = None


@records.record
class SPMDAxisContext:
    """A module for the devices of a mesh; the program divides the work along some axes."""

    mesh: mesh_lib.Mesh
    manual_axes: frozenset[Any] = frozenset()


AxisContext = SPMDAxisContext | ShardingContext


class TokenSet:
    """Tokens by the effects that they order; never changed, only replaced."""

    __slots__ = ("_tokens",)

    def __init__(self, tokens: Any = None):
        self._tokens: dict[Any, Any] = dict(tokens or {})

    @classmethod
    def create(cls, effects: Iterable[effects_lib.Effect]) -> "TokenSet":
        """A new token for each effect; builds the operations that make them."""
        make = lambda: ir.Operation.create(  # noqa: E731
            "stablehlo.after_all", results=[token_type()]
        )
        return cls({effect: make().results[0] for effect in effects})

    def __len__(self) -> int:
        return len(self._tokens)

    def get(self, effect: effects_lib.Effect) -> Any:
        """The token of an effect.

        Raises:
            KeyError: the set has none for it.
        """
        return self._tokens[effect]

    def effects(self) -> set[effects_lib.Effect]:
        """The effects that have tokens."""
        return set(self._tokens)

    def items(self) -> tuple[tuple[effects_lib.Effect, Any], ...]:
        """Pairs of effect and token."""
        return tuple(self._tokens.items())

    def subset(self, effects: Iterable[effects_lib.Effect]) -> "TokenSet":
        """The tokens of these effects alone."""
        return TokenSet({effect: self._tokens[effect] for effect in effects})

    def update_tokens(self, tokens: "TokenSet") -> "TokenSet":
        """This set with the tokens of another one put in place of its own."""
        return TokenSet({e: tokens._tokens.get(e, t) for e, t in self.items()})


def emit_python_callback(
    ctx: mlir.RuleContext,
    callback: Callable[..., Any],
    token: Any,
    operands: Sequence[Any],
    operand_avals: Sequence[Any],
    result_avals: Sequence[Any],
    *,
    has_side_effect: bool,
    returns_token: bool = True,
    partitioned: bool = False,
    sharding: Any = None,
) -> tuple[list[Any], Any, Any]:
    """Builds the call of a Python function.

    Args:
        ctx: the context of the rule.
        callback: from NumPy arrays to a sequence of arrays.
        token: the token after which the call happens, or None.
        operands: the values that it takes.
        operand_avals: their types.
        result_avals: the types of its results.
        has_side_effect: whether the call must happen though nothing uses its results.
        returns_token: whether a token after the call is wanted.
        partitioned: whether each device of a divided program calls, with its parts; not of
            functions with results.
        sharding: must be None.

    Returns:
        The values of the results, a token or None, and an object that keeps the callback
        alive as long as the module's program.
    """
    if sharding is not None:
        raise errors.not_implemented(
            "emit_python_callback: programs are compiled for one device.",
            [("sharding", repr(sharding))],
            ways="Leave the sharding out.",
        )
    before = len(ctx.module_context.host_callbacks)
    given = list(operands) if token is None else [token, *operands]
    avals_out = list(result_avals)
    types_in = list(operand_avals)
    if token is not None:
        avals_out = [primitives.avals_lib.abstract_token, *avals_out]
        types_in = [primitives.avals_lib.abstract_token, *types_in]
    inner = ctx.replace(avals_in=types_in, avals_out=avals_out)
    in_parts = partitioned and not result_avals
    results = list(
        primitives.lower_callback(
            inner, given, callback, has_side_effect, in_parts=in_parts
        )
    )
    after = results.pop(0) if token is not None else None
    kept = ctx.module_context.host_callbacks[before]
    return results, after if returns_token else None, kept


def lower_jaxpr_to_fun(
    ctx: mlir.ModuleContext,
    name: str,
    jaxpr: jaxpr_lib.ClosedJaxpr,
    effects: Sequence[effects_lib.Effect],
    *,
    num_const_args: int,
    main_function: bool = False,
    replicated_args: Any = None,
    in_avals: Sequence[Any],
    arg_shardings: Any = None,
    result_shardings: Any = None,
    use_sharding_annotations: bool = True,
    input_output_aliases: Any = None,
    xla_donated_args: Any = None,
    arg_names: Any = None,
    result_names: Any = None,
    arg_memory_kinds: Any = None,
    result_memory_kinds: Any = None,
    arg_layouts: Any = None,
    result_layouts: Any = None,
    propagated_out_mem_kinds: Any = None,
) -> Any:
    """Adds a private function that computes a program to the module.

    Args:
        ctx: the context of the module.
        name: its name; changed if the module has another function of that name.
        jaxpr: the program.
        effects: must be empty: ordered effects are threaded by the whole program.
        num_const_args: must be 0: constants stand in the function.
        main_function: must be False: a module has its main function.
        in_avals: the types of the arguments, which are the program's.
        use_sharding_annotations: accepted.
        arg_names: accepted.
        result_names: accepted.

    The other parameters must be left out: programs are compiled for one device.

    Returns:
        The operation ``func.func``.
    """
    refused = {
        "effects": bool(effects),
        "num_const_args": bool(num_const_args),
        "main_function": main_function,
        "replicated_args": replicated_args,
        "arg_shardings": arg_shardings,
        "result_shardings": result_shardings,
        "input_output_aliases": input_output_aliases,
        "xla_donated_args": xla_donated_args,
        "arg_memory_kinds": arg_memory_kinds,
        "result_memory_kinds": result_memory_kinds,
        "arg_layouts": arg_layouts,
        "result_layouts": result_layouts,
        "propagated_out_mem_kinds": propagated_out_mem_kinds,
    }
    given = [key for key, value in refused.items() if value]
    if given:
        raise errors.not_implemented(
            "lower_jaxpr_to_fun: an option is not supported.",
            [("options", ", ".join(given))],
            "Functions are private, of one device, and without ordered effects.",
            "Leave the options out.",
        )
    entry = mlir.add_private_function(ctx, name, jaxpr, jaxpr_lib.no_names)
    for operation in ctx.module.body.operations:
        if ir.StringAttr(operation.attributes["sym_name"]).value == entry.name:
            return operation
    raise KeyError(entry.name)
