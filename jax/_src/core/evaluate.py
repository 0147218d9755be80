"""Running programs, and checking them."""

import weakref
from collections.abc import Sequence
from typing import Any

from jax._src.base import errors, source
from jax._src.core import (
    avals,
    equation_mesh,
    jaxpr as jaxpr_lib,
    primitive,
    state,
    vma,
    wide_values,
)


def eval_jaxpr(
    jaxpr: jaxpr_lib.Jaxpr,
    consts: Sequence[Any],
    *args: Any,
    propagate_source_info: bool = True,
) -> list[Any]:
    """Applies a program to values, in the current trace.

    Args:
        jaxpr: the program.
        consts: values of its constant variables.
        args: values of its inputs.
        propagate_source_info: accepted; equations are evaluated under their own scopes.

    Returns:
        The values of its outputs.
    """
    values: dict[jaxpr_lib.Var, Any] = dict(zip(jaxpr.constvars, consts, strict=True))
    values.update(zip(jaxpr.invars, args, strict=True))
    last_use = last_uses(jaxpr)
    trace = state.current()
    is_tracked = bool(trace.tracks)
    has_mesh = equation_mesh.may_differ()
    with source.Replay() as replay:
        for index, eqn in enumerate(jaxpr.eqns):
            replay.location = eqn.location
            operands = tuple(
                v.val if isinstance(v, jaxpr_lib.Literal) else values[v]
                for v in eqn.invars
            )
            primitive = eqn.primitive
            rebind = primitive.rules.get("rebind")
            wide = _NOTHING
            if wide_values.begun:
                types = [v.aval for v in eqn.invars]
                wide = wide_values.dtype_scope(types)
                with wide:
                    operands = wide_values.as_typed(operands, types)
            if is_tracked:
                # The values may vary along more mesh axes than those of the trace did.
                with wide:
                    operands = vma.join(primitive, operands)
            token = state.enter_scopes(eqn.name_stack.stack)
            block = equation_mesh.mesh_scope(eqn) if has_mesh else equation_mesh.NOTHING
            try:
                with block, wide:
                    if rebind is not None:
                        out = rebind(operands, eqn.params)
                    else:
                        out = trace.process(primitive, operands, eqn.params)
            finally:
                state.leave_scopes(token)
            if primitive.multiple_results:
                values.update(zip(eqn.outvars, out, strict=True))
            else:
                values[eqn.outvars[0]] = out
            for var in last_use.get(index, ()):
                values.pop(var, None)
    outs = [
        v.val if isinstance(v, jaxpr_lib.Literal) else values[v] for v in jaxpr.outvars
    ]
    if not wide_values.begun:
        return outs
    return list(wide_values.as_typed(outs, [v.aval for v in jaxpr.outvars]))


_NOTHING = equation_mesh.NOTHING


def last_uses(jaxpr: jaxpr_lib.Jaxpr) -> dict[int, list[jaxpr_lib.Var]]:
    """For each equation, the variables that no later equation and no output uses."""
    last: dict[jaxpr_lib.Var, int] = {}
    for index, eqn in enumerate(jaxpr.eqns):
        for var in eqn.outvars:
            last[var] = index
        for var in eqn.invars:
            if isinstance(var, jaxpr_lib.Var):
                last[var] = index
    for var in jaxpr.outvars:
        if isinstance(var, jaxpr_lib.Var):
            last.pop(var, None)
    uses: dict[int, list[jaxpr_lib.Var]] = {}
    for var, index in last.items():
        uses.setdefault(index, []).append(var)
    return uses


def eval_closed(closed: jaxpr_lib.ClosedJaxpr, *args: Any) -> list[Any]:
    """Applies a closed program to values, in the current trace."""
    return eval_jaxpr(closed.jaxpr, closed.consts, *args)


def jaxpr_as_fun(closed_jaxpr: jaxpr_lib.ClosedJaxpr, *args: Any) -> Any:
    """The function from inputs to a list of outputs that a program stands for.

    Args:
        closed_jaxpr: the program.
        *args: its inputs; where they are given, the outputs are returned at once.
    """
    if args:
        return eval_closed(closed_jaxpr, *args)

    def run(*args: Any) -> list[Any]:
        return eval_closed(closed_jaxpr, *args)

    return run


# Programs that passed the check, which never change.
_found_right: "weakref.WeakSet[jaxpr_lib.Jaxpr]" = weakref.WeakSet()


def check_new_jaxpr(jaxpr: jaxpr_lib.Jaxpr) -> None:
    """Checks a program that was just traced, as `check_jaxpr`.

    Those that it runs were checked when they were traced, and are not checked again for
    each program around them.
    """
    _check(jaxpr, _found_right)


def check_jaxpr(jaxpr: jaxpr_lib.Jaxpr) -> None:
    """Checks that variables are bound once and before use, and that types agree.

    Raises:
        JaxprTypeError: they are not, or do not.
    """
    _check(jaxpr, set())


def _check(jaxpr, found_right):
    bound: set[jaxpr_lib.Var] = set()
    for var in (*jaxpr.constvars, *jaxpr.invars):
        _bind(var, bound, jaxpr)
    has_mesh = equation_mesh.may_differ()
    for eqn in jaxpr.eqns:
        for atom in eqn.invars:
            _check_atom(atom, bound, eqn)
        with equation_mesh.mesh_scope(eqn) if has_mesh else equation_mesh.NOTHING:
            _check_types(eqn, jaxpr)
            _check_programs(eqn, found_right)
        for var in eqn.outvars:
            _bind(var, bound, eqn)
    for atom in jaxpr.outvars:
        _check_atom(atom, bound, jaxpr)
    found_right.add(jaxpr)


def _check_programs(eqn, found_right):
    """Checks the programs of an equation, under the named axes and mesh that it gives them."""
    programs = [
        p for p in jaxpr_lib.jaxprs_in_params(eqn.params) if p not in found_right
    ]
    if not programs:
        return
    inside = eqn.primitive.rules.get("inside")
    with inside(eqn.params) if inside else equation_mesh.NOTHING:
        for program in programs:
            _check(program, found_right)


def _bind(var, bound, where):
    if var in bound:
        raise errors.JaxprTypeError(f"variable {var!r} is bound twice in:\n{where}")
    bound.add(var)


def _check_atom(atom, bound, where):
    if isinstance(atom, jaxpr_lib.Var) and atom not in bound:
        raise errors.JaxprTypeError(f"variable {atom!r} is used unbound in:\n{where}")


def _check_types(eqn, jaxpr):
    operands = [v.aval for v in eqn.invars]
    if eqn.primitive.rules.get("sharding") is not primitive.BY_TYPES:
        # Types that a rule makes of its operands' may not have their shardings.
        operands = [
            a.without_sharding() if isinstance(a, avals.ShapedArray) else a
            for a in operands
        ]
    inferred, _ = eqn.primitive.infer(operands, eqn.params)
    results = inferred if eqn.primitive.multiple_results else [inferred]
    if len(results) != len(eqn.outvars):
        raise errors.JaxprTypeError(
            f"{len(eqn.outvars)} results where {len(results)} are made by:\n{eqn}"
        )
    for var, aval in zip(eqn.outvars, results, strict=True):
        if not same_type(var.aval, aval):
            name = jaxpr_lib.to_text(var, inside=jaxpr)
            raise errors.JaxprTypeError(
                f"Value for variable '{name}' inconsistently typed as "
                f"{aval.str_short(short_dtypes=True)} for let-binder of type "
                f"{var.aval.str_short(short_dtypes=True)}\n\nin equation:\n\n"
                f"{jaxpr_lib.to_text(eqn, inside=jaxpr)}"
            )


def same_type(a: avals.AbstractValue, b: avals.AbstractValue) -> bool:
    """Whether two types agree up to weakness and sharding."""
    if isinstance(a, avals.ShapedArray) and isinstance(b, avals.ShapedArray):
        return a is b or (a.shape == b.shape and a.dtype == b.dtype)
    return a == b
