"""What a compiled program holds in memory, and when: `Compiled.memory_plan`.

The compiler lays out all memory of a run before it runs: arguments and results, and one
arena for temporaries, in which values that are never needed at once share their bytes. It
counts time in steps of the program. The tables here are that layout, not a model of it.
"""

import json
from typing import Any

import numpy as np

from jax._src.base import errors, records
from jax._src.interpreters.hlo import literals
from jax._src.jit import plans
from jax._src.runtime.compilation import gather_warnings

_SHOWN = 12
# What the compiler keeps for a step, and not for a value.
_SCRATCH = "scratch"


@records.record
class Buffer:
    """A value in the memory of a compiled program, and while it is held."""

    # "argument", "constant", "result", "temporary", or "scratch": what a step needs besides
    # values. A result is held from the start, for the caller allocates it.
    kind: str
    # Bytes of the allocation; a value whose memory is taken over by another has none.
    bytes: int
    shape: tuple[int, ...]
    dtype: np.dtype | None
    # The operation that writes it and the user's line, and the line that needs it last.
    operation: str
    line: str
    last_line: str
    # Names of the scopes around it, or of the argument.
    name: str
    # The steps from the first to the last in which it is held, counted from 0; a value in
    # a loop may have several such spans.
    steps: tuple[tuple[int, int], ...]
    # Where it begins in the arena, or the number of the argument or result.
    offset: int
    at_peak: bool

    def to_dict(self) -> dict[str, Any]:
        """The fields, as JSON has them."""
        found = records.as_dict(self)
        return found | {
            "dtype": None if self.dtype is None else self.dtype.name,
            "shape": list(self.shape),
            "steps": [list(span) for span in self.steps],
        }


@records.record
class MemoryPlan:
    """What one call of a compiled program holds on each device. Its `repr` is a table.

    All sizes are in bytes and of one device; every device of a program holds as much.
    """

    name: str
    devices: int
    # The totals, as `Compiled.memory_analysis` has them.
    memory: plans.CompiledMemoryStats
    # In the order of the program; none where the compiler does not report them.
    buffers: tuple[Buffer, ...]
    # For each step from which on another sum of temporaries is held: the number of the
    # step, the user's line that begins to hold something there, and the bytes.
    timeline: tuple[tuple[int, str, int], ...]

    @property
    def peak_bytes(self) -> int:
        """All that a call holds at once: arguments, results and temporaries."""
        return self.memory.peak_memory_in_bytes

    @property
    def at_peak(self) -> tuple[Buffer, ...]:
        """What is held in the step that needs most, the largest first."""
        found = [b for b in self.buffers if b.at_peak]
        return tuple(sorted(found, key=lambda b: -b.bytes))

    @property
    def unused_bytes(self) -> int:
        """Bytes of the arena that no value has at the peak: alignment, gaps and scalars."""
        kinds = ("temporary", _SCRATCH)
        used = sum(b.bytes for b in self.at_peak if b.kind in kinds)
        return self.memory.temp_size_in_bytes - used if self.buffers else 0

    @property
    def lines(self) -> dict[str, int]:
        """Bytes at the peak by the user's line that made them, the largest first."""
        found: dict[str, int] = {}
        for one in self.at_peak:
            where = one.line or f"{one.kind} {one.name}".strip()
            found[where] = found.get(where, 0) + one.bytes
        return dict(sorted(found.items(), key=lambda item: -item[1]))

    def to_dict(self) -> dict[str, Any]:
        """Everything, as JSON has it."""
        return {
            "name": self.name,
            "devices": self.devices,
            "peak_bytes": self.peak_bytes,
            "unused_bytes": self.unused_bytes,
            "memory": records.as_dict(self.memory),
            "buffers": [b.to_dict() for b in self.buffers],
            "timeline": [list(entry) for entry in self.timeline],
        }

    def __repr__(self) -> str:
        return _show(self)


MemoryPlan.__module__ = "jax.stages"


def read(report: str, *, name: str, memory: Any, constants: int) -> MemoryPlan:
    """A plan from what the compiler reported.

    Args:
        report: the compiler's report; "" where there is none.
        name: the function.
        memory: the totals, or None.
        constants: how many of the first arguments are values that the program closes over.

    Raises:
        NotImplementedError: the compiler reported neither buffers nor totals.
    """
    if memory is None:
        raise errors.not_implemented(
            "Compiled.memory_plan: the compiler of this platform reports no memory.",
            [("function", name)],
            "The plan is what the compiler has laid out.",
            "Compile for the CPU of this package, which reports it: "
            "jax.jit(f).lower(...) under jax.default_device(jax.devices('cpu')[0]).",
        )
    found = json.loads(report) if report else {}
    known = found.get("memory")
    values = [] if known is None else known["values"]
    lines = {s["position"]: s["at"] for s in known["steps"]} if known else {}
    peak = _peak_tick(values)
    held = _held(values, peak)
    buffers = [
        _buffer(value, lines, number in held, constants)
        for number, value in enumerate(values)
    ]
    count = found.get("devices", 1)
    return MemoryPlan(name, count, memory, tuple(buffers), _timeline(values))


#
# Reading
#


def _spans(value):
    ticks = value["ticks"]
    return list(zip(ticks[::2], ticks[1::2], strict=True))


def _in_arena(value):
    return value["kind"] in ("temporary", _SCRATCH)


def _changes(values):
    """Per tick, how much more or less the arena holds from then on than before."""
    slices: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for value in values:
        if _in_arena(value):
            key = value["index"], value["bytes"]
            slices.setdefault(key, []).extend(_spans(value))
    changes: dict[int, int] = {}
    for (_, size), spans in slices.items():
        last = -1
        for first, end in sorted(spans):
            # Two values that hand a slice on share a tick, and count once.
            start = max(first, last + 1)
            if start <= end:
                changes[start] = changes.get(start, 0) + size
                changes[end + 1] = changes.get(end + 1, 0) - size
                last = end
    return sorted(changes.items())


def _peak_tick(values):
    """The first tick at which the arena holds most."""
    best, peak, held = 0, 0, 0
    for tick, change in _changes(values):
        held += change
        if held > best:
            best, peak = held, tick
    return peak


def _timeline(values):
    """Per step after which the arena holds another sum: step, line and bytes."""
    lines = {first // 2: v["at"] for v in values for first, _ in _spans(v)}
    held, found = 0, {}
    for tick, change in _changes(values):
        held += change
        found[tick // 2] = held
    return tuple((step, lines.get(step, ""), n) for step, n in found.items())


def _held(values, tick):
    """The numbers of the values that are held at a tick: one for each slice of the arena.

    Arguments, constants and results are held all the time; of values that share the memory
    of a result, the one that is there at the tick.
    """
    latest: dict[tuple, tuple[int, int]] = {}
    for number, value in enumerate(values):
        kind = value["kind"]
        if kind == "constant":
            latest[kind, -number] = 0, number
            continue
        key = "arena" if _in_arena(value) else kind, value["index"]
        starts = [first for first, last in _spans(value) if first <= tick <= last]
        if _in_arena(value) and (not starts or not value["bytes"]):
            continue
        start = max(starts, default=-2)
        if key not in latest or latest[key][0] <= start:
            latest[key] = start, number
    return {number for _, number in latest.values()}


def _buffer(value, lines, at_peak, constants):
    spans = _spans(value)
    kind = value["kind"]
    if kind == "argument" and value["index"] < constants:
        kind = "constant"
    last = max((last for _, last in spans), default=0)
    return Buffer(
        kind,
        value["bytes"],
        tuple(value.get("shape", ())),
        literals.dtype_of(value["dtype"]) if "dtype" in value else None,
        value["operation"],
        value["at"],
        lines.get(last // 2, ""),
        value["name"],
        tuple((first // 2, last // 2) for first, last in spans),
        value["index"],
        at_peak,
    )


#
# Showing
#


def _type(one):
    if one.dtype is None:
        return "bytes"
    return f"{one.dtype.name}[{','.join(map(str, one.shape))}]"


def _show(plan):
    stats = plan.memory
    count = f" on each of {plan.devices} devices" if plan.devices > 1 else ""
    rows = [
        ("arguments", stats.argument_size_in_bytes),
        ("results", stats.output_size_in_bytes),
        ("results in donated arguments", -stats.alias_size_in_bytes),
        ("temporaries", stats.temp_size_in_bytes),
        ("peak", plan.peak_bytes),
    ]
    rows = [
        (what, f"{n:,} B", plans.sized(n)) for what, n in rows if n or what == "peak"
    ]
    lines = plans.table(f"Memory of `{plan.name}`{count}", rows)
    if not plan.buffers:
        return "\n".join(
            [*lines, "", "The compiler of this platform reports no buffers."]
        )
    groups: dict[tuple[str, ...], list[int]] = {}
    for one in plan.at_peak:
        what = one.operation or one.name or "-"
        line = gather_warnings.short_line(one.line) or "-"
        groups.setdefault((one.kind, _type(one), what, line), []).append(one.bytes)
    found = sorted(groups.items(), key=lambda item: -sum(item[1]))
    shown = [
        (kind, gather_warnings.size(sum(sizes)), f"{len(sizes)} x {what}", *rest)
        for (kind, what, *rest), sizes in found[:_SHOWN]
    ]
    if len(found) > _SHOWN:
        rest = [n for _, sizes in found[_SHOWN:] for n in sizes]
        total = gather_warnings.size(sum(rest))
        shown.append(("others", total, f"{len(rest)} x", "", ""))
    if plan.unused_bytes:
        shown.append(("unused", gather_warnings.size(plan.unused_bytes), "", "", ""))
    lines += ["", *plans.table("Held at the peak, the largest first", shown)]
    by_line = list(plan.lines.items())
    shown = [
        (gather_warnings.size(n), gather_warnings.short_line(line))
        for line, n in by_line[:_SHOWN]
    ]
    if len(by_line) > _SHOWN:
        total = sum(n for _, n in by_line[_SHOWN:])
        shown.append((gather_warnings.size(total), f"{len(by_line) - _SHOWN} more"))
    lines += ["", *plans.table("Held at the peak, by source line", shown)]
    return "\n".join(lines)
