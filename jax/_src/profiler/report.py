"""Reports: one file that says where the time and the memory of a program go."""

import datetime
import os
import pathlib
import statistics
import time
from collections.abc import Callable
from typing import Any

from jax._src import tree
from jax._src.base import errors
from jax._src.jit import jit as jits
from jax._src.profiler import lazy_modules
from jax._src.profiler.annotations import StepTraceAnnotation
from jax._src.profiler.options import ProfileOptions
from jax._src.profiler.session import ProfileSession, trace
from jax._src.runtime.compilation import compilations
from jax._src.runtime.devices import backends
from jax._src.runtime.transfers import device_put_get

_STEP = "report step"
# Operations beyond these, the least in time, are one line of the table.
_MOST_OPERATIONS = 5000
# How often arguments are moved to measure how long that takes.
_TRANSFERS = 5


def report(
    fun: Callable | str | os.PathLike,
    *args: Any,
    path: str | os.PathLike = "report.html",
    runs: int = 3,
    **kwargs: Any,
) -> Any:
    """Writes one HTML file that explains where time and memory go.

    The file fetches nothing: it can be sent, and opened years later. It shows the phases of each program, its operations by
    time with source lines and their distance from what this machine can do at best, memory over time, compilations,
    shardings and what devices send each other, the program as a tree of named scopes, and source files with times.

    Args:
        fun: a function, which is compiled, run and reported; or the path of the file to write: then the report is of a
            block.
        *args: the function's arguments. Those that it donates are copied first.
        path: the file that is written.
        runs: how many runs are measured, after one that is not.
        **kwargs: its keyword arguments.

    Returns:
        Of a function, what the page shows, as a dictionary. Of a path, a context manager, whose `facts` has that
        dictionary after the block.

    Raises:
        RuntimeError: a profile is being taken.
        JaxRuntimeError: the file cannot be written.
        TypeError: `fun` is neither a function nor a path.

    Examples:
        >>> jax.profiler.report(step, params, batch, path="step.html")
        >>> with jax.profiler.report("training.html"):
        ...     for batch in batches:
        ...         params = step(params, batch)
    """
    if isinstance(fun, (str, os.PathLike)):
        return Report(fun)
    if not callable(fun):
        raise TypeError(
            errors.explain(
                "jax.profiler.report: nothing to report on.",
                [("fun", repr(fun)[:80]), ("type", type(fun).__name__)],
                "It is a function and its arguments, or the path of a file for a block.",
                'jax.profiler.report(fun, x, path="report.html"), or '
                'with jax.profiler.report("report.html"): ...',
            )
        )
    if hasattr(fun, "memory_analysis"):
        raise errors.type_error(
            "jax.profiler.report: the function is compiled already.",
            [("fun", type(fun).__name__)],
            "Tracing and compiling are reported, too.",
            "Give the function that was compiled: jax.profiler.report(fun, x).",
        )
    if not isinstance(runs, int) or runs < 1:
        raise ValueError(
            errors.explain(
                "jax.profiler.report: the number of runs is too small.",
                [("runs", repr(runs))],
                "At least one run is measured.",
            )
        )
    return _of_function(fun, args, kwargs, path, runs)


class Report:
    """A report of a block of a program.

    Args:
        path: the file that is written at the end of the block.
    """

    def __init__(self, path: str | os.PathLike):
        self._path = path
        self._session = ProfileSession()
        self._before = 0
        self.facts: dict[str, Any] | None = None

    def __enter__(self) -> "Report":
        _refuse_unwritable(self._path)
        self._before = _last_compilation()
        self._session.start()
        return self

    def __exit__(self, *_: object) -> None:
        profile = self._session.stop()
        contents = lazy_modules.load("report_facts").Contents(profile)
        facts = _facts_of(contents)
        facts["compilations"] = rows = _compilations(self._before)
        for name, times in (
            lazy_modules.load("report_facts").program_runs(contents).items()
        ):
            facts["programs"].append(
                {
                    "name": name,
                    "first_ns": round(times[0]),
                    "median_ns": round(statistics.median(times)),
                    "runs": len(times),
                    **_phases_of(name, rows),
                    "transfer_ns": None,
                }
            )
        facts["transfers"] = lazy_modules.load("report_facts").transfers(contents)
        self.facts = facts
        _write(self._path, "Report of a block", facts)


def _last_compilation():
    found = compilations.compilation_report()
    return found[-1].number if found else -1


def _compilations(before):
    """What was compiled after a number, with its cause."""
    return [
        {
            "name": one.function,
            "line": one.called_at or one.location,
            "cause": one.cause,
            "trace_ns": round(one.trace_seconds * 1e9),
            "lower_ns": round(one.lower_seconds * 1e9),
            "compile_ns": round(one.compile_seconds * 1e9),
        }
        for one in compilations.compilation_report()
        if one.number > before
    ]


def _phases_of(name, rows):
    """The phases of all compilations of a program; None where there was none."""
    found = [row for row in rows if name in (row["name"], f"jit_{row['name']}")]
    keys = ("trace_ns", "lower_ns", "compile_ns")
    return {key: sum(row[key] for row in found) if found else None for key in keys}


def _of_function(fun, args, kwargs, path, runs):
    _refuse_unwritable(path)
    before = _last_compilation()
    phases = {}
    traced = _timed(phases, "trace_ns", lambda: _jitted(fun).trace(*args, **kwargs))
    lowered = _timed(phases, "lower_ns", traced.lower)
    compiled = _timed(phases, "compile_ns", lowered.compile)
    donates = bool(traced.donate_argnums)
    args, kwargs = _without_static(traced.options, args, kwargs)

    def run():
        given = tree.tree_map(_copy, (args, kwargs)) if donates else (args, kwargs)
        start = time.perf_counter_ns()
        device_put_get.block_until_ready(compiled(*given[0], **given[1]))
        return time.perf_counter_ns() - start

    phases["first_ns"] = run()
    options = ProfileOptions()
    options.python_tracer_level = 0
    with trace(None, profiler_options=options) as session:
        run()  # the one with records is compiled here
        times = []
        for step in range(runs):
            with StepTraceAnnotation(_STEP, step_num=step):
                times.append(run())
    profile = session.profile_data
    contents = lazy_modules.load("report_facts").Contents(profile)
    facts = _facts_of(contents, since=_STEP)
    name = getattr(fun, "__name__", type(fun).__name__)
    facts["programs"].append(
        {
            "name": name,
            **phases,
            "median_ns": round(statistics.median(times)),
            "transfer_ns": _transfer_ns(args, kwargs),
            "runs": runs,
        }
    )
    facts["compilations"] = _compilations(before)
    shardings = lazy_modules.load("report_shardings")
    facts["shardings"] = shardings.shardings_of(traced, compiled)
    facts["collectives"] = shardings.collectives_of(compiled)
    facts["memory"]["plan"] = lazy_modules.load("report_memory").plan_of(compiled)
    _write(path, f"Report of {name}", facts)
    return facts


def _jitted(fun):
    return fun if hasattr(fun, "trace") else jits.jit(fun)


def _without_static(options, args, kwargs):
    """The arguments that a compiled function takes."""
    static = {
        n % len(args) for n in options.static_argnums if -len(args) <= n < len(args)
    }
    named = {k: v for k, v in kwargs.items() if k not in options.static_argnames}
    return tuple(a for i, a in enumerate(args) if i not in static), named


def _copy(leaf):
    return leaf.copy() if hasattr(leaf, "addressable_shards") else leaf


def _transfer_ns(args, kwargs):
    """How long arguments on the host take to get to a device; 0 where all are there."""
    leaves = tree.tree_leaves((args, kwargs))
    hosts = [leaf for leaf in leaves if not hasattr(leaf, "addressable_shards")]
    if not hosts:
        return 0
    times = []
    for _ in range(_TRANSFERS):
        start = time.perf_counter_ns()
        device_put_get.block_until_ready(device_put_get.device_put(hosts))
        times.append(time.perf_counter_ns() - start)
    return round(statistics.median(times))


def _timed(phases, key, run):
    start = time.perf_counter_ns()
    result = run()
    phases[key] = time.perf_counter_ns() - start
    return result


def _facts_of(profile, since=None):
    """What a profile says; of the events since the first span of this name."""
    facts = lazy_modules.load("report_facts")
    floors = lazy_modules.load("floors")
    roof = facts.raised(floors.measured(), profile)
    starts = [
        event.start_ns
        for _, events in profile.host
        for event in events
        if event.name == since
    ]
    rows = facts.operations(profile, roof, min(starts, default=0.0))
    rows.sort(key=lambda row: -row["self_ns"])
    return {
        "machine": {
            "processor": floors.processor(),
            "threads": len(os.sched_getaffinity(0)),
            "flops_per_s": roof.flops_per_s,
            "bytes_per_s": roof.bytes_per_s,
            "devices": [str(device) for device in backends.devices()],
        },
        "programs": [],
        "operations": rows[:_MOST_OPERATIONS],
        "left_out_ns": sum(row["self_ns"] for row in rows[_MOST_OPERATIONS:]),
        "memory": facts.memory(profile),
        "compilations": [],
        "transfers": [],
        "shardings": [],
        "collectives": [],
        "sources": facts.sources(rows),
    }


def _write(path, title, facts):
    machine = facts["machine"]
    subtitle = (
        f"{datetime.datetime.now():%Y-%m-%d %H:%M}, {len(machine['devices'])} devices, "
        f"{machine['processor']}, {machine['threads']} threads"
    )
    text = lazy_modules.load("report_page").page(title, subtitle, facts)
    try:
        pathlib.Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise _not_written(path, error.strerror) from error


def _not_written(path, reason):
    return errors.JaxRuntimeError(
        errors.explain(
            f"FAILED_PRECONDITION: the report could not be written: {reason}.",
            [("path", os.fspath(path))],
            ways="Write it into a folder that exists and can be written.",
        )
    )


def _refuse_unwritable(path):
    """Refuses a path that cannot be written, before anything runs that would be lost.

    Raises:
        JaxRuntimeError: it cannot.
    """
    file = pathlib.Path(path)
    if not file.parent.is_dir():
        raise _not_written(path, "there is no such folder")
    if file.is_dir():
        raise _not_written(path, "it is a folder")
    if not os.access(file if file.exists() else file.parent, os.W_OK):
        raise _not_written(path, "it may not be written here")
