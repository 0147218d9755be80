"""Work in pieces: a batch whose rows are independent is computed some rows at a time."""

import collections
from collections.abc import Iterator

import numpy as np

from jax._src.base import options, records
from jax._src.core import evaluate, jaxpr as jaxpr_lib
from jax._src.interpreters import partial_eval as pe
from jax._src.lax.control_flow import fori_loop_and_map
from jax._src.lax.ops import barriers, creation, dynamic_slicing
from jax._src.memory_budget import labels, planning

# Sizes of batches that are tried, and sizes of pieces for each.
_BATCHES, _PIECES = 3, 6
# Pieces are multiples of this, where they are larger.
_LANES = 16
# Of the memory that is left, the part that the first piece may take.
_SHARE = 0.8
# Values of fewer elements for each row may be computed for all rows at once.
_SMALL_ROW = 16


def in_pieces(
    closed: jaxpr_lib.ClosedJaxpr, marked: planning.Planned, budget: int
) -> Iterator[jaxpr_lib.ClosedJaxpr]:
    """Programs that work some rows at a time, the largest pieces first.

    A row has the bits that it has in the whole batch, where the same operations compute it:
    a product of few rows may be summed in another order than one of many.

    Args:
        closed: a program without calls.
        marked: its layout, with the numbers of equations.
        budget: the bytes that a call may hold.
    """
    sizes = planning.sizes_of(marked)
    closed = closed.replace(jaxpr=_with_single_barriers(closed.jaxpr))
    for rows in _batches(closed):
        labelled = _best(closed.jaxpr, rows, sizes)
        if labelled is None:
            continue
        each = max(1.0, (marked.peak - marked.floor) / rows)
        count = int((budget - marked.floor) * _SHARE / each)
        for _ in range(_PIECES):
            count = max(1, min(count, rows // 2))
            if count > _LANES:
                count -= count % _LANES
            yield _Loop(closed, labelled, count).program()
            if count == 1:
                break
            count //= 3


def _with_single_barriers(jaxpr):
    """The program with a barrier for each value, for some may hold rows."""
    eqns = []
    for eqn in jaxpr.eqns:
        if eqn.primitive is barriers.optimization_barrier_p:
            eqns += [
                eqn.replace(invars=[before], outvars=[after])
                for before, after in zip(eqn.invars, eqn.outvars, strict=True)
            ]
        else:
            eqns.append(eqn)
    return jaxpr.replace(eqns=eqns)


def _batches(closed):
    """Numbers of rows that may be those of the batch, the likeliest first."""
    jaxpr = closed.jaxpr
    found: collections.Counter[int] = collections.Counter()
    for weight, atoms in ((3, jaxpr.outvars), (2, jaxpr.invars)):
        for atom in atoms:
            shape = getattr(atom.aval, "shape", ())
            if shape and isinstance(shape[0], int) and shape[0] > 1:
                found[shape[0]] += weight
    return [rows for rows, _ in found.most_common(_BATCHES)]


def _best(jaxpr, rows, sizes):
    """The labels that cover most of the memory; None where they cover less than half."""
    inputs = [
        v
        for v in (*jaxpr.constvars, *jaxpr.invars)
        if getattr(v.aval, "shape", ()) and v.aval.shape[0] == rows
    ]
    choices = [set(inputs), *[set(inputs) - {one} for one in inputs[:8]]]
    whole = sum(sizes.values())
    best, most = None, 0.5 * whole
    for small in (0, _SMALL_ROW * rows):
        for chosen in choices:
            if not chosen and not small:
                continue
            found = labels.label(
                jaxpr, dict.fromkeys(chosen, 0), rows, small, is_whole=True
            )
            covered = sum(
                sizes.get(v, 0) for i in found.kept for v in jaxpr.eqns[i].outvars
            )
            if covered > most:
                best, most = found, covered
        if best is not None:
            return best
    return best


@records.identity_record
class _Parts:
    """A program before, in and behind the loop over pieces."""

    before: jaxpr_lib.Jaxpr
    piece: jaxpr_lib.Jaxpr
    after: jaxpr_lib.Jaxpr
    # What the loop reads in pieces, with the axes, and as it is; and what it makes.
    cut: list[tuple[jaxpr_lib.Var, int]]
    whole: list[jaxpr_lib.Var]
    made: list[jaxpr_lib.Var]


class _Loop:
    def __init__(self, closed, labelled, count):
        self.closed = closed
        self.labelled = labelled
        self.count = count

    def program(self) -> jaxpr_lib.ClosedJaxpr:
        """The program with a loop over pieces; inputs, results and constants are the same."""
        jaxpr = self.closed.jaxpr
        parts = self._parts()
        inputs = [*jaxpr.constvars, *jaxpr.invars]

        def run(*values):
            known = dict(zip(inputs, values, strict=True))
            self._evaluate(parts.before, known)
            self._run_loop(parts, known)
            self._evaluate(parts.after, known)
            return [
                v.val if isinstance(v, jaxpr_lib.Literal) else known[v]
                for v in jaxpr.outvars
            ]

        with options.enable_x64(True):
            made = pe.trace_to_closed(run, [v.aval for v in inputs], jaxpr.debug_info)
        count = len(jaxpr.constvars)
        moved = made.jaxpr.replace(
            constvars=[*made.jaxpr.invars[:count], *made.jaxpr.constvars],
            invars=made.jaxpr.invars[count:],
            debug_info=jaxpr.debug_info,
        )
        return jaxpr_lib.ClosedJaxpr(moved, [*self.closed.consts, *made.consts])

    def _evaluate(self, part, known):
        outs = evaluate.eval_jaxpr(part, [], *[known[v] for v in part.invars])
        known.update(zip(part.outvars, outs, strict=True))

    def _run_loop(self, parts, known):
        rows, count = self.labelled.rows, self.count
        axes = [self.labelled.axes[v] for v in parts.made]
        whole = [known[v] for v in parts.whole]

        def step(number, outs):
            # The last piece ends with the last row, and may begin in the one before: its
            # rows are computed twice, alike.
            start = number * np.int32(count)
            pieces = [
                dynamic_slicing.dynamic_slice_in_dim(known[v], start, count, axis)
                for v, axis in parts.cut
            ]
            made = evaluate.eval_jaxpr(parts.piece, [], *pieces, *whole)
            return [
                dynamic_slicing.dynamic_update_slice_in_dim(out, piece, start, axis)
                for out, piece, axis in zip(outs, made, axes, strict=True)
            ]

        empty = [creation.empty(v.aval.shape, v.aval.dtype) for v in parts.made]
        outs = fori_loop_and_map.fori_loop(
            np.int32(0), np.int32(-(-rows // count)), step, empty
        )
        known.update(zip(parts.made, outs, strict=True))

    def _parts(self):
        jaxpr, labelled = self.closed.jaxpr, self.labelled
        eqns = jaxpr.eqns
        outside = [v for v in jaxpr.outvars if isinstance(v, jaxpr_lib.Var)]
        outside += [
            v
            for i in labelled.after
            for v in eqns[i].invars
            if isinstance(v, jaxpr_lib.Var)
        ]
        in_loop = {v for i in labelled.kept for v in eqns[i].outvars}
        made = [v for v in dict.fromkeys(outside) if v in in_loop]
        needed = self._needed(made)
        work = labels.Shrinking(labelled, self.count)
        for number in needed:
            work.add(number)
        inside = {v for i in needed for v in eqns[i].outvars}
        read = dict.fromkeys(
            v
            for i in needed
            for n, v in enumerate(eqns[i].invars)
            if isinstance(v, jaxpr_lib.Var)
            and v not in inside
            and n not in labelled.kept[i].cut
        )
        # A cut value may be made of others that are not cut.
        of_cuts = {
            v for e in work.eqns for v in e.invars if isinstance(v, jaxpr_lib.Var)
        }
        pieces = [(v, labelled.axes[v]) for v in read if v in labelled.axes]
        names = [work.name(v) for v, _ in pieces]
        cut = [*pieces, *work.wanted]
        defined = {v for e in work.eqns for v in e.outvars}
        names += list(work.wanted.values())
        whole = [v for v in of_cuts if v not in defined and v not in set(names)]
        whole.sort(key=lambda v: labelled.defined.get(v, -1))
        piece = jaxpr_lib.Jaxpr(
            [], [*names, *whole], [work.name(v) for v in made], work.eqns
        )
        before = self._part(
            [
                e
                for i, e in enumerate(eqns)
                if i not in labelled.kept and i not in labelled.after
            ],
            [*[v for v, _ in cut], *whole, *outside],
        )
        after = self._part([eqns[i] for i in sorted(labelled.after)], outside)
        return _Parts(before, piece, after, cut, whole, made)

    def _needed(self, made):
        """The numbers of the equations in the loop, in order, on which its results depend."""
        jaxpr, labelled = self.closed.jaxpr, self.labelled
        live = set(made)
        found = []
        for number in sorted(labelled.kept, reverse=True):
            eqn = jaxpr.eqns[number]
            if any(v in live for v in eqn.outvars):
                found.append(number)
                live.update(v for v in eqn.invars if isinstance(v, jaxpr_lib.Var))
        return found[::-1]

    def _part(self, eqns, wanted):
        """A program of some equations, for what is wanted of them."""
        made = {v for e in eqns for v in e.outvars}
        outs = [v for v in dict.fromkeys(wanted) if v in made]
        draft = jaxpr_lib.Jaxpr(
            [],
            [],
            outs,
            eqns,
            jaxpr_lib.join_effects(*[e.effects for e in eqns]),
        )
        smaller, _ = pe.dce_jaxpr(draft, [True] * len(outs))
        made = {v for e in smaller.eqns for v in e.outvars}
        read = dict.fromkeys(
            v
            for e in smaller.eqns
            for v in e.invars
            if isinstance(v, jaxpr_lib.Var) and v not in made
        )
        return smaller.replace(invars=list(read))
