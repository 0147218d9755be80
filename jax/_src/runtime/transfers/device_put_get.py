"""Putting values on devices, and getting them back."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from jax._src import dtypes, tree
from jax._src.base import errors, scalars, traceback_filter
from jax._src.core import (
    avals,
    conversions,
    mesh_context,
    partition_spec,
    shardings as shardings_lib,
    state,
    trace,
)
from jax._src.lib import client, fastpath
from jax._src.runtime.arrays import layouts, relayout
from jax._src.runtime.devices import backends
from jax._src.runtime.transfers import traced_device_put, transfer_guard

T = TypeVar("T")

_NUMPY = (np.ndarray, np.generic)
_HELD = (client.Array, *_NUMPY, *scalars.PYTHON_SCALARS)
# Classes whose objects are always leaves, and neither traced values nor of an extended dtype.
_PLAIN_HOST = frozenset((np.ndarray, *scalars.PYTHON_SCALARS))
_PLAIN = _PLAIN_HOST | {client.Array}
# Dtypes that devices have under every setting of `jax_enable_x64`.
_KEPT_DTYPES = frozenset(dtypes.array_dtypes) - scalars.WIDE
_DEVICES = (client.Device, shardings_lib.Sharding)
_PLACEMENT_TYPES = (
    client.Device,
    shardings_lib.Sharding,
    avals.MemorySpace,
    layouts.Format,
    partition_spec.PartitionSpec,
)


def as_sharding(target: Any) -> Any:
    """Returns the sharding for a device, a sharding or None that a user has given.

    A memory space stands for itself: its sharding depends on the array.
    """
    if target is None or isinstance(target, shardings_lib.Sharding | avals.MemorySpace):
        return target
    if isinstance(target, client.Device):
        return shardings_lib.of_device(target)
    if isinstance(target, layouts.Format):
        target.check()
        return as_sharding(target.sharding)
    if isinstance(target, partition_spec.PartitionSpec):
        return _of_spec(target)
    raise errors.value_error(
        "`jax.device_put` only accepts `None`, `jax.sharding.Sharding`, `jax.Device`, "
        "`Format`, `jax.memory.Space` or a pytree of these values. Received invalid "
        f"value: {target}",
        [("type", type(target).__name__)],
        ways="Give one of jax.devices(), or a sharding such as "
        "NamedSharding(mesh, PartitionSpec('x')).",
    )


def _of_spec(spec):
    mesh = mesh_context.concrete_mesh()
    if mesh is None:
        raise errors.value_error(
            "Please set a mesh via `jax.set_mesh` if a PartitionSpec is passed to "
            "device_put: it is neither a device nor a sharding by itself.",
            [("spec", repr(spec)), ("mesh", "none is set here")],
            "A spec names axes of the current mesh.",
            "Set one with jax.set_mesh(mesh), or pass NamedSharding(mesh, spec).",
        )
    return shardings_lib.NamedSharding(mesh, spec)


def to_numpy(value: Any, dtype: Any = None) -> tuple[np.ndarray, bool]:
    """A host value as a NumPy array of a dtype that devices have, and its weak type."""
    if type(value) is np.ndarray and value.dtype in _KEPT_DTYPES:
        if dtype is None or dtype == value.dtype:
            return value, False
    if isinstance(value, scalars.PYTHON_SCALARS) and not isinstance(value, np.generic):
        kind = type(value)
        if kind not in _PLAIN_HOST:
            kind = next(k for k in scalars.PYTHON_SCALARS if isinstance(value, k))
        wanted = dtype or scalars.python_scalar_dtype(kind)
        is_weak = dtype is None and kind is not bool
        if kind is float or (kind is int and scalars.is_inexact(wanted)):
            return scalars.converted(np.asarray(value), wanted), is_weak
        return np.asarray(value, wanted), is_weak
    aval = avals.get_aval(value)  # refuses strings and objects
    array = np.asarray(value)  # refuses random keys
    if array.dtype.kind == "T":
        raise errors.type_error(
            f"Argument {array} of type {type(value)} is not a valid JAX type.",
            [("dtype", str(array.dtype)), ("shape", str(array.shape))],
            "Programs compute with numbers and truth values. jax.device_put takes arrays of "
            "strings, which can only be moved.",
            "Compute with integers that stand for the strings.",
        )
    wanted = np.dtype(dtype or aval.dtype).newbyteorder("=")
    if array.dtype != wanted:
        with np.errstate(over="ignore", invalid="ignore"):
            array = scalars.converted(array, wanted)
    return array, False


def weak_scalar(value: Any, dtype: Any) -> Any:
    """A number as a weakly typed array of rank 0: a literal wherever it is traced."""
    return put_on_device(np.asarray(value, dtype), dtype=dtype, weak_type=True)


def put_on_device(
    value: Any,
    device: Any = None,
    *,
    dtype: Any = None,
    weak_type: bool | None = None,
    committed: bool = False,
    memory_kind: str | None = None,
) -> Any:
    """A host value as an array on one device; None: the default device.

    Args:
        value: a NumPy array or scalar, or a Python number.
        device: where to put it.
        dtype: the dtype of the result; None: that of `value`, narrowed without x64.
        weak_type: whether the dtype gives way; None: as a Python number's does.
        committed: whether the device was chosen on purpose.
        memory_kind: the memory of the device.
    """
    array, weak = to_numpy(value, dtype)
    target = device if device is not None else backends.default_device()
    return client.array_from_host(
        array,
        target,
        memory_kind or "",
        sharding=shardings_lib.of_device(target, memory_kind),
        committed=committed,
        weak_type=weak if weak_type is None else weak_type,
    )


def owned(values: list[Any], kinds: tuple[type, ...] = _NUMPY) -> list[Any]:
    """Converts NumPy arrays among the results of a transformed function to JAX arrays.

    A function that gives an argument back leaves it as it came, and with it a dtype that
    no array of ours has.

    Args:
        values: the results.
        kinds: what becomes an array, where no trace runs.
    """
    if state.current() is not trace.evaluation:
        return values
    return [
        put_on_device(x)
        if isinstance(x, kinds) and getattr(x, "dtype", None) != scalars.float0
        else x
        for x in values
    ]


def owned_numbers(values: list[Any]) -> list[Any]:
    """Puts NumPy arrays and Python numbers on the default device; other values stay as they are."""
    return owned(values, (*_NUMPY, *scalars.PYTHON_SCALARS))


def put(
    value: Any, sharding: shardings_lib.Sharding | None, *, committed: bool = True
) -> Any:
    """One value (no tree, not traced) on the devices of `sharding`.

    None: an array stays where it is, a host value goes to the default device and is
    not committed to it.
    """
    if not isinstance(value, client.Array):
        if not isinstance(value, (*_NUMPY, *scalars.PYTHON_SCALARS)):
            if hasattr(value, "__jax_array__"):
                return put(value.__jax_array__(), sharding, committed=committed)
            array = conversions.converted(value)
            if array is value:
                raise avals.not_a_value(value, "device_put")
            return put(array, sharding, committed=committed)
        if isinstance(value, np.ndarray) and value.dtype.kind == "T":
            return _put_strings(value, sharding)
        if sharding is None:
            return put_on_device(value)
        if type(
            sharding
        ) is shardings_lib.SingleDeviceSharding and not _is_of_other_process(sharding):
            (device,) = sharding.ordered_devices
            return put_on_device(
                value, device, committed=committed, memory_kind=sharding.memory_kind
            )
        array, weak = to_numpy(value)
        return split(array, weak, sharding, committed)
    if sharding is None or sharding == value.sharding:
        if sharding is None or value.committed == committed:
            return value
        return client.view_with(
            value, sharding=sharding, committed=committed, weak_type=value.weak_type
        )
    return _move(value, sharding, committed)


def copy(array: Any) -> Any:
    """A copy of an array in memory of its own, on the same devices, in row-major order."""
    if array._order is not None:
        return relayout.to_row_major(array)
    return _move(array, array.sharding, array.committed)


def brought_over(values: Sequence[Any], sharding: Any) -> list[Any] | None:
    """Moves arrays of clients that were dropped to the devices of a sharding; other values stay.

    Returns:
        The values; None if there is no such array.
    """
    (now,) = {device.client for device in sharding.ordered_devices}
    others = [
        isinstance(x, client.Array)
        and any(d.client is not now for d in x.sharding.device_set)
        for x in values
    ]
    if not any(others):
        return None
    return [
        split(x._value, x.weak_type, sharding, False) if is_other else x
        for x, is_other in zip(values, others, strict=True)
    ]


def _of_one_client(*shardings):
    """Whether the devices of some shardings have one client."""
    return len({d.client for s in shardings for d in s.ordered_devices}) == 1


def _move(array, sharding, committed):
    if not _of_one_client(array.sharding, sharding):
        return split(array._value, array.weak_type, sharding, committed)
    one_to_one = array.sharding.num_devices == 1 and sharding.num_devices == 1
    if one_to_one and sharding.is_fully_addressable:
        (device,) = sharding.ordered_devices
        kind = sharding.memory_kind or ""
        return client.copy_to_device(
            array, device, kind, sharding=sharding, committed=committed
        )
    if sums_of(array.sharding):
        there = sharding.ordered_devices == array.sharding.ordered_devices
        if not there or type(sharding) is not shardings_lib.NamedSharding:
            # The sum is taken where the summands are.
            array = _move(array, array.sharding.summed, committed)
    if sums_of(sharding) and not sums_of(array.sharding):
        return _as_summands(array, sharding, committed)
    if array.sharding is not sharding:
        if not array.sharding.is_equivalent_to(sharding, array.ndim):
            array = relayout.to_row_major(array)
        moved = _mover(array, sharding, committed)
        if moved is not None:
            return moved
    return split(array._value, array.weak_type, sharding, committed)


def _as_summands(array, sharding, committed):
    """Returns an array as pending sums over mesh axes: one summand is the array, the others are zeros."""
    whole = array
    if array.sharding != sharding.summed:
        whole = _move(array, sharding.summed, committed)
    holders = sharding.first_summands
    shards = [
        shard.data
        if shard.device in holders
        else put_on_device(
            np.zeros(shard.data.shape, array.dtype), shard.device, committed=True
        )
        for shard in whole.addressable_shards
    ]
    return of_shards(array, sharding, committed, shards)


def of_shards(array, sharding, committed, shards):
    """An array like another, of other parts."""
    return client.array_from_shards(
        shape=array.shape,
        dtype=array.dtype,
        weak_type=array.weak_type,
        sharding=sharding,
        committed=committed,
        shards=shards,
    )


def _mover(array, sharding, committed):
    """Placeholder until `moving`, which compiles programs, installs its function."""


def install_mover(mover: Callable[[Any, shardings_lib.Sharding, bool], Any]) -> None:
    """Sets the function that moves arrays between shardings; where it returns None, they go through the host."""
    global _mover
    _mover = mover


def _put_strings(strings, sharding):
    """Placeholder until `string_arrays`, a module above this one, installs its function."""


def install_putter_of_strings(putter: Callable[[np.ndarray, Any], Any]) -> None:
    """Sets the function that puts NumPy arrays of strings on the devices of a sharding."""
    global _put_strings
    _put_strings = putter


def _is_of_other_process(sharding):
    """Whether all devices of the sharding belong to other processes."""
    device = sharding.ordered_devices[0]
    return not sharding.has_addressable_devices and not device.client.is_absent


def agreed(value: np.ndarray | None, like: Any, processes: Sequence[int]) -> np.ndarray:
    """Returns the value that processes agree on; all that have a value have the same.

    All of the processes call it. Replaced by `multihost`, which asks the others.

    Args:
        value: what this process has; None: nothing.
        like: has the value's shape and dtype.
        processes: the processes that take part, this one among them.

    Raises:
        AssertionError: they have different values.
    """


def install_agreement(ask: Callable[[Any, Any, Sequence[int]], np.ndarray]) -> None:
    """Sets the function by which processes learn which values the others put into an array."""
    global agreed
    agreed = ask


def _agreed_on(value, sharding):
    """Returns the value to put on the devices of several processes, after they have agreed on it."""
    processes = processes_of(sharding)
    if len(processes) < backends.process_count():
        return value  # Only some of the processes may get here, so no agreement is possible.
    if not isinstance(value, client.Array):
        array, _ = to_numpy(value)
        agreed(array, array, processes)
        return value
    source = value.sharding
    if len(processes_of(source)) > 1:
        return value
    if source.has_addressable_devices:
        agreed(value._value, value, processes)
        return value
    found = agreed(None, value, processes)
    return split(found, value.weak_type, sharding, committed=True)


def processes_of(sharding: shardings_lib.Sharding) -> tuple[int, ...]:
    """The processes to which a sharding's devices belong."""
    return tuple(sorted({d.process_index for d in sharding.ordered_devices}))


def split(
    array: np.ndarray,
    weak_type: bool,
    sharding: shardings_lib.Sharding,
    committed: bool,
) -> Any:
    """An array of NumPy's, part by part on the devices of this process.

    Where parts have to be summed, one of the devices that have the summands gets the part
    and the others get zeros.
    """
    sharding.shard_shape(array.shape)  # raises where the shape cannot be split
    devices = sharding.ordered_devices
    holders, cuts = devices, sharding
    if sums_of(sharding):
        holders, cuts = sharding.first_summands, sharding.summed
    if not devices[0].is_addressable and devices[0].client.is_absent:
        return put_on_device(array, devices[0])  # refuses a machine that is described
    shares = can_share(array, sharding) and holders is devices
    made: dict[tuple, Any] = {}
    shards = []
    for device, index in cuts.addressable_devices_indices_map(array.shape).items():
        here = shardings_lib.of_device(device)
        key = tuple([(cut.start, cut.stop) for cut in index])
        if shares and key in made:
            same = client.shared_on(made[key], device, sharding=here, committed=True)
            if same is not None:
                shards.append(same)
                continue
        part = np.asarray(array[index])
        shard = made[key] = client.array_from_host(
            part if device in holders else np.zeros_like(part),
            device,
            sharding.memory_kind or "",
            sharding=here,
            committed=True,
            weak_type=weak_type,
        )
        shards.append(shard)
    return client.array_from_shards(
        shape=array.shape,
        dtype=array.dtype,
        weak_type=weak_type,
        sharding=sharding,
        committed=committed,
        shards=shards,
    )


# What is copied sooner than shared.
_LEAST_SHARED_BYTES = 4096


def can_share(array: Any, sharding: shardings_lib.Sharding) -> bool:
    """Whether devices may hold parts of an array in the same memory: the host's.

    Of our own client alone: another one may reuse memory that is donated and that it does not own.
    """
    device = sharding.ordered_devices[0]
    return (
        array.nbytes >= _LEAST_SHARED_BYTES
        and backends.is_ours(device.client)
        and sharding.memory_kind in (None, device.default_memory().kind)
    )


def sums_of(sharding: shardings_lib.Sharding) -> frozenset:
    """The mesh axes along which the parts of arrays have to be summed."""
    spec = getattr(sharding, "spec", None)
    return frozenset() if spec is None else spec.unreduced


def assemble(array: Any) -> np.ndarray:
    """Gathers an array that is sharded over several devices.

    Raises:
        NotImplementedError: the parts have to be summed.
        RuntimeError: some parts belong to other processes.
    """
    sharding = array.sharding
    if sharding.is_fully_replicated and sharding.has_addressable_devices:
        first = next(d for d in sharding.ordered_devices if d.is_addressable)
        return client.shard_of(array, 0, sharding=shardings_lib.of_device(first))._value
    if not sharding.is_fully_addressable:
        raise errors.runtime_error(
            "Fetching the value of an array that spans devices of other processes.",
            [("array", array.aval.str_short()), ("sharding", repr(sharding))],
            ways="Gather it first, with multihost_utils.process_allgather.",
        )
    # Raises if parts are summands, since then no part is a slice of the value.
    indices = sharding.devices_indices_map(array.shape)
    array.copy_to_host_async()
    out = np.empty(array.shape, array.dtype)
    done = set()
    for number, (device, index) in enumerate(indices.items()):
        key = tuple((s.start, s.stop) for s in index)
        if key not in done:
            done.add(key)
            shard = client.shard_of(
                array, number, sharding=shardings_lib.of_device(device)
            )
            out[index] = shard._value
    out.flags.writeable = False
    return out


@traceback_filter.hides_frames
def device_put(
    x: Any,
    device: Any = None,
    *,
    src: Any = None,
    donate: Any = False,
    may_alias: Any = None,
) -> Any:
    """Puts the leaves of a tree on devices.

    Args:
        x: an array, a number, or a tree of them.
        device: a device, a sharding, the format of an array, or a tree of these that is
            a prefix of `x`. None:
            host values go to the default device and are not committed to it; arrays
            stay where they are.
        src: accepted for compatibility.
        donate: whether the memory of `x` may be taken.
        may_alias: False for results in memory of their own; else an array that is
            that has the requested sharding stays there. Results never share memory of the host.

    Returns:
        A tree of arrays.

    Raises:
        TypeError: a leaf is no array.
        RuntimeError: a leaf was deleted or donated.
        ValueError: `device` is no target, an array cannot be split as requested or has not as
            many axes as a layout, or both `donate` and `may_alias` are true.

    Examples:
        >>> jax.device_put(np.arange(3), jax.devices()[0])
        Array([0, 1, 2], dtype=int32)
    """
    if donate is True and may_alias is True:
        raise errors.value_error(
            "device_put: may_alias and donate cannot be True at the same time.",
            rule="A donated array is deleted; an alias of it stays.",
            ways="Leave may_alias out.",
        )
    if type(x) in _PLAIN_HOST and (device is None or isinstance(device, _DEVICES)):
        return _put_leaf(x, as_sharding(device))
    leaves, structure = tree.tree_flatten(x)
    is_target = lambda p: p is None or isinstance(p, _PLACEMENT_TYPES)
    try:
        targets = tree.spread_over("device_put device", device, structure, is_target)
    except ValueError as error:
        raise ValueError(
            "device_put device specification must be a tree prefix of the corresponding "
            f"value.\n{error}"
        ) from None
    out = [
        _put_in_format(v, p)
        if isinstance(p, layouts.Format)
        else _put_leaf(v, as_sharding(p))
        for v, p in zip(leaves, targets, strict=True)
    ]
    for i, (old, new) in enumerate(zip(leaves, out, strict=True)):
        if not isinstance(old, client.Array):
            continue
        if old.sharding == new.sharding and old._order == new._order:
            # Source and result share memory, so there is nothing to donate.
            out[i] = copy(new) if may_alias is False else new
        elif may_alias is False and can_share(new, new.sharding):
            out[i] = copy(new)
        elif donate is True and _fits_memory(old, new):
            old.delete()
    return tree.tree_unflatten(structure, out)


def _put_in_format(value, target):
    """Puts a value on a device, a sharding or a format, which may state a layout."""
    sharding, layout = as_sharding(target), target.layout
    if layout is layouts.AUTO:
        raise errors.value_error(
            "device_put: the layout is left to a compiler.",
            [("format", repr(target))],
            "Layout.AUTO is for in_shardings and out_shardings of jax.jit.",
            "Give a Layout, or None for the usual one.",
        )
    if layout is not None:
        layout.check_compatible_aval(np.shape(value))
    out = _put_leaf(value, sharding)
    # The layout of a value that a program computes is the compiler's choice; random keys
    # do not show theirs.
    is_array = layout is not None and isinstance(out, client.Array)
    return relayout.lay_out(out, layout) if is_array else out


def _fits_memory(old, new):
    """Whether the parts of two arrays have one shape, so that one could take the other's memory."""
    a, b = old.sharding.shard_shape(old.shape), new.sharding.shard_shape(new.shape)
    return a == b


def _check_transfer(value, sharding):
    if not isinstance(value, client.Array):
        direction = transfer_guard.TO_DEVICE
    elif sharding is None or sharding.device_set == value.sharding.device_set:
        return
    else:
        direction = transfer_guard.BETWEEN_DEVICES
    target = sharding if sharding is not None else backends.default_device()
    transfer_guard.check(direction, value, target, is_explicit=True)


def _put_leaf(value, sharding):
    if type(value) is np.ndarray and value.dtype.kind in "VT":
        if value.dtype == scalars.float0:
            return value  # tangents of integers (float0) stay in NumPy
        if value.dtype.kind == "T":
            return _put_strings(value, sharding)
    if type(value) not in _PLAIN:
        if isinstance(value, trace.Tracer):
            return traced_device_put.put(value, sharding)
        putter = getattr(type(value), "_jax_put", None)
        if (
            putter is not None
        ):  # of an extended dtype, the array behind the value is put
            return putter(value, sharding)
    elif sharding is None and type(value) is not client.Array:
        if transfer_guard.key() is not None:
            _check_transfer(value, sharding)
        return put_on_device(value)
    if isinstance(sharding, avals.MemorySpace):
        is_array = isinstance(value, client.Array)
        here = (
            value.sharding
            if is_array
            else shardings_lib.of_device(backends.default_device())
        )
        sharding = traced_device_put.in_memory(here, sharding)
    if (
        sharding is not None
        and type(sharding) is not shardings_lib.SingleDeviceSharding
    ):
        # Both may raise: the first for an object that is no array, the second if the spec does not fit.
        shape = (
            np.shape(value) if isinstance(value, _HELD) else avals.get_aval(value).shape
        )
        _check_fits(shape, sharding)
        if not sharding.is_fully_addressable:
            value = _agreed_on(value, sharding)
    if transfer_guard.key() is not None:
        _check_transfer(value, sharding)
    if isinstance(value, client.Array) and value.is_deleted():
        value.block_until_ready()  # Raises, as every use does.
    return put(value, sharding)


def _check_fits(shape, sharding):
    """Raises where a sharding does not fit an array of this shape."""
    spec = getattr(sharding, "spec", ())
    if any(
        entry is partition_spec.UNCONSTRAINED
        for entry in getattr(spec, "partitions", ())
    ):
        raise errors.value_error(
            "device_put: the spec leaves an axis unconstrained.",
            [("spec", repr(spec)), ("shape", str(shape))],
            "Only a compiler can choose how an axis is split: inside of jit, in "
            "jax.lax.with_sharding_constraint.",
            "Name mesh axes, or None for an axis that is not split.",
        )
    sharding.shard_shape(shape)


def device_put_replicated(x: Any, devices: Sequence[Any]) -> Any:
    """Deprecated upstream; use `device_put` with a `NamedSharding`."""
    raise NotImplementedError(
        "device_put_replicated is not offered: use jax.device_put(x, NamedSharding(mesh, "
        "PartitionSpec()))."
    )


traced_device_put.device_put_p.set_rule(
    "impl", lambda x, **params: _put_leaf(x, params["target"].of)
)
client.set_assembler(assemble)
fastpath.set_device_put(put)
fastpath.set_class_judge(avals.is_as_its_base)


@traceback_filter.hides_frames
def device_get(x: Any) -> Any:
    """Copies the arrays of a tree to the host.

    Args:
        x: a tree of arrays and other leaves.

    Returns:
        A tree of NumPy arrays; random keys, which NumPy has not, traced values, which
        are nowhere yet, and leaves that are no arrays stay as they are.

    Raises:
        RuntimeError: an array was deleted.
    """
    for leaf in tree.tree_leaves(x):
        if isinstance(leaf, client.Array):
            leaf.copy_to_host_async()
    return tree.tree_map(_get_leaf, x)


def _get_leaf(value):
    if isinstance(value, client.Array):
        return value._value
    if isinstance(getattr(value, "dtype", None), scalars.ExtendedDType):
        return value
    if not isinstance(value, trace.Tracer) and hasattr(value, "__array__"):
        return np.asarray(value)
    return value


@traceback_filter.hides_frames
def block_until_ready(x: T) -> T:
    """Waits until all arrays of a tree are computed, and returns the tree.

    Args:
        x: a tree of arrays; other leaves are let through.

    Raises:
        JaxRuntimeError: the computation of an array failed.
    """
    for leaf in tree.tree_leaves(x):
        wait = getattr(leaf, "block_until_ready", None)
        if wait is not None:
            wait()
    return x


def copy_to_host_async(x: Any) -> Any:
    """Starts to copy the arrays of a tree to the host, and returns the tree.

    Args:
        x: a tree of arrays; other leaves are let through.

    Raises:
        RuntimeError: an array was deleted.
    """
    for leaf in tree.tree_leaves(x):
        start = getattr(leaf, "copy_to_host_async", None)
        if start is not None:
            start()
    return x
