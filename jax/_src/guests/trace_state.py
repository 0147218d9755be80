"""What is being traced here: questions that libraries ask, and ways to change it."""

import contextlib
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from jax._src.base import scalars
from jax._src.core import (
    avals as av,
    evaluate,
    jaxpr as jx,
    primitive as pr,
    state,
    trace as tr,
)
from jax._src.dtypes import known
from jax._src.guests import custom_calls as custom_calls, linear_util as lu
from jax._src.interpreters import batching, partial_eval as pe

no_axis_name = object()
abstract_token = av.AbstractToken()
# The classes of arrays of known elements.
array_types = {np.ndarray, *(dtype.type for dtype in known.array_dtypes)}
# Class of values -> function from a value to its type; a live table.
pytype_aval_mappings = av.type_table()


def eval_context() -> contextlib.AbstractContextManager[None]:
    """A block in which operations run at once, whatever is being traced outside."""
    return state.evaluating()


def find_top_trace(_: Any) -> Any:
    """The trace to which primitives go here; the argument is not used."""
    return state.current()


def is_concrete(x: Any) -> bool:
    """Whether the elements of a value are known."""
    return not isinstance(x, tr.Tracer) or x.known_value() is not None


class OpaqueTraceState:
    """A moment in tracing; equal to another one in which the same is traced."""

    __slots__ = ("_axes", "_trace", "convention")

    def __init__(self, convention: Any):
        self.convention = convention
        self._trace = weakref.ref(state.current())
        self._axes = tuple(state.axes().items())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OpaqueTraceState) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash((self.convention, self._axes))

    def _key(self):
        return self.convention, self._axes, self._trace()


def get_opaque_trace_state(convention: Any = None) -> OpaqueTraceState:
    """What is being traced now, for comparison with a later moment.

    Args:
        convention: a hashable value; states of different conventions differ.
    """
    return OpaqueTraceState(convention)


def _running() -> Iterator[Any]:
    trace = state.current()
    while trace is not None:
        yield trace
        trace = trace.parent


def unsafe_am_i_under_a_jit_DO_NOT_USE() -> bool:
    """Whether a program is being recorded. Results that depend on it surprise users."""
    return any(isinstance(t, pe.StagingTrace) for t in _running())


def unsafe_am_i_under_a_vmap_DO_NOT_USE() -> bool:
    """Whether a function is being vectorised. Results that depend on it surprise users."""
    return any(isinstance(t, batching.BatchTrace) for t in _running())


def unsafe_get_axis_names_DO_NOT_USE() -> list[Any]:
    """The names of the axes that are bound here."""
    return list(state.axes())


def nonempty_axis_env_DO_NOT_USE() -> bool:
    """Whether a named axis is bound here."""
    return bool(state.axes())


class set_current_trace:
    """A block in which primitives go to `trace`."""

    def __init__(self, trace: Any, check_leaks: bool = False):
        self.trace = trace
        self.check_leaks = check_leaks
        self.prev: Any = None

    def __enter__(self) -> None:
        self.prev = state.enter(self.trace)

    def __exit__(self, *_: object) -> None:
        state.leave(self.prev)


class take_current_trace:
    """A block that gets the current trace, and in which operations run at once."""

    def __init__(self) -> None:
        self.prev: Any = None

    def __enter__(self) -> Any:
        trace = state.current()
        self.prev = state.enter(None)
        return trace

    def __exit__(self, *_: object) -> None:
        state.leave(self.prev)


class TraceTag:
    """Marks one run of a library's transformation: equal to no other tag, and hashable.

    The library keeps it in its trace and finds by it which tracers are of this run. Traces of ours hold their
    parents instead.
    """


class _TracingContext:
    """The current trace and the named axes, as attributes."""

    @property
    def trace(self) -> Any:
        """The current trace."""
        return state.current()

    @property
    def axis_env(self) -> Any:
        """Sizes of the named axes, by name."""
        return state.axes()

    def is_top_level(self) -> bool:
        """Whether nothing is being traced."""
        return tr.is_evaluating()


trace_ctx = _TracingContext()


def gensym() -> Callable[[av.AbstractValue], jx.Var]:
    """A maker of new variables of given types."""
    return jx.Var


def mapped_aval(size: int, axis: int | None, aval: Any) -> Any:
    """The type of one entry along an axis of `size`; None: not mapped."""
    if axis is not None and aval.shape[axis] != size:
        raise ValueError(f"axis {axis} of {aval} has not the size {size}.")
    return batching.unbatched_aval(aval, axis)


def unmapped_aval(
    size: int, axis: int | None, aval: Any, explicit_mesh_axis: Any = None
) -> Any:
    """The type of `size` values of one type, stacked along a new axis."""
    return batching.batched_aval(aval, axis, size)


def is_constant_dim(d: Any) -> bool:
    """Whether a size is a number, not a symbol."""
    return isinstance(d, int) or hasattr(d, "__index__")


def is_constant_shape(s: Sequence[Any]) -> bool:
    """Whether all sizes are numbers."""
    return all(is_constant_dim(d) for d in s)


def primal_dtype_to_tangent_dtype(primal_dtype: Any) -> Any:
    """The dtype of tangents of values with this dtype: float0 for integers."""
    return scalars.tangent_dtype(primal_dtype)


def concretization_function_error(
    fun: Any, suggest_astype: bool = False
) -> Callable[[Any, Any], None]:
    """What arrays of unknown value do when `fun`, such as `int`, is applied to them."""

    def refuse(_self, arg):
        return fun(arg)

    return refuse


def call_impl(f: lu.WrappedFun, *args: Any, **params: Any) -> Any:
    """Calls a wrapped function."""
    return f.call_wrapped(*args)


def call(*args: Any, **params: Any) -> Any:
    """Calls the wrapped function that comes first with the values that follow."""
    return call_impl(*args, **params)


# Types in annotations of libraries.
Value = Any
ParamDict = dict[str, Any]
OutputType = tuple[av.AbstractValue, ...]


class CallPrimitive(pr.Primitive):
    """A primitive whose first operand is a wrapped function, which it calls."""

    call_primitive = True

    def __init__(self, name: str):
        super().__init__(name, multiple_results=True)

    def bind(self, fun: lu.WrappedFun, *args: Any, **params: Any) -> Any:
        """Calls the function with values; transformations see its operations."""
        return fun.call_wrapped(*args)


call_p = CallPrimitive("call")


class ClosedCallPrimitive(pr.Primitive):
    """A primitive whose parameter `call_jaxpr` is a closed program, which it runs."""

    def __init__(self, name: str):
        super().__init__(name, multiple_results=True)

    def bind(self, *args: Any, call_jaxpr: jx.ClosedJaxpr, **params: Any) -> Any:
        """Runs the program on values; transformations see its operations."""
        return evaluate.jaxpr_as_fun(call_jaxpr, *args)


closed_call_p = ClosedCallPrimitive("closed_call")
