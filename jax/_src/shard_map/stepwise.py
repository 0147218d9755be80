"""The body of a `shard_map` run operation by operation, outside of every trace.

A value is an array of the whole mesh: the parts of all devices side by side along a new
first axis, or one array where its type says that devices share it. Python's print shows
the parts; a shared value has a truth and a number. Each operation is a `shard_map` of its
own, compiled once. Callbacks are called at once, for one device after the other.
"""

import collections
import contextvars
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import caches, config
from jax._src.core import (
    avals as avals_lib,
    effects,
    evaluate,
    jaxpr,
    mesh as mesh_lib,
    mesh_context,
    partition_spec,
    primitive as primitive_lib,
    reference_links,
    shardings,
    state,
    trace as trace_lib,
)
from jax._src.jit import primitive as jit_primitive
from jax._src.lax.ops import reshaping
from jax._src.runtime import checks, tokens
from jax._src.runtime.transfers import device_put_get
from jax._src.shard_map import impl, specs as specs_lib, tracing

P = partition_spec.PartitionSpec

# The programs of single operations, the one used last at the end.
_programs: collections.OrderedDict[Hashable, tuple] = collections.OrderedDict()
_PROGRAM_LIMIT = 4096
caches.register("shard_map.stepwise", _programs.clear)


class ShardMapTracer(trace_lib.Tracer):
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
        return "\n".join(
            f"On {device} at mesh coordinates ({names}) = {coordinates}:\n{part}\n"
            for device, names, coordinates, part in self._trace.parts_of(self)
        )

    __str__ = __repr__


class DeviceTrace(trace_lib.Trace):
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
        spec = self.setting.own_spec(aval)
        return spec.names

    def parts_of(self, value: ShardMapTracer) -> Iterator[tuple[Any, str, tuple, Any]]:
        """Yields each device, the mesh axes, its coordinates along them, and its part."""
        mesh = self.setting.mesh
        names = "".join(f"{name}, " for name in mesh.axis_names).rstrip()
        axes = self.axes_of(value.aval)
        whole = _host_value(value.val)
        devices = mesh.devices if isinstance(mesh, mesh_lib.Mesh) else None
        for coordinates in np.ndindex(*mesh.axis_sizes):
            at = dict(zip(mesh.axis_names, coordinates, strict=True))
            device = "a device" if devices is None else devices[coordinates]
            part = whole[_row_of(mesh, axes, at)] if axes else whole
            yield device, names, coordinates, part

    def process(
        self, primitive: primitive_lib.Primitive, args: tuple, params: dict
    ) -> Any:
        rule = params.get("call_jaxpr")
        if rule is not None and not isinstance(rule, jaxpr.ClosedJaxpr):
            # A function with a rule of its own: its operations come one by one.
            return primitive.rules["impl"](*args, **params)
        if primitive is jit_primitive.jit_p and checks.is_requested():
            return evaluate.eval_closed(params["jaxpr"], *args)

        def apply(*values):
            out = primitive.bind(*values, **params)
            return out if primitive.multiple_results else [out]

        if not any(map(self._is_own, args)) and any(
            avals_lib.get_aval(x).is_high for x in args
        ):
            # A value of a library is whole on each device, and so is what comes of it.
            outs = mesh_context.carry_options(self.outside).run(apply, *args)
            return outs if primitive.multiple_results else outs[0]
        key = (primitive, tuple(params.items()))
        by_device = primitive.rules.get("by_device")
        if by_device is not None:
            operands = [x.val if self._is_own(x) else x for x in args]
            if all(getattr(x, "is_fully_addressable", True) for x in operands):
                return self._on_host(by_device, apply, args, key, params)
        outs = self.run(apply, args, key)
        if checks.is_requested():
            checks.check(primitive.name, [out.val for out in outs])
        return outs if primitive.multiple_results else outs[0]

    def read_reference(self, ref: reference_links.Ref) -> Any:
        if ref.home is not self:
            raise reference_links.from_outside([ref], "shard_map")
        return super().read_reference(ref)

    def write_reference(self, ref: reference_links.Ref, value: Any) -> None:
        if ref.home is not self:
            raise reference_links.from_outside([ref], "shard_map")
        super().write_reference(ref, value)

    def _is_own(self, x):
        return isinstance(x, ShardMapTracer) and x._trace is self

    def _on_host(self, rule, apply, args, key, params) -> list[Any]:
        """The results of a callback, called here for one device after the other."""
        mesh, manual = self.setting.mesh, self.setting.axes
        *_, out_avals = self._prepared(apply, args, key)
        axes = [self.axes_of(x.aval) if self._is_own(x) else () for x in args]
        values = [_host_value(x.val) if self._is_own(x) else x for x in args]
        names = specs_lib.in_mesh_order(mesh, manual)
        avals = [
            dict(zip(names, at, strict=True))
            for at in np.ndindex(*[mesh.shape[name] for name in names])
        ]
        operands = [
            [
                x[_row_of(mesh, own, at)] if own else x
                for x, own in zip(values, axes, strict=True)
            ]
            for at in avals
        ]
        context = mesh_context.carry_options(self.outside)
        found = context.run(rule, operands, not any(axes), **params)
        made = []
        for number, aval in enumerate(out_avals):
            own = self.axes_of(aval)
            pairs = zip(avals, found, strict=True)
            rows = {_row_of(mesh, own, at): outs[number] for at, outs in pairs}
            whole = np.stack([rows[i] for i in range(len(rows))]) if own else rows[0]
            sharding = shardings.NamedSharding(mesh, P(own) if own else P())
            value = context.run(device_put_get.device_put, whole, sharding)
            made.append(ShardMapTracer(self, aval, value))
        return made

    def run(self, fun: Callable, args: Sequence[Any], key: Hashable) -> list[Any]:
        """The results of a function of values of the body, as such values."""
        closed, specs, out_specs, out_avals = self._prepared(fun, args, key)
        values = [x.val if self._is_own(x) else x for x in args]
        made = self.call(closed, values, specs, out_specs)
        if effects.runtime_effects.filter_in(closed.effects):
            # What Python does next comes after them.
            tokens.settle()
        return [
            ShardMapTracer(self, a, x) for a, x in zip(out_avals, made, strict=True)
        ]

    def _prepared(self, fun, args, key):
        """The program of a function at these arguments; their specs, those and the types
        of its results."""
        avals = [avals_lib.get_aval(x) for x in args]
        specs = [
            self.setting.own_spec(a) if self._is_own(x) else P()
            for a, x in zip(avals, args, strict=True)
        ]
        full = key, self.setting, tuple(avals), tuple(specs), config.config.trace_key()
        closed, out_specs, out_avals = self._program(fun, avals, specs, full)
        return closed, specs, out_specs, out_avals

    def _program(self, fun, avals, specs, key):
        return _remembered(key, lambda: self._traced(fun, avals, specs))

    def _traced(self, fun, avals, specs):
        results: list[Any] = []

        def body(*parts):
            values = [
                reshaping.squeeze(x, (0,)) if spec.names else x
                for x, spec in zip(parts, specs, strict=True)
            ]
            outs = fun(*values)
            results.extend(avals_lib.get_aval(out) for out in outs)
            return [
                _with_axis(out, self.axes_of(avals_lib.get_aval(out))) for out in outs
            ]

        given = [
            a.with_axis(0, 1) if spec.names else a
            for a, spec in zip(avals, specs, strict=True)
        ]
        closed = self.setting.trace(body, given, jaxpr.no_debug_info)
        out_specs = tuple(self.setting.own_spec(a) for a in results)
        return closed, out_specs, results

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
        context = mesh_context.carry_options(self.outside)
        return context.run(impl.run, self.bind, values, params)


def _remembered(key: Hashable, make: Callable[[], Any]) -> Any:
    """What `make` returns, made once for a key; one without a hash is not remembered."""
    try:
        found = _programs.get(key)
    except TypeError:
        return make()
    if found is None:
        found = _programs[key] = make()
        while len(_programs) > _PROGRAM_LIMIT:
            _programs.popitem(last=False)
    else:
        _programs.move_to_end(key)
    return found


def _row_of(mesh, axes, at):
    """Which of the parts along `axes` a device at these coordinates has."""
    row = 0
    for name in axes:
        row = row * mesh.shape[name] + at[name]
    return row


def _host_value(x):
    """A value that can be indexed without a program, if its elements are numbers."""
    return x if dtypes.is_extended(avals_lib.get_aval(x).dtype) else np.asarray(x)


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
        out_specs: called when the body has run; says how its results are put together.
    """
    outside = contextvars.copy_context()
    with specs_lib.inside(setting.mesh, setting.axes, setting.check_vma):
        trace = DeviceTrace(setting, bind, outside)
        with state.tracing(trace):
            outs = fun(*_parts(trace, leaves, in_specs))
            wanted = tuple(out_specs())
        whole = _whole(trace, outs, wanted)
        trace.finish()
    return whole


def find_bad_value(bind: Callable, args: Sequence[Any], params: dict) -> None:
    """Runs the program of an equation operation by operation, each result checked.

    Raises:
        FloatingPointError: an operation gives a NaN or an infinity that the user wants
            to see.
    """

    def body(*parts):
        return evaluate.eval_closed(params["jaxpr"], *parts)

    setting = tracing.setting_of(params)
    run(bind, body, setting, args, params["in_specs"], lambda: params["out_specs"])


def _parts(trace, leaves, specs):
    """The arguments as values of the body."""
    setting = trace.setting
    local = [
        specs_lib.local_aval(
            avals_lib.get_aval(x), spec, setting.mesh, setting.axes, setting.check_vma
        )
        for x, spec in zip(leaves, specs, strict=True)
    ]
    closed = _remembered(
        ("arguments", setting, tuple(local), config.config.trace_key()),
        lambda: setting.trace(
            lambda *xs: [
                _with_axis(x, trace.axes_of(a)) for x, a in zip(xs, local, strict=True)
            ],
            local,
            jaxpr.no_debug_info,
        ),
    )
    out_specs = [setting.own_spec(a) for a in local]
    values = trace.call(closed, leaves, specs, out_specs)
    return [ShardMapTracer(trace, a, x) for a, x in zip(local, values, strict=True)]


def _whole(trace, outs, specs):
    """Values of the body as whole results."""
    setting = trace.setting
    avals = [avals_lib.get_aval(x) for x in outs]
    is_own = [isinstance(x, ShardMapTracer) and x._trace is trace for x in outs]
    in_specs = [
        setting.own_spec(a) if own else P()
        for a, own in zip(avals, is_own, strict=True)
    ]
    key = "results", setting, tuple(avals), tuple(in_specs), tuple(specs)

    def make():
        given = [
            a.with_axis(0, 1) if spec.names else a
            for a, spec in zip(avals, in_specs, strict=True)
        ]
        return setting.trace(
            lambda *xs: [
                reshaping.squeeze(x, (0,)) if spec.names else x
                for x, spec in zip(xs, in_specs, strict=True)
            ],
            given,
            jaxpr.no_debug_info,
            out_specs=lambda: specs,
        )

    closed = _remembered((*key, config.config.trace_key()), make)
    values = [x.val if own else x for x, own in zip(outs, is_own, strict=True)]
    return trace.call(closed, values, in_specs, specs)
