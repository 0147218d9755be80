"""Which values of a program hold rows, and along which axis; programs of fewer rows.

Rows are what a batch is made of: positions along an axis that no operation brings together.
`label` follows them from the inputs; `Labelled.smaller` makes the program of fewer rows.
"""

from collections.abc import Mapping
from typing import Any

from jax._src.base import records
from jax._src.core import jaxpr as jaxpr_lib
from jax._src.memory_budget import row_rules

# The most times that a loop is looked at until the axes of its carry are known.
_ROUNDS = 16


@records.identity_record
class Labelled:
    """A program, and the rows in it."""

    jaxpr: jaxpr_lib.Jaxpr
    rows: int
    axes: dict[jaxpr_lib.Var, int]
    # By number, how equations keep rows apart; and those in or behind which rows meet.
    kept: dict[int, row_rules.Kept]
    after: frozenset[int]
    # The numbers of the equations that define variables.
    defined: dict[jaxpr_lib.Var, int]

    def inputs_to_cut(self) -> dict[jaxpr_lib.Var, int] | None:
        """Inputs without rows that must have them; None: something else would have to be cut."""
        found: dict[jaxpr_lib.Var, int] = {}
        for number, kept in self.kept.items():
            for operand, axis in kept.cut.items():
                source = self._source(self.jaxpr.eqns[number].invars[operand], axis)
                if source is None:
                    return None
                found.update(source)
        return found

    def _source(self, atom, axis):
        """The inputs that a cut value needs cut, if it can be made of them."""
        number = self.defined.get(atom)
        if number is None:
            return {atom: axis}
        eqn = self.jaxpr.eqns[number]
        inner = cut_operand(eqn, axis, self.rows)
        if inner is None:
            return None
        operand, inner_axis = inner
        return {} if operand is None else self._source(operand, inner_axis)


def cut_operand(
    eqn: jaxpr_lib.JaxprEqn, axis: int, rows: int
) -> tuple[jaxpr_lib.Var | None, int] | None:
    """Which operand must be cut, and where, for an equation to make fewer rows along an axis.

    Returns:
        The operand, None for none of them, and its axis; None where it cannot.
    """
    if eqn.primitive.name == "iota":
        return (None, 0) if eqn.params["dimension"] != axis else None
    if eqn.primitive.name != "broadcast_in_dim":
        return None
    dims = list(eqn.params["broadcast_dimensions"])
    if axis not in dims:
        return None, 0
    inner = dims.index(axis)
    operand = eqn.invars[0]
    if operand.aval.shape[inner] == 1 and rows != 1:
        return None, 0
    return (operand, inner) if isinstance(operand, jaxpr_lib.Var) else None


def label(
    jaxpr: jaxpr_lib.Jaxpr,
    axes: Mapping[jaxpr_lib.Var, int],
    rows: int,
    small: int = 0,
    *,
    is_whole: bool = False,
) -> Labelled:
    """Finds the values that hold rows.

    Args:
        jaxpr: a program without calls.
        axes: the axes of inputs that hold rows.
        rows: how many there are.
        small: values of at most so many bytes and elements that have `rows` along their
            first axis hold rows too, though no input does of which they are made.
        is_whole: whether the program is not itself the body of a loop. Operations of rows then
            have no results without rows that somebody reads.
    """
    read = _read(jaxpr) if is_whole else set()
    found = dict(axes)
    kept: dict[int, row_rules.Kept] = {}
    after: set[int] = set()
    met: set[jaxpr_lib.Var] = set()
    defined: dict[jaxpr_lib.Var, int] = {}
    for number, eqn in enumerate(jaxpr.eqns):
        for var in eqn.outvars:
            defined[var] = number
        variables = [v for v in eqn.invars if isinstance(v, jaxpr_lib.Var)]
        if any(v in met for v in variables):
            rule = None
        elif not any(v in found for v in variables):
            for var in eqn.outvars:
                if small and _is_source(var, rows, small) and not eqn.effects:
                    found[var] = 0
            continue
        else:
            known = [
                found.get(v) if isinstance(v, jaxpr_lib.Var) else None
                for v in eqn.invars
            ]
            rule = _keep(eqn, known, rows)
        if rule is not None and any(
            axis is None and var in read
            for var, axis in zip(eqn.outvars, rule.outs, strict=True)
        ):
            rule = None
        if rule is None:
            after.add(number)
            met.update(eqn.outvars)
            continue
        kept[number] = rule
        for var, axis in zip(eqn.outvars, rule.outs, strict=True):
            if axis is not None:
                found[var] = axis
    return Labelled(jaxpr, rows, found, kept, frozenset(after), defined)


def _read(jaxpr):
    found = {
        v for eqn in jaxpr.eqns for v in eqn.invars if isinstance(v, jaxpr_lib.Var)
    }
    return found | {v for v in jaxpr.outvars if isinstance(v, jaxpr_lib.Var)}


def _is_source(var, rows, small):
    shape = getattr(var.aval, "shape", ())
    size = getattr(var.aval, "size", 0)
    return bool(shape) and shape[0] == rows and 0 < size <= small


def _keep(eqn, axes, rows):
    name = eqn.primitive.name
    if eqn.effects:
        return None
    if name == "scan":
        return _keep_scan(eqn, axes, rows)
    if name == "while":
        return _keep_while(eqn, axes, rows)
    if name == "cond":
        return _keep_branches(eqn, axes, rows)
    rule = row_rules.rule_of(eqn)
    return None if rule is None else rule(eqn, axes, rows)


#
# Programs of fewer rows
#


def with_rows(aval: Any, axis: int, count: int) -> Any:
    """The type with `count` rows along an axis."""
    shape = aval.shape
    return aval.update(shape=(*shape[:axis], count, *shape[axis + 1 :]))


class Shrinking:
    """Makes the equations of a labelled program for fewer rows."""

    def __init__(self, labelled: Labelled, count: int):
        self.labelled = labelled
        self.count = count
        self.names: dict[jaxpr_lib.Var, jaxpr_lib.Var] = {}
        # Values without rows that are cut, by the value and the axis.
        self.cuts: dict[tuple[jaxpr_lib.Var, int], jaxpr_lib.Var] = {}
        # Cut values that an input must bring.
        self.wanted: dict[tuple[jaxpr_lib.Var, int], jaxpr_lib.Var] = {}
        self.eqns: list[jaxpr_lib.JaxprEqn] = []

    def name(self, var: jaxpr_lib.Var) -> jaxpr_lib.Var:
        """The variable that stands for one that holds rows."""
        made = self.names.get(var)
        if made is None:
            axis = self.labelled.axes[var]
            made = type(var)(with_rows(var.aval, axis, self.count))
            self.names[var] = made
        return made

    def _now(self, atom):
        is_row = isinstance(atom, jaxpr_lib.Var) and atom in self.labelled.axes
        return self.name(atom) if is_row else atom

    def add(self, number: int) -> None:
        """Appends an equation that keeps rows apart, for fewer of them."""
        eqn, kept = self.labelled.jaxpr.eqns[number], self.labelled.kept[number]
        operands = [
            self.cut(v, kept.cut[i]) if i in kept.cut else self._now(v)
            for i, v in enumerate(eqn.invars)
        ]
        self.eqns.append(
            eqn.replace(
                invars=operands,
                outvars=[self._now(v) for v in eqn.outvars],
                params=kept.params(self.count),
            )
        )

    def cut(self, var: jaxpr_lib.Var, axis: int) -> jaxpr_lib.Var:
        """The variable of the rows of a value in which all rows are there."""
        made = self.cuts.get((var, axis))
        if made is not None:
            return made
        made = jaxpr_lib.Var(with_rows(var.aval, axis, self.count))
        self.cuts[var, axis] = made
        number = self.labelled.defined.get(var)
        eqn = None if number is None else self.labelled.jaxpr.eqns[number]
        inner = None if eqn is None else cut_operand(eqn, axis, self.labelled.rows)
        if inner is None:
            self.wanted[var, axis] = made
            return made
        operand, inner_axis = inner
        invars = eqn.invars if operand is None else [self.cut(operand, inner_axis)]
        shape = made.aval.shape
        self.eqns.append(
            eqn.replace(
                invars=invars, outvars=[made], params={**eqn.params, "shape": shape}
            )
        )
        return made


def _smaller(labelled: Labelled, count: int) -> jaxpr_lib.Jaxpr:
    """The whole program for fewer rows; nothing but inputs with rows is cut."""
    work = Shrinking(labelled, count)
    for number, eqn in enumerate(labelled.jaxpr.eqns):
        if number in labelled.kept:
            work.add(number)
        else:
            work.eqns.append(eqn)
    jaxpr = labelled.jaxpr
    return jaxpr.replace(
        invars=[work._now(v) for v in jaxpr.invars],
        outvars=[work._now(v) for v in jaxpr.outvars],
        eqns=work.eqns,
    )


#
# Loops
#


def _axis(labelled, atom):
    return labelled.axes.get(atom) if isinstance(atom, jaxpr_lib.Var) else None


def _label_body(closed, known, rows, carries):
    """Labels the body of a loop, so that what it carries has rows before and after.

    Args:
        closed: the body.
        known: the axes of its inputs; filled with those that must have some.
        rows: how many rows there are.
        carries: pairs of the number of an input and of the result that becomes it.

    Returns:
        The labelled body; None where rows meet.
    """
    jaxpr = closed.jaxpr
    numbers = {v: i for i, v in enumerate(jaxpr.invars)}
    for _ in range(_ROUNDS):
        axes = {v: a for v, a in zip(jaxpr.invars, known, strict=True) if a is not None}
        labelled = label(jaxpr, axes, rows)
        if labelled.after:
            return None
        cut = labelled.inputs_to_cut()
        if cut is None:
            return None
        changes = {numbers[v]: a for v, a in cut.items() if v in numbers}
        if len(changes) != len(cut):
            return None  # A constant of the body.
        for before, result in carries:
            axis = _axis(labelled, jaxpr.outvars[result])
            if axis is not None and known[before] is None:
                changes[before] = axis
            elif axis != known[before]:
                return None
        if not changes:
            return labelled
        for number, axis in changes.items():
            if known[number] not in (None, axis):
                return None
            known[number] = axis
    return None


def _cut_of(eqn, axes, wanted, shift):
    """The operands of a loop that must be cut, or None where one cannot be."""
    found = {}
    for number, (old, new) in enumerate(zip(axes, wanted, strict=True)):
        axis = None if new is None else new + shift[number]
        if old == axis:
            continue
        if old is not None or not isinstance(eqn.invars[number], jaxpr_lib.Var):
            return None
        found[number] = axis
    return found


def _keep_scan(eqn, axes, rows):
    """Loops whose body keeps rows apart."""
    n_consts, n_carry = eqn.params["num_consts"], eqn.params["num_carry"]
    closed = eqn.params["jaxpr"]
    shift = [int(i >= n_consts + n_carry) for i in range(len(axes))]
    if any(a is not None and a < s for a, s in zip(axes, shift, strict=True)):
        return None  # The loop goes over the rows.
    known: list[int | None] = [
        None if a is None else a - s for a, s in zip(axes, shift, strict=True)
    ]
    carries = [(n_consts + i, i) for i in range(n_carry)]
    labelled = _label_body(closed, known, rows, carries)
    if labelled is None:
        return None
    cut = _cut_of(eqn, axes, known, shift)
    if cut is None:
        return None
    outs = [_axis(labelled, v) for v in closed.jaxpr.outvars]
    outs = [a if i < n_carry or a is None else a + 1 for i, a in enumerate(outs)]

    def params(count):
        body = closed.replace(jaxpr=_smaller(labelled, count))
        return {**eqn.params, "jaxpr": body}

    return row_rules.Kept(tuple(outs), params, cut)


def _keep_while(eqn, axes, rows):
    """Loops that run as often for all rows, and whose body keeps them apart."""
    n_cond, n_body = eqn.params["cond_nconsts"], eqn.params["body_nconsts"]
    if any(a is not None for a in axes[:n_cond]):
        return None
    body, condition = eqn.params["body_jaxpr"], eqn.params["cond_jaxpr"]
    known = list(axes[n_cond:])
    n_carry = len(known) - n_body
    carries = [(n_body + i, i) for i in range(n_carry)]
    labelled = _label_body(body, known, rows, carries)
    if labelled is None:
        return None
    read = {v for e in condition.jaxpr.eqns for v in e.invars}
    read |= set(condition.jaxpr.outvars)
    carried = condition.jaxpr.invars[n_cond:]
    if any(
        a is not None and v in read
        for v, a in zip(carried, known[n_body:], strict=True)
    ):
        return None
    wanted = [*axes[:n_cond], *known]
    cut = _cut_of(eqn, axes, wanted, [0] * len(axes))
    if cut is None:
        return None

    def params(count):
        jaxpr = condition.jaxpr
        types = [
            v if a is None else jaxpr_lib.Var(with_rows(v.aval, a, count))
            for v, a in zip(carried, known[n_body:], strict=True)
        ]
        smaller = jaxpr.replace(invars=[*jaxpr.invars[:n_cond], *types])
        return {
            **eqn.params,
            "body_jaxpr": body.replace(jaxpr=_smaller(labelled, count)),
            "cond_jaxpr": condition.replace(jaxpr=smaller),
        }

    return row_rules.Kept(tuple(known[n_body:]), params, cut)


def _keep_branches(eqn, axes, rows):
    """Choices that are the same for all rows, between branches that keep them apart."""
    if axes[0] is not None:
        return None
    branches = eqn.params["branches"]
    known = list(axes[1:])
    for _ in range(_ROUNDS):
        before = list(known)
        found = [_label_body(branch, known, rows, ()) for branch in branches]
        if None in found:
            return None
        if known == before:
            break
    outs = [
        [_axis(one, v) for v in branch.jaxpr.outvars]
        for one, branch in zip(found, branches, strict=True)
    ]
    if any(out != outs[0] for out in outs):
        return None  # One branch would have to bring rows that it has not.
    wanted = [None, *known]
    cut = _cut_of(eqn, axes, wanted, [0] * len(axes))
    if cut is None:
        return None

    def params(count):
        smaller = tuple(
            branch.replace(jaxpr=_smaller(one, count))
            for one, branch in zip(found, branches, strict=True)
        )
        return {**eqn.params, "branches": smaller}

    return row_rules.Kept(tuple(outs[0]), params, cut)
