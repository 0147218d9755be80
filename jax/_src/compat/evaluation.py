"""Evaluation of single primitives, as libraries that define some ask for it."""

import contextlib
import logging
import time
from collections.abc import Callable, Iterator
from typing import Any

from jax._src.base import caches, monitoring
from jax._src.core import jaxpr as jaxpr_lib, primitive, slots, state, trace
from jax._src.runtime import checks, tokens

_logger = logging.getLogger("jax._src.dispatch")

JAXPR_TRACE_EVENT = "/jax/core/compile/jaxpr_trace_duration"
JAXPR_TO_MLIR_MODULE_EVENT = "/jax/core/compile/jaxpr_to_mlir_module_duration"
BACKEND_COMPILE_EVENT = "/jax/core/compile/backend_compile_duration"

# Programs of primitives are lowered for the devices that they run on: nothing here reads it.
prim_requires_devices_during_lowering: set[primitive.Primitive] = set()


def apply_primitive(prim: primitive.Primitive, *args: Any, **params: Any) -> Any:
    """Compiles a primitive by its lowering rule and runs it.

    As ``prim.def_impl(functools.partial(apply_primitive, prim))`` it is how a primitive
    with types and a lowering rule is evaluated, which is so without it, too.
    """
    if trace.find_tracer(args) is not None:
        return prim.bind(*args, **params)
    with state.evaluating():
        return slots.apply_primitive.function(prim, args, params)


@caches.memoize()
def xla_primitive_callable(prim: primitive.Primitive, **params: Any) -> Callable:
    """The compiled function of a primitive with these parameters."""
    return lambda *args: apply_primitive(prim, *args, **params)


def simple_impl(prim: primitive.Primitive) -> None:
    """Makes a primitive be evaluated by its lowering rule."""
    prim.def_impl(lambda *args, **params: apply_primitive(prim, *args, **params))


class _RuntimeTokens:
    """The programs with effects that have not ended."""

    @staticmethod
    def block_until_ready() -> None:
        """Waits for their effects."""
        tokens.effects_barrier()

    @staticmethod
    def clear() -> None:
        """Forgets them: nobody waits for their effects, or is told of their errors."""
        tokens.forget()


runtime_tokens = _RuntimeTokens()


def jaxpr_has_primitive(jaxpr: Any, prim_name: str) -> bool:
    """Whether an equation of a program, or of a program inside it, is of a primitive.

    Args:
        jaxpr: the program.
        prim_name: the name of the primitive, or its beginning.
    """
    program = getattr(jaxpr, "jaxpr", jaxpr)
    return any(
        eqn.primitive.name.startswith(prim_name)
        or any(
            jaxpr_has_primitive(p, prim_name)
            for p in jaxpr_lib.jaxprs_in_params(eqn.params)
        )
        for eqn in program.eqns
    )


def needs_check_special() -> bool:
    """Whether `jax_debug_nans` or `jax_debug_infs` is on."""
    return bool(checks.is_requested())


def check_special(name: str, bufs: Any) -> None:
    """Raises an error where arrays have NaN or infinities that an option forbids."""
    if checks.is_requested():
        checks.check(name, list(bufs))


@contextlib.contextmanager
def log_elapsed_time(
    fmt: str, fun_name: str, event: str | None = None
) -> Iterator[None]:
    """A block whose duration is logged, and told to those who listen to an event.

    Args:
        fmt: the text, with ``{fun_name}`` and ``{elapsed_time}``.
        fun_name: what the block works on.
        event: the name of the event.
    """
    begin = time.time()
    yield
    elapsed = time.time() - begin
    _logger.debug(fmt.format(fun_name=fun_name, elapsed_time=elapsed))
    if event is not None:
        monitoring.record_event_duration_secs(event, elapsed)
