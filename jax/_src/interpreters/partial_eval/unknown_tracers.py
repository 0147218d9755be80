"""Values that are not known while the rest is computed."""

from typing import Any

from jax._src.base import errors
from jax._src.core import avals, jaxpr
from jax._src.interpreters.partial_eval import staging as staging_lib


class PartialVal(tuple):
    """A value that is known, ``(None, value)``, or not, ``(type, None)``."""

    def __new__(cls, xs: tuple[Any, Any]) -> "PartialVal":
        aval, value = xs
        if (aval is None) == (value is None) or not (
            aval is None or isinstance(aval, avals.AbstractValue)
        ):
            raise errors.type_error(
                "PartialVal takes a type and None, or None and a value.",
                [("got", repr(xs))],
                ways="Use PartialVal.known(value) or PartialVal.unknown(aval).",
            )
        return super().__new__(cls, xs)

    @classmethod
    def known(cls, const: Any) -> "PartialVal":
        """A known value."""
        return cls((None, const))

    @classmethod
    def unknown(cls, aval: avals.AbstractValue) -> "PartialVal":
        """A value of which only the type is known."""
        return cls((aval, None))

    def is_known(self) -> bool:
        """Whether the value is known."""
        return self[0] is None

    def get_known(self) -> Any:
        """The value, or None."""
        return self[1] if self.is_known() else None

    def get_aval(self) -> Any:
        """The type."""
        return avals.get_aval(self[1]) if self.is_known() else self[0]


class JaxprTracer(staging_lib.DynamicJaxprTracer):
    """A value that depends on what is unknown, as a variable of the program of the rest.

    Args:
        trace: the trace that computes what is known.
        pval: the type of the value, or the value.
        recipe: the equation that makes it, with it as its only result; or None for an input.
    """

    __slots__ = ("_const",)

    def __init__(self, trace: Any, pval: PartialVal, recipe: Any):
        staging = getattr(trace, "staging", trace)
        aval = pval.get_aval()
        if pval.is_known():
            atom = staging.lift(pval.get_known()).atom
        elif recipe is None:
            atom = staging.new_input(aval).atom
        else:
            atom = _recorded(staging, recipe)
        super().__init__(staging, aval, atom, None, recipe)
        self._const = pval.get_known()

    @property
    def pval(self) -> PartialVal:
        """The type of the value, or the value if it is known."""
        if self._const is not None:
            return PartialVal.known(self._const)
        return PartialVal.unknown(self.aval)

    def is_known(self) -> bool:
        """Whether the value is known."""
        return self._const is not None

    @property
    def recipe(self) -> jaxpr.JaxprEqn | None:
        """The equation that made the value; None for an input or a constant."""
        return self.eqn

    @property
    def parents(self) -> list["JaxprTracer"]:
        """The operands of that equation."""
        atoms = [] if self.eqn is None else self.eqn.invars
        made_by = {var: eqn for eqn in self._trace.eqns for var in eqn.outvars}
        return [
            unknown(self._trace, a.aval, a, None, made_by.get(a))
            if isinstance(a, jaxpr.Var)
            else unknown(self._trace, a.aval, a)
            for a in atoms
        ]

    def __repr__(self) -> str:
        return f"Traced<{self.aval}:JaxprTrace>"


def _recorded(staging, recipe):
    """The variable of an equation that becomes one of the program."""
    if not isinstance(recipe, jaxpr.JaxprEqn) or len(recipe.outvars) != 1:
        raise errors.type_error(
            "JaxprTracer: the recipe is no equation with one result.",
            [("recipe", repr(recipe))],
            ways="Give an equation of jax.extend.core.new_jaxpr_eqn, or None for an input.",
        )
    if not any(eqn is recipe for eqn in staging.eqns):
        staging.eqns.append(recipe)
    return recipe.outvars[0]


def unknown(
    trace: staging_lib.StagingTrace,
    aval: avals.AbstractValue,
    val: jaxpr.Atom,
    line_info: Any = None,
    parent: jaxpr.JaxprEqn | None = None,
) -> JaxprTracer:
    """Makes an unknown value as `DynamicJaxprTracer` makes those of a program."""
    found = object.__new__(JaxprTracer)
    staging_lib.DynamicJaxprTracer.__init__(found, trace, aval, val, line_info, parent)
    found._const = None
    return found
