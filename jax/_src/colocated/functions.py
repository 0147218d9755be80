"""Python functions that run on the hosts of devices.

In one process the host of each device is this one: a call runs the function here, on the
CPU devices that belong to the devices of its arguments.
"""

import functools as ft
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jax._src import tree
from jax._src.base import errors, records, scalars, traceback_filter, util
from jax._src.base.traceback_filter import api_boundary
from jax._src.core import avals, memory_kinds, mesh as mesh_lib
from jax._src.lib import client
from jax._src.runtime.devices import backends
from jax._src.transforms import shape_dtype_struct

ShapeDtypeStructTree = Any


def colocated_cpu_devices(devices_or_mesh: Any) -> Any:
    """The CPU devices on the hosts of other devices.

    Args:
        devices_or_mesh: a sequence of devices, or a `Mesh`.

    Returns:
        A list, or a mesh with the same axes. A CPU device belongs to itself; the n-th
        other device of this process to its n-th CPU device, round and round.

    Raises:
        ValueError: a device belongs to another process.
    """
    if isinstance(devices_or_mesh, mesh_lib.Mesh):
        mesh = devices_or_mesh
        found = colocated_cpu_devices(list(mesh.devices.flat))
        grid = np.array(found, object).reshape(mesh.devices.shape)
        return mesh_lib.Mesh(grid, mesh.axis_names, mesh.axis_types)
    return [_cpu_of(device) for device in devices_or_mesh]


def _cpu_of(device):
    if device.platform == "cpu":
        return device
    if device.process_index != backends.process_index():
        raise errors.value_error(
            "colocated_cpu_devices: a device belongs to another process.",
            [("device", repr(device)), ("process", str(device.process_index))],
            "Functions run on hosts of devices of this process.",
        )
    hosts = backends.local_devices(backend="cpu")
    return hosts[device.client.local_devices().index(device) % len(hosts)]


class DeviceList(tuple):
    """Devices in order, and what is true of all of them."""

    __slots__ = ()

    @property
    def is_fully_addressable(self) -> bool:
        """Whether all belong to this process."""
        return len(self.addressable_device_list) == len(self)

    @property
    def addressable_device_list(self) -> "DeviceList":
        """The devices of this list that belong to this process."""
        here = backends.process_index()
        return DeviceList(d for d in self if d.process_index == here)

    @property
    def process_indices(self) -> set[int]:
        """The processes that they belong to."""
        return {d.process_index for d in self}

    @property
    def default_memory_kind(self) -> str | None:
        """The kind of memory that arrays on them have unless told otherwise."""
        return memory_kinds.default_of(self[0]) if self else None

    @property
    def memory_kinds(self) -> tuple[str, ...]:
        """The kinds of memory that each of them has."""
        if not self:
            return ()
        return tuple(memory.kind for memory in self[0].addressable_memories())

    @property
    def device_kind(self) -> str:
        """What kind of device the first is."""
        return self[0].device_kind


def is_prng_key_dtype(dtype: Any) -> bool:
    """Whether a dtype is that of random keys."""
    return isinstance(dtype, scalars.ExtendedDType)


@records.record
class FunctionInfo:
    """A function and what is said of it in messages."""

    fun: Callable[..., Any]
    fun_sourceinfo: str | None
    fun_signature: inspect.Signature | None


@records.record
class Specialization:
    """What calls of a function are bound to."""

    in_specs_treedef: Any = None
    in_specs_leaves: tuple[Any, ...] | None = None
    out_specs_fn: Callable[..., ShapeDtypeStructTree] | None = None
    out_specs_treedef: Any = None
    out_specs_leaves: tuple[Any, ...] | None = None
    devices: tuple[Any, ...] | None = None

    def update(
        self,
        *,
        in_specs_treedef: Any = None,
        in_specs_leaves: tuple[Any, ...] | None = None,
        out_specs_fn: Callable[..., ShapeDtypeStructTree] | None = None,
        out_specs_treedef: Any = None,
        out_specs_leaves: tuple[Any, ...] | None = None,
        devices: Sequence[Any] | Any | None = None,
    ) -> "Specialization":
        """A copy that is bound to more.

        Raises:
            ValueError: it is bound to one of these already.
        """
        if isinstance(devices, mesh_lib.Mesh):
            devices = devices.flat_devices
        changes: dict[str, Any] = {
            "in_specs_treedef": in_specs_treedef,
            "in_specs_leaves": in_specs_leaves,
            "out_specs_fn": out_specs_fn,
            "out_specs_treedef": out_specs_treedef,
            "out_specs_leaves": out_specs_leaves,
            "devices": None if devices is None else tuple(devices),
        }
        for name, value in changes.items():
            if value is not None and getattr(self, name) is not None:
                raise errors.value_error(
                    f"colocated_python: {name} already specified.",
                    ways="Specialize the function that you began with.",
                )
        return records.replace(
            self, **{k: v for k, v in changes.items() if v is not None}
        )


def _type_of(value):
    """The type and sharding of an array, as callers state them."""
    return shape_dtype_struct.struct_of(avals.get_aval(value), value.sharding)


def _check_arrays(info, leaves):
    for leaf in leaves:
        is_keys = is_prng_key_dtype(getattr(leaf, "dtype", None))
        if not isinstance(leaf, client.Array) and not is_keys:
            raise errors.value_error(
                f"colocated_python only supports jax.Array as input and output, "
                f"but got {type(leaf)}.",
                [("function", info.fun_sourceinfo or repr(info.fun))],
                ways="Convert it: jnp.asarray(x).",
            )


def _devices_of(info, specialization, leaves):
    found = {leaf.sharding.ordered_devices: None for leaf in leaves}
    if len(found) > 1:
        raise errors.value_error(
            "All arguments must use the same device list, but got multiple.",
            [
                ("function", info.fun_sourceinfo or repr(info.fun)),
                ("devices", " and ".join(map(str, found))),
            ],
            ways="Move them: jax.device_put(x, sharding).",
        )
    if specialization.devices is not None:
        return specialization.devices
    if not found:
        raise errors.value_error(
            "No devices found. colocated_python function without input arguments "
            "must be first specialized with devices.",
            [("function", info.fun_sourceinfo or repr(info.fun))],
            ways="Say where: f = f.specialize(devices=jax.devices()).",
        )
    return next(iter(found))


def _check_specs(what, wanted, found, info):
    """Types and shapes must be those that were stated; shardings may differ."""
    for a, b in zip(wanted, found, strict=True):
        if (a.shape, a.dtype) != (b.shape, b.dtype):
            raise errors.value_error(
                f"colocated_python: {what} differ from those that were specified.",
                [
                    ("function", info.fun_sourceinfo or repr(info.fun)),
                    ("specified", f"{a.dtype}{list(a.shape)}"),
                    ("found", f"{b.dtype}{list(b.shape)}"),
                ],
            )


def _run(info, specialization, args, kwargs):
    leaves, structure = tree.tree_flatten((args, kwargs))
    _check_arrays(info, leaves)
    wanted = specialization.in_specs_leaves
    if wanted is not None:
        if structure != specialization.in_specs_treedef:
            raise errors.value_error(
                "colocated_python: the arguments' tree is not the specified one.",
                [
                    ("specified", str(specialization.in_specs_treedef)),
                    ("found", str(structure)),
                ],
            )
        _check_specs("arguments", wanted, leaves, info)
    _devices_of(info, specialization, leaves)
    result = info.fun(*args, **kwargs)
    outs, out_structure = tree.tree_flatten(result)
    _check_arrays(info, outs)
    if specialization.out_specs_fn is not None:
        types = tree.tree_map(_type_of, (args, kwargs))
        specs = specialization.out_specs_fn(*types[0], **types[1])
        stated, stated_structure = tree.tree_flatten(specs)
        if stated_structure != out_structure:
            raise errors.value_error(
                "colocated_python: the results' tree is not that of out_specs_fn.",
                [("stated", str(stated_structure)), ("found", str(out_structure))],
            )
        _check_specs("results", stated, outs, info)
    return result


def _make(info, specialization):
    @ft.wraps(info.fun)
    @api_boundary
    def call(*args: Any, **kwargs: Any) -> Any:
        return _run(info, specialization, args, kwargs)

    def specialize(
        in_specs: ShapeDtypeStructTree | None = None,
        out_specs_fn: Callable[..., ShapeDtypeStructTree] | None = None,
        devices: Sequence[Any] | None = None,
    ) -> Callable[..., Any]:
        """Returns this function bound to argument types, result types or devices."""
        changes: dict[str, Any] = {"out_specs_fn": out_specs_fn, "devices": devices}
        if in_specs is not None:
            leaves, structure = tree.tree_flatten(in_specs)
            changes["in_specs_leaves"] = tuple(leaves)
            changes["in_specs_treedef"] = structure
        return _make(info, specialization.update(**changes))

    call.specialize = specialize  # type: ignore[attr-defined]
    return call


def make_callable(
    fun: Callable[..., Any],
    fun_sourceinfo: str | None,
    fun_signature: inspect.Signature | None,
) -> Callable[..., Any]:
    """What `colocated_python` returns, of a function and what messages call it."""
    return _make(FunctionInfo(fun, fun_sourceinfo, fun_signature), Specialization())


def _source_of(fun):
    code = getattr(fun, "__code__", None)
    name = getattr(fun, "__name__", repr(fun))
    if code is None:
        return name
    return f"{name} at {code.co_filename}:{code.co_firstlineno}"


def _signature_of(fun):
    try:
        return util.signature(fun)
    except (ValueError, TypeError):
        return None


def colocated_python(fun: Callable[..., Any]) -> Callable[..., Any]:
    """A function that runs, as plain Python, on the host of its arguments' devices.

    Arguments and results are trees of arrays; all arguments are on the same devices. In
    one process the function is called here; it is neither traced nor compiled.

    Args:
        fun: the function.

    Returns:
        The function, with `specialize(in_specs=None, out_specs_fn=None, devices=None)`,
        which binds it to types of arguments, ``out_specs_fn(*types)`` to those of
        results, and to devices, as a function without arguments needs.

    Raises:
        ValueError: an argument or result is no array, arguments are on different devices,
            or types are not those that were specified.
    """
    return make_callable(fun, _source_of(fun), _signature_of(fun))


traceback_filter.hide_frames(globals())
