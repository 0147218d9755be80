"""Traces and traced values.

A trace says what applying a primitive means. There are no levels: a trace that
transforms holds its parent, and runs its rules while the parent is current. A value
of another trace is a constant here.
"""

import gc
import weakref
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from jax._src.base import errors, releases
from jax._src.core import (
    aval_members,
    avals,
    concrete,
    leaks,
    primitive as primitive_lib,
    references,
    slots,
    state,
)


class Trace:
    """One running transformation."""

    __slots__ = ("__weakref__", "description", "is_alive", "parent", "tracks")

    def __init__(self, parent: "Trace | None" = None, description: str = ""):
        self.parent = parent
        # What is being traced, for messages: "jit of `loss`".
        self.description = description
        self.is_alive = True
        # The mesh axes along which types record what varies: none outside `shard_map`.
        self.tracks = state.tracked_axes()

    def __getattr__(self, name: str) -> Any:
        # Traces of libraries may leave `__init__` out.
        if name not in Trace.__slots__ or name == "__weakref__":
            raise AttributeError(f"{type(self).__name__!r} has no attribute {name!r}")
        Trace.__init__(self)
        return getattr(self, name)

    def process(
        self, primitive: primitive_lib.Primitive, args: tuple, params: dict
    ) -> Any:
        """Applies a primitive: one value, or a list for multiple results."""
        raise NotImplementedError(f"{type(self).__name__} does not define process.")

    @property
    def is_foreign(self) -> bool:
        """Whether no class of the trace defines `process`: a library handles its primitives."""
        return not any(
            "process" in vars(kind) for kind in type(self).__mro__ if kind is not Trace
        )

    def uses_of_objects(self) -> Any:
        """Returns the mutable objects (references) that the trace has used; None if its parent records them."""
        return None

    @property
    def around(self) -> "Trace | None":
        """The trace in which this one runs, which classes may keep as `parent_trace`."""
        return self.parent or getattr(self, "parent_trace", None)

    def read_reference(self, ref: references.Ref) -> Any:
        """The array that a reference holds, as a value of this trace."""
        if ref.home is self:
            return ref.held
        around = self.around
        if around is None:
            raise references.unreachable(ref)
        return around.read_reference(ref)

    def write_reference(self, ref: references.Ref, value: Any) -> None:
        """Puts another array in place of the one that a reference holds."""
        if ref.home is self:
            ref.held = value
            return
        around = self.around
        if around is None:
            raise references.unreachable(ref)
        self.refuse_to_store(ref, value)
        around.write_reference(ref, value)

    def refuse_to_store(self, ref: references.Ref, value: Any) -> None:
        """Raises an error for a value that a reference of an outer trace cannot hold."""
        if isinstance(value, Tracer) and value._trace is self:
            references.refuse_value(
                ref, "foreign" if self.is_foreign else "differentiated"
            )

    def finish(self) -> None:
        """Ends the trace: its values may not be used any more."""
        self.is_alive = False


class Tracer:
    """A value that a transformation follows through a Python function.

    It stands for an array: its methods and operators are those of `jax.Array`.
    """

    __slots__ = ("__weakref__", "_trace", "aval")

    __array_priority__ = 1000
    __hash__ = None  # type: ignore[assignment]

    # Whether converting the value to a number or a NumPy array would lose its derivative.
    carries_tangent = False

    def __init__(self, trace: Trace, aval: avals.AbstractValue):
        self._trace = trace
        self.aval = aval

    def known_value(self) -> Any:
        """The array behind this value where one is known, else None."""
        return None

    def origin(self) -> concrete.Origin:
        """Where the value comes from, for messages."""
        trace = self._trace
        return concrete.Origin(trace=trace.description or type(trace).__name__)

    @property
    def shape(self):
        return self.aval.shape

    @property
    def dtype(self):
        return self.aval.dtype

    @property
    def ndim(self):
        return len(self.aval.shape)

    @property
    def size(self):
        return self.aval.size

    @property
    def weak_type(self):
        return self.aval.weak_type

    @property
    def itemsize(self):
        return self.aval.dtype.itemsize

    @property
    def nbytes(self):
        return self.aval.size * self.aval.dtype.itemsize

    def __getattr__(self, name: str) -> Any:
        if name in _OWN_FIELDS:
            raise AttributeError(
                f"{type(self).__name__} has no {name!r} yet.", name=name
            )
        if name in concrete.VALUE_ATTRIBUTES:
            return concrete.is_no_attribute(name)(self)
        if name == "memory_space":
            _refuse_memory_space()
        return aval_members.found_in_type(self, self.aval, name)

    def __len__(self):
        return len(self.aval)

    def __bool__(self):
        return concrete.to_python(self, bool, concrete.bool_error)

    def __int__(self):
        return concrete.to_python(self, int, concrete.number_error)

    def __float__(self):
        return concrete.to_python(self, float, concrete.number_error)

    def __complex__(self):
        return concrete.to_python(self, complex, concrete.number_error)

    def __index__(self):
        return concrete.to_index(self)

    def __array__(self, dtype=None, copy=None):
        return concrete.to_numpy(self, dtype)

    def __format__(self, spec):
        return repr(self) if not spec else self._formatted(spec)

    def _formatted(self, spec):
        value = self.known_value()
        # A traced value has no digits to format: Python refuses the specification.
        return object.__format__(self, spec) if value is None else format(value, spec)

    def __repr__(self):
        return f"{type(self).__name__}<{self.aval.str_short()}>"

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


Tracer.__module__ = "jax.core"


def _refuse_memory_space():
    """Refuses `memory_space` of traced values from release 0.12 on, where types alone have it."""
    if releases.rule("memory_space_of_traced_values_is_refused"):
        raise errors.value_error(
            "The 'memory_space' attribute is not available on traced arrays.",
            [],
            "It belongs to the type of the value.",
            "Read jax.typeof(x).memory_space.",
        )


# Names that `__getattr__` reads itself.
_OWN_FIELDS = ("aval", "_trace")

for _name in concrete.VALUE_METHODS:
    setattr(Tracer, _name, concrete.needs_value(_name))
for _name in concrete.VALUE_PROPERTIES:
    setattr(Tracer, _name, property(concrete.needs_value(_name)))
for _name in concrete.VALUE_ATTRIBUTES:
    setattr(Tracer, _name, property(concrete.is_no_attribute(_name)))

avals.register_value_type(Tracer, lambda tracer: tracer.aval)


def install_array_methods(methods: Mapping[str, Callable | property]) -> None:
    """Gives the class of traced values the methods and operators of arrays.

    `jax._src.numpy` calls it once, with functions whose first parameter is the array.
    """
    for name, method in methods.items():
        setattr(Tracer, name, method)
    aval_members.give_to_type(avals.ShapedArray, methods)


def refuse_escaped(primitive: primitive_lib.Primitive, args: Iterable[Any]) -> None:
    """Raises an error if an operand of a primitive that is evaluated has escaped from its trace.

    Raises:
        UnexpectedTracerError: a value is traced.
    """
    for arg in args:
        if isinstance(arg, Tracer):
            raise concrete.escaped_error(arg, f"`{primitive.name}`")


class EvalTrace(Trace):
    """The trace at the bottom: primitives run on a device."""

    __slots__ = ()

    def process(
        self, primitive: primitive_lib.Primitive, args: tuple, params: dict
    ) -> Any:
        impl = primitive.rules.get("impl")
        if impl is None:  # it refuses traced operands itself, when it meets one
            return slots.apply_primitive.function(primitive, args, params)
        refuse_escaped(primitive, args)
        return impl(*args, **params)


evaluation = EvalTrace(None, "evaluation")
state.install_evaluation(evaluation)


class KnownNowTrace(Trace):
    """Evaluates operations whose operands are all known; its parent processes the others."""

    __slots__ = ()

    parent: Trace

    def process(
        self, primitive: primitive_lib.Primitive, args: tuple, params: dict
    ) -> Any:
        traced = find_tracer(args) is not None
        trace = self.parent if traced else evaluation
        token = state.enter(trace)
        try:
            return trace.process(primitive, args, params)
        finally:
            state.leave(token)


def find_tracer(values: Any) -> Tracer | None:
    """The first traced value among `values`, or None."""
    return next((v for v in values if isinstance(v, Tracer)), None)


def is_evaluating() -> bool:
    """Whether no transformation is running here."""
    return state.current() is evaluation


trace_state_clean = is_evaluating


def check_leaks(watched: weakref.ref, what: str) -> None:
    """Raises when a traced value still holds its finished trace.

    Args:
        watched: the trace, if it is still there.
        what: what was traced.

    Raises:
        UnexpectedTracerError: the trace is alive after a garbage collection.
    """
    if watched() is not None:
        gc.collect()
    trace = watched()
    if trace is not None:
        raise leak_error(trace, what)


def leaked_values(trace: Trace) -> list[Tracer]:
    """Returns the values of a trace that are alive after a garbage collection."""
    gc.collect()
    return [
        x
        for x in gc.get_referrers(trace)
        if isinstance(x, Tracer) and x._trace is trace
    ]


def leak_error(trace: Trace, what: str) -> errors.UnexpectedTracerError:
    """The error for a trace whose values outlived it; `what` was traced."""
    facts = [("trace", what)]
    rewrites = []
    for tracer in leaked_values(trace)[:3]:
        origin = tracer.origin()
        made = (
            f", made by `{origin.made_by}` at {origin.location}"
            if origin.made_by
            else ""
        )
        facts.append(("value", f"{tracer.aval.str_short()}{made}"))
        leak, rewrite = leaks.facts_about(tracer, origin.location, origin.defined)
        facts += leak
        rewrites += [rewrite] * bool(rewrite)
    return errors.UnexpectedTracerError(
        errors.explain(
            "Leaked trace: a traced value outlived its trace.",
            facts,
            "Traced values live only while their function is being traced.",
            "\n".join(
                ["Return it from the function instead of storing it.", *rewrites[:1]]
            ),
        )
    )
