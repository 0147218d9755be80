"""What lowering a module keeps, what rules are told, and what comes out."""

import collections
import contextlib
import types
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any

from jax._src.base import records
from jax._src.core import (
    effects as effects_lib,
    jaxpr,
    primitive as primitive_lib,
    state,
)
from jax._src.interpreters.mlir import locations, manual

NO_CONSTANTS: Mapping[Any, Any] = types.MappingProxyType({})


class DeferredLoweringError(Exception):
    """Raised by a lowering rule whose error counts only if a later equation uses its results.

    Args:
        error: what is wrong, if they are needed after all.
    """

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


@records.record
class ShardingQuery:
    """A query of the compiler for the shardings of one custom call's operands and results."""

    what: str
    key: str
    avals: tuple[Any, ...]
    # Gets the shardings.
    answer: Callable[[list[Any]], Any]
    # Whether the program must be lowered again, with what `answer` returns.
    decides: bool


class ModuleContext:
    """What the lowering rules of one module share."""

    def __init__(
        self,
        platforms: Sequence[str],
        module: Any,
        context: Any,
        partition_count: int = 1,
    ):
        self.platforms = tuple(platforms)
        self.module = module
        self.context = context
        self.locations = locations.Locations()
        # Private functions that stand in the module, by what they were made from.
        self.functions: dict[Hashable, FunctionEntry] = {}
        # The programs that rules lower, by what they were traced from.
        self.rule_programs: dict[Hashable, Any] = {}
        self.names: set[str] = {"main"}
        # From which number on each base may have names that are free.
        self.name_counts: collections.Counter[str] = collections.Counter()
        # Objects that must outlive the executable, such as callbacks.
        self.keepalives: list[Any] = []
        self.host_callbacks: list[Any] = []
        # Queries for the shardings that the compiler chooses for values of the program.
        self.sharding_queries: list[ShardingQuery] = []
        self.sharding_query_counts: collections.Counter[str] = collections.Counter()
        # For a second lowering: what it answered to those that decide the program.
        self.decided: dict[str, Any] = {}
        # The mesh of the first argument that has one, or that of the context.
        self.user_mesh: Any = None
        # Among how many devices the program is divided.
        self.partition_count = partition_count
        # What `shardings` has put into the module: the names of meshes, by axes and
        # devices; the operation of the last one; attributes, by text.
        self.meshes: dict[Hashable, str] = {}
        self.last_mesh: Any = None
        self.sharding_attributes: dict[str, Any] = {}
        # The part of a mesh for whose devices the program is written here, if any.
        self.manual: manual.ManualRegion | None = None

    @contextlib.contextmanager
    def in_manual(self, region: manual.ManualRegion) -> Iterator[None]:
        """A block in which what is lowered is written for one device of `region`."""
        outer, self.manual = self.manual, region
        sizes = {name: region.mesh.shape[name] for name in region.axes}
        try:
            # Rules that trace what they lower meet the names of axes again.
            with state.binding_axes(sizes):
                yield
        finally:
            self.manual = outer

    def ask(
        self,
        what: str,
        avals: Sequence[Any],
        answer: Callable[[list[Any]], Any],
        *,
        decides: bool = False,
    ) -> str:
        """Adds a query for the shardings of values; returns the key for the custom call.

        Args:
            what: the kind of query, a part of the key.
            avals: the types of the operands and of the results of the call.
            answer: gets their shardings when the program is compiled.
            decides: whether what it returns decides how the operation is lowered: the
                program is lowered again, with that as ``decided[key]``.
        """
        number = self.sharding_query_counts[what]
        self.sharding_query_counts[what] += 1
        query = ShardingQuery(what, f"{what} {number}", tuple(avals), answer, decides)
        self.sharding_queries.append(query)
        return query.key

    def fresh_name(self, preferred: str) -> str:
        """A name for a function that no other function of the module has."""
        base = (
            "".join(c if c.isalnum() or c in "_.$" else "_" for c in preferred) or "f"
        )
        name, number = base, self.name_counts[base]
        while name in self.names:
            name = f"{base}_{number}"
            number += 1
        self.name_counts[base] = number
        self.names.add(name)
        return name


@records.record
class FunctionEntry:
    """A private function of the module."""

    name: str
    result_types: list[Any]


class RuleContext:
    """What a lowering rule is told besides its operands.

    Args:
        module_context: what the rules of one module share.
        name_stack: the scopes around the operation.
        traceback: where in the user's program it is.
        primitive: the operation.
        avals_in: the types of the operands.
        avals_out: those of the results.
        tokens_in: None: ordered effects are threaded by the whole program.
        tokens_out: what a rule says comes after.
        const_lowering: constants that stand in the module already; none is kept.
        axis_size_env: None: named axes have sizes that are known.
        dim_var_values: empty: symbolic sizes are values where a rule asks for them.
        jaxpr_eqn_ctx: what was set where the operation was traced, if known.
        platforms: the platforms to lower for; None: all of the module.
    """

    __slots__ = (
        "avals_in",
        "avals_out",
        "axis_size_env",
        "const_lowering",
        "dim_var_values",
        "jaxpr_eqn_ctx",
        "module_context",
        "name_stack",
        "platforms",
        "primitive",
        "tokens_in",
        "tokens_out",
        "traceback",
    )

    def __init__(
        self,
        module_context: ModuleContext,
        name_stack: jaxpr.NameStack,
        traceback: Any,
        primitive: Any,
        avals_in: Sequence[Any],
        avals_out: Sequence[Any],
        tokens_in: Any,
        tokens_out: Any,
        const_lowering: Mapping[Any, Any],
        axis_size_env: Mapping[Any, Any] | None = None,
        dim_var_values: Sequence[Any] = (),
        jaxpr_eqn_ctx: Any = None,
        platforms: Sequence[str] | None = None,
    ):
        self.module_context = module_context
        self.name_stack = name_stack
        self.traceback = traceback
        self.primitive: primitive_lib.Primitive = primitive
        self.avals_in = avals_in
        self.avals_out = avals_out
        self.tokens_in = tokens_in
        self.tokens_out = tokens_out
        self.const_lowering = const_lowering
        self.axis_size_env = axis_size_env
        self.dim_var_values = dim_var_values
        self.jaxpr_eqn_ctx = jaxpr_eqn_ctx
        given = module_context.platforms if platforms is None else platforms
        self.platforms: Sequence[str] = given

    def replace(self, **changes: Any) -> "RuleContext":
        """A copy with some fields changed."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        return RuleContext(**{**fields, **changes})

    def inside(self, name: str) -> "RuleContext":
        """The context of a program that this operation runs, called `name`."""
        names = self.name_stack.extend("") if self.name_stack.stack else jaxpr.no_names
        return self.replace(name_stack=names.extend(name))


@records.record
class LoweringResult:
    """A module, and what the runtime must know to call it."""

    module: Any
    # Constants that are passed before the arguments.
    constants: list[Any]
    keepalives: list[Any]
    host_callbacks: list[Any]
    platforms: tuple[str, ...]
    effects: effects_lib.Effects
    # Whether the first result is a token that is there when all effects have happened.
    has_token: bool
    # Whether, besides, the first argument is the token of the program before it.
    is_ordered: bool
    sharding_queries: list[ShardingQuery]
    # Whether several devices share it.
    is_divided: bool
    # Lowers the program again, given the answers to the queries that decide it.
    lower_again: Callable[[dict[str, Any]], "LoweringResult"]


@records.record
class Signature:
    """Names and constraints of the arguments and results of the main function.

    Of `in_shardings` and `out_shardings`, None leaves the sharding to the compiler.
    """

    arg_names: Sequence[str | None] | None = None
    result_paths: Sequence[str] | None = None
    donated: Sequence[bool] | None = None
    in_shardings: Sequence[Any] | None = None
    out_shardings: Sequence[Any] | None = None
    # Of the constants that become arguments; None: replicated.
    const_shardings: Sequence[Any] | None = None
