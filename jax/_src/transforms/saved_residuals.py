"""What reverse-mode differentiation of a function keeps between its passes."""

from collections.abc import Callable, Sequence
from typing import Any

from jax._src import tree
from jax._src.base.traceback_filter import api_boundary
from jax._src.core import avals as av, jaxpr as jx
from jax._src.interpreters import ad, partial_eval as pe
from jax._src.transforms import calls


def saved_residuals(
    f: Callable, *args: Any, **kwargs: Any
) -> list[tuple[av.AbstractValue, str]]:
    """The types of the arrays that are kept, and where each comes from.

    Args:
        f: the function to be differentiated.
        *args: its positional arguments.
        **kwargs: its keyword arguments.
    """
    leaves, in_tree = tree.tree_flatten((args, kwargs))
    calls.check_values(leaves, "saved_residuals")
    debug = calls.debug_info("saved_residuals", f, args, kwargs)
    flat = calls.FlatFunction(f, in_tree, "saved_residuals")

    def kept(*xs):
        _, linear = ad.vjp(flat, xs, debug)
        return linear.consts

    closed = pe.trace_to_closed(kept, [av.get_aval(x) for x in leaves], debug)
    names = debug.arg_names or ()
    arguments = [
        f"from the argument {names[i] if i < len(names) else i}"
        for i in range(len(closed.jaxpr.invars))
    ]
    origins = origins_of(closed.jaxpr, arguments)
    seen: dict[Any, tuple[av.AbstractValue, str]] = {}
    for atom in closed.jaxpr.outvars:
        if isinstance(atom, jx.Literal):
            seen.setdefault(id(atom), (atom.aval, "from a literal"))
        else:
            origin = origins.get(atom, "from a constant")
            seen.setdefault(atom, (atom.aval, origin))
    rank = {var: i for i, var in enumerate(closed.jaxpr.invars)}
    return [seen[k] for k in sorted(seen, key=lambda k: rank.get(k, len(rank)))]


def origins_of(jaxpr: jx.Jaxpr, arguments: Sequence[Any]) -> dict[Any, Any]:
    """Where each variable of a program comes from, in words."""
    found = dict(zip(jaxpr.invars, arguments, strict=True))
    known = lambda atom: found.get(atom) if isinstance(atom, jx.Var) else None  # noqa: E731
    for eqn in jaxpr.eqns:
        if eqn.primitive.name == "remat2":
            inner = eqn.params["jaxpr"].jaxpr
            inside = origins_of(
                inner, [known(x) or "from a constant" for x in eqn.invars]
            )
            for outer, atom in zip(eqn.outvars, inner.outvars, strict=True):
                is_made = isinstance(atom, jx.Var)
                found[outer] = (
                    inside.get(atom, "from a constant") if is_made else "from a literal"
                )
            continue
        for var in eqn.outvars:
            found[var] = _made_by(eqn)
        if eqn.primitive.name == "name" and isinstance(eqn.invars[0], jx.Var):
            # The value itself and the value under its name are one array.
            found[eqn.invars[0]] = _made_by(eqn)
    return found


def _made_by(eqn):
    at = f"from {_place(eqn)}" if eqn.place.codes else "from an unknown place"
    if eqn.primitive.name == "name":
        return f"named {eqn.params['name']!r} {at}"
    if eqn.primitive.name == "jit":
        return f"output of jitted function {eqn.params.get('name')!r} {at}"
    return f"output of {eqn.primitive.name} {at}"


def _place(eqn):
    frame = eqn.place.frame
    return f"{frame.file_name}:{frame.line}:{frame.column} ({frame.function})"


@api_boundary
def print_saved_residuals(f: Callable, *args: Any, **kwargs: Any) -> None:
    """Prints a line for each array that is kept between the passes of ``jax.vjp(f)``.

    Args:
        f: the function to be differentiated.
        *args: its positional arguments.
        **kwargs: its keyword arguments.

    Examples:
        >>> jax.ad_checkpoint.print_saved_residuals(jnp.sin, 1.0)
        f32[] output of cos from ...
    """
    for aval, origin in saved_residuals(f, *args, **kwargs):
        print(f"{aval.str_short(short_dtypes=True)} {origin}")
