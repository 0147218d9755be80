"""What one call of a program holds in memory, by the lines that made it: the compiler's plan."""

from collections.abc import Sequence
from typing import Any

# Beyond these, the smallest buffers are one row of the table.
_MOST_BUFFERS = 300
_MOST_STEPS = 2000


def plan_of(compiled: Any) -> dict[str, Any] | None:
    """The plan of a compiled program; None where the compiler reports none.

    Bytes are those of one device.
    """
    try:
        plan = compiled.memory_plan()
    except NotImplementedError:
        return None
    held = plan.at_peak
    return {
        "name": plan.name,
        "devices": plan.devices,
        "peak_bytes": plan.peak_bytes,
        "arguments_bytes": plan.memory.argument_size_in_bytes,
        "results_bytes": plan.memory.output_size_in_bytes,
        "donated_bytes": plan.memory.alias_size_in_bytes,
        "temporaries_bytes": plan.memory.temp_size_in_bytes,
        "lines": [{"line": line, "bytes": size} for line, size in plan.lines.items()],
        "buffers": [_row(one) for one in held[:_MOST_BUFFERS]],
        "left_out_bytes": sum(one.bytes for one in held[_MOST_BUFFERS:]),
        "unused_bytes": plan.unused_bytes,
        "steps": thinned(plan.timeline, 2, _MOST_STEPS),
    }


def _row(one):
    shape = ",".join(map(str, one.shape))
    return {
        "kind": one.kind,
        "type": "" if one.dtype is None else f"{one.dtype.name}[{shape}]",
        "bytes": one.bytes,
        "operation": one.operation or one.name,
        "line": one.line,
        "last_line": one.last_line,
    }


def thinned(points: Sequence[Any], key: int, most: int) -> Sequence[Any]:
    """At most so many points: of neighbours the one stays that is highest at a key."""
    group = -(-len(points) // most)
    if group <= 1:
        return points
    pieces = (points[i : i + group] for i in range(0, len(points), group))
    return [max(piece, key=lambda point: point[key]) for piece in pieces]
