"""Copies and signals between devices, whose kernels run the same program in `jax.shard_map`.

Each device says to whom it sends, what, and where to; all learn it, and each takes what is
meant for it. So all devices reach each copy and each signal, or none does: a copy under a
condition that differs between devices waits for ever, as other collectives do.
"""

from typing import Any

import numpy as np

from jax._src.base import errors
from jax._src.core import mesh_context, reference_views
from jax._src.core.references import Ref
from jax._src.lax.collectives import axis_index as positions, gather_scatter
from jax._src.numpy import lax_api as lax, numpy_api as jnp
from jax._src.pallas import checking, copies, scoped, semaphores
from jax._src.pallas.semaphores import DeviceIdType

_MESH = DeviceIdType.MESH


def _axes(what):
    """The names and sizes of the axes that devices are numbered along.

    Raises:
        ValueError: the kernel runs on one device.
    """
    mesh = mesh_context.get_abstract_mesh()
    manual = set(mesh.manual_axes)
    names = [name for name in mesh.axis_names if name in manual]
    if not names:
        raise errors.value_error(
            f"{what}: another device is named, but the kernel runs on one.",
            [("mesh", str(mesh))],
            "Devices are those of a mesh of which each sees its part.",
            "Call the kernel in a function that jax.shard_map maps.",
        )
    return names, [mesh.shape[name] for name in names]


def _number(device_id, kind, names, sizes, what):
    """The number of a device, in the order of the mesh."""
    if isinstance(device_id, dict):
        unknown = [name for name in device_id if name not in names]
        if not unknown:
            known = [device_id.get(name, positions.axis_index(name)) for name in names]
            return _flat(known, sizes)
    elif kind is DeviceIdType.LOGICAL:
        return jnp.asarray(device_id, np.int32)
    else:
        given = device_id if isinstance(device_id, tuple | list) else (device_id,)
        if len(given) == len(names):
            return _flat(given, sizes)
    raise errors.value_error(
        f"{what}: this names no device.",
        [
            ("device_id", repr(device_id)),
            ("axes", ", ".join(map(str, names))),
        ],
        "There is a position for each axis of the mesh, in its order.",
        "Or name axes: device_id={axis: position}.",
    )


def _flat(coordinates, sizes):
    number: Any = np.int32(0)
    for position, size in zip(coordinates, sizes, strict=True):
        number = number * size + jnp.asarray(position, np.int32)
    return number


def _base(ref, what):
    """The reference that a view is of, and the numbers of the elements that it shows."""
    is_view = isinstance(ref, reference_views.TransformedRef)
    steps, base = (ref.transforms, ref.ref) if is_view else ((), ref)
    if any(step.name == "bitcast" for step in steps):
        raise errors.not_implemented(
            f"{what}: parts of elements are sent to another device.",
            [("to", repr(ref))],
            "Elements are sent whole.",
            "Send the array, and look at it as another dtype there.",
        )
    size = int(np.prod(base.shape, dtype=int))
    elements: Any = lax.iota(np.int32, size).reshape(base.shape)
    for step in steps:
        elements = step.seen(elements)
    return base, elements.reshape(-1)


class _Sending:
    """What all devices send with one operation of the program.

    Args:
        device_id: to whom this one does.
        kind: how it is named.
        what: the function that was called.
    """

    def __init__(self, device_id: Any, kind: DeviceIdType, what: str):
        self.what = what
        names, sizes = _axes(what)
        self.names = tuple(names)
        self.target = _number(device_id, kind, names, sizes, what)
        own = _flat([positions.axis_index(name) for name in names], sizes)
        self.is_mine = self._all(self.target) == own

    def _all(self, value):
        return gather_scatter.all_gather(value, self.names, axis=0, tiled=False)

    def put(self, ref: Any, value: Any, how: str) -> None:
        """Writes what is sent to this device, or adds it: ``"set"`` or ``"add"``."""
        base, elements = _base(ref, self.what)
        held = base.read()
        flat = held.reshape(-1)
        at, values = self._all(elements), self._all(value.reshape(-1))
        # Elements behind the last one are left out.
        at = jnp.where(self.is_mine[:, None], at, flat.shape[0]).reshape(-1)
        write = getattr(flat.at[at], how)
        new = write(values.reshape(-1), mode="drop")
        base.write(new.astype(held.dtype).reshape(held.shape))


class RemoteCopyDescriptor:
    """A copy to another device that can be started and waited for.

    Args:
        src_ref: from where, on this device.
        dst_ref: to where, on the other one.
        send_sem: the semaphore of this device that it signals.
        recv_sem: the semaphore of the other device that it signals.
        device_id: the other device.
        device_id_type: how it is named.
    """

    __slots__ = (
        "device_id",
        "device_id_type",
        "dst_ref",
        "recv_sem",
        "send_sem",
        "src_ref",
    )

    def __init__(
        self,
        src_ref: Any,
        dst_ref: Any,
        send_sem: Any,
        recv_sem: Any,
        device_id: Any,
        device_id_type: DeviceIdType = _MESH,
    ):
        what = "pltpu.make_async_remote_copy"
        copies.check_alike(src_ref, dst_ref)
        self.src_ref = src_ref
        self.dst_ref = dst_ref
        self.send_sem = semaphores.checked(send_sem, what, is_copy=True)
        self.recv_sem = semaphores.checked(recv_sem, what, is_copy=True)
        self.device_id = device_id
        self.device_id_type = device_id_type

    def start(self, priority: int = 0) -> None:
        """Sends, and takes what others send; `priority` is accepted.

        Raises:
            ValueError: the kernel runs on one device, or none is named.
        """
        what = "pltpu.make_async_remote_copy"
        sending = _Sending(self.device_id, self.device_id_type, what)
        sending.put(self.dst_ref, self.src_ref.read(), "set")
        count = copies.count_of(self.dst_ref)
        sending.put(self.recv_sem, jnp.asarray(count, semaphores.COUNT), "add")
        semaphores.change(self.send_sem, count)

    def wait(self) -> None:
        """Waits until the copy is sent, and what is sent here has arrived."""
        self.wait_send()
        self.wait_recv()

    def wait_send(self) -> None:
        """Waits until the copy is sent."""
        copies.wait(self.send_sem, copies.count_of(self.src_ref))

    def wait_recv(self) -> None:
        """Waits until what is sent here has arrived."""
        copies.wait(self.recv_sem, copies.count_of(self.dst_ref))


def make_async_remote_copy(
    src_ref: Any,
    dst_ref: Any,
    send_sem: Any,
    recv_sem: Any,
    device_id: Any,
    device_id_type: DeviceIdType = _MESH,
) -> RemoteCopyDescriptor:
    """A copy to another device, to be started; in functions that `jax.shard_map` maps.

    Args:
        src_ref: reference or view from which is copied, on this device.
        dst_ref: reference or view of the same type, on the other device.
        send_sem: semaphore for copies, which this device waits for.
        recv_sem: semaphore for copies, which the other device waits for.
        device_id: the other device: its position along each axis of the mesh, or a
            dictionary of those that differ from this one's.
        device_id_type: whether positions are given, or a number in the order of the mesh.

    Raises:
        ValueError: types differ, or something is no semaphore for copies.
    """
    return RemoteCopyDescriptor(
        src_ref, dst_ref, send_sem, recv_sem, device_id, device_id_type
    )


def async_remote_copy(
    src_ref: Any,
    dst_ref: Any,
    send_sem: Any,
    recv_sem: Any,
    device_id: Any,
    device_id_type: DeviceIdType = _MESH,
) -> RemoteCopyDescriptor:
    """Starts a copy to another device, and returns what to wait for.

    Args:
        src_ref: reference or view from which is copied, on this device.
        dst_ref: reference or view of the same type, on the other device.
        send_sem: semaphore for copies, which this device waits for.
        recv_sem: semaphore for copies, which the other device waits for.
        device_id: the other device; see `make_async_remote_copy`.
        device_id_type: how it is named.

    Raises:
        ValueError: types differ, something is no semaphore for copies, or no device is named.
    """
    made = make_async_remote_copy(
        src_ref, dst_ref, send_sem, recv_sem, device_id, device_id_type
    )
    made.start()
    return made


def semaphore_signal(
    sem_or_view: Any,
    inc: Any = 1,
    *,
    device_id: Any = None,
    device_id_type: DeviceIdType = _MESH,
    core_index: Any = None,
) -> None:
    """Adds to the count of a semaphore.

    Args:
        sem_or_view: the semaphore.
        inc: how much.
        device_id: another device, whose semaphore is meant; see
            `pltpu.make_async_remote_copy`. None: this one's.
        device_id_type: how it is named.
        core_index: another core.

    Raises:
        ValueError: it is no semaphore, the kernel runs on one device, or no device is named.
        NotImplementedError: another core is named.
    """
    ref = semaphores.checked(sem_or_view, "pl.semaphore_signal")
    if core_index is not None:
        raise errors.not_implemented(
            "pl.semaphore_signal: another core is named.",
            [("core_index", repr(core_index))],
            "Cores take turns: each runs the whole function before the next one begins.",
        )
    if device_id is None:
        checking.signalled(ref)
        semaphores.change(ref, inc)
        return
    sending = _Sending(device_id, device_id_type, "pl.semaphore_signal")
    sending.put(ref, jnp.asarray(inc, semaphores.COUNT), "add")


def get_barrier_semaphore() -> Ref:
    """The semaphore at which the kernels of several devices meet.

    Each call gives one that counts zero: a kernel calls it once.

    Raises:
        Nothing.
    """
    return scoped.fresh(semaphores.SemaphoreType.BARRIER)
