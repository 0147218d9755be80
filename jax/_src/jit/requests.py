"""What decided about the compilation of a jitted call, for `runtime/compilation/compilations.py`."""

import functools as ft
from collections.abc import Callable, Sequence
from typing import Any

from jax._src.base import source
from jax._src.core import jaxpr as jaxpr_lib
from jax._src.jit import options as jit_options, static_values
from jax._src.jit.stages import Stage
from jax._src.runtime.compilation import assignment as asg, causes
from jax._src.transforms import calls

_DERIVED = "trace of a call"
_MOST_NAMED = 64
_DEFAULTS = jit_options.JitOptions()
# Options of which causes speak; the others follow from arguments.
_OPTIONS = (
    "static_argnums",
    "static_argnames",
    "donate_argnums",
    "donate_argnames",
    "keep_unused",
    "inline",
    "in_shardings",
    "out_shardings",
    "backend",
    "compiler_options",
)


class _Trace:
    """The call for which a program was traced."""

    __slots__ = ("function", "key", "seconds")

    def __init__(self, fun: Callable, key: tuple, seconds: float):
        self.function = causes.reference_to(fun)
        self.key = key
        self.seconds = seconds


def remember_trace(
    closed: jaxpr_lib.ClosedJaxpr, fun: Callable, key: tuple, seconds: float
) -> None:
    """Keeps, with a program, the call for which it was traced.

    Args:
        closed: the program.
        fun: the function of the call.
        key: its tree, types, static values, options and named axes.
        seconds: how long tracing took.
    """
    closed.derived(_DERIVED, lambda: _Trace(fun, key, seconds))


def _trace_of(closed):
    return closed.derived(_DERIVED, lambda: _Trace(_unknown, (), 0.0))


def _unknown():
    """Stands for the function of a program that no call was traced for."""


def take_trace_seconds(closed: jaxpr_lib.ClosedJaxpr) -> float:
    """How long the program was traced; 0 from the second time on."""
    trace = _trace_of(closed)
    seconds, trace.seconds = trace.seconds, 0.0
    return seconds


def request_of(
    call: Stage,
    assignment: asg.Assignment,
    layouts: Sequence[Any],
    *,
    is_ahead: bool = False,
) -> causes.Request:
    """What decides about the compilation of a call.

    Args:
        call: the call.
        assignment: its devices, and the shardings of its inputs.
        layouts: the layouts of its inputs; empty: row-major.
        is_ahead: whether it is compiled ahead of time.
    """
    closed = call.jaxpr
    trace = _trace_of(closed)
    debug = closed.debug_info
    shared: dict[str, Any] = {
        "kind": "function",
        "name": call.fun_name,
        "names": tuple(debug.arg_names or ()),
        "devices": assignment.devices,
        "committed": assignment.committed,
        "shardings": assignment.inputs,
        "layouts": tuple(layouts),
        "options": _options_of(call),
        "avals": tuple(closed.in_avals),
        "is_ahead": is_ahead,
    }
    fun = trace.function()
    if not trace.key:
        _, _, location = (debug.func_src_info or "").rpartition(" at ")
        form = _form_of(closed) or _DERIVED
        return causes.Request(location=location, maker="", form=form, **shared)
    in_tree, _, static, context, axes = trace.key
    if fun is None:
        location, maker = _location_in(debug.func_src_info), ""
    else:
        location, maker = causes.describe_function(fun)
    plain = causes.plain_function(fun)
    return causes.Request(
        location=location,
        maker=maker,
        function=causes.reference_to(plain if hasattr(fun, "__func__") else fun),
        is_partial=isinstance(fun, ft.partial),
        owner=causes.owner_of(fun),
        form=_wrapper_of(fun, location),
        captured=causes.captured_by(fun),
        tree=causes.reference_to(in_tree),
        tree_hash=hash(in_tree),
        static=_static_of(fun, static),
        context=context,
        axes=axes,
        **shared,
    )


def _wrapper_of(fun, location):
    """What distinguishes functions that wrap one of the user's, whose name and location they have."""
    is_internal = source.is_internal(location.rpartition(":")[0])
    if is_internal or not hasattr(fun, "__wrapped__"):
        return ""
    code = getattr(fun, "__code__", None)
    where = "" if code is None else f"{code.co_filename}:{code.co_firstlineno}"
    return f"{causes.WRAPPER} {where}"


def _options_of(call):
    """The options that were given to `jit`; None: the call is that of a program."""
    if call.in_tree is None:
        return None
    return tuple(
        (name, causes.snapshot(getattr(call.options, name)))
        for name in _OPTIONS
        if getattr(call.options, name) != getattr(_DEFAULTS, name)
    )


def _form_of(closed):
    """What distinguishes programs that follow from one by transformations: their operations."""
    return ",".join(eqn.primitive.name for eqn in closed.jaxpr.eqns[:_MOST_NAMED])


def _location_in(text):
    return (text or "").rpartition(" at ")[2]


def _static_of(fun, entries):
    """Snapshots of the static values of a key, by the names of their parameters."""
    if not entries:
        return ()
    parameters = None if fun is None else calls.parameters_of(fun)
    positional = () if parameters is None else parameters.positional
    found = []
    for entry in entries:
        name, value = entry[0], static_values.value_of(entry[-1])
        if isinstance(name, int) and name < len(positional):
            name = positional[name]
        found.append((str(name), causes.snapshot(value)))
    return tuple(found)
