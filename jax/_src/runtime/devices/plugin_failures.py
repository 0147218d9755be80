"""What is said when a plugin gives no devices: what was looked for, found, and to be done."""

import ctypes
import re
from collections.abc import Mapping
from typing import Any

from jax._src.base import errors
from jax._src.lib import fit
from jax._src.runtime.devices import machine, plugins

# What is installed for a platform, by its name.
INSTALL = {
    "cuda": 'pip install "jax[cuda12]"',
    "rocm": 'pip install "jax[rocm]"',
    "gpu": 'pip install "jax[cuda12]" (NVIDIA) or "jax[rocm]" (AMD)',
    "tpu": 'pip install "jax[tpu]"',
}
_MISSING_LIBRARY = re.compile(r"(\S+\.so[.\d]*): cannot open shared object file")
_OPTION = re.compile(r"(Unexpected|unknown) option|option name|type index", re.I)
_VERSION = re.compile(r"PJRT C API|has no function|function table|API version", re.I)
_DRIVER = re.compile(r"driver version is insufficient|insufficient driver", re.I)


def cannot_start(spec: plugins.PluginSpec, error: BaseException) -> str:
    """Why the client of a plugin could not be made."""
    text = str(error)
    facts = [("plugin", spec.origin), ("error", text), *_machine_facts(spec.name)]
    rule, ways = _advice(spec, text)
    return errors.explain(
        f"The backend {spec.name!r} cannot be started.", facts, rule, ways
    )


def _advice(spec, text):
    install = INSTALL.get(spec.name, "install the plugin's package again")
    missing = _MISSING_LIBRARY.search(text)
    if missing:
        return (
            f"The library {missing[1]}, which the plugin needs, was not found.",
            f"Install what has it ({install}), or add its folder to LD_LIBRARY_PATH.",
        )
    if _VERSION.search(text):
        return (
            "The plugin and this jaxlib were made for different versions of the PJRT C API.",
            f"jaxlib is {fit.JAXLIB_VERSION}; install a plugin made for it: {install}.",
        )
    if _OPTION.search(text):
        return (
            "The plugin does not take an option as it was given.",
            "Look at jax_pjrt_client_create_options and at the plugin's variables.",
        )
    if _DRIVER.search(text):
        return (
            "The driver is older than the plugin needs.",
            "CUDA 12 needs driver 525, CUDA 13 driver 580: install a newer one.",
        )
    absent = spec.absence() if spec.absence is not None else None
    if absent is not None:
        return absent.capitalize() + ".", "Without one: JAX_PLATFORMS=cpu"
    return "", ""


def _machine_facts(name):
    if name == "cuda":
        nodes = machine.no_nvidia_gpu() or "an NVIDIA GPU"
        return [("machine", nodes), ("driver", _nvidia_driver())]
    if name == "rocm":
        return [("machine", machine.no_amd_gpu() or f"{machine.amd_gpu_count()} GPUs")]
    if name == "tpu":
        return [("machine", machine.no_tpu() or f"chips {machine.tpu_chips()}")]
    return []


def _nvidia_driver():
    """What the driver says of itself."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return "libcuda.so.1 is not found: no driver is installed"
    number = ctypes.c_int(0)
    if driver.cuDriverGetVersion(ctypes.byref(number)) != 0:
        return "libcuda.so.1 does not report its version"
    return f"for CUDA {number.value // 1000}.{number.value % 1000 // 10}"


def unknown_platform(name: str, known: Mapping[str, Any]) -> str:
    """That no plugin has the name that the user gave."""
    facts = [("known", ", ".join(known) or "none")]
    notes = plugins.notes()
    for platform in (name, *plugins.ALIASES.get(name, ())):
        if platform in notes:
            facts.append((platform, notes[platform]))
    if name in INSTALL:
        facts += _machine_facts(name)
    install = INSTALL.get(name, "install the plugin's package")
    return errors.explain(
        f"Unknown backend {name!r}: no plugin of this name is known.",
        facts,
        ways=f"Choose another in JAX_PLATFORMS, install one ({install}), or name its "
        f"library: {plugins.PATHS_VARIABLE}={name}:/path/to/plugin.so",
    )


def no_backend(known: Mapping[str, Any], failures: Mapping[str, str]) -> str:
    """That no plugin gives devices."""
    facts = [(name, failures.get(name, "")) for name in known]
    return errors.explain(
        "No backend: there is no device to run on.",
        facts or [("plugins", "none found")],
        ways="Install a jaxlib with a CPU plugin, or name a plugin's library: "
        f"{plugins.PATHS_VARIABLE}=name:/path/to/plugin.so",
    )
