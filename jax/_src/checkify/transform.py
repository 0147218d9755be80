"""`checkify`: from functions that check to functions that return what they found.

The function is traced, and its program evaluated equation by equation together with a
`Findings`, the state of all checks so far. Programs inside of an equation become
programs that return their findings beside their results.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jax._src import tree
from jax._src.base import errors as messages, traceback_filter, util
from jax._src.base.traceback_filter import api_boundary
from jax._src.checkify import automatic, errors as errors_lib, user
from jax._src.core import (
    avals as avals_lib,
    jaxpr as jaxpr_lib,
    slots,
    state,
    vma,
    wide_values,
)
from jax._src.core.evaluate import eval_closed
from jax._src.interpreters import partial_eval as pe
from jax._src.lax import mesh_modes
from jax._src.lax.control_flow import while_loops
from jax._src.numpy import creation, reductions, reshaping, selection
from jax._src.shard_map import specs as specs_lib, tracing
from jax._src.transforms import calls

Site = errors_lib.Site | errors_lib.SiteOnDevices


class Findings:
    """Whether a check failed, the first site where, and what is said about each site."""

    def __init__(self) -> None:
        self.pred: Any = np.bool_(False)
        self.code: Any = np.int32(0)
        # Site -> its payload. Sites are numbered in this order.
        self.payload: dict[Site, list[Any]] = {}

    def number(self, site: Site) -> int:
        """The number of a site."""
        return list(self.payload).index(site)

    def add(self, site: Site, failed: Any, payload: Sequence[Any]) -> None:
        """Takes in the result of one check."""
        self._keep(site, payload)
        code = np.int32(self.number(site))
        self._take(failed, lambda: code)

    def add_all(self, other: "Findings") -> None:
        """Takes in the findings of a program."""
        for site, payload in other.payload.items():
            self._keep(site, payload)
        if other.payload:
            order = [self.number(site) for site in other.payload]
            table = creation.asarray(np.asarray(order, np.int32))
            self._take(other.pred, lambda: table[other.code])

    def _keep(self, site, payload):
        old = self.payload.get(site)
        if old is not None:
            # What was said when the site failed first stays.
            pairs = zip(old, payload, strict=True)
            payload = [selection.where(self.pred, a, b) for a, b in pairs]
        self.payload[site] = list(payload)

    def _take(self, failed, code):
        here = selection.where(failed, code(), self.code)
        self.code = selection.where(self.pred, self.code, here)
        self.pred = creation.asarray(self.pred) | failed

    def leaves(self) -> list[Any]:
        """The state as a list of values."""
        return [self.pred, self.code, *[x for p in self.payload.values() for x in p]]

    @classmethod
    def of_leaves(cls, sites: "Sites", leaves: Sequence[Any]) -> "Findings":
        """The opposite of `leaves`."""
        made = cls()
        made.pred, made.code, *rest = leaves
        values = iter(rest)
        for site, avals in sites.items():
            made.payload[site] = [next(values) for _ in avals]
        return made

    @classmethod
    def none_yet(cls, sites: "Sites") -> "Findings":
        """The state before the first check of these sites."""
        made = cls()
        for site, avals in sites.items():
            made.payload[site] = [creation.zeros(a.shape, a.dtype) for a in avals]
        return made

    def with_sites(self, sites: "Sites") -> "Findings":
        """Returns these findings with the sites of other programs among them."""
        made = Findings.none_yet(sites)
        made.add_all(self)
        return made

    @property
    def sites(self) -> "Sites":
        """The sites, with the types of their payloads."""
        return {s: [_strong(x) for x in xs] for s, xs in self.payload.items()}


Sites = dict[Site, list[avals_lib.ShapedArray]]


def _strong(x):
    return avals_lib.get_aval(x).strip_weak_type()


def _settled(findings, axes=frozenset()):
    """The leaves with the types of `_state_avals`; all vary as any of them does."""
    pred, code, *rest = findings.leaves()
    fixed = [creation.asarray(pred, np.bool_), creation.asarray(code, np.int32)]
    with wide_values.dtype_scope([avals_lib.get_aval(x) for x in rest]):
        leaves = fixed + [creation.asarray(x, _strong(x).dtype) for x in rest]
    axes = axes.union(*(vma.of(x).varying for x in leaves))
    return [vma.vary_along(x, axes) for x in leaves]


def evaluate(
    closed: jaxpr_lib.ClosedJaxpr, args: Sequence[Any], all_wanted: frozenset
) -> tuple[Findings, list[Any]]:
    """Applies a program to values, with checks.

    Returns:
        The findings and the results.
    """
    jaxpr, findings = closed.jaxpr, Findings()
    values: dict[jaxpr_lib.Var, Any] = dict(
        zip(jaxpr.constvars, closed.consts, strict=True)
    )
    values.update(zip(jaxpr.invars, args, strict=True))

    def read(atom):
        return atom.val if isinstance(atom, jaxpr_lib.Literal) else values[atom]

    for eqn in jaxpr.eqns:
        operands = [read(v) for v in eqn.invars]
        wanted = _wanted_of(eqn, all_wanted)
        types = [v.aval for v in eqn.invars]
        with wide_values.replayed(operands, types) as operands:
            outs = _evaluate_equation(eqn, operands, wanted, findings)
        values.update(zip(eqn.outvars, outs, strict=True))
    return findings, results(jaxpr, values)


def results(jaxpr: jaxpr_lib.Jaxpr, values: dict[jaxpr_lib.Var, Any]) -> list[Any]:
    """The results of a program whose variables have these values, with its types."""
    atoms = jaxpr.outvars
    outs = [v.val if isinstance(v, jaxpr_lib.Literal) else values[v] for v in atoms]
    if wide_values.begun:
        outs = list(wide_values.as_typed(outs, [v.aval for v in atoms]))
    return outs


def _evaluate_equation(eqn, operands, wanted, findings):
    """The results of an equation; what checks find is added to `findings`."""
    if eqn.primitive is user.check_p:
        if errors_lib.FailedCheckError in wanted:
            pred, *payload = operands
            findings.add(eqn.params["site"], ~creation.asarray(pred), payload)
        return []
    rule = _RULES.get(eqn.primitive.name)
    if rule is not None:
        inner, outs = rule(eqn, operands, wanted)
        findings.add_all(inner)
        return outs
    outs = apply_equation(eqn, operands)
    for found in automatic.of_equation(eqn, operands, outs, wanted):
        findings.add(automatic.site_of(eqn, found), found[2], found[3])
    return outs


def _wanted_of(eqn, wanted):
    """The kinds of checks of one equation, and of the programs in it."""
    if state.OUT_OF_BOUNDS_IS_DEFINED in eqn.name_stack.stack:
        return wanted - errors_lib.index_checks
    return wanted


def apply_equation(eqn: jaxpr_lib.JaxprEqn, operands: Sequence[Any]) -> list[Any]:
    """The results of an equation for these operands."""
    if any(isinstance(e, user.CheckEffect) for e in eqn.effects):
        raise NotImplementedError(
            f"checkify: checks inside of {eqn.primitive.name!r} are not supported."
        )
    rebind = eqn.primitive.rules.get("rebind")
    if rebind is not None:
        out = rebind(operands, eqn.params)
    else:
        out = eqn.primitive.bind(*operands, **eqn.params)
    return out if eqn.primitive.multiple_results else [out]


def checked(
    closed: jaxpr_lib.ClosedJaxpr, wanted: frozenset
) -> tuple[jaxpr_lib.ClosedJaxpr, Sites]:
    """The program that returns its findings, then its results; and its sites."""

    def make():
        found: list[Sites] = []

        def run(*args):
            findings, outs = evaluate(closed, args, wanted)
            found.append(findings.sites)
            return [*_settled(findings), *outs]

        return pe.trace_to_closed(run, closed.in_avals, closed.debug_info), found[0]

    return closed.derived(("checkify", wanted), make)


def _axes_of(*programs):
    """The mesh axes along which findings of checked programs vary, in `shard_map`."""
    manual = [vma.of_type(program.out_avals[0]) for program in programs]
    return frozenset().union(*(m.varying for m in manual))


def _state_avals(sites, axes):
    flags = [avals_lib.ShapedArray((), np.bool_), avals_lib.ShapedArray((), np.int32)]
    manual = vma.ManualAxisType(varying=axes)
    avals = flags + [a for avals in sites.values() for a in avals]
    return [a.update(manual_axis_type=manual) for a in avals]


def _size(sites):
    """How many arrays the state of these sites has."""
    return 2 + sum(map(len, sites.values()))


def _of_jit(eqn, operands, wanted):
    program, sites = checked(eqn.params["jaxpr"], wanted)
    n_in, n_out = len(operands), len(program.jaxpr.outvars)
    unspecified = eqn.params["out_shardings"][:1] or (None,)
    params = {
        **eqn.params,
        "jaxpr": program,
        "out_shardings": unspecified * n_out,
        "donated_invars": (False,) * n_in,
    }
    outs = eqn.primitive.bind(*operands, **params)
    count = _size(sites)
    return Findings.of_leaves(sites, outs[:count]), outs[count:]


def _inline(name):
    def run(eqn, operands, wanted):
        return evaluate(eqn.params[name], operands, wanted)

    return run


def _of_cond(eqn, operands, wanted):
    index, *args = operands
    parts = [checked(branch, wanted) for branch in eqn.params["branches"]]
    union: Sites = {}
    for _, sites in parts:
        union.update(sites)
    axes = _axes_of(*(program for program, _ in parts))
    branches = tuple(
        _widened(program, sites, union, axes, eqn.params["branches"][0].in_avals)
        for program, sites in parts
    )
    outs = eqn.primitive.bind(index, *args, **{**eqn.params, "branches": branches})
    count = _size(union)
    return Findings.of_leaves(union, outs[:count]), outs[count:]


def _widened(program, sites, union, axes, avals):
    """A checked program that speaks of more sites than its own."""
    count = _size(sites)

    def run(*args):
        outs = eval_closed(program, *args)
        findings = Findings.of_leaves(sites, outs[:count]).with_sites(union)
        return [*_settled(findings, axes), *outs[count:]]

    return pe.trace_to_closed(run, avals, program.debug_info)


def _step(program, sites, n_consts, n_state):
    """A body `(consts, state, rest) -> (state, results)` from a checked one."""

    def run(*args):
        consts, state = args[:n_consts], args[n_consts : n_consts + n_state]
        outs = eval_closed(program, *consts, *args[n_consts + n_state :])
        findings = Findings.of_leaves(sites, state)
        findings.add_all(Findings.of_leaves(sites, outs[:n_state]))
        return [*_settled(findings), *outs[n_state:]]

    return run


def _of_scan(eqn, operands, wanted):
    params = eqn.params
    program, sites = checked(params["jaxpr"], wanted)
    avals, n_consts = params["jaxpr"].in_avals, params["num_consts"]
    axes = _axes_of(program)
    state = _settled(Findings.none_yet(sites), axes)
    body = pe.trace_to_closed(
        _step(program, sites, n_consts, len(state)),
        [*avals[:n_consts], *_state_avals(sites, axes), *avals[n_consts:]],
        program.debug_info,
    )
    outs = eqn.primitive.bind(
        *operands[:n_consts],
        *state,
        *operands[n_consts:],
        **{**params, "jaxpr": body, "num_carry": params["num_carry"] + len(state)},
    )
    return Findings.of_leaves(sites, outs[: len(state)]), outs[len(state) :]


def _of_while(eqn, operands, wanted):
    operands, params = while_loops.reduce_batched_predicate(operands, eqn.params)
    n_cond, n_body = params["cond_nconsts"], params["body_nconsts"]
    cond, body = params["cond_jaxpr"], params["body_jaxpr"]
    cond_program, cond_sites = checked(cond, wanted)
    body_program, body_sites = checked(body, wanted)
    sites = {**cond_sites, **body_sites}
    cond_consts, body_consts = operands[:n_cond], operands[n_cond : n_cond + n_body]
    carry = operands[n_cond + n_body :]
    cond_state = _size(cond_sites)
    body_state = _size(body_sites)

    def check_cond(findings, consts, values):
        if cond_sites:
            outs = eval_closed(cond_program, *consts, *values)
            findings.add_all(Findings.of_leaves(cond_sites, outs[:cond_state]))

    first, axes = Findings.none_yet(sites), _axes_of(cond_program, body_program)
    check_cond(first, cond_consts, carry)
    state = _settled(first, axes)

    def run_body(*args):
        of_cond, of_body = args[:n_cond], args[n_cond : n_cond + n_body]
        rest = args[n_cond + n_body :]
        findings = Findings.of_leaves(sites, rest[: len(state)])
        outs = eval_closed(body_program, *of_body, *rest[len(state) :])
        findings.add_all(Findings.of_leaves(body_sites, outs[:body_state]))
        check_cond(findings, of_cond, outs[body_state:])
        return [*_settled(findings), *outs[body_state:]]

    def run_cond(*args):
        values = (*args[:n_cond], *args[n_cond + len(state) :])
        return eval_closed(cond_program, *values)[cond_state:]

    state_avals = _state_avals(sites, axes)
    of_cond, of_body = cond.in_avals[:n_cond], body.in_avals[:n_body]
    of_carry = body.in_avals[n_body:]
    outs = eqn.primitive.bind(
        *cond_consts,
        *cond_consts,
        *body_consts,
        *state,
        *carry,
        cond_nconsts=n_cond,
        cond_jaxpr=pe.trace_to_closed(
            run_cond, [*of_cond, *state_avals, *of_carry], cond.debug_info
        ),
        body_nconsts=n_cond + n_body,
        body_jaxpr=pe.trace_to_closed(
            run_body, [*of_cond, *of_body, *state_avals, *of_carry], body.debug_info
        ),
    )
    return Findings.of_leaves(sites, outs[: len(state)]), outs[len(state) :]


def _of_shard_map(eqn, operands, wanted):
    """What its devices find is one site of the program around it."""
    params, body = eqn.params, eqn.params["jaxpr"]
    axes = specs_lib.in_mesh_order(params["mesh"], params["newly_manual_axes"])

    def make():
        found: list[Sites] = []

        def run(*args):
            findings, outs = evaluate(body, args, wanted)
            found.append(findings.sites)
            return [*(reshaping.expand_dims(x, 0) for x in _settled(findings)), *outs]

        def out_specs():
            return (specs_lib.P(axes),) * _size(found[0]) + params["out_specs"]

        program = tracing.setting_of(params).trace(
            run, body.in_avals, body.debug_info, out_specs=out_specs
        )
        sites = found[0]
        payloads = tuple(map(len, sites.values()))
        site = errors_lib.SiteOnDevices(
            tuple(sites), payloads, automatic.location_of(eqn)
        )
        return program, _size(sites), out_specs(), site

    key = ("checkify", wanted)
    program, count, specs, site = tracing.derived(body, key, params, make)
    findings = Findings()
    if not site.sites:
        return findings, apply_equation(eqn, operands)
    params = {**params, "jaxpr": program, "out_specs": specs}
    outs = eqn.primitive.bind(*operands, **params)
    # Along Explicit axes the types of errors would say how these are sharded: loops carry one type.
    found = [gathered(x) for x in outs[:count]]
    findings.add(site, reductions.any(found[0]), found)
    return findings, outs[count:]


def gathered(x: Any) -> Any:
    """An array of which each device has the whole, by its type."""
    sharding = avals_lib.get_aval(x).sharding
    return mesh_modes.reshard(x, sharding.replicated) if any(sharding.spec) else x


# How equations that hold programs are evaluated with checks. A function with its own
# derivative is checked like any other; its rule is not used by later transformations.
_RULES: dict[str, Callable[..., tuple[Findings, list[Any]]]] = {
    "jit": _of_jit,
    "cond": _of_cond,
    "scan": _of_scan,
    "while": _of_while,
    "custom_jvp_call": _inline("call_jaxpr"),
    "custom_vjp_call": _inline("call_jaxpr"),
    "remat2": _inline("jaxpr"),
    "shard_map": _of_shard_map,
}


def _checks_after(primitive, args, params):
    """The results of a construct, behind which its checks are made."""
    eqn = jaxpr_lib.JaxprEqn((), (), primitive, params)
    findings, outs = _RULES[primitive.name](eqn, args, errors_lib.user_checks)
    sites, payload = list(findings.payload), list(findings.payload.values())
    error = errors_lib.Error(findings.pred, findings.code, sites, payload)
    user.report(error, always=False)
    return outs


slots.checks_after.fill(_checks_after)


def checkify(
    f: Callable[..., errors_lib.Out], errors: frozenset = errors_lib.user_checks
) -> Callable[..., tuple[errors_lib.Error, errors_lib.Out]]:
    """Turns the checks in a function into a result.

    Args:
        f: the function of trees of arrays.
        errors: what to check: `user_checks` (what `check` says), `nan_checks`,
            `div_checks`, `index_checks`, or unions of these.

    Returns:
        A function that returns an `Error` and what `f` returns. It can be compiled,
        vectorised and differentiated. ``error.throw()`` raises the first failure.

    Examples:
        >>> from jax.experimental import checkify
        >>> def f(x):
        ...     checkify.check(x > 0, "x must be positive, got {x}", x=x)
        ...     return jnp.log(x)
        >>> err, out = jax.jit(checkify.checkify(f))(jnp.float32(-1))
        >>> err.get()
        'x must be positive, got -1.0 (`check` failed)'
    """
    calls.check_callable(f, "checkify")
    unknown = set(errors) - errors_lib.all_checks
    if unknown:
        raise messages.value_error(
            "checkify does not know these checks.",
            [("errors", ", ".join(sorted(map(str, unknown))))],
            "There are user_checks, nan_checks, div_checks and index_checks.",
        )
    wanted = frozenset(errors)

    @api_boundary
    @util.wraps(f)
    def checked_f(*args, **kwargs):
        trees: list[Any] = []

        def flat():
            leaves, structure = tree.tree_flatten(f(*args, **kwargs))
            trees.append(structure)
            return leaves

        debug = calls.debug_info("checkify", f, args, kwargs)
        closed = pe.trace_to_closed(flat, [], debug.replace(arg_names=()))
        findings, outs = evaluate(closed, [], wanted)
        pred, code, *_ = _settled(findings)
        sites, payload = list(findings.payload), list(findings.payload.values())
        error = errors_lib.Error(pred, code, sites, payload)
        return error, tree.tree_unflatten(trees[0], outs)

    return checked_f


traceback_filter.hide_frames(globals())
