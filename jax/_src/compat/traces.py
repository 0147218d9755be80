"""What libraries with traces of their own use: the current trace, tags, named axes.

A library's trace is a `Trace` with `process_primitive`. It holds the trace that was current when it began, makes
itself current for a function, and binds what it makes of each operation in the other one.
"""

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from jax._src.base import options
from jax._src.core import (
    concrete,
    state,
    trace as trace_lib,
)


def eval_context() -> contextlib.AbstractContextManager[None]:
    """A block in which operations run at once, whatever is being traced outside."""
    return state.evaluating()


def find_top_trace(_: Any) -> Any:
    """The trace to which primitives go here; the argument is not used."""
    return state.current()


unsafe_get_current_trace = state.current


def running(trace: Any) -> Iterator[Any]:
    """A trace, and those in which it runs, the innermost first."""
    while trace is not None:
        yield trace
        trace = trace.around


def unsafe_get_trace_stack(trace: Any) -> list[Any]:
    """A trace and those in which it runs, evaluation first."""
    found = [*running(trace)]
    if trace_lib.evaluation not in found:
        found.append(trace_lib.evaluation)
    return found[::-1]


class set_current_trace:
    """A block in which primitives go to `trace`.

    Args:
        trace: the trace.
        check_leaks: whether, under `jax.checking_leaks()`, a value of the trace that is still there after the block
            is an error.
    """

    def __init__(self, trace: Any, check_leaks: bool = False):
        self.trace = trace
        self.check_leaks = check_leaks
        self.prev: Any = None

    def __enter__(self) -> None:
        self.prev = state.trace_variable.get()
        state.enter(self.trace)

    def __exit__(self, kind: Any, *_: object) -> None:
        # Not `state.leave`: blocks around the `yield` of a generator may end in another order, or another thread.
        state.enter(self.prev)
        trace, self.trace = self.trace, None
        if self.check_leaks and kind is None and trace is not None:
            ensure_no_leaks(trace)


class take_current_trace:
    """A block that gets the current trace, and in which operations run at once."""

    def __init__(self) -> None:
        self.prev: Any = None

    def __enter__(self) -> Any:
        self.prev = state.trace_variable.get()
        trace = state.current()
        state.enter(None)
        return trace

    def __exit__(self, *_: object) -> None:
        state.enter(self.prev)


def ensure_no_leaks(trace: trace_lib.Trace) -> None:
    """Raises if values of a trace are still there, and `jax_check_tracer_leaks` is on.

    Raises:
        UnexpectedTracerError: they are.
    """
    if options.check_tracer_leaks.value and trace_lib.leaked_values(trace):
        raise trace_lib.leak_error(trace, type(trace).__name__)


class TraceTag:
    """Marks one run of a library's transformation, by its identity.

    The library keeps it in its trace and finds by it which tracers are of this run. Tags are equal, so that they may
    be part of keys of what does not depend on the run. Traces of ours hold their parents instead.
    """

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TraceTag)

    def __hash__(self) -> int:
        return hash(TraceTag)


class AxisEnv:
    """The named axes that are bound in the current trace."""

    __slots__ = ("axis_sizes",)

    def __init__(self, axis_sizes: Mapping[Any, int]):
        self.axis_sizes = axis_sizes

    def axis_exists(self, axis_name: Any) -> bool:
        """Whether an axis of that name is bound."""
        return axis_name in self.axis_sizes

    def axis_size(self, axis_name: Any) -> int:
        """The size of an axis.

        Raises:
            NameError: there is none of that name.
        """
        if axis_name not in self.axis_sizes:
            raise NameError(f"unbound axis name: {axis_name}")
        return self.axis_sizes[axis_name]

    def axis_names(self) -> tuple[Any, ...]:
        """The names, the outermost first."""
        return tuple(self.axis_sizes)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AxisEnv) and self.axis_sizes == other.axis_sizes

    def __hash__(self) -> int:
        return hash(tuple(self.axis_sizes.items()))


def get_axis_env() -> AxisEnv:
    """The named axes that are bound here."""
    return AxisEnv(state.axes())


def extend_axis_env_nd(
    name_size_pairs: Iterable[tuple[Any, int]],
) -> contextlib.AbstractContextManager[None]:
    """A block in which further names of axes are bound to sizes."""
    return state.binding_axes(dict(name_size_pairs))


axis_frame = state.axis_size


class TracingContext:
    """The current trace and the named axes, as attributes."""

    @property
    def trace(self) -> Any:
        """The current trace."""
        return state.current()

    @property
    def axis_env(self) -> AxisEnv:
        """The named axes that are bound here."""
        return get_axis_env()

    def is_top_level(self) -> bool:
        """Whether nothing is being traced."""
        return trace_lib.is_evaluating()


trace_ctx = TracingContext()


def full_lower(val: Any) -> Any:
    """What a traced value says that it is, its `full_lower`; any other value itself."""
    return val.full_lower() if isinstance(val, trace_lib.Tracer) else val


def is_concrete(x: Any) -> bool:
    """Whether the elements of a value are known."""
    return to_concrete_value(x) is not None


def to_concrete_value(x: Any) -> Any:
    """The array of a value whose elements are known; None if they are not."""
    return x.to_concrete_value() if isinstance(x, trace_lib.Tracer) else x


def get_referent(x: Any) -> Any:
    """What is compared where identity counts."""
    return x.get_referent() if isinstance(x, trace_lib.Tracer) else x


def same_referent(x: Any, y: Any) -> bool:
    """Whether two values are the same object behind their traces."""
    return get_referent(x) is get_referent(y)


def escaped_tracer_error(
    tracer: trace_lib.Tracer, detail: str | None = None
) -> Exception:
    """The error for a value that is used where its trace is not running."""
    return concrete.escaped_error(tracer, detail or "an operation")
