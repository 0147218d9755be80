"""What the values of a program depend on: inputs of interest, followed through its equations."""

import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from jax._src.base import records
from jax._src.core import jaxpr as jaxpr_lib

# Operations whose results for a batch are not those of its elements one by one, or that
# act outside of the program.
_OPAQUE = frozenset(
    {
        "debug_callback",
        "ffi_call",
        "io_callback",
        "pallas_call",
        "pure_callback",
        "rng_bit_generator",
    }
)

# Operations that choose elements by some operands: the number of the first such operand.
_INDEXED = {
    "dynamic_slice": 1,
    "dynamic_update_slice": 2,
    "gather": 1,
    "scatter": 1,
    "scatter-add": 1,
    "scatter-max": 1,
    "scatter-min": 1,
    "scatter-mul": 1,
    "scatter-sub": 1,
}

_READS = frozenset({"dynamic_slice", "gather"})

_FOLDED: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "and": lambda x, y: x & y,
    "convert_element_type": lambda x: x,
    "eq": operator.eq,
    "ge": operator.ge,
    "gt": operator.gt,
    "le": operator.le,
    "lt": operator.lt,
    "max": max,
    "min": min,
    "mul": operator.mul,
    "ne": operator.ne,
    "or": lambda x, y: x | y,
    "select_n": lambda which, *cases: cases[int(which)],
    "sub": operator.sub,
}
_LARGEST = 2**31 - 1


@records.record
class Fact:
    """What is known of a value.

    Args:
        depends: the labels of the inputs that it depends on.
        known: its value where that is a small integer or a Boolean; else None.
    """

    depends: frozenset[Any] = frozenset()
    known: int | bool | None = None


NOTHING = Fact()


def on(labels: Iterable[Any]) -> Fact:
    """A value of which the labels alone are known."""
    return Fact(frozenset(labels))


class Walk:
    """Follows dependences through programs.

    Attributes:
        choices: the labels on which it depends which operations run, or which elements they
            choose: predicates, numbers of iterations, indices.
        is_opaque: whether the programs do something that is not understood, or that acts
            outside of them.
    """

    def __init__(self) -> None:
        self.choices: frozenset[Any] = frozenset()
        self.is_opaque = False

    def outputs(
        self, program: jaxpr_lib.ClosedJaxpr | jaxpr_lib.Jaxpr, facts: Sequence[Fact]
    ) -> list[Fact]:
        """What is known of the outputs of a program, given what is known of its inputs."""
        inner = program.jaxpr if hasattr(program, "jaxpr") else program
        known = dict(zip(inner.invars, facts, strict=True))

        def fact(atom):
            if isinstance(atom, jaxpr_lib.Literal):
                return Fact(known=_small(atom.val))
            return known.get(atom, NOTHING)

        for eqn in inner.eqns:
            results = self._results(eqn, [fact(atom) for atom in eqn.invars])
            known.update(zip(eqn.outvars, results, strict=True))
        return [fact(atom) for atom in inner.outvars]

    def _results(self, eqn, facts):
        name = eqn.primitive.name
        if name == "cond":
            return self._of_branches(eqn.params["branches"], facts)
        if name == "while":
            return self._of_while(eqn.params, facts)
        if name == "scan":
            return self._of_scan(eqn.params, facts)
        if name in _OPAQUE or getattr(eqn, "effects", None):
            self.is_opaque = True
        if name in _INDEXED:
            # Parts of one array at many indices are gathered; parts of many arrays, each
            # at an index of its own, are better cut out one after the other.
            of_parts = facts[0].depends if name in _READS else None
            for index in facts[_INDEXED[name] :]:
                depends = index.depends
                self.choices |= depends if of_parts is None else depends & of_parts
        programs = list(jaxpr_lib.jaxprs_in_params(eqn.params))
        if len(programs) == 1 and len(programs[0].invars) == len(facts):
            return self.outputs(programs[0], facts)
        if programs:
            self.is_opaque = True
        depends = frozenset().union(*(f.depends for f in facts))
        value = _folded(eqn, facts) if len(eqn.outvars) == 1 else None
        return [Fact(depends, value)] * len(eqn.outvars)

    def _of_branches(self, branches, facts):
        index, *operands = facts
        if index.known is not None:
            chosen = min(max(int(index.known), 0), len(branches) - 1)
            return self.outputs(branches[chosen], operands)
        self.choices |= index.depends
        each = [self.outputs(branch, operands) for branch in branches]
        return [
            Fact(index.depends.union(*(f.depends for f in column)))
            for column in zip(*each, strict=True)
        ]

    def _of_while(self, params, facts):
        n_test, n_body = params["cond_nconsts"], params["body_nconsts"]
        of_test, of_body = facts[:n_test], facts[n_test : n_test + n_body]
        carry = facts[n_test + n_body :]

        def step(carry):
            (test,) = self.outputs(params["cond_jaxpr"], [*of_test, *carry])
            self.choices |= test.depends
            new = self.outputs(params["body_jaxpr"], [*of_body, *carry])
            return [Fact(f.depends | test.depends) for f in new]

        return self._fixed(step, carry)

    def _of_scan(self, params, facts):
        n_consts, n_carry = params["num_consts"], params["num_carry"]
        consts, rest = facts[:n_consts], facts[n_consts:]
        carry = rest[:n_carry]
        elements = [Fact(f.depends) for f in rest[n_carry:]]
        stacked = []

        def step(carry):
            new = self.outputs(params["jaxpr"], [*consts, *carry, *elements])
            stacked[:] = [Fact(f.depends) for f in new[n_carry:]]
            return new[:n_carry]

        return [*self._fixed(step, carry), *stacked]

    @staticmethod
    def _fixed(step, carry):
        """What is known of a carry after any number of iterations."""
        now = [Fact(f.depends) for f in carry]
        while True:
            new = step(now)
            joined = [
                Fact(a.depends | b.depends) for a, b in zip(now, new, strict=True)
            ]
            if joined == now:
                return now
            now = joined


def _small(value):
    """The value of a literal, where it is a small integer or a Boolean."""
    if np.ndim(value) or not isinstance(value, bool | int | np.bool_ | np.integer):
        return None
    value = value.item() if isinstance(value, np.generic) else value
    return value if abs(value) <= _LARGEST else None


def _folded(eqn, facts):
    """The result of an operation on known scalars; None where it is not known."""
    name = eqn.primitive.name
    fold = _FOLDED.get(name)
    values = [f.known for f in facts]
    if name == "select_n" and values[0] is not None:
        return values[1 + int(values[0])]
    if fold is None or not values or any(v is None for v in values):
        return None
    return _of_type(fold(*values), getattr(eqn.outvars[0].aval, "dtype", None))


def _of_type(value, dtype):
    """A number as a value of a type; None where it does not fit, or may be rounded."""
    if dtype == np.bool_:
        return bool(value)
    if not isinstance(dtype, np.dtype) or dtype.kind not in "iu":
        return None
    limits = np.iinfo(dtype)
    return _small(value) if limits.min <= value <= limits.max else None
