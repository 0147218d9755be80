"""The libraries of NVIDIA's wheels, loaded by their paths: others of the system do not get ahead."""

import ctypes
import glob
import importlib.util
import os

# Folder of the wheel, for CUDA 12, and the start of the library's name.
_NEEDED = (
    ("cuda_runtime", "libcudart.so"),
    ("cuda_nvrtc", "libnvrtc.so"),
    ("cublas", "libcublasLt.so"),
    ("cublas", "libcublas.so"),
    ("nccl", "libnccl.so"),
    ("cuda_cupti", "libcupti.so"),
    ("nvjitlink", "libnvJitLink.so"),
    ("cusparse", "libcusparse.so"),
    ("cusolver", "libcusolver.so"),
    ("cufft", "libcufft.so"),
    ("nvshmem", "libnvshmem_host.so"),
    ("cudnn", "libcudnn.so"),
)
# Wheels for CUDA 13 that have folders of their own nevertheless.
_APART = ("nccl", "nvshmem", "cudnn")


def folders_of(package: str) -> list[str]:
    """The folders of a package or namespace, without importing it."""
    found = importlib.util.find_spec(package)
    return list((found and found.submodule_search_locations) or ())


def candidates(generation: str) -> list[str]:
    """The libraries of the wheels that are installed, in the order of loading."""
    found = []
    for wheel, name in _NEEDED:
        for root in folders_of("nvidia"):
            folder = wheel if generation == "12" or wheel in _APART else "cu13"
            found += sorted(glob.glob(os.path.join(root, folder, "lib", f"{name}.*")))
    return found


def preload(generation: str) -> list[str]:
    """Loads what is installed; what is not, the plugin asks for itself.

    Returns:
        The libraries that were loaded.
    """
    loaded = []
    for path in candidates(generation):
        try:
            ctypes.CDLL(path)
        except OSError:
            continue  # The plugin says what it misses when it needs it.
        loaded.append(path)
    return loaded
