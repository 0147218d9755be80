"""A model of what a program holds when, after the compiler's layout of an earlier form of it.

Time is counted in equations. A variable has the bytes that the compiler has given it, and
one that it has given none is computed where it is read: who reads it reads its operands.
"""

import itertools
from collections.abc import Mapping

from jax._src.core import jaxpr as jaxpr_lib
from jax._src.lax.ops import barriers


class Lifetimes:
    """When each variable of a program without calls is defined and read."""

    def __init__(
        self, jaxpr: jaxpr_lib.Jaxpr, sizes: Mapping[jaxpr_lib.Var, int]
    ) -> None:
        self.jaxpr = jaxpr
        self.sizes = sizes
        self.defined: dict[jaxpr_lib.Var, int] = {}
        for number, eqn in enumerate(jaxpr.eqns):
            for var in eqn.outvars:
                self.defined[var] = number
        self.reads = self._find_reads()
        self._inputs = self._find_inputs()

    def _find_inputs(self):
        """Variables that are computed of inputs alone where they are read."""
        found: set[jaxpr_lib.Var] = set()
        for eqn in self.jaxpr.eqns:
            if not eqn.effects and all(
                not isinstance(v, jaxpr_lib.Var) or v not in self.defined or v in found
                for v in eqn.invars
            ):
                found.update(v for v in eqn.outvars if v not in self.sizes)
        return found

    def is_input(self, atom: jaxpr_lib.Atom) -> bool:
        """Whether an operand is a literal, an input, or is computed of inputs where it is read."""
        if not isinstance(atom, jaxpr_lib.Var):
            return True
        return atom not in self.defined or atom in self._inputs

    def _find_reads(self):
        """For each variable the equations at which its memory is read, in order."""
        found: dict[jaxpr_lib.Var, set[int]] = {}
        eqns = self.jaxpr.eqns
        for var in self.jaxpr.outvars:
            if isinstance(var, jaxpr_lib.Var):
                found.setdefault(var, set()).add(len(eqns))
        for number in range(len(eqns) - 1, -1, -1):
            eqn = eqns[number]
            is_step = eqn.effects or any(v in self.sizes for v in eqn.outvars)
            if is_step:
                positions = {number}
            else:
                positions = set().union(*[found.get(v, ()) for v in eqn.outvars])
            for var in eqn.invars:
                if isinstance(var, jaxpr_lib.Var):
                    found.setdefault(var, set()).update(positions)
        return {var: sorted(positions) for var, positions in found.items()}

    def last_read(self, var: jaxpr_lib.Var) -> int:
        """The last equation that reads a variable; -1 where there is none."""
        return self.reads[var][-1] if self.reads.get(var) else -1

    def held(self) -> list[int]:
        """The bytes held at each equation."""
        changes = [0] * (len(self.jaxpr.eqns) + 2)
        for var, size in self.sizes.items():
            first = self.defined.get(var)
            if first is not None and size:
                last = max(first, self.last_read(var))
                if last > first and self._is_barrier(last):
                    last -= 1  # Its memory goes on under another name.
                changes[first] += size
                changes[last + 1] -= size
        return list(itertools.accumulate(changes))[:-1]

    def _is_barrier(self, number):
        eqns = self.jaxpr.eqns
        return number < len(eqns) and (
            eqns[number].primitive is barriers.optimization_barrier_p
        )

    def is_over(self, var: jaxpr_lib.Var, position: int) -> bool:
        """Whether a variable is held at an equation that neither makes nor reads it."""
        first = self.defined.get(var)
        if first is None or not first < position < self.last_read(var):
            return False
        return position not in self.reads[var]
