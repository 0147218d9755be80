"""What the extras of the jax wheel install: our thin wheels, and the vendors' libraries that they drive."""

load("//build:versions.bzl", "JAX_VERSION")

# Of our thin wheels: they go with one release of jax.
PLUGIN_VERSION = JAX_VERSION

# The release of XLA's libraries. Theirs asks for no jaxlib, so that ours can stand beside it.
_LIBRARY = "0.10.2"
_TPU_LIBRARY = "0.0.42.1"

# NVIDIA's libraries that XLA's opens when it needs them, by the generation of CUDA.
_CUDA12 = [
    "nvidia-cublas-cu12>=12.1.3.1",
    "nvidia-cuda-cupti-cu12>=12.1.105",
    "nvidia-cuda-nvcc-cu12>=12.6.85",
    "nvidia-cuda-nvrtc-cu12>=12.1.55",
    "nvidia-cuda-runtime-cu12>=12.1.105",
    "nvidia-cudnn-cu12>=9.8,<10",
    "nvidia-cufft-cu12>=11.0.2.54",
    "nvidia-cusolver-cu12>=11.4.5.107",
    "nvidia-cusparse-cu12>=12.1.0.106",
    "nvidia-nccl-cu12>=2.18.1",
    "nvidia-nvjitlink-cu12>=12.1.105",
    "nvidia-nvshmem-cu12>=3.2.5",
]
_CUDA13 = [
    "nvidia-cublas>=13.0.0.19",
    "nvidia-cuda-cupti>=13.0.48",
    "nvidia-cuda-nvcc>=13.0.48",
    "nvidia-cuda-nvrtc>=13.0.48",
    "nvidia-cuda-runtime>=13.0.48",
    "nvidia-cudnn-cu13>=9.12.0.46,<10",
    "nvidia-cufft>=12.0.0.15",
    "nvidia-cusolver>=12.0.3.29",
    "nvidia-cusparse>=12.6.2.49",
    "nvidia-nccl-cu13>=2.27.7",
    "nvidia-nvjitlink>=13.0.39",
    "nvidia-nvshmem-cu13>=3.3.20",
    "nvidia-nvvm>=13.0.48",
]

def _only_linux(requirements):
    return [requirement + "; sys_platform == \"linux\"" for requirement in requirements]

def _cuda(generation, libraries):
    ours = ["jax-cuda-plugin==" + PLUGIN_VERSION, "jax-cuda%s-pjrt==%s" % (generation, _LIBRARY)]
    return ours + _only_linux(libraries)

_ROCM = ["jax-rocm-plugin==" + PLUGIN_VERSION, "jax-rocm7-pjrt==" + _LIBRARY]

# "local": with the libraries of CUDA or ROCm that the machine has.
EXTRAS = {
    "cuda": _cuda("12", _CUDA12),
    "cuda12": _cuda("12", _CUDA12),
    "cuda12-local": _cuda("12", []),
    "cuda13": _cuda("13", _CUDA13),
    "cuda13-local": _cuda("13", []),
    "k8s": ["kubernetes"],
    "minimum-jaxlib": ["jaxlib==0.11.0"],
    "rocm": _ROCM,
    "rocm7-local": _ROCM,
    "tpu": ["libtpu==" + _TPU_LIBRARY, "requests"],
    "xprof": ["xprof"],
}
