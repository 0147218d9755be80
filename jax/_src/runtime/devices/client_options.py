"""The options of plugins' clients: from the plugin, the environment and the user.

Plugins compare the types of options strictly, so what comes as text is converted by the
option's name.
"""

import os
from collections.abc import Callable, Mapping
from typing import Any

from jax._src.base import errors, options

_ALLOCATORS = ("default", "platform", "bfc", "cuda_async", "vmm")
_FRACTION = ("XLA_CLIENT_MEM_FRACTION", "XLA_PYTHON_CLIENT_MEM_FRACTION")


def _wrong(name, text, rule):
    return errors.value_error(
        f"{name} cannot be read.", [("value", repr(text))], rule, "Correct it."
    )


def _boolean(name, text):
    if text in ("true", "True", "1"):
        return True
    if text in ("false", "False", "0"):
        return False
    raise _wrong(name, text, "It is true or false.")


def _fraction(name, text):
    try:
        return float(text)
    except ValueError:
        raise _wrong(name, text, "It is a number such as 0.75.") from None


def _whole(name, text):
    try:
        return int(text)
    except ValueError:
        raise _wrong(name, text, "It is a whole number.") from None


def _numbers(name, text):
    try:
        return [int(item) for item in text.split(",")]
    except ValueError:
        raise _wrong(name, text, "It is a list of numbers such as 0,1.") from None


def _text(name, text):
    return text


# By the names that the GPU plugins of XLA know.
_BY_NAME: dict[str, Callable[[str, str], Any]] = {
    "abort_collectives_on_failure": _boolean,
    "allocator": _text,
    "collective_memory_size": _whole,
    "cpu_device_count": _whole,
    "enable_mock_nccl": _boolean,
    "memory_fraction": _fraction,
    "mock_gpu_topology": _text,
    "node_id": _whole,
    "num_nodes": _whole,
    "platform_name": _text,
    "preallocate": _boolean,
    "should_stage_host_to_device_transfers": _boolean,
    "use_tfrt_gpu_client": _boolean,
    "visible_devices": _numbers,
}


def given_by_user() -> dict[str, Any]:
    """The options of `jax_pjrt_client_create_options`, which win over all others.

    Raises:
        ValueError: they cannot be read.
    """
    given = options.pjrt_client_create_options.value
    return dict(given) if isinstance(given, Mapping) else _parse(given)


def _parse(text):
    """Reads `name:value;name:value`, as the environment has it."""
    out = {}
    for item in filter(None, (text or "").split(";")):
        name, colon, value = item.partition(":")
        if not colon:
            raise errors.value_error(
                "jax_pjrt_client_create_options cannot be read.",
                [("entry", item)],
                "Entries are name:value, separated by semicolons.",
            )
        read = _BY_NAME.get(name)
        out[name] = read(name, value) if read else _guess(value)
    return out


def _guess(text):
    if text in ("true", "True", "false", "False"):
        return text.lower() == "true"
    try:
        return int(text)
    except ValueError:
        return text


def gpu_options(platform: str) -> dict[str, Any]:
    """The options for the client of a GPU plugin that the environment and config give.

    Args:
        platform: ``"cuda"``, ``"rocm"`` or ``"oneapi"``.

    Raises:
        ValueError: a variable cannot be read, or two contradict each other.
    """
    names = {"cuda": "cuda", "rocm": "ROCM", "oneapi": "SYCL"}
    out: dict[str, Any] = {"platform_name": names[platform]}
    allocator = os.environ.get("XLA_PYTHON_CLIENT_ALLOCATOR", "").lower()
    if allocator:
        if allocator not in _ALLOCATORS:
            rule = f"It is one of {', '.join(_ALLOCATORS)}."
            raise _wrong("XLA_PYTHON_CLIENT_ALLOCATOR", allocator, rule)
        out["allocator"] = allocator
    out.update(_memory_options())
    for name in ("abort_collectives_on_failure", "use_tfrt_gpu_client"):
        variable = f"XLA_PYTHON_CLIENT_{name.upper()}"
        text = os.environ.get(variable, "")
        if text:
            out[name] = bool(_whole(variable, text))
    visible = _visible_devices(platform)
    if visible != "all":
        out["visible_devices"] = _numbers(f"jax_{platform}_visible_devices", visible)
    topology = options.mock_gpu_topology.value
    if topology:
        out |= _mock(topology)
    return out


def _memory_options():
    out = {}
    given = [name for name in _FRACTION if os.environ.get(name)]
    if len(given) > 1:
        raise errors.value_error(
            "The memory of the GPU that may be used is given twice.",
            [(name, os.environ[name]) for name in given],
            f"{_FRACTION[1]} is the older name of {_FRACTION[0]}.",
            f"Set {_FRACTION[0]} alone.",
        )
    for name in given:
        out["memory_fraction"] = _fraction(name, os.environ[name])
    preallocate = os.environ.get("XLA_PYTHON_CLIENT_PREALLOCATE", "")
    if preallocate:
        out["preallocate"] = preallocate not in ("false", "False", "0")
    variable = "XLA_PYTHON_CLIENT_COLLECTIVE_MEM_SIZE_MB"
    if os.environ.get(variable):
        out["collective_memory_size"] = _whole(variable, os.environ[variable]) << 20
    return out


def _visible_devices(platform):
    if platform == "cuda":
        return options.cuda_visible_devices.value
    if platform == "rocm":
        return options.rocm_visible_devices.value
    return options.oneapi_visible_devices.value


def _mock(topology):
    sizes = topology.split("x")
    if len(sizes) != 3 or not all(size.isdigit() for size in sizes):
        raise _wrong(
            "jax_mock_gpu_topology",
            topology,
            "It is slices x hosts x devices, such as 1x2x4.",
        )
    nodes = options.mock_num_gpu_processes.value or int(sizes[0]) * int(sizes[1])
    return {
        "enable_mock_nccl": True,
        "num_nodes": nodes,
        "mock_gpu_topology": topology,
    }
