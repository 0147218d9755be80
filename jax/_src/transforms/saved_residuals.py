"""What reverse-mode differentiation of a function keeps between its passes."""

from collections.abc import Callable
from typing import Any

from jax._src import tree
from jax._src.base.traceback_filter import api_boundary
from jax._src.core import avals, jaxpr
from jax._src.interpreters import ad, partial_eval as pe
from jax._src.transforms import calls, remat_in_control_flow


def saved_residuals(
    f: Callable, *args: Any, **kwargs: Any
) -> list[tuple[avals.AbstractValue, str]]:
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

    closed = pe.trace_to_closed(kept, [avals.get_aval(x) for x in leaves], debug)
    names = debug.arg_names or ()
    arguments = [
        f"from the argument {names[i] if i < len(names) else i}"
        for i in range(len(closed.jaxpr.invars))
    ]
    origins = remat_in_control_flow.origins_of(closed.jaxpr, arguments)
    seen: dict[Any, tuple[avals.AbstractValue, str]] = {}
    for atom in closed.jaxpr.outvars:
        if isinstance(atom, jaxpr.Literal):
            seen.setdefault(id(atom), (atom.aval, "from a literal"))
        else:
            origin = origins.get(atom, "from a constant")
            seen.setdefault(atom, (atom.aval, origin))
    rank = {var: i for i, var in enumerate(closed.jaxpr.invars)}
    return [seen[k] for k in sorted(seen, key=lambda k: rank.get(k, len(rank)))]


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
