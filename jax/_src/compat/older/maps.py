"""`jax.pmap` as a primitive that maps a function, which traces and rules of libraries know.

Importing this module makes `jax.pmap` apply it where values are traced.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jax._src.compat import linear_util
from jax._src.core import (
    avals as avals_lib,
    evaluate,
    jaxpr as jaxpr_lib,
    mesh as mesh_lib,
    primitive as primitive_lib,
    state,
    trace as trace_lib,
    vma,
)
from jax._src.interpreters import ad, batching, partial_eval as pe
from jax._src.runtime.devices import backends
from jax._src.shard_map import pmap as pmap_lib


class MapPrimitive(primitive_lib.Primitive):
    """A primitive whose first operand is a wrapped function, which it calls for each entry of an axis.

    A library's trace gets the call as `process_map`. In programs the equation has the
    function's program, for one entry, as `call_jaxpr`; whoever else meets it, such as
    differentiation, meets the program of `shard_map` that `jax.pmap` is.
    """

    map_primitive = True

    def __init__(self, name: str):
        super().__init__(name, multiple_results=True)
        own = {
            "types": _types,
            "effects": lambda *avals, call_jaxpr, **params: call_jaxpr.effects,
            "manual": vma.AS_TYPES,
            "sharding": primitive_lib.BY_TYPES,
            "rebind": self._bind_again,
            "impl": _on_devices,
            "decompose": _on_devices,
            "jvp_all": _differentiated,
            "batch": _batched,
        }
        for kind, rule in own.items():
            self.set_rule(kind, rule)

    def bind(
        self,
        fun: linear_util.WrappedFun,
        *args: Any,
        in_axes: Sequence[int | None],
        out_axes_thunk: Callable[[], Sequence[int | None]],
        donated_invars: Sequence[bool],
        **params: Any,
    ) -> Any:
        """Calls the function for each entry, in the current trace.

        Args:
            fun: from values of one entry to a sequence of values.
            *args: the arrays.
            in_axes: the mapped axis of each; None: it is the same for all entries.
            out_axes_thunk: returns where the axis goes in each result, once `fun` ran.
            donated_invars: for each array whether its memory may be used again.
            **params: `axis_name`, `axis_size`, `devices` and more.
        """
        trace = state.current()
        if not trace_lib.is_evaluating() and trace.is_foreign:
            given = {
                "in_axes": tuple(in_axes),
                "out_axes_thunk": out_axes_thunk,
                "donated_invars": tuple(donated_invars),
                **params,
            }
            with state.evaluating():
                return trace.process_map(self, fun, list(args), given)
        size = params["axis_size"]
        types = [
            batching.unbatched_aval(avals_lib.typeof(x), axis)
            for x, axis in zip(args, in_axes, strict=True)
        ]
        with state.binding_axes({params["axis_name"]: size}):
            jaxpr, consts = pe.trace_to_jaxpr(fun.call_wrapped, types, fun.debug_info)
        # Whoever compiles the equation finds its devices in the mesh.
        devices = params["devices"] or backends.local_devices()[:size]
        params["mesh"] = mesh_lib.Mesh(
            np.array(devices, object), (params["axis_name"],)
        )
        return super().bind(
            *consts,
            *args,
            call_jaxpr=jaxpr_lib.ClosedJaxpr(pe.consts_to_inputs(jaxpr), ()),
            in_axes=(None,) * len(consts) + tuple(in_axes),
            out_axes=tuple(out_axes_thunk()),
            donated_invars=(False,) * len(consts) + tuple(donated_invars),
            **params,
        )

    def bind_with_trace(self, trace: Any, args: Sequence[Any], *rest: Any) -> Any:
        """Calls the function that comes first in `args`, in a trace."""
        with state.tracing(trace):
            return self.bind(*args, **rest[-1])

    def _bind_again(self, operands, params):
        rest = dict(params)
        closed, out_axes = rest.pop("call_jaxpr"), rest.pop("out_axes")
        run = evaluate.jaxpr_as_fun(closed)
        fun = linear_util.wrap_init(run, debug_info=closed.debug_info)
        return self.bind(fun, *operands, out_axes_thunk=lambda: out_axes, **rest)


def _types(*avals, call_jaxpr, out_axes, axis_size, **params):
    return [
        batching.batched_aval(aval, axis, axis_size)
        for aval, axis in zip(call_jaxpr.out_avals, out_axes, strict=True)
    ]


def _on_devices(
    *args, call_jaxpr, in_axes, out_axes, axis_name, axis_size, devices, **params
):
    """The call as a program of `shard_map`."""
    run = evaluate.jaxpr_as_fun(call_jaxpr)
    # `jax.pmap` wants a mapped argument; this one counts the entries.
    args = (np.zeros(axis_size, bool), *args)
    options = {
        "axis_name": axis_name,
        "in_axes": (0, *in_axes),
        "out_axes": tuple(out_axes),
        "devices": devices,
        "axis_size": axis_size,
    }

    def of_one(_, *values):
        return tuple(run(*values))

    if trace_lib.is_evaluating():
        return list(pmap_lib.pmap(of_one, **options)(*args))
    chosen = pmap_lib.Options(
        of_one, static=(), is_chosen=devices is not None, **options
    )
    return list(pmap_lib.run_traced(chosen, args, {}))


def _differentiated(primals, tangents, **params):
    return ad.jvp(lambda *args: _on_devices(*args, **params), primals, tangents)


def _batched(axis, args, dims, **params):
    run = lambda *values: _on_devices(*values, **params)  # noqa: E731
    return batching.batch(run, axis, args, dims)


xla_pmap_p = MapPrimitive("xla_pmap")


def _apply(function, values, axes, out_axes, size, options):
    return xla_pmap_p.bind(
        linear_util.wrap_init(function),
        *values,
        in_axes=axes,
        out_axes_thunk=out_axes,
        donated_invars=(False,) * len(values),
        axis_name=options.axis_name,
        axis_size=size,
        global_axis_size=size,
        devices=options.devices,
        backend=None,
        name=getattr(options.fun, "__name__", "<unnamed function>"),
        is_explicit_global_axis_size=False,
    )


pmap_lib.as_primitive = _apply
