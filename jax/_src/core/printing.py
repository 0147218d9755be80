"""Programs as text, in the form that JAX users know."""

import itertools
import string
from collections import Counter
from typing import Any

import numpy as np

from jax._src.base import collecting, records
from jax._src.core import document, jaxpr as jaxpr_lib

# A program inside another is shown in place up to this many equations.
_INLINE_LIMIT = 10
_WIDTH = 80


@records.record
class _Options:
    """What is shown of an equation beside its names."""

    source_info: bool = False
    name_stack: bool = False
    print_shapes: bool = True
    print_effects: bool = False

    def comment(self, eqn):
        """What stands behind an equation: where it was traced, under which names."""
        parts = []
        if self.name_stack:
            parts.append(f"[{eqn.name_stack}]")
        if self.source_info and eqn.location.codes:
            frame = eqn.location.frame
            line = f"{frame.file_name}:{frame.line}:{frame.column}"
            parts.append(f"{line} ({frame.function})")
        return f"  # {' '.join(parts)}" if parts else ""


class _Names:
    """Names of variables and of programs that are shown ahead."""

    def __init__(self, options=None):
        self.options = options or _Options()
        self.of_var: dict[jaxpr_lib.Var, str] = {}
        self.of_jaxpr: dict[int, str] = {}
        self.taken: set[str] = set()
        # The last number that each base was given.
        self.counts: Counter[str] = Counter()
        self._fresh = (_spell(i) for i in itertools.count())

    def var(self, var):
        name = self.of_var.get(var)
        if name is None:
            name = next(n for n in self._fresh if n not in self.taken)
            self.of_var[var] = name
        return name

    def program(self, jaxpr, preferred):
        base = "".join(c for c in preferred if c.isalnum() or c == "_") or "jaxpr"
        name, number = base, self.counts[base]
        while name in self.taken:
            number += 1
            name = f"{base}{number}"
        self.counts[base] = number
        self.taken.add(name)
        self.of_jaxpr[id(jaxpr)] = name
        return name


def _spell(index):
    """0 -> a, 25 -> z, 26 -> ba, as numbers to the base 26."""
    letters = string.ascii_lowercase
    text = letters[index % 26]
    while index >= 26:
        index //= 26
        text = letters[index % 26] + text
    return text


class _Spelled(dict):
    """Assigns names to variables at their first use, in alphabetical order."""

    def __missing__(self, var):
        self[var] = name = _spell(len(self))
        return name


class JaxprPpContext:
    """Names of variables, for ``var.pretty_print(context)``.

    Args:
        var_names: the names that are known; None: each variable gets the next one.
    """

    def __init__(self, var_names: dict[jaxpr_lib.Var, str] | None = None):
        self.var_names = _Spelled() if var_names is None else var_names


def _typed(var, names):
    name = "_" if isinstance(var, jaxpr_lib.DropVar) else names.var(var)
    if not names.options.print_shapes:
        return name
    return f"{name}:{var.aval.str_short(short_dtypes=True)}"


def _atom(atom, names):
    if isinstance(atom, jaxpr_lib.Literal):
        return f"{_scalar(atom.val)}:{atom.aval.str_short(short_dtypes=True)}"
    return "_" if isinstance(atom, jaxpr_lib.DropVar) else names.var(atom)


def _scalar(value):
    if isinstance(value, bool | int | float | complex):
        return str(value)
    try:
        return str(np.asarray(value).item())
    except (TypeError, ValueError):
        return str(value)


def _param(value, names):
    if isinstance(value, jaxpr_lib.ClosedJaxpr):
        value = value.jaxpr
    if isinstance(value, jaxpr_lib.Jaxpr):
        name = names.of_jaxpr.get(id(value))
        return name if name is not None else _program(value, names)
    if isinstance(value, tuple) and any(
        isinstance(v, jaxpr_lib.Jaxpr | jaxpr_lib.ClosedJaxpr) for v in value
    ):
        inner = document.join(document.Line(), (_param(v, names) for v in value))
        return document.Group(
            ("(", document.Nest(2, (document.Line(""), inner)), document.Line(""), ")")
        )
    if callable(value) and hasattr(value, "__name__") and not isinstance(value, type):
        return value.__name__
    return str(value)


def _shown_params(eqn):
    show = eqn.primitive.rule("show")
    if show is not None:
        return show(**eqn.params).items()
    return sorted(eqn.params.items())


def _align_names(eqn, names):
    """Gives the variables of a called program the names of what is passed for them."""
    inner = eqn.params["jaxpr"].jaxpr
    if id(inner) in names.of_jaxpr:
        return
    for var, atom in zip(inner.invars, eqn.invars, strict=True):
        if isinstance(atom, jaxpr_lib.Var):
            names.of_var.setdefault(var, names.var(atom))
    for var, out in zip(inner.outvars, eqn.outvars, strict=True):
        if isinstance(var, jaxpr_lib.Var) and not isinstance(out, jaxpr_lib.DropVar):
            names.of_var.setdefault(var, names.var(out))


def _equation(eqn, names):
    left = document.join(document.Line(), [_typed(v, names) for v in eqn.outvars])
    if eqn.primitive.name == "jit" and "jaxpr" in eqn.params:
        _align_names(eqn, names)
    shown = [(f"{key}=", _param(value, names)) for key, value in _shown_params(eqn)]
    params: Any = ()
    if shown:
        inner = document.join(document.Line(), shown)
        params = document.Group(
            ("[", document.Nest(2, (document.Line(""), inner)), document.Line(""), "]")
        )
    operands = [_atom(v, names) for v in eqn.invars]
    right = document.Nest(2, (" ", document.Fill(tuple(operands))))
    equals = (document.Group(document.Nest(2, left)), " = ") if eqn.outvars else ()
    comment = names.options.comment(eqn)
    return (*equals, eqn.primitive.name, params, right, comment)


def _program(jaxpr, names):
    consts = [_typed(v, names) for v in jaxpr.constvars]
    inputs = [_typed(v, names) for v in jaxpr.invars]
    equations = [_equation(eqn, names) for eqn in jaxpr.eqns]
    outs = [_atom(v, names) for v in jaxpr.outvars]
    result = f"({outs[0]},)" if len(outs) == 1 else f"({', '.join(outs)})"
    head = (
        "{ lambda ",
        document.Group(document.Nest(4, document.Fill(tuple(consts)))),
        "; ",
        document.Group(document.Nest(4, document.Fill(tuple(inputs)))),
        ". let",
    )
    body = document.Nest(
        4, (document.Line(), document.join(document.Line("; "), equations))
    )
    if names.options.print_effects and jaxpr.effects:
        result += f" : {{ {', '.join(sorted(map(str, jaxpr.effects)))} }}"
    last = document.Nest(2, (document.Line(), f"in {result} }}"))
    has_comments = any(names.options.comment(eqn) for eqn in jaxpr.eqns)
    # What stands behind a comment would be taken for a part of it.
    return (head, body, last) if has_comments else document.Group((head, body, last))


def _preferred_name(key, eqn):
    name = eqn.params.get("name")
    return name if key == "jaxpr" and isinstance(name, str) else key


def _inner_programs(jaxpr):
    """Each program in the equations, with the name under which it would be shown."""
    for eqn in jaxpr.eqns:
        for key, value in _shown_params(eqn):
            for entry in value if isinstance(value, tuple) else (value,):
                inner = (
                    entry.jaxpr if isinstance(entry, jaxpr_lib.ClosedJaxpr) else entry
                )
                if isinstance(inner, jaxpr_lib.Jaxpr):
                    yield inner, _preferred_name(key, eqn)


def _collect(jaxpr):
    """The programs inside, the outer ones first; how often each occurs; and their names."""
    counts: Counter[int] = Counter()
    preferred_names: dict[int, str] = {}
    order = [jaxpr]
    for outer in order:
        for inner, name in _inner_programs(outer):
            counts[id(inner)] += 1
            if counts[id(inner)] == 1:
                preferred_names[id(inner)] = name
                order.append(inner)
    return order[1:], counts, preferred_names


def _name_variables(jaxpr, names):
    """Names the variables of a program in the order in which its text shows them."""
    for var in (*jaxpr.constvars, *jaxpr.invars):
        names.var(var)
    for eqn in jaxpr.eqns:
        for var in eqn.outvars:
            if not isinstance(var, jaxpr_lib.DropVar):
                names.var(var)


@collecting.paused()
def to_text(what: Any, *, width: int = _WIDTH, **shown: Any) -> str:
    """The text of a program, of an equation or of a variable.

    An equation or a variable has the names of the program `inside`, where it is given.
    Programs that occur more than once inside, or are long, are shown ahead and
    referred to by name. For the options see `Jaxpr.pretty_print`.
    """
    known = {name: shown[name] for name in records.fields_of(_Options) if name in shown}
    names = _Names(_Options(**known))
    if (inside := shown.get("inside")) is not None:
        _name_variables(inside, names)
    if isinstance(what, jaxpr_lib.Var):
        return names.var(what)
    if isinstance(what, jaxpr_lib.JaxprEqn):
        return document.render(_equation(what, names), width)
    if isinstance(what, jaxpr_lib.ClosedJaxpr):
        what = what.jaxpr
    order, counts, preferred_names = _collect(what)
    ahead = [j for j in order if counts[id(j)] > 1 or len(j.eqns) > _INLINE_LIMIT]
    for jaxpr in ahead:
        names.program(jaxpr, preferred_names[id(jaxpr)])
    text = [
        f"let {names.of_jaxpr[id(j)]} = {document.render(_program(j, names), width)} in\n"
        for j in ahead
    ]
    return "".join(text) + document.render(_program(what, names), width)


jaxpr_lib._printers[0] = to_text
