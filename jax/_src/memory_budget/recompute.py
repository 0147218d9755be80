"""Recomputation: values are dropped between two uses and computed again before the second.

Which ones is a greedy choice at the moment at which most is held, by bytes saved for each
second of work (Chen, Xu, Zhang, Guestrin: "Training deep nets with sublinear memory cost",
2016; Kumar, Purohit, Svitkina, Vee, Wang: "Efficient rematerialization for deep networks",
2019), repeated until the model of lifetimes fits.
"""

from collections.abc import Iterable, Mapping

from jax._src.base import records
from jax._src.core import jaxpr as jaxpr_lib
from jax._src.interpreters import partial_eval as pe
from jax._src.memory_budget import costs, flat
from jax._src.memory_budget.lifetimes import Lifetimes

_AGAIN = jaxpr_lib.NameStack(("rematted_computation",))
# The most equations that are evaluated again for one value.
_LONGEST = 256
_ROUNDS = 200
# An operand of so small a part of a value is kept for it.
_SMALL_PART = 8


@records.record
class Candidate:
    """A value that may be dropped at some moment, and what that takes."""

    var: jaxpr_lib.Var
    saved: int
    seconds: float
    # Operands that must be kept longer for it, and the equations to evaluate again.
    kept: tuple[jaxpr_lib.Var, ...]
    eqns: frozenset[int]


def shrink(
    jaxpr: jaxpr_lib.Jaxpr,
    sizes: Mapping[jaxpr_lib.Var, int],
    limit: int,
    most_equations: int,
) -> jaxpr_lib.Jaxpr:
    """Rewrites a program until its model holds no more than `limit` bytes.

    Args:
        jaxpr: a program without calls.
        sizes: the bytes of its variables; others are computed where they are read.
        limit: the bytes that variables may have together.
        most_equations: how many equations it may have.

    Returns:
        The program; where none holds so little, the one of those tried that holds least.
    """
    sizes = dict(sizes)
    best, least = jaxpr, None
    for _ in range(_ROUNDS):
        times = Lifetimes(jaxpr, sizes)
        held = times.held()
        most = max(held, default=0)
        if least is None or most < least:
            best, least = jaxpr, most
        if most <= limit or len(jaxpr.eqns) > most_equations:
            break
        position = held.index(most)
        chosen = _choose(times, position, most - limit)
        if not chosen:
            break
        jaxpr = _Rewriting(times, position, chosen, sizes).run()
    return best


def most_held(jaxpr: jaxpr_lib.Jaxpr, sizes: Mapping[jaxpr_lib.Var, int]) -> int:
    """The bytes that the variables of a program have at once, by the model."""
    return max(Lifetimes(jaxpr, sizes).held(), default=0)


#
# Choosing
#


def _choose(times, position, excess):
    """Candidates that together save the excess at a position, the best first."""
    chosen: dict[jaxpr_lib.Var, Candidate] = {}
    done: set[int] = set()
    found = []
    for var, size in times.sizes.items():
        if size and times.is_over(var, position):
            one = _candidate(times, var, position, chosen, done)
            if one is not None:
                found.append(one)
    saved = 0
    for first in sorted(found, key=lambda c: -min(c.saved, excess) / c.seconds):
        one = _candidate(times, first.var, position, chosen, done)
        if one is None or one.saved <= 0:
            continue
        chosen[one.var] = one
        done |= one.eqns
        saved += one.saved
        if saved >= excess:
            break
    return chosen


def _candidate(times, var, position, chosen, done):
    """What dropping a variable at a position takes; None where that cannot be."""
    eqns: set[int] = set()
    kept: dict[jaxpr_lib.Var, None] = {}
    extra = 0
    waiting = [var]
    while waiting:
        one = waiting.pop()
        number = times.defined[one]
        if number in eqns:
            continue
        eqn = times.jaxpr.eqns[number]
        if costs.is_worth_keeping(eqn) or len(eqns) >= _LONGEST:
            return None
        eqns.add(number)
        for operand in eqn.invars:
            if times.is_input(operand) or operand in chosen:
                continue
            if operand not in times.sizes:
                waiting.append(operand)
            elif times.last_read(operand) > position:
                kept[operand] = None
            elif times.sizes[operand] * _SMALL_PART <= times.sizes[var]:
                kept[operand] = None
                extra += times.sizes[operand]
            else:
                waiting.append(operand)
    seconds = sum(costs.seconds_of(times.jaxpr.eqns[i]) for i in eqns - done)
    return Candidate(
        var,
        times.sizes[var] - extra,
        max(seconds, 1e-9),
        tuple(kept),
        frozenset(eqns),
    )


#
# Rewriting
#


class _Rewriting:
    """Builds the program in which chosen values are computed again after a position."""

    def __init__(self, times, position, chosen, sizes):
        self.times = times
        self.position = position
        self.chosen = chosen
        self.sizes = sizes
        self.kept = {o for one in chosen.values() for o in one.kept} - chosen.keys()
        # By the number of an equation, the new names of what it computes again.
        self.again: dict[int, dict[jaxpr_lib.Var, jaxpr_lib.Var]] = {}
        # The names of values behind a barrier: of what is computed, and of inputs.
        self.behind: dict[jaxpr_lib.Var, jaxpr_lib.Var] = {}
        self.guarded: dict[jaxpr_lib.Var, jaxpr_lib.Var] = {}
        self.affected = self._find_affected()
        self.eqns: list[jaxpr_lib.JaxprEqn] = []

    def run(self) -> jaxpr_lib.Jaxpr:
        """The program, without equations that nobody needs any more."""
        jaxpr = self.times.jaxpr
        self.eqns = list(jaxpr.eqns[: self.position + 1])
        for eqn in jaxpr.eqns[self.position + 1 :]:
            self._compute_again(eqn.invars)
            self.eqns.append(eqn.replace(invars=[self._now(v) for v in eqn.invars]))
        self._compute_again(jaxpr.outvars)
        changed = jaxpr.replace(
            eqns=self.eqns, outvars=[self._now(v) for v in jaxpr.outvars]
        )
        smaller, _ = pe.dce_jaxpr(
            changed, [True] * len(changed.outvars), instantiate=True
        )
        return smaller

    def _find_affected(self):
        """Values from before whose reads after the position read one that has another name."""
        found = set(self.chosen)
        for eqn in self.times.jaxpr.eqns[: self.position + 1]:
            is_affected = any(
                v in found or v in self.behind
                for v in eqn.invars
                if isinstance(v, jaxpr_lib.Var)
            )
            if is_affected:
                found.update(
                    v
                    for v in eqn.outvars
                    if v not in self.times.sizes and not self.times.is_input(v)
                )
        return found

    def _now(self, atom):
        """What stands for a value after the position."""
        if not isinstance(atom, jaxpr_lib.Var):
            return atom
        if atom in self.affected:
            return self.again[self.times.defined[atom]][atom]
        return self.behind.get(atom, atom)

    def _compute_again(self, atoms: Iterable):
        while True:
            wanted = [
                self.times.defined[v]
                for v in atoms
                if isinstance(v, jaxpr_lib.Var)
                and v in self.affected
                and self.times.defined[v] not in self.again
            ]
            if not wanted:
                return
            for number in self._chain(wanted):
                self._copy(number, self.times.jaxpr.eqns[number])
            self.affected = self._find_affected()  # Of new barriers.

    def _chain(self, wanted):
        """The numbers of the equations that compute some others' results again, in order."""
        times = self.times
        found: set[int] = set()
        waiting = list(wanted)
        while waiting:
            number = waiting.pop()
            if number in found or number in self.again:
                continue
            found.add(number)
            for operand in times.jaxpr.eqns[number].invars:
                if times.is_input(operand) or times.defined[operand] > self.position:
                    continue
                if operand in self.chosen:
                    waiting.append(times.defined[operand])
                elif operand in self.kept:
                    continue
                elif operand not in times.sizes or (
                    times.last_read(operand) <= self.position
                ):
                    if not costs.is_worth_keeping(
                        times.jaxpr.eqns[times.defined[operand]]
                    ):
                        waiting.append(times.defined[operand])
        return sorted(found)

    def _copy(self, number, eqn):
        operands = []
        is_apart = False
        for v in eqn.invars:
            new = v
            if isinstance(v, jaxpr_lib.Var):
                copies = self.again.get(self.times.defined.get(v, -1))
                new = self.behind.get(v, v) if copies is None else copies[v]
            is_apart |= new is not v
            operands.append(new)
        if not is_apart:
            operands = self._apart(operands, eqn)
        outvars = [type(v)(v.aval) for v in eqn.outvars]
        for old, new in zip(eqn.outvars, outvars, strict=True):
            if old in self.sizes:
                self.sizes[new] = self.sizes[old]
        self.again[number] = dict(zip(eqn.outvars, outvars, strict=True))
        self.eqns.append(
            eqn.replace(
                invars=operands, outvars=outvars, name_stack=_AGAIN + eqn.name_stack
            )
        )

    def _apart(self, operands, eqn):
        """Operands of which one is behind a barrier; the compiler would merge both computations.

        Whoever reads it later reads it behind the barrier too, so that it is not copied. An
        input would be: it is taken only where there is nothing else.
        """
        variables = [v for v in operands if isinstance(v, jaxpr_lib.Var)]
        if not variables:
            return operands
        one = min(
            variables,
            key=lambda v: (self.times.is_input(v), int(getattr(v.aval, "size", 0))),
        )
        if one in self.guarded:
            new = self.guarded[one]
        else:
            new = jaxpr_lib.Var(one.aval)
            self.eqns.append(flat.barrier([one], [new], eqn.location, _AGAIN))
            if self.times.is_input(one):
                self.guarded[one] = new
            else:
                self.behind[one] = new
                if one in self.sizes:
                    self.sizes[new] = self.sizes[one]
        return [new if v is one else v for v in operands]
