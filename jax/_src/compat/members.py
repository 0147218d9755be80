"""Members of our classes that only third-party libraries use: `NameMembers` has those of `Name`.

`names.members` is the table of them: `finder` gives them to our classes, which know nothing of them.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from jax._src import tree
from jax._src.compat import custom_calls
from jax._src.core import (
    avals as avals_lib,
    hlo_sharding as hlo,
    jaxpr as jaxpr_lib,
    primitive as primitive_lib,
    state,
    trace as trace_lib,
)
from jax._src.interpreters.ad import zeros
from jax._src.transforms import custom_jvp, custom_vjp, literals


class AbstractValueMembers:
    """Members of a class in `core.abstract_value`."""

    def to_ct_aval(self) -> avals_lib.AbstractValue:
        """The other name of `to_cotangent_aval`."""
        return self.to_cotangent_aval()

    def at_least_vspace(self) -> avals_lib.AbstractValue:
        """A type of values that can be added: that of the tangents."""
        return self.to_tangent_aval()

    def lower_val2(self, hi_val: Any) -> tree.FlatTree:
        """`lower_val` as a tree taken apart, of which a type may decide the structure."""
        return tree.FlatTree.flatten(self.lower_val(hi_val))

    def raise_val2(self, lo_vals_ft: tree.FlatTree) -> Any:
        """The value that is made of what `lower_val2` returned."""
        return self.raise_val(*lo_vals_ft.unflatten())

    def update_weak_type(self, weak_type: bool) -> avals_lib.AbstractValue:
        """Returns this type, weak (its dtype gives way to others) or not."""
        return self


class ShapedArrayMembers:
    """Members of a class in `core.avals`."""

    def update_weak_type(self, weak_type: bool) -> avals_lib.ShapedArray:
        """Returns this type, weak (its dtype gives way to others) or not."""
        return self.update(weak_type=weak_type)


class DebugInfoMembers:
    """Members of a class in `core.jaxpr`."""

    @property
    def func_filename(self) -> str | None:
        """The file in which the function is defined; None where that is not known."""
        return self.func_src_info.partition(" at ")[2].rpartition(":")[0] or None

    @property
    def func_lineno(self) -> int | None:
        """The line of that file."""
        line = self.func_src_info.partition(" at ")[2].rpartition(":")[2]
        return int(line) if line.isdigit() else None

    def replace_func_name(self, name: str) -> jaxpr_lib.DebugInfo:
        """A copy with another name of the function."""
        _, at, location = self.func_src_info.partition(" at ")
        return self.replace(func_src_info=f"{name}{at}{location}")

    def safe_arg_names(self, expected_count: int) -> tuple[str | None, ...]:
        """The names of the arguments; empty ones if there are not `expected_count` of them."""
        names = self.arg_names
        return (
            names if names and len(names) == expected_count else ("",) * expected_count
        )

    def safe_result_paths(self, expected_count: int) -> tuple[str, ...]:
        """The paths of the results; empty ones if there are not `expected_count` of them."""
        paths = self.result_paths
        return (
            paths if paths and len(paths) == expected_count else ("",) * expected_count
        )

    def filter_arg_names(self, keep: Sequence[bool]) -> tuple[str | None, ...] | None:
        """The names of those arguments for which `keep` is true."""
        names = self.arg_names
        return names and tuple(n for n, k in zip(names, keep, strict=True) if k)

    def filter_result_paths(self, keep: Sequence[bool]) -> tuple[str, ...] | None:
        """The paths of those results for which `keep` is true."""
        paths = self.result_paths
        return paths and tuple(p for p, k in zip(paths, keep, strict=True) if k)

    def assert_arg_names(self, expected_count: int) -> None:
        """Raises `AssertionError` where there are names for another number of arguments."""
        _check_count(self, self.arg_names, expected_count)

    def assert_result_paths(self, expected_count: int) -> None:
        """Raises `AssertionError` where there are paths of another number of results."""
        _check_count(self, self.result_paths, expected_count)

    def resolve_result_paths(self) -> jaxpr_lib.DebugInfo:
        """Returns this description: the paths of results are known where there are any."""
        return self


class JaxprMembers:
    """Members of a class in `core.jaxpr`."""

    @property
    def in_aval_qdds(self) -> list[avals_lib.AbstractValue]:
        """The types of the inputs, with what they say of contents: none does."""
        return self.in_avals

    @property
    def final_aval_qdds(self) -> list[avals_lib.AbstractValue]:
        """The types of the inputs when all has run: the same."""
        return self.in_avals


class ClosedJaxprMembers:
    """Members of a class in `core.jaxpr`."""

    in_aval_qdds = JaxprMembers.in_aval_qdds
    final_aval_qdds = JaxprMembers.final_aval_qdds

    @property
    def all_invars(self) -> list[jaxpr_lib.Var]:
        """The variables of the constants, and those of the inputs."""
        return [*self.jaxpr.constvars, *self.jaxpr.invars]

    def map_jaxpr(
        self, f: Callable[[jaxpr_lib.Jaxpr], jaxpr_lib.Jaxpr]
    ) -> jaxpr_lib.ClosedJaxpr:
        """Returns a closed jaxpr with these constants and the jaxpr `f(self.jaxpr)`."""
        return jaxpr_lib.ClosedJaxpr(f(self.jaxpr), self.consts)


class ManualAxisTypeMembers:
    """Members of a class in `core.manual_axes`."""

    def invarying(self, mesh: Any) -> frozenset:
        """The manual axes of a mesh that are in no set."""
        return frozenset(mesh.manual_axes) - self.vur

    def to_ct_mat(self) -> Any:
        """The other name of `to_ct`."""
        return self.to_ct()


class PartitionSpecMembers:
    """Members of a class in `core.partition_spec`."""

    def to_tangent_spec(self) -> Any:
        """How tangents of such arrays are split: likewise."""
        return self


class PrimitiveMembers:
    """Members of a class in `core.primitive`."""

    # Upstream's names of kinds of primitives, which third-party libraries read.
    call_primitive = False

    map_primitive = False

    # Operations on references are those of their traces; none is an operation itself.
    ref_primitive = False

    ref_allocating = False

    # Operands are arrays or traced when a primitive is bound: none is left as it is.
    skip_canonicalization = False

    def get_bind_params(self, params: dict[str, Any]) -> dict[str, Any]:
        """The parameters with which `bind` repeats an equation of this primitive."""
        return dict(params)

    def is_effectful(self, params: Mapping[str, Any]) -> bool:
        """Whether it may have effects."""
        return "effects" in self.rules or "types_and_effects" in self.rules

    def def_effectful_abstract_eval2(self, abstract_eval: Callable) -> Callable:
        """Registers a type rule that gets the types of states of mutable values as they are."""
        return self.def_effectful_abstract_eval(abstract_eval)


class JaxprPpContextMembers:
    """Members of a class in `core.printing`."""

    def suggest_same_var_names(
        self, for_vars: Sequence[jaxpr_lib.Var], like_vars: Sequence[jaxpr_lib.Atom]
    ) -> None:
        """Names variables as others, unless they have names or the others are literals."""
        for var, like in zip(for_vars, like_vars, strict=True):
            if isinstance(like, jaxpr_lib.Var) and var not in self.var_names:
                self.var_names[var] = self.var_names[like]


class TransformedRefMembers:
    """Members of a class in `core.reference_views`."""

    # One view sees one reference, of a shape that is known.
    multiref = False

    is_dynamic_size = False


class ShardingMembers:
    """Members of a class in `core.shardings`."""

    def _to_xla_hlo_sharding(self, num_dimensions: int) -> hlo.HloSharding:
        """The `HloSharding` of arrays with so many axes."""
        return self.hlo_sharding(num_dimensions)

    @property
    def _device_assignment(self) -> tuple[Any, ...]:
        """The devices in their order."""
        return self.ordered_devices

    @property
    def _addressable_device_assignment(self) -> tuple[Any, ...]:
        """The devices of this process, in their order."""
        return tuple(d for d in self.ordered_devices if d in self.addressable_devices)


class NamedShardingMembers:
    """Members of a class in `core.shardings`."""

    @property
    def replicated_axes(self) -> frozenset:
        """The mesh axes along which devices hold the same, as far as it is said."""
        used = {*self.spec.names, *self.spec.unreduced}
        return frozenset(n for n in self.mesh.axis_names if n not in used)


class GSPMDShardingMembers:
    """Members of a class in `core.shardings`."""

    @classmethod
    def get_replicated(
        cls, device_assignment: Sequence[Any], *, memory_kind: str | None = None
    ) -> Any:
        """The whole array on each of some devices.

        Args:
            device_assignment: the devices.
            memory_kind: the kind of memory; None: the default one.
        """
        return cls(device_assignment, hlo.REPLICATED, memory_kind=memory_kind)


class TraceMembers:
    """Members of a class in `core.trace`."""

    def process(
        self, primitive: primitive_lib.Primitive, args: tuple, params: dict
    ) -> Any:
        """Applies a primitive in a trace that defines `process_primitive` instead: one value, or a list.

        The trace itself runs outside of every trace.

        Raises:
            NotImplementedError: it defines neither.
        """
        if type(self).process_primitive is trace_lib.Trace.process_primitive:
            raise NotImplementedError(
                f"{type(self).__name__} defines neither process nor process_primitive."
            )
        operands = [literals.typed(x) for x in args]
        call = custom_calls.HANDED_AS_CALLS.get(primitive)
        with state.evaluating():
            if call is not None:
                return call(self, operands, params)
            return self.process_primitive(primitive, operands, params)

    def process_primitive(
        self, primitive: primitive_lib.Primitive, tracers: Any, params: dict, /
    ) -> Any:
        """The name of `process` that libraries call."""
        with state.tracing(self):
            return self.process(primitive, tuple(tracers), params)

    def process_call(
        self, call_primitive: Any, f: Any, tracers: Any, params: dict, /
    ) -> Any:
        """Calls a wrapped function: the trace sees the operations in it."""
        with state.tracing(self):
            return f.call_wrapped(*tracers)

    def process_custom_jvp_call(
        self,
        primitive: primitive_lib.Primitive,
        fun: Any,
        jvp: Any,
        tracers: Any,
        /,
        *,
        symbolic_zeros: bool,
    ) -> Any:
        """Calls a wrapped function whose derivative is the wrapped function `jvp`.

        A library's trace that defines it gets such calls here, and not as operations.
        """
        params = custom_calls.jvp_params(fun, jvp, symbolic_zeros)
        with state.tracing(self):
            return self.process(custom_jvp.custom_jvp_call_p, tuple(tracers), params)

    def process_custom_vjp_call(
        self,
        primitive: primitive_lib.Primitive,
        fun: Any,
        fwd: Any,
        bwd: Any,
        tracers: Any,
        /,
        *,
        out_trees: Callable,
        symbolic_zeros: bool,
    ) -> Any:
        """Processes a call of a function that has a `custom_vjp` rule."""
        params = custom_calls.vjp_params(fun, fwd, bwd, out_trees, symbolic_zeros)
        with state.tracing(self):
            return self.process(custom_vjp.custom_vjp_call_p, tuple(tracers), params)

    # Whether operations on types above arrays are taken apart before the trace sees them:
    # all that are not differentiated are.
    requires_low = True

    def stage_value(self, val: Any) -> Any:
        """The value as operations of this trace take it: values of others are constants."""
        return val

    def full_raise(self, x: Any) -> Any:
        """The value itself: there are no levels."""
        return x

    def is_valid(self) -> bool:
        """Whether values of the trace may still be used."""
        return self.is_alive

    def invalidate(self) -> None:
        """The other name of `finish`."""
        self.finish()

    @property
    def main(self) -> trace_lib.Trace:
        """The trace itself: libraries compare the `main` of two tracers' traces."""
        return self


class TracerMembers:
    """Members of a class in `core.trace`."""

    def to_concrete_value(self) -> Any:
        """The other name of `known_value`."""
        return self.known_value()

    def get_referent(self) -> Any:
        """What is compared where identity counts: the value itself."""
        return self

    def full_lower(self) -> trace_lib.Tracer:
        """Returns this tracer: a value of one trace does not become one of another."""
        return self


class JVPTraceMembers:
    """Members of a class in `interpreters.ad.forward`."""

    requires_low = False

    def to_primal_tangent_pair(self, val: Any) -> tuple[Any, Any]:
        """The name of `split` that libraries call."""
        return self.split(val)


class ZeroMembers:
    """Members of a class in `interpreters.ad.zeros`."""

    @staticmethod
    def from_primal_value(value: Any) -> zeros.Zero:
        """The zero tangent of a value."""
        return zeros.Zero(avals_lib.get_aval(value).to_tangent_aval())


class SymbolicZeroMembers:
    """Members of a class in `interpreters.ad.zeros`."""

    @staticmethod
    def from_primal_value(val: Any) -> zeros.SymbolicZero:
        """The zero tangent of a value."""
        return zeros.SymbolicZero(avals_lib.get_aval(val).to_tangent_aval())


class BatchTraceMembers:
    """Members of a class in `interpreters.batching.trace`."""

    requires_low = False


class ModuleContextMembers:
    """Members of a class in `interpreters.mlir.contexts`."""

    def add_keepalive(self, value: Any) -> None:
        """Keeps `value` alive as long as the compiled program."""
        self.keepalives.append(value)


class RuleContextMembers:
    """Members of a class in `interpreters.mlir.contexts`."""

    def set_tokens_out(self, tokens: Any) -> None:
        """Says which tokens come after the operation."""
        self.tokens_out = tokens

    def is_forward_compat(self) -> bool:
        """Whether the module must be read by older compilers."""
        return False


class DynamicJaxprTracerMembers:
    """Members of a class in `interpreters.partial_eval.staging`."""

    def get_const(self) -> Any:
        """The value itself where it is a constant of the program, else None."""
        if isinstance(self.atom, jaxpr_lib.Literal):
            return self.atom.val
        known = self._trace.const_tracers.values()
        return next((value for value, t in known if t.atom is self.atom), None)


class StagingTraceMembers:
    """Members of a class in `interpreters.partial_eval.staging`."""

    def new_arg(
        self, aval: avals_lib.AbstractValue, source_info: Any = None
    ) -> trace_lib.Tracer:
        """Adds an input of the program, for libraries that find some while they trace."""
        return self.new_input(aval)

    def stage_value(self, val: Any) -> Any:
        """The value as a variable of the program."""
        return self.lift(val)


class JetTraceMembers:
    """Members of a class in `jet.trace`."""

    requires_low = False


def _check_count(debug_info, names, expected):
    if names is not None and len(names) != expected:
        raise AssertionError(f"{debug_info} does not name {expected} values.")
