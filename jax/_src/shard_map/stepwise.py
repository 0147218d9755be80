"""The body of a `shard_map` run operation by operation, where Python looks at values.

Outside of every trace, a body that decides by values (``if x > 0``) cannot become one
program. A value is an array of the whole mesh then: the parts of all devices side by
side along a new first axis, or one array where its type says that devices share it.
Such a shared value has a truth and a number. Each operation is a `shard_map` of its own.
"""

import contextvars
import itertools
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from jax._src.base import caches, config
from jax._src.core import (
    avals as av,
    jaxpr as jx,
    partition_spec as ps,
    primitive as pr,
    state,
    trace as tr,
)
from jax._src.lax.ops import reshaping
from jax._src.shard_map import eager, specs as sp, tracing

P = ps.PartitionSpec

# The programs of single operations.
_programs: dict[Hashable, tuple[jx.ClosedJaxpr, tuple]] = {}
caches.register("shard_map.stepwise", _programs.clear)


class DeviceTracer(tr.Tracer):
    """A value of each device: `val` holds the parts of all, or the one that they share."""

    __slots__ = ("val",)

    _trace: "DeviceTrace"

    def __init__(self, trace: "DeviceTrace", aval: Any, val: Any):
        self._trace = trace
        self.aval = aval
        self.val = val

    def known_value(self) -> Any:
        return None if self._trace.axes_of(self.aval) else self.val

    def __repr__(self) -> str:
        axes = self._trace.axes_of(self.aval)
        if not axes:
            return f"{self.val!r}, on all devices"
        mesh = self._trace.setting.mesh
        places = itertools.product(*[range(mesh.shape[name]) for name in axes])
        names = ", ".join(map(str, axes))
        parts = [
            f"At mesh coordinates ({names}) = {place}:\n{part}\n"
            for place, part in zip(places, np.asarray(self.val), strict=True)
        ]
        return "\n".join(parts)

    __str__ = __repr__


class DeviceTrace(tr.Trace):
    """Runs each operation on all devices at once."""

    __slots__ = ("bind", "outside", "setting")

    def __init__(
        self, setting: tracing.Setting, bind: Callable, outside: contextvars.Context
    ):
        super().__init__(None, "shard_map")
        self.setting = setting
        self.bind = bind
        # The context of the call, in which programs are compiled and run.
        self.outside = outside

    def axes_of(self, aval: Any) -> tuple[Hashable, ...]:
        """The mesh axes along which values of a type have parts of their own."""
        spec = self.setting.residual_spec(aval)
        return spec.names

    def process(self, primitive: pr.Primitive, args: tuple, params: dict) -> Any:
        rule = params.get("call_jaxpr")
        if rule is not None and not isinstance(rule, jx.ClosedJaxpr):
            # A function with a rule of its own: its operations come one by one.
            return primitive.rules["impl"](*args, **params)

        def apply(*values):
            out = primitive.bind(*values, **params)
            return out if primitive.multiple_results else [out]

        key = (primitive, tuple(params.items()))
        outs = self.run(apply, args, key)
        return outs if primitive.multiple_results else outs[0]

    def run(self, fun: Callable, args: Sequence[Any], key: Hashable) -> list[Any]:
        """The results of a function of values of the body, as such values."""
        avals = [av.get_aval(x) for x in args]
        is_own = [isinstance(x, DeviceTracer) and x._trace is self for x in args]
        specs = [
            self.setting.residual_spec(a) if own else P()
            for a, own in zip(avals, is_own, strict=True)
        ]
        full = key, self.setting, tuple(avals), tuple(specs), config.config.trace_key()
        closed, out_specs, out_avals = self._program(fun, avals, specs, full)
        values = [x.val if own else x for x, own in zip(args, is_own, strict=True)]
        made = self.call(closed, values, specs, out_specs)
        return [DeviceTracer(self, a, x) for a, x in zip(out_avals, made, strict=True)]

    def _program(self, fun, avals, specs, key):
        try:
            found = _programs.get(key)
        except TypeError:
            found, key = None, None
        if found is not None:
            return found
        results: list[Any] = []

        def body(*parts):
            values = [
                reshaping.squeeze(x, (0,)) if spec.names else x
                for x, spec in zip(parts, specs, strict=True)
            ]
            outs = fun(*values)
            results.extend(av.get_aval(out) for out in outs)
            return [_with_axis(out, self.axes_of(av.get_aval(out))) for out in outs]

        given = [
            a.update(shape=(1, *a.shape)) if spec.names else a
            for a, spec in zip(avals, specs, strict=True)
        ]
        closed = self.setting.trace(body, given, jx.no_debug_info)
        out_specs = tuple(self.setting.residual_spec(a) for a in results)
        made = closed, out_specs, results
        if key is not None:
            _programs[key] = made
        return made

    def call(self, closed, values, in_specs, out_specs) -> list[Any]:
        """Runs a program of the body on whole arrays."""
        params = {
            "jaxpr": closed,
            "mesh": self.setting.mesh,
            "in_specs": tuple(in_specs),
            "out_specs": tuple(out_specs),
            "check_vma": self.setting.check_vma,
            "newly_manual_axes": self.setting.axes,
        }
        context = self.outside.copy()
        return context.run(eager.run, self.bind, values, params)


def _with_axis(x, axes):
    if not axes:
        return x
    return reshaping.reshape(x, (1, *np.shape(x)))


def run(
    bind: Callable,
    fun: Callable[..., Sequence[Any]],
    setting: tracing.Setting,
    leaves: Sequence[Any],
    in_specs: Sequence[P],
    out_specs: Callable[[], Sequence[P]],
) -> list[Any]:
    """The results of a body, whole.

    Args:
        bind: applies the primitive `shard_map`.
        fun: the body, from parts of the arguments to parts of the results.
        setting: its mesh and axes.
        leaves: the arguments, whole.
        in_specs: how they are split.
        out_specs: asked when the body has run, how its results are put together.
    """
    outside = contextvars.copy_context()
    with sp.inside(setting.mesh, setting.axes, setting.check_vma):
        trace = DeviceTrace(setting, bind, outside)
        with state.tracing(trace):
            outs = fun(*_parts(trace, leaves, in_specs))
            wanted = tuple(out_specs())
        whole = _whole(trace, outs, wanted)
        trace.finish()
    return whole


def _parts(trace, leaves, specs):
    """The arguments as values of the body."""
    setting = trace.setting
    local = [
        sp.local_aval(
            av.get_aval(x), spec, setting.mesh, setting.axes, setting.check_vma
        )
        for x, spec in zip(leaves, specs, strict=True)
    ]
    closed = setting.trace(
        lambda *xs: [
            _with_axis(x, trace.axes_of(a)) for x, a in zip(xs, local, strict=True)
        ],
        local,
        jx.no_debug_info,
    )
    out_specs = [setting.residual_spec(a) for a in local]
    values = trace.call(closed, leaves, specs, out_specs)
    return [DeviceTracer(trace, a, x) for a, x in zip(local, values, strict=True)]


def _whole(trace, outs, specs):
    """Values of the body as whole results."""
    setting = trace.setting
    avals = [av.get_aval(x) for x in outs]
    is_own = [isinstance(x, DeviceTracer) and x._trace is trace for x in outs]
    in_specs = [
        setting.residual_spec(a) if own else P()
        for a, own in zip(avals, is_own, strict=True)
    ]
    given = [
        a.update(shape=(1, *a.shape)) if spec.names else a
        for a, spec in zip(avals, in_specs, strict=True)
    ]
    closed = setting.trace(
        lambda *xs: [
            reshaping.squeeze(x, (0,)) if spec.names else x
            for x, spec in zip(xs, in_specs, strict=True)
        ],
        given,
        jx.no_debug_info,
        out_specs=lambda: specs,
    )
    values = [x.val if own else x for x, own in zip(outs, is_own, strict=True)]
    return trace.call(closed, values, in_specs, specs)
