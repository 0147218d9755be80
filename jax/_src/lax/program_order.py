"""Functions whose operations run in the order in which they were written."""

import functools as ft
from collections.abc import Callable, Sequence
from typing import Any

from jax._src import tree
from jax._src.base import errors, traceback_filter, util
from jax._src.core import evaluate, jaxpr as jaxpr_lib
from jax._src.lax.ops import barriers
from jax._src.transforms import inspect_programs


@traceback_filter.hides_frames
def program_order(
    f: Callable | None = None,
    *,
    enforce: bool,
    strict_in_out: bool | tuple[bool, bool] = False,
    exclude_argnames: str | Sequence[str] | None = None,
) -> Callable:
    """A function whose operations run one after the other, as they were written.

    Compilers may start an operation as soon as its operands are there. A barrier before each
    operation makes it depend on the one before, so that communication, for example, begins
    where the program says.

    Args:
        f: the function; left out, a decorator comes back.
        enforce: whether the order is kept; without it the function stays as it is.
        strict_in_out: whether nothing begins before all arguments are there, and nothing that
            uses a result before all results are: for both, or a pair.
        exclude_argnames: parameters that wait for nothing; only where `enforce` is False.

    Returns:
        A function with the same results and derivatives.

    Raises:
        ValueError: `exclude_argnames` is given with `enforce`, or names no parameter.
    """
    if f is None:
        return ft.partial(
            program_order,
            enforce=enforce,
            strict_in_out=strict_in_out,
            exclude_argnames=exclude_argnames,
        )
    _check_names(f, enforce, exclude_argnames)
    if not enforce:
        return f
    strict_in, strict_out = (
        strict_in_out if isinstance(strict_in_out, tuple) else (strict_in_out,) * 2
    )

    @ft.wraps(f)
    def in_order(*args: Any, **kwargs: Any) -> Any:
        closed, out_shape = inspect_programs.make_jaxpr(f, return_shape=True)(
            *args, **kwargs
        )
        leaves = tree.tree_leaves((args, kwargs))
        if strict_in:
            leaves = _together(leaves)
        outs = _run(closed, leaves)
        if strict_out:
            outs = _together(outs)
        return tree.tree_unflatten(tree.tree_structure(out_shape), outs)

    return in_order


def _check_names(f, enforce, exclude_argnames):
    if exclude_argnames is None:
        return
    if enforce:
        raise errors.value_error(
            "exclude_argnames cannot be used with enforce=True.",
            [("exclude_argnames", repr(exclude_argnames))],
            "Where the order is kept, every operation waits for the one before.",
        )
    names = (
        [exclude_argnames] if isinstance(exclude_argnames, str) else exclude_argnames
    )
    known = util.signature(f).parameters
    if unknown := [name for name in names if name not in known]:
        raise errors.value_error(
            "program_order: exclude_argnames names no parameter of the function.",
            [("names", ", ".join(unknown)), ("parameters", ", ".join(known))],
        )


def _together(values):
    return list(barriers.optimization_barrier(tuple(values))) if values else []


def _run(closed, args):
    """The results of a program, each of whose equations waits for the one before."""
    jaxpr = closed.jaxpr
    names: dict[jaxpr_lib.Var, jaxpr_lib.Var] = {}  # Behind the barriers so far.

    def renamed(atom):
        return names.get(atom, atom) if isinstance(atom, jaxpr_lib.Var) else atom

    eqns: list[jaxpr_lib.JaxprEqn] = []
    last: list[jaxpr_lib.Var] = []
    for eqn in jaxpr.eqns:
        operands = [v for v in eqn.invars if isinstance(v, jaxpr_lib.Var)]
        if last and operands:
            held = list(dict.fromkeys([*last, *operands]))
            after = [jaxpr_lib.Var(v.aval) for v in held]
            eqns.append(
                jaxpr_lib.JaxprEqn(
                    [renamed(v) for v in held],
                    after,
                    barriers.optimization_barrier_p,
                    {},
                    location=eqn.location,
                    name_stack=eqn.name_stack,
                )
            )
            names.update(zip(held, after, strict=True))
        eqns.append(eqn.replace(invars=[renamed(v) for v in eqn.invars]))
        last = [v for v in eqn.outvars if not isinstance(v, jaxpr_lib.DropVar)]
    ordered = jaxpr.replace(eqns=eqns, outvars=[renamed(v) for v in jaxpr.outvars])
    return evaluate.eval_jaxpr(ordered, closed.consts, *args)
