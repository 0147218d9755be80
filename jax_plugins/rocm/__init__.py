"""AMD's GPUs for jax: drives XLA's library from its wheel, jax-rocm7-pjrt.

jax finds this package by its name and calls `initialize`. Nothing is loaded before devices
are requested, and nothing at all where no GPU is.
"""

import importlib.util
import logging
import os
import pathlib

from jax._src.base import errors
from jax._src.runtime.devices import (
    client_options,
    gpu_compilers,
    machine,
    packages,
    plugins,
)
from jax_plugins.rocm.version import LIBRARY_VERSION, __version__ as __version__

_log = logging.getLogger("jax.plugins")

PLATFORM = "rocm"
PRIORITY = 500
LIBRARY_PATH = pathlib.PurePath("xla_rocm7", "xla_rocm_plugin.so")
WHEEL = "jax-rocm7-pjrt"
# What collectives of several GPUs need of the memory that processes share.
_SHARED_BYTES = 64 << 20


def initialize() -> None:
    """Makes the plugin known: this project's if `JAX_GPU_COMPILER` says so, else XLA's if its library is there.

    Raises:
        RuntimeError: the library is of another release, or ours is not there.
    """
    if gpu_compilers.is_own():
        plugins.register_plugin(
            PLATFORM,
            priority=PRIORITY,
            library_path=gpu_compilers.own_library(PLATFORM, __path__),
            absence=machine.no_amd_gpu,
        )
        return
    path = find_library()
    if path is None:
        plugins.note(
            PLATFORM,
            "jax-rocm-plugin is installed, and XLA's library for AMD's GPUs is not: "
            'pip install "jax[rocm]"',
        )
        return
    check_version()
    plugins.register_plugin(
        PLATFORM,
        priority=PRIORITY,
        library_path=str(path),
        options=lambda: client_options.gpu_options(PLATFORM),
        absence=machine.no_amd_gpu,
        prepare=warn_of_shared_memory,
    )


def find_library() -> pathlib.Path | None:
    """The file, if its wheel is installed."""
    found = importlib.util.find_spec("jax_plugins")
    folders = list((found and found.submodule_search_locations) or ())
    for folder in [pathlib.Path(entry).parent for entry in __path__] + folders:
        path = pathlib.Path(folder, LIBRARY_PATH)
        if path.is_file():
            return path
    return None


def check_version() -> None:
    """Compares the release of XLA's library with the one that is wanted.

    Raises:
        RuntimeError: it is another.
    """
    found = packages.version_of(WHEEL)
    if found is None:
        return  # A library without a wheel: its user knows what it is.
    if found != LIBRARY_VERSION:
        raise RuntimeError(
            errors.explain(
                f"{WHEEL} {found} and jax-rocm-plugin {__version__} do not fit together.",
                [("wanted", f"{WHEEL} {LIBRARY_VERSION}"), ("found", found)],
                "Both must be of one release.",
                'pip install "jax[rocm]"',
            )
        )


def warn_of_shared_memory() -> None:
    """Reports too little shared memory, where several GPUs will need it."""
    try:
        facts = os.statvfs("/dev/shm")
    except OSError:
        return
    if machine.amd_gpu_count() > 1 and facts.f_blocks * facts.f_frsize <= _SHARED_BYTES:
        _log.warning(
            "/dev/shm has %d MiB: collectives of several GPUs need more "
            "(docker: --shm-size=64g).",
            facts.f_blocks * facts.f_frsize >> 20,
        )
