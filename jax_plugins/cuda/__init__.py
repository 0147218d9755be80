"""NVIDIA's GPUs for jax: drives XLA's library from its wheel, jax-cuda12-pjrt or jax-cuda13-pjrt.

jax finds this package by its name and calls `initialize`. Nothing is loaded before devices
are requested, and nothing at all where no GPU is.
"""

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
from jax_plugins.cuda import libraries
from jax_plugins.cuda.version import LIBRARY_VERSION, __version__ as __version__

PLATFORM = "cuda"
PRIORITY = 500
LIBRARY = "xla_cuda_plugin.so"
# The newer one first.
GENERATIONS = ("13", "12")


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
            absence=machine.no_nvidia_gpu,
        )
        return
    found = find_library()
    if found is None:
        plugins.note(
            PLATFORM,
            "jax-cuda-plugin is installed, and XLA's library for NVIDIA's GPUs is not: "
            'pip install "jax[cuda12]" or "jax[cuda13]"',
        )
        return
    generation, path = found
    check_version(f"jax-cuda{generation}-pjrt", generation)
    plugins.register_plugin(
        PLATFORM,
        priority=PRIORITY,
        library_path=str(path),
        options=lambda: client_options.gpu_options(PLATFORM),
        absence=machine.no_nvidia_gpu,
        prepare=lambda: libraries.preload(generation),
    )


def find_library() -> tuple[str, pathlib.Path] | None:
    """The generation of CUDA and the file, from whichever wheel is installed."""
    namespace = [pathlib.Path(folder).parent for folder in __path__]
    namespace += map(pathlib.Path, libraries.folders_of("jax_plugins"))
    for generation in GENERATIONS:
        for folder in namespace:
            path = folder / f"xla_cuda{generation}" / LIBRARY
            if path.is_file():
                return generation, path
    return None


def check_version(wheel: str, generation: str) -> None:
    """Compares the release of XLA's library with the one that is wanted.

    Raises:
        RuntimeError: it is another.
    """
    if os.environ.get("JAX_SKIP_CUDA_CONSTRAINTS_CHECK"):
        return
    found = packages.version_of(wheel)
    if found is None:
        return  # A library without a wheel: its user knows what it is.
    if found != LIBRARY_VERSION:
        raise RuntimeError(
            errors.explain(
                f"{wheel} {found} and jax-cuda-plugin {__version__} do not fit together.",
                [("wanted", f"{wheel} {LIBRARY_VERSION}"), ("found", found)],
                "Both must be of one release.",
                f'pip install "jax[cuda{generation}]"; to try it nevertheless: '
                "JAX_SKIP_CUDA_CONSTRAINTS_CHECK=1",
            )
        )
