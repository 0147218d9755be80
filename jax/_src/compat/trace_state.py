"""Queries of the current trace for third-party libraries, and ways to change it."""

import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jax._src.base import releases, scalars
from jax._src.compat import custom_calls as custom_calls, linear_util, traces
from jax._src.core import (
    avals,
    evaluate,
    jaxpr,
    primitive,
    state,
)
from jax._src.dtypes import known
from jax._src.interpreters import batching, partial_eval as pe

no_axis_name = object()
abstract_token = avals.AbstractToken()
# The classes of arrays of known elements.
array_types = {np.ndarray, *(dtype.type for dtype in known.array_dtypes)}
# Class of values -> function from a value to its type; a live table.
pytype_aval_mappings = avals.type_table()


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


def unsafe_am_i_under_a_jit_DO_NOT_USE() -> bool:
    """Whether a program is being recorded. Results that depend on it surprise users."""
    return any(isinstance(t, pe.StagingTrace) for t in traces.running(state.current()))


def unsafe_am_i_under_a_vmap_DO_NOT_USE() -> bool:
    """Whether a function is being vectorised. Results that depend on it surprise users."""
    return any(
        isinstance(t, batching.BatchTrace) for t in traces.running(state.current())
    )


def unsafe_get_axis_names_DO_NOT_USE() -> list[Any]:
    """The names of the axes that are bound here."""
    return list(state.axes())


def nonempty_axis_env_DO_NOT_USE() -> bool:
    """Whether a named axis is bound here."""
    return bool(state.axes())


# Their names in the private core.
unsafe_am_i_under_a_jit = unsafe_am_i_under_a_jit_DO_NOT_USE
unsafe_am_i_under_a_vmap = unsafe_am_i_under_a_vmap_DO_NOT_USE
unsafe_get_axis_names = unsafe_get_axis_names_DO_NOT_USE
nonempty_axis_env = nonempty_axis_env_DO_NOT_USE


def gensym() -> Callable[[avals.AbstractValue], jaxpr.Var]:
    """A maker of new variables of given types."""
    return jaxpr.Var


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


def call_impl(f: linear_util.WrappedFun, *args: Any, **params: Any) -> Any:
    """Calls a wrapped function."""
    return f.call_wrapped(*args)


def call(*args: Any, **params: Any) -> Any:
    """Calls the wrapped function that comes first with the values that follow."""
    return call_impl(*args, **params)


# Types in annotations of libraries.
Value = Any
ParamDict = dict[str, Any]
OutputType = tuple[avals.AbstractValue, ...]


class CallPrimitive(primitive.Primitive):
    """A primitive whose first operand is a wrapped function, which it calls."""

    call_primitive = True

    def __init__(self, name: str):
        super().__init__(name, multiple_results=True)

    def bind(self, fun: linear_util.WrappedFun, *args: Any, **params: Any) -> Any:
        """Calls the function with values; transformations see its operations."""
        return fun.call_wrapped(*args)


class ClosedCallPrimitive(primitive.Primitive):
    """A primitive whose parameter `call_jaxpr` is a closed program, which it runs."""

    def __init__(self, name: str):
        super().__init__(name, multiple_results=True)

    def bind(self, *args: Any, call_jaxpr: jaxpr.ClosedJaxpr, **params: Any) -> Any:
        """Runs the program on values; transformations see its operations."""
        return evaluate.jaxpr_as_fun(call_jaxpr, *args)


closed_call_p = ClosedCallPrimitive(releases.rule("name_of_closed_call"))
closed_call_p.__doc__ = (
    "Runs the program `call_jaxpr`, which has no constants, on the operands."
)
# From 0.12 on, calls of functions are calls of programs.
call_p: Any = (
    closed_call_p if releases.rule("call_is_closed_call") else CallPrimitive("call")
)
call_p.__doc__ = (
    call_p.__doc__ or "Calls its first operand, a wrapped function, with the others."
)
