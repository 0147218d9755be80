"""Programs without calls: the equations of called programs stand where the call stood."""

from collections.abc import Sequence
from typing import Any

from jax._src.core import jaxpr as jaxpr_lib
from jax._src.jit import primitive as jit_primitive
from jax._src.lax.control_flow import solves
from jax._src.lax.ops import barriers
from jax._src.transforms import checkpoint, custom_jvp, custom_vjp

# Primitives whose results are those of a program, and the parameter that holds it.
_CALLS = {
    jit_primitive.jit_p: "jaxpr",
    custom_jvp.custom_jvp_call_p: "call_jaxpr",
    custom_vjp.custom_vjp_call_p: "call_jaxpr",
    checkpoint.remat_p: "jaxpr",
}


# Primitives that run a program as it is, and the parameter that holds it.
BODIES = {"scan": "jaxpr", "while": "body_jaxpr", "shard_map": "jaxpr"}


def body_of(eqn: jaxpr_lib.JaxprEqn) -> jaxpr_lib.ClosedJaxpr | None:
    """The program that a loop or a `shard_map` runs; None for other equations."""
    parameter = BODIES.get(eqn.primitive.name)
    closed = None if parameter is None else eqn.params[parameter]
    return closed if isinstance(closed, jaxpr_lib.ClosedJaxpr) else None


def with_body(
    eqn: jaxpr_lib.JaxprEqn, closed: jaxpr_lib.ClosedJaxpr
) -> jaxpr_lib.JaxprEqn:
    """The equation that runs another program with the same inputs and results."""
    parameter = BODIES[eqn.primitive.name]
    return eqn.replace(params={**eqn.params, parameter: closed})


def flatten(closed: jaxpr_lib.ClosedJaxpr) -> jaxpr_lib.ClosedJaxpr:
    """The program with the equations of the programs that it calls, at any depth.

    Loops, branches and `shard_map` stay; what these run is flat too, but for branches. The
    program's constants come first among those of the result.
    """
    found = _Flattening()
    jaxpr = closed.jaxpr
    names: dict[jaxpr_lib.Var, jaxpr_lib.Atom] = {}
    found.add(jaxpr.eqns, names, jaxpr_lib.no_names)
    flat = jaxpr.replace(
        constvars=[*jaxpr.constvars, *found.constvars],
        outvars=[_renamed(names, v) for v in jaxpr.outvars],
        eqns=found.eqns,
    )
    return jaxpr_lib.ClosedJaxpr(flat, [*closed.consts, *found.consts])


def _renamed(names, atom):
    return names.get(atom, atom) if isinstance(atom, jaxpr_lib.Var) else atom


def _called(eqn, invars):
    """The program that may stand for an equation, and its operands; or None."""
    if eqn.primitive is solves.linear_solve_p:
        # Rules of derivatives need the other functions; they were applied before.
        lengths = eqn.params["const_lengths"]
        first = lengths.matvec + lengths.vecmat
        right = sum(lengths)
        given = [*invars[first : first + lengths.solve], *invars[right:]]
        return eqn.params["jaxprs"].solve, given
    closed = _program_of(eqn)
    return None if closed is None else (closed, invars)


def _program_of(eqn):
    parameter = _CALLS.get(eqn.primitive)
    closed = None if parameter is None else eqn.params[parameter]
    if not isinstance(closed, jaxpr_lib.ClosedJaxpr):
        return None
    # Lowering refuses compiler options inside of a program, and says so.
    return None if eqn.params.get("compiler_options_kvs") else closed


class _Flattening:
    def __init__(self):
        self.eqns: list[jaxpr_lib.JaxprEqn] = []
        self.constvars: list[jaxpr_lib.Var] = []
        self.consts: list[Any] = []
        self._const_of: dict[int, jaxpr_lib.Var] = {}

    def add(
        self,
        eqns: Sequence[jaxpr_lib.JaxprEqn],
        names: dict[jaxpr_lib.Var, jaxpr_lib.Atom],
        scopes: jaxpr_lib.NameStack,
        is_inner: bool = False,
    ) -> None:
        """Appends equations, under new names where their program may be called twice."""
        for eqn in eqns:
            invars = [_renamed(names, v) for v in eqn.invars]
            stack = scopes + eqn.name_stack if scopes.stack else eqn.name_stack
            called = _called(eqn, invars)
            if called is None:
                body = body_of(eqn)
                if body is not None:
                    eqn = with_body(eqn, flatten(body))
                outvars = eqn.outvars
                if is_inner:
                    outvars = [type(v)(v.aval) for v in outvars]
                    names.update(zip(eqn.outvars, outvars, strict=True))
                self.eqns.append(
                    eqn.replace(invars=invars, outvars=outvars, name_stack=stack)
                )
                continue
            self._add_call(eqn, *called, names, stack)

    def _add_call(self, eqn, closed, invars, names, stack):
        if eqn.primitive is jit_primitive.jit_p:
            stack = stack.extend(f"jit({eqn.params['name']})")
        if eqn.primitive is checkpoint.remat_p:
            stack = stack.extend("checkpoint")
            invars = self._guarded(eqn, invars, stack)
        inner = closed.jaxpr
        inside: dict[jaxpr_lib.Var, jaxpr_lib.Atom] = {}
        for var, value in zip(inner.constvars, closed.consts, strict=True):
            known = self._const_of.get(id(value))
            if known is None:
                known = self._const_of[id(value)] = jaxpr_lib.Var(var.aval)
                self.constvars.append(known)
                self.consts.append(value)
            inside[var] = known
        inside.update(zip(inner.invars, invars, strict=True))
        self.add(inner.eqns, inside, stack, is_inner=True)
        for var, atom in zip(eqn.outvars, inner.outvars, strict=True):
            names[var] = _renamed(inside, atom)

    def _guarded(self, eqn, invars, stack):
        """The operands of a checkpoint behind the barrier that its lowering makes."""
        flags = eqn.params["prevent_cse"]
        if not eqn.params["differentiated"]:
            return invars
        if isinstance(flags, bool):
            flags = [flags] * len(invars)
        guarded = [
            v
            for v, flag in zip(invars, flags, strict=True)
            if flag and isinstance(v, jaxpr_lib.Var)
        ]
        guarded = list(dict.fromkeys(guarded))
        if not guarded:
            return invars
        after = {v: jaxpr_lib.Var(v.aval) for v in guarded}
        self.eqns.append(barrier(guarded, list(after.values()), eqn.location, stack))
        return [after.get(v, v) if isinstance(v, jaxpr_lib.Var) else v for v in invars]


def barrier(
    before: Sequence[jaxpr_lib.Var],
    after: Sequence[jaxpr_lib.Var],
    location: Any,
    stack: jaxpr_lib.NameStack,
) -> jaxpr_lib.JaxprEqn:
    """An equation that gives values new names, behind which nothing is merged with what was before."""
    return jaxpr_lib.JaxprEqn(
        list(before),
        list(after),
        barriers.optimization_barrier_p,
        {},
        location=location,
        name_stack=stack,
    )
