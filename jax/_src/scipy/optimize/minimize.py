"""Minima of smooth functions of a vector."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from jax._src.base import errors, traceback_filter
from jax._src.numpy import operands
from jax._src.scipy.optimize import quasi_newton

Array = Any

_LIMITED = "l-bfgs-experimental-do-not-rely-on-this"
_RUNS = {"bfgs": quasi_newton.minimize_bfgs, _LIMITED: quasi_newton.minimize_lbfgs}


class OptimizeResults(NamedTuple):
    """What `jax.scipy.optimize.minimize` returns.

    Attributes:
        x: the minimizer that was found.
        success: whether the gradient there is small enough.
        status: 0 for success; 1: too many steps; 2: too many evaluations; 3: no step
            decreases the function; 4: steps no longer decrease it enough.
        fun: the value at `x`.
        jac: the gradient at `x`.
        hess_inv: an approximate inverse of the second derivatives, or None.
        nfev: how many values were computed.
        njev: how many gradients were computed.
        nit: how many steps were made.
    """

    x: Array
    success: Array
    status: Array
    fun: Array
    jac: Array
    hess_inv: Array | None
    nfev: Array
    njev: Array
    nit: Array


def minimize(
    fun: Callable[..., Array],
    x0: Array,
    args: tuple = (),
    *,
    method: str,
    tol: float | None = None,
    options: Mapping[str, Any] | None = None,
) -> OptimizeResults:
    """Finds a local minimum of a smooth function.

    Args:
        fun: from a vector and `args` to a number.
        x0: array of shape ``(n,)``, where to start.
        args: further arguments of `fun`.
        method: ``"BFGS"``, or ``"l-bfgs-experimental-do-not-rely-on-this"``, which
            keeps a few vectors instead of a matrix.
        tol: the norm of the gradient that is small enough; default: 1e-5.
        options: `maxiter`, `norm` (the order of the norm), `gtol` (wins over `tol`);
            for BFGS `line_search_maxiter`; for the other method `maxcor`, `ftol`,
            `maxfun`, `maxgrad`, `maxls`.

    Raises:
        TypeError: `args` is no tuple, or an option is not known. ValueError: there is
            no such method, or `x0` is no vector.

    It works under `jit` and `vmap`. Forward-mode derivatives go through its steps,
    reverse-mode ones do not.

    Reference: Nocedal and Wright, Numerical Optimization, 2nd edition, 2006, chapters 6
    and 7.
    """
    if not isinstance(args, tuple):
        raise errors.type_error(
            f"jax.scipy.optimize.minimize: args {repr(args)[:60]} must be a tuple.",
            [("args", type(args).__name__)],
            "It holds the arguments of fun after the first.",
            "For one: args=(value,).",
        )
    run = _RUNS.get(method.lower())
    if run is None:
        raise errors.value_error(
            f"jax.scipy.optimize.minimize: Method {method} not recognized.",
            [("known", f"BFGS, {_LIMITED}")],
        )
    x0 = operands.ensure_arraylike("jax.scipy.optimize.minimize", x0)
    (x0,) = operands.promote_dtypes_inexact(x0)
    if operands.ndim(x0) != 1:
        raise errors.value_error(
            "jax.scipy.optimize.minimize: x0 is no vector.",
            [("x0", operands.type_name(x0))],
            "fun takes one vector.",
            "For other shapes: flatten with jax.flatten_util.ravel_pytree.",
        )
    given = dict(options or {})
    if tol is not None:
        given.setdefault("gtol", tol)
    return OptimizeResults(*run(lambda x: fun(x, *args), x0, **given))


traceback_filter.hide_frames(globals())
