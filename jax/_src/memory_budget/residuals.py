"""Residuals of loops: what a loop keeps of each step for the loop of its derivative is computed again there.

The first loop then keeps what it carries into each step, and the second computes the step
again, from that and from what the first one read: a `jax.checkpoint` around its body.
"""

from collections.abc import Mapping, Sequence

from jax._src.core import jaxpr as jaxpr_lib
from jax._src.interpreters import partial_eval as pe
from jax._src.memory_budget import planning


def computed_again(
    jaxpr: jaxpr_lib.Jaxpr, sizes: Mapping[jaxpr_lib.Var, int]
) -> jaxpr_lib.Jaxpr:
    """The program in which loops keep what they carry in place of more that others read.

    Args:
        jaxpr: a program without calls.
        sizes: the bytes of its variables, which decide nothing here.

    Returns:
        It; the same one where no loop keeps more than it carries.
    """
    del sizes
    while True:
        found = _find(jaxpr)
        if found is None:
            return jaxpr
        jaxpr = found


def _find(jaxpr):
    """The program with one pair of loops changed, or None."""
    readers: dict[jaxpr_lib.Var, list[int]] = {}
    for number, eqn in enumerate(jaxpr.eqns):
        for var in {v for v in eqn.invars if isinstance(v, jaxpr_lib.Var)}:
            readers.setdefault(var, []).append(number)
    outputs = {v for v in jaxpr.outvars if isinstance(v, jaxpr_lib.Var)}
    for number, eqn in enumerate(jaxpr.eqns):
        if eqn.primitive.name != "scan" or eqn.effects:
            continue
        kept = eqn.outvars[eqn.params["num_carry"] :]
        by_reader: dict[int, list[jaxpr_lib.Var]] = {}
        for var in kept:
            if var not in outputs and len(readers.get(var, ())) == 1:
                by_reader.setdefault(readers[var][0], []).append(var)
        for reader, group in by_reader.items():
            changed = _Pair(jaxpr, number, reader, group).changed()
            if changed is not None:
                return changed
    return None


class _Pair:
    """A loop, and the loop that reads what it keeps of each step."""

    def __init__(self, jaxpr, first: int, second: int, group: Sequence[jaxpr_lib.Var]):
        self.jaxpr = jaxpr
        self.numbers = first, second
        self.first, self.second = jaxpr.eqns[first], jaxpr.eqns[second]
        self.group = list(group)

    def changed(self):
        """The program, or None where it would keep as much."""
        first, second = self.first, self.second
        if second.primitive.name != "scan" or second.effects:
            return None
        if first.params["length"] != second.params["length"]:
            return None
        rows = second.invars[self._count(second) :]
        self.group = [v for v in self.group if sum(v is r for r in rows) == 1]
        if not self.group or any(
            v in second.invars[: self._count(second)] for v in self.group
        ):
            return None
        closed = first.params["jaxpr"]
        wanted = [v in self.group for v in first.outvars]
        step, used = pe.dce_jaxpr(closed.jaxpr, wanted)
        n_consts, n_carry = first.params["num_consts"], first.params["num_carry"]
        carried = [n_consts + i for i in range(n_carry) if used[n_consts + i]]
        length = first.params["length"]
        added = length * sum(
            planning.nbytes(closed.jaxpr.invars[i].aval) for i in carried
        )
        if added >= sum(planning.nbytes(v.aval) for v in self.group):
            return None
        stacks = [
            jaxpr_lib.Var(_stacked(closed.jaxpr.invars[i].aval, length))
            for i in carried
        ]
        eqns = list(self.jaxpr.eqns)
        eqns[self.numbers[0]] = self._first(carried, stacks)
        eqns[self.numbers[1]] = self._second(step, used, stacks)
        return self.jaxpr.replace(eqns=eqns)

    def _count(self, eqn):
        return eqn.params["num_consts"] + eqn.params["num_carry"]

    def _first(self, carried, stacks):
        """The first loop, which keeps what it carries into steps."""
        eqn = self.first
        closed = eqn.params["jaxpr"]
        outs = [
            (inner, outer)
            for inner, outer in zip(closed.jaxpr.outvars, eqn.outvars, strict=True)
            if outer not in self.group
        ]
        inner = closed.jaxpr
        body = inner.replace(
            outvars=[*[v for v, _ in outs], *[inner.invars[i] for i in carried]],
            debug_info=inner.debug_info.with_unknown_names(),
        )
        return eqn.replace(
            outvars=[*[v for _, v in outs], *stacks],
            params={**eqn.params, "jaxpr": closed.replace(jaxpr=body)},
        )

    def _second(self, step, used, stacks):
        """The second loop, which computes the first one's step again."""
        first, second = self.first, self.second
        closed, origin = second.params["jaxpr"], first.params["jaxpr"]
        n_consts, n_carry = first.params["num_consts"], first.params["num_carry"]
        consts = [i for i in range(n_consts) if used[i]]
        rows = [i for i in range(n_consts + n_carry, len(used)) if used[i]]
        names = {
            v: jaxpr_lib.Var(v.aval)
            for v in (*step.constvars, *step.invars, *_made(step))
        }
        order = [v for v, u in zip(origin.jaxpr.invars, used, strict=True) if u]
        fresh = dict(zip([i for i, u in enumerate(used) if u], order, strict=True))
        inner = closed.jaxpr
        mine = second.params["num_consts"]
        head = mine + second.params["num_carry"]
        again = [
            eqn.replace(
                invars=[_named(names, v) for v in eqn.invars],
                outvars=[_named(names, v) for v in eqn.outvars],
                name_stack=_AGAIN + eqn.name_stack,
            )
            for eqn in step.eqns
        ]
        kept = [v for v in first.outvars if v in self.group]
        results = dict(zip(kept, step.outvars, strict=True))
        given = {
            v: _named(names, results[outer])
            for v, outer in zip(inner.invars[head:], second.invars[head:], strict=True)
            if isinstance(outer, jaxpr_lib.Var) and outer in results
        }
        eqns = [
            e.replace(invars=[_named(given, v) for v in e.invars]) for e in inner.eqns
        ]
        left = [
            (v, outer)
            for v, outer in zip(inner.invars[head:], second.invars[head:], strict=True)
            if v not in given
        ]
        carried = [i for i in range(n_consts, n_consts + n_carry) if used[i]]
        body = inner.replace(
            constvars=[*inner.constvars, *[names[v] for v in step.constvars]],
            invars=[
                *[names[fresh[i]] for i in consts],
                *inner.invars[:head],
                *[v for v, _ in left],
                *[names[fresh[i]] for i in (*carried, *rows)],
            ],
            outvars=[_named(given, v) for v in inner.outvars],
            eqns=[*again, *eqns],
            debug_info=inner.debug_info.with_unknown_names(),
        )
        values = [*closed.consts, *origin.consts]
        return second.replace(
            invars=[
                *[first.invars[i] for i in consts],
                *second.invars[:head],
                *[outer for _, outer in left],
                *stacks,
                *[first.invars[i] for i in rows],
            ],
            params={
                **second.params,
                "jaxpr": jaxpr_lib.ClosedJaxpr(body, values),
                "num_consts": mine + len(consts),
            },
        )


_AGAIN = jaxpr_lib.NameStack(("rematted_computation",))


def _made(jaxpr):
    return [v for eqn in jaxpr.eqns for v in eqn.outvars]


def _named(names, atom):
    return names.get(atom, atom) if isinstance(atom, jaxpr_lib.Var) else atom


def _stacked(aval, length):
    return aval.update(shape=(length, *aval.shape))
