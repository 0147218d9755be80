"""Log lines of what is traced, lowered and compiled.

Loggers, levels and texts are those that other tools look for: each line is a warning where
`jax_log_compiles` is on, and of level DEBUG where it is off.
"""

import contextlib
import logging
import threading
import time
from collections.abc import Iterable, Iterator
from typing import Any

from jax._src.base import log_levels as log_levels, monitoring, options

_stages = logging.getLogger("jax._src.dispatch")
_programs = logging.getLogger("jax._src.interpreters.pxla")


_thread = threading.local()


class Phases:
    """What one compilation is seen to do: seconds by the name of the event, and where from."""

    __slots__ = ("from_disk", "seconds")

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        # Whether the executable came from the persistent cache.
        self.from_disk = False


@contextlib.contextmanager
def collecting() -> Iterator[Phases]:
    """Collects the phases that end in this block, on this thread."""
    outer = getattr(_thread, "phases", None)
    _thread.phases = phases = Phases()
    try:
        yield phases
    finally:
        _thread.phases = outer


def note_cache_hit() -> None:
    """Notes that the executable which is being made came from the persistent cache."""
    phases = getattr(_thread, "phases", None)
    if phases is not None:
        phases.from_disk = True


def _level() -> int:
    return logging.WARNING if options.log_compiles.value else logging.DEBUG


def program_name(name: str) -> str:
    """What a program is called: an operation that runs by itself is jitted, too."""
    return name if "(" in name else f"jit({name})"


@contextlib.contextmanager
def stage(what: str, event: str) -> Iterator[None]:
    """Records how long a stage took, and logs it.

    Args:
        what: the stage and its program.
        event: the name of the event that listeners hear of.
    """
    start = time.perf_counter()
    with monitoring.timed(event):
        yield
    took = time.perf_counter() - start
    phases = getattr(_thread, "phases", None)
    if phases is not None:
        phases.seconds[event] = phases.seconds.get(event, 0.0) + took
    level = _level()
    if _stages.isEnabledFor(level):
        _stages.log(level, "Finished %s in %.9f sec", what, took)


def tracing(name: str) -> contextlib.AbstractContextManager:
    """The stage in which a function is traced."""
    return stage(f"tracing {name} for jit", "/jax/core/compile/jaxpr_trace_duration")


def lowering(
    name: str, avals: Iterable[Any], shardings: Iterable[Any] = ()
) -> contextlib.AbstractContextManager:
    """The stage in which a program becomes a module; says first what is compiled.

    Args:
        name: the name of the program.
        avals: the types of its arguments.
        shardings: those that are requested for them; None: none.
    """
    name = program_name(name)
    level = _level()
    if _programs.isEnabledFor(level):
        types = tuple(avals)
        found = tuple(shardings) or (None,) * len(types)
        shown = ["UnspecifiedValue" if s is None else repr(s) for s in found]
        mapping = ", ".join(shown) + ("," if len(shown) == 1 else "")
        _programs.log(
            level,
            "Compiling %s with global shapes and types %s. Argument mapping: (%s).",
            name,
            types,
            mapping,
        )
    return stage(
        f"jaxpr to MLIR module conversion {name}",
        "/jax/core/compile/jaxpr_to_mlir_module_duration",
    )


def compiling(name: str) -> contextlib.AbstractContextManager:
    """The stage in which a module becomes machine code."""
    return stage(
        f"XLA compilation of {program_name(name)}",
        "/jax/core/compile/backend_compile_duration",
    )
