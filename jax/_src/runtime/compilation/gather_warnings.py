"""A warning about programs that gather a sharded array and compute the same on every device.

An operation may need all of a sharded array: a sort of its only axis, say.
Then every device gathers it and does the same work. Shardings suggest otherwise, so where
this costs much memory, the user is told once.
"""

import json
import os
import warnings
from collections.abc import Mapping
from typing import Any

from jax._src.base import caches, errors

# Where such arrays take less, nothing is said.
THRESHOLD_BYTES = 1 << 20
_TOLD = 3


def warn(executable: Any, name: str) -> None:
    """Warns, once for each program and its lines, where a program gathers much.

    That is: where arrays that are gathered for work that devices then repeat take more
    than `THRESHOLD_BYTES`, and more than what a device holds of the arguments.
    """
    report = executable.report()
    if not report or '"gathers":[]' in report:
        return
    costly = [g for g in json.loads(report)["gathers"] if g["repeats"]]
    if not costly:
        return
    costly.sort(key=lambda g: -g["bytes"])
    total = sum(g["bytes"] for g in costly)
    held = executable.memory_analysis()["argument_size_in_bytes"]
    if total > max(THRESHOLD_BYTES, held):
        rows = tuple(tuple(_described(g)) for g in costly[:_TOLD])
        _warn_once(name, rows, len(costly), total, held)


@caches.memoize(4096)
def _warn_once(name, rows, count, total, held):
    facts = [("program", name)]
    for number, row in enumerate(rows):
        facts += [("", "")] * bool(number) + list(row)
    if count > len(rows):
        facts.append(("and", f"{count - len(rows)} more"))
    facts.append(("gathered", f"{size(total)} in all"))
    facts.append(("arguments", f"{size(held)} of each device"))
    message = errors.explain(
        "Devices gather sharded arrays, and all compute the same from them.",
        facts,
        "This is said where such arrays take more than the arguments of a device, and more "
        f"than {size(THRESHOLD_BYTES)}.",
        "compiled.plan() reports all of it. To silence this: warnings.filterwarnings("
        '"ignore", category=jax.errors.RepeatedWorkWarning).',
    )
    warnings.warn(message, errors.RepeatedWorkWarning, stacklevel=2)


def _described(gather):
    axes = ", ".join(gather["repeats"])
    yield "at", f"{short_line(gather['at'])}, {gather['operation']}"
    what, _, line = gather["source"].rpartition(" ")
    source = f"{what} {short_line(line)}".strip()
    operand = f"operand {gather['operand']}: {gather['type']}, {source}"
    yield "needs", f"{operand}, as {gather['needed']}"
    pieces = f"{size(gather['piece_bytes'])} become {size(gather['bytes'])}"
    yield "sharding", f"{gather['current']}; {pieces}, and {axes} repeats the work"
    yield "mend", suggested_fix(gather)


def suggested_fix(gather: Mapping[str, Any]) -> str:
    """What a user can write so that an operation need not gather an operand."""
    constraint = "jax.lax.with_sharding_constraint(operand, {})"
    if gather["mend"]:
        return constraint.format(gather["mend"])
    return (
        f"no other axis can be cut for {gather['operation']}; if all devices shall have "
        f"all of it: {constraint.format(gather['needed'])}"
    )


def short_line(line: str) -> str:
    """A source line without the folders of its file."""
    return ", ".join(os.path.basename(part) for part in line.split(", "))


_UNITS = ("B", "KiB", "MiB", "GiB", "TiB")


def size(count: float) -> str:
    """Bytes for people."""
    power = 0
    while count >= 1024 and power < len(_UNITS) - 1:
        count /= 1024
        power += 1
    return f"{count:.1f} {_UNITS[power]}" if power else f"{count:.0f} B"
