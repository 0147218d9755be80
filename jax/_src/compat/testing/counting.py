"""How often something happens in a block: traces, lowerings, compilations, calls through Python, transfers.

Each counter is a function that begins a block, which gives a function that says the count: of the block so far,
or, when it has ended, of the whole block. What the runtime notes by itself is heard as an event; for the rest a
function of ours is replaced while the block lasts.
"""

import contextlib
import functools as ft
import importlib
import threading
import unittest
from collections.abc import Callable, Iterator
from typing import Any

from jax._src.base import errors, monitoring

_TRACED = "/jax/core/compile/jaxpr_trace_duration"
_LOWERED = "/jax/core/compile/jaxpr_to_mlir_module_duration"
_COMPILED = "/jax/core/compile/backend_compile_duration"
# Event -> where it is heard of: the name of a duration, or functions of ours.
_DURATIONS = {
    "trace_to_jaxpr": _TRACED,
    "lower_jaxpr_to_module": _LOWERED,
    "pxla_cached_compilation": _COMPILED,
}
_PUT = "jax._src.runtime.transfers.device_put_get"
_FUNCTIONS = {
    "jit_cpp_cache_miss": [("jax._src.jit.jit", "call")],
    "stages_compiled_call": [("jax._src.jit.compile", "Compiled._checked_call")],
    "batched_device_put": [(_PUT, "put_on_device"), (_PUT, "split"), (_PUT, "_move")],
    "compile_after_persistent_compilation_miss": [
        ("jax._src.runtime.compilation.compile", "_compile")
    ],
}
_lock = threading.Lock()


class _Calls:
    """Counts the calls of functions, without those that are made inside one of them."""

    def __init__(self):
        self.count = 0
        self._thread = threading.local()

    def around(self, function: Callable) -> Callable:
        """The function, counted."""

        @ft.wraps(function)
        def counted(*args, **kwargs):
            depth = getattr(self._thread, "depth", 0)
            with _lock:
                self.count += depth == 0
            self._thread.depth = depth + 1
            try:
                return function(*args, **kwargs)
            finally:
                self._thread.depth = depth

        return counted


def _holder(path, name):
    """The object that has a function, and the function's name there."""
    owner, _, attribute = name.rpartition(".")
    module = importlib.import_module(path)
    return (getattr(module, owner) if owner else module), attribute


@contextlib.contextmanager
def _replaced(owner: Any, name: str, value: Any) -> Iterator[None]:
    before = vars(owner)[name]
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, before)


@contextlib.contextmanager
def _count_calls(event: str) -> Iterator[Callable[[], int]]:
    calls = _Calls()
    with contextlib.ExitStack() as stack:
        for path, name in _FUNCTIONS[event]:
            owner, attribute = _holder(path, name)
            counted = calls.around(vars(owner)[attribute])
            stack.enter_context(_replaced(owner, attribute, counted))
        yield lambda: calls.count


@contextlib.contextmanager
def _count_durations(event: str) -> Iterator[Callable[[], int]]:
    heard: list[str] = []

    def listen(name, seconds, **_):
        if name == _DURATIONS[event]:
            heard.append(name)

    monitoring.register_event_duration_secs_listener(listen)
    try:
        yield lambda: len(heard)
    finally:
        monitoring.unregister_event_duration_listener(listen)


def count_events(event: str) -> Callable:
    """A counter of something that upstream's runtime notes under this name.

    Raises:
        ValueError: nothing here corresponds to it.
    """
    if event in _DURATIONS:
        return ft.partial(_count_durations, event)
    if event in _FUNCTIONS:
        return ft.partial(_count_calls, event)
    raise errors.value_error(
        "count_events: nothing is counted under this name.",
        [("event", event), ("counted", ", ".join(sorted({*_DURATIONS, *_FUNCTIONS})))],
        "What this runtime does natively is not counted.",
    )


def _not_counted(what: str) -> Callable:
    """A counter that skips the test: the runtime does `what` natively, without a note of it."""

    @contextlib.contextmanager
    def count(*args: Any) -> Iterator[Any]:
        raise unittest.SkipTest(f"{what} are not counted by this runtime")
        yield

    return count


count_device_put = count_events("batched_device_put")
count_pjit_cpp_cache_miss = count_events("jit_cpp_cache_miss")
count_jit_tracing_cache_miss = count_events("trace_to_jaxpr")
count_aot_jit_cpp_cache_miss = count_events("stages_compiled_call")
count_jit_and_pmap_lowerings = count_events("lower_jaxpr_to_module")
count_jit_compilation_cache_miss = count_events("pxla_cached_compilation")
count_compilation_after_persistent_cache_miss = count_events(
    "compile_after_persistent_compilation_miss"
)
count_primitive_compiles = count_events("pxla_cached_compilation")
count_device_put_fast_path_hit = _not_counted("copies of arrays by device_put")
count_jax_array_shard_arg_calls = _not_counted("distributions of arguments")
count_internal_device_puts = _not_counted("transfers by native code")
count_subjaxpr_to_hlo_conversion = _not_counted("functions of a module")


@contextlib.contextmanager
def collect_lowered_jaxprs() -> Iterator[list[tuple[Any, Any]]]:
    """A block with the list of programs that are lowered in it, each with its module."""
    lower = importlib.import_module("jax._src.jit.lower")
    make_module = lower.make_module
    collected: list[tuple[Any, Any]] = []

    def make_and_keep(program, resolved, *args, **kwargs):
        made = make_module(program, resolved, *args, **kwargs)
        collected.append((resolved.closed, made.module))
        return made

    with _replaced(lower, "make_module", make_and_keep):
        yield collected


@contextlib.contextmanager
def assert_num_jit_and_pmap_compilations(times: int) -> Iterator[None]:
    """A block in which exactly so many programs must be lowered."""
    with count_jit_and_pmap_lowerings() as count:
        yield
    if count() != times:
        raise AssertionError(
            f"Expected exactly {times} XLA compilations, but executed {count()}"
        )


@contextlib.contextmanager
def register_event_duration_listener(callback: Callable) -> Iterator[None]:
    """A block in which a function hears of the durations that are recorded."""
    monitoring.register_event_duration_secs_listener(callback)
    try:
        yield
    finally:
        monitoring.unregister_event_duration_listener(callback)
