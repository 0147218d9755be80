"""Arrays shared with other libraries by the DLPack protocol."""

from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import errors, traceback_filter
from jax._src.core import shardings
from jax._src.lib import client
from jax._src.runtime.arrays import array
from jax._src.runtime.devices import backends
from jax._src.runtime.transfers import device_put_get

# DLPack's number for memory that the host reads.
_HOST = 1


def from_dlpack(
    external_array: Any, device: Any = None, copy: bool | None = None
) -> Any:
    """Makes an array of a tensor of another library.

    Args:
        external_array: an object with `__dlpack__` and `__dlpack_device__`, such as a
            NumPy array or a PyTorch tensor.
        device: the device or single-device sharding of the result; None: the first CPU
            device.
        copy: True for memory of its own; False for that of the tensor; None for that of
            the tensor where it is dense, in row-major order and aligned to 64 bytes, and
            else a copy. Shared memory must not be written to while the result is used.

    Returns:
        An array, committed to its device.

    Raises:
        TypeError: the object does not speak DLPack.
        BufferError: its memory or its dtype cannot be taken over.
        ValueError: `copy` is False, and there is no way without a copy.
    """
    if not all(
        hasattr(external_array, name) for name in ("__dlpack__", "__dlpack_device__")
    ):
        raise errors.type_error(
            "from_dlpack takes an object with __dlpack__ and __dlpack_device__.",
            [("got", type(external_array).__name__)],
            ways="Pass the array itself: capsules are no longer taken.",
        )
    sharding = device_put_get.as_sharding(device)
    if isinstance(external_array, client.Array):
        return _own_array(external_array, sharding, copy)
    kind, _ = external_array.__dlpack_device__()
    if kind != _HOST:
        raise BufferError(
            errors.explain(
                "from_dlpack: the tensor is not in memory that the host reads.",
                [("DLPack device type", str(int(kind)))],
                ways="Move it to the CPU first.",
            )
        )
    if sharding is None:
        sharding = shardings.of_device(backends.local_devices(backend="cpu")[0])
    if sharding.num_devices != 1:
        raise ValueError("from_dlpack puts an array on one device only.")
    found = client.array_from_dlpack(
        _capsule_of(external_array),
        sharding.ordered_devices[0],
        sharding=sharding,
        copy=None if copy is None else bool(copy),
    )
    dtype = dtypes.canonicalize_dtype(found.dtype)
    if dtype == found.dtype:
        return found
    if copy is False:
        raise errors.value_error(
            "from_dlpack(copy=False): the tensor cannot be used in the memory that holds it.",
            [("dtype", str(found.dtype)), ("becomes", str(dtype))],
            "Without jax_enable_x64, 64 bits are narrowed as in every other function.",
            "Set jax_enable_x64, or leave copy out.",
        )
    return device_put_get.put(np.asarray(found).astype(dtype), sharding)


def _own_array(given, sharding, copy):
    moves = sharding is not None and sharding != given.sharding
    if moves and copy is False:
        raise errors.value_error(
            "from_dlpack(copy=False): the array is on another device.",
            [("device", str(given.sharding)), ("requested", str(sharding))],
            ways="Leave copy out to move it.",
        )
    return device_put_get.put(
        given if moves or not copy else array.copy(given), sharding
    )


_native_export = client.Array.__dlpack__


def to_dlpack(
    self: Any,
    *,
    stream: int | Any | None = None,
    max_version: tuple[int, int] | None = None,
    dl_device: tuple[int, int] | None = None,
    copy: bool | None = None,
) -> Any:
    """The array as a DLPack capsule, for other libraries' `from_dlpack`.

    Args:
        self: the array, on one device.
        stream: must be None: hosts have no streams.
        max_version: the newest version of DLPack that the consumer reads; from (1, 0) on
            the capsule says that the memory may only be read.
        dl_device: where the consumer wants the memory; None for the array's own.
        copy: whether to hand out a copy of the memory; None or False: the memory itself.

    Raises:
        BufferError: the dtype has no DLPack form, or the memory is not as wanted.
    """
    here = self.__dlpack_device__()
    if dl_device is not None and tuple(map(int, dl_device)) != here:
        raise BufferError(
            errors.explain(
                "__dlpack__: the array is not on the requested device.",
                [
                    ("dl_device", str(tuple(map(int, dl_device)))),
                    ("device", str(here)),
                ],
                "Memory is handed out where it is.",
                "Move the array first: jax.device_put(x, device).",
            )
        )
    if stream is not None and here[0] == _HOST:
        raise BufferError(
            errors.explain(
                "__dlpack__: a stream was given for an array in the host's memory.",
                [("stream", repr(stream))],
                "Streams order the work of accelerators.",
                "Leave it out.",
            )
        )
    shared = array.copy(self) if copy else self
    return _native_export(shared, max_version=max_version, copy=bool(copy))


to_dlpack.__name__ = "__dlpack__"
client.Array.__dlpack__ = to_dlpack

_SHARED_KINDS = {"bool", "bfloat16"} | {
    f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)
}
_SHARED_KINDS |= {"float16", "float32", "float64", "complex64", "complex128"}


def is_supported_dtype(dtype: Any) -> bool:
    """Whether arrays of this dtype can be shared with every library that has DLPack.

    Floats of 8 bits came with version 1.1 of the protocol: arrays of them are shared with
    libraries that know it, but NumPy for one has no such dtypes.
    """
    try:
        return np.dtype(dtype).name in _SHARED_KINDS
    except TypeError:
        return False


def _capsule_of(tensor):
    try:
        return tensor.__dlpack__(max_version=(1, 0))
    except TypeError:  # an exporter from before version 1
        return tensor.__dlpack__()


traceback_filter.hide_frames(globals())
