"""Making the programs of bodies: the first one, and those made from another."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any

from jax._src.base import records
from jax._src.core import avals, jaxpr, vma
from jax._src.interpreters import partial_eval as pe
from jax._src.shard_map import specs


@records.record
class Setting:
    """What the body of an equation is traced under."""

    mesh: Any
    axes: frozenset
    check_vma: bool

    def trace(
        self,
        fun: Callable[..., Sequence[Any]],
        in_avals: Sequence[Any],
        debug: jaxpr.DebugInfo,
        *,
        out_specs: Callable[[], Sequence[Any]] | None = None,
    ) -> jaxpr.ClosedJaxpr:
        """The program of a function of values of the body.

        Args:
            fun: the function.
            in_avals: the types of its arguments in the body.
            debug: what is traced.
            out_specs: called at the end, says how the results will be split: they are
                made to vary along the axes that it names.
        """

        def run(*args):
            outs = fun(*args)
            if out_specs is None or not self.check_vma:
                return outs
            pairs = zip(outs, out_specs(), strict=True)
            return [
                out
                if avals.get_aval(out).is_high
                else vma.vary_along(out, specs.names_of(spec))
                for out, spec in pairs
            ]

        with specs.inside(self.mesh, self.axes, self.check_vma):
            return pe.trace_to_closed(run, in_avals, debug)

    def residual_spec(self, aval: Any) -> Any:
        """How a value of the body's type `aval` leaves it."""
        return specs.residual_spec(aval, self.mesh, self.axes, self.check_vma)

    def own_spec(self, aval: Any) -> Any:
        """How what each device has of a value of the body's type `aval` leaves it."""
        return specs.own_spec(aval, self.mesh, self.axes, self.check_vma)


def setting_of(params: dict) -> Setting:
    """The setting of an equation with these parameters."""
    return Setting(params["mesh"], params["newly_manual_axes"], params["check_vma"])


def derived(
    closed: jaxpr.ClosedJaxpr, key: Hashable, params: dict, make: Callable[[], Any]
) -> Any:
    """What `make` returns, made once for a program in the setting of an equation."""
    setting = setting_of(params)
    return closed.derived((key, setting), make)
