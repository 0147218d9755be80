"""Whether a NaN that an operation makes is in a result of the program for sure, whatever the values are."""

from collections.abc import Sequence
from typing import Any

from jax._src.checkify import bad_values
from jax._src.core import jaxpr as jaxpr_lib

# A NaN among the elements of any operand gives one among those of the result.
_KEEPING = frozenset(
    """
    abs acos acosh add add_any asin asinh atan atan2 atanh broadcast_in_dim cbrt ceil concatenate convert_element_type
    copy copy_p cos cosh cummax cummin cumprod cumsum digamma div dot_general erf erf_inv erfc exp exp2 expm1 floor
    integer_pow lgamma log log1p logistic max min mul neg reduce_max reduce_min reduce_precision reduce_prod reduce_sum
    rem reshape rev round rsqrt sign sin sinh sqrt square squeeze sub tan tanh transpose
    """.split()
)
# Equations that run their program once.
_CALLS = frozenset(("jit", "custom_jvp_call", "custom_vjp_call", "remat2"))

# The variables that arrive, by a program and which of its results do: each program is visited
# once for that, however deep it is nested.
_Known = dict[tuple[Any, tuple[bool, ...]], set[Any]]


def is_sure(closed: jaxpr_lib.ClosedJaxpr, site: bad_values.Site) -> bool:
    """Whether a NaN of an operation arrives in a result, no matter in which run of a loop it is made.

    Then the first run that makes one is the one that is looked for. Choices, `while` and what
    picks elements are not followed: behind them nothing is sure.
    """
    jaxpr, flags = closed.jaxpr, [True] * len(closed.jaxpr.outvars)
    known: _Known = {}
    for level, (index, _) in enumerate(site.path):
        eqn, sure = jaxpr.eqns[index], _arriving(jaxpr, flags, known)
        given = [v in sure for v in eqn.outvars]
        if level == len(site.path) - 1:
            results = [v for v in eqn.outvars if bad_values.is_inexact(v.aval)]
            return all(v in sure for v in results)
        inside = _inside(eqn, given, known)
        if inside is None:
            return False
        jaxpr, flags = inside
    return False


def _arriving(jaxpr: Any, flags: Sequence[bool], known: _Known) -> set[Any]:
    """The variables whose NaNs arrive, of a program of whose results these do."""
    key = jaxpr, tuple(flags)
    if key in known:
        return known[key]
    outs = zip(jaxpr.outvars, flags, strict=True)
    sure = {v for v, flag in outs if flag and isinstance(v, jaxpr_lib.Var)}
    for eqn in reversed(jaxpr.eqns):
        given = [v in sure for v in eqn.outvars]
        if any(given):
            operands = zip(eqn.invars, _operands(eqn, given, known), strict=True)
            sure |= {v for v, flag in operands if flag and isinstance(v, jaxpr_lib.Var)}
    known[key] = sure
    return sure


def _operands(eqn: Any, given: Sequence[bool], known: _Known) -> list[bool]:
    """For each operand of an equation whether its NaNs arrive, where those of these results do."""
    if eqn.primitive.name in _KEEPING:
        avals = [v.aval for v in (*eqn.invars, *eqn.outvars)]
        # An array without elements keeps nothing; neither does a power of 0.
        keeps = all(0 not in aval.shape for aval in avals) and eqn.params.get("y") != 0
        keeps = keeps and all(bad_values.is_inexact(v.aval) for v in eqn.outvars)
        return [keeps and bad_values.is_inexact(v.aval) for v in eqn.invars]
    inside = _inside(eqn, given, known)
    if inside is None:
        return [False] * len(eqn.invars)
    jaxpr, flags = inside
    sure = _arriving(jaxpr, flags, known)
    return [v in sure for v in jaxpr.invars]


def _inside(
    eqn: Any, given: Sequence[bool], known: _Known
) -> tuple[Any, list[bool]] | None:
    """The program of a call or a `scan`, and of which of its results NaNs arrive; None of others."""
    name = eqn.primitive.name
    if name in _CALLS:
        program = eqn.params[bad_values.PROGRAMS[name]]
        return getattr(program, "jaxpr", program), list(given)
    if name != "scan" or not eqn.params["length"]:
        return None
    body = eqn.params["jaxpr"].jaxpr
    consts, carry = eqn.params["num_consts"], eqn.params["num_carry"]
    flags = list(given)
    while True:
        # What one iteration hands to the next arrives if that one's does, and the last one's.
        sure = _arriving(body, flags, known)
        carried = body.invars[consts : consts + carry]
        now = [flag and v in sure for v, flag in zip(carried, flags, strict=False)]
        if now == flags[:carry]:
            return body, flags
        flags[:carry] = now
