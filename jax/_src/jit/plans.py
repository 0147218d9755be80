"""What a compiled program costs each of its devices, and how long that may take.

The compiler reports it after everything is decided: the buffers of temporaries, which
collectives there are, what each device computes. So a plan for devices that do not exist
is what a run on devices would measure.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from jax._src.base import errors, records
from jax._src.runtime.compilation import gather_warnings

# A function such as exp counts as so many additions, where time is estimated.
_OPERATIONS_PER_FUNCTION = 10
_SHOWN = 8


@records.record
class CompiledMemoryStats:
    """Bytes that a compiled program needs on each device."""

    generated_code_size_in_bytes: int = 0
    argument_size_in_bytes: int = 0
    output_size_in_bytes: int = 0
    alias_size_in_bytes: int = 0
    temp_size_in_bytes: int = 0
    host_generated_code_size_in_bytes: int = 0
    host_argument_size_in_bytes: int = 0
    host_output_size_in_bytes: int = 0
    host_alias_size_in_bytes: int = 0
    host_temp_size_in_bytes: int = 0
    peak_memory_in_bytes: int = 0


def memory_stats(executable: Any) -> CompiledMemoryStats | None:
    """Bytes that a program needs; None where its compiler does not report them.

    Args:
        executable: the native executable.
    """
    found = executable.memory_analysis()
    if not isinstance(found, dict):
        return found
    names = records.fields_of(CompiledMemoryStats)
    return CompiledMemoryStats(**{k: v for k, v in found.items() if k in names})


@records.record
class Machine:
    """Speeds of a device and of its links, from which times are estimated.

    The defaults are round numbers of no particular machine.
    """

    flops_per_second: float = 1e12
    # Between a device and its memory.
    memory_bytes_per_second: float = 1e11
    # What a device can receive of others; for all axes of a mesh, or by their names.
    link_bytes_per_second: float | Mapping[str, float] = 1e10
    # Until the first byte arrives, for each step of a collective.
    link_latency_s: float = 1e-6

    def link_speed(self, axes: tuple[str, ...]) -> float:
        """Bytes per second of the slowest of some axes.

        Raises:
            ValueError: the speed of an axis is not known.
        """
        speeds = self.link_bytes_per_second
        if not isinstance(speeds, Mapping):
            return speeds
        missing = [axis for axis in axes if axis not in speeds]
        if missing:
            raise errors.value_error(
                "Machine: the speed of a mesh axis is missing.",
                [("axes", ", ".join(missing)), ("known", ", ".join(speeds))],
                "link_bytes_per_second has one number, or one for each axis.",
            )
        return min((speeds[axis] for axis in axes), default=float("inf"))


@records.record
class Work:
    """What a device computes at a line of the source, in one call."""

    operation: str
    line: str
    flops: float
    transcendentals: float
    bytes_accessed: float
    # How many devices compute the same, and along which mesh axes they differ.
    copies: int
    repeats: tuple[str, ...]

    @property
    def operations(self) -> float:
        """Additions that take as long."""
        return self.flops + _OPERATIONS_PER_FUNCTION * self.transcendentals

    @property
    def wasted(self) -> float:
        """The part of `operations` that other devices compute as well."""
        return self.operations * (1 - 1 / self.copies)

    def seconds(self, machine: Machine) -> float:
        """By the slower of arithmetic and memory."""
        return max(
            self.operations / machine.flops_per_second,
            self.bytes_accessed / machine.memory_bytes_per_second,
        )


@records.record
class Collective:
    """An exchange of arrays, and what it sends in one call."""

    kind: str
    line: str
    # The mesh axes that the devices of a group span, and their number.
    axes: tuple[str, ...]
    group_size: int
    # How often it runs, and how many arrays it joins.
    times: float
    arrays: int
    # Bytes that all devices receive of others, together, and each of them on average.
    total_bytes: int
    bytes_per_device: float
    # Whether data decides, and this is the most that it can be.
    is_bound: bool
    # As the runtime and its messages know it.
    name: str

    @property
    def steps(self) -> float:
        """How many messages follow each other, in a ring."""
        per_run = {"all_reduce": 2, "collective_permute": 0, "collective_broadcast": 0}
        return self.times * max(1, per_run.get(self.kind, 1) * (self.group_size - 1))

    def seconds(self, machine: Machine) -> float:
        """Bytes over the slowest link, behind the latencies of the steps."""
        if self.total_bytes == 0:
            return 0.0
        sent = self.bytes_per_device / machine.link_speed(self.axes)
        return self.steps * machine.link_latency_s + sent


@records.record
class Gather:
    """A sharded operand that is gathered for an operation."""

    operation: str
    line: str
    operand: int
    source: str
    type: str
    # Partition specs, as text.
    current: str
    needed: str
    bytes_before: int
    bytes_after: int
    # The mesh axes along which it is gathered, and those of them where devices then all
    # compute the same.
    axes: tuple[str, ...]
    repeats: tuple[str, ...]
    # What can be written so that it need not be; "" where nothing is repeated.
    mend: str


@records.record
class Plan:
    """What one call of a compiled program costs each device. `print` shows tables."""

    name: str
    devices: int
    # Names and sizes of the axes.
    mesh: tuple[tuple[str, int], ...]
    memory: CompiledMemoryStats
    flops: float
    transcendentals: float
    bytes_accessed: float
    work: tuple[Work, ...]
    collectives: tuple[Collective, ...]
    gathers: tuple[Gather, ...]
    machine: Machine

    @property
    def axis_bytes(self) -> dict[tuple[str, ...], float]:
        """Bytes that a device receives, by the mesh axes along which they come."""
        found: dict[tuple[str, ...], float] = {}
        for one in self.collectives:
            found[one.axes] = found.get(one.axes, 0.0) + one.bytes_per_device
        return found

    @property
    def repeated(self) -> tuple[Work, ...]:
        """Arithmetic that several devices do alike, the most wasteful first."""
        rows = [w for w in self.work if w.copies > 1 and w.operations]
        return tuple(sorted(rows, key=lambda w: -w.wasted))

    @property
    def compute_s(self) -> float:
        """Estimated seconds of arithmetic and memory, line by line."""
        return sum(w.seconds(self.machine) for w in self.work)

    @property
    def communication_s(self) -> float:
        """Estimated seconds of collectives, one after the other."""
        return sum(c.seconds(self.machine) for c in self.collectives)

    @property
    def step_s(self) -> float:
        """Estimated seconds of a call: nothing is sent while something is computed."""
        return self.compute_s + self.communication_s

    def __str__(self) -> str:
        return _show(self)


#
# Reading
#


def read(
    report: str,
    *,
    name: str,
    memory: Any,
    totals: Mapping[str, float],
    machine: Machine,
) -> Plan:
    """A plan from what the compiler reported.

    Raises:
        NotImplementedError: it reported nothing.
    """
    if not report:
        raise errors.not_implemented(
            "Compiled.plan: the compiler of this platform reports nothing.",
            [("function", name)],
            ways="compiled.cost_analysis() and compiled.memory_analysis() may know "
            "something.",
        )
    found = json.loads(report)
    devices = found["devices"]
    # What collectives do in memory is counted where they send.
    kinds = {c["kind"] for c in found["collectives"]}
    return Plan(
        name,
        devices,
        tuple((a["name"], a["size"]) for a in found["mesh"]),
        memory,
        totals.get("flops", 0.0),
        totals.get("transcendentals", 0.0),
        totals.get("bytes accessed", 0.0),
        tuple(_work(w) for w in found["work"] if w["operation"] not in kinds),
        tuple(_collective(c, devices) for c in found["collectives"]),
        tuple(_gather(g) for g in found["gathers"]),
        machine,
    )


def _work(row):
    return Work(
        row["operation"],
        row["at"],
        row["flops"],
        row["transcendentals"],
        row["bytes"],
        row["copies"],
        tuple(row["repeats"]),
    )


def _collective(row, devices):
    total = int(row["received_bytes"] * row["times"])
    return Collective(
        row["kind"],
        row["at"],
        tuple(row["axes"]),
        row["group"],
        row["times"],
        row["arrays"],
        total,
        total / devices,
        row["is_bound"],
        row["name"],
    )


def _gather(row):
    return Gather(
        row["operation"],
        row["at"],
        row["operand"],
        row["source"],
        row["type"],
        row["current"],
        row["needed"],
        row["piece_bytes"],
        row["bytes"],
        tuple(row["axes"]),
        tuple(row["repeats"]),
        gather_warnings.suggested_fix(row) if row["repeats"] else "",
    )


#
# Showing
#


def _count(number, unit):
    for prefix in ("", "k", "M", "G", "T"):
        if abs(number) < 1000:
            return f"{number:.3g} {prefix}{unit}"
        number /= 1000
    return f"{number:.3g} P{unit}"


def _seconds(number):
    for factor, unit in ((1, "s"), (1e3, "ms"), (1e6, "µs")):
        if number * factor >= 1:
            return f"{number * factor:.3g} {unit}"
    return f"{number * 1e9:.3g} ns"


def _axes(names):
    return " ".join(names) or "-"


def table(title: str, rows: Sequence[Sequence[Any]]) -> list[str]:
    """Columns under a title; the first is text, numbers are aligned at their right."""
    rows = [tuple(map(str, row)) for row in rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [title]
    for row in rows:
        first, *rest = zip(row, widths, strict=True)
        cells = [f"{first[0]:<{first[1]}}", *(f"{c:>{w}}" for c, w in rest[:-1])]
        cells += [c for c, _ in rest[-1:]]
        lines.append("  " + "  ".join(cells).rstrip())
    return lines


def _grouped(rows, key):
    """Rows of equal keys together, in the order of their first ones."""
    groups: dict[Any, list[Any]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return list(groups.items())


def _show(plan):
    mesh = ", ".join(f"{name}={size}" for name, size in plan.mesh)
    lines = [
        f"Plan of `{plan.name}` for {plan.devices} device{'s' * (plan.devices > 1)}"
        + (f": {mesh}" if mesh else "")
    ]
    for part in (_memory, _arithmetic, _communication, _repeated, _gathered, _time):
        rows = part(plan)
        if rows:
            lines += ["", *rows]
    return "\n".join(lines)


def _memory(plan):
    stats = plan.memory
    rows = [
        ("arguments", stats.argument_size_in_bytes, ""),
        ("results", stats.output_size_in_bytes, ""),
        ("temporaries", stats.temp_size_in_bytes, ""),
        ("results in donated arguments", -stats.alias_size_in_bytes, ""),
        ("peak", stats.peak_memory_in_bytes, ""),
    ]
    rows = [(what, f"{count:,} B", sized(count)) for what, count, _ in rows if count]
    return table("Memory of a device", rows) if rows else []


def sized(count: int) -> str:
    """Bytes in a larger unit, if they fill one; "" otherwise."""
    return (
        "-" * (count < 0) + gather_warnings.size(abs(count))
        if abs(count) >= 1024
        else ""
    )


def _arithmetic(plan):
    rows = sorted(plan.work, key=lambda w: -w.seconds(plan.machine))
    shown = [
        (
            w.operation,
            _count(w.operations, "op"),
            gather_warnings.size(w.bytes_accessed),
            gather_warnings.short_line(w.line),
        )
        for w in rows[:_SHOWN]
    ]
    rest = rows[_SHOWN:]
    if rest:
        shown.append(
            (
                f"{len(rest)} more",
                _count(sum(w.operations for w in rest), "op"),
                gather_warnings.size(sum(w.bytes_accessed for w in rest)),
                "",
            )
        )
    title = (
        f"Work of a device: {_count(plan.flops, 'flop')}, "
        f"{_count(plan.transcendentals, 'function')}s, "
        f"{gather_warnings.size(plan.bytes_accessed)} read and written"
    )
    return table(title, shown) if shown else []


def _communication(plan):
    if not plan.collectives:
        return []
    by_axes = ", ".join(
        f"{_axes(axes)} {gather_warnings.size(count)}"
        for axes, count in plan.axis_bytes.items()
    )
    groups = _grouped(
        sorted(plan.collectives, key=lambda c: -c.seconds(plan.machine)),
        lambda c: (c.kind, c.axes, c.line, c.is_bound),
    )
    rows = [
        (
            kind,
            f"along {_axes(axes)}",
            f"{sum(c.times for c in group):g} x",
            f"{'at most ' * is_bound}{gather_warnings.size(sum(c.bytes_per_device for c in group))}",
            gather_warnings.short_line(line),
        )
        for (kind, axes, line, is_bound), group in groups[:_SHOWN]
    ]
    rest = [c for _, group in groups[_SHOWN:] for c in group]
    if rest:
        count = sum(c.bytes_per_device for c in rest)
        rows.append((f"{len(rest)} more", "", "", gather_warnings.size(count), ""))
    return table(f"Received by a device, by mesh axes: {by_axes}", rows)


def _repeated(plan):
    rows = plan.repeated
    if not rows:
        return []
    whole = sum(w.operations for w in plan.work)
    share = sum(w.wasted for w in rows) / whole if whole else 0
    shown = [
        (
            w.operation,
            _count(w.operations, "op"),
            f"{w.copies} x along {_axes(w.repeats)}",
            gather_warnings.short_line(w.line),
        )
        for w in rows[:_SHOWN]
    ]
    if len(rows) > _SHOWN:
        count = sum(w.operations for w in rows[_SHOWN:])
        shown.append((f"{len(rows) - _SHOWN} more", _count(count, "op"), "", ""))
    title = f"Computed more than once: {share:.1%} of a device's work is also done by others"
    return table(title, shown)


def _gathered(plan):
    groups = _grouped(
        sorted(plan.gathers, key=lambda g: (not g.repeats, -g.bytes_after)),
        lambda g: records.replace(g, source=""),
    )
    shown = [
        (
            f"{g.operation}, operand {g.operand}",
            f"{len(group)} x",
            g.type,
            f"{g.current} -> {g.needed}",
            f"{gather_warnings.size(g.bytes_before)} -> {gather_warnings.size(g.bytes_after)}",
            gather_warnings.short_line(g.line)
            + f", repeats along {_axes(g.repeats)}" * bool(g.repeats),
        )
        for g, group in groups[:_SHOWN]
    ]
    rest = sum(len(group) for _, group in groups[_SHOWN:])
    if rest:
        shown.append((f"{rest} more", "", "", "", "", ""))
    return table("Gathered operands", shown) if shown else []


def _time(plan):
    machine = plan.machine
    speeds = machine.link_bytes_per_second
    if isinstance(speeds, Mapping):
        links = ", ".join(f"{axis} {_count(s, 'B/s')}" for axis, s in speeds.items())
    else:
        links = _count(speeds, "B/s")
    rows = [("compute", _seconds(plan.compute_s), "")]
    by_axes: dict[tuple[str, ...], float] = {}
    for one in plan.collectives:
        spent = one.seconds(machine)
        by_axes[one.axes] = by_axes.get(one.axes, 0.0) + spent
    rows += [(f"send along {_axes(a)}", _seconds(t), "") for a, t in by_axes.items()]
    rows.append(("step", _seconds(plan.step_s), ""))
    title = (
        f"Time, estimated: {_count(machine.flops_per_second, 'flop/s')}, "
        f"memory {_count(machine.memory_bytes_per_second, 'B/s')}, links {links}, "
        f"latency {_seconds(machine.link_latency_s)}"
    )
    return table(title, rows)
