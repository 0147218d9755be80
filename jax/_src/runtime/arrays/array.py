"""`jax.Array`: what Python adds to the native array."""

from typing import Any

import numpy as np

from jax._src.base import errors, records, traceback_filter
from jax._src.core import shardings, trace
from jax._src.lib import client, fastpath
from jax._src.runtime.arrays import layouts, relayout
from jax._src.runtime.transfers import device_put_get, transfer_guard

# Classes besides the native one whose objects are arrays, such as random keys.
_more_array_types: list[type] = [trace.Tracer]


def register_array_type(kind: type) -> None:
    """Makes ``isinstance(x, jax.Array)`` true of objects of `kind`."""
    _more_array_types.append(kind)
    ArrayMeta.types = (client.Array, *_more_array_types)


def register_extended_array_type(
    kind: type, base_attribute: str = "_base_array", dtype_attribute: str = "_dtype"
) -> None:
    """Makes objects of `kind` arrays that jitted calls take without Python.

    Args:
        kind: a class of arrays of an extended dtype, such as random keys.
        base_attribute: the attribute that holds the array behind an object.
        dtype_attribute: the attribute that holds its dtype.
    """
    register_array_type(kind)
    fastpath.register_extended_class(kind, base_attribute, dtype_attribute)


class ArrayMeta(type):
    """Makes `isinstance` and `issubclass` answer for native arrays and traced values."""

    types: tuple[type, ...] = (client.Array, trace.Tracer)

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, ArrayMeta.types)

    def __subclasscheck__(cls, subclass: type) -> bool:
        # A class is a subclass of itself, as libraries that file handlers by class rely on.
        return type(subclass) is ArrayMeta or issubclass(subclass, ArrayMeta.types)


class Array(metaclass=ArrayMeta):
    """The type of arrays, traced ones included; for `isinstance` and annotations.

    Arrays are made by functions such as `jax.numpy.array` and `jax.device_put`.
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> "Array":
        raise TypeError(
            "jax.Array is a type for isinstance and annotations. "
            "Make arrays with jnp.array(...)."
        )


Array.__module__ = "jax"


@records.identity_record
class Shard:
    """The shard of an array that one device holds."""

    device: Any
    sharding: Any
    global_shape: tuple[int, ...]
    # None where the device belongs to another process.
    data: Any = None

    @property
    def index(self) -> tuple[slice, ...]:
        """The part of the array, as slices of its axes."""
        return self.sharding.devices_indices_map(self.global_shape)[self.device]

    @property
    def replica_id(self) -> int:
        """Which copy of that part this is, counted from 0."""
        indices = self.sharding.devices_indices_map(self.global_shape)
        before = 0
        for device in self.sharding.ordered_devices:
            if device == self.device:
                return before
            before += indices[device] == self.index
        raise ValueError(f"{self.device} does not belong to {self.sharding}.")

    def __repr__(self) -> str:
        return (
            f"Shard(device={self.device!r}, index={self.index}, "
            f"replica_id={self.replica_id}, data={self.data})"
        )


def addressable_shards(self) -> list[Shard]:
    """The parts of the array on the devices of this process."""
    out = []
    local = 0
    for device in self.sharding.ordered_devices:
        if device.is_addressable:
            data = client.shard_of(self, local, sharding=shardings.of_device(device))
            out.append(Shard(device, self.sharding, self.shape, data))
            local += 1
    return out


def _arrays_of_devices(self) -> list[Any]:
    """The parts of the array on the devices of this process, as arrays."""
    here = [d for d in self.sharding.ordered_devices if d.is_addressable]
    return [
        client.shard_of(self, number, sharding=shardings.of_device(device))
        for number, device in enumerate(here)
    ]


def global_shards(self) -> list[Shard]:
    """The parts of the array on all devices; those of other processes have no data."""
    here = {shard.device: shard for shard in addressable_shards(self)}
    return [
        here.get(device) or Shard(device, self.sharding, self.shape)
        for device in self.sharding.ordered_devices
    ]


def devices(self) -> set[Any]:
    """The devices that hold the array."""
    return self.sharding.device_set


def device(self) -> Any:
    """The device of the array, or its sharding over several."""
    if self.sharding.num_devices == 1:
        return self.sharding.ordered_devices[0]
    return self.sharding


def to_device(self, device: Any, *, stream: Any = None) -> Any:
    """The array on another device or under another sharding."""
    if stream is not None:
        raise NotImplementedError("to_device: streams are not supported.")
    return device_put_get.device_put(self, device)


def item(self, *args: Any) -> Any:
    """One element as a Python number."""
    return self._value.item(*args)


def tolist(self) -> Any:
    """The elements as nested lists of Python numbers."""
    return self._value.tolist()


def tobytes(self, order: str = "C") -> bytes:
    """The elements as bytes, row by row."""
    return self._value.tobytes(order)


def _length(self):
    if not self.shape:
        raise TypeError("len() of unsized object")
    return self.shape[0]


def _reversed(self):
    return reversed([*self])


def _format(self, spec):
    if _has_no_value_here(self):
        return format(repr(self), spec)
    if not self.shape:
        return format(self._value[()], spec)
    return format(self._value, spec)


def _has_no_value_here(self):
    """Whether only other processes hold some shards, or shards have to be summed."""
    sharding = self.sharding
    if device_put_get.sums_of(sharding):
        return True
    if sharding.is_fully_addressable:
        return False
    return not (sharding.is_fully_replicated and sharding.has_addressable_devices)


def _text(self):
    if self.is_deleted() or _has_no_value_here(self):
        return repr(self)
    return str(self._value)


def _repr(self):
    """Formats the array as NumPy does, and always names the dtype."""
    head = "Array("
    weak = ", weak_type=True" if self.weak_type else ""
    tail = f", dtype={self.dtype.name}{weak})"
    if self.is_deleted():
        return f"Array({self.aval.str_short()} is deleted)"
    if _has_no_value_here(self):
        is_sum = device_put_get.sums_of(self.sharding)
        where = f", sharding={self.sharding!r}" if is_sum else ""
        return f"Array(shape={self.shape}, dtype={self.dtype.name}{weak}{where})"
    if self.size == 0:
        return f"{head}[], shape={self.shape}{tail}"
    text = head + np.array2string(
        self._value, prefix=head, suffix=",", separator=", ", floatmode=None
    )
    last_line = text[text.rfind("\n") + 1 :]
    limit = np.get_printoptions()["linewidth"]
    fits = len(last_line) + len(tail) <= limit
    separator = ", " if fits else ",\n      "
    return f"{text}{separator}{tail.removeprefix(', ')}"


def _unpickle(value, weak_type):
    return device_put_get.put_on_device(value, dtype=value.dtype, weak_type=weak_type)


def _reduce(self):
    return _unpickle, (np.array(self._value), self.weak_type)


def _deepcopy(self, memo):
    return copy(self)


def copy(self) -> Any:
    """A copy in memory of its own, on the same devices."""
    return device_put_get.copy(self)


def _gpu_interface(self):
    raise AttributeError(
        "__cuda_array_interface__ is only defined for arrays on a CUDA GPU."
    )


def _check_sharding(what, sharding):
    if not isinstance(sharding, shardings.Sharding):
        raise errors.type_error(
            f"{what}: the value is no sharding.",
            [("got", f"{sharding!r} of type {type(sharding).__name__}")],
            ways="Give one, such as NamedSharding(mesh, PartitionSpec('x')).",
        )


def _check_part(what, part, device, shard_shape, dtype, wanted, by_device):
    expected = dtype if dtype is not None else by_device[wanted[0]].dtype
    if part.shape == shard_shape and part.dtype == expected:
        return
    raise errors.value_error(
        f"{what}: the part on {device!r} is not as the sharding says.",
        [
            ("part", part.aval.str_short()),
            ("wanted", f"shape {shard_shape}, {np.dtype(expected).name}"),
        ],
        "All parts have the same shape and dtype.",
    )


@traceback_filter.hides_frames
def make_array_from_single_device_arrays(
    shape: tuple[int, ...], sharding: Any, arrays: Any, *, dtype: Any = None
) -> Any:
    """Makes one array of its shards, each on its device in `sharding`.

    Args:
        shape: the shape of the whole.
        sharding: how it is laid out.
        arrays: a part for each device of this process, in the order of its devices.
        dtype: the dtype; needed where this process has no part.

    Raises:
        ValueError: a part is missing, on another device, or of another shape.
    """
    what = "make_array_from_single_device_arrays"
    _check_sharding(what, sharding)
    if not isinstance(arrays, list | tuple):
        raise errors.type_error(
            f"{what}: the parts are a list or tuple.",
            [("got", type(arrays).__name__)],
            "Each device of this process has one part.",
        )
    if arrays and all(map(_holds_strings, arrays)):
        return _joined_strings(tuple(shape), sharding, arrays)
    for part in arrays:
        is_array = isinstance(part, client.Array)
        if not is_array or part.sharding.num_devices != 1:
            is_traced = isinstance(part, trace.Tracer)
            kind = ValueError if is_array or is_traced else TypeError
            found = repr(part.sharding) if is_array else type(part).__name__
            raise kind(
                errors.explain(
                    f"jax.{what} requires a list of concrete arrays as input, but "
                    f"got types {sorted({type(x).__name__ for x in arrays})}."
                    if is_traced
                    else f"{what}: a part is an array on one device.",
                    [("got", found)],
                    ways="Make it one: jax.device_put(part, device).",
                )
            )
    by_device = {part.sharding.ordered_devices[0]: part for part in arrays}
    wanted = [d for d in sharding.ordered_devices if d.is_addressable]
    shape = tuple(shape)
    shard_shape = sharding.shard_shape(shape)
    facts = [("shape", str(shape)), ("sharding", repr(sharding))]
    if len(arrays) != len(wanted) or set(by_device) != set(wanted):
        raise errors.value_error(
            f"{what}: the parts are not on the devices of the sharding.",
            [
                *facts,
                ("parts", f"{len(arrays)}, on {[d.id for d in by_device]}"),
                ("devices", f"{len(wanted)}: {[d.id for d in wanted]}"),
            ],
            "Each device of this process has one part.",
        )
    for device in wanted:
        _check_part(
            what, by_device[device], device, shard_shape, dtype, wanted, by_device
        )
    if dtype is None and not arrays:
        raise errors.value_error(
            f"{what}: the dtype is not known.",
            facts,
            "No device of the sharding belongs to this process.",
            "Give it: dtype=...",
        )
    if len({part._order for part in arrays}) > 1:
        by_device = {d: relayout.to_row_major(part) for d, part in by_device.items()}
    return client.array_from_shards(
        shape=tuple(shape),
        dtype=dtype or arrays[0].dtype,
        weak_type=bool(arrays) and arrays[0].weak_type,
        sharding=sharding,
        committed=True,
        shards=[by_device[d] for d in wanted],
    )


def _holds_strings(part):
    return getattr(getattr(part, "dtype", None), "kind", "") == "T"


def _joined_strings(shape, sharding, parts):
    """One array of the arrays of strings on single devices."""
    by_device = {part.sharding.ordered_devices[0]: part for part in parts}
    whole = np.empty(shape, parts[0].dtype)
    for device, index in sharding.addressable_devices_indices_map(shape).items():
        whole[index] = np.asarray(by_device[device])
    return device_put_get.device_put(whole, sharding)


@traceback_filter.hides_frames
def make_array_from_callback(
    shape: Any, sharding: Any, data_callback: Any, dtype: Any = None
) -> Any:
    """An array whose parts a function returns, given their slices.

    Args:
        shape: the shape of the whole array.
        sharding: the sharding of the array.
        data_callback: from a tuple of slices to the elements there, an array.
        dtype: the dtype; needed where this process has no part.

    Raises:
        ValueError: a part has another shape. TypeError: `sharding` is no sharding.
    """
    what = "make_array_from_callback"
    is_placement = isinstance(sharding, client.Device | layouts.Format)
    target = device_put_get.as_sharding(sharding) if is_placement else sharding
    _check_sharding(what, target)
    shape = tuple(shape)
    indices = target.addressable_devices_indices_map(shape)
    shard_shape = target.shard_shape(shape)
    parts: list[Any] = []
    whole = None
    for device, index in indices.items():
        data = whole if whole is not None else data_callback(index)
        if isinstance(data, trace.Tracer):
            raise errors.UnexpectedTracerError(
                errors.explain(
                    f"{what}: the function returned a traced value.",
                    [("value", data.aval.str_short()), ("index", str(index))],
                    "The parts of an array are known when it is made.",
                )
            )
        if not isinstance(data, client.Array):
            direction = transfer_guard.TO_DEVICE
            transfer_guard.check(direction, data, target, is_explicit=False)
        if target.is_fully_replicated:
            whole = data
        part = device_put_get.put(data, shardings.of_device(device, target.memory_kind))
        if isinstance(sharding, layouts.Format) and sharding.layout is not None:
            part = relayout.lay_out(part, sharding.layout)
        if np.shape(part) != shard_shape or (
            dtype is not None and part.dtype != np.dtype(dtype)
        ):
            wanted = f"shape {shard_shape}" + (
                "" if dtype is None else f", {np.dtype(dtype).name}"
            )
            raise errors.value_error(
                f"{what}: the function returned another part than was requested.",
                [
                    ("index", str(index)),
                    ("returned", part.aval.str_short()),
                    ("wanted", wanted),
                    ("sharding", repr(target)),
                ],
                "It returns the elements of the slices that it gets.",
            )
        parts.append(part)
    return make_array_from_single_device_arrays(shape, target, parts, dtype=dtype)


def format_of(self) -> layouts.Format:
    """The layout and the sharding of the array."""
    return layouts.Format(layouts.of_array(self._order, self.ndim), self.sharding)


def platform(self) -> str:
    """The platform of the devices that hold the array, such as ``"cpu"``."""
    return self.sharding.ordered_devices[0].platform


_ATTRIBUTES = {
    "__array_priority__": 100,
    "__copy__": copy,
    "__deepcopy__": _deepcopy,
    "__format__": _format,
    "__len__": _length,
    "__reduce__": _reduce,
    "__repr__": _repr,
    "__reversed__": _reversed,
    "__str__": _text,
    "_arrays": property(_arrays_of_devices),
    "addressable_data": lambda self, index: addressable_shards(self)[index].data,
    "addressable_shards": property(addressable_shards),
    "device": property(device),
    "clone": copy,
    "devices": devices,
    "format": property(format_of),
    "global_shards": property(global_shards),
    "is_fully_addressable": property(lambda self: self.sharding.is_fully_addressable),
    "is_fully_replicated": property(lambda self: self.sharding.is_fully_replicated),
    "item": item,
    "platform": platform,
    "to_device": to_device,
    "tobytes": tobytes,
    "tolist": tolist,
    "__cuda_array_interface__": property(_gpu_interface),
}
for _name, _attribute in _ATTRIBUTES.items():
    setattr(client.Array, _name, _attribute)
client.Array.copy = copy
