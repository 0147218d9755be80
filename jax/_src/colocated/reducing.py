"""Meshes, lists of devices and shardings as numbers of CPU devices, so that they can be pickled.

Devices themselves cannot. Each function takes an object apart as ``object.__reduce__`` does.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from jax._src import tree
from jax._src.base import errors, util
from jax._src.colocated import functions
from jax._src.core import mesh as mesh_lib, shardings
from jax._src.random import keys
from jax._src.runtime.devices import backends


def cpu_device_map() -> dict[int, Any]:
    """The CPU devices by their numbers."""
    found = {}
    for backend in backends.backends().values():
        if backend.platform == "cpu":
            found.update({device.id: device for device in backend.devices()})
    return found


def _number(device):
    if device.platform != "cpu":
        raise errors.value_error(
            "colocated_python: a device is not a CPU.",
            [("device", repr(device))],
            "Functions run beside CPU devices: only these have numbers in other backends.",
            "Ask for its CPU: colocated_cpu_devices([device]).",
        )
    return device.id


def _device(number):
    known = cpu_device_map()
    if number not in known:
        raise errors.value_error(
            "colocated_python: there is no CPU device of this number here.",
            [("number", str(number)), ("CPU devices", str(sorted(known)))],
            "What was pickled names devices that both sides have.",
            'Start with as many: jax.config.update("jax_num_cpu_devices", n).',
        )
    return known[number]


def _mesh(numbers, names, types):
    devices = [_device(number) for number in numbers.flat]
    return mesh_lib.Mesh(np.array(devices, object).reshape(numbers.shape), names, types)


def reduce_mesh(mesh: mesh_lib.Mesh) -> tuple[Callable[..., mesh_lib.Mesh], Any]:
    """A mesh as the numbers of its devices, and how to make it of them again."""
    numbers = np.array([_number(device) for device in mesh.devices.flat], np.int64)
    shaped = numbers.reshape(mesh.devices.shape)
    return _mesh, (shaped, mesh.axis_names, mesh.axis_types)


def _device_list(numbers):
    return functions.DeviceList(map(_device, numbers))


def reduce_device_list(
    device_list: functions.DeviceList,
) -> tuple[Callable[..., functions.DeviceList], Any]:
    """A list of devices as their numbers, and how to make it of them again."""
    return _device_list, (tuple(map(_number, device_list)),)


def _single_device_sharding(number, memory_kind):
    return shardings.SingleDeviceSharding(_device(number), memory_kind=memory_kind)


def reduce_single_device_sharding(
    sharding: shardings.SingleDeviceSharding,
) -> tuple[Callable[..., shardings.SingleDeviceSharding], Any]:
    """A sharding as the number of its device, and how to make it of that again."""
    (device,) = sharding.device_set
    return _single_device_sharding, (_number(device), sharding.memory_kind)


def of_key_words(
    fun: Callable[..., Any], prng_in_info: dict[int, str], prng_out_info: dict[int, str]
) -> Callable[..., Any]:
    """A function that takes and returns the words of random keys, from one of the keys.

    Args:
        fun: the function.
        prng_in_info: names of generators, by which leaf of the arguments is keys.
        prng_out_info: the same for leaves of the results.
    """
    if not prng_in_info and not prng_out_info:
        return fun

    def call(*args: Any, **kwargs: Any) -> Any:
        leaves, structure = tree.tree_flatten((args, kwargs))
        for number, impl in prng_in_info.items():
            leaves[number] = keys.wrap_key_data(leaves[number], impl=impl)
        args, kwargs = tree.tree_unflatten(structure, leaves)
        outs, out_structure = tree.tree_flatten(fun(*args, **kwargs))
        for number in prng_out_info:
            outs[number] = keys.key_data(outs[number])
        return tree.tree_unflatten(out_structure, outs)

    return util.wraps(fun)(call)
