"""What is said of a program that does not fit into its memory budget."""

from jax._src.base import errors
from jax._src.jit import plans
from jax._src.memory_budget import planning
from jax._src.runtime.compilation import gather_warnings

_SHOWN = 8


def explain(first: planning.Planned, least: int, budget: int) -> str:
    """The message: what was requested, what is largest, and what would help.

    Args:
        first: the program as it was written.
        least: what the program needs that needs least, of those that were tried.
        budget: the bytes that were allowed.
    """
    name = first.lowered.fun_name
    memory = first.memory
    facts = [
        ("function", name),
        ("budget", _bytes(budget)),
        ("peak", _bytes(first.peak) + _parts(memory)),
    ]
    if least < first.peak:
        facts.append(("least", _bytes(least) + ", rewritten"))
    if first.lowered.assignment and len(first.lowered.assignment.devices) > 1:
        facts.append(("devices", f"{len(first.lowered.assignment.devices)}, each"))
    text = errors.explain(
        f"RESOURCE_EXHAUSTED: `{name}` does not fit into its memory budget.",
        facts,
        "A call may hold no more than jax_memory_budget: arguments, results and "
        "temporaries together.",
    )
    lines = [text, *_largest(first)]
    return "\n".join([*lines, *_ways(first, budget)])


def _bytes(count):
    larger = plans.sized(count)
    return f"{count:,} B" + (f" ({larger})" if larger else "")


def _parts(memory):
    parts = [
        ("arguments", memory.argument_size_in_bytes),
        ("results", memory.output_size_in_bytes),
        ("shared", -memory.alias_size_in_bytes),
        ("temporaries", memory.temp_size_in_bytes),
    ]
    return ": " + ", ".join(f"{what} {count:,} B" for what, count in parts if count)


def _largest(first):
    plan = first.plan()
    held = plan.at_peak[:_SHOWN]
    if not held:
        return []
    rows = [
        (
            one.kind,
            f"{one.bytes:,} B",
            f"{one.dtype.name}[{','.join(map(str, one.shape))}]" if one.dtype else "",
            one.operation or one.name or "-",
            gather_warnings.short_line(one.line) or "-",
        )
        for one in held
    ]
    return plans.table("Held at the peak, the largest first", rows)


def _ways(first, budget):
    memory = first.memory
    ways = []
    free = memory.output_size_in_bytes - memory.alias_size_in_bytes
    if first.floor > budget:
        ways.append(
            "Arguments and results alone are larger than the budget: pass fewer or smaller "
            "ones at once, or shard them over devices."
        )
    if free and memory.argument_size_in_bytes:
        ways.append(
            "Results take the memory of arguments that are donated: "
            f"jax.jit(f, donate_argnums=...) saves up to {_bytes(min(free, memory.argument_size_in_bytes))}."
        )
    ways.append("All of the plan: jax.jit(f).lower(...).compile().memory_plan().")
    return ways
