"""Counting what a program needs: its operations by their rules, its values while alive."""

import functools as ft
import logging
from collections.abc import Callable
from typing import Any

from jax._src import tree
from jax._src.base import errors
from jax._src.core import avals, jaxpr
from jax._src.numpy import creation
from jax._src.roofline import sending as _sending  # noqa: F401  (its rules)
from jax._src.roofline.results import (
    RooflineResult,
    RooflineRuleContext,
    RooflineShape,
    rules,
)
from jax._src.shard_map import api as shard_maps
from jax._src.transforms import calls, differentiate, inspect_programs

_log = logging.getLogger("jax.roofline")
# Trees of specifications of partitions, and of types.
Specs = Any
ShapeDtypeStructTree = Any


def _bytes_of(atoms):
    return RooflineShape.total_bytes([v.aval for v in atoms])


def _of_equation(eqn, mesh, pins):
    inner = eqn.params.get("jaxpr", eqn.params.get("call_jaxpr"))
    if inner is not None and eqn.primitive not in rules:
        mesh = eqn.params.get("mesh", mesh)
        return _of_program(getattr(inner, "jaxpr", inner), mesh, pins)
    rule = rules.get(eqn.primitive)
    if rule is None:
        _log.warning("roofline: %s has no rule and counts as nothing", eqn.primitive)
        return RooflineResult.zeros()
    context = RooflineRuleContext(
        name_stack=eqn.source_info.name_stack,
        primitive=eqn.primitive,
        avals_in=[v.aval for v in eqn.invars],
        avals_out=[v.aval for v in eqn.outvars],
        jaxpr_eqn_ctx=eqn.ctx,
        mesh=mesh,
        pin_lhs_in_vmem=pins[0],
        pin_rhs_in_vmem=pins[1],
    )
    shapes = [RooflineShape.from_aval(aval) for aval in context.avals_in]
    return rule(context, *shapes, **eqn.params)


def _last_uses(program):
    """Where each variable is used last; results of the program are never freed."""
    last = {
        v: i
        for i, eqn in enumerate(program.eqns)
        for v in eqn.invars
        if not isinstance(v, jaxpr.Literal)
    }
    return last | {v: len(program.eqns) for v in program.outvars}


def _of_program(program, mesh, pins):
    last = _last_uses(program)
    alive = {v for v in (*program.constvars, *program.invars) if v in last}
    total = RooflineResult(peak_hbm_bytes=_bytes_of(alive))
    for i, eqn in enumerate(program.eqns):
        total += _of_equation(eqn, mesh, pins)
        alive = {v for v in alive if last[v] > i}
        alive.update(v for v in eqn.outvars if last.get(v, -1) > i)
        total += RooflineResult(peak_hbm_bytes=_bytes_of(alive))
    return total


def _last_body(program):
    """The program inside of the last `shard_map`."""
    for eqn in reversed(program.eqns):
        inner = eqn.params.get("jaxpr", eqn.params.get("call_jaxpr"))
        if eqn.primitive.name == "shard_map":
            return inner
        found = None if inner is None else _last_body(getattr(inner, "jaxpr", inner))
        if found is not None:
            return found
    return None


def _with_pullback(f):
    """The function, and its gradients where results are weighted by ones."""

    @ft.wraps(f)
    def gradients(*args):
        outs, pull_back = differentiate.vjp(f, *args)
        ones = tree.tree_map(
            lambda out: creation.full_like(out, 1, avals.get_aval(out).dtype), outs
        )
        return pull_back(ones)

    return gradients


def roofline(
    f: Callable,
    mesh: Any = None,
    in_specs: Specs = None,
    out_specs: Specs = None,
    *,
    pin_lhs_in_vmem: bool = False,
    pin_rhs_in_vmem: bool = False,
    vjp: bool = False,
    print_jaxpr: bool = False,
) -> Callable[..., tuple[ShapeDtypeStructTree, RooflineResult]]:
    """Counts what a function computes, moves and sends, without running it.

    Loops count as one turn, and operations without a rule as nothing: the logger
    ``jax.roofline`` names those.

    Args:
        f: the function of trees of arrays or types.
        mesh: devices; with `in_specs` and `out_specs`, `f` is what one of them does, as in
            `jax.shard_map`, and its share alone is counted.
        in_specs: how the arguments are split.
        out_specs: how the results are.
        pin_lhs_in_vmem: whether left operands of products, and the products, stay in a
            fast memory and move nowhere.
        pin_rhs_in_vmem: whether right operands do.
        vjp: whether to count the gradients too, of results weighted by ones.
        print_jaxpr: whether to print the program that is counted.

    Returns:
        A function with the arguments of `f` that returns the types of the results, of
        gradients with `vjp`, and a `RooflineResult`.

    Examples:
        >>> shapes, result = roofline(jnp.dot)(jnp.ones((8, 16)), jnp.ones((16, 4)))
        >>> result.flops, result.hbm_bytes
        (1024, 896)
    """
    calls.check_callable(f, "roofline")
    is_split = None not in (mesh, in_specs, out_specs)
    pins = (pin_lhs_in_vmem, pin_rhs_in_vmem)

    def count(*args: Any) -> tuple[ShapeDtypeStructTree, RooflineResult]:
        whole = f
        if is_split:
            whole = shard_maps.shard_map(
                f, mesh=mesh, in_specs=in_specs, out_specs=out_specs
            )
        if vjp:
            whole = _with_pullback(whole)
        closed, shapes = inspect_programs.make_jaxpr(whole, return_shape=True)(*args)
        program = _last_body(closed.jaxpr) if is_split else closed.jaxpr
        if program is None:
            raise errors.value_error(
                "roofline: nothing is left of the function on a device.",
                [("mesh", str(mesh)), ("program", f"{closed.jaxpr!s:.200}")],
            )
        if print_jaxpr:
            print(program)
        return shapes, _of_program(program, mesh, pins)

    return count


def roofline_and_grad(
    f: Callable,
    mesh: Any,
    in_specs: Specs,
    out_specs: Specs,
    *,
    pin_lhs_in_vmem: bool = False,
    pin_rhs_in_vmem: bool = False,
    print_jaxpr: bool = False,
) -> Callable[..., tuple[ShapeDtypeStructTree, RooflineResult, RooflineResult]]:
    """`roofline` of a function and of its gradients.

    Args:
        f: as in `roofline`, and so are the others.
        mesh: the devices.
        in_specs: how the arguments are split.
        out_specs: how the results are.
        pin_lhs_in_vmem: whether left operands stay in a fast memory.
        pin_rhs_in_vmem: whether right operands do.
        print_jaxpr: whether to print the programs.

    Returns:
        A function that returns the types of the results, what `f` needs, and what its
        gradients need.
    """
    options: dict[str, Any] = {
        "pin_lhs_in_vmem": pin_lhs_in_vmem,
        "pin_rhs_in_vmem": pin_rhs_in_vmem,
        "print_jaxpr": print_jaxpr,
    }

    def count(*args: Any) -> tuple[Any, RooflineResult, RooflineResult]:
        shapes, forward = roofline(f, mesh, in_specs, out_specs, **options)(*args)
        _, backward = roofline(f, mesh, in_specs, out_specs, vjp=True, **options)(*args)
        return shapes, forward, backward

    return count
