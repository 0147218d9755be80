"""Programs of kernels for known program ids: calls written out, and branches chosen."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from jax._src.base import records
from jax._src.core import jaxpr as jaxpr_lib


def _quotient(x: Any, y: Any) -> Any:
    """The quotient, rounded to zero; no divisor is 0."""
    return np.sign(x) * np.sign(y) * (np.abs(x) // np.abs(y))


_FOLDED: dict[str, Callable[..., Any]] = {
    "add": np.add,
    "and": np.bitwise_and,
    "broadcast_in_dim": lambda x, *_: x,
    "convert_element_type": lambda x: x,
    "div": _quotient,
    "eq": np.equal,
    "ge": np.greater_equal,
    "gt": np.greater,
    "le": np.less_equal,
    "lt": np.less,
    "max": np.maximum,
    "min": np.minimum,
    "mul": np.multiply,
    "ne": np.not_equal,
    "neg": np.negative,
    "or": np.bitwise_or,
    "rem": lambda x, y: x - y * _quotient(x, y),
    "select_n": lambda which, *cases: np.choose(which.astype(np.int64), cases),
    "sign": np.sign,
    "sub": np.subtract,
}
_LARGEST = 2**31 - 1


@records.identity_record
class Specialized:
    """A program whose calls are written out.

    Args:
        program: it takes and returns what the program did that it was made of.
        known: the integers and Booleans that are known of its variables, one for each step:
            of arrays, what all their elements are.
    """

    program: jaxpr_lib.ClosedJaxpr
    known: Mapping[jaxpr_lib.Var, np.ndarray]

    def known_of(self, atom: jaxpr_lib.Atom) -> np.ndarray | None:
        """What an atom is at each step; None where it is not known."""
        if isinstance(atom, jaxpr_lib.Literal):
            return _literal(atom.val)
        return self.known.get(atom)


def specialized(
    program: jaxpr_lib.ClosedJaxpr, known: Mapping[int, np.ndarray]
) -> Specialized:
    """The program for some steps.

    Args:
        program: the program of a kernel.
        known: for inputs of which it is known, by number, what they are at each step.
    """
    writer = _Writer()
    inner = program.jaxpr
    invars = [jaxpr_lib.Var(var.aval) for var in inner.invars]
    writer.known.update({invars[number]: values for number, values in known.items()})
    outs = writer.inline(inner, program.consts, invars)
    made = inner.replace(
        constvars=list(writer.consts),
        invars=invars,
        outvars=outs,
        eqns=writer.eqns,
        debug_info=None,
    )
    closed = jaxpr_lib.ClosedJaxpr(made, list(writer.consts.values()))
    return Specialized(closed, writer.known)


class _Writer:
    """Writes equations one after the other, those of calls and chosen branches in place."""

    def __init__(self) -> None:
        self.eqns: list[jaxpr_lib.JaxprEqn] = []
        self.consts: dict[jaxpr_lib.Var, Any] = {}
        self.known: dict[jaxpr_lib.Var, np.ndarray] = {}

    def inline(
        self,
        program: jaxpr_lib.Jaxpr,
        consts: Sequence[Any],
        atoms: Sequence[jaxpr_lib.Atom],
    ) -> list[jaxpr_lib.Atom]:
        """Writes a program's equations, and returns what its outputs are."""
        new: dict[jaxpr_lib.Var, jaxpr_lib.Atom] = {}
        new.update(zip(program.invars, atoms, strict=True))
        for var, value in zip(program.constvars, consts, strict=True):
            new[var] = jaxpr_lib.Var(var.aval)
            self.consts[new[var]] = value

        def renamed(atom):
            return atom if isinstance(atom, jaxpr_lib.Literal) else new[atom]

        for eqn in program.eqns:
            operands = [renamed(atom) for atom in eqn.invars]
            called = self._called(eqn, operands)
            if called is not None:
                outs = self.inline(called[0].jaxpr, called[0].consts, called[1])
            else:
                outs = self._written(eqn, operands)
            new.update(zip(eqn.outvars, outs, strict=True))
        return [renamed(atom) for atom in program.outvars]

    def _called(self, eqn, operands):
        """The program that is written in place of an equation, and its operands."""
        if eqn.primitive.name == "jit":
            return eqn.params["jaxpr"], operands
        if eqn.primitive.name != "cond":
            return None
        index, branches = self._known(operands[0]), eqn.params["branches"]
        if index is None or (index != index[0]).any():
            return None
        number = min(max(int(index[0]), 0), len(branches) - 1)
        return branches[number], operands[1:]

    def _written(self, eqn, operands):
        outs = [jaxpr_lib.Var(var.aval) for var in eqn.outvars]
        self.eqns.append(eqn.replace(invars=operands, outvars=outs))
        if len(outs) == 1:
            value = _folded(eqn, [self._known(atom) for atom in operands])
            if value is not None:
                self.known[outs[0]] = value
        return outs

    def _known(self, atom):
        if isinstance(atom, jaxpr_lib.Literal):
            return _literal(atom.val)
        return self.known.get(atom)


def _literal(value):
    if np.ndim(value) or not isinstance(value, bool | int | np.bool_ | np.integer):
        return None
    return np.asarray([value]) if abs(int(value)) <= _LARGEST else None


def _folded(eqn, values):
    """The results of an operation on known scalars; None where they are not known."""
    fold = _FOLDED.get(eqn.primitive.name)
    dtype = getattr(eqn.outvars[0].aval, "dtype", None)
    if fold is None or not isinstance(dtype, np.dtype) or dtype.kind not in "biu":
        return None
    if not values or any(value is None for value in values):
        return None
    if eqn.primitive.name in ("div", "rem") and not np.all(values[1]):
        return None
    if dtype == np.bool_:
        return np.asarray(fold(*values), bool)
    wide = [v if v.dtype == np.bool_ else v.astype(np.int64) for v in values]
    found = np.asarray(fold(*wide), np.int64)
    limits = np.iinfo(dtype)
    is_inside = (found >= max(limits.min, -_LARGEST)) & (
        found <= min(limits.max, _LARGEST)
    )
    return found if is_inside.all() else None
