"""From the formulas of a distribution to its functions.

A distribution of one variable is declared by formulas in standard location and scale.
What all have in common is here: promotion and broadcasting, location and scale, what holds
outside of the support, and the functions that follow from others.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.core import avals
from jax._src.lax.ops import conversion
from jax._src.numpy import lax_api as lax, numpy_api as jnp, operands
from jax._src.numpy.jit_wrapper import jit_of_floats
from jax._src.scipy import elementwise
from jax._src.scipy.elementwise import in_wide_precision, refuse_complex

Array = Any

_WHAT = {
    "pdf": "The density",
    "logpdf": "The logarithm of the density",
    "pmf": "The probability of each number",
    "logpmf": "The logarithm of the probability of each number",
    "cdf": "The probability of at most this value",
    "logcdf": "The logarithm of the probability of at most this value",
    "sf": "The probability of more than this value",
    "logsf": "The logarithm of the probability of more than this value",
    "ppf": "The inverse of `cdf`, the quantiles,",
    "isf": "The inverse of `sf`",
}
_QUANTILES = ("ppf", "isf")
# What holds below and above the support.
_OUTSIDE = {
    "logpdf": (-np.inf, -np.inf),
    "logpmf": (-np.inf, -np.inf),
    "cdf": (0.0, 1.0),
    "logcdf": (-np.inf, 0.0),
    "sf": (1.0, 0.0),
    "logsf": (0.0, -np.inf),
}
# name: (the formula it follows from, how)
_FOLLOWS = {
    "pdf": [("logpdf", jnp.exp)],
    "pmf": [("logpmf", jnp.exp)],
    "cdf": [("logcdf", jnp.exp), ("sf", lambda p: 1 - p)],
    "logcdf": [("cdf", jnp.log)],
    "sf": [("logsf", jnp.exp), ("cdf", lambda p: 1 - p)],
    "logsf": [("sf", jnp.log), ("cdf", lambda p: lax.log1p(-p))],
}


@dataclass(frozen=True)
class Family:
    """A distribution of one variable.

    Attributes:
        name: its name in `jax.scipy.stats`.
        shapes: the names of its parameters.
        support: its ends, numbers or functions of the parameters.
        inside: a value in the support, in standard location and scale.
        formulas: name of a function to its formula ``(y, *shapes)``, for y in the support.
        located: whether there are the arguments `loc` and, unless discrete, `scale`.
        discrete: whether the support consists of whole numbers.
        quantile: the name of the argument of `ppf` and `isf`.
        valid: whether parameters make a distribution; otherwise results are NaN.
        strong: functions whose results are strongly typed, though all arguments be Python
            numbers.
        weak_at_integers: functions whose results at an array of integers are weakly typed
            where a parameter is a Python float.
        on_complex: functions that are analytic, and take complex numbers too: name to the
            formula there, or None where the formula of real numbers holds.
        in_double: whether float32 is computed in float64: where logarithms of the gamma
            function cancel, which are as large as the parameters.
    """

    name: str
    shapes: tuple[str, ...]
    support: tuple[Any, Any]
    inside: Any
    formulas: Mapping[str, Callable]
    located: bool = True
    discrete: bool = False
    quantile: str = "q"
    valid: Callable | None = None
    strong: frozenset[str] = frozenset()
    weak_at_integers: frozenset[str] = frozenset()
    on_complex: Mapping[str, Callable | None] = field(default_factory=dict)
    in_double: bool = False

    def names(self, function: str) -> tuple[str, ...]:
        """The arguments of a function."""
        first = (
            self.quantile if function in _QUANTILES else "k" if self.discrete else "x"
        )
        more = ("loc",) if self.discrete else ("loc", "scale")
        return (first, *self.shapes, *(more if self.located else ()))

    def formula(self, function: str) -> Callable:
        """The formula of a function: declared, or following from a declared one."""
        if function in self.formulas:
            return self.formulas[function]
        own, other = {"logcdf": ("cdf", "sf"), "logsf": ("sf", "cdf")}.get(
            function, ("", "")
        )
        if own in self.formulas and other in self.formulas:
            return _logarithm_of(self.formulas[own], self.formulas[other])
        for source, how in _FOLLOWS[function]:
            if source in self.formulas:
                given = self.formulas[source]
                return lambda *args: how(given(*args))
        raise KeyError(f"{self.name} has no formula for {function}")

    def evaluate(self, function: str, x: Array, *args: Array) -> Array:
        """A function at `x`, on arrays of one shape in full precision."""
        count = len(self.shapes)
        shapes, location = args[:count], args[count:]
        scale = location[1] if len(location) > 1 else None
        found = self._evaluate(function, x, shapes, location, scale)
        for makes_sense in (
            None if self.valid is None else self.valid(*shapes),
            None if scale is None else scale > 0,
        ):
            if makes_sense is not None:
                found = jnp.where(makes_sense, found, np.nan)
        return found

    def _evaluate(self, function, x, shapes, location, scale):
        loc = location[0] if location else 0
        if function in _QUANTILES:
            return self._quantile(function, x, shapes, loc, scale)
        if function in ("pdf", "pmf"):
            return jnp.exp(self._evaluate("log" + function, x, shapes, location, scale))
        y = x if not location else x - loc
        y = y if scale is None else y / scale
        low, high = (end(*shapes) if callable(end) else end for end in self.support)
        is_inside = (y >= low) & (y <= high)
        if function == "logpmf":
            is_inside = is_inside & (y == jnp.floor(y)) & ~jnp.isinf(y)
        middle = self.inside(*shapes) if callable(self.inside) else self.inside
        found = self.formula(function)(jnp.where(is_inside, y, middle), *shapes)
        if function == "logpdf" and scale is not None:
            found = found - jnp.log(scale)
        below, above = _OUTSIDE[function]
        outside = jnp.where(jnp.isnan(y), np.nan, jnp.where(y < low, below, above))
        return jnp.where(is_inside, found, outside)

    def continued(self, function: str, x: Array, *args: Array) -> Array:
        """An analytic function at complex numbers."""
        if function == "pdf":
            return jnp.exp(self.continued("logpdf", x, *args))
        *shapes, loc, scale = args
        formula = self.on_complex[function] or self.formula(function)
        if function in _QUANTILES:
            return formula(x, *shapes) * scale + loc
        found = formula((x - loc) / scale, *shapes)
        return found - jnp.log(scale) if function == "logpdf" else found

    def _quantile(self, function, q, shapes, loc, scale):
        is_inside = (q >= 0) & (q <= 1)
        y = self.formula(function)(jnp.where(is_inside, q, 0.5), *shapes)
        y = y if scale is None else y * scale
        return jnp.where(is_inside, y + loc, np.nan)


def _logarithm_of(probability: Callable, complement: Callable) -> Callable:
    """The logarithm of a probability, through its complement where that is the smaller."""

    def logarithm(*args):
        p, rest = probability(*args), complement(*args)
        is_small = rest < 0.5
        near_one = lax.log1p(-jnp.where(is_small, rest, 0))
        return jnp.where(is_small, near_one, jnp.log(jnp.where(is_small, 1, p)))

    return logarithm


def declared(family: Family, *functions: str) -> tuple[Callable, ...]:
    """The public functions of a distribution, in this order."""
    return tuple(_function(family, function) for function in functions)


def _holds_strong_integers(x: Any) -> bool:
    if not avals.is_value(x):
        return False
    aval = avals.get_aval(x)
    return aval.shape != () and not aval.weak_type and aval.dtype.kind in "biu"


def _function(family: Family, name: str) -> Callable:
    full_name = f"jax.scipy.stats.{family.name}.{name}"
    names = family.names(name)
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    defaults = {"loc": 0, "scale": 1}
    parameters = [
        inspect.Parameter(n, kind, default=defaults.get(n, inspect.Parameter.empty))
        for n in names
    ]
    signature = inspect.Signature(parameters)

    def compute(*xs):
        return family.evaluate(name, *xs)

    if family.in_double:
        compute.__signature__ = signature
        slopes = [elementwise.BY_FORWARD_MODE] * len(names)
        compute = elementwise.in_double_with_slopes(compute, slopes)

    def function(*args, **kwargs):
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        xs = operands.promote_args_inexact(full_name, *bound.args)
        # At integers of an array most results are strong, though floats beside them be weak.
        is_weak = (
            name not in family.strong
            and dtypes.is_weakly_typed(xs[0])
            and (
                name in family.weak_at_integers
                or not _holds_strong_integers(bound.args[0])
            )
        )
        xs = operands.broadcast_arrays(full_name, *xs)
        if operands.kind_of(xs[0]) != "c":
            out = in_wide_precision(compute, *xs)
        elif name in family.on_complex:
            out = family.continued(name, *xs)
        else:
            refuse_complex(full_name, names, xs)
        return conversion.convert(out, out.dtype, True) if is_weak else out

    function.__name__ = function.__qualname__ = name
    function.__module__ = f"jax.scipy.stats.{family.name}"
    function.__signature__ = signature
    lines = "\n".join(f"    {n}: {_about(n)}." for n in names)
    function.__doc__ = (
        f"{_WHAT[name]} of the {family.name} distribution.\n\nArgs:\n{lines}\n\n"
        "Arguments broadcast together.\n\n"
        "Returns:\n    Array of floats of the common shape.\n\n"
        "Raises:\n    TypeError: an argument is no array or number"
        + (".\n" if name in family.on_complex else ", or complex.\n")
        + "    TypeError or ValueError: the shapes do not broadcast.\n"
    )
    return jit_of_floats(function)


def _about(name: str) -> str:
    return {
        "x": "array of values",
        "k": "array of whole numbers",
        "q": "array of probabilities",
        "p": "array of probabilities",
        "loc": "array, by how much the distribution is moved",
        "scale": "array, by how much the distribution is stretched",
    }.get(name, "array, a parameter of the distribution")
