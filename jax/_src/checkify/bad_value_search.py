"""The error about a NaN or an infinity in the results of a program, and the search for it."""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from jax._src.base import errors, options, scalars, source
from jax._src.checkify import (
    arrivals,
    bad_value_details as details_lib,
    bad_value_runs as runs_lib,
    bad_values,
    repeated_runs,
)
from jax._src.core import jaxpr as jaxpr_lib, mesh as mesh_lib
from jax._src.interpreters.batching import batch_axes
from jax._src.jit import execute, trace as jit_trace
from jax._src.lib import client
from jax._src.runtime import checks
from jax._src.runtime.compilation import compilations

# So many operations are looked at in one run.
_SOME = 512
# The records of so many operations are taken at once.
_FEW = 14


def explain(
    closed: jaxpr_lib.ClosedJaxpr,
    args: Sequence[Any],
    outs: Sequence[Any],
    name: str,
    bad: str,
) -> None:
    """Raises the error about a bad value in the results of a program.

    Args:
        closed: the program.
        args: its inputs.
        outs: its results.
        name: what it is called.
        bad: "nan" or "inf".

    Raises:
        FloatingPointError: always; it names the operation where that is found.
    """
    if any(map(_is_of_several_processes, (*args, *outs))):
        raise _of_this_process(outs, name, bad)
    kinds = bad == "nan", bad == "inf"
    closed = repeated_runs.without_prints(closed)
    with options.debug_nans(kinds[0]), options.debug_infs(kinds[1]):
        inputs = [*args, *closed.consts]
        given = tuple(-int(_is_bad_input(x)) for x in inputs)
    cause = f"the search for the operation that made a bad value ({bad}) in the results of `{name}`"
    with checks.suspended(), compilations.allowed(cause):
        found, runs = [], {}
        if not any(given):
            found, runs = _of_few(closed, args, outs, name, bad)
        if len(found) != 1:
            program, sites = bad_values.origins_program(closed, kinds, given)
            origins = [int(np.asarray(o)) for o in _run(program, args, name)]
            numbers = sorted(o for o in origins if o > 0)
            if not numbers:
                raise _of_inputs(closed, args, name, bad, given)
            site = sites[numbers[0] - 1]
            found = [one for one in found if one[0].path == site.path]
            if site.path in runs and not found:
                record = runs[site.path].first(_bad_rows(closed, site, outs, bad))
                found = [] if record is None else [(site, record)]
            found = found or _records(closed, args, outs, name, bad, [site])
            found = found or [(site, None)]
        found = [_as_it_arrived(closed, args, outs, name, bad, *found[0], runs)]
    raise FloatingPointError(_message(*found[0], name, bad))


def _of_few(closed, args, outs, name, bad):
    """The operations that made a bad value of good ones, with records, and what was recorded.

    Of a program whose inputs are good, at least one did. What was recorded is of every run
    where that is little, else of the first such run. There are none if there are too many
    operations; there is one if it is known that its value arrives.
    """
    kinds = bad == "nan", bad == "inf"
    key = "operations that are recorded", kinds, _SOME
    some, made = closed.derived(key, lambda: _recording(closed, kinds))
    if not some:
        return [], {}
    runs: dict[Any, runs_lib.Runs] = {}
    if made is not None:
        program, keys = made
        arrays = list(map(np.asarray, _run(program, args, name)))
        values = runs_lib.apart(keys, arrays)
        runs = {site.path: runs_lib.Runs(site, kinds, values) for site in some}
    if not runs or not all(one.is_whole for one in runs.values()):
        few = some if len(some) <= _FEW else []
        return _records(closed, args, outs, name, bad, few) if few else [], {}
    makers = [site for site in some if runs[site.path].made.any()]
    if len(makers) > 1:
        makers = _arriving(closed, outs, makers, runs, bad) or makers
    return [
        (site, runs[site.path].first(_bad_rows(closed, site, outs, bad)))
        for site in makers
    ], runs


def _recording(closed, kinds):
    """The operations in question, if they are few, and the program that records them."""
    some = list(itertools.islice(bad_values.sites_of(closed, kinds), _SOME + 1))
    if len(some) > _SOME:
        return [], None
    return some, runs_lib.recording_program(closed, some)


def _records(closed, args, outs, name, bad, sites):
    """The operations among some that made a bad value of good ones, and their records.

    Of a program whose inputs are good, at least one did: where it is one alone, it is the
    one that is looked for, and no origins are.
    """
    kinds = bad == "nan", bad == "inf"
    program = details_lib.details_program(closed, kinds, sites)
    values = details_lib.apart(kinds, sites, _run(program, args, name))
    records = [
        details_lib.read(site, arrays, kinds, _bad_rows(closed, site, outs, bad))
        for site, arrays in zip(sites, values, strict=True)
    ]
    pairs = zip(sites, records, strict=True)
    return [(site, record) for site, record in pairs if record is not None]


def _as_it_arrived(closed, args, outs, name, bad, site, record, runs):
    """An operation, and the record of that run of it whose bad value is in a result.

    It may have made bad values before, or on other devices, which a choice has dropped.
    """
    if record is None or record.is_only:
        return site, record
    if bad == "nan" and arrivals.is_sure(closed, site):
        return site, record  # which is of the first run
    kinds = bad == "nan", bad == "inf"
    times = _run(bad_values.times_program(closed, kinds, site), args, name)
    known = [t for t in (int(np.asarray(t)) for t in times) if t > 0]
    if not known:
        return site, record if record.ranges else None
    number, device = bad_values.run_of_origin(min(known), site)
    if site.path in runs:
        rows = _bad_rows(closed, site, outs, bad)
        return site, runs[site.path].numbered(number, device, rows) or record
    program = details_lib.details_program(closed, kinds, [site], number)
    (arrays,) = details_lib.apart(kinds, [site], _run(program, args, name))
    rows = _bad_rows(closed, site, outs, bad)
    return site, details_lib.read(site, arrays, kinds, rows, device) or record


def _arriving(closed, outs, makers, runs, bad):
    """The first of some operations whose value is in a bad result, as a list.

    The way back from each result is followed: what is bad and was not made so came with an
    operand that is bad. Empty: the operands of an operation on the way are not known.
    """
    find = np.isnan if bad == "nan" else np.isinf
    eqns = {v: (i, e) for i, e in enumerate(closed.jaxpr.eqns) for v in e.outvars}
    numbers = {site.path: number for number, site in enumerate(makers)}
    is_bad: dict[Any, bool] = {}
    for path, one in runs.items():
        if len(path) == 1:
            is_bad.update(one.bad_variables())
    found = []
    for var, out in zip(closed.jaxpr.outvars, outs, strict=False):
        is_array = isinstance(out, client.Array) and out.is_fully_addressable
        if not is_array:
            return []
        if not scalars.is_inexact(out.dtype) or not find(np.asarray(out)).any():
            continue
        while (maker := eqns.get(var)) and ((maker[0], 0),) not in numbers:
            var = _bad_operand(maker[1], is_bad, eqns)
        if not maker:
            return []
        found.append(((maker[0], 0),))
    found.sort(key=lambda path: numbers[path])
    return [site for site in makers if found and site.path == found[0]]


def _bad_operand(eqn, is_bad, eqns):
    """The operand that a bad result has its bad value of; None: not known."""
    if bad_values.is_construct(eqn):
        return None
    atoms = [v for v in eqn.invars if bad_values.is_inexact(v.aval)]
    # Inputs, of which none is bad, and constants are no results of equations.
    unsure = [v for v in atoms if v in eqns and is_bad.get(v, True)]
    known = all(is_bad.get(v) for v in unsure)
    is_choice = eqn.primitive.name == "select_n"
    if len(unsure) == 1 or (unsure and known and not is_choice):
        return unsure[0]
    return None


def _run(program, args, name):
    def make():
        donated = (False,) * len(args)
        return jit_trace.of_program(program, f"checks_of_{name}", None, None, donated)

    # Kept, with its executable: the call that failed may be made again.
    made = program.derived("checks", make)
    with options.compile_tier("fast"), options.traceback_in_locations_limit(0):
        return execute.compiled_for(made, args).run(args)


def _bad_rows(closed, site, outs, bad):
    """The outermost batch axis of an operation's result, and which elements are bad at last.

    None where that is not known.
    """
    axes = _batch_axes(site, site.eqn.outvars[0])
    if not axes:
        return None
    size = site.eqn.outvars[0].aval.shape[axes[0]]
    makers = {v: eqn for eqn in closed.jaxpr.eqns for v in eqn.outvars}
    find = np.isnan if bad == "nan" else np.isinf
    for var, out in zip(closed.jaxpr.outvars, outs, strict=False):
        is_one = isinstance(out, client.Array) and out.is_fully_addressable
        if not is_one or not scalars.is_inexact(out.dtype):
            continue
        maker = makers.get(var) if isinstance(var, jaxpr_lib.Var) else None
        if maker is None:
            continue
        sizes = batch_axes.sizes_of([maker]) or [size]
        found = batch_axes.axes_of(maker, out.shape, sizes)
        if not found or sizes[0] != size:
            continue
        rows = np.moveaxis(find(np.asarray(out)), found[0], 0).reshape(size, -1).any(1)
        if rows.any() and not rows.all():
            return axes[0], rows
    return None


def _batch_axes(site, var):
    """The axes of a result that hold batch elements of `vmap`, of the outermost first."""
    sizes = batch_axes.sizes_of((*site.around, site.eqn))
    return batch_axes.axes_of(site.eqn, var.aval.shape, sizes) or []


def _is_bad_input(value):
    is_array = isinstance(value, client.Array | np.ndarray | np.generic | float)
    return is_array and checks.find_bad_value([checks.as_array(value)]) is not None


def _of_inputs(closed, args, name, bad, given):
    """The error where no operation made it."""
    names = (*(closed.jaxpr.debug_info.arg_names or ()), *[None] * len(args))
    facts = [("program", f"jit({name})")]
    for i, value in enumerate([*args, *closed.consts]):
        if given[i]:
            is_input = i < len(args)
            label = f"`{names[i] or i}`: " * is_input
            facts.append(
                ("input" if is_input else "constant", label + _first_bad(value, bad))
            )
    return FloatingPointError(
        errors.explain(
            f"invalid value ({bad}) encountered in jit({name}).",
            facts,
            "The program was run again with checks of each operation, and the de-optimized "
            "function did not produce an invalid value: it comes with an input or a "
            "constant, or from what compilation changes.",
            f"To go on in spite of it, turn off jax_debug_{bad}s.",
        )
    )


def _is_of_several_processes(value):
    return isinstance(value, client.Array) and not value.is_fully_addressable


def _of_this_process(outs, name, bad):
    """The error where a search would need other processes, which may have seen nothing bad."""
    facts = [("program", f"jit({name})")]
    for number, out in enumerate(outs):
        if not isinstance(out, client.Array) or not scalars.is_inexact(out.dtype):
            continue
        for shard in out.addressable_shards:
            values = np.asarray(shard.data)
            mask = np.isnan(values) if bad == "nan" else np.isinf(values)
            if mask.any():
                start = [part.start or 0 for part in shard.index]
                at = np.argwhere(mask)[0] + np.array(start, int)
                kind = f"{out.dtype}{list(out.shape)}"
                index = f" at {at.tolist()}" if out.shape else ""
                where = f"{kind} has {bad}{index}, on {shard.device}"
                facts.append((f"result {number}", where))
                break
    return FloatingPointError(
        errors.explain(
            f"invalid value ({bad}) encountered in jit({name}).",
            facts,
            "Which operation made it is found by another program on the same arguments. "
            "They are over devices of several processes, all of which would have to run "
            "it, and this process may be the only one with a bad value.",
            "Run a smaller case in one process, or return values from the middle of the "
            f"program.\nTo go on in spite of it, turn off jax_debug_{bad}s.",
        )
    )


def _first_bad(value, bad):
    array = np.asarray(value)
    mask = np.isnan(array) if bad == "nan" else np.isinf(array)
    index = tuple(map(int, np.argwhere(mask)[0]))
    where = f" at {list(index)}" if index else ""
    return (
        f"{array.dtype}{list(array.shape)} has {bad}{where}, {int(mask.sum())} in all"
    )


def _message(site, record, name, bad):
    eqn, location = site.eqn, _location_of(site.eqn, site.around)
    facts = [("operation", eqn.primitive.name), ("at", str(location))]
    frame = location.frame
    text = "" if frame is None else source.source_line(frame)
    if text:
        facts.append(("line", text))
    stacks = [e.name_stack.stack for e in (*site.around, eqn)]
    if any(str(n).startswith("transpose") for stack in stacks for n in stack):
        facts.append(("pass", "backward: it is part of the derivative of this line"))
    facts.append(("program", f"jit({name})"))
    facts += _around(site, record)
    if record is not None:
        facts += _where(site, record)
        facts += _operands(site, record)
    return errors.explain(
        f"invalid value ({bad}) encountered in {eqn.primitive.name}.",
        facts,
        ways=f"To go on in spite of it, turn off jax_debug_{bad}s.",
    )


def _location_of(eqn, around):
    """Where the user wrote an operation.

    Programs of the library's own functions are traced once, at the line of their first
    call, and have no line of their own: the equation that calls them has.
    """
    for one in (eqn, *reversed(around)):
        if one.location.own:
            return one.location
    return eqn.location


def _around(site, record):
    """The loops, choices and devices around the operation."""
    iterations = iter(() if record is None else record.iterations)
    coordinates = iter(() if record is None else record.device)
    pairs = zip(site.around, site.path, strict=False)
    for i, (eqn, (_, part)) in enumerate(pairs):
        where = f" at {_location_of(eqn, site.around[:i])}"
        kind = eqn.primitive.name
        if kind in ("scan", "while"):
            number = next(iterations, None)
            text = "" if number is None else f"iteration {number} of "
            yield "inside", f"{text}{kind}{where}"
        elif kind == "cond":
            yield "inside", f"branch {part} of cond{where}"
        elif kind == "shard_map":
            number = next(coordinates, None)
            yield "inside", f"shard_map{where}"
            if number is not None:
                yield "device", _device(eqn, number)


def _device(eqn, number):
    mesh = eqn.params["mesh"]
    axes = [a for a in mesh.axis_names if a in eqn.params["newly_manual_axes"]]
    sizes = [mesh.shape[a] for a in axes]
    index = [int(i) for i in np.unravel_index(number, sizes)]
    text = ", ".join(f"{a}={i}" for a, i in zip(axes, index, strict=True))
    if isinstance(mesh, mesh_lib.Mesh) and len(axes) == len(mesh.axis_names):
        return f"{mesh.devices[tuple(index)]}, {text}"
    return text


def _where(site, record):
    """The index of the first bad element, batch elements of `vmap` apart."""
    var = site.eqn.outvars[record.result]
    index = [int(i) for i in np.unravel_index(record.element, var.aval.shape)]
    rows = [index[axis] for axis in _batch_axes(site, var)]
    if rows:
        yield "batch element", ", ".join(map(str, rows)) + " of vmap"
    of = var.aval.str_short()
    yield "first", f"at {index} of {of}" if index else f"the result, {of}"


def _operands(site, record):
    numbers = details_lib.shown_operands(site.eqn)
    for i, (least, greatest, there) in zip(numbers, record.ranges, strict=False):
        atom = site.eqn.invars[i]
        kind = atom.aval.str_short()
        if isinstance(atom, jaxpr_lib.Literal):
            yield f"operand {i}", f"{kind}, {atom.val}"
            continue
        if least > greatest:
            yield f"operand {i}", f"{kind}, all nan"
            continue
        text = f"{kind}, from {least:.6g} to {greatest:.6g}"
        if atom.aval.shape and not np.isnan(there):
            text += f", there {there:.6g}"
        yield f"operand {i}", text
