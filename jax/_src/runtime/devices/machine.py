"""Which accelerators this machine seems to have, told without a driver or a plugin."""

import glob
import os

_NVIDIA_NODES = ("/dev/nvidia0", "/dev/nvidiactl", "/dev/dxg")
_AMD_NODES = "/sys/class/kfd/kfd/topology/nodes/*/properties"
_PCI_DEVICES = "/sys/bus/pci/devices"
_GOOGLE = "0x1ae0"
_TPU_CHIPS = {
    "0x0027": "v3",
    "0x0056": "v4",
    "0x005e": "v4",
    "0x0062": "v5p",
    "0x0063": "v5e",
    "0x006f": "v6e",
    "0x0076": "7x",
}


def no_nvidia_gpu() -> str | None:
    """Why there seems to be no GPU for CUDA; None: there is one."""
    if any(os.path.exists(node) for node in _NVIDIA_NODES):
        return None
    return f"no NVIDIA GPU: none of {', '.join(_NVIDIA_NODES)} exists"


def amd_gpu_count() -> int:
    """How many GPUs the AMD driver shows; under WSL, one."""
    found = 0
    for path in glob.glob(_AMD_NODES):
        words = _read(path).split()
        if "simd_count" in words and words[words.index("simd_count") + 1] != "0":
            found += 1
    return found or int(os.path.exists("/dev/dxg"))


def no_amd_gpu() -> str | None:
    """Why there seems to be no GPU for ROCm; None: there is one."""
    if amd_gpu_count():
        return None
    return f"no AMD GPU: no node of {_AMD_NODES} has compute units"


def tpu_chips() -> dict[str, int]:
    """How many chips there are of each generation of TPUs."""
    found: dict[str, int] = {}
    for folder in glob.glob(f"{_PCI_DEVICES}/*"):
        if _read(f"{folder}/vendor").strip() == _GOOGLE:
            kind = _TPU_CHIPS.get(_read(f"{folder}/device").strip())
            if kind is not None:
                found[kind] = found.get(kind, 0) + 1
    return found


def no_tpu() -> str | None:
    """Why there seems to be no TPU; None: there is one."""
    if tpu_chips():
        return None
    return f"no TPU: no device of vendor {_GOOGLE} under {_PCI_DEVICES}"


def _read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError:
        return ""
