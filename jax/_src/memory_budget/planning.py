"""What a program would hold, laid out by the compiler, which makes no code for it."""

import json
from typing import Any

from jax._src.base import options, records
from jax._src.core import jaxpr as jaxpr_lib
from jax._src.jit import lower, memory_plans, plans
from jax._src.memory_budget import flat
from jax._src.runtime.compilation import loading

_MARK = "@"


@records.identity_record
class Planned:
    """A program, its module, and the compiler's layout of its memory."""

    closed: jaxpr_lib.ClosedJaxpr
    lowered: lower.Lowered
    memory: plans.CompiledMemoryStats
    # The compiler's report, as text.
    report: str

    @property
    def peak(self) -> int:
        """The bytes that a call holds at most on each device."""
        return self.memory.peak_memory_in_bytes

    @property
    def floor(self) -> int:
        """The bytes of arguments and results, which no other order of operations changes."""
        return self.peak - self.memory.temp_size_in_bytes

    def values(self) -> list[dict[str, Any]]:
        """The values in memory, as the compiler reports them."""
        found = json.loads(self.report) if self.report else {}
        return found.get("memory", {}).get("values", [])

    def plan(self) -> memory_plans.MemoryPlan:
        """The layout as a table."""
        return memory_plans.read(
            self.report,
            name=self.lowered.fun_name,
            memory=self.memory,
            constants=len(self.lowered.lowered.constants),
        )


def plan(
    lowered: lower.Lowered, closed: jaxpr_lib.ClosedJaxpr, *, is_marked: bool = False
) -> Planned:
    """Lowers a program that stands for that of a call, and lays out its memory.

    Args:
        lowered: the call, with inputs and results of the same types.
        closed: the program; its constants are those of the call, and perhaps more.
        is_marked: whether values in the report carry the numbers of their equations.
    """
    made = _lower(lowered, _marked(closed) if is_marked else closed)
    return _planned(made, closed)


def plan_as_lowered(lowered: lower.Lowered) -> Planned:
    """Lays out the memory of a call as it was lowered."""
    return _planned(lowered, lowered.resolved.closed)


def _planned(made, closed):
    executable = loading.plan(
        made.lowered,
        made.assignment,
        dict(made.options.compiler_options),
    )
    memory = plans.memory_stats(executable)
    if memory is None:
        memory = plans.CompiledMemoryStats()
    return Planned(closed, made, memory, executable.report())


def _lower(lowered, closed):
    resolved = lowered.resolved
    added = len(closed.consts) - len(resolved.constants)
    resolved = records.replace(
        resolved, closed=closed, constants=(*resolved.constants, *[None] * added)
    )
    assignment = lowered.assignment
    if assignment.constants:
        missing = len(closed.consts) - len(assignment.constants)
        assignment = records.replace(
            assignment, constants=(*assignment.constants, *[None] * missing)
        )
    with options.enable_x64(_is_wide(closed) or options.enable_x64.value):
        module = lower.make_module(
            lowered.low, resolved, (assignment.platform,), assignment
        )
    return records.replace(
        lowered, resolved=resolved, lowered=module, assignment=assignment
    )


def _is_wide(closed):
    """Whether values of 64 bits occur, which narrow settings would change."""
    found = [*closed.jaxpr.invars, *closed.jaxpr.constvars]
    found += [v for eqn in closed.jaxpr.eqns for v in eqn.outvars]
    names = {"int64", "uint64", "float64", "complex128"}
    return any(str(getattr(v.aval, "dtype", "")) in names for v in found)


def _marked(closed, depth=0):
    """The program whose equations are named by their depth and numbers."""
    eqns = []
    for number, eqn in enumerate(closed.jaxpr.eqns):
        body = flat.body_of(eqn)
        if body is not None:
            eqn = flat.with_body(eqn, _marked(body, depth + 1))
        mark = jaxpr_lib.NameStack((f"{_MARK}{depth}.{number}",))
        eqns.append(eqn.replace(name_stack=mark))
    return closed.replace(jaxpr=closed.jaxpr.replace(eqns=eqns))


# The numbers of the equations in which a program is run, from the outermost.
Path = tuple[int, ...]


def path_of(name: str) -> Path:
    """The numbers of the equations that a value in the report comes from, the outermost first."""
    found: dict[int, int] = {}
    for scope in name.split("/"):
        depth, _, number = scope.removeprefix(_MARK).partition(".")
        if scope.startswith(_MARK) and depth.isdigit() and number.isdigit():
            found[int(depth)] = int(number)
    return tuple(found[depth] for depth in range(len(found)) if depth in found)


def fullest(planned: Planned) -> Path:
    """Where most of what is held at the peak is made: in the program, or in what it runs."""
    path: Path = ()
    closed = planned.closed
    held = [
        (path_of(one.name), one.bytes)
        for one in planned.plan().at_peak
        if one.kind in ("temporary", "scratch")
    ]
    while True:
        weights: dict[int, int] = {}
        whole = 0
        for where, size in held:
            if where[: len(path)] == path and len(where) > len(path):
                whole += size
                if len(where) > len(path) + 1:
                    number = where[len(path)]
                    weights[number] = weights.get(number, 0) + size
        number = max(weights, key=lambda n: weights[n], default=None)
        if number is None or 2 * weights[number] <= whole:
            return path
        body = flat.body_of(closed.jaxpr.eqns[number])
        if body is None:
            return path
        path, closed = (*path, number), body


def at(closed: jaxpr_lib.ClosedJaxpr, path: Path) -> jaxpr_lib.Jaxpr:
    """The program that runs at a path."""
    for number in path:
        found = flat.body_of(closed.jaxpr.eqns[number])
        assert found is not None, "a path leads through loops and shard_map"
        closed = found
    return closed.jaxpr


def replaced(
    closed: jaxpr_lib.ClosedJaxpr, path: Path, jaxpr: jaxpr_lib.Jaxpr
) -> jaxpr_lib.ClosedJaxpr:
    """The whole program with another one at a path."""
    if not path:
        return closed.replace(jaxpr=jaxpr)
    eqns = list(closed.jaxpr.eqns)
    eqn = eqns[path[0]]
    body = flat.body_of(eqn)
    assert body is not None, "a path leads through loops and shard_map"
    eqns[path[0]] = flat.with_body(eqn, replaced(body, path[1:], jaxpr))
    return closed.replace(jaxpr=closed.jaxpr.replace(eqns=eqns))


def sizes_of(planned: Planned, path: Path = ()) -> dict[jaxpr_lib.Var, int]:
    """The bytes that variables have in the arena; 0 for those in the memory of results.

    A variable that is not there has no memory: it is computed where it is read.

    Args:
        planned: a layout, in which values carry the numbers of their equations.
        path: where the program runs whose variables are wanted.
    """
    by_number: dict[int, list[tuple[int, str]]] = {}
    for value in planned.values():
        where = path_of(value["name"])
        is_here = where[:-1] == path and len(where) == len(path) + 1
        if is_here and value["kind"] in ("temporary", "result"):
            by_number.setdefault(where[-1], []).append((value["bytes"], value["kind"]))
    eqns = at(planned.closed, path).eqns
    found: dict[jaxpr_lib.Var, int] = {}
    for number, buffers in by_number.items():
        if number >= len(eqns):
            continue
        buffers.sort(reverse=True)
        wanted = sorted(eqns[number].outvars, key=lambda v: -nbytes(v.aval))
        for var, (size, kind) in zip(wanted, buffers, strict=False):
            found[var] = 0 if kind == "result" else size
    return found


def nbytes(aval: Any) -> int:
    """The bytes of all elements of a type; 0 where it is no array."""
    dtype = getattr(aval, "dtype", None)
    size = getattr(aval, "size", 0)
    return int(size) * int(getattr(dtype, "itemsize", 0) or 0)
